// SPDX-License-Identifier: MIT
#include "cd_convex3_place.h"

#include "cd_twofold.h"
#include "cd_vector.h"

#include <float.h>

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] of the sum of the products of edges: a cross product that is shorter has lost digits, and with them the plane
// its place: by 2^-53 of the body's size over this. Smaller: planes of needles off by more. Larger: slower.
#define FACE_THIN 0.05
// [1] of the radius: corners this far from a plane lie in it, as far as the rounding of heights above a plane of a pair
// of bodies tells. Smaller: split faces stay apart. Larger: faces of finely turned bodies are put together.
#define CORNER_IN_PLANE (16 * DBL_EPSILON)

// The same sum in numbers of twice the digits, from exact differences: a needle's face, whose corners are doubles apart
// by 1e-6 of its length, has a plane as good as any other.
static cd_vec3 sliver_normal(const cd_convex3 *c, const int32_t *corner, int32_t count)
{
    cd_twofold3 edge = {{0, 0}, {0, 0}, {0, 0}}, sum = edge;
    for (int32_t k = 1; k < count; k++) {
        cd_vec3 p = cd_convex3_vertex(c, corner[0]), q = cd_convex3_vertex(c, corner[k]);
        cd_twofold3 next = cd_twofold_difference3(q, p), turn = cd_twofold_cross3(edge, next);
        sum.x = cd_twofold_add(sum.x, turn.x);
        sum.y = cd_twofold_add(sum.y, turn.y);
        sum.z = cd_twofold_add(sum.z, turn.z);
        edge = next;
    }
    return cd_unit3(cd_twofold_rounded3(sum));
}

// Twice the area vector of the face: Newell's sum about its first corner, so that a face far from the origin loses
// nothing. is_plain becomes false when doubles are not enough.
static cd_vec3 face_normal(const cd_convex3 *c, int32_t face, bool *is_plain)
{
    const int32_t *corner = c->face_vertex + c->face_first[face];
    int32_t count = c->face_first[face + 1] - c->face_first[face];
    cd_vec3 origin = cd_convex3_vertex(c, corner[0]), sum = {0, 0, 0};
    cd_vec3 edge = cd_sub3(cd_convex3_vertex(c, corner[1]), origin);
    double products = 0;
    for (int32_t k = 2; k < count; k++) {
        cd_vec3 next = cd_sub3(cd_convex3_vertex(c, corner[k]), origin);
        sum = cd_add3(sum, cd_cross3(edge, next));
        products += sqrt(cd_dot3(edge, edge) * cd_dot3(next, next));
        edge = next;
    }
    if (!(cd_length3(sum) < FACE_THIN * products))
        return cd_unit3(sum);
    *is_plain = false;
    return sliver_normal(c, corner, count);
}

// ---- planes of triangles -------------------------------------------------------------------------------------------

// Corners and planes of a batch of triangles by coordinate. Same operations as of single faces, lane by lane:
// of 28 triangles 0.2 us, where one by one they take 0.7.
enum { BATCH = 32 };
typedef struct triangles {
    int32_t count;                                        // of BATCH, rounded up to whole lanes
    _Alignas(64) double corner[3][3][BATCH];              // [m] of each corner x, y, z
    _Alignas(64) double sum[3][BATCH], sum_sq[BATCH];     // [m^2], [m^4] Newell's sum
    _Alignas(64) double products_sq[BATCH];               // [m^4] what it is compared with, squared
    _Alignas(64) double inverse[BATCH];                   // [m^-2] of the sum's length
    _Alignas(64) double normal[3][BATCH], offset[BATCH];  // the planes
} triangles;

