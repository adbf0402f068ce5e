// SPDX-License-Identifier: MIT
#include "step_impulses.h"

#include <stdlib.h>

static const double rounding = 1e-9;  // [1] of the momenta; solvers leave less

static bool has_impulse_rows(const cd_model *in)
{
    for (int32_t i = 0; i < in->row.count; i++)
        if (in->row.role[i] == CD_ROLE_IMPULSE)
            return true;
    return false;
}

bool cd_step_forces_act(const cd_model *in)
{
    return in->force.count > 0 && !has_impulse_rows(in) && (in->row.count == 0 || in->impulse.count == 0);
}

static cd_vec3 vector_at(const double *column, int dim, int32_t row)
{
    const double *x = column + (size_t)dim * (size_t)row;
    return (cd_vec3){x[0], x[1], dim == 3 ? x[2] : 0};
}

// ---- of the problem ------------------------------------------------------------------------------------------------

double *cd_step_unknowns(cd_arena *arena, const cd_model *in)
{
    double *z = CD_ARENA_ZARRAY(arena, double, in->row.count);
    for (int32_t i = 0; i < in->value.count; i++)
        z[in->value.row[i]] = in->value.z[i];
    return z;
}

void cd_step_add_impulses(const cd_model *in, const double *z, cd_vec3 *impulse)
{
    const cd_row_rows *rows = &in->row;
    if (!rows->contact || !rows->body || !rows->axis)
        return;
    int32_t last = -1;  // entries of a row follow one another
    bool is_linear = false;
    for (int32_t i = 0; i < in->entry.count; i++) {
        int32_t row = in->entry.row[i], col = in->entry.col[i];
        if (row != last)
            is_linear = rows->role[row] == CD_ROLE_VELOCITY && rows->axis[row] < in->dim;
        last = row;
        if (!is_linear || z[col] == 0)
            continue;
        int32_t contact = rows->contact[col];
        if (contact < 0)
            continue;
        int32_t a = in->contact.a[2 * contact], b = in->contact.b[2 * contact];
        bool is_of_b = rows->body[row] == b;
        if (!is_of_b && (rows->body[row] != a || cd_body_is_moved(in, b)))
            continue;
        double part = (is_of_b ? 1 : -1) * in->entry.value[i] * z[col];
        cd_vec3 add = {rows->axis[row] == 0 ? part : 0, rows->axis[row] == 1 ? part : 0,
                       rows->axis[row] == 2 ? part : 0};
        impulse[contact] = cd_add3(impulse[contact], add);
    }
}

// ---- carried -------------------------------------------------------------------------------------------------------

// Parts a and b, features and facet: what makes a contact the same one.
enum { PARTS = 4, FEATURES = 4 };
typedef struct place {
    int32_t part[PARTS], feature[FEATURES], row;
} place;

static void put_pair(const int32_t *column, int32_t row, int32_t *pair)
{
    for (int k = 0; k < 2; k++)
        pair[k] = column ? column[2 * (size_t)row + (size_t)k] : CD_ABSENT;
}

static int compare_parts(const void *left, const void *right)
{
    const place *l = left, *r = right;
    for (int k = 0; k < PARTS; k++)
        if (l->part[k] != r->part[k])
            return l->part[k] < r->part[k] ? -1 : 1;
    return 0;
}

static int compare_places(const void *left, const void *right)
{
    int order = compare_parts(left, right);
    const place *l = left, *r = right;
    return order ? order : (l->row > r->row) - (l->row < r->row);
}

static place *places_of_contacts(cd_arena *scratch, const cd_contact_rows *rows)
{
    place *places = CD_ARENA_ARRAY(scratch, place, rows->count);
    for (int32_t i = 0; i < rows->count; i++) {
        put_pair(rows->a, i, places[i].part);
        put_pair(rows->b, i, places[i].part + 2);
        put_pair(rows->features, i, places[i].feature);
        put_pair(rows->facet, i, places[i].feature + 2);
        places[i].row = i;
    }
    if (rows->count > 0)
        qsort(places, (size_t)rows->count, sizeof *places, compare_places);
    return places;
}

