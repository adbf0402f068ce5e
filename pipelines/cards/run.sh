#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bodies of surfaces without thickness, by the model without overlap: a house of cards that must stand, and a chain of rings that must hold.
# Each run is certified: of every pair of facets whose boxes touch within epsilon in the last frames, exact arithmetic says on which side of a plane each is.
#
#   usage: run.sh [--levels N] [--links N] [--steps LIST] [--until T] [--out DIR]
#     --levels   of the house; 0: none                     [4]
#     --links    of the chain; 0: none                     [10]
#     --steps    step sizes in ms                          [1,10,50 of the house; 2,10 of the chain]
#     --until    [s]                                       [2]
#     --out      folder for results                        [out/cards]
#   leaves runs.tsv, pictures of the ends, and the runs; exits 1 when something overlaps, falls or slips apart
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
levels=4 links=10 steps='' until=2 out=out/cards
read_options "levels links steps until out" "$@"
mkdir -p "$out"

# one_run NAME COUNT MU MS MOST: MOST is how far a body may have moved [m]
one_run() {
    local run="$out/$1-$2-$4.cdb" from=1
    python3 "$here/scenes.py" "$1" "$2" --mu "$3" --step "$4" | cd-scene -b -q - | cd-loop -q --until "$until" -o "$run"
    from=$(cd-view -q -j --type frame --frames last "$run" | jq 'select(.type == "frame") | [.index - 2, 0] | max')
    {
        cd-view -q -j --type frame,body,metric "$run"
        cd-view -q -b --frames "$from:" "$run" | cd-overlap-metric -q --certify | cd-view -q -j --type metric
    } | jq -rs --arg name "$1 $2" --arg ms "$4" --arg most "$5" '
        def all(name): [.[] | select(.type == "metric" and .name == name and .a == null) | .value];
        ([.[] | select(.type == "body" and .motion != "fixed")] | group_by(.id) | map([.[0].position, .[-1].position] | transpose | map((.[0] - .[1]) | fabs) | max) | max) as $moved |
        ([.[] | select(.type == "body")] | group_by(.id) | map(.[-1].velocity // [0] | map(fabs) | max) | max) as $speed |
        [$name, $ms, ([.[] | select(.type == "frame") | .index] | unique | length), (all("rounds") | add / length * 100 | round / 100), (all("rounds") | max),
         (all("overlap") | max), (all("apart") + all("touching") | add), (all("overlapping") + all("open") | add), $moved, $speed,
         (if (all("overlapping") + all("open") | add) == 0 and (all("overlap") | max) == 0 and $moved <= ($most | tonumber) then "ok" else "FAILED" end)] | @tsv'
    cd-plot -q --frames last --format png --scale 2 --title "$1 $2, steps of $4 ms" -o "$out/$1-$2-$4.png" "$run" >&2
}
{
    printf 'scene\tstep [ms]\tframes\trounds\tmost\toverlap [m^3]\tapart\toverlapping or open\tmoved [m]\tspeed [m/s]\t\n'
    [ "$levels" -eq 0 ] || for ms in $(tr , ' ' <<<"${steps:-1,10,50}"); do one_run cards "$levels" 0.5 "$ms" 1e-4; done
    [ "$links" -eq 0 ] || for ms in $(tr , ' ' <<<"${steps:-2,10}"); do one_run links "$links" 0.3 "$ms" 0.02; done
} | tee "$out/runs.tsv"
! grep -q FAILED "$out/runs.tsv"
