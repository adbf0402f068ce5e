// An ellipsoid {c + Q u : |u| <= 1} and another part.
//
// 1. A plane whose normal a search in doubles gave is tried exactly: the ellipsoid reaches |Q^T n| from its centre.
// 2. Against a core without a margin: adj(Q) makes a ball of radius |det Q| of the ellipsoid, so that the distance of
//    adj(Q) x, x in the core, from adj(Q) c decides.
// 3. Two ellipsoids (a sphere is one): bodies x^T A x <= 0 and x^T B x <= 0 in homogeneous coordinates, A and B with
//    three positive and one negative eigenvalue. They are apart iff l A + B is positive definite for an l > 0 (the
//    S-lemma). Its first three rows are, so that this is det(l A + B) > 0; such l are an interval. So the number of
//    distinct roots l > 0 of f(l) = det(l A + B) is 2: apart, 1: touching, 0: overlapping (f as in Wang, Wang & Kim,
//    Computer Aided Geometric Design 18 (2001)); Sturm's theorem counts them.
// 4. Against a facet with a thickness: a point inside both, from the search in doubles. Where none is found the pair
//    stays open.
// SPDX-License-Identifier: MIT
#include "certify_pair.h"

#include "cd_distance3.h"

enum { DEGREE = 4 };

// ---- the ellipsoid as a matrix --------------------------------------------------------------------------------------

typedef struct quadric {
    cd_exact3 centre;
    cd_exact3 adjoint[3];  // rows of adj(Q)
    cd_exact det;          // of Q
} quadric;

static quadric quadric_of(cd_arena *arena, const certify_part *part)
{
    cd_exact3 q[3];
    for (int k = 0; k < 3; k++)
        q[k] = cd_exact3_scale(arena, cd_exact_of(arena, part->semiaxis[k]), cd_exact3_of(arena, part->axis[k]));
    quadric out = {.centre = cd_exact3_of(arena, part->centre)};
    for (int k = 0; k < 3; k++)
        out.adjoint[k] = cd_exact3_cross(arena, q[(k + 1) % 3], q[(k + 2) % 3]);
    out.det = cd_exact3_dot(arena, q[0], out.adjoint[0]);
    return out;
}

// A sphere as an ellipsoid; others as they are.
static certify_part as_ellipsoid(const certify_part *part)
{
    certify_part e = *part;
    if (part->form == CERTIFY_ELLIPSOID)
        return e;
    e.centre = certify_corner(&part->core, 0);
    for (int k = 0; k < 3; k++) {
        e.axis[k] = (cd_vec3){k == 0, k == 1, k == 2};
        e.semiaxis[k] = part->margin;
    }
    return e;
}

// ---- 1: a plane -----------------------------------------------------------------------------------------------------

// The highest or (sign -1) lowest point of the core or centre along n.
static cd_exact height_of(cd_arena *scratch, const certify_part *part, const certify_vector *n, int sign)
{
    cd_vec3 x = part->centre;
    if (part->form == CERTIFY_CORE)
        x = certify_corner(&part->core, certify_find_farthest(scratch, &part->core, n, sign).corner[0]);
    return cd_exact3_dot(scratch, n->exact, cd_exact3_of(scratch, x));
}

// Squared: how far it reaches beyond that, times |n|.
static cd_exact reach_sq(cd_arena *scratch, const certify_part *part, const certify_vector *n)
{
    cd_exact r = cd_exact_of(scratch, part->margin), sum = {0};
    if (part->form == CERTIFY_CORE)
        return cd_exact_multiply(scratch, cd_exact_multiply(scratch, r, r), cd_exact3_dot(scratch, n->exact, n->exact));
    for (int k = 0; k < 3; k++) {
        cd_exact along = cd_exact_multiply(scratch, cd_exact_of(scratch, part->semiaxis[k]),
                                           cd_exact3_dot(scratch, n->exact, cd_exact3_of(scratch, part->axis[k])));
        sum = cd_exact_add(scratch, sum, cd_exact_multiply(scratch, along, along));
    }
    return sum;
}

static bool separates(cd_arena *scratch, const certify_part *a, const certify_part *b, cd_vec3 normal)
{
    certify_vector n = certify_vector_of(cd_exact3_of(scratch, normal));
    cd_exact gap = cd_exact_subtract(scratch, height_of(scratch, b, &n, -1), height_of(scratch, a, &n, 1));
    return certify_root_order(scratch, gap, reach_sq(scratch, a, &n), reach_sq(scratch, b, &n)) > 0;
}

// ---- 2: against a core ----------------------------------------------------------------------------------------------

static certify_core centre_of(cd_arena *arena, const certify_part *part)
{
    double *x = CD_ARENA_ARRAY(arena, double, 3);
    cd_vec3_put(part->centre, x);
    return (certify_core){1, x, x + 1, x + 2};
}

