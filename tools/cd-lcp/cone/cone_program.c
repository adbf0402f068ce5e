// SPDX-License-Identifier: MIT
#include "cone_program.h"

#include <math.h>

// ---- making --------------------------------------------------------------------------------------------------------

// The rows of the programme one after the other, each with its own columns; cones are packed from them.
typedef struct draft {
    const cd_lcp_structure *s;
    const cd_cone_root *root;
    cd_arena *scratch;
    CD_LIST(int32_t) col;
    CD_LIST(double) value, h, unit;
    CD_LIST(int32_t) first, source, cone;  // of rows: where its entries begin; of cones: its first row
    int32_t columns;
} draft;

static void add_entry(draft *d, int32_t col, double value)
{
    cd_list_push(d->scratch, &d->col, col);
    cd_list_push(d->scratch, &d->value, value);
}

// A row of the programme begins: that of row i of the structure times `factor`, or an empty one.
static void add_row(draft *d, int32_t i, double factor)
{
    const cd_lcp_rows *left = &d->s->left, *root = &d->root->rows;
    cd_list_push(d->scratch, &d->first, d->col.count);
    cd_list_push(d->scratch, &d->source, i);
    cd_list_push(d->scratch, &d->h, i < 0 ? 0 : factor * d->s->q[i]);
    cd_list_push(d->scratch, &d->unit, i < 0 ? 0 : factor);
    if (i < 0)
        return;
    for (int32_t k = left->first[i]; k < left->first[i + 1]; k++)
        add_entry(d, left->col[k], factor * left->value[k]);
    for (int32_t k = root->first[i]; k < root->first[i + 1]; k++)
        add_entry(d, d->s->m + root->col[k], factor * root->value[k]);
}

static void add_tangents(draft *d, int32_t i)
{
    add_row(d, i, 1);
    if (d->s->partner[i] >= 0)
        add_row(d, d->s->partner[i], 1);
}

// Discs of one tangent, and of two at the first: those with friction.
static bool leads_disc(const cd_lcp_structure *s, int32_t i)
{
    return cd_lcp_is_tangent(s, i) && s->mu[i] > 0 && (s->partner[i] < 0 || s->partner[i] > i);
}

// The cones of a contact. next: of a disc the next one with the same normal row.
static void add_contact(draft *d, int32_t normal, int32_t disc, const int32_t *next)
{
    const cd_lcp_structure *s = d->s;
    cd_list_push(d->scratch, &d->cone, d->first.count);
    add_row(d, normal, disc < 0 ? 1 : 1 / s->mu[disc]);
    if (disc < 0)
        return;
    const int32_t shared = d->columns;
    for (int32_t k = next[disc]; k >= 0; k = next[k])
        add_entry(d, d->columns++, -s->mu[k] / s->mu[disc]);
    add_tangents(d, disc);
    int32_t column = shared;
    for (int32_t k = next[disc]; k >= 0; k = next[k]) {
        cd_list_push(d->scratch, &d->cone, d->first.count);
        add_row(d, -1, 1);
        add_entry(d, column++, 1);
        add_tangents(d, k);
    }
}

static void add_contacts(draft *d)
{
    const cd_lcp_structure *s = d->s;
    int32_t *first = CD_ARENA_ARRAY(d->scratch, int32_t, s->n), *next = CD_ARENA_ARRAY(d->scratch, int32_t, s->n);
    memset(first, -1, sizeof *first * (size_t)s->n);
    for (int32_t i = s->n - 1; i >= 0 && s->normal; i--) {
        if (!leads_disc(s, i))
            continue;
        next[i] = first[s->normal[i]];
        first[s->normal[i]] = i;
    }
    for (int32_t i = 0; i < s->n; i++) {
        if (!cd_lcp_is_tangent(s, i) && s->diagonal[i] > 0)
            add_contact(d, i, first[i], next);
    }
}

// ---- packing -------------------------------------------------------------------------------------------------------

// The columns of cone c, in the order in which its rows name them. Returns how many.
static int32_t pack_columns(const draft *d, int32_t c, int32_t *place, int32_t *col)
{
    int32_t width = 0;
    for (int32_t k = d->first.item[d->cone.item[c]]; k < d->first.item[d->cone.item[c + 1]]; k++) {
        if (place[d->col.item[k]] >= 0)
            continue;
        place[d->col.item[k]] = width;
        col[width++] = d->col.item[k];
    }
    return width;
}

// Values of the rows of cone c, all columns of the cone in each, times what brings their mean square norm to 1.
static void pack_values(const draft *d, int32_t c, const int32_t *place, int32_t width, cd_cone_program *out, double *H)
{
    const int32_t begin = d->cone.item[c], end = d->cone.item[c + 1];
    double sum = 0;
    memset(H, 0, sizeof *H * (size_t)width * (size_t)(end - begin));
    for (int32_t r = begin; r < end; r++) {
        for (int32_t k = d->first.item[r]; k < d->first.item[r + 1]; k++) {
            H[(size_t)(r - begin) * (size_t)width + (size_t)place[d->col.item[k]]] += d->value.item[k];
            sum += d->value.item[k] * d->value.item[k];
        }
    }
    const double factor = sum > 0 ? 1 / sqrt(sum / (end - begin)) : 1;
    for (int32_t k = 0; k < (end - begin) * width; k++)
        H[k] *= factor;
    for (int32_t r = begin; r < end; r++) {
        out->h[r] = d->h.item[r] * factor;
        out->unit[r] = d->unit.item[r] * factor;
    }
}

