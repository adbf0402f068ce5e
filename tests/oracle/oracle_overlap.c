// cd-overlap-metric in space against exact arithmetic: frames of convex bodies, compounds and mixtures, random and
// near-degenerate, measured by the tool's stage; every pair of leaves again by rational numbers (polyhedra, halfspaces)
// or numbers of 113 bits (balls, ellipsoids), summed over all pairs without a broad phase.
//
// The reference measures the leaves as the tool placed them. Each total and each pair of bodies must be within the
// error that the tool reports.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "oracle_quad.h"
#include "oracle_volume.h"
#include "overlap_stage.h"
#include "test_solids.h"

enum { SHAPES = 6, LEAVES = 3, BODIES = 7, SCENES = 120, MOST_PARTS = LEAVES * BODIES };
static cd_arena arena;

// ---- references ----------------------------------------------------------------------------------------------------

static quad quad_of(exact x)
{
    // The nearest double, and what it leaves.
    double high = mpq_get_d(x);
    exact rest = exact_sub(x, exact_of(high));
    return (quad)high + (quad)mpq_get_d(rest);
}

static quad cap(quad depth)  // of the unit ball
{
    quad h = depth < 0 ? 0 : depth > 2 ? 2 : depth;
    return quad_pi() * h * h * (3 - h) / 3;
}

typedef struct quad_ellipsoid {
    quad centre[3], axis[3][3], semiaxis[3], volume;  // axis[k]: unit
} quad_ellipsoid;

static quad_ellipsoid ellipsoid_of(const cd_solid3 *leaf)
{
    quad_ellipsoid e = {.volume = 1};
    const cd_mat3 unturned = cd_mat3_identity();
    bool is_ball = leaf->kind == CD_SHAPE_SPHERE;
    cd_vec3 c = is_ball ? leaf->sphere.centre : leaf->ellipsoid.centre;
    double r = leaf->sphere.radius;
    cd_vec3 s = is_ball ? (cd_vec3){r, r, r} : leaf->ellipsoid.semiaxes;
    const cd_mat3 *axes = is_ball ? &unturned : leaf->ellipsoid.axes;
    double centre[3], semiaxis[3], row[3];
    cd_vec3_put(c, centre);
    cd_vec3_put(s, semiaxis);
    for (int i = 0; i < 3; i++) {
        e.centre[i] = centre[i];
        e.semiaxis[i] = semiaxis[i];
        e.volume *= semiaxis[i];
        cd_vec3_put(axes->row[i], row);
        for (int k = 0; k < 3; k++)
            e.axis[k][i] = row[k];
    }
    return e;
}

static quad convex_ellipsoid(const cd_convex3 *c, const cd_solid3 *leaf)
{
    quad_ellipsoid e = ellipsoid_of(leaf);
    quad corner[MOST_LOOP][3];
    for (int32_t i = 0; i < c->vertex_count; i++) {
        cd_vec3 p = cd_convex3_vertex(c, i);
        quad from[3] = {p.x - e.centre[0], p.y - e.centre[1], p.z - e.centre[2]};
        for (int k = 0; k < 3; k++)
            corner[i][k] = quad_dot(e.axis[k], from) / e.semiaxis[k];
    }
    return quad_unit_ball_volume(corner, c->face_count, c->face_first, c->face_vertex) * e.volume;
}

static quad ellipsoid_halfspace(const cd_solid3 *leaf, cd_halfspace b)
{
    quad_ellipsoid e = ellipsoid_of(leaf);
    quad n[3] = {b.normal.x, b.normal.y, b.normal.z}, along[3];
    for (int k = 0; k < 3; k++)
        along[k] = quad_dot(e.axis[k], n) * e.semiaxis[k];
    return cap((b.offset - quad_dot(n, e.centre)) / quad_sqrt(quad_dot(along, along)) + 1) * e.volume;
}

static quad ball_ball(cd_ball a, cd_ball b)
{
    quad from[3] = {(quad)b.centre.x - a.centre.x, (quad)b.centre.y - a.centre.y, (quad)b.centre.z - a.centre.z};
    quad d = quad_sqrt(quad_dot(from, from)), r = a.radius, s = b.radius, least = r < s ? r : s;
    if (d >= r + s)
        return 0;
    if (d <= quad_abs(r - s))
        return cap(2) * least * least * least;
    quad x = (d * d + r * r - s * s) / (2 * d);  // of the circle's plane from a
    return cap(1 - x / r) * r * r * r + cap(1 - (d - x) / s) * s * s * s;
}

static quad leaf_pair(const cd_solid3 *a, const cd_solid3 *b)
{
    if (a->kind > b->kind) {
        const cd_solid3 *swap = a;
        a = b;
        b = swap;
    }
    bool is_halfspace = b->kind == CD_SHAPE_HALFSPACE;
    if (a->kind != CD_SHAPE_POLYHEDRON)
        return is_halfspace ? ellipsoid_halfspace(a, b->halfspace) : ball_ball(a->sphere, b->sphere);
    if (b->kind != CD_SHAPE_POLYHEDRON && !is_halfspace)
        return convex_ellipsoid(&a->convex, b);
    exact volume;
    if (is_halfspace)
        volume = exact_part_below(&a->convex, b->halfspace.normal, b->halfspace.offset);
    else
        exact_volume(&a->convex, &b->convex, &volume);
    quad value = quad_of(volume);
    oracle_release();
    return value;
}

