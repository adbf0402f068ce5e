cd-lcp
