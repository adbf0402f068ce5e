// The way between the step's start and its end: against gaps at thousands of poses, in the plane and in space; closed
// forms of when a contact comes; how many poses are looked at. Directions that tell parts apart at the end.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "step_integrator.h"
#include "step_path.h"
#include "step_separators.h"

static cd_arena run, arena;
static const double pi = 3.14159265358979323846;

// ---- two bodies ----------------------------------------------------------------------------------------------------

// Shapes of 1 m or so: a box, a ball, a thin box, a half-space below y = 0 or z = 0; in space an ellipsoid and a
// triangle of facets besides.
enum { BOX, BALL, PLATE, FLOOR, PLANE_SHAPES, ELLIPSOID = PLANE_SHAPES, FACET, SPACE_SHAPES };

static void add_shapes(cd_model *in)
{
    static int64_t id[SPACE_SHAPES] = {1, 2, 3, 4, 5, 6};
    static int32_t kind[SPACE_SHAPES] = {CD_SHAPE_BOX,       CD_SHAPE_SPHERE,    CD_SHAPE_BOX,
                                         CD_SHAPE_HALFSPACE, CD_SHAPE_ELLIPSOID, CD_SHAPE_FACETS};
    static double radius[SPACE_SHAPES] = {NAN, 0.5, NAN, NAN, NAN, NAN},
                  offset[SPACE_SHAPES] = {NAN, NAN, NAN, 0, NAN, NAN};
    static double thickness[SPACE_SHAPES] = {NAN, NAN, NAN, NAN, NAN, 0.02};
    static double half2[] = {0.5, 0.3, NAN, NAN, 0.5, 0.001, NAN, NAN}, normal2[] = {0, 0, 0, 0, 0, 0, 0, 1};
    static double half3[3 * SPACE_SHAPES] = {0.5, 0.3, 0.2, 0, 0, 0, 0.5, 0.4, 0.001},
                            normal3[3 * SPACE_SHAPES] = {[3 * FLOOR + 2] = 1};
    static double axes3[3 * SPACE_SHAPES] = {[3 * ELLIPSOID] = 0.5, 0.2, 0.3};
    static double corner[] = {0.5, 0, 0, -0.3, 0.4, 0, -0.2, -0.5, 0.1};
    static int32_t none[SPACE_SHAPES + 1], three[] = {0, 0, 0, 0, 0, 0, 3}, one[] = {0, 0, 0, 0, 0, 0, 1},
                                           triangle[] = {0, 1, 2};
    in->shape = (cd_shape_rows){.count = in->dim == 2 ? PLANE_SHAPES : SPACE_SHAPES,
                                .id = id,
                                .kind = kind,
                                .radius = radius,
                                .offset = offset,
                                .thickness = thickness,
                                .halfsizes = in->dim == 2 ? half2 : half3,
                                .normal = in->dim == 2 ? normal2 : normal3,
                                .semiaxes = in->dim == 2 ? NULL : axes3};
    in->shape.vertices = (cd_list){in->dim == 2 ? none : three, {corner}};
    in->shape.triangles = (cd_list){in->dim == 2 ? none : one, {triangle}};
}

typedef struct two_bodies {
    cd_model in;
    int64_t id[2], index;
    int32_t shape[2], motion[2];
    double time, step, position[6], rotation[8], velocity[6], spin[6], mass[2], inertia[12];
    cd_leaves leaves;
    cd_step_bodies bodies;
    cd_step_gaps gaps;
} two_bodies;

static void begin(two_bodies *t, int dim)
{
    cd_diag diag;
    *t = (two_bodies){.in.dim = dim, .id = {1, 2}, .step = 0.5, .mass = {1, 1}};
    add_shapes(&t->in);
    for (int k = 0; k < 12; k++)
        t->inertia[k] = dim == 2 || k % 6 < 3;
    for (int i = 0; i < 2; i++) {
        t->rotation[i * (dim == 2 ? 1 : 4)] = dim == 3;
        t->motion[i] = CD_MOTION_DYNAMIC;
    }
    t->in.frame = (cd_frame_rows){.count = 1, .index = &t->index, .time = &t->time, .step = &t->step};
    t->in.body = (cd_body_rows){.count = 2,
                                .id = t->id,
                                .shape = t->shape,
                                .motion = t->motion,
                                .position = t->position,
                                .rotation = t->rotation,
                                .velocity = t->velocity,
                                .spin = t->spin,
                                .mass = t->mass,
                                .inertia = t->inertia};
    CD_CHECK(cd_leaves_make_prepared(&run, &t->in, NULL, 1, &t->leaves, &diag) == CD_OK);
    t->gaps = (cd_step_gaps){&t->bodies, &t->leaves, 1, &arena, 1};
}

