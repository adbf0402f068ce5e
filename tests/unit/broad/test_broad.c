// The contract of broad-phase methods: every method of the table gives exactly the pairs of an independent double
// loop, on scenes that are random, touching, duplicate, flat, nested, infinite, huge beside tiny, and in one cell;
// at every vector level, allowed one thread and three, and in frames that follow one another. These scenes are too
// small for a second thread to start; on the touching grid it does.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "cd_random.h"
#include "cd_test.h"
#include "cd_threads.h"

#include "test_polygon_random.h"

#include <float.h>
#include <time.h>

// ---- scenes --------------------------------------------------------------------------------------------------------

enum { MAX_ITEMS = 400 };

typedef struct scene {
    int dim;
    int32_t count;
    double min[3 * MAX_ITEMS], max[3 * MAX_ITEMS];  // dim an item
    int32_t body[MAX_ITEMS];
    uint8_t class[MAX_ITEMS];
    bool has_balls;
    double ball[4 * MAX_ITEMS];  // dim + 1 an item
} scene;

static void add_item(scene *s, cd_random *random, const double *min, const double *max)
{
    int32_t k = s->count++;
    memcpy(s->min + s->dim * k, min, (size_t)s->dim * sizeof *min);
    memcpy(s->max + s->dim * k, max, (size_t)s->dim * sizeof *max);
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
                s->min[s->dim * i + k] = -INFINITY;
            if (test_below(random, 2))
                s->max[s->dim * i + k] = INFINITY;
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
// Nearly all of space in one box, the others tiny in a corner of it.
static void one_giant(scene *s, cd_random *random)
{
    add_item(s, random, (double[]){-1000, -1000, -1000}, (double[]){1000, 1000, 1000});
    for (int32_t i = 0; i < 200; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = cd_random_between(random, 0, 1e-3);
            max[k] = min[k] + 1e-4;
        }
        add_item(s, random, min, max);
    }
}
// All in one cell of the other two axes.
static void one_column(scene *s, cd_random *random)
{
    int axis = test_below(random, s->dim);
    for (int32_t i = 0; i < 300; i++) {
        double min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
        min[axis] = cd_random_between(random, 0, 1000);
        max[axis] = min[axis] + 5;
        add_item(s, random, min, max);
    }
}
// Sizes over six decades.
static void wide_sizes(scene *s, cd_random *random)
{
    for (int32_t i = 0; i < 300; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = cd_random_between(random, 0, 1);
            max[k] = min[k] + pow(10, cd_random_between(random, -6, 0));
        }
        add_item(s, random, min, max);
    }
}
// Faces that are equal as floats and differ as doubles by one unit: a filter in single precision must ask again.
static void equal_corners(scene *s, cd_random *random)
{
    for (int32_t i = 0; i < 200; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = test_below(random, 4) / 3.0;
            max[k] = min[k] + test_below(random, 3) / 3.0;
            min[k] = test_below(random, 2) ? nextafter(min[k], 9) : min[k];
            max[k] = nextafter(max[k], test_below(random, 2) ? 9 : -9);
            if (max[k] < min[k])
                max[k] = min[k];
        }
        add_item(s, random, min, max);
    }
}
// The ends of the doubles: denormal boxes beside those of 1e300.
static void extreme_values(scene *s, cd_random *random)
{
    static const double value[] = {-DBL_MAX, -1e300, -1, -1e-320, 0, 5e-324, 1e-310, 1, 1e300, DBL_MAX};
    for (int32_t i = 0; i < 200; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            int one = test_below(random, 10), other = test_below(random, 10);
            min[k] = value[one < other ? one : other];
            max[k] = value[one < other ? other : one];
        }
        add_item(s, random, min, max);
    }
}
static void one_item(scene *s, cd_random *random) { add_item(s, random, (double[]){0, 0, 0}, (double[]){1, 1, 1}); }
static void no_item(scene *s, cd_random *random) { (void)s, (void)random; }

