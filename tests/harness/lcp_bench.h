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
    void (*solve)(int n, double *M, double *q, double *z);  // M row-major, symmetric or not; M and q may be overwritten
} lcp_peer;

extern const lcp_peer lcp_peers_siconos[];  // each ends with a NULL name
extern const lcp_peer lcp_peers_dart[];

#ifdef __cplusplus
}
#endif
#endif
