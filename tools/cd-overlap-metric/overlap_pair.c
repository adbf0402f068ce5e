// SPDX-License-Identifier: MIT
#include "overlap_pair.h"

#include "cd_gap2.h"

// Of two leaves with kind of a <= kind of b that overlap.
static double area_of(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    if (a->kind == CD_SHAPE_POLYGON)
        switch (b->kind) {
        case CD_SHAPE_POLYGON:
            return cd_polygon_overlap_area(a->polygon, b->polygon, scratch);
        case CD_SHAPE_SPHERE:
            return cd_polygon_circle_area(a->polygon, cd_leaf2_circle(b));
        default:
            return cd_polygon_halfplane_area(a->polygon, cd_leaf2_halfplane(b), scratch);
        }
    if (b->kind == CD_SHAPE_SPHERE)
        return cd_circle_circle_area(cd_leaf2_circle(a), cd_leaf2_circle(b));
    return cd_circle_halfplane_area(cd_leaf2_circle(a), cd_leaf2_halfplane(b));
}

cd_overlap cd_overlap_measure(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    const cd_gap2_pair *pair = cd_gap2_pair_for(a->kind, b->kind);
    if (!pair)
        return (cd_overlap){.is_measured = false};
    cd_overlap overlap = {.is_measured = true, .gap = cd_gap2_measure(pair, a, b).gap};
    if (overlap.gap < 0)
        overlap.area = a->kind <= b->kind ? area_of(a, b, scratch) : area_of(b, a, scratch);
    return overlap;
}
