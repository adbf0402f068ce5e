// SPDX-License-Identifier: MIT
#include "peg_frame3.h"

#include "cd_arms.h"
#include "cd_assert.h"
#include "cd_length.h"
#include "cd_pair3.h"
#include "cd_segment3.h"

#include <stdio.h>

enum { AXES = 6 };

// ---- bodies --------------------------------------------------------------------------------------------------------

static void put_velocity(cd_vec3 velocity, cd_vec3 spin, double *out)
{
    cd_vec3_put(velocity, out);
    cd_vec3_put(spin, out + 3);
}

// They alone are looked at where free motion takes them, too (read_edges).
static bool has_edge_pairs(const cd_contact_rows *rows)
{
    for (int32_t i = 0; i < rows->count; i++)
        if (rows->kind[i] == CD_CONTACT_EDGE_EDGE)
            return true;
    return false;
}

// With the velocities of the start, 0 of a fixed body.
static cd_state3 moving_start(const cd_model *in, int32_t body)
{
    cd_state3 start = cd_body_start3(in, body);
    if (cd_body_motion(in, body) == CD_MOTION_FIXED)
        start.velocity = start.spin = (cd_vec3){0, 0, 0};
    return start;
}

static void prepare(cd_peg_build *build)
{
    const cd_model *in = build->in;
    cd_state3 *start = CD_ARENA_ARRAY(build->arena, cd_state3, in->body.count);
    cd_pose3 *pose = CD_ARENA_ARRAY(build->arena, cd_pose3, in->body.count);
    cd_pose3 *predicted = CD_ARENA_ARRAY(build->arena, cd_pose3, in->body.count);
    const bool has_predicted = has_edge_pairs(&in->contact);
    cd_arm_turn *turn = CD_ARENA_ARRAY(build->arena, cd_arm_turn, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_active(in, i))
            continue;
        start[i] = moving_start(in, i);
        pose[i] = cd_state3_pose(cd_body_trial3(in, build->trial_row, i));
        if (has_predicted)
            predicted[i] = cd_state3_pose(cd_body_predicted3(in, i, build->step));
        if (build->trial_row[i] >= 0)
            turn[i] = cd_arm_turn_make(cd_scale3(build->step, cd_body_trial3(in, build->trial_row, i).spin));
    }
    build->start = start;
    build->pose = pose;
    build->predicted = predicted;
    build->turn = turn;
}

static void start_velocity(const cd_peg_build *build, int32_t body, double *velocity)
{
    cd_state3 state = cd_body_start3(build->in, body);
    put_velocity(state.velocity, state.spin, velocity);
}

static void trial_velocity(const cd_peg_build *build, int32_t body, double *velocity)
{
    cd_state3 state = cd_body_trial3(build->in, build->trial_row, body);
    put_velocity(state.velocity, state.spin, velocity);
}

static void free_motion(const cd_peg_build *build, int32_t body, double *velocity, double *mass)
{
    const cd_model *in = build->in;
    const double *inertia = in->body.inertia + 6 * (size_t)body;
    cd_free3 motion = cd_state3_free_velocity(cd_body_start3(in, body), inertia, cd_body_applied3(in, body),
                                              build->step, cd_head_gyration(in));
    bool is_impact = build->phase != CD_IMPACT_NONE;
    cd_mat3 world =
        cd_inertia3_world(inertia, is_impact ? cd_body_trial3(in, build->trial_row, body).rotation : motion.middle);
    put_velocity(motion.velocity, motion.spin, velocity);
    for (int k = 0; k < 3; k++) {
        mass[k * AXES + k] = in->body.mass[body];
        cd_vec3_put(world.row[k], mass + (k + 3) * AXES + 3);
    }
}

// ---- features ------------------------------------------------------------------------------------------------------

// A polyhedral part of a contact: in the body's frame, and where the body is.
typedef struct part {
    const cd_convex3 *convex;
    const cd_edges3 *edges;
    const cd_pose3 *pose, *predicted;
    int32_t leaf;
    bool has_siblings;  // the body has other parts
} part;

