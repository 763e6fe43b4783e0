"""Doxygen's view of a header: its plain comments as documentation.

Lilyan's comments are plain (`//`), with formulas and code indented by three spaces. Doxygen only reads comments that are
marked, and takes signs such as < and # for commands. This filter marks the comments and quotes the signs.
"""

import re
import sys


def documentation(comment: str) -> str:
    """One line of a comment, what stands behind its two slashes. Code keeps its signs."""
    if comment.startswith("   "):
        return "    " + comment
    for sign in "\\@#":
        comment = comment.replace(sign, "\\" + sign)
    for sign, name in (("&", "amp"), ("<", "lt"), (">", "gt")):
        comment = comment.replace(sign, f"&{name};")
    return comment


def main(path: str) -> None:
    at_top = True
    comment: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            alone = re.match(r"(\s*)//(.*)$", line)
            behind = re.match(r"(.*[;,{]\s+)//(.*)$", line)
            if alone:
                comment.append(f"{alone.group(1)}///{documentation(alone.group(2))}")
                continue
            if comment and at_top:
                comment.insert(0, "/// \\file")
            at_top = False
            if line.strip() and not line.startswith("#include"):  # headings between declarations are left out
                print("\n".join(comment), end="\n" if comment else "")
            comment = []
            print(f"{behind.group(1)}///<{documentation(behind.group(2))}" if behind else line.rstrip("\n"))


if __name__ == "__main__":
    main(sys.argv[1])
