#!/usr/bin/env bash
# Shows that results did not change: runs every line of tests/cases/same/runs and compares what it writes with the pinned digests.
# Prints TAP; exit 0 when all agree and no word of the tools' tables and options is left out of the runs.
#   usage: tests/same.sh BIN_DIRECTORY [--renew | --show NAME]
#     --renew      write the digests anew, for a change that means to alter results; its commit says which and why
#     --show NAME  only print what run NAME writes, so that two builds can be compared: diff <(.. OLD --show x) <(.. NEW --show x)
# A line is `NAME | COMMAND`, or `NAME =STATUS | COMMAND` where the exit status is not 0. Its standard output is a stream, compared
# by cd-view --digest (so encoding, order and provenance do not count); of a NAME that ends in .sha any text, by its SHA-256.
# Commands run by bash with pipefail, in an empty folder of their own, the functions of tests/cases/same/functions.sh at hand.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$(cd "${1:?usage: tests/same.sh BIN_DIRECTORY [--renew | --show NAME]}" && pwd) || exit 2
mode=${2:-} shown=${3:-}
case $mode in '' | --renew | --show) ;; *) echo "same.sh: $mode: unknown option" >&2 && exit 2 ;; esac
export ROOT=$root PATH=$bin:$PATH LC_ALL=C # not the user's order of letters or form of numbers
cases=$root/tests/cases/same
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SAME_CASES=$cases SAME_WORK=$work

# ---- the runs: one line each of name, expected status, command, with tabs between ----
sed -n 's/^\([A-Za-z0-9_.-]\+\) \+\(=\([0-9]\+\) \+\)\?| *\(.*\)$/\1\t0\3\t\4/p' "$cases/runs" >"$work/list"
unread=$(grep -vE '^(#.*|[[:space:]]*)$' "$cases/runs" | grep -vE '^[A-Za-z0-9_.-]+ +(=[0-9]+ +)?\|')
[ -z "$unread" ] || { echo "same.sh: not a run: $unread" >&2 && exit 2; }

