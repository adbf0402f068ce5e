// What a stage makes: rows and columns of tables by name, contacts, metrics.
// SPDX-License-Identifier: MIT
#include "cd_contact.h"
#include "cd_rows.h"
#include "cds_frame.h"

#include <stdlib.h>

// ---- tables --------------------------------------------------------------------------------------------------------

// The table that is being made, NULL and a mistake when the stage does not make it.
static cd_rows *table_made(cds_frame *f, const char *call, const char *table, const cd_record **record)
{
    *record = stage_record(f, call, table);
    if (!*record)
        return NULL;
    if (!f->in_frame) {
        stage_mistake(f, CD_ERR_USAGE, "%s: %s: there is no frame yet", call, table);
        return NULL;
    }
    if (f->ctx->writes >> (*record)->type & 1)
        return cd_model_rows(&f->ctx->out, (*record)->type);
    stage_mistake(f, CD_ERR_USAGE, "%s: %s: the stage does not name it among the tables that it makes", call, table);
    return NULL;
}

int32_t cds_add(cds_frame *f, const char *table, int32_t count)
{
    const cd_record *record;
    cd_rows *rows = table_made(f, "cds_add", table, &record);
    if (!rows)
        return 0;
    int32_t first = rows->count;
    if (count < 0 || count > INT32_MAX - 2 - first) {
        stage_mistake(f, CD_ERR_USAGE, "cds_add: %s: %d rows are none that can be added to %d", table, count, first);
        return 0;
    }
    union {
        cd_rows rows;
        cd_model any;
    } absent;
    memset(&absent, 0, record->size);
    absent.rows.count = count;
    cd_rows_append(&f->ctx->arena, record, f->ctx->in.dim, rows, &absent.rows);
    return first;
}

// The column of a field of a table that is made, all rows of it; NULL and a mistake when it is not of that base.
static void *column_made(cds_frame *f, const char *call, const char *table, const char *name, cd_base base,
                         cd_rows **rows, int *width)
{
    const cd_record *record;
    *rows = table_made(f, call, table, &record);
    const cd_field *field = *rows ? stage_field(f, call, record, name) : NULL;
    if (!field)
        return NULL;
    if (field->base != base || field->depth != 0) {
        stage_mistake(f, CD_ERR_USAGE, "%s: %s: %s: a field of this form (%s) is set by another call", call, table,
                      name, field->form);
        return NULL;
    }
    *width = cd_field_width(field, f->ctx->in.dim);
    void **column = cd_field_column(field, *rows);
    if (!*column)
        *column = cd_column_new(&f->ctx->arena, field, f->ctx->in.dim,
                                (*rows)->capacity ? (*rows)->capacity : (*rows)->count);
    return *column;
}

double *cds_doubles(cds_frame *f, const char *table, const char *field)
{
    cd_rows *rows;
    int width;
    return column_made(f, "cds_doubles", table, field, CD_BASE_F64, &rows, &width);
}

int32_t *cds_ints(cds_frame *f, const char *table, const char *field)
{
    cd_rows *rows;
    int width;
    return column_made(f, "cds_ints", table, field, CD_BASE_I32, &rows, &width);
}

// ---- one row -------------------------------------------------------------------------------------------------------

// `numbers` are of that base.
static void put_numbers(cds_frame *f, const char *call, const char *table, int32_t row, const char *field, cd_base base,
                        const void *numbers)
{
    cd_rows *rows;
    int width;
    char *column = column_made(f, call, table, field, base, &rows, &width);
    if (!column || !stage_has_row(f, call, table, row, rows->count))
        return;
    size_t bytes = (size_t)width * cd_base_size(base);
    memcpy(column + (size_t)row * bytes, numbers, bytes);
}

void cds_put(cds_frame *f, const char *table, int32_t row, const char *field, const double *numbers)
{
    put_numbers(f, "cds_put", table, row, field, CD_BASE_F64, numbers);
}

void cds_put_ints(cds_frame *f, const char *table, int32_t row, const char *field, const int32_t *numbers)
{
    put_numbers(f, "cds_put_ints", table, row, field, CD_BASE_I32, numbers);
}

