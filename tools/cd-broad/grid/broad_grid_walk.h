// The walk over windows of the method `grid`, compiled once for each vector level. The including file defines
// grid_compare and grid_list.
// SPDX-License-Identifier: MIT
#ifndef BROAD_GRID_WALK_H
#define BROAD_GRID_WALK_H

#include "broad_grid.h"

#include <string.h>

#define GRID_INLINE static inline __attribute__((always_inline))

// Ties wait here until there are many: their doubles lie anywhere in memory, and asked for together they come at a
// twentieth of the time (600 ns a tie for a million boxes in random order when each is asked for alone).
enum { GRID_TIES = 256 };
typedef struct grid_ties {
    int32_t count;
    cd_box_pair pair[GRID_TIES];
} grid_ties;

// What the innermost loops read of a job and where they write. Kept in local variables: the compiler must assume that
// pairs are written over what is reached through a pointer.
typedef struct grid_view {
    const cd_broad_input *input;
    const uint32_t *faces[3];  // as in grid_job
    const int32_t *item;
    const grid_lanes *compress, *paired;
    grid_ties *ties;
    cd_broad_pairs *pairs;
    cd_box_pair *out, *end;             // of the room for pairs
    const float *radius;                // as in grid_job; NULL: boxes alone are compared
    float pitch[3], doubt;              // of the class that is searched
    const uint16_t *centre[3], *reach;  // as in grid_job; NULL: boxes are compared
} grid_view;

typedef struct grid_query {
    uint32_t faces[3];  // on the lattice of the class that is searched
    int32_t item;
    float radius;  // in its unit; GRID_VAST: the balls are compared later
    grid_ball ball;
} grid_query;

// Squares of distances below and above which balls surely overlap and surely do not: (R -+ doubt)^2, R the sum of radii
// with some units in the last place for what single precision rounds.
#define GRID_ROUNDING 8e-6f

// Writes the pairs of the query with those boxes begin .. end-1 that overlap it to view->out, ties into view->ties. It
// may write GRID_PADDING pairs beyond them.
GRID_INLINE void grid_compare(grid_view *view, grid_query query, int32_t begin, int32_t end);

// Of the class whose boxes are searched.
static inline grid_view grid_view_of(const grid_job *job, const grid_class *class, cd_broad_pairs *pairs,
                                     grid_ties *ties)
{
    ties->count = 0;
    return (grid_view){job->input,
                       {job->faces[0], job->faces[1], job->faces[2]},
                       job->item,
                       job->compress,
                       job->paired,
                       ties,
                       pairs,
                       pairs->item + pairs->count,
                       pairs->item + pairs->capacity,
                       job->has_rounds && class->is_round && !job->is_snug ? job->radius : NULL,
                       {class->pitch[0], class->pitch[1], class->pitch[2]},
                       class->doubt,
                       {job->centre[0], job->centre[1], job->centre[2]},
                       job->is_snug ? job->reach : NULL};
}

// The doubles of a box lie anywhere in memory, and so do those of a ball.
static inline void grid_fetch_box(const cd_broad_input *input, int32_t item)
{
    __builtin_prefetch(input->min + (int64_t)input->dim * item);
    __builtin_prefetch(input->max + (int64_t)input->dim * item);
}

static inline void grid_fetch(const cd_broad_input *input, int32_t item)
{
    grid_fetch_box(input, item);
    if (input->ball)
        __builtin_prefetch(input->ball + ((int64_t)input->dim + 1) * item);
}

// Drops those of the waiting pairs whose balls are apart: half of them, whose boxes need not be fetched.
static void grid_settle_balls(const cd_broad_input *input, grid_ties *ties)
{
    int64_t width = (int64_t)input->dim + 1;
    for (int32_t t = 0; t < ties->count; t++) {
        __builtin_prefetch(input->ball + width * ties->pair[t].a);
        __builtin_prefetch(input->ball + width * ties->pair[t].b);
    }
    int32_t kept = 0;
    for (int32_t t = 0; t < ties->count; t++) {
        cd_box_pair pair = ties->pair[t];
        ties->pair[kept] = pair;
        kept += cd_broad_balls_overlap(input, pair.a, pair.b);
    }
    ties->count = kept;
}

