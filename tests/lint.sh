#!/usr/bin/env bash
# The house rules that a program can check; prints TAP. Run from the top of the tree (make lint).
set -u
source tests/tap.sh || exit 1
files() { # files PATTERN...: also of a tree without its history
    git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null ||
        for pattern in "$@"; do find . -type f -path "./$pattern" -not -path './build/*'; done | sed 's|^\./||'
}
sources=$(files '*.c' '*.h' | sort -u)

# A check whose source is missing has nothing to say and would pass: what is read is asked for first.
need() { # need FILE...
    local missing=
    for file in "$@"; do [ -s "$file" ] || missing+="$file is missing or empty"$'\n'; done
    result "what these checks read is there: $*" "${missing%$'\n'}"
}

need tests/rooms tests/rooms.py tests/functions.py formats/model/records.def formats/STREAM.md .clang-format
result "includes run down the rooms of tests/rooms, and tests stand with theirs" "$(python3 tests/rooms.py 2>&1 || echo "tests/rooms.py failed")"
result "file names are unique (but main.c)" "$(for f in $sources; do basename "$f"; done | grep -v '^main\.c$' | sort | uniq -d)"
result "no folder holds more than 30 files" "$(files '*' | awk -F/ -v OFS=/ '{ NF--; n[$0]++ }
    END { for (folder in n) if (n[folder] > 30) print folder ": " n[folder] }')"
result "no include climbs out of its folder" "$(grep -n '#include "\.\./' $sources /dev/null)"
result "pipes of bats files end in what reads all of them and wants something: found, holds" "$(grep -rnE "(^|[^|'])\| *(grep -[a-zA-Z]*q|jq -e )" tests/bats)"
# set -e passes what fails on the left of &&, and after !
result "assertions of bats files stand one a line, and deny by says_no" "$(grep -rnE '^ +(! |(\[|found |holds |cmp |diff |grep ).* && (\[|! |found |holds |cmp |diff |grep ))' tests/bats | grep -vE '&& continue$| \|\| ')"
result "main.c has at most 100 lines" "$(for f in tools/*/main.c; do n=$(wc -l <"$f"); [ "$n" -le 100 ] || echo "$f: $n"; done)"
result "source files have at most 900 lines" "$(for f in $sources; do n=$(wc -l <"$f"); [ "$n" -le 900 ] || echo "$f: $n"; done)"
result "only tools/cd-plot/canvas names the drawing library" "$(echo "$sources" | grep -v '^tools/cd-plot/canvas/' | xargs grep -nE '\bcairo_|\bCAIRO_|include [<"]cairo')"
result "functions have at most 7 parameters and 60 lines" "$(python3 tests/functions.py 2>&1 || echo "tests/functions.py failed")"
result "every file names its licence" "$(for f in $sources; do grep -q 'SPDX-License-Identifier: MIT' "$f" || echo "$f"; done)"
result "libcommon neither prints nor exits" "$(grep -rnE '\b(printf|fprintf|puts|exit)\(' libcommon --include='*.c' | grep -v 'snprintf')"
result "every tool has a manual" "$(for t in tools/*/main.c; do n=$(basename "$(dirname "$t")"); [ -f "man/$n.1" ] || echo "$n"; done)"
result "every tool has a bats file" "$(for t in tools/*/main.c; do n=$(basename "$(dirname "$t")"); [ -n "$(find tests/bats -name "$n.bats")" ] || echo "$n"; done)"
result "every record type is in STREAM.md" "$(sed -n 's/^CD_RECORD(\([a-z_]*\),.*/\1/p' formats/model/records.def | while read -r r; do
    grep -q "\`$r\`" formats/STREAM.md || echo "$r"; done)"
if clang-format --version 2>/dev/null | grep -q ' 14\.'; then # other versions break other lines
    result "sources are as .clang-format has them" "$({ echo "$sources"; files 'pipelines/engines/*.cc'; } | xargs -P2 -n40 clang-format --dry-run --Werror 2>&1 | sed -n 's/:.*error:.*//p' | sort -u)"
fi
if command -v mandoc >/dev/null; then
    result "mandoc finds nothing to warn of in a manual" "$(mandoc -T lint -W warning man/*.[1357] 2>&1)"
fi
result "programs of benchmarks and oracles compile without a warning" "$(MAKEFLAGS= make --no-print-directory -s -k front-end 2>&1 | grep -E 'error|warning' | head -n 5)"
result "nothing refers to files outside the tree" "$(grep -rn '\.\./shared\|/work/' Makefile README.md .ci tools libcommon formats tests pipelines man 2>/dev/null | grep -v 'tests/lint.sh')"
if command -v clang >/dev/null; then # what GCC alone has is in vectors, if anywhere
    vectors=$(echo "$sources" | xargs grep -lE 'vector_size|__builtin_shuf|_Pragma')
    named=$(echo "$vectors" | sed -n 's|.*/\(.*\.h\)$|#include "\1"|p')
    kernels=$(echo "$sources" | grep -E '^(libcommon|formats|tools)/.*\.c$' | xargs grep -lFe "$named" | cat - <(echo "$vectors" | grep '\.c$') | sort -u)
    [ -n "$kernels" ] || kernels='there are none'
    result "sources of vectors compile by clang too" "$(MAKEFLAGS= make --no-print-directory -s -k front-end CC=clang FRONT_END="$(echo $kernels)" 2>&1 | grep -E 'error|warning|\*\*\*' | head -n 5)"
fi
echo "1..$count"
exit $bad