// Balls within the boxes, centred as those of spheres at rest are, and some anywhere near, without extent, or without
// end.
static void add_balls(scene *s, cd_random *random)
{
    s->has_balls = true;
    for (int32_t i = 0; i < s->count; i++) {
        double *ball = s->ball + (s->dim + 1) * i, radius = INFINITY;
        bool is_centred = test_below(random, 8) != 0;
        for (int k = 0; k < s->dim; k++) {
            double low = s->min[s->dim * i + k], high = s->max[s->dim * i + k];
            ball[k] = low / 2 + high / 2 + (is_centred ? 0 : 0.1 * cd_random_unit(random));
            ball[k] = isfinite(ball[k]) ? ball[k] : 0;
            radius = fmin(radius, high / 2 - low / 2);
        }
        int kind = test_below(random, 20);
        ball[s->dim] = kind == 0 ? 0 : kind == 1 ? INFINITY : kind == 2 ? 2 * radius : radius;
    }
}

// ---- the oracle ----------------------------------------------------------------------------------------------------

static bool oracle_wants(const scene *s, int32_t i, int32_t j)
{
    for (int k = 0; k < s->dim; k++)
        if (fmax(s->min[s->dim * i + k], s->min[s->dim * j + k]) > fmin(s->max[s->dim * i + k], s->max[s->dim * j + k]))
            return false;
    const double *a = s->ball + (s->dim + 1) * i, *b = s->ball + (s->dim + 1) * j;
    double square = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
    if (s->dim == 3)
        square += (a[2] - b[2]) * (a[2] - b[2]);
    if (s->has_balls && square > (a[s->dim] + b[s->dim]) * (a[s->dim] + b[s->dim]))
        return false;
    bool i_moves = s->class[i] & CD_BROAD_DYNAMIC, j_moves = s->class[j] & CD_BROAD_DYNAMIC;
    bool i_is_a = s->class[i] & CD_BROAD_IN_A, i_is_b = s->class[i] & CD_BROAD_IN_B;
    bool j_is_a = s->class[j] & CD_BROAD_IN_A, j_is_b = s->class[j] & CD_BROAD_IN_B;
    return s->body[i] != s->body[j] && (i_moves || j_moves) && ((i_is_a && j_is_b) || (j_is_a && i_is_b));
}

static int differences_from_oracle(const scene *s, const cd_broad_result *result)
{
    int32_t next = 0;
    int wrong = result->first[0] != 0;
    for (int32_t i = 0; i < s->count; i++) {
        for (int32_t j = i + 1; j < s->count; j++) {
            bool is_listed = next < result->first[i + 1] && result->other[next] == j;
            wrong += is_listed != oracle_wants(s, i, j);
            next += is_listed;
        }
        wrong += next != result->first[i + 1];
    }
    return wrong + (next != result->count);
}

enum { SCENES = 14 };
static make_scene *const scenes[SCENES] = {random_boxes,   touching_grid, duplicates,    flat_boxes,    nested_boxes,
                                           infinite_boxes, far_row,       one_item,      no_item,       one_giant,
                                           one_column,     wide_sizes,    equal_corners, extreme_values};

static void check_method(const cd_broad_method *method, cd_broad_tuning tuning, uint64_t seed)
{
    static scene s;
    cd_arena arena = {0};
    cd_diag diag;
    cd_random random = {seed};
    int64_t total = 0;
    cd_broad_engine *engine = cd_broad_engine_new(tuning, INT32_MAX);
    for (int k = 0; k < 12 * SCENES; k++) {
        s.dim = 2 + k / SCENES % 2;
        s.count = 0;
        scenes[k % SCENES](&s, &random);
        s.has_balls = false;
        if (k / SCENES % 4 < 2)
            add_balls(&s, &random);
        static scene before;
        before = s;
        bool is_plain = k / SCENES % 3 == 0;  // all pairs wanted: the short way of vector kernels
        for (int32_t i = 0; is_plain && i < s.count; i++) {
            s.body[i] = i;
            s.class[i] = CD_BROAD_DYNAMIC | CD_BROAD_UNGROUPED;
        }
        cd_broad_input input = {s.dim,
                                s.count,
                                s.min,
                                s.max,
                                is_plain ? NULL : s.body,
                                is_plain ? NULL : s.class,
                                s.has_balls ? s.ball : NULL,
                                {0}};
        cd_broad_result result;
        cd_status status = cd_broad_find(engine, method, &input, &arena, &result, NULL, &diag);
        if (method && method->least_cell && tuning.cell < method->least_cell(&input, &arena)) {
            CD_CHECK(status == CD_ERR_USAGE && strstr(diag.text, "--cell: "));
            cd_arena_reset(&arena);
            continue;
        }
        CD_CHECK(status == CD_OK);
        int wrong = differences_from_oracle(&s, &result);
        if (wrong)
            printf("# %s, level %d, %d threads, scene %d, dim %d\n", method ? method->name : "auto", tuning.vector,
                   tuning.threads, k % SCENES, s.dim);
        CD_CHECK(wrong == 0);
        CD_CHECK(!memcmp(before.min, s.min, sizeof s.min) && !memcmp(before.max, s.max, sizeof s.max));
        total += result.count;
        cd_arena_reset(&arena);
    }
    CD_CHECK(total > 100000 || (method && method->least_cell && !isnan(tuning.cell)));
    cd_broad_engine_free(engine);
    cd_arena_release(&arena);
}

