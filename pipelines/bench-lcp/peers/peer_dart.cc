// DART's copy of ODE's Dantzig solver (dSolveLCP): symmetric matrices, w = A x - b.
// SPDX-License-Identifier: MIT
#include "lcp_bench.h"

#include <dart/external/odelcpsolver/common.h>
#include <dart/external/odelcpsolver/lcp.h>
#include <limits>
#include <vector>

static void solve(double softness, int n, double *M, double *q, double *z)
{
    const int skip = n > 1 ? ((n - 1) | 3) + 1 : n;  // its rows are padded to four
    std::vector<double> A(static_cast<size_t>(n) * skip), b(n), w(n), low(n, 0), high(n, std::numeric_limits<double>::infinity());
    std::vector<int> friction(n, -1);
    for (int i = 0; i < n; i++) {
        b[i] = -q[i];
        for (int j = 0; j < n; j++)
            A[static_cast<size_t>(i) * skip + j] = M[static_cast<size_t>(i) * n + j] * (i == j ? 1 + softness : 1);
    }
    dart::external::ode::dSolveLCP(n, A.data(), z, b.data(), w.data(), 0, low.data(), high.data(), friction.data(), false);
}

static void dantzig(int n, double *M, double *q, double *z) { solve(0, n, M, q, z); }

// Redundant contacts make the matrix singular, which this solver is not made for: DART and ODE soften the constraints a little.
static void soft_dantzig(int n, double *M, double *q, double *z) { solve(1e-9, n, M, q, z); }

extern "C" const lcp_peer lcp_peers_dart[] = {
    {"dart-dantzig", "DART", "dense symmetric", "Dantzig's principal pivoting, symmetric matrices", dantzig},
    {"dart-dantzig-soft", "DART", "dense symmetric", "the same, diagonal times 1 + 1e-9", soft_dantzig},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
