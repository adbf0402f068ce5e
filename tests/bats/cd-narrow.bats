#!/usr/bin/env bats
load helper

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
    run -0 --separate-stderr cd-narrow --contacts features in.jsonl
    [ -z "$stderr" ]
    [ "$(contacts <<<"$output")" = "1,2,v0,e2 1,2,v1,e2" ]
    [ "$(of_type contact <<<"$output" | head -1)" = '{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"vertex-edge","point":[-0.05,0.0002500000000000002],"point_a":[-0.05,0.0005000000000000004],"point_b":[-0.05,0],"normal":[0,-1],"gap":0.0005000000000000004,"features":["v0","e2"],"applicability":0,"feasible":1.5707963267948966,"status":"candidate"}' ]
    [ "$(of_type metric <<<"$output" | grep -v '"reach"')" = '{"type":"metric","tool":"cd-narrow","name":"contacts","value":2}' ]
}

@test "cd-narrow: two near corners have their four contacts, with sign, applicability and feasibility" {
    corner_stream 1.01 1.02 | cd-narrow --contacts features >out.jsonl
    [ "$(contacts <out.jsonl)" = "1,2,v2,e0 1,2,v2,e3 1,2,e1,v0 1,2,e2,v0" ]
    of_type contact <out.jsonl >table
    # v2 of the shelf against the square's lower edge: normal from a to b is up, the corner lies outside the edge's strip
    jq -se '.[0] | (.normal==[0,1]) and (.gap-0.02|fabs<1e-12) and (.applicability|fabs<1e-12)
        and (.feasible-(0.02/((0.01*0.01+0.02*0.02)|sqrt)|asin)|fabs<1e-9)' table
    # the square's corner against the shelf's upper edge: the same gap from the other side
    jq -se '.[3] | (.normal==[0,1]) and (.gap-0.02|fabs<1e-12) and (.point_b|map(.*1e6|round)==[510000,520000])' table
    [ "$(corner_stream 1.04 1.04 | cd-narrow --contacts features | count)" -eq 0 ]
    [ "$(corner_stream 1.04 1.04 | cd-narrow --contacts features --reach 0.06 | count)" -eq 4 ]
}

@test "cd-narrow: reach is tested at the start, the predicted and the trial pose" {
    corner_stream 0 2 | sed 's/"time":0/"time":0,"step":0.1/; s/"position":\[0,2\]/"position":[0,2],"velocity":[0,-9.8]/' >fall.jsonl
    [ "$(cd-narrow --contacts features fall.jsonl | contacts)" = "1,2,v2,e0 1,2,v2,e1 1,2,v3,e0 1,2,v3,e3 1,2,e1,v1 1,2,e2,v0 1,2,e2,v1 1,2,e3,v0" ]
    [ "$(cd-narrow --contacts features fall.jsonl | of_type contact | jq -s 'map(.gap)|max')" = 1 ] # reported at the start
    corner_stream 0 2 | sed '/"id":2,"shape":1,"pos/a {"type":"trial","body":2,"position":[0,1.01],"rotation":0,"velocity":[0,0],"spin":0}' >trial.jsonl
    [ "$(cd-narrow --contacts features trial.jsonl | count)" -eq 8 ]
    [ "$(cd-narrow --contacts features trial.jsonl | of_type contact | jq -s 'map(.gap*1e9|round)|max')" = 10000000 ] # at the trial
}

@test "cd-narrow: a body deep in another keeps contacts that can push it out" {
    # the least way out is 0.6 up, for the corner inside the shelf as for the shelf's corner inside the body
    corner_stream 0.3 0.4 | cd-narrow --contacts features | of_type contact | jq -se 'length > 0 and all(.[]; .gap+0.6|fabs<1e-12) and all(.[]; .normal==[0,1]) and all(.[]; .applicability > -1e-9)'
}

