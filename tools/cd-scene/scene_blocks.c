// SPDX-License-Identifier: MIT
#include "scene_blocks.h"

#include "cd_assert.h"

#include <stdlib.h>

enum { TETRAHEDRA_OF_CELL = 6, MOST_CORNERS = 8, MOST_FACES = 6, SIDES = 6 };
enum { MOST_SHAPES = TETRAHEDRA_OF_CELL << SIDES };
const char *const cd_cell_words[] = {"hexahedra", "tetrahedra", NULL};

// ---- parts of a cell -----------------------------------------------------------------------------------------------

// Corners are numbers 0..7 of the cell's corners: bits 0, 1, 2 say +x, +y, +z.
typedef struct cell_part {
    int corner_count, face_count;
    int corner[MOST_CORNERS];
    int32_t face_first[MOST_FACES + 1];
    int32_t face[4 * MOST_FACES];  // numbers in `corner`
} cell_part;

static cell_part hexahedron(void)
{
    cell_part form = {.corner_count = 8, .face_count = 6, .corner = {0, 1, 2, 3, 4, 5, 6, 7}};
    memcpy(form.face_first, cd_brick_face_first, sizeof cd_brick_face_first);
    memcpy(form.face, cd_brick_face_vertex, sizeof cd_brick_face_vertex);
    return form;
}

