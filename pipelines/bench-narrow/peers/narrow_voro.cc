// Voro++: a cell around the inner point that it is given, at first the box common to both bodies' bounds, cut by all
// planes, and its volume. One cell serves all pairs, so that its memory is there already.
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <algorithm>
#include <voro++/voro++.hh>

namespace {

struct Pair {
    std::vector<Halfspace> plane;
    const narrow_pair *pair;
    Point low, high;  // relative to the inner point
};

struct Pairs {
    std::vector<Pair> pair;
    voro::voronoicell cell;
};

void *prepare(const narrow_set *set)
{
    Pairs *pairs = new Pairs;
    for (int32_t i = 0; i < set->count; i++) {
        const narrow_pair &pair = set->pair[i];
        Pair made{halfspaces_of(pair), &pair, {}, {}};
        for (int k = 0; k < 3; k++) {
            double low = -HUGE_VAL, high = HUGE_VAL;
            for (const narrow_body &body : pair.body) {
                double least = HUGE_VAL, most = -HUGE_VAL;
                for (int32_t v = 0; v < body.vertex_count; v++) {
                    least = std::min(least, body.vertex[3 * v + k]);
                    most = std::max(most, body.vertex[3 * v + k]);
                }
                low = std::max(low, least);
                high = std::min(high, most);
            }
            double border = 1e-3 * (high - low);  // planes through the box's own corners are not for Voro++
            made.low[k] = low - border - pair.inner[k];
            made.high[k] = high + border - pair.inner[k];
        }
        pairs->pair.push_back(std::move(made));
    }
    return pairs;
}

double volume(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    const Pair &pair = pairs.pair[i];
    const double *inner = pair.pair->inner;
    if (std::isnan(inner[0]))
        return 0;
    voro::voronoicell &cell = pairs.cell;
    cell.init(pair.low[0], pair.high[0], pair.low[1], pair.high[1], pair.low[2], pair.high[2]);
    for (const Halfspace &h : pair.plane) {
        double distance = h.offset - (h.normal[0] * inner[0] + h.normal[1] * inner[1] + h.normal[2] * inner[2]);
        if (!cell.plane(h.normal[0], h.normal[1], h.normal[2], 2 * distance))
            return NAN;
    }
    return cell.volume();
}

}  // namespace

Programs voro_programs()
{
    return {{"voro++", "Voro++", NARROW_VOLUME, "a cell cut by all planes, inner point given", prepare, volume}};
}
