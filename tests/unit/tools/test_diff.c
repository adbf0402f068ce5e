// cd-diff --by pair: classes at their limits, conventions as planted, histograms and the worst against plain counting,
// points against closed forms, matching against a search over all rows.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "diff_classes.h"

#include <stdlib.h>

static cd_arena arena;
static uint32_t seed = 5;

static int32_t below(int32_t bound)
{
    seed = seed * 1664525u + 1013904223u;
    return (int32_t)((seed >> 8) % (uint32_t)bound);
}

static double between(double low, double high) { return low + (high - low) * below(1 << 20) / (1 << 20); }

static const cd_diff_tolerances tolerance = {.gap = 1e-3, .normal = 0.01, .point = 1e-2};

// One contact a side, alike but for what is given: the right gap larger by `gap`, its normal turned by `angle`.
static cd_diff_pair pair_of(double left_gap, double gap, double angle, double point)
{
    cd_diff_pair pair = {.a = {1, 0}, .b = {2, 0}, .point = point};
    for (int s = 0; s < 2; s++) {
        pair.side[s].count = 1;
        for (int end = 0; end < 2; end++) {
            struct cd_diff_extreme *extreme = &pair.side[s].extreme[end];
            extreme->gap = s ? left_gap + gap : left_gap;
            extreme->normal = s ? (cd_vec3){cos(angle), sin(angle), 0} : (cd_vec3){1, 0, 0};
            extreme->feature[0] = extreme->feature[1] = CD_FEATURE_NONE;
        }
    }
    return pair;
}

static cd_diff_tally tally_of(cd_diff_pair *pair, int32_t count, int32_t worst)
{
    cd_diff_tally tally = {.tolerance = tolerance, .worst_most = worst};
    cd_diff_tally_add(&arena, &tally, &(cd_diff_pairs){pair, count});
    cd_diff_tally_finish(&arena, &tally);
    return tally;
}

static cd_diff_class class_of(cd_diff_pair pair)
{
    cd_diff_tally tally = tally_of(&pair, 1, 1);
    CD_CHECK(tally.pairs == 1);
    for (int c = 0; c < CD_DIFF_CLASSES; c++)
        if (tally.count[c] == 1)
            return (cd_diff_class)c;
    CD_CHECK(!"a pair of no class");
    return CD_DIFF_CLASSES;
}

static cd_diff_pair only(int side, double gap)
{
    cd_diff_pair pair = pair_of(gap, 0, 0, NAN);
    pair.side[1 - side] = (cd_diff_claim){0};
    return pair;
}

CD_TEST(classes_begin_at_the_tolerances)
{
    CD_CHECK(class_of(pair_of(-0.1, 0, 0, 0)) == CD_DIFF_SAME);
    CD_CHECK(class_of(pair_of(-0.1, 0.99e-3, 0.0099, 0.0099)) == CD_DIFF_SAME);
    CD_CHECK(class_of(pair_of(-0.1, 1.01e-3, 0, 0)) == CD_DIFF_OTHER_DEPTH);
    CD_CHECK(class_of(pair_of(-0.1, -1.01e-3, 0, 0)) == CD_DIFF_OTHER_DEPTH);
    CD_CHECK(class_of(pair_of(-0.1, 0, 0.0101, 0)) == CD_DIFF_OTHER_NORMAL);
    CD_CHECK(class_of(pair_of(-0.1, 0, 0, 0.0101)) == CD_DIFF_OTHER_POINT);
    // the first that fits
    CD_CHECK(class_of(pair_of(-0.1, 1, 1, 1)) == CD_DIFF_OTHER_NORMAL);
    CD_CHECK(class_of(pair_of(-0.1, 1, 0, 1)) == CD_DIFF_OTHER_DEPTH);
    cd_diff_pair doubled = pair_of(-0.1, 1, 1, 1);
    doubled.side[0].doubled = 1;
    CD_CHECK(class_of(doubled) == CD_DIFF_DOUBLED);
    doubled.side[1].doubled = 1;
    CD_CHECK(class_of(doubled) == CD_DIFF_OTHER_NORMAL);
    // of one stream alone: by how deep it is there
    CD_CHECK(class_of(only(0, -1.01e-3)) == CD_DIFF_MISSING);
    CD_CHECK(class_of(only(1, -1.01e-3)) == CD_DIFF_EXTRA);
    CD_CHECK(class_of(only(0, -0.99e-3)) == CD_DIFF_REACH);
    CD_CHECK(class_of(only(1, 0.5)) == CD_DIFF_REACH);
    // sides exchanged alone
    cd_diff_pair exchanged = pair_of(-0.1, 0, 0, 0);
    exchanged.side[1].exchanged = 1;
    CD_CHECK(class_of(exchanged) == CD_DIFF_CONVENTION);
}

