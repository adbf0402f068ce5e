// SPDX-License-Identifier: MIT
#include "cd_cell.h"

#include "cd_test.h"

#include <float.h>

CD_TEST(a_position_is_near_the_middle_of_its_cell_and_the_difference_exact)
{
    static const double length[] = {1e-3, 0.28, 1, 1e4}, place[] = {0, 0.5, -3, 1e3, 12345.678, -9e7};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (size_t k = 0; k < sizeof place / sizeof *place; k++) {
            double edge = cd_cell_edge(length[i]), x = place[k];
            cd_vec3 middle = cd_cell_middle(edge, (cd_vec3){x, -x, 2 * x});
            CD_CHECK(edge > 0x1p11 * length[i] && edge <= 0x1p12 * length[i]);
            CD_CHECK(fabs(x - middle.x) <= edge / 2 && middle.y == -middle.x);
            CD_CHECK((x - middle.x) + middle.x == x);
            CD_CHECK(middle.x == edge * rint(x / edge));
        }
}

CD_TEST(lengths_and_positions_at_the_ends_of_doubles_have_a_finite_middle)
{
    static const double length[] = {4.9e-324, DBL_MIN, 1e-300, 1, 1e300, DBL_MAX},
                        place[] = {0, 4.9e-324, 1, 1e300, -DBL_MAX};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (size_t k = 0; k < sizeof place / sizeof *place; k++) {
            double edge = cd_cell_edge(length[i]), x = place[k];
            cd_vec3 middle = cd_cell_middle(edge, (cd_vec3){x, x, x});
            CD_CHECK(isnormal(edge) && isfinite(middle.x) && isfinite(x - middle.x));
            CD_CHECK(fabs(x - middle.x) <= edge / 2);
        }
}

int main(void)
{
    CD_RUN(a_position_is_near_the_middle_of_its_cell_and_the_difference_exact);
    CD_RUN(lengths_and_positions_at_the_ends_of_doubles_have_a_finite_middle);
    return cd_test_done();
}
