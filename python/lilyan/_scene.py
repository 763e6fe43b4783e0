"""Scenes from files, dicts and formulas."""

from __future__ import annotations

import copy
import os
import pathlib
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _toml
from ._numbers import MOST, indices, points, real, whole

if TYPE_CHECKING:
    from ._run import Run

SceneLike = Union[str, "os.PathLike[str]", Mapping[str, Any], _core.Scene]
#: The frame of an earlier run: "results/bunny-avf:12", a folder, a run in memory, or one of these with a frame's number.
Start = Union[str, "os.PathLike[str]", "Run", "tuple[Union[str, os.PathLike[str], Run], int]"]
Formula = Union[str, float, int]

_shipped = pathlib.Path(__file__).parent / "share" / "scenes"
if _shipped.is_dir():
    _core.set_shipped_scenes(str(_shipped))


class RemarkWarning(UserWarning):
    """What the author of a scene may not expect, though nothing is wrong with it; the program prints it as a remark."""


def pass_on_remarks(made: _core.Scene) -> None:
    """Gives the remarks on a scene as warnings about the line outside of this package that made it."""
    outside = 2
    while sys._getframe(outside - 1).f_globals.get("__name__", "").partition(".")[0] == "lilyan":
        outside += 1
    for remark in made.remarks:
        warnings.warn(remark, RemarkWarning, stacklevel=outside)


