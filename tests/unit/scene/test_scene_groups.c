// Groups that are placed and turned as a whole, and what acts on bodies over time, against the same bodies written out.
// SPDX-License-Identifier: MIT
#include "cd_quat.h"
#include "cd_scene.h"
#include "cd_test.h"
#include "scene_generators.h"

static cd_arena arena;
static cd_diag diag;

static cd_status build(const char *text, cd_model *model)
{
    const cd_yaml_node *root;
    cd_scene_warnings warnings = {0};
    cd_scene_feed feed = {0};
    cd_scene_settings settings = {.step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1};
    settings.max_rows = 100000;
    settings.generators = cd_generators;
    settings.feed = &feed;
    memset(model, 0, sizeof *model);
    diag.text[0] = '\0';
    CD_TRY(cd_yaml_parse(&arena, "t", text, strlen(text), &root, &diag));
    return cd_scene_build(&arena, root, &settings, model, &warnings, &diag);
}

static cd_model scene_of(const char *text)
{
    cd_model model;
    CD_CHECK(build(text, &model) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    return model;
}

static void near_numbers(const double *a, const double *b, int count)
{
    CD_CHECK((a != NULL) == (b != NULL));
    for (int i = 0; a && b && i < count; i++)
        if (!isnan(a[i]) || !isnan(b[i]))  // absent of both
            CD_CHECK_NEAR(a[i], b[i], 1e-14 * (1 + fabs(b[i])));
}

static void near_lists(const cd_list *a, const cd_list *b, int rows, int width)
{
    CD_CHECK((a->offset != NULL) == (b->offset != NULL));
    if (!a->offset || !b->offset)
        return;
    CD_CHECK(a->offset[rows] == b->offset[rows]);
    near_numbers(a->f64, b->f64, a->offset[rows] * width);
}

// The same bodies, to rounding; rotations of space as such.
static void check_same(const char *text, const char *other)
{
    cd_model a = scene_of(text), b = scene_of(other);
    int dim = a.dim, count = a.body.count, spins = dim == 2 ? 1 : 3;
    CD_CHECK(count > 0 && count == b.body.count && a.shape.count == b.shape.count);
    if (count != b.body.count)
        return;
    near_numbers(a.body.position, b.body.position, dim * count);
    near_numbers(a.body.velocity, b.body.velocity, dim * count);
    near_numbers(a.body.spin, b.body.spin, spins * count);
    near_numbers(a.body.force, b.body.force, a.body.force ? dim * count : 0);
    near_numbers(a.body.torque, b.body.torque, a.body.torque ? spins * count : 0);
    near_numbers(a.body.inertia, b.body.inertia, a.body.inertia ? (dim == 2 ? 1 : 6) * count : 0);
    for (int i = 0; i < count; i++) {
        CD_CHECK(a.body.id[i] == b.body.id[i]);
        if (dim == 2)
            CD_CHECK_NEAR(a.body.rotation[i], b.body.rotation[i], 1e-14);
        else
            CD_CHECK(cd_quat_angle_between(cd_quat_at(a.body.rotation + 4 * i), cd_quat_at(b.body.rotation + 4 * i)) <
                     1e-14);
    }
    CD_CHECK(a.load.count == b.load.count && a.drive.count == b.drive.count);
    near_lists(&a.load.force, &b.load.force, a.load.count, dim);
    near_lists(&a.load.torque, &b.load.torque, a.load.count, spins);
    near_lists(&a.drive.position, &b.drive.position, a.drive.count, dim);
    if (dim == 2)
        near_lists(&a.drive.rotation, &b.drive.rotation, a.drive.count, 1);
}

#define BODY2 "{shape: {polygon: [[0, 0], [0.3, 0], [0, 0.6]]}, density: 2, "

CD_TEST(a_group_of_the_plane_is_placed_as_its_bodies_would_be)
{
    // about the origin by 90 degrees: (x, y) -> (-y, x)
    check_same("step: 0.1\ngroups: [{place: {position: [5, 6], rotation: 1.5707963267948966}, bodies: [" BODY2
               "position: [1, 2], rotation: 0.5, velocity: [3, 4], spin: 2, force: [1, 2], torque: 3}, " BODY2
               "load: [{time: 0, force: [1, 0], torque: 1}, {time: 1, force: [0, 2], torque: 2}]}]}]\n",
               "step: 0.1\nbodies: [" BODY2
               "position: [3, 7], rotation: 2.0707963267948966, velocity: [-4, 3], spin: 2, "
               "force: [-2, 1], torque: 3}, " BODY2 "position: [5, 6], rotation: 1.5707963267948966, "
               "load: [{time: 0, force: [0, 1], torque: 1}, {time: 1, force: [-2, 0], torque: 2}]}]\n");
    check_same("step: 0.1\ngroups: [{place: {position: [5, 6], rotation_deg: 90}, bodies: [{shape: {circle: 1}, "
               "drive: [{time: 0, position: [1, 2]}, {time: 2, position: [2, 2]}], rotation: 0.25}]}]\n",
               "step: 0.1\nbodies: [{shape: {circle: 1}, drive: [{time: 0, position: [3, 7], rotation: "
               "1.8207963267948966}, {time: 2, position: [3, 8], rotation: 1.8207963267948966}]}]\n");
}

#define BODY3 "{shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]}, density: 2, "

CD_TEST(a_group_of_space_is_placed_as_its_bodies_would_be)
{
    // a third of a turn about (1, 1, 1): (x, y, z) -> (z, x, y)
    check_same("dim: 3\ngroups: [{place: {position: [5, 6, 7], rotation: [0.5, 0.5, 0.5, 0.5]}, bodies: [" BODY3
               "position: [1, 2, 3], velocity: [3, 4, 5], spin: [1, 0, 2], force: [1, 2, 3], torque: [3, 4, 5]}, " BODY3
               "load: [{time: 0, force: [1, 0, 0], torque: [1, 2, 3]}]}]}]\n",
               "dim: 3\nbodies: [" BODY3 "position: [8, 7, 9], rotation: [0.5, 0.5, 0.5, 0.5], velocity: [5, 3, 4], "
               "spin: [2, 1, 0], force: [3, 1, 2], torque: [5, 3, 4]}, " BODY3
               "position: [5, 6, 7], rotation: [0.5, 0.5, 0.5, 0.5], load: [{time: 0, force: [0, 1, 0], torque: [3, 1, "
               "2]}]}]\n");
}

#define WITHIN \
    "generate: [{generator: bricks, count: [2, 1, 2], size: [1, 0.5, 0.2]}], bodies: [" BODY3 "spin: [1, 2, 3]}]"
#define TURN_A "rotation: {axis: [1, 2, 3], angle: 0.7}"
#define TURN_B "rotation: {axis: [-1, 0.5, 2], angle: 1.9}"

// B (A x + a) + b, with B a as the inner place turned by hand: a group that holds nothing but a point.
CD_TEST(places_within_places_compose)
{
    cd_model nested = scene_of("dim: 3\ngroups: [{place: {position: [1, 2, 3], " TURN_B
                               "}, groups: [{place: {position: [4, 5, 6], " TURN_A "}, " WITHIN "}]}]\n");
    cd_model inner = scene_of("dim: 3\ngroups: [{place: {position: [4, 5, 6], " TURN_A "}, " WITHIN "}]\n");
    cd_quat turn = cd_quat_unit(cd_quat_from_vector(cd_scale3(1.9 / sqrt(5.25), (cd_vec3){-1, 0.5, 2})));
    CD_CHECK(nested.body.count == 5 && inner.body.count == 5);
    for (int i = 0; i < inner.body.count && i < nested.body.count; i++) {
        cd_vec3 place = cd_add3((cd_vec3){1, 2, 3}, cd_quat_turn(turn, cd_vec3_at(inner.body.position + 3 * i)));
        cd_vec3 spin = cd_quat_turn(turn, cd_vec3_at(inner.body.spin + 3 * i));
        cd_quat rotation = cd_quat_product(turn, cd_quat_at(inner.body.rotation + 4 * i));
        CD_CHECK_NEAR(cd_length3(cd_sub3(place, cd_vec3_at(nested.body.position + 3 * i))), 0, 1e-14);
        CD_CHECK_NEAR(cd_length3(cd_sub3(spin, cd_vec3_at(nested.body.spin + 3 * i))), 0, 1e-14);
        CD_CHECK_NEAR(cd_quat_angle_between(rotation, cd_quat_at(nested.body.rotation + 4 * i)), 0, 1e-14);
    }
    // in the plane by the product of both
    check_same(
        "groups: [{place: {position: [1, 2], rotation: 0.5}, groups: [{place: {position: [3, 0], rotation: 0.25}, "
        "bodies: [" BODY2 "position: [1, 1], velocity: [1, 0]}]}]}]\n",
        "groups: [{place: {position: [3.6327476856711183, 3.438276615812609], rotation: 0.75}, bodies: [" BODY2
        "position: [1, 1], velocity: [1, 0]}]}]\n");
}

// A generator's own place, and that of a group around it; its random numbers are those that it has without.
CD_TEST(generators_are_placed_too)
{
    check_same(
        "step: 0.1\ngenerate: [{generator: random-polygons, count: 5, spawn: [[1, 2]], velocity: [[3, 0]], place: "
        "{position: [5, 6], rotation_deg: 30}}]\n",
        "step: 0.1\ngroups: [{place: {position: [5, 6], rotation_deg: 30}, generate: [{generator: "
        "random-polygons, count: 5, spawn: [[1, 2]], velocity: [[3, 0]]}]}]\n");
    check_same("generate: [{generator: grid, count: [3, 2], spacing: [1, 1], place: {}, body: " BODY2 "}}]\n",
               "generate: [{generator: grid, count: [3, 2], spacing: [1, 1], body: " BODY2 "}}]\n");
    cd_model plain = scene_of("dim: 3\nstep: 0.1\ngenerate: [{generator: random-hulls, count: 3}]\n");
    cd_model moved =
        scene_of("dim: 3\nstep: 0.1\ngenerate: [{generator: random-hulls, count: 3, place: {position: [0, 0, 1]}}]\n");
    near_numbers(plain.shape.vertices.f64, moved.shape.vertices.f64, 3 * plain.shape.vertices.offset[3]);
    CD_CHECK(!memcmp(plain.body.rotation, moved.body.rotation, 12 * sizeof(double)));  // to the bit
    CD_CHECK(moved.body.position[2] == plain.body.position[2] + 1);
    // a load, or a drive, of the template is each body's own
    cd_model driven =
        scene_of("step: 0.1\ngroups: [{place: {position: [5, 0]}, generate: [{generator: grid, count: [2, 1], "
                 "spacing: [1, 1], body: {shape: {circle: 0.1}, drive: [{time: 0, rotation: 0}, {time: 1, "
                 "rotation: 3}]}}]}]\n");
    CD_CHECK(driven.drive.count == 2 && driven.drive.body[1] == 2 && !driven.drive.point);
    CD_CHECK(driven.drive.position.f64[0] == 5 && driven.drive.position.f64[4] == 6 &&
             driven.drive.position.f64[6] == 6);
    CD_CHECK(driven.body.motion[0] == CD_MOTION_PRESCRIBED && driven.body.position[2] == 6);
}

CD_TEST(a_driven_body_without_a_place_starts_where_its_table_says)
{
    cd_model in =
        scene_of("step: 0.1\nbodies: [{shape: {polygon: [[0, 0], [2, 0], [2, 2], [0, 2]]}, drive: [{time: -1, "
                 "position: [0, 0], rotation: 0}, {time: 1, position: [4, 2], rotation_deg: 180}]}]\n");
    CD_CHECK_NEAR(in.body.rotation[0], acos(-1) / 2, 1e-15);
    CD_CHECK_NEAR(in.body.position[0], 2 - 1, 1e-15);
    CD_CHECK_NEAR(in.body.position[1], 1 + 1, 1e-15);
    CD_CHECK(in.drive.point[0] == -1 && in.drive.point[1] == -1 && in.drive.position.f64[2] == 4);
    in = scene_of(
        "dim: 3\nstep: 0.1\nbodies: [{shape: {sphere: 1}, drive: [{time: 0, rotation: [1, 0, 0, 0]}, {time: 1, "
        "rotation: {axis: [0, 0, 1], angle_deg: 90}}], position: [1, 2, 3]}]\n");
    CD_CHECK(in.body.rotation[0] == 1 && in.drive.position.f64[5] == 3 && !in.drive.point && in.body.position[2] == 3);
}

CD_TEST(forces_of_the_defaults_are_for_dynamic_bodies_that_have_none)
{
    cd_model in =
        scene_of("defaults: {shape: {circle: 1}, mass: 1, force: [1, 2], torque: 3}\nbodies:\n- {}\n- {motion: "
                 "fixed}\n- {force: [4, 5]}\n- {load: [{time: 0, force: [6, 7]}]}\n");
    CD_CHECK(in.body.force[0] == 1 && in.body.torque[0] == 3 && isnan(in.body.force[2]) && isnan(in.body.torque[1]));
    CD_CHECK(in.body.force[4] == 4 && isnan(in.body.torque[2]) && isnan(in.body.force[6]));
    CD_CHECK(in.load.count == 1 && in.load.body[0] == 4 && in.load.force.f64[1] == 7 && !in.load.torque.offset);
}

typedef struct refusal {
    const char *text, *sentence;
} refusal;

#define DISC "{shape: {circle: 1}, mass: 1, "
static const refusal refusals[] = {
    {"bodies:\n- " DISC "load: []}\n", "t:2: load: has no times"},
    {"bodies:\n- " DISC "load: 3}\n", "t:2: load: needs a list, not a single value"},
    {"bodies:\n- " DISC
     "load: [{time: 0, force: [1, 2]},\n    {time: 1, force: [1, 2]},\n    {time: 0.5, force: [1, 2]}]}\n",
     "t:4: time: 0.5 s after 1 s: must ascend"},
    {"bodies:\n- " DISC "load: [{time: 0}]}\n", "t:2: load: needs force or torque"},
    {"bodies:\n- " DISC "load: [{force: [1, 2]}]}\n", "t:2: time: is missing"},
    {"bodies:\n- " DISC "load: [{time: 0, force: [1, 2, 3]}]}\n", "t:2: force: needs 2 numbers, has 3"},
    {"bodies:\n- " DISC "load: [{time: 0, force: [1, 2]}, {time: 1, torque: 1}]}\n",
     "t:2: force: all times have it, or none"},
    {"bodies:\n- " DISC "load: [{time: 0, position: [1, 2]}]}\n", "t:2: position: unknown key"},
    {"bodies:\n- " DISC "force: [1, 2], load: [{time: 0, force: [1, 2]}]}\n", "t:2: force: the load has it as well"},
    {"bodies:\n- " DISC "motion: fixed, torque: 1}\n", "t:2: torque: acts on dynamic bodies alone"},
    {"bodies:\n- " DISC "drive: [{time: 0, position: [1, 2]}]}\n",
     "t:2: drive: moves from step to step: the scene needs step"},
    {"step: 1\nbodies:\n- " DISC "motion: dynamic, drive: [{time: 0, position: [1, 2]}]}\n",
     "t:3: drive: motion must be prescribed"},
    {"step: 1\nbodies:\n- " DISC "spin: 1, drive: [{time: 0, position: [1, 2]}]}\n", "t:3: spin: the drive sets it"},
    {"step: 1\ndefaults: {drive: [{time: 0, position: [1, 2]}]}\n", "t:2: drive: every body needs its own"},
    {"groups: 3\n", "t:1: groups: needs a list, not a single value"},
    {"groups:\n- {place: {position: [1]}}\n", "t:2: position: needs 2 numbers, has 1"},
    {"groups:\n- {place: {turn: 1}}\n", "t:2: turn: unknown key"},
    {"groups:\n- {shapes: {}}\n", "t:2: shapes: unknown key"},
    {"groups:\n- place: {position: [1.7e308, 0]}\n  bodies: [{shape: {circle: 1}, mass: 1, position: [1e308, 0]}]\n",
     "t:2: place: a position is too large"},
    {"generate:\n- {generator: boxes, kind: touching, count: 8, as: bounds, place: {position: [1, 2]}}\n",
     "t:2: place: boxes that are written as bounds cannot be placed"},
    {"groups:\n- generate: [{generator: boxes, kind: touching, count: 8, as: bounds}]\n- bodies: [{shape: {circle: 1}, "
     "mass: 1}]\n",
     "t:2: boxes: makes bodies while they are written, which must be all bodies of the scene"},
};

CD_TEST(what_is_wrong_is_refused_with_its_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        cd_model model;
        CD_CHECK(build(refusals[i].text, &model) == CD_ERR_FORMAT);
        CD_CHECK(!strncmp(diag.text, refusals[i].sentence, strlen(refusals[i].sentence)));
        if (strncmp(diag.text, refusals[i].sentence, strlen(refusals[i].sentence)) != 0)
            CD_CHECK_TEXT(diag.text, refusals[i].sentence);
    }
}

