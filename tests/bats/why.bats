# cd-view --why: the story of two bodies, and ten faults planted in the stages that it must find.
load helper

# run MODEL FRAMES SCENE BROAD NARROW ASSEMBLE LCP: each what stands in the place of a stage; into run.jsonl
chain() { printf '%s | %s | %s | %s | cd-step -q' "${1:-cd-broad}" "${2:-cd-narrow -q}" "${3:-cd-peg-assemble -q}" "${4:-cd-lcp -q}"; }
run_scene() {
    local model=$1 frames=$2 scene=$3
    shift 3
    cd-loop -q -j --model "$model" --frames "$frames" "$BATS_TEST_DIRNAME/../../pipelines/$scene.yaml" -- "$(chain "$@")" >run.jsonl
}
plant() { echo "python3 $BATS_TEST_DIRNAME/why/plant.py $*"; }
fault() { cd-view --why "$1" "$2" --frame fault -j run.jsonl; }   # the story of the first frame that differs
sentence() { cd-view --why "$1" "$2" --frame fault run.jsonl | tail -n 1; }

# Two discs of radius 0.5 m, the first at rest, the second coming at 4 m/s from 0.06 m away: they meet within 0.01 s, not in
# the first 0.005 s.
discs() {
    cat <<J
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,0],"length":1${1:+,\"reach\":$1}}
{"type":"shape","id":1,"kind":"sphere","radius":0.5}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":3,"shape":1,"position":[0,0],"velocity":[0,0],"mass":1,"inertia":0.1}
{"type":"body","id":7,"shape":1,"position":[1.06,0],"velocity":[-4,0],"mass":1,"inertia":0.1}
{"type":"fend"}
{"type":"end"}
J
}

@test "--why: a sound run differs nowhere, whatever the model" {
    for model in separating peg standard; do
        run_scene $model 8 scenes/stack-5
        [ "$(sentence 2 3)" = "stream and bodies agree on the two in all 8 frames" ]
        fault 3 2 | holds '.verdict == "agree" and .differences == []'
    done
    for model in separating peg lnc; do
        run_scene $model 30 scenes-2d/corner
        [ "$(sentence 1 2)" = "stream and bodies agree on the two in all 30 frames" ]
    done
    cd-loop -q -j --model penalty --frames 30 "$SCENES/corner.yaml" -- 'cd-broad | cd-narrow --contacts depth | cd-penalty -q -k 1e4 | cd-step -q' >run.jsonl
    [ "$(sentence 1 2)" = "stream and bodies agree on the two in all 30 frames" ]
}

# ---- planted faults --------------------------------------------------------------------------------------------------

# of_stack FAULT STAGE RECORD WORD BROAD NARROW ASSEMBLE LCP: a fault in frame 5, between bodies 2 and 3 of a stack
of_stack() {
    run_scene separating 8 scenes/stack-5 "${@:5}"
    fault 2 3 | holds --arg stage "$2" --arg record "$3" --arg word "$4" \
        '.frame.index == 5 and .verdict == "fault" and (.differences[0] | .stage == $stage and .record == $record and .fault == $word)'
    [[ "$(sentence 2 3)" == "$2 is at fault, in table $3: "* ]]
    echo "$1: $(sentence 2 3)"
}

