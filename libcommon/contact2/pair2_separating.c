// Two polygons: the contacts of the region that they share over their separator (pair_region.h); as of polyhedra, see
// pair3_separating.c.
// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "cd_separate2.h"
#include "pair2_polygons.h"
#include "pair_region.h"

#include <float.h>

// An edge of `owner` at the current pose, and the polygon on its outer side.
typedef struct facing {
    cd_polygon owner, other;
    bool is_of_b;  // the owner is b
    int32_t edge;
    cd_edge2 line, at_start;  // at_start: for what is to become contacts
    double overlap;  // [m] what parts that overlap at the step's start are kept to, else 0: see cd_contact_bound
    const cd_seams2 *seams;  // NULL: none, or inner edges are all there is
} facing;

static facing facing_at(cd_polygon a, cd_polygon b, bool is_of_b, int32_t edge)
{
    cd_polygon owner = is_of_b ? b : a;
    const cd_edge2 line = cd_polygon_edge(owner, edge);
    return (facing){owner, is_of_b ? a : b, is_of_b, edge, line, line, NAN, NULL};
}

static facing facing_of(const cd_pair2_input *input, bool is_of_b, int32_t edge, double overlap)
{
    facing f = facing_at(input->a.current->polygon, input->b.current->polygon, is_of_b, edge);
    f.overlap = overlap;
    const cd_pair2_part *part = is_of_b ? &input->b : &input->a;
    if (part->start != part->current)
        f.at_start = cd_polygon_edge(part->start->polygon, edge);
    return f;
}

// At the end of the step as far as it is known: the trial, else the prediction.
static facing facing_at_end(const cd_pair2_input *input, bool is_of_b, int32_t edge)
{
    const cd_pair2_part *a = &input->a, *b = &input->b;
    bool is_trial = a->current != a->start || b->current != b->start;
    return facing_at((is_trial ? a->current : a->predicted)->polygon, (is_trial ? b->current : b->predicted)->polygon,
                     is_of_b, edge);
}

static double height_of(const facing *f, int32_t vertex)
{
    return cd_dot2(f->line.normal, cd_sub2(f->other.vertex[vertex], f->line.start));
}

// The bound of the contact of a vertex, by its own gap at the start: see pair3_separating.c.
static double bound_of(const cd_pair2_input *input, const facing *f, int32_t vertex)
{
    cd_polygon other = (f->is_of_b ? input->a : input->b).start->polygon;
    double gap = cd_dot2(f->at_start.normal, cd_sub2(other.vertex[vertex], f->at_start.start));
    return cd_contact_bound(f->overlap, gap, input->choice.tolerance);
}

// From a to b.
static cd_vec3 normal_of(const facing *f)
{
    return cd_vec3_of_plane(f->is_of_b ? cd_negate2(f->line.normal) : f->line.normal);
}

static cd_separator separator_of(const facing *f)
{
    return (cd_separator){{cd_feature(CD_FEATURE_EDGE, f->edge), CD_FEATURE_NONE}, f->is_of_b ? CD_SIDE_B : CD_SIDE_A};
}

static cd_contact contact_of(const cd_pair2_input *input, const facing *f, int32_t vertex)
{
    int32_t end = cd_polygon_next(f->owner, f->edge);
    int32_t corner = cd_feature(CD_FEATURE_VERTEX, end < f->edge ? end : f->edge);
    int32_t of_vertex = cd_feature(CD_FEATURE_VERTEX, vertex);
    cd_contact contact = cd_contact_separating(normal_of(f), height_of(f, vertex), bound_of(input, f, vertex));
    cd_contact_put_vertex(&contact, cd_vec3_of_plane(f->other.vertex[vertex]), f->is_of_b);
    contact.feature_a = f->is_of_b ? of_vertex : corner;
    contact.feature_b = f->is_of_b ? corner : of_vertex;
    contact.separator = separator_of(f);
    return contact;
}

// Does the foot of the point on the edge's line lie on the edge, grown at both ends?
static bool is_over(cd_polygon owner, int32_t edge, cd_vec2 p, double grown)
{
    cd_vec2 start = owner.vertex[edge], along = cd_sub2(owner.vertex[cd_polygon_next(owner, edge)], start);
    double length = cd_length2(along), at = cd_dot2(cd_sub2(p, start), along);
    return at >= -grown * length && at <= length * (length + grown);
}

// Is p inside the polygon of these edges, moved out by `grown` [m]?
static bool is_inside(int32_t count, const cd_edge2 *line, cd_vec2 p, double grown)
{
    for (int32_t e = 0; e < count; e++)
        if (cd_dot2(line[e].normal, cd_sub2(p, line[e].start)) > grown)
            return false;
    return true;
}

static bool is_inner_row(const cd_seams2 *seams, bool is_of_b, int32_t edge, int32_t vertex)
{
    return seams && cd_seams2_is_inner_row(seams, is_of_b, edge, vertex);
}

