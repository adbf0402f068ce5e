// The volume that a ball and a convex polyhedron have in common, in closed form.
//
// The ball is the unit ball about the origin O. A polyhedron is the signed sum of the cones from O over its faces,
// signed by whether O lies behind the face (h > 0) or in front of it. Within the cone of a face, polar coordinates
// (s, theta) about the foot F of O on the face's plane, h = |OF|, R = sqrt(h^2 + s^2): the cone over the piece of area
// s ds dtheta cut by the ball holds
//     h/3 s ds dtheta       where R <= 1,
//     h/(3 R^3) s ds dtheta  beyond.
// The integral over s is elementary, so what remains are integrals over the face's boundary: along an edge at the
// distance d from F, t counted from F's foot on the edge's line, rho^2 = h^2 + d^2, dtheta = d dt/(d^2 + t^2), with
//     theta = atan(t/d),   Chi = integral of (h/R) dtheta = atan2(h t, d R).
// Over the piece of the edge inside the ball and the pieces outside it the sum of cones is ("the sum")
//     h d dt / 6   and   h (3 - h^2)/6 dtheta - 1/3 dChi;         planes with h >= 1: (dtheta - dChi)/3 over the edge.
// It holds wherever O is, on an edge or a corner too, with an absolute error of some 2^-52: good for an overlap that is
// no small part of the ball.
//
// For a small one with O well outside ("the lens"): the cones of the whole ball over all faces cancel, and what remains
// is V = -sum sign(h) D with D what of the ball's cone lies beyond the face,
//     D = integral over face and disc of h/3 (1/R^3 - 1) s ds dtheta >= 0.
// Taking the integral over s from the rim of the disc leaves
//     D = E W - integral over the pieces inside of Q dtheta,
//     E = (1 - h)^2 (2 + h)/6,   Q = h (1 - R)^2 (2 + R)/(6 R),
// W the angle the face's boundary winds around F (2 pi or 0). No term is larger than what the face's plane cuts off the
// ball, and a face of which the ball holds a sliver gives a small integral, so small overlaps are as exact as the depth
// is. Q dtheta is integrated by Gauss and Legendre (its singularities t = +-i d, +-i rho are far from a piece that is
// not near F, halved at t = 0: error below 1e-15 of it), by E dtheta less the integral of (E - Q)/s^2 d dt where the
// piece is near F, and as written above where h is small, when nothing cancels.
// SPDX-License-Identifier: MIT
#include "overlap_volume.h"

#include <float.h>

const double cd_gauss_node[CD_GAUSS_HALF] = {0.9894009349916499326,  0.94457502307323257608, 0.86563120238783174388,
                                             0.7554044083550030339,  0.6178762444026437484,  0.45801677765722738634,
                                             0.28160355077925891323, 0.095012509837637440185};
const double cd_gauss_weight[CD_GAUSS_HALF] = {0.027152459411754094852, 0.062253523938647892863, 0.09515851168249278481,
                                               0.12462897125553387205,  0.14959598881657673208,  0.16915651939500253819,
                                               0.18260341504492358887,  0.18945061045506849629};

// [1] times the sum of all terms' sizes: what rounding makes of them (worst seen against 113-bit numbers: 4).
static const double rounding = 12 * (DBL_EPSILON / 2);
// [1] of the ball: a smaller overlap is worth the lens, if O is at least `clear` outside.
static const double small_volume = 1.0 / 64, clear = 0.25;

typedef struct total {
    double value, size;
} total;

static void add(total *sum, double term)
{
    sum->value += term;
    sum->size += fabs(term);
}

// ---- edges ---------------------------------------------------------------------------------------------------------

typedef struct face_edge {
    double h;           // signed: > 0 where O lies behind the face
    double d;           // signed distance of F from the edge's line, > 0 inside
    double rho_sq;      // squared distance of O from it
    double begin, end;  // of the edge, along the line
    double reach;       // the line is inside the ball for |t| < reach; 0: nowhere
} face_edge;

static double root_or_zero(double x) { return x > 0 ? sqrt(x) : 0; }
static double distance_from_o(const face_edge *e, double t) { return sqrt(e->rho_sq + t * t); }  // R

static double turn(const face_edge *e, double a, double b)  // theta from a to b
{
    return atan2(e->d * (b - a), a * b + e->d * e->d);
}

static double chi(const face_edge *e, double a, double b)
{
    double ra = distance_from_o(e, a), rb = distance_from_o(e, b), d = fabs(e->d);
    double angle = atan2(e->h * d * (b * ra - a * rb), d * d * ra * rb + e->h * e->h * a * b);
    return copysign(1, e->d) * angle;
}

