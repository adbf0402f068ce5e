cd-lcp --warm
