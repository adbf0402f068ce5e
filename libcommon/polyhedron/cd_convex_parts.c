// SPDX-License-Identifier: MIT
#include "cd_convex_parts.h"

#include "cd_edges3.h"
#include "cd_polyhedron_mass.h"
#include "convex_faces.h"

#include <math.h>

// A piece of a face of the polyhedron, within a cell.
typedef struct face_piece {
    int32_t face;
    convex_polygon polygon;
} face_piece;

typedef struct reflex_edge {
    cd_vec3 end[2];
    int32_t face[2];
} reflex_edge;

// A cell with what of the polyhedron's surface is within it, its own border left out.
typedef struct region {
    convex_cell cell;
    CD_LIST(face_piece) pieces;
    CD_LIST(reflex_edge) reflex;
} region;

typedef struct parts_work {
    cd_arena *arena;
    cd_polyhedron polyhedron;
    convex_plane *plane;  // of its faces
    convex_corners corners;
    CD_LIST(region) waiting;
    CD_LIST(convex_cell) done;
} parts_work;

// ---- cuts ----------------------------------------------------------------------------------------------------------

static void add_piece(parts_work *work, region *side, face_piece piece, convex_plane plane)
{
    piece.polygon = convex_polygon_below(piece.polygon, plane, work->corners.flat, work->arena);
    if (piece.polygon.count > 0)
        cd_list_push(work->arena, &side->pieces, piece);
}

// What of an edge is below; an edge in the plane is on the border of both sides.
static void add_reflex(parts_work *work, region *side, reflex_edge edge, convex_plane plane)
{
    double first = convex_plane_height(plane, edge.end[0]), second = convex_plane_height(plane, edge.end[1]);
    double flat = work->corners.flat;
    if (first >= -flat && second >= -flat)
        return;
    if (first > flat)
        edge.end[0] = cd_lerp3(edge.end[0], edge.end[1], first / (first - second));
    if (second > flat)
        edge.end[1] = cd_lerp3(edge.end[1], edge.end[0], second / (second - first));
    cd_list_push(work->arena, &side->reflex, edge);
}

static void cut_region(parts_work *work, const region *from, convex_plane plane, region *below, region *above)
{
    convex_plane turned = convex_plane_turned(plane);
    *below = *above = (region){0};
    convex_cell_cut(&work->corners, from->cell, plane, &below->cell, &above->cell);
    for (int32_t k = 0; k < from->pieces.count; k++) {
        if (convex_polygon_is_in(from->pieces.item[k].polygon, plane, work->corners.flat))
            continue;
        add_piece(work, below, from->pieces.item[k], plane);
        add_piece(work, above, from->pieces.item[k], turned);
    }
    for (int32_t k = 0; k < from->reflex.count; k++) {
        add_reflex(work, below, from->reflex.item[k], plane);
        add_reflex(work, above, from->reflex.item[k], turned);
    }
}

// ---- choices -------------------------------------------------------------------------------------------------------

// Pieces that a plane cuts in two, less the reflex edges that lie in it.
static int32_t cost_of(const parts_work *work, const region *of, convex_plane plane)
{
    int32_t cost = 0;
    double flat = work->corners.flat;
    for (int32_t k = 0; k < of->pieces.count; k++) {
        convex_polygon polygon = of->pieces.item[k].polygon;
        bool has_below = false, has_above = false;
        for (int32_t v = 0; v < polygon.count; v++) {
            double height = convex_plane_height(plane, polygon.point[v]);
            has_below |= height < -flat;
            has_above |= height > flat;
        }
        cost += has_below && has_above;
    }
    for (int32_t k = 0; k < of->reflex.count; k++)
        cost -= fabs(convex_plane_height(plane, of->reflex.item[k].end[0])) <= flat &&
                fabs(convex_plane_height(plane, of->reflex.item[k].end[1])) <= flat;
    return cost;
}

// Reflex edges that are tried: the rest would hardly find better cuts, at a cost of their square.
enum { CANDIDATES = 64 };

static convex_plane best_cut(const parts_work *work, const region *of)
{
    convex_plane best = {{0, 0, 0}, 0};
    int32_t least = INT32_MAX;
    for (int32_t k = 0; k < of->reflex.count && k < CANDIDATES; k++)
        for (int side = 0; side < 2; side++) {
            convex_plane plane = work->plane[of->reflex.item[k].face[side]];
            int32_t cost = cost_of(work, of, plane);
            if (cost < least) {
                least = cost;
                best = plane;
            }
        }
    return best;
}

// A piece that has another one above its plane, so that they do not belong to one convex solid; -1: none.
static int32_t apart_piece(const parts_work *work, const region *of)
{
    for (int32_t k = 0; k < of->pieces.count; k++)
        for (int32_t other = 0; other < of->pieces.count; other++) {
            convex_polygon polygon = of->pieces.item[other].polygon;
            for (int32_t v = 0; v < polygon.count; v++)
                if (convex_plane_height(work->plane[of->pieces.item[k].face], polygon.point[v]) > work->corners.flat)
                    return k;
        }
    return -1;
}

