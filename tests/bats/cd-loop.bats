#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-loop: accept, trial and halving against a scripted step; every way a pipeline can break; the real stages.

load helper

STEP=
loop_setup() {
    STEP="python3 $BATS_TEST_DIRNAME/programs/loop_step.py"
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
    run -2 --separate-stderr cd-loop scene.jsonl -- cat
    [[ "$stderr" == *"--until or --frames is needed"* ]]
    run -2 --separate-stderr cd-loop scene.jsonl
    [[ "$stderr" == *"--until or --frames is needed"* ]]
    run -2 --separate-stderr cd-loop --until 1 a b
    [ "$stderr" = "cd-loop: b: one scene, then -- and the pipeline" ]
    run -2 --separate-stderr cd-loop --until 1 a --
    [ "$stderr" = "cd-loop: behind -- stands one argument, the pipeline in quotes" ]
    run -2 cd-loop --until 1 a b c
    run -2 --separate-stderr cd-loop --until 1 --model magic scene.jsonl
    [[ "$stderr" == 'cd-loop: --model: "magic" is not one of '* ]]
    run -2 --separate-stderr cd-loop --until 1 --warm scene.jsonl -- cat
    [ "$stderr" = "cd-loop: --warm is of the default pipeline: give it to the cd-lcp of this one" ]
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
    [ "$(head -c 1 b.jsonl)" = '{' ]
    [ "$(head -c 1 c.jsonl)" = '{' ]
    [ "$(head -c 1 a.cdb)" != '{' ]
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
    STEP="python3 $BATS_TEST_DIRNAME/programs/loop_step.py"
    timeout 100 cd-loop -j --timeout 60 --until 1 big.jsonl -- "cd-view | $STEP | cd-view" >run.jsonl
    [ "$(grep '^{"type":"body","id":40000,' run.jsonl | tail -1 | jq -c '.position[0]')" = 40001 ]
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
    # the exit code of the stage that failed
    run -2 --separate-stderr timeout 30 cd-loop -q --until 0.4 scene.jsonl -- 'cd-broad --group no:body | cd-narrow | cd-peg-assemble | cd-lcp | cd-step'
    [[ "${stderr_lines[-1]}" == *": the pipeline stopped: exit status 2 of \`cd-broad --group no:body\`" ]]
    for code in 2 4 5 6 1 7 127; do
        case $code in [2456]) want=$code ;; *) want=3 ;; esac
        run -$want --separate-stderr timeout 30 cd-loop --until 0.4 scene.jsonl -- "sh -c 'exit $code'"
    done
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

@test "cd-loop: of stages whose input another one cut, none speaks; with -v all do" {
    sed 's/^{"type":"body","id":2/&0/; s/"position":\[0,0.0505\],//' <(small_stream) >bad.jsonl # a body that moves and is nowhere
    run -3 --separate-stderr timeout 30 cd-loop --frames 3 bad.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 2 ]
    [[ "$stderr" == "cd-broad: frame 0: body 1: position: required"*"cd-loop: frame 0: the pipeline stopped: exit status 3 of \`cd-broad\`: bad or cut input" ]] || {
        echo "$stderr"
        false
    }
    run -3 --separate-stderr bash -c 'timeout 30 cd-loop --frames 3 <bad.jsonl' # cd-loop is no stage of itself
    [[ "$stderr" == "cd-broad: "*"cd-loop: frame 0: the pipeline stopped: exit status 3 of \`cd-broad\`"* ]]
    run -3 --separate-stderr timeout 30 cd-loop --frames 3 bad.jsonl -- 'cd-broad | cd-narrow -v | cd-peg-assemble | cd-lcp | cd-step'
    [[ "$stderr" == *"cd-narrow: stdin: "* && "$stderr" != *"cd-peg-assemble: "* ]]
    # a stage that ends too soon, of another program: the one behind it is named, and why
    small_stream >small.jsonl
    run -3 --separate-stderr timeout 30 cd-loop --frames 3 small.jsonl -- 'cd-broad | (cat >/dev/null & sleep 0.2) | cd-narrow | cd-peg-assemble | cd-lcp | cd-step'
    [[ "$stderr" == "cd-loop: frame 0: the pipeline stopped: exit status 3 of \`cd-narrow\`: bad or cut input" ]]
}

@test "cd-loop: killed, it takes its pipeline with it" {
    loop_setup
    cd-loop -j --until 0.4 scene.jsonl -- "$STEP mute=1 log=$BATS_TEST_TMPDIR/log" >/dev/null 3>&- &
    timeout 60 bash -c 'until [ "$(cat log 2>/dev/null | wc -l)" -eq 2 ]; do sleep 0.1; done' # frame 1 is asked for, and never answered
    kill -TERM $! # waits for the frame
    sleep 0.3
    kill -0 $!
    kill -TERM $! # does not
    wait $! || [ $? -eq 143 ]
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        pgrep -f "log=$BATS_TEST_TMPDIR/log" >/dev/null || return 0
        sleep 0.2
    done
    false
}

@test "cd-loop: a reader that goes away ends the run and its stages without a word" {
    loop_setup
    (timeout 60 cd-loop -j --until 1000 scene.jsonl -- "$STEP log=$BATS_TEST_TMPDIR/log" 2>err || echo $? >code) | head -c 10 >/dev/null
    [ "$(cat code)" -eq 141 ]
    [ -s log ]
    [ ! -s err ]
    (timeout 60 cd-loop --until 1000 "$SCENES/corner.yaml" 2>err || echo $? >code) | head -c 10 >/dev/null
    [ "$(cat code)" -eq 141 ]
    [ ! -s err ]
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

@test "cd-loop: where the rest of a step is given up, what flies has nothing ahead" {
    cat >two.jsonl <<'EOF'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.8]}
{"type":"shape","id":1,"kind":"sphere","radius":0.1}
{"type":"shape","id":2,"kind":"box","halfsizes":[1,0.2]}
{"type":"material","id":1}
{"type":"interaction","a":1,"b":1,"restitution":1}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0.1134],"mass":1,"inertia":0.005,"material":1}
{"type":"body","id":2,"shape":1,"position":[0.5,40],"mass":1,"inertia":0.005,"material":1}
{"type":"body","id":3,"shape":2,"position":[0,-0.2],"motion":"fixed","material":1}
{"type":"fend"}
{"type":"end"}
EOF
    stages='cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step'
    cd-loop -j --until 0.3 two.jsonl -- "$stages" >kept.jsonl
    [ "$(grep -c '"type":"body".*"ahead":' kept.jsonl)" -gt 0 ]  # the first ball bounces within steps
    cd-loop -j --until 0.3 two.jsonl -- "$stages"' | sed -u "/\"accept\":true/s/\"rest\":[^,}]*/\"rest\":0/"' >run.jsonl
    cd-view --check run.jsonl
    [ "$(grep -c '"type":"body".*"ahead":' run.jsonl)" -eq 0 ]
    jq -se 'map(select(.type=="frame")) | map(.time / 0.01 | . - round | fabs) | max > 0.01' run.jsonl
    for file in kept run; do  # its velocity is that of its time, whatever became of the steps
        jq -se '[.[] | select(.type=="frame" or .type=="body" and .id==2)] | [range(0; length; 2) as $i
            | select(.[$i].substep == null) | .[$i + 1].velocity[1] + 9.8 * .[$i].time | fabs] | max < 1e-12' $file.jsonl
    done
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

