// SPDX-License-Identifier: MIT
#include "mcp_known.h"

#include <math.h>

typedef struct island {
    uint64_t hash;
    size_t bytes;
    const unsigned char *data;  // what its solution depends on
    int32_t count;
    double *z;    // of its members, equilibrated
    double size;  // of its problem
    cd_mcp_island_result result;
    int32_t next;  // with the same place in the table; -1: none
} island;

// The islands of one problem, found by hash.
typedef struct problem {
    cd_arena arena;
    size_t bytes;
    island *island;
    int32_t count, places;  // a power of two
    int32_t *first;         // of each place
} problem;

struct cd_mcp_known {
    problem problem[CD_ISLANDS_PROBLEMS];
    int last;  // the newest; those before it are older, round about
};

cd_mcp_known *cd_mcp_known_make(void)
{
    cd_mcp_known *store = cd_alloc(sizeof *store);
    memset(store, 0, sizeof *store);
    return store;
}

void cd_mcp_known_release(cd_mcp_known *store)
{
    for (int k = 0; store && k < CD_ISLANDS_PROBLEMS; k++)
        cd_arena_release(&store->problem[k].arena);
    cd_free(store);
}

// ---- what a solution depends on ------------------------------------------------------------------------------------

enum { NUMBERS = 4, VALUES = 9, ENTRY = sizeof(double) + sizeof(int32_t) };  // of a row; bytes of an entry

static unsigned char *put(unsigned char *at, const void *data, size_t bytes)
{
    memcpy(at, data, bytes);
    return at + bytes;
}

// place: of each member in its island. What is fixed counts by its value.
static unsigned char *put_row(unsigned char *at, const cd_mcp_problem *p, const int32_t *place, const double *warm,
                              int32_t i)
{
    const bool is_tangent = p->kind[i] == CD_MCP_DISC;
    const int32_t normal = is_tangent ? place[p->m.normal[i]] : -1;
    const int32_t partner = is_tangent && p->m.partner[i] >= 0 ? place[p->m.partner[i]] : -1;
    const int32_t number[NUMBERS] = {(int32_t)p->kind[i], normal, partner, p->m.first[i + 1] - p->m.first[i]};
    const double value[VALUES] = {p->rhs[i],      p->lower[i], p->upper[i], p->mu ? p->mu[i] : 0, p->row_unit[i],
                                  p->col_unit[i], p->m.r[i],   p->m.c[i],   warm ? warm[i] : NAN};
    at = put(put(at, number, sizeof number), value, sizeof value);
    for (int32_t k = p->m.first[i]; k < p->m.first[i + 1]; k++) {
        const int32_t col = p->m.col[k];
        const bool is_fixed = p->kind[col] == CD_MCP_FIXED;
        at = put(put(at, &p->m.value[k], sizeof(double)), is_fixed ? &(int32_t){-1} : &place[col], sizeof(int32_t));
        if (is_fixed)
            at = put(at, &p->lower[col], sizeof(double));
    }
    return at;
}

static size_t most_bytes(const cd_mcp_problem *p, const int32_t *row, int32_t count)
{
    size_t entries = 0;
    for (int32_t k = 0; k < count; k++)
        entries += (size_t)(p->m.first[row[k] + 1] - p->m.first[row[k]]);
    return (size_t)count * (NUMBERS * sizeof(int32_t) + VALUES * sizeof(double)) + entries * (ENTRY + sizeof(double));
}

// Steps like those of FNV-1a, of 64 bits at once, in two lanes of whole words: a step takes each value to another one,
// and the last ones bring the upper bits down.
static uint64_t hash_of(const unsigned char *data, size_t bytes)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t lane[2] = {bytes, 0}, word[2];
    size_t k = 0;
    for (; k + sizeof word <= bytes; k += sizeof word) {
        memcpy(word, data + k, sizeof word);
        lane[0] = (lane[0] ^ word[0]) * factor;
        lane[1] = (lane[1] ^ word[1]) * factor;
    }
    memset(word, 0, sizeof word);
    memcpy(word, data + k, bytes - k);
    uint64_t hash = lane[0] ^ word[0];
    hash = (hash ^ hash >> 32) * factor;
    hash ^= lane[1] ^ word[1];
    hash = (hash ^ hash >> 32) * factor;
    return hash ^ hash >> 29;
}

// ---- the table -----------------------------------------------------------------------------------------------------

