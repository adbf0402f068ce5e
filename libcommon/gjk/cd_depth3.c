// Penetration depth by the faces of the difference of two polyhedra that can be the best.
// SPDX-License-Identifier: MIT
#include "cd_depth3.h"

#include "cd_assert.h"
#include "cd_gjk.h"

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] cosine from an edge's normal plane to which a face normal counts as being both in front and behind. Normals of
// faces a millionth as wide as long are wrong by 1e-10. Smaller: arcs that cross are missed, and the depth is too
// large. Larger: slower.
#define NORMAL_OFF_ARC 1e-7
// [1] squared sine of the angle of two edges below which they span no plane: the faces beside them are as good then, to
// this angle's part of the scale. Larger: depths along edges nearly parallel are missed.
#define EDGES_PARALLEL_SINE_SQ 1e-30
// [1] squared sine below which a plain cross product is too rough to leave directions out by it. Smaller: the best
// direction may be left out by its rounding. Larger: slower.
#define CROSS_ROUGH_SINE_SQ 1e-10
// [1] of the scale: a later direction must be better by this, so that faces win over edges and equal ones do not hang
// on rounding. Larger: a depth too large by as much.
#define EQUAL_SEPARATION 2e-15
// [1] of the scale: what a direction's separation may be wrong by before it is refined. Smaller: the best may be left
// out. Larger: slower.
#define SEPARATION_UNREFINED 1e-9
// [1] of the scale: what the separation by a face's own normal may be wrong by; such a normal is wrong by 2^-53 over
// the width of the face. Smaller: the best face may be left out. Larger: slower.
#define FACE_SEPARATION_ROUGH 1e-6
// [1] of the scale: vertices this far from the support plane are in it. Smaller: a face that touches has the feature of
// one of its vertices. Larger: neighbours of a feature count as part of it.
#define VERTEX_IN_PLANE 1e-12

// ---- bodies --------------------------------------------------------------------------------------------------------

typedef struct operand {
    const cd_convex3 *convex;
    int32_t edge_count;
    const cd_edge3 *edge;
    bool is_flat;  // a point, segment or triangle: its edges' arcs are half or whole circles
    // Columns by face, padded to whole lanes with zeros: normals, as good as the body has them, and the faces' planes.
    double *nx, *ny, *nz;
    double *offset;   // [m] >= 0 normal . (x - centre of the body) on the plane
    double inner;     // [m] >= 0 radius of a ball about the centre in the body
    double *along;    // scratch of the search
    int64_t *halves;  // the same
    int32_t near_count;
    int32_t *near;       // [near_count] edges that may touch the other body once it is moved by the depth
    cd_vec3 *direction;  // [near_count] unit, of these
    int32_t *list;       // [edge_count + 1] scratch: places in `near`
    cd_gjk_side side;
} operand;

static const int32_t triangle_first[3] = {0, 3, 6};
static const int32_t triangle_corner[6] = {0, 1, 2, 0, 2, 1};
static const cd_edge3 triangle_edge[3] = {{{0, 1}, {0, 1}}, {{0, 2}, {1, 0}}, {{1, 2}, {0, 1}}};
static const cd_edge3 segment_edge[1] = {{{0, 1}, {-1, -1}}};

// Columns of up to CD_CONVEX3_LANES points per row, padded, with bounds, centre and radius.
static cd_convex3 *convex_of_points(const cd_vec3 *point, int32_t count, cd_arena *arena)
{
    int32_t padded = cd_convex3_padded(count);
    cd_convex3 *c = CD_ARENA_ZARRAY(arena, cd_convex3, 1);
    double *x = CD_ARENA_ARRAY(arena, double, 3 * padded), *y = x + padded, *z = y + padded;
    cd_vec3 sum = {0, 0, 0};
    c->low = c->high = point[0];
    for (int32_t i = 0; i < padded; i++) {
        cd_vec3 p = point[i < count ? i : 0];
        x[i] = p.x;
        y[i] = p.y;
        z[i] = p.z;
        c->low = (cd_vec3){fmin(c->low.x, p.x), fmin(c->low.y, p.y), fmin(c->low.z, p.z)};
        c->high = (cd_vec3){fmax(c->high.x, p.x), fmax(c->high.y, p.y), fmax(c->high.z, p.z)};
        if (i < count)
            sum = cd_add3(sum, cd_sub3(p, point[0]));
    }
    c->vertex_count = count;
    c->x = x;
    c->y = y;
    c->z = z;
    c->centre = cd_add3(point[0], cd_scale3(1.0 / count, sum));
    for (int32_t i = 0; i < count; i++)
        c->radius = fmax(c->radius, cd_length3(cd_sub3(point[i], c->centre)));
    return c;
}

