// SPDX-License-Identifier: MIT
#include "cd_separate3.h"

#include "cd_assert.h"
#include "farthest3.h"

// ---- tolerances ----------------------------------------------------------------------------------------------------

// [1] sine of the angle of two edges below which they span no plane. Smaller: normals that are noise. Larger: pairs
// that only such edges separate count as overlapping.
#define EDGES_PARALLEL_SINE 1e-9
// [1] the least applicability of a pair of edges that is a separator. 0 would lose edges at faces that rounding has
// bent; far below it edges would be chosen whose normal is none of the difference's.
#define LEAST_APPLICABILITY (-1e-9)
// [1] of a vector: what an upper bound from it may be too low by, because a separator's normal leaves its arcs by the
// two tolerances above. Smaller: the best separator may be ruled out. Larger: slower.
#define NORMAL_OFF_ARC 4e-9
// [1] of the scale: rounding of a separation, with a wide margin. Smaller and larger: as above.
#define SEPARATION_ROUNDING 1e-14
// [1] of the scale: a separation that no distance takes for an overlap (cd_distance3.h: 4e-15). Larger: slower.
#define CLEARLY_APART 1e-13
// [1] faces whose areas agree to this part are equally large, and numbers decide. Smaller: which face holds a pair of
// equal boxes hangs on rounding. Larger: a smaller face may hold the larger.
#define EQUAL_AREA 2e-9

// ---- a separator at a pose -----------------------------------------------------------------------------------------

cd_vec3 cd_separator3_normal(const cd_separator3 *separator, cd_separate3_pose pose)
{
    switch (separator->kind) {
    case CD_SEPARATOR3_FACE_A:
        return cd_shell3_normal(pose.a, separator->index_a);
    case CD_SEPARATOR3_FACE_B:
        return cd_negate3(cd_shell3_normal(pose.b, separator->index_b));
    case CD_SEPARATOR3_EDGES: {
        cd_vec3 cross = cd_cross3(pose.a->direction[separator->index_a], pose.b->direction[separator->index_b]);
        double sine = cd_length3(cross);
        return sine > EDGES_PARALLEL_SINE ? cd_scale3(separator->sign / sine, cross) : (cd_vec3){0, 0, 0};
    }
    case CD_SEPARATOR3_NONE:
        break;
    }
    return (cd_vec3){0, 0, 0};
}

static double margins_of(cd_separate3_pose pose) { return pose.a->margin + pose.b->margin; }

// From an origin that is the same for both sides: exchanging them changes no bit.
CD_VECTOR_CLONES static double separation_along(cd_vec3 n, cd_separate3_pose pose)
{
    const cd_convex3 *a = pose.a->convex, *b = pose.b->convex;
    cd_vec3 origin = cd_scale3(0.5, cd_add3(a->centre, b->centre));
    double of_a = farthest3(a->x, a->y, a->z, cd_convex3_padded(a->vertex_count), n, origin);
    double of_b = farthest3(b->x, b->y, b->z, cd_convex3_padded(b->vertex_count), cd_negate3(n), origin);
    return -of_b - of_a - margins_of(pose);
}

double cd_separator3_separation(const cd_separator3 *separator, cd_separate3_pose pose)
{
    cd_vec3 n = cd_separator3_normal(separator, pose);
    return n.x == 0 && n.y == 0 && n.z == 0 ? -INFINITY : separation_along(n, pose);
}

// ---- upper bounds --------------------------------------------------------------------------------------------------

// A vector w, of which separation(n) <= n.w - less for every unit n.
typedef struct witness {
    cd_vec3 w;
    double less;
    double length_sq;
} witness;

enum { WITNESSES = 2 };

// A pose with what the search knows of it.
typedef struct view {
    cd_separate3_pose pose;
    double distance;  // [m] below 0: of margins that overlap
    double rounding;  // [m] of the distance and of separations, with a wide margin
    bool is_overlapping;
    cd_simplex3 nearest;  // what the distance is of
    witness witness[WITNESSES];
} view;

static witness witness_make(cd_vec3 w, double less, double scale)
{
    double length = cd_length3(w);
    return (witness){w, less - NORMAL_OFF_ARC * length - SEPARATION_ROUNDING * scale, length * length};
}

