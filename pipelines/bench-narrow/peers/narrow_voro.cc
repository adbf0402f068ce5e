// Voro++: a cell around the inner point that it is given, cut by all planes, and its volume. `voro++` makes a cell for
// each pair, a cube that any two bodies fit into, as the library's own examples make theirs. Two more are tuned: with one
// cell for all pairs, whose memory is there already; and begun from the box common to both bodies' bounds, so that most
// planes miss it.
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

// The first cell, relative to the inner point.
Bounds common_box(const Pair &pair)
{
    Bounds box;
    for (int k = 0; k < 3; k++) {
        double inner = pair.pair->inner[k], low = std::max(pair.bounds[0].low[k], pair.bounds[1].low[k]);
        double high = std::min(pair.bounds[0].high[k], pair.bounds[1].high[k]);
        double border = 1e-3 * (high - low);  // planes through the box's own corners are not for Voro++
        box.low[k] = low - border - inner;
        box.high[k] = high + border - inner;
    }
    return box;
}

Bounds cube(const Pair &pair)
{
    double half = 2 * pair.pair->scale;
    return {{-half, -half, -half}, {half, half, half}};
}

template <Bounds (*first_cell)(const Pair &)> double volume_in(voro::voronoicell &cell, const Pair &pair)
{
    const double *inner = pair.pair->inner;
    if (std::isnan(inner[0]))
        return 0;
    Bounds first = first_cell(pair);
    cell.init(first.low[0], first.high[0], first.low[1], first.high[1], first.low[2], first.high[2]);
    for (const Halfspace &h : pair.plane) {
        double distance = h.offset - (h.normal[0] * inner[0] + h.normal[1] * inner[1] + h.normal[2] * inner[2]);
        if (!cell.plane(h.normal[0], h.normal[1], h.normal[2], 2 * distance))
            return NAN;
    }
    return cell.volume();
}

double volume_in_new_cell(void *prepared, int32_t i)
{
    voro::voronoicell cell;
    return volume_in<cube>(cell, static_cast<Pairs *>(prepared)->pair[i]);
}

template <Bounds (*first_cell)(const Pair &)> double volume_in_kept_cell(void *prepared, int32_t i)
{
    Pairs &pairs = *static_cast<Pairs *>(prepared);
    return volume_in<first_cell>(pairs.cell, pairs.pair[i]);
}

}  // namespace

Programs voro_programs()
{
    return {{"voro++", "Voro++", NARROW_VOLUME, "a cell cut by all planes, inner point given", prepare,
             volume_in_new_cell},
            {"voro++-kept", "Voro++", NARROW_VOLUME, "the same with one cell for all pairs", prepare,
             volume_in_kept_cell<cube>},
            {"voro++-box", "Voro++", NARROW_VOLUME, "and begun from the bounds' common box", prepare,
             volume_in_kept_cell<common_box>}};
}
