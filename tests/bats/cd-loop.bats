#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-loop: accept, trial and halving against a scripted step; every way a pipeline can break; the real stages.

load helper

STEP=
loop_setup() {
    STEP="python3 $BATS_TEST_DIRNAME/loop_step.py"
    cat >scene.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.81]}
{"type":"shape","id":5,"kind":"box","halfsizes":[1,1]}
{"type":"shape","id":7,"kind":"sphere","radius":0.5}
{"type":"frame","index":0,"time":0,"step":0.1}
{"type":"body","id":3,"shape":7,"position":[0,0],"velocity":[1,2],"mass":1,"inertia":1,"colour":"red"}
{"type":"body","id":1,"shape":5,"position":[5,0],"motion":"fixed"}
{"type":"body","id":2,"shape":5,"position":[9,0],"velocity":[0,1],"mass":1,"inertia":1,"release":0.25}
{"type":"marker","x":[1, 2],"body":3}
{"type":"fend"}
{"type":"end"}
JSONL
}

# loop [OPTIONS...] STEP-ARGUMENTS: a run of four steps through the scripted step.
loop() {
    local arguments=${*: -1}
    timeout 60 cd-loop -j --timeout 20 --until 0.4 "${@:1:$#-1}" scene.jsonl -- "$STEP $arguments"
}

@test "cd-loop: the tests of every tool" {
    check_help cd-loop
    check_version cd-loop
    check_unknown_option cd-loop
}

@test "cd-loop: usage errors" {
    loop_setup
    run -2 --separate-stderr cd-loop --until 1
    [[ "$stderr" == *"no pipeline given"* ]]
    run -2 --separate-stderr cd-loop scene.jsonl -- cat
    [[ "$stderr" == *"--until or --frames is needed"* ]]
    run -2 cd-loop --until 1 a b c
}

@test "cd-loop: accepted steps move the bodies; everything else of a frame stays" {
    loop_setup
    loop "" >run.jsonl
    cd-view --check run.jsonl
    [ "$(jq -c 'select(.type=="frame")|[.index,.time,.step]' run.jsonl | paste -sd' ')" = \
        '[0,0,0.1] [1,0.1,0.1] [2,0.2,0.1] [3,0.30000000000000004,0.1] [4,0.4,0.1]' ]
    [ "$(jq -c 'select(.type=="body" and .id==3)|[.position,.colour,.shape]' run.jsonl | tail -1)" = '[[0.4,0.8],"red",7]' ]
    # not released before 0.25 s, and fixed: they keep their records as they are
    [ "$(jq -c 'select(.type=="body" and .id==2)|.position[1]' run.jsonl | paste -sd' ')" = '0 0 0 0 0.1' ]
    [ "$(grep -c '{"type":"body","id":1,"shape":5,"position":\[5,0\],"motion":"fixed"}' run.jsonl)" -eq 5 ]
    [ "$(grep -cF '{"type":"marker","x":[1, 2],"body":3}' run.jsonl)" -eq 5 ]
    # the last frame has bodies only
    [ "$(jq -c 'select(.type=="next")' run.jsonl | wc -l)" -eq 5 ]
    [ "$(tail -7 run.jsonl | jq -r .type | paste -sd' ')" = 'frame body body body marker fend end' ]
}

@test "cd-loop: the trajectory goes on where its last frame was" {
    loop_setup
    loop "" >whole.jsonl
    timeout 60 cd-loop -j --until 0.2 scene.jsonl -- "$STEP" | cd-view --frames last >half.jsonl
    timeout 60 cd-loop -j --until 0.4 half.jsonl -- "$STEP" >second.jsonl
    cd-view --frames 2: whole.jsonl >expected.jsonl
    run -0 cd-diff expected.jsonl second.jsonl
}

