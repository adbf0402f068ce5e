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

@test "make uninstall keeps what is not its own" {
    place install
    touch dest/opt/bin/cd-mine dest/opt/share/cdtools/scenes/mine.yaml
    place uninstall
    [ "$(find dest -type f | sort | xargs)" = "dest/opt/bin/cd-mine dest/opt/share/cdtools/scenes/mine.yaml" ]
    place uninstall # again: nothing there is no error
}
