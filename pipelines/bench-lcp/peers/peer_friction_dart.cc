// DART's copy of ODE's Dantzig solver with friction as ODE and DART use it: boxes, whose size goes by the normal
// impulses of a first solution. Redundant contacts make the matrix singular, so its diagonal is 1e-9 stiffer.
// SPDX-License-Identifier: MIT
#include "friction_bench.h"

#include <dart/external/odelcpsolver/common.h>
#include <dart/external/odelcpsolver/lcp.h>
#include <limits>
#include <vector>

static double dantzig(const friction_case *p, double *r)
{
    const int n = 3 * p->contacts, skip = ((n - 1) | 3) + 1;  // its rows are padded to four
    std::vector<double> A(static_cast<size_t>(n) * skip), b(n), w(n), low(n, 0), high(n, std::numeric_limits<double>::infinity());
    std::vector<int> friction(n, -1);
    for (int k = 0; k < p->W.count; k++)
        A[static_cast<size_t>(p->W.row[k]) * skip + p->W.col[k]] += p->W.value[k] * (p->W.row[k] == p->W.col[k] ? 1 + 1e-9 : 1);
    for (int i = 0; i < n; i++) {
        b[i] = -p->q[i];
        if (i % 3 == 0)
            continue;
        friction[i] = i - i % 3;
        high[i] = p->mu[i / 3];
        low[i] = -high[i];
    }
    const double start = friction_cpu_seconds();
    dart::external::ode::dSolveLCP(n, A.data(), r, b.data(), w.data(), 0, low.data(), high.data(), friction.data(), true);
    return friction_cpu_seconds() - start;
}

extern "C" const friction_peer friction_peers_dart[] = {
    {"dart-dantzig", "DART", "Dantzig's pivoting, friction in boxes, diagonal times 1 + 1e-9", "box", dantzig},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
