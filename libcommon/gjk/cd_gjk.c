// Distance of two convex bodies: the search in doubles, its proof, the second search where that fails, and the result.
// SPDX-License-Identifier: MIT
#include "cd_gjk.h"

#include "cd_assert.h"

static int32_t farthest_corner(const cd_gjk_side *side, cd_vec3 direction)
{
    double most = -INFINITY;
    int32_t at = 0;
    for (int32_t i = 0; i < side->count; i++) {
        cd_vec3 p = {side->x[i], side->y[i], side->z[i]};
        double height = cd_dot3(cd_sub3(p, side->centre), direction);
        if (height > most) {
            most = height;
            at = i;
        }
    }
    return at;
}

#include "cd_gjk_loop.h"

void cd_gjk_run(cd_gjk *g) { run(g); }

int32_t cd_gjk_support(const cd_gjk_side *side, cd_vec3 direction) { return farthest_corner(side, direction); }

int32_t cd_gjk_support_at(const cd_gjk_side *side, cd_vec3 direction, cd_vector_level level)
{
    return level == CD_VECTOR_AVX512 ? cd_gjk_support_avx512(side, direction)
           : level == CD_VECTOR_AVX2 ? cd_gjk_support_avx2(side, direction)
                                     : cd_gjk_support(side, direction);
}

static void run_at(cd_gjk *g, cd_vector_level level)
{
    if (level == CD_VECTOR_AVX512)
        cd_gjk_run_avx512(g);
    else if (level == CD_VECTOR_AVX2)
        cd_gjk_run_avx2(g);
    else
        cd_gjk_run(g);
}

// ---- bodies as the search sees them --------------------------------------------------------------------------------

cd_support3 cd_support3_ellipsoid(const cd_pose3 *pose, cd_vec3 semiaxes)
{
    return (cd_support3){.kind = CD_SUPPORT3_ELLIPSOID,
                         .point = {pose->position},
                         .axis = {cd_pose3_turn(pose, (cd_vec3){semiaxes.x, 0, 0}),
                                  cd_pose3_turn(pose, (cd_vec3){0, semiaxes.y, 0}),
                                  cd_pose3_turn(pose, (cd_vec3){0, 0, semiaxes.z})}};
}

// What a body needs beside itself during the search.
typedef struct room {
    double x[CD_CONVEX3_LANES], y[CD_CONVEX3_LANES], z[CD_CONVEX3_LANES];
} room;

typedef struct body {
    cd_gjk_side side;
    double radius;  // [m] of the core about side.centre
} body;

static inline body convex_body(const cd_convex3 *convex)
{
    return (body){
        {.x = convex->x, .y = convex->y, .z = convex->z, .count = convex->vertex_count, .centre = convex->centre},
        convex->radius};
}

static body few_points(const cd_vec3 *point, int32_t count, room *at)
{
    cd_vec3 centre = point[0];
    if (count > 1) {
        for (int32_t i = 1; i < count; i++)
            centre = cd_add3(centre, point[i]);
        centre = cd_scale3(1.0 / count, centre);
    }
    body made = {{.x = at->x, .y = at->y, .z = at->z, .count = count, .centre = centre}, 0};
    for (int32_t i = 0; i < CD_CONVEX3_LANES; i++) {
        cd_vec3 p = point[i < count ? i : 0];
        at->x[i] = p.x;
        at->y[i] = p.y;
        at->z[i] = p.z;
        made.radius = cd_gjk_larger(made.radius, cd_length3(cd_sub3(p, centre)));
    }
    return made;
}

static body ellipsoid_body(const cd_support3 *s, cd_vec3 *curved)
{
    double most = cd_gjk_larger(cd_gjk_larger(cd_length3(s->axis[0]), cd_length3(s->axis[1])), cd_length3(s->axis[2]));
    return (body){{.centre = s->point[0], .axis = s->axis, .curved = curved}, most};
}

static body body_of(const cd_support3 *s, room *at, cd_vec3 *curved)
{
    switch (s->kind) {
    case CD_SUPPORT3_CONVEX:
        return convex_body(s->convex);
    case CD_SUPPORT3_POINT:
        return few_points(s->point, 1, at);
    case CD_SUPPORT3_SEGMENT:
        return few_points(s->point, 2, at);
    case CD_SUPPORT3_TRIANGLE:
        return few_points(s->point, 3, at);
    case CD_SUPPORT3_ELLIPSOID:
        return ellipsoid_body(s, curved);
    }
    CD_ASSERT(false);
    return few_points(s->point, 1, at);
}

// ---- the proof -----------------------------------------------------------------------------------------------------

