#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-diff: equal content in any form, every kind of difference, tolerances, exit codes.

load helper

full_stream() {
    small_stream | sed 's/^{"type":"body","id":2/{"type":"note","n":1}\n&/' |
        cd-loop --until 0.03 -- 'cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric'
}
# differs EXPECTED-LINE...: exactly these lines, exit 1
differs() {
    run -1 --separate-stderr cd-diff "${options[@]}" a.jsonl b.jsonl
    diff <(printf "$1\n") <(echo "$output")
}
options=()

@test "cd-diff: the tests of every tool" {
    check_help cd-diff
    check_version cd-diff
    check_unknown_option cd-diff
}

@test "cd-diff: usage and unreadable streams" {
    full_stream >a.jsonl
    run -2 --separate-stderr cd-diff a.jsonl
    [[ "$stderr" == *"two streams are needed"* ]]
    run -2 cd-diff a.jsonl a.jsonl a.jsonl
    run -2 cd-diff --frames x a.jsonl a.jsonl
    run -3 cd-diff a.jsonl <(sed '$d' a.jsonl)
    run -3 cd-diff <(head -c -9 a.jsonl) a.jsonl
    run -3 cd-diff /dev/null a.jsonl
    run -4 cd-diff a.jsonl no-such-file
    run -4 cd-diff a.jsonl <(sed 's/"mass":0.25/"mass":0.5/' a.jsonl) -o /dev/full
}

@test "cd-diff: encodings, order of rows, provenance, counts and defaults make no difference" {
    full_stream >a.jsonl
    run -0 --separate-stderr cd-diff a.jsonl <(cd-view -b a.jsonl)
    [ -z "$output$stderr" ]
    run -0 cd-diff - a.jsonl < <(cd-view -b -l 9 a.jsonl)
    run -0 cd-diff a.jsonl <(cd-view --counts a.jsonl)
    run -0 cd-diff a.jsonl <(grep -v '"prog"' a.jsonl)
    awk '/"type":"body"/ {held = $0 "\n" held; next} {printf "%s", held; held = ""; print}' a.jsonl >shuffled.jsonl
    run -0 cd-diff a.jsonl shuffled.jsonl
    run -0 cd-diff a.jsonl <(sed '0,/"motion":"fixed"/s//"motion":"fixed","mu":0/' a.jsonl)
}

@test "cd-diff: a member of a row" {
    full_stream >a.jsonl
    sed '0,/"velocity":\[0.1,-0.5\]/s//"velocity":[0.1,-0.25]/' a.jsonl >b.jsonl
    differs '0\tbody\t1\tvelocity[1]\t-0.5\t-0.25'
    sed '0,/"id":2,"shape":2/s//"id":2,"shape":1/' a.jsonl >b.jsonl
    differs '0\tbody\t2\tshape\t2\t1'
    sed '0,/"motion":"fixed"/s//"motion":"prescribed","group":"g"/' a.jsonl >b.jsonl
    differs '0\tbody\t2\tmotion\tfixed\tprescribed\n0\tbody\t2\tgroup\t-\tg'
    sed 's/"gravity":\[0,-9.8\]/"gravity":[0,-9.81]/' a.jsonl >b.jsonl
    differs 'head\thead\t\tgravity[1]\t-9.8\t-9.81'
    sed 's/\[\[-1,-0.2\]/[[-1,-0.3]/' a.jsonl >b.jsonl
    differs 'head\tshape\t2\tvertices[0][1]\t-0.2\t-0.3'
    sed '0,/"n":1/s//"n":2/' a.jsonl >b.jsonl
    differs '0\tnote\t{"n":1}\t(row)\tpresent\tabsent\n0\tnote\t{"n":2}\t(row)\tabsent\tpresent'
    sed '0,/"mass":0.25/s//"mass":0.25,"colour":"red"/' a.jsonl >b.jsonl
    differs '0\tbody\t1\t(other members)\t-\t{"colour":"red"}'
}

