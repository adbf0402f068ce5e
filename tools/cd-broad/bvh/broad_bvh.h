// broad_bvh -- the parts of the method `bvh`: order of the boxes, the tree, and its kernels by vector level.
//
// The tree is a list of blocks of 16 boxes in the order of a space-filling curve, with blocks of the bounds of 16
// blocks above it, and so on up to one block. Child k of block b is block 16 b + k of the level below: no pointers.
// A face of a block is a float, the lower ones negated (v = -low | high). Then
//     two closed boxes overlap  <=>  v_a[d] + v_b[(d + 3) % 6] >= 0 for d = 0 .. 5,
// all six tests are alike, and the bounds of a block are the maxima of its rows. A float sum has the sign of the exact
// sum and is 0 only when that is 0, so the smallest of the six sums decides: negative, apart; positive, they overlap
// (rounding of the faces is monotone); 0, two faces are equal as floats and the doubles are asked.
// SPDX-License-Identifier: MIT
#ifndef BROAD_BVH_H
#define BROAD_BVH_H

#include "broad_method.h"

enum {
    CD_BVH_WIDTH = 16,       // boxes of a block
    CD_BVH_MOST_LEVELS = 9,  // 16^8 > INT32_MAX / 8 blocks
    CD_BVH_MOST_CLASSES = 64,
    CD_BVH_MOST_KINDS = 128,  // of boxes, of which classes are made
    CD_BVH_CANDIDATES = 512,  // boxes that one group meets, compared at a time
};

// Kernels are one loop each: what they call becomes part of it, so that a group stays in registers.
#define CD_BVH_INLINE inline __attribute__((always_inline))

// ---- coordinates ---------------------------------------------------------------------------------------------------

// A face x [m] becomes (x * half - origin) * scale. Floats are finest near 0, so the origin is the median of the boxes,
// wherever the scene lies and whatever a few boxes far off do to its ends. scale is a power of two per axis that makes
// the range about 2^60, so that no difference of two floats is denormal; half is 1, or 1/4 when the range would
// overflow. Each step is monotone. Along an axis on which all faces are equal boxes get the faces -1 and 1: no ties.
typedef struct cd_bvh_frame {
    double half;               // [1]
    double first[3], last[3];  // [m] outermost finite faces: infinite ones move there
    double origin[3];          // [m] * half
    double scale[3];           // [1/m]
    float pad[3];              // added to -low and high: 1 on an axis without extent, else 0
    // [m] * half, from the origin: where most centres lie; the others count as at its ends
    double key_low[3], key_range[3];
    const int32_t *rank;  // NULL, or what stands for the faces: of cd_bvh_rank
} cd_bvh_frame;

// With ranks the run's statistics are those of the ranks.
cd_bvh_frame cd_bvh_frame_of(const cd_broad_run *run, const int32_t *rank);

// ---- order ---------------------------------------------------------------------------------------------------------

// Sorted by key: key << 32 | item.
typedef uint64_t cd_bvh_record;

// The boxes in the order of the blocks: class of size by class of size, each along its curve. `spare` is scratch of
// the same length as the result; both belong to the run's arena.
typedef struct cd_bvh_order {
    cd_bvh_record *record, *spare;
} cd_bvh_order;
typedef struct cd_bvh_kernels cd_bvh_kernels;
cd_bvh_order cd_bvh_sort(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_kernels *kernels,
                         int threads);

// Classes of size and the curve of each.
typedef struct cd_bvh_curve {
    double scale[4];             // [1/m] cells of the curve over (low + high) / 2 - key_low; the fourth for vectors: 0
    double last[4];              // largest cell number
    uint32_t base;               // first key of the class
    uint32_t spread[3][3][256];  // [axis][byte of the cell number]: the bits of the key it gives
    uint8_t bits[3];             // of the cell number, per axis
} cd_bvh_curve;

typedef struct cd_bvh_classes {
    int count;
    int bits;               // of the largest key of all
    cd_bvh_curve *curve;    // [count]
    double bin_scale[3];    // extents to sizes as cd_bvh_bin wants them
    int shift;              // of the bin numbers, when there are too many kinds of boxes
    double (*position)[3];  // [count] log2 of the mean extents over those of all boxes; the middle of a bin: 2 bin - 24
    int8_t class_of[4096];  // by kind; -1: did not appear in the sample, see cd_bvh_nearest_class
} cd_bvh_classes;

cd_bvh_classes cd_bvh_classify(const cd_broad_run *run, const cd_bvh_frame *frame);
int cd_bvh_nearest_class(const cd_bvh_classes *classes, int kind);

static inline const cd_bvh_curve *cd_bvh_curve_of(cd_bvh_classes *classes, int kind)
{
    if (classes->class_of[kind] < 0)
        classes->class_of[kind] = (int8_t)cd_bvh_nearest_class(classes, kind);
    return &classes->curve[classes->class_of[kind]];
}

