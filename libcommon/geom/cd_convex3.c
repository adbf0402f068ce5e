// SPDX-License-Identifier: MIT
#include "cd_convex3.h"

#include "cd_twofold.h"
#include "cd_vector.h"

#include <float.h>

typedef struct columns {
    double *x, *y, *z;
} columns;

// One after the other. The arena aligns to 32 bytes; vectors of 64 want more.
static columns new_columns(cd_arena *arena, int32_t count)
{
    size_t padded = (size_t)cd_convex3_padded(count);
    char *memory = cd_arena_alloc(arena, 3 * padded * sizeof(double) + 32);
    double *x = (double *)(memory + (64 - (uintptr_t)memory % 64) % 64);
    return (columns){x, x + padded, x + 2 * padded};
}

// fmax is a call; of finite numbers this is the same.
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double lesser(double a, double b) { return a < b ? a : b; }

// The largest squared distance of a vertex from the centre. Whole lanes at a time, here and in `place_columns`: a loop of
// a known length is what the compiler makes vectors of; what a column is padded with is a vertex like the others.
CD_VECTOR_CLONES static double farthest_sq(const cd_convex3 *c)
{
    enum { LANES = CD_CONVEX3_LANES };
    double most[LANES] = {0};
    for (int32_t i = 0; i < c->vertex_count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double x = c->x[i + k] - c->centre.x, y = c->y[i + k] - c->centre.y, z = c->z[i + k] - c->centre.z;
            double sq = x * x + y * y + z * z;
            most[k] = sq > most[k] ? sq : most[k];
        }
    double most_of_all = 0;
    for (int k = 0; k < LANES; k++)
        most_of_all = larger(most_of_all, most[k]);
    return most_of_all;
}

// The columns of `from` moved: cd_pose3_apply of each vertex.
CD_VECTOR_CLONES static void place_columns(const cd_convex3 *from, const cd_pose3 *pose, double *restrict to_x,
                                           double *restrict to_y, double *restrict to_z)
{
    enum { LANES = CD_CONVEX3_LANES };
    cd_vec3 p = pose->position, u = pose->turn.row[0], v = pose->turn.row[1], w = pose->turn.row[2];
    for (int32_t i = 0; i < from->vertex_count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double x = from->x[i + k], y = from->y[i + k], z = from->z[i + k];
            to_x[i + k] = p.x + (u.x * x + u.y * y + u.z * z);
            to_y[i + k] = p.y + (v.x * x + v.y * y + v.z * z);
            to_z[i + k] = p.z + (w.x * x + w.y * y + w.z * z);
        }
}

// Pads the columns, and finds bounds, centre and radius.
static void finish(cd_convex3 *c, columns to)
{
    cd_vec3 sum = {0, 0, 0}, low = {to.x[0], to.y[0], to.z[0]}, high = low;
    for (int32_t i = 0; i < c->vertex_count; i++) {
        cd_vec3 p = {to.x[i], to.y[i], to.z[i]};
        sum = cd_add3(sum, p);
        low = (cd_vec3){lesser(p.x, low.x), lesser(p.y, low.y), lesser(p.z, low.z)};
        high = (cd_vec3){larger(p.x, high.x), larger(p.y, high.y), larger(p.z, high.z)};
    }
    c->low = low;
    c->high = high;
    for (int32_t i = c->vertex_count; i < cd_convex3_padded(c->vertex_count); i++) {
        to.x[i] = to.x[0];
        to.y[i] = to.y[0];
        to.z[i] = to.z[0];
    }
    c->x = to.x;
    c->y = to.y;
    c->z = to.z;
    c->centre = cd_scale3(1.0 / c->vertex_count, sum);
    c->radius = nextafter(sqrt(farthest_sq(c)) * (1 + 4e-16), INFINITY);
}

