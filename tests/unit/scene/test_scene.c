// Scenes to tables: places, mass properties against other ways of writing the same body, generators and their
// statistics.
// SPDX-License-Identifier: MIT
#include "cd_scene.h"

#include "cd_polygon.h"
#include "cd_random.h"
#include "cd_test.h"
#include "scene_generators.h"

#include <stdlib.h>
#include <unistd.h>

static cd_arena arena;
static cd_diag diag;
static cd_scene_warnings warnings;

static cd_scene_settings no_settings(void)
{
    return (cd_scene_settings){
        .step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1, .max_rows = 100000, .generators = cd_generators};
}

static cd_status build_with(const char *text, cd_scene_settings settings, cd_model *model)
{
    const cd_yaml_node *root;
    memset(model, 0, sizeof *model);
    warnings = (cd_scene_warnings){0};
    diag.text[0] = '\0';
    CD_TRY(cd_yaml_parse(&arena, "t", text, strlen(text), &root, &diag));
    return cd_scene_build(&arena, root, &settings, model, &warnings, &diag);
}

static cd_model build(const char *text)
{
    cd_model model;
    cd_status status = build_with(text, no_settings(), &model);
    if (status != CD_OK)
        printf("# %s\n", diag.text);
    CD_CHECK(status == CD_OK);
    return model;
}

static const char *refusal(const char *text)
{
    cd_model model;
    CD_CHECK(build_with(text, no_settings(), &model) == CD_ERR_FORMAT);
    return diag.text;
}

static cd_polygon polygon_of(const cd_model *model, int32_t shape)
{
    const cd_list *v = &model->shape.vertices;
    return (cd_polygon){v->offset[shape + 1] - v->offset[shape], (const cd_vec2 *)v->f64 + v->offset[shape]};
}

static cd_vec2 world_vertex(const cd_model *model, int32_t body, int32_t vertex)
{
    cd_pose2 pose = cd_pose2_make(cd_vec2_at(model->body.position + 2 * body), model->body.rotation[body]);
    return cd_pose2_apply(pose, polygon_of(model, model->body.shape[body]).vertex[vertex]);
}

// ---- tables --------------------------------------------------------------------------------------------------------

CD_TEST(head_frame_and_body_say_what_the_scene_says)
{
    cd_model m = build("dim: 2\ngravity: [1, -9]\nstep: 0.02\nreach: 0.3\nepsilon: 1e-3\ngyroscopic: explicit\n"
                       "model: peg-printed\n"
                       "materials: {oak: {density: 3, bulk: 4}, ash: {shear: 0}}\nshapes: {s: {box: [1, 2]}}\n"
                       "bodies:\n- {shape: s, position: [3, 4], rotation: 0.5, velocity: [5, 6], spin: 7, material: "
                       "oak, group: g, mu: 0.4, release: 2}\n"
                       "- {shape: s, motion: prescribed, velocity: [1, 0]}\n");
    CD_CHECK(m.dim == 2 && m.head.dim[0] == 2 && m.head.gravity[0] == 1 && m.head.gravity[1] == -9 &&
             m.head.reach[0] == 0.3);
    CD_CHECK(m.head.epsilon[0] == 1e-3 && m.head.gyroscopic[0] == CD_GYROSCOPIC_EXPLICIT && m.head.cds.i32[0] == 1);
    CD_CHECK_TEXT(m.head.model[0], "peg-printed");
    CD_CHECK(!build("dim: 2\n").head.model);
    CD_CHECK(m.frame.index[0] == 0 && m.frame.time[0] == 0 && m.frame.step[0] == 0.02);
    CD_CHECK(m.material.count == 2 && m.material.density[0] == 3 && m.material.bulk[0] == 4 &&
             isnan(m.material.density[1]) && m.material.shear[1] == 0);
    CD_CHECK(m.shape.count == 1 && m.shape.kind[0] == CD_SHAPE_BOX && m.shape.halfsizes[1] == 2 &&
             !m.shape.vertices.offset && !m.shape.radius);
    CD_CHECK(m.body.count == 2 && m.body.id[1] == 2 && m.body.shape[1] == 0 &&
             m.body.motion[1] == CD_MOTION_PRESCRIBED);
    CD_CHECK(m.body.position[0] == 3 && m.body.position[1] == 4 && m.body.rotation[0] == 0.5 &&
             m.body.velocity[1] == 6 && m.body.spin[0] == 7);
    CD_CHECK(m.body.mass[0] == 24 && m.body.inertia[0] == 24 * (1.0 + 4) / 3 && isnan(m.body.mass[1]) &&
             isnan(m.body.inertia[1]));
    CD_CHECK_TEXT(m.body.group[0], "g");
    CD_CHECK(!m.body.group[1] && m.body.material[0] == 0 && m.body.material[1] == -1 && m.body.mu[0] == 0.4 &&
             m.body.release[0] == 2);
    CD_CHECK(!build("bodies: [{shape: {box: [1, 1]}, motion: fixed}]").head.gravity);
}

CD_TEST(interactions_name_two_materials)
{
    cd_model m = build("materials: {oak: {}, ice: {}}\ninteractions:\n"
                       "- {a: ice, b: oak, mu: 0.1, restitution: 0.5, law: poisson}\n- {a: oak, b: oak}\n");
    const cd_interaction_rows *rows = &m.interaction;
    CD_CHECK(rows->count == 2 && rows->a[0] == 1 && rows->b[0] == 0 && rows->a[1] == 0 && rows->b[1] == 0);
    CD_CHECK(rows->mu[0] == 0.1 && rows->restitution[0] == 0.5 && rows->law[0] == CD_RESTITUTION_POISSON);
    CD_CHECK(isnan(rows->mu[1]) && isnan(rows->restitution[1]) && rows->law[1] == CD_ABSENT);
    CD_CHECK(build("materials: {oak: {}}").interaction.count == 0);
}