// Writes those of the waiting pairs that overlap in double precision.
static cd_box_pair *grid_settle(const cd_broad_input *input, grid_ties *ties, cd_box_pair *out)
{
    if (input->ball)
        grid_settle_balls(input, ties);
    for (int32_t t = 0; t < ties->count; t++) {
        grid_fetch_box(input, ties->pair[t].a);
        grid_fetch_box(input, ties->pair[t].b);
    }
    for (int32_t t = 0; t < ties->count; t++) {
        *out = ties->pair[t];
        out += cd_broad_overlaps(input, out->a, out->b);
    }
    ties->count = 0;
    return out;
}

// The lanes of `tied` wait; when there are too many, all that wait are settled.
static __attribute__((noinline)) cd_box_pair *grid_defer(const cd_broad_input *input, grid_ties *ties, int32_t one,
                                                         const int32_t *item, uint32_t tied, cd_box_pair *out)
{
    if (ties->count > GRID_TIES - 32)
        out = grid_settle(input, ties, out);
    for (; tied; tied &= tied - 1)
        ties->pair[ties->count++] = (cd_box_pair){one, item[__builtin_ctz(tied)]};
    return out;
}

static __attribute__((noinline)) bool grid_grow(cd_broad_pairs *pairs, int64_t count, int64_t extra)
{
    pairs->count = count;
    cd_broad_grow_(pairs, extra);
    return !pairs->is_full;
}

// False when the pairs are full: the caller stops, since view->out may point to memory that is no more.
GRID_INLINE bool grid_window(grid_view *view, grid_query query, int32_t begin, int32_t end)
{
    int64_t most = (int64_t)end - begin + GRID_TIES + GRID_PADDING;
    if (__builtin_expect(view->end - view->out < most, 0)) {
        cd_broad_pairs *pairs = view->pairs;
        if (!grid_grow(pairs, view->out - pairs->item, most))
            return false;
        view->out = pairs->item + pairs->count;
        view->end = pairs->item + pairs->capacity;
    }
    grid_compare(view, query, begin, end);
    return true;
}

// Inline, so that the address of a view is never taken and no store of pairs can change it.
GRID_INLINE void grid_close(const grid_view *view)
{
    cd_broad_pairs *pairs = view->pairs;
    if (pairs->is_full)
        return;
    pairs->count = view->out - pairs->item;
    cd_box_pair *out = cd_broad_room(pairs, GRID_TIES);
    if (!pairs->is_full)
        pairs->count += grid_settle(view->input, view->ties, out) - out;
}

GRID_INLINE grid_query grid_query_of(const grid_view *view, int32_t i)
{
    grid_query query = {.faces = {view->faces[0][i]}, .item = view->item[i]};
    if (view->reach) {
        query.ball = (grid_ball){{view->centre[0][i], view->centre[1][i], view->centre[2][i]}, view->reach[i]};
        return query;
    }
    query.faces[1] = view->faces[1][i];
    query.faces[2] = view->faces[2][i];
    if (view->radius)
        query.radius = view->radius[i];
    return query;
}

static inline const int32_t *grid_start(const grid_job *job, const grid_class *class, int64_t row)
{
    return job->start + class->first_cell + row * (class->buckets + 1);
}

// Later boxes of the piece's own row.
static void grid_scan_own(const grid_job *job, cd_broad_pairs *pairs, const grid_piece *piece)
{
    const grid_class *class = &job->class[piece->class];
    grid_ties ties;
    grid_view view = grid_view_of(job, class, pairs, &ties);
    const int32_t *start = grid_start(job, class, piece->row - class->first_row);
    uint32_t buckets = (uint32_t) class->buckets;
    for (int32_t i = piece->begin, end = piece->end; i < end; i++) {
        grid_query query = grid_query_of(&view, i);
        if (!grid_window(&view, query, i + 1, start[grid_bucket_high(buckets, query.faces[0]) + 1]))
            break;
    }
    grid_close(&view);
}

