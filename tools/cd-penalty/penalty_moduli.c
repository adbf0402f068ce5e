// SPDX-License-Identifier: MIT
#include "penalty_moduli.h"

#include <inttypes.h>

// [m] of the ball that the part is; NaN: it is none.
static double radius_of(const cd_model *in, const cd_leaves *shapes, const int32_t *site)
{
    int32_t shape = in->body.shape ? in->body.shape[site[0]] : -1;
    if (shape < 0 || site[1] < 0 || site[1] >= shapes->first[shape + 1] - shapes->first[shape])
        return NAN;
    int32_t leaf = shapes->first[shape] + site[1];
    if (in->dim == 2)
        return shapes->plane.leaf[leaf].kind == CD_SHAPE_SPHERE ? shapes->plane.leaf[leaf].radius : NAN;
    return shapes->space.leaf[leaf].kind == CD_SHAPE_SPHERE ? shapes->space.leaf[leaf].sphere.radius : NAN;
}

static double bulk_of(const cd_model *in, int32_t body)
{
    int32_t material = in->body.material ? in->body.material[body] : -1;
    return material < 0 ? NAN : cd_f64_or(in->material.bulk, material, NAN);
}

cd_status cd_penalty_stiffness(const cd_model *in, const cd_leaves *shapes, int32_t row, double beta, double *stiffness,
                               cd_diag *diag)
{
    const int32_t *site[2] = {in->contact.a + 2 * (size_t)row, in->contact.b + 2 * (size_t)row};
    double sum = 0;
    int balls = 0;
    for (int s = 0; s < 2; s++) {
        double radius = radius_of(in, shapes, site[s]), bulk = bulk_of(in, site[s][0]);
        if (isnan(radius))
            continue;
        if (isnan(bulk))
            return cd_fail(diag, CD_ERR_FORMAT,
                           "contact %" PRId64 ": body %" PRId64 ": no material with a bulk modulus: --stiffness is "
                           "needed",
                           in->contact.id[row], in->body.id[site[s][0]]);
        sum += bulk * radius;
        balls++;
    }
    if (balls == 0)
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64 ": neither side is a ball, whose radius a stiffness by moduli needs: "
                       "--stiffness is needed",
                       in->contact.id[row]);
    *stiffness = beta * sum / balls;
    return CD_OK;
}
