// Facets of surfaces in the question `separating`: with polyhedra and facets as sheets (cd_sheet3.h), with round bodies
// by their signed distance to the side on which these are at the step's start.
// SPDX-License-Identifier: MIT
#include "cd_sheet3.h"
#include "pair3_polyhedra.h"
#include "pair_region.h"

static bool has_shells(const cd_pair3_part *part) { return part->shell[0] && part->shell[1] && part->shell[2]; }

static const cd_pair3 *pair_of(const cd_pair3_input *input)
{
    return cd_pair3_for(input->a.current->kind, input->b.current->kind);
}

// ---- flat bodies ---------------------------------------------------------------------------------------------------

// A triangle whose corners are one point has no shell.
static void flat_separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    if (has_shells(&input->a) && has_shells(&input->b))
        cd_pair3_polyhedra_separating(input, contacts);
    else
        cd_pair3_separating_by_gap(pair_of(input), input, contacts);
}
const cd_pair3 cd_pair3_polyhedron_facet = {.name = "polyhedron-facet", .separating = flat_separating};
const cd_pair3 cd_pair3_facet_facet = {.name = "facet-facet", .separating = flat_separating};

// ---- round bodies --------------------------------------------------------------------------------------------------

enum { START, PREDICTED, CURRENT, FRONT = 0 };

static const cd_solid3 *solid_at(const cd_pair3_part *part, int pose)
{
    return pose == START ? part->start : pose == PREDICTED ? part->predicted : part->current;
}

static cd_vec3 centre_of(const cd_solid3 *round)
{
    return round->kind == CD_SHAPE_SPHERE ? round->sphere.centre : round->ellipsoid.centre;
}

// The centre as the triangle sees it: how far in front of it, and barycentric coordinates of its foot.
typedef struct seen {
    double height;  // [m]
    double share[3];
} seen;

static seen see_point(const cd_pair3_input *input, int pose, cd_vec3 p)
{
    const cd_vec3 *v = solid_at(&input->b, pose)->facet.vertex;
    cd_vec3 n = cd_shell3_normal(input->b.shell[pose], FRONT);
    seen s = {.height = cd_dot3(n, cd_sub3(p, v[0]))};
    double twice_area = cd_dot3(n, cd_cross3(cd_sub3(v[1], v[0]), cd_sub3(v[2], v[0])));
    for (int k = 0; k < 3; k++) {
        cd_vec3 q = v[(k + 1) % 3], r = v[(k + 2) % 3];
        s.share[k] = cd_dot3(n, cd_cross3(cd_sub3(r, q), cd_sub3(p, q))) / twice_area;
    }
    return s;
}

static seen see(const cd_pair3_input *input, int pose)
{
    return see_point(input, pose, centre_of(solid_at(&input->a, pose)));
}

static bool is_over(const double share[3]) { return share[0] >= 0 && share[1] >= 0 && share[2] >= 0; }

// Has the centre gone through the triangle since the start? On a straight way, as the triangle sees it.
static bool has_gone_through(const seen *start, const seen *now)
{
    if (start->height * now->height > 0 || start->height == now->height)
        return false;
    double at = start->height / (start->height - now->height), share[3];
    for (int k = 0; k < 3; k++)
        share[k] = start->share[k] + at * (now->share[k] - start->share[k]);
    return is_over(share);
}

static cd_gap3 gap_to_plane(const cd_pair3_input *input, int pose, double side)
{
    const cd_solid3 *round = solid_at(&input->a, pose), *sheet = solid_at(&input->b, pose);
    cd_vec3 n = cd_shell3_normal(input->b.shell[pose], FRONT), outward = side < 0 ? cd_negate3(n) : n;
    double offset = cd_dot3(outward, sheet->facet.vertex[0]) + sheet->facet.half_thickness;
    cd_solid3 plane = {.kind = CD_SHAPE_HALFSPACE, .halfspace = {outward, offset}};
    return cd_gap3_convex_halfspace(round, &plane, input->scratch);
}

static cd_vec3 to_ball(const cd_ellipsoid *e, cd_vec3 d)
{
    cd_vec3 x = cd_mat3_apply_back(e->axes, d);
    return (cd_vec3){x.x / e->semiaxes.x, x.y / e->semiaxes.y, x.z / e->semiaxes.z};
}

// The lesser s of |o + s m| = 1. False: there is none.
static bool lower_root(cd_vec3 o, cd_vec3 m, double *s)
{
    double a = cd_dot3(m, m), b = cd_dot3(o, m), c = cd_dot3(o, o) - 1, d = b * b - a * c;
    if (!(a > 0 && d >= 0))
        return false;
    *s = (-b - sqrt(d)) / a;
    return true;
}

// Height s of the ellipsoid's lower surface over p + t e, along n, where it is least: under the map to the unit ball
// |o + t f + s m| = 1, and at the least s its normal has no part along f. Beyond the ends of [0, 1] it is at the nearer
// one. False: the ellipsoid is nowhere over the edge.
static bool lowest_over_edge(const cd_ellipsoid *e, cd_vec3 p, cd_vec3 along, cd_vec3 n, double *t, double *height)
{
    cd_vec3 o = to_ball(e, cd_sub3(p, e->centre)), f = to_ball(e, along), m = to_ball(e, n);
    double ff = cd_dot3(f, f), fm = cd_dot3(f, m), fo = cd_dot3(f, o);
    if (!(ff > 0))
        return false;
    // across f: |o' + s m'|^2 = 1
    cd_vec3 across_o = cd_sub3(o, cd_scale3(fo / ff, f)), across_m = cd_sub3(m, cd_scale3(fm / ff, f));
    if (!lower_root(across_o, across_m, height))
        return false;
    *t = -(fo + *height * fm) / ff;
    if (*t >= 0 && *t <= 1)
        return true;
    *t = *t < 0 ? 0 : 1;
    return lower_root(cd_add3(o, cd_scale3(*t, f)), m, height);
}

