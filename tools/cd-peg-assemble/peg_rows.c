// SPDX-License-Identifier: MIT
#include "peg_rows.h"

#include "cd_assert.h"
#include "cd_dense.h"

typedef struct builder {
    int axes;
    cd_peg_row *row;
    int32_t row_count;
    int32_t *entry_row, *entry_col;
    double *value;
    int32_t entry_count, entry_capacity;
} builder;

static void put(builder *build, int32_t row, int32_t col, double value)
{
    if (value == 0)
        return;
    CD_ASSERT(build->entry_count < build->entry_capacity);
    build->entry_row[build->entry_count] = row;
    build->entry_col[build->entry_count] = col;
    build->value[build->entry_count++] = value;
}

// The row of G' (velocity columns) and, for an impulse, the column of G beside it.
static void put_gradient(builder *build, int32_t row, const cd_peg_gradient *gradient, bool has_column)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < build->axes && gradient->block[side] >= 0; k++) {
            int32_t velocity = gradient->block[side] * build->axes + k;
            put(build, row, velocity, gradient->column[side][k]);
            if (has_column)
                put(build, velocity, row, gradient->column[side][k]);
        }
}

// Gap rate of the primary less that of a secondary. Both contacts are of one pair of bodies and written from a to b,
// whichever gives the vertex, so their columns subtract as they stand.
static cd_peg_gradient difference(const cd_peg_gradient *primary, const cd_peg_gradient *secondary, int axes)
{
    cd_peg_gradient result = *primary;
    CD_ASSERT(primary->block[0] == secondary->block[0] && primary->block[1] == secondary->block[1]);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < axes; k++)
            result.column[side][k] -= secondary->column[side][k];
    result.psi -= secondary->psi;
    return result;
}

// What is added to the gap rates of a constraint when it is not stabilised: see the header.
static double raise_of(const cd_peg_constraint *constraint, const int32_t *member, const cd_peg_gradient *contact,
                       bool stabilize)
{
    double largest = -INFINITY;
    for (int32_t i = 0; i < constraint->count; i++)
        largest = fmax(largest, contact[member[i]].psi);
    return stabilize ? 0 : fmax(-largest, 0);
}

static void put_velocities(builder *build, const cd_peg_bodies *bodies)
{
    int axes = bodies->axes;
    for (int32_t body = 0; body < bodies->count; body++)
        for (int k = 0; k < axes; k++) {
            int32_t row = body * axes + k;
            build->row[row] = (cd_peg_row){CD_PEG_VELOCITY, body, k, -1, -1, bodies->momentum[row]};
            for (int l = 0; l < axes; l++)
                put(build, row, body * axes + l,
                    -bodies->mass[((size_t)body * (size_t)axes + (size_t)k) * (size_t)axes + (size_t)l]);
        }
    build->row_count = bodies->count * axes;
}

// A stable counting sort by row: the builder puts the entries of each row with ascending columns.
static void sort_entries(builder *build, cd_arena *arena)
{
    int32_t n = build->entry_count, *next = CD_ARENA_ZARRAY(arena, int32_t, (size_t)build->row_count + 1);
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, n), *col = CD_ARENA_ARRAY(arena, int32_t, n);
    double *value = CD_ARENA_ARRAY(arena, double, n);
    for (int32_t i = 0; i < n; i++)
        next[build->entry_row[i] + 1]++;
    for (int32_t i = 0; i < build->row_count; i++)
        next[i + 1] += next[i];
    for (int32_t i = 0; i < n; i++) {
        int32_t k = next[build->entry_row[i]]++;
        row[k] = build->entry_row[i];
        col[k] = build->entry_col[i];
        value[k] = build->value[i];
    }
    build->entry_row = row;
    build->entry_col = col;
    build->value = value;
}

static builder builder_make(const cd_peg_bodies *bodies, const cd_peg_constraints *constraints, cd_arena *arena)
{
    size_t axes = (size_t)bodies->axes, rows = (size_t)bodies->count * axes, entries = rows * axes;
    for (int32_t i = 0; i < constraints->count; i++) {
        size_t members = (size_t)constraints->constraint[i].count;
        rows += members;
        entries += 4 * axes + (members - 1) * (2 * axes + 1) + (members - 1) * members / 2;
    }
    CD_ASSERT(rows < INT32_MAX && entries < INT32_MAX);
    return (builder){.axes = bodies->axes,
                     .row = CD_ARENA_ARRAY(arena, cd_peg_row, rows),
                     .entry_row = CD_ARENA_ARRAY(arena, int32_t, entries),
                     .entry_col = CD_ARENA_ARRAY(arena, int32_t, entries),
                     .value = CD_ARENA_ARRAY(arena, double, entries),
                     .entry_capacity = (int32_t)entries};
}

