// SPDX-License-Identifier: MIT
#include "peg_seams.h"

#include <stdlib.h>

// [1] Normals of one plane, from different parts: well above the rounding of placing them, well below any angle meant.
static const double same_normal = 1e-9;

static const double usual_epsilon = 1e-6;  // [1] of the extent of a shape, where no epsilon is stated

typedef struct seam_build {
    cd_arena *arena;
    const cd_leaves3 *leaves;
    double epsilon;
    int32_t begin, end;  // leaves of the shape
    int32_t *vertex, *edge, *face;
    const int32_t *first_vertex, *first_edge, *first_face;
    bool *is_inner_face, *is_inner_edge;
} seam_build;

static bool is_solid(const cd_leaves3 *leaves, int32_t leaf)
{
    return cd_leaves3_kind(leaves, leaf) == CD_SHAPE_POLYHEDRON;
}
static const cd_prepared3 *prepared_of(const cd_leaves3 *leaves, int32_t solid)
{
    return cd_leaves3_stored(leaves, solid)->prepared;
}

// ---- features at the same place ------------------------------------------------------------------------------------

// A vertex (offset 0) or a plane.
typedef struct located {
    double key;
    int32_t number, leaf;
    cd_vec3 vector;
    double offset;
} located;

typedef struct tolerances {
    double vector, offset;  // along each axis
} tolerances;

enum { KEYS = 4, DEPTH_MAX = 64 };

static double key_of(const located *item, int key)
{
    const cd_vec3 *v = &item->vector;
    return key == 0 ? item->offset : key == 1 ? v->x : key == 2 ? v->y : v->z;
}

static int compare_located(const void *left, const void *right)
{
    const located *a = left, *b = right;
    int order = (a->key > b->key) - (a->key < b->key);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool is_near(const located *a, const located *b, const tolerances *within)
{
    return fabs(a->vector.x - b->vector.x) <= within->vector && fabs(a->vector.y - b->vector.y) <= within->vector &&
           fabs(a->vector.z - b->vector.z) <= within->vector && fabs(a->offset - b->offset) <= within->offset;
}

// The lowest number of those joined to it; halves the way there.
static int32_t lowest(int32_t *same, int32_t number)
{
    while (same[number] != number)
        number = same[number] = same[same[number]];
    return number;
}

static void join_two(int32_t *same, int32_t one, int32_t other)
{
    int32_t a = lowest(same, one), b = lowest(same, other);
    same[a > b ? a : b] = a > b ? b : a;
}

// All within the tolerances of one another, so all are one as soon as two are of different leaves.
static bool join_at_once(const located *item, int32_t count, const tolerances *within, int32_t *same)
{
    bool has_two_leaves = false;
    for (int key = 0; key < KEYS; key++) {
        double least = key_of(item, key), most = least;
        for (int32_t i = 1; i < count; i++) {
            least = fmin(least, key_of(&item[i], key));
            most = fmax(most, key_of(&item[i], key));
        }
        if (!(most - least <= (key ? within->vector : within->offset)))
            return false;
    }
    for (int32_t i = 1; i < count; i++)
        has_two_leaves = has_two_leaves || item[i].leaf != item[0].leaf;
    for (int32_t i = 1; i < count && has_two_leaves; i++)
        join_two(same, item[0].number, item[i].number);
    return true;
}

// Joins those of different leaves that are near one another, in order of `key`.
static void join_by_pairs(const located *item, int32_t count, int key, const tolerances *within, int32_t *same)
{
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = i + 1; j < count && item[j].key - item[i].key <= (key ? within->vector : within->offset); j++)
            if (item[i].leaf != item[j].leaf && is_near(&item[i], &item[j], within))
                join_two(same, item[i].number, item[j].number);
}

