// The search once more where doubles could not prove their answer: needles, plates, nearly coplanar corners.
//
// Corners' differences are exact as sums of two doubles; the nearest point of a simplex is the best of all its faces'
// (the exhaustive "backup procedure" of Gilbert, Johnson & Keerthi 1988, section V), each a convex combination. Only
// corners are looked for in doubles. About 10 us a pair.
// SPDX-License-Identifier: MIT
#include "cd_gjk.h"
#include "cd_twofold.h"

#include <float.h>

// ---- nearest point of a simplex ------------------------------------------------------------------------------------

typedef struct nearest_face {
    unsigned mask;  // of the corners; 0: none yet
    double square;
    cd_twofold3 v;
    double weight[4];
} nearest_face;

// What follows finds the weights of the point of the corners' affine hull that is nearest to the origin, times a
// positive number; the return value: whether all are positive. Products of edges as in cd_gjk_simplex.h: Johnson's
// recursion squares them, which in a needle of aspect 1e6 leaves 7 digits even of these numbers.
static bool segment_weights(const cd_twofold3 *y, const int *corner, cd_twofold *weight)
{
    cd_twofold3 e = cd_twofold_subtract3(y[corner[1]], y[corner[0]]);
    weight[0] = cd_twofold_dot3(y[corner[1]], e);
    weight[1] = cd_twofold_negate(cd_twofold_dot3(y[corner[0]], e));
    return weight[0].high > 0 && weight[1].high > 0;
}

static bool triangle_weights(const cd_twofold3 *y, const int *corner, cd_twofold *weight)
{
    cd_twofold3 last = y[corner[2]], e0 = cd_twofold_subtract3(y[corner[0]], last),
                e1 = cd_twofold_subtract3(y[corner[1]], last);
    cd_twofold3 n = cd_twofold_cross3(e0, e1);
    weight[0] = cd_twofold_dot3(n, cd_twofold_cross3(e1, last));
    weight[1] = cd_twofold_dot3(n, cd_twofold_cross3(last, e0));
    weight[2] = cd_twofold_subtract(cd_twofold_subtract(cd_twofold_dot3(n, n), weight[0]), weight[1]);
    return weight[0].high > 0 && weight[1].high > 0 && weight[2].high > 0;
}

static bool tetrahedron_weights(const cd_twofold3 *y, cd_twofold *weight)
{
    cd_twofold3 e0 = cd_twofold_subtract3(y[0], y[3]), e1 = cd_twofold_subtract3(y[1], y[3]),
                e2 = cd_twofold_subtract3(y[2], y[3]);
    cd_twofold3 n0 = cd_twofold_cross3(e1, e2);
    cd_twofold volume = cd_twofold_dot3(e0, n0);
    weight[0] = cd_twofold_negate(cd_twofold_dot3(y[3], n0));
    weight[1] = cd_twofold_negate(cd_twofold_dot3(y[3], cd_twofold_cross3(e2, e0)));
    weight[2] = cd_twofold_negate(cd_twofold_dot3(y[3], cd_twofold_cross3(e0, e1)));
    weight[3] = cd_twofold_subtract(cd_twofold_subtract(cd_twofold_subtract(volume, weight[0]), weight[1]), weight[2]);
    bool is_inside = true;
    for (int k = 0; k < 4; k++) {
        if (volume.high < 0)
            weight[k] = cd_twofold_negate(weight[k]);
        is_inside &= weight[k].high > 0;
    }
    return is_inside;
}

static nearest_face face_point(const cd_twofold3 *y, const int *corner, int count, const cd_twofold *weight)
{
    nearest_face face = {.mask = 0};
    cd_twofold sum = {0, 0}, zero = {0, 0};
    for (int k = 0; k < count; k++)
        sum = cd_twofold_add(sum, weight[k]);
    face.v = (cd_twofold3){zero, zero, zero};
    for (int k = 0; k < count; k++) {
        cd_twofold part = cd_twofold_divide(weight[k], sum);
        face.v = cd_twofold_add_scaled3(face.v, part, y[corner[k]]);
        face.weight[corner[k]] = part.high;
        face.mask |= 1u << corner[k];
    }
    face.square = cd_twofold_dot3(face.v, face.v).high;
    return face;
}

