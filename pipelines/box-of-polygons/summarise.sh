#!/usr/bin/env bash
# From the runs in DIR to one line a model and step size, over all steps of all sets: summary.csv, a table on standard
# output, summary-MODEL.jsonl (a stream whose frames are step sizes, for cd-plot), and the plots.
#   usage: summarise.sh DIR [UNIT]      UNIT of overlaps: m^2, in space m^3
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$1 unit=${2:-m^2}
# Answers that a solver gives where its usual one failed, as "/second/third/"
second=/$(cd-lcp --help | sed -n 's/^ *answers *[a-z-]*, //p' | sed 's/, /\//g' | paste -sd/)/
echo "model,step_ms,runs,failed,steps,median,q1,q3,max,released,released_max,least_gap,traps_per_step,needs_peg_percent,fallbacks,unsolved,cpu_ms_per_step,rounds_per_step,attempts,scaled_back,corners_cut,energy_gain_max,lost" >"$out/summary.csv"
cat "$out"/*.status | sort -k1,1 -k2,2n | awk '{ print $1, $2 }' | uniq | while read -r model ms; do
    cat "$out/$model-$ms"-*.status | awk '{ runs++; failed += $4 != 0; cpu += $5 + $6; away += $7 } END { print runs, failed, cpu, away + 0 }' >"$out/group"
    read -r runs failed cpu away <"$out/group"
    cat "$out/$model-$ms"-*.tsv | sort -g -k1,1 | awk -v model="$model" -v ms="$ms" -v runs="$runs" -v failed="$failed" -v cpu="$cpu" -v away="$away" -v second="$second" '
        # Quantiles by linear interpolation between order statistics.
        function quantile(p,  at, low) { at = 1 + p * (n - 1); low = int(at); return low >= n ? o[n] : o[low] + (at - low) * (o[low + 1] - o[low]) }
        { o[++n] = $1; if ($2 > 0) { released++; if ($2 > worst) worst = $2 }
          if ($3 != "-" && (least == "" || $3 + 0 < least)) least = $3 + 0
          traps += $4; needs += $5; rounds += $8; attempts += $9; scaled += $10; cut += $12
          if ($11 != "-" && (gain == "" || $11 + 0 > gain)) gain = $11 + 0
          if ($7 != "solved" && $7 != "-") unsolved++; else if (index(second, "/" $6 "/")) fallback++ }
        END { if (n) printf "%s,%s,%d,%d,%d,%.3g,%.3g,%.3g,%.3g,%d,%.2g,%s,%.2f,%.1f,%d,%d,%.2f,%.2f,%d,%d,%d,%s,%d\n", model, ms, runs, failed, n, quantile(0.5),
                     quantile(0.25), quantile(0.75), o[n], released, worst, least == "" ? "" : sprintf("%.3g", least), traps / n, 100 * needs / n, fallback, unsolved, 1000 * cpu / n,
                     rounds / n, attempts, scaled, cut, gain == "" ? "" : sprintf("%.2g", gain), away
              else printf "%s,%s,%d,%d,0,,,,,,,,,,,,,,,,,,\n", model, ms, runs, failed }' >>"$out/summary.csv"
done
rm -f "$out/group"

# The table for people, over every step of every set.
awk -F, -v OFS=, 'NR == 1 { print "model,h [ms],runs,failed,median,q1,q3,max,released,least gap,traps,I %,fallbacks,unsolved,rounds,attempts,scaled,gain,lost,ms/step"; next }
    { print $1, $2, $3, $4, $6, $7, $8, $9, $10, $12, $13, $14, $15, $16, $18, $19, $20, $22, $23, $17 }' "$out/summary.csv" >"$out/table"
awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) if (length($i) > width[i]) width[i] = length($i); next }
    { line = ""; for (i = 1; i <= NF; i++) line = line sprintf(i == 1 ? "%-*s" : "  %*s", width[i], $i); print line }' "$out/table" "$out/table"
rm -f "$out/table"
echo
cat <<TEXT
median, quartiles, max: overlap at the end of a step [$unit], over all steps of all runs. released: steps in which a release itself made
an overlap. least gap [m]. traps: standard-model traps a step. I %: steps that hold an I-constraint. fallbacks: problems that the
first method tried did not solve; unsolved: those that nothing did. rounds: problems solved a step; attempts: steps that another than the first kind of attempt ended,
scaled: those in which the motion had to be scaled back; gain: largest rise of energy in a step [J]; lost: bodies that are not in
the box at the end. ms/step: CPU time of all filters. failed: runs that ended early. More columns in summary.csv.
TEXT

# For the plots: a stream a model, whose frames are the step sizes (time = step in ms) and whose metrics are the columns.
for model in $(awk -F, 'NR > 1 { print $1 }' "$out/summary.csv" | uniq); do
    awk -F, -v model="$model" '
        BEGIN { print "{\"type\":\"head\",\"cds\":[1,0],\"dim\":2}" }
        function metric(name, value) { if (value != "") printf "{\"type\":\"metric\",\"tool\":\"box-of-polygons\",\"name\":\"%s\",\"value\":%s}\n", name, value }
        $1 == model { printf "{\"type\":\"frame\",\"index\":%d,\"time\":%s}\n", n++, $2
            metric("median", $6); metric("q1", $7); metric("q3", $8); metric("max", $9); metric("traps", $13); metric("needs-peg", $14); metric("cpu", $17); metric("rounds", $18)
            print "{\"type\":\"fend\"}" }
        END { print "{\"type\":\"end\"}" }' "$out/summary.csv" >"$out/summary-$model.jsonl"
done
"$here/plots.sh" "$out" "$unit"
