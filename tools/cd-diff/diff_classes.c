// SPDX-License-Identifier: MIT
#include "diff_classes.h"

#include "cd_median.h"

#include <math.h>
#include <stdlib.h>

const char *const cd_diff_class_names[CD_DIFF_CLASSES] = {
    [CD_DIFF_SAME] = "same",
    [CD_DIFF_MISSING] = "missing",
    [CD_DIFF_EXTRA] = "extra",
    [CD_DIFF_REACH] = "reach",
    [CD_DIFF_DOUBLED] = "doubled",
    [CD_DIFF_OTHER_NORMAL] = "other-normal",
    [CD_DIFF_OTHER_DEPTH] = "other-depth",
    [CD_DIFF_OTHER_POINT] = "other-point",
    [CD_DIFF_CONVENTION] = "convention",
};

// A convention must explain this share of the pairs that speak of it, and at least so many: fewer may be faults.
static const double convention_share = 0.9;
enum { CONVENTION_LEAST = 3 };

// ---- conventions ---------------------------------------------------------------------------------------------------

// The contact that a stream calls deepest, when its gaps have the sign of ours or the other one.
static struct cd_diff_extreme deepest(const cd_diff_claim *claim, bool gap_reversed)
{
    struct cd_diff_extreme extreme = claim->extreme[gap_reversed];
    extreme.gap = gap_reversed ? -extreme.gap : extreme.gap;
    return extreme;
}

static bool is_in_both(const cd_diff_pair *pair) { return pair->side[0].count > 0 && pair->side[1].count > 0; }

static bool explains(int32_t explained, int32_t speaking)
{
    return explained >= CONVENTION_LEAST && explained >= convention_share * speaking;
}

static bool is_normal_reversed(const cd_diff_pair *pair, int32_t count)
{
    int32_t reversed = 0, speaking = 0;
    for (int32_t i = 0; i < count; i++)
        if (is_in_both(&pair[i])) {
            speaking++;
            reversed += cd_dot3(pair[i].side[0].extreme[0].normal, pair[i].side[1].extreme[0].normal) < 0;
        }
    return explains(reversed, speaking);
}

static bool is_gap_reversed(const cd_diff_pair *pair, int32_t count, double tolerance)
{
    int32_t reversed = 0, speaking = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!is_in_both(&pair[i]))
            continue;
        double left = pair[i].side[0].extreme[0].gap, right = pair[i].side[1].extreme[1].gap;
        if (fabs(left) <= tolerance && fabs(right) <= tolerance)
            continue;  // 0 has no sign
        speaking++;
        reversed += fabs(left + right) <= tolerance && fabs(left - right) > tolerance;
    }
    return explains(reversed, speaking);
}

static double find_margin(const cd_diff_pair *pair, int32_t count, bool gap_reversed, double tolerance)
{
    cd_weighted *difference = cd_alloc(((size_t)count + 1) * sizeof *difference);
    int32_t speaking = 0, explained = 0;
    for (int32_t i = 0; i < count; i++)
        if (is_in_both(&pair[i]))
            difference[speaking++] =
                (cd_weighted){deepest(&pair[i].side[1], gap_reversed).gap - deepest(&pair[i].side[0], false).gap, 1};
    double margin = cd_weighted_median(difference, speaking);
    for (int32_t i = 0; i < speaking; i++)
        explained += fabs(difference[i].value - margin) <= tolerance;
    cd_free(difference);
    return fabs(margin) > tolerance && explains(explained, speaking) ? margin : 0;
}

cd_diff_conventions cd_diff_find_conventions(const cd_diff_pair *pair, int32_t count, cd_diff_tolerances tolerance)
{
    cd_diff_conventions found = {.normal_reversed = is_normal_reversed(pair, count),
                                 .gap_reversed = is_gap_reversed(pair, count, tolerance.gap)};
    found.margin = find_margin(pair, count, found.gap_reversed, tolerance.gap);
    return found;
}

// ---- one pair ------------------------------------------------------------------------------------------------------

static double angle_between(cd_vec3 p, cd_vec3 q) { return atan2(cd_length3(cd_cross3(p, q)), cd_dot3(p, q)); }

