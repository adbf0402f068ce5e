#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The contacts of one large stream, shard by shard, by an engine that spreads work over processors or machines. Started again it goes on:
# what is there and whole is kept, what is cut, missing or of another shard is made again, and the result is the same.
#
#   usage: run.sh --file FILE [--engine NAME] [--grid NxMxK] [--halo LENGTH] [--stages PIPELINE] [--jobs N] [--out DIR]
#     --file     the stream: cd-scene writes one
#     --engine   parallel (GNU parallel), slurm (a job array), snakemake, dask, or shell (one after another)  [parallel]
#     --grid     of cd-shard                               [2x2x2]
#     --halo     of cd-shard [m]                           [0]
#     --stages   what each shard goes through              [cd-broad -t 1 | cd-shard --own | cd-narrow -q -t 1]
#     --jobs     shards at work at a time                  [2]
#     --out      folder for results                        [out/scale-out]
#   leaves DIR/shards, DIR/done and DIR/merged.cdb; exits 1 when a shard failed: start it again
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
file='' engine=parallel grid=2x2x2 halo=0 stages='cd-broad -t 1 | cd-shard --own | cd-narrow -q -t 1' jobs=2 out=out/scale-out
read_options "file engine grid halo stages jobs out" "$@"
[ -n "$file" ] || { echo "run.sh: --file is needed; see --help" >&2 && exit 2; }
case $engine in parallel | slurm | snakemake | dask | shell) ;; *) echo "run.sh: --engine $engine: unknown; see --help" >&2 && exit 2 ;; esac

[ "$engine" != parallel ] || parallel --version 2>/dev/null | grep -q '^GNU' || { echo "run.sh: GNU parallel is not installed" >&2 && exit 2; }

# All shards, or none: a folder that has its name is complete.
mkdir -p "$out/done"
if [ ! -d "$out/shards" ]; then
    rm -rf "$out/shards.part"
    cd-shard --grid "$grid" --halo "$halo" -b -o "$out/shards.part" "$file"
    mv "$out/shards.part" "$out/shards"
fi

# What an earlier run left is looked through: engines believe a file that is there.
export STAGES=$stages SHARD=$here/shard.sh
for shard in "$out"/shards/*; do
    name=${shard##*/}
    if [ -e "$out/done/$name" ]; then
        "$SHARD" --is-whole "$shard" "$out/done/$name" && continue
        echo "run.sh: $name: not whole, made again" >&2
        rm "$out/done/$name"
    fi
    [ ! -e "$out/joblog" ] || sed -i "/\/$name\( \|\$\)/d" "$out/joblog"
done

status=0
case $engine in
parallel) # --resume-failed: what the log says is done is left out, what failed is tried again
    parallel --will-cite --jobs "$jobs" --joblog "$out/joblog" --resume-failed "$SHARD" {} "$out/done/{/}" ::: "$out"/shards/* || status=1 ;;
slurm) # an element of the array a shard; --wait tells whether all went well
    last=$(($(find "$out/shards" -type f | wc -l) - 1))
    sbatch --quiet --wait --array="0-$last%$jobs" --chdir="$PWD" --output="$out/slurm-%a.log" "$here/array.sh" "$out" || status=1 ;;
snakemake)
    snakemake --quiet all --keep-going --cores "$jobs" --directory "$out" --snakefile "$here/Snakefile" --rerun-triggers mtime --nolock || status=1 ;;
dask) # Debian's is of its own python3
    python=$(for one in python3 /usr/bin/python3; do "$one" -c 'import distributed' 2>/dev/null && echo "$one" && break; done) ||
        { echo "run.sh: Dask (python3-distributed) is not installed" >&2 && exit 2; }
    "$python" "$here/dask_shards.py" "$jobs" "$out" || status=1 ;;
shell)
    for shard in "$out"/shards/*; do "$SHARD" "$shard" "$out/done/${shard##*/}" || status=1; done ;;
esac
# The last word is cd-merge's, whatever an engine makes of exit codes.
cd-merge -o "$out/merged.cdb" "$out"/done/* || status=1
[ $status -eq 0 ] || echo "run.sh: not all shards are done: start it again" >&2
exit $status
