// SPDX-License-Identifier: MIT
#include "cd_convex3.h"

// The arena aligns to 32 bytes; vectors of 64 want more.
static double *aligned_column(cd_arena *arena, int32_t count)
{
    char *memory = cd_arena_alloc(arena, (size_t)count * sizeof(double) + 32);
    return (double *)(memory + (64 - (uintptr_t)memory % 64) % 64);
}

typedef struct columns {
    double *x, *y, *z;
} columns;

static columns new_columns(cd_arena *arena, int32_t count)
{
    int32_t padded = cd_convex3_padded(count);
    return (columns){aligned_column(arena, padded), aligned_column(arena, padded), aligned_column(arena, padded)};
}

// fmax is a call; of finite numbers this is the same.
static inline double larger(double a, double b) { return a > b ? a : b; }

// Pads the columns, and finds centre and radius.
static void finish(cd_convex3 *c, columns to)
{
    cd_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < c->vertex_count; i++)
        sum = cd_add3(sum, (cd_vec3){to.x[i], to.y[i], to.z[i]});
    for (int32_t i = c->vertex_count; i < cd_convex3_padded(c->vertex_count); i++) {
        to.x[i] = to.x[0];
        to.y[i] = to.y[0];
        to.z[i] = to.z[0];
    }
    c->x = to.x;
    c->y = to.y;
    c->z = to.z;
    c->centre = cd_scale3(1.0 / c->vertex_count, sum);
    double most = 0;  // squared
    for (int32_t i = 0; i < c->vertex_count; i++) {
        cd_vec3 r = cd_sub3(cd_convex3_vertex(c, i), c->centre);
        most = larger(most, cd_dot3(r, r));
    }
    c->radius = nextafter(sqrt(most) * (1 + 4e-16), INFINITY);
}

static double face_offset(const cd_convex3 *c, int32_t face, cd_vec3 normal)
{
    double offset = -INFINITY;
    for (int32_t k = c->face_first[face]; k < c->face_first[face + 1]; k++)
        offset = larger(offset, cd_dot3(normal, cd_convex3_vertex(c, c->face_vertex[k])));
    return offset;
}

// Twice the area vector of the face: Newell's sum about its first corner, so that a face far from the origin loses nothing.
static cd_vec3 face_normal(const cd_convex3 *c, int32_t face)
{
    const int32_t *corner = c->face_vertex + c->face_first[face];
    int32_t count = c->face_first[face + 1] - c->face_first[face];
    cd_vec3 origin = cd_convex3_vertex(c, corner[0]), sum = {0, 0, 0};
    for (int32_t k = 1; k + 1 < count; k++)
        sum = cd_add3(sum, cd_cross3(cd_sub3(cd_convex3_vertex(c, corner[k]), origin),
                                     cd_sub3(cd_convex3_vertex(c, corner[k + 1]), origin)));
    return cd_unit3(sum);
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
    return c;
}

cd_convex3 cd_convex3_place_vertices(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose)
{
    cd_convex3 c = *convex;
    columns to = new_columns(arena, c.vertex_count);
    for (int32_t i = 0; i < c.vertex_count; i++) {
        cd_vec3 p = cd_pose3_apply(pose, cd_convex3_vertex(convex, i));
        to.x[i] = p.x;
        to.y[i] = p.y;
        to.z[i] = p.z;
    }
    finish(&c, to);
    c.plane = NULL;
    return c;
}

cd_convex3 cd_convex3_place(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose)
{
    cd_convex3 c = cd_convex3_place_vertices(arena, convex, pose);
    cd_plane *plane = CD_ARENA_ARRAY(arena, cd_plane, c.face_count);
    for (int32_t f = 0; f < c.face_count; f++) {
        plane[f].normal = cd_pose3_turn(pose, convex->plane[f].normal);
        plane[f].offset = face_offset(&c, f, plane[f].normal);
    }
    c.plane = plane;
    return c;
}
