// Bodies and shapes of the plane: canonical order, who takes part, poses, leaves of nested compounds, what is
// refused, reach.
// SPDX-License-Identifier: MIT
#include "cd_bodies.h"
#include "cd_leaves.h"
#include "cd_reach.h"
#include "cd_test.h"

// ---- a model by hand -----------------------------------------------------------------------------------------------

enum { MAX_ROWS = 8 };

// Shapes: 0 polygon, 1 box, 2 sphere, 3 halfspace, 4 compound of the first three, 5 compound of 4 turned and 2, 6
// ellipsoid.
typedef struct small_model {
    cd_model in;
    int32_t kind[MAX_ROWS], vertex_offset[MAX_ROWS], part_offset[MAX_ROWS], part_shape[MAX_ROWS];
    int64_t id[MAX_ROWS], body_id[MAX_ROWS];
    double vertex[8], radius[MAX_ROWS], half[2 * MAX_ROWS], normal[2 * MAX_ROWS], offset[MAX_ROWS], semi[2 * MAX_ROWS];
    double part_position[2 * MAX_ROWS], part_rotation[MAX_ROWS];
    double time, step, gravity[2], length;
    int64_t index;
    double position[2 * MAX_ROWS], rotation[MAX_ROWS], velocity[2 * MAX_ROWS], spin[MAX_ROWS];
    double mass[MAX_ROWS], inertia[MAX_ROWS], release[MAX_ROWS];
    int32_t motion[MAX_ROWS], shape[MAX_ROWS];
} small_model;

static void fill_shapes(small_model *m)
{
    static const int32_t kinds[7] = {CD_SHAPE_POLYGON,  CD_SHAPE_BOX,      CD_SHAPE_SPHERE,   CD_SHAPE_HALFSPACE,
                                     CD_SHAPE_COMPOUND, CD_SHAPE_COMPOUND, CD_SHAPE_ELLIPSOID};
    static const double vertices[6] = {0, 0, 2, 0, 0, 1};
    static const int32_t vertex_offset[MAX_ROWS] = {0, 3, 3, 3, 3, 3, 3, 3};
    static const int32_t part_offset[MAX_ROWS] = {0, 0, 0, 0, 0, 3, 5, 5};
    static const int32_t parts[5] = {0, 1, 2, 4, 2};
    static const double positions[10] = {0, 0, 1, 2, 3, 0, 10, 0, -1, -1};
    static const double rotations[5] = {0, 0, 0, 1.5707963267948966, 0};
    memcpy(m->kind, kinds, sizeof kinds);
    memcpy(m->vertex, vertices, sizeof vertices);
    memcpy(m->vertex_offset, vertex_offset, sizeof vertex_offset);
    memcpy(m->part_offset, part_offset, sizeof part_offset);
    memcpy(m->part_shape, parts, sizeof parts);
    memcpy(m->part_position, positions, sizeof positions);
    memcpy(m->part_rotation, rotations, sizeof rotations);
    for (int i = 0; i < MAX_ROWS; i++) {
        m->id[i] = 100 + i;
        m->radius[i] = 0.5;
        m->half[2 * i] = 0.25;
        m->half[2 * i + 1] = 0.75;
        m->normal[2 * i] = 0.6;
        m->normal[2 * i + 1] = 0.8;
        m->offset[i] = 2;
        m->semi[2 * i] = 3;
        m->semi[2 * i + 1] = 1;
    }
    m->in.shape = (cd_shape_rows){.count = 7,
                                  .id = m->id,
                                  .kind = m->kind,
                                  .radius = m->radius,
                                  .halfsizes = m->half,
                                  .normal = m->normal,
                                  .offset = m->offset,
                                  .semiaxes = m->semi};
    m->in.shape.vertices = (cd_list){m->vertex_offset, {m->vertex}};
    m->in.shape.parts_shape = (cd_list){m->part_offset, {m->part_shape}};
    m->in.shape.parts_position = (cd_list){m->part_offset, {m->part_position}};
    m->in.shape.parts_rotation = (cd_list){m->part_offset, {m->part_rotation}};
}

