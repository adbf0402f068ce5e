// SPDX-License-Identifier: MIT
#include "cd_leaf3.h"

#include "cd_aabb.h"
#include "cd_leaf_build.h"

static const cd_mat3 unturned_axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// ---- single shapes -------------------------------------------------------------------------------------------------

// Where they are in the table: three doubles each, as in a cd_vec3.
static const cd_vec3 *vertices_of(const cd_leaf_build *build, int32_t shape, int32_t *count)
{
    const cd_list *list = &build->in->shape.vertices;
    _Static_assert(sizeof(cd_vec3) == 3 * sizeof(double), "a vertex is three numbers of the column");
    *count = cd_list_count(list, shape);
    return (const cd_vec3 *)(list->f64 + 3 * (size_t)list->offset[shape]);
}

static cd_status polyhedron_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    const cd_shape_rows *rows = &build->in->shape;
    cd_polyhedron *polyhedron = &leaf->polyhedron;
    if (cd_list_count(&rows->vertices, shape) == 0)
        return cd_leaf_fault(build, shape, "vertices", "required of a polyhedron");
    polyhedron->face_count = rows->faces.offset ? rows->faces.offset[shape + 1] - rows->faces.offset[shape] : 0;
    if (polyhedron->face_count == 0)
        return cd_leaf_fault(build, shape, "faces", "required of a polyhedron");
    int32_t surfaces = cd_list_count(&rows->surfaces, shape);
    if (surfaces != 0 && surfaces != polyhedron->face_count)
        return cd_leaf_fault(build, shape, "surfaces", "must be given for all faces or for none");
    polyhedron->vertex = vertices_of(build, shape, &polyhedron->vertex_count);
    polyhedron->face_first = rows->faces.inner + rows->faces.offset[shape];
    polyhedron->face_vertex = rows->faces.data;
    cd_status status = cd_polyhedron_validate(*polyhedron, build->arena, build->diag);
    if (status != CD_OK)
        return cd_leaf_fault_at(build, status, shape);
    leaf->extent = cd_points_radius3(polyhedron->vertex, polyhedron->vertex_count);
    return CD_OK;
}

static cd_status box_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    static const int32_t face_first[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t face_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    const double *half;
    CD_TRY(cd_leaf_size(build, shape, build->in->shape.halfsizes, 3, "halfsizes", "a box", &half));
    cd_vec3 *vertex = CD_ARENA_ARRAY(build->arena, cd_vec3, 8);
    for (int k = 0; k < 8; k++)
        vertex[k] = (cd_vec3){k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]};
    leaf->kind = CD_SHAPE_POLYHEDRON;
    leaf->polyhedron = (cd_polyhedron){8, 6, vertex, face_first, face_vertex};
    leaf->extent = cd_points_radius3(vertex, 8);
    return CD_OK;
}

static cd_status halfspace_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    const double *normal, *offset;
    CD_TRY(cd_leaf_value(build, shape, build->in->shape.normal, 3, "normal", "a halfspace", &normal));
    CD_TRY(cd_leaf_value(build, shape, build->in->shape.offset, 1, "offset", "a halfspace", &offset));
    leaf->halfspace = (cd_halfspace){cd_vec3_at(normal), *offset};
    leaf->extent = INFINITY;
    return CD_OK;
}

static double facet_extent(const cd_facet *facet)
{
    return cd_add_up(cd_points_radius3(facet->vertex, 3), facet->half_thickness);
}