static view view_make(cd_separate3_pose pose, const cd_simplex3 *start)
{
    const cd_convex3 *a = pose.a->convex, *b = pose.b->convex;
    cd_distance3 d = cd_distance3_compute(cd_support3_convex(a), cd_support3_convex(b), start);
    cd_vec3 apart = cd_sub3(b->centre, a->centre);
    double scale = cd_length3(apart) + a->radius + b->radius, margins = margins_of(pose);
    view v = {.pose = pose, .distance = d.distance - margins, .rounding = CLEARLY_APART * scale, .nearest = d.simplex};
    v.is_overlapping = d.status == CD_DISTANCE3_OVERLAPPING || v.distance < 0;
    v.witness[0] = witness_make(apart, pose.a->inner_radius + pose.b->inner_radius + margins, scale);
    v.witness[1] = witness_make(cd_sub3(d.point_b, d.point_a), margins, scale);
    return v;
}

static double upper_bound(const view *v, cd_vec3 n)
{
    double first = cd_dot3(n, v->witness[0].w) - v->witness[0].less;
    double second = cd_dot3(n, v->witness[1].w) - v->witness[1].less;
    return first < second ? first : second;
}

// A witness as the edges of one side see it: of side b turned round.
typedef struct side_witness {
    cd_vec3 w;
    double length_sq, needed;
    double *along;  // of each face: n.w
} side_witness;

static void side_witnesses_make(const view *v, const cd_shell3 *shell, double turn, double least, double *along,
                                side_witness *of)
{
    const int32_t faces = shell->convex->face_count;
    for (int k = 0; k < WITNESSES; k++) {
        const witness *bound = &v->witness[k];
        of[k] = (side_witness){cd_scale3(turn, bound->w), bound->length_sq, least + bound->less,
                               along + (size_t)k * (size_t)faces};
        for (int32_t f = 0; f < faces; f++)
            of[k].along[f] = cd_dot3(cd_shell3_normal(shell, f), of[k].w);
    }
}

// May the separation reach what is needed somewhere on the arc between the normals of an edge's faces? The most of n.w
// over the arc is the length of w without its part along the edge e, where that points between the two normals n0
// (left), n1 (right), else the larger of n0.w and n1.w; between them when (n0 x w).e >= 0 and (w x n1).e >= 0.
static bool can_reach(const side_witness *of, const cd_shell3 *shell, int32_t edge)
{
    const int32_t *face = shell->edges->edge[edge].face;
    cd_vec3 direction = shell->direction[edge];
    // That of the nearest points first: of bodies that are apart it leaves out more.
    for (int k = WITNESSES - 1; k >= 0; k--) {
        const double needed = of[k].needed;
        if (of[k].along[face[0]] >= needed || of[k].along[face[1]] >= needed)
            continue;
        double along = cd_dot3(direction, of[k].w), across_sq = of[k].length_sq - along * along;
        if (needed > 0 && across_sq * (1 + NORMAL_OFF_ARC) < needed * needed)
            return false;
        if (cd_dot3(cd_cross3(cd_shell3_normal(shell, face[0]), of[k].w), direction) < 0 ||
            cd_dot3(cd_cross3(of[k].w, cd_shell3_normal(shell, face[1])), direction) < 0)
            return false;
    }
    return true;
}

// ---- the search ----------------------------------------------------------------------------------------------------

typedef struct candidate {
    cd_separator3 separator;
    double value;  // [m] separation at the objective's pose
} candidate;

typedef struct search {
    const view *objective;            // whose separation is to be the largest
    const view *constraint;           // where it must be at least `floor`; NULL: nowhere
    double floor;                     // [m]
    double tie;                       // [m]
    double best;                      // [m]
    double sure;                      // [m] what is below it cannot be chosen
    const cd_separate3_input *outer;  // inner ones of this are left out; NULL: none
    cd_vec3 ahead;                    // those whose normals point against it are left out; zero: none
    CD_LIST(candidate) list;
    cd_arena *arena;
} search;

bool cd_separate3_is_inner(const cd_separate3_input *input, const cd_separator3 *separator)
{
    if (!input->seams)
        return false;
    cd_vec3 n = cd_separator3_normal(separator, input->start);
    return (n.x != 0 || n.y != 0 || n.z != 0) && cd_seams3_is_inner(input->seams, n);
}

// [m] What a separation must be for its separator to be chosen, as far as it is known.
static double least_of(const search *s)
{
    const double near_best = s->best - s->tie;
    return near_best > s->sure ? near_best : s->sure;
}