static void fill_bodies(small_model *m)
{
    static const int64_t ids[3] = {30, 10, 20};
    memcpy(m->body_id, ids, sizeof ids);
    for (int i = 0; i < MAX_ROWS; i++) {
        m->position[2 * i] = i;
        m->rotation[i] = 0.1 * i;
        m->velocity[2 * i] = 1;
        m->spin[i] = 2;
        m->mass[i] = m->inertia[i] = 1;
        m->shape[i] = 2;
    }
    m->time = 3;
    m->step = 0.5;
    m->gravity[1] = -10;
    m->length = 2;
    m->in.dim = 2;
    m->in.head = (cd_head_rows){.count = 1, .gravity = m->gravity, .length = &m->length};
    m->in.frame = (cd_frame_rows){.count = 1, .index = &m->index, .time = &m->time, .step = &m->step};
    m->in.body = (cd_body_rows){.count = 3,
                                .id = m->body_id,
                                .position = m->position,
                                .rotation = m->rotation,
                                .velocity = m->velocity,
                                .spin = m->spin,
                                .mass = m->mass,
                                .inertia = m->inertia,
                                .release = m->release,
                                .motion = m->motion,
                                .shape = m->shape};
}

static small_model *model_make(cd_arena *arena)
{
    small_model *m = cd_arena_zalloc(arena, sizeof *m);
    fill_shapes(m);
    fill_bodies(m);
    return m;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

CD_TEST(order_is_by_id)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    cd_body_order order = cd_body_order_make(&arena, &m->in.body);
    CD_CHECK(order.row[0] == 1 && order.row[1] == 2 && order.row[2] == 0);
    CD_CHECK(order.rank[0] == 2 && order.rank[1] == 0 && order.rank[2] == 1);
    m->body_id[0] = -5;
    m->body_id[1] = 0;
    order = cd_body_order_make(&arena, &m->in.body);
    for (int32_t i = 0; i < 3; i++)
        CD_CHECK(order.row[i] == i && order.rank[i] == i);
    cd_arena_release(&arena);
}

CD_TEST(bodies_take_part_from_their_release_on)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    m->time = 0.1 + 0.2;  // 0.30000000000000004
    m->release[0] = 0.3;
    m->release[1] = 0.1 + 0.2 + 1e-12;  // a rounding later: within 1e-9 of a step
    m->release[2] = 0.3001;
    CD_CHECK(cd_body_is_active(&m->in, 0) && cd_body_is_active(&m->in, 1) && !cd_body_is_active(&m->in, 2));
    CD_CHECK(!cd_bodies_are_active(&m->in));
    m->in.frame.step = NULL;
    CD_CHECK(cd_body_is_active(&m->in, 1) && !cd_body_is_active(&m->in, 2));
    m->release[2] = NAN;  // none stated
    CD_CHECK(cd_bodies_are_active(&m->in));
    m->in.body.release = NULL;
    CD_CHECK(cd_bodies_are_active(&m->in));
    m->time = -1;
    CD_CHECK(!cd_bodies_are_active(&m->in));
    cd_arena_release(&arena);
}

CD_TEST(poses_of_a_step)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    m->motion[1] = CD_MOTION_FIXED;
    m->motion[2] = CD_MOTION_PRESCRIBED;
    cd_state2 free = cd_body_predicted2(&m->in, 0, 0.5);
    CD_CHECK(free.position.x == 0.5 && free.position.y == -2.5 && free.angle == 1 && free.velocity.y == -5);
    cd_state2 fixed = cd_body_predicted2(&m->in, 1, 0.5);
    CD_CHECK(fixed.position.x == 1 && fixed.position.y == 0 && fixed.angle == 0.1);
    cd_state2 given = cd_body_predicted2(&m->in, 2, 0.5);
    CD_CHECK(given.position.x == 2.5 && given.position.y == 0 && given.angle == 1.2);
    int32_t body = 2;
    double position[2] = {7, 8}, rotation = 9, velocity[2] = {1, 2}, spin = 3;
    m->in.trial = (cd_trial_rows){
        .count = 1, .body = &body, .position = position, .rotation = &rotation, .velocity = velocity, .spin = &spin};
    int32_t *trial_row = cd_body_trial_rows(&arena, &m->in);
    CD_CHECK(trial_row[0] == -1 && trial_row[1] == -1 && trial_row[2] == 0);
    CD_CHECK(cd_body_trial2(&m->in, trial_row, 2).position.y == 8 && cd_body_trial2(&m->in, trial_row, 2).spin == 3);
    CD_CHECK(cd_body_trial2(&m->in, trial_row, 1).position.x == 1);
    cd_arena_release(&arena);
}

