// SPDX-License-Identifier: MIT
#include "mcp_parts.h"

#include "lcp_power.h"
#include "lcp_vector.h"

#include <math.h>

// What a part adds to what all have in common.
typedef struct part {
    int32_t rows;
    double size, worst;
    cd_mcp_joint joint;
} part;

typedef struct island {
    int32_t row, part;  // its lowest row
    cd_mcp_island_result result;
} island;

struct cd_mcp_parts {
    cd_arena arena;
    cd_mcp mcp;  // entry lists without `row`
    const double *warm;
    int32_t *first;  // n + 1
    int32_t *part_of, *island_of;
    part *part;
    island *island;
    int32_t part_count, island_count;
    cd_mcp_joint joint;  // of all
    double size, *z, *w;
    cd_arena seen_arena;
    uint64_t *seen;  // the right sides of the last problem that was solved as a whole, found by hash; 0: an empty place
    uint64_t places;  // a power of two
    int vain;         // such problems in a row that had little in common with the one before
};

cd_mcp_parts *cd_mcp_parts_make(void)
{
    cd_mcp_parts *store = cd_alloc(sizeof *store);
    memset(store, 0, sizeof *store);
    return store;
}

void cd_mcp_parts_release(cd_mcp_parts *store)
{
    if (store) {
        cd_arena_release(&store->arena);
        cd_arena_release(&store->seen_arena);
    }
    cd_free(store);
}

// ---- rows beside rows ----------------------------------------------------------------------------------------------

// Where rows were put in or taken out, or have changed: so many on both sides together are passed over at once, and so
// many times is it tried where nothing fits.
enum { AHEAD = 36, SURE = 3, FAILURES_MOST = 32 };

static bool same_number(const double *a, int32_t i, const double *b, int32_t j)
{
    return !a || memcmp(a + i, b + j, sizeof *a) == 0;
}

// All of a row but which columns its entries have.
static bool same_numbers(const cd_mcp_match *m, int32_t i, int32_t j)
{
    const cd_mcp *a = m->mcp, *b = &m->store->mcp;
    const int32_t begin = m->first[i], from = m->store->first[j], count = m->first[i + 1] - begin;
    return count == m->store->first[j + 1] - from && same_number(a->rhs, i, b->rhs, j) &&
           same_number(a->lower, i, b->lower, j) && same_number(a->upper, i, b->upper, j) &&
           same_number(a->mu, i, b->mu, j) && same_number(m->warm, i, m->store->warm, j) &&
           (!a->kind || a->kind[i] == b->kind[j]) &&
           memcmp(a->value + begin, b->value + from, sizeof *a->value * (size_t)count) == 0;
}

// to: the row of mcp of each kept one; -1: none, or not yet.
static bool same_columns_before(const cd_mcp_match *m, const int32_t *to, int32_t i, int32_t j)
{
    const int32_t *a = m->mcp->col + m->first[i], *b = m->store->mcp.col + m->store->first[j];
    for (int32_t k = 0; k < m->first[i + 1] - m->first[i]; k++) {
        if (b[k] < j && to[b[k]] >= 0 && to[b[k]] != a[k])
            return false;
    }
    return true;
}

static bool all_fit(const cd_mcp_match *m, const int32_t *to, int32_t i, int32_t j)
{
    int32_t k = 0;
    for (; k < SURE && i + k < m->mcp->n && j + k < m->store->mcp.n; k++) {
        if (!same_numbers(m, i + k, j + k) || !same_columns_before(m, to, i + k, j + k))
            return false;
    }
    return k == SURE || (i + k == m->mcp->n && j + k == m->store->mcp.n);
}

// Of rows that do not fit nearly all differ in their first number: where all moves, 20,000 pairs are tried.
static inline bool fits(const cd_mcp_match *m, const int32_t *to, int32_t i, int32_t j)
{
    const bool are_rows = i < m->mcp->n && j < m->store->mcp.n;
    return (!are_rows || same_number(m->mcp->rhs, i, m->store->mcp.rhs, j)) && all_fit(m, to, i, j);
}

