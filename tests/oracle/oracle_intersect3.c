// The volumetric intersection against exact rational arithmetic: what overlaps, and by how much.
//
// Hulls have triangles for faces, and bricks are corners of a grid of parallelepipeds, so that every face is planar
// exactly. The kernel works with the rounded unit normals of the planes.
// SPDX-License-Identifier: MIT
#include "cd_intersect3.h"
#include "cd_test.h"
#include "oracle_volume.h"
#include "test_solids.h"
#include "test_kernels3.h"

enum { PAIRS = 1000, KINDS = 8, METHODS = 3 };

static const char *const kind_name[KINDS] = {"deep",          "anywhere", "shallow", "nearly coincident",
                                             "common planes", "needle",   "plate",   "far"};
static cd_arena arena;

// ---- pairs ---------------------------------------------------------------------------------------------------------

// A parallelepiped with corners on the grid.
static cd_polyhedron brick(cd_random *random, double smallest)
{
    cd_mat3 turn = cd_quat_matrix(test_rotation(random));
    cd_vec3 edge[3];
    for (int k = 0; k < 3; k++) {
        cd_vec3 column = cd_mat3_apply_back(&turn, (cd_vec3){k == 0, k == 1, k == 2});
        edge[k] = test_on_grid(cd_scale3(test_between(random, smallest, 1), column));
    }
    if (cd_dot3(cd_cross3(edge[0], edge[1]), edge[2]) < 0) {
        cd_vec3 t = edge[0];
        edge[0] = edge[1];
        edge[1] = t;
    }
    cd_polyhedron box = test_box_between((cd_vec3){0, 0, 0}, (cd_vec3){1, 1, 1}, &arena);
    cd_vec3 *v = CD_ARENA_ARRAY(&arena, cd_vec3, 8);
    for (int i = 0; i < 8; i++) {
        v[i] = (cd_vec3){0, 0, 0};
        for (int k = 0; k < 3; k++)
            if (i >> k & 1)
                v[i] = cd_add3(v[i], edge[k]);
    }
    box.vertex = v;
    return box;
}

// Bricks moved off the grid have no planar faces.
static cd_polyhedron any(cd_random *random, bool with_bricks)
{
    cd_vec3 axes = {test_between(random, 0.3, 1), test_between(random, 0.3, 1), test_between(random, 0.3, 1)};
    int kind = (int)(cd_random_bits(random) % 4);
    if (kind == 1 && with_bricks)
        return brick(random, 0.3);
    return test_hull(random, kind == 0 ? 4 : kind == 3 ? 12 : 7, axes, &arena);
}

typedef struct pair {
    cd_convex3 a, b;
} pair;

static cd_vec3 middle(cd_polyhedron p)
{
    cd_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < p.vertex_count; i++)
        sum = cd_add3(sum, p.vertex[i]);
    return cd_scale3(1.0 / p.vertex_count, sum);
}

// A corner of q pressed by `depth` into the middle of a face of p, or held off it.
static cd_vec3 kiss(cd_random *random, cd_polyhedron p, cd_polyhedron q, double depth)
{
    cd_convex3 c = test_fixed(p, &arena);
    int32_t f = (int32_t)(cd_random_bits(random) % (uint64_t)p.face_count);
    cd_vec3 n = c.plane[f].normal, on = {0, 0, 0};
    int32_t count = p.face_first[f + 1] - p.face_first[f], lowest = 0;
    for (int32_t k = p.face_first[f]; k < p.face_first[f + 1]; k++)
        on = cd_add3(on, cd_scale3(1.0 / count, p.vertex[p.face_vertex[k]]));
    for (int32_t i = 1; i < q.vertex_count; i++)
        if (cd_dot3(n, q.vertex[i]) < cd_dot3(n, q.vertex[lowest]))
            lowest = i;
    return cd_sub3(cd_sub3(on, cd_scale3(depth, n)), q.vertex[lowest]);
}

static pair make_pair(cd_random *random, int kind)
{
    cd_polyhedron p = any(random, kind != 2), q = any(random, kind != 2);
    cd_vec3 zero = {0, 0, 0}, towards = test_direction(random);
    switch (kind) {
    case 0:  // deep
        q = test_moved3(q, 1, test_on_grid(cd_sub3(cd_scale3(test_between(random, 0, 0.5), towards), middle(q))),
                        &arena);
        p = test_moved3(p, 1, test_on_grid(cd_negate3(middle(p))), &arena);
        break;
    case 1:  // anywhere
        q = test_moved3(q, 1, test_on_grid(cd_scale3(test_between(random, 0, 2), towards)), &arena);
        break;
    case 2: {  // shallow, down to rounding, and as far apart
        double depth = (cd_random_bits(random) % 4 ? 1 : -1) * pow(10, -test_between(random, 1, 16));
        q = test_moved3(q, 1, kiss(random, p, q, depth), &arena);
        break;
    }
    case 3: {  // the same turned and moved by next to nothing
        q = test_hull(random, 9, (cd_vec3){1, 0.8, 0.6}, &arena);
        p = q;
        cd_quat turn = cd_quat_from_vector(cd_scale3(pow(10, -test_between(random, 4, 14)), towards));
        cd_vec3 by = cd_scale3(pow(10, -test_between(random, 2, 15)), towards);
        return (pair){test_fixed(p, &arena), test_placed(q, by, turn, &arena)};
    }
    case 4: {  // bricks of one grid: common planes, edges, corners
        p = brick(random, 0.3);
        cd_vec3 e[3];
        for (int k = 0; k < 3; k++)
            e[k] = cd_sub3(p.vertex[1 << k], p.vertex[0]);
        cd_vec3 by = zero;
        for (int k = 0; k < 3; k++)
            by = cd_add3(by, cd_scale3(0.25 * (double)(cd_random_bits(random) % 6), e[k]));
        q = test_moved3(p, cd_random_bits(random) % 2 ? 1 : 0.5, by, &arena);
        break;
    }
    case 5:  // needle
        q = test_hull(random, 6, (cd_vec3){4, 0.002, 0.001}, &arena);
        q = test_moved3(q, 1, test_on_grid(cd_scale3(0.3, towards)), &arena);
        break;
    case 6:  // plate
        q = test_hull(random, 8, (cd_vec3){2, 1.5, 0.0005}, &arena);
        q = test_moved3(q, 1, test_on_grid(cd_scale3(0.3, towards)), &arena);
        break;
    default: {  // far from the origin, on the grid; and scaled
        double scale = ldexp(1, (int)(cd_random_bits(random) % 54) - 27);
        cd_vec3 far = {scale * 0x1p20, -scale * 0x1p19, scale * 0x3p18};
        q = test_moved3(q, 1, test_on_grid(cd_scale3(test_between(random, 0, 1), towards)), &arena);
        p = test_moved3(p, scale, far, &arena);
        q = test_moved3(q, scale, far, &arena);
        break;
    }
    }
    return (pair){test_fixed(p, &arena), test_fixed(q, &arena)};
}

