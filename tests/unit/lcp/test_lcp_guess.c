// Guesses of the contacts that carry: rows of a problem known again in the next one.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_guess.h"

#include <math.h>

enum { ROWS = CD_GUESS_ROWS + 2 };

// A row for each contact of bodies 0 and 1; contacts 2k and 2k + 1 have the same vertices and are of different faces.
typedef struct problem {
    cd_model in;
    cd_refs refs;
    cd_guess guess;
    cd_arena run;
    int32_t role[ROWS], contact[ROWS], a[2 * ROWS], b[2 * ROWS], features[2 * ROWS], facet[2 * ROWS], side[ROWS];
} problem;

static void make(problem *p)
{
    const int64_t id[] = {7, 9};
    memset(p, 0, sizeof *p);
    CD_CHECK(cd_refs_add_ids(&p->refs, CD_REC_body, id, 2, NULL) == CD_OK);
    for (int32_t i = 0; i < ROWS; i++) {
        p->role[i] = CD_ROLE_IMPULSE;
        p->contact[i] = i;
        p->b[2 * i] = 1;
        p->features[2 * i] = p->features[2 * i + 1] = cd_feature(CD_FEATURE_VERTEX, i / 2);
        p->facet[2 * i] = cd_feature(CD_FEATURE_FACE, i / 2);
        p->facet[2 * i + 1] = CD_FEATURE_NONE;
        p->side[i] = i % 2 ? CD_SIDE_B : CD_SIDE_A;
    }
    p->in.contact = (cd_contact_rows){
        .count = ROWS, .a = p->a, .b = p->b, .features = p->features, .facet = p->facet, .side = p->side};
    p->in.row.count = ROWS;
    p->in.row.role = p->role;
    p->in.row.contact = p->contact;
}

static void release(problem *p)
{
    cd_refs_release(&p->refs);
    cd_arena_release(&p->run);
}

CD_TEST(rows_of_the_same_vertices_are_told_apart_by_their_face)
{
    cd_arena arena = {0};
    static problem p;
    make(&p);
    double z[ROWS];
    for (int32_t i = 0; i < ROWS; i++)
        z[i] = i % 4 == 0 || i % 4 == 3;
    CD_CHECK(!cd_guess_start(&p.guess, &p.in, &p.refs, &arena));
    cd_guess_keep(&p.guess, z, &p.run);

    // Pairs of rows in the other order, one row of a face that was not there, one of vertices that were not.
    for (int32_t i = 0; i < ROWS; i++)
        p.contact[i] = i ^ 1;
    p.facet[2 * 5] = cd_feature(CD_FEATURE_FACE, ROWS);
    p.features[2 * 9] = cd_feature(CD_FEATURE_VERTEX, ROWS);
    const double *known = cd_guess_start(&p.guess, &p.in, &p.refs, &arena);
    CD_CHECK(known != NULL);
    for (int32_t i = 0; i < ROWS && known; i++) {
        const int32_t c = i ^ 1;
        if (c == 9)
            CD_CHECK(isnan(known[i]));
        else if (c == 5)
            CD_CHECK(known[i] == 0 || known[i] == 1);  // of either row of its vertices
        else
            CD_CHECK(known[i] == z[c]);
    }
    release(&p);
    cd_arena_release(&arena);
}

// The problem of a round has been solved by `found` everywhere. Returns what the guess for its first row was, NAN:
// none.
static double solve_round(problem *p, int32_t round, double found)
{
    cd_arena arena = {0};
    double z[ROWS];
    p->in.frame = (cd_frame_rows){.count = 1, .round = &round};
    for (int32_t i = 0; i < ROWS; i++)
        z[i] = found;
    const double *known = cd_guess_start(&p->guess, &p->in, &p->refs, &arena);
    const double first = known ? known[0] : NAN;
    cd_guess_keep(&p->guess, z, &p->run);
    cd_arena_release(&arena);
    return first;
}

CD_TEST(a_round_begins_with_its_own_problem_or_the_last_one)
{
    static problem p;
    make(&p);
    CD_CHECK(isnan(solve_round(&p, 0, 1)));
    CD_CHECK(solve_round(&p, 1, 2) == 1);  // which no step before had
    CD_CHECK(solve_round(&p, 0, 3) == 1);
    CD_CHECK(solve_round(&p, 1, 4) == 2);
    CD_CHECK(solve_round(&p, CD_GUESS_ROUNDS + 3, 5) == 4);
    CD_CHECK(solve_round(&p, CD_GUESS_ROUNDS - 1, 6) == 5);  // the last one keeps all that follow
    CD_CHECK(solve_round(&p, 0, 7) == 3);
    release(&p);
}

CD_TEST(small_problems_and_friction_have_no_guess_and_leave_none)
{
    static problem p;
    static int32_t normal_row[ROWS];
    make(&p);
    CD_CHECK(isnan(solve_round(&p, 0, 1)));
    p.in.row.count = CD_GUESS_ROWS;
    CD_CHECK(isnan(solve_round(&p, 0, 2)));
    p.in.row.count = ROWS;
    for (int32_t i = 0; i < ROWS; i++)
        normal_row[i] = CD_ABSENT;
    normal_row[ROWS - 1] = 0;
    p.in.row.normal_row = normal_row;
    CD_CHECK(isnan(solve_round(&p, 0, 3)));
    normal_row[ROWS - 1] = CD_ABSENT;
    CD_CHECK(solve_round(&p, 0, 4) == 1);
    release(&p);
}

int main(void)
{
    CD_RUN(rows_of_the_same_vertices_are_told_apart_by_their_face);
    CD_RUN(a_round_begins_with_its_own_problem_or_the_last_one);
    CD_RUN(small_problems_and_friction_have_no_guess_and_leave_none);
    return cd_test_done();
}
