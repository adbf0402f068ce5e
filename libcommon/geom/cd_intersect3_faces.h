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

// The compiler's own vectors, made of the three numbers of a point, cost more than they bring here: 5 % (gcc 12).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize")
#endif
#include "cd_intersect3_lanes.h"
#include "cd_intersect3_pair.h"

#include <float.h>

// [1] of the own radius: a face with all corners nearer than this to a plane of the other body may be double or
// missing. Beyond it two planes that meet inside the faces have an angle above about 1e-5 and their line is known to
// 1e-11.
#define NEAR_PLANE 1e-5
// [1] What an open surface may cost: of the volume, and of size times area.
#define OPEN_OF_VOLUME 1e-11
#define OPEN_OF_AREA 2e-15
// [1] of the tolerance: an extent below which corners' rounding may be all there is.
#define CORNER_NOISE 128

enum { MOST_WORDS = 4 };

// ---- preparation -------------------------------------------------------------------------------------------------

// What two ranges have in common; false when that is empty by more than the tolerance.
static inline bool common_range(double a_low, double a_high, double b_low, double b_high, double tolerance,
                                double *centre, double *half)
{
    double low = a_low > b_low ? a_low : b_low, high = a_high < b_high ? a_high : b_high;
    *centre = 0.5 * low + 0.5 * high;
    double below = *centre - low, above = high - *centre, h = below > above ? below : above;  // the centre is rounded
    *half = h > 0 ? h : 0;
    return high - low >= -tolerance;
}

// Of the first `count` planes, WIDTH at most. Bit i of the result: the box does not lie wholly inside plane i.
// *separates when it lies wholly outside one. The stored offset is relative to the world's origin; the margin covers
// its rounding and that of normal . origin, three products.
static inline uint64_t reached_planes(vec nx, vec ny, vec nz, vec offset, int32_t count, const cd_pair3 *pair,
                                      bool *separates)
{
    vec x = v_mul(nx, v_all(pair->origin.x)), y = v_mul(ny, v_all(pair->origin.y)),
        z = v_mul(nz, v_all(pair->origin.z));
    vec inside = v_sub(offset, v_add(v_add(x, y), z));
    vec noise = v_add(v_add(v_abs(x), v_abs(y)), v_add(v_abs(z), v_abs(offset)));
    vec margin = v_add(v_mul(noise, v_all(8 * DBL_EPSILON)), v_all(CD_PAIR3_GAP * pair->tolerance));
    vec reach = v_add(v_add(v_mul(v_abs(nx), v_all(pair->half.x)), v_mul(v_abs(ny), v_all(pair->half.y))),
                      v_mul(v_abs(nz), v_all(pair->half.z)));
    reach = v_add(reach, margin);
    *separates |= v_greater(v_sub(v_all(0), reach), inside) != 0;
    return ~v_greater(inside, reach) & ((1u << (count < WIDTH ? count : WIDTH)) - 1);
}

static inline double offset_of(const cd_pair3_side *s, int32_t k)
{
    int32_t v = s->body->corner[s->face[k]];
    return s->nx[k] * s->x[v] + s->ny[k] * s->y[v] + s->nz[k] * s->z[v];
}