@test "cd-diff: a row more, and what refers to it; a frame more" {
    full_stream | cd-view --no-prog --type contact >a.jsonl
    # the first contact goes, the others are numbered anew: one difference, not a shift of all
    jq -c 'if .type=="contact" then (if .id==0 then empty else .id-=1 end) else . end' --unbuffered a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff --frames 1 a.jsonl b.jsonl
    [ "$(grep -c . <<<"$output")" -eq 1 ]
    [[ "$output" == $'1\tcontact\t1:0-2:0 '*$'\t(row)\tpresent\tabsent' ]]
    cd-view --no-prog --frames 0:2 a.jsonl >b.jsonl
    differs '3\tframe\t\t(row)\tpresent\tabsent'
    cd-view --no-prog --frames 0:3:2 a.jsonl >b.jsonl
    run -1 cd-diff b.jsonl a.jsonl
    [ "$(cut -f1,3,5,6 <<<"${lines[0]}")" = $'1\t\tabsent\tpresent' ]
}

@test "cd-diff: --abs and --rel" {
    full_stream | cd-view --no-prog --type body >a.jsonl
    sed '0,/"velocity":\[0.1,-0.5\]/s//"velocity":[0.1,-0.5005]/' a.jsonl >b.jsonl
    run -1 cd-diff a.jsonl b.jsonl
    run -0 cd-diff --abs 1e-3 a.jsonl b.jsonl
    run -1 cd-diff --abs 1e-4 a.jsonl b.jsonl
    run -0 cd-diff --rel 1e-3 a.jsonl b.jsonl
    run -1 cd-diff --rel 9e-4 a.jsonl b.jsonl
    # without tolerance bits count
    sed '0,/"velocity":\[0.1,-0.5\]/s//"velocity":[0.1,-0.5000000000000001]/' a.jsonl >b.jsonl
    differs '0\tbody\t1\tvelocity[1]\t-0.5\t-0.5000000000000001'
}

@test "cd-diff: --ignore, --frames, --max" {
    full_stream >a.jsonl
    sed 's/"mass":0.25/"mass":0.5/' a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff a.jsonl b.jsonl
    [ "$(wc -l <<<"$output")" -eq 4 ]
    [[ "$stderr" == "cd-diff: 4 differences" ]]
    run -0 cd-diff --ignore body a.jsonl b.jsonl
    run -0 cd-diff --ignore metric,body.mass a.jsonl b.jsonl
    run -1 cd-diff --ignore body.inertia a.jsonl b.jsonl
    run -1 --separate-stderr cd-diff --max 1 a.jsonl b.jsonl
    [ "$output" = "${lines[0]}" ]
    [[ "$stderr" == *"4 differences (--max shows more)"* ]]
    for frames in 2 last; do
        run -1 --separate-stderr cd-diff --frames $frames a.jsonl b.jsonl
        [ "$(wc -l <<<"$output")" -eq 1 ]
    done
    [ "${output%%$'\t'*}" = 3 ]
    sed 's/"n":1/"n":2/' a.jsonl >b.jsonl
    run -1 cd-diff a.jsonl b.jsonl
    run -0 cd-diff --ignore note a.jsonl b.jsonl
}

@test "cd-diff: says the same as the digest" {
    full_stream >a.jsonl
    answers=
    for case in 'peg -0.5' 'standard -0.5' 'lnc -0.5' 'peg -0.25'; do
        read -r model fall <<<"$case"
        small_stream | sed 's/"velocity":\[0.1,-0.5\]/"velocity":[0.1,'"$fall"']/; s/^{"type":"body","id":2/{"type":"note","n":1}\n&/' |
            cd-loop -b --until 0.03 -- "cd-broad | cd-narrow --contacts features | cd-peg-assemble --model $model | cd-lcp | cd-step --rounds 1 | cd-overlap-metric" >b.cdb
        same_digest=no
        [ "$(cd-view --digest a.jsonl)" = "$(cd-view --digest b.cdb)" ] && same_digest=yes
        if cd-diff a.jsonl b.cdb >out 2>&1; then [ $same_digest = yes ]; else [ $same_digest = no ]; fi
        answers+="$same_digest "
    done
    [ "$answers" = 'yes yes yes no ' ] # of contacts that only touch all models say the same
}

