cd-lcp -s qp -j | grep -q '"status":"solved"'
