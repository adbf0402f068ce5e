// Polyhedra and what is round: spheres and ellipsoids. The signed distance is the general routine's; of separating
// contacts those are left out that another part of the polyhedron's body is nearer than: see pair2_circles.c. Two
// spheres: in closed form.
// SPDX-License-Identifier: MIT
#include "cd_pair3.h"
#include "pair_region.h"

enum { START, PREDICTED, CURRENT };

static const cd_solid3 *solid_at(const cd_pair3_part *part, int pose)
{
    return pose == START ? part->start : pose == PREDICTED ? part->predicted : part->current;
}

static bool is_covered_at(const cd_covers3 *covers, int pose, cd_vec3 p, double near)
{
    for (int32_t i = 0; i < covers->count; i++)
        if (cd_seam3_is_in(covers->part[i].shell[pose]->convex, p, near))
            return true;
    return false;
}

static bool is_centre_inside(const cd_solid3 *b, double gap)
{
    return b->kind == CD_SHAPE_SPHERE && gap <= -b->sphere.radius;
}

// Of a sphere whose centre is in the polyhedron: the least way out that does not lead on into a part beside it.
static cd_gap3 way_out(const cd_pair3_input *input, int pose, cd_gap3 gap)
{
    const cd_solid3 *b = solid_at(&input->b, pose);
    if (!is_centre_inside(b, gap.gap))
        return gap;
    const cd_convex3 *a = &solid_at(&input->a, pose)->convex;
    cd_ball ball = b->sphere;
    double near = CD_SEAM_NEAR * input->choice.tolerance, least = -INFINITY;
    for (int32_t f = 0; f < a->face_count; f++) {
        cd_vec3 n = a->plane[f].normal;
        double height = cd_dot3(n, ball.centre) - a->plane[f].offset;
        cd_vec3 foot = cd_sub3(ball.centre, cd_scale3(height, n));
        if (height <= least || is_covered_at(&input->a.covers, pose, cd_add3(foot, cd_scale3(2 * near, n)), near))
            continue;
        least = height;
        gap = (cd_gap3){.gap = height - ball.radius,
                        .normal = n,
                        .point_a = foot,
                        .point_b = cd_sub3(ball.centre, cd_scale3(ball.radius, n)),
                        .feature_a = cd_feature(CD_FEATURE_FACE, f),
                        .feature_b = gap.feature_b};
    }
    return gap;
}

// The gap of the nearer part [m] that the polyhedron's nearest point is in; INFINITY: there is none.
static double gap_of_cover(const cd_pair3_input *input, int pose, const cd_gap3 *own)
{
    const cd_covers3 *covers = &input->a.covers;
    const cd_solid3 *b = solid_at(&input->b, pose);
    double near = CD_SEAM_NEAR * input->choice.tolerance, least = INFINITY;
    bool is_own = is_centre_inside(b, own->gap);
    for (int32_t i = 0; !is_own && i < covers->count; i++) {
        const cd_solid3 *part = solid_at(&covers->part[i], pose);
        if (!cd_seam3_is_in(covers->part[i].shell[pose]->convex, own->point_a, near))
            continue;
        double gap = cd_gap3_convex(part, b, input->scratch).gap;
        if (gap < own->gap || (gap == own->gap && i < covers->before))
            least = fmin(least, gap);
    }
    return least;
}

static cd_gap3 gap_at(const cd_pair3_input *input, int pose)
{
    return cd_gap3_convex(solid_at(&input->a, pose), solid_at(&input->b, pose), input->scratch);
}

static void append(cd_contact_kind kind, const cd_pair3_input *input, cd_contacts *contacts)
{
    bool is_at_start = input->a.current == input->a.start && input->b.current == input->b.start;
    cd_gap3 now = gap_at(input, CURRENT), start = is_at_start ? now : gap_at(input, START);
    // a gap that is NaN counts as near (cd_pair3.c)
    if (now.gap > input->reach && start.gap > input->reach && gap_at(input, PREDICTED).gap > input->reach)
        return;
    if (input->a.covers.count > 0) {
        now = way_out(input, CURRENT, now);
        start = way_out(input, START, start);
        if (gap_of_cover(input, CURRENT, &now) < INFINITY)
            return;
        start.gap = fmin(start.gap, gap_of_cover(input, START, &start));
    }
    cd_contact *contact = cd_list_add(input->arena, contacts);
    cd_contact_of_gap3(kind, &now, input->epsilon, contact);
    contact->bound = cd_contact_bound_of_gap(start.gap, input->choice.tolerance);
}

static void sphere_separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    append(CD_CONTACT_ANALYTIC, input, contacts);
}
const cd_pair3 cd_pair3_polyhedron_sphere = {
    .name = "polyhedron-sphere", .is_closed_form = true, .separating = sphere_separating};

static void ellipsoid_separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    append(CD_CONTACT_DEPTH, input, contacts);
}
const cd_pair3 cd_pair3_polyhedron_ellipsoid = {
    .name = "polyhedron-ellipsoid", .is_closed_form = true, .separating = ellipsoid_separating};

// ---- two spheres ---------------------------------------------------------------------------------------------------

// Concentric spheres: the normal is (1, 0, 0), as any would do.
static cd_gap3 sphere_sphere(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ball p = a->sphere, q = b->sphere;
    cd_vec3 between = cd_sub3(q.centre, p.centre);
    double apart = cd_length3(between);
    cd_vec3 normal = apart > 0 ? cd_scale3(1 / apart, between) : (cd_vec3){1, 0, 0};
    return (cd_gap3){.gap = apart - (p.radius + q.radius),
                     .normal = normal,
                     .point_a = cd_add3(p.centre, cd_scale3(p.radius, normal)),
                     .point_b = cd_sub3(q.centre, cd_scale3(q.radius, normal)),
                     .feature_a = CD_FEATURE_NONE,
                     .feature_b = CD_FEATURE_NONE};
}
const cd_pair3 cd_pair3_sphere_sphere = {.name = "sphere-sphere", .is_closed_form = true, .gap = sphere_sphere};