// The winding number by solid angles (van Oosterom & Strackee, IEEE Trans. Biomed. Eng. 30(2), 1983).
static bool is_inside(const parts_work *work, cd_vec3 at)
{
    double sum = 0;
    cd_polyhedron polyhedron = work->polyhedron;
    for (int32_t f = 0; f < polyhedron.face_count; f++) {
        const int32_t *corner = polyhedron.face_vertex + polyhedron.face_first[f];
        int32_t count = polyhedron.face_first[f + 1] - polyhedron.face_first[f];
        for (int32_t k = 1; k + 1 < count; k++) {
            cd_vec3 a = cd_sub3(polyhedron.vertex[corner[0]], at), b = cd_sub3(polyhedron.vertex[corner[k]], at);
            cd_vec3 c = cd_sub3(polyhedron.vertex[corner[k + 1]], at);
            double p = cd_length3(a), q = cd_length3(b), r = cd_length3(c);
            sum += 2 * atan2(cd_dot3(a, cd_cross3(b, c)),
                             p * q * r + cd_dot3(a, b) * r + cd_dot3(b, c) * p + cd_dot3(c, a) * q);
        }
    }
    return sum > 2 * M_PI;
}

// ---- regions -------------------------------------------------------------------------------------------------------

// Without reflex edges and pieces apart: what of the cell is behind all pieces.
static void finish(parts_work *work, const region *of)
{
    convex_cell cell = of->cell, rest;
    for (int32_t k = 0; k < of->pieces.count && cell.face_count > 0; k++)
        convex_cell_cut(&work->corners, cell, work->plane[of->pieces.item[k].face], &cell, &rest);
    if (cell.face_count > 0 && is_inside(work, convex_cell_middle(&work->corners, cell)))
        cd_list_push(work->arena, &work->done, cell);
}

static cd_status cut_all(parts_work *work, int32_t most, cd_diag *diag)
{
    while (work->waiting.count > 0) {
        region now = work->waiting.item[--work->waiting.count], below, above;
        int32_t apart = now.reflex.count > 0 ? -1 : apart_piece(work, &now);
        if (now.reflex.count == 0 && apart < 0) {
            finish(work, &now);
            if (work->done.count > most)
                return cd_fail(diag, CD_ERR_LIMIT, "faces: more than %d convex parts", (int)most);
            continue;
        }
        convex_plane plane = apart < 0 ? best_cut(work, &now) : work->plane[now.pieces.item[apart].face];
        cut_region(work, &now, plane, &below, &above);
        if (below.cell.face_count == 0 || above.cell.face_count == 0)
            return cd_fail(diag, CD_ERR_FORMAT, "faces: are nearer to one another than %.1e m, or cross",
                           work->corners.flat);
        cd_list_push(work->arena, &work->waiting, above);
        cd_list_push(work->arena, &work->waiting, below);
    }
    return CD_OK;
}

// ---- beginning and end ---------------------------------------------------------------------------------------------

static const double least_bend = 1e-9;  // [rad]

static cd_status find_reflex(parts_work *work, int32_t most, region *whole, cd_diag *diag)
{
    cd_polyhedron polyhedron = work->polyhedron;
    int32_t corners = polyhedron.face_first[polyhedron.face_count] - polyhedron.face_first[0];
    cd_edges3 edges = cd_edges3_make(work->arena, polyhedron.vertex_count, polyhedron.face_count, polyhedron.face_first,
                                     polyhedron.face_vertex);
    if (!cd_edges3_are_closed(&edges, corners))
        return cd_fail(diag, CD_ERR_FORMAT, "faces: not closed: an edge has not two faces that go along it both ways");
    for (int32_t e = 0; e < edges.count; e++) {
        const cd_edge3 *edge = &edges.edge[e];
        cd_vec3 p = polyhedron.vertex[edge->vertex[0]], q = polyhedron.vertex[edge->vertex[1]];
        cd_vec3 into = cd_cross3(work->plane[edge->face[1]].normal, cd_sub3(p, q));  // along the other face
        if (cd_dot3(work->plane[edge->face[0]].normal, into) > least_bend * cd_length3(into))
            cd_list_push(work->arena, &whole->reflex, ((reflex_edge){{p, q}, {edge->face[0], edge->face[1]}}));
    }
    if (whole->reflex.count > most)
        return cd_fail(diag, CD_ERR_LIMIT, "faces: %d reflex edges, at most %d are cut", (int)whole->reflex.count,
                       (int)most);
    return CD_OK;
}

