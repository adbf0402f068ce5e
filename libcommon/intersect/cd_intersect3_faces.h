// The intersection by clipped edges, for one width of vectors: included by cd_intersect3_clip.c, _avx2.c and _avx512.c,
// which compile it for their machines. No sum runs across lanes and nothing is contracted, so that all widths give the
// same bits.
//
// Every vertex gets a mask of the other body's active planes that it is outside of; the AND over an edge's ends drops
// the edge, the OR names the planes that cut it. What remains of the edges, with the crossings where they are cut, is
// enough to know the faces of the intersection (see "the surface"). Each corner is made once, on an edge of one body,
// whatever the angles; what remains of a face enters the sums of the divergence theorem, and the closure of the area
// vectors tells when planes and corners do not agree. (Cutting each face by itself, with a pool of masked corners,
// takes 1.4 to 1.8 times as long: every crossing is found two or three times.)
// SPDX-License-Identifier: MIT

// Loops unrolled and functions inlined as -O3 does bring 4 %; the compiler's own vectors, made of the three numbers of
// a point, cost 5 % (gcc 12).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3,no-tree-vectorize")
#endif
#include "cd_intersect3_planes.h"

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] of the own radius: a face with all corners nearer than this to a plane of the other body may be double or
// missing. Beyond it two planes that meet inside the faces have an angle above about 1e-5 and their line is known to
// 1e-11. Smaller: faces that are missing go unnoticed. Larger: more pairs take the slower, robust way.
#define CORNER_NEAR_PLANE 1e-5
// [1] What an open surface may cost: of the volume, and of size times area. Smaller: more pairs take the robust way.
// Larger: volumes wrong by as much.
#define SURFACE_OPEN_OF_VOLUME 1e-11
#define SURFACE_OPEN_OF_AREA 2e-15
// [1] of the tolerance: an extent below which corners' rounding may be all there is. Smaller: slivers of rounding count
// as volumes. Larger: thin overlaps take the robust way.
#define EXTENT_OF_TOLERANCE 128

enum { MOST_WORDS = 4 };

// ---- the surface ---------------------------------------------------------------------------------------------------
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

// ---- measures ------------------------------------------------------------------------------------------------------

// Of a face, sums over the triangles that its pieces make with its origin.
typedef struct face_sum3 {
    cd_vec3 moment;     // [m^3] 6 times the first moment
    double twice_area;  // [m^2]
} face_sum3;
_Static_assert(sizeof(face_sum3) == 4 * sizeof(double), "one vector: a triangle's three corners and 1, times its area");

typedef struct sums3 {
    cd_vec3 closure;      // [m^2] twice the sum of the area vectors
    cd_vec3 area_moment;  // [m^3] 6 times the first moment of the surface
    cd_vec3 moment;       // [m^4] 24 times the first moment of the volume
    double six_volumes;   // [m^3]
    double twice_area;    // [m^2]
    cd_vec3 push;         // [m^4] 4 times the sum of A^2 N over outer faces of a minus those of b
    double pushes;        // [m^4] 4 times the sum of A^2
} sums3;

static inline void sum_pieces(surface3 *o, const cd_convex_pair3_side *side, int s)
{
    const piece3 *piece = o->piece[s];
    const int32_t *origin = o->origin[s], *face = side->face;
    const cd_corner3 *at = o->at;
    const cd_plane *plane = side->body->plane;
    face_sum3 *sum = o->sum[s];
    int32_t pieces = o->pieces[s], borders = 0, *bordered = o->bordered[s];
    for (int32_t k = 0; k < side->active; k++) {
        bordered[borders] = k;
        borders += origin[k] >= 0;
        q_store(&sum[k].moment.x, q_zero());
    }
    o->borders[s] = borders;
    for (int32_t k = 0; k < pieces; k++) {
        piece3 l = piece[k];
        quad r = q_corner(&at[origin[l.face]]), p = q_corner(&at[l.from]), q = q_corner(&at[l.to]);
        double twice_area = q_dot(q_cross(q_sub(p, r), q_sub(q, r)), q_normal(&plane[face[l.face]]));
        double *to = &sum[l.face].moment.x;
        q_store(to, q_add(q_load(to), q_scale(twice_area, q_with_one(q_add(q_add(p, q), r)))));
    }
}

