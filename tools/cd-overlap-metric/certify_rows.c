// SPDX-License-Identifier: MIT
#include "certify_rows.h"

#include "cd_bodies.h"
#include "cd_codec.h"

enum { OPEN = CD_LABEL_COUNT, COUNTS };
static const char *const count_name[COUNTS] = {"apart", "touching", "overlapping", "open"};

typedef struct label_counts {
    int32_t of[COUNTS];  // by CD_LABEL_..., and those open: no row, nothing is proved
} label_counts;

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

static uint32_t add_pose(uint32_t crc, const writer *w, int32_t body, bool at_end)
{
    size_t dim = (size_t)w->in->dim, turn = dim == 2 ? 1 : 4, row = (size_t)body;
    const double *position = w->in->body.position, *rotation = w->in->body.rotation;
    if (at_end && w->next_row && w->next_row[body] >= 0) {
        row = (size_t)w->next_row[body];
        position = w->in->next.position;
        rotation = w->in->next.rotation;
    }
    crc = add_numbers(crc, position + dim * row, dim);
    return add_numbers(crc, rotation + turn * row, turn);
}

// STREAM.md, "Certificates". Numbers are little-endian, as doubles and int32.
static int64_t seal_of(const writer *w, const cd_overlap_certificate *c, int32_t row)
{
    const cd_certificate_rows *rows = w->rows;
    size_t dim = (size_t)w->in->dim;
    uint32_t crc = cd_crc32(add_pose(0, w, c->a, true), &c->part_a, sizeof c->part_a);
    crc = cd_crc32(add_pose(crc, w, c->b, true), &c->part_b, sizeof c->part_b);
    crc = cd_crc32(crc, &c->result.label, sizeof c->result.label);
    crc = add_numbers(crc, rows->normal.f64 + dim * (size_t)rows->normal.offset[row],
                      dim * (size_t)c->result.normal_count);
    if (c->result.has_point)
        crc = add_numbers(crc, rows->point + dim * (size_t)row, dim);
    return cd_crc32(crc, rows->corners.i32 + 2 * (size_t)rows->corners.offset[row],
                    2 * (size_t)c->result.corner_count * sizeof(int32_t));
}

// The same, and how they moved.
static int64_t path_seal_of(const writer *w, const cd_overlap_certificate *c, const certify_interval *interval,
                            int32_t row)
{
    uint32_t crc = (uint32_t)seal_of(w, c, row);
    crc = add_pose(add_pose(crc, w, c->a, false), w, c->b, false);
    const double numbers[3] = {interval->begin, interval->end, isnan(interval->depth) ? 0 : interval->depth};
    crc = add_numbers(crc, numbers, 3);
    return cd_crc32(crc, &interval->side, sizeof interval->side);
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

static cd_overlap_certificate plane_of(const certify_interval *interval)
{
    return (cd_overlap_certificate){
        .a = interval->a,
        .b = interval->b,
        .part_a = interval->part_a,
        .part_b = interval->part_b,
        .result = {.label = interval->label, .normal = &interval->normal, .normal_count = 1}};
}

// Static ones and those of the path as one list.
static cd_overlap_result all_of(cd_arena *arena, const cd_overlap_result *result, const certify_path *path)
{
    int32_t count = result->certificate_count;
    cd_overlap_certificate *all = CD_ARENA_ARRAY(arena, cd_overlap_certificate, count + path->count);
    for (int32_t i = 0; i < count; i++)
        all[i] = result->certificate[i];
    for (int32_t i = 0; i < path->count; i++)
        all[count + i] = plane_of(&path->interval[i]);
    return (cd_overlap_result){.certificate_count = count + path->count, .certificate = all};
}

static void put_path(cd_arena *arena, const writer *w, const cd_overlap_result *all, const certify_path *path)
{
    cd_certificate_rows *rows = w->rows;
    int dim = w->in->dim;
    CD_COLUMN(arena, dim, certificate, rows, begin);
    CD_COLUMN(arena, dim, certificate, rows, end);
    CD_COLUMN(arena, dim, certificate, rows, side);
    CD_COLUMN(arena, dim, certificate, rows, depth);
    for (int32_t i = 0; i < path->count; i++) {
        int32_t row = rows->count - path->count + i;
        const certify_interval *interval = &path->interval[i];
        rows->begin[row] = interval->begin;
        rows->end[row] = interval->end;
        rows->side[row] = interval->side;
        rows->depth[row] = interval->depth;
        rows->seal[row] = path_seal_of(w, &all->certificate[all->certificate_count - path->count + i], interval, row);
    }
}

// In the order of the result, then the path's.
static label_counts make_rows(cd_arena *arena, const cd_model *in, const cd_overlap_result *found,
                              const certify_path *path, cd_certificate_rows *rows)
{
    cd_overlap_result all = all_of(arena, found, path), *result = &all;
    writer w = {in, in->next.count > 0 ? cd_body_next_rows(arena, in) : NULL, rows};
    label_counts counts = {0};
    for (int32_t i = 0; i < found->certificate_count; i++) {
        int32_t label = found->certificate[i].result.label;
        counts.of[label == CD_ABSENT ? OPEN : label]++;
    }
    *rows = (cd_certificate_rows){.count = result->certificate_count - counts.of[OPEN]};
    if (rows->count == 0)
        return counts;
    make_columns(arena, in->dim, result, rows);
    for (int32_t i = 0, row = 0; i < result->certificate_count; i++) {
        const cd_overlap_certificate *c = &result->certificate[i];
        if (c->result.label == CD_ABSENT)
            continue;
        memcpy(rows->a + 2 * (size_t)row, (int32_t[2]){c->a, c->part_a}, 2 * sizeof *rows->a);
        memcpy(rows->b + 2 * (size_t)row, (int32_t[2]){c->b, c->part_b}, 2 * sizeof *rows->b);
        rows->label[row] = c->result.label;
        put_witness(&w, row, &c->result);
        rows->seal[row] = seal_of(&w, c, row);
        row++;
    }
    if (path->count > 0)
        put_path(arena, &w, result, path);
    return counts;
}

void cd_certificate_write(cd_ctx *ctx, const cd_overlap_input *input, const cd_overlap_result *result, bool path)
{
    certify_path way = {0};
    if (path)
        way = certify_path_frame(&ctx->arena, input);
    label_counts counts = make_rows(&ctx->arena, &ctx->in, result, &way, &ctx->out.certificate);
    for (int k = 0; k < COUNTS; k++)
        cd_add_metric(ctx, count_name[k], counts.of[k], -1, -1);
    if (!path)
        return;
    cd_add_metric(ctx, "path-apart", way.pairs[CD_LABEL_APART], -1, -1);
    cd_add_metric(ctx, "path-touching", way.pairs[CD_LABEL_TOUCHING], -1, -1);
    cd_add_metric(ctx, "path-overlapping", way.pairs[CD_LABEL_OVERLAPPING], -1, -1);
    cd_add_metric(ctx, "path-open", way.open, -1, -1);
    cd_add_metric(ctx, "path-depth", way.depth, -1, -1);
}
