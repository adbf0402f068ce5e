cd-loop -q -j --frames 8 | jq -e -s '[.[] | select(.type == "verdict")] | length == 7 and (map(.round) | max < 2)' >last
