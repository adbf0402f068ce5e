// The scan of the method `grid` with AVX-512: two times 16 boxes a step.
// SPDX-License-Identifier: MIT
#ifdef __AVX512F__
#include "broad_grid_walk.h"

#include <immintrin.h>

// Pairs of `one` with the lanes of the mask, packed; without a branch for the usual four or fewer. (A store of 64 bytes
// anywhere touches two lines of the cache as a rule; with eight pairs at once they were half of the scan's time.)
GRID_INLINE cd_box_pair *emit(__m512i one, const int32_t *other, __mmask16 mask, cd_box_pair *out)
{
    const __mmask16 second = 0xaaaa;
    const __m512i twice = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    unsigned hits = (unsigned)__builtin_popcount(mask);
    __m512i packed = _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(other));
    __m512i pairs = _mm512_mask_permutexvar_epi32(one, second, twice, packed);
    _mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(pairs));
    if (__builtin_expect(hits > 4, 0)) {
        _mm512_storeu_si512(out, pairs);
        packed = _mm512_shuffle_i64x2(packed, packed, 0xee);
        _mm512_storeu_si512(out + 8, _mm512_mask_permutexvar_epi32(one, second, twice, packed));
    }
    return out + hits;
}

// The least of the six overlaps of sixteen boxes with one: negative in a half of the word means apart, 0 a tie.
typedef struct gauge {
    __m512i x, y, z;
} gauge;
GRID_INLINE __m512i least_overlap(const grid_view *view, gauge one, int32_t j)
{
    __m512i x = _mm512_adds_epi16(one.x, _mm512_loadu_si512(view->faces[0] + j));
    __m512i y = _mm512_add_epi16(one.y, _mm512_loadu_si512(view->faces[1] + j));
    __m512i z = _mm512_add_epi16(one.z, _mm512_loadu_si512(view->faces[2] + j));
    return _mm512_min_epi16(_mm512_min_epi16(x, y), z);
}

// Of sixteen boxes from j on: whose balls surely overlap that of the query, and whose do not surely lie apart.
typedef struct verdict {
    __mmask16 surely, perhaps;
} verdict;
GRID_INLINE __m512 square_of(__m512i sums, float pitch)
{
    __m512i twice = _mm512_madd_epi16(sums, _mm512_set1_epi32((int)0xffff0001));
    __m512 length = _mm512_mul_ps(_mm512_cvtepi32_ps(twice), _mm512_set1_ps(pitch));
    return _mm512_mul_ps(length, length);
}
GRID_INLINE verdict compare_balls(const grid_view *view, gauge one, float radius, int32_t j)
{
    __m512 square = square_of(_mm512_adds_epi16(one.x, _mm512_loadu_si512(view->faces[0] + j)), view->pitch[0]);
    __m512 y = square_of(_mm512_add_epi16(one.y, _mm512_loadu_si512(view->faces[1] + j)), view->pitch[1]);
    __m512 z = square_of(_mm512_add_epi16(one.z, _mm512_loadu_si512(view->faces[2] + j)), view->pitch[2]);
    square = _mm512_add_ps(square, _mm512_add_ps(y, z));
    __m512 reach = _mm512_add_ps(_mm512_loadu_ps(view->radius + j), _mm512_set1_ps(radius));
    __m512 slack = _mm512_fmadd_ps(reach, _mm512_set1_ps(GRID_ROUNDING), _mm512_set1_ps(view->doubt));
    __m512 inner = _mm512_max_ps(_mm512_sub_ps(reach, slack), _mm512_setzero_ps()), outer = _mm512_add_ps(reach, slack);
    __mmask16 is_round = _mm512_cmp_ps_mask(reach, reach, _CMP_ORD_Q);
    return (verdict){_mm512_mask_cmp_ps_mask(is_round, square, _mm512_mul_ps(inner, inner), _CMP_LT_OQ),
                     _mm512_cmp_ps_mask(square, _mm512_mul_ps(outer, outer), _CMP_NGT_UQ)};
}

GRID_INLINE __m512i exchanged(uint32_t word) { return _mm512_rol_epi32(_mm512_set1_epi32((int)word), 16); }

// Eighths of the distance along an axis, squared, over 2^16: too small by less than 1.
GRID_INLINE __m512i way_of(__m512i one, const uint16_t *centre)
{
    __m512i way = _mm512_abs_epi16(_mm512_sub_epi16(_mm512_loadu_si512(centre), one));
    way = _mm512_slli_epi16(_mm512_min_epu16(way, _mm512_set1_epi16(GRID_SNUG_FAR)), 3);
    return _mm512_mulhi_epu16(way, way);
}

