// SPDX-License-Identifier: MIT
#include "peg_rows.h"

#include "cd_assert.h"
#include "cd_dense.h"

// A column of G, the numbers of a row of G' too.
typedef struct column {
    const int32_t *block;                   // [2]
    const double (*part)[CD_PEG_AXES_MAX];  // [2]; NULL: none
} column;

// Entries of velocity rows are the columns' and the masses', and are made when all columns are known; those of all
// other rows come one by one, mostly in order.
typedef struct builder {
    int axes;
    cd_peg_row *row;
    int32_t row_count, velocities;
    column *column;  // by row behind the velocities
    int32_t *entry_row, *entry_col;
    double *value;
    int32_t entry_count, entry_capacity, last_row;  // without those of velocity rows
    bool is_in_order;
} builder;

// What is zero is written over by what follows: no branch that hangs on numbers.
static void put(builder *build, int32_t row, int32_t col, double value)
{
    int32_t n = build->entry_count;
    CD_ASSERT(n <= build->entry_capacity);
    build->is_in_order = build->is_in_order && build->last_row <= row;
    build->last_row = row;
    build->entry_row[n] = row;
    build->entry_col[n] = col;
    build->value[n] = value;
    build->entry_count = n + (value != 0);
}

// The row of G' (velocity columns, ascending: a contact made by hand may have its bodies in any order), the column of
// G.
static void put_row(builder *build, int32_t row, column g)
{
    int first = g.block[0] > g.block[1];
    for (int i = 0; i < 2; i++) {
        int side = i ? 1 - first : first;
        for (int k = 0; k < build->axes && g.block[side] >= 0; k++)
            put(build, row, g.block[side] * build->axes + k, g.part[side][k]);
    }
}

// Borrowed until the end.
static void put_column(builder *build, int32_t col, column g) { build->column[col - build->velocities] = g; }

static column column_of(const cd_peg_gradient *gradient) { return (column){gradient->block, gradient->column}; }
static column impulse_of(const cd_peg_gradient *gradient)
{
    return (column){gradient->block, gradient->impulse ? gradient->impulse : gradient->column};
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
    result.rate -= secondary->rate;
    return result;
}

// What is added to the gap rates of a constraint when it is not stabilised: see the header.
static double raise_of(const cd_peg_constraint *constraint, const int32_t *member, const cd_peg_gradient *contact,
                       bool stabilize)
{
    double largest = -INFINITY;
    for (int32_t i = 0; i < constraint->count; i++)
        largest = fmax(largest, contact[member[i]].rate);
    return stabilize ? 0 : fmax(-largest, 0);
}

static void put_velocities(builder *build, const cd_peg_bodies *bodies)
{
    int axes = bodies->axes;
    for (int32_t body = 0; body < bodies->count; body++)
        for (int k = 0; k < axes; k++) {
            int32_t row = body * axes + k;
            build->row[row] = (cd_peg_row){.role = CD_PEG_VELOCITY,
                                           .block = body,
                                           .axis = k,
                                           .contact = -1,
                                           .constraint = -1,
                                           .rhs = bodies->momentum[row]};
        }
    build->row_count = build->velocities;
}

// Entries of one row after those of another.
typedef struct entries {
    int32_t *row, *col;
    double *value;
} entries;

static entries entries_make(cd_arena *arena, size_t count)
{
    return (entries){CD_ARENA_ARRAY(arena, int32_t, count), CD_ARENA_ARRAY(arena, int32_t, count),
                     CD_ARENA_ARRAY(arena, double, count)};
}

// The columns that a velocity block is in, ascending.
typedef struct block_columns {
    int32_t *first;  // by block, and the end
    int32_t *col;
    const double **part;
} block_columns;

static block_columns columns_by_block(const builder *build, cd_arena *arena)
{
    const int32_t columns = build->row_count - build->velocities, blocks = build->velocities / build->axes;
    int32_t *next = CD_ARENA_ZARRAY(arena, int32_t, (size_t)blocks + 2);
    for (int32_t i = 0; i < columns; i++)
        for (int side = 0; side < 2 && build->column[i].part; side++)
            if (build->column[i].block[side] >= 0)
                next[build->column[i].block[side] + 2]++;
    for (int32_t i = 0; i < blocks; i++)
        next[i + 2] += next[i + 1];
    const int32_t count = next[blocks + 1];
    block_columns of = {next, CD_ARENA_ARRAY(arena, int32_t, count), CD_ARENA_ARRAY(arena, const double *, count)};
    next++;
    for (int32_t i = 0; i < columns; i++)
        for (int side = 0; side < 2 && build->column[i].part; side++)
            if (build->column[i].block[side] >= 0) {
                int32_t place = next[build->column[i].block[side]]++;
                of.col[place] = build->velocities + i;
                of.part[place] = build->column[i].part[side];
            }
    return of;
}

