"""A damped pendulum: what a method adds to the damping, at steps of all sizes."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import colour, label

METHODS = ("symplectic-euler", "implicit-midpoint", "backward-euler")
DAMPINGS = (0.3, 0.8)
POWERS = (5, 6, 7, 8, 9, 10)
DURATION = 20
ROWS = 32  # of the tables, in a unit of time


def powers(quick):
    return POWERS[::2] if quick else POWERS


def simulate(lab):
    jobs = []
    for c in DAMPINGS:
        for method in (*METHODS, "rk4"):
            for power in powers(lab.quick) if method != "rk4" else (8,):
                jobs.append(Job(f"{method}-{c}-{power}", "pendulum-damped", {
                    "integrator.method": method, "system.force.0.rate": c, "integrator.step": 2.0**-power,
                    "integrator.duration": DURATION,
                    "output.every": 2**power // ROWS, "output.series_every": 2**power // ROWS}))
    runs = lab.run_all(jobs)
    for c in DAMPINGS:
        for method in METHODS:
            columns = {"t": runs[f"{method}-{c}-{POWERS[0]}"].series["t"]}
            for power in powers(lab.quick):
                run = runs[f"{method}-{c}-{power}"]
                columns |= {f"energy{power}": run.series["energy_total"], f"q{power}": run.trajectory["angle"],
                            f"p{power}": run.trajectory["v_angle"]}
            lab.table(f"{method}-{c}", columns)
        exact = runs[f"rk4-{c}-8"].series
        lab.table(f"exact-{c}", {"t": exact["t"], "energy": exact["energy_total"]})


def rate(t, energy):
    """Of the decay of the energy: the slope of its logarithm, by a fit over all of the time."""
    return -np.polyfit(t, np.log(energy), 1)[0]


def rates(data, method, c):
    table = data[f"{method}-{c}"]
    return np.array([rate(table["t"], table[f"energy{power}"]) for power in powers(data.quick)])


def exact_rate(data, c):
    return rate(data[f"exact-{c}"]["t"], data[f"exact-{c}"]["energy"])


def spread(data, method, c):
    """Largest less smallest rate, in percent of the exact one."""
    found = rates(data, method, c)
    return 100 * np.ptp(found) / exact_rate(data, c)


def judge(data, verdict):
    for c in DAMPINGS:
        for method, limit in (("symplectic-euler", 2), ("implicit-midpoint", 0.1)):
            verdict.below(f"The pendulum damped by {c:.0%} behaves alike at all steps with {label(method)}, which is variational: "
                          "by how much the rate of decay varies", spread(data, method, c), limit, unit="%")
    symplectic, backward = ([spread(data, method, c) for c in DAMPINGS] for method in ("symplectic-euler", "backward-euler"))
    added = [rates(data, "backward-euler", c)[0] - exact_rate(data, c) for c in DAMPINGS]
    why = (f"at h = 2⁻⁵ backward Euler's rate is above the exact one by {added[1]:.4f}, which is less than at 30 % ({added[0]:.4f}) and a "
           f"smaller part of a larger rate ({exact_rate(data, 0.8):.3f} instead of {exact_rate(data, 0.3):.3f}).",
           f"besides, symplectic Euler varies by {symplectic[1]:.2f} % instead of {symplectic[0]:.2f} %: it is of first order too. The "
           f"midpoint rule, variational and of second order, varies by {spread(data, 'implicit-midpoint', 0.8):.2f} %.")
    for k, (c, reasons) in enumerate(zip(DAMPINGS, (("", ""), why))):  # the same is asked at both
        check = verdict.further if k else verdict  # at 80 % the course shows the variational method only
        check.above(f"The pendulum damped by {c:.0%} behaves differently at each step with backward Euler: by how much the rate "
                    "of decay varies", backward[k], 5, unit="%", reason=reasons[0])
        verdict.further.above(f"With damping of {c:.0%} backward Euler depends on the step much more than symplectic Euler: variation "
                              "over variation", backward[k] / symplectic[k], 5, reason=reasons[1])
    for c in DAMPINGS:
        gained = 100 * (rates(data, "backward-euler", c)[0] / exact_rate(data, c) - 1)
        verdict.further.above(f"With damping of {c:.0%} and h = 2⁻⁵ backward Euler adds damping of its own: "
                      "rate above the exact one", gained, 1, unit="%")
    ends = [data["symplectic-euler-0.3"][f"energy{p}"][-1] for p in powers(data.quick)]
    verdict.further.between("With damping of 30% symplectic Euler leaves the same energy at every step: the energy left at t = 20 with the largest step in that with the smallest",
                    ends[0] / ends[-1], 0.95, 1.05)
    ends = [data["backward-euler-0.3"][f"energy{p}"][-1] for p in powers(data.quick)]
    verdict.further.below("With damping of 30% backward Euler leaves less energy at a larger step: the energy left at t = 20 with the "
                  "largest step in that with the smallest", ends[0] / ends[-1], 0.7)
    verdict.note("At 80 % the course shows the variational method only.")


def draw(data):
    figure, axes = plt.subplots(2, 4, figsize=(11, 5.4), width_ratios=[1, 1, 1.15, 1.15])
    used = powers(data.quick)
    for row, c in zip(axes, DAMPINGS):
        for panel, method in zip(row, ("symplectic-euler", "backward-euler")):
            table = data[f"{method}-{c}"]
            for i, power in enumerate(used):
                panel.plot(table[f"q{power}"], table[f"p{power}"], color=plt.cm.viridis(i / len(used)), linewidth=0.9,
                           label=f"2⁻{superscript(power)}")
            panel.set(title=f"{c:.0%} damped, {label(method)}", xlabel="q", xlim=(-0.62, 0.82), ylim=(-0.65, 0.45))
        row[0].set_ylabel("p")
        for method in ("backward-euler", "symplectic-euler", "implicit-midpoint"):
            table = data[f"{method}-{c}"]
            for power, style in ((used[0], "-"), (used[-1], "--")):
                row[2].semilogy(table["t"], table[f"energy{power}"], style, color=colour(method), linewidth=1.0,
                                label=f"{label(method)}, 2⁻{superscript(power)}")
            row[3].semilogx(2.0**-np.array(used), rates(data, method, c), ".-", base=2, color=colour(method),
                            label=label(method))
        row[2].set(title="energy", xlabel="t")
        row[3].axhline(exact_rate(data, c), color="#999999", linewidth=0.9, linestyle=":")
        row[3].set(title="rate of decay", xlabel="step h")
    axes[1][1].legend(fontsize=7, loc="upper right", handlelength=1.0, title="step h", title_fontsize=7, ncol=2,
                      columnspacing=0.8)
    axes[0][2].legend(fontsize=6.5, loc="lower left", handlelength=1.6)
    axes[0][3].legend(fontsize=8, loc="upper left")
    return figure


def superscript(number):
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


EXPERIMENT = Experiment(
    title="A damped pendulum",
    source="Sageman-Furnas 2015, slides on 30 % and 80 % damped pendulums",
    shows="The damping belongs to the problem. Left, the spirals of six step sizes lie on each other with the variational "
          "method, and apart with backward Euler. Right, the energy, and its rate of decay against the step; dotted, the exact one.",
    given={"h =": "2⁻⁵ … 2⁻¹⁰", "force:": "−c v by the discrete Lagrange–d'Alembert principle", "mass, length:": "1",
           "start:": "q = π/4 at rest"},
    chosen={"30 % and 80 %:": "read as c = 0.3 and 0.8 (critical damping is c = 2)", "duration:": "20, three periods",
            "exact:": "rk4 with h = 2⁻⁸"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
