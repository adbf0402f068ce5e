// Frames of space for the assembler: every gradient against differences of the gap function, velocity blocks and
// momenta of both gyroscopic rules and both targets, what a trial and prescribed bodies do to the rate, tangents.
// SPDX-License-Identifier: MIT
#include "peg_carried.h"
#include "peg_rows.h"
#include "test_peg3_pair.h"

#include <stdlib.h>

// Moves a body along axis k of its block, rotations from the left.
static cd_state3 moved(cd_state3 state, int k, double by)
{
    cd_vec3 e = {k % 3 == 0 ? by : 0, k % 3 == 1 ? by : 0, k % 3 == 2 ? by : 0};
    if (k < 3)
        state.position = cd_add3(state.position, e);
    else
        state.rotation = cd_quat_unit(cd_quat_product(cd_quat_from_vector(e), state.rotation));
    return state;
}

// ---- gradients -----------------------------------------------------------------------------------------------------

CD_TEST(gap_rates_are_the_differences_of_the_gap)
{
    cd_random random = {2025};
    const double d = 1e-6;
    for (int trial = 0; trial < 60 * GAP_KINDS; trial++) {
        two_bodies t = random_bodies(&random);
        gap_features f = random_features(&random, &t, (gap_kind)(trial % GAP_KINDS));
        make_contact(&t, &f);
        cd_vec3 ea = cd_unit3(edge_of(&t, 0, f.edge[0])), eb = cd_unit3(edge_of(&t, 1, f.edge[1]));
        if (cd_length3(cd_cross3(ea, eb)) < 0.2)  // differences of a normal that turns fast say little
            continue;
        double gap = place_contact(&t, &f);
        cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.margin = 1e-3, .reach = 100});
        CD_CHECK(frame.count == 1 && frame.bodies.axes == 6 && frame.bodies.count == 2);
        // They go so fast that a separator is asked for 1e-4 of the length besides, and for up to 1e-2 that it closes
        // by.
        const double bend = gap - 1e-3 - STEP * frame.gradient[0].rate;
        const bool is_asked = t.in.contact.kind[0] == CD_CONTACT_SEPARATING;
        CD_CHECK(bend > (is_asked ? 1e-4 : 0) - 1e-12 && bend < (is_asked ? 1.01e-2 : 0) + 1e-12);
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 6; k++) {
                cd_state3 start = t.state[b];
                double gaps[2];
                for (int s = 0; s < 2; s++) {
                    t.state[b] = moved(start, k, s ? d : -d);
                    gaps[s] = place_contact(&t, &f);
                }
                t.state[b] = start;
                CD_CHECK_NEAR(frame.gradient[0].column[b][k], (gaps[1] - gaps[0]) / (2 * d), 2e-8);
            }
        cd_arena_reset(&arena);
    }
}

// The gap asked of a pair that starts overlapped is its bound.
CD_TEST(a_bound_and_a_trial_enter_the_rate)
{
    cd_random random = {77};
    for (int trial = 0; trial < 20; trial++) {
        two_bodies t = random_bodies(&random);
        gap_features f = random_features(&random, &t, trial % 2 ? EDGE_PAIR : FACE_VERTEX);
        cd_state3 start[2] = {t.state[0], t.state[1]}, at[2];
        double position[6], rotation[8], velocity[6], spin[6], bound = -0.002;
        make_contact(&t, &f);
        t.in.contact.bound = &bound;
        for (int b = 0; b < 2; b++) {
            at[b] = cd_state3_advance(start[b], random_vector(&random, 1), random_vector(&random, 3), STEP);
            cd_vec3_put(at[b].position, position + 3 * b);
            cd_quat_put(at[b].rotation, rotation + 4 * b);
            cd_vec3_put(at[b].velocity, velocity + 3 * b);
            cd_vec3_put(at[b].spin, spin + 3 * b);
            t.state[b] = at[b];
        }
        t.in.trial = (cd_trial_rows){.count = 2,
                                     .body = (int32_t[]){0, 1},
                                     .position = position,
                                     .rotation = rotation,
                                     .velocity = velocity,
                                     .spin = spin};
        double gap = place_contact(&t, &f);
        cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.margin = 1e-4});
        double rate = frame.gradient[0].rate;  // at nu = nu_k it is that of the trial itself
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 6; k++)
                rate += frame.gradient[0].column[b][k] * (k < 3 ? velocity[3 * b + k] : spin[3 * b + k - 3]);
        CD_CHECK_NEAR(rate, (gap - bound) / STEP, 1e-9);
        cd_arena_reset(&arena);
    }
}

