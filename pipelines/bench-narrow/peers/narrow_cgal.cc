// CGAL: the intersection of the half-spaces of both bodies by the dual hull about the inner point that it is given, with
// exact predicates and inexact constructions, and its volume.
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <CGAL/Convex_hull_3/dual/halfspace_intersection_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polyhedron_3.h>
#include <exception>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Polyhedron = CGAL::Polyhedron_3<Kernel>;

struct Pair {
    std::vector<Kernel::Plane_3> plane;
    Kernel::Point_3 inner;
    bool has_inner;
};

void *prepare(const narrow_set *set)
{
    CGAL::set_error_behaviour(CGAL::THROW_EXCEPTION);
    std::vector<Pair> *pairs = new std::vector<Pair>;
    for (int32_t i = 0; i < set->count; i++) {
        const narrow_pair &pair = set->pair[i];
        Pair made{{}, Kernel::Point_3(pair.inner[0], pair.inner[1], pair.inner[2]), !std::isnan(pair.inner[0])};
        for (const Halfspace &h : halfspaces_of(pair))
            made.plane.emplace_back(h.normal[0], h.normal[1], h.normal[2], -h.offset);
        pairs->push_back(std::move(made));
    }
    return pairs;
}

double volume_of(const Polyhedron &polyhedron, const Kernel::Point_3 &origin)
{
    double volume = 0;
    for (auto facet = polyhedron.facets_begin(); facet != polyhedron.facets_end(); ++facet) {
        auto first = facet->halfedge(), edge = first->next();
        for (; edge->next() != first; edge = edge->next())
            volume += CGAL::volume(origin, first->vertex()->point(), edge->vertex()->point(),
                                   edge->next()->vertex()->point());
    }
    return volume;
}

double volume(void *prepared, int32_t i)
{
    const Pair &pair = (*static_cast<std::vector<Pair> *>(prepared))[i];
    if (!pair.has_inner)
        return 0;
    try {
        Polyhedron common;
        CGAL::halfspace_intersection_3(pair.plane.begin(), pair.plane.end(), common, pair.inner);
        return volume_of(common, pair.inner);
    } catch (const std::exception &) {
        return NAN;
    }
}

}  // namespace

Programs cgal_programs()
{
    return {{"cgal", "CGAL", NARROW_VOLUME, "halfspace_intersection_3, EPICK, inner point given", prepare, volume}};
}
