// SPDX-License-Identifier: MIT
#include "plot_page.h"

#include <math.h>

// Of a surface with more triangles the edges are left out: they would be denser than pixels.
enum { MOST_FACET_EDGES = 50000 };

typedef struct form {
    CD_LIST(float) triangle, edge;  // [m] 9 and 6 numbers each
    cd_buffer ball, plane;          // JSON
    cd_arena *arena;
} form;

static void add_point(form *f, bool is_edge, cd_vec3 p)
{
    const float number[3] = {(float)p.x, (float)p.y, (float)p.z};
    for (int k = 0; k < 3; k++)
        if (is_edge)
            cd_list_push(f->arena, &f->edge, number[k]);
        else
            cd_list_push(f->arena, &f->triangle, number[k]);
}

static void add_triangle(form *f, cd_vec3 a, cd_vec3 b, cd_vec3 c)
{
    add_point(f, false, a);
    add_point(f, false, b);
    add_point(f, false, c);
}

static void add_edge(form *f, cd_vec3 a, cd_vec3 b)
{
    add_point(f, true, a);
    add_point(f, true, b);
}

static void add_numbers(cd_buffer *list, const double *number, int count)
{
    cd_buffer_text(list, list->size ? ",[" : "[");
    for (int k = 0; k < count; k++) {
        char text[CD_NUMBER_MAX];
        if (k)
            cd_buffer_text(list, ",");
        cd_buffer_append(list, text, (size_t)cd_number_print(number[k], text));
    }
    cd_buffer_text(list, "]");
}

static void add_ball(form *f, cd_vec3 centre, const cd_vec3 axis[3])
{
    const double number[12] = {centre.x,  centre.y,  centre.z,  axis[0].x, axis[0].y, axis[0].z,
                               axis[1].x, axis[1].y, axis[1].z, axis[2].x, axis[2].y, axis[2].z};
    add_numbers(&f->ball, number, 12);
}

static void add_plane(form *f, cd_vec3 normal, double offset)
{
    const double number[4] = {normal.x, normal.y, normal.z, offset};
    add_numbers(&f->plane, number, 4);
}

// ---- of the plane --------------------------------------------------------------------------------------------------

static cd_vec3 raised(cd_vec2 p) { return (cd_vec3){p.x, p.y, 0}; }

static void add_leaf2(form *f, const cd_leaf2 *leaf)
{
    if (leaf->kind == CD_SHAPE_HALFSPACE) {
        add_plane(f, raised(leaf->normal), leaf->offset);
    } else if (leaf->kind == CD_SHAPE_POLYGON) {
        const cd_vec2 *v = leaf->polygon.vertex;
        for (int32_t i = 0; i < leaf->polygon.count; i++) {
            add_edge(f, raised(v[i]), raised(v[(i + 1) % leaf->polygon.count]));
            if (i >= 2)
                add_triangle(f, raised(v[0]), raised(v[i - 1]), raised(v[i]));
        }
    } else {
        bool is_circle = leaf->kind == CD_SHAPE_SPHERE;
        double a = is_circle ? leaf->radius : leaf->semiaxes.x, b = is_circle ? leaf->radius : leaf->semiaxes.y;
        double c = is_circle ? 1 : leaf->cosine, s = is_circle ? 0 : leaf->sine;
        const cd_vec3 axis[3] = {{a * c, a * s, 0}, {-b * s, b * c, 0}, {0, 0, 0}};
        add_ball(f, raised(leaf->centre), axis);
    }
}

// ---- of space ------------------------------------------------------------------------------------------------------

static bool is_outer(const cd_convex3 *c, int32_t face) { return face >= 0 && (!c->surface || c->surface[face] >= 0); }

// Is it an outline, and no line of the mesh that the shape was cut by? Edges within a planar face are not in the list.
static bool is_outline(const cd_convex3 *c, const cd_edge3 *edge, cd_vec3 beyond)
{
    bool left = is_outer(c, edge->face[0]), right = is_outer(c, edge->face[1]);
    if (left == right)
        return left;
    cd_vec3 normal = cd_convex3_normal(c, edge->face[left ? 0 : 1]);
    return cd_dot3(beyond, beyond) == 0 || cd_dot3(normal, beyond) < 1 - 1e-9;
}

