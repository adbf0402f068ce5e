#!/usr/bin/env bats
# Every past failure: tests/bad/ROOM/NAME.CODE.EXTENSION must end with exit CODE, at most one line on stderr, and no crash in any tool.
# NAME.command beside it holds the command it broke; without one, cd-view -j (scenes: cd-scene) is run.
# shellcheck shell=bash
load helper

BAD=$BATS_TEST_DIRNAME/../bad

one_line() { [ "$(wc -l <"$1")" -le 1 ] && ! grep -qE 'Sanitizer|runtime error' "$1"; }

@test "each past failure ends as it should" {
    failed=0
    [ "$(find "$BAD" -name '*.[0-6].*' | wc -l)" -ge 17 ] # a pattern that finds nothing tests nothing
    for file in "$BAD"/*/*.[0-6].*; do
        base=$(basename "$file")
        code=${base%.*}
        code=${code##*.}
        command="cd-view -j"
        [ "${file##*.}" != yaml ] || command=cd-scene
        [ ! -e "${file%.[0-6].*}.command" ] || command=$(cat "${file%.[0-6].*}.command")
        status=0
        timeout 20 bash -c "$command" <"$file" >out 2>err || status=$?
        if [ "$status" -ne "$code" ] || ! one_line err; then
            echo "$base: exit $status: $(cat err)"
            failed=1
        fi
    done
    [ "$failed" -eq 0 ]
}

@test "no past failure crashes any tool" {
    failed=0
    for file in "$BAD"/*/*.jsonl "$BAD"/*/*.cdb "$BAD"/*/*.gz; do
        [ -e "$file" ] || continue
        for tool in cd-broad cd-narrow cd-peg-assemble cd-lcp cd-step cd-overlap-metric cd-view "cd-view -b" "cd-view --digest" "cd-view --table" "cd-plot -o picture.svg"; do
            status=0
            # shellcheck disable=SC2086
            timeout 20 $tool -q <"$file" >out 2>err || status=$?
            if [ "$status" -gt 6 ] || ! one_line err; then
                echo "$tool, $(basename "$file"): exit $status: $(cat err)"
                failed=1
            fi
        done
    done
    [ "$failed" -eq 0 ]
}
