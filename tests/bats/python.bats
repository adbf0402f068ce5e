#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pipelines/python: cdstream.py, a reader and writer made after STREAM.md, agrees with the tools, and refuses what is damaged; readers of foreign scenes are right.

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
        wide = name in "id index iterations frames records seal bodies".split() or name == "body" and record in ("load", "drive")
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
    sed 's/"mass":0.25/"mass":1e400/' a.jsonl >b.jsonl && refused b.jsonl "1e400 is too large for a double"
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
import cdstream, sys
def deep(frame):
    return {"contact": [contact for contact in frame["contact"] if contact["gap"] < 0], "metric": [{"name": "seen", "value": len(frame["contact"])}]}
cdstream.run_stage("deep", ["contact"], deep, version="2", arguments=sys.argv[1:])
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
    run -2 --separate-stderr bash -c 'PYTHONPATH=$1 python3 copy.py in.jsonl <in.jsonl' _ "$PYTHON_DIR"
    [ "$output$stderr" = "copy: in.jsonl: a stage reads standard input, and takes no operands and options" ]
    printf 'import cdstream, sys\ncdstream.run_stage("own", [], lambda frame: {"metric": []}, arguments=sys.argv[1:])\n' >own.py
    bash -c 'PYTHONPATH=$1 python3 own.py --deep <in.jsonl' _ "$PYTHON_DIR" | found '"tool":"own".*"argv":\["--deep"\]'
    refuses() { run -3 --separate-stderr bash -c 'PYTHONPATH=$1 python3 copy.py <bad.jsonl' _ "$PYTHON_DIR" && [[ "$stderr" == "copy: "*"$1"* && "$output" != *'"type":"end"'* ]]; }
    sed '$d' in.jsonl >bad.jsonl && refuses "no end record"
    sed '1d' in.jsonl >bad.jsonl && refuses "out of place"
    sed '/"fend"/d' in.jsonl >bad.jsonl && refuses "out of place"
    sed 's/"fend"/"fend","rows":{"body":1}/' in.jsonl >bad.jsonl && refuses "wrong counts"
    printf '%s' "$(cat in.jsonl)" >bad.jsonl && refuses "cut"
    : >bad.jsonl && refuses "empty input: no head record"
}