@test "--why: a lost pair" {
    of_stack lost-pair cd-broad pair lost "cd-broad | $(plant lost-pair 5 2 3)"
    [[ "$(sentence 2 3)" == *"2:0 and 3:0 are no candidate, though the boxes that the bodies give overlap by 0.00"* ]]
}
@test "--why: a box that is too small" {
    of_stack small-bounds cd-broad bounds too-small "cd-broad | $(plant small-bounds 5 2 3)"
    [[ "$(sentence 2 3)" == *"the box of 3:0 is too small: it leaves out 0.04"* ]]
}
@test "--why: a lost contact" {
    of_stack lost-contact cd-narrow contact lost '' "cd-narrow | $(plant lost-contact 5 2 3)"
    [[ "$(sentence 2 3)" == *"a contact of 2:0 and 3:0 at v4 v0 is not in the stream: the bodies give one of gap 1e-10 m, reach is 0.00794 m" ]]
}
@test "--why: a contact that is there twice" {
    of_stack doubled-contact cd-narrow contact doubled '' "cd-narrow | $(plant doubled-contact 5 2 3)"
    [[ "$(sentence 2 3)" == *"contact 5 of 2:0 and 3:0 at v4 v0 is there twice" ]]
}
@test "--why: a normal that is swapped" {
    of_stack swapped-normal cd-narrow contact swapped-normal '' "cd-narrow | $(plant swapped-normal 5 2 3)"
    [[ "$(sentence 2 3)" == *"at v4 v0: the normal is swapped, it points from b to a" ]]
}
@test "--why: a wrong depth" {
    of_stack wrong-depth cd-narrow contact gap '' "cd-narrow | $(plant wrong-depth 5 2 3)"
    fault 2 3 | holds '.contacts.list | map(select(.verdict == "gap")) | length == 1 and (.[0] | .gap_expected - .gap - 1e-3 | fabs < 1e-15)'
    [[ "$(sentence 2 3)" == *": the stream has gap "*" m, the bodies give "*" m" ]]
}
@test "--why: a wrong point" {
    of_stack wrong-point cd-narrow contact point '' "cd-narrow | $(plant wrong-point 5 2 3)"
    [[ "$(sentence 2 3)" == *": the stream's point is 0.005 m from that of the bodies" ]]
}
@test "--why: a separator that is not the step's" {
    run_scene separating 30 scenes-2d/corner '' "cd-narrow | $(plant stale-separator 22)"
    fault 1 2 | holds '.frame.index == 22 and (.differences[0] | .stage == "cd-narrow" and .fault == "separator")'
    [[ "$(sentence 1 2)" == *"contact 0 of 1:0 and 2:0 at v2 v0 is held by e2 of a, the bodies choose e3 of b" ]]
    fault 1 2 | holds '.separators.list[0] | .separator == "e3 of b" and .what == "chosen for the step" and (.stream | not)'
}
@test "--why: a wrong threshold" {
    # In frame 20 the diamond's contacts are applicable by 0.7 or by -0.7: a stage that takes all of them, and does not say so.
    run_scene peg 30 scenes-2d/corner '' '' 'cd-peg-assemble -q --no-prog --theta 1.5'
    fault 1 2 | holds '.differences[0] | .stage == "cd-peg-assemble" and .record == "constraint"'
    of_frame=$(fault 1 2 | jq .frame.index)
    cd-view --why 1 2 --frame "$of_frame" -j run.jsonl | holds '.constraints.judged | map(.least_applicability) | all(. + 0.2 | fabs < 1e-12)'
    # one that says so is not at fault
    run_scene peg 30 scenes-2d/corner '' '' 'cd-peg-assemble -q --theta 1.5'
    [ "$(sentence 1 2)" = "stream and bodies agree on the two in all 30 frames" ]
    # one constraint that a limit took which is not the run's
    run_scene separating 8 scenes/stack-5 '' '' "cd-peg-assemble | $(plant threshold 5 2 3)"
    [[ "$(sentence 2 3)" == "cd-peg-assemble is at fault, in table constraint: constraint U of contact "*" is not in the stream: its contacts are applicable and feasible" ]]
}
@test "--why: a reach that is too small" {
    discs | cd-broad | cd-narrow --reach 1e-3 >run.jsonl # at the end of the step they are 0.02 m apart
    [ "$(cd-view --why 3 7 run.jsonl | tail -n 1)" = \
        "no contact, the reach is too small: 0.02 m apart at their nearest (at the predicted pose), reach is 0.001 m, by cd-narrow --reach=1e-3 (automatic it would be 0.065 m)" ]
    cd-view --why 3 7 -j run.jsonl | holds '.verdict == "reach"'
    discs 1e-3 | cd-broad --reach 0.1 | cd-narrow >run.jsonl # of the head
    [[ "$(cd-view --why 3 7 run.jsonl | tail -n 1)" == *"reach is 0.001 m, by head.reach (automatic it would be 0.065 m)" ]]
    # boxes that see less far than cd-narrow looks
    discs | cd-broad --reach 1e-3 | cd-narrow >run.jsonl
    [[ "$(sentence 3 7)" == "cd-broad is at fault, in table prog: the boxes grow by a reach of 0.001 m (cd-broad --reach=1e-3), cd-narrow looks 0.065 m far (automatic)"* ]]
}
@test "--why: a wrong right-hand side, a wrong unknown" {
    of_stack wrong-rhs cd-peg-assemble row rhs '' '' "cd-peg-assemble | $(plant wrong-rhs 5 2 3)"
    [[ "$(sentence 2 3)" == *" (impulse) has rhs 0.5 in the stream, the contacts give "* ]]
    of_stack wrong-value cd-lcp value value '' '' '' "cd-lcp | $(plant wrong-value 5 2 3)"
}

