// SPDX-License-Identifier: MIT
#include "gram_lu.h"

#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_fronts.h"
#include "gram_lu_front.h"
#include "gram_square.h"

// No wider than most machines' registers: what is wider the compiler keeps in memory.
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = 4 };

// Places of one column of numbers in a front: `size` entries from `from` on go to rows from `to` on, all of them rows
// of pivots or none.
typedef struct stretch {
    int32_t from, to, size;
} stretch;

// What a worker needs while it works fronts off. A front's rest is made where it waits: while the children's are added
// they lie on a stack of their own, that of the fronts which are an odd number of generations apart.
typedef struct desk {
    double *wide;               // scratch: a column of R'S of a wide group
    double *stack[2], *top[2];  // rests that wait for their parents, and where the next goes
    int32_t *waiting, depth;    // these fronts
    stretch *stretch;           // of a column
} desk;

struct cd_gram_lu {
    const cd_gram *gram;
    double *lower, *upper;  // of each front its blocks of these names,
    int64_t *lower_at, *upper_at;
    double *inverse;  // and of its pivots 1 / U_kk
    int32_t *order;   // and the row that took the place of each
    double **rest;    // what it hands on
    double *part_rest;
    int64_t *part_rest_at;  // of each subtree
    bool *is_odd;           // of each front: the stack that it waits on
    double *solution;       // scratch
    int threads;
    desk *desk;  // as many; the first one works the top off
};

// ---- memory --------------------------------------------------------------------------------------------------------

static int threads_of(const cd_gram *g) { return cd_threads_for(g->threads, g->parts.count, 1); }

static int64_t rest_of(const cd_gram *g, int32_t f) { return cd_lu_front_rest(cd_gram_size(g, f), g->pivots[f]); }

static int32_t part_of(const cd_gram *g, int32_t f) { return g->parts.count > 0 ? g->parts.of[f] : -1; }

// Whether what front f hands on waits on a stack of the desk that works it off: not at the root of a subtree.
static bool is_stacked(const cd_gram *g, int32_t f)
{
    return g->parent[f] >= 0 && part_of(g, f) == part_of(g, g->parent[f]);
}

static void find_generations(const cd_gram *g, bool *is_odd)
{
    for (int32_t f = g->count - 1; f >= 0; f--)
        is_odd[f] = g->parent[f] >= 0 && !is_odd[g->parent[f]];
}

// Entries that lie on each stack at one time, in the subtree `part` or for -1 in the top: raises `most`.
static void measure_stacks(const cd_gram *g, const bool *is_odd, int32_t part, int32_t begin, int32_t end,
                           int64_t *taken, int64_t most[2])
{
    int64_t waiting[2] = {0, 0};
    for (int32_t f = begin; f < end; f++) {
        if (part_of(g, f) != part)
            continue;
        if (is_stacked(g, f)) {
            waiting[is_odd[f]] += rest_of(g, f);
            taken[g->parent[f]] += rest_of(g, f);
            most[is_odd[f]] = waiting[is_odd[f]] > most[is_odd[f]] ? waiting[is_odd[f]] : most[is_odd[f]];
        }
        waiting[!is_odd[f]] -= taken[f];
    }
}

typedef struct sizes {
    int64_t lower, upper, part_rest, top[2], part[2];
} sizes;

static sizes measure(const cd_gram *g)
{
    cd_arena scratch = {0};
    sizes out = {0};
    bool *is_odd = CD_ARENA_ARRAY(&scratch, bool, g->count);
    int64_t *taken = CD_ARENA_ZARRAY(&scratch, int64_t, g->count);
    find_generations(g, is_odd);
    for (int32_t f = 0; f < g->count; f++) {
        out.lower += cd_lu_front_lower(cd_gram_size(g, f), g->pivots[f]);
        out.upper += cd_lu_front_upper(cd_gram_size(g, f), g->pivots[f]);
    }
    for (int32_t k = 0; k < g->parts.count; k++) {
        out.part_rest += rest_of(g, g->parts.root[k]);
        measure_stacks(g, is_odd, k, g->parts.first[k], g->parts.root[k] + 1, taken, out.part);
    }
    measure_stacks(g, is_odd, -1, 0, g->count, taken, out.top);
    for (int k = 0; k < 2; k++)
        out.top[k] = out.top[k] > out.part[k] ? out.top[k] : out.part[k];
    cd_arena_release(&scratch);
    return out;
}