static const cd_convex3 *core_of(const cd_support3 *s, cd_arena *arena)
{
    if (s->kind == CD_SUPPORT3_CONVEX)
        return s->convex;
    int32_t count = s->kind == CD_SUPPORT3_POINT ? 1 : s->kind == CD_SUPPORT3_SEGMENT ? 2 : 3;
    cd_convex3 *c = convex_of_points(s->point, count, arena);
    if (count < 3)
        return c;
    cd_vec3 n = cd_unit3(cd_cross3(cd_sub3(s->point[1], s->point[0]), cd_sub3(s->point[2], s->point[0])));
    cd_plane *plane = CD_ARENA_ARRAY(arena, cd_plane, 2);
    plane[0] = (cd_plane){n, cd_dot3(n, s->point[0])};
    plane[1] = (cd_plane){cd_negate3(n), -plane[0].offset};
    c->face_count = 2;
    c->plane = plane;
    c->face_first = triangle_first;
    c->face_vertex = triangle_corner;
    return c;
}

// The unit normal to two unit vectors; zero where they are parallel. Of nearly parallel ones the difference (the sum,
// when they are opposed) is exact, and its cross product with e is theirs. That cross product is wrong by 2^-53 over
// the sine of the angle in directions that matter: towards e and towards the difference. These parts are taken off:
// what is left of n.e and n.g is rounding of 1 and of the sine, and bodies far longer than wide get depths that are no
// worse for it.
static cd_vec3 normal_to(cd_vec3 e, cd_vec3 g)
{
    // With e x g = e x (g - e) = e x (g + e); the shorter one.
    cd_vec3 across = cd_dot3(e, g) < 0 ? cd_add3(g, e) : cd_sub3(g, e);
    across = cd_sub3(across, cd_scale3(cd_dot3(across, e), e));
    double sine_sq = cd_dot3(across, across);
    if (sine_sq <= EDGES_PARALLEL_SINE_SQ)
        return (cd_vec3){0, 0, 0};
    across = cd_scale3(1 / sqrt(sine_sq), across);
    across = cd_unit3(cd_sub3(across, cd_scale3(cd_dot3(across, e), e)));
    cd_vec3 n = cd_unit3(cd_cross3(e, across));
    n = cd_sub3(n, cd_scale3(cd_dot3(n, e), e));
    return cd_unit3(cd_sub3(n, cd_scale3(cd_dot3(n, across), across)));
}

// The normal of a face from the two edges meeting in a corner that have the largest angle. (A placed body's own normals
// carry the rounding of the corners they were made from: in a needle of aspect 1e6 that is 1e-10.)
static cd_vec3 face_normal(const cd_convex3 *c, int32_t face)
{
    int32_t first = c->face_first[face], end = c->face_first[face + 1];
    cd_vec3 last = cd_convex3_vertex(c, c->face_vertex[end - 1]), at = cd_convex3_vertex(c, c->face_vertex[first]);
    cd_vec3 e = cd_unit3(cd_sub3(at, last)), best_e = e, best_g = e;
    double most = 0;
    for (int32_t k = first; k < end; k++) {
        cd_vec3 next = cd_convex3_vertex(c, c->face_vertex[k + 1 < end ? k + 1 : first]);
        cd_vec3 g = cd_unit3(cd_sub3(next, at)), n = cd_cross3(e, g);
        double sine_sq = cd_dot3(n, n);
        if (sine_sq > most) {
            most = sine_sq;
            best_e = e;
            best_g = g;
        }
        e = g;
        at = next;
    }
    cd_vec3 n = normal_to(best_e, best_g);
    return cd_dot3(n, n) > 0 ? n : cd_convex3_normal(c, face);
}