// Cuts the items wherever a key leaves a gap wider than its tolerance, key after key: what is left together when no key
// cuts any more lies at one place, but for chains of items each near the next. (A sweep along one key compares all
// faces of a wall of bricks with one another, most of which have the same normal; so does any one key.)
static void join_near(located *item, int32_t count, int key, int uncut, int depth, const tolerances *within,
                      int32_t *same)
{
    if (count < 2 || ((uncut == 0 || uncut == KEYS) && join_at_once(item, count, within, same)))
        return;
    for (int32_t i = 0; i < count; i++)
        item[i].key = key_of(&item[i], key);
    qsort(item, (size_t)count, sizeof *item, compare_located);
    if (uncut == KEYS || depth == DEPTH_MAX) {
        join_by_pairs(item, count, key, within, same);
        return;
    }
    double within_key = key ? within->vector : within->offset;
    for (int32_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && item[end].key - item[end - 1].key <= within_key)
            end++;
        join_near(item + first, end - first, (key + 1) % KEYS, end - first == count ? uncut + 1 : 0, depth + 1, within,
                  same);
    }
}

static void join(located *item, int32_t count, tolerances within, int32_t *same)
{
    join_near(item, count, 0, 0, 0, &within, same);
    for (int32_t i = 0; i < count; i++)
        same[item[i].number] = lowest(same, item[i].number);
}

static void join_vertices(const seam_build *build)
{
    int32_t n = 0, most = build->first_vertex[build->end] - build->first_vertex[build->begin];
    located *item = CD_ARENA_ARRAY(build->arena, located, most);
    for (int32_t leaf = build->begin; leaf < build->end; leaf++)
        for (int32_t v = 0; is_solid(build->leaves, leaf) && v < prepared_of(build->leaves, leaf)->convex.vertex_count;
             v++) {
            cd_vec3 p = cd_convex3_vertex(&prepared_of(build->leaves, leaf)->convex, v);
            item[n++] = (located){0, build->first_vertex[leaf] + v, leaf, p, 0};
        }
    join(item, n, (tolerances){build->epsilon, 0}, build->vertex);
}

static void join_planes(const seam_build *build)
{
    int32_t n = 0, most = build->first_face[build->end] - build->first_face[build->begin];
    located *item = CD_ARENA_ARRAY(build->arena, located, most);
    for (int32_t leaf = build->begin; leaf < build->end; leaf++)
        for (int32_t f = 0; is_solid(build->leaves, leaf) && f < prepared_of(build->leaves, leaf)->convex.face_count;
             f++) {
            cd_plane plane = prepared_of(build->leaves, leaf)->convex.plane[f];
            item[n++] = (located){0, build->first_face[leaf] + f, leaf, plane.normal, plane.offset};
        }
    join(item, n, (tolerances){same_normal, build->epsilon}, build->face);
}

// ---- features that are lists of vertices ---------------------------------------------------------------------------

typedef struct corner_list {
    const int32_t *corner;  // same vertices, ascending
    int32_t count, number;
} corner_list;

