// Volumes around balls, ellipsoids and half-spaces: against slices of the plane, known parts of a ball, sums over cut
// bodies, affine images of closed forms, lines through both bodies, and clipping.
// SPDX-License-Identifier: MIT
#include "cd_closed2.h"
#include "cd_intersect3.h"
#include "cd_test.h"
#include "overlap_volume.h"
#include "test_solids.h"

static cd_arena arena;
static const double pi = 3.14159265358979323846;
static const double unit_ball = 4 * 3.14159265358979323846 / 3;

// ---- references ----------------------------------------------------------------------------------------------------

// The area that the unit ball and the polyhedron have in common at the height z.
static double slice_area(const cd_polyhedron *p, double z)
{
    cd_vec2 point[4 * TEST_SOLID_MOST * 6];
    int32_t count = 0;
    for (int32_t f = 0; f < p->face_count; f++) {
        for (int32_t k = p->face_first[f]; k < p->face_first[f + 1]; k++) {
            int32_t next = k + 1 < p->face_first[f + 1] ? k + 1 : p->face_first[f];
            cd_vec3 a = p->vertex[p->face_vertex[k]], b = p->vertex[p->face_vertex[next]];
            if ((a.z < z) == (b.z < z) || p->face_vertex[k] > p->face_vertex[next])
                continue;
            double t = (z - a.z) / (b.z - a.z);
            point[count++] = (cd_vec2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        }
    }
    cd_polygon hull = cd_hull2(point, count, &arena, NULL);
    if (hull.count < 3 || !(fabs(z) < 1))
        return 0;
    cd_circle disc = {{0, 0}, sqrt((1 - z) * (1 + z))};
    return cd_polygon_circle_area(hull, disc);
}

// Heights between which the area is smooth are few: a fine midpoint rule for all of them.
static double sliced_volume(const cd_polyhedron *p, int slices)
{
    double low = 1, high = -1, sum = 0;
    for (int32_t i = 0; i < p->vertex_count; i++) {
        low = fmin(low, p->vertex[i].z);
        high = fmax(high, p->vertex[i].z);
    }
    low = fmax(low, -1);
    high = fmin(high, 1);
    for (int k = 0; k < slices && low < high; k++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        sum += slice_area(p, low + (high - low) * (k + 0.5) / slices);
        cd_arena_rewind(&arena, mark);
    }
    return sum * (high - low) / slices;
}

static cd_polyhedron as_polyhedron(const cd_convex3 *c)
{
    cd_vec3 *v = CD_ARENA_ARRAY(&arena, cd_vec3, c->vertex_count);
    for (int32_t i = 0; i < c->vertex_count; i++)
        v[i] = cd_convex3_vertex(c, i);
    return (cd_polyhedron){c->vertex_count, c->face_count, v, c->face_first, c->face_vertex};
}

static cd_polyhedron random_solid(cd_random *random)
{
    double size = pow(2, test_between(random, -2, 2));
    cd_vec3 axes = {size, size * test_between(random, 0.2, 1), size * test_between(random, 0.2, 1)};
    cd_polyhedron p = cd_random_bits(random) % 3
                          ? test_hull(random, 4 + (int)(cd_random_bits(random) % 7), axes, &arena)
                          : test_box_between(cd_negate3(axes), axes, &arena);
    cd_vec3 at = cd_scale3(test_between(random, 0, 1 + size), test_direction(random));
    cd_convex3 placed = test_placed(p, at, test_rotation(random), &arena);
    return as_polyhedron(&placed);
}

// ---- the ball and a polyhedron -------------------------------------------------------------------------------------

CD_TEST(ball_and_polyhedron_agree_with_slices)
{
    cd_random random = {11};
    int overlapping = 0;
    for (int i = 0; i < 150; i++) {
        cd_arena_reset(&arena);
        cd_polyhedron p = random_solid(&random);
        cd_volume volume = cd_volume_unit_ball(p, 0);
        CD_CHECK_NEAR(volume.value, sliced_volume(&p, 4000), 4e-6);
        CD_CHECK(volume.error < 4e-13);
        overlapping += volume.value > 1e-3;
    }
    CD_CHECK(overlapping > 60);
}

// Two parts of a cut body hold what the body holds: every position of a plane near the ball, errors as reported.
CD_TEST(parts_of_a_cut_box_sum_up)
{
    cd_random random = {12};
    for (int i = 0; i < 2000; i++) {
        cd_arena_reset(&arena);
        double size = pow(10, test_between(&random, -2, 1)), cut = test_between(&random, -1, 1) * size;
        cd_vec3 at = cd_scale3(1 + size * test_between(&random, -1, 1.5), test_direction(&random));
        cd_quat rotation = test_rotation(&random);
        double sum = 0, error = 0;
        const double low[3] = {-size, -size, cut}, high[3] = {size, cut, size};
        for (int k = 0; k < 3; k++) {
            cd_polyhedron box =
                test_box_between((cd_vec3){low[k], -size, -size}, (cd_vec3){high[k], size, size}, &arena);
            cd_convex3 placed = test_placed(box, at, rotation, &arena);
            cd_volume part = cd_volume_unit_ball(as_polyhedron(&placed), 4e-16 * (1 + 2 * size));
            sum += k == 0 ? part.value : -part.value;
            error += part.error;
        }
        CD_CHECK_NEAR(sum, 0, error);
    }
}

CD_TEST(the_centre_may_lie_on_a_face_an_edge_a_corner)
{
    cd_random random = {13};
    for (int i = 0; i < 40; i++) {
        cd_arena_reset(&arena);
        cd_quat rotation = i ? test_rotation(&random) : cd_quat_identity();
        cd_vec3 low = {-2, -2, -2};
        for (int parts = 0; parts < 4; parts++) {  // how many faces the centre lies on
            cd_vec3 high = {parts > 0 ? 0 : 2, parts > 1 ? 0 : 2, parts > 2 ? 0 : 2};
            cd_convex3 box = test_placed(test_box_between(low, high, &arena), (cd_vec3){0, 0, 0}, rotation, &arena);
            CD_CHECK_NEAR(cd_volume_unit_ball(as_polyhedron(&box), 0).value, ldexp(unit_ball, -parts), 1e-14);
        }
    }
}

CD_TEST(one_inside_the_other)
{
    cd_arena_reset(&arena);
    cd_polyhedron box = test_box_between((cd_vec3){-3, -2, -1.5}, (cd_vec3){1.25, 1.5, 2}, &arena);
    CD_CHECK_NEAR(cd_volume_unit_ball(box, 0).value, unit_ball, 1e-14);
    cd_polyhedron small = test_box_between((cd_vec3){0.5, 0.5, 0.5}, (cd_vec3){0.5078125, 0.515625, 0.53125}, &arena);
    CD_CHECK_NEAR(cd_volume_unit_ball(small, 0).value, ldexp(1, -7 - 6 - 5), 1e-21);
    cd_polyhedron off = test_box_between((cd_vec3){1.5, 1.5, 1.5}, (cd_vec3){2, 2, 2}, &arena);
    CD_CHECK_NEAR(cd_volume_unit_ball(off, 0).value, 0, 1e-16);
}

// A cap by the face of a box that begins at 1 - depth, whichever corner of the face's grid the foot is near; half and
// quarter caps where an edge or a corner of the box lies under the centre.
CD_TEST(caps_are_exact_however_thin)
{
    for (int e = 1; e <= 40; e++) {
        double depth = ldexp(1, -e), cap = pi * depth * depth * (3 - depth) / 3;
        for (int parts = 0; parts < 3; parts++) {
            cd_arena_reset(&arena);
            cd_vec3 low = {1 - depth, parts > 0 ? 0 : -4, parts > 1 ? 0 : -4};
            cd_volume volume = cd_volume_unit_ball(test_box_between(low, (cd_vec3){8, 4, 4}, &arena), 0);
            CD_CHECK_NEAR(volume.value, ldexp(cap, -parts), 1e-14 * cap);
            CD_CHECK(volume.error < 1e-12 * depth);  // the surface times rounding of the box's size
        }
    }
}

// An edge at 1 - depth of a right wedge whose planes cut the ball deep: its overlap is of the order of depth^2, and
// what the planes cut off is no part of it. The reference is the integral of circular segments with a right corner.
CD_TEST(edges_press_in_without_cancellation)
{
    for (int e = 2; e <= 20; e += 2) {
        cd_arena_reset(&arena);
        double depth = ldexp(1, -e), corner = 1 - depth, reach = sqrt((1 - corner) * (1 + corner)), sum = 0;
        // The wedge x - corner >= |y|, over z; z = reach sin(u) takes the root out of the ends.
        for (int k = 0; k < 2000; k++) {
            double u = pi * ((k + 0.5) / 2000 - 0.5), z = reach * sin(u);
            double r_sq = 1 - z * z, x0 = corner;            // points x0 + s, |y| <= s up to the circle
            double y = (sqrt(2 * r_sq - x0 * x0) - x0) / 2;  // where the wedge's plane meets the circle
            double shallow = ((1 - x0) * (1 + x0) - z * z);  // r^2 - x0^2
            y = shallow / (sqrt(2 * r_sq - x0 * x0) + x0);
            double half_angle = asin(y / sqrt(r_sq));
            // Circular segment beyond x0 + y, and the triangle before it.
            double segment = r_sq * (half_angle - sin(half_angle) * cos(half_angle));
            if (half_angle < 0.02) {
                double a = 2 * half_angle, a2 = a * a;
                segment = r_sq / 2 * a * a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42 * (1 - a2 / 72)));
            }
            sum += (y * y + segment) * reach * cos(u);
        }
        double expected = sum * pi / 2000, h = 4;
        cd_vec3 v[6] = {{corner, 0, -h}, {corner + h, -h, -h}, {corner + h, h, -h},
                        {corner, 0, h},  {corner + h, -h, h},  {corner + h, h, h}};
        static const int32_t first[6] = {0, 3, 6, 10, 14, 18};
        static const int32_t face[18] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
        cd_volume volume = cd_volume_unit_ball((cd_polyhedron){6, 5, v, first, face}, 0);
        CD_CHECK_NEAR(volume.value, expected, 1e-11 * expected + volume.error);
        CD_CHECK(volume.error < 1e-12 * expected / depth);
    }
}

