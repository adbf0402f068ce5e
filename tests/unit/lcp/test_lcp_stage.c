// A frame's tables through cd-lcp's stage: bounds, statuses, refusals, and rows known again by --warm.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_stage.h"

static cd_arena arena, run;

// Two points of mass 1 above a floor (velocity rows 0..3), one impulse row each; `order` renumbers the impulse rows.
typedef struct scene {
    cd_model in;
    cd_refs refs;
    int64_t body_id[2], contact_id[2], row_id[6], frame_index[1];
    int32_t role[6], body[6], axis[6], contact[6], a[4], b[4], features[4], entry_row[16], entry_col[16];
    double rhs[6], value[16];
} scene;

static void add(scene *s, int32_t row, int32_t col, double value)
{
    s->entry_row[s->in.entry.count] = row;
    s->entry_col[s->in.entry.count] = col;
    s->value[s->in.entry.count++] = value;
}

static void make(scene *s, bool swapped, int64_t index)
{
    memset(s, 0, sizeof *s);
    s->frame_index[0] = index;
    for (int32_t i = 0; i < 6; i++) {
        s->row_id[i] = i;
        s->role[i] = i < 4 ? CD_ROLE_VELOCITY : CD_ROLE_IMPULSE;
        s->body[i] = i < 4 ? i / 2 : -1;
        s->axis[i] = i < 4 ? i % 2 : CD_ABSENT;
        s->contact[i] = i < 4 ? -1 : i - 4;
        s->rhs[i] = i < 4 ? (i % 2 ? -1 - i : 0.5) : 0;
        if (i < 4)
            add(s, i, i, -1);
    }
    for (int32_t k = 0; k < 2; k++) {
        int32_t body = swapped ? 1 - k : k, row = 4 + k, velocity = 2 * body + 1;
        s->body_id[k] = 10 + k;
        s->contact_id[k] = k;
        s->a[2 * k] = body;
        s->b[2 * k] = 1;
        s->features[2 * k] = cd_feature(CD_FEATURE_VERTEX, 3 + body);
        s->features[2 * k + 1] = cd_feature(CD_FEATURE_EDGE, 0);
        add(s, row, velocity, 1);
        add(s, velocity, row, 1);
    }
    s->in.dim = 2;
    s->in.frame.count = 1;
    s->in.frame.index = s->frame_index;
    s->in.body.count = 2;
    s->in.body.id = s->body_id;
    s->in.contact = (cd_contact_rows){.count = 2, .id = s->contact_id, .a = s->a, .b = s->b, .features = s->features};
    s->in.row.count = 6;
    s->in.row.id = s->row_id;
    s->in.row.role = s->role;
    s->in.row.body = s->body;
    s->in.row.axis = s->axis;
    s->in.row.contact = s->contact;
    s->in.row.rhs = s->rhs;
    s->in.entry.row = s->entry_row;
    s->in.entry.col = s->entry_col;
    s->in.entry.value = s->value;
    CD_CHECK(cd_refs_add_ids(&s->refs, CD_REC_body, s->body_id, 2, NULL) == CD_OK);
}

// warm: what lasts from frame to frame where starts are asked for, or NULL.
static cd_status solve(scene *s, cd_lcp_kept *warm, cd_model *out, cd_diag *diag)
{
    cd_lcp_kept none = {.patterns = NULL};
    const cd_lcp_stage stage = {.solver = cd_lcp_find_solver("auto"),
                                .options = CD_LCP_OPTIONS_DEFAULT,
                                .is_warm = warm != NULL,
                                .kept = warm ? warm : &none,
                                .run = &run};
    memset(out, 0, sizeof *out);
    return cd_lcp_frame(&stage, &s->in, &s->refs, &arena, out, diag);
}

