// SPDX-License-Identifier: MIT
#include "certify_rows.h"

#include "cd_bodies.h"
#include "cd_codec.h"

const char *const cd_certificate_metric[CD_CERTIFICATE_COUNTS] = {"apart", "touching", "overlapping", "open"};

typedef struct writer {
    const cd_model *in;
    const int32_t *next_row;  // of each body; NULL: no table `next`
    cd_certificate_rows *rows;
} writer;

// ---- the seal ------------------------------------------------------------------------------------------------------

// -0, which JSON readers take for 0, counts as 0.
static uint32_t add_numbers(uint32_t crc, const double *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double plain = number[i] + 0.0;
        crc = cd_crc32(crc, &plain, sizeof plain);
    }
    return crc;
}

static uint32_t add_pose(uint32_t crc, const writer *w, int32_t body, int32_t part)
{
    size_t dim = (size_t)w->in->dim, turn = dim == 2 ? 1 : 4, row = (size_t)body;
    const double *position = w->in->body.position, *rotation = w->in->body.rotation;
    if (w->next_row && w->next_row[body] >= 0) {
        row = (size_t)w->next_row[body];
        position = w->in->next.position;
        rotation = w->in->next.rotation;
    }
    crc = add_numbers(crc, position + dim * row, dim);
    crc = add_numbers(crc, rotation + turn * row, turn);
    return cd_crc32(crc, &part, sizeof part);
}

// STREAM.md, "Certificates". Numbers are little-endian, as doubles and int32.
static int64_t seal_of(const writer *w, const cd_overlap_certificate *c, int32_t row)
{
    const cd_certificate_rows *rows = w->rows;
    size_t dim = (size_t)w->in->dim;
    uint32_t crc = add_pose(add_pose(0, w, c->a, c->part_a), w, c->b, c->part_b);
    crc = cd_crc32(crc, &c->result.label, sizeof c->result.label);
    crc = add_numbers(crc, rows->normal.f64 + dim * (size_t)rows->normal.offset[row],
                      dim * (size_t)c->result.normal_count);
    if (c->result.has_point)
        crc = add_numbers(crc, rows->point + dim * (size_t)row, dim);
    return cd_crc32(crc, rows->corners.i32 + 2 * (size_t)rows->corners.offset[row],
                    2 * (size_t)c->result.corner_count * sizeof(int32_t));
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void put_witness(const writer *w, int32_t row, const certify_result *result)
{
    cd_certificate_rows *rows = w->rows;
    int dim = w->in->dim;
    double *normal = rows->normal.f64 + (size_t)dim * (size_t)rows->normal.offset[row];
    for (int32_t k = 0; k < result->normal_count; k++, normal += dim) {
        cd_vec3 n = result->normal[k];
        memcpy(normal, (double[3]){n.x, n.y, n.z}, (size_t)dim * sizeof *normal);
    }
    if (result->has_point)
        memcpy(rows->point + (size_t)dim * (size_t)row, &result->point, (size_t)dim * sizeof(double));
    int32_t *corner = rows->corners.i32 + 2 * (size_t)rows->corners.offset[row];
    for (int32_t k = 0; k < result->corner_count; k++) {
        corner[2 * k] = result->corner[k].a;
        corner[2 * k + 1] = result->corner[k].b;
    }
}

// Columns, and room for lists, of all rows.
static void make_columns(cd_arena *arena, int dim, const cd_overlap_result *result, cd_certificate_rows *rows)
{
    int32_t count = rows->count, normals = 0, corners = 0, row = 0;
    CD_COLUMN(arena, dim, certificate, rows, a);
    CD_COLUMN(arena, dim, certificate, rows, b);
    CD_COLUMN(arena, dim, certificate, rows, label);
    CD_COLUMN(arena, dim, certificate, rows, seal);
    rows->normal.offset = CD_ARENA_ZARRAY(arena, int32_t, count + 1);
    rows->corners.offset = CD_ARENA_ZARRAY(arena, int32_t, count + 1);
    for (int32_t i = 0; i < result->certificate_count; i++) {
        const certify_result *found = &result->certificate[i].result;
        if (found->label == CD_ABSENT)
            continue;
        if (found->has_point && !rows->point)
            CD_COLUMN(arena, dim, certificate, rows, point);
        rows->normal.offset[++row] = normals += found->normal_count;
        rows->corners.offset[row] = corners += found->corner_count;
    }
    rows->normal.f64 = CD_ARENA_ARRAY(arena, double, dim *(int64_t)normals);
    rows->corners.i32 = CD_ARENA_ARRAY(arena, int32_t, 2 * (int64_t)corners);
}

cd_certificate_counts cd_certificate_make_rows(cd_arena *arena, const cd_model *in, const cd_overlap_result *result,
                                               cd_certificate_rows *rows)
{
    writer w = {in, in->next.count > 0 ? cd_body_next_rows(arena, in) : NULL, rows};
    cd_certificate_counts counts = {0};
    for (int32_t i = 0; i < result->certificate_count; i++) {
        int32_t label = result->certificate[i].result.label;
        counts.of[label == CD_ABSENT ? CD_CERTIFICATE_OPEN : label]++;
    }
    *rows = (cd_certificate_rows){.count = result->certificate_count - counts.of[CD_CERTIFICATE_OPEN]};
    if (rows->count == 0)
        return counts;
    make_columns(arena, in->dim, result, rows);
    for (int32_t i = 0, row = 0; i < result->certificate_count; i++) {
        const cd_overlap_certificate *c = &result->certificate[i];
        if (c->result.label == CD_ABSENT)
            continue;
        memcpy(rows->a + 2 * row, (int32_t[2]){c->a, c->part_a}, 2 * sizeof *rows->a);
        memcpy(rows->b + 2 * row, (int32_t[2]){c->b, c->part_b}, 2 * sizeof *rows->b);
        rows->label[row] = c->result.label;
        put_witness(&w, row, &c->result);
        rows->seal[row] = seal_of(&w, c, row);
        row++;
    }
    return counts;
}
