// Contacts of the stream beside those that the bodies give.
// SPDX-License-Identifier: MIT
#include "why_pair.h"

#include <inttypes.h>

// [1] of unit normals, applicability, angles: rounding.
#define SAME_NUMBER 1e-9

// ---- matching ------------------------------------------------------------------------------------------------------

// A contact of the stream, of the bodies, or both: -1 where there is none.
typedef struct match {
    int32_t own, expected;
    bool is_doubled;  // the stream has this one before
    const char *verdict;
} match;

typedef struct comparison {
    cd_why_pair *pair;
    const cd_contact_rows *own, *expected;
    CD_LIST(match) list;
    double tolerance;  // [m]
    bool is_thinned;   // cd-spars left some out
} comparison;

static const int32_t *codes_at(const int32_t *column, int32_t row)
{
    static const int32_t none[2] = {CD_FEATURE_NONE, CD_FEATURE_NONE};
    return column ? column + 2 * (size_t)row : none;
}

static bool is_same2(const int32_t *left, const int32_t *right) { return left[0] == right[0] && left[1] == right[1]; }

static bool is_same_separator(const cd_contact_rows *p, int32_t i, const cd_contact_rows *q, int32_t j)
{
    return is_same2(codes_at(p->facet, i), codes_at(q->facet, j)) &&
           cd_i32_or(p->side, i, CD_ABSENT) == cd_i32_or(q->side, j, CD_ABSENT);
}

static bool is_same_place(const cd_contact_rows *p, int32_t i, const cd_contact_rows *q, int32_t j)
{
    return is_same2(p->a + 2 * (size_t)i, q->a + 2 * (size_t)j) &&
           is_same2(p->b + 2 * (size_t)i, q->b + 2 * (size_t)j) &&
           is_same2(codes_at(p->features, i), codes_at(q->features, j));
}

static double distance2_of(int dim, const double *p, const double *q)
{
    double sum = 0;
    for (int k = 0; k < dim; k++)
        sum += (p[k] - q[k]) * (p[k] - q[k]);
    return sum;
}

// The contact of the bodies that nobody has yet, of the same parts and features; of several that of the same separator,
// then the nearest.
static int32_t find_match(const comparison *c, int32_t own, const bool *is_taken)
{
    const size_t dim = (size_t)c->pair->frame->in.dim;
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t j = 0; j < c->expected->count; j++) {
        if (is_taken[j] || !is_same_place(c->own, own, c->expected, j))
            continue;
        const double distance =
            distance2_of((int)dim, c->own->point + dim * (size_t)own, c->expected->point + dim * (size_t)j) +
            (is_same_separator(c->own, own, c->expected, j) ? 0 : 1e300);
        if (best < 0 || distance < least) {
            best = j;
            least = distance;
        }
    }
    return best;
}

static bool has_equal_before(const comparison *c, int32_t own)
{
    const size_t dim = (size_t)c->pair->frame->in.dim;
    for (int32_t i = 0; i < c->list.count; i++) {
        const int32_t other = c->list.item[i].own;
        const double far =
            distance2_of((int)dim, c->own->point + dim * (size_t)own, c->own->point + dim * (size_t)other);
        if (is_same_place(c->own, own, c->own, other) && is_same_separator(c->own, own, c->own, other) &&
            far <= c->tolerance * c->tolerance)
            return true;
    }
    return false;
}

static void match_all(comparison *c)
{
    cd_why_pair *pair = c->pair;
    cd_arena *arena = pair->story->arena;
    bool *is_taken = CD_ARENA_ZARRAY(arena, bool, c->expected->count + 1);
    for (int32_t i = 0; i < c->own->count; i++) {
        if (!cd_why_is_of(pair, c->own->a + 2 * (size_t)i, c->own->b + 2 * (size_t)i))
            continue;
        match m = {.own = i, .expected = find_match(c, i, is_taken), .verdict = "same"};
        m.is_doubled = m.expected < 0 && has_equal_before(c, i);
        if (m.expected >= 0)
            is_taken[m.expected] = true;
        cd_list_push(arena, &c->list, m);
    }
    for (int32_t j = 0; j < c->expected->count; j++)
        if (!is_taken[j]) {
            match m = {.own = -1, .expected = j, .verdict = "lost"};
            cd_list_push(arena, &c->list, m);
        }
}

// ---- differences ---------------------------------------------------------------------------------------------------

static const char *name_of(const comparison *c, const cd_contact_rows *rows, int32_t i)
{
    const cd_model *in = &c->pair->frame->in;
    cd_arena *arena = c->pair->story->arena;
    const char *features = cd_why_features(arena, codes_at(rows->features, i));
    return cd_arena_printf(arena, "%s of %s and %s%s%s", rows == c->own ? "contact" : "a contact",
                           cd_why_site(arena, in, rows->a + 2 * (size_t)i),
                           cd_why_site(arena, in, rows->b + 2 * (size_t)i), *features ? " at " : "", features);
}