// Of `count` pairs the first `like` follow the convention that is planted.
typedef struct planted {
    bool normal_reversed, gap_reversed;
    double margin;
} planted;

static void plant(cd_diff_pair *pair, int32_t count, int32_t like, planted p)
{
    for (int32_t i = 0; i < count; i++) {
        double gap = -between(0.01, 0.2);
        pair[i] = pair_of(gap, 0, between(-0.005, 0.005), 0);
        struct cd_diff_extreme *right = pair[i].side[1].extreme;
        for (int end = 0; end < 2 && i < like; end++) {
            right[end].gap = (gap + p.margin) * (p.gap_reversed ? -1 : 1);
            right[end].normal = p.normal_reversed ? cd_negate3(right[end].normal) : right[end].normal;
        }
    }
}

CD_TEST(conventions_explain_nine_of_ten_and_three)
{
    cd_diff_pair pair[100];
    for (int kind = 0; kind < 8; kind++) {
        planted p = {kind & 1, kind >> 1 & 1, kind & 4 ? 0.5 : 0};
        if (p.gap_reversed && p.margin != 0)
            continue;  // then the gaps are no longer one another's opposites
        for (int32_t like = 89; like <= 90; like++) {
            plant(pair, 100, like, p);
            cd_diff_conventions found = cd_diff_find_conventions(pair, 100, tolerance);
            CD_CHECK(found.normal_reversed == (p.normal_reversed && like == 90));
            CD_CHECK(found.gap_reversed == (p.gap_reversed && like == 90));
            CD_CHECK_NEAR(found.margin, like == 90 ? p.margin : 0, 1e-12);
        }
        for (int32_t few = 2; few <= 3; few++) {
            plant(pair, few, few, p);
            cd_diff_tally tally = tally_of(pair, few, 0);
            CD_CHECK(tally.conventions.normal_reversed == (p.normal_reversed && few == 3));
            CD_CHECK(tally.count[few == 3 && kind ? CD_DIFF_CONVENTION : CD_DIFF_SAME] ==
                     (few == 3 || !kind ? few : 0));
        }
    }
}

static int descending(const void *left, const void *right)
{
    double p = *(const double *)left, q = *(const double *)right;
    return (p < q) - (p > q);
}

