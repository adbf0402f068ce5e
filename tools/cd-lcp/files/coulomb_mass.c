// SPDX-License-Identifier: MIT
#include "coulomb_mass.h"

#include "gram_order.h"

#include <math.h>

struct cd_mass_factor {
    int32_t n;
    int32_t *order, *place;  // order[k]: the variable that is eliminated k-th; place: its inverse
    int32_t *parent;         // of column k in the elimination tree; -1: a root
    int32_t *first, *row;    // columns of L; the diagonal comes first
    double *value;
};

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

int32_t cd_mass_largest_block(const cd_mm_matrix *M, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *parent = CD_ARENA_ARRAY(scratch, int32_t, M->rows), *size = CD_ARENA_ZARRAY(scratch, int32_t, M->rows);
    int32_t largest = 0;
    for (int32_t i = 0; i < M->rows; i++)
        parent[i] = i;
    for (int32_t k = 0; k < M->entry_count; k++) {
        if (M->value[k] != 0)
            parent[root_of(parent, M->row[k])] = root_of(parent, M->col[k]);
    }
    for (int32_t i = 0; i < M->rows; i++) {
        const int32_t count = ++size[root_of(parent, i)];
        largest = count > largest ? count : largest;
    }
    cd_arena_rewind(scratch, mark);
    return largest;
}

// Each pair of variables that meet is a clique of two.
static int32_t *elimination_order(const cd_mm_matrix *M, cd_arena *arena)
{
    const int32_t n = M->rows;
    int32_t *order = CD_ARENA_ARRAY(arena, int32_t, n), count = 0, pairs = 0;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *size = CD_ARENA_ARRAY(arena, int32_t, n);
    for (int32_t i = 0; i < n; i++)
        size[i] = 1;
    const size_t most = (size_t)M->entry_count + (size_t)n;
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, most + 1), *node = CD_ARENA_ARRAY(arena, int32_t, 2 * most);
    first[0] = 0;
    for (int32_t i = 0; i < n; i++) {  // of its own, so that none is left out
        node[first[pairs]] = i;
        first[pairs + 1] = first[pairs] + 1;
        pairs++;
    }
    for (int32_t k = 0; k < M->entry_count; k++) {
        if (M->row[k] <= M->col[k])
            continue;
        node[first[pairs]] = M->row[k];
        node[first[pairs] + 1] = M->col[k];
        first[pairs + 1] = first[pairs] + 2;
        pairs++;
    }
    const cd_gram_cliques cliques = {n, pairs, size, first, node};
    cd_arena scratch = {0};
    const cd_gram_tree tree = cd_gram_order(&cliques, &scratch);
    for (int32_t f = 0; f < tree.front_count; f++) {
        for (int32_t k = 0; k < tree.pivots[f]; k++)
            order[count++] = tree.node[tree.first[f] + k];
    }
    cd_arena_release(&scratch);
    cd_arena_rewind(arena, mark);
    return order;
}

// Columns of the upper triangle of P M P': for column k the places i <= k, repeated ones not added up.
typedef struct columns {
    int32_t *first, *row;
    double *value;
} columns;

static columns upper_columns(const cd_mass_factor *f, const cd_mm_matrix *M, cd_arena *arena)
{
    columns c = {CD_ARENA_ZARRAY(arena, int32_t, (size_t)f->n + 1), CD_ARENA_ARRAY(arena, int32_t, M->entry_count),
                 CD_ARENA_ARRAY(arena, double, M->entry_count)};
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, f->n);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < M->entry_count; k++) {
            // Both halves of a pair count half: M is symmetric up to noise.
            const int32_t i = f->place[M->row[k]], j = f->place[M->col[k]], low = i < j ? i : j, high = i < j ? j : i;
            if (pass == 0) {
                c.first[high + 1]++;
            } else {
                c.row[at[high]] = low;
                c.value[at[high]++] = i == j ? M->value[k] : M->value[k] / 2;
            }
        }
        for (int32_t k = 0; k < f->n && pass == 0; k++) {
            c.first[k + 1] += c.first[k];
            at[k] = c.first[k];
        }
    }
    return c;
}