// n: its normal at the objective's pose.
static void try_separator(search *s, cd_separator3 separator, cd_vec3 n)
{
    if ((n.x == 0 && n.y == 0 && n.z == 0) || cd_dot3(n, s->ahead) < 0)
        return;
    double least = least_of(s);
    if (upper_bound(s->objective, n) < least)
        return;
    double value = separation_along(n, s->objective->pose);
    if (!(value >= least) ||
        (s->constraint && !(cd_separator3_separation(&separator, s->constraint->pose) >= s->floor)) ||
        (s->outer && cd_separate3_is_inner(s->outer, &separator)))
        return;
    candidate found = {separator, value};
    cd_list_push(s->arena, &s->list, found);
    s->best = value > s->best ? value : s->best;
}

// Faces of a, then those of b.
static cd_vec3 face_normal(const view *v, int32_t i)
{
    const int32_t of_a = v->pose.a->convex->face_count;
    return i < of_a ? cd_shell3_normal(v->pose.a, i) : cd_negate3(cd_shell3_normal(v->pose.b, i - of_a));
}

static void try_face(search *s, int32_t i)
{
    const int32_t of_a = s->objective->pose.a->convex->face_count;
    try_separator(s,
                  i < of_a ? (cd_separator3){CD_SEPARATOR3_FACE_A, i, -1, 1}
                           : (cd_separator3){CD_SEPARATOR3_FACE_B, -1, i - of_a, 1},
                  face_normal(s->objective, i));
}

// upper_bound of the normals of all faces of one side; turn -1: of side b, whose normals are turned round.
static void bounds_of_faces(const view *v, const cd_shell3 *shell, double turn, double *bound)
{
    const cd_vec3 first = cd_scale3(turn, v->witness[0].w), second = cd_scale3(turn, v->witness[1].w);
    const double less_first = v->witness[0].less, less_second = v->witness[1].less;
    const cd_plane *plane = shell->convex->plane;
    for (int32_t f = 0; f < shell->convex->face_count; f++) {
        const double a = cd_dot3(plane[f].normal, first) - less_first;
        const double b = cd_dot3(plane[f].normal, second) - less_second;
        bound[f] = a < b ? a : b;
    }
}

// The face of the highest bound first: mostly it is the best, and none of the others is looked at.
static void try_faces(search *s)
{
    const view *v = s->objective;
    const int32_t count = v->pose.a->convex->face_count + v->pose.b->convex->face_count;
    double *bound = CD_ARENA_ARRAY(s->arena, double, count);
    int32_t first = 0;
    bounds_of_faces(v, v->pose.a, 1, bound);
    bounds_of_faces(v, v->pose.b, -1, bound + v->pose.a->convex->face_count);
    for (int32_t i = 1; i < count; i++)
        first = bound[i] > bound[first] ? i : first;
    if (bound[first] >= least_of(s))
        try_face(s, first);
    for (int32_t i = 0; i < count; i++)
        if (i != first && bound[i] >= least_of(s))
            try_face(s, i);
}

// turn -1: of side b.
static int32_t list_edges(const search *s, const view *v, double turn, double least, int32_t *list)
{
    const cd_shell3 *shell = turn > 0 ? v->pose.a : v->pose.b;
    side_witness of[WITNESSES];
    double *along = CD_ARENA_ARRAY(s->arena, double, WITNESSES *(size_t)shell->convex->face_count);
    side_witnesses_make(v, shell, turn, least, along, of);
    int32_t count = 0;
    for (int32_t i = 0; i < shell->edges->count; i++)
        if (can_reach(of, shell, i))
            list[count++] = i;
    return count;
}

// Does a face that was found part the two by all their distance? No pair of edges parts them by more, and of those that
// part them by as much a face is chosen.
static bool is_parted_by_a_face(const search *s) { return s->best >= s->objective->distance - s->objective->rounding; }

typedef struct edge_numbers {
    int32_t a, b;
} edge_numbers;

