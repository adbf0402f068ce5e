cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step