// Of both sides; the volume's moment only where it is asked for.
static inline sums3 sum_faces(const surface3 *o, const cd_convex_pair3 *pair, bool with_moment)
{
    quad closure = q_zero(), area_moment = q_zero(), moment = q_zero(), push = q_zero();
    sums3 sums = {.six_volumes = 0};
    for (int s = 0; s < 2; s++) {
        const cd_convex_pair3_side *side = &pair->side[s];
        const int32_t *surface = side->body->surface;
        quad sign = q_of(side->is_b ? (cd_vec3){-1, -1, -1} : (cd_vec3){1, 1, 1});
        for (int32_t i = 0; i < o->borders[s]; i++) {
            int32_t k = o->bordered[s][i], face = side->face[k];
            quad of_face = q_load(&o->sum[s][k].moment.x), normal = q_normal(&side->body->plane[face]);
            double twice_area = o->sum[s][k].twice_area, height = side->offset[k];
            double outer_area = ((surface && surface[face] < 0) | !(twice_area > 0)) ? 0 : twice_area;
            push = q_add(push, q_mul(sign, q_scale(outer_area * outer_area, normal)));
            sums.pushes += outer_area * outer_area;
            closure = q_add(closure, q_scale(twice_area, normal));
            area_moment = q_add(area_moment, of_face);
            if (with_moment)
                moment = q_add(moment, q_scale(height, of_face));
            sums.six_volumes += height * twice_area;
            sums.twice_area += twice_area;
        }
    }
    sums.closure = q_vec3(closure);
    sums.area_moment = q_vec3(area_moment);
    sums.moment = q_vec3(moment);
    sums.push = q_vec3(push);
    return sums;
}

// Lists a side's vertices that are outside no plane.
static inline __attribute__((always_inline)) void list_inside(const int words, const cd_convex_pair3_side *side, int s,
                                                              surface3 *o)
{
    const uint64_t *outside = o->outside[s];
    int32_t vertices = side->body->vertex_count, count = 0, *inside = o->inside[s];
    for (int32_t i = 0; i < vertices; i++, outside += words) {
        uint64_t any = outside[0];
        for (int w = 1; w < words; w++)
            any |= outside[w];
        inside[count] = i;
        count += any == 0;
    }
    o->insides[s] = count;
}

// How many of a side's vertices are on a border: those inside, but that vertices inside a planar side that came as
// several faces have no edges.
static inline int32_t count_vertices(const surface3 *o, const cd_convex_pair3_side *side, int s, cd_arena *arena)
{
    if (!side->body->planar_face)
        return o->insides[s];
    int32_t vertices = side->body->vertex_count, first = (int32_t)(side->at - o->at), count = 0;
    bool *seen = CD_ARENA_ZARRAY(arena, bool, vertices);
    for (int32_t k = 0; k < o->pieces[s]; k++) {
        int32_t i = o->piece[s][k].from - first;
        if (i >= 0 && i < vertices) {
            count += !seen[i];
            seen[i] = true;
        }
    }
    return count;
}

static void list_faces(const surface3 *o, const cd_convex_pair3_side *side, int s, cd_intersect3 *result)
{
    for (int32_t i = 0; i < o->borders[s]; i++) {
        int32_t k = o->bordered[s][i];
        double twice_area = o->sum[s][k].twice_area;
        if (!(twice_area > 0))
            continue;
        result->face[result->face_count++] =
            (cd_intersect3_face){.a = side->is_b ? -1 : side->face[k],
                                 .b = side->is_b ? side->face[k] : -1,
                                 .first = k,  // of the side, until the face has its loop
                                 .area = 0.5 * twice_area,
                                 .normal = cd_convex_pair3_normal(side, k),
                                 .centroid = cd_scale3(1 / (3 * twice_area), o->sum[s][k].moment)};
    }
}

