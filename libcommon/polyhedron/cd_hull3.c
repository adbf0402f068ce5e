// SPDX-License-Identifier: MIT
#include "cd_hull3.h"

#include "cd_assert.h"
#include "cd_predicates.h"

#include <float.h>
#include <stdlib.h>

// A triangle of the hull under construction, counter-clockwise from outside. Points strictly outside of it that no
// other triangle has are its `outside` list.
typedef struct triangle {
    int32_t vertex[3];
    int32_t neighbour[3];  // across the edge vertex[i] -> vertex[i + 1]; neighbour[0] -1: not in use
    cd_vec3 normal;        // (b - a) x (c - a), rounded
    double bound;          // of the rounding errors of normal . (point - a), for every point of the box
    int32_t outside;       // first point of the list, -1 empty
    int32_t outside_count;
    int32_t farthest;  // point of the list
    double distance;   // normal . (farthest - a)
    int32_t stamp;  // visit number when last seen strictly from a point, minus that number when looked at and not seen
} triangle;

typedef struct edge {
    int32_t triangle, number;  // the triangle stays, its neighbour[number] goes
} edge;

typedef struct task_list {
    int32_t *triangle;
    int32_t count, capacity;
} task_list;

// Triangles with more points outside than this are worked on in the order they were made, those with fewer the last one
// first. The first keeps the work balanced: with the last one first throughout, 80,000 points on two circles took 1.5 s
// and time grew with the square of their number (a fan of triangles was remade corner by corner); in order, 0.17 s. The
// second keeps memory near: 10^6 points on a sphere took 4.3 s all in order, 2.3 s so.
enum { LARGE_COUNT = 1024 };

typedef struct builder {
    const cd_vec3 *point;
    int32_t point_count;
    cd_vec3 extent;  // [m] sizes of the box of all points
    triangle *triangle;
    int32_t triangle_count, triangle_capacity;
    int32_t free;       // triangle out of use, chained by neighbour[1]; -1 none
    int32_t *next;      // [point_count] of the lists
    int32_t *new_from;  // [point_count] the new triangle whose horizon edge begins at that vertex
    int32_t visit;
    int32_t *seen;  // triangles that the point sees: a queue, then those to free
    int32_t seen_count, seen_capacity;
    edge *horizon;
    int32_t horizon_count, horizon_capacity;
    int32_t *made;           // new triangles of this point
    task_list large, small;  // triangles with points outside of them
} builder;

static void *grown(void *items, int32_t *capacity, size_t size)
{
    *capacity = *capacity ? 2 * *capacity : 64;
    return cd_realloc(items, (size_t)*capacity * size);
}

// ---- triangles -----------------------------------------------------------------------------------------------------

// Shewchuk's bound of the determinant is 7 u times the sum of |component| (|product| + |product|); with the box's sizes
// for the components it holds for all points, and 8 covers the roundings of the bound itself.
static void set_plane(const builder *b, triangle *t)
{
    cd_vec3 origin = b->point[t->vertex[0]];
    cd_vec3 u = cd_sub3(b->point[t->vertex[1]], origin), v = cd_sub3(b->point[t->vertex[2]], origin);
    double uyvz = u.y * v.z, uzvy = u.z * v.y, uzvx = u.z * v.x, uxvz = u.x * v.z, uxvy = u.x * v.y, uyvx = u.y * v.x;
    t->normal = (cd_vec3){uyvz - uzvy, uzvx - uxvz, uxvy - uyvx};
    double magnitude = b->extent.x * (fabs(uyvz) + fabs(uzvy)) + b->extent.y * (fabs(uzvx) + fabs(uxvz)) +
                       b->extent.z * (fabs(uxvy) + fabs(uyvx));
    t->bound = 8 * (DBL_EPSILON / 2) * magnitude;
}

// Positive when the point is in front of the triangle, exactly; of the size normal . (point - a).
static inline double height_of(const builder *b, const triangle *t, int32_t point)
{
    double d = cd_dot3(t->normal, cd_sub3(b->point[point], b->point[t->vertex[0]]));
    if (fabs(d) > t->bound)
        return d;
    return cd_orient3d(b->point[t->vertex[0]], b->point[t->vertex[1]], b->point[t->vertex[2]], b->point[point]);
}

static int32_t add_triangle(builder *b, int32_t i, int32_t j, int32_t k)
{
    int32_t row = b->free;
    if (row >= 0)
        b->free = b->triangle[row].neighbour[1];
    else {
        if (b->triangle_count == b->triangle_capacity)
            b->triangle = grown(b->triangle, &b->triangle_capacity, sizeof *b->triangle);
        row = b->triangle_count++;
    }
    b->triangle[row] = (triangle){.vertex = {i, j, k}, .outside = -1, .farthest = -1, .distance = 0, .stamp = 0};
    set_plane(b, &b->triangle[row]);
    return row;
}

