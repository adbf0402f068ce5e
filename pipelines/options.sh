# SPDX-License-Identifier: MIT
# options.sh -- how the scripts of pipelines/ read their options; they source it.
#
#   read_options "NAME..." ARGUMENTS...
#
# Each `--NAME VALUE` sets the variable NAME, dashes as underscores. -h and --help print the script's own head from its line `usage:` to the end
# of that comment. What is not among the names, and an option without a value, ends the script with 2.
read_options() {
    local names=" $1 " script=${0##*/} name
    shift
    while [ $# -gt 0 ]; do
        case $1 in -h | --help) sed -n '/^#   usage: /,/^[^#]/{/^#/!q;s/^# \{0,3\}//;p}' "$0" && exit 0 ;; esac
        name=${1#--}
        [[ $1 == --?* && $name != *' '* && $names == *" $name "* ]] || { echo "$script: $1: unknown option; see --help" >&2 && exit 2; }
        [ $# -gt 1 ] || { echo "$script: $1: a value is missing" >&2 && exit 2; }
        declare -g "${name//-/_}=$2"
        shift 2
    done
}
