#!/usr/bin/env bats
load helper

of_type() { jq -c "select(.type==\"$1\")"; }
contacts() { jq -c 'select(.type=="contact") | [.a[0],.b[0],.features]' | tr -d '[]" ' | paste -sd' '; }
count() { grep -c '"type":"contact"' || true; }

# only CONDITION: there is one contact and it is so
only() { of_type contact | jq -se "length==1 and (.[0] | $1)"; }

# A square with its lower left corner over the right end of a shelf: the corner of a vertex-vertex configuration, reach 0.05.
corner_stream() { # corner_stream X Y
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":2,"reach":0.05}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":2,"kind":"sphere","radius":0.5}
{"type":"shape","id":3,"kind":"halfspace","normal":[0,1],"offset":0}
{"type":"shape","id":4,"kind":"ellipsoid","semiaxes":[0.5,0.25]}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1,"shape":1,"position":[0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":1,"position":[$1,$2],"mass":1,"inertia":1}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-narrow does what every filter does" { common_filter_tests cd-narrow; }

@test "cd-narrow: contacts of the small stream" {
    small_stream | cd-broad >in.jsonl
    run -0 --separate-stderr cd-narrow in.jsonl
    [ -z "$stderr" ]
    [ "$(contacts <<<"$output")" = "1,2,v0,e2 1,2,v1,e2" ]
    [ "$(of_type contact <<<"$output" | head -1)" = '{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"vertex-edge","point":[-0.05,0.0002500000000000002],"point_a":[-0.05,0.0005000000000000004],"point_b":[-0.05,0],"normal":[0,-1],"gap":0.0005000000000000004,"features":["v0","e2"],"applicability":0,"feasible":1.5707963267948966,"status":"candidate"}' ]
    [ "$(of_type metric <<<"$output")" = '{"type":"metric","tool":"cd-narrow","name":"contacts","value":2}' ]
}

@test "cd-narrow: two near corners have their four contacts, with sign, applicability and feasibility" {
    corner_stream 1.01 1.02 | cd-narrow >out.jsonl
    [ "$(contacts <out.jsonl)" = "1,2,v2,e0 1,2,v2,e3 1,2,e1,v0 1,2,e2,v0" ]
    of_type contact <out.jsonl >table
    # v2 of the shelf against the square's lower edge: normal from a to b is up, the corner lies outside the edge's strip
    jq -se '.[0] | (.normal==[0,1]) and (.gap-0.02|fabs<1e-12) and (.applicability|fabs<1e-12)
        and (.feasible-(0.02/((0.01*0.01+0.02*0.02)|sqrt)|asin)|fabs<1e-9)' table
    # the square's corner against the shelf's upper edge: the same gap from the other side
    jq -se '.[3] | (.normal==[0,1]) and (.gap-0.02|fabs<1e-12) and (.point_b|map(.*1e6|round)==[510000,520000])' table
    [ "$(corner_stream 1.04 1.04 | cd-narrow | count)" -eq 0 ]
    [ "$(corner_stream 1.04 1.04 | cd-narrow --reach 0.06 | count)" -eq 4 ]
}

@test "cd-narrow: reach is tested at the start, the predicted and the trial pose" {
    corner_stream 0 2 | sed 's/"time":0/"time":0,"step":0.1/; s/"position":\[0,2\]/"position":[0,2],"velocity":[0,-9.8]/' >fall.jsonl
    [ "$(cd-narrow fall.jsonl | contacts)" = "1,2,v2,e0 1,2,v2,e1 1,2,v3,e0 1,2,v3,e3 1,2,e1,v1 1,2,e2,v0 1,2,e2,v1 1,2,e3,v0" ]
    [ "$(cd-narrow fall.jsonl | of_type contact | jq -s 'map(.gap)|max')" = 1 ] # reported at the start
    corner_stream 0 2 | sed '/"id":2,"shape":1,"pos/a {"type":"trial","body":2,"position":[0,1.01],"rotation":0,"velocity":[0,0],"spin":0}' >trial.jsonl
    [ "$(cd-narrow trial.jsonl | count)" -eq 8 ]
    [ "$(cd-narrow trial.jsonl | of_type contact | jq -s 'map(.gap*1e9|round)|max')" = 10000000 ] # at the trial
}

@test "cd-narrow: a body deep in another keeps contacts that can push it out" {
    # the least way out is 0.6 up, for the corner inside the shelf as for the shelf's corner inside the body
    corner_stream 0.3 0.4 | cd-narrow | of_type contact | jq -se 'length > 0 and all(.[]; .gap+0.6|fabs<1e-12) and all(.[]; .normal==[0,1]) and all(.[]; .applicability > -1e-9)'
}

@test "cd-narrow --contacts: distance, depth and volume" {
    corner_stream 1.03 1.04 >apart.jsonl
    corner_stream 0.9 0.5 >deep.jsonl
    cd-narrow --contacts distance --reach 0.06 apart.jsonl | only '.kind=="distance" and (.gap-0.05|fabs<1e-12) and .features==["v2","v0"] and .status=="candidate"'
    cd-narrow --contacts distance deep.jsonl | only '.gap==0 and .status=="penetrating" and .normal==[1,0]'
    cd-narrow --contacts depth deep.jsonl | only '.kind=="depth" and (.gap+0.1|fabs<1e-12) and .status=="penetrating"'
    cd-narrow --contacts volume deep.jsonl | only '.kind=="volume" and .gap < -0.1 and .gap > -0.13
        and (.point|map(.*1e6|round)==[450000,250000]) and (.area-0.6|fabs<1e-12) and .surfaces==[1,3]
        and (.normal[1]/.normal[0]-0.04|fabs<1e-12)' # sum of L^2 N: 0.5 to the right, 0.02 up
    [ "$(cd-narrow --contacts volume apart.jsonl | count)" -eq 0 ]
    [ "$(cd-narrow --contacts depth --reach 0.01 apart.jsonl | count)" -eq 0 ]
    [ "$(cd-narrow --contacts volume deep.jsonl | of_type metric | jq -c '[.name,.value]' | paste -sd' ')" = '["contacts",1] ["rejected",0]' ]
}

@test "cd-narrow: touching is told from penetrating by epsilon" {
    corner_stream 0.9999 0 >touch.jsonl
    [ "$(cd-narrow --contacts depth touch.jsonl | of_type contact | jq -r .status)" = penetrating ]
    [ "$(cd-narrow --contacts depth --epsilon 0.001 touch.jsonl | of_type contact | jq -r .status)" = touching ]
    sed -i 's/"dim":2/"dim":2,"epsilon":0.001/' touch.jsonl
    [ "$(cd-narrow --contacts depth touch.jsonl | of_type contact | jq -r .status)" = touching ]
}

@test "cd-narrow: closed forms, whichever side comes first" {
    corner_stream 0.9 0 | sed 's/"id":2,"shape":1,"pos/"id":2,"shape":2,"pos/' | cd-narrow |
        only '.kind=="analytic" and (.gap+0.1|fabs<1e-12) and .normal==[1,0] and .status=="penetrating"'
    corner_stream 0.9 0 | sed 's/"id":1,"shape":1,"pos/"id":1,"shape":2,"pos/' | cd-narrow |
        only '.kind=="analytic" and (.gap+0.1|fabs<1e-12) and .normal==[1,0] and (.point_a[0]-0.5|fabs<1e-12)'
    corner_stream 0.3 0.52 | sed 's/"id":1,"shape":1,"pos/"id":1,"shape":3,"pos/' | cd-narrow >ground.jsonl
    [ "$(count <ground.jsonl)" -eq 2 ]
    of_type contact <ground.jsonl | jq -se 'map(.normal==[0,1] and (.gap-0.02|fabs<1e-12)) == [true,true]'
}

@test "cd-narrow: pairs in any order, twice, and either way round" {
    cd-scene "$SCENES/pile-300.yaml" | cd-broad --margin 0.1 | grep -v '"prog"' >in.jsonl
    cd-narrow --reach 0.1 --no-prog in.jsonl | of_type contact >want
    [ "$(wc -l <want)" -gt 500 ]
    { sed '/"pair"/,$d' in.jsonl; grep '"pair"' in.jsonl | tac | sed 's/"a":\(\[[^]]*\]\),"b":\(\[[^]]*\]\)/"a":\2,"b":\1/'
      grep '"pair"' in.jsonl | head -5; tail -2 in.jsonl; } >mixed.jsonl
    cd-narrow --reach 0.1 --no-prog mixed.jsonl | of_type contact | cmp - want
    jq -se '[.[].id] == [range(0;length)]' want
}

@test "cd-narrow: compounds go leaf by leaf" {
    corner_stream 0 1.01 | sed '/"id":4/a {"type":"shape","id":5,"kind":"compound","parts":[{"shape":1,"position":[-0.5,0],"rotation":0},{"shape":1,"position":[0.5,0],"rotation":0}]}' |
        sed 's/"id":2,"shape":1,"pos/"id":2,"shape":5,"pos/' | cd-broad | cd-narrow --contacts distance >out.jsonl
    [ "$(of_type contact <out.jsonl | jq -c '[.a,.b]' | paste -sd' ')" = "[[1,0],[2,0]] [[1,0],[2,1]]" ]
}

@test "cd-narrow: the frame's wish overrides --contacts" {
    corner_stream 0.9 0 | sed 's/"time":0/"time":0,"contacts":"depth"/' >wish.jsonl
    [ "$(cd-narrow --contacts features wish.jsonl | of_type contact | jq -r .kind)" = depth ]
    sed -i 's/"depth"/"guess"/' wish.jsonl
    run -6 --separate-stderr cd-narrow wish.jsonl
    [ "$stderr" = 'cd-narrow: frame 0: contacts: "guess" is not a way of finding contacts here' ]
}

@test "cd-narrow refuses what it cannot do in one line" {
    corner_stream 0.9 0 | sed 's/"id":2,"shape":1,"pos/"id":2,"shape":4,"pos/' >ellipse.jsonl
    run -6 --separate-stderr cd-narrow ellipse.jsonl
    [ "$stderr" = "cd-narrow: frame 0: bodies 1 and 2: --contacts auto: polygon against ellipsoid is not supported" ]
    if grep -q '"end"' <<<"$output"; then false; fi
    corner_stream 0.9 0 | sed 's/"id":2,"shape":1,"pos/"id":2,"shape":2,"pos/' >circle.jsonl
    run -6 --separate-stderr cd-narrow --contacts features circle.jsonl
    [ "$stderr" = "cd-narrow: frame 0: bodies 1 and 2: --contacts features: polygon against sphere is not supported" ]
    corner_stream 0.9 0 | sed 's/"b":\[2,0\]/"b":[2,1]/' >part.jsonl
    run -3 --separate-stderr cd-narrow part.jsonl
    [ "$stderr" = "cd-narrow: frame 0: pair: body 2 part 1: its shape has 1 parts" ]
    corner_stream 0.9 0 | sed 's/"b":\[2,0\]/"b":[1,0]/' >self.jsonl
    run -3 --separate-stderr cd-narrow self.jsonl
    [ "$stderr" = "cd-narrow: frame 0: pair: body 1 against itself" ]
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":3}' '{"type":"frame","index":0,"time":0}' '{"type":"fend"}' '{"type":"end"}' >three.jsonl
    run -6 --separate-stderr cd-narrow three.jsonl
    [ "$stderr" = "cd-narrow: head: dim: 3 is not supported, only 2" ]
    corner_stream 0.9 0 | sed 's/"position":\[0.9,0\],//' >nowhere.jsonl
    run -3 --separate-stderr cd-narrow nowhere.jsonl
    [ "$stderr" = "cd-narrow: frame 0: body 2: position: required of a body that takes part" ]
    run -2 cd-narrow --contacts separating self.jsonl
}
