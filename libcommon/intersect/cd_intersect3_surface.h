// cd_intersect3_surface -- the surface of the intersection of two convex polyhedra, in pieces, from clipped edges, for
// one width of vectors: included by cd_intersect3_faces.h alone.
//
// An edge of a body that both faces share is cut once, by all planes of the other body that it crosses: what is inside
// runs from where it comes in to where it goes out. The faces of the intersection follow from that alone. On face i of
// one body the border goes along what remains of the face's own edges and, between them, along the planes j of the
// other body; the line of i and j is on the border from one crossing to another, and each crossing of an edge with a
// plane is the end of such a line on both of the edge's faces.
//
// So the border of every face is known in pieces, and its area and first moment are sums over the pieces in any order:
// of triangles from one corner of the face to each piece. (Following the borders from piece to piece took a sixth of
// the time: their lengths are what a processor cannot foresee. For the same reason what is done of an edge does not
// branch on how it is cut: what is not there is written where nobody reads it.) Each corner that is on a border has a
// piece that leads to it and one that leads away, unless a line has one end only, two starts, or an edge lies between
// faces of which one is not active; that, and a border of two loops, come from rounding: then this method gives up. A
// second loop, or a second piece of the whole, is told by Euler's formula: a closed surface whose faces have one loop
// each has corners - edges + faces = 2. (Two of both may cancel in it: a sliver pinched in two. The sums are right all
// the same; that they are, closure says.)
// SPDX-License-Identifier: MIT
#include "cd_intersect3_planes.h"

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] of the own radius: a face with all corners nearer than this to a plane of the other body may be double or
// missing. Beyond it two planes that meet inside the faces have an angle above about 1e-5 and their line is known to
// 1e-11. Smaller: faces that are missing go unnoticed. Larger: more pairs take the slower, robust way.
#define CORNER_NEAR_PLANE 1e-5

enum { MOST_WORDS = 4 };

// ---- pieces --------------------------------------------------------------------------------------------------------

typedef struct line3 {
    int16_t start, end;  // crossings, as the border of side 0's face runs; -1: not known
} line3;

typedef struct piece3 {
    int32_t face;      // active
    int32_t from, to;  // corners
} piece3;

typedef struct line_name {
    int32_t i, j;  // active faces of side 0 and 1
} line_name;

typedef struct surface3 {
    cd_corner3 *at;        // corners by number: the vertices of both sides as in cd_convex_pair3, crossings
    uint64_t *outside[2];  // [vertices x words] of each side's vertices: planes of the other side
    double *height[2];     // [vertices x other's padded] [m] above these planes; only where words is 1
    int32_t *active[2];    // active number of a face's planar face, -1: none; of face -1 as well
    int32_t *whole[2];     // the same of active faces; NULL: each is a planar face
    int32_t *remaining;    // edges not wholly outside a plane
    line3 *line;           // [active of 0 x active of 1], and one more that is nobody's
    line_name *started;    // lines with a start
    piece3 *piece[2];      // on the faces of each side
    int32_t *origin[2];    // [active, and one that is nobody's] a corner of each face, -1: it has no pieces
    int32_t pieces[2];
    struct face_sum3 *sum[2];  // [active]
    int32_t *bordered[2];      // active faces that have pieces
    int32_t borders[2];
    int32_t *inside[2];  // vertices outside no plane
    int32_t insides[2];
    int32_t vertices, crossings, lines;
    int32_t clash;  // not 0: a line has two starts or two ends
} surface3;

enum { MOST_CROSSINGS = 32000 };  // line3 counts in 16 bits

static inline double height_above(const cd_convex_pair3_side *planes, int32_t plane, cd_vec3 p)
{
    return planes->nx[plane] * p.x + planes->ny[plane] * p.y + planes->nz[plane] * p.z - planes->offset[plane];
}