static part part_of(const cd_peg_build *build, int32_t row, int side)
{
    int32_t leaf = cd_peg_leaf_of(build, row, side), body = cd_peg_body_of(build, row, side);
    const cd_leaf3 *own = leaf < 0 ? NULL : cd_leaves3_stored(&build->shapes->leaves.space, leaf);
    if (!own || own->kind != CD_SHAPE_POLYHEDRON)
        return (part){0};
    const int32_t *first = build->shapes->leaves.first + build->in->body.shape[body];
    return (part){&own->prepared->convex, &own->prepared->edges, &build->pose[body], &build->predicted[body], leaf,
                  first[1] - first[0] > 1};
}

static bool has_feature(const part *p, int32_t feature)
{
    int32_t index = cd_feature_index(feature);
    switch (cd_feature_kind(feature)) {
    case CD_FEATURE_VERTEX:
        return index < p->convex->vertex_count;
    case CD_FEATURE_EDGE:
        return index < p->edges->count;
    case CD_FEATURE_FACE:
        return index < p->convex->face_count;
    default:
        return false;
    }
}

// Checks that both parts have the features; `code` NULL or a -1 in it is a fault too.
static cd_status check_codes(const cd_peg_build *build, int32_t row, const int32_t *code, const char *field,
                             const part p[2])
{
    char text[96];
    for (int s = 0; s < 2; s++)
        if (!code || code[s] < 0 || !has_feature(&p[s], code[s])) {
            snprintf(text, sizeof text,
                     !code || code[s] < 0 ? "%s: required, one of each part" : "%s: number beyond the polyhedron's",
                     field);
            return cd_peg_contact_fault(build, row, text);
        }
    return CD_OK;
}

// The same, and that both are polyhedra.
static cd_status check_features(const cd_peg_build *build, int32_t row, const int32_t *code, const char *field,
                                part p[2])
{
    char text[96];
    for (int s = 0; s < 2; s++) {
        p[s] = part_of(build, row, s);
        if (!p[s].convex) {
            snprintf(text, sizeof text, "%c: contacts of features need a part that is a polyhedron", s ? 'b' : 'a');
            return cd_peg_contact_fault(build, row, text);
        }
    }
    return check_codes(build, row, code, field, p);
}

static const int32_t *pair_of(const int32_t *column, int32_t row) { return column ? column + 2 * (size_t)row : NULL; }

static cd_vec3 vertex_at(const part *p, const cd_pose3 *pose, int32_t vertex)
{
    return cd_pose3_apply(pose, cd_convex3_vertex(p->convex, vertex));
}

// The vector from one end of an edge to the other, at q_k.
static cd_vec3 edge_vector(const part *p, int32_t edge)
{
    const int32_t *vertex = p->edges->edge[edge].vertex;
    return cd_pose3_turn(p->pose,
                         cd_sub3(cd_convex3_vertex(p->convex, vertex[1]), cd_convex3_vertex(p->convex, vertex[0])));
}

static bool is_inner_face(const cd_peg_build *build, const part *p, int32_t face)
{
    const cd_peg_seams *seams = &build->shapes->seams;
    return seams->is_inner_face[seams->face.first[p->leaf] + face];
}

static bool is_inner_edge(const cd_peg_build *build, const part *p, int32_t edge)
{
    const cd_peg_seams *seams = &build->shapes->seams;
    return seams->is_inner_edge[seams->edge.first[p->leaf] + edge];
}

// The feature in the whole body: see peg_seams.h.
static int32_t number_of(const cd_peg_build *build, const part *p, int32_t feature)
{
    const cd_peg_seams *seams = &build->shapes->seams;
    const cd_peg_numbers *numbers[] = {
        [CD_FEATURE_VERTEX] = &seams->vertex, [CD_FEATURE_EDGE] = &seams->edge, [CD_FEATURE_FACE] = &seams->face};
    return cd_peg_same(numbers[cd_feature_kind(feature)], p->leaf, cd_feature_index(feature));
}

