// bullet_hull -- a hull for Bullet, which puts a margin on around hulls: its planes are moved in by as much before.
// SPDX-License-Identifier: MIT
#ifndef BULLET_HULL_H
#define BULLET_HULL_H

#include <LinearMath/btConvexHullComputer.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

// corners: 3 numbers each [m]; margin [m] >= 0: less where the hull is too thin for it.
inline std::unique_ptr<btConvexHullShape> bullet_hull(const std::vector<double> &corners, double margin)
{
    btConvexHullComputer smaller;
    double kept =
        smaller.compute(corners.data(), 3 * sizeof(double), static_cast<int>(corners.size() / 3), margin, 0.1);
    auto hull = std::make_unique<btConvexHullShape>();
    for (int k = 0; k < smaller.vertices.size(); k++)
        hull->addPoint(smaller.vertices[k], false);
    hull->setMargin(kept);
    hull->recalcLocalAabb();
    return hull;
}

#endif
