// The separating facet of two polyhedra: against all facets tried in long double with the formulas of the paper as
// printed (with t vectors), exchange of sides, rigid motion, degenerate bodies, gaps of vertices.
// SPDX-License-Identifier: MIT
#include "cd_separate3.h"

#include "cd_distance3.h"
#include "cd_test.h"
#include "test_solids.h"

// ---- bodies ----------------------------------------------------------------------------------------------------

typedef struct body {
    cd_polyhedron local;
    cd_convex3 convex;
    cd_edges3 edges;
} body;

static body body_of(cd_polyhedron p, cd_arena *arena)
{
    return (body){p, cd_convex3_make(arena, &p, NULL),
                  cd_edges3_make(arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex)};
}

static const cd_shell3 *shell_at(const body *of, cd_vec3 position, cd_quat rotation, cd_arena *arena)
{
    cd_pose3 pose = cd_pose3_make(position, rotation);
    cd_convex3 *placed = CD_ARENA_ARRAY(arena, cd_convex3, 1);
    *placed = cd_convex3_place(arena, &of->convex, &pose);
    cd_edges3 *edges = CD_ARENA_ARRAY(arena, cd_edges3, 1);
    *edges = of->edges;
    cd_shell3 *shell = CD_ARENA_ARRAY(arena, cd_shell3, 1);
    *shell = cd_shell3_make(arena, placed, edges);
    return shell;
}

static body random_body(cd_random *random, cd_arena *arena)
{
    double kind = test_between(random, 0, 4);
    cd_vec3 half = {test_between(random, 0.2, 1), test_between(random, 0.2, 1), test_between(random, 0.2, 1)};
    if (kind < 0.5)
        half.z = 0.002;  // a plate
    if (kind < 1.5)
        return body_of(test_box_between(cd_negate3(half), half, arena), arena);
    return body_of(test_hull(random, 4 + (int32_t)(kind * 3), half, arena), arena);
}

// ---- the slow way ----------------------------------------------------------------------------------------------

typedef long double real;
typedef struct real3 {
    real x, y, z;
} real3;

