// engine-ode-step -- a whole step by ODE (double precision).
//
// Its conventions, and what becomes of them:
//   contacts of the start of the step, of bodies that overlap: gap = -depth, the normal, which points into the first body,
//            turned, the point taken as half way between both surfaces
//   law      friction of each pair is ours, as its pyramid of two directions (dContactApprox1); restitution is ours
//   solver   --solver: its iterations of successive over-relaxation (dWorldQuickStep), or the pivoting of Dantzig for
//            small worlds (dWorldStep); error reduction and softness as they are by themselves (0.2, 1e-10)
//   half-spaces are planes, which stand: of fixed bodies only. Ellipsoids and facets are refused
// SPDX-License-Identifier: MIT
#include "engine_ode.h"
#include "engine_step.h"

#include <cstring>

using namespace engine;

namespace
{

struct Settings {
    const char *solver = "quick";
    int64_t iterations = 20;
};

// What a geometry belongs to.
struct Owner {
    size_t body;
    int32_t part;
};

struct Made {
    dBodyID body;  // NULL: it stands
    std::vector<dGeomID> geoms;
};

class OdeWorld : public World
{
  public:
    explicit OdeWorld(const Settings &asked) : settings(asked)
    {
        dWorldSetQuickStepNumIterations(world, static_cast<int>(settings.iterations));
    }
    ~OdeWorld() override
    {
        dJointGroupDestroy(joints);
        dSpaceDestroy(space);
        dWorldDestroy(world);
    }
    int make(cds_frame *f, const std::vector<Body> &given) override
    {
        size_t count = 0;
        for (const Body &body : given)
            count += body.parts.size();
        owners.reserve(count);  // geometries point to them
        for (const Body &body : given) {
            Made made = {nullptr, {}};
            if (body.is_dynamic || body.is_prescribed)
                made.body = body_of(body);
            for (size_t k = 0; k < body.parts.size(); k++) {
                dGeomID geom = geometry(body.parts[k].part, made.body);
                if (!geom)
                    return refused(f, body.row, Shapes<int>::kind_name(body.parts[k].part.kind));
                owners.push_back({bodies.size(), static_cast<int32_t>(k)});
                dGeomSetData(geom, &owners.back());
                made.geoms.push_back(geom);
            }
            bodies.push_back(made);
            parts.push_back(body.parts);
        }
        return CDS_OK;
    }
    void set(size_t k, const State &state, const Push &push) override
    {
        const double *q = state.pose.rotation, *p = state.pose.position;
        const dQuaternion turn = {q[0], q[1], q[2], q[3]};
        if (dBodyID body = bodies[k].body) {
            dBodySetPosition(body, p[0], p[1], p[2]);
            dBodySetQuaternion(body, turn);
            dBodySetLinearVel(body, state.velocity[0], state.velocity[1], state.velocity[2]);
            dBodySetAngularVel(body, state.spin[0], state.spin[1], state.spin[2]);
            dBodySetForce(body, push.force[0], push.force[1], push.force[2]);
            dBodySetTorque(body, push.torque[0], push.torque[1], push.torque[2]);
            return;
        }
        for (size_t each = 0; each < bodies[k].geoms.size(); each++)
            stand(bodies[k].geoms[each], parts[k][each].part, turn, p);
    }
    int step(cds_frame *, const cds_run &run, const Laws &laws, std::vector<Pressed> &found) override
    {
        dWorldSetGravity(world, run.gravity[0], run.gravity[1], run.gravity[2]);
        law_of = &laws;
        met.clear();
        pressed = &found;
        dSpaceCollide(space, this, near);
        feedback.resize(found.size());
        for (size_t k = 0; k < met.size(); k++)
            dJointSetFeedback(met[k].joint, &feedback[k]);
        if (strcmp(settings.solver, "quick"))
            dWorldStep(world, run.step);
        else
            dWorldQuickStep(world, run.step);
        for (size_t k = 0; k < met.size(); k++) {
            // what acts on the first body that the joint was given: a, or b where a stands
            double sign = met[k].is_on_b ? 1 : -1;
            for (int x = 0; x < 3; x++)
                found[k].force[x] = sign * feedback[k].f1[x];
        }
        dJointGroupEmpty(joints);
        return CDS_OK;
    }
    State get(size_t k) const override
    {
        dBodyID body = bodies[k].body;
        State state = {};
        std::copy_n(dBodyGetPosition(body), 3, state.pose.position);
        std::copy_n(dBodyGetQuaternion(body), 4, state.pose.rotation);
        std::copy_n(dBodyGetLinearVel(body), 3, state.velocity);
        std::copy_n(dBodyGetAngularVel(body), 3, state.spin);
        return state;
    }

  private:
    struct Met {
        dJointID joint;
        bool is_on_b;
    };
    Settings settings;
    dWorldID world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(nullptr);
    dJointGroupID joints = dJointGroupCreate(0);
    std::vector<Made> bodies;
    std::vector<std::vector<Part>> parts;
    std::vector<std::unique_ptr<Hull>> hulls;
    std::vector<Owner> owners;
    std::vector<Met> met;
    std::vector<dJointFeedback> feedback;
    const Laws *law_of = nullptr;
    std::vector<Pressed> *pressed = nullptr;

