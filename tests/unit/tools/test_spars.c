// Sparsification of contacts: the rule read by brute force over random contacts, bodies and adjacencies; what must not
// matter (order of rows and bodies, numbering, scale, a second pass); edges of the rule; history; bodies with many
// contacts.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_rows.h"
#include "cd_test.h"
#include "spars_stage.h"

#include <float.h>
#include <stdlib.h>

static int32_t below(cd_random *random, int32_t limit) { return (int32_t)(cd_random_bits(random) % (uint64_t)limit); }

// ---- models --------------------------------------------------------------------------------------------------------

enum { SHAPES = 6, PARTS = 14, PAIRS = 12, VERTICES = 9, TRIANGLES = 7 };

// 0 sphere; 1 facets of 7 random triangles; 2 compound of four 0; 3 compound of 2, 1, 0, 2; 4 compound of 3 and 1;
// 5 compound of 2, without pairs of its own. In 2-D shape 1 is a sphere.
typedef struct shapes {
    int64_t id[SHAPES];
    int32_t kind[SHAPES], vertex_offset[SHAPES + 1], triangle_offset[SHAPES + 1], triangle[3 * TRIANGLES];
    int32_t part_offset[SHAPES + 1], part[PARTS], pair_offset[SHAPES + 1], pair[2 * PAIRS];
    double vertex[3 * VERTICES];
} shapes;

static const int32_t leaves_in_space[SHAPES] = {1, TRIANGLES, 4, 9 + TRIANGLES, 9 + 2 * TRIANGLES, 4};
static const int32_t leaves_in_plane[SHAPES] = {1, 1, 4, 10, 11, 4};

static int32_t leaf_count(const cd_model *in, int32_t shape)
{
    return in->dim == 3 ? leaves_in_space[shape] : leaves_in_plane[shape];
}

static void add_shapes(cd_model *in, cd_arena *arena, cd_random *random)
{
    static const int32_t part_offset[SHAPES + 1] = {0, 0, 0, 4, 8, 10, 11};
    static const int32_t part[11] = {0, 0, 0, 0, 2, 1, 0, 2, 3, 1, 2}, pairs_to[SHAPES + 1] = {0, 0, 0, 3, 8, 12, 12};
    shapes *s = cd_arena_zalloc(arena, sizeof *s);
    memcpy(s->part_offset, part_offset, sizeof part_offset);
    memcpy(s->part, part, sizeof part);
    memcpy(s->pair_offset, pairs_to, sizeof pairs_to);
    for (int i = 0; i < SHAPES; i++) {
        s->id[i] = 10 + i;
        s->kind[i] = i >= 2 ? CD_SHAPE_COMPOUND : i == 1 && in->dim == 3 ? CD_SHAPE_FACETS : CD_SHAPE_SPHERE;
        s->vertex_offset[i + 1] = i >= 1 ? VERTICES : 0;
        s->triangle_offset[i + 1] = i >= 1 ? TRIANGLES : 0;
        for (int32_t k = pairs_to[i]; k < pairs_to[i + 1]; k++) {  // also pairs twice, and of one leaf
            s->pair[2 * k] = below(random, leaf_count(in, i));
            s->pair[2 * k + 1] = below(random, leaf_count(in, i));
        }
    }
    for (int k = 0; k < 3 * TRIANGLES; k++)
        s->triangle[k] = below(random, VERTICES);
    in->shape = (cd_shape_rows){.count = SHAPES, .id = s->id, .kind = s->kind};
    in->shape.vertices = (cd_list){s->vertex_offset, {s->vertex}};
    in->shape.triangles = (cd_list){s->triangle_offset, {s->triangle}};
    in->shape.parts_shape = (cd_list){s->part_offset, {s->part}};
    in->shape.adjacent = (cd_list){s->pair_offset, {s->pair}};
}