// ---- closed forms --------------------------------------------------------------------------------------------------

CD_TEST(lens_of_two_balls)
{
    cd_random random = {14};
    for (int i = 0; i < 300; i++) {
        cd_ball a = {{0, 0, 0}, test_between(&random, 0.1, 2)}, b = {{0, 0, 0}, test_between(&random, 0.1, 2)};
        double d = test_between(&random, 0, a.radius + b.radius);
        b.centre = cd_scale3(d, test_direction(&random));
        double low = fmax(-a.radius, d - b.radius), high = fmin(a.radius, d + b.radius), sum = 0;
        int slices = 2000;
        for (int k = 0; k < slices; k++) {
            double x = low + (high - low) * (k + 0.5) / slices;
            sum += pi * fmax(0, fmin(a.radius * a.radius - x * x, b.radius * b.radius - (x - d) * (x - d)));
        }
        cd_volume ab = cd_volume_ball_ball(a, b), ba = cd_volume_ball_ball(b, a);
        CD_CHECK_NEAR(ab.value, sum * (high - low) / slices, 4e-6 * a.radius * b.radius);
        CD_CHECK_NEAR(ab.value, ba.value, ab.error + ba.error);
        CD_CHECK(ab.error < 1e-13);
    }
    CD_CHECK_NEAR(cd_volume_ball_ball((cd_ball){{0, 0, 0}, 1}, (cd_ball){{1, 0, 0}, 1}).value, 5 * pi / 12, 1e-15);
    CD_CHECK(cd_volume_ball_ball((cd_ball){{0, 0, 0}, 1}, (cd_ball){{2, 0, 0}, 1}).value == 0);
    CD_CHECK_NEAR(cd_volume_ball_ball((cd_ball){{0, 0, 0}, 1}, (cd_ball){{0.25, 0, 0}, 0.5}).value, unit_ball / 8,
                  1e-15);
}

