// SPDX-License-Identifier: MIT
#include "merge_table.h"

#include "cd_rows.h"

#include <inttypes.h>

// ---- the heap ------------------------------------------------------------------------------------------------------

static bool is_before(const cd_merge *m, int32_t a, int32_t b)
{
    const uint64_t *x = m->source[a].key, *y = m->source[b].key;
    if (x[0] != y[0])
        return x[0] < y[0];
    return x[1] != y[1] ? x[1] < y[1] : a < b;
}

static void push(cd_merge *m, int32_t source)
{
    int32_t at = m->heaped++;
    for (; at > 0 && is_before(m, source, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = source;
}

static int32_t pop(cd_merge *m)
{
    int32_t least = m->heap[0], last = m->heap[--m->heaped], at = 0;
    for (int32_t below; (below = 2 * at + 1) < m->heaped; at = below) {
        below += below + 1 < m->heaped && is_before(m, m->heap[below + 1], m->heap[below]);
        if (!is_before(m, m->heap[below], last))
            break;
        m->heap[at] = m->heap[below];
    }
    m->heap[at] = last;
    return least;
}

// ---- writing -------------------------------------------------------------------------------------------------------

static void place_sites(const cd_merge_source *source, int32_t *sites, int32_t count)
{
    for (int32_t i = 0; sites && i < count; i++)
        sites[2 * (size_t)i] = cd_merge_place(source, sites[2 * (size_t)i]);
}

// The batch's rows of one source, with references to merged rows.
static void take_rows(cd_merge *m, cd_record_type type, int32_t number, const int32_t *row, int32_t count,
                      cd_model *part)
{
    const cd_merge_source *source = &m->source[number];
    cd_rows *rows = (cd_rows *)part;
    cd_rows_select(&m->ctx->arena, &cd_records[type], m->dim, rows, &source->table.rows, row, count);
    if (type == CD_REC_bounds)
        place_sites(source, ((cd_bounds_rows *)rows)->a, count);
    if (type == CD_REC_pair) {
        place_sites(source, ((cd_pair_rows *)rows)->a, count);
        place_sites(source, ((cd_pair_rows *)rows)->b, count);
    }
    if (type == CD_REC_contact) {
        place_sites(source, ((cd_contact_rows *)rows)->a, count);
        place_sites(source, ((cd_contact_rows *)rows)->b, count);
    }
}

// All rows of the batch, first those of one source, then of the next, and then in their order.
static void gather_batch(cd_merge *m, cd_record_type type, cd_model *merged)
{
    cd_arena *arena = &m->ctx->arena;
    const cd_record *record = &cd_records[type];
    int32_t count = m->batch.count, *row = CD_ARENA_ARRAY(arena, int32_t, count);
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)m->count + 1), *at = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        first[m->batch.source[i] + 1]++;
    for (int32_t s = 0; s < m->count; s++)
        first[s + 1] += first[s];
    int32_t *next = CD_ARENA_ARRAY(arena, int32_t, m->count);
    memcpy(next, first, (size_t)m->count * sizeof *next);
    for (int32_t i = 0; i < count; i++) {
        at[i] = next[m->batch.source[i]]++;
        row[at[i]] = m->batch.row[i];
    }
    cd_model *all = cd_arena_zalloc(arena, sizeof *all), *part = cd_arena_zalloc(arena, sizeof *part);
    for (int32_t s = 0; s < m->count; s++) {
        if (first[s] == first[s + 1])
            continue;
        take_rows(m, type, s, row + first[s], first[s + 1] - first[s], part);
        cd_rows_append(arena, record, m->dim, (cd_rows *)all, (cd_rows *)part);
    }
    cd_rows_select(arena, record, m->dim, (cd_rows *)merged, (cd_rows *)all, at, count);
}