static void add_bodies(cd_model *in, cd_arena *arena, cd_random *random, int32_t count)
{
    in->body = (cd_body_rows){.count = count};
    CD_COLUMN(arena, in->dim, body, &in->body, id);
    CD_COLUMN(arena, in->dim, body, &in->body, shape);
    int32_t first = below(random, count);
    for (int32_t i = 0; i < count; i++) {
        in->body.id[i] = 100 - 7 * ((i + first) % count);  // rows are not in the order of ids
        in->body.shape[i] = below(random, SHAPES + 1) - 1;
    }
    double *epsilon = CD_ARENA_ARRAY(arena, double, 1);
    int64_t *index = CD_ARENA_ZARRAY(arena, int64_t, 1);
    *epsilon = 1e-6;
    in->head = (cd_head_rows){.count = 1, .epsilon = epsilon};
    in->frame = (cd_frame_rows){.count = 1, .index = index};
}

// Points on a lattice of 0.25 in the cube from 0 to `size`; areas with many ties, zeros and absences.
static void add_contacts(cd_model *in, cd_arena *arena, cd_random *random, int32_t count, double size)
{
    static const double areas[8] = {NAN, 0, 1, 1, 9, 10, 100, 1000};
    cd_contact_rows *contact = &in->contact;
    *contact = (cd_contact_rows){.count = count};
    int64_t *id = CD_COLUMN(arena, in->dim, contact, contact, id);
    int32_t *a = CD_COLUMN(arena, in->dim, contact, contact, a), *b = CD_COLUMN(arena, in->dim, contact, contact, b);
    double *point = CD_COLUMN(arena, in->dim, contact, contact, point);
    double *area = CD_COLUMN(arena, in->dim, contact, contact, area);
    int32_t *kind = CD_COLUMN(arena, in->dim, contact, contact, kind);
    int32_t *surfaces = CD_COLUMN(arena, in->dim, contact, contact, surfaces);
    for (int32_t i = 0; i < count; i++) {
        id[i] = 3 * i + 5;
        kind[i] = CD_CONTACT_VOLUME;
        a[2 * i] = below(random, in->body.count);
        b[2 * i] = (a[2 * i] + 1 + below(random, in->body.count - 1)) % in->body.count;
        for (int side = 0; side < 2; side++) {
            int32_t *site = (side ? b : a) + 2 * i, shape = in->body.shape[site[0]];
            site[1] = below(random, shape < 0 ? 3 : leaf_count(in, shape));
        }
        for (int k = 0; k < in->dim; k++)
            point[in->dim * i + k] = 0.25 * below(random, (int32_t)(4 * size));
        area[i] = areas[below(random, 8)];
        surfaces[2 * i] = below(random, 2);
        surfaces[2 * i + 1] = i;  // no two contacts are the same
    }
}

// Up to most_bodies bodies and most_contacts contacts.
static cd_model random_model(cd_arena *arena, cd_random *random, int dim, int32_t most_bodies, int32_t most_contacts,
                             double size)
{
    cd_model in = {.dim = dim};
    int32_t bodies = 2 + below(random, most_bodies - 1);
    int32_t contacts = 1 + below(random, most_contacts);
    add_shapes(&in, arena, random);
    add_bodies(&in, arena, random, bodies);
    add_contacts(&in, arena, random, contacts, size);
    return in;
}

static cd_contact_rows run(cd_arena *arena, const cd_model *in, const cd_spars_options *options,
                           cd_spars_history *history, cd_spars_counts *counts)
{
    cd_spars_stage stage = {.options = options, .history = history};
    cd_spars_counts own_counts;
    cd_contact_rows out = {0};
    cd_diag diag = {0};
    cd_refs refs = {0};
    CD_CHECK(cd_adjacency_make(arena, in, &refs, &stage.adjacency, &diag) == CD_OK);
    CD_CHECK(cd_spars_frame(arena, &stage, in, &out, counts ? counts : &own_counts, &diag) == CD_OK);
    return out;
}

// ---- the rule by brute force ---------------------------------------------------------------------------------------

