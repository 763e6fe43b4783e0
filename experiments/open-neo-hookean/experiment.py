"""Exact energy for a material that is not a polynomial."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import BLACK, BLUE, ORANGE, picture

POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14)
SHOWN_POINTS, SHOWN_TOLERANCES = (2, 4, 6, 8), (1e-10, 1e-14)


def simulate(lab):
    points = lab.pick(POINTS, (1, 2, 4, 6))
    tolerances = lab.pick(TOLERANCES, (1e-6, 1e-10, 1e-14))
    steps = lab.pick(300, 40)
    fixed = {"integrator.quadrature": "gauss", "solver.energy_tolerance": 1e-14}
    jobs = [Job(f"gauss-{n}", "twisting-neo-hookean", fixed | {"integrator.points": n, "output.every": 0}, steps=steps,
                may_fail=True) for n in points]
    jobs.append(Job("simpson", "twisting-neo-hookean", fixed | {"integrator.quadrature": "simpson", "output.every": 0},
                    steps=steps, may_fail=True))
    pictured = max(1, steps // 60)
    jobs += [Job(f"auto-{t:g}", "twisting-neo-hookean", {"solver.energy_tolerance": t, "output.every": pictured}, steps=steps,
                 frames=t == tolerances[-1]) for t in tolerances]
    runs = lab.run_all(jobs)
    lab.table("runs", {
        "name": list(runs),
        "asked": [*points, 3, *tolerances],  # points, or the tolerance
        "steps": [run.summary["steps_done"] for run in runs.values()],
        "iterations": [run.series["newton_iterations"][1:].mean() for run in runs.values()],
        "points": [run.series["quadrature_points"][1:].mean() for run in runs.values()],
        "most_points": [run.series["quadrature_points"].max() for run in runs.values()],
        "error": [np.abs(run.relative_energy() - 1).max() for run in runs.values()],
        "total_steps": len(runs) * [steps],
    })
    longest = runs[f"auto-{tolerances[-1]:g}"]
    lab.table("error", {"t": longest.series["t"]} | {name: np.abs(run.relative_energy() - 1) for name, run in runs.items()})
    frames = [0, 2, 4, 6, 8, 10]
    lab.pictures([longest], frames, "--size", lab.pick("400,260", "200,130"))
    lab.table("frames", {"frame": frames, "t": longest.series["t"][np.array(frames) * pictured]})


def judge(data, verdict):
    check = verdict.further

    def row(name):
        return data.row("runs", "name", name)

    steps = int(data["runs"]["total_steps"][0])
    finest = data["runs"]["name"][-1]
    check.below(f"The energy of a neo-Hookean bar is kept to rounding with as many points as each of {steps} steps needs: "
                  "largest |E − E₀| / E₀, tolerance 1e-14", row(finest)["error"], 1e-11, paper="open")
    auto = [row(name) for name in data["runs"]["name"] if name.startswith("auto")]
    above = [r for r in auto if r["asked"] > 1e-13]  # at 1e-14 it is the rounding of the energy that counts
    check.below(f"At tolerances from {above[0]['asked']:g} to {above[-1]['asked']:g} the error stays below tolerance times steps: "
                  "largest share of that", max(r["error"] / (r["asked"] * steps) for r in above), 1)
    check.above("Simpson's rule, which is exact for St. Venant–Kirchhoff, does not keep the bar's energy: largest |E − E₀| / E₀",
                row("simpson")["error"], 1e-3)
    check.above("Two Gauss points do not keep the bar's energy: largest |E − E₀| / E₀", row("gauss-2")["error"], 1e-3)
    gain = np.log10(row("gauss-2")["error"] / row("gauss-6")["error"]) / 4
    check.above("Each further Gauss point brings the error down: decimal digits a point, from 2 to 6", gain, 0.8)
    check.that("One point, which is implicit midpoint, does not get through: steps done", row("gauss-1")["steps"] < steps,
                 f"{row('gauss-1')['steps']:.0f} of {steps} steps", bound=f"< {steps} steps")
    check.below("Newton iterations a step do not grow with the points: tolerance 1e-14 over two points",
                  row(finest)["iterations"] / row("gauss-2")["iterations"], 1.5)
    verdict.note("Points a step, in the mean and at most: " + "; ".join(
        f"tolerance {r['asked']:g}: {r['points']:.1f}, {r['most_points']:.0f}" for r in auto) + ".")


def draw(data):
    figure = plt.figure(figsize=(10, 5))
    top, bottom = figure.subfigures(2, 1, height_ratios=(0.42, 1))
    for axes, frame, t in zip(top.subplots(1, len(data["frames"]["t"])), data["frames"]["frame"], data["frames"]["t"]):
        name = data["runs"]["name"][-1]
        picture(axes, data.image(f"{name}-{frame:.0f}"), f"t = {t:.2f}")
    left, middle, right = bottom.subplots(1, 3)
    table = data["error"]
    t = table["t"][1:]
    shades = plt.get_cmap("Oranges")(np.linspace(0.4, 0.9, len(SHOWN_POINTS)))
    for n, shade in zip(SHOWN_POINTS, shades):
        if f"gauss-{n}" in table:
            left.semilogy(t, np.maximum(table[f"gauss-{n}"][1:], 1e-17), color=shade, label=f"{n} points", linewidth=1)
    for tolerance, shade in zip(SHOWN_TOLERANCES, ("#56b4e9", BLUE)):
        left.semilogy(t, np.maximum(table[f"auto-{tolerance:g}"][1:], 1e-17), color=shade, linewidth=1,
                      label=f"adaptive, {tolerance:g}")
    left.set(title="error over time", xlabel="time", ylabel="|E − E₀| / E₀", ylim=(1e-17, 1e6), yticks=10.0 ** np.arange(-16, 1, 4))
    left.legend(fontsize=7, ncols=2, loc="upper left")
    runs = data["runs"]
    fixed = np.array([name.startswith("gauss") and steps == total
                      for name, steps, total in zip(runs["name"], runs["steps"], runs["total_steps"])])
    middle.semilogy(runs["asked"][fixed], runs["error"][fixed], color=ORANGE, marker="o", markersize=4, label="Gauss")
    simpson = data.row("runs", "name", "simpson")
    middle.semilogy([3], [simpson["error"]], color=BLACK, marker="s", linestyle="", markersize=5, label="Simpson, as in the paper")
    middle.set(title="largest error, fixed rules", xlabel="points", ylim=(1e-17, 1e2), yticks=10.0 ** np.arange(-16, 1, 4))
    middle.legend(fontsize=8, loc="upper right")
    auto = np.array([name.startswith("auto") for name in runs["name"]])
    asked, error = runs["asked"][auto], runs["error"][auto]
    right.loglog(asked, error, color=BLUE, marker="o", markersize=4)
    right.loglog(asked, asked, color="#999999", linestyle=":", linewidth=1)
    for x, y, n in zip(asked, error, runs["points"][auto]):
        right.annotate(f"{n:.1f}", (x, y), textcoords="offset points", xytext=(-3, 7), ha="center", fontsize=8)
    right.set(title="adaptive (mean number of points)", xlabel="tolerance asked of a step", xlim=(1e-16, 1e-2), ylim=(1e-17, 1e2),
              yticks=10.0 ** np.arange(-16, 1, 4))
    return figure


EXPERIMENT = Experiment(
    title="Exact energy for a neo-Hookean material",
    source="Left open by Rojas, Liu and Kavan, section 6",
    shows="A twisted neo-Hookean bar let go. Simpson's rule no longer integrates its forces exactly; with as many Gauss points "
          "as a tolerance asks for, AVF keeps the energy to that tolerance, down to rounding.",
    given={},
    chosen={"bar:": "2 by 0.4 by 0.4, 40 cubes of six tets, mass 1, μ = 1000 and λ = 500 as the paper's twisting bar, wound "
                    "by half a turn", "h =": "1/30"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
