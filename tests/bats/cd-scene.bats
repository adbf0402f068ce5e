#!/usr/bin/env bats
load helper

scene() { printf '%b' "$1" >scene.yaml; }

refused() { # refused SCENE SENTENCE: exit 3, one line with the sentence, nothing on stdout
    scene "$1"
    run -3 --separate-stderr cd-scene scene.yaml
    [ -z "$output" ] || { echo "wrote: $output"; false; }
    [[ "$stderr" == "cd-scene: scene.yaml$2"* ]] || { echo "said: $stderr"; false; }
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

pairs_of() { cd-broad --use-bounds --stats 2>&1 >/dev/null | jq .rows.pair; } # of a stream, over all frames
boxes() { # boxes DIM KEYS: such a scene, as bounds
    scene "dim: $1\nstep: 0.01\nseed: 3\ngenerate: [{generator: boxes, as: bounds, $2}]\n"
}

# The scenes of the manual: literal blocks that begin with "# scene".
manual_scene() {
    awk -v n="# scene $1" '/^\.Bd -literal/ {inside = 1; text = ""; next}
        /^\.Ed/ {if (index(text, n) == 1) printf "%s", text; inside = 0}
        inside {text = text $0 "\n"}' "$BATS_TEST_DIRNAME/../../man/cd-scene.5"
}

@test "cd-scene has help, version and usage as every tool" {
    check_help cd-scene
    check_version cd-scene
    check_unknown_option cd-scene
    # --help lists the generators of the table, and their keys
    [ "$(listed cd-scene Generators | tr - _)" = "$(sed -n 's/^X(\(.*\))$/\1/p' "$BATS_TEST_DIRNAME/../../tools/cd-scene/generators.def")" ]
    [ "$(cd-scene --help | grep -c '^      generator  ')" -eq "$(listed cd-scene Generators | wc -l)" ]
    run -2 --separate-stderr cd-scene --step -1
    for option in --step --reach --epsilon; do run -2 --separate-stderr cd-scene "$option" inf; done
    run -2 --separate-stderr cd-scene --seed 1.5
    run -2 --separate-stderr cd-scene one two
}

@test "cd-scene writes a whole stream, from a file or from stdin" {
    scene 'step: 0.01\nepsilon: 1e-3\nbodies: [{shape: {circle: 1}, mass: 2}]\n'
    run -0 --separate-stderr cd-scene scene.yaml
    [ -z "$stderr" ]
    [ "$output" = '{"type":"head","cds":[1,0],"dim":2,"epsilon":0.001,"length":2}
{"type":"prog","id":1,"prev":[0],"tool":"cd-scene","version":"0.1.0"}
{"type":"shape","id":1,"kind":"sphere","radius":1}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0],"rotation":0,"velocity":[0,0],"spin":0,"mass":2,"inertia":1,"motion":"dynamic"}
{"type":"fend"}
{"type":"end"}' ]
    cd-scene scene.yaml >file.jsonl
    cd-scene <scene.yaml >stdin.jsonl
    cd-scene - <scene.yaml | cmp - stdin.jsonl
    cmp file.jsonl stdin.jsonl
    cd-scene --no-prog --step 0.5 --reach 0.25 --epsilon 0.125 scene.yaml | sed -n 1p | holds '.reach == 0.25 and .epsilon == 0.125' >/dev/null
    cd-scene --step 0.5 scene.yaml | of_type frame | holds '.step == 0.5' >/dev/null
    cd-scene --step 0.5 scene.yaml | of_type prog | holds '.argv == ["--step=0.5"]' >/dev/null
}

