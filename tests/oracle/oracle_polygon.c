// Polygon kernels against exact rational arithmetic: signs must be right without exception, lengths and areas within
// the bounds that the headers state. The worst errors met are told, as parts of the bound.
//
// The reference for distance and depth is the convex hull of all differences of vertices: the origin lies strictly
// inside it exactly when the interiors meet, and its distance from the hull's boundary is the distance or the depth.
// SPDX-License-Identifier: MIT
#include "cd_predicates.h"
#include "cd_test.h"
#include "oracle_exact.h"
#include "test_polygon_random.h"

enum { MOST_CORNERS = 10, EXACT_CORNERS = MOST_CORNERS * MOST_CORNERS + 1 };

typedef struct spot {
    exact x, y;
} spot;

typedef struct shape {
    int count;
    spot at[EXACT_CORNERS];
} shape;

// [1] what a triangle that keeps 1/16 of its products may lose: CD_ORIENT2D_BOUND * 16, the 24 * 2^-52 of the header.
#define MEASURE_BOUND (16 * CD_ORIENT2D_BOUND)

static cd_arena arena;

static spot spot_of(cd_vec2 p) { return (spot){exact_of(p.x), exact_of(p.y)}; }
static spot minus(spot a, spot b) { return (spot){exact_sub(a.x, b.x), exact_sub(a.y, b.y)}; }
static exact cross(spot a, spot b) { return exact_sub(exact_mul(a.x, b.y), exact_mul(a.y, b.x)); }
static exact dot(spot a, spot b) { return exact_add(exact_mul(a.x, b.x), exact_mul(a.y, b.y)); }
static exact turn(spot a, spot b, spot c) { return cross(minus(b, a), minus(c, a)); }

static void take(shape *s, cd_polygon p)
{
    s->count = p.count;
    for (int i = 0; i < p.count; i++)
        s->at[i] = spot_of(p.vertex[i]);
}

static const spot *after(const shape *s, int i) { return &s->at[i + 1 < s->count ? i + 1 : 0]; }

// Every vertex strictly left of every edge that it does not belong to.
static bool is_strictly_convex(const shape *s)
{
    for (int i = 0; i < s->count; i++) {
        int next = i + 1 < s->count ? i + 1 : 0;
        for (int j = 0; j < s->count; j++) {
            if (j != i && j != next && exact_sign(turn(s->at[i], s->at[next], s->at[j])) <= 0)
                return false;
        }
    }
    return s->count >= 3;
}

// ---- references ----------------------------------------------------------------------------------------------------

static exact twice_area(const shape *s)
{
    exact sum = exact_of(0);
    for (int i = 0; i < s->count; i++)
        sum = exact_add(sum, cross(s->at[i], *after(s, i)));
    return sum;
}

// What lies left of p -> q (Sutherland & Hodgman, every crossing a quotient of integers).
static void cut(const shape *in, spot p, spot q, shape *out)
{
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        spot a = in->at[i], b = *after(in, i);
        exact side_a = turn(p, q, a), side_b = turn(p, q, b);
        if (exact_sign(side_a) >= 0)
            out->at[out->count++] = a;
        if (exact_sign(side_a) * exact_sign(side_b) < 0) {
            exact t = exact_div(side_a, exact_sub(side_a, side_b));
            spot e = minus(b, a);
            out->at[out->count++] = (spot){exact_add(a.x, exact_mul(t, e.x)), exact_add(a.y, exact_mul(t, e.y))};
        }
    }
}

static exact overlap_area(const shape *a, const shape *b)
{
    shape now = *a, next;
    for (int i = 0; i < b->count && now.count > 0; i++) {
        cut(&now, b->at[i], *after(b, i), &next);
        now = next;
    }
    return exact_div(twice_area(&now), exact_of(2));
}

