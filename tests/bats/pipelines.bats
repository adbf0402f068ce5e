#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The experiments of pipelines/: short versions of each, with their known numbers.

load helper

PIPELINES="$BATS_TEST_DIRNAME/../../pipelines"

@test "replace-a-stage: a detector in Python gives the run of cd-narrow" {
    run -0 --separate-stderr "$PIPELINES/replace-a-stage/run.sh" --until 0.5 --out short
    [[ "${lines[0]}" == detector* && "${lines[1]}" == cd-narrow* && "${lines[2]}" == detector.py* ]]
    [[ "${lines[3]}" == *"agrees within 1e-9" ]]
    [ -z "$stderr" ]
    # the same steps, overlap and number of contacts; and there were contacts
    [ "$(awk '{ print $2, $3, $4 }' <<<"${lines[1]}")" = "$(awk '{ print $2, $3, $4 }' <<<"${lines[2]}")" ]
    awk '$2 != 50 || $4 <= 0 { exit 1 }' <<<"${lines[1]}"
    cd-view --table --type prog short/detector.py.cdb | found detector.py
    if cd-view --table --type prog short/detector.py.cdb | found cd-narrow; then false; fi
    # contacts of both are in the streams that are compared
    [ "$(cd-view -j --type contact short/detector.py.cdb | grep -c '"type":"contact"')" -gt 10 ]
}

@test "replace-a-stage: runs that differ are noticed" {
    run -1 "$PIPELINES/replace-a-stage/run.sh" --until 0.5 --tolerance 0 --out short
    [[ "$output" == *"differ by more than 0"* ]]
}

@test "replace-a-stage: the detector notices a cut stream" {
    cd-scene --seed 1 "$SCENES/box-of-polygons.yaml" | cd-broad >pairs.jsonl
    python3 "$PIPELINES/replace-a-stage/detector.py" 0.015 <pairs.jsonl | cd-view --check
    sed '$d' pairs.jsonl >cut.jsonl
    run -3 cd-view --check <(python3 "$PIPELINES/replace-a-stage/detector.py" 0.015 <cut.jsonl 2>errors)
    grep -q 'no end record' errors
}

# error MODEL STEP COLUMN: from the table that the corner leaves
error() {
    awk -F'\t' -v model="$1" -v step="$2" -v column="$3" '$1 == model && $2 == step { print $column }' out/corner/errors.tsv
}

@test "corner: PEG falls freely behind the corner, the standard model is thrown up" {
    run -0 --separate-stderr "$PIPELINES/corner/run.sh" --steps 2.5,5,25
    [ -z "$stderr" ]
    # 2.5 ms: peg and lnc within 2 mm of free fall, the standard model more than 5 cm above it
    for model in peg lnc; do
        awk -v x="$(error $model 2.5 3)" -v y="$(error $model 2.5 4)" 'BEGIN { exit !(x * x + y * y < 0.002 ^ 2 && y != 0) }'
        # half a step of fall, -g h t / 2: what a first-order step leaves
        awk -v y="$(error $model 2.5 4)" 'BEGIN { e = y + 9.8 * 0.0025 * 0.095 / 2; exit !(e * e < 1e-12) }'
        awk -v y="$(error $model 5 4)" 'BEGIN { e = y + 9.8 * 0.005 * 0.095 / 2; exit !(e * e < 1e-12) }'
        awk -v turn="$(error $model 2.5 5)" 'BEGIN { exit !(turn * turn < 1e-18) }'
    done
    awk -v y="$(error standard 2.5 4)" 'BEGIN { exit !(y > 0.05) }'
    [[ "$output" == *"standard         25    no solution"* ]]
    grep -q '</svg>' out/corner/trails.svg
    [ "$(head -c 4 out/corner/trails.png | tail -c 3)" = PNG ]
}

@test "pipelines: -h explains each script, and unknown options are refused" {
    for name in replace-a-stage corner scenes box-of-polygons box-of-polyhedra sparsify separating-model stand projectile-impact rolling-sphere cards ellipsoid-packing rigid-bodies scale-out; do
        run -0 "$PIPELINES/$name/run.sh" -h
        [[ "$output" == *"usage: run.sh"* ]]
        [ "${#lines[@]}" -lt 22 ]
        run -2 "$PIPELINES/$name/run.sh" --no-such-option
        [[ "$output" == *"unknown option"* ]]
        run -2 "$PIPELINES/$name/run.sh" --out
        [[ "$output" == *"value is missing"* ]]
    done
}

