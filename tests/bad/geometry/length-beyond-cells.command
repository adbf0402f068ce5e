cd-step | cd-view --check
