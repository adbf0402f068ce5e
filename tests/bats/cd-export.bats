#!/usr/bin/env bats
# cd-export: each format read back by the software that it is for (export/read_back.py: VTK, NumPy, SciPy, csv; Miller,
# vnlog, Khronos' validator of glTF) and compared with the stream; refusals; files that are whole or not there.
# shellcheck shell=bash
load helper

BACK=$BATS_TEST_DIRNAME/export/read_back.py
ROOT=$BATS_TEST_DIRNAME/../..

# back ARGUMENTS: read_back.py under the first Python that has what it asks for; skips where none has.
back() {
    local python status
    for python in python3 /usr/bin/python3; do
        status=0
        "$python" "$BACK" "$@" >told || status=$?
        [ $status -eq 77 ] || break
    done
    [ $status -ne 77 ] || skip "$(cat told)"
    cat told
    return $status
}

# Bodies of both dimensions in motion: with contacts and forces in every frame, repeated rounds left out.
run_plane() { cd-scene -q "$CASES/same/heap2.yaml" | cd-loop -q --frames 5 | cd-view -j --no-prog >run.jsonl; }
run_space() { cd-scene -q "$CASES/same/mixed3.yaml" | cd-loop -q --frames 5 | cd-view -j --no-prog >run.jsonl; }

balls() { cd-scene -q "$CASES/lcp/balls.yaml"; }

@test "cd-export: the tests of every tool" {
    check_help cd-export
    check_version cd-export
    check_unknown_option cd-export
}

@test "cd-export: what it refuses, in one line" {
    small_stream >s.jsonl
    refused() { # refused STATUS WORDS OPTIONS...
        run -"$1" --separate-stderr cd-export "${@:3}"
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [[ "$stderr" == *"$2"* ]] || { echo "$stderr"; return 1; }
        [ -z "$output" ]
    }
    refused 2 "--to: required" s.jsonl
    refused 2 "--to" --to vtk s.jsonl
    refused 2 "--type: required" --to csv s.jsonl
    refused 2 "--type: bodies: no record type; body is one" --to csv --type bodies s.jsonl
    refused 2 "--type: fend" --to csv --type fend s.jsonl
    refused 2 "it is there twice" --to csv --type body,body s.jsonl
    refused 2 "--type: : no record type" --to csv --type body, s.jsonl
    refused 2 "there is no choice" --to gltf --type body s.jsonl
    refused 2 "pair: vtp does not hold it" --to vtp --type pair s.jsonl
    refused 2 "vtp holds one of" --to vtp --type body,contact s.jsonl
    refused 2 "-o FOLDER" --to csv --type body,contact s.jsonl
    refused 2 "-o FOLDER" --to mtx s.jsonl
    refused 2 "NAME.pvd" --to pvd s.jsonl
    refused 2 "NAME.pvd" --to pvd -o run.vtp s.jsonl
    refused 2 "no frame of --frames" --to csv --type body --frames 7 s.jsonl
    refused 2 "--segments" --to vtp --segments 5 s.jsonl
    refused 3 "cd-peg-assemble makes the problem" --to mtx -o problem s.jsonl
    refused 4 "no-such-file" --to csv --type body no-such-file
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"end"}' >none.jsonl
    for format in vtp gltf; do refused 3 "there is no frame to write" --to $format none.jsonl; done
    [ "$(ls | grep -v '^separate-stderr')" = "$(printf '%s\n' none.jsonl s.jsonl)" ]
}

@test "cd-export: a frame for the formats that hold one" {
    run_plane
    cd-export --to vtp -o last.vtp run.jsonl
    cd-export --to vtp --frames last run.jsonl | cmp - last.vtp
    cd-export --to vtp --frames 0 run.jsonl | cmp -s - last.vtp && return 1
    run -2 --separate-stderr cd-export --to vtp --frames 1:2 -o two.vtp run.jsonl
    [[ "$stderr" == *"more than one frame"* ]]
    [ ! -e two.vtp ]
}

