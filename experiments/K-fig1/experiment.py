"""A pendulum under three Euler methods."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import colour, label

METHODS = ("explicit-euler", "backward-euler", "symplectic-euler")


def simulate(lab):
    runs = lab.run_all([Job(method, "pendulum", {"integrator.method": method}) for method in METHODS])
    first = runs[METHODS[0]]
    lab.table("angle", {"t": first.trajectory["t"]} | {m: np.degrees(runs[m].trajectory["theta"]) for m in METHODS})
    passages = runs["symplectic-euler"].events["t"]
    k = np.sin(np.radians(45) / 2)
    lab.table("periods", {"period": np.diff(passages), "exact": (len(passages) - 1) * [4 * quarter(k)]})
    lab.table("energy", {"t": first.series["t"]} | {m: runs[m].relative_energy() for m in METHODS})


def quarter(k):
    """K(k²), the complete elliptic integral of the first kind, by the arithmetic–geometric mean."""
    a, b = 1.0, np.sqrt(1 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return np.pi / (2 * a)


def largest_at_the_end(data, method):
    """The largest angle in the last two periods (6.5 each) of 60 time units."""
    t = data["angle"]["t"]
    return np.abs(data["angle"][method][t > t[-1] - 13]).max()


def judge(data, verdict):
    verdict.above("Under explicit Euler the swing grows: largest angle in the last two periods, from 45°",
                  largest_at_the_end(data, "explicit-euler"), 50, unit="°")
    verdict.below("Under implicit Euler the swing dies away: largest angle in the last two periods, from 45°",
                  largest_at_the_end(data, "backward-euler"), 40, unit="°")
    verdict.between("Symplectic Euler keeps the swing: largest angle in the last two periods, from 45°",
                    largest_at_the_end(data, "symplectic-euler"), 44.8, 45.2, unit="°")
    period, exact = data["periods"]["period"], data["periods"]["exact"][0]
    verdict.further.below(f"The swing of symplectic Euler repeats itself: by how much the {len(period)} periods (from one passage of the lowest point to the next) "
                  "differ, in the exact one", np.ptp(period) / exact, 1e-4)
    verdict.further.below(f"Symplectic Euler has the period of the true swing: relative error of its mean, of {exact:.6f}",
                          abs(period.mean() / exact - 1), 1e-4)
    energy = data["energy"]["symplectic-euler"]
    verdict.further.below("The energy of symplectic Euler stays in a band: largest |E − E₀| / E₀", np.abs(energy - 1).max(), 0.02)


def draw(data):
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.8), sharey=True)
    for panel, method in zip(axes, METHODS):
        panel.plot(data["angle"]["t"], data["angle"][method], color=colour(method))
        panel.set(title=label(method), xlabel="t")
        for amplitude in (-45, 45):
            panel.axhline(amplitude, color="#999999", linewidth=0.8, linestyle=":")
    axes[0].set_ylabel("angle [°]")
    return figure


EXPERIMENT = Experiment(
    title="The pendulum under three Euler methods",
    source="Kharevych et al. 2006, figure 1; Stern and Desbrun 2006, figure 2",
    also=("SD-fig2",),
    shows="The swing over time: explicit Euler grows, implicit Euler dies away, symplectic Euler repeats itself.",
    given={"h =": "0.01"},
    chosen={"length, mass, gravity:": "1", "start:": "45° at rest, as in the SGP 2015 course", "duration:": "60, nine periods"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