// If it is applicable at the pose of `v`, where its separation must be at least `least`.
static void try_edge_pair(search *s, const view *v, edge_numbers pair, double least)
{
    const cd_shell3 *a = v->pose.a, *b = v->pose.b;
    cd_edge_branches3 branch = cd_edge_branches3_make(a, pair.a, b, pair.b);
    if (branch.along < LEAST_APPLICABILITY && branch.against < LEAST_APPLICABILITY)  // the sine is at most 1
        return;
    cd_edge_pair3 made = cd_edge_pair3_make(a, pair.a, b, pair.b);
    if (!(made.sine > EDGES_PARALLEL_SINE && made.applicability >= LEAST_APPLICABILITY &&
          upper_bound(v, made.normal) >= least))
        return;
    const cd_separator3 edges = {CD_SEPARATOR3_EDGES, pair.a, pair.b, made.sign};
    try_separator(s, edges, v == s->objective ? made.normal : cd_separator3_normal(&edges, s->objective->pose));
}

// The edge that the corners are the ends of; -1: none.
static int32_t edge_of(const cd_edges3 *edges, const int32_t *corner, int32_t count)
{
    int32_t other = 0;
    for (int32_t k = 1; k < count; k++) {
        if (corner[k] != corner[0] && other > 0 && corner[k] != corner[other])
            return -1;
        other = corner[k] != corner[0] ? k : other;
    }
    return other > 0 ? cd_edges3_find(edges, corner[0], corner[other]) : -1;
}

// The two that are nearest to each other; -1 where other features are.
static edge_numbers nearest_edges(const view *v)
{
    const cd_simplex3 *nearest = &v->nearest;
    const int32_t a = edge_of(v->pose.a->edges, nearest->a, nearest->count);
    return (edge_numbers){a, a < 0 ? -1 : edge_of(v->pose.b->edges, nearest->b, nearest->count)};
}

// Where two edges are nearest their normal mostly parts by all the distance: known before any face is looked at, it
// leaves nearly all of them out. A face that parts by as much, to rounding, is chosen before it, and stays in. They are
// tried again among all pairs of edges, if these are.
static void look_at_nearest_edges(search *s)
{
    const edge_numbers nearest = nearest_edges(s->objective);
    s->sure = -INFINITY;
    if (nearest.b < 0)
        return;
    try_edge_pair(s, s->objective, nearest, -INFINITY);
    if (s->list.count > 0)
        s->sure = s->best - s->tie - 2 * s->objective->rounding;
    s->list.count = 0;
    s->best = -INFINITY;
}

// The pairs of edges that are applicable at the pose of `v`, where their separation must be at least `least`. Those
// that are nearest at the objective's pose first: mostly they are the best, and few of the others are listed.
static void try_edges(search *s, const view *v, double least)
{
    const cd_shell3 *a = v->pose.a, *b = v->pose.b;
    edge_numbers nearest = {-1, -1};
    if (v == s->objective) {
        nearest = nearest_edges(v);
        if (nearest.b >= 0)
            try_edge_pair(s, v, nearest, least);
        least = fmax(least, least_of(s));
    }
    int32_t *list_a = CD_ARENA_ARRAY(s->arena, int32_t, a->edges->count + b->edges->count);
    int32_t *list_b = list_a + a->edges->count;
    int32_t count_a = list_edges(s, v, 1, least, list_a), count_b = list_edges(s, v, -1, least, list_b);
    for (int32_t k = 0; k < count_a; k++)
        for (int32_t m = 0; m < count_b; m++)
            if (list_a[k] != nearest.a || list_b[m] != nearest.b)
                try_edge_pair(s, v, (edge_numbers){list_a[k], list_b[m]}, least);
}

// ---- equally good separators ---------------------------------------------------------------------------------------

static double face_area(const cd_shell3 *shell, int32_t face)
{
    const cd_convex3 *c = shell->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    int32_t count = c->face_first[face + 1] - c->face_first[face];
    cd_vec3 origin = cd_convex3_vertex(c, corner[0]), sum = {0, 0, 0};
    for (int32_t k = 1; k + 1 < count; k++)
        sum = cd_add3(sum, cd_cross3(cd_sub3(cd_convex3_vertex(c, corner[k]), origin),
                                     cd_sub3(cd_convex3_vertex(c, corner[k + 1]), origin)));
    return cd_length3(sum) / 2;
}

static double area_of(const cd_separator3 *separator, cd_separate3_pose pose)
{
    return separator->kind == CD_SEPARATOR3_FACE_A   ? face_area(pose.a, separator->index_a)
           : separator->kind == CD_SEPARATOR3_FACE_B ? face_area(pose.b, separator->index_b)
                                                     : 0;
}

