"""Prepares the pages for Sphinx: Markdown of the repository in one folder, its links among themselves.

docs/index.md is the landing page, and its lists of links are the navigation; pages of docs/ that it does not list are
added to the guide. A Markdown file outside of docs/ that is
linked becomes a page, and so do notebooks, source files and folders: the site needs nothing but itself.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess

import links

LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".toml": "toml", ".sh": "bash", ".cff": "yaml",
             ".txt": "cmake", ".json": "json"}
SHOWN_BYTES = 40_000


class Pages:
    def __init__(self, root: pathlib.Path, out: pathlib.Path) -> None:
        self.root = root
        self.out = out
        self.names: dict[pathlib.Path, str] = {}
        self.waiting: list[pathlib.Path] = []
        self.given: dict[pathlib.Path, str] = {}

    def give(self, path: pathlib.Path, text: str) -> None:
        """Takes this text instead of the file's."""
        self.given[path] = text

    def name(self, path: pathlib.Path) -> str:
        """The page of a file or folder of the repository."""
        if path not in self.names:
            inside = path.relative_to(self.root)
            if inside.parts[0] == "docs" and path.suffix == ".md":
                name = path.stem
            elif str(inside) == "README.md":
                return "index"
            else:
                name = re.sub(r"[^\w]+", "-", str(inside.with_suffix("") if path.suffix == ".md" else inside)).lower()
            self.names[path] = name
            self.waiting.append(path)
        return self.names[path]

    def target(self, page: pathlib.Path, link: str) -> str:
        """Where a link of a page leads on the site."""
        if links.external(link) or link.startswith("#"):
            return link
        path, _, anchor = link.partition("#")
        file = (page.parent / path).resolve()
        if file.suffix in (".png", ".webp", ".svg", ".jpg", ".gif"):
            kept = self.root / "docs/images"
            return str(pathlib.Path("images") / file.relative_to(kept)) if file.is_relative_to(kept) else link
        if not file.exists():
            raise ValueError(f"{page.relative_to(self.root)}: the link {link} leads nowhere")
        return self.name(file) + ".md" + (f"#{anchor}" if anchor else "")

    def write_all(self) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        images = self.out / "images"
        if not images.exists():
            images.symlink_to(self.root / "docs/images")
        for path in sorted((self.root / "docs").glob("*.md")):
            self.name(path)
        while self.waiting:
            path = self.waiting.pop()
            text = self.text(path)
            if path == self.root / "docs/index.md":
                text += self.navigation(text)
            elif path.parent != self.root / "docs":
                text = "---\norphan: true\n---\n\n" + text
            file = self.out / f"{self.names[path]}.md"
            if not file.exists() or file.read_text() != text:  # what has not changed is not read again by Sphinx
                file.write_text(text)

    def text(self, path: pathlib.Path) -> str:
        if path.is_dir():
            return self.folder(path)
        if path.suffix == ".ipynb":
            return self.notebook(path)
        if path.suffix == ".md":
            text = self.given.get(path) or path.read_text()
            return links.rewrite(text, lambda link: self.target(path, link))
        return f"# {path.relative_to(self.root)}\n\n{code(path)}"

    def folder(self, path: pathlib.Path) -> str:
        listed = subprocess.run(["git", "-C", str(self.root), "ls-files", str(path)], capture_output=True, text=True)
        files = [self.root / name for name in listed.stdout.split()]
        if not files:  # not a clone
            files = sorted(file for file in path.rglob("*") if file.is_file())
        title = f"# {path.relative_to(self.root)}\n\n"
        if sum(file.stat().st_size for file in files) > SHOWN_BYTES:
            return title + "\n".join(f"- `{file.relative_to(path)}`" for file in files) + "\n"
        return title + "\n\n".join(f"## {file.relative_to(path)}\n\n{code(file)}" for file in files)

    def notebook(self, path: pathlib.Path) -> str:
        parts = []
        for cell in json.loads(path.read_text())["cells"]:
            source = "".join(cell["source"])
            parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        note = f"This is the notebook `{path.relative_to(self.root)}`, without what its cells show."
        title, _, rest = parts[0].partition("\n")
        return "\n\n".join([title, note, rest.strip(), *parts[1:]]) + "\n"

    def navigation(self, text: str) -> str:
        """Hidden tables of contents, one for each heading of the landing page with a list of links."""
        parts = []
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            heading = section.splitlines()[0]
            entries = re.findall(r"^- \[(.*?)\]\(([^)#]+)\.md\)", section, re.MULTILINE)
            if heading == "Guide":
                entries += [(page.stem.capitalize(), page.stem) for page in sorted((self.root / "docs").glob("*.md"))
                            if page.stem != "index" and f"]({page.stem}.md)" not in text]
            if entries:
                lines = "\n".join(f"{title} <{name}>" for title, name in entries)
                parts.append(f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{lines}\n```")
        return "\n\n" + "\n\n".join(parts) + "\n"


def code(path: pathlib.Path) -> str:
    text = path.read_text()
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", text) or [""]))
    return f"{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"
