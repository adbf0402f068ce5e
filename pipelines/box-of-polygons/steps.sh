#!/usr/bin/env bash
# From the metrics of a run (JSON-lines on FILE) to a table, a line a step:
#   overlap, overlap made by a release [m^2], least gap [m], traps, 1 when an I-constraint is there, solver, its status
set -euo pipefail
jq -r 'if .type == "metric" then "\(.name)\t\(.value)" elif .type == "solution" then "solver\t\(.solver // "none")\t\(.status)"
       elif .type == "fend" then "fend" else empty end' "$1" |
    awk -F'\t' -v OFS='\t' '
        $1 == "solver" { solver = $2; status = $3; next }
        $1 == "fend" {
            if ("overlap" in v) print v["overlap"], v["overlap-released"] + 0, ("gap" in v) ? v["gap"] : "-", v["traps"] + 0, v["needs-peg"] + 0, solver, status
            split("", v); solver = status = "-"; next
        }
        { v[$1] = $2 }'