// ---- bodies --------------------------------------------------------------------------------------------------------

CD_TEST(blocks_have_the_inertia_half_way_and_the_momentum_of_the_free_motion)
{
    cd_random random = {3};
    for (int rule = 0; rule < 2; rule++) {
        two_bodies t = random_bodies(&random);
        int32_t word = rule ? CD_GYROSCOPIC_EXPLICIT : CD_GYROSCOPIC_MIDPOINT;
        t.in.head.gyroscopic = &word;
        cd_peg_frame frame = frame_of(&t, (cd_peg_settings){0});
        CD_CHECK(frame.count == 0 && frame.bodies.count == 2 && frame.body_row[0] == 0 && frame.body_row[1] == 1);
        for (int b = 0; b < 2; b++) {
            cd_state3 s = t.state[b];
            const double *mass = frame.bodies.mass + 36 * b, *momentum = frame.bodies.momentum + 6 * b;
            cd_vec3 free_spin;
            cd_quat middle = s.rotation;
            if (rule) {
                cd_vec3 l = cd_angular_momentum3(INERTIA[b], s.rotation, s.spin);
                free_spin = cd_sub3(
                    s.spin, cd_scale3(STEP, cd_spin_of_momentum3(INERTIA[b], s.rotation, cd_cross3(s.spin, l))));
            } else {  // the momentum stays: J(R_m) omega = L
                const cd_free3 free = cd_state3_free_velocity(
                    s, INERTIA[b], (cd_applied3){.acceleration = {0, 0, -9.81}}, STEP, CD_GYRATION_MIDPOINT);
                free_spin = free.spin;
                middle = free.middle;
                const cd_quat half = cd_quat_product(cd_quat_from_vector(cd_scale3(STEP / 2, free_spin)), s.rotation);
                CD_CHECK(cd_quat_angle_between(middle, half) < 1e-3);  // half way but for the lean, O(h^2)
                CD_CHECK(cd_length3(cd_sub3(cd_vec3_at(momentum + 3),
                                            cd_angular_momentum3(INERTIA[b], s.rotation, s.spin))) < 1e-13);
            }
            cd_mat3 world = cd_inertia3_world(INERTIA[b], middle);
            cd_vec3 expected = cd_mat3_apply(&world, free_spin);
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) {
                    const double *row = i < 3 ? NULL : &world.row[i - 3].x;
                    CD_CHECK_NEAR(mass[6 * i + j], i < 3 ? (i == j ? 2 + b : 0) : (j < 3 ? 0 : row[j - 3]), 1e-14);
                    CD_CHECK(mass[6 * i + j] == mass[6 * j + i]);
                }
            CD_CHECK_NEAR(momentum[2], (2 + b) * (s.velocity.z - STEP * 9.81), 1e-13);
            CD_CHECK(cd_length3(cd_sub3(cd_vec3_at(momentum + 3), expected)) < 1e-13);
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(a_polish_round_has_the_momentum_of_the_trial_and_no_friction)
{
    cd_random random = {4};
    two_bodies t = random_bodies(&random);
    gap_features f = random_features(&random, &t, FACE_VERTEX);
    make_contact(&t, &f);
    place_contact(&t, &f);
    t.in.body.mu[0] = t.in.body.mu[1] = 0.5;
    double velocity[3] = {1, 2, 3}, spin[3] = {-1, 0.5, 2};
    t.in.trial = (cd_trial_rows){.count = 1,
                                 .body = (int32_t[]){1},
                                 .position = t.in.body.position + 3,
                                 .rotation = t.in.body.rotation + 4,
                                 .velocity = velocity,
                                 .spin = spin};
    CD_CHECK(frame_of(&t, (cd_peg_settings){.has_friction = true}).tangent != NULL);
    int32_t target = CD_TARGET_TRIAL;
    t.in.frame.target = &target;
    cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.has_friction = true});
    CD_CHECK(frame.tangent == NULL);
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int j = 0; j < 6; j++)
            sum += frame.bodies.mass[36 + 6 * i + j] * (j < 3 ? velocity[j] : spin[j - 3]);
        CD_CHECK_NEAR(frame.bodies.momentum[6 + i], sum, 1e-13);
    }
    CD_CHECK_NEAR(frame.bodies.momentum[2], 2 * (t.state[0].velocity.z - STEP * 9.81), 1e-13);
    cd_arena_reset(&arena);
}

