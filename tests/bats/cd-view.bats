#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cd-view: conversion, selection, digest, check, table, salvage.

load helper

# Three frames of a square on a floor with all tables, and a record type of someone else; with a second square far away.
full_stream() {
    small_stream | sed 's/^{"type":"body","id":2/{"type":"body","id":7,"shape":1,"position":[3,3],"mass":0.25,"inertia":0.003}\n{"type":"note","n":1}\n&/' |
        cd-loop --until 0.02 -- 'cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1 | cd-overlap-metric --per-pair'
}
types_of() { jq -r .type "$1" | sort | uniq -c | awk '{print $2"="$1}' | paste -sd' '; }
lines_of() { jq -c "select(.type==\"$1\")" "$2"; }

@test "cd-view: the tests of every tool" { common_filter_tests cd-view; }

@test "cd-view: conversion there and back gives the same lines" {
    full_stream >a.jsonl
    cd-view --no-prog -b a.jsonl | cd-view --no-prog -j >b.jsonl
    diff a.jsonl b.jsonl
    cd-view --no-prog -b -l 9 a.jsonl | cd-view --no-prog -b -l 0 | cd-view --no-prog -j >c.jsonl
    diff a.jsonl c.jsonl
    gzip -k a.jsonl
    cd-view --no-prog a.jsonl.gz >d.jsonl
    diff a.jsonl d.jsonl
}

@test "cd-view: without options stored bytes pass, but for provenance" {
    full_stream | cd-view -b -l 0 --no-prog >a.cdb
    cd-view --no-prog -l 0 a.cdb >b.cdb
    cmp b.cdb a.cdb
    full_stream >a.jsonl
    cd-view --no-prog a.jsonl | cmp - a.jsonl
    [ "$(cd-view a.jsonl | jq -c 'select(.type=="prog" and .tool=="cd-view")|.prev' | wc -l)" -eq 1 ]
}

@test "cd-view: --frames" {
    full_stream >a.jsonl
    indices() { cd-view --frames "$1" a.jsonl | jq -r 'select(.type=="frame").index' | paste -sd' '; }
    [ "$(indices 1)" = 1 ]
    [ "$(indices 0:1)" = '0 1' ]
    [ "$(indices 1:)" = '1 2' ]
    [ "$(indices :1)" = '0 1' ]
    [ "$(indices 0:2:2)" = '0 2' ]
    [ "$(indices last)" = 2 ]
    [ "$(indices 9)" = '' ]
    cd-view --frames 0:2 --no-prog a.jsonl | cmp - a.jsonl
    # the same through every pair of encodings
    cd-view -b a.jsonl >a.cdb
    for frames in 1 last; do
        digest=$(cd-view --frames $frames a.jsonl | cd-view --digest)
        [ "$(cd-view --frames $frames -b a.jsonl | cd-view --digest)" = "$digest" ]
        [ "$(cd-view --frames $frames a.cdb | cd-view --digest)" = "$digest" ]
        [ "$(cd-view --frames $frames -j a.cdb | cd-view --digest)" = "$digest" ]
    done
    for bad in x 2:1 1:2:0 '' 1:2:3:4 -1; do
        run -2 --separate-stderr cd-view --frames "$bad" a.jsonl
        [[ "$stderr" == *--frames* ]]
    done
    small_stream >one.jsonl # frame 0 alone
    for way in -j --table; do
        run -0 --separate-stderr cd-view "$way" --frames 7:9 one.jsonl
        [ "$stderr" = "cd-view: --frames: 7:9: no such frame is in the stream" ]
        run -0 --separate-stderr cd-view "$way" -q --frames 7:9 one.jsonl
        [ -z "$stderr" ]
        run -0 --separate-stderr cd-view "$way" --frames last one.jsonl
        [ -z "$stderr" ]
    done
}

# run_of N: N frames of one body, frame k with index k, and as file run.cdb; frame 3 of another index where MANY is given.
run_of() {
    { printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"shape","id":1,"kind":"sphere","radius":1}'
      for ((k = 0; k < $1; k++)); do
          printf '{"type":"frame","index":%d,"time":%d,"step":1}\n{"type":"body","id":1,"shape":1,"position":[%d,0.125]}\n{"type":"note","text":"%06000d"}\n{"type":"fend"}\n' "$((k / ${2:-1}))" "$k" "$k" "$k"
      done
      echo '{"type":"end"}'; } | cd-view -b -l 0 -o run.cdb
}

