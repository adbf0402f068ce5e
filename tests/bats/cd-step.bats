#!/usr/bin/env bats
load helper

# A body thrown sideways; with `rows`, its velocity rows and what a solver said of them (STATUS).
body_frame() { # body_frame INDEX TIME [MORE OF FRAME]
    echo "{\"type\":\"frame\",\"index\":$1,\"time\":$2,\"step\":0.5${3:-}}"
    echo '{"type":"body","id":9,"position":[0,0],"velocity":[1,0],"spin":2,"mass":2,"inertia":1,"my-note":"kept"}'
    echo '{"type":"body","id":3,"position":[5,5],"velocity":[1,1],"motion":"prescribed"}'
}
rows() { # rows STATUS
    for axis in 0 1 2; do echo "{\"type\":\"row\",\"id\":$axis,\"role\":\"velocity\",\"body\":9,\"axis\":$axis,\"rhs\":0}"; done
    echo "{\"type\":\"solution\",\"status\":\"$1\"}"
    for axis in 0 1 2; do echo "{\"type\":\"value\",\"row\":$axis,\"z\":$((axis + 1))}"; done
}
stream() { # the frame's records come from standard input
    echo '{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-10]}'
    cat
    echo '{"type":"fend"}'
    echo '{"type":"end"}'
}
next_of() { jq -c "select(.type==\"next\" and .body==$1) | [.position,.rotation,.velocity,.spin]"; }

@test "cd-step does what every filter does" { common_filter_tests cd-step; }

@test "cd-step: without rows bodies move freely" {
    body_frame 0 0 | stream >in.jsonl
    run -0 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$(next_of 9 <<<"$output")" = '[[0.5,-2.5],1,[1,-5],2]' ]
    [ "$(next_of 3 <<<"$output")" = '[[5.5,5.5],0,[1,1],0]' ]
    [ "$(of_type verdict <<<"$output")" = '{"type":"verdict","accept":true,"round":0}' ]
}

@test "cd-step: solved velocities rule, and --step sets the next frame's" {
    { body_frame 0 0; rows solved; } | stream >in.jsonl
    run -0 --separate-stderr cd-step --rounds 1 --step 0.25 in.jsonl
    [ "$(next_of 9 <<<"$output")" = '[[0.5,1],1.5,[1,2],3]' ]
    [ "$(of_type verdict <<<"$output")" = '{"type":"verdict","accept":true,"round":0,"step":0.25}' ]
    # these velocities come of no contact: 2 kg times (1, 2) - (1, -5)
    [ "$(of_type metric <<<"$output" | jq -c '[.name,.value]')" = '["force-unplaced",14]' ]
}

@test "cd-step: what happens to an unsolved problem is the user's choice" {
    { body_frame 0 0; rows ray; } | stream >in.jsonl
    run -5 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$stderr" = "cd-step: frame 0: solution: ray: the complementarity problem was not solved (--on-unsolved says what to do then)" ]
    if grep -q '"type":"end"' <<<"$output"; then false; fi
    run -0 --separate-stderr cd-step --on-unsolved free in.jsonl
    [ "$(next_of 9 <<<"$output")" = '[[0.5,-2.5],1,[1,-5],2]' ]
    [ "$(of_type verdict <<<"$output" | jq -r .reason)" = "unsolved (ray): moved without contact" ]
    [ "$(of_type metric <<<"$output")" = '{"type":"metric","tool":"cd-step","name":"unsolved","value":1}' ]
    run -0 --separate-stderr cd-step --on-unsolved hold in.jsonl
    [ "$(next_of 9 <<<"$output")" = '[[0,0],0,[0,0],0]' ]
    [ "$(next_of 3 <<<"$output")" = '[[5.5,5.5],0,[1,1],0]' ]
}

@test "cd-step: halving asks for the same frame with half the step, five times" {
    { body_frame 0 0; rows limit; } | stream >in.jsonl
    run -0 --separate-stderr cd-step --on-unsolved halve in.jsonl
    [ "$(of_type verdict <<<"$output")" = '{"type":"verdict","accept":false,"round":1,"step":0.25,"reason":"unsolved (limit): step halved"}' ]
    [ -z "$(of_type next <<<"$output")" ]
    { body_frame 0 0 ',"round":4,"rest":7.5'; rows limit; } | stream >in.jsonl
    run -0 --separate-stderr cd-step --on-unsolved halve in.jsonl
    [ "$(of_type verdict <<<"$output" | jq -c '[.accept,.round,.step]')" = '[false,5,0.25]' ]
    { body_frame 0 0 ',"round":5,"rest":15.5'; rows limit; } | stream >in.jsonl
    run -5 --separate-stderr cd-step --on-unsolved halve in.jsonl
    [[ "$stderr" == *"halved 5 times" ]]
    { body_frame 0 0 ',"round":5,"rest":15.5'; rows solved; } | stream >in.jsonl
    run -0 --separate-stderr cd-step --on-unsolved halve in.jsonl
    [ "$(of_type verdict <<<"$output")" = '{"type":"verdict","accept":true,"round":5,"rest":15.5}' ]
}

@test "cd-step in a loop: halved steps add up to whole ones" {
    small_stream >scene.jsonl
    # A solver that fails on steps above 3 ms: the falling square must come down all the same, at the same times.
    cat >fail.jq <<'JQ'
foreach inputs as $r ({step: 0}; if $r.type == "frame" then .step = $r.step else . end;
    if $r.type == "solution" and .step > 0.003 then $r | .status = "limit" else $r end)
JQ
    cd-loop -j --frames 4 scene.jsonl -- \
        'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp -j | jq -n -c --unbuffered -f fail.jq | cd-step --on-unsolved halve' >run.jsonl
    [ "$(of_type frame <run.jsonl | jq -c 'select((.substep // 0)==0) | [.index,.time]' | tr -d '\n')" = '[0,0][1,0.01][2,0.02][3,0.03]' ]
    of_type frame <run.jsonl | jq -es 'map(select(.index<3)) | length > 3 and all(.step <= 0.003)' >/dev/null
    [ "$(of_type frame <run.jsonl | jq -s 'map(select(.index==0).step) | add')" = 0.01 ]
    [ "$(of_type solution <run.jsonl | jq -r .status | sort -u)" = solved ]
}

@test "cd-step: penalty forces act on both bodies at the contact" {
    { cat <<'JSONL'
{"type":"frame","index":0,"time":0,"step":0.5}
{"type":"body","id":1,"position":[0,0],"mass":1,"inertia":1}
{"type":"body","id":2,"position":[2,0],"mass":2,"inertia":0.5}
{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"pinball","point":[1,0],"normal":[1,0],"gap":-0.1}
{"type":"force","contact":0,"vector":[4,8]}
JSONL
    } | stream | sed 's/-10/0/' >in.jsonl
    run -0 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$(next_of 1 <<<"$output")" = '[[-1,-2],-2,[-2,-4],-4]' ]
    [ "$(next_of 2 <<<"$output")" = '[[2.5,1],-4,[1,2],-8]' ]
}

@test "cd-step: unreleased bodies keep their state" {
    body_frame 0 0 | sed 's/"my-note"/"release":0.1,"my-note"/' | stream >in.jsonl
    [ "$(cd-step --rounds 1 in.jsonl | next_of 9)" = '[[0,0],0,[1,0],2]' ]
    # without a position they have none at the end either
    body_frame 0 0 | sed 's/"position":\[0,0\],\(.*\)"my-note"/\1"release":0.1,"my-note"/' | stream >nowhere.jsonl
    [ "$(cd-step --rounds 1 nowhere.jsonl | of_type next | jq .body | paste -sd' ')" = 3 ]
    [ "$(cd-step --advance nowhere.jsonl | of_type body | jq -c .position | paste -sd' ')" = 'null [5.5,5.5]' ]
}

