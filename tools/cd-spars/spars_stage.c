// SPDX-License-Identifier: MIT
#include "spars_stage.h"

#include "cd_contact_limits.h"

#include "cd_bodies.h"
#include "cd_length.h"
#include "cd_rows.h"

#include <inttypes.h>

static cd_status check_site(const cd_model *in, const cd_adjacency *adjacency, const int32_t *site, cd_diag *diag)
{
    int32_t shape = in->body.shape ? in->body.shape[site[0]] : -1;
    if (shape < 0)  // contacts of another program may stand beside bodies without shapes
        return CD_OK;
    int32_t leaves = cd_adjacency_leaves(adjacency, shape);
    if (site[1] >= 0 && site[1] < leaves)
        return CD_OK;
    return cd_fail(diag, CD_ERR_FORMAT, "contact: body %" PRId64 " part %d: its shape has %d parts",
                   in->body.id[site[0]], (int)site[1], (int)leaves);
}

// Rows that take part.
static cd_status list_rows(const cd_model *in, const cd_adjacency *adjacency, int32_t *row, int32_t *count,
                           cd_diag *diag)
{
    const cd_contact_rows *contact = &in->contact;
    *count = 0;
    for (int32_t i = 0; i < contact->count; i++) {
        CD_TRY(check_site(in, adjacency, contact->a + 2 * (size_t)i, diag));
        CD_TRY(check_site(in, adjacency, contact->b + 2 * (size_t)i, diag));
        int32_t status = cd_i32_or(contact->status, i, CD_STATUS_CANDIDATE);
        if (cd_contact_takes_part(status))
            row[(*count)++] = i;
    }
    return CD_OK;
}

static void count_verdicts(cd_arena *arena, const cd_model *in, const uint8_t *verdict, cd_spars_counts *counts)
{
    enum { HAD = 1, HAS = 2 };
    uint8_t *contacts_of = CD_ARENA_ZARRAY(arena, uint8_t, in->body.count);
    *counts = (cd_spars_counts){0};
    for (int32_t i = 0; i < in->contact.count; i++) {
        counts->verdict[verdict[i]]++;
        if (verdict[i] == CD_SPARS_NO_PART)
            continue;
        uint8_t mark = verdict[i] == CD_SPARS_KEPT ? HAD | HAS : HAD;
        contacts_of[in->contact.a[2 * (size_t)i]] |= mark;
        contacts_of[in->contact.b[2 * (size_t)i]] |= mark;
    }
    for (int32_t body = 0; body < in->body.count; body++)
        counts->freed += contacts_of[body] == HAD;
}

// The rows that stay, in the order of their ids.
static int32_t *staying_rows(cd_arena *arena, const cd_contact_rows *contact, const uint8_t *verdict, bool keep_deleted,
                             int32_t *count)
{
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, contact->count);
    bool is_ascending = true;
    *count = 0;
    for (int32_t i = 0; i < contact->count; i++) {
        bool passes = verdict[i] == CD_SPARS_NO_PART && contact->status[i] == CD_STATUS_OUTSIDE;
        if (!keep_deleted && !passes && verdict[i] != CD_SPARS_KEPT)
            continue;
        is_ascending = is_ascending && (*count == 0 || contact->id[row[*count - 1]] < contact->id[i]);
        row[(*count)++] = i;
    }
    if (is_ascending)
        return row;
    cd_spars_keyed *keyed = CD_ARENA_ARRAY(arena, cd_spars_keyed, *count);
    for (int32_t i = 0; i < *count; i++)
        keyed[i] = (cd_spars_keyed){(uint64_t)contact->id[row[i]], row[i]};  // ids are not below 0
    cd_spars_sort(arena, keyed, *count);
    for (int32_t i = 0; i < *count; i++)
        row[i] = keyed[i].number;
    return row;
}

static void write_rows(cd_arena *arena, const cd_model *in, const uint8_t *verdict, bool keep_deleted,
                       cd_contact_rows *out)
{
    const cd_contact_rows *contact = &in->contact;
    int32_t count;
    const int32_t *row = staying_rows(arena, contact, verdict, keep_deleted, &count);
    bool is_all = count == contact->count;
    for (int32_t i = 0; i < count && is_all; i++)
        is_all = row[i] == i;
    if (is_all)
        *out = *contact;
    else
        cd_rows_select(arena, &cd_records[CD_REC_contact], in->dim, (cd_rows *)out, (const cd_rows *)contact, row,
                       count);
    if (!keep_deleted)
        return;
    const int32_t *before = out->status;
    out->capacity = 0;  // columns are as long as they are
    int32_t *status = CD_COLUMN(arena, in->dim, contact, out, status);
    for (int32_t i = 0; i < count; i++) {
        bool is_deleted = verdict[row[i]] > CD_SPARS_KEPT;
        status[i] = is_deleted ? CD_STATUS_DELETED : before ? before[i] : CD_ABSENT;
    }
}

cd_status cd_spars_frame(cd_arena *arena, const cd_spars_stage *stage, const cd_model *in, cd_contact_rows *out,
                         cd_spars_counts *counts, cd_diag *diag)
{
    const cd_spars_options *options = stage->options;
    const cd_contact_rows *contact = &in->contact;
    // Contacts that take part, in an order that does not depend on that of rows.
    int32_t *order = CD_ARENA_ARRAY(arena, int32_t, contact->count), order_count;
    uint8_t *verdict = CD_ARENA_ARRAY(arena, uint8_t, contact->count);
    CD_TRY(list_rows(in, &stage->adjacency, order, &order_count, diag));
    cd_spars_canonical(arena, in->dim, contact, cd_body_order_make(arena, &in->body).rank, order, order_count);
    // The rule, and which contacts it may delete.
    cd_spars_rule rule = options->rule;
    if (isnan(rule.mindist))
        rule.mindist = cd_epsilon_of(arena, in, &stage->shapes);
    bool *is_new = NULL;
    if (options->new_only) {
        is_new = CD_ARENA_ARRAY(arena, bool, contact->count);
        cd_spars_history_open(stage->history, in->frame.index[0], cd_i32_or(in->frame.substep, 0, 0));
        cd_spars_history_find_new(stage->history, in, order, order_count, is_new);
    }
    // The verdicts, and what is remembered of them.
    cd_spars_select(arena,
                    &(cd_spars_input){.dim = in->dim,
                                      .count = contact->count,
                                      .body_count = in->body.count,
                                      .a = contact->a,
                                      .b = contact->b,
                                      .point = contact->point,
                                      .area = contact->area,
                                      .body_shape = in->body.shape,
                                      .adjacency = &stage->adjacency,
                                      .order = order,
                                      .order_count = order_count,
                                      .is_new = is_new},
                    &rule, verdict);
    count_verdicts(arena, in, verdict, counts);
    if (options->new_only) {
        int32_t kept = 0;
        for (int32_t i = 0; i < order_count; i++)
            if (verdict[order[i]] == CD_SPARS_KEPT)
                order[kept++] = order[i];
        cd_spars_history_keep(stage->history, in, order, kept);
    }
    write_rows(arena, in, verdict, options->keep_deleted, out);
    return CD_OK;
}