static cd_vec3 weighted(const cd_gjk *g)
{
    cd_vec3 sum = cd_scale3(g->weight[0], g->point[0].w);
    for (int k = 1; k < g->count; k++)
        sum = cd_add3(sum, cd_scale3(g->weight[k], g->point[k].w));
    return sum;
}

// Upper less lower bound of the distance: the weights' point is a point of the difference whatever v is. (The weights
// in a thin tetrahedron around the origin may be worse than the proof that it is around it.)
static double bounds_apart(const cd_gjk *g)
{
    return cd_gjk_larger(cd_length3(weighted(g)), g->upper) - cd_gjk_larger(g->lower, 0);
}

static void start_from(cd_gjk *g, const cd_simplex3 *start)
{
    g->count = 0;
    if (!start || start->count < 1 || start->count > 4 || !g->a.x || !g->b.x)
        return;
    for (int k = 0; k < start->count; k++) {
        int32_t a = start->a[k], b = start->b[k];
        if (a < 0 || a >= g->a.count || b < 0 || b >= g->b.count)
            return;
        g->point[k] = (cd_gjk_point){cd_sub3(cd_gjk_corner(&g->a, a), cd_gjk_corner(&g->b, b)), a, b};
    }
    g->count = start->count;
}

static double solve(cd_gjk *g, const cd_simplex3 *start, cd_vector_level level)
{
    g->a.curved_count = g->b.curved_count = 0;
    start_from(g, start);
    run_at(g, level);
    double apart = bounds_apart(g);
    if (apart > CD_GJK_CERTIFICATE * g->scale && g->a.x && g->b.x) {
        cd_gjk_run_extended(g, level);
        apart = bounds_apart(g);
    }
    return apart;
}

// [1] of the scale: what an ellipsoid's answer is believed at.
#define CURVED_CERTIFICATE 1e-12

// ---- the result ----------------------------------------------------------------------------------------------------

// Relative to its first corner, so that coincident corners give the corner itself.
static cd_vec3 witness(const cd_gjk *g, bool of_b)
{
    const cd_gjk_side *side = of_b ? &g->b : &g->a;
    cd_vec3 first = cd_gjk_corner(side, of_b ? g->point[0].b : g->point[0].a), sum = {0, 0, 0};
    for (int k = 1; k < g->count; k++) {
        cd_vec3 corner = cd_gjk_corner(side, of_b ? g->point[k].b : g->point[k].a);
        sum = cd_add3(sum, cd_scale3(g->weight[k], cd_sub3(corner, first)));
    }
    return cd_add3(first, sum);
}

static cd_simplex3 corners_of(const cd_gjk *g)
{
    cd_simplex3 s = {.count = g->count};
    for (int k = 0; k < g->count; k++) {
        s.a[k] = g->a.x ? g->point[k].a : -1;
        s.b[k] = g->b.x ? g->point[k].b : -1;
    }
    return s;
}

static void add_margins(cd_distance3 *d, double margin_a, double margin_b, double scale)
{
    d->point_a = cd_add3(d->point_a, cd_scale3(margin_a, d->normal));
    d->point_b = cd_sub3(d->point_b, cd_scale3(margin_b, d->normal));
    d->gap = d->distance - (margin_a + margin_b);
    d->distance = d->gap > 0 ? d->gap : 0;
    if (d->status == CD_DISTANCE3_SEPARATED || d->status == CD_DISTANCE3_TOUCHING)
        d->status = d->gap > CD_GJK_TOLERANCE * scale    ? CD_DISTANCE3_SEPARATED
                    : d->gap >= -CD_GJK_TOUCHING * scale ? CD_DISTANCE3_TOUCHING
                                                         : CD_DISTANCE3_OVERLAPPING;
}

int cd_gjk_order(const cd_gjk_side *a, const cd_gjk_side *b)
{
    if (!a->x || !b->x)
        return 0;
    int order = (a->count > b->count) - (a->count < b->count);
    for (int32_t i = 0; i < a->count && order == 0; i++) {
        cd_vec3 d = cd_sub3(cd_gjk_corner(a, i), cd_gjk_corner(b, i));
        double first = d.x != 0 ? d.x : d.y != 0 ? d.y : d.z;
        order = (first > 0) - (first < 0);
    }
    return order;
}

// Where to look first when the centres coincide: some direction, turned round when the bodies are exchanged.
static cd_vec3 any_direction(const cd_gjk_side *a, const cd_gjk_side *b, double length)
{
    cd_vec3 along = {0, 0, length > 0 ? length : 1};
    return cd_gjk_order(a, b) > 0 ? cd_negate3(along) : along;
}

