// Where the bodies of a frame are, and the convex parts that they are made of.
// SPDX-License-Identifier: MIT
#include "cd_bodies.h"
#include "cds_frame.h"

const cd_leaves *stage_leaves(cds_frame *f)
{
    cd_ctx *ctx = f->ctx;
    if (!f->has_leaves) {
        cd_status status =
            cd_leaves_make_prepared(&ctx->run, &ctx->in, ctx->refs, ctx->threads, &f->leaves, &ctx->diag);
        if (status != CD_OK) {
            stage_keep(f, status);
            return NULL;
        }
        f->has_leaves = true;
    }
    return &f->leaves;
}

static bool is_body(cds_frame *f, const char *call, int32_t body)
{
    return stage_has_row(f, call, "body", body, f->in_frame ? f->ctx->in.body.count : 0);
}

// ---- states --------------------------------------------------------------------------------------------------------

static cds_pose pose_of_plane(cd_state2 state)
{
    return (cds_pose){.position = {state.position.x, state.position.y},
                      .rotation = {cos(state.angle / 2), 0, 0, sin(state.angle / 2)},
                      .angle = state.angle};
}

static cds_pose pose_of_space(cd_state3 state)
{
    cds_pose pose = {.angle = 0};
    cd_vec3_put(state.position, pose.position);
    cd_quat_put(state.rotation, pose.rotation);
    return pose;
}

static const int32_t *trials_of(cds_frame *f)
{
    if (!f->trial_of)
        f->trial_of = cd_body_trial_rows(&f->ctx->arena, &f->ctx->in);
    return f->trial_of;
}

cds_pose cds_get_pose(cds_frame *f, int32_t body, cds_when when)
{
    const cd_model *in = &f->ctx->in;
    cds_pose none = {.rotation = {1}};
    if (!is_body(f, "cds_get_pose", body))
        return none;
    cd_status status = cd_body_need_position(in, body, &f->ctx->diag);
    if (status != CD_OK) {
        stage_keep(f, status);
        return none;
    }
    double step = cd_frame_step_or_zero(in);
    switch (when) {
    case CDS_START:
        break;
    case CDS_PREDICTED:
        return in->dim == 2 ? pose_of_plane(cd_body_predicted2(in, body, step))
                            : pose_of_space(cd_body_predicted3(in, body, step));
    case CDS_TRIAL:
        return in->dim == 2 ? pose_of_plane(cd_body_trial2(in, trials_of(f), body))
                            : pose_of_space(cd_body_trial3(in, trials_of(f), body));
    }
    return in->dim == 2 ? pose_of_plane(cd_body_start2(in, body)) : pose_of_space(cd_body_start3(in, body));
}

int cds_takes_part(cds_frame *f, int32_t body)
{
    return is_body(f, "cds_takes_part", body) && cd_body_is_active(&f->ctx->in, body);
}

int cds_is_dynamic(cds_frame *f, int32_t body)
{
    return is_body(f, "cds_is_dynamic", body) && cd_body_is_moved(&f->ctx->in, body);
}

double cds_get_reach(cds_frame *f, int32_t a, int32_t b)
{
    if (!is_body(f, "cds_get_reach", a) || !is_body(f, "cds_get_reach", b))
        return 0;
    if (!f->has_reach) {
        const cd_leaves *leaves = stage_leaves(f);
        if (!leaves)
            return 0;
        f->reach = cd_reach_make(&f->ctx->arena, &f->ctx->in, leaves, NAN);
        f->has_reach = true;
    }
    return cd_reach_pair(&f->reach, a, b);
}

// ---- parts ---------------------------------------------------------------------------------------------------------

// The quaternion of a rotation, column[c][r], by its largest component (Shepperd, J. Guidance 1 (1978) 223).
static void rotation_of_columns(const double column[3][3], double rotation[4])
{
    double trace = column[0][0] + column[1][1] + column[2][2], square[4] = {1 + trace};
    int most = 0;
    for (int k = 0; k < 3; k++) {
        square[k + 1] = 1 + 2 * column[k][k] - trace;
        most = square[k + 1] > square[most] ? k + 1 : most;
    }
    double root = sqrt(square[most]), share = 0.5 / root;
    int x = most == 0 ? 0 : most - 1, y = (x + 1) % 3, z = (x + 2) % 3;
    double turn_x = share * (column[y][z] - column[z][y]);
    double with_y = share * (most == 0 ? column[z][x] - column[x][z] : column[x][y] + column[y][x]);
    double with_z = share * (most == 0 ? column[x][y] - column[y][x] : column[z][x] + column[x][z]);
    rotation[0] = most == 0 ? 0.5 * root : turn_x;
    rotation[1 + x] = most == 0 ? turn_x : 0.5 * root;
    rotation[1 + y] = with_y;
    rotation[1 + z] = with_z;
}

