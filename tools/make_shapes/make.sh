#!/bin/sh
# Makes assets/bar/bar-1314.msh, assets/blob/blob.msh, assets/dragon/dragon.msh and assets/ring/ring.msh.
#   tools/make_shapes/make.sh [FOLDER]   (FOLDER: where to write; default assets)
# Needs python3 (no modules) and tetgen 1.5.0; the dragon takes a minute.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bunny=$here/../make_bunny
out=${1:-$here/../../assets}
mkdir -p "$out/bar" "$out/blob" "$out/dragon" "$out/ring"
out=$(cd "$out" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# 80 x 4 x 4 cells have 1314 vertices on their surface; none is added inside.
python3 "$here/box_surface.py" 80 4 4 0.1 >bar.poly
tetgen -QFpYO9/7 bar.poly
python3 "$here/flips.py" bar.1 3440
python3 "$bunny/to_msh.py" bar.poly bar.1 "$out/bar/bar-1314.msh"

# Quality meshes (dihedral angles from 15 degrees). Edge lengths, numbers of surface vertices and
# the limits on volume and obtuse angles are chosen such that the papers' counts come out.
python3 "$here/implicit.py" blob 0.36 0.42 8 140 >blob.off
python3 "$bunny/to_poly.py" <blob.off >blob.poly
tetgen -QFpYq1.45/15O9/7o/140 blob.poly
python3 "$bunny/to_msh.py" blob.poly blob.1 "$out/blob/blob.msh"

python3 "$here/implicit.py" dragon 0.27 0.54 9 786 >dragon.off
python3 "$bunny/to_poly.py" <dragon.off >dragon.poly
tetgen -QFpYq1.2/15a0.01056O9/7o/140.5 dragon.poly
python3 "$bunny/to_msh.py" dragon.poly dragon.1 "$out/dragon/dragon.msh"

python3 "$here/ring.py" 1 0.25 24 8 >"$out/ring/ring.msh"

python3 "$bunny/stats.py" "$out/bar/bar-1314.msh" "$out/blob/blob.msh" "$out/dragon/dragon.msh" "$out/ring/ring.msh"
