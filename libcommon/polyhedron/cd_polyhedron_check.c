// SPDX-License-Identifier: MIT
#include "cd_polyhedron_check.h"

#include "cd_polyhedron_mass.h"
#include "cd_vector.h"

#include <float.h>
#include <stdlib.h>

// ---- edges ---------------------------------------------------------------------------------------------------------

typedef struct half_edge {
    int32_t low, high;  // vertices, low < high
    int32_t face;
    bool forward;  // the face goes from low to high
} half_edge;

static int compare_half_edges(const void *left, const void *right)
{
    const half_edge *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

static cd_status check_edge(const half_edge *edge, int32_t uses, cd_diag *diag)
{
    if (uses == 1)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: edge %d-%d of face %d belongs to no other face: not closed",
                       (int)edge->low, (int)edge->high, (int)edge->face);
    if (uses > 2)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: edge %d-%d belongs to %d faces, %d, %d and %d among them",
                       (int)edge->low, (int)edge->high, (int)uses, (int)edge[0].face, (int)edge[1].face,
                       (int)edge[2].face);
    if (edge[0].forward == edge[1].forward)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "faces: faces %d and %d go the same way along edge %d-%d: one of them is listed clockwise",
                       (int)edge[0].face, (int)edge[1].face, (int)edge->low, (int)edge->high);
    return CD_OK;
}

static cd_status check_vertices(cd_polyhedron p, cd_arena *arena, cd_diag *diag)
{
    bool *used = CD_ARENA_ZARRAY(arena, bool, p.vertex_count);
    for (int32_t k = p.face_first[0]; k < p.face_first[p.face_count]; k++)
        used[p.face_vertex[k]] = true;
    for (int32_t i = 0; i < p.vertex_count; i++)
        if (!used[i])
            return cd_fail(diag, CD_ERR_FORMAT, "vertices: vertex %d belongs to no face", (int)i);
    return CD_OK;
}

// Two pieces, or a hole, have another sum than 2; what has it and locally is a surface is a sphere (Euler).
static cd_status check_closed(cd_polyhedron p, cd_arena *arena, cd_diag *diag)
{
    int32_t count = 0, edges = 0;
    half_edge *edge = CD_ARENA_ARRAY(arena, half_edge, (size_t)(p.face_first[p.face_count] - p.face_first[0]));
    for (int32_t f = 0; f < p.face_count; f++)
        for (int32_t k = p.face_first[f]; k < p.face_first[f + 1]; k++) {
            int32_t from = p.face_vertex[k], to = p.face_vertex[k + 1 < p.face_first[f + 1] ? k + 1 : p.face_first[f]];
            edge[count++] = (half_edge){from < to ? from : to, from < to ? to : from, f, from < to};
        }
    qsort(edge, (size_t)count, sizeof *edge, compare_half_edges);
    for (int32_t k = 0, uses = 1; k < count; k += uses, edges++) {
        for (uses = 1; k + uses < count && edge[k + uses].low == edge[k].low && edge[k + uses].high == edge[k].high;)
            uses++;
        CD_TRY(check_edge(&edge[k], uses, diag));
    }
    int32_t sum = p.vertex_count - edges + p.face_count;
    if (sum != 2)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "faces: vertices - edges + faces is %d, not 2: more than one piece, or with holes", (int)sum);
    return CD_OK;
}

// ---- planes --------------------------------------------------------------------------------------------------------

typedef struct face_plane {
    cd_vec3 normal;  // unit, outward
    cd_vec3 point;   // mean of the corners
} face_plane;

static cd_vec3 corner(cd_polyhedron p, int32_t k) { return p.vertex[p.face_vertex[k]]; }

static cd_vec3 mean_of_corners(cd_polyhedron p, int32_t face)
{
    int32_t first = p.face_first[face], end = p.face_first[face + 1];
    cd_vec3 origin = corner(p, first), sum = {0, 0, 0};
    for (int32_t k = first + 1; k < end; k++)
        sum = cd_add3(sum, cd_sub3(corner(p, k), origin));
    return cd_add3(origin, cd_scale3(1.0 / (end - first), sum));
}

