// Penalty forces: the law by hand, the stable step against the motion itself, mobilities of rigid bodies, springs of
// friction from frame to frame.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "penalty_law.h"
#include "penalty_sides.h"
#include "penalty_springs.h"
#include "penalty_stable.h"

#include "cd_dense.h"
#include "cd_quat.h"
#include "cd_random.h"

static cd_penalty_contact touching(void)
{
    return (cd_penalty_contact){.gap = -0.1,
                                .normal = {0, 0, 1},
                                .velocity = {3, 4, -2},
                                .slip = {3, 4, 7},
                                .stiffness = 50,
                                .damping = 2,
                                .tangential = 0.5,
                                .mu = 0.1};
}

CD_TEST(the_force_is_that_of_spring_damper_and_friction)
{
    cd_penalty_contact contact = touching();  // normal 5 + 4, slip 5 m/s: 0.9 N of friction where 2.5 would be viscous
    cd_penalty_force force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(force.vector.z, 9, 1e-15);
    CD_CHECK_NEAR(force.vector.x, -0.54, 1e-15);
    CD_CHECK_NEAR(force.vector.y, -0.72, 1e-15);
    CD_CHECK_NEAR(force.energy, 0.25, 1e-15);
    CD_CHECK_NEAR(force.loss, 4 * 2 + 0.9 * 5, 1e-14);
    contact.mu = 1;
    force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(force.vector.x, -1.5, 1e-15);
    contact.velocity.z = 2;
    force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(force.vector.z, 1, 1e-15);
    contact.velocity.z = 3;  // a damper that would pull
    force = cd_penalty_force_of(&contact);
    CD_CHECK(cd_length3(force.vector) == 0 && force.energy > 0);
    contact.gap = 0;
    force = cd_penalty_force_of(&contact);
    CD_CHECK(cd_length3(force.vector) == 0 && force.energy == 0 && force.loss == 0);
}

// Slip (3, 4, 0), k_t 10 and c_t 0.5, from s = (0, 0.2, 0) on for 0.1 s: s = (0.3, 0.6, 0) and T = (4.5, 8, 0), where
// it holds.
CD_TEST(a_spring_holds_up_to_the_limit_and_is_cut_there)
{
    cd_penalty_contact contact = touching();
    contact.shear = 10;
    contact.spring = (cd_vec3){0, 0.2, 0};
    contact.slid = 0.1;
    contact.mu = 2;
    cd_penalty_force force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.spring, (cd_vec3){0.3, 0.6, 0})), 0, 1e-15);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.vector, (cd_vec3){-4.5, -8, 9})), 0, 1e-14);
    CD_CHECK_NEAR(force.energy, 0.25 + 5 * 0.45, 1e-15);
    CD_CHECK_NEAR(force.loss, 4 * 2 + 0.5 * 25, 1e-13);  // dampers alone
    contact.mu = 0.1;                                    // 0.9 N, along the same
    force = cd_penalty_force_of(&contact);
    cd_vec3 across = {force.vector.x, force.vector.y, 0};
    CD_CHECK_NEAR(cd_length3(across), 0.9, 1e-15);
    CD_CHECK_NEAR(across.x * 8 - across.y * 4.5, 0, 1e-14);
    // What is stored gives that force with this slip.
    cd_vec3 again = cd_add3(cd_scale3(10, force.spring), cd_scale3(0.5, (cd_vec3){3, 4, 0}));
    CD_CHECK_NEAR(cd_length3(cd_add3(again, across)), 0, 1e-15);
    // Slid on for long at one speed nothing more is stored, and all is lost: mu F |u|.
    for (int k = 0; k < 200; k++) {
        contact.spring = force.spring;
        force = cd_penalty_force_of(&contact);
    }
    CD_CHECK_NEAR(cd_length3(cd_sub3(contact.spring, force.spring)), 0, 1e-15);
    CD_CHECK_NEAR(force.loss, 4 * 2 + 0.9 * 5, 1e-13);
    contact.mu = 0;
    CD_CHECK_NEAR(cd_penalty_force_of(&contact).vector.x, 0, 0);
}