static cd_mat3 turned(cd_random *random) { return cd_quat_matrix(test_rotation(random)); }

CD_TEST(caps_of_balls_and_ellipsoids)
{
    cd_random random = {15};
    for (int i = 0; i < 300; i++) {
        cd_vec3 n = test_direction(&random), at = cd_scale3(test_between(&random, 0, 3), test_direction(&random));
        cd_mat3 axes = turned(&random);
        cd_vec3 s = {test_between(&random, 0.2, 2), test_between(&random, 0.2, 2), test_between(&random, 0.2, 2)};
        double whole = unit_ball * s.x * s.y * s.z, height = cd_dot3(n, at), u = test_between(&random, -1.2, 1.2);
        cd_vec3 along = cd_mat3_apply_back(&axes, n);
        double extent = cd_length3((cd_vec3){s.x * along.x, s.y * along.y, s.z * along.z});
        cd_ellipsoid e = {at, s, &axes};
        cd_volume below = cd_volume_ellipsoid_halfspace(&e, (cd_halfspace){n, height + u * extent});
        cd_volume above = cd_volume_ellipsoid_halfspace(&e, (cd_halfspace){cd_negate3(n), -(height + u * extent)});
        CD_CHECK_NEAR(below.value + above.value, whole, below.error + above.error + 1e-15 * whole);
        double h = fmin(fmax(1 + u, 0), 2);
        CD_CHECK_NEAR(below.value, pi * h * h * (3 - h) / 3 / unit_ball * whole, below.error + 1e-13 * whole);
        cd_ball ball = {at, s.x};
        cd_volume cap = cd_volume_ball_halfspace(ball, (cd_halfspace){n, height});
        CD_CHECK_NEAR(cap.value, unit_ball * s.x * s.x * s.x / 2, cap.error + 1e-15);
    }
}

