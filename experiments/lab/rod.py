"""What the two figures of the elastic rod share: its shapes above its energy and momenta."""

import matplotlib.pyplot as plt
import numpy as np

from .figure import BLUE, GREEN, RED, cut, picture
from .table import envelope

AXES = "xyz"
TIMES = 5  # moments of which the shape is shown


def keep(lab, run) -> None:
    """Tables and pictures of a run that has the frames of TIMES equally spaced moments."""
    series = run.series
    energy = envelope(series["t"], series["energy_total"])
    lab.table("energy", energy)
    for kind in ("momentum", "angular_momentum"):
        parts = [envelope(series["t"], series[f"{kind}_{axis}"]) for axis in AXES]
        lab.table(kind, {"t": parts[0]["t"]} | {f"{side}_{axis}": part[side] for axis, part in zip(AXES, parts)
                                                for side in ("low", "high")})
    frames = list(range(TIMES))
    # In 8000 s the rod, 32 long, travels 80: a wide picture, of which a square around the rod is shown.
    lab.pictures([run], frames, "--size", lab.pick("1800,700", "240,240"), "--from", "0,0,1")
    lab.table("frames", {"frame": frames, "t": np.linspace(0, series["t"][-1], TIMES), "side": TIMES * [lab.pick(590, 240)]})


def draw(data, run: str, colour: str):
    figure = plt.figure(figsize=(10, 4.9))
    top, bottom = figure.subfigures(2, 1, height_ratios=(0.8, 1))
    frames = data["frames"]
    for axes, frame, t, side in zip(top.subplots(1, TIMES), frames["frame"], frames["t"], frames["side"].astype(int)):
        picture(axes, cut(data.image(f"{run}-{frame:.0f}"), side, side), f"t = {t:g} s")
    panels = bottom.subplots(1, 3)
    energy = data["energy"]
    panels[0].fill_between(energy["t"], energy["low"], energy["high"], color=colour, linewidth=0, alpha=0.35)
    panels[0].plot(energy["t"], (energy["low"] + energy["high"]) / 2, color=colour)
    low, high = energy["low"].min(), energy["high"].max()
    space = 0.15 * (high - low)
    panels[0].set(title="energy [J]", xlabel="time [s]", ylim=(low - space, high + space))
    panels[0].text(0.98, 0.97, f"lowest to highest: {100 * (high - low) / energy['high'][0]:.2g} % of the energy at the start", ha="right", va="top",
                   transform=panels[0].transAxes, fontsize=8)
    if high - low > 0.1 * high:  # it falls, and what comes after cannot be seen
        draw_late(panels[0], energy, colour)
    for panel, kind in zip(panels[1:], ("momentum", "angular_momentum")):
        table = data[kind]
        # Two of the three are zero and lie on each other: y, dashed, is always one of them.
        for axis, shade in zip(AXES, (BLUE, GREEN, RED)):
            on_top = {"linestyle": "--", "zorder": 3} if axis == "y" else {}
            panel.plot(table["t"], (table[f"low_{axis}"] + table[f"high_{axis}"]) / 2, color=shade, label=axis, **on_top)
        size = max(table[f"high_{axis}"].max() for axis in AXES)
        panel.set(ylim=(-0.15 * size, 1.3 * size), xlabel="time [s]",
                  title="linear momentum" if kind == "momentum" else "angular momentum")
        panel.legend(ncols=3, loc="upper right")
    return figure



def draw_late(panel, energy, colour):
    """The energy after the first quarter of the time, on a scale of its own."""
    late = energy["t"] > energy["t"][-1] / 4
    inset = panel.inset_axes((0.42, 0.3, 0.55, 0.5))
    inset.fill_between(energy["t"][late], energy["low"][late], energy["high"][late], color=colour, linewidth=0, alpha=0.35)
    inset.plot(energy["t"][late], (energy["low"] + energy["high"])[late] / 2, color=colour)
    inset.tick_params(labelsize=7)
