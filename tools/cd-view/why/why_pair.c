// SPDX-License-Identifier: MIT
#include "why_pair.h"

#include "cd_codec.h"
#include "cd_contact_limits.h"
#include "cd_rows.h"

#include <inttypes.h>
#include <stdlib.h>

// ---- words ---------------------------------------------------------------------------------------------------------

const char *cd_why_site(cd_arena *arena, const cd_model *in, const int32_t *site)
{
    return cd_arena_printf(arena, "%" PRId64 ":%d", in->body.id[site[0]], (int)site[1]);
}

const char *cd_why_features(cd_arena *arena, const int32_t *codes)
{
    const char *text = "";
    for (int k = 0; codes && k < 2; k++)
        if (codes[k] != CD_FEATURE_NONE)
            text = cd_arena_printf(arena, "%s%s%c%d", text, *text ? " " : "",
                                   CD_FEATURE_LETTERS[cd_feature_kind(codes[k])], (int)cd_feature_index(codes[k]));
    return text;
}

// ---- parts ---------------------------------------------------------------------------------------------------------

bool cd_why_is_of(const cd_why_pair *pair, const int32_t *a, const int32_t *b)
{
    const bool is_turned = a[0] == pair->row[1] && b[0] == pair->row[0];
    const int32_t *first = is_turned ? b : a, *second = is_turned ? a : b;
    return first[0] == pair->row[0] && second[0] == pair->row[1] && (pair->only[0] < 0 || pair->only[0] == first[1]) &&
           (pair->only[1] < 0 || pair->only[1] == second[1]);
}

cd_why_leaves *cd_why_leaves_of(const cd_why_pair *pair, int32_t part_a, int32_t part_b)
{
    const int32_t i = part_a - pair->first[0], j = part_b - pair->first[1];
    const bool is_there = i >= 0 && i < pair->span[0] && j >= 0 && j < pair->span[1];
    return is_there ? &pair->leaves[pair->place[(size_t)i * (size_t)pair->span[1] + (size_t)j]] : NULL;
}

static int compare_leaves(const void *left, const void *right)
{
    const cd_why_leaves *a = left, *b = right;
    if (a->boxes_apart != b->boxes_apart)
        return a->boxes_apart < b->boxes_apart ? -1 : 1;
    const int parts = (a->part[0] > b->part[0]) - (a->part[0] < b->part[0]);
    return parts ? parts : (a->part[1] > b->part[1]) - (a->part[1] < b->part[1]);
}

static void measure_boxes(const cd_why_pair *pair, cd_why_leaves *leaves)
{
    const size_t dim = (size_t)pair->frame->in.dim, i = dim * (size_t)leaves->part[0],
                 j = dim * (size_t)leaves->part[1];
    const cd_why_boxes *a = &pair->boxes[0], *b = &pair->boxes[1];
    leaves->boxes_apart = cd_why_boxes_apart((int)dim, a->min + i, a->max + i, b->min + j, b->max + j);
    leaves->should_be = leaves->boxes_apart <= 0 && !pair->excluded;
}

// All pairs of parts that are asked for, by how far their boxes are apart.
static void list_leaves(cd_why_pair *pair)
{
    cd_arena *arena = pair->frame->arena;
    for (int k = 0; k < 2; k++) {
        pair->first[k] = pair->only[k] < 0 ? 0 : pair->only[k];
        pair->span[k] = pair->only[k] < 0 ? cd_why_parts(pair->frame, pair->row[k]) : 1;
        pair->boxes[k] = cd_why_boxes_of(pair->frame, pair->row[k]);
    }
    const size_t all = (size_t)pair->span[0] * (size_t)pair->span[1];
    pair->leaves = CD_ARENA_ZARRAY(arena, cd_why_leaves, all + 1);
    pair->place = CD_ARENA_ARRAY(arena, int32_t, all + 1);
    for (int32_t i = 0; i < pair->span[0]; i++)
        for (int32_t j = 0; j < pair->span[1]; j++) {
            cd_why_leaves *leaves = &pair->leaves[pair->count++];
            *leaves = (cd_why_leaves){.part = {pair->first[0] + i, pair->first[1] + j}, .nearest = NAN};
            for (int k = 0; k < CD_WHY_POSES; k++)
                leaves->gap[k] = NAN;
            measure_boxes(pair, leaves);
        }
    qsort(pair->leaves, (size_t)pair->count, sizeof *pair->leaves, compare_leaves);
    for (int32_t i = 0; i < pair->count; i++) {
        const int32_t *part = pair->leaves[i].part;
        pair->place[(size_t)(part[0] - pair->first[0]) * (size_t)pair->span[1] + (size_t)(part[1] - pair->first[1])] =
            i;
    }
}

