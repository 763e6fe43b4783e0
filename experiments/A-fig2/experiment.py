"""The merit function of the midpoint discrete gradient, and a root finder that gets stuck on it."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import BLUE, GREEN, ORANGE, RED

START = np.array([-1.10, 12.25])  # (x, v)
STEPS = (0.033, 0.0066, 0.003)
WINDOW = ((-2.0, 2.0), (-15.0, 40.0))


def energy(x, v):
    return 128 * x**4 + v**2 / 2


def residual(z, h):
    """Δq − h S ∇̄H with q = (x, v): Gonzalez's discrete gradient of H = E + ½v² at the midpoint (also for arrays)."""
    x, v = z
    dx, dv = x - START[0], v - START[1]
    force, speed = 512 * ((x + START[0]) / 2)**3, (v + START[1]) / 2
    size = dx * dx + dv * dv
    size = np.where(size == 0, 1, size)
    share = (energy(x, v) - energy(*START) - force * dx - speed * dv) / size
    return np.array([dx - h * (speed + share * dv), dv + h * (force + share * dx)])


def jacobian(z, h):
    """By derivatives along imaginary directions, exact to rounding."""
    tiny = 1e-30
    return np.column_stack([residual(z + 1j * tiny * e, h).imag / tiny for e in np.eye(2)])


def merit(z, h):
    return (residual(z, h)**2).sum(0)


def newton(z, h, most=200):
    """Newton's method with a backtracking line search on the merit function; the path."""
    path = [z]
    while len(path) <= most and merit(z, h) > 1e-20:
        direction = -np.linalg.solve(jacobian(z, h), residual(z, h))
        length = 1.0
        while length > 1e-12 and merit(z + length * direction, h) > (1 - 2e-4 * length) * merit(z, h):
            length /= 2
        if length <= 1e-12:
            break
        z = z + length * direction
        path.append(z)
    return np.array(path)


def descend(z, h, most=2000):
    """Levenberg and Marquardt's method: always downhill on the merit function, to where it is level; the path."""
    path, damping = [z], 1e-2
    while len(path) <= most and merit(z, h) > 1e-24 and damping < 1e14:
        J, a = jacobian(z, h), residual(z, h)
        A = J.T @ J
        step = -np.linalg.solve(A + damping * np.diag(np.diag(A)), J.T @ a)
        if merit(z + step, h) < merit(z, h):
            z, damping = z + step, damping / 3
            path.append(z)
        else:
            damping *= 4
    return np.array(path)


def slope(z, h):
    """Length of the merit function's gradient."""
    return np.linalg.norm(2 * jacobian(z, h).T @ residual(z, h))


def curvature(z, h):
    """The smaller eigenvalue of the merit function's Hessian."""
    def gradient(y):
        return 2 * jacobian(y, h).T @ residual(y, h)

    e = 1e-6
    hessian = np.column_stack([(gradient(z + e * d) - gradient(z - e * d)) / (2 * e) for d in np.eye(2)])
    return np.linalg.eigvalsh((hessian + hessian.T) / 2)[0]


def simulate(lab):
    runs = lab.run_all([Job(f"{method}-{h}", "quartic.toml", {"integrator.method": method, "integrator.step": h})
                        for method in ("avf", "discrete-gradient") for h in STEPS[:2]])
    rows = {"run": [], "x": [], "v": [], "change": [], "iterations": []}
    for name, run in runs.items():
        for key, value in (("run", name), ("x", run.trajectory["x"][-1]), ("v", run.trajectory["v_x"][-1]),
                           ("change", run.relative_energy()[-1] - 1),
                           ("iterations", run.series["newton_iterations"].sum())):
            rows[key].append(value)
    lab.table("program", rows)
    count = lab.pick(25, 9)
    starts = [np.array([x, v]) for x in np.linspace(*WINDOW[0], count) for v in np.linspace(*WINDOW[1], count)]
    for h in STEPS:
        guess = START + np.array([h * START[1], 0])  # constant velocity
        for name, path in (("newton", newton(guess, h)), ("descent", descend(guess, h))):
            lab.table(f"{name}-{h}", {"x": path[:, 0], "v": path[:, 1], "merit": [merit(z, h) for z in path]})
        ends = np.array([newton(z, h)[-1] for z in starts])
        low = np.array([descend(z, h)[-1] for z in starts])
        lab.table(f"starts-{h}", {
            "x": [z[0] for z in starts], "v": [z[1] for z in starts], "merit": [merit(z, h) for z in ends],
            "low_x": low[:, 0], "low_v": low[:, 1], "low_merit": [merit(z, h) for z in low],
            "low_slope": [slope(z, h) for z in low], "low_curvature": [curvature(z, h) for z in low]})


def end(data, name, h):
    table = data[f"{name}-{h}"]
    return np.array([table["x"][-1], table["v"][-1]])


def false_minima(data, h):
    """Level places of the merit function with positive curvature that are no roots, each once."""
    t = data[f"starts-{h}"]
    good = (t["low_merit"] > 1e-6) & (t["low_slope"] < 1e-4) & (t["low_curvature"] > 0)
    return sorted({(round(x, 3), round(v, 2)) for x, v in zip(t["low_x"][good], t["low_v"][good])})