// Of the state as it stands; the velocities of the step are the bodies' own.
static void ready(two_bodies *t)
{
    cd_diag diag;
    CD_CHECK(cd_step_bodies_make(&arena, &t->in, cd_step_integrators[0], &t->bodies, &diag) == CD_OK);
    for (int i = 0; i < 2; i++)
        t->bodies.nu[i] = t->in.dim == 2
                              ? cd_step_velocity2((cd_vec2){t->velocity[2 * i], t->velocity[2 * i + 1]}, t->spin[i])
                              : cd_step_velocity3(cd_vec3_at(t->velocity + 3 * i), cd_vec3_at(t->spin + 3 * i));
}

static cd_step_path path_of(const two_bodies *t, cd_step_path_depth depth)
{
    cd_step_meeting meeting = cd_step_meet(&t->gaps);
    return cd_step_path_make(&t->gaps, &meeting, depth);
}

static cd_step_apart apart_at(const two_bodies *t, double share)
{
    cd_arena_mark mark = cd_arena_get_mark(&arena);
    cd_step_meeting meeting = cd_step_meet(&t->gaps);
    cd_step_placed at[2];
    for (int i = 0; i < 2; i++) {
        cd_step_part part = {i, t->leaves.first[t->shape[i]], t->motion[i] == CD_MOTION_DYNAMIC};
        at[i] = cd_step_place(&t->gaps, &meeting, &part, share, (cd_vec3){0, 0, 0}, &arena);
    }
    cd_step_apart apart = cd_step_apart_of(t->in.dim, &at[0], &at[1], &arena);
    cd_arena_rewind(&arena, mark);
    return apart;
}

// ---- random motions ------------------------------------------------------------------------------------------------

static void random_motion(two_bodies *t, cd_random *random)
{
    const int dim = t->in.dim;
    double fast = pow(10, cd_random_between(random, -2, 2)), turn = pow(10, cd_random_between(random, -2, 1.6));
    for (int i = 0; i < 2; i++) {
        t->shape[i] = (int32_t)(cd_random_bits(random) % (uint64_t)t->in.shape.count);
        t->motion[i] = cd_random_bits(random) % 4 ? CD_MOTION_DYNAMIC : CD_MOTION_PRESCRIBED;
        for (int k = 0; k < dim; k++) {
            t->position[dim * i + k] = cd_random_between(random, -0.8, 0.8);
            t->velocity[dim * i + k] = fast * cd_random_between(random, -1, 1);
        }
        for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
            t->spin[(dim == 2 ? 1 : 3) * i + k] = turn * cd_random_between(random, -1, 1);
        if (dim == 2)
            t->rotation[i] = cd_random_between(random, -pi, pi);
        else
            cd_quat_put(cd_quat_unit((cd_quat){cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                                               cd_random_between(random, -1, 1), cd_random_between(random, -1, 1)}),
                        t->rotation + 4 * i);
    }
    t->motion[0] = CD_MOTION_DYNAMIC;
}

// Body b moved so that the gap at a random share of the step is as asked; at the start, one time in three.
static void set_gap(two_bodies *t, cd_random *random, double gap)
{
    double share = fmax(0, cd_random_between(random, -0.5, 1));
    for (int k = 0; k < 3; k++) {
        ready(t);
        cd_step_apart apart = apart_at(t, share);
        if (apart.is_without || isnan(apart.gap))
            return;
        cd_vec3 by = cd_scale3(gap - apart.gap, apart.normal);
        const double part[3] = {by.x, by.y, by.z};
        for (int i = 0; i < t->in.dim; i++)
            t->position[t->in.dim + i] += part[i];
    }
    ready(t);
}

typedef struct tally {
    int clear, cut, begun;  // ways that are clear; that are not; of these, from a contact at the start
} tally;

