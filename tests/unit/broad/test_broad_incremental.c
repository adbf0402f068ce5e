// `incremental` over long sequences of frames: whatever it remembers, every frame has exactly the pairs that a method
// without a memory finds. Motions that its lists are made for, and all that must end or mend a list.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "broad_incremental.h"
#include "cd_random.h"
#include "cd_test.h"
#include "cd_threads.h"

#include "test_polygon_random.h"

enum { MOST = 60000 };

typedef struct scene {
    int dim;
    int32_t count;
    double min[3 * MOST], max[3 * MOST], velocity[3 * MOST];  // a frame
    int32_t body[MOST];
    uint8_t class[MOST];
    bool has_classes;
} scene;

// Boxes in a unit cube with some five neighbours each, moving by up to `speed` of their extent in a frame.
static void make_scene(scene *s, cd_random *random, int dim, int32_t count, double speed)
{
    double extent = 0.5 * pow(10.0 / count, 1.0 / dim);
    *s = (scene){.dim = dim, .count = count};
    for (int32_t i = 0; i < dim * count; i++) {
        double half = extent * cd_random_between(random, 0.2, 0.8), centre = cd_random_unit(random);
        s->min[i] = centre - half;
        s->max[i] = centre + half;
        s->velocity[i] = speed * extent * cd_random_between(random, -1, 1);
    }
    for (int32_t i = 0; i < count; i++) {
        s->body[i] = i / 2;
        s->class[i] = CD_BROAD_DYNAMIC | CD_BROAD_UNGROUPED;
    }
}

static void advance(scene *s)
{
    for (int32_t i = 0; i < s->dim * s->count; i++) {
        s->min[i] += s->velocity[i];
        s->max[i] += s->velocity[i];
        if ((s->min[i] < 0 && s->velocity[i] < 0) || (s->max[i] > 1 && s->velocity[i] > 0))
            s->velocity[i] = -s->velocity[i];
    }
}

// What happens between two frames, beside the drift.
typedef void disturb(scene *s, cd_random *random, int frame);

static void nothing(scene *s, cd_random *random, int frame) { (void)s, (void)random, (void)frame; }
static void leaps(scene *s, cd_random *random, int frame)
{
    (void)frame;
    for (int k = 0; k < 3; k++) {
        int32_t i = test_below(random, s->dim * s->count);
        double far = cd_random_between(random, -0.5, 0.5);
        s->min[i] += far;
        s->max[i] += far;
    }
}
static void leap(scene *s, cd_random *random, int frame)
{
    (void)frame;
    int32_t i = test_below(random, s->dim * s->count);
    double far = cd_random_between(random, -0.1, 0.1);
    s->min[i] += far;
    s->max[i] += far;
}
static void gravity(scene *s, cd_random *random, int frame)
{
    (void)random, (void)frame;
    for (int32_t i = 0; i < s->count; i++)
        s->velocity[s->dim * i] -= 1e-5;
}
// Extents that change, as those of bodies that turn.
static void swelling(scene *s, cd_random *random, int frame)
{
    (void)random;
    for (int32_t i = 0; i < s->dim * s->count; i++)
        s->max[i] = fmax(s->min[i], s->max[i] + 1e-4 * sin(0.3 * frame + i));
}
static void jitter(scene *s, cd_random *random, int frame)
{
    (void)frame;
    for (int32_t i = 0; i < s->dim * s->count; i++) {
        double shift = cd_random_between(random, -1e-4, 1e-4);
        s->min[i] += shift;
        s->max[i] += shift;
    }
}
static void counts_change(scene *s, cd_random *random, int frame)
{
    s->has_classes = true;
    if (frame % 9 == 4)
        s->count -= 1 + test_below(random, 3);
    if (frame % 9 == 8)
        s->count += 1;
}
static void classes(scene *s, cd_random *random, int frame)
{
    s->has_classes = frame % 16 > 5;
    if (frame % 5 == 0)
        s->class[test_below(random, s->count)] ^= CD_BROAD_DYNAMIC;
    if (frame % 13 == 12)
        for (int32_t i = 0; i < s->count; i++)
            s->body[i] = i / (1 + frame % 3);
}
static void infinite_ground(scene *s, cd_random *random, int frame)
{
    (void)random, (void)frame;
    for (int k = 0; k < s->dim; k++) {
        s->min[k] = -INFINITY;
        s->max[k] = k ? INFINITY : 0.2;
    }
}
static void far_away(scene *s, cd_random *random, int frame)
{
    (void)random;
    for (int32_t i = 0; i < s->dim * s->count && frame == 30; i++) {
        s->min[i] += 1e6;
        s->max[i] += 1e6;
    }
    if (frame == 45)
        s->max[s->dim] = 1e300;
}
// Still frames, then a storm, then still again.
static void storm(scene *s, cd_random *random, int frame)
{
    for (int32_t i = 0; i < s->dim * s->count && frame >= 20 && frame < 32; i++) {
        double shift = cd_random_between(random, -0.2, 0.2);
        s->min[i] += shift;
        s->max[i] += shift;
    }
}
// A layer of boxes far apart from one another, at rest.
static void apart(scene *s, cd_random *random, int frame)
{
    (void)random, (void)frame;
    for (int32_t i = 0; i < s->dim * s->count; i++) {
        int32_t box = i / s->dim, axis = i % s->dim;
        s->velocity[i] = 0;
        s->min[i] = axis == 0 ? box % 50 : axis == 1 ? box / 50 : 0;
        s->max[i] = s->min[i] + 0.1;
    }
}
// Cubes of a grid with gaps that no list resolves.
static void nearly_touching(scene *s, cd_random *random, int frame)
{
    (void)random, (void)frame;
    for (int32_t i = 0; i < s->dim * s->count; i++) {
        int32_t box = i / s->dim, axis = i % s->dim;
        s->velocity[i] = 0;
        s->min[i] = axis == 0 ? box % 10 : axis == 1 ? box / 10 % 10 : box / 100;
        s->max[i] = s->min[i] + 0.9995;
    }
}
// Two boxes that come to touch exactly, face to face, and stay.
static void touching(scene *s, cd_random *random, int frame)
{
    (void)random;
    for (int k = 0; k < s->dim; k++) {
        s->min[k] = 0.5, s->max[k] = 0.6;
        s->min[s->dim + k] = 0.5, s->max[s->dim + k] = 0.6;
    }
    double gap = frame < 24 ? (24 - frame) * 1e-3 : 0;
    s->min[s->dim] = s->max[0] + gap;
    s->max[s->dim] = s->min[s->dim] + 0.1;
}

