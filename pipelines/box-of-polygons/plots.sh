#!/usr/bin/env bash
# Plots of a summarised run in DIR: overlap.svg/png (Fig. 21: median and quartiles over the step size), steps.svg/png (Fig. 22: SM traps
# a step, steps that need PEG).
#   usage: plots.sh DIR
set -euo pipefail
out=$1
models=() streams=()
for stream in "$out"/summary-*.jsonl; do
    model=${stream##*/summary-}
    models+=("${model%.jsonl}")
    streams+=("$stream")
done
labels=$(IFS=,; echo "${models[*]}")
for kind in svg png; do
    cd-plot --metric median --band q1,q3 --log-y --label "$labels" --title 'Overlap at the end of a step' \
        --x-label 'step size [ms]' --y-label 'overlap area [m^{2}], median and quartiles' -o "$out/overlap.$kind" "${streams[@]}"
    cd-plot --metric traps --label "$labels" --title 'Standard-model traps' \
        --x-label 'step size [ms]' --y-label 'traps a step' -o "$out/traps.$kind" "${streams[@]}"
done
echo "plots: $out/overlap.png $out/traps.png (and .svg)"
