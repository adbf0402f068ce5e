// The separator of two polytopes over the step, and those that were behind it.
// SPDX-License-Identifier: MIT
#include "pair2_polygons.h"
#include "pair3_polyhedra.h"
#include "why_asked.h"

#include <stdlib.h>

enum { POSES = 3, EDGE_PAIRS_MOST = 20000, TOLD_MOST = 40 };

typedef struct separator {
    const char *name, *place;  // "e2 of a", "edges e1 e5"; how it came to be in the list
    double at[POSES];          // [m] separation at the start, the drifted and the current pose
    bool is_chosen, is_entered, is_in_stream;
    int32_t code[2], side;
} separator;

typedef struct separators {
    cd_why_asked *asked;
    CD_LIST(separator) list;
    bool has_edges_left_out;
} separators;

static bool is_in_stream(const separators *s, const separator *one)
{
    const cd_why_pair *pair = s->asked->pair;
    const cd_contact_rows *rows = &pair->frame->in.contact;
    for (int32_t i = 0; rows->facet && i < rows->count; i++)
        if (cd_why_is_of(pair, rows->a + 2 * (size_t)i, rows->b + 2 * (size_t)i) &&
            rows->a[2 * (size_t)i + 1] == s->asked->leaves->part[0] &&
            rows->b[2 * (size_t)i + 1] == s->asked->leaves->part[1] && rows->facet[2 * (size_t)i] == one->code[0] &&
            rows->facet[2 * (size_t)i + 1] == one->code[1] && cd_i32_or(rows->side, i, CD_ABSENT) == one->side)
            return true;
    return false;
}

static void add(separators *s, separator *one)
{
    cd_arena *arena = s->asked->pair->story->arena;
    const char *codes = cd_why_features(arena, one->code);
    one->name = one->side == CD_ABSENT ? cd_arena_printf(arena, "edges %s", codes)
                                       : cd_arena_printf(arena, "%s of %s", codes, cd_words_SIDE[one->side]);
    one->is_in_stream = is_in_stream(s, one);
    cd_list_push(arena, &s->list, *one);
}

// ---- the plane -----------------------------------------------------------------------------------------------------

static bool is_same2(const cd_separator2 *p, const cd_separator2 *q)
{
    return p->edge == q->edge && p->is_of_b == q->is_of_b;
}

static void add_plane(separators *s)
{
    const cd_pair2_input *in = &s->asked->plane;
    const cd_leaf2 *a[POSES] = {in->a.start, in->a.predicted, in->a.current};
    const cd_leaf2 *b[POSES] = {in->b.start, in->b.predicted, in->b.current};
    cd_seams2 seams;
    const cd_seams2 *has_seams;
    const cd_separating2 chosen = cd_pair2_polygons_choose(in, &seams, &has_seams);
    for (int side = 0; side < 2; side++)
        for (int32_t e = 0; e < (side ? b : a)[0]->polygon.count; e++) {
            const cd_separator2 separator2 = {side == 1, e};
            separator one = {.code = {cd_feature(CD_FEATURE_EDGE, e), CD_FEATURE_NONE},
                             .side = side ? CD_SIDE_B : CD_SIDE_A,
                             .is_chosen = is_same2(&separator2, &chosen.separator),
                             .is_entered = is_same2(&separator2, &chosen.entered)};
            for (int k = 0; k < POSES; k++)
                one.at[k] = cd_separator2_separation(&separator2, (cd_separate2_pose){a[k]->polygon, b[k]->polygon});
            if (has_seams && cd_seams2_is_inner_edge(has_seams, side == 1, e))
                one.place = "an inner edge: another part goes on there";
            add(s, &one);
        }
}

// ---- space ---------------------------------------------------------------------------------------------------------

static bool is_same3(const cd_separator3 *p, const cd_separator3 *q)
{
    return p->kind == q->kind && (p->kind == CD_SEPARATOR3_FACE_B || p->index_a == q->index_a) &&
           (p->kind == CD_SEPARATOR3_FACE_A || p->index_b == q->index_b);
}

static void add_separator3(separators *s, const cd_separator3 *separator3, const cd_separating3 *chosen)
{
    const cd_pair3_input *in = &s->asked->space;
    separator one = {.code = {CD_FEATURE_NONE, CD_FEATURE_NONE},
                     .side = CD_ABSENT,
                     .is_chosen = is_same3(separator3, &chosen->separator),
                     .is_entered = is_same3(separator3, &chosen->entered)};
    if (separator3->kind == CD_SEPARATOR3_EDGES) {
        one.code[0] = cd_feature(CD_FEATURE_EDGE, separator3->index_a);
        one.code[1] = cd_feature(CD_FEATURE_EDGE, separator3->index_b);
    } else {
        const bool is_of_b = separator3->kind == CD_SEPARATOR3_FACE_B;
        one.side = is_of_b ? CD_SIDE_B : CD_SIDE_A;
        one.code[0] = cd_feature(CD_FEATURE_FACE, is_of_b ? separator3->index_b : separator3->index_a);
    }
    const cd_separate3_pose current = {in->a.shell[POSES - 1], in->b.shell[POSES - 1]};
    const cd_vec3 ahead = cd_separator3_normal(separator3, current);
    for (int k = 0; k < POSES; k++) {
        const cd_separate3_pose pose = {in->a.shell[k], in->b.shell[k]};
        const cd_separator3 turned = cd_separator3_turned(*separator3, pose, ahead);
        one.at[k] = cd_separator3_separation(&turned, pose);
    }
    add(s, &one);
}