def _with_mesh_files(source: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """A copy of the scene in which meshes that are given as arrays are files in the folder."""
    scene = copy.copy(dict(source))
    bodies = scene.get("body")
    if not isinstance(bodies, (list, tuple)):
        return scene
    scene["body"] = []
    for number, body in enumerate(bodies):
        body = dict(body)
        mesh = body.get("mesh")
        if isinstance(mesh, (tuple, list, Mapping)):
            vertices, cells = (mesh["vertices"], mesh["cells"]) if isinstance(mesh, Mapping) else mesh
            vertices = points(vertices, "the vertices of a mesh")
            cells = indices(cells, "a vertex of a cell", len(vertices))
            if cells.ndim != 2 or cells.shape[1] not in (3, 4):
                raise _core.Error(
                    "the cells of a mesh are rows of four vertices (tets) or of three (triangles), not an array of "
                    f"shape {cells.shape}"
                )
            file = os.path.join(folder, f"body{number}.vtu")
            write = _core.write_triangles if cells.shape[1] == 3 else _core.write_tets
            write(file, vertices, cells)
            if write is _core.write_triangles:
                body.setdefault("kind", "cloth")
            body["mesh"] = file
        scene["body"].append(body)
    return scene


def _load_dict(
    source: Mapping[str, Any], settings: list[str], steps: Optional[int], duration: Optional[float], start: str
) -> _core.Scene:
    with tempfile.TemporaryDirectory() as folder:
        text = _toml.document(_with_mesh_files(source, folder))
        return _core.load_text(text, "scene", False, settings, steps, duration, start)


def _named_start(start: Optional[Start]) -> str:
    """A start that is in a folder as RUN[:FRAME]; empty if it is in memory, or if there is none."""
    if isinstance(start, (str, os.PathLike)):
        return os.fspath(start)
    if isinstance(start, tuple) and isinstance(start[0], (str, os.PathLike)):
        return f"{os.fspath(start[0])}:{whole(start[1], 'the number of a frame')}"
    return ""


def _start_in_memory(made: _core.Scene, start: Optional[Start]) -> None:
    """Lets the scene start from a frame of a run in memory, if that is what is given."""
    if start is None or _named_start(start):
        return
    run: Any
    run, frame = start if isinstance(start, tuple) else (start, -1)
    frames = getattr(run, "frame_t", None)
    if frames is None:
        raise TypeError(f"a start is a run, the folder of one, or a pair with a frame's number, not {type(run).__name__}")
    if len(frames) == 0:
        raise _core.Error("the run to start from has kept no frames")
    frame = whole(frame, "the number of a frame", -MOST)
    if not -len(frames) <= frame < len(frames):
        raise _core.Error(f"there is no frame {frame}: the run has {len(frames)}, counted from 0 to {len(frames) - 1}")
    frame %= len(frames)
    before = slice(frame - 1, frame) if frame > 0 else slice(0, 0)  # for methods that look back
    time = float(frames[frame - 1]) if frame > 0 else 0.0
    made.start_from(float(frames[frame]), run.x[frame], run.v[frame], time, run.x[before], run.v[before])


def scene(
    source: SceneLike,
    *,
    method: Optional[str] = None,
    step: Optional[float] = None,
    steps: Optional[int] = None,
    duration: Optional[float] = None,
    set: Optional[Mapping[str, Any]] = None,
    start: Optional[Start] = None,
) -> _core.Scene:
    """Reads a scene.

    ``source`` is the name of a shipped scene (``"bunny"``), a file (``"my.toml"``), a dict with the tables of such a
    file, or a scene, which is returned as it is. The mesh of a body in a dict may be a file, or a pair of arrays
    ``(vertices, cells)`` with four vertices a cell for a solid and three for a cloth.

    ``method``, ``step``, ``steps`` and ``duration`` replace what the scene says. ``set`` changes anything else in it, by
    the same keys as the program's ``--set``: ``set={"body.0.material.mu": 800}``.

    ``start`` is a frame of an earlier run of the same bodies or coordinates to start from, at its time: the folder of
    the run (``"results/bunny-avf:12"``), a ``Run``, or either of them with the number of the frame (``(run, 12)``).
    Without a number it is the last frame.
    """
    changes: dict[str, Any] = {}
    if method is not None:
        changes["integrator.method"] = method
    if step is not None:
        changes["integrator.step"] = step
    changes.update(set or {})
    if isinstance(source, _core.Scene):
        if changes or steps is not None or duration is not None or start is not None:
            raise TypeError("this scene is made already: give its settings where it is made")
        return source
    steps = None if steps is None else whole(steps, "steps")
    duration = None if duration is None else real(duration, "duration")
    settings = _toml.settings(changes)
    named = _named_start(start)
    if isinstance(source, Mapping):
        made = _load_dict(source, settings, steps, duration, named)
    else:
        made = _core.load_file(os.fspath(source), settings, steps, duration, named)
    _start_in_memory(made, start)
    pass_on_remarks(made)
    return made


def lagrangian(
    coordinates: Union[str, Sequence[str]],
    *,
    kinetic: Optional[Formula] = None,
    potential: Optional[Formula] = None,
    lagrangian: Optional[str] = None,
    position: Optional[Mapping[str, Any]] = None,
    velocity: Optional[Mapping[str, Any]] = None,
    parameters: Optional[Mapping[str, Any]] = None,
    forces: Optional[Mapping[str, Formula]] = None,
    dissipation: Optional[Formula] = None,
    method: str = "gauss",
    step: float = 0.01,
    steps: int = 1000,
    title: str = "Lagrangian",
    start: Optional[Start] = None,
    **system: Any,
) -> _core.Scene:
    """A small system given by formulas, whose derivatives Lilyan takes itself. It runs at full speed.

    >>> scene = lilyan.lagrangian("theta", kinetic="theta'^2/2", potential="1 - cos(theta)",
    ...                           position={"theta": 1})

    Either ``kinetic`` and ``potential`` or ``lagrangian`` is given. Formulas may use the coordinates, their velocities
    (``theta'``), the time ``t`` and the parameters. Other keys of a scene's ``[system]`` (``constraints``,
    ``invariants``, ``draw``, …) may be given as well.
    """
    table: dict[str, Any] = {"kind": "lagrangian"}
    table["coordinates"] = [coordinates] if isinstance(coordinates, str) else list(coordinates)
    given = {
        "kinetic": kinetic,
        "potential": potential,
        "lagrangian": lagrangian,
        "position": position,
        "velocity": velocity,
        "parameters": parameters,
        "forces": forces,
        "dissipation": dissipation,
    }
    table.update({key: value for key, value in given.items() if value is not None})
    table.update(system)
    integrator = {"method": method, "step": step, "steps": steps}
    return scene({"title": title, "integrator": integrator, "system": table}, start=start)