static operand operand_of(const cd_support3 *s, const cd_edges3 *edges, cd_arena *arena)
{
    const cd_convex3 *c = core_of(s, arena);
    operand made = {.convex = c, .is_flat = s->kind != CD_SUPPORT3_CONVEX, .inner = INFINITY};
    // Edges.
    if (s->kind == CD_SUPPORT3_CONVEX) {
        cd_edges3 own =
            edges ? *edges : cd_edges3_make(arena, c->vertex_count, c->face_count, c->face_first, c->face_vertex);
        made.edge = own.edge;
        made.edge_count = own.count;
    } else {
        made.edge = s->kind == CD_SUPPORT3_TRIANGLE ? triangle_edge : segment_edge;
        made.edge_count = s->kind == CD_SUPPORT3_TRIANGLE ? 3 : s->kind == CD_SUPPORT3_SEGMENT ? 1 : 0;
    }
    // Room for what a query works out.
    made.direction = CD_ARENA_ARRAY(arena, cd_vec3, made.edge_count);
    made.near = CD_ARENA_ARRAY(arena, int32_t, made.edge_count + 1);
    int32_t padded = cd_convex3_padded(c->face_count);
    made.nx = CD_ARENA_ARRAY(arena, double, 5 * (size_t)padded);
    made.ny = made.nx + padded;
    made.nz = made.ny + padded;
    made.offset = made.nz + padded;
    made.along = made.offset + padded;
    made.halves = CD_ARENA_ARRAY(arena, int64_t, padded);
    made.list = CD_ARENA_ARRAY(arena, int32_t, made.edge_count + 1);
    // Planes about the centre, and the ball about it that they leave inside.
    for (int32_t f = 0; f < padded; f++) {
        cd_vec3 n = {0, 0, 0}, p = c->centre;
        if (f < c->face_count) {
            n = cd_convex3_normal(c, f);
            p = cd_convex3_vertex(c, c->face_vertex[c->face_first[f]]);
        }
        made.nx[f] = n.x;
        made.ny[f] = n.y;
        made.nz[f] = n.z;
        made.offset[f] = cd_dot3(n, cd_sub3(p, c->centre));
        if (cd_dot3(n, n) > 0.5)
            made.inner = made.offset[f] < made.inner ? made.offset[f] : made.inner;
    }
    made.inner = made.inner < INFINITY && made.inner > 0 ? made.inner : 0;
    made.side = (cd_gjk_side){.x = c->x, .y = c->y, .z = c->z, .count = c->vertex_count, .centre = c->centre};
    return made;
}

// ---- the search ----------------------------------------------------------------------------------------------------

typedef struct search {
    operand a, b;
    double scale, tie;
    bool may_be_apart;  // then nothing is left out
    cd_vector_level level;
    double best;     // [m] the largest separation so far
    cd_vec3 normal;  // from a to b
    cd_depth3_kind kind;
    int32_t index_a, index_b;  // the face, or the edges
} search;

static cd_vec3 normal_of(const operand *s, int32_t face) { return (cd_vec3){s->nx[face], s->ny[face], s->nz[face]}; }

// The separation along n, n.(b - a) of the vertices nearest to each other along it.
static double separation(const search *s, cd_vec3 n)
{
    int32_t i = cd_gjk_support_at(&s->a.side, n, s->level), j = cd_gjk_support_at(&s->b.side, cd_negate3(n), s->level);
    return cd_dot3(n, cd_sub3(cd_convex3_vertex(s->b.convex, j), cd_convex3_vertex(s->a.convex, i)));
}

static void try_normal(search *s, cd_vec3 n, cd_depth3_kind kind, int32_t index_a, int32_t index_b)
{
    double value = separation(s, n);
    if (value > s->best + s->tie || s->kind == CD_DEPTH3_NONE) {
        s->best = value;
        s->normal = n;
        s->kind = kind;
        s->index_a = index_a;
        s->index_b = index_b;
    }
}

// At most what a direction n of the surface of `of` at p separates: some vertex of the other body is as low as the
// ball in it. w = centre of the other body - p.
static double most_separation(const operand *other, double n_dot_w) { return n_dot_w - other->inner; }

static double face_separation(const search *s, const operand *own, const operand *other, int32_t face)
{
    cd_vec3 n = normal_of(own, face);
    int32_t lowest = cd_gjk_support_at(&other->side, cd_negate3(n), s->level);
    return cd_dot3(n, cd_sub3(cd_convex3_vertex(other->convex, lowest), own->convex->centre)) - own->offset[face];
}

// Lists the faces of a body whose separation by its own normal may be as large as *most, which grows, and what that is;
// none without area: these have no normal, and bound nothing that their neighbours do not. How many.
static int32_t list_faces(const search *s, const operand *own, const operand *other, double *most, int32_t *face,
                          double *value)
{
    cd_vec3 between = cd_sub3(other->convex->centre, own->convex->centre);
    int32_t count = own->convex->face_count, first = 0, listed = 0;
    for (int32_t f = 0; f < count; f++) {
        cd_vec3 n = normal_of(own, f);
        value[f] = cd_dot3(n, n) > 0.5 ? most_separation(other, cd_dot3(n, between) - own->offset[f]) : -INFINITY;
        first = value[f] > value[first] ? f : first;
    }
    if (count == 0 || !(value[first] > -INFINITY))
        return 0;
    double promising = face_separation(s, own, other, first);
    *most = cd_gjk_larger(*most, promising);
    for (int32_t f = 0; f < count; f++) {
        face[listed] = f;
        listed += value[f] >= *most - FACE_SEPARATION_ROUGH * s->scale;
    }
    for (int32_t k = 0; k < listed; k++) {
        value[k] = face_separation(s, own, other, face[k]);
        *most = cd_gjk_larger(*most, value[k]);
    }
    return listed;
}

