#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pipelines/python/cdstream.py: a reader and writer made after STREAM.md agrees with the tools, and refuses what is damaged.

load helper

PYTHON_DIR="$BATS_TEST_DIRNAME/../../pipelines/python"
cdstream() {
    python3 "$PYTHON_DIR/cdstream.py" "$@"
}
digest() {
    cd-view --digest "$@"
}

# agrees FILE: cdstream.py reads what cd-view writes and the other way round, raw and packed, and nothing is lost.
agrees() {
    local digest
    digest=$(digest "$1")
    for options in "-j" "-j --counts" "-b -l 0" "-b -l 6"; do
        cd-view $options "$1" >from-tools
        [ "$(cdstream -j from-tools | digest)" = "$digest" ]
        [ "$(cdstream -b from-tools | digest)" = "$digest" ]
        [ "$(cdstream -b -l 9 <from-tools | digest)" = "$digest" ]
    done
    cdstream -b "$1" >raw.cdb
    cdstream -b -l 6 raw.cdb >packed.cdb
    [ "$(cdstream packed.cdb | cdstream -b | digest)" = "$digest" ]
    [ "$(gzip <raw.cdb | cdstream | digest)" = "$digest" ]
    cd-view packed.cdb >/dev/null
    [ "$(wc -c <packed.cdb)" -lt "$(wc -c <raw.cdb)" ]
    cmp <(cdstream raw.cdb) <(cdstream packed.cdb)
}

@test "cdstream.py: every record type through both encodings, by digest" {
    agrees "$CASES/stream/all-records.jsonl"
}

@test "cdstream.py: a run through all filters, by digest" {
    cd-scene "$SCENES/pile.yaml" |
        cd-loop --until 0.02 -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric' >run.jsonl
    agrees run.jsonl
}

@test "cdstream.py: space, parts without place, foreign records anywhere, large numbers" {
    cat >odd.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"my":{"a":[1,null]}}
{"type":"shape","id":1,"kind":"sphere","radius":1}
{"type":"shape","id":2,"kind":"compound","parts":[{"shape":1},{"shape":1,"position":[1,2,3]}]}
{"type":"my-note"}
{"type":"frame","index":0,"time":0}
{"type":"body","id":"9007199254740993","shape":2,"position":[1,2,3],"inertia":[1,1,1,0,0,0.5],"l":[],"t":"é\"\\"}
{"type":"body","id":-4,"position":[1e300,5e-324,-0.0],"spin":[1,2,3],"rotation":[0.6,0,0.8,0]}
{"type":"fend"}
{"type":"my-note","n":1.5}
{"type":"frame","index":1,"time":0.1}
{"type":"my-note","n":2}
{"type":"body","id":5,"position":[1,2,3],"motion":"fixed"}
{"type":"fend"}
{"type":"my-note","n":3}
{"type":"end"}
JSONL
    agrees odd.jsonl
}

@test "cdstream.py: typed columns of an unknown record type" {
    python3 - "$PYTHON_DIR" >odd.cdb <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import cdstream
cdstream.FIELDS["odd"] = {"who": (False, "i", 0, [1], "body"), "at": (False, "s", 0, [2], "body"), "f": (False, "f", 0, [2], ""),
                          "l": (False, "i", 1, [1], ""), "t": (False, "w", 0, [1], ""), "b": (False, "b", 0, [1], ""),
                          "ff": (False, "i", 2, [1], ""), "x": (False, "d", 0, [1], "")}
writer = cdstream.Writer(sys.stdout.buffer, True)
writer.write({"head": [{"cds": [1, 0], "dim": 2}], "shape": [{"id": 5, "kind": "sphere", "radius": 1.0}]})
writer.write({
    "frame": [{"index": 0, "time": 0.0}],
    "body": [{"id": 7, "position": [1.0, 2.0]}, {"id": 3, "position": [1.0, 2.5], "shape": 5}],
    "odd": [{"who": 3, "at": [7, 2], "f": ["v1", "e2"], "l": [1, 2], "t": "word", "b": True, "ff": [[1, 2], []], "x": 0.5},
            {"x": float("inf"), "f": ["f3"]}],
    "fend": [{}]})
writer.write({"end": [{}]})
PY
    cd-view -j odd.cdb >odd.jsonl
    grep -qF '{"type":"odd","who":3,"at":[7,2],"f":["v1","e2"],"l":[1,2],"t":"word","b":true,"ff":[[1,2],[]],"x":0.5}' odd.jsonl
    diff <(grep '"type":"odd"' odd.jsonl) <(cdstream odd.cdb | grep '"type":"odd"')
    agrees odd.cdb
}

