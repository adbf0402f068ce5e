// Contacts of a separating facet: two polygons, two polyhedra, a polyhedron and a halfspace.
//
// The facet is chosen at the start and predicted poses (cd_separate2.h, cd_separate3.h); gaps, normals and points are
// those of the current pose, of vertices that are within reach there or behind the facet at the predicted pose (where a
// short reach was asked for, free motion may come from beyond it). A gap is that of a vertex to the facet's plane,
// wherever beside the facet it lies: all gaps >= 0 is what keeps the bodies apart, however they turn.
// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "cd_separate2.h"
#include "narrow_space.h"

// ---- plane ---------------------------------------------------------------------------------------------------------

static cd_narrow_contact contact_of_edge(const cd_narrow_input *input, cd_separating2 chosen, cd_edge2 line,
                                         int32_t vertex)
{
    bool is_of_b = chosen.facet.is_of_b;
    cd_polygon owner = is_of_b ? input->b.current->polygon : input->a.current->polygon;
    cd_polygon other = is_of_b ? input->a.current->polygon : input->b.current->polygon;
    int32_t end = cd_polygon_next(owner, chosen.facet.edge), edge = chosen.facet.edge;
    int32_t corner = cd_feature(CD_FEATURE_VERTEX, end < edge ? end : edge);
    int32_t of_vertex = cd_feature(CD_FEATURE_VERTEX, vertex);
    cd_vec2 p = other.vertex[vertex];
    double psi = cd_dot2(line.normal, cd_sub2(p, line.start));
    cd_vec2 foot = cd_edge_foot(p, psi, line);
    return (cd_narrow_contact){
        .kind = CD_CONTACT_SEPARATING,
        .status = CD_STATUS_CANDIDATE,
        .point = p,
        .point_a = is_of_b ? p : foot,
        .point_b = is_of_b ? foot : p,
        .normal = is_of_b ? cd_negate2(line.normal) : line.normal,
        .gap = psi,
        .area = NAN,
        .feature_a = is_of_b ? of_vertex : corner,
        .feature_b = is_of_b ? corner : of_vertex,
        .surface_a = CD_ABSENT,
        .surface_b = CD_ABSENT,
        .applicability = NAN,
        .feasible = NAN,
        .facet = {1, {cd_feature(CD_FEATURE_EDGE, edge)}, true, is_of_b ? CD_SIDE_B : CD_SIDE_A},
    };
}

void cd_narrow_polygons_separating(const cd_narrow_input *input, cd_narrow_contacts *contacts)
{
    const cd_narrow_part *a = &input->a, *b = &input->b;
    cd_separate2_input asked = {.start = {a->start->polygon, b->start->polygon},
                                .predicted = {a->predicted->polygon, b->predicted->polygon},
                                .current = {a->current->polygon, b->current->polygon},
                                .reach = input->reach,
                                .slack = input->choice.slack,
                                .tolerance = input->choice.tolerance,
                                .at_start = input->choice.at_start};
    cd_separating2 chosen = cd_separate2_choose(&asked, input->scratch);
    if (chosen.facet.edge < 0)
        return;
    bool is_of_b = chosen.facet.is_of_b;
    cd_edge2 line = cd_polygon_edge(is_of_b ? b->current->polygon : a->current->polygon, chosen.facet.edge);
    cd_edge2 then = cd_polygon_edge(is_of_b ? b->predicted->polygon : a->predicted->polygon, chosen.facet.edge);
    int32_t count = is_of_b ? a->current->polygon.count : b->current->polygon.count;
    double bound, start = cd_facet2_separation(&chosen.facet, asked.start);
    bool has_bound = cd_narrow_bound_of(chosen.bound, start, input->choice.tolerance, &bound);
    for (int32_t v = 0; v < count; v++) {
        cd_narrow_contact contact = contact_of_edge(input, chosen, line, v);
        contact.has_bound = has_bound;
        contact.bound = bound;
        cd_vec2 p = is_of_b ? a->predicted->polygon.vertex[v] : b->predicted->polygon.vertex[v];
        if (!(contact.gap > input->reach && cd_dot2(then.normal, cd_sub2(p, then.start)) >= 0))
            cd_list_push(input->arena, contacts, contact);
    }
}

// ---- space ---------------------------------------------------------------------------------------------------------

static cd_narrow_contact3 separating_contact(cd_vec3 normal, double gap)
{
    return (cd_narrow_contact3){
        .kind = CD_CONTACT_SEPARATING,
        .status = CD_STATUS_CANDIDATE,
        .normal = normal,
        .gap = gap,
        .area = NAN,
        .feature_a = CD_FEATURE_NONE,
        .feature_b = CD_FEATURE_NONE,
        .surface_a = CD_ABSENT,
        .surface_b = CD_ABSENT,
        .applicability = NAN,
        .feasible = NAN,
    };
}

// The vertex and its foot on the plane; `point` is the vertex, which both bodies' velocities are taken at.
static void put_vertex(cd_narrow_contact3 *contact, cd_vec3 vertex, bool is_of_a)
{
    cd_vec3 across = cd_scale3(contact->gap, contact->normal);
    contact->point = vertex;
    contact->point_a = is_of_a ? vertex : cd_sub3(vertex, across);
    contact->point_b = is_of_a ? cd_add3(vertex, across) : vertex;
}