void cds_put_number(cds_frame *f, const char *table, int32_t row, const char *field, double number)
{
    cd_rows *rows;
    int width;
    double *column = column_made(f, "cds_put_number", table, field, CD_BASE_F64, &rows, &width);
    if (!column || !stage_has_row(f, "cds_put_number", table, row, rows->count))
        return;
    if (width == 1)
        column[row] = number;
    else
        stage_mistake(f, CD_ERR_USAGE, "cds_put_number: %s: %s: it has %d numbers", table, field, width);
}

// The field of a call that takes fields of several bases; NULL and a mistake where it or the row is not there.
static const cd_field *field_made(cds_frame *f, const char *call, const char *table, const char *name, int32_t row)
{
    const cd_record *record;
    cd_rows *rows = table_made(f, call, table, &record);
    const cd_field *field = rows ? stage_field(f, call, record, name) : NULL;
    return field && stage_has_row(f, call, table, row, rows->count) ? field : NULL;
}

void cds_put_int(cds_frame *f, const char *table, int32_t row, const char *name, int64_t number)
{
    const cd_field *field = field_made(f, "cds_put_int", table, name, row);
    if (!field)
        return;
    cd_rows *rows;
    int width = 1;
    cd_base base = field->base == CD_BASE_I64 || field->base == CD_BASE_U8 ? field->base : CD_BASE_I32;
    void *column = column_made(f, "cds_put_int", table, name, base, &rows, &width);
    if (!column)
        return;
    bool fits = base == CD_BASE_I64 ||
                (number >= (base == CD_BASE_U8 ? 0 : INT32_MIN) && number <= (base == CD_BASE_U8 ? 1 : INT32_MAX));
    if (width != 1 || !fits)
        stage_mistake(f, CD_ERR_USAGE, "cds_put_int: %s: %s: %lld does not fit it", table, name, (long long)number);
    else if (base == CD_BASE_I64)
        ((int64_t *)column)[row] = number;
    else if (base == CD_BASE_U8)
        ((uint8_t *)column)[row] = (uint8_t)number;
    else
        ((int32_t *)column)[row] = (int32_t)number;
}

void cds_put_text(cds_frame *f, const char *table, int32_t row, const char *name, const char *text)
{
    const cd_field *field = field_made(f, "cds_put_text", table, name, row);
    if (!field)
        return;
    cd_rows *rows;
    int width;
    void *column =
        column_made(f, "cds_put_text", table, name, field->vocab ? CD_BASE_I32 : CD_BASE_TEXT, &rows, &width);
    if (!column)
        return;
    if (!field->vocab) {
        ((const char **)column)[row] = cd_arena_text(&f->ctx->arena, text, strlen(text));
        return;
    }
    int32_t word = cd_vocab_find(field->vocab, text, strlen(text));
    if (word < 0)
        stage_mistake(f, CD_ERR_USAGE, "cds_put_text: %s: %s: %.40s is none of its words", table, name, text);
    else
        ((int32_t *)column)[row] = word;
}

void cds_put_list(cds_frame *f, const char *table, int32_t row, const char *name, const void *items, int32_t count)
{
    const cd_field *field = field_made(f, "cds_put_list", table, name, row);
    if (!field)
        return;
    if (field->depth != 1 || field->base == CD_BASE_TEXT || count < 0) {
        stage_mistake(f, CD_ERR_USAGE, "cds_put_list: %s: %s: it is no list of %d numbers", table, name, count);
        return;
    }
    const cd_record *record;
    size_t width = (size_t)cd_field_width(field, f->ctx->in.dim);
    cds_list_value value = {field, table_made(f, "cds_put_list", table, &record), row, count, NULL};
    void *copy = cd_arena_alloc_array(&f->ctx->arena, (size_t)count * width, cd_base_size(field->base));
    if (count > 0)
        memcpy(copy, items, (size_t)count * width * cd_base_size(field->base));
    value.items = copy;
    cd_list_push(&f->ctx->arena, &f->list, value);
}

