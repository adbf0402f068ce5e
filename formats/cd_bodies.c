// SPDX-License-Identifier: MIT
#include "cd_bodies.h"

#include "cd_assert.h"

#include <inttypes.h>
#include <stdlib.h>

// Leaves of one shape, nested compounds expanded: a few short records must not unfold into more than memory holds.
#define MAX_LEAVES (INT64_C(1) << 24)

// ---- order -----------------------------------------------------------------------------------------------------

typedef struct body_key {
    int64_t id;
    int32_t row;
} body_key;

static int compare_ids(const void *left, const void *right)
{
    int64_t a = ((const body_key *)left)->id, b = ((const body_key *)right)->id;
    return (a > b) - (a < b);
}

cd_body_order cd_body_order_make(cd_arena *arena, const cd_body_rows *body)
{
    int32_t count = body->count;
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, count), *rank = CD_ARENA_ARRAY(arena, int32_t, count);
    bool is_ascending = true;
    for (int32_t i = 1; i < count && is_ascending; i++)
        is_ascending = body->id[i - 1] < body->id[i];
    cd_arena_mark mark = cd_arena_get_mark(arena);
    if (is_ascending) {
        for (int32_t i = 0; i < count; i++)
            row[i] = i;
    } else {
        body_key *key = CD_ARENA_ARRAY(arena, body_key, count);
        for (int32_t i = 0; i < count; i++)
            key[i] = (body_key){body->id[i], i};
        qsort(key, (size_t)count, sizeof *key, compare_ids);
        for (int32_t k = 0; k < count; k++)
            row[k] = key[k].row;
    }
    cd_arena_rewind(arena, mark);
    for (int32_t k = 0; k < count; k++)
        rank[row[k]] = k;
    return (cd_body_order){row, rank};
}

// ---- who takes part ----------------------------------------------------------------------------------------------

static double frame_time(const cd_model *in)
{
    CD_ASSERT(in->frame.count == 1);
    return in->frame.time[0];
}

double cd_frame_step_or_zero(const cd_model *in) { return cd_f64_or(in->frame.step, 0, 0); }

bool cd_body_is_active(const cd_model *in, int32_t body)
{
    double release = in->body.release ? in->body.release[body] : 0;
    double step = cd_frame_step_or_zero(in);
    return isnan(release) || release <= frame_time(in) + CD_TIME_TOLERANCE * (step > 0 ? step : 1);
}

int32_t cd_body_motion(const cd_model *in, int32_t body) { return cd_i32_or(in->body.motion, body, CD_MOTION_DYNAMIC); }

cd_status cd_bodies_check(const cd_model *in, bool need_shapes, cd_diag *diag)
{
    int moments = in->dim == 2 ? 1 : 6, diagonal = in->dim == 2 ? 1 : 3;
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_active(in, i))
            continue;
        int64_t id = in->body.id[i];
        if (need_shapes && (!in->body.shape || in->body.shape[i] < 0))
            return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": shape: required of a body that takes part", id);
        if (cd_body_motion(in, i) != CD_MOTION_DYNAMIC)
            continue;
        if (!in->body.mass || isnan(in->body.mass[i]))
            return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": mass: required of a dynamic body", id);
        if (!(in->body.mass[i] > 0))
            return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": mass: %g is not above 0", id, in->body.mass[i]);
        for (int k = 0; k < diagonal; k++) {
            double inertia = in->body.inertia ? in->body.inertia[moments * i + k] : NAN;
            if (isnan(inertia))
                return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": inertia: required of a dynamic body", id);
            if (!(inertia > 0))
                return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": inertia: %g is not above 0", id, inertia);
        }
    }
    return CD_OK;
}

cd_status cd_frame_step(const cd_model *in, double *step, cd_diag *diag)
{
    *step = cd_frame_step_or_zero(in);
    if (!(*step > 0))
        return cd_fail(diag, CD_ERR_FORMAT, "frame %" PRId64 ": step: required", in->frame.index[0]);
    return CD_OK;
}

cd_vec2 cd_gravity2(const cd_model *in)
{
    const double *gravity = in->head.gravity;
    return gravity && !isnan(gravity[0]) ? cd_vec2_at(gravity) : (cd_vec2){0, 0};
}

// ---- states -------------------------------------------------------------------------------------------------------

