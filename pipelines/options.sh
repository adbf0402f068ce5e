# SPDX-License-Identifier: MIT
# options.sh -- how the scripts of pipelines/ read their options; they source it.
#
#   read_options "NAME... +FLAG... :OPERAND" ARGUMENTS...
#
# Each `--NAME VALUE` sets the variable NAME, dashes as underscores, each `--FLAG` the variable FLAG to `yes`; what begins with no dash sets OPERAND.
# -h and --help print the script's own head from its line `usage:` to the end of that comment. What is not among the names, an option
# without a value, a second operand and one that is not asked for end the script with 2.
#
#   is_given FLAG ARGUMENTS...   is --FLAG among them? For defaults that depend on a flag, which are set before the options are read.
read_options() {
    local names=" $1 " script=${0##*/} name operand
    shift
    [[ $names == *' :'* ]] && operand=${names##* :} operand=${operand%% *} || operand=
    while [ $# -gt 0 ]; do
        case $1 in -h | --help) sed -n '/^#   usage: /,/^[^#]/{/^#/!q;s/^# \{0,3\}//;p}' "$0" && exit 0 ;; esac
        name=${1#--}
        if [[ $1 != -* && -n $operand ]]; then
            declare -g "$operand=$1"
            operand=
        elif [[ $1 == --?* && $name != *' '* && $names == *" +$name "* ]]; then
            declare -g "${name//-/_}=yes"
        else
            [[ $1 == --?* && $name != *' '* && $names == *" $name "* ]] || { echo "$script: $1: unknown option; see --help" >&2 && exit 2; }
            [ $# -gt 1 ] || { echo "$script: $1: a value is missing" >&2 && exit 2; }
            declare -g "${name//-/_}=$2"
            shift
        fi
        shift
    done
}

is_given() {
    local flag=--$1
    shift
    [[ " $* " == *" $flag "* ]]
}