// One leaf a triangle, from `leaf` on.
static cd_status facet_leaves(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    const cd_shape_rows *rows = &build->in->shape;
    int32_t count, triangles = cd_list_count(&rows->triangles, shape);
    if (cd_list_count(&rows->vertices, shape) == 0)
        return cd_leaf_fault(build, shape, "vertices", "required of facets");
    if (triangles == 0)
        return cd_leaf_fault(build, shape, "triangles", "required of facets, at least one");
    double thickness = cd_f64_or(rows->thickness, shape, 0);
    if (!(thickness >= 0) || isinf(thickness))
        return cd_leaf_fault(build, shape, "thickness", "must be finite and not below 0");
    const cd_vec3 *vertex = vertices_of(build, shape, &count);
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(vertex[i].x) || !isfinite(vertex[i].y) || !isfinite(vertex[i].z))
            return cd_leaf_fault_at(
                build, cd_fail(build->diag, CD_ERR_FORMAT, "vertices: vertex %d is not finite", (int)i), shape);
    for (int32_t t = 0; t < triangles; t++) {
        const int32_t *corner = rows->triangles.i32 + 3 * ((size_t)rows->triangles.offset[shape] + (size_t)t);
        leaf[t] = (cd_leaf3){.kind = CD_SHAPE_FACETS, .shape = shape};
        leaf[t].facet = (cd_facet){.half_thickness = thickness / 2, .triangle = t};
        for (int k = 0; k < 3; k++) {
            cd_status status = CD_OK;
            if (corner[k] < 0 || corner[k] >= count)
                status = cd_fail(build->diag, CD_ERR_FORMAT, "triangles: triangle %d names vertex %d; there are %d",
                                 (int)t, (int)corner[k], (int)count);
            else if (corner[k] == corner[(k + 1) % 3])
                status = cd_fail(build->diag, CD_ERR_FORMAT, "triangles: triangle %d names vertex %d twice", (int)t,
                                 (int)corner[k]);
            if (status != CD_OK)
                return cd_leaf_fault_at(build, status, shape);
            leaf[t].facet.vertex[k] = vertex[corner[k]];
        }
        leaf[t].extent = facet_extent(&leaf[t].facet);
    }
    return CD_OK;
}

static int32_t leaves_of(const cd_shape_rows *rows, int32_t shape)
{
    int32_t triangles = rows->kind[shape] == CD_SHAPE_FACETS ? cd_list_count(&rows->triangles, shape) : 1;
    return triangles > 0 ? triangles : 1;  // none is refused later, by facet_leaves
}

// A shape that is no compound.
static cd_status simple_leaf(const cd_leaf_build *build, int32_t shape, cd_leaf3 *leaf)
{
    const cd_shape_rows *rows = &build->in->shape;
    const double *size;
    *leaf = (cd_leaf3){.kind = rows->kind[shape], .shape = shape};
    switch (leaf->kind) {
    case CD_SHAPE_POLYHEDRON:
        return polyhedron_leaf(build, shape, leaf);
    case CD_SHAPE_BOX:
        return box_leaf(build, shape, leaf);
    case CD_SHAPE_HALFSPACE:
        return halfspace_leaf(build, shape, leaf);
    case CD_SHAPE_FACETS:
        return facet_leaves(build, shape, leaf);
    case CD_SHAPE_SPHERE:
        CD_TRY(cd_leaf_size(build, shape, rows->radius, 1, "radius", "a sphere", &size));
        leaf->sphere = (cd_ball){{0, 0, 0}, *size};
        leaf->extent = *size;
        return CD_OK;
    case CD_SHAPE_ELLIPSOID:
        CD_TRY(cd_leaf_size(build, shape, rows->semiaxes, 3, "semiaxes", "an ellipsoid", &size));
        leaf->ellipsoid = (cd_ellipsoid){{0, 0, 0}, cd_vec3_at(size), &unturned_axes};
        leaf->extent = fmax(size[0], fmax(size[1], size[2]));
        return CD_OK;
    default:
        return cd_leaf_unknown(build, shape, "space");
    }
}

// ---- compounds -----------------------------------------------------------------------------------------------------

