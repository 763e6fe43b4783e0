"""Energy and angular momentum together, on the spinning dragon."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab import surface
from lab.figure import colour, label

IMPLICIT = ("avf", "implicit-midpoint", "energy-momentum")
SHOWN = 115
SUBSTEPS = 1000  # of the gold standard in a frame
CAMERA, LIGHT, GREY = (0.3, 1, 0.6), (-0.4, 1, 0.5), "#8a8a8a"


def simulate(lab):
    steps = lab.pick(120, 6)
    common = {"output.precision": "float32"}
    fine = common | {"integrator.method": "symplectic-euler", "integrator.step": 3.3e-5, "output.every": SUBSTEPS,
                     "output.series_every": SUBSTEPS}
    runs = lab.run_all([Job("gold", "spinning-dragon", fine, steps * SUBSTEPS, frames=True),
                        *(Job(m, "spinning-dragon", common | {"integrator.method": m}, steps, frames=True, may_fail=True)
                          for m in IMPLICIT)])
    frames = {"frame": np.arange(steps + 1)}
    lab.table("energy-error", frames | {m: np.abs(runs[m].relative_energy() - 1) for m in runs})
    lab.table("momentum-error", frames | {m: momentum_error(runs[m].series) for m in runs})
    lab.table("iterations", frames | {m: runs[m].series["newton_iterations"] for m in IMPLICIT})
    length = np.ptp(runs["gold"].frame(0)["position"][:, 0])
    lab.table("distance", frames | {m: [distance(runs, m, frame) / length for frame in range(len(runs[m].series["step"]))]
                                    for m in IMPLICIT})
    solvers = {m: runs[m].summary["solver"] for m in IMPLICIT}
    lab.table("solver", {"method": list(IMPLICIT), "linear": [solvers[m]["linear"] for m in IMPLICIT]} | {
        key: [float(solvers[m][key]) for m in IMPLICIT] for key in ("iterations", "halved_steps", "seconds_stepping")})
    shown = min(steps, SHOWN)
    for name, run in runs.items():
        lab.shape(name, run.frame(shown * (SUBSTEPS if name == "gold" else 1))["position"])
    faces = surface.boundary(runs["avf"].frame(0)["connectivity"].reshape(-1, 4))
    lab.table("faces", {corner: faces[:, k] for k, corner in enumerate("abc")})


def momentum_error(series):
    """|ΔL| / |L| about the fixed point."""
    momentum = np.stack([series[f"angular_momentum_{axis}"] for axis in "xyz"], axis=1)
    return np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])


def distance(runs, method, frame):
    """From the gold standard: root of the mean square over the vertices."""
    offset = runs[method].frame(frame)["position"].astype(float) - runs["gold"].frame(frame * SUBSTEPS)["position"]
    return np.sqrt((offset**2).sum(axis=1).mean())


def judge(data, verdict):
    check = verdict.further
    energy, momentum = ({m: np.nanmax(data[table][m]) for m in IMPLICIT} for table in ("energy-error", "momentum-error"))
    check.below("The energy–momentum method keeps the energy: largest |E − E₀| / E₀", energy["energy-momentum"], 1e-10)
    check.below("The energy–momentum method keeps the angular momentum: largest |ΔL| / |L|", momentum["energy-momentum"], 1e-10)
    check.above("AVF does not keep the angular momentum: its largest |ΔL| / |L|", momentum["avf"], 1e-4)
    check.above("Implicit midpoint does not keep the energy: its largest |E − E₀| / E₀", energy["implicit-midpoint"],
                  1e-3 if data.quick else 10)
    mean = {m: np.nanmean(data["distance"][m][1:]) for m in IMPLICIT}
    check.below("Keeping both brings the motion nearer to the gold standard: mean distance, in units of AVF's",
                  mean["energy-momentum"] / mean["avf"], 0.9)
    solver = {m: data.row("solver", "method", m) for m in IMPLICIT}
    check.below("No step of the energy–momentum method is too hard: steps that had to be halved", solver["energy-momentum"]["halved_steps"], 0.5)
    check.below("The energy–momentum method takes less than three times the iterations of AVF: iterations, in units of AVF's",
                  solver["energy-momentum"]["iterations"] / solver["avf"]["iterations"], 3)
    if not data.quick:
        ratio = solver["energy-momentum"]["seconds_stepping"] / solver["avf"]["seconds_stepping"]
        check.below("The energy–momentum method takes less than three times the time of AVF: time, in units of AVF's", ratio, 3)


def draw(data):
    shown = min(int(data["iterations"]["frame"][-1]), SHOWN)
    figure = plt.figure(figsize=(10, 5.4))
    top, bottom = figure.subfigures(2, 1, height_ratios=(2, 3.4))
    faces = np.column_stack([data["faces"][corner] for corner in "abc"]).astype(int)
    for panel, method in zip(top.subplots(1, 4), ("gold", "energy-momentum", "avf", "implicit-midpoint")):
        surface.paint(panel, data.shape(method), faces, GREY if method == "gold" else colour(method), CAMERA, LIGHT)
        surface.frame(panel, [data.shape("gold"), data.shape("avf")], CAMERA)
        panel.set_title(f"{label(method)}, frame {shown}")
    panels = bottom.subplots(1, 4)
    for method in IMPLICIT:
        for panel, name in zip(panels, ("energy-error", "momentum-error", "distance", "iterations")):
            table = data[name]
            values = np.maximum(table[method], 1e-17) if name.endswith("error") else table[method]
            panel.plot(table["frame"][1:], values[1:], color=colour(method), label=label(method), linewidth=1.1)
    for panel, title in zip(panels, ("|E − E₀| / E₀", "|ΔL| / |L|", "distance to the gold standard,\nin lengths of the dragon",
                                     "Newton iterations")):
        panel.set(title=title, xlabel="frame")
    for panel in panels[:2]:
        panel.set_yscale("log")
    panels[2].legend(fontsize=8, loc="upper left")
    return figure


EXPERIMENT = Experiment(
    title="Energy and angular momentum together",
    source="Left open by Rojas, Liu and Kavan (their figures 7 and 8)",
    shows="The spinning dragon again. AVF keeps the energy and midpoint the angular momentum; the energy–momentum method "
          "keeps both, at the step of an animation.",
    given={"scene and gold standard:": "those of figure 7"},
    chosen={"the method:": "AVF's mean force, and a force without work that takes away its torque"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)
