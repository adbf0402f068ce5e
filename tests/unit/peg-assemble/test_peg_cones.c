// The constraints of space against the truth of two convex cones at a fixed orientation: a cone on its apex near an
// edge (vertex-edge) or near another apex (vertex-vertex). Two such cones do not overlap exactly when a face of their
// difference with applicability >= 0 has a gap >= 0. Counted: separated pairs that a constraint forbids (false traps)
// and overlapping ones that all of them allow (misses).
//
// What the corrected rules keep from 0 is only the slack in "applicable"; as printed, (36) and (38) forbid and miss a
// good part.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "cd_quat.h"
#include "peg_model.h"

#include <stdlib.h>

enum { RAYS_MOST = 5, CONTACTS_MOST = 64, PAIRS = 1500 };

static cd_arena arena;

// Edge i of a cone lies along ray i, between faces i - 1 and i; a wedge has two faces and one edge.
typedef struct cone {
    int rays, faces, edges;
    cd_vec3 ray[RAYS_MOST];
    cd_vec3 normal[RAYS_MOST];   // outward
    cd_vec3 along[RAYS_MOST];    // edges
    cd_vec3 into[RAYS_MOST][2];  // from an edge into its first and second face
    int32_t face[RAYS_MOST][2];  // of an edge
} cone;

static double between(cd_random *random, double low, double high) { return cd_random_between(random, low, high); }

static double normal_number(cd_random *random)
{
    return sqrt(-2 * log(1 - cd_random_unit(random))) * cos(6.283185307179586 * cd_random_unit(random));
}

static cd_quat random_turn(cd_random *random, double size)
{
    double x = normal_number(random), y = normal_number(random), z = normal_number(random);
    return cd_quat_from_vector((cd_vec3){size * x, size * y, size * z});
}