static int compare_ints(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static int compare_corners(const corner_list *a, const corner_list *b)
{
    int order = (a->count > b->count) - (a->count < b->count);
    for (int32_t i = 0; i < a->count && !order; i++)
        order = (a->corner[i] > b->corner[i]) - (a->corner[i] < b->corner[i]);
    return order;
}

static int compare_lists(const void *left, const void *right)
{
    const corner_list *a = left, *b = right;
    int order = compare_corners(a, b);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static corner_list list_of(const seam_build *build, int32_t leaf, const int32_t *vertex, int32_t count, int32_t number)
{
    int32_t *corner = CD_ARENA_ARRAY(build->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        corner[i] = build->vertex[build->first_vertex[leaf] + vertex[i]];
    qsort(corner, (size_t)count, sizeof *corner, compare_ints);
    return (corner_list){corner, count, number};
}

static void join_edges(const seam_build *build)
{
    int32_t n = 0, most = build->first_edge[build->end] - build->first_edge[build->begin];
    corner_list *list = CD_ARENA_ARRAY(build->arena, corner_list, most);
    for (int32_t leaf = build->begin; leaf < build->end; leaf++)
        for (int32_t e = 0; is_solid(build->leaves, leaf) && e < prepared_of(build->leaves, leaf)->edges.count; e++)
            list[n++] = list_of(build, leaf, prepared_of(build->leaves, leaf)->edges.edge[e].vertex, 2,
                                build->first_edge[leaf] + e);
    qsort(list, (size_t)n, sizeof *list, compare_lists);
    for (int32_t i = 1; i < n; i++)
        if (!compare_corners(&list[i - 1], &list[i]))
            build->edge[list[i].number] = build->edge[list[i - 1].number];
}

// Two faces with the same corners have a part on each side.
static void find_inner_faces(const seam_build *build)
{
    int32_t n = 0, most = build->first_face[build->end] - build->first_face[build->begin];
    corner_list *list = CD_ARENA_ARRAY(build->arena, corner_list, most);
    for (int32_t leaf = build->begin; leaf < build->end; leaf++) {
        if (!is_solid(build->leaves, leaf))
            continue;
        const cd_convex3 *convex = &prepared_of(build->leaves, leaf)->convex;
        for (int32_t f = 0; f < convex->face_count; f++)
            list[n++] = list_of(build, leaf, convex->face_vertex + convex->face_first[f],
                                convex->face_first[f + 1] - convex->face_first[f], build->first_face[leaf] + f);
    }
    qsort(list, (size_t)n, sizeof *list, compare_lists);
    for (int32_t i = 1; i < n; i++)
        if (!compare_corners(&list[i - 1], &list[i]))
            build->is_inner_face[list[i - 1].number] = build->is_inner_face[list[i].number] = true;
}

// What the parts at an edge leave of its faces: normals and directions from the edge into them.
typedef struct ridge {
    int faces;  // outer ones; the first two are kept
    cd_vec3 normal[2], into[2];
} ridge;

static void add_outer_faces(const seam_build *build, int32_t leaf, int32_t edge, ridge *out)
{
    const cd_convex3 *convex = &prepared_of(build->leaves, leaf)->convex;
    const cd_edge3 *e = &prepared_of(build->leaves, leaf)->edges.edge[edge];
    cd_vec3 along = cd_sub3(cd_convex3_vertex(convex, e->vertex[1]), cd_convex3_vertex(convex, e->vertex[0]));
    for (int k = 0; k < 2; k++) {
        if (e->face[k] < 0 || build->is_inner_face[build->first_face[leaf] + e->face[k]])
            continue;
        if (out->faces < 2) {
            cd_vec3 n = convex->plane[e->face[k]].normal;
            out->normal[out->faces] = n;
            out->into[out->faces] = cd_unit3(k ? cd_cross3(along, n) : cd_cross3(n, along));  // (26)
        }
        out->faces++;
    }
}

// Edges without outer faces, and those of two parts whose outer faces meet flat or in a hollow.
static void find_inner_edges(const seam_build *build)
{
    int32_t base = build->first_edge[build->begin], count = build->first_edge[build->end] - base;
    ridge *all = CD_ARENA_ZARRAY(build->arena, ridge, count);
    for (int32_t leaf = build->begin; leaf < build->end; leaf++)
        for (int32_t e = 0; is_solid(build->leaves, leaf) && e < prepared_of(build->leaves, leaf)->edges.count; e++)
            add_outer_faces(build, leaf, e, &all[build->edge[build->first_edge[leaf] + e] - base]);
    for (int32_t i = 0; i < count; i++) {
        const ridge *r = &all[build->edge[base + i] - base];
        build->is_inner_edge[base + i] =
            r->faces == 0 || (r->faces == 2 && cd_dot3(r->normal[0], r->into[1]) >= -same_normal);
    }
}

// ---- all shapes ----------------------------------------------------------------------------------------------------

typedef int32_t count_of(const cd_prepared3 *prepared);
static int32_t vertices_of(const cd_prepared3 *prepared) { return prepared->convex.vertex_count; }
static int32_t edges_of(const cd_prepared3 *prepared) { return prepared->edges.count; }
static int32_t faces_of(const cd_prepared3 *prepared) { return prepared->convex.face_count; }

// Numbers of all leaves, each feature the same as itself.
static cd_peg_numbers numbers_make(cd_arena *arena, const cd_leaves3 *leaves, int32_t count, count_of *of,
                                   int32_t **same)
{
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, count + 1);
    first[0] = 0;
    for (int32_t leaf = 0; leaf < count; leaf++)
        first[leaf + 1] = first[leaf] + (is_solid(leaves, leaf) ? of(prepared_of(leaves, leaf)) : 0);
    *same = CD_ARENA_ARRAY(arena, int32_t, first[count]);
    for (int32_t i = 0; i < first[count]; i++)
        (*same)[i] = i;
    return (cd_peg_numbers){first, *same};
}

static double epsilon_of(const seam_build *build)
{
    double extent = 0;
    for (int32_t leaf = build->begin; leaf < build->end; leaf++)
        if (is_solid(build->leaves, leaf))
            extent = fmax(extent, cd_leaves3_stored(build->leaves, leaf)->extent);
    return usual_epsilon * extent;
}

cd_peg_seams cd_peg_seams_make(cd_arena *arena, int32_t shapes, const cd_leaves3 *leaves, double epsilon)
{
    int32_t count = leaves->first[shapes];
    seam_build build = {.arena = arena, .leaves = leaves};
    cd_peg_seams seams = {.vertex = numbers_make(arena, leaves, count, vertices_of, &build.vertex),
                          .edge = numbers_make(arena, leaves, count, edges_of, &build.edge),
                          .face = numbers_make(arena, leaves, count, faces_of, &build.face)};
    build.first_vertex = seams.vertex.first;
    build.first_edge = seams.edge.first;
    build.first_face = seams.face.first;
    build.is_inner_face = CD_ARENA_ZARRAY(arena, bool, seams.face.first[count]);
    build.is_inner_edge = CD_ARENA_ZARRAY(arena, bool, seams.edge.first[count]);
    for (int32_t leaf = 0; leaf < count; leaf++) {
        const int32_t *surface = is_solid(leaves, leaf) ? prepared_of(leaves, leaf)->convex.surface : NULL;
        for (int32_t f = 0; surface && f < prepared_of(leaves, leaf)->convex.face_count; f++)
            build.is_inner_face[seams.face.first[leaf] + f] = surface[f] < 0;
    }
    for (int32_t shape = 0; shape < shapes; shape++) {
        build.begin = leaves->first[shape];
        build.end = leaves->first[shape + 1];
        build.epsilon = isnan(epsilon) ? epsilon_of(&build) : epsilon;
        if (build.end - build.begin > 1) {
            join_vertices(&build);
            join_planes(&build);
            join_edges(&build);
            find_inner_faces(&build);
        }
        find_inner_edges(&build);
    }
    seams.is_inner_face = build.is_inner_face;
    seams.is_inner_edge = build.is_inner_edge;
    return seams;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

typedef struct twin {
    const cd_peg_contact *contact;
    int32_t index;
} twin;

static int compare_same(const cd_peg_contact *a, const cd_peg_contact *b)
{
    const int32_t key[2][5] = {{a->body[0], a->body[1], (int32_t)a->side, a->twin[0], a->twin[1]},
                               {b->body[0], b->body[1], (int32_t)b->side, b->twin[0], b->twin[1]}};
    int order = 0;
    for (int k = 0; k < 5 && !order; k++)
        order = (key[0][k] > key[1][k]) - (key[0][k] < key[1][k]);
    return order;
}

static int compare_twins(const void *left, const void *right)
{
    const twin *a = left, *b = right;
    int order = compare_same(a->contact, b->contact);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool agree(const cd_peg_gradient *a, const cd_peg_gradient *b)  // the first three of b's column: the normal
{
    return cd_dot3(cd_vec3_at(a->column[1]), cd_vec3_at(b->column[1])) > 0;
}

void cd_peg_find_twins(cd_peg_contact *contact, const cd_peg_gradient *gradient, int32_t count, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    twin *list = CD_ARENA_ARRAY(scratch, twin, count);
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++)
        if (contact[i].side != CD_PEG_NO_VERTEX && contact[i].has_twins)
            list[n++] = (twin){&contact[i], i};
    qsort(list, (size_t)n, sizeof *list, compare_twins);
    for (int32_t i = 0, end; i < n; i = end) {
        double least = list[i].contact->applicability;
        for (end = i + 1; end < n && !compare_same(list[i].contact, list[end].contact); end++) {
            least = fmin(least, list[end].contact->applicability);
            if (!agree(&gradient[list[i].index], &gradient[list[end].index]))
                least = -1;
        }
        for (int32_t k = i; k < end; k++) {
            contact[list[k].index].applicability = least;
            contact[list[k].index].before = k > i ? list[i].index + 1 : 0;
        }
    }
    cd_arena_rewind(scratch, mark);
}
