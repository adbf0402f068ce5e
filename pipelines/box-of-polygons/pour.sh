# shellcheck shell=bash
# Sourced by the run.sh of the box of polygons and of the box of polyhedra: runs of a scene for every model, step size and set asked
# for, side by side, and their summary. The caller has set
#   scene     the YAML file
#   defaults  of the options: models, steps, sets, until, out
#   unit      of overlaps: m^2 or m^3
#   lost      an expression of awk over the position $1, $2, $3: a body there has left the box
# and defines  stages_of MODEL STEP_IN_MS  which prints the pipeline of a model.

. "$(dirname "${BASH_SOURCE[0]}")/../options.sh"

pour_options() { # ARGUMENTS...: sets models, steps, sets, friction, jobs, until, gap_margin, out, keep
    jobs=$(nproc) gap_margin='' keep='' friction=0
    read_options "models steps sets friction jobs until gap-margin out +keep" "$@"
}

# One run of a model, step size [ms] and seed. Leaves DIR/NAME.tsv, a line a step, and DIR/NAME.status:
# model, step, seed, exit code of the pipeline, CPU seconds of all its processes, bodies that left the box.
pour_one() {
    local model=$1 ms=$2 seed=$3 name=$1-$2-$3 step status=0 level=0
    [ -z "$keep" ] || level=1 # compressing what is thrown away would cost as much as the step
    step=$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')
    TIMEFORMAT='%U %S'
    { time {
        { cat "$scene" && echo "defaults: {mu: $friction}"; } | cd-scene -b --seed "$seed" --step "$step" - |
            cd-loop -q -l "$level" --until "$until" -o "$out/$name.cdb" -- "$(stages_of "$model" "$ms")" 2>"$out/$name.errors" || status=$?
    }; } 2>"$out/$name.time"
    cd-view -q -j --type metric,solution "$out/$name.cdb" >"$out/$name.jsonl" 2>/dev/null
    "$here/../box-of-polygons/steps.sh" "$out/$name.jsonl" >"$out/$name.tsv"
    local away
    away=$(cd-view -q -j --type body --frames last "$out/$name.cdb" 2>/dev/null |
        jq -r 'select(.type == "body" and .motion != "fixed") | .position | @tsv' | awk "$lost { n++ } END { print n + 0 }")
    echo "$model $ms $seed $status $(cat "$out/$name.time") $away" >"$out/$name.status"
    rm -f "$out/$name.time" "$out/$name.jsonl"
    [ -n "$keep" ] || rm -f "$out/$name.cdb"
    [ -s "$out/$name.errors" ] || rm -f "$out/$name.errors"
}

pour_all() {
    command -v cd-loop >/dev/null || { echo 'run.sh: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)' >&2 && exit 2; }
    mkdir -p "$out"
    rm -f "$out"/*.status "$out"/*.tsv "$out"/*.errors "$out"/*.cdb
    for model in ${models//,/ }; do
        for step in ${steps//,/ }; do
            for set in ${sets//,/ }; do echo "$model $step $set"; done
        done
    done >"$out/runs"
    export here scene out until gap_margin keep lost friction
    export -f pour_one stages_of
    if [ -t 2 ]; then # progress: runs ended so far
        local total
        total=$(wc -l <"$out/runs")
        (while sleep 1; do printf '\r%d of %d runs ' "$(find "$out" -name '*.status' | wc -l)" "$total" >&2; done) &
        trap "kill $! 2>/dev/null; printf '\r\033[K' >&2" EXIT
    fi
    xargs -P "$jobs" -L 1 bash -c 'pour_one "$@"' _ <"$out/runs"
    "$here/../box-of-polygons/summarise.sh" "$out" "$unit"
}
