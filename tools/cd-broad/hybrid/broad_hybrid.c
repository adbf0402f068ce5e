// Hybrid of streamed segment trees and scans: A. Zomorodian and H. Edelsbrunner, Fast software for box intersections,
// Int. J. Computational Geometry and Applications 12 (2002) 143-172; the fixed choice of Solfec.
//
// Two intervals overlap when one contains the lower end of the other. So the boxes of a list I are stored as intervals
// in a segment tree over the last axis, those of a list P are points (their lower ends) that search it. The tree is
// never built, its traversal is streamed: at a segment [low, high) with the points P in it and the intervals I that
// reach into it
//   1. intervals I_m that span the segment contain all of its points: what is left of (I_m, P) is a problem of one axis
//      less, in which either may begin first, hence both (I_m, P) and (P, I_m) are solved there;
//   2. the segment is halved at about the median of P, and each half gets its points and the intervals that reach into
//      it without having spanned the whole.
// Where I or P is shorter than the cutoff both are scanned along axis 0, and so they are when no axis but that is left.
// In the complete case all boxes are intervals and points at once: each pair is found where the box
// that begins later along the last axis is the point.
//
// What differs from the paper:
// - Coordinates are replaced by ranks, axis by axis. begin: the number of the box in the order of lower faces, ties
//   broken by the item's number; end: how many lower faces are <= its upper face. Closed boxes x and y then overlap
//   along the axis exactly if x.begin < y.end and y.begin < x.end: begin(x) < end(y) says that x's lower face is among
//   those that are <= y's upper face (equal lower faces stand side by side, so the ties do no harm). No two boxes begin
//   at the same rank, so that "later" is always decided and boxes that begin at the same place are found once;
//   comparisons are of integers and exact; and halving never gets stuck on equal coordinates.
// - Lists hold numbers of boxes in the order of axis 0, which partitions keep: the scans find their lists sorted.
// - The median is that of up to SAMPLES points spread evenly over P on every second level, and the middle of the range
//   of ranks on the others: no random numbers, and at most 2 log2 n levels an axis whatever the input.
// - Axis 0 is the one along which the boxes lie sparsest: the scans compare least.
//
// Cost O(n log^3 n + k) in three dimensions, as in the paper; ranks take radix sorts. Memory: 28 bytes a box for ranks
// and 44 more while they are made; then lists, 4 bytes a number: about 16 bytes a box over all levels, and 28 for each
// box of a scan: with the ranks 50 bytes a box on 1e6 uniform boxes, 57 to 71 measured on one giant, one column, rods,
// sizes over six decades.
//
// Measured (AVX-512): 1e5 uniform boxes 25 ms, 1e6 0.52 s; slabs 1e5 38 ms. A cutoff of 200 costs 1.5 to 2 times as
// much, 1000 to 4000 are within 20 % of each other; 1000 is the best with portable scans.
// SPDX-License-Identifier: MIT
#include "broad_hybrid.h"

#include "broad_faces.h"

enum {
    CUTOFF = 2500,
    CUTOFF_PORTABLE = 1000,
    SAMPLES = 31,
};

// ---- ranks ---------------------------------------------------------------------------------------------------------

typedef struct span {
    int32_t begin, end;
} span;

// Boxes are numbered in the order of their lower faces along axis 0. 28 bytes a box.
typedef struct ranked_boxes {
    int32_t count;
    int axes;
    int32_t *item;
    int32_t *end0;    // begin along axis 0 is the box's number
    span *across[3];  // along axes 1, 2
} ranked_boxes;

// Ranks along an axis from all faces in sorted order. The first axis (spans NULL) gives the boxes their numbers:
// number_of[item].
static void rank_axis(const cd_broad_run *run, int axis, int32_t *number_of, ranked_boxes *boxes, span *spans)
{
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    uint32_t count = (uint32_t)boxes->count;
    const uint32_t *face = cd_broad_sort_faces(run, axis, 2 * (int64_t)count);
    int32_t begun = 0;  // lower faces up to here
    for (int64_t k = 0; k < 2 * (int64_t)count; k++) {
        bool is_upper = face[k] >= count;
        uint32_t item = is_upper ? face[k] - count : face[k];
        if (spans) {
            span *its = &spans[number_of[item]];
            *(is_upper ? &its->end : &its->begin) = begun;
        } else if (is_upper) {
            boxes->end0[number_of[item]] = begun;
        } else {
            number_of[item] = begun;
            boxes->item[begun] = (int32_t)item;
        }
        begun += !is_upper;
    }
    cd_arena_rewind(run->arena, mark);
}