CD_TEST(every_method_finds_the_pairs_of_the_double_loop)
{
    cd_vector_level widest = cd_vector_detect(CD_VECTOR_AVX512);
    for (int m = 0; cd_broad_methods[m]; m++) {
        for (int level = 0; level <= (int)widest; level++)
            check_method(cd_broad_methods[m], (cd_broad_tuning){1, (cd_vector_level)level, NAN, 0}, 11);
        check_method(cd_broad_methods[m], (cd_broad_tuning){3, widest, NAN, 0}, 12);
        check_method(cd_broad_methods[m], (cd_broad_tuning){1, widest, 0.37, 3}, 13);
        check_method(cd_broad_methods[m], (cd_broad_tuning){2, widest, 1e-7, 1000}, 14);
    }
    check_method(NULL, (cd_broad_tuning){1, widest, NAN, 0}, 15);
}

// Slaves and masters that are random, in clusters, of sizes 1:30, and along the border of the slaves' range, where many
// masters lie outside it.
static void two_groups(scene *s, cd_random *random, int kind)
{
    s->count = 0;
    double centre[3] = {0, 0, 0};
    for (int32_t i = 0; i < MAX_ITEMS; i++) {
        bool is_master = test_below(random, 3) != 0;
        double radius = kind == 2 ? 0.003 * pow(30, cd_random_unit(random)) : 0.04, min[3], max[3];
        for (int k = 0; k < 3; k++) {
            double place = cd_random_between(random, 0, 1);
            if (kind == 1) {
                centre[k] = i % 40 ? centre[k] : place;
                place = centre[k] + 0.1 * place;
            }
            if (kind == 3)
                place = is_master ? 3 * place - 1 : k == i % s->dim ? (double)(i % 2) : place;
            min[k] = place - radius;
            max[k] = place + radius;
        }
        add_item(s, random, min, max);
        s->body[s->count - 1] = s->count - 1;
        s->class[s->count - 1] = CD_BROAD_DYNAMIC | (is_master ? CD_BROAD_IN_B : CD_BROAD_IN_A);
    }
    s->has_balls = false;
    if (kind != 0)
        add_balls(s, random);
}

CD_TEST(cells_find_the_pairs_of_two_groups_at_every_legal_size)
{
    static scene s;
    cd_arena arena = {0};
    cd_diag diag;
    cd_random random = {31};
    int64_t total = 0;
    for (int k = 0; k < 16; k++) {
        s.dim = 2 + k % 2;
        two_groups(&s, &random, k / 2 % 4);
        cd_broad_input input = {s.dim, s.count, s.min, s.max, NULL, s.class, s.has_balls ? s.ball : NULL, {0}};
        for (int m = 0; cd_broad_methods[m]; m++) {
            double least = cd_broad_methods[m]->least_cell ? cd_broad_methods[m]->least_cell(&input, &arena) : 0.01;
            double sizes[] = {nextafter(least, 0), least, 1.01 * least, 1.5 * least, 3 * least, 0.5, 10, NAN};
            for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
                cd_broad_engine *engine = cd_broad_engine_new(
                    (cd_broad_tuning){1, cd_vector_detect((cd_vector_level)(i % 3)), sizes[i], 0}, INT32_MAX);
                cd_broad_result result;
                cd_status status = cd_broad_find(engine, cd_broad_methods[m], &input, &arena, &result, NULL, &diag);
                if (cd_broad_methods[m]->least_cell && i == 0) {
                    char text[40];
                    snprintf(text, sizeof text, " is %.17g", least);
                    CD_CHECK(status == CD_ERR_USAGE && strstr(diag.text, text));
                } else {
                    CD_CHECK(status == CD_OK && differences_from_oracle(&s, &result) == 0);
                    total += result.count;
                }
                cd_broad_engine_free(engine);
                cd_arena_reset(&arena);
            }
        }
    }
    CD_CHECK(total > 100000);
    cd_arena_release(&arena);
}

