#!/usr/bin/env bash
# Makes docs/images/bunny-energy.png: the bunny under four methods, a few minutes each.
set -euo pipefail
cd "$(dirname "$0")/.."
folders=()
for method in avf implicit-midpoint newmark backward-euler; do
  ./lilyan run bunny --set integrator.method=$method --set output.every=0 -o "results/figure-$method"
  folders+=("results/figure-$method")
done
/usr/bin/python3 tools/energy_figure.py docs/images/bunny-energy.png "${folders[@]}"
