// Polyhedra of scenes: hulls, faces and mesh files as three ways to write one body; mass against the box that they are;
// compounds of parts against the whole; refusals with line and reason.
// SPDX-License-Identifier: MIT
#include "cd_scene.h"

#include "cd_polyhedron_check.h"
#include "cd_polyhedron_mass.h"
#include "cd_test.h"
#include "scene_space.h"

#include <stdlib.h>
#include <unistd.h>

static cd_arena arena;
static cd_diag diag;
static cd_scene_warnings warnings;
static char mesh_path[64];

static cd_status build_with(const char *text, cd_model *model)
{
    const cd_yaml_node *root;
    cd_scene_settings settings = {
        .step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1, .max_rows = 100000, .generators = cd_generators};
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

// ---- three ways to write a body ------------------------------------------------------------------------------------

#define BRICK_VERTICES "[[1, 1, 1], [3, 1, 1], [1, 5, 1], [3, 5, 1], [1, 1, 7], [3, 1, 7], [1, 5, 7], [3, 5, 7]]"
#define BRICK_FACES "[[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]"

CD_TEST(a_brick_as_box_faces_hull_and_mesh)
{
    FILE *file = fopen(mesh_path, "w");
    CD_CHECK(file &&
             fputs("OFF 8 6 0\n10 10 10\n30 10 10\n10 50 10\n30 50 10\n10 10 70\n30 10 70\n10 50 70\n30 50 70\n"
                   "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n",
                   file) >= 0 &&
             fclose(file) == 0);
    char text[2000];
    snprintf(text, sizeof text,
             "dim: 3\ndefaults: {density: 3, rotation: {axis: [1, 2, 3], angle: 0.7}, position: [4, 5, 6]}\nbodies:\n"
             "- {shape: {compound: [{shape: {box: [1, 2, 3]}, position: [2, 3, 4]}]}}\n"
             "- {shape: {polyhedron: {vertices: " BRICK_VERTICES ", faces: " BRICK_FACES "}}}\n"
             "- {shape: {hull: [[2, 2, 2], [1, 3, 1], [3, 1, 7], [3, 1, 7], [1, 1, 1], [3, 1, 1], [1, 5, 1], [3, 5, "
             "1], [1, 1, 7], [1, 5, 7], [3, 5, 7]]}}\n"
             "- {shape: {mesh: {file: %s, scale: 0.1}}}\n- {shape: {mesh: {file: %s, scale: 0.1, as: hull}}}\n",
             mesh_path, mesh_path);
    cd_model m = build(text);
    CD_CHECK(m.body.count == 5 && m.body.mass[0] == 3 * 48);
    for (int32_t b = 1; b < m.body.count; b++) {
        int32_t s = m.body.shape[b];
        cd_polyhedron p = polyhedron_of(&m, s);
        CD_CHECK(m.shape.kind[s] == CD_SHAPE_POLYHEDRON && p.vertex_count == 8 && p.face_count == 6 && is_good(&m, s));
        check_same_body(&m, b, 0, 1e-14);
        for (int v = 0; v < 8; v++)  // about the centre of mass
            CD_CHECK(fabs(fabs(p.vertex[v].x) - 1) < 1e-14 && fabs(fabs(p.vertex[v].y) - 2) < 1e-14 &&
                     fabs(fabs(p.vertex[v].z) - 3) < 1e-14);
    }
    CD_CHECK(m.head.length[0] == sqrt(4.0 + 16 + 36));
    cd_arena_reset(&arena);
}

// A cube cut into a corner tetrahedron and the rest, as a compound; a hull of points of all faces' middles is an
// octahedron.
CD_TEST(parts_sum_up_to_the_whole)
{
    cd_model m = build(
        "dim: 3\nepsilon: 1e-3\ndefaults: {density: 2, position: [1, 0, -1], rotation: [0.5, 0.5, 0.5, 0.5]}\nshapes:\n"
        "  corner: {hull: [[2, 2, 2], [1, 2, 2], [2, 1, 2], [2, 2, 1]]}\n"
        "  rest: {hull: [[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0], [0, 0, 2], [2, 0, 2], [0, 2, 2], [1, 2, 2], [2, "
        "1, 2], [2, 2, 1]]}\n"
        "bodies:\n- {shape: {compound: [{shape: {box: [1, 1, 1]}, position: [1, 1, 1]}]}}\n"
        "- {shape: {compound: [{shape: corner}, {shape: rest}], adjacent: [[0, 1]]}}\n"
        "- {shape: {hull: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]}}\n");
    check_same_body(&m, 1, 0, 1e-14);
    CD_CHECK(warnings.count == 0);
    CD_CHECK_NEAR(m.body.mass[2], 2 * 4.0 / 3, 1e-15);
    CD_CHECK_NEAR(m.body.inertia[12], 2 * 4.0 / 3 / 5, 1e-15);  // of an octahedron with semiaxis a: m a^2 / 5
    CD_CHECK(m.body.position[6] == 1 &&
             polyhedron_of(&m, m.body.shape[2]).vertex[1].x == -1);  // centred already: not touched
    cd_arena_reset(&arena);
}

CD_TEST(a_given_centre_is_kept)
{
    cd_model m = build("dim: 3\nbodies: [{shape: {hull: [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], centre: [0, 0, "
                       "1]}, mass: 1, inertia: [1, 1, 1]}]");
    CD_CHECK(m.body.position[0] == 0 && m.body.position[2] == 1 && polyhedron_of(&m, 0).vertex[3].z == 3);
    CD_CHECK_TEXT(refusal("dim: 3\nbodies: [{shape: {hull: [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], centre: [0, "
                          "0, 1]}, mass: 1}]"),
                  "t:2: inertia: its shape has a centre of its own: give inertia");
    cd_arena_reset(&arena);
}

CD_TEST(faults_name_line_face_and_vertex)
{
#define SCENE(vertices, faces) \
    "dim: 3\nbodies:\n- mass: 1\n  shape:\n    polyhedron:\n      vertices: " vertices "\n      faces: " faces "\n"
    CD_CHECK_TEXT(
        refusal(SCENE(BRICK_VERTICES, "[[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2]]")),
        "t:7: polyhedron: faces: edge 1-3 of face 0 belongs to no other face: not closed");
    CD_CHECK_TEXT(
        refusal(SCENE(BRICK_VERTICES,
                      "[[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]")),
        "t:7: polyhedron: faces: all are listed clockwise as seen from outside");
    CD_CHECK_TEXT(refusal(SCENE("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]",
                                "[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]")),
                  "t:7: polyhedron: vertices: vertex 4 belongs to no face");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}"),
                  "t:3: hull: the points lie in a plane");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]}}"),
                  "t:3: hull: the points lie on a line");
    CD_CHECK_TEXT(
        refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 1, 1e99], [2, 2, 2], [3, 3, 3]]}}"),
        "t:3: hull: coordinates must be 0 or of size 1e-90 to 1e90");
    CD_CHECK(strstr(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}"),
                    "t:3: hull: needs at least 4"));
    CD_CHECK_TEXT(refusal("bodies:\n- {mass: 1, shape: {mesh: x.obj}}"), "t:2: mesh: needs dim: 3");
    CD_CHECK_TEXT(refusal("dim: 3\nbodies:\n- {mass: 1, shape: {mesh: x.vtk}}"),
                  "t:3: mesh: x.vtk: its name ends in none of .obj, .stl, .off, .ply");
    cd_model model;
    CD_CHECK(build_with("dim: 3\nbodies:\n- {mass: 1, shape: {mesh: {file: /nowhere/x.obj}}}", &model) == CD_ERR_IO);
    CD_CHECK_TEXT(diag.text, "t:3: mesh: /nowhere/x.obj: cannot open: No such file or directory");
    cd_arena_reset(&arena);
}