@test "pipelines/scenes: the separating model ends as it should, in the plane and in space" {
    run -0 "$PIPELINES/scenes/run.sh" --models separating --scenes pass-miss,pass-graze,edges-slide,drop-corner,stack-5,slope,column --out scenes
    [ "$(cut -f 9 scenes/outcomes.tsv | sort | uniq -c | awk '{ $1 = $1 } 1')" = "8 as expected" ]
    [ -s scenes/stack-5.png ]
}

@test "pipelines/box-of-polyhedra: nothing overlaps, nothing is lost" {
    run -0 "$PIPELINES/box-of-polyhedra/run.sh" --models separating --steps 16 --sets 3 --out poured
    [ "$(awk -F, 'NR == 2 { print $4, ($5 > 100), $9, $10, ($12 >= 0), $16, $20, $23 }' poured/summary.csv)" = "0 1 0 0 1 0 0 0" ]
}

@test "pipelines/separating-model: with friction and long steps boxes stand and topple over edges as statics says" {
    run -0 --separate-stderr "$PIPELINES/separating-model/overhang.py" --kinds posts,table,corner --friction 0.5 --steps 50 --out over
    [ "$(cut -f 5-8 over/overhang.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "6 12 of 12 0 0 0" ]
}

@test "pipelines/separating-model: boxes that rock, wheels, wedges, rods and tops go by their closed forms, to the order of the step" {
    run -0 --separate-stderr "$PIPELINES/separating-model/pivots.py" --steps 2,5 --out pivots
    [ "$(cut -f 8,9 pivots/pivots.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "24 yes 0" ]
    # half the step, half the error: of the rod, whose motion is smooth
    awk -F'\t' '$2 ~ /^spin at/ { error[$3] = $6 } END { ratio = error[5] / error[2]; exit !(ratio > 2.4 && ratio < 2.6) }' pivots/pivots.tsv
}

@test "pipelines/separating-model: bodies leave what bears them where they should, at steps of which one would throw them" {
    run -0 --separate-stderr "$PIPELINES/separating-model/leaving.py" --cases ladder,edge,edge-rough,ball,disc-rolls,dominoes --steps 1,5 --out left
    [ "$(cut -f 8,9 left/leaving.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "30 yes 0" ]
}

@test "pipelines/separating-model: grooves, rows, plates, boards and a rod that jams are held as statics and Coulomb say" {
    run -0 --separate-stderr "$PIPELINES/separating-model/bearing.py" --steps 2,10 --out borne
    [ "$(cut -f 8,9 borne/bearing.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "46 yes 0" ]
}

@test "pipelines/separating-model: balls, spools, prisms and ellipsoids roll and turn by closed forms, a turntable carries boxes, heaps stand by statics, and cards that bounce gain nothing" {
    run -0 --separate-stderr "$PIPELINES/separating-model/rolling.py" --steps 2,10 --out rolled
    [ "$(cut -f 8,9 rolled/rolling.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "56 yes 0" ]
}

@test "pipelines/separating-model: see-saws, wedges, sleds, belts, drums, drawers, rollers and slopes go by closed forms, and hold where these say" {
    run -0 --separate-stderr "$PIPELINES/separating-model/mechanisms.py" --steps 2,10 --out driven
    [ "$(cut -f 8,9 driven/mechanisms.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "92 yes 0" ]
}

@test "pipelines/separating-model: arches, ladders and boxes that are pushed stand and give way where statics says, a beam on two fingers slips by turns" {
    run -0 --separate-stderr "$PIPELINES/separating-model/standing.py" --steps 4,10 --out stood
    [ "$(cut -f 8,9 stood/standing.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "20 yes 0" ]
}

@test "pipelines/separating-model: what rocks and rolls, smooth and rough, tumbles and bounces keeps the energy that it has, to second order" {
    run -0 --separate-stderr "$PIPELINES/separating-model/rocking.py" --steps 2,4,8 --out rocked
    [ "$(cut -f 8,9 rocked/rocking.tsv | tail -n +2 | sort | uniq -c | awk '{ $1 = $1 } 1')" = "30 yes 0" ]
    # twice the step, four times the error: of what is smooth
    awk -F'\t' '$1 ~ /^(ellipse|rolls|board|loaded|ellipsoid|spun|spindle)$/ { error[$1, $3] = $6; cases[$1] } END {
        for (name in cases) { n++; for (h = 2; h < 8; h *= 2) { ratio = error[name, 2 * h] / error[name, h]; if (!(ratio > 3 && ratio < 5)) exit 1 } }
        exit n != 7 }' rocked/rocking.tsv
}

@test "pipelines/separating-model: a heap of polygons without friction takes few rounds, and whole steps" {
    run -0 --separate-stderr "$PIPELINES/separating-model/chain.py" --trials polygons --friction 0 --step 10 --out heap
    # of 200 steps: parts a step, rounds a part
    awk -F'\t' 'NR == 2 { found = $1 == "polygons 30" && $7 >= 1 && $7 <= 1 + 3 / 200 && $8 >= 1 && $8 <= 5 } END { exit !found }' heap/chain.tsv
}

@test "pipelines/separating-model: collisions converge, nearer to the answer than one round of PEG" {
    run -0 --separate-stderr "$PIPELINES/separating-model/collisions.py" --dims 2 --friction 0 --count 25 --steps 2,4,10,20,50 --out hits
    # median errors over h of the collisions that jump in neither model, by step: of both, and of 15 collisions at least
    awk -F'\t' 'NR > 1 && $4 > 4 { value[$3, $4] = $12; shared += $11 >= 15 }
        END { for (h = 10; h <= 50; h = h == 10 ? 20 : h + 30)
                  if (!(("separating", h) in value) || !(value["separating", h] > 0 && value["separating", h] < value["peg", h])) exit 1
              exit shared != 6 }' hits/collisions.tsv
}

# value FILE SCENE CONTACTS COLUMN [PUSH]: of a table that sparsify leaves
value() {
    awk -F'\t' -v scene="$2" -v contacts="$3" -v column="$4" -v push="${5-}" \
        '$1 == scene && $2 == contacts && (push == "" || $3 == push) { print $column }' "out/sparsify/$1.tsv"
}

@test "pipelines/sparsify: a quarter of the contacts carries the same, and no sliver holds what should slide" {
    run -0 --separate-stderr "$PIPELINES/sparsify/run.sh" --scenes arch --steps 20
    [ -z "$stderr" ]
    awk -v a="$(value statics arch all 3)" -v s="$(value statics arch sparsified 3)" \
        'BEGIN { exit !(a > 700 && s > 0.15 * a && s < 0.4 * a) }'
    # weight, thrust and the sum of impulses as statics has them; nine planes, less the one moment that is no load
    awk -v a="$(value statics arch all 6)" -v s="$(value statics arch sparsified 6)" \
        'BEGIN { exit !((a - 1) ^ 2 < 1e-12 && (s - 1) ^ 2 < 1e-12) }'
    awk -v t="$(value statics arch sparsified 7)" -v i="$(value statics arch sparsified 8)" \
        'BEGIN { exit !((t - 1) ^ 2 < 1e-12 && (i - 1) ^ 2 < 1e-12) }'
    [ "$(value statics arch sparsified 4)" = $((3 * 9 - 1)) ]
    # all contacts: every freedom is taken, by normals that are far from those of the joints
    [ "$(value statics arch all 4)" = $((6 * 8)) ]
    awk -v a="$(value statics arch all 9)" -v s="$(value statics arch sparsified 9)" 'BEGIN { exit !(a > 45 && s < 1e-3) }'
    awk -v a="$(value motion arch all 6 0.05)" -v s="$(value motion arch sparsified 6 0.05)" \
        'BEGIN { exit !(a * a < 1e-12 && s > 0.045 && s < 0.055) }'
    for picture in contacts sparsified bounds; do
        grep -q '</svg>' "out/sparsify/arch-$picture.svg"
        [ "$(head -c 4 "out/sparsify/arch-$picture.png" | tail -c 3)" = PNG ]
    done
    run -2 "$PIPELINES/sparsify/run.sh" --scenes tower
    [ "$output" = "run.sh: --scenes: there is no scene 'tower'" ]
}

@test "pipelines/sparsify: a wall's beds carry their weight" {
    run -0 "$PIPELINES/sparsify/run.sh" --scenes wall --steps 1
    awk -v w="$(value statics wall sparsified 6)" -v i="$(value statics wall sparsified 8)" \
        -v all="$(value statics wall all 8)" \
        'BEGIN { exit !((w - 1) ^ 2 < 1e-12 && (i - 1) ^ 2 < 1e-12 && all > 1.01) }'
}

# of a run that stand.py left: stood SCENE EXPRESSION, in jq
stood() { jq -se --arg scene "$1" "map(select(.scene == \$scene)) | length == 1 and all(.[]; $2)" out/stand/results.jsonl >/dev/null; }

@test "pipelines/stand: cards, a tower and a wall stand with friction, cards fall without it" {
    run -0 python3 "$PIPELINES/stand/stand.py" --by ours --cases cards:2,tower:3,wall:6 --until 1 --last 10 --every 10 --pictures
    for scene in cards tower wall; do
        stood $scene '.exit == 0 and .frames == 100 and .overlap == 0 and .overlapping == 0 and .open == 0 and .certified == 11 and .scaled == 0'
        stood $scene '.speed < 1e-9 and .drift < 1e-9 and .turned < 1e-9 and .rest > 0 and .rounds_rest == 1'
    done
    [ "$(head -c 4 out/stand/wall-6-0.5.png | tail -c 3)" = PNG ]
    # the house of 0.19 m whole in its picture, and the ground below it
    run -0 env PYTHONPATH="$PIPELINES/stand" python3 -c 'import simulate; print(*simulate.moving("out/stand/cards-2-0.5.kept.cdb")[1])'
    awk '{ exit !(NF == 4 && $1 < -0.07 && $2 < 0 && $3 > 0.07 && $4 > 0.19) }' <<<"$output"
    # the last frames again, from the state that was left
    run -0 python3 "$PIPELINES/stand/stand.py" --by ours --cases tower:3 --until 1 --last 10 --again
    [ "$(jq -s 'map(select(.by == "ours-again"))[0] | [.exit, .bodies, .overlap, .speed < 1e-9] == [0, 3, 0, true]' out/stand/results.jsonl)" = true ]
    run -0 python3 "$PIPELINES/stand/report.py" out/stand
    [ "$(awk -F'\t' 'NR > 1 { print $1, $2, $6, $7, $9 }' out/stand/runs.tsv)" = $'cards 2 0.5 0 0 0\ntower 3 0.5 0 0 0\nwall 6 0.5 0 0 0' ]
    rm out/stand/results.jsonl
    run -0 python3 "$PIPELINES/stand/stand.py" --by ours --cases cards:2 --mu 0 --until 1 --last 10
    stood cards '.overlap == 0 and .drift > 0.05 and .speed > 0.01'
}

@test "pipelines/stand: a report without runs says what is missing" {
    run -1 python3 "$PIPELINES/stand/report.py" nowhere
    [ "$output" = "report.py: nowhere/results.jsonl: No such file or directory: stand.py --out nowhere leaves one" ]
    mkdir empty
    : >empty/results.jsonl
    run -1 python3 "$PIPELINES/stand/report.py" empty
    [ "$output" = "report.py: empty/results.jsonl: no run in it" ]
    echo '{"scene":"wall"}' >empty/results.jsonl
    run -1 python3 "$PIPELINES/stand/report.py" empty
    [ "$output" = "report.py: empty/results.jsonl: not as stand.py writes it: KeyError: 'size'" ]
}

@test "pipelines/stand: a run that cannot be made is told, and its exit code kept" {
    run -1 --separate-stderr python3 "$PIPELINES/stand/stand.py" --by ours --cases polygons:4 --until 1 --limit 0.001
    stood polygons '.exit == 124'
    run -1 python3 "$PIPELINES/stand/stand.py" --cases bridge:4
    [[ "$output" == "stand.py: --cases: 'bridge:4' is no NAME:SIZE of "* ]]
    # the reason stands beside the exit code
    run -1 python3 "$PIPELINES/stand/stand.py" --by ours --cases arch:1 --until 1
    [ "$output" = "arch-1-0.5 ours: exit 3: cd-scene: stdin:1: count: must be in 3..10000" ]
    for wrong in "--mu x" "--step 0" "--every 0" "--last 0" "--limit 0" "--until 0.01" "--landing -1"; do
        # shellcheck disable=SC2086
        run -1 python3 "$PIPELINES/stand/stand.py" --by ours --cases tower:1 $wrong
        [[ "$output" == "stand.py: ${wrong% *}: "* ]]
        [ "$(wc -l <<<"$output")" -eq 1 ]
    done
}

@test "pipelines/stand: runs shorter than what is kept, and again by their own end alone" {
    run -0 python3 "$PIPELINES/stand/stand.py" --by ours --cases tower:1 --until 0.03 --last 1
    stood tower '.overlap == 0 and .certified == 2 and .parts == 3'
    run -1 python3 "$PIPELINES/stand/stand.py" --by ours --cases tower:1 --until 0.02 --again
    [[ "$output" == "tower-1-0.5 ours: exit 2: "*"rest.cdb begins at the end of this run or later"* ]]
}

@test "pipelines/stand: an engine's bodies are measured as ours are" {
    # an engine that puts the hexagon out of the way, and the box 1 cm into the floor
    mkdir engines
    cat >engines/stand_box2d <<'ENGINE'
#!/bin/sh
awk -v steps="$1" 'NR > 2 && !pieces { pieces = $9; if ($1 == 4) $7 = 9; if ($1 == 5) { $6 = 0; $7 = 0.07; $8 = 0 } body[++n] = $1 " " $6 " " $7 " " $8; next }
    NR > 2 { pieces-- }
    END { for (frame = 0; frame <= steps; frame += steps) { print "frame " frame; for (k = 1; k <= n; k++) print body[k] } }'
echo '{"landing_ms":2,"rest_ms":1,"run_ms":2,"speed":0,"peak_kib":1}' >&2
ENGINE
    chmod +x engines/stand_box2d
    run -0 python3 "$PIPELINES/stand/stand.py" --by box2d --peers engines --cases funnel:2 --until 1
    stood funnel '.by == "box2d" and .rest == 1 and .drift == 0 and .bodies == 2'
    stood funnel '(.overlap - 0.16 * 0.01 | fabs) < 1e-15 and (.gap + 0.01 | fabs) < 1e-15 and .overlap_end == .overlap'
    run -0 python3 "$PIPELINES/stand/report.py" out/stand
    [ "$(awk -F'\t' 'NR == 2 { print $1, $4, $14 }' out/stand/engines.tsv)" = "funnel 2 Box2D 0.0016" ]
}

@test "pipelines/projectile-impact: momentum and energy are kept, and pictures drawn" {
    run -0 --separate-stderr "$PIPELINES/projectile-impact/run.sh" --steps 8.5e-6 --until 0.0004
    [ -z "$stderr" ]
    [ "$(wc -l <out/projectile-impact/balance.tsv)" -eq 1 ]
    # energy within 1 %, momentum within 1e-12; there was contact
    awk -F'\t' '!($2 == 47 && $4 < 0.01 && $5 < 1e-12 && $6 > 100 && $7 > 1) { exit 1 }' out/projectile-impact/balance.tsv
    for picture in frames pinballs; do [ "$(head -c 4 out/projectile-impact/$picture.png | tail -c 3)" = PNG ]; done
    grep -q '</svg>' out/projectile-impact/energy.svg
    run -5 "$PIPELINES/projectile-impact/run.sh" --steps 9.9e-6 --until 0.0004
    [[ "$output" == *"is above the stable step of"* ]]
}

@test "rolling-sphere: over a plane nothing holds it back, over a terrain its force does not jump" {
    run -0 --separate-stderr "$PIPELINES/rolling-sphere/run.sh" --length 1.5 --step 0.01 --out roll
    # ground way pushes along back least most change
    awk -F'\t' 'NR > 1 { seen[$1 " " $2] = 1; along[$1 " " $2] = $4; pushes[$1 " " $2] = $3; change[$1 " " $2] = $8; most[$1 " " $2] = $7 }
        END { exit !(length(seen) == 8 && along["plane exact"] == 0 && along["plane smooth"] == 0 && along["plane facet"] == 0 &&
            along["plane off"] > 0.1 && pushes["plane exact"] == 1 && most["plane exact"] < 1.001 && most["plane facet"] > 3 &&
            change["terrain smooth"] < 0.05 && change["terrain exact"] > 0.5) }' roll/table.tsv
    jq -n -e '[inputs | select(.tool == "traces" and .name == "along").value | fabs] | length == 150 and max < 1e-12' roll/plane-exact.jsonl
    grep -q '</svg>' roll/plane-along.svg
    grep -q '</svg>' roll/scene.svg
}

@test "pipelines/cards: a house without thickness stands, a chain of rings holds, both by certificate" {
    run -0 --separate-stderr "$PIPELINES/cards/run.sh" --levels 2 --links 3 --steps 10 --until 0.3 --out cards
    [ "$(grep -c 'ok$' cards/runs.tsv)" = 2 ]
    awk -F'\t' 'NR > 1 && !($6 == 0 && $7 > 50 && $8 == 0 && $9 < 0.01) { exit 1 }' cards/runs.tsv
    [ "$(head -c 4 cards/links-3-10.png | tail -c 3)" = PNG ]
}

@test "pipelines/ellipsoid-packing: none overlaps by the model without overlap, springs let them, and none gets out" {
    run -0 --separate-stderr "$PIPELINES/ellipsoid-packing/run.sh" --count 20 --until 0.6 --out packing
    [ "$(awk -F'\t' 'NR > 1 { print $1, $6 == 0, ($7 > 0), $NF }' packing/runs.tsv | tr '\n' ' ')" = "separating 1 1 ok penalty 0 0 ok " ]
    # bodies that turn by a radian in a step: 9.5 with rounds that converge linearly
    run -0 --separate-stderr "$PIPELINES/ellipsoid-packing/run.sh" --count 8 --step 50 --models separating --until 1 --out long
    [ "$(awk -F'\t' 'NR > 1 { print ($4 > 2 && $4 < 7.5), $6 == 0 }' long/runs.tsv)" = "1 1" ]
}

@test "pipelines/rigid-bodies: hard contacts at short and long steps, by closed forms and certificates; a pipeline that does nothing is caught" {
    run -0 --separate-stderr "$PIPELINES/rigid-bodies/run.sh" --scenes wedge-in-crack,tiles,five-cubes,slope-0.49,slope-0.5,tunnel,tunneling,edge-edge --steps 20,100 --pictures 100 --out rigid
    [ -z "$stderr" ]
    [ "$(awk -F'\t' 'NR > 1 { print $3, $5, $7, $(NF - 1) }' rigid/runs.tsv | sort | uniq -c | awk '{ $1 = $1 } 1')" = "16 ours 0 0 ok" ]
    [ "$(head -c 4 rigid/tiles-100-ours.png | tail -c 3)" = PNG ]
    python3 "$PIPELINES/rigid-bodies/report.py" rigid/runs.tsv | found '^| slope-0.49 .* all ok |$'
    # without contacts the same bodies fall through, and through each other
    run -1 "$PIPELINES/rigid-bodies/run.sh" --scenes five-cubes,slope-0.5 --steps 20 --variants 'blind=cd-broad -q | cd-step -q -r 1; ours' --pictures 1 --out blind
    [ "$(awk -F'\t' 'NR > 1 { print $1, $3, ($5 > 0), $(NF - 1) }' blind/runs.tsv | tr '\n' '|')" = "five-cubes blind 1 WRONG|five-cubes ours 0 ok|slope-0.5 blind 1 WRONG|slope-0.5 ours 0 ok|" ]
    python3 "$PIPELINES/rigid-bodies/report.py" blind/runs.tsv blind ours 20 | found '^| five-cubes | 0.98, .* ms, .* | 0, .* ms, .* | m from its place, m/s |$'
    run -1 "$PIPELINES/rigid-bodies/run.sh" --scenes spikes --steps 20 --variants 'none=false' --out none
    [ "$(awk -F'\t' 'NR > 1 { print $(NF - 1) }' none/runs.tsv)" = FAILED ]
    for wrong in "--scenes bolts" "--steps 0" "--variants =x" "--limit x"; do
        # shellcheck disable=SC2086
        run -1 "$PIPELINES/rigid-bodies/run.sh" $wrong --out none
        [[ "$output" == "rigid.py: ${wrong% *}: "* ]]
        [ "${#lines[@]}" -eq 1 ]
    done
}

@test "pipelines/rigid-bodies: a wall in Voronoi cells has the volume of the wall, less its gaps" {
    python3 "$PIPELINES/rigid-bodies/scenes.py" fracture-wall | cd-scene - >wall.jsonl
    # 8 m^3 of 2500 kg/m^3; gaps of 1e-6 m between faces of 100 m^2 at most
    jq -se '[.[] | select(.type == "body" and .id > 2)] | length == 40 and (map(.mass) | add | . < 20000 and . > 20000 - 0.25)' wall.jsonl
    cd-overlap-metric <wall.jsonl | jq -se '[.[] | select(.type == "metric" and .name == "overlap").value] == [0]'
}
