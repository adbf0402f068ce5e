#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-islands: parts have whole islands, every row once, and their solutions are those of the whole.
# shellcheck shell=bash
load helper

# Columns of three boxes on a half-space: so many islands. columns X Y
columns() {
    printf 'dim: 3\ngravity: [0, 0, -9.81]\nstep: 0.01\nbodies:\n  - {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed, mu: 0.4}\ngenerate:\n  - {generator: grid, count: [%s, %s, 3], spacing: [0.5, 0.5, 0.199], origin: [0, 0, 0.1], jitter: 0.0004, body: {shape: {box: [0.1, 0.1, 0.1]}, density: 500, mu: 0.4}}\n' "$1" "$2" |
        cd-scene -q -b -
}
problem() { cd-broad | cd-narrow -q | cd-peg-assemble -q --friction "$1"; }
solved() { for part in parts/part-?????.cdb; do cd-lcp -q -o "$part.s" "$part"; done; }
values() { cd-view --type "body,contact,row,value${2:-}" "$1" | cd-view --digest; }

@test "cd-islands: the tests of every tool" {
    check_help cd-islands
    check_version cd-islands
    check_unknown_option cd-islands
    small_stream >s.jsonl
    run -2 cd-islands s.jsonl
    run -2 cd-islands --parts 2 s.jsonl
    run -2 cd-islands --parts 0 -o d s.jsonl
    run -2 --separate-stderr cd-islands --parts 2 -o - s.jsonl
    [ "$output$stderr" = "cd-islands: -o -: the parts go to a folder: -o DIR" ]
    run -2 cd-islands --parts 2 --join -o d s.jsonl
    run -2 cd-islands --parts 2 -o d s.jsonl s.jsonl
    run -3 cd-islands --parts 2 -o d <(sed '$d' s.jsonl)
    [ -z "$(ls d)" ]
    run -4 bash -c 'problem disc <s.jsonl >p.jsonl; cd-islands --parts 1 -o d p.jsonl; cd-lcp -o d/s d/part-00000.jsonl; cd-islands --join d/s <p.jsonl >/dev/full' < <(declare -f problem)
}

@test "cd-islands: every part has whole islands and like many, in closed form" {
    columns 4 3 | problem off >p.cdb
    cd-islands --parts 5 -o parts p.cdb
    for part in parts/*; do
        cd-view --check "$part" >/dev/null
        cd-view -j "$part" | jq -rs 'map(select(.type == "body" and .motion != "fixed").id) | join(" ")'
    done >dealt
    # twelve columns of 3, two or three a part; the boxes of a column are 12 ids apart
    [ "$(awk '{print NF}' dealt | sort -n | paste -sd' ')" = "6 6 6 9 9" ]
    [ "$(tr ' ' '\n' <dealt | sort -n | paste -sd' ')" = "$(seq 2 37 | paste -sd' ')" ]
    awk '{ split("", n); for (i = 1; i <= NF; i++) n[($i - 2) % 12]++; for (c in n) if (n[c] != 3) exit 1 }' dealt
    [ "$(for part in parts/*; do cd-view -j "$part" | jq 'select(.type == "row").id'; done | sort -n | uniq -d | wc -l)" -eq 0 ]
}

@test "cd-islands: joined solutions are those of the whole, to the bit, and so is the step" {
    for friction in off pyramid disc; do
        columns 3 3 | problem $friction >p.cdb
        cd-lcp p.cdb >whole.cdb
        for n in 1 3 20; do
            rm -rf parts && cd-islands --parts $n -o parts p.cdb
            solved
            cd-islands --join parts/*.s <p.cdb >joined.cdb
            [ "$(values joined.cdb)" = "$(values whole.cdb)" ]
            cd-view --check joined.cdb
        done
        [ "$(cd-step joined.cdb | cd-view --type body,next,force | cd-view --digest)" = "$(cd-step whole.cdb | cd-view --type body,next,force | cd-view --digest)" ]
        [ "$(cd-view -j joined.cdb | jq -c 'select(.type == "solution") | [.status, .iterations]')" = "$(cd-view -j whole.cdb | jq -c 'select(.type == "solution") | [.status, .iterations]')" ]
    done
}

@test "cd-islands: a frame without rows, JSON-lines, a status that is not solved" {
    columns 2 2 | problem off | cd-view -j >p.jsonl
    grep -v '"type":"\(row\|entry\|constraint\|contact\)"' p.jsonl >empty.jsonl
    cd-islands --parts 2 -o none empty.jsonl
    columns 2 2 | problem disc | cd-view -j >p.jsonl
    cd-islands --parts 3 -o parts p.jsonl
    for part in parts/part-0000?.jsonl; do cd-lcp -q --max-iterations 1 -o "$part.s" "$part"; done
    cd-islands --join parts/*.s <p.jsonl >joined.jsonl
    cd-lcp -q --max-iterations 1 p.jsonl >whole.jsonl
    for stream in joined whole; do jq -r 'select(.type == "solution").status' $stream.jsonl >$stream.status; done
    diff joined.status whole.status
}

@test "cd-islands: parts that do not make up the whole are refused" {
    columns 3 2 | problem off >p.cdb
    cd-islands --parts 3 -o parts p.cdb
    solved
    cd parts
    refused() { # refused TEXT PART...
        run -3 --separate-stderr bash -c 'cd-islands --join -o ../joined.cdb "$@" <../p.cdb' _ "${@:2}"
        [[ "$stderr" == *"$1"* ]]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [ ! -e ../joined.cdb ]
    }
    refused 'no part has a value: is one missing?' part-0000[02].cdb.s
    refused 'part-00001.cdb.s: row ' part-0000[0121].cdb.s part-00001.cdb.s
    refused 'has no solution: is cd-lcp missing?' part-0000[02].cdb.s part-00001.cdb
    head -c -50 part-00001.cdb.s >cut
    refused 'cut' part-0000[02].cdb.s cut
    cd-view -j part-00001.cdb | sed '0,/"rhs":\([^,}]*\)/s//"rhs":0.125/' | cd-lcp -q >odd
    refused 'odd: row ' part-0000[02].cdb.s odd
    cd-view -j part-00001.cdb.s | sed 's/"frame","index":0/"frame","index":1/' >odd
    refused 'odd: has frame 1 in its place' part-0000[02].cdb.s odd
}
