// friction_bench -- solvers of contacts with friction of other libraries behind one interface, for pipelines/bench-lcp.
// SPDX-License-Identifier: MIT
#ifndef FRICTION_BENCH_H
#define FRICTION_BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct friction_matrix {
    int rows, columns, count;
    const int *row, *col;  // of each entry, no place twice
    const double *value;
} friction_matrix;

// Both forms of coulomb.h, with d = 3.
typedef struct friction_case {
    int contacts, velocities;
    friction_matrix M, J, W;
    const double *f, *w;  // of the global form
    const double *q;      // of the reduced form: u = W r + q
    const double *mu;
} friction_case;

typedef struct friction_peer {
    const char *name, *library, *what;
    const char *law;  // "cone", or "box": each tangent by itself at most mu times the normal impulse
    // Makes its own form of the problem, which is not charged, solves it into r (3 numbers a contact, 0 before), and
    // returns the CPU seconds of that.
    double (*solve)(const friction_case *p, double *r);
} friction_peer;

extern const friction_peer friction_peers_siconos[];  // each ends with a NULL name
extern const friction_peer friction_peers_dart[];

double friction_cpu_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
