// FCL: trees of boxes that can be updated, of nodes and in an array.
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <fcl/fcl.h>

namespace {

template <class Manager> class Fcl : public Peer {
public:
    void build(const Box *boxes, uint32_t count) override
    {
        std::shared_ptr<fcl::CollisionGeometryd> geometry = std::make_shared<fcl::Boxd>(1, 1, 1);
        object.reserve(count);
        std::vector<fcl::CollisionObjectd *> pointer(count);
        for (uint32_t i = 0; i < count; i++) {
            object.emplace_back(new fcl::CollisionObjectd(geometry));
            object[i]->setUserData(reinterpret_cast<void *>(static_cast<uintptr_t>(i)));
            place(i, boxes[i]);
            pointer[i] = object[i].get();
        }
        manager.reset(new Manager);
        manager->registerObjects(pointer);
        manager->setup();
    }
    void update(const Box *boxes, uint32_t count) override
    {
        for (uint32_t i = 0; i < count; i++)
            place(i, boxes[i]);
        manager->update();
    }
    void find(Sink &sink) override { manager->collide(&sink, report); }
    void clear() override
    {
        manager.reset();
        object.clear();
    }

private:
    // The object's box is what managers look at. It follows from shape and pose; there is no other way to give a box
    // alone.
    void place(uint32_t i, const Box &box)
    {
        fcl::AABBd &bounds = const_cast<fcl::AABBd &>(object[i]->getAABB());
        bounds.min_ = fcl::Vector3d(box.min[0], box.min[1], box.min[2]);
        bounds.max_ = fcl::Vector3d(box.max[0], box.max[1], box.max[2]);
    }
    static bool report(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *sink)
    {
        static_cast<Sink *>(sink)->add(number_of(a), number_of(b));
        return false;  // go on
    }
    static uint32_t number_of(const fcl::CollisionObjectd *o)
    {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(o->getUserData()));
    }
    std::unique_ptr<Manager> manager;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> object;
};

template <class Manager> std::unique_ptr<Peer> make() { return std::unique_ptr<Peer>(new Fcl<Manager>); }

}  // namespace

std::vector<Peer_kind> fcl_peers()
{
    return {{"fcl-tree", "FCL", "DynamicAABBTreeCollisionManager", true, UINT32_MAX,
             make<fcl::DynamicAABBTreeCollisionManagerd>},
            {"fcl-tree-array", "FCL", "DynamicAABBTreeCollisionManager_Array", true, UINT32_MAX,
             make<fcl::DynamicAABBTreeCollisionManager_Arrayd>}};
}