static int differences(const cd_broad_result *one, const cd_broad_result *other, int32_t count)
{
    if (one->count != other->count)
        return 1;
    return memcmp(one->first, other->first, ((size_t)count + 1) * sizeof *one->first) != 0 ||
           (one->count && memcmp(one->other, other->other, (size_t)one->count * sizeof *one->other) != 0);
}

static cd_broad_input input_of(const scene *s)
{
    return (cd_broad_input){
        s->dim, s->count, s->min, s->max, s->has_classes ? s->body : NULL, s->has_classes ? s->class : NULL, NULL, {0}};
}

static void check_frame(const scene *s, const cd_broad_result *result, cd_broad_engine *plain, cd_arena *arena,
                        int frame)
{
    cd_broad_input input = input_of(s);
    cd_broad_result expected;
    cd_diag diag;
    const cd_broad_method *method = cd_broad_method_find(s->count > 1000 ? "hybrid" : "brute");
    CD_CHECK(cd_broad_find(plain, method, &input, arena, &expected, NULL, &diag) == CD_OK);
    int wrong = differences(result, &expected, s->count);
    if (wrong)
        printf("# frame %d, dim %d, %d boxes\n", frame, s->dim, s->count);
    CD_CHECK(!wrong);
}

// Runs the method by itself, and returns what it did.
static cd_broad_incremental_counts check_sequence(scene *s, disturb *change, cd_random *random, cd_broad_tuning tuning,
                                                  int frames)
{
    enum { THREADS = 4 };
    cd_arena arena = {0};
    cd_broad_pairs pairs[THREADS] = {{0}};
    void *state = NULL;
    const cd_broad_method *method = cd_broad_method_find("incremental");
    cd_broad_engine *plain = cd_broad_engine_new(tuning, INT32_MAX);
    int at_work = 1;
    for (int frame = 0; frame < frames; frame++) {
        change(s, random, frame);
        cd_broad_input input = input_of(s);
        cd_broad_statistics statistics = cd_broad_measure(&input, tuning.threads);
        for (int t = 0; t < tuning.threads; t++) {
            pairs[t].limit = INT32_MAX - 1;
            pairs[t].input = &input;
            pairs[t].count = pairs[t].settled = 0;
        }
        (void)cd_threads_take_most();
        method->find(&(cd_broad_run){&input, &statistics, tuning, &arena, pairs, &state});
        int most = cd_threads_take_most();
        at_work = most > at_work ? most : at_work;
        cd_broad_result result = cd_broad_order(pairs, tuning.threads, s->count, tuning.vector, &arena);
        check_frame(s, &result, plain, &arena, frame);
        cd_arena_reset(&arena);
        advance(s);
    }
    CD_CHECK((at_work > 1) == (tuning.threads > 1));
    cd_broad_incremental_counts counts = cd_broad_incremental_count(state);
    method->forget(state);
    cd_broad_engine_free(plain);
    for (int t = 0; t < THREADS; t++)
        cd_region_release(&(cd_region){pairs[t].item, pairs[t].bytes});
    cd_arena_release(&arena);
    return counts;
}

