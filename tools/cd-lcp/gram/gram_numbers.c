// SPDX-License-Identifier: MIT
// The numbers of a factor: fronts filled in and worked off, and solutions.
//
// Subtrees (cd_gram_parts) are worked off first, by as many workers as there are, each with a desk of its own. What
// they add to columns of the top is kept apart and joined in the order of the subtrees, whoever worked them off. Then
// the top, front by front: all workers share the columns of a large one.
#include "cd_threads.h"
#include "gram_fronts.h"
#include "gram_square.h"

#include <float.h>

// Entries that cd_gram_keep keeps at most: 64 MiB.
#define KEPT_MOST ((int64_t)1 << 23)
// [multiplications] A front of the top that all workers share.
#define SHARED_LEAST 2e7

// ---- memory --------------------------------------------------------------------------------------------------------

void cd_gram_use_threads(cd_gram *m, int threads)
{
    if (!m->panel && threads > 1)
        m->threads = threads;
}

void cd_gram_keep(cd_gram *m)
{
    int64_t entries = 0;
    for (int32_t f = 0; f < m->count; f++)
        entries += cd_gram_rest(m, f);
    if (m->panel || m->rest_at || entries > KEPT_MOST)
        return;
    m->kept_size = entries;
    m->rest_at = CD_ARENA_ARRAY(m->arena, int64_t, m->count);
    m->is_made = CD_ARENA_ARRAY(m->arena, bool, m->count);
    m->share = CD_ARENA_ARRAY(m->arena, double, m->groups->first[m->groups->count]);
    for (int32_t f = m->count - 1; f >= 0; f--) {
        entries -= cd_gram_rest(m, f);
        m->rest_at[f] = entries;
    }
}

// entries: of its stack.
static cd_gram_desk make_desk(const cd_gram *m, int32_t largest, int64_t entries)
{
    cd_arena *arena = m->arena;
    const int32_t columns = m->groups->columns;
    return (cd_gram_desk){.front = CD_ARENA_ARRAY(arena, double, (int64_t)largest *cd_front_stride(largest)),
                          .floor = CD_ARENA_ARRAY(arena, double, largest),
                          .wide = CD_ARENA_ARRAY(arena, double, cd_gram_stride(largest)),
                          .stack = CD_ARENA_ARRAY(arena, double, entries),
                          .waiting = CD_ARENA_ARRAY(arena, int32_t, m->count),
                          .column = CD_ARENA_ARRAY(arena, double, columns)};
}

static void reserve(cd_gram *m)
{
    const cd_gram_parts *p = &m->parts;
    if (m->panel)
        return;
    m->threads = cd_threads_for(m->threads, p->count, 1);
    m->panel = CD_ARENA_ARRAY(m->arena, double, m->panel_size);
    m->inverse = CD_ARENA_ARRAY(m->arena, double, m->groups->columns);
    m->rest = CD_ARENA_ARRAY(m->arena, double *, m->count);
    m->kept = CD_ARENA_ARRAY(m->arena, double, m->kept_size);
    m->part_rest = CD_ARENA_ARRAY(m->arena, double, m->rest_at ? 0 : p->rest_size);
    m->part_value = CD_ARENA_ARRAY(m->arena, double, p->value_size);
    m->desk = CD_ARENA_ARRAY(m->arena, cd_gram_desk, m->threads);
    int64_t entries = cd_gram_stack(m);
    for (int k = 0; k < m->threads; k++) {
        m->desk[k] = make_desk(m, k == 0 ? m->largest : p->largest, m->rest_at ? 0 : entries);
        entries = p->stack_size;
    }
}

// ---- columns of a front, which workers may share -------------------------------------------------------------------

typedef struct columns {
    cd_gram *m;
    int32_t f;
    const int32_t *child;
    double *a;
    void (*work)(const struct columns *w, int32_t begin, int32_t end);
    int64_t next;
} columns;

static void clear_columns(const columns *w, int32_t begin, int32_t end)
{
    const size_t stride = (size_t)cd_front_stride(cd_gram_size(w->m, w->f));
    for (size_t j = (size_t)begin; j < (size_t)end; j++)
        memset(w->a + j * stride + j, 0, sizeof *w->a * (stride - j));
}

// a += the rests of the children, of which the lower triangle counts.
static void add_rests(const columns *w, int32_t begin, int32_t end)
{
    const cd_gram *m = w->m;
    const size_t stride = (size_t)cd_front_stride(cd_gram_size(m, w->f));
    for (int32_t c = m->children[w->f] - 1; c >= 0; c--) {
        const int32_t f = w->child[c], n = cd_gram_size(m, f) - m->pivots[f];
        const int32_t *up = m->up + m->first[f] + m->pivots[f];
        for (int32_t j = 0; j < n && up[j] < end; j++) {
            const double *column = m->rest[f] + (size_t)j * (size_t)n;
            double *out = w->a + (size_t)up[j] * stride;
            for (int32_t i = j; i < n && up[j] >= begin; i++)
                out[up[i]] += column[i];
        }
    }
}

