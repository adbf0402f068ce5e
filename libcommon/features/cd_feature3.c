// SPDX-License-Identifier: MIT
#include "cd_feature3.h"

#include "cd_distance3.h"
#include "cd_feasible.h"

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] sine of the angle of two edges below which they have no contact: their normal is known to 2^-53 over it. Smaller:
// contacts with normals and points that are noise. Larger: edges of finely turned bodies that cross have no contact.
#define EDGES_PARALLEL_SINE 1e-6
// [1] squared sine from which the distance of two lines is good to a thousandth and may rule segments out. Smaller:
// contacts within reach are lost to rounding. Larger: slower.
#define LINES_CROSS_SINE_SQ 1e-6
// [1] what the distance of such lines is trusted to, as a factor on its square.
#define LINES_APART_SQ 1.001
// [1] cosine of 1e-6 rad: faces whose normals agree to it are one planar face, and the edge between them is none of the
// body's. Smaller: round bodies lose true edges. Larger: contacts on the diagonals of split faces.
#define FACES_COPLANAR_COSINE (1 - 5e-13)
// [1] of the reach, and of the body's size: rounding of a height over a plane, with a wide margin. What it lets through
// is decided by `locate`. Smaller: a vertex within reach to the bit may be lost. Larger: slower.
#define HEIGHT_OF_REACH 1e-9
#define HEIGHT_OF_SIZE 1e-12
// [1] of the sizes: the same of heights and distances of whole bodies.
#define BODY_ROUNDING 1e-14

// ---- a vertex and a face -------------------------------------------------------------------------------------------

typedef struct face_position {
    double psi, overhang, distance;
} face_position;

// The distance of the foot q of p on the plane from the nearest edge of the face, in the plane.
static face_position locate(const cd_shell3 *owner, int32_t face, cd_vec3 p)
{
    const cd_convex3 *c = owner->convex;
    cd_vec3 n = c->plane[face].normal;
    double psi = cd_dot3(n, cd_sub3(p, cd_shell3_plane_point(owner, face)));
    int32_t first = c->face_first[face], end = c->face_first[face + 1];
    cd_vec3 start = cd_convex3_vertex(c, c->face_vertex[end - 1]);
    double overhang = -INFINITY, nearest_sq = INFINITY;
    for (int32_t k = first; k < end; k++) {
        cd_vec3 next = cd_convex3_vertex(c, c->face_vertex[k]), edge = cd_sub3(next, start), d = cd_sub3(p, start);
        d = cd_sub3(d, cd_scale3(cd_dot3(n, d), n));
        double length_sq = cd_dot3(edge, edge), along = cd_dot3(edge, d) / length_sq;
        double beyond = cd_dot3(cd_cross3(edge, n), d) / sqrt(length_sq);
        overhang = beyond > overhang ? beyond : overhang;
        cd_vec3 off = cd_sub3(d, cd_scale3(along < 0 ? 0 : along > 1 ? 1 : along, edge));
        double off_sq = cd_dot3(off, off);
        nearest_sq = off_sq < nearest_sq ? off_sq : nearest_sq;
        start = next;
    }
    double distance = overhang <= 0 ? fabs(psi) : sqrt(nearest_sq + psi * psi);
    return (face_position){psi, overhang, distance > fabs(psi) ? distance : fabs(psi)};
}

// (30): of a vertex of `owner` against a plane with outward normal eta.
static double vertex_applicability3(const cd_shell3 *owner, int32_t vertex, cd_vec3 eta)
{
    const cd_edges3 *edges = owner->edges;
    double least = INFINITY;
    for (int32_t k = edges->around_first[vertex]; k < edges->around_first[vertex + 1]; k++) {
        int32_t edge = edges->around[k];
        double along = cd_dot3(eta, owner->direction[edge]);
        along = edges->edge[edge].vertex[0] == vertex ? along : -along;
        least = along < least ? along : least;
    }
    return least;
}

static cd_feature_gap3 vertex_face(cd_feature_pair3 pair, cd_separate3_pose pose)
{
    bool is_of_a = pair.kind == CD_VERTEX_A_FACE_B;  // the vertex
    const cd_shell3 *vertex_of = is_of_a ? pose.a : pose.b, *face_of = is_of_a ? pose.b : pose.a;
    int32_t vertex = is_of_a ? pair.index_a : pair.index_b, face = is_of_a ? pair.index_b : pair.index_a;
    cd_vec3 eta = cd_shell3_normal(face_of, face), p = cd_shell3_vertex(vertex_of, vertex);
    face_position position = locate(face_of, face, p);
    cd_vec3 foot = cd_sub3(p, cd_scale3(position.psi, eta));
    return (cd_feature_gap3){
        .pair = pair,
        .normal = is_of_a ? cd_negate3(eta) : eta,
        .point_a = is_of_a ? p : foot,
        .point_b = is_of_a ? foot : p,
        .psi = position.psi,
        .distance = position.distance,
        .applicability = vertex_applicability3(vertex_of, vertex, eta),
        .feasible = cd_feasible_angle(position.overhang <= 0, position.psi, position.distance),
    };
}