static void set_angle(double angle, cds_part *part)
{
    part->angle = angle;
    part->rotation[0] = cos(angle / 2);
    part->rotation[3] = sin(angle / 2);
}

static void mean_of_vertices(int dim, cds_part *part)
{
    for (int32_t v = 0; v < part->vertex_count; v++)
        for (int k = 0; k < dim; k++)
            part->centre[k] += part->vertex[dim * v + k] / part->vertex_count;
}

static void part_of_plane(cds_frame *f, const cd_leaf2 *leaf, const cds_pose *pose, cds_part *part)
{
    static const cds_kind kinds[CD_SHAPE_KINDS] = {[CD_SHAPE_POLYGON] = CDS_POLYGON,
                                                   [CD_SHAPE_SPHERE] = CDS_SPHERE,
                                                   [CD_SHAPE_ELLIPSOID] = CDS_ELLIPSOID,
                                                   [CD_SHAPE_HALFSPACE] = CDS_HALFSPACE};
    cd_pose2 placing = cd_pose2_make(pose ? cd_vec2_at(pose->position) : (cd_vec2){0, 0}, pose ? pose->angle : 0);
    cd_leaf2 placed = cd_leaf2_place(&f->ctx->arena, leaf, placing);
    part->kind = kinds[placed.kind];
    part->centre[0] = placed.centre.x;
    part->centre[1] = placed.centre.y;
    if (part->kind == CDS_SPHERE) {
        part->radius = placed.radius;
    } else if (part->kind == CDS_ELLIPSOID) {
        part->semiaxes[0] = placed.semiaxes.x;
        part->semiaxes[1] = placed.semiaxes.y;
        set_angle(atan2(placed.sine, placed.cosine), part);
    } else if (part->kind == CDS_HALFSPACE) {
        part->normal[0] = placed.normal.x;
        part->normal[1] = placed.normal.y;
        part->offset = placed.offset;
    } else {
        part->vertex_count = placed.polygon.count;
        part->vertex = &placed.polygon.vertex[0].x;
        part->centre[0] = part->centre[1] = 0;
        mean_of_vertices(2, part);
    }
}

// A box of the head keeps its sizes; its axes are along the edges of its first corner.
static void add_box(const cd_model *in, cds_part *part)
{
    int dim = in->dim;
    for (int k = 0; k < dim; k++)
        part->halfsizes[k] = in->shape.halfsizes[dim * part->shape + k];
    if (dim == 2) {
        set_angle(atan2(part->vertex[3] - part->vertex[1], part->vertex[2] - part->vertex[0]), part);
        return;
    }
    double column[3][3];
    for (int k = 0; k < 3; k++)  // corners 1, 2, 4 differ from corner 0 in x, y, z
        cd_vec3_put(cd_unit3(cd_sub3(cd_vec3_at(part->vertex + (3 << k)), cd_vec3_at(part->vertex))), column[k]);
    rotation_of_columns(column, part->rotation);
}

static void add_polyhedron(cd_arena *arena, const cd_leaf3 *leaf, const cd_solid3 *placed, cds_part *part)
{
    const cd_convex3 *convex = &placed->convex;
    double *vertex = CD_ARENA_ARRAY(arena, double, 3 * (size_t)convex->vertex_count);
    for (int32_t v = 0; v < convex->vertex_count; v++)
        cd_vec3_put(cd_convex3_vertex(convex, v), vertex + 3 * (size_t)v);
    part->vertex_count = convex->vertex_count;
    part->vertex = vertex;
    part->face_count = leaf->polyhedron->face_count;
    part->face_first = leaf->polyhedron->face_first;
    part->face_vertex = leaf->polyhedron->face_vertex;
    mean_of_vertices(3, part);
}