// All faces that can be the best, by normals from the placed corners.
static void try_faces(search *s, cd_arena *scratch)
{
    double most = -INFINITY, *value[2];
    int32_t *face[2], listed[2];
    for (int k = 0; k < 2; k++) {
        const operand *own = k ? &s->b : &s->a, *other = k ? &s->a : &s->b;
        face[k] = CD_ARENA_ARRAY(scratch, int32_t, own->convex->face_count + 1);
        value[k] = CD_ARENA_ARRAY(scratch, double, own->convex->face_count);
        listed[k] = list_faces(s, own, other, &most, face[k], value[k]);
    }
    double limit = most - FACE_SEPARATION_ROUGH * s->scale;
    for (int32_t i = 0; i < listed[0]; i++)
        if (value[0][i] >= limit)
            try_normal(s, face_normal(s->a.convex, face[0][i]), CD_DEPTH3_FACE_A, face[0][i], -1);
    for (int32_t i = 0; i < listed[1]; i++)
        if (value[1][i] >= limit)
            try_normal(s, cd_negate3(face_normal(s->b.convex, face[1][i])), CD_DEPTH3_FACE_B, -1, face[1][i]);
}

// ---- pairs of edges ------------------------------------------------------------------------------------------------
//
// Along the best direction bodies that meet are parted by moving one of them by the depth, and that is no more than
// what the best face says; two edges whose arcs cross there then touch. So both edges are within that of the other
// body's bounds; and somewhere on an edge's arc the other body may be separated by as much as by the best face.

// A bit for each face of the box low .. high that a point is farther outside of than the reach: an edge whose ends
// share one misses the box (Cohen & Sutherland). Differences: far from the origin sums would round.
CD_VECTOR_CLONES static void find_outside(const cd_convex3 *c, cd_vec3 low, cd_vec3 high, double reach,
                                          int64_t *outside)
{
    enum { LANES = CD_CONVEX3_LANES };
    for (int32_t i = 0; i < c->vertex_count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double x = c->x[i + k], y = c->y[i + k], z = c->z[i + k];
            int64_t across = (low.x - x > reach ? 1 : 0) | (x - high.x > reach ? 2 : 0);
            int64_t along = (low.y - y > reach ? 4 : 0) | (y - high.y > reach ? 8 : 0);
            outside[i + k] = across | along | (low.z - z > reach ? 16 : 0) | (z - high.z > reach ? 32 : 0);
        }
}

// The most that any normal on the arc of an edge separates: that is largest at the point of the arc's great circle
// below w, or, where that is not on the arc, at an end of it.
static double most_of_arc(const operand *own, const operand *other, const cd_edge3 *edge, cd_vec3 e)
{
    cd_vec3 w = cd_sub3(other->convex->centre, cd_convex3_vertex(own->convex, edge->vertex[0]));
    cd_vec3 left = normal_of(own, edge->face[0]), right = normal_of(own, edge->face[1]);
    double slack = NORMAL_OFF_ARC * cd_length3(w), along = cd_dot3(e, w);
    bool is_on_arc = cd_dot3(cd_cross3(left, w), e) >= -slack && cd_dot3(cd_cross3(w, right), e) >= -slack;
    double most = is_on_arc ? sqrt(cd_gjk_larger(cd_dot3(w, w) - along * along, 0))
                            : cd_gjk_larger(cd_dot3(left, w), cd_dot3(right, w));
    return most_separation(other, most + slack);
}

static void list_near(operand *own, const operand *other, double reach, cd_arena *scratch)
{
    const cd_convex3 *c = own->convex;
    int64_t *outside = CD_ARENA_ARRAY(scratch, int64_t, cd_convex3_padded(c->vertex_count));
    find_outside(c, other->convex->low, other->convex->high, reach, outside);
    int32_t count = 0;
    for (int32_t i = 0; i < own->edge_count; i++) {
        const int32_t *vertex = own->edge[i].vertex;
        own->near[count] = i;
        count += (outside[vertex[0]] & outside[vertex[1]]) == 0;
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t *vertex = own->edge[own->near[k]].vertex;
        own->direction[k] = cd_unit3(cd_sub3(cd_convex3_vertex(c, vertex[1]), cd_convex3_vertex(c, vertex[0])));
    }
    own->near_count = count;
}

// Drops the edges whose arcs separate by less.
static void drop_low_arcs(operand *own, const operand *other, double least)
{
    int32_t count = 0;
    for (int32_t k = 0; k < own->near_count; k++) {
        int32_t edge = own->near[k];
        cd_vec3 e = own->direction[k];
        own->near[count] = edge;
        own->direction[count] = e;
        count += !(most_of_arc(own, other, &own->edge[edge], e) < least);
    }
    own->near_count = count;
}

