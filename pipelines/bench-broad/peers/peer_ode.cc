// ODE: hash and quadtree spaces of geoms of a class of our own, whose box is what it is given.
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <cstring>
#include <ode/ode.h>

namespace {

struct Geom_data {
    const Box *box;
    uint32_t number;
};

Geom_data *data_of(dGeomID geom) { return static_cast<Geom_data *>(dGeomGetClassData(geom)); }

void bounds_of(dGeomID geom, dReal bounds[6])
{
    const Box *box = data_of(geom)->box;
    for (int k = 0; k < 3; k++) {
        bounds[2 * k] = static_cast<dReal>(box->min[k]);
        bounds[2 * k + 1] = static_cast<dReal>(box->max[k]);
    }
}

dColliderFn *no_collider(int) { return nullptr; }

int geom_class()
{
    static int number = -1;
    if (number < 0) {
        dInitODE2(0);
        dGeomClass description;
        std::memset(&description, 0, sizeof description);
        description.bytes = sizeof(Geom_data);
        description.collider = no_collider;
        description.aabb = bounds_of;
        number = dCreateGeomClass(&description);
    }
    return number;
}

class Ode : public Peer {
public:
    void build(const Box *boxes, uint32_t count) override
    {
        int number = geom_class();
        space = make_space(boxes, count);
        dSpaceSetCleanup(space, 1);
        geom.resize(count);
        for (uint32_t i = 0; i < count; i++) {
            geom[i] = dCreateGeom(number);
            *data_of(geom[i]) = Geom_data{boxes + i, i};
            dSpaceAdd(space, geom[i]);
        }
    }
    void update(const Box *, uint32_t) override
    {
        for (dGeomID g : geom)
            dGeomMoved(g);
    }
    void find(Sink &sink) override { dSpaceCollide(space, &sink, report); }
    void clear() override { dSpaceDestroy(space); }

private:
    virtual dSpaceID make_space(const Box *boxes, uint32_t count) = 0;
    static void report(void *sink, dGeomID a, dGeomID b)
    {
        static_cast<Sink *>(sink)->test(data_of(a)->number, data_of(b)->number);
    }
    dSpaceID space = nullptr;
    std::vector<dGeomID> geom;
};

class Hash : public Ode {
    dSpaceID make_space(const Box *boxes, uint32_t count) override
    {
        double largest = 0, smallest = INFINITY;
        for (uint32_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                largest = std::fmax(largest, boxes[i].max[k] - boxes[i].min[k]);
                smallest = std::fmin(smallest, boxes[i].max[k] - boxes[i].min[k]);
            }
        dSpaceID made = dHashSpaceCreate(nullptr);
        dHashSpaceSetLevels(made, std::ilogb(std::fmax(smallest, 1e-6 * largest)), std::ilogb(largest) + 1);
        return made;
    }
};

class Quadtree : public Ode {
    dSpaceID make_space(const Box *boxes, uint32_t count) override
    {
        Box hull = hull_of(boxes, count);
        dVector3 centre, extents;
        for (int k = 0; k < 3; k++) {
            centre[k] = static_cast<dReal>((hull.min[k] + hull.max[k]) / 2);
            extents[k] = static_cast<dReal>(0.6 * (hull.max[k] - hull.min[k]));  // half, and a little for what moves
        }
        int depth = 1;
        for (double boxes_a_block = count; boxes_a_block > 4 && depth < 8; boxes_a_block /= 4)
            depth++;
        return dQuadTreeSpaceCreate(nullptr, centre, extents, depth);
    }
};

template <class T> std::unique_ptr<Peer> make() { return std::unique_ptr<Peer>(new T); }

}  // namespace

std::vector<Peer_kind> ode_peers()
{
    bool is_exact = sizeof(dReal) == sizeof(double);
    return {{"ode-hash", "ODE", "dHashSpace, a bit of memory for each pair of boxes", is_exact, 100000, make<Hash>},
            {"ode-quadtree", "ODE", "dQuadTreeSpace", is_exact, 100000, make<Quadtree>}};
}
