// Guesses of the contacts that carry: rows of a problem known again in the next one.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "lcp_guess.h"

#include <math.h>

enum { ROWS = CD_GUESS_ROWS + 2 };

// A row for each contact of bodies 0 and 1; contacts 2k and 2k + 1 have the same vertices and are of different faces.
typedef struct problem {
    cd_model in;
    int32_t role[ROWS], contact[ROWS], a[2 * ROWS], b[2 * ROWS], features[2 * ROWS], facet[2 * ROWS], side[ROWS];
} problem;

static void make(problem *p)
{
    memset(p, 0, sizeof *p);
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

CD_TEST(rows_of_the_same_vertices_are_told_apart_by_their_face)
{
    const int64_t id[] = {7, 9};
    cd_arena arena = {0}, run = {0};
    cd_refs refs = {0};
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, id, 2, NULL) == CD_OK);
    static problem p;
    make(&p);
    cd_guess guess = {.now = NULL};
    double z[ROWS];
    for (int32_t i = 0; i < ROWS; i++)
        z[i] = i % 4 == 0 || i % 4 == 3;
    CD_CHECK(!cd_guess_start(&guess, &p.in, &refs, &arena));
    cd_guess_keep(&guess, z, &run);

    // Pairs of rows in the other order, one row of a face that was not there, one of vertices that were not.
    for (int32_t i = 0; i < ROWS; i++)
        p.contact[i] = i ^ 1;
    p.facet[2 * 5] = cd_feature(CD_FEATURE_FACE, ROWS);
    p.features[2 * 9] = cd_feature(CD_FEATURE_VERTEX, ROWS);
    const double *known = cd_guess_start(&guess, &p.in, &refs, &arena);
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
    cd_refs_release(&refs);
    cd_arena_release(&run);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(rows_of_the_same_vertices_are_told_apart_by_their_face);
    return cd_test_done();
}
