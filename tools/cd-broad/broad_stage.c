// SPDX-License-Identifier: MIT
#include "broad_stage.h"

#include "broad_items.h"

#include <stdlib.h>

const char *const cd_broad_overlap_names[] = {"box", "sphere", NULL};
const char *const cd_broad_bounds_names[] = {"all", "moving", "none", NULL};
const char *const cd_broad_vector_names[] = {"portable", "avx2", "avx512", NULL};

// False when it is neither a length above 0 nor "auto", which is NaN.
static bool read_cell(const char *text, double *cell)
{
    char *end;
    *cell = NAN;
    if (!strcmp(text, "auto"))
        return true;
    *cell = strtod(text, &end);
    return end != text && !*end && *cell > 0 && *cell < INFINITY;
}

cd_broad_tuning cd_broad_tuning_of(const cd_broad_options *options, int threads)
{
    int level = CD_VECTOR_AVX512;
    while (level > 0 && strcmp(cd_broad_vector_names[level], options->vector))
        level--;
    double cell;
    read_cell(options->cell, &cell);
    return (cd_broad_tuning){threads, cd_vector_detect((cd_vector_level)level), cell, (int32_t)options->cutoff};
}

cd_status cd_broad_check_options(const cd_broad_options *options, cd_diag *diag)
{
    if (cd_broad_is_of_spheres(options) && options->use_bounds)
        return cd_fail(diag, CD_ERR_USAGE, "--overlap: spheres are made of shapes, which --use-bounds does not read");
    double cell;
    if (!read_cell(options->cell, &cell))
        return cd_fail(diag, CD_ERR_USAGE, "--cell: \"%s\" is neither a length above 0 nor auto", options->cell);
    if (!options->group)
        return CD_OK;
    const char *colon = strchr(options->group, ':');
    if (!colon || colon == options->group || !colon[1] || strchr(colon + 1, ':'))
        return cd_fail(diag, CD_ERR_USAGE, "--group: \"%s\" is not two names with a colon between", options->group);
    return CD_OK;
}

// Is the body of the first or the second group of --group A:B?
static bool is_of_group(const cd_model *in, int32_t body, const cd_broad_options *options, int which)
{
    const char *name = in->body.group ? in->body.group[body] : NULL;
    const char *colon = strchr(options->group, ':');
    size_t length = (size_t)(colon - options->group);
    if (!name)
        return false;
    if (which == 1)
        return !strcmp(name, colon + 1);
    return strlen(name) == length && !memcmp(name, options->group, length);
}

static void look_for_groups(cd_broad_stage *stage, const cd_model *in)
{
    stage->has_frames = true;
    for (int which = 0; which < 2 && stage->options->group; which++)
        for (int32_t i = 0; i < in->body.count && !stage->has_group[which]; i++)
            stage->has_group[which] = is_of_group(in, i, stage->options, which);
}

cd_status cd_broad_check_groups(const cd_broad_stage *stage, const cd_prog_rows *prog, cd_diag *diag)
{
    const char *group = stage->options->group;
    bool is_part = false;
    for (int32_t i = 0; i < prog->count; i++)
        is_part |= !strcmp(prog->tool[i], "cd-shard");
    if (!group || !stage->has_frames || is_part || (stage->has_group[0] && stage->has_group[1]))
        return CD_OK;
    size_t first = strcspn(group, ":");
    const char *name = stage->has_group[0] ? group + first + 1 : group;
    return cd_fail(diag, CD_ERR_USAGE, "--group: no body of any frame is of group %.*s",
                   stage->has_group[0] ? 60 : (int)first, name);
}

static uint8_t class_of(const cd_model *in, int32_t body, const cd_broad_options *options)
{
    unsigned class = cd_body_motion(in, body) == CD_MOTION_DYNAMIC ? CD_BROAD_DYNAMIC : 0;
    if (!options->group)
        return (uint8_t)(class | CD_BROAD_UNGROUPED);
    if (is_of_group(in, body, options, 0))
        class |= CD_BROAD_IN_A;
    if (is_of_group(in, body, options, 1))
        class |= CD_BROAD_IN_B;
    return (uint8_t) class;
}