@test "cd-step --advance writes the following frame alone" {
    { body_frame 3 1.5; rows solved; } | stream >in.jsonl
    run -0 --separate-stderr cd-step --no-prog --advance in.jsonl
    [ "$output" = '{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-10]}
{"type":"frame","index":4,"time":2,"step":0.5}
{"type":"body","id":9,"position":[0.5,1],"rotation":1.5,"velocity":[1,2],"spin":3,"mass":2,"inertia":1,"motion":"dynamic","mu":0,"release":0,"my-note":"kept"}
{"type":"body","id":3,"position":[5.5,5.5],"rotation":0,"velocity":[1,1],"spin":0,"motion":"prescribed","mu":0,"release":0}
{"type":"fend"}
{"type":"end"}' ]
    run -2 cd-step --advance --on-unsolved halve in.jsonl
}

@test "cd-step --advance: a hand-made chain and cd-loop give the same frames" {
    small_stream >s0.jsonl
    for k in 0 1 2; do
        cd-broad "s$k.jsonl" | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --advance >"s$((k + 1)).jsonl"
        cd-broad -b "s$k.jsonl" | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --advance -j >"b$((k + 1)).jsonl"
        [ "$(cd-view --digest "s$((k + 1)).jsonl")" = "$(cd-view --digest "b$((k + 1)).jsonl")" ]
    done
    cd-loop -j --frames 4 s0.jsonl -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --rounds 1' >run.jsonl
    state() { of_type body | jq -c '[.id,.position,.rotation // 0,.velocity // [0,0],.spin // 0]'; }
    [ "$(state <s3.jsonl)" = "$(state <run.jsonl | tail -2)" ]
    [ "$(of_type frame <s3.jsonl)" = "$(of_type frame <run.jsonl | tail -1)" ]
}

@test "cd-step refuses what it cannot use, in one line" {
    { body_frame 0 0; rows solved | grep -v solution; } | stream >in.jsonl
    run -3 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$stderr" = "cd-step: frame 0: solution: missing: the frame has rows that nobody solved (cd-lcp comes before cd-step)" ]
    { body_frame 0 0; rows solved | sed '$d'; } | stream >in.jsonl
    run -3 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$stderr" = "cd-step: frame 0: value: body 9: its velocity rows have no complete set of values" ]
    body_frame 0 0 | sed 's/,"step":0.5//' | stream >in.jsonl
    run -3 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    body_frame 0 0 | sed 's/"position":\[0,0\],//' | stream >in.jsonl
    run -3 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$stderr" = "cd-step: frame 0: body 9: position: required of a body that takes part" ]
}

@test "cd-step --rounds is refused where it cannot be kept" {
    body_frame 0 0 | stream >in.jsonl
    run -2 --separate-stderr cd-step --rounds 8 --advance in.jsonl
    [ "$stderr" = "cd-step: --rounds repeats a frame, which needs cd-loop: not with --advance" ]
    run -2 cd-step --rounds 8 --on-unsolved free in.jsonl
    run -3 --separate-stderr cd-step --rounds 8 in.jsonl
    [ "$stderr" = "cd-step: frame 0: body 9: shape: required of a body that takes part" ]
}

@test "cd-step without options: rounds, where one can follow" {
    small_stream | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp >in.jsonl
    rounds() { of_type metric | jq 'select(.name == "rounds").value'; } # which one round alone does not write
    [ "$(cd-step in.jsonl | rounds)" = 1 ]
    [ "$(cd-step in.jsonl | next_of 1)" = "$(cd-step --rounds 8 in.jsonl | next_of 1)" ]
    [ -z "$(cd-step --rounds 1 in.jsonl | rounds)" ]
    for policy in free hold halve; do [ -z "$(cd-step --on-unsolved $policy in.jsonl | rounds)" ]; done
    for policy in accept stop; do [ "$(cd-step --on-unsolved $policy in.jsonl | rounds)" = 1 ]; done
    [ "$(cd-step --advance in.jsonl | of_type frame | jq .index)" = 1 ]
    run -0 --separate-stderr cd-loop --until 0.1 <(small_stream) -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric'
    [ -z "$stderr" ]
    [ "$(of_type metric <<<"$output" | jq -s 'map(select(.name == "overlap").value) | max')" = 0 ]
    [ "$(of_type metric <<<"$output" | jq -s 'map(select(.name == "rounds").value) | max >= 1')" = true ]
}

@test "cd-step --on-unsolved accept: impulses of discs that come near are taken, with their residual" {
    discs() { # STATUS: a row of friction that names its normal row
        { body_frame 0 0; rows "$1"; } | stream | jq -c 'if .type == "solution" then .residual = 1e-5 else . end
            | if .type == "row" and .id == 2 then ., {type: "row", id: 3, role: "impulse", rhs: 0},
                {type: "row", id: 4, role: "friction", normal_row: 3, mu: 0.5, rhs: 0} else . end'
    }
    for word in limit inaccurate; do
        discs $word >in.jsonl
        run -0 --separate-stderr cd-step --rounds 1 in.jsonl
        [ "$(next_of 9 <<<"$output")" = '[[0.5,1],1.5,[1,2],3]' ]
        of_type metric <<<"$output" | jq -se 'map({(.name): .value}) | add | del(."force-unplaced") == {unsolved: 1, residual: 1e-5}'
        [ "$(of_type verdict <<<"$output" | jq -r .reason)" = "unsolved ($word): impulses as they are" ]
        run -5 --separate-stderr cd-step --on-unsolved stop in.jsonl
    done
    discs ray >in.jsonl
    run -5 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "cd-step with rounds goes on with impulses that come near, or stops" {
    small_stream | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp >in.jsonl
    solution() { jq -c --arg s "$1" --argjson r "$2" 'if .type == "solution" then .status = $s | .residual = $r else . end' in.jsonl; }
    for word in limit inaccurate; do
        solution $word 1e-7 >near.jsonl
        [ "$(cd-step near.jsonl | next_of 1)" = "$(cd-step in.jsonl | next_of 1)" ]
        cd-step near.jsonl | of_type metric | jq -se 'map({(.name): .value}) | add | .unsolved == 1 and .residual == 1e-7 and .rounds == 1'
        run -5 --separate-stderr cd-step --rounds 8 --on-unsolved stop near.jsonl
        [ "$stderr" = "cd-step: frame 0: solution: $word: the complementarity problem was not solved (--on-unsolved says what to do then)" ]
        # without friction impulses that are far off are none
        [ "$(solution $word 1e-5 | cd-step | of_type verdict | jq -c '[.accept, .reason]')" = "[false,\"unsolved ($word): facets of the start instead\"]" ]
    done
    [ "$(solution infeasible 1e-7 | cd-step | of_type verdict | jq .accept)" = false ]
    # what a round before was left with is told of the step that is accepted
    jq -c 'if .type == "frame" then .round = 1 | .residual = 1e-4 else . end' in.jsonl |
        cd-step | of_type metric | jq -se 'map({(.name): .value}) | add | .unsolved == 1 and .residual == 1e-4'
}

@test "cd-step with rounds: a residual is carried to the round that follows" {
    cd-scene -q "$BATS_TEST_DIRNAME/../../pipelines/scenes/drop-turned.yaml" >scene.jsonl
    cd-loop -j --keep-trials --until 0.5 scene.jsonl -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp -j |
        jq -c --unbuffered "if .type == \"solution\" then .status = \"limit\" | .residual = 1e-7 else . end" | cd-step' >run.jsonl
    # every repeated frame of an attempt has it, every accepted one with rows tells it
    jq -en '[inputs | select(.type == "frame" and .round > 0 and .first_round == null)] | length > 0 and all(.[]; .residual == 1e-7)' run.jsonl
    jq -en '[inputs | select(.type == "metric" and .name == "residual").value] | length > 0 and all(.[]; . == 1e-7)' run.jsonl
}

@test "cd-step --rounds 1 says once that the energy of a step cannot be right" {
    last_attempt 50 | sed 's/,"round":9.*"rest":15.5//' >in.jsonl
    { sed '$d' in.jsonl; sed -n '/"frame"/,/"fend"/p' in.jsonl | sed 's/"index":0/"index":1/'; echo '{"type":"end"}'; } >twice.jsonl
    run -0 --separate-stderr cd-step --rounds 1 twice.jsonl
    # 2 kg at 50 m/s and at 1 m/s
    [ "$stderr" = "cd-step: frame 0: kinetic energy 2500 J where motion without contact has 1 J: one round does not look at the step's end (--rounds 8 does)" ]
    run -0 --separate-stderr cd-step -q --rounds 1 twice.jsonl
    [ -z "$stderr" ]
    last_attempt 0.9 | sed 's/,"round":9.*"rest":15.5//' >in.jsonl
    run -0 --separate-stderr cd-step --rounds 1 in.jsonl
    [ -z "$stderr" ]
}

# In space: a body about its middle axis, without gravity.
spinning() { # spinning RULE
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":3,"gyroscopic":"$1"}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"position":[0,0,0],"velocity":[1,2,3],"spin":[0.01,5,0.02],"mass":2,"inertia":[1,2,3,0,0,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}
spinning_energies() { # 2 E of the first and of the last frame: R' w in the body's frame
    of_type body | jq -s 'map(. as $b | ($b.rotation // [1,0,0,0]) as [$w,$x,$y,$z] | $b.spin as [$a,$c,$d]
        | [(1-2*($y*$y+$z*$z))*$a+2*($x*$y+$w*$z)*$c+2*($x*$z-$w*$y)*$d,
           2*($x*$y-$w*$z)*$a+(1-2*($x*$x+$z*$z))*$c+2*($y*$z+$w*$x)*$d,
           2*($x*$z+$w*$y)*$a+2*($y*$z-$w*$x)*$c+(1-2*($x*$x+$y*$y))*$d]
        | .[0]*.[0] + 2*.[1]*.[1] + 3*.[2]*.[2]) | [first, last]'
}

@test "cd-step in space: a body tumbling about its middle axis keeps its energy, the explicit rule does not" {
    spinning midpoint | cd-loop -j --until 10 -- 'cd-step --rounds 1' >midpoint.jsonl
    spinning_energies <midpoint.jsonl >energies
    jq -es 'length == 1 and all(.[]; (.[1] / .[0] - 1 | fabs) < 1e-4)' energies
    [ "$(of_type body <midpoint.jsonl | tail -1 | jq -c '.position | map(. * 1000 | round)')" = '[10000,20000,30000]' ]
    spinning explicit | cd-loop -j --until 10 -- 'cd-step --rounds 1' >explicit.jsonl
    spinning_energies <explicit.jsonl >energies
    jq -es 'length == 1 and all(.[]; .[1] / .[0] > 1.1)' energies
}

@test "cd-step in space: energy that the explicit rule makes is told once, and ends the run where a step makes it fourfold" {
    # nothing to tell of midpoint
    run -0 --separate-stderr bash -c "$(declare -f spinning); spinning midpoint | sed 's/\[0.01,5,/[1,5,/' |
        cd-loop -j --until 1 -- 'cd-step --rounds 1' >midpoint.jsonl"
    [ -z "$stderr" ]
    # told when 1e-4 is gained, all steps taken together
    run -0 --separate-stderr bash -c "$(declare -f spinning); spinning explicit |
        cd-loop -j --until 10 -- 'cd-step --rounds 1' >explicit.jsonl"
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ "$stderr" == "cd-step: frame "*": body 1: its free motion gains turning energy, so far 0.0001"* ]]
    # p = 40, r = 80, A = 2, C = 1/2, h = 0.05: (h r p (A - C) / A)^2 A / (A p^2 + C r^2) = 4.5
    run -5 --separate-stderr bash -c "$(declare -f spinning); spinning explicit |
        sed 's/\[0.01,5,0.02\]/[40,0,80]/; s/\[1,2,3,/[2,2,0.5,/; s/\"step\":0.01/\"step\":0.05/' | cd-step --rounds 1"
    [ "$stderr" = "cd-step: frame 0: body 1: turning energy goes from at most 3200 J to 17600 J in a step of 0.05 s without contact: head.gyroscopic explicit gains energy (midpoint does not)" ]
    says_no grep -q '"type":"end"' <<<"$output"
}

# A small box flies at 100 m/s, 20 of its lengths a step, towards a thin wall. DIM, SPEED
bullet() {
    local zeros ones inertia
    zeros=$([ "$1" = 2 ] && echo "0" || echo "0,0")
    ones=$([ "$1" = 2 ] && echo "1" || echo "1,1")
    inertia=$([ "$1" = 2 ] && echo 1 || echo '[1,1,1,0,0,0]')
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":$1,"length":0.1}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.05,${ones//1/0.05}]}
{"type":"shape","id":2,"kind":"box","halfsizes":[0.01,$ones]}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,$zeros],"velocity":[$2,$zeros],"mass":1,"inertia":$inertia}
{"type":"body","id":2,"shape":2,"position":[0.5,$zeros],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-step --rounds: without any stage that finds contacts a body still does not enter a wall" {
    for dim in 2 3; do
        bullet $dim 100 | cd-loop -j --frames 2 -- 'cd-step --rounds 8' >run.jsonl
        [ "$(of_type verdict <run.jsonl | jq -r .accept | sort -u)" = true ]
        [ "$(of_type frame <run.jsonl | jq -s -c 'map(select((.substep // 0) == 0) | .time)')" = '[0,0.01]' ]
        of_type body <run.jsonl | jq -es 'map(select(.id == 1).position[0]) | max <= 0.44 + 5e-15 and max > 0.4399' >/dev/null
        # a miss is no hit: one round, the velocity kept
        bullet $dim -100 | cd-loop -j --frames 2 -- 'cd-step --rounds 8' >run.jsonl
        [ "$(of_type metric <run.jsonl | jq -s -c 'map([.name,.value])')" = '[["rounds",1],["path-poses",0],["path-poses-most",0]]' ]
    done
}

@test "cd-step --rounds: a thin wall stops a bullet of any speed and spin, in few rounds" {
    local chain='cd-broad | cd-narrow --contacts separating | cd-peg-assemble | cd-lcp | cd-step --rounds 8 | cd-overlap-metric'
    for dim in 2 3; do
        for speed in 1e2 1e4 1e6; do
            # length 1 and gravity: the face behind the wall is near enough to be chosen as separator
            bullet $dim $speed | sed 's/"length":0.1/"length":1,"gravity":[0,'"$([ $dim = 3 ] && echo 0,)"'-9.81]/;s/\[0.01,/[0.0005,/;s/"step":0.01/"step":0.05/' >in.jsonl
            for spin in 0 2000; do
                [ $dim = 3 ] && turn="[$spin,0,$spin]" || turn=$spin
                sed "s/\"mass\":1/\"spin\":$turn,&/" in.jsonl | cd-loop -j --frames 3 -- "$chain" >run.jsonl
                grep -E '^{"type":"(body|metric)",' run.jsonl | jq -es '(map(select(.id == 1).position[0]) | max < 0.4495 + 1e-9 and max > 0.35) and
                    (map(select(.name == "overlap").value) | max < 1e-15) and (map(select(.name == "path-poses-most").value) | max < 200)' >/dev/null
            done
        done
    done
}

# A bat of 1 m turns at 2,000 rad/s about its middle; a ball and a box lie still where it comes by. DIM, STEP, MOTION of the bat
batting() {
    jq -nc --argjson dim "$1" --argjson step "$2" --arg motion "$3" '
        def point: . + ([range($dim - 2)] | map(0));
        def solid(x): {mass: x, inertia: (if $dim == 2 then x / 100 else [x / 100, x / 100, x / 100, 0, 0, 0] end)};
        {type: "head", cds: [1, 0], dim: $dim, length: 0.1},
        {type: "shape", id: 1, kind: "box", halfsizes: [0.5, 0.01, 0.05][:$dim]},
        {type: "shape", id: 2, kind: "sphere", radius: 0.05},
        {type: "shape", id: 3, kind: "box", halfsizes: [0.05, 0.05, 0.05][:$dim]},
        {type: "frame", index: 0, time: 0, step: $step},
        ({type: "body", id: 1, shape: 1, position: ([0, 0] | point), motion: $motion,
          spin: (if $dim == 2 then 2000 else [0, 0, 2000] end)} + solid(9)),
        ({type: "body", id: 2, shape: 2, position: ([0.3, 0.2] | point)} + solid(0.1)),
        ({type: "body", id: 3, shape: 3, position: ([-0.2, -0.3] | point)} + solid(0.1)),
        {type: "fend"}, {type: "end"}'
}

