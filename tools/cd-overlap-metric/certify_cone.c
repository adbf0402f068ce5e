// Bodies without margins. C(S) = {n : n.s <= 0 for all s in S}, S some of the differences: every normal of a plane that
// separates the bodies is in it. C(S) is kept as lines and rays (the double description method of Motzkin, Raiffa,
// Thompson & Thrall 1953), in exact numbers. A direction n from its relative interior is asked for the farthest
// difference w:
//   n.w < 0   n separates: apart;
//   n.w > 0   w cuts n off;
//   n.w = 0   a difference f of these that is not orthogonal to all of C(S) cuts it, with n on the edge. If there is
//             none, n is in the relative interior of the cone of all differences too; then those that n is orthogonal
//             to have 0 in the relative interior of their hull: touching, and some of S among them already have.
// C(S) = {0}: 0 is inside the hull of S: overlapping. Each cut takes away some of C, and there are finitely many
// differences, so it ends.
// In the plane +-e_z are two more of S, and hold n in the plane.
// SPDX-License-Identifier: MIT
#include "certify_cores.h"

enum { MOST_CUTS = 64, MOST_RAYS = MOST_CUTS + 4, NONE = -1, MOST_PARTS = 64 };

typedef struct cut {
    certify_vector s;
    certify_pair pair;  // NONE: +-e_z
} cut;

typedef struct ray {
    certify_vector direction;
    uint64_t tight;  // bit k: orthogonal to cut k
} ray;

typedef struct cone {
    cd_arena *arena;
    int lines, rays, cuts;
    certify_vector line[3];
    ray ray[MOST_RAYS];
    cut cut[MOST_CUTS];
} cone;

// ---- the double description ----------------------------------------------------------------------------------------

static certify_vector unit(cd_arena *arena, int axis, double sign)
{
    cd_vec3 e = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
    return certify_vector_of(cd_exact3_of(arena, e));
}

static cone *whole_space(cd_arena *arena)
{
    cone *c = cd_arena_alloc(arena, sizeof *c);
    c->arena = arena;
    c->lines = 3;
    c->rays = c->cuts = 0;
    for (int k = 0; k < 3; k++)
        c->line[k] = unit(arena, k, 1);
    return c;
}

static cd_exact dot(cone *c, const certify_vector *a, const certify_vector *b)
{
    return cd_exact3_dot(c->arena, a->exact, b->exact);
}

// p a + q b
static certify_vector combined(cone *c, cd_exact p, const certify_vector *a, cd_exact q, const certify_vector *b)
{
    return certify_vector_of(
        cd_exact3_add(c->arena, cd_exact3_scale(c->arena, p, a->exact), cd_exact3_scale(c->arena, q, b->exact)));
}

// A ray of few digits in the place of one that was combined: where there are no lines, the cross product of two cuts
// that it lies on; beside one line, of that and a cut.
static void shorten(cone *c, ray *r)
{
    const certify_vector *first = c->lines == 1 ? &c->line[0] : NULL;
    if (c->lines > 1)
        return;
    for (int k = 0; k < c->cuts; k++) {
        if (!(r->tight >> k & 1))
            continue;
        const certify_vector *s = &c->cut[k].s;
        if (!first) {
            first = s;
            continue;
        }
        certify_vector cross = certify_vector_of(cd_exact3_cross(c->arena, first->exact, s->exact));
        int sign = certify_dot_sign(c->arena, &cross, &r->direction);
        if (sign == 0)
            continue;  // the two are parallel
        r->direction = sign > 0 ? cross : certify_vector_of(cd_exact3_negate(cross.exact));
        return;
    }
}

// A line that the cut is not orthogonal to becomes a ray; all else is moved along it into the cut's plane.
static void cut_line(cone *c, int which, const certify_vector *s, uint64_t bit)
{
    certify_vector line = c->line[which];
    cd_exact down = dot(c, &line, s);
    if (cd_exact_sign(down) > 0) {
        line = certify_vector_of(cd_exact3_negate(line.exact));
        down = cd_exact_negate(down);
    }
    c->line[which] = c->line[--c->lines];
    for (int k = 0; k < c->lines; k++)
        c->line[k] = combined(c, cd_exact_negate(down), &c->line[k], dot(c, &c->line[k], s), &line);
    for (int k = 0; k < c->rays; k++) {
        ray *r = &c->ray[k];
        r->direction = combined(c, cd_exact_negate(down), &r->direction, dot(c, &r->direction, s), &line);
        r->tight |= bit;
        shorten(c, r);
    }
    ray *added = &c->ray[c->rays++];
    *added = (ray){line, bit - 1};
    shorten(c, added);
}