// ---- comparison ----------------------------------------------------------------------------------------------------

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static cd_intersect3 by_method(int method, const pair *p)
{
    return method == 0   ? cd_intersect3_clip(&p->a, &p->b, &arena)
           : method == 1 ? test_intersect_cut(&p->a, &p->b, &arena)
                         : cd_intersect3_dual(&p->a, &p->b, &arena);
}

CD_TEST(volumes_are_exact_within_the_bounds)
{
    static const char *const name[METHODS] = {"clip", "cut", "dual"};
    static double error[METHODS][PAIRS];
    double of_bound[METHODS][KINDS] = {{0}};
    int overlaps = 0, by_faces = 0, thin = 0, missed = 0, false_overlaps = 0;
    cd_random random = {2026};
    for (int trial = 0; trial < PAIRS; trial++) {
        int kind = trial % KINDS;
        pair p = make_pair(&random, kind);
        exact truth;
        double volume = exact_volume(&p.a, &p.b, &truth), size = p.a.radius + p.b.radius;
        double least_radius = fmin(p.a.radius, p.b.radius), most_area = 4 * 3.15 * least_radius * least_radius;
        for (int m = 0; m < METHODS; m++) {
            cd_intersect3 r = by_method(m, &p);
            bool has = cd_intersect3_has_volume(r.status);
            double off = exact_error(r.volume, truth);
            double noise = 1e-14 * size * (has ? r.area : most_area);
            if (!has && volume > 0) {
                thin += m == 0;
                missed += !(volume <= noise);
            }
            if (has && !(volume > 0))
                false_overlaps += !(r.volume <= noise);
            if (!has || !(volume > 0))
                continue;
            by_faces += m == 0 && r.path == CD_INTERSECT3_FACES;
            error[m][overlaps] = off / volume;
            double part = off / (1e-9 * volume + noise);
            of_bound[m][kind] = fmax(of_bound[m][kind], part);
            CD_CHECK(part <= 1);
        }
        cd_intersect3 again = by_method(0, &p);
        overlaps += cd_intersect3_has_volume(again.status) && volume > 0;
        oracle_release();
        cd_arena_reset(&arena);
    }
    printf("# %d pairs, %d overlap, %d of them by faces; %d overlaps thinner than rounding told as touching\n", PAIRS,
           overlaps, by_faces, thin);
    for (int m = 0; m < METHODS; m++) {
        qsort(error[m], (size_t)overlaps, sizeof(double), compare_doubles);
        printf("# %s: relative error median %.2g, 90 %% %.2g; worst part of 1e-9 volume + 1e-14 size area:", name[m],
               error[m][overlaps / 2], error[m][overlaps * 9 / 10]);
        for (int kind = 0; kind < KINDS; kind++)
            printf(" %s %.2g", kind_name[kind], of_bound[m][kind]);
        printf("\n");
        CD_CHECK(error[m][overlaps / 2] <= 1e-12);
    }
    CD_CHECK(missed == 0);
    CD_CHECK(false_overlaps == 0);
    CD_CHECK(overlaps > PAIRS / 2);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

static void print_corners(const char *name, const cd_convex3 *c)
{
    printf(" \"%s\": [", name);
    for (int32_t i = 0; i < c->vertex_count; i++)
        printf("%s[%.17g, %.17g, %.17g]", i ? ", " : "", c->x[i], c->y[i], c->z[i]);
    printf("]");
}

// The list tests/cases/convex/volume-pairs.json.
static void print_cases(void)
{
    cd_random random = {77};
    printf("{\"about\":\"pairs of convex hulls with the exact volume [m^3] of their overlap, rounded to double; "
           "corners [m]; "
           "written by oracle_intersect3 cases\",\n\"pairs\":[");
    for (int trial = 0; trial < 8 * KINDS; trial++) {
        pair p = make_pair(&random, trial % KINDS);
        exact truth;
        double volume = exact_volume(&p.a, &p.b, &truth);
        printf("%s\n{\"name\": \"%s %d\", \"volume\": %.17g,", trial ? "," : "", kind_name[trial % KINDS],
               trial / KINDS, volume);
        print_corners("a", &p.a);
        printf(",");
        print_corners("b", &p.b);
        printf("}");
        oracle_release();
        cd_arena_reset(&arena);
    }
    printf("\n]}\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "cases")) {
        print_cases();
        return 0;
    }
    CD_RUN(volumes_are_exact_within_the_bounds);
    return cd_test_done();
}
