#!/usr/bin/env bash
# Complementarity solvers side by side on the same contact problems in one run: those of cd-lcp, Siconos' (Lemke lexicographic, pivot, Newton,
# projected Gauss-Seidel) and DART's Dantzig. One thread, process CPU time, the median of the runs. Every answer's residual is
# measured by one function; an answer worse than 1e-7 is told as wrong.
#
#   usage: run.sh [--quick] [--sets "pile-48 pile-180 ..."] [--programs "qp dart-dantzig-soft ..."] [--repeats 5] [--limit 60]
#                 [--out FOLDER] [BUILD_DIRECTORY]
#
# --quick     without what has a thousand rows but one pile, three repeats, runs of 20 seconds at most: about half a minute
# --sets      pile-48 pile-180 pile-246 pile-900 pile-1090: so many contact rows of cubes in space, frictionless, more rows than degrees of
#             freedom, positive semidefinite, masses 1 to 4 (tests/unit/lcp/lcp_piles.h); column-48 column-200 column-1000, wall-48 wall-192
#             wall-1084, arch-60 arch-240 arch-1240: the third step of pipelines/stand/scenes.py without friction, 10 ms; peg: thirty frames of polygons in the plane, their
#             disjunctions as rows, not symmetric; islands-10 islands-100 islands-1000: so many piles of 48 rows in one problem
# --programs  only these, as lcp_bench lists them
# --limit     seconds after which a run is killed
# --out       keeps results.jsonl and results.csv there. Default: only the tables, on stdout
#
# What is charged: all are given the dense matrix of the eliminated problem in memory, in the form that the solver wants. But a name of cd-lcp with
# +structure gets the rows as they stand in a stream and does everything from there: scaling, islands, elimination of the velocities, solution, back
# substitution, verification; one of DART's gets masses and Jacobians, and makes its matrix and then the velocities the shortest way (tests/harness/lcp_rows.h).
# lcp_bench takes several names and runs them in turn, which tells them apart where a machine does much else.
# Peers are built where their headers are found: libsiconos-numerics-dev, libdart-dev, g++. DART's Dantzig is not made for singular matrices, so
# there is a second entry with a diagonal 1e-9 stiffer, as DART and ODE do it; that is another problem by as much.
#
# peers/      the other libraries behind one interface; tests/harness/lcp_bench.c runs them and the solvers of cd-lcp
# measured/   results of one run
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"
sets="pile-48 pile-180 pile-246 pile-900 pile-1090 column-48 column-200 column-1000 wall-48 wall-192 wall-1084 arch-60 arch-240 arch-1240"
sets+=" peg islands-10 islands-100 islands-1000" programs='' repeats=5 limit=60 out='' build=build/release
is_given quick "$@" && sets="pile-48 pile-180 pile-900 column-48 column-200 wall-48 wall-192 arch-60 arch-240 peg islands-10 islands-100 islands-1000" repeats=3 limit=20
read_options "sets programs repeats limit out +quick :build" "$@"
cd "$here/../.."
case $build in /*) ;; *) build=$PWD/$build ;; esac
make --no-print-directory -s -j2 BUILD="$build" all "$build/harness/lcp_bench" >&2
export PATH="$build/bin:$PATH"
bench=$build/harness/lcp_bench
work=$(mktemp -d)
child='' # the run that is under way: bash looks at signals between commands only
trap 'rm -rf "$work"' EXIT
trap 'kill $child 2>/dev/null; exit 130' INT TERM
results=$work/results.jsonl
"$bench" >"$work/programs" # name, library, what it fits, what it is
for library in Siconos DART; do
    cut -f2 "$work/programs" | grep -qx $library || echo "run.sh: $library is not built in: its headers are not there" >&2
done

# The problems of a stream from a frame on, as rows and entries: jq turns them into text.
problems_from() { # problems_from FRAME < STREAM
    jq -r --argjson from "$1" \
        'def bound($absent): if . == null then $absent elif . == "Infinity" then "inf" elif . == "-Infinity" then "-inf" else . end;
            if .type == "frame" then (if .index >= $from then "problem" else "skip" end)
            elif .type == "row" then "row \(.rhs) \(.lower | bound(0)) \(.upper | bound("inf")) \(.role)"
            elif .type == "entry" then "entry \(.row) \(.col) \(.value)"
            elif .type == "fend" then "end" else empty end' |
        awk '$1 == "skip" || $1 == "problem" { keep = $1 == "problem" }
            keep && $1 == "row" { if ($5 == "velocity") { $3 = "-inf" } print $1, $2, $3, $4; rows++; next }
            keep { print }'
}

# Thirty frames of polygons that fall onto each other.
peg_problems() {
    cd-scene pipelines/scenes-2d/pile.yaml |
        cd-loop --until 0.4 -- 'cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1' | problems_from 50
}

standing_problem() { # standing_problem NAME SIZE
    python3 pipelines/stand/scenes.py "$1" "$2" --mu 0 --step 10 | cd-scene -q |
        cd-loop --until 0.03 -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' | cd-view -j --type row,entry | problems_from 2
}

# The set's problems in a file, made when they are first asked for.
file_of() { # file_of SET COMMAND..
    [ -e "$work/$1" ] || "${@:2}" >"$work/$1"
    echo "$work/$1"
}

problem_of() { # problem_of SET
    case $1 in
    pile-48) echo pile:2x2x2:1 ;;
    pile-180) echo pile:3x3x3:1 ;;
    pile-246) echo pile:4x3x3:1 ;;
    pile-900) echo pile:5x5x5:1 ;;
    pile-1090) echo pile:6x5x5:1 ;;
    islands-*) echo "islands:${1#islands-}:1" ;;
    column-48) file_of "$1" standing_problem tower 12 ;;
    column-200) file_of "$1" standing_problem tower 50 ;;
    column-1000) file_of "$1" standing_problem tower 250 ;;
    wall-48) file_of "$1" standing_problem wall 6 ;;
    wall-192) file_of "$1" standing_problem wall 20 ;;
    wall-1084) file_of "$1" standing_problem wall 100 ;;
    arch-60) file_of "$1" standing_problem arch 12 ;;
    arch-240) file_of "$1" standing_problem arch 49 ;;
    arch-1240) file_of "$1" standing_problem arch 249 ;;
    peg) file_of peg peg_problems ;;
    *) echo "run.sh: $1: no such set" >&2 && exit 2 ;;
    esac
}

is_left_out() { # is_left_out SET PROGRAM: solvers of few rows, ladder on a matrix, symmetric ones on peg; of islands all but auto on the structure
    case "$1 $2 $(awk -F'\t' -v name="$2" '$1 == name { print $3 }' "$work/programs")" in
    islands-*\ auto+structure\ *) false ;;
    islands-*) true ;;
    *few-rows*) true ;;
    *\ auto\ *) false ;;
    *" dense"*combined*) true ;;
    peg\ *symmetric*) true ;;
    *) false ;;
    esac
}

run_one() { # run_one SET PROGRAM
    local status=0 line
    timeout "$limit" "$bench" "$2" "$(problem_of "$1")" "$repeats" >"$work/line" 2>"$work/errors" &
    child=$!
    wait $child || status=$?
    child=''
    if [ $status -eq 0 ]; then
        line=$(grep '^{"program"' "$work/line" | tail -n 1) # Siconos talks on stdout too
    else
        line="{\"program\":\"$2\",\"failed\":\"$([ $status -eq 124 ] && echo "over $limit s" || echo "status $status")\"}"
    fi
    printf '{"set":"%s",%s\n' "$1" "${line#?}" >>"$results"
}

for set in $sets; do
    problem_of "$set" >/dev/null
    for program in $(cut -f1 "$work/programs"); do
        is_left_out "$set" "$program" && continue
        [[ -z $programs || " $programs " == *" $program "* ]] || continue
        [ -t 2 ] && printf '\r%-50s' "$set $program" >&2
        run_one "$set" "$program"
    done
done
[ -t 2 ] && printf '\r%-50s\r' '' >&2
if [ -n "$out" ]; then
    mkdir -p "$out"
    cp "$results" "$out/results.jsonl"
fi
python3 "$here/report.py" "$results" "$work/programs" ${out:+"$out"}
