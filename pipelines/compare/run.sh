#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Any variants of a stage on any scenes: what each costs, and what differs, pair by pair and with a reason. README.md has the columns and the classes.
#
#   usage: run.sh --scenes FILE... [--stage STAGE] --variant 'NAME=COMMAND'... [options]
#     --scenes     scenes (YAML) or streams; a stream that has the stage's input is taken as it is
#     --variant    a command that reads a stream and writes one, a pipeline too; the first is the reference
#     --stage      broad, narrow, assemble, lcp, step, or whole (a step of an engine: next out of bodies)  [narrow]
#     --until T    scenes are run so far by the default chain first; --every N: each Nth frame is taken   [not run; 1]
#     --before C   what makes the stage's input, instead of the default chain up to it
#     --repeats    runs of each, of which the median counts, one process at a time, in turn               [3]
#     --tolerance  of gaps and points [m] (other numbers too); --angle of normals [rad]                   [1e-6; 1e-3]
#     --rough      differences of a right contact up to here have a class of their own [m]                [1e-3]
#     --encoding   binary or json: of the input                                                           [binary]
#     --limit      seconds after which a run is given up                                                  [600]
#     --build, --out  folders of the programs and for results                    [of this tree, out/compare]
#   leaves in DIR: compare.json, compare.csv, compare.svg, and the worst cases as streams; exits 1 when something is unexplained or fails
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$here/../.." && pwd)/build/release previous=''
for word in "$@"; do
    case $word in -h | --help) sed -n '/^#   usage: /,/^[^#]/{/^#/!q;s/^# \{0,3\}//;p}' "$0" && exit 0 ;; esac
    [ "$previous" != --build ] || build=$word
    previous=$word
done
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -C "$here/../.." -j2 BUILD="$build" all "$build/harness/usage" >&2
export PATH="$build/bin:$build/engines:$PATH" PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/compare.py" "$@" --build "$build"
