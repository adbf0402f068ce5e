// engine-box2d-step -- a whole step by Box2D 2.4, in the plane, in single precision.
//
// Its conventions, and what becomes of them:
//   numbers  are floats: what goes through it keeps seven digits
//   skin     polygons have one of 0.01 m (twice b2_linearSlop), and skins rest 0.005 m in one another: two polygons come
//            to rest 0.015 m apart. Sizes should be metres
//   contacts of the start of the step, that touch with the skin: gap as it tells it, which is that of the skins (0 where
//            they touch), normals from its first shape to its second
//   law      friction and restitution of each pair are ours. Restitution below its threshold of 1 m/s is none
//   solver   8 and 3 iterations as its manual suggests (--velocity, --position); sleeping is off
//   polygons of more than 8 corners are fans of such; half-planes are boxes of 1000 by 20 m; ellipses are refused
// SPDX-License-Identifier: MIT
#include "engine_step.h"

#include <box2d/box2d.h>

using namespace engine;

namespace
{

struct Settings {
    int64_t velocity = 8, position = 3;
};

float real(double number) { return static_cast<float>(number); }

b2Vec2 vector(const double *v) { return b2Vec2(real(v[0]), real(v[1])); }

class Box2dWorld : public World, public b2ContactListener
{
  public:
    explicit Box2dWorld(const Settings &asked) : settings(asked)
    {
        world.SetAllowSleeping(false);
        world.SetContactListener(this);
    }
    int make(cds_frame *f, const std::vector<Body> &given) override
    {
        for (const Body &body : given) {
            b2BodyDef made;
            made.type = body.is_dynamic ? b2_dynamicBody : body.is_prescribed ? b2_kinematicBody : b2_staticBody;
            made.userData.pointer = bodies.size();
            bodies.push_back(world.CreateBody(&made));
            for (size_t k = 0; k < body.parts.size(); k++)
                if (!add(body.parts[k].part, k))
                    return refused(f, body.row, Shapes<int>::kind_name(body.parts[k].part.kind));
            if (body.is_dynamic) {
                b2MassData mass{real(body.mass), b2Vec2(0, 0), real(body.inertia[0])};
                bodies.back()->SetMassData(&mass);
            }
        }
        return CDS_OK;
    }
    void set(size_t k, const State &state, const Push &push) override
    {
        bodies[k]->SetTransform(vector(state.pose.position), real(state.pose.angle));
        bodies[k]->SetLinearVelocity(vector(state.velocity));
        bodies[k]->SetAngularVelocity(real(state.spin[2]));
        bodies[k]->ApplyForceToCenter(vector(push.force), true);
        bodies[k]->ApplyTorque(real(push.torque[2]), true);
    }
    int step(cds_frame *, const cds_run &run, const Laws &laws, std::vector<Pressed> &found) override
    {
        law_of = &laws;
        pressed = &found;
        first.clear();
        seconds = run.step;
        world.SetGravity(vector(run.gravity));
        world.Step(real(run.step), static_cast<int32>(settings.velocity), static_cast<int32>(settings.position));
        return CDS_OK;
    }
    State get(size_t k) const override
    {
        b2Body &body = *bodies[k];
        State state = {};
        state.pose.position[0] = body.GetPosition().x;
        state.pose.position[1] = body.GetPosition().y;
        state.pose.angle = body.GetAngle();
        state.velocity[0] = body.GetLinearVelocity().x;
        state.velocity[1] = body.GetLinearVelocity().y;
        state.spin[2] = body.GetAngularVelocity();
        return state;
    }
    // Before its solver, where bodies are at the start.
    void PreSolve(b2Contact *contact, const b2Manifold *) override
    {
        b2Fixture *a = contact->GetFixtureA(), *b = contact->GetFixtureB();
        size_t body_a = a->GetBody()->GetUserData().pointer, body_b = b->GetBody()->GetUserData().pointer;
        Law law = (*law_of)(body_a, body_b);
        contact->SetFriction(real(law.mu));
        contact->SetRestitution(real(law.restitution));
        b2WorldManifold told;
        contact->GetWorldManifold(&told);
        first[contact] = pressed->size();
        Vec normal = unit(told.normal);
        for (int32 k = 0; k < contact->GetManifold()->pointCount; k++)
            pressed->push_back({touch_between({told.points[k].x, told.points[k].y, 0}, normal, told.separations[k]),
                                body_a,
                                body_b,
                                static_cast<int32_t>(a->GetUserData().pointer),
                                static_cast<int32_t>(b->GetUserData().pointer),
                                {0, 0, 0}});
    }
    void PostSolve(b2Contact *contact, const b2ContactImpulse *impulse) override
    {
        auto known = first.find(contact);
        if (known == first.end())
            return;
        for (int32 k = 0; k < impulse->count; k++) {
            Pressed &each = (*pressed)[known->second + static_cast<size_t>(k)];
            const Vec &n = each.touch.normal;
            double normal = impulse->normalImpulses[k] / seconds, tangent = impulse->tangentImpulses[k] / seconds;
            each.force = {normal * n[0] + tangent * n[1], normal * n[1] - tangent * n[0], 0};
        }
    }

