cd-view --max-line=1024
