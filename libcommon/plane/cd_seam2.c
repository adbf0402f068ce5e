// SPDX-License-Identifier: MIT
#include "cd_feature2.h"
#include "cd_seam2.h"

// [1] sines of the angle between a direction and a part's edge below which it is the edge that faces there: by
// rounding, and as nearly as makes no difference to what lies over it. Smaller second: a box askew by rounding is held
// by the covered half of an edge. Larger: edges that meet in a flat hollow count as one.
static const double facing_sine[] = {1e-9, 1e-3};
enum { FACINGS = sizeof facing_sine / sizeof facing_sine[0] };
// [1] of the way to the middle of an edge: how far from its end a point is looked at. Smaller: the end of a slope lies
// in the floor that it stands on. Larger: a short piece that is left over is overlooked.
#define AWAY_FROM_END 0.01
// [1] sine of the angle by which a part goes on. Smaller: the top of the next part counts as going on, by rounding.
#define GOES_ON_SINE 1e-9
// [1] cosine between a direction and the normal of an edge that faces there. Smaller: a box that leans by little
// catches with its front at a step that is lower than parts beside each other may be. Larger: a vertex that stands out
// of a slope is overlooked.
#define FACES_ALONG 0.5
// How many parts may lie one behind the other before the one that the other polygon is over.
enum { CHAIN_MOST = 4 };

bool cd_seam2_is_in(cd_polygon part, cd_vec2 p, double near)
{
    for (int32_t e = 0; e < part.count; e++) {
        cd_vec2 start = part.vertex[e], along = cd_sub2(part.vertex[cd_polygon_next(part, e)], start);
        if (cd_cross2(along, cd_sub2(p, start)) < -near * cd_length2(along))
            return false;
    }
    return true;
}

static bool goes_on(cd_polygon part, cd_vec2 p, cd_vec2 d, double tolerance)
{
    for (int32_t v = 0; v < part.count; v++) {
        cd_vec2 to = cd_sub2(part.vertex[v], p);
        if (cd_dot2(d, to) > tolerance + GOES_ON_SINE * cd_length2(to))
            return true;
    }
    return false;
}

// The farthest vertex along d.
static int32_t farthest(cd_polygon part, cd_vec2 d)
{
    int32_t best = 0;
    for (int32_t v = 1; v < part.count; v++)
        if (cd_dot2(d, cd_sub2(part.vertex[v], part.vertex[best])) > 0)
            best = v;
    return best;
}

static double separation(cd_polygon part, cd_polygon other, cd_vec2 d)
{
    cd_vec2 out = part.vertex[farthest(part, d)];
    return cd_dot2(d, cd_sub2(other.vertex[farthest(other, cd_negate2(d))], out));
}

// Does p stand out of an edge of the part that faces along d, however little?
static bool stands_out(cd_polygon part, cd_vec2 p, cd_vec2 d, double tolerance)
{
    for (int32_t e = 0; e < part.count; e++) {
        cd_edge2 line = cd_polygon_edge(part, e);
        if (cd_dot2(line.normal, d) > FACES_ALONG && cd_dot2(line.normal, cd_sub2(p, line.start)) > tolerance)
            return true;
    }
    return false;
}

static bool is_side_inner(const cd_seams2 *seams, int side, cd_polygon part, cd_vec2 d, int chain);

// Is p of `side` in a part beside that goes on along d, before which the other polygon is not?
static bool is_covered(const cd_seams2 *seams, int side, cd_vec2 p, cd_vec2 d, int chain)
{
    for (int32_t i = 0; i < seams->beside[side].count; i++) {
        cd_polygon part = seams->beside[side].part[i];
        if (!cd_seam2_is_in(part, p, seams->near) || !goes_on(part, p, d, seams->tolerance) ||
            stands_out(part, p, d, seams->tolerance))
            continue;
        if (separation(part, seams->polygon[1 - side], d) < -seams->tolerance ||
            (chain > 0 && is_side_inner(seams, side, part, d, chain - 1)))
            return true;
    }
    return false;
}

typedef struct segment {
    cd_vec2 start, end;  // equal: a point
} segment;

// Of its points the one nearest to p, a little away from its ends.
static cd_vec2 point_under(const segment *s, cd_vec2 p)
{
    cd_vec2 along = cd_sub2(s->end, s->start);
    double length_sq = cd_dot2(along, along);
    double at = length_sq > 0 ? cd_dot2(cd_sub2(p, s->start), along) / length_sq : 0;
    at = fmin(fmax(at, 0), 1);
    return cd_add2(s->start, cd_scale2(at + AWAY_FROM_END * (0.5 - at), along));
}

