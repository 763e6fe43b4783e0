"""The bunny whose ears are pulled, under four implicit methods."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import colour, label, picture

METHODS = ("avf", "implicit-midpoint", "newmark", "backward-euler")
FRAMES = (0, 70, 145, 310)
EVERY = 5  # steps between the pictures that are kept
EXPLODED = 10  # times the energy at the start


def simulate(lab):
    steps, frames = lab.pick((310, FRAMES), (10, (0, 10)))
    settings = {"output.every": EVERY, "output.precision": "float32"}
    runs = lab.run_all([Job(m, "bunny", settings | {"integrator.method": m}, steps=steps, frames=True, may_fail=True)
                        for m in METHODS])
    lab.table("energy", {"frame": runs["avf"].series["step"]} | {m: runs[m].relative_energy() for m in METHODS})
    lab.pictures(list(runs.values()), [frame // EVERY for frame in frames])


def judge(data, verdict):
    pass


def draw(data):
    figure, axes = plt.subplots()
    for m in METHODS:
        axes.semilogy(data["energy"]["frame"], data["energy"][m], color=colour(m))
    return figure


EXPERIMENT = Experiment(
    title="The bunny with pulled ears", source="", shows="", given={}, chosen={}, simulate=simulate, judge=judge, draw=draw)
