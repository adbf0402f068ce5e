// SPDX-License-Identifier: MIT
#include "lcp_warm.h"

#include "cd_vec3.h"
#include "lcp_known.h"

#include <math.h>
#include <stdlib.h>

// Order of all that identifies a row but the occurrence.
static int compare_identity(const cd_warm_key *a, const cd_warm_key *b)
{
    const int64_t x[] = {a->body_a, a->body_b, a->part_a, a->part_b, a->feature_a, a->feature_b, a->role, a->axis};
    const int64_t y[] = {b->body_a, b->body_b, b->part_a, b->part_b, b->feature_a, b->feature_b, b->role, b->axis};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

static int compare_in_frame(const void *a, const void *b)
{
    const cd_warm_key *x = a, *y = b;
    int order = compare_identity(x, y);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int compare_key(const cd_warm_key *a, const cd_warm_key *b)
{
    int order = compare_identity(a, b);
    return order ? order : (a->occurrence > b->occurrence) - (a->occurrence < b->occurrence);
}

static cd_warm_key key_of(const cd_model *in, const cd_refs *refs, int32_t i)
{
    const cd_row_rows *row = &in->row;
    const cd_contact_rows *contact = &in->contact;
    cd_warm_key key = {.body_a = -1,
                       .body_b = -1,
                       .feature_a = CD_FEATURE_NONE,
                       .feature_b = CD_FEATURE_NONE,
                       .role = row->role[i],
                       .axis = row->axis ? row->axis[i] : CD_ABSENT,
                       .row = i};
    if (row->body && row->body[i] >= 0)
        key.body_a = cd_refs_id(refs, CD_REC_body, row->body[i]);
    int32_t c = row->contact ? row->contact[i] : -1;
    if (c < 0 || c >= contact->count)
        return key;
    key.body_a = cd_refs_id(refs, CD_REC_body, contact->a[2 * c]);
    key.body_b = cd_refs_id(refs, CD_REC_body, contact->b[2 * c]);
    key.part_a = contact->a[2 * c + 1];
    key.part_b = contact->b[2 * c + 1];
    if (contact->features) {
        key.feature_a = contact->features[2 * c];
        key.feature_b = contact->features[2 * c + 1];
    }
    return key;
}

// Is row i a tangent of a disc, or an axis of one against rolling? normal_row: of each row, or NULL.
static bool is_disc(const cd_row_rows *row, const int32_t *normal_row, int32_t i)
{
    return normal_row && normal_row[i] >= 0 && (row->role[i] == CD_ROLE_FRICTION || row->role[i] == CD_ROLE_ROLLING);
}

// The body whose velocity row i is: of its contact b, 1, or a, -1; else 0.
static int side_of(const cd_model *in, int32_t i, int32_t velocity)
{
    const cd_row_rows *row = &in->row;
    const int32_t c = row->contact ? row->contact[i] : -1, body = row->body ? row->body[velocity] : -1;
    if (c < 0 || c >= in->contact.count || body < 0 || row->role[velocity] != CD_ROLE_VELOCITY)
        return 0;
    return body == in->contact.b[2 * c] ? 1 : body == in->contact.a[2 * c] ? -1 : 0;
}

// Tangents of discs, and axes of those against rolling, 3 a row: what a row takes of the velocities of b, or else of a,
// is the tangent and its moment, or the axis alone. 0 where no velocity row says it.
static double *directions(const cd_model *in, const int32_t *normal_row, cd_arena *arena)
{
    const int32_t n = in->row.count, dim = in->dim, spins = dim == 3 ? 3 : 1;
    double *along = CD_ARENA_ZARRAY(arena, double, 3 * (size_t)n),
           *of_a = CD_ARENA_ZARRAY(arena, double, 3 * (size_t)n);
    for (int64_t e = 0; e < in->entry.count; e++) {
        const int32_t i = in->entry.row[e], j = in->entry.col[e];
        const int side = is_disc(&in->row, normal_row, i) ? side_of(in, i, j) : 0;
        if (side == 0 || !in->row.axis || in->row.axis[j] == CD_ABSENT)
            continue;
        const bool is_axis = in->row.role[i] == CD_ROLE_ROLLING;
        const int32_t k = in->row.axis[j] - (is_axis ? dim : 0);
        if (k >= 0 && k < (is_axis ? spins : dim))
            (side > 0 ? along : of_a)[3 * (size_t)i + (size_t)k] = side * in->entry.value[e];
    }
    for (int32_t i = 0; i < n; i++) {
        double *d = along + 3 * (size_t)i;
        if (d[0] == 0 && d[1] == 0 && d[2] == 0)
            memcpy(d, of_a + 3 * (size_t)i, 3 * sizeof *d);
        const double length = cd_length3(cd_vec3_at(d));
        for (int k = 0; k < 3 && length > 0; k++)
            d[k] /= length;
    }
    return along;
}

static void make_room(cd_warm_frame *frame, int32_t count, cd_arena *run)
{
    if (count > frame->capacity) {
        frame->capacity = count + frame->capacity;
        frame->key = CD_ARENA_ARRAY(run, cd_warm_key, frame->capacity);
        frame->z = CD_ARENA_ARRAY(run, double, frame->capacity);
        frame->start = CD_ARENA_ARRAY(run, double, frame->capacity);
    }
    frame->count = count;
}

// Keys of all rows, in order.
static void name_rows(cd_warm_frame *frame, const cd_model *in, const int32_t *normal_row, const cd_refs *refs,
                      cd_arena *arena)
{
    const int32_t n = in->row.count;
    const double *along = directions(in, normal_row, arena);
    for (int32_t i = 0; i < n; i++) {
        frame->key[i] = key_of(in, refs, i);
        memcpy(frame->key[i].along, along + 3 * (size_t)i, sizeof frame->key[i].along);
    }
    if (n > 1)  // a first frame without rows has no keys at all
        qsort(frame->key, (size_t)n, sizeof *frame->key, compare_in_frame);
    for (int32_t i = 0; i < n; i++) {
        cd_warm_key *key = &frame->key[i];
        key->occurrence = i > 0 && compare_identity(key - 1, key) == 0 ? key[-1].occurrence + 1 : 0;
    }
}

static bool has_direction(const cd_warm_key *key)
{
    return key && (key->along[0] != 0 || key->along[1] != 0 || key->along[2] != 0);
}

// The vectors of a disc whose row is i: of its force, or of its torque against rolling.
static size_t vector_of(const cd_row_rows *row, const int32_t *normal_row, int32_t i)
{
    enum { KINDS = 2 };
    return KINDS * (size_t)normal_row[i] + (row->role[i] == CD_ROLE_ROLLING);
}

// z of discs, along the tangents of the frame before, comes to be along those of now. A disc with a tangent that was
// not met, or has no direction, stays as it is. met: of each key of now the one of the frame before, or NULL.
static void turn(const cd_warm_frame *now, cd_warm_key *const *met, const cd_row_rows *row, const int32_t *normal_row,
                 double *z, cd_arena *arena)
{
    const size_t n = (size_t)row->count;
    cd_vec3 *vector = CD_ARENA_ZARRAY(arena, cd_vec3, 2 * n);
    bool *is_unknown = CD_ARENA_ZARRAY(arena, bool, 2 * n);
    for (size_t i = 0; i < n; i++) {
        const cd_warm_key *key = &now->key[i];
        if (!is_disc(row, normal_row, key->row))
            continue;
        const size_t at = vector_of(row, normal_row, key->row);
        is_unknown[at] |= !has_direction(met[i]) || !has_direction(key);
        if (!is_unknown[at])
            vector[at] = cd_add3(vector[at], cd_scale3(z[key->row], cd_vec3_at(met[i]->along)));
    }
    for (size_t i = 0; i < n; i++) {
        const cd_warm_key *key = &now->key[i];
        if (!is_disc(row, normal_row, key->row))
            continue;
        const size_t at = vector_of(row, normal_row, key->row);
        if (!is_unknown[at])
            z[key->row] = cd_dot3(vector[at], cd_vec3_at(key->along));
    }
}

static bool is_polish(const cd_frame_rows *frame)
{
    return cd_i32_or(frame->target, 0, CD_TARGET_FREE) == CD_TARGET_TRIAL;
}

double *cd_warm_again(cd_warm *warm, const cd_mcp *problem, const cd_frame_rows *frame, cd_arena *arena)
{
    const cd_warm_frame *now = &warm->now;
    if (is_polish(frame))
        return NULL;
    warm->hash = cd_known_hash(problem);  // two problems of one hash would do no harm: a start is no more than one
    if (!now->is_solved || now->hash != warm->hash || now->count != problem->n)
        return NULL;
    double *start = CD_ARENA_ARRAY(arena, double, now->count);
    for (int32_t i = 0; i < now->count; i++)  // none where there were no rows yet
        start[i] = now->start[i];
    return start;
}

static int64_t tag_value(const int32_t *column) { return column ? column[0] : 0; }

double *cd_warm_start(cd_warm *warm, const cd_model *in, const int32_t *normal_row, const cd_refs *refs,
                      cd_arena *arena, cd_arena *run)
{
    const int32_t n = in->row.count;
    if (is_polish(&in->frame))
        return NULL;
    const int64_t tag[3] = {in->frame.count > 0 ? in->frame.index[0] : -1,
                            in->frame.count > 0 ? tag_value(in->frame.substep) : 0,
                            in->frame.count > 0 ? tag_value(in->frame.round) : 0};
    if (memcmp(tag, warm->now.tag, sizeof tag) != 0 || !warm->now.key) {
        cd_warm_frame t = warm->before;
        warm->before = warm->now;
        warm->now = t;
    }
    memcpy(warm->now.tag, tag, sizeof tag);
    make_room(&warm->now, n, run);
    name_rows(&warm->now, in, normal_row, refs, arena);
    cd_warm_key **met = CD_ARENA_ZARRAY(arena, cd_warm_key *, n);
    double *z = CD_ARENA_ARRAY(arena, double, n);
    int32_t k = 0;
    for (int32_t i = 0; i < n; i++) {
        const cd_warm_key *key = &warm->now.key[i];
        while (k < warm->before.count && compare_key(&warm->before.key[k], key) < 0)
            k++;
        const bool known = k < warm->before.count && compare_key(&warm->before.key[k], key) == 0;
        met[i] = known ? &warm->before.key[k] : NULL;
        z[key->row] = known ? warm->before.z[k] : NAN;
    }
    if (normal_row)
        turn(&warm->now, met, &in->row, normal_row, z, arena);
    for (int32_t i = 0; i < n; i++)
        warm->now.start[i] = z[i];
    warm->now.hash = warm->hash;
    warm->now.is_solved = false;
    return z;
}

void cd_warm_keep(cd_warm *warm, const double *z, bool is_solved)
{
    warm->now.is_solved = is_solved;
    for (int32_t i = 0; i < warm->now.count; i++)
        warm->now.z[i] = z[warm->now.key[i].row];
}
