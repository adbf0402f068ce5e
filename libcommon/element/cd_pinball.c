// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_element.h"
#include "element_shape.h"

#include <float.h>
#include <math.h>

static bool is_simplex(cd_element_kind kind) { return kind == CD_ELEMENT_TRI3 || kind == CD_ELEMENT_TET4; }

static double ball_of(int dim, double volume) { return dim == 2 ? sqrt(volume / M_PI) : cbrt(volume * 3 / (4 * M_PI)); }

double cd_pinball_radius(cd_element_kind kind, const cd_vec3 *reference)
{
    return ball_of(cd_element_dim(kind), cd_element_volume(kind, reference, CD_SYMMETRY_PLANE));
}

int32_t cd_pinball_count(cd_element_kind kind, int32_t split)
{
    CD_ASSERT(split >= 0 && split <= CD_PINBALL_MAX_SPLIT);
    return (int32_t)1 << (cd_element_dim(kind) * split);
}

// ---- cells of split elements ---------------------------------------------------------------------------------------

// Corners of a simplex in weights of the element's nodes.
typedef struct simplex {
    double at[4][4];
} simplex;

// Corners of the children as pairs of corners of the parent, whose midpoint they are.
static const int triangle_child[4][3][2] = {
    {{0, 0}, {0, 1}, {0, 2}}, {{0, 1}, {1, 1}, {1, 2}}, {{0, 2}, {1, 2}, {2, 2}}, {{1, 2}, {0, 2}, {0, 1}}};
static const int tetrahedron_child[8][4][2] = {{{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {{0, 1}, {1, 1}, {1, 2}, {1, 3}},
                                               {{0, 2}, {1, 2}, {2, 2}, {2, 3}}, {{0, 3}, {1, 3}, {2, 3}, {3, 3}},
                                               {{0, 1}, {0, 2}, {0, 3}, {1, 3}}, {{0, 1}, {0, 2}, {1, 2}, {1, 3}},
                                               {{0, 2}, {0, 3}, {1, 3}, {2, 3}}, {{0, 2}, {1, 2}, {1, 3}, {2, 3}}};

static simplex child_of(const simplex *parent, int dim, int digit)
{
    simplex child = {{{0}}};
    for (int i = 0; i <= dim; i++) {
        const int *ends = dim == 2 ? triangle_child[digit][i] : tetrahedron_child[digit][i];
        for (int k = 0; k <= dim; k++)
            child.at[i][k] = (parent->at[ends[0]][k] + parent->at[ends[1]][k]) / 2;
    }
    return child;
}

static void simplex_weights(int dim, int32_t split, int32_t child, double *weights)
{
    simplex cell = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    for (int32_t level = split; level-- > 0;)
        cell = child_of(&cell, dim, child >> (dim * level) & ((1 << dim) - 1));
    for (int k = 0; k <= dim; k++) {
        weights[k] = 0;
        for (int i = 0; i <= dim; i++)
            weights[k] += cell.at[i][k] / (dim + 1);
    }
}

// A quadrilateral's or hexahedron's: its middle in own coordinates, and half its width there.
typedef struct cell {
    cd_vec3 middle;
    double half;
} cell;

static cell cell_of(int dim, int32_t split, int32_t child)
{
    cell c = {{0, 0, 0}, 1};
    for (int32_t level = split; level-- > 0;) {
        int32_t digit = child >> (dim * level);
        c.half /= 2;
        c.middle.x += digit & 1 ? c.half : -c.half;
        c.middle.y += digit & 2 ? c.half : -c.half;
        c.middle.z += dim == 2 ? 0 : digit & 4 ? c.half : -c.half;
    }
    return c;
}

void cd_pinball_weights(cd_element_kind kind, int32_t split, int32_t child, double weights[8])
{
    int dim = cd_element_dim(kind);
    CD_ASSERT(child >= 0 && child < cd_pinball_count(kind, split));
    if (is_simplex(kind))
        simplex_weights(dim, split, child, weights);
    else
        cd_element_shape(cd_element_node_count(kind), cell_of(dim, split, child).middle, weights);
}

double cd_pinball_child_radius(cd_element_kind kind, const cd_vec3 *reference, int32_t split, int32_t child)
{
    int dim = cd_element_dim(kind), nodes = cd_element_node_count(kind);
    CD_ASSERT(child >= 0 && child < cd_pinball_count(kind, split));
    if (split == 0 || is_simplex(kind))
        return ldexp(cd_pinball_radius(kind, reference), -split);
    cell c = cell_of(dim, split, child);
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    for (int k = 0; k < nodes; k++) {
        double shape[CD_ELEMENT_MAX_NODES];
        cd_element_shape(nodes, cd_add3(c.middle, cd_scale3(c.half, cd_element_corner[k])), shape);
        x[k] = (cd_vec3){0, 0, 0};
        for (int i = 0; i < nodes; i++)
            x[k] = cd_add3(x[k], cd_scale3(shape[i], reference[i]));
    }
    return ball_of(dim, cd_element_volume(kind, x, CD_SYMMETRY_PLANE));
}
