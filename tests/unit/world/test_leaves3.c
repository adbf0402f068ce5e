// Shapes and bodies of space: leaves of nested compounds, what is refused, states, the doors by dimension.
// SPDX-License-Identifier: MIT
#include "cd_bodies.h"
#include "cd_bounds.h"
#include "cd_leaves.h"
#include "cd_reach.h"
#include "cd_test.h"

// ---- a model by hand -----------------------------------------------------------------------------------------------

enum { SHAPES = 8, BODIES = 3, NUMBERS = 4 * SHAPES };

// Shapes: 0 tetrahedron, 1 box, 2 sphere, 3 halfspace, 4 ellipsoid, 5 facets (2 triangles, thickness 0.5), 6 compound
// of 1 at (1,2,3), of 5 and of 2, 7 compound of 6 turned a quarter about z at (10,0,0) and of 4.
typedef struct small_model {
    cd_model in;
    int64_t id[SHAPES], body_id[BODIES], index;
    int32_t kind[SHAPES], vertex_offset[SHAPES + 1], face_offset[SHAPES + 1], face_inner[5], face[12];
    int32_t triangle_offset[SHAPES + 1], triangle[6], part_offset[SHAPES + 1], part_shape[5], motion[BODIES],
        shape[BODIES];
    double vertex[8 * 3], radius[SHAPES], half[3 * SHAPES], normal[3 * SHAPES], offset[SHAPES], semi[3 * SHAPES],
        thickness[SHAPES];
    double part_position[15], part_rotation[20];
    double time, step, gravity[3], position[3 * BODIES], rotation[4 * BODIES], velocity[3 * BODIES], spin[3 * BODIES];
    double mass[BODIES], inertia[6 * BODIES];
    int32_t gyroscopic;
} small_model;

static void fill_shapes(small_model *m)
{
    static const int32_t kind[SHAPES] = {CD_SHAPE_POLYHEDRON, CD_SHAPE_BOX,    CD_SHAPE_SPHERE,   CD_SHAPE_HALFSPACE,
                                         CD_SHAPE_ELLIPSOID,  CD_SHAPE_FACETS, CD_SHAPE_COMPOUND, CD_SHAPE_COMPOUND};
    static const int32_t vertex_offset[SHAPES + 1] = {0, 4, 4, 4, 4, 4, 8, 8, 8},
                                                face_offset[SHAPES + 1] = {0, 4, 4, 4, 4, 4, 4, 4, 4};
    static const int32_t triangle_offset[SHAPES + 1] = {0, 0, 0, 0, 0, 0, 2, 2, 2},
                                                  part_offset[SHAPES + 1] = {0, 0, 0, 0, 0, 0, 0, 3, 5};
    static const double vertex[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    static const int32_t inner[5] = {0, 3, 6, 9, 12}, face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const int32_t triangle[6] = {0, 1, 2, 0, 2, 3}, parts[5] = {1, 5, 2, 6, 4};
    static const double places[15] = {1, 2, 3, 0, 0, 0, 3, 0, 0, 10, 0, 0, 0, 0, -1};
    static const double turns[20] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.7071067811865476, 0, 0, 0.7071067811865476,
                                     1, 0, 0, 0};
    memcpy(m->kind, kind, sizeof kind);
    memcpy(m->vertex_offset, vertex_offset, sizeof vertex_offset);
    memcpy(m->face_offset, face_offset, sizeof face_offset);
    memcpy(m->triangle_offset, triangle_offset, sizeof triangle_offset);
    memcpy(m->part_offset, part_offset, sizeof part_offset);
    memcpy(m->vertex, vertex, sizeof vertex);
    memcpy(m->face_inner, inner, sizeof inner);
    memcpy(m->face, face, sizeof face);
    memcpy(m->triangle, triangle, sizeof triangle);
    memcpy(m->part_shape, parts, sizeof parts);
    memcpy(m->part_position, places, sizeof places);
    memcpy(m->part_rotation, turns, sizeof turns);
    for (int s = 0; s < SHAPES; s++) {
        m->id[s] = 100 + s;
        m->radius[s] = m->thickness[s] = 0.5;
        m->offset[s] = 2;
        for (int k = 0; k < 3; k++) {
            m->half[3 * s + k] = 0.25 * (k + 1);
            m->semi[3 * s + k] = k + 1;
            m->normal[3 * s + k] = k == 2;
        }
    }
    m->in.shape = (cd_shape_rows){.count = SHAPES,
                                  .id = m->id,
                                  .kind = m->kind,
                                  .radius = m->radius,
                                  .halfsizes = m->half,
                                  .normal = m->normal,
                                  .offset = m->offset,
                                  .semiaxes = m->semi,
                                  .thickness = m->thickness};
    m->in.shape.vertices = (cd_list){m->vertex_offset, {m->vertex}};
    m->in.shape.faces = (cd_list2){m->face_offset, m->face_inner, m->face};
    m->in.shape.triangles = (cd_list){m->triangle_offset, {m->triangle}};
    m->in.shape.parts_shape = (cd_list){m->part_offset, {m->part_shape}};
    m->in.shape.parts_position = (cd_list){m->part_offset, {m->part_position}};
    m->in.shape.parts_rotation = (cd_list){m->part_offset, {m->part_rotation}};
}

