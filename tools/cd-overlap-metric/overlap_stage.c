// SPDX-License-Identifier: MIT
#include "overlap_stage.h"

#include "cd_bodies.h"
#include "cd_box_pairs.h"
#include "cd_length.h"
#include "cd_threads.h"

#include <float.h>
#include <stdlib.h>

// [1] of the characteristic length: the range first looked at for the least gap, and by how much it is widened each
// time.
static const double first_range = 0.01, range_growth = 8;
enum { PAIRS_AT_ONCE = 64, PAIRS_A_THREAD = 256, MOST_THREADS = 256 };

// ---- items ---------------------------------------------------------------------------------------------------------

// The parts of all bodies that take part, placed, in canonical order (body by id, then part).
typedef struct overlap_items {
    const cd_overlap_layer *layer;
    int dim, threads;
    int32_t count;
    const char *part;  // layer->part_bytes each
    cd_aabb *box;
    const int32_t *rank;  // of each row of `body`
    int32_t *row;         // of `body`
    int32_t *number;      // of the part in its body
    uint8_t *is_fixed;    // the body is
    uint8_t *is_new;      // the body takes part for the first time
    bool only_new;        // list only pairs with a new body
} overlap_items;

static const void *part_at(const overlap_items *items, int32_t i)
{
    return items->part + (size_t)i * items->layer->part_bytes;
}

void cd_overlap_clock_tick(cd_overlap_clock *clock, const cd_model *in)
{
    double time = in->frame.time[0];
    int64_t index = in->frame.index[0];
    if (clock->has_frame && time == clock->time && index == clock->index)
        return;
    bool follows = clock->has_frame && time > clock->time && (index == clock->index || index == clock->index + 1);
    *clock = (cd_overlap_clock){true, index, time, follows ? clock->time : NAN};
}

// Released since the frame before this one; in the first frame every body is new.
static bool is_new_body(const cd_overlap_input *input, int32_t body)
{
    const cd_model *in = input->in;
    double release = in->body.release ? in->body.release[body] : 0, time = in->frame.time[0];
    double step = isnan(input->clock->before) ? cd_f64_or(in->frame.step, 0, NAN) : time - input->clock->before;
    if (in->frame.index[0] == 0 && !(in->frame.substep && in->frame.substep[0] > 0))
        return true;
    // A body that took part at time - step was active there by the same tolerance.
    return !isnan(release) && release > time - step * (1 - CD_TIME_TOLERANCE);
}

static overlap_items items_make(cd_arena *arena, const cd_overlap_input *input, cd_body_order order, int32_t capacity,
                                const int32_t *next_row)
{
    const cd_model *in = input->in;
    const cd_leaves *leaves = input->shapes;
    overlap_items items = {.layer = in->dim == 2 ? &cd_overlap_plane : &cd_overlap_space,
                           .dim = in->dim,
                           .rank = order.rank,
                           .threads = input->threads < MOST_THREADS ? input->threads : MOST_THREADS,
                           .box = CD_ARENA_ARRAY(arena, cd_aabb, capacity),
                           .row = CD_ARENA_ARRAY(arena, int32_t, capacity),
                           .number = CD_ARENA_ARRAY(arena, int32_t, capacity),
                           .is_fixed = CD_ARENA_ARRAY(arena, uint8_t, capacity),
                           .is_new = CD_ARENA_ARRAY(arena, uint8_t, capacity)};
    char *part = cd_arena_alloc_array(arena, (size_t)capacity, items.layer->part_bytes);
    items.part = part;
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = order.row[rank], first = items.count;
        if (!cd_body_is_active(in, body))
            continue;
        int32_t shape = in->body.shape[body];
        items.layer->place(arena, input->shapes, in, body, next_row ? next_row[body] : -1,
                           part + (size_t)first * items.layer->part_bytes, items.box + first);
        items.count += leaves->first[shape + 1] - leaves->first[shape];
        for (int32_t k = first; k < items.count; k++) {
            items.row[k] = body;
            items.number[k] = k - first;
            items.is_fixed[k] = cd_body_motion(in, body) == CD_MOTION_FIXED;
            items.is_new[k] = is_new_body(input, body);
        }
    }
    return items;
}

