#!/usr/bin/env bats
# What the manuals and the README say, held against the tools: field lists, options, examples, and every command of the tour in README.
# shellcheck shell=bash
load helper

ROOT=$BATS_TEST_DIRNAME/../..
TOOLS=$(cd "$ROOT/tools" && echo cd-*)

# own_options TOOL: its long options, without the common ones, as --help lists them, one a line.
own_options() {
    "$1" --help | sed '/^Common options:/,$d' | sed -nE 's/^  (-[a-zA-Z],|   ) --([a-z][a-z-]*).*/\2/p' | sort
}

common_options() {
    cd-view --help | sed '1,/^Common options:/d' | sed -nE 's/^  (-[a-zA-Z],|   ) --([a-z][a-z-]*).*/\2/p' | sort
}

# listed_options FILE: long options that head an item (.It) of the manual; a macro's "Fl -name" is --name.
listed_options() {
    sed -nE 's/^\.It (.*)/\1/p' "$1" | grep -oE 'Fl -[a-z][a-z-]*' | sed 's/^Fl -//' | sort -u
}

# flags FILE: every long option that the manual speaks of. Examples in literal text are not looked at.
flags() { grep -E '^\.' "$1" | { grep -oE 'Fl -[a-z][a-z-]*' || [ $? -eq 1 ]; } | sed 's|^Fl -||' | sort -u; }

@test "cd-stream(5) holds the field lists that cd-view prints" {
    cd-view --fields -v >told.mdoc
    sed -n '/^\.\\" fields: begin$/,/^\.\\" fields: end$/p' "$ROOT/man/cd-stream.5" | sed '1d;$d' >held.mdoc
    [ "$(grep -c '^\.Ss ' told.mdoc)" -gt 15 ]
    diff told.mdoc held.mdoc
}

@test "manuals hold the lists of methods that --help prints" {
    cp "$ROOT"/man/*.[1357] .
    "$ROOT/man/lists.sh" ./*.[157]
    [ "$(cat ./*.[157] | grep -cE '^\.\\" cd-[a-z-]+ [A-Z][a-z]*: begin$')" -ge 4 ]
    for page in *.[157]; do
        diff "$page" "$ROOT/man/$page" || { echo "$page: make fields brings its lists up to date"; return 1; }
    done
    # and these are whole
    for list in 'cd-broad Methods' 'cd-lcp Solvers' 'cd-peg-assemble Models' 'cd-step Methods'; do
        sed -n "/ $list: begin/,/ $list: end/s/^\.It Cm //p" "${list% *}.1" >held
        [ -s held ]
        diff held <(listed "${list% *}" "${list#* }")
    done
}

@test "every word that an option can have is in the manual" {
    for tool in $TOOLS; do
        for option in $("$tool" --help | sed -nE '/^Common options:/,$d; s/^ .* --([a-z-]+)=WORD .*/\1/p'); do
            choices "$tool" "$option" >words
            [ -s words ]
            sed -nE '/^\.(Op|It)? ?(Fl|Cm)|Cm /p' "$ROOT/man/$tool.1" | tr ' ' '\n' >told
            while read -r word; do
                grep -qxF -e "$word" told || { echo "$tool(1) does not tell of --$option=$word"; return 1; }
            done <words
        done
    done
}

@test "cd-scene(5) tells of every generator, its keys, and every format of meshes" {
    [ "$(listed cd-scene Generators | wc -l)" -gt 5 ]
    for generator in $(listed cd-scene Generators); do
        grep -qx "\.It Ic $generator" "$ROOT/man/cd-scene.5" || { echo "$generator"; return 1; }
    done
    for key in $(cd-scene --help | sed -nE '/^Generators/,/^$/s/^      ([a-z]+) .*/\1/p' | sort -u); do
        grep -qwE "^\.Ql.* $key|^\.Cm $key" "$ROOT/man/cd-scene.5" || { echo "$key"; return 1; }
    done
    for format in $(sed -n 's/^X(\(.*\))$/\1/p' "$ROOT"/formats/mesh/{mesh,element}_importers.def); do
        grep -qwi "$format" "$ROOT/man/cd-scene.5" || { echo "$format"; return 1; }
    done
}

