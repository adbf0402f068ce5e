// SPDX-License-Identifier: MIT
#include "cone_lagrangian.h"

#include "cd_vector.h"
#include "cone_bracket.h"
#include "cone_product.h"
#include "lcp_lanes.h"
#include "lcp_vector.h"

#include <float.h>
#include <math.h>

#define PENALTY 4e10  // rho; diagonals of H D^-1 H' are near 1
// Softer ones of an approach, of which mostly the last is enough, the rows for each that may still be on the other side
// when the next is taken up, and the factors of each.
static const double softer[] = {1e2, 1e3, 1e4};
enum { SOFT_OTHERS = 64, SOFT_FACTORS = 8 };
// Sweeps of a guess. Instructions of 12 problems of 343 hulls at rest, and 10 as they land, in 1e9: without 2.58 and
// 1.51, with 12 2.19 and 1.20, with 24 2.20 and 1.16; with 24 and no soft factor 2.39 and 1.27.
enum { MEND_SWEEPS = 24 };
// An open row's z - rho (H u + h), in units of the largest q, that no rounding brings to 0.
#define OPEN_LEAST 1e-4
// Multipliers below are looked at more closely: in units of the rounding of rho (H u + h). No row carries less than:
#define SMALL 100
#define CARRIES_LEAST 1e-12
// The first multipliers are not quite 0: rows that neither carry nor open, of which there are many where scenes are
// regular, fall to one side, mostly open, by more than rounding. The larger, the fewer of them come out near the
// boundary, by chance, where the search has to be made anew: of 40 problems of 343 hulls that sway 3 with 1e-3.
#define BIAS 1e-2
#define GOLDEN 0.6180339887498949
// The rest of the equations of u, in units of its rounding: nothing more to be gained.
#define REST_LEAST 8
#define SLOPE_PART 0.5  // of the first slope that a step may leave
enum { PASSES = 3, TRIALS = 12 };
#define OVER 1.3  // successive over-relaxation
// Sweeps before one looks at groups again of which no row carried: of heaps that land most are such.
enum { SWEEPS_A_LOOK = 10 };
// Where all rows change sides at once, those that depend on one another may do so together for ever. Of 32 problems of
// 343 hulls without friction, as they land and 4 s later, the rows of 31 are found from nowhere, with steps as far as
// the slope lets 22.
#define STRONG 0.5  // of the strongest
// Factors that bring no fewer rows on the other side: in all, and before rows change one by one, where they are few,
// which ends without going round.
enum { PATIENCE = 8, SINGLE_PATIENCE = 28, SINGLE_AT = 5, SINGLE_MOST = 10 };

bool cd_cone_lagrangian_takes(const cd_cone_program *p)
{
    bool has_mass = p->cones.count == p->cones.rows && !p->groups.held_first;
    for (int32_t i = 0; i < p->groups.columns && has_mass; i++)
        has_mass = p->D[i] > 0;
    return has_mass;
}

// Successive over-relaxation, in columns that all have D = 1: OVER / (H H') a row each.
typedef struct sweep {
    double *z, *u, *step;
    bool *carries;  // of each group: one of its rows
} sweep;

cd_cone_lagrangian cd_cone_lagrangian_make(cd_cone_system *system, cd_arena *arena)
{
    const cd_cone_program *p = system->p;
    const int32_t rows = p->cones.rows, columns = p->groups.columns;
    cd_cone_lagrangian m = {.system = system,
                            .penalty = PENALTY,
                            .carries = CD_ARENA_ZARRAY(arena, bool, rows),
                            .factored = CD_ARENA_ZARRAY(arena, bool, rows),
                            .changed = CD_ARENA_ZARRAY(arena, bool, p->groups.count)};
    cd_gram_keep(system->gram);
    double **const of_rows[] = {&m.z,      &m.slack,    &m.next,   &m.next_slack,
                                &m.change, &m.at_slack, &m.last_z, &m.last_slack};
    double **const of_columns[] = {&m.u, &m.next_u, &m.du, &m.noise, &m.at_u, &m.last_u};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, rows);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ZARRAY(arena, double, columns);
    memcpy(m.slack, p->h, sizeof *m.slack * (size_t)rows);
    for (int32_t r = 0; r < rows; r++)
        m.z[r] = -BIAS * (0.5 + fmod(GOLDEN * r, 1));
    return m;
}

