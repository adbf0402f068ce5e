#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Certificates of cd-overlap-metric and the program that checks them, pipelines/python/verify.py.

load helper

PYTHON_DIR="$BATS_TEST_DIRNAME/../../pipelines/python"
verify() { python3 "$PYTHON_DIR/verify.py" "$@"; }
near_touching() { python3 "$BATS_TEST_DIRNAME/verify/near_touching.py" "$@"; }
# count NAME: the sum of this metric over all frames
count() { jq -s "map(select(.type==\"metric\" and .name==\"$1\").value) | add" "$2"; }
labels() { jq -r 'select(.type=="certificate") | "\(.a[0])-\(.b[0]) \(.label)"'; }

# A square around (1, 1), an exact neighbour, one a unit in the last place off, one as much in, two discs, a floor.
squares() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":2,"kind":"sphere","radius":0.5}
{"type":"shape","id":3,"kind":"halfspace","normal":[0,1],"offset":0}
{"type":"frame","index":0,"time":0,"step":0.5}
{"type":"body","id":1,"shape":1,"position":[1,1],"mass":1,"inertia":1}
{"type":"body","id":2,"shape":1,"position":[2,1.5],"mass":1,"inertia":1}
{"type":"body","id":3,"shape":1,"position":[-2.220446049250313e-16,1.5],"mass":1,"inertia":1}
{"type":"body","id":4,"shape":1,"position":[1.5,1.9999999999999998],"mass":1,"inertia":1}
{"type":"body","id":5,"shape":2,"position":[0.5,0],"mass":1,"inertia":1}
{"type":"body","id":7,"shape":2,"position":[1.9,0],"mass":1,"inertia":1}
{"type":"body","id":6,"shape":3,"position":[0,0.5],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "certificates: labels of squares one unit in the last place apart, touching, overlapping" {
    squares | cd-overlap-metric --certify >s
    [ "$(labels <s | paste -sd,)" = "1-2 touching,1-4 overlapping,1-5 touching,1-6 touching,1-7 apart,2-4 overlapping,5-6 overlapping,6-7 overlapping" ]
    [ "$(count apart s) $(count touching s) $(count overlapping s) $(count open s)" = "1 3 4 0" ]
    # 1 and 3 are apart by their boxes, without a row
    run -0 verify s
    [ "$output" = "8 certificates of 1 frames accepted, 0 refused" ]
    # where the stream says that points closer than 1e-12 are one, they have one too
    squares | sed '1s/"dim":2/"dim":2,"epsilon":1e-12/' | cd-overlap-metric --certify >near
    [ "$(labels <near | grep -c .) $(labels <near | grep '^1-3')" = "9 1-3 apart" ]
    run -0 verify near
    [ "$output" = "9 certificates of 1 frames accepted, 0 refused" ]
    # the measure is 0 where a certificate says so, and above it where it says so, however thin
    cd-overlap-metric --certify --per-pair s | jq -c 'select(.name=="overlap" and .a) | [.a,.b,.value>0]' >pairs
    [ "$(paste -sd' ' pairs)" = "[1,4,true] [2,4,true] [5,6,true] [6,7,true]" ]
}

@test "certificates: next is what counts, where it is there" {
    squares | sed '/"fend"/i {"type":"next","body":4,"position":[9,1.1],"rotation":0.1,"velocity":[0,0],"spin":0}' | cd-overlap-metric --certify >s
    labels <s | says_no grep 4-
    verify s
    sed 's/\[9,1.1\]/[9,1]/' s >moved
    run -1 verify moved
    [ "$output" = "frame 0: parts 4.0-6.0: their boxes meet, and there is no certificate
6 certificates of 1 frames accepted, 1 refused" ]
}

@test "verify.py: random pairs of all kinds that nearly touch, both encodings, nothing open" {
    for dim in 2 3; do
        near_touching $dim 11 2000 >in
        cd-overlap-metric --certify in >s
        [ "$(count open s)" = 0 ]
        [ "$(count touching s)" -gt 15 ]
        [ "$(count apart s)" -gt 100 ]
        [ "$(count overlapping s)" -gt 100 ]
        run -0 verify s
        [ "$output" = "$(grep -c '"certificate"' s) certificates of 2000 frames accepted, 0 refused" ]
        cd-overlap-metric --certify -b in >s.cdb
        [ "$(verify <s.cdb)" = "$output" ]
    done
}

@test "verify.py: single flipped bits, false labels and missing rows are refused" {
    for dim in 2 3; do
        near_touching $dim 5 100 | cd-overlap-metric --certify >s
        python3 "$BATS_TEST_DIRNAME/verify/flip_certificates.py" "$PYTHON_DIR" s 1000
    done
}

@test "certificates: the heaps and mixtures of all kinds, with any number of threads" {
    for scene in mixed2 mixed3 heap3 plane space; do
        cd-scene -q "$CASES/same/$scene.yaml" >scene
        cd-overlap-metric --certify scene >s
        [ "$(count open s)" = 0 ]
        verify s
        cd-overlap-metric --certify -t 3 scene | cmp - s
    done
}

@test "verify.py: every refusal is one line; cut streams, no frame and wrong usage have their exit codes" {
    squares | cd-overlap-metric --certify >s
    sed 's/"label":"touching"/"label":"apart"/' s >lies
    run -1 verify lies
    [ "${#lines[@]}" -eq 4 ]
    grep -v '"certificate"' s >none
    run -1 verify none
    [ "${lines[0]}" = "frame 0: parts 1.0-2.0: their boxes meet, and there is no certificate" ]
    sed '$d' s >cut
    run -3 --separate-stderr verify cut
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run -3 --separate-stderr verify <(sed '/"frame"/,/"fend"/d' s)
    [ "$stderr" = "verify.py: no frame to verify" ]
    run -2 --separate-stderr verify --help
    [ "$stderr" = "usage: verify.py [--path] [FILE]" ]
    run -4 --separate-stderr verify nowhere
}

# way HEIGHT FROM TO: a unit square over a floor turns about its centre, while one beside it stays.
way() {
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":2}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":2,"kind":"halfspace","normal":[0,1],"offset":0}
{"type":"shape","id":3,"kind":"box","halfsizes":[1,0.5]}
{"type":"frame","index":0,"time":0,"step":0.5}
{"type":"body","id":1,"shape":1,"position":[0,$1],"rotation":$2,"mass":1,"inertia":1}
{"type":"body","id":2,"shape":$4,"position":[0,$5],"motion":"fixed"}
{"type":"next","body":1,"position":[${6:-0},$1],"rotation":$3,"velocity":[0,0],"spin":0}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "certificates of the way: a corner that swings through the floor, by its closed form" {
    # from pi/4 - 0.1 to pi/4 + 0.1, both ends above by 1e-3: in the middle the corner is sqrt(1/2) under the centre
    for floor in '2 0' '3 -0.5'; do
        way 0.7045706 0.6853981633974483 0.8853981633974483 $floor | cd-overlap-metric --path >s
        jq -se 'map(select(.name=="path-depth").value)[0] as $d | (0.5|sqrt) - 0.7045706 | $d >= . and $d < 1.2 * .' s
        [ "$(count overlapping s) $(count path-overlapping s)" = "0 1" ]
        verify --path s
        # as high as that, and a hair more, it clears
        way 0.70710679 0.6853981633974483 0.8853981633974483 $floor | cd-overlap-metric --path >s
        [ "$(count path-apart s) $(count path-depth s)" = "1 0" ]
        verify --path s
    done
    # a whole turn and back to the same pose, seen in the plane; and a way through a wall with both ends clear
    way 0.6 0 6.283185307179586 2 0 | cd-overlap-metric --path >s
    [ "$(count overlapping s) $(count path-overlapping s)" = "0 1" ]
    way 0 0 0.001 3 0 9 | sed 's/"id":1,"shape":1,"position":\[0,/"id":1,"shape":1,"position":[-9,/' | cd-overlap-metric --path >s
    [ "$(count overlapping s) $(count path-overlapping s)" = "0 1" ]
    verify --path s
}

@test "certificates of the way: the spin of a ball bends nothing" {
    # 2e-12 m above a tilted plane and rolling along it, a radian a step: the centre goes along a line, one interval tells it
    for at in '[0.06,0,0.080000000002]' '[0.9,0,-0.549999999998]'; do
        cat >ball.jsonl <<JSONL
{"type":"head","cds":[1,0],"dim":3}
{"type":"shape","id":1,"kind":"halfspace","normal":[0.6,0,0.8],"offset":0}
{"type":"shape","id":2,"kind":"sphere","radius":0.1}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":2,"position":$at,"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"next","body":2,"position":$(jq -c '[.[0] + 0.08, .[1], .[2] - 0.06]' <<<"$at"),"rotation":[0.87758256189037276,0,0.47942553860420301,0],"velocity":[8,0,-6],"spin":[0,100,0]}
{"type":"fend"}
{"type":"end"}
JSONL
        cd-overlap-metric --path ball.jsonl >s
        [ "$(count path-apart s) $(count path-touching s)" = "1 0" ]
        [ "$(grep -c '"begin"' s)" -eq 1 ]
        verify --path s
    done
}

@test "certificates of the way: a run in the plane and in space; a false one is refused, and one that is missing" {
    for scene in 2d/box-of-polygons 3d/box-of-polyhedra; do
        cd-scene -q "$SCENES/../scenes-$scene.yaml" |
            cd-loop --until 0.3 -- 'cd-broad | cd-narrow --contacts separating | cd-peg-assemble | cd-lcp | cd-step --rounds 8' >run
        cd-overlap-metric --path run >s
        [ "$(count open s) $(count path-open s) $(count overlapping s)" = "0 0 0" ]
        [ "$(count path-apart s)" -gt 50 ]
        run -0 verify --path s
        [ "$output" = "$(grep -c '"certificate"' s) certificates of $(grep -c '"frame"' s) frames accepted, 0 refused" ]
        python3 "$BATS_TEST_DIRNAME/verify/false_ways.py" "$PYTHON_DIR" s
        cd-overlap-metric --certify run >s
        verify s
        run -1 verify --path s
        [[ "${lines[0]}" == *"they could meet, and there is no certificate" ]]
    done
}
