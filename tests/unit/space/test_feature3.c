// Potential contacts of two polyhedra: every pair of features against distances found slowly in long double, values
// against the formulas as printed and against motions of the bodies, local cones, overlaps deeper than the reach,
// exchange of sides, degenerate bodies.
// SPDX-License-Identifier: MIT
#include "cd_feature3.h"

#include "cd_depth3.h"
#include "cd_test.h"
#include "test_pairs3.h"
#include "test_kernels3.h"

// ---- the slow way --------------------------------------------------------------------------------------------------

static real3 plus(real3 a, real3 b) { return (real3){a.x + b.x, a.y + b.y, a.z + b.z}; }

static real segment_distance(real3 p, real3 from, real3 to)
{
    real3 e = minus(to, from);
    real t = dot(e, minus(p, from)) / dot(e, e);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    real3 d = minus(p, plus(from, times(t, e)));
    return sqrtl(dot(d, d));
}

static real slow_face_distance(const cd_shell3 *s, int32_t face, cd_vec3 point)
{
    const cd_convex3 *c = s->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    int32_t count = c->face_first[face + 1] - c->face_first[face];
    real3 p = wide(point), n = face_normal(s, face);
    real nearest = INFINITY, psi = dot(n, minus(p, corner_of(s, corner[0])));
    bool is_over = true;
    for (int32_t k = 0; k < count; k++) {
        real3 from = corner_of(s, corner[k]), to = corner_of(s, corner[(k + 1) % count]);
        is_over = is_over && dot(n, cross(minus(to, from), minus(p, from))) >= 0;
        nearest = fminl(nearest, segment_distance(p, from, to));
    }
    return is_over ? fabsl(psi) : nearest;
}

// The distance of a point of the first segment from the second one is convex along the first: thirds.
static real slow_edge_distance(const cd_shell3 *a, int32_t i, const cd_shell3 *b, int32_t j)
{
    const int32_t *v = a->edges->edge[i].vertex, *w = b->edges->edge[j].vertex;
    real3 p = corner_of(a, v[0]), e = minus(corner_of(a, v[1]), p), q = corner_of(b, w[0]), r = corner_of(b, w[1]);
    real low = 0, high = 1;
    for (int k = 0; k < 90; k++) {
        real s = low + (high - low) / 3, t = high - (high - low) / 3;
        if (segment_distance(plus(p, times(s, e)), q, r) < segment_distance(plus(p, times(t, e)), q, r))
            high = t;
        else
            low = s;
    }
    real inner = segment_distance(plus(p, times(low, e)), q, r);
    return fminl(inner, fminl(segment_distance(p, q, r), segment_distance(plus(p, e), q, r)));
}

static real slow_distance(cd_feature_pair3 pair, cd_separate3_pose at)
{
    switch (pair.kind) {
    case CD_VERTEX_A_FACE_B:
        return slow_face_distance(at.b, pair.index_b, cd_shell3_vertex(at.a, pair.index_a));
    case CD_EDGE_EDGE:
        return slow_edge_distance(at.a, pair.index_a, at.b, pair.index_b);
    default:
        return slow_face_distance(at.a, pair.index_a, cd_shell3_vertex(at.b, pair.index_b));
    }
}

static cd_feature3_input features_of(const cd_separate3_input *input, double reach)
{
    return (cd_feature3_input){input->start, input->predicted, input->current, reach, input->slack, input->tolerance};
}

static bool is_pair(cd_feature_pair3 p, cd_feature_pair3 q)
{
    return p.kind == q.kind && p.index_a == q.index_a && p.index_b == q.index_b;
}

static const cd_feature_gap3 *find_pair(const cd_feature_gaps3 *gaps, cd_feature_pair3 pair)
{
    for (int32_t i = 0; i < gaps->count; i++)
        if (is_pair(gaps->gap[i].pair, pair))
            return &gaps->gap[i];
    return NULL;
}

static bool comes_before(cd_feature_pair3 p, cd_feature_pair3 q)
{
    return p.kind != q.kind ? p.kind < q.kind : p.index_a != q.index_a ? p.index_a < q.index_a : p.index_b < q.index_b;
}

// ---- the set -------------------------------------------------------------------------------------------------------

static int32_t checked_pairs;