enum { FRONT = 1, BACK = 2 };  // of the plane through the sphere's centre normal to an edge; within the tolerance: both

// along[f] = normal f . e, and in front of or behind that plane.
CD_VECTOR_CLONES static void project_normals(const double *restrict nx, const double *restrict ny,
                                             const double *restrict nz, int32_t count, cd_vec3 e,
                                             double *restrict along, int64_t *restrict halves)
{
    enum { LANES = CD_CONVEX3_LANES };
    for (int32_t f = 0; f < count; f += LANES)
        for (int k = 0; k < LANES; k++) {
            double h = nx[f + k] * e.x + ny[f + k] * e.y + nz[f + k] * e.z;
            along[f + k] = h;
            halves[f + k] = (h >= -NORMAL_OFF_ARC ? FRONT : 0) | (h <= NORMAL_OFF_ARC ? BACK : 0);
        }
}

// The edges whose arcs reach through that plane, without a branch: which ones do is not to be foreseen.
static int32_t list_crossing(const operand *own, int32_t *list)
{
    int32_t count = 0;
    for (int32_t k = 0; k < own->near_count; k++) {
        const int32_t *face = own->edge[own->near[k]].face;
        list[count] = k;
        count += (own->halves[face[0]] | own->halves[face[1]]) == (FRONT | BACK);
    }
    return count;
}

// Do the arcs of normals of edge i of a and of edge j of b, turned round, cross? With n0, n1 the normals left and right
// of a's edge e (n0 x n1 is along e), m0, m1 those beside b's edge g: when m0.e and m1.e differ in sign, n0.g and n1.g
// differ in sign, and n0.g has the sign of m0.e, so that the crossing is in the same half of the sphere (Gregorius
// 2013).
static bool arcs_cross(double m0, double m1, double n0, double n1)
{
    const double t = NORMAL_OFF_ARC;
    return (m0 >= -t && m1 <= t && n0 >= -t && n1 <= t) || (m0 <= t && m1 >= -t && n0 <= t && n1 >= -t);
}

// What the edges are apart along n is never less than the bodies are: asked before n is made as good as it can be.
static bool is_worth_it(const search *s, double square, double between)
{
    double limit = s->best - SEPARATION_UNREFINED * s->scale;  // between / sqrt(square) > limit ?
    return limit < 0 ? between > 0 || between * between < limit * limit * square
                     : between > 0 && between * between > limit * limit * square;
}

// By their places in `near`.
static void try_edge_pair(search *s, int32_t of_a, int32_t of_b)
{
    int32_t i = s->a.near[of_a], j = s->b.near[of_b];
    const cd_edge3 *edge_a = &s->a.edge[i], *edge_b = &s->b.edge[j];
    cd_vec3 n = cd_cross3(s->a.direction[of_a], s->b.direction[of_b]);
    // nearly parallel edges: even the sign of what follows may hang on it
    bool is_rough = cd_dot3(n, n) < CROSS_ROUGH_SINE_SQ;
    if (is_rough)
        n = normal_to(s->a.direction[of_a], s->b.direction[of_b]);
    cd_vec3 p = cd_convex3_vertex(s->a.convex, edge_a->vertex[0]);
    cd_vec3 q = cd_convex3_vertex(s->b.convex, edge_b->vertex[0]);
    double square = cd_dot3(n, n), between = cd_dot3(n, cd_sub3(q, p)), outward = 0;
    if (!s->a.is_flat)
        outward = cd_dot3(n, cd_add3(normal_of(&s->a, edge_a->face[0]), normal_of(&s->a, edge_a->face[1])));
    bool is_open = outward * outward <= NORMAL_OFF_ARC * NORMAL_OFF_ARC * square;
    bool is_forward = (outward > 0 || is_open) && (is_rough || is_worth_it(s, square, between));
    bool is_backward = (outward < 0 || is_open) && (is_rough || is_worth_it(s, square, -between));
    if (!(square > 0) || (!is_forward && !is_backward))
        return;
    if (!is_rough)
        n = normal_to(s->a.direction[of_a], s->b.direction[of_b]);
    if (is_forward)
        try_normal(s, n, CD_DEPTH3_EDGES, i, j);
    if (is_backward)
        try_normal(s, cd_negate3(n), CD_DEPTH3_EDGES, i, j);
}

// Row by row: b's arcs that cross the great circle of a's arc are few, about the root of all for round bodies; only
// these are asked for the other half of the test.
enum { MANY_PAIRS = 300 };  // of edges; with fewer it costs more to drop some than to try them

