#!/usr/bin/env bash
# What a step costs as bodies grow in number: regular solids fall in three layers onto a floor whose area grows with them, so that contacts a
# body stay the same. The separating model with rounds; CPU time of every stage from its own --stats.
#
#   usage: scaling.sh [--sides LIST] [--until T] [--friction KIND] [--out DIR]
#     --sides     bodies along a side; 3 n^2 bodies      [2,3,6,10]
#     --until     end of each run in s                   [0.6]
#     --friction  off, pyramid or disc, coefficient 0.3  [off]
#     --out       folder for results                     [out/scaling]
#   leaves scaling.tsv: bodies, rounds, contacts a round and body, CPU in us a round and body of each stage and in all, peak MiB of all stages
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../options.sh"
sides=2,3,6,10 until=0.6 friction=off out=out/scaling
read_options "sides until friction out" "$@"
command -v cd-loop >/dev/null || { echo 'scaling.sh: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)' >&2 && exit 2; }
mkdir -p "$out"

scene() { # SIDE
    awk -v n="$1" 'BEGIN {
        far = 0.6 * n + 0.2; half = 0.3 * n + 1; mid = 0.3 * n
        print "dim: 3\ngravity: [0, 0, -9.81]\nstep: 0.01\nepsilon: 1e-4\nlength: 1\nseed: 2\ndefaults: {mu: 0.3}\nbodies:"
        printf "  - {shape: {box: [%g, %g, 0.5]}, position: [%g, %g, -0.5], motion: fixed}\n", half, half, mid, mid
        for (k = 0; k < 2; k++) {
            at = k ? far : -0.2
            printf "  - {shape: {box: [0.2, %g, 3]}, position: [%g, %g, 3], motion: fixed}\n", half, at, mid
            printf "  - {shape: {box: [%g, 0.2, 3]}, position: [%g, %g, 3], motion: fixed}\n", half, mid, at
        }
        print "generate:"
        printf "  - {generator: platonic, count: [%d, %d, 3], spacing: [0.6, 0.6, 0.6], origin: [0.3, 0.3, 0.35], radius: 0.29, jitter: 0.005, turn: random, body: {mass: 1}}\n", n, n
    }'
}
stages="cd-broad --stats | cd-narrow --contacts separating --stats | cd-peg-assemble --friction $friction --stats | cd-lcp --stats | cd-step --rounds 8 --stats"
for n in ${sides//,/ }; do
    scene "$n" | cd-scene -q -b - | cd-loop -q --until "$until" -o "$out/$n.cdb" -- "$stages" 2>"$out/$n.stats"
    jq -s -r --argjson bodies $((3 * n * n)) '
        INDEX(.tool) as $of | $of["cd-broad"].frames as $rounds  # lines come in the order in which the stages end
        | ["cd-broad", "cd-narrow", "cd-peg-assemble", "cd-lcp", "cd-step"] | map($of[.]) as $stages
        | ($stages | map(.seconds | .read + .work + .write) | map(. * 1e6 / $rounds / $bodies)) as $us
        | [$bodies, $rounds, $of["cd-narrow"].rows.contact / $rounds / $bodies] + $us + [$us | add] + [$stages | map(.peak_kib) | add / 1024]
        | map(tostring) | @tsv' "$out/$n.stats"
done >"$out/scaling.tsv"
awk -F'\t' 'BEGIN { printf "%7s %7s %9s | CPU in us a round and body: %8s %8s %8s %8s %8s %8s | %s\n", "bodies", "rounds", "contacts", "broad", "narrow", "assemble", "lcp", "step", "all", "peak MiB" }
    { printf "%7d %7d %9.2f | %27s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f | %.0f\n", $1, $2, $3, "", $4, $5, $6, $7, $8, $9, $10 }' "$out/scaling.tsv"