typedef struct apart_context {
    const scene *s;
    int32_t begin;
} apart_context;

static void boxes_apart(const void *context, const int32_t *part, int32_t count, double *min, double *max)
{
    const apart_context *own = context;
    int dim = own->s->dim;
    for (int32_t k = 0; k < count; k++)
        for (int axis = 0; axis < dim; axis++) {
            int64_t from = (int64_t)dim * (own->begin + (part ? part[k] : k)) + axis;
            min[dim * k + axis] = own->s->min[from];
            max[dim * k + axis] = own->s->max[from];
        }
}

// The same items with arrays that have those alone that do not stand. NULL where all members of an array are as if it
// were not there.
static cd_broad_input input_apart(const scene *s, const cd_broad_input *input, const apart_context *context,
                                  cd_arena *arena)
{
    cd_broad_input apart = *input;
    size_t dim = (size_t)input->dim, standing = (size_t)(input->standing.end - input->standing.begin),
           begin = (size_t)input->standing.begin, count = (size_t)input->count;
    double *min = CD_ARENA_ARRAY(arena, double, dim *count), *max = CD_ARENA_ARRAY(arena, double, dim *count);
    double *ball = CD_ARENA_ARRAY(arena, double, (dim + 1) * count);
    int32_t *body = CD_ARENA_ARRAY(arena, int32_t, count);
    uint8_t *class = CD_ARENA_ARRAY(arena, uint8_t, count);
    for (size_t k = 0; k + standing < count; k++) {
        size_t i = k < begin ? k : k + standing;
        memcpy(min + dim * k, s->min + dim * i, dim * sizeof *min);
        memcpy(max + dim * k, s->max + dim * i, dim * sizeof *max);
        memcpy(ball + (dim + 1) * k, s->ball + (dim + 1) * i, (dim + 1) * sizeof *ball);
        body[k] = s->body[i];
        class[k] = s->class[i];
    }
    apart.min = min;
    apart.max = max;
    apart.ball = input->ball ? ball : NULL;
    apart.body = body;
    apart.class = class;
    apart.standing.boxes = boxes_apart;
    apart.standing.context = context;
    apart.standing.body = s->body[begin];
    apart.standing.class = s->class[begin];
    return apart;
}

// A range of items stands still while the others drift, and moves now and then: `auto` keeps a tree of it. Apart: their
// boxes are not among the others'.
static void check_standing(cd_broad_tuning tuning, uint64_t seed, bool is_apart)
{
    static scene s;
    cd_arena arena = {0};
    cd_diag diag;
    cd_random random = {seed};
    cd_broad_still standing = {0};
    int64_t total = 0;
    int told = 0;
    cd_broad_engine *engine = cd_broad_engine_new(tuning, INT32_MAX);
    for (int frame = 0; frame < 120; frame++) {
        if (frame % 12 == 0) {  // its first, its last items, some in the middle, all
            s.dim = 2 + frame / 12 % 2;
            s.count = 0;
            (frame % 5 ? random_boxes : infinite_boxes)(&s, &random);
            int32_t begin = s.count / 3 * (frame / 12 % 3), end = begin + s.count / 3;
            standing.begin = frame == 60 ? 0 : begin;
            standing.end = frame == 60 ? s.count : end;
            for (int32_t i = standing.begin; i < standing.end; i++) {
                s.body[i] = MAX_ITEMS;
                s.class[i] = CD_BROAD_UNGROUPED;
            }
        }
        bool moves = frame % 4 == 0;
        standing.stamp += moves;
        for (int32_t i = 0; i < s.dim * s.count; i++) {
            bool stands = i / s.dim >= standing.begin && i / s.dim < standing.end;
            double shift = stands && !moves ? 0 : cd_random_between(&random, -0.02, 0.02);
            s.min[i] += shift;
            s.max[i] += shift;
        }
        s.has_balls = false;
        if (frame % 3 == 0)
            add_balls(&s, &random);
        cd_broad_input input = {s.dim, s.count, s.min, s.max, s.body, s.class, s.has_balls ? s.ball : NULL, standing};
        cd_broad_result result;
        cd_broad_ran ran;
        apart_context context = {&s, standing.begin};
        if (is_apart && standing.begin < standing.end) {
            for (int32_t i = standing.begin; i < standing.end && s.has_balls; i++)  // nobody asks for theirs
                s.ball[(s.dim + 1) * i + s.dim] = INFINITY;
            input = input_apart(&s, &input, &context, &arena);
        }
        CD_CHECK(cd_broad_find(engine, NULL, &input, &arena, &result, &ran, &diag) == CD_OK);
        CD_CHECK(differences_from_oracle(&s, &result) == 0);
        told += strstr(ran.why, "that stand") != NULL;
        total += result.count;
        cd_arena_reset(&arena);
    }
    CD_CHECK(total > 10000 && told > 60);
    cd_broad_engine_free(engine);
    cd_arena_release(&arena);
}