static void number_features(const cd_peg_build *build, const part p[2], const int32_t *feature, cd_peg_contact *contact)
{
    contact->has_twins = p[0].has_siblings || p[1].has_siblings;
    for (int s = 0; s < 2; s++)
        contact->twin[s] = number_of(build, &p[s], feature[s]);
}

// ---- edges ---------------------------------------------------------------------------------------------------------

static cd_segment3 segment_at(const part *p, const cd_pose3 *pose, int32_t edge)
{
    const int32_t *vertex = p->edges->edge[edge].vertex;
    cd_vec3 along =
        cd_pose3_turn(pose, cd_sub3(cd_convex3_vertex(p->convex, vertex[1]), cd_convex3_vertex(p->convex, vertex[0])));
    return (cd_segment3){vertex_at(p, pose, vertex[0]), cd_unit3(along), cd_length3(along)};
}

typedef struct edge_pair {
    const part *p;
    const int32_t *edge;  // of a, of b
    double reach;         // [m]
} edge_pair;

// Looks at the edges at a pose: sets the ends within reach of the closest points of the segments, -1 stays where there
// is none. False: the segments are nearest at an end and farther apart than reach there, so they do not meet.
static bool find_ends(const edge_pair *pair, const cd_pose3 *const pose[2], int32_t end[2])
{
    cd_segment3 segment[2];
    for (int s = 0; s < 2; s++)
        segment[s] = segment_at(&pair->p[s], pose[s], pair->edge[s]);
    cd_line_points3 lines = cd_line_points3_make(&segment[0], &segment[1]);
    cd_segment_points3 nearest = cd_segment3_nearest(&segment[0], &segment[1], &lines);
    bool is_far = nearest.distance > pair->reach, is_crossing = true;
    for (int s = 0; s < 2; s++) {
        double from_start = s ? nearest.t : nearest.s, from_end = segment[s].length - from_start;
        int nearer = from_end < from_start;
        double distance = nearer ? from_end : from_start;
        is_crossing = is_crossing && distance > 0;
        if (end[s] < 0 && distance <= pair->reach && !is_far)
            end[s] = pair->p[s].edges->edge[pair->edge[s]].vertex[nearer];
    }
    return is_crossing || !is_far;
}

// Cosine between edge `own`, taken to point away from its vertex `end`, and (27) of the other edge, O_e = (eta_1 +
// eta_2) x e: positive when the edge leans over the first face of the other.
static double lean_of(const part *own, int32_t own_edge, int32_t end, const part *other, int32_t other_edge)
{
    const cd_edge3 *mine = &own->edges->edge[own_edge], *theirs = &other->edges->edge[other_edge];
    cd_vec3 away = edge_vector(own, own_edge), sum = {0, 0, 0};
    if (end == mine->vertex[1])
        away = cd_negate3(away);
    for (int f = 0; f < 2; f++)
        if (theirs->face[f] >= 0)
            sum = cd_add3(sum, other->convex->plane[theirs->face[f]].normal);
    cd_vec3 o = cd_cross3(cd_pose3_turn(other->pose, sum), edge_vector(other, other_edge));
    return cd_dot3(cd_unit3(away), cd_unit3(o));
}

static void read_edges(const cd_peg_build *build, const part p[2], const int32_t edge[2], cd_peg_contact *contact)
{
    int32_t end[2] = {-1, -1};
    edge_pair pair = {p, edge, build->reach};
    bool meets = find_ends(&pair, (const cd_pose3 *const[2]){p[0].pose, p[1].pose}, end);
    meets = find_ends(&pair, (const cd_pose3 *const[2]){p[0].predicted, p[1].predicted}, end) || meets;
    contact->side = CD_PEG_TWO_EDGES;
    contact->is_left_out = !meets || contact->gap < -build->reach;
    for (int s = 0; s < 2; s++) {
        const cd_edge3 *e = &p[s].edges->edge[edge[s]];
        contact->edge[s] = (cd_peg_edge){.number = edge[s], .end = end[s], .face = {e->face[0], e->face[1]}};
        if (end[s] >= 0)
            contact->edge[s].lean = lean_of(&p[s], edge[s], end[s], &p[1 - s], edge[1 - s]);
        contact->is_left_out = contact->is_left_out || is_inner_edge(build, &p[s], edge[s]);
    }
}

