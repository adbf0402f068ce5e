// A halfspace n.x <= c against a core with a margin r: the least h of n.x - c over the corners, against r |n|; against
// an ellipsoid, whose farthest point along -n is |A^T n| below its centre; against another halfspace.
// SPDX-License-Identifier: MIT
#include "certify_pair.h"

// (sqrt p + sqrt q)^2 = p + q + sqrt(4 p q)
int certify_root_order(cd_arena *scratch, cd_exact height, cd_exact p, cd_exact q)
{
    cd_exact square = cd_exact_multiply(scratch, height, height);
    cd_exact rest = cd_exact_subtract(scratch, square, cd_exact_add(scratch, p, q));
    if (cd_exact_sign(height) < 0 || cd_exact_sign(rest) < 0)
        return -1;
    cd_exact product = cd_exact_multiply(scratch, cd_exact_of(scratch, 4), cd_exact_multiply(scratch, p, q));
    return cd_exact_compare(cd_exact_multiply(scratch, rest, rest), product);
}

static int gap_of_core(cd_arena *scratch, const certify_part *part, const certify_part *halfspace)
{
    cd_exact3 n = cd_exact3_of(scratch, halfspace->normal);
    certify_vector direction = certify_vector_of(n);
    certify_farthest lowest = certify_find_farthest(scratch, &part->core, &direction, -1);
    cd_exact3 x = cd_exact3_of(scratch, certify_corner(&part->core, lowest.corner[0]));
    cd_exact height = cd_exact_subtract(scratch, cd_exact3_dot(scratch, n, x), cd_exact_of(scratch, halfspace->offset));
    cd_exact r = cd_exact_of(scratch, part->margin);
    cd_exact square = cd_exact_multiply(scratch, cd_exact_multiply(scratch, r, r), cd_exact3_dot(scratch, n, n));
    return certify_root_order(scratch, height, square, (cd_exact){0});
}

static int gap_of_ellipsoid(cd_arena *scratch, const certify_part *part, const certify_part *halfspace)
{
    cd_exact3 n = cd_exact3_of(scratch, halfspace->normal);
    cd_exact height = cd_exact_subtract(scratch, cd_exact3_dot(scratch, n, cd_exact3_of(scratch, part->centre)),
                                        cd_exact_of(scratch, halfspace->offset));
    cd_exact square = {0};
    for (int k = 0; k < 3; k++) {
        cd_exact along = cd_exact_multiply(scratch, cd_exact_of(scratch, part->semiaxis[k]),
                                           cd_exact3_dot(scratch, n, cd_exact3_of(scratch, part->axis[k])));
        square = cd_exact_add(scratch, square, cd_exact_multiply(scratch, along, along));
    }
    return certify_root_order(scratch, height, square, (cd_exact){0});
}

// Two halfspaces meet unless their normals n, m are opposite: m = -k n, and then they are apart where c_m + k c_n < 0.
static int gap_of_halfspaces(cd_arena *scratch, const certify_part *a, const certify_part *b)
{
    cd_exact3 n = cd_exact3_of(scratch, a->normal), m = cd_exact3_of(scratch, b->normal);
    cd_exact along = cd_exact3_dot(scratch, n, m);
    if (!cd_exact3_is_zero(cd_exact3_cross(scratch, n, m)) || cd_exact_sign(along) >= 0)
        return -1;
    cd_exact p = cd_exact_multiply(scratch, cd_exact_of(scratch, b->offset), cd_exact3_dot(scratch, n, n));
    cd_exact q = cd_exact_multiply(scratch, cd_exact_of(scratch, a->offset), along);
    return cd_exact_compare(q, p);
}

certify_result certify_halfspace(cd_arena *scratch, const certify_part *a, const certify_part *b)
{
    int gap;
    if (a->form == b->form)
        gap = gap_of_halfspaces(scratch, a, b);
    else {
        const certify_part *halfspace = a->form == CERTIFY_HALFSPACE ? a : b, *part = halfspace == a ? b : a;
        gap = part->form == CERTIFY_CORE ? gap_of_core(scratch, part, halfspace)
                                         : gap_of_ellipsoid(scratch, part, halfspace);
    }
    return (certify_result){.label = certify_label(gap)};
}