// The loops of corners of the faces in the result that are of side s; false when a border is not one loop.
static bool follow_borders(const surface3 *o, const cd_convex_pair3_side *side, int s, int32_t first_face,
                           cd_intersect3 *result, cd_arena *arena)
{
    int32_t *latest = CD_ARENA_ARRAY(arena, int32_t, side->active),
            *before = CD_ARENA_ARRAY(arena, int32_t, o->pieces[s]);
    int32_t *after = CD_ARENA_ARRAY(arena, int32_t, o->vertices + o->crossings);
    memset(latest, -1, (size_t)side->active * sizeof *latest);
    for (int32_t k = 0; k < o->pieces[s]; k++) {
        before[k] = latest[o->piece[s][k].face];
        latest[o->piece[s][k].face] = k;
    }
    for (int32_t f = first_face; f < result->face_count; f++) {
        cd_intersect3_face *face = &result->face[f];
        cd_vec3 *loop = result->corner + result->corner_count;
        int32_t active = face->first, first = o->origin[s][active], count = 0, seen = 0;
        for (int32_t k = latest[active]; k >= 0; k = before[k], count++)
            after[o->piece[s][k].from] = o->piece[s][k].to;
        int32_t corner = first;
        do {
            loop[seen++] = cd_corner3_point(&o->at[corner]);
            corner = after[corner];
        } while (corner != first && seen < count);
        if (corner != first || seen != count)
            return false;
        face->first = result->corner_count;
        face->count = count;
        result->corner_count += count;
    }
    return true;
}

// Where the surface is not closed the sum depends on the point that heights are measured from: take the surface's
// centroid, then an opening can cost no more than its area times the extent, for which the root of the area stands.
static inline bool set_measures(const cd_convex_pair3 *pair, const surface3 *o, const sums3 *sums,
                                cd_intersect3 *result)
{
    double area = 0.5 * sums->twice_area, defect = 0.5 * cd_length3(sums->closure);
    cd_vec3 middle = cd_scale3(1 / (3 * sums->twice_area), sums->area_moment);
    double volume = (sums->six_volumes - cd_dot3(middle, sums->closure)) / 6;
    // A convex body's inner ball has a radius of at least volume / area. Corners made within their own rounding of each
    // other have a volume by chance.
    double noise = EXTENT_OF_TOLERANCE * pair->tolerance;
    if (!(volume > pair->tolerance * area) || !(area > noise * noise) ||
        !(defect * sqrt(area) <= SURFACE_OPEN_OF_VOLUME * volume + SURFACE_OPEN_OF_AREA * pair->size * area))
        return false;
    result->path = CD_INTERSECT3_FACES;
    result->volume = volume;
    result->area = area;
    result->closure = defect / area;
    result->origin = pair->origin;
    result->centroid = cd_add3(pair->origin, cd_scale3(1 / (24 * volume), sums->moment));
    // Contained: no face lies on the other body.
    bool has_a = o->borders[pair->side[0].is_b] > 0, has_b = o->borders[pair->side[1].is_b] > 0;
    result->status = !has_b ? CD_INTERSECT3_A_IN_B : !has_a ? CD_INTERSECT3_B_IN_A : CD_INTERSECT3_OVERLAPPING;
    return true;
}

// ---- the push ------------------------------------------------------------------------------------------------------

// What a contact is made of, from the sums over faces and the corners.
static inline void set_push(const cd_convex_pair3 *pair, const surface3 *o, const sums3 *sums,
                            cd_convex_pair3_push *push)
{
    double length = cd_length3(sums->push);
    push->point = cd_add3(pair->origin, cd_scale3(1 / (3 * sums->twice_area), sums->area_moment));
    push->cancels = !(length > CD_CONVEX_PAIR3_CANCELS * sums->pushes);
    push->normal = cd_scale3(1 / length, sums->push);
    quad normal = q_of(push->normal);
    double low = INFINITY, high = -INFINITY;
    for (int s = 0; s < 2; s++) {
        for (int32_t i = 0; i < o->insides[s]; i++) {
            double height = q_dot(normal, q_corner(&pair->side[s].at[o->inside[s][i]]));
            low = height < low ? height : low;
            high = height > high ? height : high;
        }
    }
    for (int32_t i = 0; i < o->crossings; i++) {
        double height = q_dot(normal, q_corner(&o->at[o->vertices + i]));
        low = height < low ? height : low;
        high = height > high ? height : high;
    }
    push->extent = high - low;
}

