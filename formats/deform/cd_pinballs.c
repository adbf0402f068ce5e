// SPDX-License-Identifier: MIT
#include "cd_pinballs.h"

#include "cd_bodies.h"

#include <inttypes.h>

// ---- once a run ----------------------------------------------------------------------------------------------------

static int32_t split_of(const cd_element_rows *rows, int32_t row) { return cd_i32_or(rows->split, row, 0); }

// Radii of the children of an element that has a radius.
static void make_radii(const cd_model *in, int32_t row, int32_t count, double *radius)
{
    cd_element_kind kind = (cd_element_kind)in->element.kind[row];
    int32_t split = split_of(&in->element, row);
    cd_vec3 reference[CD_ELEMENT_MAX_NODES];
    bool has_reference = cd_element_reference(in, row, reference);
    double own = in->element.radius[row];
    double scale = has_reference ? own / cd_pinball_radius(kind, reference) : 1;
    for (int32_t child = 0; child < count; child++)
        radius[child] = split == 0       ? own
                        : !has_reference ? ldexp(own, -split)
                                         : scale * cd_pinball_child_radius(kind, reference, split, child);
}

cd_status cd_pinballs_make(cd_arena *arena, const cd_model *in, const cd_elements *elements, const cd_leaves *shapes,
                           cd_pinballs *pinballs, cd_diag *diag)
{
    const cd_element_rows *rows = &in->element;
    *pinballs = (cd_pinballs){.elements = elements, .shapes = shapes};
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, (size_t)rows->count + 1);
    int64_t total = 0;
    for (int32_t i = 0; i < rows->count; i++) {
        int32_t split = split_of(rows, i);
        bool has_radius = !isnan(cd_f64_or(rows->radius, i, NAN));
        if (split < 0 || split > CD_PINBALL_MAX_SPLIT)
            return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": split: %d is not one of 0 to %d", rows->id[i],
                           split, CD_PINBALL_MAX_SPLIT);
        first[i] = (int32_t)total;
        total += has_radius ? cd_pinball_count((cd_element_kind)rows->kind[i], split) : 0;
        if (total > INT32_MAX / 2)
            return cd_fail(diag, CD_ERR_LIMIT, "element %" PRId64 ": split: more pinballs than can be numbered",
                           rows->id[i]);
    }
    first[rows->count] = (int32_t)total;
    double *radius = CD_ARENA_ARRAY(arena, double, total);
    for (int32_t i = 0; i < rows->count; i++)
        if (first[i + 1] > first[i])
            make_radii(in, i, first[i + 1] - first[i], radius + first[i]);
    pinballs->first = first;
    pinballs->radius = radius;
    return CD_OK;
}

// ---- in a frame ----------------------------------------------------------------------------------------------------

int32_t cd_part_material(const cd_placed_elements *placed, int32_t body, int32_t part)
{
    const cd_model *in = placed->in;
    if (cd_elements_of_body(placed, body) > 0)
        return in->element.material ? in->element.material[cd_element_row(placed, body, part)] : -1;
    return in->body.material ? in->body.material[body] : -1;
}

// The leaf that the part of a body with a shape is.
static int32_t leaf_of(const cd_placed_pinballs *balls, int32_t body, int32_t part)
{
    return balls->pinballs->shapes->first[balls->placed->in->body.shape[body]] + part;
}

int32_t cd_pinballs_of_part(const cd_placed_pinballs *balls, int32_t body, int32_t part)
{
    const cd_leaves *shapes = balls->pinballs->shapes;
    if (cd_elements_of_body(balls->placed, body) > 0) {
        int32_t row = cd_element_row(balls->placed, body, part);
        return balls->pinballs->first[row + 1] - balls->pinballs->first[row];
    }
    const cd_body_rows *rows = &balls->placed->in->body;
    if (!rows->shape || rows->shape[body] < 0 || !rows->material || rows->material[body] < 0)
        return 0;
    int32_t leaf = leaf_of(balls, body, part);
    return cd_leaves_kind(shapes, leaf) == CD_SHAPE_SPHERE;
}

static cd_pinball pinball_of_body(const cd_placed_pinballs *balls, int32_t body, int32_t part)
{
    const cd_leaves *shapes = balls->pinballs->shapes;
    const cd_model *in = balls->placed->in;
    int32_t leaf = leaf_of(balls, body, part);
    if (in->dim == 2) {
        cd_pose2 pose = cd_state2_pose(cd_body_start2(in, body));
        const cd_leaf2 *own = &shapes->plane.leaf[leaf];
        return (cd_pinball){cd_vec3_of_plane(cd_pose2_apply(pose, own->centre)), own->radius, 0, NULL, NULL};
    }
    cd_pose3 pose = cd_state3_pose(cd_body_start3(in, body));
    cd_ball own = cd_leaves3_at(&shapes->space, leaf).sphere;
    return (cd_pinball){cd_pose3_apply(&pose, own.centre), own.radius, 0, NULL, NULL};
}

cd_pinball cd_pinball_of(const cd_placed_pinballs *balls, int32_t body, int32_t part, int32_t child)
{
    if (cd_elements_of_body(balls->placed, body) == 0)
        return pinball_of_body(balls, body, part);
    const cd_model *in = balls->placed->in;
    int32_t row = cd_element_row(balls->placed, body, part);
    cd_corners corners = cd_element_corners(balls->placed, body, part);
    cd_pinball ball = {
        .radius = balls->pinballs->radius[balls->pinballs->first[row] + child],
        .nodes = corners.count,
        .node = corners.node,
        .weight = balls->pinballs->elements->weight[in->element.kind[row]][split_of(&in->element, row)][child]};
    for (int i = 0; i < ball.nodes; i++)
        ball.centre =
            cd_add3(ball.centre, cd_scale3(ball.weight[i], cd_node_vector(in->node.position, in->dim, ball.node[i])));
    return ball;
}
