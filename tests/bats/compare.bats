#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pipelines/compare: variants of a stage side by side, and what judges their differences; pipelines/engines: engines in the place of cd-narrow and of a whole step.

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

# finds_boxes ENGINE: both pairs, one of them apart, one given the other way round.
finds_boxes() {
    boxes >boxes.jsonl
    "$1" boxes.jsonl >found.jsonl
    [ "$(told found.jsonl 1)" = '[-0.1,[1,0,0]]' ]
    [ "$(told found.jsonl 3)" = '[0.3,[0,0,1]]' ]
}

@test "engine-fcl: two boxes, apart too, and a pair given the other way round" {
    engine_or_skip fcl libfcl-dev
    finds_boxes engine-fcl
}

@test "engine-bullet: two boxes, apart too, and a pair given the other way round" {
    engine_or_skip bullet libbullet-dev
    finds_boxes engine-bullet
}

@test "engine-ode: two boxes, and none where they are apart" {
    engine_or_skip ode libode-dev
    boxes >boxes.jsonl
    engine-ode boxes.jsonl >found.jsonl
    [ "$(told found.jsonl 1)" = '[-0.1,[1,0,0]]' ]
    [ "$(jq -s 'map(select(.type == "contact" and .a[0] == 3)) | length' found.jsonl)" = 0 ]
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

@test "engines: each pair at which one is said to be wrong overlaps, as it is said to" {
    for file in "$PIPELINES"/engines/wrong/*.jsonl; do
        cd-narrow --contacts depth "$file" | cd-overlap-metric --certify | jq -s -e 'map(select(.type == "certificate").label) == ["overlapping"]'
    done
    depth() { cd-narrow --contacts depth "$PIPELINES/engines/wrong/$1.jsonl" | jq 'select(.type == "contact").gap'; }
    [ "$(depth bullet-too-near) $(depth ode-too-deep) $(depth ccd-epa-missing)" = "-10 -2 -0.5" ]
}

# ---- engines as a whole step ----

# A brick and a ball over a floor in $1 dimensions. With mu g = 5 m/s^2 the brick, at 2 m/s, slides for 0.4 s and 0.4 m and weighs 30 N; the ball,
# 0.2 m in the air, falls for 0.2 s.
slide() {
    jq -n -c --argjson dim "$1" 'def v(x; h): if $dim == 2 then [x, h] else [x, 0, h] end; def b: if $dim == 2 then [0.5, 0.2] else [0.5, 0.5, 0.2] end;
        {dim: $dim, gravity: v(0; -10), step: 0.005, bodies: [{shape: {halfspace: {normal: v(0; 1)}}, motion: "fixed", mu: 0.5},
            {shape: {box: b}, position: v(0; 0.2), velocity: v(2; 0), mass: 3, inertia: (if $dim == 2 then 0.29 else [0.29, 0.5, 0.29, 0, 0, 0] end), mu: 0.5},
            {shape: {sphere: 0.5}, position: v(5; 0.7), mass: 1, inertia: (if $dim == 2 then 0.1 else [0.1, 0.1, 0.1, 0, 0, 0] end), mu: 0.5, release: 0.1}]}' >slide.yaml
}

# step_of ENGINE PACKAGE DIM SKIN: how far the brick went and its speed, its weight, the height of the ball.
step_of() {
    engine_or_skip "$1-step" "$2"
    slide "$3"
    cd-loop -j --until 1 slide.yaml -- "engine-$1-step" >run.jsonl
    cd-view --check run.jsonl
    jq -s -e --argjson skin "$4" 'def near(x; by): . - x | fabs < by;
        (map(select(.type == "body" and .id == 2))[-1] | (.position[0] | near(0.4; 0.025)) and (.velocity[0] | near(0; 1e-3)) and (.position[-1] | near(0.2; $skin)))
        and (map(select(.type == "body" and .id == 3)) | (.[20].position[-1] == 0.7) and (.[50].position[-1] | near(0.7 - 5 * 0.15 * 0.15; 0.005)) and (.[-1].position[-1] | near(0.5; $skin)))' run.jsonl
    cd-view -j --frames 190 run.jsonl | jq -s -e 'def near(x; by): . - x | fabs < by; map(select(.type == "contact")) as $c
        | (map(select(.type == "force")) | map(select($c[.contact].b[0] == 2)) | map(.vector[-1]) | add | near(30; 1))
        and ($c | length > 2 and all(.normal[-1] > 0.999 and (.gap | fabs) < 0.011))'
}

@test "engine-bullet-step: a brick slides, weighs and stops as friction says, a ball falls" { step_of bullet libbullet-dev 3 1e-3; }
@test "engine-ode-step: the same" { step_of ode libode-dev 3 1e-3; }
@test "engine-mujoco-step: the same" { step_of mujoco libmujoco-dev 3 1e-2; }
@test "engine-box2d-step: the same in the plane" { step_of box2d libbox2d-dev 2 1.6e-2; }

@test "engines as a whole step: a belt of 1 m/s takes a brick along" {
    engine_or_skip ode-step libode-dev
    local found=0
    for engine in bullet ode box2d; do
        [ -x "$BUILT/engines/engine-$engine-step" ] || continue
        # with mu g = 5 m/s^2 after 0.2 s, so it is 0.9 m away after 1 s
        jq -n -c --argjson dim "$([ $engine = box2d ] && echo 2 || echo 3)" 'def v(x; h): if $dim == 2 then [x, h] else [x, 0, h] end; def b(x; h): if $dim == 2 then [x, h] else [x, 1, h] end;
            {dim: $dim, gravity: v(0; -10), step: 0.005, bodies: [{shape: {box: b(5; 0.1)}, position: v(0; -0.1), motion: "prescribed", velocity: v(1; 0), mu: 0.5},
                {shape: {box: b(0.2; 0.1)}, position: v(0; 0.1), mass: 3, mu: 0.5}]}' >belt.yaml
        cd-loop -j --until 1 belt.yaml -- "engine-$engine-step" | jq -s -e 'def near(x; by): . - x | fabs < by; (map(select(.type == "body" and .id == 2))[-1] | (.position[0] | near(0.9; 0.025)) and (.velocity[0] | near(1; 1e-3)))
            and (map(select(.type == "body" and .id == 1))[-1].position[0] | near(1; 1e-9))'
        found=$((found + 1))
    done
    [ "$found" -gt 0 ]
}

@test "engines as a whole step: a ball bounces to e^2 of its height, and what an engine lacks is refused" {
    engine_or_skip ode-step libode-dev
    cd-loop -j --until 1 "$SCENES/../scenes-3d/bounce.yaml" -- engine-ode-step | jq -s -e 'map(select(.type == "body" and .id == 2).position[2])[500:] | max | . - 0.59 | fabs < 0.02'
    cd-scene -j "$SCENES/../scenes-3d/rolling.yaml" >rolling.jsonl
    run -6 engine-ode-step rolling.jsonl
    [[ "$output" == *"rolling: this stage has none"* ]]
    slide 2
    cd-scene -j slide.yaml >slide.jsonl
    run -6 engine-ode-step slide.jsonl
    [[ "$output" == *"of 3 dimensions, the stream of 2"* ]]
}

@test "compare: whole steps by engines beside the default chain" {
    engine_or_skip bullet-step libbullet-dev
    slide 3
    run -1 side_by_side --scenes slide.yaml --until 0.1 --every 5 --stage whole --tolerance 0.1 --variant 'ours=cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' \
        'bullet=engine-bullet-step' 'off=engine-bullet-step -j | jq -c "if .type == \"next\" then .position[0] += 1 else . end"'
    [ "$(what bullet unexplained)" = 0 ]
    [ "$(what off unexplained)" -gt 3 ]
}

# ---- SimBenchmark's scenes ----

@test "simbenchmark: its scenes, its exact motion, and no overlap" {
    for name in rolling=26 bouncing=49 666=216 elastic-666=216 kapla=72; do
        python3 "$PIPELINES/simbenchmark/simscenes.py" "${name%=*}" 0.005 | cd-scene -j - >scene.jsonl
        [ "$(grep -c '"motion":"dynamic"' scene.jsonl)" = "${name#*=}" ]
        cd-overlap-metric scene.jsonl | jq -s -e 'map(select(.type == "metric" and .name == "overlap").value) == [0]'
    done
    run -2 python3 "$PIPELINES/simbenchmark/simscenes.py" no-such-test
    run -0 --separate-stderr "$PIPELINES/simbenchmark/run.sh" --build "$BUILT" --out out --until 0.3 --frames 10 --engines cdtools --tests rolling,bouncing,666:3
    jq -s -e 'map(select(.failed == null and .overlap == 0 and .open == 0)) | length == 3' out/results.jsonl
    # the box and the balls move as computed by hand; balls that fall by h = g t^2 / 2 in steps of dt are g t dt / 2 too low, all 49 of them
    jq -s -e 'map(select(.test == "rolling").error)[0] < 1e-12' out/results.jsonl
    jq -s -e 'map(select(.test == "bouncing").at_end)[0] | . - pow(490 * 9.81 * 9.81 * 0.3 * 0.01 / 2; 2) | fabs < 1e-6' out/results.jsonl
    jq -s -e 'map(select(.test == "666:3").error)[0] == 0' out/results.jsonl
    grep -q '</svg>' out/times.svg
}

@test "simbenchmark: an engine beside it, measured alike" {
    engine_or_skip ode-step libode-dev
    run -0 --separate-stderr "$PIPELINES/simbenchmark/run.sh" --build "$BUILT" --out out --until 0.5 --frames 10 --engines cdtools,ode --tests 666:3
    jq -s -e 'map(.overlap > 0) == [false, true] and (.[1].error | . > 1e-7 and . < 1e-3)' out/results.jsonl
}

@test "compare: counts are those of cd-diff by pair" {
    boxes >boxes.jsonl
    run -0 side_by_side --scenes "$SCENES/../scenes-3d/box-of-polyhedra.yaml" --until 1 --every 5 --variant 'depth=cd-narrow --contacts depth --reach 0.3' 'near=cd-narrow --contacts depth --reach 0.1'
    cd-diff --by pair -j --worst 0 out/box-of-polyhedra.depth.out out/box-of-polyhedra.near.out >diff.json || [ $? = 1 ]
    jq -s -e '.[0].runs[1] as $found | .[1] | .contacts.right == $found.found and .pairs - .both == $found.only_here + $found.only_there and $found.only_there > 0
        and .difference.gap.largest == $found.gap' out/compare.json diff.json
}