// Closest points of the lines of two edges that are not parallel.
static void line_points(const part p[2], const int32_t edge[2], cd_vec3 point[2])
{
    cd_segment3 a = segment_at(&p[0], p[0].pose, edge[0]), b = segment_at(&p[1], p[1].pose, edge[1]);
    cd_line_points3 nearest = cd_line_points3_make(&a, &b);
    point[0] = cd_segment3_at(&a, nearest.s);
    point[1] = cd_segment3_at(&b, nearest.t);
}

// ---- gradients -----------------------------------------------------------------------------------------------------

static cd_vec3 normal_of(const cd_peg_build *build, int32_t row)
{
    return cd_vec3_at(build->in->contact.normal + 3 * (size_t)row);
}

// A torque as a row has it (cd_arms.h).
static cd_vec3 turned(const cd_peg_build *build, double share, int32_t row, int side, cd_vec3 torque)
{
    int32_t body = cd_peg_body_of(build, row, side);
    if (build->phase != CD_IMPACT_NONE || build->trial_row[body] < 0 || build->block[body] < 0)
        return torque;
    return cd_arm_turned(&build->turn[body], share, torque);
}

// d (direction . p_b - direction . p_a) / dq, the direction held; in rounds the columns of cd_arms.h. Closest points of
// edges that are all but parallel are known along them to 1e-11 m or so, and two bodies would be pushed along two
// lines. An impact has both torques about one point.
static void put_columns(const cd_peg_build *build, int32_t row, double share, cd_vec3 direction, const cd_vec3 point[2],
                        double column[2][CD_PEG_AXES_MAX])
{
    const bool has_one = build->phase != CD_IMPACT_NONE;
    const cd_vec3 middle = cd_scale3(0.5, cd_add3(point[0], point[1]));
    for (int s = 0; s < 2; s++) {
        const cd_vec3 at = has_one ? middle : point[s];
        cd_vec3 arm = cd_sub3(at, build->pose[cd_peg_body_of(build, row, s)].position);
        cd_vec3 d = s ? direction : cd_negate3(direction);
        put_velocity(d, turned(build, share, row, s, cd_cross3(arm, d)), column[s]);
    }
}

static void put_gradient(const cd_peg_build *build, int32_t row, cd_vec3 direction, const cd_vec3 point[2],
                         cd_peg_gradient *gradient)
{
    bool is_whole = cd_peg_has_own_impulses(build);
    put_columns(build, row, is_whole ? 0 : CD_ARM_HALF, direction, point, gradient->column);
    if (is_whole) {
        double(*impulse)[CD_PEG_AXES_MAX] = cd_arena_zalloc(build->arena, 2 * sizeof *impulse);
        put_columns(build, row, 1, direction, point, impulse);
        gradient->impulse = (const double(*)[CD_PEG_AXES_MAX])impulse;
    }
}

static const double *own_point(const double *column, int32_t row)
{
    const double *own = column ? column + 3 * (size_t)row : NULL;
    return own && !isnan(own[0]) ? own : NULL;
}

static cd_vec3 common_point(const cd_peg_build *build, int32_t row)
{
    return cd_vec3_at(build->in->contact.point + 3 * (size_t)row);
}

// Each body's own point, where the stream has it.
static cd_status contact_at_own_points(const cd_peg_build *build, int32_t row, cd_peg_contact *contact,
                                       cd_peg_gradient *gradient, cd_vec3 *point)
{
    (void)contact;
    const cd_contact_rows *rows = &build->in->contact;
    const double *own[2] = {own_point(rows->point_a, row), own_point(rows->point_b, row)};
    *point = common_point(build, row);
    cd_vec3 at[2] = {own[0] ? cd_vec3_at(own[0]) : *point, own[1] ? cd_vec3_at(own[1]) : *point};
    put_gradient(build, row, normal_of(build, row), at, gradient);
    return CD_OK;
}