// Writes the entries of velocity rows from their end on, down to where the first one is: its place. Zeros as in `put`.
static int32_t write_velocities(const builder *build, const double *mass, const entries *out, int32_t end,
                                cd_arena *arena)
{
    const int axes = build->axes;
    const block_columns of = columns_by_block(build, arena);
    int32_t n = end - 1;
    for (int32_t row = build->velocities - 1; row >= 0; row--) {
        const int32_t block = row / axes, k = row % axes;
        for (int32_t i = of.first[block + 1] - 1; i >= of.first[block]; i--) {
            out->row[n] = row;
            out->col[n] = of.col[i];
            out->value[n] = of.part[i][k];
            n -= of.part[i][k] != 0;
        }
        for (int l = axes - 1; l >= 0; l--) {
            const double value = -mass[(size_t)row * (size_t)axes + (size_t)l];
            out->row[n] = row;
            out->col[n] = block * axes + l;
            out->value[n] = value;
            n -= value != 0;
        }
    }
    return n + 1;
}

// A stable counting sort by row of the entries that came one by one.
static void sort_others(const builder *build, cd_arena *arena)
{
    int32_t n = build->entry_count, *next = CD_ARENA_ZARRAY(arena, int32_t, (size_t)build->row_count + 1);
    entries own = {build->entry_row, build->entry_col, build->value}, copy = entries_make(arena, (size_t)n);
    memcpy(copy.row, own.row, (size_t)n * sizeof *own.row);
    memcpy(copy.col, own.col, (size_t)n * sizeof *own.col);
    memcpy(copy.value, own.value, (size_t)n * sizeof *own.value);
    for (int32_t i = 0; i < n; i++)
        next[copy.row[i] + 1]++;
    for (int32_t i = 0; i < build->row_count; i++)
        next[i + 1] += next[i];
    for (int32_t i = 0; i < n; i++) {
        int32_t k = next[copy.row[i]]++;
        own.row[k] = copy.row[i];
        own.col[k] = copy.col[i];
        own.value[k] = copy.value[i];
    }
}

// room: for the entries of velocity rows, in front of the others.
static void finish(const builder *build, const double *mass, int32_t room, cd_arena *arena, cd_peg_problem *problem)
{
    const entries all = {build->entry_row - room, build->entry_col - room, build->value - room};
    if (!build->is_in_order)
        sort_others(build, arena);
    const int32_t first = write_velocities(build, mass, &all, room, arena);
    CD_ASSERT(first > 0);
    problem->entry_count = room - first + build->entry_count;
    problem->entry_row = all.row + first;
    problem->entry_col = all.col + first;
    problem->value = all.value + first;
}

// Rows of friction that a contact adds to the problem.
static size_t friction_rows(const cd_peg_friction *friction)
{
    switch (friction ? friction->kind : CD_PEG_FRICTION_OFF) {
    case CD_PEG_FRICTION_PYRAMID:
        return (size_t)friction->sides + 1;
    case CD_PEG_FRICTION_DISC:
        return (size_t)friction->tangents + (friction->has_rolling ? CD_PEG_TURNS_MAX : 0);
    case CD_PEG_FRICTION_OFF:
        break;
    }
    return 0;
}

// Rows and entries at most; room: for those of velocity rows, in front of the others.
static cd_status builder_make(const cd_peg_linearised *linearised, cd_arena *arena, builder *build, int32_t *room,
                              cd_diag *diag)
{
    const cd_peg_bodies *bodies = linearised->bodies;
    const cd_peg_constraints *constraints = linearised->constraints;
    const cd_peg_friction *friction = linearised->friction;
    size_t axes = (size_t)bodies->axes, rows = (size_t)bodies->count * axes, velocities = rows;
    size_t first = rows * axes + 1, others = 0;  // one more each, for a zero behind the last entry
    for (int32_t i = 0; i < constraints->count; i++) {
        size_t members = (size_t)constraints->constraint[i].count, many = (size_t)constraints->constraint[i].primaries;
        size_t extra = many > 1 ? many + 1 : 0;  // slacks d and e
        size_t tangential = constraints->constraint[i].kind == CD_PEG_X ? 0 : many * friction_rows(friction);
        rows += many + members - 1 + extra + tangential;
        first += (many + tangential) * 2 * axes;
        others += many * (2 * axes + members) + (members - 1) * (2 * axes + members) +
                  extra * (2 * axes + members + 1) + tangential * (2 * axes + 3);
    }
    if (rows >= INT32_MAX || first + others >= INT32_MAX)
        return cd_fail(diag, CD_ERR_LIMIT, "contact: the problem has %zu rows, more than can be numbered", rows);
    entries all = entries_make(arena, first + others + 1);
    *room = (int32_t)first;
    *build = (builder){.axes = bodies->axes,
                       .row = CD_ARENA_ARRAY(arena, cd_peg_row, rows),
                       .velocities = (int32_t)velocities,
                       .column = CD_ARENA_ZARRAY(arena, column, rows - velocities),
                       .entry_row = all.row + first,
                       .entry_col = all.col + first,
                       .value = all.value + first,
                       .entry_capacity = (int32_t)others,
                       .is_in_order = true};
    return CD_OK;
}

