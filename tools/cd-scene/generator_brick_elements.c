// brick-elements -- a wall of bricks, each cut into finite elements: compounds of convex parts that share faces.
//
// A brick is a lattice of cells; a cell is one hexahedron, or six tetrahedra around its diagonal from the corner of
// least coordinates to that of greatest, one for each order of the axes (Kuhn's subdivision, in which the diagonals of
// neighbours' sides fit). Faces that two elements share have surface -1 and make the two `adjacent`; those on the
// outside have the number of the brick's side: 0 to 5 for -x, +x, -y, +y, -z, +z. All bricks share one compound, and
// elements that differ in place alone share a shape.
// SPDX-License-Identifier: MIT
#include "scene_solids.h"

#include "cd_assert.h"

#include <math.h>
#include <stdlib.h>

enum { HEXAHEDRA, TETRAHEDRA };
enum { TETRAHEDRA_OF_CELL = 6, MOST_CORNERS = 8, MOST_FACES = 6, SIDES = 6 };
enum { MOST_SHAPES = TETRAHEDRA_OF_CELL << SIDES };
static const char *const kind_words[] = {"hexahedra", "tetrahedra", NULL};

typedef struct params {
    cd_brick_wall wall;
    int64_t elements[3];
    int32_t kind;
} params;

static const params defaults = {.wall = {.bond = 0.5}, .elements = {2, 2, 2}, .kind = HEXAHEDRA};
static const cd_yaml_key keys[] = {
    CD_BRICK_WALL_KEYS(params),
    {.name = "elements", .type = CD_YAML_INTS, .offset = offsetof(params, elements), .low = 1, .high = 1000,
     .help = "cells of a brick along each axis"},
    {.name = "kind", .type = CD_YAML_WORD, .offset = offsetof(params, kind), .words = kind_words,
     .help = "hexahedra, or six tetrahedra a cell"},
    CD_YAML_KEYS_END};

// ---- elements of a cell -------------------------------------------------------------------------------------------

// Corners are numbers 0..7 of the cell's corners: bits 0, 1, 2 say +x, +y, +z.
typedef struct cell_element {
    int corner_count, face_count;
    int corner[MOST_CORNERS];
    int32_t face_first[MOST_FACES + 1];
    int32_t face[4 * MOST_FACES];  // numbers in `corner`
} cell_element;

static cell_element hexahedron(void)
{
    cell_element e = {.corner_count = 8, .face_count = 6, .corner = {0, 1, 2, 3, 4, 5, 6, 7}};
    memcpy(e.face_first, cd_brick_face_first, sizeof cd_brick_face_first);
    memcpy(e.face, cd_brick_face_vertex, sizeof cd_brick_face_vertex);
    return e;
}

