// The table of pairs of the plane, and the questions with their general routines.
// SPDX-License-Identifier: MIT
#include "cd_pair2.h"

// ---- the table -----------------------------------------------------------------------------------------------------

#define X(KIND_A, KIND_B, name)            \
    extern const cd_pair2 cd_pair2_##name; \
    _Static_assert(CD_SHAPE_##KIND_A <= CD_SHAPE_##KIND_B, "pairs2.def: the kinds of " #name " are out of order");
#include "pairs2.def"
#undef X

enum {  // two lines of the same kinds do not compile
#define X(KIND_A, KIND_B, name) KIND_A##_AND_##KIND_B,
#include "pairs2.def"
#undef X
};

const cd_pair2 *const cd_pairs2[] = {
#define X(KIND_A, KIND_B, name) &cd_pair2_##name,
#include "pairs2.def"
#undef X
    NULL,
};

static const cd_pair2 *const by_kinds[CD_SHAPE_KINDS][CD_SHAPE_KINDS] = {
#define X(KIND_A, KIND_B, name) [CD_SHAPE_##KIND_A][CD_SHAPE_##KIND_B] = &cd_pair2_##name,
#include "pairs2.def"
#undef X
};

const cd_pair2 *cd_pair2_for(cd_shape_kind kind_a, cd_shape_kind kind_b)
{
    const cd_pair2 *pair = kind_a <= kind_b ? by_kinds[kind_a][kind_b] : by_kinds[kind_b][kind_a];
    return pair && pair->gap ? pair : NULL;
}

cd_distance2 cd_pair2_gap(const cd_pair2 *pair, const cd_leaf2 *a, const cd_leaf2 *b)
{
    return a->kind <= b->kind ? pair->gap(a, b) : cd_distance2_flip(pair->gap(b, a));
}

double cd_pair2_least(const cd_pair2 *pair, const cd_leaf2 *a, const cd_leaf2 *b)
{
    if (!pair->least)
        return cd_pair2_gap(pair, a, b).gap;
    return a->kind <= b->kind ? pair->least(a, b) : pair->least(b, a);
}

// ---- by the signed distance ----------------------------------------------------------------------------------------

static int32_t feature_code(cd_feature2 feature)
{
    return cd_feature(feature.kind == CD_FEATURE2_VERTEX ? CD_FEATURE_VERTEX : CD_FEATURE_EDGE, feature.index);
}

cd_contact cd_contact_of_distance2(cd_contact_kind kind, cd_distance2 d, double epsilon)
{
    bool has_features = d.feature_a.kind != CD_FEATURE2_NONE && d.feature_b.kind != CD_FEATURE2_NONE;
    bool is_clamped = kind == CD_CONTACT_DISTANCE && d.gap < 0;  // both points are one that they share
    cd_vec3 middle = cd_vec3_of_plane(cd_lerp2(d.point_a, d.point_b, 0.5));
    cd_contact contact = cd_contact_none();
    contact.kind = kind;
    contact.status = cd_contact_status_of(d.gap, epsilon);
    contact.point = middle;
    contact.point_a = is_clamped ? middle : cd_vec3_of_plane(d.point_a);
    contact.point_b = is_clamped ? middle : cd_vec3_of_plane(d.point_b);
    contact.normal = cd_vec3_of_plane(d.normal);
    contact.gap = is_clamped ? 0 : d.gap;
    if (has_features) {
        contact.feature_a = feature_code(d.feature_a);
        contact.feature_b = feature_code(d.feature_b);
    }
    if (d.has_potential) {
        contact.potential = d.potential;
        contact.lambda = d.lambda;
    }
    if (d.is_degenerate)
        contact.status = kind == CD_CONTACT_DISTANCE ? CD_STATUS_PENETRATING : CD_STATUS_DEGENERATE;
    return contact;
}

static void append(const cd_pair2 *pair, cd_contact_kind kind, cd_distance2 gap, const cd_pair2_input *input,
                   cd_contacts *contacts)
{
    kind = pair->is_closed_form ? CD_CONTACT_ANALYTIC : kind;
    cd_list_push(input->arena, contacts, cd_contact_of_distance2(kind, gap, input->epsilon));
}

// Within reach at any of the poses; a gap that is NaN counts as near (cd_pair3.c).
static bool append_near(const cd_pair2 *pair, cd_contact_kind kind, const cd_pair2_input *input, cd_contacts *contacts)
{
    const cd_pair2_part *a = &input->a, *b = &input->b;
    cd_distance2 now = cd_pair2_gap(pair, a->current, b->current);
    if (now.gap > input->reach && cd_pair2_gap(pair, a->start, b->start).gap > input->reach &&
        cd_pair2_gap(pair, a->predicted, b->predicted).gap > input->reach)
        return false;
    append(pair, kind, now, input, contacts);
    return true;
}

static void append_within_reach(const cd_pair2 *pair, cd_contact_kind kind, const cd_pair2_input *input,
                                cd_contacts *contacts)
{
    cd_distance2 now = cd_pair2_gap(pair, input->a.current, input->b.current);
    if (!(now.gap > input->reach))
        append(pair, kind, now, input, contacts);
}

// ---- questions -----------------------------------------------------------------------------------------------------

static void near_potential(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    append_near(pair, CD_CONTACT_DISTANCE, input, contacts);
}

static void near_separating(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    if (!append_near(pair, CD_CONTACT_DEPTH, input, contacts))
        return;
    double start = cd_pair2_gap(pair, input->a.start, input->b.start).gap;
    contacts->item[contacts->count - 1].bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
}

// With the parts in the order of their kinds, general routines too: the middle of two points hangs on their order.
static void ask(const cd_pair2 *pair, cd_pair2_find *find, cd_pair2_question *general, const cd_pair2_input *input,
                cd_contacts *contacts)
{
    bool is_in_order = input->a.current->kind <= input->b.current->kind;
    cd_pair2_input ordered = *input;
    ordered.a = is_in_order ? input->a : input->b;
    ordered.b = is_in_order ? input->b : input->a;
    int32_t first = contacts->count;
    if (find)
        find(&ordered, contacts);
    else
        general(pair, &ordered, contacts);
    for (int32_t i = first; !is_in_order && i < contacts->count; i++)
        contacts->item[i] = cd_contact_flip(contacts->item[i]);
}

void cd_pair2_potential(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    ask(pair, pair->potential, near_potential, input, contacts);
}

void cd_pair2_separating(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    ask(pair, pair->separating, near_separating, input, contacts);
}

void cd_pair2_volume(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    if (pair->volume) {
        ask(pair, pair->volume, NULL, input, contacts);
        return;
    }
    cd_distance2 now = cd_pair2_gap(pair, input->a.current, input->b.current);
    if (!(now.gap >= 0))
        append(pair, CD_CONTACT_DEPTH, now, input, contacts);
}

void cd_pair2_distance(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    append_within_reach(pair, CD_CONTACT_DISTANCE, input, contacts);
}

void cd_pair2_depth(const cd_pair2 *pair, const cd_pair2_input *input, cd_contacts *contacts)
{
    append_within_reach(pair, CD_CONTACT_DEPTH, input, contacts);
}