@test "cdstream.py: both encodings look the same to its user" {
    python3 - "$PYTHON_DIR" "$CASES/stream/all-records.jsonl" <(cd-view --no-prog -b "$CASES/stream/all-records.jsonl") <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from cdstream import Reader
text, binary = (Reader(open(name, "rb")) for name in sys.argv[2:])
assert binary.binary and not text.binary
sections, same = list(text), list(binary)
for counted in same[1:]:  # what blocks count and lines need not
    for row in counted.get("fend", counted.get("end")):
        assert row.pop("rows", None) or (row.pop("frames"), row.pop("records"))
assert sections == same
contact = sections[1]["contact"][0]
assert contact["a"] == [3, 0] and contact["b"] == [7, 0], contact
assert len(sections) == 4 and sections[1]["note"][0]["text"] == "in the frame"
assert sections[1]["bounds"][0]["min"] == ["-Infinity", "-Infinity"]
PY
}

@test "cdstream.py: the list of fields is that of the tools" {
    python3 - "$PYTHON_DIR" <(cd-view --fields) <<'PY'
import re
import sys
sys.path.insert(0, sys.argv[1])
from cdstream import FIELDS
kinds = {"integer": "i q", "integers": "i*", "number": "d", "text": "t", "texts": "t*", "word": "w", "vector": "d23", "vectors": "d*23",
         "rotation": "d14", "rotations": "d*14", "spin": "d13", "spins": "d*13", "numbers": "d*", "inertia": "d16", "true or false": "b", "any value": "j", "id": "i",
         "ids": "i*", "[body id, part]": "s2", "[feature, feature]": "f2", "[integer, integer]": "i2", "lists of integers": "i**",
         "[integer, integer] list": "i*2", "[integer, integer, integer] list": "i*3"}
listed = {}
for line in open(sys.argv[2]):
    record = re.match(r"(\w+) \(", line)
    field = re.match(r"  ([\w.]+) +(\S.*?) +(required|optional)[,;.](?:.*refers to (\w+))?", line)
    if record:
        fields = listed[record[1]] = {}
    elif field:
        fields[field[1]] = field[3] == "required", field[2], field[4] or ""
assert len(listed) > 20
assert {r: list(f) for r, f in listed.items()} == {r: list(f) for r, f in FIELDS.items()}
for record, fields in FIELDS.items():
    for name, (required, base, depth, widths, target) in fields.items():
        told, text, refers = listed[record][name]
        kind = base + "*" * depth + "".join(map(str, widths)) * (widths != [1])
        assert required == told and kind in kinds[text].split(), (record, name, text)
        assert target == ("body" if base == "s" else refers), (record, name, refers)
        wide = name in "id index iterations frames records seal".split() or name == "body" and record in ("load", "drive")
        assert base not in "iq" or (base == "q") == (text == "integer" and wide)
PY
}