static void mark_pairs(cd_why_pair *pair)
{
    const cd_pair_rows *rows = &pair->frame->in.pair;
    for (int32_t i = 0; i < rows->count; i++) {
        const int32_t *a = rows->a + 2 * (size_t)i, *b = rows->b + 2 * (size_t)i;
        if (!cd_why_is_of(pair, a, b))
            continue;
        const bool is_turned = a[0] != pair->row[0];
        cd_why_leaves *leaves = cd_why_leaves_of(pair, is_turned ? b[1] : a[1], is_turned ? a[1] : b[1]);
        if (leaves)
            leaves->is_pair = true;
    }
}

// ---- what the bodies give ------------------------------------------------------------------------------------------

typedef CD_LIST(int32_t) site_list;

static void push_pair(cd_arena *arena, site_list *a, site_list *b, const int32_t site_a[2], const int32_t site_b[2])
{
    for (int k = 0; k < 2; k++) {
        cd_list_push(arena, a, site_a[k]);
        cd_list_push(arena, b, site_b[k]);
    }
}

// What stands beside a part has a say in its contacts: all parts that the boxes of a or of b meet, as cd-broad pairs
// them, and what the stream pairs with them.
static void pair_all_near(cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    const cd_model *in = &frame->in;
    const size_t dim = (size_t)in->dim;
    cd_arena *arena = frame->arena;
    site_list a = {0}, b = {0};
    for (int32_t i = 0; i < in->body.count; i++) {
        cd_why_boxes boxes = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            if (i == pair->row[k] || (k == 1 && i == pair->row[0]) || cd_why_excluded(arena, frame, pair->row[k], i))
                continue;
            if (!boxes.min)
                boxes = cd_why_boxes_of(frame, i);
            const int32_t own = cd_why_parts(frame, pair->row[k]), others = cd_why_parts(frame, i);
            for (int32_t m = 0; m < own; m++)
                for (int32_t n = 0; n < others; n++)
                    if (cd_why_boxes_apart((int)dim, pair->boxes[k].min + dim * (size_t)m,
                                           pair->boxes[k].max + dim * (size_t)m, boxes.min + dim * (size_t)n,
                                           boxes.max + dim * (size_t)n) <= 0)
                        push_pair(arena, &a, &b, (int32_t[]){pair->row[k], m}, (int32_t[]){i, n});
        }
    }
    for (int32_t i = 0; i < in->pair.count; i++) {
        const int32_t *site_a = in->pair.a + 2 * (size_t)i, *site_b = in->pair.b + 2 * (size_t)i;
        if (site_a[0] == pair->row[0] || site_a[0] == pair->row[1] || site_b[0] == pair->row[0] ||
            site_b[0] == pair->row[1])
            push_pair(arena, &a, &b, site_a, site_b);
    }
    pair->look.pair = (cd_pair_rows){.count = a.count / 2, .a = a.item, .b = b.item};
}

// The kinds that the stream's contacts have tell how they were found where no record of cd-narrow does.
static const char *mode_of_stream(const cd_why_pair *pair)
{
    static const char *const modes[CD_CONTACT_KINDS] = {
        [CD_CONTACT_VERTEX_EDGE] = "features", [CD_CONTACT_VERTEX_FACE] = "features",
        [CD_CONTACT_EDGE_EDGE] = "features",   [CD_CONTACT_VOLUME] = "volume",
        [CD_CONTACT_DISTANCE] = "distance",    [CD_CONTACT_DEPTH] = NULL,
        [CD_CONTACT_ANALYTIC] = NULL,          [CD_CONTACT_SEPARATING] = "separating",
        [CD_CONTACT_PINBALL] = "pinball"};
    const cd_contact_rows *contact = &pair->frame->in.contact;
    for (int32_t i = 0; i < contact->count; i++)
        if (modes[contact->kind[i]])
            return modes[contact->kind[i]];
    return "auto";
}

static void keep_contacts(cd_why_pair *pair, const cd_contact_rows *all)
{
    int32_t *index = CD_ARENA_ARRAY(pair->frame->arena, int32_t, all->count), count = 0;
    for (int32_t i = 0; i < all->count; i++)
        if (cd_why_is_of(pair, all->a + 2 * (size_t)i, all->b + 2 * (size_t)i))
            index[count++] = i;
    cd_rows_select(pair->frame->arena, &cd_records[CD_REC_contact], pair->frame->in.dim, (cd_rows *)&pair->expected,
                   (const cd_rows *)all, index, count);
}

static void count_contacts(cd_why_pair *pair, const cd_contact_rows *rows, bool is_expected)
{
    for (int32_t i = 0; i < rows->count; i++) {
        const int32_t *a = rows->a + 2 * (size_t)i, *b = rows->b + 2 * (size_t)i;
        const bool is_turned = a[0] != pair->row[0];
        cd_why_leaves *leaves =
            cd_why_is_of(pair, a, b) ? cd_why_leaves_of(pair, is_turned ? b[1] : a[1], is_turned ? a[1] : b[1]) : NULL;
        if (leaves)
            *(is_expected ? &leaves->expected : &leaves->contacts) += 1;
    }
}