static void check_pair(const cd_feature_gaps3 *gaps, cd_feature_pair3 pair, const cd_feature3_input *input)
{
    real start = slow_distance(pair, input->start), predicted = slow_distance(pair, input->predicted);
    real current = slow_distance(pair, input->current), least = fminl(start, fminl(predicted, current));
    if (fabsl(least - input->reach) < 1e-9L)
        return;
    if (pair.kind == CD_EDGE_EDGE) {
        real3 c = cross(edge_direction(input->current.a, pair.index_a), edge_direction(input->current.b, pair.index_b));
        if (dot(c, c) < 1.1e-12L)
            return;
    }
    checked_pairs++;
    CD_CHECK((find_pair(gaps, pair) != NULL) == (least < input->reach));
}

// All pairs of features; no body overlaps by more than the reach here.
static void check_all_pairs(const cd_feature_gaps3 *gaps, const cd_feature3_input *input)
{
    const cd_shell3 *a = input->start.a, *b = input->start.b;
    for (int32_t v = 0; v < a->convex->vertex_count; v++)
        for (int32_t f = 0; f < b->convex->face_count; f++)
            check_pair(gaps, (cd_feature_pair3){CD_VERTEX_A_FACE_B, v, f}, input);
    for (int32_t i = 0; i < a->edges->count; i++)
        for (int32_t j = 0; j < b->edges->count; j++)
            check_pair(gaps, (cd_feature_pair3){CD_EDGE_EDGE, i, j}, input);
    for (int32_t f = 0; f < a->convex->face_count; f++)
        for (int32_t v = 0; v < b->convex->vertex_count; v++)
            check_pair(gaps, (cd_feature_pair3){CD_FACE_A_VERTEX_B, f, v}, input);
    for (int32_t i = 1; i < gaps->count; i++)
        CD_CHECK(comes_before(gaps->gap[i - 1].pair, gaps->gap[i].pair));
}

CD_TEST(all_features_within_reach_at_some_pose_and_no_others)
{
    static const double gaps_at_start[] = {1e-9, 1e-3, 0.02, 0.1};
    cd_arena arena = {0};
    cd_random random = {21};
    int contacts = 0;
    checked_pairs = 0;
    for (int round = 0; round < 60; round++) {
        scene s = random_scene(&random, gaps_at_start[round % 4], 0.015, &arena);
        cd_separate3_input input = input_of(&s, &arena);
        if (round % 3 == 1)
            input.current = input.predicted;
        if (round % 3 == 2)
            input.current.b = shell_at(&s.b, cd_add3(s.place_b[0], cd_scale3(0.01, test_direction(&random))),
                                       turned(s.turn_b[0], 0.02, &random), &arena);
        cd_feature3_input asked = features_of(&input, 0.06);
        cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
        contacts += gaps.count;
        check_all_pairs(&gaps, &asked);
        cd_arena_reset(&arena);
    }
    CD_CHECK(contacts > 300 && checked_pairs > 20000);
    cd_arena_release(&arena);
}

// ---- values --------------------------------------------------------------------------------------------------------

static void check_vertex_face(const cd_feature_gap3 *g, cd_separate3_pose at)
{
    bool is_of_a = g->pair.kind == CD_VERTEX_A_FACE_B;
    const cd_shell3 *vertex_of = is_of_a ? at.a : at.b, *face_of = is_of_a ? at.b : at.a;
    int32_t vertex = is_of_a ? g->pair.index_a : g->pair.index_b, face = is_of_a ? g->pair.index_b : g->pair.index_a;
    real3 eta = face_normal(face_of, face), p = corner_of(vertex_of, vertex);
    real3 corner = corner_of(face_of, face_of->convex->face_vertex[face_of->convex->face_first[face]]);
    CD_CHECK_NEAR(g->psi, (double)dot(eta, minus(p, corner)), 1e-12);
    CD_CHECK_NEAR((double)dot(eta, wide(g->normal)), is_of_a ? -1 : 1, 1e-12);
    real least = INFINITY;  // (29), over the corners beside the vertex in its faces
    const cd_convex3 *c = vertex_of->convex;
    for (int32_t f = 0; f < c->face_count; f++) {
        int32_t first = c->face_first[f], count = c->face_first[f + 1] - first;
        for (int32_t k = 0; k < count; k++)
            if (c->face_vertex[first + k] == vertex) {
                real3 next = corner_of(vertex_of, c->face_vertex[first + (k + 1) % count]);
                least = fminl(least, dot(eta, unit(minus(next, p))));
            }
    }
    CD_CHECK_NEAR(g->applicability, (double)least, 1e-12);
}

