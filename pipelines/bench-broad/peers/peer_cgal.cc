// CGAL box_self_intersection_d: streamed segment trees (Zomorodian & Edelsbrunner 2002), by pointer, at several
// cutoffs.
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <CGAL/Box_intersection_d/Box_d.h>
#include <CGAL/box_intersection_d.h>

namespace {

typedef CGAL::Box_intersection_d::Box_d<double, 3, CGAL::Box_intersection_d::ID_EXPLICIT> Cgal_box;

struct Numbered : Cgal_box {
    uint32_t number;
    Numbered(double *min, double *max, uint32_t n) : Cgal_box(min, max), number(n) {}
};

class Cgal : public Peer {
public:
    explicit Cgal(std::ptrdiff_t c) : cutoff(c) {}
    void build(const Box *boxes, uint32_t count) override
    {
        box.reserve(count);
        for (uint32_t i = 0; i < count; i++) {
            Box copy = boxes[i];
            box.emplace_back(copy.min, copy.max, i);
        }
        pointer.resize(count);
        for (uint32_t i = 0; i < count; i++)
            pointer[i] = &box[i];
    }
    void find(Sink &sink) override
    {
        auto report = [&sink](const Numbered *a, const Numbered *b) { sink.add(a->number, b->number); };
        CGAL::box_self_intersection_d(pointer.begin(), pointer.end(), report, cutoff);
    }
    void clear() override
    {
        std::vector<Numbered>().swap(box);
        std::vector<const Numbered *>().swap(pointer);
    }

private:
    std::ptrdiff_t cutoff;
    std::vector<Numbered> box;
    std::vector<const Numbered *> pointer;
};

template <int cutoff> std::unique_ptr<Peer> make() { return std::unique_ptr<Peer>(new Cgal(cutoff)); }

}  // namespace

std::vector<Peer_kind> cgal_peers()
{
    const char *what = "box_self_intersection_d, cutoff in the name";
    return {{"cgal-10", "CGAL", what, true, UINT32_MAX, make<10>},
            {"cgal-30", "CGAL", what, true, UINT32_MAX, make<30>},
            {"cgal-100", "CGAL", what, true, UINT32_MAX, make<100>},
            {"cgal-500", "CGAL", what, true, UINT32_MAX, make<500>}};
}