CD_TEST(a_spring_turns_with_its_bodies)
{
    cd_random random = {7};
    for (int k = 0; k < 1000; k++) {
        cd_vec3 normal = cd_unit3((cd_vec3){cd_random_unit(&random) - 0.5, cd_random_unit(&random) - 0.5, 0.6});
        cd_vec3 spring = cd_cross3(normal, (cd_vec3){cd_random_unit(&random), 1, cd_random_unit(&random)});
        cd_vec3 spin = {4 * cd_random_unit(&random) - 2, 4 * cd_random_unit(&random) - 2,
                        4 * cd_random_unit(&random) - 2};
        cd_quat turn = cd_quat_from_vector(cd_scale3(0.25, spin));
        cd_vec3 after = cd_quat_turn(turn, normal);
        // As one rigid body.
        cd_vec3 turned = cd_penalty_spring_turned(spring, normal, after, spin, 0.25);
        CD_CHECK_NEAR(cd_length3(cd_sub3(turned, cd_quat_turn(turn, spring))), 0, 1e-15);
        // Rolling: the normal stays, the axis lies across it, and so does the spring.
        cd_vec3 axis = cd_sub3(spin, cd_scale3(cd_dot3(spin, normal), normal));
        turned = cd_penalty_spring_turned(spring, normal, normal, axis, 0.25);
        CD_CHECK_NEAR(cd_length3(cd_sub3(turned, spring)), 0, 1e-15);
        // However it turns, it keeps its length and lies across the normal.
        cd_vec3 other = cd_unit3(cd_add3(normal, cd_scale3(0.5, spin)));
        if (cd_dot3(normal, other) > 0) {
            turned = cd_penalty_spring_turned(spring, normal, other, axis, 0.1);
            CD_CHECK_NEAR(cd_dot3(turned, other), 0, 1e-15);
            CD_CHECK_NEAR(cd_length3(turned) / cd_length3(spring), 1, 1e-14);
        }
    }
    cd_vec3 none =
        cd_penalty_spring_turned((cd_vec3){1, 0, 0}, (cd_vec3){0, 0, 1}, (cd_vec3){1, 0, 0}, (cd_vec3){0}, 1);
    CD_CHECK(cd_length3(none) == 0);
}

// Bodies 0 (a surface of triangles, shape 0) and 1, 2 (balls, shape 1; compounds have further parts).
CD_TEST(springs_go_to_the_contacts_they_are_of)
{
    enum { SPRINGS = 7, CONTACTS = 9 };
    cd_arena arena = {0};
    cd_shape_kind kind[] = {CD_SHAPE_FACETS, CD_SHAPE_SPHERE};
    cd_leaf2 leaf[12] = {{.kind = kind[0]}};
    for (int i = 0; i < 12; i++)
        leaf[i].kind = kind[i >= 8];
    int32_t first[] = {0, 8, 12}, shape[] = {0, 1, 1};
    cd_leaves shapes = {.dim = 2, .first = first, .plane = {.leaf = leaf}};
    cd_model in = {.dim = 2};
    in.body = (cd_body_rows){.count = 3, .shape = shape};
    // Springs, not in order; the balls of a pinball, p0 and p1, are no features that may change.
    int32_t spring_a[] = {1, 0, 0, 3, 0, 4, 0, 5, 1, 1, 1, 2, 0, 6},
            spring_b[] = {2, 0, 1, 0, 1, 0, 1, 0, 2, 2, 2, 3, 2, 0};
    int32_t p0 = cd_feature(CD_FEATURE_PINBALL, 0), p1 = cd_feature(CD_FEATURE_PINBALL, 1),
            v0 = cd_feature(CD_FEATURE_VERTEX, 0), v1 = cd_feature(CD_FEATURE_VERTEX, 1);
    int32_t spring_feature[] = {v0, -1, -1, -1, -1, -1, -1, -1, p0, -1, v0, -1, -1, -1};
    double spring_point[] = {0, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0, 0, 2, 2},
           spring_normal[] = {0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};
    in.spring = (cd_spring_rows){.count = SPRINGS,
                                 .a = spring_a,
                                 .b = spring_b,
                                 .features = spring_feature,
                                 .point = spring_point,
                                 .normal = spring_normal};
    // 0 to 3: triangle 4 stays; 7 is next to where 3 was, wall 5 goes on as 6, and another wall is new. 4: apart. 5:
    // the same parts with another feature. 6: another child. 7: the same. 8: another part of the compound.
    int32_t a[] = {0, 4, 0, 7, 0, 6, 0, 2, 0, 6, 1, 0, 1, 1, 1, 2, 1, 1},
            b[] = {1, 0, 1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 2, 2, 2, 3, 2, 3};
    int32_t feature[] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, v1, -1, p1, -1, v0, -1, v0, -1};
    double point[] = {9, 9, 0.1, 0, 5, 0.1, 0.1, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0},
           normal[] = {0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
           gap[] = {-1, -1, -1, -1, 0, -1, -1, -1, -1};
    in.contact = (cd_contact_rows){
        .count = CONTACTS, .a = a, .b = b, .features = feature, .point = point, .normal = normal, .gap = gap};
    const int32_t *spring_of = cd_penalty_springs_match(&arena, &in, &shapes);
    static const int32_t wanted[CONTACTS] = {2, 1, 3, -1, -1, 0, -1, 5, -1};
    for (int i = 0; i < CONTACTS; i++)
        CD_CHECK(spring_of[i] == wanted[i]);
    in.spring.count = 0;
    CD_CHECK(!cd_penalty_springs_match(&arena, &in, &shapes));
    cd_arena_release(&arena);
}

