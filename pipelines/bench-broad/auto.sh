#!/usr/bin/env bash
# How far cd-broad --method auto is from the fastest of its own methods, on twenty sets that are unlike each other.
#
#   usage: auto.sh [--count 5e4] [--repeats 7] [BUILD_DIRECTORY]
#
# sets.py has the sets. Times are CPU seconds from boxes in memory to pairs in memory, one thread: the least of the
# repeats of one frame, the mean of the later ones of several frames, where methods may remember. `ratio` is auto over
# the fastest, with the noise of both in it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
count=5e4 repeats=7 build=build/release
read_options "count repeats :build" "$@"
cd "$here/../.."
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -j2 BUILD="$build" "$build/harness/broad_kernel" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seconds_of() { # seconds_of METHOD FRAMES: seconds and the method that ran
    local figure=find_least
    [ "$2" -eq 1 ] || figure=find
    timeout 60 "$build/harness/broad_kernel" "$1" "$work/set.f64" "$repeats" 1 avx512 "$2" |
        sed "s/.*\"method\":\"\([^\"]*\)\".*\"$figure\":\([0-9.e+-]*\).*/\2 \1/"
}

printf '%-22s %-12s %10s   %-12s %10s   %s\n' set auto seconds fastest seconds ratio
python3 "$here/sets.py" --list | while read -r name frames; do
    python3 "$here/sets.py" "$name" "$count" "$work/set.f64"
    methods="grid bvh sweep-list hash3d hybrid"
    [ "$frames" -eq 1 ] || methods+=" incremental"
    auto=$(seconds_of auto "$frames")
    best=$(for method in $methods; do seconds_of "$method" "$frames"; done | sort -g | head -1)
    echo "$name $auto $best" | awk '{ printf "%-22s %-12s %10.5f   %-12s %10.5f   %.2f\n", $1, $3, $2, $5, $4, $2 / $4 }'
done