// The answer against the gaps at many poses.
static void compare(const two_bodies *t, double depth, int poses, tally *n)
{
    cd_step_apart start = apart_at(t, 0);
    cd_step_path path = path_of(t, (cd_step_path_depth){0, depth, depth});
    if (start.is_without || isnan(start.gap)) {
        CD_CHECK(path.is_clear && path.share == 1);
        return;
    }
    double bound = fmin(0, start.gap), least = INFINITY, least_before = INFINITY;
    for (int k = 0; k <= poses; k++) {
        double gap = apart_at(t, (double)k / poses).gap;
        if (isnan(gap))  // of curved bodies no routine says how deep: the answer goes by their extents
            continue;
        least = fmin(least, gap);
        if (k <= path.share * poses)
            least_before = fmin(least_before, gap);
    }
    const double rounding = 1e-9;  // ellipsoids are good to 1e-12
    if (path.is_clear) {
        CD_CHECK(least >= bound - depth - rounding);
        n->clear++;
        return;
    }
    n->cut++;
    CD_CHECK(path.share > 0 && path.share < 1);
    // not without cause: the gap there is near the limit or beyond
    CD_CHECK(path.poses >= CD_STEP_PATH_POSES || !(apart_at(t, path.share).gap > bound - 0.8 * depth));

    if (start.gap - bound > depth)
        CD_CHECK(least_before >= bound - depth - rounding);
    else
        n->begun++;
}

static void check_random(int dim, int cases, int poses)
{
    cd_random random = {(uint64_t)dim};
    two_bodies t;
    begin(&t, dim);
    tally n = {0, 0, 0};
    for (int i = 0; i < cases; i++) {
        double depth = pow(10, cd_random_between(&random, -4, -1.5));
        random_motion(&t, &random);
        set_gap(&t, &random, cd_random_between(&random, -2, 2) * depth);
        compare(&t, depth, poses, &n);
        cd_arena_reset(&arena);
    }
    printf("# dim %d: %d clear, %d not, %d of them from a contact\n", dim, n.clear, n.cut, n.begun);
    CD_CHECK(n.clear > cases / 5 && n.cut > cases / 5 && n.begun > cases / 20);
}

