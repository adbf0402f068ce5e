// What the peers of this folder share: the scene, the steps with their times, and how bodies come out.
// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

// In SI units, in the frame of the body.
struct Piece {
    bool is_box;
    std::vector<double> numbers;  // half sizes, or corners one after the other
};

struct Body {
    long id;
    bool moves;
    double mass, mu;
    std::vector<double> inertia;             // plane: one number; space: xx yy zz xy xz yz, in the frame of the body
    std::vector<double> position, rotation;  // plane: an angle; space: w x y z
    std::vector<Piece> pieces;               // convex
};

struct Scene {
    int dim;
    double step;
    std::vector<double> gravity;
    std::vector<Body> bodies;  // at rest
};

class World
{
  public:
    virtual ~World() = default;
    virtual void step() = 0;
    // Of the body with this number in the scene; both have the sizes they have there.
    virtual void pose(size_t body, std::vector<double> &position, std::vector<double> &rotation) const = 0;
    virtual double speed(size_t body) const = 0;  // of its centre of mass [m/s]
};

// A program: reads a scene, makes steps, writes bodies every some steps and at the end, and its times on standard
// error.
int stand(int argc, char **argv, int dim, std::unique_ptr<World> (*make)(const Scene &));