// Over the triangle's outline the point of the ellipsoid that is deepest, seen from the side that `outward` points to.
// Its gap is INFINITY where it is nowhere over it.
static cd_gap3 gap_over_outline(const cd_pair3_input *input, int pose, cd_vec3 outward)
{
    const cd_ellipsoid *e = &solid_at(&input->a, pose)->ellipsoid;
    const cd_facet *facet = &solid_at(&input->b, pose)->facet;
    cd_gap3 found = {.gap = INFINITY};
    for (int k = 0; k < 3; k++) {
        cd_vec3 p = facet->vertex[k], along = cd_sub3(facet->vertex[(k + 1) % 3], p);
        double t, height;
        if (!lowest_over_edge(e, p, along, outward, &t, &height) || height - facet->half_thickness >= found.gap)
            continue;
        cd_vec3 point = cd_add3(cd_add3(p, cd_scale3(t, along)), cd_scale3(height, outward));
        found = cd_gap3_over_plane(point, height - facet->half_thickness, outward);
    }
    return found;
}

static bool is_over_another(const cd_pair3_input *input, int pose, cd_vec3 p)
{
    const cd_covers3 *covers = &input->b.covers;
    for (int32_t i = 0; i < covers->count; i++) {
        cd_pair3_input other = *input;
        other.b = covers->part[i];
        seen at = see_point(&other, pose, p);
        if (is_over(at.share))
            return true;
    }
    return false;
}

// The gap to the side of the triangle that the centre is on at the start, where the centre has gone through it since,
// and of an ellipsoid that overlaps where it is deepest over the triangle: the least way out of the triangle may lead
// across its edge, under the next one. Else that to the triangle itself; but where the least way out of a long
// ellipsoid leads through the triangle, it is of no use: another triangle that its deepest point is over holds it, or,
// beyond the surface's border, its deepest point over the triangle does. The gap is INFINITY where another one holds
// it.
static cd_gap3 gap_to_side(const cd_pair3_input *input, int pose)
{
    const cd_solid3 *round = solid_at(&input->a, pose);
    cd_gap3 gap = cd_pair3_gap(pair_of(input), round, solid_at(&input->b, pose), input->scratch);
    seen start = see(input, START), now = pose == START ? start : see(input, pose);
    if (has_gone_through(&start, &now))
        return gap_to_plane(input, pose, start.height);
    if (round->kind != CD_SHAPE_ELLIPSOID || !(gap.gap < 0))
        return gap;
    cd_gap3 to_plane = gap_to_plane(input, pose, start.height);
    seen deepest = see_point(input, pose, to_plane.point_a);
    if (is_over(deepest.share))
        return to_plane;
    if (!(cd_dot3(gap.normal, to_plane.normal) < 0))
        return gap;
    if (is_over_another(input, pose, to_plane.point_a))
        return (cd_gap3){.gap = INFINITY};
    return gap_over_outline(input, pose, cd_negate3(to_plane.normal));
}

// Is the triangle's nearest point one of another facet of the surface too, which is nearer, or comes first?
static bool is_of_another(const cd_pair3_input *input, int pose, const cd_gap3 *own)
{
    const cd_covers3 *covers = &input->b.covers;
    const cd_solid3 *round = solid_at(&input->a, pose);
    double near = CD_SEAM_NEAR * input->choice.tolerance + input->b.shell[pose]->margin;
    for (int32_t i = 0; i < covers->count; i++) {
        if (!cd_seam3_is_in(covers->part[i].shell[pose]->convex, own->point_b, near))
            continue;
        double gap = cd_pair3_gap(pair_of(input), round, solid_at(&covers->part[i], pose), input->scratch).gap;
        if (gap < own->gap || (gap == own->gap && i < covers->before))
            return true;
    }
    return false;
}

static void round_separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    if (!has_shells(&input->b) || input->b.shell[CURRENT]->is_line) {
        cd_pair3_separating_by_gap(pair_of(input), input, contacts);
        return;
    }
    cd_gap3 now = gap_to_side(input, CURRENT), start = gap_to_side(input, START);
    // a gap that is NaN counts as near (cd_pair3.c)
    if (now.gap > input->reach && start.gap > input->reach && gap_to_side(input, PREDICTED).gap > input->reach)
        return;
    if (now.gap == INFINITY || is_of_another(input, CURRENT, &now))
        return;
    cd_contact *contact = cd_list_add(input->arena, contacts);
    bool is_closed_form = input->a.current->kind == CD_SHAPE_SPHERE;
    cd_contact_of_gap3(is_closed_form ? CD_CONTACT_ANALYTIC : CD_CONTACT_DEPTH, &now, input->epsilon, contact);
    contact->bound = cd_contact_bound_of_gap(start.gap, input->choice.tolerance);
}
const cd_pair3 cd_pair3_sphere_facet = {.name = "sphere-facet", .is_closed_form = true, .separating = round_separating};
const cd_pair3 cd_pair3_ellipsoid_facet = {
    .name = "ellipsoid-facet", .is_closed_form = true, .separating = round_separating};
