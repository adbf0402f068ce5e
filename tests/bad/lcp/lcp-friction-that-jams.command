cd-lcp -j | grep -q '"status":"solved"'
