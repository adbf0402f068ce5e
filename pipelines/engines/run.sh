#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Engines in the place of cd-narrow beside cd-narrow, on random pairs, on the known cases of
# tests/cases/convex and on a box of polyhedra: each difference in a class, by
# pipelines/compare. README.md has the conventions and what was found.
#
#   usage: run.sh [--pairs N] [--seed N] [--repeats N] [--build DIR] [--out DIR]
#     --pairs    random pairs of hulls, boxes and balls        [100000]
#     --seed     of the pairs                                  [1]
#     --repeats  runs of each, of which the median counts      [3]
#     --build    folder of the programs                        [build/release of this tree]
#     --out      folder for results                            [out/engines]
#   Engines are built where their headers are: libccd-dev, libfcl-dev with libeigen3-dev, libbullet-dev, libode-dev. Exits 1 when a difference is unexplained.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=pipelines/options.sh
source "$here/../options.sh"
tree=$(cd "$here/../.." && pwd)
pairs=100000 seed=1 repeats=3 build=$tree/build/release out=out/engines
read_options "pairs seed repeats build out" "$@"
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -C "$tree" -j2 BUILD="$build" all engines >&2
export PATH="$build/bin:$build/engines:$PATH" PYTHONDONTWRITEBYTECODE=1
mkdir -p "$out"
variants=('cd-narrow=cd-narrow --contacts depth --stats')
for engine in ccd fcl bullet ode; do
    [ -x "$build/engines/engine-$engine" ] || { echo "run.sh: engine-$engine is not built: its headers are not there" >&2 && continue; }
    case $engine in
    ccd) variants+=('ccd-epa=engine-ccd --stats' 'ccd-mpr=engine-ccd --method mpr --stats') ;;
    bullet) variants+=('bullet=engine-bullet --stats' 'bullet-margin=engine-bullet --margin 0.04 --stats') ;;
    ode) variants+=('ode=engine-ode --stats') ;;
    fcl) variants+=('fcl=engine-fcl --stats' 'fcl-own=engine-fcl --solver indep --stats') ;;
    esac
done
[ ${#variants[@]} -gt 1 ] || { echo "run.sh: no engine is there" >&2 && exit 4; }
python3 "$here/cases.py" --pairs "$pairs" --seed "$seed" | cd-view -b -o "$out/pairs.cdb"
python3 "$here/cases.py" --known "$tree"/tests/cases/convex/*.json | cd-view -b -o "$out/known.cdb"
cd-loop -q -b --until 1.5 "$here/../scenes-3d/box-of-polyhedra.yaml" | cd-view -b --frames 0:150:5 | cd-broad --margin 0.2 -o "$out/box-of-polyhedra.cdb"
"$here/../compare/run.sh" --build "$build" --scenes "$out/pairs.cdb" "$out/known.cdb" "$out/box-of-polyhedra.cdb" --repeats "$repeats" --variant "${variants[@]}" --out "$out/compared"
