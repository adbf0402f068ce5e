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
    for model in peg standard lnc; do
        small_stream | sed 's/^{"type":"body","id":2/{"type":"note","n":1}\n&/' |
            cd-loop -b --until 0.03 -- "cd-broad | cd-narrow --contacts features | cd-peg-assemble --model $model | cd-lcp | cd-step --rounds 1 | cd-overlap-metric" >b.cdb
        same_digest=no
        [ "$(cd-view --digest a.jsonl)" = "$(cd-view --digest b.cdb)" ] && same_digest=yes
        if cd-diff a.jsonl b.cdb >out 2>&1; then [ $same_digest = yes ]; else [ $same_digest = no ]; fi
    done
}