@test "cd-narrow --contacts: distance, depth and volume" {
    corner_stream 1.03 1.04 >apart.jsonl
    corner_stream 0.9 0.5 >deep.jsonl
    cd-narrow --contacts distance --reach 0.06 apart.jsonl | only '.kind=="distance" and (.gap-0.05|fabs<1e-12) and .features==["v2","v0"] and .status=="candidate"'
    cd-narrow --contacts distance deep.jsonl | only '.gap==0 and .status=="penetrating" and .normal==[1,0] and .point_a==.point_b'
    cd-narrow --contacts distance deep.jsonl | cd-view --check
    cd-narrow --contacts depth deep.jsonl | only '.kind=="depth" and (.gap+0.1|fabs<1e-12) and .status=="penetrating"'
    cd-narrow --contacts volume deep.jsonl | only '.kind=="volume" and .gap < -0.1 and .gap > -0.13
        and (.point|map(.*1e6|round)==[450000,250000]) and (.area-0.6|fabs<1e-12) and .surfaces==[1,3]
        and (.normal[1]/.normal[0]-0.04|fabs<1e-12)' # sum of L^2 N: 0.5 to the right, 0.02 up
    [ "$(cd-narrow --contacts volume apart.jsonl | count)" -eq 0 ]
    [ "$(cd-narrow --contacts depth --reach 0.01 apart.jsonl | count)" -eq 0 ]
    [ "$(cd-narrow --contacts volume deep.jsonl | of_type metric | grep -v '"reach"' | jq -c '[.name,.value]' | paste -sd' ')" = '["contacts",1] ["rejected",0]' ]
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
    cd-narrow --contacts features --reach 0.1 --no-prog in.jsonl | of_type contact >want
    [ "$(wc -l <want)" -gt 500 ]
    { sed '/"pair"/,$d' in.jsonl; grep '"pair"' in.jsonl | tac | sed 's/"a":\(\[[^]]*\]\),"b":\(\[[^]]*\]\)/"a":\2,"b":\1/'
      grep '"pair"' in.jsonl | sed -n 1,5p; tail -2 in.jsonl; } >mixed.jsonl
    cd-narrow --contacts features --reach 0.1 --no-prog mixed.jsonl | of_type contact | cmp - want
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

@test "cd-narrow --contacts separating: one edge a pair, with the ends of what both share over it" {
    # the square half over the shelf, 0.02 up: its corner over the shelf's edge, and the shelf's corner under its own
    corner_stream 0.5 1.02 | cd-narrow --contacts separating >out.jsonl
    cd-view --check out.jsonl
    of_type contact <out.jsonl | jq -se 'map([.kind,.facet,.side,.features,.point]) == [["separating",["e2"],"a",["v2","v0"],[0,0.52]],["separating",["e0"],"b",["v2","v0"],[0.5,0.5]]]
        and all(.[]; .normal==[0,1] and (.gap-0.02|fabs<1e-12) and has("bound")==false)'
    # the square's corner beyond the shelf's, 0.01 to the right: nothing is shared, unless it can come over it in the step
    [ "$(corner_stream 1.01 1.02 | cd-narrow --contacts separating | count)" -eq 0 ]
    corner_stream 1.01 1.02 | sed 's/"time":0/"time":0,"step":0.01/; s/"mass"/"velocity":[-1,0],&/' | cd-narrow --contacts separating |
        of_type contact | jq -se 'map([.facet,.side,.features]) == [[["e2"],"a",["v2","v0"]],[["e0"],"b",["v2","v0"]]]'
    # free motion takes it to 0.03 to the right of the shelf and 0.01 below its top: the predicted separator is the shelf's end,
    # when it is not farther behind at the start than h V (1 m/s without gravity)
    corner_stream 0.99 1.02 | sed 's/"time":0/"time":0,"step":0.02/; s/"position":\[0.99,1.02\]/&,"velocity":[2,-1.5]/' >fall.jsonl
    cd-narrow --contacts separating fall.jsonl | of_type contact | jq -se 'map(select(.side == "a").facet) | unique == [["e1"]]'
    sed 's/"time":0/"time":0,"facets":"start"/' fall.jsonl | cd-narrow --contacts separating | of_type contact | jq -se 'map(select(.side == "a").facet) | unique == [["e2"]]'
    sed 's/"facets":"start"/"facets":"predicted"/; s/0.99,1.02/0.97,1.02/' fall.jsonl | cd-narrow --contacts separating | of_type contact | jq -se 'map(select(.side == "a").facet) | unique == [["e2"]]'
    # an overlap at the start is the bound
    corner_stream 0.9 0.5 | cd-narrow --contacts separating | of_type contact | jq -se 'length==2 and all(.[]; (.bound+0.1|fabs<1e-12) and .normal==[1,0])'
    [ "$(corner_stream 1.06 1.06 | cd-narrow --contacts separating | count)" -eq 0 ]
    # circles by their distance, half-planes by the vertices
    corner_stream 0.9 0 | sed 's/"id":2,"shape":1,"pos/"id":2,"shape":2,"pos/' | cd-narrow --contacts separating |
        only '.kind=="analytic" and (.gap+0.1|fabs<1e-12) and (.bound+0.1|fabs<1e-12)'
    corner_stream 0.3 0.52 | sed 's/"id":1,"shape":1,"pos/"id":1,"shape":3,"pos/' | cd-narrow --contacts separating | of_type contact |
        jq -se 'length==2 and all(.[]; .kind=="separating" and .side=="a" and .normal==[0,1] and (.gap-0.02|fabs<1e-12) and .point==.point_b)'
}

@test "cd-narrow: without an option contacts are those that the model of the run wants" {
    kinds() { of_type contact | jq -r .kind | sort -u | paste -sd' '; }
    corner_stream 1.01 0.5 >in.jsonl
    [ "$(cd-narrow in.jsonl | kinds)" = separating ]
    [ "$(cd-narrow in.jsonl | cd-view --digest)" = "$(cd-narrow --contacts separating in.jsonl | cd-view --digest)" ]
    for model in $(choices cd-loop model); do
        sed "1s/}/,\"model\":\"$model\"}/" in.jsonl >named.jsonl
        case $model in separating) wanted=separating ;; penalty) wanted=depth ;; *) wanted=vertex-edge ;; esac
        [ "$(cd-narrow named.jsonl | kinds)" = "$wanted" ]
        # an option, and a wish for contacts, come first; a wish for a model stands above the run's
        [ "$(cd-narrow --contacts depth named.jsonl | kinds)" = depth ]
        [ "$(sed 's/"index":0/&,"contacts":"distance"/' named.jsonl | cd-narrow --contacts depth | kinds)" = distance ]
        [ "$(sed 's/"index":0/&,"model":"separating"/' named.jsonl | cd-narrow | kinds)" = separating ]
        [ "$(sed 's/"index":0/&,"model":"lnc","contacts":"auto"/' named.jsonl | cd-narrow --contacts depth | kinds)" = vertex-edge ]
    done
    sed '1s/}/,"model":"magic"}/' in.jsonl >magic.jsonl
    run -6 --separate-stderr cd-narrow magic.jsonl
    [ "$stderr" = 'cd-narrow: frame 0: head: model: "magic" is not one this program knows' ]
    cd-narrow --contacts depth magic.jsonl | cd-view --check
}

