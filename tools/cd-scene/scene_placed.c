// SPDX-License-Identifier: MIT
#include "scene_placed.h"

#include "cd_bounds.h"
#include "cd_box_pairs.h"
#include "cd_length.h"
#include "narrow_options.h"

#include <inttypes.h>

enum { MOST_PARTS = 20000, MOST_PAIRS = 200000 };

typedef struct placed_parts {
    const cd_model *in;
    int32_t count;
    cd_aabb *box;   // of the first poses
    int32_t *body;  // row
    int32_t *part;  // its number in the body
} placed_parts;

static int32_t parts_of(const cd_leaves *leaves, const cd_model *in, int32_t body)
{
    int32_t shape = in->body.shape ? in->body.shape[body] : -1;
    return shape >= 0 && cd_body_is_active(in, body) ? leaves->first[shape + 1] - leaves->first[shape] : 0;
}

// False: there are too many.
static bool place_parts(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, placed_parts *parts)
{
    enum { AXES = 3 };
    int64_t total = 0;
    for (int32_t i = 0; i < in->body.count && total <= MOST_PARTS; i++)
        total += parts_of(leaves, in, i);
    if (total > MOST_PARTS)
        return false;
    *parts = (placed_parts){.in = in,
                            .box = CD_ARENA_ARRAY(arena, cd_aabb, (size_t)total),
                            .body = CD_ARENA_ARRAY(arena, int32_t, (size_t)total),
                            .part = CD_ARENA_ARRAY(arena, int32_t, (size_t)total)};
    double *min = CD_ARENA_ARRAY(arena, double, AXES *(size_t)total);
    double *max = CD_ARENA_ARRAY(arena, double, AXES *(size_t)total);
    const cd_bounds_frame frame = {in, leaves, NULL, true};
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t own = parts_of(leaves, in, i);
        if (own > 0)
            cd_bounds_of_body(&frame, i, 0, min, max);
        for (int32_t k = 0; k < own; k++, parts->count++) {
            memcpy(parts->box[parts->count].min, min + (size_t)k * (size_t)in->dim, sizeof *min * (size_t)in->dim);
            memcpy(parts->box[parts->count].max, max + (size_t)k * (size_t)in->dim, sizeof *max * (size_t)in->dim);
            parts->body[parts->count] = i;
            parts->part[parts->count] = k;
        }
    }
    return true;
}

static bool is_wanted(const void *context, int32_t i, int32_t j)
{
    const placed_parts *parts = context;
    int32_t a = parts->body[i], b = parts->body[j];
    return a != b &&
           !(cd_body_motion(parts->in, a) == CD_MOTION_FIXED && cd_body_motion(parts->in, b) == CD_MOTION_FIXED);
}

static void write_pairs(cd_arena *arena, const placed_parts *parts, const cd_box_pairs *pairs, cd_pair_rows *rows)
{
    *rows = (cd_pair_rows){.count = pairs->count,
                           .a = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)pairs->count),
                           .b = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)pairs->count)};
    for (int32_t i = 0; i < pairs->count; i++) {
        cd_box_pair pair = pairs->item[i];
        rows->a[2 * i] = parts->body[pair.a];
        rows->a[2 * i + 1] = parts->part[pair.a];
        rows->b[2 * i] = parts->body[pair.b];
        rows->b[2 * i + 1] = parts->part[pair.b];
    }
}

static void tell(cd_ctx *ctx, const cd_model *in, const cd_contact_rows *contacts, double epsilon)
{
    int32_t count = 0, deepest = 0;
    for (int32_t i = 0; i < contacts->count; i++) {
        count += contacts->gap[i] < -epsilon;
        deepest = contacts->gap[i] < contacts->gap[deepest] ? i : deepest;
    }
    if (count == 0)
        return;
    const cd_arena_mark mark = cd_arena_get_mark(&ctx->run);
    const char *others = count > 1 ? cd_arena_printf(&ctx->run, "; %d pairs of parts overlap", count) : "";
    cd_warn(ctx, "bodies %" PRId64 " and %" PRId64 " are placed in one another, by %g m%s",
            in->body.id[contacts->a[2 * (size_t)deepest]], in->body.id[contacts->b[2 * (size_t)deepest]],
            -contacts->gap[deepest], others);
    cd_arena_rewind(&ctx->run, mark);
}

// What is wrong with a shape is told by the stages that need it.
static void look(cd_ctx *ctx, cd_arena *arena, cd_model *in)
{
    cd_narrow_options options = CD_NARROW_DEFAULTS;
    options.contacts = "depth";
    options.reach = 0;
    cd_narrow_stage stage = {.options = &options, .threads = 1};
    placed_parts parts;
    cd_box_pairs pairs = {0};
    cd_contact_rows contacts = {0};
    cd_narrow_counts counts;
    cd_diag unsaid = {0};
    if (cd_leaves_make_prepared(arena, in, NULL, 1, &stage.shapes, &unsaid) != CD_OK ||
        !place_parts(arena, in, &stage.shapes, &parts))
        return;
    cd_box_sweep(parts.box, parts.count, in->dim, is_wanted, &parts, arena, &pairs);
    if (pairs.count == 0 || pairs.count > MOST_PAIRS)
        return;
    write_pairs(arena, &parts, &pairs, &in->pair);
    if (cd_narrow_frame(arena, &stage, in, &contacts, &counts, &unsaid) == CD_OK)
        tell(ctx, in, &contacts, cd_epsilon_of(arena, in, &stage.shapes));
}

void cd_scene_placed_warn(cd_ctx *ctx, const cd_model *model)
{
    if (ctx->quiet || model->body.count < 2)
        return;
    cd_arena arena = {0};
    cd_model in = *model;
    look(ctx, &arena, &in);
    cd_arena_release(&arena);
}
