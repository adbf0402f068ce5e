// Voro++: a cell around the inner point that it is given, at first the box common to both bodies' bounds, cut by all
// planes, and its volume. One cell serves all pairs, so that its memory is there already.
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

#include <algorithm>
#include <voro++/voro++.hh>

namespace {

struct Bounds {
    Point low, high;
};

struct Pair {
    std::vector<Halfspace> plane;
    const narrow_pair *pair;
    Bounds bounds[2];
};

struct Pairs {
    std::vector<Pair> pair;
    voro::voronoicell cell;
};

Bounds bounds_of(const narrow_body &body)
{
    Bounds bounds = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int32_t i = 0; i < 3 * body.vertex_count; i++) {
        bounds.low[i % 3] = std::min(bounds.low[i % 3], body.vertex[i]);
        bounds.high[i % 3] = std::max(bounds.high[i % 3], body.vertex[i]);
    }
    return bounds;
}

void *prepare(const narrow_set *set)
{
    Pairs *pairs = new Pairs;
    for (int32_t i = 0; i < set->count; i++) {
        const narrow_pair &pair = set->pair[i];
        pairs->pair.push_back({halfspaces_of(pair), &pair, {bounds_of(pair.body[0]), bounds_of(pair.body[1])}});
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
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = std::max(pair.bounds[0].low[k], pair.bounds[1].low[k]);
        high[k] = std::min(pair.bounds[0].high[k], pair.bounds[1].high[k]);
        double border = 1e-3 * (high[k] - low[k]);  // planes through the box's own corners are not for Voro++
        low[k] -= border + inner[k];
        high[k] += border - inner[k];
    }
    voro::voronoicell &cell = pairs.cell;
    cell.init(low[0], high[0], low[1], high[1], low[2], high[2]);
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
