#!/usr/bin/env bash
# Checks the formatting of all C++ files and runs clang-tidy over those of the library and the program.
# Usage: tools/lint.sh BUILD_FOLDER [--all | --format]
#
# clang-tidy reads the units in which the release build compiles several files at once, so headers are
# parsed once per unit. Without --all it leaves out the checks that take longest. --format only checks the
# formatting.
set -euo pipefail
build=$(cd "$1" && pwd)
all=${2-}
cd "$(dirname "$0")/.."

mapfile -t files < <(git ls-files '*.cpp' '*.hpp')
clang-format --dry-run --Werror "${files[@]}"
echo "lint: ${#files[@]} files are formatted"
if [[ $all == --format ]]; then exit 0; fi

# Each public header compiles alone.
flags=$(python3 - "$build/compile_commands.json" <<'PY'
import json, shlex, sys
command = next(e["command"] for e in json.load(open(sys.argv[1])) if "lilyan_hot" in e["command"])
words = shlex.split(command)
print(*(w for w in words if w.startswith(("-D", "-I", "-std="))), *(f"-isystem {b}" for a, b in zip(words, words[1:]) if a == "-isystem"))
PY
)
mapfile -t headers < <(git ls-files 'src/lilyan/*.hpp')
# shellcheck disable=SC2016
printf '%s\n' "${headers[@]}" |
  xargs -d '\n' -P "$(nproc)" -n 1 bash -c \
    'echo "#include \"${1#src/}\"" | g++ $0 -Isrc -w -fsyntax-only -x c++ - || { echo "lint: $1 does not compile alone"; exit 1; }' "$flags"
echo "lint: ${#headers[@]} headers compile alone"

checks=()
if [[ $all != --all ]]; then
  checks=("--checks=-bugprone-*,-performance-*,bugprone-use-after-move,bugprone-sizeof-*,bugprone-suspicious-*,-bugprone-suspicious-include,bugprone-undefined-memory-manipulation,bugprone-unused-*,bugprone-copy-constructor-init,performance-for-range-copy,performance-move-const-arg,performance-unnecessary-*")
fi
# Everything that is compiled for the library and the program; generated files and tests are left out.
# Without GCC's precompiled header, which clang-tidy cannot read.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
mapfile -t units < <(python3 - "$build/compile_commands.json" "$database/compile_commands.json" <<'PY'
import json, re, sys
entries = [entry for entry in json.load(open(sys.argv[1]))
           if not re.search("/tests/|/generated/|cmake_pch", entry["file"])]
for entry in entries:
    entry["command"] = re.sub(r"-Winvalid-pch -include \S*cmake_pch.hxx", "", entry["command"])
    print(entry["file"])
json.dump(entries, open(sys.argv[2], "w"))
PY
)
# GCC's -march=native and warning names mean nothing to clang-tidy; it reads the rest.
printf '%s\n' "${units[@]}" |
  xargs -d '\n' -P "$(nproc)" -n 1 clang-tidy --quiet -p "$database" "${checks[@]}" \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v " warnings\? generated" >&2)
echo "lint: ${#units[@]} units pass clang-tidy"