// Hull of all b_j - a_i, counter-clockwise, corners only (Jarvis).
static void difference_hull(const shape *a, const shape *b, shape *hull)
{
    static shape all;
    all.count = 0;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++)
            all.at[all.count++] = minus(b->at[j], a->at[i]);
    }
    int first = 0;
    for (int i = 1; i < all.count; i++) {
        int order = mpq_cmp(all.at[i].x, all.at[first].x);
        if (order < 0 || (order == 0 && mpq_cmp(all.at[i].y, all.at[first].y) < 0))
            first = i;
    }
    hull->count = 0;
    int now = first;
    do {
        hull->at[hull->count++] = all.at[now];
        int next = -1;
        for (int i = 0; i < all.count; i++) {
            spot d = minus(all.at[i], all.at[now]);
            if (exact_sign(d.x) == 0 && exact_sign(d.y) == 0)
                continue;
            int side = next < 0 ? -1 : exact_sign(turn(all.at[now], all.at[next], all.at[i]));
            spot e = next < 0 ? d : minus(all.at[next], all.at[now]);
            if (side < 0 || (side == 0 && mpq_cmp(dot(d, d), dot(e, e)) > 0))
                next = i;
        }
        now = next;
    } while (mpq_cmp(all.at[now].x, all.at[first].x) != 0 || mpq_cmp(all.at[now].y, all.at[first].y) != 0);
}

// The square of the origin's distance from the segment.
static exact square_from_segment(spot p, spot q)
{
    spot e = minus(q, p), to_origin = {exact_sub(exact_of(0), p.x), exact_sub(exact_of(0), p.y)};
    exact along = dot(to_origin, e), length_sq = dot(e, e);
    if (exact_sign(along) <= 0)
        return dot(p, p);
    if (mpq_cmp(along, length_sq) >= 0)
        return dot(q, q);
    exact c = cross(e, to_origin);
    return exact_div(exact_mul(c, c), length_sq);
}

typedef struct signed_square {
    int sign;
    exact square;
} signed_square;

// > 0 the distance, 0 touching, < 0 the depth.
static signed_square distance_of(const shape *a, const shape *b)
{
    static shape hull;
    difference_hull(a, b, &hull);
    const spot origin = spot_of((cd_vec2){0, 0});
    exact least = NULL;
    int lowest = 1;
    for (int i = 0; i < hull.count; i++) {
        int side = exact_sign(turn(hull.at[i], *after(&hull, i), origin));
        lowest = side < lowest ? side : lowest;
        exact square = square_from_segment(hull.at[i], *after(&hull, i));
        least = least ? exact_lesser(least, square) : square;
    }
    return (signed_square){exact_sign(least) == 0 ? 0 : lowest > 0 ? -1 : 1, least};
}

static bool is_less(signed_square a, signed_square b)
{
    if (a.sign != b.sign)
        return a.sign < b.sign;
    return a.sign * mpq_cmp(a.square, b.square) < 0;
}

static signed_square edge_gap(const shape *owner, int edge, const shape *other)
{
    spot p = owner->at[edge], q = *after(owner, edge), e = minus(q, p);
    exact inside = turn(p, q, other->at[0]);
    for (int j = 1; j < other->count; j++)
        inside = exact_greater(inside, turn(p, q, other->at[j]));
    return (signed_square){-exact_sign(inside), exact_div(exact_mul(inside, inside), dot(e, e))};
}

static signed_square separation_of(const shape *a, const shape *b)
{
    signed_square best = edge_gap(a, 0, b);
    for (int i = 0; i < a->count + b->count; i++) {
        signed_square gap = i < a->count ? edge_gap(a, i, b) : edge_gap(b, i - a->count, a);
        best = is_less(best, gap) ? gap : best;
    }
    return best;
}

static exact root_of(signed_square s) { return exact_mul(exact_of(s.sign), exact_sqrt(s.square)); }

// ---- pairs ---------------------------------------------------------------------------------------------------------

typedef struct pair {
    cd_polygon a, b;
} pair;

typedef struct place {
    cd_vec2 centre;
    double size;
} place;