// What of the part is farthest along d: the edge at its farthest vertex that is across d, else the vertex.
static segment facing_along(cd_polygon part, cd_vec2 d, double sine)
{
    int32_t v = farthest(part, d);
    cd_vec2 at = part.vertex[v];
    cd_vec2 end[2] = {part.vertex[cd_polygon_previous(part, v)], part.vertex[cd_polygon_next(part, v)]};
    segment found = {at, at};
    double least = sine;
    for (int k = 0; k < 2; k++) {
        cd_vec2 along = cd_sub2(end[k], at);
        double down = -cd_dot2(d, along) / cd_length2(along);
        if (down <= least) {
            least = down;
            found.end = end[k];
        }
    }
    return found;
}

// The same of all of the part that the other polygon is over.
static bool is_side_inner(const cd_seams2 *seams, int side, cd_polygon part, cd_vec2 d, int chain)
{
    if (seams->beside[side].count == 0)
        return false;
    cd_polygon other = seams->polygon[1 - side];
    bool is_inner = false;
    for (int k = 0; k < FACINGS && !is_inner; k++) {
        segment facing = facing_along(part, d, facing_sine[k]);
        is_inner = true;
        for (int32_t v = 0; v < other.count && is_inner; v++)
            is_inner = is_covered(seams, side, point_under(&facing, other.vertex[v]), d, chain);
    }
    return is_inner;
}

bool cd_seams2_is_inner_edge(const cd_seams2 *seams, bool is_of_b, int32_t edge)
{
    int owner = is_of_b, other = !is_of_b;
    cd_vec2 d = cd_polygon_edge(seams->polygon[owner], edge).normal;
    return is_side_inner(seams, owner, seams->polygon[owner], d, CHAIN_MOST) ||
           is_side_inner(seams, other, seams->polygon[other], cd_negate2(d), CHAIN_MOST);
}

// Does an edge of the polygon go on past the vertex in a part beside, straight or in a hollow? Then the body has no
// corner there. A vertex that stands out of that part towards d, where the other polygon is, stays one: what lies on
// both would come down on it.
static bool is_no_corner(const cd_seams2 *seams, int side, int32_t vertex, cd_vec2 d)
{
    cd_polygon polygon = seams->polygon[side];
    cd_vec2 v = polygon.vertex[vertex];
    cd_vec2 from[2] = {polygon.vertex[cd_polygon_previous(polygon, vertex)],
                       polygon.vertex[cd_polygon_next(polygon, vertex)]};
    for (int k = 0; k < 2; k++) {
        cd_vec2 past = cd_add2(v, cd_scale2(AWAY_FROM_END, cd_sub2(v, from[k])));
        for (int32_t i = 0; i < seams->beside[side].count; i++) {
            cd_polygon part = seams->beside[side].part[i];
            if (cd_seam2_is_in(part, past, seams->near) && !stands_out(part, v, d, seams->tolerance))
                return true;
        }
    }
    return false;
}

// Is the edge covered under the vertex of the other polygon, and a little along both edges that meet there? A polygon
// that stands in a hollow, at the foot of a part beside, touches that part with its last vertex: what the rest of it is
// over is no inner edge.
static bool is_covered_around(const cd_seams2 *seams, int side, int32_t edge, int32_t vertex)
{
    cd_polygon polygon = seams->polygon[side], other = seams->polygon[1 - side];
    segment s = {polygon.vertex[edge], polygon.vertex[cd_polygon_next(polygon, edge)]};
    cd_vec2 d = cd_polygon_edge(polygon, edge).normal, p = other.vertex[vertex];
    if (!is_covered(seams, side, point_under(&s, p), d, CHAIN_MOST))
        return false;
    cd_vec2 to[2] = {other.vertex[cd_polygon_previous(other, vertex)], other.vertex[cd_polygon_next(other, vertex)]};
    for (int k = 0; k < 2; k++) {
        cd_vec2 near_p = cd_add2(p, cd_scale2(AWAY_FROM_END, cd_sub2(to[k], p)));
        if (!is_covered(seams, side, point_under(&s, near_p), d, CHAIN_MOST))
            return false;
    }
    return true;
}

bool cd_seams2_is_inner_row(const cd_seams2 *seams, bool is_of_b, int32_t edge, int32_t vertex)
{
    int owner = is_of_b, other = !is_of_b;
    cd_vec2 d = cd_polygon_edge(seams->polygon[owner], edge).normal, p = seams->polygon[other].vertex[vertex];
    return is_covered_around(seams, owner, edge, vertex) || is_covered(seams, other, p, cd_negate2(d), CHAIN_MOST) ||
           is_no_corner(seams, other, vertex, cd_negate2(d));
}