static void add_edges(separators *s, const cd_separating3 *chosen)
{
    const cd_shell3 *a = s->asked->space.a.shell[0], *b = s->asked->space.b.shell[0];
    s->has_edges_left_out = (double)a->edges->count * b->edges->count > EDGE_PAIRS_MOST;
    for (int32_t i = 0; i < a->edges->count; i++)
        for (int32_t j = 0; j < b->edges->count; j++) {
            const bool is_chosen = chosen->separator.kind == CD_SEPARATOR3_EDGES && chosen->separator.index_a == i &&
                                   chosen->separator.index_b == j;
            if (s->has_edges_left_out && !is_chosen)
                continue;
            const cd_edge_pair3 edges = cd_edge_pair3_make(a, i, b, j);
            if (edges.applicability >= -1e-9 || is_chosen)
                add_separator3(
                    s, &(cd_separator3){CD_SEPARATOR3_EDGES, i, j, is_chosen ? chosen->separator.sign : edges.sign},
                    chosen);
        }
}

static void add_space(separators *s)
{
    const cd_pair3_input *in = &s->asked->space;
    cd_seams3 seams;
    const cd_seams3 *has_seams;
    const cd_separating3 chosen = cd_pair3_polyhedra_choose(in, &seams, &has_seams);
    for (int32_t f = 0; f < in->a.shell[0]->convex->face_count; f++)
        add_separator3(s, &(cd_separator3){CD_SEPARATOR3_FACE_A, f, -1, 1}, &chosen);
    for (int32_t f = 0; f < in->b.shell[0]->convex->face_count; f++)
        add_separator3(s, &(cd_separator3){CD_SEPARATOR3_FACE_B, -1, f, 1}, &chosen);
    add_edges(s, &chosen);
}

// ---- the chapter ---------------------------------------------------------------------------------------------------

static int compare_separators(const void *left, const void *right)
{
    const separator *p = left, *q = right;
    const int rank_p = p->is_chosen ? 0 : p->is_entered ? 1 : 2, rank_q = q->is_chosen ? 0 : q->is_entered ? 1 : 2;
    if (rank_p != rank_q)
        return rank_p - rank_q;
    if (p->at[1] != q->at[1])
        return p->at[1] > q->at[1] ? -1 : 1;
    return p->at[0] != q->at[0] ? (p->at[0] > q->at[0] ? -1 : 1) : strcmp(p->name, q->name);
}

static void tell_list(separators *s)
{
    const cd_why_column columns[] = {{"separator", "separator"}, {"start", "at start [m]"},
                                     {"drifted", "drifted"},     {"trial", s->asked->has_trial ? "trial" : NULL},
                                     {"stream", "stream"},       {"what", "what it is"}};
    cd_why_story *story = s->asked->pair->story;
    cd_why_table *table = cd_why_tabulate(story, "list", NULL, 6, columns);
    bool has_runner_up = false;
    for (int32_t i = 0; i < s->list.count && i < TOLD_MOST; i++) {
        const separator *one = &s->list.item[i];
        const bool is_runner_up = !one->is_chosen && !one->is_entered && !one->place && !has_runner_up;
        has_runner_up |= is_runner_up;
        cd_why_add(story, table,
                   (cd_why_value[]){cd_why_text(one->name), cd_why_number(one->at[0]), cd_why_number(one->at[1]),
                                    cd_why_number(one->at[2]), cd_why_yes(one->is_in_stream),
                                    cd_why_text(one->is_chosen ? "chosen for the step"
                                                : one->is_entered
                                                    ? "entered: best at the trial, where they overlap or are near"
                                                : one->place   ? one->place
                                                : is_runner_up ? "runner-up"
                                                               : "")});
    }
    table->shown = 6;
}

void cd_why_tell_separators(cd_why_pair *pair)
{
    cd_why_asked asked;
    if (pair->fault || !cd_why_ask(pair, &asked))
        return;
    if (!asked.is_of_separators) {
        cd_why_release(&asked);
        return;
    }
    separators s = {.asked = &asked};
    if (pair->frame->in.dim == 2)
        add_plane(&s);
    else
        add_space(&s);
    cd_why_release(&asked);
    qsort(s.list.item, (size_t)s.list.count, sizeof *s.list.item, compare_separators);
    cd_why_open(pair->story, "separators",
                cd_arena_printf(pair->story->arena,
                                "separators of parts %d and %d: least distance of the other body from each",
                                (int)asked.leaves->part[0], (int)asked.leaves->part[1]));
    const cd_separator_choice *choice = &pair->state.choice;
    cd_why_say(pair->story, "rule", "the choice",
               cd_why_text(choice->at_start ? "best at the start (frame.facets)" : "best at the drifted pose"), NULL,
               choice->at_start
                   ? NULL
                   : cd_arena_printf(pair->story->arena, "when at the start it is not more than %.4g m behind",
                                     choice->slack));
    cd_why_say(pair->story, "slack", NULL, cd_why_number(choice->slack), "m", NULL);
    if (s.has_edges_left_out)
        cd_why_say(pair->story, "left_out", "edge pairs", cd_why_text("left out"), NULL, "too many to list");
    tell_list(&s);
}