@test "--why: a wrong entry, limit, mu, a friction beyond its disc" {
    of_stack wrong-entry cd-peg-assemble entry entry '' '' "cd-peg-assemble | $(plant wrong-entry 5 2 3)"
    [[ "$(sentence 2 3)" == *"the entry of row "*" (impulse) and column "*" is "*" in the stream, the contacts give "* ]]
    of_stack wrong-limit cd-peg-assemble row limits '' '' "cd-peg-assemble | $(plant wrong-limit 5 2 3)"
    [[ "$(sentence 2 3)" == *" (impulse) has limits -1 and inf in the stream, the contacts give 0 and inf" ]]
    # a box that slides: its friction is mu times the normal impulse
    printf 'step: 0.01\nepsilon: 1e-6\ngravity: [0, -10]\nbodies:\n  - {shape: {box: [4, 0.2]}, motion: fixed, position: [0, -0.2]}
  - {shape: {box: [0.1, 0.1]}, position: [0, 0.1], velocity: [1, 0], density: 100, mu: 0.4}\n' | sed 's/motion: fixed,/motion: fixed, mu: 0.4,/' >slide.yaml
    slide() { cd-scene -q slide.yaml | cd-loop -q -j --frames 4 -- "cd-broad | cd-narrow | cd-peg-assemble --friction disc | $1 cd-lcp | $2 cd-step" >run.jsonl; }
    slide
    [ "$(sentence 1 2)" = "stream and bodies agree on the two in all 4 frames" ]
    slide "$(plant wrong-mu 2) |"
    [[ "$(sentence 1 2)" == "cd-peg-assemble is at fault, in table row: row "*" (friction) has mu 0.8 in the stream, the materials give 0.4" ]]
    fault 1 2 | holds '.frame.index == 2 and .differences[0].fault == "mu"'
    slide "sed -u 's/\"mu\":0.4/\"mu\":0.5/' |" "sed -u 's/\"mu\":0.5/\"mu\":0.4/' |" # solved with another mu than the stream tells
    fault 1 2 | holds '.differences[0].fault == "disc"'
    [[ "$(sentence 1 2)" == "cd-lcp is at fault, in table value: row "*" (friction): "*" N s, its disc is mu 0.4 of the normal impulse: "*" N s" ]]
}

# changed FRAME FILTER: the records of a frame of run.jsonl, changed by a filter of jq
changed() {
    jq -nc "foreach inputs as \$r (-1; if \$r.type == \"frame\" then \$r.index else . end; if . == $1 then \$r | ($2) else \$r end)" run.jsonl >changed.jsonl
    says_no cmp -s run.jsonl changed.jsonl
    cp changed.jsonl run.jsonl
}
@test "--why: an end of the step that does not follow from its start" {
    for change in 'position[0] += 1e-6' 'velocity[0] += 1e-6' 'spin[0] += 1e-5' 'spin += 1e-5'; do
        a=2 b=3 frame=5 scene=scenes/stack-5
        [ "$change" != 'spin += 1e-5' ] || a=1 b=2 frame=22 scene=scenes-2d/corner # a plane
        run_scene separating $((frame + 3)) $scene
        changed $frame "if .type == \"next\" and .body == $b then .$change else . end"
        case $change in position*) word=position ;; velocity*) word=momentum ;; *) word=rotation ;; esac
        fault $a $b | holds ".frame.index == $frame and (.differences[0] | [.stage, .record, .fault] == [\"cd-step\", \"next\", \"$word\"])"
    done
    run_scene separating 8 scenes/stack-5
    changed 5 'if .type == "next" and .body == 3 then .velocity[0] += 0.5 else . end'
    mass=$(jq -n 'first(inputs | select(.type == "body" and .id == 3).mass)' run.jsonl)
    [ "$(sentence 2 3)" = "cd-step is at fault, in table next: body 3 ends the step with a momentum that is $(jq -n "$mass / 2") N s from what its start, gravity and contacts give" ]
    # what a bounce does is no fault; the step in which it does ends where the two meet, and goes on as another frame
    printf 'step: 0.01\nepsilon: 1e-6\ngravity: [0, -10]\nmaterials: {rubber: {density: 100}}\ninteractions: [{a: rubber, b: rubber, restitution: 0.5}]\nbodies:
  - {shape: {box: [4, 0.2]}, motion: fixed, position: [0, -0.2], material: rubber}\n  - {shape: {box: [0.1, 0.1]}, position: [0, 0.2], velocity: [0, -5], material: rubber}\n' |
        cd-scene -q | cd-loop -q -j --frames 8 >run.jsonl
    [ "$(sentence 1 2)" = "stream and bodies agree on the two in all 9 frames" ]
}