// Bodies 10, 11, 12: spheres at (0,0,0), (1,0,0), (2,0,0), velocity (1,0,0), spin (0,0,2).
static small_model *model_make(cd_arena *arena)
{
    small_model *m = cd_arena_zalloc(arena, sizeof *m);
    fill_shapes(m);
    for (int i = 0; i < BODIES; i++) {
        m->body_id[i] = 10 + i;
        m->shape[i] = 2;
        m->position[3 * i] = i;
        m->rotation[4 * i] = m->velocity[3 * i] = m->mass[i] = 1;
        m->spin[3 * i + 2] = 2;
        for (int k = 0; k < 3; k++)
            m->inertia[6 * i + k] = k + 1;
    }
    m->step = 0.5;
    m->gravity[2] = -10;
    m->in.dim = 3;
    m->in.head = (cd_head_rows){.count = 1, .gravity = m->gravity, .gyroscopic = &m->gyroscopic};
    m->in.frame = (cd_frame_rows){.count = 1, .index = &m->index, .time = &m->time, .step = &m->step};
    m->in.body = (cd_body_rows){.count = BODIES,
                                .id = m->body_id,
                                .position = m->position,
                                .rotation = m->rotation,
                                .velocity = m->velocity,
                                .spin = m->spin,
                                .mass = m->mass,
                                .inertia = m->inertia,
                                .motion = m->motion,
                                .shape = m->shape};
    return m;
}

static bool is_at(cd_vec3 p, double x, double y, double z)
{
    return fabs(p.x - x) < 1e-14 && fabs(p.y - y) < 1e-14 && fabs(p.z - z) < 1e-14;
}

// ---- leaves --------------------------------------------------------------------------------------------------------

CD_TEST(compounds_unfold_in_depth_first_order_and_facets_are_leaves)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    static const int32_t first[SHAPES + 1] = {0, 1, 2, 3, 4, 5, 7, 11, 16};
    for (int s = 0; s <= SHAPES; s++)
        CD_CHECK(leaves.first[s] == first[s]);
    const cd_leaf3 *leaf = leaves.space.stored;
    CD_CHECK(leaf[0].polyhedron->face_count == 4 &&
             leaf[0].polyhedron->face_vertex[leaf[0].polyhedron->face_first[3]] == 1);
    CD_CHECK(leaf[1].kind == CD_SHAPE_POLYHEDRON && is_at(leaf[1].polyhedron->vertex[6], -0.25, 0.5, 0.75));
    CD_CHECK(isinf(leaf[3].extent) && leaf[4].extent == 3 && cd_leaves_extent(&leaves, 2) == 0.5);
    CD_CHECK(leaf[6].facet.triangle == 1 && leaf[6].shape == 5 && is_at(cd_leaf3_corner(&leaf[6], 2), 0, 0, 3));
    CD_CHECK_NEAR(leaf[6].extent, 3.25, 1e-14);
    // shape 6: box at (1,2,3), two facets, sphere at (3,0,0)
    CD_CHECK(is_at(leaf[7].polyhedron->vertex[7], 1.25, 2.5, 3.75) && leaf[8].kind == CD_SHAPE_FACETS &&
             leaf[9].facet.triangle == 1);
    CD_CHECK(is_at(leaf[10].sphere.centre, 3, 0, 0) && leaf[10].extent >= 3.5);
    // shape 7: those turned by a quarter about z and moved by (10,0,0), then an ellipsoid at (0,0,-1)
    CD_CHECK(is_at(leaf[11].polyhedron->vertex[7], 10 - 2.5, 1.25, 3.75) &&
             is_at(cd_leaf3_corner(&leaf[13], 1), 8, 0, 0));
    CD_CHECK(is_at(leaf[14].sphere.centre, 10, 3, 0) && leaf[14].shape == 2);
    CD_CHECK(leaf[15].kind == CD_SHAPE_ELLIPSOID && is_at(leaf[15].ellipsoid->centre, 0, 0, -1));
    CD_CHECK_NEAR(leaf[15].extent, 4, 1e-14);
    cd_arena_release(&arena);
}