// Of equally far points the one of least number: so equal points, which are always in the same list, come in as the
// first of them.
static void put_outside(builder *b, int32_t row, int32_t point, double distance)
{
    triangle *t = &b->triangle[row];
    b->next[point] = t->outside;
    t->outside = point;
    t->outside_count++;
    if (t->farthest < 0 || distance > t->distance || (distance == t->distance && point < t->farthest)) {
        t->farthest = point;
        t->distance = distance;
    }
}

static void add_task(builder *b, int32_t row)
{
    if (b->triangle[row].outside < 0)
        return;
    task_list *list = b->triangle[row].outside_count > LARGE_COUNT ? &b->large : &b->small;
    if (list->count == list->capacity)
        list->triangle = grown(list->triangle, &list->capacity, sizeof *list->triangle);
    list->triangle[list->count++] = row;
}

// ---- the first tetrahedron -----------------------------------------------------------------------------------------

static bool are_equal(cd_vec3 a, cd_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool are_collinear(cd_vec3 a, cd_vec3 b, cd_vec3 c)
{
    return cd_orient2d((cd_vec2){a.x, a.y}, (cd_vec2){b.x, b.y}, (cd_vec2){c.x, c.y}) == 0 &&
           cd_orient2d((cd_vec2){a.y, a.z}, (cd_vec2){b.y, b.z}, (cd_vec2){c.y, c.z}) == 0 &&
           cd_orient2d((cd_vec2){a.z, a.x}, (cd_vec2){b.z, b.x}, (cd_vec2){c.z, c.x}) == 0;
}

static double coordinate(cd_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

// The first points of least and greatest coordinate along the axis in which the points reach farthest.
static void find_extremes(builder *b, int32_t corner[2])
{
    double longest = -1;
    for (int axis = 0; axis < 3; axis++) {
        int32_t low = 0, high = 0;
        for (int32_t i = 1; i < b->point_count; i++) {
            low = coordinate(b->point[i], axis) < coordinate(b->point[low], axis) ? i : low;
            high = coordinate(b->point[i], axis) > coordinate(b->point[high], axis) ? i : high;
        }
        double size = coordinate(b->point[high], axis) - coordinate(b->point[low], axis);
        *(axis == 0 ? &b->extent.x : axis == 1 ? &b->extent.y : &b->extent.z) = size;
        if (size > longest) {
            longest = size;
            corner[0] = low;
            corner[1] = high;
        }
    }
}

// Four points that are not coplanar, far from one another; the dimension of the points when there are none.
static int32_t find_tetrahedron(builder *b, int32_t corner[4])
{
    const cd_vec3 *p = b->point;
    find_extremes(b, corner);
    cd_vec3 first = p[corner[0]], second = p[corner[1]];
    if (are_equal(first, second))
        return 0;
    double most = -1;
    for (int32_t i = 0; i < b->point_count; i++) {
        cd_vec3 area = cd_cross3(cd_sub3(second, first), cd_sub3(p[i], first));
        double square = cd_dot3(area, area);
        if (square > most) {
            most = square;
            corner[2] = i;
        }
    }
    // Sizes are rounded; where they mislead, any point off the line will do.
    for (int32_t i = 0; i < b->point_count && are_collinear(first, second, p[corner[2]]); i++)
        corner[2] = i;
    if (are_collinear(first, second, p[corner[2]]))
        return 1;
    most = 0;
    for (int32_t i = 0; i < b->point_count; i++) {
        double volume = fabs(cd_orient3d(first, second, p[corner[2]], p[i]));
        if (volume > most) {
            most = volume;
            corner[3] = i;
        }
    }
    return most > 0 ? 3 : 2;
}

static void make_tetrahedron(builder *b, const int32_t corner[4])
{
    int32_t i = corner[0], j = corner[1], k = corner[2], l = corner[3];
    if (cd_orient3d(b->point[i], b->point[j], b->point[k], b->point[l]) > 0) {  // l has to be below i, j, k
        int32_t swap = j;
        j = k;
        k = swap;
    }
    int32_t base = add_triangle(b, i, j, k), on_ij = add_triangle(b, j, i, l);
    int32_t on_jk = add_triangle(b, k, j, l), on_ki = add_triangle(b, i, k, l);
    const int32_t around[4][3] = {
        {on_ij, on_jk, on_ki}, {base, on_ki, on_jk}, {base, on_ij, on_ki}, {base, on_jk, on_ij}};
    const int32_t row[4] = {base, on_ij, on_jk, on_ki};
    for (int t = 0; t < 4; t++)
        memcpy(b->triangle[row[t]].neighbour, around[t], sizeof around[t]);
    for (int32_t p = 0; p < b->point_count; p++)
        for (int t = 0; t < 4; t++) {
            double height = height_of(b, &b->triangle[row[t]], p);
            if (height > 0) {
                put_outside(b, row[t], p, height);
                break;
            }
        }
    for (int t = 0; t < 4; t++)
        add_task(b, row[t]);
}

// ---- adding points -------------------------------------------------------------------------------------------------

// The triangles that the point sees strictly, and the edges around them. They are connected, and the edges are one
// closed curve, also where the point lies in planes of other triangles: a point moved a little inward sees the same
// ones.
static void find_seen(builder *b, int32_t start, int32_t point)
{
    b->visit++;
    b->seen_count = b->horizon_count = 0;
    if (!b->seen_capacity)
        b->seen = grown(b->seen, &b->seen_capacity, sizeof *b->seen);
    b->seen[b->seen_count++] = start;
    b->triangle[start].stamp = b->visit;
    for (int32_t s = 0; s < b->seen_count; s++)
        for (int i = 0; i < 3; i++) {
            int32_t row = b->triangle[b->seen[s]].neighbour[i];
            triangle *other = &b->triangle[row];
            if (other->stamp == b->visit)
                continue;
            if (other->stamp != -b->visit && height_of(b, other, point) > 0) {
                other->stamp = b->visit;
                if (b->seen_count == b->seen_capacity)
                    b->seen = grown(b->seen, &b->seen_capacity, sizeof *b->seen);
                b->seen[b->seen_count++] = row;
                continue;
            }
            other->stamp = -b->visit;
            if (b->horizon_count == b->horizon_capacity) {
                b->horizon = grown(b->horizon, &b->horizon_capacity, sizeof *b->horizon);
                b->made = cd_realloc(b->made, (size_t)b->horizon_capacity * sizeof *b->made);
            }
            int32_t end = b->triangle[b->seen[s]].vertex[(i + 1) % 3];
            int number = other->vertex[0] == end ? 0 : other->vertex[1] == end ? 1 : 2;
            b->horizon[b->horizon_count++] = (edge){row, number};
        }
}

// A triangle from every edge of the horizon to the point. None is flat: a point in line with such an edge is in the
// planes of both its triangles, and would see neither.
static void make_cone(builder *b, int32_t point)
{
    for (int32_t h = 0; h < b->horizon_count; h++) {
        edge e = b->horizon[h];
        int32_t from = b->triangle[e.triangle].vertex[(e.number + 1) % 3],
                to = b->triangle[e.triangle].vertex[e.number];
        int32_t row = add_triangle(b, from, to, point);
        b->triangle[row].neighbour[0] = e.triangle;
        b->triangle[e.triangle].neighbour[e.number] = row;
        b->new_from[from] = row;
        b->made[h] = row;
    }
    for (int32_t h = 0; h < b->horizon_count; h++) {
        int32_t row = b->made[h], after = b->new_from[b->triangle[row].vertex[1]];
        b->triangle[row].neighbour[1] = after;
        b->triangle[after].neighbour[2] = row;
    }
}

// A point that was outside of a triangle now gone and is outside of the new hull is outside of a new triangle: the
// triangles it sees are connected, so on the way from the old one to another it crosses an edge of the horizon, and
// what lies outside of both planes there lies outside of the one between them.
static void hand_on_points(builder *b, int32_t point)
{
    for (int32_t s = 0; s < b->seen_count; s++)
        for (int32_t p = b->triangle[b->seen[s]].outside, after; p >= 0; p = after) {
            after = b->next[p];
            for (int32_t h = 0; h < b->horizon_count && p != point; h++) {
                double height = height_of(b, &b->triangle[b->made[h]], p);
                if (height > 0) {
                    put_outside(b, b->made[h], p, height);
                    break;
                }
            }
        }
}

static void free_seen(builder *b)
{
    for (int32_t s = 0; s < b->seen_count; s++) {
        triangle *gone = &b->triangle[b->seen[s]];
        gone->neighbour[0] = -1;
        gone->neighbour[1] = b->free;
        gone->outside = -1;
        b->free = b->seen[s];
    }
}

static void build(builder *b)
{
    // A task may outlive its triangle: then the row is out of use, or another triangle's, which has the same right to
    // be next.
    for (int32_t first = 0; first < b->large.count || b->small.count;) {
        int32_t row = first < b->large.count ? b->large.triangle[first++] : b->small.triangle[--b->small.count];
        if (b->triangle[row].neighbour[0] < 0 || b->triangle[row].outside < 0)
            continue;
        int32_t point = b->triangle[row].farthest;
        find_seen(b, row, point);
        make_cone(b, point);
        hand_on_points(b, point);
        free_seen(b);
        for (int32_t h = 0; h < b->horizon_count; h++)
            add_task(b, b->made[h]);
    }
}

// ---- planar faces --------------------------------------------------------------------------------------------------

// The triangles in use, joined over edges at which they are coplanar: face[t] = number of the face, from 0; -1 not in
// use.
static int32_t join_triangles(const builder *b, int32_t *face)
{
    int32_t faces = 0;
    int32_t *stack = cd_alloc((size_t)b->triangle_count * sizeof *stack);
    for (int32_t t = 0; t < b->triangle_count; t++)
        face[t] = -1;
    for (int32_t t = 0; t < b->triangle_count; t++) {
        if (b->triangle[t].neighbour[0] < 0 || face[t] >= 0)
            continue;
        int32_t count = 0;
        stack[count++] = t;
        face[t] = faces;
        while (count) {
            const triangle *at = &b->triangle[stack[--count]];
            for (int i = 0; i < 3; i++) {
                int32_t row = at->neighbour[i];
                const triangle *other = &b->triangle[row];
                if (face[row] >= 0)
                    continue;
                int32_t end = at->vertex[(i + 1) % 3];
                int number = other->vertex[0] == end ? 0 : other->vertex[1] == end ? 1 : 2;
                if (height_of(b, at, other->vertex[(number + 2) % 3]) != 0)
                    continue;
                face[row] = faces;
                stack[count++] = row;
            }
        }
        faces++;
    }
    cd_free(stack);
    return faces;
}

// The edge after `e` on the outline of e's face: round the end of e through triangles of the face.
static edge next_on_outline(const builder *b, const int32_t *face, edge e)
{
    edge next = {e.triangle, (e.number + 1) % 3};
    for (;;) {
        int32_t across = b->triangle[next.triangle].neighbour[next.number];
        if (face[across] != face[e.triangle])
            return next;
        int32_t from = b->triangle[next.triangle].vertex[next.number];
        const triangle *t = &b->triangle[across];
        next = (edge){across, t->vertex[0] == from ? 0 : t->vertex[1] == from ? 1 : 2};
    }
}

// An edge of the outline of each face.
static edge *find_outlines(const builder *b, const int32_t *face, int32_t faces)
{
    edge *outline = cd_alloc((size_t)faces * sizeof *outline);
    for (int32_t t = 0; t < b->triangle_count; t++)
        for (int i = 0; i < 3 && face[t] >= 0; i++)
            if (face[b->triangle[t].neighbour[i]] != face[t])
                outline[face[t]] = (edge){t, i};
    return outline;
}

typedef struct face_set {
    int32_t *of_triangle;  // number of its face, -1: not in use
    edge *outline;         // an edge of the outline of each face
    int32_t count;
} face_set;

// @owns caller: both arrays (cd_free)
static face_set faces_of(const builder *b)
{
    face_set faces = {.of_triangle = cd_alloc((size_t)b->triangle_count * sizeof *faces.of_triangle)};
    faces.count = join_triangles(b, faces.of_triangle);
    faces.outline = find_outlines(b, faces.of_triangle, faces.count);
    return faces;
}

// faces_at[p] = number of faces whose outline passes point p. Two for a point within an edge; from three on it is a
// corner.
static void count_faces(const builder *b, const face_set *faces, int32_t *faces_at)
{
    memset(faces_at, 0, (size_t)b->point_count * sizeof *faces_at);
    for (int32_t f = 0; f < faces->count; f++) {
        edge e = faces->outline[f];
        do {
            faces_at[b->triangle[e.triangle].vertex[e.number]]++;
            e = next_on_outline(b, faces->of_triangle, e);
        } while (e.triangle != faces->outline[f].triangle || e.number != faces->outline[f].number);
    }
}

// ---- canonical order -----------------------------------------------------------------------------------------------

typedef struct face_key {
    int32_t first, second;  // corners that the face begins with: no other face goes from the one to the other
    int32_t start, count;   // in the unsorted corners
} face_key;

static int compare_faces(const void *left, const void *right)
{
    const face_key *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

// The corners of a face, as numbers of corners, the smallest in front; returns their count.
static int32_t take_corners(const builder *b, const int32_t *face, edge start, const int32_t *corner_of, int32_t *out)
{
    int32_t count = 0, least = 0;
    edge e = start;
    do {
        int32_t corner = corner_of[b->triangle[e.triangle].vertex[e.number]];
        if (corner >= 0) {
            least = count && corner > out[least] ? least : count;
            out[count++] = corner;
        }
        e = next_on_outline(b, face, e);
    } while (e.triangle != start.triangle || e.number != start.number);
    for (int part = 0; part < 3; part++) {  // turned left by `least`: both parts reversed, then the whole
        int32_t low = part == 1 ? least : 0, high = (part == 0 ? least : count) - 1;
        for (; low < high; low++, high--) {
            int32_t swap = out[low];
            out[low] = out[high];
            out[high] = swap;
        }
    }
    return count;
}

// corner_of[p]: number of point p as a corner, -1 where it is none. `corners`: of all faces together.
static void write_faces(const builder *b, const face_set *faces, const int32_t *corner_of, size_t corners,
                        cd_arena *arena, cd_hull3 *hull)
{
    int32_t face_count = faces->count;
    int32_t *face_first = CD_ARENA_ARRAY(arena, int32_t, (size_t)face_count + 1);
    int32_t *face_vertex = CD_ARENA_ARRAY(arena, int32_t, corners);
    int32_t *unsorted = cd_alloc(corners * sizeof *unsorted);
    face_key *key = cd_alloc((size_t)face_count * sizeof *key);
    int32_t used = 0;
    for (int32_t f = 0; f < face_count; f++) {
        int32_t count = take_corners(b, faces->of_triangle, faces->outline[f], corner_of, unsorted + used);
        key[f] = (face_key){unsorted[used], unsorted[used + 1], used, count};
        used += count;
    }
    CD_ASSERT((size_t)used <= corners);
    qsort(key, (size_t)face_count, sizeof *key, compare_faces);
    face_first[0] = 0;
    for (int32_t f = 0; f < face_count; f++) {
        memcpy(face_vertex + face_first[f], unsorted + key[f].start, (size_t)key[f].count * sizeof *unsorted);
        face_first[f + 1] = face_first[f] + key[f].count;
    }
    hull->face_count = face_count;
    hull->face_first = face_first;
    hull->face_vertex = face_vertex;
    cd_free(unsorted);
    cd_free(key);
}

static void write_hull(const builder *b, cd_arena *arena, cd_hull3 *hull)
{
    face_set faces = faces_of(b);
    int32_t *corner_of = b->new_from;  // not needed any more; first the counts of faces, then the numbers of corners
    count_faces(b, &faces, corner_of);
    int32_t count = 0;
    size_t corners = 0;
    for (int32_t p = 0; p < b->point_count; p++)
        count += corner_of[p] > 2;
    int32_t *vertex = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t p = 0, used = 0; p < b->point_count; p++) {
        if (corner_of[p] > 2) {
            corners += (size_t)corner_of[p];
            vertex[used] = p;
            corner_of[p] = used++;
        } else
            corner_of[p] = -1;
    }
    hull->vertex_count = count;
    hull->vertex = vertex;
    write_faces(b, &faces, corner_of, corners, arena, hull);
    cd_free(faces.of_triangle);
    cd_free(faces.outline);
}

cd_hull3 cd_hull3_make(const cd_vec3 *point, int32_t point_count, cd_arena *arena)
{
    cd_hull3 hull = {.dimension = -1};
    builder b = {.point = point, .point_count = point_count, .free = -1};
    int32_t corner[4] = {0};
    if (point_count < 1)
        return hull;
    hull.dimension = find_tetrahedron(&b, corner);
    if (hull.dimension < 3)
        return hull;
    b.next = cd_alloc((size_t)point_count * sizeof *b.next);
    b.new_from = cd_alloc((size_t)point_count * sizeof *b.new_from);
    make_tetrahedron(&b, corner);
    build(&b);
    write_hull(&b, arena, &hull);
    cd_free(b.triangle);
    cd_free(b.next);
    cd_free(b.new_from);
    cd_free(b.seen);
    cd_free(b.horizon);
    cd_free(b.made);
    cd_free(b.large.triangle);
    cd_free(b.small.triangle);
    return hull;
}

cd_polyhedron cd_hull3_polyhedron(const cd_hull3 *hull, const cd_vec3 *point, cd_arena *arena)
{
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, hull->vertex_count);
    for (int32_t i = 0; i < hull->vertex_count; i++)
        vertex[i] = point[hull->vertex[i]];
    return (cd_polyhedron){hull->vertex_count, hull->face_count, vertex, hull->face_first, hull->face_vertex};
}
