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
    return cd_test_done();
}
