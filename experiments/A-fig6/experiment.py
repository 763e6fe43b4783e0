"""A cloth that hangs from two corners: physical damping against that of backward Euler."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import BLUE, RED, SKY, picture

FRAMES = (55, 70, 74)
STEPS = 80
DAMPED = {"integrator.method": "avf", "body.0.damping.model": "rayleigh-end", "body.0.damping.stiffness": 0.01}
RUNS = {  # settings, name, colour
    "avf-damped": (DAMPED, "AVF, Rayleigh damping δ = 0.01", BLUE),
    "backward-euler": ({"integrator.method": "backward-euler"}, "backward Euler, no damping", RED),
    "avf": ({"integrator.method": "avf"}, "AVF, no damping", SKY),
}
SMALLER = ("avf-damped", "backward-euler")  # also run with a cloth of half the size


def simulate(lab):
    cells = lab.pick(79, 12)
    common = {"output.precision": "float32", "body.0.shape.cells": f"[{cells},{cells}]",
              "body.0.attach.0.region.vertices": f"[0,{cells * (cells + 1)}]"}
    half = common | {"body.0.shape.size": "[10,10]"}
    jobs = [Job(name, "hanging-cloth", common | settings, STEPS, frames=True) for name, (settings, _, _) in RUNS.items()]
    jobs += [Job(f"{name}-half", "hanging-cloth", half | RUNS[name][0], STEPS, frames=True) for name in SMALLER]
    runs = lab.run_all(jobs)
    frames = np.arange(STEPS + 1)
    lab.table("wrinkles", {"frame": frames} | {
        name: [wrinkles(run.frame(frame)["position"], cells + 1) for frame in frames] for name, run in runs.items()})
    lab.table("energy", {"frame": frames} | {name: run.series["energy_total"] for name, run in runs.items()})
    lab.pictures([runs[name] for name in RUNS], FRAMES, "--size", "420,330", "--zoom", "1.1")


def wrinkles(positions, side):
    """Median angle in degrees between the normals of neighbouring cells."""
    x = positions.astype(float).reshape(side, side, 3)
    normal = np.cross(x[1:, 1:] - x[:-1, :-1], x[1:, :-1] - x[:-1, 1:])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    along, across = ((a * b).sum(axis=2).ravel() for a, b in ((normal[1:], normal[:-1]), (normal[:, 1:], normal[:, :-1])))
    return np.degrees(np.median(np.arccos(np.clip(np.concatenate([along, across]), -1, 1))))


def shown(data, name):
    """The mean over the frames that the paper shows."""
    return data["wrinkles"][name][list(FRAMES)].mean()


def judge(data, verdict):
    lively, damped, euler = (shown(data, name) for name in ("avf", "avf-damped", "backward-euler"))
    verdict.below("Rayleigh damping calms the overly lively wrinkles of AVF: their size, in units of that without damping",
                  damped / lively, 0.7)
    verdict.below("With backward Euler subtle wrinkles disappear: their size, in units of AVF's, both without damping",
                  euler / lively, 0.7)
    energy = {name: data["energy"][name] for name in RUNS}
    lost = {name: e[0] - e[FRAMES[-1]] for name, e in energy.items()}
    verdict.below("Without damping AVF loses nothing: largest change of the energy, in units of what the damping takes",
                  np.abs(energy["avf"] - energy["avf"][0]).max() / lost["avf-damped"], 1e-10)
    if data.quick:
        return
    verdict.above("Backward Euler damps the motion too much: energy lost by frame 74, in units of what the damping takes",
                  lost["backward-euler"] / lost["avf-damped"], 1.1)
    half = shown(data, "avf-damped-half") / shown(data, "backward-euler-half")
    verdict.above("With AVF and δ = 0.01 more of the wrinkles is left than with backward Euler: size over size",
                  damped / euler, 1.1, reason=why(half))


def why(half):
    return ("whether this damping is the milder one depends on the wrinkles' frequency ω. It makes a mode decay at δω²/2, "
            "backward Euler at ln(1 + ω²h²)/(2h): the latter is stronger below ω = 78 per second, the former above. The "
            "paper gives stiffness and mass, but not the size of the cloth, which the frequencies of springs of this kind "
            f"are proportional to. With half the size more is left: size over size is {half:.2f}.")


def draw(data):
    figure = plt.figure(figsize=(10, 10.6))
    top, bottom = figure.subfigures(2, 1, height_ratios=(7.7, 2.9))
    for row, (name, (_, title, _)) in zip(top.subplots(len(RUNS), len(FRAMES)), RUNS.items()):
        for panel, frame in zip(row, FRAMES):
            picture(panel, data.image(f"{name}-{frame}"))
            panel.set_xlabel(f"{frame}", labelpad=1)
        row[0].set_ylabel(title.replace(", ", "\n"))
    panels = bottom.subplots(1, 2, sharey=True)
    table = data["wrinkles"]
    for name, (_, title, colour) in RUNS.items():
        panels[0].plot(table["frame"], table[name], color=colour, label=title)
        if name in SMALLER:
            panels[1].plot(table["frame"], table[f"{name}-half"], color=colour)
    panels[0].set(title="wrinkles: median angle between cells, the cloth above", xlabel="frame", ylabel="[°]")
    panels[1].set(title="with half the size", xlabel="frame")
    panels[0].legend(fontsize=8, loc="upper left")
    return figure


EXPERIMENT = Experiment(
    title="The hanging cloth, damped",
    source="Rojas, Liu and Kavan, figure 6",
    shows="A cloth swings down from two corners. Damping that the user sets calms the wrinkles of AVF; backward Euler "
          "takes them away by itself. The third row, without damping, is not in the paper.",
    given={"mesh:": "6400 vertices, 31363 springs", "mass": "1", "stiffness:": "20 of stretch, 10 of bend",
           "h =": "0.033", "damping:": "η = 0, δ = 0.01, with the velocity at the end of the step"},
    chosen={"size:": "20 × 20, at which the cloth stretches by a tenth under its weight; started level and at rest",
            "wrinkles:": "median angle between the normals of neighbouring cells, over all of the cloth"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