// ---- frames --------------------------------------------------------------------------------------------------------

typedef struct scene {
    cd_model in;
    cd_leaves shapes;
    int32_t first[SHAPES + 1], shape[BODIES], motion[BODIES];
    cd_leaf3 leaf[SHAPES * LEAVES];
    int64_t id[BODIES], index;
    double time, length, position[3 * BODIES], rotation[4 * BODIES];
} scene;

// kind of scene 0: polyhedra, 1: compounds of them, 2: with balls, 3: with ellipsoids and a floor.
static void make_leaf(cd_random *random, int kind, scene *s, int32_t i)
{
    cd_leaf3 *leaf = &s->leaf[i];
    cd_vec3 at = kind == 0 ? (cd_vec3){0, 0, 0} : cd_scale3(test_between(random, 0, 1), test_direction(random));
    int choice = (int)(cd_random_bits(random) % 4);
    cd_vec3 axes = {1, test_between(random, 0.2, 1), test_between(random, 0.2, 1)};
    *leaf = (cd_leaf3){.extent = 3};
    if (kind == 2 && choice > 1) {
        leaf->kind = CD_SHAPE_SPHERE;
        leaf->sphere = (cd_ball){at, choice == 2 ? 0.75 : test_between(random, 0.1, 1)};
        return;
    }
    cd_polyhedron p = choice == 0   ? test_box_between((cd_vec3){-0.5, -0.5, -0.5}, (cd_vec3){0.5, 0.5, 0.5}, &arena)
                      : choice == 1 ? test_hull(random, 4, axes, &arena)
                                    : test_hull(random, 9, axes, &arena);
    bool is_turned = kind != 0 && choice != 0;
    cd_convex3 placed = test_placed(p, at, is_turned ? test_rotation(random) : cd_quat_identity(), &arena);
    cd_vec3 *v = CD_ARENA_ARRAY(&arena, cd_vec3, p.vertex_count);
    for (int32_t k = 0; k < p.vertex_count; k++)
        v[k] = cd_convex3_vertex(&placed, k);
    p.vertex = v;
    *leaf = test_leaf(p, NULL, &arena);
    leaf->extent = 3;
}

static void make_shapes(cd_random *random, int kind, scene *s)
{
    static const cd_mat3 unturned = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    int32_t count = 0;
    for (int i = 0; i < SHAPES; i++) {
        s->first[i] = count;
        int leaves = kind == 0 || kind == 3 ? 1 : 1 + (int)(cd_random_bits(random) % LEAVES);
        for (int k = 0; k < leaves; k++)
            make_leaf(random, kind, s, count++);
    }
    s->first[SHAPES] = count;
    if (kind == 3) {  // one ellipsoid and one halfspace among the shapes; no two ellipsoids meet
        s->leaf[0] = (cd_leaf3){.kind = CD_SHAPE_ELLIPSOID, .extent = 1};
        cd_vec3 semiaxes = {1, test_between(random, 0.1, 1), test_between(random, 0.1, 1)};
        s->leaf[0].ellipsoid = test_ellipsoid(&arena, (cd_vec3){0, 0, 0}, semiaxes, &unturned);
        s->leaf[1] = (cd_leaf3){.kind = CD_SHAPE_HALFSPACE, .extent = INFINITY};
        s->leaf[1].halfspace = (cd_halfspace){test_direction(random), test_between(random, -0.5, 0.5)};
    }
    s->shapes = (cd_leaves){.dim = 3, .first = s->first, .space = {s->first, s->leaf}};
}

// The faces of a turned box are not planar to the bit, so that where two of them coincide but for rounding its planes
// do not say what the exact body is: boxes are near-degenerate unturned only.
static bool may_coincide(const scene *s, int body)
{
    const double *q = s->rotation + 4 * body;
    bool is_turned = q[1] != 0 || q[2] != 0 || q[3] != 0;
    for (int32_t i = s->first[s->shape[body]]; i < s->first[s->shape[body] + 1] && is_turned; i++)
        if (s->leaf[i].kind == CD_SHAPE_POLYHEDRON && s->leaf[i].polyhedron->face_count == 6)
            return false;
    return true;
}