// The pieces of an edge: before, in and behind the ball.
typedef struct pieces {
    double in_begin, in_end;  // in_begin >= in_end: none is inside
} pieces;

static pieces pieces_of(const face_edge *e) { return (pieces){fmax(e->begin, -e->reach), fmin(e->end, e->reach)}; }

// ---- the sum -------------------------------------------------------------------------------------------------------

static void add_outside(total *sum, const face_edge *e, double a, double b)
{
    if (!(a < b))
        return;
    add(sum, e->h * (3 - e->h * e->h) / 6 * turn(e, a, b));
    add(sum, -chi(e, a, b) / 3);
}

// `area` receives that of the face inside the ball.
static void add_edge(total *sum, double *area, const face_edge *e)
{
    if (fabs(e->h) >= 1) {
        add(sum, copysign(1.0 / 3, e->h) * turn(e, e->begin, e->end));
        add(sum, -chi(e, e->begin, e->end) / 3);
        return;
    }
    double disc_sq = (1 - fabs(e->h)) * (1 + fabs(e->h));
    pieces p = pieces_of(e);
    if (!(p.in_begin < p.in_end)) {
        add_outside(sum, e, e->begin, e->end);
        *area += disc_sq / 2 * turn(e, e->begin, e->end);
        return;
    }
    add(sum, e->h * e->d * (p.in_end - p.in_begin) / 6);
    add_outside(sum, e, e->begin, p.in_begin);
    add_outside(sum, e, p.in_end, e->end);
    *area +=
        e->d * (p.in_end - p.in_begin) / 2 + disc_sq / 2 * (turn(e, e->begin, p.in_begin) + turn(e, p.in_end, e->end));
}

// ---- the lens ------------------------------------------------------------------------------------------------------

// Q dtheta/dt with h > 0; 1 - R^2 = reach^2 - t^2.
static double far_density(const face_edge *e, double h, double t)
{
    double r = distance_from_o(e, t), rim = (e->reach - t) * (e->reach + t) / (1 + r);
    return h * rim * rim * (2 + r) / (6 * r) * e->d / (e->d * e->d + t * t);
}

// (E - Q) / s^2 d with h > 0, all terms of one sign.
static double near_density(const face_edge *e, double h, double t)
{
    double r = distance_from_o(e, t), rim = (e->reach - t) * (e->reach + t) / (1 + r), depth = 1 - h;
    return e->d * (rim * (2 - rim) + depth * r * r + depth * (2 - depth) + rim * h * h) / (6 * r * (r + h));
}

static double integral(double (*density)(const face_edge *, double, double), const face_edge *e, double h, double a,
                       double b)
{
    if (a < 0 && b > 0)
        return integral(density, e, h, a, 0) + integral(density, e, h, 0, b);
    double middle = (a + b) / 2, half = (b - a) / 2, sum = 0;
    for (int k = 0; k < CD_GAUSS_HALF; k++)
        sum += cd_gauss_weight[k] *
               (density(e, h, middle - half * cd_gauss_node[k]) + density(e, h, middle + half * cd_gauss_node[k]));
    return half * sum;
}

// Adds the integral of Q dtheta over the part of an edge inside the ball, times `sign`.
static void add_chord(total *sum, const face_edge *e, double sign)
{
    pieces p = pieces_of(e);
    double a = p.in_begin, b = p.in_end, h = fabs(e->h);
    if (!(a < b))
        return;
    double disc_sq = (1 - h) * (1 + h), t = a < 0 && b > 0 ? 0 : fmin(fabs(a), fabs(b));
    double cap = (1 - h) * (1 - h) * (2 + h) / 6;
    if (e->d * e->d + t * t >= disc_sq / 4) {
        add(sum, sign * integral(far_density, e, h, a, b));
    } else if (h >= 0.5) {
        add(sum, sign * cap * turn(e, a, b));
        add(sum, -sign * integral(near_density, e, h, a, b));
    } else {
        face_edge in_front = *e;
        in_front.h = h;
        add(sum, -sign * h * (3 - h * h) / 6 * turn(e, a, b));
        add(sum, sign * chi(&in_front, a, b) / 3);
        add(sum, sign * h * e->d * (b - a) / 6);
    }
}

// ---- the polyhedron ------------------------------------------------------------------------------------------------

typedef struct face_view {
    cd_vec3 normal;  // unit, outward; zero: the face has no area
    double h;
    int32_t count;
    const int32_t *corner;
} face_view;

