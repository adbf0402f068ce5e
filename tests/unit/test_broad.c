// The contract of broad-phase methods: every method of the table gives exactly the pairs of an independent double
// loop, on scenes that are random, touching, duplicate, flat, nested, infinite; and boxes of moving leaves hold them
// at every time.
// SPDX-License-Identifier: MIT
#include "broad_method.h"
#include "cd_bounds2.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

// ---- scenes ----------------------------------------------------------------------------------------------------

enum { MAX_ITEMS = 400 };

typedef struct scene {
    int dim;
    int32_t count;
    cd_aabb box[MAX_ITEMS];
    int32_t body[MAX_ITEMS];
    uint8_t class[MAX_ITEMS];
} scene;

static void add_item(scene *s, cd_random *random, const double *min, const double *max)
{
    int32_t k = s->count++;
    s->box[k] = (cd_aabb){{0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < s->dim; axis++) {
        s->box[k].min[axis] = min[axis];
        s->box[k].max[axis] = max[axis];
    }
    // Bodies of one to three parts; one in four is not dynamic, one in eight of either group alone.
    bool same_body = k > 0 && test_below(random, 3) == 0;
    s->body[k] = same_body ? s->body[k - 1] : k > 0 ? s->body[k - 1] + 1 : 0;
    uint8_t group = test_below(random, 8) ? CD_BROAD_UNGROUPED : test_below(random, 2) ? CD_BROAD_IN_A : CD_BROAD_IN_B;
    s->class[k] = (uint8_t)((test_below(random, 4) ? CD_BROAD_DYNAMIC : 0) | group);
    if (same_body)
        s->class[k] = s->class[k - 1];
}

typedef void make_scene(scene *s, cd_random *random);

static void random_boxes(scene *s, cd_random *random)
{
    int32_t count = test_below(random, MAX_ITEMS);
    double size = cd_random_between(random, 0.001, 0.5);
    for (int32_t i = 0; i < count; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = cd_random_between(random, -1, 1);
            max[k] = min[k] + size * cd_random_unit(random);
        }
        add_item(s, random, min, max);
    }
}
// Unit boxes of a grid: each touches its neighbours at faces, edges and corners.
static void touching_grid(scene *s, cd_random *random)
{
    int n = s->dim == 2 ? 15 : 6;
    for (int32_t i = 0; i < n * n * (s->dim == 2 ? 1 : n); i++) {
        double min[3] = {i % n, i / n % n, i / (n * n)}, max[3];
        for (int k = 0; k < 3; k++)
            max[k] = min[k] + 1;
        add_item(s, random, min, max);
    }
}
static void duplicates(scene *s, cd_random *random)
{
    double min[3] = {0.25, -1, 3}, max[3] = {0.5, 2, 4};
    for (int32_t i = 0; i < 60; i++)
        add_item(s, random, min, max);
}
// Boxes of no thickness along some axes: points, segments, plates, on a few coordinates so that they meet.
static void flat_boxes(scene *s, cd_random *random)
{
    for (int32_t i = 0; i < 200; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = test_below(random, 6);
            max[k] = min[k] + (test_below(random, 2) ? 0 : test_below(random, 3));
        }
        add_item(s, random, min, max);
    }
}
static void nested_boxes(scene *s, cd_random *random)
{
    for (int32_t i = 0; i < 120; i++) {
        double size = 1 + test_below(random, 100), min[3] = {-size, -size, -size}, max[3] = {size, size, size};
        add_item(s, random, min, max);
    }
}
static void infinite_boxes(scene *s, cd_random *random)
{
    random_boxes(s, random);
    for (int32_t i = 0; i < s->count; i += 17)
        for (int k = 0; k < s->dim; k++) {
            if (test_below(random, 2))
                s->box[i].min[k] = -INFINITY;
            if (test_below(random, 2))
                s->box[i].max[k] = INFINITY;
        }
}
// A long row far from the origin, with one pair of equal lower faces in ten.
static void far_row(scene *s, cd_random *random)
{
    for (int32_t i = 0; i < 300; i++) {
        double min[3] = {1e6 + 0.1 * (i - i % 10 / 9), -1e6, 1e6}, max[3] = {min[0] + 0.15, -1e6 + 1, 1e6 + 1};
        add_item(s, random, min, max);
    }
}
static void one_item(scene *s, cd_random *random)
{
    add_item(s, random, (double[]){0, 0, 0}, (double[]){1, 1, 1});
}
static void no_item(scene *s, cd_random *random)
{
    (void)s, (void)random;
}

// ---- the oracle ------------------------------------------------------------------------------------------------

static bool oracle_wants(const scene *s, int32_t i, int32_t j)
{
    for (int k = 0; k < s->dim; k++)
        if (fmax(s->box[i].min[k], s->box[j].min[k]) > fmin(s->box[i].max[k], s->box[j].max[k]))
            return false;
    bool i_moves = s->class[i] & 1, j_moves = s->class[j] & 1;
    bool i_is_a = s->class[i] & 2, i_is_b = s->class[i] & 4, j_is_a = s->class[j] & 2, j_is_b = s->class[j] & 4;
    return s->body[i] != s->body[j] && (i_moves || j_moves) && ((i_is_a && j_is_b) || (j_is_a && i_is_b));
}

