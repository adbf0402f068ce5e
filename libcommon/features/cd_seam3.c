// SPDX-License-Identifier: MIT
#include "cd_seam3.h"

// See cd_seam2.c.
static const double facing_sine[] = {1e-9, 1e-3};
enum { FACINGS = sizeof facing_sine / sizeof facing_sine[0] };
#define AWAY_FROM_END 0.01
#define GOES_ON_SINE 1e-9
#define FACES_ALONG 0.5
enum { CHAIN_MOST = 4 };

bool cd_seam3_is_in(const cd_convex3 *part, cd_vec3 p, double near)
{
    if (cd_length3(cd_sub3(p, part->centre)) > part->radius + near)
        return false;
    for (int32_t f = 0; f < part->face_count; f++)
        if (cd_dot3(part->plane[f].normal, p) - part->plane[f].offset > near)
            return false;
    return true;
}

static bool goes_on(const cd_shell3 *part, cd_vec3 p, cd_vec3 d, double tolerance)
{
    for (int32_t v = 0; v < part->convex->vertex_count; v++) {
        cd_vec3 to = cd_sub3(cd_shell3_vertex(part, v), p);
        if (cd_dot3(d, to) > tolerance + GOES_ON_SINE * cd_length3(to))
            return true;
    }
    return false;
}

// The farthest vertex along d.
static int32_t farthest(const cd_shell3 *part, cd_vec3 d)
{
    int32_t best = 0;
    for (int32_t v = 1; v < part->convex->vertex_count; v++)
        if (cd_dot3(d, cd_sub3(cd_shell3_vertex(part, v), cd_shell3_vertex(part, best))) > 0)
            best = v;
    return best;
}

static double separation(const cd_shell3 *part, const cd_shell3 *other, cd_vec3 d)
{
    cd_vec3 out = cd_shell3_vertex(part, farthest(part, d));
    return cd_dot3(d, cd_sub3(cd_shell3_vertex(other, farthest(other, cd_negate3(d))), out));
}

static bool stands_out(const cd_shell3 *part, cd_vec3 p, cd_vec3 d, double tolerance)
{
    for (int32_t f = 0; f < part->convex->face_count; f++) {
        cd_vec3 n = cd_shell3_normal(part, f);
        if (cd_dot3(n, d) > FACES_ALONG && cd_dot3(n, cd_sub3(p, cd_shell3_plane_point(part, f))) > tolerance)
            return true;
    }
    return false;
}

static bool is_side_inner(const cd_seams3 *seams, int side, const cd_shell3 *part, cd_vec3 d, int chain);

// Is p of `side` in a part beside that goes on along d, before which the other polyhedron is not?
static bool is_covered(const cd_seams3 *seams, int side, cd_vec3 p, cd_vec3 d, int chain)
{
    for (int32_t i = 0; i < seams->beside[side].count; i++) {
        const cd_shell3 *part = seams->beside[side].part[i];
        if (!cd_seam3_is_in(part->convex, p, seams->near) || !goes_on(part, p, d, seams->tolerance) ||
            stands_out(part, p, d, seams->tolerance))
            continue;
        if (separation(part, seams->shell[1 - side], d) < -seams->tolerance ||
            (chain > 0 && is_side_inner(seams, side, part, d, chain - 1)))
            return true;
    }
    return false;
}

// ---- what of a part faces a direction ------------------------------------------------------------------------------

// A face, else an edge, else a vertex.
typedef struct facing_part {
    int32_t face, edge, vertex;  // -1: none
} facing_part;

static int32_t face_along(const cd_shell3 *part, cd_vec3 d, double sine)
{
    int32_t found = -1;
    double least = sine;
    for (int32_t f = 0; f < part->convex->face_count; f++) {
        const cd_vec3 n = cd_shell3_normal(part, f);
        if (!(cd_dot3(n, d) > FACES_ALONG))  // far off, without a root
            continue;
        double off = cd_length3(cd_sub3(n, d));
        if (off <= least) {
            least = off;
            found = f;
        }
    }
    return found;
}

// The edge at the farthest vertex that is across d.
static int32_t edge_along(const cd_shell3 *part, int32_t vertex, cd_vec3 d, double sine)
{
    int32_t found = -1;
    double least = sine;
    for (int32_t e = 0; e < part->edges->count; e++) {
        const int32_t *end = part->edges->edge[e].vertex;
        if (end[0] != vertex && end[1] != vertex)
            continue;
        double off = fabs(cd_dot3(d, part->direction[e]));
        if (off <= least) {
            least = off;
            found = e;
        }
    }
    return found;
}

static facing_part facing_along(const cd_shell3 *part, cd_vec3 d, double sine)
{
    facing_part found = {face_along(part, d, sine), -1, farthest(part, d)};
    if (found.face < 0)
        found.edge = edge_along(part, found.vertex, d, sine);
    return found;
}