@test "cd-step --rounds: a bat at 2,000 rad/s, prescribed or free, hits what lies in its way and passes through nothing" {
    local chain='cd-broad | cd-narrow --contacts separating | cd-peg-assemble | cd-lcp | cd-step --rounds 8 | cd-overlap-metric'
    for dim in 2 3; do
        for step in 0.001 0.01 0.05; do
            for motion in dynamic prescribed; do
                batting $dim $step $motion | cd-loop -j --frames 4 -- "$chain" >run.jsonl 2>said
                [ ! -s said ]
                of_type metric <run.jsonl | jq -es '(map(select(.name == "overlap").value) | length > 3 and max < 1e-15) and
                    (map(select(.name == "path-poses-most").value) | max < 300)' >/dev/null
                # A bead on a turning rod: it leaves the end at up to w sqrt(2 r^2 - s^2), s = 0.356 m where it was hit, and not below w s.
                of_type body <run.jsonl | jq -es 'map(select(.id == 2)) | last.velocity | .[0] < 0 and .[1] > 0 and
                    (map(. * .) | add | sqrt | 700 < . and . < 1230)' >/dev/null
            done
        done
    done
}

@test "cd-step --rounds: a sample of random bodies at a thin wall, none passes" {
    CD_BIN="$(dirname "$(command -v cd-step)")" "$BATS_TEST_DIRNAME/../oracle/bullets.py" 100 7
}

@test "cd-step --rounds: an overlap of the start may stay and not grow" {
    bullet 2 1 | sed 's/"position":\[0,0\]/"position":[0.45,0]/' | cd-loop -j --frames 2 -- 'cd-step --rounds 8' >run.jsonl
    of_type body <run.jsonl | jq -es 'map(select(.id == 1).position[0]) | max <= 0.45 + 1e-12' >/dev/null
    bullet 2 -1 | sed 's/"position":\[0,0\]/"position":[0.45,0]/' | cd-loop -j --frames 2 -- 'cd-step --rounds 8' >run.jsonl
    [ "$(of_type body <run.jsonl | jq -s -c 'map(select(.id == 1).position[0])')" = '[0.45,0.44]' ]
}

@test "cd-step --rounds: a problem without solution leads to the next way on" {
    { body_frame 0 0 | sed 's/"id":9/"id":9,"shape":1/;s/"id":3/"id":3,"shape":1/'; rows infeasible; } | stream |
        sed '2i {"type":"shape","id":1,"kind":"box","halfsizes":[0.1,0.1]}' >in.jsonl
    verdict() { cd-step --rounds 8 | of_type verdict | jq -c 'del(.type,.accept,.reason)'; }
    [ "$(verdict <in.jsonl)" = '{"round":1,"contacts":"separating","model":"separating","facets":"predicted","target":"free","first_round":1}' ]
    local wish=',"round":1,"first_round":1,"contacts":"separating","model":"separating"'
    [ "$(sed "s/,\"step\":0.5/&$wish/" in.jsonl | verdict)" = '{"round":2,"facets":"start","target":"free","first_round":2}' ]
    wish+=',"facets":"start"'
    [ "$(sed "s/,\"step\":0.5/&$wish/" in.jsonl | verdict)" = '{"round":2,"step":0.25,"contacts":"","model":"","facets":"predicted","target":"free","first_round":2}' ]
    # the last way on: nothing is near here, so the motion of the trial, or the free one, is made whole
    [ "$(sed "s/,\"step\":0.5/&$wish,\"rest\":15.5,\"substep\":32/" in.jsonl | cd-step --rounds 8 | of_type verdict | jq -c '[.accept,.rest]')" = '[true,15.5]' ]
}

@test "cd-step --energy: of a free fall, of a spinning body" {
    body_frame 0 0 | stream | cd-step --rounds 1 --energy | of_type metric | jq -s -c 'map([.name,.value])' >metrics
    # 2/2 (1 + 25) + 1/2 4 + 2*10*(-2.5) after v = (1,-5), y = -2.5; 2/2 + 2 before
    [ "$(cat metrics)" = '[["energy",-22],["energy-change",-25]]' ]
    spinning midpoint | cd-step --rounds 1 --energy | of_type metric | jq -s -e 'map(.value) | (.[0] - (14 + (0.0001 + 50 + 0.0012) / 2) | fabs) < 1e-5 and (.[1] | fabs) < 1e-5' >/dev/null
}

# One body of 2 kg with solved velocity (VX, 0, 0) in the last attempt of a step that cannot be halved further.
last_attempt() { # VX [MORE OF FRAME]
    echo '{"type":"head","cds":[1,0],"dim":2,"length":0.1}'
    echo '{"type":"shape","id":1,"kind":"box","halfsizes":[0.05,0.05]}'
    echo "{\"type\":\"frame\",\"index\":0,\"time\":0,\"step\":0.5,\"round\":9,\"first_round\":9,\"contacts\":\"separating\",\"model\":\"separating\",\"facets\":\"start\",\"rest\":15.5,\"substep\":32${2:-}}"
    echo '{"type":"body","id":9,"shape":1,"position":[0,0],"velocity":[1,0],"mass":2,"inertia":1}'
    for axis in 0 1 2; do echo "{\"type\":\"row\",\"id\":$axis,\"role\":\"velocity\",\"body\":9,\"axis\":$axis,\"rhs\":0}"; done
    echo '{"type":"solution","status":"solved"}'
    echo "{\"type\":\"value\",\"row\":0,\"z\":$1}"
    printf '%s\n' '{"type":"value","row":1,"z":0}' '{"type":"value","row":2,"z":0}' '{"type":"fend"}' '{"type":"end"}'
}

@test "cd-step --rounds: the last way on scales a motion back that has gained energy, however far it flies" {
    last_attempt 1e5 | cd-step --rounds 8 --energy >out.jsonl
    [ "$(of_type verdict <out.jsonl | jq -c '[.accept,.round]')" = '[true,9]' ]
    of_type metric <out.jsonl | jq -s -e '(map({(.name): .value}) | add) | ."motion-scale" < 2e-5 and ."energy-change" < 1e-3' >/dev/null
    # a sound one passes as it is, and is no last resort
    last_attempt 0.5 | cd-step --rounds 8 >out.jsonl
    [ "$(of_type next <out.jsonl | jq -c .velocity)" = '[0.5,0]' ]
    [ -z "$(of_type metric <out.jsonl | grep motion-scale)" ]
}

# What must be crushed at x = 1000 m takes the step in parts down to 1e-11 s; a box at rest on the floor at 0 must not feel them.
@test "cd-step --rounds: a jam far away moves nothing that rests" {
    echo '{dim: 2, gravity: [0, -9.8], step: 0.02, bodies: [
        {shape: {box: [30, 1]}, motion: fixed, mu: 0.3, position: [0, -1]}, {id: 9, shape: {box: [0.1, 0.1]}, position: [0, 0.1], density: 100, mu: 0.3},
        {shape: {box: [1, 1]}, position: [1000, 0], motion: prescribed, velocity: [1, 0]}, {shape: {box: [1, 1]}, position: [1004.1, 0], motion: fixed},
        {shape: {box: [1, 1]}, position: [1002.05, 0], density: 1}]}' >crush.yaml
    cd-loop -q --until 0.2 crush.yaml >run.jsonl
    [ -n "$(of_metric motion-scale <run.jsonl)" ]
    of_type body <run.jsonl | jq -es 'map(select(.id == 9) | .velocity | map(fabs) | max) | length > 9 and max < 1e-7' >/dev/null
}

# Its long axis turns away from the pose at which the step has its inertia; the momentum across it would become spin about it.
@test "cd-step --rounds: an ellipsoid that a round leaves deep in the floor gets half the step at once" {
    thrown() { # thrown SPEED SPIN: the first verdict
        echo "{dim: 3, step: 0.05, gravity: [0, 0, -9.81], bodies: [{shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed},
            {shape: {ellipsoid: [0.11, 0.1, 0.037]}, density: 1000, position: [0, 0, 0.12], rotation: {axis: [1, 2, 0], angle: 1.1}, velocity: [0, 0, $1], spin: [0, $2, 0]}]}" >lens.yaml
        cd-scene -q lens.yaml | cd-loop -q --until 0.5 --keep-trials >run.jsonl
        of_type verdict <run.jsonl | sed -n 1p
    }
    thrown -5 0 | jq -se '.[0] | .accept == false and .step == 0.025 and (.reason | test("^an ellipsoid ends 1[.]5.* of its radius too deep: step halved$"))'
    cd-scene -q lens.yaml | cd-loop -q --until 0.5 | cd-overlap-metric -q --max 0 >/dev/null
    # One that turns gets rows of the points that it turns to first, in the whole step.
    thrown -5 4 | jq -se '.[0] | .accept == false and .step == null and .facets == "turned" and (.reason | test("too deep: points that it turns to as well$"))'
    cd-scene -q lens.yaml | cd-loop -q --until 0.5 | cd-overlap-metric -q --max 0 >/dev/null
    thrown -3 0 | jq -se '.[0] | .accept == false and .step == null and .target == "trial"'
}

@test "cd-step --rounds: a needle that drops askew in steps of 0.1 s gains no energy" {
    echo '{dim: 3, gravity: [0, 0, -9.8], step: 0.1, bodies: [{shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed, mu: 0.5},
        {shape: {box: [0.001, 0.001, 0.5]}, density: 1000, mu: 0.5, position: [0, 0, 0.7], rotation: {axis: [1, 2, 0], angle: 0.3}}]}' >needle.yaml
    cd-scene -q needle.yaml | cd-loop -q --until 1 -j -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --energy' >run.jsonl
    of_metric energy <run.jsonl | jq -es 'map(.value) | length > 9 and max <= .[0] * 1.001' >/dev/null
}

@test "cd-step --rounds: far from the origin a stack rests without overlap, in one round a step" {
    for x in 1e5 1e7; do
        jq -n --argjson x $x '{dim: 3, gravity: [0, 0, -9.8], step: 0.01, bodies:
            ([{shape: {halfspace: {normal: [0, 0, 1]}}, motion: "fixed"}] +
             [range(5) | {shape: {box: [0.1, 0.1, 0.1]}, density: 100, position: [$x, 0, 0.1 + 0.2 * .]}])}' >far.yaml
        cd-loop -q --until 0.1 -j far.yaml -- \
            'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric --certify' | of_type metric >far.jsonl
        jq -es 'map(select(.name == "rounds").value) | length == 10 and max == 1' far.jsonl
        jq -es 'map(select(.name == "overlapping").value) | length > 9 and (.[1:] | max) == 0' far.jsonl
    done
}

@test "cd-step --rounds: of a body that is squeezed the first step that is scaled back is told, and at the end how many" {
    cat >squeeze.yaml <<'YAML'
step: 0.01
bodies:
- {shape: {box: [0.2, 2]}, position: [0.1, 0], motion: fixed}
- {shape: {box: [0.1, 0.1]}, mass: 1, position: [-0.05, 0]}
- {shape: {box: [0.2, 0.2]}, position: [-0.25, 0], motion: prescribed, velocity: [0.1, 0]}
YAML
    cd-scene -q squeeze.yaml | cd-loop --frames 9 >run.jsonl 2>told
    steps=$(cd-view -j run.jsonl | of_type metric | grep -c '"motion-scale"')
    [ "$steps" -gt 5 ]
    [ "$(grep -c 'motion scaled' told)" -eq 2 ]
    grep 'motion scaled' told | sed -n 1p | found '^cd-step: frame 0: .*: motion scaled by [0-9.e-]*, bodies: 1, first of bodies 2 and 3 (the run.s end'
    grep -q "^cd-step: motion scaled back in $steps steps, of frames 0 to 7, by " told
}

