cd-broad | cd-overlap-metric