# What --stats says of the bytes read.
bytes_read() { cd-view -q --stats "$@" 2>&1 >/dev/null | jq .bytes_read; }

@test "cd-view: --frames reads a file by its index: what it shows, and at most a tenth more" {
    run_of 3000
    [ "$(python3 "$BATS_TEST_DIRNAME/../../pipelines/python/cdstream.py" run.cdb | cd-view --digest)" = "$(cd-view --digest run.cdb)" ]
    for frames in 0 1777 2999 last 5:9 2990: 0:2999:500 7:2900:1000 3000 9000:; do
        cd-view --frames "$frames" run.cdb >part.cdb
        [ "$(cd-view --digest part.cdb)" = "$(cd-view --frames "$frames" <(cat run.cdb) | cd-view --digest)" ]
        # bytes of the wanted frames and the head; a frame has some 7000, what is looked up some 1000
        [ "$(bytes_read --frames "$frames" run.cdb)" -le $(($(cd-view --frames "$frames" -l 0 --no-prog <(cat run.cdb) | wc -c) * 11 / 10 + 1500)) ]
        cd-view --table --frames "$frames" run.cdb | cmp - <(cat run.cdb | cd-view --table --frames "$frames")
    done
    # standard input that is the file; several frames of one index
    [ "$(cd-view --frames 70 <run.cdb | cd-view --digest)" = "$(cd-view --frames 70 run.cdb | cd-view --digest)" ]
    run_of 40 3
    for frames in 0 7 13 5:6 2:9:3; do
        [ "$(cd-view --frames "$frames" run.cdb | cd-view --digest)" = "$(cat run.cdb | cd-view --frames "$frames" | cd-view --digest)" ]
    done
}

@test "cd-view: an index that does not fit its file is not believed" {
    run_of 60
    want=$(cd-view --frames 41 run.cdb | cd-view --digest)
    # no index: what was a pipe
    cat run.cdb | cd-view -b | cat >pipe.cdb
    [ "$(cd-view --frames 41 pipe.cdb | cd-view --digest)" = "$want" ]
    [ "$(bytes_read --frames 41 pipe.cdb)" -ge "$(wc -c <pipe.cdb)" ]
    cd-view --no-prog -j run.cdb | sed 's/0000"}/"}/' | cd-view --no-prog -b -l 0 -o short.cdb
    python3 - <<'PY'
import subprocess, sys
data = open("run.cdb", "rb").read()
want = subprocess.run("cd-view --frames 41 run.cdb | cd-view --digest", shell=True, capture_output=True).stdout
end = data.rindex(b"CDBK", 0, len(data))
start = end - 144 - 32 * 60
assert data[start:start + 4] == b"CDBK" and data[start + 16:start + 27] == b"frame_index"
told = 0
for at in range(start, len(data), 7):  # one byte of the index or of `end` is another: the same frame, or an error
    open("bad.cdb", "wb").write(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1:])
    done = subprocess.run("cd-view --no-prog --frames 41 bad.cdb", shell=True, capture_output=True)
    told += done.returncode == 3
    if done.returncode == 0:
        assert subprocess.run("cd-view --digest", shell=True, input=done.stdout, capture_output=True).stdout == want, at
    else:
        assert done.returncode == 3 and done.stderr.count(b"\n") == 1, (at, done)
assert 0 < told < 300, told
PY
    # an index left behind by a program that changed the frames before it
    python3 - "$BATS_TEST_DIRNAME/../fuzz" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from mutate import blocks_of, join_blocks
blocks = blocks_of(open("run.cdb", "rb").read())
notes = [k for k, (header, payload) in enumerate(blocks) if header[16:20] == b"note"]
assert len(notes) == 60
blocks[notes[5]], blocks[notes[50]] = blocks_of(open("short.cdb", "rb").read())[notes[5]], blocks[notes[5]]
open("stale.cdb", "wb").write(join_blocks(blocks, True))
PY
    cd-view --no-prog stale.cdb >/dev/null
    for frames in 3 5 6 41 50 55 0:59:7 last; do
        [ "$(cd-view --frames "$frames" stale.cdb | cd-view --digest)" = "$(cat stale.cdb | cd-view --frames "$frames" | cd-view --digest)" ]
    done
}

