// Closed convex polyhedra; the box of space becomes one (shape_box.c). Their leaves are prepared once a run
// (cd_prepared3) before they are placed.
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_polyhedron_mass.h"

bool cd_prepared3_make(cd_arena *arena, const cd_polyhedron *p, const int32_t *surface, cd_prepared3 *prepared)
{
    bool is_plain;
    prepared->edges = cd_edges3_make(arena, p->vertex_count, p->face_count, p->face_first, p->face_vertex);
    prepared->convex = cd_convex3_make_with(arena, p, surface, &prepared->edges, &is_plain);
    return is_plain;
}

static cd_status make(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag)
{
    _Static_assert(sizeof(cd_vec3) == 3 * sizeof(double), "a vertex is three numbers of the column");
    if (geometry->vertex_count == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "vertices: required of a polyhedron");
    if (geometry->face_count == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "faces: required of a polyhedron");
    if (geometry->surface_count != 0 && geometry->surface_count != geometry->face_count)
        return cd_fail(diag, CD_ERR_FORMAT, "surfaces: must be given for all faces or for none");
    cd_polyhedron *polyhedron = cd_arena_alloc(arena, sizeof *polyhedron);
    *polyhedron = (cd_polyhedron){.vertex_count = geometry->vertex_count,
                                  .face_count = geometry->face_count,
                                  .vertex = (const cd_vec3 *)geometry->vertex,
                                  .face_first = geometry->face_first,
                                  .face_vertex = geometry->face_vertex};
    CD_TRY(cd_polyhedron_validate(*polyhedron, arena, diag));
    leaf->polyhedron = polyhedron;
    leaf->extent = cd_points_radius3(leaf->polyhedron->vertex, leaf->polyhedron->vertex_count);
    return CD_OK;
}

static void compose(cd_arena *arena, const cd_leaf3 *leaf, int32_t count, const cd_pose3 *pose, cd_leaf3 *composed)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t vertices = leaf[i].polyhedron->vertex_count;
        cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, vertices);
        cd_points_place3(leaf[i].polyhedron->vertex, vertices, pose, vertex);
        composed[i] = leaf[i];
        cd_polyhedron *polyhedron = cd_arena_alloc(arena, sizeof *polyhedron);
        *polyhedron = *leaf[i].polyhedron;
        polyhedron->vertex = vertex;
        composed[i].polyhedron = polyhedron;
        composed[i].prepared = NULL;
    }
}

// Who measures a distance asks for edges by their corners at its end: by then they are there. (1e5 pairs of hulls of
// 16 vertices, 1000 shapes: 0.04 us a pair.)
static void expect_edges(const cd_edges3 *edges)
{
    enum { LINE = 64, MOST = 32 * LINE };  // of large ones only few are looked at
    size_t bytes =
        (size_t)edges->count * sizeof *edges->edge + ((size_t)edges->vertex_count + 1) * sizeof *edges->first;
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        __builtin_prefetch((const char *)edges->edge + at);
}

static void place(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes, cd_solid3 *placed)
{
    placed->edges = &leaf->prepared->edges;
    if (!has_planes)
        expect_edges(placed->edges);
    cd_convex3_place_into(arena, &leaf->prepared->convex, pose, has_planes, &placed->convex);
}

static double extent(const cd_leaf3 *leaf)
{
    return cd_points_radius3(leaf->polyhedron->vertex, leaf->polyhedron->vertex_count);
}

static cd_aabb bounds(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack)
{
    return cd_shape_points_box3(leaf->polyhedron->vertex, leaf->polyhedron->vertex_count, 0, pose, slack);
}

// Once it is prepared.
static double inner(const cd_leaf3 *leaf) { return cd_convex3_inner_radius(&leaf->prepared->convex); }

// Members that nobody reads stay as they are: to clear them takes a twentieth of a distance.
static void support(const cd_solid3 *solid, cd_support3 *s)
{
    s->kind = CD_SUPPORT3_CONVEX;
    s->margin = 0;
    s->convex = &solid->convex;
}

static double shortest_edge(const cd_shape_geometry *g)
{
    const cd_vec3 *vertex = (const cd_vec3 *)g->vertex;
    double best = INFINITY;
    for (int32_t f = 0; f < g->face_count; f++) {
        const int32_t *face = g->face_vertex + g->face_first[f];
        int32_t count = g->face_first[f + 1] - g->face_first[f];
        for (int32_t i = 0; i < count; i++)
            best = fmin(best, cd_length3(cd_sub3(vertex[face[i]], vertex[face[(i + 1) % count]])));
    }
    return best;
}

static void moments(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *m)
{
    cd_mass3 mass = cd_polyhedron_mass((cd_polyhedron){geometry->vertex_count, geometry->face_count,
                                                       (const cd_vec3 *)geometry->vertex, geometry->face_first,
                                                       geometry->face_vertex});
    m->measure = mass.volume;
    cd_vec3_put(mass.centre, m->centre);
    memcpy(m->inertia, mass.inertia, sizeof mass.inertia);
    m->diameter = cd_shape_diameter(scratch, dim, geometry->vertex, geometry->vertex_count);
    m->feature = shortest_edge(geometry);
}

const cd_shape cd_shape_polyhedron = {.name = "polyhedron",
                                      .is_off_centre = true,
                                      .space = {.make = make,
                                                .compose = compose,
                                                .place = place,
                                                .extent = extent,
                                                .bounds = bounds,
                                                .inner = inner,
                                                .support = support},
                                      .moments = moments};
