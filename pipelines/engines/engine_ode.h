// What both stages around ODE share: its convex bodies.
// SPDX-License-Identifier: MIT
#pragma once
#include "engine.h"

#include <ode/ode.h>

static_assert(sizeof(dReal) == sizeof(double), "ODE in double precision");

namespace engine
{

// ODE keeps pointers to the arrays of a hull.
struct Hull {
    std::vector<dReal> planes, points;
    std::vector<unsigned int> faces;
};

// Planes n.x = d of the faces about the mean vertex, by Newell's method.
inline std::unique_ptr<Hull> hull_of(const cds_part &part)
{
    auto hull = std::make_unique<Hull>();
    for (int32_t v = 0; v < part.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            hull->points.push_back(part.vertex[3 * v + k] - part.centre[k]);
    for (int32_t face = 0; face < part.face_count; face++) {
        const int32_t *corner = part.face_vertex + part.face_first[face];
        int32_t count = part.face_first[face + 1] - part.face_first[face];
        Vec normal = {0, 0, 0};
        hull->faces.push_back(static_cast<unsigned int>(count));
        for (int32_t k = 0; k < count; k++) {
            const double *p = &hull->points[3 * corner[k]], *q = &hull->points[3 * corner[(k + 1) % count]];
            for (int x = 0; x < 3; x++)
                normal[x] += (p[(x + 1) % 3] - q[(x + 1) % 3]) * (p[(x + 2) % 3] + q[(x + 2) % 3]);
            hull->faces.push_back(static_cast<unsigned int>(corner[k]));
        }
        double length = std::sqrt(dot(normal, normal));
        for (double &x : normal)
            x /= length;
        hull->planes.insert(hull->planes.end(), {normal[0], normal[1], normal[2]});
        hull->planes.push_back(dot(normal, vec(&hull->points[3 * corner[0]])));
    }
    return hull;
}

inline dGeomID make_convex(dSpaceID space, const Hull &hull)
{
    return dCreateConvex(space, hull.planes.data(), static_cast<unsigned int>(hull.planes.size() / 4),
                         hull.points.data(), static_cast<unsigned int>(hull.points.size() / 3), hull.faces.data());
}

}  // namespace engine
