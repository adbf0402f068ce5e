// What is asked of the planes of two bodies, for one width of vectors: which meet the bounds that both have in common,
// and which is nearest to a point. Included by cd_intersect3_surface.h alone.
// SPDX-License-Identifier: MIT
#ifndef CD_INTERSECT3_PLANES_H
#define CD_INTERSECT3_PLANES_H

#include "cd_intersect3_lanes.h"

#include <float.h>

// ---- preparation ---------------------------------------------------------------------------------------------------

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

// Bits of the first `count` planes, WIDTH at most.
static inline uint64_t first_planes(int32_t count) { return ((uint64_t)1 << (count < WIDTH ? count : WIDTH)) - 1; }

// Of the first `count` planes, WIDTH at most. Bit i of the result: the box does not lie wholly inside plane i.
// *separates when it lies wholly outside one. The stored offset is relative to the world's origin; the margin covers
// its rounding and that of normal . origin, three products.
static inline uint64_t reached_planes(vec nx, vec ny, vec nz, vec offset, int32_t count, const cd_convex_pair3 *pair,
                                      bool *separates)
{
    vec x = v_mul(nx, v_all(pair->origin.x)), y = v_mul(ny, v_all(pair->origin.y)),
        z = v_mul(nz, v_all(pair->origin.z));
    vec inside = v_sub(offset, v_add(v_add(x, y), z));
    vec noise = v_add(v_add(v_abs(x), v_abs(y)), v_add(v_abs(z), v_abs(offset)));
    vec margin = v_add(v_mul(noise, v_all(8 * DBL_EPSILON)), v_all(CD_CONVEX_PAIR3_GAP * pair->tolerance));
    vec reach = v_add(v_add(v_mul(v_abs(nx), v_all(pair->half.x)), v_mul(v_abs(ny), v_all(pair->half.y))),
                      v_mul(v_abs(nz), v_all(pair->half.z)));
    reach = v_add(reach, margin);
    *separates |= v_greater(v_sub(v_all(0), reach), inside) != 0;
    return ~v_greater(inside, reach) & first_planes(count);
}

static inline quad q_corner(const cd_corner3 *c) { return q_load(&c->x); }
static inline quad q_normal(const cd_plane *plane) { return q_load(&plane->normal.x); }  // and the offset

static inline double offset_of(const cd_convex_pair3_side *s, int32_t k)
{
    int32_t face = s->face[k];
    return q_dot(q_normal(&s->body->plane[face]), q_corner(&s->at[s->body->corner[face]]));
}

// So few planes are taken all, whether they meet the box or not: a vector has room for them, and to leave some out
// takes longer (tetrahedra 0.36 us a contact instead of 0.33). Not where faces are inner: what is cut as a closed
// polyhedron tells coplanar inner from outer faces of the one body that is cut, and that is the one with more active
// planes.
enum { FEW_PLANES = 8 };
static inline bool takes_all(const cd_convex_pair3_side *s, const cd_convex_pair3 *pair)
{
    return s->body->face_count <= FEW_PLANES && !pair->side[0].body->surface && !pair->side[1].body->surface;
}