static double sign_or_zero(double x) { return (x > 0) - (x < 0); }
static double ulps(cd_random *random, double x, int most)
{
    int steps = test_below(random, 2 * most + 1) - most;
    for (; steps > 0; steps--)
        x = nextafter(x, INFINITY);
    for (; steps < 0; steps++)
        x = nextafter(x, -INFINITY);
    return x;
}
static double tiny_angle(cd_random *random)
{
    return (cd_random_bits(random) & 1 ? 1 : -1) * pow(10, cd_random_between(random, -17, -8));
}
static cd_polygon any(cd_random *random, cd_vec2 centre, double size)
{
    return test_ellipse_polygon(random, 3 + test_below(random, MOST_CORNERS - 2), centre, size, &arena);
}

static pair random_pair(cd_random *random, place at)
{
    double reach = at.size * pow(10, cd_random_between(random, -1, random->state % 4 ? 0.5 : 6)),
           angle = cd_random_between(random, 0, 7);
    cd_vec2 beside = {at.centre.x + reach * cos(angle), at.centre.y + reach * sin(angle)};
    return (pair){any(random, at.centre, at.size),
                  any(random, beside, at.size * pow(10, cd_random_between(random, -2, 0)))};
}

// Two boxes one upon the other, turned together, the upper one by a tiny angle more and shifted by a few units in the
// last place.
static pair parallel_pair(cd_random *random, place at)
{
    double angle = cd_random_unit(random) < 0.3 ? 0 : cd_random_between(random, 0, 7), more = tiny_angle(random),
           s = at.size;
    cd_polygon lower = test_box(0, 0, s, s, &arena);
    cd_polygon upper =
        test_box(cd_random_between(random, -0.5, 0.5) * s, s, s * cd_random_between(random, 0.6, 2), 2 * s, &arena);
    cd_vec2 *low = CD_ARENA_ARRAY(&arena, cd_vec2, 4), *high = CD_ARENA_ARRAY(&arena, cd_vec2, 4);
    cd_polygon a = cd_polygon_place(lower, cd_pose2_make(at.centre, angle), low);
    cd_polygon b = cd_polygon_place(upper, cd_pose2_make(at.centre, angle + more), high);
    double shift_x = ulps(random, 1, 8) - 1, shift_y = ulps(random, 1, 8) - 1;
    return (pair){a, test_moved(b, shift_x * s, shift_y * s, &arena)};
}

// Triangles as thin as 1e-15 of their length across or along each other.
static pair sliver_pair(cd_random *random, place at)
{
    cd_vec2 *v[2];
    for (int k = 0; k < 2; k++) {
        v[k] = CD_ARENA_ARRAY(&arena, cd_vec2, 3);
        double thin = at.size * pow(10, cd_random_between(random, -15, -4)), s = at.size;
        double angle = cd_random_unit(random) < 0.5 ? 0.7 : cd_random_between(random, 0, 7);
        cd_vec2 corner[3] = {
            {-s, 0}, {s, cd_random_between(random, -2, 2) * thin}, {cd_random_between(random, -s, s), thin}};
        cd_pose2 pose = cd_pose2_make(at.centre, angle + (cd_random_bits(random) & 1 ? tiny_angle(random) : 0));
        for (int i = 0; i < 3; i++)
            v[k][i] = cd_pose2_apply(pose, corner[i]);
    }
    return (pair){{3, v[0]}, {3, v[1]}};
}

// A vertex of b lies on a vertex or an edge of a, or a few units in the last place beside it.
static pair kissing_pair(cd_random *random, place at)
{
    cd_polygon a = any(random, at.centre, at.size), b = any(random, at.centre, at.size);
    int32_t i = test_below(random, a.count), j = test_below(random, b.count), next = cd_polygon_next(a, i);
    double t = cd_random_unit(random) < 0.5 ? 0 : cd_random_unit(random);
    cd_vec2 to = cd_lerp2(a.vertex[i], a.vertex[next], t), by = cd_sub2(to, b.vertex[j]);
    cd_vec2 *v = CD_ARENA_ARRAY(&arena, cd_vec2, b.count);
    for (int32_t k = 0; k < b.count; k++)
        v[k] = cd_add2(b.vertex[k], by);
    int most = cd_random_unit(random) < 0.3 ? 0 : 3;
    v[j] = (cd_vec2){ulps(random, to.x, most), ulps(random, to.y, most)};
    return (pair){a, {b.count, v}};
}