// More pairs than wait for the conventions: gap differences of all sizes.
CD_TEST(histogram_and_worst_are_those_of_plain_counting)
{
    enum { PAIRS = CD_DIFF_SAMPLE + 5000, WORST = 20 };
    cd_diff_pair *pair = CD_ARENA_ARRAY(&arena, cd_diff_pair, PAIRS);
    double *deep = CD_ARENA_ARRAY(&arena, double, PAIRS);
    int64_t bin[CD_DIFF_BINS] = {0}, beyond = 0, same = 0;
    for (int32_t i = 0; i < PAIRS; i++) {
        int power = below(20) - 15;  // 1e-15 .. 1e4
        double size = below(20) ? between(1.5, 9.5) * pow(10, power) : 0;
        pair[i] = pair_of(0, below(2) ? size : -size, 0, 0);
        double exact = fabs(pair[i].side[1].extreme[0].gap - pair[i].side[0].extreme[0].gap);
        int decade = power < CD_DIFF_LEAST_DECADE ? 1 : power >= CD_DIFF_MOST_DECADE ? CD_DIFF_BINS - 1 : power + 14;
        bin[exact == 0 ? 0 : decade]++;
        deep[beyond] = exact;
        beyond += exact > tolerance.gap;
        same += exact <= tolerance.gap;
    }
    cd_diff_tally tally = {.tolerance = tolerance, .worst_most = WORST};
    for (int32_t at = 0; at < PAIRS; at += 977)
        cd_diff_tally_add(&arena, &tally, &(cd_diff_pairs){pair + at, at + 977 < PAIRS ? 977 : PAIRS - at});
    cd_diff_tally_finish(&arena, &tally);
    CD_CHECK(tally.pairs == PAIRS && tally.both == PAIRS && tally.count[CD_DIFF_SAME] == same);
    CD_CHECK(tally.beyond[CD_DIFF_GAP] == beyond && tally.count[CD_DIFF_OTHER_DEPTH] == beyond);
    for (int k = 0; k < CD_DIFF_BINS; k++)
        CD_CHECK(tally.bin[CD_DIFF_GAP][k] == bin[k] && bin[k] > 0);
    CD_CHECK(tally.bin[CD_DIFF_NORMAL][0] == PAIRS);
    qsort(deep, (size_t)beyond, sizeof *deep, descending);
    CD_CHECK(tally.worst_count[CD_DIFF_OTHER_DEPTH] == WORST && tally.largest[CD_DIFF_GAP] == deep[0]);
    for (int k = 0; k < WORST; k++)
        CD_CHECK(tally.worst[CD_DIFF_OTHER_DEPTH][k].badness == deep[k]);
    cd_diff_tally_release(&tally);
}

// ---- points --------------------------------------------------------------------------------------------------------

static cd_diff_contact at(double x, double y, double z, double gap)
{
    return (cd_diff_contact){.point = {x, y, z}, .normal = {0, 0, 1}, .gap = gap};
}

CD_TEST(points_are_measured_from_the_patch_with_its_gap)
{
    cd_diff_contact patch[4] = {at(0, 0, 0, 0.1), at(1, 0, 0, 0.1), at(1, 1, 0, 0.1), at(0, 1, 0, 0.1)};
    for (int k = 0; k < 1000; k++) {
        cd_diff_contact p = at(between(-2, 3), between(-2, 3), between(-1, 1), 0);
        double x = fmax(fmax(-p.point.x, p.point.x - 1), 0), y = fmax(fmax(-p.point.y, p.point.y - 1), 0);
        double z = fmax(fabs(p.point.z) - 0.1, 0), expected = sqrt(x * x + y * y + z * z);  // from a box
        CD_CHECK_NEAR(cd_diff_points_distance(&arena, &p, 1, patch, 4), expected, 1e-12);
        CD_CHECK_NEAR(cd_diff_points_distance(&arena, patch, 4, &p, 1), expected, 1e-12);
        // of equally many the farther way: from a point to the other's segment
        cd_diff_contact q = at(0, 0, 0, 0.3);
        double flat = hypot(p.point.x, p.point.y), there = hypot(flat, fmax(fabs(p.point.z) - 0.3, 0));
        CD_CHECK_NEAR(cd_diff_points_distance(&arena, &p, 1, &q, 1), fmax(there, hypot(flat, p.point.z)), 1e-12);
    }
}

// ---- matching ------------------------------------------------------------------------------------------------------

enum { BODIES = 6, CONTACTS = 40 };

static cd_refs refs;

