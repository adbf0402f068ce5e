// SPDX-License-Identifier: MIT
#include "lcp_known.h"

#include "mcp_known.h"

enum { COLUMNS = 10 };

typedef struct column {
    const void *data;  // NULL: the problem has none
    size_t bytes;
} column;

typedef struct problem {
    cd_arena arena;
    int32_t n;
    uint64_t hash;  // of its right side
    size_t bytes;   // 0: none is kept here
    column column[COLUMNS];
    cd_mcp_solution solution;
} problem;

struct cd_known {
    problem problem[CD_KNOWN_MOST];
    int last;  // the newest; those before it are older, round about
    int vain;  // problems in a row with a right side that was none of those before it
};

cd_known *cd_known_make(void)
{
    cd_known *kept = cd_alloc(sizeof *kept);
    memset(kept, 0, sizeof *kept);
    return kept;
}

void cd_known_release(cd_known *kept)
{
    for (int k = 0; kept && k < CD_KNOWN_MOST; k++)
        cd_arena_release(&kept->problem[k].arena);
    cd_free(kept);
}

// All that a solution depends on beside options; what differs soonest comes first.
static void columns_of(const cd_mcp *mcp, const double *warm, column *out)
{
    const size_t n = (size_t)mcp->n, entries = (size_t)mcp->entry_count;
    const column all[COLUMNS] = {{mcp->rhs, n * sizeof *mcp->rhs},
                                 {mcp->value, entries * sizeof *mcp->value},
                                 {mcp->row, entries * sizeof *mcp->row},
                                 {mcp->col, entries * sizeof *mcp->col},
                                 {mcp->lower, n * sizeof *mcp->lower},
                                 {mcp->upper, n * sizeof *mcp->upper},
                                 {mcp->normal_row, n * sizeof *mcp->normal_row},
                                 {mcp->mu, n * sizeof *mcp->mu},
                                 {mcp->kind, n * sizeof *mcp->kind},
                                 {warm, n * sizeof *warm}};
    memcpy(out, all, sizeof all);
}

uint64_t cd_known_hash(const cd_mcp *mcp)
{
    column all[COLUMNS];
    uint64_t hash[COLUMNS] = {0};
    columns_of(mcp, NULL, all);
    for (int c = 0; c < COLUMNS; c++) {
        if (all[c].data)
            hash[c] = cd_mcp_hash_of(all[c].data, all[c].bytes);
    }
    return cd_mcp_hash_of(hash, sizeof hash);
}

static bool is_same(const column *a, const column *b)
{
    if (!a->data || !b->data)
        return !a->data && !b->data;
    return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

static void *copy_of(const void *data, size_t bytes, cd_arena *arena)
{
    return bytes > 0 ? memcpy(cd_arena_alloc(arena, bytes), data, bytes) : cd_arena_alloc(arena, 1);
}

static cd_mcp_solution copy_of_solution(const cd_mcp_solution *from, int32_t n, cd_arena *arena)
{
    cd_mcp_solution out = *from;
    out.z = copy_of(from->z, (size_t)n * sizeof *from->z, arena);
    out.w = copy_of(from->w, (size_t)n * sizeof *from->w, arena);
    out.row_status = copy_of(from->row_status, (size_t)n * sizeof *from->row_status, arena);
    return out;
}

// A single large problem, which the next one replaces: while that is solved the memory is better used.
static void release_large(cd_known *kept)
{
    problem *last = &kept->problem[kept->last];
    if (last->bytes <= CD_KNOWN_BYTES)
        return;
    cd_arena_release(&last->arena);
    *last = (problem){.hash = last->hash};
}

bool cd_known_recall(cd_known *kept, const cd_mcp *mcp, const double *warm, cd_arena *arena, cd_mcp_solution *out)
{
    column wanted[COLUMNS];
    columns_of(mcp, warm, wanted);
    for (int k = 0; k < CD_KNOWN_MOST; k++) {
        const problem *p = &kept->problem[(kept->last + CD_KNOWN_MOST - k) % CD_KNOWN_MOST];
        bool has = p->bytes > 0 && p->n == mcp->n;
        for (int c = 0; c < COLUMNS && has; c++)
            has = is_same(&p->column[c], &wanted[c]);
        if (!has)
            continue;
        *out = copy_of_solution(&p->solution, mcp->n, arena);
        return true;
    }
    release_large(kept);
    return false;
}

// Of the newest as many as fit stay.
static void make_room(cd_known *kept)
{
    size_t total = kept->problem[kept->last].bytes;
    for (int k = 1; k < CD_KNOWN_MOST; k++) {
        problem *p = &kept->problem[(kept->last + CD_KNOWN_MOST - k) % CD_KNOWN_MOST];
        total += p->bytes;
        if (total > CD_KNOWN_BYTES) {
            cd_arena_release(&p->arena);
            *p = (problem){.hash = p->hash};
        }
    }
}

// May it come again? Where all moves nothing does: then a copy is made of what has come twice.
static bool may_come_again(cd_known *kept, uint64_t hash)
{
    bool has_come = false;
    for (int k = 0; k < CD_KNOWN_MOST; k++)
        has_come = has_come || kept->problem[k].hash == hash;
    kept->vain = has_come ? 0 : kept->vain + 1;
    return kept->vain <= CD_KNOWN_VAIN;
}

void cd_known_keep(cd_known *kept, const cd_mcp *mcp, const double *warm, const cd_mcp_solution *solution)
{
    const size_t n = (size_t)mcp->n;
    const uint64_t hash = cd_mcp_hash_of(mcp->rhs, n * sizeof *mcp->rhs);
    const bool is_kept = may_come_again(kept, hash);
    kept->last = (kept->last + 1) % CD_KNOWN_MOST;
    problem *p = &kept->problem[kept->last];
    cd_arena_reset(&p->arena);
    p->hash = hash;
    p->bytes = 0;
    if (!is_kept)
        return;
    p->n = mcp->n;
    p->bytes = 1 + n * (sizeof *solution->z + sizeof *solution->w + sizeof *solution->row_status);
    columns_of(mcp, warm, p->column);
    for (int c = 0; c < COLUMNS; c++) {
        if (!p->column[c].data)
            continue;
        p->column[c].data = copy_of(p->column[c].data, p->column[c].bytes, &p->arena);
        p->bytes += p->column[c].bytes;
    }
    p->solution = copy_of_solution(solution, mcp->n, &p->arena);
    make_room(kept);
}