// ---- generators ----------------------------------------------------------------------------------------------------

static double norm(const double *v, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

CD_TEST(random_hulls_are_convex_and_follow_from_the_seed)
{
    cd_model m = build("dim: 3\nstep: 0.01\nseed: 3\ngenerate: [{generator: random-hulls, count: 60, points: 30, size: "
                       "[0.2, 0.5], body: {mu: 0.3}}]");
    double least = 1, most = 0;
    CD_CHECK(m.body.count == 60 && m.shape.count == 60 && m.body.mu[59] == 0.3);
    for (int32_t i = 0; i < 60; i++) {
        cd_polyhedron p = polyhedron_of(&m, m.body.shape[i]);
        cd_mass3 mass = cd_polyhedron_mass(p);
        double size = 0;
        for (int32_t v = 0; v < p.vertex_count; v++)
            for (int32_t w = 0; w < v; w++)
                size = fmax(size, cd_length3(cd_sub3(p.vertex[v], p.vertex[w])));
        least = fmin(least, size);
        most = fmax(most, size);
        CD_CHECK(is_good(&m, m.body.shape[i]) && p.vertex_count <= 30 && cd_length3(mass.centre) < 1e-16);
        CD_CHECK_NEAR(m.body.mass[i], 1000 * mass.volume, 1e-12);
        CD_CHECK_NEAR(norm(m.body.rotation + 4 * i, 4), 1, 1e-15);
        CD_CHECK(m.body.position[3 * i] == (i % 2 ? 0.5 : -0.5) && m.body.velocity[3 * i] == (i % 2 ? -0.7 : 0.7));
        CD_CHECK(m.body.release[i] == i * 25.0 * 0.01);
    }
    CD_CHECK(least > 0.15 && least < 0.25 && most > 0.4 && most < 0.5);
    cd_model other = build("dim: 3\nstep: 0.001\nseed: 3\ngenerate: [{generator: random-hulls, count: 60, points: 30, "
                           "size: [0.2, 0.5], body: {mu: 0.3}}]");
    CD_CHECK(!memcmp(other.body.rotation, m.body.rotation, 240 * sizeof(double)) &&
             !memcmp(other.body.mass, m.body.mass, 60 * sizeof(double)));
    other =
        build("dim: 3\nstep: 0.01\nseed: 4\ngenerate: [{generator: random-hulls, count: 60, points: 30, size: 0.5}]");
    CD_CHECK(memcmp(other.body.rotation, m.body.rotation, 240 * sizeof(double)) != 0);
    m = build("dim: 3\ngenerate: [{generator: random-hulls, count: 10, points: 50, within: sphere, size: 2, period: 0, "
              "spawn: [[1, 2, 3]], body: {density: 7}}]");
    for (int32_t i = 0; i < 10; i++)
        CD_CHECK(polyhedron_of(&m, i).vertex_count == 50 && polyhedron_of(&m, i).face_count == 96 &&
                 m.body.position[3 * i + 2] == 3 && m.body.velocity[3 * i] == 0 && m.body.release[i] == 0);
    m = build("dim: 3\ngenerate: [{generator: grid, count: [2, 2, 2], spacing: [1, 1, 1], points: 9, scale: 0.5, body: "
              "{density: 1}}]");
    CD_CHECK(m.body.count == 8 && m.shape.count == 8 && is_good(&m, 7) && m.body.position[21] == 1);
    CD_CHECK(strstr(refusal("generate:\n- {generator: random-hulls}"), "t:2: generator: random-hulls needs dim: 3"));
    CD_CHECK(strstr(refusal("dim: 3\ngenerate:\n- {generator: random-hulls, period: 0, size: [2, 1]}"),
                    "t:3: size: must be greater than 0"));
    CD_CHECK(strstr(refusal("dim: 3\ngenerate:\n- {generator: random-hulls, period: 0, body: {id: 3}}"),
                    "t:3: id: the generator sets it"));
    cd_arena_reset(&arena);
}

// All rotations alike: the mean of R_ij is 0 and that of R_ij^2 1/3, with deviations of 1/sqrt(3 N) and 0.3/sqrt(N).
CD_TEST(random_rotations_favour_none)
{
    enum { N = 20000 };
    double mean = 0, square = 0;
    cd_random random = {5};
    for (int i = 0; i < N; i++) {
        double q[4];
        cd_random_rotation(&random, q);
        cd_mat3 r = cd_quat_matrix(cd_quat_at(q));
        mean += (r.row[0].x + r.row[1].z) / 2 / N;
        square += (r.row[0].x * r.row[0].x + r.row[2].y * r.row[2].y) / 2 / N;
    }
    CD_CHECK_NEAR(mean, 0, 4 * sqrt(1.0 / 3 / N));
    CD_CHECK_NEAR(square, 1.0 / 3, 4 * 0.3 / sqrt(N));
}

CD_TEST(platonic_solids_are_regular)
{
    cd_model m = build("dim: 3\ngenerate: [{generator: platonic, count: [5, 2, 1], spacing: [3, 4, 5], radius: 2, "
                       "origin: [1, 0, 0], body: {density: 1}}]");
    static const int vertices[] = {4, 8, 6, 20, 12}, faces[] = {4, 6, 8, 12, 20};
    double r3 = 8, s3 = sqrt(3), s5 = sqrt(5), dodeca = 4 / s3 / (1 + s5),
           icosa = 4 / sqrt(10 + 2 * s5);  // edges of radius 1
    const double volume[] = {8 * s3 / 27, 8 * s3 / 9, 4.0 / 3, (15 + 7 * s5) / 4 * pow(dodeca, 3),
                             5 * (3 + s5) / 12 * pow(icosa, 3)};
    CD_CHECK(m.body.count == 10 && m.shape.count == 5 && m.body.position[3 * 9] == 13 &&
             m.body.position[3 * 9 + 1] == 4);
    for (int32_t k = 0; k < 5; k++) {
        cd_polyhedron p = polyhedron_of(&m, k);
        CD_CHECK(p.vertex_count == vertices[k] && p.face_count == faces[k] && is_good(&m, k));
        CD_CHECK_NEAR(m.body.mass[5 + k], volume[k] * r3, 1e-13);
        CD_CHECK_NEAR(m.body.inertia[6 * k], m.body.inertia[6 * k + 2], 1e-13);
        CD_CHECK_NEAR(m.body.inertia[6 * k + 4], 0, 1e-14);
        double edge = 0;
        for (int32_t f = 0; f < p.face_count; f++)
            for (int32_t c = p.face_first[f]; c + 1 < p.face_first[f + 1]; c++) {
                double length = cd_length3(cd_sub3(p.vertex[p.face_vertex[c]], p.vertex[p.face_vertex[c + 1]]));
                edge = edge > 0 ? edge : length;
                CD_CHECK_NEAR(length, edge, 1e-14);
            }
    }
    m = build("dim: 3\ngenerate: [{generator: platonic, count: [3, 1, 1], spacing: [1, 1, 1], kinds: [cube, "
              "icosahedron], turn: random, jitter: 0.1}]");
    CD_CHECK(m.shape.count == 2 && m.body.shape[2] == 0 && m.body.rotation[4] != 1 && m.body.position[3] != 1 &&
             fabs(m.body.position[3] - 1) <= 0.1);
    CD_CHECK(strstr(
        refusal("dim: 3\ngenerate:\n- {generator: platonic, count: [1, 1, 1], spacing: [1, 1, 1], kinds: [cubes]}"),
        "t:3: kinds: \"cubes\" is none of"));
    cd_arena_reset(&arena);
}

CD_TEST(bricks_stand_in_their_bond)
{
    cd_model m = build("dim: 3\ngenerate: [{generator: bricks, count: [3, 2, 4], size: [2, 1, 0.5], gap: 0.5, origin: "
                       "[10, 0, 0], body: {density: 3}}]");
    CD_CHECK(m.body.count == 24 && m.shape.count == 1 && is_good(&m, 0) && m.body.mass[7] == 3);
    CD_CHECK(m.body.position[0] == 11 && m.body.position[1] == 0.5 && m.body.position[2] == 0.25);
    CD_CHECK(m.body.position[3 * 4] == 13.5 && m.body.position[3 * 4 + 1] == 2);      // second in the second row
    CD_CHECK(m.body.position[3 * 6] == 12.25 && m.body.position[3 * 6 + 2] == 1.25);  // first of the second layer
    CD_CHECK(polyhedron_of(&m, 0).vertex[6].x == -1 && polyhedron_of(&m, 0).vertex[6].z == 0.25);
    cd_arena_reset(&arena);
}

typedef struct brick_sums {
    double side_area[6];
    int inner, adjacent, loose;  // faces of surface -1; pairs; pairs without a face in common
} brick_sums;

// A face's corners in the brick's frame, and its area.
static int placed_face(const cd_model *m, int32_t compound, int32_t part, int32_t face, cd_vec3 *corner, double *area)
{
    int32_t row = m->shape.parts_shape.offset[compound] + part;
    cd_polyhedron p = polyhedron_of(m, m->shape.parts_shape.i32[row]);
    int count = 0;
    cd_vec3 sum = {0, 0, 0};
    for (int32_t k = p.face_first[face]; k < p.face_first[face + 1]; k++)
        corner[count++] = cd_add3(p.vertex[p.face_vertex[k]], cd_vec3_at(m->shape.parts_position.f64 + 3 * row));
    for (int k = 1; k + 1 < count; k++)
        sum = cd_add3(sum, cd_cross3(cd_sub3(corner[k], corner[0]), cd_sub3(corner[k + 1], corner[0])));
    *area = cd_length3(sum) / 2;
    return count;
}

static bool is_same_face(const cd_vec3 *a, int a_count, const cd_vec3 *b, int b_count)
{
    int same = 0;
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            same += cd_length3(cd_sub3(a[i], b[j])) < 1e-14;
    return a_count == b_count && same == a_count;
}

static bool share_face(const cd_model *m, int32_t compound, int32_t a, int32_t b)
{
    const int32_t *shape = m->shape.parts_shape.i32 + m->shape.parts_shape.offset[compound];
    for (int32_t f = 0; f < polyhedron_of(m, shape[a]).face_count; f++)
        for (int32_t g = 0; g < polyhedron_of(m, shape[b]).face_count; g++) {
            cd_vec3 corner_a[4], corner_b[4];
            double area;
            if (is_same_face(corner_a, placed_face(m, compound, a, f, corner_a, &area), corner_b,
                             placed_face(m, compound, b, g, corner_b, &area)))
                return true;
        }
    return false;
}

static brick_sums sum_up(const cd_model *m, int32_t compound)
{
    brick_sums sums = {.adjacent = m->shape.adjacent.offset[compound + 1] - m->shape.adjacent.offset[compound]};
    int32_t parts = m->shape.parts_shape.offset[compound + 1] - m->shape.parts_shape.offset[compound];
    for (int32_t part = 0; part < parts; part++) {
        int32_t shape = m->shape.parts_shape.i32[m->shape.parts_shape.offset[compound] + part];
        CD_CHECK(is_good(m, shape));
        for (int32_t f = 0; f < polyhedron_of(m, shape).face_count; f++) {
            int32_t surface = m->shape.surfaces.i32[m->shape.surfaces.offset[shape] + f];
            cd_vec3 corner[4];
            double area;
            placed_face(m, compound, part, f, corner, &area);
            sums.inner += surface < 0;
            if (surface >= 0)
                sums.side_area[surface] += area;
        }
    }
    for (int32_t a = 0; a < sums.adjacent; a++) {
        const int32_t *pair = m->shape.adjacent.i32 + 2 * (m->shape.adjacent.offset[compound] + a);
        sums.loose += pair[0] >= pair[1] || !share_face(m, compound, pair[0], pair[1]);
    }
    return sums;
}

CD_TEST(elements_make_up_the_brick)
{
    for (int kind = 0; kind < 2; kind++) {
        char text[300];
        snprintf(text, sizeof text,
                 "dim: 3\ngenerate: [{generator: brick-elements, kind: %s, count: [2, 1, 1], size: [1.5, 1, 0.7], "
                 "elements: [4, 3, 2], body: {density: 2}}, {generator: bricks, count: [2, 1, 1], size: [1.5, 1, 0.7], "
                 "body: {density: 2}}]",
                 kind ? "tetrahedra" : "hexahedra");
        cd_model m = build(text);
        int32_t compound = m.body.shape[0];
        brick_sums sums = sum_up(&m, compound);
        int sides = 3 * 3 * 2 + 4 * 2 * 2 + 4 * 3 * 1;  // between cells
        CD_CHECK(m.shape.kind[compound] == CD_SHAPE_COMPOUND && m.body.shape[1] == compound);
        CD_CHECK(sums.adjacent == (kind ? 2 * sides + 6 * 24 : sides) && sums.inner == 2 * sums.adjacent &&
                 sums.loose == 0);
        for (int s = 0; s < 6; s++)
            CD_CHECK_NEAR(sums.side_area[s], s < 2 ? 0.7 : s < 4 ? 1.05 : 1.5, 1e-14);
        check_same_body(&m, 0, 2, 1e-14);
        check_same_body(&m, 1, 3, 1e-14);
        cd_arena_reset(&arena);
    }
    cd_model m = build(
        "dim: 3\ngenerate: [{generator: brick-elements, count: [1, 1, 1], size: [1, 1, 1], elements: [9, 9, 9]}]");
    CD_CHECK(m.shape.count == 28);  // 27 ways to lie on sides, and the compound
    CD_CHECK(strstr(refusal("generate:\n- {generator: brick-elements, count: [1, 1], size: [1, 1]}"),
                    "t:2: generator: brick-elements needs dim: 3"));
    cd_arena_reset(&arena);
}

// ---- arches --------------------------------------------------------------------------------------------------------

typedef struct arch_joint {
    cd_vec3 normal, middle;  // out of the body; over the corners of its faces
    double offset, spread;   // normal.x on it, and how far corners are from that plane
} arch_joint;

// Side 0 or 1 of a voussoir, in the world (it is not turned).
static arch_joint joint_of(const cd_model *m, int32_t body, int side)
{
    arch_joint joint = {.offset = 0};
    int32_t compound = m->body.shape[body], corners = 0;
    int32_t parts = m->shape.parts_shape.offset[compound + 1] - m->shape.parts_shape.offset[compound];
    double least = INFINITY, most = -INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t part = 0; part < parts; part++) {
            int32_t shape = m->shape.parts_shape.i32[m->shape.parts_shape.offset[compound] + part];
            for (int32_t f = 0; f < polyhedron_of(m, shape).face_count; f++) {
                cd_vec3 corner[4];
                double area;
                if (m->shape.surfaces.i32[m->shape.surfaces.offset[shape] + f] != side)
                    continue;
                int count = placed_face(m, compound, part, f, corner, &area);
                if (pass == 0)
                    joint.normal =
                        cd_add3(joint.normal, cd_cross3(cd_sub3(corner[1], corner[0]), cd_sub3(corner[2], corner[0])));
                for (int k = 0; pass == 1 && k < count; k++, corners++) {
                    cd_vec3 p = cd_add3(corner[k], cd_vec3_at(m->body.position + 3 * body));
                    joint.middle = cd_add3(joint.middle, p);
                    least = fmin(least, cd_dot3(joint.normal, p));
                    most = fmax(most, cd_dot3(joint.normal, p));
                }
            }
            if (pass == 0 && part == parts - 1)
                joint.normal = cd_scale3(1 / cd_length3(joint.normal), joint.normal);
        }
    joint.middle = cd_scale3(1.0 / corners, joint.middle);
    joint.offset = (least + most) / 2;
    joint.spread = most - least;
    return joint;
}