void cd_cone_lagrangian_factor(cd_cone_lagrangian *m)
{
    const cd_cone_program *p = m->system->p;
    const double root = sqrt(m->penalty);
    const size_t bytes = sizeof *m->carries * (size_t)p->cones.rows;
    const bool is_first = m->factored_penalty != m->penalty;
    if (!is_first && memcmp(m->factored, m->carries, bytes) == 0)
        return;
    for (int32_t g = 0, r = 0; g < p->groups.count; g++) {
        m->changed[g] = is_first;
        for (int32_t end = r + p->groups.height[g]; r < end; r++) {
            if (!is_first && m->factored[r] == m->carries[r])
                continue;
            m->changed[g] = true;
            const double *from = p->H + p->place[r], scale = m->carries[r] ? root : 0;
            double *to = m->system->R + p->place[r];
            for (int32_t k = 0; k < p->stride[r]; k++)
                to[k] = scale * from[k];
        }
    }
    cd_gram_factor_changed(m->system->gram, p->D, m->system->R, m->changed);
    memcpy(m->factored, m->carries, bytes);
    m->factored_penalty = m->penalty;
    m->factors++;
}

// change = what rows push with: next where they carry.
static void mask(cd_cone_lagrangian *m)
{
    for (int32_t r = 0; r < m->system->p->cones.rows; r++)
        m->change[r] = m->carries[r] ? m->next[r] : 0;
}

// du = H'change - D u. Returns whether it is more than rounding, which is found at the first pass of a search.
static bool has_rest(cd_cone_lagrangian *m, bool is_first)
{
    const cd_cone_program *p = m->system->p;
    double largest = 0;
    cd_cone_transposed(&p->groups, p->H, m->change, m->du);
    for (int32_t i = 0; i < p->groups.columns; i++) {
        m->du[i] -= p->D[i] * m->next_u[i];
        largest = cd_larger(largest, fabs(m->du[i]));
    }
    if (is_first)
        return true;
    double most = 0;
    cd_cone_magnitudes(&p->groups, p->H, m->change, m->noise);
    for (int32_t i = 0; i < p->groups.columns; i++)
        most = cd_larger(most, m->noise[i]);
    return largest > REST_LEAST * DBL_EPSILON / 2 * most;
}

void cd_cone_lagrangian_balance(cd_cone_lagrangian *m, int passes)
{
    const cd_cone_program *p = m->system->p;
    const int32_t rows = p->cones.rows;
    memcpy(m->next_u, m->u, sizeof *m->u * (size_t)p->groups.columns);
    memcpy(m->next_slack, m->slack, sizeof *m->slack * (size_t)rows);
    for (int32_t r = 0; r < rows; r++)
        m->next[r] = m->z[r] - m->penalty * m->slack[r];
    mask(m);
    for (int pass = 0; pass < passes && has_rest(m, pass == 0); pass++) {
        cd_gram_solve(m->system->gram, p->D, m->du);
        cd_vector_subtract(m->next_u, -1, m->du, p->groups.columns);
        cd_cone_values(&p->groups, p->H, m->du, m->change);
        cd_vector_subtract(m->next_slack, -1, m->change, rows);
        cd_vector_subtract(m->next, m->penalty, m->change, rows);
        mask(m);
    }
}

// The rows with x > 0. Returns how many of them were others.
static int32_t choose(cd_cone_lagrangian *m, const double *x)
{
    int32_t others = 0;
    for (int32_t r = 0; r < m->system->p->cones.rows; r++) {
        const bool carries = x[r] > 0;
        others += carries != m->carries[r];
        m->carries[r] = carries;
    }
    return others;
}

// The slope of what is made least, towards the balance that was found, at this part of the way. *noise: its rounding.
static double slope_at(const cd_cone_lagrangian *m, double part, double *noise)
{
    const cd_cone_program *p = m->system->p;
    double sum = 0, size = 0;
    for (int32_t i = 0; i < p->groups.columns; i++) {
        const double du = m->next_u[i] - m->at_u[i], term = p->D[i] * (m->at_u[i] + part * du) * du;
        sum += term;
        size += fabs(term);
    }
    for (int32_t r = 0; r < p->cones.rows; r++) {
        const double change = m->next_slack[r] - m->at_slack[r],
                     x = m->z[r] - m->penalty * (m->at_slack[r] + part * change), term = x > 0 ? x * change : 0;
        sum -= term;
        size += fabs(term);
    }
    *noise = DBL_EPSILON * size;
    return sum;
}

