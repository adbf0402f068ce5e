#!/usr/bin/env bash
# From the metrics of a run (JSON-lines on FILE) to a table, a line a step (or a part of a halved one):
#   overlap, overlap made by a release [m^2, in space m^3], least gap [m], traps, 1 when an I-constraint is there, solver, its status,
#   rounds, 1 when another than the first kind of attempt was accepted, 1 when the motion was scaled back, change of energy [J], 1 when a
#   corner was cut
set -euo pipefail
jq -r 'if .type == "metric" then "\(.name)\t\(.value)" elif .type == "solution" then "solver\t\(.solver // "none")\t\(.status)"
       elif .type == "fend" then "fend" else empty end' "$1" |
    awk -F'\t' -v OFS='\t' '
        $1 == "solver" { solver = $2; status = $3; next }
        $1 == "fend" {
            if ("overlap" in v) print v["overlap"], v["overlap-released"] + 0, ("gap" in v) ? v["gap"] : "-", v["traps"] + 0, v["needs-peg"] + 0, solver, status,
                ("rounds" in v) ? v["rounds"] : 1, v["fallback"] + 0, ("motion-scale" in v) + 0, ("energy-change" in v) ? v["energy-change"] : "-", v["cut-corner"] + 0
            split("", v); solver = status = "-"; next
        }
        { v[$1] = $2 }'
