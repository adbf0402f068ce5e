// Seams of compounds: which features two parts share, and that what both demand is demanded once.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "peg_seams.h"
#include "test_solids.h"

static cd_arena arena;

// A shape of two parts and one of a single part, all boxes.
typedef struct shapes {
    cd_leaves3 leaves;
    cd_peg_seams seams;
} shapes;

static shapes make_shapes(const cd_vec3 low[3], const cd_vec3 high[3], bool marks_surfaces)
{
    static const int32_t first[3] = {0, 2, 3}, surface[6] = {7, -1, 7, 7, 7, 7};
    cd_leaf3 *leaf = CD_ARENA_ZARRAY(&arena, cd_leaf3, 3);
    for (int i = 0; i < 3; i++) {
        cd_polyhedron p = test_box_between(low[i], high[i], &arena);
        leaf[i] = test_leaf(p, marks_surfaces && i == 0 ? surface : NULL, &arena);
    }
    shapes s = {.leaves = {.first = first, .stored = leaf}};
    s.seams = cd_peg_seams_make(&arena, 2, &s.leaves, 1e-6);
    return s;
}

static int shared(const cd_peg_numbers *numbers, int32_t leaf)
{
    int count = 0;
    for (int32_t i = numbers->first[leaf]; i < numbers->first[leaf + 1]; i++)
        count += numbers->same[i] != i;
    return count;
}

static int inner_edges(const cd_peg_seams *seams, int32_t leaf)
{
    int count = 0;
    for (int32_t e = seams->edge.first[leaf]; e < seams->edge.first[leaf + 1]; e++)
        count += seams->is_inner_edge[e];
    return count;
}

static int inner(const cd_peg_seams *seams, int32_t leaf)
{
    int count = 0;
    for (int32_t f = seams->face.first[leaf]; f < seams->face.first[leaf + 1]; f++)
        count += seams->is_inner_face[f];
    return count;
}

CD_TEST(two_boxes_that_share_a_face)
{
    static const cd_vec3 low[3] = {{-1, -1, -1}, {1e-9, -1, -1}, {-1, -1, -1}};  // the gap is rounding
    static const cd_vec3 high[3] = {{0, 1, 1}, {2, 1, 1}, {0, 1, 1}};
    shapes s = make_shapes(low, high, false);
    CD_CHECK(shared(&s.seams.vertex, 0) == 0 && shared(&s.seams.edge, 0) == 0 && shared(&s.seams.face, 0) == 0);
    CD_CHECK(shared(&s.seams.vertex, 1) == 4 && shared(&s.seams.edge, 1) == 4 && shared(&s.seams.face, 1) == 4);
    CD_CHECK(inner(&s.seams, 0) == 1 && inner(&s.seams, 1) == 1 && inner(&s.seams, 2) == 0);
    CD_CHECK(inner_edges(&s.seams, 0) == 4 && inner_edges(&s.seams, 1) == 4 && inner_edges(&s.seams, 2) == 0);  // flat
    CD_CHECK(s.seams.is_inner_face[s.seams.face.first[0] + 1] &&
             s.seams.is_inner_face[s.seams.face.first[1]]);  // +x, -x
    CD_CHECK(shared(&s.seams.vertex, 2) == 0);               // another shape at the same place shares nothing
    for (int v = 0; v < 8; v += 2) {  // vertices with low x of the second are those with high x of the first
        CD_CHECK(cd_peg_same(&s.seams.vertex, 1, v) == v + 1);
        CD_CHECK(cd_peg_same(&s.seams.vertex, 1, v + 1) == 8 + v + 1);
    }
    cd_arena_reset(&arena);
}

// Of four wedges around the z axis, each pair of neighbours shares a face, and the axis is inside. Two of them alone:
// the axis is a ridge where they fill less than half of the turn around it, else a hollow.
static cd_peg_seams wedges(int count, double angle)
{
    int32_t *first = CD_ARENA_ZARRAY(&arena, int32_t, 2);
    first[1] = count;
    cd_leaf3 *leaf = CD_ARENA_ZARRAY(&arena, cd_leaf3, count);
    for (int i = 0; i < count; i++) {
        cd_vec3 a = {cos(angle * i), sin(angle * i), 0.5}, b = {cos(angle * (i + 1)), sin(angle * (i + 1)), 0.5};
        cd_polyhedron p = test_tetrahedron((cd_vec3){0, 0, 0}, (cd_vec3){0, 0, 1}, a, b, &arena);
        leaf[i] = test_leaf(p, NULL, &arena);
    }
    return cd_peg_seams_make(&arena, 1, &(cd_leaves3){.first = first, .stored = leaf}, 1e-6);
}