// A half-space is a large box to a small body.
CD_TEST(polyhedron_cut_by_a_plane_is_clipped)
{
    cd_random random = {16};
    for (int i = 0; i < 500; i++) {
        cd_arena_reset(&arena);
        cd_vec3 n = test_direction(&random), axes = {1, test_between(&random, 0.1, 1), test_between(&random, 0.1, 1)};
        cd_polyhedron p = test_hull(&random, 4 + (int)(cd_random_bits(&random) % 9), axes, &arena);
        cd_vec3 at = cd_scale3(test_between(&random, 0, 4), test_direction(&random));
        cd_convex3 body = test_placed(p, at, test_rotation(&random), &arena);
        double offset = cd_dot3(n, at) + test_between(&random, -1.1, 1.1);
        cd_vec3 side = cd_unit3(cd_cross3(n, fabs(n.x) < 0.8 ? (cd_vec3){1, 0, 0} : (cd_vec3){0, 1, 0}));
        cd_vec3 third = cd_cross3(n, side), x = cd_scale3(16, side), y = cd_scale3(16, third);
        cd_polyhedron block = test_box_between((cd_vec3){-1, -1, -16}, (cd_vec3){1, 1, 0}, &arena);
        cd_vec3 *v = CD_ARENA_ARRAY(&arena, cd_vec3, 8);
        for (int k = 0; k < 8; k++)
            v[k] = cd_add3(cd_scale3(offset + block.vertex[k].z, n),
                           cd_add3(cd_scale3(block.vertex[k].x, x), cd_scale3(block.vertex[k].y, y)));
        block.vertex = v;
        cd_convex3 ground = test_fixed(block, &arena);
        cd_volume volume = cd_volume_convex_halfspace(&body, (cd_halfspace){n, offset}, &arena);
        cd_intersect3 clipped = cd_intersect3_clip(&body, &ground, &arena);
        CD_CHECK_NEAR(volume.value, clipped.volume, volume.error + 0x1p-46 * 40 * clipped.area);
        CD_CHECK(volume.error < 4e-13);
    }
}

