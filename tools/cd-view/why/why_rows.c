// What the model makes of the contacts: constraints, rows, unknowns; and what came of it.
// SPDX-License-Identifier: MIT
#include "why_problem.h"

#include "cd_run_model.h"

#include <inttypes.h>

// [1] of a row's largest term: what a solver may leave.
#define SAME_VALUE 1e-6

enum { TOLD_MOST = 24 };  // rows of a table that people see

// ---- the pair's contacts -------------------------------------------------------------------------------------------

static bool is_own(const cd_why_pair *pair, int32_t contact)
{
    const cd_contact_rows *rows = &pair->frame->in.contact;
    return contact >= 0 && cd_why_is_of(pair, rows->a + 2 * (size_t)contact, rows->b + 2 * (size_t)contact);
}

static const char *ids_of(const cd_why_pair *pair, const cd_list *list, int32_t row)
{
    const char *text = "";
    for (int32_t k = list->offset ? list->offset[row] : 0; list->offset && k < list->offset[row + 1]; k++)
        text = cd_arena_printf(pair->story->arena, "%s%s%" PRId64, text, *text ? " " : "",
                               pair->frame->in.contact.id[list->i32[k]]);
    return text;
}

static bool has_own(const cd_why_pair *pair, const cd_list *list, int32_t row)
{
    for (int32_t k = list->offset ? list->offset[row] : 0; list->offset && k < list->offset[row + 1]; k++)
        if (is_own(pair, list->i32[k]))
            return true;
    return false;
}

static bool is_listed(const cd_list *list, int32_t row, int32_t contact)
{
    for (int32_t k = list->offset ? list->offset[row] : 0; list->offset && k < list->offset[row + 1]; k++)
        if (list->i32[k] == contact)
            return true;
    return false;
}

// ---- what the contacts would be made into
// ----------------------------------------------------------------------------

typedef struct made_rows {
    cd_model out;
    const char *fault;  // NULL: they were made
    const cd_contact_model *model;
    cd_contact_limits limits;
} made_rows;

static made_rows make_rows(const cd_why_pair *pair)
{
    const cd_why_run *run = pair->frame->run;
    made_rows made = {.out.dim = pair->frame->in.dim, .fault = run->peg_fault};
    cd_peg_metrics metrics;
    cd_diag diag = {0};
    if (made.fault)
        return made;
    if (cd_run_model(&pair->frame->in, run->peg_options.model, &made.model, &diag) != CD_OK ||
        cd_peg_stage_frame(&run->peg, pair->frame->arena, &pair->frame->in, &made.out, &metrics, &diag) != CD_OK)
        made.fault = cd_arena_text(pair->story->arena, diag.text, strlen(diag.text));
    else
        made.limits = cd_peg_limits_of(&run->peg_options, cd_peg_find_model(made.model->name), made.out.dim);
    return made;
}

// ---- constraints ---------------------------------------------------------------------------------------------------

static bool are_same_lists(const cd_list *p, int32_t i, const cd_list *q, int32_t j)
{
    const int32_t count_p = p->offset ? p->offset[i + 1] - p->offset[i] : 0;
    const int32_t count_q = q->offset ? q->offset[j + 1] - q->offset[j] : 0;
    return count_p == count_q &&
           (count_p == 0 || !memcmp(p->i32 + p->offset[i], q->i32 + q->offset[j], (size_t)count_p * sizeof(int32_t)));
}

static bool has_constraint(const cd_constraint_rows *rows, const cd_constraint_rows *of, int32_t row)
{
    for (int32_t i = 0; i < rows->count; i++)
        if (rows->kind[i] == of->kind[row] && are_same_lists(&rows->primary, i, &of->primary, row) &&
            are_same_lists(&rows->secondary, i, &of->secondary, row))
            return true;
    return false;
}

static const char *name_of(const cd_why_pair *pair, const cd_constraint_rows *rows, int32_t row)
{
    const char *second = ids_of(pair, &rows->secondary, row);
    return cd_arena_printf(pair->story->arena, "%s of %s %s%s%s", cd_words_CONSTRAINT[rows->kind[row]],
                           strchr(ids_of(pair, &rows->primary, row), ' ') || *second ? "contacts" : "contact",
                           ids_of(pair, &rows->primary, row), *second ? " or " : "", second);
}

