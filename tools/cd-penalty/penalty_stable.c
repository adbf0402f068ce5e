// SPDX-License-Identifier: MIT
#include "penalty_stable.h"

#include "cd_dense.h"

enum { N = CD_PENALTY_SIDES };

double cd_penalty_stable_step(cd_penalty_sums most)
{
    // The other form of the root: without cancellation, and right for omega = 0.
    double d = most.damping;
    return 4 / (sqrt(d * d + 4 * most.stiffness) + d);
}

// ---- a rigid body --------------------------------------------------------------------------------------------------

// L^T of the body's J^-1 = L L^T.
static cd_mat3 root_of_inverse_inertia(const cd_model *in, int32_t body)
{
    if (in->dim == 2)
        return (cd_mat3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 1 / sqrt(in->body.inertia[body])}}};
    const double *inertia = in->body.inertia + 6 * (size_t)body;
    cd_quat rotation = cd_body_start3(in, body).rotation;
    double a[9];
    for (int k = 0; k < 3; k++) {
        cd_vec3 column = cd_spin_of_momentum3(inertia, rotation, (cd_vec3){k == 0, k == 1, k == 2});
        memcpy(a + 3 * k, (double[]){column.x, column.y, column.z}, 3 * sizeof *a);
    }
    (void)cd_cholesky_factor(3, a);  // an inertia that is none has been refused
    return (cd_mat3){{{a[0], a[3], a[6]}, {0, a[4], a[7]}, {0, 0, a[8]}}};
}

void cd_penalty_block_open(cd_penalty_block *block, const cd_model *in, int32_t body)
{
    *block = (cd_penalty_block){
        .dim = in->dim, .mass_root = 1 / sqrt(in->body.mass[body]), .spin_root = root_of_inverse_inertia(in, body)};
}

// M^-1/2 [e; arm x e].
static void root_along(const cd_penalty_block *block, cd_vec3 arm, cd_vec3 e, double g[N])
{
    cd_vec3 shift = cd_scale3(block->mass_root, e);
    cd_vec3 turn = cd_mat3_apply(&block->spin_root, cd_cross3(arm, e));
    memcpy(g, (double[]){shift.x, shift.y, shift.z, turn.x, turn.y, turn.z}, N * sizeof *g);
}

// On and above the diagonal.
static void add_square(double *s, const double g[N], double factor)
{
    for (int i = 0; i < N && factor != 0; i++) {
        double part = factor * g[i];
        for (int k = i; k < N; k++)
            s[N * i + k] += part * g[k];
    }
}

void cd_penalty_block_add(cd_penalty_block *block, cd_vec3 arm, cd_vec3 normal, cd_penalty_pull springs,
                          cd_penalty_pull dampers)
{
    // across (I - n n') + along n n'
    double g[N];
    for (int k = 0; k < block->dim && (springs.across > 0 || dampers.across > 0); k++) {
        root_along(block, arm, (cd_vec3){k == 0, k == 1, k == 2}, g);
        add_square(block->stiffness, g, springs.across);
        add_square(block->damping, g, dampers.across);
    }
    root_along(block, arm, normal, g);
    add_square(block->stiffness, g, springs.along - springs.across);
    add_square(block->damping, g, dampers.along - dampers.across);
}

void cd_penalty_block_turn(cd_penalty_block *block, cd_vec3 normal, cd_penalty_pull springs, cd_penalty_pull dampers)
{
    for (int k = block->dim == 2 ? 2 : 0; k < 4; k++) {  // the axes of the world, then the normal
        cd_vec3 turn = cd_mat3_apply(&block->spin_root, k < 3 ? (cd_vec3){k == 0, k == 1, k == 2} : normal);
        const double g[N] = {0, 0, 0, turn.x, turn.y, turn.z};
        add_square(block->stiffness, g, k < 3 ? springs.across : springs.along - springs.across);
        add_square(block->damping, g, k < 3 ? dampers.across : dampers.along - dampers.across);
    }
}

static void square(const double *s, double *of)
{
    for (int i = 0; i < N; i++)
        for (int k = i; k < N; k++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += s[N * i + j] * s[N * k + j];
            of[N * i + k] = of[N * k + i] = sum;
        }
}

static double largest(const double *s)
{
    double a[N * N], b[N * N], trace = 0, sum = 0;
    for (int i = 0; i < N; i++)
        trace += s[(N + 1) * i];
    if (!(trace > 0))
        return 0;
    for (int i = 0; i < N; i++)
        for (int k = i; k < N; k++)
            a[N * i + k] = a[N * k + i] = s[N * i + k] / trace;
    square(a, b);  // S^2, S^4, S^8
    square(b, a);
    square(a, b);
    for (int i = 0; i < N * N; i++)
        sum += b[i] * b[i];
    return trace * sqrt(sqrt(sqrt(sqrt(sum))));
}

cd_penalty_sums cd_penalty_block_most(const cd_penalty_block *block)
{
    return (cd_penalty_sums){largest(block->stiffness), largest(block->damping)};
}
