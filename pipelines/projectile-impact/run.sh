#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A projectile of elastic triangles strikes a free target of them and flies off; their pinballs meet, and penalty forces push
# them apart. For each step a run, its balance of energy and momentum, and its cost beside the same stages in one process.
#
#   usage: run.sh [--steps LIST] [--until T] [--beta BETA] [--large N] [--cost BUILD] [--out DIR]
#     --steps    time steps, in s                             [8.5e-6,4.25e-6]
#     --until    end of the runs, in s                        [0.004]
#     --beta     stiffness of pinballs, see cd-penalty(1)     [500]
#     --large    steps of a run with 1e5 pinballs a side; 0: none  [0]
#     --cost     build folder with harness/one_process: CPU time of the first run beside it
#     --out      folder for results                           [out/projectile-impact]
#   leaves balance.tsv, and of the first run impact.cdb, energy.svg, energy.png, frames.png, pinballs.png
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
steps=8.5e-6,4.25e-6 until=0.004 beta=500 large=0 cost='' out=out/projectile-impact
read_options "steps until beta large cost out" "$@"
command -v cd-loop >/dev/null ||
    { echo 'run.sh: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)' >&2 && exit 2; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stages="cd-broad | cd-narrow | cd-penalty --beta $beta --unstable stop | cd-step -i central --energy"
# The trajectory is not packed: the cost of that is no step's.
simulate() { cd-loop -q -b -l 0 "$@" -- "$stages"; }
cpu_seconds() { # COMMAND...: of all its processes
    { TIMEFORMAT='%U %S' && time "$@"; } 2>&1 >/dev/null | awk 'END { print $1 + $2 }'
}

first=''
echo "step [us]  steps  stable [us]  energy within  momentum within  largest: strain  contact [J]  depth [um]  speeds after [m/s]"
for step in ${steps//,/ }; do
    cd-scene -q -b --step "$step" "$here/impact.yaml" -o "$work/scene.cdb"
    run=$work/run.cdb
    [ -n "$first" ] || { run=$out/impact.cdb first=$step; }
    simulate --until "$until" "$work/scene.cdb" >"$run"
    cd-view -j --type element,frame,node,metric "$run" | python3 "$here/report.py" "$step"
done | tee "$work/told" | sed -E 's/\t/  /g'
sed -n '/\t/p' "$work/told" >"$out/balance.tsv"

# ---- pictures ----
cd-plot --metric energy,kinetic-energy,strain-energy,contact-energy --y-label 'energy [J]' --markers off --format svg,png -o "$out/energy.svg" "$out/impact.cdb"
count=$(cd-view --table --type frame "$out/impact.cdb" | grep -cE '^[0-9]' || true)
last=$(($(head -n 1 "$out/balance.tsv" | cut -f 2) - 1))
third=$((last / 3))
cd-plot --frames "0:$last:$third" --show bodies,strain --size 1300x330 --view=-0.23,-0.17,0.23,0.26 -o "$out/frames.png" "$out/impact.cdb"
cd-plot --frames $third --show bodies,strain,pinballs,contacts --size 640x400 --view=-0.005,0.06,0.065,0.1 -o "$out/pinballs.png" "$out/impact.cdb"

# ---- cost ----
if [ -n "$cost" ]; then
    cd-scene -q -b --step "${steps%%,*}" "$here/impact.yaml" -o "$work/scene.cdb"
    count=100
    one=$("$cost/harness/one_process" $count "$work/scene.cdb" "$work/nodes.txt" "--beta=$beta" | jq .total)
    pipe=$(cpu_seconds cd-loop -q -b -l 0 --frames $((count + 1)) "$work/scene.cdb" -- "${stages/ --energy/}")
    awk -v o="$one" -v p="$pipe" -v n=$count 'BEGIN { printf "a step: pipeline %.2f ms of CPU, one process %.2f ms, ratio %.2f\n", p / n * 1e3, o / n * 1e3, p / o }'
fi
if [ "$large" -gt 0 ]; then
    sed -E 's/cells: \[64, 32\]/cells: [320, 160]/; s/cells: 20/cells: 130/; s/0\.163/0.1605/' "$here/impact.yaml" >"$work/large.yaml"
    cd-scene -q -b --step 1.2e-6 "$work/large.yaml" -o "$work/large.cdb"
    stages=${stages/--beta $beta/--beta $((beta * 5))} # balls a fifth as large
    seconds=$(cpu_seconds bash -c "cd-loop -q -b -l 0 --frames $((large + 1)) '$work/large.cdb' -- '$stages' >'$work/large-run.cdb'")
    cd-view -j --type element,metric "$work/large-run.cdb" | jq -s -r --argjson s "$seconds" --argjson n "$large" \
        '[.[] | select(.type == "element").body] as $of | "\($of | map(select(. == 2)) | length) pinballs against \($of | map(select(. == 1)) | length): \(1e3 * $s / $n | round) ms of CPU a step, \([.[] | select(.name == "contacts" and .tool == "cd-penalty").value] | max) contacts at most"'
fi