@test "cd-view: --type keeps what the listed rows refer to, and no more" {
    full_stream >a.jsonl
    cd-view --no-prog --type body a.jsonl >b.jsonl
    [ "$(types_of b.jsonl)" = "body=9 end=1 fend=3 frame=3 head=1 prog=$(lines_of prog a.jsonl | wc -l) shape=2" ]
    cd-view --no-prog --type contact a.jsonl >c.jsonl
    lines_of contact a.jsonl | diff - <(lines_of contact c.jsonl)
    [ "$(lines_of body c.jsonl | jq -r .id | sort -u | paste -sd' ')" = '1 2' ]  # body 7 touches nothing
    [ "$(lines_of pair c.jsonl)" = '' ]
    cd-view --check c.jsonl
    cd-view --no-prog --type entry a.jsonl >e.jsonl
    lines_of entry a.jsonl | diff - <(lines_of entry e.jsonl)
    lines_of row a.jsonl | diff - <(lines_of row e.jsonl)
    cd-view --check e.jsonl
    # totals refer to no body; metrics of a pair do
    cd-view --no-prog --type metric a.jsonl >m.jsonl
    lines_of metric a.jsonl | diff - <(lines_of metric m.jsonl)
    cd-view --no-prog --type note a.jsonl >n.jsonl
    [ "$(lines_of note n.jsonl | wc -l)" -eq 3 ]
    cd-view --no-prog --type shape a.jsonl >s.jsonl
    [ "$(types_of s.jsonl)" = "end=1 fend=3 frame=3 head=1 prog=$(lines_of prog a.jsonl | wc -l) shape=2" ]
    # all the same in binary, where references are row numbers
    cd-view -b a.jsonl >a.cdb
    for type in body contact entry metric note shape value,pair; do
        [ "$(cd-view --type $type a.cdb | cd-view --digest)" = "$(cd-view --type $type a.jsonl | cd-view --digest)" ]
        cd-view --type $type a.cdb | cd-view --check
    done
    run -2 --separate-stderr cd-view --type 'Body!' a.jsonl
    [[ "$stderr" == *--type* ]]
}

@test "cd-view: --bodies keeps rows that refer to no other body" {
    full_stream >a.jsonl
    cd-view -b a.jsonl >a.cdb
    cd-view --no-prog --bodies 1,2 a.jsonl >b.jsonl
    lines_of contact a.jsonl | diff - <(lines_of contact b.jsonl)
    lines_of entry a.jsonl | jq -c '[.row,.col,.value]' | sort >all
    lines_of entry b.jsonl | jq -c '[.row,.col,.value]' | sort >some
    [ -z "$(comm -13 all some)" ]
    [ "$(lines_of body b.jsonl | jq -r .id | sort -u | paste -sd' ')" = '1 2' ]
    cd-view --check b.jsonl
    cd-view --no-prog --bodies 1,7 a.jsonl >c.jsonl
    [ "$(lines_of contact c.jsonl)" = '' ]
    [ "$(lines_of next c.jsonl | jq -r .body | sort -u | paste -sd' ')" = '1 7' ]
    for list in 1 2 7 1,2 2:7 1:100 99; do
        [ "$(cd-view --bodies $list a.cdb | cd-view --digest)" = "$(cd-view --bodies $list a.jsonl | cd-view --digest)" ]
    done
    for bad in '' x 1, 3:1 1:2:3; do run -2 cd-view --bodies "$bad" a.jsonl; done
}