static inline cd_distance3 distance_of(const cd_support3 *a, const cd_support3 *b, const cd_simplex3 *start,
                                       cd_vector_level most)
{
    room room_a, room_b;
    bool is_curved = a->kind == CD_SUPPORT3_ELLIPSOID || b->kind == CD_SUPPORT3_ELLIPSOID;
    cd_vec3 curved[2][CD_GJK_MOST_CURVED];
    body of_a = body_of(a, &room_a, curved[0]), of_b = body_of(b, &room_b, curved[1]);
    cd_vec3 between = cd_sub3(of_a.side.centre, of_b.side.centre);
    double apart = cd_length3(between), scale = cd_gjk_larger(apart, 2 * cd_gjk_larger(of_a.radius, of_b.radius));
    cd_vector_level level = cd_vector_detect(most);
    cd_gjk g;
    g.a = of_a.side;
    g.b = of_b.side;
    g.direction = apart > 0 ? between : any_direction(&g.a, &g.b, scale);
    g.scale = scale;
    g.iterations = 0;
    double error = solve(&g, start, level), certificate = (is_curved ? CURVED_CERTIFICATE : CD_GJK_CERTIFICATE) * scale;
    cd_distance3 d = {.distance = g.upper, .error = error, .status = CD_DISTANCE3_SEPARATED};
    d.normal = g.upper > 0 ? cd_scale3(-1 / g.upper, g.v) : cd_unit3(cd_negate3(g.direction));
    d.point_a = witness(&g, false);
    d.point_b = witness(&g, true);
    d.simplex = corners_of(&g);
    for (int k = 0; k < 4; k++)
        d.weight[k] = k < g.count ? g.weight[k] : 0;
    if (g.end == CD_GJK_INSIDE) {
        d.status = CD_DISTANCE3_OVERLAPPING;
        d.distance = 0;
        d.normal = cd_unit3(cd_negate3(g.direction));
    } else if (g.upper <= CD_GJK_TOLERANCE * scale || g.end == CD_GJK_AT_ORIGIN ||
               (g.upper <= certificate && !(g.lower > 0))) {
        // The last: believed to be as near to 0 as that, and nothing says that it is not 0, however deep the overlap.
        d.status = cd_gjk_holds_origin(&g, between, level) ? CD_DISTANCE3_OVERLAPPING : CD_DISTANCE3_TOUCHING;
        d.distance = d.status == CD_DISTANCE3_OVERLAPPING ? 0 : d.distance;
    } else if (error > certificate) {
        d.status = CD_DISTANCE3_STALLED;
    }
    d.gap = d.distance;
    d.iterations = g.iterations;
    if (a->margin > 0 || b->margin > 0)
        add_margins(&d, a->margin, b->margin, scale);
    return d;
}

cd_distance3 cd_distance3_compute_at(cd_support3 a, cd_support3 b, const cd_simplex3 *start, cd_vector_level most)
{
    return distance_of(&a, &b, start, most);
}

cd_distance3 cd_distance3_compute(cd_support3 a, cd_support3 b, const cd_simplex3 *start)
{
    return cd_distance3_of(&a, &b, start);
}

cd_distance3 cd_distance3_of(const cd_support3 *a, const cd_support3 *b, const cd_simplex3 *start)
{
    return distance_of(a, b, start, CD_VECTOR_AVX512);
}

int32_t cd_convex3_support(const cd_convex3 *convex, cd_vec3 origin, cd_vec3 direction, cd_vector_level most)
{
    cd_gjk_side side = {
        .x = convex->x, .y = convex->y, .z = convex->z, .count = convex->vertex_count, .centre = origin};
    return cd_gjk_support_at(&side, direction, cd_vector_detect(most));
}

// ---- features ------------------------------------------------------------------------------------------------------

static bool face_has(const cd_convex3 *c, int32_t face, int32_t vertex)
{
    for (int32_t k = c->face_first[face]; k < c->face_first[face + 1]; k++)
        if (c->face_vertex[k] == vertex)
            return true;
    return false;
}

static bool face_has_edge(const cd_convex3 *c, int32_t face, int32_t p, int32_t q)
{
    int32_t first = c->face_first[face], end = c->face_first[face + 1];
    for (int32_t k = first; k < end; k++) {
        int32_t here = c->face_vertex[k], next = c->face_vertex[k + 1 < end ? k + 1 : first];
        if ((here == p && next == q) || (here == q && next == p))
            return true;
    }
    return false;
}

static cd_feature3 edge_between(int32_t p, int32_t q, int32_t index)
{
    return (cd_feature3){CD_FEATURE3_EDGE, index, {p < q ? p : q, p < q ? q : p}};
}

static cd_feature3 face_or_none(int32_t face)
{
    return (cd_feature3){face < 0 ? CD_FEATURE3_NONE : CD_FEATURE3_FACE, face, {-1, -1}};
}