static certify_result against_core(cd_arena *arena, cd_arena *scratch, int dim, const certify_part *a,
                                   const certify_part *b)
{
    const certify_part *e = a->form == CERTIFY_ELLIPSOID ? a : b;
    quadric q = quadric_of(scratch, e);
    q.det.is_negative = false;
    certify_core centre = centre_of(scratch, e);
    certify_cores cores = {dim, e == a ? centre : a->core, e == b ? centre : b->core, q.det, q.adjoint};
    return certify_by_distance(arena, scratch, &cores, NULL, 0);
}

// ---- 3: two ellipsoids ----------------------------------------------------------------------------------------------

typedef struct polynomial {
    int degree;  // -1: zero
    cd_exact c[DEGREE + 1];
} polynomial;

static polynomial sum_of(cd_arena *arena, const polynomial *p, const polynomial *q, int sign)
{
    polynomial out = {.degree = p->degree > q->degree ? p->degree : q->degree};
    for (int i = 0; i <= out.degree; i++) {
        cd_exact c = i <= q->degree ? q->c[i] : (cd_exact){0};
        out.c[i] = cd_exact_add(arena, i <= p->degree ? p->c[i] : (cd_exact){0}, sign < 0 ? cd_exact_negate(c) : c);
    }
    return out;
}

static polynomial product_of(cd_arena *arena, const polynomial *p, const polynomial *q)
{
    polynomial out = {.degree = p->degree + q->degree};
    for (int i = 0; i <= p->degree; i++)
        for (int j = 0; j <= q->degree; j++)
            out.c[i + j] = cd_exact_add(arena, out.c[i + j], cd_exact_multiply(arena, p->c[i], q->c[j]));
    return out;
}

// |adj(Q) (x - c)|^2 - det^2 as a symmetric matrix, x counted from `origin`.
static void matrix_of(cd_arena *arena, const quadric *q, cd_exact3 origin, cd_exact m[4][4])
{
    cd_exact3 column[4];  // of adj(Q) (I, -c)
    cd_exact3 c = cd_exact3_subtract(arena, origin, q->centre), row[3] = {q->adjoint[0], q->adjoint[1], q->adjoint[2]};
    column[0] = (cd_exact3){row[0].x, row[1].x, row[2].x};
    column[1] = (cd_exact3){row[0].y, row[1].y, row[2].y};
    column[2] = (cd_exact3){row[0].z, row[1].z, row[2].z};
    column[3] =
        (cd_exact3){cd_exact3_dot(arena, row[0], c), cd_exact3_dot(arena, row[1], c), cd_exact3_dot(arena, row[2], c)};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = cd_exact3_dot(arena, column[i], column[j]);
    m[3][3] = cd_exact_subtract(arena, m[3][3], cd_exact_multiply(arena, q->det, q->det));
}

