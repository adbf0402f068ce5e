// Boxes and balls of many spheres at once have the bits of those made one by one: at rest, over a step with a trial,
// grown and not, in blocks of every length, with zeros, numbers of all decades, infinite ones and boxes without end.
// SPDX-License-Identifier: MIT
#include "broad_balls.h"
#include "broad_spheres.h"
#include "cd_bodies.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

enum { BODIES = 3 * CD_BROAD_SPHERES, SHAPES = 5 };

typedef struct model {
    cd_model in;
    int64_t id[BODIES];
    int32_t shape[BODIES], first[SHAPES + 1], trial_row[BODIES];
    double position[3 * BODIES], velocity[3 * BODIES], trial_position[3 * BODIES], rotation[4 * BODIES];
    double trial_velocity[3 * BODIES], step, time, grow[BODIES];
    cd_leaf3 leaf[SHAPES];
    cd_leaves leaves;
} model;

static double coordinate(cd_random *random, int kind)
{
    if (kind == 0)
        return cd_random_between(random, -1, 1);
    if (kind == 1)  // spheres that touch the planes through 0
        return 0.25 * test_below(random, 9) - 1;
    if (test_below(random, 20) == 0)
        return test_below(random, 2) ? INFINITY : 0;
    return (test_below(random, 2) ? 1 : -1) * pow(10, cd_random_between(random, -320, 308));
}

static void make(model *m, cd_random *random, int kind, int32_t count)
{
    *m = (model){.step = 0.5};
    m->in.dim = 3;
    m->in.frame.count = m->in.head.count = 1;
    m->in.frame.step = &m->step;
    m->in.frame.time = &m->time;
    m->in.body = (cd_body_rows){
        .count = count, .id = m->id, .shape = m->shape, .position = m->position, .velocity = m->velocity};
    m->in.trial = (cd_trial_rows){.count = count,
                                  .position = m->trial_position,
                                  .rotation = m->rotation,
                                  .velocity = m->trial_velocity,
                                  .spin = m->trial_velocity};
    for (int s = 0; s < SHAPES; s++) {
        m->first[s + 1] = s + 1;
        m->leaf[s].kind = CD_SHAPE_SPHERE;
        m->leaf[s].sphere.radius = kind == 1 ? 0.25 * (s + 1) : cd_random_between(random, 0.001, 1);
    }
    m->leaves = (cd_leaves){.dim = 3, .first = m->first, .space.stored = m->leaf};
    for (int32_t i = 0; i < count; i++) {
        m->shape[i] = test_below(random, SHAPES);
        m->grow[i] = kind == 2 || test_below(random, 3) ? cd_random_between(random, 0, 0.5) : 0;
        m->trial_row[i] = test_below(random, 3) ? -1 : i;
        for (int k = 0; k < 3; k++) {
            m->position[3 * i + k] = coordinate(random, kind);
            m->velocity[3 * i + k] = coordinate(random, kind);
            m->trial_position[3 * i + k] = coordinate(random, kind);
        }
    }
}

// Counts the blocks that were made at once.
static int check(const cd_bounds_frame *frame, const double *grow, int32_t begin, int32_t end)
{
    static double min[3 * CD_BROAD_SPHERES], max[3 * CD_BROAD_SPHERES], ball[4 * CD_BROAD_SPHERES];
    cd_broad_spheres spheres;
    spheres.count = spheres.poses = 0;
    for (int32_t i = begin; i < end; i++)
        CD_CHECK(cd_broad_spheres_add(&spheres, frame, i, grow[i]));
    if (!cd_broad_bound_spheres(&spheres, min, max, ball))
        return 0;
    for (int32_t i = begin; i < end; i++) {
        double low[3], high[3], one[4], radius = frame->leaves->space.stored[frame->in->body.shape[i]].sphere.radius;
        cd_bounds_of_ball(frame, i, radius, grow[i], low, high);
        cd_broad_ball_of_box(3, low, high, grow[i] + radius, one);
        CD_CHECK(!memcmp(low, min + 3 * (i - begin), sizeof low));
        CD_CHECK(!memcmp(high, max + 3 * (i - begin), sizeof high));
        CD_CHECK(!memcmp(one, ball + 4 * (i - begin), sizeof one));
    }
    return 1;
}

CD_TEST(many_spheres_have_the_bits_of_single_ones)
{
    cd_random random = {11};
    static model m;
    int at_once[3] = {0, 0, 0};
    for (int round = 0; round < 300; round++) {
        int kind = round % 3;
        make(&m, &random, kind, BODIES);
        cd_bounds_frame frame = {&m.in, &m.leaves, m.trial_row, round % 2};
        for (int32_t begin = 0, end; begin < BODIES; begin = end) {
            end = begin + 1 + test_below(&random, kind == 0 ? CD_BROAD_SPHERES : 3);
            end = end < BODIES ? end : BODIES;
            at_once[kind] += check(&frame, m.grow, begin, end);
        }
    }
    CD_CHECK(at_once[0] > 500 && at_once[1] > 500 && at_once[2] > 500);
}

CD_TEST(a_block_takes_spheres_about_their_positions_alone)
{
    cd_random random = {12};
    static model m;
    make(&m, &random, 0, BODIES);
    cd_bounds_frame frame = {&m.in, &m.leaves, m.trial_row, true};
    static cd_broad_spheres spheres;
    m.shape[0] = m.shape[1] = 0;
    m.leaf[0].sphere.centre.y = 0.5;
    CD_CHECK(!cd_broad_spheres_add(&spheres, &frame, 0, 0));
    m.leaf[0].sphere.centre.y = 0;
    m.leaf[0].kind = CD_SHAPE_ELLIPSOID;
    CD_CHECK(!cd_broad_spheres_add(&spheres, &frame, 0, 0));
    m.leaf[0].kind = CD_SHAPE_SPHERE;
    for (int32_t i = 0; i < CD_BROAD_SPHERES; i++)
        CD_CHECK(cd_broad_spheres_add(&spheres, &frame, i, 0));
    CD_CHECK(!cd_broad_spheres_add(&spheres, &frame, CD_BROAD_SPHERES, 0));
}

int main(void)
{
    CD_RUN(many_spheres_have_the_bits_of_single_ones);
    CD_RUN(a_block_takes_spheres_about_their_positions_alone);
    return cd_test_done();
}
