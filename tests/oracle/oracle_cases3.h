// oracle_cases3 -- hard pairs of convex polyhedra made by hand, of corners that are exact numbers.
//
// What is constructed (a gap of 2^-30, a common plane) is so exactly, unless a case says that its corners are rounded;
// the answers come from oracle_distance.h and oracle_volume.h either way.
// SPDX-License-Identifier: MIT
#ifndef ORACLE_CASES3_H
#define ORACLE_CASES3_H

#include "oracle_pairs3.h"

enum { MOST_CASES = 128 };

typedef struct hard_case {
    char name[48];
    const char *origin;
    cloud a, b;
} hard_case;

typedef struct case_list {
    hard_case item[MOST_CASES];
    int count;
} case_list;

static inline void add_case(case_list *list, const char *name, const char *origin, cloud a, cloud b)
{
    if (list->count >= MOST_CASES)
        return;
    hard_case *c = &list->item[list->count++];
    snprintf(c->name, sizeof c->name, "%s", name);
    c->origin = origin;
    c->a = a;
    c->b = b;
}

static inline void add_power(case_list *list, const char *name, int power, const char *origin, cloud a, cloud b)
{
    char text[48];
    snprintf(text, sizeof text, "%s 2^%d", name, power);
    add_case(list, text, origin, a, b);
}

static inline cloud case_box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    cloud c = {.count = 8};
    for (int i = 0; i < 8; i++)
        c.point[i] = (cd_vec3){i & 1 ? x1 : x0, i & 2 ? y1 : y0, i & 4 ? z1 : z0};
    return c;
}

static inline cloud case_octahedron(double x, double y, double z, double radius)
{
    return (cloud){6,
                   {{x + radius, y, z},
                    {x - radius, y, z},
                    {x, y + radius, z},
                    {x, y - radius, z},
                    {x, y, z + radius},
                    {x, y, z - radius}}};
}

// Turned about z by the triangle 3, 4, 5, and five times as large: whole numbers stay whole.
static inline cloud case_345(cloud c)
{
    for (int i = 0; i < c.count; i++) {
        cd_vec3 p = c.point[i];
        c.point[i] = (cd_vec3){3 * p.x - 4 * p.y, 4 * p.x + 3 * p.y, 5 * p.z};
    }
    return c;
}

// A general turn with whole numbers: the columns (1 2 2), (2 1 -2), (2 -2 1) are orthogonal of length 3.
static inline cloud case_122(cloud c)
{
    for (int i = 0; i < c.count; i++) {
        cd_vec3 p = c.point[i];
        c.point[i] = (cd_vec3){p.x + 2 * p.y + 2 * p.z, 2 * p.x + p.y - 2 * p.z, 2 * p.x - 2 * p.y + p.z};
    }
    return c;
}

// z grows by slope * x: edges along y stay, sides x = const stay vertical.
static inline cloud case_tilted(cloud c, double slope)
{
    for (int i = 0; i < c.count; i++)
        c.point[i].z += slope * c.point[i].x;
    return c;
}

static inline void add_coplanar(case_list *list)
{
    const char *stack =
        "two bricks of a stack, four sides of both in common planes; the upper one raised by a power of 2";
    cloud brick = case_box(0, 0, 0, 2, 1, 1);
    static const int power[5] = {-2, -20, -44, -20, -44};
    for (int k = 0; k < 5; k++) {
        double raise = k < 3 ? -ldexp(1, power[k]) : ldexp(1, power[k]);
        cloud upper = cloud_shifted(brick, (cd_vec3){0, 0, 1 + raise});
        add_power(list, raise < 0 ? "stack sunk" : "stack off", power[k], stack, brick, upper);
        add_power(list, raise < 0 ? "turned stack sunk" : "turned stack off", power[k], stack, case_122(brick),
                  case_122(upper));
    }
    add_case(list, "stack", stack, brick, cloud_shifted(brick, (cd_vec3){0, 0, 1}));
    add_case(list, "turned stack", stack, case_122(brick), case_122(cloud_shifted(brick, (cd_vec3){0, 0, 1})));
    add_case(list, "corner tetrahedron in a cube", "three faces of the tetrahedron lie in sides of the cube",
             case_box(0, 0, 0, 1, 1, 1), (cloud){4, {{0, 0, 0}, {0.75, 0, 0}, {0, 0.75, 0}, {0, 0, 0.75}}});
    add_case(list, "same ends", "prisms of six and three sides between the same two planes, a side in common",
             (cloud){12,
                     {{2, 0, 0},
                      {1, 2, 0},
                      {-1, 2, 0},
                      {-2, 0, 0},
                      {-1, -2, 0},
                      {1, -2, 0},
                      {2, 0, 1},
                      {1, 2, 1},
                      {-1, 2, 1},
                      {-2, 0, 1},
                      {-1, -2, 1},
                      {1, -2, 1}}},
             (cloud){6, {{-1, -2, 0}, {1, -2, 0}, {0, 5, 0}, {-1, -2, 1}, {1, -2, 1}, {0, 5, 1}}});
    add_case(list, "cube and its turned copy", "cubes about one centre, turned by the triangle 3 4 5: common ends",
             case_345(case_box(-1, -1, -1, 1, 1, 1)), case_box(-5, -5, -5, 5, 5, 5));
}

