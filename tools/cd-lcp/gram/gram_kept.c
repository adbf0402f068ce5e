// SPDX-License-Identifier: MIT
#include "gram_kept.h"

#include "gram_fronts.h"

#include <pthread.h>

enum { PATTERNS = 4, GROUPS_LEAST = 256 };

typedef struct pattern {
    cd_arena arena;
    cd_gram_groups groups;  // the pattern alone: no heights and no places
    cd_gram *gram;          // NULL: none is kept here
} pattern;

struct cd_gram_kept {
    pthread_mutex_t lock;
    pattern pattern[PATTERNS];
    int next;  // that gives way
};

cd_gram_kept *cd_gram_kept_make(void)
{
    cd_gram_kept *kept = cd_alloc(sizeof *kept);
    memset(kept, 0, sizeof *kept);
    pthread_mutex_init(&kept->lock, NULL);
    return kept;
}

void cd_gram_kept_release(cd_gram_kept *kept)
{
    for (int k = 0; k < PATTERNS; k++)
        cd_arena_release(&kept->pattern[k].arena);
    pthread_mutex_destroy(&kept->lock);
    cd_free(kept);
}

static bool is_same(const cd_gram_groups *a, const cd_gram_groups *b)
{
    return a->columns == b->columns && a->count == b->count && a->first[a->count] == b->first[b->count] &&
           memcmp(a->first, b->first, sizeof *a->first * ((size_t)a->count + 1)) == 0 &&
           memcmp(a->col, b->col, sizeof *a->col * (size_t)a->first[a->count]) == 0;
}

static int32_t *copy_of(const int32_t *from, size_t count, cd_arena *arena)
{
    int32_t *out = CD_ARENA_ARRAY(arena, int32_t, count);
    return count > 0 ? memcpy(out, from, sizeof *out * count) : out;
}

// What an analysis has found, for groups of the same pattern; no numbers.
static cd_gram *analysis_of(const cd_gram *from, const cd_gram_groups *groups, cd_arena *arena)
{
    const size_t fronts = (size_t)from->count, columns = (size_t)from->first[from->count],
                 entries = (size_t)groups->first[groups->count];
    cd_gram *m = CD_ARENA_ARRAY(arena, cd_gram, 1);
    *m = (cd_gram){.groups = groups,
                   .arena = arena,
                   .threads = 1,
                   .count = from->count,
                   .loose_count = from->loose_count,
                   .panel_size = from->panel_size,
                   .stack_size = from->stack_size,
                   .largest = from->largest};
    m->first = copy_of(from->first, fronts + 1, arena);
    m->column = copy_of(from->column, columns, arena);
    m->pivots = copy_of(from->pivots, fronts, arena);
    m->children = copy_of(from->children, fronts, arena);
    m->parent = copy_of(from->parent, fronts, arena);
    m->pivot_at = copy_of(from->pivot_at, fronts, arena);
    m->up = copy_of(from->up, columns, arena);
    m->group_at = copy_of(from->group_at, fronts + 1, arena);
    m->group = copy_of(from->group, (size_t)groups->count, arena);
    m->local = copy_of(from->local, entries, arena);
    m->loose = copy_of(from->loose, (size_t)groups->columns, arena);
    m->panel_at = CD_ARENA_ARRAY(arena, int64_t, fronts);
    memcpy(m->panel_at, from->panel_at, sizeof *m->panel_at * fronts);
    cd_gram_find_parts(m);
    return m;
}

static void keep(pattern *to, const cd_gram *gram, const cd_gram_groups *groups)
{
    cd_arena_reset(&to->arena);
    to->groups = (cd_gram_groups){
        .columns = groups->columns,
        .count = groups->count,
        .first = copy_of(groups->first, (size_t)groups->count + 1, &to->arena),
        .col = copy_of(groups->col, (size_t)groups->first[groups->count], &to->arena),
    };
    to->gram = analysis_of(gram, &to->groups, &to->arena);
}

cd_gram *cd_gram_recall(cd_gram_kept *kept, const cd_gram_groups *groups, cd_arena *arena)
{
    if (!kept || groups->held_first || groups->count < GROUPS_LEAST)
        return cd_gram_analyse(groups, arena);
    cd_gram *found = NULL;
    pthread_mutex_lock(&kept->lock);
    for (int k = 0; k < PATTERNS && !found; k++) {
        const pattern *p = &kept->pattern[k];
        if (p->gram && is_same(&p->groups, groups))
            found = analysis_of(p->gram, groups, arena);
    }
    pthread_mutex_unlock(&kept->lock);
    if (found)
        return found;
    found = cd_gram_analyse(groups, arena);
    pthread_mutex_lock(&kept->lock);
    keep(&kept->pattern[kept->next], found, groups);
    kept->next = (kept->next + 1) % PATTERNS;
    pthread_mutex_unlock(&kept->lock);
    return found;
}