// The n-th order of the axes, a path from corner 0 to 7 along them; odd orders turn the other way round.
static cell_part tetrahedron(int n)
{
    static const int axis[TETRAHEDRA_OF_CELL][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int32_t even[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, odd[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    int first = 1 << axis[n][0], second = first | 1 << axis[n][1];
    cell_part form = {
        .corner_count = 4, .face_count = 4, .corner = {0, first, second, 7}, .face_first = {0, 3, 6, 9, 12}};
    memcpy(form.face, n < 3 ? even : odd, sizeof even);
    return form;
}

// The border of the cell that a face lies on: 0 to 5, -1 for none.
static int border_of_face(const cell_part *form, int f)
{
    int set = 7, clear = 7;
    for (int32_t k = form->face_first[f]; k < form->face_first[f + 1]; k++) {
        set &= form->corner[form->face[k]];
        clear &= ~form->corner[form->face[k]];
    }
    for (int a = 0; a < 3; a++)
        if ((set | clear) >> a & 1)
            return 2 * a + (set >> a & 1);
    return -1;
}

// ---- the block -----------------------------------------------------------------------------------------------------

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

typedef struct lattice {
    cd_scene *scene;
    const cd_yaml_node *node;
    const cd_cut_block *block;
    int32_t shape_of[MOST_SHAPES];  // of a block of equal cells: row + 1 by part of the cell and borders of the block
                                    // that it lies on, 0: not made yet
    CD_LIST(lattice_face) faces;
    int32_t part_count;
    int32_t *part_shape;
    double *part_position, *part_rotation;
} lattice;

// Where corner c of the cell is: about the cell's corner of least coordinates when all cells are equal, else about the
// block's own origin.
static cd_vec3 corner_place(const cd_cut_block *block, const int64_t index[3], int c)
{
    double at[3];
    for (int k = 0; k < 3; k++)
        at[k] = block->place ? (double)(index[k] + (c >> k & 1)) / (double)block->cells[k]
                             : (c >> k & 1) * (block->size[k] / (double)block->cells[k]);
    cd_vec3 p = {at[0], at[1], at[2]};
    return block->place ? block->place(block->context, p) : p;
}

// The part's shape; bit s of `outer` says that it lies on border s of the block.
static cd_status shape_of_part(lattice *b, const cell_part *form, int number, int outer, const int64_t index[3],
                               int32_t *row, cd_diag *diag)
{
    cd_arena *arena = b->scene->arena;
    int32_t *known = &b->shape_of[number << SIDES | outer];
    if (!*known || b->block->place) {
        int32_t *first = CD_ARENA_ARRAY(arena, int32_t, MOST_FACES + 1),
                *face = CD_ARENA_ARRAY(arena, int32_t, 4 * MOST_FACES);
        int32_t *surface = CD_ARENA_ARRAY(arena, int32_t, MOST_FACES);
        cd_scene_shape shape = {.kind = CD_SHAPE_POLYHEDRON,
                                .vertex_count = form->corner_count,
                                .face_count = form->face_count,
                                .surface_count = form->face_count,
                                .face_first = first,
                                .face_vertex = face,
                                .surface = surface,
                                .vertex = CD_ARENA_ARRAY(arena, double, 3 * MOST_CORNERS)};
        memcpy(first, form->face_first, sizeof form->face_first);
        memcpy(face, form->face, sizeof form->face);
        for (int f = 0; f < form->face_count; f++) {
            int border = border_of_face(form, f);
            surface[f] = border >= 0 && outer >> border & 1 ? border : -1;
        }
        for (int i = 0; i < form->corner_count; i++) {
            cd_vec3 p = corner_place(b->block, index, form->corner[i]);
            memcpy(shape.vertex + 3 * i, (double[3]){p.x, p.y, p.z}, 3 * sizeof(double));
        }
        CD_TRY(cd_scene_add_shape(b->scene, &shape, b->node, row, diag));
        *known = *row + 1;
    }
    *row = *known - 1;
    return CD_OK;
}

static cd_status add_part(lattice *b, const cell_part *form, int number, const int64_t index[3], cd_diag *diag)
{
    const int64_t *n = b->block->cells;
    int outer = 0, part = b->part_count;
    for (int f = 0; f < form->face_count; f++) {
        lattice_face face = {.corner = {-1, -1, -1, -1}, .part = part};
        int corners = 0, border = border_of_face(form, f);
        for (int32_t k = form->face_first[f]; k < form->face_first[f + 1]; k++) {
            int c = form->corner[form->face[k]];
            face.corner[corners++] =
                ((index[2] + (c >> 2)) * (n[1] + 1) + index[1] + (c >> 1 & 1)) * (n[0] + 1) + index[0] + (c & 1);
        }
        qsort(face.corner, (size_t)corners, sizeof face.corner[0], compare_corners);
        cd_list_push(b->scene->arena, &b->faces, face);
        if (border >= 0 && index[border / 2] == (border % 2 ? n[border / 2] - 1 : 0))
            outer |= 1 << border;
    }
    CD_TRY(shape_of_part(b, form, number, outer, index, &b->part_shape[part], diag));
    for (int k = 0; k < 3 && !b->block->place; k++)
        b->part_position[3 * (size_t)part + (size_t)k] =
            (double)index[k] * (b->block->size[k] / (double)n[k]) - 0.5 * b->block->size[k];
    b->part_rotation[4 * (size_t)part] = 1;
    b->part_count++;
    return CD_OK;
}

static int compare_pairs(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

// The pairs of parts that have a face in common, in order.
static int32_t find_adjacent(lattice *b, int32_t *pair)
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

cd_status cd_add_cut_block(cd_scene *scene, const cd_yaml_node *node, const cd_cut_block *block, int32_t *row,
                           cd_diag *diag)
{
    cd_arena *arena = scene->arena;
    const int64_t *n = block->cells;
    int each = block->kind == CD_HEXAHEDRA ? 1 : TETRAHEDRA_OF_CELL;
    int64_t total = n[0] * n[1] * n[2] * each;  // below 1e10
    if (total > scene->max_rows)
        return cd_yaml_fail_status(node, diag, CD_ERR_LIMIT, "elements: more than %lld parts (--max-rows)",
                                   (long long)scene->max_rows);
    lattice *b = cd_arena_zalloc(arena, sizeof *b);
    *b = (lattice){.scene = scene, .node = node, .block = block};
    b->part_shape = CD_ARENA_ARRAY(arena, int32_t, total);
    b->part_position = CD_ARENA_ZARRAY(arena, double, 3 * total);
    b->part_rotation = CD_ARENA_ZARRAY(arena, double, 4 * total);
    for (int64_t c = 0; c < n[0] * n[1] * n[2]; c++) {
        int64_t index[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
        for (int t = 0; t < each; t++) {
            cell_part form = block->kind == CD_HEXAHEDRA ? hexahedron() : tetrahedron(t);
            CD_TRY(add_part(b, &form, t, index, diag));
        }
    }
    CD_ASSERT(b->part_count == total);
    int32_t *adjacent = CD_ARENA_ARRAY(arena, int32_t, b->faces.count);  // two numbers for two faces
    cd_scene_shape compound = {.kind = CD_SHAPE_COMPOUND,
                               .part_count = b->part_count,
                               .part_shape = b->part_shape,
                               .part_position = b->part_position,
                               .part_rotation = b->part_rotation,
                               .adjacent_count = find_adjacent(b, adjacent),
                               .adjacent = adjacent};
    return cd_scene_add_shape(scene, &compound, node, row, diag);
}