static void find_tree(cd_mass_factor *f, const columns *c, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t *ancestor = CD_ARENA_ARRAY(scratch, int32_t, f->n);
    for (int32_t k = 0; k < f->n; k++) {
        f->parent[k] = ancestor[k] = -1;
        for (int32_t e = c->first[k]; e < c->first[k + 1]; e++) {
            for (int32_t i = c->row[e], next; i >= 0 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next < 0)
                    f->parent[i] = k;
            }
        }
    }
    cd_arena_rewind(scratch, mark);
}

// The columns that row k of L has, k itself not, on the paths from `from` to the root: into stack[top..n), in the order
// of elimination. Marked ones are passed over.
static int32_t reach(const cd_mass_factor *f, int32_t k, const int32_t *from, int32_t count, int32_t *mark,
                     int32_t *stack, int32_t *path)
{
    int32_t top = f->n;
    mark[k] = k;
    for (int32_t e = 0; e < count; e++) {
        int32_t length = 0;
        for (int32_t i = from[e]; i >= 0 && i <= k && mark[i] != k; i = f->parent[i]) {
            path[length++] = i;
            mark[i] = k;
        }
        while (length > 0)
            stack[--top] = path[--length];
    }
    return top;
}

typedef struct work {
    int32_t *mark, *stack, *path, *next;
    double *x;
} work;

static work make_work(int32_t n, cd_arena *arena)
{
    work w = {CD_ARENA_ARRAY(arena, int32_t, n), CD_ARENA_ARRAY(arena, int32_t, n), CD_ARENA_ARRAY(arena, int32_t, n),
              CD_ARENA_ARRAY(arena, int32_t, n), CD_ARENA_ZARRAY(arena, double, n)};
    for (int32_t i = 0; i < n; i++)
        w.mark[i] = -1;
    return w;
}

static bool count_columns(cd_mass_factor *f, const columns *c, int64_t most, cd_arena *arena)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    work w = make_work(f->n, arena);
    int64_t total = f->n;
    int32_t *count = CD_ARENA_ARRAY(arena, int32_t, f->n);
    for (int32_t k = 0; k < f->n; k++)
        count[k] = 1;
    for (int32_t k = 0; k < f->n && total <= most; k++) {
        const int32_t top = reach(f, k, c->row + c->first[k], c->first[k + 1] - c->first[k], w.mark, w.stack, w.path);
        for (int32_t e = top; e < f->n; e++)
            count[w.stack[e]]++;
        total += f->n - top;
    }
    for (int32_t k = 0; k < f->n; k++)
        f->first[k + 1] = count[k];
    cd_arena_rewind(arena, mark);
    if (total > most || total > INT32_MAX)
        return false;
    for (int32_t k = 0; k < f->n; k++)
        f->first[k + 1] += f->first[k];
    return true;
}

// Row after row: L_k,: of L_{<k} x = M_{<k, k}.
static bool factor_rows(cd_mass_factor *f, const columns *c, cd_arena *scratch)
{
    work w = make_work(f->n, scratch);
    memcpy(w.next, f->first, sizeof *w.next * (size_t)f->n);
    for (int32_t k = 0; k < f->n; k++) {
        const int32_t top = reach(f, k, c->row + c->first[k], c->first[k + 1] - c->first[k], w.mark, w.stack, w.path);
        for (int32_t e = c->first[k]; e < c->first[k + 1]; e++)
            w.x[c->row[e]] += c->value[e];
        double diagonal = w.x[k];
        w.x[k] = 0;
        for (int32_t s = top; s < f->n; s++) {
            const int32_t i = w.stack[s];
            const double value = w.x[i] / f->value[f->first[i]];
            w.x[i] = 0;
            for (int32_t e = f->first[i] + 1; e < w.next[i]; e++)
                w.x[f->row[e]] -= f->value[e] * value;
            diagonal -= value * value;
            f->row[w.next[i]] = k;
            f->value[w.next[i]++] = value;
        }
        if (!(diagonal > 0))
            return false;
        f->row[w.next[k]] = k;
        f->value[w.next[k]++] = sqrt(diagonal);
    }
    return true;
}

