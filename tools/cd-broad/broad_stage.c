// SPDX-License-Identifier: MIT
#include "broad_stage.h"

#include "cd_bounds2.h"
#include "cd_reach2.h"

#include <inttypes.h>

// Items with what the tables need of them, in canonical order.
typedef struct broad_items {
    int32_t count;
    int32_t *row, *part;  // of `body`; leaf
    int32_t *rank;
    uint8_t *class;
    cd_aabb *box;
} broad_items;

static broad_items items_make(cd_arena *arena, int32_t capacity)
{
    return (broad_items){0, CD_ARENA_ARRAY(arena, int32_t, capacity), CD_ARENA_ARRAY(arena, int32_t, capacity),
                         CD_ARENA_ARRAY(arena, int32_t, capacity), CD_ARENA_ARRAY(arena, uint8_t, capacity),
                         CD_ARENA_ARRAY(arena, cd_aabb, capacity)};
}

cd_status cd_broad_check_options(const cd_broad_options *options, cd_diag *diag)
{
    if (!options->group)
        return CD_OK;
    const char *colon = strchr(options->group, ':');
    if (!colon || colon == options->group || !colon[1] || strchr(colon + 1, ':'))
        return cd_fail(diag, CD_ERR_USAGE, "--group: \"%s\" is not two names with a colon between", options->group);
    return CD_OK;
}

static uint8_t class_of(const cd_model *in, int32_t body, const cd_broad_options *options)
{
    unsigned class = cd_body_motion(in, body) == CD_MOTION_DYNAMIC ? CD_BROAD_DYNAMIC : 0;
    if (!options->group)
        return (uint8_t)(class | CD_BROAD_UNGROUPED);
    const char *name = in->body.group ? in->body.group[body] : NULL;
    const char *colon = strchr(options->group, ':');
    size_t length = (size_t)(colon - options->group);
    if (name && strlen(name) == length && !memcmp(name, options->group, length))
        class |= CD_BROAD_IN_A;
    if (name && !strcmp(name, colon + 1))
        class |= CD_BROAD_IN_B;
    return (uint8_t)class;
}

static void push_item(broad_items *items, int32_t row, int32_t part, int32_t rank, uint8_t class, cd_aabb box)
{
    int32_t k = items->count++;
    items->row[k] = row;
    items->part[k] = part;
    items->rank[k] = rank;
    items->class[k] = class;
    items->box[k] = box;
}

// ---- boxes from shapes and states ------------------------------------------------------------------------------

typedef struct pose_set {
    cd_state2 state[3];
    int count;
} pose_set;

static pose_set poses_of(const cd_model *in, const int32_t *trial_row, int32_t body, const cd_broad_options *options)
{
    pose_set poses = {{cd_body_start2(in, body)}, 1};
    if (options->no_sweep)
        return poses;
    double step = cd_frame_step_or_zero(in);
    if (step > 0)
        poses.state[poses.count++] = cd_body_predicted2(in, body, step);
    if (trial_row[body] >= 0)
        poses.state[poses.count++] = cd_body_trial2(in, trial_row, body);
    return poses;
}

static cd_status items_from_bodies(cd_arena *arena, const cd_model *in, const cd_leaves2 *leaves, cd_body_order order,
                                   const cd_broad_options *options, broad_items *items, cd_diag *diag)
{
    int32_t count = 0;
    CD_TRY(cd_leaves2_count(in, leaves, &count, diag));
    *items = items_make(arena, count);
    const int32_t *trial_row = cd_body_trial_rows(arena, in);
    cd_reach2 reach = cd_reach2_make(arena, in, leaves, options->reach);
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = order.row[rank];
        if (!cd_body_is_active(in, body))
            continue;
        pose_set poses = poses_of(in, trial_row, body, options);
        double grow = cd_reach2_share(&reach, body) + options->margin;
        uint8_t class = class_of(in, body, options);
        int32_t first = leaves->first[in->body.shape[body]], end = leaves->first[in->body.shape[body] + 1];
        for (int32_t leaf = first; leaf < end; leaf++) {
            cd_aabb box = cd_bounds2_motion(&leaves->leaf[leaf], poses.state, poses.count);
            push_item(items, body, leaf - first, rank, class, cd_aabb_grow(box, grow, 2));
        }
    }
    return CD_OK;
}

// ---- boxes from the stream -------------------------------------------------------------------------------------

static cd_status check_bounds(const cd_model *in, int32_t row, cd_diag *diag)
{
    const cd_bounds_rows *rows = &in->bounds;
    int64_t id = in->body.id[rows->a[2 * row]];
    int part = rows->a[2 * row + 1];
    for (int k = 0; k < in->dim; k++) {
        double low = rows->min[in->dim * row + k], high = rows->max[in->dim * row + k];
        if (isnan(low) || isnan(high))
            return cd_fail(diag, CD_ERR_FORMAT, "bounds of body %" PRId64 " part %d: not a number", id, part);
        if (low > high)
            return cd_fail(diag, CD_ERR_FORMAT, "bounds of body %" PRId64 " part %d: min is above max", id, part);
    }
    return part < 0 ? cd_fail(diag, CD_ERR_FORMAT, "bounds of body %" PRId64 ": part %d is negative", id, part) : CD_OK;
}