// Which boxes of the piece may meet some of another row.
typedef struct grid_sides {
    // Bits 0 and 1: of the row before, behind along the first row axis; 2 and 3: the second; 0 in the padding.
    uint8_t side[GRID_PIECE + GRID_PADDING];
    uint16_t list[GRID_PIECE + GRID_PADDING];  // those that may meet some of one row
} grid_sides;

// Lists those of 0 .. count-1 with all wanted bits, not 0, and returns how many.
GRID_INLINE int32_t grid_list(const grid_view *view, grid_sides *sides, int32_t count, unsigned wanted);

static void grid_find_sides(const grid_job *job, const grid_piece *piece, grid_sides *sides)
{
    const grid_class *class = &job->class[piece->class];
    const uint32_t *y = job->faces[1] + piece->begin, *z = job->faces[2] + piece->begin;
    const uint32_t cell = GRID_CELL, mask = GRID_CELL - 1;
    const uint32_t reach_y = (uint32_t) class->reach[1], reach_z = (uint32_t) class->reach[2];
    int32_t count = piece->end - piece->begin;
    memset(sides->side + count, 0, GRID_PADDING);
    for (int32_t k = 0; k < count; k++) {
        uint32_t low_y = -y[k] & mask, extent_y = (y[k] + (y[k] >> 16)) & 0xffff;
        uint32_t low_z = -z[k] & mask, extent_z = (z[k] + (z[k] >> 16)) & 0xffff;
        sides->side[k] = (uint8_t)((low_y < reach_y) | (low_y + extent_y >= cell) << 1 | (low_z < reach_z) << 2 |
                                   (low_z + extent_z >= cell) << 3);
    }
}

// The later ones of the eight rows around, in all buckets in which a box may meet one of the piece. (Few long windows:
// all eight rows with the boxes from the same bucket on are twice as many windows and took 1.4 times as long.)
static void grid_scan_around(const grid_job *job, cd_broad_pairs *pairs, const grid_piece *piece)
{
    const grid_class *class = &job->class[piece->class];
    int32_t row = piece->row - class->first_row, rows = class->rows[1], row_y = row % rows, row_z = row / rows;
    uint32_t buckets = (uint32_t) class->buckets;
    grid_ties ties;
    grid_view view = grid_view_of(job, class, pairs, &ties);
    grid_sides sides;
    grid_find_sides(job, piece, &sides);
    uint32_t reach = (uint32_t) class->reach[0];
    for (int dz = 0; dz <= 1 && row_z + dz < class->rows[2]; dz++)
        for (int dy = dz ? -1 : 1; dy <= 1 && !pairs->is_full; dy++) {
            if (row_y + dy < 0 || row_y + dy >= rows)
                continue;
            int32_t other = row + dz * rows + dy;
            const int32_t *start = grid_start(job, class, other);
            if (start[0] == start[buckets])
                continue;
            unsigned wanted = (dy < 0 ? 1u : dy > 0 ? 2u : 0u) | (dz > 0 ? 8u : 0u);
            int32_t listed = grid_list(&view, &sides, piece->end - piece->begin, wanted);
            for (int32_t k = 0; k < listed; k++) {
                grid_query query = grid_query_of(&view, piece->begin + sides.list[k]);
                if (!grid_window(&view, query, start[grid_bucket_before(buckets, query.faces[0], reach)],
                                 start[grid_bucket_high(buckets, query.faces[0]) + 1]))
                    break;
            }
        }
    grid_close(&view);
}

// The faces of a box as seen from the row that begins at `corner`: no further away than no box of that row reaches, so
// that differences fit 16 bits.
static inline uint32_t grid_near(int32_t low, int32_t high, int32_t corner)
{
    low = low > corner - GRID_CELL ? low : corner - GRID_CELL;
    high = high < corner + 2 * GRID_CELL ? high : corner + 2 * GRID_CELL;
    return grid_word(low, high);
}

