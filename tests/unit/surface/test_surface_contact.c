// Contacts of balls with surfaces: one on a flat mesh however it is triangulated, normals within the range of the
// facets', local minima against brute force, valleys without jumps, triangles without area.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_surfaces.h"

enum { MOST = 4000 };
static cd_surface_contact contact[MOST];

static const cd_surface_rules exact = {CD_SURFACE_EXACT, false, 0.5236, 0};

// ---- a flat mesh ---------------------------------------------------------------------------------------------------

// A ball led over a jittered mesh of one plane, of random windings, the plane turned: one contact at each place, its
// normal the plane's, its gap the same.
static void roll(cd_surface_smoothing smoothing, const cd_surface_ball *shape, double half_width, double thickness)
{
    cd_arena arena = {0};
    sheet s = sheet_make(&arena, (sheet_kind){12, 0.35, 0, true, 7});
    cd_mat3 turn = cd_quat_matrix(cd_quat_from_vector((cd_vec3){0.4, -0.7, 0.3}));
    for (int32_t v = 0; v < s.vertex_count; v++)
        s.vertex[v] = cd_mat3_apply(&turn, s.vertex[v]);
    cd_surface surface = sheet_surface(&arena, &s);
    cd_surface_mesh mesh = {&surface, s.vertex, thickness / 2};
    cd_surface_rules rules = {smoothing, false, 0.5236, 0.05};
    cd_vec3 up = cd_mat3_apply(&turn, (cd_vec3){0, 0, 1});
    double overlap = 0.04 * half_width;
    for (int side = -1; side <= 1; side += 2)
        for (int step = 0; step <= 2000; step++) {
            double x = 3 + 6.0 * step / 2000, height = half_width + thickness / 2 - overlap;
            cd_surface_ball ball = *shape;
            ball.centre = cd_mat3_apply(&turn, (cd_vec3){x, 3 + 0.9 * (x - 3), side * height});
            int32_t count = touch_all(&mesh, &ball, &rules, &arena, contact);
            CD_CHECK(count == 1);
            double normal = cd_dot3(contact[0].normal, up) * side;
            cd_vec3 across = cd_sub3(contact[0].normal, cd_scale3(side * normal, up));
            CD_CHECK(cd_length3(across) <= 1e-12);
            CD_CHECK_NEAR(contact[0].gap, -overlap, 1e-12 * overlap + 4e-15);
            CD_CHECK(!contact[0].is_degenerate);
        }
    cd_arena_release(&arena);
}

CD_TEST(a_sphere_rolls_over_a_flat_mesh_on_one_contact)
{
    cd_surface_ball sphere = cd_surface_sphere((cd_vec3){0, 0, 0}, 0.8);
    roll(CD_SURFACE_EXACT, &sphere, 0.8, 0);
    roll(CD_SURFACE_SMOOTH, &sphere, 0.8, 0);
    roll(CD_SURFACE_EXACT, &sphere, 0.8, 0.25);
}

CD_TEST(an_ellipsoid_slides_over_a_flat_mesh_on_one_contact)
{
    cd_mat3 turn = cd_quat_matrix(cd_quat_from_vector((cd_vec3){0.4, -0.7, 0.3}));
    cd_mat3 axes = cd_quat_matrix(cd_quat_from_vector((cd_vec3){1, 2, 0.5}));
    cd_surface_ball ellipsoid = cd_surface_ellipsoid(&(cd_ellipsoid){{0, 0, 0}, {0.9, 0.3, 0.5}, &axes});
    double width = cd_length3(cd_mat3_apply_back(&ellipsoid.from_ball, cd_mat3_apply(&turn, (cd_vec3){0, 0, 1})));
    roll(CD_SURFACE_EXACT, &ellipsoid, width, 0);
    roll(CD_SURFACE_SMOOTH, &ellipsoid, width, 0.1);
}

// Without: several contacts at most places, one a triangle that is near. The test above can fail.
CD_TEST(triangles_by_themselves_have_many)
{
    cd_arena arena = {0};
    sheet s = sheet_make(&arena, (sheet_kind){12, 0.35, 0, true, 7});
    cd_surface surface = sheet_surface(&arena, &s);
    cd_surface_mesh mesh = {&surface, s.vertex, 0};
    cd_surface_rules off = {CD_SURFACE_OFF, false, 0.5236, 0};
    cd_surface_ball ball = cd_surface_sphere((cd_vec3){5.3, 5.6, 0.5}, 0.8);
    CD_CHECK(touch_all(&mesh, &ball, &off, &arena, contact) >= 4);
    CD_CHECK(touch_all(&mesh, &ball, &exact, &arena, contact) == 1);
    cd_arena_release(&arena);
}

// ---- two faces -----------------------------------------------------------------------------------------------------

typedef struct hinge {
    cd_arena arena;
    cd_vec3 vertex[4];
    int32_t triangle[6];
    cd_surface surface;
    cd_surface_mesh mesh;
    cd_vec3 normal[2];  // of both faces, up at psi = 0
} hinge;

