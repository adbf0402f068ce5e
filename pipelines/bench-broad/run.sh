#!/usr/bin/env bash
# The broad phase side by side with other libraries, on the same streams in one run: every method of cd-broad and every
# peer that is built in, boxes in memory to pairs in memory, one thread, process CPU time. Pairs are compared first: a
# program that misses some, or reports some twice, is marked and its time crossed out. Then the whole filter beside
# cd-view passing the same output.
#
#   usage: run.sh [--quick] [--sizes "1e4 1e5 1e6"] [--kinds "uniform mesh ..."] [--methods "auto grid ..."]
#                 [--peers "cgal-100 ..."] [--repeats 5] [--frames 10] [--limit 60] [--out FOLDER] [BUILD_DIRECTORY]
#
# --quick     1e4 and 1e5 boxes of six kinds, at most 4 s a run: what `make bench` shows, in some two minutes
# --sizes     numbers of boxes; 1e7 is allowed and needs some 4 GB
# --kinds     of cd-scene's generator boxes, cd-scene(5); `moving` has --frames frames and is timed by the frame, from
#             the second on
# --methods   of cd-broad; "" for none. Default: all of them, and auto (quadratic ones up to 2e4 boxes)
# --peers     of `build/release/harness/peers`; "" for none. Default: all that are built in
# --repeats   runs of which the median counts; slow ones stop when 2 s are spent
# --limit     seconds after which a run is killed; a program that would pass it at the next size is not started there
# --out       keeps results.jsonl, results.csv, growth.svg and ratios.svg there. Default: only the table, on stdout
#
# Peers are built where their headers are found: libcgal-dev libboost-dev libembree-dev libbullet-dev libfcl-dev (with
# libccd-dev and libeigen3-dev) libode-dev, and g++; `.ci/packages bench` installs them. They are compiled with -O3
# -march=native, cd-broad as always. What is charged to each: building its structure from plain boxes, and putting each
# pair once into an array; to cd-broad also, shown apart, the canonical order that peers do not have. Embree and Bullet
# round outward to single precision, and have their pairs tested again in double precision.
#
# peers/      the other libraries behind one interface (peers.h), the program that times them (peers.cc)
# report.py   tables, CSV and pictures from results.jsonl
# tests/harness/broad_kernel.c times the methods of cd-broad, tests/harness/box_stream.c reads the boxes for both.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
sizes="1e4 1e5 1e6" repeats=5 frames=10 limit=60 out='' build=build/release quick=''
kinds="uniform polydisperse clustered slabs slabs-x mesh touching moving giant column equal wide"
methods=all peers=all
is_given quick "$@" && sizes="1e4 1e5" repeats=3 frames=4 limit=4 kinds="uniform polydisperse clustered slabs mesh moving"
read_options "sizes kinds methods peers repeats frames limit out +quick :build" "$@"
cd "$here/../.."
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -j2 BUILD="$build" all "$build/harness/broad_kernel" >&2
make --no-print-directory -s -j2 BUILD="$build" "$build/harness/peers" >&2 ||
    echo "run.sh: peers are not built: cd-broad runs alone" >&2
export PATH="$build/bin:$PATH"
work=$(mktemp -d)
child='' # the run that is under way: bash looks at signals between commands only, so it waits for a child in the background
trap 'rm -rf "$work"' EXIT
trap 'kill $child 2>/dev/null; exit 130' INT TERM
results=$work/results.jsonl
: >"$results"

# ---- who runs ----
peer_list=$work/peers # name, library, most boxes, what
if [ -x "$build/harness/peers" ]; then "$build/harness/peers" >"$peer_list"; else : >"$peer_list"; fi
for library in CGAL Boost Embree Bullet FCL ODE; do
    cut -f2 "$peer_list" | grep -qx $library || echo "run.sh: $library is not built in: its headers are not there" >&2
done
[ "$peers" != all ] || peers=$(cut -f1 "$peer_list")
[ "$methods" != all ] || methods=$(cd-broad --help | sed -n '/ --method=WORD /{s/ \[default.*//; s/.*: //; s/,//g; p}')
# under "Methods" a line with two spaces in front names one, and its cost follows
quadratic=" $(cd-broad --help | awk '/^  [a-z]/ { name = $1 } $1 == "cost" && $2 == "O(n^2)" { printf "%s ", name }')"

most_boxes() { # of a program
    case $quadratic in *" $1 "*) echo 20000 && return ;; esac
    awk -F'\t' -v name="$1" '$1 == name { most = $3 } END { print (most ? most : 2147483646) }' "$peer_list"
}