// Integer corners: common edges and corners, exactly touching pairs.
static pair grid_pair(cd_random *random, place at)
{
    int32_t x = test_below(random, 9) - 4, y = test_below(random, 9) - 4;
    cd_polygon a = test_grid_polygon(random, 6, 0, 0, 4, &arena), b = test_grid_polygon(random, 6, x, y, 4, &arena);
    double unit = ldexp(1, ilogb(at.size));
    return (pair){test_scaled(a, unit, &arena), test_scaled(b, unit, &arena)};
}

// A polygon and the same once more, every coordinate shaken by units in the last place.
static pair twin_pair(cd_random *random, place at)
{
    cd_polygon a = any(random, at.centre, at.size);
    cd_vec2 *v = CD_ARENA_ARRAY(&arena, cd_vec2, a.count);
    for (int32_t i = 0; i < a.count; i++)
        v[i] = (cd_vec2){ulps(random, a.vertex[i].x, 2), ulps(random, a.vertex[i].y, 2)};
    return (pair){a, {a.count, v}};
}

// ---- comparisons ---------------------------------------------------------------------------------------------------

typedef struct worst {
    int pairs, overlapping, touching, missed_areas;
    double area, relative_area, gap, separation, witness,
        slide;                                           // parts of the bounds; relative_area of areas above the bound
    double measure_area, measure_centre, measure_polar;  // parts of n 2^-52 (of the diameter for the centroid)
} worst;

static void keep(double *most, double value) { *most = !(value <= *most) ? value : *most; }

static double largest_coordinate(pair p)
{
    double most = 0;
    for (int32_t i = 0; i < p.a.count; i++)
        most = fmax(most, fmax(fabs(p.a.vertex[i].x), fabs(p.a.vertex[i].y)));
    for (int32_t i = 0; i < p.b.count; i++)
        most = fmax(most, fmax(fabs(p.b.vertex[i].x), fabs(p.b.vertex[i].y)));
    return most;
}

static void compare_area(pair p, const shape *a, const shape *b, signed_square distance, worst *w)
{
    double d_a = test_diameter(p.a), d_b = test_diameter(p.b);
    double bound = (64 + p.a.count + p.b.count) * 0x1p-52 * fmin(d_a, d_b) * (d_a + d_b);
    exact area = overlap_area(a, b);
    double got = cd_polygon_overlap_area(p.a, p.b, &arena), error = exact_error(got, area);
    CD_CHECK(got >= 0);
    CD_CHECK((distance.sign < 0) == (exact_sign(area) > 0));  // the two references agree
    if (distance.sign >= 0)
        CD_CHECK(got == 0);
    CD_CHECK(error <= bound);
    keep(&w->area, error / bound);
    if (mpq_cmp(area, exact_of(bound)) > 0)
        keep(&w->relative_area, error / mpq_get_d(area));
    w->missed_areas += distance.sign < 0 && got == 0;
    cd_clip2 clip = cd_polygon_clip(p.a, p.b, &arena);
    CD_CHECK(distance.sign < 0 || clip.polygon.count == 0);
}

static void compare_distance(pair p, signed_square distance, signed_square separation, worst *w)
{
    cd_distance2 got = cd_polygon_distance(p.a, p.b);
    double bound = 0x1p-49 * (test_diameter(p.a) + test_diameter(p.b) + fmax(got.gap, 0));
    double error = exact_error(got.gap, root_of(distance));
    CD_CHECK(sign_or_zero(got.gap) == distance.sign);
    CD_CHECK(error <= bound);
    keep(&w->gap, error / bound);
    cd_separation2 s = cd_polygon_separation(p.a, p.b);
    error = exact_error(s.value, root_of(separation));
    CD_CHECK(sign_or_zero(s.value) == separation.sign);
    CD_CHECK(error <= bound);
    keep(&w->separation, error / bound);
    CD_CHECK(cd_polygon_disjoint(p.a, p.b) == (distance.sign >= 0));
    // Coordinates of the witness points, and the heights that count as parallel, carry their own rounding. The foot of
    // a depth slides along where two edges have the same depth but for rounding.
    cd_vec2 off = cd_sub2(cd_sub2(got.point_b, got.point_a), cd_scale2(got.gap, got.normal));
    double allowed = bound + 32 * 0x1p-52 * largest_coordinate(p), along = fabs(cd_dot2(off, got.normal));
    CD_CHECK(fabs(cd_length2(got.normal) - 1) <= 4 * 0x1p-52);
    CD_CHECK((got.gap > 0 ? cd_length2(off) : along) <= allowed);
    keep(&w->witness, (got.gap > 0 ? cd_length2(off) : along) / allowed);
    keep(&w->slide, cd_length2(off) / allowed);
}

