#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Contact problems of a hundred thousand contacts, each by cd-lcp without options but its threads: the time of its work, its memory, what it answers.
#
#   usage: large.sh [--sets "wall-8700 rubble-2000 ..."] [--threads 2] [--keep FOLDER] [BUILD_DIRECTORY]
#
# --sets      wall-N: the first step of a wall of N bricks, mu 0.5 (pipelines/stand/scenes.py); rubble-N: of a heap of N blocks of broken rock,
#             mu 0.5 (rubble.py), hollow-N: of such a heap with a fifth of its blocks taken away; packing-N: a settled random packing of N spheres
#             without friction (tests/harness/sphere_packing.c); rough-N: the same with mu 0.5; touching-N, settled-N: the same two with the
#             contacts that can touch in the step alone, and settled-N with 10 ms in the place of 50 [wall-8700 rubble-2000 touching-100000 settled-5000]
# --threads   of cd-lcp; a problem that is one island takes two where its factor or its products can be parted
# --keep      folder for the problems, streams of rows and entries: those that are there are not made again
#
# A line a problem: contacts, seconds of work (CPU of all threads), MiB, status, solver, residual, iterations; then the residual as residual.py finds
# it in rows, entries and values, and the contacts that carry.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
sets="wall-8700 rubble-2000 touching-100000 settled-5000" threads=2 keep='' build=build/release
read_options "sets threads keep :build" "$@"
cd "$here/../.."
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -j2 BUILD="$build" all "$build/harness/sphere_packing" >&2
export PATH="$build/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "$keep" ] || keep=$work
mkdir -p "$keep"

packing() { # packing COUNT MU STEP [REACH]: a scene
    local table=$keep/packing-$1.csv
    [ -s "$table" ] || { "$build/harness/sphere_packing" "$1" >"$work/table" 2>"$work/said" && tail -n 1 "$work/said" >"$table.width" && mv "$work/table" "$table"; }
    python3 - "$table" "$(cut -d' ' -f2 "$table.width")" "${@:2}" <<'END'
import json, sys
table, (width, mu, step, *reach) = sys.argv[1], map(float, sys.argv[2:])
half = width / 2
fixed = [([half + 1, half + 1, 0.5], [half, half, -0.5])]
fixed += [([0.5, half, width], [x, half, width]) for x in (-0.5, width + 0.5)] + [([half, 0.5, width], [half, y, width]) for y in (-0.5, width + 0.5)]
json.dump({"dim": 3, "gravity": [0, 0, -9.81], "step": step, "length": 0.2, "defaults": {"mu": mu}, **({"reach": reach[0]} if reach else {}),
           "bodies": [{"shape": {"box": box}, "position": at, "motion": "fixed"} for box, at in fixed],
           "generate": [{"generator": "particles", "file": table, "body": {"density": 1000, "mu": mu}}]}, sys.stdout)
END
}

problem() { # problem SET: its rows and entries
    local size=${1#*-} friction=--friction\ disc
    case $1 in
    wall-*) python3 pipelines/stand/scenes.py wall "$size" --mu 0.5 --step 10 >"$work/scene" ;;
    rubble-*) python3 pipelines/bench-lcp/rubble.py "$size" >"$work/scene" ;;
    hollow-*) python3 pipelines/bench-lcp/rubble.py "$size" --voids 0.2 >"$work/scene" ;;
    packing-*) packing "$size" 0 0.05 >"$work/scene" && friction= ;;
    touching-*) packing "$size" 0 0.05 0.00203 >"$work/scene" && friction= ;;
    rough-*) packing "$size" 0.5 0.05 >"$work/scene" ;;
    settled-*) packing "$size" 0.5 0.01 0.002 >"$work/scene" ;;
    *) echo "large.sh: $1: no such set" >&2 && exit 2 ;;
    esac
    # shellcheck disable=SC2086
    cd-scene -q "$work/scene" | cd-broad -q | cd-narrow -q | cd-peg-assemble -q $friction -o "$keep/$1.cdb"
}

echo "set contacts seconds MiB status solver residual iterations verified carrying"
for set in $sets; do
    [ -s "$keep/$set.cdb" ] || problem "$set"
    cd-lcp -q -t "$threads" --stats "$keep/$set.cdb" 2>"$work/stats" >"$work/solved"
    cd-view -j --type row,solution "$work/solved" >"$work/answer"
    cd-view -j --type row,entry,value "$work/solved" | python3 "$here/residual.py" >"$work/verified"
    python3 - "$set" "$work/answer" "$work/stats" "$work/verified" <<'END'
import json, sys
rows = solution = 0
for line in open(sys.argv[2]):
    row = json.loads(line)
    rows += row.get("role") == "impulse"
    solution = row if row["type"] == "solution" else solution
stats = next(json.loads(line) for line in open(sys.argv[3]) if line.startswith('{"tool"'))
print(sys.argv[1], rows, "%.1f" % stats["seconds"]["work"], stats["peak_kib"] // 1024, solution["status"], solution["solver"], solution["residual"], solution["iterations"], open(sys.argv[4]).read().strip())
END
done
