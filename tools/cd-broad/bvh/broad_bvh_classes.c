// Classes of size for `bvh`, and the space-filling curve of each.
//
// Blocks that mix sizes and shapes are as large as their largest boxes; blocks of many classes are spread thin, and
// each class is one more tree to walk down. Which costs more depends on the scene: classes make rods along three axes
// 3 to 20 times faster and evenly mixed cubes 1.5 times slower. So some partitions are tried on a sample (below) and
// the cheapest (broad_bvh_cost.c) is taken. Kinds that are rare always join the nearest: a large box among small ones
// makes its block large, so the block meets about what the box meets itself, pairs that must be found anyway, and there
// are few such blocks.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#include <math.h>

enum {
    SAMPLES = 4096,
    BOXES_PER_CLASS = 1024,  // and there is at most one class for so many: 9 bytes a box for its tables
    LEAST_LOG2 = -24,        // of an extent over the mean of all: below, boxes are points
    FINEST = 64,             // cells of a curve need not be finer than 1/64 of the boxes
};

typedef struct kind {
    double boxes, sum[3];  // of the sample; sum of the extents
    double position[3];    // log2 of the mean extent over the mean of all boxes
    int number, joined;    // joined: index of the kind that took this one in, its own otherwise
} kind;

typedef struct sample {
    int count;  // kinds
    kind kind[SAMPLES];
    int16_t slot[4096];  // of a kind's number; -1: none
} sample;

// Ends of ranges so small or so large that their reciprocal is of no use.
static double reciprocal(double value) { return value > 1e-290 && value < 1e290 ? 1 / value : 0; }

// One item of each of `samples` equal parts of the boxes, at a place that follows no rhythm the boxes may have.
static int32_t sampled_item(int32_t count, int samples, int k)
{
    if (count <= samples)
        return k;
    int64_t begin = (int64_t)count * k / samples, end = (int64_t)count * (k + 1) / samples;
    return (int32_t)(begin + (int64_t)((uint64_t)k * 0x9e3779b97f4a7c15u >> 33) % (end - begin));
}

// Origin and range of the keys along an axis, of some centres in ascending order: all but the outermost, and a quarter
// of their range more on either side, as far as there are boxes.
static void spread_of(cd_bvh_frame *frame, int axis, const double *centre, int count)
{
    int out = count > 8 ? 1 : 0;
    double low = centre[out], high = centre[count - 1 - out], more = 0.25 * (high - low);
    double first = frame->first[axis] * frame->half, last = frame->last[axis] * frame->half;
    low = fmax(low - more, first);
    high = fmin(high + more, last);
    frame->origin[axis] = centre[count / 2];
    frame->key_low[axis] = low - frame->origin[axis];
    frame->key_range[axis] = high - low;
}

