cd-loop -q -j --frames 9 | jq -e -s '[.[] | select(.type == "verdict")] | length == 8 and (map(.round) | max < 5)' >last
