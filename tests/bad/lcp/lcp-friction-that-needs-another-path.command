cd-broad | cd-narrow | cd-peg-assemble | cd-lcp -j | grep -q '"status":"solved"'