cd_state2 cd_body_start2(const cd_model *in, int32_t body)
{
    const cd_body_rows *rows = &in->body;
    return (cd_state2){
        .position = cd_vec2_at(rows->position + 2 * (size_t)body),
        .angle = rows->rotation ? rows->rotation[body] : 0,
        .velocity = rows->velocity ? cd_vec2_at(rows->velocity + 2 * (size_t)body) : (cd_vec2){0, 0},
        .spin = rows->spin ? rows->spin[body] : 0,
    };
}

cd_state2 cd_body_predicted2(const cd_model *in, int32_t body, double step)
{
    cd_state2 start = cd_body_start2(in, body);
    switch (cd_body_motion(in, body)) {
    case CD_MOTION_FIXED:
        return start;
    case CD_MOTION_PRESCRIBED:
        return cd_state2_advance(start, start.velocity, start.spin, step);
    default:
        return cd_state2_free(start, cd_gravity2(in), step);
    }
}

// The row of each of `bodies` in a table whose column `body` refers to them.
static int32_t *rows_by_body(cd_arena *arena, int32_t bodies, const int32_t *body, int32_t count)
{
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, bodies);
    for (int32_t i = 0; i < bodies; i++)
        row[i] = -1;
    for (int32_t i = 0; i < count; i++)
        row[body[i]] = i;
    return row;
}

int32_t *cd_body_trial_rows(cd_arena *arena, const cd_model *in)
{
    return rows_by_body(arena, in->body.count, in->trial.body, in->trial.count);
}

int32_t *cd_body_next_rows(cd_arena *arena, const cd_model *in)
{
    return rows_by_body(arena, in->body.count, in->next.body, in->next.count);
}

cd_state2 cd_body_trial2(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    int32_t row = trial_row[body];
    if (row < 0)
        return cd_body_start2(in, body);
    const cd_trial_rows *trial = &in->trial;
    return (cd_state2){cd_vec2_at(trial->position + 2 * (size_t)row), trial->rotation[row],
                       cd_vec2_at(trial->velocity + 2 * (size_t)row), trial->spin[row]};
}

// ---- leaves -------------------------------------------------------------------------------------------------------

typedef struct leaf_build {
    cd_arena *arena;
    const cd_model *in;
    const cd_refs *refs;
    int32_t *first;
    cd_leaf2 *leaf;
    cd_diag *diag;
} leaf_build;

static int64_t shape_id(const leaf_build *build, int32_t shape)
{
    const int64_t *id = build->in->shape.id;
    return id ? id[shape] : cd_refs_id(build->refs, CD_REC_shape, shape);
}

// "shape 3: member: problem"
static cd_status shape_fault(const leaf_build *build, int32_t shape, const char *member, const char *problem)
{
    return cd_fail(build->diag, CD_ERR_FORMAT, "shape %" PRId64 ": %s: %s", shape_id(build, shape), member, problem);
}

static int32_t list_count(const cd_list *list, int32_t row)
{
    return list->offset ? list->offset[row + 1] - list->offset[row] : 0;
}

// Leaves of a shape given those of all earlier ones; compounds are checked here, because their counts must be sound
// before anything is stored.
static cd_status count_leaves(const leaf_build *build, int32_t shape, const int64_t *count, int64_t *sum)
{
    const cd_shape_rows *rows = &build->in->shape;
    *sum = 1;
    if (rows->kind[shape] != CD_SHAPE_COMPOUND)
        return CD_OK;
    int32_t parts = list_count(&rows->parts_shape, shape);
    if (parts == 0)
        return shape_fault(build, shape, "parts", "required of a compound, at least one");
    int32_t positions = list_count(&rows->parts_position, shape), rotations = list_count(&rows->parts_rotation, shape);
    if (positions != parts && positions != 0)
        return shape_fault(build, shape, "parts.position", "must be given for all parts or for none");
    if (rotations != parts && rotations != 0)
        return shape_fault(build, shape, "parts.rotation", "must be given for all parts or for none");
    *sum = 0;
    for (int32_t k = 0; k < parts; k++) {
        int32_t part = rows->parts_shape.i32[rows->parts_shape.offset[shape] + k];
        if (part < 0 || part >= shape)
            return shape_fault(build, shape, "parts.shape", "must be an earlier shape record");
        *sum += count[part];
        if (*sum > MAX_LEAVES)
            return cd_fail(build->diag, CD_ERR_LIMIT, "shape %" PRId64 ": parts: more than %" PRId64 " leaves unfold",
                           shape_id(build, shape), MAX_LEAVES);
    }
    for (int32_t k = 0; k < 2 * list_count(&rows->adjacent, shape); k++) {
        int32_t part = rows->adjacent.i32[2 * rows->adjacent.offset[shape] + k];
        if (part < 0 || part >= *sum)  // parts are leaves, as everywhere in a stream
            return cd_fail(build->diag, CD_ERR_FORMAT, "shape %" PRId64 ": adjacent: there is no part %d",
                           shape_id(build, shape), (int)part);
    }
    return CD_OK;
}