CD_TEST(command_line_overrides_the_scene)
{
    cd_model m;
    cd_scene_settings settings = no_settings();
    settings.step = 0.5;
    settings.reach = 0.25;
    settings.epsilon = 2e-3;
    CD_CHECK(build_with("step: 1\nreach: 1\nepsilon: 1\nbodies: []", settings, &m) == CD_OK);
    CD_CHECK(m.frame.step[0] == 0.5 && m.head.reach[0] == 0.25 && m.head.epsilon[0] == 2e-3);
    settings.max_rows = 3;
    CD_CHECK(build_with("shapes: {b: {box: [1, 1]}}\ndefaults: {shape: b, motion: fixed}\nbodies: [{}, {}, {}]",
                        settings, &m) == CD_OK);
    CD_CHECK(build_with("shapes: {b: {box: [1, 1]}}\ndefaults: {shape: b, motion: fixed}\nbodies: [{}, {}, {}, {}]",
                        settings, &m) == CD_ERR_LIMIT);
    CD_CHECK(build_with("generate: [{generator: grid, count: [4, 1], spacing: [1, 1], points: 4, body: {mass: 1}}]",
                        settings, &m) == CD_ERR_LIMIT);
}

CD_TEST(ids_fill_the_gaps)
{
    cd_model m = build("shapes: {b: {box: [1, 1]}}\ndefaults: {shape: b, motion: fixed}\n"
                       "bodies: [{}, {id: 2}, {}, {id: -5}, {id: 4}, {}, {id: 9007199254740993}]");
    static const int64_t expected[] = {1, 2, 3, -5, 4, 5, INT64_C(9007199254740993)};
    for (int i = 0; i < 7; i++)
        CD_CHECK(m.body.id[i] == expected[i]);
}

CD_TEST(defaults_fill_what_a_body_lacks)
{
    cd_model m = build("materials: {oak: {density: 2}}\nshapes: {b: {box: [1, 1]}}\n"
                       "defaults: {shape: b, mass: 3, inertia: 5, mu: 0.1, velocity: [1, 1], group: all}\n"
                       "bodies:\n- {}\n- {mass: 7}\n- {density: 2, mu: 0.5}\n- {motion: fixed}\n- {shape: {circle: 2}, "
                       "velocity: [0, 0]}\n");
    CD_CHECK(m.body.mass[0] == 3 && m.body.inertia[0] == 5 && m.body.mu[0] == 0.1 && m.body.velocity[0] == 1);
    CD_CHECK(m.body.mass[1] == 7);
    CD_CHECK_NEAR(m.body.inertia[1], 7 * 2.0 / 3, 1e-15);  // its own mass: the shape's inertia, not the default
    CD_CHECK(m.body.mass[2] == 8 && m.body.mu[2] == 0.5);
    CD_CHECK(isnan(m.body.mass[3]) && m.body.velocity[6] == 0 && m.body.mu[3] == 0.1);
    CD_CHECK(m.body.mass[4] == 3 && m.body.shape[4] == 1 && m.body.velocity[8] == 0);
    CD_CHECK_TEXT(m.body.group[3], "all");
}

// ---- places --------------------------------------------------------------------------------------------------------

CD_TEST(a_shift_of_the_drawing_and_of_the_place_cancel)
{
    cd_model m = build("defaults: {density: 1}\nbodies:\n"
                       "- {shape: {polygon: [[0, 0], [3, 0], [0, 6]]}, position: [10, 20], rotation: 0.7}\n"
                       "- {shape: {polygon: [[5, -2], [8, -2], [5, 4]]}, position: [4.887352, 20], rotation: 0.7}\n");
    cd_pose2 pose = cd_pose2_make((cd_vec2){10, 20}, 0.7);  // where the scene says the drawing's own origin is
    static const cd_vec2 drawn[] = {{0, 0}, {3, 0}, {0, 6}};
    for (int i = 0; i < 3; i++) {
        cd_vec2 expected = cd_pose2_apply(pose, drawn[i]), first = world_vertex(&m, 0, i);
        CD_CHECK_NEAR(first.x, expected.x, 1e-14);
        CD_CHECK_NEAR(first.y, expected.y, 1e-14);
        cd_vec2 other =
            cd_pose2_apply(cd_pose2_make((cd_vec2){4.887352, 20}, 0.7), cd_add2(drawn[i], (cd_vec2){5, -2}));
        CD_CHECK_NEAR(world_vertex(&m, 1, i).x, other.x, 1e-14);
        CD_CHECK_NEAR(world_vertex(&m, 1, i).y, other.y, 1e-14);
    }
    cd_vec2 centre = cd_pose2_apply(pose, (cd_vec2){1, 2});  // a third of the corner sums
    CD_CHECK_NEAR(m.body.position[0], centre.x, 1e-14);
    CD_CHECK_NEAR(m.body.position[1], centre.y, 1e-14);
    CD_CHECK_NEAR(m.body.mass[0], 9, 1e-14);
    CD_CHECK_NEAR(m.body.inertia[0], 9 * (3 * 3 + 6 * 6) / 18.0, 1e-13);  // right triangle: m (a^2 + b^2)/18
    CD_CHECK_NEAR(m.body.inertia[1], m.body.inertia[0], 1e-13);
}

CD_TEST(a_centred_drawing_is_not_touched)
{
    cd_model m = build("bodies: [{shape: {polygon: [[0.1, 0], [0, 0.1], [-0.1, 0], [0, -0.1]]}, position: [0.3, 0.7], "
                       "rotation: 1, mass: 1}]");
    CD_CHECK(polygon_of(&m, 0).vertex[0].x == 0.1 && polygon_of(&m, 0).vertex[3].y == -0.1);
    CD_CHECK(m.body.position[0] == 0.3 && m.body.position[1] == 0.7);
}

CD_TEST(a_given_centre_of_mass_is_the_origin)
{
    cd_model m = build("bodies: [{shape: {polygon: [[0, 0], [2, 0], [2, 2], [0, 2]], centre: [0.5, 1]}, position: [1, "
                       "1], mass: 2, inertia: 3}]");
    CD_CHECK(m.body.position[0] == 1.5 && m.body.position[1] == 2 && m.body.inertia[0] == 3);
    CD_CHECK(polygon_of(&m, 0).vertex[0].x == -0.5 && polygon_of(&m, 0).vertex[0].y == -1);
    CD_CHECK_TEXT(refusal("bodies: [{shape: {polygon: [[0, 0], [2, 0], [0, 2]], centre: [0.5, 1]}, mass: 2}]"),
                  "t:1: inertia: its shape has a centre of its own: give inertia");
}

