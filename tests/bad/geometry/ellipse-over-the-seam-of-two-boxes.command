cd-loop -q -j --until 1 | jq -e -s '[.[] | select(.type == "body" and .id == 3) | .velocity[0]] | min > 0.999999 and length > 40' >last