static ray between(cone *c, const ray *in, const ray *out, const certify_vector *s, uint64_t bit)
{
    cd_exact height = dot(c, &out->direction, s), depth = cd_exact_negate(dot(c, &in->direction, s));
    ray r = {combined(c, height, &in->direction, depth, &out->direction), (in->tight & out->tight) | bit};
    shorten(c, &r);
    return r;
}

// Rays beyond the cut go; where the cut meets the face between two neighbours a new one is made.
static void cut_rays(cone *c, const certify_vector *s, uint64_t bit)
{
    int side[MOST_RAYS], count = c->rays, kept = 0, made = 0;
    ray new_ray[MOST_RAYS];
    for (int k = 0; k < count; k++) {
        side[k] = certify_dot_sign(c->arena, &c->ray[k].direction, s);
        c->ray[k].tight |= side[k] == 0 ? bit : 0;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            const ray *in = &c->ray[i], *out = &c->ray[k];
            if (side[i] < 0 && side[k] > 0 && (count == 2 || (in->tight & out->tight)))
                new_ray[made++] = between(c, in, out, s, bit);
        }
    for (int k = 0; k < count; k++)
        if (side[k] <= 0)
            c->ray[kept++] = c->ray[k];
    for (int k = 0; k < made; k++)
        c->ray[kept++] = new_ray[k];
    c->rays = kept;
}

// Makes room: cuts that no ray lies on add nothing to the others.
static void drop_idle_cuts(cone *c)
{
    uint64_t used = 0;
    for (int k = 0; k < c->rays; k++)
        used |= c->ray[k].tight;
    int kept = 0;
    for (int k = 0; k < c->cuts; k++) {
        if (!(used >> k & 1))
            continue;
        c->cut[kept] = c->cut[k];
        for (int i = 0; i < c->rays; i++) {
            uint64_t low = (UINT64_C(1) << kept) - 1, is_tight = c->ray[i].tight >> k & 1;
            c->ray[i].tight = (c->ray[i].tight & ~(low + 1)) | is_tight << kept;
        }
        kept++;
    }
    c->cuts = kept;
    for (int i = 0; i < c->rays && kept < MOST_CUTS; i++)
        c->ray[i].tight &= (UINT64_C(1) << kept) - 1;
}

// False: there is no room, of a cone of as many edges as that.
static bool cut_with(cone *c, certify_vector s, certify_pair pair)
{
    if (cd_exact3_is_zero(s.exact))
        return true;  // it holds for every direction
    if (c->cuts == MOST_CUTS)
        drop_idle_cuts(c);
    if (c->cuts == MOST_CUTS)
        return false;
    uint64_t bit = UINT64_C(1) << c->cuts;
    c->cut[c->cuts++] = (cut){s, pair};
    for (int k = 0; k < c->lines; k++)
        if (certify_dot_sign(c->arena, &c->line[k], &s) != 0) {
            cut_line(c, k, &s, bit);
            return true;
        }
    cut_rays(c, &s, bit);
    return true;
}

// ---- a direction of the relative interior --------------------------------------------------------------------------

static int power_of(const certify_vector *v)
{
    int power;
    (void)cd_exact3_scaled(v->exact, &power);
    return power;
}

static certify_vector interior(cone *c)
{
    if (c->rays == 0)
        return c->line[0];
    cd_exact3 sum = c->ray[0].direction.exact;
    int power = power_of(&c->ray[0].direction);
    for (int k = 1; k < c->rays; k++) {
        const certify_vector *r = &c->ray[k].direction;
        cd_exact scale = cd_exact_shift(c->arena, cd_exact_of(c->arena, 1), power - power_of(r));
        sum = cd_exact3_add(c->arena, sum, cd_exact3_scale(c->arena, scale, r->exact));
    }
    return certify_vector_of(sum);
}

// ---- witnesses -----------------------------------------------------------------------------------------------------