static cd_status contact_at_vertex(const cd_peg_build *build, int32_t row, cd_peg_contact *contact,
                                   cd_peg_gradient *gradient, cd_vec3 *point)
{
    const cd_contact_rows *rows = &build->in->contact;
    const int32_t *feature = pair_of(rows->features, row);
    part p[2];
    CD_TRY(check_features(build, row, feature, "features", p));
    int kind[2] = {cd_feature_kind(feature[0]), cd_feature_kind(feature[1])};
    int owner = kind[1] == CD_FEATURE_VERTEX;
    if (kind[owner] != CD_FEATURE_VERTEX || kind[1 - owner] != CD_FEATURE_FACE)
        return cd_peg_contact_fault(build, row, "features: kind vertex-face needs one vertex and one face");
    const double *own = own_point(owner ? rows->point_b : rows->point_a, row);
    if (!own)
        return cd_peg_contact_fault(build, row,
                                    owner ? "point_b: required, the vertex" : "point_a: required, the vertex");
    contact->side = owner ? CD_PEG_VERTEX_OF_B : CD_PEG_VERTEX_OF_A;
    contact->vertex = cd_feature_index(feature[owner]);
    contact->face = cd_feature_index(feature[1 - owner]);
    contact->is_left_out = is_inner_face(build, &p[1 - owner], contact->face);
    number_features(build, p, feature, contact);
    *point = cd_vec3_at(own);
    put_gradient(build, row, normal_of(build, row), (cd_vec3[2]){*point, *point}, gradient);
    return CD_OK;
}

static cd_status contact_at_lines(const cd_peg_build *build, int32_t row, cd_peg_contact *contact,
                                  cd_peg_gradient *gradient, cd_vec3 *point)
{
    const int32_t *feature = pair_of(build->in->contact.features, row);
    part p[2];
    cd_vec3 at[2];
    CD_TRY(check_features(build, row, feature, "features", p));
    if (cd_feature_kind(feature[0]) != CD_FEATURE_EDGE || cd_feature_kind(feature[1]) != CD_FEATURE_EDGE)
        return cd_peg_contact_fault(build, row, "features: kind edge-edge needs two edges");
    int32_t edge[2] = {cd_feature_index(feature[0]), cd_feature_index(feature[1])};
    if (!(cd_length3(cd_cross3(edge_vector(&p[0], edge[0]), edge_vector(&p[1], edge[1]))) > 0))
        return cd_peg_contact_fault(build, row, "features: the edges are parallel");
    read_edges(build, p, edge, contact);
    number_features(build, p, feature, contact);
    line_points(p, edge, at);
    *point = common_point(build, row);
    put_gradient(build, row, normal_of(build, row), at, gradient);
    return CD_OK;
}

static cd_status contact_at_separating(const cd_peg_build *build, int32_t row, cd_peg_contact *contact,
                                       cd_peg_gradient *gradient, cd_vec3 *point)
{
    (void)contact;
    const cd_contact_rows *rows = &build->in->contact;
    const int32_t *separator = pair_of(rows->facet, row);
    cd_vec3 normal = normal_of(build, row);
    *point = common_point(build, row);
    if (!separator || separator[0] < 0 || separator[1] < 0) {  // a face, or a half-space: `point` is the vertex
        put_gradient(build, row, normal, (cd_vec3[2]){*point, *point}, gradient);
        return CD_OK;
    }
    // Two edges: of facets by the points that the stream has, of polyhedra by the edges themselves.
    const part p[2] = {part_of(build, row, 0), part_of(build, row, 1)};
    if (!p[0].convex || !p[1].convex)
        return contact_at_own_points(build, row, contact, gradient, point);
    CD_TRY(check_codes(build, row, separator, "facet", p));
    for (int s = 0; s < 2; s++)
        if (cd_feature_kind(separator[s]) != CD_FEATURE_EDGE)
            return cd_peg_contact_fault(build, row, "facet: wanted one face or two edges");
    int32_t edge[2] = {cd_feature_index(separator[0]), cd_feature_index(separator[1])};
    if (!(cd_length3(cd_cross3(edge_vector(&p[0], edge[0]), edge_vector(&p[1], edge[1]))) > 0))
        return cd_peg_contact_fault(build, row, "facet: the edges are parallel");
    cd_vec3 at[2];
    line_points(p, edge, at);
    put_gradient(build, row, normal, at, gradient);
    return CD_OK;
}

