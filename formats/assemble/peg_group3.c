// Contacts of space into constraints: (34)-(38), corrected and as printed.
//
// Configurations follow from the contacts: a vertex of one part with one, two or more faces of the other within reach
// is at a face, an edge, a vertex; a contact of two edges whose closest points are within reach of an end of an edge
// belongs to that vertex and the other edge, or to the two vertices when that holds of both; else the edges cross.
//   vertex-face    U(C(va,fb))                                                              (34)
//   edge-edge      U(C(ea,eb))                                                              (35)
//   vertex-edge    I over the near faces of va, and X({C(e,eb)},{C(va,f)}) across each applicable edge e at va, f the
//                  face of eb that e leans over                                             (36)
//   vertex-vertex  I over the near faces of va and of vb, and an X across both vertices     (37), (38)
//
// What the two cones at a pair of vertices demand, at a fixed orientation: they do not overlap exactly when one of the
// exactly applicable faces of their difference has a gap >= 0, that is one of the applicable C(va,fb), C(vb,fa),
// C(ea,eb). So the X of (va,vb) here is that one disjunction. As printed, (38) asks a disjunction of every pair of
// faces, which traps a good part of all separated cones: cones that are apart through one separator need not be so
// through one of each face pair. And (36) has only the edge that leans most to each side, and, as the authors'
// program has it, no X unless both of its members are applicable; that misses overlaps. Shares are in the test of
// cone pairs (tests/unit/peg-assemble/test_peg_cones.c). Slack in "applicable" makes the disjunctions weaker than the
// truth, hence the thresholds ACROSS_EDGE, ACROSS_VERTEX of their own.
// SPDX-License-Identifier: MIT
#include "peg_group.h"

#include <stdlib.h>

// A contact of two edges at a corner. `vertex` names the corner: of a and of b, one of them -1 where that part has an
// edge there, whose number is `edge`.
typedef struct corner_edge {
    int32_t vertex[2], edge;
    int32_t item;
} corner_edge;

// The items first .. last - 1 of one pair of leaves and its corners. Vertex contacts come first.
typedef struct leaf_pair {
    cd_peg_grouping *grouping;
    int32_t first, last;
    int32_t vertices_end;  // one behind the last vertex contact
    corner_edge *edge;
    int32_t edges;
} leaf_pair;

static int compare_corners(const void *left, const void *right)
{
    const corner_edge *a = left, *b = right;
    int order = cd_peg_compare_int(a->vertex[0], b->vertex[0]);
    order = order ? order : cd_peg_compare_int(a->vertex[1], b->vertex[1]);
    order = order ? order : cd_peg_compare_int(a->edge, b->edge);
    return order ? order : cd_peg_compare_int(a->item, b->item);
}

static bool is_same_corner(const corner_edge *a, const corner_edge *b)
{
    return a->vertex[0] == b->vertex[0] && a->vertex[1] == b->vertex[1] && a->edge == b->edge;
}

static bool is_applicable(const leaf_pair *pair, int32_t item, cd_contact_configuration configuration)
{
    return cd_peg_item_is_applicable(pair->grouping, item, configuration);
}

static int32_t find_vertex_contact(const leaf_pair *pair, int owner, int32_t vertex, int32_t face)
{
    return cd_peg_find_item(pair->grouping->item, pair->first, pair->vertices_end,
                            owner ? CD_PEG_VERTEX_OF_B : CD_PEG_VERTEX_OF_A, vertex, face);
}

// ---- vertex-edge ---------------------------------------------------------------------------------------------------

// The contact of the vertex with the face that the edge of `item` leans over; -1: out of reach, so apart.
static int32_t leaned_over(const leaf_pair *pair, int owner, int32_t item)
{
    const cd_peg_contact *contact = &pair->grouping->item[item].contact;
    const cd_peg_edge *mine = &contact->edge[owner], *theirs = &contact->edge[1 - owner];
    return find_vertex_contact(pair, owner, mine->end, theirs->face[mine->lean < 0]);
}

static void cross_edge(const leaf_pair *pair, const corner_edge *edge, int32_t count, int owner)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t face = leaned_over(pair, owner, edge[i].item);
        if (face >= 0 && is_applicable(pair, edge[i].item, CD_CONTACT_ACROSS_EDGE))
            cd_peg_add(pair->grouping, CD_PEG_X, CD_CONTACT_ACROSS_EDGE, (int32_t[]){edge[i].item, face}, 2);
    }
}