# ---- loads and drives over time ----
driven_setup() { # a loaded disc, a driven one, and one that has both a force of its own and gravity's
    cat >driven.yaml <<'YAML'
step: 0.1
bodies:
  - {shape: {circle: 0.1}, mass: 2, inertia: 0.5, load: [{time: 0, force: [0, 0], torque: 1}, {time: 0.25, force: [4, 0], torque: 1}, {time: 1, force: [1, -2], torque: 1}]}
  - {shape: {circle: 0.1}, position: [9, 0], drive: [{time: 0, position: [9, 0], rotation: 0}, {time: 0.15, position: [9, 3], rotation: 9}, {time: 0.7, position: [8, 3], rotation: 9}]}
  - {shape: {circle: 0.1}, position: [0, 9], mass: 4, force: [2, 0], torque: 0.5, inertia: 1}
YAML
}

# momenta: the impulses of the loads to 1 s, force 0.5 + 1.875 and -0.75, torque 1; and of the constant ones
momenta='map(select(.type == "body")) | (.[0].velocity[0] - (0.5 + 1.875) / 2 | fabs) < 1e-14 and (.[0].velocity[1] + 0.75 / 2 | fabs) < 1e-14
    and (.[0].spin - 2 | fabs) < 1e-14 and (.[2].velocity[0] - 0.5 | fabs) < 1e-14 and (.[2].spin - 0.5 | fabs) < 1e-14'

@test "cd-loop: momenta are the integral of loads, at every step, halved ones too; constant forces move by f t (t + h) / 2m" {
    driven_setup
    for step in 0.5 0.1 0.04 0.001; do
        cd-scene -q --step "$step" driven.yaml | cd-loop -j --until 1 -- 'cd-step --rounds 1' >run.jsonl
        cd-view --check run.jsonl
        cd-view --frames last run.jsonl | jq -s -e "$momenta" >/dev/null
        cd-view --frames last run.jsonl | jq -s -e --argjson h "$step" 'map(select(.type == "body" and .id == 3)) |
            .[0].position[0] - 2 * (1 + $h) / 8 | fabs < 1e-13' >/dev/null
    done
    # one with a step of 0.1 s in many parts
    cd-scene -q -b driven.yaml | cd-loop -j --until 1 -- "cd-step --rounds 1 -j | python3 $BATS_TEST_DIRNAME/programs/loop_step.py halve=2,4 after-step" >halved.jsonl
    [ "$(jq -c 'select(.type == "frame" and .index == 2)' halved.jsonl | wc -l)" -gt 8 ]
    cd-view --check halved.jsonl
    cd-view --frames last halved.jsonl | jq -s -e "$momenta" >/dev/null
}

@test "cd-loop: a driven body is where its table says in every frame, halved ones too" {
    driven_setup
    at='map(select(.type == "frame" or .type == "body" and .id == 2)) | [.[range(0; length; 2)].time] as $t | [.[range(1; length; 2)]] as $b | [range($t | length)] | map(. as $i |
        (if $t[$i] < 0.15 then [9, 20 * $t[$i], 60 * $t[$i]] elif $t[$i] < 0.7 then [9 - ($t[$i] - 0.15) / 0.55, 3, 9] else [8, 3, 9] end) as $want |
        ([$b[$i].position[0] - $want[0], $b[$i].position[1] - $want[1], $b[$i].rotation - $want[2]] | map(fabs) | max)) | length > 9 and max < 1e-14'
    for step in 0.1 0.03 0.001; do
        cd-scene -q --step "$step" driven.yaml | cd-loop -j --until 1 -- 'cd-step --rounds 1' | cd-view -j --type frame,body | jq -s -e "$at" >/dev/null
    done
    cd-scene -q -b driven.yaml | cd-loop -j --until 1 -- "cd-step --rounds 1 -j | python3 $BATS_TEST_DIRNAME/programs/loop_step.py halve=1,4 after-step" >halved.jsonl
    [ "$(jq -c 'select(.type == "frame" and .index == 1)' halved.jsonl | wc -l)" -gt 8 ]
    cd-view -j --type frame,body halved.jsonl | jq -s -e "$at" >/dev/null
}

@test "cd-step --advance gives the frames of cd-loop where bodies are loaded and driven" {
    driven_setup
    cd-scene -q driven.yaml | cd-loop -j --until 0.3 -- 'cd-step --rounds 1' | cd-view -j --type head,frame,body --no-prog | jq -c 'select(.type == "body") | del(.mu, .release)' | tail -3 >loop.jsonl
    cd-scene -q driven.yaml | cd-step --advance | cd-step --advance | cd-step --advance | jq -c 'select(.type == "body") | del(.mu, .release)' | cmp - loop.jsonl
}

@test "cd-loop: a load or a drive of a body that is not there, or moves otherwise, is a bad stream" {
    loop_setup
    for row in '{"type":"load","body":8,"time":[0],"force":[[1,2]]} load: body 8: is not in the frame' \
        '{"type":"load","body":1,"time":[0],"force":[[1,2]]} load: body 1: its motion must be dynamic' \
        '{"type":"drive","body":3,"time":[0],"rotation":[1]} drive: body 3: its motion must be prescribed' \
        '{"type":"load","body":3,"time":[0,1],"torque":[1]} load: body 3: torque: 1 of them for 2 times'; do
        sed "4i ${row%% *}" scene.jsonl >bad.jsonl
        run -1 cd-view --check bad.jsonl
        [[ "$output" == *"load, drive: "*"${row#* }"* ]]
        run -3 --separate-stderr cd-loop -j --until 0.4 bad.jsonl -- "$STEP"
        [ "$stderr" = "cd-loop: frame 0: ${row#* }" ]
    done
}

