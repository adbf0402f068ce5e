// Tables as NumPy arrays: a ZIP of .npy files, version 1.0 (NEP 1), one a column, named TABLE.FIELD.
//
//   numbers <f8, integers and ids <i8, words and texts <U, booleans |b1; vectors have a second axis
//   a list a row: TABLE.FIELD has the items of all rows, TABLE.FIELD.offset where each row begins, and their number
//   lists of lists: besides, TABLE.FIELD.inner where each inner list begins
// Absent: NaN, -2^63, an empty text. The whole of the tables is in memory until the end.
// SPDX-License-Identifier: MIT
#include "export_tables.h"
#include "export_zip.h"

#include <inttypes.h>

enum { USUAL_LEVEL = 1 };  // of zlib

typedef struct npz_state {
    cd_export_tables tables;
    cd_output output;
    cd_export_sink sink;
    cd_export_zip zip;
    bool has_output;
} npz_state;

typedef struct array {
    const char *name, *dtype;
    int64_t rows;
    int width;       // of the second axis
    bool is_matrix;  // it has one
} array;

// Magic, version, length of the header, header: together a multiple of 64.
static void put_header(cd_buffer *out, const array *a)
{
    cd_buffer text = {0};
    cd_buffer_printf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64 ",", a->dtype, a->rows);
    if (a->is_matrix)
        cd_buffer_printf(&text, " %d", a->width);
    cd_buffer_text(&text, "), }");
    while ((10 + text.size + 1) % 64)
        cd_buffer_text(&text, " ");
    cd_buffer_text(&text, "\n");
    const unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)text.size, (unsigned char)(text.size >> 8)};
    cd_buffer_append(out, start, sizeof start);
    cd_buffer_append(out, text.data, text.size);
    cd_buffer_release(&text);
}

static cd_status put_array(cd_export *e, const array *a, const void *bytes, size_t size)
{
    npz_state *s = e->state;
    cd_buffer header = {0};
    put_header(&header, a);
    const cd_export_piece piece[2] = {{header.data, header.size}, {bytes, size}};
    const char *name = cd_arena_printf(&e->ctx->run, "%s.npy", a->name);
    cd_status status = cd_export_zip_add(&s->zip, name, piece, 2, &e->ctx->diag);
    cd_buffer_release(&header);
    return status;
}

static cd_status put_numbers(cd_export *e, const char *name, const char *suffix, const cd_buffer *list)
{
    const array a = {.name = cd_arena_printf(&e->ctx->run, "%s.%s", name, suffix),
                     .dtype = "<i8",
                     .rows = (int64_t)(list->size / sizeof(int64_t))};
    return put_array(e, &a, list->data, list->size);
}

// ---- texts: UTF-32, all as wide as the widest ----------------------------------------------------------------------

// The character at text[*at], which is valid UTF-8, and moves on.
static uint32_t next_character(const char *text, size_t *at)
{
    const unsigned char *b = (const unsigned char *)text + *at;
    int more = b[0] < 0x80 ? 0 : b[0] < 0xe0 ? 1 : b[0] < 0xf0 ? 2 : 3;
    uint32_t character = more == 0 ? b[0] : b[0] & (0x3fu >> more);
    for (int k = 1; k <= more; k++)
        character = character << 6 | (b[k] & 0x3fu);
    *at += (size_t)more + 1;
    return character;
}