static cd_status polygon_leaf(const leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const cd_list *list = &build->in->shape.vertices;
    int32_t count = list_count(list, shape);
    if (count == 0)
        return shape_fault(build, shape, "vertices", "required of a polygon");
    cd_vec2 *vertex = CD_ARENA_ARRAY(build->arena, cd_vec2, count);
    for (int32_t i = 0; i < count; i++)
        vertex[i] = cd_vec2_at(list->f64 + 2 * ((size_t)list->offset[shape] + (size_t)i));
    cd_status status = cd_polygon_validate(vertex, count, build->diag);
    if (status != CD_OK)
        return cd_fail_at(build->diag, status, "shape %" PRId64 ": vertices", shape_id(build, shape));
    leaf->polygon = (cd_polygon){count, vertex};
    leaf->extent = cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    return CD_OK;
}

static cd_status box_leaf(const leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const double *half = build->in->shape.halfsizes ? build->in->shape.halfsizes + 2 * (size_t)shape : NULL;
    if (!half || isnan(half[0]))
        return shape_fault(build, shape, "halfsizes", "required of a box");
    cd_vec2 *vertex = CD_ARENA_ARRAY(build->arena, cd_vec2, 4);
    vertex[0] = (cd_vec2){-half[0], -half[1]};
    vertex[1] = (cd_vec2){half[0], -half[1]};
    vertex[2] = (cd_vec2){half[0], half[1]};
    vertex[3] = (cd_vec2){-half[0], half[1]};
    leaf->kind = CD_SHAPE_POLYGON;
    leaf->polygon = (cd_polygon){4, vertex};
    leaf->extent = cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    return CD_OK;
}

// A shape that is no compound.
static cd_status simple_leaf(const leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const cd_shape_rows *rows = &build->in->shape;
    int32_t kind = rows->kind[shape];
    *leaf = (cd_leaf2){.kind = kind, .shape = shape, .cosine = 1};
    switch (kind) {
    case CD_SHAPE_POLYGON:
        return polygon_leaf(build, shape, leaf);
    case CD_SHAPE_BOX:
        return box_leaf(build, shape, leaf);
    case CD_SHAPE_SPHERE:
        if (!rows->radius || isnan(rows->radius[shape]))
            return shape_fault(build, shape, "radius", "required of a sphere");
        leaf->radius = leaf->extent = rows->radius[shape];
        return CD_OK;
    case CD_SHAPE_ELLIPSOID:
        if (!rows->semiaxes || isnan(rows->semiaxes[2 * (size_t)shape]))
            return shape_fault(build, shape, "semiaxes", "required of an ellipsoid");
        leaf->semiaxes = cd_vec2_at(rows->semiaxes + 2 * (size_t)shape);
        leaf->extent = fmax(leaf->semiaxes.x, leaf->semiaxes.y);
        return CD_OK;
    case CD_SHAPE_HALFSPACE:
        if (!rows->normal || isnan(rows->normal[2 * (size_t)shape]))
            return shape_fault(build, shape, "normal", "required of a halfspace");
        if (!rows->offset || isnan(rows->offset[shape]))
            return shape_fault(build, shape, "offset", "required of a halfspace");
        leaf->normal = cd_vec2_at(rows->normal + 2 * (size_t)shape);
        leaf->offset = rows->offset[shape];
        leaf->extent = INFINITY;
        return CD_OK;
    default:
        return cd_fail(build->diag, CD_ERR_UNSUPPORTED, "shape %" PRId64 ": kind: this kind is not one of the plane's",
                       shape_id(build, shape));
    }
}

// The largest distance of a placed leaf from the origin, rounded up.
static double extent_of(const cd_leaf2 *leaf)
{
    double size = leaf->kind == CD_SHAPE_ELLIPSOID ? fmax(leaf->semiaxes.x, leaf->semiaxes.y) : leaf->radius;
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON:
        return cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    case CD_SHAPE_HALFSPACE:
        return INFINITY;
    default:
        return cd_add_up(cd_round_up(hypot(leaf->centre.x, leaf->centre.y)), size);
    }
}

