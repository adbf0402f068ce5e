#!/usr/bin/env bash
# The box of polygons (Williams, Lu & Trinkle 2016, Figs. 20-22): twenty random polygons are dropped into a box, one every
# quarter of a second, for every model, step size and set asked for. Each run is one pipeline of filters; its metrics are
# kept as a table, a line a step. Ends with a table over all runs (also as CSV) and plots.
#
#   usage: run.sh [--models LIST] [--steps LIST] [--sets LIST] [--friction MU] [--jobs N] [--until T] [--gap-margin M]
#                 [--out DIR] [--keep]
#     --models   of standard,lnc,peg,peg-curvature,peg-rounds,separating      [all]
#                peg is the paper's, one linearisation a step; peg-curvature is cd-peg-assemble --model peg --curvature on;
#                peg-rounds and separating iterate until nothing overlaps (cd-step --rounds 8)
#     --steps    step sizes in ms                       [1,2,...,16]
#     --sets     seeds of the random polygons           [1,2,...,10]
#     --friction mu of all bodies, for models with rounds  [0]
#     --jobs     runs side by side                      [number of processors]
#     --until    end of a run in s                      [5]
#     --gap-margin  distance in m that contacts keep    [0, as in the paper; 1e-10 with rounds]
#     --out      folder for results                     [out/box-of-polygons]
#     --keep     keep each run's whole trajectory       (DIR/MODEL-STEP-SET.cdb)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scene=$here/../scenes-2d/box-of-polygons.yaml unit=m^2 lost='$1 * $1 > 1 || $2 < 0 || $2 > 5'
models=standard,lnc,peg,peg-curvature,peg-rounds,separating steps=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
sets=1,2,3,4,5,6,7,8,9,10 until=5 out=out/box-of-polygons
. "$here/pour.sh"

# The distance within which features count as near: the authors' settings of each model, with rounds the automatic one. The standard
# model's demands often have no solution; its runs go on, without contact in that step, so that what follows can be seen (column unsolved).
stages_of() { # MODEL STEP_IN_MS
    local reach near narrow='--contacts features' solve=cd-lcp assemble="--model ${1%%-*} --gap-margin ${gap_margin:-0}" move='--rounds 1 --on-unsolved stop'
    reach=$(awk -v ms="$2" 'BEGIN { print (ms >= 16 ? 0.025 : ms >= 11 ? 0.023 : ms >= 8 ? 0.02 : 0.015) }')
    near="--reach $reach"
    case $1 in
    standard) near='--reach 0.07' move='--rounds 1 --on-unsolved free' ;;
    peg-curvature) assemble+=' --curvature on' ;;
    # where Lemke's path ends in a ray, separators are a better way on than the rest of the ladder
    peg-rounds) near='' assemble="--model peg --gap-margin ${gap_margin:-1e-10}" solve+=' --solver lemke' move='--rounds 8' ;;
    separating) near='' narrow='' assemble="--gap-margin ${gap_margin:-1e-10}" move='' # the default ;;
    esac
    echo "cd-broad $near | cd-narrow $narrow $near | cd-peg-assemble $assemble | $solve | cd-step $move --energy | cd-overlap-metric"
}

pour_options "$@"
pour_all
