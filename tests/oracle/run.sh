#!/usr/bin/env bash
# Runs the oracles (make oracle) and adds their TAP up; comments tell the worst errors met. Last line: "N passed, M failed".
#   usage: tests/oracle/run.sh BUILD_DIRECTORY
set -u
build=$1
passed=0 failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for source in tests/oracle/oracle_*.c; do
    name=$(basename "$source" .c)
    echo "== $name"
    "$build/oracle/$name" >"$out" 2>&1
    status=$?
    cat "$out"
    good=$(grep -c '^ok ' "$out")
    bad=$(grep -c '^not ok ' "$out")
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then # a crash is a failure too
        echo "not ok - $name ended with status $status"
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
done

# A thousand faults of one bit in what the stages of a run wrote: cd-diff --first must name each.
echo "== single_bits"
export PATH=$PWD/$build/bin:$PATH
here=$PWD folder=$(mktemp -d)
trap 'rm -rf "$out" "$folder"' EXIT
if (cd "$folder" && cd-scene -q "$here/pipelines/scenes-3d/box-of-polyhedra.yaml" | cd-loop -q -j --until 2.2 | cd-view --frames 20:220:20 >run.jsonl &&
    python3 "$here/tests/oracle/single_bits.py" run.jsonl 1000); then
    echo "ok - single_bits: a thousand faults"
    passed=$((passed + 1))
else
    echo "not ok - single_bits: a thousand faults"
    failed=$((failed + 1))
fi

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