static const char *separator_of(const comparison *c, const cd_contact_rows *rows, int32_t i)
{
    const int32_t side = cd_i32_or(rows->side, i, CD_ABSENT);
    cd_arena *arena = c->pair->story->arena;
    const char *codes = cd_why_features(arena, codes_at(rows->facet, i));
    return side == CD_ABSENT
               ? *codes ? cd_arena_printf(arena, "edges %s", codes) : ""
               : cd_arena_printf(arena, "%s of %s", *codes ? codes : "the halfspace", cd_words_SIDE[side]);
}

static void differ(comparison *c, match *m, const char *fault, const char *sentence)
{
    if (!strcmp(m->verdict, "same"))
        m->verdict = fault;
    cd_why_differ(c->pair->story, "cd-narrow", "contact", fault, "%s", sentence);
}

static void compare_normals(comparison *c, match *m, const char *name)
{
    const int dim = c->pair->frame->in.dim;
    const double *p = c->own->normal + (size_t)dim * (size_t)m->own;
    const double *q = c->expected->normal + (size_t)dim * (size_t)m->expected;
    double along = 0;
    for (int k = 0; k < dim; k++)
        along += p[k] * q[k];
    const double apart2 = distance2_of(dim, p, q), opposed2 = 4 - apart2;
    if (apart2 <= SAME_NUMBER * SAME_NUMBER)
        return;
    cd_arena *arena = c->pair->story->arena;
    const bool is_swapped = opposed2 <= 1e-6;
    differ(c, m, is_swapped ? "swapped-normal" : "normal",
           is_swapped ? cd_arena_printf(arena, "%s: the normal is swapped, it points from b to a", name)
                      : cd_arena_printf(arena, "%s: the stream's normal is %.4g degrees off that of the bodies", name,
                                        57.29577951308232 * 2 * atan2(sqrt(apart2), sqrt(fmax(opposed2, 0)))));
}

static void compare_numbers(comparison *c, match *m, const char *name)
{
    const cd_contact_rows *own = c->own, *expected = c->expected;
    const int32_t i = m->own, j = m->expected;
    const int dim = c->pair->frame->in.dim;
    cd_arena *arena = c->pair->story->arena;
    if (!(fabs(own->gap[i] - expected->gap[j]) <= c->tolerance))
        differ(c, m, "gap",
               cd_arena_printf(arena, "%s: the stream has gap %.6g m, the bodies give %.6g m", name, own->gap[i],
                               expected->gap[j]));
    const double far2 =
        distance2_of(dim, own->point + (size_t)dim * (size_t)i, expected->point + (size_t)dim * (size_t)j);
    if (!(far2 <= c->tolerance * c->tolerance))
        differ(c, m, "point",
               cd_arena_printf(arena, "%s: the stream's point is %.4g m from that of the bodies", name, sqrt(far2)));
    const struct {
        const char *fault, *word;
        double own, expected, tolerance;
    } more[] = {
        {"applicability", "applicability", cd_f64_or(own->applicability, i, NAN),
         cd_f64_or(expected->applicability, j, NAN), SAME_NUMBER},
        {"feasible", "feasibility", cd_f64_or(own->feasible, i, NAN), cd_f64_or(expected->feasible, j, NAN),
         SAME_NUMBER},
        {"bound", "bound", cd_f64_or(own->bound, i, NAN), cd_f64_or(expected->bound, j, NAN), c->tolerance},
        {"area", "area", cd_f64_or(own->area, i, NAN), cd_f64_or(expected->area, j, NAN),
         c->tolerance * c->pair->frame->reach.length},
    };
    for (size_t k = 0; k < sizeof more / sizeof more[0]; k++)
        if (isnan(more[k].own) != isnan(more[k].expected) || fabs(more[k].own - more[k].expected) > more[k].tolerance)
            differ(c, m, more[k].fault,
                   cd_arena_printf(arena, "%s: the stream has %s %.6g, the bodies give %.6g", name, more[k].word,
                                   more[k].own, more[k].expected));
}

