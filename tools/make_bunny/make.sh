#!/bin/sh
# Makes assets/bunny/*.msh from the npm package "bunny".
#   tools/make_bunny/make.sh [FOLDER]   (FOLDER: where to write; default assets/bunny)
# Needs npm, node, python3 (no modules) and tetgen 1.5.0.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../assets/bunny}
mkdir -p "$out"
out=$(cd "$out" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

npm pack --silent bunny@1.0.1 >/dev/null
tar xzf bunny-1.0.1.tgz
echo "4c428649f2cabf3c11a0225f58367c503d181b7e2a59223a610c88a5308412b3  package/index.js" | sha256sum -c --quiet -
node "$here/to_off.js" package >bunny.off

# The package's own surface, no vertex added inside or on it.
python3 "$here/to_poly.py" <bunny.off >scan.poly
tetgen -QFpYO2 scan.poly
python3 "$here/to_msh.py" scan.poly scan.1 "$out/bunny-1839.msh"

# Remeshed surface (edges 0.3 on the thin ears, 0.48 on the body), then a quality
# mesh inside it: radius/edge at most 1.2, dihedral angles from 15 degrees, and
# optimisation of every tet with an angle over 140.
python3 "$here/remesh.py" bunny.off round.poly 0.3 0.48 0.6 12
tetgen -QFpYq1.2/15O9/7o/140 round.poly
python3 "$here/to_msh.py" round.poly round.1 "$out/bunny.msh"

# The same finer, with a limit on the volume of a tet so that the inside is fine too.
python3 "$here/remesh.py" bunny.off fine.poly 0.14 0.218 0.6 12
tetgen -QFpYq1.2/15a0.011O9/7o/140 fine.poly
python3 "$here/to_msh.py" fine.poly fine.1 "$out/bunny-12k.msh" binary

python3 "$here/stats.py" "$out/bunny-1839.msh" "$out/bunny.msh" "$out/bunny-12k.msh"