static void check_auto(scene *s, disturb *change, cd_random *random, cd_broad_tuning tuning, int frames)
{
    cd_arena arena = {0};
    cd_diag diag;
    cd_broad_engine *engine = cd_broad_engine_new(tuning, INT32_MAX), *plain = cd_broad_engine_new(tuning, INT32_MAX);
    for (int frame = 0; frame < frames; frame++) {
        change(s, random, frame);
        cd_broad_input input = input_of(s);
        cd_broad_result result;
        CD_CHECK(cd_broad_find(engine, NULL, &input, &arena, &result, NULL, &diag) == CD_OK);
        check_frame(s, &result, plain, &arena, frame);
        cd_arena_reset(&arena);
        advance(s);
    }
    cd_broad_engine_free(engine);
    cd_broad_engine_free(plain);
    cd_arena_release(&arena);
}

static scene shared_scene;

enum { FRAMES = 70 };

// In the plane and in space at all vector levels; what was counted is the sum.
typedef struct totals {
    cd_broad_incremental_counts all;
    int runs;
} totals;

static totals check_all_levels(disturb *change, double speed)
{
    cd_random random = {77};
    totals sum = {{0}, 0};
    for (int level = 0; level <= (int)cd_vector_detect(CD_VECTOR_AVX512); level++)
        for (int dim = 2; dim <= 3; dim++, sum.runs++) {
            make_scene(&shared_scene, &random, dim, 310 + level, speed);
            cd_broad_tuning tuning = {1, (cd_vector_level)level, NAN, 0};
            cd_broad_incremental_counts counts = check_sequence(&shared_scene, change, &random, tuning, FRAMES);
            sum.all.made += counts.made;
            sum.all.served += counts.served;
            sum.all.corrected += counts.corrected;
            sum.all.outlived += counts.outlived;
            sum.all.overrun += counts.overrun;
        }
    return sum;
}

// ---- smooth motion: a list is made in the third frame and kept -----------------------------------------------------

CD_TEST(boxes_at_rest_need_one_list)
{
    totals sum = check_all_levels(nothing, 0);
    CD_CHECK(sum.all.made == sum.runs && sum.all.served == sum.runs * (FRAMES - 2) && !sum.all.corrected);
}
CD_TEST(a_slow_drift_keeps_its_list)
{
    totals sum = check_all_levels(nothing, 0.01);
    CD_CHECK(sum.all.made == sum.runs && sum.all.served == sum.runs * (FRAMES - 2) && !sum.all.overrun);
}
CD_TEST(a_list_is_made_anew_when_it_is_too_old)
{
    totals sum = check_all_levels(nothing, 0.022);
    CD_CHECK(sum.all.made == 2 * sum.runs && sum.all.outlived > 0);
}
CD_TEST(boxes_that_are_fast_have_no_list)
{
    CD_CHECK(!check_all_levels(nothing, 0.1).all.made);
    CD_CHECK(!check_all_levels(nothing, 3).all.made);
}

// ---- single boxes that go another way: a list is corrected ---------------------------------------------------------

CD_TEST(boxes_that_leap_are_found_where_they_are)
{
    totals sum = check_all_levels(leap, 0.01);
    CD_CHECK(sum.all.made >= sum.runs && sum.all.corrected > sum.runs * FRAMES / 2);
    sum = check_all_levels(leaps, 0.01);
    CD_CHECK(sum.all.made > 0 && sum.all.overrun > 0);
}
CD_TEST(accelerated_boxes_keep_their_pairs)
{
    totals sum = check_all_levels(gravity, 0.01);
    CD_CHECK(sum.all.corrected > 0 && sum.all.served > sum.runs * FRAMES / 2);
}
CD_TEST(boxes_that_change_their_extents_keep_their_pairs)
{
    totals sum = check_all_levels(swelling, 0.01);
    CD_CHECK(sum.all.corrected > 0 && sum.all.served > sum.runs * FRAMES / 2);
}
CD_TEST(boxes_that_jitter_keep_their_pairs)
{
    totals sum = check_all_levels(jitter, 0);
    CD_CHECK(sum.all.corrected > 0 && sum.all.served > sum.runs * FRAMES / 2);
}
CD_TEST(an_infinite_box_stands_among_moving_ones)
{
    totals sum = check_all_levels(infinite_ground, 0.01);
    CD_CHECK(sum.all.made == sum.runs && sum.all.served == sum.runs * (FRAMES - 2));
}
CD_TEST(boxes_that_come_to_touch_are_a_pair_from_then_on)
{
    totals sum = check_all_levels(touching, 0.01);
    CD_CHECK(sum.all.made == sum.runs && sum.all.served == sum.runs * (FRAMES - 2));
}