static void compare_contact(comparison *c, match *m)
{
    const char *name = name_of(c, c->own, m->own);
    cd_arena *arena = c->pair->story->arena;
    name = cd_arena_printf(arena, "contact %" PRId64 "%s", c->own->id[m->own], name + strlen("contact"));
    if (m->is_doubled) {
        differ(c, m, "doubled", cd_arena_printf(arena, "%s is there twice", name));
        return;
    }
    if (m->expected < 0) {
        differ(c, m, "extra", cd_arena_printf(arena, "%s: the bodies give no such contact", name));
        return;
    }
    const int32_t status = cd_i32_or(c->own->status, m->own, CD_ABSENT);
    const int32_t expected = cd_i32_or(c->expected->status, m->expected, CD_ABSENT);
    if (c->own->kind[m->own] != c->expected->kind[m->expected])
        differ(c, m, "kind",
               cd_arena_printf(arena, "%s is of kind %s, the bodies give %s", name,
                               cd_words_CONTACT[c->own->kind[m->own]],
                               cd_words_CONTACT[c->expected->kind[m->expected]]));
    if (status != expected && status != CD_ABSENT && status != CD_STATUS_DELETED)
        differ(c, m, "status",
               cd_arena_printf(arena, "%s is %s, the bodies give %s", name, cd_words_STATUS[status],
                               expected == CD_ABSENT ? "none" : cd_words_STATUS[expected]));
    if (!is_same_separator(c->own, m->own, c->expected, m->expected))
        differ(c, m, "separator",
               cd_arena_printf(arena, "%s is held by %s, the bodies choose %s", name, separator_of(c, c->own, m->own),
                               separator_of(c, c->expected, m->expected)));
    compare_normals(c, m, name);
    compare_numbers(c, m, name);
}

// ---- separators of all contacts ------------------------------------------------------------------------------------

static bool has_separator(const comparison *c, const cd_contact_rows *rows, const cd_contact_rows *other, int32_t row)
{
    for (int32_t i = 0; i < rows->count; i++)
        if (cd_why_is_of(c->pair, rows->a + 2 * (size_t)i, rows->b + 2 * (size_t)i) &&
            is_same2(rows->a + 2 * (size_t)i, other->a + 2 * (size_t)row) &&
            is_same2(rows->b + 2 * (size_t)i, other->b + 2 * (size_t)row) && is_same_separator(rows, i, other, row))
            return true;
    return false;
}

static bool is_of_separator(const cd_contact_rows *rows, int32_t i) { return rows->kind[i] == CD_CONTACT_SEPARATING; }

// A contact of a separator that the other side does not have at all: told once, not as one that is lost and one that is
// too many.
static void compare_separators(comparison *c)
{
    int32_t stale = -1, fresh = -1;
    for (int32_t k = 0; k < c->list.count; k++) {
        match *m = &c->list.item[k];
        if (m->own >= 0 && m->expected < 0 && is_of_separator(c->own, m->own) &&
            !has_separator(c, c->expected, c->own, m->own)) {
            m->verdict = "other separator";
            stale = stale < 0 ? m->own : stale;
        }
        if (m->own < 0 && is_of_separator(c->expected, m->expected) &&
            !has_separator(c, c->own, c->expected, m->expected)) {
            m->verdict = "other separator";
            fresh = fresh < 0 ? m->expected : fresh;
        }
    }
    if (stale >= 0 && fresh >= 0)
        cd_why_differ(c->pair->story, "cd-narrow", "contact", "separator",
                      "the stream's contacts are held by %s, the bodies choose %s", separator_of(c, c->own, stale),
                      separator_of(c, c->expected, fresh));
    for (int32_t k = 0; k < c->list.count && (stale < 0 || fresh < 0); k++)
        if (!strcmp(c->list.item[k].verdict, "other separator"))
            c->list.item[k].verdict = c->list.item[k].own < 0 ? "lost" : "same";
}

static void note_lost(comparison *c, match *m)
{
    cd_why_pair *pair = c->pair;
    const cd_why_frame *frame = pair->frame;
    const double reach = cd_reach_pair(&frame->reach, pair->row[0], pair->row[1]);
    if (c->is_thinned) {
        m->verdict = "left out by cd-spars";
        return;
    }
    cd_why_differ(pair->story, "cd-narrow", "contact", "lost",
                  "%s is not in the stream: the bodies give one of gap %.4g m, reach is %.4g m",
                  name_of(c, c->expected, m->expected), c->expected->gap[m->expected], reach);
}

// ---- the chapter ---------------------------------------------------------------------------------------------------

enum { TOLD_MOST = 24 };

// For people, whose lines are short.
static void tell_places(const comparison *c)
{
    static const cd_why_column columns[] = {
        {"contact", "contact"}, {"normal", "normal, from a to b"}, {"point", "point"}};
    cd_why_table *table = cd_why_tabulate(c->pair->story, NULL, NULL, 3, columns);
    const size_t dim = (size_t)c->pair->frame->in.dim;
    for (int32_t k = 0; k < c->list.count; k++) {
        const match *m = &c->list.item[k];
        const cd_contact_rows *rows = m->own >= 0 ? c->own : c->expected;
        const size_t at = dim * (size_t)(m->own >= 0 ? m->own : m->expected);
        cd_why_add(c->pair->story, table,
                   (cd_why_value[]){cd_why_number(m->own >= 0 ? (double)c->own->id[m->own] : NAN),
                                    cd_why_vector(rows->normal + at, (int)dim),
                                    cd_why_vector(rows->point + at, (int)dim)});
    }
    table->shown = TOLD_MOST;
}

