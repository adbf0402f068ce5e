// SPDX-License-Identifier: MIT
#include "cd_elements.h"

#include "cd_bodies.h"
#include "cd_bounds.h"

#include <inttypes.h>
#include <stdlib.h>

// ---- the head's table ----------------------------------------------------------------------------------------------

typedef struct element_kind {
    int dim, corners;
} element_kind;

static const element_kind kinds[CD_ELEMENT_KINDS] = {
    [CD_ELEMENT_TRI3] = {2, 3},
    [CD_ELEMENT_QUAD4] = {2, 4},
    [CD_ELEMENT_TET4] = {3, 4},
    [CD_ELEMENT_HEX8] = {3, 8},
};

static cd_status check_element(const cd_model *in, int32_t row, cd_diag *diag)
{
    const cd_element_rows *rows = &in->element;
    const element_kind *kind = &kinds[rows->kind[row]];
    const char *name = cd_words_ELEMENT[rows->kind[row]];
    int32_t nodes = rows->nodes.offset ? rows->nodes.offset[row + 1] - rows->nodes.offset[row] : 0;
    if (kind->dim != in->dim)
        return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": kind: %s is not an element of %s", rows->id[row],
                       name, in->dim == 2 ? "the plane" : "space");
    if (nodes != kind->corners)
        return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": nodes: %d of them, %s has %d", rows->id[row], nodes,
                       name, kind->corners);
    return CD_OK;
}

typedef struct element_key {
    int32_t body, row;
} element_key;

static int compare_keys(const void *left, const void *right)
{
    const element_key *a = left, *b = right;
    return a->body != b->body ? (a->body > b->body) - (a->body < b->body) : (a->row > b->row) - (a->row < b->row);
}

cd_status cd_elements_make(cd_arena *arena, const cd_model *in, cd_elements *elements, cd_diag *diag)
{
    const cd_element_rows *rows = &in->element;
    *elements = (cd_elements){.rows = rows};
    element_key *key = CD_ARENA_ARRAY(arena, element_key, rows->count);
    int32_t count = 0;
    for (int32_t i = 0; i < rows->count; i++) {
        CD_TRY(check_element(in, i, diag));
        if (rows->body && rows->body[i] != CD_ABSENT)
            key[count++] = (element_key){rows->body[i], i};
    }
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    int32_t *body_id = CD_ARENA_ARRAY(arena, int32_t, count), *row = CD_ARENA_ARRAY(arena, int32_t, count);
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, (size_t)count + 1);
    for (int32_t k = 0; k < count; k++) {
        row[k] = key[k].row;
        if (k > 0 && key[k - 1].body == key[k].body)
            continue;
        first[elements->body_count] = k;
        body_id[elements->body_count++] = key[k].body;
    }
    first[elements->body_count] = count;
    elements->body_id = body_id;
    elements->first = first;
    elements->row = row;
    return CD_OK;
}

// ---- in a frame ----------------------------------------------------------------------------------------------------

// Index of a body in body_id, -1 when no element names it.
static int32_t place_of(const cd_elements *elements, int64_t id)
{
    int32_t low = 0, high = elements->body_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (elements->body_id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < elements->body_count && elements->body_id[low] == id ? low : -1;
}

// Looks the nodes of the elements at a place up.
static cd_status find_nodes(const cd_elements *elements, int32_t place, const cd_refs *refs, int32_t *node,
                            cd_diag *diag)
{
    const cd_list *nodes = &elements->rows->nodes;
    for (int32_t k = elements->first[place]; k < elements->first[place + 1]; k++) {
        int32_t row = elements->row[k];
        for (int32_t i = nodes->offset[row]; i < nodes->offset[row + 1]; i++) {
            node[i] = cd_refs_row(refs, CD_REC_node, nodes->i32[i]);
            if (node[i] < 0)
                return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": nodes: there is no node %d",
                               elements->rows->id[row], nodes->i32[i]);
        }
    }
    return CD_OK;
}

cd_status cd_elements_place(cd_arena *arena, const cd_model *in, const cd_elements *elements, const cd_refs *refs,
                            cd_placed_elements *placed, cd_diag *diag)
{
    *placed = (cd_placed_elements){.in = in, .elements = elements};
    if (elements->body_count == 0)
        return CD_OK;
    const cd_list *nodes = &elements->rows->nodes;
    int32_t *place = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    int32_t *node = CD_ARENA_ARRAY(arena, int32_t, nodes->offset[elements->rows->count]);
    for (int32_t i = 0; i < in->body.count; i++) {
        bool has_shape = in->body.shape && in->body.shape[i] >= 0;
        place[i] = has_shape || !cd_body_is_active(in, i) ? -1 : place_of(elements, in->body.id[i]);
        if (place[i] >= 0)
            CD_TRY(find_nodes(elements, place[i], refs, node, diag));
    }
    placed->place = place;
    placed->node = node;
    return CD_OK;
}