// Masks of the vertices of side s, and their heights where they are kept. *near (or NULL): one of them is near a plane
// of the other side. False when such a plane has all of them outside: *gap is then their least distance from it.
// (Planes go outermost, so that a vector of them is loaded once: hulls of 64 vertices 4.4 us -> 3.9 for the whole
// contact.)
static inline __attribute__((always_inline)) bool classify(const int words, const cd_convex_pair3 *pair, int s,
                                                           surface3 *o, bool *near, double *gap)
{
    const cd_convex_pair3_side *subject = &pair->side[s], *cutter = &pair->side[1 - s];
    int32_t vertices = subject->body->vertex_count, padded = cutter->padded;
    const cd_corner3 *at = subject->at;
    // Words behind the cutter's last plane.
    for (int32_t w = (padded + 63) / 64; w < words; w++)
        for (int32_t i = 0; i < vertices; i++)
            o->outside[s][(size_t)words * (size_t)i + (size_t)w] = 0;
    // A vector of planes against every corner.
    vec zero = v_all(0), nearest_height = v_all(INFINITY);
    bool is_separated = false;
    for (int32_t first = 0; first < padded; first += WIDTH) {
        vec nx = v_load(cutter->nx + first), ny = v_load(cutter->ny + first), nz = v_load(cutter->nz + first);
        vec offset = v_load(cutter->offset + first);
        uint64_t *mask = o->outside[s] + first / 64, all = ((uint64_t)1 << WIDTH) - 1;
        double *height = o->height[s] + first;
        for (int32_t i = 0; i < vertices; i++, mask += words) {
            vec along = v_add(v_add(v_mul(nx, v_all(at[i].x)), v_mul(ny, v_all(at[i].y))), v_mul(nz, v_all(at[i].z)));
            vec above = v_sub(along, offset);
            uint64_t bits = v_greater(above, zero);
            if (near)
                nearest_height = v_min(nearest_height, v_abs(above));
            all &= bits;
            *mask = first % 64 ? *mask | bits << (first & 63) : bits;
            if (words == 1) {
                v_store(height, above);
                height += padded;
            }
        }
        // Planes with all corners outside: how far the nearest is.
        for (is_separated |= all != 0; all; all &= all - 1) {
            double least = INFINITY;
            for (int32_t i = 0; i < vertices; i++)
                least = fmin(least, height_above(cutter, first + __builtin_ctzll(all), cd_corner3_point(&at[i])));
            *gap = fmax(*gap, least);
        }
    }
    if (near)
        *near = v_greater(v_all(CORNER_NEAR_PLANE * subject->body->radius), nearest_height) != 0;
    return !is_separated;
}
// Whether all corners of an active face of side 0 lie near one and the same plane of side 1.
static bool has_near_face(const cd_convex_pair3 *pair)
{
    const cd_convex3 *body = pair->side[0].body;
    const cd_corner3 *at = pair->side[0].at;
    double band = CORNER_NEAR_PLANE * body->radius;
    for (int32_t k = 0; k < pair->side[0].active; k++) {
        int32_t face = pair->side[0].face[k], first = body->face_first[face], last = body->face_first[face + 1];
        for (int32_t j = 0; j < pair->side[1].active; j++) {
            int32_t i = first;
            while (i < last &&
                   fabs(height_above(&pair->side[1], j, cd_corner3_point(&at[body->face_vertex[i]]))) < band)
                i++;
            if (i == last)
                return true;
        }
    }
    return false;
}

