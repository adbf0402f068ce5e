// The normal of one triangle's contact turned into the range of the normals that meet at its edge or vertex: what Woo's
// document asks for by three zones, for convex and concave edges of any angle, from both sides, whatever the windings.
// SPDX-License-Identifier: MIT
#include "surface_site.h"

// ---- edges ---------------------------------------------------------------------------------------------------------

static cd_vec3 unit_area(const cd_surface_view *view, int32_t triangle)
{
    cd_vec3 corner[3];
    cd_surface_seen_corners(view, triangle, corner);
    return cd_unit3(cd_surface_area(corner));
}

static cd_vec3 away_in(const cd_surface_view *view, int32_t triangle, int32_t p, int32_t q)
{
    cd_vec3 at = cd_surface_seen(view, p), along = cd_unit3(cd_sub3(cd_surface_seen(view, q), at));
    cd_vec3 to = cd_sub3(cd_surface_seen(view, cd_surface_third(view->mesh->surface, triangle, p, q)), at);
    return cd_unit3(cd_sub3(to, cd_scale3(cd_dot3(to, along), along)));
}

// With the angle phi of the normal from the triangle's own n1 toward o, out of it across the edge, and the signed angle
// psi by which the neighbour falls away behind the edge: the range is from n1 to n2 at psi, or from -n1 to -n2.
static cd_vec3 turn_at_edge(const cd_surface_view *view, const cd_surface_site *site, int32_t beside)
{
    const double half_pi = M_PI / 2;
    cd_vec3 n1 = unit_area(view, site->triangle), d = site->normal;
    cd_vec3 o = cd_negate3(away_in(view, site->triangle, site->p, site->q));
    cd_vec3 other = away_in(view, beside, site->p, site->q);
    double psi = atan2(-cd_dot3(other, n1), cd_dot3(other, o)), phi = atan2(cd_dot3(d, o), cd_dot3(d, n1));
    bool is_front = phi < half_pi + psi;
    if (!is_front) {
        n1 = cd_negate3(n1);
        psi = -psi;
        phi = 2 * half_pi - phi;
    }
    double turned = fmin(fmax(phi, fmin(0, psi)), fmax(0, psi));
    return cd_unit3(cd_add3(cd_scale3(cos(turned), n1), cd_scale3(sin(turned), o)));
}

// ---- the cone of several normals -----------------------------------------------------------------------------------

typedef struct cone {
    int32_t count;
    cd_vec3 *normal;  // unit
    double *angle;    // [rad] at the vertex
} cone;

// The weights of at most three independent vectors whose sum is nearest to d, by Gram and Schmidt.
static void fit(const cd_vec3 *vector, int count, cd_vec3 d, double weight[3])
{
    cd_vec3 basis[3];
    double upper[3][3], right[3];
    for (int j = 0; j < count; j++) {
        cd_vec3 rest = vector[j];
        for (int i = 0; i < j; i++) {
            upper[i][j] = cd_dot3(basis[i], rest);
            rest = cd_sub3(rest, cd_scale3(upper[i][j], basis[i]));
        }
        upper[j][j] = cd_length3(rest);
        basis[j] = cd_scale3(1 / upper[j][j], rest);
        right[j] = cd_dot3(basis[j], d);
    }
    for (int i = count; i-- > 0;) {
        weight[i] = right[i];
        for (int j = i + 1; j < count; j++)
            weight[i] -= upper[i][j] * weight[j];
        weight[i] /= upper[i][i];
    }
}

// The least part of the way from `old` to `next` after which a weight is no more than 0; which one: `at`.
static double way_to_zero(const double *old, const double *next, int count, int *at)
{
    double part = 1;
    *at = -1;
    for (int i = 0; i < count; i++)
        if (next[i] <= 0 && old[i] / (old[i] - next[i]) < part) {
            part = old[i] / (old[i] - next[i]);
            *at = i;
        }
    return part;
}

// The point of the cone that is nearest to d, by the active set of Lawson and Hanson (1974), 23: three vectors at most.
static cd_vec3 project(const cone *c, cd_vec3 d)
{
    const double parallel = 1e-12;  // [1] of unit vectors: what rises by no more rises by rounding
    enum { ROUNDS = 100 };
    int32_t set[3];
    cd_vec3 vector[3], sum = {0, 0, 0};
    double weight[3] = {0, 0, 0};
    int count = 0;
    for (int round = 0; round < ROUNDS && count < 3; round++) {
        // the vector that rises most toward what is left
        int32_t best = -1;
        double rise = parallel;
        cd_vec3 rest = cd_sub3(d, sum);
        for (int32_t i = 0; i < c->count; i++)
            if (cd_dot3(c->normal[i], rest) > rise) {
                rise = cd_dot3(c->normal[i], rest);
                best = i;
            }
        if (best < 0)
            break;
        set[count] = best;
        weight[count] = 0;
        vector[count++] = c->normal[best];
        // weights that would be below 0 leave
        double next[3];
        for (;;) {
            int out;
            fit(vector, count, d, next);
            double part = way_to_zero(weight, next, count, &out);
            for (int i = 0; i < count; i++)
                weight[i] += part * (next[i] - weight[i]);
            if (out < 0)
                break;
            count--;
            for (int i = out; i < count; i++) {
                set[i] = set[i + 1];
                vector[i] = vector[i + 1];
                weight[i] = weight[i + 1];
            }
        }
        sum = (cd_vec3){0, 0, 0};
        for (int i = 0; i < count; i++)
            sum = cd_add3(sum, cd_scale3(weight[i], vector[i]));
    }
    if (cd_dot3(sum, sum) > 0)
        return cd_unit3(sum);
    int32_t nearest = 0;  // all point away from d
    for (int32_t i = 1; i < c->count; i++)
        nearest = cd_dot3(c->normal[i], d) > cd_dot3(c->normal[nearest], d) ? i : nearest;
    return c->normal[nearest];
}