static double face_offset(const cd_convex3 *c, int32_t face, cd_vec3 normal)
{
    double offset = -INFINITY;
    for (int32_t k = c->face_first[face]; k < c->face_first[face + 1]; k++)
        offset = larger(offset, cd_dot3(normal, cd_convex3_vertex(c, c->face_vertex[k])));
    return offset;
}

// [1] of the sum of the products of edges: a cross product that is shorter has lost digits, and with them the plane
// its place: by 2^-53 of the body's size over this.
#define SLIVER 0.05

// The same sum in numbers of twice the digits, from exact differences: a needle's side, whose corners are doubles apart
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

// Twice the area vector of the face: Newell's sum about its first corner, so that a face far from the origin loses nothing.
static cd_vec3 face_normal(const cd_convex3 *c, int32_t face)
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
    return cd_length3(sum) < SLIVER * products ? sliver_normal(c, corner, count) : cd_unit3(sum);
}

// ---- planar sides ------------------------------------------------------------------------------------------------

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

static int32_t side_of(const int32_t *side, int32_t face)
{
    while (side[face] != face)
        face = side[face];
    return face;
}

// Sides from the edges between faces in one plane, and the other edges. (That a side's faces lie in the plane of its
// lowest one is looked at again: neighbours may bend away little by little.)
static void make_sides(cd_convex3 *c, const cd_edges3 *edges, cd_arena *arena)
{
    // As of pairs of bodies, of heights above a plane. Not what coordinates far from the origin carry beside that: the
    // corners are taken as they are, and an intersection may be smaller than their rounding.
    double tolerance = 16 * DBL_EPSILON * c->radius;
    c->edge = edges->edge;
    c->edge_count = edges->count;
    c->side = NULL;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *side = CD_ARENA_ARRAY(arena, int32_t, c->face_count), joined = 0;
    for (int32_t f = 0; f < c->face_count; f++)
        side[f] = f;
    for (int32_t e = 0; e < edges->count; e++) {
        int32_t f = edges->edge[e].face[0], g = edges->edge[e].face[1];
        if (f < 0 || g < 0 || is_inner(c, f) != is_inner(c, g) || !lies_in_plane(c, g, f, tolerance) ||
            !lies_in_plane(c, f, g, tolerance))
            continue;
        f = side_of(side, f);
        g = side_of(side, g);
        side[f > g ? f : g] = f < g ? f : g;
        joined += f != g;
    }
    if (joined == 0) {
        cd_arena_rewind(arena, mark);
        return;
    }
    for (int32_t f = 0; f < c->face_count; f++) {
        int32_t first = side_of(side, f);
        side[f] = lies_in_plane(c, f, first, 2 * tolerance) ? first : f;
    }
    cd_edge3 *edge = CD_ARENA_ARRAY(arena, cd_edge3, edges->count);
    c->side = side;
    c->edge = edge;
    c->edge_count = 0;
    for (int32_t e = 0; e < edges->count; e++) {
        int32_t f = edges->edge[e].face[0], g = edges->edge[e].face[1];
        if (f < 0 || g < 0 || side[f] != side[g])
            edge[c->edge_count++] = edges->edge[e];
    }
}

static const cd_edge3_short *shorten(const cd_convex3 *c, cd_arena *arena)
{
    if (c->vertex_count > CD_EDGE3_SHORT_NONE || c->face_count > CD_EDGE3_SHORT_NONE)
        return NULL;
    cd_edge3_short *edge = CD_ARENA_ARRAY(arena, cd_edge3_short, c->edge_count);
    for (int32_t e = 0; e < c->edge_count; e++)  // -1 becomes CD_EDGE3_SHORT_NONE
        edge[e] = (cd_edge3_short){{(uint16_t)c->edge[e].vertex[0], (uint16_t)c->edge[e].vertex[1]},
                                   {(uint16_t)c->edge[e].face[0], (uint16_t)c->edge[e].face[1]}};
    return edge;
}

