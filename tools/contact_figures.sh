#!/usr/bin/env bash
# Makes the figures of docs/contact.md, in some minutes: contact-path.png (what a step sees of a contact) and
# contact-methods.png (the scene ring-chain with three methods). Needs matplotlib (Debian package python3-matplotlib).
#   tools/contact_figures.sh [RESULTS]   (a folder with runs avf, energy-momentum and backward-euler that are done)
set -euo pipefail
cd "$(dirname "$0")/.."
work=${1:-$(mktemp -d)}
if [[ $# -eq 0 ]]; then
  trap 'rm -rf "$work"' EXIT
  for method in avf energy-momentum backward-euler; do
    "${LILYAN:-./lilyan}" run ring-chain -q -o "$work/$method" --set output.every=0 --set integrator.method=$method
  done
fi
/usr/bin/python3 - "$work" docs/images <<'PYTHON'
import csv, pathlib, sys

sys.path.insert(0, "experiments")
import numpy as np
from lab.figure import COLOURS, Image, plt

results, images = map(pathlib.Path, sys.argv[1:])
plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})

# A point comes to a floor and goes away within one step: its gap, and the barrier (in units of its stiffness).
s = np.linspace(0, 1, 2001)
gap = 0.35 + 2.4 * np.abs(s - 0.62) ** 1.6
u = np.minimum(gap, 1) ** 2
barrier = (1 - u) ** 3 / u
nodes, _ = np.polynomial.legendre.leggauss(6)
touch = s[gap < 1]
first, nearest, last = touch[0], 0.62, touch[-1]
cuts = [first, nearest, last]
points = np.concatenate([(a + b) / 2 + (b - a) / 2 * nodes for a, b in zip(cuts, cuts[1:])])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), dpi=110)
left.plot(s, gap, color=COLOURS["avf"], linewidth=2.4)
left.axhline(1, color="0.5", linestyle="--", linewidth=1)
left.text(0.5, 1.03, "contact begins here", color="0.4", fontsize=10)
left.axhspan(-0.12, 0, color="0.8")
left.text(0.01, -0.09, "the other surface", color="0.3", fontsize=10)
left.plot([0.5], np.interp([0.5], s, gap), "o", color=COLOURS["implicit-midpoint"], label="all that the midpoint sees")
left.plot([1], gap[-1:], "s", color=COLOURS["backward-euler"], label="all that backward Euler sees")
left.set(xlabel="share of the step's path", ylabel="gap / reach", ylim=(-0.12, 1.6), xlim=(0, 1.02),
         title="The gap along a step")
left.legend(frameon=False, fontsize=9, loc="upper right")
right.fill_between(s, barrier, color=COLOURS["avf"], alpha=0.2)
right.plot(s, barrier, color=COLOURS["avf"], linewidth=2.4)
right.plot(points, np.interp(points, s, barrier), "o", color=COLOURS["avf"], markersize=4, label="points that AVF looks at")
for cut in cuts:
    right.axvline(cut, color="0.6", linewidth=0.8, linestyle=":")
right.set(xlabel="share of the step's path", ylabel="barrier / stiffness", xlim=(0, 1.02), title="The barrier along it")
right.legend(frameon=False, fontsize=9, loc="upper left")
figure.tight_layout()
figure.savefig(images / "contact-path.png", dpi=110)

figure, axes = plt.subplots(figsize=(8, 3.6), dpi=110)
for name, label, width, style in [("backward-euler", "backward Euler", 1.6, "-"), ("avf", "AVF", 3.4, "-"),
                                  ("energy-momentum", "energy-momentum", 1.6, "--")]:
    with open(results / name / "series.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    axes.plot([float(r["t"]) for r in rows], [float(r["energy_total"]) for r in rows], style, linewidth=width,
              label=label, color=COLOURS[name])
axes.set(xlabel="time (s)", ylabel="energy (J)", xlim=(0, 3), title="Three rings linked into a chain, step 0.01 s")
axes.legend(frameon=False, loc="center right")
figure.tight_layout()
figure.savefig(images / "contact-methods.png", dpi=110)

# Few colours take few bytes.
for name in ["contact-path", "contact-methods"]:
    file = images / f"{name}.png"
    Image.open(file).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
PYTHON