static void pack(draft *d, cd_cone_program *out, cd_arena *arena)
{
    const int32_t cones = d->cone.count, rows = d->first.count;
    cd_list_push(d->scratch, &d->cone, rows);
    cd_list_push(d->scratch, &d->first, d->col.count);
    int32_t *place = CD_ARENA_ARRAY(d->scratch, int32_t, d->columns),
            *first = CD_ARENA_ARRAY(arena, int32_t, (size_t)cones + 1),
            *col = CD_ARENA_ARRAY(arena, int32_t, d->col.count), *height = CD_ARENA_ARRAY(arena, int32_t, cones);
    int64_t *at = CD_ARENA_ARRAY(arena, int64_t, (size_t)cones + 1);
    memset(place, -1, sizeof *place * (size_t)d->columns);
    first[0] = 0;
    at[0] = 0;
    // Columns first: they tell how many values there are.
    for (int32_t c = 0; c < cones; c++) {
        first[c + 1] = first[c] + pack_columns(d, c, place, col + first[c]);
        height[c] = d->cone.item[c + 1] - d->cone.item[c];
        at[c + 1] = at[c] + (int64_t)height[c] * (first[c + 1] - first[c]);
        for (int32_t k = first[c]; k < first[c + 1]; k++)
            place[col[k]] = -1;
    }
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, (size_t)cones + 1);
    memcpy(row, d->cone.item, sizeof *row * ((size_t)cones + 1));
    out->cones = (cd_cones){.count = cones, .rows = rows, .row = row};
    out->source = CD_ARENA_ARRAY(arena, int32_t, rows);
    memcpy(out->source, d->source.item, sizeof *out->source * (size_t)rows);
    out->H = CD_ARENA_ARRAY(arena, double, at[cones]);
    out->h = CD_ARENA_ARRAY(arena, double, rows);
    out->unit = CD_ARENA_ARRAY(arena, double, rows);
    for (int32_t c = 0; c < cones; c++) {
        for (int32_t k = first[c]; k < first[c + 1]; k++)
            place[col[k]] = k - first[c];
        pack_values(d, c, place, first[c + 1] - first[c], out, out->H + at[c]);
    }
    out->groups = (cd_gram_groups){
        .columns = d->columns, .count = cones, .first = first, .col = col, .height = height, .place = at};
}

cd_cone_program cd_cone_program_make(const cd_lcp_structure *s, const cd_cone_root *root, cd_arena *arena)
{
    cd_arena scratch = {0};
    draft d = {.s = s, .root = root, .scratch = &scratch, .columns = s->m + root->columns};
    const int32_t with_mass = d.columns;
    cd_cone_program out = {0};
    add_contacts(&d);
    pack(&d, &out, arena);
    out.D = CD_ARENA_ARRAY(arena, double, d.columns);
    for (int32_t c = 0; c < d.columns; c++)
        out.D[c] = c < with_mass;
    cd_arena_release(&scratch);
    return out;
}

// ---- products ------------------------------------------------------------------------------------------------------

void cd_cone_impulses(const cd_cone_program *p, const double *z, int32_t n, double *y)
{
    memset(y, 0, sizeof *y * (size_t)n);
    for (int32_t r = 0; r < p->cones.rows; r++) {
        if (p->source[r] >= 0)
            y[p->source[r]] = p->unit[r] * z[r];
    }
}

void cd_cone_values(const cd_cone_program *p, const double *H, const double *u, double *out)
{
    const cd_gram_groups *g = &p->groups;
    for (int32_t c = 0; c < g->count; c++) {
        const int32_t *col = g->col + g->first[c], width = g->first[c + 1] - g->first[c];
        const double *row = H + g->place[c];
        for (int32_t r = p->cones.row[c]; r < p->cones.row[c + 1]; r++, row += width) {
            double sum = 0;
            for (int32_t k = 0; k < width; k++)
                sum += row[k] * u[col[k]];
            out[r] = sum;
        }
    }
}

void cd_cone_transposed(const cd_cone_program *p, const double *H, const double *x, double *out)
{
    const cd_gram_groups *g = &p->groups;
    memset(out, 0, sizeof *out * (size_t)g->columns);
    for (int32_t c = 0; c < g->count; c++) {
        const int32_t *col = g->col + g->first[c], width = g->first[c + 1] - g->first[c];
        const double *row = H + g->place[c];
        for (int32_t r = p->cones.row[c]; r < p->cones.row[c + 1]; r++, row += width) {
            for (int32_t k = 0; k < width; k++)
                out[col[k]] += row[k] * x[r];
        }
    }
}