// ---- the point under another ---------------------------------------------------------------------------------------

static cd_vec3 nearest_on_segment(cd_vec3 start, cd_vec3 end, cd_vec3 p)
{
    cd_vec3 along = cd_sub3(end, start);
    double length_sq = cd_dot3(along, along);
    double at = length_sq > 0 ? cd_dot3(cd_sub3(p, start), along) / length_sq : 0;
    return cd_add3(start, cd_scale3(at > 0 ? at < 1 ? at : 1 : 0, along));
}

static cd_vec3 a_little_to(cd_vec3 p, cd_vec3 middle)
{
    return cd_add3(p, cd_scale3(AWAY_FROM_END, cd_sub3(middle, p)));
}

// The point of one face that is nearest to p; `middle` becomes the mean of its corners.
static cd_vec3 nearest_on_face(const cd_shell3 *part, int32_t face, cd_vec3 p, cd_vec3 *middle)
{
    const cd_convex3 *c = part->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    int32_t count = c->face_first[face + 1] - c->face_first[face];
    cd_vec3 n = cd_shell3_normal(part, face), sum = {0, 0, 0}, best = p;
    cd_vec3 foot = cd_sub3(p, cd_scale3(cd_dot3(n, cd_sub3(p, cd_shell3_vertex(part, corner[0]))), n));
    bool is_over = true;
    double least = INFINITY;
    for (int32_t k = 0; k < count; k++) {
        cd_vec3 from = cd_shell3_vertex(part, corner[k]);
        cd_vec3 to = cd_shell3_vertex(part, corner[k + 1 < count ? k + 1 : 0]);
        cd_vec3 on_edge = nearest_on_segment(from, to, foot);
        double distance = cd_length3(cd_sub3(on_edge, foot));
        if (distance < least) {
            least = distance;
            best = on_edge;
        }
        is_over = is_over && cd_dot3(cd_cross3(n, cd_sub3(to, from)), cd_sub3(foot, from)) >= 0;
        sum = cd_add3(sum, from);
    }
    *middle = cd_scale3(1.0 / count, sum);
    return is_over ? foot : best;
}

// Of a planar face, which may have come as several, the point nearest to p, a little away from its outline.
static cd_vec3 point_on_face(const cd_shell3 *part, int32_t face, double tolerance, cd_vec3 p)
{
    cd_vec3 best = p;
    double least = INFINITY;
    for (int32_t f = 0; f < part->convex->face_count; f++) {
        if (!cd_shell3_is_flush(part, f, face, tolerance))
            continue;
        cd_vec3 middle, nearest = nearest_on_face(part, f, p, &middle);
        double distance = cd_length3(cd_sub3(p, nearest));
        if (distance < least) {
            least = distance;
            best = a_little_to(nearest, middle);
        }
    }
    return best;
}

static cd_vec3 point_under(const cd_shell3 *part, const facing_part *facing, double tolerance, cd_vec3 p)
{
    if (facing->face >= 0)
        return point_on_face(part, facing->face, tolerance, p);
    if (facing->edge < 0)
        return cd_shell3_vertex(part, facing->vertex);
    const int32_t *end = part->edges->edge[facing->edge].vertex;
    cd_vec3 start = cd_shell3_vertex(part, end[0]), stop = cd_shell3_vertex(part, end[1]);
    return a_little_to(nearest_on_segment(start, stop, p), cd_scale3(0.5, cd_add3(start, stop)));
}

// ---- questions -----------------------------------------------------------------------------------------------------

static bool is_same_facing(const facing_part *f, const facing_part *g)
{
    return f->face == g->face && f->edge == g->edge && f->vertex == g->vertex;
}

// Is all of the part that faces along d, and that the other polyhedron is over, covered?
static bool is_side_inner(const cd_seams3 *seams, int side, const cd_shell3 *part, cd_vec3 d, int chain)
{
    if (seams->beside[side].count == 0)
        return false;
    const cd_shell3 *other = seams->shell[1 - side];
    bool is_inner = false;
    facing_part before = {-1, -1, -1};
    for (int k = 0; k < FACINGS && !is_inner; k++) {
        facing_part facing = facing_along(part, d, facing_sine[k]);
        if (is_same_facing(&facing, &before))  // whose answer is known
            return false;
        before = facing;
        is_inner = true;
        for (int32_t v = 0; v < other->convex->vertex_count && is_inner; v++)
            is_inner = is_covered(seams, side, point_under(part, &facing, seams->tolerance, cd_shell3_vertex(other, v)),
                                  d, chain);
    }
    return is_inner;
}

// What lies behind the next facet of a surface is not asked: a surface has so many that it would be asked without end,
// and the side of a facet that is not met next is not chosen as a separator.
static int chain_of(const cd_seams3 *seams, int side) { return seams->shell[side]->is_sheet ? 0 : CHAIN_MOST; }