// The corners of a cell alone, numbered in the order of the list.
static cd_polyhedron polyhedron_of(const parts_work *work, convex_cell cell)
{
    int32_t corners = cell.face_first[cell.face_count], count = 0;
    int32_t *number = CD_ARENA_ARRAY(work->arena, int32_t, work->corners.point.count);
    int32_t *face_vertex = CD_ARENA_ARRAY(work->arena, int32_t, corners);
    memset(number, -1, sizeof *number * (size_t)work->corners.point.count);
    for (int32_t k = 0; k < corners; k++)
        number[cell.face_corner[k]] = 0;
    cd_vec3 *vertex = CD_ARENA_ARRAY(work->arena, cd_vec3, corners);
    for (int32_t v = 0; v < work->corners.point.count; v++)
        if (number[v] == 0) {
            vertex[count] = work->corners.point.item[v];
            number[v] = count++;
        }
    for (int32_t k = 0; k < corners; k++)
        face_vertex[k] = number[cell.face_corner[k]];
    return (cd_polyhedron){count, cell.face_count, vertex, cell.face_first, face_vertex};
}

// The first cell: a box around all, so far out that no face lies in its border.
static convex_cell box_around(parts_work *work, double margin)
{
    static const int32_t first[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t corner[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    cd_vec3 low = work->polyhedron.vertex[0], high = low, vertex[8];
    for (int32_t v = 1; v < work->polyhedron.vertex_count; v++) {
        cd_vec3 p = work->polyhedron.vertex[v];
        low = (cd_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (cd_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    for (int v = 0; v < 8; v++)
        vertex[v] = (cd_vec3){v & 1 ? high.x + margin : low.x - margin, v & 2 ? high.y + margin : low.y - margin,
                              v & 4 ? high.z + margin : low.z - margin};
    return convex_cell_of(&work->corners, (cd_polyhedron){8, 6, vertex, first, corner});
}

// What faces that cross, or pieces within pieces, enclose twice is there once among the parts.
static cd_status check_volume(const parts_work *work, const cd_convex_parts *parts, double size, cd_diag *diag)
{
    double volume = cd_polyhedron_mass(work->polyhedron).volume, sum = 0;
    for (int32_t p = 0; p < parts->count; p++)
        sum += cd_polyhedron_mass(parts->part[p].polyhedron).volume;
    if (!(fabs(sum - volume) <= 1e-9 * volume + 10 * work->corners.flat * size * size))
        return cd_fail(diag, CD_ERR_FORMAT,
                       "faces: cross, or go round the same space twice: parts of %.9g m^3, not %.9g", sum, volume);
    return CD_OK;
}

cd_status cd_convex_parts_make(cd_polyhedron polyhedron, int32_t most, cd_arena *arena, cd_convex_parts *parts,
                               cd_diag *diag)
{
    CD_TRY(cd_polyhedron_validate(polyhedron, arena, diag));
    parts_work work = {.arena = arena, .polyhedron = polyhedron, .corners = {.arena = arena}};
    region whole = {0};
    if (!(cd_polyhedron_mass(polyhedron).volume > 0))
        return cd_fail(diag, CD_ERR_FORMAT, "faces: enclose no volume, or are listed clockwise as seen from outside");
    // ---- a box, and all faces in it ----
    double size = cd_points_diameter3(polyhedron.vertex, polyhedron.vertex_count, arena);
    work.corners.flat = CD_CONVEX_PARTS_FLAT * size;
    work.plane = CD_ARENA_ARRAY(arena, convex_plane, polyhedron.face_count);
    for (int32_t f = 0; f < polyhedron.face_count; f++) {
        work.plane[f] = convex_polygon_plane(convex_face_of(polyhedron, f, arena));
        if (cd_length3(work.plane[f].normal) == 0)
            return cd_fail(diag, CD_ERR_FORMAT, "faces: face %d has no area", (int)f);
        cd_list_push(arena, &whole.pieces, ((face_piece){f, convex_face_of(polyhedron, f, arena)}));
    }
    CD_TRY(find_reflex(&work, most, &whole, diag));
    whole.cell = box_around(&work, 0.1 * size);
    // ---- the cells, and the parts that they are ----
    cd_list_push(arena, &work.waiting, whole);
    CD_TRY(cut_all(&work, most, diag));
    *parts =
        (cd_convex_parts){.count = work.done.count, .part = CD_ARENA_ARRAY(arena, cd_convex_part, work.done.count)};
    for (int32_t p = 0; p < parts->count; p++)
        parts->part[p] = (cd_convex_part){.polyhedron = polyhedron_of(&work, work.done.item[p])};
    CD_TRY(check_volume(&work, parts, size, diag));
    convex_faces_setting setting = {polyhedron, work.plane, work.corners.flat, size};
    convex_faces_match(&setting, arena, parts);
    return CD_OK;
}
