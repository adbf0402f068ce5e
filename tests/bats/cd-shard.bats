#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-shard: what a shard has, whose a pair is, options, refusals. That shards join to the whole: cd-merge.bats.
# shellcheck shell=bash
load helper

set_of() { python3 "$TESTS/bats/scale/sets.py" "$@"; }

@test "cd-shard: the tests of every tool" {
    check_help cd-shard
    check_version cd-shard
    check_unknown_option cd-shard
    check_no_frames cd-shard --grid 2x2 --box 0,0:1,1 --only 0
    check_missing_end cd-shard --grid 2x2 --box 0,0:1,1 --only 0
    check_truncated cd-shard --grid 2x2 --box 0,0:1,1 --only 0
    check_full_device cd-shard --grid 2x2 --box 0,0:1,1 --only 0
    check_encodings_agree cd-shard --grid 2x2 --box 0,0:1,1 --only 0
    check_foreign_record cd-shard --grid 2x2 --box 0,0:1,1 --only 0
}

@test "cd-shard: usage" {
    small_stream >s.jsonl
    run -2 --separate-stderr cd-shard s.jsonl
    [[ "$stderr" == *"--grid NxMxK or --own is needed"* ]]
    run -2 cd-shard --grid 2x2 s.jsonl
    run -2 --separate-stderr cd-shard --grid 2x2 -o - s.jsonl
    [ "$output$stderr" = "cd-shard: -o -: the shards go to a folder: -o DIR, or --only I for one" ]
    [ ! -e ./- ]
    cd-shard --grid 1x1 --only 0 -o - s.jsonl | cd-view --check
    for grid in 2 2x2x2 0x2 2x-1 2x2y x2 2x 99999x99999 2x2x; do
        run -2 --separate-stderr cd-shard --grid $grid --only 0 s.jsonl
        [[ "$stderr" == "cd-shard: --grid: "* ]]
    done
    for box in 0,0 0,0:1 1,0:0,1 0,0:1,1,1 0,0:1,x nan,0:1,1; do run -2 cd-shard --grid 2x2 --box $box --only 0 s.jsonl; done
    run -2 --separate-stderr cd-shard --grid 2x2 --only 4 s.jsonl
    [[ "$stderr" == *"the grid has cells 0 to 3"* ]]
    run -2 cd-shard --own --grid 2x2 s.jsonl
    run -2 --separate-stderr cd-shard --grid 2x2 --only 0 <s.jsonl
    [[ "$stderr" == *"--box is needed"* ]]
}

