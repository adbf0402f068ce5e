// SPDX-License-Identifier: MIT
#include "narrow_space.h"

void cd_narrow_from_gap3(int32_t kind, const cd_gap3 *g, double epsilon, cd_contact *contact)
{
    bool has_features = g->feature_a != CD_FEATURE_NONE && g->feature_b != CD_FEATURE_NONE;
    bool is_clamped = kind == CD_CONTACT_DISTANCE && g->gap < 0;  // both points are one that they share
    cd_vec3 middle = cd_scale3(0.5, cd_add3(g->point_a, g->point_b));
    *contact = cd_contact_none();
    contact->kind = kind;
    contact->status = cd_contact_status_of(g->gap, epsilon);
    contact->point = middle;
    contact->point_a = is_clamped ? middle : g->point_a;
    contact->point_b = is_clamped ? middle : g->point_b;
    contact->normal = g->normal;
    contact->gap = is_clamped ? 0 : g->gap;
    if (has_features) {
        contact->feature_a = g->feature_a;
        contact->feature_b = g->feature_b;
    }
    if (g->is_unknown)
        contact->status = kind == CD_CONTACT_DISTANCE ? CD_STATUS_PENETRATING : CD_STATUS_DEGENERATE;
}

// A gap that is NaN (of coordinates near the largest doubles) counts as near everywhere here: such a contact is refused
// where it is written, and not lost.
static bool is_near_at(const cd_gap3_pair *pair, const cd_solid3 *a, const cd_solid3 *b, const cd_narrow_input3 *input)
{
    bool is_reported = a == input->a.current && b == input->b.current;
    return !is_reported && !(cd_gap3_measure(pair, a, b, input->scratch).gap > input->reach);
}

// Potential contacts, and those that separators keep apart, are of pairs near at any of the poses; the others go by the
// reported one alone.
static bool is_wanted(const cd_gap3_pair *pair, cd_narrow_mode mode, const cd_narrow_input3 *input, const cd_gap3 *gap)
{
    if (mode == CD_NARROW_VOLUME)
        return !(gap->gap >= 0) || gap->is_unknown;
    if (!(gap->gap > input->reach))
        return true;
    bool at_any = mode == CD_NARROW_AUTO || mode == CD_NARROW_SEPARATING;
    return at_any && (is_near_at(pair, input->a.start, input->b.start, input) ||
                      is_near_at(pair, input->a.predicted, input->b.predicted, input));
}

static void find_one(const cd_gap3_pair *pair, cd_narrow_mode mode, const cd_narrow_input3 *input,
                     cd_contacts *contacts)
{
    bool is_signed = mode == CD_NARROW_DEPTH || mode == CD_NARROW_VOLUME || mode == CD_NARROW_SEPARATING;
    int32_t kind = pair->is_closed_form ? CD_CONTACT_ANALYTIC : is_signed ? CD_CONTACT_DEPTH : CD_CONTACT_DISTANCE;
    cd_gap3 gap = cd_gap3_measure(pair, input->a.current, input->b.current, input->scratch);
    if (!is_wanted(pair, mode, input, &gap))
        return;
    cd_contact *contact = cd_list_add(input->arena, contacts);
    cd_narrow_from_gap3(kind, &gap, input->epsilon, contact);
    if (mode == CD_NARROW_SEPARATING) {
        double start = cd_gap3_measure(pair, input->a.start, input->b.start, input->scratch).gap;
        contact->bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
    }
}

void cd_narrow_find3(const cd_gap3_pair *pair, cd_narrow_mode mode, const cd_narrow_input3 *input,
                     cd_contacts *contacts)
{
    bool has_polyhedron = pair->kind_a == CD_SHAPE_POLYHEDRON || pair->kind_b == CD_SHAPE_POLYHEDRON;
    bool are_polyhedra = pair->kind_a == CD_SHAPE_POLYHEDRON && pair->kind_b == CD_SHAPE_POLYHEDRON;
    bool has_halfspace = pair->kind_a == CD_SHAPE_HALFSPACE || pair->kind_b == CD_SHAPE_HALFSPACE;
    bool is_potential = mode == CD_NARROW_AUTO || mode == CD_NARROW_FEATURES;
    cd_contact contact;
    if (mode == CD_NARROW_VOLUME && are_polyhedra) {
        if (cd_narrow_volume3(input, &contact))
            cd_list_push(input->arena, contacts, contact);
    } else if (is_potential && are_polyhedra) {
        cd_narrow_polyhedra_potential(input, contacts);
    } else if (mode == CD_NARROW_SEPARATING && are_polyhedra) {
        cd_narrow_polyhedra_separating(input, contacts);
    } else if (is_potential && has_polyhedron && has_halfspace) {
        cd_narrow_halfspace_potential(input, contacts);
    } else if (mode == CD_NARROW_SEPARATING && has_polyhedron && has_halfspace) {
        cd_narrow_halfspace_separating(input, contacts);
    } else {
        find_one(pair, mode, input, contacts);
    }
}