@test "cd-export: a result is whole or not there" {
    run_plane
    head -n -1 run.jsonl >cut.jsonl
    echo old | tee x.csv >x.glb
    for options in "--to csv --type body -o x.csv" "--to gltf -o x.glb" "--to npz --type body -o x.npz" \
        "--to csv --type body,next -o tables" "--to pvd -o run.pvd"; do
        # shellcheck disable=SC2086
        run -3 cd-export $options cut.jsonl
    done
    [ "$(cat x.csv x.glb)" = "$(printf 'old\nold')" ]
    [ "$(ls)" = "$(printf '%s\n' cut.jsonl run.jsonl x.csv x.glb)" ]
    # a folder of someone's is not touched, nor one at work
    mkdir tables run.part
    run -2 --separate-stderr cd-export --to csv --type body,next -o tables/ run.jsonl
    [[ "$stderr" == "cd-export: tables: it is there already"* ]]
    run -2 --separate-stderr cd-export --to pvd -o run.pvd run.jsonl
    [[ "$stderr" == *"run.part: left by a run"* ]]
    [ -d run.part ]
    [ ! -e run.pvd ]
    run -4 cd-export --to csv --type body -o /dev/full run.jsonl
    run -4 cd-export --to npz --type body -o /dev/full run.jsonl
    run -4 cd-export --to gltf -o /dev/full run.jsonl
}

@test "cd-export: the same bytes from both encodings, any number of times" {
    run_space
    cd-view -b run.jsonl >run.cdb
    for options in "--to gltf" "--to npz --type body,contact" "--to vtp --type contact --frames 3" "--to csv --type force"; do
        # shellcheck disable=SC2086
        cd-export $options run.jsonl >once
        [ -s once ]
        # shellcheck disable=SC2086
        cd-export $options - <run.cdb | cmp - once
    done
}

@test "cd-export: VTK reads bodies, contacts and force chains of the plane" {
    run_plane
    cd-export --to pvd -o run.pvd run.jsonl
    back vtk run.jsonl run.pvd
    grep -E '^body [1-9][0-9]* contact [1-9][0-9]* force [1-9]' told
}

@test "cd-export: VTK reads bodies, contacts and force chains of space" {
    run_space
    cd-export --to pvd --segments 9 -o 'run & <1>.pvd' run.jsonl
    back vtk run.jsonl 'run & <1>.pvd'
    grep -E '^body [1-9][0-9]* contact [1-9][0-9]* force [1-9]' told
    # every kind of shape
    cd-scene -q "$CASES/same/space.yaml" | cd-broad | cd-narrow | cd-view -j --no-prog >kinds.jsonl
    for kind in polyhedron sphere ellipsoid halfspace facets compound; do grep -q "\"kind\":\"$kind\"" kinds.jsonl; done
    sed -i '/"type":"body"/{/"shape":'"$(jq 'select(.kind == "compound").id' kinds.jsonl | paste -sd'|' | sed 's/|/[,}]\\|"shape":/g')"'[,}]/d}' kinds.jsonl
    sed -i '/"type":"\(bounds\|pair\|contact\|metric\)"/d' kinds.jsonl
    cd-export --to pvd -o kinds.pvd kinds.jsonl
    back vtk kinds.jsonl kinds.pvd
    grep -E '^body [1-9][0-9]+ contact 0 force 0' told
}

@test "cd-export: bodies of elements are shown where their nodes are" {
    printf 'dim: 3\nstep: 0.02\nmaterials: {m: {density: 2, bulk: 3, shear: 1}}\nbodies: [{mesh: {box: [2, 1, 1], cells: [2, 1, 1]}, material: m}]\n' |
        cd-scene -q | cd-view -j >mesh.jsonl
    [ "$(grep -c '"type":"element"' mesh.jsonl)" -gt 0 ]
    run -0 --separate-stderr cd-export --to vtp -o mesh.vtp mesh.jsonl
    [ -z "$stderr" ]
    run -0 --separate-stderr cd-export --to gltf -o mesh.glb mesh.jsonl
    [[ "$stderr" == "cd-export: gltf: 1 times a body of elements is left out: nodes do not deform" ]]
    python=python3
    "$python" -c 'import vtkmodules' 2>/dev/null || python=/usr/bin/python3
    "$python" -c 'import vtkmodules' 2>/dev/null || skip "no vtk here"
    # closed and outward: the elements' volumes add up to that of the box
    "$python" - >volume <<'PY'
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
reader = vtkXMLPolyDataReader()
reader.SetFileName("mesh.vtp")
reader.Update()
data, volume = reader.GetOutput(), 0
for i in range(data.GetNumberOfCells()):
    p = data.GetCell(i).GetPoints()
    o = p.GetPoint(0)
    for k in range(2, p.GetNumberOfPoints()):
        a, b = p.GetPoint(k - 1), p.GetPoint(k)
        volume += (o[0] * (a[1] * b[2] - a[2] * b[1]) + o[1] * (a[2] * b[0] - a[0] * b[2]) + o[2] * (a[0] * b[1] - a[1] * b[0])) / 6
print(round(volume, 12))
PY
    [ "$(cat volume)" = 16.0 ]
}