static const island *find(const problem *p, const island *wanted, double size, double tolerance)
{
    if (p->count == 0)
        return NULL;
    for (int32_t k = p->first[wanted->hash & (uint64_t)(p->places - 1)]; k >= 0; k = p->island[k].next) {
        const island *known = &p->island[k];
        if (known->hash == wanted->hash && known->bytes == wanted->bytes &&
            memcmp(known->data, wanted->data, wanted->bytes) == 0 &&
            cd_mcp_is_so_at(&known->result, known->size, size, tolerance))
            return known;
    }
    return NULL;
}

static void open_problem(problem *to, int32_t count)
{
    cd_arena_reset(&to->arena);
    to->bytes = 0;
    to->count = count;
    to->island = CD_ARENA_ZARRAY(&to->arena, island, count);
    to->places = 16;
    while (to->places < 2 * count && to->places < INT32_MAX / 2)
        to->places *= 2;
    to->first = CD_ARENA_ARRAY(&to->arena, int32_t, to->places);
    memset(to->first, -1, sizeof *to->first * (size_t)to->places);
}

// Of the newest as many as fit stay.
static void make_room(cd_mcp_known *store)
{
    size_t total = store->problem[store->last].bytes;
    for (int k = 1; k < CD_ISLANDS_PROBLEMS; k++) {
        problem *p = &store->problem[(store->last + CD_ISLANDS_PROBLEMS - k) % CD_ISLANDS_PROBLEMS];
        total += p->bytes;
        if (total <= CD_ISLANDS_BYTES)
            continue;
        cd_arena_release(&p->arena);
        *p = (problem){.count = 0};
    }
}

// Its bytes, and room for z, in the arena of the newest problem. False: there is no room for it.
static bool write_island(problem *now, island *out, const cd_mcp_problem *p, const int32_t *place, const double *warm,
                         const int32_t *row, int32_t count)
{
    const size_t bytes = most_bytes(p, row, count) + sizeof(double) * (size_t)count;
    if (count < CD_ISLANDS_LEAST || bytes > CD_ISLANDS_BYTES - now->bytes)
        return false;
    now->bytes += bytes;
    unsigned char *data = cd_arena_alloc(&now->arena, bytes - sizeof(double) * (size_t)count), *end = data;
    for (int32_t k = 0; k < count; k++)
        end = put_row(end, p, place, warm, row[k]);
    *out = (island){.bytes = (size_t)(end - data), .data = data, .count = count, .size = p->size, .next = -1};
    out->hash = hash_of(out->data, out->bytes);
    out->z = CD_ARENA_ARRAY(&now->arena, double, count);
    return true;
}

void cd_mcp_known_recall(cd_mcp_known *store, const cd_mcp_problem *p, const cd_mcp_islands *islands,
                         const cd_lcp_options *options, bool *is_known, cd_mcp_island_result *result)
{
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    int32_t *place = CD_ARENA_ARRAY(p->arena, int32_t, p->m.n);
    for (int32_t k = 0; k < islands->count; k++)
        for (int32_t i = islands->first[k]; i < islands->first[k + 1]; i++)
            place[islands->row[i]] = i - islands->first[k];
    store->last = (store->last + 1) % CD_ISLANDS_PROBLEMS;
    problem *now = &store->problem[store->last];
    open_problem(now, islands->count);
    for (int32_t k = 0; k < islands->count; k++) {
        const int32_t *row = islands->row + islands->first[k], count = islands->first[k + 1] - islands->first[k];
        const island *known = NULL;
        is_known[k] = false;
        if (!write_island(now, &now->island[k], p, place, options->warm, row, count))
            continue;
        for (int age = 1; age < CD_ISLANDS_PROBLEMS && !known; age++)
            known = find(&store->problem[(store->last + CD_ISLANDS_PROBLEMS - age) % CD_ISLANDS_PROBLEMS],
                         &now->island[k], p->size, options->tolerance);
        if (!known)
            continue;
        is_known[k] = true;
        result[k] = known->result;
        for (int32_t i = 0; i < count; i++)
            p->z[row[i]] = known->z[i];
    }
    cd_arena_rewind(p->arena, mark);
}

void cd_mcp_known_keep(cd_mcp_known *store, const cd_mcp_problem *p, const cd_mcp_islands *islands,
                       const cd_mcp_island_result *result)
{
    problem *now = &store->problem[store->last];
    for (int32_t k = 0; k < islands->count; k++) {
        island *own = &now->island[k];
        if (own->bytes == 0)
            continue;
        own->result = result[k];
        for (int32_t i = 0; i < own->count; i++)
            own->z[i] = p->z[islands->row[islands->first[k] + i]];
        int32_t *first = &now->first[own->hash & (uint64_t)(now->places - 1)];
        own->next = *first;
        *first = k;
    }
    make_room(store);
}
