// Contacts of shape pairs of space: closed forms against formulas written anew, the general routine against the kernels
// it stands on and against brute force over samples, exchange of sides, volume contacts, ellipsoids that overlap.
// SPDX-License-Identifier: MIT
#include "test_kernels3.h"
#include "test_pair3_solids.h"

// ---- what each contact keeps ---------------------------------------------------------------------------------------

static bool same_number(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static bool same_separator(const cd_separator *f, const cd_separator *g)
{
    return f->code[0] == g->code[0] && f->code[1] == g->code[1] && f->side == g->side;
}

static bool same_contact(const cd_contact *c, const cd_contact *d)
{
    return c->kind == d->kind && c->status == d->status && c->gap == d->gap && same_point(c->point, d->point) &&
           same_point(c->point_a, d->point_a) && same_point(c->point_b, d->point_b) &&
           same_point(c->normal, d->normal) && same_number(c->area, d->area) && c->feature_a == d->feature_a &&
           c->feature_b == d->feature_b && c->surface_a == d->surface_a && c->surface_b == d->surface_b &&
           same_number(c->applicability, d->applicability) && same_number(c->feasible, d->feasible) &&
           same_number(c->bound, d->bound) && same_separator(&c->separator, &d->separator);
}

static void check_invariants(const cd_contact *c)
{
    CD_CHECK_NEAR(cd_length3(c->normal), 1, 1e-14);
    cd_vec3 between_points = cd_sub3(c->point_b, c->point_a);
    bool is_vertex =
        c->kind == CD_CONTACT_SEPARATING && (same_point(c->point, c->point_a) || same_point(c->point, c->point_b));
    if (c->kind == CD_CONTACT_SEPARATING)
        CD_CHECK_NEAR(cd_dot3(between_points, c->normal), c->gap, 1e-13);  // any two vertices at a pair of edges
    else if (c->kind == CD_CONTACT_EDGE_EDGE)
        CD_CHECK(apart(between_points, cd_scale3(c->gap, c->normal)) <
                 1e-8);  // points of nearly parallel lines are far
    else
        CD_CHECK(apart(between_points, cd_scale3(c->gap, c->normal)) < 1e-14);
    // of scaled ellipsoids the point is on the line through both, and inside of neither or of both
    bool is_scaled = c->kind == CD_CONTACT_ANALYTIC && c->potential > 0;
    if (is_scaled)
        CD_CHECK(cd_length3(cd_cross3(cd_sub3(c->point, c->point_a), c->normal)) < 1e-14 &&
                 cd_dot3(cd_sub3(c->point, c->point_a), cd_sub3(c->point, c->point_b)) <= 0);
    cd_vec3 middle = cd_scale3(0.5, cd_add3(c->point_a, c->point_b));
    CD_CHECK(is_vertex || is_scaled || apart(middle, c->point) < 1e-14 * (1 + cd_length3(middle)));
}

// Is it there with its sides exchanged?
static bool is_among(const cd_contact *contact, const cd_contacts *exchanged)
{
    for (int32_t i = 0; i < exchanged->count; i++) {
        cd_contact flipped = cd_contact_flip(exchanged->item[i]);
        if (same_contact(contact, &flipped))
            return true;
    }
    return false;
}

CD_TEST(exchanging_the_sides_turns_the_normal_and_nothing_else)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {3};
    enum { MOST_MODES = 32 };
    int contacts[MOST_MODES] = {0}, modes = 0;
    for (int round = 0; round < 60 * KINDS * KINDS; round++) {
        int32_t kind_a = kinds[round % KINDS], kind_b = kinds[round / KINDS % KINDS];
        const cd_pair3 *pair = cd_pair3_for(kind_a, kind_b);
        if (!pair)
            continue;
        const cd_solid3 *a = random_solid(kind_a, 0.5, &random, &arena);
        const cd_solid3 *b = random_solid(kind_b, 0.5, &random, &arena);
        for (modes = 0; cd_narrow_modes[modes].name; modes++) {
            const cd_narrow_mode *mode = &cd_narrow_modes[modes];
            if (!mode->space)
                continue;
            cd_pair3_input input = still(a, b, 0.3, &scratch), exchanged = still(b, a, 0.3, &scratch);
            cd_contacts one = find_all(mode->name, &input, &arena), other = find_all(mode->name, &exchanged, &arena);
            CD_CHECK(one.count == other.count && (!mode->is_single || one.count <= 1));
            for (int32_t i = 0; i < one.count; i++) {
                contacts[modes]++;
                check_invariants(&one.item[i]);
                CD_CHECK(is_among(&one.item[i], &other));
            }
        }
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    CD_CHECK(modes > 0 && modes < MOST_MODES);
    for (int mode = 0; mode < modes; mode++)
        CD_CHECK(contacts[mode] > 500 || !cd_narrow_modes[mode].space);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

CD_TEST(spheres_meet_as_the_formula_says)
{
    cd_arena arena = {0};
    cd_random random = {5};
    for (int round = 0; round < 500; round++) {
        cd_vec3 p = random_point(&random, 1), q = random_point(&random, 1);
        double r = between(&random, 0.1, 1), s = between(&random, 0.1, 1);
        cd_contact c = found("distance", sphere_at(p, r, &arena), sphere_at(q, s, &arena), 10);
        CD_CHECK(c.kind == CD_CONTACT_ANALYTIC);
        CD_CHECK_NEAR(c.gap, apart(p, q) - r - s, 1e-14);  // closed forms keep their sign
        CD_CHECK_NEAR(cd_dot3(c.normal, cd_sub3(q, p)), apart(p, q), 1e-14);
        CD_CHECK_NEAR(apart(c.point_a, p), r, 1e-14);
        CD_CHECK_NEAR(apart(c.point_b, q), s, 1e-14);
        cd_arena_reset(&arena);
    }
    cd_contact c =
        found("features", sphere_at((cd_vec3){1, 2, 3}, 1, &arena), sphere_at((cd_vec3){1, 2, 3}, 2, &arena), 1);
    CD_CHECK(c.gap == -3 && c.normal.x == 1);
    cd_arena_release(&arena);
}

// The height over a half-space is that of the lowest of many points of the body.
CD_TEST(bodies_meet_a_halfspace_with_their_lowest_point)
{
    cd_arena arena = {0};
    cd_random random = {7};
    for (int round = 0; round < 200; round++) {
        cd_pose3 pose = random_pose(&random, 1);
        cd_vec3 size = {between(&random, 0.2, 1), between(&random, 0.2, 1), between(&random, 0.2, 1)};
        cd_vec3 n = cd_unit3(random_point(&random, 1));
        double offset = between(&random, -1, 1);
        const cd_solid3 *ground = halfspace_at(n, offset, &arena), *box = box_at(size, &pose, &arena);
        double lowest = INFINITY;
        for (int32_t i = 0; i < 8; i++)
            lowest = fmin(lowest, cd_dot3(n, cd_convex3_vertex(&box->convex, i)) - offset);
        cd_contact c = found("depth", ground, box, 10);
        CD_CHECK(c.kind == CD_CONTACT_ANALYTIC && same_point(c.normal, n));
        CD_CHECK_NEAR(c.gap, lowest, 1e-14);
        CD_CHECK_NEAR(cd_dot3(n, c.point_a), offset, 1e-14);
        c = found("features", sphere_at(pose.position, size.x, &arena), ground, 10);
        CD_CHECK_NEAR(c.gap, cd_dot3(n, pose.position) - offset - size.x, 1e-14);
        // An ellipsoid: no point of its surface is lower, and the witness is one of them.
        c = found("features", ellipsoid_at(size, &pose, &arena), ground, 10);
        cd_vec3 local = cd_mat3_apply_back(&pose.turn, cd_sub3(c.point_a, pose.position));
        CD_CHECK_NEAR(cd_length3((cd_vec3){local.x / size.x, local.y / size.y, local.z / size.z}), 1, 1e-13);
        double least = INFINITY;
        for (int i = 0; i < 300; i++) {
            cd_vec3 u = cd_unit3(random_point(&random, 1));
            cd_vec3 at = cd_pose3_apply(&pose, (cd_vec3){size.x * u.x, size.y * u.y, size.z * u.z});
            least = fmin(least, cd_dot3(n, at) - offset);
        }
        CD_CHECK(c.gap <= least + 1e-14 && c.gap > least - 0.2);
        cd_vec3 p = random_point(&random, 1), q = random_point(&random, 1), r = random_point(&random, 1);
        c = found("features", facet_at(p, q, r, 0.125, &arena), ground, 10);
        double corner = fmin(cd_dot3(n, p), fmin(cd_dot3(n, q), cd_dot3(n, r)));
        CD_CHECK_NEAR(c.gap, corner - offset - 0.125, 1e-14);
        CD_CHECK(c.normal.x == -n.x && c.kind == CD_CONTACT_ANALYTIC);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(a_cube_lies_on_the_ground_with_its_first_vertex)
{
    cd_arena arena = {0};
    cd_pose3 pose = cd_pose3_make((cd_vec3){0, 0, 0.5}, cd_quat_identity());
    cd_contact c =
        found("depth", box_at((cd_vec3){0.5, 0.5, 0.5}, &pose, &arena), halfspace_at((cd_vec3){0, 0, 1}, 0, &arena), 0);
    CD_CHECK(c.gap == 0 && same_point(c.point, (cd_vec3){-0.5, -0.5, 0}) && c.status == CD_STATUS_TOUCHING);
    cd_arena_release(&arena);
}

// Signed distance of a point from a box in its own frame.
static double box_distance(cd_vec3 p, cd_vec3 half)
{
    cd_vec3 d = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
    cd_vec3 out = {fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)};
    return cd_length3(out) + fmin(fmax(d.x, fmax(d.y, d.z)), 0);
}

CD_TEST(a_sphere_in_a_box_is_as_deep_as_its_faces_say)
{
    cd_arena arena = {0};
    cd_random random = {11};
    int inside = 0;
    for (int round = 0; round < 1000; round++) {
        cd_pose3 pose = random_pose(&random, 1);
        cd_vec3 half = {between(&random, 0.2, 1), between(&random, 0.2, 1), between(&random, 0.2, 1)};
        cd_vec3 local = random_point(&random, 1.2);
        double r = between(&random, 0.05, 0.5), want = box_distance(local, half);
        inside += want < 0;
        cd_contact c =
            found("features", sphere_at(cd_pose3_apply(&pose, local), r, &arena), box_at(half, &pose, &arena), 10);
        CD_CHECK(c.kind == CD_CONTACT_ANALYTIC);
        CD_CHECK_NEAR(c.gap, want - r, 1e-13);
        CD_CHECK((c.status == CD_STATUS_PENETRATING) == (want - r < 0));
        cd_arena_reset(&arena);
    }
    CD_CHECK(inside > 100);
    cd_arena_release(&arena);
}

CD_TEST(a_sphere_meets_a_facet_with_its_thickness)
{
    cd_arena arena = {0};
    const cd_solid3 *facet = facet_at((cd_vec3){0, 0, 0}, (cd_vec3){4, 0, 0}, (cd_vec3){0, 4, 0}, 0.25, &arena);
    cd_contact c = found("features", facet, sphere_at((cd_vec3){1, 1, 1}, 0.5, &arena), 1);
    CD_CHECK(c.kind == CD_CONTACT_ANALYTIC && c.normal.z == 1 && fabs(c.gap - 0.25) < 1e-15);
    CD_CHECK(apart(c.point_a, (cd_vec3){1, 1, 0.25}) < 1e-15);
    c = found("features", facet, sphere_at((cd_vec3){-3, -4, 0}, 4, &arena), 1);
    CD_CHECK(fabs(c.gap - 0.75) < 1e-14 && fabs(c.normal.x + 0.6) < 1e-14);
    // The centre in the triangle: the way out is along its normal, on either side.
    c = found("features", facet, sphere_at((cd_vec3){1, 1, 0}, 0.5, &arena), 1);
    CD_CHECK(fabs(c.gap + 0.75) < 1e-15 && fabs(c.normal.z) == 1);
    cd_arena_release(&arena);
}

CD_TEST(facets_without_area_go_as_their_longest_side)
{
    cd_arena arena = {0};
    cd_pose3 here = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_identity());
    const cd_solid3 *line = facet_at((cd_vec3){0, 0, 0}, (cd_vec3){1, 0, 0}, (cd_vec3){-1, 0, 0}, 0.25, &arena);
    const cd_solid3 *dot = facet_at((cd_vec3){0, 0, 0}, (cd_vec3){0, 0, 0}, (cd_vec3){0, 0, 0}, 0.25, &arena);
    const cd_solid3 *box = box_at((cd_vec3){2, 1, 0.5}, &here, &arena);
    cd_contact c = found("depth", line, box, 0);
    CD_CHECK(c.gap == -0.75 && fabs(c.normal.z) == 1 && c.status == CD_STATUS_PENETRATING);
    c = found("depth", dot, box, 0);
    CD_CHECK(c.gap == -0.75 && fabs(c.normal.z) == 1);
    c = found("depth", line, sphere_at((cd_vec3){0.5, 0, 0}, 0.5, &arena), 0);
    CD_CHECK(c.gap == -0.75 && c.normal.x == 0 && fabs(cd_length3(c.normal) - 1) < 1e-15);
    c = found("depth", line, dot, 0);
    CD_CHECK(c.gap == -0.5 && fabs(cd_length3(c.normal) - 1) < 1e-15);
    c = found("depth", line, sphere_at((cd_vec3){1.6, 0.8, 0}, 0.5, &arena), 1);
    CD_CHECK_NEAR(c.gap, 0.25, 1e-14);
    cd_arena_release(&arena);
}

// ---- polyhedra -----------------------------------------------------------------------------------------------------

CD_TEST(distance_and_depth_of_boxes_are_those_of_the_kernel)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {13};
    int deep = 0, near = 0, beyond = 0;
    for (int round = 0; round < 1000; round++) {
        const cd_solid3 *a = random_solid(CD_SHAPE_POLYHEDRON, 0.7, &random, &arena);
        const cd_solid3 *b = random_solid(CD_SHAPE_POLYHEDRON, 0.7, &random, &arena);
        cd_distance3 d = cd_distance3_compute(cd_support3_convex(&a->convex), cd_support3_convex(&b->convex), NULL);
        cd_depth3 p = test_depth(&a->convex, a->edges, &b->convex, b->edges, &arena);
        double want = d.distance > 0 ? d.distance : -p.depth;
        cd_pair3_input input = still(a, b, 0.2, &scratch);
        cd_contact c, e;
        bool is_near = find("depth", &input, &c);
        CD_CHECK(is_near == (want <= 0.2));
        CD_CHECK(find("distance", &input, &e) == is_near);
        CD_CHECK((find_all("features", &input, &arena).count > 0) == is_near);  // what is nearest are features
        if (is_near) {
            CD_CHECK(c.kind == CD_CONTACT_DEPTH && c.gap == want);
            CD_CHECK(e.kind == CD_CONTACT_DISTANCE && e.gap == fmax(want, 0));
            CD_CHECK(same_point(c.normal, d.distance > 0 ? d.normal : p.normal));
            CD_CHECK((c.status == CD_STATUS_PENETRATING) == (want < -1e-9) && e.status == c.status);
            CD_CHECK(c.feature_a != CD_FEATURE_NONE && c.feature_b != CD_FEATURE_NONE);
            if (want < 0 && p.kind == CD_DEPTH3_FACE_A)
                CD_CHECK(c.feature_a == cd_feature(CD_FEATURE_FACE, p.feature_a.index));
        }
        deep += want < 0;
        near += is_near && want > 0;
        beyond += !is_near;
        cd_arena_reset(&arena);
    }
    CD_CHECK(deep > 200 && near > 50 && beyond > 100);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(two_edges_have_their_numbers)
{
    cd_arena arena = {0};
    // A quarter of a turn's half about x and about y: edges along x and along y cross, 0.1 apart.
    double h = sqrt(0.5);
    cd_pose3 lower = cd_pose3_make((cd_vec3){0, 0, 0}, (cd_quat){cos(M_PI / 8), sin(M_PI / 8), 0, 0});
    cd_pose3 upper = cd_pose3_make((cd_vec3){0, 0, 2 * h + 0.1}, (cd_quat){cos(M_PI / 8), 0, sin(M_PI / 8), 0});
    cd_vec3 half = {0.5, 0.5, 0.5};
    cd_contact c = found("distance", box_at(half, &lower, &arena), box_at(half, &upper, &arena), 1);
    CD_CHECK_NEAR(c.gap, 0.1, 1e-14);
    CD_CHECK_NEAR(c.normal.z, 1, 1e-14);
    CD_CHECK(cd_feature_kind(c.feature_a) == CD_FEATURE_EDGE && cd_feature_kind(c.feature_b) == CD_FEATURE_EDGE);
    // Edges by sorted vertices: 01 02 04 13 15 23 26 37 45 46 57 67. The lower box's top edge is 6-7 (along x, +y +z);
    // the upper one's lowest is 1-3 (along y, +x -z).
    CD_CHECK(cd_feature_index(c.feature_a) == 11 && cd_feature_index(c.feature_b) == 3);
    cd_arena_release(&arena);
}

CD_TEST(volume_contacts_carry_the_kernels_contact)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {17};
    int contacts = 0, changed = 0;
    for (int round = 0; round < 600; round++) {
        const cd_solid3 *a = random_solid(CD_SHAPE_POLYHEDRON, 0.5, &random, &arena);
        const cd_solid3 *b = random_solid(CD_SHAPE_POLYHEDRON, 0.5, &random, &arena);
        cd_pair3_input input = still(a, b, 0, &scratch), dual = input;
        dual.intersect = cd_narrow_find_intersection("dual");
        cd_contact3 want = cd_contact3_volume(&a->convex, &b->convex, input.epsilon, &arena);
        cd_contact c, d;
        bool is_found = find("volume", &input, &c);
        CD_CHECK(is_found == (want.status >= CD_CONTACT3_CONTACT));
        CD_CHECK(find("volume", &dual, &d) == is_found);
        if (is_found) {
            contacts++;
            CD_CHECK(c.kind == CD_CONTACT_VOLUME && c.area == want.area && same_point(c.point, want.point));
            CD_CHECK(same_point(c.normal, want.normal));
            CD_CHECK(c.surface_a == want.surface_a && c.surface_b == want.surface_b);
            double extent = -want.gap;
            cd_pose3 by = {cd_scale3(2 * extent, c.normal), cd_mat3_identity()};
            cd_convex3 away = cd_convex3_place(&arena, &b->convex, &by);
            double left =
                cd_distance3_compute(cd_support3_convex(&a->convex), cd_support3_convex(&away), NULL).distance;
            bool is_checked = want.status == CD_CONTACT3_CONTACT && extent > input.epsilon;
            CD_CHECK_NEAR(c.gap, is_checked ? fmin(left - 2 * extent, 0) : want.gap, 1e-13);
            changed += fabs(c.gap - want.gap) > 1e-9;
            CD_CHECK_NEAR(d.area, c.area, 1e-9);
            CD_CHECK(apart(d.point, c.point) < 1e-9);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(contacts > 200 && changed > 10);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(volume_contacts_of_boxes_by_hand)
{
    cd_arena arena = {0}, scratch = {0};
    cd_vec3 half = {0.5, 0.5, 0.5}, small = {0.125, 0.125, 0.125};
    cd_pose3 here = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_identity()), kissing = here, beside = here;
    kissing.position.x = 1;
    beside.position.x = 0.875;
    const cd_solid3 *a = box_at(half, &here, &arena);
    cd_contact c = found("volume", a, box_at(half, &beside, &arena), 0);
    // A slab of 1/8: half of its surface is 1 + 1/8 + 1/8.
    CD_CHECK(c.gap == -0.125 && fabs(c.area - 1.25) < 1e-15 && c.normal.x == 1 && c.status == CD_STATUS_PENETRATING);
    CD_CHECK(apart(c.point, (cd_vec3){0.4375, 0, 0}) < 1e-15 && c.surface_a == 1 && c.surface_b == 0);
    CD_CHECK(apart(c.point_a, (cd_vec3){0.5, 0, 0}) < 1e-15 && apart(c.point_b, (cd_vec3){0.375, 0, 0}) < 1e-15);
    cd_pair3_input input = still(a, box_at(half, &kissing, &arena), 0, &scratch);
    CD_CHECK(!find("volume", &input, &c));
    CD_CHECK(find("distance", &input, &c) && c.gap == 0 && c.status == CD_STATUS_TOUCHING && c.normal.x == 1);
    // A small one inside: no normal of its own, the shortest way out.
    here.position.z = 0.25;
    c = found("volume", a, box_at(small, &here, &arena), 0);
    CD_CHECK(c.status == CD_STATUS_DEGENERATE && c.normal.z == 1 && fabs(c.gap + 0.375) < 1e-15);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// ---- ellipsoids ----------------------------------------------------------------------------------------------------

CD_TEST(ellipsoids_that_are_balls_are_spheres)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {19};
    for (int round = 0; round < 500; round++) {
        cd_pose3 p = random_pose(&random, 1), q = random_pose(&random, 1);
        double r = between(&random, 0.1, 0.5), s = between(&random, 0.1, 0.5);
        double want = apart(p.position, q.position) - r - s;
        const cd_solid3 *a = ellipsoid_at((cd_vec3){r, r, r}, &p, &arena);
        const cd_solid3 *b = ellipsoid_at((cd_vec3){s, s, s}, &q, &arena);
        const cd_solid3 *ball = sphere_at(q.position, s, &arena);
        cd_pair3_input input = still(a, b, 10, &scratch);
        cd_contact c;
        CD_CHECK(find("depth", &input, &c));
        CD_CHECK(c.kind == CD_CONTACT_DEPTH && (c.status == CD_STATUS_PENETRATING) == (want < 0));
        CD_CHECK_NEAR(c.gap, want, 1e-14);
        CD_CHECK_NEAR(c.lambda, r / (r + s), 1e-14);
        CD_CHECK_NEAR(c.potential, apart(p.position, q.position) * apart(p.position, q.position) / ((r + s) * (r + s)),
                      1e-12);
        CD_CHECK(find("distance", &input, &c) && (c.status == CD_STATUS_PENETRATING) == (want < 0));
        CD_CHECK_NEAR(c.gap, fmax(want, 0), 1e-14);
        c = found("depth", a, ball, 10);
        CD_CHECK(c.kind == CD_CONTACT_ANALYTIC && isnan(c.lambda) && isnan(c.potential));
        CD_CHECK_NEAR(c.gap, want, 1e-14);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(ellipsoids_that_touch_overlap_and_share_their_centre)
{
    cd_arena arena = {0};
    cd_pose3 here = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_identity()), there = here;
    cd_vec3 semiaxes = {1, 2, 3};
    const cd_solid3 *a = ellipsoid_at(semiaxes, &here, &arena);
    there.position = (cd_vec3){0, 4, 0};
    cd_contact c = found("depth", a, ellipsoid_at(semiaxes, &there, &arena), 1);
    CD_CHECK(c.status == CD_STATUS_TOUCHING && fabs(c.gap) < 1e-15 && fabs(c.normal.y - 1) < 1e-15);
    // inside each other: equal ones part along their shortest axis
    there.position = (cd_vec3){0.5, 0, 0};
    c = found("depth", a, ellipsoid_at(semiaxes, &there, &arena), 1);
    CD_CHECK(c.status == CD_STATUS_PENETRATING && fabs(c.gap + 1.5) < 1e-15 && c.normal.x == 1);
    c = found("depth", a, a, 1);
    CD_CHECK(c.status == CD_STATUS_DEGENERATE && fabs(c.gap + 2) < 1e-15 && fabs(fabs(c.normal.x) - 1) < 1e-15);
    CD_CHECK(c.potential == 0 && c.lambda == 0.5);
    c = found("distance", a, a, 1);
    CD_CHECK(c.status == CD_STATUS_PENETRATING && c.gap == 0);
    c = found("features", a, a, 1);
    CD_CHECK(c.kind == CD_CONTACT_ANALYTIC && c.status == CD_STATUS_DEGENERATE && fabs(c.gap + 2) < 1e-15);
    cd_arena_release(&arena);
}

// Known answers of the potential: (1, 2, 3) and (2, 1, 0.5), 5 apart along x.
CD_TEST(potential_contacts_of_ellipsoids_have_the_gap_of_perram_and_wertham)
{
    cd_arena arena = {0}, scratch = {0};
    cd_pose3 here = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_identity()), there = here;
    there.position.x = 5;
    const cd_solid3 *a = ellipsoid_at((cd_vec3){1, 2, 3}, &here, &arena);
    const cd_solid3 *b = ellipsoid_at((cd_vec3){2, 1, 0.5}, &there, &arena);
    cd_contact c = found("features", a, b, 3), d = found("features", b, a, 3);
    CD_CHECK(c.kind == CD_CONTACT_ANALYTIC && c.status == CD_STATUS_CANDIDATE && fabs(c.gap - 2) < 1e-15);
    CD_CHECK(fabs(c.potential - 25.0 / 9) < 1e-15 && fabs(c.lambda - 1.0 / 3) < 1e-15 && c.normal.x == 1);
    CD_CHECK(fabs(c.point.x - 5.0 / 3) < 1e-15 && c.point_a.x == 1 && c.point_b.x == 3);
    CD_CHECK(d.gap == c.gap && d.normal.x == -1 && same_point(d.point, c.point) && d.lambda == 1 - c.lambda);
    CD_CHECK(same_point(d.point_a, c.point_b) && c.lambda == 1 - d.lambda);
    cd_pair3_input input = still(a, b, 1.9, &scratch);
    CD_CHECK(!find("features", &input, &c));
    // skew ones: no more than the distance, of one sign with it, and that where it is asked for
    cd_random random = {41};
    int overlaps = 0;
    for (int round = 0; round < 2000; round++) {
        a = random_solid(CD_SHAPE_ELLIPSOID, 0.5, &random, &arena);
        b = random_solid(CD_SHAPE_ELLIPSOID, 0.5, &random, &arena);
        input = still(a, b, 10, &scratch);
        cd_contact depth;
        CD_CHECK(find("features", &input, &c) && find("depth", &input, &depth));
        CD_CHECK(c.gap <= depth.gap + 1e-15 && (c.gap < 0) == (depth.gap < 0) && (c.potential < 1) == (c.gap < 0));
        CD_CHECK(apart(cd_sub3(c.point_b, c.point_a), cd_scale3(c.gap, c.normal)) < 1e-14);
        CD_CHECK(c.lambda == depth.lambda && c.potential == depth.potential);
        overlaps += c.gap < 0;
        input.wants_true_gap = true;
        CD_CHECK(find("features", &input, &c) && c.kind == CD_CONTACT_DEPTH && c.gap == depth.gap);
        CD_CHECK(same_point(c.normal, depth.normal) && same_point(c.point_a, depth.point_a));
        cd_arena_reset(&arena);
    }
    CD_CHECK(overlaps > 500 && overlaps < 1500);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(exchanging_the_sides_turns_the_normal_and_nothing_else);
    CD_RUN(spheres_meet_as_the_formula_says);
    CD_RUN(bodies_meet_a_halfspace_with_their_lowest_point);
    CD_RUN(a_cube_lies_on_the_ground_with_its_first_vertex);
    CD_RUN(a_sphere_in_a_box_is_as_deep_as_its_faces_say);
    CD_RUN(a_sphere_meets_a_facet_with_its_thickness);
    CD_RUN(facets_without_area_go_as_their_longest_side);
    CD_RUN(distance_and_depth_of_boxes_are_those_of_the_kernel);
    CD_RUN(two_edges_have_their_numbers);
    CD_RUN(volume_contacts_carry_the_kernels_contact);
    CD_RUN(volume_contacts_of_boxes_by_hand);
    CD_RUN(ellipsoids_that_are_balls_are_spheres);
    CD_RUN(ellipsoids_that_touch_overlap_and_share_their_centre);
    CD_RUN(potential_contacts_of_ellipsoids_have_the_gap_of_perram_and_wertham);
    return cd_test_done();
}
