// The problem of one frame as a folder of Matrix Market files, in the two forms that cd-lcp reads.
//
//   without rows of discs    M.mtx rhs.mtx lower.mtx upper.mtx: w = M z + rhs, row i of the files is row i of the table
//   with rows of discs       mass.mtx jacobian.mtx force.mtx rhs.mtx mu.mtx: M v = J'r + force, u = J v + rhs, |r_T| <=
//                            mu r_N, r_N >= 0; contacts in the order of their impulse rows, of each the normal, then
//                            the tangents; a contact without friction has mu 0 and empty rows of tangents
// The velocity rows of a stream are 0 = -M v + J'r + force (formats/assemble: peg_rows.h), its others u = J v + rhs.
// Rows of slack, slip, rolling and spinning beside discs have no place in the second form: CD_ERR_UNSUPPORTED.
// SPDX-License-Identifier: MIT
#include "export_format.h"

#include <inttypes.h>
#include <math.h>

// ---- files ---------------------------------------------------------------------------------------------------------

typedef struct mtx_state {
    cd_export_folder folder;
    cd_export_sink sink;  // of the file being written
} mtx_state;

static void put_number(cd_buffer *out, double value)
{
    cd_export_number(out, value);
    cd_buffer_text(out, "\n");
}

static cd_status put_vector(cd_export *e, const char *name, const double *value, int32_t count)
{
    mtx_state *s = e->state;
    CD_TRY(cd_export_folder_add(&s->folder, name, &s->sink, &e->ctx->diag));
    cd_buffer_printf(&s->sink.out, "%%%%MatrixMarket matrix array real general\n%d 1\n", count);
    for (int32_t i = 0; i < count; i++) {
        put_number(&s->sink.out, value[i]);
        CD_TRY(cd_export_flush(&s->sink, false, &e->ctx->diag));
    }
    return cd_export_sink_close(&s->sink, &e->ctx->diag);
}

typedef struct matrix {
    int32_t rows, columns, count;
    int32_t *row, *column;  // from 0
    double *value;
} matrix;

static cd_status put_matrix(cd_export *e, const char *name, const matrix *m)
{
    mtx_state *s = e->state;
    CD_TRY(cd_export_folder_add(&s->folder, name, &s->sink, &e->ctx->diag));
    cd_buffer_printf(&s->sink.out, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m->rows, m->columns,
                     m->count);
    for (int32_t i = 0; i < m->count; i++) {
        cd_buffer_printf(&s->sink.out, "%d %d ", m->row[i] + 1, m->column[i] + 1);
        put_number(&s->sink.out, m->value[i]);
        CD_TRY(cd_export_flush(&s->sink, false, &e->ctx->diag));
    }
    return cd_export_sink_close(&s->sink, &e->ctx->diag);
}

static matrix matrix_new(cd_arena *arena, int32_t rows, int32_t columns, int32_t most)
{
    return (matrix){rows,
                    columns,
                    0,
                    CD_ARENA_ARRAY(arena, int32_t, most),
                    CD_ARENA_ARRAY(arena, int32_t, most),
                    CD_ARENA_ARRAY(arena, double, most)};
}

static void add_entry(matrix *m, int32_t row, int32_t column, double value)
{
    m->row[m->count] = row;
    m->column[m->count] = column;
    m->value[m->count++] = value;
}

// ---- a complementarity problem -------------------------------------------------------------------------------------

static cd_status put_bounded(cd_export *e)
{
    const cd_row_rows *row = &e->in.row;
    const cd_entry_rows *entry = &e->in.entry;
    const matrix m = {row->count, row->count, entry->count, entry->row, entry->col, entry->value};
    double *lower = CD_ARENA_ARRAY(&e->ctx->arena, double, row->count);
    double *upper = CD_ARENA_ARRAY(&e->ctx->arena, double, row->count);
    for (int32_t i = 0; i < row->count; i++) {
        lower[i] = cd_f64_or(row->lower, i, row->role[i] == CD_ROLE_VELOCITY ? -INFINITY : 0);
        upper[i] = cd_f64_or(row->upper, i, INFINITY);
    }
    CD_TRY(put_matrix(e, "M.mtx", &m));
    CD_TRY(put_vector(e, "rhs.mtx", row->rhs, row->count));
    CD_TRY(put_vector(e, "lower.mtx", lower, row->count));
    return put_vector(e, "upper.mtx", upper, row->count);
}