# ---- by pair ----

# Hulls thrown together: some 90 pairs with contacts, most of them overlap.
heap() {
    cat >heap.yaml <<'YAML'
dim: 3
epsilon: 1e-5
seed: 7
length: 0.3
generate:
  - {generator: grid, count: [5, 4, 4], spacing: [0.19, 0.2, 0.205], points: 12, scale: 0.25, body: {density: 500}}
YAML
    cd-scene -q heap.yaml | cd-broad --no-sweep --margin 0.02
}
# classes JSON-FILE: "class count" a line, of those that have pairs.
classes() { jq -r '.class | to_entries[] | select(.value > 0) | "\(.key) \(.value)"' "$1" | sort; }
# is_class EXPECTED-LINE...: what a.jsonl and b.jsonl differ by
is_class() {
    run -1 --separate-stderr cd-diff -j --by pair "${options[@]}" a.jsonl b.jsonl
    echo "$output" >told.json
    diff <(printf '%s\n' "$@") <(classes told.json)
}

@test "cd-diff --by pair: counts as another program counts them" {
    heap >pairs.jsonl
    for mode in distance depth volume; do cd-narrow --contacts $mode pairs.jsonl >$mode.jsonl; done
    for two in 'depth distance' 'volume depth' 'distance volume'; do
        set -- $two
        run -1 --separate-stderr cd-diff -j --by pair --gap 0.01 --normal 0.1 --point 10 "$1.jsonl" "$2.jsonl"
        echo "$output" >told.json
        python3 "$BATS_TEST_DIRNAME/../oracle/pair_classes.py" "$1.jsonl" "$2.jsonl" 0.003 0.1 >counted
        [ "$(wc -l <counted)" -ge 2 ]
        diff counted <(classes told.json)
        # the other way round missing and extra change places, nothing else does
        run -1 --separate-stderr cd-diff -j --by pair --gap 0.01 --normal 0.1 --point 10 "$2.jsonl" "$1.jsonl"
        echo "$output" >back.json
        diff <(classes told.json) <(classes back.json | sed 's/^missing/E/; s/^extra/missing/; s/^E/extra/' | sort)
        [ "$(jq -c .difference.point told.json)" = "$(jq -c .difference.point back.json)" ]
    done
}

@test "cd-diff --by pair: each class, planted" {
    heap | cd-narrow --contacts depth >a.jsonl
    # the 5 deepest pairs, and how many overlap
    jq -c 'select(.type == "contact")' a.jsonl | jq -s -c 'sort_by(.gap)[:5][].id' >deepest
    mapfile -t id <deepest
    pairs=$(grep -c '"contact"' a.jsonl)
    run -0 cd-diff --by pair a.jsonl a.jsonl
    jq -c "if .type == \"contact\" and .id == ${id[0]} then empty else . end" a.jsonl >b.jsonl
    is_class 'missing 1' "same $((pairs - 1))"
    jq -c "if .type == \"contact\" and .id == ${id[1]} then ., (.id = 1000) else . end" a.jsonl >b.jsonl
    is_class 'doubled 1' "same $((pairs - 1))"
    jq -c "if .type == \"contact\" and .id == ${id[2]} then .gap -= 0.001 else . end" a.jsonl >b.jsonl
    is_class 'other-depth 1' "same $((pairs - 1))"
    # 0.001 of the length 0.3 m is more than 0.0003 m
    options=(--gap 0.0034)
    run -0 cd-diff --by pair "${options[@]}" a.jsonl b.jsonl
    options=()
    jq -c "if .type == \"contact\" and .id == ${id[3]} then .normal |= map(-.) else . end" a.jsonl >b.jsonl
    is_class 'other-normal 1' "same $((pairs - 1))"
    [ "$(jq '.worst[0].normal' told.json)" = 3.141592653589793 ]
    # a point beyond what the depth of the contact explains
    jq -c "if .type == \"contact\" and .id == ${id[4]} then .point[0] += 1 else . end" a.jsonl >b.jsonl
    is_class 'other-point 1' "same $((pairs - 1))"
    # all at once, told apart
    jq -c "if .type != \"contact\" then . elif .id == ${id[0]} then empty elif .id == ${id[1]} then ., (.id = 1000) elif .id == ${id[2]} then .gap -= 0.001
        elif .id == ${id[3]} then .normal |= map(-.) elif .id == ${id[4]} then .point[0] += 1 else . end" a.jsonl >b.jsonl
    is_class 'doubled 1' 'missing 1' 'other-depth 1' 'other-normal 1' 'other-point 1' "same $((pairs - 5))"
    # the text names pair and class; -b streams are compared alike
    cd-view -b b.jsonl >b.cdb
    run -1 --separate-stderr cd-diff --by pair a.jsonl b.cdb
    [ "$stderr" = "cd-diff: 5 of $pairs pairs differ" ]
    read -r a b < <(jq -r "select(.type == \"contact\" and .id == ${id[3]}) | \"\(.a[0]):\(.a[1]) \(.b[0]):\(.b[1])\"" a.jsonl)
    grep -qE "^other-normal +0 +$a +$b +1 +1 " <<<"$output"
}