// A sheet of 60 x 60 contacts of one body with one surface, all on other triangles than before and moved along by a
// third of their distance: no contact and spring are nearer to each other than to what they have.
CD_TEST(many_springs_of_a_pair_go_to_the_nearest)
{
    enum { SIDE = 60, COUNT = SIDE * SIDE };
    cd_arena arena = {0};
    cd_random random = {5};
    cd_leaf2 leaf[2] = {{.kind = CD_SHAPE_FACETS}, {.kind = CD_SHAPE_SPHERE}};
    int32_t first[] = {0, 1, 2}, shape[] = {0, 1};
    cd_leaves shapes = {.dim = 2, .first = first, .plane = {.leaf = leaf}};
    static int32_t a[2 * COUNT], b[2 * COUNT], old_features[2 * COUNT], new_features[2 * COUNT];
    static double old_point[2 * COUNT], new_point[2 * COUNT], normal[2 * COUNT], gap[COUNT];
    for (int i = 0; i < COUNT; i++) {
        b[2 * i] = 1;
        old_features[2 * i] = cd_feature(CD_FEATURE_VERTEX, i);
        new_features[2 * i] = cd_feature(CD_FEATURE_VERTEX, COUNT + (i * 7919) % COUNT);
        old_features[2 * i + 1] = new_features[2 * i + 1] = CD_FEATURE_NONE;
        double x[2] = {i / SIDE + 0.3 * cd_random_unit(&random), i % SIDE + 0.3 * cd_random_unit(&random)};
        memcpy(old_point + 2 * i, x, sizeof x);
        x[0] += 0.33;
        memcpy(new_point + 2 * i, x, sizeof x);
        normal[2 * i + 1] = 1;
        gap[i] = -1;
    }
    cd_model in = {.dim = 2};
    in.body = (cd_body_rows){.count = 2, .shape = shape};
    in.spring = (cd_spring_rows){.count = COUNT, .a = a, .b = b, .features = old_features, .point = old_point};
    in.spring.normal = in.contact.normal = normal;
    in.contact.count = COUNT;
    in.contact.a = a;
    in.contact.b = b;
    in.contact.features = new_features;
    in.contact.point = new_point;
    in.contact.gap = gap;
    const int32_t *spring_of = cd_penalty_springs_match(&arena, &in, &shapes);
    // Nobody prefers another spring to its own that would have it: the spring's own contact is nearer.
    double distance_sq[COUNT];
    static int32_t owner[COUNT];
    for (int i = 0; i < COUNT; i++)
        owner[i] = -1;
    for (int i = 0; i < COUNT; i++) {
        CD_CHECK(spring_of[i] >= 0 && owner[spring_of[i]] < 0);
        cd_vec3 apart = cd_sub3(cd_node_vector(new_point, 2, i), cd_node_vector(old_point, 2, spring_of[i]));
        owner[spring_of[i]] = i;
        distance_sq[i] = cd_dot3(apart, apart);
    }
    int unstable = 0;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            cd_vec3 apart = cd_sub3(cd_node_vector(new_point, 2, i), cd_node_vector(old_point, 2, k));
            double sq = cd_dot3(apart, apart);
            unstable += sq < distance_sq[i] && sq < distance_sq[owner[k]];
        }
    CD_CHECK(unstable == 0);
    cd_arena_release(&arena);
}

