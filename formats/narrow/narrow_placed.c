// SPDX-License-Identifier: MIT
#include "narrow_placed.h"

#include "cd_sheet3.h"

enum { START, PREDICTED, CURRENT };
enum { KEPT_BYTES = 2 << 20 };  // about what a core's own cache holds; from 0.25 to 8 MiB the time is much the same
enum { SHEET_BYTES = 1420 };

// Bits of a product by the golden ratio (Knuth, TAOCP 3, 6.4): rows that follow one another fall apart.
static uint32_t slot_of(int32_t row, int32_t part, uint32_t slots)
{
    uint32_t mixed = (uint32_t)row * 0x9e3779b1u + (uint32_t)part * 0x85ebca6bu;
    return (uint32_t)((uint64_t)mixed * slots >> 32);
}

static bool is_same_pose(const cd_state3 *a, const cd_state3 *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z &&
           cd_quat_is_same(a->rotation, b->rotation);
}

void cd_narrow_find_poses(const cd_narrow_frame_state *frame, cd_narrow_placed_body *placed)
{
    placed->middle = cd_cell_middle(frame->cell, cd_body_start3(frame->in, placed->row).position);
    if (!(frame->mode->needs & CD_NARROW_NEEDS_POSES)) {
        placed->pose[CURRENT] = cd_body_trial_pose3(frame->in, frame->trial_row, placed->row);
        placed->pose[CURRENT].position = cd_sub3(placed->pose[CURRENT].position, placed->middle);
        placed->same[START] = placed->same[PREDICTED] = placed->same[CURRENT] = CURRENT;
        return;
    }
    cd_state3 state[CD_NARROW_POSES];
    state[CURRENT] = cd_body_trial3(frame->in, frame->trial_row, placed->row);
    state[START] = cd_body_start3(frame->in, placed->row);
    cd_state3 (*expected)(const cd_model *, int32_t, double) =
        frame->mode->needs & CD_NARROW_NEEDS_DRIFT ? cd_body_drifted3 : cd_body_predicted3;
    state[PREDICTED] = frame->step > 0 ? expected(frame->in, placed->row, frame->step) : state[START];
    for (int k = 0; k < CD_NARROW_POSES; k++) {
        placed->pose[k] = cd_state3_pose(state[k]);
        placed->pose[k].position = cd_sub3(placed->pose[k].position, placed->middle);
        placed->same[k] = k;
        for (int j = k - 1; j >= 0; j--)
            if (is_same_pose(&state[j], &state[k]))
                placed->same[k] = j;
    }
}

static const cd_narrow_placed_body *body_of(cd_narrow_placer *placer, int32_t row)
{
    cd_narrow_placed_body *body = &placer->body[slot_of(row, 0, (uint32_t)placer->body_slots)];
    if (body->row != row) {
        body->row = row;
        cd_narrow_find_poses(placer->frame, body);
    }
    return body;
}

// NULL: the facet is a point.
static const cd_shell3 *sheet_of(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, const cd_solid3 *solid)
{
    const cd_vec3 *corner = solid->facet.vertex;
    double margin = solid->facet.half_thickness;
    const cd_shell3 *sheet = cd_sheet3_make(arena, corner, margin);
    if (sheet)
        return sheet;
    cd_vec3 own[3];
    for (int k = 0; k < 3; k++)
        own[k] = cd_leaf3_corner(leaf, k);
    int k = cd_sheet3_longest(own), next = (k + 1) % 3;
    if (k < 0)
        return NULL;
    const cd_vec3 end[2] = {corner[k], corner[next]};
    cd_vec3 across = cd_across3(cd_sub3(own[next], own[k]));
    return cd_sheet3_make_line(arena, end, cd_pose3_turn(pose, across), margin);
}

// One leaf at one pose, and of a polyhedron its shell where the mode asks for it.
static const cd_solid3 *place(cd_narrow_placer *placer, int32_t leaf, const cd_pose3 *pose, const cd_shell3 **shell)
{
    uint32_t needs = placer->frame->mode->needs;
    bool has_planes = needs & CD_NARROW_NEEDS_PLANES;
    cd_solid3 *solid = CD_ARENA_ARRAY(&placer->arena, cd_solid3, 1);
    const cd_leaf3 own = cd_leaves3_at(&placer->frame->shapes->space, leaf);
    cd_solid3_place_into(&placer->arena, &own, pose, has_planes, solid);
    placer->bytes += (int64_t)sizeof *solid;
    if (solid->kind == CD_SHAPE_FACETS && needs & CD_NARROW_NEEDS_SHEETS) {
        *shell = sheet_of(&placer->arena, &own, pose, solid);
        placer->bytes += SHEET_BYTES;
    }
    if (solid->kind != CD_SHAPE_POLYHEDRON)
        return solid;
    placer->bytes += 3 * (int64_t)sizeof(double) * solid->convex.vertex_count +
                     (has_planes ? (int64_t)sizeof(cd_plane) * solid->convex.face_count : 0);
    if (!(needs & CD_NARROW_NEEDS_SHELLS))
        return solid;
    cd_shell3 *made = CD_ARENA_ARRAY(&placer->arena, cd_shell3, 1);
    *made = cd_shell3_make(&placer->arena, &solid->convex, solid->edges);
    placer->bytes +=
        (int64_t)sizeof *made + (int64_t)sizeof(cd_vec3) * (solid->edges->count + (int64_t)solid->convex.face_count);
    *shell = made;
    return solid;
}