static ranked_boxes rank_boxes(const cd_broad_run *run)
{
    int dim = run->input->dim, axis = cd_broad_sparsest_axis(run->statistics, dim);
    int32_t count = run->input->count;
    ranked_boxes boxes = {.count = count,
                          .axes = dim,
                          .item = CD_ARENA_ARRAY(run->arena, int32_t, count),
                          .end0 = CD_ARENA_ARRAY(run->arena, int32_t, count)};
    for (int k = 1; k < dim; k++)
        boxes.across[k] = CD_ARENA_ARRAY(run->arena, span, count);
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    int32_t *number_of = CD_ARENA_ARRAY(run->arena, int32_t, count);
    for (int k = 0; k < dim; k++)
        rank_axis(run, (axis + k) % dim, number_of, &boxes, boxes.across[k]);
    cd_arena_rewind(run->arena, mark);
    return boxes;
}

// ---- scans ---------------------------------------------------------------------------------------------------------

static cd_hybrid_scan *scan_for(cd_vector_level level)
{
#if defined(__x86_64__)
    if (level >= CD_VECTOR_AVX512)
        return cd_hybrid_scan_avx512;
    if (level >= CD_VECTOR_AVX2)
        return cd_hybrid_scan_avx2;
#endif
    (void)level;
    return cd_hybrid_scan_portable;
}

// Numbers of boxes, ascending.
typedef struct number_list {
    const int32_t *number;
    int32_t count;
} number_list;

typedef struct search {
    const cd_broad_run *run;
    ranked_boxes boxes;
    int32_t cutoff;
    cd_hybrid_scan *scan;
    cd_broad_pairs *pairs;
} search;

// The boxes of a list for a scan over axes 0 .. axis. Points keep of their span along the last of these the lower end
// alone: then "overlaps" says there that the interval contains the point.
static cd_hybrid_list gather(const search *s, number_list list, int axis, bool are_points)
{
    cd_arena *arena = s->run->arena;
    size_t room = (size_t)list.count + CD_HYBRID_LANES;
    int32_t *item = CD_ARENA_ARRAY(arena, int32_t, room), *begin0 = CD_ARENA_ARRAY(arena, int32_t, room);
    int32_t *end0 = CD_ARENA_ARRAY(arena, int32_t, room);
    for (int32_t i = 0; i < list.count; i++) {
        int32_t number = list.number[i];
        item[i] = s->boxes.item[number];
        begin0[i] = number;
        end0[i] = s->boxes.end0[number];
    }
    for (int32_t i = list.count; i < (int32_t)room; i++) {
        item[i] = 0;
        begin0[i] = INT32_MAX;
    }
    cd_hybrid_list result = {list.count, {begin0}, {end0}, item};
    for (int k = 1; k <= axis; k++) {
        int32_t *begin = CD_ARENA_ARRAY(arena, int32_t, room), *end = CD_ARENA_ARRAY(arena, int32_t, room);
        const span *across = s->boxes.across[k];
        bool is_point = are_points && k == axis;
        for (int32_t i = 0; i < list.count; i++) {
            span one = across[list.number[i]];
            begin[i] = one.begin;
            end[i] = is_point ? one.begin : one.end;
        }
        memset(begin + list.count, 0, CD_HYBRID_LANES * sizeof *begin);
        memset(end + list.count, 0, CD_HYBRID_LANES * sizeof *end);
        result.begin[k] = begin;
        result.end[k] = end;
    }
    return result;
}

// Intervals that contain points along `axis`, overlapping along those below; along axis 0 that is one scan, else
// either box may be the first along axis 0.
static void scan_lists(const search *s, number_list intervals, number_list points, int axis)
{
    cd_arena_mark mark = cd_arena_get_mark(s->run->arena);
    int64_t before = s->pairs->count;
    cd_hybrid_list i = gather(s, intervals, axis, false), p = gather(s, points, axis, axis > 0);
    s->scan(&i, &p, axis + 1, s->pairs);
    if (axis > 0)
        s->scan(&p, &i, axis + 1, s->pairs);
    cd_arena_rewind(s->run->arena, mark);
    cd_broad_keep_wanted(s->run->input, s->pairs, before);
}

// ---- segment trees -------------------------------------------------------------------------------------------------

typedef struct segment {
    int32_t low, high;  // ranks low .. high-1
} segment;

// Partitions write every number and advance by whether it belongs, so that there is no branch to predict.
static number_list kept(const search *s, number_list all, int32_t *to, int32_t count, cd_arena_mark before)
{
    if (count != all.count)
        return (number_list){to, count};
    cd_arena_rewind(s->run->arena, before);  // a list that lost nothing needs no copy: bounds the memory of deep levels
    return all;
}

