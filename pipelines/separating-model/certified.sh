#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The box of polygons and the box of polyhedra by the separating model, each frame's pairs labelled by certificate: apart, touching or
# overlapping, exactly. A line a run: its frames, and the pairs by label, summed. Exits 1 when a run ends early, scales a motion back, has
# a pair that overlaps or has no certificate, or one that is refused.
#
#   usage: certified.sh [--boxes LIST] [--steps LIST] [--sets LIST] [--friction LIST] [--until T] [--path] [--verify FRAMES] [--jobs N] [--out DIR]
#     --boxes    of polygons,polyhedra   [both]
#     --steps    in ms                  [4,8,16; all: 1,2,...,16]
#     --sets     seeds of the bodies    [1; all: 1,2,...,10]
#     --friction mu of all bodies       [0,0.3]
#     --until    end of a run in s      [5]
#     --path     labels the whole way of each step, too
#     --verify   frames A:B:STEP of each run whose certificates verify.py reads, the last column: how many it refuses
#     --jobs     runs side by side      [number of processors]
#     --out      folder for results     [out/certified]
#   leaves certified.tsv and the pipelines' own tables
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"

boxes=polygons,polyhedra steps=4,8,16 sets=1 friction=0,0.3 until=5 out=out/certified path='' verify='' jobs=$(nproc)
read_options "boxes steps sets friction until verify jobs out +path" "$@"
[ "$steps" != all ] || steps=$(seq -s, 16)
[ "$sets" != all ] || sets=$(seq -s, 10)

# A line of one run: how its steps went, what its certificates say, and the CPU time of both.
line_of() { # BOX MU DIR NAME
    local labels seconds shown=-
    TIMEFORMAT='%U %S'
    { time cd-overlap-metric -q --certify ${path:+--path} -o "$out/labels.cdb" "$3/$4.cdb"; } 2>"$out/time"
    seconds=$(awk '{ print $1 + $2 }' "$out/time")
    labels=$(cd-view -q -j --type metric "$out/labels.cdb" | jq -r 'select(.a | not) | [.tool, .name, .value] | @tsv' | awk -F'\t' -v OFS='\t' '
        $2 == "rounds" { parts++; rounds += $3; if ($3 > most) most = $3 } $2 == "motion-scale" { scaled++ }
        $1 == "cd-overlap-metric" { sum[$2] += $3 } $2 == "overlap" && $1 == "cd-overlap-metric" { frames++ }
        END { print frames + 0, scaled + 0, rounds / (parts + !parts), most + 0, sum["apart"] + 0, sum["touching"] + 0, sum["overlapping"] + 0, sum["open"] + 0 }')
    if [ -n "$verify" ]; then
        shown=$(cd-view -q -b --frames "$verify" "$out/labels.cdb" | python3 "$here/../python/verify.py" ${path:+--path} 2>&1 | tail -n 1 | awk '{ print $(NF - 1) }')
    fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$4" "$(awk '{ print $4 }' "$3/$4.status")" "$labels" \
        "$(awk '{ print $5 + $6 }' "$3/$4.status")" "$seconds" "$shown"
    rm -f "$out/labels.cdb" "$3/$4.cdb"
}

mkdir -p "$out"
printf 'box\tmu\trun\texit\tframes\tscaled\trounds\tmost\tapart\ttouching\toverlapping\topen\tCPU\tcertify\trefused\n' >"$out/certified.tsv"
for box in ${boxes//,/ }; do
    for mu in ${friction//,/ }; do
        for step in ${steps//,/ }; do # one step size at a time: whole trajectories are large
            dir=$out/$box-$mu-$step
            "$here/../box-of-$box/run.sh" --models separating --steps "$step" --sets "$sets" --friction "$mu" --until "$until" \
                --jobs "$jobs" --out "$dir" --keep >"$dir.log" 2>&1 || true
            for stream in "$dir"/separating-*.cdb; do line_of "$box" "$mu" "$dir" "$(basename "$stream" .cdb)"; done
        done
    done
done >>"$out/certified.tsv"
column -t -s $'\t' "$out/certified.tsv"
awk -F'\t' 'NR > 1 && ($4 || $5 == 0 || $6 || $11 || $12 || $15 > 0) { bad = 1 } END { exit bad || NR < 2 }' "$out/certified.tsv"