// How much of the way to the balance is taken: all, unless the slope would rise too much.
static double length_of(const cd_cone_lagrangian *m)
{
    double noise, at = 1;
    const double first = slope_at(m, 0, &noise);
    double slope = slope_at(m, 1, &noise);
    const double most = -SLOPE_PART * first + noise;
    cd_cone_bracket bracket = {.low = 0, .high = 1, .low_slope = first, .high_slope = slope};
    for (int k = 0; k < TRIALS && !(fabs(slope) <= most) && (k > 0 || slope > 0); k++) {
        at = cd_cone_bracket_next(&bracket);
        slope = slope_at(m, at, &noise);
        cd_cone_bracket_take(&bracket, at, slope);
    }
    return at;
}

// On towards the balance that was found, all the way or as far as the slope lets. False: the rows that carry there are
// those of the balance, which it cannot reach.
static bool move(cd_cone_lagrangian *m, bool is_whole)
{
    const cd_cone_program *p = m->system->p;
    if (is_whole) {
        memcpy(m->at_u, m->next_u, sizeof *m->u * (size_t)p->groups.columns);
        memcpy(m->at_slack, m->next_slack, sizeof *m->slack * (size_t)p->cones.rows);
        return true;
    }
    const double length = length_of(m);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->at_u[i] += length * (m->next_u[i] - m->at_u[i]);
    for (int32_t r = 0; r < p->cones.rows; r++) {
        m->at_slack[r] += length * (m->next_slack[r] - m->at_slack[r]);
        m->change[r] = m->z[r] - m->penalty * m->at_slack[r];
    }
    (void)choose(m, m->change);
    return memcmp(m->carries, m->factored, sizeof *m->carries * (size_t)p->cones.rows) != 0;
}

// Vectors that the columns of a group may fill; wider groups are summed one entry after the other.
enum { VECTORS_MOST = 4 };

// x = u in `count` columns, at most LANES of them; 0 behind.
INLINE void gather(const double *u, const int32_t *col, int32_t count, vec4 *x)
{
    if (count >= LANES)
        *x = (vec4){u[col[0]], u[col[1]], u[col[2]], u[col[3]]};
    else
        *x = (vec4){u[col[0]], count > 1 ? u[col[1]] : 0, count > 2 ? u[col[2]] : 0, 0};
}

INLINE void scatter(const vec4 *x, const int32_t *col, int32_t count, double *u)
{
    _Pragma("GCC unroll 4") for (int i = 0; i < LANES; i++)
    {
        if (i < count)
            u[col[i]] = (*x)[i];
    }
}

// The rows of one group, from row r on; vectors: that its columns fill.
INLINE bool sweep_rows(const cd_cone_program *p, int32_t group, int32_t r, const sweep *s, int vectors)
{
    const int32_t *col = p->groups.col + p->groups.first[group],
                  width = p->groups.first[group + 1] - p->groups.first[group];
    const double *row = p->H + p->groups.place[group];
    vec4 u[VECTORS_MOST] = {{0}};
    bool carries = false, has_changed = false;
    _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) gather(s->u, col + LANES * v, width - LANES * v, u + v);
    for (int32_t end = r + p->groups.height[group]; r < end; r++, row += LANES * vectors) {
        vec4 sum = *(const vec4 *)row * u[0];
        _Pragma("GCC unroll 4") for (int v = 1; v < vectors; v++) sum += *(const vec4 *)(row + LANES * v) * u[v];
        const double value = p->h[r] + ((sum[0] + sum[1]) + (sum[2] + sum[3])),
                     z = cd_larger(0, s->z[r] - s->step[r] * value), change = z - s->z[r];
        carries = carries || z > 0;
        if (change == 0)
            continue;
        s->z[r] = z;
        has_changed = true;
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) u[v] += change * *(const vec4 *)(row + LANES * v);
    }
    if (!has_changed)
        return carries;
    _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) scatter(u + v, col + LANES * v, width - LANES * v, s->u);
    return carries;
}

static bool sweep_wide(const cd_cone_program *p, int32_t group, int32_t r, const sweep *s)
{
    const int32_t *col = p->groups.col + p->groups.first[group],
                  width = p->groups.first[group + 1] - p->groups.first[group];
    bool carries = false;
    for (int32_t end = r + p->groups.height[group]; r < end; r++) {
        const double *row = p->H + p->place[r];
        double value = p->h[r];
        for (int32_t i = 0; i < width; i++)
            value += row[i] * s->u[col[i]];
        const double z = cd_larger(0, s->z[r] - s->step[r] * value), change = z - s->z[r];
        carries = carries || z > 0;
        s->z[r] = z;
        for (int32_t i = 0; i < width && change != 0; i++)
            s->u[col[i]] += change * row[i];
    }
    return carries;
}

