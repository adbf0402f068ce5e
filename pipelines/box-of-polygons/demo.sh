#!/usr/bin/env bash
# What `make demo` shows: a part of the box of polygons in less than a minute - the paper's model (peg) beside the others at
# three step sizes, on three sets of polygons - with its table, its plots, and a picture of the box itself.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-out/demo}
echo "Twenty random polygons fall into a box: 5 models x 3 step sizes x 3 sets, 5 s each. Every run is one pipeline:"
echo
echo "    cd-scene box-of-polygons.yaml | cd-loop --until 5 -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric'"
echo
"$here/run.sh" --models standard,lnc,peg,peg-curvature,separating --steps 2,5,10 --sets 1,2,3 --out "$out"

# The picture: one of the runs again, kept whole, drawn at five moments.
cd-scene -b --seed 1 --step 0.01 "$here/../scenes-2d/box-of-polygons.yaml" |
    cd-loop -q --until 5 -o "$out/box.cdb" -- \
        'cd-broad --reach 0.02 | cd-narrow --contacts features --reach 0.02 | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric'
cd-plot --frames 50:499:110 --show bodies,contacts -o "$out/box.png" "$out/box.cdb"
cd-plot --frames 50:499:110 --show bodies,contacts -o "$out/box.svg" "$out/box.cdb"
cat <<TEXT

Read the table so. standard: each edge is an infinite half-space. Near corners its demands contradict each other: it pushes bodies apart that do
not touch (hence its median of 0), has no solution at all in the steps counted as unsolved, and then lets bodies through each other by decimetres
(max, least gap): draw largest.png beside overlap.png. lnc: without the cross constraints of corner against corner, a polygon is lost in another
now and then. peg: demands what the free space demands; the overlap that it leaves comes from the linearisation of the step and falls with it.
peg-curvature: the same, with gap rates that know how bodies turn within the step (cd-peg-assemble --curvature on). separating: one separating
edge a pair, and rounds of trials until nothing overlaps (cd-step --rounds 8): the overlap is 0, not small.

Pictures: $out/box.png        the box with its contacts (red: penetrating)
          $out/largest.png    the largest overlap over the step size
          $out/overlap.png    the median overlap and its quartiles
          $out/traps.png      standard-model traps that the models pass through
The whole experiment (960 runs): pipelines/box-of-polygons/run.sh
TEXT
