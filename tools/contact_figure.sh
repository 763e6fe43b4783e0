#!/usr/bin/env bash
# Makes docs/images/contact-energy.png: a bouncing blob with and without exact contact. Seconds.
# Needs matplotlib (Debian package python3-matplotlib).
set -euo pipefail
cd "$(dirname "$0")/.."
run() { ./lilyan run falling-blob --set output.every=0 -q -o "results/contact-$1" "${@:2}"; }
springs=(--set obstacle.0.model=repulsion-springs --set obstacle.0.stiffness=200)
run midpoint --set integrator.method=implicit-midpoint
run springs "${springs[@]}"
run damped --set body.0.damping.stiffness=0.02
run exact
/usr/bin/python3 - results docs/images/contact-energy.png <<'PYTHON'
import csv, pathlib, sys
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

results, output = map(pathlib.Path, sys.argv[1:])
plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
figure, axes = plt.subplots(figsize=(8, 3.8), dpi=110)
for name, label, colour, width in [
        ("midpoint", "implicit midpoint", "#d55e00", 1.4),
        ("springs", "AVF, repulsion springs", "#e69f00", 1.4),
        ("exact", "AVF, contact integrated exactly", "#0072b2", 2.6),
        ("damped", "the same with Rayleigh damping", "#009e73", 1.4)]:
    with open(results / f"contact-{name}" / "series.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    axes.semilogy([float(r["t"]) for r in rows], [float(r["energy_total"]) for r in rows],
                  label=label, color=colour, linewidth=width)
axes.set(xlabel="time (s)", ylabel="energy", xlim=(0, 9.9), ylim=(3, 3e8),
         title="A soft blob bouncing on a floor, step 0.033 s")
axes.legend(frameon=False, loc="upper left", ncol=2)
figure.tight_layout()
figure.savefig(output)
PYTHON
