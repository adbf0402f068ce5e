// Polygon against polygon: feature pairs, distance, depth, area contact.
//
// A vertex and an edge are a potential contact when the vertex is within reach of the edge (as a segment) at the start,
// the predicted or the current pose: now or at the end of the step (the paper's reach test, made at all of them). Two
// more rules serve overlaps deeper than the reach, which would otherwise have no contact that could undo them:
//   1. polygons that overlap at the start or current pose have the edge of least depth as potential contact with its
//      deepest vertex and with every vertex that is inside. The deepest vertex is applicable by its choice: its
//      neighbours are not deeper. (The edge nearest to a vertex would not do: past the middle of the other body it lies
//      on the far side, and is not applicable.)
//   2. a vertex inside the other polygon at the predicted pose has, of the edges whose outer side it started on, the
//      nearest one: the edge it is about to come in through. An edge it started behind could only be met by going
//      around.
// Every vertex pair within reach has all its four vertex-edge contacts: an edge is not farther than its end.
//
// Source: Williams, Lu & Trinkle, J. Comput. Nonlinear Dynam. 12 (2017) 021001, sections 3 and 4. Cost: O(n m) a
// pose.
// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "pair2_polygons.h"

// Vertices of one polygon against edges of the other.
typedef struct half_pair {
    cd_feature2_table start, predicted, current;
    bool has_predicted, has_current;  // differ from start
    cd_polygon polygon;               // current, lends the vertices
    uint8_t *is_potential;            // [vertex * edges + edge]
} half_pair;

static half_pair half_make(const cd_pair2_part *vertices, const cd_pair2_part *edges, cd_arena *arena)
{
    half_pair half = {.polygon = vertices->current->polygon};
    half.start = cd_feature2_table_make(vertices->start->polygon, edges->start->polygon, arena);
    half.predicted = half.current = half.start;
    half.has_predicted = vertices->predicted != vertices->start || edges->predicted != edges->start;
    half.has_current = vertices->current != vertices->start || edges->current != edges->start;
    if (half.has_predicted)
        half.predicted = cd_feature2_table_make(vertices->predicted->polygon, edges->predicted->polygon, arena);
    if (half.has_current)
        half.current = cd_feature2_table_make(vertices->current->polygon, edges->current->polygon, arena);
    half.is_potential = CD_ARENA_ZARRAY(arena, uint8_t, (size_t)half.start.vertices * (size_t)half.start.edges);
    return half;
}

static void mark_within_reach(half_pair *half, const cd_feature2_table *table, double reach)
{
    size_t size = (size_t)table->vertices * (size_t)table->edges;
    for (size_t k = 0; k < size; k++)
        half->is_potential[k] |= !(table->distance[k] > reach);
}

static bool is_inside(const double *psi, int32_t edges)
{
    for (int32_t e = 0; e < edges; e++)
        if (psi[e] >= 0)
            return false;
    return true;
}

// Rule 2.
static void mark_entries(half_pair *half)
{
    const cd_feature2_table *table = &half->predicted;
    for (int32_t v = 0; v < table->vertices; v++) {
        const double *psi = table->psi + cd_feature_entry(table, v, 0);
        const double *start = half->start.psi + cd_feature_entry(table, v, 0);
        if (!is_inside(psi, table->edges))
            continue;
        int32_t nearest = -1;
        for (int32_t e = 0; e < table->edges; e++)
            if (start[e] >= 0 && (nearest < 0 || psi[e] > psi[nearest]))
                nearest = e;
        if (nearest >= 0)
            half->is_potential[cd_feature_entry(table, v, nearest)] = 1;
    }
}

typedef struct deepest_pair {
    double depth;  // [m] as a gap: the largest over the edges of the least psi of an edge
    int32_t vertex, edge;
} deepest_pair;

static deepest_pair least_depth(const cd_feature2_table *table)
{
    deepest_pair best = {-INFINITY, 0, 0};
    for (int32_t e = 0; e < table->edges; e++) {
        deepest_pair lowest = {INFINITY, 0, e};
        for (int32_t v = 0; v < table->vertices; v++) {
            double psi = table->psi[cd_feature_entry(table, v, e)];
            if (psi < lowest.depth) {
                lowest.depth = psi;
                lowest.vertex = v;
            }
        }
        if (lowest.depth > best.depth)
            best = lowest;
    }
    return best;
}

static void mark_depth(half_pair *half, const cd_feature2_table *table, deepest_pair deepest)
{
    for (int32_t v = 0; v < table->vertices; v++)
        if (v == deepest.vertex || is_inside(table->psi + cd_feature_entry(table, v, 0), table->edges))
            half->is_potential[cd_feature_entry(table, v, deepest.edge)] = 1;
}

// Rule 1, for tables of one pose. They overlap exactly when every edge of both has a vertex of the other behind it.
static void mark_overlap(half_pair *of_a, const cd_feature2_table *table_a, half_pair *of_b,
                         const cd_feature2_table *table_b)
{
    deepest_pair a = least_depth(table_a), b = least_depth(table_b);
    if (!(a.depth < 0 && b.depth < 0))
        return;
    if (a.depth >= b.depth)
        mark_depth(of_a, table_a, a);
    if (b.depth >= a.depth)
        mark_depth(of_b, table_b, b);
}

