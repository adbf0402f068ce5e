// Every method of cd-broad against other libraries, on 1e5 boxes of every kind of cd-scene's generator, in 2-D and 3-D:
// the sorted lists of pairs must be the same, pair by pair. CGAL and Boost work in double precision and say what is
// right, and must agree; Embree and Bullet round outward to single precision, find more, and have that tested again in
// double precision. Without the libraries there is nothing to compare with, and the test is skipped.
// SPDX-License-Identifier: MIT
#include "box_workload.h"
#include "broad_find.h"
#include "cd_test.h"
#include "peer_find.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BOXES = 100000, SEEDS = 2, MOVING_FRAMES = 3 };

#ifdef WITH_PEERS
static int64_t ask_peer(const char *name, const cd_broad_input *input, int32_t **pairs)
{
    return peer_find(name, input->dim, input->count, input->min, input->max, pairs);
}
#else
static int64_t ask_peer(const char *name, const cd_broad_input *input, int32_t **pairs)
{
    (void)name;
    (void)input;
    (void)pairs;
    return -1;
}
#endif

static const char *running = "";  // the program at work, for the last words of a crash

// ---- lists of pairs ------------------------------------------------------------------------------------------------

// A pair as a number: the smaller index in the upper half.
typedef struct pair_list {
    uint64_t *pair;
    int64_t count;  // -1: nobody made it
} pair_list;

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t pair_of(int32_t one, int32_t other)
{
    return one < other ? (uint64_t)(uint32_t)one << 32 | (uint32_t)other
                       : (uint64_t)(uint32_t)other << 32 | (uint32_t)one;
}

static pair_list list_of_peer(const char *name, const cd_broad_input *input)
{
    int32_t *pairs = NULL;
    pair_list list = {NULL, ask_peer(name, input, &pairs)};
    if (list.count < 0)
        return list;
    list.pair = cd_alloc(((size_t)list.count + 1) * sizeof *list.pair);
    for (int64_t i = 0; i < list.count; i++)
        list.pair[i] = pair_of(pairs[2 * i], pairs[2 * i + 1]);
    free(pairs);
    qsort(list.pair, (size_t)list.count, sizeof *list.pair, by_value);
    return list;
}

// In the order in which it came: that is canonical order if cd-broad keeps its word.
static pair_list list_of_result(const cd_broad_result *result, int32_t items)
{
    pair_list list = {cd_alloc(((size_t)result->count + 1) * sizeof *list.pair), 0};
    for (int32_t i = 0; i < items; i++)
        for (int32_t k = result->first[i]; k < result->first[i + 1]; k++)
            list.pair[list.count++] = pair_of(i, result->other[k]);
    return list;
}

// Tells the first difference.
static void compare(const char *name, const pair_list *list, const char *right_name, const pair_list *right)
{
    int64_t i = 0;
    while (i < list->count && i < right->count && list->pair[i] == right->pair[i])
        i++;
    bool is_same = i == list->count && i == right->count;
    CD_CHECK(is_same);
    if (is_same)
        return;
    bool is_missing = i == list->count || (i < right->count && right->pair[i] < list->pair[i]);
    uint64_t pair = is_missing ? right->pair[i] : list->pair[i];
    printf("# %s has %" PRId64 " pairs, %s %" PRId64 "; the first that differs is %s: %d %d\n", name, list->count,
           right_name, right->count, is_missing ? "missing" : "too many or out of order", (int)(pair >> 32),
           (int)(pair & UINT32_MAX));
}

// ---- workloads -----------------------------------------------------------------------------------------------------

typedef struct boxes {
    double *min, *max;
    cd_broad_input input;
} boxes;

static boxes boxes_make(const cd_box_workload *workload, int64_t frame)
{
    size_t dim = (size_t)workload->dim, count = (size_t)workload->count;
    boxes made = {.min = cd_alloc(count * dim * sizeof(double)), .max = cd_alloc(count * dim * sizeof(double))};
    for (size_t i = 0; i < count; i++) {
        cd_box box = cd_box_workload_at(workload, frame, (int64_t)i);
        for (size_t k = 0; k < dim; k++) {
            made.min[dim * i + k] = box.centre[k] - box.half[k];
            made.max[dim * i + k] = box.centre[k] + box.half[k];
        }
    }
    made.input = (cd_broad_input){workload->dim, (int32_t)count, made.min, made.max, NULL, NULL, NULL, {0}};
    return made;
}

// All but brute, which takes minutes; NULL is auto. Engines live over the frames, as in cd-broad: methods may remember.
enum { MOST_METHODS = 64 };
typedef struct runner {
    const cd_broad_method *method[MOST_METHODS];
    cd_broad_engine *plain[MOST_METHODS], *other[MOST_METHODS];  // widest vectors, one thread; portable, three threads
    int count;
} runner;

static runner runner_make(void)
{
    runner r = {.count = 1};
    for (int m = 0; cd_broad_methods[m]; m++)
        if (strcmp(cd_broad_methods[m]->name, "brute"))
            r.method[r.count++] = cd_broad_methods[m];
    for (int m = 0; m < r.count; m++) {
        r.plain[m] =
            cd_broad_engine_new((cd_broad_tuning){1, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0}, INT32_MAX - 1);
        r.other[m] = cd_broad_engine_new((cd_broad_tuning){3, CD_VECTOR_PORTABLE, NAN, 0}, INT32_MAX - 1);
    }
    return r;
}

