// SPDX-License-Identifier: MIT
#include "cd_length.h"

#include "cd_median.h"
#include "cd_test.h"

CD_TEST(median_of_weighted_values)
{
    CD_CHECK(isnan(cd_weighted_median(NULL, 0)));
    cd_weighted odd[] = {{3, 1}, {1, 1}, {2, 1}};
    CD_CHECK(cd_weighted_median(odd, 3) == 2);
    cd_weighted even[] = {{4, 1}, {1, 2}, {2, 1}};
    CD_CHECK(cd_weighted_median(even, 3) == 1.5);
    cd_weighted heavy[] = {{1, 1}, {7, 5}, {9, 3}};
    CD_CHECK(cd_weighted_median(heavy, 3) == 7);
}

// Circles of radius 1, 2, 4, a half-plane, and a compound of the first two.
enum { HALFPLANE = 3, COMPOUND = 4, SHAPES = 5, BODIES = 4 };

typedef struct scene {
    cd_model in;
    cd_leaves leaves;
} scene;

static void scene_make(cd_arena *arena, double scale, bool has_length, scene *s)
{
    static const double radius[SHAPES] = {1, 2, 4, NAN, NAN};
    static int64_t id[SHAPES] = {1, 2, 3, 4, 5}, body_id[BODIES] = {1, 2, 3, 4};
    static int32_t part[2] = {0, 1}, shape[BODIES] = {2, COMPOUND, COMPOUND, HALFPLANE};
    static int32_t motion[BODIES] = {CD_MOTION_FIXED, CD_MOTION_DYNAMIC, CD_MOTION_DYNAMIC, CD_MOTION_FIXED};
    static int32_t kind[SHAPES] = {CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, CD_SHAPE_HALFSPACE,
                                   CD_SHAPE_COMPOUND};
    static int32_t first[SHAPES + 1] = {0, 0, 0, 0, 0, 2};
    static double normal[2 * SHAPES] = {NAN, NAN, NAN, NAN, NAN, NAN, 0, 1, NAN, NAN};
    static double position[4] = {0, 0, 0, 0}, turn[2] = {0, 0};
    *s = (scene){.in = {.dim = 2}};
    cd_model *in = &s->in;
    in->head.count = 1;
    in->shape.count = SHAPES;
    in->shape.id = id;
    in->shape.kind = kind;
    in->shape.radius = CD_ARENA_ARRAY(arena, double, SHAPES);
    in->shape.offset = CD_ARENA_ARRAY(arena, double, SHAPES);
    for (int i = 0; i < SHAPES; i++) {
        in->shape.radius[i] = scale * radius[i];
        in->shape.offset[i] = i == HALFPLANE ? 0 : NAN;
    }
    in->shape.normal = normal;
    in->shape.parts_shape = (cd_list){.offset = first, .i32 = part};
    in->shape.parts_position = (cd_list){.offset = first, .f64 = position};
    in->shape.parts_rotation = (cd_list){.offset = first, .f64 = turn};
    in->body.count = BODIES;
    in->body.id = body_id;
    in->body.shape = shape;
    in->body.motion = motion;
    if (has_length) {
        in->head.length = CD_ARENA_ARRAY(arena, double, 1);
        in->head.length[0] = 5;
    }
    cd_diag diag = {0};
    CD_CHECK(cd_leaves_make(arena, in, NULL, &s->leaves, &diag) == CD_OK);
}

// Two compounds of a circle 2 m and one 4 m wide: half of the parts each. All fixed: 8 m comes in as well.
CD_TEST(a_length_that_is_not_stated_is_the_median_diameter)
{
    cd_arena arena = {0};
    scene s;
    scene_make(&arena, 1, false, &s);
    CD_CHECK(cd_length_of(&arena, &s.in, &s.leaves) == 3);
    scene_make(&arena, 0x1p-20, false, &s);
    CD_CHECK(cd_length_of(&arena, &s.in, &s.leaves) == 3 * 0x1p-20);
    int32_t fixed[BODIES] = {CD_MOTION_FIXED, CD_MOTION_FIXED, CD_MOTION_FIXED, CD_MOTION_FIXED};
    s.in.body.motion = fixed;
    CD_CHECK(cd_length_of(&arena, &s.in, &s.leaves) == 4 * 0x1p-20);
    s.in.body.count = 0;
    CD_CHECK(cd_length_of(&arena, &s.in, &s.leaves) == 1);
    cd_arena_release(&arena);
}

CD_TEST(a_length_that_is_stated_and_its_speed)
{
    cd_arena arena = {0};
    scene s;
    scene_make(&arena, 1, true, &s);
    CD_CHECK(cd_length_of(&arena, &s.in, &s.leaves) == 5);
    CD_CHECK(cd_speed_of(&s.in, 5) == 5);  // without gravity: a length a second
    double gravity[] = {0, -20};
    s.in.head.gravity = gravity;
    CD_CHECK(cd_speed_of(&s.in, 5) == 10);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(median_of_weighted_values);
    CD_RUN(a_length_that_is_not_stated_is_the_median_diameter);
    CD_RUN(a_length_that_is_stated_and_its_speed);
    return cd_test_done();
}