CD_VECTOR_CLONES static void sum_triangles(triangles *restrict t)
{
    enum { LANES = CD_CONVEX3_LANES };
    for (int32_t i = 0; i < t->count; i += LANES)
        for (int k = i; k < i + LANES; k++) {
            double ux = t->corner[1][0][k] - t->corner[0][0][k], vx = t->corner[2][0][k] - t->corner[0][0][k];
            double uy = t->corner[1][1][k] - t->corner[0][1][k], vy = t->corner[2][1][k] - t->corner[0][1][k];
            double uz = t->corner[1][2][k] - t->corner[0][2][k], vz = t->corner[2][2][k] - t->corner[0][2][k];
            double x = 0 + (uy * vz - uz * vy), y = 0 + (uz * vx - ux * vz), z = 0 + (ux * vy - uy * vx);
            t->sum[0][k] = x;
            t->sum[1][k] = y;
            t->sum[2][k] = z;
            t->sum_sq[k] = x * x + y * y + z * z;
            t->products_sq[k] = (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz);
        }
}

CD_VECTOR_CLONES static void place_triangles(triangles *restrict t)
{
    enum { LANES = CD_CONVEX3_LANES };
    for (int32_t i = 0; i < t->count; i += LANES)
        for (int k = i; k < i + LANES; k++) {
            double x = t->inverse[k] * t->sum[0][k], y = t->inverse[k] * t->sum[1][k], z = t->inverse[k] * t->sum[2][k];
            double p = x * t->corner[0][0][k] + y * t->corner[0][1][k] + z * t->corner[0][2][k];
            double q = x * t->corner[1][0][k] + y * t->corner[1][1][k] + z * t->corner[1][2][k];
            double r = x * t->corner[2][0][k] + y * t->corner[2][1][k] + z * t->corner[2][2][k];
            double most = p > q ? p : q;
            t->normal[0][k] = x;
            t->normal[1][k] = y;
            t->normal[2][k] = z;
            t->offset[k] = most > r ? most : r;
        }
}

// Planes of faces first .. first + count - 1. Slivers, and faces of more corners, one by one.
static void make_planes_of(const cd_convex3 *c, const cd_vec3 *vertex, int32_t first, int32_t count, cd_plane *plane,
                           bool *is_plain)
{
    enum { LANES = CD_CONVEX3_LANES };
    triangles t;
    t.count = (count + LANES - 1) / LANES * LANES;
    for (int32_t k = 0; k < t.count; k++) {
        const int32_t *corner = c->face_vertex + c->face_first[k < count ? first + k : first];
        for (int j = 0; j < 3; j++) {
            const cd_vec3 *p = &vertex[corner[j]];
            t.corner[j][0][k] = p->x;
            t.corner[j][1][k] = p->y;
            t.corner[j][2][k] = p->z;
        }
    }
    sum_triangles(&t);
    for (int32_t k = 0; k < t.count; k++)
        t.inverse[k] = 1 / sqrt(t.sum_sq[k]);
    place_triangles(&t);
    for (int32_t k = 0; k < count; k++) {
        int32_t f = first + k, corners = c->face_first[f + 1] - c->face_first[f];
        // Well away from |sum| = FACE_THIN sqrt(products) and from what underflows.
        bool is_sure = corners == 3 && t.products_sq[k] > 1e-280 &&
                       t.sum_sq[k] > 1.001 * (FACE_THIN * FACE_THIN) * t.products_sq[k];
        if (is_sure) {
            plane[f] = (cd_plane){{t.normal[0][k], t.normal[1][k], t.normal[2][k]}, t.offset[k]};
        } else {
            plane[f].normal = face_normal(c, f, is_plain);
            plane[f].offset = cd_convex3_face_offset(c, f, plane[f].normal.x, plane[f].normal.y, plane[f].normal.z);
        }
    }
}

static bool make_planes(const cd_convex3 *c, const cd_vec3 *vertex, cd_plane *plane)
{
    bool is_plain = true;
    for (int32_t f = 0; f < c->face_count; f += BATCH)
        make_planes_of(c, vertex, f, c->face_count - f < BATCH ? c->face_count - f : BATCH, plane, &is_plain);
    return is_plain;
}

// ---- planar faces --------------------------------------------------------------------------------------------------

static bool is_inner(const cd_convex3 *c, int32_t face) { return c->surface && c->surface[face] < 0; }