  private:
    Settings settings;
    b2World world{b2Vec2(0, 0)};
    std::vector<b2Body *> bodies;  // the world's own
    const Laws *law_of = nullptr;
    std::vector<Pressed> *pressed = nullptr;
    std::map<const b2Contact *, size_t> first;  // of its points
    double seconds = 0;

    static Vec unit(const b2Vec2 &v)
    {
        double x = v.x, y = v.y, length = std::hypot(x, y);
        return {x / length, y / length, 0};
    }
    void fix(const b2Shape &shape, size_t part)
    {
        b2FixtureDef fixture;
        fixture.shape = &shape;
        fixture.density = 1;
        fixture.userData.pointer = part;
        bodies.back()->CreateFixture(&fixture);
    }
    // false: it does not have the kind.
    bool add(const cds_part &part, size_t number)
    {
        if (part.kind == CDS_SPHERE) {
            b2CircleShape circle;
            circle.m_p = vector(part.centre);
            circle.m_radius = real(part.radius);
            fix(circle, number);
        } else if (part.kind == CDS_HALFSPACE) {
            const double depth = 10, *n = part.normal;
            b2PolygonShape box;
            box.SetAsBox(500, real(depth),
                         b2Vec2(real((part.offset - depth) * n[0]), real((part.offset - depth) * n[1])),
                         real(std::atan2(-n[0], n[1])));
            fix(box, number);
        } else if (part.kind == CDS_POLYGON) {
            add_polygon(part, number);
        } else {
            return false;
        }
        return true;
    }
    void add_polygon(const cds_part &part, size_t number)
    {
        for (int32_t next = 1; next + 1 < part.vertex_count; next += b2_maxPolygonVertices - 2) {
            std::vector<b2Vec2> ring{vector(part.vertex)};
            int32_t end = std::min(next + b2_maxPolygonVertices - 1, part.vertex_count);
            for (int32_t k = next; k < end; k++)
                ring.push_back(vector(part.vertex + 2 * k));
            b2PolygonShape polygon;
            polygon.Set(ring.data(), static_cast<int32>(ring.size()));
            fix(polygon, number);
        }
    }
};

}  // namespace

int main(int argc, char **argv)
{
    Settings settings;
    Stepper stepper;
    stepper.dim = 2;
    stepper.make_world = [&settings]() { return std::make_unique<Box2dWorld>(settings); };
    const cds_option options[] = {
        {CDS_INT, "velocity", &settings.velocity, "N", 1, 1e6, nullptr, "iterations of its solver for velocities"},
        {CDS_INT, "position", &settings.position, "N", 1, 1e6, nullptr, "and for positions"},
        {},
    };
    return step_main(argc, argv, "engine-box2d-step", "a whole step by Box2D", options, stepper);
}
