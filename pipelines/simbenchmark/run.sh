#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tests of SimBenchmark by the default chain and by engines: time a step, overlap by the same metric, the benchmark's own errors. README.md has what was found.
#
#   usage: run.sh [--tests LIST] [--engines LIST] [--steps LIST] [--until T] [--frames N] [--limit S] [--build DIR] [--out DIR]
#     --tests    of rolling, bouncing, 666, elastic-666, kapla; 666:N has N^3 balls            [all]
#     --engines  of cdtools, bullet, ode, ode-dantzig, mujoco: those whose packages are there  [all]
#     --steps    in milliseconds                                                               [10]
#     --until    seconds of each run at most                                                   [each its own: 4 to 20]
#     --frames   of a run that are measured, evenly over it                                    [200]
#     --limit    seconds after which a run is given up                                         [3600]
#     --build, --out  folders of the programs and for results                                  [of this tree, out/simbenchmark]
#   leaves in DIR: results.jsonl, results.tsv, times.svg, the runs and a picture of each end; exits 1 when a run of cdtools fails or overlaps
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=pipelines/options.sh
source "$here/../options.sh"
tree=$(cd "$here/../.." && pwd)
tests='' engines='' steps='' until='' frames='' limit='' build=$tree/build/release out=out/simbenchmark
read_options "tests engines steps until frames limit build out" "$@"
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -C "$tree" -j2 BUILD="$build" all engines "$build/harness/usage" >&2
export PATH="$build/bin:$build/engines:$PATH" PYTHONDONTWRITEBYTECODE=1
given=(--build "$build" --out "$out")
for name in tests engines steps until frames limit; do
    [ -z "${!name}" ] || given+=("--$name" "${!name}")
done
exec python3 "$here/simbench.py" "${given[@]}"
