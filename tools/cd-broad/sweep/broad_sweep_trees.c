// SPDX-License-Identifier: MIT
#include "broad_sweep_trees.h"

#include "broad_plane.h"

typedef struct tree_hash {
    cd_xytree_pool pool;
    int32_t *cell;  // roots, [cells[1]][cells[0]]
    int32_t wide;   // root: boxes that cover more than cells_most cells
    int shift[2];
    uint32_t cells[2];
    uint32_t cells_most;
} tree_hash;

// The cells that a rectangle covers, ends included.
static cd_rectangle cells_of(const tree_hash *hash, const cd_rectangle *section)
{
    return (cd_rectangle){{section->low[0] >> hash->shift[0], section->low[1] >> hash->shift[1]},
                          {section->high[0] >> hash->shift[0], section->high[1] >> hash->shift[1]}};
}

static bool is_wide(const tree_hash *hash, const cd_rectangle *cells)
{
    uint64_t across = cells->high[0] - cells->low[0] + 1, along = cells->high[1] - cells->low[1] + 1;
    return across * along > hash->cells_most;
}

// Cells 1.4 to 2.8 times as wide as the mean box (measured: best of 0.7, 1.4 and 2.8 as the least).
static void choose_cells(tree_hash *hash, const cd_broad_plane *plane, bool is_hashed[2])
{
    for (int k = 0; k < 2; k++) {
        hash->shift[k] = is_hashed[k] ? 0 : plane->bits;
        while (hash->shift[k] < plane->bits && ldexp(1, hash->shift[k]) < 1.4 * plane->width_mean[k])
            hash->shift[k]++;
    }
    while (2 * plane->bits - hash->shift[0] - hash->shift[1] > 2 &&
           ldexp(1, 2 * plane->bits - hash->shift[0] - hash->shift[1]) > plane->held_most)
        hash->shift[hash->shift[0] < hash->shift[1] ? 0 : 1]++;
    for (int k = 0; k < 2; k++)
        hash->cells[k] = (uint32_t)1 << (plane->bits - hash->shift[k]);
}

// Rectangles that all trees hold at once, at most.
static int32_t most_rectangles(const tree_hash *hash, const cd_broad_plane *plane)
{
    int64_t now = 0, most = 0;
    for (int64_t e = 0; e < 2 * (int64_t)plane->count; e++) {
        cd_broad_plane_prefetch(plane, e);
        bool begins = plane->event[e] < (uint32_t)plane->count;
        cd_rectangle cells = cells_of(hash, &plane->section[plane->event[e] - (begins ? 0 : (uint32_t)plane->count)]);
        int64_t across = cells.high[0] - cells.low[0] + 1, along = cells.high[1] - cells.low[1] + 1;
        int64_t trees = is_wide(hash, &cells) ? 1 : across * along;
        now += begins ? trees : -trees;
        most = now > most ? now : most;
    }
    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

static void hold(tree_hash *hash, const cd_rectangle *section, int32_t item, bool begins)
{
    cd_rectangle cells = cells_of(hash, section);
    void (*change)(cd_xytree_pool *, int32_t *, const cd_rectangle *, int32_t);
    change = begins ? cd_xytree_insert : cd_xytree_delete;
    if (is_wide(hash, &cells)) {
        change(&hash->pool, &hash->wide, section, item);
        return;
    }
    for (uint32_t y = cells.low[1]; y <= cells.high[1]; y++)
        for (uint32_t x = cells.low[0]; x <= cells.high[0]; x++)
            change(&hash->pool, &hash->cell[y * hash->cells[0] + x], section, item);
}

// Pairs of a box that begins with those held.
static void meet(const tree_hash *hash, const cd_broad_run *run, const cd_broad_plane *plane, int32_t begun,
                 int32_t *found)
{
    const cd_rectangle *section = &plane->section[begun];
    cd_rectangle cells = cells_of(hash, section);
    int32_t meets = cd_xytree_query(&hash->pool, hash->wide, section, found);
    for (int32_t k = 0; k < meets; k++)
        cd_broad_emit(run->input, run->pairs, begun, found[k]);
    for (uint32_t y = cells.low[1]; y <= cells.high[1]; y++)
        for (uint32_t x = cells.low[0]; x <= cells.high[0] && !cd_broad_is_full(run, 0); x++) {
            meets = cd_xytree_query(&hash->pool, hash->cell[y * hash->cells[0] + x], section, found);
            for (int32_t k = 0; k < meets; k++) {
                const uint32_t *low = plane->section[found[k]].low;
                // Both cover this cell; the intersection begins here when on each axis one of them does.
                if ((x == cells.low[0] || x == low[0] >> hash->shift[0]) &&
                    (y == cells.low[1] || y == low[1] >> hash->shift[1]))
                    cd_broad_emit(run->input, run->pairs, begun, found[k]);
            }
        }
}

void cd_broad_sweep_trees(const cd_broad_run *run, int hashed)
{
    cd_broad_plane plane = cd_broad_plane_of(run);
    // A plane problem has its intervals on axis 0.
    bool is_plane = run->input->dim == 2, is_hashed[2] = {is_plane || hashed == 2, !is_plane};
    tree_hash hash = {.wide = CD_XYTREE_NONE, .cells_most = hashed == 2 ? 16 : 8};
    choose_cells(&hash, &plane, is_hashed);
    size_t cells = (size_t)hash.cells[0] * hash.cells[1];
    // All bytes 0xff: CD_XYTREE_NONE.
    hash.cell = memset(CD_ARENA_ARRAY(run->arena, int32_t, cells), 0xff, cells * sizeof *hash.cell);
    hash.pool = cd_xytree_pool_new(most_rectangles(&hash, &plane), plane.bits, run->arena);
    int32_t *found = CD_ARENA_ARRAY(run->arena, int32_t, plane.held_most);
    for (int64_t e = 0; e < 2 * (int64_t)plane.count && !cd_broad_is_full(run, 0); e++) {
        cd_broad_plane_prefetch(&plane, e);
        bool begins = plane.event[e] < (uint32_t)plane.count;
        int32_t item = (int32_t)(begins ? plane.event[e] : plane.event[e] - (uint32_t)plane.count);
        if (begins)
            meet(&hash, run, &plane, item, found);
        hold(&hash, &plane.section[item], item, begins);
    }
}