// ---- contacts with friction ----------------------------------------------------------------------------------------

typedef struct friction_form {
    int32_t *place;  // of each row of the table: among the velocities, or among the rows of contacts
    int32_t velocities, contacts;
    double *mu;
} friction_form;

static int64_t row_id(const cd_export *e, int32_t row) { return e->in.row.id[row]; }

static cd_status refuse(cd_export *e, int32_t row, const char *reason)
{
    return cd_fail(&e->ctx->diag, CD_ERR_UNSUPPORTED,
                   "row %" PRId64 ": role: %s: %s, and files of friction problems do not have that", row_id(e, row),
                   cd_words_ROLE[e->in.row.role[row]], reason);
}

// Counts the rows by role and gives velocities and normal impulses their places.
static cd_status place_normals(cd_export *e, friction_form *form, int32_t *contact_of_id)
{
    const cd_row_rows *row = &e->in.row;
    for (int32_t i = 0; i < row->count; i++) {
        int32_t role = row->role[i];
        bool is_bounded = cd_f64_or(row->lower, i, 0) != 0 || cd_f64_or(row->upper, i, INFINITY) != INFINITY;
        if (role == CD_ROLE_VELOCITY) {
            form->place[i] = form->velocities++;
        } else if (role == CD_ROLE_IMPULSE && !is_bounded) {
            form->place[i] = e->in.dim * form->contacts;
            contact_of_id[i] = form->contacts++;
        } else if (role != CD_ROLE_FRICTION) {
            return refuse(e, i,
                          role == CD_ROLE_IMPULSE ? "its bounds are its own" : "it stands beside discs of friction");
        }
    }
    return CD_OK;
}

static cd_status place_tangents(cd_export *e, friction_form *form, const int32_t *contact_of_row)
{
    const cd_row_rows *row = &e->in.row;
    int32_t *used = CD_ARENA_ZARRAY(&e->ctx->arena, int32_t, form->contacts);
    for (int32_t i = 0; i < row->count; i++) {
        if (row->role[i] != CD_ROLE_FRICTION)
            continue;
        double mu = cd_f64_or(row->mu, i, NAN);
        int32_t normal = row->normal_row ? row->normal_row[i] : CD_ABSENT;
        int32_t normal_place = normal == CD_ABSENT ? -1 : cd_refs_row(e->refs, CD_REC_row, normal);
        int32_t contact = normal_place < 0 ? -1 : contact_of_row[normal_place];
        if (contact < 0 || isnan(mu))
            return refuse(e, i, "it is no row of a disc");
        if (used[contact] == e->in.dim - 1 || (used[contact] > 0 && form->mu[contact] != mu))
            return refuse(e, i, "its contact has other rows of friction");
        form->place[i] = e->in.dim * contact + ++used[contact];
        form->mu[contact] = mu;
    }
    for (int32_t i = 0; i < row->count; i++)
        if (row->role[i] == CD_ROLE_IMPULSE && used[contact_of_row[i]] > 0 && used[contact_of_row[i]] < e->in.dim - 1)
            return refuse(e, i, "its contact has fewer rows of friction than tangents");
    return CD_OK;
}

