// SPDX-License-Identifier: MIT
#include "cd_outline3.h"

#include "cd_vector.h"

enum { LANES = CD_CONVEX3_LANES, MOST = CD_OUTLINE3_MOST, ROOM = (MOST + LANES - 1) / LANES * LANES };

// [1] of a length: what rounding of a product of it may take away, with a wide margin. Smaller: what lies at the end of
// a grown edge may be left out. Larger: slower.
#define GROWN_ROUNDING 1e-9

// ---- one point -----------------------------------------------------------------------------------------------------

static bool is_over_side(const cd_shell3 *shell, const int32_t *corner, cd_vec3 p, double grown)
{
    cd_vec3 from = cd_shell3_vertex(shell, corner[0]);
    cd_vec3 along = cd_sub3(cd_shell3_vertex(shell, corner[1]), from);
    double length = cd_length3(along), at = cd_dot3(cd_sub3(p, from), along);
    return at >= -grown * length && at <= (length + grown) * length;
}

bool cd_face3_is_over(const cd_shell3 *shell, int32_t face, cd_vec3 p, double grown)
{
    const cd_convex3 *c = shell->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    const int32_t count = c->face_first[face + 1] - c->face_first[face];
    cd_vec3 normal = cd_shell3_normal(shell, face);
    if (count == 2) {
        grown += shell->margin;
        if (!is_over_side(shell, corner, p, grown))
            return false;
    }
    for (int32_t k = 0; k < count; k++) {
        cd_vec3 from = cd_shell3_vertex(shell, corner[k]);
        cd_vec3 edge = cd_sub3(cd_shell3_vertex(shell, corner[k + 1 < count ? k + 1 : 0]), from);
        double inside = cd_dot3(cd_cross3(normal, edge), cd_sub3(p, from));
        if (inside < 0 && inside < -grown * cd_length3(edge))
            return false;
    }
    return true;
}

// ---- all vertices --------------------------------------------------------------------------------------------------

// The line of an edge of the outline, seen along the face's normal n: p is at out.(p - from) / |edge| outside of it,
// with out = edge x n.
typedef struct line {
    cd_vec3 from, out;
    double clear, beyond;  // [m^2] out.(p - from) of what is clearly on one side, of what is beyond
} line;

typedef struct corners {
    int32_t count;
    double x[ROOM], y[ROOM], z[ROOM];  // whole lanes
} corners;

static cd_vec3 corner_at(const corners *c, int32_t k) { return (cd_vec3){c->x[k], c->y[k], c->z[k]}; }

// Padded to whole lanes with the first one.
static void corners_make(const cd_convex3 *c, int32_t face, corners *of)
{
    const int32_t *corner = c->face_vertex + c->face_first[face];
    of->count = c->face_first[face + 1] - c->face_first[face];
    for (int32_t k = 0; k < cd_convex3_padded(of->count); k++) {
        const int32_t v = corner[k < of->count ? k : 0];
        of->x[k] = c->x[v];
        of->y[k] = c->y[v];
        of->z[k] = c->z[v];
    }
}

// Corners may stand out of a line by rounding, of a short edge by much: what is within `grown` of an edge of the
// outline is no farther out than the outermost corner and that.
static void lines_make(const corners *c, cd_vec3 normal, double grown, double unsure, line *of)
{
    for (int32_t k = 0; k < c->count; k++) {
        cd_vec3 from = corner_at(c, k), edge = cd_sub3(corner_at(c, k + 1 < c->count ? k + 1 : 0), from);
        const double length = cd_length3(edge);
        line *l = &of[k];
        l->from = from;
        l->out = cd_cross3(edge, normal);
        l->clear = unsure * length;
        double most = 0;
        for (int32_t j = 0; j < c->count; j++) {
            double out = cd_dot3(l->out, cd_sub3(corner_at(c, j), from));
            most = out > most ? out : most;
        }
        l->beyond = most + grown * length * (1 + GROWN_ROUNDING) + 2 * l->clear;
    }
}

// Bits are added up as doubles, one loop a number: what a compiler makes vectors of.
CD_VECTOR_CLONES static void tell(const cd_convex3 *c, const line *lines, int32_t count, uint32_t *restrict within,
                                  uint32_t *restrict outside, uint32_t *restrict beyond)
{
    for (int32_t i = 0; i < c->vertex_count; i += LANES) {
        const double *x = c->x + i, *y = c->y + i, *z = c->z + i;
        double in[LANES] = {0}, out[LANES] = {0}, far[LANES] = {0};
        for (int32_t k = 0; k < count; k++) {
            const line l = lines[k];
            const double bit = (double)(UINT32_C(1) << k);
            double h[LANES];
            for (int m = 0; m < LANES; m++)
                h[m] = (x[m] - l.from.x) * l.out.x + (y[m] - l.from.y) * l.out.y + (z[m] - l.from.z) * l.out.z;
            for (int m = 0; m < LANES; m++)
                in[m] += h[m] < -l.clear ? bit : 0;
            for (int m = 0; m < LANES; m++)
                out[m] += h[m] > l.clear ? bit : 0;
            for (int m = 0; m < LANES; m++)
                far[m] += h[m] > l.beyond ? bit : 0;
        }
        for (int m = 0; m < LANES; m++) {
            within[i + m] = (uint32_t)(int32_t)in[m];
            outside[i + m] = (uint32_t)(int32_t)out[m];
            beyond[i + m] = (uint32_t)(int32_t)far[m];
        }
    }
}

cd_outline3 cd_outline3_make(cd_arena *arena, const cd_shell3 *owner, int32_t face, const cd_shell3 *other,
                             double grown, double unsure)
{
    const int32_t count = owner->convex->face_first[face + 1] - owner->convex->face_first[face];
    if (count < 3 || count > MOST)
        return (cd_outline3){.all = 0};
    corners of;
    line lines[MOST];
    corners_make(owner->convex, face, &of);
    lines_make(&of, cd_shell3_normal(owner, face), grown, unsure, lines);
    const size_t padded = (size_t)cd_convex3_padded(other->convex->vertex_count);
    uint32_t *within = CD_ARENA_ARRAY(arena, uint32_t, 3 * padded);
    tell(other->convex, lines, count, within, within + padded, within + 2 * padded);
    return (cd_outline3){UINT32_MAX >> (32 - count), within, within + padded, within + 2 * padded};
}