static cd_contact contact_of(const half_pair *half, int32_t vertex, int32_t edge, bool vertex_is_of_a)
{
    cd_vertex_edge value = cd_feature2_table_at(&half->current, vertex, edge);
    cd_edge2 line = half->current.edge[edge];
    cd_vec2 p = half->polygon.vertex[vertex], foot = cd_edge_foot(p, value.psi, line);
    int32_t of_vertex = cd_feature(CD_FEATURE_VERTEX, vertex), of_edge = cd_feature(CD_FEATURE_EDGE, edge);
    cd_vec3 vertex_at = cd_vec3_of_plane(p), foot_at = cd_vec3_of_plane(foot);
    cd_contact contact = cd_contact_none();
    contact.kind = CD_CONTACT_VERTEX_EDGE;
    contact.point = cd_vec3_of_plane(cd_lerp2(p, foot, 0.5));
    contact.point_a = vertex_is_of_a ? vertex_at : foot_at;
    contact.point_b = vertex_is_of_a ? foot_at : vertex_at;
    contact.normal = cd_vec3_of_plane(vertex_is_of_a ? cd_negate2(line.normal) : line.normal);
    contact.gap = value.psi;
    contact.feature_a = vertex_is_of_a ? of_vertex : of_edge;
    contact.feature_b = vertex_is_of_a ? of_edge : of_vertex;
    contact.applicability = value.applicability;
    contact.feasible = value.feasible;
    return contact;
}

// In the order of (feature of a, feature of b), vertices of a before its edges.
static void append_potential(const half_pair *of_a, const half_pair *of_b, cd_arena *arena, cd_contacts *contacts)
{
    int32_t vertices_a = of_a->current.vertices, edges_b = of_a->current.edges;
    int32_t vertices_b = of_b->current.vertices, edges_a = of_b->current.edges;
    for (int32_t v = 0; v < vertices_a; v++)
        for (int32_t e = 0; e < edges_b; e++)
            if (of_a->is_potential[cd_feature_entry(&of_a->current, v, e)])
                cd_list_push(arena, contacts, contact_of(of_a, v, e, true));
    for (int32_t e = 0; e < edges_a; e++)
        for (int32_t v = 0; v < vertices_b; v++)
            if (of_b->is_potential[cd_feature_entry(&of_b->current, v, e)])
                cd_list_push(arena, contacts, contact_of(of_b, v, e, false));
}

static void potential(const cd_pair2_input *input, cd_contacts *contacts)
{
    half_pair of_a = half_make(&input->a, &input->b, input->scratch);
    half_pair of_b = half_make(&input->b, &input->a, input->scratch);
    half_pair *half[2] = {&of_a, &of_b};
    for (int k = 0; k < 2; k++) {
        mark_within_reach(half[k], &half[k]->start, input->reach);
        if (half[k]->has_predicted)
            mark_within_reach(half[k], &half[k]->predicted, input->reach);
        if (half[k]->has_current)
            mark_within_reach(half[k], &half[k]->current, input->reach);
    }
    mark_overlap(&of_a, &of_a.start, &of_b, &of_b.start);
    if (of_a.has_current)
        mark_overlap(&of_a, &of_a.current, &of_b, &of_b.current);
    if (of_a.has_predicted) {
        mark_entries(&of_a);
        mark_entries(&of_b);
    }
    append_potential(&of_a, &of_b, input->arena, contacts);
}

static cd_distance2 gap(const cd_leaf2 *a, const cd_leaf2 *b) { return cd_polygon_distance(a->polygon, b->polygon); }

static double least(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_separation(a->polygon, b->polygon).value;
}

static void volume(const cd_pair2_input *input, cd_contacts *contacts)
{
    cd_area_contact area =
        cd_polygon_area_contact(input->a.current->polygon, input->b.current->polygon, input->epsilon, input->scratch);
    if (area.status == CD_AREA_NONE)
        return;
    cd_vec2 half_gap = cd_scale2(area.gap / 2, area.normal);
    cd_contact contact = cd_contact_none();
    contact.kind = CD_CONTACT_VOLUME;
    contact.status = area.status == CD_AREA_OUTSIDE      ? CD_STATUS_OUTSIDE
                     : area.status == CD_AREA_DEGENERATE ? CD_STATUS_DEGENERATE
                                                         : CD_STATUS_PENETRATING;
    contact.point = cd_vec3_of_plane(area.point);
    contact.point_a = cd_vec3_of_plane(cd_sub2(area.point, half_gap));
    contact.point_b = cd_vec3_of_plane(cd_add2(area.point, half_gap));
    contact.normal = cd_vec3_of_plane(area.normal);
    contact.gap = area.gap;
    contact.area = area.size;
    contact.surface_a = area.surface_a;
    contact.surface_b = area.surface_b;
    cd_list_push(input->arena, contacts, contact);
}

const cd_pair2 cd_pair2_polygon_polygon = {.name = "polygon-polygon",
                                           .has_features = true,
                                           .gap = gap,
                                           .least = least,
                                           .potential = potential,
                                           .separating = cd_pair2_polygons_separating,
                                           .volume = volume};
