#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ellipsoids of mixed aspect settle into an open box of triangles: without overlap (model separating, walls without thickness), and pushed apart
# by springs (model penalty, walls of 4 cm). README.md has what was found.
#
#   usage: run.sh [--count N] [--models LIST] [--step MS] [--spring-step MS] [--stiffness K] [--until T] [--out DIR]
#     --count         ellipsoids                           [200]
#     --models        of separating,penalty                [separating,penalty]
#     --step          of the model without overlap, in ms  [10]
#     --spring-step   of the springs, in ms; the run ends where cd-penalty finds it above the stable one  [0.5]
#     --stiffness     of the springs, in N/m               [50000]
#     --until         [s]                                  [2]
#     --out           folder for results                   [out/ellipsoid-packing]
#   leaves runs.tsv, the runs, and pictures of their ends; exits 1 when something overlaps without springs, or got out of the box
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
count=200 models=separating,penalty step=10 spring_step=0.5 stiffness=50000 until=2 out=out/ellipsoid-packing
read_options "count models step spring-step stiffness until out" "$@"
mkdir -p "$out"

separating() { python3 "$here/scenes.py" "$count" --step "$step" | cd-scene -b -q - | cd-loop -q --until "$until" -o "$1"; }
penalty() {
    python3 "$here/scenes.py" "$count" --step "$spring_step" --thickness 0.04 | cd-scene -b -q - |
        cd-loop -q --model penalty --until "$until" -- \
            "cd-broad | cd-narrow | cd-penalty --stiffness $stiffness --damping-ratio 0.3 --unstable stop | cd-step --integrator central" |
        cd-view -q -b --type frame,shape,body,pair,metric - -o "$1"
}
# row MODEL RUN SECONDS: the stable step is the least of all frames; speeds, overlap and gap are those of the last frame; energy in J above that of rest on the floor would tell more of the shape than of rest
row() {
    {
        cd-view -q -j --type frame,metric "$2"
        cd-view -q -b --frames last "$2" | cd-overlap-metric -q | cd-view -q -j --type body,metric
    } | jq -rs --arg model "$1" --arg count "$count" --arg seconds "$3" '
        def all(name): [.[] | select(.type == "metric" and .name == name and .a == null) | .value];
        [.[] | select(.type == "body" and .motion != "fixed")] as $bodies |
        ($bodies | map(.mass * (.velocity // [0] | map(. * .) | add) / 2) | add) as $energy |
        ($bodies | map(.position[2]) | min) as $lowest |
        ($bodies | map((.velocity // [0] | map(. * .) | add | sqrt)) | sort) as $speeds |
        (all("stable-step") | if length > 0 then min * 1000 else "" end) as $stable |
        ([.[] | select(.type == "frame") | .index] | unique | length - 1) as $steps |
        (all("rounds") | if length > 0 then add / $steps * 100 | round / 100 else "" end) as $rounds |
        [$model, $count, ([.[] | select(.type == "frame") | .index] | unique | length), $rounds, (all("rounds") | max // ""), all("overlap")[-1], all("gap")[-1], $energy, $lowest,
         $stable, $speeds[$speeds | length / 2 | floor], $speeds[-1], $seconds,
         (if $lowest > 0 and ($model == "penalty" or all("overlap")[-1] == 0) then "ok" else "FAILED" end)] | @tsv'
}
{
    printf 'model\tbodies\tframes\trounds\tmost\toverlap [m^3]\tleast gap [m]\tenergy [J]\tlowest centre [m]\tstable step [ms]\tmedian speed [m/s]\tfastest [m/s]\tseconds\t\n'
    for model in ${models//,/ }; do
        case $model in separating | penalty) ;; *) echo "run.sh: --models: there is no $model" >&2 && exit 2 ;; esac
        started=$SECONDS
        "$model" "$out/$model.cdb"
        row "$model" "$out/$model.cdb" $((SECONDS - started))
        cd-plot -q --frames last --format png --scale 2 --title "$count ellipsoids, $model" -o "$out/$model.png" "$out/$model.cdb" >&2
    done
} | tee "$out/runs.tsv"
! grep -q FAILED "$out/runs.tsv"
