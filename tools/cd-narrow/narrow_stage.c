// SPDX-License-Identifier: MIT
#include "narrow_stage.h"

#include "cd_reach.h"

#include <inttypes.h>
#include <stdlib.h>

// A pair in canonical order.
typedef struct site_pair {
    int32_t rank_a, part_a, rank_b, part_b;
    int32_t row_a, row_b;  // of `body`
} site_pair;

typedef struct narrow_frame {
    cd_arena *arena;
    const cd_model *in;
    const cd_leaves *leaves;
    cd_diag *diag;
    double step;               // [s] 0: nothing moves
    const int32_t *trial_row;
    cd_narrow_part **placed;   // by body row, then part; NULL until a pair asks for the body
    int32_t pair_count;
    site_pair *pair;
} narrow_frame;

// ---- pairs -----------------------------------------------------------------------------------------------------

static int32_t leaf_count(const narrow_frame *frame, int32_t body)
{
    int32_t shape = frame->in->body.shape ? frame->in->body.shape[body] : -1;
    return shape < 0 ? 0 : frame->leaves->first[shape + 1] - frame->leaves->first[shape];
}

static cd_status check_site(const narrow_frame *frame, const int32_t *site)
{
    int32_t leaves = leaf_count(frame, site[0]);
    if (site[1] >= 0 && site[1] < leaves)
        return CD_OK;
    return cd_fail(frame->diag, CD_ERR_FORMAT, "pair: body %" PRId64 " part %d: its shape has %d parts",
                   frame->in->body.id[site[0]], (int)site[1], (int)leaves);
}

static int compare_pairs(const void *left, const void *right)
{
    const site_pair *a = left, *b = right;
    if (a->rank_a != b->rank_a)
        return a->rank_a < b->rank_a ? -1 : 1;
    if (a->part_a != b->part_a)
        return a->part_a < b->part_a ? -1 : 1;
    if (a->rank_b != b->rank_b)
        return a->rank_b < b->rank_b ? -1 : 1;
    return (a->part_b > b->part_b) - (a->part_b < b->part_b);
}

static cd_status read_pairs(narrow_frame *frame, const int32_t *rank)
{
    const cd_model *in = frame->in;
    frame->pair = CD_ARENA_ARRAY(frame->arena, site_pair, in->pair.count);
    int32_t count = 0;
    bool is_sorted = true;
    for (int32_t i = 0; i < in->pair.count; i++) {
        const int32_t *a = in->pair.a + 2 * (size_t)i, *b = in->pair.b + 2 * (size_t)i;
        CD_TRY(check_site(frame, a));
        CD_TRY(check_site(frame, b));
        if (a[0] == b[0])
            return cd_fail(frame->diag, CD_ERR_FORMAT, "pair: body %" PRId64 " against itself", in->body.id[a[0]]);
        if (!cd_body_is_active(in, a[0]) || !cd_body_is_active(in, b[0]))
            continue;
        if (rank[a[0]] > rank[b[0]]) {
            const int32_t *swap = a;
            a = b;
            b = swap;
        }
        frame->pair[count] = (site_pair){rank[a[0]], a[1], rank[b[0]], b[1], a[0], b[0]};
        is_sorted = is_sorted && (count == 0 || compare_pairs(&frame->pair[count - 1], &frame->pair[count]) < 0);
        count++;
    }
    frame->pair_count = count;
    if (is_sorted)
        return CD_OK;
    qsort(frame->pair, (size_t)count, sizeof *frame->pair, compare_pairs);
    frame->pair_count = 0;
    for (int32_t i = 0; i < count; i++)
        if (i == 0 || compare_pairs(&frame->pair[i - 1], &frame->pair[i]) != 0)
            frame->pair[frame->pair_count++] = frame->pair[i];
    return CD_OK;
}

// ---- poses -----------------------------------------------------------------------------------------------------

static bool is_same_pose(cd_state2 a, cd_state2 b)
{
    return a.position.x == b.position.x && a.position.y == b.position.y && a.angle == b.angle;
}

static const cd_leaf2 *place_leaves(narrow_frame *frame, int32_t body, cd_state2 state)
{
    int32_t first = frame->leaves->first[frame->in->body.shape[body]], count = leaf_count(frame, body);
    cd_leaf2 *placed = CD_ARENA_ARRAY(frame->arena, cd_leaf2, count);
    cd_pose2 pose = cd_state2_pose(state);
    for (int32_t i = 0; i < count; i++)
        placed[i] = cd_leaf2_place(frame->arena, &frame->leaves->plane.leaf[first + i], pose);
    return placed;
}