// ---- mass ----------------------------------------------------------------------------------------------------------

CD_TEST(a_body_cut_into_parts_stays_the_same_body)
{
    // One trapezoid; the same cut into a turned box, drawn elsewhere, and a triangle; and as a compound inside a
    // compound.
    cd_model m = build(
        "defaults: {density: 2.5, position: [1, -1], rotation: 0.4}\nshapes:\n"
        "  whole: {polygon: [[0, 0], [4, 0], [2, 2], [0, 2]]}\n  square: {box: [1, 1]}\n"
        "  corner: {polygon: [[12, 10], [14, 10], [12, 12]]}\n"
        "  cut:\n    compound:\n    - {shape: square, position: [1, 1], rotation_deg: 90}\n    - {shape: corner, "
        "position: [-10, -10]}\n"
        "    adjacent: [[0, 1]]\n"
        "  nested:\n    compound:\n    - {shape: cut, position: [3, 0], rotation_deg: 180}\n"
        "bodies:\n- {shape: whole}\n- {shape: cut}\n"
        "- {shape: nested, position: [3.763182982008655, 0.1682550269259515], rotation_deg: 202.91831180523293}\n");
    // The third is turned by half a turn more and set at position + R (3, 0), so that its parts lie where the others'
    // do.
    CD_CHECK(warnings.count == 0);  // the parts touch, but do not overlap
    for (int i = 1; i < 3; i++) {
        CD_CHECK_NEAR(m.body.mass[i], 2.5 * 6, 1e-13);
        CD_CHECK_NEAR(m.body.inertia[i], m.body.inertia[0], 1e-12);
        CD_CHECK_NEAR(m.body.position[2 * i], m.body.position[0], 1e-12);
        CD_CHECK_NEAR(m.body.position[2 * i + 1], m.body.position[1], 1e-12);
    }
    CD_CHECK(m.shape.parts_shape.offset[m.shape.count] == 3 && m.shape.adjacent.i32[1] == 1);
}

CD_TEST(overlapping_parts_are_told)
{
    build("epsilon: 1e-2\nbodies:\n- shape:\n    compound: [{shape: {box: [1, 1]}}, {shape: {box: [1, 1]}, position: "
          "[1, 1]}]\n  density: 1\n");
    CD_CHECK(warnings.count == 1);
    CD_CHECK_TEXT(warnings.item[0],
                  "t:3: shape: parts 0 and 1 of the compound overlap by 1 m^2, which counts twice in mass and inertia");
    build("epsilon: 1e-2\nbodies: [{shape: {compound: [{shape: {box: [1, 1]}}, {shape: {box: [1, 1]}, position: [1, "
          "1]}]}, motion: fixed}]");
    CD_CHECK(warnings.count == 0);
}

CD_TEST(closed_forms_of_the_plane)
{
    cd_model m = build("defaults: {density: 3}\nbodies: [{shape: {circle: 2}}, {shape: {ellipsoid: [2, 2]}}, {shape: "
                       "{ellipsoid: [1, 3]}}]");
    CD_CHECK_NEAR(m.body.mass[0], 3 * M_PI * 4, 1e-13);
    CD_CHECK_NEAR(m.body.inertia[0], m.body.mass[0] * 4 / 2, 1e-13);
    CD_CHECK_NEAR(m.body.inertia[1], m.body.inertia[0], 1e-13);
    CD_CHECK_NEAR(m.body.mass[2], 3 * M_PI * 3, 1e-13);
    CD_CHECK_NEAR(m.body.inertia[2], m.body.mass[2] * (1 + 9) / 4, 1e-13);
    // An ellipse is nearly a polygon of many corners: the shoelace sums must agree to (2 pi / n)^2.
    cd_buffer text = {0};
    cd_buffer_text(&text, "bodies: [{density: 3, shape: {polygon: [");
    for (int i = 0; i < 2000; i++)
        cd_buffer_printf(&text, "%s[%.17g, %.17g]", i ? ", " : "", cos(2 * M_PI * i / 2000),
                         3 * sin(2 * M_PI * i / 2000));
    cd_buffer_text(&text, "]}}]");
    cd_buffer_append(&text, "", 1);
    cd_model p = build(text.data);
    CD_CHECK_NEAR(p.body.mass[0] / m.body.mass[2], 1, 1e-5);
    CD_CHECK_NEAR(p.body.inertia[0] / m.body.inertia[2], 1, 1e-5);
    cd_buffer_release(&text);
}

CD_TEST(mass_in_space)
{
    // A box; the same in two halves, one of them turned by a quarter about x with its sizes exchanged; a ball as an
    // ellipsoid.
    cd_model m =
        build("dim: 3\ndefaults: {density: 2}\nbodies:\n- {shape: {box: [1, 2, 3]}, position: [5, 6, 7]}\n"
              "- shape:\n    compound:\n    - {shape: {box: [0.5, 2, 3]}, position: [-0.5, 0, 0]}\n"
              "    - {shape: {box: [0.5, 3, 2]}, position: [0.5, 0, 0], rotation: {axis: [2, 0, 0], angle_deg: 90}}\n"
              "  position: [5, 6, 7]\n- {shape: {sphere: 2}}\n- {shape: {ellipsoid: [2, 2, 2]}, rotation: [0.7071, "
              "0.7071, 0, 0]}\n");
    for (int k = 0; k < 3; k++) {
        CD_CHECK_NEAR(m.body.position[3 + k], m.body.position[k], 1e-13);
        CD_CHECK_NEAR(m.body.inertia[12 + k], 0.4 * m.body.mass[2] * 4, 1e-11);
        CD_CHECK_NEAR(m.body.inertia[18 + k], m.body.inertia[12 + k], 1e-11);
    }
    CD_CHECK_NEAR(m.body.mass[0], 2 * 48, 1e-13);
    CD_CHECK_NEAR(m.body.inertia[0], 96 * (4 + 9) / 3.0, 1e-11);
    CD_CHECK_NEAR(m.body.mass[2], 2 * 4 * M_PI / 3 * 8, 1e-12);
    for (int k = 0; k < 6; k++)
        CD_CHECK_NEAR(m.body.inertia[6 + k], m.body.inertia[k], 1e-11);
    double norm = 0;
    for (int k = 0; k < 4; k++)
        norm += m.body.rotation[12 + k] * m.body.rotation[12 + k];
    CD_CHECK_NEAR(norm, 1, 1e-15);
}