@test "cd-scene: both encodings have the same content" {
    for file in "$SCENES"/*.yaml; do
        cd-scene "$file" >a.jsonl
        cd-scene -b "$file" >a.cdb
        cd-view --no-prog -j a.cdb | cmp - a.jsonl
        cd-view --check a.cdb >/dev/null
    done
}

@test "cd-scene: a full device or a lost folder is exit 4" {
    scene 'bodies: []\n'
    run -4 --separate-stderr bash -c 'cd-scene scene.yaml >/dev/full'
    [[ "$stderr" == "cd-scene: stdout: write: "* ]]
    run -4 --separate-stderr cd-scene no-such.yaml
    [[ "$stderr" == "cd-scene: no-such.yaml: cannot open: "* ]]
    run -4 cd-scene -o no/such/folder scene.yaml
    scene 'generate:\n- {generator: particles, file: none.csv}\n'
    run -4 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == "cd-scene: scene.yaml:2: file: cannot open none.csv: "* ]]
}

@test "cd-scene -o writes complete or not at all" {
    scene 'bodies: [{}]\n'
    run -3 cd-scene -o out.jsonl scene.yaml
    [ ! -e out.jsonl ]
    scene 'bodies: []\n'
    cd-scene -o out.jsonl scene.yaml
    cd-scene scene.yaml >stdout.jsonl
    [ "$(grep -v '"prog"' out.jsonl)" = "$(grep -v '"prog"' stdout.jsonl)" ]
}

@test "cd-scene: what is not YAML, or not this YAML, is exit 3 with its line" {
    refused '' ': empty'
    refused '# nothing\n' ': empty'
    refused 'dim: 2\n\tstep: 1\n' ':2: indented by a tab: use spaces'
    refused 'dim: 2\ndim: 2\n' ':2: dim: key is there twice, first in line 1'
    refused 'dim: 2\n---\ndim: 2\n' ':2: a second document begins'
    refused 'bodies: [1, 2\nstep: 3\n' ':2: '
    refused 'dim: !!int 2\n' ':1: tag '
    refused 'bodies: &b [*b]\n' ':1: alias *b stands inside its own anchor'
    refused '\xff\xfe\xff' ': byte '
    local bomb='a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n'
    for i in 1 2 3 4 5 6 7 8 9; do
        local p=$((i - 1))
        bomb+="a$i: &a$i [*a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p]\n"
    done
    refused "$bomb" ':6: aliases repeat more than 1000000 values'
    refused "a: $(printf '[%.0s' {1..70})" ':1: lists and maps nest deeper than 64'
}

@test "cd-scene: faults of a scene are exit 3 with their line" {
    refused 'dim: 2\nbodeis: []\n' ':2: bodeis: unknown key, did you mean "bodies"?'
    refused 'bodies:\n- {shape: {circle: 1}, mass: 1, velocty: [1, 0]}\n' ':2: velocty: unknown key, did you mean "velocity"?'
    refused 'step: fast\n' ':1: step: needs a number, not "fast"'
    refused 'step: "0.01"\n' ':1: step: needs a number, not "0.01"'
    refused 'gravity: -9.8\n' ':1: gravity: needs a list of 2 numbers, not a single value'
    refused 'step: 1\ngravity: [0, .nan]\n' ':2: gravity: .nan is not a finite number'
    refused 'gravity: [0, -.inf]\n' ':1: gravity: -.inf is not a finite number'
    refused 'shapes:\n  a: {polygon: [[0, 0], [0, 1], [1, 0]]}\n' ':2: polygon: is listed clockwise'
    refused 'shapes:\n  a:\n    polygon:\n    - [0, 0]\n    - [1, 0]\n    - [0.1, 0.1]\n    - [0, 1]\n' ':6: polygon: vertex 2 makes the polygon not convex'
    refused 'bodies:\n- {id: 3, shape: {circle: 1}, mass: 1}\n- {id: 3, shape: {circle: 1}, mass: 1}\n' ':3: id: 3 is there twice, first in line 2'
    refused 'shapes: {brick: {box: [1, 1]}}\nbodies:\n- {shape: brik}\n' ':3: shape: there is no "brik", did you mean "brick"?'
    refused 'bodies:\n- {shape: {box: [1, 1]}}\n' ':2: mass: a dynamic body needs mass, density, or a material with density'
    refused 'dim: 3\nbodies:\n- {density: 1, shape: {facets: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]]}}}\n' \
        ':3: mass: is not worked out for this kind of shape: give mass and inertia'
}

@test "cd-scene: faults of generators are exit 3 with their line" {
    refused 'generate:\n- {generator: random-polygon}\n' ':2: generator: there is no "random-polygon", did you mean "random-polygons"?'
    refused 'step: 1\ngenerate:\n- {generator: random-polygons, points: 2}\n' ':3: points: must be in 3..100000'
    refused 'step: 1\ngenerate:\n- {generator: random-polygons, scale: 0}\n' ':3: scale: must be greater than 0'
    refused 'step: 1\ngenerate:\n- {generator: random-polygons, scale: 1.0e-300}\n' ':3: scale: 1e-300 m is too small for a polygon'
    refused 'generate:\n- {generator: random-polygons}\n' ':2: period: releases fall on whole steps: the scene needs step, or this period 0'
    refused 'generate:\n- {generator: grid, spacing: [1, 1]}\n' ':2: count: is missing'
    scene 'generate:\n- {generator: grid, count: [100000, 100000], spacing: [1, 1], points: 5, body: {mass: 1}}\n'
    run -3 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == *":2: count: more than 200000000 bodies (--max-rows)" ]]
}

@test "cd-scene: control bytes of a scene do not reach the terminal" {
    scene 'bodies:\n- {shape: "a\\eb"}\n'
    run -3 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == *'there is no "a\x1bb"' ]]
}

@test "cd-scene warns, and -q is quiet" {
    scene 'epsilon: 1e-9\nbodies: [{shape: {circle: 1}, mass: 2}]\n'
    run -0 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == "cd-scene: epsilon 1e-09 m is out of the recommended 0.0002..0.02 m"* ]]
    run -0 --separate-stderr cd-scene -q scene.yaml
    [ -z "$stderr" ]
}

@test "cd-scene warns of parts of a compound that overlap, in the plane and in space" {
    scene 'epsilon: 1e-3\nbodies:\n- {density: 1, shape: {compound: [{shape: {box: [1, 1]}}, {shape: {box: [1, 1]}, position: [1.5, 0]}]}}\n'
    run -0 --separate-stderr cd-scene scene.yaml
    [ "$stderr" = "cd-scene: scene.yaml:3: shape: parts 0 and 1 of the compound overlap by 1 m^2, which counts twice in mass and inertia" ]
    scene 'dim: 3\nepsilon: 1e-3\nbodies:\n- {density: 1, shape: {compound: [{shape: {sphere: 1}}, {shape: {box: [1, 1, 1]}}, {shape: {hull: [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]]}, position: [0.5, 0.5, 0.5]}]}}\n'
    run -0 --separate-stderr cd-scene scene.yaml
    [ "$stderr" = "cd-scene: scene.yaml:4: shape: parts 1 and 2 of the compound overlap by 0.125 m^3, which counts twice in mass and inertia" ]
    sed 's/0.5, 0.5, 0.5/1, 1, 1/' scene.yaml >touching.yaml
    run -0 --separate-stderr cd-scene touching.yaml
    [ -z "$stderr" ]
}

@test "cd-scene: sets follow from the seed, release times from the step" {
    cd-scene --no-prog --seed 4 --step 0.001 "$SCENES/box-of-polygons.yaml" >a.jsonl
    cd-scene --no-prog --seed 4 --step 0.016 "$SCENES/box-of-polygons.yaml" >b.jsonl
    cd-scene --no-prog --seed 5 --step 0.001 "$SCENES/box-of-polygons.yaml" >c.jsonl
    [ "$(of_type shape <a.jsonl)" = "$(of_type shape <b.jsonl)" ]
    [ "$(of_type body <a.jsonl | jq -c 'del(.release)')" = "$(of_type body <b.jsonl | jq -c 'del(.release)')" ]
    [ "$(of_type shape <a.jsonl)" != "$(of_type shape <c.jsonl)" ]
    [ "$(of_type body <a.jsonl | wc -l)" -eq 23 ]
    of_type body <b.jsonl | jq -s -e '[.[] | select(.group == "polygons")] | length == 20 and .[0].release == 0 and (.[19].release - 19 * 16 * 0.016 | fabs) < 1e-12' >/dev/null
}

@test "cd-scene: the example scenes are quiet and whole" {
    for file in "$SCENES"/*.yaml; do
        run -0 --separate-stderr cd-scene "$file"
        [ -z "$stderr" ] || { echo "$file: $stderr"; false; }
        [[ "$output" == *'{"type":"end"}' ]]
    done
}

@test "cd-scene(5): its scenes run, and its numbers are right" {
    for n in 1 2 3 4 5 6 7; do
        manual_scene "$n" >"manual$n.yaml"
        run -0 --separate-stderr cd-scene "manual$n.yaml"
        [ -z "$stderr" ] || { echo "$stderr"; false; }
    done
    cd-scene manual1.yaml | of_type body | jq -s -e '.[1] | (.position[0] - 0.2 | fabs) < 1e-15 and (.position[1] - 0.7 | fabs) < 1e-15 and (.mass - 0.63 | fabs) < 1e-15' >/dev/null
    sed 's/position: \[0.1, 0.5\]/&, rotation_deg: 90/' manual1.yaml | cd-scene | of_type body |
        jq -s -e '.[1] | (.position[0] + 0.1 | fabs) < 1e-15 and (.position[1] - 0.6 | fabs) < 1e-15' >/dev/null
    cd-scene manual2.yaml | of_type body | holds '(.mass - 5 * (0.05 + 0.04) | fabs) < 1e-15' >/dev/null
    [ "$(cd-scene manual3.yaml | of_type body | wc -l)" -eq 45 ]
    [ "$(cd-scene -b manual4.yaml | pairs_of)" -eq 398908 ]
    # the door of scene 6 turns about its hinge, a corner of it, by 80 degrees; the conveyor ends half a metre up the slope
    cd-scene manual6.yaml | grep -vE '"type":"(load"|body".*"mass":)' | cd-loop --until 2 -- cd-step | cd-view -j --frames last --type body >last.jsonl
    jq -s -e '(3.141592653589793 / 180) as $deg | map(select(.type == "body")) |
        (.[0].position | (.[0] - 0.5 * (10 * $deg | cos) - 0.1 * (10 * $deg | sin) | fabs) < 1e-14) and
        (.[1] | (.rotation + 70 * $deg | fabs) < 1e-14 and
            (.position[0] - (10 * $deg | cos) + 0.05 * (10 * $deg | sin) - 0.025 * (.rotation | cos) + 0.4 * (.rotation | sin) | fabs) < 1e-14)' last.jsonl >/dev/null
}

@test "cd-scene: loads, drives and groups are refused by line and key" {
    refused 'bodies:\n- {shape: {circle: 1}, mass: 1, load: [{time: 1, force: [1, 2]}, {time: 0, force: [1, 2]}]}\n' ':2: time: 0 s after 1 s: must ascend'
    refused 'bodies:\n- {shape: {circle: 1}, drive: [{time: 0, position: [1, 2]}]}\n' ':2: drive: moves from step to step: the scene needs step'
    refused 'groups:\n- {place: {rotate: 3}}\n' ':2: rotate: unknown key (known: position, rotation, rotation_deg)'
    refused 'generate:\n- {generator: grid, place: 3, count: [1, 1], spacing: [1, 1], points: 5, body: {mass: 1}}\n' ':2: place: needs a map, not a single value'
}

@test "cd-scene: an option for the step says how fast a driven body sets out" {
    scene 'step: 0.1\nbodies: [{shape: {circle: 1}, drive: [{time: 0, position: [1, 2]}, {time: 0.2, position: [1, 4]}, {time: 9, position: [1, 4]}]}]\n'
    [ "$(cd-scene scene.yaml | of_type body | jq -c '[.velocity, .motion]')" = '[[0,10],"prescribed"]' ]
    [ "$(cd-scene --step 0.4 scene.yaml | of_type body | jq -c .velocity)" = '[0,5]' ]
}

@test "cd-scene: particles are read from a table beside the scene" {
    mkdir folder
    printf 'id,x,y,radius\n5,1,2,0.5\n9,3,4,0.25\n' >folder/balls.csv
    printf 'epsilon: 1e-3\ngenerate: [{generator: particles, file: balls.csv, body: {density: 1}}]\n' >folder/scene.yaml
    [ "$(cd-scene folder/scene.yaml | of_type body | jq -c '[.id, .position]')" = $'[5,[1,2]]\n[9,[3,4]]' ]
    printf 'x,y,radius\n1,2\n' >folder/balls.csv
    run -3 --separate-stderr cd-scene folder/scene.yaml
    [ "$stderr" = "cd-scene: folder/balls.csv:2: radius: the value is missing" ]
}

@test "cd-scene: boxes have as many pairs as they should" {
    boxes 3 'kind: touching, count: 32768'
    [ "$(cd-scene -b scene.yaml | pairs_of)" -eq 398908 ] # ((3 m - 2)^3 - m^3) / 2
    boxes 2 'kind: touching, count: 10000'
    [ "$(cd-scene -b scene.yaml | pairs_of)" -eq 39402 ] # ((3 m - 2)^2 - m^2) / 2
    boxes 3 'kind: mesh, count: 1000'
    [ "$(cd-scene -b scene.yaml | pairs_of)" -eq 10476 ]
    boxes 2 'kind: mesh, count: 99'
    [ "$(cd-scene scene.yaml | of_type bounds | wc -l)" -eq 100 ]
    local dim kind pairs
    for dim in 2 3; do # twice the pairs a box within the borders' share of `neighbours`
        for kind in $(cd-scene --help | sed -n '/^  boxes: /,/^  [a-z]/s/^ *kind  *\(.*\) (required)$/\1/p' | tr -d ,); do
            case $kind in mesh | touching | slabs-x) continue ;; esac # counted above; walls along x have fewer in space
            boxes $dim "kind: $kind, count: 20000, neighbours: 6"
            pairs=$(cd-scene -b scene.yaml | pairs_of)
            echo "$dim $kind $pairs"
            [ "$pairs" -gt 48000 ]
            [ "$pairs" -lt 85000 ]
        done
    done
}

@test "cd-scene: boxes are where their kind puts them" {
    boxes 3 'kind: uniform, count: 80'
    cd-scene scene.yaml | of_type bounds | jq -s -e 'length == 80 and all((.max[0] - .min[0] - 0.25 | fabs) < 1e-15) and
        all(.max[] < 1.126) and all(.min[] > -0.126) and (map(.a) | unique | length == 80)' >/dev/null
    boxes 3 'kind: touching, count: 27'
    [ "$(cd-scene scene.yaml | of_type bounds | jq -c -s '[.[0, 1, 26] | [.a, .min, .max]]')" = '[[[1,0],[0,0,0],[1,1,1]],[[2,0],[0,0,1],[1,1,2]],[[27,0],[2,2,2],[3,3,3]]]' ]
    boxes 2 'kind: slabs-x, count: 50, aspect: 7'
    cd-scene scene.yaml | of_type bounds | jq -s -e 'all((.max[0] - .min[0]) / (.max[1] - .min[1]) - 7 | fabs < 1e-12)' >/dev/null
    boxes 2 'kind: giant, count: 9'
    [ "$(cd-scene scene.yaml | of_type bounds | jq -c 'select(.max == [1, 1]) | .a')" = '[5,0]' ]
    boxes 3 'kind: equal, count: 1000'
    cd-scene scene.yaml | of_type bounds | jq -s -e '(map(.min[0]) | unique | length == 5) and (map(.min) | unique | length > 100)' >/dev/null
    boxes 3 'kind: wide, count: 10000'
    cd-scene scene.yaml | of_type bounds | jq -s -e 'map(.max[0] - .min[0]) | (max / min) > 9e5 and (max / min) < 1.001e6' >/dev/null
    boxes 3 'kind: clustered, count: 2000, clusters: 1, spread: 0.5'
    cd-scene scene.yaml | of_type bounds | jq -s -e 'map((.max[1] + .min[1]) / 2) | (add / length) as $mean |
        (map((. - $mean) * (. - $mean)) | add / length | sqrt) | . > 0.47 and . < 0.53' >/dev/null
}

@test "cd-scene: boxes follow from the seed, frame by frame" {
    boxes 3 'kind: clustered, count: 3000'
    cd-scene -b -l 0 scene.yaml | cat >a.cdb # a file would have an index behind it
    cd-scene -b -l 0 scene.yaml | cmp - a.cdb
    [ "$(cd-scene scene.yaml | cd-view --digest)" = "$(cd-view --digest a.cdb)" ]
    [ "$(cd-scene --seed 4 scene.yaml | cd-view --digest)" != "$(cd-view --digest a.cdb)" ]
    boxes 2 'kind: moving, count: 200, frames: 50, speed: 0.5'
    cd-scene scene.yaml >moving.jsonl
    [ "$(of_type frame <moving.jsonl | jq -c -s '[length, .[3].index, .[49].time]')" = '[50,3,0.49]' ]
    of_type bounds <moving.jsonl | jq -s -e 'length == 10000 and all(.min[] > -0.2) and all(.max[] < 1.2) and
        ([.[range(0; 10000; 200)] | .min[0]] | [.[1:], .[:-1]] | transpose | map(.[0] - .[1] | fabs) | max < 0.056)' >/dev/null
    scene 'step: 0.01\nseed: 3\ngenerate: [{generator: boxes, kind: moving, count: 200, speed: 0.5}]\n'
    cd-scene scene.yaml >bodies.jsonl # the same boxes as bodies: place and velocity
    jq -s -e '.[0] as $body | (.[1:] | map((.min[0] + .max[0]) / 2)) as $place | ($body.position[0] - $place[0] | fabs) < 1e-15 and
        ($body.position[0] + 0.01 * $body.velocity[0] - $place[1] | fabs) < 1e-15' \
        <(of_type body <bodies.jsonl | head -1) <(of_type bounds <moving.jsonl | sed -n '1p;201p') >/dev/null
    [ "$(of_type shape <bodies.jsonl | wc -l)" -eq 1 ]
}

@test "cd-scene: boxes as bodies have the same pairs, and a box of each size" {
    scene 'epsilon: 1e-3\ngenerate: [{generator: boxes, kind: touching, count: 400, body: {density: 2, group: g}}]\n'
    run -0 --separate-stderr cd-scene scene.yaml
    [ -z "$stderr" ]
    [ "$(of_type pair < <(cd-broad --no-sweep --reach 0 <<<"$output") | wc -l)" -eq 1482 ]
    [ "$(of_type body <<<"$output" | jq -c -s '[length, .[0].mass, .[0].group, .[0].position]')" = '[400,2,"g",[0.5,0.5]]' ]
    scene 'dim: 3\ngenerate: [{generator: boxes, kind: slabs, count: 400}, {generator: boxes, kind: wide, count: 50}]\n'
    [ "$(cd-scene -q scene.yaml | of_type shape | wc -l)" -eq 53 ]
    [ "$(cd-scene -q scene.yaml | of_type body | wc -l)" -eq 450 ]
}

@test "cd-scene: boxes as bounds are written by parts, in little memory" {
    boxes 2 'kind: uniform, count: 200000'
    cd-scene -b --stats scene.yaml 2>stats >a.cdb
    cd-view --check a.cdb
    [ "$(cd-scene scene.yaml | of_type body | head -1)" = '{"type":"body","id":1}' ]
    jq -e '.rows.body == 200000 and .rows.bounds == 200000 and .peak_kib < 100000' stats >/dev/null
    refused 'dim: 2\nbodies: [{shape: {circle: 1}, mass: 1}]\ngenerate:\n- {generator: boxes, kind: uniform, count: 5, as: bounds}\n' \
        ':4: boxes: makes bodies while they are written, which must be all bodies of the scene'
    refused 'generate:\n- {generator: boxes, kind: uniform, count: 5, as: bounds}\n- {generator: boxes, kind: uniform, count: 5}\n' \
        ':2: boxes: makes bodies while they are written, which must be all bodies of the scene'
    boxes 2 'kind: uniform, count: 200'
    run -3 --separate-stderr cd-scene --max-rows 100 scene.yaml
    [[ "$stderr" == *':4: count: more than 100 bodies (--max-rows)' ]]
    run -4 --separate-stderr bash -c 'cd-scene scene.yaml >/dev/full'
}

@test "cd-scene: polyhedra are written about their centre of mass, with mass and inertia" {
    scene 'dim: 3\nepsilon: 1e-3\nbodies:\n- {shape: {hull: [[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0], [0, 0, 2], [2, 0, 2], [0, 2, 2], [2, 2, 2], [1, 1, 1], [1, 1, 2]]}, position: [5, 0, 0], density: 3}\n'
    run -0 --separate-stderr cd-scene scene.yaml
    [ -z "$stderr" ]
    [ "$(of_type shape <<<"$output" | jq -c .faces)" = '[[0,1,5,4],[0,2,3,1],[0,4,6,2],[1,3,7,5],[2,6,7,3],[4,5,7,6]]' ]
    [ "$(of_type body <<<"$output" | jq -c '[.position, .mass, .inertia]')" = '[[6,1,1],24,[16,16,16,0,0,0]]' ]
    cd-view --check <<<"$output"
}

@test "cd-scene: meshes come from OBJ, STL, OFF and PLY, beside the scene" {
    mkdir -p parts
    printf 'OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n' >parts/t.off
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >parts/t.obj
    printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n' >parts/t.ply
    facet() { printf 'facet normal 0 0 0\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\nendfacet\n' "$@"; }
    { echo 'solid t'; facet '0 0 0' '0 1 0' '1 0 0'; facet '0 0 0' '1 0 0' '0 0 1'; facet '1 0 0' '0 1 0' '0 0 1'; facet '0 1 0' '0 0 0' '0 0 1'; echo 'endsolid t'; } >parts/t.stl
    local end
    for end in off obj ply stl; do
        printf 'dim: 3\nepsilon: 1e-3\nbodies: [{shape: {mesh: {file: t.%s, scale: 6}}, density: 1}]\n' "$end" >parts/scene.yaml
        run -0 --separate-stderr cd-scene parts/scene.yaml
        [ "$(of_type body <<<"$output" | jq -c '[.position, (.mass * 1e9 | round)]')" = '[[1.5,1.5,1.5],36000000000]' ]
    done
    head -c 300 parts/t.stl >t.stl
    scene 'dim: 3\nbodies: [{shape: {mesh: t.stl}, mass: 1}]\n'
    run -3 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == "cd-scene: t.stl:"*": "* ]] || { echo "$stderr"; false; }
    sed 's/^3 0 2 1/3 0 1 2/' parts/t.off >t.off
    refused 'dim: 3\nbodies:\n- mass: 1\n  shape: {mesh: t.off}\n' ':4: t.off: faces: faces 0 and 1 go the same way along edge 0-1: one of them is listed clockwise'
    cp parts/t.off t.off
    printf '3 0 1 2\n' >>t.off
    scene 'dim: 3\nbodies: [{shape: {mesh: {file: t.off, as: hull}}, mass: 1}]\n'
    run -3 --separate-stderr cd-scene scene.yaml
    [ "$stderr" = 'cd-scene: t.off:11: more lines than vertices and faces' ]
    scene 'dim: 3\nbodies: [{shape: {mesh: none.off}, mass: 1}]\n'
    run -4 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == 'cd-scene: scene.yaml:2: mesh: none.off: cannot open: '* ]]
}

# notched FILE [FACES]: an L of three unit cubes, whose bottom and top are not convex
notched() {
    printf 'v %s\n' '0 0 0' '2 0 0' '2 1 0' '1 1 0' '1 2 0' '0 2 0' '0 0 1' '2 0 1' '2 1 1' '1 1 1' '1 2 1' '0 2 1' >"$1"
    printf 'f %s\n' '6 5 4 3 2 1' '7 8 9 10 11 12' '1 2 8 7' '2 3 9 8' '3 4 10 9' '4 5 11 10' '5 6 12 11' '6 1 7 12' | head -n "${2-8}" >>"$1"
}

# saw N: a plate with N / 2 teeth, so N / 2 - 1 reflex edges: saw.obj
saw() {
    awk -v n="$1" 'BEGIN { for (z = 0; z < 2; z++) { print "v 0 0", z; print "v", 2 * n, 0, z; for (k = n; k >= 0; k--) print "v", 2 * k, 1 + k % 2, z }
        m = n + 3; printf "f"; for (k = m; k > 0; k--) printf " %d", k; printf "\nf"; for (k = 1; k <= m; k++) printf " %d", m + k; print ""
        for (k = 1; k <= m; k++) { l = k % m + 1; print "f", k, l, m + l, m + k } }' >saw.obj
}

@test "cd-scene: a mesh with a notch as convex parts, as a surface, and as two boxes is the same body" {
    notched l.obj
    # triangles for the surface: the fan about the notch's corner covers the L
    sed -e 's/^f 6 5 4 3 2 1/f 4 3 2 1 6 5/; s/^f 7 8 9 10 11 12/f 10 11 12 7 8 9/' l.obj >fan.obj
    cat >l.yaml <<'YAML'
dim: 3
gravity: [0, 0, -9.8]
step: 0.01
epsilon: 1e-4
defaults: {density: 2}
bodies:
- {shape: {mesh: {file: l.obj, as: parts}}}
- {shape: {mesh: {file: fan.obj, as: surface}}, position: [10, 0, 0]}
- {shape: {compound: [{shape: {box: [1, 0.5, 0.5]}, position: [1, 0.5, 0.5]}, {shape: {box: [0.5, 0.5, 0.5]}, position: [0.5, 1.5, 0.5]}], adjacent: [[0, 1]]}, position: [20, 0, 0]}
- {shape: {box: [20, 5, 0.5]}, position: [10, 0, -0.501], motion: fixed}
YAML
    cd-scene l.yaml >l.jsonl
    jq -se '[.[] | select(.type == "body" and .id < 4) | [.mass, .position[0] - 10 * (.id - 1), .position[1], .position[2], .inertia] | flatten] | [.[0], .[1], .[2]] | transpose |
        length == 10 and all(.[]; (max - min) < 1e-13)' l.jsonl
    jq -se '[.[] | select(.type == "shape" and .kind == "compound")] | [.[].adjacent] == [[[0, 1]], [[0, 1]]] and all(.[]; .parts | length == 2)' l.jsonl
    # the face within has no surface, the top of the long leg is partly that of the notch
    [ "$(jq -c 'select(.type == "shape" and .kind == "polyhedron").surfaces | sort' l.jsonl | tr '\n' ' ')" = "[0,1,2,3,4,7] [-1,0,1,5,6,7] " ]
    # all three fall 1 mm and lie, by certificate
    cd-loop -q --until 0.2 l.jsonl | cd-view -j --frames last | cd-overlap-metric --certify >end.jsonl
    jq -se '[.[] | select(.type == "body" and .id < 4) | .position[2] - 0.499 | fabs] | length == 3 and max < 1e-5' end.jsonl
    jq -se '[.[] | select(.type == "metric" and (.name == "overlap" or .name == "overlapping" or .name == "open")).value] == [0, 0, 0]' end.jsonl
}

@test "cd-scene: convex parts of a ring fill it and do not overlap" {
    awk 'BEGIN { pi = atan2(0, -1); n = 12; m = 8
        for (i = 0; i < n; i++) for (j = 0; j < m; j++) { r = 1 + 0.3 * cos(2 * pi * j / m); printf "v %.17g %.17g %.17g\n", r * cos(2 * pi * i / n), r * sin(2 * pi * i / n), 0.3 * sin(2 * pi * j / m) }
        for (i = 0; i < n; i++) for (j = 0; j < m; j++) { k = (i + 1) % n; l = (j + 1) % m; print "f", i * m + j + 1, k * m + j + 1, k * m + l + 1, i * m + l + 1 } }' >ring.obj
    scene 'dim: 3\nbodies:\n- {shape: {mesh: {file: ring.obj, as: parts}}, density: 1}\n- {shape: {mesh: {file: ring.obj, as: surface}}, density: 1, position: [9, 0, 0]}\n'
    cd-scene -q scene.yaml >ring.jsonl
    # an octagon of 0.09 * 2 sqrt(2) m^2 about r = 1, along 12 chords: each wedge is the integral of sin(pi / 6) r dr dz
    jq -se '[.[] | select(.type == "body").mass] | (.[0] - .[1] | fabs) < 1e-14 and (.[0] - 0.09 * 2 * (2 | sqrt) * 12 * (3.141592653589793 / 6 | sin) | fabs) < 1e-13' ring.jsonl
    # each part a body of its own, where it is in the ring
    jq -sc '([.[] | select(.type == "shape" and .kind == "compound")][0].parts) as $parts | .[] | select(.type != "body" and (.kind // "") != "compound" and .kind != "facets" and .type != "fend" and .type != "end"), 
        (select(.type == "fend") | $parts | to_entries[] | {type: "body", id: (.key + 1), shape: .value.shape, position: .value.position, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}), select(.type == "fend" or .type == "end")' ring.jsonl >parts.jsonl
    cd-overlap-metric parts.jsonl | jq -se '([.[] | select(.type == "metric" and .name == "overlap").value][0] | . < 1e-15) and ([.[] | select(.type == "body")] | length > 12)'
}

@test "cd-scene: meshes that cannot be cut into parts are refused with the reason" {
    notched l.obj 7
    refused 'dim: 3\nbodies:\n- {mass: 1, shape: {mesh: {file: l.obj, as: parts}}}\n' ':3: l.obj: faces: not closed: an edge has not two faces that go along it both ways'
    refused 'dim: 3\nbodies:\n- {mass: 1, shape: {mesh: {file: l.obj, as: surface}}}\n' ':3: l.obj: faces: not closed, or clockwise as seen from outside: it encloses nothing'
    saw 600
    scene 'dim: 3\nbodies:\n- {density: 1, shape: {mesh: {file: saw.obj, as: parts}}}\n'
    cd-scene -q scene.yaml | jq -se '[.[] | select(.kind == "compound")][0] | (.parts | length) >= 300'
    saw 2400
    refused 'dim: 3\nbodies:\n- {density: 1, shape: {mesh: {file: saw.obj, as: parts}}}\n' ':3: saw.obj: faces: 1199 reflex edges, at most 1000 are cut'
    # a cube and another one of the same sense that reaches into it (1 + 1 - 1/8), or lies in it (1 + 1/8 - 1/8)
    two_cubes() { # SIZE FROM of the second
        printf '0 1\n%s\n' "$1 $2" | awk '{ from = NR == 1 ? 0 : $2; size = NR == 1 ? 1 : $1
            for (i = 0; i < 8; i++) print "v", from + size * (i % 2), from + size * (int(i / 2) % 2), from + size * int(i / 4) }' >two.obj
        for k in 0 8; do
            for f in '1 3 4 2' '5 6 8 7' '1 2 6 5' '3 7 8 4' '1 5 7 3' '2 4 8 6'; do
                # shellcheck disable=SC2086
                printf 'f %d %d %d %d\n' $(for v in $f; do echo $((v + k)); done)
            done
        done >>two.obj
    }
    two_cubes 1 0.5
    refused 'dim: 3\nbodies:\n- {density: 1, shape: {mesh: {file: two.obj, as: parts}}}\n' ':3: two.obj: faces: cross, or go round the same space twice: parts of 1.875 m^3, not 2'
    two_cubes 0.5 0.25
    refused 'dim: 3\nbodies:\n- {density: 1, shape: {mesh: {file: two.obj, as: parts}}}\n' ':3: two.obj: faces: cross, or go round the same space twice: parts of 1 m^3, not 1.125'
    two_cubes 1 2
    scene 'dim: 3\nbodies:\n- {density: 1, shape: {mesh: {file: two.obj, as: parts}}}\n'
    cd-scene -q scene.yaml | jq -se '[.[] | select(.type == "body").mass - 2 | fabs < 1e-14] == [true]'
}

@test "cd-scene: meshes with NUL bytes, unknown types, wrong counts, elements twice are refused with the line" {
    grid() { printf "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 ${1-float}\n${2-0 0 0 1 0 0 1 1 0 0 1 0}\nCELLS ${3-2 8}\n${4-3 0 1 2\n3 0 3 2}\nCELL_TYPES 2\n${5-5\n5}\n" >grid.vtk; }
    says() { # MESSAGE FILE
        printf 'materials: {m: {density: 6, bulk: 1, shear: 1}}\nbodies: [{mesh: %s, material: m}]\n' "${2-grid.vtk}" >scene.yaml
        run -3 --separate-stderr cd-scene scene.yaml
        [ "$stderr" = "cd-scene: $1" ] || { echo "$stderr"; return 1; }
    }
    grid && printf 'materials: {m: {density: 6, bulk: 1, shear: 1}}\nbodies: [{mesh: grid.vtk, material: m}]\n' >scene.yaml && cd-scene -q scene.yaml
    grid complex && says 'grid.vtk:5: POINTS: "complex" is no type of numbers'
    grid float '0 0 0 1 0\0000 0 1 1 0 0 1 0' && says 'grid.vtk:6: point: "0?0" is not a finite decimal number'
    grid float '0 0 0 1 0 0 1 1 0 0 1 0' '2 9' && says 'grid.vtk:9: CELLS: 1 numbers are missing'
    grid float '0 0 0 1 0 0 1 1 0 0 1 0' '2 8' '3 0 1 2\n3 2 0 1' && says 'grid.vtk:12: element: this triangle has the nodes of another one, on line 11'
    printf 'v 0 0 0\nv 1 0\0005 0\n' >nul.obj
    printf 'dim: 3\nbodies: [{shape: {mesh: nul.obj}, density: 1}]\n' >scene.yaml
    run -3 --separate-stderr cd-scene scene.yaml
    [ "$stderr" = 'cd-scene: nul.obj:2: v: "0?5" is not a finite decimal number' ]
}

@test "cd-scene: bodies of elements come from MSH and VTK, beside the scene" {
    mkdir -p parts
    printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n3\n1 1 2 0 1 1 2\n2 2 2 1 1 1 2 3\n3 2 2 1 1 1 4 3\n$EndElements\n' >parts/old.msh
    printf '$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n$Elements\n1 2 1 2\n2 1 2 2\n1 1 2 3\n2 1 4 3\n$EndElements\n' >parts/new.msh
    printf '# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\nCELLS 2 8\n3 0 1 2\n3 0 3 2\nCELL_TYPES 2\n5 5\n' >parts/grid.vtk
    local file
    for file in old.msh new.msh grid.vtk; do
        printf 'step: 0.1\nreach: 1e-9\nmaterials: {m: {density: 6, bulk: 1, shear: 1}}\nbodies: [{mesh: {file: %s, scale: 2}, material: m, pinballs: {}, position: [10, 0], velocity: [1, 0]}]\n' $file >parts/scene.yaml
        run -0 --separate-stderr cd-scene parts/scene.yaml
        # the second triangle is turned round
        [ "$(of_type element <<<"$output" | jq -c '[.kind, .nodes, .body]' | tr -d '\n')" = '["tri3",[1,2,3],1]["tri3",[1,3,4],1]' ]
        [ "$(of_type node <<<"$output" | jq -c '[.position, .velocity, .mass]' | tr -d '\n')" = '[[10,0],[1,0],8][[12,0],[1,0],4][[12,2],[1,0],8][[10,2],[1,0],4]' ]
        of_type element <<<"$output" | jq -s -e 'all(.[]; (.radius * .radius * 3.141592653589793 - 2 | fabs) < 1e-14)' >/dev/null
        # over the step the pinballs cover their way
        [ "$(cd-broad <<<"$output" | of_type bounds | jq -c '[.min[0], .max[0]] | map(. * 1e6 | round)' | tr -d '\n')" = '[10535449,12231218][9868782,11564551]' ]
    done
    sed 's/2 2 2 1 1 1 2 3/2 2 2 1 1 1 2 7/' parts/old.msh >old.msh
    scene 'bodies: [{mesh: old.msh, motion: fixed}]\n'
    run -3 --separate-stderr cd-scene scene.yaml
    [ "$stderr" = 'cd-scene: old.msh:14: element: there is no node 7' ]
    scene 'dim: 3\nbodies: [{mesh: parts/grid.vtk, motion: fixed}]\n'
    run -3 --separate-stderr cd-scene scene.yaml
    [ "$stderr" = 'cd-scene: parts/grid.vtk: has no elements of space' ]
    refused 'bodies: [{mesh: a.off, motion: fixed}]\n' ':1: mesh: a.off: its name ends in none of .msh, .vtk'
    scene 'bodies:\n- mesh: none.msh\n  motion: fixed\n'
    run -4 --separate-stderr cd-scene scene.yaml
    [[ "$stderr" == 'cd-scene: scene.yaml:2: mesh: none.msh: cannot open: '* ]]
}

@test "cd-scene: pinballs of slaves and masters that meet are cd-broad's pairs" {
    pinballs() { # pinballs CELLS CELLS CELLS_OF_BALL: a ball in a block
        scene "dim: 3\nreach: 1e-12\nbodies:\n- {mesh: {box: [1, 1, 0.5], cells: [$1, $1, $2], kind: hex8}, motion: fixed, group: master, pinballs: {}}\n- {mesh: {sphere: 0.3, cells: $3, kind: hex8}, density: 1, stiffness: none, group: slave, pinballs: {}, position: [0, 0, 0.72]}\n"
        cd-scene -b scene.yaml | cd-broad -b --group slave:master --overlap sphere
    }
    pinballs 48 24 22 | cd-view --check - >large
    grep -q 'element 97888,.* pair [0-9][0-9][0-9][0-9]*$' large
    # by brute force, of the balls that may meet
    pinballs 16 8 8 >pairs.cdb
    cat >brute.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1])
import cdstream
head, frame, *_ = cdstream.Reader(open(sys.argv[2], "rb"))
place = {n["id"]: n["position"] for n in frame["node"]}
balls, parts = {1: [], 2: []}, {1: 0, 2: 0}
for e in head["element"]:
    centre = [sum(place[n][k] for n in e["nodes"]) / 8 for k in range(3)]
    if 0.3 < centre[2] < 0.7:
        balls[e["body"]].append((parts[e["body"]], centre, e["radius"]))
    parts[e["body"]] += 1
meet = {((1, i), (2, j)) for i, c, r in balls[1] for j, d, s in balls[2]
        if sum((x - y) ** 2 for x, y in zip(c, d)) <= (r + s) ** 2}
told = {(tuple(p["a"]), tuple(p["b"])) for p in frame["pair"]}
print(len(meet), len(told), len(meet ^ told))
EOF
    run -0 python3 brute.py "$BATS_TEST_DIRNAME/../../pipelines/python" pairs.cdb
    read -r meet told other <<<"$output"
    [ "$meet" -gt 100 ] && [ "$other" -eq 0 ] || { echo "$output"; false; }
}

@test "cd-scene: bodies that are placed in one another are told, the deepest with its depth" {
    cat >in.yaml <<'YAML'
dim: 3
bodies:
  - {shape: {box: [1, 1, 1]}, density: 1}
  - {shape: {sphere: 1}, position: [1.875, 0, 0], density: 1}
  - {id: 9, shape: {box: [1, 1, 1]}, position: [0, 1.75, 0], density: 1}
  - {shape: {halfspace: {normal: [0, 0, 1], offset: -1}}, motion: fixed}
  - {shape: {box: [1, 1, 1]}, position: [0, 0, -9], motion: fixed}
  - {shape: {box: [1, 1, 1]}, release: 3, density: 1}
YAML
    run -0 --separate-stderr cd-scene in.yaml
    [ "$stderr" = "cd-scene: bodies 1 and 9 are placed in one another, by 0.25 m; 2 pairs of parts overlap" ]
    [ "$(cd-scene -q in.yaml 2>&1 >/dev/null)" = "" ]
    [ "$(cd-scene --no-placed in.yaml 2>&1)" = "$(cd-scene -q in.yaml)" ]
    # What touches, and what is apart, is not.
    printf 'bodies:\n  - {shape: {box: [1, 1]}, density: 1}\n  - {shape: {circle: 1}, position: [2, 0], density: 1}\n  - {shape: {box: [1, 1]}, position: [-3, 0], density: 1}\n' >beside.yaml
    run -0 --separate-stderr cd-scene beside.yaml
    [ "$stderr" = "" ]
    sed -i 's/2, 0/1.5, 0/' beside.yaml
    run -0 --separate-stderr cd-scene beside.yaml
    [ "$stderr" = "cd-scene: bodies 1 and 2 are placed in one another, by 0.5 m" ]
}

@test "cd-scene: generators in space make bodies that cd-view and cd-broad take" {
    local keys
    for keys in 'random-hulls, count: 30, size: [0.1, 0.2]' 'platonic, count: [3, 3, 1], spacing: [1, 1, 1], turn: random' \
        'bricks, count: [4, 2, 3], size: [0.2, 0.1, 0.1]' 'brick-elements, count: [2, 1, 2], size: [0.2, 0.1, 0.1], kind: tetrahedra' \
        'arch, count: 6, span: 4, rise: 1, thickness: 0.3, width: 0.3, overlap: 1e-3'; do
        scene "dim: 3\nstep: 0.01\nseed: 2\ngenerate: [{generator: $keys}]\n"
        cd-scene -q -b -l 0 scene.yaml | cat >a.cdb # a file would have an index behind it
        cd-view --check a.cdb
        cd-scene -q -b scene.yaml | cmp - a.cdb
        cd-broad a.cdb | cd-view --check
        [ "$(cd-scene -q scene.yaml | cd-view --digest)" = "$(cd-view --digest a.cdb)" ]
    done
    refused 'generate:\n- {generator: bricks, count: [1, 1], size: [1, 1]}\n' ':2: generator: bricks needs dim: 3'
    refused 'dim: 3\ngenerate:\n- {generator: brick-elements, count: [1, 1, 1], size: [1, 1, 1], kind: hexes}\n' ':3: kind: '
}

@test "cd-scene: random hulls of a range of points" {
    printf 'dim: 3\ngenerate:\n- {generator: random-hulls, points: [4, 6], within: sphere, period: 0, count: 60}\n' | cd-scene |
        jq -s -e 'map(select(.type == "shape") | .vertices | length) | (min == 4) and (max == 6) and (unique | length == 3)' >/dev/null
    refused() { run -3 --separate-stderr cd-scene - <<<"$(printf 'dim: 3\ngenerate:\n- {generator: random-hulls, points: %s}\n' "$1")" && [[ "$stderr" == *": points: $2" ]]; }
    refused '[9, 4]' 'wanted one number or [least, most]'
    refused '[4, 5, 6]' 'wanted one number or [least, most]'
    refused 3 'must be in 4..100000'
}