// F 9 N: M holds up to 0.9 N m across (r 0.1) and 1.8 about (q 0.2). k_w 10, c_w 0.5, t = (0.04, 0, 0.1) before.
CD_TEST(turning_is_resisted_across_and_about_by_limits_of_their_own)
{
    cd_penalty_contact contact = touching();
    contact.mu = 0;
    contact.slid = 0.1;
    contact.turning = (cd_penalty_turning){.rolling = 0.1, .spinning = 0.2, .stiffness = 10, .damping = 0.5};
    contact.turning.spin = (cd_vec3){0.1, 0, -0.2};
    contact.turning.turn = (cd_vec3){0.04, 0, 0.1};
    cd_penalty_force force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.turn, (cd_vec3){0.05, 0, 0.08})), 0, 1e-15);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.torque, (cd_vec3){-0.55, 0, -0.7})), 0, 1e-14);
    CD_CHECK_NEAR(force.energy, 0.25 + 5 * (0.05 * 0.05 + 0.08 * 0.08), 1e-15);
    contact.turning.turn = (cd_vec3){0.3, 0, 1};  // at both limits the springs are what gives them
    force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.torque, (cd_vec3){-0.9, 0, -1.8})), 0, 1e-14);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.turn, (cd_vec3){0.085, 0, 0.19})), 0, 1e-14);
    contact.turning.spinning = contact.turning.stiffness = 0;
    contact.turning.damping = INFINITY;
    force = cd_penalty_force_of(&contact);
    CD_CHECK_NEAR(cd_length3(cd_sub3(force.torque, (cd_vec3){-0.9, 0, 0})), 0, 1e-14);
    CD_CHECK(cd_length3(force.turn) == 0);
}

// A spring and a damper that never pull, by small steps, until they part.
CD_TEST(restitution_has_its_damping)
{
    for (int k = 1; k <= 20; k++) {
        double wanted = k / 20.0, ratio = cd_penalty_ratio_of_restitution(wanted), x = 0, v = 1;
        const double step = 1e-5;
        while (x >= 0 && x + 2 * ratio * v >= 0) {
            v -= step * (x + 2 * ratio * v);
            x += step * v;
        }
        CD_CHECK_NEAR(-v, wanted, 1e-4);
    }
    CD_CHECK(cd_penalty_ratio_of_restitution(1) < 1e-12 && isfinite(cd_penalty_ratio_of_restitution(1e-9)));
    CD_CHECK_NEAR(cd_penalty_ratio_of_restitution(exp(-2)), 1, 1e-6);
}

CD_TEST(a_gated_contact_pushes_on_the_way_in_alone)
{
    cd_penalty_contact contact = touching();
    contact.is_gated = true;
    CD_CHECK_NEAR(cd_penalty_force_of(&contact).vector.z, 9, 1e-15);
    contact.velocity.z = 0.001;
    CD_CHECK(cd_length3(cd_penalty_force_of(&contact).vector) == 0);
}

// Central differences with a damper half a step behind: grown after n steps from x = 1, v = 0.
static double grown(double omega_sq, double rate, double step)
{
    double x = 1, v = 0, most = 0;
    for (int k = 0; k < 4000; k++) {
        v -= step * (omega_sq * x + rate * v);
        x += step * v;
        most = fmax(most, fabs(x));
    }
    return most;
}