// Of the applicable edges that lean to each side the one that leans most, when its face's contact is applicable too.
static void cross_edge_printed(const leaf_pair *pair, const corner_edge *edge, int32_t count, int owner)
{
    int32_t most[2] = {-1, -1};
    for (int32_t i = 0; i < count; i++) {
        double lean = pair->grouping->item[edge[i].item].contact.edge[owner].lean;
        int side = lean < 0;
        if (lean == 0 || !is_applicable(pair, edge[i].item, CD_CONTACT_ACROSS_EDGE))
            continue;
        if (most[side] < 0 || fabs(lean) > fabs(pair->grouping->item[most[side]].contact.edge[owner].lean))
            most[side] = edge[i].item;
    }
    for (int side = 0; side < 2; side++) {
        int32_t face = most[side] < 0 ? -1 : leaned_over(pair, owner, most[side]);
        if (face >= 0 && is_applicable(pair, face, CD_CONTACT_ACROSS_EDGE))
            cd_peg_add(pair->grouping, CD_PEG_X, CD_CONTACT_ACROSS_EDGE, (int32_t[]){most[side], face}, 2);
    }
}

// ---- vertex-vertex -------------------------------------------------------------------------------------------------

// The applicable contacts of a vertex with near faces, behind the list.
static int32_t add_faces(const leaf_pair *pair, int owner, int32_t vertex, int32_t *list, int32_t count)
{
    cd_peg_side side = owner ? CD_PEG_VERTEX_OF_B : CD_PEG_VERTEX_OF_A;
    for (int32_t i = pair->first; i < pair->vertices_end; i++) {
        const cd_peg_contact *contact = &pair->grouping->item[i].contact;
        if (contact->side == side && contact->vertex == vertex && is_applicable(pair, i, CD_CONTACT_ACROSS_VERTEX))
            list[count++] = i;
    }
    return count;
}

static void cross_vertices(const leaf_pair *pair, const corner_edge *edge, int32_t count)
{
    int32_t most = pair->vertices_end - pair->first + count, n = 0;
    int32_t *list = CD_ARENA_ARRAY(pair->grouping->arena, int32_t, most);
    for (int owner = 0; owner < 2; owner++)
        n = add_faces(pair, owner, edge[0].vertex[owner], list, n);
    for (int32_t i = 0; i < count; i++)
        if (is_applicable(pair, edge[i].item, CD_CONTACT_ACROSS_VERTEX))
            list[n++] = edge[i].item;
    if (n)
        cd_peg_add(pair->grouping, CD_PEG_X, CD_CONTACT_ACROSS_VERTEX, list, n);
}

static bool has_face(const cd_peg_edge *edge, int32_t face) { return edge->face[0] == face || edge->face[1] == face; }

// Of a pair of faces: both vertices' contacts with them, and the applicable contacts of an edge of each.
static void cross_faces_printed(const leaf_pair *pair, const corner_edge *edge, int32_t count, int32_t fa, int32_t fb)
{
    int32_t *list = CD_ARENA_ARRAY(pair->grouping->arena, int32_t, count + 2), n = 2;
    list[0] = find_vertex_contact(pair, 0, edge[0].vertex[0], fb);
    list[1] = find_vertex_contact(pair, 1, edge[0].vertex[1], fa);
    for (int k = 0; k < 2; k++)
        if (list[k] < 0 || !is_applicable(pair, list[k], CD_CONTACT_ACROSS_VERTEX))
            return;
    for (int32_t i = 0; i < count; i++) {
        const cd_peg_contact *contact = &pair->grouping->item[edge[i].item].contact;
        if (has_face(&contact->edge[0], fa) && has_face(&contact->edge[1], fb) &&
            is_applicable(pair, edge[i].item, CD_CONTACT_ACROSS_VERTEX))
            list[n++] = edge[i].item;
    }
    if (n > 2)
        cd_peg_add(pair->grouping, CD_PEG_X, CD_CONTACT_ACROSS_VERTEX, list, n);
}

static int compare_ints(const void *left, const void *right)
{
    return cd_peg_compare_int(*(const int32_t *)left, *(const int32_t *)right);
}

// The faces at the edges of one part, each once, ascending.
static int32_t faces_of(const leaf_pair *pair, const corner_edge *edge, int32_t count, int owner, int32_t *face)
{
    int32_t n = 0, kept = 0;
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            face[n++] = pair->grouping->item[edge[i].item].contact.edge[owner].face[k];
    qsort(face, (size_t)n, sizeof *face, compare_ints);
    for (int32_t i = 0; i < n; i++)
        if (i == 0 || face[i] != face[i - 1])
            face[kept++] = face[i];
    return kept;
}