CD_TEST(absent_bounds_and_values)
{
    static scene s;
    cd_model out;
    cd_diag diag = {{0}};
    make(&s, false, 0);
    CD_CHECK(solve(&s, NULL, &out, &diag) == CD_OK);
    CD_CHECK(out.solution.count == 1 && out.solution.status[0] == CD_SOLUTION_SOLVED && out.value.count == 6);
    const double z[6] = {0.5, 0, 0.5, 0, 2, 4};  // both stop, the impulses are their momenta
    for (int i = 0; i < 6; i++) {
        CD_CHECK(out.value.row[i] == i);
        CD_CHECK_NEAR(out.value.z[i], z[i], 1e-14);
        CD_CHECK_NEAR(out.value.w[i], 0, 1e-14);
    }
    double upper[6] = {NAN, NAN, NAN, NAN, 1.5, NAN}, lower[6] = {-INFINITY, -INFINITY, NAN, NAN, NAN, 5};
    s.in.row.upper = upper;
    s.in.row.lower = lower;
    CD_CHECK(solve(&s, NULL, &out, &diag) == CD_OK && out.solution.status[0] == CD_SOLUTION_SOLVED);
    CD_CHECK_NEAR(out.value.z[4], 1.5, 0);
    CD_CHECK_NEAR(out.value.w[4], -0.5, 1e-14);
    CD_CHECK_NEAR(out.value.z[5], 5, 0);
    CD_CHECK_NEAR(out.value.w[5], 1, 1e-14);
    cd_refs_release(&s.refs);
    cd_arena_reset(&arena);
}

CD_TEST(unsolved_is_written)
{
    static scene s;
    cd_model out;
    cd_diag diag = {{0}};
    make(&s, false, 0);
    double lower[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, 2, 0},
           upper[6] = {INFINITY, INFINITY, INFINITY, INFINITY, 1, 1};
    s.in.row.lower = lower;
    s.in.row.upper = upper;
    CD_CHECK(solve(&s, NULL, &out, &diag) == CD_OK);
    CD_CHECK(out.solution.status[0] == CD_SOLUTION_INFEASIBLE && !out.solution.residual);
    for (int i = 0; i < 6; i++)
        CD_CHECK(isfinite(out.value.z[i]));
    s.in.row.count = 0;
    s.in.entry.count = 0;
    CD_CHECK(solve(&s, NULL, &out, &diag) == CD_OK && out.solution.status[0] == CD_SOLUTION_SOLVED &&
             out.value.count == 0);
    cd_refs_release(&s.refs);
    cd_arena_reset(&arena);
}

CD_TEST(of_several_islands_those_that_failed_are_told)
{
    static scene s;
    cd_model out;
    cd_diag diag = {{0}};
    make(&s, false, 0);
    CD_CHECK(solve(&s, NULL, &out, &diag) == CD_OK && !out.value.status);
    // Both contacts are of the first body now: its velocity along y must be at least 1, and at most 0.
    s.entry_col[6] = s.entry_row[7] = 1;
    s.value[6] = s.value[7] = -1;
    s.rhs[4] = -1;
    CD_CHECK(solve(&s, NULL, &out, &diag) == CD_OK && out.solution.status[0] == CD_SOLUTION_INFEASIBLE);
    const bool is_unsolved[6] = {[1] = true, [4] = true, [5] = true};
    for (int i = 0; i < 6 && out.value.status; i++)
        CD_CHECK(out.value.status[i] == (is_unsolved[i] ? CD_SOLUTION_INFEASIBLE : CD_ABSENT));
    CD_CHECK(out.value.status);
    CD_CHECK_NEAR(out.value.z[3], -4, 1e-14);  // the other one moves freely, along -rhs as it falls
    cd_refs_release(&s.refs);
    cd_arena_reset(&arena);
}

