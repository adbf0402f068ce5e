// SPDX-License-Identifier: MIT
#include "cd_dense.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

bool cd_cholesky_factor(int32_t n, double *a)
{
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (ptrdiff_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i > j)
                a[i * n + j] = sum / a[j * n + j];
            else if (sum > 0)
                a[j * n + j] = sqrt(sum);
            else
                return false;
        }
    return true;
}

void cd_cholesky_forward(int32_t n, const double *factor, double *x)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        for (ptrdiff_t k = 0; k < i; k++)
            x[i] -= factor[i * n + k] * x[k];
        x[i] /= factor[i * n + i];
    }
}

// The rotation by t = tan(angle) that makes a_pq zero: t is the smaller root of t^2 + 2 theta t - 1 = 0 with
// theta = (a_qq - a_pp) / (2 a_pq). Rows first, then columns, then the 2 x 2 block exactly.
static void rotate(ptrdiff_t n, double *a, ptrdiff_t p, ptrdiff_t q)
{
    double apq = a[p * n + q], theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (ptrdiff_t k = 0; k < n; k++) {
        if (k == p || k == q)
            continue;
        double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = a[p * n + k] = c * kp - s * kq;
        a[k * n + q] = a[q * n + k] = s * kp + c * kq;
    }
    a[p * n + p] -= t * apq;
    a[q * n + q] += t * apq;
    a[p * n + q] = a[q * n + p] = 0;
}

static int compare_double(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void cd_symmetric_eigenvalues(int32_t n, double *a, double *eigenvalue)
{
    enum { MAX_SWEEPS = 60 };  // convergence is quadratic after a few sweeps; the bound only guards against NaN
    double norm = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++)
        norm = fmax(norm, fabs(a[i]));
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool is_diagonal = true;
        for (ptrdiff_t p = 0; p < n; p++)
            for (ptrdiff_t q = p + 1; q < n; q++) {
                // Negligible beside both diagonals (relative accuracy of small eigenvalues) or beside underflow of the
                // norm.
                double scale = sqrt(fabs(a[p * n + p])) * sqrt(fabs(a[q * n + q]));
                if (fabs(a[p * n + q]) <= 0x1p-53 * fmax(scale, 0x1p-20 * norm))
                    continue;
                rotate(n, a, p, q);
                is_diagonal = false;
            }
        if (is_diagonal)
            break;
    }
    for (ptrdiff_t i = 0; i < n; i++)
        eigenvalue[i] = a[i * n + i];
    qsort(eigenvalue, (size_t)n, sizeof *eigenvalue, compare_double);
}

int32_t cd_semidefinite_rank(int32_t n, const double *eigenvalue)
{
    int32_t rank = 0;
    while (rank < n && eigenvalue[n - 1 - rank] > n * 0x1p-46 * eigenvalue[n - 1])
        rank++;
    return rank;
}