static bool leaves_adjoin(const cd_model *in, int32_t shape, int32_t i, int32_t j)
{
    if (i == j)
        return true;
    const cd_shape_rows *rows = &in->shape;
    if (rows->kind[shape] == CD_SHAPE_FACETS)
        for (int k = 0; k < 9; k++)
            if (rows->triangles.i32[3 * i + k / 3] == rows->triangles.i32[3 * j + k % 3])
                return true;
    if (rows->kind[shape] != CD_SHAPE_COMPOUND)
        return false;
    for (int32_t k = rows->adjacent.offset[shape]; k < rows->adjacent.offset[shape + 1]; k++) {
        const int32_t *pair = rows->adjacent.i32 + 2 * k;
        if ((pair[0] == i && pair[1] == j) || (pair[0] == j && pair[1] == i))
            return true;
    }
    for (int32_t k = rows->parts_shape.offset[shape]; k < rows->parts_shape.offset[shape + 1]; k++) {
        int32_t part = rows->parts_shape.i32[k], leaves = leaf_count(in, part);
        if (i < leaves && j < leaves)
            return i >= 0 && j >= 0 && leaves_adjoin(in, part, i, j);
        i -= leaves;
        j -= leaves;
        if (i < 0 || j < 0)
            return false;
    }
    return false;
}

static const int32_t *site_of(const cd_model *in, int32_t i, int side)
{
    return (side ? in->contact.b : in->contact.a) + 2 * i;
}

static bool is_larger(double a, double b) { return (isnan(b) && !isnan(a)) || a > b; }

// Is contact i visited before j?
static bool comes_before(const cd_model *in, const bool *is_new, int32_t i, int32_t j)
{
    if (is_new && is_new[i] != is_new[j])
        return is_new[j];
    double area_i = in->contact.area[i], area_j = in->contact.area[j];
    if (is_larger(area_i, area_j) || is_larger(area_j, area_i))
        return is_larger(area_i, area_j);
    for (int side = 0; side < 2; side++) {
        const int32_t *p = site_of(in, i, side), *q = site_of(in, j, side);
        if (p[0] != q[0])
            return in->body.id[p[0]] < in->body.id[q[0]];
        if (p[1] != q[1])
            return p[1] < q[1];
    }
    const int32_t *p = in->contact.surfaces + 2 * i, *q = in->contact.surfaces + 2 * j;
    return p[0] != q[0] ? p[0] < q[0] : p[1] < q[1];
}

// What the kept contact j does to contact i.
static cd_spars_verdict judge(const cd_model *in, const cd_spars_rule *rule, int32_t i, int32_t j)
{
    bool share = false, adjoin = false;
    for (int k = 0; k < 4; k++) {
        const int32_t *p = site_of(in, i, k / 2), *q = site_of(in, j, k % 2);
        if (p[0] != q[0])
            continue;
        int32_t shape = in->body.shape[p[0]];
        share = true;
        adjoin = adjoin || (shape < 0 ? p[1] == q[1] : leaves_adjoin(in, shape, p[1], q[1]));
    }
    if (adjoin && in->contact.area[i] < rule->threshold * in->contact.area[j])
        return CD_SPARS_DELETED_AREA;
    long double sum = 0;
    for (int k = 0; k < in->dim; k++) {
        long double d = (long double)in->contact.point[in->dim * i + k] - in->contact.point[in->dim * j + k];
        sum += d * d;
    }
    return share && sqrtl(sum) < rule->mindist ? CD_SPARS_DELETED_DISTANCE : CD_SPARS_KEPT;
}

// is_new: NULL, all are.
static void brute_force(const cd_model *in, const cd_spars_rule *rule, const bool *is_new, int *verdict)
{
    int32_t count = in->contact.count, *visit = malloc((size_t)count * sizeof *visit);
    for (int32_t i = 0; i < count; i++) {
        int32_t place = i;
        for (; place > 0 && comes_before(in, is_new, i, visit[place - 1]); place--)
            visit[place] = visit[place - 1];
        visit[place] = i;
    }
    for (int32_t i = 0; i < count; i++) {
        int *mine = &verdict[visit[i]];
        bool survives = is_new && !is_new[visit[i]], is_small = in->contact.area[visit[i]] < rule->minarea;
        *mine = is_small && !survives ? CD_SPARS_DELETED_MINAREA : CD_SPARS_KEPT;
        for (int32_t j = 0; j < i && !survives && *mine != CD_SPARS_DELETED_MINAREA; j++) {
            if (verdict[visit[j]] != CD_SPARS_KEPT)
                continue;
            cd_spars_verdict next = judge(in, rule, visit[i], visit[j]);
            if (next != CD_SPARS_KEPT && *mine != CD_SPARS_DELETED_AREA)
                *mine = (int)next;
        }
    }
    free(visit);
}

