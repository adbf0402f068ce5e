// SPDX-License-Identifier: MIT
#include "peg_write.h"

static void write_constraints(cd_arena *arena, const cd_peg_frame *frame, const cd_peg_constraints *constraints,
                              int dim, cd_constraint_rows *rows)
{
    int32_t count = constraints->count, members = 0;
    rows->count = count;
    int64_t *id = CD_COLUMN(arena, dim, constraint, rows, id);
    int32_t *kind = CD_COLUMN(arena, dim, constraint, rows, kind);
    for (int32_t i = 0; i < count; i++)
        members += constraints->constraint[i].count;
    rows->primary =
        (cd_list){.offset = CD_ARENA_ARRAY(arena, int32_t, count + 1), .i32 = CD_ARENA_ARRAY(arena, int32_t, members)};
    rows->secondary =
        (cd_list){.offset = CD_ARENA_ARRAY(arena, int32_t, count + 1), .i32 = CD_ARENA_ARRAY(arena, int32_t, members)};
    rows->primary.offset[0] = rows->secondary.offset[0] = 0;
    for (int32_t i = 0, primary = 0, secondary = 0; i < count; i++) {
        const cd_peg_constraint *constraint = &constraints->constraint[i];
        const int32_t *member = constraints->member + constraint->first;
        id[i] = i;
        kind[i] = (int32_t)constraint->kind;
        for (int32_t s = 0; s < constraint->count; s++)
            *(s < constraint->primaries ? &rows->primary.i32[primary++] : &rows->secondary.i32[secondary++]) =
                frame->contact_row[member[s]];
        rows->primary.offset[i + 1] = primary;
        rows->secondary.offset[i + 1] = secondary;
    }
}

static void write_discs(cd_arena *arena, const cd_peg_problem *problem, int dim, cd_row_rows *rows)
{
    double *upper = CD_COLUMN(arena, dim, row, rows, upper), *mu = CD_COLUMN(arena, dim, row, rows, mu);
    int32_t *normal_row = CD_COLUMN(arena, dim, row, rows, normal_row);
    for (int32_t i = 0; i < problem->row_count; i++) {
        const cd_peg_row *row = &problem->row[i];
        if (!row->is_disc)
            continue;
        rows->lower[i] = -INFINITY;
        upper[i] = INFINITY;
        normal_row[i] = row->normal_row;
        mu[i] = row->mu;
    }
}

static void write_rows(cd_arena *arena, const cd_peg_frame *frame, const cd_peg_problem *problem, int dim,
                       cd_row_rows *rows)
{
    rows->count = problem->row_count;
    int64_t *id = CD_COLUMN(arena, dim, row, rows, id);
    int32_t *role = CD_COLUMN(arena, dim, row, rows, role), *body = CD_COLUMN(arena, dim, row, rows, body);
    int32_t *axis = CD_COLUMN(arena, dim, row, rows, axis), *contact = CD_COLUMN(arena, dim, row, rows, contact);
    int32_t *constraint = CD_COLUMN(arena, dim, row, rows, constraint);
    double *rhs = CD_COLUMN(arena, dim, row, rows, rhs), *lower = CD_COLUMN(arena, dim, row, rows, lower);
    bool has_discs = false;
    for (int32_t i = 0; i < problem->row_count; i++) {
        const cd_peg_row *row = &problem->row[i];
        id[i] = i;
        role[i] = (int32_t)row->role;
        rhs[i] = row->rhs;
        if (row->role == CD_PEG_VELOCITY) {
            body[i] = frame->body_row[row->block];
            axis[i] = row->axis;
            lower[i] = -INFINITY;
        } else {
            contact[i] = frame->contact_row[row->contact];
            constraint[i] = row->constraint;
        }
        has_discs = has_discs || row->is_disc;
    }
    if (has_discs)
        write_discs(arena, problem, dim, rows);
}

void cd_peg_write(cd_arena *arena, const cd_peg_frame *frame, const cd_peg_constraints *constraints,
                  const cd_peg_problem *problem, int dim, cd_model *out)
{
    write_constraints(arena, frame, constraints, dim, &out->constraint);
    write_rows(arena, frame, problem, dim, &out->row);
    out->entry.count = problem->entry_count;
    out->entry.row = problem->entry_row;
    out->entry.col = problem->entry_col;
    out->entry.value = problem->value;
}
