// The intersection of half-spaces as the convex hull of their polar points.
//
// About an inner point c, plane n . (x - c) = h (h > 0) is the point n / h, and a half-space that takes no part in the
// boundary is a point inside the hull of the others. Hull triangles are corners of the intersection, hull vertices its
// faces, and the triangles around a vertex are the corners around the face in the same sense.
//
// The hull is grown point by point (beneath-beyond; Clarkson & Shor 1989 without the history), farthest points first.
// Which triangles see a new point is decided exactly, so the hull's topology is that of a convex polyhedron; what a
// plane loses in its point's rounding is 2^-53 of its distance and turn. A corner is solved from its three planes
// themselves, so that it lies on each of them within rounding even where two are nearly parallel: as in a solid that is
// cut, corners may slide within such planes, which the volume does not feel.
// SPDX-License-Identifier: MIT
#include "cd_expansion.h"
#include "cd_intersect3_pair.h"

#include <float.h>
#include <stdlib.h>

// ---- the exact sign of a determinant
// ---------------------------------------------------------------------------------

// 24 products of three doubles, four parts each.
typedef struct expansion {
    double part[96];
    int count;
} expansion;

static void add_part(expansion *e, double value) { e->count = cd_expansion_add(e->part, e->count, value); }

static void add_triple(expansion *e, double x, double y, double z)
{
    double head = x * y, tail = fma(x, y, -head);
    double tail_low = tail * z, head_low = head * z;
    add_part(e, fma(tail, z, -tail_low));
    add_part(e, tail_low);
    add_part(e, fma(head, z, -head_low));
    add_part(e, head_low);
}

static void add_determinant(expansion *e, double sign, cd_vec3 p, cd_vec3 q, cd_vec3 r)
{
    add_triple(e, sign * p.x, q.y, r.z);
    add_triple(e, sign * p.y, q.z, r.x);
    add_triple(e, sign * p.z, q.x, r.y);
    add_triple(e, -sign * p.x, q.z, r.y);
    add_triple(e, -sign * p.y, q.x, r.z);
    add_triple(e, -sign * p.z, q.y, r.x);
}

// The sign of (q - p) x (r - p) . (s - p), expanded: det(q r s) - det(p r s) + det(p q s) - det(p q r).
static int exact_sign(cd_vec3 p, cd_vec3 q, cd_vec3 r, cd_vec3 s)
{
    expansion e = {.count = 0};
    add_determinant(&e, 1, q, r, s);
    add_determinant(&e, -1, p, r, s);
    add_determinant(&e, 1, p, q, s);
    add_determinant(&e, -1, p, q, r);
    double top = e.count ? e.part[e.count - 1] : 0;
    return (top > 0) - (top < 0);
}

// ---- the hull ------------------------------------------------------------------------------------------------------

typedef struct triangle {
    int32_t v[3];     // counter-clockwise from outside
    int32_t next[3];  // the triangle across the edge from v[i] to v[i + 1]
    cd_vec3 normal;   // (v1 - v0) x (v2 - v0), rounded
    cd_vec3 spread;   // the same with all signs positive: what its rounding is measured by
    bool is_dead, is_seen;
} triangle;

typedef struct hull {
    const cd_vec3 *point;
    CD_LIST(triangle) triangle;
    CD_LIST(int32_t) seen;
    int32_t *starting;  // of a point: the new triangle whose horizon edge starts there
    int32_t *unused;    // triangles that are dead, to be used again
    int32_t unused_count;
} hull;

static cd_vec3 spread_of(cd_vec3 u, cd_vec3 v)
{
    return (cd_vec3){fabs(u.y * v.z) + fabs(u.z * v.y), fabs(u.z * v.x) + fabs(u.x * v.z),
                     fabs(u.x * v.y) + fabs(u.y * v.x)};
}

static triangle new_triangle(const hull *h, int32_t i, int32_t j, int32_t k)
{
    cd_vec3 u = cd_sub3(h->point[j], h->point[i]), v = cd_sub3(h->point[k], h->point[i]);
    return (triangle){.v = {i, j, k}, .normal = cd_cross3(u, v), .spread = spread_of(u, v)};
}

