// SPDX-License-Identifier: MIT
#include "step_separators.h"

#include "cd_contact_words.h"

// The part of the meeting that a side of a contact is; -1: it is not there. start: of the first part of each body.
static int32_t part_of(const cd_step_gaps *gaps, const int32_t *start, const int32_t *site)
{
    const cd_model *in = gaps->bodies->in;
    const int32_t *first = gaps->shapes->first;
    if (start[site[0]] < 0)
        return -1;
    const int32_t shape = in->body.shape[site[0]], leaves = first[shape + 1] - first[shape];
    return site[1] >= 0 && site[1] < leaves ? start[site[0]] + site[1] : -1;
}

static bool is_of_one_pair(const cd_contact_rows *rows, int32_t i, int32_t j)
{
    return memcmp(rows->a + 2 * (size_t)i, rows->a + 2 * (size_t)j, 2 * sizeof *rows->a) == 0 &&
           memcmp(rows->b + 2 * (size_t)i, rows->b + 2 * (size_t)j, 2 * sizeof *rows->b) == 0;
}

cd_step_separators cd_step_separators_make(const cd_step_gaps *gaps, const cd_step_meeting *meeting)
{
    const cd_model *in = gaps->bodies->in;
    const cd_contact_rows *rows = &in->contact;
    int32_t *start = CD_ARENA_ARRAY(gaps->arena, int32_t, in->body.count);
    int32_t *part = CD_ARENA_ARRAY(gaps->arena, int32_t, 2 * (size_t)rows->count);
    int32_t *first = CD_ARENA_ARRAY(gaps->arena, int32_t, meeting->count);
    int32_t *next = CD_ARENA_ARRAY(gaps->arena, int32_t, rows->count);
    for (int32_t i = 0; i < in->body.count; i++)
        start[i] = -1;
    for (int32_t i = meeting->count - 1; i >= 0; i--) {
        start[meeting->part[i].body] = i;
        first[i] = -1;
    }
    const bool has_facets = gaps->bodies->dim == 3 && rows->facet && rows->normal;
    for (int32_t i = 0; i < rows->count && has_facets; i++) {
        if (rows->kind[i] != CD_CONTACT_SEPARATING || (i > 0 && is_of_one_pair(rows, i - 1, i)))
            continue;
        const int32_t a = part_of(gaps, start, rows->a + 2 * (size_t)i);
        const int32_t b = part_of(gaps, start, rows->b + 2 * (size_t)i), low = a < b ? a : b;
        if (low < 0)
            continue;
        part[2 * (size_t)i] = a;
        part[2 * (size_t)i + 1] = b;
        next[i] = first[low];
        first[low] = i;
    }
    return (cd_step_separators){part, first, next};
}

// The contact's row, -1: none. Sets whether its side a is the pair's b.
static int32_t row_of(const cd_step_separators *separators, cd_box_pair pair, bool *is_turned)
{
    int32_t row = separators->first[pair.a < pair.b ? pair.a : pair.b];
    for (; row >= 0; row = separators->next[row]) {
        const int32_t *part = separators->part + 2 * (size_t)row;
        *is_turned = part[0] == pair.b && part[1] == pair.a;
        if (*is_turned || (part[0] == pair.a && part[1] == pair.b))
            return row;
    }
    return -1;
}

// One side of a separator.
typedef struct side {
    const cd_prepared3 *own;  // NULL: it is no polyhedron
    cd_quat rotation;         // at the step's end
} side;

static side side_of(const cd_step_gaps *gaps, const cd_step_meeting *meeting, int32_t number)
{
    const cd_step_part *part = &meeting->part[number];
    const cd_leaf3 leaf = cd_leaves3_at(&gaps->shapes->space, part->leaf);
    return (side){leaf.kind == CD_SHAPE_POLYHEDRON ? leaf.prepared : NULL,
                  meeting->way[part->body].state[1].space.rotation};
}

static bool edge_at(const side *of, int32_t feature, cd_vec3 *edge)
{
    const int32_t index = cd_feature_index(feature);
    if (cd_feature_kind(feature) != CD_FEATURE_EDGE || index >= of->own->edges.count)
        return false;
    const int32_t *end = of->own->edges.edge[index].vertex;
    const cd_convex3 *convex = &of->own->convex;
    *edge = cd_quat_turn(of->rotation, cd_sub3(cd_convex3_vertex(convex, end[1]), cd_convex3_vertex(convex, end[0])));
    return true;
}

static bool face_at(const side *of, int32_t feature, cd_vec3 *normal)
{
    const int32_t index = cd_feature_index(feature);
    if (cd_feature_kind(feature) != CD_FEATURE_FACE || index >= of->own->convex.face_count)
        return false;
    *normal = cd_quat_turn(of->rotation, of->own->convex.plane[index].normal);
    return true;
}

// From a to b of the contact; of[0] is its a.
static bool normal_of(const cd_contact_rows *rows, int32_t row, const side of[2], cd_vec3 *normal)
{
    const int32_t *facet = rows->facet + 2 * (size_t)row;
    if (facet[0] < 0 || !of[0].own || !of[1].own)
        return false;
    if (facet[1] < 0) {
        const bool is_of_b = rows->side && rows->side[row] == CD_SIDE_B;
        if (!face_at(&of[is_of_b], facet[0], normal))
            return false;
        *normal = is_of_b ? cd_negate3(*normal) : *normal;
        return true;
    }
    cd_vec3 a, b;
    if (!edge_at(&of[0], facet[0], &a) || !edge_at(&of[1], facet[1], &b))
        return false;
    const cd_vec3 across = cd_cross3(a, b);
    const double length = cd_length3(across);
    if (!(length > 0))
        return false;
    const bool is_against = cd_dot3(across, cd_vec3_at(rows->normal + 3 * (size_t)row)) < 0;
    *normal = cd_scale3((is_against ? -1 : 1) / length, across);
    return true;
}

bool cd_step_separator_at_end(const cd_step_gaps *gaps, const cd_step_meeting *meeting,
                              const cd_step_separators *separators, cd_box_pair pair, cd_vec3 *normal)
{
    bool is_turned;
    const int32_t row = row_of(separators, pair, &is_turned);
    if (row < 0)
        return false;
    const side of[2] = {side_of(gaps, meeting, is_turned ? pair.b : pair.a),
                        side_of(gaps, meeting, is_turned ? pair.a : pair.b)};
    if (!normal_of(&gaps->bodies->in->contact, row, of, normal))
        return false;
    *normal = is_turned ? cd_negate3(*normal) : *normal;
    return true;
}
