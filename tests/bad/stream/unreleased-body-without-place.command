cd-peg-assemble | cd-lcp | cd-step