@test "cd-loop: output follows the scene's encoding, -j and -b choose" {
    loop_setup
    cd-view -b scene.jsonl >scene.cdb
    pass="cd-view -j | $STEP | cd-view -b"
    timeout 60 cd-loop --until 0.4 scene.cdb -- "$pass" >a.cdb
    timeout 60 cd-loop --until 0.4 scene.jsonl -- "$pass" >b.jsonl
    timeout 60 cd-loop --until 0.4 -j scene.cdb -- "$STEP" >c.jsonl
    [ "$(head -c 1 b.jsonl)" = '{' ] && [ "$(head -c 1 c.jsonl)" = '{' ] && [ "$(head -c 1 a.cdb)" != '{' ]
    loop "" >d.jsonl
    digest=$(cd-view --digest d.jsonl)
    for file in a.cdb b.jsonl c.jsonl; do [ "$(cd-view --digest "$file")" = "$digest" ]; done
    grep -q '"type":"prog".*"tool":"cd-loop"' d.jsonl
}

@test "cd-loop: rejected trials are repeated with the wishes of the verdict" {
    loop_setup
    loop "reject=2 log=log" >run.jsonl
    # three tries a frame, round 0, 1, 2; the later ones with the wishes and a trial of each moving body
    [ "$(jq -c '[.[0].index,.[0].round // 0,.[0].model,.[0].contacts,.[1]]' log | head -4 | paste -sd' ')" = \
        '[0,0,null,null,0] [0,1,"peg","distance",1] [0,2,"peg","distance",1] [1,0,null,null,0]' ]
    [ "$(jq -c 'select(.type=="frame")|[.index,.round // 0]' run.jsonl | paste -sd' ')" = '[0,2] [1,2] [2,2] [3,2] [4,0]' ]
    cd-view --check run.jsonl
    loop "" | cd-view -j --type body >plain.jsonl
    cd-view --type body run.jsonl >bodies.jsonl
    run -0 cd-diff --ignore frame plain.jsonl bodies.jsonl
}

@test "cd-loop: --keep-trials writes them as frames of their own" {
    loop_setup
    loop --keep-trials "reject=1" >run.jsonl
    [ "$(jq -c 'select(.type=="frame")|[.index,.round // 0]' run.jsonl | paste -sd' ')" = '[0,0] [0,1] [1,0] [1,1] [2,0] [2,1] [3,0] [3,1] [4,0]' ]
    [ "$(jq -c 'select(.type=="trial")|.round' run.jsonl | sort -u)" = 0 ]
    cd-view --check run.jsonl
}

@test "cd-loop: a halved step loses nothing" {
    loop_setup
    loop "halve=1,2 log=log" >run.jsonl
    cd-view --check run.jsonl
    # index 1 in four parts of 0.025 s: 0.05 + 0.05 rejected again, then parts; index 2 starts at 0.2 s again
    [ "$(jq -c 'select(.type=="frame" and .substep!=null)|.index' run.jsonl | sort -u)" = 1 ]
    jq -se 'map(select(.type=="frame" and .index==1))
        | (map(.step) | add) as $sum | ($sum > 0.0999999999 and $sum < 0.1000000001)' run.jsonl
    jq -se 'map(select(.type=="frame")) | [range(1;length) as $i | .[$i].time - .[$i-1].time - .[$i-1].step] | all(. < 1e-12 and . > -1e-12)' run.jsonl
    [ "$(jq -c 'select(.type=="frame" and .index==2)|[.time,.step]' run.jsonl)" = '[0.2,0.1]' ]
    loop "" >plain.jsonl
    run -0 cd-diff --abs 1e-12 --frames last plain.jsonl run.jsonl
    # while it is tried, a part says what remains
    [ "$(jq -c 'select(.[0].index==1)|[.[0].step,.[0].rest // 0]|map(. * 1000 | round)' log | head -3 | paste -sd' ')" = '[100,0] [50,50] [25,75]' ]
}

@test "cd-loop: a changed step starts a new grid of times" {
    loop_setup
    loop "step=0.05" >run.jsonl
    [ "$(jq -c 'select(.type=="frame")|[.index,.step]' run.jsonl | paste -sd' ')" = '[0,0.1] [1,0.05] [2,0.05] [3,0.05] [4,0.05] [5,0.05] [6,0.05] [7,0.05]' ]
    [ "$(jq 'select(.type=="frame" and .index==7) | .time * 1e9 | round' run.jsonl)" = 400000000 ]
}