@test "cd-export: CSV and TSV of every table have the stream's numbers" {
    balls | cd-loop -q --frames 3 | cd-view -j --no-prog >run.jsonl
    types=$(cd-view --fields | sed -nE 's/^([a-z_]+) \(.*/\1/p' | grep -vxE 'fend|end')
    [ "$(wc -w <<<"$types")" -gt 20 ]
    for style in csv tsv; do
        cd-export --to $style --type "$(paste -sd, <<<"$types")" -o $style run.jsonl
        # shellcheck disable=SC2086
        back $style run.jsonl $style $types >>rows
    done
    [ "$(grep -vc 'rows 0' rows)" -gt 30 ]
    # one table to standard output is the file of the folder
    cd-export --to csv --type contact run.jsonl | cmp - csv/contact.csv
    # of every type of records
    jq -c 'del(.mood, .wet, .colour)' "$CASES/stream/all-records.jsonl" >all.jsonl
    cd-export --to csv --type "$(paste -sd, <<<"$types")" -o all all.jsonl
    # shellcheck disable=SC2086
    back csv all.jsonl all $types
}

@test "cd-export: texts that need quotes" {
    small_stream | sed 's/"id":2,"shape":2/&,"group":"a, \\"b\\"\\tc\\\\d e#"/; s/"id":1,"shape":1/&,"group":""/' >s.jsonl
    cd-export --to csv --type body -o s.csv s.jsonl
    back csv s.jsonl s.csv body
    run -0 --separate-stderr cd-export --to tsv --type body s.jsonl
    [[ "$output" == *'a, "b"\tc\\d e#'* ]]
    [[ "$stderr" == "cd-export: tsv: 1 texts are not as they were: the format cannot hold them" ]]
    run -0 --separate-stderr cd-export --to vnlog --type body s.jsonl
    [[ "$output" == *' a,_"b"_c\d_e_ '* ]]
    [[ "$stderr" == "cd-export: vnlog: 2 texts are not as they were: the format cannot hold them" ]]
    sed 's/"id":2,"shape":2/&,"colour":3/' s.jsonl >more.jsonl
    run -0 --separate-stderr cd-export --to csv --type body more.jsonl
    [[ "$stderr" == "cd-export: body: 1 rows have members that are no fields of it: these are left out" ]]
}

@test "cd-export: Miller and the vnlog tools read tables" {
    balls | cd-loop -q --frames 3 | cd-view -j --no-prog >run.jsonl
    jq -r 'select(.type == "contact").gap' run.jsonl | sort -g >gaps
    [ -s gaps ]
    cd-export --to csv --type contact run.jsonl >c.csv
    cd-export --to tsv --type contact run.jsonl >c.tsv
    cd-export --to vnlog --type contact run.jsonl >c.vnl
    awk '!/^#/ && NF != fields { exit 1 } /^#/ { fields = NF - 1 }' c.vnl
    command -v mlr >/dev/null || skip "no Miller (mlr) here"
    for style in csv tsv; do mlr --i$style --ojson --records-per-batch 1 cut -f gap c.$style | jq -r '.[].gap' | sort -g | diff - gaps; done
    command -v vnl-filter >/dev/null || skip "no vnlog here"
    vnl-filter -p gap <c.vnl | sed 1d | sort -g | diff - gaps
}

@test "cd-export: NumPy reads arrays bit for bit" {
    run_space
    types=head,shape,body,contact,constraint,row,entry,value,force,next,metric
    for level in 0 6; do
        cd-export --to npz -l $level --type $types -o run$level.npz run.jsonl
        back npz run.jsonl run$level.npz
        grep -E '^tables 11 values [1-9][0-9]{3}' told
    done
    [ "$(stat -c %s run6.npz)" -lt $(($(stat -c %s run0.npz) / 2)) ]
    sed 's/"group":"[^"]*"/"group":"Würfel 立方体 🎲"/' run.jsonl >words.jsonl
    cd-export --to npz --type body -o words.npz words.jsonl
    back npz words.jsonl words.npz
}

@test "cd-export: SciPy and cd-lcp read a frame's problem" {
    cd-scene -q "$CASES/same/heap2.yaml" | cd-broad | cd-narrow --contacts separating | cd-peg-assemble --friction off | cd-lcp | cd-view -j --no-prog >run.jsonl
    cd-export --to mtx -o problem run.jsonl
    # cd-lcp's answer is the stream's
    cd-lcp --mtx problem/M.mtx --rhs problem/rhs.mtx --lower problem/lower.mtx --upper problem/upper.mtx | sed 1,2d >z
    jq -r 'select(.type == "value").z' run.jsonl >wanted
    [ "$(wc -l <z)" -gt 10 ]
    paste z wanted | awk '{ d = $1 - $2; if (d < -1e-9 || d > 1e-9 || NF != 2) exit 1 }'
    back mtx run.jsonl problem 0
}

