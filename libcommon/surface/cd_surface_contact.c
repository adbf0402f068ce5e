// SPDX-License-Identifier: MIT
#include "cd_surface_contact.h"

#include "surface_site.h"

static int32_t feature_of(const cd_surface *s, const cd_surface_site *site)
{
    if (site->kind == CD_FEATURE_FACE)
        return cd_feature(CD_FEATURE_FACE, site->triangle);
    if (site->kind == CD_FEATURE_VERTEX)
        return cd_feature(CD_FEATURE_VERTEX, site->p);
    return cd_feature(CD_FEATURE_EDGE, cd_surface_edge_number(s, site->p, site->q));
}

// ---- balls ---------------------------------------------------------------------------------------------------------

static bool is_near_at(const cd_surface_mesh *mesh, const cd_surface_asked *asked, int32_t triangle, double limit)
{
    for (int i = 0; i < asked->also_count; i++)
        if (!(cd_surface_nearest(&(cd_surface_view){mesh, &asked->also[i]}, triangle).gap > limit))
            return true;
    return false;
}

static cd_surface_contact contact_of(const cd_surface_view *view, const cd_surface_site *site)
{
    const cd_surface_ball *ball = view->ball;
    cd_vec3 n = site->own_normal, deepest = cd_scale3(-ball->radius, n);
    if (ball->is_ellipsoid) {
        cd_vec3 turned = cd_mat3_apply_back(&ball->from_ball, n);
        deepest = cd_mat3_apply(&ball->from_ball, cd_scale3(-1 / cd_length3(turned), turned));
    }
    return (cd_surface_contact){.triangle = site->triangle,
                                .feature = feature_of(view->mesh->surface, site),
                                .gap = site->gap,
                                .normal = n,
                                .on_surface = cd_sub3(deepest, cd_scale3(site->gap, n)),
                                .on_body = deepest,
                                .is_degenerate = site->is_degenerate};
}

int32_t cd_surface_touch_ball(const cd_surface_mesh *mesh, const cd_surface_ball *ball, const cd_surface_rules *rules,
                              const cd_surface_asked *asked, cd_arena *scratch, cd_surface_contact *contact)
{
    cd_surface_view view = {mesh, ball};
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_surface_site *site = CD_ARENA_ARRAY(scratch, cd_surface_site, asked->count);
    int32_t near = 0, count = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < asked->count; i++) {
        site[near] = cd_surface_nearest(&view, asked->triangle[i]);
        site[near].is_kept = true;
        least = fmin(least, site[near].distance);
        near += !(site[near].gap > rules->limit) || is_near_at(mesh, asked, asked->triangle[i], rules->limit);
    }
    if (rules->smoothing == CD_SURFACE_EXACT || rules->smoothing == CD_SURFACE_SMOOTH)
        cd_surface_keep(&view, rules, site, near, least, scratch);
    if (rules->smoothing == CD_SURFACE_SMOOTH)
        cd_surface_join(&view, rules, site, near, scratch);
    for (int32_t i = 0; i < near; i++) {
        if (rules->smoothing == CD_SURFACE_FACET)
            cd_surface_turn(&view, &site[i], scratch);
        if (rules->smoothing == CD_SURFACE_FACET && rules->is_front_only)
            site[i].is_kept = cd_surface_is_front(&view, &site[i]);
        if (site[i].is_kept)
            contact[count++] = contact_of(&view, &site[i]);
    }
    cd_arena_rewind(scratch, mark);
    return count;
}

// ---- other bodies --------------------------------------------------------------------------------------------------

// [1] of a triangle's size: a point that near to an edge or a corner is on it. Smaller: contacts at one edge are told
// apart by rounding. Larger: contacts in a face near its edge are taken for those of the edge.
static const double on_feature = 1e-9;

static void name_feature(const cd_surface_view *view, cd_surface_site *site)
{
    const cd_surface *s = view->mesh->surface;
    cd_vec3 corner[3];
    int32_t number[3];
    double size = 0;
    cd_surface_seen_corners(view, site->triangle, corner);
    for (int k = 0; k < 3; k++) {
        number[k] = cd_surface_corner(s, site->triangle, k);
        size = fmax(size, cd_length3(cd_sub3(corner[(k + 1) % 3], corner[k])));
    }
    for (int k = 0; k < 3; k++)
        if (cd_length3(cd_sub3(corner[k], site->foot)) <= on_feature * size) {
            cd_surface_name(site, CD_FEATURE_VERTEX, number[k], number[k]);
            return;
        }
    for (int k = 0; k < 3; k++)
        if (cd_surface_segment_distance(site->foot, corner[k], corner[(k + 1) % 3]) <= on_feature * size) {
            cd_surface_name(site, CD_FEATURE_EDGE, number[k], number[(k + 1) % 3]);
            return;
        }
    cd_surface_name(site, CD_FEATURE_FACE, number[0], number[0]);
}

void cd_surface_choose(const cd_surface_mesh *mesh, const cd_surface_rules *rules, double scale,
                       cd_surface_found *found, int32_t count, cd_arena *scratch)
{
    cd_surface_ball origin = cd_surface_sphere((cd_vec3){0, 0, 0}, 0);
    cd_surface_view view = {mesh, &origin};
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_surface_site *site = CD_ARENA_ARRAY(scratch, cd_surface_site, count);
    for (int32_t i = 0; i < count; i++) {
        site[i] = (cd_surface_site){.triangle = found[i].triangle,
                                    .foot = found[i].foot,
                                    .normal = found[i].normal,
                                    .own_normal = found[i].normal,
                                    .distance = scale,
                                    .gap = found[i].gap};
        name_feature(&view, &site[i]);
    }
    cd_surface_keep(&view, rules, site, count, scale, scratch);
    for (int32_t i = 0; i < count; i++) {
        found[i].is_kept = site[i].is_kept;
        found[i].feature = feature_of(mesh->surface, &site[i]);
    }
    cd_arena_rewind(scratch, mark);
}
