// Solids of all shapes made by one thread and by several: the same numbers, and of faulty shapes the first is told.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_leaves.h"
#include "cd_test.h"
#include "cd_threads.h"

// Shape s is a tetrahedron, every fifth a box, every seventh a compound of the two tetrahedra before it.
enum { SHAPES = 420 };

typedef struct many_shapes {
    cd_model in;
    int64_t id[SHAPES];
    int32_t kind[SHAPES], vertex_offset[SHAPES + 1], face_offset[SHAPES + 1], part_offset[SHAPES + 1];
    int32_t face_inner[4 * SHAPES + 1], face[12 * SHAPES], part_shape[2 * SHAPES];
    double vertex[12 * SHAPES], half[3 * SHAPES], part_position[6 * SHAPES], part_rotation[8 * SHAPES];
} many_shapes;

static int32_t kind_of(int32_t shape)
{
    return shape % 7 == 6 ? CD_SHAPE_COMPOUND : shape % 5 == 3 ? CD_SHAPE_BOX : CD_SHAPE_POLYHEDRON;
}

static void fill(many_shapes *m)
{
    static const int32_t face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    cd_random random = {9};
    int32_t solids = 0, parts = 0;
    for (int32_t s = 0; s < SHAPES; s++) {
        m->id[s] = 1000 + s;
        m->kind[s] = kind_of(s);
        m->vertex_offset[s] = m->face_offset[s] = 4 * solids;
        m->part_offset[s] = parts;
        for (int k = 0; k < 3; k++)
            m->half[3 * s + k] = cd_random_between(&random, 0.1, 2);
        if (m->kind[s] == CD_SHAPE_POLYHEDRON) {
            for (int k = 0; k < 12; k++) {
                m->vertex[12 * solids + k] = corner[k] + cd_random_between(&random, -0.1, 0.1);
                m->face[12 * solids + k] = face[k];
            }
            solids++;
        }
        for (int32_t k = 0; k < 2 && m->kind[s] == CD_SHAPE_COMPOUND; k++, parts++) {
            m->part_shape[parts] = s - 1 - k;
            m->part_position[3 * parts] = 2 * k;
            m->part_rotation[4 * parts] = m->part_rotation[4 * parts + k + 1] = 0.5;
        }
    }
    m->vertex_offset[SHAPES] = m->face_offset[SHAPES] = 4 * solids;
    m->part_offset[SHAPES] = parts;
    for (int32_t f = 0; f <= 4 * solids; f++)
        m->face_inner[f] = 3 * f;
    m->in.dim = 3;
    m->in.shape = (cd_shape_rows){.count = SHAPES, .id = m->id, .kind = m->kind, .halfsizes = m->half};
    m->in.shape.vertices = (cd_list){m->vertex_offset, {m->vertex}};
    m->in.shape.faces = (cd_list2){m->face_offset, m->face_inner, m->face};
    m->in.shape.parts_shape = (cd_list){m->part_offset, {m->part_shape}};
    m->in.shape.parts_position = (cd_list){m->part_offset, {m->part_position}};
    m->in.shape.parts_rotation = (cd_list){m->part_offset, {m->part_rotation}};
}

static many_shapes model;

static bool is_same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static void check_solid(const cd_convex3 *a, const cd_convex3 *b, const cd_edges3 *of_a, const cd_edges3 *of_b)
{
    size_t column = (size_t)cd_convex3_padded(a->vertex_count) * sizeof(double), faces = (size_t)a->face_count;
    CD_CHECK(a->vertex_count == b->vertex_count && is_same(a->x, b->x, column) && is_same(a->y, b->y, column) &&
             is_same(a->z, b->z, column));
    CD_CHECK(a->face_count == b->face_count && is_same(a->plane, b->plane, faces * sizeof *a->plane) &&
             is_same(a->corner, b->corner, faces * sizeof *a->corner));
    CD_CHECK(of_a->count == of_b->count && is_same(of_a->edge, of_b->edge, (size_t)of_a->count * sizeof *of_a->edge));
    CD_CHECK(is_same(a->short_edge, b->short_edge, (size_t)a->edge_count * sizeof *a->short_edge));
    CD_CHECK(a->radius == b->radius && is_same(&a->centre, &b->centre, sizeof a->centre));
}

CD_TEST(threads_change_nothing)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    cd_leaves one, more;
    fill(&model);
    CD_CHECK(cd_leaves_make_prepared(&arena, &model.in, NULL, 1, &one, &diag) == CD_OK);
    int32_t count = one.first[SHAPES], solids = 0;
    for (int threads = 2; threads <= 9; threads++) {
        cd_arena other = {0};
        (void)cd_threads_take_most();
        CD_CHECK(cd_leaves_make_prepared(&other, &model.in, NULL, threads, &more, &diag) == CD_OK);
        CD_CHECK(cd_threads_take_most() == threads);
        for (int32_t i = 0; i < count; i++) {
            CD_CHECK(one.space.stored[i].extent == more.space.stored[i].extent);
            check_solid(&one.space.stored[i].prepared->convex, &more.space.stored[i].prepared->convex,
                        &one.space.stored[i].prepared->edges, &more.space.stored[i].prepared->edges);
            solids++;
        }
        cd_arena_release(&other);
    }
    CD_CHECK(count == SHAPES + SHAPES / 7 && solids == 8 * count);
    cd_arena_release(&arena);
}

static const char *fault(int threads)
{
    static cd_diag diag;
    cd_arena arena = {0};
    cd_leaves shapes;
    diag.text[0] = '\0';
    CD_CHECK(cd_leaves_make_prepared(&arena, &model.in, NULL, threads, &shapes, &diag) == CD_ERR_FORMAT);
    cd_arena_release(&arena);
    return diag.text;
}

static void turn(int32_t shape)
{
    int32_t *face = &model.face[3 * model.face_offset[shape]];
    int32_t first = face[0];
    face[0] = face[1];
    face[1] = first;
}

CD_TEST(the_first_fault_is_told)
{
    fill(&model);
    for (int32_t s = SHAPES - 1; s >= 0; s -= 30) {
        int32_t bad = s;
        while (kind_of(bad) != CD_SHAPE_POLYHEDRON)
            bad--;
        turn(bad);  // and those of higher numbers before it
        char text[200];
        snprintf(text, sizeof text,
                 "shape %d: faces: faces 0 and 1 go the same way along edge 0-1: one of them is listed clockwise",
                 1000 + (int)bad);
        for (int threads = 1; threads <= 8; threads++)
            CD_CHECK_TEXT(fault(threads), text);
    }
    model.vertex[12] = NAN;  // what a leaf alone shows comes before what is told of solids
    for (int threads = 1; threads <= 8; threads++)
        CD_CHECK_TEXT(fault(threads), "shape 1001: vertices: vertex 0 is not finite");
}

int main(void)
{
    CD_RUN(threads_change_nothing);
    CD_RUN(the_first_fault_is_told);
    return cd_test_done();
}
