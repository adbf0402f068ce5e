# What the checks that are shell scripts print: TAP, one line a result. To be sourced; `bad` is 1 once a result was not ok.
# shellcheck shell=bash
# shellcheck disable=SC2034
count=0 bad=0
result() { # result NAME FINDINGS: an empty FINDINGS passes
    count=$((count + 1))
    if [ -z "$2" ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        while IFS= read -r line; do echo "# $line"; done <<<"$2"
        bad=1
    fi
}