static void compare_measure(cd_polygon p, const shape *s, worst *w)
{
    exact x = exact_of(0), y = exact_of(0), twice = twice_area(s), polar = exact_of(0);
    for (int i = 0; i < s->count; i++) {
        spot a = s->at[i], b = *after(s, i);
        exact c = cross(a, b);
        x = exact_add(x, exact_mul(c, exact_add(a.x, b.x)));
        y = exact_add(y, exact_mul(c, exact_add(a.y, b.y)));
    }
    spot centre = {exact_div(x, exact_mul(exact_of(3), twice)), exact_div(y, exact_mul(exact_of(3), twice))};
    for (int i = 0; i < s->count; i++) {
        spot a = minus(s->at[i], centre), b = minus(*after(s, i), centre);
        polar = exact_add(polar, exact_mul(cross(a, b), exact_add(exact_add(dot(a, a), dot(a, b)), dot(b, b))));
    }
    cd_polygon_moments got = cd_polygon_measure(p);
    double unit = p.count * 0x1p-52, diameter = test_diameter(p);
    double area = mpq_get_d(twice) / 2, moment = mpq_get_d(polar) / 12;
    double area_error = exact_error(2 * got.area, twice) / 2 / area,
           polar_error = exact_error(12 * got.polar, polar) / 12 / moment;
    double rounding = 0x1p-53 * fmax(fabs(got.centroid.x), fabs(got.centroid.y));
    double off = fmax(exact_error(got.centroid.x, centre.x), exact_error(got.centroid.y, centre.y)) - rounding;
    CD_CHECK(got.area > 0 && got.polar > 0);
    CD_CHECK(got.area == cd_polygon_area(p));
    CD_CHECK(area_error <= 4 * unit + MEASURE_BOUND && polar_error <= 4 * unit + MEASURE_BOUND);
    CD_CHECK(off <= 2 * unit * diameter);
    keep(&w->measure_area, area_error / unit);
    keep(&w->measure_polar, polar_error / unit);
    keep(&w->measure_centre, off / diameter / unit);
}

static void show(pair p)
{
    for (int k = 0; k < 2; k++) {
        cd_polygon q = k ? p.b : p.a;
        printf("# %c:", k ? 'b' : 'a');
        for (int32_t i = 0; i < q.count; i++)
            printf(" {%.17g, %.17g}", q.vertex[i].x, q.vertex[i].y);
        printf("\n");
    }
}

static void compare(pair p, worst *w)
{
    static shape a, b;
    int bad = cd_test_bad_checks;
    take(&a, p.a);
    take(&b, p.b);
    if (is_strictly_convex(&a) && is_strictly_convex(&b)) {
        signed_square distance = distance_of(&a, &b), separation = separation_of(&a, &b);
        CD_CHECK(distance.sign > 0 ||
                 (separation.sign == distance.sign && mpq_equal(separation.square, distance.square)));
        w->pairs++;
        w->overlapping += distance.sign < 0;
        w->touching += distance.sign == 0;
        compare_area(p, &a, &b, distance, w);
        compare_distance(p, distance, separation, w);
        compare_measure(p.a, &a, w);
        if (cd_test_bad_checks != bad && bad < 5)
            show(p);
    }
    oracle_release();
}