    dBodyID body_of(const Body &body)
    {
        dBodyID made = dBodyCreate(world);
        dBodySetAutoDisableFlag(made, 0);
        if (body.is_prescribed) {
            dBodySetKinematic(made);
            return made;
        }
        dMass mass;
        const double *j = body.inertia;
        dMassSetParameters(&mass, body.mass, 0, 0, 0, j[0], j[1], j[2], j[3], j[4], j[5]);
        dBodySetMass(made, &mass);
        return made;
    }
    // NULL: it does not have the kind.
    dGeomID geometry(const cds_part &part, dBodyID body)
    {
        dGeomID geom = nullptr;
        if (is_box(part)) {
            geom = dCreateBox(space, 2 * part.halfsizes[0], 2 * part.halfsizes[1], 2 * part.halfsizes[2]);
        } else if (part.kind == CDS_SPHERE) {
            geom = dCreateSphere(space, part.radius);
        } else if (part.kind == CDS_HALFSPACE && !body) {
            return dCreatePlane(space, part.normal[0], part.normal[1], part.normal[2], part.offset);
        } else if (part.kind == CDS_POLYHEDRON) {
            hulls.push_back(hull_of(part));
            geom = make_convex(space, *hulls.back());
        } else {
            return nullptr;
        }
        if (!body)
            return geom;
        dGeomSetBody(geom, body);
        dGeomSetOffsetPosition(geom, part.centre[0], part.centre[1], part.centre[2]);
        if (is_box(part)) {
            const dQuaternion axes = {part.rotation[0], part.rotation[1], part.rotation[2], part.rotation[3]};
            dGeomSetOffsetQuaternion(geom, axes);
        }
        return geom;
    }
    // Where a geometry without a body is.
    static void stand(dGeomID geom, const cds_part &part, const dQuaternion turn, const double *position)
    {
        dMatrix3 matrix;
        dRfromQ(matrix, turn);
        dVector3 at;
        bool is_plane = part.kind == CDS_HALFSPACE;
        const double *moved = is_plane ? part.normal : part.centre;
        const dReal local[3] = {moved[0], moved[1], moved[2]};
        dMultiply0_331(at, matrix, local);
        if (is_plane) {
            dGeomPlaneSetParams(geom, at[0], at[1], at[2], part.offset + dot(vec(at), vec(position)));
            return;
        }
        dQuaternion axes = {1, 0, 0, 0}, both;
        if (is_box(part))
            std::copy_n(part.rotation, 4, axes);
        dQMultiply0(both, turn, axes);
        dGeomSetQuaternion(geom, both);
        dGeomSetPosition(geom, position[0] + at[0], position[1] + at[1], position[2] + at[2]);
    }
    static bool is_moved(dBodyID body) { return body && !dBodyIsKinematic(body); }

    static void near(void *user, dGeomID first, dGeomID second)
    {
        OdeWorld &self = *static_cast<OdeWorld *>(user);
        dBodyID body_a = dGeomGetBody(first), body_b = dGeomGetBody(second);
        if (body_a == body_b || (!is_moved(body_a) && !is_moved(body_b)))
            return;
        dContact contacts[8];
        int count = dCollide(first, second, 8, &contacts[0].geom, sizeof contacts[0]);
        for (int k = 0; k < count; k++)
            self.press(contacts[k]);
    }
    // Of boxes that just touch ODE now and then gives a contact whose normal has no length: it would hold nothing.
    void press(dContact &contact)
    {
        const dReal *n = contact.geom.normal;
        if (!(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0.5))
            return;
        const Owner &a = *static_cast<Owner *>(dGeomGetData(contact.geom.g1)),
                    &b = *static_cast<Owner *>(dGeomGetData(contact.geom.g2));
        dBodyID body_a = dGeomGetBody(contact.geom.g1), body_b = dGeomGetBody(contact.geom.g2);
        Law law = (*law_of)(a.body, b.body);
        memset(&contact.surface, 0, sizeof contact.surface);
        contact.surface.mode = dContactApprox1 | (law.restitution > 0 ? dContactBounce : 0);
        contact.surface.mu = law.mu;
        contact.surface.bounce = law.restitution;
        dJointID joint = dJointCreateContact(world, joints, &contact);
        dJointAttach(joint, body_a, body_b);
        met.push_back({joint, !body_a});
        pressed->push_back({touch_between(vec(contact.geom.pos), {-n[0], -n[1], -n[2]}, -contact.geom.depth),
                            a.body,
                            b.body,
                            a.part,
                            b.part,
                            {0, 0, 0}});
    }
};

}  // namespace

int main(int argc, char **argv)
{
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    Settings settings;
    Stepper stepper;
    stepper.dim = 3;
    stepper.make_world = [&settings]() { return std::make_unique<OdeWorld>(settings); };
    static const char *const solvers[] = {"quick", "dantzig", nullptr};
    const cds_option options[] = {
        {CDS_CHOICE, "solver", &settings.solver, "WORD", 0, 0, solvers, "its iterations, or its direct method"},
        {CDS_INT, "iterations", &settings.iterations, "N", 1, 1e6, nullptr, "of the first"},
        {},
    };
    return step_main(argc, argv, "engine-ode-step", "a whole step by ODE", options, stepper);
}