// The largest distance of a placed leaf from the origin, rounded up.
static double extent_of(const cd_leaf3 *leaf)
{
    switch (leaf->kind) {
    case CD_SHAPE_POLYHEDRON:
        return cd_points_radius3(leaf->polyhedron.vertex, leaf->polyhedron.vertex_count);
    case CD_SHAPE_FACETS:
        return facet_extent(&leaf->facet);
    case CD_SHAPE_SPHERE:
        return cd_add_up(cd_points_radius3(&leaf->sphere.centre, 1), leaf->sphere.radius);
    case CD_SHAPE_ELLIPSOID: {
        cd_vec3 s = leaf->ellipsoid.semiaxes;
        return cd_add_up(cd_points_radius3(&leaf->ellipsoid.centre, 1), fmax(s.x, fmax(s.y, s.z)));
    }
    default:
        return INFINITY;
    }
}

// The parts of a compound in their order, each with all its leaves.
static void compound_leaves(const cd_leaf_build *build, int32_t shape, const cd_leaf3 *all, cd_leaf3 *leaf)
{
    for (int32_t k = 0; k < cd_leaf_part_count(build, shape); k++) {
        cd_leaf_part part = cd_leaf_part_at(build, shape, k);
        cd_pose3 pose = cd_pose3_make(part.position ? cd_vec3_at(part.position) : (cd_vec3){0, 0, 0},
                                      part.rotation ? cd_quat_at(part.rotation) : cd_quat_identity());
        for (int32_t i = build->first[part.shape]; i < build->first[part.shape + 1]; i++) {
            *leaf = cd_leaf3_place(build->arena, &all[i], &pose);
            leaf->extent = extent_of(leaf);
            leaf++;
        }
    }
}

cd_status cd_leaves3_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves3 *leaves, cd_diag *diag)
{
    if (in->dim != 3)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "head: dim: %d is not supported, only 3", in->dim);
    cd_leaf_build build = {arena, in, refs, NULL, diag};
    CD_TRY(cd_leaf_build_count(&build, leaves_of));
    cd_leaf3 *leaf = CD_ARENA_ARRAY(arena, cd_leaf3, build.first[in->shape.count]);
    for (int32_t s = 0; s < in->shape.count; s++) {
        if (in->shape.kind[s] == CD_SHAPE_COMPOUND)
            compound_leaves(&build, s, leaf, leaf + build.first[s]);
        else
            CD_TRY(simple_leaf(&build, s, leaf + build.first[s]));
    }
    *leaves = (cd_leaves3){build.first, leaf};
    return CD_OK;
}

cd_leaf3 cd_leaf3_place(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose)
{
    cd_leaf3 placed = *leaf;
    switch (leaf->kind) {
    case CD_SHAPE_POLYHEDRON: {
        cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, leaf->polyhedron.vertex_count);
        cd_points_place3(leaf->polyhedron.vertex, leaf->polyhedron.vertex_count, pose, vertex);
        placed.polyhedron.vertex = vertex;
        break;
    }
    case CD_SHAPE_FACETS:
        cd_points_place3(leaf->facet.vertex, 3, pose, placed.facet.vertex);
        break;
    case CD_SHAPE_HALFSPACE:
        // n . p <= offset of the points p becomes, for w = x + R p, (R n) . w <= offset + (R n) . x.
        placed.halfspace.normal = cd_pose3_turn(pose, leaf->halfspace.normal);
        placed.halfspace.offset = leaf->halfspace.offset + cd_dot3(placed.halfspace.normal, pose->position);
        break;
    case CD_SHAPE_ELLIPSOID: {
        cd_mat3 *axes = cd_arena_alloc(arena, sizeof *axes);
        *axes = cd_mat3_product(&pose->turn, leaf->ellipsoid.axes);
        placed.ellipsoid.axes = axes;
        placed.ellipsoid.centre = cd_pose3_apply(pose, leaf->ellipsoid.centre);
        break;
    }
    default:
        placed.sphere.centre = cd_pose3_apply(pose, leaf->sphere.centre);
        break;
    }
    return placed;
}
