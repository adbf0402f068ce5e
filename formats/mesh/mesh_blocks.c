// Meshes of simple bodies. Boxes are grids. Round bodies are a grid in the middle, somewhat rounded, and layers from
// its surface to the circle or sphere: no element has a flat angle, as it would have where the corner of a single grid
// meets the circle. Sums, products and square roots alone: the same on every machine.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_element_mesh.h"

#include <math.h>

// Of quadrilaterals or hexahedra, before they are cut.
typedef struct grid {
    cd_arena *arena;
    CD_LIST(cd_vec3) node;
    CD_LIST(int32_t) corner;
    CD_LIST(int32_t) parity;  // of quadrilaterals: which diagonal cuts those with two that are alike
} grid;

static int64_t layers_of(int64_t cells) { return cells / 2 > 1 ? cells / 2 : 1; }

int64_t cd_element_block_count(const cd_element_block *block)
{
    double n = (double)block->cells[0], layers = (double)layers_of(block->cells[0]), count = 0;
    switch (block->form) {
    case CD_BLOCK_BOX:
        count = n * (double)block->cells[1] * (cd_element_dim(block->kind) == 2 ? 1 : (double)block->cells[2]);
        break;
    case CD_BLOCK_CIRCLE:
        count = n * n + 4 * n * layers;
        break;
    case CD_BLOCK_HALF_CIRCLE:
        count = (n * n + 4 * n * layers) / 2;
        break;
    case CD_BLOCK_SPHERE:
        count = n * n * n + 6 * n * n * layers;
        break;
    case CD_BLOCK_ROD:
        count = (n * n + 4 * n * layers) * (double)block->cells[1];
        break;
    }
    count *= block->kind == CD_ELEMENT_TRI3 ? 2 : block->kind == CD_ELEMENT_TET4 ? 6 : 1;
    return count < 0x1p60 ? (int64_t)count : INT64_MAX / 8;
}

// ---- grids ---------------------------------------------------------------------------------------------------------

static void add_node(grid *g, cd_vec3 x) { cd_list_push(g->arena, &g->node, x); }

static void add_cell(grid *g, int nodes, const int32_t *node, int64_t parity)
{
    for (int i = 0; i < nodes; i++)
        cd_list_push(g->arena, &g->corner, node[i]);
    cd_list_push(g->arena, &g->parity, (int32_t)(parity % 2));
}

// Nodes of a grid over [-1, 1]^dim, x fastest, and its cells; with `half` x goes from 0.
static void add_lattice(grid *g, int dim, const int64_t cells[3], bool half)
{
    int64_t nx = cells[0], ny = cells[1], nz = dim == 2 ? 0 : cells[2];
    for (int64_t k = 0; k <= nz; k++)
        for (int64_t j = 0; j <= ny; j++)
            for (int64_t i = 0; i <= nx; i++) {
                double x = half ? (double)i / (double)nx : (double)(2 * i - nx) / (double)nx;
                add_node(g, (cd_vec3){x, (double)(2 * j - ny) / (double)ny,
                                      dim == 2 ? 0 : (double)(2 * k - nz) / (double)nz});
            }
    int64_t row = nx + 1, layer = row * (ny + 1);
    for (int64_t k = 0; k < (dim == 2 ? 1 : nz); k++)
        for (int64_t j = 0; j < ny; j++)
            for (int64_t i = 0; i < nx; i++) {
                int64_t o = i + row * j + layer * k;
                int64_t at[8] = {o,         o + 1,         o + 1 + row,         o + row,
                                 o + layer, o + 1 + layer, o + 1 + row + layer, o + row + layer};
                int32_t node[8];
                for (int c = 0; c < 8; c++)
                    node[c] = (int32_t)at[c];
                add_cell(g, dim == 2 ? 4 : 8, node, i + j);
            }
}

// ---- round bodies --------------------------------------------------------------------------------------------------

static double largest(cd_vec3 p) { return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))); }

// Where a node of the middle, in [-1, 1]^dim, goes in the unit ball. The middle reaches half way, its corners less far.
static cd_vec3 rounded(cd_vec3 p)
{
    double length = cd_length3(p);
    return length > 0 ? cd_scale3(0.25 * (1 + largest(p) / length), p) : p;
}

// Where a node of its surface goes on the unit sphere: angles are nearly even, as by tan(pi/4 p).
static cd_vec3 on_sphere(cd_vec3 p)
{
    static const double quarter = M_PI / 4;
    double *c[3] = {&p.x, &p.y, &p.z};
    for (int k = 0; k < 3; k++)
        *c[k] *= quarter + (1 - quarter) * *c[k] * *c[k];
    return cd_unit3(p);
}