cd_convex3 cd_convex3_make(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface)
{
    cd_convex3 c = {.vertex_count = polyhedron->vertex_count, .face_count = polyhedron->face_count,
                    .face_first = polyhedron->face_first, .face_vertex = polyhedron->face_vertex, .surface = surface};
    columns to = new_columns(arena, c.vertex_count);
    for (int32_t i = 0; i < c.vertex_count; i++) {
        to.x[i] = polyhedron->vertex[i].x;
        to.y[i] = polyhedron->vertex[i].y;
        to.z[i] = polyhedron->vertex[i].z;
    }
    finish(&c, to);
    cd_plane *plane = CD_ARENA_ARRAY(arena, cd_plane, c.face_count);
    for (int32_t f = 0; f < c.face_count; f++) {
        plane[f].normal = face_normal(&c, f);
        plane[f].offset = face_offset(&c, f, plane[f].normal);
    }
    c.plane = plane;
    cd_edges3 edges = cd_edges3_make(arena, c.vertex_count, c.face_count, c.face_first, c.face_vertex);
    make_sides(&c, &edges, arena);
    c.short_edge = shorten(&c, arena);
    int32_t *corner = CD_ARENA_ARRAY(arena, int32_t, c.face_count);
    for (int32_t f = 0; f < c.face_count; f++)
        corner[f] = c.face_vertex[c.face_first[f]];
    c.corner = corner;
    return c;
}

cd_convex3 cd_convex3_place_vertices(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose)
{
    cd_convex3 c = *convex;
    cd_mat3 *turn = CD_ARENA_ARRAY(arena, cd_mat3, 1);
    *turn = pose->turn;
    columns to = new_columns(arena, c.vertex_count);
    place_columns(convex, pose, to.x, to.y, to.z);
    finish(&c, to);
    c.plane = NULL;
    c.home = convex;
    c.turn = turn;
    return c;
}

cd_convex3 cd_convex3_place(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose)
{
    cd_convex3 c = cd_convex3_place_vertices(arena, convex, pose);
    cd_plane *plane = CD_ARENA_ARRAY(arena, cd_plane, c.face_count);
    for (int32_t f = 0; f < c.face_count; f++) {
        plane[f].normal = cd_convex3_normal(&c, f);
        plane[f].offset = face_offset(&c, f, plane[f].normal);
    }
    c.plane = plane;
    c.home = NULL;
    c.turn = NULL;
    return c;
}

// The columns of `from` with a number added to each.
CD_VECTOR_CLONES static void shift_columns(const cd_convex3 *from, cd_vec3 by, double *restrict to_x,
                                           double *restrict to_y, double *restrict to_z)
{
    enum { LANES = CD_CONVEX3_LANES };
    for (int32_t i = 0; i < from->vertex_count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            to_x[i + k] = by.x + from->x[i + k];
            to_y[i + k] = by.y + from->y[i + k];
            to_z[i + k] = by.z + from->z[i + k];
        }
}

cd_convex3 cd_convex3_shift(cd_arena *arena, const cd_convex3 *convex, cd_vec3 by)
{
    static const cd_mat3 no_turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    cd_convex3 c = *convex;
    columns to = new_columns(arena, c.vertex_count);
    shift_columns(convex, by, to.x, to.y, to.z);
    c.x = to.x;
    c.y = to.y;
    c.z = to.z;
    c.low = cd_add3(by, c.low);
    c.high = cd_add3(by, c.high);
    c.centre = cd_add3(by, c.centre);
    // Each coordinate of vertices and centre is rounded once more, by half an ulp of what the bounds reach.
    cd_vec3 reach = {larger(fabs(c.low.x), fabs(c.high.x)), larger(fabs(c.low.y), fabs(c.high.y)),
                     larger(fabs(c.low.z), fabs(c.high.z))};
    c.radius = (c.radius + DBL_EPSILON * (reach.x + reach.y + reach.z)) * (1 + 4e-16);
    if (c.plane) {
        c.plane = NULL;
        c.home = convex;
        c.turn = &no_turn;
    }
    return c;
}
