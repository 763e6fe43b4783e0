"""Runs the code of a documentation page, from the top to the bottom, in the current folder.

    run_page.py PAGE.md [LANGUAGE]

With a language, only its blocks are run.

- A block ```sh is run by bash, and stops at the first command that fails.
- Blocks ```python of a page share their variables, like cells of a notebook.
- A block whose first line is a comment with a file name (`# scene.toml`, `// main.cpp`) is written to this file.
- `<!-- quick: A => B -->` above a block replaces A by B in it: fewer steps, an existing build.
- `<!-- not run: reason -->` above a block leaves it out.

Blocks in other languages (output, BibTeX) are not code.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import sys

FILES = ("toml", "cpp", "cmake")
BLOCK = re.compile(r"((?:^<!--[^\n]*-->\n)*)^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass
class Block:
    line: int
    language: str
    code: str
    quick: list[tuple[str, str]]
    not_run: str

    @property
    def file(self) -> str:
        """The file that the block is to be written to, if it is one."""
        name = re.match(r"(?:#|//) ([\w/.-]+\.(?:toml|cpp|hpp|txt))\n", self.code)
        return name.group(1) if name and self.language in FILES else ""

    @property
    def quick_code(self) -> str:
        code = self.code
        for full, short in self.quick:
            if full not in code:
                raise ValueError(f"line {self.line}: the block does not have '{full}', which is to be replaced")
            code = code.replace(full, short)
        return code


def blocks(text: str) -> list[Block]:
    found = []
    for match in BLOCK.finditer(text):
        comments, language, code = match.groups()
        quick = re.findall(r"<!-- quick: (.*?) => (.*?) -->", comments)
        reason = re.search(r"<!-- not run: (.*?) -->", comments)
        found.append(Block(text[:match.start(2)].count("\n") + 1, language, code, quick, reason.group(1) if reason else ""))
    return found


def run(page: pathlib.Path, language: str = "") -> None:
    variables: dict = {"__name__": "__main__"}
    for block in blocks(page.read_text()):
        if block.not_run or language not in ("", block.language):
            continue
        place = f"{page.name}, line {block.line}"
        if block.file:
            path = pathlib.Path(block.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.quick_code)
        elif block.language in FILES:
            raise ValueError(f"{place}: the first line of this block should name its file")
        elif block.language == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.quick_code], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{place}: exit code {done.returncode}\n{block.quick_code}\n{done.stdout}{done.stderr}")
        elif block.language == "python":
            exec(compile("\n" * block.line + block.quick_code, str(page), "exec"), variables)


if __name__ == "__main__":
    run(pathlib.Path(sys.argv[1]), *sys.argv[2:])
