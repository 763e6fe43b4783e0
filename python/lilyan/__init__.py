"""Time integration that keeps what nature keeps.

>>> import lilyan
>>> run = lilyan.run("pendulum", steps=100)
>>> run.t.shape, run.x.shape
((101,), (101, 1))
>>> print(run)                                                        # doctest: +ELLIPSIS
Pendulum with stoermer-verlet: 100 steps...

``run`` simulates a scene: one that is shipped, a file, a dict or one made in code (``lagrangian``, ``System``).
``Simulation`` makes steps one by one. ``compare`` runs several methods, ``sweep`` every combination of some settings;
``verify`` measures what a method claims,
``methods`` and ``materials`` list what there is, and ``view`` shows a scene in a page or a notebook while it runs.
"""

from ._core import Error, InputError, ParameterError, Scene
from ._compare import Comparison, compare
from ._lists import (
    Check,
    Material,
    Method,
    Parameter,
    Verification,
    load_plugin,
    materials,
    methods,
    scenes,
    set_threads,
    verify,
)
from ._needed import MissingPackage
from ._run import Run, RunError, Simulation, run
from ._scene import RemarkWarning, lagrangian, scene
from ._sweep import Sweep, sweep
from ._system import SlowWarning, System
from ._view import View, view
from ._lists import version as _version

__version__ = _version()

__all__ = [
    "Check",
    "Comparison",
    "Error",
    "InputError",
    "Material",
    "Method",
    "MissingPackage",
    "Parameter",
    "ParameterError",
    "RemarkWarning",
    "Run",
    "RunError",
    "Scene",
    "Simulation",
    "SlowWarning",
    "Sweep",
    "System",
    "Verification",
    "View",
    "compare",
    "lagrangian",
    "load_plugin",
    "materials",
    "methods",
    "run",
    "scene",
    "scenes",
    "set_threads",
    "sweep",
    "verify",
    "view",
]
