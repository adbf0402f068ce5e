// Mass properties of shapes at density 1, and the extents that the scene's scales are taken from.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include "cd_polygon.h"

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

// ---- one shape -----------------------------------------------------------------------------------------------------

cd_shape_geometry cd_scene_geometry(const cd_scene_shape *shape)
{
    cd_shape_geometry geometry = cd_shape_geometry_none();
    uint32_t sizes = cd_shape_table[shape->kind]->sizes;
#define X(size, width)               \
    if (sizes & CD_SHAPE_SIZE(size)) \
        memcpy(geometry.size, shape->size, sizeof geometry.size);
#include "shape_sizes.def"
#undef X
    geometry.vertex_count = shape->vertex_count;
    geometry.vertex = shape->vertex;
    geometry.face_count = shape->face_count;
    geometry.face_first = shape->face_first;
    geometry.face_vertex = shape->face_vertex;
    geometry.surface_count = shape->surface_count;
    geometry.surface = shape->surface;
    geometry.triangle_count = shape->triangle_count;
    geometry.triangle = shape->triangle;
    return geometry;
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
    double given[3] = {shape->centre[0], shape->centre[1], shape->centre[2]};
    cd_shape_moments moments = {.measure = NAN, .inertia = {NAN}, .diameter = NAN, .feature = NAN};
    const cd_shape *kind = cd_shape_table[shape->kind];
    if (kind->moments) {
        cd_shape_geometry geometry = cd_scene_geometry(shape);
        kind->moments(&geometry, scene->dim, scene->arena, &moments);
    }
    if (shape->enclosed) {
        cd_vec3_put(shape->enclosed->centre, moments.centre);
        memcpy(moments.inertia, shape->enclosed->inertia, sizeof moments.inertia);
        moments.measure = shape->enclosed->volume;
    }
    memcpy(shape->centre, moments.centre, sizeof shape->centre);
    memcpy(shape->inertia, moments.inertia, sizeof shape->inertia);
    shape->measure = moments.measure;
    shape->diameter = moments.diameter;
    shape->feature = moments.feature;
    if (shape->kind == CD_SHAPE_COMPOUND)
        measure_compound(scene, shape);
    if (shape->has_centre) {  // not uniform: the moments above are those of another body
        memcpy(shape->centre, given, sizeof given);
        shape->inertia[0] = NAN;
    }
}
