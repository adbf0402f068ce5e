// SPDX-License-Identifier: MIT
#include "lcp_warm.h"

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

static void make_room(cd_warm_frame *frame, int32_t count, cd_arena *run)
{
    if (count > frame->capacity) {
        frame->capacity = count + frame->capacity;
        frame->key = CD_ARENA_ARRAY(run, cd_warm_key, frame->capacity);
        frame->z = CD_ARENA_ARRAY(run, double, frame->capacity);
    }
    frame->count = count;
}

static int64_t tag_value(const int32_t *column) { return column ? column[0] : 0; }

double *cd_warm_start(cd_warm *warm, const cd_model *in, const cd_refs *refs, cd_arena *arena, cd_arena *run)
{
    const int32_t n = in->row.count;
    if (cd_i32_or(in->frame.target, 0, CD_TARGET_FREE) == CD_TARGET_TRIAL)
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
    for (int32_t i = 0; i < n; i++)
        warm->now.key[i] = key_of(in, refs, i);
    if (n > 1)  // a first frame without rows has no keys at all
        qsort(warm->now.key, (size_t)n, sizeof *warm->now.key, compare_in_frame);
    double *z = CD_ARENA_ARRAY(arena, double, n);
    int32_t k = 0;
    for (int32_t i = 0; i < n; i++) {
        cd_warm_key *key = &warm->now.key[i];
        key->occurrence = i > 0 && compare_identity(key - 1, key) == 0 ? key[-1].occurrence + 1 : 0;
        while (k < warm->before.count && compare_key(&warm->before.key[k], key) < 0)
            k++;
        bool known = k < warm->before.count && compare_key(&warm->before.key[k], key) == 0;
        z[key->row] = known ? warm->before.z[k] : NAN;
    }
    return z;
}

void cd_warm_keep(cd_warm *warm, const double *z)
{
    for (int32_t i = 0; i < warm->now.count; i++)
        warm->now.z[i] = z[warm->now.key[i].row];
}