@test "cd-loop: --until and --frames count frames" {
    loop_setup
    frames() { timeout 60 cd-loop -j "$@" scene.jsonl -- "$STEP" | jq -r 'select(.type=="frame")|.index' | paste -sd' '; }
    [ "$(frames --until 0)" = 0 ]
    [ "$(frames --until 0.29)" = '0 1 2' ]
    [ "$(frames --until 0.3)" = '0 1 2 3' ]
    [ "$(frames --frames 3)" = '0 1 2' ]
    [ "$(frames --frames 3 --until 0.1)" = '0 1' ]
}

@test "cd-loop: a frame larger than every pipe buffer" {
    { printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"frame","index":0,"time":0,"step":0.5}'
      seq 1 40000 | sed 's/.*/{"type":"body","id":&,"position":[&,0],"velocity":[1,0],"mass":1,"inertia":1}/'
      printf '%s\n' '{"type":"fend"}' '{"type":"end"}'; } >big.jsonl
    STEP="python3 $BATS_TEST_DIRNAME/loop_step.py"
    timeout 100 cd-loop -j --timeout 60 --until 1 big.jsonl -- "cd-view | $STEP | cd-view" >run.jsonl
    [ "$(jq -c 'select(.type=="body" and .id==40000)|.position[0]' run.jsonl | tail -1)" = 40001 ]
}

@test "cd-loop: a pipeline that breaks is told in one line, exit 3 (5, 6, 4: handed on), and no end" {
    loop_setup
    broken() { # CODE TEXT STEP-ARGUMENTS
        run "-$1" --separate-stderr timeout 30 cd-loop -j --timeout 20 --until 0.4 scene.jsonl -- "$STEP $3 2>/dev/null"
        [[ "$stderr" == cd-loop:*"$2"* ]]
        [ "$(grep -c . <<<"$stderr")" -eq 1 ]
        if grep -q '"type":"end"' <<<"$output"; then false; fi
    }
    broken 5 "frame 2: the pipeline stopped: exit status 5" die=2
    broken 3 "frame 2: the pipeline stopped: signal 9" kill=2
    broken 3 "next" garbage=1
    broken 3 "frame 1: verdict: 0 of them" quit=1
    broken 3 "verdict: 0 of them" no-verdict
    broken 3 "verdict: 2 of them" two-verdicts
    broken 3 "next: body 3 has no end-of-step state" no-next
    broken 3 "next: body 2 has no end-of-step state" forget=2
    broken 3 "was sent, frame" wrong-index
    broken 3 "exit status 3" exit=3
    run -3 --separate-stderr timeout 30 cd-loop --until 0.4 scene.jsonl -- "no-such-program-at-all 2>/dev/null"
    [[ "$stderr" == *"exit status 127 of"* ]]
    run -3 --separate-stderr timeout 30 cd-loop --until 0.4 scene.jsonl -- true
    [[ "$stderr" == cd-loop:* ]]
}

@test "cd-loop: a silent pipeline is ended, not waited for" {
    loop_setup
    run -3 --separate-stderr timeout 30 cd-loop -j --timeout 0.5 --until 0.4 scene.jsonl -- "$STEP mute=1"
    [[ "$stderr" == *"no answer from the pipeline within 0.5 s"* ]]
    run -3 --separate-stderr timeout 30 cd-loop -j --timeout 0.5 --until 0.4 scene.jsonl -- "sleep 1000"
    [[ "$stderr" == *"no answer"* ]]
}

@test "cd-loop: the death of a middle stage is noticed while the first ones wait" {
    loop_setup
    run -5 --separate-stderr timeout 30 cd-loop -j --until 0.4 scene.jsonl -- "cd-view | $STEP die=2 | cd-view 2>/dev/null"
    [[ "$stderr" == *"frame 2: the pipeline stopped: exit status 5 of \`python3"* ]]
    [ "$(grep -c . <<<"$stderr")" -eq 1 ]
}

