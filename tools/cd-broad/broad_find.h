// broad_find -- runs a broad-phase method and puts what it found in canonical order.
// SPDX-License-Identifier: MIT
#ifndef BROAD_FIND_H
#define BROAD_FIND_H

#include "broad_method.h"

// All pairs (a, b), a < b: those of item a are (a, other[first[a]]) .. (a, other[first[a+1]-1]), ascending.
typedef struct cd_broad_result {
    const int32_t *first;  // items + 1 of them
    const int32_t *other;
    int32_t items;
    int32_t count;  // of pairs
} cd_broad_result;

// Memory of the run lifetime: raw pairs, states of methods with a memory.
typedef struct cd_broad_engine cd_broad_engine;
cd_broad_engine *cd_broad_engine_new(cd_broad_tuning tuning, int64_t max_pairs);  // @owns caller
void cd_broad_engine_free(cd_broad_engine *engine);                               // NULL is legal
int cd_broad_engine_threads(const cd_broad_engine *engine);

// Before a frame is found once more (--repeat): `auto` shall not take it for one in which nothing has moved.
void cd_broad_engine_repeat(cd_broad_engine *engine);

// Asked of each pair of items that a method found; where it says no the pair goes. NULL: all stay.
typedef struct cd_broad_near {
    bool (*is_near)(const void *context, int32_t i, int32_t j);
    const void *context;
} cd_broad_near;
void cd_broad_engine_ask(cd_broad_engine *engine, cd_broad_near near);  // from here on

// What ran: texts live as long as the engine.
typedef struct cd_broad_ran {
    const char *method;
    const char *why;  // of `auto`, NULL: asked for
} cd_broad_ran;

// method NULL: `auto`. The result lives in the arena until its next reset; ran may be NULL. CD_ERR_LIMIT when there are
// more than max_pairs pairs.
cd_status cd_broad_find(cd_broad_engine *engine, const cd_broad_method *method, const cd_broad_input *input,
                        cd_arena *arena, cd_broad_result *result, cd_broad_ran *ran, cd_diag *diag) CD_MUST_CHECK;

// ---- its parts -----------------------------------------------------------------------------------------------------

// The two halves of cd_broad_find: search leaves raw pairs in the engine and returns the method that ran; collect puts
// them in order.
const cd_broad_method *cd_broad_search(cd_broad_engine *engine, const cd_broad_method *method,
                                       const cd_broad_input *input, cd_arena *arena, cd_broad_ran *ran);
cd_status cd_broad_collect(cd_broad_engine *engine, const cd_broad_input *input, cd_arena *arena,
                           cd_broad_result *result, cd_diag *diag) CD_MUST_CHECK;

cd_broad_statistics cd_broad_measure(const cd_broad_input *input, int threads);

// The pairs of `lists` lists, each pair in one of them, in canonical order. O(items + pairs); a pair that is there
// twice is a broken invariant and traps. Scratch memory beyond the result: 2 bytes a pair, some 500 KiB a thread, and 8
// bytes for each pair of 256 neighbouring items where these have more than that. Lists that are in canonical order
// already, one behind the other, are only joined; where one handed pairs on, the others do so with theirs now.
cd_broad_result cd_broad_order(cd_broad_pairs *pairs, int lists, int32_t items, cd_vector_level vector,
                               cd_arena *arena);

// The tree of the items that stand still, made once a stamp, of run lifetime. Its memory: 37 bytes an item.
typedef struct cd_broad_standing cd_broad_standing;
cd_broad_standing *cd_broad_standing_new(void);            // @owns caller
void cd_broad_standing_free(cd_broad_standing *standing);  // NULL is legal
// Makes the tree of the run's input where it is not there yet. False: of such boxes none can be made.
bool cd_broad_standing_prepare(cd_broad_standing *standing, const cd_broad_run *run);
// Pairs of the other boxes, number k of which is item[k] of the run's input, with those of the tree.
void cd_broad_standing_search(const cd_broad_standing *standing, const cd_broad_run *run, const cd_broad_input *others,
                              const int32_t *item);

// Some of the boxes of a frame, of as many items the same ones; and of more of them the lower faces, to see whether
// some move fast.
enum { CD_BROAD_SNAPSHOT = 512, CD_BROAD_WATCHED = 4096 };
typedef struct cd_broad_snapshot {
    int32_t items;  // that it was taken from
    int dim;
    int32_t count;
    double min[CD_BROAD_SNAPSHOT][3], max[CD_BROAD_SNAPSHOT][3];
    int32_t watched;
    double lower[CD_BROAD_WATCHED][3];
} cd_broad_snapshot;
void cd_broad_take_snapshot(const cd_broad_input *input, cd_broad_snapshot *snapshot);  // large: not by value

// The method that is fastest for such boxes, and one line why. now: of these boxes; last: of the frame before, all zero
// when there is none.
typedef struct cd_broad_choice {
    const cd_broad_method *method;
    char why[160];
} cd_broad_choice;
cd_broad_choice cd_broad_choose(const cd_broad_input *input, const cd_broad_statistics *statistics,
                                const cd_broad_snapshot *now, const cd_broad_snapshot *last);

#endif
