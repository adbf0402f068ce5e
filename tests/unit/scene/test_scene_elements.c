// Bodies of elements in scenes: mass, momenta, places, what is written of pinballs and stiffness, what is refused.
// SPDX-License-Identifier: MIT
#include "cd_element.h"
#include "cd_scene.h"
#include "cd_test.h"
#include "scene_generators.h"

#define PI 3.14159265358979323846

static cd_arena arena;
static cd_diag diag;

static cd_status build(const char *text, cd_model *model)
{
    const cd_yaml_node *root;
    cd_scene_warnings warnings = {0};
    cd_scene_settings settings = {.step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1};
    settings.max_rows = 1000;
    settings.generators = cd_generators;
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

static const char *refusal(const char *text)
{
    cd_model model;
    CD_CHECK(build(text, &model) != CD_OK);
    return diag.text;
}

typedef struct momenta {
    double mass;
    cd_vec3 centre, linear, angular;  // angular: about the centre
} momenta;

static cd_vec3 at(const double *column, int dim, int32_t row)
{
    const double *x = column + dim * row;
    return (cd_vec3){x[0], x[1], dim == 2 ? 0 : x[2]};
}

static momenta momenta_of(const cd_model *m)
{
    momenta sum = {0};
    for (int32_t i = 0; i < m->node.count; i++) {
        sum.mass += m->node.mass[i];
        sum.centre = cd_add3(sum.centre, cd_scale3(m->node.mass[i], at(m->node.position, m->dim, i)));
        sum.linear = cd_add3(sum.linear, cd_scale3(m->node.mass[i], at(m->node.velocity, m->dim, i)));
    }
    sum.centre = cd_scale3(1 / sum.mass, sum.centre);
    for (int32_t i = 0; i < m->node.count; i++) {
        cd_vec3 arm = cd_sub3(at(m->node.position, m->dim, i), sum.centre);
        cd_vec3 p = cd_scale3(m->node.mass[i], at(m->node.velocity, m->dim, i));
        sum.angular = cd_add3(sum.angular, cd_cross3(arm, p));
    }
    return sum;
}

#define STEEL "materials: {steel: {density: 10, bulk: 3, shear: 2}}\n"

CD_TEST(nodes_have_the_bodys_mass_and_motion)
{
    cd_model m = scene_of(STEEL "bodies: [{mesh: {box: [2, 0.5], cells: [4, 3], kind: quad4}, material: steel, "
                                "stiffness: none, position: [5, 1], rotation_deg: 90, velocity: [1, -2], spin: 3}]\n");
    momenta s = momenta_of(&m);
    CD_CHECK(m.element.count == 12 && m.node.count == 20 && m.body.count == 1 && !m.element.reference.offset);
    CD_CHECK(m.body.shape[0] == -1 && isnan(m.body.position[0]) && isnan(m.body.mass ? m.body.mass[0] : NAN));
    CD_CHECK_NEAR(s.mass, 40, 1e-12);
    CD_CHECK_NEAR(s.centre.x, 5, 1e-13);
    CD_CHECK_NEAR(s.centre.y, 1, 1e-13);
    CD_CHECK_NEAR(s.linear.x, 40, 1e-12);
    CD_CHECK_NEAR(s.linear.y, -80, 1e-12);
    // lumped masses of a grid of n cells: m (L^2 / 12)(1 + 2 / n^2) along each axis
    double inertia = 40 * (16.0 / 12 * (1 + 2.0 / 16) + 1.0 / 12 * (1 + 2.0 / 9));
    CD_CHECK_NEAR(s.angular.z, 3 * inertia, 1e-11);
    CD_CHECK_NEAR(m.node.position[0], 5.5, 1e-14);  // the corner (-2, -0.5), turned
    CD_CHECK_NEAR(m.node.position[1], -1, 1e-14);
    m = scene_of(
        "dim: 3\n" STEEL "groups: [{place: {position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle_deg: 90}}, bodies: "
        "[{mesh: {sphere: 2, cells: 2}, material: steel, position: [3, 0, 0], velocity: [0, 1, 0], density: 7}]}]\n");
    s = momenta_of(&m);
    CD_CHECK(m.element.count == 6 * (8 + 6 * 4) && m.element.reference.offset[m.element.count] == 4 * m.element.count);
    CD_CHECK_NEAR(s.centre.x, 1, 0.01);  // tetrahedra of a ball are not quite as many on each side
    CD_CHECK_NEAR(s.centre.y, 3, 0.01);
    CD_CHECK_NEAR(s.linear.x, -s.mass, 1e-12 * s.mass);
    double volume = 0;
    for (int32_t e = 0; e < m.element.count; e++) {
        cd_vec3 x[4];
        for (int k = 0; k < 4; k++) {
            x[k] = at(m.element.reference.f64, 3, 4 * e + k);
            CD_CHECK(!memcmp(&x[k], m.node.position + 3 * (m.element.nodes.i32[4 * e + k] - 1), sizeof x[k]));
        }
        volume += cd_element_volume(CD_ELEMENT_TET4, x, CD_SYMMETRY_PLANE);
    }
    CD_CHECK_NEAR(s.mass, 7 * volume, 1e-12 * s.mass);
    cd_arena_reset(&arena);
}

CD_TEST(rings_have_the_mass_of_the_whole)
{
    cd_model m = scene_of("symmetry: axial\n" STEEL
                          "bodies: [{mesh: {box: [1, 0.5], cells: [3, 2]}, material: steel, position: [3, 0]}]\n");
    CD_CHECK(m.head.symmetry[0] == CD_SYMMETRY_AXIAL);
    CD_CHECK_NEAR(momenta_of(&m).mass, 10 * PI * (16 - 4), 1e-10);
    CD_CHECK_TEXT(refusal("symmetry: axial\n" STEEL
                          "bodies: [{mesh: {box: [1, 0.5], cells: [3, 2]}, material: steel, position: [0.5, 0]}]\n"),
                  "t:3: mesh: a node is at x = -0.5, behind the axis of symmetry: axial");
    CD_CHECK_TEXT(refusal("dim: 3\nsymmetry: axial\n"), "t:2: symmetry: axial needs dim: 2");
    cd_arena_reset(&arena);
}

CD_TEST(pinballs_groups_and_fixed_nodes_are_written)
{
    cd_model m =
        scene_of(STEEL "bodies:\n"
                       "  - {shape: {circle: 1}, mass: 1, id: 2}\n"
                       "  - {mesh: {box: [1, 1], cells: [2, 2], kind: quad4}, motion: fixed, group: master, id: 9}\n"
                       "  - {mesh: {circle: 1, cells: 2}, material: steel, group: slave, pinballs: {split: 2}, "
                       "position: [0, 5], fixed: [{min: [-9, 0.9]}, {max: [-0.9, 9]}]}\n"
                       "  - {mesh: {box: [1, 1], cells: [1, 1]}, motion: prescribed, velocity: [1, 2], pinballs: {}, "
                       "density: 3}\n");
    CD_CHECK(m.element.count == 4 + 24 + 2 && m.body.count == 4);
    CD_CHECK(m.body.id[2] == 1 && m.element.body[0] == 9 && m.element.body[4] == 1 && m.element.body[28] == 3);
    CD_CHECK_TEXT(m.body.group[1], "master");
    CD_CHECK(isnan(m.element.radius[0]) && isnan(m.node.mass[0]) && m.element.material[0] == -1);
    CD_CHECK(m.element.split[4] == 2 && m.element.split[28] == CD_ABSENT);
    CD_CHECK_NEAR(m.element.radius[28], sqrt(2 / PI), 1e-15);
    int fixed = 0, others = 0;
    for (int32_t i = 0; i < m.node.count; i++) {
        cd_vec3 x = at(m.node.position, 2, i);
        int32_t body = i < 9 ? 0 : i < m.node.count - 4 ? 1 : 2;
        bool is_fixed = body == 0 || (body == 1 && (x.y >= 5.9 || x.x <= -0.9));
        CD_CHECK(m.node.id[i] == i + 1);
        CD_CHECK(m.node.motion[i] == (is_fixed    ? CD_MOTION_FIXED
                                      : body == 1 ? CD_MOTION_DYNAMIC
                                                  : CD_MOTION_PRESCRIBED));
        CD_CHECK(m.node.velocity[2 * i] == (body == 2 ? 1 : 0));
        fixed += is_fixed && body == 1;
        others += !is_fixed && body == 1;
    }
    CD_CHECK(fixed > 0 && others > 0);
    // the characteristic size is that of the dynamic parts: 24 pinballs and one circle
    CD_CHECK(m.head.length[0] > 0.3 && m.head.length[0] < 0.5);
    cd_arena_reset(&arena);
}

CD_TEST(grids_take_bodies_of_elements)
{
    cd_model m =
        scene_of(STEEL "generate: [{generator: grid, count: [3, 1], spacing: [4, 0], body: {mesh: {box: [1, 1], "
                       "cells: [1, 1]}, material: steel}}]\n");
    CD_CHECK(m.body.count == 3 && m.node.count == 12 && m.element.count == 6 && m.element.body[5] == 3);
    CD_CHECK(m.node.position[2 * 8] == 7 && m.element.nodes.i32[3 * 4] == 9);
    cd_arena_reset(&arena);
}

CD_TEST(bodies_that_cannot_be_are_refused)
{
#define BOX "mesh: {box: [1, 1], cells: [1, 1]}"
    CD_CHECK_TEXT(refusal(STEEL "bodies: [{" BOX ", shape: {circle: 1}, material: steel}]\n"),
                  "t:2: shape: a body of elements has none");
    CD_CHECK_TEXT(refusal(STEEL "bodies: [{" BOX ", mass: 1}]\n"), "t:2: mass: a body of elements has none");
    CD_CHECK_TEXT(refusal("bodies: [{shape: {circle: 1}, mass: 1, pinballs: {}}]\n"), "t:1: pinballs: needs a mesh");
    CD_CHECK_TEXT(refusal("defaults: {" BOX "}\n"), "t:1: mesh: every body needs its own");
    CD_CHECK_TEXT(refusal("bodies: [{" BOX ", density: 1}]\n"),
                  "t:1: stiffness: needs a material with bulk and shear, or stiffness: none");
    CD_CHECK_TEXT(refusal("bodies: [{" BOX ", stiffness: none}]\n"),
                  "t:1: density: the nodes of a dynamic body need it, or a material with density");
    CD_CHECK_TEXT(refusal(STEEL "bodies: [{mesh: {box: [1, 1], cells: [1, 1], kind: quad4}, material: steel}]\n"),
                  "t:2: stiffness: quad4 has none: take tri3, or stiffness: none");
    CD_CHECK_TEXT(refusal(STEEL "bodies: [{mesh: {box: [1, 1], cells: [1, 1], kind: hex8}, material: steel}]\n"),
                  "t:2: kind: hex8 needs dim: 3");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {box: [1, 1]}}]\n"), "t:1: cells: is missing");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {box: [1, 0], cells: [1, 1]}}]\n"), "t:1: box: must be greater than 0");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {box: [1, 1], cells: 4}}]\n"),
                  "t:1: cells: needs a list, not a single value");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {box: [1, 1], cells: [1, 1, 1]}}]\n"), "t:1: cells: needs 2 numbers, has 3");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {circle: 1, cells: 0}}]\n"), "t:1: cells: must be 1 to 1000000");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {half_circle: 1, cells: 3}}]\n"),
                  "t:1: cells: must be even for half a circle");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {circle: 1, box: [1, 1], cells: 3}}]\n"),
                  "t:1: mesh: needs one of file, box, circle, half_circle, sphere, rod");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {sphere: 1, cells: 3}}]\n"), "t:1: sphere: needs dim: 3");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {box: [1, 1], cells: [600, 1]}}]\n"),
                  "t:1: cells: more than 1000 elements (--max-rows)");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {box: [1, 1], cells: [1, 1], scale: 2}}]\n"), "t:1: scale: is for files");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: {file: a.msh, cells: [1, 1]}}]\n"), "t:1: cells: the file says it");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: a.obj}]\n"), "t:1: mesh: a.obj: its name ends in none of .msh, .vtk");
    CD_CHECK_TEXT(refusal("bodies: [{mesh: none/a.msh}]\n"),
                  "t:1: mesh: none/a.msh: cannot open: No such file or directory");
    CD_CHECK_TEXT(refusal("bodies: [{" BOX ", motion: fixed, fixed: [{min: [2, 0]}]}]\n"),
                  "t:1: fixed: the mesh has no node there");
    CD_CHECK_TEXT(refusal("bodies: [{" BOX ", motion: fixed, pinballs: {split: 5}}]\n"), "t:1: split: must be in 0..4");
    CD_CHECK_TEXT(refusal("bodies: [{" BOX ", motion: prescribed, spin: 1}]\n"),
                  "t:1: spin: nodes of a prescribed body move straight");
    CD_CHECK_TEXT(refusal("bodies: [{" BOX ", motion: fixed, id: 3000000000}]\n"),
                  "t:1: id: 3000000000: that of a body of elements has 32 bits");
    CD_CHECK_TEXT(
        refusal("generate: [{generator: grid, count: [900, 1], spacing: [1, 1], body: {" BOX ", motion: fixed}}]\n"),
        "t:1: mesh: more than 1000 nodes (--max-rows)");
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(nodes_have_the_bodys_mass_and_motion);
    CD_RUN(rings_have_the_mass_of_the_whole);
    CD_RUN(pinballs_groups_and_fixed_nodes_are_written);
    CD_RUN(grids_take_bodies_of_elements);
    CD_RUN(bodies_that_cannot_be_are_refused);
    cd_arena_release(&arena);
    return cd_test_done();
}
