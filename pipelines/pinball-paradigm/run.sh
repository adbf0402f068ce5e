#!/usr/bin/env bash
# The paradigm test of pinball contact as a full factorial: number of pinballs x cells x search. Table and picture.
#
#   usage: run.sh [--repeats 101] [--seed 1] [--out FOLDER] [BUILD_DIRECTORY]
#
# --repeats  searches of which the fastest counts
# --seed     of the random places
# --out      keeps results.csv and paradigm.svg there. Default: only the table, on stdout
#
# tests/harness/pinball_kernel.c makes the pinballs and times the searches in memory, and ends with 1 where two of them
# find other pairs; report.py makes table and picture.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
repeats=101 seed=1 out='' build=build/release
read_options "repeats seed out :build" "$@"
cd "$here/../.."
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -j2 BUILD="$build" "$build/harness/pinball_kernel" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/harness/pinball_kernel" "$repeats" "$seed" >"$work/results.csv"
if [ -n "$out" ]; then
    mkdir -p "$out"
    cp "$work/results.csv" "$out/results.csv"
fi
python3 "$here/report.py" "$work/results.csv" ${out:+"$out/paradigm.svg"}
