// Ids and rows: look-ups against a plain list for ascending, scattered and hostile ids, over chunks and frames.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "cd_random.h"
#include "cd_refs.h"

#include <stdlib.h>

static int32_t row_by_search(const int64_t *id, int32_t count, int64_t wanted)
{
    for (int32_t i = 0; i < count; i++)
        if (id[i] == wanted)
            return i;
    return -1;
}

static void check_lookups(const cd_refs *refs, const int64_t *id, int32_t count)
{
    CD_CHECK(cd_refs_count(refs, CD_REC_body) == count);
    int wrong = 0;
    for (int32_t i = 0; i < count; i++) {
        wrong += cd_refs_row(refs, CD_REC_body, id[i]) != i || cd_refs_id(refs, CD_REC_body, i) != id[i];
        for (int64_t near = -2; near <= 2; near++) {
            int64_t wanted = (int64_t)((uint64_t)id[i] + (uint64_t)near);
            wrong += cd_refs_row(refs, CD_REC_body, wanted) != row_by_search(id, count, wanted);
        }
    }
    wrong += cd_refs_row(refs, CD_REC_body, INT64_MAX) != row_by_search(id, count, INT64_MAX);
    wrong += cd_refs_row(refs, CD_REC_body, INT64_MIN) != row_by_search(id, count, INT64_MIN);
    CD_CHECK(wrong == 0);
}

enum { MOST = 600 };

static int compare_ids(const void *a, const void *b)
{
    int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

// `count` different ids of a kind: 0 consecutive, 1 ascending, 2 in disorder, 3 all over int64, 4 a few out of place, 5
// colliding in low bits, 6 consecutive up to a gap.
static int32_t make_ids(cd_random *random, int kind, int32_t count, int64_t id[MOST])
{
    for (int32_t i = 0; i < count; i++) {
        int64_t step = (int64_t)(cd_random_bits(random) % 5) + 1;
        switch (kind) {
        case 0:
            id[i] = i ? id[i - 1] + 1 : -3;
            break;
        case 5:
            id[i] = (int64_t)(((uint64_t)i * 0x9e37u) << 40);
            break;
        case 6:
            id[i] = i ? id[i - 1] + (i == 200 ? 7 : 1) : 5;
            break;
        case 3:
            id[i] = (int64_t)cd_random_bits(random);
            break;
        default:
            id[i] = i ? id[i - 1] + step : 0;
            break;
        }
    }
    for (int32_t i = 0; i < count && (kind == 2 || kind == 4); i += kind == 2 ? 1 : 97) {
        int32_t j = (int32_t)(cd_random_bits(random) % (uint64_t)count);
        int64_t swap = id[i];
        id[i] = id[j];
        id[j] = swap;
    }
    if (kind == 3 && count > 4)
        id[0] = INT64_MAX, id[1] = INT64_MIN, id[3] = 0;
    int64_t sorted[MOST];
    memcpy(sorted, id, (size_t)count * sizeof *id);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_ids);
    for (int32_t i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1])
            return 0;
    return count;
}

CD_TEST(lookups_agree_with_a_search)
{
    cd_refs refs = {0};
    cd_diag diag;
    int64_t id[MOST];
    int done = 0;
    for (int seed = 0; seed < 240; seed++) {
        cd_random random = {(uint64_t)seed};
        int32_t count = make_ids(&random, seed % 7, 1 + (int32_t)(cd_random_bits(&random) % MOST), id), first = 0;
        if (!count)
            continue;
        done++;
        cd_refs_open_frame(&refs);
        while (first < count) {  // in chunks, none of them aligned with anything
            int32_t chunk = (int32_t)(cd_random_bits(&random) % 90), left = count - first;
            chunk = chunk < left ? chunk : left;
            CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, id + first, chunk, &diag) == CD_OK);
            first += chunk;
        }
        check_lookups(&refs, id, count);
        int64_t again = id[cd_random_bits(&random) % (uint64_t)count];  // a duplicate, wherever it stood
        CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, &again, 1, &diag) == CD_ERR_FORMAT);
        CD_CHECK(strstr(diag.text, "is there twice") != NULL);
    }
    CD_CHECK(done > 200);
    cd_refs_release(&refs);
}

CD_TEST(frames_are_forgotten_head_tables_stay)
{
    cd_refs refs = {0};
    int64_t id[] = {5, 3, 9};
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_shape, id, 3, NULL) == CD_OK);
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, id, 3, NULL) == CD_OK);
    cd_refs_open_frame(&refs);
    CD_CHECK(cd_refs_row(&refs, CD_REC_shape, 9) == 2);
    CD_CHECK(cd_refs_row(&refs, CD_REC_body, 9) == -1 && cd_refs_count(&refs, CD_REC_body) == 0);
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, id + 1, 1, NULL) == CD_OK);
    CD_CHECK(cd_refs_row(&refs, CD_REC_body, 3) == 0 && cd_refs_row(&refs, CD_REC_body, 5) == -1);
    cd_refs_release(&refs);
    CD_CHECK(cd_refs_row(&refs, CD_REC_shape, 9) == -1);
}

CD_TEST(rows_that_were_only_counted_have_no_ids)
{
    cd_refs refs = {0};
    int64_t id[] = {1, 2, 3};
    cd_refs_add_rows(&refs, CD_REC_contact, 4);
    CD_CHECK(cd_refs_count(&refs, CD_REC_contact) == 4 && cd_refs_row(&refs, CD_REC_contact, 1) == -1);
    // known ids behind unknown ones help nobody
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_contact, id, 3, NULL) == CD_OK);
    CD_CHECK(cd_refs_count(&refs, CD_REC_contact) == 7 && cd_refs_row(&refs, CD_REC_contact, 2) == -1);
    cd_refs_add_rows(&refs, CD_REC_contact, INT32_MAX);
    CD_CHECK(cd_refs_count(&refs, CD_REC_contact) == INT32_MAX);
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_contact, id, 3, NULL) == CD_ERR_LIMIT);
    cd_refs_forget(&refs, CD_REC_contact);
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_contact, id, 3, NULL) == CD_OK);
    CD_CHECK(cd_refs_row(&refs, CD_REC_contact, 2) == 1);
    cd_refs_release(&refs);
}

int main(void)
{
    CD_RUN(lookups_agree_with_a_search);
    CD_RUN(frames_are_forgotten_head_tables_stay);
    CD_RUN(rows_that_were_only_counted_have_no_ids);
    return cd_test_done();
}