static void part_of_space(cds_frame *f, const cd_leaf3 *leaf, const cds_pose *pose, cds_part *part)
{
    static const cds_kind kinds[CD_SHAPE_KINDS] = {[CD_SHAPE_POLYHEDRON] = CDS_POLYHEDRON,
                                                   [CD_SHAPE_SPHERE] = CDS_SPHERE,
                                                   [CD_SHAPE_ELLIPSOID] = CDS_ELLIPSOID,
                                                   [CD_SHAPE_HALFSPACE] = CDS_HALFSPACE,
                                                   [CD_SHAPE_FACETS] = CDS_TRIANGLE};
    cd_pose3 placing = cd_pose3_make(pose ? cd_vec3_at(pose->position) : (cd_vec3){0, 0, 0},
                                     pose ? cd_quat_at(pose->rotation) : cd_quat_identity());
    cd_solid3 placed = cd_solid3_place_vertices(&f->ctx->arena, leaf, &placing);
    part->kind = kinds[placed.kind];
    switch (part->kind) {
    case CDS_SPHERE:
        cd_vec3_put(placed.sphere.centre, part->centre);
        part->radius = placed.sphere.radius;
        return;
    case CDS_ELLIPSOID: {
        cd_mat3 columns = cd_mat3_transpose(placed.ellipsoid.axes);
        double column[3][3];
        for (int k = 0; k < 3; k++)
            cd_vec3_put(columns.row[k], column[k]);
        cd_vec3_put(placed.ellipsoid.centre, part->centre);
        cd_vec3_put(placed.ellipsoid.semiaxes, part->semiaxes);
        rotation_of_columns(column, part->rotation);
        return;
    }
    case CDS_HALFSPACE:
        cd_vec3_put(placed.halfspace.normal, part->normal);
        part->offset = placed.halfspace.offset;
        return;
    case CDS_TRIANGLE: {
        double *vertex = CD_ARENA_ARRAY(&f->ctx->arena, double, 9);
        for (int k = 0; k < 3; k++)
            cd_vec3_put(placed.facet.vertex[k], vertex + 3 * k);
        part->vertex_count = 3;
        part->vertex = vertex;
        part->thickness = 2 * placed.facet.half_thickness;
        mean_of_vertices(3, part);
        return;
    }
    case CDS_POLYGON:
    case CDS_POLYHEDRON:
        add_polyhedron(&f->ctx->arena, leaf, &placed, part);
        return;
    }
}

int32_t cds_part_count(cds_frame *f, int32_t body)
{
    const cd_model *in = &f->ctx->in;
    if (!is_body(f, "cds_part_count", body) || !cd_body_is_active(in, body))
        return 0;
    cd_status status = cd_body_need_shape(in, body, &f->ctx->diag);
    if (status != CD_OK) {
        stage_keep(f, status);
        return 0;
    }
    const cd_leaves *leaves = stage_leaves(f);
    int32_t shape = in->body.shape[body];
    return leaves ? leaves->first[shape + 1] - leaves->first[shape] : 0;
}

int cds_get_part(cds_frame *f, int32_t body, int32_t part, const cds_pose *pose, cds_part *result)
{
    const cd_model *in = &f->ctx->in;
    int32_t count = cds_part_count(f, body);
    *result = (cds_part){.kind = CDS_SPHERE, .rotation = {1}};
    if (f->fault != CD_OK)
        return cd_status_exit_code(f->fault);
    if (part < 0 || part >= count)
        return cds_fail(f, CDS_INPUT, "body", body, NULL, "there is no part %d; there are %d", part, count);
    int32_t leaf = f->leaves.first[in->body.shape[body]] + part;
    if (in->dim == 2) {
        result->shape = f->leaves.plane.leaf[leaf].shape;
        part_of_plane(f, &f->leaves.plane.leaf[leaf], pose, result);
    } else {
        const cd_leaf3 own = cd_leaves3_at(&f->leaves.space, leaf);
        result->shape = own.shape;
        part_of_space(f, &own, pose, result);
    }
    if (in->shape.kind[result->shape] == CD_SHAPE_BOX)
        add_box(in, result);
    return CDS_OK;
}