# ---- one run ----
declare -A seconds_before size_before
run_one() { # run_one KIND SIZE NAME COMMAND...: appends its line, or one that says why there is none
    local kind=$1 size=$2 name=$3 line status=0 skip
    shift 3
    skip=$(awk -v n="$size" -v most="$(most_boxes "$name")" -v t="${seconds_before[$kind $name]:-0}" \
        -v m="${size_before[$kind $name]:-0}" -v limit="$limit" -v kind="$kind" -v frames="$frames" 'BEGIN {
            t *= kind == "moving" ? frames : 1
            print (n > most ? "not for so many boxes" : m && t * n / m > limit ? "would take too long" : "") }')
    if [ -n "$skip" ]; then
        line="{\"status\":\"$skip\"}"
    else
        timeout "$limit" "$@" >"$work/line" 2>"$work/errors" &
        child=$!
        wait $child || status=$?
        child=''
        line=$(<"$work/line")
        if [ $status -ne 0 ]; then
            line="{\"status\":\"$([ $status -eq 124 ] && echo "over $limit s" || echo "failed ($status)")\"}"
            [ $status -eq 124 ] || sed "s/^/run.sh: $name: /" "$work/errors" >&2
            seconds_before[$kind $name]=1e9
        else
            seconds_before[$kind $name]=$(sed 's/.*"find":\([0-9.e+-]*\).*/\1/' <<<"$line")
        fi
        size_before[$kind $name]=$size
    fi
    printf '{"kind":"%s","size":%d,"name":"%s",%s\n' "$kind" "$size" "$name" "${line#?}" >>"$results"
}

# CPU seconds of a process that writes into a pipe, the median of the runs.
TIMEFORMAT='%U %S'
cpu_of() {
    local i
    for ((i = 0; i < repeats; i++)); do
        { time timeout "$limit" "$@" 2>/dev/null >&3; } 2>&1 3> >(cat >/dev/null) | awk '{ print $1 + $2 }'
    done | sort -g | awk '{ v[NR] = $1 } END { printf "%.4f", v[int((NR + 1) / 2)] }'
}
no_limit=--max-rows=2000000000
run_filter() { # run_filter KIND SIZE STREAM
    local boxes=$3 filter view stats
    [[ " $methods " == *" auto "* ]] || return 0
    stats=$(timeout "$limit" cd-broad --use-bounds -l 0 --stats "$no_limit" -o "$work/output.cdb" "$boxes" 2>&1) || {
        echo "run.sh: the filter failed on $1 $2: $stats" >&2
        return 0
    }
    filter=$(cpu_of cd-broad --use-bounds "$no_limit" "$boxes")
    view=$(cpu_of cd-view "$no_limit" "$work/output.cdb")
    printf '{"kind":"%s","size":%d,"name":"filter","program":"filter","filter":%s,"view":%s,"stats":%s}\n' \
        "$1" "$2" "$filter" "$view" "$stats" >>"$results"
}

# ---- all runs ----
kernel=$build/harness/broad_kernel
for kind in $kinds; do
    for size in $sizes; do
        size=$(awk -v n="$size" 'BEGIN { printf "%d", n }')
        stream=$work/boxes.cdb
        [ "$kind" = moving ] && more=", frames: $frames" || more=
        printf 'dim: 3\nstep: 0.01\nseed: 7\ngenerate: [{generator: boxes, kind: %s, count: %d, as: bounds%s}]\n' \
            "$kind" "$size" "$more" | cd-scene -b -l 0 -o "$stream"
        [ -t 2 ] && printf '\r%-40s' "$kind $size" >&2
        for name in $methods; do run_one "$kind" "$size" "$name" "$kernel" "$name" "$stream" "$repeats"; done
        for name in $peers; do
            run_one "$kind" "$size" "$name" "$build/harness/peers" "$name" "$stream" "$repeats"
        done
        [ "$size" -lt 500000 ] || [[ " $methods " != *" auto "* ]] ||
            run_one "$kind" "$size" "auto, 2 threads" "$kernel" auto "$stream" "$repeats" 2
        run_filter "$kind" "$size" "$stream"
        rm -f "$stream" "$work/output.cdb"
    done
done
[ -t 2 ] && printf '\r%-40s\r' '' >&2
if [ -n "$out" ]; then
    mkdir -p "$out"
    cp "$results" "$out/results.jsonl"
fi
python3 "$here/report.py" "$results" ${out:+"$out"} ${quick:+--brief}