CD_TEST(what_stands_still_is_searched_in_a_tree_that_is_kept)
{
    cd_vector_level widest = cd_vector_detect(CD_VECTOR_AVX512);
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        for (int level = 0; level <= (int)widest; level++)
            check_standing((cd_broad_tuning){1, (cd_vector_level)level, NAN, 0}, 41, is_apart);
        check_standing((cd_broad_tuning){3, widest, NAN, 0}, 42, is_apart);
    }
}

// Boxes drift and some leap; a method with a memory must find the pairs of each frame alone.
CD_TEST(frames_that_follow_one_another_have_their_own_pairs)
{
    for (int m = 0; cd_broad_methods[m]; m++) {
        static scene s;
        cd_arena arena = {0};
        cd_diag diag;
        cd_random random = {21};
        cd_broad_engine *engine =
            cd_broad_engine_new((cd_broad_tuning){1, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0}, INT32_MAX);
        for (int frame = 0; frame < 60; frame++) {
            if (frame % 20 == 0) {
                s.dim = 2 + frame / 20 % 2;
                s.count = 0;
                random_boxes(&s, &random);
            }
            if (frame % 7 == 3 && s.count > 10)
                s.count -= 1 + test_below(&random, 5);
            for (int32_t i = 0; i < s.dim * s.count; i++) {
                double shift = cd_random_between(&random, -0.01, 0.01);
                if (test_below(&random, 200) == 0)
                    shift *= 100;
                s.min[i] += shift;
                s.max[i] += shift;
            }
            s.has_balls = false;
            if (frame / 5 % 2)  // the list of boxes goes on while balls come and go
                add_balls(&s, &random);
            cd_broad_input input = {s.dim, s.count, s.min, s.max, s.body, s.class, s.has_balls ? s.ball : NULL, {0}};
            cd_broad_result result;
            CD_CHECK(cd_broad_find(engine, cd_broad_methods[m], &input, &arena, &result, NULL, &diag) == CD_OK);
            CD_CHECK(differences_from_oracle(&s, &result) == 0);
            cd_arena_reset(&arena);
        }
        cd_broad_engine_free(engine);
        cd_arena_release(&arena);
    }
}

// 32^3 closed unit boxes: each meets its up to 26 neighbours, 398,908 pairs in all ((3n-2)^3 - n^3) / 2 at n = 32.
CD_TEST(a_touching_grid_has_its_398908_pairs)
{
    enum { N = 32 };
    static double min[3 * N * N * N], max[3 * N * N * N];
    for (int32_t i = 0; i < N * N * N; i++)
        for (int k = 0; k < 3; k++) {
            min[3 * i + k] = 0.1 * (i / (k == 0 ? 1 : k == 1 ? N : N * N) % N);
            max[3 * i + k] = 0.1 * (i / (k == 0 ? 1 : k == 1 ? N : N * N) % N + 1);
        }
    for (int m = 0; cd_broad_methods[m]; m++) {
        if (!strcmp(cd_broad_methods[m]->name, "brute"))
            continue;  // half a billion comparisons
        cd_arena arena = {0};
        cd_diag diag;
        cd_broad_engine *engine =
            cd_broad_engine_new((cd_broad_tuning){2, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0}, INT32_MAX);
        cd_broad_input input = {3, N * N * N, min, max, NULL, NULL, NULL, {0}};
        (void)cd_threads_take_most();
        cd_broad_result result = {0};
        CD_CHECK(cd_broad_find(engine, cd_broad_methods[m], &input, &arena, &result, NULL, &diag) == CD_OK);
        CD_CHECK(cd_threads_take_most() == 2);
        if (result.count != 398908)
            printf("# %s: %d\n", cd_broad_methods[m]->name, result.count);
        CD_CHECK(result.count == 398908);
        cd_broad_engine_free(engine);
        cd_arena_release(&arena);
    }
}