// The rows of one constraint: `impulse` is that of its first primary, `slack` its first.
typedef struct place {
    int32_t constraint, impulse, slack;
} place;

// S_last of (21): the primary's rate is in the row already, here the ones over all slacks c.
static void put_maximum(builder *build, int32_t row, const place *begin, int32_t slacks)
{
    for (int32_t s = 0; s < slacks; s++)
        put(build, row, begin->slack + s, 1);
}

static void put_constraint(builder *build, const cd_peg_gradient *contact, const cd_peg_constraints *constraints,
                           bool stabilize, const place *begin)
{
    const cd_peg_constraint *constraint = &constraints->constraint[begin->constraint];
    const int32_t *member = constraints->member + constraint->first;
    const cd_peg_gradient *primary = &contact[member[0]];
    int32_t slacks = constraint->count - 1, many = constraint->primaries, depth = begin->slack + slacks;
    double raise = raise_of(constraint, member, contact, stabilize);
    for (int32_t j = 0; j < many; j++) {
        int32_t row = begin->impulse + j;
        build->row[row] = (cd_peg_row){.role = CD_PEG_IMPULSE,
                                       .block = -1,
                                       .axis = -1,
                                       .contact = member[j],
                                       .constraint = begin->constraint,
                                       .rhs = primary->rate + raise};
        put_row(build, row, column_of(primary));
        put_column(build, row, impulse_of(&contact[member[j]]));
        put_maximum(build, row, begin, slacks);  // E_I2
        if (many > 1)
            put(build, row, depth + j, 1);  // (23)
    }
    cd_peg_row slack = {.role = CD_PEG_SLACK, .block = -1, .axis = -1, .constraint = begin->constraint};
    for (int32_t s = 1; s <= slacks; s++) {
        cd_peg_gradient d = difference(primary, &contact[member[s]], build->axes);
        slack.contact = member[s];
        slack.rhs = d.rate;
        build->row[begin->slack + s - 1] = slack;
        put_row(build, begin->slack + s - 1, column_of(&d));
        put_maximum(build, begin->slack + s - 1, begin, s);  // E_I1
    }
    for (int32_t j = 0; j < many && many > 1; j++) {  // (22)
        slack.contact = member[j];
        slack.rhs = contact[member[j]].rate + raise;
        build->row[depth + j] = slack;
        put_row(build, depth + j, column_of(&contact[member[j]]));
        put(build, depth + j, depth + j, 1);
    }
    if (many > 1) {  // (21)
        slack.contact = member[0];
        slack.rhs = primary->rate + raise;
        build->row[depth + many] = slack;
        put_row(build, depth + many, column_of(primary));
        put_maximum(build, depth + many, begin, slacks);
        put(build, depth + many, depth + many, -1);
    }
}

static int32_t slacks_of(const cd_peg_constraint *constraint)
{
    return constraint->count - 1 + (constraint->primaries > 1 ? constraint->primaries + 1 : 0);
}

// ---- friction ------------------------------------------------------------------------------------------------------

// The slip along cos(angle) t_1 + sin(angle) t_2 as the gradient of a contact. @owns arena
static const cd_peg_gradient *slip_along(const cd_peg_gradient *contact, const cd_peg_tangent *tangent, int axes,
                                         const double unit[2], cd_arena *arena)
{
    cd_peg_gradient *slip = CD_ARENA_ARRAY(arena, cd_peg_gradient, 1);
    *slip = (cd_peg_gradient){.block = {contact->block[0], contact->block[1]}};
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < axes; k++)
            slip->column[side][k] = unit[0] * tangent->column[0][side][k] + unit[1] * tangent->column[1][side][k];
    return slip;
}

