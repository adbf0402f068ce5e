// Kernels of `bvh` for any machine; on x86-64 the four-lane instructions that every one has.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// ---- keys ----------------------------------------------------------------------------------------------------------

static CD_BVH_INLINE uint32_t key_part(const cd_bvh_frame *frame, const cd_bvh_curve *curve, int axis,
                                       const double *low, const double *high)
{
    double place = ((low[axis] / 2 + high[axis] / 2) - frame->key_low[axis]) * curve->scale[axis];
    place = place > 0 ? place : 0;
    return cd_bvh_spread(curve, axis, (uint32_t)(int32_t)(place < curve->last[axis] ? place : curve->last[axis]));
}

static void keys(cd_bvh_classes *classes, const cd_bvh_frame *frame, const cd_broad_input *input, int64_t begin,
                 int64_t end, cd_bvh_record *record)
{
    cd_bvh_frame f = *frame;
    for (int64_t i = begin; i < end; i++) {
        double low[3], high[3];
        cd_bvh_faces(input, &f, (int32_t)i, low, high);
        const cd_bvh_curve *curve = classes->curve;
        if (classes->count > 1) {
            const double extent[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
            curve = cd_bvh_curve_of(classes, cd_bvh_kind(classes, extent));
        }
        uint32_t key = curve->base + key_part(&f, curve, 0, low, high) + key_part(&f, curve, 1, low, high) +
                       key_part(&f, curve, 2, low, high);
        record[i] = (uint64_t)key << 32 | (uint64_t)i;
    }
}

// ---- blocks --------------------------------------------------------------------------------------------------------

static void fill(const cd_bvh_tree *tree, const cd_broad_input *input, const cd_bvh_frame *frame,
                 const cd_bvh_record *record, const int32_t *first, int32_t begin, int32_t end)
{
    for (int32_t group = begin; group < end; group++) {
        cd_bvh_block *block = &tree->level[0][group];
        int32_t *item = tree->item + (int64_t)CD_BVH_WIDTH * group;
        int lanes_used = first[group + 1] - first[group];
        float most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
            if (lane >= lanes_used) {
                item[lane] = 0;
                for (int row = 0; row < 6; row++)
                    block->face[row][lane] = -INFINITY;
                continue;
            }
            item[lane] = (int32_t)(uint32_t)record[first[group] + lane];
            double low[3], high[3];
            cd_bvh_faces(input, frame, item[lane], low, high);
            for (int axis = 0; axis < 3; axis++) {
                float lower = frame->pad[axis] - (float)(low[axis] * frame->scale[axis]);
                float upper = frame->pad[axis] + (float)(high[axis] * frame->scale[axis]);
                block->face[axis][lane] = lower;
                block->face[axis + 3][lane] = upper;
                most[axis] = lower > most[axis] ? lower : most[axis];
                most[axis + 3] = upper > most[axis + 3] ? upper : most[axis + 3];
            }
        }
        for (int row = 0; row < 6; row++)
            tree->level[1][group / CD_BVH_WIDTH].face[row][group % CD_BVH_WIDTH] = most[row];
    }
}

// ---- comparisons ---------------------------------------------------------------------------------------------------

typedef const cd_bvh_block *lanes;

static CD_BVH_INLINE lanes load_lanes(const cd_bvh_block *block) { return block; }

#ifdef __SSE2__
typedef struct box {
    __m128 nx, ny, nz, px, py, pz;  // -low, high
} box;

static CD_BVH_INLINE box box_of(const cd_bvh_block *block, int lane)
{
    return (box){_mm_load1_ps(block->face[0] + lane), _mm_load1_ps(block->face[1] + lane),
                 _mm_load1_ps(block->face[2] + lane), _mm_load1_ps(block->face[3] + lane),
                 _mm_load1_ps(block->face[4] + lane), _mm_load1_ps(block->face[5] + lane)};
}

static CD_BVH_INLINE __m128 least_sum(const cd_bvh_block *block, int from, box one)
{
    __m128 x = _mm_min_ps(_mm_add_ps(one.px, _mm_load_ps(block->face[0] + from)),
                          _mm_add_ps(one.nx, _mm_load_ps(block->face[3] + from)));
    __m128 y = _mm_min_ps(_mm_add_ps(one.py, _mm_load_ps(block->face[1] + from)),
                          _mm_add_ps(one.ny, _mm_load_ps(block->face[4] + from)));
    __m128 z = _mm_min_ps(_mm_add_ps(one.pz, _mm_load_ps(block->face[2] + from)),
                          _mm_add_ps(one.nz, _mm_load_ps(block->face[5] + from)));
    return _mm_min_ps(_mm_min_ps(x, y), z);
}

// 16 comparisons as 16 bits.
static CD_BVH_INLINE uint32_t join(__m128 a, __m128 b, __m128 c, __m128 d)
{
    __m128i lower = _mm_packs_epi32(_mm_castps_si128(a), _mm_castps_si128(b));
    __m128i upper = _mm_packs_epi32(_mm_castps_si128(c), _mm_castps_si128(d));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(lower, upper));
}

