// Boost.Geometry R-tree: packed (bulk-loaded), then one query a box.
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>

namespace {

namespace geometry = boost::geometry;
typedef geometry::model::point<double, 3, geometry::cs::cartesian> Point;
typedef geometry::model::box<Point> Extent;
typedef std::pair<Extent, uint32_t> Entry;
typedef geometry::index::rtree<Entry, geometry::index::rstar<8>> Tree;

Extent extent_of(const Box &box)
{
    return Extent(Point(box.min[0], box.min[1], box.min[2]), Point(box.max[0], box.max[1], box.max[2]));
}

// An output iterator that keeps the later partners of one box.
class Later {
public:
    typedef std::output_iterator_tag iterator_category;
    typedef void value_type;
    typedef void difference_type;
    typedef void pointer;
    typedef void reference;
    Later(Sink *to, uint32_t of) : sink(to), number(of) {}
    Later &operator*() { return *this; }
    Later &operator++() { return *this; }
    Later operator++(int) { return *this; }
    Later &operator=(const Entry &entry)
    {
        if (entry.second > number)
            sink->add(number, entry.second);
        return *this;
    }

private:
    Sink *sink;
    uint32_t number;
};

class Boost_tree : public Peer {
public:
    void build(const Box *boxes, uint32_t count) override
    {
        std::vector<Entry> entry;
        entry.reserve(count);
        for (uint32_t i = 0; i < count; i++)
            entry.emplace_back(extent_of(boxes[i]), i);
        tree.reset(new Tree(entry));
        box = boxes;
        box_count = count;
    }
    void find(Sink &sink) override
    {
        for (uint32_t i = 0; i < box_count; i++)
            tree->query(geometry::index::intersects(extent_of(box[i])), Later(&sink, i));
    }
    void clear() override { tree.reset(); }

private:
    std::unique_ptr<Tree> tree;
    const Box *box = nullptr;
    uint32_t box_count = 0;
};

}  // namespace

std::vector<Peer_kind> boost_peers()
{
    return {{"boost-rtree", "Boost", "packed R-tree, a query a box", true, UINT32_MAX,
             [] { return std::unique_ptr<Peer>(new Boost_tree); }}};
}