static cd_status write_batch(cd_merge *m, cd_record_type type)
{
    cd_ctx *ctx = m->ctx;
    if (m->batch.count == 0)
        return CD_OK;
    cd_arena_reset(&ctx->arena);
    cd_model *merged = cd_arena_zalloc(&ctx->arena, sizeof *merged);
    gather_batch(m, type, merged);
    if (type == CD_REC_body)
        CD_TRY(cd_refs_add_table(&m->refs, CD_REC_body, (cd_rows *)merged, &ctx->diag));
    for (int32_t i = 0; type == CD_REC_contact && i < m->batch.count; i++)
        ((cd_contact_rows *)merged)->id[i] = m->contacts++;
    m->batch.count = 0;
    return cd_writer_rows(ctx->writer, type, m->dim, &m->refs, (cd_rows *)merged, &ctx->diag);
}

// ---- rows that several sources have --------------------------------------------------------------------------------

// Sites differ by source, and ids of contacts are of a shard: the keys have compared what they mean.
static bool is_compared(const cd_field *field)
{
    return field->depth == 0 && field->kind != CD_KIND_SITE && field->kind != CD_KIND_ID && field->type != CD_TYPE_I64;
}

static bool values_are_equal(const cd_field *field, int dim, const cd_merge_source *a, const cd_merge_source *b)
{
    size_t width = (size_t)cd_field_width(field, dim), size = width * cd_base_size(field->base);
    const char *x = *cd_field_column(field, &a->table.rows), *y = *cd_field_column(field, &b->table.rows);
    bool has_x = x && !cd_is_absent(field, (int)width, x, width * (size_t)a->row);
    bool has_y = y && !cd_is_absent(field, (int)width, y, width * (size_t)b->row);
    if (!has_x || !has_y)
        return has_x == has_y;
    if (field->base == CD_BASE_TEXT)
        return !strcmp(((const char *const *)x)[a->row], ((const char *const *)y)[b->row]);
    return !memcmp(x + size * (size_t)a->row, y + size * (size_t)b->row, size);
}

static cd_status compare_rows(cd_merge *m, cd_record_type type, const cd_merge_source *a, const cd_merge_source *b)
{
    const cd_record *record = &cd_records[type];
    for (int32_t f = 0; f < record->field_count; f++)
        if (is_compared(&record->field[f]) && !values_are_equal(&record->field[f], m->dim, a, b))
            return cd_merge_fail(m->ctx, b, "%s: %s differs from that of the same row in %s", record->name,
                                 record->field[f].name, a->name);
    const char *x = a->table.rows.json ? a->table.rows.json[a->row] : NULL,
               *y = b->table.rows.json ? b->table.rows.json[b->row] : NULL;
    if (strcmp(x ? x : "", y ? y : ""))
        return cd_merge_fail(m->ctx, b, "%s: unknown members differ from those of the same row in %s", record->name,
                             a->name);
    return CD_OK;
}

// ---- what is looked after ------------------------------------------------------------------------------------------

cd_status cd_merge_check_halo(cd_merge *m)
{
    if (m->body < 0)
        return CD_OK;
    const cd_shard_grid *grid = &m->source[0].grid;
    cd_shard_range range = cd_shard_grid_range(grid, m->min, m->max);
    int32_t cell[3];
    memcpy(cell, range.low, sizeof cell);
    do {
        int32_t index = cd_shard_grid_index(grid, cell);
        if (!m->has_body[index])
            return cd_fail(&m->ctx->diag, CD_ERR_FORMAT,
                           "the halo is too small: the bounds of body %" PRId64
                           " reach into shard %d, which has it not",
                           cd_refs_id(&m->refs, CD_REC_body, m->body), (int)index);
    } while (cd_shard_range_next(&range, m->dim, cell));
    return CD_OK;
}

static cd_status take_bounds(cd_merge *m, int32_t alike)
{
    const cd_merge_source *lead = &m->source[m->alike[0]];
    const cd_bounds_rows *rows = (const cd_bounds_rows *)&lead->table;
    int32_t body = (int32_t)(lead->key[0] >> 32);
    size_t dim = (size_t)m->dim, row = (size_t)lead->row;
    if (body != m->body) {
        CD_TRY(cd_merge_check_halo(m));
        m->body = body;
        memset(m->has_body, 0, (size_t)cd_shard_grid_cells(&lead->grid));
        for (int k = 0; k < m->dim; k++) {
            m->min[k] = INFINITY;
            m->max[k] = -INFINITY;
        }
    }
    for (int32_t i = 0; i < alike; i++)
        m->has_body[m->source[m->alike[i]].index] = 1;
    for (size_t k = 0; k < dim; k++) {
        m->min[k] = fmin(m->min[k], rows->min[dim * row + k]);
        m->max[k] = fmax(m->max[k], rows->max[dim * row + k]);
    }
    return CD_OK;
}