static cd_spars_options random_options(cd_random *random)
{
    static const double threshold[5] = {0, 0.01, 0.1, 0.5, 1}, minarea[3] = {0, 0, 1};
    static const double mindist[5] = {0, 0.25, 0.3, 0.5, 2};
    cd_spars_options options = {0};
    options.rule.threshold = threshold[below(random, 5)];
    options.rule.minarea = minarea[below(random, 3)];
    options.rule.mindist = mindist[below(random, 5)];
    return options;
}

// ---- tests ---------------------------------------------------------------------------------------------------------

CD_TEST(brute_force_gives_the_same)
{
    cd_random random = {1};
    cd_arena arena = {0};
    int64_t seen[CD_SPARS_VERDICT_COUNT] = {0};
    for (int round = 0; round < 600; round++) {
        cd_model in = random_model(&arena, &random, 2 + round % 2, 41, 160, 1 + round % 8);
        cd_spars_options options = random_options(&random);
        int *want = calloc((size_t)in.contact.count, sizeof *want), wanted[CD_SPARS_VERDICT_COUNT] = {0};
        cd_spars_counts counts;
        brute_force(&in, &options.rule, NULL, want);
        cd_contact_rows out = run(&arena, &in, &options, NULL, &counts);
        int32_t next = 0;
        for (int32_t i = 0; i < in.contact.count; i++) {
            wanted[want[i]]++;
            seen[want[i]]++;
            if (want[i] == CD_SPARS_KEPT) {
                CD_CHECK(next < out.count && out.id[next] == in.contact.id[i]);
                next++;
            }
        }
        CD_CHECK(next == out.count);
        for (int v = 0; v < CD_SPARS_VERDICT_COUNT; v++)
            CD_CHECK(counts.verdict[v] == wanted[v]);
        free(want);
        cd_arena_reset(&arena);
    }
    for (int v = CD_SPARS_KEPT; v < CD_SPARS_VERDICT_COUNT; v++)
        CD_CHECK(seen[v] > 500);
    cd_arena_release(&arena);
}

