// Qhull (reentrant): the hull of the polar points of all planes about the inner point that it is given; its facets are
// the corners of the intersection, its edges the edges, from which the volume is summed.
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <cstdio>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace {

struct Pair {
    std::vector<Halfspace> plane;
    const narrow_pair *pair;
};

struct Pairs {
    std::vector<Pair> pair;
    std::vector<double> polar;
    std::FILE *messages;
};

void *prepare(const narrow_set *set)
{
    Pairs *pairs = new Pairs;
    pairs->messages = std::fopen("/dev/null", "w");
    for (int32_t i = 0; i < set->count; i++)
        pairs->pair.push_back({halfspaces_of(set->pair[i]), &set->pair[i]});
    return pairs;
}

Point cross(const double *u, const double *v)
{
    return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}
double dot(const double *u, const double *v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

Point corner_of(const facetT *facet)
{
    double scale = -1 / facet->offset;
    return {facet->normal[0] * scale, facet->normal[1] * scale, facet->normal[2] * scale};
}

// The edge from corner p to q of the intersection lies on the planes with the polar points u and v. A plane's foot, the
// point nearest to the origin, is u / |u|^2; the triangles from it to the plane's edges, counter-clockwise as seen from
// outside, make the face. Along n_u x n_v an edge is counter-clockwise on u and clockwise on v.
double cones_of_edge(const Point &p, const Point &q, const double *u, const double *v)
{
    Point along = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, area = cross(p.data(), q.data());
    Point turn = cross(u, v);
    double volume = dot(u, area.data()) / dot(u, u) - dot(v, area.data()) / dot(v, v);
    return dot(along.data(), turn.data()) > 0 ? volume : -volume;
}

double volume_of(qhT *qh)
{
    double sum = 0;
    facetT *facet, *neighbor, **neighborp;
    FORALLfacets
    {
        Point p = corner_of(facet);
        FOREACHneighbor_(facet)
        {
            if (neighbor->id < facet->id)
                continue;
            const double *shared[2];
            int count = 0;
            vertexT *vertex, **vertexp;
            FOREACHvertex_(facet->vertices)
            {
                if (count < 2 && qh_setin(neighbor->vertices, vertex))
                    shared[count++] = vertex->point;
            }
            if (count == 2)
                sum += cones_of_edge(p, corner_of(neighbor), shared[0], shared[1]);
        }
    }
    return sum / 6;
}

double volume(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    const Pair &pair = pairs.pair[i];
    const double *inner = pair.pair->inner;
    if (std::isnan(inner[0]))
        return 0;
    pairs.polar.clear();
    for (const Halfspace &h : pair.plane) {
        double scale = 1 / (h.offset - dot(h.normal.data(), inner));
        for (double component : h.normal)
            pairs.polar.push_back(component * scale);
    }
    qhT state;
    qhT *qh = &state;
    qh_zero(qh, pairs.messages);
    char options[] = "qhull Qt Pp";
    int status = qh_new_qhull(qh, 3, static_cast<int>(pair.plane.size()), pairs.polar.data(), False, options, nullptr,
                              pairs.messages);
    double found = status ? NAN : volume_of(qh);
    int left, bytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left, &bytes);
    return found;
}

}  // namespace

Programs qhull_programs()
{
    return {{"qhull", "Qhull", NARROW_VOLUME, "hull of the polar points, inner point given", prepare, volume}};
}
