// SPDX-License-Identifier: MIT
#include "broad_find.h"

#include "cd_assert.h"

#include <inttypes.h>
#include <stdio.h>

// ---- raw pairs -----------------------------------------------------------------------------------------------------

void cd_broad_grow_(cd_broad_pairs *pairs, int64_t extra)
{
    int64_t limit = pairs->limit - pairs->handed;
    if (pairs->count > limit)
        cd_broad_keep_wanted(pairs->input, pairs, pairs->settled);
    if (pairs->count > limit) {
        pairs->is_full = true;
        pairs->count = pairs->settled = 0;
    }
    cd_region region = {pairs->item, pairs->bytes};
    cd_region_reserve(&region, (size_t)pairs->count * sizeof *pairs->item,
                      (size_t)(pairs->count + extra) * sizeof *pairs->item);
    pairs->item = region.data;
    pairs->bytes = region.bytes;
    // Not beyond the limit, so that reaching it comes here.
    int64_t room = (int64_t)(region.bytes / sizeof *pairs->item), most = limit + 1 + extra;
    pairs->capacity = room < most ? room : most;
}

void cd_broad_hand_on_(cd_broad_pairs *pairs)
{
    cd_broad_buckets_add(pairs->buckets, pairs->item, pairs->count);
    pairs->handed += pairs->count;
    pairs->count = pairs->settled = 0;
    pairs->capacity = 0;  // what is left of the limit has changed
}

void cd_broad_drop_pairs(cd_broad_pairs *pairs)
{
    pairs->count = pairs->settled = pairs->handed = 0;
    pairs->is_full = false;
    if (pairs->buckets)
        cd_broad_buckets_start(pairs->buckets, pairs->input->count, pairs->buckets->shift);
}

// Both write every pair and advance by whether it stays: there is no branch to predict. They return how many stay.
static int64_t keep_wanted(const cd_broad_input *input, cd_box_pair *item, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        cd_box_pair pair = item[i];
        item[kept] = pair;
        kept += cd_broad_wanted(input, pair.a, pair.b);
    }
    return kept;
}

static int64_t keep_near(const cd_broad_input *input, cd_box_pair *item, int64_t count)
{
    enum { AHEAD = 16 };  // balls lie anywhere in memory
    int64_t kept = 0, width = (int64_t)input->dim + 1;
    for (int64_t i = 0; i < count; i++) {
        cd_box_pair pair = item[i];
        if (i + AHEAD < count)
            __builtin_prefetch(input->ball + width * item[i + AHEAD].b);
        item[kept] = pair;
        kept += cd_broad_balls_overlap(input, pair.a, pair.b);
    }
    return kept;
}

static void keep(const cd_broad_input *input, cd_broad_pairs *pairs, int64_t from, bool are_near)
{
    int64_t begin = from > pairs->settled ? from : pairs->settled;
    if (begin < pairs->count) {
        cd_box_pair *item = pairs->item + begin;
        int64_t count = pairs->count - begin;
        count = cd_broad_wants_all(input) ? count : keep_wanted(input, item, count);
        pairs->count = begin + (are_near ? count : keep_near(input, item, count));
    }
    pairs->settled = pairs->count;
}

void cd_broad_keep_wanted(const cd_broad_input *input, cd_broad_pairs *pairs, int64_t from)
{
    if (!cd_broad_takes_all(input))
        keep(input, pairs, from, !input->ball);
}

int64_t cd_broad_keep_members(const cd_broad_input *input, cd_broad_pairs *pairs, int64_t from)
{
    keep(input, pairs, from, true);
    return pairs->count;
}

// ---- engine --------------------------------------------------------------------------------------------------------

enum { MOST_METHODS = 32 };

struct cd_broad_engine {
    cd_broad_tuning tuning;
    cd_broad_pairs *pairs;      // [threads]
    cd_broad_buckets *buckets;  // [threads]
    int64_t last_pairs;         // of the frame before; 0: there was none
    void *state[MOST_METHODS];
    cd_broad_snapshot snapshot[3], *now, *last, *before_last;  // for `auto`; they change places
    char why[160];
    cd_broad_standing *standing;  // NULL: nothing stood still so far
    cd_broad_near near;
};