@test "cd-narrow --contacts features says once that bodies overlap at the start" {
    corner_stream 0.9 0.5 >deep.jsonl # by 0.1 along x
    { sed '$d' deep.jsonl; sed -n '/"frame"/,/"fend"/p' deep.jsonl | sed 's/"index":0/"index":1/'; echo '{"type":"end"}'; } >twice.jsonl
    run -0 --separate-stderr cd-narrow --contacts features twice.jsonl
    [[ "$stderr" == "cd-narrow: frame 0: 1 pairs overlap at the start, by up to 0.1 m: "* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run -0 --separate-stderr cd-narrow -q --contacts features deep.jsonl
    [ -z "$stderr" ]
    run -0 --separate-stderr cd-narrow --contacts separating deep.jsonl
    [ -z "$stderr" ]
    corner_stream 1.01 0.5 >apart.jsonl # outside, though behind the lines of other edges
    run -0 --separate-stderr cd-narrow --contacts features --reach 3 apart.jsonl
    [ -z "$stderr" ]
}

@test "cd-narrow in the plane: ellipses, with a box and with each other" {
    # beside the box' flank by 0.02, and turned by a right angle 0.25 deep in it
    corner_stream 1.02 0 | sed 's/"id":2,"shape":1,"pos/"id":2,"shape":4,"pos/' >in.jsonl
    cd-narrow --contacts depth in.jsonl | of_type contact | holds '.kind=="analytic" and (.gap-0.02|fabs) < 1e-15 and .normal==[1,0] and (.point_b[0]-0.52|fabs) < 1e-15'
    sed 's/"position":\[1.02,0\]/"position":[0.5,0],"rotation":1.5707963267948966/' in.jsonl | cd-narrow | of_type contact | holds '(.gap+0.25|fabs) < 1e-15 and .bound==.gap'
    # two ellipses of semiaxes 0.5 and 0.25, 1.5 apart: mu = 1.5, whatever the gap is called
    corner_stream 1.5 0 | sed 's/"shape":1,"pos/"shape":4,"pos/' >two.jsonl
    cd-narrow --contacts features --reach 1 two.jsonl | of_type contact | holds '.kind=="analytic" and (.gap-0.5|fabs) < 1e-15 and (.potential-2.25|fabs) < 1e-14 and .lambda==0.5'
    cd-narrow --contacts features --true-gap --reach 1 two.jsonl | of_type contact | holds '.kind=="depth" and (.gap-0.5|fabs) < 1e-15 and .lambda==0.5'
}

@test "cd-narrow refuses what it cannot do in one line" {
    corner_stream 0.9 0 | sed 's/"shape":1,"pos/"shape":3,"pos/' >ground.jsonl
    run -6 --separate-stderr cd-narrow ground.jsonl
    [ "$stderr" = "cd-narrow: frame 0: bodies 1 and 2: --contacts separating: halfspace against halfspace is not supported" ]
    if grep -q '"end"' <<<"$output"; then false; fi
    run -6 --separate-stderr cd-narrow --contacts features ground.jsonl
    [ "$stderr" = "cd-narrow: frame 0: bodies 1 and 2: --contacts features: halfspace against halfspace is not supported" ]
    corner_stream 0.9 0 | sed 's/"b":\[2,0\]/"b":[2,1]/' >part.jsonl
    run -3 --separate-stderr cd-narrow part.jsonl
    [ "$stderr" = "cd-narrow: frame 0: pair: body 2 part 1: its shape has 1 parts" ]
    corner_stream 0.9 0 | sed 's/"b":\[2,0\]/"b":[1,0]/' >self.jsonl
    run -3 --separate-stderr cd-narrow self.jsonl
    [ "$stderr" = "cd-narrow: frame 0: pair: body 1 against itself" ]
    corner_stream 0.9 0 | sed 's/"position":\[0.9,0\],//' >nowhere.jsonl
    run -3 --separate-stderr cd-narrow nowhere.jsonl
    [ "$stderr" = "cd-narrow: frame 0: body 2: position: required of a body that takes part" ]
    run -2 cd-narrow --contacts guess self.jsonl
}

# ---- space -------------------------------------------------------------------------------------------------------

# A ground with a ball 0.25 deep in it and a row of cubes on it that overlap by 0.1 (3, 4) and kiss (3, 5); two ellipsoids
# of which one is in the other; facets 0.5 thick with a ball 0.25 above the first and beside the second.
space() {
    cat >space.yaml <<'YAML'
dim: 3
reach: 0.5
epsilon: 1e-4
bodies:
- {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}
- {shape: {sphere: 1}, position: [0, 0, 0.75], density: 1}
- {shape: {box: [0.5, 0.5, 0.5]}, position: [4, 0, 0.5], density: 1}
- {shape: {box: [0.5, 0.5, 0.5]}, position: [4.9, 0, 0.5], density: 1}
- {shape: {box: [0.5, 0.5, 0.5]}, position: [4, 1, 0.5], density: 1}
- {shape: {ellipsoid: [1, 2, 3]}, position: [20, 0, 3.25], density: 1}
- {shape: {ellipsoid: [1, 2, 3]}, position: [20.25, 0.125, 4], density: 1}
- {shape: {facets: {vertices: [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], triangles: [[0, 1, 2], [0, 2, 3]], thickness: 0.5}}, position: [40, 0, 3], motion: fixed}
- {shape: {sphere: 1}, position: [40.5, 0.5, 4.5], density: 1}
YAML
    cd-scene -q space.yaml
}

# between A B CONDITION: there is one contact between bodies A and B in the file out.jsonl, and it is so.
between() { of_type contact <out.jsonl | jq -se "map(select(.a[0]==$1 and .b[0]==$2)) | length==1 and (.[0] | $3)"; }
NEAR='def near($v): [., $v] | transpose | all(.[0]-.[1]|fabs < 1e-12);'

@test "cd-narrow in space: closed forms" {
    space | cd-broad >in.jsonl
    for mode in $(choices cd-narrow contacts | grep -vx features); do # which closed forms do not have
        cd-narrow --contacts $mode in.jsonl >out.jsonl
        cd-view --check out.jsonl
        between 1 2 '.kind=="analytic" and .gap==-0.25 and .normal==[0,0,1] and .point==[0,0,-0.125] and .status=="penetrating"'
    done
    cd-narrow --contacts depth in.jsonl >out.jsonl
    # a cube's lowest vertex of least number
    between 1 3 '.kind=="analytic" and .gap==0 and .point==[3.5,-0.5,0] and .status=="touching"'
    between 1 6 '.kind=="analytic" and .gap==0.25 and .point_b==[20,0,0.25] and .status=="candidate"'
    of_type contact <out.jsonl | jq -se 'map(select(.a[0]==8)) | map([.a[1],.kind,.gap,.normal]) == [[0,"analytic",0.25,[0,0,1]],[1,"analytic",-0.75,[1,0,0]]]'
    cd-narrow --reach 0.2 in.jsonl >out.jsonl
    [ "$(of_type contact <out.jsonl | jq -c '[.a,.b]' | grep -c '\[8,0\]')" -eq 0 ]
}

@test "cd-narrow in space: distance and depth of cubes" {
    space | cd-broad >in.jsonl
    cd-narrow --contacts depth in.jsonl >out.jsonl
    between 3 4 "$NEAR"' .kind=="depth" and ([.gap]|near([-0.1])) and .normal==[1,0,0] and .features==["f1","f0"] and .status=="penetrating"
        and (.point_a[0]-4.5|fabs<1e-12) and (.point_b[0]-4.4|fabs<1e-12)'
    between 3 5 '.kind=="depth" and .gap==0 and .normal==[0,1,0] and .status=="touching"'
    cd-narrow --contacts distance in.jsonl >out.jsonl
    between 3 4 '.kind=="distance" and .gap==0 and .point_a==.point_b and .status=="penetrating"'
    between 6 7 '.kind=="distance" and .gap==0 and .status=="penetrating"'
    # a corner of each, 0.03 and 0.04 apart: the distance is 0.05
    space | sed 's/"position":\[4.9,0,0.5\]/"position":[5.03,1.04,1.5]/' | sed '/"id":5,"shape":5/d' | cd-broad | cd-narrow --contacts distance >out.jsonl
    between 3 4 "$NEAR"' .features==["v7","v0"] and ([.gap]|near([0.05])) and (.normal|near([0.6,0.8,0]))'
}

# two ellipsoids: A half, position and semiaxes of the second
two_ellipsoids() { printf 'dim: 3\nreach: 9\nepsilon: 1e-9\nbodies:\n- {shape: {ellipsoid: %s}, density: 1}\n- {shape: {ellipsoid: %s}, position: %s, density: 1}\n' "$@" | cd-scene -q; }

@test "cd-narrow in space: ellipsoids by the Perram-Wertham gap, and by their signed distance" {
    # (1,2,3) and (2,1,0.5), 5 apart along x: mu = 5/3
    two_ellipsoids '[1, 2, 3]' '[2, 1, 0.5]' '[5, 0, 0]' | cd-broad >in.jsonl
    cd-narrow --contacts features in.jsonl >out.jsonl
    between 1 2 "$NEAR"' .kind=="analytic" and ([.gap,.potential,.lambda]|near([2,25/9,1/3])) and .normal==[1,0,0]
        and (.point|near([5/3,0,0])) and (.point_a|near([1,0,0])) and (.point_b|near([3,0,0])) and .status=="candidate"'
    # askew and overlapping: the gap of the planes is less than the signed distance, which --true-gap and all other modes have
    two_ellipsoids '[1, 2, 3]' '[1, 0.5, 2]' '[1, 1, 1]' | cd-broad >in.jsonl
    cd-narrow --contacts features in.jsonl >out.jsonl
    between 1 2 '.kind=="analytic" and .gap < 0 and .potential < 1 and .status=="penetrating"'
    local apart=$(of_type contact <out.jsonl | jq .gap)
    cd-narrow --contacts depth in.jsonl >depth.jsonl
    cd-narrow --contacts features --true-gap in.jsonl >out.jsonl
    cmp <(of_type contact <out.jsonl) <(of_type contact <depth.jsonl)
    between 1 2 ".kind==\"depth\" and .gap > $apart + 0.01 and .gap < 0 and .potential < 1 and .lambda > 0"
    for mode in separating volume; do
        cd-narrow --contacts $mode in.jsonl >out.jsonl
        between 1 2 ".gap == $(of_type contact <depth.jsonl | jq .gap) and .kind==\"depth\""
    done
    # moved out by that much they touch
    two_ellipsoids '[1, 2, 3]' '[1, 0.5, 2]' "$(of_type contact <depth.jsonl | jq -c '[.gap, .normal] as [$g, $n] | [1 - $g * $n[0], 1 - $g * $n[1], 1 - $g * $n[2]]')" | cd-broad |
        cd-narrow --contacts features >out.jsonl
    between 1 2 '(.gap|fabs) < 1e-14 and .status=="touching" and (.potential - 1|fabs) < 1e-14'
    # one centre: the least way out, flagged
    two_ellipsoids '[1, 2, 3]' '[5, 0.5, 4]' '[0, 0, 0]' | cd-broad >in.jsonl
    for mode in features depth; do
        cd-narrow --contacts $mode in.jsonl >out.jsonl
        cd-view --check out.jsonl
        between 1 2 "$NEAR"' .status=="degenerate" and .potential==0 and ([.gap,.lambda]|near([-2.5,0.8])) and ([.normal[1]*.normal[1]]|near([1]))'
    done
}

@test "cd-narrow --warm: ellipsoids from the frame before, to the same digits" {
    # two frames of 60 ellipsoids askew, a little moved in the second, where the first body is gone and the rest stand in another order
    awk 'BEGIN { srand(5); print "{\"type\":\"head\",\"cds\":[1,0],\"dim\":3,\"reach\":1}"
        print "{\"type\":\"shape\",\"id\":1,\"kind\":\"ellipsoid\",\"semiaxes\":[0.3,1,2]}"
        for (i = 0; i < 60; i++) for (k = 0; k < 7; k++) x[i, k] = k < 3 ? 4*rand() : rand() - 0.5
        for (f = 0; f < 2; f++) { printf "{\"type\":\"frame\",\"index\":%d,\"time\":0}\n", f
            for (n = f; n < 60; n++) { i = f ? 60 - n : n; printf "{\"type\":\"body\",\"id\":%d,\"shape\":1,\"position\":[%.6f,%.6f,%.6f],\"rotation\":[", i, x[i,0] + 0.001*f, x[i,1], x[i,2]
                l = sqrt(x[i,3]^2 + x[i,4]^2 + x[i,5]^2 + x[i,6]^2)
                printf "%.17g,%.17g,%.17g,%.17g],\"mass\":1,\"inertia\":[1,1,1,0,0,0]}\n", x[i,3]/l, x[i,4]/l, x[i,5]/l, x[i,6]/l }
            print "{\"type\":\"fend\"}" } print "{\"type\":\"end\"}" }' | cd-broad >in.jsonl
    cd-narrow -q --contacts features in.jsonl | of_type contact | jq -c '[.a,.b,.gap,.lambda]' >cold
    cd-narrow -q --contacts features --warm in.jsonl | of_type contact | jq -c '[.a,.b,.gap,.lambda]' >warm
    local frame=$(cd-narrow -q --contacts features in.jsonl | jq -s 'map(select(.type == "frame" or .type == "contact")) | map(.type) | rindex("frame") - 1')
    cmp <(head -n "$frame" cold) <(head -n "$frame" warm) # the first frame has none before it
    [ "$(wc -l <cold)" -gt 500 ]
    paste -d' ' cold warm | jq -nRe '[inputs | split(" ") | map(fromjson) | select(.[0][0:2] != .[1][0:2] or (.[0][2]-.[1][2]|fabs) > 1e-12 or (.[0][3]-.[1][3]|fabs) > 1e-12)] | length == 0'
    if cmp -s cold warm; then false; fi # some last bits differ
    cd-narrow -q -t 2 --stats --contacts features --warm in.jsonl 2>stats | of_type contact | jq -c '[.a,.b,.gap,.lambda]' | cmp - warm
    threads_ran stats
}

@test "cd-narrow in space: volume contacts" {
    space | cd-broad >in.jsonl
    for intersection in auto clip dual; do
        cd-narrow --contacts volume --intersection $intersection in.jsonl >out.jsonl
        cd-view --check out.jsonl
        # a slab of 0.1 x 1 x 1: half of its surface is 1.2
        between 3 4 "$NEAR"' .kind=="volume" and ([.gap,.area]|near([-0.1,1.2])) and (.point|near([4.45,0,0.5])) and (.normal|near([1,0,0]))
            and .surfaces==[1,0] and .status=="penetrating"'
        [ "$(of_type contact <out.jsonl | jq -c '[.a[0],.b[0]]' | paste -sd' ')" = "[1,2] [3,4] [6,7] [8,9]" ] # kissing cubes have none
        [ "$(of_type metric <out.jsonl | jq -c '[select(.tool=="cd-narrow") | .name,.value]' | grep -v '\[\]\|reach' | paste -sd' ')" = '["contacts",4] ["rejected",0] ["crowded-edges",0] ["t-junctions",0]' ]
    done
    # the small cube inside: the shortest way out is up, 0.3 + 0.1
    space | sed 's/"position":\[4.9,0,0.5\]/"position":[4,0,0.7]/; s/\("id":4,"kind":"box","halfsizes":\)\[[^]]*\]/\1[0.1,0.1,0.1]/' |
        cd-broad | cd-narrow --contacts volume >out.jsonl
    between 3 4 "$NEAR"' .status=="degenerate" and ([.gap]|near([-0.4])) and .normal==[0,0,1]'
}

@test "cd-narrow in space: geometry is that of the trial, potential contacts are near at one of the poses" {
    space | sed 's/"time":0/"time":0,"step":0.1/; s/"position":\[0,0,0.75\]\(.*\)"velocity":\[0,0,0\]/"position":[0,0,3]\1"velocity":[0,0,-17.5]/' >fall.jsonl
    cd-broad fall.jsonl | cd-narrow >out.jsonl
    between 1 2 '.gap==2 and .status=="candidate"'
    [ "$(cd-broad fall.jsonl | cd-narrow --contacts depth | of_type contact | jq -c 'select(.a[0]==1 and .b[0]==2)' | wc -l)" -eq 0 ]
    sed '/"id":2,"shape":2/a {"type":"trial","body":2,"position":[0,0,0.5],"rotation":[1,0,0,0],"velocity":[0,0,0],"spin":[0,0,0]}' fall.jsonl |
        cd-broad | cd-narrow --contacts depth >out.jsonl
    between 1 2 '.gap==-0.5'
}

@test "cd-narrow in space: the order of bodies and pairs, the encoding and threads make no difference" {
    printf 'dim: 3\nreach: 0.1\nseed: 5\nepsilon: 1e-4\nbodies: [{shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}]\n' >pile.yaml
    echo 'generate:' >>pile.yaml
    for body in 'shape: {box: [0.5, 0.4, 0.3]}' 'shape: {sphere: 0.5}' 'shape: {ellipsoid: [0.5, 0.4, 0.3]}'; do
        echo "- {generator: grid, count: [5, 5, 4], spacing: [0.8, 0.8, 0.8], jitter: 0.3, body: {$body, density: 1, rotation: {axis: [1, 2, 3], angle: 1}}}" >>pile.yaml
    done
    cd-scene -q pile.yaml | cd-broad --no-prog >in.jsonl
    awk 'BEGIN { srand(3) } /"type":"(body|pair)"/ { kind = /"body"/ ? "body" : "pair"; line[n++] = $0; next } n && kind != "" { flush() } { print } END { flush() }
        function flush(  i, k) { for (i = n - 1; i >= 0; i--) { k = int(rand() * (i + 1)); print line[k]; line[k] = line[i] } n = 0 }' in.jsonl |
        sed '/"pair"/s/"a":\(\[[^]]*\]\),"b":\(\[[^]]*\]\)/"a":\2,"b":\1/' >mixed.jsonl
    if cmp -s in.jsonl mixed.jsonl; then false; fi
    for mode in $(choices cd-narrow contacts | grep -vx features); do
        cd-narrow --no-prog --contacts $mode in.jsonl >want.jsonl
        [ "$(count <want.jsonl)" -gt 500 ]
        cd-view --check want.jsonl
        cd-narrow --no-prog --contacts $mode in.jsonl | cmp - want.jsonl
        cd-narrow --no-prog --contacts $mode -t 3 --stats in.jsonl 2>stats | cmp - want.jsonl
        threads_ran stats
        cmp <(cd-narrow --no-prog --contacts $mode mixed.jsonl | of_type contact) <(of_type contact <want.jsonl)
        [ "$(cd-view -b in.jsonl | cd-narrow --no-prog --contacts $mode | cd-view --digest)" = "$(cd-view --digest want.jsonl)" ]
    done
}

@test "cd-narrow in space: more parts and contacts than are kept placed, over threads" {
    printf 'dim: 3\nseed: 5\ngenerate: [{generator: platonic, count: [16, 16, 16], spacing: [0.8, 0.8, 0.8], turn: random, body: {density: 1}}]\n' |
        cd-scene -q -b | cd-broad >in.cdb
    for mode in auto separating depth; do # depth comes last
        cd-narrow --no-prog -l 0 --contacts $mode --reach 0.2 in.cdb | cat >one.cdb # to a pipe, as below: a file has an index behind it
        cd-narrow --no-prog -l 0 --contacts $mode --reach 0.2 -t 3 --stats in.cdb 2>stats | cmp - one.cdb
        threads_ran stats
    done
    cd-view -j one.cdb | of_type contact | jq -c 'del(.id)' >all.jsonl
    [ "$(wc -l <all.jsonl)" -gt 10000 ] # shared out from 5000 on; of the 4096 parts some 2 MiB are kept
    # A hundredth of the pairs alone: their contacts are those of the whole.
    cd-view -j in.cdb | awk '!/"type":"pair"/ || ++n % 100 == 0' | cd-narrow --contacts depth --reach 0.2 | of_type contact | jq -c 'del(.id)' >few.jsonl
    [ "$(wc -l <few.jsonl)" -gt 80 ]
    [ "$(grep -cxFf few.jsonl all.jsonl)" -eq "$(wc -l <few.jsonl)" ]
}

@test "cd-narrow in space: features of polyhedra, vertices over a halfspace" {
    space | cd-broad --margin 0 | cd-narrow --contacts features --reach 0.05 >out.jsonl
    cd-view --check out.jsonl
    # the cubes that kiss: four vertices of each at the other's face; all edges are parallel or crossed at corners
    of_type contact <out.jsonl | jq -se 'map(select(.a[0]==3 and .b[0]==5)) | map(select(.kind=="vertex-face" and .normal==[0,1,0])) | length==8
        and all(.[]; .gap==0 and .applicability==0 and .feasible>1.57 and .status=="candidate")
        and map(.features) == [["v2","f2"],["v3","f2"],["v6","f2"],["v7","f2"],["f3","v0"],["f3","v1"],["f3","v4"],["f3","v5"]]'
    # those that overlap by 0.1, more than the reach: the face of least depth with its deepest vertex and what is inside
    of_type contact <out.jsonl | jq -se "$NEAR"'map(select(.a[0]==3 and .b[0]==4 and .normal==[1,0,0])) | length>0 and all(.[]; [.gap]|near([-0.1]))'
    # a cube on the ground: its four lower vertices
    of_type contact <out.jsonl | jq -se 'map(select(.a[0]==1 and .b[0]==3)) | length==4 and all(.[]; .kind=="analytic" and .gap==0 and .status=="touching")'
    # a corner beside another: three faces of each, nine pairs of edges of which three are parallel
    space | grep -v '"id":5,"shape"' | sed 's/"position":\[4.9,0,0.5\]/"position":[5.02,1.02,1.52]/; /"fend"/i {"type":"pair","a":[3,0],"b":[4,0]}' |
        cd-narrow --contacts features --reach 0.05 >out.jsonl
    [ "$(of_type contact <out.jsonl | jq -r .kind | sort | uniq -c | tr -s ' ' | paste -sd' ')" = " 6 edge-edge  6 vertex-face" ]
    of_type contact <out.jsonl | jq -se 'all(.[]; .gap-0.02|fabs<1e-12)'
    [ "$(space | grep -v '"id":5,"shape"' | sed 's/"position":\[4.9,0,0.5\]/"position":[5.04,1.04,1.54]/; /"fend"/i {"type":"pair","a":[3,0],"b":[4,0]}' |
        cd-narrow --contacts features --reach 0.05 | count)" -eq 0 ]
}

@test "cd-narrow in space --contacts separating: one separator a pair, with the corners of what both share over it" {
    space | cd-broad >in.jsonl
    cd-narrow --contacts separating in.jsonl >out.jsonl
    cd-view --check out.jsonl
    # cubes side by side overlap by 0.1: four vertices of one at the other's face
    of_type contact <out.jsonl | jq -se "$NEAR"'map(select(.a[0]==3 and .b[0]==4)) | length==4 and all(.[]; .kind=="separating" and .facet==["f1"] and .side=="a"
        and .normal==[1,0,0] and ([.gap,.bound]|near([-0.1,-0.1])) and .point==.point_b)
        and map(.features) == [["v1","v0"],["v1","v2"],["v1","v4"],["v1","v6"]]'
    of_type contact <out.jsonl | jq -se 'map(select(.a[0]==3 and .b[0]==5)) | length==4 and all(.[]; .gap==0 and .normal==[0,1,0] and .bound==0)'
    # a cube on the ground: its four vertices; balls by their distance
    of_type contact <out.jsonl | jq -se 'map(select(.a[0]==1 and .b[0]==3)) | length==4 and all(.[]; .kind=="separating" and .side=="a" and .gap==0 and has("facet")==false)'
    between 1 2 '.kind=="analytic" and .gap==-0.25 and .bound==-0.25'
    # roofs that cross: two edges, 0.05 apart, at their nearest points
    cat >roofs.yaml <<'YAML'
dim: 3
reach: 0.1
bodies:
- {shape: {polyhedron: {vertices: [[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1], [-1, 0, 0], [1, 0, 0]], faces: [[0, 2, 3, 1], [0, 1, 5, 4], [2, 4, 5, 3], [0, 4, 2], [1, 3, 5]]}}, motion: fixed}
- {shape: {polyhedron: {vertices: [[-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1], [0, -1, 0], [0, 1, 0]], faces: [[0, 1, 3, 2], [0, 4, 1], [2, 3, 5], [0, 2, 5, 4], [1, 4, 5, 3]]}}, position: [0.25, 0.5, 0.05], motion: fixed}
YAML
    cd-scene -q roofs.yaml | sed '/"fend"/i {"type":"pair","a":[1,0],"b":[2,0]}' >roofs.jsonl
    cd-narrow --contacts separating roofs.jsonl >out.jsonl
    cd-view --check out.jsonl
    only "$NEAR"'.kind=="separating" and (.facet|map(.[:1]))==["e","e"] and has("side")==false and ([.gap]|near([0.05])) and (.normal|near([0,0,1]))
        and (.point|near([0.25,0,0.025])) and .features==.facet' <out.jsonl
    # a cube that lies across another and turns by 2e-7 in the step, parted by edges then: all eight corners of what both
    # share, not the three at those edges
    cat >flush.yaml <<'YAML'
dim: 3
step: 0.01
bodies:
- {shape: {box: [0.5, 0.5, 0.5]}, position: [0, 0, 0.5], motion: fixed}
- {shape: {box: [0.5, 0.5, 0.5]}, position: [0, 0, 1.5], rotation: {axis: [0, 0, 1], angle: 0.5}, spin: [2.0e-5, 1.0e-5, 0], density: 1000}
YAML
    cd-scene -q flush.yaml | cd-broad | cd-narrow --contacts separating | of_type contact | jq -se 'length==8 and all(.[]; .gap==0)'
}