static void add_polyhedron(form *f, const cd_leaf3 *leaf, const cd_vec3 *mate)
{
    const cd_convex3 *c = &leaf->prepared->convex;
    for (int32_t face = 0; face < c->face_count; face++) {
        const int32_t *v = c->face_vertex + c->face_first[face];
        int32_t corners = c->face_first[face + 1] - c->face_first[face];
        for (int32_t k = 2; k < corners && is_outer(c, face); k++)
            add_triangle(f, cd_convex3_vertex(c, v[0]), cd_convex3_vertex(c, v[k - 1]), cd_convex3_vertex(c, v[k]));
    }
    for (int32_t i = 0; i < c->edge_count; i++) {
        cd_edge3 edge = cd_convex3_edge(c, i);
        int32_t number = cd_edges3_find(&leaf->prepared->edges, edge.vertex[0], edge.vertex[1]);
        if (is_outline(c, &edge, mate && number >= 0 ? mate[number] : (cd_vec3){0, 0, 0}))
            add_edge(f, cd_convex3_vertex(c, edge.vertex[0]), cd_convex3_vertex(c, edge.vertex[1]));
    }
}

static void add_leaf3(form *f, const cd_leaf3 *leaf, const cd_vec3 *mate, bool has_edges)
{
    if (leaf->kind == CD_SHAPE_HALFSPACE) {
        add_plane(f, leaf->halfspace.normal, leaf->halfspace.offset);
    } else if (leaf->kind == CD_SHAPE_POLYHEDRON) {
        add_polyhedron(f, leaf, mate);
    } else if (leaf->kind == CD_SHAPE_FACETS) {
        cd_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = cd_leaf3_corner(leaf, k);
        add_triangle(f, corner[0], corner[1], corner[2]);
        for (int k = 0; k < 3 && has_edges; k++)
            add_edge(f, corner[k], corner[(k + 1) % 3]);
    } else {
        bool is_ball = leaf->kind == CD_SHAPE_SPHERE;
        double r = is_ball ? leaf->sphere.radius : 0;
        const cd_mat3 unit = cd_mat3_identity();
        cd_mat3 turned = cd_mat3_transpose(is_ball ? &unit : leaf->ellipsoid->axes);
        cd_vec3 a = is_ball ? (cd_vec3){r, r, r} : leaf->ellipsoid->semiaxes;
        const cd_vec3 axis[3] = {cd_scale3(a.x, turned.row[0]), cd_scale3(a.y, turned.row[1]),
                                 cd_scale3(a.z, turned.row[2])};
        add_ball(f, is_ball ? leaf->sphere.centre : leaf->ellipsoid->centre, axis);
    }
}

// ---- as JSON -------------------------------------------------------------------------------------------------------

void cd_plot_base64(const void *bytes, size_t size, cd_buffer *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    cd_buffer_reserve(out, (size + 2) / 3 * 4);
    char *to = out->data + out->size;
    for (size_t i = 0; i < size; i += 3, to += 4) {
        unsigned group =
            (unsigned)b[i] << 16 | (i + 1 < size ? (unsigned)b[i + 1] << 8 : 0) | (i + 2 < size ? b[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            to[k] = digit[group >> (18 - 6 * k) & 63];
        for (size_t k = size - i + 1; k < 4; k++)
            to[k] = '=';
    }
    out->size = (size_t)(to - out->data);
}

void cd_plot_page_shapes(const cd_plot_shapes *shapes, int32_t shape_count, cd_buffer *out)
{
    const cd_leaves *leaves = &shapes->leaves;
    cd_buffer_text(out, "[");
    for (int32_t shape = 0; shape < shape_count; shape++) {
        cd_arena arena = {0};
        form f = {.arena = &arena};
        int32_t first = leaves->first[shape], end = leaves->first[shape + 1];
        for (int32_t i = first; i < end; i++)
            if (leaves->dim == 2) {
                add_leaf2(&f, &leaves->plane.leaf[i]);
            } else {
                const cd_leaf3 leaf = cd_leaves3_at(&leaves->space, i);
                add_leaf3(&f, &leaf, shapes->mate[i], end - first <= MOST_FACET_EDGES);
            }
        cd_buffer_text(out, shape ? ",\n{\"triangle\":\"" : "\n{\"triangle\":\"");
        cd_plot_base64(f.triangle.item, (size_t)f.triangle.count * sizeof(float), out);
        cd_buffer_text(out, "\",\"edge\":\"");
        cd_plot_base64(f.edge.item, (size_t)f.edge.count * sizeof(float), out);
        cd_buffer_text(out, "\",\"ball\":[");
        cd_buffer_append(out, f.ball.data, f.ball.size);
        cd_buffer_text(out, "],\"plane\":[");
        cd_buffer_append(out, f.plane.data, f.plane.size);
        cd_buffer_text(out, "]}");
        cd_buffer_release(&f.ball);
        cd_buffer_release(&f.plane);
        cd_arena_release(&arena);
    }
    cd_buffer_text(out, "]");
}
