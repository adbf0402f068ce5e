// SPDX-License-Identifier: MIT
#include "cd_surface.h"

#include "cd_points_near.h"

#include <stdlib.h>

// ---- welding -------------------------------------------------------------------------------------------------------

// Of the bits of a place; 0 and -0 are one.
static uint32_t hash_of(cd_vec3 p)
{
    double coordinate[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    uint64_t bits[3], mixed = 0;
    memcpy(bits, coordinate, sizeof bits);
    for (int k = 0; k < 3; k++)
        mixed = (mixed ^ bits[k] ^ bits[k] >> 32) * UINT64_C(0x9e3779b97f4a7c15);  // as Knuth, TAOCP 3, 6.4
    return (uint32_t)(mixed >> 32);
}

static bool is_same_place(cd_vec3 p, cd_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

// How many were welded.
static int32_t weld_same(const cd_vec3 *vertex, int32_t count, int32_t *weld, cd_arena *scratch)
{
    uint32_t slots = 1;
    int32_t welded = 0;
    while (slots < 2 * (uint32_t)count)
        slots *= 2;
    int32_t *slot = CD_ARENA_ARRAY(scratch, int32_t, slots);
    memset(slot, -1, slots * sizeof *slot);
    for (int32_t v = 0; v < count; v++) {
        uint32_t i = hash_of(vertex[v]) & (slots - 1);
        while (slot[i] >= 0 && !is_same_place(vertex[slot[i]], vertex[v]))
            i = (i + 1) & (slots - 1);
        if (slot[i] < 0)
            slot[i] = v;
        weld[v] = slot[i];
        welded += weld[v] != v;
    }
    return welded;
}

typedef struct near_search {
    const cd_vec3 *vertex;
    const int32_t *weld;
    int32_t own, best;
    double distance;
} near_search;

static void take_least(void *context, int32_t v)
{
    near_search *s = context;
    if (v < s->best && s->weld[v] == v && cd_length3(cd_sub3(s->vertex[v], s->vertex[s->own])) <= s->distance)
        s->best = v;
}

static int32_t weld_near(const cd_vec3 *vertex, int32_t count, double distance, int32_t *weld, cd_arena *scratch)
{
    cd_points_near tree = {vertex, CD_ARENA_ARRAY(scratch, int32_t, count), count};
    int32_t welded = 0;
    for (int32_t v = 0; v < count; v++)
        tree.order[v] = weld[v] = v;
    cd_points_near_sort(&tree);
    cd_vec3 around = {distance, distance, distance};
    for (int32_t v = 0; v < count; v++) {
        near_search search = {vertex, weld, v, v, distance};
        cd_points_near_in(&tree, cd_sub3(vertex[v], around), cd_add3(vertex[v], around), take_least, &search);
        weld[v] = search.best;
        welded += search.best != v;
    }
    return welded;
}

// ---- stars ---------------------------------------------------------------------------------------------------------

// Is it the first time that the triangle has this vertex?
static bool is_first_corner(const cd_surface *s, int32_t t, int k)
{
    int32_t v = cd_surface_corner(s, t, k);
    return (k < 1 || cd_surface_corner(s, t, 0) != v) && (k < 2 || cd_surface_corner(s, t, 1) != v);
}

static void make_stars(cd_surface *s, cd_arena *arena)
{
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, s->vertex_count + 1), sum = 0;
    for (int32_t t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (is_first_corner(s, t, k))
                first[cd_surface_corner(s, t, k)]++;
    for (int32_t v = 0; v <= s->vertex_count; v++) {
        int32_t own = first[v];
        first[v] = sum;
        sum += own;
    }
    s->star = CD_ARENA_ARRAY(arena, int32_t, sum);
    for (int32_t t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (is_first_corner(s, t, k))
                s->star[first[cd_surface_corner(s, t, k)]++] = t;
    memmove(first + 1, first, (size_t)s->vertex_count * sizeof *first);  // each moved on to where the next begins
    first[0] = 0;
    s->star_first = first;
}

// ---- edges ---------------------------------------------------------------------------------------------------------

// An edge of one triangle alone.
typedef struct rim {
    int32_t p, q;
} rim;

typedef CD_LIST(rim) rims;
typedef CD_LIST(int32_t) numbers;

static int compare_numbers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static bool is_proper(const cd_surface *s, int32_t t)  // three corners at three places
{
    return is_first_corner(s, t, 1) && is_first_corner(s, t, 2);
}

// The other ends of the edges whose lesser vertex is v, once for each triangle, sorted.
static void find_greater(const cd_surface *s, int32_t v, bool proper_only, numbers *other, cd_arena *scratch)
{
    cd_surface_star star = cd_surface_star_of(s, v);
    other->count = 0;
    for (int32_t i = 0; i < star.count; i++)
        for (int k = 0; k < 3 && (!proper_only || is_proper(s, star.triangle[i])); k++)
            if (cd_surface_corner(s, star.triangle[i], k) > v)
                cd_list_push(scratch, other, cd_surface_corner(s, star.triangle[i], k));
    if (other->count > 1)
        qsort(other->item, (size_t)other->count, sizeof *other->item, compare_numbers);
}

static int32_t count_unlike(const numbers *sorted)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sorted->count; i++)
        count += i == 0 || sorted->item[i] != sorted->item[i - 1];
    return count;
}

static void number_edges(cd_surface *s, cd_arena *arena, cd_arena *scratch, rims *rim_list)
{
    numbers other = {0};
    int32_t sum = 0;
    s->edge_first = CD_ARENA_ARRAY(arena, int32_t, s->vertex_count + 1);
    for (int32_t v = 0; v < s->vertex_count; v++) {
        s->edge_first[v] = sum;
        find_greater(s, v, false, &other, scratch);
        sum += count_unlike(&other);
        find_greater(s, v, true, &other, scratch);
        for (int32_t i = 0, end; i < other.count; i = end) {
            end = i;
            while (end < other.count && other.item[end] == other.item[i])
                end++;
            s->faults.crowded += end - i > 2;
            if (end - i == 1)
                cd_list_push(scratch, rim_list, ((rim){v, other.item[i]}));
        }
    }
    s->edge_first[s->vertex_count] = sum;
}

// The triangle of least number that has both.
static int32_t first_of_edge(const cd_surface *s, int32_t p, int32_t q)
{
    int32_t other, i = 0;
    cd_surface_star star = cd_surface_star_of_edge(s, p, q, &other);
    while (!cd_surface_has(s, star.triangle[i], other))
        i++;
    return star.triangle[i];
}

int32_t cd_surface_edge_number(const cd_surface *s, int32_t p, int32_t q)
{
    int32_t low = p < q ? p : q, high = p < q ? q : p, number = s->edge_first[low];
    cd_surface_star star = cd_surface_star_of(s, low);
    for (int32_t i = 0; i < star.count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t t = star.triangle[i], v = cd_surface_corner(s, t, k);
            number += v > low && v < high && is_first_corner(s, t, k) && first_of_edge(s, low, v) == t;
        }
    return number;
}

int32_t cd_surface_beside(const cd_surface *s, int32_t triangle, int32_t p, int32_t q)
{
    int32_t other, found = -1;
    cd_surface_star star = cd_surface_star_of_edge(s, p, q, &other);
    for (int32_t i = 0; i < star.count; i++) {
        int32_t t = star.triangle[i];
        if (t == triangle || !cd_surface_has(s, t, other) || !is_proper(s, t))
            continue;
        if (found >= 0)
            return -1;
        found = t;
    }
    return found;
}

// ---- T-junctions ---------------------------------------------------------------------------------------------------

// [1] of an edge's length: vertices that near to it lie on it. Smaller: rounding of the mesh hides junctions. Larger:
// thin triangles at a rim are told as such.
static const double on_edge = 1e-9;

typedef struct junction_search {
    const cd_vec3 *vertex;
    cd_vec3 from, along;  // [m] of the edge
    double length, reach;
    rim own;
    bool *is_junction;
} junction_search;

static void look_at_vertex(void *context, int32_t v)
{
    junction_search *s = context;
    cd_vec3 from = cd_sub3(s->vertex[v], s->from);
    double t = cd_dot3(from, s->along);
    bool is_between = v != s->own.p && v != s->own.q && t > s->reach && t < s->length - s->reach;
    if (is_between && cd_length3(cd_sub3(from, cd_scale3(t, s->along))) <= s->reach)
        s->is_junction[v] = true;
}

// Only rims can have them, and only their vertices can be some: a vertex on the edge of a triangle has its own edges
// along it, which that triangle has no part in.
static void find_junctions(cd_surface *s, const cd_vec3 *vertex, double weld, const rims *rim_list, cd_arena *scratch)
{
    bool *is_junction = CD_ARENA_ZARRAY(scratch, bool, s->vertex_count);
    int32_t *order = CD_ARENA_ARRAY(scratch, int32_t, s->vertex_count), count = 0;
    for (int32_t i = 0; i < rim_list->count; i++)
        is_junction[rim_list->item[i].p] = is_junction[rim_list->item[i].q] = true;
    for (int32_t v = 0; v < s->vertex_count; v++)
        if (is_junction[v]) {
            order[count++] = v;
            is_junction[v] = false;
        }
    cd_points_near tree = {vertex, order, count};
    cd_points_near_sort(&tree);
    for (int32_t i = 0; i < rim_list->count; i++) {
        rim r = rim_list->item[i];
        cd_vec3 p = vertex[r.p], q = vertex[r.q], edge = cd_sub3(q, p);
        double length = cd_length3(edge), reach = fmax(weld, on_edge * length);
        cd_vec3 around = {reach, reach, reach};
        cd_vec3 low = {fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z)};
        cd_vec3 high = {fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z)};
        junction_search search = {vertex, p, cd_unit3(edge), length, reach, r, is_junction};
        cd_points_near_in(&tree, cd_sub3(low, around), cd_add3(high, around), look_at_vertex, &search);
    }
    for (int32_t v = 0; v < s->vertex_count; v++)
        s->faults.t_junctions += is_junction[v];
}

