#!/usr/bin/env bash
# What shells complete after the names of tools, made of their --json-usage (one option a line): words of choices, files elsewhere.
#   usage: completion.sh FOLDER TOOL...    writes FOLDER/bash/cd-NAME, FOLDER/zsh/_cd-NAME and FOLDER/fish/cd-NAME.fish for each TOOL (a path)
# SPDX-License-Identifier: MIT
set -euo pipefail

# options_of TOOL: NAME, LETTER, TYPE, ARGUMENT, WORDS and HELP of each option with tabs between, - where it has none.
options_of() {
    "$1" --json-usage | awk -v OFS='\t' '
        function text(key,    found) {
            if (!match($0, "\"" key "\": \"([^\"\\\\]|\\\\.)*\"")) return "-"
            found = substr($0, RSTART + length(key) + 5, RLENGTH - length(key) - 6)
            gsub(/\\"/, "\"", found)
            gsub(/\\\\/, "\\", found)
            return found
        }
        function words(    found) {
            if (!match($0, /"words": \[[^]]*\]/)) return "-"
            found = substr($0, RSTART + 10, RLENGTH - 11)
            gsub(/[",]+ */, " ", found)
            gsub(/  +/, " ", found)
            gsub(/^ | $/, "", found)
            return found
        }
        /^  \{"name": / { print text("name"), text("letter"), text("type"), text("argument"), words(), text("help"); count++ }
        END { exit !count }'
}

# of_SHELL TOOL: a file of completions from the options on standard input.
of_bash() {
    awk -F'\t' -v tool="$1" '
        { all = all " --" $1 }
        $5 != "-" { cases = cases "    --" $1 ($2 != "-" ? " | -" $2 : "") ") words=\"" $5 "\" ;;\n" }
        END {
            name = "_" tool
            gsub(/-/, "_", name)
            print "# bash completion of " tool "; where nothing is said, bash completes names of files"
            print name "() {"
            print "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words="
            print "    # readline makes three words of --name=value"
            print "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi"
            print "    case $prev in"
            printf "%s", cases
            print "    *) [[ $cur != -* ]] || words=\"" substr(all, 2) "\" ;;"
            print "    esac"
            print "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
            print "}"
            print "complete -o bashdefault -o default -F " name " " tool
        }'
}

of_zsh() {
    awk -F'\t' -v tool="$1" -v quote="'" '
        BEGIN { print "#compdef " tool; print "_arguments -s -S \\" }
        {
            help = $6
            gsub(/\\|\[|\]|:/, "\\\\&", help)
            gsub(quote, quote "\\" quote quote, help)
            is_flag = $3 == "flag"
            long = "--" $1 (is_flag ? "" : "=")
            option = $2 == "-" ? quote long : quote "(-" $2 " --" $1 ")" quote "{-" $2 (is_flag ? "" : "+") "," long "}" quote
            value = is_flag ? "" : ":" $1 ":" ($5 != "-" ? "(" $5 ")" : "_files")
            print "    " option "[" help "]" value quote " \\"
        }
        END { print "    " quote "*:file:_files" quote }'
}

of_fish() {
    awk -F'\t' -v tool="$1" -v quote="'" '
        {
            help = $6
            gsub(/\\/, "\\\\", help)
            gsub(quote, "\\" quote, help)
            value = $3 == "flag" ? "" : $5 != "-" ? " -x -a " quote $5 quote : " -r -F"
            print "complete -c " tool ($2 != "-" ? " -s " $2 : "") " -l " $1 value " -d " quote help quote
        }'
}

folder=$1
shift
mkdir -p "$folder"/{bash,zsh,fish}
for path in "$@"; do
    tool=${path##*/}
    options=$(options_of "$path")
    of_bash "$tool" <<<"$options" >"$folder/bash/$tool"
    of_zsh "$tool" <<<"$options" >"$folder/zsh/_$tool"
    of_fish "$tool" <<<"$options" >"$folder/fish/$tool.fish"
done