static void check_edge_edge(const cd_feature_gap3 *g, cd_separate3_pose at)
{
    int32_t sign;
    real sine, applicability = slow_applicability(at, g->pair.index_a, g->pair.index_b, &sign, &sine);
    double tolerance = 1e-14 / (double)sine + 1e-12;
    real3 ea = edge_direction(at.a, g->pair.index_a), eb = edge_direction(at.b, g->pair.index_b);
    CD_CHECK_NEAR(g->applicability, (double)applicability, tolerance);
    real3 n = times(sign / sine, cross(ea, eb));
    CD_CHECK_NEAR((double)dot(n, wide(g->normal)), 1, tolerance);
    CD_CHECK_NEAR((double)dot(ea, wide(g->normal)), 0, tolerance);
    // the points are on the lines
    real3 from_a = minus(wide(g->point_a), corner_of(at.a, at.a->edges->edge[g->pair.index_a].vertex[0]));
    real3 from_b = minus(wide(g->point_b), corner_of(at.b, at.b->edges->edge[g->pair.index_b].vertex[0]));
    real3 off_a = cross(ea, from_a), off_b = cross(eb, from_b);
    CD_CHECK_NEAR((double)sqrtl(dot(off_a, off_a)), 0, tolerance * 10);
    CD_CHECK_NEAR((double)sqrtl(dot(off_b, off_b)), 0, tolerance * 10);
}

static void check_values(const cd_feature_gap3 *g, cd_separate3_pose at)
{
    if (g->pair.kind == CD_EDGE_EDGE)
        check_edge_edge(g, at);
    else
        check_vertex_face(g, at);
    double distance = (double)slow_distance(g->pair, at);
    CD_CHECK_NEAR(g->distance, distance, 1e-9);
    bool is_inside = g->feasible == 1.57079632679489661923;
    if (is_inside)
        CD_CHECK_NEAR(fabs(g->psi), distance, 1e-9);
    else
        CD_CHECK_NEAR(sin(g->feasible) * g->distance, g->psi, 1e-13);
    cd_vec3 apart = cd_sub3(cd_sub3(g->point_b, g->point_a), cd_scale3(g->psi, g->normal));
    CD_CHECK(cd_length3(apart) < 1e-12 || (g->pair.kind == CD_EDGE_EDGE && cd_length3(apart) < 1e-8));
}