// A sweep over the rows of one group, from row r on: z and u = H'z follow what each row lacks. Returns whether any of
// them carries.
INLINE bool sweep_group(const cd_cone_program *p, int32_t group, int32_t r, const sweep *s)
{
    switch (cd_gram_stride(p->groups.first[group + 1] - p->groups.first[group]) / LANES) {
    case 1:
        return sweep_rows(p, group, r, s, 1);
    case 2:
        return sweep_rows(p, group, r, s, 2);
    case 3:
        return sweep_rows(p, group, r, s, 3);
    case 4:
        return sweep_rows(p, group, r, s, 4);
    default:
        return sweep_wide(p, group, r, s);
    }
}

// There and back over all groups, or over those of which a row carried when they were last swept.
CD_VECTOR_CLONES static void sweep_twice(const cd_cone_program *p, const sweep *s, bool is_over_all)
{
    const cd_gram_groups *g = &p->groups;
    int32_t r = p->cones.rows;
    for (int32_t k = g->count - 1; k >= 0; k--) {
        r -= g->height[k];
        if (is_over_all || s->carries[k])
            s->carries[k] = sweep_group(p, k, r, s);
    }
    for (int32_t k = 0; k < g->count; r += g->height[k++]) {
        if (is_over_all || s->carries[k])
            s->carries[k] = sweep_group(p, k, r, s) || s->carries[k];
    }
}

void cd_cone_lagrangian_sweep(cd_cone_lagrangian *m, const double *z, int sweeps)
{
    const cd_cone_program *p = m->system->p;
    const cd_gram_groups *g = &p->groups;
    const sweep s = {.z = m->change, .u = m->du, .step = m->at_slack, .carries = m->changed};
    memcpy(s.z, z, sizeof *z * (size_t)p->cones.rows);
    cd_cone_transposed(g, p->H, s.z, s.u);
    for (int32_t r = 0; r < p->cones.rows; r++) {
        double square = 0;
        for (int32_t i = 0; i < p->stride[r]; i++)
            square += p->H[p->place[r] + i] * p->H[p->place[r] + i];
        s.step[r] = square > 0 ? OVER / square : 0;
    }
    for (int done = 0; done < sweeps; done += 2)
        sweep_twice(p, &s, done % SWEEPS_A_LOOK == 0);
    (void)choose(m, s.z);
}

void cd_cone_lagrangian_approach(cd_cone_lagrangian *m, bool is_patient)
{
    const int32_t few = m->system->p->cones.rows / SOFT_OTHERS, levels = sizeof softer / sizeof *softer;
    for (int32_t k = is_patient ? 0 : levels - 1; k < levels; k++) {
        m->penalty = softer[k];
        int32_t before = INT32_MAX;
        for (int factors = 0; factors < SOFT_FACTORS; factors++) {
            cd_cone_lagrangian_factor(m);
            cd_cone_lagrangian_balance(m, 1);
            const int32_t others = choose(m, m->next);
            if (others <= few || !move(m, others < before))
                break;
            before = others;
        }
    }
    m->penalty = PENALTY;
}

void cd_cone_lagrangian_mend(cd_cone_lagrangian *m, const double *z)
{
    const int32_t rows = m->system->p->cones.rows;
    int32_t others = 0;
    cd_cone_lagrangian_sweep(m, z, MEND_SWEEPS);
    for (int32_t r = 0; r < rows; r++)
        others += m->carries[r] != (z[r] > 0);
    if (others <= rows / SOFT_OTHERS)
        return;
    m->penalty = softer[sizeof softer / sizeof *softer - 1];
    cd_cone_lagrangian_factor(m);
    cd_cone_lagrangian_balance(m, 1);
    (void)choose(m, m->next);
    m->penalty = PENALTY;
}

// Rows that the balance has on the other side, and how much the one by most.
static int32_t count_others(const cd_cone_lagrangian *m, double *most)
{
    int32_t others = 0;
    *most = 0;
    for (int32_t r = 0; r < m->system->p->cones.rows; r++) {
        if ((m->next[r] > 0) == m->carries[r])
            continue;
        others++;
        *most = cd_larger(*most, fabs(m->next[r]));
    }
    return others;
}

// Rows on the other side change sides: all of them as long as they become fewer, else those that ask for it most.
static void change_strong(cd_cone_lagrangian *m, double least_asked)
{
    for (int32_t r = 0; r < m->system->p->cones.rows; r++) {
        if (fabs(m->next[r]) >= least_asked)
            m->carries[r] = m->next[r] > 0;
    }
}

