// What every contact starts from, exchange of its sides, its status and its bound.
// SPDX-License-Identifier: MIT
#include "cd_contact.h"
#include "cd_contact_limits.h"
#include "cd_test.h"

#include <string.h>

static cd_contact numbered(void)
{
    cd_contact c = cd_contact_none();
    c.kind = CD_CONTACT_SEPARATING;
    c.status = CD_STATUS_TOUCHING;
    c.point = (cd_vec3){1, 2, 3};
    c.point_a = (cd_vec3){4, 5, 6};
    c.point_b = (cd_vec3){7, 8, 9};
    c.normal = (cd_vec3){0.6, -0.8, 0};
    c.gap = 10;
    c.area = 11;
    c.feature_a = 12;
    c.feature_b = 13;
    c.surface_a = 14;
    c.surface_b = 15;
    c.applicability = 0.16;
    c.feasible = 0.17;
    c.bound = 18;
    return c;
}

static bool is_same_bits(const void *p, const void *q, size_t size) { return memcmp(p, q, size) == 0; }

// Members one by one: padding holds what it likes.
static bool is_same(const cd_contact *c, const cd_contact *d)
{
    return c->kind == d->kind && c->status == d->status && is_same_bits(&c->point, &d->point, sizeof c->point) &&
           is_same_bits(&c->point_a, &d->point_a, sizeof c->point_a) &&
           is_same_bits(&c->point_b, &d->point_b, sizeof c->point_b) &&
           is_same_bits(&c->normal, &d->normal, sizeof c->normal) && is_same_bits(&c->gap, &d->gap, sizeof c->gap) &&
           is_same_bits(&c->area, &d->area, sizeof c->area) && c->feature_a == d->feature_a &&
           c->feature_b == d->feature_b && c->surface_a == d->surface_a && c->surface_b == d->surface_b &&
           is_same_bits(&c->applicability, &d->applicability, sizeof c->applicability) &&
           is_same_bits(&c->feasible, &d->feasible, sizeof c->feasible) &&
           is_same_bits(&c->separator, &d->separator, sizeof c->separator) &&
           is_same_bits(&c->bound, &d->bound, sizeof c->bound);
}

static cd_separator separator(int32_t first, int32_t second, int32_t side)
{
    return (cd_separator){{first, second}, side};
}

CD_TEST(none_has_nothing_that_a_contact_may_have)
{
    cd_contact c = cd_contact_none();
    CD_CHECK(c.status == CD_STATUS_CANDIDATE && isnan(c.area) && isnan(c.applicability) && isnan(c.feasible));
    CD_CHECK(c.feature_a == CD_FEATURE_NONE && c.feature_b == CD_FEATURE_NONE);
    CD_CHECK(c.surface_a == CD_ABSENT && c.surface_b == CD_ABSENT && isnan(c.bound));
    CD_CHECK(c.separator.code[0] == CD_FEATURE_NONE && c.separator.code[1] == CD_FEATURE_NONE);
    CD_CHECK(c.separator.side == CD_ABSENT);
}

CD_TEST(flipping_exchanges_every_member_of_a_side)
{
    cd_contact c = numbered(), f = cd_contact_flip(c);
    CD_CHECK(f.point_a.x == 7 && f.point_b.z == 6 && f.normal.x == -0.6 && f.normal.y == 0.8);
    CD_CHECK(f.feature_a == 13 && f.feature_b == 12 && f.surface_a == 15 && f.surface_b == 14);
    CD_CHECK(f.kind == c.kind && f.status == c.status && f.point.y == 2 && f.gap == 10 && f.area == 11);
    CD_CHECK(f.applicability == 0.16 && f.feasible == 0.17 && f.bound == 18);
    c.separator = separator(1, 5, CD_ABSENT);
    f = cd_contact_flip(c);
    CD_CHECK(f.separator.code[0] == 5 && f.separator.code[1] == 1 && f.separator.side == CD_ABSENT);
    c.separator = separator(2, CD_FEATURE_NONE, CD_SIDE_A);
    f = cd_contact_flip(c);
    CD_CHECK(f.separator.code[0] == 2 && f.separator.code[1] == CD_FEATURE_NONE && f.separator.side == CD_SIDE_B);
}

CD_TEST(flipping_twice_changes_no_bit)
{
    const cd_separator some[] = {separator(CD_FEATURE_NONE, CD_FEATURE_NONE, CD_ABSENT),
                                 separator(CD_FEATURE_NONE, CD_FEATURE_NONE, CD_SIDE_B),
                                 separator(2, CD_FEATURE_NONE, CD_SIDE_A), separator(1, 5, CD_ABSENT)};
    for (int i = 0; i < 4; i++)
        for (int bare = 0; bare < 2; bare++) {
            cd_contact c = bare ? cd_contact_none() : numbered();
            c.separator = some[i];
            cd_contact once = cd_contact_flip(c), twice = cd_contact_flip(once);
            CD_CHECK(is_same(&c, &twice) && !is_same(&c, &once));
        }
}

