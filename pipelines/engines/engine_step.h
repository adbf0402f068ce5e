// What the whole steps by engines share: bodies in; contacts, forces and bodies at the end of the step out.
//
// An engine's world is made of the first frame, and again where bodies come or go. Each frame gives it all poses and
// velocities; what it keeps beside them (impulses to start from, contacts that it knows) lives as long as the world, so
// a frame's result may depend on those before it. Every step is accepted as the engine makes it.
// SPDX-License-Identifier: MIT
#pragma once
#include "engine.h"

#include <functional>
#include <string>

namespace engine
{

struct Part {
    cds_part part;  // in the body's frame
    std::vector<double> vertex;
    std::vector<int32_t> face_first, face_vertex;
};

struct Body {
    int32_t row;
    bool is_dynamic, is_prescribed;
    double mass;        // [kg]
    double inertia[6];  // [kg m^2] xx, yy, zz, xy, xz, yz in the body's frame; in the plane the first
    std::vector<Part> parts;
};

struct State {
    cds_pose pose;
    double velocity[3], spin[3];  // world; in the plane the spin is spin[2]
};

struct Push {
    double force[3], torque[3];  // [N], [N m] world
};

// What holds between two bodies.
struct Law {
    double mu, restitution;
};

struct Pressed {
    Touch touch;
    size_t a, b;  // in the list of bodies
    int32_t part_a, part_b;
    Vec force;  // [N] on b, mean over the step
};

class World
{
  public:
    using Laws = std::function<Law(size_t a, size_t b)>;
    virtual ~World() = default;
    // CDS_OK, or what cds_fail gave.
    virtual int make(cds_frame *f, const std::vector<Body> &bodies) = 0;
    virtual void set(size_t body, const State &state, const Push &push) = 0;
    // Touches as they are at the start of the step. Returns CDS_OK, or what cds_fail gave.
    virtual int step(cds_frame *f, const cds_run &run, const Laws &laws, std::vector<Pressed> &found) = 0;
    virtual State get(size_t body) const = 0;
};

inline Part copied(const cds_part &part, int dim)
{
    Part copy = {part, {}, {}, {}};
    copy.vertex.assign(part.vertex, part.vertex + static_cast<size_t>(dim) * static_cast<size_t>(part.vertex_count));
    if (part.face_count) {
        copy.face_first.assign(part.face_first, part.face_first + part.face_count + 1);
        copy.face_vertex.assign(part.face_vertex, part.face_vertex + part.face_first[part.face_count]);
    }
    return copy;
}

// A whole step by the engine whose world `make_world` makes.
class Stepper
{
  public:
    int dim;
    std::function<std::unique_ptr<World>()> make_world;

    int frame(cds_frame *f)
    {
        cds_run run = cds_get_run(f);
        if (run.dim != dim)
            return cds_fail(f, CDS_UNSUPPORTED, nullptr, 0, nullptr,
                            "this engine is of %d dimensions, the stream of %d", dim, run.dim);
        if (!(run.step > 0))
            return cds_fail(f, CDS_INPUT, nullptr, 0, nullptr, "a step is needed");
        int status = known_bodies(f) ? CDS_OK : remake(f);
        if (status != CDS_OK)
            return status;
        status = read_laws(f);
        if (status != CDS_OK)
            return status;
        give(f);
        std::vector<Pressed> found;
        status = world->step(
            f, run, [this](size_t a, size_t b) { return law_of(a, b); }, found);
        if (status != CDS_OK)
            return status;
        tell_contacts(f, found);
        tell_next(f, run);
        return CDS_OK;
    }

  private:
    std::unique_ptr<World> world;
    std::vector<Body> bodies;
    std::vector<std::pair<int32_t, int>> population;  // shape and motion of each row, -1 where none takes part
    std::map<std::pair<int32_t, int32_t>, Law> laws;  // by rows of material; NaN: of the bodies
    std::vector<double> mu;
    std::vector<int32_t> material;