static void make_side(cd_tables *tables, cd_diff_side *side)
{
    int64_t id[BODIES];
    memset(tables, 0, sizeof *tables);
    tables->model.dim = 3;
    for (int i = 0; i < BODIES; i++)
        id[i] = 100 - 7 * i;  // ids against the rows
    cd_refs_open_frame(&refs);
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, id, BODIES, NULL) == CD_OK);
    cd_contact_rows *rows = &tables->model.contact;
    rows->count = CONTACTS;
    int32_t *a = CD_COLUMN(&arena, 3, contact, rows, a), *b = CD_COLUMN(&arena, 3, contact, rows, b);
    int32_t *kind = CD_COLUMN(&arena, 3, contact, rows, kind), *status = CD_COLUMN(&arena, 3, contact, rows, status);
    double *point = CD_COLUMN(&arena, 3, contact, rows, point), *normal = CD_COLUMN(&arena, 3, contact, rows, normal);
    double *gap = CD_COLUMN(&arena, 3, contact, rows, gap);
    for (int i = 0; i < CONTACTS; i++) {
        a[2 * i] = below(BODIES);
        b[2 * i] = (a[2 * i] + 1 + below(BODIES - 1)) % BODIES;
        a[2 * i + 1] = below(2);
        b[2 * i + 1] = below(2);
        kind[i] = CD_CONTACT_DEPTH;
        status[i] = below(8) ? CD_ABSENT : CD_STATUS_DELETED;
        for (int k = 0; k < 3; k++) {
            point[3 * i + k] = between(-1, 1);
            normal[3 * i + k] = k == 0;
        }
        gap[i] = between(-1, 0);
    }
    *side = (cd_diff_side){tables, NULL, &refs};
}

static bool is_site(const int32_t *column, int32_t i, cd_diff_site site)
{
    return 100 - 7 * column[2 * i] == site.body && (site.part < 0 || column[2 * i + 1] == site.part);
}

// What one stream has of the two, found by looking at every row.
static void compare_with_search(const cd_contact_rows *rows, const cd_diff_pair *pair, const cd_diff_claim *claim)
{
    int32_t count = 0, exchanged = 0, least = -1;
    for (int32_t i = 0; i < rows->count; i++) {
        bool forth = is_site(rows->a, i, pair->a) && is_site(rows->b, i, pair->b);
        bool back = is_site(rows->a, i, pair->b) && is_site(rows->b, i, pair->a);
        if (rows->status[i] == CD_STATUS_DELETED || (!forth && !back))
            continue;
        count++;
        exchanged += back;
        least = least < 0 || rows->gap[i] < rows->gap[least] ? i : least;
    }
    CD_CHECK(claim->count == count && claim->exchanged == exchanged);
    if (count > 0)
        CD_CHECK(claim->extreme[0].gap == rows->gap[least]);
}

CD_TEST(pairs_are_those_that_a_search_finds)
{
    for (int trial = 0; trial < 200; trial++) {
        cd_tables tables[2];
        cd_diff_section section = {0};
        for (int s = 0; s < 2; s++)
            make_side(&tables[s], &section.side[s]);
        int64_t index[1] = {trial};
        tables[0].model.frame = (cd_frame_rows){.count = 1, .index = index};
        bool by_body = trial % 2;
        cd_diff_pairs pairs = cd_diff_pairs_of(&arena, &section, &(cd_diff_pair_rules){by_body, 0, 1e-9});
        int32_t listed[2] = {0, 0}, there[2] = {0, 0};
        for (int32_t i = 0; i < pairs.count; i++) {
            const cd_diff_pair *pair = &pairs.item[i];
            CD_CHECK(pair->frame.index == trial && pair->a.body < pair->b.body);
            for (int s = 0; s < 2; s++) {
                compare_with_search(&tables[s].model.contact, pair, &pair->side[s]);
                listed[s] += pair->side[s].count;
            }
            CD_CHECK(pair->side[0].count + pair->side[1].count > 0);
        }
        for (int s = 0; s < 2; s++)
            for (int32_t i = 0; i < CONTACTS; i++)
                there[s] += tables[s].model.contact.status[i] != CD_STATUS_DELETED;
        CD_CHECK(listed[0] == there[0] && listed[1] == there[1]);  // each in one pair
        cd_arena_reset(&arena);
    }
    cd_refs_release(&refs);
}

int main(void)
{
    CD_RUN(classes_begin_at_the_tolerances);
    CD_RUN(conventions_explain_nine_of_ten_and_three);
    CD_RUN(histogram_and_worst_are_those_of_plain_counting);
    CD_RUN(points_are_measured_from_the_patch_with_its_gap);
    CD_RUN(pairs_are_those_that_a_search_finds);
    cd_arena_release(&arena);
    return cd_test_done();
}
