// SPDX-License-Identifier: MIT
#include "broad_items.h"

#include <inttypes.h>
#include <math.h>

void cd_broad_items_make(cd_arena *arena, int dim, int32_t capacity, cd_broad_items *items)
{
    items->site = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)capacity);
    items->min = CD_ARENA_ARRAY(arena, double, (size_t)dim *(size_t)capacity);
    items->max = CD_ARENA_ARRAY(arena, double, (size_t)dim *(size_t)capacity);
}

static cd_status fail_bounds(const cd_model *in, int32_t row, const char *reason, cd_diag *diag)
{
    const int32_t *site = in->bounds.a + 2 * (size_t)row;
    return cd_fail(diag, CD_ERR_FORMAT, "bounds of body %" PRId64 " part %d: %s", in->body.id[site[0]], (int)site[1],
                   reason);
}

// A pass without branches, which the compiler makes wide; what is wrong is looked for only where something is.
CD_VECTOR_CLONES static bool bounds_are_good(const double *min, const double *max, size_t numbers)
{
    int64_t bad = 0;
    for (size_t i = 0; i < numbers; i++)
        bad |= !((min[i] <= max[i]) & (min[i] < INFINITY) & (max[i] > -INFINITY));
    return !bad;
}

static cd_status check_bounds(const cd_model *in, cd_diag *diag)
{
    const cd_bounds_rows *rows = &in->bounds;
    size_t dim = (size_t)in->dim, numbers = (size_t)rows->count * dim;
    bool are_good = bounds_are_good(rows->min, rows->max, numbers);
    for (size_t i = 0; i < numbers && !are_good; i++) {
        double low = rows->min[i], high = rows->max[i];
        if (low <= high && low < INFINITY && high > -INFINITY)
            continue;
        return fail_bounds(in, (int32_t)(i / dim),
                           isnan(low) || isnan(high) ? "not a number"
                           : low > high              ? "min is above max"
                                                     : "lies at infinity",
                           diag);
    }
    for (int32_t i = 0; i < rows->count; i++)
        if (rows->a[2 * (size_t)i + 1] < 0)
            return fail_bounds(in, i, "the part is negative", diag);
    return CD_OK;
}

// Canonical order of the rows: their bodies by rank, and parts ascending.
static int32_t *rows_in_order(cd_arena *arena, const cd_model *in, cd_body_order order)
{
    int32_t count = in->bounds.count;
    const int32_t *site = in->bounds.a;
    int32_t *row_at = CD_ARENA_ARRAY(arena, int32_t, count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    uint64_t *key = CD_ARENA_ARRAY(arena, uint64_t, count);
    int32_t *body_first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)in->body.count + 1);
    for (int32_t i = 0; i < count; i++) {
        key[i] = (uint64_t)(uint32_t)site[2 * i + 1] << 32 | (uint32_t)i;
        body_first[order.rank[site[2 * i]] + 1]++;
    }
    for (int32_t k = 0; k < in->body.count; k++)
        body_first[k + 1] += body_first[k];
    cd_sort_keys(key, count, arena);
    for (int32_t i = 0; i < count; i++) {
        int32_t row = (int32_t)(key[i] & UINT32_MAX);
        row_at[body_first[order.rank[site[2 * row]]]++] = row;
    }
    cd_arena_rewind(arena, mark);
    return row_at;
}

// Are the rows in canonical order, and do all of their bodies take part?
static bool bounds_are_ordered(const cd_model *in, cd_body_order order)
{
    const int32_t *site = in->bounds.a;
    bool may_wait = in->body.release != NULL;
    for (int32_t i = 0; i < in->bounds.count; i++, site += 2) {
        if (may_wait && !cd_body_is_active(in, site[0]))
            return false;
        if (i > 0 && (order.rank[site[-2]] > order.rank[site[0]] || (site[-2] == site[0] && site[-1] >= site[1])))
            return false;
    }
    return true;
}

cd_status cd_broad_items_from_bounds(cd_arena *arena, const cd_model *in, cd_body_order order, cd_broad_items *items,
                                     cd_diag *diag)
{
    const cd_bounds_rows *rows = &in->bounds;
    for (int32_t i = 0; rows->count == 0 && i < in->body.count; i++)
        if (cd_body_is_active(in, i))
            return cd_fail(diag, CD_ERR_FORMAT, "bounds: --use-bounds: the frame has none");
    CD_TRY(check_bounds(in, diag));
    if (bounds_are_ordered(in, order)) {
        *items = (cd_broad_items){
            .count = rows->count, .stored = rows->count, .site = rows->a, .min = rows->min, .max = rows->max};
        return CD_OK;
    }
    size_t dim = (size_t)in->dim;
    cd_broad_items_make(arena, in->dim, rows->count, items);
    const int32_t *row_at = rows_in_order(arena, in, order);
    for (int32_t k = 0; k < rows->count; k++) {
        size_t row = (size_t)row_at[k], i = (size_t)items->count;
        const int32_t *site = rows->a + 2 * row;
        if (k > 0 && !memcmp(site, rows->a + 2 * (size_t)row_at[k - 1], 2 * sizeof *site))
            return fail_bounds(in, (int32_t)row, "there twice", diag);
        if (!cd_body_is_active(in, site[0]))
            continue;
        memcpy(items->site + 2 * i, site, 2 * sizeof *site);
        memcpy(items->min + dim * i, rows->min + dim * row, dim * sizeof(double));
        memcpy(items->max + dim * i, rows->max + dim * row, dim * sizeof(double));
        items->count++;
    }
    items->stored = items->count;
    return CD_OK;
}
