"""Several methods on one scene."""

from __future__ import annotations

import concurrent.futures
import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

from . import _core
from ._needed import needed
from ._run import Run, Simulation
from ._scene import SceneLike, Start, scene as make_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Comparison(Mapping[str, Run]):
    """Runs by the names of their methods. Runs that failed are among them, up to where they failed."""

    def __init__(self, runs: dict[str, Run]) -> None:
        self.runs = runs

    def __getitem__(self, method: str) -> Run:
        return self.runs[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def plot(self, figure: "Optional[Figure]" = None) -> "Figure":
        """Draws energies and their errors of all methods with matplotlib, and returns the figure."""
        from ._plot import plot_comparison

        return plot_comparison(self.runs, figure)

    def to_pandas(self) -> Any:
        """One row for each method: steps, end, largest relative error of the energy, seconds and iterations."""
        pandas = needed("pandas", "to_pandas()")
        rows = [
            {
                "method": name,
                "steps": run.steps,
                "end": run.end,
                "t": float(run.t[-1]),
                "energy error": float(run.energy_error.max()),
                "iterations": float(run.iterations.sum()),
                "seconds": run.seconds,
            }
            for name, run in self.runs.items()
        ]
        return pandas.DataFrame(rows).set_index("method")

    def __str__(self) -> str:
        lines = [f"{'method':<28} {'steps':>7} {'end':<12} {'energy error':>12} {'seconds':>8}"]
        for name, run in self.runs.items():
            lines.append(f"{name:<28} {run.steps:>7} {run.end:<12} {run.energy_error.max():>12.2e} {run.seconds:>8.3g}")
        return "\n".join(lines)

    __repr__ = __str__


def _changes_of(method: str) -> dict[str, Any]:
    """What "hp:alpha=0.25" changes in a scene."""
    name, *parameters = method.split(":")
    changes: dict[str, Any] = {"integrator.method": name}
    for parameter in parameters:
        key, equals, value = parameter.partition("=")
        if not equals:
            raise _core.Error(f"'{parameter}' in '{method}' is no parameter; write e.g. hp:alpha=0.25")
        try:
            changes["integrator." + key] = float(value)
        except ValueError:
            changes["integrator." + key] = value
    return changes


def run_all(simulations: Sequence[Simulation], *, every: int, frames: int) -> list[Run]:
    """Runs simulations to their ends, as many at a time as there are cores, with one thread each."""

    def record(simulation: Simulation) -> Run:
        return simulation.run_to_end(every=every, frames=frames, check=False)

    workers = max(1, min(len(simulations), os.cpu_count() or 1))
    if workers > 1:
        _core.set_threads(1)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(record, simulation) for simulation in simulations]
        try:
            return [future.result() for future in waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for simulation in simulations:
                simulation.stop()
            raise


def scene_of_study(
    source: SceneLike,
    common: Mapping[str, Any],
    own: Mapping[str, Any],
    *,
    steps: Optional[int],
    duration: Optional[float],
    own_duration: float,
    start: Optional[Start],
) -> _core.Scene:
    """A scene of a comparison or sweep. If its own changes give another step, it lasts as long as the others all the same."""
    if duration is None and "integrator.step" in own and not {"integrator.steps", "integrator.duration"} & own.keys():
        steps, duration = None, own_duration
    return make_scene(source, steps=steps, duration=duration, set={**common, **own}, start=start)


def compare(
    source: SceneLike,
    methods: Optional[Sequence[str]] = None,
    *,
    steps: Optional[int] = None,
    step: Optional[float] = None,
    duration: Optional[float] = None,
    set: Optional[Mapping[str, Any]] = None,
    start: Optional[Start] = None,
    every: int = 1,
    frames: int = 1,
) -> Comparison:
    """Runs a scene with several methods, as many at a time as there are cores.

    ``methods`` are names, with parameters after colons: ``["avf", "hp:alpha=0.25", "avf:step=0.01"]``. Without them the
    usual ones are taken. All end at the same time. The other arguments are those of ``lilyan.run``.
    """
    if isinstance(source, _core.Scene):
        raise TypeError("a comparison reads the scene once for each method: give a name, a file or a dict")
    common = {**({} if step is None else {"integrator.step": step}), **dict(set or {})}
    first = make_scene(source, steps=steps, duration=duration, set=common, start=start)
    names = list(methods) if methods is not None else first.compared_methods
    simulations = []
    for name in names:
        planned = scene_of_study(
            source, common, _changes_of(name), steps=steps, duration=duration, own_duration=first.duration, start=start
        )
        simulations.append(Simulation(planned))
    return Comparison(dict(zip(names, run_all(simulations, every=every, frames=frames))))
