// SPDX-License-Identifier: MIT
#include "penalty_moduli.h"

#include <inttypes.h>

double cd_penalty_radius_of_body(const cd_placed_pinballs *balls, const int32_t *site)
{
    const cd_model *in = balls->placed->in;
    const cd_leaves *shapes = balls->pinballs->shapes;
    int32_t shape = in->body.shape ? in->body.shape[site[0]] : -1;
    if (shape < 0 || site[1] < 0 || site[1] >= shapes->first[shape + 1] - shapes->first[shape])
        return NAN;
    int32_t leaf = shapes->first[shape] + site[1];
    if (in->dim == 2)
        return shapes->plane.leaf[leaf].kind == CD_SHAPE_SPHERE ? shapes->plane.leaf[leaf].radius : NAN;
    const cd_leaf3 own = cd_leaves3_at(&shapes->space, leaf);
    return own.kind == CD_SHAPE_SPHERE ? own.sphere.radius : NAN;
}

cd_status cd_penalty_stiffness(const cd_placed_pinballs *balls, int32_t row, const double radius[2], double beta,
                               double *stiffness, cd_diag *diag)
{
    const cd_model *in = balls->placed->in;
    const int32_t *site[2] = {in->contact.a + 2 * (size_t)row, in->contact.b + 2 * (size_t)row};
    double sum = 0;
    int count = 0;
    for (int s = 0; s < 2; s++) {
        if (isnan(radius[s]))
            continue;
        int32_t material = cd_part_material(balls->placed, site[s][0], site[s][1]);
        double bulk = material < 0 ? NAN : cd_f64_or(in->material.bulk, material, NAN);
        if (isnan(bulk))
            return cd_fail(diag, CD_ERR_FORMAT,
                           "contact %" PRId64 ": body %" PRId64 ": no material with a bulk modulus: --stiffness is "
                           "needed",
                           in->contact.id[row], in->body.id[site[s][0]]);
        sum += bulk * radius[s];
        count++;
    }
    if (count == 0)
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64 ": neither side is a ball, whose radius a stiffness by moduli needs: "
                       "--stiffness is needed",
                       in->contact.id[row]);
    *stiffness = beta * sum / count;
    return CD_OK;
}