#if defined(__AVX512F__)
// The same eight edges at a time, where the masks of all vertices fit into two vectors. Entry 0 of an edge is where a
// permutation looks for its index. (Hulls of 16 vertices: a tenth of the whole contact. Masks just written one by one
// have to reach the cache before a vector of them can be loaded: no gain for a dozen edges.)
enum { FEW_VERTICES = 16, SOME_EDGES = 16 };
static inline int32_t list_remaining_of_few(const cd_convex3 *body, const uint64_t *outside, int32_t *list)
{
    uint32_t valid = (1u << body->vertex_count) - 1;
    __m512i front = _mm512_maskz_loadu_epi64((__mmask8)valid, outside);
    __m512i back = _mm512_maskz_loadu_epi64((__mmask8)(valid >> 8), outside + 8);
    __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int32_t count = 0;
    for (int32_t e = 0; e < body->edge_count; e += 8) {
        uint32_t there = body->edge_count - e < 8 ? (1u << (body->edge_count - e)) - 1 : 255;
        __m512i edge = _mm512_maskz_loadu_epi64((__mmask8)there, body->short_edge + e);
        __m512i u = _mm512_permutex2var_epi64(front, edge, back);
        __m512i v = _mm512_permutex2var_epi64(front, _mm512_srli_epi64(edge, 16), back);
        __mmask8 kept = _mm512_mask_testn_epi64_mask((__mmask8)there, u, v);
        _mm256_storeu_si256((__m256i *)(list + count), _mm256_maskz_compress_epi32(kept, number));
        number = _mm256_add_epi32(number, _mm256_set1_epi32(8));
        count += __builtin_popcount(kept);
    }
    return count;
}
#endif

// Lists the edges that no plane of the other side has wholly outside, without a branch on any of them. The list is
// overrun by less than eight.
static inline __attribute__((always_inline)) int32_t list_remaining(const int words, const cd_convex3 *body,
                                                                    const uint64_t *outside, int32_t *list)
{
#if defined(__AVX512F__)
    if (words == 1 && body->vertex_count <= FEW_VERTICES && body->edge_count > SOME_EDGES && body->short_edge)
        return list_remaining_of_few(body, outside, list);
#endif
    int32_t count = 0;
    for (int32_t e = 0; e < body->edge_count; e++) {
        cd_edge3 edge = cd_convex3_edge(body, e);
        const uint64_t *u = outside + (size_t)words * (size_t)edge.vertex[0];
        const uint64_t *v = outside + (size_t)words * (size_t)edge.vertex[1];
        uint64_t both = u[0] & v[0];
        for (int w = 1; w < words; w++)
            both |= u[w] & v[w];
        list[count] = e;
        count += both == 0;
    }
    return count;
}

// Where an edge enters and leaves the other body.
typedef struct span3 {
    // [1] how far it goes from the second vertex to the first, and from the first to the second, in 0 .. 1; infinite:
    // to the vertex itself
    double back, ahead;
    int32_t enters, leaves;  // the planes there, -1: none
} span3;

#if defined(__AVX512F__)
// The same of one or two vectors of planes at once. Of planes at the same place the lowest, as one by one.
static inline __attribute__((always_inline)) span3 find_span_of_lanes(const int vectors, const uint64_t *outside_u,
                                                                      const uint64_t *outside_v, const double *height_u,
                                                                      const double *height_v)
{
    uint32_t entered = (uint32_t)*outside_u, left = (uint32_t)*outside_v, enters = 0, leaves = 0;
    vec none = v_all(INFINITY), back[2], ahead[2];
    for (int k = 0; k < vectors; k++) {
        __mmask8 in = (__mmask8)(entered >> WIDTH * k), out = (__mmask8)(left >> WIDTH * k);
        vec at_u = v_load(height_u + WIDTH * k), at_v = v_load(height_v + WIDTH * k);
        vec below = _mm512_mask_blend_pd(in, at_u, at_v), above = _mm512_mask_blend_pd(in, at_v, at_u);
        vec t = v_abs(_mm512_maskz_div_pd(in | out, below, v_sub(below, above)));
        back[k] = _mm512_mask_mov_pd(none, in, t);
        ahead[k] = _mm512_mask_mov_pd(none, out, t);
    }
    span3 span = {v_least(vectors == 1 ? back[0] : v_min(back[0], back[1])),
                  v_least(vectors == 1 ? ahead[0] : v_min(ahead[0], ahead[1])), -1, -1};
    for (int k = 0; k < vectors; k++) {
        enters |= (uint32_t)(255 & ~v_greater(back[k], v_all(span.back))) << WIDTH * k;
        leaves |= (uint32_t)(255 & ~v_greater(ahead[k], v_all(span.ahead))) << WIDTH * k;
    }
    span.enters = entered ? __builtin_ctz(enters & entered) : -1;
    span.leaves = left ? __builtin_ctz(leaves & left) : -1;
    return span;
}
#endif