@test "--why: a certificate that is of other poses" {
    discs | jq -c 'if .type == "body" and .id == 7 then .position = [0.8, 0.8] | .velocity = [0, 0] else . end' >in.jsonl
    cd-broad in.jsonl | cd-narrow | cd-overlap-metric --certify >run.jsonl
    [ "$(sentence 3 7)" = "stream and bodies agree on the two in all 1 frames" ]
    cd-view --why 3 7 run.jsonl | found '^  certificate .* apart$'
    sed 's/"label":"apart"/"label":"overlapping"/' run.jsonl >wrong.jsonl
    mv wrong.jsonl run.jsonl
    [[ "$(sentence 3 7)" == "cd-overlap-metric is at fault, in table certificate: parts 0 and 0 are certified to be overlapping, the bodies give a gap of 0.1314 m at the start pose: "* ]]
    # the bodies have moved since: the story tells it, and the program that checks certificates refuses it
    cd-overlap-metric --certify in.jsonl | sed 's/"position":\[0.8,0.8\]/"position":[0.6,0.6]/' >run.jsonl
    fault 3 7 | holds '.differences | map([.stage, .fault]) == [["cd-overlap-metric", "stale"]]'
    [[ "$(sentence 3 7)" == *" certified to be apart, the bodies give a gap of -0.1515 m at the start pose: the certificate is of other poses, or wrong" ]]
    run -1 python3 "$BATS_TEST_DIRNAME/../../pipelines/python/verify.py" run.jsonl
    [[ "$output" == 'frame 0: certificate 3.0-7.0: '* ]]
}

@test "--why: the last frame" {
    run_scene separating 8 scenes/stack-5
    index=$(jq -n 'last(inputs | select(.type == "frame").index)' run.jsonl) # bodies alone
    cd-view --why 2 3 --frame last -j run.jsonl | holds ".frame.index == $((index - 1)) and .contacts.count > 0"
    cd-view --why 2 3 --frame $((index - 1)) -j run.jsonl | jq -S . >before
    cd-view --why 2 3 --frame last -j run.jsonl | jq -S . >last
    diff before last
    cd-view -b run.jsonl -o run.cdb
    cd-view --why 2 3 --frame last -j run.cdb | jq -S . | diff before -
    cd-view --why 2 --frame last run.jsonl | sed -n 1,2p | found '(the last that a stage worked on)$'
    # of a stream of bodies alone the last frame
    cd-view --type body run.jsonl | cd-view --why 2 3 --frame last -j | holds '.frame.index == '"$index"
    # rounds of the last step are told
    cd-loop -q -j --keep-trials --frames 2 "$BATS_TEST_DIRNAME/../../pipelines/scenes/overhang-out.yaml" >run.jsonl
    cd-view --why 1 2 --frame last -j run.jsonl | holds '.frame.round == 1 and (.rounds.list | map([.round, .accept])) == [[0, false], [1, true]]'
}

@test "--why: a stage of someone else" {
    # who pairs every body with every other one is not at fault; who swaps normals is, and is not called cd-narrow
    cat >all.jq <<'JQ'
foreach inputs as $r ([];
    if $r.type == "frame" then [] elif $r.type == "body" then . + [$r.id] else . end;
    (if $r.type == "fend" then sort as $id | range($id | length) as $j | range($j) as $i
        | {type: "pair", a: [$id[$i], 0], b: [$id[$j], 0]} else empty end), $r)
JQ
    run_scene separating 30 scenes-2d/corner "jq -nc --unbuffered -f $PWD/all.jq"
    [ "$(sentence 1 2)" = "stream and bodies agree on the two in all 30 frames" ]
    run_scene separating 8 scenes/stack-5 '' "cd-narrow --no-prog | $(plant swapped-normal 5 2 3)"
    [[ "$(sentence 2 3)" == "what stands in the place of cd-narrow is at fault, in table contact: contact 4 of 2:0 and 3:0 at v4 v0: the normal is swapped"* ]]
}

# ---- what it tells -----------------------------------------------------------------------------------------------------