execute() { # execute NAME COMMAND: in a folder of its own; its output to stdout
    mkdir "$SAME_WORK/in-$1" && cd "$SAME_WORK/in-$1" || return 99
    timeout 120 bash -o pipefail -c ". '$SAME_CASES/functions.sh'; $2" </dev/null # seconds; builds with sanitizers are slow
}
one_run() { # one_run NUMBER: its digest, or what went wrong, into NUMBER.result
    local name status command got digest
    IFS=$'\t' read -r name status command < <(sed -n "$1p" "$SAME_WORK/list")
    (execute "$1" "$command") >"$SAME_WORK/$1.out" 2>"$SAME_WORK/$1.err"
    got=$?
    if [ "$got" -ne $((10#$status)) ]; then
        digest="ended with status $got: $(tail -n 1 "$SAME_WORK/$1.err")"
    elif [[ $name == *.sha ]]; then
        digest=$(sha256sum <"$SAME_WORK/$1.out" | cut -c 1-32)
    else
        digest=$(cd-view --digest "$SAME_WORK/$1.out" 2>&1) || digest="not a stream: $digest"
    fi
    printf '%s\n' "$digest" >"$SAME_WORK/$1.result"
    rm -rf "$SAME_WORK/$1.out" "$SAME_WORK/in-$1"
}
export -f execute one_run

if [ "$mode" = --show ]; then
    command=$(awk -F'\t' -v name="$shown" '$1 == name { print $3 }' "$work/list")
    [ -n "$command" ] || { echo "same.sh: --show: no run is named '$shown'" >&2 && exit 2; }
    (execute "$shown" "$command")
    exit
fi

# ---- how libm rounds: other libraries, and the same one on another processor, differ in last bits, which the digests hold ----
libm=$(python3 - <<'PY' 2>/dev/null || echo none
import ctypes, hashlib, random
libm = ctypes.CDLL("libm.so.6")
draw = random.Random(1)
total = hashlib.sha256()
def add(name, *ranges):
    function = getattr(libm, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(ranges)
    for _ in range(2000):
        total.update((name + function(*(draw.uniform(*r) for r in ranges)).hex()).encode())
for name in "sin", "cos", "tan", "cbrt": add(name, (-10, 10))
for name in "acos", "asin": add(name, (-1, 1))
for name in "exp", "atan": add(name, (-20, 20))
for name in "log", "log2", "log10": add(name, (1e-9, 100))
for name in "atan2", "hypot": add(name, (-10, 10), (-10, 10))
add("pow", (0, 10), (-4, 4))
print(total.hexdigest()[:32])
PY
)

source "$root/tests/tap.sh" || exit 1

# ---- nothing is left out: each word of a table, and each option, must stand in a command ----
# Tables are found by name, wherever they are; a new method, kind or option so asks for a run of its own.
cut -f 3 "$work/list" | tr -c 'A-Za-z0-9_\n-' '\n' | sort -u >"$work/words"
# The same of the words of options, as `--option word`: they stand behind it, or in the list that `each` puts there.
cut -f 3 "$work/list" | python3 -c '
import re, sys
for command in sys.stdin:
    listed = " ".join(re.findall("each .([a-z0-9 -]+)", command)).split()
    for option, word in re.findall(r"(--[a-z-]+)[ =]([$a-z0-9][a-z0-9-]*)", command):
        for one in listed if word == "$it" else [word]: print(option, one)
' | sort -u >"$work/given"
left_out() { # left_out TITLE [FILE]: words on standard input that no command has; none at all is a fault of this script's search
    local words missing
    words=$(sort -u)
    [ -n "$words" ] || { result "every word of $1 is run" "no word found: has the table moved or changed its form?" && return; }
    missing=$(comm -23 <(echo "$words") "${2:-$work/words}")
    result "every word of $1 is run" "${missing:+not in a command of tests/cases/same/runs: $(echo $missing)}"
}
table() { find "$root" \( -name build -o -name .git -o -name out \) -prune -o -name "$1" -type f -print | head -n 1 | xargs -r cat; }
names() { sed -n 's/^X(\([a-z0-9_]*\).*/\1/p' | tr _ -; } # X(peg_printed, ..) is peg-printed
for tool in broad_methods lcp_solvers peg_models step_integrators generators mesh_importers; do left_out "$tool.def" < <(table $tool.def | names); done
left_out "the kinds of shapes in records.def" < <(table records.def | grep -o 'CD_NAME(SHAPE, [A-Z]*, "[a-z]*")' | cut -d'"' -f 2)
left_out "the shape pairs of cd-narrow" < <(cd-narrow --help | sed -n '/^Shape pairs/,/^$/s/^  \([a-z]*-[a-z]*\) .*/\1/p')
for tool in "$bin"/cd-*; do
    name=${tool##*/}
    left_out "$name and its options" < <(
        echo "$name"
        "$tool" --help | sed '/^Common options/,/^$/d' >"$work/help"
        sed -n 's/^ \{2,6\}\(-[a-z], \)\?\(--[a-z-]*\).*/\2/p' "$work/help"
    )
    # the words that an option takes stand last, behind a colon; a run must give it the word: others may take the same one
    sed -nE '/^ {2,6}(-[a-z], )?--[a-z-]+=WORD/{s/ \[default .*//;s/.*(--[a-z-]+)=WORD.*: (([a-z0-9-]+, )+[a-z0-9-]+)$/\1 \2/p}' "$work/help" |
        while read -r option words; do for word in ${words//,/}; do echo "$option $word"; done; done >"$work/taken"
    [ ! -s "$work/taken" ] || left_out "the options of $name" "$work/given" <"$work/taken"
done
result "names of runs are unique" "$(cut -f 1 "$work/list" | sort | uniq -d)"

# ---- the runs, two at a time, shown in their order ----
pinned() { awk -v name="$1" '$1 == name { print $2 }' "$cases/digests" 2>/dev/null; }
total=$(wc -l <"$work/list")
skip=
[ "$mode" = --renew ] || [ "$(pinned libm)" = "$libm" ] || skip="this machine's libm rounds differently"
[ -z "$skip" ] || echo "# The digests hold the last bits of sin, cos, exp: they tell nothing where libm rounds otherwise ($libm, pinned $(pinned libm))."
[ -n "$skip" ] || seq "$total" | xargs -P 2 -I N bash -c 'one_run N'
[ "$mode" != --renew ] || {
    echo "# Written by tests/same.sh --renew: the libm that the digests hold for, then a run and its digest a line."
    echo "libm $libm"
} >"$work/digests"
number=0
while IFS=$'\t' read -r name _ command; do
    number=$((number + 1))
    if [ -n "$skip" ]; then
        count=$((count + 1))
        echo "ok $count - $name # skip $skip"
        continue
    fi
    digest=$(cat "$work/$number.result")
    if [ "$mode" = --renew ]; then
        result "$name" "$([[ $digest =~ ^[0-9a-f]{32}$ ]] || printf '%s\n%s' "$command" "$digest")"
        echo "$name $digest" >>"$work/digests"
    else
        expected=$(pinned "$name")
        result "$name" "$([ "$digest" = "$expected" ] || printf '%s\npinned %s\ngot    %s' "$command" "${expected:-nothing}" "$digest")"
    fi
done <"$work/list"
if [ "$mode" = --renew ]; then
    [ "$bad" -ne 0 ] || cp "$work/digests" "$cases/digests" # a run that fails is never pinned
else
    result "every digest has its run" "$(comm -23 <(sed -n '/^#/!s/ .*//p' "$cases/digests" | grep -vx libm | sort) <(cut -f 1 "$work/list" | sort))"
fi
echo "1..$count"
exit $bad
