"""The reference pages: Python from its docstrings, C++ from the comments of the public headers."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = ROOT / "src/lilyan"


def groups() -> dict[str, list[str]]:
    """The headers of lilyan.hpp under the comments that stand above them, and those that are included one by one."""
    found: dict[str, list[str]] = {}
    heading = ""
    text = (SOURCES / "lilyan.hpp").read_text().split("#pragma once")[1]
    for line in text.splitlines():
        comment = re.match(r"// (.*?)\.?$", line)
        include = re.match(r'#include "lilyan/(.*)"', line)
        if comment:
            heading = comment.group(1)
        elif include and (SOURCES / include.group(1)).exists():  # others are generated
            found.setdefault(heading, []).append(include.group(1))
    roots = re.search(r"set\(public_roots ([^)]*)\)", (ROOT / "cmake/install.cmake").read_text()).group(1).split()
    found["Headers that are included one by one"] = [name for name in roots if name != "lilyan.hpp"]
    return found


def doxygen(out: pathlib.Path) -> pathlib.Path:
    """Runs Doxygen over the public headers and returns the folder of its XML."""
    shutil.rmtree(out, ignore_errors=True)  # classes that are gone have left pages there
    out.mkdir(parents=True, exist_ok=True)
    headers = [SOURCES / name for names in groups().values() for name in names]
    settings = {
        "INPUT": " ".join(str(path) for path in headers),
        "OUTPUT_DIRECTORY": str(out),
        "STRIP_FROM_PATH": str(ROOT / "src"),
        "INPUT_FILTER": f'"{sys.executable} {HERE / "cxx_filter.py"}"',
        "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO",
        "GENERATE_XML": "YES",
        "XML_PROGRAMLISTING": "NO",
        "EXTRACT_ALL": "YES",
        "HIDE_UNDOC_MEMBERS": "NO",
        "EXCLUDE_SYMBOLS": "lilyan::detail* std*",
        "MARKDOWN_SUPPORT": "YES",
        "AUTOLINK_SUPPORT": "NO",
        "SKIP_FUNCTION_MACROS": "NO",
        "QUIET": "YES",
        "WARN_IF_DOC_ERROR": "NO",
        "WARN_IF_UNDOCUMENTED": "NO",
    }
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True, capture_output=True)
    return out / "xml"


def declarations(xml: pathlib.Path) -> dict[str, list[tuple[str, str]]]:
    """What each header declares, in its order: Breathe's directives and their arguments."""
    found: dict[str, list[tuple[int, str, str]]] = {}

    def note(element: ElementTree.Element, directive: str, name: str) -> None:
        place = element.find("location")
        header = place.get("file", "").removeprefix("lilyan/")
        found.setdefault(header, []).append((int(place.get("line", "0")), directive, name))

    members = ElementTree.parse(xml / "namespacelilyan.xml").getroot().findall("./compounddef/sectiondef/memberdef")
    names = [member.findtext("name", "") for member in members]
    for member in members:
        name = member.findtext("name", "")
        if member.get("kind") == "function" and names.count(name) > 1:  # of several, the one with these arguments
            name += re.sub(r" = [^,()]*(\([^()]*\))?(?=[,)])", "", member.findtext("argsstring", ""))
        note(member, "doxygen" + member.get("kind", ""), f"lilyan::{name}")
    for path in sorted([*xml.glob("class*.xml"), *xml.glob("struct*.xml")]):
        compound = ElementTree.parse(path).getroot().find("./compounddef")
        name = compound.findtext("compoundname", "")
        if name.count("::") == 1:  # those within another class are shown there
            note(compound, "doxygen" + compound.get("kind", ""), name)
    return {header: [entry[1:] for entry in sorted(entries)] for header, entries in found.items()}


def cpp_pages(xml: pathlib.Path) -> dict[str, str]:
    """A page for each group of headers, by its file name."""
    pages = {}
    declared = declarations(xml)
    for heading, headers in groups().items():
        lines = [heading, "=" * len(heading), ""]
        for header in headers:
            title = f"lilyan/{header}"
            lines += [title, "-" * len(title), "", f".. doxygenfile:: lilyan/{header}",
                      "   :sections: briefdescription detaileddescription define", ""]
            if header not in declared and "#define" not in (SOURCES / header).read_text():
                raise ValueError(f"src/lilyan/{header}: Doxygen found no declaration in this public header")
            for directive, name in declared.get(header, []):
                lines.append(f".. {directive}:: {name}")
                if directive in ("doxygenclass", "doxygenstruct"):
                    lines += ["   :members:", "   :undoc-members:"]
                lines.append("")
        name = re.sub(r"\W+", "-", heading.lower()).strip("-")
        pages[f"cpp-{name}.rst"] = "\n".join(lines)
    return pages


PYTHON = {
    "Running scenes": ["run", "Run", "RunError", "compare", "Comparison", "Simulation", "view", "View"],
    "Scenes and systems": ["scene", "lagrangian", "scenes", "Scene", "System", "SlowWarning"],
    "Methods, materials, checks": ["methods", "Method", "materials", "Material", "Parameter", "verify", "Verification",
                                   "Check", "load_plugin", "set_threads"],
    "Errors": ["Error", "InputError", "ParameterError"],
}


def python_page(names: list[str], kinds: dict[str, bool]) -> str:
    """The reference of the Python module: all public names, in groups. Names of no group come last."""
    lines = ["Python reference", "================", "", ".. py:module:: lilyan", ""]
    rest = [name for name in names if not any(name in group for group in PYTHON.values())]
    for heading, group in {**PYTHON, "Others": rest}.items():
        present = [name for name in group if name in names]
        if not present:
            continue
        lines += [heading, "-" * len(heading), ""]
        for name in present:
            if kinds[name]:
                lines += [f".. autoclass:: lilyan.{name}", "   :members:", "   :special-members: __getitem__", ""]
            else:
                lines += [f".. autofunction:: lilyan.{name}", ""]
    return "\n".join(lines)
