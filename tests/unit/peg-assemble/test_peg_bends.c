// What the first round of a step asks of gaps besides, for what they bend by: second derivatives against second
// differences of the gap, pairs of several points, islands, and pairs that are faster than theirs.
// SPDX-License-Identifier: MIT
#include "test_peg3_pair.h"

static void *twice(const void *row, size_t bytes)
{
    char *rows = cd_arena_zalloc(&arena, 2 * bytes);
    memcpy(rows, row, bytes);
    memcpy(rows + bytes, row, bytes);
    return rows;
}

// Two points of one pair, of which the second bends further: both are asked for what that one bends by.
CD_TEST(points_of_a_pair_are_asked_for_the_same_bend)
{
    cd_random random = {5};
    for (int trial = 0; trial < 20; trial++) {
        two_bodies t = random_bodies(&random);
        for (int b = 0; b < 2; b++) {
            t.state[b].velocity = random_vector(&random, 1e-3);
            t.state[b].spin = random_vector(&random, 1e-2);
        }
        put_states(&t);
        gap_features f = random_features(&random, &t, FACE_VERTEX);
        make_contact(&t, &f);
        const double gap = place_contact(&t, &f);
        const cd_peg_settings settings = {.margin = 1e-3, .reach = 100};
        const double alone = frame_of(&t, settings).gradient[0].rate;
        cd_contact_rows *c = &t.in.contact;
        double **const vector[] = {&c->point, &c->point_a, &c->point_b, &c->normal};
        int32_t **const two[] = {&c->a, &c->b, &c->features, &c->facet};
        for (int k = 0; k < 4; k++) {
            *vector[k] = twice(*vector[k], 3 * sizeof **vector[k]);
            *two[k] = twice(*two[k], 2 * sizeof **two[k]);
        }
        c->id = twice(c->id, sizeof *c->id);
        c->kind = twice(c->kind, sizeof *c->kind);
        c->side = twice(c->side, sizeof *c->side);
        c->gap = twice(c->gap, sizeof *c->gap);
        c->count = 2;
        c->id[1] = 1;
        for (int k = 0; k < 3; k++)
            c->point[3 + k] += 5;  // longer arms
        const cd_peg_frame frame = frame_of(&t, settings);
        CD_CHECK(frame.count == 2 && frame.gradient[0].rate == frame.gradient[1].rate);
        CD_CHECK(frame.gradient[0].rate < alone && alone < (gap - 1e-3) / STEP);
        cd_arena_reset(&arena);
    }
}

// The bodies after `time` at the velocities that they have.
static void go_on(two_bodies *t, double time)
{
    for (int b = 0; b < 2; b++) {
        cd_state3 *state = &t->state[b];
        const cd_quat turn = cd_quat_from_vector(cd_scale3(time, state->spin));
        state->position = cd_add3(state->position, cd_scale3(time, state->velocity));
        state->rotation = cd_quat_unit(cd_quat_product(turn, state->rotation));
    }
}

CD_TEST(second_derivatives_are_the_second_differences_of_the_gap)
{
    cd_random random = {6};
    const double d = 1e-4;
    int checked[GAP_KINDS] = {0};
    for (int trial = 0; trial < 200; trial++) {
        two_bodies t = random_bodies(&random);
        const gap_kind kind = trial % 2 ? FACE_VERTEX : EDGE_PAIR;
        gap_features f = random_features(&random, &t, kind);
        make_contact(&t, &f);
        if (cd_length3(cd_cross3(cd_unit3(edge_of(&t, 0, f.edge[0])), cd_unit3(edge_of(&t, 1, f.edge[1])))) < 0.2)
            continue;
        double gap[3];
        const two_bodies start = t;
        for (int k = 0; k < 3; k++) {
            t = start;
            go_on(&t, (k - 1) * d);
            gap[k] = place_contact(&t, &f);
        }
        t = start;
        place_contact(&t, &f);
        const int32_t none[2] = {-1, -1};
        cd_peg_build build = {.arena = &arena, .in = &t.in, .shapes = &t.shapes, .trial_row = none, .step = STEP};
        cd_peg_space.prepare(&build);
        const double second = cd_peg_space.second(&build, 0), wanted = (gap[0] - 2 * gap[1] + gap[2]) / (d * d);
        CD_CHECK_NEAR(second, wanted, 1e-5 * fmax(1, fabs(wanted)));
        checked[kind]++;
        cd_arena_reset(&arena);
    }
    CD_CHECK(checked[FACE_VERTEX] > 50 && checked[EDGE_PAIR] > 50);
}