// The bits of the key that cell number `cell` of an axis gives.
static inline uint32_t cd_bvh_spread(const cd_bvh_curve *curve, int axis, uint32_t cell)
{
    uint32_t key = curve->spread[axis][0][cell & 255];
    if (curve->bits[axis] > 8)
        key += curve->spread[axis][1][cell >> 8 & 255] + curve->spread[axis][2][cell >> 16 & 255];
    return key;
}

// Boxes of about one size.
typedef struct cd_bvh_kind_share {
    double boxes;      // of all
    double extent[3];  // [m] mean
    int class;
} cd_bvh_kind_share;

// Comparisons to be expected when kinds stand in classes 0 .. classes-1, each of which has one; range [m] of the boxes.
double cd_bvh_cost(const cd_bvh_kind_share *kind, int kinds, int classes, const double range[3]);

// Chooses the axis of each bit of a key, from the highest: the one along which cells are longest, measured in
// `weight`, is halved; until there are `most` bits or cells are far smaller than weights. Returns their number.
int cd_bvh_halve(const double range[3], const double weight[3], int most, uint8_t *axis);

// The extent of a box along an axis as one of 16 bins, a factor 4 each, the middle of bin 12 is the mean of all boxes.
// Most boxes are below 64 times the mean, so the top is bin 15.
static CD_BVH_INLINE int cd_bvh_bin(double extent_scaled)
{
    float size = extent_scaled < 1e30 ? (float)extent_scaled : 1e30f;
    int32_t bits;
    memcpy(&bits, &size, sizeof bits);
    int bin = ((bits >> 23) + 1) / 2 - 64 + 12;
    return bin < 0 ? 0 : bin > 15 ? 15 : bin;
}

// Kind of a box: its three bins.
static CD_BVH_INLINE int cd_bvh_kind(const cd_bvh_classes *classes, const double extent[3])
{
    const double *scale = classes->bin_scale;
    int x = cd_bvh_bin(extent[0] * scale[0]), y = cd_bvh_bin(extent[1] * scale[1]),
        z = cd_bvh_bin(extent[2] * scale[2]);
    return (x >> classes->shift) << 8 | (y >> classes->shift) << 4 | z >> classes->shift;
}

static CD_BVH_INLINE double cd_bvh_low(const cd_bvh_frame *frame, int axis, double min)
{
    return (min > frame->first[axis] ? min : frame->first[axis]) * frame->half - frame->origin[axis];
}
static CD_BVH_INLINE double cd_bvh_high(const cd_bvh_frame *frame, int axis, double max)
{
    return (max < frame->last[axis] ? max : frame->last[axis]) * frame->half - frame->origin[axis];
}

// Faces of an item, made finite, times half, from the origin; axis 2 of a plane problem: 0.
static CD_BVH_INLINE void cd_bvh_faces(const cd_broad_input *input, const cd_bvh_frame *frame, int32_t item,
                                       double low[3], double high[3])
{
    if (frame->rank) {
        const int32_t *rank = frame->rank + 2 * (int64_t)input->dim * item;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = axis < input->dim ? rank[axis] - frame->origin[axis] : 0;
            high[axis] = axis < input->dim ? rank[input->dim + axis] - frame->origin[axis] : 0;
        }
        return;
    }
    const double *min = input->min + (int64_t)input->dim * item, *max = input->max + (int64_t)input->dim * item;
    low[0] = cd_bvh_low(frame, 0, min[0]);
    low[1] = cd_bvh_low(frame, 1, min[1]);
    low[2] = input->dim == 3 ? cd_bvh_low(frame, 2, min[2]) : 0;
    high[0] = cd_bvh_high(frame, 0, max[0]);
    high[1] = cd_bvh_high(frame, 1, max[1]);
    high[2] = input->dim == 3 ? cd_bvh_high(frame, 2, max[2]) : 0;
}

// ---- tree ----------------------------------------------------------------------------------------------------------

typedef struct cd_bvh_block {
    float face[6][CD_BVH_WIDTH];  // -low, high; of a lane without a box: -infinity
} cd_bvh_block;

// Balls of the boxes, where they are compared with them (broad_bvh_rounds.c).
typedef struct cd_bvh_rounds {
    float *radius;   // [16 * count[0]] by lane, in units; NaN: not comparable here. NULL: no balls are compared
    uint8_t *alone;  // [count[0]] boxes of a group none of whose balls reaches beyond its box: where two such balls
                     // meet, their boxes do; 0 of the other groups
    double unit;     // [m] of radii and distances
    float pitch[3], doubt;  // [units] half of 1 of the coordinates of an axis; how far off a distance can be
} cd_bvh_rounds;
// Relative, what the operations between a coordinate and the comparison of squares round.
#define CD_BVH_ROUNDING 8e-6f

typedef struct cd_bvh_tree {
    int top;                                  // >= 1; level[top] is one block
    int32_t count[CD_BVH_MOST_LEVELS];        // blocks of a level
    cd_bvh_block *level[CD_BVH_MOST_LEVELS];  // [0]: the boxes, 64-byte aligned
    int32_t *item;                            // [16 * count[0]] what stands in each lane of level 0
    cd_bvh_rounds rounds;
} cd_bvh_tree;