CD_TEST(prescribed_bodies_move_the_gap_and_the_slip)
{
    cd_random random = {12};
    two_bodies t = random_bodies(&random);
    gap_features f = random_features(&random, &t, FACE_VERTEX);
    make_contact(&t, &f);
    t.in.body.motion[1] = CD_MOTION_PRESCRIBED;
    t.in.body.mu[0] = t.in.body.mu[1] = 0.3;
    double gap = place_contact(&t, &f);
    cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.has_friction = true});
    CD_CHECK(frame.bodies.count == 1 && frame.gradient[0].block[0] == 0 && frame.gradient[0].block[1] == -1);
    const double d = 1e-7, *own[2] = {frame.tangent[0].column[0][1], frame.tangent[0].column[1][1]};
    const cd_vec3 apart = cd_sub3(t.state[0].position, t.state[1].position);
    const cd_peg_carried carried = {.step = STEP,
                                    .spin = t.state[1].spin,
                                    .start = apart,
                                    .now = apart,
                                    .velocity = cd_sub3(t.state[0].velocity, t.state[1].velocity),
                                    .carried_spin = t.state[0].spin};
    const cd_vec3 drift = cd_peg_carried_drift(&carried);
    CD_CHECK(cd_length3(drift) > 1e-3);
    for (int k = 0; k < 2; k++) {
        double rate = 0;
        for (int i = 0; i < 6; i++)
            rate += own[k][i] * (i < 3 ? (&t.state[1].velocity.x)[i] + (&drift.x)[i] : (&t.state[1].spin.x)[i - 3]);
        CD_CHECK_NEAR(frame.tangent[0].rate[k], rate, 1e-13);
    }
    t.state[1] = cd_state3_advance(t.state[1], t.state[1].velocity, t.state[1].spin, d);
    CD_CHECK_NEAR(frame.gradient[0].rate, gap / STEP + (place_contact(&t, &f) - gap) / d, 1e-5);
    cd_arena_reset(&arena);
}

