// Tables as text: CSV (RFC 4180, lines end in LF), TSV (tabs, line feeds and backslashes as \t, \n, \r, \\), vnlog.
// Numbers have the fewest digits that read back as the same double.
//
// A table whose fields have fixed widths is written frame by frame. Of one with lists the longest one tells how many
// columns there are, so it is kept until the end.
// SPDX-License-Identifier: MIT
#include "export_tables.h"

#include <inttypes.h>

typedef struct text_style {
    const char *head;              // before the names
    char separator;                // between cells
    const char *absent, *nothing;  // an absent value, an empty text
    // Appends a text that is not empty; false: changed, since the format cannot hold it.
    bool (*put)(cd_buffer *out, const char *text, size_t size);
} text_style;

typedef struct text_state {
    const text_style *style;
    cd_export_tables tables;
    cd_export_folder folder;  // of several tables
    cd_output output;         // of one
    cd_export_sink *sink;     // one a table
    bool has_output;
    int64_t changed;
} text_state;

// ---- styles --------------------------------------------------------------------------------------------------------

static bool put_csv(cd_buffer *out, const char *text, size_t size)
{
    bool is_plain = text[0] != ' ' && text[size - 1] != ' ';
    for (size_t i = 0; i < size && is_plain; i++)
        is_plain = !strchr(",\"\n\r", text[i]);
    if (!is_plain)
        cd_buffer_text(out, "\"");
    for (size_t i = 0; i < size; i++)
        cd_buffer_append(out, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1);
    if (!is_plain)
        cd_buffer_text(out, "\"");
    return true;
}

static bool put_tsv(cd_buffer *out, const char *text, size_t size)
{
    static const char plain[] = "\t\n\r\\", letter[] = "tnr\\";
    for (size_t i = 0; i < size; i++) {
        const char *found = strchr(plain, text[i]);
        if (found)
            cd_buffer_printf(out, "\\%c", letter[found - plain]);
        else
            cd_buffer_append(out, text + i, 1);
    }
    return true;
}

// A cell has no blanks; `#` begins a comment, and `-` alone is an absent value.
static bool put_vnlog(cd_buffer *out, const char *text, size_t size)
{
    bool is_dash = size == 1 && text[0] == '-', is_held = !is_dash;
    for (size_t i = 0; i < size; i++) {
        bool is_kept = (unsigned char)text[i] > ' ' && text[i] != '#' && !is_dash;
        cd_buffer_append(out, is_kept ? text + i : "_", 1);
        is_held &= is_kept;
    }
    return is_held;
}

static const text_style csv_style = {.head = "", .separator = ',', .absent = "", .nothing = "\"\"", .put = put_csv};
static const text_style tsv_style = {.head = "", .separator = '\t', .absent = "", .nothing = "", .put = put_tsv};
static const text_style vnlog_style = {.head = "# ", .separator = ' ', .absent = "-", .nothing = "-", .put = put_vnlog};

// ---- cells ---------------------------------------------------------------------------------------------------------

static void put_words(text_state *s, cd_buffer *out, const cd_export_column *c, cd_export_text place)
{
    if (place.length > 0) {
        s->changed += !s->style->put(out, c->text.data + place.start, (size_t)place.length);
    } else {
        cd_buffer_text(out, place.length < 0 ? s->style->absent : s->style->nothing);
        s->changed += place.length == 0 && !strcmp(s->style->absent, s->style->nothing);
    }
}

// Number `index` of the column; -1: a list of this row is not as long.
static void put_cell(text_state *s, cd_buffer *out, const cd_export_column *c, int64_t index)
{
    const void *data = c->number.data;
    if (index < 0) {
        cd_buffer_text(out, s->style->absent);
    } else if (c->base == CD_EXPORT_TEXT) {
        put_words(s, out, c, ((const cd_export_text *)data)[index]);
    } else if (c->base == CD_EXPORT_F64) {
        double value = ((const double *)data)[index];
        if (isnan(value))
            cd_buffer_text(out, s->style->absent);
        else
            cd_export_number(out, value);
    } else {
        bool is_bool = c->base == CD_EXPORT_BOOL;
        int64_t value = is_bool ? ((const uint8_t *)data)[index] : ((const int64_t *)data)[index];
        char text[CD_NUMBER_MAX];
        if (value == (is_bool ? CD_ABSENT_BOOL : CD_ABSENT_I64))
            cd_buffer_text(out, s->style->absent);
        else
            cd_buffer_append(out, text, (size_t)cd_integer_print(value, text));
    }
}

