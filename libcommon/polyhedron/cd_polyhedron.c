// SPDX-License-Identifier: MIT
#include "cd_polyhedron.h"

#include <float.h>

enum { LEAST_VERTICES = 4, LEAST_FACES = 4, LEAST_CORNERS = 3 };

static cd_status check_face(cd_polyhedron polyhedron, int32_t face, int32_t *seen_in, cd_diag *diag)
{
    int32_t first = polyhedron.face_first[face], end = polyhedron.face_first[face + 1];
    if (end - first < LEAST_CORNERS)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: face %d has %d vertices, fewer than 3", (int)face,
                       (int)(end - first));
    for (int32_t k = first; k < end; k++) {
        int32_t vertex = polyhedron.face_vertex[k];
        if (vertex < 0 || vertex >= polyhedron.vertex_count)
            return cd_fail(diag, CD_ERR_FORMAT, "faces: face %d names vertex %d; there are %d", (int)face, (int)vertex,
                           (int)polyhedron.vertex_count);
        if (seen_in[vertex] == face)
            return cd_fail(diag, CD_ERR_FORMAT, "faces: face %d names vertex %d twice", (int)face, (int)vertex);
        seen_in[vertex] = face;
    }
    return CD_OK;
}

cd_status cd_polyhedron_validate(cd_polyhedron polyhedron, cd_arena *arena, cd_diag *diag)
{
    if (polyhedron.vertex_count < LEAST_VERTICES)
        return cd_fail(diag, CD_ERR_FORMAT, "vertices: %d of them, a polyhedron has at least 4",
                       (int)polyhedron.vertex_count);
    for (int32_t i = 0; i < polyhedron.vertex_count; i++) {
        cd_vec3 p = polyhedron.vertex[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return cd_fail(diag, CD_ERR_FORMAT, "vertices: vertex %d is not finite", (int)i);
    }
    if (polyhedron.face_count < LEAST_FACES)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: %d of them, a polyhedron has at least 4",
                       (int)polyhedron.face_count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *seen_in = CD_ARENA_ARRAY(arena, int32_t, polyhedron.vertex_count);
    for (int32_t i = 0; i < polyhedron.vertex_count; i++)
        seen_in[i] = -1;
    cd_status status = CD_OK;
    for (int32_t f = 0; f < polyhedron.face_count && status == CD_OK; f++)
        status = check_face(polyhedron, f, seen_in, diag);
    cd_arena_rewind(arena, mark);
    return status;
}

double cd_points_radius3(const cd_vec3 *point, int32_t count)
{
    double largest = 0;
    for (int32_t i = 0; i < count; i++) {
        double square = cd_dot3(point[i], point[i]);
        largest = square > largest ? square : largest;
    }
    // Relative errors in units of 2^-53: squares and sums 3 (halved by the root), root 1. Below 4.
    return sqrt(largest) * (1 + 2 * DBL_EPSILON);
}

void cd_points_place3(const cd_vec3 *point, int32_t count, const cd_pose3 *pose, cd_vec3 *out)
{
    for (int32_t i = 0; i < count; i++)
        out[i] = cd_pose3_apply(pose, point[i]);
}