// > 0: the point is strictly outside the triangle.
static int side_of_triangle(const hull *h, const triangle *f, int32_t point)
{
    cd_vec3 d = cd_sub3(h->point[point], h->point[f->v[0]]);
    double height = cd_dot3(f->normal, d);
    // Shewchuk's (7 + 56 u) u of the permanent, u = 2^-53, rounded up.
    double bound = 8.5e-16 * (f->spread.x * fabs(d.x) + f->spread.y * fabs(d.y) + f->spread.z * fabs(d.z));
    if (height > bound)
        return 1;
    if (height < -bound)
        return -1;
    return exact_sign(h->point[f->v[0]], h->point[f->v[1]], h->point[f->v[2]], h->point[point]);
}

static int32_t take_triangle(hull *h, triangle f, cd_arena *arena)
{
    if (h->unused_count > 0) {
        int32_t i = h->unused[--h->unused_count];
        h->triangle.item[i] = f;
        return i;
    }
    cd_list_push(arena, &h->triangle, f);
    return h->triangle.count - 1;
}

static int edge_from(const triangle *f, int32_t start) { return f->v[0] == start ? 0 : f->v[1] == start ? 1 : 2; }

// Four points that span space, each the farthest from what the ones before span.
static bool first_four(const cd_vec3 *p, int32_t count, int32_t four[4])
{
    // Farthest from the origin.
    double most = -1;
    for (int32_t i = 0; i < count; i++) {
        double d = cd_dot3(p[i], p[i]);
        four[0] = d > most ? i : four[0];
        most = fmax(most, d);
    }
    // Farthest from the first.
    cd_vec3 u = {0, 0, 0}, normal = {0, 0, 0};
    most = 0;
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 d = cd_sub3(p[i], p[four[0]]);
        if (cd_dot3(d, d) > most) {
            most = cd_dot3(d, d);
            four[1] = i;
            u = d;
        }
    }
    if (!(most > 0))
        return false;
    // Farthest from the line of both.
    most = 0;
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 c = cd_cross3(u, cd_sub3(p[i], p[four[0]]));
        if (cd_dot3(c, c) > most) {
            most = cd_dot3(c, c);
            four[2] = i;
            normal = c;
        }
    }
    if (!(most > 0))
        return false;
    // Farthest from the plane of the three.
    most = 0;
    for (int32_t i = 0; i < count; i++) {
        double height = fabs(cd_dot3(normal, cd_sub3(p[i], p[four[0]])));
        if (height > most) {
            most = height;
            four[3] = i;
        }
    }
    if (!(most > 0))
        return false;
    // Turned so that the fourth lies below.
    int sign = exact_sign(p[four[0]], p[four[1]], p[four[2]], p[four[3]]);
    if (sign > 0) {
        int32_t t = four[1];
        four[1] = four[2];
        four[2] = t;
    }
    return sign != 0;
}

static bool start_hull(hull *h, int32_t count, int32_t four[4], cd_arena *arena)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    if (!first_four(h->point, count, four))
        return false;
    for (int i = 0; i < 4; i++) {
        triangle f = new_triangle(h, four[corner[i][0]], four[corner[i][1]], four[corner[i][2]]);
        for (int k = 0; k < 3; k++)
            f.next[k] = across[i][k];
        cd_list_push(arena, &h->triangle, f);
    }
    return true;
}

// New triangles from the point to the horizon of what it sees.
static void add_point(hull *h, int32_t point, cd_arena *arena)
{
    h->seen.count = 0;
    for (int32_t i = 0; i < h->triangle.count; i++) {
        triangle *f = &h->triangle.item[i];
        f->is_seen = !f->is_dead && side_of_triangle(h, f, point) > 0;
        if (f->is_seen)
            cd_list_push(arena, &h->seen, i);
    }
    int32_t last = -1;
    for (int32_t s = 0; s < h->seen.count; s++) {
        for (int k = 0; k < 3; k++) {
            triangle old = h->triangle.item[h->seen.item[s]];
            if (h->triangle.item[old.next[k]].is_seen)
                continue;
            int32_t from = old.v[k], to = old.v[(k + 1) % 3];
            triangle f = new_triangle(h, from, to, point);
            f.next[0] = old.next[k];
            int32_t made = take_triangle(h, f, arena);
            triangle *beyond = &h->triangle.item[old.next[k]];
            beyond->next[edge_from(beyond, to)] = made;
            h->starting[from] = made;
            last = made;
        }
    }
    // Around the horizon: the triangle that starts where this one ends shares the edge to the point.
    int32_t at = last;
    while (at >= 0) {
        int32_t following = h->starting[h->triangle.item[at].v[1]];
        h->triangle.item[at].next[1] = following;
        h->triangle.item[following].next[2] = at;
        at = following == last ? -1 : following;
    }
    for (int32_t s = 0; s < h->seen.count; s++) {
        h->triangle.item[h->seen.item[s]].is_dead = true;
        h->unused[h->unused_count++] = h->seen.item[s];
    }
}