static void shuffle(cd_random *random, int32_t *order, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        order[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = below(random, i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

// The same model with contacts and bodies in another order.
static cd_model shuffled(cd_arena *arena, cd_random *random, const cd_model *in)
{
    cd_model other = *in;
    int32_t *order = CD_ARENA_ARRAY(arena, int32_t, in->contact.count);
    int32_t *bodies = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    shuffle(random, order, in->contact.count);
    shuffle(random, bodies, in->body.count);
    cd_rows_select(arena, &cd_records[CD_REC_contact], in->dim, (cd_rows *)&other.contact,
                   (const cd_rows *)&in->contact, order, in->contact.count);
    cd_rows_select(arena, &cd_records[CD_REC_body], in->dim, (cd_rows *)&other.body, (const cd_rows *)&in->body, bodies,
                   in->body.count);
    for (int32_t i = 0; i < 2 * other.contact.count; i += 2)
        for (int32_t k = 0, a = other.contact.a[i], b = other.contact.b[i]; k < in->body.count; k++) {
            if (bodies[k] == a)
                other.contact.a[i] = k;
            if (bodies[k] == b)
                other.contact.b[i] = k;
        }
    return other;
}

CD_TEST(order_and_numbers_do_not_matter)
{
    cd_random random = {2};
    cd_arena arena = {0};
    for (int round = 0; round < 200; round++) {
        cd_model in = random_model(&arena, &random, 2 + round % 2, 31, 300, 4);
        cd_spars_options options = random_options(&random);
        cd_model other = shuffled(&arena, &random, &in);
        cd_contact_rows want = run(&arena, &in, &options, NULL, NULL), got = run(&arena, &other, &options, NULL, NULL);
        CD_CHECK(got.count == want.count);
        CD_CHECK(got.count != want.count || !memcmp(got.id, want.id, (size_t)want.count * sizeof *want.id));
        // numbered by row: the last surface tells which contact it is
        for (int32_t i = 0; i < other.contact.count; i++)
            other.contact.id[i] = i;
        got = run(&arena, &other, &options, NULL, NULL);
        bool *is_wanted = CD_ARENA_ZARRAY(&arena, bool, in.contact.count);
        for (int32_t i = 0; i < want.count; i++)
            is_wanted[want.surfaces[2 * i + 1]] = true;
        CD_CHECK(got.count == want.count);
        for (int32_t i = 0; i < got.count; i++)
            CD_CHECK(is_wanted[got.surfaces[2 * i + 1]] && (i == 0 || got.id[i] > got.id[i - 1]));
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(a_second_pass_deletes_nothing)
{
    cd_random random = {3};
    cd_arena arena = {0};
    for (int round = 0; round < 200; round++) {
        cd_model in = random_model(&arena, &random, 3, 31, 300, 4);
        cd_spars_options options = random_options(&random);
        options.keep_deleted = round % 2;
        cd_spars_counts first, second;
        cd_model once = in;
        once.contact = run(&arena, &in, &options, NULL, &first);
        cd_contact_rows twice = run(&arena, &once, &options, NULL, &second);
        CD_CHECK(twice.count == once.contact.count);
        CD_CHECK(!memcmp(twice.id, once.contact.id, (size_t)twice.count * sizeof *twice.id));
        if (options.keep_deleted) {
            CD_CHECK(twice.count == in.contact.count);
            CD_CHECK(!memcmp(twice.status, once.contact.status, (size_t)twice.count * sizeof *twice.status));
        }
        CD_CHECK(second.verdict[CD_SPARS_KEPT] == first.verdict[CD_SPARS_KEPT]);
        options.keep_deleted = false;  // what is marked goes, what is kept stays
        CD_CHECK(run(&arena, &once, &options, NULL, NULL).count == first.verdict[CD_SPARS_KEPT]);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(scale_moves_with_mindist)
{
    cd_random random = {4};
    cd_arena arena = {0};
    int64_t deleted = 0;
    static const double scales[6] = {0x1p-900, 0x1p-520, 0x1p-30, 0x1p30, 0x1p520, 0x1p900};
    for (int round = 0; round < 60; round++) {
        cd_model in = random_model(&arena, &random, 3, 6, 600, 3);
        cd_spars_options options = {.rule = {0, 0, 0.5}};
        cd_contact_rows want = run(&arena, &in, &options, NULL, NULL);
        deleted += in.contact.count - want.count;
        for (int32_t i = 0; i < 3 * in.contact.count; i++)
            in.contact.point[i] *= scales[round % 6];
        options.rule.mindist *= scales[round % 6];
        cd_contact_rows got = run(&arena, &in, &options, NULL, NULL);
        CD_CHECK(got.count == want.count && !memcmp(got.id, want.id, (size_t)want.count * sizeof *want.id));
        cd_arena_reset(&arena);
    }
    CD_CHECK(deleted > 1000);
    cd_arena_release(&arena);
}

// Far from the origin the grid's cells would be too many to count with mindist alone.
CD_TEST(far_points_and_tiny_distances)
{
    cd_random random = {5};
    cd_arena arena = {0};
    for (int round = 0; round < 60; round++) {
        cd_model in = random_model(&arena, &random, 2, 4, 400, 4);
        double far = ldexp(1, 10 * below(&random, 12)), ulp = far * DBL_EPSILON;
        for (int32_t i = 0; i < 2 * in.contact.count; i++)
            in.contact.point[i] = far + 4 * ulp * in.contact.point[i];
        cd_spars_options options = {.rule = {0.1, 0, round % 5 ? ulp * (1 + below(&random, 4)) : 1e-300}};
        int *want = calloc((size_t)in.contact.count, sizeof *want);
        brute_force(&in, &options.rule, NULL, want);
        cd_contact_rows out = run(&arena, &in, &options, NULL, NULL);
        int32_t next = 0;
        for (int32_t i = 0; i < in.contact.count; i++)
            if (want[i] == CD_SPARS_KEPT)
                CD_CHECK(next < out.count && out.id[next++] == in.contact.id[i]);
        CD_CHECK(next == out.count);
        free(want);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

// `count` contacts between bodies 0 and 1 (spheres, ids 100 and 93), one metre apart, of area 1.
static cd_model row_of_contacts(cd_arena *arena, int32_t count)
{
    cd_random random = {6};
    cd_model in = {.dim = 2};
    add_shapes(&in, arena, &random);
    add_bodies(&in, arena, &random, 3);
    add_contacts(&in, arena, &random, count, 4);
    for (int32_t i = 0; i < count; i++) {
        memcpy(in.contact.a + 2 * i, (int32_t[2]){0, 0}, 2 * sizeof(int32_t));
        memcpy(in.contact.b + 2 * i, (int32_t[2]){1, 0}, 2 * sizeof(int32_t));
        in.contact.point[2 * i] = i;
        in.contact.point[2 * i + 1] = 0;
        in.contact.area[i] = 1;
        in.contact.surfaces[2 * i] = 0;
    }
    for (int body = 0; body < 3; body++) {
        in.body.id[body] = body;
        in.body.shape[body] = 0;
    }
    return in;
}

CD_TEST(edges_of_the_rule)
{
    cd_arena arena = {0};
    cd_spars_options options = {.rule = {0.5, 0, 1}};
    cd_model in = row_of_contacts(&arena, 3);
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 3);  // equal areas; mindist itself is far enough
    in.contact.point[2] = 0.5;
    cd_contact_rows out = run(&arena, &in, &options, NULL, NULL);
    CD_CHECK(out.count == 2 && out.id[0] == 5 && out.id[1] == 11);  // of equal ones the first stays, once
    in.contact.point[2] = in.contact.point[0];
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 2);
    options.rule.mindist = 0;  // not even equal points are near
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 3);
    options.rule.mindist = NAN;  // head.epsilon
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 2);
    in.contact.area[2] = 0.5;  // not below half of 1
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 2);
    in.contact.area[2] = nextafter(0.5, 0);
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 1);
    in.contact.area[2] = NAN;  // no area: only distance counts
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 2);
    options.rule.minarea = 2;
    out = run(&arena, &in, &options, NULL, NULL);
    CD_CHECK(out.count == 1 && out.id[0] == 11);
    in.contact.area[0] = in.contact.area[1] = 0;  // zeros of both signs are equal, and are areas
    in.contact.area[2] = -0.0;
    options.rule = (cd_spars_rule){1, 0, 0};
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 3);
    in.contact.area[0] = 1;
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 1);
    in.contact.area = NULL;  // nobody has an area
    options.rule = (cd_spars_rule){1, 5, 0.5};
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 2);
    in.contact.count = 0;
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 0);
    cd_arena_release(&arena);
}