CD_TEST(at_the_stable_step_motion_stays_and_above_it_grows)
{
    static const double rates[] = {0, 0.1, 1, 3, 30};
    for (int i = 0; i < 5; i++) {
        double step = cd_penalty_stable_step((cd_penalty_sums){2.5, rates[i]});
        CD_CHECK(grown(2.5, rates[i], 0.9999 * step) < 200);
        CD_CHECK(grown(2.5, rates[i], 1.01 * step) > 1e6);
    }
    CD_CHECK_NEAR(cd_penalty_stable_step((cd_penalty_sums){2.5, 0}), 2 / sqrt(2.5), 1e-15);
    CD_CHECK_NEAR(cd_penalty_stable_step((cd_penalty_sums){0, 4}), 0.5, 1e-15);
    CD_CHECK(isinf(cd_penalty_stable_step((cd_penalty_sums){0, 0})));
}

// An impulse at a point off the centre changes momentum and angular momentum, and so the point's velocity.
// Blocks of random contacts against the eigenvalues of what unit impulses do: of springs p, k_t the matrix of a contact
// is D^1/2 G D^1/2 in its own axes, and has the eigenvalues of M^-1/2 K M^-1/2 but for zeros.
CD_TEST(a_block_is_its_largest_eigenvalue_or_a_little_more)
{
    cd_random random = {3};
    for (int k = 0; k < 200; k++) {
        enum { CONTACTS = 4, ROWS = 3 * CONTACTS };
        int64_t id = 1;
        double position[3] = {1, 2, 3}, rotation[4] = {0.5, 0.5, -0.5, 0.5}, mass = 2;
        double inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3};
        cd_model in = {.dim = 3};
        in.body = (cd_body_rows){
            .count = 1, .id = &id, .position = position, .rotation = rotation, .mass = &mass, .inertia = inertia};
        int contacts = 1 + k % CONTACTS;
        cd_vec3 direction[ROWS], arm[ROWS];
        double weight[ROWS], a[ROWS * ROWS], eigenvalue[ROWS];
        cd_penalty_block block;
        cd_penalty_block_open(&block, &in, 0);
        for (int i = 0; i < contacts; i++) {
            cd_vec3 r = {cd_random_unit(&random) - 0.5, cd_random_unit(&random), cd_random_unit(&random)};
            cd_vec3 normal = cd_unit3((cd_vec3){cd_random_unit(&random) - 0.5, cd_random_unit(&random) - 0.5, 0.3});
            cd_vec3 first = cd_unit3(cd_cross3(normal, (cd_vec3){0.3, 0.9, 0.1}));
            cd_penalty_pull springs = {5 + i, k % 3};
            cd_penalty_block_add(&block, r, normal, springs, (cd_penalty_pull){k % 2, 0});
            for (int j = 0; j < 3; j++) {
                direction[3 * i + j] = j == 0 ? normal : j == 1 ? first : cd_cross3(normal, first);
                arm[3 * i + j] = r;
                weight[3 * i + j] = sqrt(j == 0 ? springs.along : springs.across);
            }
        }
        int rows = 3 * contacts;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                cd_vec3 spin = cd_spin_of_momentum3(inertia, cd_quat_at(rotation), cd_cross3(arm[j], direction[j]));
                cd_vec3 moved = cd_add3(cd_scale3(1 / mass, direction[j]), cd_cross3(spin, arm[i]));
                a[rows * i + j] = weight[i] * weight[j] * cd_dot3(direction[i], moved);
            }
        cd_symmetric_eigenvalues(rows, a, eigenvalue);
        double most = eigenvalue[rows - 1];
        cd_penalty_sums sums = cd_penalty_block_most(&block);
        CD_CHECK(sums.stiffness >= most * (1 - 1e-14) && sums.stiffness <= 1.12 * most);
        if (contacts == 1 && k % 3 == 0)
            CD_CHECK_NEAR(sums.stiffness / most, 1, 1e-14);
        CD_CHECK((sums.damping > 0) == (k % 2 == 1));
    }
}