// Whether a face lies in the plane of another. Heights are taken from a corner of that one: far from the origin offsets
// have fewer digits than the corners' differences.
static bool lies_in_plane(const cd_convex3 *c, int32_t face, int32_t other, double tolerance)
{
    cd_vec3 normal = c->plane[other].normal, origin = cd_convex3_vertex(c, c->face_vertex[c->face_first[other]]);
    for (int32_t k = c->face_first[face]; k < c->face_first[face + 1]; k++)
        if (!(fabs(cd_dot3(normal, cd_sub3(cd_convex3_vertex(c, c->face_vertex[k]), origin))) <= tolerance))
            return false;
    return cd_dot3(normal, c->plane[face].normal) > 0.5;
}

// Mostly enough to tell: of two triangles that share an edge, the height of the one's corner off the edge above the
// other's plane. False: lies_in_plane is false.
static bool may_lie_in_plane(const cd_convex3 *c, const cd_edge3 *edge, int32_t face, int32_t other, double tolerance)
{
    const int32_t *corner = c->face_vertex + c->face_first[face];
    if (c->face_first[face + 1] - c->face_first[face] != 3)
        return true;
    int32_t off = corner[0] ^ corner[1] ^ corner[2] ^ edge->vertex[0] ^ edge->vertex[1];
    cd_vec3 origin = cd_convex3_vertex(c, c->face_vertex[c->face_first[other]]);
    return fabs(cd_dot3(c->plane[other].normal, cd_sub3(cd_convex3_vertex(c, off), origin))) <= tolerance;
}

static int32_t planar_face_of(const int32_t *planar_face, int32_t face)
{
    while (planar_face[face] != face)
        face = planar_face[face];
    return face;
}

// Planar faces from the edges between faces in one plane, and the other edges. (That all lie in the plane of the
// lowest one is looked at again: neighbours may bend away little by little.)
static void make_planar_faces(cd_convex3 *c, const cd_edges3 *edges, cd_arena *arena)
{
    // As of pairs of bodies, of heights above a plane. Not what coordinates far from the origin carry beside that: the
    // corners are taken as they are, and an intersection may be smaller than their rounding.
    double tolerance = CORNER_IN_PLANE * c->radius;
    c->edge = edges->edge;
    c->edge_count = edges->count;
    c->planar_face = NULL;
    int32_t *planar_face = NULL, joined = 0;
    for (int32_t e = 0; e < edges->count; e++) {
        int32_t f = edges->edge[e].face[0], g = edges->edge[e].face[1];
        if (f < 0 || g < 0 || !may_lie_in_plane(c, &edges->edge[e], g, f, tolerance) ||
            is_inner(c, f) != is_inner(c, g) || !lies_in_plane(c, g, f, tolerance) ||
            !lies_in_plane(c, f, g, tolerance))
            continue;
        if (!planar_face) {
            planar_face = CD_ARENA_ARRAY(arena, int32_t, c->face_count);
            for (int32_t i = 0; i < c->face_count; i++)
                planar_face[i] = i;
        }
        f = planar_face_of(planar_face, f);
        g = planar_face_of(planar_face, g);
        planar_face[f > g ? f : g] = f < g ? f : g;
        joined += f != g;
    }
    if (joined == 0)
        return;
    for (int32_t f = 0; f < c->face_count; f++) {
        int32_t first = planar_face_of(planar_face, f);
        planar_face[f] = lies_in_plane(c, f, first, 2 * tolerance) ? first : f;
    }
    cd_edge3 *edge = CD_ARENA_ARRAY(arena, cd_edge3, edges->count);
    c->planar_face = planar_face;
    c->edge = edge;
    c->edge_count = 0;
    for (int32_t e = 0; e < edges->count; e++) {
        int32_t f = edges->edge[e].face[0], g = edges->edge[e].face[1];
        if (f < 0 || g < 0 || planar_face[f] != planar_face[g])
            edge[c->edge_count++] = edges->edge[e];
    }
}

