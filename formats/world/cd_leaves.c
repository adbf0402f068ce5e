// SPDX-License-Identifier: MIT
#include "cd_leaves.h"

#include "cd_elements.h"
#include "cd_leaf_build.h"

#define X(size, width)                                                                                      \
    _Static_assert(sizeof(((cd_shape_geometry *)0)->size) == sizeof(*((cd_shape_rows *)0)->size) * (width), \
                   #size ": the table of shapes has another type");
#include "shape_sizes.def"
#undef X

// ---- the plane -----------------------------------------------------------------------------------------------------

static cd_status own_leaf2(const cd_leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    cd_shape_kind kind = (cd_shape_kind)build->in->shape.kind[shape];
    if (!cd_shape_table[kind]->plane.make)
        return cd_leaf_unknown(build, shape, "the plane's");
    cd_shape_geometry geometry = cd_leaf_geometry(build, shape);
    *leaf = (cd_leaf2){.kind = kind, .shape = shape, .cosine = 1};
    return cd_leaf_fault_at(build, cd_shape_table[kind]->plane.make(&geometry, build->arena, leaf, build->diag), shape);
}

// The parts of a compound in their order, each with all its leaves.
static void compound_leaves2(const cd_leaf_build *build, int32_t shape, const cd_leaf2 *all, cd_leaf2 *leaf)
{
    for (int32_t k = 0; k < cd_leaf_part_count(build, shape); k++) {
        cd_leaf_part part = cd_leaf_part_at(build, shape, k);
        cd_vec2 position = part.position ? cd_vec2_at(part.position) : (cd_vec2){0, 0};
        cd_pose2 pose = cd_pose2_make(position, part.rotation ? *part.rotation : 0);
        for (int32_t i = build->first[part.shape]; i < build->first[part.shape + 1]; i++) {
            *leaf = cd_leaf2_place(build->arena, &all[i], pose);
            leaf->extent = cd_shape_table[leaf->kind]->plane.extent(leaf);
            leaf++;
        }
    }
}

static cd_status make_plane(const cd_leaf_build *build, cd_leaves2 *leaves)
{
    const cd_shape_rows *rows = &build->in->shape;
    cd_leaf2 *leaf = CD_ARENA_ARRAY(build->arena, cd_leaf2, build->first[rows->count]);
    for (int32_t s = 0; s < rows->count; s++) {
        if (rows->kind[s] == CD_SHAPE_COMPOUND)
            compound_leaves2(build, s, leaf, leaf + build->first[s]);
        else
            CD_TRY(own_leaf2(build, s, leaf + build->first[s]));
    }
    *leaves = (cd_leaves2){build->first, leaf};
    return CD_OK;
}

// ---- space ---------------------------------------------------------------------------------------------------------

// The first leaf of a shape.
static cd_status first_leaf3(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    cd_shape_kind kind = (cd_shape_kind)build->in->shape.kind[shape];
    if (!cd_shape_table[kind]->space.make)
        return cd_leaf_unknown(build, shape, "space");
    cd_shape_geometry geometry = cd_leaf_geometry(build, shape);
    *leaf = (cd_leaf3){.kind = kind, .shape = shape};
    return cd_leaf_fault_at(build, cd_shape_table[kind]->space.make(&geometry, build->arena, leaf, build->diag), shape);
}

static bool is_large(const cd_leaf_build *build, int32_t shape)
{
    return build->in->shape.kind[shape] == CD_SHAPE_FACETS &&
           build->first[shape + 1] - build->first[shape] >= CD_LARGE_SURFACE;
}

// The leaves of one kind in a compound, from number `begin` on, moved at once for what they share.
static void compose(const cd_leaf_build *build, const cd_leaves3 *all, int32_t begin, int32_t end, const cd_pose3 *pose,
                    cd_leaf3 *leaf)
{
    const cd_leaf3 *from = cd_leaves3_stored(all, begin);
    const cd_shape_space *space = &cd_shape_table[cd_leaves3_kind(all, begin)]->space;
    cd_arena scratch = {0};
    if (!from) {
        cd_leaf3 *facet = CD_ARENA_ARRAY(&scratch, cd_leaf3, end - begin);
        for (int32_t i = begin; i < end; i++)
            facet[i - begin] = cd_leaves3_at(all, i);
        from = facet;
    }
    space->compose(build->arena, from, end - begin, pose, leaf);
    for (int32_t i = begin; i < end; i++, leaf++)
        leaf->extent = space->extent(leaf);
    cd_arena_release(&scratch);
}

// The parts of a compound in their order, each with all its leaves.
static void compound_leaves3(const cd_leaf_build *build, int32_t shape, const cd_leaves3 *all, cd_leaf3 *leaf)
{
    for (int32_t k = 0; k < cd_leaf_part_count(build, shape); k++) {
        cd_leaf_part part = cd_leaf_part_at(build, shape, k);
        cd_pose3 pose = cd_pose3_make(part.position ? cd_vec3_at(part.position) : (cd_vec3){0, 0, 0},
                                      part.rotation ? cd_quat_at(part.rotation) : cd_quat_identity());
        for (int32_t i = build->first[part.shape], end; i < build->first[part.shape + 1]; i = end) {
            end = i + 1;
            while (end < build->first[part.shape + 1] && cd_leaves3_kind(all, end) == cd_leaves3_kind(all, i))
                end++;
            compose(build, all, i, end, &pose, leaf);
            leaf += end - i;
        }
    }
}

// `leaf`: room for those of the shape that are stored; of a large surface for one.
static cd_status own_leaves3(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    CD_TRY(first_leaf3(build, shape, leaf));
    int32_t count = is_large(build, shape) ? 1 : build->first[shape + 1] - build->first[shape];
    for (int32_t i = 1; i < count; i++) {
        leaf[i] = cd_leaf3_facet(leaf, i);
        leaf[i].extent = cd_leaf3_extent(&leaf[i]);
    }
    return CD_OK;
}

static cd_status make_space(const cd_leaf_build *build, cd_leaves3 *leaves)
{
    const cd_shape_rows *rows = &build->in->shape;
    int32_t large = 0, stored = build->first[rows->count], skipped = 0;
    for (int32_t s = 0; s < rows->count; s++) {
        large += is_large(build, s);
        stored -= is_large(build, s) ? build->first[s + 1] - build->first[s] : 0;
    }
    cd_large_surface *surface = CD_ARENA_ARRAY(build->arena, cd_large_surface, large);
    *leaves = (cd_leaves3){build->first, CD_ARENA_ARRAY(build->arena, cd_leaf3, stored), 0, surface};
    for (int32_t s = 0; s < rows->count; s++) {
        int32_t begin = build->first[s], end = build->first[s + 1];
        if (rows->kind[s] == CD_SHAPE_COMPOUND) {
            compound_leaves3(build, s, leaves, leaves->stored + (begin - skipped));
        } else if (!is_large(build, s)) {
            CD_TRY(own_leaves3(build, s, leaves->stored + (begin - skipped)));
        } else {
            skipped += end - begin;
            surface[leaves->large_count] = (cd_large_surface){begin, end, skipped, {0}};
            CD_TRY(own_leaves3(build, s, &surface[leaves->large_count++].leaf));
        }
    }
    return CD_OK;
}

// ---- both ----------------------------------------------------------------------------------------------------------

static int32_t *count_diameters(const cd_leaf_build *build)
{
    const cd_shape_rows *rows = &build->in->shape;
    int32_t *first = CD_ARENA_ARRAY(build->arena, int32_t, (size_t)rows->count + 1);
    first[0] = 0;
    for (int32_t s = 0; s < rows->count; s++) {
        bool is_compound = rows->kind[s] == CD_SHAPE_COMPOUND;
        first[s + 1] = first[s] + !is_compound;
        for (int32_t k = 0; is_compound && k < cd_leaf_part_count(build, s); k++) {
            int32_t part = cd_leaf_part_at(build, s, k).shape;
            first[s + 1] += first[part + 1] - first[part];
        }
    }
    return first;
}

// A part of a compound has the diameter of the shape that it is; the triangles of a surface have one together.
static void make_diameters(const cd_leaf_build *build, cd_leaves *leaves)
{
    const cd_shape_rows *rows = &build->in->shape;
    const int32_t *first = count_diameters(build);
    double *diameter = CD_ARENA_ARRAY(build->arena, double, first[rows->count]);
    cd_arena scratch = {0};
    for (int32_t s = 0; s < rows->count; s++) {
        double *own = diameter + first[s];
        const cd_shape *kind = cd_shape_table[rows->kind[s]];
        cd_shape_moments moments = {.diameter = NAN};
        for (int32_t k = 0; rows->kind[s] == CD_SHAPE_COMPOUND && k < cd_leaf_part_count(build, s); k++) {
            int32_t part = cd_leaf_part_at(build, s, k).shape;
            for (int32_t i = first[part]; i < first[part + 1]; i++)
                *own++ = diameter[i];
        }
        if (rows->kind[s] == CD_SHAPE_COMPOUND)
            continue;
        cd_shape_geometry geometry = cd_leaf_geometry(build, s);
        if (kind->moments)
            kind->moments(&geometry, build->in->dim, &scratch, &moments);
        *own = moments.diameter;
    }
    cd_arena_release(&scratch);
    leaves->diameter_first = first;
    leaves->diameter = diameter;
}

static double largest_extent(const cd_leaves *leaves, int32_t count)
{
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        double extent = cd_leaves_extent(leaves, i);
        most = isfinite(extent) ? fmax(most, extent) : most;
    }
    return most;
}

cd_status cd_leaves_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves *leaves, cd_diag *diag)
{
    cd_leaf_build build = {arena, in, refs, NULL, diag};
    if (in->dim != 2 && in->dim != 3)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "head: dim: %d is not supported, only 2 and 3", in->dim);
    CD_TRY(cd_leaf_build_count(&build));
    *leaves = (cd_leaves){.dim = in->dim, .first = build.first};
    CD_TRY(in->dim == 2 ? make_plane(&build, &leaves->plane) : make_space(&build, &leaves->space));
    if (isnan(cd_f64_or(in->head.length, 0, NAN)))
        make_diameters(&build, leaves);
    leaves->largest = largest_extent(leaves, build.first[in->shape.count]);
    return CD_OK;
}

cd_status cd_leaves_count(const cd_model *in, const cd_leaves *leaves, int32_t *count, cd_diag *diag)
{
    cd_placed_elements none = {.in = in};
    return cd_parts_count(&none, leaves, count, diag);
}
