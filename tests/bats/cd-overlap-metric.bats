#!/usr/bin/env bats
load helper

# metric NAME: its total in each frame
metric() { jq -r "select(.type==\"metric\" and .tool==\"cd-overlap-metric\" and .name==\"$1\" and (has(\"a\")|not)) | .value" | paste -sd' '; }
near() { jq -ne --argjson x "$1" --argjson y "$2" "(\$x-\$y)|fabs < ${3:-1e-12}" >/dev/null; }

# Unit squares at x = 0 (fixed), 0.75, 3, 3.5 (not before 1 s), fixed ones at 10 and 10.5.
squares() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"frame","index":0,"time":0,"step":0.5}
{"type":"body","id":6,"shape":1,"position":[10,0],"motion":"fixed"}
{"type":"body","id":5,"shape":1,"position":[10.5,0],"motion":"fixed"}
{"type":"body","id":3,"shape":1,"position":[3,0],"mass":1,"inertia":1}
{"type":"body","id":2,"shape":1,"position":[0.75,0],"mass":1,"inertia":1}
{"type":"body","id":1,"shape":1,"position":[0,0.5],"motion":"fixed"}
{"type":"body","id":4,"shape":1,"position":[3.5,0],"mass":1,"inertia":1,"release":1}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-overlap-metric does what every filter does" { common_filter_tests cd-overlap-metric; }

@test "cd-overlap-metric: areas of known squares; fixed pairs and unreleased bodies are left out" {
    squares >in.jsonl
    run -0 --separate-stderr cd-overlap-metric in.jsonl
    [ -z "$stderr" ]
    [ "$(metric overlap <<<"$output")" = 0.125 ]
    [ "$(metric gap <<<"$output")" = -0.25 ]
    [ "$(metric unmeasured <<<"$output")" = 0 ]
    # no pair table is needed or looked at
    [ "$(cd-broad --reach 0 in.jsonl | sed '/"pair"/d' | cd-overlap-metric | metric overlap)" = 0.125 ]
}

@test "cd-overlap-metric measures next when it is there" {
    squares | sed '/"fend"/i {"type":"next","body":2,"position":[2.25,0],"rotation":0,"velocity":[0,0],"spin":0}' >in.jsonl
    run -0 cd-overlap-metric --per-pair in.jsonl
    [ "$(metric overlap <<<"$output")" = 0.25 ]
    grep -qF '{"type":"metric","tool":"cd-overlap-metric","name":"overlap","value":0.25,"a":2,"b":3}' <<<"$output"
    [ "$(metric overlap-released <<<"$output")" = 0.125 ] # where they started
}

@test "cd-overlap-metric: separated bodies have exactly 0, and the gap of the nearest pair however far" {
    squares | sed '/"body","id":[1456],/d; s/"position":\[3,0\]/"position":[3000.75,0]/' >far.jsonl
    run -0 cd-overlap-metric far.jsonl
    [ "$(metric overlap <<<"$output")" = 0 ]
    [ "$(metric gap <<<"$output")" = 2999 ]
    sed 's/"position":\[3000.75,0\]/"position":[1.75,0]/' far.jsonl >touch.jsonl
    run -0 cd-overlap-metric touch.jsonl
    [ "$(metric overlap <<<"$output") $(metric gap <<<"$output")" = "0 0" ]
    sed '/"body","id":3,/d' far.jsonl >alone.jsonl
    run -0 cd-overlap-metric alone.jsonl
    [ "$(metric overlap <<<"$output") $(metric gap <<<"$output")" = "0 " ]
}

@test "cd-overlap-metric: an overlap that a release makes is told apart" {
    squares >one.jsonl
    { sed '$d' one.jsonl
      for k in 1 2 3; do sed "1,2d; \$d; s/\"index\":0,\"time\":0/\"index\":$k,\"time\":$(jq -n "$k/2")/" one.jsonl; done
      echo '{"type":"end"}'; } >four.jsonl
    run -0 cd-overlap-metric four.jsonl
    [ "$(metric overlap <<<"$output")" = "0.125 0.125 0.625 0.625" ]
    [ "$(metric overlap-released <<<"$output")" = "0.125 0 0.5 0" ]
}