@test "run_stage: a stage that has nothing to work on names the stage that is missing, as those in C do" {
    printf 'import cdstream\ncdstream.run_stage("s", ["contact"], lambda frame: {"metric": []})\n' >s.py
    for before in cat cd-view cd-broad 'cd-broad -b'; do
        run -3 --separate-stderr bash -o pipefail -c 'cd-scene -q "$1" | $2 | PYTHONPATH=$3 python3 s.py | tail -n 1' _ "$CASES/same/mixed3.yaml" "$before" "$PYTHON_DIR"
        [ "$stderr" = "s: no contact in any frame: is cd-narrow missing?" ]
    done
    # none are near; a stranger may have looked for them
    printf 'step: 1\nlength: 1\nbodies: [{shape: {circle: 1}, density: 1}]\n' | cd-scene - >alone.jsonl
    cd-broad alone.jsonl | cd-narrow | stage s.py | cd-view --check
    sed 's/"cd-scene"/"mine"/' alone.jsonl | stage s.py | cd-view --check
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

# ---- scenes of others ----

# A closed mesh of a cube of 1 m: cube FILE
cube() {
    printf 'v %s\n' '-0.5 -0.5 -0.5' '0.5 -0.5 -0.5' '0.5 0.5 -0.5' '-0.5 0.5 -0.5' '-0.5 -0.5 0.5' '0.5 -0.5 0.5' '0.5 0.5 0.5' '-0.5 0.5 0.5' >"$1"
    printf 'f %s\n' '1 3 2' '1 4 3' '5 6 7' '5 7 8' '1 2 6' '1 6 5' '2 3 7' '2 7 6' '3 4 8' '3 8 7' '4 1 5' '4 5 8' >>"$1"
}
# problem BODIES [MORE]: a scene of Rigid IPC
problem() { echo "{\"timestep\": 0.01, ${2-} \"rigid_body_problem\": {\"gravity\": [0, -9.8, 0], \"coefficient_friction\": 0.5, \"rigid_bodies\": [$1]}}"; }
# near BODY NUMBERS: members of the body with this id, one list, to 1e-9
near() { jq -se --argjson id "$1" --argjson right "$2" '[.[] | select(.type == "body" and .id == $id)][0] | [.position, .rotation, .mass, .inertia, .velocity, .spin] | flatten |
    [., $right] | transpose | map((.[0] - .[1]) | fabs) | max < 1e-9' >/dev/null; }

@test "rigidipc2scene.py: scale, place, turn about x, y, z in turn, density, velocities in degrees" {
    mkdir meshes
    cube meshes/cube.obj
    problem '{"mesh": "cube.obj", "position": [1, 2, 3], "rotation": [30, 40, 50], "scale": [1, 2, 3], "density": 2, "linear_velocity": [1, 2, 3], "angular_velocity": [180, 0, 90]},
        {"mesh": "cube.obj", "is_dof_fixed": true, "dimensions": [10, 1, 10]}, {"mesh": "cube.obj", "enabled": false}' >scene.json
    run -0 --separate-stderr python3 "$PYTHON_DIR/rigidipc2scene.py" --meshes meshes scene.json
    [ "$stderr" = "rigidipc2scene.py: scene.json: settings of its solver are left out" ]
    cd-scene - <<<"$output" >scene.jsonl
    # Rz(50) Ry(40) Rx(30), multiplied out as matrices; a block of 1 x 2 x 3 m
    near 1 '[1,2,3, 0.8600421736976789,0.08080468869083995,0.4021984935341096,0.30337177447125957, 12, 13,10,5,0,0,0, 1,2,3, 3.141592653589793,0,1.5707963267948966]' <scene.jsonl
    [ "$(jq -c 'select(.type == "body") | [.motion, .mu]' scene.jsonl | tr '\n' ' ')" = '["dynamic",0.5] ["fixed",0.5] ' ]
    # upright, the same body turned by 90 degrees about x
    python3 "$PYTHON_DIR/rigidipc2scene.py" --up z --meshes meshes scene.json 2>errors | cd-scene - >up.jsonl
    near 1 '[1,-3,2, 0.5510041098030866,0.6652791964530083,0.0698810432117592,0.49891352111020626, 12, 13,10,5,0,0,0, 1,-3,2, 3.141592653589793,-1.5707963267948966,0]' <up.jsonl
    [ "$(jq -c 'select(.type == "head").gravity[2]' up.jsonl)" = -9.8 ]
}

@test "rigidipc2scene.py: a mesh with a notch is a surface with the mass of what it encloses, and holds" {
    # an L of three cubes of 1 m: volume 3, centre of mass (5/6, 5/6, 1/2)
    printf 'v %s\n' '0 0 0' '2 0 0' '2 1 0' '1 1 0' '1 2 0' '0 2 0' '0 0 1' '2 0 1' '2 1 1' '1 1 1' '1 2 1' '0 2 1' >l.obj
    printf 'f %s\n' '6 5 4 1' '4 3 2 1' '7 10 11 12' '7 8 9 10' '1 2 8 7' '2 3 9 8' '3 4 10 9' '4 5 11 10' '5 6 12 11' '6 1 7 12' >>l.obj
    cube cube.obj
    problem '{"mesh": "l.obj", "position": [0, 0.501, 0], "density": 2}, {"mesh": "cube.obj", "type": "static", "dimensions": [9, 1, 9]}' >l.json
    python3 "$PYTHON_DIR/rigidipc2scene.py" l.json 2>errors >l.yaml
    grep -q 'not convex is taken as a surface' errors
    cd-scene l.yaml >l.jsonl
    jq -se '[.[] | select(.type == "body" and .id == 1)][0] | (.mass - 6 | fabs) < 1e-12 and (.position[0] - 5/6 | fabs) < 1e-12 and (.position[2] - 0.5 | fabs) < 1e-12' l.jsonl
    # density 2 times: sums of x^2 and y^2 about the centre 11/12, of z^2 1/4, of x y -1/3
    jq -se '[.[] | select(.type == "body" and .id == 1)][0].inertia | (.[0] - 2 * (11/12 + 1/4) | fabs) < 1e-12 and (.[2] - 4 * 11/12 | fabs) < 1e-12 and (.[3] - 2/3 | fabs) < 1e-12' l.jsonl
    cd-loop -q --until 0.2 l.yaml | cd-view -j --frames last | jq -se '[.[] | select(.type == "body" and .id == 1)][0] | (.position[1] - 0.5 - 5/6 | fabs) < 1e-5'
    run -6 python3 "$PYTHON_DIR/rigidipc2scene.py" --strict l.json
}

@test "rigidipc2scene.py: the plane, what is not known, and what is wrong" {
    cat >flat.json <<'JSON'
{"foo": 1, "rigid_body_problem": {"gravity": [0, -9.8, 0], "coefficient_restitution": 0.5, "rigid_bodies": [
  {"vertices": [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], "edges": [[0, 1]], "polygons": [[[0, 0], [2, 0], [2, 1], [1, 1], [0, 1]], [[0, 1], [1, 1], [1, 2], [0, 2]]],
   "rotation": 90, "bar": 2, "is_dof_fixed": [true, false, false], "density": 4},
  {"vertices": [[5, -5], [5, 5], [-5, 5], [-5, -5]], "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "scale": 0.2, "position": [0, -3], "is_dof_fixed": true}]}}
JSON
    python3 "$PYTHON_DIR/rigidipc2scene.py" flat.json 2>errors | cd-scene - >flat.jsonl
    [ "$(cut -d: -f3- errors | cut -c2- | sort | tr '\n' '|')" = "a body's bar: not known, left out|foo: not known, left out|is_dof_fixed in part: the body is free|settings of its solver are left out|" ]
    [ "$(jq -c 'select(.type == "shape" and .kind == "compound").adjacent' flat.jsonl)" = "[[0,1]]" ]
    [ "$(jq -c 'select(.type == "interaction").restitution' flat.jsonl)" = 0.5 ]
    jq -se '[.[] | select(.type == "body" and .id == 1)][0] | .mass == 12 and (.position[0] + 5/6 | fabs) < 1e-12 and (.position[1] - 5/6 | fabs) < 1e-12' flat.jsonl
    fails() {
        run -3 python3 "$PYTHON_DIR/rigidipc2scene.py" wrong.json
        [ "$output" = "rigidipc2scene.py: wrong.json: $1" ]
    }
    problem '{"mesh": "nowhere.obj"}' >wrong.json
    fails 'rigid_bodies[0].mesh: nowhere.obj: not there; --meshes tells the folder'
    problem '{"vertices": [[0, 0], [1, 0]], "edges": [[0, 1]]}' >wrong.json
    fails 'rigid_bodies[0].edges: neither polygons nor one outline: lines have no inside'
    problem '{"vertices": [[0, 0], [1, 0], [0, 1]], "edges": [[0, 1], [1, 2], [2, 0]], "position": [0]}' >wrong.json
    fails 'rigid_bodies[0].position: must be 2 numbers'
    problem '{"mesh": 5}' >wrong.json
    fails 'rigid_bodies[0].mesh: must be the name of a file'
    problem '{"vertices": [[0, 0], [1, 0], [0, 1]], "edges": [[0, 1], [1, 2], [2, 3]]}' >wrong.json
    fails 'rigid_bodies[0].edges: must be pairs of vertices, numbered from 0'
    problem '{"vertices": [[0, 0], [1, 0], [0, 1]], "polygons": [7]}' >wrong.json
    fails 'rigid_bodies[0].polygons: must be lists of points'
    problem '{"vertices": [[0, 0], [1, 0], [0, 1]], "edges": [[0, 1], [1, 2], [2, 0]], "type": "kinematic", "kinematic_max_time": "x"}' >wrong.json
    fails 'rigid_bodies[0].kinematic_max_time: must be 1 numbers'
    problem "{\"vertices\": [[0, 0], [1, 0], [0, 1]], \"scale\": 1$(printf '%0400d' 0)}" >wrong.json
    fails 'rigid_bodies[0].scale: must be 1 numbers'
    printf 'v 0 0 0\nv 1 0 0\nf 1 2 3\n' >short.obj
    problem '{"mesh": "short.obj"}' >wrong.json
    fails './short.obj: a face without three vertices of the file'
}

@test "mjcf2scene.py: places, masses and inertia are those of MuJoCo" {
    mkdir meshes
    cube meshes/cube.obj
    cat >model.xml <<'XML'
<mujoco>
  <compiler angle="radian" meshdir="meshes"/>
  <option gravity="0 0 -9.8" timestep="0.01"/>
  <default><geom friction="0.5 0.1 0.1"/><default class="slick"><geom friction="0.1" density="500"/></default></default>
  <asset><mesh name="cube" file="cube.obj" scale="2 1 1"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="0 0 1" zaxis="0 0 2"/>
    <body pos="0 0 1"><geom type="box" size="0.5 0.5 0.1" euler="0 0 0.5"/></body>
    <body name="a" pos="1 2 3" axisangle="0 0 1 0.25"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" pos="0 0 0.3"/>
      <body pos="0 0 1" euler="0 0 0.5"><geom type="sphere" size="0.2" mass="2"/></body>
    </body>
    <body pos="5 0 1" childclass="slick" xyaxes="0 1 0 -1 0 0"><joint type="free"/><geom mesh="cube" type="mesh"/></body>
    <body pos="9 0 1"><freejoint/><inertial pos="0 0 0.1" mass="3" diaginertia="1 2 3" euler="0 0 1.5707963267948966"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
    <body pos="1 1 1" euler="0.3 0.4 0.5"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler=".7 .1 .2"/>
      <geom type="ellipsoid" fromto="0 0 0 .3 .4 .5" size=".2" density="300"/></body>
  </worldbody>
</mujoco>
XML
    run -0 --separate-stderr python3 "$PYTHON_DIR/mjcf2scene.py" --strict model.xml
    [ -z "$stderr" ]
    cd-scene - <<<"$output" >model.jsonl
    # what MuJoCo 2.2.2 says of the same model, to the digits that it printed: mass, centre of mass, body quaternion, and moments about principal axes by their sum
    jq -se --argjson right '[[50,1,2,3.328,0.992198,0,0,0.124675],[1000,5,0,1,0.707107,0,0,0.707107],[3,9,0,1.1,1,0,0,0],[65.7715318,1.11499938,1.14211524,1.31865251,0.931591,0.190506,0.154097,0.268515]]' \
        '[.[] | select(.type == "body" and .motion == "dynamic") | [.mass, .position, .rotation] | flatten] | [., $right] | map(flatten) | transpose | length == 32 and all(.[]; (.[0] - .[1] | fabs) < 1e-6)' model.jsonl
    jq -se '[.[] | select(.type == "body" and .motion == "dynamic").inertia[:3] | add] | [., [6.4576, 1000, 6, 6.06696209]] | transpose | all(.[]; (.[0] - .[1] | fabs) < 1e-7 * .[1])' model.jsonl
    # two frictions: the larger one of a pair
    [ "$(jq -c 'select(.type == "interaction").mu' model.jsonl | tr '\n' ' ')" = "0.1 0.5 0.5 " ]
    [ "$(jq -c 'select(.type == "frame").step' model.jsonl)" = 0.01 ]
}

@test "mjcf2scene.py: what is left out is counted, wrong models are refused" {
    cat >some.xml <<'XML'
<mujoco><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body pos="0 0 1"><joint type="hinge"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="3 0 1"><freejoint/><geom type="cylinder" size="0.1 0.2"/><geom size=".1" contype="0" conaffinity="0" mass="1"/><geom type="cylinder" size="0.1 0.2"/></body>
</worldbody><actuator/></mujoco>
XML
    python3 "$PYTHON_DIR/mjcf2scene.py" some.xml 2>errors | cd-scene - | cd-view --check
    [ "$(cut -d: -f3- errors | cut -c2- | sort | tr '\n' '|')" = "a body without geometry that touches is left out|actuator is left out|geometry of type capsule is left out; --sides takes it|geometry of type cylinder is left out; --sides takes it, 2 times|geometry that touches nothing is left out|joint of type hinge is left out, its body is free|" ]
    run -6 python3 "$PYTHON_DIR/mjcf2scene.py" --strict some.xml
    # a prism inside it, with the mass of the cylinder
    echo '<mujoco><worldbody><body><freejoint/><geom type="cylinder" size="0.1 0.2" density="100"/></body></worldbody></mujoco>' >round.xml
    python3 "$PYTHON_DIR/mjcf2scene.py" --sides 64 round.xml | cd-scene - >round.jsonl
    jq -se '([.[] | select(.type == "body")][0].mass - 0.4 * 3.141592653589793 | fabs) < 1e-12 and ([.[] | select(.type == "shape" and .kind == "polyhedron")][0].vertices | length) == 128' round.jsonl
    fails() {
        echo "$1" >wrong.xml
        run -3 python3 "$PYTHON_DIR/mjcf2scene.py" wrong.xml
        [ "$output" = "mjcf2scene.py: wrong.xml: $2" ]
    }
    fails '<robot/>' "the root is 'robot', not mujoco"
    fails '<mujoco/>' 'worldbody: not there'
    fails '<?xml version="1.0" encoding="foo-8"?><mujoco/>' 'unknown encoding: foo-8'
    fails '<mujoco><worldbody><geom name="g" type="box" size="1 1"/></worldbody></mujoco>' 'geom g: size: must be 3 numbers above 0'
    fails '<mujoco><worldbody><geom name="g" type="box" size="1 1 inf"/></worldbody></mujoco>' 'geom g: size: must be 0 or 1 or 2 or 3 numbers'
    fails '<mujoco><worldbody><body><freejoint/><geom name="g" size="1" mass="nan"/></body></worldbody></mujoco>' 'geom g: mass: must be 1 numbers'
    fails '<mujoco><worldbody><body><freejoint/><geom size="1" mass="1e308"/><geom size="1" mass="1e308"/></body></worldbody></mujoco>' 'Out of range float values are not JSON compliant'
    fails '<mujoco><worldbody><geom class="x" size="1"/></worldbody></mujoco>' "geom: class 'x' is not there"
    fails '<mujoco><worldbody><body><freejoint/><geom type="plane" size="1 1 1"/></body></worldbody></mujoco>' 'body: a plane that moves'
}

# A robot whose places, masses and inertia are known by hand: a post on the world, beside it two links that are one body.
robot() {
    cat <<'XML'
<robot name="r">
  <material name="grey"/>
  <link name="world"><collision><origin xyz="0 0 -0.5"/><geometry><box size="10 10 1"/></geometry></collision></link>
  <link name="post"><visual><geometry><sphere radius="9"/></geometry></visual><collision><geometry><box size="0.2 0.4 2"/></geometry></collision></link>
  <joint name="hold" type="fixed"><parent link="world"/><child link="post"/><origin xyz="1 2 1" rpy="0 0 1.5707963267948966"/></joint>
  <link name="base">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="f" type="floating"><parent link="post"/><child link="base"/><origin xyz="1 0 2" rpy="0 0 -1.5707963267948966"/></joint>
  <link name="tip">
    <inertial><origin xyz="0 0.5 0"/><mass value="1"/><inertia ixx="0.4" iyy="0.5" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0.5 0"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="g" type="fixed"><parent link="base"/><child link="tip"/><origin xyz="0.5 0 0" rpy="1.5707963267948966 0 0"/></joint>
</robot>
XML
}

@test "urdf2scene.py: places, masses and inertia in closed form" {
    near() { jq -e --argjson right "$1" '[., $right] | map(flatten) | (.[0] | length) == (.[1] | length) and (transpose | all(.[]; (.[0] - .[1] | fabs) < 1e-12))'; }
    robot >robot.urdf
    run -0 --separate-stderr python3 "$PYTHON_DIR/urdf2scene.py" --strict --mu 0.4 --step 0.01 robot.urdf
    [ -z "$stderr" ]
    cd-scene - <<<"$output" >robot.jsonl
    cd-view --check robot.jsonl
    [ "$(jq -r 'select(.type == "body") | .motion' robot.jsonl | paste -sd' ')" = "fixed dynamic" ]
    # the post turns by 90 degrees about z and takes its child from (1, 0, 2) to (0, 1, 2) beside it, which turns back; the tip turns y to z, so
    # its centre is at (0.5, 0, 0.5) of the base, and the centre of both a third of the way
    jq -c 'select(.motion == "dynamic") | [.position, .rotation, .mass]' robot.jsonl | near '[[1.1666666666666667,3,3.1666666666666667],[1,0,0,0],3]'
    # Steiner: 2 kg at a distance of (1, 0, 1) / 6 and 1 kg at twice that, on the other side
    jq -c 'select(.motion == "dynamic").inertia' robot.jsonl | near '[0.66666666666666667,1.1333333333333333,0.96666666666666667,0,-0.16666666666666667,0]'
    # of what is fixed the boxes: the floor's top is at z = 0, the post is 0.4 along x and 0.2 along y and ends at z = 2
    cd-broad --no-sweep --reach 0 robot.jsonl | jq -c 'select(.type == "bounds" and .a[0] == 1) | [.min, .max]' | jq -sc 'flatten' |
        jq -e '[., [-5,-5,-1,5,5,0, 0.8,1.9,0,1.2,2.1,2]] | transpose | length == 12 and all(.[]; (.[0] - .[1] | fabs) < 1e-9)'
    [ "$(jq -c 'select(.type == "frame").step' robot.jsonl)" = 0.01 ]
    [ "$(jq -c 'select(.type == "body" and .motion == "dynamic").mu' robot.jsonl)" = 0.4 ]
    # a root with mass moves unless it is held
    printf '<robot><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="1"/></geometry></collision></link></robot>' >one.urdf
    python3 "$PYTHON_DIR/urdf2scene.py" one.urdf | holds '.bodies[0] | [.mass, .motion] == [2, null]'
    python3 "$PYTHON_DIR/urdf2scene.py" --base fixed - <one.urdf | holds '.bodies[0] | [.mass, .motion] == [null, "fixed"]'
    # roll, pitch and yaw are about axes that stay: yaw is the last, so that x ends where yaw and pitch take it
    sed 's/<collision>/<collision><origin rpy="0.3 0.4 0.5"\/>/; s/<sphere radius="1"/<box size="1 2 3"/' one.urdf >turned.urdf
    python3 "$PYTHON_DIR/urdf2scene.py" turned.urdf | python3 -c '
import json, math, sys
w, x, y, z = json.load(sys.stdin)["bodies"][0]["shape"]["compound"][0]["rotation"]
r, p, q = 0.3, 0.4, 0.5
wanted = [math.cos(q) * math.cos(p), math.sin(q) * math.cos(p), -math.sin(p), math.cos(p) * math.sin(r), math.cos(p) * math.cos(r)]
found = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
assert all(abs(a - b) < 1e-12 for a, b in zip(wanted, found)), (wanted, found)'
}

@test "urdf2scene.py: meshes and prisms; joints that turn; what scenes have not is refused" {
    urdf() { python3 "$PYTHON_DIR/urdf2scene.py" "$@"; }
    mass='<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    link() { echo "<link name='$1'>$mass<collision><geometry>$2</geometry></collision></link>"; }
    mkdir -p pkg/meshes
    cube pkg/meshes/cube.obj
    echo "<robot>$(link a '<mesh filename="package://pkg/meshes/cube.obj" scale="2 1 1"/>')</robot>" >mesh.urdf
    run -6 urdf mesh.urdf
    [ "$output" = "urdf2scene.py: mesh.urdf: link a: collision: mesh: package://pkg/meshes/cube.obj: --packages DIR says where packages are" ]
    urdf --packages . mesh.urdf | cd-scene - | jq -c 'select(.kind == "polyhedron").vertices' >corners
    [ "$(jq -c 'map(.[0]) | [max - min] + [length]' corners)" = "$(jq -nc --argjson side "$(jq 'map(.[1]) | max - min' corners)" '[2 * $side, 8]')" ]
    sed 's,package://,,' mesh.urdf >beside.urdf
    urdf beside.urdf | cd-scene - | jq -c 'select(.kind == "polyhedron").vertices' | cmp - corners
    # a cylinder of 64 sides lies in the cylinder, with its ends
    echo "<robot>$(link a '<cylinder radius="0.5" length="3"/>')</robot>" >round.urdf
    run -6 urdf round.urdf
    [ "$output" = "urdf2scene.py: round.urdf: link a: collision: cylinder: scenes have none; --sides N makes a polyhedron of N sides of it" ]
    urdf --sides 64 round.urdf | holds '.bodies[0].shape.compound[0].shape.hull | length == 128 and all(.[]; (.[0] * .[0] + .[1] * .[1] - 0.25 | fabs) < 1e-12 and (.[2] | fabs) == 1.5)'
    # two links of a hinge
    echo "<robot>$(link a '<sphere radius="1"/>')$(link b '<sphere radius="1"/>')<joint name='h' type='revolute'><parent link='a'/><child link='b'/><origin xyz='3 0 0'/></joint><transmission/></robot>" >hinge.urdf
    run -6 urdf hinge.urdf
    [ "$output" = "urdf2scene.py: hinge.urdf: joint h: type: revolute: scenes have no joints; --joints free or --joints weld says what its link does" ]
    urdf --joints free hinge.urdf 2>told | holds '[.bodies[] | [.position[0], .mass]] == [[0, 2], [3, 2]]'
    [ "$(cut -d' ' -f3- told | paste -sd'|')" = "transmission is left out|joint of type revolute is left out, its link moves by itself" ]
    urdf --joints weld hinge.urdf 2>told | holds '[.bodies[] | [.shape.centre, .mass]] == [[[1.5, 0, 0], 4]]'
    run -6 urdf --strict --joints weld hinge.urdf
    fails() {
        echo "$1" >wrong.urdf
        run -3 urdf wrong.urdf
        [ "$output" = "urdf2scene.py: wrong.urdf: $2" ]
    }
    echo "<robot>$(link a '<sphere radius="1"/>' | sed 's,</link>,<contact><lateral_friction value="1"/></contact></link>,')</robot>" >rubber.urdf
    run -6 urdf --strict rubber.urdf
    [ "$output" = "urdf2scene.py: rubber.urdf: contact of a link is left out" ]
    fails '<mujoco/>' "the root is 'mujoco', not robot"
    fails '<?xml version="1.0" encoding="foo-8"?><robot/>' 'unknown encoding: foo-8'
    fails '<robot><link name="a&#10;b"><collision/></link></robot>' 'link a b: geometry: not there'
    fails '<robot/>' 'no link'
    fails '<robot><link name="a"/></robot>' 'no collision geometry'
    fails '<robot><link name="a"/><link name="a"/></robot>' 'link a: is there twice'
    fails '<robot><link name="a"/><link name="b"/></robot>' '2 links have no parent, not 1'
    fails '<robot><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="x"/></joint></robot>' 'joint j: there is no link x'
    fails '<robot><link name="a"/><link name="b"/><link name="c"/><joint name="j" type="fixed"><parent link="b"/><child link="c"/></joint><joint name="k" type="fixed"><parent link="c"/><child link="b"/></joint></robot>' \
        'link b: its joints go round in a ring'
    fails '<robot><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint><joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>' \
        'joint k: link b has two parents'
    fails '<robot><link name="a"/><link name="b"/><joint name="j" type="ball"><parent link="a"/><child link="b"/></joint></robot>' "joint j: type: 'ball'"
    fails "<robot>$(link a '<box size="1 1 0"/>')</robot>" 'link a: collision: box: size: must be above 0'
    fails "<robot>$(link a '<box size="1 1"/>')</robot>" 'link a: collision: box: size: must be 3 numbers'
    fails "<robot>$(link a '<sphere radius="nan"/>')</robot>" 'link a: collision: sphere: radius: must be 1 numbers'
    fails "<robot>$(link a '<cone/>')</robot>" 'link a: collision: cone: is no shape of URDF'
    fails '<robot><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link><link name="b"><collision><geometry><sphere radius="1"/></geometry></collision></link><joint name="j" type="floating"><parent link="a"/><child link="b"/></joint></robot>' \
        'link b: inertial: not there, nor in links that are fixed to it'
    fails '<robot><link name="a"><inertial><mass value="0"/></inertial></link></robot>' 'link a: inertial: mass: value: must be above 0'
    run -4 urdf nowhere.urdf
}
