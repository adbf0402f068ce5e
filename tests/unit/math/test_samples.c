// Functions of time by samples: values and means against closed forms, and a mean against many small ones.
// SPDX-License-Identifier: MIT
#include "cd_samples.h"
#include "cd_test.h"

static const double times[4] = {0, 1, 3, 3.5}, values[8] = {0, 5, 2, 5, -2, 5, 4, 5};
static const cd_samples corners = {4, 2, times, values};

static double at(double time)
{
    double value[CD_SAMPLES_WIDTH];
    cd_samples_at(&corners, time, value);
    CD_CHECK(value[1] == 5);
    return value[0];
}

static double mean(double from, double to)
{
    double value[CD_SAMPLES_WIDTH];
    cd_samples_mean(&corners, from, to, value);
    CD_CHECK_NEAR(value[1], 5, 2e-15);
    return value[0];
}

CD_TEST(values_are_linear_between_and_constant_outside)
{
    CD_CHECK(at(-7) == 0 && at(0) == 0 && at(0.25) == 0.5 && at(1) == 2);
    CD_CHECK(at(2) == 0 && at(3) == -2 && at(3.25) == 1 && at(3.5) == 4 && at(1e300) == 4);
}

CD_TEST(means_are_the_exact_integral)
{
    CD_CHECK(mean(-2, -1) == 0 && mean(4, 9) == 4);  // outside
    CD_CHECK(mean(0.25, 0.75) == 1 && mean(0, 1) == 1);
    CD_CHECK(mean(2, 2) == 0 && mean(1, 1) == 2);                    // of an instant
    CD_CHECK_NEAR(mean(0, 3.5), (1 + 0 + 0.5) / 3.5, 1e-15);         // over all corners
    CD_CHECK_NEAR(mean(-1, 5), (1 + 0 + 0.5 + 4 * 1.5) / 6, 1e-15);  // and beyond
    CD_CHECK_NEAR(mean(0.5, 2), (0.5 * 1.5 + 1 * 1) / 1.5, 1e-15);
}

// Steps of any length add up to the whole: impulses do not depend on how a step is halved.
CD_TEST(means_of_parts_add_up)
{
    uint32_t seed = 5;
    for (int run = 0; run < 1000; run++) {
        double from = -1 + run * 0.004, t = from, sum = 0;
        for (int k = 0; k < 10; k++) {
            seed = seed * 1664525u + 1013904223u;
            double to = t + (seed >> 8) * 0x1p-24 * 0.3;
            sum += (to - t) * mean(t, to);
            t = to;
        }
        CD_CHECK_NEAR(sum, (t - from) * mean(from, t), 1e-14);
    }
}

CD_TEST(what_is_constant_stays_what_it_is_to_the_bit)
{
    const double constant[8] = {0.1, 5, 0.1, 5, 0.1, 5, 0.1, 5};
    const cd_samples same = {4, 2, times, constant};
    double value[CD_SAMPLES_WIDTH];
    for (int k = 0; k < 50; k++) {
        cd_samples_at(&same, -1 + 0.1 * k, value);
        CD_CHECK(value[0] == 0.1);
        cd_samples_mean(&same, 1 + 0.03 * k, 1.01 + 0.03 * k, value);  // no corner inside
        CD_CHECK(value[0] == 0.1);
    }
    const cd_samples one = {1, 2, times + 1, values + 2};
    cd_samples_mean(&one, -3, 8, value);
    CD_CHECK_NEAR(value[0], 2, 1e-15);
}

// A quarter turn about z and back the other way round it: a third of the way is a third of the angle.
CD_TEST(rotations_turn_at_constant_spin_the_shortest_way)
{
    const double turns[12] = {1, 0, 0, 0, sqrt(0.5), 0, 0, sqrt(0.5), -1, 0, 0, 0};
    const cd_samples doors = {3, 4, times, turns};
    for (int k = 0; k <= 30; k++) {
        double t = 0.1 * k;
        double angle = acos(-1) / 2 * (t < 1 ? t : (3 - t) / 2);
        cd_vec3 vector = cd_quat_vector(cd_samples_rotation(&doors, t));
        CD_CHECK_NEAR(vector.z, angle, 1e-15);
        CD_CHECK(vector.x == 0 && vector.y == 0);
    }
    CD_CHECK(cd_quat_angle_between(cd_samples_rotation(&doors, 99), cd_quat_identity()) == 0);
}

int main(void)
{
    CD_RUN(values_are_linear_between_and_constant_outside);
    CD_RUN(means_are_the_exact_integral);
    CD_RUN(means_of_parts_add_up);
    CD_RUN(what_is_constant_stays_what_it_is_to_the_bit);
    CD_RUN(rotations_turn_at_constant_spin_the_shortest_way);
    return cd_test_done();
}