@test "--why: reach, gaps and boxes are what arithmetic gives" {
    discs | cd-broad | cd-narrow --contacts distance >run.jsonl
    # 0.005 L + 1.5 h 4 m/s; gaps 0.06, then 0.02; boxes: radius, motion and half of 0.005 L, the second's motion too
    cd-view --why 7 3 -j run.jsonl | holds '
        def near(x): . - x | fabs < 1e-12;
        .bodies.list[0].body == 3 and (.reach | (.in_force | near(0.065)) and (.rest | near(0.005)) and .sway_a == 0 and (.sway_b | near(0.06)) and .source == "automatic")
        and (.motion | (.nearest | near(0.02)) and .nearest_share == 1 and .nearest_way == "predicted" and ([.poses[].gap] | (.[0] | near(0.06)) and (.[1] | near(0.02))))
        and (.bounds.boxes | map(select(.part == "3:0")) | length == 2 and all(.[]; (.max[0] | near(0.5025)) and (.min[1] | near(-0.5025))))
        and (.bounds.boxes | map(select(.part == "7:0")) | length == 2 and all(.[]; (.min[0] | near(0.52 - 0.0625)) and (.max[0] | near(1.56 + 0.0625))))
        and .contacts.count == 1 and .contacts.list[0].verdict == "same" and (.contacts.list[0].gap | near(0.06))'
}

@test "--why: apart, no candidate, left out" {
    discs | jq -c 'if .type == "body" and .id == 7 then .position[0] = 1.2 else . end' | cd-broad | cd-narrow >run.jsonl
    [ "$(cd-view --why 3 7 run.jsonl | tail -n 1)" = \
        "no candidate: their boxes are 0.095 m apart, 0.16 m apart at their nearest (at the predicted pose), reach is 0.065 m, automatic: 0.005 length 0.005 + motion 0.06" ]
    discs | jq -c 'if .type == "body" and .id == 7 then .position = [0.95, 0.95] | .velocity = [0, -4] else . end' | cd-broad | cd-narrow >run.jsonl # box to box, not disc to disc
    [[ "$(cd-view --why 3 7 run.jsonl | tail -n 1)" == "no contact: 0.3"*" m apart at their nearest (at the predicted pose), reach is 0.065 m, automatic"* ]]
    discs | jq -c 'if .type == "body" then .motion = "fixed" else . end' | cd-broad | cd-narrow >run.jsonl
    [ "$(cd-view --why 3 7 run.jsonl | tail -n 1)" = "no contact: neither body is dynamic: no contact could move them" ]
    discs | jq -c 'if .type == "body" and .id == 7 then .release = 2 else . end' | cd-broad | cd-narrow >run.jsonl
    [ "$(cd-view --why 3 7 run.jsonl | tail -n 1)" = "no contact: body 7 is not released before 2 s" ]
}

@test "--why: a stream that was cut names the stages to add" {
    discs >in.jsonl
    [[ "$(cd-view --why 3 7 in.jsonl | tail -n 1)" == "no contact is known: the stream was cut before cd-broad | cd-narrow; the bodies give 1, "* ]]
    [[ "$(cd-broad in.jsonl | cd-view --why 3 7 | tail -n 1)" == "no contact is known: the stream was cut before cd-narrow; the bodies give 1, "* ]]
    cd-broad in.jsonl | cd-narrow | cd-view --why 3 7 >story
    grep -q 'not in the stream: cd-peg-assemble makes them' story
    [ "$(tail -n 1 story)" = "one contact, the least gap is 0.06 m; what they bear is not in the stream, cd-step tells it" ]
}