static bool is_wanted(const void *context, int32_t i, int32_t j)
{
    const overlap_items *items = context;
    return items->row[i] != items->row[j] && !(items->is_fixed[i] && items->is_fixed[j]) &&
           (!items->only_new || items->is_new[i] || items->is_new[j]);
}

// Pairs of items not farther apart than `range` along any axis, in canonical order of (body a, body b, part a, part
// b).
static cd_box_pairs pairs_within(cd_arena *arena, const overlap_items *items, double range)
{
    cd_aabb *box = CD_ARENA_ARRAY(arena, cd_aabb, items->count);
    for (int32_t i = 0; i < items->count; i++)
        box[i] = cd_aabb_grow(items->box[i], range / 2, items->dim);
    cd_box_pairs pairs = {0};
    cd_box_sweep(box, items->count, items->dim, is_wanted, items, arena, &pairs);
    cd_box_pairs_sort(&pairs, arena);
    return pairs;
}

// ---- work shared by threads ----------------------------------------------------------------------------------------

typedef struct pair_work {
    const overlap_items *items;
    const cd_box_pairs *pairs;
    void (*each)(struct pair_work *work, int worker, int32_t i, cd_arena *scratch);
    int64_t taken;
    cd_arena *own;              // the calling thread's
    cd_overlap_size *size;      // of each pair
    certify_result *certified;  // of each pair; NULL: not asked for
    cd_arena *kept;             // of each worker: their witnesses
    double *least;              // [m] of each worker: the least gap it met
} pair_work;

static void share_of_pairs(void *context, int worker)
{
    pair_work *work = context;
    cd_arena own = {0}, *scratch = worker == 0 ? work->own : &own;
    for (;;) {
        cd_share share = cd_threads_next(&work->taken, work->pairs->count, PAIRS_AT_ONCE);
        if (share.begin >= share.end)
            break;
        for (int64_t i = share.begin; i < share.end; i++)
            work->each(work, worker, (int32_t)i, scratch);
    }
    cd_arena_release(&own);
}