@test "cd-view --fields names each record type and member of records.def" {
    cd-view --fields >fields.txt
    sed -nE 's/^CD_RECORD\(([a-z_]+), .*/\1/p; s/^ +CD_FIELD\([a-z_]+, [a-z_]+, "([^"]+)".*/  \1/p' "$ROOT/formats/model/records.def" >wanted
    sed -nE 's/^([a-z_]+) \(.*/\1/p; s/^  ([a-z_.]+) .*/  \1/p' fields.txt >told
    [ "$(wc -l <wanted)" -gt 100 ]
    diff wanted told
}

@test "--json-usage tells the tables of a tool and the options of its --help" {
    for tool in $TOOLS; do
        "$tool" --json-usage >usage.json
        python3 -c 'import json; json.load(open("usage.json"), parse_constant=lambda word: 1 / 0)' # no Infinity or NaN
        jq -e --arg tool "$tool" '.tool == $tool and (.version | length > 0) and has("reads") and has("writes")' usage.json
        diff <(jq -r '.options[].name' usage.json | sort) <({ own_options "$tool"; common_options; } | sort)
        # words, defaults and the sentence are those of the help
        jq -r '.options[] | select(.type == "choice") | .name + ": " + (.words | join(", ")) + (if .default then " [default \(.default)]" else "" end)' usage.json >words
        while IFS=: read -r name rest; do "$tool" --help | found -F -e "$rest" || { echo "$tool --$name: $rest"; return 1; }; done <words
        jq -e '[.options[] | select(.type == "integer" and .name == "threads" and .low == 1 and .high == 1024 and .default == 1)] | length == 1' usage.json
    done
    # the options given beside it count
    [ "$(cd-broad --json-usage | jq -c .writes)" = '["bounds","pair"]' ]
    [ "$(cd-broad --use-bounds --json-usage | jq -c .writes)" = '["pair"]' ]
    [ "$(cd-narrow --json-usage | jq -c .lives_on)" = '["pair"]' ]
    run -2 cd-broad --json-usage --no-such-option
}