CD_TEST(edges_inside_the_whole_body_are_none_of_it)
{
    cd_peg_seams all = wedges(4, 1.5707963267948966), ridge = wedges(2, 1.2), hollow = wedges(2, 1.8);
    for (int32_t i = 0; i < 4; i++)
        CD_CHECK(inner(&all, i) == 2 && inner_edges(&all, i) == 1);
    CD_CHECK(shared(&all.edge, 3) == 5 && shared(&all.edge, 1) == 3 && shared(&all.edge, 0) == 0);
    for (int32_t i = 0; i < 2; i++) {
        CD_CHECK(inner(&ridge, i) == 1 && inner_edges(&ridge, i) == 0);
        CD_CHECK(inner(&hollow, i) == 1 && inner_edges(&hollow, i) == 1);
    }
    cd_arena_reset(&arena);
}

CD_TEST(faces_that_only_touch_are_not_inner_but_marked_ones_are)
{
    static const cd_vec3 low[3] = {{-1, -1, -1}, {0, -1, -1}, {-1, -1, -1}},
                         high[3] = {{0, 1, 1}, {1, 1, 3}, {0, 1, 1}};
    shapes s = make_shapes(low, high, false);
    CD_CHECK(shared(&s.seams.vertex, 1) == 2 && shared(&s.seams.edge, 1) == 1 && shared(&s.seams.face, 1) == 3);
    CD_CHECK(inner(&s.seams, 0) == 0 && inner(&s.seams, 1) == 0);  // a step: a part of the face is outside
    s = make_shapes(low, high, true);
    CD_CHECK(inner(&s.seams, 0) == 1 && s.seams.is_inner_face[1]);
    cd_arena_reset(&arena);
}

// ---- many parts ----------------------------------------------------------------------------------------------------

// A wall of count x count bricks one brick thick, corners off their grid by up to `jitter`.
static shapes wall(int count, double jitter, cd_random *random)
{
    int32_t *first = CD_ARENA_ZARRAY(&arena, int32_t, 2);
    int parts = first[1] = count * count;
    cd_leaf3 *leaf = CD_ARENA_ZARRAY(&arena, cd_leaf3, parts);
    for (int i = 0; i < parts; i++) {
        cd_vec3 corner[2] = {{0, 0.25 * (i % count), 0.125 * (i / count)},
                             {0.125, 0.25 * (i % count + 1), 0.125 * (i / count + 1)}};
        for (int k = 0; k < 2; k++) {
            corner[k].x += cd_random_between(random, -jitter, jitter);
            corner[k].y += cd_random_between(random, -jitter, jitter);
            corner[k].z += cd_random_between(random, -jitter, jitter);
        }
        cd_polyhedron p = test_box_between(corner[0], corner[1], &arena);
        leaf[i] = test_leaf(p, NULL, &arena);
    }
    shapes s = {.leaves = {.first = first, .stored = leaf}};
    s.seams = cd_peg_seams_make(&arena, 1, &s.leaves, 1e-6);
    return s;
}

// The lowest number that can be reached over features of different leaves within `vector` and `offset` of one another.
static void check_joined(const cd_peg_numbers *numbers, int parts, const cd_vec3 *vector, const double *offset,
                         double vector_within, double offset_within)
{
    int32_t count = numbers->first[parts], *leaf = CD_ARENA_ARRAY(&arena, int32_t, count);
    int32_t *same = CD_ARENA_ARRAY(&arena, int32_t, count);
    for (int32_t l = 0; l < parts; l++)
        for (int32_t i = numbers->first[l]; i < numbers->first[l + 1]; i++)
            leaf[i] = l;
    for (int32_t i = 0; i < count; i++)
        same[i] = i;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int32_t i = 0; i < count; i++)
            for (int32_t j = 0; j < count; j++) {
                if (leaf[i] == leaf[j] || same[j] >= same[i] || fabs(vector[i].x - vector[j].x) > vector_within ||
                    fabs(vector[i].y - vector[j].y) > vector_within ||
                    fabs(vector[i].z - vector[j].z) > vector_within || fabs(offset[i] - offset[j]) > offset_within)
                    continue;
                same[i] = same[j];
                has_changed = true;
            }
    }
    for (int32_t i = 0; i < count; i++)
        CD_CHECK(numbers->same[i] == same[i]);
}

