// SPDX-License-Identifier: MIT
#include "cd_leaf_build.h"

#include <inttypes.h>

// Leaves of one shape, nested compounds expanded: a few short records must not unfold into more than memory holds.
#define MAX_LEAVES (INT64_C(1) << 24)

// ---- messages ------------------------------------------------------------------------------------------------------

static int64_t shape_id(const cd_leaf_build *build, int32_t shape)
{
    const int64_t *id = build->in->shape.id;
    return id ? id[shape] : cd_refs_id(build->refs, CD_REC_shape, shape);
}

cd_status cd_leaf_fault(const cd_leaf_build *build, int32_t shape, const char *member, const char *problem)
{
    return cd_fail(build->diag, CD_ERR_FORMAT, "shape %" PRId64 ": %s: %s", shape_id(build, shape), member, problem);
}

cd_status cd_leaf_unknown(const cd_leaf_build *build, int32_t shape, const char *where)
{
    return cd_fail(build->diag, CD_ERR_UNSUPPORTED, "shape %" PRId64 ": kind: this kind is not one of %s",
                   shape_id(build, shape), where);
}

cd_status cd_leaf_fault_at(const cd_leaf_build *build, cd_status status, int32_t shape)
{
    return cd_fail_at(build->diag, status, "shape %" PRId64, shape_id(build, shape));
}

cd_status cd_leaf_value(const cd_leaf_build *build, int32_t shape, const double *column, int width, const char *member,
                        const char *kind, const double **value)
{
    *value = column ? column + (size_t)width * (size_t)shape : NULL;
    for (int k = 0; k < width; k++)
        if (!*value || isnan((*value)[k]))
            return cd_fail(build->diag, CD_ERR_FORMAT, "shape %" PRId64 ": %s: required of %s", shape_id(build, shape),
                           member, kind);
    return CD_OK;
}

cd_status cd_leaf_size(const cd_leaf_build *build, int32_t shape, const double *column, int width, const char *member,
                       const char *kind, const double **value)
{
    CD_TRY(cd_leaf_value(build, shape, column, width, member, kind, value));
    for (int k = 0; k < width; k++)
        if (!((*value)[k] > 0) || isinf((*value)[k]))
            return cd_fail(build->diag, CD_ERR_FORMAT, "shape %" PRId64 ": %s: %g is not a finite size above 0",
                           shape_id(build, shape), member, (*value)[k]);
    return CD_OK;
}

// ---- parts ---------------------------------------------------------------------------------------------------------

int32_t cd_leaf_part_count(const cd_leaf_build *build, int32_t compound)
{
    return cd_list_count(&build->in->shape.parts_shape, compound);
}

static const double *element_of(const cd_list *list, int32_t row, int32_t element, int width)
{
    if (cd_list_count(list, row) == 0)
        return NULL;
    return list->f64 + (size_t)width * ((size_t)list->offset[row] + (size_t)element);
}

cd_leaf_part cd_leaf_part_at(const cd_leaf_build *build, int32_t compound, int32_t part)
{
    const cd_shape_rows *rows = &build->in->shape;
    int dim = build->in->dim;
    return (cd_leaf_part){.shape = rows->parts_shape.i32[rows->parts_shape.offset[compound] + part],
                          .position = element_of(&rows->parts_position, compound, part, dim),
                          .rotation = element_of(&rows->parts_rotation, compound, part, dim == 2 ? 1 : 4)};
}

// ---- counts --------------------------------------------------------------------------------------------------------

// Leaves of a compound given those of all earlier shapes.
static cd_status count_parts(const cd_leaf_build *build, int32_t shape, const int64_t *count, int64_t *sum)
{
    const cd_shape_rows *rows = &build->in->shape;
    int32_t parts = cd_leaf_part_count(build, shape);
    if (parts == 0)
        return cd_leaf_fault(build, shape, "parts", "required of a compound, at least one");
    int32_t positions = cd_list_count(&rows->parts_position, shape),
            rotations = cd_list_count(&rows->parts_rotation, shape);
    if (positions != parts && positions != 0)
        return cd_leaf_fault(build, shape, "parts.position", "must be given for all parts or for none");
    if (rotations != parts && rotations != 0)
        return cd_leaf_fault(build, shape, "parts.rotation", "must be given for all parts or for none");
    *sum = 0;
    for (int32_t k = 0; k < parts; k++) {
        int32_t part = rows->parts_shape.i32[rows->parts_shape.offset[shape] + k];
        if (part < 0 || part >= shape)
            return cd_leaf_fault(build, shape, "parts.shape", "must be an earlier shape record");
        *sum += count[part];
        if (*sum > MAX_LEAVES)
            return cd_fail(build->diag, CD_ERR_LIMIT, "shape %" PRId64 ": parts: more than %" PRId64 " leaves unfold",
                           shape_id(build, shape), MAX_LEAVES);
    }
    for (int32_t k = 0; k < 2 * cd_list_count(&rows->adjacent, shape); k++) {
        int32_t part = rows->adjacent.i32[2 * rows->adjacent.offset[shape] + k];
        if (part < 0 || part >= *sum)  // parts are leaves, as everywhere in a stream
            return cd_fail(build->diag, CD_ERR_FORMAT, "shape %" PRId64 ": adjacent: there is no part %d",
                           shape_id(build, shape), (int)part);
    }
    return CD_OK;
}

cd_status cd_leaf_build_count(cd_leaf_build *build, int32_t (*leaves_of)(const cd_shape_rows *shape, int32_t row))
{
    const cd_shape_rows *rows = &build->in->shape;
    build->first = CD_ARENA_ARRAY(build->arena, int32_t, (size_t)rows->count + 1);
    int64_t *count = CD_ARENA_ARRAY(build->arena, int64_t, rows->count), total = 0;
    for (int32_t s = 0; s < rows->count; s++) {
        if (rows->kind[s] == CD_SHAPE_COMPOUND)
            CD_TRY(count_parts(build, s, count, &count[s]));
        else
            count[s] = leaves_of ? leaves_of(rows, s) : 1;
        build->first[s] = (int32_t)total;
        total += count[s];
        if (total > MAX_LEAVES)
            return cd_fail(build->diag, CD_ERR_LIMIT,
                           "shape %" PRId64 ": with it there are more than %" PRId64 " leaves", shape_id(build, s),
                           MAX_LEAVES);
    }
    build->first[rows->count] = (int32_t)total;
    return CD_OK;
}
