// The scan of the method `grid` with AVX2: two times 8 boxes a step.
// SPDX-License-Identifier: MIT
#ifdef __AVX2__
#include "broad_grid_walk.h"

#include <immintrin.h>

// Four pairs of `one`, each with the lanes that the row of the table names.
GRID_INLINE void put_four(__m256i one, __m256i other, const uint8_t *lanes, cd_box_pair *out)
{
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)lanes));
    __m256i pairs = _mm256_blend_epi32(one, _mm256_permutevar8x32_epi32(other, order), 0xaa);
    _mm256_storeu_si256((__m256i *)out, pairs);
}

// Pairs of `one` with the lanes of the mask, packed; without a branch for the usual four or fewer. Eight at most are
// written.
GRID_INLINE cd_box_pair *emit(const grid_lanes *paired, __m256i one, const int32_t *others, unsigned mask,
                              cd_box_pair *out)
{
    __m256i other = _mm256_loadu_si256((const __m256i *)others);
    unsigned hits = (unsigned)__builtin_popcount(mask);
    put_four(one, other, paired[mask], out);
    if (__builtin_expect(hits > 4, 0))
        put_four(one, other, paired[256 + mask], out + 4);
    return out + hits;
}

// The least of the six overlaps of eight boxes with one: negative in a half of the word means apart, 0 a tie.
typedef struct gauge {
    __m256i x, y, z;
} gauge;
GRID_INLINE __m256i least_overlap(const grid_view *view, gauge one, int32_t j)
{
    __m256i x = _mm256_adds_epi16(one.x, _mm256_loadu_si256((const __m256i *)(view->faces[0] + j)));
    __m256i y = _mm256_add_epi16(one.y, _mm256_loadu_si256((const __m256i *)(view->faces[1] + j)));
    __m256i z = _mm256_add_epi16(one.z, _mm256_loadu_si256((const __m256i *)(view->faces[2] + j)));
    return _mm256_min_epi16(_mm256_min_epi16(x, y), z);
}

GRID_INLINE unsigned hits_of(__m256i least)
{
    __m256i either = _mm256_or_si256(least, _mm256_slli_epi32(least, 16));
    return ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(either)) & 255;
}

// Of eight boxes from j on: whose balls surely overlap that of the query, and whose do not surely lie apart.
typedef struct verdict {
    unsigned surely, perhaps;
} verdict;
GRID_INLINE __m256 square_of(__m256i sums, float pitch)
{
    __m256i twice = _mm256_madd_epi16(sums, _mm256_set1_epi32((int)0xffff0001));
    __m256 length = _mm256_mul_ps(_mm256_cvtepi32_ps(twice), _mm256_set1_ps(pitch));
    return _mm256_mul_ps(length, length);
}
GRID_INLINE verdict compare_balls(const grid_view *view, gauge one, float radius, int32_t j)
{
    const __m256i *faces[3];
    for (int k = 0; k < 3; k++)
        faces[k] = (const __m256i *)(view->faces[k] + j);
    __m256 square = square_of(_mm256_adds_epi16(one.x, _mm256_loadu_si256(faces[0])), view->pitch[0]);
    __m256 y = square_of(_mm256_add_epi16(one.y, _mm256_loadu_si256(faces[1])), view->pitch[1]);
    __m256 z = square_of(_mm256_add_epi16(one.z, _mm256_loadu_si256(faces[2])), view->pitch[2]);
    square = _mm256_add_ps(square, _mm256_add_ps(y, z));
    __m256 reach = _mm256_add_ps(_mm256_loadu_ps(view->radius + j), _mm256_set1_ps(radius));
    __m256 slack = _mm256_fmadd_ps(reach, _mm256_set1_ps(GRID_ROUNDING), _mm256_set1_ps(view->doubt));
    __m256 inner = _mm256_sub_ps(reach, slack), outer = _mm256_add_ps(reach, slack);
    __m256 is_below = _mm256_cmp_ps(square, _mm256_mul_ps(inner, inner), _CMP_LT_OQ);
    __m256 is_positive = _mm256_cmp_ps(inner, _mm256_setzero_ps(), _CMP_GT_OQ);
    __m256 is_near = _mm256_cmp_ps(square, _mm256_mul_ps(outer, outer), _CMP_NGT_UQ);
    return (verdict){(unsigned)_mm256_movemask_ps(_mm256_and_ps(is_below, is_positive)),
                     (unsigned)_mm256_movemask_ps(is_near)};
}

GRID_INLINE __m256i exchanged(uint32_t word) { return _mm256_set1_epi32((int)(word << 16 | word >> 16)); }

// Eighths of the distance along an axis, squared, over 2^16: too small by less than 1.
GRID_INLINE __m256i way_of(__m256i one, const uint16_t *centre)
{
    __m256i way = _mm256_abs_epi16(_mm256_sub_epi16(_mm256_loadu_si256((const __m256i *)centre), one));
    way = _mm256_slli_epi16(_mm256_min_epu16(way, _mm256_set1_epi16(GRID_SNUG_FAR)), 3);
    return _mm256_mulhi_epu16(way, way);
}

