// SPDX-License-Identifier: MIT
#include "cd_elements.h"

#include "cd_bodies.h"
#include "cd_bounds.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// ---- the head's table ----------------------------------------------------------------------------------------------

static int32_t items_of(const cd_list *list, int32_t row)
{
    return list->offset ? list->offset[row + 1] - list->offset[row] : 0;
}

static int32_t split_of(const cd_element_rows *rows, int32_t row) { return cd_i32_or(rows->split, row, 0); }

bool cd_element_has_reference(const cd_model *in, int32_t row) { return items_of(&in->element.reference, row) > 0; }

bool cd_element_reference(const cd_model *in, int32_t row, cd_vec3 *x)
{
    const cd_list *list = &in->element.reference;
    int32_t places = items_of(list, row);
    for (int32_t i = 0; i < places; i++)
        x[i] = cd_node_vector(list->f64, in->dim, list->offset[row] + i);
    return places > 0;
}

static cd_status check_reference(const cd_model *in, int32_t row, int32_t nodes, cd_diag *diag)
{
    const cd_element_rows *rows = &in->element;
    int32_t places = items_of(&rows->reference, row);
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    if (places == 0)
        return CD_OK;
    if (places != nodes)
        return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": reference: %d places for %d nodes", rows->id[row],
                       places, nodes);
    cd_element_reference(in, row, x);
    double volume = cd_element_volume((cd_element_kind)rows->kind[row], x, CD_SYMMETRY_PLANE);
    return volume > 0 && isfinite(volume)
               ? CD_OK
               : cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": reference: its volume is %g", rows->id[row],
                         volume);
}

static cd_status check_element(const cd_model *in, int32_t row, cd_diag *diag)
{
    const cd_element_rows *rows = &in->element;
    cd_element_kind kind = (cd_element_kind)rows->kind[row];
    const char *name = cd_words_ELEMENT[kind];
    int32_t nodes = items_of(&rows->nodes, row), split = split_of(rows, row);
    if (cd_element_dim(kind) != in->dim)
        return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": kind: %s is not an element of %s", rows->id[row],
                       name, in->dim == 2 ? "the plane" : "space");
    if (nodes != cd_element_node_count(kind))
        return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": nodes: %d of them, %s has %d", rows->id[row], nodes,
                       name, cd_element_node_count(kind));
    if (split > CD_PINBALL_MAX_SPLIT)
        return cd_fail(diag, CD_ERR_FORMAT, "element %" PRId64 ": split: %d is more than %d", rows->id[row], split,
                       CD_PINBALL_MAX_SPLIT);
    return check_reference(in, row, nodes, diag);
}

// ---- pinballs ------------------------------------------------------------------------------------------------------

// Of the largest child, to the scale of `radius`.
static double largest_ball(const cd_model *in, int32_t row)
{
    const cd_element_rows *rows = &in->element;
    cd_element_kind kind = (cd_element_kind)rows->kind[row];
    int32_t split = split_of(rows, row);
    double own = rows->radius[row], most = 0;
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    if (split == 0 || !cd_element_reference(in, row, x))
        return ldexp(own, -split);
    for (int32_t child = 0; child < cd_pinball_count(kind, split); child++)
        most = fmax(most, cd_pinball_child_radius(kind, x, split, child));
    return own * (most / cd_pinball_radius(kind, x));
}

static void make_weights(cd_arena *arena, cd_element_kind kind, int32_t split, cd_elements *elements)
{
    if (elements->weight[kind][split])
        return;
    int32_t count = cd_pinball_count(kind, split);
    cd_pinball_weight *weight = CD_ARENA_ZARRAY(arena, cd_pinball_weight, count);
    for (int32_t child = 0; child < count; child++)
        cd_pinball_weights(kind, split, child, weight[child]);
    elements->weight[kind][split] = (const cd_pinball_weight *)weight;
}

static void make_balls(cd_arena *arena, const cd_model *in, cd_elements *elements)
{
    const cd_element_rows *rows = &in->element;
    double *ball = CD_ARENA_ARRAY(arena, double, rows->count);
    for (int32_t i = 0; i < rows->count; i++) {
        ball[i] = NAN;
        if (isnan(cd_f64_or(rows->radius, i, NAN)))
            continue;
        ball[i] = largest_ball(in, i);
        make_weights(arena, (cd_element_kind)rows->kind[i], split_of(rows, i), elements);
    }
    elements->ball = ball;
}