// One that turns carries what lies on it along the chord: the box that a trial has there does not slip, wherever it is
// touched, and without a trial one that was carried in the step before; a body that stays where it is slips by all.
CD_TEST(who_turns_carries_along_the_chord)
{
    const cd_vec3 spin = {0.4, -0.7, 2.5}, apart = {0.3, -0.2, 0.1};
    const double step = 0.02;
    const cd_quat turn = cd_quat_from_vector(cd_scale3(step, spin));
    const cd_vec3 end = cd_quat_turn(turn, apart), chord = cd_scale3(1 / step, cd_sub3(end, apart));
    const cd_vec3 before =
        cd_scale3(1 / step, cd_sub3(apart, cd_quat_turn(cd_quat_conjugate(turn), apart)));  // of the step that led here
    cd_peg_carried carried = {step, spin, apart, end, chord, spin, true};
    cd_vec3 at_end = cd_add3(cd_cross3(spin, end), cd_peg_carried_drift(&carried));
    CD_CHECK_NEAR(cd_length3(cd_sub3(at_end, chord)), 0, 1e-14);
    carried = (cd_peg_carried){step, spin, apart, apart, before, spin, false};
    cd_vec3 at_start = cd_add3(cd_cross3(spin, apart), cd_peg_carried_drift(&carried));
    CD_CHECK_NEAR(cd_length3(cd_sub3(at_start, chord)), 0, 1e-14);
    // Its centre goes round too: the start has that of the step before, by so much another.
    const cd_vec3 other = {0.004, -0.006, 0.005};
    carried.velocity = cd_add3(before, other);
    at_start = cd_add3(cd_cross3(spin, apart), cd_peg_carried_drift(&carried));
    CD_CHECK_NEAR(cd_length3(cd_sub3(at_start, chord)), 0, 1e-6);
    CD_CHECK(cd_length3(cd_cross3(spin, other)) * step / 2 > 1e-4);  // what it would be off by
    // One that slides by far is taken by its own velocity.
    carried.velocity = (cd_vec3){-3, 2, 1};
    const cd_vec3 slides = cd_cross3(spin, cd_scale3(step / 2, cd_quat_turn(turn, carried.velocity)));
    const double longer = tan(step * cd_length3(spin) / 2) / (step * cd_length3(spin) / 2);
    const cd_vec3 own = cd_add3(cd_scale3(longer, slides), cd_scale3(longer - 1, cd_cross3(spin, apart)));
    CD_CHECK_NEAR(cd_length3(cd_sub3(cd_peg_carried_drift(&carried), own)), 0, 1e-14);
    CD_CHECK(cd_length3(cd_sub3(cd_cross3(spin, apart), chord)) > 0.01);
    carried = (cd_peg_carried){step, spin, apart, apart, {0, 0, 0}, {0, 0, 0}, false};
    CD_CHECK_NEAR(cd_length3(cd_peg_carried_drift(&carried)), 0, 1e-15);
    carried.velocity = (cd_vec3){1, 2, 3};
    cd_vec3 half = cd_scale3(step / 2, cd_cross3(spin, carried.velocity));
    CD_CHECK_NEAR(cd_length3(cd_sub3(cd_peg_carried_drift(&carried), half)), 0, 1e-15);
    carried.spin = (cd_vec3){0, 0, 0};
    CD_CHECK_NEAR(cd_length3(cd_peg_carried_drift(&carried)), 0, 0);
}

// ---- tangents ------------------------------------------------------------------------------------------------------

CD_TEST(tangents_are_orthonormal_and_follow_the_free_slip)
{
    cd_random random = {8};
    for (int trial = 0; trial < 50; trial++) {
        two_bodies t = random_bodies(&random);
        gap_features f = random_features(&random, &t, trial % 2 ? FACE_VERTEX : OWN_POINTS);
        bool rests = trial % 3 == 0;
        make_contact(&t, &f);
        t.in.body.mu[0] = 0.2;
        t.in.body.mu[1] = 0.8;
        if (rests) {  // no relative motion but along the normal
            t.in.head.gravity[2] = 0;
            for (int b = 0; b < 2; b++)
                t.state[b].velocity = t.state[b].spin = (cd_vec3){0, 0, 0};
            put_states(&t);
        }
        place_contact(&t, &f);
        cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.has_friction = true});
        const cd_peg_tangent *tangent = &frame.tangent[0];
        cd_vec3 n = cd_vec3_at(t.in.contact.normal), first = cd_vec3_at(tangent->column[0][1]);
        cd_vec3 second = cd_vec3_at(tangent->column[1][1]);
        CD_CHECK_NEAR(tangent->mu, 0.4, 1e-15);
        CD_CHECK_NEAR(cd_length3(first), 1, 1e-14);
        CD_CHECK_NEAR(cd_length3(second), 1, 1e-12);
        CD_CHECK(fabs(cd_dot3(n, first)) < 1e-9 && fabs(cd_dot3(n, second)) < 1e-12 &&
                 fabs(cd_dot3(first, second)) < 1e-12);
        double slip[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < 6; i++) {
                    cd_free3 free = cd_state3_free_velocity(t.state[b], INERTIA[b], cd_body_applied3(&t.in, b), STEP,
                                                            CD_GYRATION_MIDPOINT);
                    slip[k] += tangent->column[k][b][i] * (i < 3 ? (&free.velocity.x)[i] : (&free.spin.x)[i - 3]);
                }
        CD_CHECK(fabs(slip[1]) < 1e-12 && (rests ? slip[0] == 0 : slip[0] > 0));
        cd_arena_reset(&arena);
    }
}

// ---- features ------------------------------------------------------------------------------------------------------