@test "cd-diff --by pair: a convention explains all pairs, a few faults stay faults" {
    heap | cd-narrow --contacts depth >a.jsonl
    pairs=$(grep -c '"contact"' a.jsonl)
    jq -c 'if .type == "contact" then .normal |= map(-.) else . end' a.jsonl >b.jsonl
    is_class "convention $pairs"
    [ "$(jq -c '.convention | [.normal_reversed, .gap_reversed, .margin]' told.json)" = '[true,false,0]' ]
    jq -c 'if .type == "contact" then .gap |= -. else . end' a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff -j --by pair a.jsonl b.jsonl
    [ "$(jq -c '.convention | [.normal_reversed, .gap_reversed, .margin]' <<<"$output")" = '[false,true,0]' ]
    [ "$(jq '.class.convention + .class.same' <<<"$output")" -eq "$pairs" ]
    jq -c 'if .type == "contact" then .gap += 0.0625 else . end' a.jsonl >b.jsonl
    is_class "convention $pairs"
    [ "$(jq '.convention.margin - 0.0625 | fabs < 1e-12' told.json)" = true ]
    # the sides exchanged: ids in the other order, normals turned with them
    jq -c 'if .type == "contact" then [.a, .b] as [$a, $b] | .a = $b | .b = $a | .normal |= map(-.) else . end' a.jsonl >b.jsonl
    is_class "convention $pairs"
    [ "$(jq -c '.convention | [.normal_reversed, .exchanged.left, .exchanged.right]' told.json)" = "[false,0,$pairs]" ]
    # reversed but for three pairs, and one lost
    jq -c 'if .type != "contact" or .id < 3 then . elif .id == 3 and .gap < -0.001 then empty else .normal |= map(-.) end' a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff -j --by pair a.jsonl b.jsonl
    [ "$(jq '.class["other-normal"]' <<<"$output")" -eq 3 ]
}