// The points of two edges nearest to each other on their lines, when they lie on the edges themselves.
static bool nearest_on_edges(const cd_facet3 *facet, cd_separate3_pose at, cd_vec3 *point_a, cd_vec3 *point_b)
{
    cd_segment3 a = cd_shell3_segment(at.a, facet->index_a), b = cd_shell3_segment(at.b, facet->index_b);
    cd_line_points3 nearest = cd_line_points3_make(&a, &b);
    if (!cd_line_points3_are_on_segments(&nearest, &a, &b))
        return false;
    *point_a = cd_segment3_at(&a, nearest.s);
    *point_b = cd_segment3_at(&b, nearest.t);
    return true;
}

// Two vertices and, of the edges themselves, their nearest points where these are on them: there the normal's own
// turning does not count (cd-peg-assemble), and friction acts where the bodies touch.
static void put_edge_points(cd_narrow_contact3 *contact, const cd_facet3 *facet, cd_separate3_pose at,
                            const cd_facet_gap3 *gap)
{
    bool is_edges = gap->vertex_a == at.a->edges->edge[facet->index_a].vertex[0] &&
                    gap->vertex_b == at.b->edges->edge[facet->index_b].vertex[0];
    if (!is_edges || !nearest_on_edges(facet, at, &contact->point_a, &contact->point_b)) {
        contact->point_a = cd_shell3_vertex(at.a, gap->vertex_a);
        contact->point_b = cd_shell3_vertex(at.b, gap->vertex_b);
    }
    contact->point = cd_scale3(0.5, cd_add3(contact->point_a, contact->point_b));
}

static cd_narrow_facet facet_code(const cd_facet3 *facet)
{
    if (facet->kind == CD_FACET3_EDGES)
        return (cd_narrow_facet){
            2, {cd_feature(CD_FEATURE_EDGE, facet->index_a), cd_feature(CD_FEATURE_EDGE, facet->index_b)}, false, 0};
    bool is_of_b = facet->kind == CD_FACET3_FACE_B;
    int32_t face = cd_feature(CD_FEATURE_FACE, is_of_b ? facet->index_b : facet->index_a);
    return (cd_narrow_facet){1, {face}, true, is_of_b ? CD_SIDE_B : CD_SIDE_A};
}

void cd_narrow_polyhedra_separating(const cd_narrow_input3 *input, cd_narrow_contacts3 *contacts)
{
    const cd_shell3 *const *a = input->a.shell, *const *b = input->b.shell;
    cd_separate3_input asked = {.start = {a[0], b[0]},
                                .predicted = {a[1], b[1]},
                                .current = {a[2], b[2]},
                                .reach = input->reach,
                                .slack = input->choice.slack,
                                .tolerance = input->choice.tolerance,
                                .at_start = input->choice.at_start};
    cd_separating3 chosen = cd_separate3_choose(&asked, input->scratch);
    const cd_facet3 *facet = &chosen.facet;
    cd_facet_gaps3 gaps = cd_facet3_gaps(facet, &asked, input->scratch);
    if (gaps.count == 0)
        return;
    double bound, start = cd_facet3_separation(facet, asked.start);
    bool has_bound = cd_narrow_bound_of(chosen.bound, start, input->choice.tolerance, &bound);
    for (int32_t i = 0; i < gaps.count; i++) {
        const cd_facet_gap3 *gap = &gaps.gap[i];
        cd_narrow_contact3 contact = separating_contact(gaps.normal, gap->gap);
        contact.has_bound = has_bound;
        contact.bound = bound;
        contact.feature_a = cd_feature(CD_FEATURE_VERTEX, gap->vertex_a);
        contact.feature_b = cd_feature(CD_FEATURE_VERTEX, gap->vertex_b);
        contact.facet = facet_code(facet);
        if (facet->kind == CD_FACET3_EDGES)
            put_edge_points(&contact, facet, asked.current, gap);
        else if (facet->kind == CD_FACET3_FACE_A)
            put_vertex(&contact, cd_shell3_vertex(b[2], gap->vertex_b), false);
        else
            put_vertex(&contact, cd_shell3_vertex(a[2], gap->vertex_a), true);
        cd_list_push(input->arena, contacts, contact);
    }
}

// ---- polyhedron, halfspace -----------------------------------------------------------------------------------------

void cd_narrow_halfspace_separating(const cd_narrow_input3 *input, cd_narrow_contacts3 *contacts)
{
    bool is_b = input->b.current->leaf.kind == CD_SHAPE_HALFSPACE;  // the halfspace
    const cd_narrow_part3 *polyhedron = is_b ? &input->a : &input->b, *halfspace = is_b ? &input->b : &input->a;
    int32_t count = polyhedron->current->convex.vertex_count;
    double start = INFINITY;
    for (int32_t v = 0; v < count; v++)
        start = fmin(start, cd_narrow_height(polyhedron->start, v, halfspace->start));
    double bound;
    bool has_bound = cd_narrow_bound_of_gap(start, input->choice.tolerance, &bound);
    cd_vec3 outward = halfspace->current->leaf.halfspace.normal, normal = is_b ? cd_negate3(outward) : outward;
    for (int32_t v = 0; v < count; v++) {
        double height = cd_narrow_height(polyhedron->current, v, halfspace->current);
        if (height > input->reach && cd_narrow_height(polyhedron->predicted, v, halfspace->predicted) >= 0)
            continue;
        cd_narrow_contact3 contact = separating_contact(normal, height);
        contact.has_bound = has_bound;
        contact.bound = bound;
        put_vertex(&contact, cd_convex3_vertex(&polyhedron->current->convex, v), is_b);
        contact.facet = (cd_narrow_facet){.has_side = true, .side = is_b ? CD_SIDE_B : CD_SIDE_A};
        cd_list_push(input->arena, contacts, contact);
    }
}
