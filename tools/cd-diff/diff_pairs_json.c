// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "diff_by_pair.h"

#include <inttypes.h>

static const char *const measure_names[CD_DIFF_MEASURES] = {"gap", "normal", "point"};

static void put_number(const char *name, double value, cd_buffer *out)
{
    char text[CD_NUMBER_MAX];
    cd_buffer_printf(out, "\"%s\":", name);
    if (isnan(value))
        cd_buffer_text(out, "null");
    else
        cd_buffer_append(out, text, (size_t)cd_number_print(value, text));
}

static void put_both(const char *name, const int64_t value[2], cd_buffer *out)
{
    cd_buffer_printf(out, "\"%s\":{\"left\":%" PRId64 ",\"right\":%" PRId64 "}", name, value[0], value[1]);
}

static void put_conventions(const cd_diff_tally *tally, cd_buffer *out)
{
    const cd_diff_conventions *c = &tally->conventions;
    cd_buffer_printf(out, "\"convention\":{\"normal_reversed\":%s,\"gap_reversed\":%s,",
                     c->normal_reversed ? "true" : "false", c->gap_reversed ? "true" : "false");
    put_number("margin", c->margin, out);
    cd_buffer_text(out, ",");
    put_both("exchanged", tally->exchanged, out);
    cd_buffer_text(out, "}");
}

static void put_classes(const cd_diff_tally *tally, cd_buffer *out)
{
    cd_buffer_text(out, "\"class\":{");
    for (int c = 0; c < CD_DIFF_CLASSES; c++)
        cd_buffer_printf(out, "%s\"%s\":%" PRId64, c ? "," : "", cd_diff_class_names[c], tally->count[c]);
    cd_buffer_text(out, "},");
    put_both("reach", tally->only[CD_DIFF_REACH], out);
    cd_buffer_printf(out, ",\"no_candidate\":{\"missing\":%" PRId64 ",\"extra\":%" PRId64 "}",
                     tally->no_candidate[CD_DIFF_MISSING], tally->no_candidate[CD_DIFF_EXTRA]);
}

// {"gap":{"largest":..,"above_tolerance":..,"zero":..,"histogram":{lower edge:pairs,...}},...}
static void put_measures(const cd_diff_tally *tally, cd_buffer *out)
{
    cd_buffer_text(out, "\"difference\":{");
    for (int m = 0; m < CD_DIFF_MEASURES; m++) {
        cd_buffer_printf(out, "%s\"%s\":{", m ? "," : "", measure_names[m]);
        put_number("largest", tally->largest[m], out);
        cd_buffer_printf(out, ",\"above_tolerance\":%" PRId64 ",\"zero\":%" PRId64 ",\"histogram\":{", tally->beyond[m],
                         tally->bin[m][0]);
        bool is_first = true;
        for (int bin = 1; bin < CD_DIFF_BINS; bin++)
            if (tally->bin[m][bin] > 0) {
                int edge = bin == 1 ? CD_DIFF_LEAST_DECADE : bin - 2 + CD_DIFF_LEAST_DECADE;
                cd_buffer_printf(out, "%s\"%s1e%d\":%" PRId64, is_first ? "" : ",", bin == 1 ? "<" : "", edge,
                                 tally->bin[m][bin]);
                is_first = false;
            }
        cd_buffer_text(out, "}}");
    }
    cd_buffer_printf(out, "},\"features\":{\"named\":%" PRId64 ",\"other\":%" PRId64 "}", tally->named,
                     tally->other_feature);
}

static void put_site(const char *name, cd_diff_site site, cd_buffer *out)
{
    if (site.part < 0)
        cd_buffer_printf(out, "\"%s\":%" PRId64, name, site.body);
    else
        cd_buffer_printf(out, "\"%s\":[%" PRId64 ",%d]", name, site.body, site.part);
}

static void put_claim(const char *name, const cd_diff_claim *claim, double gap, int end, cd_buffer *out)
{
    cd_buffer_printf(out, "\"%s\":{\"contacts\":%d", name, claim->count);
    if (claim->count > 0) {
        const struct cd_diff_extreme *extreme = &claim->extreme[end];
        cd_buffer_printf(out, ",\"kind\":\"%s\",", cd_words_CONTACT[extreme->kind]);
        put_number("gap", gap, out);
        cd_buffer_text(out, ",\"features\":[");
        for (int k = 0; k < 2 && extreme->feature[k] != CD_FEATURE_NONE; k++)
            cd_buffer_printf(out, "%s\"%c%d\"", k ? "," : "", CD_FEATURE_LETTERS[cd_feature_kind(extreme->feature[k])],
                             cd_feature_index(extreme->feature[k]));
        cd_buffer_text(out, "]");
    } else if (claim->has_pairs) {
        cd_buffer_printf(out, ",\"candidate\":%s", claim->has_candidate ? "true" : "false");
    }
    cd_buffer_text(out, "}");
}

static void put_judged(const cd_diff_judged *judged, bool gap_reversed, cd_buffer *out)
{
    const cd_diff_pair *pair = &judged->pair;
    cd_buffer_printf(out, "{\"class\":\"%s\",\"frame\":%" PRId64 ",\"substep\":%d,\"round\":%d,",
                     cd_diff_class_names[judged->kind], pair->frame.index, pair->frame.substep, pair->frame.round);
    put_site("a", pair->a, out);
    cd_buffer_text(out, ",");
    put_site("b", pair->b, out);
    for (int m = 0; m < CD_DIFF_MEASURES; m++) {
        cd_buffer_text(out, ",");
        put_number(measure_names[m], judged->measure[m], out);
    }
    cd_buffer_text(out, ",");
    put_claim("left", &pair->side[0], judged->gap[0], 0, out);
    cd_buffer_text(out, ",");
    put_claim("right", &pair->side[1], judged->gap[1], gap_reversed, out);
    cd_buffer_text(out, "}");
}

void cd_diff_print_pairs_json(const cd_diff_pair_summary *summary, cd_buffer *out)
{
    const cd_diff_tally *tally = summary->tally;
    cd_buffer_printf(out,
                     "{\"by\":\"%s\",\"frames\":{\"both\":%" PRId64 ",\"left\":%" PRId64 ",\"right\":%" PRId64 "},",
                     summary->by_body ? "body" : "pair", summary->frames, summary->only[0], summary->only[1]);
    put_both("contacts", tally->contacts, out);
    cd_buffer_printf(out, ",\"pairs\":%" PRId64 ",\"both\":%" PRId64 ",", tally->pairs, tally->both);
    put_number("length", summary->length, out);
    cd_buffer_text(out, ",\"tolerance\":{");
    put_number("gap", tally->tolerance.gap, out);
    cd_buffer_text(out, ",");
    put_number("normal", tally->tolerance.normal, out);
    cd_buffer_text(out, ",");
    put_number("point", tally->tolerance.point, out);
    cd_buffer_text(out, "},");
    put_conventions(tally, out);
    cd_buffer_text(out, ",");
    put_classes(tally, out);
    cd_buffer_text(out, ",");
    put_measures(tally, out);
    cd_buffer_text(out, ",\"worst\":[");
    bool is_first = true;
    for (int c = 0; c < CD_DIFF_CLASSES; c++)
        for (int32_t i = 0; i < tally->worst_count[c]; i++) {
            cd_buffer_text(out, is_first ? "" : ",");
            put_judged(&tally->worst[c][i], tally->conventions.gap_reversed, out);
            is_first = false;
        }
    cd_buffer_text(out, "]}\n");
}
