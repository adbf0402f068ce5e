cd-loop -q -j --frames 2 | jq -e -s '[.[] | select(.type == "verdict")] | length == 1 and .[0].round < 2' >last