int64_t cd_gram_lu_bytes(const cd_gram *g)
{
    const sizes s = measure(g);
    return (s.lower + s.upper + s.part_rest + s.top[0] + s.top[1] + (threads_of(g) - 1) * (s.part[0] + s.part[1])) *
           (int64_t)sizeof(double);
}

static void place_blocks(cd_gram_lu *m)
{
    const cd_gram *g = m->gram;
    int64_t lower = 0, upper = 0, rest = 0;
    for (int32_t f = 0; f < g->count; f++) {
        m->lower_at[f] = lower;
        m->upper_at[f] = upper;
        lower += cd_lu_front_lower(cd_gram_size(g, f), g->pivots[f]);
        upper += cd_lu_front_upper(cd_gram_size(g, f), g->pivots[f]);
    }
    for (int32_t k = 0; k < g->parts.count; k++) {
        m->part_rest_at[k] = rest;
        rest += rest_of(g, g->parts.root[k]);
    }
}

cd_gram_lu *cd_gram_lu_make(const cd_gram *gram, cd_arena *arena)
{
    const sizes size = measure(gram);
    cd_gram_lu *m = CD_ARENA_ZARRAY(arena, cd_gram_lu, 1);
    *m = (cd_gram_lu){.gram = gram,
                      .lower = CD_ARENA_ARRAY(arena, double, size.lower),
                      .upper = CD_ARENA_ARRAY(arena, double, size.upper),
                      .lower_at = CD_ARENA_ARRAY(arena, int64_t, gram->count),
                      .upper_at = CD_ARENA_ARRAY(arena, int64_t, gram->count),
                      .inverse = CD_ARENA_ARRAY(arena, double, gram->groups->columns),
                      .order = CD_ARENA_ARRAY(arena, int32_t, gram->groups->columns),
                      .rest = CD_ARENA_ARRAY(arena, double *, gram->count),
                      .part_rest = CD_ARENA_ARRAY(arena, double, size.part_rest),
                      .part_rest_at = CD_ARENA_ARRAY(arena, int64_t, gram->parts.count),
                      .is_odd = CD_ARENA_ARRAY(arena, bool, gram->count),
                      .solution = CD_ARENA_ZARRAY(arena, double, 2 * (size_t)cd_front_stride(gram->largest)),
                      .threads = threads_of(gram)};
    m->desk = CD_ARENA_ARRAY(arena, desk, m->threads);
    for (int k = 0; k < m->threads; k++) {
        const int64_t *of = k == 0 ? size.top : size.part;
        m->desk[k] = (desk){.wide = CD_ARENA_ARRAY(arena, double, cd_gram_stride(gram->largest)),
                            .stack = {CD_ARENA_ARRAY(arena, double, of[0]), CD_ARENA_ARRAY(arena, double, of[1])},
                            .waiting = CD_ARENA_ARRAY(arena, int32_t, gram->count),
                            .stretch = CD_ARENA_ARRAY(arena, stretch, gram->largest)};
    }
    find_generations(gram, m->is_odd);
    place_blocks(m);
    return m;
}

// ---- a front -------------------------------------------------------------------------------------------------------

// The stretches of places in a front of p pivots.
static int32_t find_stretches(int32_t count, const int32_t *place, int32_t p, stretch *out)
{
    int32_t stretches = 0;
    for (int32_t i = 0; i < count; i++) {
        if (i == 0 || place[i] != place[i - 1] + 1 || place[i] == p)
            out[stretches++] = (stretch){i, place[i], 0};
        out[stretches - 1].size++;
    }
    return stretches;
}

// Column j of the front gets `from` at these places.
static inline __attribute__((always_inline)) void add_column(const cd_lu_front *f, int32_t j, int32_t stretches,
                                                             const stretch *s, const double *from)
{
    const bool is_pivot = j < f->p;
    double *above = is_pivot ? f->lower + (size_t)j * (size_t)cd_front_rows(f->n)
                             : f->upper + (size_t)(j - f->p) * (size_t)cd_front_rows(f->p),
           *below = is_pivot ? above : f->rest + (size_t)(j - f->p) * (size_t)cd_front_rows(f->n - f->p);
    const int32_t first = is_pivot ? 0 : f->p;
    for (int32_t k = 0; k < stretches; k++) {
        double *out = s[k].to < f->p ? above + s[k].to : below + (s[k].to - first);
        const double *in = from + s[k].from;
        int32_t i = 0;
        for (; i + LANES <= s[k].size; i += LANES)
            *(vec4 *)(out + i) += *(const vec4 *)(in + i);
        for (; i < s[k].size; i++)
            out[i] += in[i];
    }
}