// Rows that have changed sooner than rows that came or went.
static bool find_next(const cd_mcp_match *m, const int32_t *to, int32_t *i, int32_t *j)
{
    for (int32_t s = 1; s <= AHEAD / 2; s++) {
        if (fits(m, to, *i + s, *j + s)) {
            *i += s;
            *j += s;
            return true;
        }
    }
    for (int32_t s = 1; s <= AHEAD; s++) {
        for (int32_t a = 0; a <= s; a++) {
            if (fits(m, to, *i + a, *j + s - a)) {
                *i += a;
                *j += s - a;
                return true;
            }
        }
    }
    return false;
}

static bool lay_beside(const cd_mcp_match *m, int32_t *to)
{
    int32_t failures = 0;
    for (int32_t i = 0, j = 0; i < m->mcp->n && j < m->store->mcp.n;) {
        if (same_numbers(m, i, j)) {
            m->from[i] = j;
            to[j++] = i++;
        } else if (!find_next(m, to, &i, &j)) {
            i++;
            j++;
            if (++failures > FAILURES_MOST)
                return false;
        }
    }
    return true;
}

// ---- which parts hold ----------------------------------------------------------------------------------------------

static bool same_pair(const cd_mcp_match *m, int32_t i, int32_t j)
{
    return cd_mcp_is_second_tangent(m->mcp, i) == cd_mcp_is_second_tangent(&m->store->mcp, j);
}

// Whether row i refers to the rows that row j referred to.
static bool same_references(const cd_mcp_match *m, const int32_t *to, int32_t i, int32_t j)
{
    const cd_mcp *a = m->mcp, *b = &m->store->mcp;
    const int32_t *col = a->col + m->first[i], *kept = b->col + m->store->first[j],
                  count = m->first[i + 1] - m->first[i];
    int32_t differ = 0;
    for (int32_t k = 0; k < count; k++)
        differ |= to[kept[k]] ^ col[k];
    if (differ != 0 || !a->normal_row)
        return differ == 0;
    const int32_t normal = b->normal_row[j];
    return (normal < 0 ? normal : to[normal]) == a->normal_row[i] && same_pair(m, i, j);
}

static bool is_known(const cd_mcp_match *m, int32_t i)
{
    return m->from[i] >= 0 && m->holds[m->store->part_of[m->from[i]]];
}

static void let_go(const cd_mcp_match *m, int32_t i)
{
    if (m->from[i] >= 0)
        m->holds[m->store->part_of[m->from[i]]] = false;
}

static void find_parts(const cd_mcp_match *m, const int32_t *to)
{
    const cd_mcp_parts *store = m->store;
    for (int32_t k = 0; k < store->part_count; k++)
        m->holds[k] = true;
    for (int32_t j = 0; j < store->mcp.n; j++) {
        bool *holds = &m->holds[store->part_of[j]];
        *holds = *holds && to[j] >= 0 && same_references(m, to, to[j], j);
    }
    // A part that others refer to now. What it lets go refers to itself alone, so once is enough.
    for (int32_t i = 0; i < m->mcp->n; i++) {
        if (is_known(m, i))
            continue;
        for (int32_t k = m->first[i]; k < m->first[i + 1]; k++)
            let_go(m, m->mcp->col[k]);
        if (m->mcp->normal_row && m->mcp->normal_row[i] >= 0)
            let_go(m, m->mcp->normal_row[i]);
    }
}

// Parts that hold: what they have in common with the rest; rows of others are not known.
static void settle(cd_mcp_match *m)
{
    const cd_mcp_parts *store = m->store;
    m->beside = (cd_mcp_spread){.row_turn = NULL};
    m->size = m->worst = 0;
    for (int32_t i = 0; i < m->mcp->n; i++)
        m->from[i] = is_known(m, i) ? m->from[i] : -1;
    for (int32_t k = 0; k < store->part_count; k++) {
        const part *p = &store->part[k];
        if (!m->holds[k])
            continue;
        m->size = cd_larger(m->size, p->size);
        m->worst = fmax(m->worst, p->worst);
        for (int turn = 0; turn < CD_MCP_SPREADS; turn++) {
            m->beside.joint.row[turn] = cd_larger(m->beside.joint.row[turn], p->joint.row[turn]);
            m->beside.joint.col[turn] = cd_larger(m->beside.joint.col[turn], p->joint.col[turn]);
        }
    }
}

