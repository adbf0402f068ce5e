// Bullet: the dynamic tree btDbvt alone, the broad phase around two of them, and the sweep along three axes.
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace {

btVector3 low_of(const Box &box)
{
    return btVector3(float_below(box.min[0]), float_below(box.min[1]), float_below(box.min[2]));
}
btVector3 high_of(const Box &box)
{
    return btVector3(float_above(box.max[0]), float_above(box.max[1]), float_above(box.max[2]));
}

class Tree : public Peer {
public:
    void build(const Box *boxes, uint32_t count) override
    {
        tree.reset(new btDbvt);
        leaf.resize(count);
        for (uint32_t i = 0; i < count; i++) {
            btDbvtVolume volume = btDbvtVolume::FromMM(low_of(boxes[i]), high_of(boxes[i]));
            leaf[i] = tree->insert(volume, nullptr);
            leaf[i]->dataAsInt = static_cast<int>(i);
        }
    }
    void update(const Box *boxes, uint32_t count) override
    {
        for (uint32_t i = 0; i < count; i++) {
            btDbvtVolume volume = btDbvtVolume::FromMM(low_of(boxes[i]), high_of(boxes[i]));
            tree->update(leaf[i], volume);
        }
    }
    void find(Sink &sink) override
    {
        Report report;
        report.sink = &sink;
        tree->collideTT(tree->m_root, tree->m_root, report);
    }
    void clear() override { tree.reset(); }

private:
    struct Report : btDbvt::ICollide {
        Sink *sink;
        void Process(const btDbvtNode *a, const btDbvtNode *b) override
        {
            sink->test(static_cast<uint32_t>(a->dataAsInt), static_cast<uint32_t>(b->dataAsInt));
        }
    };
    std::unique_ptr<btDbvt> tree;
    std::vector<btDbvtNode *> leaf;
};

class Broadphase : public Peer {
public:
    void build(const Box *boxes, uint32_t count) override
    {
        broadphase.reset(make_broadphase(boxes, count));
        proxy.resize(count);
        for (uint32_t i = 0; i < count; i++)
            proxy[i] = broadphase->createProxy(low_of(boxes[i]), high_of(boxes[i]), 0,
                                               reinterpret_cast<void *>(static_cast<uintptr_t>(i)), 1, 1, nullptr);
    }
    void update(const Box *boxes, uint32_t count) override
    {
        for (uint32_t i = 0; i < count; i++)
            broadphase->setAabb(proxy[i], low_of(boxes[i]), high_of(boxes[i]), nullptr);
    }
    void find(Sink &sink) override
    {
        broadphase->calculateOverlappingPairs(nullptr);
        btBroadphasePairArray &pairs = broadphase->getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < pairs.size(); i++)
            sink.test(number_of(pairs[i].m_pProxy0), number_of(pairs[i].m_pProxy1));
    }
    void clear() override { broadphase.reset(); }

private:
    virtual btBroadphaseInterface *make_broadphase(const Box *boxes, uint32_t count) = 0;
    static uint32_t number_of(const btBroadphaseProxy *p)
    {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p->m_clientObject));
    }
    std::unique_ptr<btBroadphaseInterface> broadphase;
    std::vector<btBroadphaseProxy *> proxy;
};

class Two_trees : public Broadphase {
    btBroadphaseInterface *make_broadphase(const Box *boxes, uint32_t count) override
    {
        double sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += boxes[i].max[0] - boxes[i].min[0];
        gDbvtMargin = static_cast<btScalar>(0.05 * sum / count);  // its default, 5 cm, suits bodies of a metre
        btDbvtBroadphase *made = new btDbvtBroadphase;
        made->m_deferedcollide = true;  // pairs of all at once, when they are asked for
        return made;
    }
};

class Axis_sweep : public Broadphase {
    btBroadphaseInterface *make_broadphase(const Box *boxes, uint32_t count) override
    {
        Box world = hull_of(boxes, count);
        btVector3 border(1, 1, 1);  // moving boxes leave their first hull a little
        return new bt32BitAxisSweep3(low_of(world) - border, high_of(world) + border, count + 2);
    }
};

template <class T> std::unique_ptr<Peer> make() { return std::unique_ptr<Peer>(new T); }

}  // namespace

std::vector<Peer_kind> bullet_peers()
{
    return {{"bullet-dbvt", "Bullet", "btDbvt, the tree against itself", false, UINT32_MAX, make<Tree>},
            {"bullet-dbvt-broadphase", "Bullet", "btDbvtBroadphase, deferred", false, UINT32_MAX, make<Two_trees>},
            {"bullet-axis-sweep", "Bullet", "bt32BitAxisSweep3; boxes go in one by one, O(n^2)", false, 20000,
             make<Axis_sweep>}};
}
