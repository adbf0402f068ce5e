// cd-plot in space: outlines, painter's order against lines of sight, and painted pixels against them.
// SPDX-License-Identifier: MIT
#include "cd_hull3.h"
#include "test_solids.h"
#include "cd_random.h"
#include "cd_test.h"
#include "plot_cast.h"
#include "plot_space.h"

#include <stdlib.h>
#include <zlib.h>

static cd_vec3 random_point(cd_random *random, double reach)
{
    double x = cd_random_between(random, -reach, reach), y = cd_random_between(random, -reach, reach);
    return (cd_vec3){x, y, cd_random_between(random, -reach, reach)};
}

static cd_quat random_turn(cd_random *random)
{
    cd_vec3 axis = random_point(random, 3);
    return cd_quat_unit(cd_quat_from_vector(axis));
}

// ---- parts to look at ----------------------------------------------------------------------------------------------

enum { KINDS = 5 };

// A body within 0.68 m of the origin: a hull, a box, a ball, an ellipsoid, a triangle.
static cd_leaf3 random_leaf(cd_random *random, cd_arena *arena, int kind)
{
    cd_leaf3 leaf = {.shape = 0};
    if (kind < 2) {
        int count = kind == 0 ? 10 : 8;
        cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, count);
        cd_vec3 half = {cd_random_between(random, 0.2, 0.42), cd_random_between(random, 0.2, 0.42), 0.3};
        for (int i = 0; i < count; i++)
            point[i] = kind == 0
                           ? random_point(random, 0.39)
                           : (cd_vec3){(i & 1 ? 1 : -1) * half.x, (i & 2 ? 1 : -1) * half.y, (i & 4 ? 1 : -1) * half.z};
        cd_hull3 hull = cd_hull3_make(point, count, arena);
        leaf.kind = CD_SHAPE_POLYHEDRON;
        leaf.polyhedron = test_kept(arena, cd_hull3_polyhedron(&hull, point, arena));
    } else if (kind == 2) {
        leaf.kind = CD_SHAPE_SPHERE;
        leaf.sphere = (cd_ball){{0, 0, 0}, cd_random_between(random, 0.2, 0.65)};
    } else if (kind == 3) {
        cd_mat3 *axes = CD_ARENA_ARRAY(arena, cd_mat3, 1);
        *axes = cd_mat3_identity();
        leaf.kind = CD_SHAPE_ELLIPSOID;
        leaf.ellipsoid = test_ellipsoid(arena, (cd_vec3){0, 0, 0}, (cd_vec3){0.65, 0.4, 0.2}, axes);
    } else {
        leaf.kind = CD_SHAPE_FACETS;
        static const int32_t corner[3] = {0, 1, 2};
        cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, 3);
        for (int k = 0; k < 3; k++)
            point[k] = random_point(random, 0.39);
        leaf.facet = (cd_corners3){.vertex = point, .corner = corner};
    }
    return leaf;
}

static cd_plot_shapes make_shapes(cd_arena *arena, cd_leaf3 *leaf, int32_t count)
{
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, count + 1);
    for (int32_t i = 0; i <= count; i++)
        first[i] = i;
    for (int32_t i = 0; i < count; i++) {
        if (leaf[i].kind != CD_SHAPE_POLYHEDRON)
            continue;
        cd_leaf3 prepared = test_leaf(*leaf[i].polyhedron, NULL, arena);
        leaf[i].prepared = prepared.prepared;
    }
    return (cd_plot_shapes){.leaves = {.dim = 3, .first = first, .space = {first, leaf}},
                            .mate = CD_ARENA_ZARRAY(arena, const cd_vec3 *, count)};
}