@test "cd-overlap-metric --per-pair lists the pairs that overlap, by body" {
    squares | sed 's/,"release":1//' >in.jsonl
    cd-overlap-metric --per-pair in.jsonl | jq -c 'select(.type=="metric" and .name=="overlap" and has("a")) | [.a,.b,.value]' >pairs
    [ "$(paste -sd' ' pairs)" = "[1,2,0.125] [3,4,0.5]" ]
    # each with the error of its own, which add up to the total's
    run -0 cd-overlap-metric --per-pair in.jsonl
    jq -se '[.[]|select(.name=="overlap-error")] | (map(select(has("a")).value)|add) as $sum | map(select(has("a")|not).value)[0]
        | . >= $sum and . < $sum + 1e-15 and $sum > 0 and $sum < 1e-12' <<<"$output"
}

@test "cd-overlap-metric: circles and halfspaces by closed forms, compounds part by part" {
    cat >in.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":2}
{"type":"shape","id":1,"kind":"halfspace","normal":[0,1],"offset":0}
{"type":"shape","id":2,"kind":"sphere","radius":0.5}
{"type":"shape","id":3,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":4,"kind":"compound","parts":[{"shape":3,"position":[-0.5,0],"rotation":0},{"shape":2,"position":[5,0],"rotation":0}]}
{"type":"frame","index":0,"time":0}
{"type":"body","id":9,"shape":1,"position":[0,0],"motion":"fixed"}
{"type":"body","id":1,"shape":4,"position":[0,0.25]}
{"type":"fend"}
{"type":"end"}
JSONL
    area=$(cd-overlap-metric in.jsonl | metric overlap)
    near "$area" "$(jq -n '0.25 + 0.25*((0.5|acos) - 0.5*(0.75|sqrt))')"
    near "$(cd-overlap-metric in.jsonl | metric gap)" -0.25
    # two compounds that overlap with both parts: one pair of bodies
    sed '/"id":9,/s/.*/{"type":"body","id":9,"shape":4,"position":[0,0.75]}/' in.jsonl >two.jsonl
    cd-overlap-metric --per-pair two.jsonl | jq -c 'select(.name=="overlap" and has("a")) | [.a,.b]' >pairs
    [ "$(cat pairs)" = "[1,9]" ]
    near "$(cd-overlap-metric two.jsonl | metric overlap)" "$(jq -n '0.5 + 0.5*((0.5|acos) - 0.5*(0.75|sqrt))')"
}

@test "cd-overlap-metric counts what it cannot measure" {
    squares | sed 's/"kind":"box","halfsizes":\[0.5,0.5\]/"kind":"ellipsoid","semiaxes":[0.5,0.5]/' >in.jsonl
    run -0 --separate-stderr cd-overlap-metric in.jsonl
    [ "$(metric overlap <<<"$output") $(metric unmeasured <<<"$output")" = "0 1" ]
    near "$(metric gap <<<"$output")" "$(jq -n '(0.75*0.75 + 0.25|sqrt) - 1')" # how deep two ellipses are is known
    run -1 --separate-stderr cd-overlap-metric --max 1 in.jsonl
    [ "$stderr" = "cd-overlap-metric: --max is not proved: 1 pairs could not be measured" ]
}

@test "cd-overlap-metric --max exits 1 after a complete stream" {
    squares >in.jsonl
    run -0 --separate-stderr cd-overlap-metric --max 0.125 in.jsonl
    run -1 --separate-stderr cd-overlap-metric --max 0.1 in.jsonl
    [ "$stderr" = "cd-overlap-metric: frame 0: overlap 0.125 m^2 is above --max 0.1" ]
    [ "$(tail -1 <<<"$output")" = '{"type":"end"}' ]
}

@test "cd-overlap-metric: the order of bodies does not matter, other tools' metrics stay" {
    squares | sed 's/,"release":1//; /"fend"/i {"type":"metric","tool":"cd-lcp","name":"pivots","value":3}' >in.jsonl
    { head -3 in.jsonl; grep '"body"' in.jsonl | tac; tail -3 in.jsonl; } >other.jsonl
    cd-overlap-metric --per-pair in.jsonl | grep '"metric"' >want
    cd-overlap-metric --per-pair other.jsonl | grep '"metric"' | cmp - want
    head -1 want | found cd-lcp
    cd-overlap-metric --per-pair in.jsonl | cd-overlap-metric --per-pair | grep '"metric"' | cmp - want
}

@test "cd-overlap-metric: a body released when steps are not constant" {
    # a step of 0.5, halved at 0.5: frames at 0, 0.5, 0.75 (the rest of the step in its frame), 1, 1.5
    squares | sed 's/,"release":1/,"release":0.6/' >one.jsonl
    { sed '$d' one.jsonl
      for frame in '1,"time":0.5,"step":0.25' '1,"time":0.75,"step":0.1,"substep":1' '2,"time":1,"step":0.5' '3,"time":1.5,"step":0.5'; do
          sed "1,2d; \$d; s/\"index\":0,\"time\":0,\"step\":0.5/\"index\":$frame/" one.jsonl
      done
      echo '{"type":"end"}'; } >in.jsonl
    run -0 cd-overlap-metric in.jsonl
    [ "$(metric overlap-released <<<"$output")" = "0.125 0 0.5 0 0" ] # 0.75 - 0.1 is after the release, the frame before it is not
}

# ---- space

# Boxes, balls and an ellipsoid of halves about known places, a floor that is not flat to the axes: [a, b, overlap]
solids() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":3}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5,0.5]}
{"type":"shape","id":2,"kind":"sphere","radius":0.5}
{"type":"shape","id":3,"kind":"ellipsoid","semiaxes":[0.5,0.25,1]}
{"type":"shape","id":4,"kind":"halfspace","normal":[0,0,1],"offset":0}
{"type":"shape","id":5,"kind":"compound","parts":[{"shape":1,"position":[0,0,0],"rotation":[1,0,0,0]},{"shape":2,"position":[3,0,0],"rotation":[1,0,0,0]}]}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1,"shape":4,"position":[0,0,0],"motion":"fixed"}
JSONL
    cat
    printf '%s\n' '{"type":"fend"}' '{"type":"end"}'
}
body() { printf '{"type":"body","id":%s,"shape":%s,"position":[%s]}\n' "$1" "$2" "$3"; }
pairs() { jq -c 'select(.type=="metric" and .name=="overlap" and has("a")) | [.a,.b,.value]'; }

