#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the separating model must do where an overlap check does not see it: each trial is a program of this folder that makes scenes, runs
# them through the filters and compares what comes to closed forms, statics, smaller steps or other units. README.md has what they found.
#
#   usage: run.sh [--trials LIST] [--full] [--out DIR]
#     --trials   of overhang,seams,impact,pivots,leaving,bearing,standing,rolling,mechanisms,rocking,collisions,chain,hard,scale  [all]
#     --full     all steps and sizes, 1,000 collisions of each kind: hours  [a sample: minutes]
#     --out      folder for results                                       [out/separating-model]
#   leaves TRIAL.tsv of each; exits 1 when one is not as it should be
#   Each program can be run alone: python3 overhang.py --help tells its options.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"

trials=overhang,seams,impact,pivots,leaving,bearing,standing,rolling,mechanisms,rocking,collisions,chain,hard,scale full='' out=out/separating-model
read_options "trials out +full" "$@"
command -v cd-loop >/dev/null || { echo 'run.sh: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)' >&2 && exit 2; }

options_of() { # TRIAL: of a sample, or of all
    case $1-${full:+1} in
    overhang-) echo --steps 2,10,50 ;;
    impact- | pivots- | leaving- | bearing- | standing- | rolling- | mechanisms- | rocking-) echo --steps 0.5,2,10 ;;
    collisions-) echo --count 25 --steps 0.5,1,5,20,50 ;;
    collisions-1) echo --count 1000 ;;
    chain-1) echo --sizes all --longest 600 ;;
    hard-) echo --side 4 --until 1 ;;
    seams-) echo --steps 10,50 ;;
    overhang-1 | seams-1 | impact-1 | pivots-1 | leaving-1 | bearing-1 | standing-1 | rolling-1 | mechanisms-1 | rocking-1 | chain- | hard-1 | scale-*) ;;
    *) echo "run.sh: --trials: there is no $1" >&2 && return 2 ;;
    esac
}
for trial in ${trials//,/ }; do options_of "$trial" >/dev/null || exit 2; done
failed=0
for trial in ${trials//,/ }; do
    echo "== $trial"
    read -ra options <<<"$(options_of "$trial")"
    PYTHONDONTWRITEBYTECODE=1 python3 "$here/$trial.py" "${options[@]}" --out "$out" || failed=1
done
exit $failed