CD_TEST(mobility_is_what_an_impulse_does)
{
    int64_t id = 1, index = 3;
    double time = 0, position[3] = {1, 2, 3}, rotation[4] = {0.5, 0.5, -0.5, 0.5}, velocity[3] = {1, 0, -1},
           spin[3] = {0.2, 0.3, -0.4}, mass = 2, inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3};
    cd_model in = {.dim = 3};
    in.frame = (cd_frame_rows){.count = 1, .index = &index, .time = &time};
    in.body = (cd_body_rows){.count = 1,
                             .id = &id,
                             .position = position,
                             .rotation = rotation,
                             .velocity = velocity,
                             .spin = spin,
                             .mass = &mass,
                             .inertia = inertia};
    cd_vec3 point = {1.5, 1, 4}, impulse = {0.3, -0.2, 0.7}, arm = {0.5, -1, 1};
    cd_penalty_side side = cd_penalty_side_of_body(&in, 0, point, 0);
    cd_vec3 gained = cd_spin_of_momentum3(inertia, cd_quat_at(rotation), cd_cross3(arm, impulse));
    cd_vec3 want = cd_add3(cd_scale3(0.5, impulse), cd_cross3(gained, arm));
    CD_CHECK(side.is_moved);
    CD_CHECK_NEAR(cd_length3(cd_sub3(cd_mat3_apply(&side.mobility, impulse), want)), 0, 1e-14);
    CD_CHECK_NEAR(side.velocity.x, 1 + 0.3 * 1 - 0.4 * 1, 1e-15);
    int32_t motion = CD_MOTION_FIXED;
    in.body.motion = &motion;
    side = cd_penalty_side_of_body(&in, 0, point, 0);
    CD_CHECK(!side.is_moved && cd_length3(side.velocity) == 0 && side.mobility.row[0].x == 0);
}

// b is carried by a, about any axis, by any step, each with a centre of its own, and it goes faster along (1, 0, 0) by
// 0 to 2.
CD_TEST(what_is_carried_does_not_slip)
{
    cd_random random = {11};
    for (int k = 0; k < 400; k++) {
        int64_t id[] = {1, 2}, index = 3;
        int32_t motion[] = {CD_MOTION_PRESCRIBED, CD_MOTION_PRESCRIBED};
        double time = 0, passed = k % 2 ? 0.01 : 0.1, rotation[8] = {1, 0, 0, 0, 1, 0, 0, 0}, spin[6], position[6],
               velocity[6];
        cd_vec3 axis = {cd_random_unit(&random) * 4 - 2, cd_random_unit(&random) * 4 - 2, cd_random_unit(&random)};
        cd_vec3 along = {cd_random_unit(&random), -1, 0.5};
        for (int s = 0; s < 2; s++) {
            cd_vec3 from = {cd_random_unit(&random), 3 * cd_random_unit(&random) - 1, cd_random_unit(&random)};
            cd_vec3 to =
                cd_add3(cd_quat_turn(cd_quat_from_vector(cd_scale3(passed, axis)), from), cd_scale3(passed, along));
            cd_vec3 went = cd_scale3(1 / passed, cd_sub3(to, from));
            memcpy(position + 3 * s, (double[]){to.x, to.y, to.z}, sizeof(double[3]));
            memcpy(velocity + 3 * s, (double[]){went.x + s * (k % 3), went.y, went.z}, sizeof(double[3]));
            memcpy(spin + 3 * s, (double[]){axis.x, axis.y, axis.z}, sizeof(double[3]));
        }
        cd_model in = {.dim = 3};
        in.frame = (cd_frame_rows){.count = 1, .index = &index, .time = &time};
        in.body = (cd_body_rows){.count = 2, .id = id, .position = position, .rotation = rotation, .motion = motion};
        in.body.velocity = velocity;
        in.body.spin = spin;
        cd_vec3 point = {0.3, 0.7, -0.2};
        cd_penalty_side a = cd_penalty_side_of_body(&in, 0, point, passed),
                        b = cd_penalty_side_of_body(&in, 1, point, passed);
        cd_vec3 slip = cd_penalty_slip(&a, &b, point);
        // Half a step back b stood that much behind, so all of it went by the other way there.
        double half = cd_length3(axis) * passed / 2;
        cd_vec3 faster = {k % 3, 0, 0}, turn = cd_scale3(tan(half) / half, axis);
        cd_vec3 want = cd_add3(faster, cd_cross3(turn, cd_scale3(passed / 2, faster)));
        CD_CHECK_NEAR(cd_length3(cd_sub3(slip, want)), 0, 1e-13);
        // The same where the coming step is another one.
        double now[6] = {9, 9, 9, 9, 9, 9};
        in.body.velocity = in.body.spin = now;
        in.body.last_velocity = velocity;
        in.body.last_spin = spin;
        a = cd_penalty_side_of_body(&in, 0, point, passed);
        CD_CHECK_NEAR(cd_length3(cd_sub3(slip, cd_penalty_slip(&a, &b, point))), 0, 0);
    }
}