@test "cd-diff --by pair: several contacts a pair, other kinds, moved frames, missing candidates" {
    printf 'dim: 3\nepsilon: 1e-5\nlength: 1\nbodies:\n  - {shape: {box: [2, 2, 0.5]}, position: [0, 0, -0.5], motion: fixed}\n  - {shape: {box: [0.5, 0.5, 0.5]}, position: [0, 0, 0.4], density: 1}\n' |
        cd-scene -q | cd-broad >pairs.jsonl
    # four corners and one point inside them: one patch
    cd-narrow --contacts separating pairs.jsonl >a.jsonl
    cd-narrow --contacts depth pairs.jsonl >b.jsonl
    [ "$(grep -c '"contact"' a.jsonl)" -eq 4 ]
    run -0 cd-diff --by pair a.jsonl b.jsonl
    # a point outside of the patch by 0.25 m is told as that
    jq -c 'if .type == "contact" then .point[0] = 0.75 else . end' b.jsonl >c.jsonl
    run -1 --separate-stderr cd-diff -j --by pair a.jsonl c.jsonl
    [ "$(jq '.difference.point.largest - 0.25 | fabs < 1e-12' <<<"$output")" = true ]
    # contacts that take no part are none
    jq -c 'if .type == "contact" then .status = "deleted" else . end' b.jsonl >c.jsonl
    run -1 --separate-stderr cd-diff -j --by pair a.jsonl c.jsonl
    [ "$(jq -c '[.class.missing, .contacts.right, .no_candidate.missing]' <<<"$output")" = '[1,0,0]' ]
    # of a broad phase that lost the pair and has another one
    heap >pairs.jsonl
    cd-narrow --contacts depth pairs.jsonl >a.jsonl
    lost=$(jq -c 'select(.type == "contact")' a.jsonl | jq -s -c 'min_by(.gap) | [.a, .b]')
    jq -c "select(.type != \"pair\" or [.a, .b] != $lost)" pairs.jsonl | cd-narrow --contacts depth >b.jsonl
    run -1 --separate-stderr cd-diff -j --by pair a.jsonl b.jsonl
    [ "$(jq -c '[.class.missing, .no_candidate.missing, .worst[0].right.candidate]' <<<"$output")" = '[1,1,false]' ]
    run -1 --separate-stderr cd-diff --by body a.jsonl b.jsonl
    grep -qE '^missing .*\(1 no candidates in the other\)' <<<"$output"
}

@test "cd-diff --by pair: streams that cannot be compared say why" {
    heap >pairs.jsonl
    cd-narrow --contacts depth pairs.jsonl >a.jsonl
    run -3 --separate-stderr cd-diff --by pair a.jsonl pairs.jsonl
    [ "$stderr" = 'cd-diff: contact: the right stream has none: is cd-narrow missing?' ]
    run -3 --separate-stderr cd-diff --by pair pairs.jsonl pairs.jsonl
    small_stream | cd-broad | cd-narrow >plane.jsonl
    run -1 --separate-stderr cd-diff --by pair a.jsonl plane.jsonl
    [ "$stderr" = 'cd-diff: head: dim: 3 on the left, 2 on the right' ]
    run -2 cd-diff --by part a.jsonl a.jsonl
    # frames of one stream alone
    full_stream >a.jsonl
    cd-view --frames 0:2 a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff --by pair a.jsonl b.jsonl
    [[ "$stderr" == *'0 of 2 pairs differ, 1 frames are in one stream alone' || "$stderr" == *' 1 frames are in one stream alone' ]]
    run -4 cd-diff --by pair a.jsonl b.jsonl -o /dev/full
}