// ---- the table by body ---------------------------------------------------------------------------------------------

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
    make_balls(arena, in, elements);
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

int32_t cd_element_row(const cd_placed_elements *placed, int32_t body, int32_t part)
{
    return placed->elements->row[placed->elements->first[placed->place[body]] + part];
}

cd_corners cd_element_corners(const cd_placed_elements *placed, int32_t body, int32_t part)
{
    const cd_element_rows *rows = placed->elements->rows;
    int32_t row = cd_element_row(placed, body, part);
    return (cd_corners){cd_element_node_count((cd_element_kind)rows->kind[row]),
                        placed->node + rows->nodes.offset[row]};
}

double cd_element_ball(const cd_placed_elements *placed, int32_t body, int32_t part)
{
    int32_t row = cd_element_row(placed, body, part);
    double radius = placed->elements->ball[row];
    return isnan(radius) || split_of(placed->elements->rows, row) > 0 ? 0 : radius;
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
    bool are_active = cd_bodies_are_active(in);
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!are_active && !cd_body_is_active(in, i))
            continue;
        int32_t elements = cd_elements_of_body(placed, i);
        total += elements;
        if (elements > 0)
            continue;
        if (placed->place)
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

// How far a node moves in the step: h v, and 0 of one that is held.
static double advance(const cd_node_rows *nodes, int32_t node, int dim, int k, double step)
{
    bool is_held = !nodes->velocity || cd_i32_or(nodes->motion, node, CD_MOTION_DYNAMIC) == CD_MOTION_FIXED;
    return is_held ? 0 : step * nodes->velocity[(size_t)dim * (size_t)node + (size_t)k];
}

// The corner at the start and at x + h v, each rounded outward.
static void cover(cd_aabb *box, const cd_node_rows *nodes, int32_t node, int dim, double step)
{
    const double *x = nodes->position + (size_t)dim * (size_t)node;
    *box = cd_aabb_add_point(*box, x, dim);
    for (int k = 0; k < dim && step != 0; k++) {
        double way = advance(nodes, node, dim, k, step);
        if (way == 0)
            continue;
        double low = cd_round_down(x[k] + cd_round_down(way)), high = cd_round_up(x[k] + cd_round_up(way));
        box->min[k] = low < box->min[k] ? low : box->min[k];
        box->max[k] = high > box->max[k] ? high : box->max[k];
    }
}

// The ball about the weighted mean of the corners, at both ends of the step.
static void cover_ball(cd_aabb *box, const cd_model *in, cd_corners corners, const double *weight, double radius,
                       double step)
{
    for (int k = 0; k < in->dim; k++) {
        double start = 0, end = 0, size = 0;
        for (int i = 0; i < corners.count; i++) {
            double x = in->node.position[(size_t)in->dim * (size_t)corners.node[i] + (size_t)k];
            double moved = x + advance(&in->node, corners.node[i], in->dim, k, step);
            start += weight[i] * x;
            end += weight[i] * moved;
            size += fabs(x) + fabs(moved);
        }
        double reach = radius * (1 + 4 * DBL_EPSILON) + 16 * DBL_EPSILON * size;  // and what these sums round
        box->min[k] = fmin(box->min[k], fmin(start, end) - reach);
        box->max[k] = fmax(box->max[k], fmax(start, end) + reach);
    }
}

void cd_elements_bounds(const cd_placed_elements *placed, int32_t body, bool start_only, double grow, double *min,
                        double *max)
{
    const cd_model *in = placed->in;
    const cd_elements *elements = placed->elements;
    bool is_still = start_only || cd_body_motion(in, body) == CD_MOTION_FIXED;
    double step = is_still ? 0 : cd_frame_step_or_zero(in);
    int32_t parts = cd_elements_of_body(placed, body);
    for (int32_t part = 0; part < parts; part++, min += in->dim, max += in->dim) {
        int32_t row = cd_element_row(placed, body, part), kind = elements->rows->kind[row];
        cd_corners corners = cd_element_corners(placed, body, part);
        cd_aabb box = cd_aabb_empty(in->dim);
        if (isnan(elements->ball[row])) {
            for (int i = 0; i < corners.count; i++)
                cover(&box, &in->node, corners.node[i], in->dim, step);
        } else {
            int32_t split = split_of(elements->rows, row), count = cd_pinball_count((cd_element_kind)kind, split);
            for (int32_t child = 0; child < count; child++)
                cover_ball(&box, in, corners, elements->weight[kind][split][child], elements->ball[row], step);
        }
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