// Faces of the cells that lie in the surface of [-1, 1]^dim, in the order of cells: out of the corners of each.
typedef struct surface {
    int dim, corners;       // of a face
    CD_LIST(int32_t) face;  // corners each: seen from outside counter-clockwise, in the plane with the body at the left
    CD_LIST(int32_t) node;  // of the surface
    int32_t *place;         // by node: its index there, -1
} surface;

static const int quad_side[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int hex_side[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// All its nodes have the same coordinate 1 or -1.
static bool is_outside(const grid *g, const int32_t *node, int count)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            int there = 0;
            for (int i = 0; i < count; i++)
                there += (&g->node.item[node[i]].x)[axis] == side;
            if (there == count)
                return true;
        }
    return false;
}

static surface surface_of(const grid *g, int dim)
{
    surface s = {.dim = dim, .corners = dim == 2 ? 2 : 4};
    int nodes = dim == 2 ? 4 : 8, sides = dim == 2 ? 4 : 6;
    s.place = CD_ARENA_ARRAY(g->arena, int32_t, g->node.count);
    for (int32_t i = 0; i < g->node.count; i++)
        s.place[i] = -1;
    for (int32_t cell = 0; cell < g->corner.count / nodes; cell++)
        for (int side = 0; side < sides; side++) {
            const int *corner = dim == 2 ? quad_side[side] : hex_side[side];
            int32_t node[4];
            for (int i = 0; i < s.corners; i++)
                node[i] = g->corner.item[nodes * cell + corner[i]];
            if (!is_outside(g, node, s.corners))
                continue;
            for (int i = 0; i < s.corners; i++) {
                cd_list_push(g->arena, &s.face, node[i]);
                if (s.place[node[i]] >= 0)
                    continue;
                s.place[node[i]] = s.node.count;
                cd_list_push(g->arena, &s.node, node[i]);
            }
        }
    return s;
}

// The node that a node of the surface has in a layer; layer 0: itself.
static int32_t in_layer(const surface *s, int32_t first, int64_t layer, int32_t node)
{
    return layer == 0 ? node : first + (int32_t)(layer - 1) * s->node.count + s->place[node];
}

static void add_layers(grid *g, const surface *s, int64_t layers)
{
    int32_t first = g->node.count, faces = s->face.count / s->corners;
    for (int64_t l = 1; l <= layers; l++)
        for (int32_t i = 0; i < s->node.count; i++) {
            cd_vec3 p = g->node.item[s->node.item[i]];
            add_node(g, cd_lerp3(rounded(p), on_sphere(p), (double)l / (double)layers));
        }
    for (int64_t l = 1; l <= layers; l++)
        for (int32_t f = 0; f < faces; f++) {
            const int32_t *face = s->face.item + s->corners * f;
            int32_t in[4] = {0}, out[4] = {0};
            for (int i = 0; i < s->corners; i++) {
                in[i] = in_layer(s, first, l - 1, face[i]);
                out[i] = in_layer(s, first, l, face[i]);
            }
            int32_t quad[4] = {out[0], out[1], in[1], in[0]};
            int32_t hex[8] = {in[0], in[1], in[2], in[3], out[0], out[1], out[2], out[3]};
            add_cell(g, s->dim == 2 ? 4 : 8, s->dim == 2 ? quad : hex, l + f);
        }
    for (int32_t i = 0; i < first; i++)
        g->node.item[i] = rounded(g->node.item[i]);
}

static void add_ball(grid *g, int dim, int64_t cells, bool half)
{
    int64_t n[3] = {half ? cells / 2 : cells, cells, cells};
    add_lattice(g, dim, n, half);
    surface s = surface_of(g, dim);
    add_layers(g, &s, layers_of(cells));
}

// Of a mesh of the plane layers along z, from -1 to 1.
static grid extruded(const grid *plane, int64_t layers)
{
    grid g = {.arena = plane->arena};
    int32_t nodes = plane->node.count;
    for (int64_t l = 0; l <= layers; l++)
        for (int32_t i = 0; i < nodes; i++) {
            cd_vec3 x = plane->node.item[i];
            add_node(&g, (cd_vec3){x.x, x.y, (double)(2 * l - layers) / (double)layers});
        }
    for (int64_t l = 0; l < layers; l++)
        for (int32_t q = 0; q < plane->corner.count / 4; q++) {
            int32_t hex[8];
            for (int i = 0; i < 4; i++) {
                hex[i] = plane->corner.item[4 * q + i] + (int32_t)l * nodes;
                hex[4 + i] = hex[i] + nodes;
            }
            add_cell(&g, 8, hex, 0);
        }
    return g;
}