@test "cd-view: the digest does not see encoding, order, provenance, counts and defaults" {
    full_stream >a.jsonl
    digest=$(cd-view --digest a.jsonl)
    [[ "$digest" =~ ^[0-9a-f]{32}$ ]]
    [ "$(cd-view -b a.jsonl | cd-view --digest)" = "$digest" ]
    [ "$(cd-view -b -l 9 a.jsonl | cd-view --digest)" = "$digest" ]
    [ "$(cd-view --counts a.jsonl | cd-view --digest)" = "$digest" ]
    [ "$(grep -v '"type":"prog"' a.jsonl | cd-view --digest)" = "$digest" ]
    # bodies last to first
    awk '/"type":"body"/ {held = $0 "\n" held; next} {printf "%s", held; held = ""; print}' a.jsonl >shuffled.jsonl
    if cmp -s a.jsonl shuffled.jsonl; then false; fi
    [ "$(cd-view --digest shuffled.jsonl)" = "$digest" ]
    [ "$(cd-view -b shuffled.jsonl | cd-view --digest)" = "$digest" ]
    # a default written out, spaces, another spelling of a number
    sed '0,/"motion":"fixed"/s//"motion":"fixed","mu":0.0,"release":0e5/' a.jsonl >spelt.jsonl
    sed -i 's/{"type":"note","n":1}/{ "n" : 1 , "type":"note"}/' spelt.jsonl
    [ "$(cd-view --digest spelt.jsonl)" = "$digest" ]
}

@test "cd-view: the digest sees every change of content" {
    full_stream >a.jsonl
    digest_of() { # of a complete stream: a failed run has another digest too
        local digest
        digest=$(cd-view --digest) && [[ "$digest" =~ ^[0-9a-f]{32}$ ]] && echo "$digest"
    }
    changed() { # changed FILE SED_SCRIPT
        local before after
        before=$(digest_of <"$1")
        after=$(sed "$2" "$1" | digest_of)
        [ "$after" != "$before" ] || { echo "not seen: $2"; return 1; }
    }
    changed a.jsonl '0,/"mass":0.25/s//"mass":0.25000000000000006/'
    changed a.jsonl '0,/"n":1/s//"n":2/'
    changed a.jsonl '0,/"time":0,/s//"time":1e-300,/'
    changed a.jsonl 's/-9.8\]/-9.81]/'
    changed a.jsonl '0,/{"type":"note","n":1}/{//d}'
    cd-view --type body --no-prog a.jsonl >b.jsonl
    [ "$(grep -c '"type":"body","id":7,' b.jsonl)" -ge 2 ]
    changed b.jsonl '0,/{"type":"body","id":7,.*/{//d}'
    # the same rows in other frames
    sed '0,/{"type":"body","id":7,.*/{//d}' b.jsonl >later.jsonl
    awk '/"type":"body","id":7,/ && n++ == 1 {next} {print}' b.jsonl >sooner.jsonl
    [ "$(wc -l <later.jsonl)" -eq "$(wc -l <sooner.jsonl)" ]
    later=$(digest_of <later.jsonl)
    [ "$(digest_of <sooner.jsonl)" != "$later" ]
}

@test "cd-view: a digest worked out by hand" {
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"frame","index":0,"time":0}' '{"type":"note","n":1}' '{"type":"note","n":[2, 3]}' \
        '{"type":"fend"}' '{"type":"end"}' >a.jsonl
    cat >digest.py <<'PY'
M = 2**64 - 1
def finish(h):
    h ^= h >> 33; h = h * 0xff51afd7ed558ccd & M; h ^= h >> 33; h = h * 0xc4ceb9fe1a85ec53 & M
    return h ^ h >> 33
def pair(text):
    a, b = 0xcbf29ce484222325, 0x84222325cbf29ce4
    for c in text.encode():
        a = (a ^ c) * 0x100000001b3 & M; b = (b ^ c) * 0x9e3779b97f4a7c15 & M
    return finish(a), finish(b)
def table(name, rows):
    sums = [sum(x) & M for x in zip(*map(pair, rows))]
    return "%s %d %016x %016x\n" % (name, len(rows), *sums)
text = table("head", ['{"type":"head","cds":[1,0],"dim":2,"gravity":[0,0],"gyroscopic":"midpoint","symmetry":"plane"}'])
text += table("frame", ['{"type":"frame","index":0,"time":0,"round":0,"substep":0,"first_round":0}']) + table("note", ['{"n":1}', '{"n":[2,3]}']) + "fend\nend\n"
print(text + "%016x%016x" % pair(text))
PY
    diff <(python3 digest.py) <(cd-view --digest -v a.jsonl)
}

@test "cd-view: --check passes what the stages write" {
    full_stream >a.jsonl
    run -0 --separate-stderr cd-view --check a.jsonl
    [[ "$output" == "ok: 3 frames, "*"unknown records 3" ]]
    run -0 cd-view --check <(cd-view -b a.jsonl)
}

