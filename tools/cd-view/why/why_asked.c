// SPDX-License-Identifier: MIT
#include "why_asked.h"

// The first with contacts, of the stream or of the bodies; else the nearest.
static const cd_why_leaves *choose_leaves(const cd_why_pair *pair)
{
    for (int32_t i = 0; i < pair->count; i++)
        if (pair->leaves[i].contacts > 0 || pair->leaves[i].expected > 0)
            return &pair->leaves[i];
    return pair->count > 0 ? &pair->leaves[0] : NULL;
}

static int32_t find_pair(const cd_narrow_frame_state *state, const cd_why_pair *pair, const cd_why_leaves *leaves)
{
    for (int32_t i = 0; i < state->pair_count; i++) {
        const cd_narrow_site_pair *p = &state->pair[i];
        if (p->row_a == pair->row[0] && p->row_b == pair->row[1] && p->part_a == leaves->part[0] &&
            p->part_b == leaves->part[1])
            return i;
    }
    return -1;
}

static void ask_plane(cd_why_asked *asked, int32_t number, const cd_narrow_beside *beside)
{
    const cd_narrow_frame_state *state = &asked->pair->state;
    cd_narrow_plane_input(state, beside, number, state->arena, &asked->plane);
    const bool are_polygons =
        asked->plane.a.current->kind == CD_SHAPE_POLYGON && asked->plane.b.current->kind == CD_SHAPE_POLYGON;
    asked->reach = asked->plane.reach;
    asked->has_trial = asked->plane.a.current != asked->plane.a.start || asked->plane.b.current != asked->plane.b.start;
    asked->is_of_features = are_polygons && state->mode->plane == cd_pair2_potential;
    asked->is_of_separators = are_polygons && state->mode->plane == cd_pair2_separating;
}

static void ask_space(cd_why_asked *asked, int32_t number, const cd_narrow_beside *beside)
{
    const cd_narrow_frame_state *state = &asked->pair->state;
    const cd_narrow_site_pair *pair = &state->pair[number];
    asked->placer = cd_alloc(sizeof *asked->placer);
    cd_narrow_placer_begin(asked->placer, state);
    const cd_vec3 middle = cd_narrow_placer_input(asked->placer, number, state->arena, state->arena, &asked->space);
    cd_pair3_part *part[2] = {&asked->space.a, &asked->space.b};
    for (int side = 0; side < 2; side++) {
        const cd_narrow_sites sites = cd_narrow_beside_of(state, beside, pair, side, state->arena);
        if (sites.count > 0)
            cd_narrow_placer_beside(asked->placer, &sites, middle, state->arena, part[side]);
    }
    const bool have_shells = part[0]->shell[0] && part[1]->shell[0];
    const bool are_polyhedra =
        part[0]->current->kind == CD_SHAPE_POLYHEDRON && part[1]->current->kind == CD_SHAPE_POLYHEDRON;
    asked->reach = asked->space.reach;
    asked->has_trial = part[0]->current != part[0]->start || part[1]->current != part[1]->start;
    asked->is_of_features = have_shells && are_polyhedra && state->mode->space == cd_pair3_potential;
    asked->is_of_separators = have_shells && state->mode->space == cd_pair3_separating;
}

bool cd_why_ask(cd_why_pair *pair, cd_why_asked *asked)
{
    *asked = (cd_why_asked){.pair = pair, .leaves = choose_leaves(pair)};
    const int32_t number = asked->leaves ? find_pair(&pair->state, pair, asked->leaves) : -1;
    if (number < 0 || cd_elements_of_body(&pair->frame->elements, pair->row[0]) > 0 ||
        cd_elements_of_body(&pair->frame->elements, pair->row[1]) > 0)
        return false;
    const cd_narrow_beside beside = cd_narrow_beside_make(&pair->state);
    if (pair->frame->in.dim == 2)
        ask_plane(asked, number, &beside);
    else
        ask_space(asked, number, &beside);
    return true;
}

void cd_why_release(cd_why_asked *asked)
{
    if (asked->placer) {
        cd_narrow_placer_release(asked->placer);
        cd_free(asked->placer);
    }
    asked->placer = NULL;
}
