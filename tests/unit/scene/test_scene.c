// Scenes to tables: places, mass properties against other ways of writing the same body, sentences about faults.
// SPDX-License-Identifier: MIT
#include "test_scenes.h"

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
    CD_RUN(faults_end_in_a_sentence_with_a_line);
    CD_RUN(compounds_of_compounds_are_bounded);
    cd_arena_release(&arena);
    return cd_test_done();
}