static int compare_double(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Ascending angles without a gap as large as half a turn.
static void random_angles(cd_random *random, int count, double *angle)
{
    double widest;
    do {
        for (int i = 0; i < count; i++)
            angle[i] = between(random, 0, 6.283185307179586);
        qsort(angle, (size_t)count, sizeof *angle, compare_double);
        widest = angle[0] + 6.283185307179586 - angle[count - 1];
        for (int i = 1; i < count; i++)
            widest = fmax(widest, angle[i] - angle[i - 1]);
    } while (widest > 2.6);
}

// A cone of 3 to 5 rays about +z (up 1) or -z (up -1), turned a little.
static cone random_cone(cd_random *random, double up)
{
    cone c = {.rays = 3 + (int)(3 * cd_random_unit(random))};
    double angle[RAYS_MOST], r[2] = {between(random, 0.4, 2), between(random, 0.4, 2)};
    cd_quat turn = random_turn(random, 0.35);
    cd_vec3 middle = {0, 0, 0};
    random_angles(random, c.rays, angle);
    for (int i = 0; i < c.rays; i++) {
        cd_vec3 g = {r[0] * cos(angle[i]), r[1] * sin(angle[i]), up};
        c.ray[i] = cd_quat_turn(turn, cd_unit3(g));
        middle = cd_add3(middle, c.ray[i]);
    }
    c.faces = c.edges = c.rays;
    for (int i = 0; i < c.faces; i++) {
        cd_vec3 n = cd_unit3(cd_cross3(c.ray[i], c.ray[(i + 1) % c.rays]));
        c.normal[i] = cd_dot3(n, middle) > 0 ? cd_negate3(n) : n;
    }
    for (int i = 0; i < c.edges; i++) {
        int before = (i + c.rays - 1) % c.rays, after = (i + 1) % c.rays;
        c.along[i] = c.ray[i];
        c.face[i][0] = before;
        c.face[i][1] = i;
        for (int k = 0; k < 2; k++) {
            cd_vec3 g = c.ray[k ? after : before];
            c.into[i][k] = cd_unit3(cd_sub3(g, cd_scale3(cd_dot3(g, c.ray[i]), c.ray[i])));
        }
    }
    return c;
}

// A ridge along y that opens downwards; its rays span it.
static cone random_wedge(cd_random *random)
{
    cone c = {.rays = 4, .faces = 2, .edges = 1};
    cd_quat turn = random_turn(random, 0.3);
    double slope[2] = {between(random, 0.3, 1.2), between(random, 0.3, 1.2)};
    c.ray[0] = (cd_vec3){sin(slope[0]), 0, -cos(slope[0])};
    c.ray[1] = (cd_vec3){-sin(slope[1]), 0, -cos(slope[1])};
    c.ray[2] = (cd_vec3){0, 1, 0};
    c.ray[3] = (cd_vec3){0, -1, 0};
    for (int i = 0; i < 4; i++)
        c.ray[i] = cd_quat_turn(turn, c.ray[i]);
    c.along[0] = c.ray[2];
    for (int k = 0; k < 2; k++) {
        cd_vec3 n = cd_unit3(cd_cross3(c.along[0], c.ray[k]));
        c.normal[k] = cd_dot3(n, c.ray[1 - k]) > 0 ? cd_negate3(n) : n;
        c.into[0][k] = c.ray[k];
        c.face[0][k] = k;
    }
    return c;
}

// Least sine at which the rays of a are behind the plane with normal n (from a to b) and those of b before it.
static double applicability_of(cd_vec3 n, const cone *a, const cone *b)
{
    double least = 1;
    for (int i = 0; i < a->rays; i++)
        least = fmin(least, fabs(cd_dot3(n, a->ray[i])) > 1e-9 ? -cd_dot3(n, a->ray[i]) : 1);
    for (int i = 0; i < b->rays; i++)
        least = fmin(least, fabs(cd_dot3(n, b->ray[i])) > 1e-9 ? cd_dot3(n, b->ray[i]) : 1);
    return least;
}

typedef struct situation {
    int32_t count;
    cd_peg_contact contact[CONTACTS_MOST];
    bool is_apart;
    double most_applicable, least_gap;  // of all contacts; |gap|
} situation;

// A contact with normal n of two cones whose apices are `offset` apart (of a less that of b).
static void add_contact(situation *s, cd_peg_contact contact, cd_vec3 n, cd_vec3 offset, const cone *a, const cone *b)
{
    contact.body[1] = 1;
    contact.gap = -cd_dot3(n, offset);
    contact.applicability = applicability_of(n, a, b);
    contact.feasible = NAN;
    s->is_apart = s->is_apart || (contact.applicability >= -1e-9 && contact.gap >= 0);
    s->most_applicable = fmax(s->most_applicable, contact.applicability);
    s->least_gap = fmin(s->least_gap, fabs(contact.gap));
    s->contact[s->count++] = contact;
}

static cd_peg_edge edge_of(const cone *own, int i, const cone *other, int k, bool is_at_apex)
{
    cd_peg_edge e = {.number = i, .end = is_at_apex ? 0 : -1, .face = {own->face[i][0], own->face[i][1]}};
    cd_vec3 o = cd_sub3(other->into[k][0], other->into[k][1]);  // (27): t_1 - t_2
    e.lean = cd_dot3(own->along[i], cd_unit3(o));
    return e;
}

// All contacts: of a's apex with b's faces, of edges, and, when b has an apex, of it with a's faces.
static situation situate(const cone *a, const cone *b, cd_vec3 offset, bool has_apex)
{
    situation s = {.most_applicable = -1, .least_gap = INFINITY};
    for (int j = 0; j < b->faces; j++)
        add_contact(&s, (cd_peg_contact){.side = CD_PEG_VERTEX_OF_A, .face = j}, cd_negate3(b->normal[j]), offset, a,
                    b);
    for (int i = 0; i < a->faces && has_apex; i++)
        add_contact(&s, (cd_peg_contact){.side = CD_PEG_VERTEX_OF_B, .face = i}, a->normal[i], offset, a, b);
    for (int i = 0; i < a->edges; i++)
        for (int j = 0; j < b->edges; j++) {
            cd_vec3 n = cd_unit3(cd_cross3(a->along[i], b->along[j]));
            double p = fmin(fmin(-cd_dot3(n, a->into[i][0]), -cd_dot3(n, a->into[i][1])),
                            fmin(cd_dot3(n, b->into[j][0]), cd_dot3(n, b->into[j][1])));
            double m = fmin(fmin(cd_dot3(n, a->into[i][0]), cd_dot3(n, a->into[i][1])),
                            fmin(-cd_dot3(n, b->into[j][0]), -cd_dot3(n, b->into[j][1])));
            cd_peg_contact contact = {.side = CD_PEG_TWO_EDGES,
                                      .edge = {edge_of(a, i, b, j, true), edge_of(b, j, a, i, has_apex)}};
            add_contact(&s, contact, m > p ? cd_negate3(n) : n, offset, a, b);
        }
    return s;
}

typedef struct score {
    int apart, overlapping, traps, misses;
} score;

static void judge(const char *name, const situation *s, double theta, score *out)
{
    const cd_peg_model *model = cd_peg_find_model(name);
    cd_peg_rules rules = {.limits = cd_peg_usual_limits(model, 3)};
    for (int k = 0; k < CD_CONTACT_CONFIGURATIONS && !isnan(theta); k++)
        rules.limits.theta[k] = theta;
    cd_peg_constraints c = cd_peg_group_of(model, 3)(model, s->contact, s->count, &rules, &arena);
    bool holds = true;
    for (int32_t i = 0; i < c.count; i++) {
        double largest = -INFINITY;
        for (int32_t k = 0; k < c.constraint[i].count; k++)
            largest = fmax(largest, s->contact[c.member[c.constraint[i].first + k]].gap);
        holds = holds && largest >= 0;
    }
    out->apart += s->is_apart;
    out->overlapping += !s->is_apart;
    out->traps += s->is_apart && !holds;
    out->misses += !s->is_apart && holds;
}

typedef struct candidate {
    const char *model;
    double theta;
    score score;
} candidate;

static void run(bool has_apex, candidate *list, int count)
{
    cd_random random = {has_apex ? 38 : 36};
    for (int pairs = 0; pairs < PAIRS;) {
        cone a = random_cone(&random, 1), b = has_apex ? random_cone(&random, -1) : random_wedge(&random);
        cd_vec3 offset = {normal_number(&random), normal_number(&random), normal_number(&random)};
        offset = cd_unit3(cd_add3(cd_unit3(offset), (cd_vec3){0, 0, -0.6}));
        situation s = situate(&a, &b, offset, has_apex);
        if (s.most_applicable < 0.02 || s.least_gap < 1e-6)  // no plane parts the cones; no clear case
            continue;
        for (int k = 0; k < count; k++)
            judge(list[k].model, &s, list[k].theta, &list[k].score);
        cd_arena_reset(&arena);
        pairs++;
    }
}

static void report(const candidate *c, double *traps, double *misses)
{
    *traps = (double)c->score.traps / c->score.apart;
    *misses = (double)c->score.misses / c->score.overlapping;
    if (getenv("CD_TEST_VERBOSE"))
        printf("# %-12s theta %4.2f  apart %4d  trapped %5.1f %%  overlapping %4d  missed %5.1f %%\n", c->model,
               c->theta, c->score.apart, 100 * *traps, c->score.overlapping, 100 * *misses);
}

enum { EXACT, USUAL, PRINTED, PRINTED_EXACT, WITHOUT, CANDIDATES };
static const candidate CANDIDATE[CANDIDATES] = {
    {"peg", 0, {0, 0, 0, 0}},         {"peg", NAN, {0, 0, 0, 0}}, {"peg-printed", NAN, {0, 0, 0, 0}},
    {"peg-printed", 0, {0, 0, 0, 0}}, {"lnc", 0, {0, 0, 0, 0}},
};

static void run_all(bool has_apex, double *traps, double *misses)
{
    candidate list[CANDIDATES];
    memcpy(list, CANDIDATE, sizeof list);
    run(has_apex, list, CANDIDATES);
    for (int k = 0; k < CANDIDATES; k++)
        report(&list[k], &traps[k], &misses[k]);
    CD_CHECK(list[EXACT].score.apart > PAIRS / 4 && list[EXACT].score.overlapping > PAIRS / 4);
    CD_CHECK(traps[EXACT] == 0 && misses[EXACT] == 0);
    CD_CHECK(traps[USUAL] < 0.01 && misses[USUAL] < 0.01);
    CD_CHECK(traps[WITHOUT] == 0);
}

CD_TEST(a_vertex_and_an_edge)
{
    double traps[CANDIDATES], misses[CANDIDATES];
    run_all(false, traps, misses);
    CD_CHECK(misses[PRINTED] > 0.04 && misses[PRINTED] < 0.3);
    CD_CHECK(misses[WITHOUT] > misses[PRINTED]);
}

CD_TEST(two_vertices)
{
    double traps[CANDIDATES], misses[CANDIDATES];
    run_all(true, traps, misses);
    CD_CHECK(traps[PRINTED] > 0.2 && traps[PRINTED] < 0.7);
    CD_CHECK(misses[WITHOUT] > 0.15 && misses[WITHOUT] < 0.35);
}

int main(void)
{
    CD_RUN(a_vertex_and_an_edge);
    CD_RUN(two_vertices);
    cd_arena_release(&arena);
    return cd_test_done();
}