static inline void add_kissing(case_list *list)
{
    cloud cube = case_box(-1, -1, -1, 1, 1, 1), ridge = {4, {{-1, 0, 0}, {1, 0, 0}, {0, 1, -1}, {0, -1, -1}}};
    cloud tip = {4, {{0, 0, 0}, {0.5, 0.25, 1}, {-0.5, 0.25, 1}, {0, -0.5, 1}}};
    cloud across = {4, {{0.25, -1, 0}, {0.25, 1, 0}, {1, 0, 1}, {-1, 0, 1}}};
    cloud edge = {4, {{1, 1, 0.5}, {1, 1, -0.25}, {2, 1.5, 0}, {1.5, 2, 0}}};
    cloud corner = {4, {{1, 1, 1}, {2, 1.5, 1.25}, {1.25, 2, 1.5}, {1.5, 1.25, 2}}};
    static const int power[3] = {0, -30, -46};
    for (int k = 0; k < 5; k++) {
        double off = k == 0 ? 0 : (k % 2 ? 1 : -1) * ldexp(1, power[(k + 1) / 2]);
        int shown = power[(k + 1) / 2];
        const char *how = off > 0 ? "off" : "sunk into";
        char name[48];
        cd_vec3 up = {0, 0, off}, diagonal = {off, off, 0}, out = {off, off, off};
        snprintf(name, sizeof name, off == 0 ? "tip on a side" : "tip %s a side 2^%d", how, shown);
        add_case(list, name, "a corner of a tetrahedron over the middle of a cube's side, raised by a power of 2", cube,
                 cloud_shifted(tip, (cd_vec3){0.25, -0.125, 1 + off}));
        snprintf(name, sizeof name, off == 0 ? "ridges crossed" : "ridges crossed, %s by 2^%d", how, shown);
        add_case(list, name, "edges of two tetrahedra that cross at a right angle, one raised by a power of 2", ridge,
                 cloud_shifted(across, up));
        snprintf(name, sizeof name, off == 0 ? "edge on an edge" : "edge %s an edge 2^%d", how, shown);
        add_case(list, name, "parallel edges of a cube and a tetrahedron, moved along the diagonal by a power of 2",
                 cube, cloud_shifted(edge, diagonal));
        snprintf(name, sizeof name, off == 0 ? "corner on a corner" : "corner %s a corner 2^%d", how, shown);
        add_case(list, name, "corners of a cube and a tetrahedron, moved along the diagonal by a power of 2", cube,
                 cloud_shifted(corner, out));
    }
}

