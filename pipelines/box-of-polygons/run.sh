#!/usr/bin/env bash
# The box of polygons (Williams, Lu & Trinkle 2016, Figs. 20-22): twenty random polygons are dropped into a box, one every
# quarter of a second, for every model, step size and set asked for. Each run is one pipeline of filters; its metrics are
# kept as a table, a line a step. Ends with a table over all runs (also as CSV) and plots.
#
#   usage: run.sh [--models LIST] [--steps LIST] [--sets LIST] [--jobs N] [--until T] [--gap-margin M] [--out DIR] [--keep]
#     --models   of standard,lnc,peg,peg-curvature      [all four]
#                peg is the paper's, one linearisation a step; peg-curvature is cd-peg-assemble --model peg --curvature on
#     --steps    step sizes in ms                       [1,2,...,16]
#     --sets     seeds of the random polygons           [1,2,...,10]
#     --jobs     runs side by side                      [number of processors]
#     --until    end of a run in s                      [5]
#     --gap-margin  distance in m that contacts keep     [0, as in the paper]
#     --out      folder for results                     [out/box-of-polygons]
#     --keep     keep each run's whole trajectory       (DIR/MODEL-STEP-SET.cdb)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

models=standard,lnc,peg,peg-curvature steps=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 sets=1,2,3,4,5,6,7,8,9,10
jobs=$(nproc) until=5 margin=0 out=out/box-of-polygons keep=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" && exit 0 ;;
    --keep) keep=yes ;;
    --models | --steps | --sets | --jobs | --until | --gap-margin | --out)
        [ $# -gt 1 ] || { echo "run.sh: $1: a value is missing" >&2 && exit 2; }
        name=${1#--gap-}
        declare "${name#--}=$2" && shift ;;
    *) echo "run.sh: $1: unknown option; see --help" >&2 && exit 2 ;;
    esac
    shift
done
mkdir -p "$out"
export here out until margin keep

# One run of a model, step size [ms] and seed. Leaves DIR/NAME.tsv, a line a step, and DIR/NAME.status:
# model, step, seed, exit code of the pipeline, CPU seconds of all its processes.
one_run() {
    local model=$1 ms=$2 seed=$3 name=$1-$2-$3 step reach status=0
    step=$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')
    # The distance within which features count as near: the authors' settings of each model. The standard model's demands often have no
    # solution; its runs go on, without contact in that step, so that what follows can be seen (column unsolved).
    reach=$(awk -v ms="$ms" 'BEGIN { print (ms >= 16 ? 0.025 : ms >= 11 ? 0.023 : ms >= 8 ? 0.02 : 0.015) }')
    local policy=stop curvature=off
    [ "$model" = standard ] && reach=0.07 policy=free
    [ "$model" = peg-curvature ] && curvature=on
    local stages="cd-broad --reach $reach | cd-narrow --reach $reach | cd-peg-assemble --model ${model%-curvature} --curvature $curvature --gap-margin $margin | cd-lcp"
    stages+=" | cd-step --on-unsolved $policy | cd-overlap-metric"
    TIMEFORMAT='%U %S'
    { time {
        cd-scene -b --seed "$seed" --step "$step" "$here/../scenes-2d/box-of-polygons.yaml" |
            cd-loop -q --until "$until" -- "$stages" 2>"$out/$name.errors" |
            if [ -n "$keep" ]; then tee "$out/$name.cdb"; else cat; fi |
            cd-view -q -j --type metric,solution 2>/dev/null >"$out/$name.jsonl" || status=$?
    }; } 2>"$out/$name.time"
    "$here/steps.sh" "$out/$name.jsonl" >"$out/$name.tsv"
    echo "$model $ms $seed $status $(cat "$out/$name.time")" >"$out/$name.status"
    rm -f "$out/$name.time" "$out/$name.jsonl"
    [ -s "$out/$name.errors" ] || rm -f "$out/$name.errors"
}
export -f one_run

for model in ${models//,/ }; do
    for step in ${steps//,/ }; do
        for set in ${sets//,/ }; do echo "$model $step $set"; done
    done
done >"$out/runs"
rm -f "$out"/*.status "$out"/*.tsv "$out"/*.errors
if [ -t 2 ]; then # progress: runs ended so far
    total=$(wc -l <"$out/runs")
    (while sleep 1; do printf '\r%d of %d runs ' "$(find "$out" -name '*.status' | wc -l)" "$total" >&2; done) &
    trap "kill $! 2>/dev/null; printf '\r\033[K' >&2" EXIT
fi
xargs -P "$jobs" -L 1 bash -c 'one_run "$@"' _ <"$out/runs"
"$here/summarise.sh" "$out"
