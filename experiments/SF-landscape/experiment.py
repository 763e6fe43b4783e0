"""The energy of the pendulum over time and step size."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import colour, label

METHODS = ("explicit-euler", "symplectic-euler", "backward-euler")
LEVELS = np.arange(3, 9.01, 0.5)  # h = 2^-level, of the landscape
TIMES = np.linspace(0, 20, 161)
NEAR = np.linspace(0, 2, 81)
LARGE = np.round(np.arange(0.1, 3.001, 0.1), 1)  # steps
SHOWN = (0.5, 1.0, 1.9)
MANY = 400  # large steps


def simulate(lab):
    levels = lab.pick(LEVELS, LEVELS[::4])
    large = lab.pick(LARGE, np.array([0.1, 0.2, 0.5, 1.0, 1.9, 2.5]))
    jobs = [Job(f"{method}-level{level}", "pendulum", {
        "integrator.method": method, "integrator.step": 2.0**-level, "output.every": 0},
        steps=int(np.ceil(TIMES[-1] * 2.0**level)) + 1) for method in METHODS for level in levels]
    for method in METHODS[1:]:
        jobs += [Job(f"{method}-large{h}", "swing.toml", {
            "integrator.method": method, "integrator.step": h, "output.every": 0}, steps=MANY) for h in large]
    runs = lab.run_all(jobs)
    for name, times in (("landscape", TIMES), ("near", NEAR)):
        rows = {"level": [], "t": []} | {method: [] for method in METHODS}
        for level in levels:
            rows["level"] += [level] * len(times)
            rows["t"] += list(times)
            for method in METHODS:
                run = runs[f"{method}-level{level}"]
                rows[method] += list(np.interp(times, run.series["t"], run.relative_energy()))
        lab.table(name, rows)
    lab.table("bands", {"level": levels} | {
        method: [band(runs[f"{method}-level{level}"]) for level in levels] for method in METHODS})
    columns = {"h": large}
    for method in METHODS[1:]:
        energies = [runs[f"{method}-large{h}"].relative_energy() for h in large]
        columns |= {f"{method}-most": [e.max() for e in energies], f"{method}-last": [e[-1] for e in energies],
                    f"{method}-rises": [np.diff(e).max() for e in energies],
                    f"{method}-half": [half_life(e, h) for e, h in zip(energies, large)]}
    lab.table("large", columns)
    for method in METHODS[1:]:
        lab.table(f"large-{method}", {"step": np.arange(MANY + 1)} | {
            str(h): runs[f"{method}-large{h}"].relative_energy() for h in SHOWN})


def band(run):
    return np.abs(run.relative_energy() - 1).max()


def half_life(energy, h):
    """The time after which half of the energy is gone; nan where it never is."""
    below = np.flatnonzero(energy < 0.5)
    return below[0] * h if len(below) else np.nan


def surface(data, name, method):
    table = data[name]
    levels, times = np.unique(table["level"]), np.unique(table["t"])
    return levels, times, table[method].reshape(len(levels), len(times))


def judge(data, verdict):
    bands = data["bands"]
    h = 2.0**-bands["level"]
    slope = np.polyfit(np.log(h), np.log(bands["symplectic-euler"]), 1)[0]
    verdict.between("Symplectic Euler's energy oscillates in a band as wide as the step is long: power of h", slope,
                    0.95, 1.05)
    levels, times, energy = surface(data, "landscape", "symplectic-euler")
    early = np.abs(energy[:, times <= 10] - 1).max(1)
    late = np.abs(energy[:, times > 10] - 1).max(1)
    verdict.between("Along time symplectic Euler's landscape goes on as it began: its height after t = 10 divided by its height before, worst of the steps",
                    max(late / early, key=lambda r: abs(r - 1)), 0.95, 1.05)
    for method, word, check, limit in (("explicit-euler", "rises", verdict.above, 1.01),
                                       ("backward-euler", "falls", verdict.below, 0.99)):
        _, _, energy = surface(data, "landscape", method)
        later = energy[:, -1] / energy[:, len(times) // 2]
        check(f"The landscape of {label(method)} {word} with time at every step: E at t = 20 in E at t = 10, "
              "that nearest to one of all steps", min(later, key=lambda r: abs(r - 1)), limit)
    # Near time zero: at rest the first step of symplectic Euler leaves the orbit to one side, by as much as h.
    levels, times, near = surface(data, "near", "symplectic-euler")
    steepest = np.abs(near - 1).max(1)
    verdict.between("Near time zero all steps leave the true energy alike, in proportion to the step: power of h in the height",
                    np.polyfit(-levels * np.log(2), np.log(steepest), 1)[0], 0.95, 1.05)
    verdict.below(f"With a very small step the landscape is flat: largest |ΔE| / E₀ at h = 2^−{levels[-1]:.0f}",
                  bands["symplectic-euler"][-1], 2e-3)
    large = data["large"]
    bounded = large["symplectic-euler-most"] * 0.2929 < 2  # what it takes to get over the top is 2
    limit = large["h"][~bounded].min() if not bounded.all() else np.inf
    verdict.between("Symplectic Euler is unstable for very large steps: the smallest one (of those tried) that throws the "
                    "pendulum over the top", limit, 1.0, 2.0)
    row = data.row("large", "h", 1.0)
    verdict.further.below("Symplectic Euler is stable at h = 1, a sixth of the period: largest E / E₀ in 400 steps", row["symplectic-euler-most"], 3)
    most = large["backward-euler-most"].max()
    verdict.that("Implicit Euler is stable at all steps that were tried: largest E / E₀", most <= 1, f"{most:.10g}", bound="≤ 1")
    verdict.further.below("Implicit Euler damps in every single step: largest rise of E / E₀ in one", large["backward-euler-rises"].max(),
                  1e-9)
    half = large["backward-euler-half"]
    verdict.further.above("The damping of implicit Euler depends on the step: time to lose half of the energy at h = 0.1 in that at h = 1",
                  half[large["h"] == 0.1][0] / half[large["h"] == 1.0][0], 2)


def draw(data):
    figure = plt.figure(figsize=(11, 5.7))
    figure.set_layout_engine("none")  # it cannot place axes in space
    panels = [(method, "landscape", f"E / E₀, {label(method)}", (0, 20)) for method in METHODS]
    panels.insert(2, ("symplectic-euler", "near", "the same, near time zero", (0, 2)))
    for i, (method, table, title, span) in enumerate(panels):
        axes = figure.add_axes([0.0 + 0.247 * i, 0.46, 0.235, 0.54], projection="3d")
        landscape(axes, *surface(data, table, method), colour(method), span)
        axes.set_title(title, y=0.95)
    small, limits, curves = (figure.add_axes([x, 0.09, 0.26, 0.33]) for x in (0.06, 0.39, 0.72))
    for method in METHODS:
        small.loglog(2.0**-data["bands"]["level"], data["bands"][method], ".-", color=colour(method), label=label(method))
    small.set(title="largest |ΔE| / E₀ until t = 20", xlabel="step h")
    small.legend(fontsize=8)
    large = data["large"]
    for method in METHODS[1:]:
        limits.semilogy(large["h"], large[f"{method}-most"], ".-", color=colour(method), label=label(method))
    limits.axhline(2 / 0.29289, color="#999999", linewidth=0.8, linestyle=":")
    limits.text(0.1, 2.4 / 0.29289, "over the top", fontsize=8, color="#666666")
    limits.set(title=f"largest E / E₀ in {MANY} large steps", xlabel="step h")
    for method in METHODS[1:]:
        for h, style in zip(SHOWN, ("-", "--", ":")):
            energy = data[f"large-{method}"][str(h)][:61]
            curves.semilogy(np.arange(len(energy)), energy, style, color=colour(method), linewidth=1.1,
                            label=f"h = {h}" if method == METHODS[1] else None)
    curves.set(title="E / E₀, large step by large step", xlabel="step", ylim=(1e-6, 1e5))
    curves.legend(fontsize=8, loc="upper right", ncol=3, columnspacing=0.8, handlelength=1.6)
    return figure


def landscape(axes, levels, times, energy, paint, span):
    t, level = np.meshgrid(times, levels)
    axes.plot_surface(t, -level, np.clip(energy, 0, 2), color=paint, edgecolor="white", linewidth=0.25, rcount=13,
                      ccount=80, shade=False)
    axes.set_xlabel("t", labelpad=0)
    axes.set_ylabel("step h", labelpad=-2)
    axes.set_xticks([span[0], (span[0] + span[1]) / 2, span[1]], [f"{x:g}" for x in (span[0], sum(span) / 2, span[1])])
    axes.set_yticks([-9, -6, -3], ["2⁻⁹", "2⁻⁶", "2⁻³"])
    axes.tick_params(labelsize=8, pad=-2)
    axes.view_init(elev=28, azim=-50)
    axes.set_box_aspect((1.3, 1, 0.75), zoom=0.92)


EXPERIMENT = Experiment(
    title="Landscapes of the pendulum's energy",
    source="Sageman-Furnas 2015, slides on the energy landscape under step refinement and on large time steps",
    shows="E / E₀ as a landscape over time and step size: explicit Euler's rises (cut at 2), implicit Euler's falls, "
          "symplectic Euler's has waves that do not grow with time and flatten with the step. Below, how high they are, "
          "and what large steps do.",
    given={"mass, length:": "1", "force:": "−sin q", "start:": "q = π/4 at rest"},
    chosen={"steps of the landscape:": "2⁻³ … 2⁻⁹, each √2 smaller than the one before", "duration:": "20, three periods",
            "large steps:": "0.1, 0.2, … 3, 400 of each: the step at which a linear swing becomes unstable is 2"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
