// Pairs of features of two polytopes, with what keeps or rejects each as a potential contact.
// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "cd_feature3.h"
#include "why_asked.h"

#include <stdlib.h>

// Rejected ones are told up to so many, the nearest.
enum { REJECTED_MOST = 40, POSES = 3, PAIRS_MOST = 2000000 };

typedef struct feature_pair {
    int32_t code[2];
    double distance[POSES];  // [m] start, predicted, current
    double psi, applicability, feasible;
    double least;                // [m] of the distances
    bool is_expected, is_there;  // a contact that the bodies give; of the stream
} feature_pair;

typedef struct features {
    cd_why_asked *asked;
    CD_LIST(feature_pair) list;
    bool is_too_much;  // more than anybody would look at
} features;

static bool is_listed(const features *f, const cd_contact_rows *rows, const int32_t code[2])
{
    const cd_why_pair *pair = f->asked->pair;
    for (int32_t i = 0; rows->features && i < rows->count; i++)
        if (cd_why_is_of(pair, rows->a + 2 * (size_t)i, rows->b + 2 * (size_t)i) &&
            rows->a[2 * (size_t)i + 1] == f->asked->leaves->part[0] &&
            rows->b[2 * (size_t)i + 1] == f->asked->leaves->part[1] && rows->features[2 * (size_t)i] == code[0] &&
            rows->features[2 * (size_t)i + 1] == code[1])
            return true;
    return false;
}

static void add(features *f, feature_pair *p)
{
    p->least = fmin(p->distance[0], fmin(p->distance[1], p->distance[2]));
    p->is_expected = is_listed(f, &f->asked->pair->expected, p->code);
    p->is_there = is_listed(f, &f->asked->pair->frame->in.contact, p->code);
    if (p->is_expected || p->is_there || p->least <= 8 * f->asked->reach)
        cd_list_push(f->asked->pair->story->arena, &f->list, *p);
}

// ---- the plane -----------------------------------------------------------------------------------------------------

static void add_half(features *f, const cd_pair2_part *vertices, const cd_pair2_part *edges, bool is_of_a)
{
    cd_arena *arena = f->asked->pair->frame->arena;
    const cd_leaf2 *of_vertex[POSES] = {vertices->start, vertices->predicted, vertices->current};
    const cd_leaf2 *of_edge[POSES] = {edges->start, edges->predicted, edges->current};
    cd_feature2_table table[POSES];
    for (int k = 0; k < POSES; k++)
        table[k] = cd_feature2_table_make(of_vertex[k]->polygon, of_edge[k]->polygon, arena);
    for (int32_t v = 0; v < table[0].vertices; v++)
        for (int32_t e = 0; e < table[0].edges; e++) {
            const cd_vertex_edge at = cd_feature2_table_at(&table[2], v, e);
            const int32_t vertex = cd_feature(CD_FEATURE_VERTEX, v), edge = cd_feature(CD_FEATURE_EDGE, e);
            feature_pair p = {.code = {is_of_a ? vertex : edge, is_of_a ? edge : vertex},
                              .psi = at.psi,
                              .applicability = at.applicability,
                              .feasible = at.feasible};
            for (int k = 0; k < POSES; k++)
                p.distance[k] = cd_feature2_table_at(&table[k], v, e).distance;
            add(f, &p);
        }
}

// ---- space ---------------------------------------------------------------------------------------------------------

static void add_pair3(features *f, cd_feature_pair3 pair, const int32_t code[2])
{
    const cd_pair3_input *in = &f->asked->space;
    feature_pair p = {.code = {code[0], code[1]}};
    for (int k = 0; k < POSES; k++) {
        const cd_feature_gap3 gap = cd_feature_gap3_at(pair, (cd_separate3_pose){in->a.shell[k], in->b.shell[k]});
        p.distance[k] = gap.distance;
        p.psi = gap.psi;
        p.applicability = gap.applicability;
        p.feasible = gap.feasible;
    }
    add(f, &p);
}

static bool are_parallel(const cd_pair3_input *in, int32_t i, int32_t j)
{
    for (int k = 0; k < POSES; k++)
        if (!(cd_edge_pair3_make(in->a.shell[k], i, in->b.shell[k], j).sine > 1e-6))
            return true;
    return false;
}