// ---- two edges -----------------------------------------------------------------------------------------------------

static cd_feature_gap3 edge_edge(cd_feature_pair3 pair, cd_separate3_pose pose)
{
    cd_edge_pair3 edges = cd_edge_pair3_make(pose.a, pair.index_a, pose.b, pair.index_b);
    cd_segment3 a = cd_shell3_segment(pose.a, pair.index_a), b = cd_shell3_segment(pose.b, pair.index_b);
    cd_line_points3 l = cd_line_points3_make(&a, &b);
    double psi = cd_dot3(edges.normal, cd_sub3(b.start, a.start)), distance = cd_segment3_nearest(&a, &b, &l).distance;
    return (cd_feature_gap3){
        .pair = pair,
        .normal = edges.normal,
        .point_a = cd_segment3_at(&a, l.s),
        .point_b = cd_segment3_at(&b, l.t),
        .psi = psi,
        .distance = distance,
        .applicability = edges.applicability,
        .feasible = cd_feasible_angle(cd_line_points3_are_on_segments(&l, &a, &b), psi, distance),
    };
}

cd_feature_gap3 cd_feature_gap3_at(cd_feature_pair3 pair, cd_separate3_pose pose)
{
    return pair.kind == CD_EDGE_EDGE ? edge_edge(pair, pose) : vertex_face(pair, pose);
}

// ---- the set of potential contacts ---------------------------------------------------------------------------------

// A bit for each pair of features in the order in which they are reported.
typedef struct pair_set {
    int64_t bits;
    uint64_t *word;
    int64_t first[4];   // bit of the first pair of each kind; the end
    int32_t second[3];  // features of b of each kind
} pair_set;

static pair_set set_make(const cd_shell3 *a, const cd_shell3 *b, cd_arena *arena)
{
    int32_t of_a[3] = {a->convex->vertex_count, a->edges->count, a->convex->face_count};
    pair_set set = {.second = {b->convex->face_count, b->edges->count, b->convex->vertex_count}};
    for (int k = 0; k < 3; k++)
        set.first[k + 1] = set.first[k] + (int64_t)of_a[k] * set.second[k];
    set.bits = set.first[3];
    set.word = CD_ARENA_ZARRAY(arena, uint64_t, (set.bits + 63) / 64);
    return set;
}

