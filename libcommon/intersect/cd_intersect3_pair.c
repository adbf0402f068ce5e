// The largest inscribed ball, coincident planes, and the measures of a closed surface.
// SPDX-License-Identifier: MIT
#include "cd_intersect3_pair.h"

#include "cd_distance3.h"
#include "cd_twofold.h"

#include <float.h>

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] of the pivot: below it an update of the inverse would lose two digits. Smaller: steps that go astray. Larger:
// more inverses made anew.
#define PIVOT_SHARE 0.01
// [1] of a pivot's row: a multiplier over less is no bound, but rounding. Smaller: a plane that does not bound may be
// exchanged. Larger: one that bounds may be left out.
#define PIVOT_ROUNDING 1e-14
// [1] of the product of two edges of a triangle: a cross product that is shorter has lost digits. Smaller: needles with
// wrong volumes. Larger: slower.
#define TRIANGLE_THIN 0.05

// ---- the ball ------------------------------------------------------------------------------------------------------
//
// Maximise r subject to n_i . x + r <= d_i for all planes and the sides of the box: four unknowns z = (x, r). The dual
// simplex method keeps a basis of four planes whose rows (n_i, 1) carry the objective (0, 0, 0, 1) with multipliers >=
// 0, so that the z where the four hold with equality bounds r from above; the plane most violated there enters, the
// quotient rule lets one leave, r falls. It starts from a simplex around the box, which the box's faces cut off.

enum { BALL_STEPS = 200 };

typedef struct basis {
    double row[4][4];  // (normal, 1)
    double offset[4];
    double inverse[4][4];
} basis;

// Gauss-Jordan with row exchanges; false when a pivot vanishes.
static bool invert(basis *b)
{
    double m[4][8];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            m[i][j] = b->row[i][j];
            m[i][4 + j] = i == j;
        }
    }
    for (int k = 0; k < 4; k++) {
        int pivot = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(m[i][k]) > fabs(m[pivot][k]))
                pivot = i;
        if (!(fabs(m[pivot][k]) > 0))
            return false;
        for (int j = 0; j < 8; j++) {
            double t = m[pivot][j];
            m[pivot][j] = m[k][j];
            m[k][j] = t;
        }
        double scale = 1 / m[k][k];
        for (int j = 0; j < 8; j++)
            m[k][j] *= scale;
        for (int i = 0; i < 4; i++) {
            double t = m[i][k];
            if (i == k || t == 0)
                continue;
            for (int j = 0; j < 8; j++)
                m[i][j] -= t * m[k][j];
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            b->inverse[i][j] = m[i][4 + j];
    return true;
}

static void set_row(basis *b, int i, cd_vec3 normal, double offset)
{
    b->row[i][0] = normal.x;
    b->row[i][1] = normal.y;
    b->row[i][2] = normal.z;
    b->row[i][3] = 1;
    b->offset[i] = offset;
}

// Its rows are orthogonal columns of length 2 s, 2 s, 2 s and 2, which makes the inverse the transpose but for scale.
static basis simplex_around(double distance)
{
    const double s = 0.57735026918962576;
    basis b;
    set_row(&b, 0, (cd_vec3){s, s, s}, distance);
    set_row(&b, 1, (cd_vec3){s, -s, -s}, distance);
    set_row(&b, 2, (cd_vec3){-s, s, -s}, distance);
    set_row(&b, 3, (cd_vec3){-s, -s, s}, distance);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            b.inverse[j][i] = j < 3 ? 0.75 * b.row[i][j] : 0.25;
    return b;
}

typedef struct worst {
    double height;  // above the plane; minus the ball's radius about the point
    cd_vec3 normal;
    double offset;
} worst;

static void find_worst(const cd_convex_pair3_side *s, cd_vec3 x, worst *w)
{
    for (int32_t i = 0; i < s->active; i++) {
        cd_vec3 n = cd_convex_pair3_normal(s, i);
        double height = cd_dot3(n, x) - s->offset[i];
        if (height > w->height)
            *w = (worst){height, n, s->offset[i]};
    }
}