static real3 wide(cd_vec3 v) { return (real3){v.x, v.y, v.z}; }
static real3 minus(real3 a, real3 b) { return (real3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static real dot(real3 a, real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static real3 times(real s, real3 a) { return (real3){s * a.x, s * a.y, s * a.z}; }
static real3 cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static real3 unit(real3 a) { return times(1 / sqrtl(dot(a, a)), a); }
static real3 corner_of(const cd_shell3 *s, int32_t i) { return wide(cd_shell3_vertex(s, i)); }

static real3 face_normal(const cd_shell3 *s, int32_t face)
{
    const cd_convex3 *c = s->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    real3 p = corner_of(s, corner[0]), q = corner_of(s, corner[1]), r = corner_of(s, corner[2]);
    return unit(cross(minus(q, p), minus(r, p)));
}

static real slow_separation(real3 n, cd_separate3_pose at)
{
    real most = -INFINITY, least = INFINITY;
    real3 origin = corner_of(at.a, 0);
    for (int32_t i = 0; i < at.a->convex->vertex_count; i++)
        most = fmaxl(most, dot(n, minus(corner_of(at.a, i), origin)));
    for (int32_t i = 0; i < at.b->convex->vertex_count; i++)
        least = fminl(least, dot(n, minus(corner_of(at.b, i), origin)));
    return least - most;
}

static real3 edge_direction(const cd_shell3 *s, int32_t edge)
{
    const int32_t *v = s->edges->edge[edge].vertex;
    return unit(minus(corner_of(s, v[1]), corner_of(s, v[0])));
}

static real lesser(real a, real b) { return a < b ? a : b; }

// (31) as it stands.
static real slow_applicability(cd_separate3_pose at, int32_t i, int32_t j, int32_t *sign, real *sine)
{
    real3 ea = edge_direction(at.a, i), eb = edge_direction(at.b, j), c = cross(ea, eb);
    const int32_t *fa = at.a->edges->edge[i].face, *fb = at.b->edges->edge[j].face;
    *sine = sqrtl(dot(c, c));
    *sign = -1;
    if (*sine < 1e-9L)
        return -2;
    real3 n = times(1 / *sine, c);
    real a1 = dot(n, cross(face_normal(at.a, fa[0]), ea)), a2 = dot(n, cross(ea, face_normal(at.a, fa[1])));
    real b1 = dot(n, cross(face_normal(at.b, fb[0]), eb)), b2 = dot(n, cross(eb, face_normal(at.b, fb[1])));
    real first = lesser(lesser(a1, a2), lesser(-b1, -b2)), second = lesser(lesser(-a1, -a2), lesser(b1, b2));
    *sign = second > first ? 1 : -1;
    return second > first ? second : first;
}

static real3 slow_normal(const cd_facet3 *f, cd_separate3_pose at)
{
    if (f->kind == CD_FACET3_FACE_A)
        return face_normal(at.a, f->index_a);
    if (f->kind == CD_FACET3_FACE_B)
        return times(-1, face_normal(at.b, f->index_b));
    return times(f->sign, unit(cross(edge_direction(at.a, f->index_a), edge_direction(at.b, f->index_b))));
}

typedef struct slow_facet {
    cd_facet3 facet;
    real at_start, at_predicted;
} slow_facet;

enum { MOST_FACETS = 20000 };

static int32_t list_facets(cd_separate3_pose at, const cd_separate3_input *input, slow_facet *list)
{
    int32_t count = 0;
    for (int32_t f = 0; f < at.a->convex->face_count; f++)
        list[count++].facet = (cd_facet3){CD_FACET3_FACE_A, f, -1, 1};
    for (int32_t f = 0; f < at.b->convex->face_count; f++)
        list[count++].facet = (cd_facet3){CD_FACET3_FACE_B, -1, f, 1};
    for (int32_t i = 0; i < at.a->edges->count; i++)
        for (int32_t j = 0; j < at.b->edges->count; j++) {
            int32_t sign;
            real sine;
            if (slow_applicability(at, i, j, &sign, &sine) >= -1e-9L && sine > 1e-9L)
                list[count++].facet = (cd_facet3){CD_FACET3_EDGES, i, j, sign};
        }
    for (int32_t k = 0; k < count; k++) {
        list[k].at_start = slow_separation(slow_normal(&list[k].facet, input->start), input->start);
        list[k].at_predicted = slow_separation(slow_normal(&list[k].facet, input->predicted), input->predicted);
    }
    return count;
}

// What the chosen facet must be worth.
typedef struct slow_choice {
    int rule;
    real value;  // at the start for rule 3, else at the predicted pose
    real bound;
    bool is_close;  // to where the rules change
} slow_choice;

static slow_choice choose_slowly(const cd_separate3_input *input, slow_facet *list)
{
    int32_t first = list_facets(input->start, input, list);
    real best_start = -INFINITY, best_predicted = -INFINITY, best_both = -INFINITY, before = 0;
    for (int32_t k = 0; k < first; k++)
        best_start = fmaxl(best_start, list[k].at_start);
    int32_t count = first + list_facets(input->predicted, input, list + first);
    for (int32_t k = first; k < count; k++)
        if (list[k].at_predicted > best_predicted) {
            best_predicted = list[k].at_predicted;
            before = list[k].at_start;
        }
    for (int32_t k = 0; k < count; k++)
        if (list[k].at_start >= -(real)input->tolerance)
            best_both = fmaxl(best_both, list[k].at_predicted);
    real bound = best_start < -(real)input->tolerance ? best_start : 0;
    bool is_close = fabsl(best_start) < 1e-11L || fabsl(best_predicted) < 1e-11L ||
                    fabsl(before + (real)input->slack) < 1e-11L;
    if (input->at_start || input->start.a == input->predicted.a)
        return (slow_choice){3, best_start, bound, false};
    if (best_predicted >= 0 && before > -(real)input->slack)
        return (slow_choice){1, best_predicted, bound, is_close};
    if (best_both > -INFINITY)
        return (slow_choice){2, best_both, bound, is_close};
    return (slow_choice){3, best_start, bound, is_close};
}

// ---- pairs in motion -------------------------------------------------------------------------------------------

typedef struct scene {
    body a, b;
    cd_vec3 place_a[2], place_b[2];
    cd_quat turn_a[2], turn_b[2];
} scene;

static cd_quat turned(cd_quat q, double by, cd_random *random)
{
    return cd_quat_unit(cd_quat_product(cd_quat_from_vector(cd_scale3(by, test_direction(random))), q));
}

// Bodies brought to `gap` of touching along the line of their centres at the start, which then move.
static scene random_scene(cd_random *random, double gap, double motion, cd_arena *arena)
{
    scene s = {.a = random_body(random, arena), .b = random_body(random, arena)};
    cd_vec3 d = test_direction(random);
    s.turn_a[0] = test_rotation(random);
    s.turn_b[0] = test_rotation(random);
    s.place_a[0] = (cd_vec3){0.3, -0.2, 0.1};
    s.place_b[0] = cd_add3(s.place_a[0], cd_scale3(8, d));
    for (int k = 0; k < 8; k++) {
        const cd_shell3 *a = shell_at(&s.a, s.place_a[0], s.turn_a[0], arena);
        const cd_shell3 *b = shell_at(&s.b, s.place_b[0], s.turn_b[0], arena);
        double distance = cd_distance3_compute(cd_support3_convex(a->convex), cd_support3_convex(b->convex), NULL).distance;
        s.place_b[0] = cd_sub3(s.place_b[0], cd_scale3(distance, d));
    }
    s.place_b[0] = cd_add3(s.place_b[0], cd_scale3(gap, d));
    s.place_a[1] = cd_add3(s.place_a[0], cd_scale3(motion, test_direction(random)));
    s.place_b[1] = cd_add3(s.place_b[0], cd_scale3(motion, test_direction(random)));
    s.turn_a[1] = turned(s.turn_a[0], motion, random);
    s.turn_b[1] = turned(s.turn_b[0], motion, random);
    return s;
}

static cd_separate3_input input_of(const scene *s, cd_arena *arena)
{
    cd_separate3_input input = {.reach = 1e9, .slack = 0.03, .tolerance = 1e-12};
    input.start.a = shell_at(&s->a, s->place_a[0], s->turn_a[0], arena);
    input.start.b = shell_at(&s->b, s->place_b[0], s->turn_b[0], arena);
    input.predicted.a = shell_at(&s->a, s->place_a[1], s->turn_a[1], arena);
    input.predicted.b = shell_at(&s->b, s->place_b[1], s->turn_b[1], arena);
    input.current = input.start;
    return input;
}

static cd_separate3_pose swap(cd_separate3_pose pose) { return (cd_separate3_pose){pose.b, pose.a}; }

static cd_separate3_input swap_input(cd_separate3_input input)
{
    input.start = swap(input.start);
    input.predicted = swap(input.predicted);
    input.current = swap(input.current);
    return input;
}

static bool is_same_but_swapped(cd_separating3 one, cd_separating3 other)
{
    cd_facet3_kind kind = other.facet.kind == CD_FACET3_FACE_A   ? CD_FACET3_FACE_B
                          : other.facet.kind == CD_FACET3_FACE_B ? CD_FACET3_FACE_A
                                                                 : other.facet.kind;
    return one.facet.kind == kind && one.facet.index_a == other.facet.index_b &&
           one.facet.index_b == other.facet.index_a && one.facet.sign == other.facet.sign && one.bound == other.bound;
}

CD_TEST(the_facet_is_as_good_as_the_best_of_all)
{
    static const double gaps[] = {1e-9, 1e-3, 0.03, 0, -0.01, -0.1, -0.5, 0.5};
    static slow_facet list[2 * MOST_FACETS];
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {11};
    int by_rule[4] = {0}, edges = 0, bounds = 0;
    for (int round = 0; round < 1600; round++) {
        scene s = random_scene(&random, gaps[round % 8], round % 3 == 0 ? 0.003 : round % 3 == 1 ? 0.03 : 0.3, &arena);
        cd_separate3_input input = input_of(&s, &arena);
        input.at_start = round % 7 == 0;
        slow_choice want = choose_slowly(&input, list);
        cd_separating3 got = cd_separate3_choose(&input, &scratch);
        if (!want.is_close) {
            cd_separate3_pose at = want.rule == 3 ? input.start : input.predicted;
            CD_CHECK_NEAR((double)slow_separation(slow_normal(&got.facet, at), at), (double)want.value, 3e-12);
            CD_CHECK_NEAR(cd_facet3_separation(&got.facet, at), (double)want.value, 3e-12);
            CD_CHECK_NEAR(got.bound, (double)want.bound, 1e-13);
            by_rule[want.rule]++;
            edges += got.facet.kind == CD_FACET3_EDGES;
            bounds += got.bound < 0;
        }
        cd_separate3_input other = swap_input(input);
        CD_CHECK(is_same_but_swapped(got, cd_separate3_choose(&other, &scratch)));
        cd_arena_reset(&arena);
    }
    CD_CHECK(by_rule[1] > 200 && by_rule[2] > 200 && by_rule[3] > 200 && edges > 300 && bounds > 200);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(the_facet_is_as_good_as_the_best_of_all);
    return cd_test_done();
}
