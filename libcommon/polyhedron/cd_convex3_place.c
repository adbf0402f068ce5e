// SPDX-License-Identifier: MIT
#include "cd_convex3_place.h"

#include "cd_vector.h"

#include <float.h>

enum { LANES = CD_CONVEX3_LANES };

// Whole lanes at a time: a loop of a known length is what the compiler makes vectors of; what a column is padded with
// is a vertex like the others.

// ---- measures ------------------------------------------------------------------------------------------------------

typedef struct lanes {
    double at[LANES];
} lanes;

// Halves against each other, as vectors are folded.
static double fold_least(lanes l)
{
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            l.at[k] = l.at[k] < l.at[k + width] ? l.at[k] : l.at[k + width];
    return l.at[0];
}

static double fold_most(lanes l)
{
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            l.at[k] = l.at[k] > l.at[k + width] ? l.at[k] : l.at[k + width];
    return l.at[0];
}

CD_VECTOR_CLONES static void bound(const double *column, int32_t count, double *low, double *high)
{
    lanes least, most;
    memcpy(&least, column, sizeof least);
    memcpy(&most, column, sizeof most);
    for (int32_t i = LANES; i < count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            least.at[k] = column[i + k] < least.at[k] ? column[i + k] : least.at[k];
            most.at[k] = column[i + k] > most.at[k] ? column[i + k] : most.at[k];
        }
    *low = fold_least(least);
    *high = fold_most(most);
}

CD_VECTOR_CLONES static double farthest_sq(const cd_convex3 *c)
{
    lanes most = {{0}};
    for (int32_t i = 0; i < c->vertex_count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double x = c->x[i + k] - c->centre.x, y = c->y[i + k] - c->centre.y, z = c->z[i + k] - c->centre.z;
            double sq = x * x + y * y + z * z;
            most.at[k] = sq > most.at[k] ? sq : most.at[k];
        }
    return fold_most(most);
}

void cd_convex3_measure(cd_convex3 *c)
{
    bound(c->x, c->vertex_count, &c->low.x, &c->high.x);
    bound(c->y, c->vertex_count, &c->low.y, &c->high.y);
    bound(c->z, c->vertex_count, &c->low.z, &c->high.z);
    c->centre = cd_convex3_mean(c);
    c->radius = cd_convex3_radius(farthest_sq(c));
}

// ---- placing -------------------------------------------------------------------------------------------------------

// The columns of `from` moved: cd_pose3_apply of each vertex.
CD_VECTOR_CLONES static void place_columns(const cd_convex3 *from, const cd_pose3 *pose, double *restrict to_x,
                                           double *restrict to_y, double *restrict to_z)
{
    cd_vec3 p = pose->position, u = pose->turn.row[0], v = pose->turn.row[1], w = pose->turn.row[2];
    for (int32_t i = 0; i < from->vertex_count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double x = from->x[i + k], y = from->y[i + k], z = from->z[i + k];
            to_x[i + k] = p.x + (u.x * x + u.y * y + u.z * z);
            to_y[i + k] = p.y + (v.x * x + v.y * y + v.z * z);
            to_z[i + k] = p.z + (w.x * x + w.y * y + w.z * z);
        }
}

void cd_convex3_move(const cd_convex3 *from, const cd_pose3 *pose, cd_convex3_columns to, cd_plane *plane,
                     cd_convex3 *c)
{
    place_columns(from, pose, to.x, to.y, to.z);
    cd_convex3_measure(c);
    if (plane)
        cd_convex3_turn_planes(from, pose, c, plane);
}

// Planes and corners are asked for by the time vertices are moved.
static void expect_faces(const cd_convex3 *convex)
{
    enum { LINE = 64, MOST = 32 * LINE };
    const int32_t *corner = convex->face_vertex + convex->face_first[0];
    size_t planes = (size_t)convex->face_count * sizeof(cd_plane),
           corners = 3 * (size_t)convex->face_count * sizeof *corner;
    for (size_t at = 0; at < planes && at < MOST; at += LINE)
        __builtin_prefetch((const char *)convex->plane + at);
    for (size_t at = 0; at < corners && at < MOST; at += LINE)
        __builtin_prefetch((const char *)corner + at);
}

void cd_convex3_place_into(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose, bool has_planes,
                           cd_convex3 *placed)
{
    size_t planes = ((size_t)convex->face_count + CD_CONVEX3_PLANES - 1) / CD_CONVEX3_PLANES * CD_CONVEX3_PLANES;
    cd_convex3_columns to =
        cd_convex3_new_columns(arena, convex->vertex_count, has_planes ? planes * sizeof(cd_plane) : sizeof(cd_mat3));
    void *more = cd_convex3_behind(to, convex->vertex_count);
    cd_plane *plane = has_planes ? more : NULL;
    if (has_planes)
        expect_faces(convex);
    *placed = *convex;
    placed->x = to.x;
    placed->y = to.y;
    placed->z = to.z;
    placed->plane = plane;
    placed->home = has_planes ? NULL : convex;
    placed->turn = has_planes ? NULL : more;
    if (!has_planes)
        *(cd_mat3 *)more = pose->turn;
    if (cd_vector_detect(CD_VECTOR_AVX512) == CD_VECTOR_AVX512)
        cd_convex3_move_avx512(convex, pose, to, plane, placed);
    else
        cd_convex3_move(convex, pose, to, plane, placed);
}

cd_convex3 cd_convex3_place(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose)
{
    cd_convex3 c;
    cd_convex3_place_into(arena, convex, pose, true, &c);
    return c;
}

// ---- moving --------------------------------------------------------------------------------------------------------

// The columns of `from` with a number added to each.
CD_VECTOR_CLONES static void shift_columns(const cd_convex3 *from, cd_vec3 by, double *restrict to_x,
                                           double *restrict to_y, double *restrict to_z)
{
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
    cd_convex3_columns to = cd_convex3_new_columns(arena, c.vertex_count, 0);
    shift_columns(convex, by, to.x, to.y, to.z);
    c.x = to.x;
    c.y = to.y;
    c.z = to.z;
    c.low = cd_add3(by, c.low);
    c.high = cd_add3(by, c.high);
    c.centre = cd_add3(by, c.centre);
    // Each coordinate of vertices and centre is rounded once more, by half an ulp of what the bounds reach.
    cd_vec3 reach = {cd_convex3_larger(fabs(c.low.x), fabs(c.high.x)), cd_convex3_larger(fabs(c.low.y), fabs(c.high.y)),
                     cd_convex3_larger(fabs(c.low.z), fabs(c.high.z))};
    c.radius = (c.radius + DBL_EPSILON * (reach.x + reach.y + reach.z)) * (1 + 4e-16);
    if (c.plane) {
        c.plane = NULL;
        c.home = convex;
        c.turn = &no_turn;
    }
    return c;
}
