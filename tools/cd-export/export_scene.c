// SPDX-License-Identifier: MIT
#include "export_scene.h"

cd_status cd_export_scene_frame(cd_export *e, cd_export_scene *scene)
{
    cd_ctx *ctx = e->ctx;
    if (!scene->is_made) {
        cd_model *head = cd_arena_alloc(&ctx->run, sizeof *head);  // the elements borrow its tables
        *head = e->in;
        CD_TRY(cd_leaves_make(&ctx->run, head, e->refs, &scene->leaves, &ctx->diag));
        CD_TRY(cd_elements_make(&ctx->run, head, &scene->elements, &ctx->diag));
        const cd_export_detail detail = {e->segments, cd_export_reach(&e->in, &scene->leaves)};
        scene->surface = cd_export_surfaces_make(&ctx->run, head, &scene->leaves, detail);
        scene->is_made = true;
    }
    return cd_elements_place(&ctx->arena, &e->in, &scene->elements, e->refs, &scene->placed, &ctx->diag);
}

cd_export_pose cd_export_body_pose(const cd_model *in, int32_t body)
{
    if (in->dim == 3) {
        cd_state3 start = cd_body_start3(in, body);
        return (cd_export_pose){start.position, start.rotation};
    }
    cd_state2 start = cd_body_start2(in, body);
    const cd_quat turn = {cos(start.angle / 2), 0, 0, sin(start.angle / 2)};
    return (cd_export_pose){cd_vec3_of_plane(start.position), turn};
}

// Corners of each face, counter-clockwise from outside (STREAM.md, "Nodes of elements go round"); -1 behind the last.
enum { FACES = 6, CORNERS = 4 };
static const int8_t element_face[CD_ELEMENT_KINDS][FACES][CORNERS] = {
    [CD_ELEMENT_TRI3] = {{0, 1, 2, -1}, {-1}, {-1}, {-1}, {-1}, {-1}},
    [CD_ELEMENT_QUAD4] = {{0, 1, 2, 3}, {-1}, {-1}, {-1}, {-1}, {-1}},
    [CD_ELEMENT_TET4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}, {-1}, {-1}},
    [CD_ELEMENT_HEX8] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

void cd_export_elements_surface(cd_arena *arena, const cd_export_scene *scene, int32_t body, cd_export_surface *surface)
{
    const cd_placed_elements *placed = &scene->placed;
    const cd_model *in = placed->in;
    for (int32_t part = 0; part < cd_elements_of_body(placed, body); part++) {
        cd_corners corners = cd_element_corners(placed, body, part);
        int32_t kind = in->element.kind[cd_element_row(placed, body, part)];
        for (int face = 0; face < FACES && element_face[kind][face][0] >= 0; face++) {
            cd_vec3 corner[CORNERS];
            int count = 0;
            for (; count < CORNERS && element_face[kind][face][count] >= 0; count++)
                corner[count] =
                    cd_node_vector(in->node.position, in->dim, corners.node[element_face[kind][face][count]]);
            cd_export_surface_add(arena, surface, corner, count, part);
        }
    }
}
