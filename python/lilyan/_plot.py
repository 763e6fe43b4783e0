"""Plots with matplotlib, each in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np

from ._needed import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._run import Run
    from ._sweep import Sweep

_MOST_POINTS = 5000  # of a curve; more cannot be seen


def _new_figure(columns: int) -> "Figure":
    plt = needed("matplotlib", "a plot", "matplotlib.pyplot")
    figure: "Figure" = plt.figure(figsize=(4.6 * columns, 3.4), layout="constrained")
    return figure


def _thin(run: "Run") -> Any:
    return slice(None, None, max(1, len(run.t) // _MOST_POINTS))


def _draw_energies(axes: "Axes", run: "Run") -> None:
    at = _thin(run)
    for name, curve in (("total", run.energy), ("kinetic", run.kinetic), ("potential", run.potential)):
        axes.plot(run.t[at], curve[at], label=name, linewidth=1.2)
    axes.set(xlabel="t", title="energy")
    axes.legend(fontsize="small")


def _draw_error(axes: "Axes", run: "Run", label: Optional[str] = None) -> None:
    at = _thin(run)
    # Zero has no place on a logarithmic axis; below rounding errors nothing is to be seen.
    axes.semilogy(run.t[at], np.maximum(np.abs(run.energy_error[at]), 1e-17), label=label, linewidth=1.2)
    axes.set(xlabel="t", title="relative error of the energy")


def _draw_motion(axes: "Axes", run: "Run") -> None:
    names = run.scene.coordinates
    at = slice(None, None, max(1, len(run.frame_t) // _MOST_POINTS))
    if len(names) == 1:
        axes.plot(run.x[at, 0], run.v[at, 0], linewidth=1)
        axes.set(xlabel=names[0], ylabel=names[0] + "'", title="phase portrait")
        return
    if names:
        flat = run.x.reshape(len(run.x), -1)
        for k, name in enumerate(names[:8]):
            axes.plot(run.frame_t[at], flat[at, k], label=name, linewidth=1)
        axes.set(xlabel="t", title="coordinates")
        axes.legend(fontsize="small")
        return
    middle = np.average(run.x, axis=1, weights=run.scene.masses)
    for k, name in enumerate("xyz"):
        axes.plot(run.frame_t[at], middle[at, k], label=name, linewidth=1)
    axes.set(xlabel="t", title="centre of mass")
    axes.legend(fontsize="small")


def plot_run(run: "Run", figure: "Optional[Figure]" = None) -> "Figure":
    """Energies, their error and the motion, side by side."""
    with_motion = len(run.frame_t) > 1
    figure = figure or _new_figure(3 if with_motion else 2)
    axes = figure.subplots(1, 3 if with_motion else 2)
    _draw_energies(axes[0], run)
    _draw_error(axes[1], run)
    if with_motion:
        _draw_motion(axes[2], run)
    figure.suptitle(f"{run.scene.title} with {run.method}")
    return figure


def plot_comparison(runs: "Mapping[str, Run]", figure: "Optional[Figure]" = None) -> "Figure":
    """Energies and their errors of several runs."""
    figure = figure or _new_figure(2)
    axes = figure.subplots(1, 2)
    for name, run in runs.items():
        at = _thin(run)
        axes[0].plot(run.t[at], run.energy[at], label=name, linewidth=1.2)
        _draw_error(axes[1], run, name)
    # A method that explodes would flatten all others.
    start = [float(run.energy[0]) for run in runs.values()]
    scale = max(float(np.abs(run.energy - run.energy[0])[: max(2, len(run.t) // 10)].max()) for run in runs.values())
    calm = [run for run in runs.values() if float(np.abs(run.energy - run.energy[0]).max()) < 100 * max(scale, 1e-300)]
    if calm and len(calm) < len(runs):
        low = min(float(run.energy.min()) for run in calm)
        high = max(float(run.energy.max()) for run in calm)
        margin = 0.2 * max(high - low, 1e-3 * max(abs(energy) for energy in start))
        axes[0].set_ylim(low - margin, high + margin)
    axes[0].set(xlabel="t", title="energy")
    axes[0].legend(fontsize="small")
    if runs:
        figure.suptitle(next(iter(runs.values())).scene.title)
    return figure


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def plot_sweep(sweep: "Sweep", figure: "Optional[Figure]" = None) -> "Figure":
    """Energy errors and processor times over the first parameter with numbers, a curve for each of the other values."""
    figure = figure or _new_figure(2)
    axes = figure.subplots(1, 2)
    done = [row for row in sweep if row["status"] in ("finished", "ended by an event")]
    numeric = [key for key in sweep.parameters if all(_is_number(row[key]) for row in sweep)]
    key = next((k for k in numeric if len({row[k] for row in sweep}) > 1), None)
    curves: dict[str, list[tuple[float, float, float]]] = {}
    for number, row in enumerate(done):
        label = ", ".join(str(row[k]) for k in sweep.parameters if k != key)
        at = float(number) if key is None else float(row[key])
        curves.setdefault(label, []).append((at, max(row["energy_error"], 1e-17), row["processor_seconds"]))
    wide = key is not None and min(row[key] for row in sweep) > 0 and max(row[key] for row in sweep) >= 2.5 * min(row[key] for row in sweep)
    for label, points in curves.items():
        x, error, seconds = zip(*sorted(points))
        for target, values in ((axes[0], error), (axes[1], seconds)):
            target.plot(x, values, "o-", label=label or None, linewidth=1.2, markersize=4)
    for target, title in ((axes[0], "relative error of the energy"), (axes[1], "processor seconds")):
        target.set(xlabel=key or "combination", title=title, yscale="log", xscale="log" if wide else "linear")
    if len(curves) > 1:
        axes[0].legend(fontsize="small")
    return figure
