#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bodies cut into finite elements touch in hundreds of contact points, some of them slivers whose normals mean nothing.
# What cd-spars leaves of them, and what that means for a time step: with all contacts and with those that are left. The
# scenes' files tell of each.
#
# First one step at rest: rank and condition of W = G' M^-1 G, what the ground carries over the true weight, an arch's
# horizontal thrust and the sum of all impulses over their closed forms, the normal farthest from that of its joint, CPU
# time of cd-peg-assemble and cd-lcp. Then a run at rest, and one in which a body of the upper part is pushed along y.
# Joints are planes without friction: the pushed body should keep its speed, and the others their places. A run stops
# where cd-lcp finds no solution.
#
#   usage: run.sh [--scenes LIST] [--threshold R] [--mindist L] [--steps N] [--push V] [--out DIR]
#     --scenes     of arch,wall                                    [arch,wall]
#     --threshold  least area of a contact, part of an adjacent one's, see cd-spars(1)  [0.1]
#     --mindist    least distance of contacts, in m                [that of cd-spars]
#     --steps      steps of a run                                  [100]
#     --push       speed of the pushed body, in m/s                [0.05]
#     --out        folder for results                              [out/sparsify]
#   leaves statics.tsv, motion.tsv, and SCENE-contacts, SCENE-sparsified, SCENE-bounds as svg and png
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
scenes=arch,wall threshold=0.1 mindist='' steps=100 push=0.05 out=out/sparsify
read_options "scenes threshold mindist steps push out" "$@"
for scene in ${scenes//,/ }; do
    [ -e "$here/$scene.yaml" ] || { echo "run.sh: --scenes: there is no scene '$scene'" >&2 && exit 2; }
done
command -v cd-loop >/dev/null ||
    { echo 'run.sh: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)' >&2 && exit 2; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Bodies keep their overlap (--stabilize off), which volume contacts live on: once it is pushed out they are gone.
assemble='cd-peg-assemble --model standard --stabilize off'
spars="cd-spars --threshold $threshold${mindist:+ --mindist $mindist}"
sum_work() { # STEPS: CPU time of a step [ms]
    jq -s --argjson n "$1" 'map(.seconds.work) | add * 1e6 / $n | round / 1e3' "$work/stats"
}

statics() { # SCENE CONTACTS: of SCENE-CONTACTS.cdb
    local stream=$out/$1-$2.cdb repeats=20
    $assemble --repeat $repeats --stats "$stream" 2>"$work/stats" |
        cd-lcp --repeat $repeats --stats 2>>"$work/stats" >/dev/null
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" \
        "$($assemble --condition "$stream" | cd-lcp -j | python3 "$here/report.py" statics)" "$(sum_work $repeats)"
}
motion() { # SCENE CONTACTS SPEED BODY
    local select=''
    [ "$2" = sparsified ] && select="$spars |"
    rm -f "$work/stats"
    jq -c --argjson body "$4" --argjson speed "$3" \
        'if .type == "body" and .id == $body then .velocity = [0, $speed, 0] else . end' "$out/$1.jsonl" |
        cd-loop -q -b --frames $((steps + 1)) -o "$work/run.cdb" -- "cd-broad | cd-narrow --contacts volume |
            $select $assemble --stats 2>>'$work/stats' | cd-lcp --stats 2>>'$work/stats' | cd-step --rounds 1" \
            2>"$work/errors" || {
        grep -q 'was not solved' "$work/errors" || { cat "$work/errors" >&2 && exit 1; }
        printf '%s\t%s\t%s\tstopped at %s\n' "$1" "$2" "$3" \
            "$(sed -n 's/^cd-step: \(frame [0-9]*\).*/\1/p' "$work/errors")" && return
    }
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" \
        "$(cd-view -j --type body,metric "$work/run.cdb" | python3 "$here/report.py" motion "$4")" \
        "$(sum_work $((steps + 1)))"
}
draw() { # SCENE VIEW
    local all=$out/$1-all.cdb kept=$work/kept.cdb
    $spars --keep-deleted -o "$kept" "$all"
    cd-plot --format svg,png --scale 2 --view "$2" --show bodies,contacts,normals --opacity 0.25 \
        --title "$1: $(count "$all") contact points" -o "$out/$1-contacts" "$all"
    cd-plot --format svg,png --scale 2 --view "$2" --show bodies,contacts,normals --opacity 0.25 \
        --title "$1: $(count "$out/$1-sparsified.cdb") of $(count "$all") contact points" \
        -o "$out/$1-sparsified" "$kept"
    cd-plot --format svg,png --scale 2 --view "$2" --show bodies,bounds,pairs \
        --title "$1: bounds and candidate pairs" -o "$out/$1-bounds" "$all"
}
count() { cd-view -j --type contact "$1" | jq -s 'map(select(.type == "contact" and .status != "outside")) | length'; }

printf 'scene\tcontacts\tnumber\trank\tcondition\tweight\tthrust\timpulses\tnormal [deg]\tCPU [ms]\n' \
    >"$out/statics.tsv"
printf 'scene\tcontacts\tpush [m/s]\tnumber\tothers move [m]\tspeed [m/s]\tmove [m]\tCPU [ms]\n' >"$out/motion.tsv"
for scene in ${scenes//,/ }; do
    case $scene in arch) body=5 view=0.55,-1,0.45 ;; *) body=9 view=0.3,-1,0.35 ;; esac
    cd-scene -q -o "$out/$scene.jsonl" "$here/$scene.yaml"
    cd-broad -b "$out/$scene.jsonl" | cd-narrow --contacts volume -o "$out/$scene-all.cdb"
    $spars -o "$out/$scene-sparsified.cdb" "$out/$scene-all.cdb"
    for contacts in all sparsified; do
        statics "$scene" "$contacts" >>"$out/statics.tsv"
        for speed in 0 "$push"; do motion "$scene" "$contacts" "$speed" "$body" >>"$out/motion.tsv"; done
    done
    draw "$scene" "$view"
done

columns() {
    awk -F'\t' '{ for (i = 1; i <= NF; i++) printf i < 3 ? "%-11s" : " %15s", $i == "" ? "-" : $i; print "" }' "$1"
}
echo 'one step at rest; weight, thrust, impulses: parts of the exact ones'
columns "$out/statics.tsv"
echo
echo "$steps steps; a pushed body should keep its speed, all others their places"
columns "$out/motion.tsv"
echo
echo "pictures: $out/*.png"
