// SPDX-License-Identifier: MIT
#include "broad_faces.h"

int cd_broad_sparsest_axis(const cd_broad_statistics *statistics, int dim)
{
    int best = 0;
    double most = -1;
    for (int axis = 0; axis < dim; axis++) {
        // Halves: the range of the doubles' ends would overflow.
        double range = statistics->high[axis] / 2 - statistics->low[axis] / 2;
        double extent = statistics->extent_mean[axis] / 2;
        double fit = range > 0 ? range / (fmin(extent, range) + 1e-9 * range) : 0;
        if (fit > most) {
            most = fit;
            best = axis;
        }
    }
    return best;
}

// ---- radix sort ----------------------------------------------------------------------------------------------------

// Least significant digit first; digits that are the same in all words are skipped.
uint64_t *cd_broad_sort_by_upper_half(uint64_t *from, uint64_t *to, int64_t count)
{
    enum { DIGIT_BITS = 11, VALUES = 1 << DIGIT_BITS, DIGITS = 3 };
    static const int shift[DIGITS] = {32, 32 + DIGIT_BITS, 32 + 2 * DIGIT_BITS};
    uint32_t place[DIGITS][VALUES] = {{0}};
    for (int64_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            place[digit][from[i] >> shift[digit] & (VALUES - 1)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (place[digit][from[0] >> shift[digit] & (VALUES - 1)] == count)
            continue;
        uint32_t next = 0;
        for (int value = 0; value < VALUES; value++) {
            uint32_t here = place[digit][value];
            place[digit][value] = next;
            next += here;
        }
        for (int64_t i = 0; i < count; i++)
            to[place[digit][from[i] >> shift[digit] & (VALUES - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// ---- sorted faces --------------------------------------------------------------------------------------------------

typedef struct face_source {
    const cd_broad_input *input;
    int axis;
} face_source;

static inline double face_at(face_source from, uint32_t face)
{
    const cd_broad_input *input = from.input;
    bool is_upper = face >= (uint32_t)input->count;
    int64_t item = is_upper ? (int64_t)face - input->count : (int64_t)face;
    return (is_upper ? input->max : input->min)[item * input->dim + from.axis];
}

// The coordinate of a face as an integer of the same order (IEEE 754: the bits of a double are ordered as its
// magnitude). -0 is 0, as in comparisons.
static uint64_t face_key(face_source from, uint32_t face)
{
    double value = face_at(from, face) + 0.0;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void sort_run(face_source source, uint64_t *word, uint64_t *spare, int64_t count);

// Words whose upper halves are sorted and monotone in the coordinates: runs of equal ones by the coordinates.
static void sort_runs(face_source source, uint64_t *word, uint64_t *spare, int64_t count)
{
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && word[end] >> 32 == word[begin] >> 32; end++)
            ;
        if (end - begin > 1)
            sort_run(source, word + begin, spare, end - begin);
    }
}

// Words in order of face numbers into the order of their coordinates. Long runs by the leading 32 bits of what differs
// among the keys, then runs that are the same there, whose keys differ by less than 2^32: no third level.
static void sort_run(face_source source, uint64_t *word, uint64_t *spare, int64_t count)
{
    enum { INSERTION_MOST = 64 };
    uint64_t key[INSERTION_MOST];
    if (count <= INSERTION_MOST) {
        for (int64_t i = 0; i < count; i++) {
            uint64_t one = word[i], its_key = face_key(source, (uint32_t)one);
            int64_t k = i;
            for (; k > 0 && key[k - 1] > its_key; k--) {
                key[k] = key[k - 1];
                word[k] = word[k - 1];
            }
            key[k] = its_key;
            word[k] = one;
        }
        return;
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t its_key = face_key(source, (uint32_t)word[i]);
        least = its_key < least ? its_key : least;
        most = its_key > most ? its_key : most;
    }
    if (least == most)
        return;
    int shift = 32 - __builtin_clzll(most - least);
    shift = shift < 0 ? 0 : shift;
    for (int64_t i = 0; i < count; i++)
        word[i] = (face_key(source, (uint32_t)word[i]) - least) >> shift << 32 | (word[i] & UINT32_MAX);
    uint64_t *sorted = cd_broad_sort_by_upper_half(word, spare, count);
    if (sorted != word)
        memcpy(word, sorted, (size_t)count * sizeof *word);
    if (shift > 0)
        sort_runs(source, word, spare, count);
}

// Coordinates along an axis as 32-bit fixed point over the range of the scene: a < b implies fixed(a) <= fixed(b),
// since each step is monotone. Even spread leaves hardly any equal.
typedef struct fixed_point {
    double low, scale, range_scale;
} fixed_point;

static fixed_point fixed_point_of(const cd_broad_statistics *statistics, int axis)
{
    double low = statistics->low[axis], high = statistics->high[axis];
    double scale = fmax(fabs(low), fabs(high)) > 1 ? 0.25 : 1;  // so that the range is finite
    double range = high * scale - low * scale;
    return (fixed_point){low * scale, scale, range > 1e-300 ? UINT32_MAX / range : 0};
}

static inline uint64_t fixed(const fixed_point *f, double face)
{
    double steps = (face * f->scale - f->low) * f->range_scale;
    return (uint64_t)(steps < UINT32_MAX ? steps : UINT32_MAX);
}

uint32_t *cd_broad_sort_faces(const cd_broad_run *run, int axis, int64_t faces)
{
    const cd_broad_input *input = run->input;
    uint32_t *sorted = CD_ARENA_ARRAY(run->arena, uint32_t, faces);
    if (faces == 0)
        return sorted;
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    uint64_t *word = CD_ARENA_ARRAY(run->arena, uint64_t, faces), *spare = CD_ARENA_ARRAY(run->arena, uint64_t, faces);
    fixed_point f = fixed_point_of(run->statistics, axis);
    face_source source = {input, axis};
    for (int64_t i = 0; i < faces; i++) {
        double at = cd_broad_finite(run->statistics, axis, face_at(source, (uint32_t)i));
        word[i] = fixed(&f, at) << 32 | (uint32_t)i;
    }
    uint64_t *result = cd_broad_sort_by_upper_half(word, spare, faces);
    sort_runs(source, result, result == word ? spare : word, faces);
    for (int64_t i = 0; i < faces; i++)
        sorted[i] = (uint32_t)result[i];
    cd_arena_rewind(run->arena, mark);
    return sorted;
}