@test "cd-view: --check finds each broken rule" {
    full_stream >a.jsonl
    finds() { # TEXT SED-SCRIPT
        sed -E "$2" a.jsonl >broken.jsonl
        if cmp -s a.jsonl broken.jsonl; then false; fi
        run -1 --separate-stderr cd-view --check broken.jsonl
        [[ "$output" == *"$1"* ]]
        [[ "$stderr" == *"broken rule"* ]]
    }
    finds "pair: a < b" 's/("type":"pair",)"a":(\[1,0\]),"b":(\[2,0\])/\1"a":\3,"b":\2/'
    finds "contact: a < b" '0,/("type":"contact",.*)"a":(\[1,0\]),"b":(\[2,0\])/s//\1"a":\3,"b":\2/'
    finds "contact: gap = (point_b - point_a) . normal" '0,/"gap":[^,]*/s//"gap":0.5/'
    finds "contact: point is the middle" '0,/"point":\[[^,]*/s//"point":[9/'
    finds "frame: time = index * step" 's/"index":2,"time":0.02/"index":2,"time":0.025/'
    finds "frame: index ascends" 's/"index":2,/"index":1,/'
    finds "body: a dynamic body has a mass" '0,/"mass":0.25,/s///'
    finds "body: a body that takes part has a position" '0,/"position":\[0,0.0505\],/s///'
    finds "parts exist" '0,/"type":"pair","a":\[1,0\]/s//"type":"pair","a":[1,3]/'
    finds "bounds: min <= max" '0,/"min":\[[^,]*/s//"min":[55/'
    finds "shape: geometry" 's/\[-0.05,-0.05\],\[0.05,-0.05\]/[0.05,-0.05],[-0.05,-0.05]/'
    finds "features fit the kind" '0,/"features":\["v/s//"features":["e/;0,/"features":\["e([0-9])","v/s//"features":["v\1","v/'
    finds "next: once" '0,/("type":"next",)"body":7/s//\1"body":1/'
    finds "row: lower <= upper" '0,/("role":"impulse".*"rhs":[^,}]*)/s//\1,"lower":2,"upper":1/'
}

@test "cd-view: --check takes bodies that only stand for bounds, and looks at shapes of space" {
    cat >three.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1}
{"type":"body","id":2}
{"type":"bounds","a":[1,0],"min":[0,0,0],"max":[1,1,1]}
{"type":"bounds","a":[2,7],"min":[0,0,0],"max":[1,1,1]}
{"type":"fend"}
{"type":"end"}
JSONL
    cd-broad --use-bounds three.jsonl | cd-view --check
    sed '/bounds/d' three.jsonl >bare.jsonl
    run -1 --separate-stderr cd-view --check bare.jsonl
    [[ "$output" == *"body: a body that takes part has a position: body 1 (and 1 more)"* ]]
    sed '1a {"type":"shape","id":4,"kind":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,4]]}' three.jsonl >shape.jsonl
    run -1 --separate-stderr cd-view --check shape.jsonl
    [[ "$output" == *"shape: geometry: shape 4: faces: face 3 names vertex 4; there are 4"* ]]
    # whole, then a face turned around, one missing, one vertex pushed in: each a shape of its own
    tetrahedron='"kind":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}'
    sed "1a {\"type\":\"shape\",\"id\":4,$tetrahedron" three.jsonl >whole.jsonl
    cd-broad --use-bounds whole.jsonl | cd-view --check
    { sed -n 1,2p whole.jsonl; sed -n '2s/"id":4/"id":5/; 2s/\[1,2,3\]/[1,3,2]/p' whole.jsonl
      echo '{"type":"shape","id":6,"kind":"polyhedron","vertices":[[0,0,0],[3,0,0],[0,3,0],[0,0,3],[0.5,0.5,0.5]],"faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,4],[2,3,4],[3,1,4]]}'
      sed 1,2d whole.jsonl; } >broken.jsonl
    run -1 --separate-stderr cd-view --check <(cd-broad --use-bounds broken.jsonl)
    [[ "$output" == *"shape: closed and convex: shape 5: faces: "*" (and 1 more)"* ]]
    run -1 --separate-stderr cd-view --check <(cd-broad --use-bounds broken.jsonl | sed '/"id":5/d')
    [[ "$output" == *"shape: closed and convex: shape 6: faces: "*"not convex"* ]]
}