// Free of torque a body of unlike inertias has the spin of its momentum at the step's end; that of the step it had half
// a step back, to the second order.
CD_TEST(a_tumbling_body_has_the_spin_of_its_step)
{
    static const double inertia[6] = {1, 2, 2.5, 0.1, -0.2, 0.3};
    double error[2];
    for (int k = 0; k < 2; k++) {
        double step = k ? 0.01 : 0.02;
        cd_state3 start = {{0, 0, 0}, {0.5, 0.5, -0.5, 0.5}, {0, 0, 0}, {1, 2, -1.5}};
        cd_free3 free =
            cd_state3_free_velocity(start, inertia, (cd_applied3){{0, 0, 0}, {0, 0, 0}}, step, CD_GYRATION_MIDPOINT);
        cd_state3 end = cd_state3_advance(start, free.velocity, free.spin, step);
        end.spin = cd_end_spin3(inertia, free.middle, end.rotation, free.spin, CD_GYRATION_MIDPOINT);
        int64_t id = 1, index = 3;
        double time = 0, position[3] = {0, 0, 0}, mass = 2, own[6];
        memcpy(own, inertia, sizeof own);
        cd_model in = {.dim = 3};
        in.frame = (cd_frame_rows){.count = 1, .index = &index, .time = &time};
        in.body = (cd_body_rows){.count = 1, .id = &id, .position = position, .velocity = position, .mass = &mass};
        in.body.rotation = &end.rotation.w;
        in.body.spin = &end.spin.x;
        in.body.inertia = own;
        cd_vec3 spin = cd_penalty_side_of_body(&in, 0, (cd_vec3){0, 0, 0}, step).way.spin;
        error[k] = cd_length3(cd_sub3(spin, free.spin));
        CD_CHECK(cd_length3(cd_sub3(end.spin, free.spin)) > 20 * error[k]);
    }
    CD_CHECK_NEAR(log2(error[0] / error[1]), 2, 0.1);
}

int main(void)
{
    CD_RUN(the_force_is_that_of_spring_damper_and_friction);
    CD_RUN(a_spring_holds_up_to_the_limit_and_is_cut_there);
    CD_RUN(a_spring_turns_with_its_bodies);
    CD_RUN(springs_go_to_the_contacts_they_are_of);
    CD_RUN(many_springs_of_a_pair_go_to_the_nearest);
    CD_RUN(turning_is_resisted_across_and_about_by_limits_of_their_own);
    CD_RUN(restitution_has_its_damping);
    CD_RUN(a_gated_contact_pushes_on_the_way_in_alone);
    CD_RUN(at_the_stable_step_motion_stays_and_above_it_grows);
    CD_RUN(a_block_is_its_largest_eigenvalue_or_a_little_more);
    CD_RUN(mobility_is_what_an_impulse_does);
    CD_RUN(what_is_carried_does_not_slip);
    CD_RUN(a_tumbling_body_has_the_spin_of_its_step);
    return cd_test_done();
}