static face_view face_of(const cd_polyhedron *p, int32_t f)
{
    face_view face = {.count = p->face_first[f + 1] - p->face_first[f], .corner = p->face_vertex + p->face_first[f]};
    cd_vec3 first = p->vertex[face.corner[0]], sum = {0, 0, 0};
    for (int32_t k = 1; k + 1 < face.count; k++)
        sum = cd_add3(
            sum, cd_cross3(cd_sub3(p->vertex[face.corner[k]], first), cd_sub3(p->vertex[face.corner[k + 1]], first)));
    face.normal = cd_unit3(sum);
    for (int32_t k = 0; k < face.count; k++)
        face.h += cd_dot3(face.normal, p->vertex[face.corner[k]]) / face.count;
    return face;
}

static bool edge_of(const cd_polyhedron *p, const face_view *face, int32_t k, face_edge *e)
{
    cd_vec3 from = p->vertex[face->corner[k]], to = p->vertex[face->corner[k + 1 < face->count ? k + 1 : 0]];
    cd_vec3 along = cd_sub3(to, from);
    double length = cd_length3(along);
    if (!(length > 0))
        return false;
    along = cd_scale3(1 / length, along);
    e->h = face->h;
    e->d = -cd_dot3(from, cd_cross3(face->normal, along));
    e->rho_sq = e->h * e->h + e->d * e->d;
    e->begin = cd_dot3(from, along);
    e->end = e->begin + length;
    double disc_sq = (1 - fabs(e->h)) * (1 + fabs(e->h));
    e->reach = root_or_zero(disc_sq - e->d * e->d);
    return true;
}

static void add_lens_face(total *sum, const cd_polyhedron *p, const face_view *face)
{
    // A rounded winding number, so that a face beside F adds no rounding of it; at a corner it is an angle.
    double h = fabs(face->h), winding = 0, sign = copysign(1, face->h);
    for (int32_t k = 0; k < face->count; k++) {
        face_edge e;
        if (!edge_of(p, face, k, &e))
            continue;
        winding += turn(&e, e.begin, e.end);
        add_chord(sum, &e, sign);
    }
    double turns = nearbyint(winding / (2 * M_PI));
    if (fabs(winding - 2 * M_PI * turns) < 1e-6)
        winding = 2 * M_PI * turns;
    add(sum, -sign * (1 - h) * (1 - h) * (2 + h) / 6 * winding);
}

// All of it, about its first corner.
static total whole_volume(const cd_polyhedron *p)
{
    total sum = {0, 0};
    cd_vec3 apex = p->vertex[0];
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *corner = p->face_vertex + p->face_first[f];
        cd_vec3 first = cd_sub3(p->vertex[corner[0]], apex);
        for (int32_t k = 1; k + 1 < p->face_first[f + 1] - p->face_first[f]; k++)
            add(&sum, cd_dot3(first,
                              cd_cross3(cd_sub3(p->vertex[corner[k]], apex), cd_sub3(p->vertex[corner[k + 1]], apex))) /
                          6);
    }
    return sum;
}

// The area of the intersection is that of the faces inside the ball and of the part of the sphere, which is not more
// than the sphere, and seen from O at least `clear` outside lies on faces at an angle whose cosine is above `clear`.
cd_volume cd_volume_unit_ball(cd_polyhedron p, double corner_error)
{
    double farthest = 0, nearest_plane = INFINITY, area = 0;
    for (int32_t i = 0; i < p.vertex_count; i++)
        farthest = fmax(farthest, cd_length3(p.vertex[i]));
    total sum = {0, 0};
    for (int32_t f = 0; f < p.face_count; f++) {
        face_view face = face_of(&p, f);
        nearest_plane = fmin(nearest_plane, face.h);
        for (int32_t k = 0; k < face.count; k++) {
            face_edge e;
            if (edge_of(&p, &face, k, &e))
                add_edge(&sum, &area, &e);
        }
    }
    area = fmax(area, 0);
    bool is_clear = nearest_plane <= -clear;
    double surface = area + fmin(4 * M_PI, is_clear ? area / clear : 4 * M_PI);
    if (farthest <= 1) {
        sum = whole_volume(&p);
    } else if (is_clear && sum.value < small_volume) {
        sum = (total){0, 0};
        for (int32_t f = 0; f < p.face_count; f++) {
            face_view face = face_of(&p, f);
            if (fabs(face.h) < 1)
                add_lens_face(&sum, &p, &face);
        }
    }
    double moved = corner_error + 6 * (DBL_EPSILON / 2) * (1 + farthest);
    return (cd_volume){fmax(sum.value, 0), rounding * sum.size + moved * surface};
}

