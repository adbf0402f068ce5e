#!/usr/bin/env bash
# Solvers of contacts with friction side by side on the same problems in one run: those of cd-lcp that take them, Siconos' (nonsmooth
# Gauss-Seidel, nonsmooth Newton, alternating directions, interior point) and DART's Dantzig. One thread, its CPU time, the median of the
# runs. Every answer's residual is measured by one function (tools/cd-lcp/files/coulomb_verify.h); one worse than 1e-6 is told as not solved.
#
#   usage: friction.sh [--quick] [--sets "column-50 wall-200 ..."] [--repeats 5] [--limit 60] [--keep FOLDER] [--out FOLDER] [BUILD_DIRECTORY]
#
# --quick     50 and 200 contacts, without the nonsmooth Newton, runs of 10 seconds at most
# --sets      column, wall, arch, pile, each with some 50, 200 or 1000 contacts (pipelines/stand/scenes.py, mu 0.5, steps of 10 ms): the last
#             problem of a run, columns, walls and arches at rest, piles of hulls after 0.8 s
# --limit     seconds of CPU after which a run is killed: reading of the problem, its forms and all repeats, of which there are no more after half
#             a second
# --keep      folder of the problems: those that are there are not made again
# --out       keeps friction.csv there. Default: only the tables, on stdout
#
# What is charged: solvers of cd-lcp start from M, J, f, w and mu; Siconos from the same or from the reduced form in blocks, DART from the dense
# reduced one, whatever suits them, made before the clock starts. Peers are asked for 1e-8 of their own residual, cd-lcp for 1e-10.
# DART's law is another one, a box for each contact: its residual is that of boxes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
sets='' repeats=5 limit=60 keep='' out='' build=build/release without=none sizes="50 200 1000"
is_given quick "$@" && sizes="50 200" repeats=3 limit=10 without=siconos-newton
read_options "sets repeats limit keep out +quick :build" "$@"
cd "$here/../.."
[ -n "$sets" ] || for size in $sizes; do for scene in column wall arch pile; do sets+="$scene-$size "; done; done
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -j2 BUILD="$build" all "$build/harness/friction_bench" >&2
export PATH="$build/bin:$PATH" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
bench=$build/harness/friction_bench
work=$(mktemp -d)
child='' # the run that is under way: bash looks at signals between commands only
trap 'rm -rf "$work"' EXIT
trap 'kill $child 2>/dev/null; exit 130' INT TERM
[ -n "$keep" ] || keep=$work
mkdir -p "$keep"
[ -z "$out" ] || mkdir -p "$out"
"$bench" >"$work/programs" # name, library, what it is, law
for library in Siconos DART; do
    cut -f2 "$work/programs" | grep -qx $library || echo "friction.sh: $library is not built in: its headers are not there" >&2
done

problem() { # problem SET: the folder of its parts
    local scene until=0.05
    case $1 in
    column-50) scene="tower 12" ;;
    column-200) scene="tower 50" ;;
    column-1000) scene="tower 250" ;;
    wall-50) scene="wall 6" ;;
    wall-200) scene="wall 20" ;;
    wall-1000) scene="wall 100" ;;
    arch-50) scene="arch 12" ;;
    arch-200) scene="arch 49" ;;
    arch-1000) scene="arch 249" ;;
    pile-50) scene="hulls 11" until=0.8 ;;
    pile-200) scene="hulls 40" until=0.8 ;;
    pile-1000) scene="hulls 170" until=0.8 ;;
    *) echo "friction.sh: $1: no such set" >&2 && exit 2 ;;
    esac
    # shellcheck disable=SC2086
    python3 pipelines/stand/scenes.py $scene --mu 0.5 --step 10 | cd-scene -q | cd-loop --keep-trials --until $until -- \
        'cd-broad | cd-narrow | cd-peg-assemble --friction disc | cd-lcp | cd-step' | cd-view -j --type row,entry | python3 "$here/contacts.py" "$keep/$1"
}

for set in $sets; do
    [ -s "$keep/$set/mu.mtx" ] || problem "$set"
    while IFS=$'\t' read -r program _; do
        [ "$program" != $without ] || continue
        [ ! -t 2 ] || printf '\r%-50s' "$set $program" >&2
        status=0
        (ulimit -S -t "$limit" && exec "$bench" "$program" "$keep/$set" "$repeats") >"$work/line" 2>"$work/errors" &
        child=$!
        wait $child 2>/dev/null || status=$?
        child=''
        line=$(grep '^{"program"' "$work/line" | tail -n 1 || true) # Siconos talks on stdout too
        [ $status -eq 0 ] || line="{\"program\":\"$program\",\"failed\":\"$([ $status -eq 152 ] && echo "over $limit s" || echo "status $status")\"}"
        printf '{"set":"%s",%s\n' "$set" "${line#?}" >>"$work/results"
    done <"$work/programs"
done
[ ! -t 2 ] || printf '\r%-50s\r' '' >&2
python3 "$here/report_friction.py" "$work/results" "$work/programs" ${out:+"$out"}