static cd_model build_arch(int count, const char *kind, double overlap)
{
    char text[400];
    snprintf(text, sizeof text,
             "dim: 3\nmaterials: {stone: {density: 2000}}\ngenerate: [{generator: arch, count: %d, span: 4, rise: 1.5, "
             "thickness: 0.4, width: 0.5, kind: %s, elements: [2, 3, 2], alternate: [1, 2, 3], overlap: %g, origin: "
             "[1, 2, 3], body: {material: stone, mu: 0.5}}]",
             count, kind, overlap);
    return build(text);
}

// By statics: the thrust's slope falls by one tau a joint, the horizontal part being the same, and is symmetric.
static void check_joints(const cd_model *m, int count, double overlap)
{
    double tau = 0;
    for (int32_t k = 0; k <= count; k++) {
        arch_joint left = joint_of(m, k, 1), right = joint_of(m, k + 1, 0);
        double slope = left.normal.z / left.normal.x;
        CD_CHECK(left.spread < 1e-14 && right.spread < 1e-14);
        CD_CHECK(cd_length3(cd_add3(left.normal, right.normal)) < 1e-14);
        CD_CHECK_NEAR(left.offset + right.offset, overlap, 1e-14);
        if (k == 0) {
            tau = 2 * slope / count;
            CD_CHECK_NEAR(left.middle.x + right.middle.x, 2 * (1 - 2), 1e-13);
            CD_CHECK_NEAR(left.middle.z + right.middle.z, 2 * 3, 1e-13);
        }
        CD_CHECK(left.normal.y == 0);
        CD_CHECK_NEAR(slope, tau * (0.5 * count - k), 1e-13);
        if (2 * k == count || 2 * k == count - 1)
            CD_CHECK_NEAR(left.middle.z + right.middle.z, 2 * (3 + 1.5), 1e-13);
    }
}

