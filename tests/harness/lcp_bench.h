// lcp_bench -- complementarity solvers of other libraries behind one interface, for pipelines/bench-lcp.
// SPDX-License-Identifier: MIT
#ifndef LCP_BENCH_H
#define LCP_BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lcp_peer {
    const char *name, *library;
    const char *fits;  // as lcp_bench.c says
    const char *what;
    // The form that the solver wants the matrix in, which is made before the clock starts: its diagonal times 1 +
    // softness, rows padded to four numbers, columns in the place of rows.
    double softness;
    int is_padded, is_by_columns;
    void (*solve)(int n, double *M, double *q, double *z);  // M and q may be overwritten
} lcp_peer;

static inline int lcp_peer_stride(const lcp_peer *peer, int n)
{
    return peer->is_padded && n > 1 ? (n + 3) / 4 * 4 : n;
}

extern const lcp_peer lcp_peers_siconos[];  // each ends with a NULL name
extern const lcp_peer lcp_peers_dart[];

#ifdef __cplusplus
}
#endif
#endif