cd_broad_engine *cd_broad_engine_new(cd_broad_tuning tuning, int64_t max_pairs)
{
    cd_broad_engine *engine = cd_alloc(sizeof *engine);
    *engine = (cd_broad_engine){.tuning = tuning};
    engine->now = &engine->snapshot[0];
    engine->last = &engine->snapshot[1];
    engine->before_last = &engine->snapshot[2];
    engine->pairs = cd_alloc((size_t)tuning.threads * sizeof *engine->pairs);
    for (int t = 0; t < tuning.threads; t++)
        engine->pairs[t] = (cd_broad_pairs){.limit = max_pairs < INT32_MAX - 1 ? max_pairs : INT32_MAX - 1};
    engine->buckets = cd_alloc((size_t)tuning.threads * sizeof *engine->buckets);
    memset(engine->buckets, 0, (size_t)tuning.threads * sizeof *engine->buckets);
    return engine;
}

void cd_broad_engine_free(cd_broad_engine *engine)
{
    if (!engine)
        return;
    for (int m = 0; cd_broad_methods[m]; m++)
        if (engine->state[m] && cd_broad_methods[m]->forget)
            cd_broad_methods[m]->forget(engine->state[m]);
    for (int t = 0; t < engine->tuning.threads; t++) {
        cd_region_release(&(cd_region){engine->pairs[t].item, engine->pairs[t].bytes});
        cd_broad_buckets_release(&engine->buckets[t]);
    }
    cd_broad_standing_free(engine->standing);
    cd_free(engine->buckets);
    cd_free(engine->pairs);
    cd_free(engine);
}

int cd_broad_engine_threads(const cd_broad_engine *engine) { return engine->tuning.threads; }

void cd_broad_engine_repeat(cd_broad_engine *engine)
{
    cd_broad_snapshot *undone = engine->last;
    engine->last = engine->before_last;
    engine->before_last = undone;
    undone->items = 0;
}

static void **state_of(cd_broad_engine *engine, const cd_broad_method *method)
{
    int m = 0;
    while (cd_broad_methods[m] && cd_broad_methods[m] != method)
        m++;
    CD_ASSERT(m < MOST_METHODS);
    return &engine->state[m];
}

// What another method kept of frames before is of no use any more.
static void forget_others(cd_broad_engine *engine, const cd_broad_method *method)
{
    for (int m = 0; cd_broad_methods[m]; m++)
        if (cd_broad_methods[m] != method && engine->state[m] && cd_broad_methods[m]->forget) {
            cd_broad_methods[m]->forget(engine->state[m]);
            engine->state[m] = NULL;
        }
}

// `auto`: the method for these boxes.
static const cd_broad_method *choose(cd_broad_engine *engine, const cd_broad_input *input,
                                     const cd_broad_statistics *statistics)
{
    cd_broad_snapshot *spare = engine->before_last;
    cd_broad_take_snapshot(input, engine->now);
    cd_broad_choice choice = cd_broad_choose(input, statistics, engine->now, engine->last);
    engine->before_last = engine->last;
    engine->last = engine->now;
    engine->now = spare;
    memcpy(engine->why, choice.why, sizeof engine->why);
    return choice.method;
}

// may_hand_on: nobody looks at single pairs before they are put in order.
static void start_pairs(cd_broad_engine *engine, const cd_broad_input *input, bool may_hand_on)
{
    enum { PAIRS_AN_ITEM = 8 };  // foretold of a first frame
    int64_t expected = engine->last_pairs ? engine->last_pairs : PAIRS_AN_ITEM * (int64_t)input->count;
    int shift = cd_broad_bucket_shift(input->count, expected);
    for (int t = 0; t < engine->tuning.threads; t++) {
        cd_broad_pairs *pairs = &engine->pairs[t];
        pairs->input = input;
        pairs->buckets = may_hand_on ? &engine->buckets[t] : NULL;
        engine->buckets[t].shift = shift;
        pairs->capacity = 0;  // it may be less than there is room for, by the limit of before
        cd_broad_drop_pairs(pairs);
    }
}

