"""First against second order: the pendulum under symplectic Euler, Störmer–Verlet and the midpoint rule."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.cat import EYES, area, carried, draw_region, outline, snapshots
from lab.figure import begin, colour, label

ORDER = {"symplectic-euler-a": 1, "symplectic-euler-b": 1, "stoermer-verlet": 2, "implicit-midpoint": 2}
STEP = {1: np.pi / 4, 2: np.pi / 3}  # of the regions
STEPS = {1: 4, 2: 3}  # both end at π
FINE = 16
POWERS = (3, 4, 5, 6, 7, 8)
TIME = 16


def simulate(lab):
    region = outline((0.0, 1.1), 0.3)
    jobs = [carried(f"cat-{method}", region, {
        "integrator.method": method, "integrator.step": STEP[order]}, STEPS[order]) for method, order in ORDER.items()]
    jobs += [carried(f"cat-exact{order}", region, {
        "integrator.method": "yoshida", "integrator.order": 8, "integrator.step": STEP[order] / FINE},
        STEPS[order] * FINE) for order in (1, 2)]
    used = lab.pick(POWERS, POWERS[:4])
    jobs += [Job(f"{method}-{power}", "pendulum", {
        "integrator.method": method, "integrator.step": 2.0**-power, "integrator.duration": TIME, "output.every": 0})
        for method in ORDER for power in used]
    runs = lab.run_all(jobs)
    for name in (*ORDER, "exact1", "exact2"):
        regions = snapshots(runs[f"cat-{name}"], FINE if name.startswith("exact") else 1)
        lab.table(f"region-{name}", {f"{axis}{k}": r[:, i] for k, r in enumerate(regions) for i, axis in enumerate("qp")})
        lab.table(f"area-{name}", {"area": [area(r) for r in regions]})
    rows = {"h": 2.0**-np.array(used)}
    for method in ORDER:
        found = [runs[f"{method}-{power}"] for power in used]
        rows[f"error-{method}"] = [run.series["exact_error"].max() for run in found]
        rows[f"band-{method}"] = [np.abs(run.relative_energy() - 1).max() for run in found]
        rows[f"iterations-{method}"] = [run.series["newton_iterations"].sum() / run.summary["steps_done"] for run in found]
    lab.table("order", rows)


def region(data, name, k):
    table = data[f"region-{name}"]
    return np.column_stack([table[f"q{k}"], table[f"p{k}"]])


def power_of_h(data, column):
    return np.polyfit(np.log(data["order"]["h"]), np.log(data["order"][column]), 1)[0]


def distance(data, method):
    """Of the region's points from where the exact flow takes them at t = π, on average."""
    order = ORDER[method]
    return np.linalg.norm(region(data, method, STEPS[order]) - region(data, f"exact{order}", STEPS[order]), axis=1).mean()


def judge(data, verdict):
    for method, order in ORDER.items():
        word = "first" if order == 1 else "second"
        verdict.between(f"{begin(method)} is of {word} order: power of h in the error of the angle",
                        power_of_h(data, f"error-{method}"), order - 0.1, order + 0.1, paper=str(order))
        verdict.further.between(f"The energy of {label(method)} is of {word} order: power of h in the width of its band", power_of_h(data, f"band-{method}"),
                        order - 0.1, order + 0.1, paper=str(order))
        areas = data[f"area-{method}"]["area"]
        verdict.below(f"{begin(method)} keeps areas in phase space: largest change of the cat's",
                      np.abs(areas / areas[0] - 1).max(), 1e-4)
    first = min(distance(data, method) for method, order in ORDER.items() if order == 1)
    second = max(distance(data, method) for method, order in ORDER.items() if order == 2)
    verdict.below("Second order at h = π/3 is nearer to the exact flow than first order at π/4: mean distances at t = π, "
                  "the worst of second order in the best of first", second / first, 1)
    solves = {method: data["order"][f"iterations-{method}"].max() for method in ORDER}
    explicit = sum(value for method, value in solves.items() if method != "implicit-midpoint")
    verdict.that("Störmer–Verlet is no more difficult than symplectic Euler: linear solves in a step",
                 explicit == 0, f"{explicit:.0f}; of the midpoint rule {solves['implicit-midpoint']:.1f}", bound="0")
    verdict.note("The book's figure, which the course shows, has a Runge method of order two as well, in the place of the "
                 "first panel on the right; it is not variational and not among Lilyan's methods.")


def draw(data):
    figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), width_ratios=[1, 1, 0.95])
    q, p = np.meshgrid(np.linspace(-2.2, 3.3, 240), np.linspace(-2.1, 2.1, 200))
    energy = p**2 / 2 + 1 - np.cos(q)
    places = {"symplectic-euler-a": (0, 0), "symplectic-euler-b": (1, 0), "stoermer-verlet": (0, 1),
              "implicit-midpoint": (1, 1)}
    for method, place in places.items():
        order, panel = ORDER[method], axes[place]
        panel.contour(q, p, energy, levels=[0.1, 0.35, 0.8, 1.4, 2, 2.8], colors="#dddddd", linewidths=0.7, zorder=1)
        for k in range(STEPS[order] + 1):
            closed = region(data, f"exact{order}", k)[:-EYES]
            panel.plot(*np.vstack([closed, closed[:1]]).T, color="#555555", linewidth=0.8, linestyle=(0, (3, 2)),
                       zorder=2)
            draw_region(panel, region(data, method, k), "#222222" if k == 0 else colour(method))
        panel.grid(False)
        panel.set(title=f"{label(method)}, h = π/{4 if order == 1 else 3}", xlim=(-2.2, 3.3), ylim=(-2.1, 2.1))
        panel.set_aspect("equal")
        panel.set_xlabel("q")
        panel.set_ylabel("p")
    table = data["order"]
    for panel, what, title in ((axes[0][2], "error", "largest error of the angle"),
                               (axes[1][2], "band", "largest |ΔE| / E₀")):
        for method in ORDER:
            panel.loglog(table["h"], table[f"{what}-{method}"], "." + ("--" if method.endswith("-a") else "-"),
                         color=colour(method), label=label(method))
        panel.set(title=title, xlabel="step h")
    axes[1][2].set_ylim(bottom=6e-9 if not data.quick else None)
    axes[1][2].legend(fontsize=8, loc="lower right")
    return figure


EXPERIMENT = Experiment(
    title="First against second order",
    source="Sageman-Furnas 2015, slides on higher order variational integrators (the comparison is a figure of Hairer, "
           "Lubich and Wanner)",
    shows="A cat's head carried along until t = π by methods of first (left) and second order (middle); dashed, the exact "
          "flow. All four keep its area. Right, errors against the step: first order falls with h, second with h².",
    given={"pendulum:": "mass, length 1, from π/4 at rest"},
    chosen={"steps of the cat:": "π/4 for first and π/3 for second order, as in the book's figure",
            "region:": "our own drawing",
            "steps for the order:": "2⁻³ … 2⁻⁸, 16 units of time"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