// ---- ellipsoids ----------------------------------------------------------------------------------------------------

// Two balls under one linear map: the lens times its determinant, thin ones too.
CD_TEST(ellipsoids_that_are_images_of_balls)
{
    cd_random random = {17};
    for (int i = 0; i < 120; i++) {
        cd_mat3 axes = turned(&random);
        cd_vec3 s = {test_between(&random, 0.1, 1), test_between(&random, 0.1, 1), test_between(&random, 0.1, 1)};
        double ra = test_between(&random, 0.5, 1), rb = test_between(&random, 0.5, 1);
        double depth = i % 2 ? test_between(&random, 0.01, 0.9) : pow(10, test_between(&random, -9, -1));
        cd_vec3 apart = cd_scale3(ra + rb - depth, test_direction(&random));
        cd_vec3 centre = cd_mat3_apply(&axes, (cd_vec3){s.x * apart.x, s.y * apart.y, s.z * apart.z});
        cd_ellipsoid a = {{0, 0, 0}, cd_scale3(ra, s), &axes}, b = {centre, cd_scale3(rb, s), &axes};
        double expected = cd_volume_ball_ball((cd_ball){{0, 0, 0}, ra}, (cd_ball){apart, rb}).value * s.x * s.y * s.z;
        cd_volume volume = cd_volume_ellipsoid_ellipsoid(&a, &b);
        CD_CHECK_NEAR(volume.value, expected, volume.error);
        CD_CHECK(volume.error < (1e-11 + 1e-12 / depth) * volume.value);
    }
}

// The part of the line (y, z) parallel to x inside an ellipsoid, cut from [begin, end].
static void cut_line(const cd_ellipsoid *e, double y, double z, double *begin, double *end)
{
    cd_vec3 p = cd_mat3_apply_back(e->axes, cd_sub3((cd_vec3){0, y, z}, e->centre)), s = e->semiaxes;
    cd_vec3 d = cd_mat3_apply_back(e->axes, (cd_vec3){1, 0, 0});
    p = (cd_vec3){p.x / s.x, p.y / s.y, p.z / s.z};
    d = (cd_vec3){d.x / s.x, d.y / s.y, d.z / s.z};
    double dd = cd_dot3(d, d), dp = cd_dot3(d, p), root_sq = dp * dp - dd * (cd_dot3(p, p) - 1);
    double root = root_sq > 0 ? sqrt(root_sq) : 0;
    *begin = fmax(*begin, (-dp - root) / dd);
    *end = root_sq > 0 ? fmin(*end, (-dp + root) / dd) : *begin;
}

static double volume_by_lines(const cd_ellipsoid *a, const cd_ellipsoid *b, int lines)
{
    double sum = 0, side = 2.0 / lines;  // a lies within 1 of the origin
    for (int i = 0; i < lines; i++)
        for (int j = 0; j < lines; j++) {
            double begin = -9, end = 9, y = (i + 0.5) * side - 1, z = (j + 0.5) * side - 1;
            cut_line(a, y, z, &begin, &end);
            cut_line(b, y, z, &begin, &end);
            sum += fmax(0, end - begin);
        }
    return sum * side * side;
}