// Two faces with a common edge along y through the origin; the one at x < 0 lies in z = 0, the other falls by psi.
static void make_hinge(hinge *h, double psi, int windings)
{
    const int32_t corner[2][3] = {{0, 1, 2}, {1, 0, 3}};
    h->arena = (cd_arena){0};
    h->vertex[0] = (cd_vec3){0, -9, 0};
    h->vertex[1] = (cd_vec3){0, 9, 0};
    h->vertex[2] = (cd_vec3){-9, 0.5, 0};
    h->vertex[3] = (cd_vec3){9 * cos(psi), -0.3, -9 * sin(psi)};
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 3; k++)
            h->triangle[3 * t + k] = corner[t][windings >> t & 1 ? 2 - k : k];
    h->surface = cd_surface_make(&h->arena, h->vertex, 4, h->triangle, 2, 0);
    h->mesh = (cd_surface_mesh){&h->surface, h->vertex, 0};
    h->normal[0] = (cd_vec3){0, 0, 1};
    h->normal[1] = (cd_vec3){sin(psi), 0, cos(psi)};
}

// Is n = unit(u s + v t), s, t >= 0, to rounding?
static bool is_between(cd_vec3 n, cd_vec3 u, cd_vec3 v)
{
    const double slack = 1e-12;
    cd_vec3 m = cd_unit3(cd_cross3(u, v));
    if (cd_length3(cd_cross3(u, v)) < 1e-9)
        return cd_length3(cd_sub3(n, u)) <= 1e-8;
    return fabs(cd_dot3(n, m)) <= slack && cd_dot3(cd_cross3(u, n), m) >= -slack &&
           cd_dot3(cd_cross3(n, v), m) >= -slack;
}

static int32_t outside_range(cd_surface_smoothing smoothing, double psi, int windings)
{
    hinge h;
    make_hinge(&h, psi, windings);
    cd_surface_rules rules = {smoothing, false, 0.5236, 0};
    int32_t bad = 0, seen = 0;
    for (int k = 0; k < 720; k++) {
        // about the edge, all around; places on the faces themselves have no side
        double angle = 6.283185307179586 * (k + 0.37) / 720;
        cd_surface_ball ball = cd_surface_sphere((cd_vec3){0.6 * cos(angle), 0.1, 0.6 * sin(angle)}, 0.7);
        // above: on the side of both faces that their normals point to
        bool is_above = angle < 3.141592653589793 ? angle > -psi : angle > 6.283185307179586 - psi;
        int32_t count = touch_all(&h.mesh, &ball, &rules, &h.arena, contact);
        for (int32_t i = 0; i < count; i++, seen++) {
            cd_vec3 u = h.normal[0], v = h.normal[1];
            if (!is_above) {
                u = cd_negate3(u);
                v = cd_negate3(v);
            }
            // a wing met through the other one is a local minimum of its own, on its back
            cd_vec3 n = contact[i].normal;
            bool is_face = cd_length3(cd_sub3(n, u)) < 1e-12 || cd_length3(cd_sub3(n, v)) < 1e-12;
            bool is_back = cd_length3(cd_add3(n, u)) < 1e-12 || cd_length3(cd_add3(n, v)) < 1e-12;
            bad += !is_face && !is_back && !is_between(n, u, v);
        }
    }
    CD_CHECK(seen >= 700);
    cd_arena_release(&h.arena);
    return bad;
}

CD_TEST(normals_stay_in_the_range_of_both_faces)
{
    const cd_surface_smoothing ways[] = {CD_SURFACE_EXACT, CD_SURFACE_SMOOTH, CD_SURFACE_FACET};
    for (int w = 0; w < 3; w++)
        for (int degrees = -60; degrees <= 120; degrees += 5)
            for (int windings = 0; windings < 4; windings++)
                CD_CHECK(outside_range(ways[w], degrees * 3.141592653589793 / 180, windings) == 0);
    CD_CHECK(outside_range(CD_SURFACE_OFF, 0.2, 0) > 0);
}

// At 180 degrees of the normal about the edge of a convex ridge, as the zones of Woo's document: n between n1 and n2
// stays, beyond n2 becomes n2, from behind -n1.
CD_TEST(zones_of_a_ridge)
{
    const double psi = 0.7;
    hinge h;
    make_hinge(&h, psi, 2);
    cd_surface_rules rules = {CD_SURFACE_FACET, false, 0.5236, 0};
    for (int k = 1; k < 180; k++) {
        double phi = 3.141592653589793 * k / 180 + 1e-3;
        cd_surface_ball ball = cd_surface_sphere((cd_vec3){0.5 * sin(phi), 0, 0.5 * cos(phi)}, 0.6);
        int32_t count = touch_all(&h.mesh, &ball, &rules, &h.arena, contact);
        cd_vec3 wanted = phi <= psi                       ? (cd_vec3){sin(phi), 0, cos(phi)}
                         : phi < 1.5707963267948966 + psi ? h.normal[1]
                                                          : cd_negate3(h.normal[0]);
        CD_CHECK(count >= 1 && contact[0].triangle == 0);
        CD_CHECK_NEAR(cd_length3(cd_sub3(contact[0].normal, wanted)), 0, 1e-12);
    }
    cd_arena_release(&h.arena);
}