CD_TEST(statuses_and_freed_bodies)
{
    cd_arena arena = {0};
    cd_model in = row_of_contacts(&arena, 4);
    cd_spars_options options = {.rule = {0.5, 0, 0}};
    cd_spars_counts counts;
    int32_t *status = CD_COLUMN(&arena, 2, contact, &in.contact, status);
    status[0] = CD_STATUS_OUTSIDE;
    status[1] = CD_STATUS_DELETED;
    status[3] = CD_STATUS_TOUCHING;
    in.contact.area[0] = in.contact.area[1] = 100;  // they judge nobody
    in.contact.area[3] = 0.1;
    in.contact.b[6] = 2;  // the only contact of body 2, beside a larger one of body 0
    cd_contact_rows out = run(&arena, &in, &options, NULL, &counts);
    CD_CHECK(out.count == 2 && out.id[0] == 5 && out.id[1] == 11 && counts.freed == 1);
    CD_CHECK(counts.verdict[CD_SPARS_NO_PART] == 2 && counts.verdict[CD_SPARS_KEPT] == 1);
    options.keep_deleted = true;
    out = run(&arena, &in, &options, NULL, &counts);
    CD_CHECK(out.count == 4 && out.status[0] == CD_STATUS_OUTSIDE && out.status[1] == CD_STATUS_DELETED);
    CD_CHECK(out.status[2] == CD_ABSENT && out.status[3] == CD_STATUS_DELETED && counts.freed == 1);
    CD_CHECK(in.contact.status[3] == CD_STATUS_TOUCHING);  // the input is as it was
    cd_arena_release(&arena);
}