// The box's own faces count too: where the bodies have nothing in common, active planes alone may leave room outside
// the box.
static void find_worst_side(const cd_convex_pair3 *pair, cd_vec3 x, worst *w)
{
    cd_vec3 half = pair->half, above = {fabs(x.x) - half.x, fabs(x.y) - half.y, fabs(x.z) - half.z};
    if (above.x > w->height)
        *w = (worst){above.x, {copysign(1, x.x), 0, 0}, half.x};
    if (above.y > w->height)
        *w = (worst){above.y, {0, copysign(1, x.y), 0}, half.y};
    if (above.z > w->height)
        *w = (worst){above.z, {0, 0, copysign(1, x.z)}, half.z};
}

enum { FRESH_INVERSE = 8 };  // steps after which the inverse is made anew

// Lets the plane enter and another one leave, that of the least quotient of multipliers. False when none bounds, or
// none can be told. The inverse is updated by the rank-one change of a row (Sherman & Morrison).
static bool exchange(basis *b, const worst *enter, int step)
{
    double share[4], least = INFINITY;
    cd_vec3 n = enter->normal;
    int leaving = -1;
    for (int i = 0; i < 4; i++) {
        share[i] = b->inverse[0][i] * n.x + b->inverse[1][i] * n.y + b->inverse[2][i] * n.z + b->inverse[3][i];
        double multiplier = fmax(b->inverse[3][i], 0);
        if (share[i] > PIVOT_ROUNDING && multiplier / share[i] < least) {
            least = multiplier / share[i];
            leaving = i;
        }
    }
    if (leaving < 0)
        return false;
    set_row(b, leaving, n, enter->offset);
    if (share[leaving] < PIVOT_SHARE || step % FRESH_INVERSE == FRESH_INVERSE - 1)
        return invert(b);
    for (int j = 0; j < 4; j++) {
        double column = b->inverse[j][leaving] / share[leaving];
        for (int i = 0; i < 4; i++)
            b->inverse[j][i] = i == leaving ? column : b->inverse[j][i] - column * share[i];
    }
    return true;
}

// What the multipliers prove, however rough they are: with l_i >= 0 of sum 1, n_i . x + r <= d_i gives
// r <= sum l_i d_i - (sum l_i n_i) . x, and no x of the intersection is farther from the origin than `reach`. (The z of
// nearly parallel planes in a basis may be any number.)
static double proven_bound(const basis *b, double reach)
{
    cd_vec3 rest = {0, 0, 0};
    double sum = 0, whole = 0;
    for (int i = 0; i < 4; i++) {
        double multiplier = b->inverse[3][i] > 0 ? b->inverse[3][i] : 0;
        rest = cd_add3(rest, cd_scale3(multiplier, (cd_vec3){b->row[i][0], b->row[i][1], b->row[i][2]}));
        sum += multiplier * b->offset[i];
        whole += multiplier;
    }
    return whole > 0 ? (sum + cd_length3(rest) * reach) / whole : INFINITY;
}

static cd_ball3 largest_ball(const cd_convex_pair3 *pair)
{
    cd_ball3 ball = {{0, 0, 0}, -INFINITY, INFINITY};
    basis b = simplex_around(2 * pair->reach + pair->size);
    for (int step = 0; step < BALL_STEPS; step++) {
        double z[4];
        for (int i = 0; i < 4; i++)
            z[i] = b.inverse[i][0] * b.offset[0] + b.inverse[i][1] * b.offset[1] + b.inverse[i][2] * b.offset[2] +
                   b.inverse[i][3] * b.offset[3];
        cd_vec3 x = {z[0], z[1], z[2]};
        worst w = {.height = -INFINITY};
        find_worst(&pair->side[0], x, &w);
        find_worst(&pair->side[1], x, &w);
        find_worst_side(pair, x, &w);
        ball.bound = fmin(ball.bound, proven_bound(&b, pair->reach));
        if (-w.height > ball.radius) {
            ball.radius = -w.height;
            ball.centre = x;
        }
        // Good enough inside, surely outside, or the optimum.
        if ((ball.radius > pair->tolerance && ball.radius >= 0.5 * ball.bound) || ball.bound < -pair->tolerance ||
            w.height + z[3] <= DBL_EPSILON * pair->size)
            break;
        if (!exchange(&b, &w, step))
            break;
    }
    return ball;
}