// Where the line of sight through a point meets a part: low .. high along z; false: it does not. By itself: planes one
// after the other, a quadratic equation, Cramer's rule.
static bool look(const cd_plot_part *part, cd_vec2 at, double *low, double *high)
{
    *low = -INFINITY;
    *high = INFINITY;
    if (part->kind == CD_SHAPE_POLYHEDRON) {
        for (int32_t f = 0; f < part->convex.face_count; f++) {
            cd_plane plane = part->convex.plane[f];
            double rest = plane.offset - plane.normal.x * at.x - plane.normal.y * at.y;
            if (plane.normal.z > 0)
                *high = fmin(*high, rest / plane.normal.z);
            else if (plane.normal.z < 0)
                *low = fmax(*low, rest / plane.normal.z);
            else if (rest < 0)
                return false;
        }
        return *low < *high;
    }
    if (part->kind == CD_SHAPE_FACETS) {
        cd_vec3 u = cd_sub3(part->corner[1], part->corner[0]), v = cd_sub3(part->corner[2], part->corner[0]);
        double x = at.x - part->corner[0].x, y = at.y - part->corner[0].y, d = u.x * v.y - u.y * v.x;
        double s = (x * v.y - y * v.x) / d, t = (u.x * y - u.y * x) / d;
        *low = *high = part->corner[0].z + s * u.z + t * v.z;
        return s > 0 && t > 0 && s + t < 1;
    }
    // |c|^2 = 1 with c_k = a_k . (p - centre) / |a_k|^2 along p = (x, y, z).
    double qa = 0, qb = 0, qc = -1;
    for (int k = 0; k < 3; k++) {
        cd_vec3 a = part->axis[k];
        double n = cd_dot3(a, a), rest = (a.x * (at.x - part->centre.x) + a.y * (at.y - part->centre.y)) / n;
        qa += a.z / n * a.z / n;
        qb += 2 * rest * a.z / n;
        qc += rest * rest;
    }
    double root = qb * qb - 4 * qa * qc;
    if (root <= 0)
        return false;
    *low = part->centre.z + (-qb - sqrt(root)) / (2 * qa);
    *high = part->centre.z + (-qb + sqrt(root)) / (2 * qa);
    return true;
}

typedef struct crowd {
    cd_plot_shapes shapes;
    cd_plot_pose pose[400];
    cd_plot_part part[400];
    int count;
} crowd;

// Bodies of all kinds in a grid of cells wide enough to keep them apart, in no order, seen by a camera.
static void make_crowd(crowd *c, cd_random *random, cd_arena *arena, const cd_plot_camera *camera, int cells)
{
    c->count = cells * cells * cells;
    cd_leaf3 *leaf = CD_ARENA_ARRAY(arena, cd_leaf3, c->count);
    int *cell = CD_ARENA_ARRAY(arena, int, c->count);
    for (int i = 0; i < c->count; i++) {
        leaf[i] = random_leaf(random, arena, i % KINDS);
        int other = (int)cd_random_between(random, 0, i + 0.999);
        cell[i] = cell[other];
        cell[other] = i;
    }
    c->shapes = make_shapes(arena, leaf, c->count);
    for (int i = 0; i < c->count; i++) {
        cd_vec3 jitter = random_point(random, 0.05);
        const double place[3] = {1.5 * (cell[i] % cells) + jitter.x, 1.5 * (cell[i] / cells % cells) + jitter.y,
                                 1.5 * (cell[i] / cells / cells) + jitter.z};
        double rotation[4];
        cd_quat_put(random_turn(random), rotation);
        c->pose[i] = cd_plot_pose_make(camera, place, rotation);
        cd_pose3 seen = cd_plot_see_pose(camera, &c->pose[i].space);
        CD_CHECK(cd_plot_part_place(arena, &c->shapes, i, &seen, &c->part[i]));
    }
}

CD_TEST(what_has_no_finite_place_is_not_drawn)
{
    cd_arena arena = {0};
    cd_random random = {8};
    cd_plot_camera camera = cd_plot_camera_from((cd_vec3){1, 2, 3});
    crowd c;
    make_crowd(&c, &random, &arena, &camera, 3);
    for (int i = 0; i < c.count; i++)
        for (int k = 0; k < 6; k++) {
            cd_pose3 pose = cd_plot_see_pose(&camera, &c.pose[i].space);
            double *place[3] = {&pose.position.x, &pose.position.y, &pose.position.z};
            *place[k % 3] = k < 3 ? NAN : INFINITY;
            cd_plot_part part;
            CD_CHECK(!cd_plot_part_place(&arena, &c.shapes, i, &pose, &part));
        }
    cd_arena_release(&arena);
}