@test "cd-narrow in space refuses what it cannot do in one line" {
    space | cd-broad >in.jsonl
    sed 's/"time":0/"time":0,"contacts":"guess"/' in.jsonl >wish.jsonl
    run -6 --separate-stderr cd-narrow wish.jsonl
    [ "$stderr" = 'cd-narrow: frame 0: contacts: "guess" is not a way of finding contacts here' ]
    if grep -q '"end"' <<<"$output"; then false; fi
    space | sed 's/"id":2,"shape":2/"id":2,"shape":1/; /"fend"/i {"type":"pair","a":[1,0],"b":[2,0]}' >grounds.jsonl
    run -6 --separate-stderr cd-narrow grounds.jsonl
    [ "$stderr" = "cd-narrow: frame 0: bodies 1 and 2: --contacts separating: halfspace against halfspace is not supported" ]
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":3}' '{"type":"shape","id":7,"kind":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,1,2],[0,1,3],[1,2,3],[2,0,3]]}' \
        '{"type":"frame","index":0,"time":0}' '{"type":"fend"}' '{"type":"end"}' >open.jsonl
    run -3 --separate-stderr cd-narrow open.jsonl
    [[ "$stderr" == "cd-narrow: shape 7: faces: "* ]]
    run -2 cd-narrow --intersection guess in.jsonl
}

