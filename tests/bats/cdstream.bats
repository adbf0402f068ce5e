#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# libcdstream: programs of others, compiled against what make install puts there.

load helper

ROOT=$BATS_TEST_DIRNAME/../..

setup_file() {
    BUILD=$(cd "${CD_BIN:-$ROOT/build/release/bin}/.." && pwd)
    PLACE=$BATS_FILE_TMPDIR/place
    export BUILD PLACE PKG_CONFIG_PATH=$PLACE/lib/pkgconfig
    make --no-print-directory -s -C "$ROOT" install BUILD="$BUILD" PREFIX="$PLACE"
    for name in "$ROOT/pipelines/replace-a-stage/balls.c" "$BATS_TEST_DIRNAME/cdstream/trial.c"; do
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
    # without its tables it says which stage is missing; empty ones are no fault
    run -3 --separate-stderr balls plane.jsonl
    [ "$stderr" = 'balls: no pair in any frame: is cd-broad missing?' ]
    says_no grep -q '"end"' <<<"$output"
    cd-broad plane.jsonl | jq -c --unbuffered 'select(.type != "pair")' | balls -j | cd-view --check
    # a rerun leaves nothing stale, and says who was there
    cd-narrow pairs | cd-peg-assemble | balls -j | tee rerun | cd-view --check
    [ "$(grep -c '"type":"row"' rerun)" -eq 0 ]
    grep -q '"tool":"balls","version":"1.0"' rerun
}

@test "cdstream: the example is under 100 lines, and refuses shapes that it does not know" {
    [ "$(wc -l <"$ROOT/pipelines/replace-a-stage/balls.c")" -lt 100 ]
    small_stream | cd-broad >pairs.jsonl
    run -6 --separate-stderr balls pairs.jsonl
    [ "$stderr" = "balls: frame 0: body 2: shape: balls and half-spaces only" ]
    [[ "$output" != *'"type":"end"'* ]]
    run -2 --separate-stderr balls --reach far pairs.jsonl
    [[ "$stderr" == "balls: --reach: wanted a number"* ]]
    run -0 balls --help
    [[ "$output" == *"--reach=LENGTH"*"[default -1]"* && "$output" != *"man balls"* ]]
    run -0 balls --version
    [ "$output" = "balls 1.0" ]
    cd-scene "$SCENES/cradle.yaml" | cd-broad | sed '$d' >cut.jsonl
    run -3 --separate-stderr balls cut.jsonl
    [[ "$stderr" == "balls: cut.jsonl"*"no end record"* ]] || { echo "$stderr" && false; }
}

@test "cdstream: C++ takes the header, and what has no name of the library's clashes with nothing" {
    command -v c++ >/dev/null || skip "no C++ compiler"
    sed 's/= user/= (const settings *)user/' "$ROOT/pipelines/replace-a-stage/balls.c" >balls.cc
    cat >main.cc <<'CC'
#include <cdstream.h>
int cd_fail(int x) { return x; }  // a name that the library uses inside
static int frame(cds_frame *f, void *) { return cd_fail(cds_get_run(f).dim == 2 ? CDS_OK : CDS_INPUT); }
int main(int argc, char **argv)
{
    cds_stage stage = cds_stage();
    stage.name = "plain";
    stage.frame = frame;
    return cds_main(argc, argv, &stage, nullptr);
}
CC
    compile main.cc plain c++
    small_stream | plain -b | cd-view --check
    [ "$(nm -g --defined-only "$PLACE/lib/libcdstream.a" | awk 'NF == 3 && $3 !~ /^cds_/' | wc -l)" -eq 0 ]
}