CD_TEST(warm_knows_rows_by_what_they_are)
{
    static scene s, swapped;
    cd_lcp_kept warm = {.patterns = NULL};
    make(&s, false, 0);
    make(&swapped, true, 1);
    double *start = cd_warm_start(&warm.warm, &s.in, NULL, &s.refs, &arena, &run);
    for (int i = 0; i < 6; i++)
        CD_CHECK(isnan(start[i]));
    const double z[6] = {1, 2, 3, 4, 5, 6}, second[6] = {10, 20, 30, 40, 50, 60};
    cd_warm_keep(&warm.warm, z, true);
    const double expected[6] = {1, 2, 3, 4, 6, 5};  // the impulse rows changed places
    for (int repeat = 0; repeat < 3; repeat++) {
        start = cd_warm_start(&warm.warm, &swapped.in, NULL, &swapped.refs, &arena, &run);
        for (int i = 0; i < 6; i++)
            CD_CHECK(start[i] == expected[i]);
        cd_warm_keep(&warm.warm, second, true);
    }
    s.frame_index[0] = 2;
    s.features[0] = cd_feature(CD_FEATURE_VERTEX, 9);  // another vertex: not met before
    start = cd_warm_start(&warm.warm, &s.in, NULL, &s.refs, &arena, &run);
    CD_CHECK(isnan(start[4]) && start[5] == 50 && start[0] == 10);
    s.frame_index[0] = 3;
    s.contact[5] = 0;  // rows 4 and 5 are alike: told apart by their order
    cd_warm_keep(&warm.warm, z, true);
    start = cd_warm_start(&warm.warm, &s.in, NULL, &s.refs, &arena, &run);
    CD_CHECK(start[4] == 5 && isnan(start[5]));
    cd_warm_keep(&warm.warm, z, true);
    s.frame_index[0] = 4;
    start = cd_warm_start(&warm.warm, &s.in, NULL, &s.refs, &arena, &run);
    CD_CHECK(start[4] == 5 && start[5] == 6);
    cd_model out;
    cd_diag diag = {{0}};
    CD_CHECK(solve(&swapped, &warm, &out, &diag) == CD_OK && out.solution.status[0] == CD_SOLUTION_SOLVED);
    cd_refs_release(&s.refs);
    cd_refs_release(&swapped.refs);
    cd_arena_reset(&arena);
}

// Two bodies in contact, in space: velocity rows 0 to 11, the normal's 12, two tangents at `angle` and, at the same
// angle, two axes against rolling. `side`: whose velocities the tangents act on, 1 b, -1 a, 0 both.
typedef struct disc_scene {
    cd_model in;
    cd_refs refs;
    int64_t body_id[2], contact_id[1], row_id[17], frame_index[1];
    int32_t role[17], body[17], axis[17], contact[17], a[2], b[2], normal[17], entry_row[16], entry_col[16];
    double value[16];
} disc_scene;

static void make_disc(disc_scene *s, double angle, int side, int64_t index)
{
    memset(s, 0, sizeof *s);
    const double along[2][2] = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}};
    for (int32_t i = 0; i < 17; i++) {
        s->row_id[i] = i;
        s->role[i] = i < 12 ? CD_ROLE_VELOCITY : i < 13 ? CD_ROLE_IMPULSE : i < 15 ? CD_ROLE_FRICTION : CD_ROLE_ROLLING;
        s->body[i] = i < 12 ? i / 6 : -1;
        s->axis[i] = i < 12 ? i % 6 : CD_ABSENT;
        s->contact[i] = i < 12 ? -1 : 0;
        s->normal[i] = i < 13 ? -1 : 12;
    }
    for (int32_t i = 13; i < 17; i++) {
        for (int32_t k = 0; k < 4; k++) {
            const int32_t body = k / 2, e = s->in.entry.count;
            if (side != 0 && body != (side > 0))
                continue;
            s->entry_row[e] = i;
            s->entry_col[e] = 6 * body + (i < 15 ? 0 : 3) + k % 2;
            s->value[e] = (body ? 1 : -1) * along[(i - 13) % 2][k % 2];
            s->in.entry.count++;
        }
    }
    s->body_id[0] = 4;
    s->body_id[1] = 5;
    s->b[0] = 1;
    s->frame_index[0] = index;
    s->in.dim = 3;
    s->in.frame = (cd_frame_rows){.count = 1, .index = s->frame_index};
    s->in.body = (cd_body_rows){.count = 2, .id = s->body_id};
    s->in.contact = (cd_contact_rows){.count = 1, .id = s->contact_id, .a = s->a, .b = s->b};
    s->in.row = (cd_row_rows){
        .count = 17, .id = s->row_id, .role = s->role, .body = s->body, .axis = s->axis, .contact = s->contact};
    s->in.entry.row = s->entry_row;
    s->in.entry.col = s->entry_col;
    s->in.entry.value = s->value;
    CD_CHECK(cd_refs_add_ids(&s->refs, CD_REC_body, s->body_id, 2, NULL) == CD_OK);
}

