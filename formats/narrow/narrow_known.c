// SPDX-License-Identifier: MIT
#include "narrow_known.h"

enum { WIDTH_PLANE = 6, WIDTH_SPACE = 14 };

static int width_of(const cd_model *in) { return in->dim == 2 ? WIDTH_PLANE : WIDTH_SPACE; }

// Start and drifted pose of a body, as the parts are placed with (narrow_plane.c, narrow_placed.c).
static void write_poses(const cd_narrow_frame_state *frame, int32_t body, double *out)
{
    const cd_model *in = frame->in;
    if (in->dim == 2) {
        const cd_state2 start = cd_body_start2(in, body);
        const cd_state2 drifted = frame->step > 0 ? cd_body_drifted2(in, body, frame->step) : start;
        const double pose[WIDTH_PLANE] = {start.position.x,   start.position.y,   start.angle,
                                          drifted.position.x, drifted.position.y, drifted.angle};
        memcpy(out, pose, sizeof pose);
        return;
    }
    const cd_state3 start = cd_body_start3(in, body);
    const cd_state3 drifted = frame->step > 0 ? cd_body_drifted3(in, body, frame->step) : start;
    const cd_state3 both[2] = {start, drifted};
    for (int k = 0; k < 2; k++) {
        const cd_vec3 p = both[k].position;
        const cd_quat q = both[k].rotation;
        const double pose[WIDTH_SPACE / 2] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        memcpy(out + k * (WIDTH_SPACE / 2), pose, sizeof pose);
    }
}

static int compare_sites(const cd_narrow_site_pair *p, const cd_narrow_site_pair *q)
{
    const int32_t left[] = {p->rank_a, p->part_a, p->rank_b, p->part_b};
    const int32_t right[] = {q->rank_a, q->part_a, q->rank_b, q->part_b};
    for (int k = 0; k < 4; k++)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

// Pairs are sorted in both frames.
static void carry_over(const struct cd_narrow_memory *before, int32_t count, const cd_narrow_site_pair *pair,
                       cd_narrow_known_pair *known)
{
    int32_t k = 0;
    for (int32_t i = 0; i < count; i++) {
        while (k < before->pair_count && compare_sites(&before->pair[k], &pair[i]) < 0)
            k++;
        if (k < before->pair_count && compare_sites(&before->pair[k], &pair[i]) == 0)
            known[i] = before->known[k];
    }
}

static bool has_separator(const cd_narrow_frame_state *frame, const cd_narrow_site_pair *p)
{
    return cd_narrow_is_polytope(cd_narrow_kind_of(frame, p->row_a, p->part_a)) &&
           cd_narrow_is_polytope(cd_narrow_kind_of(frame, p->row_b, p->part_b));
}

// The pairs that have a separator, and the place of each pair among them. 200 bytes a pair: of balls over a mesh none.
static int32_t find_places(const cd_narrow_frame_state *frame, int32_t *place)
{
    int32_t count = 0;
    for (int32_t i = 0; i < frame->pair_count; i++)
        place[i] = has_separator(frame, &frame->pair[i]) ? count++ : -1;
    return count;
}

void cd_narrow_recall(struct cd_narrow_memory *memory, const cd_narrow_frame_state *frame)
{
    const cd_model *in = frame->in;
    cd_arena *arena = &memory->arena[1 - memory->turn];
    int32_t *place = CD_ARENA_ARRAY(arena, int32_t, frame->pair_count), count = find_places(frame, place);
    // Where no pair has one, no pose needs to be known.
    const int32_t bodies = count > 0 ? in->body.count : 0;
    const size_t width = (size_t)width_of(in), numbers = width * (size_t)bodies;
    double *pose = CD_ARENA_ZARRAY(arena, double, numbers);
    int32_t *shape = CD_ARENA_ARRAY(arena, int32_t, bodies);
    for (int32_t i = 0; i < bodies; i++) {
        shape[i] = in->body.shape ? in->body.shape[i] : -1;
        if (cd_body_is_active(in, i) && shape[i] >= 0)
            write_poses(frame, i, pose + width * (size_t)i);
    }
    cd_narrow_site_pair *pair = CD_ARENA_ARRAY(arena, cd_narrow_site_pair, count);
    cd_narrow_known_pair *known = CD_ARENA_ZARRAY(arena, cd_narrow_known_pair, count);
    for (int32_t i = 0; i < frame->pair_count; i++)
        if (place[i] >= 0)
            pair[place[i]] = frame->pair[i];
    const bool is_same = bodies > 0 && bodies == memory->body_count &&
                         memcmp(pose, memory->pose, sizeof *pose * numbers) == 0 &&
                         memcmp(shape, memory->shape, sizeof *shape * (size_t)bodies) == 0;
    if (is_same)
        carry_over(memory, count, pair, known);
    cd_arena_reset(&memory->arena[memory->turn]);
    *memory = (struct cd_narrow_memory){.arena = {memory->arena[0], memory->arena[1]},
                                        .turn = 1 - memory->turn,
                                        .pose = pose,
                                        .shape = shape,
                                        .body_count = bodies,
                                        .pair_count = count,
                                        .pair = pair,
                                        .known = known,
                                        .place = place};
}

static bool is_same_choice(const cd_separator_choice *p, const cd_separator_choice *q)
{
    return p->slack == q->slack && p->tolerance == q->tolerance && p->tie == q->tie && p->at_start == q->at_start;
}

cd_narrow_known_pair *cd_narrow_known_of(struct cd_narrow_memory *memory, int32_t pair, double reach,
                                         const cd_separator_choice *choice)
{
    if (!memory || memory->place[pair] < 0)
        return NULL;
    cd_narrow_known_pair *known = &memory->known[memory->place[pair]];
    if (known->reach != reach || !is_same_choice(&known->choice, choice))
        *known = (cd_narrow_known_pair){.reach = reach, .choice = *choice};
    return known;
}

void cd_narrow_forget(struct cd_narrow_memory *memory)
{
    cd_arena_release(&memory->arena[0]);
    cd_arena_release(&memory->arena[1]);
}
