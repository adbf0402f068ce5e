# helper -- shared by every bats file: `load helper`. CD_BIN (set by make check) comes first on PATH.
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

# A pipe fails where any of its stages does, whatever its last one makes of what it got. What ends a pipe reads all that comes (found, sed -n 1p):
# grep -q and head leave, and the stage before them fails by that.
set -o pipefail

# Some line of standard input is as grep's options and pattern say: TOOL | found [OPTIONS] PATTERN.
found() { [ "$(grep -c "$@")" -gt 0 ]; }

# A test, a comparison or a search says no, by exit code 1: says_no COMMAND... (A command after ! fails no test, whatever it says.)
says_no() {
    local code=0
    "$@" || code=$?
    [ $code -eq 1 ]
}

setup() {
    TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) # also for files in folders below tests/bats
    PATH="${CD_BIN:-$TESTS/../build/release/bin}:$PATH"
    CASES="$TESTS/cases"
    SCENES="$TESTS/../pipelines/scenes-2d"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# The words that an option takes, as --help lists them, one a line: choices TOOL OPTION.
choices() {
    "$1" --help | sed -nE "/ --$2=WORD /{s/ \\[default [^]]*\\]\$//; s/.*: //; s/, /\\n/g; p}" | grep .
}

# The names of a list of --help, one a line: listed TOOL TITLE. The list begins with a line that begins with TITLE.
listed() { "$1" --help | sed -nE "/^$2/,/^([^ ].*)?\$/s/^  ([a-z][a-z0-9-]*):? .*/\1/p" | grep .; }

# Each value that comes, and one does, is as jq's condition says: ... | holds [OPTIONS OF jq] CONDITION. (jq -e passes where nothing comes, and
# speaks of the last value alone.)
holds() {
    jq -se "${@:1:$#-1}" "length > 0 and all(.[]; ${!#}
    )" >/dev/null
}

# The lines of one record type, to the letter, of a stream in JSON lines as every tool writes them: of_type TYPE <stream. (jq would parse every line.)
of_type() { grep "^{\"type\":\"$1\"[,}]" || [ $? -eq 1 ]; }

# Of these the metrics of one name: of_metric NAME <stream.
of_metric() { of_type metric | grep "\"name\":\"$1\"[,}]" || [ $? -eq 1 ]; }

# The line of --stats in a file says that threads were at work: threads_ran FILE.
threads_ran() { grep '^{' "$1" | holds '.threads > 1' >/dev/null; }

# The smallest stream: a head, one frame with a falling square and a floor, the end.
small_stream() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.8],"length":0.1}
{"type":"shape","id":1,"kind":"polygon","vertices":[[-0.05,-0.05],[0.05,-0.05],[0.05,0.05],[-0.05,0.05]]}
{"type":"shape","id":2,"kind":"polygon","vertices":[[-1,-0.2],[1,-0.2],[1,0.2],[-1,0.2]]}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[0,0.0505],"velocity":[0.1,-0.5],"mass":0.25,"inertia":0.003}
{"type":"body","id":2,"shape":2,"position":[0,-0.2],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
JSONL
}

# The nine things every filter does alike: common_filter_tests TOOL [OPTIONS...] runs them on small_stream.
check_help() {
    run -0 --separate-stderr "$1" --help
    [[ "$output" == usage:\ "$1"* ]]
    [ -z "$stderr" ]
}

check_version() {
    run -0 "$1" --version
    [[ "$output" == "$1 (cdtools) "* ]]
}

check_unknown_option() {
    run -2 --separate-stderr "$1" --no-such-option
    [ -z "$output" ]
    [[ "$stderr" == "$1: --no-such-option: unknown option"* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

check_no_frames() {
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"end"}' >none.jsonl
    run -0 --separate-stderr "$@" none.jsonl
    [[ "$output" == *'{"type":"end"}' ]]
}

check_missing_end() {
    small_stream | sed '$d' >cut.jsonl
    run -3 --separate-stderr "$@" cut.jsonl
    [[ "$stderr" == "$1: cut.jsonl:"*"no end record"* ]]
    says_no grep -q '"type":"end"' <<<"$output"
}

check_truncated() {
    small_stream | head -c -5 >cut.jsonl
    run -3 --separate-stderr "$@" cut.jsonl
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

check_full_device() {
    small_stream >small.jsonl
    run -4 --separate-stderr bash -c '"$@" small.jsonl >/dev/full' _ "$@"
    [[ "$stderr" == "$1: stdout: write: "* ]]
}

# The same from a program that may have made any table: stages refuse a stream without the tables that they live on.
written_stream() { small_stream | sed '1a {"type":"prog","id":1,"prev":[0],"tool":"by-hand"}'; }

check_encodings_agree() {
    written_stream >small.jsonl
    "$@" small.jsonl >out.jsonl
    "$@" -b small.jsonl >out.cdb
    cd-view -b small.jsonl >small.cdb
    "$@" small.cdb >out2.cdb
    [ "$(cd-view --digest out.jsonl)" = "$(cd-view --digest out.cdb)" ]
    [ "$(cd-view --digest out.jsonl)" = "$(cd-view --digest out2.cdb)" ]
}

check_foreign_record() {
    written_stream | sed '7a {"type":"my-note","text":"kept","list":[1,2.5,{"a":null}]}' >foreign.jsonl
    run -0 --separate-stderr "$@" foreign.jsonl
    grep -qF '{"type":"my-note","text":"kept","list":[1,2.5,{"a":null}]}' <<<"$output"
}

common_filter_tests() {
    check_help "$1"
    check_version "$1"
    check_unknown_option "$1"
    check_no_frames "$@"
    check_missing_end "$@"
    check_truncated "$@"
    check_full_device "$@"
    check_encodings_agree "$@"
    check_foreign_record "$@"
}

# Skips a test that needs a pseudo-terminal where there is none (a container without devpts).
need_terminal() {
    python3 -c 'import pty; pty.openpty()' 2>/dev/null || skip "no pseudo-terminal can be opened here"
}
