"""An elastic rod over two million explicit steps."""

import numpy as np

from lab import Experiment, Job, rod
from lab.figure import colour


def simulate(lab):
    steps = lab.pick(2_000_000, 40_000)
    rows = lab.pick(100, 10)
    run = lab.run(Job("rod", "rod", {"output.every": steps // (rod.TIMES - 1), "output.series_every": rows},
                      steps=steps, frames=True))
    rod.keep(lab, run)
    lab.table("drift", {kind: found["worst_deviation"] / found["initial"] for kind, found in run.summary["drift"].items()})


def judge(data, verdict):
    energy = data["energy"]
    t, low, high = energy["t"], energy["low"], energy["high"]
    drift = data["drift"]  # of all steps; the tables have every hundredth (in the quick variant, every tenth)
    width = high.max() - low.min()
    verdict.below("The energy stays where it was: largest |E − E₀| / E₀ of all steps", drift["energy"][0], 0.03)
    trend = np.polyfit(t, (low + high) / 2, 1)[0] * (t[-1] - t[0])
    verdict.below("The energy has no drift: change of a straight line fitted to its band, as a share of the width of its band",
                  abs(trend) / width, 0.1)
    tenth = len(t) // 10
    verdict.further.below("The band of the energy does not widen: width in the last tenth of the time over that in the first",
                  (high[-tenth:].max() - low[-tenth:].min()) / (high[:tenth].max() - low[:tenth].min()), 1.25)
    for kind, name in (("linear_momentum", "linear"), ("angular_momentum", "angular")):
        verdict.below(f"The {name} momentum does not change: its largest change of all steps, relative", drift[kind][0], 1e-11,
                      paper="0")


def draw(data):
    return rod.draw(data, "rod", colour("symplectic-euler"))


EXPERIMENT = Experiment(
    title="Elastic rod, two million explicit steps",
    source="Kharevych et al. 2006, figure 2",
    shows="An elastic rod that was pulled, turns and drifts, without damping: its energy stays in a narrow band "
          "(shaded: smallest to largest of every hundredth step) for 8000 s, and its momenta do not change at all.",
    given={"rod:": "160 tets", "method:": "Hamilton–Pontryagin with α = 0, explicit", "h =": "0.004 s",
           "duration:": "2 million steps, 8000 s"},
    chosen={"rod": "of 32 cubes of five tets with edges 1, density 1, so that there are 160",
            "material": "St. Venant–Kirchhoff, μ = λ = 100, for which h is about a sixth of the largest stable step",
            "start:": "stretched by 5 %, turning at 0.05 rad/s, travelling at 0.01 m/s: a position and momenta that are "
                      "not zero, as the paper asks"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
