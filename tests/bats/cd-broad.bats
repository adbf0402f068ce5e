#!/usr/bin/env bats
load helper

pairs() { of_type pair | sed -E 's/.*"a":\[([0-9]+),([0-9]+)\],"b":\[([0-9]+),([0-9]+)\].*/\1.\2-\3.\4/' | paste -sd' '; }

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
        for method in $(choices cd-broad method); do
            [ "$(cd-broad --no-prog -m "$method" --margin 0.05 scene.jsonl | md5sum)" = "$want" ]
        done
    done
    [ "$(cd-broad --margin 0.05 scene.jsonl | grep -c '"pair"')" -gt 300 ]
}

# Spheres of radius 1 at the origin and at the given place and velocity, 0.1 s a step; a cube of side 2 far away.
two_spheres() {
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":3,"reach":${3:-0.2},"length":1}
{"type":"shape","id":1,"kind":"sphere","radius":1}
{"type":"shape","id":2,"kind":"box","halfsizes":[1,1,1]}
{"type":"frame","index":0,"time":0,"step":0.1}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":2,"shape":1,"position":$1,"velocity":${2:-[0,0,0]},"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":3,"shape":2,"position":[100,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":4,"shape":1,"position":[102,2,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}
pairs_of_spheres() { two_spheres "$@" | cd-broad --overlap sphere | pairs; }

@test "cd-broad --overlap sphere: pairs whose balls overlap, with reach, margin and motion" {
    # their distance is sqrt(4.5) = 2.1213: their boxes overlap, they come within reach at 0.1213
    [ "$(two_spheres '[1.5,1.5,0]' '[0,0,0]' 0.12 | cd-broad | pairs)" = "1.0-2.0 3.0-4.0" ]
    [ "$(pairs_of_spheres '[1.5,1.5,0]' '[0,0,0]' 0.12)" = "3.0-4.0" ]
    [ "$(pairs_of_spheres '[1.5,1.5,0]' '[0,0,0]' 0.122)" = "1.0-2.0 3.0-4.0" ]
    [ "$(two_spheres '[1.5,1.5,0]' '[0,0,0]' 0.12 | cd-broad --overlap sphere --margin 0.001 | pairs)" = "1.0-2.0 3.0-4.0" ]
    # touching is a pair: 3, 4, 5
    [ "$(two_spheres '[1.2,1.6,0]' | cd-broad --overlap sphere --reach 0 | pairs)" = "1.0-2.0" ]
    # on its way from (4, 2.1, 0) to (-4, 2.1, 0), it comes within 0.1
    [ "$(pairs_of_spheres '[4,2.1,0]' '[-80,0,0]')" = "1.0-2.0 3.0-4.0" ]
    [ "$(two_spheres '[4,2.1,0]' '[-80,0,0]' | cd-broad --overlap sphere --no-sweep | pairs)" = "3.0-4.0" ]
    # the ball of the cube has radius sqrt(3), the sphere beside its edge a distance of sqrt(8) = 2.8284
    [ "$(two_spheres '[9,9,9]' '[0,0,0]' 0.095 | cd-broad --overlap sphere | pairs)" = "" ]
    [ "$(two_spheres '[9,9,9]' '[0,0,0]' 0.097 | cd-broad --overlap sphere | pairs)" = "3.0-4.0" ]
    run -2 --separate-stderr cd-broad --overlap sphere --use-bounds "$BATS_TEST_TMPDIR/none"
    [ "$stderr" = "cd-broad: --overlap: spheres are made of shapes, which --use-bounds does not read" ]
}

@test "cd-broad --overlap sphere: every method gives the same bytes, and no contact is lost" {
    cat >scene.yaml <<'YAML'
dim: 3
seed: 3
step: 0.01
gravity: [0, 0, -9.81]
defaults: {density: 1000}
shapes: {plate: {box: [0.6, 0.2, 0.5]}}
generate:
  - {generator: grid, count: [6, 6, 6], spacing: [1, 1, 1], jitter: 0.3, body: {shape: {sphere: 0.55}, velocity: [3, 0, 0]}}
  - {generator: grid, count: [6, 6, 6], spacing: [1, 1, 1], jitter: 0.3, origin: [0.5, 0.5, 0.5], body: {shape: plate}}
YAML
    cd-scene scene.yaml >scene.jsonl
    want=$(cd-broad --no-prog --overlap sphere --method brute scene.jsonl | md5sum)
    for method in $(choices cd-broad method); do
        [ "$(cd-broad --no-prog --overlap sphere -m "$method" scene.jsonl | md5sum)" = "$want" ]
    done
    cd-broad scene.jsonl >boxes.jsonl
    cd-broad --overlap sphere scene.jsonl >spheres.jsonl
    [ "$(grep -c '"pair"' <spheres.jsonl)" -lt "$(grep -c '"pair"' <boxes.jsonl)" ]
    [ "$(of_type pair <spheres.jsonl | sort | comm -13 <(of_type pair <boxes.jsonl | sort) - | wc -l)" = 0 ]
    for kind in boxes spheres; do
        cd-narrow --contacts distance $kind.jsonl | jq -c 'select(.type=="contact" and .gap<=0.01)|[.a,.b,.gap]' >$kind.gaps
    done
    [ "$(wc -l <boxes.gaps)" -gt 50 ]
    cmp boxes.gaps spheres.gaps
}

# A triangle over half a square of 10 m, of body 1, and a ball of 1 m: beside_long_edge X [VELOCITY [MOTION [THICKNESS [POSE [Y]]]]]
beside_long_edge() {
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":3,"reach":0.01,"length":1}
{"type":"shape","id":1,"kind":"facets","vertices":[[0,0,0],[10,0,0],[0,10,0]],"triangles":[[0,1,2]],"thickness":${4:-0}}
{"type":"shape","id":2,"kind":"sphere","radius":1}
{"type":"frame","index":0,"time":0,"step":0.1}
{"type":"body","id":1,"shape":1,${5:-\"position\":[0,0,0]},"motion":"${3:-fixed}"}
{"type":"body","id":2,"shape":2,"position":[$1,${6:-$1},0],"velocity":${2:-[0,0,0]},"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-broad --overlap sphere: a facet that stands is asked itself, by every method" {
    # the ball's centre is (2 x - 10) / sqrt(2) beside the long edge, well within the triangle's box and ball
    local method quarter='"position":[3,0,0],"rotation":[0.70710678118654757,0,0,0.70710678118654757]'
    for method in $(choices cd-broad method); do
        near() { [ "$(beside_long_edge "$@" | cd-broad --overlap sphere -m "$method" | pairs)" = "1.0-2.0" ]; }
        far() { [ "$(beside_long_edge "$@" | cd-broad --overlap sphere -m "$method" | pairs)" = "" ]; }
        near 5.71 # 1.0041
        far 5.72  # 1.0182
        near 5.72 '[0,0,0]' fixed 0.02
        near 5.72 '[0,0,0]' prescribed # its ball
        far 6.5
        near 6.5 '[-10,-10,0]'
        near -2.71 '[0,0,0]' fixed 0 "$quarter" 5.71
        far -2.72 '[0,0,0]' fixed 0 "$quarter" 5.72
        [ "$(beside_long_edge 5.72 | cd-broad -m "$method" | pairs)" = "1.0-2.0" ]
        [ "$(beside_long_edge 5.72 | cd-broad --overlap sphere --margin 0.005 -m "$method" | pairs)" = "1.0-2.0" ]
    done
}

@test "cd-broad --method cell: slaves and masters in cells of every legal size; an illegal one is refused with the least" {
    # 36 slaves of radius 0.3 and 36 masters of radius 0.2 at random, reach 0: cells of 0.5 hold all neighbours
    printf 'dim: 2\nseed: 5\ngravity: [0, 0]\ngenerate: [{generator: grid, count: [6, 6], spacing: [0.5, 0.5], jitter: 0.25, body: {shape: {circle: 0.3}, density: 1, group: slave}}, {generator: grid, count: [6, 6], spacing: [0.5, 0.5], jitter: 0.25, body: {shape: {circle: 0.2}, density: 1, group: master}}]\n' >in.yaml
    cd-scene in.yaml >in.jsonl
    for overlap in box sphere; do
        want=$(cd-broad --no-prog --reach 0 -m brute --overlap $overlap --group slave:master in.jsonl | md5sum)
        for cell in auto 0.501 0.6 1 100; do
            for method in cell cell-optimized cell-vector; do
                [ "$(cd-broad --no-prog --reach 0 -m $method --overlap $overlap --group slave:master --cell $cell in.jsonl | md5sum)" = "$want" ]
            done
        done
    done
    run -2 --separate-stderr cd-broad --reach 0 -m cell --group slave:master --cell 0.499 in.jsonl
    least=${stderr##* }
    [ "$stderr" = "cd-broad: frame 0: --cell: 0.499 misses pairs: the least edge that cell takes here is $least" ]
    awk -v least="$least" 'BEGIN { exit !(least >= 0.5 && least < 0.5 + 1e-12) }'
    [ "$(cd-broad --no-prog --reach 0 -m cell --overlap sphere --group slave:master --cell "$least" in.jsonl | md5sum)" = "$want" ]
    run -2 --separate-stderr cd-broad --cell 0 in.jsonl
    [ "$stderr" = 'cd-broad: --cell: "0" is neither a length above 0 nor auto' ]
}

@test "cd-broad keeps what it made of a large fixed surface, as long as that stays where it is" {
    # 70 x 70 squares in two triangles each, in the plane z = 0; balls fall on it; in frames 3 and 4 the surface has moved
    awk 'BEGIN {
        n = 70
        printf "{\"type\":\"head\",\"cds\":[1,0],\"dim\":3,\"reach\":0.01,\"length\":1}\n{\"type\":\"shape\",\"id\":1,\"kind\":\"facets\",\"vertices\":["
        for (j = 0; j <= n; j++) for (i = 0; i <= n; i++) printf "%s[%g,%g,0]", i + j ? "," : "", i, j
        printf "],\"triangles\":["
        for (j = 0; j < n; j++) for (i = 0; i < n; i++) { a = j * (n + 1) + i; printf "%s[%d,%d,%d],[%d,%d,%d]", i + j ? "," : "", a, a + 1, a + n + 2, a, a + n + 2, a + n + 1 }
        printf "],\"thickness\":0}\n{\"type\":\"shape\",\"id\":2,\"kind\":\"sphere\",\"radius\":0.4}\n"
        for (f = 0; f < 6; f++) {
            printf "{\"type\":\"frame\",\"index\":%d,\"time\":%g,\"step\":0.1}\n", f, 0.1 * f
            printf "{\"type\":\"body\",\"id\":5,\"shape\":1,\"position\":[0,0,%g],\"motion\":\"fixed\"}\n", f == 3 || f == 4 ? 0.3 : 0
            for (b = 0; b < 40; b++)
                printf "{\"type\":\"body\",\"id\":%d,\"shape\":2,\"position\":[%g,%g,%g],\"velocity\":[1,0,-1],\"mass\":1,\"inertia\":[1,1,1,0,0,0]}\n", b < 20 ? 100 + b : -b, 1.7 * b + 0.1 * f, 1.3 * b, 0.9 - 0.1 * f
            print "{\"type\":\"fend\"}"
        }
        print "{\"type\":\"end\"}"
    }' >in.jsonl
    for overlap in box sphere; do
        cd-broad --no-prog --overlap $overlap -m sweep in.jsonl >want.jsonl
        cd-broad --no-prog --overlap $overlap --stats in.jsonl >kept.jsonl 2>stats
        cmp want.jsonl kept.jsonl
        grep -q 'tree of 9800 that stand' stats
    done
    [ "$(grep -c '"pair"' want.jsonl)" -gt 300 ]
    # boxes that nobody asks for are not written, and pairs are the same
    grep -v '"bounds"' kept.jsonl >pairs.jsonl
    cd-broad --no-prog --overlap sphere --bounds none in.jsonl | cmp - pairs.jsonl
    [ "$(cd-broad --bounds moving in.jsonl | of_type bounds | jq -c '.a[0]' | sort -u | grep -c .)" = 40 ]
    [ "$(cd-broad --bounds moving in.jsonl | of_type bounds | jq -c .)" = "$(cd-broad in.jsonl | of_type bounds | jq -c 'select(.a[0]!=5)')" ]
    # then its boxes are not kept either; without reach it is flat, which no tree is made of; and beside it there are
    # other fixed bodies, and groups
    sed 's/"motion":"fixed"/&,"group":"a"/; s/"velocity"/"group":"b",&/; /"id":105/s/"mass"/"motion":"fixed",&/' in.jsonl >groups.jsonl
    for overlap in box sphere; do
        for file in in.jsonl groups.jsonl; do
            for options in "" "--reach 0" "--group b:a"; do
                [ $file = in.jsonl ] && [[ $options = --group* ]] && continue
                cd-broad --no-prog --overlap $overlap $options -m sweep $file | grep -v '"bounds"' >want.jsonl
                cd-broad --no-prog --overlap $overlap $options --bounds none -t 2 $file | cmp - want.jsonl
                cd-broad --no-prog --overlap $overlap $options --bounds moving $file | grep -v '"bounds"' | cmp - want.jsonl
            done
            [ "$(grep -c '"pair"' want.jsonl)" -gt 0 ]
        done
    done
}

@test "cd-broad: results do not depend on the order of bodies" {
    row_of_boxes >in.jsonl
    { head -4 in.jsonl; grep '"body"' in.jsonl | tac; tail -2 in.jsonl; } >other.jsonl
    cd-broad in.jsonl | grep '"bounds"\|"pair"' >want
    cd-broad other.jsonl | grep '"bounds"\|"pair"' | cmp - want
}

@test "cd-broad --group takes pairs across two groups, or within one" {
    row_of_boxes >in.jsonl
    [ "$(cd-broad --group left:right in.jsonl | pairs)" = "10.0-30.0" ]
    [ "$(cd-broad --group right:left in.jsonl | pairs)" = "10.0-30.0" ]
    [ "$(cd-broad --group right:right in.jsonl | pairs)" = "20.0-30.0" ]
    # a name that no body has is no empty result
    for wrong in left:nobody nobody:left nobody:nobody; do
        run -2 --separate-stderr cd-broad --group $wrong in.jsonl
        [ "$stderr" = "cd-broad: --group: no body of any frame is of group nobody" ]
        says_no grep -q '"end"' <<<"$output"
    done
    # it may come in a later frame; a part of a stream may have none
    (grep -v '"end"' in.jsonl; grep -v '"head"\|"type":"shape"' in.jsonl | sed 's/"index":0,"time":0/"index":1,"time":1/; s/"right"/"late"/') >two.jsonl
    cd-broad --group left:late two.jsonl >out
    [ "$(pairs <out)" != "" ]
    sed '1a {"type":"prog","id":1,"prev":[0],"tool":"cd-shard","version":"0.1.0"}' in.jsonl | cd-broad --group left:nobody >out
    [ "$(pairs <out)" = "" ]
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
    # no shapes and positions are needed, in two dimensions or three
    cat >three.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1}
{"type":"body","id":2}
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
    [ "$(of_type pair <once.jsonl | wc -l)" -gt 0 ]
    cd-broad --no-prog once.jsonl | cmp - once.jsonl
    # and later tables do not survive it
    sed '/"fend"/i {"type":"contact","id":0,"a":[5,0],"b":[10,0],"kind":"distance","point":[0,0],"normal":[1,0],"gap":0}' once.jsonl |
        cd-broad --no-prog | cmp - once.jsonl
}

# A floor, two spheres of which one moves, a box turned by a quarter about z, an ellipsoid, a compound of a box and a facet.
space() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"gravity":[0,0,-16],"reach":0.5}
{"type":"shape","id":1,"kind":"halfspace","normal":[0,0,1],"offset":0.5}
{"type":"shape","id":2,"kind":"sphere","radius":1}
{"type":"shape","id":3,"kind":"box","halfsizes":[1,2,3]}
{"type":"shape","id":4,"kind":"ellipsoid","semiaxes":[1,2,3]}
{"type":"shape","id":5,"kind":"facets","vertices":[[0,0,0],[2,0,0],[0,2,0],[0,0,2]],"triangles":[[0,1,2],[0,2,3]],"thickness":0.5}
{"type":"shape","id":6,"kind":"compound","parts":[{"shape":3,"position":[0,0,1],"rotation":[1,0,0,0]},{"shape":5,"position":[4,0,0],"rotation":[0,0,0,1]}]}
{"type":"frame","index":0,"time":0,"step":0.125}
{"type":"body","id":6,"shape":6,"position":[30,0,0],"motion":"fixed"}
{"type":"body","id":1,"shape":1,"position":[0,0,-4],"motion":"fixed"}
{"type":"body","id":2,"shape":2,"position":[0,0,0],"velocity":[8,0,0],"spin":[0,0,9]}
{"type":"body","id":3,"shape":2,"position":[3,0,0],"motion":"fixed"}
{"type":"body","id":4,"shape":3,"position":[10,0,0],"rotation":[0.7071067811865476,0,0,0.7071067811865476]}
{"type":"body","id":5,"shape":4,"position":[14.5,0,0],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
JSONL
}
box_of() { jq -c "select(.type==\"bounds\" and .a==[$1,$2]) | [.min,.max] | map(map(if type==\"string\" then . else .*1e9|round/1e9 end))"; }

@test "cd-broad in space: bounds of every kind of shape" {
    space | cd-broad >out.jsonl
    [ "$(of_type bounds <out.jsonl | jq -c '.a' | paste -sd' ')" = "[1,0] [2,0] [3,0] [4,0] [5,0] [6,0] [6,1] [6,2]" ]
    [ "$(box_of 1 0 <out.jsonl)" = '[["-Infinity","-Infinity","-Infinity"],["Infinity","Infinity",-3.25]]' ]
    # moves by 1 along x, falls by 16 / 64; its spin does not show
    [ "$(box_of 2 0 <out.jsonl)" = '[[-1.25,-1.25,-1.5],[2.25,1.25,1.25]]' ]
    [ "$(box_of 4 0 <out.jsonl)" = '[[7.75,-1.25,-3.5],[12.25,1.25,3.25]]' ]
    [ "$(box_of 5 0 <out.jsonl)" = '[[13.25,-2.25,-3.25],[15.75,2.25,3.25]]' ]
    [ "$(box_of 6 0 <out.jsonl)" = '[[28.75,-2.25,-2.25],[31.25,2.25,4.25]]' ]
    # facets turned by half a turn about z, with half their thickness around them
    [ "$(box_of 6 1 <out.jsonl)" = '[[31.5,-2.5,-0.5],[34.5,0.5,0.5]]' ]
    [ "$(box_of 6 2 <out.jsonl)" = '[[33.5,-2.5,-0.5],[34.5,0.5,2.5]]' ]
    [ "$(pairs <out.jsonl)" = "1.0-4.0 2.0-3.0" ]
    # without the motion
    [ "$(space | cd-broad --no-sweep --reach 0 | box_of 2 0)" = '[[-1,-1,-1],[1,1,1]]' ]
    [ "$(space | cd-broad --no-sweep --reach 0 | pairs)" = "" ]
    # a trial pose is covered; the automatic reach is 0.0025 L + 1.5 h (|v| + R |omega| + |g| h) a body
    space | sed '/"id":2,"shape":2,"pos/a {"type":"trial","body":2,"position":[0,5,0],"rotation":[1,0,0,0],"velocity":[0,40,0],"spin":[0,0,0]}' >trial.jsonl
    [ "$(cd-broad --reach 0 trial.jsonl | box_of 2 0)" = '[[-1,-1,-1.25],[2,6,1]]' ]
    [ "$(space | sed 's/"reach":0.5/"length":2/' | cd-broad --no-sweep | box_of 2 0)" = '[[-4.5675,-4.5675,-4.5675],[4.5675,4.5675,4.5675]]' ]
}

@test "cd-broad in space: a turning body is covered all the way" {
    # a bar of half length 4 turns by a quarter: a corner passes all directions between, at a distance of sqrt(16.02)
    cat >bar.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3}
{"type":"shape","id":1,"kind":"box","halfsizes":[4,0.1,0.1]}
{"type":"frame","index":0,"time":0,"step":1}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"spin":[0,0,1.5707963267948966]}
{"type":"fend"}
{"type":"end"}
JSONL
    cd-broad --reach 0 bar.jsonl | of_type bounds | jq -se '.[0] | .max[0] > 4.0025 and .max[1] > 4.0025 and .max[0] < 5.3 and .max[2] > 0.1'
    # one that turns round once ends where it began, but is everywhere between
    sed 's/1.5707963267948966/6.283185307179586/' bar.jsonl | cd-broad --reach 0 | of_type bounds | jq -se '.[0] | .max[1] > 4.0025 and .min[1] < -4.0025'
}

@test "cd-broad in space: every method gives the same bytes" {
    cat >scene.yaml <<'YAML'
dim: 3
seed: 3
reach: 0.02
step: 0.01
shapes:
  pair: {compound: [{shape: {box: [0.1, 0.2, 0.3]}}, {shape: {sphere: 0.1}, position: [0.5, 0, 0]}]}
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1]}}, position: [0, 0, 0], motion: fixed}
  - {shape: {facets: {vertices: [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], triangles: [[0, 1, 2], [0, 2, 3], [0, 1, 3]], thickness: 0.1}}, motion: fixed}