// The row of `contact` for a carried impulse; -1: its parts have none. places: in order.
static int32_t contact_of(const cd_model *in, const place *places, const place *wanted, cd_vec3 point)
{
    // The first of the parts.
    int32_t first = 0, count = in->contact.count;
    while (count > 0) {
        int32_t half = count / 2;
        if (compare_parts(&places[first + half], wanted) < 0) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    // The same, else the nearest.
    int32_t best = -1;
    bool best_is_same = false;
    double least = INFINITY;
    for (int32_t i = first; i < in->contact.count && compare_parts(&places[i], wanted) == 0; i++) {
        bool is_same = !memcmp(places[i].feature, wanted->feature, sizeof wanted->feature);
        cd_vec3 apart = cd_sub3(vector_at(in->contact.point, in->dim, places[i].row), point);
        double distance = cd_dot3(apart, apart);
        if (best >= 0 && (is_same < best_is_same || (is_same == best_is_same && !(distance < least))))
            continue;
        best = places[i].row;
        best_is_same = is_same;
        least = distance;
    }
    return best;
}

static bool moves_in_round(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    return cd_body_is_moved(in, body) && cd_body_trial_state(in, trial_row, body) == CD_ABSENT;
}

bool cd_step_is_carried(const cd_model *in, const int32_t *trial_row, int32_t impulse)
{
    const cd_impulse_rows *rows = &in->impulse;
    bool is_from_trial = cd_i32_or(in->frame.target, 0, CD_ABSENT) == CD_TARGET_TRIAL ||
                         cd_i32_or(in->frame.impact, 0, CD_IMPACT_NONE) != CD_IMPACT_NONE;
    return is_from_trial || !(moves_in_round(in, trial_row, rows->a[2 * impulse]) ||
                              moves_in_round(in, trial_row, rows->b[2 * impulse]));
}

void cd_step_carry_impulses(cd_arena *scratch, const cd_step_bodies *bodies)
{
    const cd_model *in = bodies->in;
    const cd_impulse_rows *rows = &in->impulse;
    cd_step_clear_impulses(bodies);
    if (rows->count == 0)
        return;
    const place *places = places_of_contacts(scratch, &in->contact);
    const int32_t *trial_row = cd_body_trial_rows(scratch, in);
    for (int32_t i = 0; i < rows->count; i++) {
        if (!cd_step_is_carried(in, trial_row, i))
            continue;
        place wanted = {.row = i};
        put_pair(rows->a, i, wanted.part);
        put_pair(rows->b, i, wanted.part + 2);
        put_pair(rows->features, i, wanted.feature);
        put_pair(rows->facet, i, wanted.feature + 2);
        int32_t contact = contact_of(in, places, &wanted, vector_at(rows->point, in->dim, i));
        if (contact >= 0)
            bodies->impulse[contact] = cd_add3(bodies->impulse[contact], vector_at(rows->vector, in->dim, i));
    }
}

void cd_step_take_impulses(cd_arena *scratch, const cd_step_bodies *bodies)
{
    cd_step_carry_impulses(scratch, bodies);
    cd_step_add_impulses(bodies->in, cd_step_unknowns(scratch, bodies->in), bodies->impulse);
}

void cd_step_clear_impulses(const cd_step_bodies *bodies)
{
    for (int32_t i = 0; i < bodies->in->contact.count; i++)
        bodies->impulse[i] = (cd_vec3){0, 0, 0};
}

void cd_step_scale_impulses(const cd_step_bodies *bodies, const double *factor)
{
    const cd_model *in = bodies->in;
    for (int32_t i = 0; i < in->contact.count; i++) {
        int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        bodies->impulse[i] = cd_scale3(factor[cd_body_is_moved(in, b) ? b : a], bodies->impulse[i]);
    }
}

// ---- what bodies got beside it --------------------------------------------------------------------------------------

// Contacts that tie bodies together without a ring, by body: those of body i are tie[first[i]] .. tie[first[i + 1] -
// 1].
typedef struct tree {
    int32_t *first, *tie;
} tree;

static tree tree_make(cd_arena *scratch, const cd_model *in, const bool *is_joined)
{
    const int32_t count = in->body.count;
    int32_t *root = cd_body_roots_start(scratch, in), *next = CD_ARENA_ZARRAY(scratch, int32_t, count + 1);
    bool *is_tie = CD_ARENA_ZARRAY(scratch, bool, in->contact.count);
    tree all = {CD_ARENA_ZARRAY(scratch, int32_t, count + 1), NULL};
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t body[2] = {in->contact.a[2 * i], in->contact.b[2 * i]};
        is_tie[i] = is_joined[i] && cd_body_roots_connect(in, root, body[0], body[1]);
        all.first[body[0] + 1] += is_tie[i];
        all.first[body[1] + 1] += is_tie[i];
    }
    for (int32_t i = 0; i < count; i++)
        next[i + 1] = all.first[i + 1] += all.first[i];
    all.tie = CD_ARENA_ARRAY(scratch, int32_t, all.first[count]);
    for (int32_t i = 0; i < in->contact.count; i++)
        if (is_tie[i]) {
            all.tie[next[in->contact.a[2 * i]]++] = i;
            all.tie[next[in->contact.b[2 * i]]++] = i;
        }
    return all;
}