CD_TEST(outlines_cover_what_lines_of_sight_meet)
{
    cd_random random = {3};
    cd_arena arena = {0};
    static crowd c;
    for (int round = 0; round < 5; round++) {
        cd_plot_camera camera = cd_plot_camera_from(random_point(&random, 1));
        make_crowd(&c, &random, &arena, &camera, 4);
        int met = 0, differ = 0;
        for (int i = 0; i < c.count; i++)
            for (int k = 0; k < 200; k++) {
                const cd_plot_part *s = &c.part[i];
                cd_vec2 at = {cd_random_between(&random, s->low.x, s->high.x),
                              cd_random_between(&random, s->low.y, s->high.y)};
                double low, high;
                bool meets = look(s, at, &low, &high);
                met += meets;
                differ += meets != cd_plot_part_covers(s, at);
                CD_CHECK(!meets || (low >= s->low.z - 1e-9 && high <= s->high.z + 1e-9));
            }
        CD_CHECK(met > 40 * c.count && differ <= 2);  // rounding at the rim
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

// ---- order ---------------------------------------------------------------------------------------------------------

CD_TEST(no_part_is_drawn_over_one_before_it)
{
    cd_random random = {4};
    cd_arena arena = {0};
    static crowd c;
    int64_t compared = 0;
    for (int round = 0; round < 8; round++) {
        cd_plot_camera camera = cd_plot_camera_from(round == 0 ? (cd_vec3){0, 0, 1} : random_point(&random, 1));
        make_crowd(&c, &random, &arena, &camera, 6);
        const int32_t *order = cd_plot_parts_sort(&arena, c.part, c.count);
        int *rank = CD_ARENA_ARRAY(&arena, int, c.count);
        for (int k = 0; k < c.count; k++)
            rank[k] = -1;
        for (int k = 0; k < c.count; k++) {
            CD_CHECK(order[k] >= 0 && order[k] < c.count && rank[order[k]] == -1);
            rank[order[k]] = k;
        }
        cd_plot_extent extent = cd_plot_extent_empty();
        for (int i = 0; i < c.count; i++)
            cd_plot_extent_add(&extent, &arena, &camera, &c.shapes, i, &c.pose[i], false);
        for (int k = 0; k < 3000; k++) {
            cd_vec2 at = {cd_random_between(&random, extent.box.min.x, extent.box.max.x),
                          cd_random_between(&random, extent.box.min.y, extent.box.max.y)};
            double before = -INFINITY;
            for (int r = 0; r < c.count; r++) {
                double low, high;
                if (!look(&c.part[order[r]], at, &low, &high))
                    continue;
                CD_CHECK(low >= before - 1e-9);
                compared += before > -INFINITY;
                before = high;
            }
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(compared > 5000);
    cd_arena_release(&arena);
}

// A plate, a needle, a flat ellipsoid or a triangle, all of which reach far beyond their middles.
static cd_leaf3 long_leaf(cd_random *random, cd_arena *arena, int kind)
{
    cd_leaf3 leaf = {.kind = CD_SHAPE_POLYHEDRON};
    if (kind < 2) {
        const cd_vec3 half = kind == 0 ? (cd_vec3){1, 0.8, 0.03} : (cd_vec3){1, 0.04, 0.05};
        cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, 8);
        for (int i = 0; i < 8; i++)
            point[i] = (cd_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
        cd_hull3 hull = cd_hull3_make(point, 8, arena);
        leaf.polyhedron = test_kept(arena, cd_hull3_polyhedron(&hull, point, arena));
        return leaf;
    }
    leaf = random_leaf(random, arena, kind + 1);
    if (kind == 2)
        leaf.ellipsoid = test_ellipsoid(arena, (cd_vec3){0, 0, 0}, (cd_vec3){0.9, 0.5, 0.06}, leaf.ellipsoid->axes);
    return leaf;
}

static cd_support3 core_of(const cd_plot_part *s)
{
    return s->kind == CD_SHAPE_POLYHEDRON ? cd_support3_convex(&s->convex)
           : s->kind == CD_SHAPE_FACETS
               ? cd_support3_triangle(s->corner[0], s->corner[1], s->corner[2], 0)
               : (cd_support3){CD_SUPPORT3_ELLIPSOID, 0, NULL, {s->centre}, {s->axis[0], s->axis[1], s->axis[2]}};
}

// Of two bodies apart, what lines of sight through both say: -1 a is behind, 1 b is, 0 none meets both, 2 they overlap.
static int order_by_looking(cd_random *random, const cd_plot_part *a, const cd_plot_part *b)
{
    int order = 0;
    for (int k = 0; k < 300; k++) {
        cd_vec2 at = {cd_random_between(random, fmax(a->low.x, b->low.x), fmin(a->high.x, b->high.x)),
                      cd_random_between(random, fmax(a->low.y, b->low.y), fmin(a->high.y, b->high.y))};
        double low_a, high_a, low_b, high_b;
        if (!look(a, at, &low_a, &high_a) || !look(b, at, &low_b, &high_b))
            continue;
        int here = high_a <= low_b ? -1 : high_b <= low_a ? 1 : 2;
        if (here == 2 || (order != 0 && order != here))
            return 2;
        order = here;
    }
    return order;
}

CD_TEST(bodies_that_reach_beyond_their_middles_are_ordered)
{
    cd_random random = {9};
    cd_arena arena = {0};
    int compared = 0, against_middles = 0;
    for (int i = 0; i < 12000; i++) {
        cd_leaf3 leaf[2] = {long_leaf(&random, &arena, i % 4), long_leaf(&random, &arena, i / 4 % 4)};
        cd_plot_shapes shapes = make_shapes(&arena, leaf, 2);
        cd_plot_part part[2];
        for (int k = 0; k < 2; k++) {
            cd_pose3 pose = cd_pose3_make(random_point(&random, 0.4), random_turn(&random));
            CD_CHECK(cd_plot_part_place(&arena, &shapes, k, &pose, &part[k]));
        }
        int expected = order_by_looking(&random, &part[0], &part[1]);
        // Lines of sight miss where needles and plates cut through one another.
        bool apart_in_space = cd_distance3_compute(core_of(&part[0]), core_of(&part[1]), NULL).distance > 0;
        CD_CHECK(!apart_in_space || expected != 2);
        if (apart_in_space && expected != 0) {
            CD_CHECK(cd_plot_part_order(&part[0], &part[1]) == expected);
            CD_CHECK(cd_plot_part_order(&part[1], &part[0]) == -expected);
            double towards = part[1].low.z + part[1].high.z - part[0].low.z - part[0].high.z;
            against_middles += (towards > 0 ? -1 : 1) != expected;
            compared++;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(compared > 2000 && against_middles > 200);
    cd_arena_release(&arena);
}

CD_TEST(order_does_not_depend_on_the_order_of_parts)
{
    cd_random random = {5};
    cd_arena arena = {0};
    static crowd c;
    cd_plot_camera camera = cd_plot_camera_from((cd_vec3){1, -2, 0.7});
    make_crowd(&c, &random, &arena, &camera, 5);
    const int32_t *order = cd_plot_parts_sort(&arena, c.part, c.count);
    static cd_plot_part turned[400];
    for (int i = 0; i < c.count; i++)
        turned[i] = c.part[c.count - 1 - i];
    const int32_t *again = cd_plot_parts_sort(&arena, turned, c.count);
    for (int k = 0; k < c.count; k++)
        CD_CHECK(order[k] == c.count - 1 - again[k]);
    cd_arena_release(&arena);
}

// Three bars, each over the next one: no order is right, and still each is drawn once.
CD_TEST(circles_of_bodies_are_drawn_once_each)
{
    cd_arena arena = {0};
    cd_vec3 corner[3][8];
    cd_leaf3 leaf[3];
    for (int i = 0; i < 3; i++) {
        // Along one axis at the angle 120 i, tilted so that its start lies under and its end over the neighbours.
        double angle = 2 * acos(-1) * i / 3;
        cd_vec3 along = {cos(angle), sin(angle), 0.5}, across = {-sin(angle), cos(angle), 0}, up = {0, 0, 1};
        cd_vec3 middle = cd_add3(cd_scale3(-0.5, (cd_vec3){cos(angle), sin(angle), 0}), cd_scale3(0.4, across));
        for (int k = 0; k < 8; k++)
            corner[i][k] = cd_add3(cd_add3(middle, cd_scale3(k & 1 ? 2 : -1, along)),
                                   cd_add3(cd_scale3(k & 2 ? 0.1 : -0.1, across), cd_scale3(k & 4 ? 0.05 : -0.05, up)));
        leaf[i] = (cd_leaf3){.kind = CD_SHAPE_POLYHEDRON};
        cd_hull3 hull = cd_hull3_make(corner[i], 8, &arena);
        leaf[i].polyhedron = test_kept(&arena, cd_hull3_polyhedron(&hull, corner[i], &arena));
    }
    cd_plot_shapes shapes = make_shapes(&arena, leaf, 3);
    cd_pose3 pose = {{0, 0, 0}, cd_mat3_identity()};
    cd_plot_part part[3];
    int around = 0;
    for (int i = 0; i < 3; i++)
        CD_CHECK(cd_plot_part_place(&arena, &shapes, i, &pose, &part[i]));
    for (int i = 0; i < 3; i++)
        around += cd_plot_part_order(&part[i], &part[(i + 1) % 3]);
    CD_CHECK(around == 3 || around == -3);
    const int32_t *order = cd_plot_parts_sort(&arena, part, 3);
    CD_CHECK((1 << order[0] | 1 << order[1] | 1 << order[2]) == 7);
    cd_arena_release(&arena);
}

CD_TEST(points_are_ordered_by_depth_in_space_alone)
{
    cd_random random = {6};
    cd_arena arena = {0};
    double point[300];
    for (int i = 0; i < 300; i++)
        point[i] = cd_random_between(&random, -1, 1);
    cd_plot_camera space = cd_plot_camera_from((cd_vec3){1, -2, 3}), plane = cd_plot_camera_plane();
    const int32_t *order = cd_plot_depth_order(&arena, &space, point, 100);
    for (int k = 1; k < 100; k++)
        CD_CHECK(cd_plot_see_deep(&space, point + 3 * order[k - 1]).z <=
                 cd_plot_see_deep(&space, point + 3 * order[k]).z);
    order = cd_plot_depth_order(&arena, &plane, point, 150);
    for (int k = 0; k < 150; k++)
        CD_CHECK(order[k] == k);
    cd_arena_release(&arena);
}

// ---- painting ------------------------------------------------------------------------------------------------------

// The part on top of a point, and whether it is the same a little all around.
static int top_at(const crowd *c, cd_vec2 at)
{
    int top = -1;
    double highest = -INFINITY;
    for (int i = 0; i < c->count; i++) {
        double low, high;
        if (look(&c->part[i], at, &low, &high) && high > highest) {
            highest = high;
            top = i;
        }
    }
    return top;
}

static bool is_clear(const crowd *c, cd_vec2 at, double rim)
{
    int top = top_at(c, at);
    for (int k = 0; k < 24; k++) {
        double angle = acos(-1) * k / 4, reach = rim * (k / 8 + 1) / 3;
        if (top_at(c, (cd_vec2){at.x + reach * cos(angle), at.y + reach * sin(angle)}) != top)
            return false;
    }
    return true;
}

// The face of a polyhedron that a line of sight leaves it by towards the eye.
static int32_t face_at(const cd_plot_part *part, cd_vec2 at)
{
    int32_t face = -1;
    double least = INFINITY;
    for (int32_t f = 0; f < part->convex.face_count; f++) {
        cd_plane plane = part->convex.plane[f];
        double z = (plane.offset - plane.normal.x * at.x - plane.normal.y * at.y) / plane.normal.z;
        if (plane.normal.z > 0 && z < least) {
            least = z;
            face = f;
        }
    }
    return face;
}

// Whether the pixel (red, green, blue) has the shade of that face; true too for other parts, and near an edge.
static bool is_shaded(const cd_plot_part *part, cd_vec2 at, double rim, cd_plot_body_style style,
                      const unsigned char *pixel)
{
    if (part->kind != CD_SHAPE_POLYHEDRON)
        return true;
    int32_t face = face_at(part, at);
    for (int k = 0; k < 8; k++) {
        double angle = acos(-1) * k / 4;
        if (face_at(part, (cd_vec2){at.x + rim * cos(angle), at.y + rim * sin(angle)}) != face)
            return true;
    }
    cd_plot_colour shade = cd_plot_shade(style, part->convex.plane[face].normal);
    return fabs(pixel[0] - 255 * shade.red) < 2 && fabs(pixel[1] - 255 * shade.green) < 2 &&
           fabs(pixel[2] - 255 * shade.blue) < 2;
}

// ---- pixels of a PNG -----------------------------------------------------------------------------------------------

static uint32_t big_endian(const unsigned char *byte)
{
    return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

static int paeth(int left, int up, int corner)
{
    int guess = left + up - corner, a = abs(guess - left), b = abs(guess - up), c = abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

// What a row's filter predicts of byte `i` (0: none, 1: left, 2: up, 3: mean, 4: Paeth), 3 bytes a pixel.
static int predicted(int filter, const unsigned char *row, const unsigned char *above, size_t i)
{
    int left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0, corner = i >= 3 && above ? above[i - 3] : 0;
    const int guess[5] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
    return guess[filter];
}

// Rows of 1 + 3 size bytes, the first of each its filter, of a square PNG with 8 bits a colour and no alpha.
static unsigned char *read_png(cd_arena *arena, const cd_buffer *file, size_t size)
{
    const unsigned char *byte = (const unsigned char *)file->data;
    unsigned char *packed = CD_ARENA_ARRAY(arena, unsigned char, file->size);
    size_t stride = 1 + 3 * size, packed_size = 0;
    static const unsigned char truecolour[] = {8, 2, 0, 0, 0};
    CD_CHECK(big_endian(byte + 16) == size && big_endian(byte + 20) == size);
    CD_CHECK(!memcmp(byte + 24, truecolour, sizeof truecolour));
    for (size_t at = 8; at + 12 <= file->size; at += 12 + (size_t)big_endian(byte + at)) {
        size_t length = big_endian(byte + at);
        if (memcmp(byte + at + 4, "IDAT", 4) != 0)
            continue;
        memcpy(packed + packed_size, byte + at + 8, length);
        packed_size += length;
    }
    unsigned char *rows = CD_ARENA_ARRAY(arena, unsigned char, stride *size);
    uLongf unpacked = (uLongf)(stride * size);
    CD_CHECK(uncompress(rows, &unpacked, packed, (uLong)packed_size) == Z_OK && unpacked == stride * size);
    for (size_t y = 0; y < size; y++) {
        unsigned char *row = rows + stride * y + 1;
        CD_CHECK(row[-1] <= 4);
        for (size_t i = 0; i < 3 * size; i++)
            row[i] = (unsigned char)(row[i] + predicted(row[-1], row, y > 0 ? row - stride : NULL, i));
    }
    return rows;
}

// ---- painted pixels ------------------------------------------------------------------------------------------------

typedef struct painting {
    crowd *crowd;
    cd_arena *arena;
    const cd_plot_view *view;
    cd_plot_cast cast;
} painting;

// Bodies in three colours, told apart by their strongest component whatever the shade; the background is white.
static void paint_crowd(cd_canvas *canvas, void *argument)
{
    painting *p = argument;
    p->cast = cd_plot_cast_begin(canvas, p->arena, p->view, &p->crowd->shapes);
    for (int i = 0; i < p->crowd->count; i++) {
        cd_plot_colour colour = {i % 3 == 0, i % 3 == 1, i % 3 == 2, 1};
        cd_plot_cast_add(&p->cast, i, &p->crowd->pose[i], (cd_plot_body_style){colour, colour, 0.5, 0}, i);
    }
    cd_plot_cast_draw(&p->cast);
}

CD_TEST(painted_pixels_show_what_lines_of_sight_meet_first)
{
    enum { SIZE = 500 };
    cd_random random = {7};
    cd_arena arena = {0};
    static crowd c;
    int checked = 0, empty = 0, wrong = 0;
    for (int round = 0; round < 3; round++) {
        cd_plot_camera camera = cd_plot_camera_from(random_point(&random, 1));
        make_crowd(&c, &random, &arena, &camera, 4);
        cd_plot_extent extent = cd_plot_extent_empty();
        for (int i = 0; i < c.count; i++)
            cd_plot_extent_add(&extent, &arena, &camera, &c.shapes, i, &c.pose[i], false);
        cd_plot_box box = cd_plot_box_fit(extent.box, 0.02, 1);
        cd_plot_view view = cd_plot_view_make(box, (cd_plot_rect){0, 0, SIZE, SIZE});
        view.camera = camera;
        painting p = {.crowd = &c, .arena = &arena, .view = &view};
        const cd_canvas_picture picture = {true, SIZE, SIZE, 1, paint_crowd, &p};
        cd_buffer file = {0};
        cd_diag diag = {0};
        CD_CHECK(cd_canvas_render(&picture, &file, &diag) == CD_OK);
        const unsigned char *rows = read_png(&arena, &file, SIZE);
        for (int k = 0; k < 3000; k++) {
            int x = (int)cd_random_between(&random, 5, SIZE - 5), y = (int)cd_random_between(&random, 5, SIZE - 5);
            cd_vec2 at = {box.min.x + (x + 0.5) / view.scale, box.max.y - (y + 0.5) / view.scale};
            if (!is_clear(&c, at, 2.5 / view.scale))
                continue;
            const unsigned char *pixel = rows + (1 + 3 * (size_t)SIZE) * (size_t)y + 1 + 3 * (size_t)x;
            int red = pixel[0], green = pixel[1], blue = pixel[2], top = top_at(&c, at);
            int shown = red == green && green == blue ? -1
                        : red > green && red > blue   ? 0
                        : green > red && green > blue ? 1
                                                      : 2;
            wrong += top < 0 ? shown != -1 : shown != top % 3;
            CD_CHECK(cd_plot_cast_top(&p.cast, at) == top);
            CD_CHECK(top < 0 || is_shaded(&c.part[top], at, 2.5 / view.scale, p.cast.owners.item[top].style, pixel));
            checked++;
            empty += top < 0;
        }
        cd_buffer_release(&file);
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong <= 2);  // triangles on edge: their lines are wider than what lines of sight meet
    CD_CHECK(checked > 3000 && empty > 300 && checked - empty > 1000);
    cd_arena_release(&arena);
}

// A cube cut along a vertical diagonal into two prisms, places rounded: outer faces go on across the cut, at the top on
// the same plane, at the cut's vertical edges around the cube's corner.
CD_TEST(faces_that_go_on_across_a_cut_are_mates)
{
    cd_arena arena = {0};
    static const int32_t first[] = {0, 3, 6, 10, 14, 18}, surface[] = {1, 2, 3, 4, -1};
    // Corners 0 1 2 below, 3 4 5 above; the cut is between 0 and 2.
    static const int32_t corner[] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
    static const double place[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{1, 1}, {0, 1}, {0, 0}}};
    cd_leaf3 leaf[2];
    for (int i = 0; i < 2; i++) {
        cd_vec3 *vertex = CD_ARENA_ARRAY(&arena, cd_vec3, 6);
        for (int k = 0; k < 6; k++)
            vertex[k] = (cd_vec3){0.3 * place[i][k % 3][0] + 1e-16 * i, 0.3 * place[i][k % 3][1], 0.3 * (k / 3)};
        cd_polyhedron prism = {6, 5, vertex, first, corner};
        leaf[i] = test_leaf(prism, surface, &arena);
        leaf[i].extent = 1;
    }
    static const int32_t shape_first[] = {0, 2};
    const cd_leaves3 leaves = {.first = shape_first, .stored = leaf};
    const cd_vec3 *const *mate = cd_plot_mates_make(&arena, 1, &leaves);
    for (int i = 0; i < 2; i++) {
        cd_vec3 top = mate[i][cd_edges3_find(&leaf[i].prepared->edges, 3, 5)],
                below = mate[i][cd_edges3_find(&leaf[i].prepared->edges, 0, 2)];
        CD_CHECK_NEAR(top.z, 1, 1e-15);
        CD_CHECK_NEAR(below.z, -1, 1e-15);
        // At its corners 0 and 2 the first prism is met by the faces -x and +y of the second, this by +x and -y.
        cd_vec3 start = mate[i][cd_edges3_find(&leaf[i].prepared->edges, 0, 3)],
                end = mate[i][cd_edges3_find(&leaf[i].prepared->edges, 2, 5)];
        CD_CHECK_NEAR(start.x, i == 0 ? -1 : 1, 1e-15);
        CD_CHECK_NEAR(end.y, i == 0 ? 1 : -1, 1e-15);
        cd_vec3 none = mate[i][cd_edges3_find(&leaf[i].prepared->edges, 0, 1)];
        CD_CHECK(none.x == 0 && none.y == 0 && none.z == 0);
    }
    cd_arena_release(&arena);
}

// ---- half-spaces ---------------------------------------------------------------------------------------------------

CD_TEST(panes_of_half_spaces_lie_under_all_bodies)
{
    cd_random random = {8};
    cd_arena arena = {0};
    for (int i = 0; i < 500; i++) {
        cd_leaf3 leaf[2] = {random_leaf(&random, &arena, i % KINDS), {.kind = CD_SHAPE_HALFSPACE}};
        cd_vec3 normal = cd_unit3(random_point(&random, 1));
        leaf[1].halfspace = (cd_halfspace){normal, cd_random_between(&random, -2, 0)};
        cd_plot_shapes shapes = make_shapes(&arena, leaf, 2);
        // Seen along the normal the pane is a rectangle that holds the picture of all bodies.
        cd_plot_camera camera = cd_plot_camera_from(normal);
        const double origin[3] = {0, 0, 0}, rotation[4] = {1, 0, 0, 0};
        cd_plot_pose pose = cd_plot_pose_make(&camera, origin, rotation);
        cd_plot_extent bodies = cd_plot_extent_empty(), panes;
        cd_plot_extent_add(&bodies, &arena, &camera, &shapes, 0, &pose, false);
        cd_plot_box alone = bodies.box;
        cd_plot_extent_add(&bodies, &arena, &camera, &shapes, 1, &pose, false);
        CD_CHECK(alone.min.x == bodies.box.min.x && alone.max.y == bodies.box.max.y);
        panes = bodies;
        panes.box = cd_plot_box_empty();
        cd_plot_extent_add(&panes, &arena, &camera, &shapes, 1, &pose, true);
        CD_CHECK(panes.box.min.x < alone.min.x && panes.box.min.y < alone.min.y && panes.box.max.x > alone.max.x &&
                 panes.box.max.y > alone.max.y);
        cd_halfspace placed;
        CD_CHECK(cd_plot_leaf_halfspace(&shapes, 1, &pose, &placed));
        CD_CHECK(!cd_plot_leaf_halfspace(&shapes, 0, &pose, &placed));
        CD_CHECK(cd_plot_shape_is_halfspace(&shapes, 1) && !cd_plot_shape_is_halfspace(&shapes, 0) &&
                 !cd_plot_shape_is_halfspace(&shapes, -1));
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(what_has_no_finite_place_is_not_drawn);
    CD_RUN(outlines_cover_what_lines_of_sight_meet);
    CD_RUN(no_part_is_drawn_over_one_before_it);
    CD_RUN(bodies_that_reach_beyond_their_middles_are_ordered);
    CD_RUN(order_does_not_depend_on_the_order_of_parts);
    CD_RUN(circles_of_bodies_are_drawn_once_each);
    CD_RUN(points_are_ordered_by_depth_in_space_alone);
    CD_RUN(painted_pixels_show_what_lines_of_sight_meet_first);
    CD_RUN(faces_that_go_on_across_a_cut_are_mates);
    CD_RUN(panes_of_half_spaces_lie_under_all_bodies);
    return cd_test_done();
}