// ---- cutting -------------------------------------------------------------------------------------------------------

// Two triangles along the shorter diagonal.
static void cut_quad(grid *to, const grid *g, int32_t cell)
{
    static const double alike = 1e-9;  // [1] diagonals that rounding alone tells apart
    const int32_t *q = g->corner.item + 4 * cell;
    const cd_vec3 *x = g->node.item;
    double even = cd_length3(cd_sub3(x[q[2]], x[q[0]])), odd = cd_length3(cd_sub3(x[q[3]], x[q[1]]));
    bool is_odd = fabs(even - odd) < alike * even ? g->parity.item[cell] : odd < even;
    int32_t two[2][3] = {{q[0], q[1], is_odd ? q[3] : q[2]}, {is_odd ? q[1] : q[0], q[2], q[3]}};
    for (int t = 0; t < 2; t++)
        add_cell(to, 3, two[t], 0);
}

// Six tetrahedra from the node of least number to the three faces that it is not in, each cut from its own node of
// least number: so neighbours cut what they share alike (J. Dompierre et al., How to subdivide pyramids, prisms and
// hexahedra into tetrahedra, 1999).
static void cut_hex(grid *to, const grid *g, int32_t cell)
{
    const int32_t *h = g->corner.item + 8 * cell;
    int32_t top = h[0];
    for (int i = 1; i < 8; i++)
        top = h[i] < top ? h[i] : top;
    for (int f = 0; f < 6; f++) {
        int32_t v[4];
        int least = 0;
        bool has_top = false;
        for (int i = 0; i < 4; i++) {
            v[i] = h[hex_side[f][i]];
            least = v[i] < v[least] ? i : least;
            has_top |= v[i] == top;
        }
        for (int t = 1; t < 3 && !has_top; t++) {
            int32_t four[4] = {v[least], v[(least + t + 1) % 4], v[(least + t) % 4], top};  // from inside clockwise
            add_cell(to, 4, four, 0);
        }
    }
}

static grid cut(const grid *g, cd_element_kind kind)
{
    grid to = {.arena = g->arena, .node = {g->node.item, g->node.count, g->node.capacity}};
    for (int32_t cell = 0; cell < g->parity.count; cell++) {
        if (kind == CD_ELEMENT_TRI3)
            cut_quad(&to, g, cell);
        else
            cut_hex(&to, g, cell);
    }
    return to;
}

// ---- the block -----------------------------------------------------------------------------------------------------

static cd_element_mesh mesh_of(const grid *g, cd_element_kind kind)
{
    int nodes = cd_element_node_count(kind);
    int32_t count = g->parity.count;
    int32_t *kinds = CD_ARENA_ARRAY(g->arena, int32_t, count);
    int32_t *first = CD_ARENA_ARRAY(g->arena, int32_t, (size_t)count + 1);
    for (int32_t e = 0; e <= count; e++)
        first[e] = nodes * e;
    for (int32_t e = 0; e < count; e++)
        kinds[e] = kind;
    return (cd_element_mesh){.dim = cd_element_dim(kind),
                             .node_count = g->node.count,
                             .element_count = count,
                             .node = g->node.item,
                             .kind = kinds,
                             .first = first,
                             .corner = g->corner.item};
}

cd_element_mesh cd_element_block_make(cd_arena *arena, const cd_element_block *block)
{
    grid g = {.arena = arena};
    int dim = cd_element_dim(block->kind);
    cd_vec3 size = {block->size[0], block->size[0], block->size[0]};
    CD_ASSERT(cd_element_block_count(block) <= INT32_MAX / CD_ELEMENT_MAX_NODES);
    switch (block->form) {
    case CD_BLOCK_BOX:
        add_lattice(&g, dim, block->cells, false);
        size = cd_vec3_at(block->size);
        break;
    case CD_BLOCK_ROD:
        add_ball(&g, 2, block->cells[0], false);
        g = extruded(&g, block->cells[1]);
        size.z = block->size[1];
        break;
    default:
        add_ball(&g, dim, block->cells[0], block->form == CD_BLOCK_HALF_CIRCLE);
    }
    for (int32_t i = 0; i < g.node.count; i++) {
        cd_vec3 *x = &g.node.item[i];
        *x = (cd_vec3){size.x * x->x, size.y * x->y, dim == 2 ? 0 : size.z * x->z};
    }
    if (block->kind == CD_ELEMENT_TRI3 || block->kind == CD_ELEMENT_TET4)
        g = cut(&g, block->kind);
    return mesh_of(&g, block->kind);
}