static void add_match(const comparison *c, const match *m, cd_why_table *table)
{
    const cd_contact_rows *rows = m->own >= 0 ? c->own : c->expected, *expected = m->expected < 0 ? NULL : c->expected;
    const cd_model *in = &c->pair->frame->in;
    cd_arena *arena = c->pair->story->arena;
    const size_t i = (size_t)(m->own >= 0 ? m->own : m->expected), j = (size_t)m->expected, dim = (size_t)in->dim;
    cd_why_add(c->pair->story, table,
               (cd_why_value[]){
                   cd_why_number(m->own >= 0 ? (double)c->own->id[m->own] : NAN),
                   cd_why_text(cd_why_site(arena, in, rows->a + 2 * i)),
                   cd_why_text(cd_why_site(arena, in, rows->b + 2 * i)), cd_why_text(cd_words_CONTACT[rows->kind[i]]),
                   cd_why_text(cd_why_features(arena, codes_at(rows->features, (int32_t)i))),
                   cd_why_text(separator_of(c, rows, (int32_t)i)),
                   cd_why_number(m->own >= 0 ? c->own->gap[m->own] : NAN),
                   cd_why_number(expected ? expected->gap[j] : NAN), cd_why_vector(rows->normal + dim * i, (int)dim),
                   cd_why_vector(rows->point + dim * i, (int)dim),
                   cd_why_vector(expected ? expected->normal + dim * j : NULL, (int)dim),
                   cd_why_vector(expected ? expected->point + dim * j : NULL, (int)dim), cd_why_text(m->verdict)});
}

static void tell_table(const comparison *c)
{
    static const cd_why_column columns[] = {{"contact", "contact"},
                                            {"a", "a"},
                                            {"b", "b"},
                                            {"kind", "kind"},
                                            {"features", "features"},
                                            {"separator", "held by"},
                                            {"gap", "gap [m]"},
                                            {"gap_expected", "by bodies"},
                                            {"normal", NULL},
                                            {"point", NULL},
                                            {"normal_expected", NULL},
                                            {"point_expected", NULL},
                                            {"verdict", "stream is"}};
    cd_why_table *table = cd_why_tabulate(c->pair->story, "list", NULL, 13, columns);
    for (int32_t k = 0; k < c->list.count; k++)
        add_match(c, &c->list.item[k], table);
    table->shown = TOLD_MOST;
    tell_places(c);
}

void cd_why_tell_contacts(cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    cd_why_story *story = pair->story;
    comparison c = {.pair = pair,
                    .own = &frame->in.contact,
                    .expected = &pair->expected,
                    .tolerance = cd_why_tolerance(frame),
                    .is_thinned = cd_why_run_has(frame->run, "cd-spars")};
    const bool has_table = cd_why_ran(frame, CD_RANK_CONTACT);
    cd_why_open(story, "contacts", "contacts of the stream, beside those that the bodies give");
    match_all(&c);
    int32_t own = 0;
    for (int32_t k = 0; k < c.list.count; k++)
        own += c.list.item[k].own >= 0;
    cd_why_say(story, "count", "in the stream", has_table ? cd_why_number(own) : cd_why_nothing(), NULL,
               has_table ? NULL : cd_why_missing(story->arena, frame, "cd-narrow", "them"));
    cd_why_say(story, "expected", "by the bodies", pair->fault ? cd_why_nothing() : cd_why_number(c.expected->count),
               NULL, pair->fault);
    if (!pair->fault)
        cd_why_say(story, "mode", "found as", cd_why_text(pair->state.mode->name), NULL,
                   frame->in.frame.contacts && frame->in.frame.contacts[0] ? "a wish of the round before" : NULL);
    for (int32_t k = 0; k < c.list.count && !has_table; k++)
        c.list.item[k].verdict = "not looked for";
    if (has_table && !pair->fault) {
        compare_separators(&c);
        for (int32_t k = 0; k < c.list.count; k++) {
            match *m = &c.list.item[k];
            if (m->own >= 0 && strcmp(m->verdict, "other separator") != 0)
                compare_contact(&c, m);
            else if (m->own < 0 && !strcmp(m->verdict, "lost"))
                note_lost(&c, m);
        }
    }
    tell_table(&c);
}