// ---- valleys -------------------------------------------------------------------------------------------------------

// The largest change of the force k overlap n from one step to the next while a ball of radius 1 goes over a valley at
// a fixed height above its edge.
static double largest_jump(cd_surface_smoothing smoothing, double psi, double height, double limit, int steps)
{
    hinge h;
    make_hinge(&h, psi, 1);
    cd_surface_rules rules = {smoothing, false, 0.5236, limit};
    cd_vec3 last = {0, 0, 0};
    double jump = 0;
    for (int k = 0; k <= steps; k++) {
        double x = -0.5 + 1.0 * k / steps;
        cd_surface_ball ball = cd_surface_sphere((cd_vec3){x, 0.2, height}, 1);
        int32_t count = touch_all(&h.mesh, &ball, &rules, &h.arena, contact);
        cd_vec3 force = {0, 0, 0};
        for (int32_t i = 0; i < count; i++)
            if (contact[i].gap < 0)
                force = cd_add3(force, cd_scale3(-contact[i].gap, contact[i].normal));
        if (k > 0)
            jump = fmax(jump, cd_length3(cd_sub3(force, last)));
        last = force;
    }
    cd_arena_release(&h.arena);
    return jump;
}

CD_TEST(a_shallow_valley_is_crossed_without_a_jump)
{
    const double psi = -0.3;
    const double limits[] = {0, 0.01, 0.2};
    for (int l = 0; l < 3; l++)
        for (double height = 0.9; height < 1.03; height += 0.02) {
            double coarse = largest_jump(CD_SURFACE_SMOOTH, psi, height, limits[l], 1000);
            double fine = largest_jump(CD_SURFACE_SMOOTH, psi, height, limits[l], 8000);
            CD_CHECK(coarse <= 0.004 && fine <= 0.2 * coarse + 1e-12);  // it goes with the step
        }
    CD_CHECK(largest_jump(CD_SURFACE_EXACT, psi, 0.94, 0, 8000) > 0.05);
}

CD_TEST(between_two_faces_the_normal_is_mirrored_at_the_bisector)
{
    const double psi = -0.3;
    hinge h;
    make_hinge(&h, psi, 0);
    cd_surface_rules rules = {CD_SURFACE_SMOOTH, false, 0.5236, INFINITY};
    for (int k = 1; k < 10; k++) {
        double angle = 0.3 * k / 10;
        cd_vec3 d = {-sin(angle), 0, cos(angle)}, m = cd_unit3(cd_add3(h.normal[0], h.normal[1]));
        cd_surface_ball ball = cd_surface_sphere(cd_scale3(0.8, d), 1);
        CD_CHECK(touch_all(&h.mesh, &ball, &rules, &h.arena, contact) == 1);
        cd_vec3 mirrored = cd_sub3(cd_scale3(2 * cd_dot3(d, m), m), d);
        CD_CHECK_NEAR(cd_length3(cd_sub3(contact[0].normal, mirrored)), 0, 3e-15);
        CD_CHECK_NEAR(contact[0].gap, fmin(0.8 * cos(angle), 0.8 * cos(0.3 - angle)) - 1, 1e-15);
    }
    cd_arena_release(&h.arena);
}

// The largest change of the force from one step to the next, in parts of k times the overlap of a plane at half the
// height, on lines over rough ground.
static double terrain_jump(cd_surface_smoothing smoothing, double height, int steps)
{
    cd_arena arena = {0};
    double jump = 0;
    sheet s = sheet_make(&arena, (sheet_kind){9, 0.2, height, true, 11});
    cd_surface surface = sheet_surface(&arena, &s);
    cd_surface_mesh mesh = {&surface, s.vertex, 0};
    cd_surface_rules rules = {smoothing, false, 0.5236, 0};
    for (int line = 0; line < 4; line++) {
        cd_vec3 last = {0, 0, 0};
        for (int k = 0; k <= steps; k++) {
            cd_surface_ball ball = cd_surface_sphere((cd_vec3){3 + 3.0 * k / steps, 3 + 0.7 * line, 1}, 1);
            int32_t count = touch_all(&mesh, &ball, &rules, &arena, contact);
            cd_vec3 force = {0, 0, 0};
            for (int32_t i = 0; i < count; i++)
                force = cd_add3(force, cd_scale3(-contact[i].gap, contact[i].normal));
            if (k > 0)
                jump = fmax(jump, cd_length3(cd_sub3(force, last)) / (height / 2));
            last = force;
        }
    }
    cd_arena_release(&arena);
    return jump;
}

