cd-step -q