// Of neighbours: between two faces of one normal are only faces of that normal, be they inner ones, or without area.
static bool are_twins(const cd_convex3 *c, int32_t face, int32_t other)
{
    cd_vec3 p = c->plane[face].normal, q = c->plane[other].normal;
    return cd_convex3_is_same_normal(p, q) || !(cd_dot3(p, p) > 0.5) || !(cd_dot3(q, q) > 0.5);
}

static bool has_twins(const cd_convex3 *c)
{
    for (int32_t e = 0; e < c->edge_count; e++) {
        int32_t f = c->edge[e].face[0], g = c->edge[e].face[1];
        if (f >= 0 && g >= 0 && !(is_inner(c, f) && is_inner(c, g)) && are_twins(c, f, g))
            return true;
    }
    return false;
}

static void shorten(const cd_convex3 *c, cd_edge3_short *edge)
{
    for (int32_t e = 0; e < c->edge_count; e++)  // -1 becomes CD_EDGE3_SHORT_NONE
        edge[e] = (cd_edge3_short){{(uint16_t)c->edge[e].vertex[0], (uint16_t)c->edge[e].vertex[1]},
                                   {(uint16_t)c->edge[e].face[0], (uint16_t)c->edge[e].face[1]}};
}

cd_convex3 cd_convex3_make_with(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface,
                                const cd_edges3 *edges, bool *is_plain)
{
    cd_convex3 c = {.vertex_count = polyhedron->vertex_count,
                    .face_count = polyhedron->face_count,
                    .face_first = polyhedron->face_first,
                    .face_vertex = polyhedron->face_vertex,
                    .surface = surface};
    bool is_short = c.vertex_count <= CD_EDGE3_SHORT_NONE && c.face_count <= CD_EDGE3_SHORT_NONE;
    size_t faces = (size_t)c.face_count, short_edges = is_short ? (size_t)edges->count : 0;
    cd_convex3_columns to = cd_convex3_new_columns(
        arena, c.vertex_count, faces * (sizeof(cd_plane) + sizeof(int32_t)) + short_edges * sizeof(cd_edge3_short));
    for (int32_t i = 0; i < cd_convex3_padded(c.vertex_count); i++) {
        const cd_vec3 *p = &polyhedron->vertex[i < c.vertex_count ? i : 0];
        to.x[i] = p->x;
        to.y[i] = p->y;
        to.z[i] = p->z;
    }
    c.x = to.x;
    c.y = to.y;
    c.z = to.z;
    cd_convex3_measure(&c);
    cd_plane *plane = cd_convex3_behind(to, c.vertex_count);
    *is_plain = make_planes(&c, polyhedron->vertex, plane);
    c.plane = plane;
    int32_t *corner = (int32_t *)(plane + faces);
    for (int32_t f = 0; f < c.face_count; f++)
        corner[f] = c.face_vertex[c.face_first[f]];
    c.corner = corner;
    make_planar_faces(&c, edges, arena);
    c.has_twins = has_twins(&c);
    if (is_short) {
        cd_edge3_short *edge = (cd_edge3_short *)(corner + faces);
        shorten(&c, edge);
        c.short_edge = edge;
    }
    return c;
}

cd_convex3 cd_convex3_make(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface)
{
    bool is_plain;
    cd_edges3 edges = cd_edges3_make(arena, polyhedron->vertex_count, polyhedron->face_count, polyhedron->face_first,
                                     polyhedron->face_vertex);
    return cd_convex3_make_with(arena, polyhedron, surface, &edges, &is_plain);
}

bool cd_convex3_in_order(const cd_convex3 *a, const cd_convex3 *b)
{
    if (a->vertex_count != b->vertex_count)
        return a->vertex_count < b->vertex_count;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        if (a->x[i] != b->x[i])
            return a->x[i] < b->x[i];
        if (a->y[i] != b->y[i])
            return a->y[i] < b->y[i];
        if (a->z[i] != b->z[i])
            return a->z[i] < b->z[i];
    }
    return true;
}
