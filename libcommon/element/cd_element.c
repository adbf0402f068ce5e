// SPDX-License-Identifier: MIT
#include "cd_element.h"

#include "element_shape.h"

const cd_vec3 cd_element_corner[CD_ELEMENT_MAX_NODES] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

int cd_element_dim(cd_element_kind kind) { return kind == CD_ELEMENT_TRI3 || kind == CD_ELEMENT_QUAD4 ? 2 : 3; }

int cd_element_node_count(cd_element_kind kind)
{
    static const int count[CD_ELEMENT_KINDS] = {
        [CD_ELEMENT_TRI3] = 3, [CD_ELEMENT_TET4] = 4, [CD_ELEMENT_QUAD4] = 4, [CD_ELEMENT_HEX8] = 8};
    return count[kind];
}

// ---- volumes -------------------------------------------------------------------------------------------------------

// Six times the signed volume of a tetrahedron with its first node at the origin.
static double triple(cd_vec3 a, cd_vec3 b, cd_vec3 c) { return cd_dot3(a, cd_cross3(b, c)); }

// Under a bilinear face there is the mean of what its two triangulations have under them.
static double hexahedron(const cd_vec3 *x)
{
    static const int face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    double sum = 0;
    for (int f = 0; f < 6; f++) {
        cd_vec3 v[4];
        for (int i = 0; i < 4; i++)
            v[i] = cd_sub3(x[face[f][i]], x[0]);
        sum +=
            triple(v[0], v[1], v[2]) + triple(v[0], v[2], v[3]) + triple(v[0], v[1], v[3]) + triple(v[1], v[2], v[3]);
    }
    return sum / 12;
}

static double triangle(const cd_vec3 *a, const cd_vec3 *b, const cd_vec3 *c, cd_symmetry symmetry)
{
    double area = ((b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x)) / 2;
    return symmetry == CD_SYMMETRY_AXIAL ? 2 * M_PI / 3 * (a->x + b->x + c->x) * area : area;
}

double cd_element_volume(cd_element_kind kind, const cd_vec3 *x, cd_symmetry symmetry)
{
    switch (kind) {
    case CD_ELEMENT_TRI3:
        return triangle(&x[0], &x[1], &x[2], symmetry);
    case CD_ELEMENT_QUAD4:
        return triangle(&x[0], &x[1], &x[2], symmetry) + triangle(&x[0], &x[2], &x[3], symmetry);
    case CD_ELEMENT_TET4:
        return triple(cd_sub3(x[1], x[0]), cd_sub3(x[2], x[0]), cd_sub3(x[3], x[0])) / 6;
    default:
        return hexahedron(x);
    }
}

// ---- shape functions -----------------------------------------------------------------------------------------------

void cd_element_shape(int nodes, cd_vec3 at, double *shape)
{
    for (int i = 0; i < nodes; i++) {
        cd_vec3 c = cd_element_corner[i];
        double plane = (1 + c.x * at.x) * (1 + c.y * at.y) / 4;
        shape[i] = nodes == 4 ? plane : plane * (1 + c.z * at.z) / 2;
    }
}

void cd_element_shape_slopes(int nodes, cd_vec3 at, cd_vec3 *slope)
{
    for (int i = 0; i < nodes; i++) {
        cd_vec3 c = cd_element_corner[i];
        double x = 1 + c.x * at.x, y = 1 + c.y * at.y, z = nodes == 4 ? 2 : 1 + c.z * at.z;
        slope[i] = (cd_vec3){c.x * y * z / 8, x * c.y * z / 8, nodes == 4 ? 0 : x * y * c.z / 8};
    }
}

cd_mat3 cd_element_jacobian(int nodes, const cd_vec3 *slope, const cd_vec3 *x)
{
    cd_mat3 j = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int i = 0; i < nodes; i++) {
        j.row[0] = cd_add3(j.row[0], cd_scale3(x[i].x, slope[i]));
        j.row[1] = cd_add3(j.row[1], cd_scale3(x[i].y, slope[i]));
        j.row[2] = cd_add3(j.row[2], cd_scale3(x[i].z, slope[i]));
    }
    return j;
}

// ---- shares --------------------------------------------------------------------------------------------------------

// Two points of Gauss a direction: the integrand is at most cubic along each coordinate, so this is exact.
static void integrate_shares(int nodes, const cd_vec3 *x, cd_symmetry symmetry, double *share)
{
    double g = 1 / sqrt(3.0);
    for (int i = 0; i < nodes; i++)
        share[i] = 0;
    for (int point = 0; point < nodes; point++) {
        double shape[CD_ELEMENT_MAX_NODES], radius = 0;
        cd_vec3 slope[CD_ELEMENT_MAX_NODES], at = cd_scale3(g, cd_element_corner[point]);
        cd_element_shape(nodes, at, shape);
        cd_element_shape_slopes(nodes, at, slope);
        cd_mat3 j = cd_element_jacobian(nodes, slope, x);
        double size =
            nodes == 4 ? j.row[0].x * j.row[1].y - j.row[0].y * j.row[1].x : triple(j.row[0], j.row[1], j.row[2]);
        for (int i = 0; i < nodes; i++)
            radius += shape[i] * x[i].x;
        if (symmetry == CD_SYMMETRY_AXIAL && nodes == 4)
            size *= 2 * M_PI * radius;
        for (int i = 0; i < nodes; i++)
            share[i] += shape[i] * size;
    }
}

void cd_element_shares(cd_element_kind kind, const cd_vec3 *x, cd_symmetry symmetry, double share[8])
{
    int nodes = cd_element_node_count(kind);
    if (kind == CD_ELEMENT_QUAD4 || kind == CD_ELEMENT_HEX8) {
        integrate_shares(nodes, x, symmetry, share);
        return;
    }
    double volume = cd_element_volume(kind, x, CD_SYMMETRY_PLANE);
    for (int i = 0; i < nodes; i++)
        share[i] = volume / nodes;
    if (kind == CD_ELEMENT_TRI3 && symmetry == CD_SYMMETRY_AXIAL)
        for (int i = 0; i < 3; i++)
            share[i] = M_PI / 6 * volume * (x[0].x + x[1].x + x[2].x + x[i].x);
}