// Pivots to their panel, the others to what is handed on.
static void take_columns(const columns *w, int32_t begin, int32_t end)
{
    const cd_gram *m = w->m;
    const int32_t n = cd_gram_size(m, w->f), p = m->pivots[w->f], rest = n - p;
    const size_t stride = (size_t)cd_front_stride(n);
    cd_front_panel_columns(n, begin, end < p ? end : p, w->a, m->panel + m->panel_at[w->f]);
    for (int32_t j = begin > p ? begin : p; j < end && m->parent[w->f] >= 0; j++)
        memcpy(m->rest[w->f] + (size_t)(j - p) * (size_t)(rest + 1), w->a + (size_t)j * (stride + 1),
               sizeof *w->a * (size_t)(n - j));
}

static void share_columns(void *context, int worker)
{
    (void)worker;
    enum { TOGETHER = 32 };
    columns *w = context;
    for (;;) {
        const cd_share share = cd_threads_next(&w->next, cd_gram_size(w->m, w->f), TOGETHER);
        if (share.begin >= share.end)
            return;
        w->work(w, (int32_t)share.begin, (int32_t)share.end);
    }
}

static void each_column(columns *w, int threads, void (*work)(const columns *w, int32_t begin, int32_t end))
{
    w->work = work;
    w->next = 0;
    if (threads > 1)
        cd_threads_run(threads, share_columns, w);
    else
        work(w, 0, cd_gram_size(w->m, w->f));
}

// ---- a front -------------------------------------------------------------------------------------------------------

// A factor that is made.
typedef struct run {
    cd_gram *m;
    const double *D, *values;
    const bool *changed;  // NULL for all
    double *x;            // of a solution: its right side
    int64_t next;         // subtree
} run;

static void add_held(const cd_gram *m, int32_t f, double *a, size_t stride)
{
    for (int32_t k = m->held_at ? m->held_at[f] : 0; m->held_at && k < m->held_at[f + 1]; k++)
        a[(size_t)m->held_high[k] * stride + (size_t)m->held_low[k]] += m->groups->held[m->held_entry[k]];
}

// a += v'v for the rows v of a group; its diagonal is added to that of K too.
static void add_group(const cd_gram *m, cd_gram_desk *desk, int32_t g, const double *values, double *a, int32_t stride)
{
    const int32_t width = m->groups->first[g + 1] - m->groups->first[g], height = m->groups->height[g],
                  row_stride = cd_gram_stride(width);
    const int32_t *local = m->local + m->groups->first[g], *col = m->groups->col + m->groups->first[g];
    const double *row = values + m->groups->place[g];
    double K[CD_GRAM_SQUARE_MOST * CD_GRAM_SQUARE_MOST];
    const bool is_narrow = row_stride <= CD_GRAM_SQUARE_MOST;
    if (is_narrow)
        cd_gram_square(height, row_stride, row, K);
    for (int32_t j = 0; j < width; j++) {
        const double *column = is_narrow ? K + j * row_stride : desk->wide;
        if (!is_narrow)
            cd_gram_column(height, row_stride, j, row, row, desk->wide);
        for (int32_t i = j; i < width; i++) {
            const double sum = column[i];
            const int32_t low = local[i] > local[j] ? local[i] : local[j],
                          high = local[i] > local[j] ? local[j] : local[i];
            a[(size_t)high * (size_t)stride + (size_t)low] += sum;
            if (i != j)
                continue;
            desk->column[col[j]] += sum;
            if (m->share)
                m->share[m->groups->first[g] + j] = sum;
        }
    }
}

// Whether the factor to be made has another front f than the last one.
static bool is_reached(const cd_gram *m, int32_t f, const int32_t *child, const bool *changed)
{
    bool is_reached = false;
    for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++)
        is_reached = is_reached || changed[m->group[k]];
    for (int32_t c = 0; c < m->children[f]; c++)
        is_reached = is_reached || m->is_made[child[c]];
    return is_reached;
}

// A front that stays: the diagonal of K gets what its groups gave it before.
static void pass_over(const cd_gram *m, cd_gram_desk *desk, int32_t f)
{
    for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++) {
        const cd_gram_groups *g = m->groups;
        for (int32_t e = g->first[m->group[k]]; e < g->first[m->group[k] + 1]; e++)
            desk->column[g->col[e]] += m->share[e];
    }
}

