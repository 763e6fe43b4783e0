"""The live view: a page that shows scenes while they are simulated."""

from __future__ import annotations

import html
import os
import tempfile
from typing import Any, Mapping, Optional

from . import _core, _toml
from ._numbers import whole
from ._scene import SceneLike, _with_mesh_files


class View:
    """A page on this machine. In a notebook it shows itself in the cell.

    It stays for as long as this object does, or until ``close``.
    """

    def __init__(self, core: _core.LiveView, folder: "Optional[tempfile.TemporaryDirectory[str]]", height: int) -> None:
        self._core: Optional[_core.LiveView] = core
        self._folder = folder
        #: The address of the page.
        self.url: str = f"http://127.0.0.1:{core.port}/"
        #: The height of the cell, in pixels.
        self.height: int = height

    def close(self) -> None:
        """Ends the page."""
        self._core = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _repr_html_(self) -> str:
        if self._core is None:
            return "<p>This view was closed.</p>"
        address = html.escape(self.url)
        return (
            f'<iframe src="{address}" width="100%" height="{self.height}" style="border:0" '
            f'title="Live view of Lilyan"></iframe><p><a href="{address}" target="_blank">Open it in a tab</a></p>'
        )

    def __repr__(self) -> str:
        return f"<lilyan.View at {self.url}>" if self._core is not None else "<lilyan.View, closed>"


def view(
    *sources: SceneLike,
    set: Optional[Mapping[str, Any]] = None,
    port: Optional[int] = None,
    height: int = 560,
) -> View:
    """Simulates up to four scenes in a web page, side by side; in a notebook in the cell.

    The page is served to this machine only. From another machine, forward its port: ``ssh -L 8817:127.0.0.1:8817 …``.
    """
    port = 0 if port is None else whole(port, "port", 0, 65535)
    names: list[str] = []
    folder: "Optional[tempfile.TemporaryDirectory[str]]" = None
    for number, source in enumerate(sources or ("bunny",)):
        if isinstance(source, _core.Scene):
            raise TypeError("a view reads scenes itself: give a name, a file or a dict")
        if isinstance(source, Mapping):
            folder = folder or tempfile.TemporaryDirectory()
            file = os.path.join(folder.name, f"scene{number}.toml")
            with open(file, "w", encoding="utf-8") as stream:
                stream.write(_toml.document(_with_mesh_files(source, folder.name)))
            names.append(file)
        else:
            names.append(os.fspath(source))
    return View(_core.LiveView(names, _toml.settings(set or {}), port), folder, height)
