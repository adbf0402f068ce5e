// Contacts that a shallow valley separates become one, so that what acts on a body that crosses it does not jump.
//
// n' = unit(sum w_i f_i n_i), the least gap of all. w_i: the distance of the contact's point from the nearest edge of
// the valley: a contact begins and ends there. f_i = limit - gap_i: or it begins and ends at the limit. Between two
// faces with equal f this is 2 (d.m) m - d for the direction d from the edge to the centre and the bisector m of both
// normals.
// SPDX-License-Identifier: MIT
#include "surface_site.h"

// [rad] an edge rising by less is flat: rounding of vertices in a plane bends it. Larger: shallow valleys are not seen.
static const double flat_edge = 1e-9;

typedef struct valley {
    cd_vec3 p, q;  // [m] from the centre
} valley;

typedef struct joining {
    const cd_surface_view *view;
    const cd_surface_rules *rules;
    cd_surface_site *site;
    int32_t count;
    int32_t *parent;  // of each site, among those that shallow edges connect
    cd_arena *scratch;
} joining;

static cd_vec3 place_of(const cd_surface_view *view, int32_t vertex)
{
    return cd_sub3(view->mesh->vertex[vertex], view->ball->centre);
}

static cd_vec3 foot_of(const cd_surface_view *view, const cd_surface_site *site)
{
    return view->ball->is_ellipsoid ? cd_mat3_apply(&view->ball->from_ball, site->foot) : site->foot;
}

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(joining *j, int32_t a, int32_t b)
{
    int32_t root_a = root_of(j->parent, a), root_b = root_of(j->parent, b);
    j->parent[root_a > root_b ? root_a : root_b] = root_a < root_b ? root_a : root_b;
}