@test "cd-diff --replay: the worst pairs as streams of two bodies, and commands that run" {
    heap >pairs.jsonl
    cd-narrow --contacts depth pairs.jsonl >a.jsonl
    jq -c 'if .type == "contact" and .id % 7 == 0 then .gap -= 0.01 elif .type == "contact" and .id % 11 == 3 then empty else . end' a.jsonl |
        cd-view -b -o b.cdb
    run -1 --separate-stderr cd-diff -j --by pair --worst 2 --replay worst a.jsonl b.cdb
    echo "$output" >told.json
    [ "$(jq '.worst | length' told.json)" -ge 4 ]
    [ "$(ls worst | wc -l)" -eq "$(jq '3 * (.worst | length)' told.json)" ]
    for k in $(seq 0 $(($(jq '.worst | length' told.json) - 1))); do
        read -r name a b gap < <(jq -r "[.worst[:$k][] | .class] as \$before | .worst[$k] | .class as \$c
            | \"\(\$c)-\([\$before[] | select(. == \$c)] | length + 1) \(.a[0]) \(.b[0]) \(.left.gap)\"" told.json)
        # two bodies, their shapes, and what the streams had of them
        for side in left right; do
            cd-view --digest worst/$name.$side.jsonl
            [ "$(jq -c 'select(.type == "body").id' worst/$name.$side.jsonl | xargs)" = "$a $b" ]
            [ "$(jq -s '[.[] | select(.type == "body").shape] - [.[] | select(.type == "shape").id] == [] and ([.[] | select(.type == "shape")] | length <= 2)' worst/$name.$side.jsonl)" = true ]
        done
        cd-view --check worst/$name.left.jsonl # on the right some are wrong on purpose
        for type in body contact pair bounds; do
            diff <(grep "\"type\":\"$type\"" worst/$name.left.jsonl) <(cd-view -j --bodies "$a,$b" a.jsonl | grep "\"type\":\"$type\"")
            diff <(grep "\"type\":\"$type\"" worst/$name.right.jsonl) <(cd-view -j --bodies "$a,$b" b.cdb | grep "\"type\":\"$type\"")
        done
        # what it wrote runs, from anywhere, and tells the same
        (cd / && sh "$OLDPWD/worst/$name.sh") >shown 2>ran || true
        grep -q "^bodies $a (a) and $b (b)\$" shown
        grep -q "^${name%-*} .* $a:0 .* $b:0 " shown
        grep -q '</svg>' "worst/$name.svg"
        run -1 --separate-stderr cd-diff -j --by pair --length 1 --gap 3e-5 --point 0.003 worst/$name.left.jsonl worst/$name.right.jsonl
        [ "$(jq -c '.worst[0] | del(.frame)' <<<"$output")" = "$(jq -c ".worst[$k] | del(.frame)" told.json)" ]
    done
    # a stage gives the same contacts on the two alone
    for side in left right; do cd-narrow --contacts depth worst/other-depth-1.$side.jsonl | grep '"contact"' | jq -c 'del(.id)' >$side; done
    diff left right
    diff left <(jq -c 'select(.type == "contact") | del(.id)' worst/other-depth-1.left.jsonl)
    # a head without a length gets that of all bodies
    grep -v '"type":"prog"' a.jsonl | sed '1s/,"length":[^,}]*//' >c.jsonl
    run -1 cd-diff --by pair --worst 1 --replay short c.jsonl b.cdb
    [ "$(head -n 1 short/missing-1.left.jsonl | jq '.length')" = "$(cd-diff -j --by pair c.jsonl c.jsonl | jq .length)" ]
}

@test "cd-diff --replay: frames, rounds, compounds; what cannot be replayed" {
    printf 'dim: 2\nstep: 0.01\nbodies:\n  - {shape: {compound: [{shape: {box: [1, 1]}, position: [-1, 0]}, {shape: {circle: 0.4}, position: [1, 0]}]}, motion: fixed}
  - {shape: {circle: 0.5}, position: [-1, 1], density: 1}\n  - {shape: {circle: 0.3}, position: [1, 0.6], velocity: [0, -1], density: 1}\n' | cd-scene -q >scene.jsonl
    cd-loop -j --keep-trials --frames 5 scene.jsonl >a.jsonl
    jq -c 'if .type == "contact" and .b[0] == 3 then .gap += 0.5 else . end' a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff -j --by pair --replay worst a.jsonl b.jsonl
    for k in 1 2; do
        frame=$(jq -c 'select(.type == "frame") | [.index, .round // 0]' worst/other-depth-$k.left.jsonl)
        [ "$frame" = "$(jq -c ".worst[$k - 1] | [.frame, .round]" <<<"$output")" ]
        # of the compound both parts stay, of the circles one
        [ "$(jq -r 'select(.type == "shape").kind' worst/other-depth-$k.left.jsonl | sort | xargs)" = 'box compound sphere sphere' ]
        cd-view --check worst/other-depth-$k.left.jsonl
    done
    run -2 --separate-stderr cd-diff --by pair --replay worst a.jsonl b.jsonl
    [ "$stderr" = 'cd-diff: --replay: worst: there are files in it already' ]
    run -2 --separate-stderr cd-diff --replay new a.jsonl b.jsonl
    [ "$stderr" = 'cd-diff: --replay: goes with --by pair or --by body' ]
    run -2 --separate-stderr cd-diff --by pair --replay new a.jsonl <(cat b.jsonl)
    [[ "$stderr" == *': the right stream is read twice: it must be a file, not a pipe' ]]
    run -2 cd-diff --by pair --replay new - b.jsonl <a.jsonl
    run -4 cd-diff --by pair --replay no/folder a.jsonl b.jsonl
    run -0 cd-diff --by pair --replay none a.jsonl a.jsonl
    [ -z "$(ls none)" ]
    # by bodies, into a folder that is there
    run -1 cd-diff --by body --replay none a.jsonl b.jsonl
    grep -q '^cd-view --why 1 3 other-depth-1.left.jsonl$' none/other-depth-1.sh
}