static bool same_point(cd_vec3 p, cd_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

static void check_swapped(const cd_feature_gaps3 *one, const cd_feature3_input *input, cd_arena *arena)
{
    cd_feature3_input other = *input;
    other.start = swap(input->start);
    other.predicted = swap(input->predicted);
    other.current = swap(input->current);
    cd_feature_gaps3 swapped = cd_feature3_potential(&other, arena);
    CD_CHECK(swapped.count == one->count);
    for (int32_t i = 0; i < swapped.count; i++) {
        const cd_feature_gap3 *g = &swapped.gap[i];
        cd_feature_pair3 pair = {(cd_feature_pair3_kind)(2 - g->pair.kind), g->pair.index_b, g->pair.index_a};
        const cd_feature_gap3 *h = find_pair(one, pair);
        CD_CHECK(h && h->psi == g->psi && h->distance == g->distance && h->applicability == g->applicability &&
                 h->feasible == g->feasible && same_point(h->point_a, g->point_b) &&
                 same_point(h->point_b, g->point_a) && same_point(h->normal, cd_negate3(g->normal)));
    }
}

CD_TEST(values_are_those_of_the_formulas)
{
    static const double gaps_at_start[] = {1e-9, 1e-3, 0.02, -0.01, -0.2};
    cd_arena arena = {0};
    cd_random random = {22};
    int of_kind[3] = {0}, inside = 0, outside = 0;
    for (int round = 0; round < 200; round++) {
        scene s = random_scene(&random, gaps_at_start[round % 5], 0.01, &arena);
        cd_separate3_input input = input_of(&s, &arena);
        cd_feature3_input asked = features_of(&input, 0.1);
        cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
        for (int32_t i = 0; i < gaps.count; i++) {
            check_values(&gaps.gap[i], input.current);
            of_kind[gaps.gap[i].pair.kind]++;
            inside += gaps.gap[i].feasible > 1.57;
            outside += gaps.gap[i].feasible <= 1.57;
        }
        check_swapped(&gaps, &asked, &arena);
        cd_arena_reset(&arena);
    }
    CD_CHECK(of_kind[0] > 300 && of_kind[1] > 1000 && of_kind[2] > 300 && inside > 500 && outside > 1000);
    cd_arena_release(&arena);
}

// The rate of psi in a motion of both bodies is that of the reported points along the normal: of the vertex itself as a
// point of both bodies, and of the nearest points of two lines.
CD_TEST(gaps_change_as_their_points_move)
{
    const double h = 1e-6;
    cd_arena arena = {0};
    cd_random random = {23};
    int edges = 0, vertices = 0;
    for (int round = 0; round < 100; round++) {
        scene s = random_scene(&random, 0.01, 0, &arena);
        cd_vec3 v[2], w[2];
        for (int k = 0; k < 2; k++) {
            v[k] = test_direction(&random);
            w[k] = test_direction(&random);
        }
        cd_separate3_pose at[3];
        for (int k = 0; k < 3; k++) {
            double t = (k - 1) * h;
            cd_quat turn_a = cd_quat_product(cd_quat_from_vector(cd_scale3(t, w[0])), s.turn_a[0]);
            cd_quat turn_b = cd_quat_product(cd_quat_from_vector(cd_scale3(t, w[1])), s.turn_b[0]);
            at[k].a = shell_at(&s.a, cd_add3(s.place_a[0], cd_scale3(t, v[0])), cd_quat_unit(turn_a), &arena);
            at[k].b = shell_at(&s.b, cd_add3(s.place_b[0], cd_scale3(t, v[1])), cd_quat_unit(turn_b), &arena);
        }
        cd_feature3_input asked = {at[1], at[1], at[1], 0.1, 0.03, 1e-12};
        cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
        for (int32_t i = 0; i < gaps.count; i++) {
            const cd_feature_gap3 *g = &gaps.gap[i];
            bool is_edges = g->pair.kind == CD_EDGE_EDGE;
            if (is_edges && g->applicability < 0.1)
                continue;  // nearly parallel edges turn their normal fast; branches may change
            cd_vec3 p = g->pair.kind == CD_FACE_A_VERTEX_B ? g->point_b : g->point_a;
            cd_vec3 q = g->pair.kind == CD_VERTEX_A_FACE_B ? g->point_a : g->point_b;
            cd_vec3 of_a = cd_add3(v[0], cd_cross3(w[0], cd_sub3(p, s.place_a[0])));
            cd_vec3 of_b = cd_add3(v[1], cd_cross3(w[1], cd_sub3(q, s.place_b[0])));
            double rate = cd_dot3(g->normal, cd_sub3(of_b, of_a));
            double difference = cd_feature_gap3_at(g->pair, at[2]).psi - cd_feature_gap3_at(g->pair, at[0]).psi;
            CD_CHECK_NEAR(difference / (2 * h), rate, 2e-8);
            edges += is_edges;
            vertices += !is_edges;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(edges > 30 && vertices > 300);
    cd_arena_release(&arena);
}

// ---- local cones ---------------------------------------------------------------------------------------------------

// A pyramid with its apex (vertex 0) in the origin, opening along +z.
static cd_polyhedron pyramid(cd_random *random, int32_t sides, cd_arena *arena)
{
    cd_vec3 *v = CD_ARENA_ARRAY(arena, cd_vec3, sides + 1);
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, sides + 2), *corner = CD_ARENA_ARRAY(arena, int32_t, 4 * sides);
    double width = test_between(random, 0.4, 2), depth = test_between(random, 0.4, 2);
    v[0] = (cd_vec3){0, 0, 0};
    for (int32_t i = 0; i < sides; i++) {
        double angle = 6.283185307179586 * (i + test_between(random, 0, 0.7)) / sides;
        v[i + 1] = (cd_vec3){width * cos(angle), depth * sin(angle), 1};
        first[i] = 3 * i;
        corner[3 * i] = 0;
        corner[3 * i + 1] = (i + 1) % sides + 1;
        corner[3 * i + 2] = i + 1;
        corner[3 * sides + i] = i + 1;
    }
    first[sides] = 3 * sides;
    first[sides + 1] = 4 * sides;
    return (cd_polyhedron){sides + 1, sides + 1, v, first, corner};
}

static bool is_at_apex(const cd_feature_pair3 *pair, cd_separate3_pose at)
{
    int32_t base_a = at.a->convex->face_count - 1, base_b = at.b->convex->face_count - 1;
    switch (pair->kind) {
    case CD_VERTEX_A_FACE_B:
        return pair->index_a == 0 && pair->index_b != base_b;
    case CD_EDGE_EDGE:
        return at.a->edges->edge[pair->index_a].vertex[0] == 0 && at.b->edges->edge[pair->index_b].vertex[0] == 0;
    default:
        return pair->index_b == 0 && pair->index_a != base_a;
    }
}

// Two cones near each other's apex do not overlap exactly when an applicable separator separates them: nothing that
// counts is missing among the contacts.
CD_TEST(cones_are_apart_exactly_when_an_applicable_contact_says_so)
{
    cd_arena arena = {0};
    cd_random random = {24};
    int apart = 0, overlapping = 0;
    for (int round = 0; round < 1500; round++) {
        body a = body_of(pyramid(&random, 3 + round % 4, &arena), &arena);
        body b = body_of(pyramid(&random, 3 + round / 4 % 4, &arena), &arena);
        cd_vec3 tilt_a = cd_scale3(0.35, test_direction(&random)), tilt_b = cd_scale3(0.35, test_direction(&random));
        cd_quat upside_down = {0, 1, 0, 0};  // apex down: a opens upwards, b downwards
        cd_separate3_pose at = {
            shell_at(&a, cd_scale3(1e-3, test_direction(&random)), cd_quat_from_vector(tilt_a), &arena),
            shell_at(&b, (cd_vec3){0, 0, 0}, cd_quat_product(cd_quat_from_vector(tilt_b), upside_down), &arena)};
        cd_distance3 truth =
            cd_distance3_compute(cd_support3_convex(at.a->convex), cd_support3_convex(at.b->convex), NULL);
        cd_feature3_input asked = {at, at, at, 0.02, 0.03, 1e-12};
        cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
        bool is_separated = false;
        for (int32_t i = 0; i < gaps.count; i++)
            is_separated |= is_at_apex(&gaps.gap[i].pair, at) && gaps.gap[i].applicability >= 0 && gaps.gap[i].psi >= 0;
        if (truth.distance == 0 || truth.distance > 1e-9) {
            CD_CHECK(is_separated == (truth.distance > 0));
            apart += truth.distance > 0;
            overlapping += truth.distance == 0;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(apart > 200 && overlapping > 200);
    cd_arena_release(&arena);
}

// ---- overlaps deeper than the reach --------------------------------------------------------------------------------

static cd_feature3_input still(const cd_shell3 *a, const cd_shell3 *b, double reach)
{
    cd_separate3_pose at = {a, b};
    return (cd_feature3_input){at, at, at, reach, 0.03, 1e-12};
}

static const cd_quat no_turn = {1, 0, 0, 0};

// Some contact is the separator of least depth.
CD_TEST(deep_overlaps_keep_the_contact_that_undoes_them)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {25};
    int edges = 0, faces = 0;
    for (int round = 0; round < 200; round++) {
        scene s = random_scene(&random, -0.3, 0, &arena);
        cd_separate3_input input = input_of(&s, &arena);
        cd_feature3_input asked = still(input.start.a, input.start.b, 1e-4);
        cd_depth3 depth = test_depth(input.start.a->convex, input.start.a->edges, input.start.b->convex,
                                     input.start.b->edges, &scratch);
        cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
        check_swapped(&gaps, &asked, &arena);
        bool is_there = false;
        for (int32_t i = 0; i < gaps.count; i++)
            if (fabs(gaps.gap[i].psi + depth.depth) < 1e-11 && cd_dot3(gaps.gap[i].normal, depth.normal) > 1 - 1e-9) {
                is_there = true;
                edges += gaps.gap[i].pair.kind == CD_EDGE_EDGE;
                faces += gaps.gap[i].pair.kind != CD_EDGE_EDGE;
            }
        CD_CHECK(is_there || depth.depth < 2e-4);
        cd_arena_reset(&arena);
    }
    CD_CHECK(edges > 20 && faces > 50);
    // a small cube in a large one, nearest to its +x face: all eight corners against that face
    body large = body_of(test_box_between((cd_vec3){-1, -1, -1}, (cd_vec3){1, 1, 1}, &arena), &arena);
    body small = body_of(test_box_between((cd_vec3){-0.1, -0.1, -0.1}, (cd_vec3){0.1, 0.1, 0.1}, &arena), &arena);
    cd_feature3_input asked = still(shell_at(&large, (cd_vec3){0, 0, 0}, no_turn, &arena),
                                    shell_at(&small, (cd_vec3){0.5, 0, 0}, no_turn, &arena), 0.01);
    cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
    CD_CHECK(gaps.count == 8);
    for (int32_t i = 0; i < gaps.count; i++)
        CD_CHECK(gaps.gap[i].pair.kind == CD_FACE_A_VERTEX_B && gaps.gap[i].pair.index_a == 1);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(fast_bodies_have_the_contact_they_come_in_through)
{
    cd_arena arena = {0};
    // a corner through the top of a plate, and past its middle
    body plate = body_of(test_box_between((cd_vec3){-1, -1, -0.1}, (cd_vec3){1, 1, 0.1}, &arena), &arena);
    body tetrahedron = body_of(test_tetrahedron((cd_vec3){0, 0, 0}, (cd_vec3){0.3, 0, 1}, (cd_vec3){-0.3, 0.3, 1},
                                                (cd_vec3){-0.3, -0.3, 1}, &arena),
                               &arena);
    cd_feature3_input asked = still(shell_at(&plate, (cd_vec3){0, 0, 0}, no_turn, &arena),
                                    shell_at(&tetrahedron, (cd_vec3){0, 0, 0.2}, no_turn, &arena), 0.01);
    asked.predicted.b = shell_at(&tetrahedron, (cd_vec3){0, 0, -0.08}, no_turn, &arena);
    cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
    CD_CHECK(gaps.count == 1 && is_pair(gaps.gap[0].pair, (cd_feature_pair3){CD_FACE_A_VERTEX_B, 5, 0}));
    CD_CHECK_NEAR(gaps.count == 1 ? gaps.gap[0].psi : NAN, 0.1, 1e-15);  // at the current pose, the start
    // crossed roofs through each other's ridges: no vertex comes inside
    cd_vec3 ridge[6] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, 0, 0}, {1, 0, 0}};
    static const int32_t first[6] = {0, 4, 8, 12, 15, 18},
                         corner[18] = {0, 2, 3, 1, 0, 1, 5, 4, 2, 4, 5, 3, 0, 4, 2, 1, 3, 5};
    body roof = body_of((cd_polyhedron){6, 5, ridge, first, corner}, &arena);
    cd_quat across = cd_quat_product(cd_quat_from_vector((cd_vec3){0, 0, 1.5707963267948966}), (cd_quat){0, 1, 0, 0});
    asked = still(shell_at(&roof, (cd_vec3){0, 0, 0}, no_turn, &arena),
                  shell_at(&roof, (cd_vec3){0, 0, 0.1}, across, &arena), 0.01);
    asked.predicted.b = shell_at(&roof, (cd_vec3){0, 0, -0.2}, across, &arena);
    int32_t edge = cd_edges3_find(&roof.edges, 4, 5);
    gaps = cd_feature3_potential(&asked, &arena);
    CD_CHECK(gaps.count == 1 && is_pair(gaps.gap[0].pair, (cd_feature_pair3){CD_EDGE_EDGE, edge, edge}));
    CD_CHECK_NEAR(gaps.count == 1 ? gaps.gap[0].psi : NAN, 0.1, 1e-15);
    cd_arena_release(&arena);
}

// ---- degenerate bodies ---------------------------------------------------------------------------------------------

CD_TEST(a_cube_on_a_plate_has_four_corners_and_no_parallel_edges)
{
    cd_arena arena = {0};
    body plate = body_of(test_box_between((cd_vec3){-2, -2, -0.1}, (cd_vec3){2, 2, 0}, &arena), &arena);
    body cube = body_of(test_box_between((cd_vec3){-0.5, -0.5, 0}, (cd_vec3){0.5, 0.5, 1}, &arena), &arena);
    cd_feature3_input asked = still(shell_at(&plate, (cd_vec3){0, 0, 0}, no_turn, &arena),
                                    shell_at(&cube, (cd_vec3){0, 0, 0}, no_turn, &arena), 0.05);
    cd_feature_gaps3 gaps = cd_feature3_potential(&asked, &arena);
    CD_CHECK(gaps.count == 4);
    for (int32_t i = 0; i < gaps.count; i++) {
        const cd_feature_gap3 *g = &gaps.gap[i];
        CD_CHECK(g->pair.kind == CD_FACE_A_VERTEX_B && g->psi == 0 && g->applicability == 0 && g->normal.z == 1);
    }
    // turned by 45 degrees over the plate's edge: two corners, and edges that cross
    cd_quat turn = cd_quat_from_vector((cd_vec3){0, 0, 0.7853981633974483});
    asked.start.b = asked.predicted.b = asked.current.b = shell_at(&cube, (cd_vec3){2, 0, 0}, turn, &arena);
    gaps = cd_feature3_potential(&asked, &arena);
    int32_t vertices = 0, edges = 0;
    for (int32_t i = 0; i < gaps.count; i++) {
        vertices += gaps.gap[i].pair.kind != CD_EDGE_EDGE && gaps.gap[i].applicability > -1e-12;
        edges += gaps.gap[i].pair.kind == CD_EDGE_EDGE && gaps.gap[i].applicability > -1e-12;
    }
    // of the two corners beside the plate's edge one is over the plate, the others lie on its edge's line
    CD_CHECK(vertices >= 1 && edges >= 2);
    cd_arena_release(&arena);
}

// The cube with its sides split into triangles has the same edges: what splits a side is none.
CD_TEST(edges_between_coplanar_faces_have_no_contacts)
{
    cd_arena arena = {0};
    cd_random random = {26};
    cd_polyhedron whole = test_box_between((cd_vec3){-0.5, -0.5, -0.5}, (cd_vec3){0.5, 0.5, 0.5}, &arena),
                  split = whole;
    int32_t first[13], corner[36];
    for (int32_t f = 0; f < 12; f++) {
        const int32_t *quad = whole.face_vertex + 4 * (f / 2);
        first[f] = 3 * f;
        corner[3 * f] = quad[0];
        corner[3 * f + 1] = quad[1 + f % 2];
        corner[3 * f + 2] = quad[2 + f % 2];
    }
    first[12] = 36;
    split.face_count = 12;
    split.face_first = first;
    split.face_vertex = corner;
    body one = body_of(whole, &arena), other = body_of(split, &arena);
    CD_CHECK(one.edges.count == 12 && other.edges.count == 18);
    int edges = 0;
    for (int round = 0; round < 100; round++) {
        cd_quat turn = test_rotation(&random);
        cd_vec3 at = cd_scale3(1.1, test_direction(&random));
        const cd_shell3 *a = shell_at(&one, (cd_vec3){0, 0, 0}, no_turn, &arena);
        const cd_shell3 *b = shell_at(&other, (cd_vec3){0, 0, 0}, no_turn, &arena);
        const cd_shell3 *of_one = shell_at(&one, at, turn, &arena), *of_other = shell_at(&other, at, turn, &arena);
        cd_feature3_input plain = still(a, of_one, 0.3), parted = still(b, of_other, 0.3);
        cd_feature_gaps3 gaps = cd_feature3_potential(&plain, &arena), same = cd_feature3_potential(&parted, &arena);
        int32_t count[2] = {0, 0};
        for (int32_t i = 0; i < gaps.count; i++)
            count[0] += gaps.gap[i].pair.kind == CD_EDGE_EDGE;
        for (int32_t i = 0; i < same.count; i++)
            count[1] += same.gap[i].pair.kind == CD_EDGE_EDGE;
        edges += count[0];
        CD_CHECK(count[0] == count[1]);
    }
    CD_CHECK(edges > 100);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(all_features_within_reach_at_some_pose_and_no_others);
    CD_RUN(values_are_those_of_the_formulas);
    CD_RUN(gaps_change_as_their_points_move);
    CD_RUN(cones_are_apart_exactly_when_an_applicable_contact_says_so);
    CD_RUN(deep_overlaps_keep_the_contact_that_undoes_them);
    CD_RUN(fast_bodies_have_the_contact_they_come_in_through);
    CD_RUN(a_cube_on_a_plate_has_four_corners_and_no_parallel_edges);
    CD_RUN(edges_between_coplanar_faces_have_no_contacts);
    return cd_test_done();
}