// Negative: f before g. Faces come before edges.
static int compare_separators(const cd_separator3 *f, const cd_separator3 *g, cd_separate3_pose pose)
{
    if ((f->kind == CD_SEPARATOR3_EDGES) != (g->kind == CD_SEPARATOR3_EDGES))
        return f->kind == CD_SEPARATOR3_EDGES ? 1 : -1;
    bool in_order = cd_convex3_in_order(pose.a->convex, pose.b->convex);
    if (f->kind != g->kind)
        return (f->kind == CD_SEPARATOR3_FACE_A) == in_order ? -1 : 1;
    int of_a = (f->index_a > g->index_a) - (f->index_a < g->index_a);
    int of_b = (f->index_b > g->index_b) - (f->index_b < g->index_b);
    int first = in_order ? of_a : of_b, second = in_order ? of_b : of_a;
    return first ? first : second;
}

// The first of those as large as the largest. "As large as" is not transitive, so all are held against the largest one:
// a running choice would depend on the order of the list.
static cd_separator3 pick(const search *s)
{
    cd_separate3_pose pose = s->objective->pose;
    double largest = 0;
    for (int32_t i = 0; i < s->list.count; i++)
        if (s->list.item[i].value >= s->best - s->tie)
            largest = fmax(largest, area_of(&s->list.item[i].separator, pose));
    const cd_separator3 *chosen = NULL;
    for (int32_t i = 0; i < s->list.count; i++) {
        const candidate *c = &s->list.item[i];
        if (c->value >= s->best - s->tie && area_of(&c->separator, pose) >= (1 - EQUAL_AREA) * largest &&
            (!chosen || compare_separators(&c->separator, chosen, pose) < 0))
            chosen = &c->separator;
    }
    return chosen ? *chosen : (cd_separator3){CD_SEPARATOR3_NONE, -1, -1, 1};
}

// ---- the choice ----------------------------------------------------------------------------------------------------

static cd_separator3 best_of(search *s, double *value)
{
    look_at_nearest_edges(s);
    try_faces(s);
    if (!is_parted_by_a_face(s))
        try_edges(s, s->objective, s->best - s->tie);
    *value = s->best;
    return pick(s);
}

// The separator best at a pose. outer: as in search.
static cd_separator3 best_at(const view *v, const cd_separate3_input *outer, double tie, double *value, cd_arena *arena)
{
    search s = {.objective = v, .tie = tie, .best = -INFINITY, .outer = outer, .arena = arena};
    return best_of(&s, value);
}

// Both poses of the step, each looked at when it is first asked for: mostly the predicted one alone.
typedef struct views {
    const cd_separate3_input *input;
    view start, predicted;
    bool has_start, has_predicted;
} views;

static const view *predicted_of(views *of)
{
    if (!of->has_predicted)
        of->predicted = view_make(of->input->predicted, NULL);
    of->has_predicted = true;
    return &of->predicted;
}

static bool is_still(const cd_separate3_input *input)
{
    return input->start.a == input->predicted.a && input->start.b == input->predicted.b;
}

static const view *start_of(views *of)
{
    if (is_still(of->input))
        return predicted_of(of);
    if (!of->has_start)
        of->start = view_make(of->input->start, &predicted_of(of)->nearest);
    of->has_start = true;
    return &of->start;
}

// Of the separators that separate at `start` the one best at `predicted`.
// outer: no inner ones.
static cd_separator3 best_separating(const cd_separate3_input *input, const view *start, const view *predicted,
                                     bool is_outer, cd_arena *arena)
{
    search s = {.objective = predicted,
                .constraint = start,
                .floor = -input->tolerance,
                .tie = input->tie,
                .best = -INFINITY,
                .outer = is_outer ? input : NULL,
                .arena = arena};
    look_at_nearest_edges(&s);
    try_faces(&s);
    if (!is_parted_by_a_face(&s)) {
        try_edges(&s, start, s.floor);
        try_edges(&s, predicted, s.best - s.tie);
    }
    return pick(&s);
}

static cd_separating3 choose_at_start(const cd_separate3_input *input, const view *start, cd_arena *arena)
{
    cd_separating3 result = {.is_inner = false};
    double value;
    result.separator = best_at(start, NULL, input->tie, &value, arena);
    result.bound = value < -input->tolerance ? value : 0;
    return result;
}

static bool is_at_start(const cd_separate3_input *input) { return input->at_start || is_still(input); }

