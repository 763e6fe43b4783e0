#!/usr/bin/env bash
# Makes pictures of the README in the palette of methods, in under a minute: docs/images/contact-energy.png (a bouncing blob
# with and without exact contact), fermi-pasta-ulam.png and henon-heiles-section.png. (That of four bunnies is made by
# `npm run picture` in web/.) Needs matplotlib and rsvg-convert (Debian packages python3-matplotlib, librsvg2-bin).
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { "${LILYAN:-./lilyan}" run "$2" -q -o "$work/$1" "${@:3}"; }

run fermi fermi-pasta-ulam
rsvg-convert -w 960 "$work/fermi/stiff-energies.svg" -o docs/images/fermi-pasta-ulam.png
run section henon-heiles-section --set system.parameters.E=0.125
rsvg-convert -w 960 "$work/section/section-crossing.svg" -o docs/images/henon-heiles-section.png

springs=(--set obstacle.0.model=repulsion-springs --set obstacle.0.stiffness=200)
blob() { run "$1" falling-blob --set output.every=0 "${@:2}"; }
blob midpoint --set integrator.method=implicit-midpoint
blob springs "${springs[@]}"
blob damped --set body.0.damping.stiffness=0.02
blob exact
/usr/bin/python3 - "$work" docs/images/contact-energy.png <<'PYTHON'
import csv, pathlib, sys

sys.path.insert(0, "experiments")
from lab.figure import COLOURS, Image, plt

results, output = map(pathlib.Path, sys.argv[1:])
plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
figure, axes = plt.subplots(figsize=(8, 3.8), dpi=110)
avf = COLOURS["avf"]
for name, label, colour, width, style in [
        ("midpoint", "implicit midpoint", COLOURS["implicit-midpoint"], 1.4, "-"),
        ("springs", "AVF, repulsion springs", avf, 1.4, "--"),
        ("exact", "AVF, contact integrated exactly", avf, 2.6, "-"),
        ("damped", "the same with Rayleigh damping", avf, 1.6, ":")]:
    with open(results / name / "series.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    axes.semilogy([float(r["t"]) for r in rows], [float(r["energy_total"]) for r in rows],
                  label=label, color=colour, linewidth=width, linestyle=style)
axes.set(xlabel="time (s)", ylabel="energy (J)", xlim=(0, 9.9), ylim=(3, 3e8),
         title="A soft blob bouncing on a floor, step 0.033 s")
axes.legend(frameon=False, loc="upper left", ncol=2)
figure.tight_layout()
figure.savefig(output, dpi=110)

# Few colours take few bytes.
for name in ["fermi-pasta-ulam", "henon-heiles-section", "contact-energy"]:
    file = output.with_name(f"{name}.png")
    Image.open(file).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
PYTHON
