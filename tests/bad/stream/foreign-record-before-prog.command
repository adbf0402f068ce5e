cd-broad | cd-step --on-unsolved=free | cd-view | cd-view -j