static int differences_from_oracle(const scene *s, const cd_box_pairs *pairs)
{
    int32_t next = 0;
    int wrong = 0;
    for (int32_t i = 0; i < s->count; i++)
        for (int32_t j = i + 1; j < s->count; j++) {
            bool is_listed = next < pairs->count && pairs->item[next].a == i && pairs->item[next].b == j;
            wrong += is_listed != oracle_wants(s, i, j);
            next += is_listed;
        }
    return wrong + (next != pairs->count);
}

CD_TEST(every_method_finds_the_pairs_of_the_double_loop)
{
    static make_scene *const scenes[] = {random_boxes,   touching_grid, duplicates, flat_boxes, nested_boxes,
                                         infinite_boxes, far_row,       one_item,   no_item};
    static scene s;
    cd_arena arena = {0};
    for (int m = 0; cd_broad_methods[m]; m++) {
        cd_random random = {11};
        int64_t total = 0;
        for (int k = 0; k < 180; k++) {
            s.dim = 2 + k / 9 % 2;
            s.count = 0;
            scenes[k % 9](&s, &random);
            scene before = s;
            cd_broad_input input = {s.dim, s.count, s.box, s.body, s.class};
            cd_box_pairs pairs = cd_broad_find(cd_broad_methods[m], &input, &arena);
            CD_CHECK(differences_from_oracle(&s, &pairs) == 0);
            CD_CHECK(!memcmp(&before, &s, sizeof s));
            total += pairs.count;
            cd_arena_reset(&arena);
        }
        CD_CHECK(total > 100000);
    }
    cd_arena_release(&arena);
}

CD_TEST(the_table_has_its_methods_and_auto_chooses_among_them)
{
    int count = 0;
    for (; cd_broad_methods[count]; count++) {
        CD_CHECK_TEXT(cd_broad_method_names[count], cd_broad_methods[count]->name);
        CD_CHECK(cd_broad_method_find(cd_broad_methods[count]->name) == cd_broad_methods[count]);
    }
    CD_CHECK_TEXT(cd_broad_method_names[count], "auto");
    CD_CHECK(cd_broad_method_names[count + 1] == NULL);
    CD_CHECK(cd_broad_method_find("auto") == NULL);
    CD_CHECK_TEXT(cd_broad_method_auto(2)->name, "brute");
    CD_CHECK_TEXT(cd_broad_method_auto(100000)->name, "sweep");
}

CD_TEST(keys_are_sorted)
{
    cd_arena arena = {0};
    cd_random random = {5};
    for (int round = 0; round < 50; round++) {
        int32_t count = test_below(&random, 500);
        uint64_t key[500], sum = 0, sorted_sum = 0, mask = round % 2 ? UINT64_MAX : 0xff00ff;
        for (int32_t i = 0; i < count; i++)
            sum += key[i] = cd_random_bits(&random) & mask;
        cd_sort_keys(key, count, &arena);
        for (int32_t i = 0; i < count; i++) {
            sorted_sum += key[i];
            CD_CHECK(i == 0 || key[i - 1] <= key[i]);
        }
        CD_CHECK(sum == sorted_sum);
    }
    cd_arena_release(&arena);
}

// ---- bounds ----------------------------------------------------------------------------------------------------

static cd_leaf2 random_leaf(cd_random *random, cd_arena *arena)
{
    cd_leaf2 leaf = {.cosine = 1};
    cd_vec2 offset = {cd_random_between(random, -0.5, 0.5), cd_random_between(random, -0.5, 0.5)};
    switch (test_below(random, 3)) {
    case 0:
        leaf.kind = CD_SHAPE_POLYGON;
        leaf.polygon = test_ellipse_polygon(random, 3 + test_below(random, 7), offset, 0.5, arena);
        leaf.extent = cd_polygon_radius(leaf.polygon, (cd_vec2){0, 0});
        break;
    case 1:
        leaf.kind = CD_SHAPE_SPHERE;
        leaf.centre = test_below(random, 2) ? offset : (cd_vec2){0, 0};
        leaf.radius = cd_random_between(random, 0.1, 1);
        leaf.extent = cd_length2(leaf.centre) + leaf.radius;
        break;
    default:
        leaf.kind = CD_SHAPE_ELLIPSOID;
        leaf.centre = offset;
        leaf.semiaxes = (cd_vec2){cd_random_between(random, 0.1, 1), cd_random_between(random, 0.1, 1)};
        leaf.cosine = 0.6;
        leaf.sine = 0.8;
        leaf.extent = cd_length2(offset) + 1;
        break;
    }
    return leaf;
}