@test "cdstream: every part of every kind is where its record says, at the start, predicted, and in the body's frame" {
    cat >space.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"gravity":[0,0,-10],"epsilon":1e-5,"length":0.5,"reach":0.125}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.1,0.2,0.3]}
{"type":"shape","id":2,"kind":"ellipsoid","semiaxes":[0.3,0.2,0.1]}
{"type":"shape","id":3,"kind":"sphere","radius":0.4}
{"type":"shape","id":4,"kind":"compound","parts":[{"shape":1,"position":[1,2,3],"rotation":[0.5,0.5,-0.5,0.5]},{"shape":2,"rotation":[0.28,0,0.96,0]},{"shape":3,"position":[0,0.5,0]}]}
{"type":"shape","id":5,"kind":"compound","parts":[{"shape":4,"position":[0,0,1],"rotation":[0,0.6,0,0.8]},{"shape":1}]}
{"type":"shape","id":6,"kind":"halfspace","normal":[0.6,0,0.8],"offset":0.25}
{"type":"shape","id":7,"kind":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,2,1],[0,1,3],[1,2,3],[0,3,2]]}
{"type":"shape","id":8,"kind":"facets","vertices":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]],"triangles":[[0,1,2],[1,3,2]],"thickness":0.01}
{"type":"frame","index":4,"time":1.5,"step":0.01}
{"type":"body","id":9,"shape":5,"position":[1,2,3],"rotation":[0.1,0.7,-0.5,0.5],"velocity":[1,2,3],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":5,"shape":6,"position":[0,0,-1],"rotation":[0.8,0.6,0,0],"motion":"fixed"}
{"type":"body","id":7,"shape":7,"position":[5,2,3],"rotation":[0.8,0,0,0.6],"velocity":[0,0,3],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":8,"shape":8,"position":[5,2,3],"rotation":[0,0,1,0],"motion":"fixed"}
{"type":"body","id":11,"shape":3,"position":[5,2,3],"motion":"fixed","release":2}
{"type":"fend"}
{"type":"end"}
JSONL
    cat >plane.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-10],"epsilon":1e-5,"length":0.5,"reach":0.125}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.1,0.2]}
{"type":"shape","id":2,"kind":"ellipsoid","semiaxes":[0.3,0.2]}
{"type":"shape","id":3,"kind":"sphere","radius":0.4}
{"type":"shape","id":4,"kind":"compound","parts":[{"shape":1,"position":[1,2],"rotation":2.5},{"shape":2,"rotation":-1},{"shape":3,"position":[0,0.5]}]}
{"type":"shape","id":6,"kind":"halfspace","normal":[0.6,0.8],"offset":0.25}
{"type":"shape","id":7,"kind":"polygon","vertices":[[0,0],[1,0],[0,1]]}
{"type":"frame","index":4,"time":1.5,"step":0.01}
{"type":"body","id":9,"shape":4,"position":[1,2],"rotation":7,"velocity":[1,2],"mass":1,"inertia":1}
{"type":"body","id":5,"shape":6,"position":[0,-1],"rotation":0.1,"motion":"fixed"}
{"type":"body","id":7,"shape":7,"position":[5,2],"velocity":[0,3],"mass":1,"inertia":1}
{"type":"fend"}
{"type":"end"}
JSONL
    for stream in space plane; do
        for pose in 0 1 3; do
            trial --calm --number=$pose -b $stream.jsonl | cd-view --check
            # 0.1 0.7 -0.5 0.5 is a unit quaternion, as all of these are
            python3 "$BATS_TEST_DIRNAME/cdstream/parts.py" $stream.jsonl said $pose
        done
        # what head and frame say, and the reach of the stream
        jq -e '.run[1:5] == [1e-5, 0.5, 1.5, 0.01] and (.reach - 0.125 | fabs) < 1e-15' said >/dev/null
    done
    # a trial is where the frame tries the body
    sed '/"fend"/i {"type":"trial","body":7,"position":[1,1],"rotation":0,"velocity":[0,0],"spin":0}' plane.jsonl | trial --calm --number=2 >/dev/null
    jq -e 'select(.body == 7).vertices == [1, 1, 2, 1, 1, 2]' said >/dev/null
    # length and epsilon where the head has none: the median diameter, and a millionth of it
    sed 's/"epsilon":1e-5,"length":0.5,//' plane.jsonl | trial --calm >/dev/null
    jq -e '.run[1] == 1e-6 * .run[2] and .run[2] > 0.4' said >/dev/null
}

# fields of the tables named, "contact.id contact.a ...", as cd-view lists them
fields() { cd-view --fields | awk -v of="^($1)\$" '/^[a-z_]+ \(/ { t = $1 } /^  [a-z]/ && t ~ of { printf " %s.%s", t, $1 }'; }

@test "cdstream: tables copied through every call are those that were read" {
    local all='contact|constraint|row|entry|solution|value|force|next|verdict|certificate'
    cd-scene -q --seed 1 "$SCENES/pile.yaml" | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric --certify --per-pair >full.jsonl
    [ "$(grep -c '"type":"certificate"' full.jsonl)" -ge 1 ] || grep -v '"certificate"' full.jsonl >/dev/null
    for encoding in -j -b; do
        cd-view $encoding full.jsonl | trial --mode=copy --fields="$(fields "$all")" >copy 2>errors
        [ "$(cat errors)" = "trial: mode copy" ]
        cd-diff --ignore metric full.jsonl copy
        [ "$(cd-view -j --type metric copy | jq -c 'select(.type == "metric" and .tool == "trial") | del(.tool)')" = "$(jq -c 'select(.type == "metric") | del(.tool)' full.jsonl)" ]
    done
    # every field there is; nodal_force and next_node, which derive from what was made, go
    grep -vE '"(nodal_force|next_node)"' "$CASES/stream/all-records.jsonl" >records.jsonl
    trial --calm --mode=copy --fields="$(fields "$all")" "$CASES/stream/all-records.jsonl" >copy
    cd-diff --ignore metric records.jsonl copy
}