// Takes the planes that meet the box, without a branch on any of them; a face without area has no plane. False when one
// separates.
#if defined(__AVX512F__)
static inline bool take_planes(cd_pair3_side *s, const cd_pair3 *pair)
{
    bool separates = false;
    const cd_plane *plane = s->body->plane;
    int32_t count = s->body->face_count, active = 0;
    for (int32_t first = 0; first < count; first += WIDTH) {
        vec nx, ny, nz, offset;
        load_planes(plane + first, count - first, &nx, &ny, &nz, &offset);
        uint64_t reached = reached_planes(nx, ny, nz, offset, count - first, pair, &separates);
        vec square = v_add(v_add(v_mul(nx, nx), v_mul(ny, ny)), v_mul(nz, nz));
        __mmask8 taken = (__mmask8)(reached & v_greater(square, v_all(0.5)));
        __m256i face = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        v_store(s->nx + active, _mm512_maskz_compress_pd(taken, nx));  // active <= first: there is room
        v_store(s->ny + active, _mm512_maskz_compress_pd(taken, ny));
        v_store(s->nz + active, _mm512_maskz_compress_pd(taken, nz));
        _mm256_storeu_si256((__m256i *)(s->face + active), _mm256_maskz_compress_epi32(taken, face));
        active += __builtin_popcount(taken);
    }
    s->active = active;
    s->padded = cd_convex3_padded(active);
    for (int32_t k = 0; k < active; k++)
        s->offset[k] = offset_of(s, k);
    int32_t last = s->padded - WIDTH;
    if (active < s->padded) {
        __mmask8 beyond = (__mmask8)(255 << (active - last));
        _mm512_mask_storeu_pd(s->nx + last, beyond, v_all(0));
        _mm512_mask_storeu_pd(s->ny + last, beyond, v_all(0));
        _mm512_mask_storeu_pd(s->nz + last, beyond, v_all(0));
        _mm512_mask_storeu_pd(s->offset + last, beyond, v_all(INFINITY));
    }
    return !separates;
}
#else
static inline bool take_planes(cd_pair3_side *s, const cd_pair3 *pair)
{
    bool separates = false;
    const cd_plane *plane = s->body->plane;
    int32_t count = s->body->face_count, active = 0, taken = 0, *face = s->face;
    for (int32_t first = 0; first < count; first += WIDTH) {
        vec nx, ny, nz, offset;
        load_planes(plane + first, count - first, &nx, &ny, &nz, &offset);
        uint64_t reached = reached_planes(nx, ny, nz, offset, count - first, pair, &separates);
        for (int32_t i = 0; i < WIDTH; i++) {
            face[active] = first + i;  // room for WIDTH more than there are
            active += reached >> i & 1;
        }
    }
    for (int32_t k = 0; k < active; k++) {
        cd_vec3 n = plane[face[k]].normal;
        face[taken] = face[k];
        s->nx[taken] = n.x;
        s->ny[taken] = n.y;
        s->nz[taken] = n.z;
        s->offset[taken] = offset_of(s, taken);
        taken += cd_dot3(n, n) > 0.5;
    }
    s->active = taken;
    s->padded = cd_convex3_padded(taken);
    for (int32_t i = taken; i < s->padded; i++) {
        s->nx[i] = s->ny[i] = s->nz[i] = 0;
        s->offset[i] = INFINITY;
    }
    return !separates;
}
#endif

static inline void shift_column(const double *from, double by, int32_t padded, double *to)
{
    for (int32_t i = 0; i < padded; i += WIDTH)
        v_store(to + i, v_sub(v_load(from + i), v_all(by)));
}

static inline cd_pair3_verdict prepare_sides(cd_pair3 *pair, cd_arena *arena)
{
    const cd_convex3 *a = pair->side[0].body, *b = pair->side[1].body;
    int32_t a_padded = cd_convex3_padded(a->vertex_count), b_padded = cd_convex3_padded(b->vertex_count);
    double margin = CD_PAIR3_GAP * pair->tolerance;
    cd_vec3 o, h;
    if (!common_range(a->low.x, a->high.x, b->low.x, b->high.x, margin, &o.x, &h.x) ||
        !common_range(a->low.y, a->high.y, b->low.y, b->high.y, margin, &o.y, &h.y) ||
        !common_range(a->low.z, a->high.z, b->low.z, b->high.z, margin, &o.z, &h.z))
        return CD_PAIR3_APART;
    pair->origin = o;
    pair->half = h;
    pair->reach = cd_length3(h);
    pair->twin_tolerance = pair->tolerance + 4 * DBL_EPSILON * fmax(fabs(o.x), fmax(fabs(o.y), fabs(o.z)));
    int32_t a_planes = cd_convex3_padded(a->face_count), b_planes = cd_convex3_padded(b->face_count);
    // In doubles, each plane 4 and half a number of a face; and a vector's width of numbers to overrun.
    size_t room = 3 * ((size_t)a_padded + (size_t)b_padded) + 5 * ((size_t)a_planes + (size_t)b_planes) + 2 * WIDTH;
    double *memory = CD_ARENA_ARRAY(arena, double, room);
    for (int k = 0; k < 2; k++) {
        cd_pair3_side *s = &pair->side[k];
        int32_t vertices = k ? b_padded : a_padded, planes = k ? b_planes : a_planes;
        s->x = memory;
        s->y = s->x + vertices;
        s->z = s->y + vertices;
        s->nx = s->z + vertices;
        s->ny = s->nx + planes;
        s->nz = s->ny + planes;
        s->offset = s->nz + planes;
        s->face = (int32_t *)(s->offset + planes);
        memory = s->offset + 2 * (size_t)planes + WIDTH;
        shift_column(s->body->x, o.x, vertices, s->x);
        shift_column(s->body->y, o.y, vertices, s->y);
        shift_column(s->body->z, o.z, vertices, s->z);
        if (!take_planes(s, pair))
            return CD_PAIR3_APART;
    }
    return CD_PAIR3_DONE;
}

