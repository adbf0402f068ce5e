// The runner over groups: a merging mode sees whole groups, whatever the shares of threads; rows in place are those of
// the general way; contacts of status outside are dropped first.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "narrow_run.h"

#include <stdatomic.h>

enum { BODIES = 40, PARTS = 3, MOST_PAIRS = 20000 };

// ---- a frame of made-up pairs --------------------------------------------------------------------------------------

// Groups of 1 to 60 pairs, so that cuts of the pairs into equal shares fall into them.
static cd_narrow_frame_state frame_make(cd_arena *arena, const cd_model *in, const cd_narrow_options *options)
{
    cd_random random = {7};
    cd_narrow_site_pair *pair = CD_ARENA_ARRAY(arena, cd_narrow_site_pair, MOST_PAIRS);
    int32_t count = 0;
    for (int32_t a = 0; a < BODIES; a++)
        for (int32_t part_a = 0; part_a < PARTS; part_a++)
            for (int32_t b = a + 1; b < BODIES; b++) {
                int32_t parts = 1 + (int32_t)(cd_random_bits(&random) % 60);
                for (int32_t part_b = 0; part_b < parts && count < MOST_PAIRS; part_b++)
                    pair[count++] = (cd_narrow_site_pair){a, part_a, b, part_b, a, b};
            }
    return (cd_narrow_frame_state){.arena = arena, .in = in, .options = options, .pair = pair, .pair_count = count};
}

// Pair i has i % 3 contacts, of a single mode i % 2; their gaps say which; every seventh pair's are outside.
typedef struct made_up {
    int most;
} made_up;

static int32_t count_of(const made_up *job, int32_t pair) { return pair % (job->most + 1); }
static bool is_outside(int32_t pair) { return pair % 7 == 0; }

static void *begin(const void *job) { return (void *)(uintptr_t)job; }
static void end(void *worker) { (void)worker; }
static void find(void *worker, int32_t pair, cd_arena *arena, cd_contacts *contacts)
{
    for (int32_t k = 0; k < count_of(worker, pair); k++) {
        cd_contact contact = cd_contact_none();
        contact.kind = CD_CONTACT_DEPTH;
        contact.status = is_outside(pair) ? CD_STATUS_OUTSIDE : CD_STATUS_TOUCHING;
        contact.gap = pair + 0.25 * k;
        contact.area = pair % 5 == 0 ? 1 : NAN;
        cd_list_push(arena, contacts, contact);
    }
}

static cd_contact_rows run(cd_narrow_frame_state *frame, const cd_narrow_mode *mode, const made_up *job, int threads,
                           int32_t *rejected)
{
    cd_contact_rows rows;
    frame->mode = mode;
    frame->threads = threads;
    cd_narrow_run(frame, &(cd_narrow_finder){job, begin, find, end, threads}, &rows, rejected);
    return rows;
}

// ---- merging -------------------------------------------------------------------------------------------------------

static const cd_narrow_frame_state *merged_frame;  // for `merge`, which sees numbers of pairs alone
static atomic_int groups, pairs;

static bool is_of_one_group(int32_t i, int32_t j)
{
    const cd_narrow_site_pair *p = &merged_frame->pair[i], *q = &merged_frame->pair[j];
    return p->rank_a == q->rank_a && p->part_a == q->part_a && p->rank_b == q->rank_b;
}

// One contact of all: the gap is their number, the pair the last one's.
static void merge(cd_narrow_group *group)
{
    int32_t first = group->first_pair, last = first + group->pair_count - 1;
    CD_CHECK(is_of_one_group(first, last));
    CD_CHECK(first == 0 || !is_of_one_group(first - 1, first));
    CD_CHECK(last == merged_frame->pair_count - 1 || !is_of_one_group(last, last + 1));
    for (int32_t i = 0; i < group->count; i++)
        CD_CHECK(group->pair[i] >= first && group->pair[i] <= last &&
                 (int32_t)floor(group->contact[i].gap) == group->pair[i] && !is_outside(group->pair[i]));
    group->contact[0].gap = group->count;
    group->pair[0] = group->pair[group->count - 1];
    group->count = 1;
    groups++;
    pairs += group->pair_count;
}

// What merging must give, counted pair by pair.
static int32_t expected_rows(const cd_narrow_frame_state *frame, const made_up *job, int32_t *contacts)
{
    int32_t rows = 0, of_group = 0;
    *contacts = 0;
    for (int32_t i = 0; i < frame->pair_count; i++) {
        of_group = i > 0 && is_of_one_group(i - 1, i) ? of_group : 0;
        int32_t kept = is_outside(i) ? 0 : count_of(job, i);
        rows += of_group == 0 && kept > 0;
        of_group += kept;
        *contacts += kept;
    }
    return rows;
}

