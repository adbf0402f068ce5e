# The same run gives the same content whatever the encoding between the stages, the order of the bodies, the number of threads.
load helper

until=1.2 # [s] 120 steps: five polygons are in the box, constraints of every kind occur

scene() { cd-scene --seed 3 --step 0.01 "$@" "$SCENES/box-of-polygons.yaml"; }

# trajectory OUT STAGES [cd-loop options...] < SCENE
trajectory() {
    local out=$1 stages=$2
    shift 2
    cd-loop -q --until $until "$@" -- "$stages" >"$out"
}

stages="cd-broad --reach 0.02 | cd-narrow --contacts features --reach 0.02 | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric"

@test "a run repeated is the same to the byte" {
    scene -b | trajectory one.cdb "$stages"
    scene -b | trajectory two.cdb "$stages"
    cmp one.cdb two.cdb
    # It is a run with contact and not an empty one.
    [ "$(cd-view -j --type metric one.cdb | jq -s '[.[] | select(.name == "constraints-U") | .value] | add')" -gt 20 ]
    [ "$(cd-view -j --type metric one.cdb | jq -s '[.[] | select(.name == "constraints-I") | .value] | add')" -gt 5 ]
}

@test "JSON-lines or binary at every stage: the same digest" {
    scene -b | trajectory binary.cdb "$stages"
    scene -j | trajectory json.jsonl "$stages" -j
    scene -j | trajectory mixed.jsonl "cd-broad --reach 0.02 -b | cd-narrow --contacts features --reach 0.02 -j | cd-peg-assemble --model peg -b | cd-lcp -j | cd-step --rounds 1 -b | cd-overlap-metric -j"
    scene -b | trajectory packed.cdb "cd-broad --reach 0.02 -l 6 | cd-narrow --contacts features --reach 0.02 -l 1 | cd-peg-assemble --model peg -l 9 | cd-lcp -l 0 | cd-step --rounds 1 -l 3 | cd-overlap-metric" -l 9
    local digest
    digest=$(cd-view --digest binary.cdb)
    [ "$(cd-view --digest json.jsonl)" = "$digest" ]
    [ "$(cd-view --digest mixed.jsonl)" = "$digest" ]
    [ "$(cd-view --digest packed.cdb)" = "$digest" ]
    cd-diff binary.cdb json.jsonl
}

@test "body order shuffled: the same digest" {
    scene -j >scene.jsonl
    trajectory straight.jsonl "$stages" <scene.jsonl
    for seed in 1 2; do
        # Body lines in another order, everything else where it was.
        awk -v seed=$seed 'BEGIN { srand(seed) } /"type":"body"/ { line[n++] = $0; next }
            /"type":"fend"/ { for (i = n - 1; i >= 0; i--) { k = int(rand() * (i + 1)); print line[k]; line[k] = line[i] } n = 0 } { print }' scene.jsonl >shuffled.jsonl
        if cmp -s scene.jsonl shuffled.jsonl; then false; fi
        trajectory shuffled-run.jsonl "$stages" <shuffled.jsonl
        [ "$(cd-view --digest shuffled-run.jsonl)" = "$(cd-view --digest straight.jsonl)" ]
        cd-view -b shuffled.jsonl | trajectory shuffled-run.cdb "$stages"
        [ "$(cd-view --digest shuffled-run.cdb)" = "$(cd-view --digest straight.jsonl)" ]
    done
}