@test "cd-shard: a shard has the bodies whose boxes meet its cell, in closed form" {
    # squares of 0.2 about x = 0.5, 1.5, 2.5, 3.5 and one about the face at 2; reach 0.02 at rest: boxes grow by 0.01
    {
        echo '{"type":"head","cds":[1,0],"dim":2,"length":1,"reach":0.02}'
        echo '{"type":"shape","id":1,"kind":"box","halfsizes":[0.1,0.1]}'
        echo '{"type":"shape","id":2,"kind":"halfspace","normal":[0,1],"offset":0}'
        echo '{"type":"shape","id":3,"kind":"box","halfsizes":[1.2,0.1]}'
        echo '{"type":"frame","index":0,"time":0}'
        i=1
        for x in 0.5 1.5 2 2.5 3.5; do echo "{\"type\":\"body\",\"id\":$i,\"shape\":1,\"position\":[$x,0.5],\"mass\":1,\"inertia\":1}"; i=$((i + 1)); done
        echo '{"type":"body","id":6,"shape":2,"position":[0,0],"motion":"fixed"}'
        echo '{"type":"body","id":7,"shape":3,"position":[2,0.7],"mass":1,"inertia":1}'
        echo '{"type":"body","id":8,"shape":1,"position":[0.885,0.5],"mass":1,"inertia":1}'
        echo '{"type":"body","id":9,"shape":1,"position":[1.115,0.5],"mass":1,"inertia":1}'
        echo '{"type":"body","id":10,"shape":1,"position":[9,9],"release":1,"mass":1,"inertia":1}'
        echo '{"type":"body","id":11,"shape":1,"position":[9,9],"motion":"fixed"}'
        echo '{"type":"body","id":12,"shape":2,"position":[0,-1],"motion":"prescribed"}'
        echo '{"type":"fend"}'
        echo '{"type":"end"}'
    } >s.jsonl
    bodies() { cd-shard --grid 4x1 --box 0,0:4,1 --only "$@" s.jsonl | jq -r 'select(.type == "body").id' | paste -sd' '; }
    # 1 - 0.885 = 0.115 is beyond 0.1 + 0.01; the halo brings bodies 8 and 9 into each other's cell
    [ "$(bodies 0)" = "1 6 7 8 10 11 12" ]
    [ "$(bodies 1)" = "2 3 6 7 9 11 12" ]
    [ "$(bodies 2)" = "3 4 6 7 11 12" ]
    [ "$(bodies 3)" = "5 6 7 11 12" ]
    [ "$(bodies 0 --halo 0.006)" = "1 6 7 8 9 10 11 12" ]
    [ "$(bodies 1 --halo 0.006)" = "2 3 6 7 8 9 11 12" ]
    # all of them at once, and what each is
    cd-shard --grid 4x1 --box 0,0:4,1 -o all s.jsonl
    [ "$(ls all | paste -sd' ')" = "shard-00000.jsonl shard-00001.jsonl shard-00002.jsonl shard-00003.jsonl" ]
    for i in 0 1 2 3; do
        [ "$(cd-view --digest all/shard-0000$i.jsonl)" = "$(cd-shard --grid 4x1 --box 0,0:4,1 --only $i s.jsonl | cd-view --digest)" ]
        grep '"type":"shard"' all/shard-0000$i.jsonl | holds ".index == $i and .grid == [4,1] and .min == [0,0] and .max == [4,1] and .bodies == 12"
        cd-view --check all/shard-0000$i.jsonl
    done
    [ "$(jq 'select(.type == "shard").seal' all/* | sort -u | wc -l)" -eq 1 ]
}

@test "cd-shard --own: each pair is in exactly one shard, and none is lost" {
    for dim in 2 3; do
        set_of $dim 1 150 >s.jsonl
        grid=$([ $dim = 2 ] && echo 4x4 || echo 4x2x3)
        cd-broad s.jsonl | of_type pair | sort >whole
        [ "$(wc -l <whole)" -gt 300 ]
        rm -rf shards && cd-shard --grid $grid -o shards s.jsonl
        for shard in shards/*; do cd-broad "$shard" | cd-shard --own | of_type pair; done | sort >own
        diff whole own
        for shard in shards/*; do cd-broad "$shard" | of_type pair; done | sort >found
        [ "$(wc -l <found)" -gt "$(wc -l <own)" ]
        diff whole <(sort -u found)
    done
}

@test "cd-shard: what cannot be split is refused" {
    small_stream >s.jsonl
    refused() { # refused CODE TEXT: of x.jsonl, and nothing is left behind
        run "-$1" --separate-stderr cd-shard --grid 2x2 -o out x.jsonl
        [[ "$stderr" == *"$2"* ]]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [ -z "$(ls out)" ]
    }
    sed 's/,"length":0.1//' s.jsonl >x.jsonl
    refused 3 'head: length: required'
    sed 's/"body","id":2/"body","id":0/' s.jsonl >x.jsonl
    refused 3 'body 0 stands behind body 1'
    sed '/"fend"/i {"type":"trial","body":1,"position":[0,0],"rotation":0,"velocity":[0,0],"spin":0}' s.jsonl >x.jsonl
    refused 6 'sent again'
    sed 's/"position":\[0,0.0505\],//' s.jsonl >x.jsonl
    refused 3 'body 1: position: required'
    cd-shard --grid 1x1 --only 0 s.jsonl >x.jsonl
    refused 6 'a shard already'
    # --own of what is none
    run -3 --separate-stderr cd-shard --own <(cd-broad s.jsonl)
    [[ "$stderr" == *"not written by cd-shard"* ]]
    run -3 --separate-stderr cd-shard --own <(cd-broad --bounds none x.jsonl)
    [[ "$stderr" == *"has no bounds"* ]]
    # cd-shard makes no pairs: behind it too a missing cd-broad is noticed
    run -3 --separate-stderr cd-narrow x.jsonl
    [ "$stderr" = "cd-narrow: no pair in any frame: is cd-broad missing?" ]
}