static void tell_table(const cd_why_pair *pair, const made_rows *made)
{
    static const cd_why_column columns[] = {{"constraint", "constraint"},
                                            {"kind", "kind"},
                                            {"primary", "contacts with impulse"},
                                            {"secondary", "or one of"},
                                            {"verdict", "stream is"}};
    const cd_constraint_rows *tables[2] = {&pair->frame->in.constraint, &made->out.constraint};
    cd_why_table *table = cd_why_tabulate(pair->story, "list", NULL, 5, columns);
    for (int t = 0; t < 2; t++)
        for (int32_t i = 0; i < tables[t]->count; i++) {
            if (!has_own(pair, &tables[t]->primary, i) && !has_own(pair, &tables[t]->secondary, i))
                continue;
            const bool is_same = !!made->fault || has_constraint(tables[1 - t], tables[t], i);
            if (t == 1 && is_same)
                continue;
            if (!is_same)
                cd_why_differ(pair->story, "cd-peg-assemble", "constraint", t ? "lost" : "extra",
                              t ? "constraint %s is not in the stream: its contacts are applicable and feasible"
                                : "constraint %s is in the stream: the contacts and the model %s give no such one",
                              name_of(pair, tables[t], i), made->model->name);
            cd_why_add(pair->story, table,
                       (cd_why_value[]){cd_why_number(t ? NAN : (double)tables[t]->id[i]),
                                        cd_why_text(cd_words_CONSTRAINT[tables[t]->kind[i]]),
                                        cd_why_text(ids_of(pair, &tables[t]->primary, i)),
                                        cd_why_text(ids_of(pair, &tables[t]->secondary, i)),
                                        cd_why_text(is_same ? "same"
                                                    : t     ? "lost"
                                                            : "extra")});
        }
    table->shown = TOLD_MOST;
}

static bool is_same_vertex(const cd_contact_rows *contact, int32_t i, int32_t j, int side)
{
    return contact->kind[j] == CD_CONTACT_VERTEX_FACE &&
           !memcmp(contact->a + 2 * (size_t)i, contact->a + 2 * (size_t)j, 8) &&
           !memcmp(contact->b + 2 * (size_t)i, contact->b + 2 * (size_t)j, 8) &&
           contact->features[2 * (size_t)i + (size_t)side] == contact->features[2 * (size_t)j + (size_t)side];
}

// In space a vertex is at a face, an edge or a vertex by the number of faces that it has feasible contacts with.
static cd_contact_configuration configuration_of(const cd_why_pair *pair, int32_t i, const cd_contact_limits *limits)
{
    const cd_contact_rows *contact = &pair->frame->in.contact;
    int32_t faces = 0;
    if (contact->kind[i] == CD_CONTACT_EDGE_EDGE)
        return CD_CONTACT_AT_CROSSING;
    if (contact->kind[i] != CD_CONTACT_VERTEX_FACE || !contact->features)
        return CD_CONTACT_AT_FACE;
    const int side = cd_feature_kind(contact->features[2 * (size_t)i]) == CD_FEATURE_VERTEX ? 0 : 1;
    for (int32_t j = 0; j < contact->count; j++)
        faces += is_same_vertex(contact, i, j, side) &&
                 cd_contact_is_feasible(cd_f64_or(contact->feasible, j, NAN), contact->gap[j], limits);
    return faces > 2 ? CD_CONTACT_AT_VERTEX : faces > 1 ? CD_CONTACT_AT_EDGE : CD_CONTACT_AT_FACE;
}