CD_TEST(dynamic_bodies_need_mass_inertia_and_shape)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_OK);
    m->mass[2] = NAN;
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 20: mass: required of a dynamic body");
    m->motion[2] = CD_MOTION_FIXED;
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_OK);
    m->inertia[0] = -1;
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 30: inertia: -1 is not above 0");
    m->release[0] = 100;  // not asked of a body that takes no part
    m->shape[1] = -1;
    CD_CHECK(cd_bodies_check(&m->in, false, &diag) == CD_OK);
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 10: shape: required of a body that takes part");
    double step = 0;
    CD_CHECK(cd_frame_step(&m->in, &step, &diag) == CD_OK && step == 0.5);
    m->step = NAN;
    CD_CHECK(cd_frame_step(&m->in, &step, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "frame: step: required");
    cd_arena_release(&arena);
}

// ---- leaves --------------------------------------------------------------------------------------------------------

static bool is_at(cd_vec2 p, double x, double y) { return fabs(p.x - x) < 1e-14 && fabs(p.y - y) < 1e-14; }

CD_TEST(compounds_unfold_in_depth_first_order)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    static const int32_t first[8] = {0, 1, 2, 3, 4, 7, 11, 12};
    for (int s = 0; s < 8; s++)
        CD_CHECK(leaves.first[s] == first[s]);
    const cd_leaf2 *leaf = leaves.plane.leaf;
    CD_CHECK(leaf[1].kind == CD_SHAPE_POLYGON && leaf[1].polygon.count == 4);
    CD_CHECK(is_at(leaf[1].polygon.vertex[0], -0.25, -0.75) && is_at(leaf[1].polygon.vertex[1], 0.25, -0.75));
    CD_CHECK(isinf(leaf[3].extent) && leaf[11].extent == 3);
    // shape 4: polygon, box at (1,2), sphere at (3,0)
    CD_CHECK(leaf[4].shape == 0 && leaf[5].shape == 1 && leaf[6].shape == 2);
    CD_CHECK(is_at(leaf[5].polygon.vertex[2], 1.25, 2.75) && is_at(leaf[6].centre, 3, 0));
    CD_CHECK_NEAR(leaf[6].extent, 3.5, 1e-14);
    CD_CHECK(leaf[6].extent >= 3.5);
    // shape 5: those turned by a quarter and moved by (10,0), then a sphere at (-1,-1)
    CD_CHECK(is_at(leaf[7].polygon.vertex[1], 10, 2) && is_at(leaf[8].polygon.vertex[2], 7.25, 1.25));
    CD_CHECK(is_at(leaf[9].centre, 10, 3) && is_at(leaf[10].centre, -1, -1) && leaf[10].shape == 2);
    cd_arena_release(&arena);
}

CD_TEST(placing_a_leaf_moves_its_points)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    cd_pose2 pose = cd_pose2_make((cd_vec2){3, -4}, 0.7);
    // a point of the halfspace's boundary stays on it
    cd_leaf2 half = cd_leaf2_place(&arena, &leaves.plane.leaf[3], pose);
    cd_vec2 on = cd_pose2_apply(pose, (cd_vec2){0.6 * 2 - 0.8 * 5, 0.8 * 2 + 0.6 * 5});
    CD_CHECK_NEAR(cd_dot2(half.normal, on) - half.offset, 0, 1e-14);
    // the end of the ellipse's long axis
    cd_leaf2 ellipse = cd_leaf2_place(&arena, &leaves.plane.leaf[11], pose);
    cd_vec2 end = cd_pose2_apply(pose, (cd_vec2){3, 0});
    CD_CHECK(is_at(end, ellipse.centre.x + 3 * ellipse.cosine, ellipse.centre.y + 3 * ellipse.sine));
    cd_leaf2 polygon = cd_leaf2_place(&arena, &leaves.plane.leaf[0], pose);
    cd_vec2 corner = cd_pose2_apply(pose, (cd_vec2){2, 0});
    CD_CHECK(polygon.polygon.vertex[1].x == corner.x && polygon.polygon.vertex[1].y == corner.y);
    CD_CHECK(leaves.plane.leaf[0].polygon.vertex[1].x == 2);
    cd_arena_release(&arena);
}

