// SPDX-License-Identifier: MIT
#include "broad_plane.h"

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

// ---- sorted faces ----------------------------------------------------------------------------------------------

typedef struct face_source {
    const cd_broad_input *input;
    int axis;
} face_source;

// The coordinate of a face as an integer of the same order (IEEE 754: the bits of a double are ordered as its
// magnitude). -0 is 0, as in comparisons.
static uint64_t face_key(face_source from, uint32_t face)
{
    const cd_broad_input *input = from.input;
    bool is_upper = face >= (uint32_t)input->count;
    int64_t item = is_upper ? (int64_t)face - input->count : (int64_t)face;
    double value = (is_upper ? input->max : input->min)[item * input->dim + from.axis] + 0.0;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

// Least significant digit first; digits that are the same in all words are skipped.
uint64_t *cd_broad_sort_by_upper_half(uint64_t *from, uint64_t *to, int64_t count)
{
    enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
    for (int shift = 32; shift < 64; shift += DIGIT_BITS) {
        uint32_t place[DIGITS + 1] = {0};
        for (int64_t i = 0; i < count; i++)
            place[(from[i] >> shift & (DIGITS - 1)) + 1]++;
        if (place[(from[0] >> shift & (DIGITS - 1)) + 1] == count)
            continue;
        for (int digit = 0; digit < DIGITS; digit++)
            place[digit + 1] += place[digit];
        for (int64_t i = 0; i < count; i++)
            to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// Words of one upper half, in order of face numbers, into the order of their full coordinates. Such coordinates
// differ by less than 2^32 as integers, so those differences are exact in an upper half.
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
    for (int64_t i = 0; i < count; i++)
        word[i] = (face_key(source, (uint32_t)word[i]) - least) << 32 | (word[i] & UINT32_MAX);
    uint64_t *sorted = cd_broad_sort_by_upper_half(word, spare, count);
    if (sorted != word)
        memcpy(word, sorted, (size_t)count * sizeof *word);
}

// First by the 32 leading bits of the coordinates (of what differs among them), then runs that are the same there.
uint32_t *cd_broad_sort_faces(const cd_broad_input *input, int axis, int64_t faces, cd_arena *arena)
{
    face_source source = {input, axis};
    uint32_t *sorted = CD_ARENA_ARRAY(arena, uint32_t, faces);
    if (faces == 0)
        return sorted;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    uint64_t *word = CD_ARENA_ARRAY(arena, uint64_t, faces), *spare = CD_ARENA_ARRAY(arena, uint64_t, faces);
    uint64_t least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < faces; i++) {
        word[i] = face_key(source, (uint32_t)i);
        least = word[i] < least ? word[i] : least;
        most = word[i] > most ? word[i] : most;
    }
    int shift = most == least ? 0 : 32 - __builtin_clzll(most - least);
    shift = shift < 0 ? 0 : shift;
    for (int64_t i = 0; i < faces; i++)
        word[i] = (word[i] - least) >> shift << 32 | (uint32_t)i;
    uint64_t *result = cd_broad_sort_by_upper_half(word, spare, faces);
    spare = result == word ? spare : word;
    for (int64_t begin = 0, end; shift > 0 && begin < faces; begin = end) {
        for (end = begin + 1; end < faces && result[end] >> 32 == result[begin] >> 32; end++)
            ;
        if (end - begin > 1)
            sort_run(source, result + begin, spare, end - begin);
    }
    for (int64_t i = 0; i < faces; i++)
        sorted[i] = (uint32_t)result[i];
    cd_arena_rewind(arena, mark);
    return sorted;
}

// ---- the plane -------------------------------------------------------------------------------------------------

static void rank_section(cd_broad_plane *plane, const cd_broad_input *input, int axis, int number, cd_arena *arena)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t count = plane->count;
    const uint32_t *face = cd_broad_sort_faces(input, axis, 2 * (int64_t)count, arena);
    for (int64_t rank = 0; rank < 2 * (int64_t)count; rank++) {
        bool is_upper = face[rank] >= (uint32_t)count;
        cd_rectangle *section = &plane->section[is_upper ? face[rank] - (uint32_t)count : face[rank]];
        (is_upper ? section->high : section->low)[number] = (uint32_t)rank;
    }
    cd_arena_rewind(arena, mark);
}

cd_broad_plane cd_broad_plane_of(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    int dim = input->dim, axis = cd_broad_sparsest_axis(run->statistics, dim);
    int32_t count = input->count;
    cd_broad_plane plane = {.count = count, .bits = 1, .section = CD_ARENA_ZARRAY(run->arena, cd_rectangle, count)};
    while ((int64_t)1 << plane.bits < 2 * (int64_t)count)
        plane.bits++;
    plane.event = cd_broad_sort_faces(input, axis, 2 * (int64_t)count, run->arena);
    for (int k = 1; k < dim; k++)
        rank_section(&plane, input, (axis + k) % dim, k - 1, run->arena);
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            plane.width_mean[k] += (double)(plane.section[i].high[k] - plane.section[i].low[k]) / count;
    if (dim == 3 && plane.width_mean[1] > plane.width_mean[0]) {
        for (int32_t i = 0; i < count; i++) {
            cd_rectangle *s = &plane.section[i];
            *s = (cd_rectangle){{s->low[1], s->low[0]}, {s->high[1], s->high[0]}};
        }
        double swap = plane.width_mean[0];
        plane.width_mean[0] = plane.width_mean[1];
        plane.width_mean[1] = swap;
    }
    int32_t held = 0;
    for (int64_t e = 0; e < 2 * (int64_t)count; e++) {
        held += plane.event[e] < (uint32_t)count ? 1 : -1;
        plane.held_most = held > plane.held_most ? held : plane.held_most;
    }
    return plane;
}
