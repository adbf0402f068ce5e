#!/usr/bin/env bash
# The lists of methods in manuals, anew from the --help of their tools (make fields; tests/bats/docs.bats looks whether it was done).
# A list stands between `.\" TOOL TITLE: begin` and `.\" TOOL TITLE: end` and is the one that TOOL --help heads with TITLE.
#   usage: lists.sh MANUAL...      rewrites them in place; the tools are on the PATH
# SPDX-License-Identifier: MIT
set -euo pipefail

# list_of TOOL TITLE: names with two spaces in front are its items; deeper lines say one thing of them each, word by word.
list_of() {
    "$1" --help | awk -v title="$2" '
        function sentence(text) { text = toupper(substr(text, 1, 1)) substr(text, 2); return text (text ~ /\.$/ ? "" : ".") }
        /^[^ ]/ || /^$/ { if (inside) print ".El"; inside = 0 }
        index($0, title) == 1 { print ".Bl -tag -width Ds"; inside = found = 1; next }
        !inside { next }
        { first = $1; text = $0; sub(/^ *[^ ]+ +/, "", text) }
        /^  [a-z]/ { print ".It Cm " first; print sentence(text); next }
        { print ".br"; print toupper(substr(first, 1, 1)) substr(first, 2) ": " text "." }
        END { exit !found }'
}

for page in "$@"; do
    sed -nE 's/^\.\\" (cd-[a-z-]+ [A-Z][a-z]*): begin$/\1/p' "$page" | while read -r tool title; do
        list_of "$tool" "$title" >"$page.list"
        mark="^\\.\\\\\" $tool $title: "
        sed -i -e "/${mark}begin\$/,/${mark}end\$/{/$mark/!d}" -e "/${mark}begin\$/r $page.list" "$page"
        rm "$page.list"
    done
done