static void check_refused(small_model *m, cd_status status, const char *text)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == status);
    CD_CHECK(!strncmp(diag.text, text, strlen(text)));
    if (strncmp(diag.text, text, strlen(text)))
        printf("# %s\n", diag.text);
    cd_arena_release(&arena);
}

CD_TEST(broken_shapes_are_refused_by_id_and_field)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    m->vertex[3] = -1;
    m->vertex[2] = -2;  // now clockwise
    check_refused(m, CD_ERR_FORMAT, "shape 100: vertices: ");
    m = model_make(&arena);
    m->in.shape.vertices.offset = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 100: vertices: required of a polygon");
    m = model_make(&arena);
    m->radius[2] = NAN;
    check_refused(m, CD_ERR_FORMAT, "shape 102: radius: required of a sphere");
    m = model_make(&arena);
    m->in.shape.halfsizes = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 101: halfsizes: required of a box");
    m = model_make(&arena);
    m->offset[3] = NAN;
    check_refused(m, CD_ERR_FORMAT, "shape 103: offset: required of a halfspace");
    m = model_make(&arena);
    m->part_shape[1] = 5;
    check_refused(m, CD_ERR_FORMAT, "shape 104: parts.shape: must be an earlier shape record");
    m = model_make(&arena);
    m->in.shape.parts_shape.offset = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 104: parts: required of a compound, at least one");
    m = model_make(&arena);
    int32_t adjacent_offset[8] = {0, 0, 0, 0, 0, 1, 1, 1}, adjacent[2] = {0, 3};
    m->in.shape.adjacent = (cd_list){adjacent_offset, {adjacent}};
    check_refused(m, CD_ERR_FORMAT, "shape 104: adjacent: there is no part 3");
    m = model_make(&arena);
    m->kind[1] = CD_SHAPE_POLYHEDRON;
    check_refused(m, CD_ERR_UNSUPPORTED, "shape 101: kind: ");
    m->in.dim = 3;
    check_refused(m, CD_ERR_UNSUPPORTED, "shape 100: kind: this kind is not one of space");
    cd_arena_release(&arena);
}

// Each of 60 compounds holds the one before twice: 2^60 leaves in a few hundred bytes.
CD_TEST(a_bomb_of_nested_compounds_is_refused)
{
    enum { DEPTH = 60 };
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    int32_t kind[DEPTH + 1] = {CD_SHAPE_SPHERE}, offset[DEPTH + 2] = {0}, part[2 * DEPTH];
    int64_t id[DEPTH + 1];
    double radius[DEPTH + 1];
    for (int s = 0; s <= DEPTH; s++) {
        id[s] = s;
        radius[s] = 1;
        offset[s + 1] = 2 * s;
        if (s > 0) {
            kind[s] = CD_SHAPE_COMPOUND;
            part[2 * s - 2] = part[2 * s - 1] = s - 1;
        }
    }
    m->in.shape = (cd_shape_rows){.count = DEPTH + 1, .id = id, .kind = kind, .radius = radius};
    m->in.shape.parts_shape = (cd_list){offset, {part}};
    check_refused(m, CD_ERR_LIMIT, "shape ");
    cd_arena_release(&arena);
}

// ---- reach ---------------------------------------------------------------------------------------------------------

