"""Links of Markdown pages: where they are in the text, and where they lead."""

from __future__ import annotations

import pathlib
import re
from typing import Callable, Iterator

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\()([^)\s]+)(\))")
IMAGE = re.compile(r"(!\[[^\]]*\]\()([^)\s]+)(\))")
HTML = re.compile(r"((?:src|href|srcset)=\")([^\"]+)(\")")
CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def prose(text: str) -> Iterator[tuple[bool, str]]:
    """The paragraphs of a page, each with whether it is prose; fenced and indented blocks are code."""
    fence = ""
    block: list[str] = []
    is_prose = True

    def flush() -> Iterator[tuple[bool, str]]:
        if block:
            yield is_prose, "".join(block)
        block.clear()

    previous_blank = True
    for line in text.splitlines(keepends=True):
        opened = re.match(r" {0,3}(```+|~~~+)", line)
        if fence:
            block.append(line)
            if opened and line.strip() == fence:
                fence = ""
                yield from flush()
                is_prose = True
            continue
        if opened:
            yield from flush()
            is_prose = False
            fence = opened.group(1)
            block.append(line)
            continue
        indented = line.startswith("    ") and (previous_blank or not is_prose)
        if indented == is_prose and line.strip():
            yield from flush()
            is_prose = not indented
        block.append(line)
        previous_blank = not line.strip()
    yield from flush()


def rewrite(text: str, target: Callable[[str], str]) -> str:
    """The page with every link and image led to what `target` says."""

    def replace(part: str) -> str:
        for pattern in (IMAGE, LINK, HTML):
            part = pattern.sub(lambda m: m.group(1) + target(m.group(2)) + m.group(3), part)
        return part

    pieces = []
    for is_prose, block in prose(text):
        if is_prose:
            # Links are not looked for in code within a sentence; code may be the text of a link.
            kept: list[str] = []

            def hide(match: re.Match[str]) -> str:
                kept.append(match.group(0))
                return f"\0{len(kept) - 1}\0"

            block = replace(CODE.sub(hide, block))
            block = re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], block)
        pieces.append(block)
    return "".join(pieces)


def targets(text: str) -> list[str]:
    """All that a page links to, images included."""
    found: list[str] = []

    def note(target: str) -> str:
        found.append(target)
        return target

    rewrite(text, note)
    return found


def external(target: str) -> bool:
    return bool(re.match(r"[a-z][a-z0-9+.-]*:", target))


def slug(heading: str) -> str:
    """The anchor that GitHub and MyST give to a heading."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    plain = re.sub(r"(?<!\w)[*_]+|[*_]+(?!\w)", "", plain)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings; the second of two equal ones has -1 behind it."""
    found: set[str] = set()
    count: dict[str, int] = {}
    for is_prose, block in prose(text):
        for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", block, re.MULTILINE) if is_prose else ():
            name = slug(heading)
            count[name] = count.get(name, -1) + 1
            found.add(f"{name}-{count[name]}" if count[name] else name)
    return found


def broken(page: pathlib.Path) -> list[str]:
    """What a page links to that is not there, with the reason."""
    text = page.read_text()
    faults = []
    for target in targets(text):
        if external(target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            faults.append(f"{page.name}: {target}: there is no such file")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            faults.append(f"{page.name}: {target}: there is no such heading")
    return faults
