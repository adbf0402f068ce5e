#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A diamond slides at 1 m/s on its lowest vertex along the top of a block and off the block's corner (scenes-2d/corner.yaml).
# Free space is nonconvex there: behind the corner the vertex may be below the line of the top. The vertex passes the corner at
# t = 0.055 s, from then on it falls freely: the exact centre at t = 0.15 s is (0.095, 0.05 - 9.8/2 * 0.095^2).
#
# What it shows: the standard model demands that the vertex be outside of both lines, of the top and of the side, as soon as both are
# within reach. So it pushes a vertex that is still on top out over the corner, and throws the body up. PEG (and lnc, for one
# vertex and two sides) demands that one of the two gaps is not negative, and the body falls. What is left of an error is that of
# the steps: impulses at the start of a step make it fall g h t / 2 further, and it leaves the top by up to a step too early.
#
# All runs take the automatic reach of cd-broad, a few steps' way. A run that found no solution is listed so: with steps as long
# as the block is near, or with a large --reach, the standard model asks the vertex to be outside of two sides at once.
#
#   usage: run.sh [--models LIST] [--steps LIST] [--reach R] [--draw MS] [--out DIR]
#     --models   of standard,lnc,peg                   [standard,lnc,peg]
#     --steps    step sizes in ms that divide 150      [2.5,5,10,15,25,50]
#     --reach    instead of the automatic one, in m
#     --draw     the step size to draw, in ms          [2.5]
#     --out      folder for results                    [out/corner]
#   leaves errors.tsv (model, step in ms, errors of x and y in m, turn in rad), trails.svg and trails.png
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
models=standard,lnc,peg steps=2.5,5,10,15,25,50 reach='' draw=2.5 out=out/corner
read_options "models steps reach draw out" "$@"
mkdir -p "$out"
rm -f "$out"/*-*.cdb "$out"/*-*.errors

# one_run MODEL MS: leaves MODEL-MS.cdb
one_run() {
    local near=${reach:+--reach $reach}
    cd-scene -b --step "$(awk -v ms="$2" 'BEGIN { print ms / 1000 }')" "$here/../scenes-2d/corner.yaml" |
        cd-loop -q --until 0.15 -o "$out/$1-$2.cdb" -- \
            "cd-broad $near | cd-narrow --contacts features $near | cd-peg-assemble --model $1 | cd-lcp | cd-step --rounds 1" 2>"$out/$1-$2.errors" || {
        grep -q 'was not solved' "$out/$1-$2.errors" && return 5 # expected of the standard model
        cat "$out/$1-$2.errors" >&2
        exit 1
    }
    rm -f "$out/$1-$2.errors"
}
# state MODEL MS: its end
state() {
    cd-view -j --type body --frames last "$out/$1-$2.cdb" |
        jq -r --arg model "$1" --arg ms "$2" 'select(.type == "body" and .motion != "fixed") |
            [$model, $ms, .position[0] - 0.095, .position[1] - (0.05 - 9.8 / 2 * 0.095 * 0.095), .rotation // 0] | @tsv'
}
for model in ${models//,/ }; do
    for ms in ${steps//,/ }; do
        if one_run "$model" "$ms"; then state "$model" "$ms"; else printf '%s\t%s\n' "$model" "$ms"; fi
    done
done >"$out/errors.tsv"

echo "error of the end state at t = 0.15 s against free fall from the corner"
awk -F'\t' 'BEGIN { printf "%-9s %9s %13s %13s %11s\n", "model", "step [ms]", "x [mm]", "y [mm]", "turn [rad]" }
    NF == 2 { printf "%-9s %9s    no solution: the run stopped\n", $1, $2; next }
    { printf "%-9s %9s %13.3f %13.3f %11.3f\n", $1, $2, 1000 * $3, 1000 * $4, $5 }' "$out/errors.tsv"

streams=() labels=''
for model in ${models//,/ }; do
    [ -e "$out/$model-$draw.cdb" ] || one_run "$model" "$draw" || continue
    streams+=("$out/$model-$draw.cdb") labels+=${labels:+,}$model
done
cd-plot --trail --format svg,png --scale 2 --outlines 7 --label "$labels" --view=-0.12,-0.06,0.16,0.16 \
    --title "A vertex slides off a corner, steps of $draw ms" -o "$out/trails" "${streams[@]}"
echo "$out/trails.svg"
echo "$out/trails.png"