// Takes the planes that meet the box, without a branch on any of them; a face without area has no plane. False when one
// separates.
#if defined(__AVX512F__)
static inline bool take_planes(cd_convex_pair3_side *s, const cd_convex_pair3 *pair)
{
    bool separates = false, all = takes_all(s, pair);
    const cd_plane *plane = s->body->plane;
    int32_t count = s->body->face_count, active = 0;
    for (int32_t first = 0; first < count; first += WIDTH) {
        vec nx, ny, nz, offset;
        load_planes(plane + first, count - first, &nx, &ny, &nz, &offset);
        uint64_t reached =
            all ? first_planes(count - first) : reached_planes(nx, ny, nz, offset, count - first, pair, &separates);
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
static inline bool take_planes(cd_convex_pair3_side *s, const cd_convex_pair3 *pair)
{
    bool separates = false, all = takes_all(s, pair);
    const cd_plane *plane = s->body->plane;
    int32_t count = s->body->face_count, active = 0, taken = 0, *face = s->face;
    for (int32_t first = 0; first < count; first += WIDTH) {
        vec nx, ny, nz, offset;
        load_planes(plane + first, count - first, &nx, &ny, &nz, &offset);
        uint64_t reached =
            all ? first_planes(count - first) : reached_planes(nx, ny, nz, offset, count - first, pair, &separates);
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

static inline void shift_vertices(const cd_convex3 *body, cd_vec3 origin, int32_t padded, cd_corner3 *to)
{
    for (int32_t i = 0; i < padded; i += WIDTH)
        put_corners(v_sub(v_load(body->x + i), v_all(origin.x)), v_sub(v_load(body->y + i), v_all(origin.y)),
                    v_sub(v_load(body->z + i), v_all(origin.z)), to + i);
}

static inline cd_convex_pair3_verdict prepare_sides(cd_convex_pair3 *pair, cd_arena *arena)
{
    const cd_convex3 *a = pair->side[0].body, *b = pair->side[1].body;
    int32_t a_padded = cd_convex3_padded(a->vertex_count), b_padded = cd_convex3_padded(b->vertex_count);
    double margin = CD_CONVEX_PAIR3_GAP * pair->tolerance;
    cd_vec3 o, h;
    if (!common_range(a->low.x, a->high.x, b->low.x, b->high.x, margin, &o.x, &h.x) ||
        !common_range(a->low.y, a->high.y, b->low.y, b->high.y, margin, &o.y, &h.y) ||
        !common_range(a->low.z, a->high.z, b->low.z, b->high.z, margin, &o.z, &h.z))
        return CD_CONVEX_PAIR3_APART;
    pair->origin = o;
    pair->half = h;
    pair->reach = cd_length3(h);
    pair->twin_tolerance = pair->tolerance + 4 * DBL_EPSILON * fmax(fabs(o.x), fmax(fabs(o.y), fabs(o.z)));
    int32_t a_planes = cd_convex3_padded(a->face_count), b_planes = cd_convex3_padded(b->face_count);
    // In doubles, each plane 4 and half a number of a face, a corner 4; a corner and a vector of faces are overrun.
    size_t vertices = (size_t)a_padded + (size_t)b_padded, edges = (size_t)a->edge_count + (size_t)b->edge_count;
    size_t room = 4 * (vertices + 2 * edges + 1) + 5 * ((size_t)a_planes + (size_t)b_planes) + 2 * WIDTH;
    double *memory = CD_ARENA_ARRAY(arena, double, room);
    pair->corner = (cd_corner3 *)memory;
    pair->side[0].at = pair->corner;
    pair->side[1].at = pair->corner + a_padded;
    memory += 4 * (vertices + 2 * edges + 1);
    for (int k = 0; k < 2; k++) {
        cd_convex_pair3_side *s = &pair->side[k];
        int32_t planes = k ? b_planes : a_planes;
        s->nx = memory;
        s->ny = s->nx + planes;
        s->nz = s->ny + planes;
        s->offset = s->nz + planes;
        s->face = (int32_t *)(s->offset + planes);
        memory = s->offset + 2 * (size_t)planes + WIDTH;
        shift_vertices(s->body, o, k ? b_padded : a_padded, s->at);
        if (!take_planes(s, pair))
            return CD_CONVEX_PAIR3_APART;
    }
    return CD_CONVEX_PAIR3_DONE;
}

static cd_convex_pair3_verdict prepare(cd_convex_pair3 *pair, cd_arena *arena)
{
    cd_convex_pair3_verdict verdict = prepare_sides(pair, arena);
    v_leave();
    return verdict;
}

// ---- the nearest face ----------------------------------------------------------------------------------------------

// Heights are found for this many planes at a time.
enum { CHUNK = 64 };

typedef struct query3 {
    vec x, y, z;  // of the point
    vec most;     // greatest heights so far
} query3;

// Distances of up to WIDTH planes from the point; infinite of inner faces and beyond the last.
static inline vec plane_distances(const cd_convex3 *body, int32_t first, query3 *q)
{
    vec nx, ny, nz, offset;
    int32_t count = body->face_count - first;
    load_planes(body->plane + first, count, &nx, &ny, &nz, &offset);
    vec height = v_sub(v_add(v_add(v_mul(nx, q->x), v_mul(ny, q->y)), v_mul(nz, q->z)), offset);
    q->most = v_max(q->most, height);  // of what is loaded beyond the last plane too: 0 or a plane's again
    return v_outer(v_abs(height), body->surface ? body->surface + first : NULL, count);
}

static int32_t nearest(const cd_convex3 *body, cd_vec3 point, double *outside)
{
    uint64_t every = ((uint64_t)1 << WIDTH) - 1;
    double away[CHUNK], least = INFINITY;
    int32_t best = -1;
    query3 q = {v_all(point.x), v_all(point.y), v_all(point.z), v_all(*outside)};
    if (body->face_count <= WIDTH) {
        vec outer = plane_distances(body, 0, &q);
        least = v_least(outer);
        best = least < INFINITY ? __builtin_ctzll(~v_greater(outer, v_all(least))) : -1;
    }
    for (int32_t first = 0; first < body->face_count && body->face_count > WIDTH; first += CHUNK) {
        int32_t count = body->face_count - first < CHUNK ? body->face_count - first : CHUNK;
        vec low = v_all(INFINITY);
        for (int32_t i = 0; i < count; i += WIDTH) {
            vec outer = plane_distances(body, first + i, &q);
            low = v_min(low, outer);
            v_store(away + i, outer);
        }
        double found = v_least(low);
        if (!(found < least))
            continue;
        least = found;
        int32_t at = 0;
        uint64_t beyond = v_greater(v_load(away), v_all(least));
        while (beyond == every) {
            at += WIDTH;
            beyond = v_greater(v_load(away + at), v_all(least));
        }
        best = first + at + __builtin_ctzll(~beyond);
    }
    *outside = v_most(q.most);
    v_leave();
    return best;
}

#endif