// The edge of the other polygon that a corner of the separator is to be held by; -1: none. As of polyhedra, see there.
// lines: of the other polygon.
static int32_t edge_under(const facing *at, const cd_edge2 *lines, int32_t corner, double grown)
{
    cd_vec2 p = at->owner.vertex[corner];
    bool is_insider = is_inside(at->other.count, lines, p, grown);
    double best = is_insider ? -INFINITY : -DBL_MIN;
    int32_t found = -1;
    for (int32_t e = 0; e < at->other.count; e++) {
        const cd_edge2 line = lines[e];
        double cosine = -cd_dot2(line.normal, at->line.normal);
        if (!(cosine > CD_SHARED_REGION_FACING))
            continue;
        double height = cd_dot2(line.normal, cd_sub2(p, line.start));
        if (is_insider)
            height /= cosine;
        if (height > best && (is_insider || is_over(at->other, e, p, grown)) &&
            !is_inner_row(at->seams, !at->is_of_b, e, corner)) {
            best = height;
            found = e;
        }
    }
    return found;
}

// What the contacts of all regions of the pair hang on: see facing.
typedef struct pair_rules {
    double overlap;
    const cd_seams2 *seams;
} pair_rules;

static void add_region(const cd_pair2_input *input, cd_separator2 separator, const pair_rules *rules,
                       cd_shared_region *region)
{
    facing f = facing_of(input, separator.is_of_b, separator.edge, rules->overlap);
    double grown = input->drift + input->choice.tolerance;
    const int32_t first = region->list.count;
    for (int32_t v = 0; v < f.other.count; v++)
        if (height_of(&f, v) <= region->reach && is_over(f.owner, f.edge, f.other.vertex[v], grown) &&
            !is_inner_row(rules->seams, f.is_of_b, f.edge, v)) {
            cd_contact contact = contact_of(input, &f, v);
            cd_shared_region_add(region, &contact);
        }
    int32_t end[2] = {f.edge, cd_polygon_next(f.owner, f.edge)};
    facing at_end = facing_at_end(input, separator.is_of_b, separator.edge);
    at_end.seams = rules->seams;
    double apart = CD_SHARED_REGION_APART * input->choice.tolerance;
    cd_edge2 *lines = CD_ARENA_ARRAY(region->scratch, cd_edge2, f.other.count);
    for (int32_t e = 0; e < f.other.count; e++)
        lines[e] = cd_polygon_edge(at_end.other, e);
    for (int k = 0; k < 2; k++) {
        int32_t edge = edge_under(&at_end, lines, end[k], apart);
        if (edge < 0 || !is_over(f.other, edge, f.owner.vertex[end[k]], grown + apart))
            continue;
        facing back = facing_of(input, !f.is_of_b, edge, rules->overlap);
        if (height_of(&back, end[k]) > region->reach)
            continue;
        cd_contact contact = contact_of(input, &back, end[k]);
        if (!cd_shared_region_covers(region, &contact, region->near, input->choice.tolerance))
            cd_shared_region_add(region, &contact);
    }
    const cd_separator edge = separator_of(&f);
    if (input->a.current == input->a.start && input->b.current == input->b.start)
        cd_shared_region_leave_high_corners(region, first, &edge, normal_of(&f), input->choice.tolerance);
}

cd_separating2 cd_pair2_polygons_choose(const cd_pair2_input *input, cd_seams2 *seams, const cd_seams2 **has_seams)
{
    const cd_pair2_part *a = &input->a, *b = &input->b;
    *seams = (cd_seams2){.polygon = {a->start->polygon, b->start->polygon},
                         .beside = {a->beside, b->beside},
                         .near = CD_SEAM_NEAR * input->choice.tolerance,
                         .tolerance = input->choice.tolerance};
    *has_seams = cd_seams2_are_none(seams) ? NULL : seams;
    cd_separate2_input asked = {.start = {a->start->polygon, b->start->polygon},
                                .predicted = {a->predicted->polygon, b->predicted->polygon},
                                .current = {a->current->polygon, b->current->polygon},
                                .reach = input->reach,
                                .slack = input->choice.slack,
                                .tolerance = input->choice.tolerance,
                                .tie = input->choice.tie,
                                .at_start = input->choice.at_start,
                                .seams = *has_seams,
                                .known = input->known,
                                .near = input->choice.near};
    return cd_separate2_choose(&asked, input->scratch);
}

void cd_pair2_polygons_separating(const cd_pair2_input *input, cd_contacts *contacts)
{
    cd_seams2 seams;
    const cd_seams2 *has_seams;
    cd_separating2 chosen = cd_pair2_polygons_choose(input, &seams, &has_seams);
    if (chosen.separator.edge < 0)
        return;
    cd_shared_region region = cd_shared_region_make(input->scratch, input->reach, input->sway,
                                                    fmin(input->a.current->extent, input->b.current->extent));
    pair_rules rules = {chosen.bound, chosen.is_inner ? NULL : has_seams};
    add_region(input, chosen.separator, &rules, &region);
    if (chosen.entered.edge >= 0)
        add_region(input, chosen.entered, &rules, &region);
    cd_shared_region_finish(&region, input->arena, contacts);
}
