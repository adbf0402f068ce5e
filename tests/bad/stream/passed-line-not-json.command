cd-overlap-metric
