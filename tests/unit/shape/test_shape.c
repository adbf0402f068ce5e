// The table of shape kinds, walked: every entry is complete, and what its functions say of a leaf agrees with one
// another. A kind that is given by sizes alone is taken in without a line here; kinds given by lists have a sample
// below.
// SPDX-License-Identifier: MIT
#include "cd_bounds2.h"
#include "cd_bounds3.h"
#include "cd_random.h"
#include "cd_shape.h"
#include "cd_test.h"

static const char *const names[] = {
#define X(KIND, name) #name,
#include "shape_kinds.def"
#undef X
};

// By sizes alone: a surface has a thickness beside its lists.
static bool is_given_by_sizes(const cd_shape *shape)
{
    return shape->sizes && !(shape->sizes & CD_SHAPE_SIZE(thickness));
}

static void random_size(const char *size, int dim, cd_random *random, double *out, size_t bytes)
{
    double value[3];
    for (int k = 0; k < 3; k++)
        value[k] = cd_random_between(random, 0.05, 0.7);
    if (strcmp(size, "normal") == 0) {
        double length = dim == 2 ? hypot(value[0], value[1]) : hypot(hypot(value[0], value[1]), value[2]);
        for (int k = 0; k < 3; k++)
            value[k] /= length;
    }
    memcpy(out, value, bytes);
}

// The first in the order of shape_sizes.def, which a kind asks for first.
static const char *first_size(const cd_shape *shape)
{
#define X(size, width)                      \
    if (shape->sizes & CD_SHAPE_SIZE(size)) \
        return #size;
#include "shape_sizes.def"
#undef X
    return NULL;
}