@test "threads make no difference, and they run" {
    # Many small islands: boxes that fall on a floor, too far apart to meet.
    cat >floor.yaml <<'YAML'
dim: 3
reach: 0.05
step: 0.01
epsilon: 1e-3
gravity: [0, 0, -9.81]
bodies: [{shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}]
generate:
- {generator: grid, count: [24, 24, 1], spacing: [1.5, 1.5, 1], origin: [0, 0, 0.49], body: {shape: {box: [0.5, 0.5, 0.5]}, density: 1, velocity: [0, 0, -1]}}
YAML
    cd-scene -q -b floor.yaml | cd-broad >in.cdb
    for stage in cd-narrow cd-peg-assemble cd-lcp "cd-step --rounds 8" cd-overlap-metric; do
        $stage -l 0 in.cdb >one.cdb
        $stage -l 0 -t 2 --stats in.cdb 2>stats >two.cdb
        cmp two.cdb one.cdb
        [ "$stage" = cd-peg-assemble ] || threads_ran stats # that one works in one thread
        mv one.cdb in.cdb
    done
    printf 'dim: 3\ngenerate: [{generator: boxes, kind: clustered, count: 12000}]\n' | cd-scene -q -b >in.cdb
    for method in $(choices cd-broad method); do
        cd-broad -l 0 -m "$method" in.cdb >one.cdb
        cd-broad -l 0 -m "$method" -t 2 --stats in.cdb 2>stats >two.cdb
        cmp two.cdb one.cdb
        threads_ran stats
    done
}

@test "another seed is another run: the digest tells" {
    scene -b | trajectory one.cdb "$stages"
    cd-scene -b --seed 4 --step 0.01 "$SCENES/box-of-polygons.yaml" | trajectory two.cdb "$stages"
    [ "$(cd-view --digest one.cdb)" != "$(cd-view --digest two.cdb)" ]
    run -1 cd-diff one.cdb two.cdb
}

@test "a trajectory is a stream like any other: its steps can be done again, frame by frame" {
    scene -b | trajectory run.cdb "$stages"
    cd-broad --reach 0.02 run.cdb | cd-narrow --contacts features --reach 0.02 | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric |
        cd-view --frames 0:119 >again.cdb
    cd-view --frames 0:119 run.cdb >first.cdb
    [ "$(cd-view --digest again.cdb)" = "$(cd-view --digest first.cdb)" ]
}

