// SPDX-License-Identifier: MIT
#include "why_problem.h"

#include <inttypes.h>

// [1] of a row's largest term: rounding of sums in another order.
#define SAME_SUM 1e-9
// [1] of the impulses: what a solver may leave of the disc.
#define SAME_DISC 1e-6

const bool *cd_why_own_rows(const cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    const cd_row_rows *row = &in->row;
    bool *is_own = CD_ARENA_ZARRAY(pair->frame->arena, bool, row->count + 1);
    for (int32_t i = 0; i < row->count; i++) {
        const int32_t body = row->body ? row->body[i] : -1, contact = row->contact ? row->contact[i] : -1;
        is_own[i] = contact >= 0
                        ? cd_why_is_of(pair, in->contact.a + 2 * (size_t)contact, in->contact.b + 2 * (size_t)contact)
                        : body >= 0 && (body == pair->row[0] || body == pair->row[1]);
    }
    return is_own;
}

static bool are_rows_alike(const cd_row_rows *own, const cd_row_rows *made)
{
    bool is_same = own->count == made->count;
    for (int32_t i = 0; i < own->count && is_same; i++)
        is_same = own->role[i] == made->role[i] && cd_i32_or(own->body, i, -1) == cd_i32_or(made->body, i, -1) &&
                  cd_i32_or(own->contact, i, -1) == cd_i32_or(made->contact, i, -1);
    return is_same;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

typedef struct bound {
    double lower, upper;
} bound;

static bound bound_of(const cd_row_rows *row, int32_t i)
{
    const double least = row->role[i] == CD_ROLE_VELOCITY ? -INFINITY : 0;
    return (bound){cd_f64_or(row->lower, i, least), cd_f64_or(row->upper, i, INFINITY)};
}

static int32_t row_of_id(const cd_row_rows *row, int32_t id)
{
    if (id < 0 || (id < row->count && row->id[id] == id))
        return id;
    for (int32_t i = 0; i < row->count; i++)
        if (row->id[i] == id)
            return i;
    return -1;
}

static bool is_near(double p, double q, double scale)
{
    return p == q || fabs(p - q) <= SAME_SUM * (fabs(p) + fabs(q) + scale);
}

static void compare_row(const cd_why_pair *pair, const cd_row_rows *made, int32_t i)
{
    const cd_row_rows *row = &pair->frame->in.row;
    const double scale = pair->frame->reach.length;
    const char *role = cd_words_ROLE[row->role[i]], *tool = "cd-peg-assemble";
    cd_why_story *story = pair->story;
    const bound own = bound_of(row, i), given = bound_of(made, i);
    const double mu = cd_f64_or(row->mu, i, 0), mu_made = cd_f64_or(made->mu, i, 0);
    const int32_t normal = row_of_id(row, cd_i32_or(row->normal_row, i, -1)),
                  normal_made = row_of_id(made, cd_i32_or(made->normal_row, i, -1));
    if (!is_near(row->rhs[i], made->rhs[i], scale))
        cd_why_differ(story, tool, "row", "rhs",
                      "row %" PRId64 " (%s) has rhs %.6g in the stream, the contacts give %.6g", row->id[i], role,
                      row->rhs[i], made->rhs[i]);
    if (!is_near(own.lower, given.lower, 0) || !is_near(own.upper, given.upper, 0))
        cd_why_differ(story, tool, "row", "limits",
                      "row %" PRId64 " (%s) has limits %.6g and %.6g in the stream, the contacts give %.6g and %.6g",
                      row->id[i], role, own.lower, own.upper, given.lower, given.upper);
    if (!is_near(mu, mu_made, 0))
        cd_why_differ(story, tool, "row", "mu",
                      "row %" PRId64 " (%s) has mu %.6g in the stream, the materials give %.6g", row->id[i], role, mu,
                      mu_made);
    if (normal != normal_made)
        cd_why_differ(story, tool, "row", "normal-row",
                      "row %" PRId64 " (%s) belongs to the normal impulse of another row than the contacts give",
                      row->id[i], role);
}

// ---- entries -------------------------------------------------------------------------------------------------------

// The entries of the own rows, row by row.
typedef struct entries_of_rows {
    int32_t *first, *entry;  // entries of row i: entry[first[i] .. first[i + 1] - 1]
} entries_of_rows;

static entries_of_rows list_entries(cd_arena *arena, const cd_entry_rows *entry, int32_t rows, const bool *is_own)
{
    entries_of_rows list = {CD_ARENA_ZARRAY(arena, int32_t, rows + 2), NULL};
    for (int32_t e = 0; e < entry->count; e++)
        list.first[entry->row[e] + 2] += is_own[entry->row[e]];
    for (int32_t i = 0; i <= rows; i++)
        list.first[i + 1] += list.first[i];
    list.entry = CD_ARENA_ARRAY(arena, int32_t, list.first[rows + 1] + 1);
    for (int32_t e = 0; e < entry->count; e++)
        if (is_own[entry->row[e]])
            list.entry[list.first[entry->row[e] + 1]++] = e;
    return list;
}

// Adds sign times the row's entries to `sum`, by column.
static double add_entries(const cd_entry_rows *entry, const entries_of_rows *list, int32_t i, double sign, double *sum)
{
    double largest = 0;
    for (int32_t k = list->first[i]; k < list->first[i + 1]; k++) {
        const int32_t e = list->entry[k];
        sum[entry->col[e]] += sign * entry->value[e];
        largest = fmax(largest, fabs(entry->value[e]));
    }
    return largest;
}

// The first column of the row where the entries do not add up to the same; -1: none. `sum` is zero before and after.
static int32_t other_column(const cd_entry_rows *const entry[2], const entries_of_rows list[2], int32_t i, double *sum)
{
    int32_t other = -1;
    const double largest =
        fmax(add_entries(entry[0], &list[0], i, 1, sum), add_entries(entry[1], &list[1], i, -1, sum));
    for (int s = 0; s < 2; s++)
        for (int32_t k = list[s].first[i]; k < list[s].first[i + 1]; k++) {
            const int32_t column = entry[s]->col[list[s].entry[k]];
            if (fabs(sum[column]) > SAME_SUM * largest && (other < 0 || column < other))
                other = column;
            sum[column] = 0;
        }
    return other;
}

static double sum_at(const cd_entry_rows *entry, int32_t row, int32_t column)
{
    double sum = 0;
    for (int32_t e = 0; e < entry->count; e++)
        sum += entry->row[e] == row && entry->col[e] == column ? entry->value[e] : 0;
    return sum;
}

static void compare_entries(const cd_why_pair *pair, const cd_model *made, const bool *is_own)
{
    const cd_model *in = &pair->frame->in;
    const cd_entry_rows *const entry[2] = {&in->entry, &made->entry};
    const int32_t count = in->row.count;
    entries_of_rows list[2];
    for (int s = 0; s < 2; s++)
        list[s] = list_entries(pair->frame->arena, entry[s], count, is_own);
    double *sum = CD_ARENA_ZARRAY(pair->frame->arena, double, count + 1);
    for (int32_t i = 0; i < count; i++) {
        const int32_t other = is_own[i] ? other_column(entry, list, i, sum) : -1;
        if (other >= 0)
            cd_why_differ(pair->story, "cd-peg-assemble", "entry", "entry",
                          "the entry of row %" PRId64 " (%s) and column %" PRId64
                          " (%s) is %.6g in the stream, the contacts give %.6g",
                          in->row.id[i], cd_words_ROLE[in->row.role[i]], in->row.id[other],
                          cd_words_ROLE[in->row.role[other]], sum_at(entry[0], i, other), sum_at(entry[1], i, other));
    }
}

bool cd_why_compare_problem(const cd_why_pair *pair, const cd_model *made, const bool *is_own)
{
    const cd_row_rows *row = &pair->frame->in.row;
    if (!are_rows_alike(row, &made->row))
        return false;
    for (int32_t i = 0; i < row->count; i++)
        if (is_own[i])
            compare_row(pair, &made->row, i);
    compare_entries(pair, made, is_own);
    return true;
}

// ---- unknowns ------------------------------------------------------------------------------------------------------

void cd_why_check_discs(const cd_why_pair *pair, const bool *is_own, const int32_t *value)
{
    const cd_model *in = &pair->frame->in;
    const cd_row_rows *row = &in->row;
    double *size_sq = CD_ARENA_ZARRAY(pair->frame->arena, double, row->count + 1);
    if (!row->mu || !row->normal_row || in->solution.count == 0 || in->solution.status[0] != CD_SOLUTION_SOLVED)
        return;
    for (int32_t i = 0; i < row->count; i++) {
        const int32_t normal = row_of_id(row, row->normal_row[i]);
        if (!is_own[i] || row->role[i] != CD_ROLE_FRICTION || normal < 0 || value[i] < 0 || value[normal] < 0)
            continue;
        const double z = in->value.z[value[i]], most = cd_f64_or(row->mu, i, 0) * in->value.z[value[normal]];
        const bool was_within = size_sq[normal] <= most * most * (1 + SAME_DISC);
        size_sq[normal] += z * z;
        if (was_within && sqrt(size_sq[normal]) > most * (1 + SAME_DISC) + SAME_DISC * SAME_DISC)
            cd_why_differ(pair->story, "cd-lcp", "value", "disc",
                          "row %" PRId64 " (friction): %.6g N s, its disc is mu %.4g of the normal impulse: %.6g N s",
                          row->id[i], sqrt(size_sq[normal]), row->mu[i], most);
    }
}
