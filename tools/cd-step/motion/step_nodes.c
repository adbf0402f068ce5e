// SPDX-License-Identifier: MIT
#include "step_nodes.h"

#include "cd_bodies.h"
#include "cd_pinballs.h"
#include "step_central.h"

#include <inttypes.h>

static const uint8_t *find_motions(cd_arena *arena, const cd_placed_elements *placed)
{
    const cd_model *in = placed->in;
    uint8_t *motion = CD_ARENA_ZARRAY(arena, uint8_t, in->node.count);
    for (int32_t body = 0; body < in->body.count; body++) {
        int32_t parts = cd_elements_of_body(placed, body), of_body = cd_body_motion(in, body);
        for (int32_t part = 0; part < parts && of_body != CD_MOTION_FIXED; part++) {
            cd_corners corners = cd_element_corners(placed, body, part);
            for (int i = 0; i < corners.count; i++) {
                int32_t own = cd_i32_or(in->node.motion, corners.node[i], CD_MOTION_DYNAMIC);
                bool is_pushed = own == CD_MOTION_DYNAMIC && of_body == CD_MOTION_DYNAMIC;
                motion[corners.node[i]] = own == CD_MOTION_FIXED ? CD_STEP_NODE_STAYS
                                          : is_pushed            ? CD_STEP_NODE_IS_PUSHED
                                                                 : CD_STEP_NODE_GOES;
            }
        }
    }
    return motion;
}

// What elements and contacts do on the nodes [N].
static cd_status find_forces(cd_arena *arena, const cd_model *in, const cd_placed_solids *solids, cd_vec3 *force,
                             double *energy)
{
    for (int32_t i = 0; i < in->nodal_force.count; i++) {
        cd_vec3 *sum = &force[in->nodal_force.node[i]];
        *sum = cd_add3(*sum, cd_node_vector(in->nodal_force.vector, in->dim, i));
    }
    *energy = cd_solids_force(arena, solids, force);
    return CD_OK;
}

// Velocities half a step before and behind the frame.
static cd_status kick_node(const cd_step_nodes *nodes, int32_t i, cd_vec3 force, cd_vec3 *before, cd_vec3 *after,
                           cd_diag *diag)
{
    const cd_model *in = nodes->in;
    *after = in->node.velocity ? cd_node_vector(in->node.velocity, in->dim, i) : (cd_vec3){0, 0, 0};
    *before = *after;
    if (nodes->motion[i] != CD_STEP_NODE_IS_PUSHED)
        return CD_OK;
    double mass = cd_f64_or(in->node.mass, i, NAN);
    if (isnan(mass))
        return cd_fail(diag, CD_ERR_FORMAT, "node %" PRId64 ": mass: required of a dynamic node", in->node.id[i]);
    cd_vec3 gravity = in->dim == 2 ? cd_vec3_of_plane(cd_gravity2(in)) : cd_gravity3(in);
    cd_vec3 kick = cd_scale3(nodes->step, cd_add3(gravity, cd_scale3(1 / mass, force)));
    *after = cd_add3(*after, cd_scale3(nodes->kick, kick));
    *before = cd_sub3(*after, kick);
    if (!isfinite(cd_length3(*after)))
        return cd_fail(diag, CD_ERR_NUMERIC, "node %" PRId64 ": its velocity is not finite", in->node.id[i]);
    return CD_OK;
}

cd_status cd_step_nodes_make(cd_arena *arena, const cd_model *in, const cd_solids *solids,
                             const cd_placed_elements *placed, int threads, cd_step_nodes *nodes, cd_diag *diag)
{
    cd_placed_solids elastic;
    *nodes = (cd_step_nodes){.in = in, .dim = in->dim, .kick = cd_step_central_kick(in)};
    CD_TRY(cd_frame_step(in, &nodes->step, diag));
    CD_TRY(cd_solids_place(arena, solids, placed, threads, &elastic, diag));
    cd_vec3 *force = CD_ARENA_ZARRAY(arena, cd_vec3, in->node.count);
    cd_vec3 *before = CD_ARENA_ARRAY(arena, cd_vec3, in->node.count);
    cd_vec3 *after = CD_ARENA_ARRAY(arena, cd_vec3, in->node.count);
    nodes->motion = find_motions(arena, placed);
    nodes->before = before;
    nodes->after = after;
    CD_TRY(find_forces(arena, in, &elastic, force, &nodes->strain_energy));
    for (int32_t i = 0; i < in->node.count; i++)
        CD_TRY(kick_node(nodes, i, force[i], &before[i], &after[i], diag));
    return CD_OK;
}

cd_status cd_step_write_nodes(cd_arena *arena, const cd_step_nodes *nodes, cd_next_node_rows *next, cd_diag *diag)
{
    const cd_model *in = nodes->in;
    const size_t dim = (size_t)in->dim;
    next->count = 0;
    for (int32_t i = 0; i < in->node.count; i++)
        next->count += nodes->motion[i] != CD_STEP_NODE_STAYS;
    int32_t *node = CD_COLUMN(arena, in->dim, next_node, next, node);
    double *position = CD_COLUMN(arena, in->dim, next_node, next, position);
    double *velocity = CD_COLUMN(arena, in->dim, next_node, next, velocity);
    for (int32_t i = 0; i < in->node.count; i++) {
        if (nodes->motion[i] == CD_STEP_NODE_STAYS)
            continue;
        cd_vec3 x = cd_add3(cd_node_vector(in->node.position, in->dim, i), cd_scale3(nodes->step, nodes->after[i]));
        if (!isfinite(cd_length3(x)))
            return cd_fail(diag, CD_ERR_NUMERIC, "node %" PRId64 ": its place is not finite", in->node.id[i]);
        *node++ = i;
        memcpy(position, &x, dim * sizeof *position);
        memcpy(velocity, &nodes->after[i], dim * sizeof *velocity);
        position += dim;
        velocity += dim;
    }
    return CD_OK;
}
