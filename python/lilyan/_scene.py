"""Scenes from files, dicts and formulas."""

from __future__ import annotations

import copy
import os
import pathlib
import tempfile
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _toml

SceneLike = Union[str, "os.PathLike[str]", Mapping[str, Any], _core.Scene]
Formula = Union[str, float, int]

_shipped = pathlib.Path(__file__).parent / "share" / "scenes"
if _shipped.is_dir():
    _core.set_shipped_scenes(str(_shipped))


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
            cells = np.asarray(cells)
            file = os.path.join(folder, f"body{number}.vtu")
            write = _core.write_triangles if cells.ndim == 2 and cells.shape[1] == 3 else _core.write_tets
            write(file, np.asarray(vertices, dtype=float), cells)
            if write is _core.write_triangles:
                body.setdefault("kind", "cloth")
            body["mesh"] = file
        scene["body"].append(body)
    return scene


def _load_dict(source: Mapping[str, Any], settings: list[str], steps: Optional[int]) -> _core.Scene:
    with tempfile.TemporaryDirectory() as folder:
        text = _toml.document(_with_mesh_files(source, folder))
        return _core.load_text(text, "scene", False, settings, steps)


def scene(
    source: SceneLike,
    *,
    method: Optional[str] = None,
    step: Optional[float] = None,
    steps: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
) -> _core.Scene:
    """Reads a scene.

    ``source`` is the name of a shipped scene (``"bunny"``), a file (``"my.toml"``), a dict with the tables of such a
    file, or a scene, which is returned as it is. The mesh of a body in a dict may be a file, or a pair of arrays
    ``(vertices, cells)`` with four vertices a cell for a solid and three for a cloth.

    ``method``, ``step`` and ``steps`` replace what the scene says. ``set`` changes anything else in it, by the same
    keys as the program's ``--set``: ``set={"body.0.material.mu": 800}``.
    """
    changes: dict[str, Any] = {}
    if method is not None:
        changes["integrator.method"] = method
    if step is not None:
        changes["integrator.step"] = step
    changes.update(set or {})
    if isinstance(source, _core.Scene):
        if changes or steps is not None:
            raise TypeError("this scene is made already: give its settings where it is made")
        return source
    settings = _toml.settings(changes)
    if isinstance(source, Mapping):
        return _load_dict(source, settings, steps)
    return _core.load_file(os.fspath(source), settings, steps)


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
    return scene({"title": title, "integrator": integrator, "system": table})