static CD_BVH_INLINE uint32_t compare(const cd_bvh_block *block, box one, uint32_t *ties)
{
    __m128 a = least_sum(block, 0, one), b = least_sum(block, 4, one), c = least_sum(block, 8, one),
           d = least_sum(block, 12, one);
    __m128 o = _mm_setzero_ps();
    *ties = join(_mm_cmpeq_ps(a, o), _mm_cmpeq_ps(b, o), _mm_cmpeq_ps(c, o), _mm_cmpeq_ps(d, o));
    return join(_mm_cmpge_ps(a, o), _mm_cmpge_ps(b, o), _mm_cmpge_ps(c, o), _mm_cmpge_ps(d, o));
}
#else
typedef struct box {
    float face[6];
} box;

static CD_BVH_INLINE box box_of(const cd_bvh_block *block, int lane)
{
    return (box){{block->face[0][lane], block->face[1][lane], block->face[2][lane], block->face[3][lane],
                  block->face[4][lane], block->face[5][lane]}};
}

static CD_BVH_INLINE uint32_t compare(const cd_bvh_block *block, box one, uint32_t *ties)
{
    float least[CD_BVH_WIDTH];
    for (int lane = 0; lane < CD_BVH_WIDTH; lane++)
        least[lane] = block->face[0][lane] + one.face[3];
    for (int row = 1; row < 6; row++)
        for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
            float sum = block->face[row][lane] + one.face[(row + 3) % 6];
            least[lane] = sum < least[lane] ? sum : least[lane];
        }
    uint32_t mask = 0;
    *ties = 0;
    for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
        mask |= (uint32_t)(least[lane] >= 0) << lane;
        *ties |= (uint32_t)(least[lane] == 0) << lane;
    }
    return mask;
}
#endif

static CD_BVH_INLINE uint32_t hits(const cd_bvh_block *block, box one)
{
    uint32_t ties;
    return compare(block, one, &ties);
}

static CD_BVH_INLINE uint32_t hits_tied(const lanes *own, const cd_bvh_block *block, int lane, uint32_t *ties)
{
    return compare(*own, box_of(block, lane), ties);
}

typedef struct balls {
    float centre[3][CD_BVH_WIDTH];  // [units]
    const float *radius;
} balls;

static CD_BVH_INLINE float centre_of(const cd_bvh_tree *tree, int axis, uint32_t place)
{
    const cd_bvh_block *block = &tree->level[0][place >> 4];
    return (block->face[axis + 3][place & 15] - block->face[axis][place & 15]) * tree->rounds.pitch[axis];
}

static CD_BVH_INLINE balls balls_of(const cd_bvh_tree *tree, int32_t group)
{
    balls round = {.radius = tree->rounds.radius + (int64_t)CD_BVH_WIDTH * group};
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t lane = 0; lane < CD_BVH_WIDTH; lane++)
            round.centre[axis][lane] = centre_of(tree, axis, (uint32_t)group * CD_BVH_WIDTH + lane);
    return round;
}

static CD_BVH_INLINE uint32_t near(const cd_bvh_tree *tree, const balls *round, uint32_t place, uint32_t *surely)
{
    float square[CD_BVH_WIDTH] = {0}, radius = tree->rounds.radius[place];
    for (int axis = 0; axis < 3; axis++) {
        float other = centre_of(tree, axis, place);
        for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
            float way = round->centre[axis][lane] - other;
            square[lane] += way * way;
        }
    }
    uint32_t perhaps = 0, sure = 0;
    for (int lane = 0; lane < CD_BVH_WIDTH; lane++) {
        float reach = round->radius[lane] + radius, slack = reach * CD_BVH_ROUNDING + tree->rounds.doubt;
        float inner = reach - slack, outer = reach + slack;
        sure |= (uint32_t)((inner > 0) & (square[lane] < inner * inner)) << lane;
        perhaps |= (uint32_t) !(square[lane] > outer * outer) << lane;
    }
    *surely = sure;
    return perhaps;
}

// The lowest bits of most masks are taken without asking whether they are there: a loop of unpredictable length costs
// more than some stores in vain. (The bit 15 stands in for one that is missing.)
static CD_BVH_INLINE int lowest(uint32_t mask) { return __builtin_ctz(mask | 0x8000); }

static CD_BVH_INLINE int32_t append(const cd_bvh_lists *lists, uint32_t *list, int32_t count, uint32_t first,
                                    uint32_t mask)
{
    (void)lists;
#define TAKE                                      \
    list[count] = first + (uint32_t)lowest(mask); \
    count += mask != 0;                           \
    mask &= mask - 1;
    TAKE TAKE TAKE TAKE
#undef TAKE
        for (; mask; mask &= mask - 1) list[count++] = first + (uint32_t)lowest(mask);
    return count;
}

static CD_BVH_INLINE int32_t emit(const cd_bvh_lists *lists, cd_box_pair *out, int32_t a, const int32_t *item,
                                  uint32_t mask)
{
    (void)lists;
    int32_t count = mask != 0;
    out[0] = (cd_box_pair){a, item[lowest(mask)]};
    mask &= mask - 1;
    out[count] = (cd_box_pair){a, item[lowest(mask)]};
    count += mask != 0;
    for (mask &= mask - 1; mask; mask &= mask - 1)
        out[count++] = (cd_box_pair){a, item[lowest(mask)]};
    return count;
}

#include "broad_bvh_query.h"

const cd_bvh_kernels cd_bvh_portable = {keys, fill, query, query_other};