CD_TEST(ellipsoids_agree_with_lines_and_when_exchanged)
{
    cd_random random = {18};
    int overlapping = 0, pierced = 0;
    for (int i = 0; i < 60; i++) {
        cd_mat3 axes[2] = {turned(&random), turned(&random)};
        cd_ellipsoid e[2];
        for (int k = 0; k < 2; k++)
            e[k] = (cd_ellipsoid){
                {0, 0, 0},
                {test_between(&random, 0.2, 1), test_between(&random, 0.2, 1), test_between(&random, 0.2, 1)},
                &axes[k]};
        e[1].centre = cd_scale3(test_between(&random, 0, 1.4), test_direction(&random));
        cd_volume ab = cd_volume_ellipsoid_ellipsoid(&e[0], &e[1]), ba = cd_volume_ellipsoid_ellipsoid(&e[1], &e[0]);
        CD_CHECK_NEAR(ab.value, volume_by_lines(&e[0], &e[1], 400), 3e-5);
        CD_CHECK_NEAR(ab.value, ba.value, ab.error + ba.error);
        CD_CHECK(ab.error <= 1e-3 * ab.value);
        overlapping += ab.value > 0;
        pierced += ab.error > 1e-10 * ab.value;
    }
    CD_CHECK(overlapping > 40 && pierced < 20);
}

CD_TEST(an_ellipsoid_inside_another_has_its_own_volume)
{
    cd_random random = {19};
    for (int i = 0; i < 20; i++) {
        cd_mat3 axes = turned(&random), other = turned(&random);
        cd_ellipsoid a = {{1, 2, 3}, {1, 0.8, 0.6}, &axes}, b = {{1.1, 2, 3.1}, {0.3, 0.1, 0.2}, &other};
        cd_volume volume = cd_volume_ellipsoid_ellipsoid(&a, &b);
        CD_CHECK_NEAR(volume.value, unit_ball * 0.006, 1e-15);
        CD_CHECK(volume.error < 1e-12);
        b.centre.x = 3;
        CD_CHECK(cd_volume_ellipsoid_ellipsoid(&a, &b).value == 0);
    }
}

// With semiaxes of powers of two along the coordinates the map is exact.
CD_TEST(polyhedron_and_ellipsoid_are_an_image_of_the_ball)
{
    cd_random random = {20};
    cd_mat3 axes = cd_mat3_identity();
    for (int i = 0; i < 100; i++) {
        cd_arena_reset(&arena);
        cd_polyhedron p = random_solid(&random);
        cd_volume unit = cd_volume_unit_ball(p, 0);
        cd_vec3 *v = CD_ARENA_ARRAY(&arena, cd_vec3, p.vertex_count);
        for (int32_t k = 0; k < p.vertex_count; k++)
            v[k] = (cd_vec3){2 * p.vertex[k].x, p.vertex[k].y / 4, 8 * p.vertex[k].z};
        p.vertex = v;
        cd_convex3 image = test_fixed(p, &arena);
        cd_ellipsoid e = {{0, 0, 0}, {2, 0.25, 8}, &axes};
        CD_CHECK(cd_volume_convex_ellipsoid(&image, &e, &arena).value == 4 * unit.value);
    }
}

int main(void)
{
    CD_RUN(ball_and_polyhedron_agree_with_slices);
    CD_RUN(parts_of_a_cut_box_sum_up);
    CD_RUN(the_centre_may_lie_on_a_face_an_edge_a_corner);
    CD_RUN(one_inside_the_other);
    CD_RUN(caps_are_exact_however_thin);
    CD_RUN(edges_press_in_without_cancellation);
    CD_RUN(lens_of_two_balls);
    CD_RUN(caps_of_balls_and_ellipsoids);
    CD_RUN(polyhedron_cut_by_a_plane_is_clipped);
    CD_RUN(ellipsoids_that_are_images_of_balls);
    CD_RUN(ellipsoids_agree_with_lines_and_when_exchanged);
    CD_RUN(an_ellipsoid_inside_another_has_its_own_volume);
    CD_RUN(polyhedron_and_ellipsoid_are_an_image_of_the_ball);
    cd_arena_release(&arena);
    return cd_test_done();
}