// All parts of a body at the poses of the step; made once a frame.
static const cd_narrow_part *parts_of(narrow_frame *frame, int32_t body)
{
    if (frame->placed[body])
        return frame->placed[body];
    cd_state2 start = cd_body_start2(frame->in, body), trial = cd_body_trial2(frame->in, frame->trial_row, body);
    cd_state2 predicted = frame->step > 0 ? cd_body_predicted2(frame->in, body, frame->step) : start;
    const cd_leaf2 *at_start = place_leaves(frame, body, start), *at_predicted = at_start, *at_trial = at_start;
    if (!is_same_pose(start, predicted))
        at_predicted = place_leaves(frame, body, predicted);
    if (!is_same_pose(start, trial))
        at_trial = is_same_pose(predicted, trial) ? at_predicted : place_leaves(frame, body, trial);
    int32_t count = leaf_count(frame, body);
    cd_narrow_part *part = CD_ARENA_ARRAY(frame->arena, cd_narrow_part, count);
    for (int32_t i = 0; i < count; i++)
        part[i] = (cd_narrow_part){at_start + i, at_predicted + i, at_trial + i};
    frame->placed[body] = part;
    return part;
}

// ---- contacts --------------------------------------------------------------------------------------------------

static cd_status mode_of(const narrow_frame *frame, const cd_narrow_options *options, cd_narrow_mode *mode)
{
    const char *wish = frame->in->frame.contacts ? frame->in->frame.contacts[0] : NULL;
    const char *name = wish ? wish : options->contacts;
    for (int i = 0; cd_narrow_mode_names[i]; i++)
        if (!strcmp(name, cd_narrow_mode_names[i])) {
            *mode = (cd_narrow_mode)i;
            return CD_OK;
        }
    return cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "contacts: \"%s\" is not a way of finding contacts here", name);
}

// The contacts of all pairs, and for each the pair it came from.
static cd_status find_contacts(narrow_frame *frame, const cd_narrow_options *options, cd_arena *scratch,
                               cd_narrow_contacts *contacts, int32_t **pair_of, cd_narrow_counts *counts)
{
    const cd_model *in = frame->in;
    double epsilon = options->epsilon;
    if (isnan(epsilon))
        epsilon = in->head.epsilon[0];
    cd_reach reach = cd_reach_make(frame->arena, in, frame->leaves, options->reach);
    CD_LIST(int32_t) owner = {0};
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const site_pair *pair = &frame->pair[i];
        cd_narrow_input input = {.a = parts_of(frame, pair->row_a)[pair->part_a],
                                 .b = parts_of(frame, pair->row_b)[pair->part_b],
                                 .reach = cd_reach_pair(&reach, pair->row_a, pair->row_b),
                                 .epsilon = epsilon,
                                 .keep_rejected = options->keep_rejected,
                                 .rejected = &counts->rejected,
                                 .arena = frame->arena,
                                 .scratch = scratch};
        cd_status status = cd_narrow_find(counts->mode, &input, contacts, frame->diag);
        cd_arena_reset(scratch);
        if (status != CD_OK)
            return cd_fail_at(frame->diag, status, "bodies %" PRId64 " and %" PRId64, in->body.id[pair->row_a],
                              in->body.id[pair->row_b]);
        while (owner.count < contacts->count)
            cd_list_push(frame->arena, &owner, i);
    }
    *pair_of = owner.item;
    return CD_OK;
}

// A sum with 0 has no negative zero: results do not show which side a zero component was turned from.
static void put2(double *column, int32_t i, cd_vec2 v)
{
    column[2 * (size_t)i] = v.x + 0.0;
    column[2 * (size_t)i + 1] = v.y + 0.0;
}