# A pile of polygons, and what was made of it, by the names that examples use.
examples_inputs() {
    cp "$ROOT/pipelines/scenes-2d/pile.yaml" .
    cd-loop -q -b --frames 12 pile.yaml | cd-overlap-metric -o run.cdb
    for name in pile standard peg a b; do cp run.cdb $name.cdb; done
    cd-view --frames :5 -o first.cdb run.cdb
    cd-view --frames 6: -o second.cdb run.cdb
    cd-scene -q pile.yaml -b | cd-broad | cd-narrow | cd-peg-assemble -o problem.cdb
    cd-scene -q -b "$ROOT/pipelines/scenes-3d/box-of-polyhedra.yaml" >scene.cdb
    cd-shard --grid 2x1x1 -o halves scene.cdb
    for half in halves/*; do cd-broad "$half" | cd-shard --own | cd-narrow -o "contacts-$(basename "$half")"; done
}

@test "the examples in each tool's --help run" {
    for tool in $TOOLS; do
        "$tool" --help | sed -n '/^Examples:/,/^$/s/^  //p' >own
        grep -q "$tool" own || { echo "$tool --help has no example"; return 1; }
        cat own >>examples
    done
    [ "$(wc -l <examples)" -ge "$(wc -w <<<"$TOOLS")" ]
    examples_inputs
    while IFS= read -r line; do echo "$line"; bash -o pipefail -c "$line" </dev/null >out; done <examples
}

# manual_examples PAGE: the commands of its section EXAMPLES, as a shell reads them
manual_examples() {
    awk '/^\.Sh / { on = $2 == "EXAMPLES" } !on { next }
        /^\.Dl / { sub(/^\.Dl /, ""); if (/^".*"$/) $0 = substr($0, 2, length($0) - 2); print; next }
        /^\.Ed/ { inside = 0 } inside { print } /^\.Bd -literal/ { inside = 1 }' "$1" | sed 's/\\&//g; s/\\(dq/"/g; s/\\e/\\/g'
}

# The files that examples of manuals name: a pile of nine polygons in a box for a second, and what is made of it.
manual_inputs() {
    cat >pile.yaml <<'YAML'
dim: 2
gravity: [0, -9.8]
step: 0.01
epsilon: 1e-5
seed: 7
defaults: {density: 7}
bodies:
  - {shape: {box: [1, 0.2]}, position: [0, -0.2], motion: fixed}
  - {shape: {box: [0.2, 1]}, position: [-0.6, 0.6], motion: fixed}
  - {shape: {box: [0.2, 1]}, position: [0.6, 0.6], motion: fixed}
generate:
  - {generator: grid, count: [3, 3], spacing: [0.25, 0.25], origin: [-0.25, 0.15], turn: 3, jitter: 0.01, points: 10, scale: 0.25}
YAML
    printf 'dim: 3\nepsilon: 1e-5\nstep: 0.01\ngenerate:\n- {generator: bricks, count: [3, 1, 3], size: [0.2, 0.1, 0.1], gap: -0.001, body: {density: 1000}}\n' >wall.yaml
    printf 'step: 0.01\ndefaults: {density: 100}\nbodies:\n- {shape: {box: [1, 0.1]}, motion: fixed}\n- {shape: {circle: 0.1}, position: [0, 0.3]}\n- {shape: {circle: 0.1}, position: [0.05, 0.6]}\n' >balls.yaml
    printf 'step: 0.01\nmaterials: {m: {density: 2, bulk: 3, shear: 1}}\nbodies:\n- {mesh: {box: [1, 0.2], cells: [4, 1]}, material: m, pinballs: {}, fixed: [{max: [-1, 1]}]}\n- {mesh: {circle: 0.5, cells: 2}, material: m, pinballs: {}, position: [0, 0.75], velocity: [0, -1]}\n' |
        cd-scene -q -o impact.jsonl
    cp "$SCENES/box-of-polygons.yaml" .
    sed 's/count: .3, 3./count: [3, 1]/; s/seed: 7/seed: 2/' pile.yaml | cd-scene -q -o pile.jsonl - # few: a halved step helps the standard model
    cd-scene -q -o wall.jsonl wall.yaml
    cd-view -b -o wall.cdb wall.jsonl
    cd-scene -q -o scene.jsonl pile.yaml
    cd-view -b -o scene.cdb scene.jsonl
    cd-loop -q --until 1 scene.cdb >run.cdb
    for model in standard peg; do cd-loop -q --until 1 --model $model scene.cdb >$model.cdb; done
    for name in pile a b; do cp run.cdb $name.cdb; done
    cp peg.cdb c.cdb
    cd-view --frames :40 -o first.cdb run.cdb
    cd-view --frames 41: -o second.cdb run.cdb
    for name in run b; do cd-view -j $name.cdb >$name.jsonl; done
    cd-view --frames 60 standard.cdb | cd-broad | tee pairs.cdb | cd-narrow --contacts volume -o contacts.cdb
    cd-view -j -o pairs.jsonl pairs.cdb
    cd-broad scene.cdb | cd-narrow | cd-peg-assemble -o problem.cdb
    # a detector that misses a pair, others that are those of the tree under another name
    cd-broad wall.cdb | cd-narrow --contacts depth -o ours.cdb
    cd-view -j ours.cdb | sed '/"contact"/{/"a":\[4,/d}' | cd-view -b -o theirs.cdb
    cd-shard --grid 2x1 -o halves scene.cdb
    for half in halves/*; do cd-broad "$half" | cd-shard --own | cd-narrow -o "contacts-$(basename "$half")"; done
    for k in 1 2 3; do
        printf '{"type":"frame","index":%d,"time":%d,"step":1}\n' $k $k
        for name in median q1 q3; do printf '{"type":"metric","tool":"mine","name":"%s","value":%d}\n' $name $k; done
        echo '{"type":"fend"}'
    done >frames
    { echo '{"type":"head","cds":[1,0],"dim":2}'; cat frames; echo '{"type":"end"}'; } | tee standard.jsonl lnc.jsonl >peg.jsonl
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n1 2 1\n2 1 1\n2 2 2\n' >M.mtx
    printf '%%%%MatrixMarket matrix array real general\n2 1\n-5\n-6\n' >q.mtx
    mkdir problems
    cp "$TESTS"/cases/lcp/friction/*.dat problems
    cp "$ROOT"/pipelines/python/*.py .
    for name in 'my-boxes.py cd-broad []' 'my-narrow.py cd-narrow []' 'my-detector cd-narrow ["--contacts","depth"]'; do
        set -- $name
        printf '#!/usr/bin/env python3\nimport os, sys\nos.execvp("%s", ["%s"] + %s + sys.argv[1:])\n' "$2" "$2" "$3" >"$1"
        chmod +x "$1"
    done
}

# mdoc takes a bracket or a stop that stands alone for punctuation, and prints it without the blank that a command needs.
@test "no example of the manuals is printed otherwise than it is written" {
    run ! grep -nE '^\.Dl (.* )?[][().,:;!?]( |$)' "$ROOT"/man/*.[1357]
    [ "$(cat "$ROOT"/man/*.[1357] | grep -c '^\.Dl ')" -ge 80 ]
}

@test "every example of the manuals runs, and exits as it says" {
    mkdir inputs
    (cd inputs && manual_inputs)
    python3 -c 'import numpy' 2>/dev/null || ! /usr/bin/python3 -c 'import numpy' 2>/dev/null || PATH=$(dirname "$(command -v cd-view)"):/usr/bin:$PATH
    for page in $(grep -l '^\.Sh EXAMPLES' "$ROOT"/man/*.[157]); do
        name=$(basename "$page")
        cp -r inputs "$name" # each begins with the same files
        manual_examples "$page" >"$name/examples"
        grep -q . "$name/examples" || { echo "$name: its examples are not found"; return 1; }
        (cd "$name" && PATH=$PWD:$PATH && export name &&
            bash -E -o pipefail -c 'trap '\''echo "$name $? $BASH_COMMAND" >>../failed'\'' ERR; . ./examples' </dev/null >out 2>err) || true
    done
    for tool in $TOOLS; do [ -s "$tool.1/examples" ] || { echo "$tool(1) has no example"; return 1; }; done
    [ "$(cat ./*/examples | wc -l)" -ge 80 ]
    # programs of others need not be installed
    command -v mlr >/dev/null || sed -i '/^cd-export\.1 127 mlr /d' failed
    parallel --version 2>/dev/null | found '^GNU' || sed -i '/^cd-shard\.1 /d' failed
    command -v ffmpeg >/dev/null || sed -i '/^cd-plot\.1 6 .*webm/d' failed
    python3 -c 'import numpy' 2>/dev/null || sed -i '/^cd-export\.1 1 python3 .*numpy/d' failed
    diff - failed <<'TOLD' || { tail -n 3 ./*/err; return 1; } # differences are what these two were made to find
cd-diff.1 1 cd-diff --first peg.cdb standard.cdb
cd-diff.1 1 cd-diff --by pair --replay worst ours.cdb theirs.cdb
TOLD
    # a fault in an example is noticed
    printf '.Sh EXAMPLES\n.Dl cd-view --no-such-option run.cdb\n' >wrong.1
    manual_examples wrong.1 >inputs/examples
    run -2 bash -c 'cd inputs && . ./examples'
}

@test "every option of every tool is in its manual, and no other" {
    common_options >common
    for tool in $TOOLS; do
        page=$ROOT/man/$tool.1
        own_options "$tool" >own
        listed_options "$page" | grep -vxFf common >listed || true
        diff own listed || { echo "$tool: --help and the manual's list of options differ"; return 1; }
        sort -u own common >all
        flags "$page" | comm -23 - all >foreign
        [ ! -s foreign ] || { echo "$tool: its manual speaks of options it has not: $(cat foreign)"; return 1; }
    done
}

@test "defaults in manuals are those of --help" {
    for tool in $TOOLS; do
        "$tool" --help | sed '/^Common options:/,$d' | sed -nE 's/^  (-[a-zA-Z],|   ) --([a-z][a-z-]*).*\[default ([^]]*)\]$/\2 \3/p' >defaults
        while read -r name value; do
            awk -v name="$name" '/^\.(It|El|Ss|Sh)/ { inside = 0 } index($0, "Fl -" name " ") || $0 ~ "Fl -" name "$" { if (/^\.It/) inside = 1 }
                /^\.It Cm/ { inside = was } { was = inside } inside' "$ROOT/man/$tool.1" | tr '\n' ' ' >item
            grep -qE -- "(^|[^0-9a-z.])$value([^0-9a-z]|$)" item || { echo "$tool: --$name: the manual does not tell the default $value"; return 1; }
        done <defaults
    done
}

@test "cdtools(7) lists the common options, every manual and every exit code" {
    common_options >common
    [ "$(wc -l <common)" -ge 15 ]
    diff common <(listed_options "$ROOT/man/cdtools.7")
    for page in "$ROOT"/man/*.[1357]; do
        name=$(basename "$page")
        [ "$name" = cdtools.7 ] || grep -q "^\.Xr ${name%.*} ${name##*.}" "$ROOT/man/cdtools.7" || { echo "$name"; return 1; }
    done
    for code in 0 1 2 3 4 5 6; do grep -q "^\.It $code$" "$ROOT/man/cdtools.7"; done
}

@test "manuals refer to manuals that exist" {
    grep -hoE '^\.Xr (cd[a-z-]*) [1357]' "$ROOT"/man/* | sort -u | while read -r _ name section; do
        [ -f "$ROOT/man/$name.$section" ] || { echo "$name($section)"; return 1; }
    done
    for tool in $TOOLS; do grep -q '^\.Sh EXIT STATUS' "$ROOT/man/$tool.1"; done
}

@test "every command of the README's tour runs" {
    ln -s "$ROOT/pipelines" pipelines
    awk '/^```/ { inside = ($0 == "```sh"); next } inside' "$ROOT/README.md" >tour.sh
    [ "$(grep -c '^cd-' tour.sh)" -ge 15 ]
    run -0 --separate-stderr timeout 60 bash -eu -o pipefail -c '. ./tour.sh'
    # what the README shows of it, to the character; of the table with columns left out the beginning
    printf '%s\n' "$output" "$stderr" >said
    sed -n '/^## A tour/,/^## The tools/p' "$ROOT/README.md" | awk '/^```/ { inside = ($0 == "```text"); next } inside' |
        sed '/^  id    a    b  kind /d; s/^\(   [0-3]  1 0  2 0  vertex-edge\) .*/\1/; s/, \.\.\.$//' >shown
    [ "$(wc -l <shown)" -gt 40 ]
    while IFS= read -r line; do grep -qF -e "$line" said || { echo "not said: $line"; return 1; }; done <shown
    [ "$(grep -cxE '[0-9a-f]{32}' <<<"$output")" -eq 2 ]
    [ "$(grep -xE '[0-9a-f]{32}' <<<"$output" | uniq | wc -l)" -eq 1 ]
    for file in box.svg corner.svg drop.png set-4.cdb depth-15.cdb; do [ -s out/$file ]; done
}