static void measure(const cd_diff_pair *pair, const cd_diff_conventions *c, double out[CD_DIFF_MEASURES])
{
    struct cd_diff_extreme left = deepest(&pair->side[0], false), right = deepest(&pair->side[1], c->gap_reversed);
    cd_vec3 normal = c->normal_reversed ? cd_negate3(right.normal) : right.normal;
    out[CD_DIFF_GAP] = right.gap - c->margin - left.gap;
    out[CD_DIFF_NORMAL] = angle_between(left.normal, normal);
    out[CD_DIFF_POINT] = pair->point;
}

static bool agree(const double value[CD_DIFF_MEASURES], const cd_diff_tolerances *tolerance, double margin)
{
    return fabs(value[CD_DIFF_GAP]) <= tolerance->gap && value[CD_DIFF_NORMAL] <= tolerance->normal &&
           value[CD_DIFF_POINT] <= tolerance->point + fabs(margin);
}

static cd_diff_class class_of_both(const cd_diff_pair *pair, const cd_diff_tally *tally,
                                   const double value[CD_DIFF_MEASURES])
{
    static const cd_diff_conventions ours = {0};
    const cd_diff_tolerances *tolerance = &tally->tolerance;
    if (pair->side[0].doubled != pair->side[1].doubled)
        return CD_DIFF_DOUBLED;
    if (value[CD_DIFF_NORMAL] > tolerance->normal)
        return CD_DIFF_OTHER_NORMAL;
    if (fabs(value[CD_DIFF_GAP]) > tolerance->gap)
        return CD_DIFF_OTHER_DEPTH;
    if (!agree(value, tolerance, tally->conventions.margin))
        return CD_DIFF_OTHER_POINT;
    double plain[CD_DIFF_MEASURES];
    measure(pair, &ours, plain);
    bool is_exchanged = (pair->side[0].exchanged > 0) != (pair->side[1].exchanged > 0);
    return agree(plain, tolerance, 0) && !is_exchanged ? CD_DIFF_SAME : CD_DIFF_CONVENTION;
}

static double badness_of(const cd_diff_judged *judged)
{
    const cd_diff_pair *pair = &judged->pair;
    switch (judged->kind) {
    case CD_DIFF_MISSING:
    case CD_DIFF_EXTRA:
    case CD_DIFF_REACH:
        return -judged->gap[pair->side[0].count == 0];
    case CD_DIFF_DOUBLED:
        return abs(pair->side[0].doubled - pair->side[1].doubled);
    case CD_DIFF_OTHER_NORMAL:
        return judged->measure[CD_DIFF_NORMAL];
    case CD_DIFF_OTHER_POINT:
        return judged->measure[CD_DIFF_POINT];
    default:
        return fabs(judged->measure[CD_DIFF_GAP]);
    }
}

static cd_diff_judged judge(const cd_diff_pair *pair, const cd_diff_tally *tally)
{
    const cd_diff_conventions *c = &tally->conventions;
    cd_diff_judged judged = {.pair = *pair, .gap = {NAN, NAN}, .measure = {NAN, NAN, NAN}};
    for (int s = 0; s < 2; s++)
        if (pair->side[s].count > 0)
            judged.gap[s] = pair->side[s].extreme[s == 1 && c->gap_reversed].gap;
    if (is_in_both(pair)) {
        measure(pair, c, judged.measure);
        judged.kind = class_of_both(pair, tally, judged.measure);
    } else {
        bool is_right = pair->side[0].count == 0;
        double gap = is_right ? deepest(&pair->side[1], c->gap_reversed).gap - c->margin : judged.gap[0];
        judged.kind = gap >= -tally->tolerance.gap ? CD_DIFF_REACH : is_right ? CD_DIFF_EXTRA : CD_DIFF_MISSING;
    }
    judged.badness = badness_of(&judged);
    return judged;
}

// ---- counts --------------------------------------------------------------------------------------------------------

static int bin_of(double value)
{
    if (value == 0)
        return 0;
    double decade = floor(log10(value));
    if (decade < CD_DIFF_LEAST_DECADE)
        return 1;
    return decade >= CD_DIFF_MOST_DECADE ? CD_DIFF_BINS - 1 : (int)decade - CD_DIFF_LEAST_DECADE + 2;
}

