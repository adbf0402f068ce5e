// SPDX-License-Identifier: MIT
#include "mcp_known.h"

#include <math.h>

typedef struct island {
    uint64_t hash;              // of some numbers of its rows
    const unsigned char *data;  // what its solution depends on; NULL: it is known by its hash alone
    size_t bytes;
    int32_t count;  // of its members; 0: too few
    double *z;      // of its members, equilibrated
    double size;    // of its problem
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
    int vain;  // problems in a row without an island whose hash had come before
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
uint64_t cd_mcp_hash_of(const void *data, size_t bytes)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    const unsigned char *from = data;
    uint64_t lane[2] = {bytes, 0}, word[2];
    size_t k = 0;
    for (; k + sizeof word <= bytes; k += sizeof word) {
        memcpy(word, from + k, sizeof word);
        lane[0] = (lane[0] ^ word[0]) * factor;
        lane[1] = (lane[1] ^ word[1]) * factor;
    }
    memset(word, 0, sizeof word);
    if (k < bytes)  // of nothing there is no address
        memcpy(word, from + k, bytes - k);
    uint64_t hash = lane[0] ^ word[0];
    hash = (hash ^ hash >> 32) * factor;
    hash ^= lane[1] ^ word[1];
    hash = (hash ^ hash >> 32) * factor;
    return hash ^ hash >> 29;
}

// Of the right side and the last entry of each row: what moves has others in each step, and islands that stand alike
// at several places have other entries.
static uint64_t hash_of_rows(const cd_mcp_problem *p, const int32_t *row, int32_t count, double *scratch)
{
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = row[k], end = p->m.first[i + 1];
        scratch[2 * k] = p->rhs[i];
        scratch[2 * k + 1] = end > p->m.first[i] ? p->m.value[end - 1] : 0;
    }
    return cd_mcp_hash_of(scratch, 2 * sizeof *scratch * (size_t)count);
}

// ---- the table -----------------------------------------------------------------------------------------------------

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

// What an island is asked with.
typedef struct question {
    problem *now;  // the newest
    const cd_mcp_problem *p;
    const int32_t *place;
    const cd_lcp_options *options;
} question;

// Its bytes, and room for z, in the arena of the newest problem; where there is no room for it it stays unwritten.
static void write_island(const question *q, const int32_t *row, island *own)
{
    const size_t of_z = sizeof *own->z * (size_t)own->count, bytes = most_bytes(q->p, row, own->count) + of_z;
    if (own->data || bytes > CD_ISLANDS_BYTES - q->now->bytes)
        return;
    q->now->bytes += bytes;
    unsigned char *data = cd_arena_alloc(&q->now->arena, bytes - of_z), *end = data;
    for (int32_t k = 0; k < own->count; k++)
        end = put_row(end, q->p, q->place, q->options->warm, row[k]);
    own->bytes = (size_t)(end - data);
    own->data = data;
    own->z = CD_ARENA_ARRAY(&q->now->arena, double, own->count);
}

// The same island in one problem; NULL: it is not there. Written down when there is one to compare it with. has_come:
// one of its hash is.
static const island *find(const question *q, const problem *in, const int32_t *row, island *own, bool *has_come)
{
    if (in->count == 0)
        return NULL;
    for (int32_t k = in->first[own->hash & (uint64_t)(in->places - 1)]; k >= 0; k = in->island[k].next) {
        const island *known = &in->island[k];
        if (known->hash != own->hash || known->count != own->count)
            continue;
        *has_come = true;
        write_island(q, row, own);
        if (known->data && own->data && known->bytes == own->bytes && memcmp(known->data, own->data, own->bytes) == 0 &&
            cd_mcp_is_so_at(&known->result, known->size, q->p->size, q->options->tolerance))
            return known;
    }
    return NULL;
}

static const island *find_any(const cd_mcp_known *store, const question *q, const int32_t *row, island *own,
                              bool *has_come)
{
    const island *known = NULL;
    for (int age = 1; age < CD_ISLANDS_PROBLEMS && !known; age++)
        known = find(q, &store->problem[(store->last + CD_ISLANDS_PROBLEMS - age) % CD_ISLANDS_PROBLEMS], row, own,
                     has_come);
    return known;
}

void cd_mcp_known_recall(cd_mcp_known *store, const cd_mcp_problem *p, const cd_mcp_islands *islands,
                         const cd_lcp_options *options, bool *is_known, cd_mcp_island_result *result)
{
    cd_arena_mark mark = cd_arena_get_mark(p->arena);
    int32_t *place = CD_ARENA_ARRAY(p->arena, int32_t, p->m.n);
    double *scratch = CD_ARENA_ARRAY(p->arena, double, 2 * (size_t)p->m.n);
    for (int32_t k = 0; k < islands->count; k++)
        for (int32_t i = islands->first[k]; i < islands->first[k + 1]; i++)
            place[islands->row[i]] = i - islands->first[k];
    store->last = (store->last + 1) % CD_ISLANDS_PROBLEMS;
    const question q = {&store->problem[store->last], p, place, options};
    open_problem(q.now, islands->count);
    const bool is_vain = store->vain >= CD_ISLANDS_PROBLEMS;
    bool any_has_come = false;
    for (int32_t k = 0; k < islands->count; k++) {
        const int32_t *row = islands->row + islands->first[k], count = islands->first[k + 1] - islands->first[k];
        is_known[k] = false;
        if (count < CD_ISLANDS_LEAST)
            continue;
        island *own = &q.now->island[k];
        *own = (island){.hash = hash_of_rows(p, row, count, scratch), .count = count, .size = p->size, .next = -1};
        const island *known = find_any(store, &q, row, own, &any_has_come);
        if (!is_vain)
            write_island(&q, row, own);
        if (!known)
            continue;
        is_known[k] = true;
        result[k] = known->result;
        for (int32_t i = 0; i < count; i++)
            p->z[row[i]] = known->z[i];
    }
    store->vain = any_has_come ? 0 : store->vain + 1;
    cd_arena_rewind(p->arena, mark);
}

void cd_mcp_known_keep(cd_mcp_known *store, const cd_mcp_problem *p, const cd_mcp_islands *islands,
                       const cd_mcp_island_result *result)
{
    problem *now = &store->problem[store->last];
    for (int32_t k = 0; k < islands->count; k++) {
        island *own = &now->island[k];
        if (own->count == 0)
            continue;
        own->result = result[k];
        for (int32_t i = 0; i < own->count && own->data; i++)
            own->z[i] = p->z[islands->row[islands->first[k] + i]];
        int32_t *first = &now->first[own->hash & (uint64_t)(now->places - 1)];
        own->next = *first;
        *first = k;
    }
    make_room(store);
}
