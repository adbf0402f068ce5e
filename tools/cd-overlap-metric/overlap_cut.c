// The part of a convex polyhedron inside a half-space.
//
// Faces are clipped by the plane, and the volume is summed over what remains as cones from a point on the plane, so
// that the face in the plane adds nothing: no topology is needed. The point is below the deepest corner, hence a thin
// slice is made of thin cones, and rounding is a part of it.
// SPDX-License-Identifier: MIT
#include "overlap_volume.h"

#include <float.h>

static const double rounding = 32 * (DBL_EPSILON / 2);  // [1] of the sum of all cones

typedef struct slice {
    double volume, size, area;  // [m^3] the sum of cones, of their sizes; [m^2] of the faces' parts inside
} slice;

// Adds the cone over a triangle, corners relative to the apex.
static void add_cone(slice *sum, cd_vec3 p, cd_vec3 q, cd_vec3 r)
{
    cd_vec3 twice_area = cd_cross3(cd_sub3(q, p), cd_sub3(r, p));
    double cone = cd_dot3(p, twice_area) / 6;
    sum->volume += cone;
    sum->size += fabs(cone);
    sum->area += cd_length3(twice_area) / 2;
}

// Adds the part of a face inside, as a fan about its first corner inside. height[i] < 0: corner i is inside.
static void add_face(slice *sum, const cd_vec3 *corner, const double *height, const int32_t *face, int32_t count)
{
    cd_vec3 fan[2];
    int found = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = face[k], next = face[k + 1 < count ? k + 1 : 0];
        cd_vec3 piece[2];
        int pieces = 0;
        if (height[i] < 0)
            piece[pieces++] = corner[i];
        if ((height[i] < 0) != (height[next] < 0) && height[i] != 0 && height[next] != 0)
            piece[pieces++] = cd_lerp3(corner[i], corner[next], height[i] / (height[i] - height[next]));
        else if (height[i] == 0)
            piece[pieces++] = corner[i];
        for (int j = 0; j < pieces; j++) {
            if (found < 2) {
                fan[found++] = piece[j];
                continue;
            }
            add_cone(sum, fan[0], fan[1], piece[j]);
            fan[1] = piece[j];
        }
    }
}

cd_volume cd_volume_convex_halfspace(const cd_convex3 *a, cd_halfspace b, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, a->vertex_count);
    double *height = CD_ARENA_ARRAY(scratch, double, a->vertex_count);
    double highest = -INFINITY, size = 0;
    int32_t deepest = 0;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        cd_vec3 p = cd_convex3_vertex(a, i);
        height[i] = cd_dot3(b.normal, p) - b.offset;
        highest = fmax(highest, height[i]);
        size = fmax(size, cd_length3(p));
        deepest = height[i] < height[deepest] ? i : deepest;
    }
    cd_vec3 apex = cd_convex3_vertex(a, deepest);
    if (highest > 0)
        apex = cd_sub3(apex, cd_scale3(height[deepest], b.normal));
    for (int32_t i = 0; i < a->vertex_count; i++)
        corner[i] = cd_sub3(cd_convex3_vertex(a, i), apex);
    slice sum = {0, 0, 0};
    for (int32_t f = 0; f < a->face_count && height[deepest] < 0; f++)
        add_face(&sum, corner, height, a->face_vertex + a->face_first[f], a->face_first[f + 1] - a->face_first[f]);
    cd_arena_rewind(scratch, mark);
    double moved = 8 * (DBL_EPSILON / 2) * (size + fabs(b.offset));
    // The face in the plane is not larger than the others together; nor is it than the body's widest.
    return (cd_volume){fmax(sum.volume, 0), rounding * sum.size + moved * (2 * sum.area + moved * a->radius)};
}