// Direction number k of n, half a turn from k + n / 2 to the bit.
static void direction(int k, int n, double unit[2])
{
    int half = k % (n / 2);
    double sign = k < n / 2 ? 1 : -1, angle = 2 * M_PI * half / n;
    unit[0] = sign * (4 * half == n ? 0 : cos(angle));
    unit[1] = sign * (half ? sin(angle) : 0);
}

// Rows of one normal impulse, from build->row_count on: along both tangents, or in all directions of a pyramid.
static void put_friction(builder *build, const cd_peg_gradient *contact, const cd_peg_friction *friction,
                         int32_t normal, cd_arena *arena)
{
    bool is_disc = friction->kind == CD_PEG_FRICTION_DISC;
    int32_t index = build->row[normal].contact, first = build->row_count;
    const cd_peg_tangent *tangent = &friction->tangent[index];
    int count = is_disc ? friction->tangents : friction->sides;
    int32_t slip_row = first + count;
    for (int k = 0; k < count; k++) {
        double unit[2] = {k == 0, k == 1};
        column slip = {contact[index].block, tangent->column[k & is_disc]};
        if (!is_disc) {
            direction(k, count, unit);
            slip = column_of(slip_along(&contact[index], tangent, build->axes, unit, arena));
        }
        build->row[first + k] = (cd_peg_row){.role = CD_PEG_FRICTION,
                                             .block = -1,
                                             .axis = -1,
                                             .contact = index,
                                             .constraint = build->row[normal].constraint,
                                             .rhs = unit[0] * tangent->rate[0] + unit[1] * tangent->rate[1],
                                             .is_disc = is_disc,
                                             .normal_row = normal,
                                             .mu = tangent->mu};
        put_row(build, first + k, slip);
        put_column(build, first + k, slip);
        if (!is_disc)
            put(build, first + k, slip_row, 1);
    }
    build->row_count = slip_row;
    if (is_disc)
        return;
    build->row[slip_row] = (cd_peg_row){
        .role = CD_PEG_SLIP, .block = -1, .axis = -1, .contact = index, .constraint = build->row[normal].constraint};
    put(build, slip_row, normal, tangent->mu);
    for (int k = 0; k < count; k++)
        put(build, slip_row, first + k, -1);
    build->row_count++;
}

// The rows of one disc against turning: axes first .. first + count - 1, at most `length` times the normal impulse.
static void put_turning(builder *build, const cd_peg_gradient *contact, const cd_peg_tangent *tangent, int32_t normal,
                        cd_peg_row as, int first, int count)
{
    as.block = as.axis = -1;
    as.contact = build->row[normal].contact;
    as.constraint = build->row[normal].constraint;
    as.is_disc = true;
    as.normal_row = normal;
    for (int k = first; k < first + count && as.mu > 0; k++) {
        column turn = {contact->block, tangent->turn[k]};
        as.rhs = tangent->turn_rate[k];
        build->row[build->row_count] = as;
        put_row(build, build->row_count, turn);
        put_column(build, build->row_count, turn);
        build->row_count++;
    }
}

// All friction of one normal impulse.
static void put_frictions(builder *build, const cd_peg_gradient *contact, const cd_peg_friction *friction,
                          int32_t normal, cd_arena *arena)
{
    int32_t index = build->row[normal].contact;
    const cd_peg_tangent *tangent = &friction->tangent[index];
    if (tangent->mu > 0)
        put_friction(build, contact, friction, normal, arena);
    if (!friction->has_rolling)
        return;
    put_turning(build, &contact[index], tangent, normal, (cd_peg_row){.role = CD_PEG_ROLLING, .mu = tangent->rolling},
                0, friction->tangents);
    put_turning(build, &contact[index], tangent, normal, (cd_peg_row){.role = CD_PEG_SPINNING, .mu = tangent->spinning},
                friction->tangents, friction->tangents - 1);
}

