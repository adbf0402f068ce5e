#!/usr/bin/env bash
# The narrow phase side by side with other libraries, on the same pairs of convex polyhedra in one run: the kernels of
# cd-narrow and every peer that is built in, prepared bodies in memory to the answer in memory, one thread, process CPU
# time. Answers are compared first, with references in 113-bit numbers: a program that is wrong on more than a thousandth
# of a set has its time crossed out there. Then the whole filter beside its kernel, and on two threads.
#
#   usage: run.sh [--quick] [--vertices "4 8 16 .."] [--kinds "separated near shallow deep"] [--pairs 1000]
#                 [--kernels "distance contact .."] [--peers "libccd-gjk .."] [--repeats 5] [--seconds 1]
#                 [--filter-pairs 1e5] [--limit 60] [--out FOLDER] [BUILD_DIRECTORY]
#
# --quick         separated and shallow pairs of 4 to 64 vertices, fewer passes: what `make bench` shows, in a minute or two
# --vertices      4: tetrahedra, 8: boxes, more: hulls of so many points on ellipsoids
# --kinds         apart by 0.005 to 0.5 m; apart or overlapping by 1e-9 to 1e-3; overlapping by 0.005 to 0.08; deeply.
#                 Bodies have radii of 0.3 to 1 m
# --pairs         of a set; with less than 1000 a rate of wrong answers of a thousandth goes unnoticed
# --kernels       of `build/release/harness/narrow_kernel`; "" for none. Default: all of them
# --peers         of `build/release/harness/narrow_peers`; "" for none. Default: all that are built in
# --repeats       passes over a set of which the median counts; no more are begun when --seconds are spent, and no fewer are
#                 made than take 0.03 s
# --filter-pairs  pairs of hulls of 16 vertices in the streams of the whole filter: each of two bodies of its own, and in
#                 scenes where a body has 26 neighbours; 0: none
# --limit         seconds after which a run is killed
# --out           keeps results.jsonl, results.csv, times.svg and, where rsvg-convert is there, times.png. Default: only
#                 the tables, on stdout
#
# Each program is asked what it can be asked: whether two bodies overlap, their distance, depth, signed distance, or the
# volume of their intersection. Peers that intersect half-spaces are given an inner point, and are asked for the volume
# alone; cd-narrow's `contact` finds out for itself, and gives point, normal, area, surfaces and gap beside the volume.
# Peers are built where their headers are found: libccd-dev libfcl-dev (with libeigen3-dev) libbullet-dev (its double
# precision) libcgal-dev libqhull-dev voro++-dev, and g++; `.ci/packages bench` installs them. They are compiled with -O3
# -march=native, cd-narrow as always.
#
# peers/      the other libraries, and the program that asks them (narrow_peers.cc)
# report.py   tables, CSV and picture from results.jsonl
# tests/harness: narrow_make.c makes the pairs with their answers (narrow_truth.c), narrow_kernel.c times cd-narrow's
# kernels, narrow_set.c reads pairs, times and judges for both.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
vertices="4 8 16 32 64 128" kinds="separated near shallow deep" pairs=1000 kernels=all peers=all repeats=5 seconds=1
filter_pairs=1e5 limit=60 out='' build=build/release quick=''
is_given quick "$@" && vertices="4 8 16 32 64" kinds="separated shallow" repeats=3 seconds=0.2 limit=10 filter_pairs=3e4
read_options "vertices kinds pairs kernels peers repeats seconds filter-pairs limit out +quick :build" "$@"
cd "$here/../.."
case $build in /*) ;; *) build=$PWD/$build ;; esac
harness=$build/harness
make --no-print-directory -s -j2 BUILD="$build" all "$harness/narrow_make" "$harness/narrow_kernel" >&2
make --no-print-directory -s -j2 BUILD="$build" "$harness/narrow_peers" >&2 ||
    echo "run.sh: peers are not built: cd-narrow runs alone" >&2
export PATH="$build/bin:$PATH"
work=$(mktemp -d)
child='' # the run that is under way: bash looks at signals between commands only, so it waits for a child in the background
trap 'rm -rf "$work"' EXIT
trap 'kill $child 2>/dev/null; exit 130' INT TERM
results=$work/results.jsonl
: >"$results"

# ---- who runs ----
peer_list=$work/peers kernel_list=$work/kernels # name, library, question, what
if [ -x "$harness/narrow_peers" ]; then "$harness/narrow_peers" >"$peer_list"; else : >"$peer_list"; fi
"$harness/narrow_kernel" >"$kernel_list"
for library in libccd FCL Bullet CGAL Qhull Voro++; do
    cut -f2 "$peer_list" | grep -qxF "$library" || echo "run.sh: $library is not built in: its headers are not there" >&2
done
[ "$peers" != all ] || peers=$(cut -f1 "$peer_list")
[ "$kernels" != all ] || kernels=$(cut -f1 "$kernel_list" | grep -vx checked) # that one is for the filter

questions_of() { # of a kind of pairs: what is worth asking about it
    case $1 in
    separated) echo overlap distance signed contact ;;
    near) echo overlap distance depth signed contact ;;
    *) echo depth signed volume contact ;;
    esac
}

# ---- one run ----
run_one() { # run_one KIND VERTICES LIST NAME COMMAND...: appends its line, or one that says why there is none
    local kind=$1 size=$2 name=$4 line status=0 library question
    library=$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "$3")
    question=$(awk -F'\t' -v n="$name" '$1 == n { print $3 }' "$3")
    shift 4
    [[ " $(questions_of "$kind") " == *" $question "* ]] || return 0
    timeout "$limit" "$@" >"$work/line" 2>"$work/errors" &
    child=$!
    wait $child 2>/dev/null || status=$?
    child=''
    line=$(<"$work/line")
    if [ $status -ne 0 ]; then
        line="{\"status\":\"$([ $status -eq 124 ] && echo "over $limit s" || echo "failed ($status)")\"}"
        [ $status -eq 124 ] || sed "s/^/run.sh: $kind $size: /" "$work/errors" | cut -c1-200 >&2
    fi
    printf '{"kind":"%s","vertices":%d,"name":"%s","library":"%s","question":"%s",%s\n' "$kind" "$size" "$name" \
        "$library" "$question" "${line#?}" >>"$results"
}

# ---- the whole filter ----
filter_limit=60
least() { sort -g | head -n 1; }
median() { sort -g | awk '{ v[NR] = $1 } END { printf "%.4f", v[int((NR + 1) / 2)] }'; }
timed() { # timed FORMAT COMMAND...: into a pipe
    local TIMEFORMAT=$1
    shift
    { time timeout "$filter_limit" "$@" 2>/dev/null >&3; } 2>&1 3> >(cat >/dev/null) | awk '{ print $1 + $2 }'
}
run_filter() { # run_filter MODE KERNEL PAIRS: these as make_filter_set made them
    local filter=(cd-narrow --contacts "$1" --reach 100 "$work/stream.cdb") kernel cpu one='' two='' stats i
    kernel=$(timeout "$filter_limit" "$harness/narrow_kernel" "$2" "$work/set" 5 2) &&
        stats=$(timeout "$filter_limit" "${filter[@]}" -t 1 --stats 2>&1 >/dev/null) || {
        echo "run.sh: the filter's run --contacts $1 on $3 pairs failed or took longer than $filter_limit s" >&2
        return 0
    }
    cpu=$(for ((i = 0; i < repeats; i++)); do timed '%U %S' "${filter[@]}" -t 1; done | median)
    if [ "$(nproc)" -gt 1 ]; then # one after the other, so that other work on the machine hits both
        for ((i = 0; i < repeats + 2; i++)); do
            timed '%R' "${filter[@]}" -t 1 >>"$work/one" && timed '%R' "${filter[@]}" -t 2 >>"$work/two"
        done
        one=",\"wall_1\":$(least <"$work/one")" two=",\"wall_2\":$(least <"$work/two")"
        rm -f "$work/one" "$work/two"
    fi
    printf '{"kind":"filter","pairs_are":"%s","name":"%s","kernel":%s,"cpu":%s%s%s,"stats":%s}\n' "$3" "$1" "$kernel" \
        "$cpu" "$one" "$two" "$stats" >>"$results"
}

# ---- all runs ----
pairs=$(awk -v n="$pairs" 'BEGIN { printf "%d", n }')
filter_pairs=$(awk -v n="$filter_pairs" 'BEGIN { printf "%d", n }')
for kind in $kinds; do
    for size in $vertices; do
        [ -t 2 ] && printf '\r%-40s' "$kind $size" >&2
        "$harness/narrow_make" "$kind" "$size" "$pairs" 42 "$work/set"
        for name in $kernels; do
            run_one "$kind" "$size" "$kernel_list" "$name" "$harness/narrow_kernel" "$name" "$work/set" "$repeats" "$seconds"
        done
        for name in $peers; do
            run_one "$kind" "$size" "$peer_list" "$name" "$harness/narrow_peers" "$name" "$work/set" "$repeats" "$seconds"
        done
    done
done
if [ "$filter_pairs" -gt 0 ]; then
    [ -t 2 ] && printf '\r%-40s' "the whole filter" >&2
    make_filter_set() { "$harness/narrow_make" "$1" 16 "$filter_pairs" 7 "$work/set" "$work/stream.cdb"; }
    make_filter_set separated
    run_filter distance distance separated
    make_filter_set spread
    run_filter distance distance spread
    make_filter_set shallow
    run_filter depth signed shallow
    run_filter volume contact shallow
    run_filter volume checked shallow
    make_filter_set packed
    run_filter depth signed packed
    run_filter volume contact packed
    run_filter volume checked packed
fi
[ -t 2 ] && printf '\r%-40s\r' '' >&2
if [ -n "$out" ]; then
    mkdir -p "$out"
    cp "$results" "$out/results.jsonl"
fi
python3 "$here/report.py" "$results" ${out:+"$out"} ${quick:+--brief}

# ---- ellipsoids ----
make --no-print-directory -s BUILD="$build" "$harness/ellipsoid_bench" >&2
echo
"$harness/ellipsoid_bench" | if [ -n "$out" ]; then tee "$out/ellipsoids.txt"; else cat; fi