static void check_merged(bool is_single)
{
    cd_arena arena = {0};
    cd_model in = {.dim = 3};
    cd_narrow_options options = {0};
    cd_narrow_frame_state frame = frame_make(&arena, &in, &options);
    merged_frame = &frame;
    cd_narrow_mode mode = {.name = "merging", .is_single = is_single, .columns = CD_NARROW_HAS_AREA, .merge = merge};
    made_up job = {is_single ? 1 : 2};
    int32_t contacts, want = expected_rows(&frame, &job, &contacts);
    for (int threads = 1; threads <= 8; threads++) {
        int32_t rejected = -1, total = 0;
        groups = pairs = 0;
        cd_contact_rows rows = run(&frame, &mode, &job, threads, &rejected);
        CD_CHECK(rows.count == want && groups == want && rejected > 0);
        for (int32_t i = 0; i < rows.count; i++) {
            CD_CHECK(rows.id[i] == i && rows.gap[i] >= 1);
            CD_CHECK(i == 0 || rows.a[2 * i] > rows.a[2 * i - 2] || rows.a[2 * i + 1] > rows.a[2 * i - 1] ||
                     rows.b[2 * i] > rows.b[2 * i - 2]);
            total += (int32_t)rows.gap[i];
        }
        CD_CHECK(total == contacts);
    }
    CD_CHECK(want > 200 && pairs > 5000);
    cd_arena_release(&arena);
}

CD_TEST(a_merging_mode_sees_whole_groups) { check_merged(false); }
CD_TEST(a_single_mode_that_merges_leaves_the_place_in_rows) { check_merged(true); }

// ---- keeping all ---------------------------------------------------------------------------------------------------

static void check_kept(const cd_contact_rows *rows, const cd_narrow_frame_state *frame, const made_up *job)
{
    int32_t n = 0;
    for (int32_t i = 0; i < frame->pair_count; i++)
        for (int32_t k = 0; k < count_of(job, i); k++) {
            if (is_outside(i) && !frame->options->keep_rejected)
                continue;
            CD_CHECK(n < rows->count && rows->id[n] == n && rows->gap[n] == i + 0.25 * k);
            CD_CHECK(rows->a[2 * n] == frame->pair[i].row_a && rows->b[2 * n + 1] == frame->pair[i].part_b);
            CD_CHECK(rows->status[n] == (is_outside(i) ? CD_STATUS_OUTSIDE : CD_STATUS_TOUCHING));
            n++;
        }
    CD_CHECK(n == rows->count && n > 1000);
    CD_CHECK(rows->area && !rows->surfaces && !rows->features && !rows->bound);
}

CD_TEST(without_a_merge_all_are_kept_in_their_order)
{
    cd_arena arena = {0};
    cd_model in = {.dim = 3};
    cd_narrow_options options = {0};
    cd_narrow_frame_state frame = frame_make(&arena, &in, &options);
    static const cd_narrow_mode many = {.name = "many"};
    static const cd_narrow_mode one = {
        .name = "one", .is_single = true, .columns = CD_NARROW_HAS_AREA | CD_NARROW_HAS_FEATURES};
    for (int threads = 1; threads <= 8; threads++)
        for (int keeps = 0; keeps < 2; keeps++) {
            int32_t rejected = -1, rejected_in_place = -1;
            options.keep_rejected = keeps;
            cd_contact_rows rows = run(&frame, &many, &(made_up){2}, threads, &rejected);
            check_kept(&rows, &frame, &(made_up){2});
            rows = run(&frame, &one, &(made_up){1}, threads, &rejected_in_place);
            check_kept(&rows, &frame, &(made_up){1});
            CD_CHECK(rejected > 1000 && rejected_in_place > 500 && rejected_in_place < rejected);
        }
    cd_arena_release(&arena);
}

CD_TEST(no_pairs_have_no_rows)
{
    cd_arena arena = {0};
    cd_model in = {.dim = 2};
    cd_narrow_options options = {0};
    cd_narrow_frame_state frame = {.arena = &arena, .in = &in, .options = &options};
    static const cd_narrow_mode many = {.name = "many"}, one = {.name = "one", .is_single = true};
    int32_t rejected = -1;
    CD_CHECK(run(&frame, &many, &(made_up){2}, 1, &rejected).count == 0 && rejected == 0);
    CD_CHECK(run(&frame, &one, &(made_up){1}, 1, &rejected).count == 0 && rejected == 0);
    cd_arena_release(&arena);
}

CD_TEST(a_mode_without_a_question_is_refused)
{
    cd_arena arena = {0};
    cd_narrow_options options = {.intersection = "auto"};
    static const cd_narrow_mode none = {.name = "none"};
    for (int dim = 2; dim <= 3; dim++) {
        cd_model in = {.dim = dim};
        cd_diag diag = {0};
        cd_narrow_frame_state frame = {.arena = &arena, .in = &in, .options = &options, .diag = &diag, .mode = &none};
        cd_contact_rows rows;
        int32_t rejected;
        cd_status status = (dim == 2 ? cd_narrow_plane : cd_narrow_space)(&frame, &rows, &rejected);
        CD_CHECK(status == CD_ERR_UNSUPPORTED && strstr(diag.text, dim == 2 ? "the plane" : "space"));
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(a_merging_mode_sees_whole_groups);
    CD_RUN(a_single_mode_that_merges_leaves_the_place_in_rows);
    CD_RUN(without_a_merge_all_are_kept_in_their_order);
    CD_RUN(no_pairs_have_no_rows);
    CD_RUN(a_mode_without_a_question_is_refused);
    return cd_test_done();
}