typedef struct extent {
    double low, high;
} extent;

static extent heights(const cd_convex_pair3_side *s, cd_vec3 normal)
{
    extent e = {INFINITY, -INFINITY};
    for (int32_t i = 0; i < s->body->vertex_count; i++) {
        double height = cd_dot3(normal, cd_convex_pair3_vertex(s, i));
        e.low = fmin(e.low, height);
        e.high = fmax(e.high, height);
    }
    return e;
}

// All vertices within the tolerance of one plane.
static bool is_flat(const cd_convex_pair3 *pair, const cd_convex_pair3_side *s)
{
    for (int32_t f = 0; f < s->body->face_count; f++) {
        cd_vec3 n = s->body->plane[f].normal;
        extent e = heights(s, n);
        if (cd_dot3(n, n) > 0.5 && e.high - e.low <= pair->tolerance)
            return true;
    }
    return false;
}

static bool is_separated_by_face(const cd_convex_pair3 *pair, int s)
{
    for (int32_t i = 0; i < pair->side[s].active; i++)
        if (heights(&pair->side[1 - s], cd_convex_pair3_normal(&pair->side[s], i)).low - pair->side[s].offset[i] >
            CD_CONVEX_PAIR3_GAP * pair->tolerance)
            return true;
    return false;
}

// Where the search for the ball proved nothing: a cut that needs no inner point tells; its centroid is one.
static bool has_room(const cd_convex_pair3 *pair, cd_ball3 *ball, cd_arena *arena)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_intersect3 common = cd_convex_pair3_cut(pair, arena);
    cd_arena_rewind(arena, mark);
    if (!(common.volume > pair->tolerance * common.area))
        return false;
    worst w = {.height = -INFINITY};
    ball->centre = cd_sub3(common.centroid, pair->origin);
    find_worst(&pair->side[0], ball->centre, &w);
    find_worst(&pair->side[1], ball->centre, &w);
    ball->radius = -w.height;
    return true;
}

cd_intersect3_status cd_convex_pair3_status(const cd_convex_pair3 *pair, cd_ball3 *ball, cd_arena *arena)
{
    const cd_convex_pair3_side *first = &pair->side[0], *second = &pair->side[1];
    *ball = largest_ball(pair);
    if (ball->radius > pair->tolerance)
        return CD_INTERSECT3_OVERLAPPING;
    if (ball->bound < -pair->tolerance || is_separated_by_face(pair, 0) || is_separated_by_face(pair, 1))
        return CD_INTERSECT3_EMPTY;
    if (is_flat(pair, first) || is_flat(pair, second))
        return CD_INTERSECT3_DEGENERATE;
    if (!(ball->bound > pair->tolerance))
        return CD_INTERSECT3_TOUCHING;
    if (has_room(pair, ball, arena))
        return CD_INTERSECT3_OVERLAPPING;
    cd_distance3 d = cd_distance3_compute(cd_support3_convex(first->body), cd_support3_convex(second->body), NULL);
    return d.distance > CD_CONVEX_PAIR3_GAP * pair->tolerance ? CD_INTERSECT3_EMPTY : CD_INTERSECT3_TOUCHING;
}

// ---- planes and surfaces -------------------------------------------------------------------------------------------

static bool is_same_plane(const cd_convex_pair3 *pair, const cd_convex_pair3_side *s, int32_t i,
                          const cd_convex_pair3_side *t, int32_t j)
{
    // Most pairs of planes end here; what is left out has an angle of 60 degrees or more.
    double cosine = s->nx[i] * t->nx[j] + s->ny[i] * t->ny[j] + s->nz[i] * t->nz[j];
    if (!(cosine > 0.5))
        return false;
    cd_vec3 turn = cd_sub3(cd_convex_pair3_normal(s, i), cd_convex_pair3_normal(t, j));
    return cd_length3(turn) * pair->reach + fabs(s->offset[i] - t->offset[j]) <= pair->twin_tolerance;
}

