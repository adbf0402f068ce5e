// SPDX-License-Identifier: MIT
#include "narrow_far.h"

#include "cd_ellipsoid_triangle.h"

// [1] of all lengths in it: the distance of a point to a triangle errs by far less. Larger: pairs just out of reach are
// placed and asked.
static const double slack = 1e-9;

typedef struct ball {
    cd_vec3 centre;  // [m] in the frame of its body
    double radius;   // [m]
} ball;

static ball ball_of(const cd_leaf3 *leaf)
{
    if (leaf->kind == CD_SHAPE_SPHERE)
        return (ball){leaf->sphere.centre, leaf->sphere.radius};
    cd_vec3 s = leaf->ellipsoid->semiaxes;
    return (ball){leaf->ellipsoid->centre, fmax(s.x, fmax(s.y, s.z))};
}

// The centre of the ball as the other body sees it, at one of the poses.
static cd_vec3 seen_from(const cd_narrow_placed_body *own, const cd_narrow_placed_body *other, int pose, cd_vec3 centre)
{
    cd_vec3 apart = cd_sub3(own->middle, other->middle);
    cd_vec3 at = cd_add3(cd_pose3_apply(&own->pose[pose], centre), apart);
    return cd_mat3_apply_back(&other->pose[pose].turn, cd_sub3(at, other->pose[pose].position));
}

bool cd_narrow_is_far(cd_narrow_placer *placer, const cd_narrow_site_pair *pair, double reach)
{
    enum { START, PREDICTED, CURRENT };
    const cd_narrow_frame_state *frame = placer->frame;
    const cd_leaf3 *a = cd_narrow_leaf3_of(frame, pair->row_a, pair->part_a),
                   *b = cd_narrow_leaf3_of(frame, pair->row_b, pair->part_b);
    const cd_leaf3 *facet = a->kind == CD_SHAPE_FACETS ? a : b, *round = facet == a ? b : a;
    if (facet->kind != CD_SHAPE_FACETS || (round->kind != CD_SHAPE_SPHERE && round->kind != CD_SHAPE_ELLIPSOID))
        return false;
    ball of = ball_of(round);
    cd_narrow_placed_body own = *cd_narrow_placer_body(placer, facet == a ? pair->row_b : pair->row_a);
    const cd_narrow_placed_body *other = cd_narrow_placer_body(placer, facet == a ? pair->row_a : pair->row_b);
    cd_vec3 start = seen_from(&own, other, START, of.centre), corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = cd_sub3(cd_leaf3_corner(facet, k), start);
    double way = 0;
    for (int pose = PREDICTED; pose <= CURRENT; pose++)
        if (own.same[pose] != START || other->same[pose] != START)
            way = fmax(way, cd_length3(cd_sub3(seen_from(&own, other, pose, of.centre), start)));
    double distance = cd_length3(cd_triangle_nearest_to_origin(corner).point);
    double size = cd_length3(start) + cd_length3(corner[0]);
    return distance > of.radius + facet->facet.half_thickness + reach + way + slack * size;
}