def judge(data, verdict):
    large, small, caption = STEPS
    minima = false_minima(data, large)
    verdict.that("At h = 0.033 the merit function ‖a‖² has a local minimum that is no root: where it is", len(minima) == 1,
                 "; ".join(f"x = {x:.3f}, v = {v:.2f}, where ‖a‖² = {merit(np.array([x, v]), large):.3f}"
                           for x, v in minima) or "none")
    stuck = end(data, "newton", large)
    verdict.above("The root finder (Newton with line search, from constant velocity) gets stuck: ‖a‖² where it stops",
                  merit(stuck, large), 1)
    verdict.below("The root finder stops near that minimum: distance in x", abs(stuck[0] - minima[0][0]) if minima else np.inf, 0.1)
    verdict.further.above("A finder that goes on downhill (Levenberg–Marquardt) ends in that minimum: ‖a‖² there",
                  merit(end(data, "descent", large), large), 1)
    lost = 1 - energy(*end(data, "descent", large)) / energy(*START)
    verdict.above("In that minimum the energy is not conserved: share of it that is lost", abs(lost), 0.01)
    failing = np.mean(data[f"starts-{large}"]["merit"] > 1e-12)
    verdict.further.above("Newton's method often gets stuck: share of starts in the picture from which Newton's method does not arrive",
                  failing, 0.05)
    for h, check in ((small, verdict), (caption, verdict.further)):
        check.that(f"At h = {h:g} the false minimum has disappeared: local minima that are no roots", not false_minima(data, h),
                     f"{len(false_minima(data, h))}")
        check.below(f"At h = {h:g} the root finder arrives: ‖a‖² at its end", merit(end(data, "newton", h), h), 1e-18)
    for method in ("avf", "discrete-gradient"):
        row = data.row("program", "run", f"{method}-{large}")
        verdict.further.below(f"Lilyan's {method} keeps the energy of the same particle at h = 0.033: |ΔE| / E₀",
                      abs(row["change"]), 1e-12)
    verdict.note("The caption of the paper's figure says h = 0.003, the text 0.033; the picture is that of 0.033, at 0.003 "
                 "there is no such minimum. The merit function is that of the discrete gradient of the whole energy in (x, v). "
                 "Taken of E(x) alone, as Lilyan's `discrete-gradient` does, it is in one coordinate the difference quotient of "
                 "E, which is also what AVF averages to: the same equation, the same root, and no false minimum here.")


def draw(data):
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.3), sharey=True)
    x, v = np.meshgrid(np.linspace(*WINDOW[0], 240), np.linspace(*WINDOW[1], 240))
    for panel, h in zip(axes, STEPS):
        level = np.log10(merit(np.array([x, v]), h))
        filled = panel.contourf(x, v, level, levels=np.arange(-1.5, 4.01, 0.25), cmap="Blues_r", extend="both")
        panel.contour(x, v, level, levels=np.arange(-1.5, 4.01, 0.25), colors="white", linewidths=0.4)
        path, fall = data[f"newton-{h}"], data[f"descent-{h}"]
        # One path partly covers the other: the wider one below, the narrower one, dashed, above.
        panel.plot(fall["x"], fall["v"], "o-", color=GREEN, linewidth=4, markersize=7, label="always downhill")
        panel.plot(path["x"], path["v"], ".--", color=ORANGE, linewidth=1.5, markersize=5, label="Newton with line search")
        panel.plot(path["x"][0], path["v"][0], "o", color="white", markeredgecolor="#222222", markersize=6,
                   label="first guess")
        table = data[f"starts-{h}"]
        best = int(np.argmin(table["low_merit"]))
        panel.plot(table["low_x"][best], table["low_v"][best], "*", color="#f0e442", markeredgecolor="#222222",
                   markersize=15, linestyle="none", label="root")
        minima = np.array(false_minima(data, h)).reshape(-1, 2)
        if len(minima):
            panel.plot(*minima.T, "X", color=RED, markeredgecolor="white", markersize=9, linestyle="none",
                       label="minimum that is no root")
        row = data.row("program", "run", f"avf-{h}")
        panel.plot(row["x"], row["v"], "D", color=BLUE, markeredgecolor="white", markersize=5, linestyle="none",
                   label="Lilyan's AVF step")
        panel.set(title=f"‖a(x, v)‖², h = {h}", xlabel="x", xlim=WINDOW[0], ylim=WINDOW[1])
        panel.grid(False)
    axes[0].set_ylabel("v")
    axes[0].legend(fontsize=7.5, loc="lower left", frameon=True, framealpha=0.9)
    figure.colorbar(filled, ax=axes, label="log₁₀ ‖a‖²", shrink=0.9)
    return figure


EXPERIMENT = Experiment(
    title="The merit function of the midpoint discrete gradient",
    source="Rojas, Liu and Kavan, figure 2",
    shows="A step of the particle as a root find: contours of the squared residual over position and velocity at the end of "
          "the step. With the large step (left, the paper's) the root finder ends where there is no root; with a small one "
          "(right) it arrives. The minimisation of AVF arrives in both.",
    given={"E(x) =": "128x⁴, mass 1", "start:": "x = −1.10, v = 12.25", "h =": "0.033 (stuck) and 0.0066 (not)"},
    chosen={"first guess:": "constant velocity, as the paper's for AVF",
            "root finder:": "Newton with backtracking, sufficient decrease 10⁻⁴, and Levenberg–Marquardt"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
