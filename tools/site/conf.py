"""Sphinx's settings. `build.py` prepares the pages and calls Sphinx with this folder as its configuration."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "Lilyan"
author = "the Lilyan authors"
copyright = author
release = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE).group(1)
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "breathe"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
nitpicky = False
suppress_warnings = ["myst.header"]  # a page may go from # to ###

html_theme = "furo"
html_title = f"Lilyan {release}"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
highlight_language = "none"  # of indented blocks: they are commands, formulas and output

# Only what is typed is copied, without the prompt and without output.
copybutton_exclude = ".linenos, .gp, .go"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"SceneLike": "SceneLike", "Array": "Array"}
python_use_unqualified_type_names = True

breathe_projects = {"lilyan": os.environ.get("LILYAN_DOXYGEN", "")}
breathe_default_project = "lilyan"
breathe_show_include = False
breathe_default_members = ("members",)