// ---- vertices ------------------------------------------------------------------------------------------------------

// Does the triangle's boundary run from p to q?
static bool runs_along(const cd_surface *s, int32_t triangle, int32_t p, int32_t q)
{
    for (int k = 0; k < 3; k++)
        if (cd_surface_corner(s, triangle, k) == p && cd_surface_corner(s, triangle, (k + 1) % 3) == q)
            return true;
    return false;
}

static int32_t place_in(const cd_surface_star *star, int32_t triangle)
{
    int32_t low = 0, high = star->count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (star->triangle[middle] < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The normals of all triangles of a vertex, on one side of the surface, from triangle to triangle over their edges.
// False: the vertex is on a rim, or more than two meet at an edge.
static bool make_cone(const cd_surface_view *view, const cd_surface_site *site, cone *c, cd_arena *scratch)
{
    const cd_surface *s = view->mesh->surface;
    int32_t v = site->p;
    cd_surface_star star = cd_surface_star_of(s, v);
    int8_t *sign = CD_ARENA_ZARRAY(scratch, int8_t, star.count);
    int32_t *queue = CD_ARENA_ARRAY(scratch, int32_t, star.count), count = 0;
    *c = (cone){0, CD_ARENA_ARRAY(scratch, cd_vec3, star.count), CD_ARENA_ARRAY(scratch, double, star.count)};
    queue[count++] = place_in(&star, site->triangle);
    sign[queue[0]] = 1;
    for (int32_t i = 0; i < count; i++) {
        int32_t t = star.triangle[queue[i]];
        cd_vec3 corner[3], to[2], area;
        int ends = 0;
        cd_surface_seen_corners(view, t, corner);
        area = cd_surface_area(corner);
        for (int k = 0; k < 3; k++) {
            int32_t end = cd_surface_corner(s, t, k);
            if (end == v || ends == 2)
                continue;
            to[ends++] = cd_sub3(corner[k], cd_surface_seen(view, v));
            int32_t beside = cd_surface_beside(s, t, v, end);
            if (beside < 0)
                return false;
            int32_t place = place_in(&star, beside);
            if (sign[place])
                continue;
            bool is_same = runs_along(s, t, v, end) != runs_along(s, beside, v, end);
            sign[place] = (int8_t)(is_same ? sign[queue[i]] : -sign[queue[i]]);
            queue[count++] = place;
        }
        if (ends < 2 || !(cd_dot3(area, area) > 0))
            continue;
        c->angle[c->count] = atan2(cd_length3(cd_cross3(to[0], to[1])), cd_dot3(to[0], to[1]));
        c->normal[c->count++] = cd_scale3(sign[queue[i]], cd_unit3(area));
    }
    return c->count > 0;
}

static cd_vec3 turn_at_vertex(const cd_surface_view *view, const cd_surface_site *site, cd_arena *scratch)
{
    cone c;
    cd_vec3 sum = {0, 0, 0};
    if (!make_cone(view, site, &c, scratch))
        return site->normal;
    for (int32_t i = 0; i < c.count; i++)
        sum = cd_add3(sum, cd_scale3(c.angle[i], c.normal[i]));
    for (int32_t i = 0; i < c.count && cd_dot3(sum, site->normal) < 0; i++)
        c.normal[i] = cd_negate3(c.normal[i]);
    return project(&c, site->normal);
}

void cd_surface_turn(const cd_surface_view *view, cd_surface_site *site, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_vec3 corner[3];
    cd_surface_seen_corners(view, site->triangle, corner);
    cd_vec3 area = cd_surface_area(corner);
    if (site->kind == CD_FEATURE_FACE || site->is_degenerate || !(cd_dot3(area, area) > 0))
        return;
    if (site->kind == CD_FEATURE_VERTEX) {
        site->normal = turn_at_vertex(view, site, scratch);
    } else {
        int32_t beside = cd_surface_beside(view->mesh->surface, site->triangle, site->p, site->q);
        if (beside >= 0 && cd_dot3(unit_area(view, beside), unit_area(view, beside)) > 0)
            site->normal = turn_at_edge(view, site, beside);
    }
    site->own_normal = cd_surface_own(view, site->normal);
    cd_arena_rewind(scratch, mark);
}