static number_list spanning(const search *s, number_list intervals, const span *across, segment g)
{
    cd_arena_mark before = cd_arena_get_mark(s->run->arena);
    int32_t *to = CD_ARENA_ARRAY(s->run->arena, int32_t, intervals.count), count = 0;
    for (int32_t i = 0; i < intervals.count; i++) {
        int32_t number = intervals.number[i];
        to[count] = number;
        count += (across[number].begin < g.low) & (across[number].end >= g.high);
    }
    return kept(s, intervals, to, count, before);
}

// Those intervals that reach into `half` and do not span the whole segment.
static number_list reaching(const search *s, number_list intervals, const span *across, segment g, segment half)
{
    cd_arena_mark before = cd_arena_get_mark(s->run->arena);
    int32_t *to = CD_ARENA_ARRAY(s->run->arena, int32_t, intervals.count), count = 0;
    for (int32_t i = 0; i < intervals.count; i++) {
        int32_t number = intervals.number[i];
        span one = across[number];
        to[count] = number;
        count += (one.begin < half.high) & (one.end > half.low) & ((one.begin >= g.low) | (one.end < g.high));
    }
    return kept(s, intervals, to, count, before);
}

static number_list lying(const search *s, number_list points, const span *across, segment half)
{
    cd_arena_mark before = cd_arena_get_mark(s->run->arena);
    int32_t *to = CD_ARENA_ARRAY(s->run->arena, int32_t, points.count), count = 0;
    for (int32_t i = 0; i < points.count; i++) {
        int32_t number = points.number[i];
        to[count] = number;
        count += (across[number].begin >= half.low) & (across[number].begin < half.high);
    }
    return kept(s, points, to, count, before);
}

// A rank strictly inside the segment, by turns near the median of the points and the middle.
static int32_t halving(number_list points, const span *across, segment g, int level)
{
    int32_t middle = g.low + (g.high - g.low) / 2;
    if (level % 2)
        return middle;
    int32_t sample[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        int64_t place = ((int64_t)points.count * (2 * k + 1)) / (2 * SAMPLES);
        int32_t value = across[points.number[place]].begin;
        int i = k;
        for (; i > 0 && sample[i - 1] > value; i--)
            sample[i] = sample[i - 1];
        sample[i] = value;
    }
    int32_t median = sample[SAMPLES / 2];
    return median > g.low && median < g.high ? median : middle;
}

static void find_contained(const search *s, number_list intervals, number_list points, segment g, int axis, int level)
{
    if (!intervals.count || !points.count || s->pairs->is_full)
        return;
    bool is_short = intervals.count < s->cutoff || points.count < s->cutoff || g.high - g.low < 2;
    if (axis == 0 || is_short) {
        scan_lists(s, intervals, points, axis);
        return;
    }
    const span *across = s->boxes.across[axis];
    cd_arena_mark mark = cd_arena_get_mark(s->run->arena);
    number_list through = spanning(s, intervals, across, g);
    segment all = {0, s->boxes.count};
    find_contained(s, through, points, all, axis - 1, 0);
    find_contained(s, points, through, all, axis - 1, 0);
    cd_arena_rewind(s->run->arena, mark);
    if (through.count == intervals.count)
        return;
    int32_t middle = halving(points, across, g, level);
    segment half[2] = {{g.low, middle}, {middle, g.high}};
    for (int k = 0; k < 2; k++) {
        number_list here = lying(s, points, across, half[k]);
        number_list reach = reaching(s, intervals, across, g, half[k]);
        find_contained(s, reach, here, half[k], axis, level + 1);
        cd_arena_rewind(s->run->arena, mark);
    }
}

static void find(const cd_broad_run *run)
{
    int32_t count = run->input->count;
    if (count < 2)
        return;
    int32_t cutoff = run->tuning.vector > CD_VECTOR_PORTABLE ? CUTOFF : CUTOFF_PORTABLE;
    cutoff = run->tuning.cutoff > 0 ? run->tuning.cutoff : cutoff;
    search s = {run, rank_boxes(run), cutoff, scan_for(run->tuning.vector), run->pairs};
    int32_t *number = CD_ARENA_ARRAY(run->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        number[i] = i;
    number_list all = {number, count};
    find_contained(&s, all, all, (segment){0, count}, run->input->dim - 1, 0);
}

const cd_broad_method cd_broad_hybrid = {"hybrid",
                                         "streamed segment trees above scans of short lists",
                                         "O(n log^3 n + k)",
                                         "72",
                                         "Zomorodian and Edelsbrunner, Fast software for box intersections, 2002",
                                         find,
                                         NULL,
                                         NULL,
                                         false};