// Of a box in the grid of another class, whose faces there are low and high, and which looks at cells from `from` on.
// Its centre is not known where faces were moved to the class's range or to the cells near one of them.
static inline float grid_radius_in(const grid_job *job, const grid_class *target, int32_t item, const int32_t *low,
                                   const int32_t *high, const int32_t *from)
{
    const cd_broad_input *input = job->input;
    bool is_whole = high[0] - low[0] < GRID_CELL;
    for (int k = 0; k < input->dim; k++) {
        int64_t at = (int64_t)input->dim * item + job->axis[k];
        is_whole = is_whole && input->min[at] >= target->low[k] && input->max[at] <= target->high[k];
        if (k > 0)
            is_whole = is_whole && low[k] > (high[k] & -GRID_CELL) - GRID_CELL &&
                       high[k] < (from[k] & -GRID_CELL) + 2 * GRID_CELL;
    }
    return is_whole ? grid_radius(job, target, item) : GRID_VAST;
}

// One box in the grid of another class: all rows it covers, less far by the greatest extent of that class.
static inline bool grid_search(const grid_job *job, grid_view *view, const grid_class *target, int32_t item)
{
    const cd_broad_input *input = job->input;
    const double *min = input->min + (int64_t)input->dim * item, *max = input->max + (int64_t)input->dim * item;
    int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 1}, from[3];
    for (int k = 0; k < 3; k++) {
        if (k < input->dim) {
            int axis = job->axis[k];
            if (max[axis] < target->low[k] || min[axis] > target->high[k])
                return true;
            low[k] = grid_lattice(target, k, min[axis]);
            high[k] = grid_lattice(target, k, max[axis]);
        }
        from[k] = low[k] > target->reach[k] ? low[k] - target->reach[k] : 0;
    }
    uint32_t buckets = (uint32_t)target->buckets;
    grid_query query = {.faces = {grid_word_along(low[0], high[0])}, .item = item};
    if (view->radius)
        query.radius = grid_radius_in(job, target, item, low, high, from);
    int32_t first = grid_bucket_low(buckets, grid_word_along(from[0], 0));
    int32_t behind = grid_bucket_high(buckets, query.faces[0]) + 1;
    for (int32_t z = from[2] & -GRID_CELL; z <= high[2]; z += GRID_CELL) {
        query.faces[2] = grid_near(low[2], high[2], z);
        for (int32_t y = from[1] & -GRID_CELL; y <= high[1]; y += GRID_CELL) {
            query.faces[1] = grid_near(low[1], high[1], y);
            const int32_t *start =
                grid_start(job, target, (int64_t)(z >> GRID_CELL_BITS) * target->rows[1] + (y >> GRID_CELL_BITS));
            if (!grid_window(view, query, start[first], start[behind]))
                return false;
        }
    }
    return true;
}

static void grid_scan_targets(const grid_job *job, cd_broad_pairs *pairs, const grid_piece *piece)
{
    enum { AHEAD = 8 };
    const grid_class *class = &job->class[piece->class];
    for (int t = 0; t < class->targets && !pairs->is_full; t++) {
        grid_ties ties;
        const grid_class *target = &job->class[class->target[t]];
        grid_view view = grid_view_of(job, target, pairs, &ties);
        for (int32_t i = piece->begin; i < piece->end; i++) {
            if (i + AHEAD < piece->end)
                grid_fetch(job->input, job->item[i + AHEAD]);
            if (!grid_search(job, &view, target, job->item[i]))
                break;
        }
        grid_close(&view);
    }
}

static void grid_walk(grid_job *job, int worker)
{
    cd_broad_pairs *pairs = &job->run->pairs[worker];
    for (;;) {
        cd_share share = cd_threads_next(&job->next, job->pieces, 1);
        if (share.begin == share.end || pairs->is_full)
            return;
        for (int64_t p = share.begin; p < share.end; p++) {
            const grid_piece *piece = &job->piece[p];
            int64_t from = pairs->count;
            grid_scan_own(job, pairs, piece);
            if (!pairs->is_full)
                grid_scan_around(job, pairs, piece);
            if (!pairs->is_full && job->has_rounds && job->class[piece->class].is_round)
                from = cd_broad_keep_members(job->input, pairs, from);
            grid_scan_targets(job, pairs, piece);
            if (!pairs->is_full) {
                cd_broad_keep_wanted(job->input, pairs, from);
                cd_broad_hand_on(pairs);
            }
        }
    }
}

#endif