cd_peg_problem cd_peg_assemble(const cd_peg_bodies *bodies, const cd_peg_gradient *contact,
                               const cd_peg_constraints *constraints, bool stabilize, cd_arena *arena)
{
    builder build = builder_make(bodies, constraints, arena);
    put_velocities(&build, bodies);
    int32_t velocity_count = build.row_count, impulse = velocity_count, slack = velocity_count + constraints->count;
    for (int32_t i = 0; i < constraints->count; i++, impulse++) {  // constraints come as U, I, X: so do their impulses
        const cd_peg_constraint *constraint = &constraints->constraint[i];
        const int32_t *member = constraints->member + constraint->first;
        const cd_peg_gradient *primary = &contact[member[0]];
        double rhs = primary->psi + raise_of(constraint, member, contact, stabilize);
        build.row[impulse] = (cd_peg_row){CD_PEG_IMPULSE, -1, -1, member[0], i, rhs};
        put_gradient(&build, impulse, primary, true);
        int32_t first_slack = slack;
        for (int32_t s = 1; s < constraint->count; s++, slack++) {
            cd_peg_gradient d = difference(primary, &contact[member[s]], bodies->axes);
            build.row[slack] = (cd_peg_row){CD_PEG_SLACK, -1, -1, member[s], i, d.psi};
            put_gradient(&build, slack, &d, false);
            put(&build, impulse, slack, 1);  // E_I2
            for (int32_t c = first_slack; c <= slack; c++)
                put(&build, slack, c, 1);  // E_I1
        }
    }
    build.row_count = slack;
    sort_entries(&build, arena);
    return (cd_peg_problem){slack, velocity_count, constraints->count, build.row,
                            build.entry_count, build.entry_row, build.entry_col, build.value};
}

cd_peg_conditioning cd_peg_condition(const cd_peg_bodies *bodies, const cd_peg_gradient *contact,
                                     const cd_peg_problem *problem, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int axes = bodies->axes;
    int32_t n = problem->impulse_count;
    const cd_peg_row *row = problem->row + problem->velocity_count;
    // With M = L L', W = H' H where H = L^-1 G: symmetric to the last bit.
    double (*h)[2][CD_PEG_AXES_MAX] = cd_arena_zalloc(scratch, (size_t)n * sizeof *h);
    for (int32_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            const cd_peg_gradient *gradient = &contact[row[i].contact];
            double factor[CD_PEG_AXES_MAX * CD_PEG_AXES_MAX];
            if (gradient->block[side] < 0)
                continue;
            size_t square = (size_t)axes * (size_t)axes;
            memcpy(factor, bodies->mass + (size_t)gradient->block[side] * square, square * sizeof *factor);
            CD_ASSERT(cd_cholesky_factor(axes, factor));
            memcpy(h[i][side], gradient->column[side], (size_t)axes * sizeof(double));
            cd_cholesky_forward(axes, factor, h[i][side]);
        }
    double *w = CD_ARENA_ZARRAY(scratch, double, (size_t)n * (size_t)n);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int p = 0; p < 2; p++)
                for (int q = 0; q < 2; q++) {
                    int32_t block = contact[row[i].contact].block[p];
                    for (int k = 0; k < axes && block >= 0 && block == contact[row[j].contact].block[q]; k++)
                        sum += h[i][p][k] * h[j][q][k];
                }
            w[(size_t)i * (size_t)n + (size_t)j] = w[(size_t)j * (size_t)n + (size_t)i] = sum;
        }
    double *eigenvalue = CD_ARENA_ARRAY(scratch, double, n);
    cd_symmetric_eigenvalues(n, w, eigenvalue);
    cd_peg_conditioning result = {.size = n, .rank = cd_semidefinite_rank(n, eigenvalue)};
    if (result.rank)
        result.condition = eigenvalue[n - 1] / eigenvalue[n - result.rank];
    cd_arena_rewind(scratch, mark);
    return result;
}