generate:
  - {generator: grid, count: [6, 6, 6], spacing: [0.5, 0.5, 0.5], jitter: 0.2, body: {shape: {sphere: 0.25}, density: 1, velocity: [1, 2, 3]}}
  - {generator: grid, count: [5, 5, 5], spacing: [0.6, 0.6, 0.6], jitter: 0.2, body: {shape: {ellipsoid: [0.1, 0.2, 0.3]}, density: 1, spin: [1, 2, 3]}}
  - {generator: grid, count: [4, 4, 4], spacing: [0.7, 0.7, 0.7], jitter: 0.2, body: {shape: pair, density: 1, spin: [9, 0, 0], rotation: {axis: [1, 2, 3], angle: 1}}}
YAML
    cd-scene -q scene.yaml >scene.jsonl
    cd-broad --no-prog --method brute scene.jsonl >want.jsonl
    [ "$(grep -c '"pair"' want.jsonl)" -gt 1000 ]
    for method in $(choices cd-broad method); do
        cd-broad --no-prog -m "$method" scene.jsonl | cmp - want.jsonl
    done
    cd-broad -b scene.jsonl | cd-view --check
}

@test "cd-broad refuses what it cannot use in one line" {
    small_stream | sed 's/"dim":2/"dim":3/; s/,"gravity":[^]]*]//; s/\("position":\[[^]]*\)/\1,0/; s/\("velocity":\[[^]]*\)/\1,0/; s/,"inertia":0.003//; s/\(-*0.[0-9]*,-*0.[0-9]*\)\]/\1,0]/g; s/,0,0\]/,0]/g; s/\[\(-*1,-*0.2\)\]/[\1,0]/g' >plane.jsonl
    run -6 --separate-stderr cd-broad plane.jsonl
    [ "$stderr" = "cd-broad: shape 1: kind: this kind is not one of space" ]
    space | sed 's/\[0,2,3\]/[0,2,4]/' >corner.jsonl
    run -3 --separate-stderr cd-broad corner.jsonl
    [ "$stderr" = "cd-broad: shape 5: triangles: triangle 1 names vertex 4; there are 4" ]
    small_stream | sed 's/"position":\[0,-0.2\],//' >nowhere.jsonl
    run -3 --separate-stderr cd-broad nowhere.jsonl
    [ "$stderr" = "cd-broad: frame 0: body 2: position: required of a body that takes part" ]
    small_stream | sed 's/"shape":1,//' >bare.jsonl
    run -3 --separate-stderr cd-broad bare.jsonl
    [ "$stderr" = "cd-broad: frame 0: body 1: shape: required of a body that takes part" ]
    small_stream | sed 's/\[-0.05,-0.05\],\[0.05,-0.05\]/[0.05,-0.05],[-0.05,-0.05]/' >bad.jsonl
    run -3 --separate-stderr cd-broad bad.jsonl
    [[ "$stderr" == "cd-broad: shape 1: vertices: "* ]]
    for wrong in --margin=-1 --reach=-1 --method=guess --margin=nan; do
        run -2 --separate-stderr cd-broad "$wrong" bad.jsonl
        [ -z "$output" ]
    done
}

