// engine-bullet-step -- a whole step by Bullet (double precision), with the solver of a world of its own.
//
// Its conventions, and what becomes of them:
//   axes     its bodies have the axes of their inertia: parts and rotations are turned there and back
//   margin   hulls are made smaller by --margin before, which Bullet puts on around them again; boxes and balls keep theirs
//   contacts of the start of the step, up to its breaking threshold apart (0.02 m): gap as it tells it, normals turned
//   law      friction and restitution of each pair are ours; friction acts along one direction at each point, that of
//            sliding. Restitution below its threshold of 0.2 m/s is none
//   sleeping is off; split impulse is on, as it is by itself
//   half-spaces cannot be a part of a compound; ellipsoids and facets are refused
// SPDX-License-Identifier: MIT
#include "bullet_hull.h"
#include "engine_step.h"

#include <btBulletDynamicsCommon.h>

static_assert(sizeof(btScalar) == sizeof(double), "Bullet in double precision");

using namespace engine;

namespace
{

struct Settings {
    int64_t iterations = 10;
    double margin = 0.001;  // [m]
};

struct Made {
    btMatrix3x3 axes;  // from Bullet's frame to the stream's frame of the body
    std::vector<std::unique_ptr<btCollisionShape>> parts;
    std::unique_ptr<btCompoundShape> compound;
    std::unique_ptr<btRigidBody> body;
};

btVector3 vector(const double *v) { return {v[0], v[1], v[2]}; }

btMatrix3x3 matrix(const double *q) { return btMatrix3x3(btQuaternion(q[1], q[2], q[3], q[0])); }

Vec told(const btVector3 &v) { return {v[0], v[1], v[2]}; }

class BulletWorld : public World
{
  public:
    explicit BulletWorld(const Settings &asked) : settings(asked)
    {
        world.getSolverInfo().m_numIterations = static_cast<int>(settings.iterations);
        gContactAddedCallback = set_law;
    }
    ~BulletWorld() override
    {
        for (Made &made : bodies)
            world.removeRigidBody(made.body.get());
    }
    int make(cds_frame *f, const std::vector<Body> &given) override
    {
        for (const Body &body : given) {
            int status = add(f, body);
            if (status != CDS_OK)
                return status;
        }
        return CDS_OK;
    }
    void set(size_t k, const State &state, const Push &push) override
    {
        btRigidBody &body = *bodies[k].body;
        body.setCenterOfMassTransform(
            btTransform(matrix(state.pose.rotation) * bodies[k].axes, vector(state.pose.position)));
        body.setLinearVelocity(vector(state.velocity));
        body.setAngularVelocity(vector(state.spin));
        body.clearForces();
        body.applyCentralForce(vector(push.force));
        body.applyTorque(vector(push.torque));
    }
    int step(cds_frame *, const cds_run &run, const Laws &laws, std::vector<Pressed> &found) override
    {
        law_of = &laws;
        for (const Made &made : bodies)
            if (made.body->isKinematicObject())
                come_from(*made.body, run.step);
        world.setGravity(vector(run.gravity));
        for (const Made &made : bodies)  // each body keeps the gravity that it was added with
            if (!made.body->isStaticObject())
                made.body->setGravity(vector(run.gravity));
        world.stepSimulation(run.step, 0);
        for (int k = 0; k < dispatcher.getNumManifolds(); k++)
            tell(*dispatcher.getManifoldByIndexInternal(k), run.step, found);
        return CDS_OK;
    }
    State get(size_t k) const override
    {
        const btRigidBody &body = *bodies[k].body;
        btQuaternion turn;
        (body.getWorldTransform().getBasis() * bodies[k].axes.transpose()).getRotation(turn);
        turn.normalize();
        State state = {};
        std::copy_n(told(body.getWorldTransform().getOrigin()).data(), 3, state.pose.position);
        std::copy_n(told(body.getLinearVelocity()).data(), 3, state.velocity);
        std::copy_n(told(body.getAngularVelocity()).data(), 3, state.spin);
        const double rotation[4] = {turn.w(), turn.x(), turn.y(), turn.z()};
        std::copy_n(rotation, 4, state.pose.rotation);
        return state;
    }

  private:
    static const Laws *law_of;  // Bullet's callback has no place for it
    Settings settings;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<Made> bodies;

