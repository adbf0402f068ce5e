// Which of the nearest points of triangles are local minima of the distance to the surface.
// SPDX-License-Identifier: MIT
#include "surface_site.h"

// ---- one site ------------------------------------------------------------------------------------------------------

// [1] of an edge's length: a point that near to it is on it, where triangles without area lie between.
static const double on_edge = 1e-9;

// Edges that were looked at, of which some lie along one another with a triangle without area between them.
enum { EDGES = 16 };
typedef struct leaning {
    const cd_surface_view *view;
    cd_vec3 foot, normal;  // seen
    struct {
        int32_t p, q;
    } edge[EDGES];
    int count;
} leaning;

static bool is_looked_at(const leaning *l, int32_t p, int32_t q)
{
    for (int i = 0; i < l->count; i++)
        if ((l->edge[i].p == p && l->edge[i].q == q) || (l->edge[i].p == q && l->edge[i].q == p))
            return true;
    return l->count == EDGES;
}

// Does the normal lean over a triangle of the edge? What a triangle without area has at its other edges counts too.
static bool leans_at_edge(leaning *l, int32_t p, int32_t q)  // NOLINT(misc-no-recursion): EDGES deep at most
{
    const cd_surface *s = l->view->mesh->surface;
    int32_t other;
    cd_surface_star star = cd_surface_star_of_edge(s, p, q, &other);
    cd_vec3 at_p = cd_surface_seen(l->view, p), at_q = cd_surface_seen(l->view, q), along = cd_sub3(at_q, at_p);
    double square = cd_dot3(along, along);
    if (is_looked_at(l, p, q))
        return false;
    l->edge[l->count].p = p;
    l->edge[l->count++].q = q;
    for (int32_t i = 0; i < star.count; i++) {
        int32_t third = cd_surface_third(s, star.triangle[i], p, q);
        if (!cd_surface_has(s, star.triangle[i], other) || third == p)
            continue;
        cd_vec3 at_third = cd_surface_seen(l->view, third), to = cd_sub3(at_third, at_p);
        cd_vec3 away = cd_sub3(to, cd_scale3(cd_dot3(to, along) / square, along));
        double height = cd_dot3(away, away), longest = fmax(square, cd_dot3(to, to)), on = on_edge * sqrt(longest);
        if (height > CD_FLATNESS_SQ * longest) {
            if (cd_dot3(l->normal, away) > CD_SURFACE_LEANING * sqrt(height))
                return true;
            continue;
        }
        if (cd_surface_segment_distance(l->foot, at_p, at_third) <= on && leans_at_edge(l, p, third))
            return true;
        if (cd_surface_segment_distance(l->foot, at_q, at_third) <= on && leans_at_edge(l, q, third))
            return true;
    }
    return false;
}

static bool leans_at_vertex(leaning *l, int32_t v)
{
    const cd_surface *s = l->view->mesh->surface;
    cd_surface_star star = cd_surface_star_of(s, v);
    cd_vec3 at = cd_surface_seen(l->view, v);
    for (int32_t i = 0; i < star.count; i++) {
        int32_t end[2];
        cd_vec3 to[2];
        int count = 0;
        for (int k = 0; k < 3; k++) {
            int32_t corner = cd_surface_corner(s, star.triangle[i], k);
            if (corner == v || count == 2)
                continue;
            end[count] = corner;
            to[count] = cd_sub3(cd_surface_seen(l->view, corner), at);
            if (cd_dot3(l->normal, to[count]) > CD_SURFACE_LEANING * cd_length3(to[count]))
                return true;
            count++;
        }
        if (count < 2 || !(cd_dot3(to[0], to[1]) < 0))
            continue;
        // a triangle without area whose long edge runs by: the triangles there meet at the vertex too
        cd_vec3 corner[3] = {{0, 0, 0}, to[0], to[1]}, area = cd_surface_area(corner);
        if (cd_dot3(area, area) == 0 && leans_at_edge(l, end[0], end[1]))
            return true;
    }
    return false;
}

// Is there a local minimum of the distance?
static bool is_minimum(const cd_surface_view *view, const cd_surface_site *site)
{
    leaning l = {.view = view, .foot = site->foot, .normal = site->normal};
    if (site->kind == CD_FEATURE_FACE)
        return true;
    return site->kind == CD_FEATURE_EDGE ? !leans_at_edge(&l, site->p, site->q) : !leans_at_vertex(&l, site->p);
}

// The angle at a corner, in the pseudonormal of which the side of the nearest point can be read (Baerentzen & Aanaes
// 2005).
static double angle_at(const cd_vec3 corner[3], int k)
{
    cd_vec3 to = cd_sub3(corner[(k + 1) % 3], corner[k]), from = cd_sub3(corner[(k + 2) % 3], corner[k]);
    return atan2(cd_length3(cd_cross3(to, from)), cd_dot3(to, from));
}

