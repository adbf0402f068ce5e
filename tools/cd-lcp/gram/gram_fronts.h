// gram_fronts -- the fronts of a factorisation of D + C + R'R (gram_factor.h), as those that fill them with numbers see
// them.
// SPDX-License-Identifier: MIT
#ifndef GRAM_FRONTS_H
#define GRAM_FRONTS_H

#include "gram_factor.h"
#include "gram_front.h"

// What a worker needs while it works fronts off.
typedef struct cd_gram_desk {
    double *front, *floor;
    double *wide;             // scratch: a column of R'R of a wide group
    double *stack, *top;      // what fronts hand on that wait for their parents, and where the next goes
    int32_t *waiting, depth;  // these fronts
    double *column;           // a column each: what the groups have added to the diagonal of K, or a right side
} cd_gram_desk;

// Subtrees that are worked off apart (gram_numbers.c), each by one worker; the other fronts are the top of the tree.
// Which they are depends on the pattern alone. Subtree k: fronts first[k] .. root[k].
typedef struct cd_gram_parts {
    int32_t count, *first, *root;
    int32_t *of;                    // of each front: its subtree, -1 for the top
    int64_t *rest_at, rest_size;    // of each subtree: where `rest` has what its root hands on
    int32_t *value_at, value_size;  // the same for `value`: of each column that its root hands on
    int64_t stack_size;             // entries that wait at one time in a subtree,
    int64_t top_stack_size;         // and in the top
    int32_t largest;                // columns of the largest front in a subtree
} cd_gram_parts;

// Fronts in the order in which they are worked off, each with its columns, pivots first.
struct cd_gram {
    const cd_gram_groups *groups;
    cd_arena *arena;
    int32_t count;
    int32_t *first, *column;  // columns of front f: column[first[f]] .. column[first[f+1] - 1]
    int32_t *pivots;
    int32_t *children;  // number of each front's
    int32_t *parent;
    int32_t *pivot_at;  // of each front: pivots of those before it
    int32_t
        *up;  // of each column that is no pivot: its place in the parent, ascending; at the index it has in `column`
    int32_t *group_at, *group;  // groups of front f: group[group_at[f]] .. group[group_at[f+1] - 1]
    int32_t *local;             // of each column of a group: its place in the front
    // Entries of C that front f begins with: held_at[f] .. held_at[f+1] - 1, each with its row and column there and its
    // place in groups->held. NULL: none.
    int32_t *held_at, *held_low, *held_high, *held_entry;
    int32_t *loose, loose_count;  // columns that no group touches
    int64_t *panel_at;            // of each front: its columns of L in `panel`
    int64_t panel_size, stack_size;
    int32_t largest;  // columns of the largest front
    cd_gram_parts parts;
    int threads;
    cd_gram_desk *desk;  // as many; the first one works the top off
    double *panel, *inverse;
    double **rest;  // of each front: what it hands on
    double *part_rest, *part_value;
    // What cd_gram_factor_changed needs, NULL without cd_gram_keep: where `kept` has the rest of each front, which
    // fronts the last factor made, and what each column of a group added to the diagonal of K.
    int64_t *rest_at, kept_size;
    double *kept;
    bool *is_made;
    double *share;
};

static inline int32_t cd_gram_size(const cd_gram *m, int32_t f) { return m->first[f + 1] - m->first[f]; }

// Entries of what front f hands to its parent.
static inline int64_t cd_gram_rest(const cd_gram *m, int32_t f)
{
    const int64_t rest = cd_gram_size(m, f) - m->pivots[f];
    return rest * rest;
}

// [multiplications] of its pivots.
static inline double cd_gram_front_work(const cd_gram *m, int32_t f)
{
    const double n = cd_gram_size(m, f), rest = n - m->pivots[f];
    return (n * n * n - rest * rest * rest) / 6;
}

// Entries of the largest front.
static inline int64_t cd_gram_front_entries(const cd_gram *m)
{
    return (int64_t)m->largest * cd_front_stride(m->largest);
}

// Entries that wait at one time on the desk of who works the top off.
static inline int64_t cd_gram_stack(const cd_gram *m)
{
    const int64_t top = m->parts.top_stack_size, part = m->parts.stack_size;
    return m->parts.count == 0 ? m->stack_size : top > part ? top : part;
}

// Finds the subtrees; the rest of the analysis is there. Of small problems there are none.
void cd_gram_find_parts(cd_gram *m);

// t: what x has in the columns of front f, and zeros up to whole vectors.
static inline void cd_gram_take(const cd_gram *m, int32_t f, const double *x, double *t)
{
    const int32_t n = cd_gram_size(m, f), *column = m->column + m->first[f];
    for (int32_t k = 0; k < n; k++)
        t[k] = x[column[k]];
    memset(t + n, 0, sizeof *t * CD_FRONT_LANES);
}

// x gets t back in the first `count` columns of front f.
static inline void cd_gram_put(const cd_gram *m, int32_t f, int32_t count, const double *t, double *x)
{
    const int32_t *column = m->column + m->first[f];
    for (int32_t k = 0; k < count; k++)
        x[column[k]] = t[k];
}

#endif