    static std::vector<std::pair<int32_t, int>> population_of(cds_frame *f)
    {
        cds_column shape = cds_get(f, "body", "shape"), motion = cds_get(f, "body", "motion");
        std::vector<std::pair<int32_t, int>> rows;
        for (int32_t row = 0; row < shape.rows; row++)
            rows.push_back(cds_takes_part(f, row)
                               ? std::make_pair(shape.width ? shape.i[row] : -1, motion.width ? motion.i[row] : 0)
                               : std::make_pair(-1, -1));
        return rows;
    }
    bool known_bodies(cds_frame *f) { return world && population == population_of(f); }

    int remake(cds_frame *f)
    {
        cds_column mass = cds_get(f, "body", "mass"), inertia = cds_get(f, "body", "inertia"),
                   motion = cds_get(f, "body", "motion");
        bodies.clear();
        population = population_of(f);
        for (int32_t row = 0; row < mass.rows; row++) {
            if (!cds_takes_part(f, row))
                continue;
            const char *word = cds_word(&motion, row);
            Body body = {row, cds_is_dynamic(f, row) != 0, word && word[0] == 'p', 0, {0}, {}};
            if (body.is_dynamic && mass.width && inertia.width) {
                body.mass = mass.d[row];
                std::copy_n(inertia.d + static_cast<size_t>(inertia.width) * static_cast<size_t>(row), inertia.width,
                            body.inertia);
            }
            for (int32_t k = 0; k < cds_part_count(f, row); k++) {
                cds_part part;
                int status = part_of(f, row, k, &part);
                if (status != CDS_OK)
                    return status;
                body.parts.push_back(copied(part, dim));
            }
            bodies.push_back(std::move(body));
        }
        for (Body &body : bodies)  // the vectors stay where they are from here on
            for (Part &each : body.parts) {
                each.part.vertex = each.vertex.data();
                each.part.face_first = each.face_first.data();
                each.part.face_vertex = each.face_vertex.data();
            }
        world = nullptr;
        world = make_world();
        return world->make(f, bodies);
    }
    int read_laws(cds_frame *f)
    {
        cds_column a = cds_get(f, "interaction", "a"), b = cds_get(f, "interaction", "b"),
                   slip = cds_get(f, "interaction", "mu"), bounce = cds_get(f, "interaction", "restitution"),
                   of = cds_get(f, "body", "mu"), made = cds_get(f, "body", "material");
        cds_column law = cds_get(f, "interaction", "law");
        laws.clear();
        for (int32_t k = 0; k < a.rows; k++) {
            for (const char *field : {"rolling", "spinning"}) {
                cds_column against = cds_get(f, "interaction", field);
                if (against.width && against.d[k] > 0)
                    return cds_fail(f, CDS_UNSUPPORTED, "interaction", k, field, "this stage has none");
            }
            const char *word = cds_word(&law, k);
            if (bounce.width && bounce.d[k] > 0 && word && std::string(word) != "newton")
                return cds_fail(f, CDS_UNSUPPORTED, "interaction", k, "law", "this stage has Newton's alone");
            laws[std::minmax(a.i[k], b.i[k])] = {slip.width ? slip.d[k] : NAN, bounce.width ? bounce.d[k] : 0};
        }
        mu.clear();
        material.clear();
        for (const Body &body : bodies) {
            mu.push_back(of.width ? of.d[body.row] : 0);
            material.push_back(made.width ? made.i[body.row] : -1);
        }
        return CDS_OK;
    }
    // The friction of two bodies is the geometric mean of theirs, where their materials say nothing else (cd-scene(5)).
    Law law_of(size_t a, size_t b) const
    {
        auto known = laws.find(std::minmax(material[a], material[b]));
        Law law = known == laws.end() ? Law{NAN, 0} : known->second;
        if (std::isnan(law.mu))
            law.mu = std::sqrt(mu[a] * mu[b]);
        return law;
    }
    void give(cds_frame *f)
    {
        cds_column force = cds_get(f, "body", "force"), torque = cds_get(f, "body", "torque");
        for (size_t k = 0; k < bodies.size(); k++) {
            Push push = {{0}, {0}};
            read(force, bodies[k].row, dim, push.force);
            read(torque, bodies[k].row, dim == 2 ? 1 : 3, push.torque + (dim == 2 ? 2 : 0));
            world->set(k, start_of(f, bodies[k].row), push);
        }
    }
    void tell_contacts(cds_frame *f, const std::vector<Pressed> &found) const
    {
        for (const Pressed &each : found) {
            cds_contact contact = {};
            contact.a[0] = bodies[each.a].row;
            contact.b[0] = bodies[each.b].row;
            contact.a[1] = each.part_a;
            contact.b[1] = each.part_b;
            contact.kind = "depth";
            std::copy_n(each.touch.point_a.data(), 3, contact.point_a);
            std::copy_n(each.touch.point_b.data(), 3, contact.point_b);
            std::copy_n(each.touch.normal.data(), 3, contact.normal);
            contact.gap = each.touch.gap;
            contact.features[0] = contact.features[1] = -1;
            contact.has_force = 1;
            std::copy_n(each.force.data(), 3, contact.force);
            cds_add_contact(f, &contact);
        }
    }
    // Of a body as it is at the start.
    State start_of(cds_frame *f, int32_t row) const
    {
        State state = {cds_get_pose(f, row, CDS_START), {0}, {0}};
        int turns = dim == 2 ? 1 : 3, first = dim == 2 ? 2 : 0;
        read(cds_get(f, "body", "velocity"), row, dim, state.velocity);
        read(cds_get(f, "body", "spin"), row, turns, state.spin + first);
        return state;
    }
    static void read(const cds_column &column, int32_t row, int count, double *numbers)
    {
        for (int k = 0; k < count; k++) {
            double number = column.width ? column.d[column.width * row + k] : 0;
            numbers[k] = std::isnan(number) ? 0 : number;
        }
    }
    // All bodies, as cd-step tells of them: those that stand or take no part stay as they are.
    void tell_next(cds_frame *f, const cds_run &run) const
    {
        std::vector<State> states;
        for (int32_t row = 0; row < cds_rows(f, "body"); row++)
            states.push_back(start_of(f, row));
        for (size_t k = 0; k < bodies.size(); k++) {
            const Body &body = bodies[k];
            if (body.is_dynamic)
                states[static_cast<size_t>(body.row)] = world->get(k);
            else if (body.is_prescribed)  // it goes as it is told, not as the engine adds up
                states[static_cast<size_t>(body.row)].pose = cds_get_pose(f, body.row, CDS_PREDICTED);
        }
        int32_t first = cds_add(f, "next", cds_rows(f, "body"));
        for (int32_t k = 0; k < cds_rows(f, "body"); k++) {
            const State &state = states[static_cast<size_t>(k)];
            cds_put_int(f, "next", first + k, "body", k);
            cds_put(f, "next", first + k, "position", state.pose.position);
            cds_put(f, "next", first + k, "rotation", dim == 2 ? &state.pose.angle : state.pose.rotation);
            cds_put(f, "next", first + k, "velocity", state.velocity);
            cds_put(f, "next", first + k, "spin", dim == 2 ? state.spin + 2 : state.spin);
        }
        int32_t row = cds_add(f, "verdict", 1);
        cds_put_int(f, "verdict", row, "accept", 1);
        cds_put_number(f, "verdict", row, "step", run.step);
    }
};

inline int step_frame(cds_frame *f, void *user) { return static_cast<Stepper *>(user)->frame(f); }

inline int step_main(int argc, char **argv, const char *name, const char *summary, const cds_option *options,
                     Stepper &stepper)
{
    static const char *const takes[] = {"interaction", nullptr}, *const makes[] = {"contact", "force", "next",
                                                                                   "verdict", nullptr};
    const cds_stage stage = {name, nullptr, summary, takes, makes, options, nullptr, nullptr, step_frame, nullptr};
    return cds_main(argc, argv, &stage, &stepper);
}

}  // namespace engine
