// Vertices and edges beside the outline of a face, told for all at once: against each of them asked in long double.
// SPDX-License-Identifier: MIT
#include "cd_outline3.h"
#include "cd_test.h"
#include "test_pairs3.h"

static cd_arena arena;

typedef struct tally {
    int asked, told, crossed, real_crossings;
} tally;

static void check_vertices(const cd_outline3 *o, const cd_shell3 *a, int32_t face, const cd_shell3 *b, double grown,
                           tally *t)
{
    for (int32_t v = 0; v < b->convex->vertex_count; v++) {
        const cd_vec3 p = cd_shell3_vertex(b, v);
        const bool over = cd_outline3_is_over(o, v), beside = cd_outline3_is_beside(o, v);
        CD_CHECK(!(over && beside));
        CD_CHECK(!over || cd_face3_is_over(a, face, p, 0));
        CD_CHECK(!beside || !cd_face3_is_over(a, face, p, grown));
        t->asked++;
        t->told += over || beside || grown > 0.1;
    }
}

// Do they cross, seen along the normal, within `grown` of the outline's edge from p to q?
static bool cross_slowly(real3 n, real3 p, real3 q, const real3 end[2], real grown)
{
    const real3 r = minus(q, p), e = minus(end[1], end[0]), between = minus(end[0], p);
    const real sine = dot(n, cross(r, e)), length = sqrtl(dot(r, r));
    if (sine == 0)
        return false;
    const real along_r = dot(n, cross(between, e)) / sine, along_e = dot(n, cross(between, r)) / sine;
    return along_e > 0 && along_e < 1 && along_r * length >= -grown && (along_r - 1) * length <= grown;
}

static void check_edges(const cd_outline3 *o, const cd_shell3 *a, int32_t face, const cd_shell3 *b, double grown,
                        tally *t)
{
    const cd_convex3 *c = a->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face], count = c->face_first[face + 1] - c->face_first[face];
    const real3 n = wide(cd_shell3_normal(a, face));
    for (int32_t e = 0; e < b->edges->count; e++) {
        const int32_t *vertex = b->edges->edge[e].vertex;
        const uint32_t crossed = cd_outline3_crossed(o, vertex);
        const real3 end[2] = {corner_of(b, vertex[0]), corner_of(b, vertex[1])};
        CD_CHECK((crossed & ~o->all) == 0);
        for (int32_t k = 0; k < count; k++) {
            const bool crosses =
                cross_slowly(n, corner_of(a, corner[k]), corner_of(a, corner[k + 1 < count ? k + 1 : 0]), end, grown);
            CD_CHECK(!crosses || (crossed >> k & 1));
            t->crossed += crossed >> k & 1;
            t->real_crossings += crosses;
        }
    }
}

CD_TEST(what_is_told_is_so)
{
    static const double growth[] = {0, 1e-3, 0.3};
    cd_random random = {11};
    tally t = {0};
    for (int run = 0; run < 300; run++) {
        const body first = random_body(&random, &arena), second = random_body(&random, &arena);
        const cd_vec3 by = {test_between(&random, -1, 1), test_between(&random, -1, 1), test_between(&random, -1, 1)};
        // Every third pair is flush: corners stand on lines, edges along edges.
        const cd_quat level = {1, 0, 0, 0};
        const bool is_flush = run % 3 == 0;
        const cd_shell3 *a = shell_at(&first, (cd_vec3){0, 0, 0}, is_flush ? level : test_rotation(&random), &arena);
        const cd_shell3 *b = shell_at(is_flush && run % 2 ? &first : &second, is_flush ? (cd_vec3){0, 0, by.z} : by,
                                      is_flush ? level : test_rotation(&random), &arena);
        const double grown = growth[run % 7 % 3], size = 1 + a->convex->radius + b->convex->radius;
        for (int32_t f = 0; f < a->convex->face_count; f++) {
            const cd_outline3 o = cd_outline3_make(&arena, a, f, b, grown, 1e-12 * size);
            CD_CHECK(o.all != 0);
            check_vertices(&o, a, f, b, grown, &t);
            check_edges(&o, a, f, b, grown, &t);
        }
        cd_arena_reset(&arena);
    }
    printf("# %d of %d vertices told, %d crossings let through for %d\n", t.told, t.asked, t.crossed, t.real_crossings);
    CD_CHECK(t.told > 0.9 * t.asked && t.real_crossings > 10000 && t.crossed < 3 * t.real_crossings);
}

// Of an outline of more edges than bits nothing is told, and all may cross.
CD_TEST(a_face_of_many_corners_is_left_open)
{
    enum { SIDES = CD_OUTLINE3_MOST + 1 };
    cd_vec3 point[2 * SIDES];
    for (int k = 0; k < SIDES; k++) {
        const double angle = 6.283185307179586 * k / SIDES;
        point[k] = (cd_vec3){cos(angle), sin(angle), 0};
        point[SIDES + k] = (cd_vec3){cos(angle), sin(angle), 1};
    }
    for (int sides = SIDES - 1; sides <= SIDES; sides++) {
        int32_t first[3] = {0, sides, 2 * sides}, corner[2 * SIDES];
        for (int k = 0; k < sides; k++) {
            corner[k] = sides - 1 - k;
            corner[sides + k] = SIDES + k;
        }
        // Two lids are enough for what is asked.
        const cd_plane plane[2] = {{{0, 0, -1}, 0}, {{0, 0, 1}, 1}};
        cd_random random = {3};
        const body other = random_body(&random, &arena);
        const cd_shell3 *b = shell_at(&other, (cd_vec3){0.9, 0, 1.2}, (cd_quat){1, 0, 0, 0}, &arena);
        double *x = CD_ARENA_ARRAY(&arena, double, 6 * SIDES), *y = x + 2 * SIDES, *z = y + 2 * SIDES;
        for (int k = 0; k < 2 * SIDES; k++) {
            x[k] = point[k].x;
            y[k] = point[k].y;
            z[k] = point[k].z;
        }
        const cd_convex3 lids = {.vertex_count = 2 * SIDES,
                                 .face_count = 2,
                                 .x = x,
                                 .y = y,
                                 .z = z,
                                 .plane = plane,
                                 .face_first = first,
                                 .face_vertex = corner};
        const cd_shell3 a = {.convex = &lids};
        const cd_outline3 o = cd_outline3_make(&arena, &a, 1, b, 0, 1e-12);
        CD_CHECK((o.all != 0) == (sides <= CD_OUTLINE3_MOST));
        if (o.all == 0)
            CD_CHECK(cd_outline3_crossed(&o, b->edges->edge[0].vertex) == UINT32_MAX && !cd_outline3_is_over(&o, 0) &&
                     !cd_outline3_is_beside(&o, 0));
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(what_is_told_is_so);
    CD_RUN(a_face_of_many_corners_is_left_open);
    cd_arena_release(&arena);
    return cd_test_done();
}
