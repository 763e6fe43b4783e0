"""Phase portraits of the pendulum under three Euler methods."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import colour, label

METHODS = ("explicit-euler", "backward-euler", "symplectic-euler")
ANGLES = (25, 50, 75, 100, 125, 150)
BOLD = 100


def simulate(lab):
    duration = lab.pick(40, 30)
    jobs = [Job(f"{method}-{angle}", "pendulum", {
        "integrator.method": method, "system.parameters.angle": angle, "integrator.duration": duration})
        for method in METHODS for angle in ANGLES]
    runs = lab.run_all(jobs)
    for method in METHODS:
        columns = {"t": runs[f"{method}-{BOLD}"].trajectory["t"]}
        for angle in ANGLES:
            path = runs[f"{method}-{angle}"].trajectory
            columns |= {f"q{angle}": path["theta"], f"p{angle}": path["v_theta"]}
        lab.table(method, columns)


def orbit(data, method, angle):
    return data[method][f"q{angle}"], data[method][f"p{angle}"]


def energy(q, p):
    return p**2 / 2 + 1 - np.cos(q)


def gains(data, method):
    """Of each start, the energy at the end in units of that at the start."""
    paths = [orbit(data, method, angle) for angle in ANGLES]
    return np.array([energy(q[-1], p[-1]) / energy(q[0], p[0]) for q, p in paths])


def gap(q, p):
    """How far the second turn is from the curve of the first, at most, in units of the orbit's width."""
    ends = np.flatnonzero((p[:-1] > 0) & (p[1:] <= 0)) + 1  # the turning points on the right
    first = np.column_stack([q[:ends[0] + 2], p[:ends[0] + 2]])
    second = np.column_stack([q[ends[0]:ends[1]], p[ends[0]:ends[1]]]) if len(ends) > 1 else np.empty((0, 2))
    a, d = first[:-1], np.diff(first, axis=0)
    share = ((second[:, None] - a) * d).sum(2) / (d * d).sum(1)
    near = a + np.clip(share, 0, 1)[..., None] * d
    return np.linalg.norm(second[:, None] - near, axis=2).min(1).max() / np.ptp(first[:, 0])


def judge(data, verdict):
    explicit, implicit = gains(data, "explicit-euler"), gains(data, "backward-euler")
    verdict.above("Explicit Euler spirals outwards from each of the six starts: the smallest E / E₀ at the end",
                  explicit.min(), 1.05)
    verdict.below("Implicit Euler spirals inwards from each of the six starts: the largest E / E₀ at the end", implicit.max(), 0.95)
    for method in ("explicit-euler", "backward-euler"):
        verdict.further.above(f"The bold curve of {label(method)} does not close: distance of its second turn from the first, "
                      "in widths of the orbit", gap(*orbit(data, method, BOLD)), 1e-3)
    closed = max(gap(*orbit(data, "symplectic-euler", angle)) for angle in ANGLES)
    verdict.below("Symplectic Euler's six orbits are closed: largest distance of a second turn from the first, in widths of the orbit", closed, 1e-4)
    paths = [orbit(data, "symplectic-euler", angle) for angle in ANGLES]
    swings = [(np.abs(q[len(q) // 2:]).max() / np.abs(q[:len(q) // 2]).max()) for q, _ in paths]
    verdict.between("Symplectic Euler's six orbits are periodic: the amplitude of the second half of the time in that of the first, the worst of six",
                    max(swings, key=lambda s: abs(s - 1)), 0.999, 1.001)
    inner = [np.abs(q).max() for q, _ in paths]
    verdict.further.that("Symplectic Euler's six orbits are nested: amplitudes", bool(np.all(np.diff(inner) > 0)),
                 ", ".join(f"{np.degrees(w):.2f}°" for w in inner))
    start = {tuple(x[0] for x in orbit(data, method, BOLD)) for method in METHODS}
    verdict.further.that("The bold curves have the same start: angle and momentum", len(start) == 1, f"q = {BOLD}°, p = 0")


def draw(data):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.5), sharey=True)
    for panel, method in zip(axes, METHODS):
        for angle in ANGLES:
            bold = angle == BOLD
            panel.plot(*orbit(data, method, angle), color=colour(method) if bold else "#c4c4c4",
                       linewidth=1.2 if bold else 0.5, zorder=3 if bold else 2)
        panel.plot(np.radians(ANGLES), np.zeros(len(ANGLES)), "o", color="#222222", markersize=2.5, zorder=4)
        panel.set(title=label(method), xlabel="q", xlim=(-3.7, 3.7), ylim=(-2.5, 2.5))
        panel.set_xticks([-np.pi, 0, np.pi], ["−π", "0", "π"])
    axes[0].set_ylabel("p")
    return figure


EXPERIMENT = Experiment(
    title="Three integrators in phase space",
    source="Stern and Desbrun 2006, figure 1",
    shows="Six starts (dots) and their paths in the plane of angle q and momentum p, one of them bold: "
          "spirals outwards, spirals inwards, closed curves.",
    given={"h =": "0.01", "starts:": "six, the bold one the same in all panels"},
    chosen={"length, mass, gravity:": "1", "starts:": "at rest at 25°, 50°, … 150°: equally spaced over the swings",
            "bold:": f"{BOLD}°", "duration:": "40, six small swings, so that the turns of the spirals can be told apart"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
