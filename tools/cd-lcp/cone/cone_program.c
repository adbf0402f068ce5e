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

// Room for what nearly all problems have: growing lists are copied, and touch new memory, again and again.
static void reserve(draft *d)
{
    const int32_t n = d->s->n, entries = d->s->left.first[n] + d->root->rows.first[n] + n;
    d->col.item = CD_ARENA_ARRAY(d->scratch, int32_t, entries);
    d->value.item = CD_ARENA_ARRAY(d->scratch, double, entries);
    d->col.capacity = d->value.capacity = entries;
    d->h.item = CD_ARENA_ARRAY(d->scratch, double, n);
    d->unit.item = CD_ARENA_ARRAY(d->scratch, double, n);
    d->h.capacity = d->unit.capacity = n;
    d->first.item = CD_ARENA_ARRAY(d->scratch, int32_t, n + 1);
    d->source.item = CD_ARENA_ARRAY(d->scratch, int32_t, n);
    d->cone.item = CD_ARENA_ARRAY(d->scratch, int32_t, n + 1);
    d->first.capacity = d->cone.capacity = n + 1;
    d->source.capacity = n;
}

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

// Columns that a cone may lack of those of its group: rows of one pair of bodies, where a coefficient is 0 by chance.
enum { MISSING_MOST = 2 };

// The columns of cone c, ascending. Returns how many.
static int32_t list_columns(const draft *d, int32_t c, int32_t *col)
{
    const int32_t begin = d->first.item[d->cone.item[c]], end = d->first.item[d->cone.item[c + 1]];
    int32_t width = 0;
    for (int32_t k = begin; k < end; k++)
        width = cd_ascending_add(col, width, d->col.item[k]);
    return width;
}

// Whether all of a (ascending) are among b, and not many more.
static bool is_within(const int32_t *a, int32_t a_count, const int32_t *b, int32_t b_count)
{
    int32_t k = 0;
    for (int32_t i = 0; i < a_count; i++) {
        while (k < b_count && b[k] < a[i])
            k++;
        if (k == b_count || b[k] != a[i])
            return false;
    }
    return b_count - a_count <= MISSING_MOST;
}

// Values of the rows of cone c, which has columns of its own, at those of its group, times what brings their mean
// square norm, that of M^-1, to 1. place: of each column its place in the group.
static void pack_values(const draft *d, int32_t c, const int32_t *place, int32_t stride, cd_cone_program *out,
                        double *H)
{
    const int32_t begin = d->cone.item[c], end = d->cone.item[c + 1];
    double sum = 0;
    memset(H, 0, sizeof *H * (size_t)stride * (size_t)(end - begin));
    for (int32_t r = begin; r < end; r++) {
        for (int32_t k = d->first.item[r]; k < d->first.item[r + 1]; k++) {
            H[(size_t)(r - begin) * (size_t)stride + (size_t)place[d->col.item[k]]] += d->value.item[k];
            if (!d->root->mass.first || d->col.item[k] >= d->s->m + d->root->columns)
                sum += d->value.item[k] * d->value.item[k];
        }
        if (d->root->mass.first && d->source.item[r] >= 0)
            sum += d->unit.item[r] * d->unit.item[r] * d->s->diagonal[d->source.item[r]];
    }
    const double factor = sum > 0 ? 1 / sqrt(sum / (end - begin)) : 1;
    for (int32_t k = 0; k < (end - begin) * stride; k++)
        H[k] *= factor;
    for (int32_t r = begin; r < end; r++) {
        out->h[r] = d->h.item[r] * factor;
        out->unit[r] = d->unit.item[r] * factor;
    }
}