// A vertex above an edge: the contact of the edges is at the vertex, and knows over which face its edge leans.
CD_TEST(edge_contacts_know_the_ends_they_are_at_and_the_faces_they_lean_over)
{
    two_bodies t = {0};
    // A roof along y with its ridge through the origin; a pyramid on its apex over the ridge, one edge to each side.
    cd_vec3 up = {0, 0, 1};
    t.solid[1] =
        test_tetrahedron((cd_vec3){0, -1, 0}, (cd_vec3){0, 1, 0}, (cd_vec3){1, 0, -1}, (cd_vec3){-1, 0, -1}, &arena);
    t.solid[0] =
        test_tetrahedron((cd_vec3){0, 0, 0}, (cd_vec3){1, 0.1, 1}, (cd_vec3){-1, 0.1, 1}, (cd_vec3){0, -1, 1}, &arena);
    t.state[0] = (cd_state3){.position = cd_scale3(0.01, up), .rotation = cd_quat_identity()};
    t.state[1] = (cd_state3){.rotation = cd_quat_identity()};
    make_bodies(&t);
    int32_t ridge = -1;
    for (int32_t e = 0; e < t.edges[1].count; e++) {
        const int32_t *v = t.edges[1].edge[e].vertex;
        if (fabs(t.solid[1].vertex[v[0]].z) + fabs(t.solid[1].vertex[v[1]].z) == 0)
            ridge = e;
    }
    CD_CHECK(ridge >= 0);
    int sides = 0;
    for (int32_t e = 0; e < t.edges[0].count; e++) {
        const int32_t *v = t.edges[0].edge[e].vertex;
        cd_vec3 p = t.solid[0].vertex[v[0]], q = t.solid[0].vertex[v[1]];
        bool starts = cd_length3(p) == 0, ends = cd_length3(q) == 0;
        cd_vec3 far = starts ? q : p;
        if (!starts && !ends)
            continue;
        gap_features f = {.kind = EDGE_EDGE, .edge = {e, ridge}};
        make_contact(&t, &f);
        place_contact(&t, &f);
        cd_peg_frame frame = frame_of(&t, (cd_peg_settings){0});
        const cd_peg_edge *edge = frame.contact[0].edge;
        CD_CHECK(frame.contact[0].side == CD_PEG_TWO_EDGES && edge[0].number == e && edge[1].number == ridge);
        if (far.x == 0)
            continue;  // parallel to the ridge in the projection: the end is not the point
        CD_CHECK(edge[0].end == v[starts ? 0 : 1] && edge[1].end == -1);
        cd_vec3 outward = face_normal(&t, 1, edge[1].face[edge[0].lean < 0]);
        CD_CHECK(outward.x * far.x > 0);  // the face on that side of the ridge
        sides += far.x > 0 ? 1 : 16;
    }
    CD_CHECK(sides == 17);
    cd_arena_reset(&arena);
}