@test "cd-overlap-metric in space: known volumes of all kinds of pairs" {
    pi=3.141592653589793
    # box, ball, ellipsoid with the floor; two boxes; box and ball, box and ellipsoid with a face through the centre; two balls; ball in ellipsoid
    { body 2 1 0,0,0.25; body 3 2 10,0,0; body 4 3 20,0,0; body 5 1 0.75,0.25,0.75; body 6 1 30,0,5.5; body 7 2 30,0,5
      body 8 1 40,0,5.5; body 9 3 40,0,5; body 10 2 50,0,5; body 11 2 50.5,0,5; body 12 3 60,0,5; body 13 2 60,0,5; } | solids >in.jsonl
    run -0 --separate-stderr cd-overlap-metric --per-pair in.jsonl
    [ -z "$stderr" ]
    pairs <<<"$output" >found
    want() { near "$(jq "select(.[0]==$1 and .[1]==$2)[2]" found)" "$(jq -n "$3")" "${4:-1e-13}"; }
    want 1 2 0.25
    want 1 3 "$pi/12"
    want 1 4 "$pi/12"
    want 2 5 "0.25*0.75*0.5"
    want 6 7 "$pi/12"
    want 8 9 "$pi/12"
    want 10 11 "5*$pi/96"
    # the sums, and errors that are told
    near "$(metric overlap <<<"$output")" "$(jq -s 'map(.[2])|add' found)"
    [ "$(metric unmeasured <<<"$output")" = 0 ]
    jq -ne "$(metric overlap-error <<<"$output") < 1e-6" >/dev/null # the ball pierces the ellipsoid
    # the ball of 13 is in the middle of 12, whose flank is 0.25 away
    { body 12 3 60,0,5; body 13 2 60,0,5; } | solids >in.jsonl
    near "$(cd-overlap-metric in.jsonl | metric gap)" -0.75
}