static int32_t site_of(const joining *j, int32_t triangle)  // -1: not near
{
    int32_t low = 0, high = j->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (j->site[middle].triangle < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < j->count && j->site[low].triangle == triangle ? low : -1;
}

// ---- edges ---------------------------------------------------------------------------------------------------------

typedef struct hinge {
    int32_t p, q, beside;  // beside: site; -1: there is no triangle beside it, or it is not near, or the edge is sharp
    double rise;           // [1] of the triangle beside it over the site's normal `up`
} hinge;

static cd_vec3 away_from(cd_vec3 p, cd_vec3 q, cd_vec3 third)
{
    cd_vec3 along = cd_sub3(q, p), to = cd_sub3(third, p);
    return cd_unit3(cd_sub3(to, cd_scale3(cd_dot3(to, along) / cd_dot3(along, along), along)));
}

static hinge hinge_of(const joining *j, int32_t site, int k, cd_vec3 up)
{
    const cd_surface *s = j->view->mesh->surface;
    int32_t t = j->site[site].triangle;
    hinge h = {cd_surface_corner(s, t, k), cd_surface_corner(s, t, (k + 1) % 3), -1, 0};
    int32_t u = h.p == h.q ? -1 : cd_surface_beside(s, t, h.p, h.q);
    int32_t near = u < 0 ? -1 : site_of(j, u);
    if (near < 0)
        return h;
    cd_vec3 p = place_of(j->view, h.p), q = place_of(j->view, h.q), corner[3];
    cd_vec3 own = away_from(p, q, place_of(j->view, cd_surface_third(s, t, h.p, h.q)));
    cd_vec3 other = away_from(p, q, place_of(j->view, cd_surface_third(s, u, h.p, h.q)));
    if (atan2(cd_length3(cd_cross3(other, own)), -cd_dot3(other, own)) > j->rules->crease)
        return h;
    for (int i = 0; i < 3; i++)
        corner[i] = place_of(j->view, cd_surface_corner(s, t, i));
    cd_vec3 normal = cd_unit3(cd_surface_area(corner));
    h.beside = near;
    h.rise = cd_dot3(normal, up) < 0 ? -cd_dot3(other, normal) : cd_dot3(other, normal);
    return h;
}

static void connect(joining *j)
{
    const cd_surface *s = j->view->mesh->surface;
    for (int32_t i = 0; i < j->count; i++) {
        const cd_surface_site *own = &j->site[i];
        for (int k = 0; k < 3; k++) {
            hinge h = hinge_of(j, i, k, own->own_normal);
            if (h.beside >= 0)
                unite(j, i, h.beside);
        }
        cd_surface_star star = cd_surface_star_of(s, own->p);
        for (int32_t n = 0; own->is_kept && own->kind != CD_FEATURE_FACE && n < star.count; n++) {
            int32_t near = site_of(j, star.triangle[n]);
            if (near >= 0 && cd_surface_has(s, star.triangle[n], own->q))
                unite(j, i, near);
        }
    }
}

// ---- groups --------------------------------------------------------------------------------------------------------

typedef CD_LIST(valley) valleys;

// Edges that rise on the contact's side, of the triangles that are connected with it.
static void find_valleys(const joining *j, int32_t deepest, valleys *found)
{
    int32_t root = root_of(j->parent, deepest);
    found->count = 0;
    for (int32_t i = 0; i < j->count; i++)
        for (int k = 0; k < 3 && root_of(j->parent, i) == root; k++) {
            hinge h = hinge_of(j, i, k, j->site[deepest].own_normal);
            if (h.beside > i && h.rise > flat_edge)
                cd_list_push(j->scratch, found, ((valley){place_of(j->view, h.p), place_of(j->view, h.q)}));
        }
}

static double weight_of(const joining *j, const valleys *list, const cd_surface_site *site)
{
    cd_vec3 foot = foot_of(j->view, site);
    double least = INFINITY, fade = j->rules->limit - site->gap;
    for (int32_t i = 0; i < list->count; i++)
        least = fmin(least, cd_surface_segment_distance(foot, list->item[i].p, list->item[i].q));
    return least * (isfinite(fade) ? fade : 1);
}

// The deepest of the group that is open; -1: none is.
static int32_t deepest_of(const joining *j, const bool *is_open, int32_t root)
{
    int32_t deepest = -1;
    for (int32_t i = 0; i < j->count; i++)
        if (is_open[i] && (root < 0 || root_of(j->parent, i) == root) &&
            (deepest < 0 || j->site[i].gap < j->site[deepest].gap))
            deepest = i;
    return deepest;
}

static void join_group(const joining *j, bool *is_open, int32_t deepest, valleys *list)
{
    int32_t root = root_of(j->parent, deepest);
    cd_vec3 up = j->site[deepest].own_normal, sum = {0, 0, 0};
    find_valleys(j, deepest, list);
    is_open[deepest] = false;
    double own = weight_of(j, list, &j->site[deepest]);
    if (list->count == 0)
        return;
    sum = cd_scale3(own, up);
    for (int32_t i = 0; i < j->count; i++) {
        cd_surface_site *site = &j->site[i];
        cd_vec3 n = site->own_normal;
        if (!is_open[i] || root_of(j->parent, i) != root ||
            atan2(cd_length3(cd_cross3(n, up)), cd_dot3(n, up)) > j->rules->crease)
            continue;
        is_open[i] = site->is_kept = false;
        sum = cd_add3(sum, cd_scale3(weight_of(j, list, site), n));
    }
    if (cd_dot3(sum, sum) > 0)
        j->site[deepest].own_normal = cd_unit3(sum);
}

void cd_surface_join(const cd_surface_view *view, const cd_surface_rules *rules, cd_surface_site *site, int32_t count,
                     cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t kept = 0, deepest;
    for (int32_t i = 0; i < count; i++)
        kept += site[i].is_kept;
    if (kept < 2)
        return;
    joining j = {view, rules, site, count, CD_ARENA_ARRAY(scratch, int32_t, count), scratch};
    bool *is_open = CD_ARENA_ARRAY(scratch, bool, count);
    valleys list = {0};
    for (int32_t i = 0; i < count; i++) {
        j.parent[i] = i;
        is_open[i] = site[i].is_kept && !site[i].is_degenerate;
    }
    connect(&j);
    while ((deepest = deepest_of(&j, is_open, -1)) >= 0)
        join_group(&j, is_open, deepest, &list);
    cd_arena_rewind(scratch, mark);
}
