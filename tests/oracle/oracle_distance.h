// oracle_distance -- two convex polyhedra in exact arithmetic: whether they overlap, touch or are apart, how deep and
// how far.
//
// Overlap and depth: all normals of faces and all cross products of edges of both are tried, both ways; among them are
// the normals of all faces of the bodies' difference. Long double numbers only choose which of them are worth rational
// ones: an error bound decides, so that no direction is left out that could matter.
//
// Distance: pairs of features (vertex, edge, triangle) are tried in the order of their distance in long double; x on a
// and y on b are nearest to each other if and only if no vertex of a is nearer to y along x - y than x is, and no
// vertex of b nearer to x than y (the variational inequality). That is asked in rational numbers, so the answer is
// proven however it was found; a pair for which no features pass the test is an error of the oracle.
// SPDX-License-Identifier: MIT
#ifndef ORACLE_DISTANCE_H
#define ORACLE_DISTANCE_H

#include "oracle_volume.h"

#include <math.h>
#include <string.h>

enum { MOST_CORNERS = 32, MOST_EDGES = 96, MOST_TRIANGLES = 64, MOST_FEATURE_PAIRS = 24000 };

typedef struct long3 {
    long double x, y, z;
} long3;

typedef struct feature {
    int count, corner[3];
} feature;

typedef struct exact_body {
    int corners, edges, triangles, faces;
    spot corner[MOST_CORNERS];
    long3 near[MOST_CORNERS];  // relative to the pair's origin
    feature edge[MOST_EDGES], triangle[MOST_TRIANGLES];
    feature face[MOST_TRIANGLES];  // three corners of each face
} exact_body;

typedef struct exact_pair {
    exact_body a, b;
    long double size;  // no two corners are farther apart
} exact_pair;

typedef enum exact_relation { EXACT_OVERLAP, EXACT_TOUCHING, EXACT_APART, EXACT_UNKNOWN } exact_relation;

typedef struct exact_truth {
    exact_relation relation;
    exact distance, depth;  // rounded by less than 2^-190 of them
} exact_truth;

static inline spot spot_of(cd_vec3 p) { return (spot){exact_of(p.x), exact_of(p.y), exact_of(p.z)}; }