// The normal as doubles: rounded, where that separates too; else as a sum. False where doubles do not reach so far.
static bool write_normal(cd_arena *arena, cd_arena *scratch, const certify_vector *n, certify_result *result)
{
    double part[3][MOST_PARTS];
    int count[3], most = 0, power;
    (void)cd_exact3_scaled(n->exact, &power);
    cd_exact scale = cd_exact_shift(scratch, cd_exact_of(scratch, 1), -power);
    cd_exact3 e = cd_exact3_scale(scratch, scale, n->exact);
    const cd_exact axis[3] = {e.x, e.y, e.z};
    for (int k = 0; k < 3; k++) {
        count[k] = cd_exact_parts(scratch, axis[k], part[k], MOST_PARTS);
        if (count[k] < 0)
            return false;
        most = count[k] > most ? count[k] : most;
    }
    cd_vec3 *normal = CD_ARENA_ARRAY(arena, cd_vec3, most);
    for (int i = 0; i < most; i++)
        normal[i] =
            (cd_vec3){i < count[0] ? part[0][i] : 0, i < count[1] ? part[1][i] : 0, i < count[2] ? part[2][i] : 0};
    result->normal = normal;
    result->normal_count = most;
    return true;
}

static cd_exact height_of(cd_arena *scratch, const certify_cores *cores, const certify_vector *n, certify_farthest a,
                          certify_farthest b)
{
    certify_pair pair = {a.corner[0], b.corner[0]};
    certify_vector w = certify_difference(scratch, cores, pair);
    return cd_exact3_dot(scratch, n->exact, w.exact);
}

static certify_result apart(cd_arena *arena, cd_arena *scratch, const certify_cores *cores, const certify_vector *n)
{
    certify_result result = {.label = CD_LABEL_APART};
    certify_vector rounded = certify_vector_of(cd_exact3_of(scratch, n->rounded));
    certify_farthest a = certify_find_farthest(scratch, &cores->a, &rounded, 1);
    certify_farthest b = certify_find_farthest(scratch, &cores->b, &rounded, -1);
    bool is_enough = cd_exact_sign(height_of(scratch, cores, &rounded, a, b)) < 0;
    if (!write_normal(arena, scratch, is_enough ? &rounded : n, &result))
        result.label = CD_ABSENT;
    return result;
}

// Whether 0 is in the hull of these differences, at most 3, and no fewer of them will do.
static bool holds_origin(cd_arena *scratch, const certify_vector *const *s, int count)
{
    if (count == 1)
        return cd_exact3_is_zero(s[0]->exact);
    cd_exact3 cross = cd_exact3_cross(scratch, s[0]->exact, s[1]->exact);
    if (count == 2)
        return cd_exact3_is_zero(cross) && certify_dot_sign(scratch, s[0], s[1]) < 0;
    cd_exact3 next = cd_exact3_cross(scratch, s[1]->exact, s[2]->exact);
    cd_exact3 last = cd_exact3_cross(scratch, s[2]->exact, s[0]->exact);
    return cd_exact_sign(cd_exact3_dot(scratch, cross, s[2]->exact)) == 0 &&
           cd_exact_sign(cd_exact3_dot(scratch, cross, next)) > 0 &&
           cd_exact_sign(cd_exact3_dot(scratch, next, last)) > 0 &&
           cd_exact_sign(cd_exact3_dot(scratch, last, cross)) > 0;
}

// At most three cuts orthogonal to n have 0 in their hull (Caratheodory in the plane of n).
static void find_common_point(cd_arena *arena, cd_arena *scratch, const cone *c, const certify_vector *n,
                              certify_pair first, certify_result *result)
{
    const cut *in_plane[MOST_CUTS];
    int count = 0;
    for (int k = 0; k < c->cuts; k++)
        if (c->cut[k].pair.a != NONE && certify_dot_sign(scratch, n, &c->cut[k].s) == 0)
            in_plane[count++] = &c->cut[k];
    certify_pair *pair = CD_ARENA_ARRAY(arena, certify_pair, 3);
    result->corner = pair;
    result->corner_count = 1;
    pair[0] = first;  // no cut: 0 itself is a difference
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j; k < count; k++) {  // k = j: two of them
                const certify_vector *s[3] = {&in_plane[i]->s, &in_plane[j]->s, &in_plane[k]->s};
                int size = k == j ? 2 : 3;
                if (!holds_origin(scratch, s, size))
                    continue;
                pair[0] = in_plane[i]->pair;
                pair[1] = in_plane[j]->pair;
                pair[2] = in_plane[k]->pair;
                result->corner_count = size;
                return;
            }
}