@test "cdstream.py: every cut and every flipped bit raises" {
    cd-view -b -l 0 "$CASES/stream/all-records.jsonl" >raw.cdb
    cd-view -b -l 9 "$CASES/stream/all-records.jsonl" >packed.cdb
    cd-view -j "$CASES/stream/all-records.jsonl" >lines.jsonl
    python3 - "$PYTHON_DIR" raw.cdb packed.cdb lines.jsonl <<'PY'
import io
import sys
sys.path.insert(0, sys.argv[1])
from cdstream import Reader


def fails(data):
    try:
        list(Reader(io.BufferedReader(io.BytesIO(data))))
    except ValueError:
        return True
    return False


for name in sys.argv[2:]:
    data = open(name, "rb").read()
    assert not fails(data), name
    assert fails(data + b"\n") and fails(data + data), name
    for at in range(0, len(data), 23):
        assert fails(data[:at]), (name, at)
        flipped = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]
        assert name.endswith("jsonl") or fails(flipped), (name, at)
PY
}

# refused FILE WORDS: cdstream.py ends with 3 and one line that holds the words, and writes no end
refused() {
    run -3 --separate-stderr cdstream -j "$1"
    [[ "$output" != *'"type":"end"'* ]]
    run -3 --separate-stderr bash -c 'python3 "$1/cdstream.py" -b "$2" >out.cdb' _ "$PYTHON_DIR" "$1"
    [[ "$stderr" == cdstream.py:*"$2"* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run -3 cd-view out.cdb
}

@test "cdstream.py: unknown options exit 2, files that are not there 4, in one line" {
    run -2 --separate-stderr cdstream --help
    [ "$stderr" = "cdstream.py: option --help not recognized" ]
    run -4 --separate-stderr cdstream -j nothing.cdb
    [[ "$stderr" == "cdstream.py: "*"nothing.cdb"* && "$stderr" != *$'\n'* ]]
}

@test "cdstream.py: what is against the rules is refused" {
    small_stream >a.jsonl
    sed '$d' a.jsonl >b.jsonl && refused b.jsonl "no end record"
    sed '1d' a.jsonl >b.jsonl && refused b.jsonl "out of place"
    sed '/fend/d' a.jsonl >b.jsonl && refused b.jsonl "out of place"
    sed 's/"mass":0.25/"mass":0.25,"mass":0.25/' a.jsonl >b.jsonl && refused b.jsonl "twice"
    sed 's/"mass":0.25/"mass":NaN/' a.jsonl >b.jsonl && refused b.jsonl "NaN"
    sed 's/"time":0,//' a.jsonl >b.jsonl && refused b.jsonl "time is missing"
    sed 's/"fend"/"fend","rows":{"body":1}/' a.jsonl >b.jsonl && refused b.jsonl "wrong counts"
    sed 's/"end"/"end","frames":2/' a.jsonl >b.jsonl && refused b.jsonl "wrong counts"
    # ids become rows in blocks alone
    sed 's/"id":2,"shape":2/"id":2,"shape":7/' a.jsonl >b.jsonl
    run -3 --separate-stderr bash -c 'python3 "$1/cdstream.py" -b b.jsonl >out.cdb' _ "$PYTHON_DIR"
    [[ "$stderr" == *"no shape 7"* ]]
    sed 's/"position":\[0,-0.2\]/"position":[0]/' a.jsonl >b.jsonl
    run -3 --separate-stderr bash -c 'python3 "$1/cdstream.py" -b b.jsonl >out.cdb' _ "$PYTHON_DIR"
    [[ "$stderr" == *"has not 2 numbers"* ]]
    sed 's/"type":"body","id":2/"type":"body","id":1/' a.jsonl >b.jsonl
    run -3 --separate-stderr bash -c 'python3 "$1/cdstream.py" -b b.jsonl >out.cdb' _ "$PYTHON_DIR"
    [[ "$stderr" == *"twice"* ]]
}

# ---- cdstream.run_stage ----

# stage FILE [ARGUMENTS]: a stage in Python
stage() { PYTHONPATH=$PYTHON_DIR python3 "$@"; }

# a stage that gives back all that it took
copy_stage() {
    cat >copy.py <<'PY'
import cdstream
TABLES = "contact constraint row entry solution value force nodal_force next next_node verdict certificate metric".split()
cdstream.run_stage("copy", TABLES, lambda frame: {table: frame[table] for table in TABLES})
PY
}

@test "run_stage: tables taken and given back are those that were read, in both encodings, with counts, packed" {
    copy_stage
    cd-scene -q "$SCENES/pile.yaml" | cd-loop -q --until 0.1 -j >run.jsonl
    [ "$(grep -c '"type":"contact"' run.jsonl)" -gt 3 ]
    for stream in run.jsonl "$CASES/stream/all-records.jsonl"; do
        for options in "-j" "-j --counts" "-b -l 0" "-b -l 6"; do
            cd-view $options "$stream" >in
            stage copy.py <in >out
            cd-diff --ignore metric in out
            cd-view out >/dev/null
            diff <(cd-view -j --type metric in | grep '"type":"metric"' | sed 's/"tool":"[^"]*"/"tool":"copy"/') <(cd-view -j --type metric out | grep '"type":"metric"')
        done
    done
}

@test "run_stage: what is stale goes, all else stays as it stood, and the stage is in the provenance" {
    cat >deep.py <<'PY'
import cdstream
def deep(frame):
    return {"contact": [contact for contact in frame["contact"] if contact["gap"] < 0], "metric": [{"name": "seen", "value": len(frame["contact"])}]}
cdstream.run_stage("deep", ["contact"], deep, version="2")
PY
    cd-scene -q "$SCENES/pile.yaml" | cd-loop -q --until 0.3 -j -- 'cd-broad | cd-narrow --contacts depth | cd-peg-assemble | cd-lcp | cd-step --rounds 1' |
        sed '/"fend"/i {"type":"note","where":"frame"}\n{"type":"metric","tool":"stranger","name":"x","value":1}' >run.jsonl
    stage deep.py 1 <run.jsonl >out.jsonl
    cd-view --check out.jsonl
    grep -qF '"tool":"deep","version":"2","argv":["1"]}' out.jsonl
    grep -vE '"type":"(constraint|row|entry|solution|value|force|next|verdict|metric|prog|contact)"' run.jsonl >kept
    grep -vE '"type":"(metric|prog|contact)"' out.jsonl | cmp - kept
    [ "$(grep '"type":"contact"' out.jsonl | jq .id | sort -n | uniq | wc -l)" -le "$(jq -c 'select(.type == "contact" and .gap < 0)' run.jsonl | wc -l)" ]
    diff <(jq -c 'select(.type == "contact")' out.jsonl) <(jq -c 'select(.type == "contact" and .gap < 0)' run.jsonl)
    # metrics of stages behind it and of strangers are gone, those of the stages before it are there
    [ "$(jq -r 'select(.type == "metric").tool' out.jsonl | sort | uniq -c | awk '{ print $2, $1 }' | paste -sd' ')" = "deep 61 stranger 1" ] # the last frame has bodies alone
    # the same of blocks
    cd-view -b run.jsonl | stage deep.py 1 | cd-view -j --no-prog >blocks.jsonl
    cd-diff out.jsonl blocks.jsonl
}

@test "run_stage: rows without ids are numbered, metrics alone leave all tables, tables of one's own pass" {
    cat >alarm.py <<'PY'
import cdstream
cdstream.run_stage("alarm", ["body"], lambda frame: {"alarm": [{"body": row["id"]} for row in frame["body"]], "metric": [{"name": "n", "value": 2}]}, foreign=["alarm"])
PY
    small_stream | cd-overlap-metric >in.jsonl
    stage alarm.py <in.jsonl >out.jsonl
    cd-view --check out.jsonl
    [ "$(grep -c '"type":"alarm"' out.jsonl)" -eq 2 ]
    [ "$(grep -c '"tool":"cd-overlap-metric","name"' out.jsonl)" -eq "$(grep -c '"tool":"cd-overlap-metric","name"' in.jsonl)" ]
    [ "$(stage alarm.py <out.jsonl | grep -c '"type":"alarm"')" -eq 2 ]
    [ "$(stage alarm.py <out.jsonl | grep -c '"tool":"alarm","name"')" -eq 1 ]
}

@test "run_stage: mistakes and damage are one line and no end" {
    copy_stage
    small_stream | cd-broad | cd-narrow >in.jsonl
    says() { # says CODE TEXT SCRIPT
        printf 'import cdstream\n%s\n' "$3" >mistake.py
        run -"$1" --separate-stderr bash -c 'PYTHONPATH=$1 python3 mistake.py <in.jsonl' _ "$PYTHON_DIR"
        [[ "$stderr" == "$2"* && "$output" != *'"type":"end"'* ]] || { echo "$stderr" && false; }
    }
    says 3 "s: there is no table bodies; did you mean body?" 'cdstream.run_stage("s", ["bodies"], print)'
    says 3 "s: there is no table contcat; did you mean contact?" 'cdstream.run_stage("s", ["contcat"], print)'
    says 3 "s: frame 0: contact: row 0: a, b, gap, kind, normal, point is missing" 'cdstream.run_stage("s", [], lambda frame: {"contact": [{}]})'
    says 3 "s: frame 0: a stage does not make the table body" 'cdstream.run_stage("s", [], lambda frame: {"body": []})'
    says 3 "s: frame 0: body 2: too heavy" 'def f(frame): raise ValueError("body 2: too heavy")
cdstream.run_stage("s", [], f)'
    says 5 "Traceback" 'cdstream.run_stage("s", [], lambda frame: frame["bodies"])'
    refuses() { run -3 --separate-stderr bash -c 'PYTHONPATH=$1 python3 copy.py <bad.jsonl' _ "$PYTHON_DIR" && [[ "$stderr" == "copy: "*"$1"* && "$output" != *'"type":"end"'* ]]; }
    sed '$d' in.jsonl >bad.jsonl && refuses "no end record"
    sed '1d' in.jsonl >bad.jsonl && refuses "out of place"
    sed '/"fend"/d' in.jsonl >bad.jsonl && refuses "out of place"
    sed 's/"fend"/"fend","rows":{"body":1}/' in.jsonl >bad.jsonl && refuses "wrong counts"
    printf '%s' "$(cat in.jsonl)" >bad.jsonl && refuses "cut"
}

@test "run_stage: a filter in Python takes at most three times the time of jq on the same work" {
    cat >deep.py <<'PY'
import cdstream
cdstream.run_stage("deep", ["contact"], lambda frame: {"contact": [contact for contact in frame["contact"] if contact["gap"] < 0]})
PY
    cd-scene -q "$SCENES/pile.yaml" | cd-loop -q --until 0.1 -j >run.jsonl
    awk '/"type":"frame"/ { on = 1 } !on { head = head $0 "\n"; next } /"type":"end"/ { next } { frames = frames $0 "\n" }
        END { printf "%s", head; for (k = 0; k < 20; k++) printf "%s", frames; print "{\"type\":\"end\"}" }' run.jsonl >long.jsonl
    [ "$(wc -l <long.jsonl)" -gt 50000 ]
    local TIMEFORMAT=%U
    python=$({ time stage deep.py <long.jsonl >out.jsonl; } 2>&1)
    jq=$({ time jq -c 'select(.type != "contact" or .gap < 0)' long.jsonl >jq.jsonl; } 2>&1)
    echo "python $python s, jq $jq s"
    awk -v p="$python" -v q="$jq" 'BEGIN { exit !(p <= 3 * q) }'
    [ "$(grep -c '"type":"contact"' out.jsonl)" -eq "$(grep -c '"type":"contact"' jq.jsonl)" ]
}