// A template's samples are multiplied by its bodies.
CD_TEST(samples_of_a_scene_are_limited)
{
    char text[20000] = "generate: [{generator: grid, count: [200, 200], spacing: [1, 1], body: {shape: {circle: 0.1}, "
                       "mass: 1, load: [";
    for (int i = 0; i < 300; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "{time: %d, torque: 1}, ", i);
    strcat(text, "{time: 300, torque: 1}]}}]\n");
    cd_model model;
    CD_CHECK(build(text, &model) == CD_ERR_LIMIT);
    CD_CHECK_TEXT(diag.text, "t:1: load: with those of the bodies before it more than 100000 times (--max-rows)");
}

int main(void)
{
    CD_RUN(a_group_of_the_plane_is_placed_as_its_bodies_would_be);
    CD_RUN(a_group_of_space_is_placed_as_its_bodies_would_be);
    CD_RUN(places_within_places_compose);
    CD_RUN(generators_are_placed_too);
    CD_RUN(a_driven_body_without_a_place_starts_where_its_table_says);
    CD_RUN(forces_of_the_defaults_are_for_dynamic_bodies_that_have_none);
    CD_RUN(what_is_wrong_is_refused_with_its_line);
    CD_RUN(samples_of_a_scene_are_limited);
    cd_arena_release(&arena);
    return cd_test_done();
}