static void write_required(const narrow_frame *frame, const cd_narrow_contact *contact, const int32_t *pair_of,
                           cd_contact_rows *rows)
{
    cd_arena *arena = frame->arena;
    int64_t *id = CD_COLUMN(arena, 2, contact, rows, id);
    int32_t *a = CD_COLUMN(arena, 2, contact, rows, a), *b = CD_COLUMN(arena, 2, contact, rows, b);
    int32_t *kind = CD_COLUMN(arena, 2, contact, rows, kind), *status = CD_COLUMN(arena, 2, contact, rows, status);
    double *point = CD_COLUMN(arena, 2, contact, rows, point), *normal = CD_COLUMN(arena, 2, contact, rows, normal);
    double *point_a = CD_COLUMN(arena, 2, contact, rows, point_a);
    double *point_b = CD_COLUMN(arena, 2, contact, rows, point_b);
    double *gap = CD_COLUMN(arena, 2, contact, rows, gap);
    for (int32_t i = 0; i < rows->count; i++) {
        const site_pair *pair = &frame->pair[pair_of[i]];
        id[i] = i;
        a[2 * (size_t)i] = pair->row_a;
        a[2 * (size_t)i + 1] = pair->part_a;
        b[2 * (size_t)i] = pair->row_b;
        b[2 * (size_t)i + 1] = pair->part_b;
        kind[i] = contact[i].kind;
        status[i] = contact[i].status;
        put2(point, i, contact[i].point);
        put2(point_a, i, contact[i].point_a);
        put2(point_b, i, contact[i].point_b);
        put2(normal, i, contact[i].normal);
        gap[i] = contact[i].gap + 0.0;
    }
}

// Columns that only some kinds of contacts have; a column nobody uses is not made.
static void write_optional(cd_arena *arena, const cd_narrow_contact *contact, cd_contact_rows *rows)
{
    bool has_area = false, has_surfaces = false, has_features = false, is_judged = false;
    for (int32_t i = 0; i < rows->count; i++) {
        has_area |= !isnan(contact[i].area);
        has_surfaces |= contact[i].surface_a != CD_ABSENT;
        has_features |= contact[i].feature_a != CD_FEATURE_NONE;
        is_judged |= !isnan(contact[i].applicability);
    }
    double *area = has_area ? CD_COLUMN(arena, 2, contact, rows, area) : NULL;
    int32_t *surfaces = has_surfaces ? CD_COLUMN(arena, 2, contact, rows, surfaces) : NULL;
    int32_t *features = has_features ? CD_COLUMN(arena, 2, contact, rows, features) : NULL;
    double *applicability = is_judged ? CD_COLUMN(arena, 2, contact, rows, applicability) : NULL;
    double *feasible = is_judged ? CD_COLUMN(arena, 2, contact, rows, feasible) : NULL;
    for (int32_t i = 0; i < rows->count; i++) {
        if (area)
            area[i] = contact[i].area;
        if (surfaces) {
            surfaces[2 * (size_t)i] = contact[i].surface_a;
            surfaces[2 * (size_t)i + 1] = contact[i].surface_b;
        }
        if (features) {
            features[2 * (size_t)i] = contact[i].feature_a;
            features[2 * (size_t)i + 1] = contact[i].feature_b;
        }
        if (is_judged) {
            applicability[i] = contact[i].applicability + 0.0;
            feasible[i] = contact[i].feasible + 0.0;
        }
    }
}

cd_status cd_narrow_frame(cd_arena *arena, const cd_model *in, const cd_leaves *leaves,
                          const cd_narrow_options *options, cd_contact_rows *out, cd_narrow_counts *counts,
                          cd_diag *diag)
{
    narrow_frame frame = {.arena = arena, .in = in, .leaves = leaves, .diag = diag};
    CD_TRY(cd_bodies_need_positions(in, diag));
    frame.step = cd_frame_step_or_zero(in);
    frame.trial_row = cd_body_trial_rows(arena, in);
    frame.placed = CD_ARENA_ZARRAY(arena, cd_narrow_part *, in->body.count);
    *counts = (cd_narrow_counts){CD_NARROW_AUTO, 0, 0};
    CD_TRY(mode_of(&frame, options, &counts->mode));
    CD_TRY(read_pairs(&frame, cd_body_order_make(arena, &in->body).rank));
    cd_narrow_contacts contacts = {0};
    int32_t *pair_of = NULL;
    cd_arena scratch = {0};
    cd_status status = find_contacts(&frame, options, &scratch, &contacts, &pair_of, counts);
    cd_arena_release(&scratch);
    if (status != CD_OK)
        return status;
    *out = (cd_contact_rows){.count = contacts.count};
    for (int32_t i = 0; i < contacts.count; i++)
        counts->contacts += contacts.item[i].status != CD_STATUS_OUTSIDE;
    if (contacts.count > 0) {
        write_required(&frame, contacts.item, pair_of, out);
        write_optional(arena, contacts.item, out);
    }
    return CD_OK;
}
