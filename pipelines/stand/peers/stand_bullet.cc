// Bullet in double precision, with the solver and the settings that a world of its own has; bodies never sleep.
// SPDX-License-Identifier: MIT
#include "bullet_hull.h"
#include "standing.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>

static_assert(sizeof(btScalar) == sizeof(double), "Bullet in double precision is what is compared");

namespace {

const double margin = 0.001; // [m]

// Bullet is meant to be used with a margin around hulls.
std::unique_ptr<btConvexShape> shape_of(const Piece &piece, const btMatrix3x3 &axes)
{
    const std::vector<double> &v = piece.numbers;
    if (piece.is_box && axes == btMatrix3x3::getIdentity())
        return std::make_unique<btBoxShape>(btVector3(v[0], v[1], v[2]));
    std::vector<double> corners;
    size_t count = piece.is_box ? 8 : v.size() / 3;
    for (size_t k = 0; k < count; k++) {
        btVector3 corner = piece.is_box ? btVector3(k & 1 ? v[0] : -v[0], k & 2 ? v[1] : -v[1], k & 4 ? v[2] : -v[2])
                                        : btVector3(v[3 * k], v[3 * k + 1], v[3 * k + 2]);
        corner = axes.transpose() * corner;
        corners.insert(corners.end(), {corner[0], corner[1], corner[2]});
    }
    return bullet_hull(corners, margin);
}

// Bullet's bodies have the axes of their inertia.
struct Made {
    btMatrix3x3 axes; // from Bullet's frame to the scene's frame of the body
    std::vector<std::unique_ptr<btConvexShape>> pieces;
    std::unique_ptr<btCompoundShape> compound;
    std::unique_ptr<btRigidBody> body;
};

class BulletWorld : public World {
  public:
    explicit BulletWorld(const Scene &scene) : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration), h(scene.step)
    {
        world.setGravity(btVector3(scene.gravity[0], scene.gravity[1], scene.gravity[2]));
        for (const Body &body : scene.bodies)
            add(body);
    }
    ~BulletWorld() override
    {
        for (Made &made : bodies)
            world.removeRigidBody(made.body.get());
    }
    void step() override { world.stepSimulation(h, 0); }
    void pose(size_t k, std::vector<double> &position, std::vector<double> &rotation) const override
    {
        const btTransform &pose = bodies[k].body->getWorldTransform();
        for (int i = 0; i < 3; i++)
            position[i] = pose.getOrigin()[i];
        btQuaternion turn;
        (pose.getBasis() * bodies[k].axes.transpose()).getRotation(turn);
        turn.normalize();
        rotation = {turn.w(), turn.x(), turn.y(), turn.z()};
    }
    double speed(size_t k) const override { return bodies[k].body->getLinearVelocity().length(); }

  private:
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    double h;
    std::vector<Made> bodies;

    void add(const Body &body)
    {
        Made made;
        made.axes = btMatrix3x3::getIdentity();
        btVector3 inertia(0, 0, 0);
        if (body.moves) {
            const std::vector<double> &j = body.inertia;
            btMatrix3x3 tensor(j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2]);
            if (std::fabs(j[3]) + std::fabs(j[4]) + std::fabs(j[5]) > 1e-12 * (j[0] + j[1] + j[2]))
                tensor.diagonalize(made.axes, 1e-14, 100);
            inertia.setValue(tensor[0][0], tensor[1][1], tensor[2][2]);
        }
        for (const Piece &piece : body.pieces)
            made.pieces.push_back(shape_of(piece, made.axes));
        btCollisionShape *shape = made.pieces[0].get();
        if (made.pieces.size() > 1) {
            made.compound = std::make_unique<btCompoundShape>();
            for (auto &piece : made.pieces)
                made.compound->addChildShape(btTransform::getIdentity(), piece.get());
            shape = made.compound.get();
        }
        btRigidBody::btRigidBodyConstructionInfo info(body.moves ? body.mass : 0, nullptr, shape, inertia);
        info.m_friction = std::sqrt(body.mu); // of two bodies it takes the product
        const std::vector<double> &turn = body.rotation;
        btMatrix3x3 basis(btQuaternion(turn[1], turn[2], turn[3], turn[0]));
        info.m_startWorldTransform = btTransform(basis * made.axes, btVector3(body.position[0], body.position[1], body.position[2]));
        made.body = std::make_unique<btRigidBody>(info);
        made.body->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(made.body.get());
        bodies.push_back(std::move(made));
    }
};

std::unique_ptr<World> make(const Scene &scene)
{
    return std::make_unique<BulletWorld>(scene);
}

} // namespace

int main(int argc, char **argv)
{
    return stand(argc, argv, 3, make);
}
