#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# libcdstream: programs of others, compiled against what make install puts there.

load helper

ROOT=$BATS_TEST_DIRNAME/../..

setup_file() {
    BUILD=$(cd "${CD_BIN:-$ROOT/build/release/bin}/.." && pwd)
    PLACE=$BATS_FILE_TMPDIR/place
    export PLACE PKG_CONFIG_PATH=$PLACE/lib/pkgconfig
    make --no-print-directory -s -C "$ROOT" install BUILD="$BUILD" PREFIX="$PLACE"
    for name in "$ROOT/pipelines/replace-a-stage/balls.c"; do
        compile "$name" "$(basename "$name" .c)"
    done
}

# A library of a sanitizer's build needs the sanitizer's own; the folder's name has it.
compile() { # compile FILE PROGRAM [COMPILER]
    local flags=()
    case $BUILD in */san-*) flags=("-fsanitize=$(basename "$BUILD" | sed 's/^san-//; s/-/,/g')") ;; esac
    # shellcheck disable=SC2046
    ${3:-cc} -Wall -Wextra -Werror "${flags[@]}" "$1" $(pkg-config --cflags --libs cdstream) -o "$PLACE/bin/$2"
}

setup() {
    PATH="$PLACE/bin:$BATS_TEST_DIRNAME:${CD_BIN:-$ROOT/build/release/bin}:$PATH"
    CASES="$BATS_TEST_DIRNAME/../cases"
    SCENES="$ROOT/pipelines/scenes-2d"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "cdstream: an example in C finds the contacts that cd-narrow finds, in the plane and in space" {
    cat >space.yaml <<'YAML'
dim: 3
gravity: [0, 0, -9.8]
step: 0.01
reach: 0.1
bodies:
  - {shape: {halfspace: {normal: [0.6, 0, 0.8]}}, motion: fixed}
  - {shape: {sphere: 0.1}, position: [0, 0, 0.12], density: 1000}
  - {shape: {sphere: 0.2}, position: [0, 0.29, 0.3], velocity: [0, -1, 0], density: 1000}
YAML
    cd-scene "$SCENES/cradle.yaml" >plane.jsonl
    cd-scene space.yaml >space.jsonl
    for stream in plane space; do
        for encoding in -j -b; do
            cd-broad $encoding $stream.jsonl >pairs
            cd-narrow --contacts distance pairs >ours
            balls pairs >theirs
            cd-view --check theirs
            [ "$(cd-view -j --type contact theirs | grep -c '"type":"contact"')" -eq 3 ]
            cd-diff --abs 1e-12 --ignore metric ours theirs
        done
    done
    # a rerun leaves nothing stale, and says who was there
    cd-narrow pairs | cd-peg-assemble | balls -j | tee rerun | cd-view --check
    [ "$(grep -c '"type":"row"' rerun)" -eq 0 ]
    grep -q '"tool":"balls","version":"1.0"' rerun
}

@test "cdstream: the example is under 100 lines" {
    [ "$(wc -l <"$ROOT/pipelines/replace-a-stage/balls.c")" -lt 100 ]
}