// Bodies with one tie left give all that they have along it, until none is left.
void cd_step_place_momentum(cd_arena *scratch, const cd_step_bodies *bodies, const bool *is_joined,
                            const cd_vec3 *momentum)
{
    const cd_model *in = bodies->in;
    const tree all = tree_make(scratch, in, is_joined);
    int32_t *left = CD_ARENA_ARRAY(scratch, int32_t, in->body.count);
    bool *is_given = CD_ARENA_ZARRAY(scratch, bool, in->contact.count);
    cd_vec3 *own = CD_ARENA_ARRAY(scratch, cd_vec3, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        left[i] = all.first[i + 1] - all.first[i];
        own[i] = momentum[i];
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t leaf = i;
        while (left[leaf] == 1) {
            int32_t at = all.first[leaf];
            while (is_given[all.tie[at]])
                at++;
            const int32_t tie = all.tie[at], a = in->contact.a[2 * tie], b = in->contact.b[2 * tie];
            const int32_t other = a == leaf ? b : a;
            bodies->impulse[tie] = cd_add3(bodies->impulse[tie], b == leaf ? own[leaf] : cd_negate3(own[leaf]));
            own[other] = cd_add3(own[other], own[leaf]);
            is_given[tie] = true;
            left[leaf]--;
            left[other]--;
            leaf = other;
        }
    }
}

// ---- what comes of them --------------------------------------------------------------------------------------------

double cd_step_unplaced_impulse(cd_arena *scratch, const cd_step_bodies *bodies)
{
    const cd_model *in = bodies->in;
    if (cd_step_forces_act(in))
        return 0;
    cd_vec3 *left = CD_ARENA_ZARRAY(scratch, cd_vec3, in->body.count);
    double size = 0, sum = 0;
    for (int32_t i = 0; i < in->contact.count; i++) {
        int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        left[a] = cd_add3(left[a], bodies->impulse[i]);
        left[b] = cd_sub3(left[b], bodies->impulse[i]);
        size += cd_length3(bodies->impulse[i]);
    }
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (!cd_body_is_moved(in, i))
            continue;
        cd_vec3 nu = vector_at(bodies->nu[i].at, bodies->dim, 0), free = vector_at(bodies->free[i].at, bodies->dim, 0);
        sum += cd_length3(cd_add3(left[i], cd_scale3(in->body.mass[i], cd_sub3(nu, free))));
        size += in->body.mass[i] * (cd_length3(nu) + cd_length3(free));
    }
    return sum > rounding * size ? sum : 0;
}

void cd_step_write_force(cd_arena *arena, const cd_step_bodies *bodies, bool has_next, cd_force_rows *force)
{
    const cd_model *in = bodies->in;
    if (cd_step_forces_act(in)) {
        *force = in->force;
        return;
    }
    force->count = 0;
    for (int32_t i = 0; i < in->contact.count && has_next; i++)
        force->count += cd_length3(bodies->impulse[i]) > 0;
    int32_t *contact = CD_COLUMN(arena, in->dim, force, force, contact);
    double *vector = CD_COLUMN(arena, in->dim, force, force, vector);
    for (int32_t i = 0; i < in->contact.count && has_next; i++) {
        cd_vec3 f = cd_scale3(1 / bodies->step, bodies->impulse[i]);
        if (!(cd_length3(bodies->impulse[i]) > 0))
            continue;
        *contact++ = i;
        memcpy(vector, (double[]){f.x, f.y, f.z}, (size_t)in->dim * sizeof *vector);
        vector += in->dim;
    }
}