@test "cd-loop: killed, it takes its pipeline with it" {
    loop_setup
    timeout -s TERM 1 cd-loop -j --until 0.4 scene.jsonl -- "$STEP mute=1 tag=$BATS_TEST_TMPDIR" >/dev/null || true
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        pgrep -f "tag=$BATS_TEST_TMPDIR" >/dev/null || return 0
        sleep 0.2
    done
    false
}

@test "cd-loop: a failed check at the end leaves a complete trajectory and exit 1" {
    loop_setup
    run -1 --separate-stderr timeout 30 cd-loop -j --until 0.4 scene.jsonl -- "$STEP exit=1"
    [[ "$output" == *'{"type":"end"}' ]]
}

@test "cd-loop: scenes that are none" {
    loop_setup
    sed '/"type":"frame"/,/"type":"fend"/d' scene.jsonl >none.jsonl
    run -3 --separate-stderr cd-loop --until 1 none.jsonl -- cat
    [[ "$stderr" == *"no frame"* ]]
    sed 's/,"step":0.1//' scene.jsonl >nostep.jsonl
    run -3 --separate-stderr cd-loop --until 1 nostep.jsonl -- cat
    [[ "$stderr" == *"step: missing"* ]]
    loop "" >two.jsonl
    run -3 --separate-stderr cd-loop --until 1 two.jsonl -- cat
    [[ "$stderr" == *"more than one frame"* ]]
    sed '$d' scene.jsonl >cut.jsonl
    run -3 --separate-stderr cd-loop --until 1 cut.jsonl -- cat
    [[ "$stderr" == *"no end record"* ]]
}

@test "cd-loop: an endless rejection is given up" {
    loop_setup
    run -5 --separate-stderr timeout 60 cd-loop -j --max-rounds 5 --until 0.4 scene.jsonl -- "$STEP reject=1000"
    [[ "$stderr" == *"rejected more than 5 times"* ]]
}

@test "cd-loop: a step does not grow by parts that nobody left over" {
    small_stream >small.jsonl
    run -3 --separate-stderr timeout 60 cd-loop -j --until 0.2 small.jsonl -- \
        'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | sed -u "s/\"accept\":true/&,\"rest\":0.01/"'
    [[ "$stderr" == *"verdict: rest: 0.01 s, but"* ]]
}

@test "cd-loop: with the real stages, in both encodings and for shuffled bodies" {
    stages='cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric'
    small_stream >small.jsonl
    { sed -n 1,4p small.jsonl; sed -n 6p small.jsonl; sed -n 5p small.jsonl; sed -n '7,$p' small.jsonl; } >shuffled.jsonl
    timeout 60 cd-loop --until 0.2 small.jsonl -- "$stages" >a.jsonl
    timeout 60 cd-loop --until 0.2 -b shuffled.jsonl -- "$stages" >b.cdb
    timeout 60 cd-loop --until 0.2 -j small.jsonl -- "$stages" >c.jsonl
    cd-view --check a.jsonl
    [ "$(cd-view --digest a.jsonl)" = "$(cd-view --digest b.cdb)" ]
    [ "$(cd-view --digest a.jsonl)" = "$(cd-view --digest c.jsonl)" ]
    [ "$(jq -r 'select(.type=="frame").index' a.jsonl | wc -l)" -eq 21 ]
}

@test "cd-loop: a pipeline that changes gravity on the way is refused" {
    small_stream >scene.jsonl
    run -3 --separate-stderr cd-loop --until 0.05 -j scene.jsonl -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | sed -u s/-9.8/-1.6/'
    [[ "$stderr" == *"cd-loop: head: the pipeline changed the head table"* ]]
}

@test "cd-loop: a body that takes part without a position is refused" {
    loop_setup
    sed -i '/"id":1,/s/"position":\[5,0\],//' scene.jsonl
    run -3 --separate-stderr loop ''
    [ "$(tail -1 <<<"$stderr")" = "cd-loop: frame 0: body 1: position: required of a body that takes part" ]
}