cd_mass_factor *cd_mass_factor_make(const cd_mm_matrix *M, int64_t most, cd_arena *arena)
{
    cd_mass_factor *f = cd_arena_zalloc(arena, sizeof *f);
    *f = (cd_mass_factor){.n = M->rows,
                          .order = elimination_order(M, arena),
                          .place = CD_ARENA_ARRAY(arena, int32_t, M->rows),
                          .parent = CD_ARENA_ARRAY(arena, int32_t, M->rows),
                          .first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)M->rows + 1)};
    for (int32_t k = 0; k < f->n; k++)
        f->place[f->order[k]] = k;
    cd_arena scratch = {0};
    const columns c = upper_columns(f, M, &scratch);
    find_tree(f, &c, &scratch);
    bool is_good = count_columns(f, &c, most, &scratch);
    if (is_good) {
        f->row = CD_ARENA_ARRAY(arena, int32_t, f->first[f->n]);
        f->value = CD_ARENA_ARRAY(arena, double, f->first[f->n]);
        is_good = factor_rows(f, &c, &scratch);
    }
    cd_arena_release(&scratch);
    return is_good ? f : NULL;
}

// x := L^-1 x on the columns stack[top..n), in that order.
static void solve_forward(const cd_mass_factor *f, const int32_t *stack, int32_t top, double *x)
{
    for (int32_t s = top; s < f->n; s++) {
        const int32_t i = stack[s];
        x[i] /= f->value[f->first[i]];
        for (int32_t e = f->first[i] + 1; e < f->first[i + 1]; e++)
            x[f->row[e]] -= f->value[e] * x[i];
    }
}

typedef struct row_entries {
    CD_LIST(int32_t) row;
    CD_LIST(int32_t) col;
    CD_LIST(double) value;
} row_entries;

// Entries of J by rows, the columns as places in the order of elimination.
typedef struct placed_rows {
    int32_t *first, *place;
    double *value;
} placed_rows;

static placed_rows place_rows(const cd_mass_factor *f, const cd_mm_matrix *J, cd_arena *arena)
{
    placed_rows out = {CD_ARENA_ZARRAY(arena, int32_t, (size_t)J->rows + 1),
                       CD_ARENA_ARRAY(arena, int32_t, J->entry_count), CD_ARENA_ARRAY(arena, double, J->entry_count)};
    int32_t *at = CD_ARENA_ARRAY(arena, int32_t, J->rows);
    for (int32_t k = 0; k < J->entry_count; k++)
        out.first[J->row[k] + 1]++;
    for (int32_t i = 0; i < J->rows; i++) {
        out.first[i + 1] += out.first[i];
        at[i] = out.first[i];
    }
    for (int32_t k = 0; k < J->entry_count; k++) {
        out.place[at[J->row[k]]] = f->place[J->col[k]];
        out.value[at[J->row[k]]++] = J->value[k];
    }
    return out;
}

// Each row of J solved along its paths, into *out. False above `most` entries.
static bool whiten_rows(const cd_mass_factor *f, const cd_mm_matrix *J, int64_t most, cd_arena *arena,
                        cd_mm_matrix *out)
{
    cd_arena scratch = {0};
    work w = make_work(f->n, &scratch);
    const placed_rows rows = place_rows(f, J, &scratch);
    row_entries e = {0};
    bool fits = true;
    for (int32_t i = 0; i < J->rows && fits; i++) {
        int32_t top = f->n;
        for (int32_t k = rows.first[i]; k < rows.first[i + 1]; k++) {
            int32_t length = 0;
            w.x[rows.place[k]] += rows.value[k];
            for (int32_t c = rows.place[k]; c >= 0 && w.mark[c] != i; c = f->parent[c]) {
                w.path[length++] = c;
                w.mark[c] = i;
            }
            while (length > 0)
                w.stack[--top] = w.path[--length];
        }
        solve_forward(f, w.stack, top, w.x);
        for (int32_t s = top; s < f->n; s++) {
            cd_list_push(arena, &e.row, i);
            cd_list_push(arena, &e.col, w.stack[s]);
            cd_list_push(arena, &e.value, w.x[w.stack[s]]);
            w.x[w.stack[s]] = 0;
        }
        fits = e.row.count <= most;
    }
    cd_arena_release(&scratch);
    *out = cd_mm_entries(J->rows, f->n, e.row.count, e.row.item, e.col.item, e.value.item);
    return fits;
}