CD_TEST(over_shallow_ground_forces_do_not_jump)
{
    for (double height = 0.05; height < 0.3; height += 0.07) {
        CD_CHECK(terrain_jump(CD_SURFACE_EXACT, height, 2000) > 0.5);
        CD_CHECK(terrain_jump(CD_SURFACE_SMOOTH, height, 2000) < 0.03);
        CD_CHECK(terrain_jump(CD_SURFACE_SMOOTH, height, 8000) < 0.01);
    }
}

// ---- against brute force -------------------------------------------------------------------------------------------

// The least distance of a point from all triangles, by the kernel of one triangle.
static double distance_of_all(const sheet *s, cd_vec3 c)
{
    double least = INFINITY;
    for (int32_t t = 0; t < s->triangle_count; t++) {
        cd_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = cd_sub3(s->vertex[s->triangle[3 * t + k]], c);
        least = fmin(least, cd_length3(cd_triangle_nearest_to_origin(corner).point));
    }
    return least;
}

// Points of all triangles of the sheet on a small circle about p are no nearer to c than p is.
static bool is_least_around(const sheet *s, cd_vec3 c, cd_vec3 p, double radius)
{
    const double wanted = cd_length3(cd_sub3(p, c));
    for (int32_t t = 0; t < s->triangle_count; t++) {
        cd_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = cd_sub3(s->vertex[s->triangle[3 * t + k]], p);
        if (cd_length3(cd_triangle_nearest_to_origin(corner).point) > 1e-9)
            continue;
        // toward points all over the triangle, which is convex
        for (int i = 0; i <= 6; i++)
            for (int k = 0; i + k <= 6; k++) {
                cd_vec3 to = cd_add3(cd_scale3(i / 6.0, corner[0]), cd_scale3(k / 6.0, corner[1]));
                to = cd_add3(to, cd_scale3((6 - i - k) / 6.0, corner[2]));
                double length = cd_length3(to);
                if (length < 1e-6)
                    continue;
                cd_vec3 q = cd_add3(p, cd_scale3(fmin(radius, length) / length, to));
                if (cd_length3(cd_sub3(q, c)) < wanted - 1e-12)
                    return false;
            }
    }
    return true;
}

CD_TEST(over_random_ground_contacts_are_the_local_minima)
{
    cd_random random = {21};
    int32_t seen[3] = {0};
    for (int round = 0; round < 400; round++) {
        cd_arena arena = {0};
        sheet s = sheet_make(&arena, (sheet_kind){5, 0.35, round % 4 * 0.5, true, (uint64_t)round});
        cd_surface surface = sheet_surface(&arena, &s);
        cd_surface_mesh mesh = {&surface, s.vertex, 0};
        // beside the rim and below the ground too
        cd_vec3 c = {cd_random_between(&random, -0.5, 5.5), cd_random_between(&random, -0.5, 5.5),
                     cd_random_between(&random, -1, 2)};
        cd_surface_ball ball = cd_surface_sphere(c, cd_random_between(&random, 0.5, 1.5));
        cd_surface_rules rules = {CD_SURFACE_EXACT, false, 0.5236, 0.2};
        int32_t count = touch_all(&mesh, &ball, &rules, &arena, contact);
        double least = INFINITY, wanted = distance_of_all(&s, c);
        for (int32_t i = 0; i < count; i++) {
            cd_vec3 foot = cd_sub3(c, cd_scale3(contact[i].gap + ball.radius, contact[i].normal));
            CD_CHECK(is_least_around(&s, c, foot, 1e-4));
            CD_CHECK_NEAR(cd_length3(cd_sub3(cd_add3(c, contact[i].on_surface), foot)), 0, 1e-12);
            CD_CHECK_NEAR(cd_length3(contact[i].on_body), ball.radius, 1e-12);
            CD_CHECK_NEAR(distance_of_all(&s, foot), 0, 1e-12);
            least = fmin(least, contact[i].gap + ball.radius);
            seen[cd_feature_kind(contact[i].feature)]++;
        }
        CD_CHECK((wanted - ball.radius <= 0.2) == (count > 0));
        if (count > 0)
            CD_CHECK_NEAR(least, wanted, 1e-14);
        cd_arena_release(&arena);
    }
    CD_CHECK(seen[CD_FEATURE_VERTEX] > 10 && seen[CD_FEATURE_EDGE] > 100 && seen[CD_FEATURE_FACE] > 150);
}

