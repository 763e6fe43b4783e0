"""Builds the documentation site: ./lilyan docs.

    build.py --program PROGRAM [-o FOLDER] [--no-pictures]

Pages are collected (pages.py), pictures of scenes are made (pictures.py), the reference is written (reference.py), and
Sphinx makes HTML of it all. Any warning of Sphinx is an error: a link that leads nowhere fails the build. At the end the
HTML is searched for anything that a browser would load from a network, or that is not there.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import gallery
import pages
import pictures
import reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
QUOTE = "'"  # in YAML a quote within quotes is doubled


def gallery_page(program: str, source: pathlib.Path, cache: pathlib.Path) -> str:
    """The gallery with a picture of every scene."""
    scenes = gallery.scenes()
    files = pictures.pictures(program, scenes, cache)
    shown = {}
    folder = source / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    for scene in scenes:
        for file in files[scene.name]:
            shutil.copy(cache / file, folder / file)
        kinds = [""] if len(files[scene.name]) == 1 else ["only-light", "only-dark"]
        shown[scene.name] = "\n\n".join(
            f"```{{image}} gallery/{file}\n:alt: '{scene.title.replace(QUOTE, QUOTE * 2)}'\n:class: scene {kind}\n```"
            for file, kind in zip(files[scene.name], kinds))
    text = gallery.page(scenes, shown)
    sheet = []
    for group in gallery.ORDER:
        for scene in (scene for scene in scenes if scene.group == group):
            sheet.append(f"[![{scene.title}](gallery/{files[scene.name][0]})](#{gallery.anchor(scene)})")
    opening, rest = text.split("\n## ", 1)
    return opening + '\n<div class="sheet">\n\n' + "\n".join(sheet) + "\n\n</div>\n\n## " + rest


def python_reference() -> str:
    module = importlib.import_module("lilyan")
    return reference.python_page(module.__all__, {name: inspect.isclass(getattr(module, name))
                                                  for name in module.__all__})


def mend_dark(css: pathlib.Path) -> None:
    """Debian's build of Furo has lost the rules for readers whose system is dark. They are those of its dark theme."""
    text = css.read_text()
    if "prefers-color-scheme" in text:
        return
    opening = 'body[data-theme="dark"]'
    colours = re.search(re.escape(opening) + r" \{([^}]*)\}", text).group(1)
    unless = 'body:not([data-theme="light"])'
    css.write_text(f"{text}\n@media screen and (prefers-color-scheme: dark) {{\n  {unless} {{{colours}}}\n"
                   f"  html {unless} .only-light {{ display: none !important; }}\n"
                   f"  html {unless} .only-dark {{ display: block !important; }}\n}}\n")


def mend_imports(css: pathlib.Path, packaged: pathlib.Path = pathlib.Path("/usr/share")) -> None:
    """Debian's build of Furo imports normalize.css from the root of the server, where only Debian's own web server has it:
    what is imported takes the place of the line."""
    def imported(match: "re.Match[str]") -> str:
        file = packaged / match.group(1)
        if not file.exists():
            raise RuntimeError(f"{css.name} imports /{match.group(1)}, which is not in {packaged}; install the package "
                               "node-normalize.css")
        return file.read_text()

    css.write_text(re.sub(r"@import\s+url\(['\"]?/([^)'\"]+)['\"]?\)\s*;", imported, css.read_text()))


def missing_files(folder: pathlib.Path) -> list[str]:
    """Scripts, styles, pictures and fonts that the pages ask for and the site does not have."""
    missing: dict[str, None] = {}
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.css")]):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(errors="replace"), flags=re.DOTALL)
        patterns = [r"url\(\s*['\"]?([^)'\"\s]+)", r"@import\s+['\"]([^'\"]+)"]
        if path.suffix == ".html":
            patterns = [r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=\"([^\"]+)",
                        r"<link\b(?![^>]*\brel=\"(?:search|next|prev|index|author|copyright|canonical))[^>]*\bhref=\"([^\"]+)"]
        for pattern in patterns:
            for address in re.findall(pattern, text):
                name = urllib.parse.unquote(re.split(r"[?#]", address)[0])
                if not name or re.match(r"[a-z]+:|//", name):
                    continue
                # A path from the root of a server leads out of the site, wherever it is put.
                if name.startswith("/") or not (path.parent / name).exists():
                    missing[f"{path.relative_to(folder)}: {address}"] = None
    return list(missing)


def loads_from_network(folder: pathlib.Path) -> list[str]:
    """What the pages would load from elsewhere: scripts, styles, pictures, fonts. Links that one follows are fine."""
    found = []
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.css")]):
        text = path.read_text(errors="replace")
        patterns = [r"url\(['\"]?((?:https?:)?//[^)'\"]+)", r"@import\s+['\"]((?:https?:)?//[^'\"]+)"]
        if path.suffix == ".html":
            patterns += [r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=\"((?:https?:)?//[^\"]+)",
                         r"<link\b[^>]*\bhref=\"((?:https?:)?//[^\"]+)"]
        for pattern in patterns:
            found += [f"{path.relative_to(folder)}: {address}" for address in re.findall(pattern, text)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program lilyan")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/docs", help="folder for the pages")
    parser.add_argument("--no-pictures", action="store_true", help="the gallery with the pictures in docs/ only")
    arguments = parser.parse_args()
    arguments.output = arguments.output.resolve()
    work = arguments.output.parent / "docs-work"
    source = work / "source"
    source.mkdir(parents=True, exist_ok=True)

    collected = pages.Pages(ROOT, source)
    if not arguments.no_pictures:
        collected.give(ROOT / "docs/gallery.md", gallery_page(arguments.program, source, work / "pictures"))
    xml = reference.doxygen(work / "doxygen")
    children = reference.cpp_pages(xml)
    for page, names in {"python": ["python-reference"], "cpp": [pathlib.Path(name).stem for name in children]}.items():
        path = ROOT / f"docs/{page}.md"
        collected.give(path, path.read_text() + "\n```{toctree}\n:caption: Reference\n\n" + "\n".join(names) + "\n```\n")
    collected.write_all()
    for name, text in {"python-reference.rst": python_reference(), **children}.items():
        (source / name).write_text(text)
    wanted = {f"{name}.md" for name in collected.names.values()} | {"python-reference.rst", *children}
    for path in [*source.glob("*.md"), *source.glob("*.rst")]:
        if path.name not in wanted:
            path.unlink()

    environment = {**os.environ, "LILYAN_DOXYGEN": str(xml)}
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "auto", "-c", str(HERE),
              "-d", str(work / "doctrees"), str(source), str(arguments.output)]
    done = subprocess.run(sphinx, env=environment)
    if done.returncode != 0:
        print("lilyan: the site has faults, see above", file=sys.stderr)
        return 1
    furo = arguments.output / "_static/styles/furo.css"
    mend_dark(furo)
    mend_imports(furo)
    missing = missing_files(arguments.output)
    if missing:
        print("lilyan: these pages ask for files that the site does not have:\n  " + "\n  ".join(missing), file=sys.stderr)
        return 1
    elsewhere = loads_from_network(arguments.output)
    if elsewhere:
        print("lilyan: these pages would load from a network:\n  " + "\n  ".join(elsewhere), file=sys.stderr)
        return 1
    print(f"lilyan: the site is {arguments.output / 'index.html'}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, RuntimeError) as error:
        sys.exit(f"lilyan: {error}")
