cd-broad | cd-narrow
