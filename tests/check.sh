#!/usr/bin/env bash
# Runs every test and adds the results up: house rules, pinned digests, unit programs (TAP), bats files, pipelines' own tests. Last line:
# "N passed, M failed".
#   usage: tests/check.sh BUILD_DIRECTORY
set -u
build=$1
export CD_BIN
CD_BIN=$(cd "$build/bin" && pwd)
log=$build/check.log
: >"$log"

run() { # run TITLE COMMAND...: its TAP goes to the log, what failed to the screen
    local title=$1 out status
    shift
    out=$(mktemp)
    "$@" >"$out" 2>&1
    status=$?
    local good bad skip
    good=$(grep "^ok " "$out" | grep -vc " # skip")
    bad=$(grep -c '^not ok ' "$out")
    skip=$(grep -c '^ok .* # skip' "$out")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then # a crash is a failure too
        echo "not ok - $title ended with status $status" >>"$out"
        bad=1
    fi
    printf '%-48s %4d passed %3d failed%s\n' "$title" "$good" "$bad" "$([ "$skip" -eq 0 ] || echo " $skip skipped")"
    [ "$skip" -eq 0 ] || grep '^ok .* # skip' "$out"
    if [ "$bad" -ne 0 ]; then
        grep -v '^ok ' "$out" | tail -n 60
    fi
    cat "$out" >>"$log"
    passed=$((passed + good))
    failed=$((failed + bad))
    rm -f "$out"
}

passed=0
failed=0
run lint tests/lint.sh
run same tests/same.sh "$build/bin"
for test in "$build"/unit/test_*; do
    case $test in *.d | *.o) continue ;; esac
    run "unit/$(basename "$test")" "$test"
done
for file in tests/bats/*.bats tests/bats/*/*.bats; do
    run "bats/$(basename "$file")" bats --tap "$file"
done
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