@test "cd-overlap-metric in space: one answer for every number of threads and order of bodies" {
    { awk 'BEGIN { srand(7); for (i = 2; i < 1500; i++) printf "{\"type\":\"body\",\"id\":%d,\"shape\":%d,\"position\":[%.6f,%.6f,%.6f],\"rotation\":[0.5,0.5,-0.5,0.5]}\n",
        i, i % 50 ? 1 + i % 2 : 3, 9*rand(), 9*rand(), 9*rand() }'; } >bodies
    solids <bodies >in.jsonl
    tac bodies | solids >other.jsonl
    cd-overlap-metric --per-pair in.jsonl | grep '"metric"' >want
    [ "$(wc -l <want)" -gt 5000 ]
    cd-overlap-metric -t 3 --stats --per-pair in.jsonl 2>stats | grep '"metric"' | cmp - want
    threads_ran stats
    cd-overlap-metric -t 2 --stats --per-pair other.jsonl 2>stats | grep '"metric"' | cmp - want
    threads_ran stats
}

@test "cd-overlap-metric in space: compounds part by part, next, fixed pairs, the least gap however far" {
    # the box's lower half and the ball's are in the floor; bodies 3 and 4 are both fixed
    { body 2 5 0,0,0; body 3 1 0,0,30 | sed 's/}/,"motion":"fixed"}/'; body 4 1 0,0,30.5 | sed 's/}/,"motion":"fixed"}/'; } | solids >in.jsonl
    run -0 cd-overlap-metric --per-pair in.jsonl
    near "$(metric overlap <<<"$output")" "$(jq -n '0.5 + 3.141592653589793/12')"
    [ "$(pairs <<<"$output" | jq -c '.[:2]')" = "[1,2]" ]
    near "$(metric gap <<<"$output")" -0.5
    # at the end of the step it hovers: exactly nothing, and the gap to the floor
    sed '/"fend"/i {"type":"next","body":2,"position":[0,0,7],"rotation":[0,0,1,0],"velocity":[0,0,0],"spin":[0,0,0]}' in.jsonl >next.jsonl
    run -0 cd-overlap-metric next.jsonl
    [ "$(metric overlap <<<"$output") $(metric overlap-error <<<"$output") $(metric gap <<<"$output")" = "0 0 6.5" ]
    near "$(metric overlap-released <<<"$output")" "$(jq -n '0.5 + 3.141592653589793/12')"
}

@test "cd-overlap-metric in space: facets have no inside" {
    body 2 6 0,0,0.2 | solids | sed '/"id":5,"kind"/a {"type":"shape","id":6,"kind":"facets","vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,2]],"thickness":0.1}' >in.jsonl
    run -0 cd-overlap-metric in.jsonl
    [ "$(metric overlap <<<"$output") $(metric unmeasured <<<"$output")" = "0 0" ]
    near "$(metric gap <<<"$output")" 0.15
    sed 's/0,0,0.2\]/0,0,0.01]/' in.jsonl >low.jsonl
    run -1 --separate-stderr cd-overlap-metric --max 1 low.jsonl
    [ "$stderr" = "cd-overlap-metric: --max is not proved: 1 pairs could not be measured" ]
    near "$(metric gap <<<"$output")" -0.04
}

@test "cd-overlap-metric in space: --max tells cubic metres, broken polyhedra are refused in one line" {
    body 2 1 0,0,0.25 | solids >in.jsonl
    run -1 --separate-stderr cd-overlap-metric --max 0.2 in.jsonl
    [ "$stderr" = "cd-overlap-metric: frame 0: overlap 0.25 m^3 is above --max 0.2" ]
    sed 's/"kind":"box","halfsizes":\[0.5,0.5,0.5\]/"kind":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,1,2],[0,1,3],[0,3,2],[1,2,3]]/' in.jsonl >open.jsonl
    run -3 --separate-stderr cd-overlap-metric open.jsonl
    [[ "$stderr" == "cd-overlap-metric: shape 1: faces: "* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}