static void try_edges(search *s, cd_arena *scratch)
{
    operand *a = &s->a, *b = &s->b;
    double least = s->best < 0 && !s->may_be_apart ? s->best - SEPARATION_UNREFINED * s->scale : -INFINITY;
    list_near(a, b, -least, scratch);
    list_near(b, a, -least, scratch);
    if (!a->is_flat && !b->is_flat && a->near_count * (int64_t)b->near_count > MANY_PAIRS) {
        drop_low_arcs(a, b, least - FACE_SEPARATION_ROUGH * s->scale);
        drop_low_arcs(b, a, least - FACE_SEPARATION_ROUGH * s->scale);
    }
    for (int32_t i = 0; i < a->near_count; i++) {
        int32_t count = b->near_count;
        if (!b->is_flat) {
            project_normals(b->nx, b->ny, b->nz, b->convex->face_count, a->direction[i], b->along, b->halves);
            count = list_crossing(b, b->list);
        }
        bool is_arc = !a->is_flat && !b->is_flat;
        const int32_t *beside = a->edge[a->near[i]].face;
        cd_vec3 left = is_arc ? normal_of(a, beside[0]) : (cd_vec3){0, 0, 0};
        cd_vec3 right = is_arc ? normal_of(a, beside[1]) : left;
        for (int32_t k = 0; k < count; k++) {
            int32_t j = b->is_flat ? k : b->list[k];
            const int32_t *face = b->edge[b->near[j]].face;
            if (is_arc && !arcs_cross(b->along[face[0]], b->along[face[1]], cd_dot3(left, b->direction[j]),
                                      cd_dot3(right, b->direction[j])))
                continue;
            try_edge_pair(s, i, j);
        }
    }
}

// Points and segments on one line have no face between them.
static void try_any_normal(search *s)
{
    const operand *line = s->a.near_count > 0 ? &s->a : &s->b;
    cd_vec3 e = line->near_count > 0 ? line->direction[0] : (cd_vec3){0, 0, 1};
    cd_vec3 axis = fabs(e.x) <= fabs(e.y) && fabs(e.x) <= fabs(e.z) ? (cd_vec3){1, 0, 0}
                   : fabs(e.y) <= fabs(e.z)                         ? (cd_vec3){0, 1, 0}
                                                                    : (cd_vec3){0, 0, 1};
    s->normal = cd_unit3(cd_cross3(axis, cd_length3(e) > 0 ? e : (cd_vec3){0, 0, 1}));
    s->best = separation(s, s->normal);
}

// ---- where they touch ----------------------------------------------------------------------------------------------

// The vertices of a body in its support plane along n: at least one, the first where the plane is beyond doubles.
static int32_t vertices_in_plane(const operand *own, cd_vec3 n, double tolerance, int32_t *vertex)
{
    const cd_convex3 *c = own->convex;
    double most = -INFINITY;
    for (int32_t i = 0; i < c->vertex_count; i++)
        most = fmax(most, cd_dot3(n, cd_sub3(cd_convex3_vertex(c, i), c->centre)));
    int32_t count = 0;
    for (int32_t i = 0; i < c->vertex_count; i++)
        if (cd_dot3(n, cd_sub3(cd_convex3_vertex(c, i), c->centre)) >= most - tolerance)
            vertex[count++] = i;
    if (count == 0)
        vertex[count++] = 0;
    return count;
}

static cd_feature3 face_feature(int32_t face) { return (cd_feature3){CD_FEATURE3_FACE, face, {-1, -1}}; }

static cd_feature3 edge_feature(const cd_edge3 *edge)
{
    return (cd_feature3){CD_FEATURE3_EDGE, -1, {edge->vertex[0], edge->vertex[1]}};
}

// Of the vertices in the support plane: what they are of the body; where a planar face is split into several, the first
// of these; a single vertex when rounding lets them be nothing.
static cd_feature3 feature_in_plane(const cd_convex3 *c, const int32_t *vertex, int32_t count)
{
    cd_feature3 feature =
        count <= 4 ? cd_convex3_feature(c, NULL, vertex, count) : (cd_feature3){CD_FEATURE3_NONE, -1, {-1, -1}};
    for (int32_t f = 0; f < c->face_count && feature.kind == CD_FEATURE3_NONE; f++) {
        int32_t found = 0, corners = c->face_first[f + 1] - c->face_first[f];
        for (int32_t k = c->face_first[f]; k < c->face_first[f + 1]; k++)
            for (int32_t i = 0; i < count; i++)
                found += vertex[i] == c->face_vertex[k];
        if (found == corners)
            feature = face_feature(f);
    }
    if (feature.kind == CD_FEATURE3_NONE)
        feature = (cd_feature3){CD_FEATURE3_VERTEX, vertex[0], {-1, -1}};
    return feature;
}