static cd_status put_friction_files(cd_export *e, const friction_form *form)
{
    cd_arena *arena = &e->ctx->arena;
    const cd_row_rows *row = &e->in.row;
    const cd_entry_rows *entry = &e->in.entry;
    int32_t contact_rows = e->in.dim * form->contacts;
    matrix mass = matrix_new(arena, form->velocities, form->velocities, entry->count);
    matrix jacobian = matrix_new(arena, contact_rows, form->velocities, entry->count);
    for (int32_t i = 0; i < entry->count; i++) {
        int32_t r = entry->row[i], c = entry->col[i];
        bool row_moves = row->role[r] == CD_ROLE_VELOCITY, column_moves = row->role[c] == CD_ROLE_VELOCITY;
        if (row_moves && column_moves)
            add_entry(&mass, form->place[r], form->place[c], -entry->value[i]);
        else if (column_moves)
            add_entry(&jacobian, form->place[r], form->place[c], entry->value[i]);
        else if (!row_moves)
            return refuse(e, r, "it has an entry beside those of velocities");
    }
    double *force = CD_ARENA_ARRAY(arena, double, form->velocities),
           *rhs = CD_ARENA_ZARRAY(arena, double, contact_rows);
    for (int32_t i = 0; i < row->count; i++)
        (row->role[i] == CD_ROLE_VELOCITY ? force : rhs)[form->place[i]] = row->rhs[i];
    CD_TRY(put_matrix(e, "mass.mtx", &mass));
    CD_TRY(put_matrix(e, "jacobian.mtx", &jacobian));
    CD_TRY(put_vector(e, "force.mtx", force, form->velocities));
    CD_TRY(put_vector(e, "rhs.mtx", rhs, contact_rows));
    return put_vector(e, "mu.mtx", form->mu, form->contacts);
}

static cd_status put_friction(cd_export *e)
{
    cd_arena *arena = &e->ctx->arena;
    friction_form form = {.place = CD_ARENA_ARRAY(arena, int32_t, e->in.row.count),
                          .mu = CD_ARENA_ZARRAY(arena, double, e->in.row.count)};
    int32_t *contact_of_row = CD_ARENA_ARRAY(arena, int32_t, e->in.row.count);
    for (int32_t i = 0; i < e->in.row.count; i++)
        contact_of_row[i] = -1;
    CD_TRY(place_normals(e, &form, contact_of_row));
    CD_TRY(place_tangents(e, &form, contact_of_row));
    return put_friction_files(e, &form);
}

// ---- the run -------------------------------------------------------------------------------------------------------

static cd_status begin(cd_export *e)
{
    mtx_state *s = cd_arena_zalloc(&e->ctx->run, sizeof *s);
    e->state = s;
    s->sink.fd = -1;
    if (!e->ctx->output_path || !strcmp(e->ctx->output_path, "-"))
        return cd_fail(&e->ctx->diag, CD_ERR_USAGE, "--to mtx: the files go to a folder: -o FOLDER");
    return cd_export_folder_open(&s->folder, e->ctx->output_path, &e->ctx->diag);
}

static cd_status frame(cd_export *e)
{
    if (e->in.row.count == 0)
        return cd_fail(&e->ctx->diag, CD_ERR_FORMAT, "row: there is none; cd-peg-assemble makes the problem");
    bool has_discs = false;
    for (int32_t i = 0; i < e->in.row.count; i++)
        has_discs |= e->in.row.normal_row && e->in.row.normal_row[i] != CD_ABSENT;
    return has_discs ? put_friction(e) : put_bounded(e);
}

static cd_status finish(cd_export *e)
{
    mtx_state *s = e->state;
    return cd_export_folder_commit(&s->folder, &e->ctx->diag);
}

static void close_mtx(cd_export *e)
{
    mtx_state *s = e->state;
    cd_export_sink_discard(&s->sink);
    cd_export_folder_discard(&s->folder);
}

extern const cd_export_format cd_export_mtx;
const cd_export_format cd_export_mtx = {.name = "mtx",
                                        .about = "the problem of a frame as a folder of Matrix Market files",
                                        .needs = CD_BIT(row) | CD_BIT(entry),
                                        .holds_one_frame = true,
                                        .needs_frame = true,
                                        .begin = begin,
                                        .frame = frame,
                                        .finish = finish,
                                        .close = close_mtx};