// ---- all that ends a list ------------------------------------------------------------------------------------------

CD_TEST(boxes_may_come_and_go) { CD_CHECK(check_all_levels(counts_change, 0.01).all.made > 0); }
CD_TEST(bodies_and_classes_may_change_between_frames)
{
    totals sum = check_all_levels(classes, 0.01);
    CD_CHECK(sum.all.made > 10 * sum.runs && sum.all.served == sum.runs * (FRAMES - 2));
}
CD_TEST(a_scene_may_move_far_away)
{
    totals sum = check_all_levels(far_away, 0.01);
    CD_CHECK(sum.all.overrun >= sum.runs && sum.all.made > sum.runs);
}
CD_TEST(a_storm_may_pass)
{
    totals sum = check_all_levels(storm, 0.01);
    CD_CHECK(sum.all.overrun == sum.runs && sum.all.made == 2 * sum.runs);
}

// ---- scenes where there is nothing to list, or too much ------------------------------------------------------------

CD_TEST(boxes_without_any_pair_have_none)
{
    cd_random random = {9};
    static const int32_t count[] = {0, 1, 2, 40, 2500};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < (int)(sizeof count / sizeof *count); k++) {
            cd_broad_tuning tuning = {1, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0};
            make_scene(&shared_scene, &random, dim, count[k], 0);
            cd_broad_incremental_counts counts = check_sequence(&shared_scene, apart, &random, tuning, 8);
            CD_CHECK(counts.served == (count[k] ? 6 : 0) && counts.made == (count[k] ? 1 : 0));
            check_auto(&shared_scene, apart, &random, tuning, 8);
        }
}

CD_TEST(a_list_that_would_be_far_longer_than_the_pairs_is_not_made)
{
    cd_random random = {9};
    cd_broad_tuning tuning = {1, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0};
    make_scene(&shared_scene, &random, 3, 1000, 0);
    cd_broad_incremental_counts counts = check_sequence(&shared_scene, nearly_touching, &random, tuning, 8);
    CD_CHECK(counts.refused == 1 && !counts.made);
}

CD_TEST(the_automatic_choice_finds_the_pairs_of_every_frame)
{
    cd_random random = {11};
    cd_broad_tuning tuning = {1, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0};
    make_scene(&shared_scene, &random, 3, 3000, 0);
    check_auto(&shared_scene, nothing, &random, tuning, 8);
    make_scene(&shared_scene, &random, 3, 3000, 0.02);
    check_auto(&shared_scene, storm, &random, tuning, 40);
}

CD_TEST(many_boxes_and_threads_have_the_same_pairs)
{
    cd_random random = {5};
    make_scene(&shared_scene, &random, 3, MOST, 0.01);
    shared_scene.min[0] = -1;  // one row of the list is a long one
    for (int k = 0; k < 3; k++)
        shared_scene.max[k] = 0.5;
    cd_broad_tuning tuning = {3, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0};
    CD_CHECK(check_sequence(&shared_scene, nothing, &random, tuning, 14).served == 12);
    make_scene(&shared_scene, &random, 3, 3 * MOST / 4, 0.01);
    CD_CHECK(check_sequence(&shared_scene, leaps, &random, tuning, 14).corrected > 0);
}

int main(void)
{
    CD_RUN(boxes_at_rest_need_one_list);
    CD_RUN(a_slow_drift_keeps_its_list);
    CD_RUN(a_list_is_made_anew_when_it_is_too_old);
    CD_RUN(boxes_that_are_fast_have_no_list);
    CD_RUN(boxes_that_leap_are_found_where_they_are);
    CD_RUN(accelerated_boxes_keep_their_pairs);
    CD_RUN(boxes_that_change_their_extents_keep_their_pairs);
    CD_RUN(boxes_that_jitter_keep_their_pairs);
    CD_RUN(an_infinite_box_stands_among_moving_ones);
    CD_RUN(boxes_that_come_to_touch_are_a_pair_from_then_on);
    CD_RUN(boxes_may_come_and_go);
    CD_RUN(bodies_and_classes_may_change_between_frames);
    CD_RUN(a_scene_may_move_far_away);
    CD_RUN(a_storm_may_pass);
    CD_RUN(boxes_without_any_pair_have_none);
    CD_RUN(a_list_that_would_be_far_longer_than_the_pairs_is_not_made);
    CD_RUN(the_automatic_choice_finds_the_pairs_of_every_frame);
    CD_RUN(many_boxes_and_threads_have_the_same_pairs);
    return cd_test_done();
}
