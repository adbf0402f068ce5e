// Bullet in double precision: the detector that its engine runs (GJK, and EPA where bodies overlap), and GJK-EPA 2 alone.
// Hulls without margin about their mean vertex; GJK-EPA 2 is given the direction from centre to centre, the detector has
// one of its own.
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <memory>

static_assert(sizeof(btScalar) == sizeof(double), "Bullet in double precision is what is compared");

namespace {

struct Body {
    std::unique_ptr<btConvexHullShape> shape;
    btTransform pose;
};

struct Pairs {
    std::vector<Body> body;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
};

void *prepare(const narrow_set *set)
{
    Pairs *pairs = new Pairs;
    for (int32_t i = 0; i < set->count; i++)
        for (const narrow_body &body : set->pair[i].body) {
            Point mean = mean_of(body);
            Body made{std::make_unique<btConvexHullShape>(), btTransform::getIdentity()};
            for (int32_t k = 0; k < body.vertex_count; k++) {
                const double *p = body.vertex + 3 * k;
                made.shape->addPoint(btVector3(p[0] - mean[0], p[1] - mean[1], p[2] - mean[2]), false);
            }
            made.shape->setMargin(0);
            made.shape->recalcLocalAabb();
            made.pose.setOrigin(btVector3(mean[0], mean[1], mean[2]));
            pairs->body.push_back(std::move(made));
        }
    return pairs;
}

double detector(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    const Body &a = pairs.body[2 * i], &b = pairs.body[2 * i + 1];
    btGjkPairDetector detector(a.shape.get(), b.shape.get(), &pairs.simplex, &pairs.depth);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = a.pose;
    input.m_transformB = b.pose;
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    return found.m_hasResult ? found.m_distance : NAN;
}

using Solve = bool (*)(const Body &a, const Body &b, const btVector3 &guess, btGjkEpaSolver2::sResults &found);

double solved(void *prepared, int32_t i, Solve solve, double otherwise)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    const Body &a = pairs.body[2 * i], &b = pairs.body[2 * i + 1];
    btGjkEpaSolver2::sResults found;
    return solve(a, b, b.pose.getOrigin() - a.pose.getOrigin(), found) ? found.distance : otherwise;
}

double distance(void *prepared, int32_t i)
{
    return solved(
        prepared, i,
        [](const Body &a, const Body &b, const btVector3 &guess, btGjkEpaSolver2::sResults &found) {
            return btGjkEpaSolver2::Distance(a.shape.get(), a.pose, b.shape.get(), b.pose, guess, found);
        },
        0);
}

double signed_distance(void *prepared, int32_t i)
{
    return solved(
        prepared, i,
        [](const Body &a, const Body &b, const btVector3 &guess, btGjkEpaSolver2::sResults &found) {
            return btGjkEpaSolver2::SignedDistance(a.shape.get(), a.pose, b.shape.get(), b.pose, guess, found);
        },
        NAN);
}

double depth(void *prepared, int32_t i)
{
    return -solved(
        prepared, i,
        [](const Body &a, const Body &b, const btVector3 &guess, btGjkEpaSolver2::sResults &found) {
            return btGjkEpaSolver2::Penetration(a.shape.get(), a.pose, b.shape.get(), b.pose, guess, found, false);
        },
        0);
}

}  // namespace

Programs bullet_programs()
{
    return {{"bullet-detector", "Bullet", NARROW_SIGNED, "btGjkPairDetector with EPA", prepare, detector},
            {"bullet-epa2", "Bullet", NARROW_DISTANCE, "btGjkEpaSolver2::Distance", prepare, distance},
            {"bullet-epa2-signed", "Bullet", NARROW_SIGNED, "btGjkEpaSolver2::SignedDistance", prepare, signed_distance},
            {"bullet-epa2-depth", "Bullet", NARROW_DEPTH, "btGjkEpaSolver2::Penetration", prepare, depth}};
}