static const char *judgement_of(const cd_why_pair *pair, int32_t i, const cd_contact_limits *limits,
                                cd_contact_configuration at, int32_t used)
{
    const cd_contact_rows *contact = &pair->frame->in.contact;
    if (!cd_contact_takes_part(cd_i32_or(contact->status, i, CD_ABSENT)))
        return "its status leaves it out";
    if (!cd_contact_is_feasible(cd_f64_or(contact->feasible, i, NAN), contact->gap[i], limits))
        return "not feasible";
    if (!cd_contact_is_applicable(contact->applicability[i], limits, at))
        return "not applicable";
    return used == 0 && at == CD_CONTACT_AT_CROSSING ? "at a corner: in X alone" : "applicable and feasible";
}

// In how many constraints the contact is.
static int32_t uses_of(const cd_why_pair *pair, int32_t contact)
{
    const cd_constraint_rows *constraint = &pair->frame->in.constraint;
    int32_t used = 0;
    for (int32_t k = 0; k < constraint->count; k++)
        used += is_listed(&constraint->primary, k, contact) || is_listed(&constraint->secondary, k, contact);
    return used;
}

// Why each contact of the pair is or is not in a constraint.
static void tell_judgement(const cd_why_pair *pair, const made_rows *made)
{
    static const cd_why_column columns[] = {{"contact", "contact"},       {"at", "at"},
                                            {"applicability", "applic."}, {"least_applicability", "at least"},
                                            {"feasible", "feasible"},     {"least_feasible", "at least"},
                                            {"constraints", "used"},      {"why", "why"}};
    static const char *const places[] = {[CD_CONTACT_AT_FACE] = "face",
                                         [CD_CONTACT_AT_EDGE] = "edge",
                                         [CD_CONTACT_AT_VERTEX] = "vertex",
                                         [CD_CONTACT_AT_CROSSING] = "crossing"};
    const cd_contact_rows *contact = &pair->frame->in.contact;
    const cd_contact_limits *limits = &made->limits;
    cd_why_table *table = NULL;
    for (int32_t i = 0; i < contact->count && !made->fault; i++) {
        if (!is_own(pair, i) || isnan(cd_f64_or(contact->applicability, i, NAN)))
            continue;
        if (!table)
            table = cd_why_tabulate(pair->story, "judged", "limits of contacts of features", 8, columns);
        const cd_contact_configuration at = configuration_of(pair, i, limits);
        const int32_t used = uses_of(pair, i);
        cd_why_add(pair->story, table,
                   (cd_why_value[]){cd_why_number((double)contact->id[i]), cd_why_text(places[at]),
                                    cd_why_number(contact->applicability[i]), cd_why_number(-sin(limits->theta[at])),
                                    cd_why_number(cd_f64_or(contact->feasible, i, NAN)), cd_why_number(-limits->phi),
                                    cd_why_number(used), cd_why_text(judgement_of(pair, i, limits, at, used))});
        table->shown = TOLD_MOST;
    }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// M z + rhs of all rows [as w], and the size of its terms.
typedef struct row_sums {
    double *sum, *size;
    int32_t *value;  // row of the table of unknowns; -1: none
} row_sums;

static row_sums sum_rows(const cd_model *in, cd_arena *arena)
{
    const int32_t count = in->row.count;
    row_sums sums = {CD_ARENA_ARRAY(arena, double, count + 1), CD_ARENA_ARRAY(arena, double, count + 1),
                     CD_ARENA_ARRAY(arena, int32_t, count + 1)};
    for (int32_t i = 0; i < count; i++) {
        sums.sum[i] = in->row.rhs[i];
        sums.size[i] = fabs(in->row.rhs[i]);
        sums.value[i] = -1;
    }
    for (int32_t i = 0; i < in->value.count; i++)
        sums.value[in->value.row[i]] = i;
    for (int32_t i = 0; i < in->entry.count; i++) {
        const int32_t value = sums.value[in->entry.col[i]];
        const double term = value < 0 ? 0 : in->entry.value[i] * in->value.z[value];
        sums.sum[in->entry.row[i]] += term;
        sums.size[in->entry.row[i]] += fabs(term);
    }
    return sums;
}

// Is w what M z + rhs gives, and of a problem that was solved one of z and w 0, none below?
static void check_value(const cd_why_pair *pair, const row_sums *sums, int32_t row)
{
    const cd_model *in = &pair->frame->in;
    const int32_t value = sums->value[row], role = in->row.role[row];
    const double w = value < 0 ? NAN : cd_f64_or(in->value.w, value, NAN), z = value < 0 ? NAN : in->value.z[value];
    if (isnan(w))
        return;
    const double off = w - sums->sum[row];
    const double rounding = SAME_VALUE * (sums->size[row] + fabs(w) + pair->frame->reach.length);
    if (!(fabs(off) <= rounding))
        cd_why_differ(pair->story, "cd-lcp", "value", "value",
                      "row %" PRId64 " (%s): w is %.6g in the stream, its entries, unknowns and rhs give %.6g",
                      in->row.id[row], cd_words_ROLE[role], w, sums->sum[row]);
    const bool is_solved = in->solution.count > 0 && in->solution.status[0] == CD_SOLUTION_SOLVED;
    const bool is_plain = role != CD_ROLE_VELOCITY && cd_i32_or(in->row.normal_row, row, -1) < 0 &&
                          cd_f64_or(in->row.lower, row, 0) == 0 && isinf(cd_f64_or(in->row.upper, row, INFINITY));
    if (is_solved && is_plain && (fmin(z, w) > rounding || z < -rounding || w < -rounding))
        cd_why_differ(pair->story, "cd-lcp", "value", "complementary",
                      "row %" PRId64 " (%s): z is %.6g and w %.6g, where none may be below 0 and one must be 0",
                      in->row.id[row], cd_words_ROLE[role], z, w);
}

static bool is_row_of(const cd_why_pair *pair, int32_t row)
{
    const cd_row_rows *rows = &pair->frame->in.row;
    return rows->contact && is_own(pair, rows->contact[row]);
}

// The problem first, then its solution: the first difference is the cause. Could the problem be compared?
static bool compare_rows(const cd_why_pair *pair, const made_rows *made, const row_sums *sums)
{
    const cd_row_rows *rows = &pair->frame->in.row;
    const bool *is_own = cd_why_own_rows(pair);
    const bool is_comparable = !made->fault && cd_why_compare_problem(pair, &made->out, is_own);
    for (int32_t i = 0; i < rows->count; i++)
        if (is_own[i])
            check_value(pair, sums, i);
    cd_why_check_discs(pair, is_own, sums->value);
    return is_comparable;
}

static void tell_rows(const cd_why_pair *pair, const made_rows *made)
{
    static const cd_why_column columns[] = {{"row", "row"},
                                            {"role", "role"},
                                            {"contact", "contact"},
                                            {"constraint", "constraint"},
                                            {"rhs", "rhs"},
                                            {"rhs_expected", "by contacts"},
                                            {"z", "z"},
                                            {"w", "w"}};
    const cd_model *in = &pair->frame->in;
    cd_why_story *story = pair->story;
    const bool has_rows = cd_why_ran(pair->frame, CD_RANK_ROW), has_solution = in->solution.count > 0;
    const row_sums sums = sum_rows(in, pair->frame->arena);
    cd_why_open(story, "rows", "rows of the pair's contacts: w = M z + rhs");
    const bool is_comparable = compare_rows(pair, made, &sums);
    cd_why_table *table = cd_why_tabulate(story, "list", NULL, 8, columns);
    for (int32_t i = 0; i < in->row.count; i++) {
        if (!is_row_of(pair, i))
            continue;
        const int32_t value = sums.value[i], constraint = in->row.constraint ? in->row.constraint[i] : -1;
        cd_why_add(story, table,
                   (cd_why_value[]){cd_why_number((double)in->row.id[i]), cd_why_text(cd_words_ROLE[in->row.role[i]]),
                                    cd_why_number((double)in->contact.id[in->row.contact[i]]),
                                    cd_why_number(constraint < 0 ? NAN : (double)in->constraint.id[constraint]),
                                    cd_why_number(in->row.rhs[i]),
                                    cd_why_number(is_comparable ? made->out.row.rhs[i] : NAN),
                                    cd_why_number(value < 0 ? NAN : in->value.z[value]),
                                    cd_why_number(value < 0 ? NAN : cd_f64_or(in->value.w, value, NAN))});
    }
    table->shown = TOLD_MOST;
    cd_why_say(story, "count", "of the pair", has_rows ? cd_why_number(table->row.count) : cd_why_nothing(), NULL,
               has_rows ? NULL : cd_why_missing(story->arena, pair->frame, "cd-peg-assemble", "them"));
    cd_why_say(story, "solution", "solution",
               cd_why_text(has_solution ? cd_words_SOLUTION[in->solution.status[0]] : NULL), NULL,
               has_solution ? NULL : cd_why_missing(story->arena, pair->frame, "cd-lcp", "it"));
}

void cd_why_tell_constraints(cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    cd_why_story *story = pair->story;
    int32_t own = 0;
    for (int32_t i = 0; i < frame->in.contact.count; i++)
        own += is_own(pair, i);
    if (own == 0)
        return;
    const bool has_table = cd_why_ran(frame, CD_RANK_CONSTRAINT);
    if (cd_why_run_has(frame->run, "cd-penalty") && frame->in.constraint.count == 0)
        return;
    made_rows made = make_rows(pair);
    cd_why_open(story, "constraints", "constraints: what the model makes of these contacts");
    cd_why_say(story, "model", "model", cd_why_text(made.model ? made.model->name : NULL), NULL,
               made.fault                                          ? made.fault
               : frame->in.frame.model && frame->in.frame.model[0] ? "a wish of the round before"
                                                                   : NULL);
    cd_why_say(story, "stage", has_table ? NULL : "constraints", cd_why_text(has_table ? "cd-peg-assemble" : NULL),
               NULL, has_table ? NULL : cd_why_missing(story->arena, frame, "cd-peg-assemble", "them"));
    tell_judgement(pair, &made);
    if (!has_table)
        return;
    tell_table(pair, &made);
    tell_rows(pair, &made);
}

// ---- the end -------------------------------------------------------------------------------------------------------

static void tell_forces(const cd_why_pair *pair)
{
    static const cd_why_column columns[] = {
        {"contact", "contact"}, {"force", "mean force on b [N]"}, {"impulse", "impulse on b [N s]"}};
    const cd_model *in = &pair->frame->in;
    const int dim = in->dim;
    cd_why_table *table = cd_why_tabulate(pair->story, "forces", NULL, 3, columns);
    for (int32_t i = 0; i < in->force.count; i++) {
        if (!is_own(pair, in->force.contact[i]))
            continue;
        const double *force = in->force.vector + (size_t)dim * (size_t)i;
        double impulse[3];
        for (int k = 0; k < dim; k++)
            impulse[k] = force[k] * pair->frame->step;
        cd_why_add(pair->story, table,
                   (cd_why_value[]){cd_why_number((double)in->contact.id[in->force.contact[i]]),
                                    cd_why_vector(force, dim), cd_why_vector(impulse, dim)});
    }
    table->shown = TOLD_MOST;
}

void cd_why_tell_end(cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    cd_why_story *story = pair->story;
    const bool has_end = in->verdict.count > 0;
    cd_why_open(story, "end", "the end of the step");
    const char *reason = has_end && in->verdict.reason ? in->verdict.reason[0] : NULL;
    cd_why_say(story, "accept", "accepted", has_end ? cd_why_yes(in->verdict.accept[0]) : cd_why_nothing(), NULL,
               reason    ? cd_arena_text(story->arena, reason, strlen(reason))
               : has_end ? NULL
                         : cd_why_missing(story->arena, pair->frame, "cd-step", "it"));
    cd_why_say(story, "round", "rounds",
               has_end ? cd_why_number(cd_i32_or(in->verdict.round, 0, 0) + (in->verdict.accept[0] != 0))
                       : cd_why_nothing(),
               NULL, NULL);
    cd_why_say(story, "gap", "gap at the end", cd_why_number(pair->asked > 0 ? pair->leaves[0].gap[CD_WHY_NEXT] : NAN),
               "m", NULL);
    tell_forces(pair);
    cd_why_check_end(pair);
}
