// SPDX-License-Identifier: MIT
#include "narrow_ellipsoids.h"

// ---- batches -------------------------------------------------------------------------------------------------------

extern const cd_pair3 cd_pair3_ellipsoid_ellipsoid;

static void fill(cd_narrow_ellipsoids *batch, cd_narrow_placer *placer, const cd_pair3 *const *entry, int32_t first)
{
    enum { FARTHEST = 64 };  // pairs ahead: where few are of ellipsoids, batches stay small
    const cd_narrow_frame_state *frame = placer->frame;
    const int32_t last = first + FARTHEST < frame->pair_count ? first + FARTHEST : frame->pair_count;
    cd_perram_block block;
    cd_vec3 centre[CD_PERRAM_LANES][2];
    block.count = 0;
    batch->begin = batch->end = first;
    for (int32_t i = first; i < last && block.count < CD_PERRAM_LANES; i++) {
        batch->end = i + 1;
        if (entry[i] != &cd_pair3_ellipsoid_ellipsoid)
            continue;
        cd_pair3_part a, b;
        cd_narrow_placer_pair(placer, &frame->pair[i], &a, &b);
        batch->number[block.count] = i;
        centre[block.count][0] = a.current->ellipsoid.centre;
        centre[block.count][1] = b.current->ellipsoid.centre;
        cd_perram_add(&block, &a.current->ellipsoid, &b.current->ellipsoid,
                      frame->lambdas ? frame->lambdas->pair[i].start : 0);
    }
    cd_perram_solve(&block, CD_VECTOR_AVX512);
    batch->count = block.count;
    for (int32_t k = 0; k < block.count; k++)
        batch->found[k] = cd_perram_get(&block, k, centre[k][0], centre[k][1]);
}

const cd_perram *cd_narrow_ellipsoids_of(cd_narrow_ellipsoids *batch, cd_narrow_placer *placer,
                                         const cd_pair3 *const *entry, int32_t number)
{
    if (entry[number] != &cd_pair3_ellipsoid_ellipsoid)
        return NULL;
    if (number < batch->begin || number >= batch->end)
        fill(batch, placer, entry, number);
    int32_t k = 0;
    while (batch->number[k] != number)
        k++;
    struct cd_narrow_lambdas *lambdas = placer->frame->lambdas;
    if (lambdas && !batch->found[k].is_concentric)
        lambdas->pair[number].found = batch->found[k].lambda;
    return &batch->found[k];
}

// ---- from frame to frame -------------------------------------------------------------------------------------------

static int compare(const cd_narrow_lambda *p, const cd_narrow_lambda *q)
{
    const int64_t left[] = {p->id_a, p->part_a, p->id_b, p->part_b}, right[] = {q->id_a, q->part_a, q->id_b, q->part_b};
    for (int k = 0; k < 4; k++)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

void cd_narrow_lambdas_begin(struct cd_narrow_lambdas *lambdas, const cd_narrow_frame_state *frame)
{
    const int64_t *id = frame->in->body.id;
    cd_narrow_lambda *pair = CD_ARENA_ARRAY(&lambdas->arena[1 - lambdas->turn], cd_narrow_lambda, frame->pair_count);
    int32_t k = 0;  // both are sorted
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *p = &frame->pair[i];
        pair[i] = (cd_narrow_lambda){id[p->row_a], id[p->row_b], p->part_a, p->part_b, 0, 0};
        while (k < lambdas->count && compare(&lambdas->pair[k], &pair[i]) < 0)
            k++;
        if (k < lambdas->count && compare(&lambdas->pair[k], &pair[i]) == 0)
            pair[i].start = lambdas->pair[k].found;
    }
    cd_arena_reset(&lambdas->arena[lambdas->turn]);
    lambdas->turn = 1 - lambdas->turn;
    lambdas->count = frame->pair_count;
    lambdas->pair = pair;
}

void cd_narrow_lambdas_forget(struct cd_narrow_lambdas *lambdas)
{
    cd_arena_release(&lambdas->arena[0]);
    cd_arena_release(&lambdas->arena[1]);
}