// 1e5 boxes in one place have 5e9 pairs: whoever does not stop at the limit is at it for long.
CD_TEST(too_many_pairs_end_the_run)
{
    enum { N = 100000 };
    static double min[3 * N], max[3 * N];
    for (int m = 0; cd_broad_methods[m]; m++) {
        cd_arena arena = {0};
        cd_diag diag = {""};
        cd_broad_engine *engine =
            cd_broad_engine_new((cd_broad_tuning){2, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0}, 100000);
        cd_broad_input input = {3, N, min, max, NULL, NULL, NULL, {0}};
        cd_broad_result result;
        clock_t start = clock();
        CD_CHECK(cd_broad_find(engine, cd_broad_methods[m], &input, &arena, &result, NULL, &diag) == CD_ERR_LIMIT);
        if (clock() - start > 2 * CLOCKS_PER_SEC)
            printf("# %s: %g s\n", cd_broad_methods[m]->name, (double)(clock() - start) / CLOCKS_PER_SEC);
        CD_CHECK(clock() - start < 10 * CLOCKS_PER_SEC);
        cd_broad_engine_free(engine);
        cd_arena_release(&arena);
    }
}

// One dynamic body among many that are not, all in one place: the limit is for wanted pairs, whatever overlaps beside.
CD_TEST(only_wanted_pairs_count_against_the_limit)
{
    enum { N = 5000 };
    static double min[3 * N], max[3 * N];
    static uint8_t class[N];
    for (int32_t i = 0; i < N; i++)
        class[i] = CD_BROAD_UNGROUPED | (i == N / 3 ? CD_BROAD_DYNAMIC : 0);
    for (int m = 0; cd_broad_methods[m]; m++) {
        cd_arena arena = {0};
        cd_diag diag = {""};
        cd_broad_engine *engine =
            cd_broad_engine_new((cd_broad_tuning){1, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0}, N);
        cd_broad_input input = {3, N, min, max, NULL, class, NULL, {0}};
        cd_broad_result result = {0};
        cd_status status = cd_broad_find(engine, cd_broad_methods[m], &input, &arena, &result, NULL, &diag);
        if (status != CD_OK || result.count != N - 1)
            printf("# %s: status %d, %d pairs\n", cd_broad_methods[m]->name, status, result.count);
        CD_CHECK(status == CD_OK && result.count == N - 1);
        cd_broad_engine_free(engine);
        cd_arena_release(&arena);
    }
}

CD_TEST(the_table_has_its_methods)
{
    int count = 0;
    for (; cd_broad_methods[count]; count++) {
        CD_CHECK_TEXT(cd_broad_method_names[count], cd_broad_methods[count]->name);
        CD_CHECK(cd_broad_method_find(cd_broad_methods[count]->name) == cd_broad_methods[count]);
        CD_CHECK(cd_broad_methods[count]->summary && cd_broad_methods[count]->cost && cd_broad_methods[count]->memory &&
                 cd_broad_methods[count]->source);
    }
    CD_CHECK_TEXT(cd_broad_method_names[count], "auto");
    CD_CHECK(cd_broad_method_names[count + 1] == NULL);
    CD_CHECK(cd_broad_method_find("auto") == NULL);
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

int main(void)
{
    CD_RUN(the_table_has_its_methods);
    CD_RUN(every_method_finds_the_pairs_of_the_double_loop);
    CD_RUN(cells_find_the_pairs_of_two_groups_at_every_legal_size);
    CD_RUN(what_stands_still_is_searched_in_a_tree_that_is_kept);
    CD_RUN(frames_that_follow_one_another_have_their_own_pairs);
    CD_RUN(a_touching_grid_has_its_398908_pairs);
    CD_RUN(too_many_pairs_end_the_run);
    CD_RUN(only_wanted_pairs_count_against_the_limit);
    CD_RUN(keys_are_sorted);
    return cd_test_done();
}