static cd_status contact_make(const cd_peg_build *build, int32_t row, cd_peg_contact *contact,
                              cd_peg_gradient *gradient, double *point)
{
    static cd_status (*const make[])(const cd_peg_build *, int32_t, cd_peg_contact *, cd_peg_gradient *, cd_vec3 *) = {
        [CD_CONTACT_VERTEX_EDGE] = contact_at_own_points, [CD_CONTACT_VERTEX_FACE] = contact_at_vertex,
        [CD_CONTACT_EDGE_EDGE] = contact_at_lines,        [CD_CONTACT_VOLUME] = contact_at_own_points,
        [CD_CONTACT_DISTANCE] = contact_at_own_points,    [CD_CONTACT_DEPTH] = contact_at_own_points,
        [CD_CONTACT_ANALYTIC] = contact_at_own_points,    [CD_CONTACT_SEPARATING] = contact_at_separating,
        [CD_CONTACT_PINBALL] = contact_at_own_points,
    };
    int32_t kind = build->in->contact.kind[row];
    cd_vec3 common;
    CD_ASSERT(kind >= 0 && kind < (int32_t)(sizeof make / sizeof *make));
    CD_TRY(make[kind](build, row, contact, gradient, &common));
    cd_vec3_put(common, point);
    return CD_OK;
}

static double curvature(const cd_peg_build *build, int32_t row, const cd_peg_contact *contact, const double *point)
{
    (void)build, (void)row, (void)contact, (void)point;
    return 0;
}

// ---- second derivatives --------------------------------------------------------------------------------------------

// A vector with its first and second derivative.
typedef struct course {
    cd_vec3 at, first, second;
} course;

// Of a direction that a body takes along with it, and of a point of it.
static course direction_course(const cd_state3 *body, cd_vec3 direction)
{
    const cd_vec3 first = cd_cross3(body->spin, direction);
    return (course){direction, first, cd_cross3(body->spin, first)};
}

static course point_course(const cd_state3 *body, cd_vec3 point)
{
    course c = direction_course(body, cd_sub3(point, body->position));
    return (course){point, cd_add3(body->velocity, c.first), c.second};
}

static course difference(const course *a, const course *b)
{
    return (course){cd_sub3(a->at, b->at), cd_sub3(a->first, b->first), cd_sub3(a->second, b->second)};
}

static course cross(const course *a, const course *b)
{
    const cd_vec3 both = cd_cross3(a->first, b->first);
    const cd_vec3 first = cd_add3(cd_cross3(a->first, b->at), cd_cross3(a->at, b->first));
    const cd_vec3 ends = cd_add3(cd_cross3(a->second, b->at), cd_cross3(a->at, b->second));
    return (course){cd_cross3(a->at, b->at), first, cd_add3(ends, cd_scale3(2, both))};
}

// A product, and its first and second derivative.
static void dot_course(const course *a, const course *b, double of[3])
{
    of[0] = cd_dot3(a->at, b->at);
    of[1] = cd_dot3(a->first, b->at) + cd_dot3(a->at, b->first);
    of[2] = cd_dot3(a->second, b->at) + 2 * cd_dot3(a->first, b->first) + cd_dot3(a->at, b->second);
}

