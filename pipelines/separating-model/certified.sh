#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The box of polygons and the box of polyhedra by the separating model, each frame's pairs labelled by certificate: apart, touching or
# overlapping, exactly. A line a run: its frames, and the pairs by label, summed. Exits 1 when one overlaps or has no certificate.
#
#   usage: certified.sh [--steps LIST] [--sets LIST] [--until T] [--out DIR]
#     --steps    in ms                  [4,8,16; all: 1,2,...,16]
#     --sets     seeds of the bodies    [1; all: 1,2,...,10]
#     --until    end of a run in s      [5]
#     --out      folder for results     [out/certified]
#   leaves certified.tsv and the pipelines' own tables
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

steps=4,8,16 sets=1 until=5 out=out/certified
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) sed -n '3,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" && exit 0 ;;
    --steps | --sets | --until | --out)
        [ $# -gt 1 ] || { echo "certified.sh: $1: a value is missing" >&2 && exit 2; }
        declare "${1#--}=$2" && shift ;;
    *) echo "certified.sh: $1: unknown option; see --help" >&2 && exit 2 ;;
    esac
    shift
done
[ "$steps" != all ] || steps=$(seq -s, 16)
[ "$sets" != all ] || sets=$(seq -s, 10)

mkdir -p "$out"
printf 'box\trun\tframes\tapart\ttouching\toverlapping\topen\n' >"$out/certified.tsv"
for box in polygons polyhedra; do
    "$here/../box-of-$box/run.sh" --models separating --steps "$steps" --sets "$sets" --until "$until" --out "$out/$box" --keep >"$out/$box.log"
    for stream in "$out/$box"/separating-*.cdb; do
        cd-overlap-metric -q --certify "$stream" | cd-view -q -j --type metric |
            jq -r 'select(.tool == "cd-overlap-metric" and (.a | not)) | [.name, .value] | @tsv' |
            awk -F'\t' -v OFS='\t' -v box="$box" -v run="$(basename "$stream" .cdb)" '
                $1 == "overlap" { frames++ } { sum[$1] += $2 }
                END { print box, run, frames + 0, sum["apart"] + 0, sum["touching"] + 0, sum["overlapping"] + 0, sum["open"] + 0 }'
    done
done >>"$out/certified.tsv"
column -t -s $'\t' "$out/certified.tsv"
awk -F'\t' 'NR > 1 && ($3 == 0 || $6 > 0 || $7 > 0) { bad = 1 } END { exit bad || NR < 2 }' "$out/certified.tsv"