CD_VECTOR_CLONES static void add_columns(const cd_lu_front *f, int32_t count, const int32_t *place, int32_t stretches,
                                         const stretch *s, const double *from, int32_t apart)
{
    for (int32_t j = 0; j < count; j++, from += apart)
        add_column(f, place[j], stretches, s, from);
}

static void add_group(const cd_gram *m, int32_t g, const double *R, const double *S, const cd_lu_front *f, desk *d)
{
    const int32_t width = m->groups->first[g + 1] - m->groups->first[g], height = m->groups->height[g],
                  stride = cd_gram_stride(width), *local = m->local + m->groups->first[g];
    const double *r = R + m->groups->place[g], *s = S + m->groups->place[g];
    const int32_t stretches = find_stretches(width, local, f->p, d->stretch);
    if (stride <= CD_GRAM_SQUARE_MOST) {
        double K[CD_GRAM_SQUARE_MOST * CD_GRAM_SQUARE_MOST];
        cd_gram_product(height, stride, r, s, K);
        add_columns(f, width, local, stretches, d->stretch, K, stride);
        return;
    }
    for (int32_t j = 0; j < width; j++) {
        cd_gram_column(height, stride, j, r, s, d->wide);
        add_column(f, local[j], stretches, d->stretch, d->wide);
    }
}

static void add_rest(const cd_gram *g, int32_t child, const double *rest, const cd_lu_front *f, desk *d)
{
    const int32_t n = cd_gram_size(g, child) - g->pivots[child];
    const int32_t *up = g->up + g->first[child] + g->pivots[child];
    add_columns(f, n, up, find_stretches(n, up, f->p, d->stretch), d->stretch, rest, cd_front_rows(n));
}

// ---- all fronts ----------------------------------------------------------------------------------------------------

// A factor that is made.
typedef struct run {
    cd_gram_lu *m;
    const double *R, *S;
    int64_t next;  // subtree
} run;

static cd_lu_front front_of(const cd_gram_lu *m, int32_t f)
{
    const cd_gram *g = m->gram;
    return (cd_lu_front){.n = cd_gram_size(g, f),
                         .p = g->pivots[f],
                         .lower = m->lower + m->lower_at[f],
                         .upper = m->upper + m->upper_at[f],
                         .rest = m->rest[f],
                         .order = m->order + g->pivot_at[f],
                         .inverse = m->inverse + g->pivot_at[f]};
}

// 1, and nothing else yet.
static void begin_front(const cd_lu_front *f)
{
    const size_t rows = (size_t)cd_front_rows(f->n);
    memset(f->lower, 0, sizeof *f->lower * (size_t)cd_lu_front_lower(f->n, f->p));
    memset(f->upper, 0, sizeof *f->upper * (size_t)cd_lu_front_upper(f->n, f->p));
    memset(f->rest, 0, sizeof *f->rest * (size_t)cd_lu_front_rest(f->n, f->p));
    for (int32_t j = 0; j < f->p; j++)
        f->lower[(size_t)j * (rows + 1)] = 1;
}

static void work_front(const run *r, desk *d, int32_t f, int threads)
{
    cd_gram_lu *m = r->m;
    const cd_gram *g = m->gram;
    double **const top = &d->top[m->is_odd[f]];
    m->rest[f] = is_stacked(g, f) || g->parent[f] < 0 ? *top : m->part_rest + m->part_rest_at[part_of(g, f)];
    const cd_lu_front front = front_of(m, f);
    begin_front(&front);
    for (int32_t k = g->group_at[f]; k < g->group_at[f + 1]; k++)
        add_group(g, g->group[k], r->R, r->S, &front, d);
    for (int32_t c = 0; c < g->children[f]; c++) {
        const int32_t child = d->waiting[--d->depth];
        add_rest(g, child, m->rest[child], &front, d);
        d->top[m->is_odd[child]] -= is_stacked(g, child) ? rest_of(g, child) : 0;
    }
    cd_lu_front_factor(&front, threads);
    if (g->parent[f] < 0)
        return;
    *top += is_stacked(g, f) ? rest_of(g, f) : 0;
    d->waiting[d->depth++] = f;
}