// psi |m| = m . d, m = e_a x e_b of the two edges and d from a point of the one to one of the other: its second
// derivative is psi'' |m| + 2 psi' |m|' + psi |m|''.
static double second_of_edges(const cd_peg_build *build, int32_t row, const cd_state3 *const body[2],
                              const int32_t *separator)
{
    course edge[2], end[2];
    for (int s = 0; s < 2; s++) {
        const part p = part_of(build, row, s);
        if (!p.convex || !has_feature(&p, separator[s]))
            return 0;
        const cd_segment3 segment = segment_at(&p, p.pose, cd_feature_index(separator[s]));
        edge[s] = direction_course(body[s], segment.direction);
        end[s] = point_course(body[s], segment.start);
    }
    const course m = cross(&edge[0], &edge[1]), d = difference(&end[1], &end[0]);
    double product[3], square[3];
    dot_course(&m, &d, product);
    dot_course(&m, &m, square);
    const double length = sqrt(square[0]);
    if (!(length > 0))
        return 0;
    const double first = square[1] / (2 * length), second = (square[2] / 2 - first * first) / length;
    const double gap = product[0] / length, rate = (product[1] - gap * first) / length;
    const double bent = (product[2] - 2 * rate * first - gap * second) / length;
    return cd_dot3(normal_of(build, row), m.at) < 0 ? -bent : bent;
}

// Of a face psi = eta . (p - x_e) - const, p the vertex of the other body.
static double second(const cd_peg_build *build, int32_t row)
{
    const cd_contact_rows *rows = &build->in->contact;
    const int32_t *separator = pair_of(rows->facet, row);
    const cd_state3 *const body[2] = {&build->start[cd_peg_body_of(build, row, 0)],
                                      &build->start[cd_peg_body_of(build, row, 1)]};
    if (separator && separator[0] >= 0 && separator[1] >= 0)
        return second_of_edges(build, row, body, separator);
    if (!rows->side)
        return 0;
    const bool is_of_b = rows->side[row] == CD_SIDE_B;
    const course eta =
        direction_course(body[is_of_b], is_of_b ? cd_negate3(normal_of(build, row)) : normal_of(build, row));
    const course vertex = point_course(body[!is_of_b], common_point(build, row));
    const course centre = point_course(body[is_of_b], body[is_of_b]->position), d = difference(&vertex, &centre);
    double gap[3];
    dot_course(&eta, &d, gap);
    return gap[2];
}

// [m] Of side s of a row of closest points, where it has its own.
static cd_vec3 closest_of(const cd_peg_build *build, int32_t row, int s)
{
    const cd_contact_rows *rows = &build->in->contact;
    const double *own = own_point(s ? rows->point_b : rows->point_a, row);
    return own ? cd_vec3_at(own) : common_point(build, row);
}

// The closest points where the bodies would be at the velocities of the start; gap NaN where none are known.
static cd_gap3 closest_at_end(const cd_peg_build *build, int32_t row)
{
    const cd_arena_mark mark = cd_arena_get_mark(build->arena);
    cd_solid3 placed[2];
    cd_leaf3 leaf[2];
    for (int s = 0; s < 2; s++) {
        const cd_state3 *at = &build->start[cd_peg_body_of(build, row, s)];
        leaf[s] = cd_leaves3_at(&build->shapes->leaves.space, cd_peg_leaf_of(build, row, s));
        const cd_pose3 pose = cd_state3_pose(cd_state3_advance(*at, at->velocity, at->spin, build->step));
        placed[s] = cd_solid3_place(build->arena, &leaf[s], &pose);
    }
    const cd_pair3 *pair = cd_pair3_for(placed[0].kind, placed[1].kind);
    const cd_gap3 gap = pair ? cd_pair3_gap(pair, &placed[0], &placed[1], build->arena) : (cd_gap3){.gap = NAN};
    cd_arena_rewind(build->arena, mark);
    return gap;
}

// Of closest points: by the gap where the bodies would be, which says what their curvature does too.
static double second_of_closest(const cd_peg_build *build, int32_t row)
{
    const cd_vec3 normal = normal_of(build, row);
    double rate = 0;
    for (int s = 0; s < 2; s++) {
        const cd_state3 *at = &build->start[cd_peg_body_of(build, row, s)];
        const cd_vec3 arm = cd_sub3(closest_of(build, row, s), at->position);
        rate += (s ? 1 : -1) * cd_dot3(normal, cd_add3(at->velocity, cd_cross3(at->spin, arm)));
    }
    const double bent = closest_at_end(build, row).gap - build->in->contact.gap[row] - build->step * rate;
    return isfinite(bent) ? 2 * bent / (build->step * build->step) : 0;
}