// Facets of a large surface are not stored; what comes after them has its number all the same, and compounds have them.
CD_TEST(leaves_of_a_large_surface_are_made_when_asked_for)
{
    enum { TRIANGLES = CD_LARGE_SURFACE + 1 };
    cd_arena arena = {0};
    cd_diag diag = {""};
    small_model *m = model_make(&arena);
    int32_t *triangle = CD_ARENA_ARRAY(&arena, int32_t, 3 * TRIANGLES);
    for (int32_t t = 0; t < TRIANGLES; t++)
        memcpy(triangle + 3 * t, m->triangle + 3 * (t % 2), 3 * sizeof *triangle);
    m->in.shape.triangles.i32 = triangle;
    for (int s = 6; s <= SHAPES; s++)
        m->triangle_offset[s] = TRIANGLES;
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make_prepared(&arena, &m->in, NULL, 2, &leaves, &diag) == CD_OK);
    const cd_leaves3 *space = &leaves.space;
    const int32_t begin = leaves.first[5], end = leaves.first[6];
    CD_CHECK(begin == 5 && end == begin + TRIANGLES && space->large_count == 1);
    CD_CHECK(cd_leaves3_stored_count(space, SHAPES) == leaves.first[SHAPES] - TRIANGLES);
    for (int32_t i = begin; i < end; i++) {
        cd_leaf3 facet = cd_leaves3_at(space, i);
        CD_CHECK(!cd_leaves3_stored(space, i) && cd_leaves_kind(&leaves, i) == CD_SHAPE_FACETS && facet.shape == 5);
        CD_CHECK(facet.facet.triangle == i - begin && facet.facet.half_thickness == 0.25);
        CD_CHECK(is_at(cd_leaf3_corner(&facet, 2), 0, (i - begin) % 2 ? 0 : 2, (i - begin) % 2 ? 3 : 0));
        CD_CHECK_NEAR(cd_leaves_extent(&leaves, i), (i - begin) % 2 ? 3.25 : 2.25, 1e-14);
    }
    CD_CHECK(cd_leaves_extent(&leaves, begin - 1) == 3);
    cd_leaf3 box = cd_leaves3_at(space, end), second = cd_leaves3_at(space, end + 2);
    CD_CHECK(is_at(box.polyhedron->vertex[7], 1.25, 2.5, 3.75) && box.prepared->convex.vertex_count == 8);
    CD_CHECK(second.kind == CD_SHAPE_FACETS && second.facet.triangle == 1 && cd_leaves3_stored(space, end + 2));
    CD_CHECK_NEAR(second.extent, 3.25, 1e-14);
    cd_leaf3 last = cd_leaves3_at(space, leaves.first[SHAPES] - 1);
    CD_CHECK(last.kind == CD_SHAPE_ELLIPSOID && is_at(last.ellipsoid->centre, 0, 0, -1));
    cd_arena_release(&arena);
}

// Each face of a box is seen counter-clockwise from outside: its normal points away from the middle.
CD_TEST(faces_of_boxes_turn_outward)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make_prepared(&arena, &m->in, NULL, 1, &leaves, &diag) == CD_OK);
    cd_polyhedron box = *leaves.space.stored[1].polyhedron;
    CD_CHECK(box.vertex_count == 8 && box.face_count == 6 && cd_polyhedron_validate(box, &arena, &diag) == CD_OK);
    for (int f = 0; f < 6; f++) {
        const int32_t *v = box.face_vertex + box.face_first[f];
        cd_vec3 p = box.vertex[v[0]], q = box.vertex[v[1]], r = box.vertex[v[2]], s = box.vertex[v[3]];
        cd_vec3 normal = cd_cross3(cd_sub3(q, p), cd_sub3(r, q));
        CD_CHECK(cd_dot3(normal, p) > 0 && cd_dot3(normal, cd_sub3(s, p)) == 0);
        const double along[3] = {normal.x, normal.y, normal.z};
        CD_CHECK(f % 2 ? along[f / 2] > 0 : along[f / 2] < 0);
    }
    cd_arena_release(&arena);
}