// The items that do not stand still, copied but where the others stand apart; item[k]: the number of number k.
static cd_broad_input others_of(const cd_broad_input *input, cd_arena *arena, int32_t **item)
{
    int32_t standing = input->standing.end - input->standing.begin, count = input->count - standing;
    size_t dim = (size_t)input->dim;
    *item = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t k = 0; k < count; k++)
        (*item)[k] = k < input->standing.begin ? k : k + standing;
    if (input->standing.boxes) {
        cd_broad_input others = *input;
        others.count = count;
        others.standing = (cd_broad_still){0};
        return others;
    }
    double *min = CD_ARENA_ARRAY(arena, double, dim *(size_t)count);
    double *max = CD_ARENA_ARRAY(arena, double, dim *(size_t)count);
    double *ball = input->ball ? CD_ARENA_ARRAY(arena, double, (dim + 1) * (size_t)count) : NULL;
    int32_t *body = input->body ? CD_ARENA_ARRAY(arena, int32_t, count) : NULL;
    uint8_t *class = input->class ? CD_ARENA_ARRAY(arena, uint8_t, count) : NULL;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = (*item)[k];
        memcpy(min + dim * (size_t)k, input->min + dim * (size_t)i, dim * sizeof *min);
        memcpy(max + dim * (size_t)k, input->max + dim * (size_t)i, dim * sizeof *max);
        if (ball)
            memcpy(ball + (dim + 1) * (size_t)k, input->ball + (dim + 1) * (size_t)i, (dim + 1) * sizeof *ball);
        if (body)
            body[k] = input->body[i];
        if (class)
            class[k] = input->class[i];
    }
    return (cd_broad_input){
        .dim = input->dim, .count = count, .min = min, .max = max, .body = body, .class = class, .ball = ball};
}

// Of the others those that a body may meet that stands apart; item[k] changes with it.
static cd_broad_input meeting_apart(const cd_broad_input *others, const cd_broad_still *standing, cd_arena *arena,
                                    int32_t *item)
{
    size_t dim = (size_t)others->dim, count = 0;
    double *min = CD_ARENA_ARRAY(arena, double, dim *(size_t)others->count);
    double *max = CD_ARENA_ARRAY(arena, double, dim *(size_t)others->count);
    for (int32_t i = 0; i < others->count; i++) {
        if (!cd_broad_classes_meet(others->class[i], standing -> class))
            continue;
        memcpy(min + dim * count, others->min + dim * (size_t)i, dim * sizeof *min);
        memcpy(max + dim * count, others->max + dim * (size_t)i, dim * sizeof *max);
        item[count++] = item[i];
    }
    return (cd_broad_input){.dim = others->dim, .count = (int32_t)count, .min = min, .max = max};
}

// The input with all items in its arrays.
static cd_broad_input whole_of(const cd_broad_input *input, cd_arena *arena)
{
    const cd_broad_still *standing = &input->standing;
    size_t dim = (size_t)input->dim, count = (size_t)input->count;
    double *min = CD_ARENA_ARRAY(arena, double, dim *count), *max = CD_ARENA_ARRAY(arena, double, dim *count);
    double *ball = input->ball ? CD_ARENA_ARRAY(arena, double, (dim + 1) * count) : NULL;
    int32_t *body = CD_ARENA_ARRAY(arena, int32_t, count);
    uint8_t *class = CD_ARENA_ARRAY(arena, uint8_t, count);
    standing->boxes(standing->context, NULL, standing->end - standing->begin, min + dim * (size_t)standing->begin,
                    max + dim * (size_t)standing->begin);
    for (int32_t i = 0; i < input->count; i++) {
        bool stands = i >= standing->begin && i < standing->end;
        size_t to = (size_t)i, k = (size_t)cd_broad_stored(standing, i);
        // Where all others are bodies of their own any ranks will do that ascend with the items.
        body[to] = input->body ? (stands ? standing->body : input->body[k]) : stands ? standing->begin : i;
        class[to] = stands ? standing->class : input->class ? input->class[k] : CD_BROAD_DYNAMIC | CD_BROAD_UNGROUPED;
        for (size_t axis = 0; axis < dim && !stands; axis++) {
            min[dim * to + axis] = input->min[dim * k + axis];
            max[dim * to + axis] = input->max[dim * k + axis];
        }
        for (size_t axis = 0; ball && axis <= dim; axis++)
            ball[(dim + 1) * to + axis] = !stands ? input->ball[(dim + 1) * k + axis] : axis < dim ? 0 : INFINITY;
    }
    return (cd_broad_input){
        .dim = input->dim, .count = input->count, .min = min, .max = max, .body = body, .class = class, .ball = ball};
}