CD_TEST(plane_no_pose_on_the_way_is_deeper_than_the_answer_says) { check_random(2, 1500, 1000); }
CD_TEST(space_no_pose_on_the_way_is_deeper_than_the_answer_says) { check_random(3, 1000, 1000); }
CD_TEST(a_finer_look_finds_nothing_deeper)
{
    check_random(2, 60, 10000);
    check_random(3, 60, 10000);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

// Body b at rest in the origin, body a on the negative x axis, `way` [m] long, `turn` [rad] about a skew axis.
static void throw_at(two_bodies *t, int32_t shape_a, int32_t shape_b, double from, double way, double turn)
{
    memset(t->position, 0, sizeof t->position);
    memset(t->velocity, 0, sizeof t->velocity);
    memset(t->spin, 0, sizeof t->spin);
    t->shape[0] = shape_a;
    t->shape[1] = shape_b;
    t->position[0] = -from;
    t->velocity[0] = way / t->step;
    for (int k = 0; k < (t->in.dim == 2 ? 1 : 3); k++)
        t->spin[k] = turn / t->step * (t->in.dim == 2 ? 1 : (double[]){0.36, 0.48, 0.8}[k]);
    ready(t);
}

CD_TEST(balls_meet_when_the_way_is_used_up_whatever_the_speed)
{
    two_bodies t;
    for (int dim = 2; dim <= 3; dim++) {
        begin(&t, dim);
        for (double way = 10; way < 1e8; way *= 7) {
            const double depth = 1e-4, from = way / 3;
            throw_at(&t, BALL, BALL, from, way, 1000);
            cd_step_path path = path_of(&t, (cd_step_path_depth){0, depth, depth});
            CD_CHECK(!path.is_clear && path.most == path.poses && path.poses <= 12);
            double latest = (from - 1 + depth) / way, earliest = (from - 1 + 0.8 * depth) / way;
            CD_CHECK(path.share <= latest * (1 + 1e-15) && path.share >= earliest * (1 - 1e-15));
            cd_arena_reset(&arena);
        }
    }
}

CD_TEST(nothing_goes_through_anything_however_fast_and_thin)
{
    for (int dim = 2; dim <= 3; dim++) {
        two_bodies t;
        begin(&t, dim);
        int thrown = 0;
        for (int pair = 0; pair < t.in.shape.count * t.in.shape.count; pair++) {
            int32_t a = pair / t.in.shape.count, b = pair % t.in.shape.count;
            for (double way = 4; way < 1e8 && a != FLOOR && b != FLOOR; way *= 11, thrown++) {
                throw_at(&t, a, b, way / 2, way, fmin(way, 50));
                cd_step_path path = path_of(&t, (cd_step_path_depth){0, 1e-5, 1e-5});
                CD_CHECK(!path.is_clear && path.share <= 0.5 && path.share >= (way / 2 - 2) / way);
                cd_arena_reset(&arena);
            }
        }
        CD_CHECK(thrown >= 9 * 8);
    }
}

CD_TEST(from_a_contact_at_the_start_the_cut_is_where_it_is_deep)
{
    two_bodies t;
    for (int dim = 2; dim <= 3; dim++) {
        begin(&t, dim);
        throw_at(&t, BALL, BALL, 1, 1000, 0);
        cd_step_path path = path_of(&t, (cd_step_path_depth){0, 1e-4, 1e-4});
        // deepest 1 m on; strides double, so at least half of it
        CD_CHECK(!path.is_clear && path.share > 0.0005 - 1e-9 && path.share <= 0.001 + 1e-9);
        cd_arena_reset(&arena);
    }
}

// ---- first touch ---------------------------------------------------------------------------------------------------

static const double reach = 1e-10;

static cd_step_touch touch_from(const two_bodies *t, double from)
{
    cd_step_touch touch = {1, INFINITY};
    cd_step_meeting meeting = cd_step_meet(&t->gaps);
    CD_CHECK(meeting.pairs.count <= 1);
    if (meeting.pairs.count == 1)
        cd_step_path_touches(&t->gaps, &meeting, reach, &from, &touch);
    return touch;
}

static cd_step_touch touch_of(const two_bodies *t) { return touch_from(t, 0); }

CD_TEST(balls_touch_when_the_way_between_is_used_up_and_not_before)
{
    two_bodies t;
    for (int dim = 2; dim <= 3; dim++) {
        begin(&t, dim);
        for (double way = 10; way < 1e4; way *= 7) {
            throw_at(&t, BALL, BALL, way / 3, way, 1000);
            const cd_step_touch touch = touch_of(&t);
            CD_CHECK_NEAR(touch.share * way, way / 3 - 1 - 0.53 * reach, 0.04 * reach + 1e-15 * way);
            CD_CHECK(touch.gap > 0.5 * reach - 1e-15 * way && touch.gap < reach);
            // past each other, by ten times what is near
            t.position[1] = 1 + 10 * reach;
            ready(&t);
            CD_CHECK(touch_of(&t).share == 1);
            cd_arena_reset(&arena);
        }
        throw_at(&t, BALL, BALL, 1 + reach / 2, 10, 0);
        CD_CHECK(touch_of(&t).share == 0);
        throw_at(&t, BALL, BALL, 1 + reach, 1e-3 * reach, 0);
        CD_CHECK(touch_of(&t).share == 1 && touch_of(&t).gap > reach / 2);
        cd_arena_reset(&arena);
    }
}

CD_TEST(balls_that_begin_in_contact_touch_again_where_they_are_looked_at_later)
{
    two_bodies t;
    for (int dim = 2; dim <= 3; dim++) {
        begin(&t, dim);
        // through each other: apart again from a share of 2 / 3 on
        throw_at(&t, BALL, BALL, 1, 3, 0);
        CD_CHECK(touch_of(&t).share == 0 && touch_from(&t, 0.5).share == 0 && touch_from(&t, 0.7).share == 1);
        // what is looked at before they meet alters nothing
        throw_at(&t, BALL, BALL, 4, 10, 0);
        CD_CHECK_NEAR(touch_from(&t, 0.2).share, touch_of(&t).share, reach);
        CD_CHECK(touch_of(&t).share > 0.29 && touch_from(&t, 0.31).share == 0);
        cd_arena_reset(&arena);
    }
}

// At the answer the gap is what was asked for, and at a thousand poses before it never less.
static void check_first_touches(int dim, int count)
{
    cd_random random = {11};
    two_bodies t;
    begin(&t, dim);
    int met = 0;
    for (int trial = 0; trial < count; trial++) {
        random_motion(&t, &random);
        ready(&t);
        const double start = apart_at(&t, 0).gap;
        const cd_step_touch touch = touch_of(&t);
        if (isnan(start) || start <= reach) {
            CD_CHECK(isinf(start) || touch.share == 0 || touch.share == 1);
            continue;
        }
        met += touch.share < 1;
        if (touch.share < 1)
            CD_CHECK(touch.gap > 0.4 * reach && touch.gap < reach && touch.gap == apart_at(&t, touch.share).gap);
        for (int k = 0; k < 1000; k++)
            CD_CHECK(apart_at(&t, touch.share * k / 1000).gap > 0.4 * reach);
        cd_arena_reset(&arena);
    }
    CD_CHECK(met > count / 10);
}

CD_TEST(plane_a_pair_that_touches_was_apart_before) { check_first_touches(2, 300); }
CD_TEST(space_a_pair_that_touches_was_apart_before) { check_first_touches(3, 200); }

// ---- cost ----------------------------------------------------------------------------------------------------------

CD_TEST(pairs_that_are_slow_or_far_take_no_pose_and_sliding_ones_one)
{
    two_bodies t;
    for (int dim = 2; dim <= 3; dim++) {
        begin(&t, dim);
        throw_at(&t, BOX, BOX, 1, 0.9e-4, 0);
        CD_CHECK(path_of(&t, (cd_step_path_depth){0, 1e-4, 1e-4}).poses == 0);
        // boxes over the step meet, the bodies' balls do not
        throw_at(&t, BOX, BOX, 5, 10, 3);
        t.velocity[1] = -10 / t.step;
        t.position[1] = 5 + 2;
        ready(&t);
        cd_step_path path = path_of(&t, (cd_step_path_depth){0, 1e-4, 1e-4});
        CD_CHECK(path.is_clear && path.poses == 0);
        // slides along the top of the other, touching
        throw_at(&t, BOX, BOX, 0.5, 1, 0);
        t.position[dim - 1] = dim == 2 ? 0.6 : 0.4;
        ready(&t);
        path = path_of(&t, (cd_step_path_depth){0, 1e-4, 1e-4});
        CD_CHECK(path.is_clear && path.poses == 1);
        cd_arena_reset(&arena);
    }
}

// The lower edge of box a lies across the upper edge of box b. Both tilt, each about the other's edge, and a goes up or
// down so that they touch at the end again: no direction that turns with one of them follows.
CD_TEST(edges_that_cross_take_few_poses_while_they_tilt)
{
    two_bodies t;
    begin(&t, 3);
    throw_at(&t, BOX, BOX, 0, 0, 0);
    const double half = pi / 8, about_x[4] = {cos(half), sin(half), 0, 0}, about_y[4] = {cos(half), 0, -sin(half), 0};
    memcpy(t.rotation, about_x, sizeof about_x);
    memcpy(t.rotation + 4, about_y, sizeof about_y);
    t.position[2] = (0.5 + 0.7) / sqrt(2);
    for (double turn = -0.1; turn < 0.2; turn += 0.2) {
        t.velocity[2] = 0;
        t.spin[1] = turn / t.step;
        t.spin[3] = turn / t.step;
        for (int k = 0; k < 5; k++) {
            ready(&t);
            t.velocity[2] -= apart_at(&t, 1).gap / t.step;
        }
        ready(&t);
        cd_step_apart apart = apart_at(&t, 0), middle = apart_at(&t, 0.5);
        CD_CHECK(apart.is_crossing && fabs(apart.gap) < 1e-15 && middle.gap > -1e-4 && middle.gap < 0.01);
        cd_step_path path = path_of(&t, (cd_step_path_depth){0, 1e-4, 1e-4});
        CD_CHECK(path.is_clear && path.poses <= 25);
    }
    cd_arena_reset(&arena);
}

CD_TEST(a_spin_beyond_all_measure_ends_and_is_not_called_clear)
{
    two_bodies t;
    for (int dim = 2; dim <= 3; dim++) {
        begin(&t, dim);
        throw_at(&t, PLATE, PLATE, 0.52, 0, 1e12);
        cd_step_path path = path_of(&t, (cd_step_path_depth){0, 1e-4, 1e-4});
        CD_CHECK(!path.is_clear && path.poses <= CD_STEP_PATH_POSES + 100);
        cd_arena_reset(&arena);
    }
}

// ---- directions that part ------------------------------------------------------------------------------------------

// The face of a box whose normal is along z, up or down.
static int32_t level_face(const two_bodies *t, int body, double along)
{
    const cd_prepared3 *own = cd_leaves3_at(&t->leaves.space, t->leaves.first[t->shape[body]]).prepared;
    for (int32_t f = 0; f < own->convex.face_count; f++)
        if (own->convex.plane[f].normal.z * along > 0.9)
            return f;
    return -1;
}

// One of its edges along an axis.
static int32_t edge_along(const two_bodies *t, int body, cd_vec3 axis)
{
    const cd_prepared3 *own = cd_leaves3_at(&t->leaves.space, t->leaves.first[t->shape[body]]).prepared;
    for (int32_t e = 0; e < own->edges.count; e++) {
        const int32_t *end = own->edges.edge[e].vertex;
        cd_vec3 along = cd_sub3(cd_convex3_vertex(&own->convex, end[1]), cd_convex3_vertex(&own->convex, end[0]));
        if (cd_length3(cd_cross3(along, axis)) < 1e-12)
            return e;
    }
    return -1;
}

// A box over another one, both turning, and a contact of theirs.
typedef struct contact_row {
    int32_t kind, a[2], b[2], facet[2], side;
    double normal[3];
} contact_row;

static bool separator_at_end(two_bodies *t, contact_row *row, cd_box_pair pair, cd_vec3 *normal)
{
    t->in.contact = (cd_contact_rows){.count = 1,
                                      .kind = &row->kind,
                                      .a = row->a,
                                      .b = row->b,
                                      .facet = row->facet,
                                      .side = &row->side,
                                      .normal = row->normal};
    cd_step_meeting meeting = cd_step_meet(&t->gaps);
    cd_step_separators separators = cd_step_separators_make(&t->gaps, &meeting);
    return cd_step_separator_at_end(&t->gaps, &meeting, &separators, pair, normal);
}

CD_TEST(normals_of_separators_go_with_their_bodies_to_the_end)
{
    two_bodies t;
    begin(&t, 3);
    t.shape[0] = t.shape[1] = BOX;
    memcpy(t.position, (double[]){0, 0, 0, 0, 0, 0.45}, sizeof t.position);
    memcpy(t.spin, (double[]){0.3, -0.2, 0.5, -0.1, 0.4, 0.2}, sizeof t.spin);
    ready(&t);
    const cd_quat turn[2] = {cd_step_state_at(&t.bodies, 0, 1).space.rotation,
                             cd_step_state_at(&t.bodies, 1, 1).space.rotation};
    const cd_vec3 up = {0, 0, 1}, x = {1, 0, 0}, y = {0, 1, 0};
    cd_vec3 n, back;
    // A face of a, and one of b.
    for (int side = 0; side < 2; side++) {
        contact_row row = {CD_CONTACT_SEPARATING, {0, 0}, {1, 0}, {0, CD_FEATURE_NONE}, side, {0, 0, 1}};
        row.facet[0] = cd_feature(CD_FEATURE_FACE, level_face(&t, side, side ? -1 : 1));
        CD_CHECK(separator_at_end(&t, &row, (cd_box_pair){0, 1}, &n));
        CD_CHECK(cd_length3(cd_sub3(n, cd_quat_turn(turn[side], up))) < 1e-14 && cd_length3(cd_sub3(n, up)) > 0.1);
        CD_CHECK(separator_at_end(&t, &row, (cd_box_pair){1, 0}, &back) && cd_length3(cd_add3(n, back)) == 0);
        row.facet[0] = cd_feature(CD_FEATURE_FACE, 6);
        CD_CHECK(!separator_at_end(&t, &row, (cd_box_pair){0, 1}, &n));
    }
    // Two edges, whichever way they point.
    contact_row row = {CD_CONTACT_SEPARATING, {1, 0}, {0, 0}, {0, 0}, CD_ABSENT, {0, 0, -1}};
    row.facet[0] = cd_feature(CD_FEATURE_EDGE, edge_along(&t, 1, x));
    row.facet[1] = cd_feature(CD_FEATURE_EDGE, edge_along(&t, 0, y));
    CD_CHECK(separator_at_end(&t, &row, (cd_box_pair){0, 1}, &n));
    CD_CHECK_NEAR(cd_length3(n), 1, 1e-15);
    CD_CHECK(n.z > 0.9 && fabs(cd_dot3(n, cd_quat_turn(turn[1], x))) < 1e-14 &&
             fabs(cd_dot3(n, cd_quat_turn(turn[0], y))) < 1e-14);
    // Contacts of other kinds, and parts that no body has, say nothing.
    row.kind = CD_CONTACT_DISTANCE;
    CD_CHECK(!separator_at_end(&t, &row, (cd_box_pair){0, 1}, &n));
    row.kind = CD_CONTACT_SEPARATING;
    row.a[1] = 1;
    CD_CHECK(!separator_at_end(&t, &row, (cd_box_pair){0, 1}, &n));
    cd_arena_reset(&arena);
}

static cd_vec3 any_direction(cd_random *random)
{
    cd_vec3 d;
    do {
        d = (cd_vec3){cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                      cd_random_between(random, -1, 1)};
    } while (cd_length3(d) < 0.1);
    return cd_unit3(d);
}

// Whatever direction it is given: above 0 where the gap is, and no larger; else the gap itself.
CD_TEST(the_least_gap_is_a_bound_and_has_the_sign_of_the_gap)
{
    two_bodies t;
    cd_random random = {23};
    int less = 0, near = 0, over = 0;
    for (int round = 0; round < 3000; round++) {
        begin(&t, 3);
        t.shape[0] = BOX;
        t.shape[1] = round % 2 ? BOX : PLATE;
        for (int i = 0; i < 2; i++) {
            cd_quat turn = cd_quat_from_vector(cd_scale3(cd_random_between(&random, 0, 3), any_direction(&random)));
            memcpy(t.rotation + 4 * i, (double[]){turn.w, turn.x, turn.y, turn.z}, 4 * sizeof *t.rotation);
        }
        cd_vec3_put(cd_scale3(cd_random_between(&random, 0, 1.2), any_direction(&random)), t.position + 3);
        ready(&t);
        cd_step_meeting meeting = cd_step_meet(&t.gaps);
        cd_step_placed at[2];
        for (int i = 0; i < 2; i++) {
            cd_step_part part = {i, t.leaves.first[t.shape[i]], true};
            at[i] = cd_step_place(&t.gaps, &meeting, &part, 1, (cd_vec3){0, 0, 0}, &arena);
        }
        const cd_step_apart apart = cd_step_apart_of(3, &at[0], &at[1], &arena);
        const cd_vec3 any = any_direction(&random), *along[] = {NULL, &any, &apart.normal};
        for (int k = 0; k < 3; k++) {
            const double least = cd_step_apart_least(3, &at[0], &at[1], along[k], &arena);
            CD_CHECK(apart.gap > 0 ? least > 0 && least <= apart.gap * (1 + 1e-12) + 1e-15 : least == apart.gap);
            less += apart.gap > 0 && least < 0.99 * apart.gap;
            near += apart.gap > 0 && least >= 0.99 * apart.gap;
        }
        over += apart.gap <= 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(less > 100 && near > 1000 && over > 300);
}

int main(void)
{
    CD_RUN(balls_meet_when_the_way_is_used_up_whatever_the_speed);
    CD_RUN(nothing_goes_through_anything_however_fast_and_thin);
    CD_RUN(from_a_contact_at_the_start_the_cut_is_where_it_is_deep);
    CD_RUN(balls_touch_when_the_way_between_is_used_up_and_not_before);
    CD_RUN(balls_that_begin_in_contact_touch_again_where_they_are_looked_at_later);
    CD_RUN(plane_a_pair_that_touches_was_apart_before);
    CD_RUN(space_a_pair_that_touches_was_apart_before);
    CD_RUN(pairs_that_are_slow_or_far_take_no_pose_and_sliding_ones_one);
    CD_RUN(edges_that_cross_take_few_poses_while_they_tilt);
    CD_RUN(a_spin_beyond_all_measure_ends_and_is_not_called_clear);
    CD_RUN(plane_no_pose_on_the_way_is_deeper_than_the_answer_says);
    CD_RUN(space_no_pose_on_the_way_is_deeper_than_the_answer_says);
    CD_RUN(a_finer_look_finds_nothing_deeper);
    CD_RUN(normals_of_separators_go_with_their_bodies_to_the_end);
    CD_RUN(the_least_gap_is_a_bound_and_has_the_sign_of_the_gap);
    return cd_test_done();
}