// Anywhere in a small room; every other body near-degenerate: the place and turn of the one before it but for a shift
// of a grid step or next to nothing.
static void make_bodies(cd_random *random, int kind, scene *s)
{
    for (int i = 0; i < BODIES; i++) {
        bool is_near = i % 2 && may_coincide(s, i - 1) && cd_random_bits(random) % 2;
        cd_quat q = is_near                      ? cd_quat_at(s->rotation + 4 * (i - 1))
                    : cd_random_bits(random) % 2 ? cd_quat_identity()
                                                 : test_rotation(random);
        cd_vec3 p = cd_scale3(test_between(random, 0, 1.2), test_direction(random));
        if (is_near) {
            cd_vec3 shift = cd_random_bits(random) % 2
                                ? (cd_vec3){1, 0.5, 0}
                                : cd_scale3(pow(10, -test_between(random, 1, 15)), test_direction(random));
            p = cd_add3(cd_vec3_at(s->position + 3 * (i - 1)), shift);
        }
        s->shape[i] = kind == 3 && i < 2 ? i
                      : kind == 3        ? 2 + i % (SHAPES - 2)
                      : is_near          ? s->shape[i - 1]
                                         : i % SHAPES;
        s->id[i] = 10 + i;
        s->motion[i] = kind == 3 && i == 1 ? CD_MOTION_FIXED : CD_MOTION_DYNAMIC;
        cd_vec3_put(p, s->position + 3 * i);
        const double turn[4] = {q.w, q.x, q.y, q.z};
        memcpy(s->rotation + 4 * i, turn, sizeof turn);
    }
    s->length = 2;  // stated: leaves that no shape rows are behind have no diameters to take it from
    s->in.dim = 3;
    s->in.head.length = &s->length;
    s->in.body.count = BODIES;
    s->in.body.id = s->id;
    s->in.body.shape = s->shape;
    s->in.body.motion = s->motion;
    s->in.body.position = s->position;
    s->in.body.rotation = s->rotation;
    s->in.frame.count = 1;
    s->in.frame.index = &s->index;
    s->in.frame.time = &s->time;
}

typedef struct tally {
    int pairs, overlapping, wrong;
    double worst, largest_error;  // part of the reported error; reported error as a part of the volume
} tally;

static void compare(const scene *s, const cd_overlap_result *result, tally *t)
{
    cd_solid3 *part[BODIES];
    cd_aabb box[LEAVES];
    quad total = 0;
    int listed = 0;
    for (int i = 0; i < BODIES; i++) {
        part[i] = CD_ARENA_ARRAY(&arena, cd_solid3, LEAVES);
        cd_overlap_space.place(&arena, &s->shapes, &s->in, i, -1, part[i], box);
    }
    for (int a = 0; a < BODIES; a++)
        for (int b = a + 1; b < BODIES; b++) {
            quad sum = 0;
            for (int k = 0; k < s->first[s->shape[a] + 1] - s->first[s->shape[a]]; k++)
                for (int m = 0; m < s->first[s->shape[b] + 1] - s->first[s->shape[b]]; m++)
                    sum += leaf_pair(&part[a][k], &part[b][m]);
            total += sum;
            cd_overlap_of_pair found = {a, b, 0, 0};
            if (listed < result->pair_count && result->pair[listed].a == a && result->pair[listed].b == b)
                found = result->pair[listed++];
            double off = (double)quad_abs(found.size - sum);
            t->pairs++;
            t->overlapping += found.size > 0;
            if (found.size > 0) {
                t->worst = fmax(t->worst, off / found.error);
                t->largest_error =
                    found.size > 1e-6 ? fmax(t->largest_error, found.error / found.size) : t->largest_error;
            }
            // Not listed: touching at most, by rounding of bodies of size 2.
            bool is_wrong = off > (found.size > 0 ? found.error : 1e-13);
            if (is_wrong && t->wrong++ < 5)
                printf("# bodies %d and %d: %.17g, wanted %.17g, off by %.3g, error %.3g\n", a, b, found.size,
                       (double)sum, off, found.error);
        }
    CD_CHECK(listed == result->pair_count);
    CD_CHECK((double)quad_abs(result->overlap - total) <= result->error + 1e-13);
}

CD_TEST(overlaps_are_exact_within_their_errors)
{
    static const char *const name[4] = {"polyhedra", "compounds", "with balls", "with an ellipsoid and a floor"};
    cd_random random = {404};
    for (int kind = 0; kind < 4; kind++) {
        tally t = {0};
        for (int i = 0; i < SCENES; i++) {
            cd_arena_reset(&arena);
            scene *s = CD_ARENA_ZARRAY(&arena, scene, 1);
            make_shapes(&random, kind, s);
            make_bodies(&random, kind, s);
            cd_overlap_clock clock = {0};
            cd_overlap_clock_tick(&clock, &s->in);
            cd_overlap_input input = {.in = &s->in, .shapes = &s->shapes, .clock = &clock, .threads = 1};
            cd_overlap_result result;
            cd_diag diag = {0};
            CD_CHECK(cd_overlap_frame(&arena, &input, &result, &diag) == CD_OK);
            CD_CHECK(result.unmeasured == 0);
            compare(s, &result, &t);
        }
        printf(
            "# %s: %d pairs of bodies, %d overlap; worst part of the reported error %.2g, that error at most %.2g of a "
            "volume above 1e-6\n",
            name[kind], t.pairs, t.overlapping, t.worst, t.largest_error);
        CD_CHECK(t.wrong == 0);
        CD_CHECK(t.overlapping > t.pairs / 4);
        CD_CHECK(t.largest_error < 1e-8);
    }
}

int main(void)
{
    CD_RUN(overlaps_are_exact_within_their_errors);
    cd_arena_release(&arena);
    return cd_test_done();
}
