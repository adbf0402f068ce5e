#!/usr/bin/env bash
# What the stream costs, side by side on identical inputs in one run: cd-view beside cat, number printing beside cJSON, the six stages
# of a contact step as a pipeline beside the same functions in one process. Medians of repeated, interleaved runs.
#   usage: run.sh [BUILD_DIRECTORY]      (make bench)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build/release}
case $build in /*) ;; *) build=$PWD/$build ;; esac
export PATH="$build/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
TIMEFORMAT='%R %U %S'

# ---- 1. passing a stream on ----
bodies=1000000 rounds=15
awk -v n=$bodies 'BEGIN { srand(1); print "x,y,radius"; for (i = 0; i < n; i++) printf "%.6f,%.6f,0.01\n", rand() * 100, rand() * 100 }' >"$work/bodies.csv"
printf 'dim: 2\nstep: 0.01\nepsilon: 1e-5\ngenerate:\n  - {generator: particles, file: bodies.csv, body: {mass: 1, inertia: 0.001, velocity: [1, 2], spin: 0.5}}\n' >"$work/bodies.yaml"
cd-scene -b -l 0 "$work/bodies.yaml" -o "$work/bodies.cdb"
pass() { { time cat "$work/bodies.cdb" | "$@" | cat >/dev/null; } 2>&1; }
for ((i = 0; i < rounds; i++)); do
    pass cat >>"$work/cat"
    pass cd-view >>"$work/view"
done
cat_s=$(cut -d' ' -f1 "$work/cat" | median) view_s=$(cut -d' ' -f1 "$work/view" | median)
size=$(stat -c %s "$work/bodies.cdb")
echo "Passing a binary stream of $bodies bodies ($((size / 1000000)) MB) through a pipe, wall clock, median of $rounds:"
awk -v c="$cat_s" -v v="$view_s" -v s="$size" 'BEGIN { c += 1e-9; v += 1e-9
    printf "    cat %.3f s (%.2f GB/s)   cd-view %.3f s (%.2f GB/s)   speed of cd-view / cat: %.2f\n", c, s / c / 1e9, v, s / v / 1e9, c / v }'

# ---- 2. printing numbers ----
make --no-print-directory -s BUILD="$build" "$build/harness/bench_number"
echo
echo "Printing doubles, ours beside cJSON's printer:"
"$build/harness/bench_number" | sed 's/^/    /'

# ---- 3. the loop beside one process ----
echo
echo "300 polygons, six stages: CPU seconds of the pipeline (all processes, cd-loop included) beside the same functions in one process:"
make --no-print-directory -s BUILD="$build" "$build/harness/one_process"
cd-scene -b pipelines/scenes-2d/pile-300.yaml -o "$work/pile.cdb"
stages='cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric' # those of one_process
for steps in 60 80 100; do
    until=$(awk -v n=$steps 'BEGIN { print n * 0.005 }')
    rm -f "$work/one" "$work/pipe"
    for ((i = 0; i < 5; i++)); do
        "$build/harness/one_process" $steps "$work/pile.cdb" "$work/bodies.txt" | sed 's/.*"total":\([0-9.]*\).*/\1/' >>"$work/one"
        { time cd-loop -q --until "$until" "$work/pile.cdb" -- "$stages" >"$work/trajectory.cdb"; } 2>&1 | awk '{ print $2 + $3 }' >>"$work/pipe"
    done
    contacts=$(cd-view -j --type metric "$work/trajectory.cdb" | jq -r 'select(.tool == "cd-narrow" and .name == "contacts") | .value' | tail -1)
    awk -v n=$steps -v o="$(median <"$work/one")" -v p="$(median <"$work/pipe")" -v c="$contacts" 'BEGIN {
        printf "    %3d steps (%d contacts in the last): one process %.3f s   pipeline %.3f s   ratio %.2f\n", n, c, o, p, p / o }'
done