static cd_aabb stream_box(const cd_model *in, int32_t row)
{
    cd_aabb box = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < in->dim; k++) {
        box.min[k] = in->bounds.min[in->dim * row + k];
        box.max[k] = in->bounds.max[in->dim * row + k];
    }
    return box;
}

// Rows in canonical order: keys are (rank, part), and the row to follow them back.
static cd_status items_from_bounds(cd_arena *arena, const cd_model *in, cd_body_order order,
                                   const cd_broad_options *options, broad_items *items, cd_diag *diag)
{
    int32_t count = in->bounds.count;
    uint64_t *key = CD_ARENA_ARRAY(arena, uint64_t, count);
    int32_t *body_first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)in->body.count + 1);
    *items = items_make(arena, count);
    // Parts of one body are sorted as (part, row); bodies are placed by counting.
    for (int32_t i = 0; i < count; i++) {
        CD_TRY(check_bounds(in, i, diag));
        key[i] = (uint64_t)(uint32_t)in->bounds.a[2 * i + 1] << 32 | (uint32_t)i;
        body_first[order.rank[in->bounds.a[2 * i]] + 1]++;
    }
    for (int32_t k = 0; k < in->body.count; k++)
        body_first[k + 1] += body_first[k];
    cd_sort_keys(key, count, arena);
    int32_t *row_at = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        int32_t row = (int32_t)(key[i] & UINT32_MAX);
        row_at[body_first[order.rank[in->bounds.a[2 * row]]]++] = row;
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t row = row_at[i], body = in->bounds.a[2 * row], part = in->bounds.a[2 * row + 1];
        int64_t id = in->body.id[body];
        if (i > 0 && body == in->bounds.a[2 * row_at[i - 1]] && part == in->bounds.a[2 * row_at[i - 1] + 1])
            return cd_fail(diag, CD_ERR_FORMAT, "bounds of body %" PRId64 " part %d: there twice", id, (int)part);
        if (cd_body_is_active(in, body))
            push_item(items, body, part, order.rank[body], class_of(in, body, options), stream_box(in, row));
    }
    return CD_OK;
}

// ---- tables ----------------------------------------------------------------------------------------------------

static void write_bounds(cd_arena *arena, int dim, const broad_items *items, cd_bounds_rows *rows)
{
    rows->count = items->count;
    if (!items->count)
        return;
    int32_t *site = CD_COLUMN(arena, dim, bounds, rows, a);
    double *min = CD_COLUMN(arena, dim, bounds, rows, min), *max = CD_COLUMN(arena, dim, bounds, rows, max);
    for (int32_t i = 0; i < items->count; i++) {
        site[2 * i] = items->row[i];
        site[2 * i + 1] = items->part[i];
        for (int k = 0; k < dim; k++) {
            min[(size_t)dim * (size_t)i + (size_t)k] = items->box[i].min[k];
            max[(size_t)dim * (size_t)i + (size_t)k] = items->box[i].max[k];
        }
    }
}

static void write_pairs(cd_arena *arena, int dim, const broad_items *items, const cd_box_pairs *pairs,
                        cd_pair_rows *rows)
{
    rows->count = pairs->count;
    if (!pairs->count)
        return;
    int32_t *a = CD_COLUMN(arena, dim, pair, rows, a), *b = CD_COLUMN(arena, dim, pair, rows, b);
    for (int32_t i = 0; i < pairs->count; i++) {
        cd_box_pair pair = pairs->item[i];
        a[2 * i] = items->row[pair.a];
        a[2 * i + 1] = items->part[pair.a];
        b[2 * i] = items->row[pair.b];
        b[2 * i + 1] = items->part[pair.b];
    }
}

cd_status cd_broad_frame(cd_arena *arena, const cd_model *in, const cd_leaves2 *leaves, const cd_broad_options *options,
                         cd_model *out, const char **ran, cd_diag *diag)
{
    broad_items items = {0};
    cd_body_order order = cd_body_order_make(arena, &in->body);
    if (options->use_bounds)
        CD_TRY(items_from_bounds(arena, in, order, options, &items, diag));
    else
        CD_TRY(items_from_bodies(arena, in, leaves, order, options, &items, diag));
    const cd_broad_method *method = cd_broad_method_find(options->method);
    if (!method)
        method = cd_broad_method_auto(items.count);
    cd_broad_input input = {in->dim, items.count, items.box, items.rank, items.class};
    cd_box_pairs pairs = cd_broad_find(method, &input, arena);
    *ran = method->name;
    if (options->use_bounds)
        out->bounds = in->bounds;
    else
        write_bounds(arena, in->dim, &items, &out->bounds);
    write_pairs(arena, in->dim, &items, &pairs, &out->pair);
    return CD_OK;
}