cd_status cd_peg_assemble(const cd_peg_linearised *linearised, cd_arena *arena, cd_peg_problem *problem, cd_diag *diag)
{
    const cd_peg_constraints *constraints = linearised->constraints;
    const cd_peg_friction *friction = linearised->friction;
    builder build = {0};
    int32_t room = 0;
    CD_TRY(builder_make(linearised, arena, &build, &room, diag));
    put_velocities(&build, linearised->bodies);
    int32_t velocities = build.row_count, impulses = 0;
    for (int32_t i = 0; i < constraints->count; i++)
        impulses += constraints->constraint[i].primaries;
    place begin = {0, velocities, velocities + impulses};
    for (; begin.constraint < constraints->count; begin.constraint++) {  // U, I, X: so do their impulses come
        const cd_peg_constraint *constraint = &constraints->constraint[begin.constraint];
        put_constraint(&build, linearised->contact, constraints, linearised->stabilize, &begin);
        begin.impulse += constraint->primaries;
        begin.slack += slacks_of(constraint);
    }
    build.row_count = begin.slack;
    for (int32_t row = velocities; row < velocities + impulses && friction_rows(friction); row++)
        if (constraints->constraint[build.row[row].constraint].kind != CD_PEG_X)
            put_frictions(&build, linearised->contact, friction, row, arena);
    *problem = (cd_peg_problem){
        .row_count = build.row_count, .velocity_count = velocities, .impulse_count = impulses, .row = build.row};
    finish(&build, linearised->bodies->mass, room, arena, problem);
    return CD_OK;
}

// With M = L L', W = H' H where H = L^-1 G has the columns of G turned, body by body.
typedef double turned_column[2][CD_PEG_AXES_MAX];

static void turn_columns(const cd_peg_bodies *bodies, const cd_peg_gradient *const *gradient, int32_t n,
                         turned_column *h)
{
    size_t axes = (size_t)bodies->axes, square = axes * axes;
    for (int32_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            double factor[CD_PEG_AXES_MAX * CD_PEG_AXES_MAX];
            if (gradient[i]->block[side] < 0)
                continue;
            memcpy(factor, bodies->mass + (size_t)gradient[i]->block[side] * square, square * sizeof *factor);
            cd_cholesky_factor_rounded(bodies->axes, factor);  // R J R' of a thin rod need not be definite to the bit
            memcpy(h[i][side], gradient[i]->column[side], axes * sizeof(double));
            cd_cholesky_forward(bodies->axes, factor, h[i][side]);
        }
}

// H' H, symmetric to the last bit.
static void product_by_impulses(int axes, const cd_peg_gradient *const *gradient, int32_t n, turned_column *h,
                                double *w)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int p = 0; p < 2; p++)
                for (int q = 0; q < 2; q++) {
                    int32_t block = gradient[i]->block[p];
                    for (int k = 0; k < axes && block >= 0 && block == gradient[j]->block[q]; k++)
                        sum += h[i][p][k] * h[j][q][k];
                }
            w[(size_t)i * (size_t)n + (size_t)j] = w[(size_t)j * (size_t)n + (size_t)i] = sum;
        }
}

// H H' of the same eigenvalues but for zeros.
static void product_by_velocities(int axes, const cd_peg_gradient *const *gradient, int32_t n, turned_column *h,
                                  size_t size, double *w)
{
    for (int32_t i = 0; i < n; i++)
        for (int p = 0; p < 2; p++)
            for (int q = 0; q < 2; q++) {
                int32_t row = gradient[i]->block[p] * axes, col = gradient[i]->block[q] * axes;
                for (int k = 0; k < axes * axes && row >= 0 && col >= 0; k++)
                    w[(size_t)(row + k / axes) * size + (size_t)(col + k % axes)] +=
                        h[i][p][k / axes] * h[i][q][k % axes];
            }
}

cd_peg_conditioning cd_peg_condition(const cd_peg_bodies *bodies, const cd_peg_gradient *contact,
                                     const cd_peg_problem *problem, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t n = problem->impulse_count, velocities = problem->velocity_count, size = n < velocities ? n : velocities;
    const cd_peg_gradient **gradient = CD_ARENA_ARRAY(scratch, const cd_peg_gradient *, n);
    for (int32_t i = 0; i < n; i++)
        gradient[i] = &contact[problem->row[velocities + i].contact];
    turned_column *h = cd_arena_zalloc(scratch, (size_t)n * sizeof *h);
    double *w = CD_ARENA_ZARRAY(scratch, double, (size_t)size *(size_t)size);
    double *eigenvalue = CD_ARENA_ARRAY(scratch, double, size);
    turn_columns(bodies, gradient, n, h);
    if (size == n)
        product_by_impulses(bodies->axes, gradient, n, h, w);
    else
        product_by_velocities(bodies->axes, gradient, n, h, (size_t)size, w);
    cd_symmetric_eigenvalues(size, w, eigenvalue);
    cd_peg_conditioning result = {.size = n, .rank = cd_semidefinite_rank(size, eigenvalue)};
    if (result.rank)
        result.condition = eigenvalue[size - 1] / eigenvalue[size - result.rank];
    cd_arena_rewind(scratch, mark);
    return result;
}