// A face with a weight <= 0 has its nearest point on one of its own faces. Rounded weights still make a point of the
// simplex, so the least |v| is right. `surface_square` is that without the inside of a tetrahedron.
static nearest_face nearest_of_faces(const cd_twofold3 *y, int count, double tolerance_sq, double *surface_square)
{
    nearest_face best = {.square = INFINITY};
    *surface_square = INFINITY;
    for (unsigned mask = 1; mask < 1u << count; mask++) {
        int corner[4], corners = 0;
        for (int i = 0; i < count; i++)
            if (mask >> i & 1)
                corner[corners++] = i;
        cd_twofold weight[4] = {{1, 0}};
        bool is_inside = corners == 1   ? true
                         : corners == 2 ? segment_weights(y, corner, weight)
                         : corners == 3 ? triangle_weights(y, corner, weight)
                                        : tetrahedron_weights(y, weight);
        if (!is_inside)
            continue;
        nearest_face face = face_point(y, corner, corners, weight);
        if (corners == 4 && !(face.square <= tolerance_sq))
            continue;  // as flat as that, its faces are as near
        if (corners < 4 && face.square < *surface_square)
            *surface_square = face.square;
        if (face.square < best.square)
            best = face;
    }
    return best;
}

// ---- the search ----------------------------------------------------------------------------------------------------

static cd_twofold3 point_of(const cd_gjk *g, int32_t a, int32_t b)
{
    cd_vec3 p = cd_gjk_corner(&g->a, a), q = cd_gjk_corner(&g->b, b);
    return (cd_twofold3){cd_twofold_exact_sum(p.x, -q.x), cd_twofold_exact_sum(p.y, -q.y),
                         cd_twofold_exact_sum(p.z, -q.z)};
}

// Keeps the corners of the face, in ascending order, with their points.
static void keep_face(cd_gjk *g, cd_twofold3 *y, const nearest_face *face)
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (face->mask >> i & 1) {
            g->point[count] = g->point[i];
            g->weight[count] = face->weight[i];
            y[count++] = y[i];
        }
    g->count = count;
    g->v = cd_twofold_rounded3(face->v);
}

void cd_gjk_run_extended(cd_gjk *g, cd_vector_level level)
{
    double tolerance = CD_GJK_TOLERANCE / 4 * g->scale, square = INFINITY, lower = 0;
    cd_twofold3 y[4];
    int count = g->count;
    for (int k = 0; k < count; k++)
        y[k] = point_of(g, g->point[k].a, g->point[k].b);
    g->end = CD_GJK_LIMIT;
    for (int i = 0; i < CD_GJK_MOST_ITERATIONS; i++) {
        double surface_square;
        nearest_face face = nearest_of_faces(y, count, tolerance * tolerance, &surface_square);
        if (!(face.square < square)) {
            g->end = CD_GJK_STUCK;
            break;
        }
        square = face.square;
        keep_face(g, y, &face);
        count = g->count;
        if (square <= tolerance * tolerance) {
            g->end = count == 4 && surface_square > tolerance * tolerance ? CD_GJK_INSIDE : CD_GJK_AT_ORIGIN;
            lower = 0;
            break;
        }
        // Normalised, so that the products of what is tiny do not leave the range of a double.
        cd_vec3 v = cd_scale3(1 / sqrt(square), g->v);
        cd_gjk_point found = {
            {0, 0, 0}, cd_gjk_support_at(&g->a, cd_negate3(v), level), cd_gjk_support_at(&g->b, v, level)};
        g->iterations++;
        cd_twofold3 w = point_of(g, found.a, found.b);
        found.w = cd_twofold_rounded3(w);
        lower = fmax(lower, cd_twofold_dot3(face.v, w).high / sqrt(square));
        bool is_known = false;
        for (int k = 0; k < count; k++)
            is_known |= g->point[k].a == found.a && g->point[k].b == found.b;
        if (sqrt(square) - lower <= tolerance || is_known) {
            g->end = is_known ? CD_GJK_STUCK : CD_GJK_CONVERGED;
            break;
        }
        g->point[count] = found;
        y[count++] = w;
    }
    g->upper = sqrt(square);
    g->lower = lower;
}