@test "the unit of length makes no difference: a scene times 2^-20 and 2^20 is the same run, in every model, the plane and space" {
    local things='bodies:
- {shape: {SLAB}, position: [Z 0, -0.1], motion: fixed}
- {shape: {compound: [{shape: {CUBE}}, {shape: {CUBE}, position: [Z 0.2, 0]}]}, density: 10, position: [Z -0.1, 0.0990], mu: 0.3}
- {shape: {SIZES}, density: 10, position: [Z 0.03, 0.29], velocity: [Z 0.3, -1], mu: 0.3}
- {shape: {SIZES}, density: 10, position: [Z 0.12, 0.52], velocity: [Z 0, -1.5], mu: 0.3}'
    local plane="${things//SLAB/box: [2, 0.2]}" space="${things//SLAB/box: [2, 2, 0.2]}"
    plane=${plane//CUBE/box: [0.2, 0.2]} space=${space//CUBE/box: [0.2, 0.2, 0.2]}
    plane=${plane//SIZES/box: [0.17, 0.2]} space=${space//SIZES/box: [0.17, 0.16, 0.2]}
    printf 'dim: 2\ngravity: [0, -9.8]\nstep: 0.01\n%s\n' "${plane//Z /}" | cd-scene -q -j >plane.jsonl
    printf 'dim: 3\ngravity: [0, 0, -9.8]\nstep: 0.01\n%s\n' "${space//Z/0.01,}" | cd-scene -q -j >space.jsonl
    # neither length, epsilon nor reach is stated
    scaled() {
        jq -c --argjson s "$1" 'def deep: if type == "array" then map(deep) else . * $s end; del(.length, .epsilon, .reach)
            | with_entries(if .key | IN("gravity", "vertices", "halfsizes", "position", "velocity") then .value |= deep
                elif .key == "inertia" then .value |= if type == "array" then map(. * $s * $s) else . * $s * $s end else . end)
            | if .parts then .parts |= map(if .position then .position |= deep else . end) else . end' "$2"
    }
    ends() { jq -c --argjson s "$1" 'select(.type == "body") | [.id, (.position, .velocity | map(. / $s)), .rotation, .spin]'; }
    statuses() { cd-broad | cd-narrow --contacts "$1" | jq -r 'select(.type == "contact") | .status'; }
    for dim in plane space; do # parts that overlap by a millimetre of 0.2 m do not touch only, of 0.2 um neither
        for scale in 1 9.5367431640625e-07 1048576; do
            scaled $scale $dim.jsonl | statuses depth >statuses.$scale
            grep -qx penetrating statuses.$scale
        done
        cmp statuses.1 statuses.9.5367431640625e-07
        cmp statuses.1 statuses.1048576
    done
    for model in $(choices cd-loop model | grep -vx penalty); do
        for dim in plane space; do
            for scale in 1 9.5367431640625e-07 1048576; do
                scaled $scale $dim.jsonl | cd-loop -q -j --model "$model" --frames 25 >run.jsonl
                ends $scale <run.jsonl >ends.$scale
            done
            [ "$(wc -l <ends.1)" -eq 100 ]
            cmp ends.1 ends.9.5367431640625e-07
            cmp ends.1 ends.1048576
        done
    done
}

UNITS=$BATS_TEST_DIRNAME/momentum/units.py

# in_units KIND MU L M T: the last of 60 frames, in which bodies have hit the floor and one another, as JSON lines
in_units() {
    python3 "$UNITS" scene "$@" | cd-scene -q | cd-loop -q --frames 60 | cd-view -q -j --type body --frames last
}

@test "no constant has a unit: other metres, kilograms and seconds give the same motion to the last bit" {
    local kind mu units
    for kind in boxes ellipsoids spheres tetrahedra polygons ellipses; do
        for mu in 0 0.4; do
            in_units $kind $mu 1 1 1 >si.jsonl
            for units in "1024 1 1" "0.0625 4096 2" "1 1 0.5"; do
                in_units $kind $mu $units >other.jsonl
                python3 "$UNITS" same $units other.jsonl si.jsonl || { echo "$kind, mu $mu, units $units"; return 1; }
            done
        done
    done
    # another gravity is seen
    in_units boxes 0 1 1 1 >si.jsonl
    python3 "$UNITS" scene boxes 0 1 1 1 | sed 's/-9\.81/-9.82/' | cd-scene -q | cd-loop -q --frames 60 | cd-view -q -j --type body --frames last >other.jsonl
    run ! python3 "$UNITS" same 1 1 1 other.jsonl si.jsonl
}

# pairs_carried VX VY VZ: five pairs that meet in flight, all of them carried by this velocity
pairs_carried() {
    python3 "$BATS_TEST_DIRNAME/momentum/carried.py" scene 0.3 "$@" | cd-scene -q | cd-loop -q --until 0.2 | cd-view -q -j --type frame,body
}

@test "pairs that meet in flight go apart alike when all are carried along" {
    local besides
    pairs_carried 0 0 0 >still.jsonl
    for besides in "0.5 0 0" "8 -4 2"; do
        pairs_carried $besides >carried.jsonl
        python3 "$BATS_TEST_DIRNAME/momentum/carried.py" apart $besides carried.jsonl <still.jsonl >apart
        awk '{ exit !($1 > 0 && $1 < 1e-9) }' apart || { echo "carried by $besides: $(cat apart) m/s"; return 1; }
    done
}

# Bodies that stand still for some frames, with one that is released on the way.
still_frames() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.8],"length":0.1}
{"type":"shape","id":1,"kind":"polygon","vertices":[[-0.05,-0.05],[0.05,-0.05],[0.05,0.05],[-0.05,0.05]]}
{"type":"shape","id":2,"kind":"polygon","vertices":[[-1,-0.2],[1,-0.2],[1,0.2],[-1,0.2]]}
JSONL
    local frame=0 x
    for x in 0 0 0 0 0.1 0.1 0.1 0.2 0.3 0.3 0.3 0.3 0.3 0.3 0.3 0.3 0 0 0 0.1; do
        printf '{"type":"frame","index":%d,"time":%s,"step":0.01}\n' $frame "0.$(printf %03d $((10 * frame)))"
        printf '{"type":"body","id":1,"shape":1,"position":[%s,0.0501],"velocity":[0.1,-0.5],"mass":0.25,"inertia":0.003,"mu":0.5}\n' $x
        printf '{"type":"body","id":2,"shape":2,"position":[0,-0.2],"motion":"fixed","mu":0.5}\n'
        printf '{"type":"body","id":3,"shape":1,"position":[0.05,0.1502],"mass":0.25,"inertia":0.003,"mu":0.5,"release":0.105}\n'
        printf '{"type":"fend"}\n'
        frame=$((frame + 1))
    done
    printf '{"type":"end"}\n'
}