// ---- columns: numbers of a row side by side ------------------------------------------------------------------------

typedef struct flat_column {
    const cd_export_column *column;
    int64_t list, item;  // of a list of lists, of a list; -1: the column is none
    int k;               // number of the item
} flat_column;

typedef struct flat_table {
    CD_LIST(flat_column) column;
} flat_table;

static int64_t longest(const cd_buffer *offset)
{
    const int64_t *number = cd_export_numbers(offset);
    int64_t most = 0;
    for (size_t i = 1; i < offset->size / sizeof *number; i++)
        most = number[i] - number[i - 1] > most ? number[i] - number[i - 1] : most;
    return most;
}

static void flatten(cd_arena *arena, const cd_export_table *table, flat_table *flat)
{
    for (int i = 0; i < table->column_count; i++) {
        const cd_export_column *c = &table->column[i];
        int64_t lists = c->depth > 1 ? longest(&c->offset) : 1;
        int64_t items = c->depth > 0 ? longest(c->depth > 1 ? &c->inner : &c->offset) : 1;
        for (int64_t list = 0; list < lists; list++)
            for (int64_t item = 0; item < items; item++)
                for (int k = 0; k < c->width; k++) {
                    const flat_column one = {c, c->depth > 1 ? list : -1, c->depth > 0 ? item : -1, k};
                    cd_list_push(arena, &flat->column, one);
                }
    }
}

static int64_t place_of(const flat_column *f, int64_t row)
{
    const cd_export_column *c = f->column;
    const int64_t *offset = cd_export_numbers(&c->offset), *inner = cd_export_numbers(&c->inner);
    int64_t item = row;
    if (c->depth == 1) {
        if (f->item >= offset[row + 1] - offset[row])
            return -1;
        item = offset[row] + f->item;
    } else if (c->depth == 2) {
        int64_t list = offset[row] + f->list;
        if (list >= offset[row + 1] || f->item >= inner[list + 1] - inner[list])
            return -1;
        item = inner[list] + f->item;
    }
    return item * c->width + f->k;
}

static void put_names(const text_state *s, cd_buffer *out, const flat_table *flat)
{
    cd_buffer_text(out, s->style->head);
    for (int32_t i = 0; i < flat->column.count; i++) {
        const flat_column *f = &flat->column.item[i];
        if (i)
            cd_buffer_append(out, &s->style->separator, 1);
        cd_buffer_text(out, f->column->name);
        if (f->list >= 0)
            cd_buffer_printf(out, "[%" PRId64 "]", f->list);
        if (f->item >= 0)
            cd_buffer_printf(out, "[%" PRId64 "]", f->item);
        if (f->column->width > 1)
            cd_buffer_printf(out, "[%d]", f->k);
    }
    cd_buffer_text(out, "\n");
}

static cd_status put_rows(cd_export *e, const cd_export_table *table, const flat_table *flat, cd_export_sink *sink)
{
    text_state *s = e->state;
    for (int64_t row = 0; row < table->row_count; row++) {
        for (int32_t i = 0; i < flat->column.count; i++) {
            const flat_column *f = &flat->column.item[i];
            if (i)
                cd_buffer_append(&sink->out, &s->style->separator, 1);
            put_cell(s, &sink->out, f->column, place_of(f, row));
        }
        cd_buffer_text(&sink->out, "\n");
        CD_TRY(cd_export_flush(sink, false, &e->ctx->diag));
    }
    return CD_OK;
}

// Names once, and the rows so far.
static cd_status put_table(cd_export *e, int number, bool is_first)
{
    text_state *s = e->state;
    cd_export_table *table = &s->tables.table[number];
    cd_arena scratch = {0};
    flat_table flat = {0};
    flatten(&scratch, table, &flat);
    if (is_first)
        put_names(s, &s->sink[number].out, &flat);
    cd_status status = put_rows(e, table, &flat, &s->sink[number]);
    cd_arena_release(&scratch);
    cd_export_table_clear(table);
    return status;
}