CD_TEST(products_of_inertia_have_their_sign)
{
    // Four unit points-like cubes at (+-1, +-1, 0) would be symmetric; two of them, at (1, 1, 0) and (-1, -1, 0), give
    // xy = -sum m x y.
    cd_model m =
        build("dim: 3\nbodies:\n- shape:\n    compound: [{shape: {box: [0.1, 0.1, 0.1]}, position: [1, 1, 0]}, "
              "{shape: {box: [0.1, 0.1, 0.1]}, position: [-1, -1, 0]}]\n  density: 1\n");
    double mass = 0.008;
    CD_CHECK_NEAR(m.body.inertia[3], -2 * mass, 1e-16);
    CD_CHECK_NEAR(m.body.inertia[0], 2 * mass * (1 + 0.02 / 3), 1e-16);
    CD_CHECK_NEAR(m.body.inertia[2], 2 * mass * (2 + 0.02 / 3), 1e-16);
    // A turned brick: R J R^T against the definition by a sum over a fine lattice of its points.
    cd_model t = build("dim: 3\nbodies: [{density: 1, shape: {compound: [{shape: {box: [1, 2, 3]}, rotation: {axis: "
                       "[1, 2, 3], angle: 0.9}}]}}]");
    const double *rotation = t.shape.parts_rotation.f64, *j = t.body.inertia;
    double sum[6] = {0};
    enum { N = 20 };
    for (int i = 0; i < N * N * N; i++) {
        double p[3] = {(2 * (i % N) + 1.0) / N - 1, 2 * ((2 * (i / N % N) + 1.0) / N - 1),
                       3 * ((2 * (i / N / N) + 1.0) / N - 1)},
               q[3];
        cd_scene_turn(3, rotation, p, q);
        sum[0] += q[1] * q[1] + q[2] * q[2];
        sum[1] += q[0] * q[0] + q[2] * q[2];
        sum[2] += q[0] * q[0] + q[1] * q[1];
        sum[3] -= q[0] * q[1];
        sum[4] -= q[0] * q[2];
        sum[5] -= q[1] * q[2];
    }
    for (int k = 0; k < 6; k++)  // the midpoint rule is short by (1/N)^2 of the moments, 560 kg m^2 at most
        CD_CHECK_NEAR(sum[k] * 48 / (N * N * N), j[k], 560.0 / (N * N));
    CD_CHECK(fabs(j[4]) > 20);  // far above that error
}

CD_TEST(polyhedra_are_written_through)
{
    cd_model m =
        build("dim: 3\nbodies:\n- shape: {polyhedron: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "
              "faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], surfaces: [4, 5, 6, -1]}}\n  mass: 2\n  inertia: "
              "[1, 2, 3]\n"
              "- {shape: {facets: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]], thickness: "
              "0.1}}, motion: fixed}\n");
    CD_CHECK(m.shape.faces.offset[1] == 4 && m.shape.faces.offset[2] == 4 && m.shape.faces.inner[4] == 12 &&
             m.shape.faces.data[11] == 3);
    CD_CHECK(m.shape.surfaces.i32[3] == -1 && m.shape.triangles.offset[2] == 1 && m.shape.thickness[1] == 0.1 &&
             isnan(m.shape.thickness[0]));
    CD_CHECK(m.shape.vertices.f64[3] == 0.75 && m.body.position[0] == 0.25);  // about the centre of mass
    CD_CHECK(m.body.inertia[1] == 2 && m.body.inertia[3] == 0);
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {facets: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "
                          "triangles: [[0, 1, 2]]}}}"),
                  "t:3: inertia: is not worked out for this kind of shape: give inertia");
}

// ---- scales --------------------------------------------------------------------------------------------------------

CD_TEST(length_is_the_median_diameter_of_moving_parts)
{
    cd_model m =
        build("defaults: {density: 1}\nshapes:\n  pair: {compound: [{shape: {circle: 5}}, {shape: {circle: 6}}]}\n"
              "bodies: [{shape: {circle: 1}}, {shape: pair}, {shape: pair, position: [50, 0]}, {shape: {circle: 100}, "
              "motion: fixed}]");
    CD_CHECK(m.head.length[0] == 10);  // of 2, 10, 10, 12, 12
    m = build("defaults: {density: 1}\nbodies: [{shape: {box: [3, 4]}}, {shape: {circle: 10}}]");
    CD_CHECK(m.head.length[0] == 15);
    m = build("bodies: [{shape: {polygon: [[0, 0], [3, 0], [3, 4], [0, 4]]}, motion: fixed}, {shape: {halfspace: "
              "{normal: [3, 4]}}, motion: fixed}]");
    CD_CHECK(m.head.length[0] == 5 && m.shape.normal[2] == 0.6 && m.shape.normal[3] == 0.8);
    CD_CHECK(build("length: 7\nbodies: [{shape: {box: [3, 4]}, motion: fixed}]").head.length[0] == 7);
    CD_CHECK(!build("bodies: []").head.length);
}

CD_TEST(epsilon_out_of_range_is_told)
{
    build("epsilon: 1e-3\nbodies: [{shape: {box: [1, 0.5]}, motion: fixed}]");
    CD_CHECK(warnings.count == 0);
    build("epsilon: 1e-5\nbodies: [{shape: {box: [1, 0.5]}, motion: fixed}]");
    CD_CHECK(warnings.count == 1);
    CD_CHECK_TEXT(warnings.item[0],
                  "epsilon 1e-05 m is out of the recommended 0.0001..0.01 m: 0.0001..0.01 of the smallest edge, 1 m");
    build("epsilon: 0.011\nbodies: [{shape: {box: [1, 0.5]}, motion: fixed}]");
    CD_CHECK(warnings.count == 1);
    // the usual one is told where edges are as small as it
    build("bodies: [{shape: {box: [1, 0.5]}, motion: fixed}]");
    CD_CHECK(warnings.count == 0);
    build("bodies: [{shape: {box: [1, 1e-5]}, motion: fixed}]");
    CD_CHECK(warnings.count == 1);
    CD_CHECK(build("bodies: []").head.epsilon[0] == 1e-6);
}

