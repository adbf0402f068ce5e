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
    cd-overlap-metric --per-pair in.jsonl | jq -c 'select(.type=="metric" and has("a")) | [.a,.b,.value]' >pairs
    [ "$(paste -sd' ' pairs)" = "[1,2,0.125] [3,4,0.5]" ]
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
    cd-overlap-metric --per-pair two.jsonl | jq -c 'select(.type=="metric" and has("a")) | [.a,.b]' >pairs
    [ "$(cat pairs)" = "[1,9]" ]
    near "$(cd-overlap-metric two.jsonl | metric overlap)" "$(jq -n '0.5 + 0.5*((0.5|acos) - 0.5*(0.75|sqrt))')"
}

@test "cd-overlap-metric counts what it cannot measure" {
    squares | sed 's/"kind":"box","halfsizes":\[0.5,0.5\]/"kind":"ellipsoid","semiaxes":[0.5,0.5]/' >in.jsonl
    run -0 --separate-stderr cd-overlap-metric in.jsonl
    [ "$(metric overlap <<<"$output") $(metric gap <<<"$output") $(metric unmeasured <<<"$output")" = "0  1" ]
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
    head -1 want | grep -q cd-lcp
    cd-overlap-metric --per-pair in.jsonl | cd-overlap-metric --per-pair | grep '"metric"' | cmp - want
}

@test "cd-overlap-metric refuses 3-D input in one line" {
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":3}' '{"type":"frame","index":0,"time":0}' '{"type":"fend"}' '{"type":"end"}' >three.jsonl
    run -6 --separate-stderr cd-overlap-metric three.jsonl
    [ "$stderr" = "cd-overlap-metric: head: dim: 3 is not supported, only 2" ]
}
