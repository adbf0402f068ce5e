// oracle_volume -- the volume that two convex polyhedra have in common, and a polyhedron and a half-space, in exact
// rational arithmetic.
//
// Every face is clipped by the exact planes of the other body and the volume summed over what remains. Planes are taken
// through the first three corners of a face, the corners being the doubles that a kernel was given.
// SPDX-License-Identifier: MIT
#ifndef ORACLE_VOLUME_H
#define ORACLE_VOLUME_H

#include "cd_convex3.h"
#include "oracle_exact.h"

enum { MOST_FACES = 64, MOST_LOOP = 64 };

typedef struct spot {
    exact x, y, z;
} spot;

typedef struct halfspace {
    spot normal;   // outward, not of unit length
    exact offset;  // inside where normal . x <= offset
} halfspace;

typedef struct solid {
    int faces;
    halfspace plane[MOST_FACES];
} solid;

static inline spot minus(spot a, spot b)
{
    return (spot){exact_sub(a.x, b.x), exact_sub(a.y, b.y), exact_sub(a.z, b.z)};
}
static inline exact dot(spot a, spot b)
{
    return exact_add(exact_add(exact_mul(a.x, b.x), exact_mul(a.y, b.y)), exact_mul(a.z, b.z));
}
static inline spot cross(spot a, spot b)
{
    return (spot){exact_sub(exact_mul(a.y, b.z), exact_mul(a.z, b.y)),
                  exact_sub(exact_mul(a.z, b.x), exact_mul(a.x, b.z)),
                  exact_sub(exact_mul(a.x, b.y), exact_mul(a.y, b.x))};
}

static inline spot corner_of(const cd_convex3 *c, int32_t face, int32_t k)
{
    cd_vec3 p = cd_convex3_vertex(c, c->face_vertex[c->face_first[face] + k]);
    return (spot){exact_of(p.x), exact_of(p.y), exact_of(p.z)};
}

static inline void take(solid *s, const cd_convex3 *c)
{
    s->faces = c->face_count;
    for (int32_t f = 0; f < c->face_count; f++) {
        spot p = corner_of(c, f, 0);
        spot normal = cross(minus(corner_of(c, f, 1), p), minus(corner_of(c, f, 2), p));
        s->plane[f] = (halfspace){normal, dot(normal, p)};
    }
}

static inline bool is_same_plane(const halfspace *p, const halfspace *q)
{
    spot turn = cross(p->normal, q->normal);
    if (exact_sign(turn.x) || exact_sign(turn.y) || exact_sign(turn.z) || exact_sign(dot(p->normal, q->normal)) < 0)
        return false;
    // Parallel: offsets compare after scaling by the normals' squared lengths.
    exact pp = dot(p->normal, p->normal), pq = dot(p->normal, q->normal);
    return mpq_cmp(exact_mul(p->offset, pq), exact_mul(q->offset, pp)) == 0;
}

// The part of a loop inside the plane (Sutherland & Hodgman).
static inline int cut(const spot *in, int count, const halfspace *plane, spot *out)
{
    exact height[MOST_LOOP];
    int kept = 0;
    for (int i = 0; i < count; i++)
        height[i] = exact_sub(dot(plane->normal, in[i]), plane->offset);
    for (int i = 0; i < count; i++) {
        int next = i + 1 < count ? i + 1 : 0;
        if (exact_sign(height[i]) <= 0)
            out[kept++] = in[i];
        if (exact_sign(height[i]) * exact_sign(height[next]) < 0) {
            exact t = exact_div(height[i], exact_sub(height[i], height[next]));
            spot d = minus(in[next], in[i]);
            out[kept++] = (spot){exact_add(in[i].x, exact_mul(t, d.x)), exact_add(in[i].y, exact_mul(t, d.y)),
                                 exact_add(in[i].z, exact_mul(t, d.z))};
        }
    }
    return kept;
}

// Adds 6 volumes of the cones from the origin over what is left of a's faces inside b. `only_once`: leave out faces
// that lie on a face of b.
static inline exact six_volumes(const cd_convex3 *c, const solid *a, const solid *b, bool only_once)
{
    exact sum = exact_of(0);
    for (int f = 0; f < a->faces; f++) {
        spot loop[2][MOST_LOOP];
        int count = c->face_first[f + 1] - c->face_first[f], now = 0;
        bool is_double = false;
        for (int k = 0; k < count; k++)
            loop[0][k] = corner_of(c, f, k);
        for (int g = 0; g < b->faces && count >= 3; g++) {
            is_double |= only_once && is_same_plane(&a->plane[f], &b->plane[g]);
            count = cut(loop[now], count, &b->plane[g], loop[1 - now]);
            now = 1 - now;
        }
        for (int k = 1; k + 1 < count && !is_double; k++)
            sum = exact_add(sum, dot(loop[now][0], cross(loop[now][k], loop[now][k + 1])));
    }
    return sum;
}

// The volume; 0 when some plane has all of the other body on or outside of it, which faces alone do not tell.
static inline double exact_volume(const cd_convex3 *a, const cd_convex3 *b, exact *volume)
{
    static solid s, t;
    take(&s, a);
    take(&t, b);
    *volume = exact_div(exact_add(six_volumes(a, &s, &t, false), six_volumes(b, &t, &s, true)), exact_of(6));
    for (int k = 0; k < 2; k++) {
        const solid *own = k ? &t : &s;
        const cd_convex3 *other = k ? a : b;
        for (int f = 0; f < own->faces; f++) {
            bool all_out = true;
            for (int32_t i = 0; i < other->vertex_count && all_out; i++) {
                cd_vec3 p = cd_convex3_vertex(other, i);
                spot v = {exact_of(p.x), exact_of(p.y), exact_of(p.z)};
                all_out = mpq_cmp(dot(own->plane[f].normal, v), own->plane[f].offset) >= 0;
            }
            if (all_out)
                *volume = exact_of(0);
        }
    }
    return mpq_get_d(*volume);
}

// The part of c where normal . x <= offset, as cones from a point of the plane over the faces' parts.
static inline exact exact_part_below(const cd_convex3 *c, cd_vec3 normal, double offset)
{
    halfspace plane = {{exact_of(normal.x), exact_of(normal.y), exact_of(normal.z)}, exact_of(offset)};
    exact along = exact_div(plane.offset, dot(plane.normal, plane.normal)), sum = exact_of(0);
    spot apex = {exact_mul(along, plane.normal.x), exact_mul(along, plane.normal.y), exact_mul(along, plane.normal.z)};
    for (int32_t f = 0; f < c->face_count; f++) {
        spot loop[2][MOST_LOOP];
        int count = c->face_first[f + 1] - c->face_first[f];
        for (int k = 0; k < count; k++)
            loop[0][k] = corner_of(c, f, k);
        count = cut(loop[0], count, &plane, loop[1]);
        for (int k = 0; k < count; k++)
            loop[1][k] = minus(loop[1][k], apex);
        for (int k = 1; k + 1 < count; k++)
            sum = exact_add(sum, dot(loop[1][0], cross(loop[1][k], loop[1][k + 1])));
    }
    return exact_div(sum, exact_of(6));
}

#endif
