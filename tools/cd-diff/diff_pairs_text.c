// SPDX-License-Identifier: MIT
#include "diff_by_pair.h"

#include <inttypes.h>
#include <stdio.h>

// ---- text ----------------------------------------------------------------------------------------------------------

const char *const cd_diff_class_words[CD_DIFF_CLASSES] = {
    [CD_DIFF_SAME] = "gap, normal and points agree within the tolerances",
    [CD_DIFF_MISSING] = "only left, and overlapping there",
    [CD_DIFF_EXTRA] = "only right, and overlapping there",
    [CD_DIFF_REACH] = "in one stream alone, and no overlap there: it looks farther",
    [CD_DIFF_DOUBLED] = "one stream has a contact twice",
    [CD_DIFF_OTHER_NORMAL] = "normals of the deepest contacts differ",
    [CD_DIFF_OTHER_DEPTH] = "gaps of the deepest contacts differ",
    [CD_DIFF_OTHER_POINT] = "points of one are outside the patch of the other",
    [CD_DIFF_CONVENTION] = "agree once the conventions are taken into account",
};

static void print_above(const cd_diff_pair_summary *summary, cd_buffer *out)
{
    const cd_diff_tally *tally = summary->tally;
    cd_buffer_printf(out, "frames     %" PRId64 " in both, %" PRId64 " only left, %" PRId64 " only right\n",
                     summary->frames, summary->only[0], summary->only[1]);
    cd_buffer_printf(out, "contacts   %" PRId64 " left, %" PRId64 " right\n", tally->contacts[0], tally->contacts[1]);
    cd_buffer_printf(out, "pairs      %" PRId64 " of %s, %" PRId64 " in both\n", tally->pairs,
                     summary->by_body ? "bodies" : "parts", tally->both);
    cd_buffer_printf(out, "tolerance  gap %.3g m, normal %.3g rad, point %.3g m (length %.6g m)\n",
                     tally->tolerance.gap, tally->tolerance.normal, tally->tolerance.point, summary->length);
    const cd_diff_conventions *c = &tally->conventions;
    if (c->normal_reversed)
        cd_buffer_text(out, "convention normals of the two streams are opposite\n");
    if (c->gap_reversed)
        cd_buffer_text(out, "convention gaps of the two streams have opposite signs\n");
    if (c->margin != 0)
        cd_buffer_printf(out, "convention gaps of the right stream are %s by %.6g m: a margin\n",
                         c->margin > 0 ? "larger" : "smaller", fabs(c->margin));
    for (int s = 0; s < 2; s++)
        if (tally->exchanged[s] > 0)
            cd_buffer_printf(out, "convention a and b are exchanged in %" PRId64 " pairs of the %s stream\n",
                             tally->exchanged[s], s ? "right" : "left");
}

static void print_classes(const cd_diff_tally *tally, cd_buffer *out)
{
    cd_buffer_printf(out, "\n%-13s %9s\n", "class", "pairs");
    for (int c = 0; c < CD_DIFF_CLASSES; c++) {
        cd_buffer_printf(out, "%-13s %9" PRId64 "  %s", cd_diff_class_names[c], tally->count[c],
                         cd_diff_class_words[c]);
        if (c == CD_DIFF_REACH && tally->count[c] > 0)
            cd_buffer_printf(out, " (%" PRId64 " left, %" PRId64 " right)", tally->only[c][0], tally->only[c][1]);
        if (tally->no_candidate[c] > 0)
            cd_buffer_printf(out, " (%" PRId64 " no candidates in the other)", tally->no_candidate[c]);
        cd_buffer_text(out, "\n");
    }
}

// A row of the table of measures: number of pairs, "." for none.
static void print_bins(const cd_diff_tally *tally, int bin, const char *name, cd_buffer *out)
{
    cd_buffer_printf(out, "%-16s", name);
    for (int m = 0; m < CD_DIFF_MEASURES; m++)
        if (tally->bin[m][bin] > 0)
            cd_buffer_printf(out, " %12" PRId64, tally->bin[m][bin]);
        else
            cd_buffer_printf(out, " %12s", ".");
    cd_buffer_text(out, "\n");
}

