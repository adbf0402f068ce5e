// FCL: both its solvers, that on top of libccd also with a tighter tolerance. Convex bodies about their mean vertex, each
// with its adjacency (FCL climbs along edges from 33 vertices on).
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <exception>
#include <fcl/fcl.h>
#include <memory>

namespace {

using Convex = fcl::Convex<double>;

struct Pairs {
    std::vector<std::unique_ptr<Convex>> body;
    std::vector<fcl::Transform3<double>, Eigen::aligned_allocator<fcl::Transform3<double>>> pose;
    fcl::detail::GJKSolver_libccd<double> libccd;
    fcl::detail::GJKSolver_indep<double> own;
};

void add(Pairs &pairs, const narrow_body &body)
{
    Point mean = mean_of(body);
    auto vertices = std::make_shared<std::vector<fcl::Vector3<double>>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (int32_t i = 0; i < body.vertex_count; i++)
        vertices->emplace_back(body.vertex[3 * i] - mean[0], body.vertex[3 * i + 1] - mean[1],
                               body.vertex[3 * i + 2] - mean[2]);
    for (int32_t f = 0; f < body.face_count; f++) {
        faces->push_back(body.face_first[f + 1] - body.face_first[f]);
        faces->insert(faces->end(), body.face_vertex + body.face_first[f], body.face_vertex + body.face_first[f + 1]);
    }
    pairs.body.push_back(std::make_unique<Convex>(vertices, body.face_count, faces));
    pairs.pose.push_back(fcl::Transform3<double>::Identity());
    pairs.pose.back().translation() << mean[0], mean[1], mean[2];
}

void *prepare(const narrow_set *set)
{
    Pairs *pairs = new Pairs;
    for (int32_t i = 0; i < set->count; i++)
        for (const narrow_body &body : set->pair[i].body)
            add(*pairs, body);
    return pairs;
}

void *prepare_tight(const narrow_set *set)
{
    Pairs *pairs = static_cast<Pairs *>(prepare(set));
    pairs->libccd.distance_tolerance = pairs->libccd.collision_tolerance = 1e-10;
    pairs->libccd.max_distance_iterations = 1000;
    return pairs;
}

// Answers of FCL that are exceptions count as given up.
template <class Answer> double guarded(Answer answer)
{
    try {
        return answer();
    } catch (const std::exception &) {
        return NAN;
    }
}

template <class Solver> double distance(const Pairs &pairs, const Solver &solver, int32_t i)
{
    return guarded([&] {
        double found = 0;
        fcl::Vector3<double> p, q;
        bool is_apart = solver.shapeDistance(*pairs.body[2 * i], pairs.pose[2 * i], *pairs.body[2 * i + 1],
                                             pairs.pose[2 * i + 1], &found, &p, &q);
        return is_apart ? found : 0.0;
    });
}

double libccd_distance(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    return distance(pairs, pairs.libccd, i);
}

double own_distance(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    return distance(pairs, pairs.own, i);
}

double signed_distance(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    return guarded([&] {
        double found = 0;
        fcl::Vector3<double> p, q;
        pairs.libccd.shapeSignedDistance(*pairs.body[2 * i], pairs.pose[2 * i], *pairs.body[2 * i + 1],
                                         pairs.pose[2 * i + 1], &found, &p, &q);
        return found;
    });
}

double overlap(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    return guarded([&] {
        return pairs.libccd.shapeIntersect(*pairs.body[2 * i], pairs.pose[2 * i], *pairs.body[2 * i + 1],
                                           pairs.pose[2 * i + 1],
                                           static_cast<std::vector<fcl::ContactPoint<double>> *>(nullptr))
                   ? 1.0
                   : 0.0;
    });
}

}  // namespace

Programs fcl_programs()
{
    return {{"fcl-libccd", "FCL", NARROW_DISTANCE, "GJKSolver_libccd, its own tolerance", prepare, libccd_distance},
            {"fcl-libccd-tight", "FCL", NARROW_DISTANCE, "GJKSolver_libccd, tolerance 1e-10", prepare_tight,
             libccd_distance},
            {"fcl-indep", "FCL", NARROW_DISTANCE, "GJKSolver_indep", prepare, own_distance},
            {"fcl-signed", "FCL", NARROW_SIGNED, "GJKSolver_libccd, GJK and EPA, tolerance 1e-10", prepare_tight,
             signed_distance},
            {"fcl-overlap", "FCL", NARROW_OVERLAP, "GJKSolver_libccd without contacts", prepare, overlap}};
}