CD_TEST(an_arch_follows_its_thrust)
{
    for (int n = 0; n < 6; n++) {
        int count = 5 + 4 * (n / 2) + (n > 3);  // 5, 9, 14
        double overlap = n % 2 ? 0.002 : 0;
        cd_model m = build_arch(count, n % 2 ? "tetrahedra" : "hexahedra", overlap);
        CD_CHECK(m.body.count == count + 2);
        check_joints(&m, count, overlap);
        for (int32_t b = 0; b < m.body.count; b++) {
            bool is_end = b == 0 || b == count + 1;
            brick_sums sums = sum_up(&m, m.body.shape[b]);
            CD_CHECK(m.body.motion[b] == (is_end ? CD_MOTION_FIXED : CD_MOTION_DYNAMIC) && m.body.mu[b] == 0.5);
            CD_CHECK(sums.loose == 0 && sums.inner == 2 * sums.adjacent);
            CD_CHECK(is_end || m.body.mass[b] == m.body.mass[1]);
            CD_CHECK_NEAR(sums.side_area[0], 0.4 * 0.5, 1e-13);
            CD_CHECK_NEAR(sums.side_area[1], 0.4 * 0.5, 1e-13);
            // a prism along y: its volume is the area of side 2 times the width, its mass without the overlap exact
            if (!is_end && overlap == 0)
                CD_CHECK_NEAR(m.body.mass[b], 2000 * 0.5 * sums.side_area[2], 1e-10);
            CD_CHECK_NEAR(sums.side_area[2], sums.side_area[3], 1e-14);
        }
        cd_arena_reset(&arena);
    }
    const char *arch = "dim: 3\ngenerate:\n- {generator: arch, count: 5, span: 4, width: 1, %s}";
    char text[200];
    snprintf(text, sizeof text, arch, "rise: 40, thickness: 0.1");
    CD_CHECK(strstr(refusal(text), "t:3: rise: no line of thrust of 5 equal voussoirs is so high"));
    snprintf(text, sizeof text, arch, "rise: 2, thickness: 9");
    CD_CHECK(strstr(refusal(text), "t:3: thickness: 9 m is more than the bend of the arch leaves room for"));
    snprintf(text, sizeof text, arch, "rise: 2, thickness: 1, body: {motion: fixed}");
    CD_CHECK(strstr(refusal(text), "t:3: motion: the generator sets it"));
    cd_arena_reset(&arena);
}

int main(void)
{
    snprintf(mesh_path, sizeof mesh_path, "/tmp/cd-test-mesh-%ld.off", (long)getpid());
    CD_RUN(a_brick_as_box_faces_hull_and_mesh);
    CD_RUN(parts_sum_up_to_the_whole);
    CD_RUN(a_given_centre_is_kept);
    CD_RUN(faults_name_line_face_and_vertex);
    CD_RUN(random_hulls_are_convex_and_follow_from_the_seed);
    CD_RUN(random_rotations_favour_none);
    CD_RUN(platonic_solids_are_regular);
    CD_RUN(bricks_stand_in_their_bond);
    CD_RUN(elements_make_up_the_brick);
    CD_RUN(an_arch_follows_its_thrust);
    unlink(mesh_path);
    cd_arena_release(&arena);
    return cd_test_done();
}
