// SPDX-License-Identifier: MIT
#include "cd_perram_lanes.h"

#include "cd_assert.h"

// ---- levels --------------------------------------------------------------------------------------------------------

// A lane that no pair stands in, of those that vectors of so many will read, has the numbers of the last one.
static void fill_up(cd_perram_block *block, int32_t width)
{
    for (int32_t k = block->count; k % width != 0; k++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                block->a[i][j][k] = block->a[i][j][k - 1];
                block->b[i][j][k] = block->b[i][j][k - 1];
            }
            block->between[i][k] = block->between[i][k - 1];
        }
        block->start[k] = block->start[k - 1];
    }
}

void cd_perram_solve(cd_perram_block *block, cd_vector_level most_level)
{
    if (block->count == 0)
        return;
    const cd_vector_level level = cd_vector_detect(most_level);
    fill_up(block, level == CD_VECTOR_AVX512 ? 8 : level == CD_VECTOR_AVX2 ? 4 : WIDTH);
    switch (level) {
#if defined(__x86_64__)
    case CD_VECTOR_AVX512:
        cd_perram_solve_avx512(block);
        return;
    case CD_VECTOR_AVX2:
        cd_perram_solve_avx2(block);
        return;
#endif
    default:
        solve_block(block);
    }
}

// ---- pairs in and out ----------------------------------------------------------------------------------------------

void cd_perram_add(cd_perram_block *block, const cd_ellipsoid *a, const cd_ellipsoid *b, double start)
{
    CD_ASSERT(block->count < CD_PERRAM_LANES);
    const int32_t k = block->count++;
    cd_half_axes of_a = cd_ellipsoid_half_axes(a), of_b = cd_ellipsoid_half_axes(b);
    cd_vec3 between = cd_sub3(b->centre, a->centre);
    const bool is_flipped = cd_half_axes_are_swapped(&of_a, &of_b, between);
    const cd_half_axes *first = is_flipped ? &of_b : &of_a, *second = is_flipped ? &of_a : &of_b;
    between = is_flipped ? cd_negate3(between) : between;
    for (int i = 0; i < 3; i++) {
        block->a[i][0][k] = first->axis[i].x;
        block->a[i][1][k] = first->axis[i].y;
        block->a[i][2][k] = first->axis[i].z;
        block->b[i][0][k] = second->axis[i].x;
        block->b[i][1][k] = second->axis[i].y;
        block->b[i][2][k] = second->axis[i].z;
    }
    block->between[0][k] = between.x;
    block->between[1][k] = between.y;
    block->between[2][k] = between.z;
    block->start[k] = is_flipped && start > 0 ? 1 - start : start;
    block->is_flipped[k] = is_flipped;
}

static cd_vec3 vector_of(const double (*p)[CD_PERRAM_LANES], int32_t k) { return (cd_vec3){p[0][k], p[1][k], p[2][k]}; }

cd_perram cd_perram_get(const cd_perram_block *block, int32_t i, cd_vec3 centre_a, cd_vec3 centre_b)
{
    const bool is_flipped = block->is_flipped[i];
    const cd_vec3 first = is_flipped ? centre_b : centre_a, second = is_flipped ? centre_a : centre_b;
    const cd_vec3 from_first = vector_of(block->point_a, i), from_second = vector_of(block->point_b, i);
    const cd_vec3 normal = vector_of(block->normal, i);
    const cd_vec3 point_first = cd_add3(first, from_first), point_second = cd_add3(second, from_second);
    if (cd_dot3(vector_of(block->between, i), vector_of(block->between, i)) == 0) {
        const cd_vec3 nowhere = {NAN, NAN, NAN};
        return (cd_perram){.lambda = NAN,
                           .gap = NAN,
                           .normal = nowhere,
                           .point = centre_a,
                           .point_a = nowhere,
                           .point_b = nowhere,
                           .is_concentric = true};
    }
    const double rest = 1 - block->lambda[i];  // of lambda what a multiple of 2^-53 keeps
    return (cd_perram){.lambda = is_flipped ? rest : 1 - rest,
                       .potential = block->mu[i] * block->mu[i],
                       .mu = block->mu[i],
                       .gap = block->gap[i],
                       .normal = is_flipped ? cd_negate3(normal) : normal,
                       .point = cd_add3(first, cd_scale3(block->mu[i], from_first)),
                       .point_a = is_flipped ? point_second : point_first,
                       .point_b = is_flipped ? point_first : point_second,
                       .iterations = (int32_t)block->iterations[i],
                       .is_concentric = false};
}

cd_perram cd_perram_of(const cd_ellipsoid *a, const cd_ellipsoid *b, double start)
{
    cd_perram_block block;  // most of it is not looked at: it is large to clear
    block.count = 0;
    cd_perram_add(&block, a, b, start);
    cd_perram_solve(&block, CD_VECTOR_PORTABLE);
    return cd_perram_get(&block, 0, a->centre, b->centre);
}

double cd_perram_lambda_along(const cd_ellipsoid *a, const cd_ellipsoid *b, cd_vec3 n)
{
    const cd_half_axes of_a = cd_ellipsoid_half_axes(a), of_b = cd_ellipsoid_half_axes(b);
    const double height_a = cd_half_axes_width(&of_a, n),
                 rest = 1 - height_a / (height_a + cd_half_axes_width(&of_b, n));
    return 1 - rest;  // a multiple of 2^-53
}
