// Text tables for a terminal: a table per record type and frame, a column per field that occurs, user ids where the
// stream refers to rows.
// SPDX-License-Identifier: MIT
#include "view_run.h"
#include "cd_selection.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    CELL_MAX = 44,     // [characters] longer cells end in "..."
    SHOWN_DIGITS = 6,  // significant digits of a number; -v shows all 17
};

typedef struct table_run {
    cd_ctx *ctx;
    cd_selection selection;
    const cd_refs *refs;
    cd_buffer out;
    int digits;
    int64_t frames;  // looked at
} table_run;

// ---- cells ---------------------------------------------------------------------------------------------------------

static void print_double(const table_run *run, cd_buffer *cell, double value)
{
    cd_buffer_printf(cell, "%.*g", run->digits, value);
}

static void print_reference(const table_run *run, cd_buffer *cell, cd_record_type target, int32_t row)
{
    const cd_id_table *table = &run->refs->table[target];
    if (row >= 0 && row < table->count && table->ids_known)
        cd_buffer_printf(cell, "%" PRId64, cd_id_table_id(table, row));
}

static void print_feature(cd_buffer *cell, int32_t feature)
{
    if (feature != CD_FEATURE_NONE)
        cd_buffer_printf(cell, "%c%d", CD_FEATURE_LETTERS[cd_feature_kind(feature)], cd_feature_index(feature));
}

// Number k of a column or list; `index` counts numbers from the start of the data.
static void print_number(const table_run *run, cd_buffer *cell, const cd_field *field, const void *data, size_t index,
                         int k)
{
    switch (field->base) {
    case CD_BASE_F64:
        print_double(run, cell, ((const double *)data)[index]);
        return;
    case CD_BASE_I64:
        cd_buffer_printf(cell, "%" PRId64, ((const int64_t *)data)[index]);
        return;
    case CD_BASE_U8:
        cd_buffer_text(cell, ((const uint8_t *)data)[index] ? "true" : "false");
        return;
    case CD_BASE_TEXT:
        cd_buffer_text(cell, ((const char *const *)data)[index]);
        return;
    case CD_BASE_I32:
        break;
    }
    int32_t value = ((const int32_t *)data)[index];
    bool is_reference = field->target != CD_REC_UNKNOWN && !(field->type == CD_TYPE_SITE && k == 1);
    if (is_reference)
        print_reference(run, cell, field->target, value);
    else if (field->type == CD_TYPE_FEATX2)
        print_feature(cell, value);
    else if (field->type == CD_TYPE_ENUM)
        cd_buffer_text(cell, value >= 0 && value < field->vocab->count ? field->vocab->word[value] : "");
    else
        cd_buffer_printf(cell, "%d", value);
}

static void print_items(const table_run *run, cd_buffer *cell, const cd_field *field, int width, const void *data,
                        int32_t first, int32_t last)
{
    for (int32_t i = first; i < last && cell->size < 4 * CELL_MAX; i++)
        for (int k = 0; k < width; k++) {
            if (i > first || k > 0)
                cd_buffer_text(cell, k > 0 ? " " : width > 1 ? ", " : " ");
            print_number(run, cell, field, data, (size_t)i * (size_t)width + (size_t)k, k);
        }
}

static void print_cell(const table_run *run, cd_buffer *cell, const cd_field *field, int dim, const cd_rows *rows,
                       int32_t row)
{
    int width = cd_field_width(field, dim);
    if (field->depth == 2) {
        const cd_list2 *list = cd_field_list2(field, rows);
        if (list->offset)
            cd_buffer_printf(cell, "%d lists", list->offset[row + 1] - list->offset[row]);
    } else if (field->depth == 1) {
        const cd_list *list = cd_field_list(field, rows);
        if (list->offset)
            print_items(run, cell, field, width, list->data, list->offset[row], list->offset[row + 1]);
    } else {
        const void *data = *cd_field_column(field, rows);
        if (data && !cd_is_absent(field, width, data, (size_t)row * (size_t)width))
            print_items(run, cell, field, width, data, row, row + 1);
    }
}

// Cuts lists and texts to their width and makes control bytes visible: a text of the stream must not steer the
// terminal. Numbers and vectors, which are short, are not cut: -v promises all digits.
static size_t tame(char *text, size_t size, bool is_text)
{
    size_t used = 0, limit = is_text ? CELL_MAX : SIZE_MAX;
    for (size_t i = 0; i < size && used < limit; i++)
        text[used++] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    if (size > limit) {
        while (used > CELL_MAX - 3 || (used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80))
            used--;  // not in the middle of a character
        memcpy(text + used, "...", 3);
        used += 3;
    }
    return used;
}