CD_TEST(parts_that_are_not_there)
{
    cd_arena arena = {0};
    cd_model in = row_of_contacts(&arena, 2);
    cd_spars_options options = {.rule = {0.5, 0, 0}};
    cd_spars_stage stage = {.options = &options};
    cd_spars_counts counts;
    cd_contact_rows out;
    cd_diag diag = {0};
    cd_refs refs = {0};
    CD_CHECK(cd_adjacency_make(&arena, &in, &refs, &stage.adjacency, &diag) == CD_OK);
    in.contact.b[3] = 1;
    CD_CHECK(cd_spars_frame(&arena, &stage, &in, &out, &counts, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "contact: body 1 part 1: its shape has 1 parts");
    cd_random random = {7};
    cd_model space = {.dim = 3};
    add_shapes(&space, &arena, &random);
    space.shape.triangles.i32[4] = VERTICES;
    CD_CHECK(cd_adjacency_make(&arena, &space, &refs, &stage.adjacency, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "shape 11: triangles: there is no vertex 9");
    space.shape.triangles.i32[4] = 0;
    space.shape.adjacent.i32[0] = 4;
    CD_CHECK(cd_adjacency_make(&arena, &space, &refs, &stage.adjacency, &diag) == CD_ERR_FORMAT);
    cd_arena_release(&arena);
}

CD_TEST(history)
{
    cd_arena arena = {0};
    cd_spars_history past = {0};
    cd_model in = row_of_contacts(&arena, 3);
    cd_spars_options options = {.rule = {0.5, 0, 0.1}, .new_only = true};
    in.contact.area[1] = 0.6;
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 3);
    // small and near now, but they were there before
    in.frame.index[0] = 1;
    in.contact.area[1] = 0;
    in.contact.point[2] = in.contact.point[0];
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 3);
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 3);  // the same frame again
    // what was kept deletes what is new, though it is smaller
    in.frame.index[0] = 2;
    in.contact.surfaces[1] = 77;
    cd_contact_rows out = run(&arena, &in, &options, &past, NULL);
    CD_CHECK(out.count == 2 && out.id[0] == 8);
    // deleted: it was not there; sent again: compared with step 1, where contact 77 was not
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 2);
    in.frame.index[0] = 3;
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 2);
    // another part of the same step is another frame
    int32_t substep = 1;
    in.frame.substep = &substep;
    in.contact.point[0] = 50;
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 3);
    substep = 2;
    in.contact.point[0] = in.contact.point[2];
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 3);
    // kept in the first round of a part, but new in it: the second round may delete it
    substep = 3;
    in.contact.surfaces[1] = 78;
    in.contact.point[0] = 50;
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 3);
    in.contact.point[0] = in.contact.point[2];
    CD_CHECK(run(&arena, &in, &options, &past, NULL).count == 2);
    options.new_only = false;
    CD_CHECK(run(&arena, &in, &options, NULL, NULL).count == 2);  // of the two at one point the larger; the third
    cd_spars_history_release(&past);
    cd_arena_release(&arena);
}

