"""The pendulum under explicit, implicit and symplectic Euler, the step halved again and again."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import begin, colour, label

METHODS = ("explicit-euler", "backward-euler", "symplectic-euler-a", "symplectic-euler-b")
POWERS = (6, 7, 8, 9, 10, 11)
LIMITS = {"explicit-euler": (0.9, 2.4), "backward-euler": (0.3, 1.05)}  # of the energy in the figure
ROWS = 32  # of the tables, in a unit of time


def powers(quick):
    return POWERS[:4] if quick else POWERS


def simulate(lab):
    duration = lab.pick(60, 30)
    jobs = []
    for method in METHODS:
        for power in powers(lab.quick):
            every = 2**power // ROWS
            jobs.append(Job(f"{method}-{power}", "pendulum", {
                "integrator.method": method, "integrator.step": 2.0**-power, "integrator.duration": duration,
                "output.every": every, "output.series_every": every}))
    runs = lab.run_all(jobs)
    for method in METHODS:
        columns = {"t": runs[f"{method}-{POWERS[0]}"].series["t"]}
        for power in powers(lab.quick):
            run = runs[f"{method}-{power}"]
            columns |= {f"energy{power}": run.relative_energy(),
                        f"q{power}": run.trajectory["theta"], f"p{power}": run.trajectory["v_theta"]}
        lab.table(method, columns)


def change(data, method, power):
    """ΔE / E₀ over time."""
    return data[method][f"energy{power}"] - 1


def quarters(change):
    """The largest |ΔE| in the first and in the last quarter of the time."""
    parts = np.array_split(np.abs(change), 4)
    return parts[0].max(), parts[-1].max()


def orders(values):
    """By how many powers of two each value falls when the step is halved."""
    return -np.diff(np.log2(values))


def judge(data, verdict):
    used = powers(data.quick)
    ends = {method: np.array([change(data, method, power)[-1] for power in used]) for method in METHODS[:2]}
    verdict.above("Explicit Euler drives the motion at every step size: the smallest ΔE / E₀ at the end",
                  ends["explicit-euler"].min(), 0.01)
    verdict.that("Explicit Euler drives the motion less with every halving of the step: ΔE / E₀ at the end", bool(np.all(np.diff(ends["explicit-euler"]) < 0)),
                 ", ".join(f"{e:.3f}" for e in ends["explicit-euler"]))
    verdict.below("Implicit Euler damps the motion at every step size: the largest ΔE / E₀ at the end",
                  ends["backward-euler"].max(), -0.01)
    verdict.that("Implicit Euler damps the motion less with every halving of the step: ΔE / E₀ at the end", bool(np.all(np.diff(ends["backward-euler"]) > 0)),
                 ", ".join(f"{e:.3f}" for e in ends["backward-euler"]))
    for method in METHODS[2:]:
        bands = np.array([np.abs(change(data, method, power)).max() for power in used])
        growth = np.array([late / early for early, late in (quarters(change(data, method, power)) for power in used)])
        verdict.below(f"{begin(method)} has a bounded oscillation of the energy: its largest |ΔE| / E₀ at h = 2⁻⁶",
                      bands[0], 0.02)
        verdict.between(f"The oscillation of {label(method)}'s energy does not grow: the band of the last quarter of the time in that of the first, worst of the steps",
                        max(growth, key=lambda r: abs(r - 1)), 0.99, 1.01)
        verdict.between(f"The oscillation of {label(method)}'s energy is half as wide with half the step: powers of two by which it falls, worst of the halvings",
                        max(orders(bands), key=lambda r: abs(r - 1)), 0.97, 1.03)
    a, b = (change(data, method, used[0]) for method in METHODS[2:])
    verdict.below("Symplectic Euler A and B err to opposite sides: |ΔE of A + ΔE of B| in |ΔE|, largest of each, at h = 2⁻⁶",
                  np.abs(a + b).max() / np.abs(a).max(), 0.05)
    wide = np.abs(change(data, "symplectic-euler-b", used[0])).max()
    drift = abs(ends["explicit-euler"][-1]) / wide
    verdict.further.above(f"Explicit Euler at h = 2⁻{superscript(used[-1])} is off by more than symplectic Euler B at 2⁻⁶: ratio",
                  drift, 1)


def superscript(number):
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def draw(data):
    used = powers(data.quick)
    figure, axes = plt.subplots(4, len(used) + 1, figsize=(11, 6.6), width_ratios=[2.1] + [1] * len(used))
    for row, method in zip(axes, METHODS):
        t = data[method]["t"]
        for i, power in enumerate(used):
            row[0].plot(t, 1 + change(data, method, power), color=colour(method), alpha=1 - 0.13 * i, linewidth=0.8)
            path = row[1 + i]
            path.plot(data[method][f"q{power}"], data[method][f"p{power}"], color=colour(method), linewidth=0.6)
            path.set(xlim=(-1.35, 1.35), ylim=(-1.35, 1.35), xticks=[], yticks=[])
            path.set_aspect("equal")
            for spine in ("top", "right"):
                path.spines[spine].set_visible(True)
            if method == METHODS[0]:
                path.set_title(f"h = 2⁻{superscript(power)}")
        row[0].set_ylabel(label(method).replace(" Euler", "\nEuler"))
        row[0].set_ylim(*LIMITS.get(method, (0.985, 1.015)))
    axes[0][0].set_title("E / E₀, all steps")
    axes[-1][0].set_xlabel("t")
    return figure


EXPERIMENT = Experiment(
    title="Refining the step of Euler's methods",
    source="Sageman-Furnas 2015, slides on time step refinement of explicit, implicit and symplectic Euler",
    shows="Left, the energy over time, the paler the smaller the step; right, the paths in the plane of angle and "
          "momentum (all panels from −1.35 to 1.35). Halving the step halves the errors of all four methods, but those "
          "of explicit and implicit Euler keep growing, and those of the symplectic ones (mind the scale) come and go.",
    given={"h =": "2⁻⁶ … 2⁻¹¹", "mass, length:": "1", "force:": "−sin q", "start:": "q = π/4 at rest"},
    chosen={"duration:": "60, as in K-fig1"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