@test "cd-broad --use-bounds without bounds is refused, bodies that wait need none" {
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"frame","index":0,"time":0}' '{"type":"body","id":1}' '{"type":"fend"}' '{"type":"end"}' >none.jsonl
    run -3 --separate-stderr cd-broad --use-bounds none.jsonl
    [ "$stderr" = "cd-broad: frame 0: bounds: --use-bounds: the frame has none" ]
    sed 's/"id":1/"id":1,"release":5/' none.jsonl | cd-broad --use-bounds | cd-view --check
}

@test "a table of many blocks keeps the members that cd-broad does not know, and its own numbers" {
    { echo '{"type":"head","cds":[1,0],"dim":2}'; echo '{"type":"frame","index":0,"time":0}'
      awk 'BEGIN { for (i = 1; i <= 60000; i++) printf "{\"type\":\"body\",\"id\":%d}\n", i
          for (i = 1; i <= 60000; i++) printf "{\"type\":\"bounds\",\"a\":[%d,0],\"min\":[%d,0],\"max\":[%d,1]%s}\n", i, i, i + 1, i % 9000 == 5 ? ",\"colour\":\"red\"" : "" }'
      echo '{"type":"fend"}'; echo '{"type":"end"}'; } >many.jsonl
    cd-broad --use-bounds many.jsonl >out.jsonl
    [ "$(grep -c '"type":"pair"' out.jsonl)" -eq 59999 ]
    grep '"type":"bounds"' many.jsonl | cmp - <(grep '"type":"bounds"' out.jsonl)
    cd-view -b many.jsonl | cd-broad --use-bounds -j | grep -v '"type":"prog"' | cmp - <(grep -v '"type":"prog"' out.jsonl)
}