static cd_pair3_verdict prepare(cd_pair3 *pair, cd_arena *arena)
{
    cd_pair3_verdict verdict = prepare_sides(pair, arena);
    v_leave();
    return verdict;
}

// ---- the surface -------------------------------------------------------------------------------------------------
//
// An edge of a body that both faces share is cut once, by all planes of the other body that it crosses: what is inside
// runs from where it comes in to where it goes out. The faces of the intersection follow from that alone. On face i of
// one body the border goes along what remains of the face's own edges and, between them, along the planes j of the
// other body; the line of i and j is on the border from one crossing to another, and each crossing of an edge with a
// plane is the end of such a line on both of the edge's faces. A line whose two ends are not both there, and a border
// that is not one loop, come from rounding: then this method gives up.

typedef struct line3 {
    int16_t start, end;  // crossings, as the border of side 0's face runs; -1: not known
} line3;

typedef struct piece3 {
    int32_t from, to;  // corners
    int32_t next;      // piece of the same face, -1: the last
} piece3;

typedef struct line_name {
    int32_t i, j;  // active faces of side 0 and 1
} line_name;

// Corners by number: the vertices of side 0, those of side 1, crossings.
typedef struct surface3 {
    cd_vec3 *at;           // [m] relative to the origin
    uint64_t *outside[2];  // [vertices x words] of each side's vertices: planes of the other side
    double *height[2];     // [vertices x other's padded] [m] above these planes; only where words is 1
    int32_t *active[2];    // active number of a face's side, -1: none; of face -1 as well
    int32_t *whole[2];     // the same of active faces; NULL: each is a side
    int32_t *remaining;    // edges not wholly outside a plane
    line3 *line;           // [active of 0 x active of 1]
    line_name *started;    // lines with a start
    piece3 *piece;
    int32_t *piece_of;  // of each active face of both sides its latest piece, -1: none
    int32_t *after;     // [corners] the next one on the border of the current face
    int32_t vertices, crossings, pieces, lines;
    int32_t clash;  // not 0: a line has two starts or two ends
} surface3;

enum { MOST_CROSSINGS = 32000 };  // line3 counts in 16 bits

static inline double height_above(const cd_pair3_side *planes, int32_t plane, cd_vec3 p)
{
    return planes->nx[plane] * p.x + planes->ny[plane] * p.y + planes->nz[plane] * p.z - planes->offset[plane];
}

// Masks of the vertices of side s, and their heights where they are kept. *near: one of them is near a plane of the
// other side. False when such a plane has all of them outside: *gap is then their least distance from it. (Planes go
// outermost, so that a vector of them is loaded once: hulls of 64 vertices 4.4 us -> 3.9 for the whole contact.)
static inline __attribute__((always_inline)) bool classify(const int words, const cd_pair3 *pair, int s, surface3 *o,
                                                           bool *near, double *gap)
{
    const cd_pair3_side *subject = &pair->side[s], *cutter = &pair->side[1 - s];
    int32_t vertices = subject->body->vertex_count, padded = cutter->padded;
    const double *x = subject->x, *y = subject->y, *z = subject->z;
    cd_vec3 *at = o->at + (s ? pair->side[0].body->vertex_count : 0);
    for (int32_t i = 0; i < vertices; i++)
        at[i] = (cd_vec3){x[i], y[i], z[i]};
    for (int32_t w = (padded + 63) / 64; w < words; w++)
        for (int32_t i = 0; i < vertices; i++)
            o->outside[s][(size_t)words * (size_t)i + (size_t)w] = 0;
    vec zero = v_all(0), nearest_height = v_all(INFINITY);
    bool is_separated = false;
    for (int32_t first = 0; first < padded; first += WIDTH) {
        vec nx = v_load(cutter->nx + first), ny = v_load(cutter->ny + first), nz = v_load(cutter->nz + first);
        vec offset = v_load(cutter->offset + first);
        uint64_t *mask = o->outside[s] + first / 64, all = ((uint64_t)1 << WIDTH) - 1;
        double *height = o->height[s] + first;
        for (int32_t i = 0; i < vertices; i++, mask += words) {
            vec along = v_add(v_add(v_mul(nx, v_all(x[i])), v_mul(ny, v_all(y[i]))), v_mul(nz, v_all(z[i])));
            vec above = v_sub(along, offset);
            uint64_t bits = v_greater(above, zero);
            nearest_height = v_min(nearest_height, v_abs(above));
            all &= bits;
            *mask = first % 64 ? *mask | bits << (first & 63) : bits;
            if (words == 1) {
                v_store(height, above);
                height += padded;
            }
        }
        for (is_separated |= all != 0; all; all &= all - 1) {
            double least = INFINITY;
            for (int32_t i = 0; i < vertices; i++)
                least = fmin(least, height_above(cutter, first + __builtin_ctzll(all), at[i]));
            *gap = fmax(*gap, least);
        }
    }
    *near = v_greater(v_all(NEAR_PLANE * subject->body->radius), nearest_height) != 0;
    return !is_separated;
}