cd_corners cd_element_corners(const cd_placed_elements *placed, int32_t body, int32_t part)
{
    const cd_elements *elements = placed->elements;
    int32_t row = elements->row[elements->first[placed->place[body]] + part];
    return (cd_corners){kinds[elements->rows->kind[row]].corners, placed->node + elements->rows->nodes.offset[row]};
}

cd_status cd_elements_need_positions(const cd_placed_elements *placed, cd_diag *diag)
{
    if (!placed->place)
        return cd_bodies_need_positions(placed->in, diag);
    for (int32_t i = 0; i < placed->in->body.count; i++)
        if (cd_body_is_active(placed->in, i) && cd_elements_of_body(placed, i) == 0)
            CD_TRY(cd_body_need_position(placed->in, i, diag));
    return CD_OK;
}

cd_status cd_elements_check_others(const cd_placed_elements *placed, cd_diag *diag)
{
    CD_TRY(cd_elements_need_positions(placed, diag));
    for (int32_t i = 0; i < placed->in->body.count; i++)
        if (cd_body_is_active(placed->in, i) && cd_elements_of_body(placed, i) == 0)
            CD_TRY(cd_body_check(placed->in, i, false, diag));
    return CD_OK;
}

cd_status cd_parts_count(const cd_placed_elements *placed, const cd_leaves *leaves, int32_t *count, cd_diag *diag)
{
    const cd_model *in = placed->in;
    int64_t total = 0;
    if (!placed->place)
        CD_TRY(cd_bodies_need_positions(in, diag));
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_active(in, i))
            continue;
        int32_t elements = cd_elements_of_body(placed, i);
        total += elements;
        if (elements > 0)
            continue;
        CD_TRY(cd_body_need_position(in, i, diag));
        CD_TRY(cd_body_need_shape(in, i, diag));
        int32_t shape = in->body.shape[i];
        total += leaves->first[shape + 1] - leaves->first[shape];
    }
    if (total > INT32_MAX / 2)
        return cd_fail(diag, CD_ERR_LIMIT, "body: the parts of all bodies are more than %d", INT32_MAX / 2);
    *count = (int32_t)total;
    return CD_OK;
}

// ---- bounds --------------------------------------------------------------------------------------------------------

// The corner at the start and at x + h v, each rounded outward.
static void cover(cd_aabb *box, const cd_node_rows *nodes, int32_t node, int dim, double step)
{
    const double *x = nodes->position + (size_t)dim * (size_t)node;
    *box = cd_aabb_add_point(*box, x, dim);
    if (step == 0 || !nodes->velocity)
        return;
    const double *v = nodes->velocity + (size_t)dim * (size_t)node;
    for (int k = 0; k < dim; k++) {
        if (v[k] == 0)
            continue;
        double low = cd_round_down(x[k] + cd_round_down(step * v[k]));
        double high = cd_round_up(x[k] + cd_round_up(step * v[k]));
        box->min[k] = low < box->min[k] ? low : box->min[k];
        box->max[k] = high > box->max[k] ? high : box->max[k];
    }
}

void cd_elements_bounds(const cd_placed_elements *placed, int32_t body, bool start_only, double grow, double *min,
                        double *max)
{
    const cd_model *in = placed->in;
    bool is_still = start_only || cd_body_motion(in, body) == CD_MOTION_FIXED;
    double step = is_still ? 0 : cd_frame_step_or_zero(in);
    int32_t parts = cd_elements_of_body(placed, body);
    for (int32_t part = 0; part < parts; part++, min += in->dim, max += in->dim) {
        cd_corners corners = cd_element_corners(placed, body, part);
        cd_aabb box = cd_aabb_empty(in->dim);
        for (int i = 0; i < corners.count; i++)
            cover(&box, &in->node, corners.node[i], in->dim, step);
        cd_bounds_put(box, grow, in->dim, min, max);
    }
}

double cd_elements_speed(const cd_placed_elements *placed, int32_t body)
{
    const cd_model *in = placed->in;
    double most = 0;
    if (!in->node.velocity || cd_body_motion(in, body) == CD_MOTION_FIXED)
        return 0;
    int32_t parts = cd_elements_of_body(placed, body);
    for (int32_t part = 0; part < parts; part++) {
        cd_corners corners = cd_element_corners(placed, body, part);
        for (int i = 0; i < corners.count; i++) {
            const double *v = in->node.velocity + (size_t)in->dim * (size_t)corners.node[i];
            most = fmax(most, in->dim == 2 ? cd_length2(cd_vec2_at(v)) : cd_length3(cd_vec3_at(v)));
        }
    }
    return most;
}