@test "cd-step --rounds: rounds that cannot be are refused" {
    last_attempt 1 | sed 's/"first_round":9/"first_round":10/' >in.jsonl
    run -3 --separate-stderr cd-step --rounds 8 in.jsonl
    [ "$stderr" = "cd-step: frame 0 (round 9, substep 32): frame: first_round: 10 is after round 9" ]
    last_attempt 1 | sed 's/"round":9,"first_round":9/"round":2147483647,"first_round":2147483647/' >in.jsonl
    [ "$(cd-step --rounds 1 in.jsonl | of_type verdict | jq .round)" = 2147483647 ]
    run -3 --separate-stderr cd-step --rounds 8 <(last_attempt 1 | sed '/"type":"row","id":0/i {"type":"trial","body":9,"position":[0,0],"rotation":0,"velocity":[0,0],"spin":0}\n{"type":"trial","body":9,"position":[0,0],"rotation":0,"velocity":[0,0],"spin":0}')
    [ "$stderr" = "cd-step: frame 0 (round 9, substep 32): trial: body 9 is there twice" ]
}

@test "cd-step --integrator: the first of the table is the default" {
    local first
    first=$(listed cd-step Methods | sed -n 1p)
    body_frame 0 0 | stream >in.jsonl
    cd-step --rounds 1 --no-prog in.jsonl >default.jsonl
    cd-step --rounds 1 --no-prog --integrator "$first" in.jsonl | cmp default.jsonl -
    [ "$(choices cd-step integrator)" = "$(listed cd-step Methods)" ]
    run -2 --separate-stderr cd-step --integrator no-such in.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    grep -q "^\.It Cm $first$" "$BATS_TEST_DIRNAME/../../man/cd-step.1"
}

# ---- impacts -------------------------------------------------------------------------------------------------------

