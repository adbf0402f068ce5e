// Contacts of a separator: two polygons, two polyhedra, a polyhedron and a halfspace.
//
// The separator is chosen at the start and predicted poses (cd_separate2.h, cd_separate3.h); gaps, normals and points
// are those of the current pose, of vertices that are within reach there or behind the separator at the predicted pose
// (where a short reach was asked for, free motion may come from beyond it). A gap is that of a vertex to the
// separator's plane, wherever beside the separator it lies: all gaps >= 0 is what keeps the bodies apart, however they
// turn.
// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "cd_separate2.h"
#include "narrow_space.h"

// ---- plane ---------------------------------------------------------------------------------------------------------

static cd_contact contact_of_edge(const cd_narrow_input *input, cd_separating2 chosen, cd_edge2 line, int32_t vertex)
{
    bool is_of_b = chosen.separator.is_of_b;
    cd_polygon owner = is_of_b ? input->b.current->polygon : input->a.current->polygon;
    cd_polygon other = is_of_b ? input->a.current->polygon : input->b.current->polygon;
    int32_t end = cd_polygon_next(owner, chosen.separator.edge), edge = chosen.separator.edge;
    int32_t corner = cd_feature(CD_FEATURE_VERTEX, end < edge ? end : edge);
    int32_t of_vertex = cd_feature(CD_FEATURE_VERTEX, vertex);
    cd_vec2 p = other.vertex[vertex];
    double psi = cd_dot2(line.normal, cd_sub2(p, line.start));
    cd_vec2 foot = cd_edge_foot(p, psi, line);
    cd_vec3 vertex_at = cd_vec3_of_plane(p), foot_at = cd_vec3_of_plane(foot);
    cd_contact contact = cd_contact_none();
    contact.kind = CD_CONTACT_SEPARATING;
    contact.point = vertex_at;
    contact.point_a = is_of_b ? vertex_at : foot_at;
    contact.point_b = is_of_b ? foot_at : vertex_at;
    contact.normal = cd_vec3_of_plane(is_of_b ? cd_negate2(line.normal) : line.normal);
    contact.gap = psi;
    contact.feature_a = is_of_b ? of_vertex : corner;
    contact.feature_b = is_of_b ? corner : of_vertex;
    contact.separator.code[0] = cd_feature(CD_FEATURE_EDGE, edge);
    contact.separator.side = is_of_b ? CD_SIDE_B : CD_SIDE_A;
    return contact;
}

void cd_narrow_polygons_separating(const cd_narrow_input *input, cd_contacts *contacts)
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
    if (chosen.separator.edge < 0)
        return;
    bool is_of_b = chosen.separator.is_of_b;
    cd_edge2 line = cd_polygon_edge(is_of_b ? b->current->polygon : a->current->polygon, chosen.separator.edge);
    cd_edge2 then = cd_polygon_edge(is_of_b ? b->predicted->polygon : a->predicted->polygon, chosen.separator.edge);
    int32_t count = is_of_b ? a->current->polygon.count : b->current->polygon.count;
    double start = cd_separator2_separation(&chosen.separator, asked.start);
    double bound = cd_contact_bound(chosen.bound, start, input->choice.tolerance);
    for (int32_t v = 0; v < count; v++) {
        cd_contact contact = contact_of_edge(input, chosen, line, v);
        contact.bound = bound;
        cd_vec2 p = is_of_b ? a->predicted->polygon.vertex[v] : b->predicted->polygon.vertex[v];
        if (!(contact.gap > input->reach && cd_dot2(then.normal, cd_sub2(p, then.start)) >= 0))
            cd_list_push(input->arena, contacts, contact);
    }
}

// ---- space ---------------------------------------------------------------------------------------------------------

static cd_contact separating_contact(cd_vec3 normal, double gap, double bound)
{
    cd_contact contact = cd_contact_none();
    contact.kind = CD_CONTACT_SEPARATING;
    contact.normal = normal;
    contact.gap = gap;
    contact.bound = bound;
    return contact;
}

// The vertex and its foot on the plane; `point` is the vertex, which both bodies' velocities are taken at.
static void put_vertex(cd_contact *contact, cd_vec3 vertex, bool is_of_a)
{
    cd_vec3 across = cd_scale3(contact->gap, contact->normal);
    contact->point = vertex;
    contact->point_a = is_of_a ? vertex : cd_sub3(vertex, across);
    contact->point_b = is_of_a ? cd_add3(vertex, across) : vertex;
}

