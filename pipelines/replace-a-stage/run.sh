#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A stage is replaced: the box of polygons is run twice, once with cd-narrow and once with detector.py, a short Python filter
# that knows nothing of the tools but the stream between them (formats/STREAM.md). Nothing else changes in the pipeline.
#
# What it shows: cd-loop starts both pipelines once and feeds them binary frames; the detector reads `body`, `shape` and
# `pair`, adds its table `contact`, and the stages behind it cannot tell who wrote it. Both runs must have the same contacts,
# problems, solutions and trajectories: cd-diff compares every number of every frame and fails beyond the tolerance. The
# two detectors round differently (turning a vertex, the length of an edge), by about 1e-16, and each impact multiplies the
# difference: so the tolerance is 1e-9 (m, m/s, rad/s, N s), far below anything that the contacts mean.
#
#   usage: run.sh [--model M] [--step MS] [--seed N] [--until T] [--tolerance X] [--out DIR]
#     --model       contact model of cd-peg-assemble    [peg]
#     --step        step size in ms                     [10]
#     --seed        set of random polygons              [1]
#     --until       end of the runs in s                [2]
#     --tolerance   largest difference of two numbers   [1e-9]
#     --out         folder for results                  [out/replace-a-stage]
#   exit code 1 when the runs differ
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
model=peg step=10 seed=1 until=2 tolerance=1e-9 out=out/replace-a-stage
read_options "model step seed until tolerance out" "$@"
mkdir -p "$out"
h=$(awk -v ms="$step" 'BEGIN { print ms / 1000 }')
reach=0.015
cd-scene -b --seed "$seed" --step "$h" -o "$out/scene.cdb" "$here/../scenes-2d/box-of-polygons.yaml"

# one_run NAME DETECTOR: leaves NAME.cdb, and in NAME.time the CPU seconds of all processes
one_run() {
    local TIMEFORMAT='%U %S'
    { time cd-loop -q --until "$until" -o "$out/$1.cdb" "$out/scene.cdb" -- \
        "cd-broad --reach $reach | $2 | cd-peg-assemble --model $model | cd-lcp | cd-step --rounds 1 | cd-overlap-metric" \
        2>"$out/$1.errors"; } 2>"$out/$1.time" || { cat "$out/$1.errors" >&2 && return 1; }
    rm -f "$out/$1.errors"
}
# summary NAME: steps, largest overlap, contacts and CPU time a step
summary() {
    cd-view -j --type frame,contact,metric "$out/$1.cdb" |
        jq -r 'if .type == "frame" then "frame" elif .type == "contact" then "contact"
               elif .type == "metric" and .name == "overlap" then "overlap \(.value)" else empty end' |
        awk -v name="$1" -v cpu="$(awk '{ print $1 + $2 }' "$out/$1.time")" '
            $1 == "frame" { steps++ }
            $1 == "contact" { contacts++ }
            $1 == "overlap" && $2 > most { most = $2 }
            END { steps--  # the last frame is the end of the last step
                  printf "%-12s %6d %14.3e %14.2f %14.2f\n", name, steps, most, contacts / steps, 1000 * cpu / steps }'
}
one_run cd-narrow "cd-narrow --contacts features --reach $reach"
one_run detector.py "python3 '$here/detector.py' $reach"

printf '%-12s %6s %14s %14s %14s\n' detector steps 'overlap [m^2]' 'contacts/step' 'CPU ms/step'
summary cd-narrow
summary detector.py
echo
# Everything but the metrics, which each tool writes in its own name.
if cd-diff --abs "$tolerance" --ignore metric "$out/cd-narrow.cdb" "$out/detector.py.cdb" >"$out/differences.tsv"; then
    echo "every contact, solution and state agrees within $tolerance"
else
    echo "the runs differ by more than $tolerance (frame, table, key, member, cd-narrow, detector.py):"
    head -5 "$out/differences.tsv"
    exit 1
fi