static cd_pair3_part place_part(cd_narrow_placer *placer, const cd_narrow_placed_body *body, int32_t leaf)
{
    const cd_solid3 *solid[CD_NARROW_POSES];
    const cd_shell3 *shell[CD_NARROW_POSES] = {NULL, NULL, NULL};
    for (int k = 0; k < CD_NARROW_POSES; k++)
        if (body->same[k] == k)
            solid[k] = place(placer, leaf, &body->pose[k], &shell[k]);
    int start = body->same[START], predicted = body->same[PREDICTED], current = body->same[CURRENT];
    return (cd_pair3_part){.start = solid[start],
                           .predicted = solid[predicted],
                           .current = solid[current],
                           .shell = {shell[start], shell[predicted], shell[current]}};
}

// About the middle of the body's own cell it is kept, about another one it is not.
static cd_pair3_part part_of(cd_narrow_placer *placer, int32_t row, int32_t part, int32_t leaf, cd_vec3 middle)
{
    const cd_narrow_placed_body *own = body_of(placer, row);
    if (!cd_cell_is_same(own->middle, middle)) {
        cd_narrow_placed_body moved = *own;
        for (int k = 0; k < CD_NARROW_POSES; k++)
            moved.pose[k].position = cd_add3(moved.pose[k].position, cd_sub3(moved.middle, middle));
        return place_part(placer, &moved, leaf);
    }
    const uint32_t at = slot_of(row, part, CD_NARROW_PART_SLOTS);
    cd_narrow_placed_part *slot = &placer->part[at];
    if (placer->part_row[at] != row || slot->part != part) {
        placer->part_row[at] = row;
        *slot = (cd_narrow_placed_part){part, place_part(placer, own, leaf)};
    }
    return slot->placed;
}

static void forget_parts(cd_narrow_placer *placer)
{
    cd_arena_reset(&placer->arena);
    placer->bytes = 0;
    memset(placer->part_row, -1, sizeof placer->part_row);
}

void cd_narrow_placer_begin(cd_narrow_placer *placer, const cd_narrow_frame_state *frame)
{
    placer->frame = frame;
    placer->arena = (cd_arena){0};
    forget_parts(placer);
    const int32_t bodies = frame->in->body.count;
    placer->body_slots = bodies < CD_NARROW_BODY_SLOTS ? bodies : CD_NARROW_BODY_SLOTS;
    for (int32_t i = 0; i < placer->body_slots; i++)
        placer->body[i].row = -1;
}

cd_vec3 cd_narrow_placer_pair(cd_narrow_placer *placer, const cd_narrow_site_pair *pair, cd_pair3_part *a,
                              cd_pair3_part *b)
{
    if (placer->bytes > KEPT_BYTES)
        forget_parts(placer);
    const cd_leaves *shapes = placer->frame->shapes;
    int32_t leaf_a = cd_narrow_leaf_number(placer->frame, pair->row_a, pair->part_a);
    int32_t leaf_b = cd_narrow_leaf_number(placer->frame, pair->row_b, pair->part_b);
    cd_vec3 middle_a = body_of(placer, pair->row_a)->middle, middle_b = body_of(placer, pair->row_b)->middle;
    cd_vec3 middle =
        cd_cell_of_pair(cd_leaves_extent(shapes, leaf_a), middle_a, cd_leaves_extent(shapes, leaf_b), middle_b);
    *a = part_of(placer, pair->row_a, pair->part_a, leaf_a, middle);
    *b = part_of(placer, pair->row_b, pair->part_b, leaf_b, middle);
    return middle;
}

const cd_narrow_placed_body *cd_narrow_placer_body(cd_narrow_placer *placer, int32_t row)
{
    return body_of(placer, row);
}

cd_vec3 cd_narrow_placer_input(cd_narrow_placer *placer, int32_t pair, cd_arena *arena, cd_arena *scratch,
                               cd_pair3_input *input)
{
    const cd_narrow_frame_state *frame = placer->frame;
    const cd_narrow_site_pair *p = &frame->pair[pair];
    *input = (cd_pair3_input){.reach = cd_reach_pair(&frame->reach, p->row_a, p->row_b),
                              .sway = cd_reach_sway(&frame->reach, p->row_a, p->row_b),
                              .drift = cd_reach_drift(&frame->reach, p->row_a, p->row_b),
                              .pull = cd_reach_pull(&frame->reach, p->row_a, p->row_b),
                              .epsilon = frame->epsilon,
                              .choice = frame->choice,
                              .arena = arena,
                              .scratch = scratch};
    return cd_narrow_placer_pair(placer, p, &input->a, &input->b);
}

void cd_narrow_placer_beside(cd_narrow_placer *placer, const cd_narrow_sites *sites, cd_vec3 middle, cd_arena *arena,
                             cd_pair3_part *put)
{
    const cd_shell3 **shell = CD_ARENA_ARRAY(arena, const cd_shell3 *, sites->count);
    cd_pair3_part *part = CD_ARENA_ARRAY(arena, cd_pair3_part, sites->count);
    int32_t count = 0, before = 0;
    for (int32_t i = 0; i < sites->count; i++) {
        cd_narrow_site site = sites->site[i];
        int32_t leaf = cd_narrow_leaf_number(placer->frame, site.row, site.part);
        cd_pair3_part placed = part_of(placer, site.row, site.part, leaf, middle);
        if (!placed.shell[START] || !placed.shell[PREDICTED] || !placed.shell[CURRENT] || placed.shell[START]->is_line)
            continue;  // a facet without a normal
        part[count] = placed;
        shell[count++] = placed.shell[START];
        before += i < sites->before;
    }
    put->beside = (cd_beside3){count, shell};
    if (sites->is_under_round)
        put->covers = (cd_covers3){count, before, part};
}

void cd_narrow_placer_release(cd_narrow_placer *placer) { cd_arena_release(&placer->arena); }
