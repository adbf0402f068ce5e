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
    return status == CD_OK ? CD_OK : cd_fail_at(build->diag, status, "shape %" PRId64, shape_id(build, shape));
}

// ---- geometry ------------------------------------------------------------------------------------------------------

cd_shape_geometry cd_leaf_geometry(const cd_leaf_build *build, int32_t shape)
{
    const cd_shape_rows *rows = &build->in->shape;
    size_t row = (size_t)shape, dim = (size_t)build->in->dim;
    cd_shape_geometry geometry = cd_shape_geometry_none();
#define X(size, width)                                                               \
    if (rows->size) {                                                                \
        size_t numbers = (width) == 1 ? 1 : dim;                                     \
        memcpy(geometry.size, rows->size + numbers * row, numbers * sizeof(double)); \
    }
#include "shape_sizes.def"
#undef X
    geometry.vertex_count = cd_list_count(&rows->vertices, shape);
    if (geometry.vertex_count > 0)
        geometry.vertex = rows->vertices.f64 + dim * (size_t)rows->vertices.offset[row];
    if (rows->faces.offset) {
        geometry.face_count = rows->faces.offset[row + 1] - rows->faces.offset[row];
        geometry.face_first = rows->faces.inner + rows->faces.offset[row];
        geometry.face_vertex = rows->faces.data;
    }
    geometry.surface_count = cd_list_count(&rows->surfaces, shape);
    if (geometry.surface_count > 0)
        geometry.surface = rows->surfaces.i32 + rows->surfaces.offset[row];
    geometry.triangle_count = cd_list_count(&rows->triangles, shape);
    if (geometry.triangle_count > 0)
        geometry.triangle = rows->triangles.i32 + 3 * (size_t)rows->triangles.offset[row];
    return geometry;
}

// ---- parts ---------------------------------------------------------------------------------------------------------

int32_t cd_leaf_part_count(const cd_leaf_build *build, int32_t compound)
{
    return cd_list_count(&build->in->shape.parts_shape, compound);
}

static const double *item_of(const cd_list *list, int32_t row, int32_t item, int width)
{
    if (cd_list_count(list, row) == 0)
        return NULL;
    return list->f64 + (size_t)width * ((size_t)list->offset[row] + (size_t)item);
}

cd_leaf_part cd_leaf_part_at(const cd_leaf_build *build, int32_t compound, int32_t part)
{
    const cd_shape_rows *rows = &build->in->shape;
    int dim = build->in->dim;
    return (cd_leaf_part){.shape = rows->parts_shape.i32[rows->parts_shape.offset[compound] + part],
                          .position = item_of(&rows->parts_position, compound, part, dim),
                          .rotation = item_of(&rows->parts_rotation, compound, part, dim == 2 ? 1 : 4)};
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

// Leaves of a shape that is no compound: one, where its kind does not say more.
static int64_t own_count(const cd_leaf_build *build, int32_t shape)
{
    int32_t (*leaf_count)(const cd_shape_geometry *) = cd_shape_table[build->in->shape.kind[shape]]->space.leaf_count;
    if (build->in->dim == 2 || !leaf_count)
        return 1;
    cd_shape_geometry geometry = cd_leaf_geometry(build, shape);
    return leaf_count(&geometry);
}

cd_status cd_leaf_build_count(cd_leaf_build *build)
{
    const cd_shape_rows *rows = &build->in->shape;
    build->first = CD_ARENA_ARRAY(build->arena, int32_t, (size_t)rows->count + 1);
    int64_t *count = CD_ARENA_ARRAY(build->arena, int64_t, rows->count), total = 0;
    for (int32_t s = 0; s < rows->count; s++) {
        if (rows->kind[s] == CD_SHAPE_COMPOUND)
            CD_TRY(count_parts(build, s, count, &count[s]));
        else
            count[s] = own_count(build, s);
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