cd_bvh_frame cd_bvh_frame_of(const cd_broad_run *run, const int32_t *rank)
{
    enum { CENTRES = 63, RANGE_LOG2 = 60, MOST_LOG2 = 1000 };
    const cd_broad_statistics *statistics = run->statistics;
    cd_bvh_frame frame = {.half = 1, .rank = rank};
    for (int axis = 0; axis < 3; axis++) {
        frame.first[axis] = statistics->low[axis];
        frame.last[axis] = statistics->high[axis];
        if (!(statistics->high[axis] / 2 - statistics->low[axis] / 2 < 1e307))
            frame.half = 0.25;
    }
    double centre[3][CENTRES];
    int count = run->input->count < CENTRES ? run->input->count : CENTRES;
    for (int k = 0; k < count; k++) {
        double low[3], high[3];
        cd_bvh_faces(run->input, &frame, sampled_item(run->input->count, CENTRES, k), low, high);
        for (int axis = 0; axis < 3; axis++) {
            double middle = low[axis] / 2 + high[axis] / 2;
            int place = k;
            for (; place > 0 && centre[axis][place - 1] > middle; place--)
                centre[axis][place] = centre[axis][place - 1];
            centre[axis][place] = middle;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        spread_of(&frame, axis, centre[axis], count);
        double range = frame.last[axis] * frame.half - frame.first[axis] * frame.half;
        int exponent = range > 0 ? RANGE_LOG2 - ilogb(range) : 0;
        frame.scale[axis] = ldexp(1, exponent < MOST_LOG2 ? exponent : MOST_LOG2);
        frame.pad[axis] = range > 0 ? 0 : 1;
    }
    return frame;
}

// ---- kinds of boxes ------------------------------------------------------------------------------------------------

static void take_sample(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_classes *classes, sample *s)
{
    s->count = 0;
    memset(s->slot, -1, sizeof s->slot);
    int32_t taken = run->input->count < SAMPLES ? run->input->count : SAMPLES;
    for (int k = 0; k < taken; k++) {
        double low[3], high[3], extent[3];
        cd_bvh_faces(run->input, frame, sampled_item(run->input->count, SAMPLES, k), low, high);
        for (int axis = 0; axis < 3; axis++)
            extent[axis] = high[axis] - low[axis];
        int number = cd_bvh_kind(classes, extent);
        if (s->slot[number] < 0) {
            s->slot[number] = (int16_t)s->count;
            s->kind[s->count] = (kind){.number = number, .joined = s->count};
            s->count++;
        }
        kind *one = &s->kind[s->slot[number]];
        one->boxes++;
        for (int axis = 0; axis < 3; axis++)
            one->sum[axis] += extent[axis];
    }
}

static void place(const cd_bvh_classes *classes, kind *one)
{
    for (int axis = 0; axis < 3; axis++) {
        // bin_scale is 2 over the mean of all
        double size = one->sum[axis] / one->boxes * classes->bin_scale[axis] / 2;
        one->position[axis] = size > 0 ? fmax(log2(size), LEAST_LOG2) : LEAST_LOG2;
    }
}

static void join(const cd_bvh_classes *classes, sample *s, int from, int into)
{
    s->kind[into].boxes += s->kind[from].boxes;
    for (int axis = 0; axis < 3; axis++)
        s->kind[into].sum[axis] += s->kind[from].sum[axis];
    s->kind[from].joined = into;
    place(classes, &s->kind[into]);
}

static double distance(const double a[3], const double b[3])
{
    return fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
}

// ---- partitions ----------------------------------------------------------------------------------------------------

typedef struct partition {
    double within;  // [log2] kinds that differ by less along each axis join; INFINITY: all do
    bool by_shape;  // kinds that are long, or flat, along the same axis join, whatever their sizes
    int share;      // a class has at least 1/share of the boxes
} partition;

// Boxes of nearly one size may stand on both sides of the end of a bin: kinds within a factor 2 always join.
static const partition partitions[] = {{INFINITY, false, 64}, {1, true, 64},  {5, false, 64},
                                       {3, false, 64},        {1, false, 64}, {3, false, 512}};

// Longer along one axis than along the others by a factor 4 at least: its number; shorter: 3 more; neither: 6.
static int shape_of(const double position[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double one = position[(axis + 1) % 3], other = position[(axis + 2) % 3];
        if (position[axis] >= fmax(one, other) + 2)
            return axis;
        if (position[axis] <= fmin(one, other) - 2)
            return 3 + axis;
    }
    return 6;
}

static bool are_alike(partition p, const kind *a, const kind *b)
{
    if (p.by_shape)
        return shape_of(a->position) == shape_of(b->position);
    for (int axis = 0; axis < 3; axis++)
        if (!(fabs(a->position[axis] - b->position[axis]) < p.within))
            return false;
    return true;
}

static void join_alike(const cd_bvh_classes *classes, sample *s, partition p)
{
    for (int i = 0; i < s->count; i++)
        for (int j = 0; j < i && s->kind[i].joined == i; j++)
            if (s->kind[j].joined == j && are_alike(p, &s->kind[i], &s->kind[j]))
                join(classes, s, i, j);
}

// The rarest kind joins the nearest until all that are left are frequent and not too many. O(kinds^2).
static void join_rare(const cd_bvh_classes *classes, sample *s, int32_t boxes, int share)
{
    double total = 0;
    int left = 0;
    for (int i = 0; i < s->count; i++) {
        total += s->kind[i].joined == i ? s->kind[i].boxes : 0;
        left += s->kind[i].joined == i;
    }
    int most = boxes / BOXES_PER_CLASS < CD_BVH_MOST_CLASSES ? 1 + boxes / BOXES_PER_CLASS : CD_BVH_MOST_CLASSES;
    for (; left > 1; left--) {
        int rarest = -1, nearest = -1;
        for (int i = 0; i < s->count; i++)
            if (s->kind[i].joined == i && (rarest < 0 || s->kind[i].boxes < s->kind[rarest].boxes))
                rarest = i;
        if (left <= most && s->kind[rarest].boxes * share >= total)
            return;
        double least = INFINITY;
        for (int i = 0; i < s->count; i++) {
            double away = i != rarest && s->kind[i].joined == i
                              ? distance(s->kind[i].position, s->kind[rarest].position)
                              : INFINITY;
            if (away < least) {
                least = away;
                nearest = i;
            }
        }
        join(classes, s, rarest, nearest);
    }
}

static int root_of(const sample *s, int i)
{
    while (s->kind[i].joined != i)
        i = s->kind[i].joined;
    return i;
}

// What the partition that stands in `s` costs; `before`: the kinds as they were.
static double cost_of(const sample *s, const kind *before, int32_t boxes, double samples, const double range[3])
{
    cd_bvh_kind_share share[CD_BVH_MOST_KINDS];
    int number[CD_BVH_MOST_KINDS], classes = 0;
    for (int i = 0; i < s->count; i++)
        if (s->kind[i].joined == i)
            number[i] = classes++;
    for (int i = 0; i < s->count; i++) {
        share[i].boxes = before[i].boxes * boxes / samples;
        share[i].class = number[root_of(s, i)];
        for (int axis = 0; axis < 3; axis++)
            share[i].extent[axis] = before[i].sum[axis] / before[i].boxes;
    }
    return cd_bvh_cost(share, s->count, classes, range);
}

// Joins kinds as the cheapest of the partitions says.
static void take_cheapest(const cd_bvh_classes *classes, sample *s, int32_t boxes, double samples,
                          const double range[3])
{
    if (s->count == 1)
        return;
    kind before[CD_BVH_MOST_KINDS], best[CD_BVH_MOST_KINDS];
    size_t bytes = (size_t)s->count * sizeof *before;
    memcpy(before, s->kind, bytes);
    memcpy(best, s->kind, bytes);
    double least = INFINITY;
    for (size_t p = 0; p < sizeof partitions / sizeof *partitions; p++) {
        memcpy(s->kind, before, bytes);
        join_alike(classes, s, partitions[p]);
        join_rare(classes, s, boxes, partitions[p].share);
        // More than one class must save 15 %: measured and expected ratios differ by about that.
        double cost = cost_of(s, before, boxes, samples, range) * (p == 0 ? 0.85 : 1);
        if (cost < least) {
            least = cost;
            memcpy(best, s->kind, bytes);
        }
    }
    memcpy(s->kind, best, bytes);
}

// ---- curves --------------------------------------------------------------------------------------------------------

int cd_bvh_halve(const double range[3], const double weight[3], int most, uint8_t *axis_of)
{
    double left[3];
    for (int axis = 0; axis < 3; axis++)
        left[axis] = reciprocal(range[axis]) > 0 ? range[axis] / fmax(weight[axis], 1e-9 * range[axis]) : 0;
    int bits = 0;
    for (; bits < most; bits++) {
        int longest = left[1] > left[0] ? 1 : 0;
        longest = left[2] > left[longest] ? 2 : longest;
        if (left[longest] * FINEST < 1)
            break;
        left[longest] /= 2;
        axis_of[bits] = (uint8_t)longest;
    }
    return bits;
}

static void make_curve(cd_bvh_curve *curve, const cd_bvh_frame *frame, const double weight[3], int most)
{
    uint8_t axis_of[32], done[3] = {0, 0, 0};
    int bits = cd_bvh_halve(frame->key_range, weight, most, axis_of);
    memset(curve->bits, 0, sizeof curve->bits);
    memset(curve->spread, 0, sizeof curve->spread);
    for (int k = 0; k < bits; k++)
        curve->bits[axis_of[k]]++;
    for (int k = 0; k < bits; k++) {
        int axis = axis_of[k], bit = curve->bits[axis] - 1 - done[axis]++;
        for (int value = 0; value < 256; value++)
            if (value >> bit % 8 & 1)
                curve->spread[axis][bit / 8][value] |= (uint32_t)1 << (bits - 1 - k);
    }
    curve->scale[3] = curve->last[3] = 0;
    for (int axis = 0; axis < 3; axis++) {
        curve->scale[axis] = ldexp(reciprocal(frame->key_range[axis]), curve->bits[axis]);
        curve->last[axis] = (double)(((uint32_t)1 << curve->bits[axis]) - 1);
    }
}

// Bits of the keys of n boxes: about four cells a box, and two or three rounds of the sort.
static int key_bits(int32_t count) { return count <= 16384 ? 20 : count <= 1 << 20 ? 22 : 30; }

int cd_bvh_nearest_class(const cd_bvh_classes *classes, int number)
{
    double position[3], least = INFINITY;
    int nearest = 0;
    for (int axis = 0; axis < 3; axis++)
        position[axis] = 2 * ((number >> (8 - 4 * axis) & 15) << classes->shift) - 24;
    for (int k = 0; k < classes->count; k++)
        if (distance(position, classes->position[k]) < least) {
            least = distance(position, classes->position[k]);
            nearest = k;
        }
    return nearest;
}

static int compare_sizes(const kind *a, const kind *b)
{
    double x = a->position[0] + a->position[1] + a->position[2], y = b->position[0] + b->position[1] + b->position[2];
    return x != y ? (x > y) - (x < y) : a->number - b->number;
}

cd_bvh_classes cd_bvh_classify(const cd_broad_run *run, const cd_bvh_frame *frame)
{
    cd_bvh_classes classes = {0};
    // A sample of the boxes, in bins of size so wide that few kinds are met.
    for (int axis = 0; axis < 3; axis++)
        classes.bin_scale[axis] = 2 * reciprocal(run->statistics->extent_mean[axis] * frame->half);
    sample *s = CD_ARENA_ARRAY(run->arena, sample, 1);
    for (take_sample(run, frame, &classes, s); s->count > CD_BVH_MOST_KINDS; take_sample(run, frame, &classes, s))
        classes.shift++;
    // Kinds that are cheaper together become one.
    double total = 0, mean[3] = {0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        total += s->kind[i].boxes;
        for (int axis = 0; axis < 3; axis++)
            mean[axis] += s->kind[i].sum[axis];
        place(&classes, &s->kind[i]);
    }
    take_cheapest(&classes, s, run->input->count, total, frame->key_range);
    // What is left are the classes, the largest boxes last.
    int order[CD_BVH_MOST_CLASSES + 1];
    for (int i = 0; i < s->count; i++)
        if (s->kind[i].joined == i) {
            int k = classes.count++;
            for (; k > 0 && compare_sizes(&s->kind[order[k - 1]], &s->kind[i]) > 0; k--)
                order[k] = order[k - 1];
            order[k] = i;
        }
    // Each has a curve of its own, behind those of the classes before it.
    classes.curve = CD_ARENA_ARRAY(run->arena, cd_bvh_curve, classes.count);
    classes.position = cd_arena_alloc_array(run->arena, (size_t)classes.count, sizeof *classes.position);
    int bits = key_bits(run->input->count);
    uint32_t base = 0;
    for (int k = 0; k < classes.count; k++) {
        const kind *one = &s->kind[order[k]];
        double weight[3];
        for (int axis = 0; axis < 3; axis++)
            weight[axis] = one->sum[axis] / one->boxes + mean[axis] / total;
        int own_bits = bits - (int)ceil(log2(total / one->boxes));
        make_curve(&classes.curve[k], frame, weight, own_bits);
        classes.curve[k].base = base;
        base += (uint32_t)1 << (classes.curve[k].bits[0] + classes.curve[k].bits[1] + classes.curve[k].bits[2]);
        memcpy(classes.position[k], one->position, sizeof one->position);
    }
    // Where boxes of a kind go; -1: kinds that the sample did not meet.
    while ((base - 1) >> classes.bits)
        classes.bits++;
    memset(classes.class_of, -1, sizeof classes.class_of);
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < classes.count; k++)
            if (order[k] == root_of(s, i))
                classes.class_of[s->kind[i].number] = (int8_t)k;
    }
    return classes;
}