void cd_why_pair_expect(cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    cd_narrow_options *options = CD_ARENA_ARRAY(frame->arena, cd_narrow_options, 1);
    cd_narrow_stage *stage = CD_ARENA_ARRAY(frame->arena, cd_narrow_stage, 1);
    *options = frame->run->narrow_options;
    *stage = frame->run->narrow;
    stage->options = options;
    if (!cd_why_run_has(frame->run, "cd-narrow"))
        options->contacts = mode_of_stream(pair);
    pair->look = frame->in;
    pair_all_near(pair);
    cd_contact_rows all = {0};
    cd_narrow_counts counts;
    pair->diag = (cd_diag){0};
    if (cd_narrow_open(frame->arena, stage, &pair->look, &pair->state, &pair->diag) != CD_OK ||
        cd_narrow_frame(frame->arena, stage, &pair->look, &all, &counts, &pair->diag) != CD_OK) {
        pair->fault = cd_arena_text(pair->story->arena, pair->diag.text, strlen(pair->diag.text));
        return;
    }
    keep_contacts(pair, &all);
    count_contacts(pair, &pair->expected, true);
}

cd_why_sum cd_why_sum_of(const cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    const cd_contact_rows *contact = &in->contact;
    const size_t dim = (size_t)in->dim;
    cd_why_sum sum = {.least = INFINITY};
    for (int32_t i = 0; i < contact->count; i++)
        if (cd_why_is_of(pair, contact->a + 2 * (size_t)i, contact->b + 2 * (size_t)i) &&
            cd_contact_takes_part(cd_i32_or(contact->status, i, CD_ABSENT))) {
            sum.contacts++;
            if (contact->gap[i] < sum.least) {
                sum.least = contact->gap[i];
                sum.kind = contact->kind[i];
            }
        }
    for (int32_t i = 0; i < in->force.count; i++) {
        const size_t k = (size_t)in->force.contact[i];
        if (!cd_why_is_of(pair, contact->a + 2 * k, contact->b + 2 * k))
            continue;
        for (size_t d = 0; d < dim; d++)
            sum.impulse[d] += pair->frame->step * in->force.vector[dim * (size_t)i + d];
    }
    sum.size =
        sqrt(sum.impulse[0] * sum.impulse[0] + sum.impulse[1] * sum.impulse[1] + sum.impulse[2] * sum.impulse[2]);
    return sum;
}

// ---- the two bodies ------------------------------------------------------------------------------------------------

static const char *shape_of(const cd_why_frame *frame, int32_t body)
{
    const cd_model *in = &frame->in;
    if (cd_elements_of_body(&frame->elements, body) > 0)
        return "elements";
    const int32_t shape = in->body.shape ? in->body.shape[body] : -1;
    return shape < 0 ? "no shape" : cd_words_SHAPE[in->shape.kind[shape]];
}

static void tell_bodies(cd_why_pair *pair)
{
    static const cd_why_column columns[] = {{"body", "body"},     {"shape", "shape"},       {"parts", "parts"},
                                            {"motion", "motion"}, {"position", "position"}, {"velocity", "velocity"},
                                            {"asked_part", NULL}};
    const cd_model *in = &pair->frame->in;
    const int dim = in->dim;
    cd_why_story *story = pair->story;
    cd_why_open(story, "bodies", "bodies");
    cd_why_table *table = cd_why_tabulate(story, "list", NULL, 7, columns);
    for (int k = 0; k < 2; k++) {
        const int32_t row = pair->row[k];
        const size_t at = (size_t)dim * (size_t)row;
        const cd_why_value cells[] = {
            cd_why_number((double)in->body.id[row]),
            cd_why_text(shape_of(pair->frame, row)),
            cd_why_number(cd_why_parts(pair->frame, row)),
            cd_why_text(cd_words_MOTION[cd_body_motion(in, row)]),
            cd_why_vector(in->body.position ? in->body.position + at : NULL, dim),
            cd_why_vector(in->body.velocity ? in->body.velocity + at : NULL, dim),
            cd_why_number(pair->only[k] < 0 ? NAN : pair->only[k]),
        };
        cd_why_add(story, table, cells);
    }
}

void cd_why_pair_make(const cd_why_frame *frame, cd_why_story *story, const int32_t row[2], const int32_t part[2],
                      cd_why_pair *pair)
{
    const int64_t *id = frame->in.body.id;
    const int low = id[row[0]] < id[row[1]] ? 0 : 1;
    *pair = (cd_why_pair){
        .frame = frame, .story = story, .row = {row[low], row[1 - low]}, .only = {part[low], part[1 - low]}};
    pair->excluded = cd_why_excluded(story->arena, frame, pair->row[0], pair->row[1]);
    tell_bodies(pair);
    list_leaves(pair);
    mark_pairs(pair);
    count_contacts(pair, &frame->in.contact, false);
}
