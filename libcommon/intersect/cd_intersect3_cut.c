// A closed polyhedron cut by planes, one after the other: the fallback of the clip method.
//
// Each corner is on one side of a plane, decided once; each edge that the plane crosses gets one new corner, shared by
// its two faces. A face keeps its inside corners and gets an edge from where it leaves the plane's inside to where it
// comes back; the same edges backwards form the new face. Each crossing is left from by one face and come back to by
// its neighbour, so these edges are a permutation of the crossings, whose cycles are the loops of the new face.
// Therefore the surface stays closed whatever the rounding does to the signs, and its volume is wrong by no more than
// the corners' distances from their planes times the area: small angles between planes move corners within the planes,
// which costs nothing (the principle of Sugihara & Iri 1992: topology first, numbers within it).
// SPDX-License-Identifier: MIT
#include "cd_intersect3_pair.h"

#include <float.h>

typedef struct remnant_face {
    int32_t subject, cutter;  // active planes it lies on, -1: none. Inner faces of the subject count as active there.
    int32_t first, count;
} remnant_face;

typedef struct crossing {
    int32_t out;   // the corner outside at the edge's other end
    int32_t made;  // the new corner
    int32_t next;  // crossing of an edge from the same inside corner, -1: the last
} crossing;

typedef struct remnant {
    CD_LIST(cd_vec3) at;
    CD_LIST(remnant_face) face;
    CD_LIST(int32_t) loop;
} remnant;

typedef struct cut {
    const remnant *from;
    remnant to;
    const double *height;     // of each corner of `from` above the plane
    int32_t *moved;           // number in `to` of a corner of `from`, -1: not yet
    int32_t *first_crossing;  // of an inside corner, -1: none
    CD_LIST(crossing) crossing;
    CD_LIST(int32_t) made;  // new corners
    int32_t *cap;           // the corner after a new corner in the new face; room for two more corners an edge
} cut;

static int32_t keep_corner(cut *c, int32_t i, cd_arena *arena)
{
    if (c->moved[i] < 0) {
        c->moved[i] = c->to.at.count;
        cd_list_push(arena, &c->to.at, c->from->at.item[i]);
    }
    return c->moved[i];
}

static int32_t cross_edge(cut *c, int32_t in, int32_t out, cd_arena *arena)
{
    for (int32_t k = c->first_crossing[in]; k >= 0; k = c->crossing.item[k].next)
        if (c->crossing.item[k].out == out)
            return c->crossing.item[k].made;
    double below = c->height[in], above = c->height[out];
    // A corner within the tolerance above the plane counts as inside: the crossing is there.
    double t = below < 0 ? below / (below - above) : 0;
    cd_vec3 p = cd_lerp3(c->from->at.item[in], c->from->at.item[out], t);
    crossing made = {out, c->to.at.count, c->first_crossing[in]};
    c->first_crossing[in] = c->crossing.count;
    cd_list_push(arena, &c->to.at, p);
    cd_list_push(arena, &c->crossing, made);
    cd_list_push(arena, &c->made, made.made);
    return made.made;
}

static void cut_face(cut *c, remnant_face face, double tolerance, cd_arena *arena)
{
    const int32_t *loop = c->from->loop.item + face.first;
    remnant_face kept = face;
    kept.first = c->to.loop.count;
    int32_t left_at = -1, first_return = -1;
    for (int32_t i = 0; i < face.count; i++) {
        int32_t now = loop[i], next = loop[i + 1 < face.count ? i + 1 : 0];
        bool in = c->height[now] <= tolerance, next_in = c->height[next] <= tolerance;
        if (in)
            cd_list_push(arena, &c->to.loop, keep_corner(c, now, arena));
        if (in == next_in)
            continue;
        int32_t made = in ? cross_edge(c, now, next, arena) : cross_edge(c, next, now, arena);
        cd_list_push(arena, &c->to.loop, made);
        if (in)
            left_at = made;
        else if (left_at < 0)
            first_return = made;
        else
            c->cap[made] = left_at;
    }
    if (first_return >= 0)
        c->cap[first_return] = left_at;
    kept.count = c->to.loop.count - kept.first;
    if (kept.count >= 3)
        cd_list_push(arena, &c->to.face, kept);
}

static void add_caps(cut *c, int32_t plane, cd_arena *arena)
{
    for (int32_t i = 0; i < c->made.count; i++) {
        int32_t start = c->made.item[i];
        remnant_face cap = {-1, plane, c->to.loop.count, 0};
        for (int32_t v = start; c->cap[v] >= 0;) {
            int32_t next = c->cap[v];
            cd_list_push(arena, &c->to.loop, v);
            c->cap[v] = -1;
            v = next;
        }
        cap.count = c->to.loop.count - cap.first;
        if (cap.count >= 3)
            cd_list_push(arena, &c->to.face, cap);
    }
}

