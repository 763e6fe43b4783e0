#!/usr/bin/env python3
"""Draws the total energy of several runs of one scene against time.

Usage: tools/energy_figure.py OUTPUT.png RESULT_FOLDER...

The left panel shows E/E0, where methods that gain or lose energy part; the right one |dE|/E0, where
those that keep it show how well. Needs matplotlib (Debian package
python3-matplotlib). The README's picture is made by tools/readme_figure.sh.
"""
import csv
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NAMES = {
    "avf": "average vector field (AVF)",
    "implicit-midpoint": "implicit midpoint",
    "newmark": "Newmark (1/4, 1/2)",
    "backward-euler": "backward Euler",
}
COLOURS = {
    "avf": "#0072b2",
    "implicit-midpoint": "#d55e00",
    "newmark": "#cc79a7",
    "backward-euler": "#009e73",
}
FLOOR = 1e-16  # a run that has not moved by a bit would have no place on a logarithmic axis


def load(folder):
    run = json.loads((folder / "run.json").read_text())
    with open(folder / "series.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    times = [float(row["t"]) for row in rows]
    energies = [float(row["energy_total"]) for row in rows]
    return run, times, energies


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    title = ""
    for folder in map(pathlib.Path, sys.argv[2:]):
        run, times, energies = load(folder)
        method = run["method"].split("(")[0]
        start = energies[0]
        style = {"color": COLOURS.get(method), "label": NAMES.get(method, method),
                 "linewidth": 2.4 if method == "avf" else 1.6}
        left.semilogy(times, [e / start for e in energies], **style)
        right.semilogy(times, [max(abs(e - start) / start, FLOOR) for e in energies], **style)
        title = (f"{run['title']}: {run['size']['vertices']} vertices, "
                 f"{run['size']['tets']} tets, step {run['step_size']} s")
    left.set_ylim(1e-5, None)
    left.set_ylabel("total energy / initial energy")
    right.set_ylabel("|energy change| / initial energy")
    for axis in (left, right):
        axis.set_xlabel("time (s)")
        axis.grid(True, alpha=0.25)
        axis.set_xlim(left=0)
    right.legend(loc="center right", frameon=True, framealpha=0.9, fontsize=10)
    figure.suptitle(title, fontsize=12)
    figure.tight_layout()
    figure.savefig(output, dpi=150)
    print(f"wrote {output}")


if __name__ == "__main__":
    main()