static const cd_convex3 *part_of(const operand *own, const int32_t *vertex, int32_t count, cd_vec3 shift,
                                 cd_arena *arena)
{
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, count);
    for (int32_t i = 0; i < count; i++)
        point[i] = cd_add3(cd_sub3(cd_convex3_vertex(own->convex, vertex[i]), own->convex->centre), shift);
    return convex_of_points(point, count, arena);
}

// The edge, and the list its ends alone, where the list has both. (Between two faces of one planar face an edge's arc
// is a point that others' arcs may pass nearby; the edge itself may be elsewhere.) Else NULL.
static const cd_edge3 *edge_in_plane(const cd_edge3 *edge, int32_t *vertex, int32_t *count)
{
    int found = 0;
    for (int32_t i = 0; i < *count; i++)
        found += vertex[i] == edge->vertex[0] || vertex[i] == edge->vertex[1];
    if (found < 2)
        return NULL;
    memcpy(vertex, edge->vertex, sizeof edge->vertex);
    *count = 2;
    return edge;
}

// The parts of a and b in their support planes, b's moved by the depth, lie in one plane and have a point in common.
static void find_touching(const search *s, cd_depth3 *d, cd_arena *arena)
{
    int32_t *in_a = CD_ARENA_ARRAY(arena, int32_t, s->a.convex->vertex_count);
    int32_t *in_b = CD_ARENA_ARRAY(arena, int32_t, s->b.convex->vertex_count);
    int32_t count_a = vertices_in_plane(&s->a, d->normal, VERTEX_IN_PLANE * s->scale, in_a);
    int32_t count_b = vertices_in_plane(&s->b, cd_negate3(d->normal), VERTEX_IN_PLANE * s->scale, in_b);
    bool by_edges = s->kind == CD_DEPTH3_EDGES;
    const cd_edge3 *edge_a = by_edges ? edge_in_plane(&s->a.edge[s->index_a], in_a, &count_a) : NULL;
    const cd_edge3 *edge_b = by_edges ? edge_in_plane(&s->b.edge[s->index_b], in_b, &count_b) : NULL;
    d->feature_a = s->kind == CD_DEPTH3_FACE_A ? face_feature(s->index_a)
                   : edge_a                    ? edge_feature(edge_a)
                                               : feature_in_plane(s->a.convex, in_a, count_a);
    d->feature_b = s->kind == CD_DEPTH3_FACE_B ? face_feature(s->index_b)
                   : edge_b                    ? edge_feature(edge_b)
                                               : feature_in_plane(s->b.convex, in_b, count_b);
    cd_vec3 back = cd_scale3(-s->best, d->normal), from_a = cd_sub3(s->b.convex->centre, s->a.convex->centre);
    const cd_convex3 *part_a = part_of(&s->a, in_a, count_a, (cd_vec3){0, 0, 0}, arena);
    const cd_convex3 *part_b = part_of(&s->b, in_b, count_b, cd_add3(from_a, back), arena);
    cd_distance3 touching =
        cd_distance3_compute_at(cd_support3_convex(part_a), cd_support3_convex(part_b), NULL, s->level);
    // Half of what rounding leaves between them goes to each of them.
    cd_vec3 common = cd_lerp3(touching.point_a, touching.point_b, 0.5);
    d->point_a = cd_add3(s->a.convex->centre, common);
    d->point_b = cd_sub3(d->point_a, back);
}

// ---- results -------------------------------------------------------------------------------------------------------

static cd_depth3 depth_in_order(const operand *a, const operand *b, bool may_be_apart, cd_arena *scratch)
{
    search s = {.a = *a,
                .b = *b,
                .may_be_apart = may_be_apart,
                .best = -INFINITY,
                .kind = CD_DEPTH3_NONE,
                .level = cd_vector_detect(CD_VECTOR_AVX512)};
    double apart = cd_length3(cd_sub3(a->convex->centre, b->convex->centre));
    s.scale = fmax(apart, 2 * fmax(a->convex->radius, b->convex->radius));
    s.tie = EQUAL_SEPARATION * s.scale;
    try_faces(&s, scratch);
    try_edges(&s, scratch);
    if (s.kind == CD_DEPTH3_NONE)
        try_any_normal(&s);
    cd_depth3 d = {.depth = s.best < 0 ? -s.best : 0, .separation = s.best, .normal = s.normal, .kind = s.kind};
    find_touching(&s, &d, scratch);
    return d;
}

static cd_depth3 flip(cd_depth3 d)
{
    cd_depth3 flipped = d;
    flipped.normal = cd_negate3(d.normal);
    flipped.point_a = d.point_b;
    flipped.point_b = d.point_a;
    flipped.feature_a = d.feature_b;
    flipped.feature_b = d.feature_a;
    flipped.kind = d.kind == CD_DEPTH3_FACE_A   ? CD_DEPTH3_FACE_B
                   : d.kind == CD_DEPTH3_FACE_B ? CD_DEPTH3_FACE_A
                                                : d.kind;
    return flipped;
}