# The run of a placed scene is the placed run: a box thrown at another one, loaded, beside a driven wall; no gravity.
@test "cd-loop: a scene that is placed as a whole moves as one that is not" {
    things='bodies: [{shape: {box: [0.2, 0.1]}, position: [0, 0.03], velocity: [2, 0], density: 1, load: [{time: 0, force: [0, 0.1], torque: 0}, {time: 1, force: [0, 0], torque: 0.01}]},
        {shape: {box: [0.1, 0.2]}, position: [0.6, 0], density: 1, force: [0.05, 0]}, {shape: {box: [0.1, 1]}, drive: [{time: 0, position: [-1, 0]}, {time: 1, position: [1, 0], rotation: 0}]}]'
    things=${things/'[-1, 0]}'/'[-1, 0], rotation: 0}'}
    printf 'step: 0.01\nepsilon: 1e-4\n%s\n' "$things" >plain.yaml
    printf 'step: 0.01\nepsilon: 1e-4\ngroups:\n- place: {position: [3, -2], rotation: 0.75}\n  %s\n' "$things" >placed.yaml
    for name in plain placed; do
        cd-scene -q "$name.yaml" | cd-loop --until 1 -- 'cd-broad | cd-narrow --contacts separating | cd-peg-assemble | cd-lcp | cd-step --rounds 8' |
            cd-view -j --frames last --type body | jq -c 'select(.type == "body")' >"$name.jsonl"
    done
    jq -n -e --slurpfile a plain.jsonl --slurpfile b placed.jsonl '[range(3)] | map($a[.] as $p | $b[.] as $q | (0.75 | cos) as $c | (0.75 | sin) as $s |
        [$q.position[0] - 3 - $c * $p.position[0] + $s * $p.position[1], $q.position[1] + 2 - $s * $p.position[0] - $c * $p.position[1],
         $q.rotation - 0.75 - $p.rotation, $q.velocity[0] - $c * $p.velocity[0] + $s * $p.velocity[1]] | map(fabs) | max) | length == 3 and max < 1e-7' >/dev/null
    jq -s -e '.[1].position[0] > 0.7 and (.[0].spin | fabs) > 0.1' plain.jsonl >/dev/null # they met
}

# Friction against a force in closed form, steps being implicit in the velocity: x = a t (t + h) / 2, a = (f_x - mu (m g - f_y)) / m,
# or no motion; and on a conveyor a = mu g until the block is as fast as the belt.
@test "cd-loop: blocks that are pushed and carried move as Coulomb says" {
    for dim in 2 3; do
        z() { if [ "$dim" -eq 2 ]; then echo "[$1, $2]"; else echo "[$1, 0, $2]"; fi; } # the second axis is up
        half() { if [ "$dim" -eq 2 ]; then echo "[$1, $2]"; else echo "[$1, 1, $2]"; fi; }
        cat >push.yaml <<YAML
dim: $dim
step: 0.01
epsilon: 1e-4
gravity: $(z 0 -10)
defaults: {mu: 0.5}
bodies:
  - {shape: {box: $(half 20 1)}, position: $(z 0 -1), drive: [{time: 0, position: $(z 0 -1)}]}
  - {shape: {box: $(half 0.5 0.1)}, position: $(z -3 0.1), mass: 2, force: $(z 9.99 0)}
  - {shape: {box: $(half 0.5 0.1)}, position: $(z 0 0.1), mass: 2, force: $(z 12 0)}
  - {shape: {box: $(half 0.5 0.1)}, position: $(z 6 0.1), mass: 2, force: $(z 13 -4)}
  - {shape: {box: $(half 20 1)}, position: $(z 0 19), drive: [{time: 0, position: $(z 0 19)}, {time: 10, position: $(z 20 19)}]}
  - {shape: {box: $(half 0.5 0.1)}, position: $(z 0 20.1), mass: 2}
YAML
        cd-scene -q push.yaml | cd-loop --until 1 -- 'cd-broad | cd-narrow --contacts separating | cd-peg-assemble --friction disc | cd-lcp | cd-step --rounds 8' |
            cd-view -j --frames last --type body >push.jsonl
        jq -s -e 'map(select(.type == "body").position[0]) as $x | [$x[1] + 3, $x[2] - 0.505, $x[3] - 6.2525, $x[4] - 2, $x[5] - (5 * 0.4 * 0.41 / 2 + 2 * 0.6)] |
            map(fabs) | max < 1e-7' push.jsonl >/dev/null || { cat push.jsonl; false; }
    done
}

# ---- without a pipeline ----

# Two boxes on a slope, the upper one with little friction.
slope() {
    cat <<'YAML'
gravity: [-3, -9]
step: 0.01
epsilon: 1e-4
bodies:
- {shape: {halfspace: {normal: [0, 1]}}, motion: fixed, mu: 0.5}
- {shape: {box: [0.2, 0.1]}, density: 1, position: [0, 0.101], mu: 0.5}
- {shape: {box: [0.1, 0.1]}, density: 1, position: [0.02, 0.302], mu: 0.1}
YAML
}
CHAIN='cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step'

@test "cd-loop without a pipeline: the default chain, of a stream or of YAML, which leaves no overlap" {
    slope >slope.yaml
    cd-scene slope.yaml >slope.jsonl
    run -0 --separate-stderr cd-loop --until 0.3 slope.jsonl
    [ -z "$stderr" ]
    cd-view --check <<<"$output"
    want=$(cd-loop --until 0.3 slope.jsonl -- "$CHAIN" | cd-view --digest)
    [ "$(cd-view --digest <<<"$output")" = "$want" ]
    [ "$(cd-loop --until 0.3 <slope.jsonl | cd-view --digest)" = "$want" ]
    [ "$(cd-loop --until 0.3 - <slope.jsonl | cd-view --digest)" = "$want" ]
    cd-loop --until 0.3 slope.yaml >run.jsonl
    [ "$(cd-view --digest run.jsonl)" = "$want" ]
    cp slope.yaml slope.yml
    cd-loop -q -b -t 2 --until 0.3 slope.yml -o run.cdb
    [ "$(cd-view --digest run.cdb)" = "$want" ]
    [ "$(cd-loop --until 0.3 slope.yaml -- "$CHAIN" | cd-view --digest)" = "$want" ]
    # separators, discs, rounds, no overlap; the lower box sticks
    [ "$(jq -r 'select(.type == "contact").kind' run.jsonl | sort -u)" = separating ]
    [ "$(cd-overlap-metric run.jsonl | jq -s 'map(select(.name == "overlap").value) | max')" = 0 ]
    jq -se 'map(select(.type == "metric" and .name == "rounds").value) | max >= 1' run.jsonl
    jq -se 'map(select(.type == "row" and .mu)) | length > 0' run.jsonl
    jq -se 'map(select(.type == "body" and .id == 2).velocity[0]) | last | fabs < 1e-6' run.jsonl
    # the upper one slides with a = 3 - mu 9, mu the mean of both
    jq -se 'map(select(.type == "body" and .id == 3).velocity[0]) | length == 31 and ((.[20] - .[10]) / 0.1 + 3 - 9 * (0.05 | sqrt) | fabs < 0.02)' run.jsonl
}

