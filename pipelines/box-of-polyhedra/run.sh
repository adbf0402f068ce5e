#!/usr/bin/env bash
# The box of polyhedra (Williams, Lu & Trinkle 2016, Figs. 23 and 24): ten random convex polyhedra are thrown into an open box, one every
# half second, for every model, step size and set asked for. Each run is one pipeline of filters; its metrics are kept as a table, a line
# a step. Ends with a table over all runs (also as CSV) and plots.
#
#   usage: run.sh [--models LIST] [--steps LIST] [--sets LIST] [--friction MU] [--jobs N] [--until T] [--gap-margin M]
#                 [--out DIR] [--keep]
#     --models   of standard,peg-printed,peg,separating  [all]
#                the first three with one linearisation a step, as in the paper: peg-printed by its rules as printed, peg with their
#                corrections; separating iterates until nothing overlaps (cd-step --rounds 8)
#     --steps    step sizes in ms                        [1,2,...,16]
#     --sets     seeds of the random polyhedra           [1,2,...,10]
#     --friction mu of all bodies, for models with rounds  [0]
#     --jobs     runs side by side                       [number of processors]
#     --until    end of a run in s                       [5]
#     --gap-margin  distance in m that contacts keep     [0, as in the paper; 1e-10 with rounds]
#     --out      folder for results                      [out/box-of-polyhedra]
#     --keep     keep each run's whole trajectory        (DIR/MODEL-STEP-SET.cdb)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scene=$here/../scenes-3d/box-of-polyhedra.yaml unit=m^3 lost='$1 * $1 > 25 || $2 * $2 > 4 || $3 < 0 || $3 > 5'
models=standard,peg-printed,peg,separating steps=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
sets=1,2,3,4,5,6,7,8,9,10 until=5 out=out/box-of-polyhedra
. "$here/../box-of-polygons/pour.sh"

# One-round models whose problem has no solution go on without contact in that step (column unsolved), so that what follows can be seen.
stages_of() { # MODEL STEP_IN_MS
    local narrow='--contacts features' assemble="--model $1 --gap-margin ${gap_margin:-0}" move='--on-unsolved free'
    [ "$1" = separating ] && narrow='' assemble="--gap-margin ${gap_margin:-1e-10}" move=''
    echo "cd-broad | cd-narrow $narrow | cd-peg-assemble $assemble | cd-lcp | cd-step $move --energy | cd-overlap-metric"
}

pour_options "$@"
pour_all
