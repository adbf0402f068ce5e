// The intersection by clipped edges, for one width of vectors: included by cd_intersect3_clip.c, _avx2.c and _avx512.c,
// which compile it for their machines. No sum runs across lanes and nothing is contracted, so that all widths give the
// same bits.
//
// Every vertex gets a mask of the other body's active planes that it is outside of; the AND over an edge's ends drops
// the edge, the OR names the planes that cut it. What remains of the edges, with the crossings where they are cut, is
// enough to know the faces of the intersection (cd_intersect3_surface.h). Each corner is made once, on an edge of one
// body, whatever the angles; what remains of a face enters the sums of the divergence theorem, and the closure of the
// area vectors tells when planes and corners do not agree. (Cutting each face by itself, with a pool of masked corners,
// takes 1.4 to 1.8 times as long: every crossing is found two or three times.)
// SPDX-License-Identifier: MIT

// Loops unrolled and functions inlined as -O3 does bring 4 %; the compiler's own vectors, made of the three numbers of
// a point, cost 5 % (gcc 12).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3,no-tree-vectorize")
#endif
#include "cd_intersect3_surface.h"

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] What an open surface may cost: of the volume, and of size times area. Smaller: more pairs take the robust way.
// Larger: volumes wrong by as much.
#define SURFACE_OPEN_OF_VOLUME 1e-11
#define SURFACE_OPEN_OF_AREA 2e-15
// [1] of the tolerance: an extent below which corners' rounding may be all there is. Smaller: slivers of rounding count
// as volumes. Larger: thin overlaps take the robust way.
#define EXTENT_OF_TOLERANCE 128

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