static inline long3 long_minus(long3 a, long3 b) { return (long3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline long double long_dot(long3 a, long3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline long3 long_cross(long3 a, long3 b)
{
    return (long3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline long double long_length(long3 a) { return sqrtl(long_dot(a, a)); }

static inline bool body_take(exact_body *body, const cd_convex3 *c, cd_vec3 origin)
{
    *body = (exact_body){.corners = c->vertex_count, .faces = c->face_count};
    if (c->vertex_count > MOST_CORNERS || c->face_count > MOST_TRIANGLES)
        return false;
    for (int i = 0; i < c->vertex_count; i++) {
        body->corner[i] = spot_of(cd_convex3_vertex(c, i));
        body->near[i] =
            (long3){(long double)c->x[i] - origin.x, (long double)c->y[i] - origin.y, (long double)c->z[i] - origin.z};
    }
    for (int32_t f = 0; f < c->face_count; f++) {
        const int32_t *v = c->face_vertex + c->face_first[f];
        int count = c->face_first[f + 1] - c->face_first[f];
        body->face[f] = (feature){3, {v[0], v[1], v[2]}};
        for (int k = 0; k < count; k++) {
            int p = v[k], q = v[k + 1 < count ? k + 1 : 0];
            if (k >= 1 && k + 1 < count) {
                if (body->triangles >= MOST_TRIANGLES)
                    return false;
                body->triangle[body->triangles++] = (feature){3, {v[0], p, q}};
            }
            if (p < q) {
                if (body->edges >= MOST_EDGES)
                    return false;
                body->edge[body->edges++] = (feature){2, {p, q, 0}};
            }
        }
    }
    return true;
}

// The faces are those of the vertices' hull: every vertex is on or behind every face. The condition of all the rest.
static inline bool body_is_convex(const exact_body *body)
{
    int used = exact_used;
    bool is_convex = true;
    for (int f = 0; f < body->faces && is_convex; f++) {
        const int *v = body->face[f].corner;
        spot p = body->corner[v[0]], n = cross(minus(body->corner[v[1]], p), minus(body->corner[v[2]], p));
        for (int i = 0; i < body->corners && is_convex; i++)
            is_convex = exact_sign(dot(n, minus(body->corner[i], p))) <= 0;
        exact_used = used;
    }
    return is_convex;
}

static inline bool pair_take(exact_pair *pair, const cd_convex3 *a, const cd_convex3 *b)
{
    pair->size = 2 * ((long double)a->radius + b->radius) + cd_length3(cd_sub3(a->centre, b->centre));
    return body_take(&pair->a, a, a->centre) && body_take(&pair->b, b, a->centre) && body_is_convex(&pair->a) &&
           body_is_convex(&pair->b);
}

// ---- overlap and depth ---------------------------------------------------------------------------------------------

typedef struct axis {
    int kind;  // 0: face of a, 1: face of b, 2: edges
    int i, j;
    int sign;
} axis;

// The direction, and the product of the lengths of the edges that it was made of.
static inline long3 long_axis(const exact_pair *pair, axis x, long double *bound)
{
    const exact_body *of = x.kind == 1 ? &pair->b : &pair->a;
    const feature *f = x.kind == 2 ? &of->edge[x.i] : &of->face[x.i];
    long3 p = of->near[f->corner[0]], e = long_minus(of->near[f->corner[1]], p), g;
    if (x.kind == 2) {
        const int *v = pair->b.edge[x.j].corner;
        g = long_minus(pair->b.near[v[1]], pair->b.near[v[0]]);
    } else {
        g = long_minus(of->near[f->corner[2]], p);
    }
    *bound = long_length(e) * long_length(g);
    long3 n = long_cross(e, g);
    return x.sign > 0 ? n : (long3){-n.x, -n.y, -n.z};
}

static inline long double long_gap(const exact_pair *pair, long3 n)
{
    long double most = -INFINITY, least = INFINITY;
    for (int i = 0; i < pair->a.corners; i++)
        most = fmaxl(most, long_dot(n, pair->a.near[i]));
    for (int i = 0; i < pair->b.corners; i++)
        least = fminl(least, long_dot(n, pair->b.near[i]));
    return least - most;
}

static inline spot exact_axis(const exact_pair *pair, axis x)
{
    const exact_body *of = x.kind == 1 ? &pair->b : &pair->a;
    const feature *f = x.kind == 2 ? &of->edge[x.i] : &of->face[x.i];
    spot p = of->corner[f->corner[0]], e = minus(of->corner[f->corner[1]], p), g;
    if (x.kind == 2) {
        const int *v = pair->b.edge[x.j].corner;
        g = minus(pair->b.corner[v[1]], pair->b.corner[v[0]]);
    } else {
        g = minus(of->corner[f->corner[2]], p);
    }
    return x.sign > 0 ? cross(e, g) : cross(g, e);
}

static inline exact exact_gap(const exact_pair *pair, spot n)
{
    exact most = dot(n, pair->a.corner[0]), least = dot(n, pair->b.corner[0]);
    for (int i = 1; i < pair->a.corners; i++)
        most = exact_greater(most, dot(n, pair->a.corner[i]));
    for (int i = 1; i < pair->b.corners; i++)
        least = exact_lesser(least, dot(n, pair->b.corner[i]));
    return exact_sub(least, most);
}

typedef struct axis_search {
    axis list[2 * MOST_TRIANGLES + 2 * MOST_EDGES * MOST_EDGES];
    long double value[2 * MOST_TRIANGLES + 2 * MOST_EDGES * MOST_EDGES];  // at most, of the gap along the unit normal
    int count;
    long double best;  // no least gap is below it
} axis_search;

static inline void add_axis(axis_search *s, const exact_pair *pair, axis x)
{
    long double bound, gap, length;
    long3 n = long_axis(pair, x, &bound);
    gap = long_gap(pair, n);
    length = long_length(n);
    // The rounding of n is below 4 units of the product of the edges, that of a product with it below 8 more.
    long double error = 2e-18L * bound, rest = error * pair->size;
    bool is_long = length > 4 * error;
    s->list[s->count] = x;
    s->value[s->count] = is_long ? gap / length + 2 * (rest + fabsl(gap) * error / length) / length : INFINITY;
    s->count++;
    if (is_long)
        s->best = fmaxl(s->best, gap / length - 2 * (rest + fabsl(gap) * error / length) / length);
}

// The relation by separating directions, and the depth.
static inline void find_depth(const exact_pair *pair, exact_truth *truth)
{
    static axis_search s;
    s.count = 0;
    s.best = -INFINITY;
    for (int f = 0; f < pair->a.faces; f++)
        add_axis(&s, pair, (axis){0, f, 0, 1});
    for (int f = 0; f < pair->b.faces; f++)
        add_axis(&s, pair, (axis){1, f, 0, -1});
    for (int i = 0; i < pair->a.edges; i++)
        for (int j = 0; j < pair->b.edges; j++)
            for (int sign = -1; sign <= 1; sign += 2)
                add_axis(&s, pair, (axis){2, i, j, sign});
    exact best = exact_of(0), best_length_sq = exact_of(1), left = exact_new(), right = exact_new();
    bool has_best = false;
    int used = exact_used;
    truth->relation = EXACT_OVERLAP;
    for (int k = 0; k < s.count; k++) {
        if (s.value[k] < s.best)
            continue;
        spot n = exact_axis(pair, s.list[k]);
        exact length_sq = dot(n, n), gap = exact_gap(pair, n);
        int sign = exact_sign(gap);
        if (exact_sign(length_sq) > 0 && sign >= 0) {
            truth->relation = sign > 0 || truth->relation == EXACT_APART ? EXACT_APART : EXACT_TOUCHING;
        } else if (exact_sign(length_sq) > 0) {
            mpq_mul(left, gap, gap);
            mpq_mul(left, left, best_length_sq);
            mpq_mul(right, best, best);
            mpq_mul(right, right, length_sq);
            if (!has_best || mpq_cmp(left, right) < 0) {
                mpq_set(best, gap);
                mpq_set(best_length_sq, length_sq);
                has_best = true;
            }
        }
        exact_used = used;
    }
    truth->depth =
        truth->relation == EXACT_OVERLAP ? exact_sqrt(exact_div(exact_mul(best, best), best_length_sq)) : exact_of(0);
}

// ---- distance ------------------------------------------------------------------------------------------------------

typedef struct feature_pair {
    feature a, b;
    long double square;
} feature_pair;

typedef struct nearest {
    spot x, y;  // on a, on b
} nearest;

static inline int compare_feature_pairs(const void *left, const void *right)
{
    const feature_pair *p = left, *q = right;
    return (p->square > q->square) - (p->square < q->square);
}

// The weights s, t of e, g in the nearest point of base + s e + t g to the origin, in long double. `slack`: how far
// outside of the features they may be.
static inline bool long_nearest(const exact_pair *pair, feature a, feature b, long double slack, long double *square)
{
    long3 base = long_minus(pair->a.near[a.corner[0]], pair->b.near[b.corner[0]]), e = {0, 0, 0}, g = {0, 0, 0};
    bool is_edges = a.count == 2 && b.count == 2;
    if (a.count >= 2)
        e = long_minus(pair->a.near[a.corner[1]], pair->a.near[a.corner[0]]);
    if (a.count == 3)
        g = long_minus(pair->a.near[a.corner[2]], pair->a.near[a.corner[0]]);
    if (is_edges)
        g = long_minus(pair->b.near[b.corner[0]], pair->b.near[b.corner[1]]);
    if (a.count == 1 && b.count >= 2)
        e = long_minus(pair->b.near[b.corner[0]], pair->b.near[b.corner[1]]);
    if (b.count == 3)
        g = long_minus(pair->b.near[b.corner[0]], pair->b.near[b.corner[2]]);
    long double s = 0, t = 0;
    if (a.count + b.count == 3) {
        s = -long_dot(base, e) / long_dot(e, e);
    } else if (a.count + b.count == 4) {
        long3 n = long_cross(e, g);
        long double nn = long_dot(n, n);
        if (!(nn > 0))
            return false;
        s = -long_dot(n, long_cross(base, g)) / nn;
        t = -long_dot(n, long_cross(e, base)) / nn;
    }
    long3 v = {base.x + s * e.x + t * g.x, base.y + s * e.y + t * g.y, base.z + s * e.z + t * g.z};
    *square = long_dot(v, v);
    long double most = is_edges ? fmaxl(s, t) : s + t;
    return s >= -slack && t >= -slack && most <= 1 + slack;
}

static inline spot along(spot base, exact s, spot e)
{
    return (spot){exact_add(base.x, exact_mul(s, e.x)), exact_add(base.y, exact_mul(s, e.y)),
                  exact_add(base.z, exact_mul(s, e.z))};
}

static inline bool is_weight(exact s) { return exact_sign(s) >= 0 && mpq_cmp_ui(s, 1, 1) <= 0; }

// The point of a feature nearest to p; false: outside of it.
static inline bool nearest_to_point(const exact_body *of, feature f, spot p, spot *x)
{
    spot base = of->corner[f.corner[0]], r = minus(p, base);
    *x = base;
    if (f.count == 1)
        return true;
    spot e = minus(of->corner[f.corner[1]], base);
    if (f.count == 2) {
        exact s = exact_div(dot(r, e), dot(e, e));
        *x = along(base, s, e);
        return is_weight(s);
    }
    spot g = minus(of->corner[f.corner[2]], base), n = cross(e, g);
    exact nn = dot(n, n), s = exact_div(dot(n, cross(r, g)), nn), t = exact_div(dot(n, cross(e, r)), nn);
    *x = along(along(base, s, e), t, g);
    return is_weight(s) && is_weight(t) && is_weight(exact_add(s, t));
}

static inline bool nearest_of_edges(const exact_pair *pair, feature a, feature b, nearest *found)
{
    spot p = pair->a.corner[a.corner[0]], q = pair->b.corner[b.corner[0]], r = minus(q, p);
    spot e = minus(pair->a.corner[a.corner[1]], p), g = minus(pair->b.corner[b.corner[1]], q), n = cross(e, g);
    exact nn = dot(n, n);
    if (exact_sign(nn) == 0)
        return false;
    exact s = exact_div(dot(n, cross(r, g)), nn), t = exact_div(dot(n, cross(r, e)), nn);
    *found = (nearest){along(p, s, e), along(q, t, g)};
    return is_weight(s) && is_weight(t);
}

static inline bool is_nearest(const exact_pair *pair, const nearest *found)
{
    spot v = minus(found->x, found->y);
    exact at_x = dot(v, found->x), at_y = dot(v, found->y);
    for (int i = 0; i < pair->a.corners; i++)
        if (mpq_cmp(dot(v, pair->a.corner[i]), at_x) < 0)
            return false;
    for (int i = 0; i < pair->b.corners; i++)
        if (mpq_cmp(dot(v, pair->b.corner[i]), at_y) > 0)
            return false;
    return true;
}

static inline bool try_features(const exact_pair *pair, feature a, feature b, exact *square)
{
    nearest found;
    bool is_inside;
    if (a.count == 2 && b.count == 2) {
        is_inside = nearest_of_edges(pair, a, b, &found);
    } else if (a.count == 1) {
        found.x = pair->a.corner[a.corner[0]];
        is_inside = nearest_to_point(&pair->b, b, found.x, &found.y);
    } else {
        found.y = pair->b.corner[b.corner[0]];
        is_inside = nearest_to_point(&pair->a, a, found.y, &found.x);
    }
    if (!is_inside || !is_nearest(pair, &found))
        return false;
    spot v = minus(found.x, found.y);
    *square = dot(v, v);
    return true;
}

typedef struct feature_list {
    feature_pair pair[MOST_FEATURE_PAIRS];
    int count;
} feature_list;

static inline void add_features(feature_list *list, const exact_pair *pair, feature a, feature b, long double slack)
{
    feature_pair p = {a, b, 0};
    if (list->count < MOST_FEATURE_PAIRS && long_nearest(pair, a, b, slack, &p.square))
        list->pair[list->count++] = p;
}

static inline void list_features(feature_list *list, const exact_pair *pair, long double slack)
{
    const exact_body *a = &pair->a, *b = &pair->b;
    list->count = 0;
    for (int i = 0; i < a->corners; i++) {
        feature v = {1, {i, 0, 0}};
        for (int j = 0; j < b->corners; j++)
            add_features(list, pair, v, (feature){1, {j, 0, 0}}, slack);
        for (int j = 0; j < b->edges; j++)
            add_features(list, pair, v, b->edge[j], slack);
        for (int j = 0; j < b->triangles; j++)
            add_features(list, pair, v, b->triangle[j], slack);
    }
    for (int j = 0; j < b->corners; j++) {
        feature v = {1, {j, 0, 0}};
        for (int i = 0; i < a->edges; i++)
            add_features(list, pair, a->edge[i], v, slack);
        for (int i = 0; i < a->triangles; i++)
            add_features(list, pair, a->triangle[i], v, slack);
    }
    for (int i = 0; i < a->edges; i++)
        for (int j = 0; j < b->edges; j++)
            add_features(list, pair, a->edge[i], b->edge[j], slack);
    qsort(list->pair, (size_t)list->count, sizeof *list->pair, compare_feature_pairs);
}

// Of bodies that do not overlap. False: none of the features passed the test.
static inline bool find_distance(const exact_pair *pair, exact_truth *truth)
{
    static feature_list list;
    exact kept = exact_new();
    for (int wide = 0; wide < 2; wide++) {
        list_features(&list, pair, wide ? INFINITY : 1e-6L);
        for (int k = 0; k < list.count; k++) {
            int used = exact_used;
            exact square;
            bool is_found = try_features(pair, list.pair[k].a, list.pair[k].b, &square);
            if (is_found)
                mpq_set(kept, square);
            exact_used = used;
            if (is_found) {
                truth->distance = exact_sqrt(kept);
                return true;
            }
        }
    }
    return false;
}

// What is so about two polyhedra. EXACT_UNKNOWN: their faces are not those of a hull, too many, or the oracle's two
// ways contradict each other.
static inline exact_truth exact_truth_of(const cd_convex3 *a, const cd_convex3 *b)
{
    static exact_pair pair;
    exact_truth truth = {EXACT_UNKNOWN, exact_of(0), exact_of(0)};
    if (!pair_take(&pair, a, b))
        return truth;
    find_depth(&pair, &truth);
    if (truth.relation == EXACT_OVERLAP)
        return truth;
    bool is_certain = find_distance(&pair, &truth);
    if (!is_certain || (exact_sign(truth.distance) > 0) != (truth.relation == EXACT_APART))
        truth.relation = EXACT_UNKNOWN;
    return truth;
}

#endif
