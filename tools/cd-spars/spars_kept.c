// SPDX-License-Identifier: MIT
#include "spars_kept.h"

enum { LIST_MOST = 32 };  // contacts of a body that are looked through one by one

// Coordinates are counted in cells of at least this part of the largest one: they are exact as int64, and the sum of
// roundings stays far below the 2^-10 by which a cell is wider than 2 mindist.
#define SMALLEST_CELL 0x1p-40
#define WIDER (1 + 0x1p-10)

cd_spars_kept cd_spars_kept_make(cd_arena *arena, const cd_spars_input *input, const int32_t *first, double mindist)
{
    size_t sides = (size_t)first[input->body_count];
    cd_spars_kept kept = {.input = input, .mindist = mindist, .first = first};
    kept.count = CD_ARENA_ZARRAY(arena, int32_t, input->body_count);
    kept.point = CD_ARENA_ARRAY(arena, double, sides *(size_t)input->dim);
    double largest = 0;
    for (int32_t i = 0; i < input->order_count; i++)
        for (int k = 0; k < input->dim; k++)
            largest = fmax(largest, fabs(input->point[(size_t)input->dim * (size_t)input->order[i] + (size_t)k]));
    kept.cell = fmax(2 * mindist * WIDER, largest * SMALLEST_CELL);
    bool has_grid = false;
    for (int32_t body = 0; body < input->body_count && !has_grid; body++)
        has_grid = first[body + 1] - first[body] > LIST_MOST;
    if (has_grid) {
        kept.next = CD_ARENA_ARRAY(arena, int32_t, sides);
        kept.head = CD_ARENA_ARRAY(arena, int32_t, sides);
        memset(kept.head, -1, sides * sizeof *kept.head);
    }
    return kept;
}

static bool is_gridded(const cd_spars_kept *kept, int32_t body)
{
    return kept->first[body + 1] - kept->first[body] > LIST_MOST;
}

// The bucket of a cell among the 2^k <= places of a body.
static int32_t *bucket_of(const cd_spars_kept *kept, int32_t body, const int64_t *cell)
{
    uint64_t hash = 0;
    for (int k = 0; k < kept->input->dim; k++)
        hash = (hash ^ (uint64_t)cell[k]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    int bits = 31 - __builtin_clz((unsigned)(kept->first[body + 1] - kept->first[body]));
    return &kept->head[kept->first[body] + (int32_t)(hash >> (64 - bits))];
}

static bool bucket_has_near(const cd_spars_kept *kept, int32_t body, const int64_t *cell, const double *point)
{
    int dim = kept->input->dim;
    for (int32_t place = *bucket_of(kept, body, cell); place >= 0; place = kept->next[place])
        if (cd_spars_is_near(dim, point, kept->point + (size_t)dim * (size_t)place, kept->mindist))
            return true;
    return false;
}

// Rounding is monotone: a coordinate between x - mindist and x + mindist lies in a cell between those of the rounded
// ends, ends included.
static bool grid_has_near(const cd_spars_kept *kept, int32_t body, const double *point)
{
    int64_t low[3] = {0}, high[3] = {0}, cell[3];
    for (int k = 0; k < kept->input->dim; k++) {
        low[k] = (int64_t)floor((point[k] - kept->mindist) / kept->cell);
        high[k] = (int64_t)floor((point[k] + kept->mindist) / kept->cell);
    }
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
                if (bucket_has_near(kept, body, cell, point))
                    return true;
    return false;
}

static bool body_has_near(const cd_spars_kept *kept, int32_t body, const double *point)
{
    if (is_gridded(kept, body))
        return grid_has_near(kept, body, point);
    int dim = kept->input->dim;
    const double *other = kept->point + (size_t)dim * (size_t)kept->first[body];
    for (int32_t k = 0; k < kept->count[body]; k++, other += dim)
        if (cd_spars_is_near(dim, point, other, kept->mindist))
            return true;
    return false;
}

bool cd_spars_kept_has_near(const cd_spars_kept *kept, int32_t row)
{
    const cd_spars_input *input = kept->input;
    const double *point = input->point + (size_t)input->dim * (size_t)row;
    return body_has_near(kept, input->a[2 * (size_t)row], point) ||
           body_has_near(kept, input->b[2 * (size_t)row], point);
}

static void add_to(cd_spars_kept *kept, int32_t body, const double *point)
{
    int dim = kept->input->dim;
    int32_t place = kept->first[body] + kept->count[body]++;
    memcpy(kept->point + (size_t)dim * (size_t)place, point, (size_t)dim * sizeof *point);
    if (!is_gridded(kept, body))
        return;
    int64_t cell[3] = {0};
    for (int k = 0; k < dim; k++)
        cell[k] = (int64_t)floor(point[k] / kept->cell);
    int32_t *bucket = bucket_of(kept, body, cell);
    kept->next[place] = *bucket;
    *bucket = place;
}

void cd_spars_kept_add(cd_spars_kept *kept, int32_t row)
{
    const cd_spars_input *input = kept->input;
    const double *point = input->point + (size_t)input->dim * (size_t)row;
    add_to(kept, input->a[2 * (size_t)row], point);
    add_to(kept, input->b[2 * (size_t)row], point);
}
