#!/usr/bin/env bats
load helper

of_type() { jq -c "select(.type==\"$1\")"; }
pairs() { jq -r 'select(.type=="pair") | "\(.a[0]).\(.a[1])-\(.b[0]).\(.b[1])"' | paste -sd' '; }

# Unit boxes (shape 1) in a row, a compound of two (shape 2); ids out of order; reach given, so that boxes grow by 0.05.
row_of_boxes() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"reach":0.1}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":2,"kind":"compound","parts":[{"shape":1,"position":[0,0],"rotation":0},{"shape":1,"position":[1,0],"rotation":0}]}
{"type":"frame","index":0,"time":1,"step":0.01}
{"type":"body","id":30,"shape":1,"position":[1.0625,0],"group":"right"}
{"type":"body","id":10,"shape":1,"position":[0,0],"group":"left"}
{"type":"body","id":20,"shape":2,"position":[2.125,0],"group":"right"}
{"type":"body","id":5,"shape":1,"position":[0.5,0],"motion":"fixed"}
{"type":"body","id":6,"shape":1,"position":[0.25,0],"motion":"fixed"}
{"type":"body","id":7,"shape":1,"position":[0.25,0],"release":1.5}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-broad does what every filter does" { common_filter_tests cd-broad; }

@test "cd-broad lists pairs in canonical order, without fixed pairs, unreleased bodies and parts of one body" {
    row_of_boxes >in.jsonl
    run -0 --separate-stderr cd-broad in.jsonl
    [ -z "$stderr" ]
    [ "$(pairs <<<"$output")" = "5.0-10.0 5.0-30.0 6.0-10.0 6.0-30.0 10.0-30.0 20.0-30.0" ]
    [ "$(of_type bounds <<<"$output" | jq -c '.a' | paste -sd' ')" = "[5,0] [6,0] [10,0] [20,0] [20,1] [30,0]" ]
}

@test "cd-broad: every method gives the same bytes" {
    row_of_boxes >in.jsonl
    for scene in in.jsonl "$SCENES/pile-300.yaml"; do
        case $scene in *.yaml) cd-scene "$scene" >scene.jsonl ;; *) cp "$scene" scene.jsonl ;; esac
        want=$(cd-broad --no-prog --method brute --margin 0.05 scene.jsonl | md5sum)
        for method in $(cd-broad --help | sed -n '/^Methods:/,/^$/s/^  \([a-z-]*\) .*/\1/p') auto; do
            [ "$(cd-broad --no-prog -m "$method" --margin 0.05 scene.jsonl | md5sum)" = "$want" ]
        done
    done
    [ "$(cd-broad --margin 0.05 scene.jsonl | grep -c '"pair"')" -gt 300 ]
}

@test "cd-broad: results do not depend on the order of bodies" {
    row_of_boxes >in.jsonl
    { head -4 in.jsonl; grep '"body"' in.jsonl | tac; tail -2 in.jsonl; } >other.jsonl
    [ "$(cd-broad in.jsonl | grep '"bounds"\|"pair"')" = "$(cd-broad other.jsonl | grep '"bounds"\|"pair"')" ]
}

@test "cd-broad --group takes pairs across two groups, or within one" {
    row_of_boxes >in.jsonl
    [ "$(cd-broad --group left:right in.jsonl | pairs)" = "10.0-30.0" ]
    [ "$(cd-broad --group right:left in.jsonl | pairs)" = "10.0-30.0" ]
    [ "$(cd-broad --group right:right in.jsonl | pairs)" = "20.0-30.0" ]
    [ "$(cd-broad --group left:nobody in.jsonl | pairs)" = "" ]
    for wrong in left left: :right a:b:c; do
        run -2 --separate-stderr cd-broad --group "$wrong" in.jsonl
        [[ "$stderr" == *"not two names with a colon between"* ]]
    done
}

@test "cd-broad: boxes grow by half the reach and the margin, and cover the step" {
    cat >in.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-10],"reach":0.5}
{"type":"shape","id":1,"kind":"box","halfsizes":[1,2]}
{"type":"frame","index":0,"time":0,"step":0.125}
{"type":"body","id":1,"shape":1,"position":[4,0],"velocity":[8,0]}
{"type":"fend"}
{"type":"end"}
JSONL
    box() { cd-broad "$@" in.jsonl | jq -c 'select(.type=="bounds") | [.min[0],.max[0],.min[1],.max[1]] | map(.*1e9|round/1e9)'; }
    [ "$(box --reach 0 --no-sweep)" = "[3,5,-2,2]" ]
    [ "$(box --no-sweep)" = "[2.75,5.25,-2.25,2.25]" ]
    [ "$(box --no-sweep --margin 0.5)" = "[2.25,5.75,-2.75,2.75]" ]
    [ "$(box --reach 0)" = "[3,6,-2.15625,2]" ]
    # a trial pose is covered too
    sed -i '4a {"type":"trial","body":1,"position":[0,0],"rotation":0,"velocity":[0,0],"spin":0}' in.jsonl
    [ "$(box --reach 0)" = "[-1,6,-2.15625,2]" ]
    # automatic: 0.0025 L + 1.5 h (|v| + R |omega| + |g| h) a body
    sed -i 's/,"reach":0.5/,"length":2/' in.jsonl
    [ "$(box --no-sweep)" = "[1.260625,6.739375,-3.739375,3.739375]" ]
    # without a step nothing moves
    sed -i 's/,"step":0.125//' in.jsonl
    [ "$(box --no-sweep)" = "[2.995,5.005,-2.005,2.005]" ]
}