// Cones one after the other with the same columns, or nearly so, are a group. group: of each cone.
static void find_groups(draft *d, int32_t cones, int32_t *group, cd_gram_groups *out, cd_arena *arena)
{
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, (size_t)cones + 1),
            *col = CD_ARENA_ARRAY(arena, int32_t, d->col.count), *height = CD_ARENA_ZARRAY(arena, int32_t, cones),
            *own = CD_ARENA_ARRAY(d->scratch, int32_t, (size_t)d->columns + 1), count = 0;
    first[0] = 0;
    for (int32_t c = 0; c < cones; c++) {
        const int32_t width = list_columns(d, c, own), last = count > 0 ? first[count] - first[count - 1] : 0;
        int32_t *of_last = count > 0 ? col + first[count - 1] : col;
        const bool is_smaller = count > 0 && is_within(own, width, of_last, last),
                   is_larger = count > 0 && is_within(of_last, last, own, width);
        if (!is_smaller && !is_larger) {
            of_last = col + first[count];
            count++;
        }
        if (!is_smaller) {
            memcpy(of_last, own, sizeof *own * (size_t)width);
            first[count] = first[count - 1] + width;
        }
        group[c] = count - 1;
        height[count - 1] += d->cone.item[c + 1] - d->cone.item[c];
    }
    *out = (cd_gram_groups){.columns = d->columns, .count = count, .first = first, .col = col, .height = height};
}

static void pack(draft *d, cd_cone_program *out, cd_arena *arena)
{
    const int32_t cones = d->cone.count, rows = d->first.count;
    cd_list_push(d->scratch, &d->cone, rows);
    cd_list_push(d->scratch, &d->first, d->col.count);
    int32_t *group = CD_ARENA_ARRAY(d->scratch, int32_t, cones), *at = CD_ARENA_ARRAY(d->scratch, int32_t, d->columns);
    cd_gram_groups *g = &out->groups;
    find_groups(d, cones, group, g, arena);
    int64_t *group_place = CD_ARENA_ARRAY(arena, int64_t, (size_t)g->count + 1),
            *place = CD_ARENA_ARRAY(arena, int64_t, (size_t)cones + 1);
    int32_t *stride = CD_ARENA_ARRAY(arena, int32_t, cones), *row = CD_ARENA_ARRAY(arena, int32_t, (size_t)cones + 1);
    place[0] = 0;
    for (int32_t c = 0; c < cones; c++) {
        stride[c] = cd_gram_stride(g->first[group[c] + 1] - g->first[group[c]]);
        if (c == 0 || group[c] != group[c - 1])
            group_place[group[c]] = place[c];
        place[c + 1] = place[c] + (int64_t)stride[c] * (d->cone.item[c + 1] - d->cone.item[c]);
    }
    group_place[g->count] = place[cones];
    g->place = group_place;
    memcpy(row, d->cone.item, sizeof *row * ((size_t)cones + 1));
    out->cones = (cd_cones){.count = cones, .rows = rows, .row = row};
    out->place = place;
    out->stride = stride;
    out->source = CD_ARENA_ARRAY(arena, int32_t, rows);
    if (rows > 0)
        memcpy(out->source, d->source.item, sizeof *out->source * (size_t)rows);
    out->H = CD_ARENA_ARRAY(arena, double, place[cones]);
    out->h = CD_ARENA_ARRAY(arena, double, rows);
    out->unit = CD_ARENA_ARRAY(arena, double, rows);
    for (int32_t c = 0; c < cones; c++) {
        for (int32_t k = g->first[group[c]]; k < g->first[group[c] + 1]; k++)
            at[g->col[k]] = k - g->first[group[c]];
        pack_values(d, c, at, stride[c], out, out->H + place[c]);
    }
}

// The mass of the root, among the columns of the programme.
static void hold_mass(const draft *d, cd_gram_groups *g, cd_arena *arena)
{
    const cd_lcp_rows *mass = &d->root->mass;
    const int32_t m = d->s->m, count = d->root->columns, entries = mass->first[count];
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)d->columns + 1),
            *col = CD_ARENA_ARRAY(arena, int32_t, entries);
    for (int32_t i = 0; i < d->columns; i++)
        first[i + 1] = i < m ? 0 : mass->first[i - m < count ? i - m + 1 : count];
    for (int32_t k = 0; k < entries; k++)
        col[k] = m + mass->col[k];
    g->held_first = first;
    g->held_col = col;
    g->held = mass->value;
}

cd_cone_program cd_cone_program_make(const cd_lcp_structure *s, const cd_cone_root *root, cd_arena *arena)
{
    cd_arena scratch = {0};  // of 10,000 bricks 55 MB, which go back before anything is factored
    draft d = {.s = s, .root = root, .scratch = &scratch, .columns = s->m + root->columns};
    const int32_t with_mass = d.columns;
    cd_cone_program out = {0};
    reserve(&d);
    add_contacts(&d);
    pack(&d, &out, arena);
    out.D = CD_ARENA_ARRAY(arena, double, d.columns);
    for (int32_t c = 0; c < d.columns; c++)
        out.D[c] = c < with_mass;
    if (root->mass.first)
        hold_mass(&d, &out.groups, arena);
    cd_arena_release(&scratch);
    return out;
}