// The points of two edges nearest to each other on their lines, when they lie on the edges themselves.
static bool nearest_on_edges(const cd_separator3 *separator, cd_separate3_pose at, cd_vec3 *point_a, cd_vec3 *point_b)
{
    cd_segment3 a = cd_shell3_segment(at.a, separator->index_a), b = cd_shell3_segment(at.b, separator->index_b);
    cd_line_points3 nearest = cd_line_points3_make(&a, &b);
    if (!cd_line_points3_are_on_segments(&nearest, &a, &b))
        return false;
    *point_a = cd_segment3_at(&a, nearest.s);
    *point_b = cd_segment3_at(&b, nearest.t);
    return true;
}

// Two vertices and, of the edges themselves, their nearest points where these are on them: there the normal's own
// turning does not count (cd-peg-assemble), and friction acts where the bodies touch.
static void put_edge_points(cd_contact *contact, const cd_separator3 *separator, cd_separate3_pose at,
                            const cd_separator_gap3 *gap)
{
    bool is_edges = gap->vertex_a == at.a->edges->edge[separator->index_a].vertex[0] &&
                    gap->vertex_b == at.b->edges->edge[separator->index_b].vertex[0];
    if (!is_edges || !nearest_on_edges(separator, at, &contact->point_a, &contact->point_b)) {
        contact->point_a = cd_shell3_vertex(at.a, gap->vertex_a);
        contact->point_b = cd_shell3_vertex(at.b, gap->vertex_b);
    }
    contact->point = cd_scale3(0.5, cd_add3(contact->point_a, contact->point_b));
}

static cd_separator codes_of(const cd_separator3 *separator)
{
    if (separator->kind == CD_SEPARATOR3_EDGES)
        return (cd_separator){
            {cd_feature(CD_FEATURE_EDGE, separator->index_a), cd_feature(CD_FEATURE_EDGE, separator->index_b)},
            CD_ABSENT};
    bool is_of_b = separator->kind == CD_SEPARATOR3_FACE_B;
    int32_t face = cd_feature(CD_FEATURE_FACE, is_of_b ? separator->index_b : separator->index_a);
    return (cd_separator){{face, CD_FEATURE_NONE}, is_of_b ? CD_SIDE_B : CD_SIDE_A};
}

void cd_narrow_polyhedra_separating(const cd_narrow_input3 *input, cd_contacts *contacts)
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
    const cd_separator3 *separator = &chosen.separator;
    cd_separator_gaps3 gaps = cd_separator3_gaps(separator, &asked, input->scratch);
    if (gaps.count == 0)
        return;
    double start = cd_separator3_separation(separator, asked.start);
    double bound = cd_contact_bound(chosen.bound, start, input->choice.tolerance);
    for (int32_t i = 0; i < gaps.count; i++) {
        const cd_separator_gap3 *gap = &gaps.gap[i];
        cd_contact contact = separating_contact(gaps.normal, gap->gap, bound);
        contact.feature_a = cd_feature(CD_FEATURE_VERTEX, gap->vertex_a);
        contact.feature_b = cd_feature(CD_FEATURE_VERTEX, gap->vertex_b);
        contact.separator = codes_of(separator);
        if (separator->kind == CD_SEPARATOR3_EDGES)
            put_edge_points(&contact, separator, asked.current, gap);
        else if (separator->kind == CD_SEPARATOR3_FACE_A)
            put_vertex(&contact, cd_shell3_vertex(b[2], gap->vertex_b), false);
        else
            put_vertex(&contact, cd_shell3_vertex(a[2], gap->vertex_a), true);
        cd_list_push(input->arena, contacts, contact);
    }
}

// ---- polyhedron, halfspace -----------------------------------------------------------------------------------------

void cd_narrow_halfspace_separating(const cd_narrow_input3 *input, cd_contacts *contacts)
{
    bool is_b = input->b.current->kind == CD_SHAPE_HALFSPACE;  // the halfspace
    const cd_narrow_part3 *polyhedron = is_b ? &input->a : &input->b, *halfspace = is_b ? &input->b : &input->a;
    int32_t count = polyhedron->current->convex.vertex_count;
    double start = INFINITY;
    for (int32_t v = 0; v < count; v++)
        start = fmin(start, cd_narrow_height(polyhedron->start, v, halfspace->start));
    double bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
    cd_vec3 outward = halfspace->current->halfspace.normal, normal = is_b ? cd_negate3(outward) : outward;
    for (int32_t v = 0; v < count; v++) {
        double height = cd_narrow_height(polyhedron->current, v, halfspace->current);
        if (height > input->reach && cd_narrow_height(polyhedron->predicted, v, halfspace->predicted) >= 0)
            continue;
        cd_contact contact = separating_contact(normal, height, bound);
        put_vertex(&contact, cd_convex3_vertex(&polyhedron->current->convex, v), is_b);
        contact.separator.side = is_b ? CD_SIDE_B : CD_SIDE_A;
        cd_list_push(input->arena, contacts, contact);
    }
}
