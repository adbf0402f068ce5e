#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a frame of so many boxes costs out of core: cut as it is made, through its stages shard by shard, merged into its digest as it is joined. No stream
# stands on disk as a whole, and a shard goes when its result is there.
#
#   usage: measure.sh [--count N] [--grid NxMxK] [--stages broad|contacts] [--whole yes|no] [--out DIR]
#     --count    boxes, uniform in a cube, 10 neighbours each                    [100000]
#     --grid     of cd-shard                                                     [2x2x2]
#     --stages   broad: pairs; contacts: pairs and their contacts by depth       [contacts]
#     --whole    yes: the same without shards in one pipeline, for its digest    [yes]
#     --out      folder for results                                              [out/measure]
#   prints a line a stage: runs, CPU seconds, microseconds a body, largest memory of a run; then what stood on disk and the halo.
#   Leaves DIR/done, DIR/digest and DIR/whole; exits 1 when the digests differ
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
count=100000 grid=2x2x2 stages=contacts whole=yes out=out/measure
read_options "count grid stages whole out" "$@"
case $stages in broad | contacts) ;; *) echo "measure.sh: --stages $stages: unknown; see --help" >&2 && exit 2 ;; esac

rm -rf "$out" && mkdir -p "$out/done"
printf 'dim: 3\ngenerate: [{generator: boxes, kind: uniform, count: %s, neighbours: 10}]\n' "$count" >"$out/scene.yaml"
rows=2147483646 # of a table: a merged one may have more than the usual limit
told() { # told NAME COMMAND...: with what it took in a line of DIR/stats, and its messages only where it fails
    local name=$1 said=$out/said.$1 status=0
    shift
    "$@" --stats --max-rows $rows 2>"$said" || status=$?
    [ $status -eq 0 ] || cat "$said" >&2
    sed -n "s/^{\"tool\"/{\"name\":\"$name\",\"tool\"/p" "$said" >>"$out/stats"
    return $status
}
narrow() { if [ "$stages" = broad ]; then cat; else told narrow cd-narrow -q --contacts depth -t 1 "$@"; fi; }
content() { grep -Ev '^metric|^[0-9a-f]{32}$'; } # a shard's metrics tell of a shard, and the last line is the hash of all lines
mib() { du -sm "$1" | cut -f1; }

told scene cd-scene -q -b "$out/scene.yaml" | told shard cd-shard --grid "$grid" --box 0,0,0:1,1,1 -b -l 0 -o "$out/shards"
cut=$(mib "$out/shards")
for shard in "$out"/shards/*; do
    told broad cd-broad -q -t 1 "$shard" | told own cd-shard --own | narrow | cd-view -q -b -l 0 -o "$out/done/${shard##*/}"
    rm "$shard"
done
told merge cd-merge -q -b -l 0 "$out"/done/* | told digest cd-view --digest -v >"$out/digest"
printf '%-8s %5s %9s %9s %7s\n' stage runs 'CPU s' 'us/body' MiB
jq -s -r --argjson n "$count" 'group_by(.name)[] | [.[0].name, length, (map(.seconds | .read + .work + .write) | add), (map(.peak_kib) | max / 1024)]
    | [.[0], .[1], .[2], .[2] / $n * 1e6, .[3]] | @tsv' "$out/stats" | while read -r line; do
    # shellcheck disable=SC2086
    printf '%-8s %5d %9.2f %9.2f %7.0f\n' $line
done
echo "shards $cut MiB, results $(mib "$out/done") MiB, halo $(jq -s --argjson n "$count" 'map(select(.name == "broad").rows.body) | add | (. / $n - 1) * 1000 | round / 10' "$out/stats") %"
[ "$whole" = yes ] || exit 0
cd-scene -q -b "$out/scene.yaml" | cd-broad -q -t 1 | if [ "$stages" = broad ]; then cat; else cd-narrow -q --contacts depth -t 1; fi | cd-view --digest -v >"$out/whole"
diff <(content <"$out/digest") <(content <"$out/whole") && echo "the digest of the frame that was never cut"