CD_TEST(placing_a_leaf_moves_its_points)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make_prepared(&arena, &m->in, NULL, 1, &leaves, &diag) == CD_OK);
    cd_pose3 pose = cd_pose3_make((cd_vec3){3, -4, 5}, cd_quat_from_vector((cd_vec3){0.3, -0.7, 0.4}));
    cd_solid3 half = cd_solid3_place(&arena, &leaves.space.stored[3], &pose);
    CD_CHECK_NEAR(cd_dot3(half.halfspace.normal, cd_pose3_apply(&pose, (cd_vec3){7, -5, 2})) - half.halfspace.offset, 0,
                  1e-14);
    cd_solid3 ellipsoid = cd_solid3_place(&arena, &leaves.space.stored[4], &pose);
    cd_vec3 tip = cd_pose3_apply(&pose, (cd_vec3){0, 2, 0}),
            own = cd_mat3_apply(ellipsoid.ellipsoid.axes, (cd_vec3){0, 2, 0});
    CD_CHECK(is_at(cd_add3(ellipsoid.ellipsoid.centre, own), tip.x, tip.y, tip.z));
    cd_solid3 solid = cd_solid3_place(&arena, &leaves.space.stored[0], &pose);
    cd_vec3 corner = cd_pose3_apply(&pose, (cd_vec3){0, 0, 1});
    CD_CHECK(is_at(cd_convex3_vertex(&solid.convex, 3), corner.x, corner.y, corner.z) &&
             leaves.space.stored[0].polyhedron->vertex[3].z == 1);
    cd_arena_release(&arena);
}

static void check_refused(small_model *m, cd_status status, const char *text)
{
    cd_arena arena = {0};
    cd_diag diag = {""};
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == status);
    CD_CHECK_TEXT(diag.text, text);
    cd_arena_release(&arena);
}

CD_TEST(broken_polyhedra_are_refused_by_id_and_field)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    m->in.shape.vertices.offset = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 100: vertices: required of a polyhedron");
    m = model_make(&arena);
    m->in.shape.faces.offset = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 100: faces: required of a polyhedron");
    m = model_make(&arena);
    m->vertex_offset[1] = 3;
    check_refused(m, CD_ERR_FORMAT, "shape 100: vertices: 3 of them, a polyhedron has at least 4");
    m = model_make(&arena);
    m->vertex[4] = INFINITY;
    check_refused(m, CD_ERR_FORMAT, "shape 100: vertices: vertex 1 is not finite");
    m = model_make(&arena);
    m->face_offset[1] = 3;
    check_refused(m, CD_ERR_FORMAT, "shape 100: faces: 3 of them, a polyhedron has at least 4");
    m = model_make(&arena);
    m->face_inner[2] = 5;
    check_refused(m, CD_ERR_FORMAT, "shape 100: faces: face 1 has 2 vertices, fewer than 3");
    m = model_make(&arena);
    m->face[7] = 4;
    check_refused(m, CD_ERR_FORMAT, "shape 100: faces: face 2 names vertex 4; there are 4");
    m = model_make(&arena);
    m->face[8] = 0;
    check_refused(m, CD_ERR_FORMAT, "shape 100: faces: face 2 names vertex 0 twice");
    m = model_make(&arena);
    int32_t surface_offset[SHAPES + 1] = {0, 3, 3, 3, 3, 3, 3, 3, 3}, surface[3] = {0, 0, 0};
    m->in.shape.surfaces = (cd_list){surface_offset, {surface}};
    check_refused(m, CD_ERR_FORMAT, "shape 100: surfaces: must be given for all faces or for none");
    cd_arena_release(&arena);
}