static void set_add(pair_set *set, cd_feature_pair3_kind kind, int32_t index_a, int32_t index_b)
{
    int64_t bit = set->first[kind] + (int64_t)index_a * set->second[kind] + index_b;
    set->word[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static cd_feature_pair3 pair_of_bit(const pair_set *set, int64_t bit)
{
    int kind = bit < set->first[1] ? 0 : bit < set->first[2] ? 1 : 2;
    int64_t rest = bit - set->first[kind];
    return (cd_feature_pair3){(cd_feature_pair3_kind)kind, (int32_t)(rest / set->second[kind]),
                              (int32_t)(rest % set->second[kind])};
}

// ---- what is near at a pose ----------------------------------------------------------------------------------------

// The features of one body that may be within reach of the other.
typedef struct near_features {
    const cd_shell3 *shell;
    int32_t *vertex, vertices, *edge, edges, *face, faces;
    uint8_t *is_near;  // [vertex_count]
} near_features;

// Those with a vertex p of n.p >= least, n pointing to the other body. Flat edges are left out.
static near_features list_near(const cd_shell3 *s, cd_vec3 n, cd_vec3 origin, double least, cd_arena *arena)
{
    const cd_convex3 *c = s->convex;
    near_features near = {.shell = s};
    near.vertex = CD_ARENA_ARRAY(arena, int32_t, c->vertex_count + s->edges->count + c->face_count);
    near.edge = near.vertex + c->vertex_count;
    near.face = near.edge + s->edges->count;
    near.is_near = CD_ARENA_ARRAY(arena, uint8_t, c->vertex_count);
    for (int32_t v = 0; v < c->vertex_count; v++) {
        near.is_near[v] = cd_dot3(n, cd_sub3(cd_convex3_vertex(c, v), origin)) >= least;
        near.vertex[near.vertices] = v;
        near.vertices += near.is_near[v];
    }
    for (int32_t i = 0; i < s->edges->count; i++) {
        const cd_edge3 *e = &s->edges->edge[i];
        if ((near.is_near[e->vertex[0]] || near.is_near[e->vertex[1]]) &&
            !(cd_dot3(cd_shell3_normal(s, e->face[0]), cd_shell3_normal(s, e->face[1])) > FACES_COPLANAR_COSINE))
            near.edge[near.edges++] = i;
    }
    for (int32_t f = 0; f < c->face_count; f++) {
        bool is_near = false;
        for (int32_t k = c->face_first[f]; k < c->face_first[f + 1]; k++)
            is_near |= near.is_near[c->face_vertex[k]];
        near.face[near.faces] = f;
        near.faces += is_near;
    }
    return near;
}

// A pose with a direction n from a to b and how far apart the bodies are along it: every point of b within `reach` of a
// point of a has n.q <= (most n.p of a) + reach.
typedef struct pose_state {
    cd_separate3_pose pose;
    cd_distance3 d;
    cd_vec3 n, origin;
    double most_a, least_b;  // [m] of n.(p - origin)
} pose_state;

static double extreme(const cd_shell3 *s, cd_vec3 n, cd_vec3 origin)
{
    double most = -INFINITY;
    for (int32_t v = 0; v < s->convex->vertex_count; v++) {
        double h = cd_dot3(n, cd_sub3(cd_shell3_vertex(s, v), origin));
        most = h > most ? h : most;
    }
    return most;
}

static void look_along(pose_state *p, cd_vec3 n)
{
    p->n = n;
    p->origin = cd_scale3(0.5, cd_add3(p->pose.a->convex->centre, p->pose.b->convex->centre));
    p->most_a = extreme(p->pose.a, n, p->origin);
    p->least_b = -extreme(p->pose.b, cd_negate3(n), p->origin);
}

// Of bodies that overlap any direction will do, but one along which they overlap little leaves less to look at: that of
// a face, or the one they were apart along at the start (`start`, NULL at the start itself).
static pose_state state_make(cd_separate3_pose pose, const pose_state *start)
{
    pose_state p = {.pose = pose};
    p.d = cd_distance3_compute(cd_support3_convex(pose.a->convex), cd_support3_convex(pose.b->convex),
                               start ? &start->d.simplex : NULL);
    look_along(&p, p.d.distance > 0 ? p.d.normal : start ? start->n : cd_best_face_normal3(pose));
    return p;
}

static double height_over(const cd_shell3 *face_of, int32_t face, cd_vec3 p)
{
    const cd_plane *plane = &face_of->convex->plane[face];
    return cd_dot3(plane->normal, p) - plane->offset;
}

static void mark_vertices(pair_set *set, const near_features *vertices, const near_features *faces, bool is_of_a,
                          double reach)
{
    for (int32_t k = 0; k < faces->faces; k++) {
        int32_t face = faces->face[k];
        // decided by `locate`
        double near_plane = reach * (1 + HEIGHT_OF_REACH) + HEIGHT_OF_SIZE * faces->shell->convex->radius;
        for (int32_t m = 0; m < vertices->vertices; m++) {
            int32_t vertex = vertices->vertex[m];
            cd_vec3 p = cd_shell3_vertex(vertices->shell, vertex);
            if (fabs(height_over(faces->shell, face, p)) > near_plane ||
                !(locate(faces->shell, face, p).distance <= reach))
                continue;
            if (is_of_a)
                set_add(set, CD_VERTEX_A_FACE_B, vertex, face);
            else
                set_add(set, CD_FACE_A_VERTEX_B, face, vertex);
        }
    }
}

static void mark_edges(pair_set *set, const near_features *a, const near_features *b, double reach, cd_arena *arena)
{
    cd_segment3 *of_b = CD_ARENA_ARRAY(arena, cd_segment3, b->edges);
    for (int32_t m = 0; m < b->edges; m++)
        of_b[m] = cd_shell3_segment(b->shell, b->edge[m]);
    for (int32_t k = 0; k < a->edges; k++) {
        cd_segment3 of_a = cd_shell3_segment(a->shell, a->edge[k]);
        for (int32_t m = 0; m < b->edges; m++) {
            cd_vec3 cross = cd_cross3(of_a.direction, of_b[m].direction);
            double between = cd_dot3(cross, cd_sub3(of_b[m].start, of_a.start)), sine_sq = cd_dot3(cross, cross);
            // The lines, and with them the segments, are |between| / sine apart.
            if (sine_sq > LINES_CROSS_SINE_SQ && between * between > LINES_APART_SQ * reach * reach * sine_sq)
                continue;
            cd_line_points3 l = cd_line_points3_make(&of_a, &of_b[m]);
            if (cd_segment3_nearest(&of_a, &of_b[m], &l).distance <= reach)
                set_add(set, CD_EDGE_EDGE, a->edge[k], b->edge[m]);
        }
    }
}

static void mark_within_reach(pair_set *set, const pose_state *p, double reach, cd_arena *arena)
{
    if (p->d.distance > reach)
        return;
    // Rounding of the heights must not leave out what is within reach to the bit.
    double slack = BODY_ROUNDING * (p->pose.a->convex->radius + p->pose.b->convex->radius + reach);
    near_features a = list_near(p->pose.a, p->n, p->origin, p->least_b - reach - slack, arena);
    near_features b = list_near(p->pose.b, cd_negate3(p->n), p->origin, -p->most_a - reach - slack, arena);
    mark_vertices(set, &a, &b, true, reach);
    mark_edges(set, &a, &b, reach, arena);
    mark_vertices(set, &b, &a, false, reach);
}

// ---- overlaps deeper than the reach --------------------------------------------------------------------------------

static bool is_inside(const cd_shell3 *s, cd_vec3 p)
{
    for (int32_t f = 0; f < s->convex->face_count; f++)
        if (height_over(s, f, p) >= 0)
            return false;
    return true;
}

static void mark_face(pair_set *set, const cd_shell3 *face_of, int32_t face, const cd_shell3 *vertex_of, bool is_of_a)
{
    int32_t deepest = 0;
    double least = INFINITY;
    for (int32_t v = 0; v < vertex_of->convex->vertex_count; v++) {
        double psi = height_over(face_of, face, cd_shell3_vertex(vertex_of, v));
        if (psi < least) {
            least = psi;
            deepest = v;
        }
    }
    for (int32_t v = 0; v < vertex_of->convex->vertex_count; v++) {
        if (v != deepest && !is_inside(face_of, cd_shell3_vertex(vertex_of, v)))
            continue;
        if (is_of_a)  // the vertices
            set_add(set, CD_VERTEX_A_FACE_B, v, face);
        else
            set_add(set, CD_FACE_A_VERTEX_B, face, v);
    }
}

// Along the direction looked along they overlap by no more than the reach, and so along that of least depth: what
// touches when they are parted is then within reach.
static bool is_deep(const pose_state *p, double reach) { return p->least_b - p->most_a < -reach; }

static cd_separating3 separator_for(const cd_feature3_input *input, cd_separate3_pose start,
                                    cd_separate3_pose predicted, cd_arena *arena)
{
    cd_separate3_input asked = {.start = start,
                                .predicted = predicted,
                                .current = start,
                                .reach = INFINITY,
                                .slack = input->slack,
                                .tolerance = input->tolerance,
                                .tie = input->tolerance};
    return cd_separate3_choose(&asked, arena);
}

// Rule 1.
static void mark_overlap(pair_set *set, const cd_feature3_input *input, const pose_state *p, cd_arena *arena)
{
    if (!is_deep(p, input->reach))
        return;
    cd_separating3 least = separator_for(input, p->pose, p->pose, arena);
    if (least.bound == 0)
        return;
    if (least.separator.kind == CD_SEPARATOR3_EDGES)
        set_add(set, CD_EDGE_EDGE, least.separator.index_a, least.separator.index_b);
    else if (least.separator.kind == CD_SEPARATOR3_FACE_A)
        mark_face(set, p->pose.a, least.separator.index_a, p->pose.b, false);
    else
        mark_face(set, p->pose.b, least.separator.index_b, p->pose.a, true);
}

// Rule 2, for the vertices of one body.
static void mark_entries(pair_set *set, const pose_state *now, cd_separate3_pose start, bool is_of_a)
{
    const cd_shell3 *vertex_of = is_of_a ? now->pose.a : now->pose.b, *face_of = is_of_a ? now->pose.b : now->pose.a;
    const cd_shell3 *vertex_at_start = is_of_a ? start.a : start.b, *face_at_start = is_of_a ? start.b : start.a;
    for (int32_t v = 0; v < vertex_of->convex->vertex_count; v++) {
        cd_vec3 p = cd_shell3_vertex(vertex_of, v), before = cd_shell3_vertex(vertex_at_start, v);
        double h = cd_dot3(now->n, cd_sub3(p, now->origin));
        bool is_beside = is_of_a ? h < now->least_b : h > now->most_a;
        if (is_beside || !is_inside(face_of, p))
            continue;
        int32_t nearest = -1;
        double highest = -INFINITY;
        for (int32_t f = 0; f < face_of->convex->face_count; f++) {
            double psi = height_over(face_of, f, p);
            if (psi > highest && height_over(face_at_start, f, before) >= 0) {
                highest = psi;
                nearest = f;
            }
        }
        if (nearest >= 0 && is_of_a)
            set_add(set, CD_VERTEX_A_FACE_B, v, nearest);
        else if (nearest >= 0)
            set_add(set, CD_FACE_A_VERTEX_B, nearest, v);
    }
}

static void mark_predicted(pair_set *set, const cd_feature3_input *input, const pose_state *p, cd_arena *arena)
{
    if (p->d.distance > 0)
        return;
    mark_entries(set, p, input->start, true);
    mark_entries(set, p, input->start, false);
    if (!is_deep(p, input->reach))
        return;
    cd_separating3 chosen = separator_for(input, input->start, p->pose, arena);
    if (chosen.separator.kind == CD_SEPARATOR3_EDGES)
        set_add(set, CD_EDGE_EDGE, chosen.separator.index_a, chosen.separator.index_b);
}

// ---- all together --------------------------------------------------------------------------------------------------

static bool is_same(cd_separate3_pose p, cd_separate3_pose q) { return p.a == q.a && p.b == q.b; }

static bool is_far_at(cd_separate3_pose pose, double reach)
{
    const cd_convex3 *a = pose.a->convex, *b = pose.b->convex;
    double apart = cd_length3(cd_sub3(b->centre, a->centre));
    return apart * (1 - BODY_ROUNDING) - a->radius - b->radius > reach;
}

static void mark_all(pair_set *set, const cd_feature3_input *input, const pose_state *start,
                     const pose_state *predicted, const pose_state *current, cd_arena *arena)
{
    mark_within_reach(set, start, input->reach, arena);
    mark_overlap(set, input, start, arena);
    if (predicted) {
        mark_within_reach(set, predicted, input->reach, arena);
        mark_predicted(set, input, predicted, arena);
    }
    if (current) {
        if (current != predicted)
            mark_within_reach(set, current, input->reach, arena);
        mark_overlap(set, input, current, arena);
    }
}

static cd_feature_gaps3 list_gaps(const pair_set *set, cd_separate3_pose pose, cd_arena *arena)
{
    CD_LIST(cd_feature_gap3) list = {0};
    for (int64_t k = 0; k < (set->bits + 63) / 64; k++) {
        for (uint64_t word = set->word[k]; word; word &= word - 1) {
            cd_feature_pair3 pair = pair_of_bit(set, 64 * k + __builtin_ctzll(word));
            if (pair.kind == CD_EDGE_EDGE) {
                cd_vec3 cross = cd_cross3(pose.a->direction[pair.index_a], pose.b->direction[pair.index_b]);
                if (cd_dot3(cross, cross) < EDGES_PARALLEL_SINE * EDGES_PARALLEL_SINE)
                    continue;
            }
            cd_feature_gap3 gap = cd_feature_gap3_at(pair, pose);
            cd_list_push(arena, &list, gap);
        }
    }
    return (cd_feature_gaps3){list.count, list.item};
}

cd_feature_gaps3 cd_feature3_potential(const cd_feature3_input *input, cd_arena *arena)
{
    bool is_moving = !is_same(input->predicted, input->start);
    bool is_trial = !is_same(input->current, input->start);
    bool is_predicted = is_moving && is_same(input->current, input->predicted);
    double reach = input->reach;
    cd_feature_gaps3 none = {0, NULL};
    if (is_far_at(input->start, reach) && (!is_moving || is_far_at(input->predicted, reach)) &&
        (!is_trial || is_far_at(input->current, reach)))
        return none;
    pose_state start = state_make(input->start, NULL), predicted, current;
    bool is_far = start.d.distance > reach;
    if (is_moving) {
        predicted = state_make(input->predicted, &start);
        is_far = is_far && predicted.d.distance > reach;
    }
    if (is_trial && !is_predicted) {
        current = state_make(input->current, &start);
        is_far = is_far && current.d.distance > reach;
    }
    if (is_far)
        return none;
    pair_set set = set_make(input->start.a, input->start.b, arena);
    const pose_state *trial = is_predicted ? &predicted : is_trial ? &current : NULL;
    mark_all(&set, input, &start, is_moving ? &predicted : NULL, trial, arena);
    return list_gaps(&set, input->current, arena);
}