CD_TEST(a_status_is_closed_at_epsilon)
{
    CD_CHECK(cd_contact_status_of(-2e-6, 1e-6) == CD_STATUS_PENETRATING);
    CD_CHECK(cd_contact_status_of(-1e-6, 1e-6) == CD_STATUS_TOUCHING);
    CD_CHECK(cd_contact_status_of(1e-6, 1e-6) == CD_STATUS_TOUCHING);
    CD_CHECK(cd_contact_status_of(2e-6, 1e-6) == CD_STATUS_CANDIDATE);
    CD_CHECK(cd_contact_status_of(NAN, 1e-6) == CD_STATUS_CANDIDATE);
}

CD_TEST(a_bound_is_asked_of_what_overlaps_or_touches_at_the_start)
{
    CD_CHECK(cd_contact_bound(-0.5, -0.25, 1e-9) == -0.5);
    CD_CHECK(cd_contact_bound(0, 2e-9, 1e-9) == 2e-9);
    CD_CHECK(cd_contact_bound(0, -1e-9, 1e-9) == 0);
    CD_CHECK(isnan(cd_contact_bound(0, -2e-9, 1e-9)));
    CD_CHECK(isnan(cd_contact_bound(0, 1e-5, 1e-9)) && isnan(cd_contact_bound(0, NAN, 1e-9)));
    CD_CHECK(cd_contact_bound_of_gap(-0.25, 1e-9) == -0.25);
    CD_CHECK(cd_contact_bound_of_gap(0.5e-9, 1e-9) == 0.5e-9 && isnan(cd_contact_bound_of_gap(1, 1e-9)));
}

CD_TEST(limits_take_what_was_not_judged)
{
    cd_contact_limits limits = cd_contact_limits_usual(3, false, false);
    CD_CHECK(cd_contact_is_applicable(NAN, &limits, CD_CONTACT_AT_FACE));
    CD_CHECK(cd_contact_is_applicable(-0.29, &limits, CD_CONTACT_AT_FACE));
    CD_CHECK(!cd_contact_is_applicable(-0.31, &limits, CD_CONTACT_AT_FACE));
    CD_CHECK(cd_contact_is_applicable(-0.09, &limits, CD_CONTACT_AT_EDGE));
    CD_CHECK(!cd_contact_is_applicable(-0.09, &limits, CD_CONTACT_ACROSS_EDGE));
    limits = cd_contact_limits_usual(3, false, true);
    CD_CHECK(cd_contact_is_applicable(-0.09, &limits, CD_CONTACT_ACROSS_EDGE));
    limits = cd_contact_limits_usual(2, false, false);
    CD_CHECK(cd_contact_is_applicable(-1, &limits, CD_CONTACT_AT_FACE));
    limits = cd_contact_limits_usual(2, true, false);
    CD_CHECK(cd_contact_is_applicable(-0.19, &limits, CD_CONTACT_AT_FACE));
    CD_CHECK(!cd_contact_is_applicable(-0.21, &limits, CD_CONTACT_AT_FACE));
    CD_CHECK(cd_contact_is_feasible(NAN, -5, &limits) && cd_contact_is_feasible(CD_FEASIBLE_INSIDE, -5, &limits));
    limits.delta = 0.1;
    limits.phi = 0.2;
    CD_CHECK(!cd_contact_is_feasible(CD_FEASIBLE_INSIDE, -0.11, &limits));
    CD_CHECK(!cd_contact_is_feasible(-0.21, 5, &limits) && cd_contact_is_feasible(-0.19, -5, &limits));
}

CD_TEST(what_was_deleted_or_lies_outside_takes_no_part)
{
    for (int32_t status = 0; status < CD_STATUSES; status++)
        CD_CHECK(cd_contact_takes_part(status) == (status != CD_STATUS_OUTSIDE && status != CD_STATUS_DELETED));
}

int main(void)
{
    CD_RUN(none_has_nothing_that_a_contact_may_have);
    CD_RUN(flipping_exchanges_every_member_of_a_side);
    CD_RUN(flipping_twice_changes_no_bit);
    CD_RUN(a_status_is_closed_at_epsilon);
    CD_RUN(a_bound_is_asked_of_what_overlaps_or_touches_at_the_start);
    CD_RUN(limits_take_what_was_not_judged);
    CD_RUN(what_was_deleted_or_lies_outside_takes_no_part);
    return cd_test_done();
}
