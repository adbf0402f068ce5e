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
import cdblocks
packer, out = cdblocks.Packer(0), sys.stdout.buffer


def write(name, *rows):
    out.write(packer.block(name, list(rows), cdblocks.PRIVATE | cdblocks.SAFE))


out.write(cdblocks.MAGIC)
write("head", {"cds": [1, 0], "dim": 2})
write("shape", {"id": 5, "kind": "sphere", "radius": 1.0})
write("frame", {"index": 0, "time": 0.0})
write("body", {"id": 7, "position": [1.0, 2.0]}, {"id": 3, "position": [1.0, 2.5], "shape": 5})
cdblocks.FIELDS["odd"] = {"who": (False, "REF", "body"), "at": (False, "SITE", "body"), "f": (False, "FEATX2", ""),
                          "l": (False, "I32S", ""), "t": (False, "ENUM", ""), "b": (False, "BOOL", ""),
                          "ff": (False, "FACES", ""), "x": (False, "F64", "")}
write("odd", {"who": 3, "at": [7, 2], "f": ["v1", "e2"], "l": [1, 2], "t": "word", "b": True, "ff": [[1, 2], []], "x": 0.5},
      {"x": float("inf"), "f": ["f3"]})
write("fend", {"rows": {"body": 2, "odd": 2}})
write("end", {"frames": 1, "records": 8})
PY
    cd-view -j odd.cdb >odd.jsonl
    grep -qF '{"type":"odd","who":3,"at":[7,2],"f":["v1","e2"],"l":[1,2],"t":"word","b":true,"ff":[[1,2],[]],"x":0.5}' odd.jsonl
    diff <(grep '"odd"' odd.jsonl) <(cdstream odd.cdb | grep '"odd"')
    agrees odd.cdb
}

@test "cdstream.py: both encodings look the same to its user" {
    python3 - "$PYTHON_DIR" "$CASES/stream/all-records.jsonl" <(cd-view --no-prog -b "$CASES/stream/all-records.jsonl") <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from cdstream import Reader
text, binary = (Reader(open(name, "rb")) for name in sys.argv[2:])
assert binary.binary and not text.binary
frames = list(text)
assert text.head == binary.head and frames == list(binary)
contact = frames[0]["contact"][0]
assert contact["a"] == [3, 0] and contact["b"] == [7, 0], contact
assert len(frames) == 2 and frames[0]["note"][0]["text"] == "in the frame"
PY
}

@test "cdstream.py: the list of fields is that of the tools" {
    python3 - "$PYTHON_DIR" <(cd-view --fields) <<'PY'
import re
import sys
sys.path.insert(0, sys.argv[1])
from cdfields import FIELDS
kinds = {"integer": "I32 I64", "integers": "I32S", "number": "F64", "text": "STR", "texts": "STRS", "word": "ENUM", "vector": "VEC",
         "vectors": "VECS", "rotations": "ROTS", "true or false": "BOOL"}
listed = {}
for line in open(sys.argv[2]):
    record = re.match(r"(\w+) \(", line)
    field = re.match(r"    ([\w.]+) +(required|= \S+|) +([^;]*)", line)
    if record:
        fields = listed[record[1]] = {}
    elif field:
        fields[field[1]] = field[2] == "required", field[3].strip()
assert len(listed) > 20
assert {r: list(f) for r, f in listed.items()} == {r: list(f) for r, f in FIELDS.items()}
for record, fields in FIELDS.items():
    for name, (required, kind, target) in fields.items():
        assert required == listed[record][name][0], (record, name)
        text = listed[record][name][1]
        assert kind in kinds.get(text, kind).split(), (record, name, text)
        assert not target or target in text or kind == "SITE", (record, name, text)
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

@test "cdstream.py: what is against the rules is refused" {
    small_stream >a.jsonl
    sed '$d' a.jsonl >b.jsonl && refused b.jsonl "no end record"
    sed '1d' a.jsonl >b.jsonl && refused b.jsonl "out of place"
    sed '/fend/d' a.jsonl >b.jsonl && refused b.jsonl "out of place"
    sed 's/"mass":0.25/"mass":0.25,"mass":0.25/' a.jsonl >b.jsonl && refused b.jsonl "twice"
    sed 's/"mass":0.25/"mass":NaN/' a.jsonl >b.jsonl && refused b.jsonl "NaN"
    sed 's/"position":\[0,-0.2\],//' a.jsonl >b.jsonl && refused b.jsonl "position is missing"
    sed 's/"fend"/"fend","rows":{"body":1}/' a.jsonl >b.jsonl && refused b.jsonl "wrong counts"
    sed 's/"end"/"end","frames":2/' a.jsonl >b.jsonl && refused b.jsonl "wrong counts"
    # ids become rows in blocks alone
    sed 's/"id":2,"shape":2/"id":2,"shape":7/' a.jsonl >b.jsonl
    run -3 --separate-stderr bash -c 'python3 "$1/cdstream.py" -b b.jsonl >out.cdb' _ "$PYTHON_DIR"
    [[ "$stderr" == *"no shape 7"* ]]
    sed 's/"type":"body","id":2/"type":"body","id":1/' a.jsonl >b.jsonl
    run -3 --separate-stderr bash -c 'python3 "$1/cdstream.py" -b b.jsonl >out.cdb' _ "$PYTHON_DIR"
    [[ "$stderr" == *"twice"* ]]
}