CD_TEST(other_broken_shapes_are_refused_by_id_and_field)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    m->half[4] = NAN;
    check_refused(m, CD_ERR_FORMAT, "shape 101: halfsizes: required of a box");
    m->half[4] = 0;
    check_refused(m, CD_ERR_FORMAT, "shape 101: halfsizes: 0 is not a finite size above 0");
    m = model_make(&arena);
    m->in.shape.radius = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 102: radius: required of a sphere");
    m = model_make(&arena);
    m->normal[9] = NAN;
    check_refused(m, CD_ERR_FORMAT, "shape 103: normal: required of a halfspace");
    m = model_make(&arena);
    m->semi[14] = -1;
    check_refused(m, CD_ERR_FORMAT, "shape 104: semiaxes: -1 is not a finite size above 0");
    m = model_make(&arena);
    m->in.shape.triangles.offset = NULL;
    check_refused(m, CD_ERR_FORMAT, "shape 105: triangles: required of facets, at least one");
    m = model_make(&arena);
    m->triangle[4] = 4;
    check_refused(m, CD_ERR_FORMAT, "shape 105: triangles: triangle 1 names vertex 4; there are 4");
    m->triangle[4] = 3;
    check_refused(m, CD_ERR_FORMAT, "shape 105: triangles: triangle 1 names vertex 3 twice");
    m = model_make(&arena);
    m->vertex[23] = -INFINITY;
    check_refused(m, CD_ERR_FORMAT, "shape 105: vertices: vertex 3 is not finite");
    m = model_make(&arena);
    m->part_shape[1] = 6;
    check_refused(m, CD_ERR_FORMAT, "shape 106: parts.shape: must be an earlier shape record");
    m = model_make(&arena);
    int32_t adjacent_offset[SHAPES + 1] = {0, 0, 0, 0, 0, 0, 0, 1, 1}, adjacent[2] = {1, 4};
    m->in.shape.adjacent = (cd_list){adjacent_offset, {adjacent}};
    check_refused(m, CD_ERR_FORMAT, "shape 106: adjacent: there is no part 4");
    m = model_make(&arena);
    m->kind[1] = CD_SHAPE_POLYGON;
    check_refused(m, CD_ERR_UNSUPPORTED, "shape 101: kind: this kind is not one of space");
    cd_arena_release(&arena);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

CD_TEST(poses_of_a_step)
{
    cd_arena arena = {0};
    small_model *m = model_make(&arena);
    m->motion[1] = CD_MOTION_FIXED;
    m->motion[2] = CD_MOTION_PRESCRIBED;
    m->spin[0] = 3;  // no principal axis
    cd_state3 start = cd_body_start3(&m->in, 0), free = cd_body_predicted3(&m->in, 0, 0.5);
    CD_CHECK(is_at(free.position, 0.5, 0, -2.5) && is_at(free.velocity, 1, 0, -5));
    cd_state3 want =
        cd_state3_free(start, m->inertia, (cd_applied3){.acceleration = {0, 0, -10}}, 0.5, CD_GYRATION_MIDPOINT);
    CD_CHECK(cd_quat_is_same(free.rotation, want.rotation) && !is_at(free.spin, 3, 0, 2));
    m->gyroscopic = CD_GYROSCOPIC_EXPLICIT;
    cd_state3 other = cd_body_predicted3(&m->in, 0, 0.5);
    want = cd_state3_free(start, m->inertia, (cd_applied3){.acceleration = {0, 0, -10}}, 0.5, CD_GYRATION_EXPLICIT);
    CD_CHECK(cd_quat_is_same(other.rotation, want.rotation) && !cd_quat_is_same(other.rotation, free.rotation));
    m->in.body.inertia = NULL;  // not known: the spin stays
    CD_CHECK(is_at(cd_body_predicted3(&m->in, 0, 0.5).spin, 3, 0, 2));
    CD_CHECK(is_at(cd_body_predicted3(&m->in, 1, 0.5).position, 1, 0, 0));
    cd_state3 given = cd_body_predicted3(&m->in, 2, 0.5);
    CD_CHECK(is_at(given.position, 2.5, 0, 0) && is_at(given.spin, 0, 0, 2));
    CD_CHECK_NEAR(cd_quat_angle_between(cd_quat_identity(), given.rotation), 1, 1e-15);
    int32_t body = 2;
    double position[3] = {7, 8, 9}, rotation[4] = {0, 1, 0, 0}, velocity[3] = {1, 2, 3}, spin[3] = {4, 5, 6};
    m->in.trial = (cd_trial_rows){
        .count = 1, .body = &body, .position = position, .rotation = rotation, .velocity = velocity, .spin = spin};
    int32_t *trial_row = cd_body_trial_rows(&arena, &m->in);
    cd_state3 trial = cd_body_trial3(&m->in, trial_row, 2);
    CD_CHECK(is_at(trial.position, 7, 8, 9) && trial.rotation.x == 1 && is_at(trial.velocity, 1, 2, 3) &&
             is_at(trial.spin, 4, 5, 6));
    CD_CHECK(is_at(cd_body_trial3(&m->in, trial_row, 1).position, 1, 0, 0));
    cd_arena_release(&arena);
}

