# functions.sh -- what the commands of tests/cases/same/runs have at hand; tests/same.sh reads it before each.
# shellcheck shell=bash

# Scenes of this folder and of pipelines/, as streams. Warnings are not compared, so they are left out.
same() { cd-scene -q "${@:2}" "$SAME_CASES/$1.yaml"; }
pipe() { cd-scene -q "${@:2}" "$ROOT/pipelines/$1.yaml"; }

# body DIM SHAPE [KEYS]: a scene of one body of that shape with a density, whose mass cd-scene computes.
body() { printf 'dim: %d\nepsilon: 1e-5\nbodies: [{shape: %s, %s}]\n' "$1" "$2" "${3:-density: 2}" | cd-scene -q; }

# made DIM GENERATOR-KEYS [TOP-LEVEL KEY]: a scene of one generator.
made() { printf 'dim: %d\nepsilon: 1e-5\nstep: 0.01\nseed: 4\n%s\ngenerate: [{%s}]\n' "$1" "${3:-}" "$2" | cd-scene -q; }

# each 'WORD...' COMMAND: the command for each word, as $it; a line of its exit status, and its stream's digest or its error.
each() {
    local it words=$1 status
    shift
    for it in $words; do
        eval "$*" >each.out 2>each.err
        status=$?
        if [ $status -eq 0 ]; then echo "$it 0 $(cd-view --digest each.out)"; else echo "$it $status $(tail -n 1 each.err)"; fi
    done
}

# on_threads COMMAND: each for one thread and for two, as -t $it, of which both must have been at work.
on_threads() {
    each '1 2' "$* --stats"
    grep '^{' each.err | jq -e '.threads == 2' >/dev/null || echo "one thread alone was at work"
}

# floor: boxes that fall on a floor, too far apart to meet; many islands.
floor() {
    made 3 'generator: grid, count: [24, 24, 1], spacing: [1.5, 1.5, 1], origin: [0, 0, 0.49], body: {shape: {box: [0.5, 0.5, 0.5]}, density: 1, velocity: [0, 0, -1]}' \
        'bodies: [{shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}]'
}
modes='auto features separating distance depth volume'

# pair SCENE KIND-KIND: contacts of the bodies of two groups, by every mode.
pair() {
    same "$1" | cd-broad --group "${2%-*}:${2#*-}" >pairs
    each "$modes" 'cd-narrow --contacts $it pairs'
}

# kinds SCENE KIND-KIND...: overlap of the bodies of two groups alone; the first word of a group is enough to pick its bodies.
kinds() {
    local pair ids
    same "$1" >all
    for pair in "${@:2}"; do
        ids=$(cd-view -j all | jq -r --arg a "${pair%-*}" --arg b "${pair#*-}" 'select(.type == "body" and (.group == $a or .group == $b)).id' | paste -sd,)
        echo "$pair $(cd-view --bodies "$ids" all | cd-overlap-metric --per-pair | cd-view --digest)"
    done
}

# element_file FORMAT: a quadrilateral and a triangle beside it, and a line, in t.msh or t.vtk.
element_file() {
    local points='0 0 0 1 0 0 1 1 0 0 1 0 2 0.5 0' old='$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0.5 0\n$EndNodes\n$Elements\n3\n1 1 2 0 1 1 2\n2 3 2 1 1 1 4 3 2\n3 2 2 1 1 2 5 3\n$EndElements\n'
    local new='$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n2 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0.5 0\n$EndNodes\n$Elements\n3 3 1 3\n1 1 1 1\n1 1 2\n2 1 3 1\n2 1 4 3 2\n2 1 2 1\n3 2 5 3\n$EndElements\n'
    case $1 in
    msh2) printf "$old" >t.msh ;;
    msh4) printf "$new" >t.msh ;;
    vtk) printf '# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n%s\nCELLS 3 12\n2 0 1\n4 0 3 2 1\n3 1 4 2\nCELL_TYPES 3\n3 9 5\n' "$points" >t.vtk ;;
    vtk5) printf '# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n%s\nCELLS 4 9\nOFFSETS vtktypeint64\n0 2 6 9\nCONNECTIVITY vtktypeint64\n0 1 0 3 2 1 1 4 2\nCELL_TYPES 3\n3 9 5\n' "$points" >t.vtk ;;
    esac
}

# A tetrahedron as each format of meshes has it.
mesh_file() {
    case $1 in
    off) printf 'OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n' ;;
    obj) printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' ;;
    ply) printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n' ;;
    stl)
        echo 'solid t'
        local face
        for face in '0 0 0,0 1 0,1 0 0' '0 0 0,1 0 0,0 0 1' '1 0 0,0 1 0,0 0 1' '0 1 0,0 0 0,0 0 1'; do
            printf 'facet normal 0 0 0\nouter loop\n'
            tr , '\n' <<<"$face" | sed 's/^/vertex /'
            printf 'endloop\nendfacet\n'
        done
        echo 'endsolid t'
        ;;
    esac >"t.$1"
}
binary_stl() { # the same in binary: a header of 80 bytes, a count, and 50 bytes a triangle
    python3 -c '
import struct, sys
p = [(0,0,0),(1,0,0),(0,1,0),(0,0,1)]
out = bytes(80) + struct.pack("<I", 4)
for f in (0,2,1),(0,1,3),(1,2,3),(2,0,3):
    out += struct.pack("<12fH", 0,0,0, *p[f[0]], *p[f[1]], *p[f[2]], 0)
sys.stdout.buffer.write(out)' >b.stl
}
mesh() { # mesh FORMAT AS: a body of that file
    mesh_file "$1"
    printf 'dim: 3\nepsilon: 1e-4\nbodies: [{shape: {mesh: {file: %s, scale: 0.5, as: %s}}, density: 3}]\n' "${3:-t.$1}" "$2" >mesh.yaml
    cd-scene -q mesh.yaml
}

# Stages up to a table, with what most runs want.
contacts() { cd-broad | cd-narrow --contacts "${1:-features}"; }
problem() { # problem MODE ASSEMBLE-OPTIONS...: without friction, if not asked for; features for peg
    local usual='--friction off'
    [ "$1" != features ] || usual+=' --model peg'
    contacts "$1" | cd-peg-assemble $usual "${@:2}"
}

# array ROWS COLUMNS VALUES...: a Matrix Market array
# digits: numbers of an iterative solver, but for the last ones.
digits() { awk 'NF == 1 { $0 = sprintf("%.8f", $1); sub(/^-0\.0*$/, "0.00000000") } 1'; }
array() { printf '%%%%MatrixMarket matrix array real general\n%s %s\n' "$1" "$2" && shift 2 && printf '%s\n' "$@"; }