// det(l A + B), by minors of the first two rows and of the last two.
static polynomial pencil_of(cd_arena *arena, cd_exact a[4][4], cd_exact b[4][4])
{
    static const int place[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    static const int sign[6] = {1, -1, 1, 1, -1, 1};
    polynomial e[4][4], det = {.degree = DEGREE};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            e[i][j] = (polynomial){1, {b[i][j], a[i][j]}};
    for (int k = 0; k < 6; k++) {
        polynomial minor[2];
        for (int half = 0; half < 2; half++) {
            int r = 2 * half, i = place[k][2 * half], j = place[k][2 * half + 1];
            polynomial p = product_of(arena, &e[r][i], &e[r + 1][j]), q = product_of(arena, &e[r][j], &e[r + 1][i]);
            minor[half] = sum_of(arena, &p, &q, -1);
        }
        polynomial term = product_of(arena, &minor[0], &minor[1]);
        det = sum_of(arena, &det, &term, sign[k]);
    }
    return det;
}

static void trim(polynomial *p)
{
    while (p->degree >= 0 && p->c[p->degree].count == 0)
        p->degree--;
}

// A positive multiple of minus the remainder of p by q.
static polynomial next_of_chain(cd_arena *arena, polynomial p, const polynomial *q)
{
    cd_exact lead = q->c[q->degree];
    bool is_negative = false;
    while (p.degree >= q->degree) {  // p := lead p - p_top l^k q
        cd_exact top = p.c[p.degree];
        int shift = p.degree - q->degree;
        for (int i = 0; i <= p.degree; i++) {
            cd_exact c = cd_exact_multiply(arena, lead, p.c[i]);
            if (i >= shift)
                c = cd_exact_subtract(arena, c, cd_exact_multiply(arena, top, q->c[i - shift]));
            p.c[i] = c;
        }
        is_negative ^= lead.is_negative;
        trim(&p);
    }
    for (int i = 0; i <= p.degree && !is_negative; i++)
        p.c[i] = cd_exact_negate(p.c[i]);
    return p;
}

// The number of distinct roots above 0 of a polynomial that is not 0 at 0: Sturm's theorem.
static int positive_roots(cd_arena *arena, polynomial p)
{
    trim(&p);
    polynomial q = {.degree = p.degree - 1};
    for (int i = 1; i <= p.degree; i++)
        q.c[i - 1] = cd_exact_multiply(arena, cd_exact_of(arena, i), p.c[i]);
    int changes = 0, at_zero = cd_exact_sign(p.c[0]), at_end = cd_exact_sign(p.c[p.degree]);
    while (q.degree >= 0) {
        int zero = cd_exact_sign(q.c[0]), end = cd_exact_sign(q.c[q.degree]);
        changes += (zero != 0 && zero != at_zero) - (end != at_end);
        at_zero = zero != 0 ? zero : at_zero;
        at_end = end;
        polynomial rest = next_of_chain(arena, p, &q);
        p = q;
        q = rest;
    }
    return changes;
}

static certify_result two_ellipsoids(cd_arena *scratch, const certify_part *a, const certify_part *b)
{
    certify_part p = as_ellipsoid(a), q = as_ellipsoid(b);
    quadric of_a = quadric_of(scratch, &p), of_b = quadric_of(scratch, &q);
    cd_exact m[4][4], n[4][4];
    matrix_of(scratch, &of_a, of_a.centre, m);
    matrix_of(scratch, &of_b, of_a.centre, n);
    return (certify_result){.label = certify_label(positive_roots(scratch, pencil_of(scratch, m, n)) - 1)};
}

// ---- 4: a point -----------------------------------------------------------------------------------------------------

static bool is_inside(cd_arena *scratch, const certify_part *part, cd_vec3 point)
{
    certify_part here = {.centre = point};
    certify_core centre = centre_of(scratch, &here);
    certify_cores cores = {3, centre, part->core, cd_exact_of(scratch, part->margin), NULL};
    if (part->form == CERTIFY_CORE)
        return certify_by_distance(scratch, scratch, &cores, NULL, 0).label == CD_LABEL_OVERLAPPING;
    quadric q = quadric_of(scratch, part);
    q.det.is_negative = false;
    cores = (certify_cores){3, centre, centre_of(scratch, part), q.det, q.adjoint};
    return certify_by_distance(scratch, scratch, &cores, NULL, 0).label == CD_LABEL_OVERLAPPING;
}

// From the ellipsoid's point nearest to the other towards its centre, by less and less.
static certify_result common_point(cd_arena *scratch, const certify_part *ellipsoid, const certify_part *other,
                                   cd_vec3 nearest)
{
    for (double share = 0.5; share > 0x1p-50; share /= 4) {
        cd_vec3 point = cd_lerp3(nearest, ellipsoid->centre, share);
        if (is_inside(scratch, ellipsoid, point) && is_inside(scratch, other, point))
            return (certify_result){.label = CD_LABEL_OVERLAPPING, .has_point = true, .point = point};
    }
    return (certify_result){.label = CD_ABSENT};
}

// ---- the pair -------------------------------------------------------------------------------------------------------

static cd_support3 support_of(const certify_part *part)
{
    cd_support3 s;
    if (part->form == CERTIFY_ELLIPSOID) {
        s = (cd_support3){.kind = CD_SUPPORT3_ELLIPSOID, .point = {part->centre}};
        for (int k = 0; k < 3; k++)
            s.axis[k] = cd_scale3(part->semiaxis[k], part->axis[k]);
        return s;
    }
    if (part->core.count == 1)
        return cd_support3_sphere(certify_corner(&part->core, 0), part->margin);
    if (part->core.count == 3)
        return cd_support3_triangle(certify_corner(&part->core, 0), certify_corner(&part->core, 1),
                                    certify_corner(&part->core, 2), part->margin);
    return cd_support3_convex(&((const cd_solid3 *)part->placed)->convex);
}

certify_result certify_ellipsoid(cd_arena *arena, cd_arena *scratch, int dim, const certify_part *a,
                                 const certify_part *b)
{
    const certify_part *other = a->form == CERTIFY_ELLIPSOID ? b : a;
    bool is_quadric = other->form == CERTIFY_ELLIPSOID || (other->core.count == 1 && other->margin > 0);
    if (dim == 3) {
        cd_support3 p = support_of(a), q = support_of(b);
        cd_distance3 distance = cd_distance3_of(&p, &q, NULL);
        if (distance.gap > 0 && separates(scratch, a, b, distance.normal)) {
            cd_vec3 *normal = CD_ARENA_ARRAY(arena, cd_vec3, 1);
            *normal = distance.normal;
            return (certify_result){.label = CD_LABEL_APART, .normal = normal, .normal_count = 1};
        }
        if (!is_quadric && other->margin > 0)
            return a == other ? common_point(scratch, b, a, distance.point_b)
                              : common_point(scratch, a, b, distance.point_a);
    }
    return is_quadric ? two_ellipsoids(scratch, a, b) : against_core(arena, scratch, dim, a, b);
}