void cds_add_metric(cds_frame *f, const char *name, double value, int32_t a, int32_t b)
{
    const cd_record *record;
    if (!table_made(f, "cds_add_metric", "metric", &record))
        return;
    int32_t bodies = f->ctx->in.body.count;
    if ((a >= 0 && !stage_has_row(f, "cds_add_metric", "body", a, bodies)) ||
        (b >= 0 && !stage_has_row(f, "cds_add_metric", "body", b, bodies)))
        return;
    cd_add_metric(f->ctx, cd_arena_text(&f->ctx->arena, name, strlen(name)), value, a, b);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

void cds_add_contact(cds_frame *f, const cds_contact *given)
{
    const cd_record *record;
    if (!table_made(f, "cds_add_contact", "contact", &record) ||
        (given->has_force && !table_made(f, "cds_add_contact", "force", &record)))
        return;
    int32_t bodies = f->ctx->in.body.count;
    if (!stage_has_row(f, "cds_add_contact", "body", given->a[0], bodies) ||
        !stage_has_row(f, "cds_add_contact", "body", given->b[0], bodies))
        return;
    if (given->a[0] == given->b[0]) {
        stage_mistake(f, CD_ERR_USAGE, "cds_add_contact: body %lld: it has a contact with itself",
                      (long long)f->ctx->in.body.id[given->a[0]]);
        return;
    }
    cds_contact c = *given;
    if (f->ctx->in.body.id[c.a[0]] > f->ctx->in.body.id[c.b[0]]) {
        memcpy(c.a, given->b, sizeof c.a);
        memcpy(c.b, given->a, sizeof c.b);
        memcpy(c.point_a, given->point_b, sizeof c.point_a);
        memcpy(c.point_b, given->point_a, sizeof c.point_b);
        c.features[0] = given->features[1];
        c.features[1] = given->features[0];
        for (int k = 0; k < 3; k++) {
            c.normal[k] = -given->normal[k];
            c.force[k] = -given->force[k];
        }
    }
    cd_list_push(&f->ctx->arena, &f->contact, c);
}

// What contacts are sorted by: ids and parts of both sides, features, and the order in which they came.
typedef struct contact_key {
    int64_t id_a, id_b;
    const cds_contact *contact;
} contact_key;

static int compare_contacts(const void *pa, const void *pb)
{
    const contact_key *p = pa, *q = pb;
    const cds_contact *c = p->contact, *d = q->contact;
    int64_t first[] = {p->id_a, c->a[1], p->id_b, c->b[1], c->features[0], c->features[1]};
    int64_t second[] = {q->id_a, d->a[1], q->id_b, d->b[1], d->features[0], d->features[1]};
    for (size_t k = 0; k < sizeof first / sizeof first[0]; k++)
        if (first[k] != second[k])
            return first[k] < second[k] ? -1 : 1;
    return c < d ? -1 : c > d;
}

static void put_contact(cds_frame *f, int32_t row, const cds_contact *c, double epsilon)
{
    double point[3];
    for (int k = 0; k < 3; k++)
        point[k] = (c->point_a[k] + c->point_b[k]) / 2;
    cds_put_ints(f, "contact", row, "a", c->a);
    cds_put_ints(f, "contact", row, "b", c->b);
    cds_put_text(f, "contact", row, "kind", c->kind ? c->kind : "distance");
    cds_put(f, "contact", row, "point", point);
    cds_put(f, "contact", row, "point_a", c->point_a);
    cds_put(f, "contact", row, "point_b", c->point_b);
    cds_put(f, "contact", row, "normal", c->normal);
    cds_put_number(f, "contact", row, "gap", c->gap);
    if (c->features[0] >= 0 || c->features[1] >= 0)
        cds_put_ints(f, "contact", row, "features", c->features);
    cds_put_text(f, "contact", row, "status",
                 c->status ? c->status : cd_words_STATUS[cd_contact_status_of(c->gap, epsilon)]);
    if (!c->has_force)
        return;
    int32_t force = cds_add(f, "force", 1);
    cds_put_ints(f, "force", force, "contact", &row);
    cds_put(f, "force", force, "vector", c->force);
}

static void finish_contacts(cds_frame *f)
{
    int32_t count = f->contact.count;
    contact_key *key = CD_ARENA_ARRAY(&f->ctx->arena, contact_key, count);
    for (int32_t i = 0; i < count; i++) {
        const cds_contact *c = &f->contact.item[i];
        key[i] = (contact_key){f->ctx->in.body.id[c->a[0]], f->ctx->in.body.id[c->b[0]], c};
    }
    qsort(key, (size_t)count, sizeof *key, compare_contacts);
    int32_t first = count > 0 ? cds_add(f, "contact", count) : 0;
    double epsilon = count > 0 ? cds_get_run(f).epsilon : 0;
    for (int32_t i = 0; i < count && f->fault == CD_OK; i++)
        put_contact(f, first + i, key[i].contact, epsilon);
}

// ---- what stands at the end of a frame -----------------------------------------------------------------------------

// All lists of one field, of the rows that were given one; the last one of a row counts.
static void finish_lists_of(cds_frame *f, const cds_list_value *first)
{
    const cd_field *field = first->field;
    cd_arena *arena = &f->ctx->arena;
    size_t size = (size_t)cd_field_width(field, f->ctx->in.dim) * cd_base_size(field->base);
    cd_list *list = cd_field_list(field, first->rows);
    const cds_list_value **of_row = CD_ARENA_ZARRAY(arena, const cds_list_value *, first->rows->count);
    for (int32_t i = 0; i < f->list.count; i++)
        if (f->list.item[i].field == field)
            of_row[f->list.item[i].row] = &f->list.item[i];
    list->offset = CD_ARENA_ARRAY(arena, int32_t, first->rows->count + 1);
    list->offset[0] = 0;
    for (int32_t r = 0; r < first->rows->count; r++)
        list->offset[r + 1] = list->offset[r] + (of_row[r] ? of_row[r]->count : 0);
    list->data = cd_arena_alloc_array(arena, (size_t)list->offset[first->rows->count], size);
    for (int32_t r = 0; r < first->rows->count; r++)
        if (of_row[r] && of_row[r]->count > 0)
            memcpy((char *)list->data + (size_t)list->offset[r] * size, of_row[r]->items,
                   (size_t)of_row[r]->count * size);
}

// Rows must have what every row of their type has: a reader would refuse them otherwise.
static void check_required(cds_frame *f, const cd_record *record, const cd_rows *rows)
{
    for (int32_t k = 0; k < record->field_count && rows->count > 0; k++) {
        const cd_field *field = &record->field[k];
        if (!field->required)
            continue;
        int32_t row = 0;
        bool is_there =
            field->depth == 0 ? *cd_field_column(field, rows) != NULL : cd_field_list(field, rows)->offset != NULL;
        size_t width = (size_t)cd_field_width(field, f->ctx->in.dim);
        while (is_there && field->depth == 0 && row < rows->count &&
               !cd_is_absent(field, (int)width, *cd_field_column(field, rows), (size_t)row * width))
            row++;
        if (!is_there || (field->depth == 0 && row < rows->count))
            stage_mistake(f, CD_ERR_USAGE, "%s: row %d: %s: required, and was not put", record->name, row, field->name);
    }
}

void stage_finish_tables(cds_frame *f)
{
    finish_contacts(f);
    for (int32_t i = 0; i < f->list.count; i++)
        if (!cd_field_list(f->list.item[i].field, f->list.item[i].rows)->offset)
            finish_lists_of(f, &f->list.item[i]);
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_record *record = &cd_records[type];
        cd_rows *rows = cd_model_rows(&f->ctx->out, (cd_record_type)type);
        if (!(f->ctx->writes >> type & 1) || type == CD_REC_metric || rows->count == 0)
            continue;
        if (!cd_record_has_id(record)) {
            check_required(f, record, rows);
            continue;
        }
        int64_t **id = (int64_t **)cd_field_column(&record->field[0], rows);
        if (!*id)
            *id = cd_column_new(&f->ctx->arena, &record->field[0], f->ctx->in.dim, rows->count);
        for (int32_t r = 0; r < rows->count; r++)
            if ((*id)[r] == CD_ABSENT_I64)
                (*id)[r] = r;
        check_required(f, record, rows);
    }
}