// The parts of a compound in their order, each with all its leaves.
static void compound_leaves(const leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const cd_shape_rows *rows = &build->in->shape;
    bool moved = list_count(&rows->parts_position, shape) > 0, turned = list_count(&rows->parts_rotation, shape) > 0;
    for (int32_t k = rows->parts_shape.offset[shape]; k < rows->parts_shape.offset[shape + 1]; k++) {
        int32_t part = rows->parts_shape.i32[k], index = k - rows->parts_shape.offset[shape];
        cd_vec2 position = {0, 0};
        double angle = 0;
        if (moved)
            position = cd_vec2_at(rows->parts_position.f64 + 2 * (rows->parts_position.offset[shape] + (size_t)index));
        if (turned)
            angle = rows->parts_rotation.f64[rows->parts_rotation.offset[shape] + index];
        cd_pose2 pose = cd_pose2_make(position, angle);
        for (int32_t i = build->first[part]; i < build->first[part + 1]; i++) {
            *leaf = cd_leaf2_place(build->arena, &build->leaf[i], pose);
            leaf->extent = extent_of(leaf);
            leaf++;
        }
    }
}

cd_status cd_leaves2_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves2 *leaves, cd_diag *diag)
{
    if (in->dim != 2)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "head: dim: %d is not supported, only 2", in->dim);
    int32_t shapes = in->shape.count;
    leaf_build build = {arena, in, refs, CD_ARENA_ARRAY(arena, int32_t, (size_t)shapes + 1), NULL, diag};
    int64_t *count = CD_ARENA_ARRAY(arena, int64_t, shapes), total = 0;
    for (int32_t s = 0; s < shapes; s++) {
        CD_TRY(count_leaves(&build, s, count, &count[s]));
        build.first[s] = (int32_t)total;
        total += count[s];
        if (total > MAX_LEAVES)
            return cd_fail(diag, CD_ERR_LIMIT, "shape %" PRId64 ": with it there are more than %" PRId64 " leaves",
                           shape_id(&build, s), MAX_LEAVES);
    }
    build.first[shapes] = (int32_t)total;
    build.leaf = CD_ARENA_ARRAY(arena, cd_leaf2, total);
    for (int32_t s = 0; s < shapes; s++) {
        if (in->shape.kind[s] == CD_SHAPE_COMPOUND)
            compound_leaves(&build, s, build.leaf + build.first[s]);
        else
            CD_TRY(simple_leaf(&build, s, build.leaf + build.first[s]));
    }
    *leaves = (cd_leaves2){build.first, build.leaf};
    return CD_OK;
}

cd_status cd_leaves2_count(const cd_model *in, const cd_leaves2 *leaves, int32_t *count, cd_diag *diag)
{
    int64_t total = 0;
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t shape = in->body.shape ? in->body.shape[i] : -1;
        if (!cd_body_is_active(in, i))
            continue;
        if (shape < 0)
            return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": shape: required of a body that takes part", in->body.id[i]);
        total += leaves->first[shape + 1] - leaves->first[shape];
    }
    if (total > INT32_MAX / 2)
        return cd_fail(diag, CD_ERR_LIMIT, "body: the parts of all bodies are more than %d", INT32_MAX / 2);
    *count = (int32_t)total;
    return CD_OK;
}

cd_leaf2 cd_leaf2_place(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose)
{
    cd_leaf2 placed = *leaf;
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON:
        placed.polygon = cd_polygon_place(leaf->polygon, pose, CD_ARENA_ARRAY(arena, cd_vec2, leaf->polygon.count));
        break;
    case CD_SHAPE_HALFSPACE:
        // n . p <= offset of the points p becomes, for w = x + R p, (R n) . w <= offset + (R n) . x.
        placed.normal = cd_pose2_turn(pose, leaf->normal);
        placed.offset = leaf->offset + cd_dot2(placed.normal, pose.position);
        break;
    case CD_SHAPE_ELLIPSOID:
        placed.cosine = pose.cosine * leaf->cosine - pose.sine * leaf->sine;
        placed.sine = pose.sine * leaf->cosine + pose.cosine * leaf->sine;
        placed.centre = cd_pose2_apply(pose, leaf->centre);
        break;
    default:
        placed.centre = cd_pose2_apply(pose, leaf->centre);
        break;
    }
    return placed;
}