static cd_status put_texts(cd_export *e, array *a, const cd_export_column *c, int64_t count)
{
    const cd_export_text *place = (const void *)c->number.data;
    size_t widest = 1;
    for (int64_t i = 0; i < count; i++) {
        size_t width = 0;
        for (size_t at = 0; place[i].length > 0 && at < (size_t)place[i].length; width++)
            (void)next_character(c->text.data + place[i].start, &at);
        widest = width > widest ? width : widest;
    }
    if ((uint64_t)count > UINT32_MAX / (4 * widest))
        return cd_fail(&e->ctx->diag, CD_ERR_LIMIT, "%s: texts would take more than 4 GiB: choose --frames", a->name);
    uint32_t *wide = cd_alloc((size_t)count * widest * sizeof *wide);
    memset(wide, 0, (size_t)count * widest * sizeof *wide);
    for (int64_t i = 0; i < count; i++) {
        uint32_t *to = wide + (size_t)i * widest;
        for (size_t at = 0; place[i].length > 0 && at < (size_t)place[i].length;)
            *to++ = next_character(c->text.data + place[i].start, &at);
    }
    a->dtype = cd_arena_printf(&e->ctx->run, "<U%zu", widest);
    cd_status status = put_array(e, a, wide, (size_t)count * widest * sizeof *wide);
    cd_free(wide);
    return status;
}

static cd_status put_column(cd_export *e, const cd_export_table *table, const cd_export_column *c)
{
    static const char *const dtype[] = {
        [CD_EXPORT_F64] = "<f8", [CD_EXPORT_I64] = "<i8", [CD_EXPORT_BOOL] = "|b1", [CD_EXPORT_TEXT] = NULL};
    array a = {.name = cd_arena_printf(&e->ctx->run, "%s.%s", table->record->name, c->name),
               .dtype = dtype[c->base],
               .rows = cd_export_items(table, c),
               .width = c->width,
               .is_matrix = c->width > 1};
    if (c->base == CD_EXPORT_TEXT)
        CD_TRY(put_texts(e, &a, c, a.rows * c->width));
    else
        CD_TRY(put_array(e, &a, c->number.data, c->number.size));
    if (c->depth > 0)
        CD_TRY(put_numbers(e, a.name, "offset", &c->offset));
    return c->depth > 1 ? put_numbers(e, a.name, "inner", &c->inner) : CD_OK;
}

// ---- the run -------------------------------------------------------------------------------------------------------

static cd_status begin(cd_export *e)
{
    npz_state *s = cd_arena_zalloc(&e->ctx->run, sizeof *s);
    e->state = s;
    cd_export_tables_begin(e, &s->tables);
    CD_TRY(cd_output_open(&s->output, e->ctx->output_path, &e->ctx->diag));
    s->has_output = true;
    s->sink = (cd_export_sink){.fd = s->output.fd, .name = cd_output_name(&s->output)};
    s->zip = (cd_export_zip){.sink = &s->sink, .level = e->ctx->level < 0 ? USUAL_LEVEL : e->ctx->level};
    return CD_OK;
}

static cd_status frame(cd_export *e)
{
    npz_state *s = e->state;
    cd_export_tables_add(e, &s->tables);
    return CD_OK;
}

static cd_status finish(cd_export *e)
{
    npz_state *s = e->state;
    for (int t = 0; t < s->tables.count; t++)
        for (int i = 0; i < s->tables.table[t].column_count; i++)
            CD_TRY(put_column(e, &s->tables.table[t], &s->tables.table[t].column[i]));
    CD_TRY(cd_export_zip_finish(&s->zip, &e->ctx->diag));
    cd_export_tables_warn(e, &s->tables);
    return cd_output_commit(&s->output, &e->ctx->diag);
}

static void close_npz(cd_export *e)
{
    npz_state *s = e->state;
    cd_buffer_release(&s->sink.out);
    cd_export_zip_release(&s->zip);
    if (s->has_output)
        cd_output_discard(&s->output);
    cd_export_tables_release(&s->tables);
}

extern const cd_export_format cd_export_npz;
const cd_export_format cd_export_npz = {.name = "npz",
                                        .about = "tables as arrays of NumPy, in one archive",
                                        .choice = CD_EXPORT_TABLE_TYPES,
                                        .is_binary = true,
                                        .begin = begin,
                                        .frame = frame,
                                        .finish = finish,
                                        .close = close_npz};