// [m] What is asked for besides where the bodies go at `times` the velocities that they have.
static double bend_at(two_bodies t, const gap_features *f, double times)
{
    for (int b = 0; b < 2; b++) {
        t.state[b].velocity = cd_scale3(times, t.state[b].velocity);
        t.state[b].spin = cd_scale3(times, t.state[b].spin);
    }
    put_states(&t);
    make_contact(&t, f);
    const double gap = place_contact(&t, f);
    return gap - 1e-3 - STEP * frame_of(&t, (cd_peg_settings){.margin = 1e-3, .reach = 100}).gradient[0].rate;
}

// It goes with the square of the speeds, in steps of a power of two, and is nothing at rest.
CD_TEST(islands_are_asked_for_the_bend_of_their_mean_speed)
{
    cd_random random = {6};
    for (int trial = 0; trial < 20; trial++) {
        two_bodies t = random_bodies(&random);
        for (int b = 0; b < 2; b++) {
            t.state[b].velocity = random_vector(&random, 1e-2);
            t.state[b].spin = random_vector(&random, 1e-2);
        }
        gap_features f = random_features(&random, &t, FACE_VERTEX);
        int exponent;
        const double bend = bend_at(t, &f, 1);
        CD_CHECK(bend > 1e-10 && bend < 1e-5);
        CD_CHECK_NEAR(fabs(2 * frexp(bend, &exponent) - 1.5), 0.5, 1e-5);
        CD_CHECK_NEAR(bend_at(t, &f, 2) / bend, 4, 1e-5);
        CD_CHECK_NEAR(bend_at(t, &f, 0), 0, 1e-15);
        cd_arena_reset(&arena);
    }
}

// `count` rows of `width` numbers, the first `had` of them as they were.
static double *grown(const double *rows, int32_t had, int32_t count, int32_t width)
{
    double *all = NEW(double, count *width);
    memcpy(all, rows, (size_t)(had * width) * sizeof *all);
    for (int32_t i = had * width; i < count * width; i++)
        all[i] = rows[i % width];
    return all;
}

static int32_t *grown_words(const int32_t *rows, int32_t had, int32_t count, int32_t width)
{
    int32_t *all = NEW(int32_t, count * width);
    memcpy(all, rows, (size_t)(had * width) * sizeof *all);
    for (int32_t i = had * width; i < count * width; i++)
        all[i] = rows[i % width];
    return all;
}

static int64_t *ids_up_to(int32_t count)
{
    int64_t *all = NEW(int64_t, count);
    for (int32_t i = 0; i < count; i++)
        all[i] = i;
    return all;
}

// Body 1 stands, and has `many` contacts with a third one, which is fixed.
static void add_support(two_bodies *t, int32_t many)
{
    cd_body_rows *body = &t->in.body;
    cd_contact_rows *c = &t->in.contact;
    body->count = 3;
    body->id = ids_up_to(3);
    body->position = grown(body->position, 2, 3, 3);
    body->rotation = grown(body->rotation, 2, 3, 4);
    body->velocity = grown(body->velocity, 2, 3, 3);
    body->spin = grown(body->spin, 2, 3, 3);
    body->mass = grown(body->mass, 2, 3, 1);
    body->inertia = grown(body->inertia, 2, 3, 6);
    body->mu = grown(body->mu, 2, 3, 1);
    body->shape = grown_words(body->shape, 2, 3, 1);
    body->motion = grown_words(body->motion, 2, 3, 1);
    body->motion[2] = CD_MOTION_FIXED;
    c->count = 1 + many;
    c->id = ids_up_to(c->count);
    c->a = grown_words(c->a, 1, c->count, 2);
    c->b = grown_words(c->b, 1, c->count, 2);
    for (int32_t i = 1; i < c->count; i++) {
        c->a[2 * i] = 1;
        c->b[2 * i] = 2;
    }
    c->kind = grown_words(c->kind, 1, c->count, 1);
    c->side = grown_words(c->side, 1, c->count, 1);
    c->features = grown_words(c->features, 1, c->count, 2);
    c->facet = grown_words(c->facet, 1, c->count, 2);
    c->gap = grown(c->gap, 1, c->count, 1);
    double **const vector[] = {&c->point, &c->point_a, &c->point_b, &c->normal};
    for (int k = 0; k < 4; k++)
        *vector[k] = grown(*vector[k], 1, c->count, 3);
}

