// peers -- broad phases of other libraries behind one interface: for `make bench` (peers.cc) and `make oracle`
// (peer_find.h).
//
// A peer is given boxes in double precision and must report each pair of boxes that overlap, closed, exactly once.
// Those that work in single precision or with fattened boxes round outward and have every pair re-tested (Sink::test);
// the others report what they found (Sink::add). What still differs from the others is their doing, and is shown as
// such. A new peer: a class here below in a file peer_NAME.cc, a line in peer_table.cc, a line in the Makefile.
// SPDX-License-Identifier: MIT
#ifndef PEERS_H
#define PEERS_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

struct Box {
    double min[3], max[3];
};

struct Pair {
    uint32_t a, b;
};

inline bool overlap(const Box &a, const Box &b)
{
    return a.min[0] <= b.max[0] && b.min[0] <= a.max[0] && a.min[1] <= b.max[1] && b.min[1] <= a.max[1] &&
           a.min[2] <= b.max[2] && b.min[2] <= a.max[2];
}

// Single precision, outward.
inline float float_below(double x)
{
    float f = static_cast<float>(x);
    return f > x ? std::nextafterf(f, -INFINITY) : f;
}
inline float float_above(double x)
{
    float f = static_cast<float>(x);
    return f < x ? std::nextafterf(f, INFINITY) : f;
}

// Where pairs go: memory that is there already, so that a peer is not charged for the pages of its result.
class Sink
{
  public:
    void start(const Box *of, size_t expected)
    {
        boxes = of;
        if (pairs.size() < expected)
            pairs.assign(expected, Pair{0, 0});
        count = 0;
    }
    void add(uint32_t a, uint32_t b)
    {
        if (count == pairs.size())
            pairs.resize(2 * count + 1024);
        pairs[count++] = Pair{a, b};
    }
    void test(uint32_t a, uint32_t b)
    {
        if (overlap(boxes[a], boxes[b]))
            add(a, b);
    }
    const Box *boxes = nullptr;
    std::vector<Pair> pairs;  // `count` of them are valid
    size_t count = 0;
};

class Peer
{
  public:
    virtual ~Peer() = default;
    // Everything between boxes in memory and the first question for pairs. `boxes` stay where they are until `clear`.
    virtual void build(const Box *boxes, uint32_t count) = 0;
    // The same number of boxes at new places, in the same memory.
    virtual void update(const Box *boxes, uint32_t count)
    {
        clear();
        build(boxes, count);
    }
    virtual void find(Sink &sink) = 0;
    virtual void clear() = 0;  // back to nothing
};

struct Peer_kind {
    const char *name, *library, *what;
    bool is_exact;  // works in double precision on the boxes as they are
    uint32_t most;  // boxes beyond which it is hopeless (quadratic), or its indices end
    std::unique_ptr<Peer> (*make)();
};

std::vector<Peer_kind> cgal_peers();
std::vector<Peer_kind> boost_peers();
std::vector<Peer_kind> embree_peers();
std::vector<Peer_kind> bullet_peers();
std::vector<Peer_kind> fcl_peers();
std::vector<Peer_kind> ode_peers();
std::vector<Peer_kind> all_peers();  // those whose headers were there when this was built

// The box around all boxes.
inline Box hull_of(const Box *boxes, uint32_t count)
{
    Box hull = boxes[0];
    for (uint32_t i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            hull.min[k] = std::fmin(hull.min[k], boxes[i].min[k]);
            hull.max[k] = std::fmax(hull.max[k], boxes[i].max[k]);
        }
    return hull;
}

#endif