// Three frames of the same parts at other places, with other areas.
CD_TEST(history_by_brute_force)
{
    cd_random random = {9};
    cd_arena arena = {0};
    int64_t survivors = 0, deleted = 0;
    for (int round = 0; round < 150; round++) {
        cd_model in = random_model(&arena, &random, 2 + round % 2, 21, 160, 3);
        cd_spars_options options = random_options(&random);
        options.new_only = true;
        cd_spars_history past = {0};
        int32_t count = in.contact.count;
        bool *is_new = CD_ARENA_ARRAY(&arena, bool, count);
        memset(is_new, true, (size_t)count);
        for (int64_t frame = 0; frame < 3; frame++) {
            in.frame.index[0] = frame;
            for (int32_t i = 0; i < count; i++) {
                in.contact.area[i] = below(&random, 4) ? ldexp(1, below(&random, 12)) : NAN;
                in.contact.point[in.dim * i] = 0.25 * below(&random, 12);
            }
            int *want = calloc((size_t)count, sizeof *want);
            brute_force(&in, &options.rule, is_new, want);
            cd_contact_rows out = run(&arena, &in, &options, &past, NULL);
            int32_t next = 0;
            for (int32_t i = 0; i < count; i++) {
                survivors += !is_new[i];
                deleted += want[i] != CD_SPARS_KEPT;
                is_new[i] = want[i] != CD_SPARS_KEPT;
                if (want[i] == CD_SPARS_KEPT)
                    CD_CHECK(next < out.count && out.id[next++] == in.contact.id[i]);
            }
            CD_CHECK(next == out.count);
            free(want);
        }
        cd_spars_history_release(&past);
        cd_arena_reset(&arena);
    }
    CD_CHECK(survivors > 2000 && deleted > 2000);
    cd_arena_release(&arena);
}

// One body under 200,000 contacts, a tenth of them in a heap nearer than mindist, and a compound with a hub: squares
// of these numbers would take minutes.
CD_TEST(many_contacts_of_one_body)
{
    enum { MANY = 200000 };
    cd_arena arena = {0};
    cd_random random = {8};
    cd_model in = row_of_contacts(&arena, MANY);
    cd_spars_options options = {.rule = {0.01, 0, 0.5}};
    for (int32_t i = 0; i < MANY; i++) {
        in.contact.point[2 * i] = i % 10 ? cd_random_between(&random, 0, 400) : cd_random_unit(&random) * 0.1;
        in.contact.point[2 * i + 1] = i % 10 ? cd_random_between(&random, 0, 400) : cd_random_unit(&random) * 0.1;
        in.contact.area[i] = cd_random_unit(&random);
    }
    cd_spars_counts counts;
    cd_contact_rows out = run(&arena, &in, &options, NULL, &counts);
    CD_CHECK(out.count > 100000 && out.count < 180000);
    CD_CHECK(counts.verdict[CD_SPARS_DELETED_AREA] > 1000 && counts.verdict[CD_SPARS_DELETED_DISTANCE] > 19000);

    // body 0: a compound of MANY spheres, part 0 adjacent to all others; half of the contacts at part 0
    int32_t *part = CD_ARENA_ZARRAY(&arena, int32_t, MANY), *pair = CD_ARENA_ZARRAY(&arena, int32_t, 2 * MANY);
    int32_t offset[3] = {0, 0, MANY}, kind[2] = {CD_SHAPE_SPHERE, CD_SHAPE_COMPOUND};
    int64_t id[2] = {1, 2};
    for (int32_t i = 0; i < MANY; i++)
        pair[2 * i] = i;
    in.shape = (cd_shape_rows){.count = 2, .id = id, .kind = kind};
    in.shape.parts_shape = (cd_list){offset, {part}};
    in.shape.adjacent = (cd_list){offset, {pair}};
    in.body.shape[0] = 1;
    in.body.shape[1] = in.body.shape[2] = -1;
    for (int32_t i = 0; i < MANY; i++) {
        in.contact.a[2 * i + 1] = i % 2 ? i : 0;
        in.contact.b[2 * i + 1] = i;
    }
    in.contact.area[0] = 200;  // of all, at the hub: no other reaches a hundredth of it
    out = run(&arena, &in, &options, NULL, &counts);
    CD_CHECK(out.count == 1 && out.id[0] == 5 && counts.verdict[CD_SPARS_DELETED_AREA] == MANY - 1);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(brute_force_gives_the_same);
    CD_RUN(order_and_numbers_do_not_matter);
    CD_RUN(a_second_pass_deletes_nothing);
    CD_RUN(scale_moves_with_mindist);
    CD_RUN(far_points_and_tiny_distances);
    CD_RUN(edges_of_the_rule);
    CD_RUN(statuses_and_freed_bodies);
    CD_RUN(parts_that_are_not_there);
    CD_RUN(history);
    CD_RUN(history_by_brute_force);
    CD_RUN(many_contacts_of_one_body);
    return cd_test_done();
}