// Of the gap of its contact, at the velocities of the start.
static double second_of(two_bodies *t)
{
    const int32_t none[2] = {-1, -1};
    cd_peg_build build = {.arena = &arena, .in = &t->in, .shapes = &t->shapes, .trial_row = none, .step = STEP};
    cd_peg_space.prepare(&build);
    return cd_peg_space.second(&build, 0);
}

// A pair that is faster than its island is asked for what its gap bends by, where that is known and closes it, and for
// what it can bend by besides.
CD_TEST(fast_pairs_are_asked_for_what_they_bend_by)
{
    cd_random random = {7};
    int closing = 0;
    for (int trial = 0; trial < 40; trial++) {
        two_bodies t = random_bodies(&random);
        t.state[0].velocity = random_vector(&random, 1e-1);
        t.state[0].spin = random_vector(&random, 1e-1);
        t.state[1].velocity = t.state[1].spin = (cd_vec3){0, 0, 0};
        put_states(&t);
        gap_features f = random_features(&random, &t, FACE_VERTEX);
        make_contact(&t, &f);
        const double gap = place_contact(&t, &f);
        const double second = second_of(&t);
        add_support(&t, 20);
        const cd_peg_settings settings = {.margin = 1e-3, .reach = 100};
        const cd_peg_frame frame = frame_of(&t, settings);
        CD_CHECK(frame.count == 21);
        const double asked = gap - 1e-3 - STEP * frame.gradient[0].rate;
        CD_CHECK(frame.gradient[1].rate > frame.gradient[0].rate);
        t.in.contact.side = NULL;
        const double bound = gap - 1e-3 - STEP * frame_of(&t, settings).gradient[0].rate;
        CD_CHECK(bound > 1e-9 && asked < 1e-4);
        CD_CHECK_NEAR((asked - bound) / bound, fmax(0, -STEP * STEP / 2 * second) / bound, 1e-6);
        CD_CHECK(bound > fabs(STEP * STEP / 2 * second));
        closing += second < 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(closing > 8 && closing < 32);
}

// However fast it is: 1e-4 of the length, what is slow in its island too, and a pair itself 1e-2 of what it closes by.
// What is slow is lifted to that by no more than a tenth of what gravity moves it by in the step.
CD_TEST(what_is_asked_has_a_most)
{
    cd_random random = {8};
    int at_most = 0, opening = 0, lifted = 0;
    for (int trial = 0; trial < 40; trial++) {
        two_bodies t = random_bodies(&random);
        t.state[0].velocity = random_vector(&random, 10);
        t.state[0].spin = random_vector(&random, 20);
        t.state[1].velocity = t.state[1].spin = (cd_vec3){0, 0, 0};
        put_states(&t);
        gap_features f = random_features(&random, &t, FACE_VERTEX);
        make_contact(&t, &f);
        const double gap = place_contact(&t, &f), closing = fmax(0, -STEP * STEP / 2 * second_of(&t));
        add_support(&t, 2);
        const cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.margin = 1e-3, .reach = 100});
        CD_CHECK(frame.count == 3);
        CD_CHECK_NEAR(gap - 1e-3 - STEP * frame.gradient[0].rate, 1e-4 + fmin(1e-2, closing), 1e-9);
        const double raised = fmax(gap, 0) + 0.1 * 9.81 * STEP * STEP;
        for (int32_t i = 1; i < frame.count; i++)
            CD_CHECK_NEAR(gap - 1e-3 - STEP * frame.gradient[i].rate, fmin(1e-4, raised), 1e-12);
        lifted += raised < 1e-4;
        at_most += closing > 1e-2;
        opening += closing == 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(at_most > 4 && opening > 8 && lifted > 8);
}

int main(void)
{
    CD_RUN(points_of_a_pair_are_asked_for_the_same_bend);
    CD_RUN(second_derivatives_are_the_second_differences_of_the_gap);
    CD_RUN(islands_are_asked_for_the_bend_of_their_mean_speed);
    CD_RUN(fast_pairs_are_asked_for_what_they_bend_by);
    CD_RUN(what_is_asked_has_a_most);
    cd_arena_release(&arena);
    return cd_test_done();
}
