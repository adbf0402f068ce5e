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
cd "$here/../.."
repeats=101 seed=1 out='' build=build/release
while [ $# -gt 0 ]; do
    case $1 in
    --repeats | --seed | --out)
        [ $# -gt 1 ] || { echo "run.sh: $1: its value is missing" >&2 && exit 2; }
        printf -v "${1#--}" '%s' "$2" && shift 2 ;;
    -h | --help) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" && exit 0 ;;
    -*) echo "run.sh: $1: unknown option" >&2 && exit 2 ;;
    *) build=$1 && shift ;;
    esac
done
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
