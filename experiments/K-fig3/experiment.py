"""The elastic rod of figure 2, damped."""

import numpy as np

from lab import Experiment, Job, rod
from lab.figure import colour


def simulate(lab):
    steps = lab.pick(2_000_000, 20_000)
    rows = lab.pick(100, 10)
    run = lab.run(Job("rod", "strain-damped-rod", {"output.every": steps // (rod.TIMES - 1), "output.series_every": rows},
                      steps=steps, frames=True))
    rod.keep(lab, run)
    lab.table("drift", {kind: found["worst_deviation"] / found["initial"] for kind, found in run.summary["drift"].items()})
    energy = run.series["energy_total"]
    lab.table("decay", {
        "start": energy[0],
        "end": energy[-1],
        "rise": (energy - np.minimum.accumulate(energy)).max(),
        "elastic_start": run.series["energy_elastic"][0],
        "elastic_end": run.series["energy_elastic"][-1],
        "dissipated": -run.series["ledger_dissipation"].sum(),
    })


def judge(data, verdict):
    decay = {name: column[0] for name, column in data["decay"].items()}
    rows = "tenth" if data.quick else "hundredth"
    verdict.below(f"The energy falls and does not rise again: largest rise above the least so far, of every {rows} step, over E₀",
                  decay["rise"] / decay["start"], 1e-4)
    verdict.further.below("It is the damping that takes the energy: |E₀ − E − dissipated| over what was dissipated",
                  abs(decay["start"] - decay["end"] - decay["dissipated"]) / decay["dissipated"], 0.01)
    if not data.quick:
        verdict.further.below("The vibration dies out: elastic energy at the end over that at the start",
                      decay["elastic_end"] / decay["elastic_start"], 0.01)
    drift = data["drift"]
    for kind, name in (("linear_momentum", "linear"), ("angular_momentum", "angular")):
        verdict.below(f"The {name} momentum does not feel the damping: its largest change of all steps, relative", drift[kind][0], 1e-11,
                      paper="0")


def draw(data):
    return rod.draw(data, "rod", colour("symplectic-euler"))


EXPERIMENT = Experiment(
    title="Damped elastic rod, two million explicit steps",
    source="Kharevych et al. 2006, figure 3",
    shows="The rod of figure 2 with strain damping. The energy of its vibration goes little by little, that of turning and "
          "travelling stays: the momenta do not feel the damping.",
    given={"rod and step:": "as in figure 2", "damping:": "of strain, in the explicit form"},
    chosen={"k_D =": "0.002 s: nearly all of the energy of the vibration goes in the first quarter of the picture"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
