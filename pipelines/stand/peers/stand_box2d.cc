// Box2D with the 8 and 3 iterations that its manual suggests; bodies never sleep.
// SPDX-License-Identifier: MIT
#include "standing.h"

#include <algorithm>
#include <box2d/box2d.h>

namespace {

// A polygon of Box2D has a limited number of corners: one with more is a fan of such polygons. Corners go counterclockwise.
std::vector<b2PolygonShape> shapes_of(const Piece &piece)
{
    const std::vector<double> &v = piece.numbers;
    std::vector<b2PolygonShape> shapes;
    if (piece.is_box) {
        shapes.emplace_back();
        shapes.back().SetAsBox(static_cast<float>(v[0]), static_cast<float>(v[1]));
        return shapes;
    }
    size_t corners = v.size() / 2;
    for (size_t first = 1; first + 1 < corners; first += b2_maxPolygonVertices - 2) {
        std::vector<b2Vec2> ring{b2Vec2(static_cast<float>(v[0]), static_cast<float>(v[1]))};
        size_t end = std::min(first + b2_maxPolygonVertices - 1, corners);
        for (size_t k = first; k < end; k++)
            ring.emplace_back(static_cast<float>(v[2 * k]), static_cast<float>(v[2 * k + 1]));
        shapes.emplace_back();
        shapes.back().Set(ring.data(), static_cast<int32>(ring.size()));
    }
    return shapes;
}

class Box2dWorld : public World {
  public:
    explicit Box2dWorld(const Scene &scene) : world(b2Vec2(static_cast<float>(scene.gravity[0]), static_cast<float>(scene.gravity[1]))), h(static_cast<float>(scene.step))
    {
        world.SetAllowSleeping(false);
        for (const Body &body : scene.bodies)
            add(body);
    }
    void step() override { world.Step(h, 8, 3); }
    void pose(size_t k, std::vector<double> &position, std::vector<double> &rotation) const override
    {
        b2Vec2 place = bodies[k]->GetPosition();
        position = {place.x, place.y};
        rotation = {bodies[k]->GetAngle()};
    }
    double speed(size_t k) const override { return bodies[k]->GetLinearVelocity().Length(); }

  private:
    b2World world;
    float h;
    std::vector<b2Body *> bodies; // the world's own

    void add(const Body &body)
    {
        b2BodyDef made;
        made.type = body.moves ? b2_dynamicBody : b2_staticBody;
        made.position.Set(static_cast<float>(body.position[0]), static_cast<float>(body.position[1]));
        made.angle = static_cast<float>(body.rotation[0]);
        bodies.push_back(world.CreateBody(&made));
        for (const Piece &piece : body.pieces)
            for (const b2PolygonShape &shape : shapes_of(piece)) {
                b2FixtureDef fixture;
                fixture.shape = &shape;
                fixture.density = 1;
                fixture.friction = static_cast<float>(body.mu);
                bodies.back()->CreateFixture(&fixture);
            }
        if (body.moves) {
            b2MassData mass{static_cast<float>(body.mass), b2Vec2(0, 0), static_cast<float>(body.inertia[0])};
            bodies.back()->SetMassData(&mass);
        }
    }
};

std::unique_ptr<World> make(const Scene &scene)
{
    return std::make_unique<Box2dWorld>(scene);
}

} // namespace

int main(int argc, char **argv)
{
    return stand(argc, argv, 2, make);
}