@test "cd-narrow in space: a wish that needs how bodies move overrides a mode that does not" {
    {
        echo '{"type":"head","cds":[1,0],"dim":3,"gravity":[0,0,-9.8],"length":1,"reach":0.1}'
        echo '{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5,0.5]}'
        echo '{"type":"frame","index":0,"time":0,"step":0.1}'
        echo '{"type":"body","id":1,"shape":1,"position":[0,0,0],"motion":"fixed"}'
        echo '{"type":"body","id":2,"shape":1,"position":[0.2,0.1,2],"velocity":[0,0,-9.5],"spin":[0.1,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}'
        echo '{"type":"pair","a":[1,0],"b":[2,0]}'
        echo '{"type":"fend"}'
        echo '{"type":"end"}'
    } >in.jsonl
    cd-narrow --no-prog --contacts auto in.jsonl | of_type contact >auto.jsonl
    [ -s auto.jsonl ] # near at the predicted pose alone
    [ "$(cd-narrow --contacts distance in.jsonl | of_type contact | wc -l)" -eq 0 ]
    sed 's/"time":0/"time":0,"contacts":"auto"/' in.jsonl >wish.jsonl
    cd-narrow --contacts distance wish.jsonl | of_type contact | cmp auto.jsonl
    cd-narrow -b --contacts distance wish.jsonl | cd-view -j | of_type contact | cmp auto.jsonl
}