static void add_space(features *f)
{
    const cd_pair3_input *in = &f->asked->space;
    const cd_shell3 *a = in->a.shell[0], *b = in->b.shell[0];
    const double all = (double)a->convex->vertex_count * b->convex->face_count +
                       (double)b->convex->vertex_count * a->convex->face_count +
                       (double)a->edges->count * b->edges->count;
    f->is_too_much = all > PAIRS_MOST;
    for (int32_t i = 0; i < a->convex->vertex_count && !f->is_too_much; i++)
        for (int32_t j = 0; j < b->convex->face_count; j++)
            add_pair3(f, (cd_feature_pair3){CD_VERTEX_A_FACE_B, i, j},
                      (int32_t[]){cd_feature(CD_FEATURE_VERTEX, i), cd_feature(CD_FEATURE_FACE, j)});
    for (int32_t i = 0; i < a->edges->count && !f->is_too_much; i++)
        for (int32_t j = 0; j < b->edges->count; j++)
            if (!are_parallel(in, i, j))
                add_pair3(f, (cd_feature_pair3){CD_EDGE_EDGE, i, j},
                          (int32_t[]){cd_feature(CD_FEATURE_EDGE, i), cd_feature(CD_FEATURE_EDGE, j)});
    for (int32_t i = 0; i < a->convex->face_count && !f->is_too_much; i++)
        for (int32_t j = 0; j < b->convex->vertex_count; j++)
            add_pair3(f, (cd_feature_pair3){CD_FACE_A_VERTEX_B, i, j},
                      (int32_t[]){cd_feature(CD_FEATURE_FACE, i), cd_feature(CD_FEATURE_VERTEX, j)});
}

// ---- the chapter ---------------------------------------------------------------------------------------------------

static int compare_pairs(const void *left, const void *right)
{
    const feature_pair *p = left, *q = right;
    const bool is_p = p->is_expected || p->is_there, is_q = q->is_expected || q->is_there;
    if (is_p != is_q)
        return is_p ? -1 : 1;
    if (p->least != q->least)
        return p->least < q->least ? -1 : 1;
    const int first = (p->code[0] > q->code[0]) - (p->code[0] < q->code[0]);
    return first ? first : (p->code[1] > q->code[1]) - (p->code[1] < q->code[1]);
}

static const char *why_of(const features *f, const feature_pair *p)
{
    static const char *const within[POSES] = {"in reach at start", "in reach predicted", "in reach at trial"};
    int nearest = 0;
    for (int k = 1; k < POSES; k++)
        if (p->distance[k] < p->distance[nearest])
            nearest = k;
    if (p->is_expected)
        return p->least <= f->asked->reach ? within[nearest] : "undoes a deep overlap";
    return p->least > f->asked->reach ? "out of reach" : "no edge of the body";
}

static void tell_pairs(features *f)
{
    const bool has_trial = f->asked->has_trial;
    const cd_why_column columns[] = {{"features", "features"},
                                     {"gap", "gap [m]"},
                                     {"distance_start", "at start"},
                                     {"distance_predicted", "predicted"},
                                     {"distance", has_trial ? "trial" : NULL},
                                     {"applicability", "applic."},
                                     {"feasible", "feasible"},
                                     {"expected", "kept"},
                                     {"stream", "stream"},
                                     {"why", "why"}};
    cd_why_story *story = f->asked->pair->story;
    cd_why_table *table = cd_why_tabulate(story, "list", NULL, 10, columns);
    int32_t kept = 0, rejected = 0;
    for (int32_t i = 0; i < f->list.count; i++) {
        const feature_pair *p = &f->list.item[i];
        const bool is_kept = p->is_expected || p->is_there;
        kept += is_kept;
        rejected += !is_kept;
        if (rejected > REJECTED_MOST)
            break;
        cd_why_add(story, table,
                   (cd_why_value[]){cd_why_text(cd_why_features(story->arena, p->code)), cd_why_number(p->psi),
                                    cd_why_number(p->distance[0]), cd_why_number(p->distance[1]),
                                    cd_why_number(p->distance[2]), cd_why_number(p->applicability),
                                    cd_why_number(p->feasible), cd_why_yes(p->is_expected), cd_why_yes(p->is_there),
                                    cd_why_text(why_of(f, p))});
    }
    table->shown = kept + 4;
}

void cd_why_tell_features(cd_why_pair *pair)
{
    cd_why_asked asked;
    if (pair->fault || !cd_why_ask(pair, &asked))
        return;
    if (!asked.is_of_features) {
        cd_why_release(&asked);
        return;
    }
    features f = {.asked = &asked};
    if (pair->frame->in.dim == 3) {
        add_space(&f);
    } else {
        add_half(&f, &asked.plane.a, &asked.plane.b, true);
        add_half(&f, &asked.plane.b, &asked.plane.a, false);
    }
    cd_why_release(&asked);
    qsort(f.list.item, (size_t)f.list.count, sizeof *f.list.item, compare_pairs);
    cd_why_open(pair->story, "features",
                cd_arena_printf(pair->story->arena,
                                "pairs of features of parts %d and %d: those kept, then the nearest rejected",
                                (int)asked.leaves->part[0], (int)asked.leaves->part[1]));
    cd_why_say(pair->story, "reach", "within", cd_why_number(asked.reach), "m",
               "of one another at a pose: the distances behind the gap");
    if (f.is_too_much)
        cd_why_say(pair->story, "left_out", "list", cd_why_text("left out"), NULL, "more than two million pairs");
    tell_pairs(&f);
}
