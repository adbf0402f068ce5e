// A million pairs of hulls of lattice points that touch, nearly touch or barely overlap: every label must be that of
// integers.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_certify_cases.h"

CD_TEST(a_million_near_touching_pairs_have_the_label_of_integers)
{
    static cd_arena arena, scratch;
    cd_random random = {20};
    int wrong = 0, of_label[3] = {0, 0, 0};
    for (int k = 0; k < 1000000; k++) {
        lattice_body p, q;
        lattice_pair(&random, &p, &q);
        certify_cores cores = {3, lattice_core(&p, 0x1p-10), lattice_core(&q, 0x1p-10), {0}, NULL};
        int32_t truth = lattice_label(&p, &q);
        wrong += certify_by_cone(&arena, &scratch, &cores, NULL, 0).label != truth;
        of_label[truth]++;
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    CD_CHECK(wrong == 0);
    for (int label = 0; label < 3; label++)
        CD_CHECK(of_label[label] > 100000);
    printf("# %d apart, %d touching, %d overlapping\n", of_label[0], of_label[1], of_label[2]);
    cd_arena_release(&arena);
    cd_arena_release(&scratch);
}

int main(void)
{
    CD_RUN(a_million_near_touching_pairs_have_the_label_of_integers);
    return cd_test_done();
}