static certify_result overlapping(cd_arena *arena, const cone *c)
{
    certify_pair *pair = CD_ARENA_ARRAY(arena, certify_pair, c->cuts);
    int32_t count = 0;
    for (int k = 0; k < c->cuts; k++)
        if (c->cut[k].pair.a != NONE)
            pair[count++] = c->cut[k].pair;
    return (certify_result){.label = CD_LABEL_OVERLAPPING, .corner = pair, .corner_count = count};
}

// ---- the search ----------------------------------------------------------------------------------------------------

// Is every ray and line of the cone orthogonal to corner i less the first?
static bool is_level(cone *c, const certify_core *core, int32_t first, int32_t i)
{
    certify_vector d =
        certify_vector_of(cd_exact3_difference(c->arena, certify_corner(core, i), certify_corner(core, first)));
    for (int k = 0; k < c->lines; k++)
        if (certify_dot_sign(c->arena, &c->line[k], &d) != 0)
            return false;
    for (int k = 0; k < c->rays; k++)
        if (certify_dot_sign(c->arena, &c->ray[k].direction, &d) != 0)
            return false;
    return true;
}

static bool is_orthogonal(cone *c, const certify_vector *s)
{
    for (int k = 0; k < c->lines; k++)
        if (certify_dot_sign(c->arena, &c->line[k], s) != 0)
            return false;
    for (int k = 0; k < c->rays; k++)
        if (certify_dot_sign(c->arena, &c->ray[k].direction, s) != 0)
            return false;
    return true;
}

// Of the farthest differences, all orthogonal to a direction inside, one that is not orthogonal to the whole cone.
static bool find_cut(cone *c, const certify_cores *cores, certify_farthest a, certify_farthest b, certify_pair *pair)
{
    *pair = (certify_pair){a.corner[0], b.corner[0]};
    certify_vector first = certify_difference(c->arena, cores, *pair);
    if (!is_orthogonal(c, &first))
        return true;
    for (int32_t k = 1; k < a.count; k++)
        if (!is_level(c, &cores->a, a.corner[0], a.corner[k])) {
            pair->a = a.corner[k];
            return true;
        }
    for (int32_t k = 1; k < b.count; k++)
        if (!is_level(c, &cores->b, b.corner[0], b.corner[k])) {
            pair->b = b.corner[k];
            return true;
        }
    return false;
}

certify_result certify_by_cone(cd_arena *arena, cd_arena *scratch, const certify_cores *cores,
                               const certify_pair *start, int32_t start_count)
{
    cone *c = whole_space(scratch);
    for (int k = 0; k < 2 && cores->dim == 2; k++)
        (void)cut_with(c, unit(scratch, 2, k == 0 ? 1 : -1), (certify_pair){NONE, NONE});
    for (int32_t k = 0; k < start_count; k++)
        (void)cut_with(c, certify_difference(scratch, cores, start[k]), start[k]);  // a few: there is room
    while (c->lines + c->rays > 0) {
        certify_vector n = interior(c);
        certify_farthest a = certify_find_farthest(scratch, &cores->a, &n, 1);
        certify_farthest b = certify_find_farthest(scratch, &cores->b, &n, -1);
        int sign = cd_exact_sign(height_of(scratch, cores, &n, a, b));
        if (sign < 0)
            return apart(arena, scratch, cores, &n);
        certify_pair pair = {a.corner[0], b.corner[0]};
        if (sign == 0 && !find_cut(c, cores, a, b, &pair)) {
            certify_result result = {.label = CD_LABEL_TOUCHING};
            find_common_point(arena, scratch, c, &n, pair, &result);
            if (!write_normal(arena, scratch, &n, &result))
                result.label = CD_ABSENT;
            return result;
        }
        if (!cut_with(c, certify_difference(scratch, cores, pair), pair))
            return (certify_result){.label = CD_ABSENT};
    }
    return overlapping(arena, c);
}