// The last of them alone. Source: Murty 1974; after blocks of rows, Judice & Pires 1994.
static void change_last(cd_cone_lagrangian *m)
{
    int32_t r = m->system->p->cones.rows - 1;
    while ((m->next[r] > 0) == m->carries[r])
        r--;
    m->carries[r] = m->next[r] > 0;
}

bool cd_cone_lagrangian_step(cd_cone_lagrangian *m, int most, int32_t most_others)
{
    const cd_cone_program *p = m->system->p;
    const int limit = m->factors + most;
    double strongest;
    int32_t least = INT32_MAX;
    for (int since = 0;;) {
        cd_cone_lagrangian_factor(m);
        cd_cone_lagrangian_balance(m, PASSES);
        const int32_t others = count_others(m, &strongest);
        if (others == 0)
            break;
        since = others < least ? 0 : since + 1;
        if (m->factors >= limit || others > most_others || since > (others <= SINGLE_MOST ? SINGLE_PATIENCE : PATIENCE))
            return false;
        if (since >= SINGLE_AT && others <= SINGLE_MOST)
            change_last(m);
        else
            change_strong(m, since == 0 ? 0 : STRONG * strongest);
        least = others < least ? others : least;
    }
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->last_u[i] = m->next_u[i] - m->u[i];
    memcpy(m->u, m->next_u, sizeof *m->u * (size_t)p->groups.columns);
    for (int32_t r = 0; r < p->cones.rows; r++) {
        const double z = m->carries[r] ? m->next[r] : 0;
        m->last_z[r] = z - m->z[r];
        m->last_slack[r] = m->next_slack[r] - m->slack[r];
        m->z[r] = z;
        m->slack[r] = m->next_slack[r];
    }
    return true;
}

bool cd_cone_lagrangian_go_on(cd_cone_lagrangian *m)
{
    const cd_cone_program *p = m->system->p;
    double times = INFINITY;
    for (int32_t r = 0; r < p->cones.rows; r++) {
        if (m->carries[r] && m->last_z[r] < 0)
            times = cd_smaller(times, -m->z[r] / m->last_z[r]);
    }
    if (!(times < INFINITY))
        return false;
    cd_vector_subtract(m->u, -times, m->last_u, p->groups.columns);
    cd_vector_subtract(m->slack, -times, m->last_slack, p->cones.rows);
    for (int32_t r = 0; r < p->cones.rows; r++)
        m->z[r] = m->carries[r] ? cd_larger(0, m->z[r] + times * m->last_z[r]) : 0;
    return true;
}

// Rows that carry little, by the rounding of their own slack: +1 or -1, without a pattern; 0 for all others. Returns
// whether all rows are certain that are not among them.
static bool mark_small(const cd_cone_lagrangian *m, double *sign)
{
    const cd_gram_groups *g = &m->system->p->groups;
    bool is_certain = true;
    for (int32_t k = 0, r = 0; k < g->count; k++) {
        for (int32_t end = r + g->height[k]; r < end; r++) {
            const double *row = m->system->p->H + m->system->p->place[r];
            double terms = fabs(m->system->p->h[r]);
            for (int32_t e = g->first[k]; e < g->first[k + 1] && m->carries[r]; e++)
                terms += fabs(row[e - g->first[k]] * m->u[g->col[e]]);
            const bool is_small = m->carries[r] && !(m->z[r] > SMALL * PENALTY * DBL_EPSILON / 2 * terms);
            sign[r] = !is_small ? 0 : fmod(GOLDEN * r, 1) < 0.5 ? -1 : 1;
            is_certain = is_certain && (m->carries[r] ? m->z[r] > CARRIES_LEAST : m->next[r] < -OPEN_LEAST);
        }
    }
    return is_certain;
}

bool cd_cone_lagrangian_is_certain(cd_cone_lagrangian *m)
{
    const cd_cone_program *p = m->system->p;
    double *sign = m->at_slack;
    if (!mark_small(m, sign))
        return false;
    // With P = rho H K^-1 H' of the rows that carry, z_r / (1 - P)_rr is what row r would have, were it open.
    cd_cone_transposed(&p->groups, p->H, sign, m->du);
    cd_gram_solve(m->system->gram, p->D, m->du);
    cd_cone_values(&p->groups, p->H, m->du, m->change);
    bool is_certain = true;
    for (int32_t r = 0; r < p->cones.rows; r++)
        is_certain = is_certain && (sign[r] == 0 || fabs(sign[r] - PENALTY * m->change[r]) * OPEN_LEAST < m->z[r]);
    return is_certain;
}