bool cd_seams3_is_inner(const cd_seams3 *seams, cd_vec3 normal)
{
    return is_side_inner(seams, 0, seams->shell[0], normal, chain_of(seams, 0)) ||
           is_side_inner(seams, 1, seams->shell[1], cd_negate3(normal), chain_of(seams, 1));
}

// Is `past` in a part beside that p does not stand out of towards d?
static bool is_beside(const cd_seams3 *seams, int side, cd_vec3 past, cd_vec3 p, cd_vec3 d)
{
    for (int32_t i = 0; i < seams->beside[side].count; i++) {
        const cd_shell3 *part = seams->beside[side].part[i];
        if (cd_seam3_is_in(part->convex, past, seams->near) && !stands_out(part, p, d, seams->tolerance))
            return true;
    }
    return false;
}

// See cd_seam2.c.
static bool is_no_corner(const cd_seams3 *seams, int side, int32_t vertex, cd_vec3 d)
{
    const cd_shell3 *shell = seams->shell[side];
    cd_vec3 v = cd_shell3_vertex(shell, vertex);
    for (int32_t e = 0; e < shell->edges->count && seams->beside[side].count > 0; e++) {
        const int32_t *end = shell->edges->edge[e].vertex;
        if (end[0] != vertex && end[1] != vertex)
            continue;
        cd_vec3 from = cd_shell3_vertex(shell, end[0] == vertex ? end[1] : end[0]);
        if (is_beside(seams, side, a_little_to(v, cd_sub3(cd_scale3(2, v), from)), v, d))
            return true;
    }
    return false;
}

// Does one of the edge's faces go on past p in a part beside?
static bool goes_on_past(const cd_seams3 *seams, int side, int32_t edge, cd_vec3 p, cd_vec3 d)
{
    const cd_shell3 *shell = seams->shell[side];
    cd_segment3 s = cd_shell3_segment(shell, edge);
    for (int k = 0; k < 2; k++) {
        cd_vec3 n = cd_shell3_normal(shell, shell->edges->edge[edge].face[k]);
        cd_vec3 past = cd_scale3(AWAY_FROM_END * s.length, k ? cd_cross3(n, s.direction) : cd_cross3(s.direction, n));
        if (is_beside(seams, side, cd_add3(p, past), p, d))
            return true;
    }
    return false;
}

// In the corner of a hollow two edges end at each other's parts. So a point of an edge is asked about on both sides
// along it, if it has both: each of them has its edge on one.
bool cd_seams3_is_no_edge(const cd_seams3 *seams, int side, int32_t edge, cd_vec3 p, cd_vec3 d)
{
    cd_segment3 s = cd_shell3_segment(seams->shell[side], edge);
    double at = cd_dot3(s.direction, cd_sub3(p, s.start)), aside = AWAY_FROM_END * s.length;
    if (seams->beside[side].count == 0)
        return false;
    for (int k = -1; k <= 1; k += 2)
        if (at + k * aside >= 0 && at + k * aside <= s.length &&
            !goes_on_past(seams, side, edge, cd_add3(p, cd_scale3(k * aside, s.direction)), d))
            return false;
    return true;
}

// See cd_seam2.c.
static bool is_covered_around(const cd_seams3 *seams, int side, int32_t face, int32_t vertex)
{
    const cd_shell3 *shell = seams->shell[side], *other = seams->shell[1 - side];
    cd_vec3 d = cd_shell3_normal(shell, face), p = cd_shell3_vertex(other, vertex);
    if (seams->beside[side].count == 0 ||
        !is_covered(seams, side, point_on_face(shell, face, seams->tolerance, p), d, chain_of(seams, side)))
        return false;
    for (int32_t e = 0; e < other->edges->count; e++) {
        const int32_t *end = other->edges->edge[e].vertex;
        if (end[0] != vertex && end[1] != vertex)
            continue;
        cd_vec3 near_p = a_little_to(p, cd_shell3_vertex(other, end[0] == vertex ? end[1] : end[0]));
        if (!is_covered(seams, side, point_on_face(shell, face, seams->tolerance, near_p), d, chain_of(seams, side)))
            return false;
    }
    return true;
}

bool cd_seams3_is_inner_row(const cd_seams3 *seams, bool is_of_b, int32_t face, int32_t vertex)
{
    int owner = is_of_b, other = !is_of_b;
    cd_vec3 d = cd_shell3_normal(seams->shell[owner], face), p = cd_shell3_vertex(seams->shell[other], vertex);
    return is_covered_around(seams, owner, face, vertex) ||
           is_covered(seams, other, p, cd_negate3(d), chain_of(seams, other)) ||
           is_no_corner(seams, other, vertex, cd_negate3(d));
}
