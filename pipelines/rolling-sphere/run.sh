#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A compliant sphere is led at constant height and speed over ground of triangles: what pushes it, by the ways in which
# cd-narrow joins the contacts of the triangles (--smooth-edges). Over a plane nothing may hold it back.
#
# Its mass is so great that the forces, k times the overlap along each contact's normal (cd-penalty), do not turn it aside: it is
# led. So what is seen is what contact detection makes of the same path.
#
#   usage: run.sh [--ways LIST] [--grounds LIST] [--step S] [--length M] [--out DIR]
#     --ways     of off,exact,smooth,facet             [off,exact,smooth,facet]
#     --grounds  of plane,terrain                      [plane,terrain]
#     --step     of time, in s; the sphere goes 1 m/s  [0.005]
#     --length   of the way, in m                      [6]
#     --out      folder for results                    [out/rolling-sphere]
#   leaves GROUND-WAY.jsonl, table.tsv, GROUND-along.svg, GROUND-up.svg and scene.svg
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
ways=off,exact,smooth,facet grounds=plane,terrain step=0.005 length=6 out=out/rolling-sphere
read_options "ways grounds step length out" "$@"
mkdir -p "$out"

stiffness=10000 # [N/m]; the sphere is 0.02 m deep in the plane: 200 N
for ground in ${grounds//,/ }; do
    if [ "$ground" = plane ]; then height=0 z=0.98; else height=0.2 z=0.88; fi
    python3 "$here/ground.py" "$(awk -v way="$length" 'BEGIN { print int(way + 6) }')" $height 1 >"$out/$ground.obj"
    cat >"$out/$ground.yaml" <<YAML
dim: 3
gravity: [0, 0, 0]
reach: 0.01
step: $step
bodies:
  - {shape: {mesh: {file: $ground.obj, as: facets}}, motion: fixed}
  - {shape: {sphere: 1}, density: 1e9, position: [3, 2, $z], velocity: [1, 0, 0]}
YAML
    for way in ${ways//,/ }; do
        cd-loop -q -j --until "$length" "$out/$ground.yaml" -- \
            "cd-broad | cd-narrow -q --contacts depth --smooth-edges $way | cd-penalty -k $stiffness | cd-step --integrator central" |
            python3 "$here/traces.py" $((stiffness / 50)) >"$out/$ground-$way.jsonl"
    done
    streams=()
    for way in ${ways//,/ }; do streams+=("$out/$ground-$way.jsonl"); done
    for metric in along up; do
        cd-plot --metric $metric --label "$ways" -o "$out/$ground-$metric.svg" "${streams[@]}"
    done
done

# Of each run: the most contacts at once, the largest force along the way (of all and against it), the largest change of the force
# from one step to the next, all in parts of k times 0.02 m.
printf 'ground\tway\tpushes\talong\tback\tleast up\tmost up\tchange\n' >"$out/table.tsv"
for ground in ${grounds//,/ }; do
    for way in ${ways//,/ }; do
        jq -r -n --arg ground "$ground" --arg way "$way" '
            def size: map(. * .) | add | sqrt;
            [inputs | select(.type == "metric" and .tool == "traces") | .value] | [range(0; length; 4) as $i | .[$i:$i + 4]]
            | [$ground, $way, (map(.[3]) | max), (map(.[0] | fabs) | max), (map(0 - .[0]) | max), (map(.[2]) | min), (map(.[2]) | max),
               ([range(1; length) as $i | [range(3) as $k | .[$i][$k] - .[$i - 1][$k]] | size] | max)]
            | [.[:3][], (.[3:][] * 1e4 | round / 1e4)] | @tsv' "$out/$ground-$way.jsonl" >>"$out/table.tsv"
    done
done
column -t -s $'\t' "$out/table.tsv"
last=${grounds##*,}
cd-plot --frames 100 --bodies 1,2 -o "$out/scene.svg" "$out/$last-${ways%%,*}.jsonl"
