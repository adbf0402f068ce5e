// DART's copy of ODE's Dantzig solver (dSolveLCP): symmetric matrices, w = A x - b.
// SPDX-License-Identifier: MIT
#include "lcp_bench.h"

#include <dart/external/odelcpsolver/common.h>
#include <dart/external/odelcpsolver/lcp.h>
#include <limits>
#include <vector>

static void solve(int n, double *M, double *q, double *z)
{
    std::vector<double> b(n), w(n), low(n, 0), high(n, std::numeric_limits<double>::infinity());
    std::vector<int> friction(n, -1);
    for (int i = 0; i < n; i++)
        b[i] = -q[i];
    dart::external::ode::dSolveLCP(n, M, z, b.data(), w.data(), 0, low.data(), high.data(), friction.data(), false);
}

// Redundant contacts make the matrix singular, which this solver is not made for: DART and ODE soften the constraints a
// little.
extern "C" const lcp_peer lcp_peers_dart[] = {
    {"dart-dantzig", "DART", "dense symmetric", "Dantzig's principal pivoting, symmetric matrices", 0, 1, 0, solve},
    {"dart-dantzig-soft", "DART", "dense symmetric", "the same, diagonal times 1 + 1e-9", 1e-9, 1, 0, solve},
    {nullptr, nullptr, nullptr, nullptr, 0, 0, 0, nullptr},
};