# far_pairs DIM FAR: two pairs of boxes, one of them turned, moved by a whole number of metres, which rounds nothing
far_pairs() {
    python3 - "$1" "$2" <<'PY'
import json, sys
dim, far = int(sys.argv[1]), float(sys.argv[2])
rows = [{"type": "head", "cds": [1, 0], "dim": dim, "length": 1, "gravity": [0, -9.8, 0][:dim]},
        {"type": "shape", "id": 1, "kind": "box", "halfsizes": [0.5] * dim}, {"type": "frame", "index": 0, "time": 0, "step": 0.01}]
for body, (x, y, turn) in enumerate([(0, 0, 0), (0.25, 1.0078125, 0), (4, 0, 0), (4.5, 1.1328125 if dim == 2 else 1.203125, 0.3)], 1):
    rows.append({"type": "body", "id": body, "shape": 1, "position": [x + far, y - far, far][:dim], "velocity": [0, -1, 0][:dim],
                 "rotation": turn if dim == 2 else [1, 0, 0, 0] if not turn else [0.9539392014169456, 0, 0, 0.3],
                 "mass": 1, "inertia": 1 if dim == 2 else [1, 1, 1, 0, 0, 0], "motion": "fixed" if y == 0 else "dynamic"})
rows += [{"type": "pair", "a": [1, 0], "b": [2, 0]}, {"type": "pair", "a": [3, 0], "b": [4, 0]}, {"type": "fend"}, {"type": "end"}]
print("\n".join(map(json.dumps, rows)))
PY
}

