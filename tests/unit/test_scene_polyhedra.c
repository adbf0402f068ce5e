// Polyhedra of scenes: hulls, faces and mesh files as three ways to write one body; mass against the box that they are; compounds
// of parts against the whole; refusals with line and reason.
// SPDX-License-Identifier: MIT
#include "cd_scene.h"

#include "cd_polyhedron_check.h"
#include "cd_polyhedron_mass.h"
#include "cd_test.h"
#include "scene_generators.h"

#include <stdlib.h>
#include <unistd.h>

static cd_arena arena;
static cd_diag diag;
static cd_scene_warnings warnings;
static char mesh_path[64];

static cd_status build_with(const char *text, cd_model *model)
{
    const cd_yaml_node *root;
    cd_scene_settings settings = {.step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1, .max_rows = 100000, .generators = cd_generators};
    memset(model, 0, sizeof *model);
    warnings = (cd_scene_warnings){0};
    diag.text[0] = '\0';
    CD_TRY(cd_yaml_parse(&arena, "t", text, strlen(text), &root, &diag));
    return cd_scene_build(&arena, root, &settings, model, &warnings, &diag);
}

static cd_model build(const char *text)
{
    cd_model model;
    cd_status status = build_with(text, &model);
    if (status != CD_OK)
        printf("# %s\n", diag.text);
    CD_CHECK(status == CD_OK);
    return model;
}

static const char *refusal(const char *text)
{
    cd_model model;
    CD_CHECK(build_with(text, &model) == CD_ERR_FORMAT);
    return diag.text;
}

// Faces of all shapes share one list of numbers, so a polyhedron's face_first need not start at 0.
static cd_polyhedron polyhedron_of(const cd_model *m, int32_t shape)
{
    const cd_list *v = &m->shape.vertices;
    const cd_list2 *f = &m->shape.faces;
    return (cd_polyhedron){v->offset[shape + 1] - v->offset[shape], f->offset[shape + 1] - f->offset[shape],
                           (const cd_vec3 *)v->f64 + v->offset[shape], f->inner + f->offset[shape], f->data};
}

static bool is_good(const cd_model *m, int32_t shape)
{
    cd_polyhedron p = polyhedron_of(m, shape);
    cd_status status = cd_polyhedron_check_convex(p, cd_polyhedron_tolerance(p), &arena, &diag);
    if (status != CD_OK)
        printf("# %s\n", diag.text);
    return status == CD_OK;
}

static void check_same_body(const cd_model *m, int32_t a, int32_t b, double tolerance)
{
    CD_CHECK_NEAR(m->body.mass[a], m->body.mass[b], tolerance * m->body.mass[b]);
    for (int k = 0; k < 3; k++)
        CD_CHECK_NEAR(m->body.position[3 * a + k], m->body.position[3 * b + k], 10 * tolerance);
    for (int k = 0; k < 6; k++)
        CD_CHECK_NEAR(m->body.inertia[6 * a + k], m->body.inertia[6 * b + k], tolerance * m->body.inertia[6 * b]);
}

// ---- three ways to write a body ------------------------------------------------------------------------------------------

#define BRICK_VERTICES "[[1, 1, 1], [3, 1, 1], [1, 5, 1], [3, 5, 1], [1, 1, 7], [3, 1, 7], [1, 5, 7], [3, 5, 7]]"
#define BRICK_FACES "[[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]"

CD_TEST(a_brick_as_box_faces_hull_and_mesh)
{
    FILE *file = fopen(mesh_path, "w");
    CD_CHECK(file && fputs("OFF 8 6 0\n10 10 10\n30 10 10\n10 50 10\n30 50 10\n10 10 70\n30 10 70\n10 50 70\n30 50 70\n"
                           "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n", file) >= 0 && fclose(file) == 0);
    char text[2000];
    snprintf(text, sizeof text,
             "dim: 3\ndefaults: {density: 3, rotation: {axis: [1, 2, 3], angle: 0.7}, position: [4, 5, 6]}\nbodies:\n"
             "- {shape: {compound: [{shape: {box: [1, 2, 3]}, position: [2, 3, 4]}]}}\n"
             "- {shape: {polyhedron: {vertices: " BRICK_VERTICES ", faces: " BRICK_FACES "}}}\n"
             "- {shape: {hull: [[2, 2, 2], [1, 3, 1], [3, 1, 7], [3, 1, 7], [1, 1, 1], [3, 1, 1], [1, 5, 1], [3, 5, 1], [1, 1, 7], [1, 5, 7], [3, 5, 7]]}}\n"
             "- {shape: {mesh: {file: %s, scale: 0.1}}}\n- {shape: {mesh: {file: %s, scale: 0.1, as: hull}}}\n", mesh_path, mesh_path);
    cd_model m = build(text);
    CD_CHECK(m.body.count == 5 && m.body.mass[0] == 3 * 48);
    for (int32_t b = 1; b < m.body.count; b++) {
        int32_t s = m.body.shape[b];
        cd_polyhedron p = polyhedron_of(&m, s);
        CD_CHECK(m.shape.kind[s] == CD_SHAPE_POLYHEDRON && p.vertex_count == 8 && p.face_count == 6 && is_good(&m, s));
        check_same_body(&m, b, 0, 1e-14);
        for (int v = 0; v < 8; v++)  // about the centre of mass
            CD_CHECK(fabs(fabs(p.vertex[v].x) - 1) < 1e-14 && fabs(fabs(p.vertex[v].y) - 2) < 1e-14 && fabs(fabs(p.vertex[v].z) - 3) < 1e-14);
    }
    CD_CHECK(m.head.length[0] == sqrt(4.0 + 16 + 36));
    cd_arena_reset(&arena);
}

