// SPDX-License-Identifier: MIT
#include "cd_dense.h"

#include "cd_memory.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

// Column j of the factor, its pivot at least `least`. False: the pivot is not above 0.
static bool factor_column(ptrdiff_t n, double *a, ptrdiff_t j, double least)
{
    for (ptrdiff_t i = j; i < n; i++) {
        double sum = a[i * n + j];
        for (ptrdiff_t k = 0; k < j; k++)
            sum -= a[i * n + k] * a[j * n + k];
        if (i > j)
            a[i * n + j] = sum / a[j * n + j];
        else if (sum > 0 || least > 0)
            a[j * n + j] = sqrt(sum > least ? sum : least);
        else
            return false;
    }
    return true;
}

bool cd_cholesky_factor(int32_t n, double *a)
{
    for (int32_t j = 0; j < n; j++)
        if (!factor_column(n, a, j, 0))
            return false;
    return true;
}

// The upper triangle still has the matrix, so the row's part left of the diagonal is read from its column there.
void cd_cholesky_factor_rounded(int32_t n, double *a)
{
    const double rounding = 0x1p-50;
    for (ptrdiff_t j = 0; j < n; j++) {
        double largest = fabs(a[j * n + j]);
        for (ptrdiff_t k = 0; k < n; k++)
            if (k != j)
                largest = fmax(largest, fabs(k < j ? a[k * n + j] : a[j * n + k]));
        factor_column(n, a, j, fmax(rounding * largest, DBL_MIN));
    }
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

static void eigenvalues_by_rotations(ptrdiff_t n, double *a, double *eigenvalue)
{
    enum { MAX_SWEEPS = 60 };  // convergence is quadratic after a few sweeps; the bound only guards against NaN
    double norm = 0;
    for (ptrdiff_t i = 0; i < n * n; i++)
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
}

// q := A v / h for the leading k x k block, from its lower triangle; then q := q - (v' q / 2 h) v.
static void reflected(ptrdiff_t n, ptrdiff_t k, const double *a, const double *v, double h, double *q)
{
    double product = 0;
    for (ptrdiff_t i = 0; i < k; i++) {
        const double *row = a + i * n;
        double sum = row[i] * v[i];
        for (ptrdiff_t j = 0; j < i; j++) {
            sum += row[j] * v[j];
            q[j] += row[j] * v[i];
        }
        q[i] = sum;
    }
    for (ptrdiff_t i = 0; i < k; i++) {
        q[i] /= h;
        product += v[i] * q[i];
    }
    for (ptrdiff_t i = 0; i < k; i++)
        q[i] -= product / (2 * h) * v[i];
}

// Householder's reduction to tridiagonal form, from the last row up: a reflection 1 - v v' / h of the first k
// components leaves of row k its entry k - 1 alone. d: diagonal, e[k]: entry (k, k - 1). q: room for n.
static void tridiagonalise(ptrdiff_t n, double *a, double *d, double *e, double *q)
{
    for (ptrdiff_t k = n - 1; k > 0; k--) {
        double *v = a + k * n, scale = 0, sum = 0;
        d[k] = v[k];
        for (ptrdiff_t j = 0; j < k; j++)
            scale = fmax(scale, fabs(v[j]));
        e[k] = v[k - 1];
        if (k == 1 || !(scale > 0))
            continue;
        for (ptrdiff_t j = 0; j < k; j++) {
            v[j] /= scale;
            sum += v[j] * v[j];
        }
        double g = v[k - 1] > 0 ? -sqrt(sum) : sqrt(sum), h = sum - v[k - 1] * g;
        e[k] = scale * g;
        v[k - 1] -= g;
        reflected(n, k, a, v, h, q);
        for (ptrdiff_t i = 0; i < k; i++) {
            double *row = a + i * n;
            for (ptrdiff_t j = 0; j <= i; j++)
                row[j] -= v[i] * q[j] + q[i] * v[j];
        }
    }
    d[0] = a[0];
}

// Implicit QL steps with Wilkinson's shift on a tridiagonal matrix; e[k] couples k - 1 and k on entry. The diagonal
// becomes the eigenvalues. (Golub & Van Loan 8.3.)
static void diagonalise(ptrdiff_t n, double *d, double *e)
{
    enum { MAX_STEPS = 60 };  // about 2 an eigenvalue are needed; the bound only guards against NaN
    for (ptrdiff_t k = 1; k < n; k++)
        e[k - 1] = e[k];
    e[n - 1] = 0;
    for (ptrdiff_t low = 0; low < n; low++)
        for (int step = 0; step < MAX_STEPS; step++) {
            ptrdiff_t high = low;
            while (high < n - 1 && fabs(e[high]) > 0x1p-53 * (fabs(d[high]) + fabs(d[high + 1])))
                high++;
            if (high == low)
                break;
            double shift = (d[low + 1] - d[low]) / (2 * e[low]), r = hypot(shift, 1);
            double g = d[high] - d[low] + e[low] / (shift + (shift < 0 ? -r : r)), s = 1, c = 1, p = 0;
            ptrdiff_t i = high - 1;
            for (; i >= low; i--) {
                double f = s * e[i], b = c * e[i];
                r = hypot(f, g);
                e[i + 1] = r;
                if (r == 0) {  // the matrix splits here
                    d[i + 1] -= p;
                    e[high] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
            }
            if (i >= low)
                continue;
            d[low] -= p;
            e[low] = g;
            e[high] = 0;
        }
}

// Rotations cost about 8 sweeps of 4 n^3, the reduction 4/3 n^3: from here on that counts more than the accuracy of the
// small eigenvalues.
static const int32_t rotations_most = 48;

void cd_symmetric_eigenvalues(int32_t n, double *a, double *eigenvalue)
{
    if (n <= rotations_most) {
        eigenvalues_by_rotations(n, a, eigenvalue);
    } else {
        double *couplings = cd_alloc(2 * (size_t)n * sizeof *couplings);
        tridiagonalise(n, a, eigenvalue, couplings, couplings + n);
        diagonalise(n, eigenvalue, couplings);
        cd_free(couplings);
    }
    qsort(eigenvalue, (size_t)n, sizeof *eigenvalue, compare_double);
}

int32_t cd_semidefinite_rank(int32_t n, const double *eigenvalue)
{
    int32_t rank = 0;
    while (rank < n && eigenvalue[n - 1 - rank] > n * 0x1p-46 * eigenvalue[n - 1])
        rank++;
    return rank;
}