// ---- all -----------------------------------------------------------------------------------------------------------

cd_surface cd_surface_make(cd_arena *arena, const cd_vec3 *vertex, int32_t vertex_count, const int32_t *triangle,
                           int32_t triangle_count, double weld)
{
    cd_arena scratch = {0};
    cd_surface s = {.vertex_count = vertex_count, .triangle_count = triangle_count, .triangle = triangle};
    int32_t *welded_to = CD_ARENA_ARRAY(&scratch, int32_t, vertex_count);
    int32_t welded = weld > 0 ? weld_near(vertex, vertex_count, weld, welded_to, &scratch)
                              : weld_same(vertex, vertex_count, welded_to, &scratch);
    if (welded > 0) {
        int32_t *kept = CD_ARENA_ARRAY(arena, int32_t, vertex_count);
        s.weld = memcpy(kept, welded_to, (size_t)vertex_count * sizeof *kept);
    }
    make_stars(&s, arena);
    cd_arena_release(&scratch);
    scratch = (cd_arena){0};
    rims rim_list = {0};
    s.faults.is_lost = true;
    for (int32_t t = 0; t < triangle_count && s.faults.is_lost; t++)
        s.faults.is_lost = !is_proper(&s, t);
    number_edges(&s, arena, &scratch, &rim_list);
    find_junctions(&s, vertex, weld, &rim_list, &scratch);
    cd_arena_release(&scratch);
    return s;
}
