// Eigenvalues and Cholesky of libcommon/math/cd_dense.h against closed forms and constructed spectra.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "cd_random.h"
#include "cd_test.h"

#include <stdlib.h>

enum { MOST = 40, LARGE = 150 };

// a := Q diag(spectrum) Q' with Q a product of random reflections I - 2 v v'.
static void build(cd_random *random, int n, const double *spectrum, double *a)
{
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i * n + i] = spectrum[i];
    for (int k = 0; k < 3; k++) {
        double v[LARGE], length = 0;
        for (int i = 0; i < n; i++) {
            v[i] = cd_random_between(random, -1, 1);
            length += v[i] * v[i];
        }
        for (int side = 0; side < 2; side++)  // columns, then rows
            for (int j = 0; j < n; j++) {
                double dot = 0;
                for (int i = 0; i < n; i++)
                    dot += v[i] * (side ? a[j * n + i] : a[i * n + j]);
                for (int i = 0; i < n; i++)
                    *(side ? &a[j * n + i] : &a[i * n + j]) -= 2 * dot / length * v[i];
            }
    }
}

CD_TEST(closed_forms)
{
    double two[4] = {2, 1, 1, 2}, value[3];
    cd_symmetric_eigenvalues(2, two, value);
    CD_CHECK_NEAR(value[0], 1, 1e-15);
    CD_CHECK_NEAR(value[1], 3, 1e-15);
    double three[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2};  // 2 - 2 cos(k pi / 4)
    cd_symmetric_eigenvalues(3, three, value);
    CD_CHECK_NEAR(value[0], 2 - sqrt(2), 1e-14);
    CD_CHECK_NEAR(value[1], 2, 1e-14);
    CD_CHECK_NEAR(value[2], 2 + sqrt(2), 1e-14);
    double zero[4] = {0};
    cd_symmetric_eigenvalues(2, zero, value);
    CD_CHECK(value[0] == 0 && value[1] == 0 && cd_semidefinite_rank(2, value) == 0);
    CD_CHECK(cd_semidefinite_rank(0, value) == 0);
}

CD_TEST(built_spectra_come_back)
{
    cd_random random = {7};
    for (int trial = 0; trial < 60; trial++) {
        int n = 1 + (int)(cd_random_unit(&random) * MOST), rank = 0;
        double spectrum[MOST], a[MOST * MOST], value[MOST];
        for (int i = 0; i < n; i++)
            spectrum[i] = cd_random_unit(&random) < 0.3 ? 0 : pow(10, cd_random_between(&random, -6, 2));
        build(&random, n, spectrum, a);
        for (int i = 0; i < n; i++)  // rounding left it a little unsymmetric
            for (int j = 0; j < i; j++)
                a[i * n + j] = a[j * n + i];
        cd_symmetric_eigenvalues(n, a, value);
        for (int i = 0; i < n; i++)  // insertion sort of the wanted spectrum
            for (int j = i; j > 0 && spectrum[j - 1] > spectrum[j]; j--) {
                double t = spectrum[j];
                spectrum[j] = spectrum[j - 1];
                spectrum[j - 1] = t;
            }
        for (int i = 0; i < n; i++) {
            rank += spectrum[i] > 0;
            CD_CHECK_NEAR(value[i], spectrum[i], 1e-13 * spectrum[n - 1]);
        }
        CD_CHECK(cd_semidefinite_rank(n, value) == rank);
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Beyond 48 rows the matrix is reduced to tridiagonal form: errors are those of the largest eigenvalue.
CD_TEST(large_matrices)
{
    enum { N = LARGE };
    cd_random random = {19};
    double *a = calloc(N * N, sizeof *a), value[N], spectrum[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = i == j ? 2 : abs(i - j) == 1 ? -1 : 0;
    cd_symmetric_eigenvalues(N, a, value);
    for (int i = 0; i < N; i++)
        CD_CHECK_NEAR(value[i], 2 - 2 * cos((i + 1) * 3.141592653589793 / (N + 1)), 1e-13);
    memset(a, 0, N * N * sizeof *a);
    cd_symmetric_eigenvalues(N, a, value);
    CD_CHECK(value[0] == 0 && value[N - 1] == 0);
    for (int trial = 0; trial < 4; trial++) {
        int rank = 0;
        for (int i = 0; i < N; i++) {
            spectrum[i] = cd_random_unit(&random) < 0.4 ? 0 : pow(10, cd_random_between(&random, -4, 2));
            rank += spectrum[i] > 0;
        }
        build(&random, N, spectrum, a);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                a[j * N + i] = a[i * N + j];
        cd_symmetric_eigenvalues(N, a, value);
        qsort(spectrum, N, sizeof *spectrum, compare);
        for (int i = 0; i < N; i++)
            CD_CHECK_NEAR(value[i], spectrum[i], 1e-11);
        CD_CHECK(cd_semidefinite_rank(N, value) == rank);
    }
    free(a);
}

CD_TEST(cholesky_solves_and_refuses)
{
    double a[9] = {4, 2, -2, 2, 5, 1, -2, 1, 6}, l[9], x[3] = {4, 9, 6}, b[3] = {4, 9, 6};
    memcpy(l, a, sizeof l);
    CD_CHECK(cd_cholesky_factor(3, l));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += l[3 * i + k] * l[3 * j + k];
            CD_CHECK_NEAR(sum, a[3 * i + j], 1e-14);
        }
    cd_cholesky_forward(3, l, x);
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k <= i; k++)
            sum += l[3 * i + k] * x[k];
        CD_CHECK_NEAR(sum, b[i], 1e-14);
    }
    double indefinite[4] = {1, 2, 2, 1}, none[1] = {NAN};
    CD_CHECK(!cd_cholesky_factor(2, indefinite));
    CD_CHECK(!cd_cholesky_factor(1, none));
    double rounded[9], singular[4] = {1, 1, 1, 1 - 0x1p-52}, zero[1] = {0};
    memcpy(rounded, a, sizeof rounded);
    cd_cholesky_factor_rounded(3, rounded);
    CD_CHECK(!memcmp(rounded, l, sizeof l));  // where nothing is lost, the same
    cd_cholesky_factor_rounded(2, singular);
    CD_CHECK(singular[0] == 1 && singular[2] == 1 && singular[3] == 0x1p-25);
    cd_cholesky_factor_rounded(1, zero);
    CD_CHECK(zero[0] > 0);
}

int main(void)
{
    CD_RUN(closed_forms);
    CD_RUN(built_spectra_come_back);
    CD_RUN(large_matrices);
    CD_RUN(cholesky_solves_and_refuses);
    return cd_test_done();
}