@test "cd-diff --ignore: types and members that are none are refused" {
    small_stream >a.jsonl
    says() { run -2 --separate-stderr cd-diff --ignore "$1" a.jsonl a.jsonl && [ "$stderr" = "cd-diff: --ignore: $2" ]; }
    says contcat "there is no record type contcat; did you mean contact?"
    says metric,bodies.mass "there is no record type bodies; did you mean body?"
    says body.mas "body has no member mas; see cd-view --fields"
    says contact.gapp,metric "contact has no member gapp; see cd-view --fields"
    cd-diff --ignore body.mass,note,note.text a.jsonl a.jsonl
}

# ---- where, and how much ----

@test "cd-diff --first: faults of one bit are found, in frame, table and record" {
    small_stream | cd-loop --until 0.1 >loop.jsonl
    python3 "$BATS_TEST_DIRNAME/../oracle/single_bits.py" loop.jsonl 60 5 >told || { cat told; return 1; }
    grep -qE '^[0-9]+ located, [0-9]+ refused, 0 not found$' told
}

@test "cd-diff --first: what follows from it, frames of one stream, the head, nothing" {
    full_stream >a.jsonl
    run -0 --separate-stderr cd-diff --first a.jsonl a.jsonl
    [ -z "$output" ]
    sed '0,/"gap":0/s//"gap":1/' a.jsonl >b.jsonl
    says_no diff -q a.jsonl b.jsonl
    run -1 --separate-stderr cd-diff --first a.jsonl b.jsonl
    [[ "${lines[0]}" == 'first difference: frame '*', table contact (cd-narrow), record '* ]]
    run -1 --separate-stderr cd-diff --first -j a.jsonl b.jsonl
    [ "$(jq -c '[.table, .stage, .bodies, .members[0].member, .chain[0].differ]' <<<"$output")" = '["contact","cd-narrow",[1,2],"gap",1]' ]
    cd-view --frames 0:2 a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff --first a.jsonl b.jsonl
    [[ "$output" == 'first difference: frame 3 is in the left stream alone'* ]]
    sed 's/"gravity":\[0,-9.8\]/"gravity":[0,-9.81]/' a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff --first a.jsonl b.jsonl
    [[ "${lines[0]}" == 'first difference: head, table head'* ]]
    run -2 cd-diff --first --summary a.jsonl b.jsonl
}

@test "cd-diff --summary: counts by table and member, the largest difference" {
    full_stream >a.jsonl
    run -0 --separate-stderr cd-diff --summary a.jsonl a.jsonl
    jq -c 'if .type == "body" and .id == 1 then .velocity[0] += 0.25 | .velocity[1] += 0.5 else . end' a.jsonl >b.jsonl
    run -1 --separate-stderr cd-diff --summary -j a.jsonl b.jsonl
    bodies=$(grep -c '"type":"body","id":1,' a.jsonl)
    [ "$(jq -c '.tables[] | select(.differ > 0) | [.table, .differ, .members[].member, .members[].differ, (.members[].largest.value | . * 1000 | round)]' <<<"$output")" = \
        "[\"body\",$bodies,\"velocity\",$((2 * bodies)),500]" ]
    run -1 --separate-stderr cd-diff --summary a.jsonl b.jsonl
    grep -qE "^  velocity \[m/s\] +$((2 * bodies)) +0.5 " <<<"$output"
}