// Balls alone. Sums of squares are too small by less than 3, those of the reach by less than 1.
GRID_INLINE void compare_snug(grid_view *view, grid_query query, int32_t begin, int32_t end)
{
    const grid_ball ball = query.ball;
    const __m256i x = _mm256_set1_epi16((short)ball.centre[0]), y = _mm256_set1_epi16((short)ball.centre[1]),
                  z = _mm256_set1_epi16((short)ball.centre[2]), radius = _mm256_set1_epi16((short)ball.radius);
    const __m256i item = _mm256_set1_epi32(query.item), doubt = _mm256_set1_epi16(GRID_SNUG_DOUBT),
                  zero = _mm256_setzero_si256();
    cd_box_pair *out = view->out;
    for (int32_t j = begin; j < end; j += 16) {
        __m256i square =
            _mm256_add_epi16(way_of(x, view->centre[0] + j),
                             _mm256_add_epi16(way_of(y, view->centre[1] + j), way_of(z, view->centre[2] + j)));
        __m256i reach = _mm256_adds_epu16(_mm256_loadu_si256((const __m256i *)(view->reach + j)), radius);
        __m256i inner = _mm256_subs_epu16(reach, doubt), outer = _mm256_adds_epu16(reach, doubt);
        inner = _mm256_subs_epu16(_mm256_mulhi_epu16(inner, inner), _mm256_set1_epi16(2));
        // A reach that is not of a loose ball is positive as a signed number.
        __m256i is_loose = _mm256_srai_epi16(reach, 15);
        __m256i is_near = _mm256_cmpeq_epi16(_mm256_subs_epu16(square, _mm256_mulhi_epu16(outer, outer)), zero);
        __m256i is_unsure = _mm256_or_si256(_mm256_cmpeq_epi16(_mm256_subs_epu16(inner, square), zero), is_loose);
        __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(is_near, is_unsure), 0xd8);
        unsigned bits = (unsigned)_mm256_movemask_epi8(both), left = (unsigned)(end - j < 16 ? end - j : 16);
        unsigned there = _bzhi_u32(0xffff, left);  // without a branch, which would go either way
        unsigned hits = bits & there, sure = hits & ~(bits >> 16);
        if (__builtin_expect(hits != sure, 0))
            out = grid_defer(view->input, view->ties, query.item, view->item + j, hits ^ sure, out);
        out = emit(view->paired, item, view->item + j, sure & 255, out);
        out = emit(view->paired, item, view->item + j + 8, sure >> 8, out);
    }
    view->out = out;
}

GRID_INLINE void grid_compare(grid_view *view, grid_query query, int32_t begin, int32_t end)
{
    if (view->reach) {
        compare_snug(view, query, begin, end);
        return;
    }
    gauge one = {exchanged(query.faces[0]), exchanged(query.faces[1]), exchanged(query.faces[2])};
    __m256i item = _mm256_set1_epi32(query.item), ones = _mm256_set1_epi16(1);
    cd_box_pair *out = view->out;
    for (int32_t j = begin; j < end; j += 16) {
        __m256i first = least_overlap(view, one, j), second = least_overlap(view, one, j + 8);
        // Overlaps, and those that are none when all overlaps are one point less: ties are the others.
        unsigned hits = hits_of(first) | hits_of(second) << 8;
        unsigned sure = hits_of(_mm256_subs_epi16(first, ones)) | hits_of(_mm256_subs_epi16(second, ones)) << 8;
        if (view->radius && hits) {
            verdict low = compare_balls(view, one, query.radius, j),
                    high = compare_balls(view, one, query.radius, j + 8);
            hits &= low.perhaps | high.perhaps << 8;
            sure &= hits & (low.surely | high.surely << 8);
        }
        if (__builtin_expect(hits != sure, 0))
            out = grid_defer(view->input, view->ties, query.item, view->item + j, hits ^ sure, out);
        out = emit(view->paired, item, view->item + j, sure & 255, out);
        out = emit(view->paired, item, view->item + j + 8, sure >> 8, out);
    }
    view->out = out;
}

GRID_INLINE int32_t grid_list(const grid_view *view, grid_sides *sides, int32_t count, unsigned wanted)
{
    int32_t listed = 0;
    __m128i bits = _mm_set1_epi8((char)wanted);
    for (int32_t k = 0; k < count; k += 8) {
        __m128i side = _mm_loadl_epi64((const __m128i *)(sides->side + k));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(side, bits), bits)) & 255;
        __m128i lane = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)view->compress[hits]));
        _mm_storeu_si128((__m128i *)(sides->list + listed), _mm_add_epi16(lane, _mm_set1_epi16((short)k)));
        listed += __builtin_popcount(hits);
    }
    return listed;
}

void cd_grid_scan_avx2(void *job, int worker) { grid_walk(job, worker); }
#else
typedef int no_avx2;  // a file must declare something
#endif