// A front from its groups and from what its children hand on.
static void gather(const run *r, cd_gram_desk *desk, columns *w, int threads)
{
    const cd_gram *m = r->m;
    const int32_t f = w->f, p = m->pivots[f];
    const size_t stride = (size_t)cd_front_stride(cd_gram_size(m, f));
    double *a = desk->front;
    each_column(w, threads, clear_columns);
    for (int32_t j = 0; j < p; j++)
        a[(size_t)j * stride + (size_t)j] = r->D[m->column[m->first[f] + j]];
    add_held(m, f, a, stride);
    for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++)
        add_group(m, desk, m->group[k], r->values, a, (int32_t)stride);
    each_column(w, threads, add_rests);
}

// Whether what front f hands on waits on the stack of the desk that works it off: not at the root of a subtree.
static bool is_stacked(const cd_gram *m, int32_t f)
{
    return !m->rest_at && m->parent[f] >= 0 && (m->parts.count == 0 || m->parts.of[f] == m->parts.of[m->parent[f]]);
}

static double *place_of_rest(const cd_gram *m, const cd_gram_desk *desk, int32_t f)
{
    if (m->rest_at)
        return m->kept + m->rest_at[f];
    return is_stacked(m, f) || m->parent[f] < 0 ? desk->top : m->part_rest + m->parts.rest_at[m->parts.of[f]];
}

// The pivots of a front that was gathered, and what it hands on.
static void eliminate(const run *r, cd_gram_desk *desk, columns *w, int threads)
{
    cd_gram *m = r->m;
    const int32_t f = w->f, n = cd_gram_size(m, f), p = m->pivots[f];
    for (int32_t j = 0; j < p; j++)
        desk->floor[j] = DBL_EPSILON * desk->column[m->column[m->first[f] + j]];
    cd_front_factor(&(cd_front){n, p, desk->front, desk->floor, m->inverse + m->pivot_at[f]}, threads);
    m->rest[f] = place_of_rest(m, desk, f);
    each_column(w, threads, take_columns);
}

static void work_front(const run *r, cd_gram_desk *desk, int32_t f, int threads)
{
    cd_gram *m = r->m;
    columns w = {.m = m, .f = f, .child = desk->waiting + (desk->depth -= m->children[f]), .a = desk->front};
    const bool is_made = !r->changed || is_reached(m, f, w.child, r->changed);
    if (is_made)
        gather(r, desk, &w, threads);
    else
        pass_over(m, desk, f);
    for (int32_t c = 0; c < m->children[f]; c++)
        desk->top -= is_stacked(m, w.child[c]) ? cd_gram_rest(m, w.child[c]) : 0;
    if (is_made)
        eliminate(r, desk, &w, threads);
    if (m->is_made)
        m->is_made[f] = is_made;
    if (m->parent[f] < 0)
        return;
    desk->top += is_stacked(m, f) ? cd_gram_rest(m, f) : 0;
    desk->waiting[desk->depth++] = f;
}

// ---- all fronts ----------------------------------------------------------------------------------------------------

// Columns that the root of subtree k hands on.
static const int32_t *columns_above(const cd_gram *m, int32_t k, int32_t *count)
{
    const int32_t root = m->parts.root[k];
    *count = cd_gram_size(m, root) - m->pivots[root];
    return m->column + m->first[root] + m->pivots[root];
}

// desk->column in subtree k: as `from` in its own columns, 0 in those above.
static void begin_part(const cd_gram *m, cd_gram_desk *desk, int32_t k, const double *from)
{
    int32_t above;
    const int32_t *column = columns_above(m, k, &above);
    for (int32_t i = 0; i < above; i++)
        desk->column[column[i]] = 0;
    for (int32_t f = m->parts.first[k]; f <= m->parts.root[k]; f++) {
        for (int32_t i = m->first[f]; i < m->first[f] + m->pivots[f]; i++)
            desk->column[m->column[i]] = from[m->column[i]];
    }
}

// What subtree k has added to the columns above it is put by,
static void end_part(const cd_gram *m, const cd_gram_desk *desk, int32_t k)
{
    int32_t above;
    const int32_t *column = columns_above(m, k, &above);
    for (int32_t i = 0; i < above; i++)
        m->part_value[m->parts.value_at[k] + i] = desk->column[column[i]];
}

// and added when the top comes to it.
static void join_part(const cd_gram *m, int32_t k, double *to)
{
    int32_t above;
    const int32_t *column = columns_above(m, k, &above);
    for (int32_t i = 0; i < above; i++)
        to[column[i]] += m->part_value[m->parts.value_at[k] + i];
}

static void factor_part(const run *r, cd_gram_desk *desk, int32_t k)
{
    begin_part(r->m, desk, k, r->D);
    desk->top = desk->stack;
    desk->depth = 0;
    for (int32_t f = r->m->parts.first[k]; f <= r->m->parts.root[k]; f++)
        work_front(r, desk, f, 1);
    end_part(r->m, desk, k);
}