// A part of a programme, while it is made.
typedef struct part {
    cd_cone_program out;
    int32_t *first, *col, *height, *row, *stride;
    int64_t *group_place, *place;
} part;

// With room for the whole.
static part make_part(const cd_cone_program *p, cd_arena *arena)
{
    const size_t cones = (size_t)p->cones.count, rows = (size_t)p->cones.rows, groups = (size_t)p->groups.count;
    part out = {.first = CD_ARENA_ZARRAY(arena, int32_t, groups + 1),
                .col = CD_ARENA_ARRAY(arena, int32_t, p->groups.first[groups]),
                .height = CD_ARENA_ARRAY(arena, int32_t, groups),
                .row = CD_ARENA_ZARRAY(arena, int32_t, cones + 1),
                .stride = CD_ARENA_ARRAY(arena, int32_t, cones),
                .group_place = CD_ARENA_ZARRAY(arena, int64_t, groups + 1),
                .place = CD_ARENA_ZARRAY(arena, int64_t, cones + 1)};
    out.out = (cd_cone_program){.groups = {.columns = p->groups.columns,
                                           .first = out.first,
                                           .col = out.col,
                                           .height = out.height,
                                           .place = out.group_place},
                                .cones = {.row = out.row},
                                .place = out.place,
                                .stride = out.stride,
                                .H = CD_ARENA_ARRAY(arena, double, p->groups.place[groups]),
                                .h = CD_ARENA_ARRAY(arena, double, rows),
                                .D = p->D,
                                .source = CD_ARENA_ARRAY(arena, int32_t, rows),
                                .unit = CD_ARENA_ARRAY(arena, double, rows)};
    return out;
}

static void add_cone(const cd_cone_program *p, int32_t c, part *x)
{
    cd_cone_program *out = &x->out;
    const int32_t from = p->cones.row[c], n = p->cones.row[c + 1] - from, to = out->cones.rows, k = out->cones.count++;
    const int64_t size = (int64_t)n * p->stride[c];
    memcpy(out->H + x->place[k], p->H + p->place[c], sizeof *out->H * (size_t)size);
    memcpy(out->h + to, p->h + from, sizeof *out->h * (size_t)n);
    memcpy(out->source + to, p->source + from, sizeof *out->source * (size_t)n);
    memcpy(out->unit + to, p->unit + from, sizeof *out->unit * (size_t)n);
    x->stride[k] = p->stride[c];
    x->place[k + 1] = x->place[k] + size;
    x->row[k + 1] = out->cones.rows = to + n;
}

// Group g, whose cones from `begin` on have been added.
static void add_group(const cd_cone_program *p, int32_t g, int32_t begin, part *x)
{
    const int32_t k = x->out.groups.count++, width = p->groups.first[g + 1] - p->groups.first[g];
    memcpy(x->col + x->first[k], p->groups.col + p->groups.first[g], sizeof *x->col * (size_t)width);
    x->first[k + 1] = x->first[k] + width;
    x->height[k] = x->out.cones.rows - x->row[begin];
    x->group_place[k + 1] = x->place[x->out.cones.count];
}

cd_cone_program cd_cone_program_part(const cd_cone_program *p, const bool *keep, cd_arena *arena)
{
    part x = make_part(p, arena);
    for (int32_t g = 0, c = 0, end = 0; g < p->groups.count; g++) {
        const int32_t begin = x.out.cones.count;
        end += p->groups.height[g];
        for (; c < p->cones.count && p->cones.row[c] < end; c++) {
            if (keep[c])
                add_cone(p, c, &x);
        }
        if (x.out.cones.count > begin)
            add_group(p, g, begin, &x);
    }
    return x.out;
}

void cd_cone_impulses(const cd_cone_program *p, const double *z, int32_t n, double *y)
{
    memset(y, 0, sizeof *y * (size_t)n);
    for (int32_t r = 0; r < p->cones.rows; r++) {
        if (p->source[r] >= 0)
            y[p->source[r]] = p->unit[r] * z[r];
    }
}
