"""One scene with every combination of some settings."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

from . import _core
from ._compare import _changes_of, run_all, scene_of_study
from ._needed import needed
from ._run import Run, Simulation
from ._scene import SceneLike, Start, scene as make_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METHOD = "integrator.method"
_STATUS = {"event": "ended by an event"}


class Sweep(Sequence[dict[str, Any]]):
    """The rows of a sweep, one for each combination, as dicts with the same columns as the program's ``sweep.csv``."""

    def __init__(self, parameters: Sequence[str], rows: Sequence[dict[str, Any]], runs: Sequence[Optional[Run]]) -> None:
        #: Keys of the settings that were swept.
        self.parameters = list(parameters)
        self.rows = list(rows)
        #: The runs in the order of the rows; None where a scene could not be read.
        self.runs = list(runs)

    def __getitem__(self, row: Any) -> Any:
        return self.rows[row]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns: the settings, then what came out."""
        names: dict[str, None] = {}
        for row in sorted(self.rows, key=len, reverse=True):
            names.update(dict.fromkeys(row))
        return list(names)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        pandas = needed("pandas", "to_pandas()")
        return pandas.DataFrame(self.rows, columns=self.columns)

    def plot(self, figure: "Optional[Figure]" = None) -> "Figure":
        """Draws errors and cost over the first setting that has numbers, and returns the figure."""
        from ._plot import plot_sweep

        return plot_sweep(self, figure)

    def __str__(self) -> str:
        shown = [*self.parameters, "steps", "t_end", "status", "energy_error", "processor_seconds"]
        lines = [shown, *([_cell(row.get(name)) for name in shown] for row in self.rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(shown))]
        return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in lines)

    __repr__ = __str__


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _check(over: Mapping[str, Sequence[Any]], most: int) -> None:
    if not over:
        raise _core.Error("nothing is swept: give some setting several values, as {'integrator.step': [0.01, 0.02]}")
    count = 1
    for key, values in over.items():
        if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
            raise TypeError(f"'{key}' needs a list of values; a single one belongs into 'set'")
        if len(values) == 0:
            raise _core.Error(f"'{key}' has no values")
        count *= len(values)
    if count > most:
        raise _core.Error(f"these are {count} combinations, and at most {most} are run: most={count} runs them all")


def sweep(
    source: SceneLike,
    over: Mapping[str, Sequence[Any]],
    *,
    steps: Optional[int] = None,
    duration: Optional[float] = None,
    set: Optional[Mapping[str, Any]] = None,
    start: Optional[Start] = None,
    every: int = 1,
    frames: int = 0,
    most: int = 100,
) -> Sweep:
    """Runs a scene with every combination of some settings, as many at a time as there are cores.

    >>> table = lilyan.sweep("pendulum", {"integrator.step": [0.1, 0.05], "integrator.method": ["avf", "rk4"]},
    ...                      duration=5)
    >>> [row["steps"] for row in table]
    [50, 50, 100, 100]

    ``over`` has a list of values for each setting; a method may have parameters after colons (``"hp:alpha=0.25"``). All
    runs last as long as the scene does, or for ``duration``, whatever their steps. A combination that fails is a row
    with a ``reason``. ``set``, ``start``, ``every`` and ``frames`` are those of ``lilyan.run``. Use the program's
    ``sweep`` for one that can be interrupted and goes on.
    """
    if isinstance(source, _core.Scene):
        raise TypeError("a sweep reads the scene once for each combination: give a name, a file or a dict")
    over = {key: list(values) if hasattr(values, "__len__") and not isinstance(values, (str, bytes, Mapping)) else values
            for key, values in over.items()}
    _check(over, most)
    common = dict(set or {})
    own_duration = duration
    rows: list[dict[str, Any]] = []
    simulations: list[Optional[Simulation]] = []
    first_error: Optional[_core.Error] = None
    for values in itertools.product(*over.values()):
        row = dict(zip(over, values))
        own: dict[str, Any] = {}
        for key, value in row.items():
            own.update(_changes_of(value) if key == _METHOD else {key: value})
        made: Optional[Simulation] = None
        try:
            if own_duration is None:
                own_duration = _own_duration(source, common, own, steps, start)
            planned = scene_of_study(
                source, common, own, steps=steps, duration=duration, own_duration=own_duration, start=start
            )
            made = Simulation(planned)
        except _core.Error as error:
            first_error = first_error or error
            row.update(status="could not run", reason=str(error))
        rows.append(row)
        simulations.append(made)
    if first_error is not None and not any(simulations):
        raise first_error
    there = [simulation for simulation in simulations if simulation is not None]
    finished = iter(run_all(there, every=every, frames=frames))
    runs: list[Optional[Run]] = []
    for row, simulation in zip(rows, simulations):
        run = None if simulation is None else next(finished)
        runs.append(run)
        if simulation is None or run is None:
            continue
        row.update(method=run.method, step=simulation.scene.step, t_end=simulation.t, steps=run.steps)
        row["status"] = _STATUS.get(run.end, run.end)
        row.update(simulation._core.conservation())
        row["reason"] = "" if run.end == "finished" else run.message
    return Sweep(list(over), rows, runs)


def _own_duration(
    source: SceneLike, common: Mapping[str, Any], own: Mapping[str, Any], steps: Optional[int], start: Optional[Start]
) -> float:
    """How long the scene lasts by itself, or, if it cannot be read without a swept setting, with the first combination."""
    try:
        return make_scene(source, steps=steps, set=common, start=start).duration
    except _core.Error:
        return make_scene(source, steps=steps, set={**common, **own}, start=start).duration