int32_t *cd_convex_pair3_twins(const cd_convex_pair3 *pair, int s, cd_arena *arena)
{
    const cd_convex_pair3_side *own = &pair->side[s], *other = &pair->side[1 - s];
    int32_t *twin = CD_ARENA_ARRAY(arena, int32_t, own->active);
    for (int32_t i = 0; i < own->active; i++) {
        twin[i] = -1;
        for (int32_t j = 0; j < other->active && twin[i] < 0; j++)
            if (is_same_plane(pair, own, i, other, j))
                twin[i] = j;
    }
    return twin;
}

// Repeated neighbours out; the count that is left.
static int32_t drop_repeated(cd_vec3 *corner, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 p = corner[i], q = kept ? corner[kept - 1] : corner[count - 1];
        if (p.x != q.x || p.y != q.y || p.z != q.z)
            corner[kept++] = p;
    }
    return kept;
}

// (q - p) x (r - p). In a needle of aspect 1e6 the plain product is wrong by 1e-10 of itself, and the sum of such
// volumes by far more than the corners' rounding.
static cd_vec3 triangle_vector(cd_vec3 p, cd_vec3 q, cd_vec3 r)
{
    cd_vec3 u = cd_sub3(q, p), v = cd_sub3(r, p), x = cd_cross3(u, v);
    if (cd_dot3(x, x) >= TRIANGLE_THIN * TRIANGLE_THIN * cd_dot3(u, u) * cd_dot3(v, v))
        return x;
    return cd_twofold_rounded3(cd_twofold_cross3(cd_twofold_difference3(q, p), cd_twofold_difference3(r, p)));
}

void cd_convex_pair3_measure(const cd_convex_pair3 *pair, cd_intersect3 *result)
{
    cd_vec3 closure = {0, 0, 0}, moment = {0, 0, 0};
    double six_volumes = 0, whole = 0;
    int32_t faces = 0;
    for (int32_t f = 0; f < result->face_count; f++) {
        cd_intersect3_face face = result->face[f];
        cd_vec3 *corner = result->corner + face.first;
        face.count = drop_repeated(corner, face.count);
        if (face.count < 3)
            continue;
        cd_vec3 p = corner[0], vector = {0, 0, 0}, first_moment = {0, 0, 0};
        double twice_area = 0;
        for (int32_t i = 1; i + 1 < face.count; i++) {
            cd_vec3 q = corner[i], r = corner[i + 1], x = triangle_vector(p, q, r);
            cd_vec3 sum = cd_add3(cd_add3(p, q), r);
            double area = cd_dot3(x, face.normal);
            vector = cd_add3(vector, x);
            twice_area += area;
            first_moment = cd_add3(first_moment, cd_scale3(area, sum));
            moment = cd_add3(moment, cd_scale3(cd_dot3(p, x), sum));
        }
        closure = cd_add3(closure, cd_scale3(twice_area, face.normal));
        six_volumes += cd_dot3(p, vector);
        whole += twice_area;  // negative parts too: what nearly parallel faces took from each other
        if (!(twice_area > 0))
            continue;
        face.area = 0.5 * twice_area;
        face.centroid = cd_scale3(1 / (3 * twice_area), first_moment);
        result->face[faces++] = face;
    }
    result->face_count = faces;
    result->volume = six_volumes / 6;
    result->area = 0.5 * whole;
    result->closure = whole > 0 ? cd_length3(closure) / whole : 0;
    result->origin = pair->origin;
    if (result->volume > 0)
        result->centroid = cd_add3(pair->origin, cd_scale3(1 / (4 * six_volumes), moment));
}

void cd_convex_pair3_contained(cd_intersect3 *result)
{
    bool a_alone = false, b_alone = false;
    for (int32_t f = 0; f < result->face_count; f++) {
        a_alone |= result->face[f].b < 0;
        b_alone |= result->face[f].a < 0;
    }
    result->status = !b_alone ? CD_INTERSECT3_A_IN_B : !a_alone ? CD_INTERSECT3_B_IN_A : CD_INTERSECT3_OVERLAPPING;
}