CD_TEST(bodies_that_take_part_need_positions_and_definite_inertia)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    int32_t count;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_OK);
    CD_CHECK(cd_leaves_count(&m->in, &leaves, &count, &diag) == CD_OK && count == 3);
    m->inertia[6 + 3] = 2;
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 11: inertia: not positive definite");
    m->inertia[6 + 3] = 0;
    m->position[6] = m->position[7] = m->position[8] = NAN;
    CD_CHECK(cd_bodies_check(&m->in, false, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 12: position: required of a body that takes part");
    CD_CHECK(cd_leaves_count(&m->in, &leaves, &count, &diag) == CD_ERR_FORMAT);
    double release[BODIES] = {0, 0, 1};  // not asked of a body that takes no part
    m->in.body.release = release;
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_OK);
    CD_CHECK(cd_leaves_count(&m->in, &leaves, &count, &diag) == CD_OK && count == 2);
    cd_reach reach = cd_reach_make(&arena, &m->in, &leaves, NAN);
    CD_CHECK_NEAR(cd_reach_share(&reach, 0), 0.0025 + 1.5 * 0.5 * (1 + 0.5 * 2 + 5), 1e-14);
    CD_CHECK(isfinite(cd_reach_share(&reach, 2)));
    m->in.body.position = NULL;
    CD_CHECK(cd_bodies_check(&m->in, true, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 10: position: required of a body that takes part");
    CD_CHECK(isnan(cd_body_start3(&m->in, 0).position.x));
    m->in.dim = 2;
    CD_CHECK(cd_bodies_need_positions(&m->in, &diag) == CD_ERR_FORMAT && isnan(cd_body_start2(&m->in, 0).position.x));
    cd_arena_release(&arena);
}

CD_TEST(bounds_of_a_body_cover_its_step)
{
    cd_arena arena = {0};
    cd_diag diag;
    small_model *m = model_make(&arena);
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &m->in, NULL, &leaves, &diag) == CD_OK);
    int32_t *trial_row = cd_body_trial_rows(&arena, &m->in);
    cd_bounds_frame at_start = {&m->in, &leaves, trial_row, true}, over_step = {&m->in, &leaves, trial_row, false};
    double min[15], max[15];
    cd_bounds_of_body(&at_start, 0, 0, min, max);
    CD_CHECK(min[0] == -0.5 && max[0] == 0.5 && min[2] == -0.5 && max[2] == 0.5);
    cd_bounds_of_body(&over_step, 0, 0.25, min, max);
    CD_CHECK_NEAR(min[0], -0.75, 1e-15);
    CD_CHECK_NEAR(max[0], 1.25, 1e-15);
    CD_CHECK_NEAR(min[2], -3.25, 1e-15);
    CD_CHECK(min[0] < -0.75 && max[0] > 1.25 && min[2] < -3.25);
    // five parts, one box each
    m->shape[1] = 7;
    m->motion[1] = CD_MOTION_FIXED;
    cd_bounds_of_body(&over_step, 1, 0, min, max);
    CD_CHECK_NEAR(min[3 * 3], 10.5, 1e-14);  // the sphere at (10,3,0), the body at (1,0,0)
    CD_CHECK_NEAR(max[3 * 3 + 1], 3.5, 1e-14);
    CD_CHECK(min[3 * 4] == 0 && max[3 * 4] == 2 && min[3 * 4 + 2] == -4 && max[3 * 4 + 2] == 2);
    // a motion beyond the range of doubles covers all of an axis
    m->velocity[0] = 1e308;
    m->velocity[1] = -1e308;
    m->spin[2] = 1e300;
    m->step = 1e10;
    cd_bounds_of_body(&over_step, 0, 0, min, max);
    for (int k = 0; k < 3; k++)
        CD_CHECK(min[k] <= max[k] && min[k] < INFINITY && max[k] > -INFINITY);
    CD_CHECK(max[0] == INFINITY && min[1] == -INFINITY);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(compounds_unfold_in_depth_first_order_and_facets_are_leaves);
    CD_RUN(leaves_of_a_large_surface_are_made_when_asked_for);
    CD_RUN(faces_of_boxes_turn_outward);
    CD_RUN(placing_a_leaf_moves_its_points);
    CD_RUN(broken_polyhedra_are_refused_by_id_and_field);
    CD_RUN(other_broken_shapes_are_refused_by_id_and_field);
    CD_RUN(poses_of_a_step);
    CD_RUN(bodies_that_take_part_need_positions_and_definite_inertia);
    CD_RUN(bounds_of_a_body_cover_its_step);
    return cd_test_done();
}