// ---- generators ----------------------------------------------------------------------------------------------------

CD_TEST(random_polygons_are_what_the_paper_says)
{
    cd_model m = build("step: 0.01\nseed: 3\ngenerate: [{generator: random-polygons}]");
    CD_CHECK(m.body.count == 20 && m.shape.count == 20);
    for (int i = 0; i < 20; i++) {
        cd_polygon p = polygon_of(&m, m.body.shape[i]);
        CD_CHECK(cd_polygon_check(p.vertex, p.count).kind == CD_POLYGON_OK && p.count >= 3 && p.count <= 10);
        long double area = 0, x = 0, y = 0;  // fan of triangles from the origin
        for (int v = 0; v < p.count; v++) {
            cd_vec2 a = p.vertex[v], b = p.vertex[cd_polygon_next(p, v)];
            long double cross = (long double)a.x * b.y - (long double)a.y * b.x;
            area += cross / 2;
            x += cross * (a.x + b.x) / 6;
            y += cross * (a.y + b.y) / 6;
        }
        CD_CHECK_NEAR((double)(x / area), 0, 1e-16);
        CD_CHECK_NEAR((double)(y / area), 0, 1e-16);
        cd_aabb box = cd_polygon_bounds(p);
        CD_CHECK(box.max[0] - box.min[0] <= 0.25 && box.max[1] - box.min[1] <= 0.25);
        CD_CHECK(m.body.mass[i] == 0.25 && m.body.inertia[i] == 0.003 && m.body.spin[i] == 0 &&
                 m.body.motion[i] == CD_MOTION_DYNAMIC);
        CD_CHECK(m.body.position[2 * i] == (i % 2 ? 0.5 : -0.5) && m.body.position[2 * i + 1] == 0.8);
        CD_CHECK(m.body.velocity[2 * i] == (i % 2 ? -0.7 : 0.7) && m.body.velocity[2 * i + 1] == 0);
        CD_CHECK(m.body.rotation[i] >= 0 && m.body.rotation[i] < 2 * M_PI);
    }
}

CD_TEST(releases_fall_on_frames_and_nothing_else_depends_on_the_step)
{
    // round(250 / ms), halves away from zero, worked out by hand
    static const int every[] = {250, 125, 83, 63, 50, 42, 36, 31, 28, 25, 23, 21, 19, 18, 17, 16};
    cd_model first = build("step: 0.001\nseed: 5\ngenerate: [{generator: random-polygons}]");
    for (int ms = 1; ms <= 16; ms++) {
        char text[128];
        snprintf(text, sizeof text, "step: %.3f\nseed: 5\ngenerate: [{generator: random-polygons}]", ms / 1000.0);
        cd_model m = build(text);
        double step = m.frame.step[0];
        for (int k = 0; k < 20; k++)
            CD_CHECK(m.body.release[k] == (double)((int64_t)k * every[ms - 1]) * step);
        CD_CHECK(!memcmp(m.shape.vertices.offset, first.shape.vertices.offset, 21 * sizeof(int32_t)));
        CD_CHECK(!memcmp(m.shape.vertices.f64, first.shape.vertices.f64,
                         sizeof(double) * 2 * (size_t)m.shape.vertices.offset[20]));
        CD_CHECK(!memcmp(m.body.rotation, first.body.rotation, 20 * sizeof(double)));
    }
    cd_model other = build("step: 0.001\nseed: 6\ngenerate: [{generator: random-polygons}]");
    CD_CHECK(memcmp(other.body.rotation, first.body.rotation, 20 * sizeof(double)) != 0);
    cd_model more = build("step: 0.001\nseed: 5\ngenerate: [{generator: random-polygons, count: 30}]");
    CD_CHECK(!memcmp(more.body.rotation, first.body.rotation, 20 * sizeof(double)));
}

CD_TEST(hulls_obey_the_laws_of_random_hulls)
{
    // Efron 1965: E[vertices of the hull of n + 1 points] = (n + 1) (1 - E[area of the hull of n points] / area of the
    // square). Of 4000 hulls the mean number has a deviation of 1.2/sqrt(4000) = 0.02, eleven times the mean area one
    // of 0.02.
    enum { N = 4000 };
    static const char scene[] =
        "step: 1\ngenerate:\n- {generator: random-polygons, count: 4000, points: 10, scale: 1, density: 1}\n"
        "- {generator: random-polygons, count: 4000, points: 11, scale: 1, density: 1}";
    cd_model m = build(scene);
    double area = 0, vertices = 0, turn = 0;
    for (int i = 0; i < N; i++) {
        area += m.body.mass[i] / N;
        vertices += (double)polygon_of(&m, m.body.shape[N + i]).count / N;
        turn += m.body.rotation[i] / N;
    }
    CD_CHECK_NEAR(vertices, 11 * (1 - area), 0.12);
    CD_CHECK_NEAR(turn, M_PI, 4 * 2 * M_PI / sqrt(12.0 * N));  // uniform in a full turn
    // Triangles of three uniform points: mean area 11/144 (Sylvester's problem in the square), deviation about 0.066.
    cd_model t =
        build("step: 1\ngenerate: [{generator: random-polygons, count: 4000, points: 3, scale: 1, density: 1}]");
    double mean = 0;
    for (int i = 0; i < N; i++)
        mean += t.body.mass[i] / N;
    CD_CHECK_NEAR(mean, 11.0 / 144, 5 * 0.066 / sqrt(N));
}