// ---- from planes to points and back --------------------------------------------------------------------------------

typedef struct dual_plane {
    cd_vec3 normal;
    double height;    // [m] > 0 of the plane above the inner point
    int32_t face[2];  // of the first body and of the second, -1: none
} dual_plane;

// All active planes, those that coincide within the tolerance as one; their polar points scaled by the ball's radius to
// be no longer than 1. A plane of one body that runs within the rounding of placed coordinates of one of the other
// (`twin_tolerance`) is named a face of both and stays what it is: far from the origin that tolerance may be wider than
// the whole intersection.
static int32_t collect_planes(const cd_convex_pair3 *pair, const cd_ball3 *ball, dual_plane *plane, cd_vec3 *point,
                              cd_arena *arena)
{
    int32_t count = 0;
    for (int s = 0; s < 2; s++) {
        const cd_convex_pair3_side *side = &pair->side[s], *other = &pair->side[1 - s];
        int32_t *twin_of = cd_convex_pair3_twins(pair, s, arena);
        for (int32_t i = 0; i < side->active; i++) {
            cd_vec3 n = cd_convex_pair3_normal(side, i);
            dual_plane d = {n, side->offset[i] - cd_dot3(n, ball->centre), {-1, -1}};
            d.face[s] = side->face[i];
            d.face[1 - s] = twin_of[i] >= 0 ? other->face[twin_of[i]] : -1;
            int32_t twin = 0;
            while (twin < count &&
                   !(cd_dot3(n, plane[twin].normal) > 0.5 &&
                     cd_length3(cd_sub3(n, plane[twin].normal)) * pair->reach + fabs(plane[twin].height - d.height) <=
                         pair->tolerance))
                twin++;
            if (twin < count) {
                if (plane[twin].face[s] < 0)
                    plane[twin].face[s] = side->face[i];
                continue;
            }
            point[count] = cd_scale3(ball->radius / d.height, n);
            plane[count++] = d;
        }
    }
    return count;
}

// The point common to three planes n_i . x = h_i, by elimination with complete pivoting: its distance from each of the
// planes stays at rounding however ill the system is.
static cd_vec3 common_point(const dual_plane *p, const dual_plane *q, const dual_plane *r)
{
    // Gauss with full pivoting.
    double m[3][4] = {{p->normal.x, p->normal.y, p->normal.z, p->height},
                      {q->normal.x, q->normal.y, q->normal.z, q->height},
                      {r->normal.x, r->normal.y, r->normal.z, r->height}};
    double x[3];
    int column[3] = {0, 1, 2};
    for (int k = 0; k < 3; k++) {
        int row = k, best = k;
        for (int i = k; i < 3; i++) {
            for (int j = k; j < 3; j++) {
                if (fabs(m[i][j]) > fabs(m[row][best])) {
                    row = i;
                    best = j;
                }
            }
        }
        for (int j = 0; j < 4; j++) {
            double t = m[row][j];
            m[row][j] = m[k][j];
            m[k][j] = t;
        }
        for (int i = 0; i < 3; i++) {
            double t = m[i][best];
            m[i][best] = m[i][k];
            m[i][k] = t;
        }
        int t = column[best];
        column[best] = column[k];
        column[k] = t;
        for (int i = k + 1; i < 3; i++) {
            double factor = m[i][k] / m[k][k];
            for (int j = k + 1; j < 4; j++)
                m[i][j] -= factor * m[k][j];
        }
    }
    // Back substitution.
    for (int k = 2; k >= 0; k--) {
        double sum = m[k][3];
        for (int j = k + 1; j < 3; j++)
            sum -= m[k][j] * x[column[j]];
        x[column[k]] = sum / m[k][k];
    }
    return (cd_vec3){x[0], x[1], x[2]};
}

// The intersection, read off the hull: its corners are the hull's triangles, its planes the hull's points.
typedef struct primal {
    const hull *hull;
    const dual_plane *plane;  // of a point
    int32_t plane_count;
    cd_vec3 *corner;  // [m] of a triangle, from the inner point
    int32_t *around;  // of a point: a triangle that has it, -1: redundant
} primal;