// Which triangles are asked for beside those that are near changes nothing, nor do windings and the order of corners.
CD_TEST(contacts_depend_on_the_surface_alone)
{
    cd_random random = {22};
    const cd_surface_smoothing ways[] = {CD_SURFACE_EXACT, CD_SURFACE_SMOOTH};
    for (int round = 0; round < 200; round++) {
        cd_arena arena = {0};
        sheet s = sheet_make(&arena, (sheet_kind){6, 0.3, 0.4, false, (uint64_t)round});
        cd_surface surface = sheet_surface(&arena, &s);
        cd_surface_mesh mesh = {&surface, s.vertex, 0.01};
        cd_surface_ball ball =
            cd_surface_sphere((cd_vec3){cd_random_between(&random, 1, 5), cd_random_between(&random, 1, 5), 0.9}, 0.8);
        cd_surface_rules rules = {ways[round % 2], false, 0.5236, 0.1};
        int32_t count = touch_all(&mesh, &ball, &rules, &arena, contact);
        cd_surface_contact first[100], again[100];
        memcpy(first, contact, (size_t)count * sizeof *first);

        int32_t near[100], near_count = 0;
        for (int32_t t = 0; t < s.triangle_count; t++) {
            cd_surface_rules off = {CD_SURFACE_OFF, false, 0, rules.limit};
            if (cd_surface_touch_ball(&mesh, &ball, &off, &(cd_surface_asked){&t, 1, NULL, 0}, &arena, again) > 0)
                near[near_count++] = t;
        }
        int32_t fewer =
            cd_surface_touch_ball(&mesh, &ball, &rules, &(cd_surface_asked){near, near_count, NULL, 0}, &arena, again);
        CD_CHECK(fewer == count && memcmp(first, again, (size_t)count * sizeof *first) == 0);

        for (int32_t t = 0; t < s.triangle_count; t++)
            if (cd_random_bits(&random) & 1) {
                int32_t swap = s.triangle[3 * t];
                s.triangle[3 * t] = s.triangle[3 * t + 2];
                s.triangle[3 * t + 2] = swap;
            }
        surface = sheet_surface(&arena, &s);
        int32_t turned = touch_all(&mesh, &ball, &rules, &arena, again);
        CD_CHECK(turned == count);
        for (int32_t i = 0; i < count && turned == count; i++) {
            CD_CHECK(again[i].feature == first[i].feature && again[i].triangle == first[i].triangle);
            CD_CHECK_NEAR(cd_length3(cd_sub3(again[i].normal, first[i].normal)), 0, 1e-12);
            CD_CHECK_NEAR(again[i].gap, first[i].gap, 1e-14);
        }
        cd_arena_release(&arena);
    }
}

// A ball as an ellipsoid of equal axes gives what the ball gives; an ellipsoid over ground that was stretched with it
// touches where the ball does over the ground as it was.
CD_TEST(ellipsoids_touch_where_their_balls_do)
{
    cd_random random = {23};
    for (int round = 0; round < 200; round++) {
        cd_arena arena = {0};
        sheet s = sheet_make(&arena, (sheet_kind){5, 0.3, 0.5, true, (uint64_t)round});
        cd_surface surface = sheet_surface(&arena, &s);
        cd_surface_mesh mesh = {&surface, s.vertex, 0};
        cd_mat3 axes = cd_quat_matrix(cd_quat_from_vector((cd_vec3){round, 1, 2}));
        cd_vec3 c = {cd_random_between(&random, 1, 4), cd_random_between(&random, 1, 4), 0.9};
        cd_surface_ball sphere = cd_surface_sphere(c, 0.9);
        cd_surface_ball round_one = cd_surface_ellipsoid(&(cd_ellipsoid){c, {0.9, 0.9, 0.9}, &axes});
        cd_surface_contact of_sphere[100], other[100];
        cd_surface_rules rules = {CD_SURFACE_EXACT, false, 0.5236, 0};
        int32_t count = touch_all(&mesh, &sphere, &rules, &arena, of_sphere);
        CD_CHECK(touch_all(&mesh, &round_one, &rules, &arena, other) == count);
        for (int32_t i = 0; i < count; i++) {
            CD_CHECK(other[i].feature == of_sphere[i].feature);
            CD_CHECK_NEAR(other[i].gap, of_sphere[i].gap, 1e-14);
            CD_CHECK_NEAR(cd_length3(cd_sub3(other[i].normal, of_sphere[i].normal)), 0, 1e-13);
            CD_CHECK_NEAR(cd_length3(cd_sub3(other[i].on_body, of_sphere[i].on_body)), 0, 1e-13);
        }

        const double stretch[] = {1, 3, 1, 0.2};
        double along = stretch[round % 4];
        cd_vec3 *moved = CD_ARENA_ARRAY(&arena, cd_vec3, s.vertex_count);
        for (int32_t v = 0; v < s.vertex_count; v++)
            moved[v] = (cd_vec3){along * s.vertex[v].x, s.vertex[v].y, s.vertex[v].z};
        cd_surface_mesh stretched = {&surface, moved, 0};
        cd_mat3 upright = cd_mat3_identity();
        cd_surface_ball egg =
            cd_surface_ellipsoid(&(cd_ellipsoid){{along * c.x, c.y, c.z}, {0.9 * along, 0.9, 0.9}, &upright});
        CD_CHECK(touch_all(&stretched, &egg, &rules, &arena, other) == count);
        for (int32_t i = 0; i < count; i++) {
            cd_vec3 n = of_sphere[i].normal;
            n = cd_unit3((cd_vec3){n.x / along, n.y, n.z});
            double width = cd_length3((cd_vec3){0.9 * along * n.x, 0.9 * n.y, 0.9 * n.z});
            CD_CHECK(other[i].feature == of_sphere[i].feature);
            CD_CHECK_NEAR(cd_length3(cd_sub3(other[i].normal, n)), 0, 1e-13);
            CD_CHECK_NEAR(other[i].gap, of_sphere[i].gap / 0.9 * width, 1e-13);
        }
        cd_arena_release(&arena);
    }
}