static cd_status take_body(cd_merge *m, int32_t alike)
{
    const cd_merge_source *lead = &m->source[m->alike[0]];
    if (m->bodies == INT32_MAX - 1)
        return cd_fail(&m->ctx->diag, CD_ERR_LIMIT, "body: more rows than a table can have");
    for (int32_t i = 0; i < alike; i++) {
        cd_merge_source *source = &m->source[m->alike[i]];
        int32_t row = source->bodies - source->table.rows.count + source->row;
        source->place[row] = (int32_t)m->bodies;
    }
    m->seal = cd_shard_seal(m->seal, (const cd_body_rows *)&lead->table, m->dim, lead->row);
    m->bodies++;
    return CD_OK;
}

// ---- merging -------------------------------------------------------------------------------------------------------

static cd_status begin_source(cd_merge *m, int32_t number)
{
    cd_merge_source *source = &m->source[number];
    cd_record_type type = source->chunk.type;
    for (;;) {
        CD_TRY(cd_merge_load(m->ctx, source));
        if (source->table.rows.count > 0)
            break;
        CD_TRY(cd_merge_next_chunk(m->ctx, source));
        if (source->chunk.type != type)
            return CD_OK;
    }
    push(m, number);
    return CD_OK;
}

// The row where the sources of m->alike stand: checked, put into the batch, and left behind. *alike: how many stand at
// one more row of the same key.
static cd_status take_row(cd_merge *m, cd_record_type type, int32_t *alike)
{
    cd_merge_source *lead = &m->source[m->alike[0]];
    uint64_t key[] = {lead->key[0], lead->key[1]};
    for (int32_t i = 1; i < *alike; i++)
        CD_TRY(compare_rows(m, type, lead, &m->source[m->alike[i]]));
    if (type == CD_REC_body)
        CD_TRY(take_body(m, *alike));
    if (type == CD_REC_bounds)
        CD_TRY(take_bounds(m, *alike));
    m->batch.source[m->batch.count] = m->alike[0];
    m->batch.row[m->batch.count++] = lead->row;
    int32_t remain = 0;
    for (int32_t i = 0, count = *alike; i < count; i++) {
        cd_merge_source *source = &m->source[m->alike[i]];
        bool is_open;
        if (m->batch.count == CD_MERGE_BATCH || source->row + 1 >= source->table.rows.count)
            CD_TRY(write_batch(m, type));
        CD_TRY(cd_merge_advance(m->ctx, source, &is_open));
        bool has_more = is_open && source->key[0] == key[0] && source->key[1] == key[1];
        if (has_more)
            m->alike[remain++] = m->alike[i];
        else if (is_open)
            push(m, m->alike[i]);
        if (has_more != (remain == i + 1) || (i > 0 && !has_more && remain > 0))
            return cd_merge_fail(m->ctx, source, "%s: not as many rows of two parts as in other shards",
                                 cd_records[type].name);
    }
    *alike = remain;
    return CD_OK;
}

cd_status cd_merge_table(cd_merge *m, cd_record_type type)
{
    m->heaped = 0;
    for (int32_t i = 0; i < m->count; i++)
        if (m->source[i].chunk.type == type)
            CD_TRY(begin_source(m, i));
    while (m->heaped > 0) {
        int32_t alike = 0;
        m->alike[alike++] = pop(m);
        const cd_merge_source *lead = &m->source[m->alike[0]];
        while (m->heaped > 0 && m->source[m->heap[0]].key[0] == lead->key[0] &&
               m->source[m->heap[0]].key[1] == lead->key[1])
            m->alike[alike++] = pop(m);
        while (alike > 0)
            CD_TRY(take_row(m, type, &alike));
    }
    return write_batch(m, type);
}
