cd-broad | cd-view --check
