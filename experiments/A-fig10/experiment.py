"""A bar that is wound up and let go: AVF against Bathe's method."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import colour, label, picture

METHODS = ("avf", "bathe")
FRAMES = (1, 7, 34, 67, 147)


def simulate(lab):
    frames = lab.pick(FRAMES, (1, 7, 20))
    runs = lab.run_all([Job(m, "twisting-bar", {"integrator.method": m, "output.precision": "float32"}, frames[-1],
                            frames=True) for m in (*METHODS, "backward-euler")])
    first = runs["avf"].series
    lab.table("energy", {"frame": first["step"]} | {m: run.series["energy_total"] for m, run in runs.items()})
    lab.table("kinetic", {"frame": first["step"]} | {m: run.series["energy_kinetic"] for m, run in runs.items()})
    lab.pictures([runs[m] for m in METHODS], frames, "--size", "640,110", "--from", "0,0.45,1")


def mean_kinetic(data, method, frames):
    """Over the last frames of the run, in units of the energy at the start."""
    return data["kinetic"][method][-frames:].mean() / data["energy"][method][0]


def judge(data, verdict):
    energy = {m: data["energy"][m] / data["energy"][m][0] for m in (*METHODS, "backward-euler")}
    last = 14 if data.quick else 42  # one period, or three
    verdict.below("AVF keeps the energy: largest |E − E₀| / E₀", np.abs(energy["avf"] - 1).max(), 1e-10)
    verdict.below("Bathe's method damps: energy in the last frame, over that at the start", energy["bathe"][-1], 0.7)
    frame = 20 if data.quick else 34
    verdict.above(f"but mildly: its energy in frame {frame}, in units of what backward Euler has left",
                  energy["bathe"][frame] / energy["backward-euler"][frame], 10)
    verdict.below(f"The motion is visibly slowed down: mean kinetic energy of the last {last} frames, in units of AVF's",
                  mean_kinetic(data, "bathe", last) / mean_kinetic(data, "avf", last), 0.9 if data.quick else 0.7)


def draw(data):
    frames = (1, 7, 20) if data.quick else FRAMES
    figure = plt.figure(figsize=(10, 7.4))
    top, bottom = figure.subfigures(2, 1, height_ratios=(2.7, 4.7))
    axes = top.subplots()
    for method in METHODS:
        axes.plot(data["energy"]["frame"], data["energy"][method], color=colour(method), label=label(method))
    axes.set(xlabel="frame", ylabel="energy", ylim=(0, 1.15 * data["energy"]["avf"][0]), xlim=(0, frames[-1] + 1))
    axes.legend(loc="center right")
    panels = bottom.subplots(len(frames), 2)
    for row, frame in zip(panels, frames):
        for panel, method in zip(row, METHODS):
            picture(panel, data.image(f"{method}-{frame}"))
        row[0].set_ylabel(f"{frame}", rotation=0, labelpad=12, va="center")
    for panel, method in zip(panels[0], METHODS):
        panel.set_title(f"{label(method)}, h = 0.033 s, damping = 0")
    return figure


EXPERIMENT = Experiment(
    title="The twisting bar against Bathe's method",
    source="Rojas, Liu and Kavan, figures 10 and 11",
    also=("A-fig11",),
    shows="A bar is wound up by a full turn and let go. AVF keeps twisting it to and fro; Bathe's method, stable, "
          "takes the energy out little by little.",
    given={"mesh:": "1314 vertices, 3440 tets", "mass": "1", "μ =": "1000", "λ =": "500", "h =": "0.033"},
    chosen={"bar:": "8 × 0.4 × 0.4: 80 × 4 × 4 cells have as many vertices on their surface as the paper counts",
            "start:": "one full turn from end to end, at rest"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