// Every triangle's corner. False when one is not where the intersection can be: planes so nearly parallel that even the
// exact hull of their rounded points says nothing about them.
static bool solve_corners(primal *p, double limit)
{
    const hull *h = p->hull;
    const dual_plane *plane = p->plane;
    for (int32_t i = 0; i < h->triangle.count; i++) {
        const triangle *f = &h->triangle.item[i];
        if (f->is_dead)
            continue;
        cd_vec3 x = common_point(&plane[f->v[0]], &plane[f->v[1]], &plane[f->v[2]]);
        if (!(cd_length3(x) <= limit))
            return false;
        p->corner[i] = x;
        for (int k = 0; k < 3; k++)
            p->around[f->v[k]] = i;
    }
    return true;
}

static void take_faces(const cd_convex_pair3 *pair, const primal *p, cd_vec3 centre, cd_intersect3 *result,
                       cd_arena *arena)
{
    const hull *h = p->hull;
    const dual_plane *plane = p->plane;
    result->face = CD_ARENA_ARRAY(arena, cd_intersect3_face, p->plane_count);
    result->corner = CD_ARENA_ARRAY(arena, cd_vec3, 3 * (size_t)h->triangle.count);
    result->face_count = result->corner_count = 0;
    bool swapped = pair->side[0].is_b;
    for (int32_t i = 0; i < p->plane_count; i++) {
        if (p->around[i] < 0)
            continue;
        int32_t first = result->corner_count, at = p->around[i];
        do {
            // The triangle across the edge that ends in the vertex is the next one counter-clockwise.
            const triangle *f = &h->triangle.item[at];
            result->corner[result->corner_count++] = cd_add3(p->corner[at], centre);
            at = f->next[(edge_from(f, i) + 2) % 3];
        } while (at != p->around[i]);
        result->face[result->face_count++] = (cd_intersect3_face){.a = plane[i].face[swapped],
                                                                  .b = plane[i].face[!swapped],
                                                                  .first = first,
                                                                  .count = result->corner_count - first,
                                                                  .normal = plane[i].normal};
    }
}

typedef struct ranked {
    double length_sq;
    int32_t index;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->length_sq != b->length_sq)
        return a->length_sq > b->length_sq ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// False when it cannot be trusted.
static bool intersect(const cd_convex_pair3 *pair, const cd_ball3 *ball, cd_intersect3 *result, cd_arena *arena)
{
    int32_t most = pair->side[0].active + pair->side[1].active, four[4];
    dual_plane *plane = CD_ARENA_ARRAY(arena, dual_plane, most);
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, most);
    int32_t count = collect_planes(pair, ball, plane, point, arena);
    // A hull of n points has at most 2 n - 4 triangles; no more are ever dead and not yet used again.
    hull h = {.point = point,
              .starting = CD_ARENA_ARRAY(arena, int32_t, count),
              .unused = CD_ARENA_ARRAY(arena, int32_t, 4 * (size_t)count)};
    if (count < 4 || !start_hull(&h, count, four, arena))
        return false;
    ranked *order = CD_ARENA_ARRAY(arena, ranked, count);
    for (int32_t i = 0; i < count; i++)
        order[i] = (ranked){cd_dot3(point[i], point[i]), i};
    qsort(order, (size_t)count, sizeof *order, compare_ranked);
    for (int32_t k = 0; k < count; k++) {
        int32_t i = order[k].index;
        if (i != four[0] && i != four[1] && i != four[2] && i != four[3])
            add_point(&h, i, arena);
    }
    primal p = {.hull = &h,
                .plane = plane,
                .plane_count = count,
                .corner = CD_ARENA_ARRAY(arena, cd_vec3, h.triangle.count),
                .around = CD_ARENA_ARRAY(arena, int32_t, count)};
    memset(p.around, -1, (size_t)count * sizeof(int32_t));
    if (!solve_corners(&p, 4 * pair->reach))
        return false;
    take_faces(pair, &p, ball->centre, result, arena);
    result->path = CD_INTERSECT3_DUAL;
    cd_convex_pair3_measure(pair, result);
    return result->volume > 0;
}

cd_intersect3 cd_intersect3_dual(const cd_convex3 *a, const cd_convex3 *b, cd_arena *arena)
{
    cd_convex_pair3 pair;
    cd_ball3 ball;
    cd_intersect3 result = {0};
    result.status = cd_convex_pair3_begin(a, b, &pair, &ball, arena);
    if (result.status != CD_INTERSECT3_OVERLAPPING)
        return result;
    if (!(ball.radius > 0) || !intersect(&pair, &ball, &result, arena))
        return cd_convex_pair3_cut(&pair, arena);
    cd_convex_pair3_contained(&result);
    return result;
}