static void runner_free(runner *r)
{
    for (int m = 0; m < r->count; m++) {
        cd_broad_engine_free(r->plain[m]);
        cd_broad_engine_free(r->other[m]);
    }
}

static void check_methods(runner *r, const boxes *b, const char *right_name, const pair_list *right, bool with_other)
{
    static cd_arena arena;
    for (int m = 0; m < r->count; m++)
        for (int variant = 0; variant < 1 + with_other; variant++) {
            static char name[80];
            cd_broad_result result;
            cd_diag diag = {0};
            snprintf(name, sizeof name, "%s%s", r->method[m] ? r->method[m]->name : "auto",
                     variant ? " (portable, 3 threads)" : "");
            running = name;
            cd_status status = cd_broad_find(variant ? r->other[m] : r->plain[m], r->method[m], &b->input, &arena,
                                             &result, NULL, &diag);
            CD_CHECK(status == CD_OK);
            pair_list list = list_of_result(&result, b->input.count);
            compare(name, &list, right_name, right);
            cd_free(list.pair);
            cd_arena_reset(&arena);
        }
}

// Lists of the libraries, of which the first that is there is right.
static int64_t check_boxes(runner *r, const boxes *b, bool with_other)
{
    static const char *const library[] = {"cgal-100", "boost-rtree", "embree-low", "embree-medium", "bullet-dbvt"};
    pair_list right = {NULL, -1};
    const char *right_name = NULL;
    for (size_t i = 0; i < sizeof library / sizeof library[0]; i++) {
        running = library[i];
        pair_list list = list_of_peer(library[i], &b->input);
        if (list.count < 0)
            continue;
        if (right_name) {
            compare(library[i], &list, right_name, &right);
            cd_free(list.pair);
        } else {
            right = list;
            right_name = library[i];
        }
    }
    check_methods(r, b, right_name, &right, with_other);
    cd_free(right.pair);
    return right.count;
}

static void tell_crash(int signal_number)
{
    (void)!write(STDOUT_FILENO, "# crashed: ", 11);
    (void)!write(STDOUT_FILENO, running, strlen(running));
    (void)!write(STDOUT_FILENO, "\n", 1);
    _exit(100 + signal_number);
}

static int check_kind(cd_box_kind kind, int dim)
{
    int64_t pairs = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        cd_box_workload workload = {CD_BOX_WORKLOAD_DEFAULTS};
        workload.kind = kind;
        workload.dim = dim;
        workload.count = BOXES;
        workload.seed = seed;
        cd_box_workload_prepare(&workload);
        runner r = runner_make();
        int frames = kind == CD_BOXES_MOVING ? MOVING_FRAMES : 1;
        for (int frame = 0; frame < frames; frame++) {
            boxes b = boxes_make(&workload, frame);
            pairs += check_boxes(&r, &b, seed == 1);
            cd_free(b.min);
            cd_free(b.max);
        }
        runner_free(&r);
        if (kind == CD_BOXES_MESH || kind == CD_BOXES_TOUCHING)
            break;  // nothing random in them
    }
    printf("# %s, %d-D: %" PRId64 " pairs\n", cd_box_kind_names[kind], dim, pairs);
    fflush(stdout);
    return cd_test_bad_checks ? 1 : 0;
}

// In a process of its own: a method that crashes takes nothing with it.
static void run_kind(cd_box_kind kind, int dim)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGILL, tell_crash);
        signal(SIGTRAP, tell_crash);
        signal(SIGABRT, tell_crash);
        signal(SIGSEGV, tell_crash);
        _exit(check_kind(kind, dim));
    }
    int status = 1;
    bool is_good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    cd_test_count++;
    cd_test_failed += !is_good;
    printf("%s %d - broad phase of %s boxes, %d-D\n", is_good ? "ok" : "not ok", cd_test_count, cd_box_kind_names[kind],
           dim);
}

// usage: oracle_broad [KIND...]
int main(int argc, char **argv)
{
    double corner[2][6] = {{0, 0, 0, 1, 1, 1}, {1, 1, 1, 2, 2, 2}};
    cd_broad_input two = {3, 2, corner[0], corner[1], NULL, NULL, NULL, {0}};
    pair_list cgal = list_of_peer("cgal-100", &two), boost = list_of_peer("boost-rtree", &two);
    if (cgal.count < 0 && boost.count < 0) {
        printf("ok 1 - broad phase # skip neither CGAL nor Boost.Geometry was there when this was built\n1..1\n");
        return 0;
    }
    if (cgal.count < 0 || boost.count < 0)
        printf("# %s was not there when this was built\n", cgal.count < 0 ? "CGAL" : "Boost.Geometry");
    cd_free(cgal.pair);
    cd_free(boost.pair);
    for (int kind = 0; kind < CD_BOX_KINDS; kind++) {
        bool is_asked = argc == 1;
        for (int i = 1; i < argc; i++)
            is_asked |= !strcmp(argv[i], cd_box_kind_names[kind]);
        for (int dim = 2; dim <= 3 && is_asked; dim++)
            run_kind((cd_box_kind)kind, dim);
    }
    return cd_test_done();
}