static void print_measures(const cd_diff_tally *tally, cd_buffer *out)
{
    if (tally->both == 0)
        return;
    cd_buffer_printf(out, "\n%-16s %12s %12s %12s\n", "pairs in both", "gap [m]", "normal [rad]", "point [m]");
    cd_buffer_printf(out, "%-16s", "largest");
    for (int m = 0; m < CD_DIFF_MEASURES; m++)
        cd_buffer_printf(out, " %12.4g", tally->largest[m]);
    cd_buffer_printf(out, "\n%-16s", "above tolerance");
    for (int m = 0; m < CD_DIFF_MEASURES; m++)
        cd_buffer_printf(out, " %12" PRId64, tally->beyond[m]);
    cd_buffer_text(out, "\n");
    int first = CD_DIFF_BINS, last = 0;
    for (int bin = 1; bin < CD_DIFF_BINS; bin++)
        for (int m = 0; m < CD_DIFF_MEASURES; m++)
            if (tally->bin[m][bin] > 0) {
                first = bin < first ? bin : first;
                last = bin;
            }
    print_bins(tally, 0, "0", out);
    for (int bin = first; bin <= last; bin++) {
        char name[32];
        int decade = bin - 2 + CD_DIFF_LEAST_DECADE;
        if (bin == CD_DIFF_BINS - 1)
            snprintf(name, sizeof name, "1e%d and above", decade);
        else if (bin == 1)
            snprintf(name, sizeof name, "below 1e%d", CD_DIFF_LEAST_DECADE);
        else
            snprintf(name, sizeof name, "1e%d to 1e%d", decade, decade + 1);
        print_bins(tally, bin, name, out);
    }
    if (tally->named > 0)
        cd_buffer_printf(out, "other features: %" PRId64 " of %" PRId64 " pairs where both name them\n",
                         tally->other_feature, tally->named);
}

static void print_site(cd_diff_site site, char text[48])
{
    if (site.part < 0)
        snprintf(text, 48, "%" PRId64, site.body);
    else
        snprintf(text, 48, "%" PRId64 ":%d", site.body, site.part);
}

// "separating v3 e7", "-" of a stream that has no contact there.
static void print_kind(const cd_diff_claim *claim, int end, cd_buffer *out)
{
    const struct cd_diff_extreme *extreme = &claim->extreme[end];
    if (claim->count == 0) {
        cd_buffer_text(out, claim->has_pairs && !claim->has_candidate ? "no candidate" : "-");
        return;
    }
    cd_buffer_text(out, cd_words_CONTACT[extreme->kind]);
    for (int k = 0; k < 2; k++)
        if (extreme->feature[k] != CD_FEATURE_NONE)
            cd_buffer_printf(out, " %c%d", CD_FEATURE_LETTERS[cd_feature_kind(extreme->feature[k])],
                             cd_feature_index(extreme->feature[k]));
}

static void print_number(double value, cd_buffer *out)
{
    if (isnan(value))
        cd_buffer_printf(out, " %11s", "-");
    else
        cd_buffer_printf(out, " %11.4g", value);
}

void cd_diff_print_judged(const cd_diff_judged *judged, bool gap_reversed, cd_buffer *out)
{
    const cd_diff_pair *pair = &judged->pair;
    char frame[48], a[48], b[48];
    if (pair->frame.substep == 0 && pair->frame.round == 0)
        snprintf(frame, sizeof frame, "%" PRId64, pair->frame.index);
    else
        snprintf(frame, sizeof frame, "%" PRId64 ".%d.%d", pair->frame.index, pair->frame.substep, pair->frame.round);
    print_site(pair->a, a);
    print_site(pair->b, b);
    cd_buffer_printf(out, "%-12s %7s %8s %8s %4d %4d", cd_diff_class_names[judged->kind], frame, a, b,
                     pair->side[0].count, pair->side[1].count);
    print_number(judged->gap[0], out);
    print_number(judged->gap[1], out);
    for (int m = 0; m < CD_DIFF_MEASURES; m++)
        print_number(judged->measure[m], out);
    cd_buffer_text(out, "  ");
    print_kind(&pair->side[0], 0, out);
    cd_buffer_text(out, " | ");
    print_kind(&pair->side[1], gap_reversed, out);
    cd_buffer_text(out, "\n");
}

void cd_diff_print_judged_heading(cd_buffer *out)
{
    cd_buffer_printf(out, "%-12s %7s %8s %8s %9s %11s %11s %11s %11s %11s  %s\n", "worst", "frame", "a", "b",
                     "contacts", "gap left", "gap right", "right-left", "normal", "point", "left | right");
}

static void print_worst(const cd_diff_tally *tally, cd_buffer *out)
{
    bool has_heading = false;
    for (int c = 0; c < CD_DIFF_CLASSES; c++)
        for (int32_t i = 0; i < tally->worst_count[c]; i++) {
            if (!has_heading) {
                cd_buffer_text(out, "\n");
                cd_diff_print_judged_heading(out);
            }
            has_heading = true;
            cd_diff_print_judged(&tally->worst[c][i], tally->conventions.gap_reversed, out);
        }
}

void cd_diff_print_pairs(const cd_diff_pair_summary *summary, cd_buffer *out)
{
    print_above(summary, out);
    print_classes(summary->tally, out);
    print_measures(summary->tally, out);
    print_worst(summary->tally, out);
    if (summary->replayed > 0)
        cd_buffer_printf(out, "\n%d pairs are in %s: CLASS-N.sh shows the Nth worst of a class\n", summary->replayed,
                         summary->replay);
}