// Two crossing bars, one 1 cm above the other, moved along the upper one.
CD_TEST(edges_that_are_far_from_meeting_are_no_contact)
{
    static const struct {
        double x, speed, reach;
        int count, end;
    } row[] = {{0, 0, 0.05, 1, -1},    {0.47, 0, 0.05, 1, 0},  {0.47, 0, 0.02, 1, -1}, {0.52, 0, 0.05, 1, 0},
               {0.6, 0, 0.05, 0, 0},   {0.6, -10, 0.05, 1, 0}, {0.6, 10, 0.05, 0, 0},  {0.9, -60, 0.05, 1, -1},
               {0.52, 0, 0.005, 0, 0}, {0.2, 0, 1e-4, 1, -1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        two_bodies t = {0};
        t.solid[0] = test_box_between((cd_vec3){-0.5, -0.1, 0}, (cd_vec3){0.5, 0.1, 0.2}, &arena);
        t.solid[1] = test_box_between((cd_vec3){-0.1, -2, -0.2}, (cd_vec3){0.1, 2, 0}, &arena);
        t.state[0] = (cd_state3){.position = {row[i].x, 0, 0.01}, .rotation = cd_quat_identity()};
        t.state[1] = (cd_state3){.position = {-0.1, 0, 0}, .rotation = cd_quat_identity()};
        t.state[0].velocity.x = row[i].speed;
        make_bodies(&t);
        t.in.head.gravity[2] = 0;
        gap_features f = {.kind = EDGE_EDGE,
                          .owner = 1,  // the normal points down
                          .edge = {cd_edges3_find(&t.edges[0], 0, 1), cd_edges3_find(&t.edges[1], 5, 7)}};
        make_contact(&t, &f);
        place_contact(&t, &f);
        cd_peg_frame frame = frame_of(&t, (cd_peg_settings){.reach = row[i].reach});
        CD_CHECK(frame.count == row[i].count);
        if (frame.count)
            CD_CHECK(frame.contact[0].edge[0].end == row[i].end && frame.contact[0].edge[1].end == -1);
        t.in.contact.gap[0] = -0.01;  // crossing on the far side of both
        CD_CHECK(frame_of(&t, (cd_peg_settings){.reach = row[i].reach}).count ==
                 (row[i].reach < 0.01 ? 0 : row[i].count));
        cd_arena_reset(&arena);
    }
}

CD_TEST(bad_contacts_are_refused_in_one_sentence)
{
    cd_random random = {14};
    two_bodies t = random_bodies(&random);
    gap_features f = {.kind = VERTEX_FACE, .owner = 0, .vertex = {7, 0}, .face = 3};
    cd_peg_frame frame;
    cd_diag diag;
    cd_peg_settings settings = {.reach = 1};
    make_contact(&t, &f);
    place_contact(&t, &f);
#define REFUSED(sentence)                                                                                \
    do {                                                                                                 \
        CD_CHECK(cd_peg_frame_make(&arena, &t.in, &t.shapes, settings, &frame, &diag) == CD_ERR_FORMAT); \
        CD_CHECK_TEXT(diag.text, sentence);                                                              \
    } while (0)
    t.in.contact.features[1] = cd_feature(CD_FEATURE_FACE, 4);
    REFUSED("contact 0: features: number beyond the polyhedron's");
    t.in.contact.features[1] = cd_feature(CD_FEATURE_EDGE, 3);
    REFUSED("contact 0: features: kind vertex-face needs one vertex and one face");
    t.in.contact.features[1] = cd_feature(CD_FEATURE_FACE, 3);
    t.in.contact.point_a[0] = NAN;
    REFUSED("contact 0: point_a: required, the vertex");
    t.in.contact.kind[0] = CD_CONTACT_EDGE_EDGE;
    REFUSED("contact 0: features: kind edge-edge needs two edges");
    t.in.contact.a[1] = 1;
    REFUSED("contact 0: a: contacts of features need a part that is a polyhedron");
    t.in.contact.a[1] = 0;
    t.in.contact.kind[0] = CD_CONTACT_SEPARATING;
    t.in.contact.facet[0] = cd_feature(CD_FEATURE_EDGE, 3);
    t.in.contact.facet[1] = cd_feature(CD_FEATURE_FACE, 0);
    t.in.contact.features[1] = cd_feature(CD_FEATURE_VERTEX, 0);
    REFUSED("contact 0: facet: wanted one face or two edges");
    t.in.contact.facet[1] = cd_feature(CD_FEATURE_EDGE, 6);
    REFUSED("contact 0: facet: number beyond the polyhedron's");
#undef REFUSED
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(gap_rates_are_the_differences_of_the_gap);
    CD_RUN(a_bound_and_a_trial_enter_the_rate);
    CD_RUN(blocks_have_the_inertia_half_way_and_the_momentum_of_the_free_motion);
    CD_RUN(a_polish_round_has_the_momentum_of_the_trial_and_no_friction);
    CD_RUN(prescribed_bodies_move_the_gap_and_the_slip);
    CD_RUN(who_turns_carries_along_the_chord);
    CD_RUN(tangents_are_orthonormal_and_follow_the_free_slip);
    CD_RUN(edge_contacts_know_the_ends_they_are_at_and_the_faces_they_lean_over);
    CD_RUN(edges_that_are_far_from_meeting_are_no_contact);
    CD_RUN(bad_contacts_are_refused_in_one_sentence);
    cd_arena_release(&arena);
    return cd_test_done();
}
