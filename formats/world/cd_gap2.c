// SPDX-License-Identifier: MIT
#include "cd_gap2.h"

// ---- routines ------------------------------------------------------------------------------------------------------

static cd_distance2 polygon_polygon(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_distance(a->polygon, b->polygon);
}
static const cd_gap2_pair cd_gap2_polygon_polygon = {"polygon-polygon", CD_SHAPE_POLYGON, CD_SHAPE_POLYGON, false,
                                                     polygon_polygon};

static cd_distance2 polygon_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_circle_distance(a->polygon, cd_leaf2_circle(b));
}
static const cd_gap2_pair cd_gap2_polygon_circle = {"polygon-circle", CD_SHAPE_POLYGON, CD_SHAPE_SPHERE, true,
                                                    polygon_circle};

static cd_distance2 polygon_halfplane(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_polygon_halfplane_distance(a->polygon, cd_leaf2_halfplane(b));
}
static const cd_gap2_pair cd_gap2_polygon_halfplane = {"polygon-halfspace", CD_SHAPE_POLYGON, CD_SHAPE_HALFSPACE, true,
                                                       polygon_halfplane};

static cd_distance2 circle_circle(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_circle_circle_distance(cd_leaf2_circle(a), cd_leaf2_circle(b));
}
static const cd_gap2_pair cd_gap2_circle_circle = {"circle-circle", CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, true,
                                                   circle_circle};

static cd_distance2 circle_halfplane(const cd_leaf2 *a, const cd_leaf2 *b)
{
    return cd_circle_halfplane_distance(cd_leaf2_circle(a), cd_leaf2_halfplane(b));
}
static const cd_gap2_pair cd_gap2_circle_halfplane = {"circle-halfspace", CD_SHAPE_SPHERE, CD_SHAPE_HALFSPACE, true,
                                                      circle_halfplane};

// ---- the table -----------------------------------------------------------------------------------------------------

const cd_gap2_pair *const cd_gap2_pairs[] = {
#define X(name) &cd_gap2_##name,
#include "gap2_pairs.def"
#undef X
    NULL,
};

const cd_gap2_pair *cd_gap2_pair_for(int32_t kind_a, int32_t kind_b)
{
    int32_t first = kind_a < kind_b ? kind_a : kind_b, second = kind_a < kind_b ? kind_b : kind_a;
    for (int i = 0; cd_gap2_pairs[i]; i++)
        if (cd_gap2_pairs[i]->kind_a == first && cd_gap2_pairs[i]->kind_b == second)
            return cd_gap2_pairs[i];
    return NULL;
}

cd_distance2 cd_gap2_measure(const cd_gap2_pair *pair, const cd_leaf2 *a, const cd_leaf2 *b)
{
    return a->kind <= b->kind ? pair->gap(a, b) : cd_distance2_flip(pair->gap(b, a));
}