static face_plane plane_of(cd_polyhedron p, int32_t face)
{
    int32_t first = p.face_first[face], end = p.face_first[face + 1];
    cd_vec3 origin = corner(p, first), area = {0, 0, 0};
    for (int32_t k = first + 1; k + 1 < end; k++)
        area = cd_add3(area, cd_cross3(cd_sub3(corner(p, k), origin), cd_sub3(corner(p, k + 1), origin)));
    return (face_plane){cd_unit3(area), mean_of_corners(p, face)};
}

static double height(face_plane plane, cd_vec3 x) { return cd_dot3(plane.normal, cd_sub3(x, plane.point)); }

// Planar, and every corner left of every edge or on it.
static cd_status check_face(cd_polyhedron p, int32_t face, face_plane plane, double tolerance, cd_diag *diag)
{
    int32_t first = p.face_first[face], end = p.face_first[face + 1];
    if (cd_dot3(plane.normal, plane.normal) == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: face %d has no area", (int)face);
    for (int32_t k = first; k < end; k++) {
        double off = height(plane, corner(p, k));
        if (!(fabs(off) <= tolerance))
            return cd_fail(diag, CD_ERR_FORMAT, "faces: vertex %d is %g m off the plane of its face %d",
                           (int)p.face_vertex[k], fabs(off), (int)face);
    }
    for (int32_t k = first; k < end && end - first > 3; k++) {
        cd_vec3 from = corner(p, k), to = corner(p, k + 1 < end ? k + 1 : first);
        cd_vec3 inward = cd_unit3(cd_cross3(plane.normal, cd_sub3(to, from)));
        for (int32_t l = first; l < end; l++)
            if (!(cd_dot3(inward, cd_sub3(corner(p, l), from)) >= -tolerance))
                return cd_fail(diag, CD_ERR_FORMAT,
                               "faces: face %d is not convex: vertex %d is outside of its edge %d-%d", (int)face,
                               (int)p.face_vertex[l], (int)p.face_vertex[k],
                               (int)p.face_vertex[k + 1 < end ? k + 1 : first]);
    }
    return CD_OK;
}

// Vertices in blocks of neighbours, so that a face looks into those few blocks alone whose boxes reach its plane. With
// 40,000 vertices 0.14 s instead of 0.8 s for all of them with every face.
enum { BLOCK_VERTICES = 32, MORTON_BITS = 10 };

typedef struct keyed_vertex {
    uint32_t key;  // bits of x, y, z in turn: near in space, near in order
    int32_t index;
} keyed_vertex;

typedef struct block {
    cd_vec3 middle, half;  // of the box, relative to vertex 0, so that far polyhedra lose nothing
} block;

static int compare_keys(const void *left, const void *right)
{
    const keyed_vertex *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// [0, 1] to every third bit.
static uint32_t spread_bits(double part)
{
    uint32_t cell = (uint32_t)fmin(fmax(part, 0) * (1 << MORTON_BITS), (1 << MORTON_BITS) - 1), spread = 0;
    for (int bit = 0; bit < MORTON_BITS; bit++)
        spread |= (cell >> bit & 1) << 3 * bit;
    return spread;
}

// fmin is a call; of finite numbers this is the same.
static cd_vec3 least(cd_vec3 a, cd_vec3 b)
{
    return (cd_vec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
static cd_vec3 most(cd_vec3 a, cd_vec3 b)
{
    return (cd_vec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

static keyed_vertex *order_vertices(cd_polyhedron p, cd_arena *arena)
{
    keyed_vertex *order = CD_ARENA_ARRAY(arena, keyed_vertex, p.vertex_count);
    cd_vec3 low = p.vertex[0], high = low;
    for (int32_t i = 1; i < p.vertex_count; i++) {
        low = least(low, p.vertex[i]);
        high = most(high, p.vertex[i]);
    }
    cd_vec3 size = cd_sub3(high, low);  // above 0: there is volume
    for (int32_t i = 0; i < p.vertex_count; i++) {
        cd_vec3 d = cd_sub3(p.vertex[i], low);
        uint32_t key = spread_bits(d.x / size.x) | spread_bits(d.y / size.y) << 1 | spread_bits(d.z / size.z) << 2;
        order[i] = (keyed_vertex){key, i};
    }
    qsort(order, (size_t)p.vertex_count, sizeof *order, compare_keys);
    return order;
}

static block *make_blocks(cd_polyhedron p, const keyed_vertex *order, int32_t count, cd_arena *arena)
{
    block *blocks = CD_ARENA_ARRAY(arena, block, count);
    for (int32_t b = 0; b < count; b++) {
        cd_vec3 low = cd_sub3(p.vertex[order[b * BLOCK_VERTICES].index], p.vertex[0]), high = low;
        for (int32_t i = b * BLOCK_VERTICES; i < p.vertex_count && i < (b + 1) * BLOCK_VERTICES; i++) {
            cd_vec3 d = cd_sub3(p.vertex[order[i].index], p.vertex[0]);
            low = least(low, d);
            high = most(high, d);
        }
        blocks[b] = (block){cd_scale3(0.5, cd_add3(low, high)), cd_scale3(0.5, cd_sub3(high, low))};
    }
    return blocks;
}

// How far a box reaches along the normal.
static double reach(const block *b, cd_vec3 n)
{
    return cd_dot3(n, b->middle) + fabs(n.x) * b->half.x + fabs(n.y) * b->half.y + fabs(n.z) * b->half.z;
}

static cd_status check_inside(cd_polyhedron p, const face_plane *plane, double tolerance, cd_arena *arena,
                              cd_diag *diag)
{
    int32_t count = (p.vertex_count + BLOCK_VERTICES - 1) / BLOCK_VERTICES;
    keyed_vertex *order = order_vertices(p, arena);
    block *blocks = make_blocks(p, order, count, arena);
    for (int32_t f = 0; f < p.face_count; f++) {
        // half the tolerance for the rounding of the boxes, 1e-10 of it as long as the tolerance is one of sizes
        double near = cd_dot3(plane[f].normal, cd_sub3(plane[f].point, p.vertex[0])) + tolerance / 2;
        int32_t worst = -1;
        for (int32_t b = 0; b < count; b++) {
            if (reach(&blocks[b], plane[f].normal) < near)
                continue;
            for (int32_t i = b * BLOCK_VERTICES; i < p.vertex_count && i < (b + 1) * BLOCK_VERTICES; i++) {
                double above = height(plane[f], p.vertex[order[i].index]);
                if (above > tolerance && (worst < 0 || above > height(plane[f], p.vertex[worst])))
                    worst = order[i].index;
            }
        }
        if (worst >= 0)
            return cd_fail(diag, CD_ERR_FORMAT, "faces: vertex %d is %g m outside of face %d: not convex", (int)worst,
                           height(plane[f], p.vertex[worst]), (int)f);
    }
    return CD_OK;
}

static cd_status check_planes(cd_polyhedron p, double tolerance, cd_arena *arena, cd_diag *diag)
{
    face_plane *plane = CD_ARENA_ARRAY(arena, face_plane, p.face_count);
    double volume = cd_polyhedron_mass(p).volume;
    if (!isfinite(volume))
        return cd_fail(diag, CD_ERR_FORMAT, "vertices: their coordinates are too large");
    if (volume < 0)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: all are listed clockwise as seen from outside");
    for (int32_t f = 0; f < p.face_count; f++) {
        plane[f] = plane_of(p, f);
        CD_TRY(check_face(p, f, plane[f], tolerance, diag));
    }
    if (volume == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "vertices: all lie in one plane: there is no volume");
    return check_inside(p, plane, tolerance, arena, diag);
}

cd_status cd_polyhedron_check_convex(cd_polyhedron polyhedron, double tolerance, cd_arena *arena, cd_diag *diag)
{
    CD_TRY(cd_polyhedron_validate(polyhedron, arena, diag));
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_status status = check_vertices(polyhedron, arena, diag);
    if (status == CD_OK)
        status = check_closed(polyhedron, arena, diag);
    if (status == CD_OK)
        status = check_planes(polyhedron, tolerance, arena, diag);
    cd_arena_rewind(arena, mark);
    return status;
}

// ---- a prepared polyhedron -----------------------------------------------------------------------------------------
// What all of the above passes, told from what was made of the polyhedron anyway. Planes that are plain sums are those
// of plane_of to the bit, and heights are taken as check_inside takes them; the two tests left out are replaced by what
// implies them:
// - Corners of a triangle lie in its plane within 1e-13 of the size and the rounding of their coordinates: a normal
//   whose sum of products has lost no more than a factor of 20 is off by some 100 roundings. (Where one has lost more,
//   planes are made anew, as plain sums, and all corners looked at.)
// - The mean of the vertices deep below all planes says that there is a volume and that it is positive: each face's
//   tetrahedra from there have together 1/3 of its area by its depth, and what is as deep as 64 tolerances in a body has
//   a ball around it and a cone to the farthest vertex, 1e-9 of size^3, where rounding leaves 1e-11 of the volume. (A
//   face so thin that its plane is off by as much has an area below 1e-10 of size^2.)

static bool are_of_ordinary_size(const cd_convex3 *c, double tolerance)
{
    double size = cd_length3(cd_sub3(c->high, c->low));
    double far = fmax(cd_length3(c->low), cd_length3(c->high));
    return size > 1e-90 && far < 1e90 && 16 * DBL_EPSILON * far + 1e-12 * size <= tolerance / 2;
}

// The largest of all heights of vertices above all planes.
CD_VECTOR_CLONES static double highest_of_all(const cd_convex3 *c, const face_plane *plane)
{
    enum { LANES = CD_CONVEX3_LANES };
    double most[LANES];
    for (int k = 0; k < LANES; k++)
        most[k] = -INFINITY;
    for (int32_t f = 0; f < c->face_count; f++) {
        cd_vec3 n = plane[f].normal, p = plane[f].point;
        for (int32_t i = 0; i < c->vertex_count; i += LANES)
            for (int k = 0; k < LANES; k++) {
                double height = n.x * (c->x[i + k] - p.x) + n.y * (c->y[i + k] - p.y) + n.z * (c->z[i + k] - p.z);
                most[k] = height > most[k] ? height : most[k];
            }
    }
    double highest = most[0];
    for (int k = 1; k < LANES; k++)
        highest = most[k] > highest ? most[k] : highest;
    return highest;
}

enum { MOST_FACES = 256 };  // with all vertices each; more go the way of blocks

static bool is_plainly_convex(cd_polyhedron p, const cd_convex3 *c, const cd_edges3 *edges, bool is_plain,
                              double tolerance)
{
    face_plane plane[MOST_FACES];
    int32_t unused = 0;
    for (int32_t i = 0; i < p.vertex_count; i++)
        unused += edges->around_first[i] == edges->around_first[i + 1];
    if (p.face_count > MOST_FACES || unused > 0 || p.vertex_count - edges->count + p.face_count != 2 ||
        !cd_edges3_are_closed(edges, p.face_first[p.face_count] - p.face_first[0]) ||
        !are_of_ordinary_size(c, tolerance))
        return false;
    bool is_sound = true;
    for (int32_t f = 0; f < p.face_count; f++) {
        plane[f] = is_plain ? (face_plane){c->plane[f].normal, mean_of_corners(p, f)} : plane_of(p, f);
        cd_vec3 normal = plane[f].normal;
        is_sound &= fabs(cd_dot3(normal, normal) - 1) < 1e-9 && height(plane[f], c->centre) < -64 * tolerance;
        if (!is_plain || p.face_first[f + 1] - p.face_first[f] > 3)
            is_sound &= check_face(p, f, plane[f], tolerance, NULL) == CD_OK;
    }
    return is_sound && highest_of_all(c, plane) <= tolerance;
}

cd_status cd_polyhedron_check_prepared(cd_polyhedron polyhedron, const cd_convex3 *convex, const cd_edges3 *edges,
                                       bool is_plain, double tolerance, cd_arena *arena, cd_diag *diag)
{
    if (is_plainly_convex(polyhedron, convex, edges, is_plain, tolerance))
        return CD_OK;
    return cd_polyhedron_check_convex(polyhedron, tolerance, arena, diag);
}

double cd_polyhedron_tolerance(cd_polyhedron polyhedron)
{
    cd_vec3 low = polyhedron.vertex[0], high = low;
    for (int32_t i = 1; i < polyhedron.vertex_count; i++) {
        low = least(low, polyhedron.vertex[i]);
        high = most(high, polyhedron.vertex[i]);
    }
    return CD_POLYHEDRON_FLATNESS * cd_length3(cd_sub3(high, low));
}
