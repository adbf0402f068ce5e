cd-peg-assemble