static inline void add_contained(case_list *list)
{
    const char *inside = "one body inside the other, a corner, an edge, a side in common, or none";
    cloud cube = case_box(-1, -1, -1, 1, 1, 1);
    add_case(list, "cube deep inside a cube", inside, cube, case_box(-0.5, -0.25, 0, 0.25, 0.5, 0.5));
    add_case(list, "cube in the corner of a cube", inside, cube, case_box(0.5, 0.5, 0.5, 1, 1, 1));
    add_case(list, "cube along the edge of a cube", inside, cube, case_box(0.5, -0.5, 0.5, 1, 0.5, 1));
    add_case(list, "cube on the inner side of a cube", inside, cube, case_box(-0.5, -0.5, 0.5, 0.5, 0.5, 1));
    add_case(list, "cube a hair inside a cube", "2^-45 from a side within", cube,
             case_box(-0.5, -0.5, 0.5, 0.5, 0.5, 1 - 0x1p-45));
    add_case(list, "cube a hair through a cube", "2^-45 through a side from within", cube,
             case_box(-0.5, -0.5, 0.5, 0.5, 0.5, 1 + 0x1p-45));
    add_case(list, "octahedron in a cube", "the six corners lie on the six sides", cube, case_octahedron(0, 0, 0, 1));
    add_case(list, "cube in an octahedron", "the eight corners lie on the eight sides", case_octahedron(0, 0, 0, 3),
             cube);
    add_case(list, "identical octahedra", "the same body twice", case_octahedron(1, 2, 3, 1),
             case_octahedron(1, 2, 3, 1));
    add_case(list, "identical turned cubes", "the same body twice", case_122(cube), case_122(cube));
    add_case(list, "stella octangula", "two tetrahedra in a cube: an octahedron in common, all sides equally near",
             (cloud){4, {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}},
             (cloud){4, {{-1, -1, -1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}});
    add_case(list, "cube and large octahedron", "about one centre: all corners of the cube cut off", cube,
             case_octahedron(0, 0, 0, 2.5));
    add_case(list, "crossed bars", "through each other, opposite sides cancel", case_box(-4, -1, -1, 4, 1, 1),
             case_box(-1, -4, -1, 1, 4, 1));
}

static inline void add_needles(case_list *list)
{
    const char *aspect = "aspect 2^20";
    double thin = 0x1p-20;
    cloud cube = case_box(-1, -1, -1, 1, 1, 1), needle = case_box(-1, 0, 0, 1, thin, thin);
    cloud spindle = {5, {{-1, 0, 0}, {1, 0, 0}, {0, thin, 0}, {0, -thin, thin}, {0, -thin, -thin}}};
    add_case(list, "needle through a cube", aspect, cube,
             cloud_shifted(cloud_scaled(needle, 4), (cd_vec3){0.5, 0.25, 0.5}));
    add_case(list, "needle into a cube", aspect, cube, cloud_shifted(needle, (cd_vec3){1.5, 0.25, 0.5}));
    add_case(list, "needle ends at a cube", aspect, cube, cloud_shifted(spindle, (cd_vec3){2, 0.25, 0.5}));
    add_case(list, "needle ends before a cube", "2^-40 before it", cube,
             cloud_shifted(spindle, (cd_vec3){2 + 0x1p-40, 0.25, 0.5}));
    add_case(list, "needle lies on a cube", aspect, cube, cloud_shifted(needle, (cd_vec3){0.5, 0.25, 1}));
    add_case(list, "needle lies along an edge", aspect, cube, cloud_shifted(needle, (cd_vec3){0.5, 1, 1}));
    add_case(list, "needle lies in a side", "half of it sunk", cube,
             cloud_shifted(needle, (cd_vec3){0.5, 0.25, 1 - thin / 2}));
    add_case(list, "needles crossed", "2^-30 apart", needle,
             (cloud){4, {{-0.5, -1, thin + 0x1p-30}, {0.5, 1, thin + 0x1p-30}, {0, 0, 2 * thin}, {0, thin, 2 * thin}}});
    add_case(list, "needles crossed, sunk", "by 2^-30", needle,
             (cloud){4, {{-0.5, -1, thin - 0x1p-30}, {0.5, 1, thin - 0x1p-30}, {0, 0, 2 * thin}, {0, thin, 2 * thin}}});
    add_case(list, "needles side by side", "parallel, 2^-32 apart", spindle,
             cloud_shifted(spindle, (cd_vec3){0.25, 2 * thin + 0x1p-32, 0}));
    add_case(list, "turned needles", "a spindle turned, and the same moved along itself", case_122(spindle),
             case_122(cloud_shifted(spindle, (cd_vec3){0.5, 0, 0})));
}

static inline void add_plates(case_list *list)
{
    double thin = 0x1p-20;
    const char *aspect = "thickness 2^-20";
    cloud cube = case_box(-1, -1, -1, 1, 1, 1), plate = case_box(-1, -1, 0, 1, 1, thin);
    cloud upright = case_box(0, -0.5, -0.5, thin, 0.5, 0.5);
    add_case(list, "plate through a cube", aspect, cube, cloud_scaled(plate, 2));
    add_case(list, "plate in a cube's side", "half of it sunk", cube,
             cloud_shifted(plate, (cd_vec3){0.5, 0, 1 - thin / 2}));
    add_case(list, "plate on a cube", aspect, cube, cloud_shifted(plate, (cd_vec3){0.5, 0.5, 1}));
    add_case(list, "plate stands on a cube", aspect, cube, cloud_shifted(upright, (cd_vec3){0.25, 0, 1.5}));
    add_case(list, "plates crossed", aspect, plate, upright);
    add_case(list, "plates on each other", aspect, plate, cloud_shifted(plate, (cd_vec3){0.5, 0.25, thin}));
    add_case(list, "plates sunk into each other", "by 2^-24", plate,
             cloud_shifted(plate, (cd_vec3){0.5, 0.25, thin - 0x1p-24}));
    add_case(list, "plates beside each other", "an edge in common", plate,
             cloud_shifted(plate, (cd_vec3){2, 0.5, thin}));
    add_case(list, "turned plates", "sunk by 2^-24, all coordinates mixed", case_122(plate),
             case_122(cloud_shifted(plate, (cd_vec3){0.5, 0.25, thin - 0x1p-24})));
    add_case(list, "needle through a plate", "aspects 2^20", plate,
             (cloud){4, {{0.1, 0.1, -1}, {0.1, 0.1, 1}, {0.1 + thin, 0.1, 0}, {0.1, 0.1 + thin, 0}}});
}

static inline void add_nearly_parallel(case_list *list)
{
    cloud base = case_box(-1, -1, -1, 1, 1, 0), lid = case_box(-1, -1, 0, 1, 1, 1);
    static const int power[4] = {-10, -20, -30, -44};
    for (int k = 0; k < 4; k++) {
        double slope = ldexp(1, power[k]);
        add_power(list, "seesaw", power[k], "a brick tilted about the middle of the one it lies on; half of it sunk",
                  base, case_tilted(lid, slope));
        add_power(list, "hinge", power[k], "a brick tilted about an edge of the one it lies on", base,
                  cloud_shifted(case_tilted(lid, slope), (cd_vec3){0, 0, slope}));
    }
    add_case(list, "sheared twin", "a cube and the same with its top moved by 2^-30: four pairs of sides at that angle",
             case_box(-1, -1, -1, 1, 1, 1),
             (cloud){8,
                     {{-1, -1, -1},
                      {1, -1, -1},
                      {-1, 1, -1},
                      {1, 1, -1},
                      {-1 + 0x1p-30, -1 + 0x1p-30, 1},
                      {1 + 0x1p-30, -1 + 0x1p-30, 1},
                      {-1 + 0x1p-30, 1 + 0x1p-30, 1},
                      {1 + 0x1p-30, 1 + 0x1p-30, 1}}});
}

static inline void add_far_and_scaled(case_list *list)
{
    cloud octahedron = case_octahedron(0, 0, 0, 1), cube = case_box(-1, -1, -1, 1, 1, 1);
    cloud deep = cloud_shifted(case_122(cube), (cd_vec3){0, 0, 2}), tip = case_octahedron(0.25, 0.5, 2 - 0x1p-20, 1);
    cloud off = case_octahedron(1, 1, 1, 1);
    static const double far[3] = {0x1p20, 0x1p26, 0x1p32};
    for (int k = 0; k < 3; k++) {
        cd_vec3 by = {far[k], -far[k] / 2, far[k] / 4};
        const char *origin = "exact numbers far from the origin";
        int power = 20 + 6 * k;
        add_power(list, "far: octahedron and turned cube", power, origin, cloud_shifted(octahedron, by),
                  cloud_shifted(deep, by));
        add_power(list, "far: tip in a side", power, origin, cloud_shifted(cube, by), cloud_shifted(tip, by));
        add_power(list, "far: octahedron before a tip", power, origin, cloud_shifted(octahedron, by),
                  cloud_shifted(off, by));
    }
    static const double size[4] = {1e-8, 1e-4, 1e4, 1e8};
    static const char *const size_name[4] = {"1e-8", "1e-4", "1e4", "1e8"};
    for (int k = 0; k < 4; k++) {
        const char *origin = "corners rounded after scaling by a power of 10";
        char name[48];
        snprintf(name, sizeof name, "size %s: turned cubes deep", size_name[k]);
        add_case(list, name, origin, cloud_scaled(case_345(cube), size[k]),
                 cloud_scaled(cloud_shifted(case_122(cube), (cd_vec3){3, 4, 2}), size[k]));
        snprintf(name, sizeof name, "size %s: turned stack", size_name[k]);
        add_case(list, name, origin, cloud_scaled(case_122(cube), size[k]),
                 cloud_scaled(case_122(cloud_shifted(cube, (cd_vec3){0.5, 0, 2})), size[k]));
        snprintf(name, sizeof name, "size %s: octahedra apart", size_name[k]);
        add_case(list, name, origin, cloud_scaled(octahedron, size[k]), cloud_scaled(off, size[k]));
    }
    add_case(list, "grain on a boulder", "sizes 1e8 and 1e-8: the grain is below the boulder's last digit but two",
             cloud_scaled(cube, 0x1p26),
             cloud_shifted(cloud_scaled(octahedron, 0x1p-26), (cd_vec3){0.5, 0.25, 0x1p26}));
    add_case(list, "grain in a boulder", "sizes 2^13 and 2^-13, half inside", cloud_scaled(cube, 0x1p13),
             case_octahedron(0.5, 0.25, 0x1p13, 0x1p-13));
    add_case(list, "grain before a turned boulder", "sizes 2^13 and 2^-13", cloud_scaled(case_122(cube), 0x1p13),
             case_octahedron(5 * 0x1p13 + 1, 0x1p13, 0x1p13, 0x1p-13));
}

static inline void list_cases(case_list *list)
{
    list->count = 0;
    add_coplanar(list);
    add_kissing(list);
    add_contained(list);
    add_needles(list);
    add_plates(list);
    add_nearly_parallel(list);
    add_far_and_scaled(list);
}

#endif
