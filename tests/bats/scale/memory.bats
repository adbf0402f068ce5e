#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a large frame goes through outside of its stages takes memory that does not grow with it: a frame that is held would take 173 bytes a body.
# shellcheck shell=bash
load ../helper

needs_own_memory() {
    bash -c 'ulimit -v 200000; cd-view --version' >/dev/null || skip "memory is not told apart here (sanitizers hold much of their own)"
}

# peak NAME COMMAND...: its peak in KiB to the file NAME; its output goes on
peak() {
    local to=$1
    shift
    "$@" --stats 2>"$to.stats"
    jq -s 'last.peak_kib' "$to.stats" >"$to"
    [ -s "$to" ]
}

# little_more BEFORE AFTER MOST: files of peaks [KiB]
little_more() {
    local more=$(($(cat "$2") - $(cat "$1")))
    [ "$more" -lt "$3" ] || { echo "$1 to $2: $more KiB" >&2 && return 1; }
}

scenes() { # scenes N: boxes.yaml of N bodies, grid.yaml of as many
    printf 'dim: 3\ngenerate: [{generator: boxes, kind: uniform, count: %d}]\n' "$1" >boxes.yaml
    printf 'generate: [{generator: grid, count: [%d, 100], spacing: [1, 1], jitter: 0.2, body: {shape: {circle: 0.4}, density: 1}}]\n' $(($1 / 100)) >grid.yaml
}

@test "memory: cd-scene and cd-view --digest take no more for ten times the bodies, in both encodings" {
    needs_own_memory
    for n in 30000 120000; do
        scenes $n
        for scene in boxes grid; do
            for way in -b -j; do
                peak scene.$scene.$way.$n cd-scene -q $way $scene.yaml | peak digest.$scene.$way.$n cd-view --digest >$scene.$way
            done
            [ "$(cat $scene.-b)" = "$(cat $scene.-j)" ]
        done
    done
    for scene in boxes grid; do
        for way in -b -j; do
            little_more scene.$scene.$way.30000 scene.$scene.$way.120000 2000
            little_more digest.$scene.$way.30000 digest.$scene.$way.120000 2000
        done
    done
}

@test "memory: cd-shard and cd-merge take four bytes a body and shard more" {
    needs_own_memory
    for n in 60000 120000; do
        scenes $n
        cd-scene -q -b boxes.yaml >s.cdb
        rm -rf shards
        peak shard.$n cd-shard --grid 2x2x2 --box 0,0,0:1,1,1 -b -l 0 -o shards s.cdb
        peak merge.$n cd-merge -b shards/* | cd-view --digest >merged
        [ "$(cat merged)" = "$(cd-view --digest s.cdb)" ]
    done
    little_more shard.60000 shard.120000 4000
    little_more merge.60000 merge.120000 6000
}

@test "memory: a body's text goes with it through shards" {
    printf 'dim: 3\ngenerate: [{generator: boxes, kind: uniform, count: 40000, body: {group: quarry}}, {generator: boxes, kind: slabs, count: 4000}]\n' >s.yaml
    cd-scene -q -b s.yaml >s.cdb
    cd-shard --grid 3x1x2 -o shards s.cdb
    [ "$(cd-merge shards/* | cd-view --digest)" = "$(cd-view --digest s.cdb)" ]
}