// A point of the leaf's boundary, number k of 12, in the body's frame.
static void boundary_point(const cd_leaf2 *leaf, int k, long double p[2])
{
    long double c = cosl(0.5235987755982988731L * k), s = sinl(0.5235987755982988731L * k);
    if (leaf->kind == CD_SHAPE_POLYGON) {
        p[0] = leaf->polygon.vertex[k % leaf->polygon.count].x;
        p[1] = leaf->polygon.vertex[k % leaf->polygon.count].y;
    } else if (leaf->kind == CD_SHAPE_SPHERE) {
        p[0] = leaf->centre.x + leaf->radius * c;
        p[1] = leaf->centre.y + leaf->radius * s;
    } else {
        long double x = leaf->semiaxes.x * c, y = leaf->semiaxes.y * s;
        p[0] = leaf->centre.x + leaf->cosine * x - leaf->sine * y;
        p[1] = leaf->centre.y + leaf->sine * x + leaf->cosine * y;
    }
}

static bool holds(const cd_aabb *box, long double x, long double y)
{
    return x >= box->min[0] && x <= box->max[0] && y >= box->min[1] && y <= box->max[1];
}

CD_TEST(boxes_hold_their_leaf_at_every_time_of_the_motion)
{
    cd_arena arena = {0};
    cd_random random = {3};
    int tight = 0;
    for (int round = 0; round < 4000; round++) {
        cd_leaf2 leaf = random_leaf(&random, &arena);
        double far = round % 4 ? 1 : 1e5, angle = cd_random_between(&random, -4, 4) * (round % 3 != 0);
        cd_state2 start = {.angle = angle};
        start.position.x = far * cd_random_between(&random, -1, 1);
        start.position.y = far * cd_random_between(&random, -1, 1);
        cd_state2 end = start;
        end.position.x += cd_random_between(&random, -1, 1);
        end.position.y += cd_random_between(&random, -1, 1);
        end.angle += cd_random_between(&random, -5, 5) * (round % 2);
        cd_state2 both[2] = {start, end};
        cd_aabb still = cd_bounds2_motion(&leaf, both, 1), moving = cd_bounds2_motion(&leaf, both, 2);
        double reached = 0;
        for (int k = 0; k < 12; k++) {
            long double p[2];
            boundary_point(&leaf, k, p);
            for (int i = 0; i <= 8; i++) {
                long double t = i / 8.0L, a = start.angle + t * ((long double)end.angle - start.angle);
                long double x = start.position.x + t * ((long double)end.position.x - start.position.x);
                long double y = start.position.y + t * ((long double)end.position.y - start.position.y);
                x += cosl(a) * p[0] - sinl(a) * p[1];
                y += sinl(a) * p[0] + cosl(a) * p[1];
                CD_CHECK(holds(&moving, x, y));
                if (i == 0) {
                    CD_CHECK(holds(&still, x, y));
                    reached += leaf.kind == CD_SHAPE_POLYGON && fabs((double)(x - still.max[0])) < 1e-15 + 4e-16 * far;
                }
            }
        }
        tight += reached > 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(tight > 1200);  // each polygon touches its box
    cd_arena_release(&arena);
}

CD_TEST(an_unturned_box_has_the_very_bounds)
{
    cd_arena arena = {0};
    cd_leaf2 leaf = {.kind = CD_SHAPE_POLYGON, .polygon = test_box(-0.5, -0.25, 0.5, 0.25, &arena), .extent = 0.56};
    cd_aabb box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0));
    CD_CHECK(box.min[0] == 2.5 && box.max[0] == 3.5 && box.min[1] == -1.25 && box.max[1] == -0.75);
    cd_arena_release(&arena);
}

CD_TEST(halfspaces_are_bounded_only_along_an_axis)
{
    cd_leaf2 leaf = {.kind = CD_SHAPE_HALFSPACE, .normal = {0, 1}, .offset = 2, .extent = INFINITY};
    cd_aabb box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0));
    CD_CHECK(isinf(box.min[0]) && isinf(box.max[0]) && isinf(box.min[1]) && box.max[1] == 1);
    leaf.normal = (cd_vec2){-1, 0};
    box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0));
    CD_CHECK(box.min[0] == 1 && isinf(box.max[0]) && isinf(box.min[1]) && isinf(box.max[1]));
    box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0.1));
    CD_CHECK(isinf(box.min[0]) && isinf(box.max[0]) && isinf(box.min[1]) && isinf(box.max[1]));
    cd_state2 turning[2] = {{{0, 0}, 0, {0, 0}, 0}, {{0, 0}, 6, {0, 0}, 0}};
    box = cd_bounds2_motion(&leaf, turning, 2);
    CD_CHECK(isinf(box.min[0]));
}

int main(void)
{
    CD_RUN(every_method_finds_the_pairs_of_the_double_loop);
    CD_RUN(the_table_has_its_methods_and_auto_chooses_among_them);
    CD_RUN(keys_are_sorted);
    CD_RUN(boxes_hold_their_leaf_at_every_time_of_the_motion);
    CD_RUN(an_unturned_box_has_the_very_bounds);
    CD_RUN(halfspaces_are_bounded_only_along_an_axis);
    return cd_test_done();
}
