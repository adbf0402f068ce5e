// SPDX-License-Identifier: MIT
#include "cd_leaf2.h"

#include "cd_leaf_build.h"

static cd_status polygon_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const cd_list *list = &build->in->shape.vertices;
    int32_t count = cd_list_count(list, shape);
    if (count == 0)
        return cd_leaf_fault(build, shape, "vertices", "required of a polygon");
    cd_vec2 *vertex = CD_ARENA_ARRAY(build->arena, cd_vec2, count);
    for (int32_t i = 0; i < count; i++)
        vertex[i] = cd_vec2_at(list->f64 + 2 * ((size_t)list->offset[shape] + (size_t)i));
    cd_status status = cd_polygon_validate(vertex, count, build->diag);
    if (status != CD_OK)
        return cd_leaf_fault_at(build, cd_fail_at(build->diag, status, "vertices"), shape);
    leaf->polygon = (cd_polygon){count, vertex};
    leaf->extent = cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    return CD_OK;
}

static cd_status box_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const double *half;
    CD_TRY(cd_leaf_size(build, shape, build->in->shape.halfsizes, 2, "halfsizes", "a box", &half));
    cd_vec2 *vertex = CD_ARENA_ARRAY(build->arena, cd_vec2, 4);
    vertex[0] = (cd_vec2){-half[0], -half[1]};
    vertex[1] = (cd_vec2){half[0], -half[1]};
    vertex[2] = (cd_vec2){half[0], half[1]};
    vertex[3] = (cd_vec2){-half[0], half[1]};
    leaf->kind = CD_SHAPE_POLYGON;
    leaf->polygon = (cd_polygon){4, vertex};
    leaf->extent = cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    return CD_OK;
}

static cd_status halfspace_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const double *normal, *offset;
    CD_TRY(cd_leaf_value(build, shape, build->in->shape.normal, 2, "normal", "a halfspace", &normal));
    CD_TRY(cd_leaf_value(build, shape, build->in->shape.offset, 1, "offset", "a halfspace", &offset));
    leaf->normal = cd_vec2_at(normal);
    leaf->offset = *offset;
    leaf->extent = INFINITY;
    return CD_OK;
}

// A shape that is no compound.
static cd_status simple_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf2 *leaf)
{
    const cd_shape_rows *rows = &build->in->shape;
    const double *size;
    *leaf = (cd_leaf2){.kind = rows->kind[shape], .shape = shape, .cosine = 1};
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON:
        return polygon_leaf(build, shape, leaf);
    case CD_SHAPE_BOX:
        return box_leaf(build, shape, leaf);
    case CD_SHAPE_HALFSPACE:
        return halfspace_leaf(build, shape, leaf);
    case CD_SHAPE_SPHERE:
        CD_TRY(cd_leaf_size(build, shape, rows->radius, 1, "radius", "a sphere", &size));
        leaf->radius = leaf->extent = *size;
        return CD_OK;
    case CD_SHAPE_ELLIPSOID:
        CD_TRY(cd_leaf_size(build, shape, rows->semiaxes, 2, "semiaxes", "an ellipsoid", &size));
        leaf->semiaxes = cd_vec2_at(size);
        leaf->extent = fmax(size[0], size[1]);
        return CD_OK;
    default:
        return cd_leaf_unknown(build, shape, "the plane's");
    }
}

// The largest distance of a placed leaf from the origin, rounded up.
static double extent_of(const cd_leaf2 *leaf)
{
    double size = leaf->kind == CD_SHAPE_ELLIPSOID ? fmax(leaf->semiaxes.x, leaf->semiaxes.y) : leaf->radius;
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON:
        return cd_polygon_radius(leaf->polygon, (cd_vec2){0, 0});
    case CD_SHAPE_HALFSPACE:
        return INFINITY;
    default:
        return cd_add_up(cd_round_up(hypot(leaf->centre.x, leaf->centre.y)), size);
    }
}

// The parts of a compound in their order, each with all its leaves.
static void compound_leaves(const cd_leaf_build *build, int32_t shape, const cd_leaf2 *all, cd_leaf2 *leaf)
{
    for (int32_t k = 0; k < cd_leaf_part_count(build, shape); k++) {
        cd_leaf_part part = cd_leaf_part_at(build, shape, k);
        cd_vec2 position = part.position ? cd_vec2_at(part.position) : (cd_vec2){0, 0};
        cd_pose2 pose = cd_pose2_make(position, part.rotation ? *part.rotation : 0);
        for (int32_t i = build->first[part.shape]; i < build->first[part.shape + 1]; i++) {
            *leaf = cd_leaf2_place(build->arena, &all[i], pose);
            leaf->extent = extent_of(leaf);
            leaf++;
        }
    }
}

cd_status cd_leaves2_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves2 *leaves, cd_diag *diag)
{
    if (in->dim != 2)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "head: dim: %d is not supported, only 2", in->dim);
    cd_leaf_build build = {arena, in, refs, NULL, diag};
    CD_TRY(cd_leaf_build_count(&build, NULL));
    cd_leaf2 *leaf = CD_ARENA_ARRAY(arena, cd_leaf2, build.first[in->shape.count]);
    for (int32_t s = 0; s < in->shape.count; s++) {
        if (in->shape.kind[s] == CD_SHAPE_COMPOUND)
            compound_leaves(&build, s, leaf, leaf + build.first[s]);
        else
            CD_TRY(simple_leaf(&build, s, leaf + build.first[s]));
    }
    *leaves = (cd_leaves2){build.first, leaf};
    return CD_OK;
}

cd_leaf2 cd_leaf2_place(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose)
{
    cd_leaf2 placed = *leaf;
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON:
        placed.polygon = cd_polygon_place(leaf->polygon, pose, CD_ARENA_ARRAY(arena, cd_vec2, leaf->polygon.count));
        break;
    case CD_SHAPE_HALFSPACE:
        // n . p <= offset of the points p becomes, for w = x + R p, (R n) . w <= offset + (R n) . x.
        placed.normal = cd_pose2_turn(pose, leaf->normal);
        placed.offset = leaf->offset + cd_dot2(placed.normal, pose.position);
        break;
    case CD_SHAPE_ELLIPSOID:
        placed.cosine = pose.cosine * leaf->cosine - pose.sine * leaf->sine;
        placed.sine = pose.sine * leaf->cosine + pose.cosine * leaf->sine;
        placed.centre = cd_pose2_apply(pose, leaf->centre);
        break;
    default:
        placed.centre = cd_pose2_apply(pose, leaf->centre);
        break;
    }
    return placed;
}
