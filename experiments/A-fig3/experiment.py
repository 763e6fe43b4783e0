"""One AVF step in one coordinate: its equation F = 0, the merit function F², and g, whose derivative F is."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import BLUE, GREEN, RED

X0, V0, H = 0.6, -9.0, 0.04
WINDOW = (-2.0, 2.0)


def energy(x):
    return 10 * x + 1500 * (x**2 - 1)**2


def force(x):
    return -10 - 6000 * x * (x**2 - 1)


def stiffness(x):
    return 6000 * (3 * x**2 - 1)


Y = X0 + H * V0 + H**2 / 12 * force(X0)


def F(x):
    """The paper's equation (11)."""
    return x - Y - H**2 / 3 * force((X0 + x) / 2) - H**2 / 12 * force(x)


def slope(x):
    return 1 + H**2 / 6 * stiffness((X0 + x) / 2) + H**2 / 12 * stiffness(x)


def g(x):
    """Its antiderivative, equation (12)."""
    return (x - Y)**2 / 2 + 2 * H**2 / 3 * energy((X0 + x) / 2) + H**2 / 12 * energy(x)


def minima(function, count=400001):
    """Where a function of one variable has local minima within the window, to the spacing of samples."""
    x = np.linspace(*WINDOW, count)
    y = function(x)
    return x[1:-1][(y[1:-1] < y[:-2]) & (y[1:-1] <= y[2:])]


def roots():
    x = np.linspace(*WINDOW, 400001)
    return x[:-1][np.sign(F(x[:-1])) != np.sign(F(x[1:]))]


def backtracking(merit, x, direction):
    length, fall = 1.0, 1e-4 * abs(slope_along(merit, x, direction))
    while length > 1e-13 and merit(x + length * direction) > merit(x) - length * fall:
        length /= 2
    return length if length > 1e-13 else 0.0


def slope_along(merit, x, direction):
    return direction * (F(x) if merit is g else 2 * F(x) * slope(x))


def exact(merit, x, direction):
    """The first minimum along the direction, to a ten-thousandth."""
    s = np.arange(0, 6, 1e-4) / max(abs(direction), 1e-12)
    values = merit(x + s * direction)
    rising = np.flatnonzero(np.diff(values) > 0)
    return s[rising[0]] if len(rising) else s[-1]


def solve(x, merit, search, most=300):
    """Newton's method with a line search on the merit function; where it ends."""
    for _ in range(most):
        if abs(F(x)) < 1e-10:
            break
        curvature = slope(x)
        # Minimising g takes care that the direction goes down, as the paper's definiteness fix does.
        direction = -F(x) / (abs(curvature) if merit is g else curvature)
        length = search(merit, x, direction)
        if length * abs(direction) < 1e-13:
            break
        x = x + length * direction
    return x


def square(x):
    return F(x)**2


def simulate(lab):
    runs = lab.run_all([Job("step", "double-well"), Job("long", "double-well", steps=lab.pick(5000, 500))])
    lab.table("program", {
        "run": list(runs), "x": [run.trajectory["x"][1] for run in runs.values()],
        "change": [np.abs(run.relative_energy() - 1).max() for run in runs.values()]})
    starts = np.linspace(*WINDOW, lab.pick(401, 81))
    lab.table("starts", {"x": starts, "root-backtracking": [solve(x, square, backtracking) for x in starts],
                         "root-exact": [solve(x, square, exact, 60) for x in starts],
                         "minimum-backtracking": [solve(x, g, backtracking) for x in starts]})
    x = np.linspace(*WINDOW, 801)
    lab.table("functions", {"x": x, "F": F(x), "F2": F(x)**2, "g": g(x)})


def arrived(data, column):
    """Which starts end at the root."""
    return np.abs(F(data["starts"][column])) < 1e-3