static void clear_desk(desk *d)
{
    d->top[0] = d->stack[0];
    d->top[1] = d->stack[1];
    d->depth = 0;
}

static void work_parts(void *context, int worker)
{
    run *r = context;
    const cd_gram_parts *p = &r->m->gram->parts;
    desk *d = &r->m->desk[worker];
    for (;;) {
        const cd_share s = cd_threads_next(&r->next, p->count, 1);
        if (s.begin >= s.end)
            return;
        clear_desk(d);
        for (int32_t f = p->first[s.begin]; f <= p->root[s.begin]; f++)
            work_front(r, d, f, 1);
    }
}

void cd_gram_lu_factor(cd_gram_lu *m, const double *R, const double *S)
{
    const cd_gram *g = m->gram;
    run r = {.m = m, .R = R, .S = S};
    desk *d = &m->desk[0];
    if (m->threads > 1)
        cd_threads_run(m->threads, work_parts, &r);
    else
        work_parts(&r, 0);
    clear_desk(d);
    for (int32_t f = 0, k = 0; f < g->count; f++) {
        if (k < g->parts.count && f == g->parts.first[k]) {
            f = g->parts.root[k++];
            if (g->parent[f] >= 0)
                d->waiting[d->depth++] = f;
            continue;
        }
        work_front(&r, d, f, m->threads);
    }
}

// ---- solutions -----------------------------------------------------------------------------------------------------

static void take(const int32_t *column, int32_t count, const double *x, double *t)
{
    for (int32_t k = 0; k < count; k++)
        t[k] = x[column[k]];
}

static void put(const int32_t *column, int32_t count, const double *t, double *x)
{
    for (int32_t k = 0; k < count; k++)
        x[column[k]] = t[k];
}

static void forward(const cd_gram_lu *m, int32_t f, int sides, double *const *x)
{
    const cd_lu_front front = front_of(m, f);
    const int32_t *column = m->gram->column + m->gram->first[f];
    const size_t apart = (size_t)cd_front_stride(m->gram->largest);
    for (int s = 0; s < sides; s++) {
        double *t = m->solution + (size_t)s * apart;
        take(column, front.n, x[s], t);
        for (int32_t k = 0; k < front.p; k++) {
            const double top = t[front.order[k]];
            t[front.order[k]] = t[k];
            t[k] = top;
        }
    }
    cd_lu_front_forward(&front, sides, m->solution, apart);
    for (int s = 0; s < sides; s++)
        put(column, front.n, m->solution + (size_t)s * apart, x[s]);
}

static void backward(const cd_gram_lu *m, int32_t f, int sides, double *const *x)
{
    const cd_lu_front front = front_of(m, f);
    const int32_t *column = m->gram->column + m->gram->first[f], above = cd_front_rows(front.p);
    const size_t apart = (size_t)cd_front_stride(m->gram->largest);
    for (int s = 0; s < sides; s++) {
        double *t = m->solution + (size_t)s * apart;
        take(column, front.p, x[s], t);
        take(column + front.p, front.n - front.p, x[s], t + above);
    }
    cd_lu_front_backward(&front, sides, m->solution + above, m->solution, apart);
    for (int s = 0; s < sides; s++)
        put(column, front.p, m->solution + (size_t)s * apart, x[s]);
}

static void solve(cd_gram_lu *m, int sides, double *const *x)
{
    for (int32_t f = 0; f < m->gram->count; f++)
        forward(m, f, sides, x);
    for (int32_t f = m->gram->count - 1; f >= 0; f--)
        backward(m, f, sides, x);
}

void cd_gram_lu_solve(cd_gram_lu *m, double *x) { solve(m, 1, &x); }

void cd_gram_lu_solve_two(cd_gram_lu *m, double *x, double *y) { solve(m, 2, (double *const[]){x, y}); }

int cd_gram_lu_sign(const cd_gram_lu *m)
{
    const cd_gram *g = m->gram;
    int sign = 1;
    for (int32_t f = 0, at = 0; f < g->count; f++) {
        for (int32_t k = 0; k < g->pivots[f]; k++, at++)
            sign = (m->inverse[at] < 0) != (m->order[at] != k) ? -sign : sign;
    }
    return sign;
}