// Calls `each` for every pair, on as many threads as pay.
static void work_on_pairs(pair_work *work, cd_arena *arena)
{
    work->own = arena;
    cd_threads_run(cd_threads_for(work->items->threads, work->pairs->count, PAIRS_A_THREAD), share_of_pairs, work);
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

static void measure_size(pair_work *work, int worker, int32_t i, cd_arena *scratch)
{
    const overlap_items *items = work->items;
    cd_box_pair pair = work->pairs->item[i];
    const void *a = part_at(items, pair.a), *b = part_at(items, pair.b);
    cd_overlap_size *size = &work->size[i];
    *size = items->layer->size(a, b, scratch);
    if (!work->certified)
        return;
    certify_result *certified = &work->certified[i];
    *certified = items->layer->certify(a, b, &work->kept[worker], scratch);
    if (certified->label == CD_LABEL_APART || certified->label == CD_LABEL_TOUCHING)
        *size = (cd_overlap_size){.is_measured = true};
    else if (certified->label == CD_LABEL_OVERLAPPING && size->is_measured && !(size->size > 0))
        size->size = DBL_TRUE_MIN;  // less than the measure tells, and not nothing
}

// What two parts whose boxes meet belong to.
typedef struct part_pair {
    uint64_t bodies;  // rank of a, rank of b
    int32_t index;    // in the list of pairs: keeps the order of parts within two bodies
} part_pair;

static int compare_parts(const void *left, const void *right)
{
    const part_pair *a = left, *b = right;
    if (a->bodies != b->bodies)
        return a->bodies < b->bodies ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

typedef struct size_sum {
    double total, error;
    int32_t unmeasured;  // pairs of bodies
    CD_LIST(cd_overlap_of_pair) pair;
} size_sum;

// What was found of all pairs, in their order.
static void collect_certificates(cd_arena *arena, const pair_work *work, cd_overlap_result *result)
{
    const overlap_items *items = work->items;
    int32_t count = work->pairs->count;
    cd_overlap_certificate *out = CD_ARENA_ARRAY(arena, cd_overlap_certificate, count);
    for (int32_t i = 0; i < count; i++) {
        cd_box_pair pair = work->pairs->item[i];
        out[i] = (cd_overlap_certificate){items->row[pair.a], items->row[pair.b], items->number[pair.a],
                                          items->number[pair.b], work->certified[i]};
    }
    result->certificate = out;
    result->certificate_count = count;
}

// Sizes of all listed pairs; `result` (NULL: not wanted) receives their certificates.
static void measure_sizes(cd_arena *arena, pair_work *work, cd_overlap_result *result)
{
    const overlap_items *items = work->items;
    work->size = CD_ARENA_ARRAY(arena, cd_overlap_size, work->pairs->count);
    if (result) {
        work->certified = CD_ARENA_ARRAY(arena, certify_result, work->pairs->count);
        work->kept = CD_ARENA_ARRAY(arena, cd_arena, items->threads);
        memset(work->kept, 0, (size_t)items->threads * sizeof *work->kept);
    }
    work_on_pairs(work, arena);
    if (!result)
        return;
    for (int k = 0; k < items->threads; k++)
        cd_arena_adopt(arena, &work->kept[k]);
    collect_certificates(arena, work, result);
}

// Of pairs not farther apart than `range` [m] along any axis: those beyond it have size 0.
static size_sum sum_sizes(cd_arena *arena, const overlap_items *items, double range, cd_overlap_result *result)
{
    cd_box_pairs meeting = pairs_within(arena, items, range);
    pair_work work = {.items = items, .pairs = &meeting, .each = measure_size};
    measure_sizes(arena, &work, result);
    part_pair *part = CD_ARENA_ARRAY(arena, part_pair, meeting.count);
    for (int32_t i = 0; i < meeting.count; i++) {
        uint64_t rank_a = (uint32_t)items->rank[items->row[meeting.item[i].a]];
        part[i] = (part_pair){rank_a << 32 | (uint32_t)items->rank[items->row[meeting.item[i].b]], i};
    }
    qsort(part, (size_t)meeting.count, sizeof *part, compare_parts);
    size_sum sum = {0};
    for (int32_t i = 0; i < meeting.count;) {
        uint64_t bodies = part[i].bodies;
        cd_box_pair first = meeting.item[part[i].index];
        cd_overlap_of_pair pair = {items->row[first.a], items->row[first.b], 0, 0};
        bool is_measured = true;
        for (; i < meeting.count && part[i].bodies == bodies; i++) {
            const cd_overlap_size *size = &work.size[part[i].index];
            pair.size += size->is_measured ? size->size : 0;
            pair.error += size->is_measured ? size->error : 0;
            is_measured &= size->is_measured;
        }
        sum.total += pair.size;
        sum.error += pair.error;
        sum.unmeasured += !is_measured;
        if (pair.size > 0)
            cd_list_push(arena, &sum.pair, pair);
    }
    sum.error += sum.pair.count * (DBL_EPSILON / 2) * sum.total;  // the rounding of the sum itself
    return sum;
}

// ---- the least gap -------------------------------------------------------------------------------------------------

// The largest extent of all finite faces along an axis [m].
static double finite_width(const overlap_items *items)
{
    double width = 0;
    for (int k = 0; k < items->dim; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < 2 * items->count; i++) {
            double face = i & 1 ? items->box[i / 2].max[k] : items->box[i / 2].min[k];
            if (isfinite(face)) {
                low = face < low ? face : low;
                high = face > high ? face : high;
            }
        }
        width = high - low > width ? high - low : width;
    }
    return width;
}

// No gap of the two can be less: along an axis the boxes are apart by the first number, or parted by moving one of them
// by minus the second; kernels err by far less than `slack`.
static double gap_bound(const cd_aabb *a, const cd_aabb *b, int dim)
{
    double apart = -INFINITY, size = 0;
    for (int k = 0; k < dim; k++) {
        const double face[4] = {a->min[k], a->max[k], b->min[k], b->max[k]};
        apart = fmax(apart, fmax(face[0] - face[3], face[2] - face[1]));
        for (int i = 0; i < 4; i++)
            size = isfinite(face[i]) ? fmax(size, fabs(face[i])) : size;
    }
    double slack = 1e-9 * (fabs(apart) + size);
    return isfinite(apart) && isfinite(slack) ? apart - slack : -INFINITY;
}

// What a worker leaves out depends on what it met, the least of all does not.
static void measure_gap(pair_work *work, int worker, int32_t i, cd_arena *scratch)
{
    const overlap_items *items = work->items;
    cd_box_pair pair = work->pairs->item[i];
    double *least = &work->least[worker];
    if (gap_bound(&items->box[pair.a], &items->box[pair.b], items->dim) >= *least)
        return;
    double gap = items->layer->gap(part_at(items, pair.a), part_at(items, pair.b), scratch);
    if (!isnan(gap) && !(gap >= *least))
        *least = gap;
}

static double least_gap(cd_arena *arena, const overlap_items *items, double length)
{
    double widest = finite_width(items) + length;  // from here on no pair is left out
    for (double range = first_range * length;; range *= range_growth) {
        bool is_last = range >= widest;
        cd_arena_mark mark = cd_arena_get_mark(arena);
        cd_box_pairs pairs = pairs_within(arena, items, range);
        pair_work work = {items, &pairs, measure_gap, .least = CD_ARENA_ARRAY(arena, double, items->threads)};
        for (int k = 0; k < items->threads; k++)
            work.least[k] = NAN;
        work_on_pairs(&work, arena);
        double least = work.least[0];
        for (int k = 1; k < items->threads; k++)
            least = work.least[k] < least || isnan(least) ? work.least[k] : least;
        cd_arena_rewind(arena, mark);
        if (least <= range || is_last)
            return least;
    }
}

// ---- a frame -------------------------------------------------------------------------------------------------------

static bool is_free_of_overlap(const cd_overlap_result *certified)
{
    for (int32_t i = 0; i < certified->certificate_count; i++) {
        int32_t label = certified->certificate[i].result.label;
        if (label != CD_LABEL_APART && label != CD_LABEL_TOUCHING)
            return false;
    }
    return true;
}

cd_status cd_overlap_frame(cd_arena *arena, const cd_overlap_input *input, cd_overlap_result *result, cd_diag *diag)
{
    const cd_model *in = input->in;
    int32_t count = 0;
    CD_TRY(cd_leaves_count(in, input->shapes, &count, diag));
    cd_body_order order = cd_body_order_make(arena, &in->body);
    const int32_t *next_row = in->next.count > 0 ? cd_body_next_rows(arena, in) : NULL;
    overlap_items items = items_make(arena, input, order, count, next_row);
    cd_overlap_result certified = {0};
    // A body at rest hangs over its support by 1e-10 of its size: by the boxes alone the tilt of a face would decide
    // whether the pair it rests on has a certificate.
    double range = input->certify ? cd_f64_or(in->head.epsilon, 0, 0) : 0;
    size_sum sum = sum_sizes(arena, &items, range, input->certify ? &certified : NULL);
    double length = cd_length_of(arena, in, input->shapes);
    *result = (cd_overlap_result){.overlap = sum.total,
                                  .error = sum.error,
                                  .gap = least_gap(arena, &items, length),
                                  .unmeasured = sum.unmeasured,
                                  .pair_count = sum.pair.count,
                                  .pair = sum.pair.item,
                                  .certificate_count = certified.certificate_count,
                                  .certificate = certified.certificate};
    if (input->certify && is_free_of_overlap(&certified))
        result->gap = result->gap < 0 ? 0 : result->gap;
    bool has_new = false, all_new = true;
    for (int32_t i = 0; i < items.count; i++) {
        has_new |= items.is_new[i];
        all_new &= items.is_new[i];
    }
    result->has_new = has_new;
    if (has_new && all_new && !next_row) {  // the same bodies where they are
        result->released = sum.total;
    } else if (has_new) {
        overlap_items start = items_make(arena, input, order, count, NULL);
        start.only_new = true;
        result->released = sum_sizes(arena, &start, range, input->certify ? &certified : NULL).total;
    }
    return CD_OK;
}