// In the space where an ellipsoid is the unit ball the nearer triangle may have the greater gap. What a thick surface
// has within the limit is what its minima there have, but where none of them has.
CD_TEST(an_ellipsoid_has_the_minima_of_its_space_alone)
{
    cd_random random = {29};
    int32_t beyond = 0;
    for (int round = 0; round < 600; round++) {
        cd_arena arena = {0};
        sheet s = sheet_make(&arena, (sheet_kind){5, 0.3, 1.6, true, (uint64_t)round});
        cd_surface surface = sheet_surface(&arena, &s);
        cd_surface_mesh thick = {&surface, s.vertex, 0.3};
        cd_mat3 axes = cd_quat_matrix(cd_quat_from_vector((cd_vec3){round, 1, 2}));
        cd_vec3 c = {cd_random_between(&random, 1, 4), cd_random_between(&random, 1, 4),
                     cd_random_between(&random, 0, 2)};
        cd_surface_ball needle = cd_surface_ellipsoid(&(cd_ellipsoid){c, {0.8, 0.06, 0.1}, &axes});
        cd_surface_rules all = {CD_SURFACE_EXACT, false, 0.5236, INFINITY}, near = {CD_SURFACE_EXACT, false, 0.5236, 0};
        cd_surface_contact minimum[100], found[100];
        int32_t minima = touch_all(&thick, &needle, &all, &arena, minimum), within = 0;
        for (int32_t i = 0; i < minima; i++)
            within += !(minimum[i].gap > 0);
        int32_t count = touch_all(&thick, &needle, &near, &arena, found);
        CD_CHECK(within > 0 ? count == within : count <= 1);
        beyond += within > 0 && within < minima;
        cd_arena_release(&arena);
    }
    CD_CHECK(beyond > 50);
}

// ---- hard cases ----------------------------------------------------------------------------------------------------

CD_TEST(a_centre_in_the_surface_has_the_normal_of_the_winding)
{
    cd_arena arena = {0};
    sheet s = sheet_make(&arena, (sheet_kind){4, 0, 0, false, 1});
    cd_surface surface = sheet_surface(&arena, &s);
    cd_surface_mesh mesh = {&surface, s.vertex, 0};
    // in a face, on an edge, at a vertex
    const cd_vec3 centre[] = {{2.3, 1.6, 0}, {2, 1.5, 0}, {2, 2, 0}};
    for (int k = 0; k < 3; k++) {
        cd_surface_ball ball = cd_surface_sphere(centre[k], 0.5);
        CD_CHECK(touch_all(&mesh, &ball, &exact, &arena, contact) == 1);
        CD_CHECK(contact[0].is_degenerate && contact[0].normal.z == 1 && contact[0].gap == -0.5);
        cd_mat3 axes = cd_mat3_identity();
        ball = cd_surface_ellipsoid(&(cd_ellipsoid){centre[k], {0.5, 0.25, 0.125}, &axes});
        CD_CHECK(touch_all(&mesh, &ball, &exact, &arena, contact) == 1);
        CD_CHECK(contact[0].is_degenerate && contact[0].normal.z == 1 && contact[0].gap == -0.125);
    }
    cd_arena_release(&arena);
}

// A T-junction filled by a triangle without area, in a plane: one contact everywhere, along the plane's normal. Without
// the filling both sides are rims.
static int32_t most_over_junction(int32_t triangles)
{
    cd_arena arena = {0};
    cd_mat3 turn = cd_quat_matrix(cd_quat_from_vector((cd_vec3){0.3, 0.5, -0.2}));
    cd_vec3 vertex[] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 0, 0}, {0, -2, 0}, {1, -2, 0}, {2, -2, 0}};
    const int32_t triangle[] = {0, 1, 2, 0, 2, 3, 0, 5, 4, 5, 6, 4, 4, 6, 1, 6, 7, 1, 0, 4, 1};
    int32_t most = 0;
    for (int v = 0; v < 8; v++)
        vertex[v] = cd_mat3_apply(&turn, vertex[v]);
    cd_surface surface = cd_surface_make(&arena, vertex, 8, triangle, triangles, 0);
    cd_surface_mesh mesh = {&surface, vertex, 0};
    for (int i = 0; i <= 40; i++)
        for (int k = 0; k <= 40; k++) {
            cd_vec3 c = cd_mat3_apply(&turn, (cd_vec3){0.6 + 0.8 * i / 40, -0.4 + 0.8 * k / 40, 0.45});
            cd_surface_ball ball = cd_surface_sphere(c, 0.5);
            int32_t count = touch_all(&mesh, &ball, &exact, &arena, contact);
            most = count > most ? count : most;
            for (int32_t n = 0; n < count && triangles == 7; n++) {
                cd_vec3 own = cd_mat3_apply_back(&turn, contact[n].normal);
                CD_CHECK_NEAR(own.z, 1, 1e-12);
                CD_CHECK_NEAR(contact[n].gap, -0.05, 1e-14);
            }
        }
    cd_arena_release(&arena);
    return most;
}