// ---- columns -------------------------------------------------------------------------------------------------------

typedef struct column {
    const char *name;
    cd_buffer text;  // cells behind one another
    size_t *end;     // of each cell
    int width;       // in characters
    bool is_text;    // left-aligned
    bool is_empty;
} column;

static int characters(const char *text, size_t size)
{
    int count = 0;
    for (size_t i = 0; i < size; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void add_cell(column *c, int32_t row, cd_buffer *cell)
{
    size_t size = tame(cell->data, cell->size, c->is_text);
    int width = characters(cell->data, size);
    cd_buffer_append(&c->text, cell->data, size);
    c->end[row] = c->text.size;
    c->width = width > c->width ? width : c->width;
    c->is_empty &= size == 0;
}

static void fill_column(const table_run *run, cd_arena *arena, column *c, const cd_field *field, int dim,
                        const cd_rows *rows)
{
    cd_buffer cell = {0};
    cd_buffer_reserve(&cell, 8 * CELL_MAX);
    *c = (column){.name = field->name,
                  .width = (int)strlen(field->name),
                  .is_empty = true,
                  .is_text = field->base == CD_BASE_TEXT || field->type == CD_TYPE_ENUM || field->depth > 0};
    c->end = CD_ARENA_ARRAY(arena, size_t, rows->count);
    for (int32_t i = 0; i < rows->count; i++) {
        cell.size = 0;
        print_cell(run, &cell, field, dim, rows, i);
        add_cell(c, i, &cell);
    }
    cd_buffer_release(&cell);
}

static void fill_texts(cd_arena *arena, column *c, const char *name, int32_t count, const char *const *text)
{
    *c = (column){.name = name, .width = (int)strlen(name), .is_empty = true, .is_text = true};
    c->end = CD_ARENA_ARRAY(arena, size_t, count);
    for (int32_t i = 0; i < count; i++) {
        cd_buffer cell = {0};
        cd_buffer_text(&cell, text[i] ? text[i] : "");
        cd_buffer_reserve(&cell, 4);
        add_cell(c, i, &cell);
        cd_buffer_release(&cell);
    }
}

static void print_padded(cd_buffer *out, const char *text, size_t size, int width, bool left, bool is_last)
{
    int pad = width - characters(text, size);
    if (!left)
        cd_buffer_printf(out, "%*s", pad, "");
    cd_buffer_append(out, text, size);
    if (left && !is_last)
        cd_buffer_printf(out, "%*s", pad, "");
}

static void print_columns(cd_buffer *out, const char *name, const column *all, int count, int32_t rows)
{
    column shown[64];
    int used = 0;
    for (int i = 0; i < count; i++)
        if (!all[i].is_empty)
            shown[used++] = all[i];
    cd_buffer_printf(out, "%s (%d)\n", name, rows);
    for (int32_t row = -1; row < rows && used > 0; row++) {
        cd_buffer_text(out, "  ");
        for (int i = 0; i < used; i++) {
            const column *c = &shown[i];
            size_t start = row > 0 ? c->end[row - 1] : 0;
            const char *text = row < 0 ? c->name : c->text.data + start;
            if (i > 0)
                cd_buffer_text(out, "  ");
            print_padded(out, text, row < 0 ? strlen(text) : c->end[row] - start, c->width, c->is_text, i == used - 1);
        }
        cd_buffer_text(out, "\n");
    }
}

static void print_known(table_run *run, cd_record_type type, int dim, const cd_rows *rows)
{
    cd_arena *arena = &run->ctx->arena;
    const cd_record *record = &cd_records[type];
    column *columns = CD_ARENA_ARRAY(arena, column, record->field_count + 1);
    int count = 0;
    for (int32_t f = 0; f < record->field_count; f++)
        fill_column(run, arena, &columns[count++], &record->field[f], dim, rows);
    if (rows->json)
        fill_texts(arena, &columns[count++], "other members", rows->count, rows->json);
    print_columns(&run->out, record->name, columns, count, rows->count);
    for (int i = 0; i < count; i++)
        cd_buffer_release(&columns[i].text);
}

// ---- the run -------------------------------------------------------------------------------------------------------

static void print_tables(table_run *run, cd_tables *tables)
{
    cd_selection *selection = &run->selection;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_rows *rows = cd_model_rows(&tables->model, (cd_record_type)type);
        bool is_listed = !selection->has_types || (selection->types >> type & 1);
        if (is_listed && rows->count > 0 && type != CD_REC_frame)
            print_known(run, (cd_record_type)type, tables->model.dim, rows);
    }
    for (int32_t i = 0; i < tables->foreign.count; i++) {
        cd_foreign_table *table = &tables->foreign.item[i];
        if (!cd_selection_lists_foreign(selection, table->name))
            continue;
        column only;
        fill_texts(&run->ctx->arena, &only, "members", table->row.count, table->row.item);
        print_columns(&run->out, table->name, &only, 1, table->row.count);
        cd_buffer_release(&only.text);
    }
}

static void print_frame_line(table_run *run, const cd_frame_rows *frame)
{
    cd_buffer_printf(&run->out, "%sframe %" PRId64 "  time %.*g s", run->out.size ? "\n" : "", frame->index[0],
                     run->digits, frame->time[0]);
    if (frame->step && !isnan(frame->step[0]))
        cd_buffer_printf(&run->out, "  step %.*g s", run->digits, frame->step[0]);
    if (frame->rest && !isnan(frame->rest[0]))
        cd_buffer_printf(&run->out, "  rest %.*g s", run->digits, frame->rest[0]);
    if (frame->round && frame->round[0] != CD_ABSENT && frame->round[0] != 0)
        cd_buffer_printf(&run->out, "  round %d", frame->round[0]);
    if (frame->substep && frame->substep[0] != CD_ABSENT && frame->substep[0] != 0)
        cd_buffer_printf(&run->out, "  substep %d", frame->substep[0]);
    cd_buffer_text(&run->out, "\n");
}

static cd_status flush(table_run *run)
{
    if (run->ctx->output_path)  // one text in the end: a file is complete or not there
        return CD_OK;
    cd_status status = cd_write_text(run->ctx, run->out.data, run->out.size);
    run->out.size = 0;
    return status;
}

static cd_status print_section(table_run *run, cd_tables *tables)
{
    if (tables->model.frame.count == 1) {
        print_frame_line(run, &tables->model.frame);
        if (run->selection.has_bodies) {
            cd_refs *refs = cd_reader_refs(run->ctx->reader);
            // Rows are renumbered among the bodies that stay: print by the new numbers.
            cd_selection_apply(&run->ctx->arena, &run->selection, tables);
            cd_refs_open_frame(refs);
            for (int type = 0; type < CD_REC_COUNT; type++)
                if (!cd_records[type].is_head)
                    CD_TRY(cd_refs_add_table(refs, (cd_record_type)type,
                                             cd_model_rows(&tables->model, (cd_record_type)type), &run->ctx->diag));
        }
    }
    print_tables(run, tables);
    return flush(run);
}

static cd_status run_tables(table_run *run)
{
    cd_ctx *ctx = run->ctx;
    cd_tables tables = {0}, last = {0};
    bool is_skipping = false;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        bool is_boundary = chunk.type == CD_REC_frame || chunk.type == CD_REC_fend || chunk.type == CD_REC_end;
        if (chunk.type == CD_REC_fend && run->selection.frames.only_last) {
            last = tables;  // printed at the end, when its ids are still known
            memset(&tables, 0, sizeof tables);
        } else if (is_boundary) {
            if (chunk.type == CD_REC_end && last.model.dim)
                tables = last;
            if (!is_skipping && (status = print_section(run, &tables)) != CD_OK)
                break;
            cd_arena_reset(&ctx->arena);
            memset(&tables, 0, sizeof tables);
            memset(&last, 0, sizeof last);
            is_skipping = false;
        }
        if (!is_skipping && (status = cd_tables_take(&ctx->arena, ctx->reader, &chunk, &tables, &ctx->diag)) != CD_OK)
            break;
        if (chunk.type == CD_REC_frame) {
            is_skipping = !cd_frame_range_has(&run->selection.frames, tables.model.frame.index[0]);
            run->frames += !is_skipping;
        }
    }
    return status == CD_END ? CD_OK : status;
}

cd_status cd_view_run_table(cd_ctx *ctx, const cd_view_options *options)
{
    table_run run = {.ctx = ctx, .digits = ctx->verbose ? 17 : SHOWN_DIGITS};
    CD_TRY(cd_selection_parse(&ctx->run, options->types, options->frames, options->bodies, &run.selection, &ctx->diag));
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    cd_reader_choose(ctx->reader, &run.selection.frames);
    run.refs = cd_reader_refs(ctx->reader);
    cd_status status = run_tables(&run);
    if (status == CD_OK && ctx->output_path)
        status = cd_write_text(ctx, run.out.data, run.out.size);
    cd_buffer_release(&run.out);
    if (status == CD_OK)
        cd_view_warn_of_frames(ctx, options, run.frames);
    return status;
}