// Tangents of one disc that stood apart would be its pair among the rest alone.
static bool makes_pairs(const cd_mcp_match *m)
{
    const int32_t *normal = m->mcp->normal_row;
    for (int32_t i = 0, last = -1; i < m->mcp->n && normal; i++) {
        if (m->from[i] >= 0)
            continue;
        if (last >= 0 && last < i - 1 && normal[i] >= 0 && normal[last] == normal[i])
            return true;
        last = i;
    }
    return false;
}

static bool has_enough(const cd_mcp_match *m)
{
    int64_t known = 0;
    for (int32_t i = 0; i < m->mcp->n; i++)
        known += m->from[i] >= 0 ? m->first[i + 1] - m->first[i] : 0;
    return 2 * known > m->mcp->entry_count && !makes_pairs(m);
}

// Entries of the rows; false: they do not come row by row.
static bool find_rows(const cd_mcp *mcp, int32_t *first)
{
    int32_t row = 0;
    first[0] = 0;
    for (int32_t k = 0; k < mcp->entry_count; k++) {
        if (mcp->row[k] < row)
            return false;
        while (row < mcp->row[k])
            first[++row] = k;
    }
    while (row < mcp->n)
        first[++row] = mcp->entry_count;
    return true;
}

bool cd_mcp_parts_match(const cd_mcp_parts *store, const cd_mcp *mcp, const cd_lcp_options *options, cd_arena *arena,
                        cd_mcp_match *out)
{
    const cd_mcp *kept = &store->mcp;
    if (!store->part || mcp->entry_count < CD_PARTS_ENTRIES || !mcp->normal_row != !kept->normal_row ||
        !mcp->mu != !kept->mu || !mcp->kind != !kept->kind || !options->warm != !store->warm)
        return false;
    const size_t n = (size_t)mcp->n;
    *out = (cd_mcp_match){.store = store,
                          .mcp = mcp,
                          .warm = options->warm,
                          .first = CD_ARENA_ARRAY(arena, int32_t, n + 1),
                          .from = CD_ARENA_ARRAY(arena, int32_t, n),
                          .holds = CD_ARENA_ARRAY(arena, bool, store->part_count)};
    if (!find_rows(mcp, out->first))
        return false;
    int32_t *to = CD_ARENA_ARRAY(arena, int32_t, kept->n);
    memset(out->from, -1, sizeof *out->from * n);
    memset(to, -1, sizeof *to * (size_t)kept->n);
    if (!lay_beside(out, to))
        return false;
    find_parts(out, to);
    settle(out);
    return has_enough(out);
}

static bool same_powers(const double *own, const double *then, const double *now)
{
    for (int turn = 0; turn < CD_MCP_SPREADS; turn++) {
        if (own[turn] > 0 && cd_lcp_power_for(then[turn]) != cd_lcp_power_for(now[turn]))
            return false;
    }
    return true;
}

bool cd_mcp_parts_drop(cd_mcp_match *m, const cd_mcp_problem *rest, const cd_lcp_options *options)
{
    const cd_mcp_parts *store = m->store;
    const cd_mcp_joint *now = &rest->m.spread->joint;
    bool any = false;
    for (int32_t k = 0; k < store->island_count; k++) {
        bool *holds = &m->holds[store->island[k].part];
        if (*holds && !cd_mcp_is_so_at(&store->island[k].result, store->size, rest->size, options->tolerance)) {
            *holds = false;
            any = true;
        }
    }
    for (int32_t k = 0; k < store->part_count; k++) {
        const cd_mcp_joint *own = &store->part[k].joint;
        if (m->holds[k] &&
            !(same_powers(own->row, store->joint.row, now->row) && same_powers(own->col, store->joint.col, now->col))) {
            m->holds[k] = false;
            any = true;
        }
    }
    if (any)
        settle(m);
    return any;
}

// ---- the rest ------------------------------------------------------------------------------------------------------

static void *pick(const void *from, size_t size, const int32_t *row, int32_t count, cd_arena *arena)
{
    if (!from)
        return NULL;
    char *out = cd_arena_alloc(arena, size * (size_t)count);
    for (int32_t k = 0; k < count; k++)
        memcpy(out + size * (size_t)k, (const char *)from + size * (size_t)row[k], size);
    return out;
}