// Bodies and classes of the items, where pairs depend on them.
static void mark_items(cd_arena *arena, const cd_model *in, cd_body_order order, const cd_broad_options *options,
                       cd_broad_items *items)
{
    bool is_one_each = true, is_plain = !options->group;
    for (int32_t i = 1; i < items->stored && is_one_each; i++)
        is_one_each = items->site[2 * i] != items->site[2 * i - 2];
    for (int32_t i = 0; in->body.motion && i < in->body.count && is_plain; i++)
        is_plain = cd_i32_or(in->body.motion, i, CD_MOTION_DYNAMIC) == CD_MOTION_DYNAMIC ||
                   (items->standing.boxes && i == items->standing_row);
    if (!is_one_each) {
        items->body = CD_ARENA_ARRAY(arena, int32_t, items->stored);
        for (int32_t i = 0; i < items->stored; i++)
            items->body[i] = order.rank[items->site[2 * i]];
    }
    if (!is_plain) {
        items->class = CD_ARENA_ARRAY(arena, uint8_t, items->stored);
        for (int32_t i = 0; i < items->stored; i++) {
            bool is_same = i > 0 && items->site[2 * i] == items->site[2 * i - 2];
            items->class[i] = is_same ? items->class[i - 1] : class_of(in, items->site[2 * i], options);
        }
    }
    if (items->standing.boxes) {
        items->standing.body = order.rank[items->standing_row];
        items->standing.class = class_of(in, items->standing_row, options);
    }
}

void cd_broad_stage_release(cd_broad_stage *stage)
{
    cd_region_release(&stage->kept.min);
    cd_region_release(&stage->kept.max);
    cd_region_release(&stage->kept.ball);
    cd_broad_engine_free(stage->engine);
}

// ---- tables --------------------------------------------------------------------------------------------------------

// What the rows of `pair` are made of.
typedef struct pair_source {
    const int32_t *site;  // of the items; NULL: item i is the only part of the body in row i
    cd_broad_still standing;
    int32_t standing_row;  // where it stands apart
    cd_broad_result result;
} pair_source;

// Then sites need no look-up, which at a million boxes is a cache miss a pair.
static bool items_are_rows(const cd_broad_items *items)
{
    int32_t wrong = items->standing.boxes != NULL;
    for (int32_t i = 0; i < items->stored; i++)
        wrong |= (items->site[2 * i] ^ i) | items->site[2 * i + 1];
    return !wrong;
}