// The n-th order of the axes, a path from corner 0 to 7 along them; odd orders turn the other way round.
static cell_element tetrahedron(int n)
{
    static const int axis[TETRAHEDRA_OF_CELL][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int32_t even[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, odd[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    int first = 1 << axis[n][0], second = first | 1 << axis[n][1];
    cell_element e = {
        .corner_count = 4, .face_count = 4, .corner = {0, first, second, 7}, .face_first = {0, 3, 6, 9, 12}};
    memcpy(e.face, n < 3 ? even : odd, sizeof even);
    return e;
}

// The side of the cell that a face lies on: 0 to 5, -1 for none.
static int side_of_face(const cell_element *e, int f)
{
    int set = 7, clear = 7;
    for (int32_t k = e->face_first[f]; k < e->face_first[f + 1]; k++) {
        set &= e->corner[e->face[k]];
        clear &= ~e->corner[e->face[k]];
    }
    for (int a = 0; a < 3; a++)
        if ((set | clear) >> a & 1)
            return 2 * a + (set >> a & 1);
    return -1;
}

// ---- the brick ----------------------------------------------------------------------------------------------------

// A face by its corners on the lattice, ascending; a triangle ends in -1.
typedef struct lattice_face {
    int64_t corner[4];
    int32_t part;
} lattice_face;

static int compare_corners(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int compare_faces(const void *left, const void *right)
{
    const lattice_face *a = left, *b = right;
    for (int k = 0; k < 4; k++)
        if (a->corner[k] != b->corner[k])
            return a->corner[k] < b->corner[k] ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

typedef struct brick {
    cd_scene *scene;
    const cd_yaml_node *node;
    const params *p;
    double cell[3];                 // [m] sizes
    int32_t shape_of[MOST_SHAPES];  // row + 1 by element of the cell and sides of the brick that it lies on, 0: not
                                    // made yet
    CD_LIST(lattice_face) faces;
    int32_t part_count;
    int32_t *part_shape;
    double *part_position, *part_rotation;
} brick;

// The element's shape about the cell's corner of least coordinates; bit s of `outer` says that it lies on side s of the
// brick.
static cd_status element_shape(brick *b, const cell_element *e, int number, int outer, int32_t *row, cd_diag *diag)
{
    cd_arena *arena = b->scene->arena;
    int32_t *known = &b->shape_of[number << SIDES | outer];
    if (!*known) {
        int32_t *first = CD_ARENA_ARRAY(arena, int32_t, MOST_FACES + 1),
                *face = CD_ARENA_ARRAY(arena, int32_t, 4 * MOST_FACES);
        int32_t *surface = CD_ARENA_ARRAY(arena, int32_t, MOST_FACES);
        cd_scene_shape shape = {.kind = CD_SHAPE_POLYHEDRON,
                                .vertex_count = e->corner_count,
                                .face_count = e->face_count,
                                .surface_count = e->face_count,
                                .face_first = first,
                                .face_vertex = face,
                                .surface = surface,
                                .vertex = CD_ARENA_ARRAY(arena, double, 3 * MOST_CORNERS)};
        memcpy(first, e->face_first, sizeof e->face_first);
        memcpy(face, e->face, sizeof e->face);
        for (int f = 0; f < e->face_count; f++) {
            int side = side_of_face(e, f);
            surface[f] = side >= 0 && outer >> side & 1 ? side : -1;
        }
        for (int i = 0; i < 3 * e->corner_count; i++)
            shape.vertex[i] = e->corner[i / 3] >> i % 3 & 1 ? b->cell[i % 3] : 0;
        CD_TRY(cd_scene_add_shape(b->scene, &shape, b->node, row, diag));
        *known = *row + 1;
    }
    *row = *known - 1;
    return CD_OK;
}

static cd_status add_element(brick *b, const cell_element *e, int number, const int64_t index[3], cd_diag *diag)
{
    const int64_t *n = b->p->elements;
    int outer = 0, part = b->part_count;
    for (int f = 0; f < e->face_count; f++) {
        lattice_face face = {.corner = {-1, -1, -1, -1}, .part = part};
        int corners = 0, side = side_of_face(e, f);
        for (int32_t k = e->face_first[f]; k < e->face_first[f + 1]; k++) {
            int c = e->corner[e->face[k]];
            face.corner[corners++] =
                ((index[2] + (c >> 2)) * (n[1] + 1) + index[1] + (c >> 1 & 1)) * (n[0] + 1) + index[0] + (c & 1);
        }
        qsort(face.corner, (size_t)corners, sizeof face.corner[0], compare_corners);
        cd_list_push(b->scene->arena, &b->faces, face);
        if (side >= 0 && index[side / 2] == (side % 2 ? n[side / 2] - 1 : 0))
            outer |= 1 << side;
    }
    CD_TRY(element_shape(b, e, number, outer, &b->part_shape[part], diag));
    for (int k = 0; k < 3; k++)
        b->part_position[3 * (size_t)part + (size_t)k] = (double)index[k] * b->cell[k] - 0.5 * b->p->wall.size[k];
    b->part_rotation[4 * (size_t)part] = 1;
    b->part_count++;
    return CD_OK;
}

static int compare_pairs(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

// The pairs of elements that have a face in common, in order.
static int32_t find_adjacent(brick *b, int32_t *pair)
{
    int32_t count = 0;
    qsort(b->faces.item, (size_t)b->faces.count, sizeof *b->faces.item, compare_faces);
    for (int32_t f = 1; f < b->faces.count; f++) {
        const lattice_face *a = &b->faces.item[f - 1], *c = &b->faces.item[f];
        if (memcmp(a->corner, c->corner, sizeof a->corner))
            continue;
        pair[2 * count] = a->part;
        pair[2 * count + 1] = c->part;
        count++;
    }
    qsort(pair, (size_t)count, 2 * sizeof *pair, compare_pairs);
    return count;
}

static cd_status make_brick(brick *b, int32_t *row, cd_diag *diag)
{
    cd_arena *arena = b->scene->arena;
    const int64_t *n = b->p->elements;
    int each = b->p->kind == HEXAHEDRA ? 1 : TETRAHEDRA_OF_CELL;
    int64_t total = n[0] * n[1] * n[2] * each;  // below 1e10
    if (total > b->scene->max_rows)
        return cd_yaml_fail_status(b->node, diag, CD_ERR_LIMIT, "elements: more than %lld parts (--max-rows)",
                                   (long long)b->scene->max_rows);
    b->part_shape = CD_ARENA_ARRAY(arena, int32_t, total);
    b->part_position = CD_ARENA_ARRAY(arena, double, 3 * total);
    b->part_rotation = CD_ARENA_ZARRAY(arena, double, 4 * total);
    for (int k = 0; k < 3; k++)
        b->cell[k] = b->p->wall.size[k] / (double)n[k];
    for (int64_t c = 0; c < n[0] * n[1] * n[2]; c++) {
        int64_t index[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
        for (int t = 0; t < each; t++) {
            cell_element e = b->p->kind == HEXAHEDRA ? hexahedron() : tetrahedron(t);
            CD_TRY(add_element(b, &e, t, index, diag));
        }
    }
    CD_ASSERT(b->part_count == total);
    int32_t *adjacent = CD_ARENA_ARRAY(arena, int32_t, b->faces.count);  // two numbers for two faces
    cd_scene_shape compound = {.kind = CD_SHAPE_COMPOUND, .part_count = b->part_count, .part_shape = b->part_shape,
                               .part_position = b->part_position, .part_rotation = b->part_rotation,
                               .adjacent_count = find_adjacent(b, adjacent), .adjacent = adjacent};
    return cd_scene_add_shape(b->scene, &compound, b->node, row, diag);
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    brick *b = cd_arena_zalloc(scene->arena, sizeof *b);
    *b = (brick){.scene = scene, .node = node, .p = given};
    int32_t shape;
    CD_TRY(make_brick(b, &shape, diag));
    (void)random;  // nothing here is random
    return cd_add_brick_wall(scene, node, &b->p->wall, shape, diag);
}

const cd_generator cd_generator_brick_elements = {.name = "brick-elements",
                                                  .dim = 3,
                                                  .keys = keys,
                                                  .defaults = &defaults,
                                                  .make = make,
                                                  .summary = "a wall of bricks cut into finite elements (3-D)",
                                                  .params_size = sizeof(params)};
