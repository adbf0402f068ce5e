// Kinds of space against a halfspace: the true signed distance in closed form, and of polyhedra all vertices that are
// near. A halfspace has no corner to slide around: all vertices outside is the whole condition, and what rests on it
// needs all of them. Cost: O(1), O(n) with a polyhedron of n vertices.
// SPDX-License-Identifier: MIT
#include "cd_pair3.h"
#include "pair_region.h"

// ---- the signed distance -------------------------------------------------------------------------------------------

static cd_gap3 sphere_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ball ball = a->sphere;
    return cd_gap3_point_halfspace(cd_sub3(ball.centre, cd_scale3(ball.radius, b->halfspace.normal)), b->halfspace);
}
const cd_pair3 cd_pair3_sphere_halfspace = {
    .name = "sphere-halfspace", .is_closed_form = true, .gap = sphere_halfspace};

// The point of the ellipsoid farthest along d, with half axes h_j as vectors, is c + sum (h_j.d) h_j / |(h_1.d, h_2.d,
// h_3.d)|: the body is the unit ball under the matrix H = (h_1, h_2, h_3), and the ball's farthest point along H'd is
// H'd / |H'd|.
static cd_gap3 ellipsoid_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ellipsoid e = a->ellipsoid;
    cd_vec3 along = cd_mat3_apply_back(e.axes, cd_negate3(b->halfspace.normal)), s = e.semiaxes;
    cd_vec3 ball = cd_unit3((cd_vec3){s.x * along.x, s.y * along.y, s.z * along.z});
    cd_vec3 local = {s.x * ball.x, s.y * ball.y, s.z * ball.z};
    return cd_gap3_point_halfspace(cd_add3(e.centre, cd_mat3_apply(e.axes, local)), b->halfspace);
}
const cd_pair3 cd_pair3_ellipsoid_halfspace = {
    .name = "ellipsoid-halfspace", .is_closed_form = true, .gap = ellipsoid_halfspace};

// The kinds stand the other way round here: the halfspace is a.
static cd_gap3 halfspace_facet(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_halfspace ground = a->halfspace;
    const cd_facet *facet = &b->facet;
    int lowest = 0;
    for (int k = 1; k < 3; k++)
        if (cd_dot3(ground.normal, cd_sub3(facet->vertex[k], facet->vertex[lowest])) < 0)
            lowest = k;
    cd_vec3 point = cd_sub3(facet->vertex[lowest], cd_scale3(facet->half_thickness, ground.normal));
    return cd_gap3_flip(cd_gap3_point_halfspace(point, ground));
}

// ---- polyhedron, halfspace -----------------------------------------------------------------------------------------

// The deepest vertex, of several the one of least number.
static cd_gap3 polyhedron_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    int32_t vertex =
        cd_convex3_support(&a->convex, a->convex.centre, cd_negate3(b->halfspace.normal), CD_VECTOR_AVX512);
    return cd_gap3_point_halfspace(cd_convex3_vertex(&a->convex, vertex), b->halfspace);
}

static double height_of(const cd_solid3 *polyhedron, int32_t vertex, const cd_solid3 *halfspace)
{
    const cd_halfspace *h = &halfspace->halfspace;
    return cd_dot3(h->normal, cd_convex3_vertex(&polyhedron->convex, vertex)) - h->offset;
}

// The vertices that are near at any pose.
static void potential(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_pair3_part *a = &input->a, *b = &input->b;
    cd_vec3 outward = b->current->halfspace.normal;
    for (int32_t v = 0; v < a->current->convex.vertex_count; v++) {
        double height = height_of(a->current, v, b->current);
        if (height > input->reach && height_of(a->start, v, b->start) > input->reach &&
            height_of(a->predicted, v, b->predicted) > input->reach)
            continue;
        cd_gap3 gap = cd_gap3_over_plane(cd_convex3_vertex(&a->current->convex, v), height, outward);
        cd_contact_of_gap3(CD_CONTACT_ANALYTIC, &gap, input->epsilon, cd_list_add(input->arena, contacts));
    }
}

// The halfspace is the separator: the vertices that are within reach, all of them over it (pair_region.h).
// The corners of a body over a half-space.
typedef struct corners {
    int32_t count;
    const cd_solid3 *start, *current, *ground_start, *ground;
    double radius, margin;  // [m] of the body
    bool is_of_a;
} corners;

static cd_vec3 corner_of(const cd_solid3 *solid, int32_t k)
{
    return solid->kind == CD_SHAPE_FACETS ? solid->facet.vertex[k] : cd_convex3_vertex(&solid->convex, k);
}

static double height_of_corner(const corners *c, const cd_solid3 *body, const cd_solid3 *ground, int32_t k)
{
    return cd_dot3(ground->halfspace.normal, corner_of(body, k)) - ground->halfspace.offset - c->margin;
}

static void append_corners(const cd_pair3_input *input, const corners *c, cd_contacts *contacts)
{
    double start = INFINITY;
    cd_vec3 outward = c->ground->halfspace.normal;
    for (int32_t k = 0; k < c->count; k++)
        start = fmin(start, height_of_corner(c, c->start, c->ground_start, k));
    double bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
    cd_shared_region region = cd_shared_region_make(input->scratch, input->reach, input->sway, c->radius);
    for (int32_t k = 0; k < c->count; k++) {
        double height = height_of_corner(c, c->current, c->ground, k);
        cd_contact contact = cd_contact_separating(c->is_of_a ? cd_negate3(outward) : outward, height, bound);
        cd_vec3 lowest = cd_sub3(corner_of(c->current, k), cd_scale3(c->margin, outward));
        cd_contact_put_vertex(&contact, lowest, c->is_of_a);
        contact.separator.side = c->is_of_a ? CD_SIDE_B : CD_SIDE_A;
        cd_shared_region_add(&region, &contact);
    }
    cd_shared_region_finish(&region, input->arena, contacts);
}

static void separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_pair3_part *a = &input->a, *b = &input->b;
    corners all = {.count = a->current->convex.vertex_count,
                   .start = a->start,
                   .current = a->current,
                   .ground_start = b->start,
                   .ground = b->current,
                   .radius = a->current->convex.radius,
                   .is_of_a = true};
    append_corners(input, &all, contacts);
}

static void separating_of_facet(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_pair3_part *a = &input->a, *b = &input->b;
    const cd_facet *facet = &b->current->facet;
    cd_vec3 middle = cd_scale3(1.0 / 3, cd_add3(facet->vertex[0], cd_add3(facet->vertex[1], facet->vertex[2])));
    corners all = {.count = 3,
                   .start = b->start,
                   .current = b->current,
                   .ground_start = a->start,
                   .ground = a->current,
                   .margin = facet->half_thickness};
    for (int k = 0; k < 3; k++)
        all.radius = fmax(all.radius, cd_length3(cd_sub3(facet->vertex[k], middle)));
    append_corners(input, &all, contacts);
}

const cd_pair3 cd_pair3_polyhedron_halfspace = {.name = "polyhedron-halfspace",
                                                .is_closed_form = true,
                                                .gap = polyhedron_halfspace,
                                                .potential = potential,
                                                .separating = separating};
const cd_pair3 cd_pair3_halfspace_facet = {
    .name = "halfspace-facet", .is_closed_form = true, .gap = halfspace_facet, .separating = separating_of_facet};
