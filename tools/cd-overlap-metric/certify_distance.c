// Bodies with margins: the distance of the cores against the sum of the margins. The difference nearest to 0 is looked
// for as Gilbert, Johnson & Keerthi (IEEE J. Robotics Automation 4, 1988) do, in exact numbers: of at most four
// differences the nearest point v of their hull, then the difference w farthest along -v, until there is none beyond.
// Each point is nearer than the one before and belongs to one of finitely many sets, so it ends.
// SPDX-License-Identifier: MIT
#include "certify_cores.h"

enum { MOST = 4 };

typedef struct nearest {
    int count;         // of `set`; 4: 0 is inside
    int set[MOST];     // numbers of the differences that v is between
    certify_vector v;  // a positive multiple of the nearest point; zero where that is 0
    cd_exact height;   // v.s for s in the set
} nearest;

typedef struct simplex {
    cd_arena *arena;
    int count;
    certify_vector s[MOST];
    certify_pair pair[MOST];
} simplex;

static cd_exact dot(simplex *p, cd_exact3 a, cd_exact3 b) { return cd_exact3_dot(p->arena, a, b); }

// The point nearest to 0 of the line through two differences, times the squared length between them; false where it is
// not between them.
static bool line_point(simplex *p, cd_exact3 a, cd_exact3 b, cd_exact3 *v)
{
    cd_exact3 u = cd_exact3_subtract(p->arena, b, a);
    cd_exact of_a = dot(p, b, u), of_b = cd_exact_negate(dot(p, a, u));
    if (cd_exact_sign(of_a) <= 0 || cd_exact_sign(of_b) <= 0)
        return false;
    *v = cd_exact3_add(p->arena, cd_exact3_scale(p->arena, of_a, a), cd_exact3_scale(p->arena, of_b, b));
    return true;
}

// The same of the plane through three: the normal, towards them; zero where 0 is between them.
static bool plane_point(simplex *p, cd_exact3 a, cd_exact3 b, cd_exact3 c, cd_exact3 *v)
{
    cd_exact3 n = cd_exact3_cross(p->arena, cd_exact3_subtract(p->arena, b, a), cd_exact3_subtract(p->arena, c, a));
    const cd_exact3 corner[3] = {a, b, c};
    if (cd_exact3_is_zero(n))
        return false;
    for (int k = 0; k < 3; k++) {
        cd_exact3 area = cd_exact3_cross(p->arena, corner[(k + 1) % 3], corner[(k + 2) % 3]);
        if (cd_exact_sign(dot(p, area, n)) <= 0)
            return false;
    }
    cd_exact height = dot(p, n, a);
    *v = cd_exact_sign(height) == 0 ? (cd_exact3){0} : cd_exact_sign(height) > 0 ? n : cd_exact3_negate(n);
    return true;
}

// Whether the nearest point of the differences of `mask` is the nearest of all.
static bool is_nearest(simplex *p, unsigned mask, nearest *out)
{
    out->count = 0;
    for (int k = 0; k < p->count; k++)
        if (mask >> k & 1)
            out->set[out->count++] = k;
    cd_exact3 s[3], v;
    for (int k = 0; k < out->count; k++)
        s[k] = p->s[out->set[k]].exact;
    if (out->count == 1)
        v = s[0];
    else if (!(out->count == 2 ? line_point(p, s[0], s[1], &v) : plane_point(p, s[0], s[1], s[2], &v)))
        return false;
    out->v = certify_vector_of(v);
    out->height = dot(p, v, s[0]);
    for (int k = 0; k < p->count; k++)
        if (!(mask >> k & 1) && cd_exact_compare(dot(p, v, p->s[k].exact), out->height) < 0)
            return false;
    return true;
}

// Of all sets, the smallest first. None: 0 is strictly inside four differences.
static nearest nearest_of(simplex *p)
{
    nearest out;
    for (int size = 1; size <= 3; size++)
        for (unsigned mask = 1; mask < 1U << p->count; mask++)
            if (__builtin_popcount(mask) == size && is_nearest(p, mask, &out))
                return out;
    out = (nearest){.count = p->count, .set = {0, 1, 2, 3}};
    return out;
}

static void keep(simplex *p, const nearest *near)
{
    for (int k = 0; k < near->count; k++) {  // `set` rises
        p->s[k] = p->s[near->set[k]];
        p->pair[k] = p->pair[near->set[k]];
    }
    p->count = near->count;
}

static void add(simplex *p, const certify_cores *cores, certify_pair pair)
{
    p->s[p->count] = certify_difference(p->arena, cores, pair);
    p->pair[p->count++] = pair;
}

// The sign of distance - margins: distance = height / |v|.
static int compare_distance(simplex *p, const certify_cores *cores, const nearest *near)
{
    cd_arena *arena = p->arena;
    cd_exact margin_sq = cd_exact_multiply(arena, cores->margin, cores->margin);
    cd_exact height_sq = cd_exact_multiply(arena, near->height, near->height);
    cd_exact length_sq = dot(p, near->v.exact, near->v.exact);
    return cd_exact_compare(height_sq, cd_exact_multiply(arena, margin_sq, length_sq));
}

// n with n.x = v.(map x)
static certify_vector direction_of(cd_arena *arena, const certify_cores *cores, const certify_vector *v)
{
    const cd_exact3 *row = cores->map;
    if (!row)
        return *v;
    cd_exact3 sum =
        cd_exact3_add(arena, cd_exact3_scale(arena, v->exact.x, row[0]), cd_exact3_scale(arena, v->exact.y, row[1]));
    return certify_vector_of(cd_exact3_add(arena, sum, cd_exact3_scale(arena, v->exact.z, row[2])));
}

certify_result certify_by_distance(cd_arena *arena, cd_arena *scratch, const certify_cores *cores,
                                   const certify_pair *start, int32_t start_count)
{
    simplex p = {.arena = scratch};
    for (int32_t k = 0; k < start_count && k < MOST; k++)
        add(&p, cores, start[k]);
    if (p.count == 0)
        add(&p, cores, (certify_pair){0, 0});
    nearest near;
    for (;;) {
        near = nearest_of(&p);
        keep(&p, &near);
        if (cd_exact3_is_zero(near.v.exact))
            break;
        certify_vector back = direction_of(scratch, cores, &near.v);
        certify_farthest a = certify_find_farthest(scratch, &cores->a, &back, -1);
        certify_farthest b = certify_find_farthest(scratch, &cores->b, &back, 1);
        certify_pair pair = {a.corner[0], b.corner[0]};
        certify_vector w = certify_difference(scratch, cores, pair);
        if (cd_exact_compare(dot(&p, near.v.exact, w.exact), near.height) >= 0)
            break;
        add(&p, cores, pair);
    }
    int32_t found = certify_label(cd_exact3_is_zero(near.v.exact) ? -1 : compare_distance(&p, cores, &near));
    certify_pair *pair = CD_ARENA_ARRAY(arena, certify_pair, p.count);
    memcpy(pair, p.pair, (size_t)p.count * sizeof *pair);
    return (certify_result){.label = found, .corner = pair, .corner_count = p.count};
}