@test "cd-view: --check asks of a body of elements no position and mass, of any other both" {
    local mesh=$BATS_TEST_DIRNAME/../cases/elements/plane.jsonl
    cd-view --check "$mesh"
    sed '/"type":"element"/d' "$mesh" >bare.jsonl
    run -1 --separate-stderr cd-view --check bare.jsonl
    [[ "$output" == *"body: a body that takes part has a position: body "* ]]
}

@test "cd-view: --check looks at elements, nodes and pinballs" {
    cat >a.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"symmetry":"axial"}
{"type":"element","id":1,"kind":"tri3","nodes":[1,2,3],"body":1,"reference":[[0,0],[1,0],[0,1]],"radius":0.4,"split":1}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1}
{"type":"body","id":2}
{"type":"node","id":1,"position":[0,0],"mass":1}
{"type":"node","id":2,"position":[1,0],"mass":1}
{"type":"node","id":3,"position":[0,1],"mass":1}
{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"pinball","point":[0,0],"normal":[1,0],"gap":-0.1,"features":["p3","p0"]}
{"type":"nodal_force","node":1,"vector":[1,0]}
{"type":"next_node","node":1,"position":[0,0],"velocity":[1,0]}
{"type":"fend"}
{"type":"end"}
JSONL
    finds() { # TEXT SED-SCRIPT: a rule that is kept before and broken after
        sed -E "$2" a.jsonl >broken.jsonl
        if cmp -s a.jsonl broken.jsonl; then false; fi
        run cd-view --check a.jsonl
        [[ "$output" != *"$1"* ]]
        run -1 --separate-stderr cd-view --check broken.jsonl
        [[ "$output" == *"$1"* ]] || { echo "$output"; false; }
    }
    finds 'element: nodes, reference, split: element 1: nodes: 2 of them, tri3 has 3' 's/\[1,2,3\]/[1,2]/'
    finds 'element: nodes, reference, split: element 1: split: 9 is more than 4' 's/"split":1/"split":9/'
    finds 'element: nodes, reference, split: element 1: reference: its volume is -0.5' 's/\[1,0\],\[0,1\]/[0,1],[1,0]/'
    finds 'node: x >= 0 with symmetry: axial' '/"node","id":1/s/\[0,0\]/[-1,0]/'
    finds 'contact: features fit the kind' 's/"p3"/"v3"/'
    finds 'next_node: once' 's/^.*"next_node".*$/&\n&/'
    finds 'nodal_force: once' 's/^.*"nodal_force".*$/&\n&/'
}

@test "cd-view: --check of unreadable streams exits 3" {
    full_stream >a.jsonl
    run -3 cd-view --check <(sed '$d' a.jsonl)
    run -3 cd-view --check <(sed '0,/"normal":\[[^]]*\]/s//"normal":[2,0]/' a.jsonl)
    run -3 cd-view --check <(sed '0,/"type":"next","body":1/s//"type":"next","body":55/' a.jsonl)
    run -3 --separate-stderr cd-view --check <(sed '0,/"n":1/s//"n":01/' a.jsonl)
    [[ "$stderr" == *note* ]]
    run -3 cd-view --check /dev/null
}

@test "cd-view: --table" {
    full_stream >a.jsonl
    run -0 --separate-stderr cd-view --table --frames 1 --type body,contact a.jsonl
    [ "${lines[0]}" = 'frame 1  time 0.01 s  step 0.01 s' ]
    [ "${lines[1]}" = 'body (3)' ]
    [[ "${lines[2]}" == *id*shape*position* ]]
    [[ "$output" == *vertex-edge* ]]
    # columns are aligned: every "id" cell ends where its head ends
    [ "$(sed -n '3,6p' <<<"$output" | cut -c1-4 | paste -sd,)" = '  id,   1,   7,   2' ]
    diff <(cd-view --table a.jsonl) <(cd-view -b --no-prog a.jsonl | cd-view --table)
    diff <(cd-view --table --bodies 7 --type next --frames 1 a.jsonl | tail -1 | awk '{print $1}') <(echo 7)
    [ "$(cd-view --table --frames last a.jsonl | grep -c ^frame)" -eq 1 ]
    # texts of a stream do not reach the terminal as control bytes
    small_stream | sed 's/"motion"/"group":"\\u001b[31m","motion"/' | cd-view --table >t
    if grep -q $'\033' t; then false; fi
    [ "$(cd-view --fields | grep -c '^body (per frame)')" -eq 1 ]
}

