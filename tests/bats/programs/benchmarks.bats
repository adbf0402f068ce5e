#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/harness and tests/oracle: each program of `make bench` and `make oracle` that needs no other library runs, on next to nothing, and its answers are right.
# shellcheck shell=bash
load ../helper

setup_file() {
    TREE=$BATS_TEST_DIRNAME/../../..
    BUILT=$(cd "$(dirname "${CD_BIN:-$TREE/build/release/bin}")" && pwd)
    export TREE BUILT
    local folder=${BUILT##*/} programs
    programs="harness $BUILT/harness/lcp_bench $BUILT/harness/friction_bench"
    if echo '#include <gmp.h>' | "${CC:-gcc}" -E - >"$BATS_FILE_TMPDIR/gmp" 2>&1; then
        programs+=" $BUILT/oracle/oracle_friction $BUILT/oracle/oracle_lcp $BUILT/oracle/oracle_convex3"
    fi
    # in the folder of a sanitizer with what its objects are compiled with
    case $folder in san-*) programs+=" SAN=$(tr - , <<<"${folder#san-}")" ;; esac
    # shellcheck disable=SC2086
    MAKEFLAGS='' make --no-print-directory -s -C "$TREE" BUILD="$BUILT" $programs >&2
}

with_programs() { PATH=$BUILT/harness:$BUILT/oracle:$PATH; }

# The names of our own that a program lists, without solvers of few rows.
own() { "$1" | awk -F'\t' '$2 ~ /^cd-/ && $3 !~ /few-rows/ { print $1; n++ } END { exit !n }'; }

@test "narrow_make, narrow_kernel: each kernel gives the answers that the pairs were made with" {
    with_programs
    for kind in separated shallow; do
        narrow_make $kind 12 20 1 set
        for kernel in $(own narrow_kernel); do narrow_kernel "$kernel" set 1 0.001; done >lines
        holds '.judged == 20 and .wrong + .missed + .false + .failed == 0' <lines
        [ "$(wc -l <lines)" -ge 7 ]
    done
}

@test "broad_kernel: each method finds the pairs that cd-broad writes" {
    with_programs
    cat >grid.yaml <<'YAML'
dim: 2
step: 0.01
generate:
- {generator: grid, count: [10, 8], spacing: [0.2, 0.2], points: 8, scale: 0.25, turn: 3, body: {mass: 1, inertia: 0.01}}
YAML
    cd-scene -q grid.yaml | cd-broad -q -b >boxes.cdb
    pairs=$(cd-view -j --type pair boxes.cdb | of_type pair | wc -l)
    [ "$pairs" -gt 50 ]
    for method in $(choices cd-broad method); do broad_kernel "$method" boxes.cdb 1; done >lines
    holds ".pairs == $pairs" <lines
    [ "$(jq -r .sum lines | sort -u | wc -l)" -eq 1 ]
}

@test "pinball_kernel: all searches find the same" {
    with_programs
    pinball_kernel 1 1 >rows.csv # exit 1 where they do not
    [ "$(wc -l <rows.csv)" -gt 10 ]
}

@test "ellipsoid_bench: every method finds the contact points of Brent's" {
    with_programs
    ellipsoid_bench 10 1 >table
    # the last column: how far the point is from the one that the tightest tolerance gives
    awk '$NF ~ /e[-+][0-9]+$/ { rows++; if ($NF > 1e-6) exit 1 } END { if (rows < 8) exit 1 }' table
}

@test "bench_number: numbers come back with all their bits" {
    with_programs
    [ "$(bench_number 1000 | grep -c 'cdtools .* 0 wrong')" -eq 3 ]
    run -2 bench_number 0
}

@test "sphere_packing: spheres carry each other, and none overlaps another" {
    with_programs
    sphere_packing 100 >spheres.csv 2>said
    awk -F, 'NR > 1 { for (i = 1; i < n + 1; i++) { gap = sqrt((x[i] - $1)^2 + (y[i] - $2)^2 + (z[i] - $3)^2) - r[i] - $4
                          if (gap < -1e-12) exit 1; near += gap < 2e-3 * $4 }
                      n++; x[n] = $1; y[n] = $2; z[n] = $3; r[n] = $4 }
             END { if (n != 100 || near < 100) exit 1 }' spheres.csv
}

@test "one_process: bodies stand where the pipeline leaves them, to the bit" {
    with_programs
    cat >heap.yaml <<'YAML'
dim: 2
step: 0.01
bodies: [{shape: {box: [1, 0.1]}, position: [0, -0.1], motion: fixed}]
generate: [{generator: grid, count: [3, 2], spacing: [0.26, 0.26], origin: [-0.26, 0.2], points: 8, body: {density: 100, velocity: [0, -3]}}]
YAML
    cd-scene -q -b heap.yaml -o heap.cdb
    one_process 12 heap.cdb bodies.txt >costs
    holds '.steps == 12 and .bodies == 7' <costs
    cd-loop -q --until 0.12 heap.cdb -- 'cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric' >run.cdb
    [ "$(cd-view -q -j --type value run.cdb | of_type value | wc -l)" -gt 100 ]
    cd-view -q -j --frames last --type body run.cdb | of_type body >last
    python3 - <<'PY'
import json
one = {int(row[0]): [float.fromhex(x) for x in row[1:]] for row in map(str.split, open("bodies.txt"))}
pipe = {row["id"]: [*row["position"], row.get("rotation", 0)] for row in map(json.loads, open("last"))}
assert len(one) == 7 and one == pipe, (one, pipe)
PY
}

@test "lcp_bench: each of our solvers solves a small pile" {
    with_programs
    lcp_bench "$(own lcp_bench | paste -sd,)" pile:2x2x2:1 1 >lines
    holds '.problems == 1 and .solved == 1' <lines
    [ "$(wc -l <lines)" -ge 15 ]
}

@test "friction_bench: each of our solvers solves two balls" {
    with_programs
    cd-scene -q "$CASES/lcp/balls.yaml" | cd-broad | cd-narrow | cd-peg-assemble --friction disc | cd-lcp | cd-export --to mtx -o problem
    (cd problem && mv mass.mtx M.mtx && mv jacobian.mtx J.mtx && mv force.mtx f.mtx && mv rhs.mtx w.mtx)
    for solver in $(own friction_bench); do friction_bench "$solver" problem 1; done >lines
    holds '.contacts == 2 and .residual <= 1e-9' <lines
    [ "$(wc -l <lines)" -ge 3 ]
}

@test "oracles with counts: few problems, in exact arithmetic" {
    with_programs
    [ -x "$BUILT/oracle/oracle_lcp" ] || skip "oracles are not built: libgmp-dev is not there"
    for oracle in "oracle_friction 10 1" "oracle_lcp 20" "oracle_convex3 agree 20" "oracle_convex3 metamorphic 20" "oracle_convex3 exact 100"; do
        $oracle >told
        found '^ok ' <told
        run -1 grep '^not ok' told
    done
}