// ---- the two bodies ------------------------------------------------------------------------------------------------

static inline void *carve(char **memory, size_t count, size_t size)
{
    void *piece = *memory;
    *memory += count * size;
    return piece;
}

// All memory at once; its arrays follow each other by falling alignment.
static inline void new_surface(int words, const cd_convex_pair3 *pair, surface3 *o, cd_arena *arena)
{
    const cd_convex_pair3_side *a = &pair->side[0], *b = &pair->side[1];
    size_t vertices_a = (size_t)a->body->vertex_count, vertices_b = (size_t)b->body->vertex_count;
    size_t edges_a = (size_t)a->body->edge_count, edges_b = (size_t)b->body->edge_count, edges = edges_a + edges_b;
    size_t faces = (size_t)a->active + (size_t)b->active, lines = (size_t)a->active * (size_t)b->active + 1;
    size_t masks = (size_t)words * (vertices_a + vertices_b);
    size_t heights_a = words == 1 ? vertices_a * (size_t)b->padded : 0;
    size_t heights_b = words == 1 ? vertices_b * (size_t)a->padded : 0;
    size_t all_faces = (size_t)a->body->face_count + (size_t)b->body->face_count + 2;
    bool has_planar_faces = a->body->planar_face || b->body->planar_face;
    // Two pieces for what is left of an edge, one on either side for each crossing, and one of each is overrun.
    size_t pieces_a = 2 * edges_a + 2 * edges + 2, pieces_b = 2 * edges_b + 2 * edges + 2;
    size_t bytes = faces * sizeof(face_sum3) + (masks + heights_a + heights_b) * sizeof(double) +
                   (2 * edges + 1) * sizeof(line_name) + (pieces_a + pieces_b) * sizeof(piece3) +
                   lines * sizeof(line3) +
                   (all_faces + faces + 2 + faces + 2 + vertices_a + vertices_b + 2 + edges + 8 +
                    (has_planar_faces ? faces + 2 : 0)) *
                       sizeof(int32_t);
    char *memory = cd_arena_alloc(arena, bytes);
    o->sum[0] = carve(&memory, faces, sizeof(face_sum3));
    o->sum[1] = o->sum[0] + a->active;
    o->at = pair->corner;
    o->outside[0] = carve(&memory, masks, sizeof(uint64_t));
    o->outside[1] = o->outside[0] + (size_t)words * vertices_a;
    o->height[0] = carve(&memory, heights_a, sizeof(double));
    o->height[1] = carve(&memory, heights_b, sizeof(double));
    o->started = carve(&memory, 2 * edges + 1, sizeof(line_name));
    o->piece[0] = carve(&memory, pieces_a, sizeof(piece3));
    o->piece[1] = carve(&memory, pieces_b, sizeof(piece3));
    o->line = carve(&memory, lines, sizeof(line3));
    o->origin[0] = carve(&memory, faces + 2, sizeof(int32_t));
    o->origin[1] = o->origin[0] + a->active + 1;
    o->active[0] = carve(&memory, all_faces, sizeof(int32_t));
    memset(o->line, -1, (size_t)((char *)(o->active[0] + all_faces) - (char *)o->line));  // these three
    o->active[0]++;
    o->active[1] = o->active[0] + a->body->face_count + 1;
    o->bordered[0] = carve(&memory, faces + 2, sizeof(int32_t));
    o->bordered[1] = o->bordered[0] + a->active + 1;
    o->inside[0] = carve(&memory, vertices_a + 1, sizeof(int32_t));
    o->inside[1] = carve(&memory, vertices_b + 1, sizeof(int32_t));
    o->remaining = carve(&memory, edges + 8, sizeof(int32_t));
    o->whole[0] = a->body->planar_face ? carve(&memory, (size_t)a->active + 1, sizeof(int32_t)) : NULL;
    o->whole[1] = b->body->planar_face ? carve(&memory, (size_t)b->active + 1, sizeof(int32_t)) : NULL;
    o->vertices = (int32_t)(b->at - a->at) + cd_convex3_padded(b->body->vertex_count);
    o->crossings = o->pieces[0] = o->pieces[1] = o->lines = 0;
    o->clash = 0;
}

