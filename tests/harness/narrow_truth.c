// SPDX-License-Identifier: MIT
#include "narrow_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;  // 113 bits on arm64
#endif

typedef struct quad3 {
    quad x, y, z;
} quad3;

static quad3 at(const double *p) { return (quad3){p[0], p[1], p[2]}; }
static quad3 minus(quad3 a, quad3 b) { return (quad3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static quad3 plus(quad3 a, quad s, quad3 b) { return (quad3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static quad dot(quad3 a, quad3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static quad3 cross(quad3 a, quad3 b)
{
    return (quad3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Newton's iteration doubles the digits of the double root each time.
static quad root(quad x)
{
    quad r = sqrt((double)x);
    if (!(r > 0))
        return 0;
    for (int k = 0; k < 2; k++)
        r = (r + x / r) / 2;
    return r;
}

// ---- distance ------------------------------------------------------------------------------------------------------

enum { MOST_STEPS = 10000 };
#define PROOF 1e-24  // [1] of the scale: what upper and lower bound may differ by

// The corner of a - b that is lowest along d.
static quad3 lowest(const narrow_pair *pair, quad3 d)
{
    quad3 best[2];
    for (int side = 0; side < 2; side++) {
        const narrow_body *body = &pair->body[side];
        quad least = 0;
        for (int32_t i = 0; i < body->vertex_count; i++) {
            quad3 v = at(body->vertex + 3 * i);
            quad height = side ? -dot(v, d) : dot(v, d);
            if (i == 0 || height < least) {
                least = height;
                best[side] = v;
            }
        }
    }
    return minus(best[0], best[1]);
}

typedef struct corral {
    quad3 point[5];
    quad weight[5];  // >= 0, sum 1
    int count;
} corral;

static quad3 mean_of(const corral *c)
{
    quad3 sum = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
        sum = plus(sum, c->weight[i], c->point[i]);
    return sum;
}

// The weights, of any sign, of the point of least norm in the affine hull. By orthogonalisation, not by normal
// equations: turned boxes have sides that are planar to rounding only, and four corners of one are that near to
// dependence. False: the points depend on each other.
static bool affine_weights(const corral *c, quad *weight)
{
    int n = c->count - 1;
    quad3 unit[4], rest = c->point[0];
    quad r[4][4], part[4];
    for (int k = 0; k < n; k++) {
        unit[k] = minus(c->point[k + 1], c->point[0]);
        for (int j = 0; j < k; j++) {
            r[j][k] = dot(unit[j], unit[k]);
            unit[k] = plus(unit[k], -r[j][k], unit[j]);
        }
        r[k][k] = root(dot(unit[k], unit[k]));
        if (!(r[k][k] > 0))
            return false;
        unit[k] = (quad3){unit[k].x / r[k][k], unit[k].y / r[k][k], unit[k].z / r[k][k]};
        part[k] = -dot(unit[k], rest);
        rest = plus(rest, part[k], unit[k]);
    }
    weight[0] = 1;
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            part[k] -= r[k][j] * weight[j + 1];
        weight[k + 1] = part[k] / r[k][k];
        weight[0] -= weight[k + 1];
    }
    return true;
}

// Wolfe's minor cycle: towards the point of least norm of the affine hull, dropping points until it lies inside.
static bool settle(corral *c)
{
    quad aim[5];
    for (;;) {
        if (!affine_weights(c, aim))
            return false;
        quad step = 1;
        int out = -1;
        for (int i = 0; i < c->count; i++)
            if (aim[i] <= 0) {
                quad t = c->weight[i] / (c->weight[i] - aim[i]);
                if (out < 0 || t < step) {
                    step = t;
                    out = i;
                }
            }
        if (out < 0) {
            memcpy(c->weight, aim, sizeof aim);
            return true;
        }
        for (int i = 0; i < c->count; i++)
            c->weight[i] += step * (aim[i] - c->weight[i]);
        c->count--;
        for (int i = out; i < c->count; i++) {
            c->point[i] = c->point[i + 1];
            c->weight[i] = c->weight[i + 1];
        }
    }
}

// 0: the bodies meet. Negative: no proof.
static double distance(const narrow_pair *pair)
{
    quad scale = pair->scale;
    corral c = {.count = 1, .weight = {1}};
    c.point[0] = lowest(pair, minus(at(pair->body[0].vertex), at(pair->body[1].vertex)));
    for (int step = 0; step < MOST_STEPS; step++) {
        quad3 v = mean_of(&c);
        quad length = root(dot(v, v));
        if (c.count == 4 || length < PROOF * scale)
            return 0;
        quad3 w = lowest(pair, v);
        if (length - dot(v, w) / length < PROOF * scale)
            return (double)length;
        c.point[c.count] = w;
        c.weight[c.count++] = 0;
        if (!settle(&c))
            return -1;
    }
    return -1;
}

// ---- depth ---------------------------------------------------------------------------------------------------------

typedef struct edge {
    int32_t from, to;
} edge;

static int32_t edges_of(const narrow_body *body, edge *edges)
{
    int32_t count = 0;
    for (int32_t f = 0; f < body->face_count; f++)
        for (int32_t k = body->face_first[f]; k < body->face_first[f + 1]; k++) {
            int32_t next = k + 1 < body->face_first[f + 1] ? k + 1 : body->face_first[f];
            if (body->face_vertex[k] < body->face_vertex[next])  // the neighbouring face goes the other way
                edges[count++] = (edge){body->face_vertex[k], body->face_vertex[next]};
        }
    return count;
}

static double height(const double *n, const double *p) { return n[0] * p[0] + n[1] * p[1] + n[2] * p[2]; }

// A direction to try: unit normal in doubles, and what it is made of.
typedef struct way {
    double n[3];
    const double *from[2], *to[2];  // n is along (to[0] - from[0]) x (to[1] - from[1]), or against it
} way;

enum { MEMORY = 24 };  // corners of the difference that are tried first
typedef struct search {
    const narrow_pair *pair;
    double best;
    way of_best;
    double corner[MEMORY][3];
    int corners;
} search;

static void try_way(search *s, const way *w)
{
    for (int k = 0; k < s->corners; k++)
        if (height(w->n, s->corner[k]) > s->best) {
            double found[3];
            memcpy(found, s->corner[k], sizeof found);
            memmove(s->corner + 1, s->corner, (size_t)k * sizeof found);
            memcpy(s->corner[0], found, sizeof found);
            return;
        }
    const double *far[2] = {NULL, NULL};
    double reach[2] = {-INFINITY, -INFINITY};
    for (int side = 0; side < 2; side++) {
        const narrow_body *body = &s->pair->body[side];
        double sign = side ? -1 : 1;
        for (int32_t i = 0; i < body->vertex_count; i++) {
            double h = sign * height(w->n, body->vertex + 3 * i);
            if (h > reach[side]) {
                reach[side] = h;
                far[side] = body->vertex + 3 * i;
            }
        }
    }
    if (s->corners < MEMORY)
        s->corners++;
    memmove(s->corner + 1, s->corner, (size_t)(s->corners - 1) * sizeof s->corner[0]);
    for (int k = 0; k < 3; k++)
        s->corner[0][k] = far[0][k] - far[1][k];
    if (reach[0] + reach[1] < s->best) {
        s->best = reach[0] + reach[1];
        s->of_best = *w;
    }
}

static void try_cross(search *s, way w, bool both)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = w.to[0][k] - w.from[0][k];
        v[k] = w.to[1][k] - w.from[1][k];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(height(n, n));
    if (!(length > 1e-12 * sqrt(height(u, u) * height(v, v))))
        return;
    for (double sign = 1; sign >= (both ? -1 : 1); sign -= 2) {
        for (int k = 0; k < 3; k++)
            w.n[k] = sign * n[k] / length;
        try_way(s, &w);
    }
}

// The extent of the difference along the best direction again, in 113-bit numbers.
static double refined(const search *s)
{
    const way *w = &s->of_best;
    quad3 n = cross(minus(at(w->to[0]), at(w->from[0])), minus(at(w->to[1]), at(w->from[1])));
    if (dot(n, at(w->n)) < 0)
        n = minus((quad3){0, 0, 0}, n);
    quad3 back = minus((quad3){0, 0, 0}, n);
    return (double)(-dot(lowest(s->pair, back), back) / root(dot(n, n)));
}

static double depth(const narrow_pair *pair)
{
    search s = {.pair = pair, .best = INFINITY};
    edge *edges[2];
    int32_t count[2];
    for (int side = 0; side < 2; side++) {
        const narrow_body *body = &pair->body[side];
        edges[side] = malloc((size_t)body->face_first[body->face_count] * sizeof(edge));
        count[side] = edges_of(body, edges[side]);
        for (int32_t f = 0; f < body->face_count; f++) {
            const int32_t *corner = body->face_vertex + body->face_first[f];
            const double *p[3];
            for (int k = 0; k < 3; k++)
                p[k] = body->vertex + 3 * corner[k];
            // Outward from a, into b.
            try_cross(&s, (way){.from = {p[0], p[0]}, .to = {p[side ? 2 : 1], p[side ? 1 : 2]}}, false);
        }
    }
    for (int32_t i = 0; i < count[0]; i++)
        for (int32_t j = 0; j < count[1]; j++) {
            const double *v = pair->body[0].vertex, *w = pair->body[1].vertex;
            try_cross(&s,
                      (way){.from = {v + 3 * edges[0][i].from, w + 3 * edges[1][j].from},
                            .to = {v + 3 * edges[0][i].to, w + 3 * edges[1][j].to}},
                      true);
        }
    free(edges[0]);
    free(edges[1]);
    return refined(&s);
}

// ---- volume --------------------------------------------------------------------------------------------------------

typedef struct plane {
    quad3 normal;  // outward, not of unit length
    quad offset;
    double n[3], d;  // the same with unit length
} plane;

static plane plane_of(const narrow_body *body, int32_t face)
{
    const int32_t *corner = body->face_vertex + body->face_first[face];
    quad3 p = at(body->vertex + 3 * corner[0]);
    quad3 u = minus(at(body->vertex + 3 * corner[1]), p), v = minus(at(body->vertex + 3 * corner[2]), p);
    plane made = {.normal = cross(u, v)};
    made.offset = dot(made.normal, p);
    quad length = root(dot(made.normal, made.normal));
    made.n[0] = (double)(made.normal.x / length);
    made.n[1] = (double)(made.normal.y / length);
    made.n[2] = (double)(made.normal.z / length);
    made.d = (double)(made.offset / length);
    return made;
}

static int cut(const quad3 *in, int count, const plane *side, quad3 *out)
{
    int kept = 0;
    quad before = dot(side->normal, in[count - 1]) - side->offset;
    for (int i = 0; i < count; i++) {
        quad3 from = in[i ? i - 1 : count - 1];
        quad here = dot(side->normal, in[i]) - side->offset;
        if ((before > 0) != (here > 0))
            out[kept++] = plus(from, before / (before - here), minus(in[i], from));
        if (here <= 0)
            out[kept++] = in[i];
        before = here;
    }
    return kept;
}

typedef struct sum3 {
    quad volume6;  // 6 volumes
    quad3 moment;  // 24 volumes times centroid
} sum3;

// Adds the cones from `origin` over what is left of a face inside the other body. Planes that all corners of the face
// are clear of by more than rounding are told by doubles.
static void add_face(const narrow_body *body, int32_t face, const plane *planes, int32_t plane_count, quad3 origin,
                     double scale, quad3 *loop[2], sum3 *sum)
{
    int count = 0, now = 0;
    for (int32_t k = body->face_first[face]; k < body->face_first[face + 1]; k++)
        loop[0][count++] = at(body->vertex + 3 * body->face_vertex[k]);
    for (int32_t g = 0; g < plane_count && count >= 3; g++) {
        double least = INFINITY, most = -INFINITY;
        for (int32_t k = body->face_first[face]; k < body->face_first[face + 1]; k++) {
            double h = height(planes[g].n, body->vertex + 3 * body->face_vertex[k]) - planes[g].d;
            least = fmin(least, h);
            most = fmax(most, h);
        }
        if (least > 1e-9 * scale)
            return;
        if (most < -1e-9 * scale)
            continue;
        count = cut(loop[now], count, &planes[g], loop[1 - now]);
        now = 1 - now;
    }
    for (int k = 1; k + 1 < count; k++) {
        quad3 p = minus(loop[now][0], origin), q = minus(loop[now][k], origin), r = minus(loop[now][k + 1], origin);
        quad v = dot(p, cross(q, r));
        sum->volume6 += v;
        sum->moment = plus(sum->moment, v, plus(plus(p, 1, q), 1, r));
    }
}

static double volume(const narrow_pair *pair, double *inner)
{
    quad3 origin = at(pair->body[0].vertex), *loop[2];
    sum3 sum = {0, {0, 0, 0}};
    int32_t corners = 0;
    for (int side = 0; side < 2; side++)
        corners += pair->body[side].face_first[pair->body[side].face_count] + pair->body[side].face_count;
    for (int k = 0; k < 2; k++)
        loop[k] = malloc((size_t)corners * sizeof(quad3));
    for (int side = 0; side < 2; side++) {
        const narrow_body *body = &pair->body[side], *other = &pair->body[1 - side];
        plane *planes = malloc((size_t)other->face_count * sizeof *planes);
        for (int32_t g = 0; g < other->face_count; g++)
            planes[g] = plane_of(other, g);
        for (int32_t f = 0; f < body->face_count; f++)
            add_face(body, f, planes, other->face_count, origin, pair->scale, loop, &sum);
        free(planes);
    }
    free(loop[0]);
    free(loop[1]);
    double found = (double)(sum.volume6 / 6);
    bool has_inner = found > 1e-18 * pair->scale * pair->scale * pair->scale;
    quad3 centroid = plus(origin, has_inner ? 1 / (4 * sum.volume6) : 0, sum.moment);
    inner[0] = has_inner ? (double)centroid.x : NAN;
    inner[1] = has_inner ? (double)centroid.y : NAN;
    inner[2] = has_inner ? (double)centroid.z : NAN;
    return fmax(found, 0);
}

bool narrow_truth_find(narrow_pair *pair)
{
    pair->gap = distance(pair);
    if (pair->gap < 0)
        return false;
    if (!(pair->gap > 0))
        pair->gap = -depth(pair);
    pair->volume = pair->gap < 0 ? volume(pair, pair->inner) : 0;
    if (!(pair->gap < 0))
        pair->inner[0] = pair->inner[1] = pair->inner[2] = NAN;
    return true;
}
