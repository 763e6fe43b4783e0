#!/usr/bin/env bash
# Checks the formatting of all C++ files and runs clang-tidy over those of the program.
# Usage: tools/lint.sh BUILD_FOLDER (with compile_commands.json)
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

mapfile -t files < <(git ls-files '*.cpp' '*.hpp')
clang-format --dry-run --Werror "${files[@]}"
echo "lint: ${#files[@]} files are formatted"

# GCC's -march=native and warning names mean nothing to clang-tidy; it reads the rest.
mapfile -t sources < <(git ls-files 'src/*.cpp' 'app/*.cpp')
printf '%s\n' "${sources[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v " warnings\? generated" >&2)
echo "lint: ${#sources[@]} sources pass clang-tidy"