static bool way_of_closest(const cd_peg_build *build, int32_t row, cd_vec3 *way)
{
    const cd_gap3 end = closest_at_end(build, row);
    const cd_vec3 both = cd_add3(closest_of(build, row, 0), closest_of(build, row, 1));
    *way = cd_scale3(1 / (2 * build->step), cd_sub3(cd_add3(end.point_a, end.point_b), both));
    return isfinite(end.gap);
}

// ---- tangents ------------------------------------------------------------------------------------------------------

// Velocity of the point of the body in the free motion.
static cd_vec3 free_velocity_at(const cd_peg_build *build, int32_t body, cd_vec3 point)
{
    const double *free = build->free + AXES * (size_t)body;
    return cd_add3(cd_vec3_at(free), cd_cross3(cd_vec3_at(free + 3), cd_sub3(point, build->pose[body].position)));
}

// [1] of 1 + cosine: a normal this near to -k has no smallest rotation to speak of. Smaller: the tangent is lost to
// rounding. Larger: more normals get m, which is not perpendicular to them.
#define NORMAL_OPPOSITE 1e-8

// A unit vector perpendicular to n: the image of a fixed one, m, under the smallest rotation that takes the fixed
// direction k to n (v - (k + n) ((k + n) . v) / (1 + k . n) + 2 n (k . v), with k . m = 0). Continuous in n but at -k.
static cd_vec3 usual_tangent(cd_vec3 n)
{
    static const cd_vec3 k = {0.36, 0.48, 0.8}, m = {0.8, -0.6, 0};
    double c = 1 + cd_dot3(k, n);
    if (!(c > NORMAL_OPPOSITE))
        return m;
    return cd_unit3(cd_sub3(m, cd_scale3(cd_dot3(n, m) / c, cd_add3(k, n))));
}

static void tangent_make(const cd_peg_build *build, int32_t row, const double *at, cd_peg_tangent *tangent)
{
    cd_vec3 n = normal_of(build, row), point = cd_vec3_at(at);
    cd_vec3 relative = cd_sub3(free_velocity_at(build, cd_peg_body_of(build, row, 1), point),
                               free_velocity_at(build, cd_peg_body_of(build, row, 0), point));
    cd_vec3 slip = cd_sub3(relative, cd_scale3(cd_dot3(n, relative), n));
    double least = CD_PEG_SLIP_LEAST * cd_speed_of(build->in, build->settings.length);
    bool is_slipping = cd_length3(slip) > fmax(CD_PEG_SLIP_TOLERANCE * cd_length3(relative), least);
    cd_vec3 first = is_slipping ? cd_unit3(slip) : usual_tangent(n);
    put_columns(build, row, CD_ARM_HALF, first, (cd_vec3[2]){point, point}, tangent->column[0]);
    put_columns(build, row, CD_ARM_HALF, cd_cross3(n, first), (cd_vec3[2]){point, point}, tangent->column[1]);
    const cd_vec3 axis[CD_PEG_TURNS_MAX] = {first, cd_cross3(n, first), n};
    for (int t = 0; t < CD_PEG_TURNS_MAX && cd_peg_has_turns(tangent); t++)
        for (int s = 0; s < 2; s++)
            put_velocity((cd_vec3){0, 0, 0}, turned(build, CD_ARM_HALF, row, s, s ? axis[t] : cd_negate3(axis[t])),
                         tangent->turn[t][s]);
}

const cd_peg_dimension cd_peg_space = {.axes = AXES,
                                       .tangents = 2,
                                       .prepare = prepare,
                                       .start = start_velocity,
                                       .trial = trial_velocity,
                                       .free = free_motion,
                                       .contact = contact_make,
                                       .curvature = curvature,
                                       .second = second,
                                       .second_of_closest = second_of_closest,
                                       .way_of_closest = way_of_closest,
                                       .tangent = tangent_make};