def judge(data, verdict):
    found = roots()
    verdict.that("F has only one root: where it is", len(found) == 1, ", ".join(f"{x:.4f}" for x in found))
    verdict.between("The root of F is near x = 1: where it is", found[0], 0.9, 1.2, paper="close to 1.0")
    low = minima(square)
    verdict.that("F² has two local minima: where they are", len(low) == 2, ", ".join(f"{x:.4f}" for x in low), paper="2")
    verdict.that("One of the minima of F² is between −1.5 and −0.5: where it is", any(-1.5 < x < -0.5 for x in low),
                 f"{low[0]:.4f}, where F² = {square(low[0]):.3f}")
    low = minima(g)
    verdict.that("The root is the only local minimum of g: where it is", len(low) == 1 and abs(low[0] - found[0]) < 1e-4,
                 ", ".join(f"{x:.4f}" for x in low))
    for column, words in (("root-backtracking", "backtracking"), ("root-exact", "exact line search")):
        failing = ~arrived(data, column)
        verdict.above(f"Newton's method with the merit function F² and {words} fails from some starts: "
                      "share of those in [−2, 2]", failing.mean(), 0.01)
        ends = data["starts"][column][failing]
        verdict.between(f"Where Newton's method with F² and {words} fails, it ends in the false minimum: median of their ends", np.median(ends), -1.5, -0.5)
    verdict.that("Minimising g arrives from every start: share of them",
                 bool(arrived(data, "minimum-backtracking").all()),
                 f"{arrived(data, 'minimum-backtracking').mean():.0%}", bound="100%")
    step, long = (data.row("program", "run", name) for name in ("step", "long"))
    verdict.further.below("Lilyan's AVF step ends at the root: distance", abs(step["x"] - found[0]), 1e-4)
    verdict.further.below("Lilyan's AVF step conserves the energy: |ΔE| / E₀", step["change"], 1e-12)
    verdict.further.below(f"A run of {500 if data.quick else 5000} such steps conserves the energy: |ΔE| / E₀", long["change"], 1e-11)


def draw(data):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.3))
    table, starts = data["functions"], data["starts"]
    root = roots()[0]
    for panel, column, title, paint in zip(axes, ("F", "F2", "g"), ("F(x)", "F²(x)", "g(x)"), ("#555555", RED, BLUE)):
        panel.plot(table["x"], table[column], color=paint)
        panel.axvline(root, color=GREEN, linewidth=0.9, linestyle=":")
        panel.set(title=title, xlabel="x", xlim=WINDOW)
    axes[0].axhline(0, color="#999999", linewidth=0.8)
    axes[0].plot(root, 0, "o", color=GREEN)
    axes[0].set_ylim(-4, 6)
    axes[1].set_ylim(-3.2, 12)
    axes[2].set_ylim(-1.0, 6)
    for x in minima(square):
        good = abs(x - root) < 0.01
        axes[1].plot(x, F(x)**2, "o" if good else "X", color=GREEN if good else RED, markersize=6 if good else 9)
    axes[2].plot(root, g(root), "o", color=GREEN)
    for panel, column, place in ((axes[1], "root-backtracking", -1.1), (axes[1], "root-exact", -2.3),
                                 (axes[2], "minimum-backtracking", -0.5)):
        good = arrived(data, column)
        for mask, paint in ((good, GREEN), (~good, RED)):
            panel.plot(starts["x"][mask], np.full(mask.sum(), place), "|", color=paint, markersize=9)
    axes[1].text(-0.1, 9.5, "below: starts that arrive (green)\nand that do not (red), with\nbacktracking and with exact\n"
                 "line search", fontsize=7.5, va="top", ha="center", color="#555555")
    axes[2].text(0, 5.2, "below: starts that arrive", fontsize=8, va="top", ha="center", color="#555555")
    return figure


EXPERIMENT = Experiment(
    title="A step as a root and as a minimum",
    source="Rojas, Liu and Kavan, figure 3",
    shows="The equation F = 0 of an AVF step in one coordinate. Decreasing F² can end in a minimum (cross) that is no root; "
          "g has the root (dotted) as its only minimum. The marks below tell from where Newton's method arrives.",
    given={"E(x) =": "10x + 1500(x² − 1)²", "mass:": "1", "start:": "x = 0.6, v = −9", "h =": "0.04"},
    chosen={"first guesses:": "401, equally spaced in [−2, 2], the range of the figure",
            "line search:": "backtracking with sufficient decrease 10⁻⁴, and the first minimum along the direction"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