CD_TEST(reach_is_asked_given_or_automatic)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    m->motion[1] = CD_MOTION_FIXED;
    m->motion[2] = CD_MOTION_PRESCRIBED;
    m->shape[0] = 4;
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    cd_reach reach = cd_reach_make(&arena, &m->in, &leaves, NAN);
    // |v| = 1, omega = 2, R = 3.5 or 0.5, g h = 5, L = 2, h = 0.5
    double one = 0.0025 * 2 + 1.5 * 0.5 * (1 + 3.5 * 2 + 5), two = 0.0025 * 2;
    double three = 0.0025 * 2 + 1.5 * 0.5 * (1 + 0.5 * 2);
    CD_CHECK_NEAR(cd_reach_share(&reach, 0), one, 1e-13);
    CD_CHECK_NEAR(cd_reach_share(&reach, 1), two, 1e-13);
    CD_CHECK_NEAR(cd_reach_share(&reach, 2), three, 1e-13);
    CD_CHECK_NEAR(cd_reach_pair(&reach, 0, 2), one + three, 1e-13);
    double given = 0.5;
    m->in.head.reach = &given;
    reach = cd_reach_make(&arena, &m->in, &leaves, NAN);
    CD_CHECK(cd_reach_pair(&reach, 0, 1) == 0.5 && cd_reach_share(&reach, 2) == 0.25);
    reach = cd_reach_make(&arena, &m->in, &leaves, 0);
    CD_CHECK(cd_reach_pair(&reach, 0, 1) == 0 && cd_reach_share(&reach, 2) == 0);
    cd_arena_release(&arena);
}

// f / m and tau / J beside gravity, for a body that has mass and inertia.
CD_TEST(applied_forces_move_dynamic_bodies_and_widen_their_reach)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    double force[6] = {6, 30, 6, 30, NAN, NAN}, torque[3] = {4, 4, NAN};
    m->in.body.force = force;
    m->in.body.torque = torque;
    m->motion[1] = CD_MOTION_PRESCRIBED;
    m->mass[0] = 2;
    m->inertia[0] = 0.5;
    cd_state2 pushed = cd_body_predicted2(&m->in, 0, 0.5), driven = cd_body_predicted2(&m->in, 1, 0.5);
    CD_CHECK_NEAR(pushed.velocity.x, 1 + 0.5 * 3, 1e-15);
    CD_CHECK_NEAR(pushed.velocity.y, 0.5 * (15 - 10), 1e-15);
    CD_CHECK_NEAR(pushed.spin, 2 + 0.5 * 8, 1e-15);
    CD_CHECK_NEAR(pushed.position.y, 0.25 * 5, 1e-15);
    CD_CHECK(driven.velocity.x == 1 && driven.velocity.y == 0 && driven.spin == 2);
    CD_CHECK(cd_body_predicted2(&m->in, 2, 0.5).velocity.y == -5);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    cd_reach reach = cd_reach_make(&arena, &m->in, &leaves, NAN);
    // |v| = 1, omega = 2, R = 0.5, |g + f / m| = sqrt(34), tau / J = 8, L = 2, h = 0.5
    double want = 0.0025 * 2 + 1.5 * 0.5 * (1 + 0.5 * 2 + (sqrt(34) + 0.5 * 8) * 0.5);
    CD_CHECK_NEAR(cd_reach_share(&reach, 0), want, 1e-14);
    CD_CHECK_NEAR(cd_reach_share(&reach, 1), 0.0025 * 2 + 1.5 * 0.5 * (1 + 0.5 * 2), 1e-14);
    m->in.body.mass = m->in.body.inertia = NULL;  // what is not known does not move
    CD_CHECK(cd_body_predicted2(&m->in, 0, 0.5).velocity.y == -5);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(order_is_by_id);
    CD_RUN(bodies_take_part_from_their_release_on);
    CD_RUN(poses_of_a_step);
    CD_RUN(dynamic_bodies_need_mass_inertia_and_shape);
    CD_RUN(compounds_unfold_in_depth_first_order);
    CD_RUN(placing_a_leaf_moves_its_points);
    CD_RUN(broken_shapes_are_refused_by_id_and_field);
    CD_RUN(a_bomb_of_nested_compounds_is_refused);
    CD_RUN(reach_is_asked_given_or_automatic);
    CD_RUN(applied_forces_move_dynamic_bodies_and_widen_their_reach);
    return cd_test_done();
}
