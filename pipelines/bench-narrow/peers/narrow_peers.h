// narrow_peers -- narrow phases of other libraries, for `make bench`: each file narrow_NAME.cc lists what its library
// can be asked as programs of narrow_set.h, and narrow_peers.cc gathers those whose headers were there.
//
// Whatever a library can prepare for one body, or for two without regard to how they lie, is prepared before the clock
// starts. A new peer: a file here, a line in narrow_peers.cc, a line in the Makefile.
// SPDX-License-Identifier: MIT
#ifndef NARROW_PEERS_H
#define NARROW_PEERS_H

#include "narrow_set.h"

#include <array>
#include <cmath>
#include <vector>

using Programs = std::vector<narrow_program>;

Programs ccd_programs();
Programs fcl_programs();
Programs bullet_programs();
Programs cgal_programs();
Programs qhull_programs();
Programs voro_programs();

using Point = std::array<double, 3>;

inline Point mean_of(const narrow_body &body)
{
    Point mean = {0, 0, 0};
    for (int32_t i = 0; i < 3 * body.vertex_count; i++)
        mean[i % 3] += body.vertex[i] / body.vertex_count;
    return mean;
}

// Inside where normal . x <= offset; the normal is a unit vector.
struct Halfspace {
    Point normal;
    double offset;
};

inline Halfspace halfspace_of(const narrow_body &body, int32_t face)
{
    // Newell's sum about the face's first corner, and the plane through the mean of its corners.
    int32_t first = body.face_first[face], last = body.face_first[face + 1];
    const double *origin = body.vertex + 3 * body.face_vertex[first];
    Point normal = {0, 0, 0}, mean = {0, 0, 0};
    for (int32_t k = first; k < last; k++) {
        const double *p = body.vertex + 3 * body.face_vertex[k];
        const double *q = body.vertex + 3 * body.face_vertex[k + 1 < last ? k + 1 : first];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            normal[i] += (p[j] - origin[j]) * (q[l] - origin[l]) - (p[l] - origin[l]) * (q[j] - origin[j]);
            mean[i] += p[i] / (last - first);
        }
    }
    double length = std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), offset = 0;
    for (int i = 0; i < 3; i++) {
        normal[i] /= length;
        offset += normal[i] * mean[i];
    }
    return {normal, offset};
}

inline std::vector<Halfspace> halfspaces_of(const narrow_pair &pair)
{
    std::vector<Halfspace> planes;
    for (const narrow_body &body : pair.body)
        for (int32_t f = 0; f < body.face_count; f++)
            planes.push_back(halfspace_of(body, f));
    return planes;
}

#endif
