// The grid of shards: cells without gaps or overlaps, reference points, the seal.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_shards.h"
#include "cd_test.h"

static bool range_has(const cd_shard_grid *grid, cd_shard_range range, int32_t index)
{
    int32_t cell[3];
    memcpy(cell, range.low, sizeof cell);
    do
        if (cd_shard_grid_index(grid, cell) == index)
            return true;
    while (cd_shard_range_next(&range, grid->dim, cell));
    return false;
}

CD_TEST(cells_of_a_line)
{
    cd_shard_grid grid = {.dim = 2, .count = {4, 1}, .min = {0, 0}, .max = {4, 1}};
    struct {
        double x;
        int32_t cell;
    } known[] = {{-1, 0}, {0, 0},  {nextafter(1, 0), 0}, {1, 1},       {3.5, 3},
                 {4, 3},  {99, 3}, {-INFINITY, 0},       {INFINITY, 3}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        CD_CHECK(cd_shard_grid_cell(&grid, (double[]){known[i].x, 0.5}) == known[i].cell);
}

CD_TEST(an_axis_without_length_has_two_cells_at_most)
{
    cd_shard_grid grid = {.dim = 2, .count = {4, 2}, .min = {1, 0}, .max = {1, 1}};
    CD_CHECK(cd_shard_grid_cell(&grid, (double[]){0.5, 0}) == 0);
    CD_CHECK(cd_shard_grid_cell(&grid, (double[]){1, 0}) == 3);
    CD_CHECK(cd_shard_grid_cell(&grid, (double[]){2, 1}) == 7);
}

// Of two boxes that meet, touching ones too, the reference point's cell is among the cells of both.
CD_TEST(shards_of_pairs_have_both_bodies)
{
    cd_random random = {7};
    for (int i = 0; i < 100000; i++) {
        cd_shard_grid grid = {.dim = 3};
        double min[2][3], max[2][3];
        bool meet = true;
        for (int k = 0; k < 3; k++) {
            grid.count[k] = 1 + (int32_t)(7 * cd_random_unit(&random));
            grid.min[k] = 0.1 * k;
            grid.max[k] = 0.1 * k + cd_random_unit(&random);
            for (int side = 0; side < 2; side++) {
                double x = cd_random_unit(&random) * 1.4 - 0.2;
                if (i % 3 == 0)  // on a cut
                    x = grid.min[k] + (grid.max[k] - grid.min[k]) * floor(x * grid.count[k]) / grid.count[k];
                min[side][k] = i % 17 == side ? -INFINITY : x;
                max[side][k] = x + (i % 5 == 0 ? 0 : 0.5 * cd_random_unit(&random));
            }
            meet = meet && fmax(min[0][k], min[1][k]) <= fmin(max[0][k], max[1][k]);
        }
        if (!meet)
            continue;
        const bool moving[] = {false, false}, first_is_fixed[] = {true, false}, last_is_fixed[] = {false, true};
        int32_t cell = cd_shard_of_pair(&grid, (const double *const[]){min[0], min[1]}, moving);
        CD_CHECK(cell == cd_shard_of_pair(&grid, (const double *const[]){min[1], min[0]}, moving));
        for (int side = 0; side < 2; side++) {
            const double *sides[] = {min[side], min[1 - side]};
            CD_CHECK(cd_shard_of_pair(&grid, sides, first_is_fixed) == cd_shard_grid_cell(&grid, min[1 - side]));
            CD_CHECK(cd_shard_of_pair(&grid, sides, last_is_fixed) == cd_shard_grid_cell(&grid, min[side]));
        }
        for (int side = 0; side < 2; side++)
            CD_CHECK(range_has(&grid, cd_shard_grid_range(&grid, min[side], max[side]), cell));
    }
}

CD_TEST(seals_add_up_in_any_order_and_see_every_number)
{
    int64_t id[] = {5, 9};
    double position[] = {1, 2, 3, 4}, rotation[] = {0.5, 0};
    cd_body_rows body = {.count = 2, .id = id, .position = position, .rotation = rotation};
    int64_t forth = cd_shard_seal(cd_shard_seal(0, &body, 2, 0), &body, 2, 1);
    CD_CHECK(forth == cd_shard_seal(cd_shard_seal(0, &body, 2, 1), &body, 2, 0));
    CD_CHECK(forth >= 0 && forth < INT64_C(1) << 53);
    int64_t second = cd_shard_seal(0, &body, 2, 1);
    body.rotation = NULL;  // absent: not turned
    CD_CHECK(second == cd_shard_seal(0, &body, 2, 1));
    rotation[1] = -0.0;
    body.rotation = rotation;
    CD_CHECK(second == cd_shard_seal(0, &body, 2, 1));
    position[3] = nextafter(4, 5);
    CD_CHECK(second != cd_shard_seal(0, &body, 2, 1));
    position[3] = 4;
    id[1] = 10;
    CD_CHECK(second != cd_shard_seal(0, &body, 2, 1));
}

int main(void)
{
    CD_RUN(cells_of_a_line);
    CD_RUN(an_axis_without_length_has_two_cells_at_most);
    CD_RUN(shards_of_pairs_have_both_bodies);
    CD_RUN(seals_add_up_in_any_order_and_see_every_number);
    return cd_test_done();
}
