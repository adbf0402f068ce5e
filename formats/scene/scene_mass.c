// Mass properties of shapes at density 1, and the extents that the scene's scales are taken from.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include "cd_polygon.h"
#include "cd_polyhedron_mass.h"

#include <math.h>
#include <stdlib.h>

// ---- poses ---------------------------------------------------------------------------------------------------------

void cd_scene_turn(int dim, const double *rotation, const double *v, double *out)
{
    if (dim == 2) {
        double c = cos(rotation[0]), s = sin(rotation[0]), x = v[0], y = v[1];
        out[0] = c * x - s * y;
        out[1] = s * x + c * y;
        return;
    }
    // v + 2 u x (u x v + w v) for the quaternion (w, u)
    const double *u = rotation + 1;
    double t[3] = {u[1] * v[2] - u[2] * v[1] + rotation[0] * v[0], u[2] * v[0] - u[0] * v[2] + rotation[0] * v[1],
                   u[0] * v[1] - u[1] * v[0] + rotation[0] * v[2]};
    double x = v[0] + 2 * (u[1] * t[2] - u[2] * t[1]), y = v[1] + 2 * (u[2] * t[0] - u[0] * t[2]);
    double z = v[2] + 2 * (u[0] * t[1] - u[1] * t[0]);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

// Inertia of 3-D in axes turned by the quaternion: R J R^T.
static void turn_inertia(const double *rotation, const double *inertia, double *out)
{
    const double j[3][3] = {{inertia[0], inertia[3], inertia[4]},
                            {inertia[3], inertia[1], inertia[5]},
                            {inertia[4], inertia[5], inertia[2]}};
    double column[3][3], turned[3][3] = {{0}};  // column[k] = R e_k
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        cd_scene_turn(3, rotation, unit, column[k]);
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    turned[r][c] += column[k][r] * j[k][l] * column[l][c];
    double result[6] = {turned[0][0], turned[1][1], turned[2][2], turned[0][1], turned[0][2], turned[1][2]};
    memcpy(out, result, sizeof result);
}

// ---- extents -------------------------------------------------------------------------------------------------------

static double distance(int dim, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// The largest distance of two points; those of the plane have z = 0.
static double point_diameter(cd_arena *arena, int dim, const double *point, int32_t count)
{
    if (dim == 3)
        return cd_points_diameter3((const cd_vec3 *)point, count, arena);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_vec3 *raised = CD_ARENA_ARRAY(arena, cd_vec3, count);
    for (int32_t i = 0; i < count; i++)
        raised[i] = (cd_vec3){point[2 * i], point[2 * i + 1], 0};
    double diameter = cd_points_diameter3(raised, count, arena);
    cd_arena_rewind(arena, mark);
    return diameter;
}

static double shortest_edge(const cd_scene *scene, const cd_scene_shape *shape)
{
    size_t dim = (size_t)scene->dim;
    double best = INFINITY;
    if (shape->kind == CD_SHAPE_POLYGON)
        return cd_polygon_shortest_edge((cd_polygon){shape->vertex_count, (const cd_vec2 *)shape->vertex});
    for (int32_t f = 0; f < shape->face_count; f++) {
        const int32_t *face = shape->face_vertex + shape->face_first[f];
        int32_t count = shape->face_first[f + 1] - shape->face_first[f];
        for (int32_t i = 0; i < count; i++)
            best = fmin(best, distance(3, shape->vertex + (size_t)face[i] * dim,
                                       shape->vertex + (size_t)face[(i + 1) % count] * dim));
    }
    for (int32_t t = 0; t < shape->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            best = fmin(best, distance(3, shape->vertex + (size_t)shape->triangle[3 * t + i] * dim,
                                       shape->vertex + (size_t)shape->triangle[3 * t + (i + 1) % 3] * dim));
    return best;
}

static void measure_extent(const cd_scene *scene, cd_scene_shape *shape)
{
    shape->diameter = point_diameter(scene->arena, scene->dim, shape->vertex, shape->vertex_count);
    shape->feature = shortest_edge(scene, shape);
}

// ---- closed forms, density 1 ---------------------------------------------------------------------------------------

static void measure_ellipsoid(int dim, const double *s, cd_scene_shape *shape)
{
    if (dim == 2) {
        shape->measure = M_PI * s[0] * s[1];
        shape->inertia[0] = shape->measure * (s[0] * s[0] + s[1] * s[1]) / 4;
        return;
    }
    double m = shape->measure = 4 * M_PI / 3 * s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) {
        double p = s[(i + 1) % 3], q = s[(i + 2) % 3];
        shape->inertia[i] = m * (p * p + q * q) / 5;
    }
}

static void measure_box(int dim, const double *s, cd_scene_shape *shape)
{
    if (dim == 2) {
        shape->measure = 4 * s[0] * s[1];
        shape->inertia[0] = shape->measure * (s[0] * s[0] + s[1] * s[1]) / 3;
        return;
    }
    double m = shape->measure = 8 * s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) {
        double p = s[(i + 1) % 3], q = s[(i + 2) % 3];
        shape->inertia[i] = m * (p * p + q * q) / 3;
    }
}

// J += m (d.d 1 - d d^T), in the plane m d.d
static void add_steiner(int dim, double mass, const double *d, double *inertia)
{
    if (dim == 2) {
        inertia[0] += mass * (d[0] * d[0] + d[1] * d[1]);
        return;
    }
    for (int i = 0; i < 3; i++) {
        double p = d[(i + 1) % 3], q = d[(i + 2) % 3];
        inertia[i] += mass * (p * p + q * q);
    }
    inertia[3] -= mass * d[0] * d[1];
    inertia[4] -= mass * d[0] * d[2];
    inertia[5] -= mass * d[1] * d[2];
}

// The sum over parts, which count in full where they overlap. Part positions are those of the parts' own origins here;
// the centre of mass of part p is at position + R centre.
static void measure_compound(const cd_scene *scene, cd_scene_shape *shape)
{
    int dim = scene->dim, turns = dim == 2 ? 1 : 4;
    double total = 0, sum[3] = {0};
    double *centre = CD_ARENA_ARRAY(scene->arena, double, (size_t)shape->part_count * 3);
    for (int32_t p = 0; p < shape->part_count; p++) {
        const cd_scene_shape *part = &scene->shapes.item[shape->part_shape[p]];
        cd_scene_turn(dim, shape->part_rotation + (size_t)p * (size_t)turns, part->centre, centre + 3 * p);
        for (int k = 0; k < dim; k++) {
            centre[3 * p + k] += shape->part_position[(size_t)p * (size_t)dim + (size_t)k];
            sum[k] += part->measure * centre[3 * p + k];
        }
        total += part->measure;  // NaN when any part's is
    }
    shape->measure = total;
    if (isnan(total))
        return;
    for (int k = 0; k < dim; k++)
        shape->centre[k] = sum[k] / total;
    for (int k = 0; k < 6; k++)
        shape->inertia[k] = 0;
    for (int32_t p = 0; p < shape->part_count; p++) {
        const cd_scene_shape *part = &scene->shapes.item[shape->part_shape[p]];
        double own[6], arm[3] = {0};
        memcpy(own, part->inertia, sizeof own);
        if (dim == 3)
            turn_inertia(shape->part_rotation + (size_t)p * 4, part->inertia, own);
        for (int k = 0; k < dim; k++)
            arm[k] = centre[3 * p + k] - shape->centre[k];
        for (int k = 0; k < (dim == 2 ? 1 : 6); k++)
            shape->inertia[k] += own[k];
        add_steiner(dim, part->measure, arm, shape->inertia);
    }
}

void cd_scene_measure(const cd_scene *scene, cd_scene_shape *shape)
{
    int dim = scene->dim;
    double given[3] = {shape->centre[0], shape->centre[1], shape->centre[2]};
    double ball[3] = {shape->size[0], shape->size[0], shape->size[0]};
    memset(shape->centre, 0, sizeof shape->centre);
    memset(shape->inertia, 0, sizeof shape->inertia);
    shape->inertia[0] = shape->measure = shape->diameter = shape->feature = NAN;
    double least = INFINITY, most = 0, square = 0;
    for (int i = 0; i < dim; i++) {
        least = fmin(least, shape->size[i]);
        most = fmax(most, shape->size[i]);
        square += shape->size[i] * shape->size[i];
    }
    switch (shape->kind) {
    case CD_SHAPE_SPHERE:
        measure_ellipsoid(dim, ball, shape);
        shape->diameter = shape->feature = 2 * shape->size[0];
        break;
    case CD_SHAPE_ELLIPSOID:
        measure_ellipsoid(dim, shape->size, shape);
        shape->diameter = 2 * most;
        shape->feature = 2 * least;
        break;
    case CD_SHAPE_BOX:
        measure_box(dim, shape->size, shape);
        shape->diameter = 2 * sqrt(square);
        shape->feature = 2 * least;
        break;
    case CD_SHAPE_POLYGON: {
        cd_polygon_moments moments =
            cd_polygon_measure((cd_polygon){shape->vertex_count, (const cd_vec2 *)shape->vertex});
        shape->measure = moments.area;
        shape->centre[0] = moments.centroid.x;
        shape->centre[1] = moments.centroid.y;
        shape->inertia[0] = moments.polar;
        measure_extent(scene, shape);
        break;
    }
    case CD_SHAPE_POLYHEDRON: {
        cd_mass3 mass = cd_polyhedron_mass(cd_scene_polyhedron(shape));
        shape->measure = mass.volume;
        cd_vec3_put(mass.centre, shape->centre);
        memcpy(shape->inertia, mass.inertia, sizeof mass.inertia);
        measure_extent(scene, shape);
        break;
    }
    case CD_SHAPE_FACETS:
        measure_extent(scene, shape);
        break;
    case CD_SHAPE_COMPOUND:
        measure_compound(scene, shape);
        break;
    default:
        break;
    }
    if (shape->has_centre) {  // not uniform: the moments above are those of another body
        memcpy(shape->centre, given, sizeof given);
        shape->inertia[0] = NAN;
    }
}