// The lower of two faces' numbers that are not -1.
static int32_t lower_face(int32_t f, int32_t g) { return f < 0 ? g : g < 0 || f < g ? f : g; }

// The face at both edges.
static int32_t face_of_both(const cd_edge3 *e, const cd_edge3 *g)
{
    int32_t left = e->face[0] == g->face[0] || e->face[0] == g->face[1] ? e->face[0] : -1;
    int32_t right = e->face[1] == g->face[0] || e->face[1] == g->face[1] ? e->face[1] : -1;
    return lower_face(left, right);
}

// The face at an edge that has all of the vertices.
static int32_t face_beside(const cd_convex3 *convex, const cd_edge3 *edge, const int32_t *vertex, int32_t count)
{
    int32_t common = -1;
    for (int side = 0; side < 2; side++) {
        bool has_all = edge->face[side] >= 0;
        for (int32_t k = 0; k < count; k++)
            has_all = has_all && face_has(convex, edge->face[side], vertex[k]);
        common = has_all ? lower_face(common, edge->face[side]) : common;
    }
    return common;
}

// Of two vertices or more, by the edges between them. Faces are convex: one that has both ends of an edge is one of the
// two beside it. False: no two of them are joined.
static bool feature_by_edges(const cd_convex3 *convex, const cd_edges3 *edges, const int32_t *vertex, int32_t count,
                             cd_feature3 *feature)
{
    int32_t edge = cd_edges3_find(edges, vertex[0], vertex[1]);
    if (count == 2 && edge >= 0)
        *feature = edge_between(vertex[0], vertex[1], edge);
    if (count == 2)
        return edge >= 0;
    int32_t other = cd_edges3_find(edges, vertex[0], vertex[2]);
    if (count == 3 && edge >= 0 && other >= 0) {
        *feature = face_or_none(face_of_both(&edges->edge[edge], &edges->edge[other]));
        return true;
    }
    edge = edge >= 0 ? edge : other >= 0 ? other : cd_edges3_find(edges, vertex[1], vertex[2]);
    if (edge >= 0)
        *feature = face_or_none(face_beside(convex, &edges->edge[edge], vertex, count));
    return edge >= 0;
}

// Looked for in all faces, of two vertices or more.
static cd_feature3 feature_in_faces(const cd_convex3 *convex, const int32_t *vertex, int32_t count)
{
    int32_t common = -1;
    for (int32_t f = 0; f < convex->face_count; f++) {
        bool has_all = true;
        for (int32_t k = 0; k < count; k++)
            has_all = has_all && face_has(convex, f, vertex[k]);
        if (!has_all)
            continue;
        if (count == 2 && face_has_edge(convex, f, vertex[0], vertex[1]))
            return edge_between(vertex[0], vertex[1], -1);
        if (common < 0)
            common = f;
    }
    return face_or_none(common);
}

cd_feature3 cd_convex3_feature(const cd_convex3 *convex, const cd_edges3 *edges, const int32_t *vertex, int32_t count)
{
    int32_t distinct[4], distinct_count = 0;
    for (int32_t i = 0; i < count; i++) {
        bool is_new = true;
        for (int32_t k = 0; k < distinct_count; k++)
            is_new &= distinct[k] != vertex[i];
        if (is_new && distinct_count < 4)
            distinct[distinct_count++] = vertex[i];
    }
    if (distinct_count == 0)
        return (cd_feature3){CD_FEATURE3_NONE, -1, {-1, -1}};
    if (distinct_count == 1)
        return (cd_feature3){CD_FEATURE3_VERTEX, distinct[0], {-1, -1}};
    cd_feature3 feature;
    if (edges && feature_by_edges(convex, edges, distinct, distinct_count, &feature))
        return feature;
    return feature_in_faces(convex, distinct, distinct_count);
}

static cd_feature3 feature_of(const cd_distance3 *d, const int32_t *corner, const cd_convex3 *convex,
                              const cd_edges3 *edges)
{
    int32_t vertex[4], count = 0;
    for (int k = 0; k < d->simplex.count; k++)
        if (d->weight[k] > 0 && corner[k] >= 0)
            vertex[count++] = corner[k];
    return cd_convex3_feature(convex, edges, vertex, count);
}

cd_feature3 cd_distance3_feature_a(const cd_distance3 *d, const cd_convex3 *a, const cd_edges3 *edges)
{
    return feature_of(d, d->simplex.a, a, edges);
}
cd_feature3 cd_distance3_feature_b(const cd_distance3 *d, const cd_convex3 *b, const cd_edges3 *edges)
{
    return feature_of(d, d->simplex.b, b, edges);
}