@test "cd-narrow: pairs are looked at from near by: 2^25 m away gaps and normals are the same to the bit" {
    for dim in 2 3; do
        for contacts in features separating distance; do
            far_pairs $dim 0 | cd-narrow --contacts $contacts | of_type contact >near
            [ "$(wc -l <near)" -ge 2 ]
            for far in 33554432 -33554432 4096 2047.875; do
                far_pairs $dim $far | cd-narrow --contacts $contacts | of_type contact >there
                # 2047.875 m: bodies 1 and 2 are in two cells, whose middles are no whole number of cells from theirs before; the points are where the bodies are
                jq -se --argjson far $far --slurpfile near near 'length == ($near | length) and all(range(length) as $i | [.[$i], $near[$i]];
                    ($far == 2047.875 or (map([.a, .b, .gap, .normal, .features]) | .[0] == .[1])) and (.[0].gap - .[1].gap | fabs) < 1e-12
                    and (.[0].point | (.[0] - $far | fabs) < 8 and (.[1] + $far | fabs) < 8))' there >/dev/null
            done
        done
    done
}

@test "cd-narrow: rounds of a step find the same as each of them alone" {
    for dim in 2 3; do
        if [ $dim = 2 ]; then count='[3, 2]' at='[0, 0.2]' down='[0, -3]' floor='[1, 0.1]' low='[0, -0.1]'; else
            count='[2, 2, 2]' at='[0, 0, 0.2]' down='[0, 0, -3]' floor='[1, 1, 0.1]' low='[0, 0, -0.1]'; fi
        cat >heap.yaml <<YAML
dim: $dim
step: 0.02
bodies: [{shape: {box: $floor}, position: $low, motion: fixed}]
generate: [{generator: grid, count: $count, spacing: ${count//[23]/0.26}, origin: $at, points: 8, body: {density: 1000, velocity: $down}}]
YAML
        cd-loop -q --keep-trials --frames 20 heap.yaml | cd-view -q -j --type body,trial,bounds,pair >rounds.jsonl
        [ "$(grep -c '"frame"' rounds.jsonl)" -gt 20 ]
        cd-narrow -q rounds.jsonl | of_type contact >together
        for ((k = 1; k <= $(grep -c '"frame"' rounds.jsonl); k++)); do
            awk -v k=$k '/"type":"frame"/ {n++} n == 0 || n == k || /"type":"end"/' rounds.jsonl | cd-narrow -q | of_type contact
        done >alone
        [ -s alone ]
        diff together alone
    done
}

# A square of two triangles, body 1, and a free pinball, body 2, at X Y with radius 0.5.
pinball_stream() {
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":2,"model":"penalty"}
{"type":"shape","id":1,"kind":"sphere","radius":0.5}
{"type":"shape","id":2,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"material","id":1,"density":1,"bulk":1}
{"type":"element","id":1,"kind":"tri3","nodes":[1,2,3],"body":1,"radius":0.25}
{"type":"element","id":2,"kind":"tri3","nodes":[1,3,4],"body":1,"radius":0.25${3:-}}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1}
{"type":"body","id":2,"shape":1,"position":[$1,$2],"mass":1,"inertia":1${4:-,\"material\":1}}
{"type":"node","id":1,"position":[0,0]}
{"type":"node","id":2,"position":[1.5,0]}
{"type":"node","id":3,"position":[1.5,1.5]}
{"type":"node","id":4,"position":[0,1.5]}
{"type":"pair","a":[2,0],"b":[1,0]}
{"type":"pair","a":[2,0],"b":[1,1]}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-narrow: pinballs of elements against a free one" {
    # element 2 has its ball at (0.5, 1), the other one at (1, 0.5), farther than 0.75
    pinball_stream 0.5 1.625 | cd-narrow >out.jsonl
    of_type contact <out.jsonl | jq -c '[.a,.b,.kind,.normal,.gap,.point,.status,has("features")]' >told
    [ "$(cat told)" = '[[1,1],[2,0],"pinball",[0,1],-0.125,[0.5,1.1875],"penetrating",false]' ]
    pinball_stream 0.5 1.625 | cd-narrow --contacts pinball --pinball-normal centre | of_type contact | cmp - <(of_type contact <out.jsonl)
    [ -z "$(pinball_stream 0.5 1.75 | cd-narrow | of_type contact)" ] # they touch
    cd-view -b out.jsonl | cd-narrow -t 2 | cd-view -j | of_type contact | cmp - <(of_type contact <out.jsonl)
}

@test "cd-narrow: the normal of a surface is that of its outer faces" {
    # nodes 1, 3, 4 of element 2 have (-0.75, -0.75), (0.75, 0.75), (-0.75, 0.75): the inner edge adds nothing
    pinball_stream 0.5 1.625 | cd-narrow --pinball-normal surface >out.jsonl
    of_type contact <out.jsonl | holds '(.normal[0] + (0.5 | sqrt) | fabs) < 1e-15 and (.normal[1] - (0.5 | sqrt) | fabs) < 1e-15 and .gap == -0.125'
    # turned towards b
    pinball_stream 0.75 0.5 | cd-narrow --pinball-normal surface | of_type contact | jq -se 'map(select(.a[1] == 1)) | length > 0 and all(.normal[0] > 0 and .normal[1] < 0)'
    # two free ones have no surfaces
    pinball_stream 0.5 1.625 | sed 's/{"type":"body","id":1}/{"type":"body","id":1,"shape":1,"position":[0.5,0.75],"mass":1,"inertia":1,"material":1}/; s/"b":\[1,1\]/"b":[1,0]/' |
        cd-narrow --pinball-normal surface | of_type contact | holds '.kind == "pinball" and .normal == [0,1] and .gap == -0.125'
}

@test "cd-narrow: split pinballs, children of a with children of b" {
    pinball_stream 0.5 1.625 ',"split":2' | cd-narrow >out.jsonl
    # 16 balls of radius 1/16: each within reach is there, once, with its own gap; corners (0,0), (1.5,1.5), (0,1.5)
    python3 - out.jsonl <<'PY'
import json, math, sys
def cells(corners, level):
    if level == 0:
        return [[sum(c[k] for c in corners) / 3 for k in (0, 1)]]
    a, b, c = corners
    m = lambda p, q: [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]
    return [x for t in ([a, m(a, b), m(a, c)], [m(a, b), b, m(b, c)], [m(a, c), m(b, c), c], [m(b, c), m(a, c), m(a, b)]) for x in cells(t, level - 1)]
want = {}
for k, centre in enumerate(cells([[0, 0], [1.5, 1.5], [0, 1.5]], 2)):
    gap = math.dist(centre, (0.5, 1.625)) - 0.5 - 0.0625
    if gap < 0:
        want["p%d" % k] = gap
have = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "contact"]
assert len(want) > 3 and [r["features"] for r in have] == [[k, "p0"] for k in sorted(want, key=lambda k: int(k[1:]))], (want, have)
assert all(abs(r["gap"] - want[r["features"][0]]) < 1e-14 for r in have)
PY
}

@test "cd-narrow: elements meet pinballs alone, with a radius" {
    pinball_stream 0.5 1.625 ',"note":1' ',"group":"g"' >in.jsonl
    run -6 --separate-stderr cd-narrow in.jsonl
    [ "$stderr" = "cd-narrow: frame 0: pair: body 1 is of elements, which meet pinballs alone: body 2 is none (a sphere with a material is one)" ]
    pinball_stream 0.5 1.625 | sed 's/,"radius":0.25//' >in.jsonl
    run -3 --separate-stderr cd-narrow in.jsonl
    [ "$stderr" = "cd-narrow: frame 0: element 1: radius: its contacts need it" ]
    pinball_stream 0.5 1.625 ',"split":5' >in.jsonl
    run -3 --separate-stderr cd-narrow in.jsonl
    [[ "$stderr" == *"element 2: split: 5 is more than 4" ]]
    pinball_stream 0.5 1.625 | sed 's/"a":\[2,0\],"b":\[1,1\]/"a":[2,0],"b":[1,2]/' >in.jsonl
    run -3 --separate-stderr cd-narrow in.jsonl
    [ "$stderr" = "cd-narrow: frame 0: pair: body 1 part 2: it has 2 elements" ]
    run -6 --separate-stderr bash -c 'cd-narrow --contacts depth <(sed "/radius/s/,2,3/,2,3/" in.jsonl)'
    [[ "$stderr" == *"its parts are elements, for which this stage has no routine" ]]
}

@test "cd-narrow --contacts pinball: what is no ball is asked for its depth" {
    corner_stream 0.9 0.5 | cd-narrow --contacts pinball | of_type contact >have
    corner_stream 0.9 0.5 | cd-narrow --contacts depth | of_type contact | cmp - have
    [ -s have ]
    # spheres without a material are no pinballs
    corner_stream 0.9 0.1 | sed 's/"shape":1/"shape":2/' | cd-narrow --contacts pinball | only '.kind == "analytic"'
}

@test "cd-narrow: the reach in force is a metric of every frame, and in --stats" {
    # two squares and a disc that moves: 0.005 L, and 1.5 h (|v| + |g| h) of the two that move fastest
    cat >in.jsonl <<'J'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-10],"length":2}
{"type":"prog","id":1,"prev":[0],"tool":"by-hand"}
{"type":"shape","id":1,"kind":"sphere","radius":0.5}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0],"velocity":[3,4],"mass":1,"inertia":1}
{"type":"body","id":2,"shape":1,"position":[9,0],"velocity":[0,2],"mass":1,"inertia":1}
{"type":"body","id":3,"shape":1,"position":[18,0],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
J
    cd-narrow --stats in.jsonl 2>stats | jq -se 'map(select(.name == "reach")) | length == 1 and (.[0].value - (0.005 * 2 + 1.5 * 0.01 * (5 + 2 + 2 * 0.1)) | fabs) < 1e-15'
    jq -e '(.reach - 0.118) | fabs < 1e-12' stats
    cd-narrow --stats --reach 0.25 in.jsonl 2>stats | jq -se 'map(select(.name == "reach").value) == [0.25]'
    jq -e '.reach == 0.25' stats
    grep -v '"id":[12],"shape":1,"pos' in.jsonl | cd-narrow --stats 2>stats | jq -se 'map(select(.name == "reach").value) == [0]' # one body: no pair
    jq -e 'has("reach") | not' stats
}