cd_mcp_rest cd_mcp_parts_rest(const cd_mcp_match *m, const double *guess, cd_arena *arena)
{
    const cd_mcp *a = m->mcp;
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, a->n), *place = CD_ARENA_ARRAY(arena, int32_t, a->n);
    int32_t n = 0, entries = 0;
    for (int32_t i = 0; i < a->n; i++) {
        if (m->from[i] >= 0)
            continue;
        place[i] = n;
        row[n++] = i;
        entries += m->first[i + 1] - m->first[i];
    }
    int32_t *entry_row = CD_ARENA_ARRAY(arena, int32_t, entries), *col = CD_ARENA_ARRAY(arena, int32_t, entries),
            count = 0;
    double *value = CD_ARENA_ARRAY(arena, double, entries);
    int32_t *normal = pick(a->normal_row, sizeof *normal, row, n, arena);
    for (int32_t r = 0; r < n; r++) {
        for (int32_t k = m->first[row[r]]; k < m->first[row[r] + 1]; k++) {
            entry_row[count] = r;
            col[count] = place[a->col[k]];
            value[count++] = a->value[k];
        }
        if (normal && normal[r] >= 0)
            normal[r] = place[normal[r]];
    }
    return (cd_mcp_rest){.mcp = {.n = n,
                                 .entry_count = entries,
                                 .row = entry_row,
                                 .col = col,
                                 .value = value,
                                 .rhs = pick(a->rhs, sizeof *a->rhs, row, n, arena),
                                 .lower = pick(a->lower, sizeof *a->lower, row, n, arena),
                                 .upper = pick(a->upper, sizeof *a->upper, row, n, arena),
                                 .normal_row = normal,
                                 .mu = pick(a->mu, sizeof *a->mu, row, n, arena),
                                 .kind = pick(a->kind, sizeof *a->kind, row, n, arena)},
                         .row = row,
                         .warm = pick(m->warm, sizeof *m->warm, row, n, arena),
                         .guess = pick(guess, sizeof *guess, row, n, arena)};
}

int32_t cd_mcp_parts_recall(const cd_mcp_match *m, double *z, double *w, cd_lcp_status *status, cd_mcp_met **out,
                            cd_arena *arena)
{
    const cd_mcp_parts *store = m->store;
    cd_mcp_met *met = CD_ARENA_ARRAY(arena, cd_mcp_met, store->island_count);
    int32_t count = 0;
    for (int32_t i = 0; i < m->mcp->n; i++) {
        const int32_t j = m->from[i];
        if (j < 0)
            continue;
        z[i] = store->z[j];
        w[i] = store->w[j];
        if (store->island_of[j] < 0)
            continue;
        const island *own = &store->island[store->island_of[j]];
        status[i] = own->result.status;
        if (own->row == j)
            met[count++] = (cd_mcp_met){i, own->result};
    }
    *out = met;
    return count;
}

// ---- keeping -------------------------------------------------------------------------------------------------------

static void *copy(const void *from, size_t size, int32_t count, cd_arena *arena)
{
    return from ? memcpy(cd_arena_alloc(arena, size * (size_t)count + 1), from, size * (size_t)count) : NULL;
}

// The place of a finite number, or that where it would go.
static uint64_t *place_of(const cd_mcp_parts *store, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits = ~bits;  // 0 is that of no number
    uint64_t at = bits * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (store->seen[at & (store->places - 1)] != 0 && store->seen[at & (store->places - 1)] != bits)
        at++;
    return &store->seen[at & (store->places - 1)];
}

static bool has_half_come_before(const cd_mcp_parts *store, const cd_mcp *mcp)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < mcp->n && store->seen; i++)
        rows += *place_of(store, mcp->rhs[i]) != 0;
    return 2 * rows >= mcp->n;
}

static void see(cd_mcp_parts *store, const cd_mcp *mcp)
{
    cd_arena_reset(&store->seen_arena);
    for (store->places = 16; store->places < 2 * (uint64_t)mcp->n;)
        store->places *= 2;
    store->seen = CD_ARENA_ZARRAY(&store->seen_arena, uint64_t, store->places);
    for (int32_t i = 0; i < mcp->n; i++) {
        uint64_t bits, *place = place_of(store, mcp->rhs[i]);
        memcpy(&bits, &mcp->rhs[i], sizeof bits);
        *place = ~bits;
    }
}