// False when nothing is outside. With nothing inside the remnant becomes empty.
static bool cut_by(const remnant *from, remnant *to, cd_vec3 normal, double offset, int32_t plane, double tolerance,
                   cd_arena *arena)
{
    double *height = CD_ARENA_ARRAY(arena, double, from->at.count);
    bool any_outside = false;
    for (int32_t i = 0; i < from->at.count; i++) {
        height[i] = cd_dot3(normal, from->at.item[i]) - offset;
        any_outside |= height[i] > tolerance;
    }
    if (!any_outside)
        return false;
    // Every edge is in two loops, so the crossings are fewer than half the corners of loops.
    int32_t room = from->at.count + from->loop.count;
    cut c = {.from = from, .height = height, .to = *to};
    c.to.at.count = c.to.face.count = c.to.loop.count = 0;
    c.moved = CD_ARENA_ARRAY(arena, int32_t, from->at.count);
    c.first_crossing = CD_ARENA_ARRAY(arena, int32_t, from->at.count);
    c.cap = CD_ARENA_ARRAY(arena, int32_t, room);
    memset(c.moved, -1, (size_t)from->at.count * sizeof(int32_t));
    memset(c.first_crossing, -1, (size_t)from->at.count * sizeof(int32_t));
    for (int32_t f = 0; f < from->face.count; f++)
        cut_face(&c, from->face.item[f], tolerance, arena);
    add_caps(&c, plane, arena);
    *to = c.to;
    return true;
}

static remnant new_remnant(const cd_convex_pair3_side *s, cd_arena *arena)
{
    const cd_convex3 *body = s->body;
    remnant r = {0};
    int32_t *active = CD_ARENA_ARRAY(arena, int32_t, body->face_count);
    memset(active, -1, (size_t)body->face_count * sizeof(int32_t));
    for (int32_t k = 0; k < s->active; k++)
        active[s->face[k]] = k;
    for (int32_t i = 0; i < body->vertex_count; i++)
        cd_list_push(arena, &r.at, cd_convex_pair3_vertex(s, i));
    for (int32_t f = 0; f < body->face_count; f++) {
        remnant_face face = {active[f], -1, r.loop.count, body->face_first[f + 1] - body->face_first[f]};
        for (int32_t k = body->face_first[f]; k < body->face_first[f + 1]; k++)
            cd_list_push(arena, &r.loop, body->face_vertex[k]);
        cd_list_push(arena, &r.face, face);
    }
    return r;
}

// Faces and corners of the result; faces on no active plane are beyond the box and have no area left.
static void take_faces(const remnant *s, const cd_convex_pair3_side *subject, const cd_convex_pair3_side *cutter,
                       cd_intersect3 *result, cd_arena *arena)
{
    result->face = CD_ARENA_ARRAY(arena, cd_intersect3_face, s->face.count + 1);
    result->corner = CD_ARENA_ARRAY(arena, cd_vec3, s->loop.count + 1);
    result->face_count = result->corner_count = 0;
    for (int32_t f = 0; f < s->face.count; f++) {
        remnant_face face = s->face.item[f];
        if (face.subject < 0 && face.cutter < 0)
            continue;
        int32_t own = face.subject >= 0 ? subject->face[face.subject] : -1;
        int32_t other = face.cutter >= 0 ? cutter->face[face.cutter] : -1;
        cd_vec3 normal = face.subject >= 0 ? cd_convex_pair3_normal(subject, face.subject)
                                           : cd_convex_pair3_normal(cutter, face.cutter);
        result->face[result->face_count++] = (cd_intersect3_face){.a = subject->is_b ? other : own,
                                                                  .b = subject->is_b ? own : other,
                                                                  .first = result->corner_count,
                                                                  .count = face.count,
                                                                  .normal = normal};
        for (int32_t i = 0; i < face.count; i++)
            result->corner[result->corner_count++] = s->at.item[s->loop.item[face.first + i]];
    }
}

cd_intersect3 cd_convex_pair3_cut(const cd_convex_pair3 *pair, cd_arena *arena)
{
    // The fewer cuts the better.
    int subject_side = pair->side[0].active >= pair->side[1].active ? 0 : 1;
    const cd_convex_pair3_side *subject = &pair->side[subject_side], *cutter = &pair->side[1 - subject_side];
    remnant now = new_remnant(subject, arena), next = {0};
    for (int32_t j = 0; j < cutter->active && now.face.count > 0; j++) {
        if (!cut_by(&now, &next, cd_convex_pair3_normal(cutter, j), cutter->offset[j], j, pair->tolerance, arena))
            continue;
        remnant old = now;
        now = next;
        next = old;
    }
    // Planes within the rounding of placed coordinates of each other are faces of both bodies.
    int32_t *twin = cd_convex_pair3_twins(pair, subject_side, arena);
    int32_t *of_cutter = cd_convex_pair3_twins(pair, 1 - subject_side, arena);
    for (int32_t f = 0; f < now.face.count; f++) {
        remnant_face *face = &now.face.item[f];
        if (face->subject >= 0)
            face->cutter = twin[face->subject];
        else if (face->cutter >= 0)
            face->subject = of_cutter[face->cutter];
    }
    cd_intersect3 result = {.path = CD_INTERSECT3_SOLID};
    take_faces(&now, subject, cutter, &result, arena);
    cd_convex_pair3_measure(pair, &result);
    if (!(result.volume > 0))
        return (cd_intersect3){.status = CD_INTERSECT3_TOUCHING, .path = CD_INTERSECT3_SOLID};
    cd_convex_pair3_contained(&result);
    return result;
}