@test "links of the README and of the pipelines' pages lead to files, its pipelines to folders" {
    cd "$ROOT"
    local told=$BATS_TEST_TMPDIR/links
    for page in README.md {libcommon,formats,tools,tests}/README.md pipelines/*/README.md; do
        for link in $(grep -oE '\]\([^)#]*\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https\?:' | sort -u); do
            echo "$page $link" >>"$told"
            [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link"; return 1; }
        done
    done
    [ "$(wc -l <"$told")" -gt 30 ]
    # each page that has figures is told of, and the first picture stays small
    for page in pipelines/*/README.md; do grep -qx "README.md $page" "$told" || { echo "$page"; return 1; }; done
    [ "$(wc -c <pipelines/box-of-polygons/measured/contacts.svg)" -lt 61440 ]
    sed -n '/^| folder of/,/^$/s/^| `\([a-z0-9-]*\)` .*/\1/p' README.md >"$told.folders"
    [ "$(wc -l <"$told.folders")" -ge 5 ]
    while read -r folder; do [ -n "$(ls -A "$ROOT/pipelines/$folder")" ] || { echo "pipelines/$folder"; return 1; }; done <"$told.folders"
}

# quoted PAGE: the words in backquotes outside of fences, one a line.
quoted() { awk '/^```/ { fenced = !fenced; next } !fenced' "$1" | grep -oE '`[^`]+`' | tr -d '`' | tr ' ,=' '\n' | sed 's/()$//; s/[.:;]$//' | grep . | sort -u; }