bool cd_mcp_parts_wants(cd_mcp_parts *store, const cd_mcp *mcp)
{
    enum { ROW = 128, ENTRY = sizeof(double) + sizeof(int32_t) };
    store->part = NULL;
    if (mcp->entry_count < CD_PARTS_ENTRIES ||
        (int64_t)mcp->entry_count * ENTRY + (int64_t)mcp->n * ROW > CD_PARTS_BYTES)
        return false;
    store->vain = has_half_come_before(store, mcp) ? 0 : store->vain + 1;
    see(store, mcp);
    return store->vain <= CD_PARTS_VAIN;
}

static void copy_problem(cd_mcp_parts *store, const cd_mcp *mcp, const double *warm, const cd_mcp_solution *solution)
{
    cd_arena *arena = &store->arena;
    const int32_t n = mcp->n;
    store->mcp = *mcp;
    store->mcp.row = NULL;
    store->mcp.col = copy(mcp->col, sizeof *mcp->col, mcp->entry_count, arena);
    store->mcp.value = copy(mcp->value, sizeof *mcp->value, mcp->entry_count, arena);
    store->mcp.rhs = copy(mcp->rhs, sizeof *mcp->rhs, n, arena);
    store->mcp.lower = copy(mcp->lower, sizeof *mcp->lower, n, arena);
    store->mcp.upper = copy(mcp->upper, sizeof *mcp->upper, n, arena);
    store->mcp.normal_row = copy(mcp->normal_row, sizeof *mcp->normal_row, n, arena);
    store->mcp.mu = copy(mcp->mu, sizeof *mcp->mu, n, arena);
    store->mcp.kind = copy(mcp->kind, sizeof *mcp->kind, n, arena);
    store->warm = copy(warm, sizeof *warm, n, arena);
    store->z = copy(solution->z, sizeof *solution->z, n, arena);
    store->w = copy(solution->w, sizeof *solution->w, n, arena);
}

static void list_parts(cd_mcp_parts *store, const cd_mcp_problem *p, const double *error, cd_arena *scratch)
{
    const int32_t n = p->m.n;
    const cd_mcp_spread *spread = p->m.spread;
    bool *all = CD_ARENA_ARRAY(scratch, bool, n);
    memset(all, true, sizeof *all * (size_t)n);
    store->part_of = CD_ARENA_ARRAY(&store->arena, int32_t, n);
    store->part_count = cd_mcp_components(&p->m, all, store->part_of, scratch);
    store->part = CD_ARENA_ZARRAY(&store->arena, part, store->part_count);
    for (int32_t i = 0; i < n; i++) {
        part *own = &store->part[store->part_of[i]];
        own->rows++;
        own->size = cd_larger(own->size, p->own_size[i]);
        own->worst = fmax(own->worst, error[i]);
        const int row = spread->row_turn[i], col = spread->col_turn[i];
        if (row >= 0)
            own->joint.row[row] = cd_larger(own->joint.row[row], spread->row_most[i]);
        if (col >= 0)
            own->joint.col[col] = cd_larger(own->joint.col[col], spread->col_most[i]);
    }
}

void cd_mcp_parts_keep(cd_mcp_parts *store, const cd_mcp_whole *whole, cd_arena *scratch)
{
    const cd_mcp *mcp = whole->mcp;
    const cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_arena_reset(&store->arena);
    store->first = CD_ARENA_ARRAY(&store->arena, int32_t, (size_t)mcp->n + 1);
    if (!find_rows(mcp, store->first))
        return;
    copy_problem(store, mcp, whole->warm, whole->solution);
    store->island_of = copy(whole->component, sizeof *whole->component, mcp->n, &store->arena);
    list_parts(store, whole->p, whole->error, scratch);
    store->joint = whole->p->m.spread->joint;
    store->size = whole->p->size;
    store->island_count = whole->islands.count;
    store->island = CD_ARENA_ARRAY(&store->arena, island, whole->islands.count);
    for (int32_t k = 0; k < whole->islands.count; k++) {
        const int32_t row = whole->islands.row[whole->islands.first[k]];
        store->island[k] = (island){row, store->part_of[row], whole->result[k]};
    }
    cd_arena_rewind(scratch, mark);
}
