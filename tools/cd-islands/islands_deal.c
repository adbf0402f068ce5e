// SPDX-License-Identifier: MIT
#include "islands_deal.h"

#include "cd_row_refs.h"
#include "cd_rows.h"

// In the order of references.
static const cd_record_type dealt[] = {CD_REC_body, CD_REC_contact, CD_REC_constraint, CD_REC_row, CD_REC_entry};
enum { DEALT = sizeof dealt / sizeof dealt[0] };

typedef struct choice {
    const cd_islands_deal *deal;
    int32_t part;
} choice;

static bool join_part(void *context, cd_record_type target, int32_t row)
{
    choice *of = context;
    int32_t part = of->deal->part[target] ? of->deal->part[target][row] : CD_ISLANDS_ALL;
    if (part == CD_ISLANDS_ALL)
        return true;
    of->part = of->part == CD_ISLANDS_ALL || of->part == part ? part : CD_ISLANDS_NONE;
    return of->part != CD_ISLANDS_NONE;
}

static int32_t *parts_of_rows(cd_arena *arena, const cd_islands_deal *deal, cd_record_type type, const cd_rows *rows)
{
    int32_t *part = CD_ARENA_ARRAY(arena, int32_t, rows->count);
    for (int32_t i = 0; i < rows->count; i++) {
        choice of = {deal, CD_ISLANDS_ALL};
        (void)cd_row_visit_refs(type, rows, i, join_part, &of);
        part[i] = of.part;
    }
    return part;
}

// Counting sort by part, those of all parts last.
static void sort_rows(cd_arena *arena, cd_islands_deal *deal, cd_record_type type, int32_t count)
{
    const int32_t *part = deal->part[type];
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)deal->parts + 2);
    for (int32_t i = 0; i < count; i++)
        if (part[i] != CD_ISLANDS_NONE)
            first[(part[i] == CD_ISLANDS_ALL ? deal->parts : part[i]) + 1]++;
    for (int32_t p = 0; p <= deal->parts; p++)
        first[p + 1] += first[p];
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, count), *next = CD_ARENA_ARRAY(arena, int32_t, deal->parts + 1);
    memcpy(next, first, ((size_t)deal->parts + 1) * sizeof *next);
    for (int32_t i = 0; i < count; i++)
        if (part[i] != CD_ISLANDS_NONE)
            row[next[part[i] == CD_ISLANDS_ALL ? deal->parts : part[i]]++] = i;
    deal->first[type] = first;
    deal->row[type] = row;
}

void cd_islands_deal_make(cd_arena *arena, const cd_model *in, const cd_islands *islands, int32_t parts,
                          cd_islands_deal *deal)
{
    *deal = (cd_islands_deal){.parts = parts};
    for (int t = 0; t < DEALT; t++) {
        cd_record_type type = dealt[t];
        const cd_rows *rows = cd_model_rows((cd_model *)in, type);
        deal->part[type] = type == CD_REC_body ? islands->part : parts_of_rows(arena, deal, type, rows);
        deal->place[type] = CD_ARENA_ARRAY(arena, int32_t, rows->count);
        sort_rows(arena, deal, type, rows->count);
    }
}

// Rows of the part and of all parts, ascending.
static int32_t *merge_rows(cd_arena *arena, const cd_islands_deal *deal, cd_record_type type, int32_t part,
                           int32_t *count)
{
    const int32_t *row = deal->row[type], *first = deal->first[type];
    int32_t own = first[part], all = first[deal->parts], own_end = first[part + 1], all_end = first[deal->parts + 1];
    int32_t *merged = CD_ARENA_ARRAY(arena, int32_t, own_end - own + all_end - all);
    for (*count = 0; own < own_end || all < all_end; (*count)++)
        merged[*count] = all == all_end || (own < own_end && row[own] < row[all]) ? row[own++] : row[all++];
    return merged;
}

void cd_islands_take(cd_arena *arena, const cd_model *in, const cd_islands_deal *deal, int32_t part, cd_model *out)
{
    memset(out, 0, sizeof *out);
    out->dim = in->dim;
    out->frame = in->frame;
    for (int t = 0; t < DEALT; t++) {
        cd_record_type type = dealt[t];
        cd_rows *rows = cd_model_rows(out, type);
        int32_t count, *row = merge_rows(arena, deal, type, part, &count);
        for (int32_t i = 0; i < count; i++)
            deal->place[type][row[i]] = i;
        cd_rows_select(arena, &cd_records[type], in->dim, rows, cd_model_rows((cd_model *)in, type), row, count);
        cd_rows_renumber(type, rows, deal->place);
    }
}
