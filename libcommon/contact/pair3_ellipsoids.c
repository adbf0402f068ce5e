// Ellipsoids: with one another by the potential of Perram and Wertham or by the signed distance; with spheres by
// a closed form. (Polyhedra: pair3_round.c; halfspaces: pair3_halfspace.c; facets: pair3_sheets.c.)
// SPDX-License-Identifier: MIT
#include "cd_pair3.h"

#include "cd_ellipsoid_gap.h"
#include "cd_ellipsoid_point.h"

// ---- two ellipsoids ------------------------------------------------------------------------------------------------

cd_gap3 cd_gap3_ellipsoids(const cd_ellipsoid *a, const cd_ellipsoid *b, const cd_perram *known)
{
    const cd_perram perram = known ? *known : cd_perram_of(a, b, 0);
    const cd_ellipsoid_gap found = cd_ellipsoid_gap_of(a, b, &perram);
    cd_gap3 gap = {.gap = found.gap,
                   .normal = found.normal,
                   .point_a = found.point_a,
                   .point_b = found.point_b,
                   .feature_a = CD_FEATURE_NONE,
                   .feature_b = CD_FEATURE_NONE,
                   .is_degenerate = perram.is_concentric,
                   .potential = perram.potential,
                   .lambda = perram.lambda};
    if (perram.is_concentric)
        gap.lambda = cd_perram_lambda_along(a, b, gap.normal);
    return gap;
}

// No more than the signed distance, so nothing within reach is left out. Concentric ones, which have none, are near.
static bool is_near_at(const cd_solid3 *a, const cd_solid3 *b, const cd_pair3_input *input)
{
    bool is_reported = a == input->a.current && b == input->b.current;
    return !is_reported && !(cd_perram_of(&a->ellipsoid, &b->ellipsoid, 0).gap > input->reach);
}

// One contact within reach at any of the poses, of the Perram-Wertham gap.
static void potential(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_ellipsoid *a = &input->a.current->ellipsoid, *b = &input->b.current->ellipsoid;
    const cd_perram perram = input->perram ? *input->perram : cd_perram_of(a, b, 0);
    const bool is_near = !(perram.gap > input->reach) || is_near_at(input->a.start, input->b.start, input) ||
                         is_near_at(input->a.predicted, input->b.predicted, input);
    if (!is_near)
        return;
    if (!input->wants_true_gap && !perram.is_concentric) {
        cd_list_push(input->arena, contacts, cd_contact_of_perram(&perram, input->epsilon));
        return;
    }
    const cd_gap3 gap = cd_gap3_ellipsoids(a, b, &perram);
    cd_contact_of_gap3(input->wants_true_gap ? CD_CONTACT_DEPTH : CD_CONTACT_ANALYTIC, &gap, input->epsilon,
                       cd_list_add(input->arena, contacts));
}

const cd_pair3 cd_pair3_ellipsoid_ellipsoid = {.name = "ellipsoid-ellipsoid", .potential = potential};

// ---- with others ---------------------------------------------------------------------------------------------------

// Of a sphere whose centre lies in the middle of the ellipsoid, as near to both sides, either normal would do.
static cd_gap3 sphere_ellipsoid(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    const cd_ellipsoid_foot found = cd_ellipsoid_point(&b->ellipsoid, a->sphere.centre);
    const double r = a->sphere.radius;
    return (cd_gap3){.gap = found.gap - r,
                     .normal = cd_negate3(found.normal),
                     .point_a = cd_sub3(a->sphere.centre, cd_scale3(r, found.normal)),
                     .point_b = found.foot,
                     .feature_a = CD_FEATURE_NONE,
                     .feature_b = CD_FEATURE_NONE,
                     .is_degenerate = found.is_degenerate};
}
const cd_pair3 cd_pair3_sphere_ellipsoid = {
    .name = "sphere-ellipsoid", .is_closed_form = true, .gap = sphere_ellipsoid};