// Tangents turn from frame to frame, the force does not: as vectors of space both frames have the same.
CD_TEST(warm_carries_the_force_of_a_disc_as_a_vector)
{
    static disc_scene s, turned;
    double z[17];
    for (int i = 0; i < 17; i++)
        z[i] = 1 + i;
    for (int side = -1; side <= 1; side++) {
        cd_warm warm = {.now = {.count = 0}};
        make_disc(&s, 0.3, side, 0);
        make_disc(&turned, 2.4, -side, 1);
        (void)cd_warm_start(&warm, &s.in, s.normal, &s.refs, &arena, &run);
        cd_warm_keep(&warm, z, true);
        const double *start = cd_warm_start(&warm, &turned.in, turned.normal, &turned.refs, &arena, &run);
        for (int first = 13; first < 17; first += 2) {
            const double back = 0.3 - 2.4, x = cos(back) * z[first] - sin(back) * z[first + 1],
                         y = sin(back) * z[first] + cos(back) * z[first + 1];
            CD_CHECK_NEAR(start[first], x, 1e-13);
            CD_CHECK_NEAR(start[first + 1], y, 1e-13);
        }
        CD_CHECK(start[12] == 13 && start[0] == 1);
        // Without its columns a tangent has no direction: what it had stays.
        turned.in.entry.count = 0;
        turned.frame_index[0] = 1;
        start = cd_warm_start(&warm, &turned.in, turned.normal, &turned.refs, &arena, &run);
        CD_CHECK(start[13] == 14 && start[16] == 17);
        cd_refs_release(&s.refs);
        cd_refs_release(&turned.refs);
        memset(&s, 0, sizeof s);
    }
    cd_arena_reset(&arena);
}

// Rows without friction by the hundred: what carried is known again, in any order of the rows, for each round; contacts
// that are new are unknown, and problems of few rows ask for nothing.
CD_TEST(warm_starts_a_problem_that_comes_again_as_before)
{
    static scene s, other;
    cd_warm warm = {.now = {.key = NULL}};
    make(&s, false, 3);
    make(&other, false, 4);
    other.rhs[1] = -7;
    const cd_mcp same = {.n = 6, .rhs = s.rhs, .kind = s.role}, differs = {.n = 6, .rhs = other.rhs, .kind = s.role};
    const double first[6] = {1, 2, 3, 4, 5, 6}, then[6] = {6, 5, 4, 3, 2, 1};
    int32_t trial[1] = {CD_TARGET_TRIAL};
    const cd_frame_rows polish = {.count = 1, .target = trial};
    CD_CHECK(!cd_warm_again(&warm, &differs, &other.in.frame, &arena));
    (void)cd_warm_start(&warm, &other.in, NULL, &other.refs, &arena, &run);
    cd_warm_keep(&warm, first, true);
    s.frame_index[0] = 5;
    for (int is_solved = 0; is_solved < 2; is_solved++, s.frame_index[0]++) {
        CD_CHECK(!cd_warm_again(&warm, &same, &s.in.frame, &arena));
        const double *start = cd_warm_start(&warm, &s.in, NULL, &s.refs, &arena, &run);
        for (int i = 0; i < 6; i++)  // from what the frame before had, unsolved or another
            CD_CHECK_NEAR(start[i], is_solved ? then[i] : first[i], 0);
        cd_warm_keep(&warm, then, is_solved);
    }
    CD_CHECK(!cd_warm_again(&warm, &same, &polish, &arena));
    for (int k = 0; k < 2; k++, s.frame_index[0]++) {
        const double *start = cd_warm_again(&warm, &same, &s.in.frame, &arena);
        CD_CHECK(start && memcmp(start, then, sizeof then) == 0);
        cd_warm_keep(&warm, first, true);
    }
    CD_CHECK(!cd_warm_again(&warm, &differs, &other.in.frame, &arena));
    cd_refs_release(&s.refs);
    cd_refs_release(&other.refs);
    cd_arena_reset(&arena);
}