static cd_separating3 choose_near(views *of, cd_arena *arena)
{
    const cd_separate3_input *input = of->input;
    if (is_at_start(input))
        return choose_at_start(input, start_of(of), arena);
    if (!predicted_of(of)->is_overlapping) {
        cd_separating3 result = {.bound = 0};
        double value;
        result.separator = best_at(predicted_of(of), NULL, input->tie, &value, arena);
        double before = value >= 0 ? cd_separator3_separation(&result.separator, input->start) : -INFINITY;
        if (before > -input->slack || before >= 0) {
            if (before < 0 && start_of(of)->is_overlapping)
                result.bound = choose_at_start(input, start_of(of), arena).bound;
            return result;
        }
    }
    cd_separator3 separator = best_separating(input, start_of(of), predicted_of(of), false, arena);
    if (separator.kind != CD_SEPARATOR3_NONE)
        return (cd_separating3){.separator = separator};
    return choose_at_start(input, start_of(of), arena);
}

// The choice among those that are no inner ones; of kind NONE where none of them separates at q_0.
static cd_separator3 choose_outer(views *of, cd_arena *arena)
{
    const cd_separate3_input *input = of->input;
    double value;
    if (is_at_start(input))
        return best_separating(input, start_of(of), start_of(of), true, arena);
    if (!predicted_of(of)->is_overlapping) {
        cd_separator3 separator = best_at(predicted_of(of), input, input->tie, &value, arena);
        if (value >= 0 && cd_separator3_separation(&separator, input->start) >= -input->tolerance)
            return separator;
    }
    return best_separating(input, start_of(of), predicted_of(of), true, arena);
}

// The separator best at q_k, but no inner one as long as another one separates at q_0. What has gone through a sheet is
// near to its other side: there only separators that point as the chosen one are asked. ahead: its normal.
static cd_separator3 best_entered(views *of, const view *current, cd_vec3 ahead, cd_arena *arena)
{
    const cd_separate3_input *input = of->input;
    bool is_of_sheet = input->start.a->is_sheet || input->start.b->is_sheet;
    search s = {.objective = current, .tie = input->tie, .best = -INFINITY, .arena = arena};
    if (is_of_sheet)
        s.ahead = ahead;
    double value;
    cd_separator3 best = best_of(&s, &value);
    if (!cd_separate3_is_inner(input, &best))
        return best;
    cd_separator3 outer = best_separating(input, start_of(of), current, true, arena);
    return outer.kind == CD_SEPARATOR3_NONE ? best : outer;
}

static const cd_separator3 no_separator = {CD_SEPARATOR3_NONE, -1, -1, 1};

static bool is_same(const cd_separator3 *f, const cd_separator3 *g)
{
    return f->kind == g->kind && f->index_a == g->index_a && f->index_b == g->index_b;
}

static bool is_far_at(cd_separate3_pose pose, double reach)
{
    const cd_convex3 *a = pose.a->convex, *b = pose.b->convex;
    double apart = cd_length3(cd_sub3(b->centre, a->centre));
    return apart * (1 - SEPARATION_ROUNDING) - a->radius - b->radius - margins_of(pose) > reach;
}

// Are they farther apart than reach along the line of their centres, beyond all doubt? Two looks at all vertices: less
// than a distance takes, and most pairs whose boxes meet but that have no contact are told by it.
static bool is_beyond(cd_separate3_pose pose, double reach)
{
    const cd_convex3 *a = pose.a->convex, *b = pose.b->convex;
    cd_vec3 between = cd_sub3(b->centre, a->centre);
    double length = cd_length3(between), scale = length + a->radius + b->radius;
    return length > 0 && separation_along(cd_scale3(1 / length, between), pose) > reach + CLEARLY_APART * scale;
}

static bool is_out_of_reach(cd_separate3_pose pose, double reach)
{
    return is_far_at(pose, reach) || is_beyond(pose, reach);
}

static bool is_out_over_step(const cd_separate3_input *input)
{
    return is_out_of_reach(input->start, input->reach) &&
           (is_still(input) || is_out_of_reach(input->predicted, input->reach));
}

// All of the choice that hangs on q_0 and q_pred alone.
static cd_separating3 choose_for_step(views *of, cd_arena *scratch)
{
    const cd_separate3_input *input = of->input;
    cd_separating3 result = choose_near(of, scratch);
    result.entered = no_separator;
    if (cd_separate3_is_inner(input, &result.separator)) {
        cd_separator3 outer = choose_outer(of, scratch);
        result.is_inner = outer.kind == CD_SEPARATOR3_NONE;
        result.separator = result.is_inner ? result.separator : outer;
    }
    return result;
}

