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

cd_contact cd_narrow_from_distance(int32_t kind, cd_distance2 d, double epsilon)
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
    return contact;
}

static void distance_contact(const cd_gap2_pair *pair, cd_narrow_mode mode, const cd_narrow_input *input,
                             cd_contacts *contacts)
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

cd_status cd_narrow_find(cd_narrow_mode mode, const cd_narrow_input *input, cd_contacts *contacts, cd_diag *diag)
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
        contacts->item[i] = cd_contact_flip(contacts->item[i]);
    return CD_OK;
}