// Sizes at random, a normal made a unit vector; lists: a quadrangle, a tetrahedron of vertices, faces, triangles.
static cd_shape_geometry sample(const cd_shape *shape, int dim, cd_random *random, cd_arena *arena)
{
    static const double corner2[] = {-0.3, -0.2, 0.4, -0.1, 0.3, 0.5, -0.2, 0.3};
    static const double corner3[] = {-0.3, -0.2, -0.3, 0.4, -0.1, -0.2, 0, 0.5, -0.25, 0.1, 0.05, 0.4};
    static const int32_t first[] = {0, 3, 6, 9, 12}, face[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    cd_shape_geometry g = cd_shape_geometry_none();
#define X(size, width)                      \
    if (shape->sizes & CD_SHAPE_SIZE(size)) \
        random_size(#size, dim, random, g.size, sizeof g.size);
#include "shape_sizes.def"
#undef X
    if (is_given_by_sizes(shape))
        return g;
    double *vertex = CD_ARENA_ARRAY(arena, double, 12);
    memcpy(vertex, dim == 2 ? corner2 : corner3, (dim == 2 ? 8 : 12) * sizeof(double));
    g.vertex = vertex;
    g.vertex_count = 4;
    g.face_count = g.triangle_count = dim == 2 ? 0 : 4;
    g.face_first = first;
    g.face_vertex = g.triangle = face;
    return g;
}

static bool holds(const cd_aabb *box, const double *point, int dim)
{
    for (int k = 0; k < dim; k++)
        if (!(point[k] >= box->min[k] && point[k] <= box->max[k]))
            return false;
    return true;
}

// ---- the table -----------------------------------------------------------------------------------------------------

CD_TEST(entries_stand_at_their_kinds_and_are_complete)
{
    for (int kind = 0; kind < CD_SHAPE_KINDS; kind++) {
        const cd_shape *shape = cd_shape_table[kind];
        CD_CHECK(shape != NULL);
        CD_CHECK_TEXT(shape->name, names[kind]);
        CD_CHECK(kind == CD_SHAPE_COMPOUND || shape->plane.make || shape->space.make);
        const cd_shape_plane *plane = &shape->plane;  // what has a place has all that a leaf needs
        CD_CHECK(!plane->place == !plane->extent && !plane->place == !plane->bounds);
        const cd_shape_space *space = &shape->space;
        CD_CHECK(!space->place == !space->extent && !space->place == !space->bounds &&
                 !space->place == !space->compose);
        CD_CHECK(!space->support || space->place);
    }
}

// Kinds of leaves that cd-plot knows (tools/cd-plot/bodies); all others must say what to draw.
CD_TEST(every_leaf_can_be_drawn)
{
    static const cd_shape_kind known2[] = {CD_SHAPE_POLYGON, CD_SHAPE_SPHERE, CD_SHAPE_ELLIPSOID, CD_SHAPE_HALFSPACE};
    static const cd_shape_kind known3[] = {CD_SHAPE_POLYHEDRON, CD_SHAPE_SPHERE, CD_SHAPE_ELLIPSOID, CD_SHAPE_HALFSPACE,
                                           CD_SHAPE_FACETS};
    for (int kind = 0; kind < CD_SHAPE_KINDS; kind++) {
        const cd_shape *shape = cd_shape_table[kind];
        bool is_known2 = false, is_known3 = false;
        for (size_t i = 0; i < sizeof known2 / sizeof *known2; i++)
            is_known2 |= (int)known2[i] == kind;
        for (size_t i = 0; i < sizeof known3 / sizeof *known3; i++)
            is_known3 |= (int)known3[i] == kind;
        CD_CHECK(!shape->plane.place || is_known2 || shape->plane.outline);
        CD_CHECK(!shape->space.place || is_known3 || shape->space.outline);
    }
}

// ---- leaves of every kind ------------------------------------------------------------------------------------------

static void check_leaf2(const cd_leaf2 *leaf, cd_random *random, cd_arena *arena)
{
    const cd_shape_plane *plane = &cd_shape_table[leaf->kind]->plane;
    cd_pose2 pose = cd_pose2_make((cd_vec2){cd_random_between(random, -9, 9), cd_random_between(random, -9, 9)},
                                  cd_random_between(random, -3, 3));
    cd_leaf2 placed = cd_leaf2_place(arena, leaf, pose);
    cd_aabb box = cd_bounds2_leaf(leaf, pose), again = cd_bounds2_leaf(&placed, cd_pose2_make((cd_vec2){0, 0}, 0));
    CD_CHECK(placed.kind == leaf->kind && cd_aabb_overlaps(&box, &again, 2));
    if (isinf(leaf->extent))
        return;
    for (int k = 0; k < 2; k++) {
        double centre = k ? pose.position.y : pose.position.x;
        CD_CHECK_NEAR(box.min[k], again.min[k], 1e-14 * 20);
        CD_CHECK_NEAR(box.max[k], again.max[k], 1e-14 * 20);
        CD_CHECK(box.max[k] <= centre + leaf->extent + 1e-12 && box.min[k] >= centre - leaf->extent - 1e-12);
        // along the axes the leaf goes as far as its box
        cd_vec2 along = {k == 0, k == 1};
        CD_CHECK(!plane->margin || plane->margin(leaf) <= leaf->extent);
        CD_CHECK_NEAR(plane->reach(&placed, pose.position, along), box.max[k] - centre, 1e-13);
        CD_CHECK_NEAR(plane->reach(&placed, pose.position, cd_negate2(along)), centre - box.min[k], 1e-13);
    }
    CD_CHECK(plane->extent(&placed) >= cd_length2(pose.position) - leaf->extent);
    cd_vec2 *point;
    int32_t count = plane->outline ? plane->outline(&placed, arena, &point) : 0;
    for (int32_t i = 0; i < count; i++)
        CD_CHECK(holds(&again, (double[]){point[i].x, point[i].y}, 2));
}

// The farthest point of a core and its margin, along an axis.
static double reach_of(const cd_support3 *s, int axis, double sign)
{
    const double unit[3] = {axis == 0, axis == 1, axis == 2};
    cd_vec3 along = cd_scale3(sign, cd_vec3_at(unit));
    double most = -INFINITY;
    int32_t corners = s->kind == CD_SUPPORT3_CONVEX     ? s->convex->vertex_count
                      : s->kind == CD_SUPPORT3_TRIANGLE ? 3
                      : s->kind == CD_SUPPORT3_SEGMENT  ? 2
                                                        : 1;
    for (int32_t i = 0; i < corners; i++) {
        cd_vec3 p = s->kind == CD_SUPPORT3_CONVEX ? cd_convex3_vertex(s->convex, i) : s->point[i];
        double along_axis = cd_dot3(along, p);
        if (s->kind == CD_SUPPORT3_ELLIPSOID)
            along_axis += cd_length3(
                (cd_vec3){cd_dot3(along, s->axis[0]), cd_dot3(along, s->axis[1]), cd_dot3(along, s->axis[2])});
        most = fmax(most, along_axis);
    }
    return sign * (most + s->margin);
}

static void prepare(cd_leaf3 *leaf, cd_arena *arena)
{
    cd_prepared3 *prepared = CD_ARENA_ARRAY(arena, cd_prepared3, 1);
    cd_prepared3_make(arena, leaf->polyhedron, NULL, prepared);
    leaf->prepared = prepared;
}

static void check_leaf3(const cd_leaf3 *leaf, cd_random *random, cd_arena *arena)
{
    const cd_shape_space *space = &cd_shape_table[leaf->kind]->space;
    double p[3], turn[3];
    for (int k = 0; k < 3; k++) {
        p[k] = cd_random_between(random, -9, 9);
        turn[k] = cd_random_between(random, -2, 2);
    }
    cd_pose3 pose = cd_pose3_make(cd_vec3_at(p), cd_quat_from_vector(cd_vec3_at(turn)));
    cd_solid3 solid = cd_solid3_place(arena, leaf, &pose);
    cd_aabb box = cd_bounds3_leaf(leaf, &pose);
    CD_CHECK(solid.kind == leaf->kind && !solid.edges == (leaf->kind != CD_SHAPE_POLYHEDRON));
    if (!space->support) {
        CD_CHECK(isinf(leaf->extent));  // what is bounded is convex so far, and can be measured against all others
        return;
    }
    cd_support3 support;
    space->support(&solid, &support);
    CD_CHECK(support.margin == (space->margin ? space->margin(leaf) : 0));
    for (int k = 0; k < 3; k++) {  // bounds are those of the core and its margin, and within the extent
        CD_CHECK_NEAR(reach_of(&support, k, -1), box.min[k], 1e-13 * 20);
        CD_CHECK_NEAR(reach_of(&support, k, 1), box.max[k], 1e-13 * 20);
        CD_CHECK(reach_of(&support, k, 1) <= box.max[k] && reach_of(&support, k, -1) >= box.min[k]);
        CD_CHECK(box.max[k] <= p[k] + leaf->extent + 1e-12 && box.min[k] >= p[k] - leaf->extent - 1e-12);
    }
    cd_leaf3 composed;  // moved into a compound and unmoved there: the same bounds as moved
    space->compose(arena, leaf, 1, &pose, &composed);
    composed.extent = space->extent(&composed);
    cd_pose3 still = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_identity());
    cd_aabb there = cd_bounds3_leaf(&composed, &still);
    for (int k = 0; k < 3; k++) {
        CD_CHECK_NEAR(there.min[k], box.min[k], 1e-13 * 20);
        CD_CHECK_NEAR(there.max[k], box.max[k], 1e-13 * 20);
    }
    cd_vec3 *point;
    int32_t count = space->outline ? space->outline(&composed, arena, &point) : 0;
    for (int32_t i = 0; i < count; i++)
        CD_CHECK(holds(&there, (double[]){point[i].x, point[i].y, point[i].z}, 3));
    CD_CHECK(!space->outline || count >= 4);
}

CD_TEST(bounds_extent_support_and_outline_of_every_kind_agree)
{
    cd_random random = {7};
    cd_arena arena = {0};
    cd_diag diag;
    int leaves = 0;
    for (int kind = 0; kind < CD_SHAPE_KINDS; kind++) {
        const cd_shape *shape = cd_shape_table[kind];
        for (int i = 0; i < 200; i++) {
            if (shape->plane.make) {
                cd_shape_geometry g = sample(shape, 2, &random, &arena);
                cd_leaf2 leaf = {.kind = (cd_shape_kind)kind, .cosine = 1};
                CD_CHECK(shape->plane.make(&g, &arena, &leaf, &diag) == CD_OK);
                check_leaf2(&leaf, &random, &arena);
                leaves++;
            }
            if (shape->space.make) {
                cd_shape_geometry g = sample(shape, 3, &random, &arena);
                int32_t count = shape->space.leaf_count ? shape->space.leaf_count(&g) : 1;
                cd_leaf3 *leaf = CD_ARENA_ZARRAY(&arena, cd_leaf3, count);
                leaf->kind = (cd_shape_kind)kind;
                CD_CHECK(shape->space.make(&g, &arena, leaf, &diag) == CD_OK);
                for (int32_t k = 0; k < count; k++) {
                    if (k > 0) {
                        leaf[k] = cd_leaf3_facet(leaf, k);
                        leaf[k].extent = cd_leaf3_extent(&leaf[k]);
                    }
                    if (leaf[k].kind == CD_SHAPE_POLYHEDRON)
                        prepare(&leaf[k], &arena);
                    check_leaf3(&leaf[k], &random, &arena);
                    leaves++;
                }
            }
            cd_arena_reset(&arena);
        }
    }
    CD_CHECK(leaves >= 200 * (5 + 5 + 4));  // plane and space, a surface has four facets
    cd_arena_release(&arena);
}

CD_TEST(sizes_must_be_there_and_above_0)
{
    cd_random random = {3};
    cd_arena arena = {0};
    cd_diag diag;
    for (int kind = 0; kind < CD_SHAPE_KINDS; kind++) {
        const cd_shape *shape = cd_shape_table[kind];
        if (!is_given_by_sizes(shape) || !shape->space.make)
            continue;
        cd_leaf3 leaf = {.kind = (cd_shape_kind)kind};
        cd_shape_geometry g = cd_shape_geometry_none();
        CD_CHECK(shape->space.make(&g, &arena, &leaf, &diag) == CD_ERR_FORMAT);
        CD_CHECK(strncmp(diag.text, first_size(shape), strlen(first_size(shape))) == 0);
        g = sample(shape, 3, &random, &arena);
        CD_CHECK(shape->space.make(&g, &arena, &leaf, &diag) == CD_OK);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(entries_stand_at_their_kinds_and_are_complete);
    CD_RUN(every_leaf_can_be_drawn);
    CD_RUN(bounds_extent_support_and_outline_of_every_kind_agree);
    CD_RUN(sizes_must_be_there_and_above_0);
    return cd_test_done();
}
