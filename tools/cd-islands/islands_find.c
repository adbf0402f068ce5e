// SPDX-License-Identifier: MIT
#include "islands_find.h"

#include "cd_bodies.h"

#include <inttypes.h>
#include <stdlib.h>

// Union-find over bodies, then rows; the least member stands for a set.
static int32_t root_of(int32_t *above, int32_t i)
{
    while (above[i] != i)
        i = above[i] = above[above[i]];
    return i;
}

static void join(int32_t *above, int32_t i, int32_t j)
{
    i = root_of(above, i);
    j = root_of(above, j);
    if (i < j)
        above[j] = i;
    else
        above[i] = j;
}

// Of bodies that take no part yet too: no row has to do with them.
static bool is_moved(const cd_model *in, int32_t body) { return cd_body_motion(in, body) == CD_MOTION_DYNAMIC; }

static void join_contact(int32_t *above, const cd_model *in, int32_t node, int32_t contact)
{
    const int32_t sides[] = {in->contact.a[2 * (size_t)contact], in->contact.b[2 * (size_t)contact]};
    for (int k = 0; k < 2; k++)
        if (is_moved(in, sides[k]))
            join(above, node, sides[k]);
}

static void join_list(int32_t *above, const cd_model *in, int32_t node, const cd_list *contacts, int32_t constraint)
{
    for (int32_t k = contacts->offset ? contacts->offset[constraint] : 0;
         contacts->offset && k < contacts->offset[constraint + 1]; k++)
        join_contact(above, in, node, contacts->i32[k]);
}

static cd_status join_rows(int32_t *above, const cd_model *in, const cd_refs *refs, cd_diag *diag)
{
    const cd_row_rows *row = &in->row;
    int32_t bodies = in->body.count;
    for (int32_t i = 0; i < row->count; i++) {
        int32_t node = bodies + i;
        if (row->body && row->body[i] >= 0 && is_moved(in, row->body[i]))
            join(above, node, row->body[i]);
        if (row->contact && row->contact[i] >= 0)
            join_contact(above, in, node, row->contact[i]);
        if (row->constraint && row->constraint[i] >= 0) {
            join_list(above, in, node, &in->constraint.primary, row->constraint[i]);
            join_list(above, in, node, &in->constraint.secondary, row->constraint[i]);
        }
        if (!row->normal_row || row->normal_row[i] == CD_ABSENT)
            continue;
        int32_t normal = cd_refs_row(refs, CD_REC_row, row->normal_row[i]);
        if (normal < 0)
            return cd_fail(diag, CD_ERR_FORMAT, "row %" PRId64 ": normal_row: there is no row %d", row->id[i],
                           (int)row->normal_row[i]);
        join(above, node, bodies + normal);
    }
    for (int32_t k = 0; k < in->entry.count; k++)
        join(above, bodies + in->entry.row[k], bodies + in->entry.col[k]);
    return CD_OK;
}

typedef struct island {
    int32_t root, rows;
} island;

static int by_cost(const void *left, const void *right)
{
    const island *a = left, *b = right;
    return a->rows != b->rows ? (a->rows < b->rows) - (a->rows > b->rows) : (a->root > b->root) - (a->root < b->root);
}

// Part of each island, by its root.
static int32_t *deal(cd_arena *arena, island *list, int32_t count, int32_t nodes, int32_t parts, double *cost)
{
    int32_t *part_of = CD_ARENA_ARRAY(arena, int32_t, nodes);
    qsort(list, (size_t)count, sizeof *list, by_cost);
    for (int32_t i = 0; i < count; i++) {
        int32_t least = 0;
        for (int32_t p = 1; p < parts; p++)
            least = cost[p] < cost[least] ? p : least;
        part_of[list[i].root] = least;
        cost[least] += list[i].rows * sqrt(list[i].rows);
    }
    return part_of;
}

cd_status cd_islands_find(cd_arena *arena, const cd_model *in, const cd_refs *refs, int32_t parts, cd_islands *islands,
                          cd_diag *diag)
{
    int32_t bodies = in->body.count, nodes = bodies + in->row.count;
    int32_t *above = CD_ARENA_ARRAY(arena, int32_t, nodes), *rows = CD_ARENA_ZARRAY(arena, int32_t, nodes);
    for (int32_t i = 0; i < nodes; i++)
        above[i] = i;
    CD_TRY(join_rows(above, in, refs, diag));
    for (int32_t i = bodies; i < nodes; i++)
        rows[root_of(above, i)]++;
    island *list = CD_ARENA_ARRAY(arena, island, in->row.count);
    *islands =
        (cd_islands){.part = CD_ARENA_ARRAY(arena, int32_t, bodies), .cost = CD_ARENA_ZARRAY(arena, double, parts)};
    for (int32_t i = 0; i < nodes; i++)
        if (rows[i] > 0) {
            if (i >= bodies)
                return cd_fail(diag, CD_ERR_UNSUPPORTED, "row %" PRId64 ": has to do with no body that impulses move",
                               in->row.id[i - bodies]);
            list[islands->count++] = (island){i, rows[i]};
        }
    const int32_t *part_of = deal(arena, list, islands->count, nodes, parts, islands->cost);
    for (int32_t i = 0; i < bodies; i++) {
        int32_t root = root_of(above, i);
        islands->part[i] = !is_moved(in, i) ? CD_ISLANDS_ALL : rows[root] > 0 ? part_of[root] : CD_ISLANDS_NONE;
    }
    return CD_OK;
}