CD_TEST(grid_is_in_rows_and_columns)
{
    cd_model m = build("generate: [{generator: grid, count: [3, 2], spacing: [2, 5], origin: [1, 1], stagger: 0.5, "
                       "body: {shape: {circle: 1}, mass: 1}}]");
    static const double expected[] = {1, 1, 3, 1, 5, 1, 2, 6, 4, 6, 6, 6};
    CD_CHECK(m.body.count == 6 && m.shape.count == 1 && !memcmp(m.body.position, expected, sizeof expected));
    cd_model s = build("dim: 3\ngenerate: [{generator: grid, count: [2, 1, 2], spacing: [2, 5, 7], body: {shape: "
                       "{sphere: 1}, motion: fixed}}]");
    CD_CHECK(s.body.count == 4 && s.body.position[3] == 2 && s.body.position[6] == 0 && s.body.position[8] == 7);
    cd_model j = build("generate: [{generator: grid, count: [30, 30], spacing: [1, 1], jitter: 0.1, turn: 0.2, body: "
                       "{shape: {circle: 1}, mass: 1}}]");
    double largest[2] = {0, 0};
    for (int i = 0; i < 900; i++) {
        largest[0] = fmax(largest[0], fabs(j.body.position[2 * i] - i % 30));
        largest[1] = fmax(largest[1], fabs(j.body.rotation[i]));
    }
    CD_CHECK(largest[0] <= 0.1 + 1e-14 && largest[0] > 0.099 && largest[1] <= 0.2 && largest[1] > 0.198);
    cd_model p =
        build("generate: [{generator: grid, count: [5, 1], spacing: [1, 1], points: 8, scale: 2, body: {density: 1}}]");
    CD_CHECK(p.shape.count == 5 && polygon_of(&p, 0).vertex[0].x != polygon_of(&p, 1).vertex[0].x &&
             p.body.position[2] == 1);
}

static char table_path[64];
static const char *write_table(const char *text)
{
    static char scene[256];
    FILE *file = fopen(table_path, "w");
    CD_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    snprintf(scene, sizeof scene, "generate: [{generator: particles, file: %s, body: {density: 2, group: p}}]",
             table_path);
    return scene;
}

CD_TEST(particles_come_from_a_table)
{
    cd_model m = build(write_table("id,y,x,radius,vx,vy\r\n7, 2,1,0.5,3,4\r\n3,20,10,1,0,-1e-3\n-4,0,0,0.5,0,0"));
    CD_CHECK(m.body.count == 3 && m.shape.count == 2 && m.body.id[0] == 7 && m.body.id[2] == -4);
    CD_CHECK(m.body.position[0] == 1 && m.body.position[1] == 2 && m.body.velocity[3] == -1e-3 &&
             m.body.shape[2] == m.body.shape[0]);
    CD_CHECK(m.shape.radius[m.body.shape[1]] == 1 && m.body.mass[1] == 2 * M_PI);
    cd_buffer many = {0};
    cd_buffer_text(&many, "x,y,radius,mass\n");
    for (int i = 0; i < 5000; i++)
        cd_buffer_printf(&many, "%d,0,%.17g,%d\n", i, 0.1 + (i * 37 % 1000) * 1e-3, i + 1);
    cd_buffer_append(&many, "", 1);
    m = build(write_table(many.data));
    CD_CHECK(m.body.count == 5000 && m.shape.count == 1000);
    for (int i = 0; i < 5000; i++)
        CD_CHECK(m.shape.radius[m.body.shape[i]] == 0.1 + (i * 37 % 1000) * 1e-3 && m.body.mass[i] == i + 1 &&
                 m.body.id[i] == i + 1);
    cd_buffer_release(&many);
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", ": empty"},
        {"x,y\n1,2\n", ":1: radius: the column is missing, and so is the generator's key"},
        {"x,radius\n1,2\n", ":1: y: the column is missing"},
        {"x,y,radius,x\n", ":1: x: the column is there twice"},
        {"x,y,radius,z\n", ":1: z: needs dim: 3"},
        {"x,y,radius,colour\n", ":1: \"colour\" is no column (known: id, x, y, z, radius, vx, vy, vz, mass)"},
        {"x,y,radius\n1,2,3\n1,2\n", ":3: radius: the value is missing"},
        {"x,y,radius\n1,2,3,4\n", ":2: more values than columns"},
        {"x,y,radius\n1,nan,3\n", ":2: y: nan is not a finite number"},
        {"x,y,radius\n1,2,0\n", ":2: radius: must be greater than 0"},
        {"x,y,radius\n1,2,3\n\n", ":3: x: needs a number, not \"\""},
        {"id,x,y,radius\n1,1,2,3\n2,0,0,1\n1,0,0,1\n", ":4: id: 1 is there twice, first in line 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *said = refusal(write_table(bad[i].text));
        CD_CHECK(!strncmp(said, table_path, strlen(table_path)));
        CD_CHECK_TEXT(said + strlen(table_path), bad[i].reason);
    }
}

// What binds every generator: the same bytes again for the same seed, no generator disturbs another, and a line for
// every fault.
CD_TEST(generators_keep_their_contract)
{
    int known = 0;
    write_table("x,y,radius\n1,2,3\n");
    static const char *const params[][2] = {
        {"random-polygons", "count: 3"},
        {"grid", "count: [2, 2], spacing: [1, 1], points: 5, jitter: 1, body: {mass: 1}"},
        {"particles", "body: {mass: 1}, file: "},
        {"boxes", "kind: uniform, count: 7"},
        {"random-hulls", "count: 3"},
        {"platonic", "count: [3, 1, 1], spacing: [1, 1, 1], turn: random"},
        {"bricks", "count: [2, 1, 2], size: [1, 1, 1]"},
        {"brick-elements", "count: [2, 1, 1], size: [1, 1, 1]"},
        {"arch", "count: 8, span: 4, rise: 2, thickness: 0.5, width: 0.5"}};
    for (int g = 0; cd_generators[g]; g++) {
        for (size_t p = 0; p < sizeof params / sizeof params[0]; p++) {
            if (strcmp(params[p][0], cd_generators[g]->name))
                continue;
            char one[512], after[1024];
            bool in_space = cd_generators[g]->dim == 3;
            const char *top = in_space ? "dim: 3\nstep: 1\nseed: 9" : "step: 1\nseed: 9",
                       *other = in_space ? "random-hulls" : "random-polygons";
            size_t dim = in_space ? 3 : 2, turns = in_space ? 4 : 1;
            known++;
            snprintf(one, sizeof one, "{generator: %s, %s%s}", params[p][0], params[p][1], p == 2 ? table_path : "");
            snprintf(after, sizeof after, "%s\ngenerate: [%s, {generator: %s}]", top, one, other);
            cd_model a = build(after), b = build(after);
            CD_CHECK(a.body.count == b.body.count && a.body.count > 20);
            CD_CHECK(!memcmp(a.body.position, b.body.position, dim * sizeof(double) * (size_t)a.body.count));
            CD_CHECK(!memcmp(a.body.rotation, b.body.rotation, turns * sizeof(double) * (size_t)a.body.count));
            snprintf(after, sizeof after, "%s\ngenerate: [{generator: %s, count: 1}, {generator: %s}]", top, other,
                     other);
            cd_model c = build(after);
            CD_CHECK(!memcmp(a.body.rotation + turns * (size_t)(a.body.count - 20), c.body.rotation + turns,
                             20 * turns * sizeof(double)));
            snprintf(after, sizeof after, "dim: %d\ngenerate:\n- {generator: %s, no_such_key: 1}", (int)dim,
                     params[p][0]);
            CD_CHECK(!strncmp(refusal(after), "t:3: no_such_key: unknown key", 29));
        }
    }
    int count = 0;
    while (cd_generators[count])
        count++;
    CD_CHECK(known == count);  // a new generator needs its line in `params`
}