// The others among themselves by the method that `auto` takes for them, then beside what stands.
static const cd_broad_method *search_beside_standing(cd_broad_engine *engine, const cd_broad_input *input,
                                                     cd_arena *arena)
{
    cd_broad_run run = {.input = input, .tuning = engine->tuning, .arena = arena, .pairs = engine->pairs};
    if (!engine->standing)
        engine->standing = cd_broad_standing_new();
    if (!cd_broad_standing_prepare(engine->standing, &run))
        return NULL;
    static const cd_broad_input takes_all;  // of pairs with what stands apart only those that are wanted are looked for
    int32_t *item;
    cd_broad_input others = others_of(input, arena, &item);
    cd_broad_statistics statistics = cd_broad_measure(&others, engine->tuning.threads);
    const cd_broad_method *method = choose(engine, &others, &statistics);
    forget_others(engine, method);
    start_pairs(engine, &others, false);
    method->find(&(cd_broad_run){&others, &statistics, engine->tuning, arena, engine->pairs, state_of(engine, method)});
    for (int t = 0; t < engine->tuning.threads; t++) {
        cd_broad_pairs *pairs = &engine->pairs[t];
        for (int64_t k = 0; k < pairs->count; k++)
            pairs->item[k] = (cd_box_pair){item[pairs->item[k].a], item[pairs->item[k].b]};
        pairs->input = input->standing.boxes ? &takes_all : input;
        pairs->settled = pairs->count;
    }
    if (input->standing.boxes && others.class)
        others = meeting_apart(&others, &input->standing, arena, item);
    if (others.count > 0)
        cd_broad_standing_search(engine->standing, &run, &others, item);
    size_t used = strlen(engine->why);
    snprintf(engine->why + used, sizeof engine->why - used, "; tree of %d that stand",
             (int)(input->standing.end - input->standing.begin));
    return method;
}

const cd_broad_method *cd_broad_search(cd_broad_engine *engine, const cd_broad_method *method,
                                       const cd_broad_input *input, cd_arena *arena, cd_broad_ran *ran)
{
    bool is_auto = !method;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    if (is_auto && input->standing.begin < input->standing.end)
        method = search_beside_standing(engine, input, arena);
    bool is_done = method && is_auto;
    cd_broad_input whole;
    if (!is_done && input->standing.boxes) {
        whole = whole_of(input, arena);
        input = &whole;
    }
    if (!is_done) {
        cd_broad_statistics statistics = cd_broad_measure(input, engine->tuning.threads);
        method = is_auto ? choose(engine, input, &statistics) : method;
        forget_others(engine, method);
        start_pairs(engine, input, method->hands_on && !engine->near.is_near);
        method->find(
            &(cd_broad_run){input, &statistics, engine->tuning, arena, engine->pairs, state_of(engine, method)});
    }
    cd_arena_rewind(arena, mark);
    if (ran)
        *ran = (cd_broad_ran){method->name, is_auto ? engine->why : NULL};
    return method;
}

void cd_broad_engine_ask(cd_broad_engine *engine, cd_broad_near near) { engine->near = near; }

static void keep_near_of_list(void *context, int list)
{
    cd_broad_engine *engine = context;
    cd_broad_pairs *pairs = &engine->pairs[list];
    int64_t kept = 0;
    for (int64_t i = 0; i < pairs->count; i++)
        if (engine->near.is_near(engine->near.context, pairs->item[i].a, pairs->item[i].b))
            pairs->item[kept++] = pairs->item[i];
    pairs->count = pairs->settled = kept;
}

cd_status cd_broad_collect(cd_broad_engine *engine, const cd_broad_input *input, cd_arena *arena,
                           cd_broad_result *result, cd_diag *diag)
{
    int64_t count = 0, limit = engine->pairs[0].limit;
    for (int t = 0; t < engine->tuning.threads; t++)
        count += engine->pairs[t].is_full ? limit + 1 : engine->pairs[t].count + engine->pairs[t].handed;
    if (count > limit)
        return cd_fail(diag, CD_ERR_LIMIT, "pair: more than %" PRId64 " pairs of boxes overlap (--max-rows)", limit);
    engine->last_pairs = count;
    *result = cd_broad_order(engine->pairs, engine->tuning.threads, input->count, engine->tuning.vector, arena);
    return CD_OK;
}

cd_status cd_broad_find(cd_broad_engine *engine, const cd_broad_method *method, const cd_broad_input *input,
                        cd_arena *arena, cd_broad_result *result, cd_broad_ran *ran, cd_diag *diag)
{
    double cell = engine->tuning.cell,
           least = !isnan(cell) && method && method->least_cell ? method->least_cell(input, arena) : 0;
    if (cell < least)
        return cd_fail(diag, CD_ERR_USAGE, "--cell: %.17g misses pairs: the least edge that %s takes here is %.17g",
                       cell, method->name, least);
    cd_broad_search(engine, method, input, arena, ran);
    if (engine->near.is_near)
        cd_threads_run(engine->tuning.threads, keep_near_of_list, engine);
    return cd_broad_collect(engine, input, arena, result, diag);
}