@test "cd-loop --warm: the default chain with cd-lcp --warm, which ends where the cold one does" {
    slope >slope.yaml
    cd-loop -w --until 0.3 slope.yaml >warm.jsonl
    [ "$(cd-view --digest warm.jsonl)" = "$(cd-loop --until 0.3 slope.yaml -- "${CHAIN/cd-lcp/cd-lcp --warm}" | cd-view --digest)" ]
    cd-loop --until 0.3 slope.yaml >cold.jsonl
    for run in warm cold; do jq -c 'select(.type == "body") | .position' $run.jsonl | tail -n 3 >$run; done
    jq -es '.[0:3] as $w | .[3:6] as $c | [range(3) as $i | range(2) as $k | $w[$i][$k] - $c[$i][$k] | fabs] | max < 1e-9' warm cold
}

# seams DIM SPEED FLOOR: the record of a box of half width 0.2 after 0.4 s, which slides without friction over the floor's meeting place at 0.
seams() {
    local across='' deep='' half='0.2,' level=''
    [ "$1" = 3 ] && across='0,' deep='1,' half='0.2,0.2,' level='0,'
    local part="{shape: {box: [5,${deep}0.5]}, position: [-5,${across}-0.5]}, {shape: {box: [5,${deep}0.5]}, position: [5,${across}-0.5]}"
    {
        echo "dim: $1"
        echo "gravity: [0,${level}-9.8]"
        echo "length: 0.4"
        echo "step: 0.01"
        echo "bodies:"
        case $3 in
        one) echo "  - {shape: {box: [10,${deep}0.5]}, position: [0,${across}-0.5], motion: fixed}" ;;
        compound) echo "  - {shape: {compound: [$part]}, position: [0,${across}0], motion: fixed}" ;;
        bodies) sed 's/}, {shape/, motion: fixed}\n  - {shape/; s/}$/, motion: fixed}/; s/^/  - /' <<<"$part" ;;
        esac
        echo "  - {id: 9, shape: {box: [${half}0.1]}, position: [-0.203,${across}0.1], velocity: [$2,${level}0], mass: 1}"
    } >"seams-$1-$3.yaml"
    cd-loop -q --until 0.4 "seams-$1-$3.yaml" | of_type body | grep '"id":9,' | tail -n 1
}

@test "cd-loop: a box does not catch where parts of a floor meet" {
    for dim in 2 3; do
        for speed in 0.02 0.05 0.3 2; do
            for floor in one compound bodies; do seams $dim $speed $floor; done >last
            jq -se "length == 3 and all(.[]; .position[0] + 0.203 - 0.4 * $speed | fabs < 1e-9)" last || { echo "$dim $speed" >&2 && cat last >&2 && false; }
        done
    done
}

# tiles DIM STEP FLOOR: the record of a ball after 0.6 s at 3 m/s without friction over five boxes side by side.
tiles() {
    local across='' deep='' round=circle
    [ "$1" = 3 ] && across='0,' deep='1,' round=sphere
    local part='' i
    for i in 0.25 0.75 1.25 1.75 2.25; do part+="${part:+, }{shape: {box: [0.25,${deep}0.5]}, position: [$i,${across}-0.5]}"; done
    {
        echo "dim: $1"
        echo "gravity: [0,${across}-9.8]"
        echo "length: 0.2"
        echo "step: $2"
        echo "bodies:"
        case $3 in
        one) echo "  - {shape: {box: [1.25,${deep}0.5]}, position: [1.25,${across}-0.5], motion: fixed}" ;;
        compound) echo "  - {shape: {compound: [$part]}, position: [0,${across}0], motion: fixed}" ;;
        bodies) sed 's/}, {shape/, motion: fixed}\n  - {shape/g; s/}$/, motion: fixed}/; s/^/  - /' <<<"$part" ;;
        esac
        echo "  - {id: 9, shape: {$round: 0.1}, position: [0.2,${across}0.1], velocity: [3,${across}0], mass: 1}"
    } >tiles.yaml
    cd-loop -q --until 0.6 tiles.yaml | of_type body | grep '"id":9,' | tail -n 1
}

@test "cd-loop: a ball does not catch where parts of a floor meet" {
    for dim in 2 3; do
        for step in 0.05 0.02 0.01 0.002; do
            { tiles $dim $step one && tiles $dim $step compound && tiles $dim $step bodies; } >last
            # one floor: 0.2 + 3 * 0.6; of parts: the same
            jq -se 'map(.position + .velocity) | length == 3 and (.[0][0] - 2 | fabs < 1e-9) and all(transpose[]; max - min < 1e-9)' last || { echo "$dim $step" >&2 && cat last >&2 && false; }
        done
    done
}

@test "cd-loop finds its own tools where PATH has none" {
    slope >slope.yaml
    want=$(cd-loop --frames 3 slope.yaml | cd-view --digest)
    loop=$(command -v cd-loop)
    PATH=/usr/bin:/bin "$loop" --frames 3 slope.yaml >run.jsonl
    [ "$(cd-view --digest run.jsonl)" = "$want" ]
}

# A box of half length 0.25 slides at 0.1 m/s over a gap of 0.1 m between two tables of one height. In a step of 50 ms free motion would
# take its leading corner 25 mm down, and 5 mm on: below the edge of the second table.
@test "cd-loop: a box that slides from one table to another one is not stopped by its side, however slow it is" {
    for dim in 2 3; do
        [ $dim = 3 ] && z=', 0' high=', 0.3' wide=', 0.1' || z='' high='' wide=''
        {
            echo "{dim: $dim, gravity: [0, -9.81$z], step: 0.05, bodies: ["
            echo "{shape: {box: [1, 0.1$high]}, position: [-1.05, -0.1$z], motion: fixed}, {shape: {box: [1, 0.1$high]}, position: [1.05, -0.1$z], motion: fixed},"
            echo "{id: 9, shape: {box: [0.25, 0.05$wide]}, position: [-0.3, 0.05$z], velocity: [0.1, 0$z], density: 1000}]}"
        } >tables.yaml
        cd-loop -q --until 4 tables.yaml >run.jsonl
        jq -es 'map(select(.type == "body" and .id == 9))[-1] | (.position[0] - 0.1 | fabs < 1e-9) and (.position[1] - 0.05 | fabs < 1e-9)' run.jsonl >/dev/null
    done
}