// Balls alone. Sums of squares are too small by less than 3, those of the reach by less than 1.
GRID_INLINE void compare_snug(grid_view *view, grid_query query, int32_t begin, int32_t end)
{
    const grid_ball ball = query.ball;
    const __m512i x = _mm512_set1_epi16((short)ball.centre[0]), y = _mm512_set1_epi16((short)ball.centre[1]),
                  z = _mm512_set1_epi16((short)ball.centre[2]), radius = _mm512_set1_epi16((short)ball.radius);
    const __m512i item = _mm512_set1_epi32(query.item), doubt = _mm512_set1_epi16(GRID_SNUG_DOUBT);
    cd_box_pair *out = view->out;
    for (int32_t j = begin; j < end; j += 32) {
        __m512i square =
            _mm512_add_epi16(way_of(x, view->centre[0] + j),
                             _mm512_add_epi16(way_of(y, view->centre[1] + j), way_of(z, view->centre[2] + j)));
        __m512i reach = _mm512_adds_epu16(_mm512_loadu_si512(view->reach + j), radius);
        __m512i inner = _mm512_subs_epu16(reach, doubt), outer = _mm512_adds_epu16(reach, doubt);
        inner = _mm512_subs_epu16(_mm512_mulhi_epu16(inner, inner), _mm512_set1_epi16(2));
        __mmask32 there = end - j < 32 ? (1u << (end - j)) - 1 : 0xffffffff;
        __mmask32 hits = _mm512_mask_cmple_epu16_mask(there, square, _mm512_mulhi_epu16(outer, outer));
        // Both are seldom there: a reach that is not of a loose ball is positive as a signed number.
        __mmask32 sure = _mm512_mask_cmplt_epu16_mask(hits, square, inner);
        sure &= ~_mm512_movepi16_mask(reach);
        if (__builtin_expect(hits != sure, 0))
            out = grid_defer(view->input, view->ties, query.item, view->item + j, hits ^ sure, out);
        out = emit(item, view->item + j, (__mmask16)sure, out);
        out = emit(item, view->item + j + 16, (__mmask16)(sure >> 16), out);
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
    __m512i item = _mm512_set1_epi32(query.item), signs = _mm512_set1_epi32((int)0x80008000);
    const __m512i ones = _mm512_set1_epi16(1);
    cd_box_pair *out = view->out;
    for (int32_t j = begin; j < end; j += 32) {
        __m512i first = least_overlap(view, one, j), second = least_overlap(view, one, j + 16);
        __mmask16 hits = _mm512_testn_epi32_mask(first, signs), more_hits = _mm512_testn_epi32_mask(second, signs);
        __mmask16 sure = _mm512_testn_epi32_mask(_mm512_subs_epi16(first, ones), signs);
        __mmask16 more_sure = _mm512_testn_epi32_mask(_mm512_subs_epi16(second, ones), signs);
        if (view->radius && (hits | more_hits)) {
            verdict balls = compare_balls(view, one, query.radius, j);
            hits &= balls.perhaps;
            sure &= hits & balls.surely;
            balls = compare_balls(view, one, query.radius, j + 16);
            more_hits &= balls.perhaps;
            more_sure &= more_hits & balls.surely;
        }
        unsigned tied = (unsigned)(hits ^ sure) | (unsigned)(more_hits ^ more_sure) << 16;
        if (__builtin_expect(tied != 0, 0))
            out = grid_defer(view->input, view->ties, query.item, view->item + j, tied, out);
        out = emit(item, view->item + j, sure, out);
        out = emit(item, view->item + j + 16, more_sure, out);
    }
    view->out = out;
}

GRID_INLINE int32_t grid_list(const grid_view *view, grid_sides *sides, int32_t count, unsigned wanted)
{
    (void)view;
    int32_t listed = 0;
    __m128i bits = _mm_set1_epi8((char)wanted);
    __m512i number = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int32_t k = 0; k < count; k += 16) {
        __m128i side = _mm_loadu_si128((const __m128i *)(sides->side + k));
        __mmask16 hits = _mm_cmpeq_epi8_mask(_mm_and_si128(side, bits), bits);
        __m256i packed = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(hits, number));
        _mm256_storeu_si256((__m256i *)(sides->list + listed), packed);
        listed += __builtin_popcount(hits);
        number = _mm512_add_epi32(number, _mm512_set1_epi32(16));
    }
    return listed;
}

void cd_grid_scan_avx512(void *job, int worker) { grid_walk(job, worker); }
#else
typedef int no_avx512;  // a file must declare something
#endif