CD_TEST(features_of_many_parts_are_joined_as_by_all_pairs)
{
    static const double jitter[] = {0, 1e-9, 4e-7, 8e-7, 3e-6};  // of points closer than 1e-6: exact, rounding, chains
    cd_random random = {5};
    int32_t joined[5] = {0};
    for (int k = 0; k < 5; k++) {
        shapes s = wall(7, jitter[k], &random);
        int32_t vertices = s.seams.vertex.first[49], faces = s.seams.face.first[49];
        cd_vec3 *vertex = CD_ARENA_ARRAY(&arena, cd_vec3, vertices), *normal = CD_ARENA_ARRAY(&arena, cd_vec3, faces);
        double *zero = CD_ARENA_ZARRAY(&arena, double, vertices), *offset = CD_ARENA_ARRAY(&arena, double, faces);
        for (int l = 0; l < 49; l++) {
            const cd_convex3 *c = &s.leaves.stored[l].prepared->convex;
            for (int32_t v = 0; v < c->vertex_count; v++)
                vertex[s.seams.vertex.first[l] + v] = cd_convex3_vertex(c, v);
            for (int32_t f = 0; f < c->face_count; f++) {
                normal[s.seams.face.first[l] + f] = c->plane[f].normal;
                offset[s.seams.face.first[l] + f] = c->plane[f].offset;
            }
        }
        check_joined(&s.seams.vertex, 49, vertex, zero, 1e-6, 0);
        check_joined(&s.seams.face, 49, normal, offset, 1e-9, 1e-6);
        for (int32_t v = 0; v < vertices; v++)
            joined[k] += s.seams.vertex.same[v] != v;
        cd_arena_reset(&arena);
    }
    CD_CHECK(joined[0] == 49 * 8 - 2 * 64 && joined[1] == joined[0] && joined[3] < joined[1] && joined[4] < joined[3]);
}

static cd_peg_contact contact_of(int part, int vertex, int face, const int32_t twin[2], double applicability)
{
    return (cd_peg_contact){.body = {0, 1},
                            .part = {part, 0},
                            .side = CD_PEG_VERTEX_OF_A,
                            .vertex = vertex,
                            .face = face,
                            .gap = 0.001 * face,
                            .applicability = applicability,
                            .feasible = NAN,
                            .has_twins = true,
                            .twin = {twin[0], twin[1]}};
}

CD_TEST(what_both_parts_demand_is_demanded_once)
{
    // Vertex 4 of the whole body is vertex 1 of part 0 and vertex 0 of part 1; both see faces 2 and 3 of b. A vertex of
    // its own of part 1 too.
    cd_peg_contact contact[5] = {
        contact_of(0, 1, 2, (int32_t[]){4, 102}, 0.5), contact_of(1, 0, 2, (int32_t[]){4, 102}, 0.2),
        contact_of(0, 1, 3, (int32_t[]){4, 103}, 0.4), contact_of(1, 0, 3, (int32_t[]){4, 103}, 0.6),
        contact_of(1, 7, 2, (int32_t[]){9, 102}, 0.5)};
    cd_peg_gradient gradient[5] = {0};
    for (int i = 0; i < 5; i++)
        gradient[i].column[1][2] = 1;
    cd_peg_find_twins(contact, gradient, 5, &arena);
    CD_CHECK(contact[0].before == 0 && contact[1].before == 1 && contact[2].before == 0 && contact[3].before == 3 &&
             contact[4].before == 0);
    CD_CHECK(contact[0].applicability == 0.2 && contact[1].applicability == 0.2 && contact[3].applicability == 0.4);
    const cd_peg_model *model = cd_peg_find_model("lnc");
    cd_peg_rules rules = {.limits = cd_peg_usual_limits(model, 3)};
    cd_peg_constraints c = cd_peg_group_of(model, 3)(model, contact, 5, &rules, &arena);
    CD_CHECK(c.count == 2 && c.of_kind[CD_PEG_I] == 1 && c.of_kind[CD_PEG_U] == 1);
    CD_CHECK(c.member[c.constraint[0].first] == 4 && c.member[c.constraint[1].first] == 0);
    model = cd_peg_find_model("standard");
    c = cd_peg_group_of(model, 3)(model, contact, 5, &rules, &arena);
    CD_CHECK(c.count == 3 && c.of_kind[CD_PEG_U] == 3);
    // A part that sees less has a demand of its own.
    c = cd_peg_group_of(model, 3)(cd_peg_find_model("lnc"), contact, 3, &rules, &arena);
    CD_CHECK(c.count == 2);
    // Normals against each other: neither is a contact.
    gradient[1].column[1][2] = -1;
    cd_peg_find_twins(contact, gradient, 5, &arena);
    CD_CHECK(contact[0].applicability == -1 && contact[1].applicability == -1 && contact[3].applicability == 0.4);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(two_boxes_that_share_a_face);
    CD_RUN(edges_inside_the_whole_body_are_none_of_it);
    CD_RUN(faces_that_only_touch_are_not_inner_but_marked_ones_are);
    CD_RUN(features_of_many_parts_are_joined_as_by_all_pairs);
    CD_RUN(what_both_parts_demand_is_demanded_once);
    cd_arena_release(&arena);
    return cd_test_done();
}
