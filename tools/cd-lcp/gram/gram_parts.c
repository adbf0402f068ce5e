// SPDX-License-Identifier: MIT
#include "gram_fronts.h"

// A subtree of at most this part of the work [multiplications] is worked off apart, and of at least that: what is left
// for the top are few large fronts, of which each is shared out by its columns, and small ones that do not matter.
#define WORK_MOST 0.125
#define WORK_LEAST 0.005
#define ALL_LEAST 5e7  // of all fronts together: less is done by one worker before others are at work

// Of each front: the work of the subtree below it, and its first front.
static double *measure_subtrees(const cd_gram *m, int32_t *first, cd_arena *scratch)
{
    double *work = CD_ARENA_ZARRAY(scratch, double, m->count);
    for (int32_t f = 0; f < m->count; f++)
        first[f] = f;
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t up = m->parent[f];
        work[f] += cd_gram_front_work(m, f);
        if (up < 0)
            continue;
        work[up] += work[f];
        first[up] = first[f] < first[up] ? first[f] : first[up];
    }
    return work;
}

// Entries that wait for their parents at one time, in the subtree `part` or for -1 in the top.
static int64_t stack_of(const cd_gram *m, int32_t part, int32_t begin, int32_t end, int64_t *taken)
{
    int64_t waiting = 0, most = 0;
    for (int32_t f = begin; f < end; f++) {
        const int32_t up = m->parent[f];
        if (m->parts.of[f] != part)
            continue;
        waiting -= taken[f];
        if (up < 0 || m->parts.of[up] != part)
            continue;
        waiting += cd_gram_rest(m, f);
        taken[up] += cd_gram_rest(m, f);
        most = waiting > most ? waiting : most;
    }
    return most;
}

static void measure_parts(cd_gram *m, cd_arena *scratch)
{
    cd_gram_parts *p = &m->parts;
    int64_t *taken = CD_ARENA_ZARRAY(scratch, int64_t, m->count);
    for (int32_t k = 0; k < p->count; k++) {
        const int32_t root = p->root[k];
        p->rest_at[k] = p->rest_size;
        p->rest_size += cd_gram_rest(m, root);
        p->value_at[k] = p->value_size;
        p->value_size += cd_gram_size(m, root) - m->pivots[root];
        const int64_t stack = stack_of(m, k, p->first[k], root + 1, taken);
        p->stack_size = stack > p->stack_size ? stack : p->stack_size;
        for (int32_t f = p->first[k]; f <= root; f++)
            p->largest = cd_gram_size(m, f) > p->largest ? cd_gram_size(m, f) : p->largest;
    }
    p->top_stack_size = stack_of(m, -1, 0, m->count, taken);
}

void cd_gram_find_parts(cd_gram *m)
{
    cd_gram_parts *p = &m->parts;
    const double all = cd_gram_work(m);
    *p = (cd_gram_parts){0};
    if (all < ALL_LEAST)
        return;
    cd_arena scratch = {0};
    int32_t *first = CD_ARENA_ARRAY(&scratch, int32_t, m->count);
    const double *work = measure_subtrees(m, first, &scratch);
    p->of = CD_ARENA_ARRAY(m->arena, int32_t, m->count);
    p->first = CD_ARENA_ARRAY(m->arena, int32_t, m->count);
    p->root = CD_ARENA_ARRAY(m->arena, int32_t, m->count);
    memset(p->of, -1, sizeof *p->of * (size_t)m->count);
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t up = m->parent[f];
        if (work[f] > WORK_MOST * all || work[f] < WORK_LEAST * all || (up >= 0 && work[up] <= WORK_MOST * all))
            continue;
        p->first[p->count] = first[f];
        p->root[p->count] = f;
        for (int32_t k = first[f]; k <= f; k++)
            p->of[k] = p->count;
        p->count++;
    }
    p->rest_at = CD_ARENA_ARRAY(m->arena, int64_t, p->count);
    p->value_at = CD_ARENA_ARRAY(m->arena, int32_t, p->count);
    measure_parts(m, &scratch);
    cd_arena_release(&scratch);
}