// ---- balls and ellipsoids ------------------------------------------------------------------------------------------

cd_volume cd_volume_convex_ball(const cd_convex3 *a, cd_ball b, cd_arena *scratch)
{
    cd_mat3 axes = cd_mat3_identity();
    cd_ellipsoid ellipsoid = {b.centre, {b.radius, b.radius, b.radius}, &axes};
    return cd_volume_convex_ellipsoid(a, &ellipsoid, scratch);
}

// By the affine map that makes the ellipsoid the unit ball.
cd_volume cd_volume_convex_ellipsoid(const cd_convex3 *a, const cd_ellipsoid *b, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, a->vertex_count), s = b->semiaxes;
    double farthest = 0;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        cd_vec3 from_centre = cd_sub3(cd_convex3_vertex(a, i), b->centre);
        cd_vec3 along = cd_mat3_apply_back(b->axes, from_centre);
        corner[i] = (cd_vec3){along.x / s.x, along.y / s.y, along.z / s.z};
        farthest = fmax(farthest, cd_length3(from_centre));
    }
    cd_polyhedron p = {a->vertex_count, a->face_count, corner, a->face_first, a->face_vertex};
    double error = 8 * (DBL_EPSILON / 2) * farthest / fmin(s.x, fmin(s.y, s.z));
    cd_volume unit = cd_volume_unit_ball(p, error);
    cd_arena_rewind(scratch, mark);
    double scale = s.x * s.y * s.z;
    return (cd_volume){unit.value * scale, unit.error * scale};
}

// A cap of the height `depth` of a ball, which may be none or all of it, its plane wrong by `moved`.
static cd_volume cap(double radius, double depth, double moved)
{
    double h = fmin(fmax(depth, 0), 2 * radius), volume = M_PI * h * h * (3 * radius - h) / 3;
    double disc = M_PI * h * (2 * radius - h);
    return (cd_volume){volume, 8 * (DBL_EPSILON / 2) * volume + (disc + M_PI * moved * radius) * moved};
}

cd_volume cd_volume_ball_halfspace(cd_ball a, cd_halfspace b)
{
    double height = cd_dot3(b.normal, a.centre), size = fabs(b.offset) + cd_length3(a.centre) + a.radius;
    return cap(a.radius, (b.offset - height) + a.radius, 8 * (DBL_EPSILON / 2) * size);
}

cd_volume cd_volume_ellipsoid_halfspace(const cd_ellipsoid *a, cd_halfspace b)
{
    cd_vec3 s = a->semiaxes, along = cd_mat3_apply_back(a->axes, b.normal);
    double extent = cd_length3((cd_vec3){s.x * along.x, s.y * along.y, s.z * along.z}), scale = s.x * s.y * s.z;
    double height = cd_dot3(b.normal, a->centre), longest = fmax(s.x, fmax(s.y, s.z));
    double size = fabs(b.offset) + cd_length3(a->centre) + longest;
    cd_volume unit = cap(1, (b.offset - height) / extent + 1, 8 * (DBL_EPSILON / 2) * size / extent);
    return (cd_volume){unit.value * scale, unit.error * scale};
}

// Two caps on the plane of the circle in which the spheres meet; the heights are (r_b - r_a + d) (r_a + r_b - d) / 2d
// and the same with a and b exchanged.
cd_volume cd_volume_ball_ball(cd_ball a, cd_ball b)
{
    double d = cd_length3(cd_sub3(b.centre, a.centre)), depth = (a.radius + b.radius) - d;
    double least = fmin(a.radius, b.radius), moved = 8 * (DBL_EPSILON / 2) * (a.radius + b.radius + d);
    if (d <= fabs(a.radius - b.radius)) {
        double volume = 4 * M_PI / 3 * least * least * least;
        return (cd_volume){volume, 8 * (DBL_EPSILON / 2) * volume + (M_PI * moved * least) * moved};
    }
    if (!(depth > 0))
        return (cd_volume){0, M_PI * least * moved * moved};
    double high_a = (b.radius - a.radius + d) * depth / (2 * d), high_b = (a.radius - b.radius + d) * depth / (2 * d);
    cd_volume on_a = cap(a.radius, high_a, 0), on_b = cap(b.radius, high_b, 0);
    double disc = M_PI * fmin(least * least, high_a * fmax(2 * a.radius - high_a, 0));
    return (cd_volume){on_a.value + on_b.value, on_a.error + on_b.error + (disc + M_PI * least * moved) * moved};
}
