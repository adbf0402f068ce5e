// The peers that are built in (PEER_NAME is defined by the Makefile where the headers are there), and their face for C.
// SPDX-License-Identifier: MIT
#include "peer_find.h"
#include "peers.h"

#include <cstdlib>
#include <cstring>

std::vector<Peer_kind> all_peers()
{
    std::vector<Peer_kind> all;
    auto append = [&all](std::vector<Peer_kind> some) { all.insert(all.end(), some.begin(), some.end()); };
    (void)append;
#ifdef PEER_CGAL
    append(cgal_peers());
#endif
#ifdef PEER_BOOST
    append(boost_peers());
#endif
#ifdef PEER_EMBREE
    append(embree_peers());
#endif
#ifdef PEER_BULLET
    append(bullet_peers());
#endif
#ifdef PEER_FCL
    append(fcl_peers());
#endif
#ifdef PEER_ODE
    append(ode_peers());
#endif
    return all;
}

int64_t peer_find(const char *name, int dim, int32_t count, const double *min, const double *max, int32_t **pairs)
{
    for (const Peer_kind &kind : all_peers()) {
        if (std::strcmp(kind.name, name))
            continue;
        std::vector<Box> boxes(static_cast<size_t>(count));
        for (int32_t i = 0; i < count; i++) {
            boxes[i] = Box{{0, 0, 0}, {0, 0, 1}};
            for (int k = 0; k < dim; k++) {
                boxes[i].min[k] = min[dim * static_cast<int64_t>(i) + k];
                boxes[i].max[k] = max[dim * static_cast<int64_t>(i) + k];
            }
        }
        Sink sink;
        sink.start(boxes.data(), 0);
        std::unique_ptr<Peer> peer = kind.make();
        peer->build(boxes.data(), static_cast<uint32_t>(count));
        peer->find(sink);
        peer->clear();
        *pairs = static_cast<int32_t *>(std::malloc(2 * sizeof(int32_t) * (sink.count + 1)));
        for (size_t i = 0; i < sink.count; i++) {
            (*pairs)[2 * i] = static_cast<int32_t>(sink.pairs[i].a);
            (*pairs)[2 * i + 1] = static_cast<int32_t>(sink.pairs[i].b);
        }
        return static_cast<int64_t>(sink.count);
    }
    return -1;
}
