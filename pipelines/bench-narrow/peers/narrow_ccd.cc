// libccd (double precision): its tests for overlap, and penetration by EPA and by portal refinement. It has no distance
// of separated bodies. The support function is the caller's; coordinates are those of the world, so that it need not turn
// anything, and the first direction is that from centre to centre.
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <ccd/ccd.h>

static_assert(sizeof(ccd_real_t) == sizeof(double), "libccd in double precision is what is compared");

namespace {

struct Body {
    const narrow_body *shape;
    Point centre;
};

struct Pairs {
    std::vector<Body> body;
    ccd_t ccd;
};

void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *found)
{
    const narrow_body &shape = *static_cast<const Body *>(object)->shape;
    double x = direction->v[0], y = direction->v[1], z = direction->v[2], most = -HUGE_VAL;
    const double *best = shape.vertex;
    for (const double *p = shape.vertex, *end = p + 3 * shape.vertex_count; p != end; p += 3) {
        double height = p[0] * x + p[1] * y + p[2] * z;
        if (height > most) {
            most = height;
            best = p;
        }
    }
    ccdVec3Set(found, best[0], best[1], best[2]);
}

void centre(const void *object, ccd_vec3_t *found)
{
    const Point &c = static_cast<const Body *>(object)->centre;
    ccdVec3Set(found, c[0], c[1], c[2]);
}

void first_direction(const void *a, const void *b, ccd_vec3_t *direction)
{
    const Point &p = static_cast<const Body *>(a)->centre, &q = static_cast<const Body *>(b)->centre;
    ccdVec3Set(direction, q[0] - p[0], q[1] - p[1], q[2] - p[2]);
}

void *prepare(const narrow_set *set)
{
    Pairs *pairs = new Pairs;
    for (int32_t i = 0; i < set->count; i++)
        for (const narrow_body &body : set->pair[i].body)
            pairs->body.push_back({&body, mean_of(body)});
    CCD_INIT(&pairs->ccd);
    pairs->ccd.first_dir = first_direction;
    pairs->ccd.support1 = pairs->ccd.support2 = support;
    pairs->ccd.center1 = pairs->ccd.center2 = centre;
    pairs->ccd.max_iterations = 500;
    pairs->ccd.epa_tolerance = pairs->ccd.mpr_tolerance = 1e-8;  // its own 1e-4 is above what counts as right
    return pairs;
}

using Test = int (*)(const void *, const void *, const ccd_t *);
using Penetration = int (*)(const void *, const void *, const ccd_t *, ccd_real_t *, ccd_vec3_t *, ccd_vec3_t *);

template <Test test> double overlap(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    return test(&pairs.body[2 * i], &pairs.body[2 * i + 1], &pairs.ccd);
}

template <Penetration penetration> double depth(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    int status = penetration(&pairs.body[2 * i], &pairs.body[2 * i + 1], &pairs.ccd, &depth, &direction, &position);
    return status == 0 ? depth : status == -1 ? 0 : NAN;
}

}  // namespace

Programs ccd_programs()
{
    return {{"libccd-gjk", "libccd", NARROW_OVERLAP, "ccdGJKIntersect", prepare, overlap<ccdGJKIntersect>},
            {"libccd-mpr", "libccd", NARROW_OVERLAP, "ccdMPRIntersect", prepare, overlap<ccdMPRIntersect>},
            {"libccd-epa", "libccd", NARROW_DEPTH, "ccdGJKPenetration", prepare, depth<ccdGJKPenetration>},
            {"libccd-mpr-depth", "libccd", NARROW_DEPTH, "ccdMPRPenetration, along the portal's direction", prepare,
             depth<ccdMPRPenetration>}};
}
