#!/usr/bin/env bash
# Runs every test, one file more at a time than there are processors, and adds the results up: house rules, pinned digests, unit programs (TAP), bats
# files, pipelines' own tests. Last line: "N passed, M failed".
#   usage: tests/check.sh BUILD_DIRECTORY
set -u
build=$1
export CD_BIN results
CD_BIN=$(cd "$build/bin" && pwd)
results=$(mktemp -d) # of each file: its TAP, and its counts "passed failed"
trap 'rm -rf "$results"' EXIT
# What python3 stands for, since it is called several hundred times: the system's own where it lacks nothing that the user's has for these tests. The
# user's may be a script that looks for the interpreter (pyenv), and loads whatever its packages ask for at each start: 190, 70 and 12 ms of CPU.
modules() { "$1" -c 'import importlib.util as u; print(*(m for m in "distributed numpy scipy vtkmodules".split() if u.find_spec(m)), sep="\n")'; }
python=$(python3 -c 'import sys; print(sys.executable)')
PATH=$(dirname "$python"):$PATH
if [ -x /usr/bin/python3 ] && [ -z "$(comm -23 <(modules "$python") <(modules /usr/bin/python3))" ]; then
    mkdir "$results/path" && ln -s /usr/bin/python3 "$results/path/" && PATH=$results/path:$PATH
fi

# run NUMBER TITLE COMMAND...: its TAP and counts go to the results, what failed to the screen. Each file's lines are written at once, since
# others write theirs at the same time.
run() {
    local out=$results/$1.tap title=$2 status began=$SECONDS
    shift 2
    "$@" >"$out" 2>&1 </dev/null
    status=$?
    local good bad skip
    good=$(grep "^ok " "$out" | grep -vc " # skip")
    bad=$(grep -c '^not ok ' "$out")
    skip=$(grep -c '^ok .* # skip' "$out")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then # a crash is a failure too
        echo "not ok - $title ended with status $status" >>"$out"
        bad=1
    fi
    echo "$good $bad" >"$results/${out##*/}.counts"
    local lines
    lines=$(
        printf '%-48s %4d passed %3d failed %4d s%s\n' "$title" "$good" "$bad" $((SECONDS - began)) "$([ "$skip" -eq 0 ] || echo " $skip skipped")"
        [ "$skip" -eq 0 ] || grep '^ok .* # skip' "$out"
        [ "$bad" -eq 0 ] || grep -v '^ok ' "$out" | tail -n 60
    )
    printf '%s\n' "$lines"
}
export -f run

# Lines "title command...": those that take minutes first, so that none of them is left alone at the end.
files() {
    echo "bats/pipelines.bats bats --tap tests/bats/pipelines.bats"
    echo "unit/test_reader_writer $build/unit/test_reader_writer"
    for file in tests/bats/*/*.bats tests/bats/*.bats; do
        [ "$file" = tests/bats/pipelines.bats ] || echo "bats/${file##*/} bats --tap $file"
    done
    echo "lint tests/lint.sh"
    echo "same tests/same.sh $build/bin"
    for test in "$build"/unit/test_*; do
        case $test in *.d | *.o | */test_reader_writer) continue ;; esac
        echo "unit/${test##*/} $test"
    done
}

files | nl -w 4 -n rz -s ' ' >"$results/files"
# Some wait for others, or for a clock: as many as processors leave these idle for a tenth of the time.
xargs -P $(($(nproc) + 1)) -L 1 bash -c 'run "$@"' run <"$results/files"
cat "$results"/*.tap >"$build/check.log"
started=$(wc -l <"$results/files")
read -r passed failed ended < <(cat "$results"/*.counts | awk '{ p += $1; f += $2 } END { print p + 0, f + 0, NR }')
[ "$ended" -eq "$started" ] || echo "$((started - ended)) of $started files did not end"
echo
echo "$passed passed, $((failed + started - ended)) failed"
[ "$failed" -eq 0 ] && [ "$ended" -eq "$started" ] && [ "$passed" -gt 0 ]