# Two bricks side by side, of which one leans over the lower corner of the other: what strikes that one from below drives it along the side of the
# first, which has nothing to do with it. The two go on with half the velocity each.
@test "cd-loop: a brick that is struck from below leaves the one beside it alone, however that leans over it" {
    for dim in 2 3; do
        for lean in 1e-6 1e-4 0.01 0.3; do
            [ $dim = 3 ] && z=', 0' wide=', 0.05' turn="{axis: [0, 0, 1], angle: -$lean}" || z='' wide='' turn="-$lean"
            {
                echo "{dim: $dim, step: 0.01, defaults: {mass: 1}, bodies: [{shape: {box: [0.1, 0.05$wide]}, position: [-0.1, 0.05$z]},"
                echo "{shape: {compound: [{shape: {box: [0.1, 0.05$wide]}, position: [0.1, 0.05$z]}]}, position: [0, 1e-4$z], rotation: $turn},"
                echo "{shape: {box: [0.02, 0.02$wide]}, position: [-0.1, -0.02$z], velocity: [0, 0.2$z]}]}"
            } >bricks.yaml
            cd-loop -q --until 0.03 bricks.yaml >run.jsonl
            jq -es '[.[] | select(.type == "body") | [.velocity[1], .velocity[0], ([.spin] | flatten | map(fabs) | max)]][-3:] as $v |
                [[0.1, 0, 0], [0, 0, 0], [0.1, 0, 0]] as $known | all(range(3) as $b | range(3) as $k | $v[$b][$k] - $known[$b][$k] | fabs; . < 1e-9)' run.jsonl >/dev/null ||
                { echo "$dim $lean" && cat run.jsonl && false; }
        done
    done
}

@test "cd-loop --model: the model of the run, whatever the scene says" {
    slope >slope.yaml
    { echo 'model: lnc'; slope; } >named.yaml
    jq -e 'select(.type == "head").model == "lnc"' <(cd-scene named.yaml | head -1)
    for model in $(choices cd-loop model | grep -vx penalty); do
        cd-loop -q --until 0.1 --model "$model" named.yaml >run.jsonl
        cd-view --check run.jsonl
        [ "$(jq -r 'select(.type == "head").model' run.jsonl)" = "$model" ]
        [ "$(cd-loop -q -m "$model" --until 0.1 -b slope.yaml | cd-view --digest)" = "$(cd-view --digest run.jsonl)" ]
        # the stages follow: the same as their options say
        narrow=$([ "$model" = separating ] && echo separating || echo features)
        cd-loop -q --until 0.1 slope.yaml -- "cd-broad | cd-narrow --contacts $narrow | cd-peg-assemble --model $model | cd-lcp | cd-step" >options.jsonl
        [ "$(sed '1s/,"model":"[a-z-]*"//' run.jsonl | cd-view --digest)" = "$(cd-view --digest options.jsonl)" ]
    done
    # penalty has stages of its own
    python3 "$BATS_TEST_DIRNAME/programs/meshes.py" strips 3 10 >strips.jsonl
    cd-loop --frames 40 strips.jsonl >run.jsonl
    jq -se 'map(select(.type == "force")) | length > 10' run.jsonl
    cd-loop --frames 40 strips.jsonl -- 'cd-broad | cd-narrow --contacts pinball | cd-penalty | cd-step -i central' | cd-view --digest | found -x "$(cd-view --digest run.jsonl)"
    sed '1s/penalty/peg/' strips.jsonl | cd-loop --frames 40 --model penalty | cd-view --digest | found -x "$(cd-view --digest run.jsonl)"
    # the scene's where no option is given
    [ "$(cd-loop --frames 2 named.yaml | jq -r 'select(.type == "contact").kind' | sort -u | paste -sd' ')" = 'analytic vertex-edge' ]
}