// Near at the trial, but apart there by more than along the separator's normal n: another separator may be better.
static bool may_be_near_another(const cd_separate3_input *input, const view *current, cd_vec3 n)
{
    return !input->start.a->is_sheet && !input->start.b->is_sheet && current->distance <= input->near &&
           current->distance - separation_along(n, input->current) > input->tie;
}

static bool is_better_there(const cd_separate3_input *input, const cd_separator3 *other, cd_vec3 n)
{
    return !cd_separate3_is_inner(input, other) &&
           cd_separator3_separation(other, input->current) - separation_along(n, input->current) > input->tie;
}

// What q_k adds to it. current: NULL where it is q_0.
static void look_at_current(views *of, const view *current, cd_separating3 *result, cd_arena *scratch)
{
    const cd_separate3_input *input = of->input;
    cd_vec3 n = cd_separator3_normal(&result->separator, input->current);
    bool has_normal = n.x != 0 || n.y != 0 || n.z != 0, overlaps = current && current->is_overlapping;
    if (has_normal && !overlaps && !(current && may_be_near_another(input, current, n)))
        return;
    cd_separator3 best = best_entered(of, current ? current : start_of(of), n, scratch);
    if (!has_normal)
        result->separator = best;
    else if (!is_same(&best, &result->separator) && (overlaps || is_better_there(input, &best, n)))
        result->entered = best;
}

// Apart at q_k, beyond what rounding leaves open, and not near: then no other separator is asked.
static bool is_apart_by(const cd_separate3_input *input, const cd_separator3 *separator)
{
    const cd_convex3 *a = input->current.a->convex, *b = input->current.b->convex;
    double scale = cd_length3(cd_sub3(b->centre, a->centre)) + a->radius + b->radius;
    return cd_separator3_separation(separator, input->current) > fmax(input->near, CLEARLY_APART * scale);
}

// Edges that turn past being parallel turn the normal round that their sign gives: it points on as it does at q_0.
static cd_separating3 at_current(const cd_separate3_input *input, const cd_separating3 *choice)
{
    cd_separating3 turned = *choice;
    turned.separator =
        cd_separator3_turned(choice->separator, input->current, cd_separator3_normal(&choice->separator, input->start));
    return turned;
}

// Is it within reach at q_0 or q_pred? Where it is at q_pred q_0 is not asked.
static void measure(views *of, cd_separate3_known *known)
{
    const view *predicted = predicted_of(of);
    known->nearest = predicted->distance;
    if (known->nearest > of->input->reach)
        known->nearest = fmin(known->nearest, start_of(of)->distance);
    known->simplex = predicted->nearest;
    known->is_measured = true;
}

cd_separating3 cd_separate3_choose(const cd_separate3_input *input, cd_arena *scratch)
{
    cd_separating3 none = {no_separator, 0, no_separator, false};
    double reach = input->reach;
    bool is_trial = input->current.a != input->start.a || input->current.b != input->start.b;
    // The step's own poses, where nobody knows them yet; without a trial q_k is q_0.
    cd_separate3_known *kept = input->seams ? NULL : input->known;
    cd_separate3_known known = kept && kept->is_measured && is_trial ? *kept : (cd_separate3_known){.is_known = false};
    cd_separating3 result = none;
    if (known.is_known)
        result = at_current(input, &known.choice);
    if (known.is_known && known.nearest <= reach && is_apart_by(input, &result.separator))
        return result;
    const bool is_out = known.is_measured ? known.nearest > reach : is_out_over_step(input);
    if (is_out && (!is_trial || is_out_of_reach(input->current, reach)))
        return none;
    views of = {.input = input};
    if (!known.is_measured)
        measure(&of, &known);
    if (kept)
        *kept = known;
    view current;
    if (is_trial)
        current = view_make(input->current, &known.simplex);
    if (known.nearest > reach && !(is_trial && current.distance <= reach))
        return none;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    if (!known.is_known) {
        known.choice = choose_for_step(&of, scratch);
        known.is_known = true;
        if (kept)
            *kept = known;
        result = at_current(input, &known.choice);
    }
    look_at_current(&of, is_trial ? &current : NULL, &result, scratch);
    cd_arena_rewind(scratch, mark);
    return result;
}