static void run(const char *title, pair (*make)(cd_random *, place), int count, uint64_t seed)
{
    static const struct {
        const char *name;
        double offset;
    } where[] = {{"at the origin", 0}, {"1e6 m away", 1e6}};
    for (int k = 0; k < 2; k++) {
        cd_random random = {seed + (uint64_t)k};
        worst w = {0};
        for (int i = 0; i < count; i++) {
            double size = where[k].offset > 0 ? pow(10, cd_random_between(&random, -3, 3))
                                              : pow(10, cd_random_between(&random, -8, 8));
            double direction = cd_random_between(&random, 0, 7);
            if (i % 4 == 0)
                size = 1;
            cd_vec2 centre = {where[k].offset * cos(direction), where[k].offset * sin(direction)};
            compare(make(&random, (place){centre, size}), &w);
            cd_arena_reset(&arena);
        }
        printf("# %s %s: %d pairs, %d overlap, %d touch; overlaps without area %d\n", title, where[k].name, w.pairs,
               w.overlapping, w.touching, w.missed_areas);
        printf("#   of the bounds: area %.2g, distance %.2g, separation %.2g, witnesses %.2g (%.2g with slide); "
               "relative area %.2g\n",
               w.area, w.gap, w.separation, w.witness, w.slide, w.relative_area);
        printf("#   of n 2^-52: area %.2g, centroid %.2g, polar moment %.2g\n", w.measure_area, w.measure_centre,
               w.measure_polar);
        CD_CHECK(w.pairs > count / 20);
    }
}

CD_TEST(random_polygons) { run("random", random_pair, 1500, 101); }
CD_TEST(parallel_edges) { run("parallel", parallel_pair, 2000, 201); }
CD_TEST(slivers) { run("slivers", sliver_pair, 3000, 301); }
CD_TEST(kissing_vertices) { run("kissing", kissing_pair, 1500, 401); }
CD_TEST(grid_polygons) { run("grid", grid_pair, 1000, 501); }
CD_TEST(shaken_twins) { run("twins", twin_pair, 1000, 601); }

// ---- orientation ---------------------------------------------------------------------------------------------------

CD_TEST(orientation)
{
    cd_random random = {701};
    double relative = 0;
    int zero = 0, count = 100000, wrong = 0;
    for (int i = 0; i < count; i++) {
        double scale = pow(10, cd_random_between(&random, -30, 30)), offset = i % 3 ? 0 : 1e6 * scale;
        cd_vec2 a = {offset + cd_random_between(&random, -1, 1) * scale,
                     offset + cd_random_between(&random, -1, 1) * scale};
        cd_vec2 b = {offset + cd_random_between(&random, -1, 1) * scale,
                     offset + cd_random_between(&random, -1, 1) * scale};
        cd_vec2 c = cd_lerp2(a, b, i % 5 ? cd_random_between(&random, -2, 3) : 0.5);
        c = (cd_vec2){ulps(&random, c.x, i % 3), ulps(&random, c.y, i % 2)};
        exact wanted = turn(spot_of(a), spot_of(b), spot_of(c));
        double sign = exact_sign(wanted), got = cd_orient2d_exact(a, b, c);
        wrong += sign_or_zero(cd_orient2d(a, b, c)) != sign || sign_or_zero(got) != sign;
        zero += sign == 0;
        if (sign != 0)
            keep(&relative, exact_error(got, wanted) / fabs(mpq_get_d(wanted)));
        oracle_release();
    }
    printf("# orientation: %d triples, %d collinear, %d wrong signs, worst relative error of the exact value %.3g\n",
           count, zero, wrong, relative);
    CD_CHECK(wrong == 0);
    CD_CHECK(relative <= 0x1p-52);
    CD_CHECK(zero > 100);
}

int main(void)
{
    CD_RUN(orientation);
    CD_RUN(random_polygons);
    CD_RUN(parallel_edges);
    CD_RUN(slivers);
    CD_RUN(kissing_vertices);
    CD_RUN(grid_polygons);
    CD_RUN(shaken_twins);
    cd_arena_release(&arena);
    return cd_test_done();
}
