"""Runs of scenes, whole and step by step."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._needed import needed
from ._numbers import whole
from ._scene import SceneLike, Start, scene as make_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._html import Animation

Array = npt.NDArray[np.float64]

_COLUMN = {name: k for k, name in enumerate(_core.columns)}
_LEDGER = ("solver", "quadrature", "work", "dissipation", "method")
_POTENTIALS = ("elastic", "gravity", "contact", "potential")


class RunError(_core.Error):
    """A run that stopped because a step could not be solved. ``run`` is what was done up to there, where there is one."""

    def __init__(self, message: str, run: "Optional[Run]" = None) -> None:
        super().__init__(message)
        self.run = run


class Run:
    """What a run has done, as arrays.

    The series have an entry for the start and one for every step (or every ``every`` steps): times ``t``, ``h``,
    ``energy``, ``kinetic``, ``potential``, ``energy_error``, ``momentum``, ``angular_momentum``, ``iterations`` and the
    ``ledger``. States are kept at the times ``frame_t``: positions ``x`` and velocities ``v``.
    """

    def __init__(self, scene: _core.Scene, data: Mapping[str, Any], simulation: _core.Simulation) -> None:
        self.scene = scene
        self.rows: Array = data["rows"]
        #: Times of the frames.
        self.frame_t: Array = data["frame_t"]
        #: Positions, frame by frame: (frames, vertices, 3), or (frames, coordinates) of a small system.
        self.x: Array = data["x"]
        #: Velocities, in the same way.
        self.v: Array = data["v"]
        #: "finished", "event", "failed" or "interrupted".
        self.end: str = simulation.end
        #: Why it failed, or which event ended it.
        self.message: str = simulation.message
        #: Steps made.
        self.steps: int = simulation.steps
        #: Seconds that the steps took.
        self.seconds: float = simulation.seconds
        #: What was conserved, in words.
        self.verdicts: list[str] = simulation.verdicts

    def __getitem__(self, column: str) -> Array:
        """A column of the series by its name; ``lilyan.Run.columns()`` lists them."""
        return self.rows[:, _COLUMN[column]]

    @staticmethod
    def columns() -> list[str]:
        """Names of the columns of the series."""
        return list(_core.columns)

    @property
    def t(self) -> Array:
        """Times."""
        return self["t"]

    @property
    def h(self) -> Array:
        """Length of the step that led to each time; 0 at the start."""
        return self["h"]

    @property
    def energy(self) -> Array:
        """Total energy."""
        return self["total"]

    @property
    def kinetic(self) -> Array:
        """Kinetic energy."""
        return self["kinetic"]

    @property
    def potential(self) -> Array:
        """Potential energy of all kinds: elastic, of gravity, of contact and any other."""
        total: Array = self["elastic"] + self["gravity"] + self["contact"] + self["potential"]
        return total

    @property
    def energy_error(self) -> Array:
        """Change of energy that neither work nor dissipation explains, relative to the energy of the motion."""
        return self["error"]

    @property
    def momentum(self) -> Array:
        """Linear momentum, (times, 3)."""
        return self.rows[:, _COLUMN["px"] : _COLUMN["pz"] + 1]

    @property
    def angular_momentum(self) -> Array:
        """Angular momentum about the origin, (times, 3)."""
        return self.rows[:, _COLUMN["lx"] : _COLUMN["lz"] + 1]

    @property
    def iterations(self) -> Array:
        """Iterations of the solver since the time before."""
        return self["iterations"]

    @property
    def ledger(self) -> dict[str, Array]:
        """Where the change of energy since the time before went: solver, quadrature, work, dissipation, method."""
        return {name: self[name] for name in _LEDGER}

    @property
    def method(self) -> str:
        """The method with its parameters."""
        return self.scene.label

    def to_pandas(self) -> Any:
        """The series as a pandas DataFrame with the time as index."""
        pandas = needed("pandas", "to_pandas()")
        frame = pandas.DataFrame(self.rows, columns=list(_core.columns))
        return frame.set_index("t")

    def plot(self, figure: "Optional[Figure]" = None) -> "Figure":
        """Draws energies, their error and the motion with matplotlib, and returns the figure."""
        from ._plot import plot_run

        return plot_run(self, figure)

    def animate(self, *, seconds: Optional[float] = None, width: int = 640, height: int = 420) -> "Animation":
        """The motion as an animation for a notebook, or to be saved as a page of HTML.

        It takes as long as the motion, or ``seconds``.
        """
        from ._html import animate_run

        return animate_run(self, seconds=seconds, width=width, height=height)

    def save_surfaces(self, folder: "Union[str, os.PathLike[str]]", format: str = "ply") -> list[str]:
        """Writes the surface of each frame into a folder (frame0000.ply, …) for other programs; returns the files.

        ``format`` is ply, obj or stl.
        """
        triangles = self.scene.surface
        if len(triangles) == 0:
            raise _core.Error("this run has no surface to save")
        used, cells = np.unique(triangles, return_inverse=True)
        os.makedirs(folder, exist_ok=True)
        files = []
        for k, x in enumerate(self.x):
            files.append(os.path.join(folder, f"frame{k:04}.{format}"))
            _core.write_triangles(files[-1], x[used], cells.reshape(-1, 3).astype(np.intc))
        return files

    def __str__(self) -> str:
        took = f" in {self.seconds:.3g} s" if self.seconds else ""
        text = f"{self.scene.title} with {self.method}: {self.steps} steps{took}"
        if self.end != "finished":
            text += f", {self.end}" + (f": {self.message}" if self.message else "")
        return "\n  ".join([text, *self.verdicts])

    __repr__ = __str__


def _numbers_of(value: npt.ArrayLike, name: str) -> Array:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise _core.Error(f"{name} must be an array of numbers: {error}") from None


class Simulation:
    """A run step by step.

    >>> sim = lilyan.Simulation("double-pendulum")
    >>> sim.step(100)
    100

    ``x`` and ``v`` are views of the state itself, without a copy: they change with every step, also those that were
    taken before. Positions and velocities are assigned (``sim.x = …``), or changed in place within ``editing()``. Both
    are refused while another thread makes steps; the callback of ``step`` may do both.
    """

    __slots__ = ("_core", "scene")

    def __init__(
        self,
        source: SceneLike,
        *,
        method: Optional[str] = None,
        step: Optional[float] = None,
        set: Optional[Mapping[str, Any]] = None,
        start: Optional[Start] = None,
    ) -> None:
        self.scene = make_scene(source, method=method, step=step, set=set, start=start)
        self._core = _core.Simulation(self.scene)

    def step(
        self,
        n: int = 1,
        callback: "Optional[Callable[[Simulation], Any]]" = None,
        every: int = 1,
    ) -> int:
        """Makes ``n`` steps and returns how many were made: fewer when an event or the end of the scene came first.

        ``callback(simulation)`` is called after every ``every`` steps; if it returns False no further step is made.
        Other Python threads run while the steps are made, and Ctrl-C ends them. Raises RunError when a step fails.
        """
        n = whole(n, "the number of steps n")
        every = whole(every, "every", 1)
        if callback is None:
            made = self._core.advance(n)
        else:
            called = callback
            made = self._core.advance(n, lambda: called(self), every)
        if made < n and self._core.end == "failed":
            raise RunError(self._core.message)
        return made

    @property
    def t(self) -> float:
        """The time."""
        return self._core.t

    @property
    def steps(self) -> int:
        """Steps made so far."""
        return self._core.steps

    @property
    def x(self) -> Array:
        """Positions: a view that cannot be written to."""
        return self._core.x

    @x.setter
    def x(self, value: npt.ArrayLike) -> None:
        self._core.x = _numbers_of(value, "x")

    @property
    def v(self) -> Array:
        """Velocities: a view that cannot be written to."""
        return self._core.v

    @v.setter
    def v(self, value: npt.ArrayLike) -> None:
        self._core.v = _numbers_of(value, "v")

    @contextlib.contextmanager
    def editing(self) -> Iterator[tuple[Array, Array]]:
        """Gives the positions and velocities themselves, to be changed in place.

        >>> with sim.editing() as (x, v):                                 # doctest: +SKIP
        ...     v += 0.1

        Methods that look at the step before start anew then. No step can be made within the block.
        """
        x, v = self._core.writable()
        try:
            yield x, v
        finally:
            x.flags.writeable = v.flags.writeable = False
            self._core.state_changed()

    @property
    def energy(self) -> float:
        """The total energy."""
        return self._core.energy

    @property
    def done(self) -> bool:
        """Whether there is nothing left to do."""
        return self._core.done

    def stop(self) -> None:
        """Ends the steps that another thread is making."""
        self._core.stop()

    def record(self, n: int, *, every: int = 1, frames: int = 1, check: bool = True) -> Run:
        """Makes ``n`` steps and returns what they did, as arrays.

        The series get a row every ``every`` steps, and the states are kept every ``frames`` steps (0: not at all).
        Raises RunError if a step fails, with what was done so far as ``run``, unless ``check`` is False. A
        KeyboardInterrupt also has it.
        """
        return self._record(n, every, frames, check, False)

    def _record(self, n: int, every: int, frames: int, check: bool, to_end: bool) -> Run:
        n = whole(n, "the number of steps n")
        every = whole(every, "every", 1)
        frames = whole(frames, "frames")
        recording = _core.Recording(every, frames)

        def result() -> Run:
            return Run(self.scene, self._core.take(recording), self._core)

        try:
            self._core.advance(n, None, 1, recording, to_end)
        except KeyboardInterrupt as interrupt:
            interrupt.run = result()  # type: ignore[attr-defined]
            raise
        run = result()
        if check and run.end == "failed":
            raise RunError(run.message, run)
        return run

    def run_to_end(self, *, every: int = 1, frames: int = 1, check: bool = True) -> Run:
        """Makes all steps that the scene plans, and ends exactly at its duration; otherwise as ``record``."""
        n = 2**31 - 1 if self.scene.variable_steps else self.scene.steps
        return self._record(n, every, frames, check, True)


def run(
    source: SceneLike,
    *,
    steps: Optional[int] = None,
    method: Optional[str] = None,
    step: Optional[float] = None,
    duration: Optional[float] = None,
    set: Optional[Mapping[str, Any]] = None,
    start: Optional[Start] = None,
    every: int = 1,
    frames: int = 1,
    check: bool = True,
) -> Run:
    """Simulates a scene and returns what it did, as arrays.

    ``source``, ``method``, ``step``, ``set`` and ``start`` are those of ``lilyan.scene``. ``steps`` or ``duration``
    replace what the scene plans; ``every``, ``frames`` and ``check`` are those of ``Simulation.record``.
    """
    if steps is not None:
        steps = whole(steps, "steps")
    if isinstance(source, _core.Scene) and steps is not None:
        simulation = Simulation(make_scene(source, method=method, step=step, duration=duration, set=set, start=start))
        return simulation.record(steps, every=every, frames=frames, check=check)
    planned = make_scene(source, method=method, step=step, steps=steps, duration=duration, set=set, start=start)
    return Simulation(planned).run_to_end(every=every, frames=frames, check=check)


