// SPDX-License-Identifier: MIT
#include "narrow_method.h"

#define X(name) extern const cd_narrow_pair cd_narrow_##name;
#include "narrow_pairs.def"
#undef X

const cd_narrow_pair *const cd_narrow_pairs[] = {
#define X(name) &cd_narrow_##name,
#include "narrow_pairs.def"
#undef X
    NULL,
};

const char *const cd_narrow_mode_names[] = {"auto", "features", "separating", "distance", "depth", "volume", NULL};

static int32_t feature_code(cd_feature2 feature)
{
    return cd_feature(feature.kind == CD_FEATURE2_VERTEX ? CD_FEATURE_VERTEX : CD_FEATURE_EDGE, feature.index);
}

int32_t cd_narrow_status_of(double gap, double epsilon)
{
    return gap < -epsilon ? CD_STATUS_PENETRATING : gap <= epsilon ? CD_STATUS_TOUCHING : CD_STATUS_CANDIDATE;
}

cd_narrow_contact cd_narrow_from_distance(int32_t kind, cd_distance2 d, double epsilon)
{
    bool has_features = d.feature_a.kind != CD_FEATURE2_NONE && d.feature_b.kind != CD_FEATURE2_NONE;
    cd_narrow_contact contact = {
        .kind = kind,
        .status = cd_narrow_status_of(d.gap, epsilon),
        .point = cd_lerp2(d.point_a, d.point_b, 0.5),
        .point_a = d.point_a,
        .point_b = d.point_b,
        .normal = d.normal,
        .gap = kind == CD_CONTACT_DISTANCE && d.gap < 0 ? 0 : d.gap,
        .area = NAN,
        .feature_a = has_features ? feature_code(d.feature_a) : CD_FEATURE_NONE,
        .feature_b = has_features ? feature_code(d.feature_b) : CD_FEATURE_NONE,
        .surface_a = CD_ABSENT,
        .surface_b = CD_ABSENT,
        .applicability = NAN,
        .feasible = NAN,
    };
    if (kind == CD_CONTACT_DISTANCE && d.gap < 0)
        contact.point_a = contact.point_b = contact.point;  // a point they share
    return contact;
}

cd_narrow_facet cd_narrow_flip_facet(cd_narrow_facet facet)
{
    cd_narrow_facet flipped = facet;
    if (facet.count == 2) {
        flipped.code[0] = facet.code[1];
        flipped.code[1] = facet.code[0];
    }
    flipped.side = facet.side == CD_SIDE_A ? CD_SIDE_B : CD_SIDE_A;
    return flipped;
}

cd_narrow_contact cd_narrow_flip(cd_narrow_contact c)
{
    cd_narrow_contact flipped = c;
    flipped.point_a = c.point_b;
    flipped.point_b = c.point_a;
    flipped.normal = cd_negate2(c.normal);
    flipped.feature_a = c.feature_b;
    flipped.feature_b = c.feature_a;
    flipped.surface_a = c.surface_b;
    flipped.surface_b = c.surface_a;
    flipped.facet = cd_narrow_flip_facet(c.facet);
    return flipped;
}

static void distance_contact(const cd_gap2_pair *pair, cd_narrow_mode mode, const cd_narrow_input *input,
                             cd_narrow_contacts *contacts)
{
    int32_t kind = mode == CD_NARROW_DEPTH ? CD_CONTACT_DEPTH : CD_CONTACT_DISTANCE;
    if (pair->is_closed_form)
        kind = CD_CONTACT_ANALYTIC;
    cd_distance2 distance = cd_gap2_measure(pair, input->a.current, input->b.current);
    bool is_wanted = mode == CD_NARROW_VOLUME ? !(distance.gap >= 0) : !(distance.gap > input->reach);
    if (is_wanted)
        cd_list_push(input->arena, contacts, cd_narrow_from_distance(kind, distance, input->epsilon));
}

// There is an entry for each pair of kinds that has a signed distance.
static const cd_narrow_pair *entry_of(const cd_gap2_pair *pair)
{
    int i = 0;
    while (cd_narrow_pairs[i]->kind_a != pair->kind_a || cd_narrow_pairs[i]->kind_b != pair->kind_b)
        i++;
    return cd_narrow_pairs[i];
}

cd_status cd_narrow_find(cd_narrow_mode mode, const cd_narrow_input *input, cd_narrow_contacts *contacts, cd_diag *diag)
{
    int32_t kind_a = input->a.current->kind, kind_b = input->b.current->kind;
    const cd_gap2_pair *pair = cd_gap2_pair_for(kind_a, kind_b);
    if (!pair || (mode == CD_NARROW_FEATURES && pair->is_closed_form))
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "--contacts %s: %s against %s is not supported",
                       cd_narrow_mode_names[mode], cd_words_SHAPE[kind_a], cd_words_SHAPE[kind_b]);
    const cd_narrow_pair *entry = entry_of(pair);
    bool is_potential = mode == CD_NARROW_AUTO || mode == CD_NARROW_FEATURES;
    bool is_separating = mode == CD_NARROW_SEPARATING;
    if (!is_potential && !is_separating && !(mode == CD_NARROW_VOLUME && entry->volume)) {
        distance_contact(pair, mode, input, contacts);
        return CD_OK;
    }
    bool swapped = kind_a > kind_b;
    cd_narrow_input ordered = *input;
    if (swapped) {
        ordered.a = input->b;
        ordered.b = input->a;
    }
    int32_t first = contacts->count;
    if (is_potential)
        entry->potential(&ordered, contacts);
    else if (is_separating)
        entry->separating(&ordered, contacts);
    else
        entry->volume(&ordered, contacts);
    for (int32_t i = first; swapped && i < contacts->count; i++)
        contacts->item[i] = cd_narrow_flip(contacts->item[i]);
    return CD_OK;
}