@test "--why: impulses, and the rounds of a step" {
    discs | jq -c 'if .type == "body" and .id == 7 then .velocity = [-16, 0] else . end' | cd-loop -j --keep-trials --frames 2 >run.jsonl
    # 16 m/s times 0.01 s: they would be 0.1 m deep. The first takes over what the second loses: momentum and the gap give
    # v = 16 - p, 0.06 = (v_7 - v_3) h with v_3 = p, v_7 = 16 - p: p = 5 N s
    cd-view --why 3 7 -j run.jsonl | holds '.verdict == "bears" and (.rounds.list | last | .accept and (.impulse - 5 | fabs < 1e-6)) and (.end.gap | fabs < 1e-6)'
    cd-view --why 3 7 run.jsonl | tail -n 1 | found -E '^one contact, the least gap is .* m: body 7 is given 5 N s in the step$'
    cd-view --why 7 -j run.jsonl | holds '.verdict == "bears" and (.velocity | (.contacts[0] - 5 | fabs < 1e-6) and (.end[0] + 11 | fabs < 1e-6) and (.rest[0] | fabs < 1e-6))'
    cd-view --why 3 run.jsonl | found '^the one contact of body 3 bears: it gives it 5 N s in the step$'
    # a step of two rounds, told as one: the last of them is the one that is told
    cd-loop -j --keep-trials --frames 2 "$BATS_TEST_DIRNAME/../../pipelines/scenes/overhang-out.yaml" >run.jsonl
    cd-view --why 1 2 --frame 0 -j run.jsonl | holds '.frame.round == 1 and (.rounds.list | map([.round, .accept])) == [[0, false], [1, true]]'
    cd-view --why 1 2 --frame 0 run.jsonl | found '^rounds of the step'
}

@test "--why: parts of compounds, the nearest in full" {
    cat >comb.yaml <<'Y'
step: 0.01
gravity: [0, 0]
bodies:
  - {shape: {compound: [{shape: {box: [0.2, 1]}, position: [-1, 0]}, {shape: {box: [0.2, 1]}, position: [0, 0]}, {shape: {box: [0.2, 1]}, position: [1, 0]}]}, motion: fixed}
  - {shape: {circle: 0.1}, position: [0.301, 0.5], velocity: [-1, 0], density: 1}
Y
    cd-scene -q comb.yaml | cd-broad | cd-narrow >run.jsonl
    part=$(cd-view --why 1 2 -j run.jsonl | jq '.motion.parts[0].part_a')
    [ "$part" = 1 ]
    cd-view --why 1 2 -j run.jsonl | holds '.motion.parts[0].contacts == 1 and .motion.parts[0].contacts_expected == 1 and (.contacts.list | length == 1 and .[0].a == "1:1")'
    cd-view --why 1:2 2 -j run.jsonl | holds '.verdict == "no-candidate" and (.motion.parts | length) == 0'
    [[ "$(cd-view --why 2 1:0 run.jsonl | tail -n 1)" == "no candidate: "* ]]
}

@test "--why: bodies, parts and frames that are not there, and wrong words" {
    discs | cd-broad | cd-narrow >run.jsonl
    run -3 --separate-stderr cd-view --why 3 9 run.jsonl
    [ "$stderr" = "cd-view: --why: frame 0 has no body 9: its 2 bodies are 3, 7" ]
    run -3 --separate-stderr cd-view --why 3 7:1 run.jsonl
    [ "$stderr" = "cd-view: --why: body 7 has no part 1: it has 1, from 0" ]
    run -3 --separate-stderr cd-view --why 3 7 --frame 5 run.jsonl
    [ "$stderr" = "cd-view: --frame: the stream has no frame 5" ]
    run -2 cd-view --why 3 3 run.jsonl
    run -2 cd-view --why three 7 run.jsonl
    run -2 cd-view --why 3 7 --frame first run.jsonl
    run -2 cd-view --why 3 --frame fault run.jsonl
    run -2 cd-view --why 3 7 --check run.jsonl
    run -2 cd-view --frame 0 run.jsonl
    run -2 cd-view run.jsonl run.jsonl
    head -n 8 run.jsonl >cut.jsonl
    run -3 cd-view --why 3 7 cut.jsonl
}

@test "--why: text keeps to a width, JSON to the members of the manual" {
    run_scene peg 8 scenes/stack-5
    cd-view --why 2 3 run.jsonl >story
    [ "$(head -n -1 story | wc -L)" -le 100 ] # the last line is a sentence
    run_scene separating 8 scenes/slope
    [ "$(cd-view --why 1 2 run.jsonl | head -n -1 | wc -L)" -le 100 ]
    run_scene peg 8 scenes/stack-5
    cd-view --why 2 3 -j run.jsonl >story.json
    cd-view --why 2 -j run.jsonl >body.json
    [ "$(wc -l <story.json)" -eq 1 ]
    man=$BATS_TEST_DIRNAME/../../man/cd-view.1
    sed -n '/^Its members are objects/,/^The options common/p' "$man" | tr -c 'a-z_A-Z\n' ' ' | tr ' ' '\n' | sort -u >words
    jq -r '[.. | objects | keys[]] | unique[]' story.json body.json | while read -r key; do grep -qx "$key" words || { echo "not in the manual: $key"; return 1; }; done
}