// ---- faults --------------------------------------------------------------------------------------------------------

static const char *const faults[][2] = {
    {"[1]", "t:1: scene: needs a map, not a list"},
    {"dim: 4", "t:1: dim: must be 2 or 3"},
    {"dim: 2\nstep: -1", "t:2: step: must be greater than 0"},
    {"gravity: [0, 0, -9.8]", "t:1: gravity: needs 2 numbers, has 3"},
    {"gyroscopic: maybe", "t:1: gyroscopic: \"maybe\" is none of midpoint, explicit"},
    {"model: best", "t:1: model: \"best\" is none of standard, lnc, peg, peg-printed, separating"},
    {"shapes: [1]", "t:1: shapes: needs a map, not a list"},
    {"shapes:\n  a: {box: [1, 0]}", "t:2: box: sizes must be greater than 0"},
    {"shapes:\n  a: {circle: -1}", "t:2: circle: the radius must be greater than 0"},
    {"shapes:\n  a: {box: [1, 1], circle: 1}", "t:2: shape: needs exactly one of polygon, polyhedron, sphere, "
                                               "ellipsoid, halfspace, box, facets, compound, hull, circle, mesh"},
    {"shapes:\n  a: {polygon: [[0, 0], [1, 0]]}", "t:2: polygon: needs at least 3 points, has 2"},
    {"shapes:\n  a:\n    polygon:\n    - [0, 0]\n    - [1, 0]\n    - [0.5, 0]\n    - [0, 1]\n",
     "t:5: polygon: vertex 1 "},
    {"shapes:\n  a: {polygon: [[0, 0], [1e120, 0], [0, 1e120]]}", "t:2: shape: its coordinates are too large"},
    {"shapes:\n  a: {hull: [[0, 0], [1, 1], [2, 2]]}", "t:2: hull: the points lie on a line"},
    {"shapes:\n  a: {halfspace: {normal: [0, 0]}}", "t:2: normal: is zero"},
    {"shapes:\n  a: {circle: 1, adjacent: []}", "t:2: adjacent: only a compound has it"},
    {"shapes:\n  a: {circle: 1, centre: [0, 0]}",
     "t:2: centre: this kind is always about its own centre; put it into a compound"},
    {"shapes:\n  a: {compound: []}", "t:2: compound: has no parts"},
    {"shapes:\n  a: {compound: [{shape: {circle: 1}}], adjacent: [[0, 1]]}", "t:2: adjacent: 1 is not in 0..0"},
    {"shapes:\n  a: {compound: [{shape: b}]}\n  b: {circle: 1}",
     "t:2: shape: \"b\" is only defined further on, in line 3"},
    {"shapes:\n  a: {compound: [{shape: a}]}", "t:2: shape: \"a\" is only defined further on, in line 2"},
    {"shapes:\n  a: {polyhedron: {vertices: [], faces: []}}", "t:2: polyhedron: needs dim: 3"},
    {"dim: 3\nshapes:\n  a: {polygon: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}", "t:3: polygon: needs dim: 2"},
    {"dim: 3\nshapes:\n  a: {facets: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 3]]}}",
     "t:3: triangles: 3 is not in 0..2"},
    {"dim: 3\nshapes:\n  a: {facets: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 1]]}}",
     "t:3: triangles: vertex 1 is there twice"},
    {"bodies:\n- {}", "t:2: shape: is missing"},
    {"bodies: {}", "t:1: bodies: needs a list, not a map"},
    {"bodies:\n- 3", "t:2: body: needs a map, not a single value"},
    {"bodies:\n- {shape: {circle: 1}, mass: 0}", "t:2: mass: must be greater than 0"},
    {"bodies:\n- {shape: {circle: 1}, mass: 1, density: 1}", "t:2: density: mass is given as well"},
    {"bodies:\n- {shape: {circle: 1}, mass: 1, inertia: -1}", "t:2: inertia: must be greater than 0"},
    {"bodies:\n- {shape: {circle: 1}, mass: 1, material: oak}", "t:2: material: there is no \"oak\""},
    {"bodies:\n- {shape: {circle: 1}, mass: 1, rotation: 1, rotation_deg: 1}",
     "t:2: rotation_deg: rotation is given as well"},
    {"bodies:\n- {shape: {circle: 1}, motion: fixed, velocity: [1, 0]}",
     "t:2: velocity: a fixed body has none (motion: prescribed moves by it)"},
    {"bodies:\n- {shape: {circle: 1}, motion: flying}",
     "t:2: motion: \"flying\" is none of dynamic, fixed, prescribed"},
    {"bodies:\n- {shape: {circle: 1}, mass: 1, position: [.nan, 0]}", "t:2: position: .nan is not a finite number"},
    {"bodies:\n- {shape: {circle: 1e200}, density: 1}", "t:2: mass: with this shape, mass or inertia is out of range"},
    {"defaults:\n  id: 3", "t:2: id: every body needs its own"},
    {"dim: 3\nbodies:\n- {shape: {sphere: 1}, mass: 1, rotation: [1, 1, 0, 0]}",
     "t:3: rotation: needs length 1, has 1.41421"},
    {"dim: 3\nbodies:\n- {shape: {sphere: 1}, mass: 1, rotation_deg: 1}",
     "t:3: rotation_deg: in 3-D write rotation: {axis: [x, y, z], angle_deg: A}"},
    {"dim: 3\nbodies:\n- {shape: {sphere: 1}, mass: 1, inertia: [1, 1, 1, 2, 0, 0]}",
     "t:3: inertia: must be positive definite"},
    {"materials: {oak: {}, ice: {}}\ninteractions:\n- {a: oak, b: ice}\n- {a: ice, b: oak}",
     "t:4: interactions: ice and oak are there twice"},
    {"materials: {oak: {}}\ninteractions:\n- {a: oak, b: oax}",
     "t:3: material: there is no \"oax\", did you mean \"oak\"?"},
    {"materials: {oak: {}}\ninteractions:\n- {a: oak, b: oak, restitution: 1.5}", "t:3: restitution: must be in 0..1"},
    {"materials: {oak: {}}\ninteractions:\n- {a: oak}", "t:3: b: is missing"},
    {"generate:\n- {count: 1}", "t:2: generator: is missing"},
    {"generate:\n- {generator: polygons}", "t:2: generator: there is no \"polygons\" (cd-scene --help lists them)"},
    {"generate:\n- {generator: random-polygons}",
     "t:2: period: releases fall on whole steps: the scene needs step, or this period 0"},
    {"step: 1\ngenerate:\n- {generator: random-polygons, density: 1, mass: 2}",
     "t:3: density: mass or inertia is given as well"},
    {"step: 1\ngenerate:\n- {generator: random-polygons, spawn: [[0, 0]], velocity: [[0, 0], [1, 1]]}",
     "t:3: velocity: needs one for each place: 1, has 2"},
    {"generate:\n- {generator: boxes, kind: cubes, count: 1}",
     "t:2: kind: \"cubes\" is none of uniform, polydisperse, clustered, slabs, slabs-x, mesh, touching, moving, "
     "giant, column, equal, wide"},
    {"generate:\n- {generator: boxes, kind: uniform, count: 1, aspect: 2}",
     "t:2: aspect: is for kind slabs and slabs-x"},
    {"generate:\n- {generator: boxes, kind: mesh, count: 1, neighbours: 2}",
     "t:2: neighbours: a mesh and a touching grid have their own"},
    {"generate:\n- {generator: boxes, kind: moving, count: 1}",
     "t:2: kind: moving boxes move from step to step: the scene needs step"},
    {"step: 1\ngenerate:\n- {generator: boxes, kind: moving, count: 1, frames: 2}",
     "t:3: frames: is for kind moving, as: bounds"},
    {"generate:\n- {generator: boxes, kind: uniform, count: 1, as: bounds, body: {mass: 1}}",
     "t:2: body: is for as: bodies; bounds have ids alone"},
    {"generate:\n- {generator: boxes, kind: uniform, count: 1, body: {shape: {circle: 1}}}",
     "t:2: shape: the boxes set it"},
    {"generate:\n- {generator: boxes, kind: uniform, count: 1, as: bounds}",
     "t:2: as: bounds are made while a stream is written, and here is none"},
    {"generate:\n- {generator: grid, count: [0, 1], spacing: [1, 1]}", "t:2: count: must be in 1..2147483647"},
    {"generate:\n- {generator: grid, count: [1, 1], spacing: [1, 1], body: {shape: {circle: 1}, mass: 1, position: "
     "[0, 0]}}",
     "t:2: position: the grid sets it"},
};