// Whether all corners of an active face of side 0 lie near one and the same plane of side 1.
static bool has_near_face(const cd_pair3 *pair, const cd_vec3 *at)
{
    const cd_convex3 *body = pair->side[0].body;
    double band = NEAR_PLANE * body->radius;
    for (int32_t k = 0; k < pair->side[0].active; k++) {
        int32_t face = pair->side[0].face[k], first = body->face_first[face], last = body->face_first[face + 1];
        for (int32_t j = 0; j < pair->side[1].active; j++) {
            int32_t i = first;
            while (i < last && fabs(height_above(&pair->side[1], j, at[body->face_vertex[i]])) < band)
                i++;
            if (i == last)
                return true;
        }
    }
    return false;
}

// Lists the edges that no plane of the other side has wholly outside, without a branch on any of them.
static inline __attribute__((always_inline)) int32_t list_remaining(const int words, const cd_convex3 *body,
                                                                    const uint64_t *outside, int32_t *list)
{
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

// The borders of faces as they are found. (A struct of its own that no pointer leads to: the compiler keeps it in
// registers.)
typedef struct border3 {
    piece3 *piece;
    int32_t *piece_of;
    int32_t pieces;
} border3;

static inline void add_piece(border3 *border, int32_t face, int32_t from, int32_t to)
{
    border->piece[border->pieces] = (piece3){from, to, border->piece_of[face]};
    border->piece_of[face] = border->pieces++;
}

// Where an edge enters and leaves the other body.
typedef struct span3 {
    // [1] how far it goes from the second vertex to the first, and from the first to the second, in 0 .. 1; infinite:
    // to the vertex itself
    double back, ahead;
    int32_t enters, leaves;  // the planes there, -1: none
} span3;

#if defined(__AVX512F__)
// The same of eight planes at once. Of planes at the same place the lowest, as one by one.
static inline span3 find_span_of_eight(const uint64_t *outside_u, const uint64_t *outside_v, const double *height_u,
                                       const double *height_v)
{
    __mmask8 entered = (__mmask8)*outside_u, left = (__mmask8)*outside_v;
    vec at_u = v_load(height_u), at_v = v_load(height_v);
    vec below = _mm512_mask_blend_pd(entered, at_u, at_v), above = _mm512_mask_blend_pd(entered, at_v, at_u);
    vec t = v_abs(_mm512_maskz_div_pd(entered | left, below, v_sub(below, above)));
    vec none = v_all(INFINITY), back = _mm512_mask_mov_pd(none, entered, t), ahead = _mm512_mask_mov_pd(none, left, t);
    span3 span = {v_least(back), v_least(ahead), -1, -1};
    entered &= (__mmask8)~v_greater(back, v_all(span.back));
    left &= (__mmask8)~v_greater(ahead, v_all(span.ahead));
    span.enters = entered ? __builtin_ctz(entered) : -1;
    span.leaves = left ? __builtin_ctz(left) : -1;
    return span;
}
#endif

// The first planes on the ways between u and v. Each plane in the masks has one of the two outside.
static inline __attribute__((always_inline)) span3 find_span(const int words, const cd_pair3_side *subject,
                                                             const cd_pair3_side *cutter, const uint64_t *outside,
                                                             const double *height, int32_t u, int32_t v)
{
    const uint64_t *outside_u = outside + (size_t)words * (size_t)u, *outside_v = outside + (size_t)words * (size_t)v;
    const double *height_u = height + (size_t)cutter->padded * (size_t)u;
    const double *height_v = height + (size_t)cutter->padded * (size_t)v;
#if defined(__AVX512F__)
    if (words == 1 && cutter->padded == WIDTH)
        return find_span_of_eight(outside_u, outside_v, height_u, height_v);
#endif
    span3 span = {INFINITY, INFINITY, -1, -1};
    for (int w = 0; w < words; w++) {
        for (uint64_t bits = outside_u[w] | outside_v[w]; bits; bits &= bits - 1) {
            int bit = __builtin_ctzll(bits);
            int32_t plane = 64 * w + bit;
            double at_u = words == 1 ? height_u[plane] : height_above(cutter, plane, cd_pair3_vertex(subject, u));
            double at_v = words == 1 ? height_v[plane] : height_above(cutter, plane, cd_pair3_vertex(subject, v));
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

// Lines by number, and where they start.
typedef struct lines3 {
    line3 *line;
    line_name *started;
    int32_t count, clash;
    size_t of_own, of_other;  // a line is number own * of_own + other * of_other
    const int32_t *whole;     // active number of the side of each active face of the other body; NULL: the same
    bool is_second;
} lines3;

// The corner where an edge crosses a plane, at which the line on one of its faces starts and that on the other ends.
static inline void add_crossing(lines3 *lines, int32_t crossing, int32_t plane, int32_t starts, int32_t ends)
{
    if (lines->whole)
        plane = lines->whole[plane];
    size_t other = (size_t)plane * lines->of_other;
    line3 *start = &lines->line[(size_t)starts * lines->of_own + other];
    line3 *end = &lines->line[(size_t)ends * lines->of_own + other];
    lines->clash |= ~start->start | ~end->end;
    start->start = (int16_t)crossing;
    end->end = (int16_t)crossing;
    lines->started[lines->count++] = lines->is_second ? (line_name){plane, starts} : (line_name){starts, plane};
}

// What is left of side s's edges, and where the lines on its faces start and end.
static inline __attribute__((always_inline)) bool clip_edges(const int words, const cd_pair3 *pair, int s, surface3 *o)
{
    const cd_pair3_side *subject = &pair->side[s], *cutter = &pair->side[1 - s];
    const cd_convex3 *body = subject->body;
    const uint64_t *outside = o->outside[s];
    const double *height = o->height[s];
    const int32_t *active = o->active[s], *remaining = o->remaining;
    int32_t first_vertex = s ? pair->side[0].body->vertex_count : 0, first_face = s ? pair->side[0].active : 0;
    int32_t count = list_remaining(words, body, outside, o->remaining), crossings = o->crossings;
    if (crossings + 2 * count > MOST_CROSSINGS)
        return false;
    cd_vec3 *vertex = o->at + first_vertex, *crossed = o->at + o->vertices;
    border3 border = {o->piece, o->piece_of, o->pieces};
    size_t columns = (size_t)pair->side[1].active;
    lines3 lines = {o->line,         o->started,      o->lines, o->clash, s ? 1 : columns, s ? columns : 1,
                    o->whole[1 - s], s == 1};
    for (int32_t k = 0; k < count; k++) {
        cd_edge3 edge = cd_convex3_edge(body, remaining[k]);
        int32_t u = edge.vertex[0], v = edge.vertex[1];
        span3 span = find_span(words, subject, cutter, outside, height, u, v);
        if (!(span.back + span.ahead > 1))
            continue;
        int32_t left = active[edge.face[0]], right = active[edge.face[1]];
        if (left < 0 || right < 0)
            return false;
        cd_vec3 p = vertex[u], q = vertex[v];
        int32_t from = first_vertex + u, to = first_vertex + v;
        // Side 0's faces are to the left of their borders, and side 1's borders run against them on the same line.
        int32_t in_starts = s ? left : right, in_ends = s ? right : left;
        if (span.enters >= 0) {
            crossed[crossings] = cd_lerp3(q, p, span.back);
            from = o->vertices + crossings;
            add_crossing(&lines, crossings++, span.enters, in_starts, in_ends);
        }
        if (span.leaves >= 0) {
            crossed[crossings] = cd_lerp3(p, q, span.ahead);
            to = o->vertices + crossings;
            add_crossing(&lines, crossings++, span.leaves, in_ends, in_starts);
        }
        add_piece(&border, first_face + left, from, to);
        add_piece(&border, first_face + right, to, from);
    }
    o->crossings = crossings;
    o->pieces = border.pieces;
    o->lines = lines.count;
    o->clash = lines.clash;
    return true;
}

// The borders' pieces along the lines; false when one has no end.
static inline bool join_lines(const cd_pair3 *pair, surface3 *o)
{
    border3 border = {o->piece, o->piece_of, o->pieces};
    const line3 *line = o->line;
    const line_name *started = o->started;
    int32_t missing = 0, lines = o->lines, vertices = o->vertices, first_face = pair->side[0].active;
    size_t columns = (size_t)pair->side[1].active;
    for (int32_t k = 0; k < lines; k++) {
        line_name name = started[k];
        line3 l = line[(size_t)name.i * columns + (size_t)name.j];
        missing |= l.end;
        add_piece(&border, name.i, vertices + l.start, vertices + l.end);
        add_piece(&border, first_face + name.j, vertices + l.end, vertices + l.start);
    }
    o->pieces = border.pieces;
    return missing >= 0 && o->clash == 0;
}

// ---- measures ----------------------------------------------------------------------------------------------------

typedef struct sums3 {
    cd_vec3 closure;      // [m^2] twice the sum of the area vectors
    cd_vec3 area_moment;  // [m^3] 6 times the first moment of the surface
    cd_vec3 moment;       // [m^4] 24 times the first moment of the volume
    double six_volumes;   // [m^3]
    double twice_area;    // [m^2]
} sums3;

// Follows the border of a face and adds it to the sums and to the result, with its corners where `loop` is given.
// False when the border is not one loop.
static inline bool add_face(const surface3 *o, const cd_pair3_side *s, int32_t plane, int32_t piece, sums3 *sums,
                            cd_intersect3 *result, cd_vec3 *loop)
{
    const piece3 *pieces = o->piece;
    const cd_vec3 *at = o->at;
    int32_t *after = o->after;
    int32_t first = pieces[piece].from, count = 0;
    for (; piece >= 0; piece = pieces[piece].next, count++)
        after[pieces[piece].from] = pieces[piece].to;
    cd_vec3 normal = cd_pair3_normal(s, plane), p = at[first], first_moment = {0, 0, 0};
    double twice_area = 0;
    int32_t corner = after[first], seen = 2;
    cd_vec3 q = at[corner], u = cd_sub3(q, p);
    if (loop) {
        loop[0] = p;
        loop[1] = q;
    }
    for (corner = after[corner]; corner != first && seen < count; corner = after[corner], seen++) {
        cd_vec3 r = at[corner], v = cd_sub3(r, p), x = cd_cross3(u, v);
        double area = cd_dot3(x, normal);
        twice_area += area;
        first_moment = cd_add3(first_moment, cd_scale3(area, cd_add3(cd_add3(p, q), r)));
        if (loop)
            loop[seen] = r;
        q = r;
        u = v;
    }
    if (corner != first || seen != count)
        return false;
    double height = s->offset[plane];
    sums->closure = cd_add3(sums->closure, cd_scale3(twice_area, normal));
    sums->area_moment = cd_add3(sums->area_moment, first_moment);
    sums->moment = cd_add3(sums->moment, cd_scale3(height, first_moment));
    sums->six_volumes += height * twice_area;
    sums->twice_area += twice_area;
    if (!(twice_area > 0))
        return true;
    int32_t face = s->face[plane];
    cd_intersect3_face *made = &result->face[result->face_count++];
    made->a = s->is_b ? -1 : face;
    made->b = s->is_b ? face : -1;
    made->first = result->corner_count;
    made->count = loop ? count : 0;
    made->area = 0.5 * twice_area;
    made->normal = normal;
    made->centroid = cd_scale3(1 / (3 * twice_area), first_moment);
    result->corner_count += made->count;
    return true;
}

// Each corner once, in no order, in the place of all.
static inline __attribute__((always_inline)) void list_corners(const int words, const cd_pair3 *pair, const surface3 *o,
                                                               cd_intersect3 *result)
{
    cd_vec3 *at = o->at;
    int32_t count = 0, all = o->vertices + o->crossings, first = 0;
    for (int s = 0; s < 2; s++) {
        int32_t vertices = pair->side[s].body->vertex_count;
        for (int32_t i = 0; i < vertices; i++) {
            const uint64_t *mask = o->outside[s] + (size_t)words * (size_t)i;
            uint64_t any = mask[0];
            for (int w = 1; w < words; w++)
                any |= mask[w];
            at[count] = at[first + i];
            count += any == 0;
        }
        first += vertices;
    }
    for (int32_t i = o->vertices; i < all; i++)
        at[count++] = at[i];
    result->corner = at;
    result->corner_count = count;
}

// Where the surface is not closed the sum depends on the point that heights are measured from: take the surface's
// centroid, then an opening can cost no more than its area times the extent, for which the root of the area stands.
static inline cd_pair3_verdict set_measures(const cd_pair3 *pair, const sums3 *sums, cd_intersect3 *result)
{
    double area = 0.5 * sums->twice_area, defect = 0.5 * cd_length3(sums->closure);
    cd_vec3 middle = cd_scale3(1 / (3 * sums->twice_area), sums->area_moment);
    double volume = (sums->six_volumes - cd_dot3(middle, sums->closure)) / 6;
    // A convex body's inner ball has a radius of at least volume / area. Corners made within their own rounding of each
    // other have a volume by chance.
    double noise = CORNER_NOISE * pair->tolerance;
    if (!(volume > pair->tolerance * area) || !(area > noise * noise) ||
        !(defect * sqrt(area) <= OPEN_OF_VOLUME * volume + OPEN_OF_AREA * pair->size * area))
        return CD_PAIR3_UNCLEAR;
    result->path = CD_INTERSECT3_FACES;
    result->volume = volume;
    result->area = area;
    result->closure = defect / area;
    result->origin = pair->origin;
    result->centroid = cd_add3(pair->origin, cd_scale3(1 / (24 * volume), sums->moment));
    return CD_PAIR3_DONE;
}

// ---- the two bodies ----------------------------------------------------------------------------------------------

static inline void *carve(char **memory, size_t count, size_t size)
{
    void *piece = *memory;
    *memory += count * size;
    return piece;
}

// All memory at once, that of the faces of the result too; its arrays follow each other by falling alignment.
static inline void new_surface(int words, const cd_pair3 *pair, surface3 *o, cd_intersect3 *result, cd_arena *arena)
{
    const cd_pair3_side *a = &pair->side[0], *b = &pair->side[1];
    size_t vertices_a = (size_t)a->body->vertex_count, vertices_b = (size_t)b->body->vertex_count;
    size_t edges = (size_t)a->body->edge_count + (size_t)b->body->edge_count;
    size_t faces = (size_t)a->active + (size_t)b->active, lines = (size_t)a->active * (size_t)b->active;
    size_t corners = vertices_a + vertices_b + 2 * edges, masks = (size_t)words * (vertices_a + vertices_b);
    size_t heights_a = words == 1 ? vertices_a * (size_t)b->padded : 0;
    size_t heights_b = words == 1 ? vertices_b * (size_t)a->padded : 0;
    size_t all_faces = (size_t)a->body->face_count + (size_t)b->body->face_count + 2;
    bool has_sides = a->body->side || b->body->side;
    size_t bytes = faces * sizeof(cd_intersect3_face) + corners * sizeof(cd_vec3) +
                   (masks + heights_a + heights_b) * sizeof(double) + 2 * edges * sizeof(line_name) +
                   6 * edges * sizeof(piece3) + lines * sizeof(line3) +
                   (all_faces + faces + corners + edges + (has_sides ? faces : 0)) * sizeof(int32_t);
    char *memory = cd_arena_alloc(arena, bytes);
    result->face = carve(&memory, faces, sizeof(cd_intersect3_face));
    o->at = carve(&memory, corners, sizeof(cd_vec3));
    o->outside[0] = carve(&memory, masks, sizeof(uint64_t));
    o->outside[1] = o->outside[0] + (size_t)words * vertices_a;
    o->height[0] = carve(&memory, heights_a, sizeof(double));
    o->height[1] = carve(&memory, heights_b, sizeof(double));
    o->started = carve(&memory, 2 * edges, sizeof(line_name));
    o->piece = carve(&memory, 6 * edges, sizeof(piece3));  // two for what is left of an edge, two for each crossing
    o->line = carve(&memory, lines, sizeof(line3));
    o->piece_of = carve(&memory, faces, sizeof(int32_t));
    o->active[0] = carve(&memory, all_faces, sizeof(int32_t));
    memset(o->line, -1, (size_t)((char *)(o->active[0] + all_faces) - (char *)o->line));  // these three
    o->active[0]++;
    o->active[1] = o->active[0] + a->body->face_count + 1;
    o->after = carve(&memory, corners, sizeof(int32_t));
    o->remaining = carve(&memory, edges, sizeof(int32_t));
    o->whole[0] = a->body->side ? carve(&memory, (size_t)a->active, sizeof(int32_t)) : NULL;
    o->whole[1] = b->body->side ? carve(&memory, (size_t)b->active, sizeof(int32_t)) : NULL;
    o->vertices = a->body->vertex_count + b->body->vertex_count;
    o->crossings = o->pieces = o->lines = 0;
    o->clash = 0;
}

// Faces in one plane are one: which of them an edge crosses first is up to rounding.
static inline void number_faces(const cd_pair3_side *side, int32_t *active, int32_t *whole)
{
    const int32_t *face = side->face;
    int32_t count = side->active;
    for (int32_t k = 0; k < count; k++)
        active[face[k]] = k;
    if (!whole)
        return;
    const int32_t *lowest = side->body->side;
    for (int32_t k = count - 1; k >= 0; k--)
        active[lowest[face[k]]] = k;
    for (int32_t k = 0; k < count; k++)
        active[face[k]] = whole[k] = active[lowest[face[k]]];
}

static inline __attribute__((always_inline)) cd_pair3_verdict clip_both(const int words, const cd_pair3 *pair,
                                                                        bool with_loops, cd_intersect3 *result,
                                                                        cd_arena *arena)
{
    surface3 surface, *o = &surface;
    new_surface(words, pair, o, result, arena);
    result->face_count = result->corner_count = 0;
    bool near = false, unused;
    double gap = -INFINITY;
    bool overlap = classify(words, pair, 0, o, &near, &gap);
    overlap &= classify(words, pair, 1, o, &unused, &gap);
    if (!overlap)
        return gap > CD_PAIR3_GAP * pair->tolerance ? CD_PAIR3_APART : CD_PAIR3_UNCLEAR;
    for (int s = 0; s < 2; s++)
        number_faces(&pair->side[s], o->active[s], o->whole[s]);
    if ((near && has_near_face(pair, o->at)) || !clip_edges(words, pair, 0, o) || !clip_edges(words, pair, 1, o) ||
        !join_lines(pair, o))
        return CD_PAIR3_UNCLEAR;
    result->corner = with_loops ? CD_ARENA_ARRAY(arena, cd_vec3, o->pieces) : NULL;  // each face has as many as pieces
    sums3 sums = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, 0};
    int32_t face = 0;
    for (int s = 0; s < 2; s++) {
        for (int32_t k = 0; k < pair->side[s].active; k++, face++) {
            cd_vec3 *loop = with_loops ? result->corner + result->corner_count : NULL;
            if (o->piece_of[face] >= 0 && !add_face(o, &pair->side[s], k, o->piece_of[face], &sums, result, loop))
                return CD_PAIR3_UNCLEAR;
        }
    }
    if (!with_loops)
        list_corners(words, pair, o, result);
    return set_measures(pair, &sums, result);
}

static cd_pair3_verdict clip(const cd_pair3 *pair, bool with_loops, cd_intersect3 *result, cd_arena *arena)
{
    int32_t most = pair->side[0].active > pair->side[1].active ? pair->side[0].active : pair->side[1].active;
    cd_pair3_verdict verdict = most <= 64    ? clip_both(1, pair, with_loops, result, arena)
                               : most <= 128 ? clip_both(2, pair, with_loops, result, arena)
                               : most <= 64 * MOST_WORDS ? clip_both(MOST_WORDS, pair, with_loops, result, arena)
                                                         : CD_PAIR3_UNCLEAR;
    v_leave();
    return verdict;
}

// ---- the nearest face --------------------------------------------------------------------------------------------

// Heights are found for this many planes at a time.
enum { CHUNK = 64 };

static int32_t nearest(const cd_convex3 *body, cd_vec3 point, double *outside)
{
    double away[CHUNK], least = INFINITY;
    int32_t best = -1;
    vec most = v_all(*outside), x = v_all(point.x), y = v_all(point.y), z = v_all(point.z);
    for (int32_t first = 0; first < body->face_count; first += CHUNK) {
        int32_t count = body->face_count - first < CHUNK ? body->face_count - first : CHUNK;
        vec low = v_all(INFINITY);
        for (int32_t i = 0; i < count; i += WIDTH) {
            vec nx, ny, nz, offset;
            load_planes(body->plane + first + i, count - i, &nx, &ny, &nz, &offset);
            vec height = v_sub(v_add(v_add(v_mul(nx, x), v_mul(ny, y)), v_mul(nz, z)), offset);
            most = v_max(most, height);  // of what is loaded beyond the last plane too: 0 or a plane's again
            vec outer = v_outer(v_abs(height), body->surface ? body->surface + first + i : NULL, count - i);
            low = v_min(low, outer);
            v_store(away + i, outer);
        }
        double found = v_least(low);
        if (!(found < least))
            continue;
        least = found;
        int32_t at = 0;
        uint64_t every = ((uint64_t)1 << WIDTH) - 1, beyond = v_greater(v_load(away), v_all(least));
        while (beyond == every) {
            at += WIDTH;
            beyond = v_greater(v_load(away + at), v_all(least));
        }
        best = first + at + __builtin_ctzll(~beyond);
    }
    *outside = v_most(most);
    v_leave();
    return best;
}