@test "cd-view: --salvage writes the whole frames of a cut stream" {
    full_stream >a.jsonl
    cd-view -b a.jsonl >a.cdb
    run -0 cd-view --salvage --no-prog a.jsonl
    diff <(echo "$output") a.jsonl
    for file in a.jsonl a.cdb; do
        size=$(stat -c %s $file)
        for percent in 30 55 80 95 99; do
            head -c $((size * percent / 100)) $file >cut
            run -3 --separate-stderr bash -c 'cd-view --salvage -j cut >saved.jsonl'
            [[ "$stderr" == *"whole frames, lost what follows"* ]]
            cd-view --check saved.jsonl
            frames=$(jq -r 'select(.type=="frame").index' saved.jsonl | wc -l)
            [ "$frames" -eq 0 ] || diff <(cd-view -j --no-prog --frames 0:$((frames - 1)) a.jsonl) saved.jsonl ||
                [ "$(cd-view --digest saved.jsonl)" = "$(cd-view --frames 0:$((frames - 1)) a.jsonl | cd-view --digest)" ]
        done
    done
    # a flipped bit in the last frame leaves the ones before it
    python3 - <<'PY'
data = bytearray(open("a.cdb", "rb").read())
data[len(data) * 9 // 10] ^= 4
open("flipped.cdb", "wb").write(data)
PY
    run -3 --separate-stderr bash -c 'cd-view --salvage -o saved.cdb flipped.cdb'
    cd-view --check saved.cdb
    run -3 cd-view --salvage /dev/null
}

# pieces: a run of 13 frames in run.cdb; a.cdb and b.cdb are its halves, both with frame 6, and c.jsonl is b.cdb without it.
pieces() {
    small_stream | cd-loop -b --frames 13 -o run.cdb
    cd-view --frames 0:6 -o a.cdb run.cdb
    cd-view --frames 6: -o b.cdb run.cdb
    cd-view --frames 7: -j run.cdb >c.jsonl
}

@test "cd-view: --join makes the run that was never cut" {
    pieces
    local want
    want=$(cd-view --digest run.cdb)
    [ "$(cd-view --digest a.cdb)" != "$want" ]
    for encoding in -j -b ''; do
        [ "$(cd-view $encoding --join a.cdb b.cdb | cd-view --digest)" = "$want" ]
        [ "$(cd-view $encoding --join a.cdb c.jsonl | cd-view --digest)" = "$want" ]
    done
    cd-view --join -o joined.cdb a.cdb b.cdb
    cd-view --check joined.cdb
    cd-view --frames 9 joined.cdb | cd-view --digest | diff - <(cd-view --frames 9 run.cdb | cd-view --digest) # its index
    [ "$(cd-view -j joined.cdb | jq -c 'select(.type == "prog").tool' | sort | uniq -c | awk '$2 == "\"cd-loop\"" {print $1}')" = 1 ]
    # many pieces, through pipes
    [ "$(cd-view --join <(cd-view --frames 0 run.cdb) <(cd-view --frames 0:3 -j run.cdb) <(cd-view --frames 4 run.cdb) <(cd-view --frames 5:11 run.cdb) \
        <(cd-view --frames 11: run.cdb) | cd-view --digest)" = "$want" ]
    # a run that goes on from the last frame of another one, which has bodies alone
    small_stream | cd-loop -b --frames 7 -o first.cdb
    cd-view --frames last first.cdb | cd-loop -b --frames 7 -o second.cdb
    [ "$(cd-view --join first.cdb second.cdb | cd-view --digest)" = "$want" ]
}

@test "cd-view: --join keeps tables of unknown type, and the parts of a halved step together" {
    full_stream >run.jsonl
    sed 's/^{"type":"frame","index":1,.*/{"type":"frame","index":0,"substep":1,"time":0.01,"step":0.01}/; s/"index":2,/"index":1,/' run.jsonl >parts.jsonl
    for file in run parts; do
        cd-view --frames 0 $file.jsonl >a.jsonl
        for rest in 0: 1:; do
            cd-view --frames $rest -b $file.jsonl >b.cdb
            for encoding in -j -b; do
                [ "$(cd-view $encoding --join a.jsonl b.cdb | cd-view --digest)" = "$(cd-view --digest $file.jsonl)" ]
            done
        done
    done
    # a piece that lacks a part of the step that both have
    run -3 --separate-stderr cd-view --join <(cd-view --frames 0 parts.jsonl) <(cd-view --frames 0 run.jsonl)
    [[ "$stderr" == *"frame 0: it has fewer parts or rounds than in "* ]]
}

@test "cd-view: --join refuses what is not one run" {
    pieces
    refuses() { # TEXT FILE...: with one line
        run -3 --separate-stderr bash -c 'cd-view --join "$@" >out' - "${@:2}"
        [ "$stderr" = "cd-view: $1" ] || { echo "$stderr"; return 1; }
        if cd-view --digest out; then return 1; fi
    }
    refuses 'a.cdb: frame 0: it comes before the last one of b.cdb' b.cdb a.cdb
    refuses 'a.cdb: frame 0: it comes before the last one of a.cdb' a.cdb a.cdb
    cd-view --frames 8: -o late.cdb run.cdb
    refuses 'late.cdb: frame 8: it does not follow frame 6, the last of a.cdb' a.cdb late.cdb
    sed 's/-9\.8\]/-9.7]/' c.jsonl >head.jsonl
    refuses 'head.jsonl: head table head: not that of a.cdb: not one run' a.cdb head.jsonl
    sed 's/"kind":"polygon","vertices":\[\[-0.05/"kind":"polygon","vertices":[[-0.06/' c.jsonl >shape.jsonl
    refuses 'shape.jsonl: head table shape: not that of a.cdb: not one run' a.cdb shape.jsonl
    cd-view -j b.cdb | sed '0,/"mass":0.25/s//"mass":0.5/' >mass.jsonl
    refuses 'mass.jsonl: frame 6: table body: not as in a.cdb' a.cdb mass.jsonl
    sed 's/"time":0.07,/"time":0.05,/' c.jsonl >time.jsonl
    refuses 'time.jsonl: frame 7: its time is not after that of the last of a.cdb' a.cdb time.jsonl
    cd-view --frames 7 -o seven.cdb run.cdb
    refuses 'seven.cdb: frame 7: it is the first one of c.jsonl' <(cd-view --frames 0:7 run.cdb) seven.cdb c.jsonl
    cd-view --frames 99 run.cdb >none.cdb
    refuses 'none.cdb: no frame: nothing to join' a.cdb none.cdb
    head -c -40 b.cdb >cut.cdb
    run -3 cd-view --join -o whole.cdb a.cdb cut.cdb
    [ ! -e whole.cdb ]
    run -2 --separate-stderr cd-view --join a.cdb
    [ "$stderr" = 'cd-view: --join: wanted two files or more, in the order of their frames' ]
    run -2 cd-view --join --frames 1 a.cdb b.cdb
    run -2 cd-view --join --digest a.cdb b.cdb
    run -2 cd-view a.cdb b.cdb
    run -2 cd-view --why 1 2 a.cdb b.cdb
}

@test "cd-view: options that exclude one another" {
    small_stream >a.jsonl
    run -2 cd-view --check --digest a.jsonl
    run -2 cd-view --digest --type body a.jsonl
    run -2 cd-view -j -b a.jsonl
}

@test "cd-view --type: a name that is none is told, with the one that was meant" {
    small_stream >a.jsonl
    for names in bodies:body contcat:contact pairs:pair constrant:constraint entries:entry; do
        run -2 --separate-stderr cd-view --type "frame,${names%:*}" a.jsonl
        [ "$stderr" = "cd-view: --type: there is no record type ${names%:*}; did you mean ${names#*:}?" ]
        [ -z "$output" ]
    done
    # types of others
    for name in note notes my-alarm; do cd-view --type "$name" a.jsonl >/dev/null; done
}