# The boxes and pairs of a frame, as numbers: rounding outward of the boxes left away.
tables() { jq -c 'select(.type == "bounds" or .type == "pair") | if .min then [.a, (.min + .max | map(. * 1e12 | round / 1e12))] else [.a, .b] end'; }

@test "cd-broad: the parts of a body without a shape are its elements, boxes cover their nodes over the step" {
    cd-broad --no-prog "$CASES/elements/plane.jsonl" >out.jsonl
    [ "$(tables <out.jsonl)" = '[[2,0],[-2.25,1,-0.75,3.25]]
[[5,0],[3.25,-0.25,4.75,1.25]]
[[7,0],[-0.25,-0.75,1.25,1.75]]
[[7,1],[0.75,-0.75,3.25,1.75]]
[[5,0],[7,1]]' ]
    [ "$(cd-broad --no-sweep "$CASES/elements/plane.jsonl" | tables | sed -n 4p)" = '[[7,1],[0.75,-0.25,2.25,1.75]]' ]
    cd-broad --no-prog "$CASES/elements/space.jsonl" | tables >space.txt
    [ "$(cat space.txt)" = '[[1,0],[-0.25,-0.25,-0.25,1.25,1.25,1.25]]
[[1,1],[-0.25,-0.25,0.75,1.25,1.25,2.75]]
[[2,0],[-0.25,-0.25,2.75,1.25,1.25,6.25]]
[[3,0],[-0.25,-0.25,-1.75,1.25,1.25,-0.25]]
[[1,0],[3,0]]
[[1,1],[2,0]]' ]
    # each method, every encoding, any order of nodes and bodies, more threads
    local method
    for method in $(choices cd-broad method); do
        cd-broad --no-prog -m "$method" "$CASES/elements/plane.jsonl" | cmp - out.jsonl
    done
    cd-view -b "$CASES/elements/space.jsonl" | cd-broad -t 2 | cd-view -j | tables | cmp - space.txt
    { sed '/"type":"frame"/q' "$CASES/elements/plane.jsonl"; grep '"type":"body"' "$CASES/elements/plane.jsonl" | tac
        grep '"type":"node"' "$CASES/elements/plane.jsonl" | tac; grep '"fend"\|"end"' "$CASES/elements/plane.jsonl"; } >turned.jsonl
    [ "$(wc -l <turned.jsonl)" -eq "$(wc -l <"$CASES/elements/plane.jsonl")" ]
    cd-broad turned.jsonl | tables | cmp - <(tables <out.jsonl)
}

@test "cd-broad: nodes are those of the frame" {
    # the same mesh one to the right, with other rows, in a second frame
    { sed '$d' "$CASES/elements/plane.jsonl"
        sed -n '/"type":"frame"/,/"type":"fend"/p' "$CASES/elements/plane.jsonl" | sed 's/"index":0,"time":0/"index":1,"time":0.25/' |
            jq -c 'if .position then .position[0] += 1 else . end' | awk '/"node"/{node[++n] = $0; next} /"fend"/{for (i = n; i; i--) print node[i]} 1'
        echo '{"type":"end"}'; } >two.jsonl
    cd-broad two.jsonl | tables >have
    [ "$(wc -l <have)" -eq 10 ]
    [ "$(sed -n 9p have)" = '[[7,1],[1.75,-0.75,4.25,1.75]]' ]
    cd-view -b two.jsonl | cd-broad -j | tables | cmp - have
}

@test "cd-broad refuses elements that cannot be, in one line" {
    refused() { # refused SED-SCRIPT SENTENCE
        sed "$1" "$CASES/elements/plane.jsonl" >bad.jsonl
        run -3 --separate-stderr cd-broad bad.jsonl
        [ "$stderr" = "cd-broad: $2" ]
    }
    refused 's/"quad4"/"tet4"/' 'element 4: kind: tet4 is not an element of the plane'
    refused 's/\[30,10,20\]/[30,10]/' 'element 9: nodes: 2 of them, tri3 has 3'
    refused 's/\[2,3,5\]/[2,3,6]/' 'frame 0: element 5: nodes: there is no node 6'
    refused '/"type":"node"/d' 'frame 0: element 4: nodes: there is no node 1'
    refused 's/"body":2/"body":3/' 'frame 0: body 2: position: required of a body that takes part'
    # neither is asked of bodies that take no part, nor of those that have a shape
    sed 's/"id":7/"id":7,"release":9/; s/\[2,3,5\]/[2,3,6]/' "$CASES/elements/plane.jsonl" | cd-broad | tables >have
    [ "$(grep -c '^\[\[7,' have)" -eq 0 ]
    sed 's/"id":7/"id":7,"shape":1,"position":[0,0]/; s/\[2,3,5\]/[2,3,6]/' "$CASES/elements/plane.jsonl" | cd-broad | tables >have
    [ "$(grep -c '^\[\[7,' have)" -eq 1 ]
}

@test "stages without a routine for elements say so and exit 6" {
    local mesh="$CASES/elements/plane.jsonl" tool
    cd-broad "$mesh" >bare.jsonl
    # with all that a rigid body has: no stage takes it for one
    sed 's/"id":7}/"id":7,"position":[0.5,0.5],"mass":1,"inertia":1}/; s/"body","id":2,/&"position":[0,0],/' "$mesh" | cd-broad >rigid.jsonl
    for tool in cd-narrow cd-peg-assemble cd-step 'cd-step --rounds 2' cd-overlap-metric; do
        for input in bare rigid; do
            run -6 --separate-stderr $tool $input.jsonl
            [ "$stderr" = "${tool%% *}: frame 0: body 7: its parts are elements, for which this stage has no routine" ]
        done
    done
    run -6 --separate-stderr cd-plot --trail -o mesh.svg bare.jsonl
    [[ "$stderr" == "cd-plot: "*": body 7: its parts are elements, for which this stage has no routine" ]]
    # a fixed one that nothing meets is in nobody's way
    sed '/"body":7\|"body","id":7/d; s/"body","id":2,/&"position":[0,0],/' "$mesh" | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step --rounds 1 | cd-view --check
}