CD_TEST(faults_end_in_a_sentence_with_a_line)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const char *said = refusal(faults[i][0]);
        if (strncmp(said, faults[i][1], strlen(faults[i][1])))
            printf("# said: %s\n", said);
        CD_CHECK(!strncmp(said, faults[i][1], strlen(faults[i][1])));
    }
    cd_model model;
    CD_CHECK(build_with("generate: [{generator: particles, file: /no/such/table}]", no_settings(), &model) ==
             CD_ERR_IO);
    CD_CHECK(strstr(diag.text, "t:1: file: cannot open /no/such/table: ") == diag.text);
}

CD_TEST(compounds_of_compounds_are_bounded)
{
    cd_buffer text = {0};
    cd_model model;
    cd_buffer_text(&text, "shapes:\n  s0: {circle: 1}\n");
    for (int i = 1; i < 60; i++)
        cd_buffer_printf(&text, "  s%d: {compound: [{shape: s%d}, {shape: s%d}]}\n", i, i - 1, i - 1);
    cd_buffer_append(&text, "", 1);
    CD_CHECK(build_with(text.data, no_settings(), &model) == CD_ERR_LIMIT);
    CD_CHECK(strstr(diag.text, "compound: more than 100000 parts") != NULL);
    cd_buffer_release(&text);
}

int main(void)
{
    snprintf(table_path, sizeof table_path, "/tmp/cd-test-scene-%ld.csv", (long)getpid());
    CD_RUN(head_frame_and_body_say_what_the_scene_says);
    CD_RUN(interactions_name_two_materials);
    CD_RUN(command_line_overrides_the_scene);
    CD_RUN(ids_fill_the_gaps);
    CD_RUN(defaults_fill_what_a_body_lacks);
    CD_RUN(a_shift_of_the_drawing_and_of_the_place_cancel);
    CD_RUN(a_centred_drawing_is_not_touched);
    CD_RUN(a_given_centre_of_mass_is_the_origin);
    CD_RUN(a_body_cut_into_parts_stays_the_same_body);
    CD_RUN(overlapping_parts_are_told);
    CD_RUN(closed_forms_of_the_plane);
    CD_RUN(mass_in_space);
    CD_RUN(products_of_inertia_have_their_sign);
    CD_RUN(polyhedra_are_written_through);
    CD_RUN(length_is_the_median_diameter_of_moving_parts);
    CD_RUN(epsilon_out_of_range_is_told);
    CD_RUN(random_polygons_are_what_the_paper_says);
    CD_RUN(releases_fall_on_frames_and_nothing_else_depends_on_the_step);
    CD_RUN(hulls_obey_the_laws_of_random_hulls);
    CD_RUN(grid_is_in_rows_and_columns);
    CD_RUN(particles_come_from_a_table);
    CD_RUN(generators_keep_their_contract);
    CD_RUN(faults_end_in_a_sentence_with_a_line);
    CD_RUN(compounds_of_compounds_are_bounded);
    remove(table_path);
    cd_arena_release(&arena);
    return cd_test_done();
}
