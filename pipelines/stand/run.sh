#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Scenes that stand, jam or pile up with friction: what a step costs while they land and at rest, whether anything overlaps or moves, and what Bullet
# (in space) and Box2D (in the plane) do with the same scenes at the same steps. README.md has what was found.
#
#   usage: run.sh [--quick | --full] [--parts LIST] [--out DIR] [BUILD_DIRECTORY]
#     --quick   small scenes and a second or two of each: a minute      (make bench)
#     --full    arches of 951, walls of 1,000, 20 s each: hours          [a sample: a quarter of an hour]
#     --parts   of stand (scenes that must stand), cost (a step's cost over the number of bodies)   [both]
#     --out     folder for results                                       [out/stand]
#   leaves in DIR: results.jsonl, runs.tsv, engines.tsv, cost.svg, pictures of what stands; exits 1 when a run fails or overlaps
#   Peers are built where their headers are found (libbullet-dev with its double precision, libbox2d-dev, and g++).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
quick='' full='' parts=stand,cost out=out/stand build=build/release
read_options "parts out +quick +full :build" "$@"
size=${full:+full} size=${size:-${quick:+quick}} size=${size:-sample}
for part in ${parts//,/ }; do
    case $part in stand | cost) ;; *) echo "run.sh: --parts: there is no $part" >&2 && exit 2 ;; esac
done
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -C "$here/../.." -j2 BUILD="$build" all >&2
make --no-print-directory -s -C "$here/../.." BUILD="$build" stand_peers >&2 || echo "run.sh: the engines are not built: cdtools runs alone" >&2
for engine in bullet box2d; do
    [ -x "$build/harness/stand_$engine" ] || echo "run.sh: $engine is not built: its headers are not there" >&2
done
export PATH="$build/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
mkdir -p "$out"
rm -f "$out/results.jsonl"

failed=0
simulate() { python3 "$here/stand.py" --pictures --peers "$build/harness" --out "$out" "$@" || failed=1; }
stand_of() { # what must stand or jam, with friction
    case $size in
    quick) simulate --cases arch:5,wall:12,cards:2,tower:5,hulls:8 --until 1.5 ;;
    sample) simulate --cases arch:25,wall:100,cards:4,tower:50,funnel:70,hulls:27 --until 5 ;;
    full)
        simulate --cases arch:25,arch:101,arch:501,arch:951,wall:1000,cards:4,tower:50,funnel:70 --until 20 --limit 7200
        simulate --cases hulls:200 --until 5 --limit 7200 ;;
    esac
}
cost_of() {
    case $size in
    quick) simulate --cases polygons:30,polygons:100,hulls:27 --mu 0,0.5 --until 2.5 --last 20 --landing 1.5 ;;
    sample) simulate --cases polygons:30,polygons:100,polygons:300,hulls:27,hulls:100 --mu 0,0.5 --until 4 ;;
    full) simulate --cases polygons:30,polygons:100,polygons:300,polygons:1000,hulls:27,hulls:125,hulls:343 --mu 0,0.5 --until 5 --limit 7200 ;;
    esac
}
for part in ${parts//,/ }; do
    case $part in stand) stand_of ;; cost) cost_of ;; esac
done
[ ! -s "$out/results.jsonl" ] || python3 "$here/report.py" "$out"
exit $failed