CD_TEST(triangles_without_area_close_t_junctions)
{
    CD_CHECK(most_over_junction(7) == 1);
    CD_CHECK(most_over_junction(6) > 1);
}

CD_TEST(triangles_without_area_alone_are_edges_and_points)
{
    cd_arena arena = {0};
    const cd_vec3 vertex[] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {9, 0, 0}, {9, 0, 0}, {9, 0, 0}};
    const int32_t triangle[] = {0, 1, 2, 3, 4, 5};
    cd_surface surface = cd_surface_make(&arena, vertex, 6, triangle, 2, 0);
    cd_surface_mesh mesh = {&surface, vertex, 0.125};
    const cd_vec3 centre[] = {{0.5, 0, 1}, {-3, 0, 4}, {9, 0, 1}, {0.5, 0, 0}};
    const cd_vec3 normal[] = {{0, 0, 1}, {-0.6, 0, 0.8}, {0, 0, 1}, {0, 0, 1}};
    const double distance[] = {1, 5, 1, 0};
    for (int k = 0; k < 4; k++) {
        cd_surface_ball ball = cd_surface_sphere(centre[k], distance[k] + 0.25);
        CD_CHECK(touch_all(&mesh, &ball, &exact, &arena, contact) == 1);
        CD_CHECK_NEAR(contact[0].gap, -0.375, 1e-15);
        CD_CHECK_NEAR(cd_length3(contact[0].normal), 1, 1e-15);
        if (k < 3)
            CD_CHECK_NEAR(cd_length3(cd_sub3(contact[0].normal, normal[k])), 0, 1e-15);
        CD_CHECK(contact[0].is_degenerate == (k == 3));
    }
    cd_arena_release(&arena);
}

// Needles of all heights in a plane that is turned: never no contact, and where the needles are not of rounding's
// height one, along the plane's normal.
CD_TEST(needles_in_a_plane)
{
    cd_random random = {4};
    for (double height = 1; height > 1e-14; height *= 0.1) {
        cd_arena arena = {0};
        cd_mat3 turn = cd_quat_matrix(cd_quat_from_vector((cd_vec3){0.2, 0.6, 0.4}));
        cd_vec3 vertex[] = {{-2, 0, 0}, {2, 0, 0}, {0.1, height, 0}, {0, 4, 0}, {0, -4, 0}};
        const int32_t triangle[] = {0, 1, 2, 0, 3, 2, 2, 1, 3, 0, 1, 4};
        for (int v = 0; v < 5; v++)
            vertex[v] = cd_mat3_apply(&turn, vertex[v]);
        cd_surface surface = cd_surface_make(&arena, vertex, 5, triangle, 4, 0);
        cd_surface_mesh mesh = {&surface, vertex, 0};
        for (int k = 0; k < 500; k++) {
            cd_vec3 c = {cd_random_between(&random, -0.5, 0.5), cd_random_between(&random, -0.5, 0.5), 0.9};
            cd_surface_ball ball = cd_surface_sphere(cd_mat3_apply(&turn, c), 1);
            int32_t count = touch_all(&mesh, &ball, &exact, &arena, contact);
            CD_CHECK(count >= 1);
            for (int32_t i = 0; i < count; i++) {
                CD_CHECK_NEAR(contact[i].gap, -0.1, 1e-13 + 1e-29 / (height * height));
                CD_CHECK(count == 1 || height < 1e-3);
            }
        }
        cd_arena_release(&arena);
    }
}