// Faces in one plane are one: which of them an edge crosses first is up to rounding.
static inline void number_faces(const cd_convex_pair3_side *side, int32_t *active, int32_t *whole)
{
    const int32_t *face = side->face;
    int32_t count = side->active;
    for (int32_t k = 0; k < count; k++)
        active[face[k]] = k;
    if (!whole)
        return;
    whole[0] = 0;  // where no plane is active: what is not there is looked up as well
    const int32_t *lowest = side->body->planar_face;
    for (int32_t k = count - 1; k >= 0; k--)
        active[lowest[face[k]]] = k;
    for (int32_t k = 0; k < count; k++)
        active[face[k]] = whole[k] = active[lowest[face[k]]];
}

// Faces and loops of the result; false when a border is not one loop.
static bool list_all_faces(const cd_convex_pair3 *pair, const surface3 *o, cd_intersect3 *result, cd_arena *arena)
{
    result->face = CD_ARENA_ARRAY(arena, cd_intersect3_face, pair->side[0].active + pair->side[1].active);
    result->corner = CD_ARENA_ARRAY(arena, cd_vec3, o->pieces[0] + o->pieces[1]);  // a face has as many as pieces
    result->face_count = result->corner_count = 0;
    for (int s = 0; s < 2; s++) {
        int32_t first = result->face_count;
        list_faces(o, &pair->side[s], s, result);
        if (!follow_borders(o, &pair->side[s], s, first, result, arena))
            return false;
    }
    return true;
}

static inline __attribute__((always_inline)) cd_convex_pair3_verdict
clip_both(const int words, const cd_convex_pair3 *pair, cd_intersect3 *result, cd_convex_pair3_push *push,
          cd_arena *arena)
{
    surface3 surface, *o = &surface;
    new_surface(words, pair, o, arena);
    bool near = false;
    double gap = -INFINITY;
    bool overlap = classify(words, pair, 0, o, &near, &gap);
    overlap &= classify(words, pair, 1, o, NULL, &gap);
    if (!overlap)
        return gap > CD_CONVEX_PAIR3_GAP * pair->tolerance ? CD_CONVEX_PAIR3_APART : CD_CONVEX_PAIR3_UNCLEAR;
    for (int s = 0; s < 2; s++)
        number_faces(&pair->side[s], o->active[s], o->whole[s]);
    if ((near && has_near_face(pair)) || !clip_edges(words, pair, 0, o) || !clip_edges(words, pair, 1, o) ||
        !join_lines(pair, o))
        return CD_CONVEX_PAIR3_UNCLEAR;
    int32_t euler = o->crossings - (o->pieces[0] + o->pieces[1]) / 2;
    for (int s = 0; s < 2; s++) {
        list_inside(words, &pair->side[s], s, o);
        euler += count_vertices(o, &pair->side[s], s, arena);
        sum_pieces(o, &pair->side[s], s);
    }
    sums3 sums = sum_faces(o, pair, !push);
    if (euler + o->borders[0] + o->borders[1] != 2 || !set_measures(pair, o, &sums, result))
        return CD_CONVEX_PAIR3_UNCLEAR;
    if (push)
        set_push(pair, o, &sums, push);
    return push || list_all_faces(pair, o, result, arena) ? CD_CONVEX_PAIR3_DONE : CD_CONVEX_PAIR3_UNCLEAR;
}

static cd_convex_pair3_verdict clip(const cd_convex_pair3 *pair, cd_intersect3 *result, cd_convex_pair3_push *push,
                                    cd_arena *arena)
{
    int32_t most = pair->side[0].active > pair->side[1].active ? pair->side[0].active : pair->side[1].active;
    cd_convex_pair3_verdict verdict = most <= 64                ? clip_both(1, pair, result, push, arena)
                                      : most <= 128             ? clip_both(2, pair, result, push, arena)
                                      : most <= 64 * MOST_WORDS ? clip_both(MOST_WORDS, pair, result, push, arena)
                                                                : CD_CONVEX_PAIR3_UNCLEAR;
    v_leave();
    return verdict;
}
