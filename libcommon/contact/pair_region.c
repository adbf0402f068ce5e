// SPDX-License-Identifier: MIT
#include "pair_region.h"

#include <stdlib.h>

cd_shared_region cd_shared_region_make(cd_arena *scratch, double reach, double sway, double radius)
{
    return (cd_shared_region){.scratch = scratch,
                              .reach = fmax(reach, sway),
                              .angle = radius > 0 ? sway / radius : INFINITY,
                              .near = CD_SHARED_REGION_NEAR * radius,
                              .near_askew = CD_SHARED_REGION_NEAR_ASKEW * radius};
}

bool cd_shared_region_covers(const cd_shared_region *region, const cd_contact *contact, double near, double tolerance)
{
    for (int32_t i = 0; i < region->list.count; i++) {
        const cd_contact *other = &region->list.item[i];
        if (cd_dot3(other->normal, contact->normal) < CD_SHARED_REGION_ALIKE)
            continue;
        cd_vec3 d = cd_sub3(other->point, contact->point);
        cd_vec3 across = cd_sub3(d, cd_scale3(cd_dot3(d, contact->normal), contact->normal));
        if (other->gap <= contact->gap + tolerance && cd_length3(across) <= near)
            return true;
    }
    return false;
}

static const cd_contact *lowest_of(const cd_shared_region *region)
{
    const cd_contact *lowest = &region->list.item[0];
    for (int32_t i = 1; i < region->list.count; i++)
        if (region->list.item[i].gap < lowest->gap)
            lowest = &region->list.item[i];
    return lowest;
}

static bool is_same_separator(const cd_separator *left, const cd_separator *right)
{
    return left->side == right->side && left->code[0] == right->code[0] && left->code[1] == right->code[1];
}

// Gaps along one normal alone can be compared.
static bool is_above(const cd_shared_region *region, const cd_contact *contact, const cd_contact *lowest)
{
    return is_same_separator(&contact->separator, &lowest->separator) &&
           contact->gap - lowest->gap > region->angle * cd_length3(cd_sub3(contact->point, lowest->point));
}

// Is the contact of a corner of `face`, whose normal is given, above one of the face's own, from number `first` on?
static bool is_corner_above(const cd_shared_region *region, int32_t first, const cd_contact *corner,
                            const cd_separator *face, cd_vec3 normal, double tolerance)
{
    const double angle = fmax(region->angle, CD_SHARED_REGION_TURN);
    const double height = corner->gap / fmax(cd_dot3(corner->normal, normal), 0);
    for (int32_t i = first; i < region->list.count; i++) {
        const cd_contact *own = &region->list.item[i];
        const double most = angle * cd_length3(cd_sub3(corner->point, own->point));
        if (is_same_separator(&own->separator, face) && height - own->gap > most + tolerance)
            return true;
    }
    return false;
}

void cd_shared_region_leave_high_corners(cd_shared_region *region, int32_t first, const cd_separator *face,
                                         cd_vec3 normal, double tolerance)
{
    int32_t kept = first;
    // All of face's own stay, so none of them is lost while corners are written over.
    for (int32_t i = first; i < region->list.count; i++) {
        const cd_contact contact = region->list.item[i];
        if (is_same_separator(&contact.separator, face) || !(contact.gap > 0) ||
            !is_corner_above(region, first, &contact, face, normal, tolerance))
            region->list.item[kept++] = contact;
    }
    region->list.count = kept;
}

static int compare_gaps(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Leaves all but the CD_SHARED_REGION_MOST least gaps out; of equal ones the first stay. count: those that are in, more
// than that.
static void keep_lowest(const cd_shared_region *region, bool *is_left_out, int32_t count)
{
    double *gap = CD_ARENA_ARRAY(region->scratch, double, count);
    int32_t n = 0;
    for (int32_t i = 0; i < region->list.count; i++)
        if (!is_left_out[i])
            gap[n++] = region->list.item[i].gap;
    qsort(gap, (size_t)n, sizeof *gap, compare_gaps);
    double most = gap[CD_SHARED_REGION_MOST - 1];
    int32_t equal = 0;
    while (equal < CD_SHARED_REGION_MOST && gap[CD_SHARED_REGION_MOST - 1 - equal] == most)
        equal++;
    for (int32_t i = 0; i < region->list.count; i++) {
        double own = region->list.item[i].gap;
        is_left_out[i] = is_left_out[i] || own > most || (own == most && equal-- <= 0);
    }
}

// The order of contacts in the stream: by kind and number of the features of a, then of b; what has none as it came.
static int compare_codes(int32_t left, int32_t right)
{
    if (left == right || left < 0 || right < 0)
        return (left >= 0) - (right >= 0);
    int kind = cd_feature_kind(left) - cd_feature_kind(right);
    return kind ? kind : cd_feature_index(left) < cd_feature_index(right) ? -1 : 1;
}

static bool comes_before(const cd_contact *left, const cd_contact *right)
{
    int order = compare_codes(left->feature_a, right->feature_a);
    order = order ? order : compare_codes(left->feature_b, right->feature_b);
    return order < 0;
}

void cd_contacts_sort(cd_contacts *contacts, int32_t first)
{
    for (int32_t i = first + 1; i < contacts->count; i++) {
        cd_contact moved = contacts->item[i];
        int32_t k = i;
        for (; k > first && comes_before(&moved, &contacts->item[k - 1]); k--)
            contacts->item[k] = contacts->item[k - 1];
        contacts->item[k] = moved;
    }
}

void cd_shared_region_finish(const cd_shared_region *region, cd_arena *arena, cd_contacts *contacts)
{
    int32_t count = region->list.count, kept = 0;
    if (count == 0)
        return;
    const cd_contact *lowest = lowest_of(region);
    bool *is_left_out = CD_ARENA_ZARRAY(region->scratch, bool, count);
    for (int32_t i = 0; i < count; i++) {
        is_left_out[i] = is_above(region, &region->list.item[i], lowest);
        kept += !is_left_out[i];
    }
    if (kept > CD_SHARED_REGION_MOST)
        keep_lowest(region, is_left_out, kept);
    int32_t first = contacts->count;
    for (int32_t i = 0; i < count; i++)
        if (!is_left_out[i])
            cd_list_push(arena, contacts, region->list.item[i]);
    cd_contacts_sort(contacts, first);
}