static void count_both(cd_diff_tally *tally, const cd_diff_judged *judged)
{
    double limit[CD_DIFF_MEASURES] = {tally->tolerance.gap, tally->tolerance.normal,
                                      tally->tolerance.point + fabs(tally->conventions.margin)};
    tally->both++;
    for (int m = 0; m < CD_DIFF_MEASURES; m++) {
        double value = fabs(judged->measure[m]);
        tally->bin[m][bin_of(value)]++;
        tally->largest[m] = fmax(tally->largest[m], value);
        tally->beyond[m] += value > limit[m];
    }
    const struct cd_diff_extreme *left = &judged->pair.side[0].extreme[0],
                                 *right = &judged->pair.side[1].extreme[tally->conventions.gap_reversed];
    if (left->feature[0] == CD_FEATURE_NONE || right->feature[0] == CD_FEATURE_NONE)
        return;
    tally->named++;
    tally->other_feature += left->feature[0] != right->feature[0] || left->feature[1] != right->feature[1];
}

static void keep_if_worst(cd_arena *run, cd_diff_tally *tally, const cd_diff_judged *judged)
{
    int kind = judged->kind;
    if (kind == CD_DIFF_SAME || tally->worst_most == 0)
        return;
    if (!tally->worst[kind])
        tally->worst[kind] = CD_ARENA_ARRAY(run, cd_diff_judged, tally->worst_most);
    cd_diff_judged *worst = tally->worst[kind];
    int32_t at = tally->worst_count[kind];
    while (at > 0 && worst[at - 1].badness < judged->badness)
        at--;
    if (at == tally->worst_most)
        return;
    if (tally->worst_count[kind] < tally->worst_most)
        tally->worst_count[kind]++;
    memmove(worst + at + 1, worst + at, (size_t)(tally->worst_count[kind] - at - 1) * sizeof *worst);
    worst[at] = *judged;
}

static void count(cd_arena *run, cd_diff_tally *tally, const cd_diff_pair *pair)
{
    cd_diff_judged judged = judge(pair, tally);
    tally->pairs++;
    tally->count[judged.kind]++;
    for (int s = 0; s < 2; s++) {
        const cd_diff_claim *other = &pair->side[1 - s];
        tally->contacts[s] += pair->side[s].count;
        tally->exchanged[s] += pair->side[s].exchanged > 0;
        if (pair->side[s].count == 0)
            continue;
        tally->only[judged.kind][s] += other->count == 0;
        tally->no_candidate[judged.kind] += other->count == 0 && other->has_pairs && !other->has_candidate;
    }
    if (is_in_both(pair))
        count_both(tally, &judged);
    keep_if_worst(run, tally, &judged);
}

static void decide(cd_arena *run, cd_diff_tally *tally)
{
    if (tally->is_decided)
        return;
    tally->is_decided = true;
    tally->conventions = cd_diff_find_conventions(tally->waiting, tally->waiting_count, tally->tolerance);
    for (int32_t i = 0; i < tally->waiting_count; i++)
        count(run, tally, &tally->waiting[i]);
    cd_free(tally->waiting);
    tally->waiting = NULL;
}

void cd_diff_tally_add(cd_arena *run, cd_diff_tally *tally, const cd_diff_pairs *pairs)
{
    for (int32_t i = 0; i < pairs->count; i++) {
        if (tally->is_decided) {
            count(run, tally, &pairs->item[i]);
            continue;
        }
        if (tally->waiting_count == tally->waiting_capacity) {
            tally->waiting_capacity = tally->waiting_capacity ? 2 * tally->waiting_capacity : 64;
            tally->waiting = cd_realloc(tally->waiting, (size_t)tally->waiting_capacity * sizeof *tally->waiting);
        }
        tally->waiting[tally->waiting_count++] = pairs->item[i];
        if (tally->waiting_count == CD_DIFF_SAMPLE)
            decide(run, tally);
    }
}

void cd_diff_tally_finish(cd_arena *run, cd_diff_tally *tally) { decide(run, tally); }

void cd_diff_tally_release(cd_diff_tally *tally)
{
    cd_free(tally->waiting);
    tally->waiting = NULL;
}