@test "cd-export: SciPy and cd-lcp read a problem with friction discs" {
    balls | cd-broad | cd-narrow | cd-peg-assemble --friction disc | cd-lcp --tolerance 1e-12 | cd-view -j --no-prog >discs.jsonl
    cd-export --to mtx -o problem discs.jsonl
    (cd problem && cd-lcp --tolerance 1e-12 --mass mass.mtx --jacobian jacobian.mtx --force force.mtx --rhs rhs.mtx --mu mu.mtx --print v) | sed 1,2d >v
    jq -r 'select(.type == "value" and .row < 12).z' discs.jsonl >wanted
    [ "$(wc -l <v)" -eq 12 ]
    paste v wanted | awk '{ d = $1 - $2; if (d < -1e-9 || d > 1e-9 || NF != 2) exit 1 }'
    # contacts with and without friction: these have mu 0, and tangents that nothing is written for
    cat >mixed.yaml <<'YAML'
dim: 3
step: 0.01
gravity: [2, 0.5, -9.81]
materials: {rough: {density: 1000}, smooth: {density: 1000}}
interactions: [{a: rough, b: rough, mu: 0.3}, {a: rough, b: smooth, mu: 0}]
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed, material: rough}
  - {shape: {sphere: 0.1}, position: [0, 0, 0.1], velocity: [0.5, 0, 0], material: rough}
  - {shape: {sphere: 0.1}, position: [0.02, 0, 0.298], material: smooth}
  - {shape: {sphere: 0.1}, position: [1, 0, 0.1], velocity: [0.5, 0, 0], material: smooth}
YAML
    cd-scene -q mixed.yaml | cd-broad | cd-narrow | cd-peg-assemble --friction disc | cd-lcp --tolerance 1e-12 | cd-view -j --no-prog >mixed.jsonl
    cd-export --to mtx -o mixed mixed.jsonl
    [ "$(sed 1,2d mixed/mu.mtx | paste -sd' ')" = "0.3 0 0" ]
    (cd mixed && cd-lcp --tolerance 1e-12 --mass mass.mtx --jacobian jacobian.mtx --force force.mtx --rhs rhs.mtx --mu mu.mtx --print v) | sed 1,2d >v
    [ "$(wc -l <v)" -eq 18 ]
    jq -r 'select(.type == "value" and .row < 18).z' mixed.jsonl | paste v - | awk '{ d = $1 - $2; if (d < -1e-9 || d > 1e-9 || NF != 2) exit 1 }'
    # what the form cannot say is refused
    cd-scene -q "$ROOT/pipelines/scenes-3d/rolling.yaml" | cd-broad | cd-narrow | cd-peg-assemble >rolling
    run -6 --separate-stderr cd-export --to mtx -o rolls rolling
    [[ "$stderr" == *"role: rolling: it stands beside discs"* ]]
    [ ! -e rolls ]
    [ ! -e rolls.part ]
    back mtx discs.jsonl problem 0
    back mtx mixed.jsonl mixed 0
}

@test "cd-export: glTF has the bodies' keys, and Khronos' validator no fault" {
    run_space
    cd-export --to gltf -o run.glb run.jsonl
    back glb run.jsonl run.glb
    grep -E '^nodes [1-9][0-9]* meshes [1-9][0-9]* keys [1-9]' told
    run_plane
    cd-export --to gltf -o plane.glb run.jsonl
    back glb run.jsonl plane.glb
    # a frame that is sent again has no key of its own
    small_stream | sed '/"fend"/,$d' >twice.jsonl
    small_stream | sed -n '/"frame"/,$p' | sed 's/"type":"frame",/&"round":1,/' | { echo '{"type":"fend"}'; cat; } >>twice.jsonl
    sed -i 's/"round":1,\("index":0,"time":0\),/\1,"round":1,/' twice.jsonl
    run -0 --separate-stderr cd-export --to gltf -o twice.glb twice.jsonl
    [[ "$stderr" == "cd-export: gltf: 1 frames are no later than those before them: left out" ]]
    command -v node >/dev/null || skip "no node here"
    modules=$(npm root -g 2>/dev/null || true)
    [ -d "$modules/gltf-validator" ] || modules=$ROOT/node_modules
    [ -d "$modules/gltf-validator" ] || skip "no gltf-validator here (npm install -g gltf-validator)"
    for file in run plane twice; do node "$BATS_TEST_DIRNAME/export/gltf_check.mjs" "$modules" $file.glb; done
}