@test "cdstream: contacts given the other way round, the last one first, are sorted, turned and numbered" {
    sed 's/circle: 0.1/circle: 0.11/' "$SCENES/cradle.yaml" | cd-scene -q | cd-broad | cd-narrow --contacts depth >contacts.jsonl
    [ "$(grep -c '"type":"contact"' contacts.jsonl)" -ge 3 ]
    cd-penalty --stiffness 1000 contacts.jsonl >full.jsonl
    jq -c 'select(.type == "contact") | del(.features)' full.jsonl >ours
    trial --calm --mode=turn full.jsonl >turned.jsonl
    cd-view --check turned.jsonl
    jq -c 'select(.type == "contact")' turned.jsonl >theirs
    diff <(jq -c 'del(.area, .surfaces, .point)' ours) <(jq -c 'del(.point)' theirs)
    diff <(jq -c 'select(.type == "force")' full.jsonl) <(jq -c 'select(.type == "force")' turned.jsonl)
    [ "$(jq -c 'select(.type == "force")' turned.jsonl | wc -l)" -gt 0 ]
}

@test "cdstream: whole columns become the tables of a whole step" {
    small_stream | trial --calm --mode=columns | tee out.jsonl | cd-view --check
    [ "$(jq -c 'select(.type == "next") | [.body, .position, .velocity]' out.jsonl | paste -sd' ')" = "[1,[0,1.0505],[0,1]] [2,[0,0.8],[0,1]]" ]
    [ "$(jq -c 'select(.type == "verdict")' out.jsonl)" = '{"type":"verdict","accept":true}' ]
}

@test "cdstream: what a stage asks for wrongly is one line, its exit code, and no end" {
    declare -A said=(
        [1]="2 cds_get: contcat: there is no such table; see cd-view --fields" [2]="2 cds_get: body: there is no field colour; see cd-view --fields"
        [3]="2 cds_get: node: the stage does not name it among the tables that it takes" [4]="2 cds_add: body: the stage does not name it among the tables that it makes"
        [5]="2 cds_add: contact: -1 rows are none that can be added to 2" [6]="2 cds_doubles: contact: a: a field of this form ([body id, part]) is set by another call"
        [7]="2 cds_put_text: contact: kind: kissing is none of its words" [8]="2 cds_put_number: contact: there is no row 2; there are 2"
        [9]="2 cds_put_number: contact: normal: it has 2 numbers" [10]="2 cds_put_int: contact: kind: 1099511627776 does not fit it"
        [11]="2 cds_put_list: contact: normal: it is no list of 1 numbers" [12]="2 cds_get_pose: body: there is no row 99; there are 2"
        [13]="2 cds_add_contact: body 1: it has a contact with itself" [14]="2 cds_add_contact: body: there is no row 99; there are 2"
        [15]="2 cds_id: pair: its rows have no ids" [16]="2 cds_add_metric: body: there is no row 99; there are 2"
        [17]="3 body 1: there is no part 7; there are 1" [18]="5 body 2: mass: 5 is too many" [20]="5 the stage failed with 17"
        [21]="2 contact: row 0: a: required, and was not put") # not by the next stage
    small_stream | cd-broad >pairs.jsonl
    for number in "${!said[@]}"; do
        code=${said[$number]%% *}
        run -"$code" --separate-stderr trial --calm --mode=mistake --number="$number" pairs.jsonl
        [ "$stderr" = "trial: frame 0: ${said[$number]#* }" ] || { echo "$number: $stderr" && false; }
        [[ "$output" != *'"type":"end"'* ]]
    done
    # a check that failed leaves a complete stream
    run -1 --separate-stderr trial --calm --mode=mistake --number=19 pairs.jsonl
    [[ "$stderr" == "trial: above 0.5" && "$output" == *'{"type":"end"}' ]]
}

@test "cdstream: the examples of the manual, in C, Python and jq, say the same" {
    # the blocks of literal text of EXAMPLES, one after the other
    awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Ed/ { inside = 0 } inside { print > ("example." n) } on && /^\.Bd -literal/ { inside = 1; n++ }' "$ROOT/man/cdstream.3"
    cp example.1 example.c
    cp example.2 example.py
    compile example.c deepest
    sed 's/circle: 0.1/circle: 0.11/' "$SCENES/cradle.yaml" | cd-scene -q | cd-broad | cd-narrow --contacts depth >contacts.jsonl
    deepest contacts.jsonl >c.jsonl
    PYTHONPATH="$ROOT/pipelines/python" python3 example.py <contacts.jsonl >python.jsonl
    bash example.3 <contacts.jsonl >jq.jsonl
    for stream in c python jq; do
        cd-view --check $stream.jsonl
        jq -se 'map(select(.type == "metric" and .name == "deepest") | .value - 0.02 | fabs < 1e-12) == [true]' $stream.jsonl >/dev/null
        cd-diff c.jsonl $stream.jsonl
    done
}