# impact UNTIL [OPTIONS OF cd-peg-assemble]: a scene from standard input, run with rounds; its stream as JSON lines
impact() {
    cd-scene -q >scene.jsonl
    cd-loop -j --until "$1" scene.jsonl -- "cd-broad | cd-narrow --contacts separating | cd-peg-assemble ${*:2} | cd-lcp | cd-step --rounds 8"
}
# The last velocities and spins of bodies in a run are those wanted: moves TOLERANCE BODY WANTED [BODY WANTED]... <JSON lines. WANTED: [v_x, ...], as many as are asked of.
moves() {
    local within=$1 wanted=
    shift
    while [ $# -gt 0 ]; do
        wanted+="${wanted:+, }[\"$1\", $2]"
        shift 2
    done
    of_type body | jq -en "(reduce inputs as \$b ({}; .[\$b.id | tostring] = ([\$b.velocity // [0, 0, 0], \$b.spin // 0] | flatten))) as \$last |
        all([$wanted][]; .[1] as \$y | \$last[.[0]] as \$x | all(range(\$y | length); \$x[.] - \$y[.] | fabs <= $within))" >/dev/null
}
near() { jq -en "$1 as \$x | $2 as \$y | [range(\$y | length) | (\$x[.] - \$y[.]) | fabs] | max <= $3" >/dev/null; } # near LIST LIST TOLERANCE

@test "cd-step: a ball bounces to e^2 and e^4 of its height, in second order of h" {
    PIPELINES="$BATS_TEST_DIRNAME/../../pipelines"
    for law in newton poisson; do
        for h in 0.004 0.002; do
            sed "s/restitution: 0.7/&, law: $law/; s/^step:.*/step: $h/" "$PIPELINES/scenes-3d/bounce.yaml" | impact 1.8 >run.jsonl
            cd-view --check run.jsonl
            of_type body <run.jsonl >bodies
            jq -n '[inputs | select(.id==2) | .position[2] - 0.1] as $z |
                [range(1; ($z | length) - 1) as $i | $z[$i] | select(. >= $z[$i - 1] and . > $z[$i + 1] and . > 0.01)][0:2]' bodies >peaks
            near "$(cat peaks)" '[0.49, 0.2401]' "40 * $h * $h"
            jq -en '[inputs | select(.id==2) | .position[2]] | length > 300 and min >= 0.1' bodies
        done
    done
    # what gravity adds to a ball that lies does not make it bounce
    sed 's/1\.1\]/0.1]/' "$PIPELINES/scenes-3d/bounce.yaml" | impact 0.2 >run.jsonl
    of_type body <run.jsonl | jq -en '[inputs | select(.id==2) | (.velocity // [0,0,0])[2] | fabs] | length > 20 and max < 1e-6'
    [ -z "$(of_metric impact-sweeps <run.jsonl)" ]
}

# [J] of the frames of whole steps, velocities half a step on, where the poses stand: energies STEP G <JSON lines, of boxes' kinds of inertia.
energies() {
    grep -E '^{"type":"(frame|body)",' | jq -n --argjson h "$1" --argjson g "$2" 'def turned($q; $x): ($q[1:] as $a | [range(3) as $i | 2 * ($a[($i + 1) % 3] * $x[($i + 2) % 3] - $a[($i + 2) % 3] * $x[($i + 1) % 3])] as $t |
            [range(3) as $i | $x[$i] + $q[0] * $t[$i] + $a[($i + 1) % 3] * $t[($i + 2) % 3] - $a[($i + 2) % 3] * $t[($i + 1) % 3]]);
        reduce inputs as $r ({is_whole: false, sums: []}; if $r.type == "frame" then .is_whole = (($r.substep // 0) == 0) | if .is_whole then .sums += [0] else . end
        elif .is_whole and $r.type == "body" and $r.mass then ($r.velocity // [$r.position[] | 0]) as $v | ($v[:-1] + [$v[-1] - $g * $h / 2]) as $now |
            (if ($r.inertia | type) == "array" then turned([$r.rotation[0]] + ($r.rotation[1:] | map(-.)); $r.spin // [0, 0, 0]) as $w | [range(3) as $i | $r.inertia[$i] * $w[$i] * $w[$i]] | add
                else $r.inertia * ($r.spin // 0) * ($r.spin // 0) end) as $turns |
            .sums[-1] += ($r.mass * ($now | map(. * .) | add) + $turns) / 2 + $r.mass * $g * $r.position[-1]
        else . end) | .sums'
}

@test "cd-step: what bounces with e = 1 keeps its energy, flat, on edges and on corners, however often others bounce meanwhile" {
    floor='materials: {m: {density: 1000}}
interactions: [{a: m, b: m, restitution: 1}]
bodies:
  - {shape: {halfspace: {normal: [0, 1]}}, motion: fixed, material: m}'
    # a box that comes down on one edge and, before the step is over, on the next
    for body in 'circle: 0.1}' 'box: [0.1, 0.1]}' 'box: [0.1, 0.1]}, rotation: 0.5'; do
        for h in 0.01 0.005; do
            printf '%s\n' "step: $h" 'gravity: [0, -10]' "$floor" "  - {shape: {$body, position: [0, 1.1], material: m}" | impact 3 >run.jsonl
            energies $h 10 <run.jsonl >sums
            jq -e '.[0] as $e | length >= 3 / '$h' and all(. / $e - 1 | fabs < 1e-4)' sums
        done
    done
    for h in 0.01 0.005; do
        printf '%s\n' 'dim: 3' "step: $h" 'gravity: [0, 0, -10]' "${floor/0, 1/0, 0, 1}" \
            '  - {shape: {box: [0.1, 0.08, 0.12]}, position: [0, 0, 1.1], rotation: [0.8, 0.4, 0.4, 0.2], material: m}' | impact 3 >run.jsonl
        energies $h 10 <run.jsonl >sums
        jq -e '.[0] as $e | all(. / $e - 1 | fabs < 5e-4)' sums
    done
    # balls that fall in a box; one that flies far from the other goes its way as alone
    printf '%s\n' 'step: 0.01' 'gravity: [0, -10]' "$floor" >alone.yaml
    echo '  - {shape: {circle: 0.1}, position: [9, 4], velocity: [1, 5], material: m}' >>alone.yaml
    { cat alone.yaml; for k in 0 1 2 3 4; do echo "  - {shape: {circle: 0.1}, position: [$k, 0.5$k], velocity: [0, 0.3], material: m}"; done; } >among.yaml
    for scene in alone among; do
        impact 1.2 <$scene.yaml >run.jsonl
        jq -n -c '[inputs] | [.[] | select(.type=="frame" and (.substep // 0) > 0)] as $parts | [.[] | select(.type=="body" and .id==2)][-1] | [.position[], .velocity[]], ($parts | length)' run.jsonl >$scene
    done
    near "$(head -n 1 alone)" "$(head -n 1 among)" 1e-12
    [ "$(tail -n 1 alone)" = 0 ]
    [ "$(tail -n 1 among)" -gt 5 ]
    energies 0.01 10 <run.jsonl >sums
    jq -e '.[0] as $e | all(. / $e - 1 | fabs < 1e-3)' sums
    # two that stop each other in the air (e = 0), between blows of the others in one step: their fall goes on
    { cat among.yaml; printf '  - {shape: {circle: 0.1}, position: [%s, 8], velocity: [%s, 0], density: 1000}\n' 12 1 12.82592 -1; } | impact 0.6 >run.jsonl
    jq -n -c '[inputs] | [.[] | select(.type=="body" and (.id==8 or .id==9))][-2:][] | .velocity' run.jsonl >pair
    jq -e -s 'length == 2 and all(.[]; (.[0] | fabs) < 1e-9 and (.[1] + 6 | fabs) < 1e-9)' pair
}

@test "cd-step: of a row of balls the last one leaves with e = 1, all together with e = 0" {
    sed 's/^dim: 2/dim: 3/; s/circle/sphere/; s/, 0\]/, 0, 0]/g' "$SCENES/cradle.yaml" >space.yaml
    for scene in "$SCENES/cradle.yaml" space.yaml; do
        for law in newton poisson; do
            sed "s/restitution: 1/&, law: $law/" "$scene" | impact 1 >run.jsonl
            moves 1e-9 1 '[0, 0]' 2 '[0, 0]' 3 '[0, 0]' 4 '[0, 0]' 5 '[1, 0]' <run.jsonl
        done
        sed 's/restitution: 1/restitution: 0/' "$scene" | impact 1 >run.jsonl
        moves 1e-9 1 '[0.2, 0]' 2 '[0.2, 0]' 3 '[0.2, 0]' 4 '[0.2, 0]' 5 '[0.2, 0]' <run.jsonl
        # two in, two out; between the balls and the one that hits them a gap that closes within the step
        sed 's/\[0, 0\(, 0\)\?\]}/[-0.298, 0\1], velocity: [1, 0\1]}/' "$scene" | impact 1 >run.jsonl
        moves 1e-9 1 '[0, 0]' 2 '[0, 0]' 3 '[0, 0]' 4 '[1, 0]' 5 '[1, 0]' <run.jsonl
        [ -z "$(of_metric fallback <run.jsonl)" ]
    done
}

@test "cd-step: bodies that bounce leave as those that met at that instant, whatever the step" {
    # two balls that meet askew at 30 degrees; alike and e = 1 they exchange what they have along the normal
    askew() { # DIM STEP E
        awk -v dim="$1" -v step="$2" -v e="$3" 'function at(x, y) { return dim == 2 ? "[" x ", " y "]" : "[" x ", " y ", 0]" }
            BEGIN { print "dim: " dim "\nstep: " step "\nmaterials: {m: {}}\ninteractions: [{a: m, b: m, restitution: " e "}]\nbodies:"
                ball = dim == 2 ? "{circle: 0.1}, inertia: 0.005" : "{sphere: 0.1}, inertia: [0.004, 0.004, 0.004]"
                print "  - {shape: " ball ", mass: 1, material: m, position: " at(0, 0) ", velocity: " at(2, 0) "}"
                print "  - {shape: " ball ", mass: 1, material: m, position: " at(0.33, 0.1) "}" }'
    }
    for dim in 2 3; do
        z=$([ "$dim" = 2 ] || echo ', 0')
        for step in 0.05 0.01; do
            askew $dim $step 1 | impact 0.4 >run.jsonl
            moves 1e-9 1 "[0.5, -(3 | sqrt) / 2$z]" 2 "[1.5, (3 | sqrt) / 2$z]" <run.jsonl
            # where they are: on the lines of before and behind, from the moment 0.33 - 0.1 sqrt 3 of 2 m/s on
            of_type body <run.jsonl | jq -s -c '.[-2].position[0:2] + .[-1].position[0:2]' >last
            near "$(cat last)" '((3 | sqrt) as $r | (0.33 - $r / 10) as $x | (0.4 - $x / 2) as $t |
                [$x + $t / 2, -$t * $r / 2, 0.33 + 1.5 * $t, 0.1 + $t * $r / 2])' 1e-9
            askew $dim $step 0.5 | impact 0.4 >run.jsonl # (1 + e) / 2 of it
            moves 1e-9 1 "[0.875, -(3 | sqrt) * 3 / 8$z]" 2 "[1.125, (3 | sqrt) * 3 / 8$z]" <run.jsonl
        done
        # at the step's end they leave along another line
        askew $dim 0.05 1 | cd-scene -q | cd-loop -j -q --until 0.4 -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --bounces 0' >run.jsonl
        run ! moves 0.1 1 "[0.5, -(3 | sqrt) / 2$z]" <run.jsonl
        [ -z "$(of_type frame <run.jsonl | jq -c 'select(.substep > 0)')" ]
    done
}

@test "cd-step: a row of balls passes on what hits it, touching and with gaps of any size" {
    for gap in 0 1e-9 1e-6 1e-3 0.03; do
        for step in 0.05 0.01; do
            awk -v gap=$gap -v step=$step 'BEGIN { print "step: " step "\nmaterials: {m: {}}\ninteractions: [{a: m, b: m, restitution: 1}]\nbodies:"
                for (k = 0; k < 5; k++) printf "  - {shape: {circle: 0.1}, mass: 1, inertia: 0.005, material: m, position: [%.12f, 0], velocity: [%d, 0]}\n", k * (0.2 + gap) - (k ? 0 : 0.123), k ? 0 : 1 }' | impact 0.5 >run.jsonl
            moves 1e-9 1 '[0, 0]' 2 '[0, 0]' 3 '[0, 0]' 4 '[0, 0]' 5 '[1, 0]' <run.jsonl
        done
    done
    # unlike ones, apart: each blow leaves (m_a - m_b) / (m_a + m_b) and gives 2 m_a / (m_a + m_b), one after the other
    for gap in 1e-3 0.03; do
        awk -v gap=$gap 'BEGIN { print "step: 0.05\nmaterials: {m: {}}\ninteractions: [{a: m, b: m, restitution: 1}]\nbodies:"
            for (k = 0; k < 3; k++) printf "  - {shape: {circle: 0.1}, mass: %d, inertia: 0.005, material: m, position: [%.12f, 0], velocity: [%d, 0]}\n", 2 ^ k, k * (0.2 + gap) - (k ? 0 : 0.123), k ? 0 : 3 }' | impact 0.5 >run.jsonl
        moves 1e-9 1 '[-1, 0]' 2 '[-2 / 3, 0]' 3 '[4 / 3, 0]' <run.jsonl
    done
}

@test "cd-step: an oblique impact with friction slides or sticks as in closed form, a paddle throws" {
    oblique() { # oblique MU E
        cat <<YAML
step: 0.01
materials: {m: {}}
interactions: [{a: m, b: m, restitution: $2, mu: $1}]
bodies:
  - {shape: {halfspace: {normal: [0, 1]}}, motion: fixed, material: m}
  - {shape: {circle: 0.1}, mass: 1, inertia: 0.005, position: [0, 0.153], velocity: [3, -1], material: m}
YAML
    }
    # slides: impulses (1 + e) and mu (1 + e); the spin is that times R / J = 20, clockwise
    oblique 0.1 0.5 | impact 0.5 --friction disc >run.jsonl
    moves 1e-9 2 '[2.85, 0.5, -3]' <run.jsonl
    # sticks: J / (J + m R^2) = 1/3 of the slip is lost by the centre, and it rolls
    oblique 2 0.5 | impact 0.5 --friction disc >run.jsonl
    moves 1e-9 2 '[2, 0.5, -20]' <run.jsonl
    # without friction it does not spin
    oblique 0 1 | impact 0.5 >run.jsonl
    moves 1e-9 2 '[3, 1, 0]' <run.jsonl
    # (1 + e) times the speed of what hits it, with contacts of features too
    cat >paddle.yaml <<'YAML'
step: 0.01
materials: {m: {}}
interactions: [{a: m, b: m, restitution: 0.5}]
bodies:
  - {shape: {box: [0.1, 0.1]}, motion: prescribed, velocity: [2, 0], position: [-0.333, 0], material: m}
  - {shape: {box: [0.1, 0.1]}, mass: 1, material: m}
YAML
    impact 0.3 <paddle.yaml >run.jsonl
    moves 1e-9 2 '[3, 0, 0]' <run.jsonl
    cd-loop -j -q --model peg --until 0.3 paddle.yaml >run.jsonl
    moves 1e-9 2 '[3, 0, 0]' <run.jsonl
}

@test "cd-step: friction of a spinning ball in both phases of poisson, by hand" {
    # e 0.5, mu 0.2, v_n 2, p_c = 2 m; slip u loses (1/m + R^2/J) times the impulse: 3 of the disc, 3.5 of the ball, /m. Of u
    #   10: slides all through, mu (1 + e) v_n = 0.6; 1.5 or 1.75: ends in the second phase, 0.5; 0.6 or 0.7: in the first, 0.2
    spinning_ball() { # DIM MU LAW SPIN
        cat <<YAML
dim: $1
step: 0.01
materials: {m: {}}
interactions: [{a: m, b: m, restitution: 0.5, law: $3, mu: $2}]
bodies:
  - {shape: {halfspace: {normal: [$([ "$1" = 2 ] && echo 0 || echo '0, 0'), 1]}}, motion: fixed, material: m}
YAML
        if [ "$1" = 2 ]; then
            echo "  - {shape: {circle: 0.1}, mass: 3, inertia: 0.015, position: [0, 0.153], velocity: [0.25, -2], spin: $4, material: m}"
        else
            echo "  - {shape: {sphere: 0.1}, mass: 3, inertia: [0.012, 0.012, 0.012], position: [0, 0, 0.153], velocity: [0.25, 0, -2], spin: [0, $4, 0], material: m}"
        fi
    }
    # u = v_x + R w in the plane, v_x - R w_y in space; the contact keeps 1e-10 m from both
    for law in poisson newton; do
        for case in '10 -0.35 97.5' '1.5 -0.25 12.5' '0.6 0.05 3.5'; do # u, v_x after it, the spin that makes u of v_x = 0.25
            read -r _ vx spin <<<"$case"
            spinning_ball 2 0.2 $law "$spin" | impact 0.5 --friction disc >run.jsonl
            moves 1e-8 2 "[$vx, 1, $spin - 20 * (0.25 - $vx)]" <run.jsonl
        done
        for case in '10 -0.35 -97.5' '1.75 -0.25 -15' '0.7 0.05 -4.5'; do
            read -r _ vx spin <<<"$case"
            spinning_ball 3 0.2 $law "$spin" | impact 0.5 --friction disc >run.jsonl
            moves 1e-8 2 "[$vx, 0, 1, 0, $spin + 25 * (0.25 - $vx), 0]" <run.jsonl
        done
    done
}

@test "cd-step: an impact of free bodies keeps both momenta and makes no energy" {
    boxes() { # boxes E LAW MU
        cat <<YAML
step: 0.005
epsilon: 1e-5
materials: {m: {density: 100}}
interactions: [{a: m, b: m, restitution: $1, law: $2, mu: $3}]
bodies:
  - {shape: {box: [0.1, 0.06]}, position: [-0.3, 0.02], rotation: 0.4, velocity: [1.5, 0.1], spin: 2, material: m}
  - {shape: {box: [0.08, 0.12]}, position: [0.2, -0.05], rotation: 1.1, velocity: [-1, 0.2], spin: -1, material: m}
  - {shape: {box: [0.07, 0.07]}, position: [0.5, -0.02], rotation: 0.1, velocity: [-2, 0], material: m}
YAML
    }
    for case in '1 newton 0' '1 poisson 0' '0.5 newton 0.5' '0.5 poisson 0.5'; do
        # shellcheck disable=SC2086
        boxes $case | impact 0.5 --friction disc >run.jsonl
        [ -n "$(of_metric impact-sweeps <run.jsonl)" ]
        of_type body <run.jsonl | jq -n '[inputs | (.velocity as $v | .position as $x |
            [.mass * $v[0], .mass * $v[1], .mass * ($x[0] * $v[1] - $x[1] * $v[0]) + .inertia * (.spin // 0),
             .mass * ($v[0] * $v[0] + $v[1] * $v[1]) + .inertia * (.spin // 0) * (.spin // 0)])] |
            [.[0:3], .[-3:] | transpose | map(add)]' >sums
        near "$(jq -c '.[1][0:3]' sums)" "$(jq -c '.[0][0:3]' sums)" 1e-12
        jq -e '.[1][3] <= .[0][3] * (1 + 1e-12)' sums
    done
}

@test "cd-step: no frame of a swarm of balls with e = 1 at 50 ms has more energy than the one before, momenta stay" {
    # shellcheck disable=SC2016
    awk 'function r() { x = (x * 16807) % 2147483647; return 2 * x / 2147483647 - 1 }
        BEGIN { x = 7
            print "dim: 3\nstep: 0.05\ngravity: [0, 0, 0]\ninteractions: [{a: m, b: m, restitution: 1}]"
            print "materials: {m: {density: 1000}}\nbodies:"
            for (i = 0; i < 27; i++) { p[0] = i % 3 - 1; p[1] = int(i / 3) % 3 - 1; p[2] = int(i / 9) - 1
                printf "  - {shape: {sphere: 0.1}, material: m, position: [%.3f, %.3f, %.3f]", p[0] / 4, p[1] / 4, p[2] / 4
                printf ", velocity: [%.3f, %.3f, %.3f]}\n", 2 * r() - p[0], 2 * r() - p[1], 2 * r() - p[2] } }' |
        cd-scene -q | cd-loop -q --until 0.6 -j -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' >run.jsonl
    [ -n "$(of_metric impact-sweeps <run.jsonl)" ]
    of_type body <run.jsonl | jq -n '[inputs | (.velocity as $v | .position as $x | (.spin // [0,0,0]) as $w |
        .mass as $m | .inertia[0] as $j | [0,1,2] | map(((. + 1) % 3) as $k | ((. + 2) % 3) as $l |
            $m * ($x[$k] * $v[$l] - $x[$l] * $v[$k]) + $j * $w[.])
            + ($v | map($m * .)) + [$m * ($v | map(. * .) | add) + $j * ($w | map(. * .) | add)])] |
        [range(0; length; 27) as $i | .[$i:$i + 27] | transpose | map(add)]' >sums
    near "$(jq -c '.[-1][0:6]' sums)" "$(jq -c '.[0][0:6]' sums)" 1e-11
    jq -e 'length > 12 and (. as $all | all(range(1; length); $all[.][6] <= $all[. - 1][6] * (1 + 1e-12)))' sums
    jq -e '.[-1][6] > 0.99 * .[0][6]' sums
}

@test "cd-step: newton with friction makes the largest share of a jump that gains no energy" {
    # a disc hits a box off its middle: up to e = 0.95 the law loses energy, from 0.99 on it would gain some, so all is kept
    cat >off.yaml <<'YAML'
step: 0.01
materials: {m: {}}
interactions: [{a: m, b: m, restitution: 1, mu: 0.3}]
bodies:
  - {shape: {circle: 0.1}, mass: 1, position: [-0.6, 0], velocity: [1, 0.2], material: m}
  - {shape: {box: [0.1, 0.1]}, mass: 1, material: m}
YAML
    for e in 0.95 0.99 1; do
        sed "s/restitution: 1/restitution: $e/" off.yaml | impact 0.5 >run.jsonl
        of_type body <run.jsonl | jq -n '[inputs | .inertia * (.spin // 0) * (.spin // 0) + (.velocity | map(. * .) | add)] |
            (.[-2:] | add) / (.[0:2] | add)' >"kept-$e"
        near "$(of_type body <run.jsonl | jq -s -c '.[-2:] | [map(.velocity) | transpose[] | add]')" '[1, 0.2]' 1e-14
        [ -z "$(of_metric force-unplaced <run.jsonl)" ]
    done
    jq -e '. > 0.98 and . < 0.999' kept-0.95
    near "[$(cat kept-0.99), $(cat kept-1)]" "[1, 1]" 1e-9
}

@test "cd-step: bodies that overlap from the start are told of once, and stay" {
    cat >scene.yaml <<'YAML'
step: 0.01
gravity: [0, -10]
epsilon: 1e-3
defaults: {density: 1}
bodies:
  - {shape: {halfspace: {normal: [0, 1]}}, motion: fixed}
  - {shape: {circle: 0.1}, position: [0, 0.075]}
  - {shape: {box: [0.1, 0.1]}, position: [1, 0.1]}
YAML
    run -0 --separate-stderr cd-loop -j --until 0.05 scene.yaml
    [ "$stderr" = "cd-step: frame 0: pairs of parts that overlap from the start: 1, by up to 0.025 m: rounds do not let it grow, and do not push them apart" ]
    near "$(tail -n 5 <<<"$output" | jq -c 'select(.type=="body" and .id==2) | .position')" "[0,0.075]" 1e-9
    sed -i 's/0.075/0.1/' scene.yaml
    run -0 --separate-stderr cd-loop -j --until 0.05 scene.yaml
    [ "$stderr" = "" ]
}

@test "cd-step: forces of contacts are what moves bodies, over rounds and impacts, in the plane and in space" {
    # to rounding; of bodies that are held at rest to the error of the solution
    balance() { python3 "$BATS_TEST_DIRNAME/momentum/step_force.py" <run.jsonl | tee balance | awk -v most="${1:-1e-12}" '{ exit !($1 <= most && $2 > 0 && $4 == 0) }'; }
    # at rest: m g on the floor, which is b
    cat >rest.yaml <<'YAML'
gravity: [0, -10]
step: 0.01
epsilon: 1e-4
bodies:
  - {shape: {box: [0.2, 0.1]}, mass: 3, position: [0, 0.1]}
  - {shape: {halfspace: {normal: [0, 1]}}, motion: fixed}
YAML
    total() { jq -c -n '[inputs | select(.type=="force").vector] | transpose | map(add)' run.jsonl; }
    cd-loop -j -q --until 0.1 rest.yaml >run.jsonl
    balance 1e-9
    near "$(total)" '[0, -300]' 1e-6 # of ten steps
    local restless='cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --rest 0'
    cd-loop -j -q --until 0.1 rest.yaml -- "$restless" >run.jsonl
    balance
    near "$(total)" '[0, -300]' 1e-6
    # on a slope of 0.2 rad with friction that holds: m g (sin, cos) against the slope
    sed 's/^gravity.*/gravity: [1.986693307950612, -9.800665778412416]/; s/mass: 3/&, mu: 0.5/; s/motion: fixed/&, mu: 0.5/' rest.yaml >slope.yaml
    cd-loop -j -q --frames 2 slope.yaml >run.jsonl
    balance
    near "$(total)" '[5.960079923851836, -29.40199733523725]' 1e-6
    # where it slips, mu times the normal force
    sed 's/mu: 0.5/mu: 0.1/' slope.yaml | cd-scene -q | cd-loop -j -q --frames 2 >run.jsonl
    balance
    near "$(total)" '[2.940199733523725, -29.40199733523725]' 1e-6
    # rounds after the first, of impacts too
    sed 's/^dim: 2/dim: 3/; s/circle/sphere/; s/, 0\]/, 0, 0]/g' "$SCENES/cradle.yaml" >space.yaml
    for scene in "$SCENES/cradle.yaml" space.yaml "$BATS_TEST_DIRNAME"/../../pipelines/scenes/edge-impact.yaml "$BATS_TEST_DIRNAME"/../cases/same/heap2.yaml; do
        cd-loop -j -q --until 0.5 "$scene" -- "$restless" >run.jsonl
        balance
        [ "$(cut -d' ' -f3 balance)" -gt 0 ]
        cd-view --check run.jsonl
    done
    # and a second run of cd-step leaves the same, of rejected rounds too
    cd-loop -j -q --until 0.1 --keep-trials "$BATS_TEST_DIRNAME/../../pipelines/scenes/edge-impact.yaml" >run.jsonl
    grep -q '"type":"impulse"' run.jsonl
    cd-step -j run.jsonl | grep '"type":"force"' >again.jsonl
    grep '"type":"force"' run.jsonl | cmp - again.jsonl
}

@test "cd-step: impacts that cannot be are refused" {
    cd-scene -q "$SCENES/cradle.yaml" >in.jsonl
    run -2 --separate-stderr cd-step --rounds 1 in.jsonl
    [ "$stderr" = "cd-step: --rounds: restitution of the stream's interactions needs 2 or more: an impact has rounds of its own" ]
    sed 's/"type":"frame"/&,"impact":"sweep"/' in.jsonl >lost.jsonl
    run -3 --separate-stderr cd-step --rounds 8 lost.jsonl
    [[ "$stderr" == "cd-step: "*"frame: impact: body 1 has no trial" ]]
    sed 's/"restitution":1/"restitution":1.5/' in.jsonl >more.jsonl
    run -3 --separate-stderr cd-step --rounds 8 more.jsonl
    [[ "$stderr" == "cd-step: "*"interaction 1-1: restitution: 1.5 is above 1"* ]]
}

# ---- rolling and spinning friction ---------------------------------------------------------------------------------

# [x, v, spin about y (in the plane: clockwise)] of body $1 at the end
rolled() { of_type body | jq -c "select(.id==$1) | [.position[0], (.velocity // [0])[0], (if (.spin|type)==\"array\" then .spin[1] else -(.spin // 0) end)]" | tail -n 1; }

@test "cd-step: a ball that rolls loses 5/7 g rolling/R, a disc 2/3, to a stop; one that spins stops in time" {
    scene="$BATS_TEST_DIRNAME/../../pipelines/scenes-3d/rolling.yaml"
    impact 0.5 <"$scene" >half.jsonl
    # implicit steps: x is short of v t - a t^2 / 2 by a t h / 2
    near "$(rolled 2 <half.jsonl)" '[0.07 - 0.0175 - 0.14 * 0.5 * 0.005, 0.07, 0.7]' 1e-9
    near "$(of_type body <half.jsonl | jq -c 'select(.id==3) | .spin' | tail -n 1)" '[0, 0, 1.96 - 2.45 * 0.5]' 1e-9
    impact 1.5 <"$scene" >run.jsonl
    cd-view --check run.jsonl
    near "$(rolled 2 <run.jsonl)" '[0.07 - 0.14 * 0.005, 0, 0]' 1e-9
    near "$(of_type body <run.jsonl | jq -c 'select(.id==3) | .spin' | tail -n 1)" '[0, 0, 0]' 1e-9
    # it stands from 0.8 s on, not before
    of_type body <run.jsonl | jq -en '[inputs | select(.id==3) | (.spin // [0,0,0])[2]] | .[79] > 0.02 and ([.[82:][] | fabs] | max) < 1e-9'
    # the plane
    sed -e 's/^dim: 3/dim: 2/' -e 's/, spinning: 0.001//' -e 's/\[0, 0, \(-9.8\|1\|0.1\)\]/[0, \1]/' -e 's/sphere/circle/' -e 's/\[0.14, 0, 0\], spin: \[0, 1.4, 0\]/[0.14, 0], spin: -1.4/' -e '/1.96/d' "$scene" | impact 0.5 >disc.jsonl
    near "$(rolled 2 <disc.jsonl | jq -c '.[1:]')" '[0.14 - 9.8 * 0.02 / 3, 1.4 - 98 * 0.02 / 3]' 1e-9
}

@test "cd-step: a ball on a slope rolls only above atan(rolling/R)" {
    slope() { # slope TANGENT DIM: gravity is turned, not the slope
        local s=$(jq -n "9.8 * ($1 | atan | sin)") c=$(jq -n "-9.8 * ($1 | atan | cos)") zero=
        [ "$2" = 2 ] || zero=', 0'
        cat <<YAML
dim: $2
step: 0.01
gravity: [$s$zero, $c]
materials: {m: {density: 1000}}
interactions: [{a: m, b: m, mu: 0.5, rolling: 0.002}]
bodies:
  - {shape: {halfspace: {normal: [0$zero, 1]}}, motion: fixed, material: m}
  - {shape: {$([ "$2" = 2 ] && echo circle || echo sphere): 0.1}, position: [0$zero, 0.1], material: m}
YAML
    }
    for dim in 2 3; do
        slope 0.0199 $dim | impact 0.5 >run.jsonl
        near "$(rolled 2 <run.jsonl)" '[0, 0, 0]' 1e-12
        for tangent in 0.0201 0.1; do
            slope $tangent $dim | impact 0.5 >run.jsonl
            v=$(jq -n "0.5 * 9.8 * (($tangent | atan | sin) - 0.02 * ($tangent | atan | cos)) * (if $dim == 2 then 2/3 else 5/7 end)")
            near "$(rolled 2 <run.jsonl | jq -c '.[1:]')" "[$v, 10 * $v]" 1e-9
        done
    done
}

@test "cd-step: balls that roll, spin and rub against each other have a solution in every step" {
    cat >three.yaml <<YAML
dim: 3
gravity: [0, 0, -9.81]
step: 0.01
materials: {m: {density: 1000}}
interactions: [{a: m, b: m, mu: 0.5, rolling: 0.01, spinning: 0.01}]
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed, material: m}
  - {shape: {sphere: 0.1}, position: [0, 0, 0.1], velocity: [1, 0.1, 0], spin: [0, 3, 20], material: m}
  - {shape: {sphere: 0.1}, position: [0.201, 0.01, 0.1], velocity: [-0.5, 0, 0], spin: [2, -3, -20], material: m}
  - {shape: {sphere: 0.1}, position: [0.1, 0.2, 0.1], velocity: [0, -1, 0], spin: [5, 1, 10], material: m}
YAML
    impact 0.5 <three.yaml >run.jsonl
    [ "$(of_type solution <run.jsonl | jq -r .status | sort -u)" = solved ]
    [ -z "$(of_metric motion-scale <run.jsonl)" ]
}

@test "cd-step: torques against rolling and spinning leave linear and angular momentum as they are" {
    cat >free.yaml <<YAML
dim: 3
gravity: [0, 0, 0]
step: 0.01
materials: {m: {}}
interactions: [{a: m, b: m, mu: 0.3, rolling: 0.02, spinning: 0.01}]
bodies:
  - {shape: {sphere: 0.1}, mass: 1, inertia: [0.004, 0.004, 0.004], position: [-0.15, 0.02, 0], velocity: [1, 0, 0], spin: [5, 1, -3], material: m}
  - {shape: {sphere: 0.1}, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0.15, 0, 0.01], spin: [-2, 4, 1], material: m}
YAML
    impact 0.5 <free.yaml >run.jsonl
    jq -cn '
        def cross($a; $b): [$a[1]*$b[2]-$a[2]*$b[1], $a[2]*$b[0]-$a[0]*$b[2], $a[0]*$b[1]-$a[1]*$b[0]];
        [inputs | select(.type=="body") | . as $b | {id, s: .spin, p: [.velocity[] * $b.mass]} |
            .L = [range(3) as $i | cross($b.position; .p)[$i] + 0.004 * $b.mass * $b.spin[$i]]] |
        [.[:2], .[-2:]] | map({p: [range(3) as $i | .[0].p[$i] + .[1].p[$i]], L: [range(3) as $i | .[0].L[$i] + .[1].L[$i]], s: .[0].s})' run.jsonl >momenta
    near "$(jq -c '.[1].p' momenta)" "$(jq -c '.[0].p' momenta)" 1e-13
    near "$(jq -c '.[1].L' momenta)" "$(jq -c '.[0].L' momenta)" 1e-13
    # the torques acted: along the line of centres friction alone would leave the spins
    jq -e '.[1].s[0] < .[0].s[0] - 0.1' momenta
}

# ---- islands ----

# Boxes of 0.1 m in rows along x, without gravity, for steps of 50 ms. 1 comes at 2 m/s: its reach knows 2 and 3. 3 is pushed on in the second
# round, so what it does to 4, settled by then, is known in the third. 11 and 12 are 9 m away and done in the first.
rows_of_boxes() {
    cat <<'YAML'
step: 0.05
length: 0.1
bodies:
- {id: 1, shape: {box: [0.05, 0.05]}, position: [0, 0], velocity: [2, 0], mass: 4}
- {id: 2, shape: {box: [0.05, 0.05]}, position: [0.11, 0], mass: 1}
- {id: 3, shape: {box: [0.05, 0.05]}, position: [0.22, 0], mass: 1}
- {id: 4, shape: {box: [0.05, 0.05]}, position: [0.33, 0], mass: 1}
- {id: 11, shape: {box: [0.05, 0.05]}, position: [9, 0], velocity: [1, 0], mass: 1}
- {id: 12, shape: {box: [0.05, 0.05]}, position: [9.12, 0], mass: 1}
YAML
}
trial_states() { of_type trial <trials.jsonl | jq -c "select(.body == $1) | [.round, .state]" | paste -sd' '; } # trial_states BODY
# pushed_in ROUND: the pairs of bodies whose contacts have rows in that round of the first step
pushed_in() {
    jq -cs "reduce .[] as \$r ({pairs: []};
        if \$r.type == \"frame\" then .is_asked = (\$r.index == 0 and (\$r.round // 0) == $1) | .of = {}
        elif .is_asked and \$r.type == \"contact\" then .of[\$r.id | tostring] = [\$r.a[0], \$r.b[0]]
        elif .is_asked and \$r.type == \"row\" and \$r.role == \"impulse\" then .pairs += [.of[\$r.contact | tostring]]
        else . end) | .pairs | unique" trials.jsonl
}

@test "cd-step in a loop: islands that are settled have no rows in later rounds, and are opened by what hits them" {
    rows_of_boxes >rows.yaml
    cd-loop --keep-trials --frames 2 rows.yaml >trials.jsonl
    # 12 keeps the state it has after the first round, 4 loses it
    [ "$(trial_states 12)" = '[0,"settled"] [1,"settled"]' ]
    [ "$(trial_states 4)" = '[0,"settled"] [1,null]' ]
    [ "$(trial_states 1)" = '[0,null] [1,null]' ]
    [ "$(pushed_in 0)" = '[[1,2],[1,3],[11,12]]' ]
    [ "$(pushed_in 1)" = '[[1,2],[1,3],[1,4],[2,3]]' ]
    [ "$(pushed_in 2)" = '[[1,2],[1,3],[2,3],[3,4]]' ]
    # the settled pair's contacts stand in all three rounds, and its trial is that of the first round to the bit
    [ "$(of_type contact <trials.jsonl | jq -c 'select(.a[0] == 11) | .id' | wc -l)" -eq 6 ]
    [ "$(of_type trial <trials.jsonl | jq -c 'select(.body > 10) | [.body, .position, .velocity, .spin]' | sort -u | wc -l)" -eq 2 ]
    # The end is that of one plastic row: each ends 10 mm behind the next one's start, 4 v + (v - 0.2) + (v - 0.4) + (v - 0.6) = 8.
    for body in '1 9.2/7' '2 7.8/7' '3 6.4/7' '4 5/7' '11 0.7' '12 0.3'; do
        of_type body <trials.jsonl | jq -es "map(select(.id == ${body% *})) | .[-1].velocity[0] - ${body#* } | fabs < 1e-8" >/dev/null || { echo "$body" >&2 && false; }
    done
    cd-loop --frames 2 rows.yaml | cd-overlap-metric --max 0 >/dev/null
    # to the bit, what the row does is nothing to them
    sed -i '/id: [1-4],/d' rows.yaml
    of_type body <trials.jsonl | jq -c 'select(.id > 10) | [.position, .rotation, .velocity, .spin]' >beside
    cd-loop --frames 2 rows.yaml | of_type body | jq -c '[.position, .rotation, .velocity, .spin]' >alone
    [ "$(tail -n 2 beside)" = "$(tail -n 2 alone)" ]
}

@test "cd-step in a loop: boxes that slide into a corner stay there, held by floor and wall" {
    for dim in 2 3; do
        [ $dim = 2 ] && y= || y=0,
        cat >corner.yaml <<YAML
dim: $dim
gravity: [0, ${y}-9.81]
step: 0.0067
defaults: {mu: 0.1, density: 1000}
bodies:
  - {shape: {box: [1, ${y:+1,}0.05]}, position: [0, ${y}-0.05], motion: fixed}
  - {shape: {box: [0.05, ${y:+1,}0.5]}, position: [-0.05, ${y}0.5], motion: fixed}
  - {shape: {box: [0.05, ${y:+0.05,}0.05]}, position: [0.050001, ${y}0.05], velocity: [-0.3, ${y}-0.1]}
  - {shape: {box: [0.05, ${y:+0.05,}0.05]}, position: [0.050001, ${y}0.150001], velocity: [-0.3, ${y}-0.1]}
YAML
        cd-loop -j --until 0.2 corner.yaml -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric --certify' >corner.jsonl
        of_type metric <corner.jsonl | jq -se '(map(select(.name == "rounds")) | length == 29 and all(.value == 1)) and
            (map(select(.name == "overlapping")) | length == 29 and all(.value == 0)) and all(.name != "motion-scale")'
        of_type body <corner.jsonl | jq -se 'map(select(.id > 2)) | .[-2:] | length == 2 and all(.position[0] < 0.0500001 and (.velocity | map(fabs) | max) < 1e-7)'
    done
}

@test "cd-step in a loop: of a step that fails for one island the others keep momentum and way" {
    cat >squeezed.yaml <<'YAML'
step: 0.01
length: 0.2
bodies:
- {id: 1, shape: {box: [0.2, 2]}, position: [0.1, 0], motion: fixed}
- {id: 2, shape: {box: [0.1, 0.1]}, mass: 1, position: [-0.2, 0]}
- {id: 3, shape: {box: [0.2, 0.2]}, position: [-0.5, 0], motion: prescribed, velocity: [0.2, 0]}
- {id: 11, shape: {box: [0.1, 0.1]}, position: [9, 0.03], velocity: [1, 0], spin: 2, mass: 1}
- {id: 12, shape: {box: [0.1, 0.1]}, position: [9.25, 0], velocity: [-1.5, 0.2], mass: 2}
YAML
    cd-loop -q --frames 8 squeezed.yaml >run.jsonl
    # there are steps that come to nothing for the squeezed body, which stands in them: that alone is scaled
    of_type metric <run.jsonl | jq -es 'map(select(.name == "motion-scale-bodies").value) | length > 5 and max == 1' >/dev/null
    of_type metric <run.jsonl | jq -es 'map(select(.name == "motion-scale").value) | min == 0' >/dev/null
    # the two others hit each other, and their centre of mass and momenta know nothing of it
    grep -E '^{"type":"(frame|body)",' run.jsonl | jq -es '
        def turning: .mass * (.position[0] * .velocity[1] - .position[1] * .velocity[0]) + .inertia * (.spin // 0);
        (map(select(.type == "frame").time)) as $time
        | (map(select(.type == "body" and .id == 11))) as $a | (map(select(.type == "body" and .id == 12))) as $b
        | (($a[0] | turning) + ($b[0] | turning)) as $l
        | ($a[-1].velocity[0] < 0.5) and ([range($time | length) | . as $i
            | ($a[$i].position[0] + 2 * $b[$i].position[0] - 27.5 + 2 * $time[$i]),
              ($a[$i].position[1] + 2 * $b[$i].position[1] - 0.03 - 0.4 * $time[$i]),
              ($a[$i].velocity[0] + 2 * $b[$i].velocity[0] + 2), ($a[$i].velocity[1] + 2 * $b[$i].velocity[1] - 0.4),
              (($a[$i] | turning) + ($b[$i] | turning) - $l) | fabs] | max < 1e-13 * 30)' >/dev/null
}

# ---- central differences -------------------------------------------------------------------------------------------

meshes() { python3 "$BATS_TEST_DIRNAME/programs/meshes.py" "$@"; }
metrics() { of_type metric | jq -r "select(.tool==\"cd-step\" and .name==\"$1\").value"; }
# series QUESTION <JSON lines: asked of what cd-step tells by each name, {name: [values in the order of frames]}.
series() { of_type metric | jq -se "(reduce (.[] | select(.tool == \"cd-step\")) as \$m ({}; .[\$m.name] += [\$m.value])) | $1"; }

@test "cd-step --integrator central: a bar vibrates with its frequency, and its energy stays" {
    meshes bar 20 >bar.jsonl # E = 1e6, density 1000: a period of 4 / sqrt(E / density), 400 steps
    cd-loop --frames 302 bar.jsonl -- 'cd-step -i central --energy' >run.jsonl
    # the strain's is rho A / 2 times the mean of sin^2
    series '(.energy | (max / min) - 1 < 1e-7 and length == 301) and (."strain-energy" | max / 2.5e-5 - 1 | fabs < 1e-3) and
        (."kinetic-energy" | .[0] / .[100] | fabs > 1e4)' <run.jsonl
    # the tip comes back through 1 after half a period, within 1e-3 of it
    grep '^{"type":"node","id":21,' run.jsonl | jq -se 'map(.position[0] - 1) | .[1:] | map(. > 0) | index(false) | . >= 199 and . <= 200'
    [ "$(grep '^{"type":"node","id":1,' run.jsonl | jq -c .position | sort -u)" = '[0,0]' ] # held
    # the same by hand, and by threads, and in either encoding
    cd-step -i central --advance bar.jsonl | cd-step -i central --advance | jq -c 'select(.type=="node")' >by-hand
    cd-view -j --frames 2 run.jsonl | jq -c 'select(.type=="node")' | cmp - by-hand
    cd-view -b bar.jsonl | cd-loop -b --frames 3 -- 'cd-step -t 2 -i central' | cd-view -j --frames 2 | jq -c 'select(.type=="node")' | cmp - by-hand
}

@test "cd-step --integrator central: nodes fall, go as they are told, or stay" {
    meshes bar 4 | sed 's/"dim": 2/"dim": 2, "gravity": [0, -8]/' | sed '/"motion": "fixed"/!s/"velocity": \[[^]]*\]/"velocity": [1, 2]/' >in.jsonl
    jq -c 'if .type=="node" and .id==15 then .motion="prescribed" else . end' in.jsonl | jq -c 'del(.reference)' >free.jsonl
    # without a reference there is no stress: v = (1, 2 - 8 h / 2) in frame 0, h = 4 / sqrt(1000) / 400
    cd-step -i central --energy free.jsonl >out.jsonl
    h=$(jq -n '4 / (1000 | sqrt) / 400')
    jq -c 'select(.type=="next_node" and .node==2)' out.jsonl | holds "(.velocity[1] - (2 - 4 * $h) | fabs) < 1e-15 and (.position[0] - (0.25 + $h) | fabs) < 1e-15"
    jq -c 'select(.type=="next_node" and .node==15)' out.jsonl | holds "(.velocity == [1,2])"
    [ -z "$(jq -c 'select(.type=="next_node" and .node==1)' out.jsonl)" ]
    # 10 of 15 nodes have 875 of 1000 kg/m^2 times 0.5, node 15 a part of it
    metrics strain-energy <out.jsonl | holds '. == 0'
    metrics momentum-x <out.jsonl | holds '. > 390 and . < 438'
    sed 's/"id": 1, "motion"/&/; s/{"type": "body", "id": 1}/{"type": "body", "id": 1, "motion": "fixed"}/' in.jsonl | cd-step -i central | jq -c 'select(.type=="next_node")' >none
    [ ! -s none ]
    sed 's/"mass": [^,]*, //' in.jsonl >bad.jsonl
    run -3 --separate-stderr cd-step -i central bad.jsonl
    [ "$stderr" = "cd-step: frame 0: node 2: mass: required of a dynamic node" ]
    sed 's/, "shear": [^}]*}/}/' in.jsonl >bad.jsonl
    run -3 --separate-stderr cd-step -i central bad.jsonl
    [ "$stderr" = "cd-step: frame 0: element 1: material: an elastic element needs bulk and shear moduli" ]
    run -6 --separate-stderr cd-step in.jsonl
    [[ "$stderr" == *"its parts are elements, for which this stage has no routine" ]]
}

@test "cd-step --integrator central: an impact keeps momentum to 1e-12 and energy to 1 % at the stable step" {
    meshes strips 6 10 >in.jsonl
    cd-loop --frames 201 in.jsonl -- 'cd-broad | cd-narrow | cd-penalty --beta 50 --unstable stop | cd-step -i central --energy' >run.jsonl
    # strain takes some of 8000 J
    series '(.energy | (max / .[0] - 1 | fabs) < 0.01 and (min / .[0] - 1 | fabs) < 0.01 and length == 200) and
        (."momentum-y" | (max / .[0] - 1 | fabs) < 1e-12 and (min / .[0] - 1 | fabs) < 1e-12) and
        (."angular-momentum-z" | map(fabs) | max < 1e-10) and (."strain-energy" | max > 500)' <run.jsonl
    # it comes off again; stable-step is that of elements and contacts: a step above it is told of
    of_type metric <run.jsonl | jq -se '(map(select(.name == "contacts" and .tool == "cd-penalty").value) | max == 4 and .[-1] == 0) and
        (map(select(.name == "stable-step").value) | min < .[0])'
    sed 's/"step": [^}]*/"step": 0.002/' in.jsonl >large.jsonl
    run -0 --separate-stderr bash -c "cd-penalty large.jsonl >out.jsonl"
    [[ "$stderr" == "cd-penalty: frame 0: a step of 0.002 s is above the stable step of "*" s, which element "* ]]
}

@test "cd-step --integrator central takes forces alone" {
    { body_frame 0 0; rows solved; } | stream >in.jsonl
    run -6 --separate-stderr cd-step -i central in.jsonl
    [ "$stderr" = "cd-step: frame 0: value: --integrator central cannot use this table" ]
    run -2 --separate-stderr cd-step -i central --rounds 3 in.jsonl
    [ "$stderr" = "cd-step: --rounds: --integrator central takes no impulses, which rounds go by" ]
    { echo '{"type":"head","cds":[1,0],"dim":2}'
        echo '{"type":"material","id":1}'
        echo '{"type":"interaction","a":1,"b":1,"restitution":0.5}'
        body_frame 0 0
        printf '%s\n' '{"type":"fend"}' '{"type":"end"}'; } >in.jsonl
    cd-step -i central in.jsonl >/dev/null # its forces have the restitution
    # in frame 0 half a kick, later all of it; gravity -10, h 0.5
    body_frame 0 0 | stream | cd-step -i central | next_of 9 | found -xF '[[0.5,-1.25],1,[1,-2.5],2]'
    body_frame 1 0.5 | stream | cd-step -i central | next_of 9 | found -xF '[[0.5,-2.5],1,[1,-5],2]'
}

# ---- rest ----

# on_floor GRAVITY MU BODIES: a floor, of that friction, and bodies on it; steps of 10 ms.
on_floor() {
    printf 'gravity: %s\nstep: 0.01\nepsilon: 1e-4\nbodies:\n- {shape: {halfspace: {normal: [0, 1]}}, motion: fixed, mu: %s}\n' "$1" "$2"
    shift 2
    printf -- '- %s\n' "$@"
}
# after STEPS FILE [OPTIONS]: position and velocity of the moving bodies
after() {
    cd-loop --frames $(($1 + 1)) "$2" -- "cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step ${*:3}" | cd-view -j --frames last --type body |
        jq -c 'select(.type == "body" and .motion != "fixed") | [.position, .velocity]'
}
BOX='shape: {box: [0.2, 0.1]}, density: 1'

@test "cd-step: what rests stays where it is, bit for bit, in rounds, in one and in space" {
    on_floor '[1, -9]' 0.5 "{$BOX, position: [0, 0.101], mu: 0.5}" "{$BOX, position: [0.02, 0.302], mu: 0.5}" >pile.yaml
    cat >space.yaml <<'YAML'
dim: 3
gravity: [0, 1, -9]
step: 0.01
epsilon: 1e-4
bodies:
- {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed, mu: 0.5}
- {shape: {box: [0.2, 0.1, 0.1]}, density: 1, position: [0, 0, 0.101], rotation: {axis: [0, 0, 1], angle: 0.3}, mu: 0.5}
- {shape: {box: [0.2, 0.1, 0.1]}, density: 1, position: [0.02, 0.01, 0.302], rotation: {axis: [0, 0, 1], angle: 1}, mu: 0.5}
YAML
    for scene in pile space; do
        for rounds in 8 1; do
            for frame in 30 31; do after "$frame" "$scene.yaml" --rounds "$rounds" >"$frame.at"; done
            cmp 30.at 31.at
            [ "$(jq -s 'map(.[1][]) | map(fabs) | max == 0' 31.at)" = true ]
            [ "$(jq -s 'length' 31.at)" -ge 2 ]
            # without the option the errors of the solution go on
            [ "$(after 31 "$scene.yaml" --rounds "$rounds" --rest 0 | jq -s 'map(.[1][]) | map(fabs) | max > 0')" = true ]
        done
    done
    # the floor still bears it
    cd-loop --frames 32 pile.yaml | cd-view -j --frames 30 >frame.jsonl
    jq -s -e 'map(select(.type == "force" and .contact < 2).vector[1]) | add - 2 * 0.08 * 9 | fabs < 1e-7' frame.jsonl
    if grep force-unplaced frame.jsonl; then false; fi
}

@test "cd-step: what moves does not rest: a slide and a creep, a turning point, a glide, a belt" {
    # friction lacks 1e-6 of what would hold it: x = -a h^2 n (n + 1) / 2, a = 9e-6
    on_floor '[-4.5, -9]' 0.499999 "{$BOX, position: [0, 0.1], mu: 0.499999}" >slope.yaml
    after 1 slope.yaml | holds '.[1][0] / -9e-8 - 1 | fabs < 1e-3'
    after 100 slope.yaml | holds '.[0][0] / (-9e-10 * 5050) - 1 | fabs < 1e-4'
    # friction holds it to its speed
    on_floor '[-4.5, -9]' 0.5 "{$BOX, position: [0, 0.1], velocity: [-1e-6, 0], mu: 0.5}" >creep.yaml
    after 100 creep.yaml | holds '.[0][0] / -1e-6 - 1 | fabs < 1e-4'
    # up a slope, and at the tenth step it stands: v = 0.1 - n h, all of it is made up for
    on_floor '[-1, -9]' 0 '{shape: {sphere: 0.1}, density: 1, position: [0, 0.1], velocity: [0.1, 0], mu: 0}' >turn.yaml
    after 10 turn.yaml | holds '.[1][0] | fabs < 1e-9'
    after 20 turn.yaml | holds '(.[1][0] + 0.1 | fabs < 1e-9) and (.[0][0] + 0.001 | fabs < 1e-9)'
    # nothing loads it; nothing that is held bears these two; a belt goes at 5e-11 m/s
    on_floor '[0, 0]' 0 "{$BOX, position: [0, 0.1], velocity: [1e-12, 0], mu: 0}" >glide.yaml
    after 100 glide.yaml | holds '.[0][0] / 1e-12 - 1 | fabs < 1e-9'
    on_floor '[0, 0]' 0 "{$BOX, position: [0, 1], velocity: [0, 1e-12], force: [5, 0]}" \
        "{$BOX, position: [0.4, 1], velocity: [0, 1e-12], force: [-5, 0]}" >pressed.yaml
    after 100 pressed.yaml | jq -s -e 'length == 2 and all(.[0][1] - 1 > 0.9e-12)'
    on_floor '[0, -9]' 0.5 "{$BOX, position: [0, 0.1], mu: 0.5}" | sed 's/motion: fixed/motion: prescribed, velocity: [5e-11, 0]/' >belt.yaml
    after 100 belt.yaml | tail -n 1 | holds '.[0][0] / 5e-11 - 1 | fabs < 1e-2'
    # what touches exactly is moved off, by less than rest allows
    on_floor '[0, -9]' 0.5 '{shape: {box: [1e-6, 1e-6]}, density: 1, position: [0, 1e-6], mu: 0.5}' | sed '1i length: 1e-6' >speck.yaml
    after 1 speck.yaml | holds '.[0][1] > 1e-6'
}

# The floor's corners are rounded by 1e-16 of their place, and the end of a step asks that much of a gap.
@test "cd-step --rounds: a ball rolls and a box stands on a tilted floor of 10,000 and 10 million times its size, in whole steps" {
    for size in 1e3 1e6; do
        for shape in 'sphere: 0.1' 'box: [0.1, 0.1, 0.1]'; do
            # the slope has tangent 0.45; the floor's upper face goes through the origin
            cat >floor.yaml <<YAML
gravity: [0, 0, -9.8]
dim: 3
step: 0.01
defaults: {mu: 0.5, rotation: {axis: [0, 1, 0], angle: 0.4228539261329407}}
bodies:
  - {shape: {box: [$size, $size, 1]}, position: [-0.4103646773287979, 0, -0.9119215051751064], motion: fixed}
  - {shape: {$shape}, position: [0.04103646773287979, 0, 0.09119215051751064], mass: 1}
YAML
            cd-loop -q -j --until 0.1 floor.yaml >run.jsonl
            # a step for each of ten frames; 5/7 g sin h^2 (1 + .. + 10) along the slope, or nothing
            jq -s -e --arg shape "${shape%%:*}" '(map(select(.type == "frame")) | length) == 11
                and (map(select(.type == "verdict") | .round) | max) <= 3
                and (map(select(.type == "body" and .id == 2))[-1].position | .[0] * 0.9119215051751064 - .[2] * 0.4103646773287979) as $way
                | . and (($way - (if $shape == "sphere" then 5 / 7 * 9.8 * 0.4103646773287979 * 1e-4 * 55 else 0 end) | fabs) < 1e-9)' run.jsonl
        done
    done
}