// Scratch of a worker: blocks that a group meets, level by level. They cannot be more than there are.
typedef struct cd_bvh_lists {
    uint32_t *met, *next;                                  // [count[0] + 16] each
    uint32_t candidate[CD_BVH_CANDIDATES + CD_BVH_WIDTH];  // 16 times the block and the lane
    int64_t comparisons;                                   // done so far, of 16 with one
    int64_t hits;                                          // overlaps found so far, wanted or not
    uint64_t compress[256];                                // byte k: the k-th set bit of the index
} cd_bvh_lists;

struct cd_bvh_kernels {
    // record[begin..end-1]: keys of the items of these numbers. Kinds not seen before are added to `classes`.
    void (*keys)(cd_bvh_classes *classes, const cd_bvh_frame *frame, const cd_broad_input *input, int64_t begin,
                 int64_t end, cd_bvh_record *record);
    // Blocks begin..end-1 of level 0 and their bounds in level 1; block g holds record[first[g]..first[g+1]-1].
    void (*fill)(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_frame *frame,
                 const cd_bvh_record *record, const int32_t *first, int32_t begin, int32_t end);
    // Pairs of the boxes of groups begin..end-1 with those of the same and of later groups.
    void (*query)(const cd_bvh_tree *tree, const cd_broad_input *input, cd_bvh_lists *lists, cd_broad_pairs *pairs,
                  int32_t begin, int32_t end);
    // Pairs of the boxes of groups begin..end-1 of the tree `from` with all of `tree`. Both are of one frame, and their
    // items are numbers of one input; lists have room for the blocks of `tree`. Where those of `tree` stand apart pairs
    // are emitted whether they are wanted or not.
    void (*query_other)(const cd_bvh_tree *tree, const cd_bvh_tree *from, const cd_broad_input *input,
                        cd_bvh_lists *lists, cd_broad_pairs *pairs, int32_t begin, int32_t end);
};

// Those of the level; is_ranked: of faces that are ranks.
cd_bvh_kernels cd_bvh_kernels_of(cd_vector_level level, bool is_ranked);

// The tree of the run's boxes, in `memory`, and the records they were sorted by, which are not needed any more and
// belong to the run's arena. At least one box.
cd_bvh_tree cd_bvh_build(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_kernels *kernels, int threads,
                         cd_arena *memory, cd_bvh_order *order);

// The same of boxes that stand apart, the run's arrays of which are in `boxes`: once they are in order it is released,
// and while the tree is filled they are made again, so that both are never there at once. No balls.
cd_bvh_tree cd_bvh_build_apart(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_kernels *kernels,
                               int threads, const cd_broad_still *standing, cd_arena *boxes, cd_arena *memory);

void cd_bvh_clear_lists(cd_bvh_lists *lists);  // but for met and next

extern const cd_bvh_kernels cd_bvh_portable, cd_bvh_avx2, cd_bvh_avx512;

// [count][2 * dim] of each box the ranks of its lower, then of its upper faces: how many faces of the axis are less.
// Equal faces have equal ranks, so overlaps are the same. For scenes whose lengths differ so much that floats cannot
// tell boxes apart; at most CD_BVH_MOST_RANKED boxes. The result belongs to the arena, 24 bytes a box; 32 more are used
// on the way. statistics: of the ranks.
enum { CD_BVH_MOST_RANKED = INT32_MAX / 2 };
const int32_t *cd_bvh_rank(const cd_broad_run *run, cd_broad_statistics *statistics);

// All of the method with floats of the faces or, rank not NULL, of the ranks. False: they do not tell boxes apart well
// enough and it was given up, with some of the pairs in the run's lists. That is only with may_give_up.
bool cd_bvh_search(const cd_broad_run *run, const int32_t *rank, bool may_give_up);

// All of `rounds` but the radii. False: there are no balls, or floats do not tell them apart well enough.
bool cd_bvh_plan_rounds(const cd_broad_run *run, const cd_bvh_frame *frame, cd_bvh_rounds *rounds);
// Radii and `alone` of the groups begin..end-1; records as for the kernel `fill`.
void cd_bvh_fill_rounds(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_record *record,
                        const int32_t *first, int32_t begin, int32_t end);

// Of the boxes that meet item `other` as floats (bits of mask, in item[0..15]) those in `ties` are compared as doubles,
// and their balls.
static inline uint32_t cd_bvh_settle(const cd_broad_input *input, const int32_t *item, int32_t other, uint32_t mask,
                                     uint32_t ties)
{
    for (; ties; ties &= ties - 1) {
        int lane = __builtin_ctz(ties);
        if (!cd_broad_overlaps(input, item[lane], other) ||
            (input->ball && !cd_broad_balls_overlap(input, item[lane], other)))
            mask &= ~(1u << lane);
    }
    return mask;
}

// The same of a box that stands apart: its doubles are made, and nobody asks for its ball.
uint32_t cd_bvh_settle_apart(const cd_broad_input *input, const int32_t *item, int32_t other, uint32_t mask,
                             uint32_t ties);

#endif