CD_TEST(guess_knows_contacts_again)
{
    enum { N = 400 };
    static int64_t body_id[2] = {7, 9}, contact_id[N];
    static int32_t role[N], contact[N], a[2 * N], b[2 * N], features[2 * N], round[1];
    static double z[N];
    cd_refs refs = {0};
    cd_guess guess = {.count = 0};
    cd_model in = {.dim = 2};
    in.frame = (cd_frame_rows){.count = 1, .round = round};
    in.contact = (cd_contact_rows){.count = N, .id = contact_id, .a = a, .b = b, .features = features};
    in.row = (cd_row_rows){.count = N, .role = role, .contact = contact};
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, body_id, 2, NULL) == CD_OK);
    for (int32_t i = 0; i < N; i++) {
        role[i] = CD_ROLE_IMPULSE;
        contact[i] = i;
        b[2 * i] = 1;
        features[2 * i] = cd_feature(CD_FEATURE_VERTEX, i);
        z[i] = i % 3 ? 0.5 : 0;
    }
    CD_CHECK(!cd_guess_start(&guess, &in, &refs, &arena));
    cd_guess_keep(&guess, z, &run);
    for (int order = 0; order < 2; order++) {
        for (int32_t i = 0; i < N; i++)
            contact[i] = order ? N - 1 - i : i;
        features[2 * 5] = cd_feature(CD_FEATURE_EDGE, order);
        const double *start = cd_guess_start(&guess, &in, &refs, &arena);
        for (int32_t i = 0; i < N; i++)
            CD_CHECK(contact[i] == 5 ? isnan(start[i]) : start[i] == (contact[i] % 3 ? 0.5 : 0));
    }
    // Another round begins with the last problem, and then has what it kept.
    round[0] = 2;
    const double *start = cd_guess_start(&guess, &in, &refs, &arena);
    CD_CHECK(start[0] == 0 && start[1] == 0.5);
    memset(z, 0, sizeof z);
    cd_guess_keep(&guess, z, &run);
    start = cd_guess_start(&guess, &in, &refs, &arena);
    CD_CHECK(start[0] == 0 && start[1] == 0 && start[N - 6] == 0);
    in.row.count = CD_GUESS_ROWS;
    CD_CHECK(!cd_guess_start(&guess, &in, &refs, &arena));
    cd_refs_release(&refs);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(absent_bounds_and_values);
    CD_RUN(unsolved_is_written);
    CD_RUN(of_several_islands_those_that_failed_are_told);
    CD_RUN(warm_knows_rows_by_what_they_are);
    CD_RUN(warm_carries_the_force_of_a_disc_as_a_vector);
    CD_RUN(warm_starts_a_problem_that_comes_again_as_before);
    CD_RUN(guess_knows_contacts_again);
    cd_arena_release(&arena);
    cd_arena_release(&run);
    return cd_test_done();
}