bool cd_surface_is_front(const cd_surface_view *view, const cd_surface_site *site)
{
    const cd_surface *s = view->mesh->surface;
    cd_surface_star star = cd_surface_star_of(s, site->p);
    if (site->kind == CD_FEATURE_FACE || site->is_degenerate) {
        star = (cd_surface_star){&site->triangle, 1};
        if (site->is_degenerate)
            return true;
    }
    double sum = 0;
    for (int32_t i = 0; i < star.count; i++) {
        cd_vec3 corner[3];
        if (site->kind == CD_FEATURE_EDGE && !cd_surface_has(s, star.triangle[i], site->q))
            continue;
        cd_surface_seen_corners(view, star.triangle[i], corner);
        double weight = 1;
        for (int k = 0; k < 3 && site->kind == CD_FEATURE_VERTEX; k++)
            if (cd_surface_corner(s, star.triangle[i], k) == site->p)
                weight = angle_at(corner, k);
        sum += weight * cd_dot3(site->normal, cd_unit3(cd_surface_area(corner)));
    }
    return sum >= 0;
}

// ---- all of a body -------------------------------------------------------------------------------------------------

// [1] of the distance: points so near to one another are one.
static const double same_point = 1e-9;

static bool is_before(const cd_surface_site *a, const cd_surface_site *b)  // by feature, then by triangle
{
    return a->key != b->key ? a->key < b->key : a->triangle < b->triangle;
}

static bool is_deeper(const cd_surface_site *a, const cd_surface_site *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->gap < b->gap;
}

static void sift(const cd_surface_site *site, int32_t *order, int32_t top, int32_t count)
{
    for (int32_t child; (child = 2 * top + 1) < count; top = child) {
        if (child + 1 < count && is_before(&site[order[child]], &site[order[child + 1]]))
            child++;
        if (!is_before(&site[order[top]], &site[order[child]]))
            return;
        int32_t swap = order[top];
        order[top] = order[child];
        order[child] = swap;
    }
}

static int32_t *sort_sites(const cd_surface_site *site, int32_t count, cd_arena *scratch)
{
    enum { FEW = 24 };
    int32_t *order = CD_ARENA_ARRAY(scratch, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        int32_t k = i;
        for (; count <= FEW && k > 0 && is_before(&site[i], &site[order[k - 1]]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int32_t top = count / 2; count > FEW && top-- > 0;)
        sift(site, order, top, count);
    for (int32_t end = count; count > FEW && end-- > 1;) {  // heap sort: in place, never quadratic
        int32_t swap = order[0];
        order[0] = order[end];
        order[end] = swap;
        sift(site, order, 0, end);
    }
    return order;
}

// Of several at one point only the first of `order` stays; all with the centre in the surface are at one point.
static void drop_same(cd_surface_site *site, const int32_t *order, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        cd_surface_site *later = &site[order[i]];
        for (int32_t k = 0; k < i && later->is_kept; k++) {
            const cd_surface_site *first = &site[order[k]];
            double apart = cd_length3(cd_sub3(first->foot, later->foot));
            if (first->is_kept && ((first->is_degenerate && later->is_degenerate) ||
                                   apart <= same_point * fmin(first->distance, later->distance)))
                later->is_kept = false;
        }
    }
}

void cd_surface_keep(const cd_surface_view *view, const cd_surface_rules *rules, cd_surface_site *site, int32_t count,
                     double least, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *order = sort_sites(site, count, scratch), deepest = -1, kept = 0;
    double behind = INFINITY;  // the least distance of those whose back the body is on
    for (int32_t i = 0; i < count; i++) {
        cd_surface_site *own = &site[order[i]];
        own->is_kept = false;
        if (i > 0 && site[order[i - 1]].key == own->key)
            continue;
        if (rules->is_front_only && !cd_surface_is_front(view, own)) {
            behind = fmin(behind, own->distance);
            continue;
        }
        own->is_kept = own->is_degenerate || is_minimum(view, own);
        kept += own->is_kept;
        if (deepest < 0 || is_deeper(own, &site[deepest]))
            deepest = order[i];
    }
    // the least of all is a minimum, whatever rounding says of thin triangles. Where that one is not near, as in the
    // space of an ellipsoid the nearer may have the greater gap, no body that is near shall be without a contact
    if (deepest >= 0 && (site[deepest].distance <= least || (kept == 0 && site[deepest].distance < behind)))
        site[deepest].is_kept = true;
    kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (site[order[i]].is_kept)
            order[kept++] = order[i];
    drop_same(site, order, kept);
    cd_arena_rewind(scratch, mark);
}