bool cd_mass_whiten(const cd_mass_factor *f, const cd_coulomb *p, int64_t most, cd_arena *arena, cd_coulomb *out)
{
    const int32_t n = f->n;
    int32_t *all = CD_ARENA_ARRAY(arena, int32_t, n);
    double *one = CD_ARENA_ARRAY(arena, double, n);
    *out = *p;
    out->force = CD_ARENA_ARRAY(arena, double, n);
    for (int32_t k = 0; k < n; k++) {
        all[k] = k;
        one[k] = 1;
        out->force[k] = p->force[f->order[k]];
    }
    solve_forward(f, all, 0, out->force);
    out->matrix = cd_mm_entries(n, n, n, all, all, one);
    return whiten_rows(f, &p->jacobian, most, arena, &out->jacobian);
}

void cd_mass_reduce(const cd_coulomb *white, cd_arena *arena, cd_coulomb *out)
{
    const cd_mm_matrix *J = &white->jacobian;
    const size_t rows = (size_t)J->rows;
    cd_arena scratch = {0};
    double *W = CD_ARENA_ZARRAY(&scratch, double, rows *rows);
    // Entries by columns, the rows ascending, as J has them.
    int32_t *first = CD_ARENA_ZARRAY(&scratch, int32_t, (size_t)J->columns + 1);
    int32_t *at = CD_ARENA_ARRAY(&scratch, int32_t, J->columns),
            *row = CD_ARENA_ARRAY(&scratch, int32_t, J->entry_count);
    double *value = CD_ARENA_ARRAY(&scratch, double, J->entry_count);
    for (int32_t k = 0; k < J->entry_count; k++)
        first[J->col[k] + 1]++;
    for (int32_t c = 0; c < J->columns; c++) {
        first[c + 1] += first[c];
        at[c] = first[c];
    }
    for (int32_t k = 0; k < J->entry_count; k++) {
        row[at[J->col[k]]] = J->row[k];
        value[at[J->col[k]]++] = J->value[k];
    }
    for (int32_t c = 0; c < J->columns; c++) {
        for (int32_t i = first[c]; i < first[c + 1]; i++) {
            double *to = W + (size_t)row[i] * rows;
            for (int32_t j = first[c]; j <= i; j++)
                to[row[j]] += value[i] * value[j];
        }
    }
    *out = (cd_coulomb){.name = white->name,
                        .dimension = white->dimension,
                        .contacts = white->contacts,
                        .is_reduced = true,
                        .mu = white->mu};
    row_entries e = {0};
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < rows; j++) {
            const double x = i < j ? W[j * rows + i] : W[i * rows + j];
            if (x == 0)
                continue;
            cd_list_push(arena, &e.row, (int32_t)i);
            cd_list_push(arena, &e.col, (int32_t)j);
            cd_list_push(arena, &e.value, x);
        }
    }
    cd_arena_release(&scratch);
    out->matrix = cd_mm_entries(J->rows, J->rows, e.row.count, e.row.item, e.col.item, e.value.item);
    out->rhs = CD_ARENA_ARRAY(arena, double, rows);
    memcpy(out->rhs, white->rhs, sizeof *out->rhs * rows);
    for (int32_t k = 0; k < J->entry_count; k++)
        out->rhs[J->row[k]] += J->value[k] * white->force[J->col[k]];
}

void cd_mass_white_velocities(const cd_coulomb *white, const double *r, double *velocity)
{
    memcpy(velocity, white->force, sizeof *velocity * (size_t)white->matrix.rows);
    for (int32_t k = 0; k < white->jacobian.entry_count; k++)
        velocity[white->jacobian.col[k]] += white->jacobian.value[k] * r[white->jacobian.row[k]];
}

void cd_mass_velocities(const cd_mass_factor *f, const double *white, double *v, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *x = CD_ARENA_ARRAY(scratch, double, f->n);
    for (int32_t k = f->n - 1; k >= 0; k--) {
        x[k] = white[k];
        for (int32_t e = f->first[k] + 1; e < f->first[k + 1]; e++)
            x[k] -= f->value[e] * x[f->row[e]];
        x[k] /= f->value[f->first[k]];
        v[f->order[k]] = x[k];
    }
    cd_arena_rewind(scratch, mark);
}