static cd_depth3 depth_of(const cd_support3 *a, const cd_edges3 *edges_a, const cd_support3 *b,
                          const cd_edges3 *edges_b, bool may_be_apart, cd_arena *scratch)
{
    CD_ASSERT(a->kind != CD_SUPPORT3_ELLIPSOID && b->kind != CD_SUPPORT3_ELLIPSOID);
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    operand of_a = operand_of(a, edges_a, scratch), of_b = operand_of(b, edges_b, scratch);
    cd_depth3 d = cd_convex3_in_order(of_a.convex, of_b.convex)
                      ? depth_in_order(&of_a, &of_b, may_be_apart, scratch)
                      : flip(depth_in_order(&of_b, &of_a, may_be_apart, scratch));
    cd_arena_rewind(scratch, mark);
    double margin = a->margin + b->margin;
    if (margin > 0) {
        d.separation -= margin;
        d.depth = d.separation < 0 ? -d.separation : 0;
        d.point_a = cd_add3(d.point_a, cd_scale3(a->margin, d.normal));
        d.point_b = cd_sub3(d.point_b, cd_scale3(b->margin, d.normal));
    }
    return d;
}

static cd_distance3 core_distance(const cd_support3 *a, const cd_support3 *b, const cd_simplex3 *start)
{
    if (a->margin == 0 && b->margin == 0)
        return cd_distance3_of(a, b, start);
    cd_support3 core_a = *a, core_b = *b;
    core_a.margin = core_b.margin = 0;
    return cd_distance3_of(&core_a, &core_b, start);
}

// Whether nothing can be left out: the cores do not meet, or it is not known whether they do.
static bool may_be_apart(const cd_distance3 *d)
{
    return d->status == CD_DISTANCE3_SEPARATED || d->status == CD_DISTANCE3_STALLED;
}

cd_depth3 cd_support3_depth(cd_support3 a, const cd_edges3 *edges_a, cd_support3 b, const cd_edges3 *edges_b,
                            cd_arena *scratch)
{
    cd_distance3 d = core_distance(&a, &b, NULL);
    return depth_of(&a, edges_a, &b, edges_b, may_be_apart(&d), scratch);
}

static cd_feature3 no_feature(void) { return (cd_feature3){CD_FEATURE3_NONE, -1, {-1, -1}}; }

static void set_depth(const cd_depth3 *depth, const cd_support3 *a, const cd_support3 *b, cd_signed_distance3 *result)
{
    result->gap = depth->separation;
    result->normal = depth->normal;
    result->point_a = depth->point_a;
    result->point_b = depth->point_b;
    result->feature_a = a->kind == CD_SUPPORT3_CONVEX ? depth->feature_a : no_feature();
    result->feature_b = b->kind == CD_SUPPORT3_CONVEX ? depth->feature_b : no_feature();
    result->is_depth = true;
}

void cd_support3_signed_distance_of(const cd_support3 *a, const cd_edges3 *edges_a, const cd_support3 *b,
                                    const cd_edges3 *edges_b, const cd_simplex3 *start, cd_arena *scratch,
                                    cd_signed_distance3 *result)
{
    cd_distance3 d = core_distance(a, b, start);
    bool is_curved = a->kind == CD_SUPPORT3_ELLIPSOID || b->kind == CD_SUPPORT3_ELLIPSOID;
    result->iterations = d.iterations;
    result->simplex = d.simplex;
    result->status = d.status;
    if (!is_curved && !may_be_apart(&d)) {
        cd_depth3 depth = depth_of(a, edges_a, b, edges_b, false, scratch);
        set_depth(&depth, a, b, result);
        return;
    }
    double margin = a->margin + b->margin;
    result->gap = d.distance - (d.status == CD_DISTANCE3_OVERLAPPING ? 0 : margin);
    result->normal = d.normal;
    result->point_a = cd_add3(d.point_a, cd_scale3(a->margin, d.normal));
    result->point_b = cd_sub3(d.point_b, cd_scale3(b->margin, d.normal));
    result->feature_a = a->kind == CD_SUPPORT3_CONVEX ? cd_distance3_feature_a(&d, a->convex, edges_a) : no_feature();
    result->feature_b = b->kind == CD_SUPPORT3_CONVEX ? cd_distance3_feature_b(&d, b->convex, edges_b) : no_feature();
    result->is_depth = false;
    if (result->gap < 0)
        result->status = CD_DISTANCE3_OVERLAPPING;
}
