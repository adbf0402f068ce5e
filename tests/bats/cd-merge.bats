#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-merge: shards that stages worked on join to what the stages make of the whole; whatever is wrong with a shard is told.
# shellcheck shell=bash
load helper

set_of() { python3 "$TESTS/bats/scale/sets.py" "$@"; }

# What merging keeps: all but metrics, which are of a stage's own run.
digest() { cd-view --type head,shape,frame,body,bounds,pair,contact,note "$1" | cd-view --digest; }

# of_shards FILE GRID OUT STAGES: by shards; every second run with --own
of_shards() {
    rm -rf shards done && mkdir done
    cd-shard --grid "$2" --box "$box" -l 0 -o shards "$1"
    for shard in shards/*; do bash -o pipefail -c "$4" <"$shard" >"done/$(basename "$shard")"; done
    cd-merge done/* >"$3"
}

@test "cd-merge: the tests of every tool" {
    check_help cd-merge
    check_version cd-merge
    check_unknown_option cd-merge
    small_stream >small.jsonl
    run -3 --separate-stderr cd-merge small.jsonl
    [[ "$stderr" == *"small.jsonl"*"not written by cd-shard"* ]]
    cd-shard --grid 1x1 --only 0 small.jsonl >one.jsonl
    run -4 --separate-stderr bash -c 'cd-merge one.jsonl >/dev/full'
    [[ "$stderr" == "cd-merge: stdout: write: "* ]]
    cd-merge <one.jsonl >again.jsonl
    [ "$(cd-view --digest again.jsonl)" = "$(cd-view --digest small.jsonl)" ]
}

@test "cd-merge: random sets by 1, 8 and 64 shards equal the whole, pairs and contacts" {
    n=0
    for dim in 2 3; do
        box=$([ $dim = 2 ] && echo 0,0:1,1 || echo 0,0,0:1,1,1)
        for seed in 1 2; do
            set_of $dim $seed 120 | cd-view -b >s.cdb
            for contacts in separating depth; do
                cd-broad s.cdb | cd-narrow -q --contacts $contacts >whole.cdb
                [ "$(cd-view -j whole.cdb | grep -c '"contact"')" -gt 100 ]
                for grid in 1x1 4x2 8x8; do
                    [ $dim = 2 ] || grid=$(sed 's/1x1/1x1x1/; s/4x2/2x2x2/; s/8x8/4x4x4/' <<<$grid)
                    n=$((n + 1))
                    own=$([ $((n % 2)) = 0 ] && echo cd-shard --own || echo cat)
                    of_shards s.cdb $grid merged.cdb "cd-broad | $own | cd-narrow -q --contacts $contacts"
                    [ "$(digest merged.cdb)" = "$(digest whole.cdb)" ]
                done
            done
        done
    done
    [ $n -eq 24 ]
    cd-view --check merged.cdb
}

@test "cd-merge: either encoding, any order of operands, several frames, surfaces of facets" {
    box=0,0,0:1,1,0.5
    cd-scene -q "$CASES/same/mixed3.yaml" | cd-loop -q --frames 3 -- 'cd-step --rounds 1' >s.jsonl
    cd-broad s.jsonl | cd-narrow -q >whole.jsonl
    of_shards s.jsonl 2x2x2 merged.jsonl 'cd-broad | cd-narrow -q'
    [ "$(digest merged.jsonl)" = "$(digest whole.jsonl)" ]
    [ "$(grep -c '"type":"fend"' merged.jsonl)" -eq "$(grep -c '"type":"fend"' s.jsonl)" ]
    of_shards s.jsonl 2x2x2 merged.jsonl 'cd-broad -b | cd-shard --own | cd-narrow -q'
    [ "$(digest merged.jsonl)" = "$(digest whole.jsonl)" ]
    # shellcheck disable=SC2046
    cd-merge -b $(ls -r done/*) >backwards.cdb
    [ "$(digest backwards.cdb)" = "$(digest whole.jsonl)" ]
}

@test "cd-merge: bodies of elements are in every shard, with their nodes" {
    box=0,0:1,1
    printf 'step: 0.02\nlength: 0.1\nmaterials: {m: {density: 2, bulk: 3, shear: 1}}\nbodies: [{mesh: {box: [1, 0.2], cells: [4, 1]}, material: m, pinballs: {split: 1}}, {mesh: {circle: 0.5, cells: 2}, material: m, pinballs: {}, position: [0, 0.6], velocity: [0, -1]}]\n' | cd-scene -q -o s.jsonl -
    cd-broad s.jsonl | cd-narrow -q --contacts pinball >whole.jsonl
    [ "$(grep -c '"contact"' whole.jsonl)" -gt 0 ]
    of_shards s.jsonl 2x2 merged.cdb 'cd-broad -b | cd-shard --own | cd-narrow -q --contacts pinball'
    nodes() { cd-view --type node,bounds,pair,contact "$1" | cd-view --digest; }
    [ "$(nodes merged.cdb)" = "$(nodes whole.jsonl)" ]
}

@test "cd-merge: a shard that is missing, cut, doubled, of another run or changed is named" {
    box=0,0:1,1
    set_of 2 3 80 >s.jsonl
    of_shards s.jsonl 3x2 ok.jsonl 'cd-broad | cd-narrow -q'
    refused() { # refused TEXT OPERAND...
        run -3 --separate-stderr cd-merge -o out.cdb "${@:2}"
        [[ "$stderr" == *"$1"* ]] || { echo "$stderr"; return 1; }
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [ ! -e out.cdb ]
    }
    cd done
    all=(shard-*)
    refused 'shard 3 is there twice: shard-00003.jsonl and copy' "${all[@]}" "$(cp shard-00003.jsonl copy && echo copy)"
    refused 'shard 4 of 6 is missing' shard-0000[01235].jsonl
    for size in 1000 5000 -1 -20; do
        head -c $size shard-00002.jsonl >../cut
        refused 'cut:' shard-0000[01345].jsonl ../cut
    done
    # of a shard alone, another seed, another grid, a body that moved, a contact that changed
    python3 "$TESTS/bats/scale/sets.py" 2 4 80 | sed 's/"index": 4/"index": 3/; s/"seed": 4/"seed": 3/' >../other.jsonl
    cd-shard --grid 3x2 --box 0,0:1,1 --only 5 ../other.jsonl >../odd
    refused '../odd: shape: differs' shard-0000[01234].jsonl ../odd
    cd-shard --grid 2x3 --box 0,0:1,1 --only 5 ../s.jsonl >../odd
    refused '../odd' shard-0000[01234].jsonl ../odd
    sed '0,/"motion":"fixed"/s//"motion":"prescribed"/' shard-00005.jsonl >../odd
    refused 'body: motion differs' shard-0000[01234].jsonl ../odd
    sed '/"type": "frame"/s/"step": 0.01/"step": 0.02/' shard-00005.jsonl >../odd
    refused '../odd: frame 3: differs' shard-0000[01234].jsonl ../odd
    sed '/"type":"fend"/d; s/^{"type":"end"}/{"type":"constraint","id":0,"kind":"U","primary":[0]}\n{"type":"fend"}\n&/' shard-00001.jsonl >../odd
    run -6 --separate-stderr cd-merge shard-0000[02345].jsonl ../odd
    [[ "$stderr" == *"../odd: constraint: a table of one shard alone"* ]]
    # pairs out of order, a body left out of all shards
    awk '/"type":"pair"/ && !held {held = $0; next} {print} held && /"type":"pair"/ && !put {print held; put = 1}' shard-00000.jsonl >../odd
    refused 'in the order of bodies and parts' ../odd shard-0000[12345].jsonl
}

@test "cd-merge: a halo that is too small for the bounds is noticed, a larger one is enough" {
    box=0,0:1,1
    set_of 2 5 80 >s.jsonl
    cd-shard --grid 4x4 --box $box -o shards s.jsonl
    mkdir done
    for shard in shards/*; do cd-broad --margin 0.05 "$shard" >"done/$(basename "$shard")"; done
    run -3 --separate-stderr cd-merge done/*
    [[ "$stderr" == *"the halo is too small: the bounds of body "*" reach into shard "* ]]
    cd-shard --grid 4x4 --box $box --halo 0.05 -o shards s.jsonl
    for shard in shards/*; do cd-broad --margin 0.05 "$shard" >"done/$(basename "$shard")"; done
    cd-merge done/* >merged.jsonl
    cd-broad --margin 0.05 s.jsonl >whole.jsonl
    [ "$(digest merged.jsonl)" = "$(digest whole.jsonl)" ]
}
