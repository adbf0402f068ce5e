// SPDX-License-Identifier: MIT
#include "overlap_pair.h"

#include "cd_closed2.h"

static cd_circle circle_of(const cd_leaf2 *leaf) { return (cd_circle){leaf->centre, leaf->radius}; }
static cd_halfplane halfplane_of(const cd_leaf2 *leaf) { return (cd_halfplane){leaf->normal, leaf->offset}; }

// kind of a <= kind of b
static cd_overlap measure_ordered(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    bool is_polygon = a->kind == CD_SHAPE_POLYGON, is_circle = a->kind == CD_SHAPE_SPHERE;
    cd_overlap overlap = {true, 0, 0};
    if (is_polygon && b->kind == CD_SHAPE_POLYGON) {
        overlap.gap = cd_polygon_distance(a->polygon, b->polygon).gap;
        if (overlap.gap < 0)
            overlap.area = cd_polygon_overlap_area(a->polygon, b->polygon, scratch);
    } else if (is_polygon && b->kind == CD_SHAPE_SPHERE) {
        overlap.gap = cd_polygon_circle_distance(a->polygon, circle_of(b)).gap;
        overlap.area = cd_polygon_circle_area(a->polygon, circle_of(b));
    } else if (is_polygon && b->kind == CD_SHAPE_HALFSPACE) {
        overlap.gap = cd_polygon_halfplane_distance(a->polygon, halfplane_of(b)).gap;
        overlap.area = cd_polygon_halfplane_area(a->polygon, halfplane_of(b), scratch);
    } else if (is_circle && b->kind == CD_SHAPE_SPHERE) {
        overlap.gap = cd_circle_circle_distance(circle_of(a), circle_of(b)).gap;
        overlap.area = cd_circle_circle_area(circle_of(a), circle_of(b));
    } else if (is_circle && b->kind == CD_SHAPE_HALFSPACE) {
        overlap.gap = cd_circle_halfplane_distance(circle_of(a), halfplane_of(b)).gap;
        overlap.area = cd_circle_halfplane_area(circle_of(a), halfplane_of(b));
    } else {
        overlap.is_measured = false;
    }
    return overlap;
}

cd_overlap cd_overlap_measure(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    return a->kind <= b->kind ? measure_ordered(a, b, scratch) : measure_ordered(b, a, scratch);
}