@test "cd-broad: a halfspace along an axis is bounded on one side" {
    cat >in.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"reach":0.001}
{"type":"shape","id":1,"kind":"halfspace","normal":[0,1],"offset":0.5}
{"type":"shape","id":2,"kind":"halfspace","normal":[0.6,0.8],"offset":0.5}
{"type":"shape","id":3,"kind":"sphere","radius":1}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1,"shape":1,"position":[0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":2,"position":[0,0],"motion":"fixed"}
{"type":"body","id":3,"shape":3,"position":[0,1.4]}
{"type":"body","id":4,"shape":3,"position":[0,5]}
{"type":"fend"}
{"type":"end"}
JSONL
    run -0 --separate-stderr cd-broad in.jsonl
    [ "$(pairs <<<"$output")" = "1.0-3.0 2.0-3.0 2.0-4.0" ]
    [[ "$output" == *'{"type":"bounds","a":[1,0],"min":["-Infinity","-Infinity"],"max":["Infinity",0.500'* ]]
}

@test "cd-broad --use-bounds takes the stream's boxes as they are, and passes them on" {
    row_of_boxes | cd-broad >with.jsonl
    sed -i 's/{"type":"bounds","a":\[10,0\].*/{"type":"bounds","a":[10,0],"min":[90,"-Infinity"],"max":[91,"Infinity"]}/' with.jsonl
    run -0 --separate-stderr cd-broad --use-bounds --no-prog --margin 50 with.jsonl
    [ "$(pairs <<<"$output")" = "5.0-30.0 6.0-30.0 20.0-30.0" ]
    [ "$(of_type bounds <<<"$output")" = "$(of_type bounds <with.jsonl)" ]
    # no shapes are needed, in two dimensions or three
    cat >three.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1,"position":[0,0,0]}
{"type":"body","id":2,"position":[0,0,0]}
{"type":"bounds","a":[2,0],"min":[0,0,0],"max":[1,1,1]}
{"type":"bounds","a":[1,1],"min":[1,1,1],"max":[1,1,1]}
{"type":"bounds","a":[1,0],"min":[1,1,1.5],"max":[2,2,2]}
{"type":"fend"}
{"type":"end"}
JSONL
    [ "$(cd-broad --use-bounds three.jsonl | pairs)" = "1.1-2.0" ]
}

@test "cd-broad --use-bounds refuses broken boxes by body" {
    row_of_boxes | cd-broad >with.jsonl
    sed 's/\("a":\[10,0\],"min":\)\[[^]]*\]/\1[7,7]/' with.jsonl >inverted.jsonl
    run -3 --separate-stderr cd-broad --use-bounds inverted.jsonl
    [[ "$stderr" == "cd-broad: frame 0: bounds of body 10 part 0: min is above max" ]]
    sed '/"bounds","a":\[10,0\]/p' with.jsonl >twice.jsonl
    run -3 --separate-stderr cd-broad --use-bounds twice.jsonl
    [[ "$stderr" == *"bounds of body 10 part 0: there twice" ]]
    sed 's/\("a":\[10,0\],"min":\)\[[^]]*\]/\1["NaN",0]/' with.jsonl >nan.jsonl
    run -3 --separate-stderr cd-broad --use-bounds nan.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "cd-broad run again gives the same stream" {
    row_of_boxes | cd-broad --no-prog >once.jsonl
    cd-broad --no-prog once.jsonl | cmp - once.jsonl
    # and later tables do not survive it
    sed '/"fend"/i {"type":"contact","id":0,"a":[5,0],"b":[10,0],"kind":"distance","point":[0,0],"normal":[1,0],"gap":0}' once.jsonl |
        cd-broad --no-prog | cmp - once.jsonl
}

@test "cd-broad refuses what it cannot use in one line" {
    small_stream | sed 's/"dim":2/"dim":3/; s/,"gravity":[^]]*]//; /"shape","id"/d; s/"shape":.,//; s/\("position":\[[^]]*\)/\1,0/; s/\("velocity":\[[^]]*\)/\1,0/; s/,"inertia":0.003//' >three.jsonl
    run -6 --separate-stderr cd-broad three.jsonl
    [ "$stderr" = "cd-broad: frame 0: head: dim: 3 is not supported, only 2" ]
    small_stream | sed 's/"shape":1,//' >bare.jsonl
    run -3 --separate-stderr cd-broad bare.jsonl
    [ "$stderr" = "cd-broad: frame 0: body 1: shape: required of a body that takes part" ]
    small_stream | sed 's/\[-0.05,-0.05\],\[0.05,-0.05\]/[0.05,-0.05],[-0.05,-0.05]/' >bad.jsonl
    run -3 --separate-stderr cd-broad bad.jsonl
    [[ "$stderr" == "cd-broad: frame 0: shape 1: vertices: "* ]]
    for wrong in --margin=-1 --reach=-1 --method=guess --margin=nan; do
        run -2 --separate-stderr cd-broad "$wrong" bad.jsonl
        [ -z "$output" ]
    done
}