@test "cd-loop: a scene in YAML that is wrong is cd-scene's to tell, its exit status handed on" {
    printf 'dim: 4\n' >bad.yaml
    run -3 --separate-stderr cd-loop --until 1 bad.yaml
    [ "$(head -1 <<<"$stderr")" = "cd-scene: bad.yaml:1: dim: must be 2 or 3" ]
    [ "$(tail -1 <<<"$stderr")" = "cd-loop: bad.yaml: exit status 3 of cd-scene" ]
    run -4 --separate-stderr cd-loop --until 1 none.yaml
    [[ "$stderr" == *"cd-loop: none.yaml: exit status 4 of cd-scene" ]]
    run -4 --separate-stderr cd-loop --until 1 none.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

# ---- long runs ----

@test "cd-loop: a run that is interrupted and resumed, over and over, ends as one that was left alone" {
    slope >slope.yaml
    python3 "$BATS_TEST_DIRNAME/../fuzz/loop_interrupt.py" 4 1 slope.yaml 4
    python3 "$BATS_TEST_DIRNAME/../fuzz/loop_interrupt.py" 2 2 slope.yaml 4 --every 7 --keep next
}

@test "cd-loop -o: the frames are in FILE.part until the run is over, for others to read" {
    loop_setup
    mkfifo gate
    # the step after frame 2 waits for the gate
    timeout 60 cd-loop -j --until 0.4 -o run.jsonl scene.jsonl -- "$STEP | (sed -u '/\"index\":2/q'; cat gate - )" 3>&- &
    for _ in $(seq 100); do [ "$(grep -c fend run.jsonl.part 2>/dev/null)" = 2 ] && break; sleep 0.1; done
    run -3 --separate-stderr cd-view -j run.jsonl.part
    [ "$stderr" = "cd-view: run.jsonl.part: unfinished: 2 whole frames so far: its run goes on, or has stopped and waits for cd-loop --resume" ]
    [ "$(grep -c '"type":"fend"' <<<"$output")" -eq 2 ]
    run -4 --separate-stderr cd-loop -j --until 0.4 --resume run.jsonl -- "$STEP"
    [[ "$stderr" == *"another run is writing it" ]]
    [ ! -e run.jsonl ]
    : >gate
    wait
    [ -e run.jsonl ]
    [ ! -e run.jsonl.part ]
    loop "" >plain.jsonl
    [ "$(cd-view --digest run.jsonl)" = "$(cd-view --digest plain.jsonl)" ]
}

@test "cd-loop: what was computed outlives a failure in a later frame, and --resume goes on, in both encodings" {
    loop_setup
    loop "halve=1,2" >plain.jsonl
    for form in -j -b; do
        run -5 --separate-stderr timeout 60 cd-loop "$form" --until 0.4 -o run scene.jsonl -- "cd-view -j | $STEP halve=1,2 die=3"
        [[ "$stderr" == *"frame 3: the pipeline stopped: exit status 5"*"; the frames before are kept, --resume goes on" ]]
        [ ! -e run ]
        [ -e run.part ]
        # a second run does not take what is there for nothing
        run -2 --separate-stderr timeout 60 cd-loop "$form" --until 0.4 -o run scene.jsonl -- "cd-view -j | $STEP"
        [[ "$stderr" == *"run.part: it is there"* ]]
        # cut inside the last frame, as by SIGKILL
        head -c -20 run.part >cut.part
        for name in run cut.part; do
            timeout 60 cd-loop --until 0.4 --resume $name -- "cd-view -j | $STEP halve=1,2"
            [ "$(cd-view --digest "${name%.part}")" = "$(cd-view --digest plain.jsonl)" ]
        done
        cd-view --check run
        rm run cut
    done
    # nothing is left of a run that fails in its first frame
    run -5 timeout 60 cd-loop -j --until 0.4 -o run scene.jsonl -- "$STEP die=0"
    [ ! -e run.part ]
}

@test "cd-loop --resume: a run that is over goes further, a changed step and rounds too" {
    loop_setup
    for how in "" "step=0.05" "reject=2"; do
        loop "$how" >plain.jsonl
        timeout 60 cd-loop -j --until 0.1 scene.jsonl -- "$STEP $how" >run.jsonl
        timeout 60 cd-loop -j --until 0.1 --resume run.jsonl -- "$STEP $how" # nothing left to do
        timeout 60 cd-loop -j --until 0.4 --resume run.jsonl scene.jsonl -- "$STEP $how"
        [ "$(cd-view --digest run.jsonl)" = "$(cd-view --digest plain.jsonl)" ]
    done
    run -2 --separate-stderr cd-loop --until 0.2 --resume run.jsonl -- "$STEP"
    [[ "$stderr" == *"it goes further already: to frame 4, 0.4 s" ]]
}

@test "cd-loop --resume refuses what it cannot go on with, and leaves it as it is" {
    slope >slope.yaml
    cd-loop -b --until 0.05 slope.yaml -o run.cdb
    cp run.cdb before
    refuses() { # CODE SENTENCE ARGUMENTS...
        run "-$1" --separate-stderr timeout 60 cd-loop --until 0.1 "${@:3}"
        [[ "$stderr" == *"$2"* ]]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        cmp run.cdb before
        [ ! -e run.cdb.part ]
    }
    refuses 3 'its run had `cd-broad`, this one has `cd-broad --method=brute`' --resume run.cdb -- "${CHAIN/cd-broad/cd-broad --method brute}"
    refuses 3 'its run had `no further stage`, this one has `cd-view`' --resume run.cdb -- "$CHAIN | cd-view"
    sed s/0.302/0.304/ slope.yaml >other.yaml
    refuses 3 "it is not a run of this scene" --resume run.cdb other.yaml
    sed s/0.01/0.02/ slope.yaml >other.yaml
    refuses 3 "its run began with a step of 0.01 s, the scene has 0.02 s" --resume run.cdb other.yaml
    refuses 2 "its run had no --every=2" --resume run.cdb --every 2
    refuses 2 "-o has no place" --resume run.cdb -o out.cdb
    refuses 4 "none.cdb: No such file" --resume none.cdb
    cd-scene slope.yaml >scene.jsonl
    refuses 3 "no provenance of cd-loop" --resume scene.jsonl
    cd-view -j run.cdb | sed '/"type":"frame"/,/"type":"fend"/d' >empty.jsonl
    refuses 3 "no whole frame: nothing to go on from" --resume empty.jsonl
    gzip -k run.cdb
    refuses 6 "packed by gzip" --resume run.cdb.gz
    cp run.cdb bad.cdb
    printf x | dd of=bad.cdb bs=1 seek=3000 conv=notrunc status=none
    refuses 3 "cd-view --salvage keeps the frames before" --resume bad.cdb
    cd-loop -b --warm --until 0.05 slope.yaml -o warm.cdb
    refuses 2 "cd-lcp --warm goes by the steps before" --resume warm.cdb --warm
    cd-loop --resume run.cdb --until 0.1 slope.yaml
    [ "$(cd-view --digest run.cdb)" = "$(cd-loop --until 0.1 slope.yaml | cd-view --digest)" ]
}

@test "cd-loop: a full device and a file at its limit keep the frames before" {
    slope >slope.yaml
    want=$(cd-loop --until 0.4 slope.yaml | cd-view --digest)
    run -4 --separate-stderr cd-loop --until 0.4 -b slope.yaml -o /dev/full
    [[ "$stderr" == *"No space left on device"* ]]
    run -4 --separate-stderr bash -c 'ulimit -f 40; cd-loop -q --until 0.4 -b -l 0 slope.yaml -o run.cdb'
    [[ "$stderr" == "cd-loop: run.cdb: write: File too large; the frames before are kept, --resume goes on" ]]
    cd-loop --resume run.cdb --until 0.4 slope.yaml
    [ "$(cd-view --digest run.cdb)" = "$want" ]
    if [ "$(id -u)" -ne 0 ]; then
        mkdir locked && chmod a-w locked
        run -4 --separate-stderr cd-loop --until 0.4 slope.yaml -o locked/run.cdb
        [[ "$stderr" == *"Permission denied" ]]
    fi
    run -4 --separate-stderr cd-loop --until 0.4 slope.yaml -o nowhere/run.cdb
    [[ "$stderr" == *"No such file or directory" ]]
}

@test "cd-loop --keep: the last stage leaves out what nobody reads; the run is the same" {
    slope >slope.yaml
    local before="cd-broad | cd-narrow | cd-peg-assemble | cd-lcp"
    entries() { jq -s 'map(select(.tool == "cd-step"))[0].rows | [.entry // 0, .contact] | map(. > 0)' -c "$1"; }
    for options in -b -j; do
        # behind cat cd-step is not the last one, within a shell it only inherits what the last one is told
        for last in "cd-step --stats" "cd-step --stats | cat" "sh -c 'cd-step --stats | cat'"; do
            cd-loop $options --no-prog --until 0.2 --keep next slope.yaml -- "$before | $last" 2>stats >run.cdb
            entries stats >>told
            cd-view --digest run.cdb >>digests
        done
        cd-loop $options --no-prog --until 0.2 slope.yaml -- "$before | cd-step --stats" 2>stats >all.cdb
        entries stats >>told
    done
    [ "$(paste -sd' ' told)" = "[false,true] [true,true] [true,true] [true,true] [false,true] [true,true] [true,true] [true,true]" ]
    [ "$(sort -u digests | wc -l)" = 1 ]
}

@test "cd-loop --every, --keep: some frames and tables, a legal stream" {
    slope >slope.yaml
    cd-loop --until 0.2 slope.yaml >all.jsonl
    cd-loop --until 0.2 --every 6 slope.yaml >some.jsonl
    [ "$(jq 'select(.type == "frame").index' some.jsonl | paste -sd' ')" = '0 6 12 18 20' ]
    for k in 6 20; do [ "$(cd-view --frames $k some.jsonl | cd-view --digest)" = "$(cd-view --frames $k all.jsonl | cd-view --digest)" ]; done
    cd-loop --until 0.2 --keep next,metric slope.yaml >kept.jsonl
    cd-view --check kept.jsonl
    [ "$(jq -r 'select(.type == "frame"), select(.type == "body" or .type == "next" or .type == "metric" or .type == "contact" or .type == "row") | .type' kept.jsonl | sort -u | paste -sd' ')" = 'body frame metric next' ]
    cd-view --type body,next,metric all.jsonl | cd-view --digest >want
    [ "$(cd-view --digest kept.jsonl)" = "$(cat want)" ]
    # forces bring their contacts
    cd-loop --until 0.1 --keep force slope.yaml | cd-view --check | found contact
    run -2 --separate-stderr cd-loop --until 0.2 --keep body,nonsense slope.yaml
    [ "$stderr" = "cd-loop: --keep: nonsense: no table of a frame" ]
    run -2 --separate-stderr cd-loop --until 0.2 --keep shape slope.yaml
    [[ "$stderr" == *"--keep: shape: no table of a frame" ]]
    # the frame at which the step changes stays: the clock goes on from it
    loop_setup
    loop --every 3 "step=0.05" | jq -c 'select(.type == "frame").index' | paste -sd' ' | found -x '0 1 3 6 7'
}

@test "cd-loop: the first signal ends the run after its step, with an end and 128 + its number" {
    slope >slope.yaml
    for signal in INT TERM HUP; do
        rm -f run.jsonl # or its frames would be taken for those of the next run
        python3 - "$signal" <<'PY'
import signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
p = subprocess.Popen("exec cd-loop --until 1000 slope.yaml >run.jsonl", shell=True, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
while subprocess.run(["grep", "-c", "fend", "run.jsonl"], stdout=subprocess.PIPE).stdout in (b"", b"0\n"):
    time.sleep(0.01)
p.send_signal(number)
text = p.communicate()[1].decode()
assert p.returncode == 128 + number, p.returncode
assert "stopped by signal %d at frame" % number in text, text
PY
        cd-view --check run.jsonl
        [ "$(jq -c 'select(.type == "body")' <(cd-view -j --frames last run.jsonl) | wc -l)" -eq 3 ]
    done
}

# refused PIPELINE WORD...: cd-loop refuses it before the first frame, exit 2, with one line that holds the words.
refused() {
    local pipeline=$1 word
    shift
    run -2 --separate-stderr cd-loop --frames 3 slope.yaml -- "$pipeline"
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    for word; do [[ "$stderr" == *"$word"* ]] || { echo "$word: $stderr"; return 1; }; done
}

@test "cd-loop asks its stages what they read and write, and says which one is missing" {
    slope >slope.yaml
    refused 'cd-narrow | cd-step' 'stage 1, `cd-narrow`' 'reads pair' 'is cd-broad missing'
    refused 'cd-broad | cd-narrow | cd-lcp -t 2 | cd-step' 'stage 3, `cd-lcp -t 2`' 'reads row' 'is cd-peg-assemble missing'
    refused 'cd-broad | cd-narrow | cd-peg-assemble | cd-step' 'stage 4' 'reads solution' 'is cd-lcp missing'
    refused 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp' 'no stage makes next' 'is cd-step missing'
    # cd-broad drops the contacts of a stage before it
    refused 'cd-broad | cd-narrow | cd-broad | cd-peg-assemble | cd-lcp | cd-step' 'stage 4' 'reads contact' 'is cd-narrow missing'
    cd-loop --frames 3 slope.yaml -- cd-step | cd-view --check
    # what does not tell is trusted, and not started with an option that it does not know
    cp "$(command -v cd-narrow)" my-narrow
    cd-loop --frames 3 slope.yaml -- 'cd-broad | ./my-narrow | cd-peg-assemble | cd-lcp | cd-step' | cd-view --check
    printf '#!/bin/sh\n[ $# -eq 0 ] || touch was-asked\nexec cd-narrow\n' >narrow-of-mine
    printf '#!/bin/sh\n[ $# -eq 0 ] || exit 1\nexec cd-narrow\n' >cd-mine
    chmod +x narrow-of-mine cd-mine
    for narrow in ./narrow-of-mine ./cd-mine; do
        cd-loop --frames 3 slope.yaml -- "cd-broad | $narrow | cd-peg-assemble | cd-lcp | cd-step" | cd-view --digest
    done | uniq | wc -l | found -x 1
    [ ! -e was-asked ]
    # a frame that brings pairs along needs nobody who makes them
    cd-scene slope.yaml | cd-broad | cd-loop --frames 1 -- 'cd-narrow | cd-peg-assemble | cd-lcp | cd-step' | cd-view --check
}

# Twenty milliseconds or more a frame, before the stages.
slow_stages() {
    echo 'while IFS= read -r line; do echo "$line"; case $line in *fend*) sleep 0.02 ;; esac; done | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step'
}

# shown FILE: frame, time, percent, steps a second, seconds left, bodies, contacts and rounds of each line of progress.
shown() {
    tr '\r' '\n' <"$1" | grep -o 'cd-loop: .*' |
        sed -E 's/^cd-loop: frame ([0-9]+)  time ([0-9.]+) s  ([0-9]+)%  ([0-9.]+) steps\/s  ([0-9]+) s left  ([0-9]+) bodies  ([0-9]+) contacts  ([0-9]+) rounds?$/\1 \2 \3 \4 \5 \6 \7 \8/'
}

@test "cd-loop: --progress tells how far a run is, how fast, and how long still" {
    small_stream >scene.jsonl
    local begin end
    begin=$(date +%s%N)
    cd-loop -j --frames 51 --progress scene.jsonl -- "$(slow_stages)" 2>progress >run.jsonl
    end=$(date +%s%N)
    [ "$(wc -l <progress)" -eq 0 ] # one line, written over
    shown progress >lines
    [ "$(wc -l <lines)" -ge 3 ]
    [ "$(wc -l <lines)" -le $(((end - begin) / 100000000 + 1)) ]
    awk 'NF != 8 || $2 - $1 * 0.01 > 1e-9 || $1 * 0.01 - $2 > 1e-9 || $3 != int(100 * $1 / 50 + 1e-9) || $4 <= 0 || ($1 > 1 && $4 > 1 + 50 * $1 / ($1 - 1)) ||
        $5 - (50 - $1) / $4 > 0.6 || (50 - $1) / $4 - $5 > 0.6 || $6 != 2 || $8 < 1 { print; bad = 1 } END { exit bad }' lines
    while read -r index _ _ _ _ _ contacts _; do
        [ "$contacts" -eq "$(jq -s "[.[] | select(.type == \"fend\" or .type == \"contact\").type] | .[:(to_entries | map(select(.value == \"fend\")) | .[$((index - 1))].key)] | reverse | (index(\"fend\") // length)" run.jsonl)" ]
    done <lines
    # the same trajectory, and without being asked nothing
    cd-loop -j --until 0.5 scene.jsonl -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' 2>silent | cd-view --digest | diff - <(cd-view --digest run.jsonl)
    [ ! -s silent ]
    # the nearer end counts; of a run that goes on, percent are of all of it
    cd-loop -j --until 0.2 --frames 1000 --progress scene.jsonl -- "$(slow_stages)" 2>progress >/dev/null
    shown progress | awk '$3 != int(100 * $1 / 20 + 1e-9) { print; bad = 1 } END { exit bad || NR == 0 }'
    cd-loop -j --until 0.2 -o go.jsonl scene.jsonl
    cd-loop -j --until 0.4 --progress --resume go.jsonl 2>progress
    shown progress | awk '$1 <= 20 || $3 != int(100 * $1 / 40 + 1e-9) { print; bad = 1 } END { exit bad || NR == 0 }'
}

@test "cd-loop: a heap that glides takes little more than one round a step" {
    cat >heap.yaml <<'YAML'
dim: 2
gravity: [0, -9.81]
step: 0.01
seed: 1
bodies:
  - {shape: {box: [1.36, 0.2]}, position: [0, -0.2], motion: fixed}
  - {shape: {box: [0.2, 5]}, position: [-1.16, 5], motion: fixed}
  - {shape: {box: [0.2, 5]}, position: [1.16, 5], motion: fixed}
generate:
  - {generator: grid, count: [6, 5], spacing: [0.3, 0.3], origin: [-0.75, 0.25], turn: 3.14159, points: 10, scale: 0.25, body: {density: 7}}
YAML
    cd-scene -q heap.yaml | cd-loop -q --until 3 -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' | cd-overlap-metric -q >out.jsonl
    # it has landed after 2 s: whole steps from there on
    grep -E '^{"type":"(frame|metric)",' out.jsonl | jq -se 'reduce .[] as $row ({rounds: []}; if $row.type == "frame" then .late = $row.time > 1.995 elif .late and $row.name == "rounds" then .rounds += [$row.value] else . end) |
        .rounds | length == 100 and add / length < 1.5'
    of_metric overlap <out.jsonl | jq -se 'map(.value) | length > 300 and max == 0'
}

@test "cd-loop: what turns slowly on what it glides on takes one round a step, and is not lifted" {
    cat >plate.yaml <<'YAML'
dim: 2
gravity: [0, -9.81]
step: 0.01
bodies:
  - {shape: {polygon: [[-0.2, -0.2], [0.2, -0.2], [0, 0]]}, motion: fixed}
  - {shape: {box: [0.5, 0.05]}, position: [0, 0.050000001], density: 1000, spin: 0.02}
YAML
    cd-scene -q plate.yaml | cd-loop -q --until 0.2 -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' | cd-overlap-metric -q >out.jsonl
    jq -se 'map(select(.name == "rounds").value) | length == 20 and all(.[]; . == 1)' out.jsonl
    jq -se 'map(select(.name == "gap").value) | all(.[]; . > 0 and . < 2e-7)' out.jsonl
    # With friction nothing is asked for besides: what sticks would be lifted off.
    asked() { cd-scene -q - | cd-broad | cd-narrow | cd-peg-assemble | jq -c 'select(.type == "row" and .role == "impulse").rhs < 0'; }
    [ "$(asked <plate.yaml)" = true ]
    [ "$(sed 's/spin/mu: 0.5, spin/; s/motion: fixed/&, mu: 0.5/' plate.yaml | asked)" = false ]
}

# A block that rests, one that is let go later, one that is pushed for a while and one that is led away.
resting_scene() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.8],"length":0.1}
{"type":"shape","id":1,"kind":"polygon","vertices":[[-0.05,-0.05],[0.05,-0.05],[0.05,0.05],[-0.05,0.05]]}
{"type":"shape","id":2,"kind":"polygon","vertices":[[-3,-0.2],[3,-0.2],[3,0.2],[-3,0.2]]}
{"type":"load","body":4,"time":[0,0.899,0.9,0.95,0.951],"force":[[0,0],[0,0],[3,0],[3,0],[0,0]]}
{"type":"drive","body":5,"time":[0,1.2,1.3],"position":[[2,0.5],[2,0.5],[2.1,0.5]]}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0.0501],"mass":0.25,"inertia":0.003,"mu":0.5}
{"type":"body","id":2,"shape":2,"position":[0,-0.2],"motion":"fixed","mu":0.5}
{"type":"body","id":3,"shape":1,"position":[0.3,0.1502],"mass":0.25,"inertia":0.003,"mu":0.5,"release":0.505}
{"type":"body","id":4,"shape":1,"position":[-0.4,0.0501],"mass":0.25,"inertia":0.003,"mu":0.1}
{"type":"body","id":5,"shape":1,"position":[2,0.5],"motion":"prescribed"}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-loop: steps that come again have the bytes of those that are worked out; a load, a drive and a release end the rest" {
    resting_scene >scene.jsonl
    local stages="cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric" options
    for options in "-b" "-b --every 7" "-b --keep next,metric" "-j"; do
        # A stage that says nothing of fend.again, as cat, breaks the count: each frame is sent.
        # shellcheck disable=SC2086
        cd-loop --no-prog $options --stats --until 2 scene.jsonl -- "$stages" >again.cdb 2>stats
        # shellcheck disable=SC2086
        cd-loop --no-prog $options --stats --until 2 scene.jsonl -- "$stages | cat" >sent.cdb 2>sent
        cmp again.cdb sent.cdb
        jq -se 'map(select(.tool == "cd-loop"))[0] | has("again") | not' sent >/dev/null
        [ "$options" = -j ] || jq -se 'map(select(.tool == "cd-loop"))[0].again > 60' stats >/dev/null
    done
    # it moved, each at its time
    cd-view -j --type body sent.cdb | jq -se 'map(select(.type == "body" and .id == 4).position[0]) | last > -0.39' >/dev/null
    cd-view -j --type body sent.cdb | jq -se 'map(select(.type == "body" and .id == 3).position[1]) | last < 0.051' >/dev/null
    cd-view -j --type body sent.cdb | jq -se 'map(select(.type == "body" and .id == 5).position[0]) | last > 2.09' >/dev/null
    # one stage that is two is no stand-in for one that does not count, and that pushes in frame 150
    cat >push.py <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import cdstream
reader = cdstream.Reader(sys.stdin.buffer)
writer = cdstream.Writer(sys.stdout.buffer, reader.binary)
for section in reader:
    for frame in section.get("frame", []):
        for body in section["body"][:frame["index"] == 150]:
            body["velocity"] = [1, 0]
    writer.write(section)
PYTHON
    local push="python3 push.py '$BATS_TEST_DIRNAME/../../pipelines/python'"
    cd-loop -b --until 2 scene.jsonl -- "$push | (cd-broad | cd-narrow) | cd-peg-assemble | cd-lcp | cd-step" |
        cd-view -j --type body --frames 152 | jq -se 'map(select(.type == "body" and .id == 1).velocity[0]) | last > 0.5' >/dev/null
    # what is interrupted in the middle of it goes on alike
    cd-loop -b --until 0.8 -o part.cdb scene.jsonl -- "$stages"
    cd-loop --until 2 --resume part.cdb -- "$stages"
    cd-loop -b --until 2 -o whole.cdb scene.jsonl -- "$stages"
    [ "$(cd-view --digest part.cdb)" = "$(cd-view --digest whole.cdb)" ]
}
