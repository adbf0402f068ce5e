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