static void factor_top(const run *r)
{
    cd_gram *m = r->m;
    cd_gram_desk *desk = &m->desk[0];
    // What rounding leaves of a pivot is measured against the diagonal of K. All groups that touch a column belong to
    // its front or to one below it: when it is eliminated its diagonal is whole.
    memcpy(desk->column, r->D, sizeof *r->D * (size_t)m->groups->columns);
    desk->top = desk->stack;
    desk->depth = 0;
    for (int32_t f = 0, k = 0; f < m->count; f++) {
        if (k < m->parts.count && f == m->parts.first[k]) {
            join_part(m, k, desk->column);
            f = m->parts.root[k++];
            desk->waiting[desk->depth++] = f;
            continue;
        }
        work_front(r, desk, f, cd_gram_front_work(m, f) >= SHARED_LEAST ? m->threads : 1);
    }
}

// Subtrees by all workers.
static void each_part(run *r, void (*work)(void *context, int worker))
{
    r->next = 0;
    if (r->m->threads > 1)
        cd_threads_run(r->m->threads, work, r);
    else
        work(r, 0);
}

static int32_t next_part(run *r)
{
    const cd_share share = cd_threads_next(&r->next, r->m->parts.count, 1);
    return share.begin < share.end ? (int32_t)share.begin : -1;
}

static void factor_parts(void *context, int worker)
{
    run *r = context;
    for (int32_t k = next_part(r); k >= 0; k = next_part(r))
        factor_part(r, &r->m->desk[worker], k);
}

static void factor(cd_gram *m, const double *D, const double *values, const bool *changed)
{
    reserve(m);
    run r = {.m = m, .D = D, .values = values, .changed = changed};
    each_part(&r, factor_parts);
    factor_top(&r);
}

void cd_gram_factor(cd_gram *m, const double *D, const double *values) { factor(m, D, values, NULL); }

void cd_gram_factor_changed(cd_gram *m, const double *D, const double *values, const bool *changed)
{
    factor(m, D, values, m->rest_at ? changed : NULL);
}

// ---- solutions -----------------------------------------------------------------------------------------------------

static void forward(const cd_gram *m, int32_t f, double *x, double *t)
{
    const int32_t n = cd_gram_size(m, f);
    cd_gram_take(m, f, x, t);
    cd_front_forward(n, m->pivots[f], m->panel + m->panel_at[f], m->inverse + m->pivot_at[f], t);
    cd_gram_put(m, f, n, t, x);
}

static void backward(const cd_gram *m, int32_t f, double *x, double *t)
{
    cd_gram_take(m, f, x, t);
    cd_front_backward(cd_gram_size(m, f), m->pivots[f], m->panel + m->panel_at[f], m->inverse + m->pivot_at[f], t);
    cd_gram_put(m, f, m->pivots[f], t, x);
}

static void forward_parts(void *context, int worker)
{
    run *r = context;
    const cd_gram *m = r->m;
    cd_gram_desk *desk = &m->desk[worker];
    for (int32_t k = next_part(r); k >= 0; k = next_part(r)) {
        begin_part(m, desk, k, r->x);
        for (int32_t f = m->parts.first[k]; f <= m->parts.root[k]; f++) {
            forward(m, f, desk->column, desk->front);
            for (int32_t i = m->first[f]; i < m->first[f] + m->pivots[f]; i++)
                r->x[m->column[i]] = desk->column[m->column[i]];
        }
        end_part(m, desk, k);
    }
}

static void backward_parts(void *context, int worker)
{
    run *r = context;
    const cd_gram *m = r->m;
    for (int32_t k = next_part(r); k >= 0; k = next_part(r)) {
        for (int32_t f = m->parts.root[k]; f >= m->parts.first[k]; f--)
            backward(m, f, r->x, m->desk[worker].front);
    }
}

void cd_gram_solve(cd_gram *m, const double *D, double *x)
{
    run r = {.m = m, .x = x};
    double *t = m->desk[0].front;
    each_part(&r, forward_parts);
    for (int32_t f = 0, k = 0; f < m->count; f++) {
        if (k < m->parts.count && f == m->parts.first[k]) {
            join_part(m, k, x);
            f = m->parts.root[k++];
            continue;
        }
        forward(m, f, x, t);
    }
    for (int32_t f = m->count - 1, k = m->parts.count - 1; f >= 0; f--) {
        if (k >= 0 && f == m->parts.root[k]) {
            f = m->parts.first[k--];
            continue;
        }
        backward(m, f, x, t);
    }
    each_part(&r, backward_parts);
    for (int32_t k = 0; k < m->loose_count; k++)
        x[m->loose[k]] /= D[m->loose[k]];
}