// The first planes on the ways between u and v. Each plane in the masks has one of the two outside.
static inline __attribute__((always_inline)) span3 find_span(const int words, const cd_convex_pair3_side *subject,
                                                             const cd_convex_pair3_side *cutter,
                                                             const uint64_t *outside, const double *height, int32_t u,
                                                             int32_t v)
{
    const uint64_t *outside_u = outside + (size_t)words * (size_t)u, *outside_v = outside + (size_t)words * (size_t)v;
    const double *height_u = height + (size_t)cutter->padded * (size_t)u;
    const double *height_v = height + (size_t)cutter->padded * (size_t)v;
#if defined(__AVX512F__)
    if (words == 1 && cutter->padded == WIDTH)
        return find_span_of_lanes(1, outside_u, outside_v, height_u, height_v);
    if (words == 1 && cutter->padded == 2 * WIDTH)
        return find_span_of_lanes(2, outside_u, outside_v, height_u, height_v);
#endif
    span3 span = {INFINITY, INFINITY, -1, -1};
    for (int w = 0; w < words; w++) {
        for (uint64_t bits = outside_u[w] | outside_v[w]; bits; bits &= bits - 1) {
            int bit = __builtin_ctzll(bits);
            int32_t plane = 64 * w + bit;
            double at_u =
                words == 1 ? height_u[plane] : height_above(cutter, plane, cd_convex_pair3_vertex(subject, u));
            double at_v =
                words == 1 ? height_v[plane] : height_above(cutter, plane, cd_convex_pair3_vertex(subject, v));
            bool is_entered = at_u > 0;
            double below = is_entered ? at_v : at_u, above = is_entered ? at_u : at_v;
            double t = fabs(below / (below - above));  // `below` is not positive, `above` is: 0 <= t <= 1, and no -0
            bool is_first_back = is_entered & (t < span.back), is_first_ahead = !is_entered & (t < span.ahead);
            span.back = is_first_back ? t : span.back;
            span.enters = is_first_back ? plane : span.enters;
            span.ahead = is_first_ahead ? t : span.ahead;
            span.leaves = is_first_ahead ? plane : span.leaves;
        }
    }
    return span;
}

// Lines by number, and where they start. (A struct of its own that no pointer leads to: the compiler keeps it in
// registers.)
typedef struct lines3 {
    line3 *line;
    line_name *started;
    int32_t count, clash;
    size_t of_own, of_other;  // a line is number own * of_own + other * of_other
    size_t nobody;            // the line that is nobody's
    const int32_t *whole;     // active number of the planar face of each active face of the other body; NULL: the same
    bool is_second;
} lines3;

// The corner where an edge crosses a plane, at which the line on one of its faces starts and that on the other ends.
// is_there: 0 or 1.
static inline void add_crossing(lines3 *lines, int32_t is_there, int32_t crossing, int32_t plane, int32_t starts,
                                int32_t ends)
{
    plane = is_there ? plane : 0;
    if (lines->whole)
        plane = lines->whole[plane];
    size_t other = (size_t)plane * lines->of_other;
    line3 *start = &lines->line[is_there ? (size_t)starts * lines->of_own + other : lines->nobody];
    line3 *end = &lines->line[is_there ? (size_t)ends * lines->of_own + other : lines->nobody];
    lines->clash |= -is_there & (~start->start | ~end->end);
    start->start = (int16_t)crossing;
    end->end = (int16_t)crossing;
    lines->started[lines->count] = lines->is_second ? (line_name){plane, starts} : (line_name){starts, plane};
    lines->count += is_there;
}

// On the way from a to b by t of it.
static inline void put_between(const cd_corner3 *a, const cd_corner3 *b, double t, cd_corner3 *to)
{
    quad p = q_corner(a), q = q_corner(b);
    q_store(&to->x, q_add(p, q_scale(t, q_sub(q, p))));
}