static void cross_vertices_printed(const leaf_pair *pair, const corner_edge *edge, int32_t count)
{
    cd_arena *arena = pair->grouping->arena;
    int32_t *face[2] = {CD_ARENA_ARRAY(arena, int32_t, 2 * count), CD_ARENA_ARRAY(arena, int32_t, 2 * count)}, n[2];
    for (int owner = 0; owner < 2; owner++)
        n[owner] = faces_of(pair, edge, count, owner, face[owner]);
    for (int32_t i = 0; i < n[0]; i++)
        for (int32_t j = 0; j < n[1]; j++)
            cross_faces_printed(pair, edge, count, face[0][i], face[1][j]);
}

// ---- a pair of parts -----------------------------------------------------------------------------------------------

static void cross_corner(const leaf_pair *pair, const corner_edge *edge, int32_t count)
{
    bool is_printed = pair->grouping->model->crossing == CD_PEG_PRINTED;
    if (edge->edge < 0)
        (is_printed ? cross_vertices_printed : cross_vertices)(pair, edge, count);
    else
        (is_printed ? cross_edge_printed : cross_edge)(pair, edge, count, edge->vertex[0] < 0);
}

// Edges that cross are unilateral in every model, those at corners are so only where the model joins nothing.
static void group_edges(leaf_pair *pair, int32_t first, int32_t last)
{
    cd_peg_grouping *grouping = pair->grouping;
    pair->edge = CD_ARENA_ARRAY(grouping->arena, corner_edge, last - first);
    for (int32_t i = first; i < last; i++) {
        const cd_peg_contact *contact = &grouping->item[i].contact;
        int32_t va = contact->edge[0].end, vb = contact->edge[1].end;
        if (!grouping->model->joins_vertices || (va < 0 && vb < 0))
            cd_peg_add_each(grouping, CD_CONTACT_AT_CROSSING, i, i + 1);
        else
            pair->edge[pair->edges++] =
                (corner_edge){{va, vb}, va >= 0 && vb >= 0 ? -1 : contact->edge[va >= 0].number, i};
    }
    if (pair->edges)
        qsort(pair->edge, (size_t)pair->edges, sizeof *pair->edge, compare_corners);
}

static void group_vertex(const leaf_pair *pair, int32_t first, int32_t last)
{
    static const cd_contact_configuration by_faces[] = {CD_CONTACT_AT_FACE, CD_CONTACT_AT_EDGE, CD_CONTACT_AT_VERTEX};
    cd_contact_configuration configuration = by_faces[last - first > 2 ? 2 : last - first - 1];
    bool is_joined = pair->grouping->model->joins_vertices;
    (is_joined ? cd_peg_add_vertex : cd_peg_add_each)(pair->grouping, configuration, first, last);
}

static void group_leaves(cd_peg_grouping *grouping, int32_t first, int32_t last)
{
    leaf_pair pair = {grouping, first, last, first, NULL, 0};
    while (pair.vertices_end < last && grouping->item[pair.vertices_end].contact.side <= CD_PEG_VERTEX_OF_B)
        pair.vertices_end++;
    for (int32_t v = first, end; v < last; v = end) {
        end = cd_peg_end_of_vertex(grouping, v, last);
        switch (grouping->item[v].contact.side) {
        case CD_PEG_TWO_EDGES:
            group_edges(&pair, v, end);
            break;
        case CD_PEG_NO_VERTEX:
            cd_peg_add_each(grouping, CD_CONTACT_AT_FACE, v, end);
            break;
        case CD_PEG_VERTEX_OF_A:
        case CD_PEG_VERTEX_OF_B:
            group_vertex(&pair, v, end);
            break;
        }
    }
    if (grouping->model->crossing == CD_PEG_NO_CROSSING)
        return;
    for (int32_t i = 0, end; i < pair.edges; i = end) {
        for (end = i + 1; end < pair.edges && is_same_corner(&pair.edge[i], &pair.edge[end]);)
            end++;
        cross_corner(&pair, pair.edge + i, end - i);
    }
}

cd_peg_constraints cd_peg_group_space(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                                      const cd_peg_rules *rules, cd_arena *arena)
{
    cd_peg_grouping grouping = cd_peg_sort(model, contact, count, rules, arena);
    for (int32_t first = 0, last; first < grouping.count; first = last) {
        last = cd_peg_end_of_leaves(&grouping, first);
        group_leaves(&grouping, first, last);
    }
    return cd_peg_joined(&grouping);
}