// The item whose list holds pair number k.
static int32_t item_of_pair(const cd_broad_result *result, int32_t items, int32_t k)
{
    int32_t low = 0, high = items;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (result->first[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct site {
    int32_t row, part;
} site;

static inline site site_of(const pair_source *source, int32_t i)
{
    const cd_broad_still *standing = &source->standing;
    if (standing->boxes && i >= standing->begin && i < standing->end)
        return (site){source->standing_row, i - standing->begin};
    return source->site ? ((const site *)source->site)[cd_broad_stored(standing, i)] : (site){i, 0};
}

static void put_sites(const pair_source *source, const int32_t *item, int32_t count, int32_t *column)
{
    site *to = (site *)column;
    if (source->standing.boxes)
        for (int32_t k = 0; k < count; k++)
            to[k] = site_of(source, item[k]);
    else if (source->site)
        for (int32_t k = 0; k < count; k++)
            to[k] = ((const site *)source->site)[item[k]];
    else
        for (int32_t k = 0; k < count; k++)
            to[k] = (site){item[k], 0};
}

// The site of item i for each of its pairs among first .. first+count-1. A list is short as a rule, so AHEAD sites are
// written without a branch for its length; what is too many the next item overwrites. `to` has room for AHEAD more.
enum { AHEAD = 8 };

static void put_lower_sites(const pair_source *source, int32_t first, int32_t count, site *to)
{
    const int32_t *list_first = source->result.first;
    int32_t i = item_of_pair(&source->result, source->result.items, first);
    int64_t end = (int64_t)first + count;
    for (int64_t k = first; k < end; i++) {
        int64_t list_end = list_first[i + 1] < end ? list_first[i + 1] : end;
        site own = site_of(source, i);
        for (int32_t ahead = 0; ahead < AHEAD; ahead++)
            to[k - first + ahead] = own;
        for (k += AHEAD; k < list_end; k++)
            to[k - first] = own;
        k = list_end;
    }
}

static void make_pairs(const void *context, cd_arena *arena, int32_t first, int32_t count, cd_rows *rows)
{
    const pair_source *source = context;
    cd_pair_rows *pair = (cd_pair_rows *)rows;
    pair->a = CD_ARENA_ARRAY(arena, int32_t, 2 * ((size_t)count + AHEAD));
    pair->b = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)count);
    put_lower_sites(source, first, count, (site *)pair->a);
    put_sites(source, source->result.other + first, count, pair->b);
}

// The rows of the table that --bounds asks for: of all items, or of those of bodies that are not fixed.
static cd_bounds_rows written_bounds(cd_arena *arena, const cd_model *in, const cd_broad_items *items,
                                     const cd_broad_options *options)
{
    cd_bounds_rows rows = {.count = items->count, .a = items->site, .min = items->min, .max = items->max};
    if (!strcmp(options->bounds, "all"))
        return rows;
    rows.count = 0;
    if (!strcmp(options->bounds, "none"))
        return rows;
    size_t dim = (size_t)in->dim;
    cd_broad_items moving;
    cd_broad_items_make(arena, in->dim, items->count - (items->standing.end - items->standing.begin), &moving);
    moving.count = 0;
    for (int32_t i = 0; i < items->stored; i++) {
        i = !items->standing.boxes && i == items->standing.begin ? items->standing.end : i;
        if (i >= items->stored || cd_body_motion(in, items->site[2 * (size_t)i]) == CD_MOTION_FIXED)
            continue;
        size_t to = (size_t)moving.count++, from = (size_t)i;
        memcpy(moving.site + 2 * to, items->site + 2 * from, 2 * sizeof *moving.site);
        memcpy(moving.min + dim * to, items->min + dim * from, dim * sizeof(double));
        memcpy(moving.max + dim * to, items->max + dim * from, dim * sizeof(double));
    }
    return (cd_bounds_rows){.count = moving.count, .a = moving.site, .min = moving.min, .max = moving.max};
}

cd_status cd_broad_frame(cd_arena *arena, cd_broad_stage *stage, const cd_model *in, cd_bounds_rows *bounds,
                         cd_parts *pair, cd_broad_ran *ran, cd_diag *diag)
{
    const cd_broad_options *options = stage->options;
    cd_broad_items items = {0};
    look_for_groups(stage, in);
    cd_body_order order = cd_body_order_make(arena, &in->body);
    if (options->use_bounds)
        CD_TRY(cd_broad_items_from_bounds(arena, in, order, &items, diag));
    else
        CD_TRY(cd_broad_items_from_bodies(arena, stage, in, order, &items, diag));
    mark_items(arena, in, order, options, &items);
    cd_broad_input input = {in->dim,    items.count, items.min,  items.max,
                            items.body, items.class, items.ball, items.standing};
    cd_broad_engine_ask(stage->engine, (cd_broad_near){items.facets ? cd_broad_facet_is_near : NULL, items.facets});
    pair_source *source = cd_arena_alloc(arena, sizeof *source);
    const cd_broad_method *method = cd_broad_method_find(options->method);
    CD_TRY(cd_broad_find(stage->engine, method, &input, arena, &source->result, ran, diag));
    source->site = items_are_rows(&items) ? NULL : items.site;
    source->standing = items.standing;
    source->standing_row = items.standing_row;
    *pair = (cd_parts){source->result.count, source, make_pairs};
    if (!options->use_bounds)
        *bounds = written_bounds(arena, in, &items, options);
    return CD_OK;
}