// ---- the run -------------------------------------------------------------------------------------------------------

static cd_status open_sinks(cd_export *e)
{
    text_state *s = e->state;
    cd_ctx *ctx = e->ctx;
    s->sink = CD_ARENA_ZARRAY(&ctx->run, cd_export_sink, s->tables.count);
    for (int i = 0; i < s->tables.count; i++)
        s->sink[i].fd = -1;
    if (s->tables.count == 1) {
        CD_TRY(cd_output_open(&s->output, ctx->output_path, &ctx->diag));
        s->has_output = true;
        s->sink[0].fd = s->output.fd;
        s->sink[0].name = cd_output_name(&s->output);
        return CD_OK;
    }
    if (!ctx->output_path || !strcmp(ctx->output_path, "-"))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--type: several tables go to a folder: -o FOLDER");
    CD_TRY(cd_export_folder_open(&s->folder, ctx->output_path, &ctx->diag));
    for (int i = 0; i < s->tables.count; i++) {
        const char *name = cd_arena_printf(&ctx->run, "%s.%s", s->tables.table[i].record->name, e->format->name);
        CD_TRY(cd_export_folder_add(&s->folder, name, &s->sink[i], &ctx->diag));
    }
    return CD_OK;
}

static cd_status begin(cd_export *e, const text_style *style)
{
    text_state *s = cd_arena_zalloc(&e->ctx->run, sizeof *s);
    s->style = style;
    e->state = s;
    cd_export_tables_begin(e, &s->tables);
    CD_TRY(open_sinks(e));
    for (int i = 0; i < s->tables.count; i++)
        if (!s->tables.table[i].has_lists)
            CD_TRY(put_table(e, i, true));
    return CD_OK;
}

static cd_status begin_csv(cd_export *e) { return begin(e, &csv_style); }
static cd_status begin_tsv(cd_export *e) { return begin(e, &tsv_style); }
static cd_status begin_vnlog(cd_export *e) { return begin(e, &vnlog_style); }

static cd_status frame(cd_export *e)
{
    text_state *s = e->state;
    cd_export_tables_add(e, &s->tables);
    for (int i = 0; i < s->tables.count; i++)
        if (!s->tables.table[i].has_lists)
            CD_TRY(put_table(e, i, false));
    return CD_OK;
}

static cd_status finish(cd_export *e)
{
    text_state *s = e->state;
    cd_diag *diag = &e->ctx->diag;
    for (int i = 0; i < s->tables.count; i++) {
        if (s->tables.table[i].has_lists)
            CD_TRY(put_table(e, i, true));
        if (s->has_output)
            CD_TRY(cd_export_flush(&s->sink[i], true, diag));
        else
            CD_TRY(cd_export_sink_close(&s->sink[i], diag));
    }
    cd_export_tables_warn(e, &s->tables);
    if (s->changed)
        cd_warn(e->ctx, "%s: %" PRId64 " texts are not as they were: the format cannot hold them", e->format->name,
                s->changed);
    return s->has_output ? cd_output_commit(&s->output, diag) : cd_export_folder_commit(&s->folder, diag);
}

static void close_text(cd_export *e)
{
    text_state *s = e->state;
    for (int i = 0; s->sink && i < s->tables.count; i++)
        if (s->has_output)
            cd_buffer_release(&s->sink[i].out);
        else
            cd_export_sink_discard(&s->sink[i]);
    if (s->has_output)
        cd_output_discard(&s->output);
    cd_export_folder_discard(&s->folder);
    cd_export_tables_release(&s->tables);
}

#define TEXT_FORMAT(word, line)                                                 \
    const cd_export_format cd_export_##word = {.name = #word,                   \
                                               .about = line,                   \
                                               .choice = CD_EXPORT_TABLE_TYPES, \
                                               .begin = begin_##word,           \
                                               .frame = frame,                  \
                                               .finish = finish,                \
                                               .close = close_text}
extern const cd_export_format cd_export_csv, cd_export_tsv, cd_export_vnlog;
TEXT_FORMAT(csv, "table as text, cells between commas (RFC 4180)");
TEXT_FORMAT(tsv, "table as text, cells between tabs");
TEXT_FORMAT(vnlog, "table as text for the vnlog tools, cells between blanks");