@test "frames that come again are answered as if they were worked out, a later release and a changed table are noticed" {
    still_frames >in.jsonl
    # In frames 6 and 15 a table behind the bodies is another one.
    local stage
    for stage in "cd-broad" "cd-narrow" "cd-peg-assemble" "cd-lcp" "cd-step --energy"; do
        cd-view --no-prog -b in.jsonl >in.cdb
        # shellcheck disable=SC2086
        cd-view --no-prog -j in.cdb | $stage --no-prog -j >out.jsonl
        # shellcheck disable=SC2086
        $stage --no-prog --stats in.cdb 2>stats | cd-view --no-prog -j >again.jsonl
        cmp out.jsonl again.jsonl
        jq -e '.frames == 20 and .again >= 3 and .again < 12' stats >/dev/null
        # shellcheck disable=SC2086
        $stage --no-prog -l 6 in.cdb | cd-view --no-prog -j | cmp out.jsonl -
        [ "$stage" != cd-broad ] || [ "$(grep -c '"type":"pair"' out.jsonl)" -gt 20 ]
        python3 - <<'PYTHON' >in.jsonl
import json
frame = 0
for line in open("out.jsonl"):
    row = json.loads(line)
    frame = row["index"] if row["type"] == "frame" else frame
    if frame in (6, 15) and row["type"] == "contact":
        row["gap"] *= 0.5
    if frame in (6, 15) and row["type"] == "row":
        row["rhs"] *= 1.5
    if frame in (6, 15) and row["type"] == "value":
        row["z"] *= 0.5
    print(json.dumps(row))
PYTHON
    done
    # A body is new in the frame in which it is released, and in that alone; in one of number 0 all bodies are.
    {
        printf '{"type":"head","cds":[1,0],"dim":2,"length":0.1}\n{"type":"shape","id":1,"kind":"sphere","radius":0.5}\n'
        local frame
        for frame in 1 2 3 4 5 6 7 8 9 0 11 12; do
            printf '{"type":"frame","index":%d,"time":0.%02d,"step":0.01}\n' $frame $((frame ? frame : 10))
            printf '{"type":"body","id":1,"shape":1,"position":[0,0]}\n{"type":"body","id":2,"shape":1,"position":[0.5,0],"release":0.04}\n{"type":"fend"}\n'
        done
        printf '{"type":"end"}\n'
    } | cd-view --no-prog -b >released.cdb
    cd-overlap-metric --no-prog --stats released.cdb 2>stats | cd-view --no-prog -j >again.jsonl
    cd-view --no-prog -j released.cdb | cd-overlap-metric --no-prog | cmp - again.jsonl
    [ "$(jq -r 'select(.name == "overlap-released" and .value > 0.3).value' again.jsonl | wc -l)" -eq 2 ]
    jq -e '.again >= 3' stats >/dev/null
    # Options that remember, and --repeat, answer nothing.
    cd-lcp --warm --stats in.cdb 2>stats >/dev/null
    jq -e 'has("again") | not' stats >/dev/null
    cd-lcp --repeat 2 --stats in.cdb 2>stats >/dev/null
    jq -e 'has("again") | not' stats >/dev/null
}
