// SPDX-License-Identifier: MIT
#include "broad_plane.h"

#include "broad_faces.h"

static void rank_section(cd_broad_plane *plane, const cd_broad_run *run, int axis, int number)
{
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    int32_t count = plane->count;
    const uint32_t *face = cd_broad_sort_faces(run, axis, 2 * (int64_t)count);
    for (int64_t rank = 0; rank < 2 * (int64_t)count; rank++) {
        bool is_upper = face[rank] >= (uint32_t)count;
        cd_rectangle *section = &plane->section[is_upper ? face[rank] - (uint32_t)count : face[rank]];
        (is_upper ? section->high : section->low)[number] = (uint32_t)rank;
    }
    cd_arena_rewind(run->arena, mark);
}

cd_broad_plane cd_broad_plane_of(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    int dim = input->dim, axis = cd_broad_sparsest_axis(run->statistics, dim);
    int32_t count = input->count;
    cd_broad_plane plane = {.count = count, .bits = 1, .section = CD_ARENA_ZARRAY(run->arena, cd_rectangle, count)};
    while ((int64_t)1 << plane.bits < 2 * (int64_t)count)
        plane.bits++;
    plane.event = cd_broad_sort_faces(run, axis, 2 * (int64_t)count);
    for (int k = 1; k < dim; k++)
        rank_section(&plane, run, (axis + k) % dim, k - 1);
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
