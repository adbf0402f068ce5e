// engine-bullet -- stands in for cd-narrow: contacts by Bullet (double precision), by the algorithm that its own
// dispatcher has for two shapes, of a pair that it meets for the first time.
//
// Its conventions, and what becomes of them:
//   order   the normal stands on the second object and points to the first: turned
//   depth   a signed distance: gap as it is. Apart within reach too
//   point   one on each surface; of two boxes up to eight, of others one
//   margin  --margin: hulls and facets grow by it, boxes have corners rounded by it inside. Bullet's own is 0.04 m,
//           here it is 0. Facets have half their thickness beside
// SPDX-License-Identifier: MIT
#include "engine.h"

#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <btBulletCollisionCommon.h>

static_assert(sizeof(btScalar) == sizeof(double), "Bullet in double precision");

using namespace engine;

namespace
{

struct Shape {
    std::unique_ptr<btCollisionShape> shape;
    btTransform place;  // in the body's frame
};

btVector3 vector(const double *v) { return {v[0], v[1], v[2]}; }

btTransform transform(const double *position, const double *q)
{
    return btTransform(btQuaternion(q[1], q[2], q[3], q[0]), vector(position));
}

Vec told(const btVector3 &v) { return {v[0], v[1], v[2]}; }

// Points of a pair, whichever way round Bullet has it.
struct Found : btCollisionWorld::ContactResultCallback {
    const btCollisionObject *a;
    std::vector<Touch> &touches;
    Found(const btCollisionObject *first, double reach, std::vector<Touch> &list) : a(first), touches(list)
    {
        m_closestDistanceThreshold = reach;
    }
    btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *first, int, int,
                             const btCollisionObjectWrapper *, int, int) override
    {
        bool is_turned = first->getCollisionObject() != a;
        btVector3 on_a = is_turned ? point.m_positionWorldOnB : point.m_positionWorldOnA;
        btVector3 on_b = is_turned ? point.m_positionWorldOnA : point.m_positionWorldOnB;
        btVector3 normal = is_turned ? point.m_normalWorldOnB : -point.m_normalWorldOnB;
        touches.push_back({told(normal), point.getDistance(), told(on_a), told(on_b)});
        return 0;
    }
};

struct Detector {
    Shapes<Shape> shapes;
    double margin = 0;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    btCollisionObject first, second;

    std::unique_ptr<Shape> make(const cds_part &part)
    {
        auto made = std::make_unique<Shape>();
        made->place.setIdentity();
        if (is_box(part)) {
            made->place = transform(part.centre, part.rotation);
            made->shape = std::make_unique<btBoxShape>(vector(part.halfsizes));
            made->shape->setMargin(margin);
        } else if (part.kind == CDS_POLYHEDRON) {
            auto hull = std::make_unique<btConvexHullShape>(part.vertex, part.vertex_count, 3 * sizeof(double));
            hull->setMargin(margin);
            made->shape = std::move(hull);
        } else if (part.kind == CDS_SPHERE) {
            made->place.setOrigin(vector(part.centre));
            made->shape = std::make_unique<btSphereShape>(part.radius);
        } else if (part.kind == CDS_TRIANGLE) {
            const double *v = part.vertex;
            made->shape = std::make_unique<btTriangleShape>(vector(v), vector(v + 3), vector(v + 6));
            made->shape->setMargin(0.5 * part.thickness + margin);
        } else if (part.kind == CDS_HALFSPACE) {
            made->shape = std::make_unique<btStaticPlaneShape>(vector(part.normal), part.offset);
            made->shape->setMargin(0);
        } else {
            return nullptr;
        }
        return made;
    }
    void collide(const Shape &a, const cds_pose &pose_a, const Shape &b, const cds_pose &pose_b, double reach,
                 std::vector<Touch> &touches)
    {
        first.setCollisionShape(a.shape.get());
        second.setCollisionShape(b.shape.get());
        first.setWorldTransform(transform(pose_a.position, pose_a.rotation) * a.place);
        second.setWorldTransform(transform(pose_b.position, pose_b.rotation) * b.place);
        Found found(&first, reach, touches);
        world.contactPairTest(&first, &second, found);
    }
};

}  // namespace

int main(int argc, char **argv)
{
    Detector detector;
    const cds_option options[] = {
        {CDS_DOUBLE, "margin", &detector.margin, "LENGTH", 0, 1, nullptr,
         "around hulls and facets, of the corners of boxes [m]"},
        {},
    };
    return narrow_main(argc, argv, "engine-bullet", "contacts of pairs, by Bullet", options, detector);
}