// A cube cut into a corner tetrahedron and the rest, as a compound; a hull of points of all faces' middles is an octahedron.
CD_TEST(parts_sum_up_to_the_whole)
{
    cd_model m = build("dim: 3\nepsilon: 1e-3\ndefaults: {density: 2, position: [1, 0, -1], rotation: [0.5, 0.5, 0.5, 0.5]}\nshapes:\n"
                       "  corner: {hull: [[2, 2, 2], [1, 2, 2], [2, 1, 2], [2, 2, 1]]}\n"
                       "  rest: {hull: [[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0], [0, 0, 2], [2, 0, 2], [0, 2, 2], [1, 2, 2], [2, 1, 2], [2, 2, 1]]}\n"
                       "bodies:\n- {shape: {compound: [{shape: {box: [1, 1, 1]}, position: [1, 1, 1]}]}}\n"
                       "- {shape: {compound: [{shape: corner}, {shape: rest}], adjacent: [[0, 1]]}}\n"
                       "- {shape: {hull: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]}}\n");
    check_same_body(&m, 1, 0, 1e-14);
    CD_CHECK(warnings.count == 0);
    CD_CHECK_NEAR(m.body.mass[2], 2 * 4.0 / 3, 1e-15);
    CD_CHECK_NEAR(m.body.inertia[12], 2 * 4.0 / 3 / 5, 1e-15);  // of an octahedron with semiaxis a: m a^2 / 5
    CD_CHECK(m.body.position[6] == 1 && polyhedron_of(&m, m.body.shape[2]).vertex[1].x == -1);  // centred already: not touched
    cd_arena_reset(&arena);
}

CD_TEST(a_given_centre_is_kept)
{
    cd_model m = build("dim: 3\nbodies: [{shape: {hull: [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], centre: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1]}]");
    CD_CHECK(m.body.position[0] == 0 && m.body.position[2] == 1 && polyhedron_of(&m, 0).vertex[3].z == 3);
    CD_CHECK_TEXT(refusal("dim: 3\nbodies: [{shape: {hull: [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], centre: [0, 0, 1]}, mass: 1}]"),
                  "t:2: inertia: its shape has a centre of its own: give inertia");
    cd_arena_reset(&arena);
}

CD_TEST(faults_name_line_face_and_vertex)
{
#define SCENE(vertices, faces) "dim: 3\nbodies:\n- mass: 1\n  shape:\n    polyhedron:\n      vertices: " vertices "\n      faces: " faces "\n"
    CD_CHECK_TEXT(refusal(SCENE(BRICK_VERTICES, "[[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2]]")),
                  "t:7: polyhedron: faces: edge 1-3 of face 0 belongs to no other face: not closed");
    CD_CHECK_TEXT(refusal(SCENE(BRICK_VERTICES, "[[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]")),
                  "t:7: polyhedron: faces: all are listed clockwise as seen from outside");
    CD_CHECK_TEXT(refusal(SCENE("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]", "[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]")),
                  "t:7: polyhedron: vertices: vertex 4 belongs to no face");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}"),
                  "t:3: hull: the points lie in a plane");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]}}"),
                  "t:3: hull: the points lie on a line");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 1, 1e99], [2, 2, 2], [3, 3, 3]]}}"),
                  "t:3: hull: coordinates must be 0 or of size 1e-90 to 1e90");
    CD_CHECK(strstr(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}"), "t:3: hull: needs at least 4"));
    CD_CHECK_TEXT(refusal("bodies:\n- {mass: 1, shape: {mesh: x.obj}}"), "t:2: mesh: needs dim: 3");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {mesh: x.vtk}}"),
                  "t:3: mesh: x.vtk: its name ends in none of .obj, .stl, .off, .ply");
    cd_model model;
    CD_CHECK(build_with("dim: 3\nbodies:\n- {mass: 1, shape: {mesh: {file: /nowhere/x.obj}}}", &model) == CD_ERR_IO);
    CD_CHECK_TEXT(diag.text, "t:3: mesh: /nowhere/x.obj: cannot open: No such file or directory");
    cd_arena_reset(&arena);
}

int main(void)
{
    snprintf(mesh_path, sizeof mesh_path, "/tmp/cd-test-mesh-%ld.off", (long)getpid());
    CD_RUN(a_brick_as_box_faces_hull_and_mesh);
    CD_RUN(parts_sum_up_to_the_whole);
    CD_RUN(a_given_centre_is_kept);
    CD_RUN(faults_name_line_face_and_vertex);
    unlink(mesh_path);
    cd_arena_release(&arena);
    return cd_test_done();
}