// What is left of side s's edges, and where the lines on its faces start and end.
static inline __attribute__((always_inline)) bool clip_edges(const int words, const cd_convex_pair3 *pair, int s,
                                                             surface3 *o)
{
    const cd_convex_pair3_side *subject = &pair->side[s], *cutter = &pair->side[1 - s];
    const cd_convex3 *body = subject->body;
    const uint64_t *outside = o->outside[s];
    const double *height = o->height[s];
    const int32_t *active = o->active[s], *remaining = o->remaining;
    int32_t nobody = subject->active, first_vertex = (int32_t)(subject->at - o->at), vertices = o->vertices;
    int32_t count = list_remaining(words, body, outside, o->remaining), crossings = o->crossings;
    if (crossings + 2 * count > MOST_CROSSINGS)
        return false;
    cd_corner3 *crossed = o->at + vertices;
    const cd_corner3 *vertex = subject->at;
    piece3 *piece = o->piece[s];
    int32_t *origin = o->origin[s], pieces = 0, is_open = 0;
    size_t columns = (size_t)pair->side[1].active;
    lines3 lines = {o->line,
                    o->started,
                    o->lines,
                    o->clash,
                    s ? 1 : columns,
                    s ? columns : 1,
                    (size_t)pair->side[0].active * columns,
                    o->whole[1 - s],
                    s == 1};
    for (int32_t k = 0; k < count; k++) {
        cd_edge3 edge = cd_convex3_edge(body, remaining[k]);
        int32_t u = edge.vertex[0], v = edge.vertex[1];
        span3 span = find_span(words, subject, cutter, outside, height, u, v);
        int32_t left = active[edge.face[0]], right = active[edge.face[1]];
        int32_t is_left = span.back + span.ahead > 1, has_faces = (left | right) >= 0;
        is_open |= is_left & ~has_faces;
        is_left &= has_faces;
        left = is_left ? left : nobody;
        right = is_left ? right : nobody;
        // Side 0's faces are to the left of their borders, and side 1's borders run against them on the same line.
        int32_t in_starts = s ? left : right, in_ends = s ? right : left;
        int32_t enters = is_left & (span.enters >= 0), leaves = is_left & (span.leaves >= 0);
        int32_t from = enters ? vertices + crossings : first_vertex + u;
        put_between(&vertex[v], &vertex[u], span.back, &crossed[crossings]);
        add_crossing(&lines, enters, crossings, span.enters, in_starts, in_ends);
        crossings += enters;
        int32_t to = leaves ? vertices + crossings : first_vertex + v;
        put_between(&vertex[u], &vertex[v], span.ahead, &crossed[crossings]);
        add_crossing(&lines, leaves, crossings, span.leaves, in_ends, in_starts);
        crossings += leaves;
        piece[pieces] = (piece3){left, from, to};
        piece[pieces + 1] = (piece3){right, to, from};
        pieces += 2 * is_left;
        origin[left] = from;
        origin[right] = to;
    }
    o->crossings = crossings;
    o->pieces[s] = pieces;
    o->lines = lines.count;
    o->clash = lines.clash;
    return !is_open;
}

// The borders' pieces along the lines; false when one has no end.
static inline bool join_lines(const cd_convex_pair3 *pair, surface3 *o)
{
    const line3 *line = o->line;
    const line_name *started = o->started;
    piece3 *first = o->piece[0] + o->pieces[0], *second = o->piece[1] + o->pieces[1];
    int32_t missing = 0, lines = o->lines, vertices = o->vertices;
    size_t columns = (size_t)pair->side[1].active;
    for (int32_t k = 0; k < lines; k++) {
        line_name name = started[k];
        line3 l = line[(size_t)name.i * columns + (size_t)name.j];
        missing |= l.end;
        first[k] = (piece3){name.i, vertices + l.start, vertices + l.end};
        second[k] = (piece3){name.j, vertices + l.end, vertices + l.start};
        o->origin[0][name.i] = vertices + l.start;
        o->origin[1][name.j] = vertices + l.start;
    }
    o->pieces[0] += lines;
    o->pieces[1] += lines;
    return missing >= 0 && o->clash == 0;
}