// From one side alone: the other wing of a wedge, met through the one in front, is left out, and so is what is behind.
CD_TEST(only_the_front)
{
    hinge h;
    make_hinge(&h, 2.5, 0);  // normals of both faces away from the wedge
    cd_surface_rules both = {CD_SURFACE_EXACT, false, 0.5236, 0}, front = {CD_SURFACE_EXACT, true, 0.5236, 0};
    cd_surface_ball above = cd_surface_sphere((cd_vec3){-1, 0, 0.5}, 1.4);
    CD_CHECK(touch_all(&h.mesh, &above, &both, &h.arena, contact) == 2);
    CD_CHECK(touch_all(&h.mesh, &above, &front, &h.arena, contact) == 1);
    CD_CHECK(contact[0].triangle == 0 && contact[0].normal.z == 1);
    cd_surface_ball inside = cd_surface_sphere((cd_vec3){-3, 0, -0.6}, 0.7);
    CD_CHECK(touch_all(&h.mesh, &inside, &both, &h.arena, contact) >= 1);
    CD_CHECK(touch_all(&h.mesh, &inside, &front, &h.arena, contact) == 0);
    cd_surface_ball at_edge = cd_surface_sphere((cd_vec3){0.4, 0, 0.3}, 0.6);
    CD_CHECK(touch_all(&h.mesh, &at_edge, &front, &h.arena, contact) == 1);
    CD_CHECK(cd_feature_kind(contact[0].feature) == CD_FEATURE_EDGE);
    cd_arena_release(&h.arena);
    // behind one face of a valley, before the plane of the other, whose nearest point is on the edge: no minimum
    make_hinge(&h, -1.2, 0);
    cd_surface_ball behind = cd_surface_sphere((cd_vec3){-0.5, 0, -0.1}, 0.7);
    CD_CHECK(touch_all(&h.mesh, &behind, &both, &h.arena, contact) == 1);
    CD_CHECK(contact[0].normal.z == -1);
    CD_CHECK(touch_all(&h.mesh, &behind, &front, &h.arena, contact) == 0);
    cd_arena_release(&h.arena);
}

// In `facet` over random ground each normal is in the cone of the normals about its feature, within reach of
// Caratheodory: no vector that leans away from all of these may lean toward it.
CD_TEST(turned_normals_are_in_the_cone_of_those_that_meet)
{
    cd_random random = {31};
    int32_t at_vertex = 0;
    for (int round = 0; round < 200; round++) {
        cd_arena arena = {0};
        sheet s = sheet_make(&arena, (sheet_kind){6, 0.3, 0.6, true, (uint64_t)round});
        cd_surface surface = sheet_surface(&arena, &s);
        cd_surface_mesh mesh = {&surface, s.vertex, 0};
        cd_vec3 c = {cd_random_between(&random, 2.5, 3.5), cd_random_between(&random, 2.5, 3.5), 1.2};
        cd_surface_ball ball = cd_surface_sphere(c, 1.2);
        cd_surface_rules rules = {CD_SURFACE_FACET, false, 0, 0};
        int32_t count = touch_all(&mesh, &ball, &rules, &arena, contact);
        for (int32_t i = 0; i < count; i++) {
            bool is_vertex = cd_feature_kind(contact[i].feature) == CD_FEATURE_VERTEX;
            if (!is_vertex)
                continue;
            int32_t v = cd_feature_index(contact[i].feature);
            cd_surface_star star = cd_surface_star_of(&surface, v);
            cd_vec3 normal[40];
            double leaning = INFINITY;
            for (int32_t k = 0; k < star.count; k++) {
                cd_vec3 corner[3];
                for (int n = 0; n < 3; n++)
                    corner[n] = s.vertex[cd_surface_corner(&surface, star.triangle[k], n)];
                normal[k] = cd_unit3(cd_cross3(cd_sub3(corner[1], corner[0]), cd_sub3(corner[2], corner[0])));
                if (normal[k].z < 0)
                    normal[k] = cd_negate3(normal[k]);
            }
            for (int probe = 0; probe < 2000; probe++) {
                cd_vec3 w = {cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1),
                             cd_random_between(&random, -1, 1)};
                double most = -INFINITY;
                for (int32_t k = 0; k < star.count; k++)
                    most = fmax(most, cd_dot3(w, normal[k]));
                if (most <= 0)
                    leaning = fmin(leaning, -cd_dot3(w, contact[i].normal));
            }
            CD_CHECK(leaning > -1e-12);
            at_vertex++;
        }
        cd_arena_release(&arena);
    }
    CD_CHECK(at_vertex > 100);
}

int main(void)
{
    CD_RUN(a_sphere_rolls_over_a_flat_mesh_on_one_contact);
    CD_RUN(an_ellipsoid_slides_over_a_flat_mesh_on_one_contact);
    CD_RUN(triangles_by_themselves_have_many);
    CD_RUN(normals_stay_in_the_range_of_both_faces);
    CD_RUN(zones_of_a_ridge);
    CD_RUN(a_shallow_valley_is_crossed_without_a_jump);
    CD_RUN(between_two_faces_the_normal_is_mirrored_at_the_bisector);
    CD_RUN(over_shallow_ground_forces_do_not_jump);
    CD_RUN(over_random_ground_contacts_are_the_local_minima);
    CD_RUN(contacts_depend_on_the_surface_alone);
    CD_RUN(ellipsoids_touch_where_their_balls_do);
    CD_RUN(an_ellipsoid_has_the_minima_of_its_space_alone);
    CD_RUN(a_centre_in_the_surface_has_the_normal_of_the_winding);
    CD_RUN(triangles_without_area_close_t_junctions);
    CD_RUN(triangles_without_area_alone_are_edges_and_points);
    CD_RUN(needles_in_a_plane);
    CD_RUN(only_the_front);
    CD_RUN(turned_normals_are_in_the_cone_of_those_that_meet);
    return cd_test_done();
}
