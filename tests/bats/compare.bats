#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pipelines/compare: variants of a stage side by side, and what judges their differences; pipelines/engines: engines in the place of cd-narrow.

load helper

PIPELINES="$BATS_TEST_DIRNAME/../../pipelines"

# Two boxes of half size 1 that overlap by 0.1 along x, two spheres 0.5 m apart, two boxes 2 m apart.
cases() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"length":1}
{"type":"shape","id":1,"kind":"box","halfsizes":[1,1,1]}
{"type":"shape","id":2,"kind":"sphere","radius":1}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":2,"shape":1,"position":[1.9,0.2,0.3],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":3,"shape":2,"position":[0,10,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":4,"shape":2,"position":[0,10,2.5],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":5,"shape":1,"position":[20,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":6,"shape":1,"position":[24,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"pair","a":[3,0],"b":[4,0]}
{"type":"pair","a":[5,0],"b":[6,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}

# what VARIANT COLUMN: from compare.csv
what() {
    python3 -c 'import csv, sys
row = next(row for row in csv.DictReader(open("out/compare.csv")) if row["variant"] == sys.argv[1])
print(row[sys.argv[2]])' "$1" "$2"
}

side_by_side() { "$PIPELINES/compare/run.sh" --build "$BUILT" --repeats 1 --out out "$@"; }
compare() { side_by_side --scenes cases.jsonl "$@"; }

@test "compare: three detectors on four scenes" {
    run -0 --separate-stderr side_by_side --scenes "$SCENES/pile.yaml" "$SCENES/corner.yaml" "$SCENES/../scenes/tumble.yaml" "$SCENES/../scenes/stack-5.yaml" \
        --until 0.2 --every 10 --repeats 2 --variant 'depth=cd-narrow --contacts depth --stats' 'separating=cd-narrow --stats' 'volume=cd-narrow --contacts volume'
    [ "$(wc -l <out/compare.csv)" -eq 13 ]
    [[ "$output" == *"us/pair"*"processors"* ]]
    grep -q '</svg>' out/compare.svg
    jq -e '.runs | length == 12 and all(.unexplained == 0 and .peak_kib > 0 and .us_a_pair > 0)' out/compare.json
    jq -e '.runs | map(select(.variant == "depth")) | all(.classes | keys | . - ["same"] == [])' out/compare.json
    jq -e '.runs | map(select(.scene == "pile")) | length == 3 and .[0].found > 10 and .[0].work_us_a_pair > 0' out/compare.json
}

@test "compare: each fault that is planted is put in its class" {
    cases >cases.jsonl
    fault() { jq -nr --arg change "$1" '"cd-narrow -j --contacts depth --reach 1 | jq -c " + ("if .type == \"contact\" then " + $change + " else . end" | @sh)'; }
    run -1 compare --variant 'ours=cd-narrow --contacts depth --reach 1' "lost=$(fault 'if .a[0] < 3 then empty else . end')" "far=$(fault 'if .a[0] == 3 then empty else . end')" \
        "deeper=$(fault '.gap -= 0.02')" "turned=$(fault 'if .a[0] == 1 then .normal = [0, 1, 0] else . end')" "other=$(fault 'if .a[0] == 1 then .normal = [0, 1, 0] | .gap = -1.8 else . end')" \
        "flipped=$(fault '.normal |= map(-.)')" "moved=$(fault '.point[1] += 3 | .point_a[1] += 3 | .point_b[1] += 3')" "slid=$(fault 'if .a[0] == 1 then .point[1] += 0.3 | .point_a[1] += 0.3 | .point_b[1] += 0.3 else . end')" \
        "rough=$(fault '.gap += 1e-4')" "twice=$(fault '., (.id += 10)')" "long=$(fault '.normal |= map(. * 2)')" 'fails=false'
    while read -r variant class count; do
        [ "$(what "$variant" "${class//_/ }")" = "$count" ] || { echo "$variant $class: $(what "$variant" "${class//_/ }")" && false; }
    done <<'EOT'
ours same 2
lost missing 1
far apart 1
deeper wrong_gap 2
turned wrong_normal 1
other not_least 1
flipped wrong_normal 2
moved wrong_point 2
slid other_point 1
rough rough 2
twice doubled 2
long no_normal 2
fails failed exit 1: nothing was said
EOT
    # a variant that is better than the reference is not called wrong
    run -1 compare --variant "deeper=$(fault '.gap -= 0.02')" 'ours=cd-narrow --contacts depth --reach 1'
    [ "$(what ours unexplained)" = 2 ]
    # and a case is there to run again
    for file in out/cases.ours.unexplained-?.jsonl; do cd-narrow --contacts depth --reach 1 "$file"; done >again.jsonl
    [ "$(jq -s -c 'map(select(.type == "contact").gap * 1e9 | round / 1e9) | sort' again.jsonl)" = '[-0.1,0.5]' ]
    [ "$(grep -c "ours, unexplained" out/replay.txt)" -eq 2 ]
}

@test "compare: other stages are compared by their rows" {
    for stage in broad lcp step whole; do
        case $stage in
        broad) variants=('a=cd-broad' 'b=cd-broad --method brute') ;;
        lcp) variants=('a=cd-lcp' 'b=cd-lcp --solver pgs') ;;
        step) variants=('a=cd-step' 'b=cd-step') ;;
        whole) variants=('a=cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' 'b=cd-broad --margin 0.01 | cd-narrow | cd-peg-assemble | cd-lcp | cd-step') ;;
        esac
        run -0 side_by_side --scenes "$SCENES/pile.yaml" --until 0.3 --every 20 --stage "$stage" --variant "${variants[@]}"
        jq -e '.runs | length == 2 and all(.unexplained == 0 and .found > 20)' out/compare.json
    done
    # a broad phase that loses pairs, of which bodies touch
    run -0 side_by_side --scenes "$SCENES/pile.yaml" --until 0.3 --every 20 --stage broad \
        --variant 'a=cd-broad' "b=cd-broad -j | jq -c 'select(.type != \"pair\")'"
    [ "$(what b lost)" -gt 3 ]
    run -1 side_by_side --scenes "$SCENES/pile.yaml" --until 0.3 --every 20 --stage step \
        --variant 'a=cd-step' "b=cd-step -j | jq -c 'if .type == \"next\" then .position[0] += 0.001 else . end'"
    [ "$(what b unexplained)" -gt 20 ]
}

@test "compare: options" {
    run -0 "$PIPELINES/compare/run.sh" --help
    [[ "$output" == "usage: run.sh"* && "${#lines[@]}" -lt 22 ]]
    cases >cases.jsonl
    run -2 compare --variant 'cd-narrow'
    [[ "$output" == *"'NAME=COMMAND' is expected"* ]]
    run -2 compare --no-such-option
    run -3 compare --variant 'a=false'
    [[ "$output" == *"the reference: exit 1"* ]]
}

# ---- engines ----

# Built where the packages are; else the tests skip and say what is missing.
setup_file() {
    BUILT=$(cd "$(dirname "${CD_BIN:-$BATS_TEST_DIRNAME/../../build/release/bin}")" && pwd)
    export BUILT
    make --no-print-directory -s -C "$BATS_TEST_DIRNAME/../.." BUILD="$BUILT" engines >&2
}

engine_or_skip() {
    [ -x "$BUILT/engines/engine-$1" ] || skip "engine-$1 is not built: $2 is not there"
    PATH="$BUILT/engines:$PATH"
}

# Two boxes of half size 1 that overlap by 0.1 along x; the second pair 0.3 m apart along z.
boxes() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"length":1,"reach":0.5}
{"type":"shape","id":1,"kind":"box","halfsizes":[1,1,1]}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":2,"shape":1,"position":[1.9,0.2,0.3],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":3,"shape":1,"position":[10,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":4,"shape":1,"position":[10,0.1,2.3],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"pair","a":[4,0],"b":[3,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}

# Of the pair whose first body is $2 in the file $1: least gap and normal, to 1e-6.
told() { jq -s -c --argjson a "$2" 'def near: . * 1e6 | round / 1e6 | if . == 0 then 0 else . end;
    map(select(.type == "contact" and .a[0] == $a)) | min_by(.gap) | [(.gap | near), (.normal | map(near))]' "$1"; }

@test "engine-ccd: two boxes, by both methods" {
    engine_or_skip ccd libccd-dev
    boxes >boxes.jsonl
    for method in epa mpr; do
        engine-ccd --method $method boxes.jsonl >found.jsonl
        [ "$(told found.jsonl 1)" = '[-0.1,[1,0,0]]' ]
        [ "$(jq -s 'map(select(.type == "contact" and .a[0] == 3)) | length' found.jsonl)" = 0 ]
    done
}

@test "engine-fcl: two boxes, apart too, and a pair given the other way round" {
    engine_or_skip fcl libfcl-dev
    boxes >boxes.jsonl
    engine-fcl boxes.jsonl >found.jsonl
    [ "$(told found.jsonl 1)" = '[-0.1,[1,0,0]]' ]
    [ "$(told found.jsonl 3)" = '[0.3,[0,0,1]]' ]
}

@test "engines: the plane and kinds that an engine lacks are refused" {
    engine_or_skip ccd libccd-dev
    small_stream >small.jsonl
    cd-broad small.jsonl >plane.jsonl
    run -6 engine-ccd plane.jsonl
    [[ "$output" == *"of the plane"* ]]
    boxes | jq -c 'if .type == "shape" then {type, id, kind: "halfspace", normal: [0, 0, 1], offset: 0} elif .id == 1 then .motion = "fixed" else . end' >half.jsonl
    run -6 engine-ccd half.jsonl
    [[ "$output" == *"this engine has no halfspace"* ]]
}

@test "engines: of two thousand random pairs no difference is unexplained" {
    engine_or_skip ccd libccd-dev
    run -0 "$PIPELINES/engines/run.sh" --pairs 2000 --repeats 1 --build "$BUILT" --out out
    jq -e '.runs | length >= 6 and all(.unexplained == 0 and (has("failed") | not))' out/compared/compare.json
    jq -e '.runs[] | select(.scene == "pairs" and .variant == "cd-narrow") | .found > 1000 and (.classes | keys) == ["same"]' out/compared/compare.json
    jq -e '.runs[] | select(.scene == "pairs" and .variant == "ccd-mpr") | .classes["not least"] > 5' out/compared/compare.json
}
