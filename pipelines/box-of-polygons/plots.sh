#!/usr/bin/env bash
# Plots of a summarised run in DIR, as SVG and PNG: overlap (Figs. 21 and 24: median and quartiles over the step size), largest (the largest
# overlap), traps (Fig. 22: standard-model traps a step, which only models with I-constraints can count).
#   usage: plots.sh DIR [UNIT]
set -euo pipefail
out=$1 unit=${2:-m^2}
unit=${unit/^/^{}}
models=() streams=() joining=() joined=()
for model in $(awk -F, 'NR > 1 { print $1 }' "$out/summary.csv" | uniq); do
    models+=("$model")
    streams+=("$out/summary-$model.jsonl")
    case $model in standard | separating) continue ;; esac
    joining+=("$model")
    joined+=("$out/summary-$model.jsonl")
done
list() { local IFS=,; echo "$*"; }
for kind in svg png; do
    cd-plot --metric median --band q1,q3 --log-y --label "$(list "${models[@]}")" --title 'Overlap at the end of a step' \
        --x-label 'step size [ms]' --y-label "overlap [$unit], median and quartiles" -o "$out/overlap.$kind" "${streams[@]}"
    cd-plot --metric max --log-y --label "$(list "${models[@]}")" --title 'Largest overlap of all steps of all runs' \
        --x-label 'step size [ms]' --y-label "overlap [$unit]" -o "$out/largest.$kind" "${streams[@]}"
    [ ${#joined[@]} -eq 0 ] || cd-plot --metric traps --label "$(list "${joining[@]}")" --title 'Standard-model traps' \
        --x-label 'step size [ms]' --y-label 'traps a step' -o "$out/traps.$kind" "${joined[@]}"
done
echo "plots: overlap, largest and traps (.png, .svg) in $out"
