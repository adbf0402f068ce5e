#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install and make uninstall, into a folder of their own.
load helper

ROOT=$BATS_TEST_DIRNAME/../..

setup_file() {
    BUILD=$(cd "${CD_BIN:-$ROOT/build/release/bin}/.." && pwd)
    export BUILD
}

# place TARGET: runs it with what is already built, for the prefix /opt under the test's folder.
place() {
    make --no-print-directory -s -C "$ROOT" "$1" BUILD="$BUILD" DESTDIR="$PWD/dest" PREFIX=/opt
}

@test "what make install puts there works, and make uninstall leaves nothing" {
    place install
    [ "$(cd dest/opt/bin && echo cd-*)" = "$(cd "$ROOT/tools" && echo cd-*)" ]
    PATH="$PWD/dest/opt/bin:$PATH"
    [ "$(command -v cd-scene)" = "$PWD/dest/opt/bin/cd-scene" ]
    local scene scenes=dest/opt/share/cdtools/scenes
    [ "$(echo $scenes/*.yaml | wc -w)" -ge 15 ]
    for scene in "$scenes"/*.yaml; do cd-scene -q "$scene" | cd-view --check; done
    cd-scene "$scenes/corner.yaml" | cd-broad -b >corner.cdb
    [ "$(python3 dest/opt/share/cdtools/python/cdstream.py corner.cdb | cd-view --digest)" = "$(cd-view --digest corner.cdb)" ]
    PYTHONPATH=dest/opt/share/cdtools/python python3 -c '
import cdstream
head, frame, end = cdstream.Reader(open("corner.cdb", "rb"))
assert head["head"][0]["dim"] == 2 and len(frame["pair"]) > 0 and "end" in end'
    cmp dest/opt/share/doc/cdtools/STREAM.md "$ROOT/formats/STREAM.md"
    for page in "$ROOT"/man/*.[1357]; do cmp "$page" "dest/opt/share/man/man${page##*.}/$(basename "$page")"; done
    [ -n "$(nm "$BUILD/bin/cd-view")" ]
    [ -z "$(nm dest/opt/bin/cd-view 2>/dev/null)" ]

    place uninstall
    [ -z "$(find dest -type f)" ]
    [ -z "$(find dest -name cdtools)" ]
}

# complete_in_bash WORD...: what bash would put in the place of the last one, by the function that `complete` names for the first.
complete_in_bash() {
    bash -uc 'source "dest/opt/share/bash-completion/completions/$1"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "$(complete -p "$1" | sed "s/.* -F \\([^ ]*\\) .*/\\1/")" && [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}

@test "completion of bash: all options of each tool, and the words of each choice" {
    place install
    local tool name letter words count=0
    for tool in "$ROOT"/tools/cd-*; do
        tool=${tool##*/}
        "$tool" --json-usage >usage.json
        complete_in_bash "$tool" - | sort | diff - <(jq -r '.options[].name | "--" + .' usage.json | sort)
        while read -r name letter words; do
            complete_in_bash "$tool" "--$name" '' | diff - <(tr ' ' '\n' <<<"$words")
            complete_in_bash "$tool" "--$name" = | diff - <(tr ' ' '\n' <<<"$words")
            complete_in_bash "$tool" "--$name" = "${words%% *}" | grep -qx -e "${words%% *}"
            [ "$letter" = - ] || complete_in_bash "$tool" -q "-$letter" '' | diff - <(tr ' ' '\n' <<<"$words")
            count=$((count + 1))
        done < <(jq -r '.options[] | select(.words) | "\(.name) \(.letter // "-") \(.words | join(" "))"' usage.json)
    done
    [ "$count" -gt 15 ]
    [ "$(complete_in_bash cd-loop scene.jsonl --keep-)" = --keep-trials ]
    # elsewhere files, by bash's own default
    [ -z "$(complete_in_bash cd-loop --until '')" ]
    [ -z "$(complete_in_bash cd-loop sce)" ]
    [[ "$(bash -c 'source dest/opt/share/bash-completion/completions/cd-view; complete -p cd-view')" == *'-o default '* ]]
}

@test "completion of fish and zsh" {
    place install
    local share=dest/opt/share tool
    for tool in "$ROOT"/tools/cd-*; do
        [ -s "$share/zsh/site-functions/_${tool##*/}" ]
        [ -s "$share/fish/vendor_completions.d/${tool##*/}.fish" ]
    done
    { command -v fish && command -v zsh; } >/dev/null || skip "fish and zsh are needed"
    for file in "$share"/zsh/site-functions/_*; do zsh -fn "$file"; done
    for file in "$share"/fish/vendor_completions.d/*; do fish -n "$file"; done
    in_fish() { HOME=$PWD fish -c "source $share/fish/vendor_completions.d/cd-loop.fish; complete -C '$1'" | cut -f1 | paste -sd' '; }
    [ "$(in_fish 'cd-loop --model s')" = 'separating standard' ]
    [ "$(in_fish 'cd-loop --keep')" = '--keep --keep-trials' ]
}

@test "make uninstall keeps what is not its own" {
    place install
    touch dest/opt/bin/cd-mine dest/opt/share/cdtools/scenes/mine.yaml
    place uninstall
    [ "$(find dest -type f | sort | xargs)" = "dest/opt/bin/cd-mine dest/opt/share/cdtools/scenes/mine.yaml" ]
    place uninstall # again: nothing there is no error
}