    // Bullet takes the velocity of a prescribed body from where it was a step ago.
    static void come_from(btRigidBody &body, double step)
    {
        btTransform before;
        btTransformUtil::integrateTransform(body.getWorldTransform(), -body.getLinearVelocity(),
                                            -body.getAngularVelocity(), step, before);
        body.setInterpolationWorldTransform(before);
    }
    static bool set_law(btManifoldPoint &point, const btCollisionObjectWrapper *a, int, int,
                        const btCollisionObjectWrapper *b, int, int)
    {
        Law law = (*law_of)(static_cast<size_t>(a->getCollisionObject()->getUserIndex()),
                            static_cast<size_t>(b->getCollisionObject()->getUserIndex()));
        point.m_combinedFriction = law.mu;
        point.m_combinedRestitution = law.restitution;
        return true;
    }
    // A part about the origin of `place`, in Bullet's frame of the body; NULL for a kind that it does not have.
    std::unique_ptr<btCollisionShape> shape_of(const cds_part &part, const btMatrix3x3 &axes, btTransform &place) const
    {
        place.setIdentity();
        if (is_box(part)) {
            place = btTransform(axes.transpose() * matrix(part.rotation), axes.transpose() * vector(part.centre));
            return std::make_unique<btBoxShape>(vector(part.halfsizes));
        }
        if (part.kind == CDS_SPHERE) {
            place.setOrigin(axes.transpose() * vector(part.centre));
            return std::make_unique<btSphereShape>(part.radius);
        }
        if (part.kind == CDS_HALFSPACE)
            return std::make_unique<btStaticPlaneShape>(axes.transpose() * vector(part.normal), part.offset);
        if (part.kind != CDS_POLYHEDRON)
            return nullptr;
        std::vector<double> corners;
        for (int32_t v = 0; v < part.vertex_count; v++) {
            btVector3 corner = axes.transpose() * vector(part.vertex + 3 * v);
            corners.insert(corners.end(), {corner[0], corner[1], corner[2]});
        }
        return bullet_hull(corners, settings.margin);
    }
    static bool is_identity(const btTransform &place)
    {
        return place.getOrigin().length2() == 0 && place.getBasis() == btMatrix3x3::getIdentity();
    }
    // The shape of a body, NULL where cds_fail was called: a compound but of one part that is at the origin.
    btCollisionShape *assemble(cds_frame *f, const Body &body, Made &made) const
    {
        std::vector<btTransform> places;
        for (const Part &part : body.parts) {
            places.emplace_back();
            made.parts.push_back(shape_of(part.part, made.axes, places.back()));
            if (!made.parts.back()) {
                refused(f, body.row, Shapes<int>::kind_name(part.part.kind));
                return nullptr;
            }
        }
        if (made.parts.size() == 1 && is_identity(places[0]))
            return made.parts[0].get();
        made.compound = std::make_unique<btCompoundShape>();
        for (size_t k = 0; k < made.parts.size(); k++) {
            if (body.parts[k].part.kind == CDS_HALFSPACE) {
                refused(f, body.row, "compound with a halfspace");
                return nullptr;
            }
            made.compound->addChildShape(places[k], made.parts[k].get());
        }
        return made.compound.get();
    }
    int add(cds_frame *f, const Body &body)
    {
        Made made;
        btVector3 inertia(0, 0, 0);
        made.axes = btMatrix3x3::getIdentity();
        if (body.is_dynamic) {
            const double *j = body.inertia;
            btMatrix3x3 tensor(j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2]);
            if (std::fabs(j[3]) + std::fabs(j[4]) + std::fabs(j[5]) > 1e-12 * (j[0] + j[1] + j[2]))
                tensor.diagonalize(made.axes, 1e-14, 100);
            inertia.setValue(tensor[0][0], tensor[1][1], tensor[2][2]);
        }
        btCollisionShape *shape = assemble(f, body, made);
        if (!shape)
            return CDS_UNSUPPORTED;
        btRigidBody::btRigidBodyConstructionInfo info(body.mass, nullptr, shape, inertia);
        made.body = std::make_unique<btRigidBody>(info);
        made.body->setActivationState(DISABLE_DEACTIVATION);
        made.body->setUserIndex(static_cast<int>(bodies.size()));
        int flags = made.body->getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK;
        if (body.is_prescribed)  // what is static sleeps
            flags = (flags & ~btCollisionObject::CF_STATIC_OBJECT) | btCollisionObject::CF_KINEMATIC_OBJECT;
        made.body->setCollisionFlags(flags);
        world.addRigidBody(made.body.get());
        bodies.push_back(std::move(made));
        return CDS_OK;
    }
    static void tell(const btPersistentManifold &manifold, double step, std::vector<Pressed> &found)
    {
        for (int k = 0; k < manifold.getNumContacts(); k++) {
            const btManifoldPoint &point = manifold.getContactPoint(k);
            btVector3 normal = -point.m_normalWorldOnB;
            btVector3 impulse = point.m_appliedImpulse * normal -
                                point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 -
                                point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
            found.push_back({{told(normal), point.getDistance(), told(point.getPositionWorldOnA()),
                              told(point.getPositionWorldOnB())},
                             static_cast<size_t>(manifold.getBody0()->getUserIndex()),
                             static_cast<size_t>(manifold.getBody1()->getUserIndex()),
                             std::max(point.m_index0, 0),
                             std::max(point.m_index1, 0),
                             told(impulse / step)});
        }
    }
};

const World::Laws *BulletWorld::law_of;

}  // namespace

int main(int argc, char **argv)
{
    Settings settings;
    Stepper stepper;
    stepper.dim = 3;
    stepper.make_world = [&settings]() { return std::make_unique<BulletWorld>(settings); };
    const cds_option options[] = {
        {CDS_INT, "iterations", &settings.iterations, "N", 1, 1e6, nullptr, "of its solver"},
        {CDS_DOUBLE, "margin", &settings.margin, "LENGTH", 0, 1, nullptr, "by which hulls are made smaller [m]"},
        {},
    };
    return step_main(argc, argv, "engine-bullet-step", "a whole step by Bullet", options, stepper);
}
