cd-broad | cd-narrow | cd-peg-assemble