# unfound PAGE: prints what a page names that is not there. Files are looked for from the top, beside the page, and by the end of their path; of one with
# NAME or the like for a word to come, the folder. C names are looked for in headers and tables, `cd_` and `_avx2.c` as parts of names.
unfound() {
    local page=$1 word place
    quoted "$page" | while read -r word; do
        place=${word%/}
        case $word in
            build/* | .def | NAME*) continue ;;
            *NAME* | *ROOM* | *X.*) place=$(sed -E 's/(NAME|ROOM|X\.).*//' <<<"$word") && place=${place%/*} ;;&
            _*.c) grep -q "[a-z0-9]$word$" "$BATS_TEST_TMPDIR/files" || echo "$page: $word" ;;
            */* | *.def | *.[ch1-9] | *.bats | *.sh | *.bash | *.py | *.md)
                [ -e "$place" ] || [ -e "$(dirname "$page")/$place" ] || grep -qE "(^|/)${place//./\\.}$" "$BATS_TEST_TMPDIR/files" || echo "$page: $word"
                ;;
            cd_ | CD_) grep -q "^$word" "$BATS_TEST_TMPDIR/identifiers" || echo "$page: $word" ;;
            cd_*NAME*) grep -q "^${word%%NAME*}" "$BATS_TEST_TMPDIR/identifiers" || echo "$page: $word" ;;
            cd_* | CD_*) grep -qxF -e "$word" "$BATS_TEST_TMPDIR/identifiers" || echo "$page: $word" ;;
            cd-[a-z]*) [ -f "tools/$word/main.c" ] || echo "$page: $word" ;;
            --[a-z]*) grep -qE -e "Fl -${word#--}( |$)" man/* || grep -qwE -e "$word" tests/*.sh || echo "$page: $word" ;;
        esac
    done
}

@test "the pages of the rooms name files, functions, tools and options that are there" {
    cd "$ROOT"
    find libcommon formats tools tests pipelines man -not -path '*/__pycache__*' >"$BATS_TEST_TMPDIR/files"
    # a macro makes the structs of tables
    { find libcommon formats tools tests \( -name '*.h' -o -name '*.def' \) -exec grep -ohE '\b(cd|CD)_[A-Za-z0-9_]+' {} +
      sed -n 's/^CD_RECORD(\([a-z_]*\),.*/cd_\1_rows/p' formats/model/records.def; } | sort -u >"$BATS_TEST_TMPDIR/identifiers"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/identifiers")" -gt 1000 ]
    for page in libcommon formats tools tests; do
        quoted $page/README.md >>"$BATS_TEST_TMPDIR/words"
        unfound $page/README.md >>"$BATS_TEST_TMPDIR/missing"
    done
    [ "$(grep -cE '^cd_|\.(def|[ch])$' "$BATS_TEST_TMPDIR/words")" -gt 200 ]
    [ ! -s "$BATS_TEST_TMPDIR/missing" ] || { cat "$BATS_TEST_TMPDIR/missing"; return 1; }
    # and what is not there is told
    printf "%s\n" '`cd_no_such_thing` `formats/no.h` `no_such.def` `cd-nothing` `--no-such`' >"$BATS_TEST_TMPDIR/page.md"
    [ "$(unfound "$BATS_TEST_TMPDIR/page.md" | wc -l)" -eq 5 ]
}
