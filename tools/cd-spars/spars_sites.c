// SPDX-License-Identifier: MIT
#include "spars_sites.h"

#include <stdlib.h>

#define DENSE_MOST 4  // nodes a side of a contact up to which a body has a site for each of its nodes: 64 bytes
#define NO_SITE SIZE_MAX

static int32_t shape_of(const cd_spars_input *input, int32_t body)
{
    return input->body_shape ? input->body_shape[body] : -1;
}

static int compare_nodes(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// The part and, of a triangle, its vertices.
static int nodes_of(const cd_spars_input *input, int32_t shape, int32_t part, int64_t node[4])
{
    node[0] = part;
    if (shape < 0 || !(input->adjacency->links[shape] & CD_LINKS_FACETS))
        return 1;
    return cd_adjacency_corners(input->adjacency, shape, part, node + 1) ? 4 : 1;
}

// Lists the nodes that contacts of bodies without dense sites touch: gathered where `first` says, sorted, each once.
static void list_nodes(cd_spars_sites *sites, size_t *end)
{
    const cd_spars_input *input = sites->input;
    for (int32_t i = 0; i < input->order_count; i++) {
        for (int side = 0; side < 2; side++) {
            const int32_t *at = (side ? input->b : input->a) + 2 * (size_t)input->order[i];
            if (sites->is_dense[at[0]])
                continue;
            int64_t node[4];
            int count = nodes_of(input, shape_of(input, at[0]), at[1], node);
            memcpy(sites->node + end[at[0]], node, (size_t)count * sizeof *node);
            end[at[0]] += (size_t)count;
        }
    }
    for (int32_t body = 0; body < input->body_count; body++) {
        size_t start = sites->first[body], count = end[body] - start, kept = start;
        if (sites->is_dense[body] || count == 0)
            continue;
        qsort(sites->node + start, count, sizeof *sites->node, compare_nodes);
        for (size_t k = start; k < end[body]; k++)
            if (k == start || sites->node[k] != sites->node[kept - 1])
                sites->node[kept++] = sites->node[k];
        for (; kept < sites->first[body + 1]; kept++)
            sites->node[kept] = INT64_MAX;  // keeps the search within the body ascending
    }
}

cd_spars_sites cd_spars_sites_make(cd_arena *arena, const cd_spars_input *input, const int32_t *first)
{
    cd_spars_sites sites = {.input = input, .arena = arena};
    sites.first = CD_ARENA_ARRAY(arena, size_t, (size_t)input->body_count + 1);
    bool *is_dense = CD_ARENA_ZARRAY(arena, bool, input->body_count), all_dense = true;
    size_t total = 0;
    for (int32_t body = 0; body < input->body_count; body++) {
        int32_t shape = shape_of(input, body), sides = first[body + 1] - first[body];
        sites.first[body] = total;
        int64_t nodes = shape < 0 ? INT64_MAX : cd_adjacency_nodes(input->adjacency, shape);
        is_dense[body] = nodes <= DENSE_MOST * (int64_t)sides;
        all_dense = all_dense && (is_dense[body] || sides == 0);
        total += is_dense[body] ? (size_t)nodes : 4 * (size_t)sides;
    }
    sites.first[input->body_count] = total;
    sites.is_dense = is_dense;
    sites.site = CD_ARENA_ARRAY(arena, cd_spars_site, total);
    for (size_t k = 0; k < total; k++)
        sites.site[k] = (cd_spars_site){-1, -1};
    if (!all_dense) {
        sites.node = CD_ARENA_ARRAY(arena, int64_t, total);
        size_t *end = CD_ARENA_ARRAY(arena, size_t, input->body_count);
        memcpy(end, sites.first, (size_t)input->body_count * sizeof *end);
        list_nodes(&sites, end);
    }
    return sites;
}

static size_t find_site(const cd_spars_sites *sites, int32_t body, int64_t node)
{
    size_t low = sites->first[body], high = sites->first[body + 1];
    if (sites->is_dense[body])
        return low + (size_t)node;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sites->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sites->first[body + 1] && sites->node[low] == node ? low : NO_SITE;
}

static double largest_at(const cd_spars_sites *sites, const int32_t *at)
{
    int64_t node[4];
    int count = nodes_of(sites->input, shape_of(sites->input, at[0]), at[1], node);
    double largest = -1;
    for (int k = 0; k < count; k++)  // all of them have sites: a contact touches them
        largest = fmax(largest, sites->site[find_site(sites, at[0], node[k])].near);
    return largest;
}

double cd_spars_sites_largest(const cd_spars_sites *sites, int32_t row)
{
    const cd_spars_input *input = sites->input;
    return fmax(largest_at(sites, input->a + 2 * (size_t)row), largest_at(sites, input->b + 2 * (size_t)row));
}

static void raise_near(cd_spars_sites *sites, int32_t body, int64_t node, double area)
{
    size_t found = find_site(sites, body, node);
    if (found != NO_SITE && sites->site[found].near < area)
        sites->site[found].near = area;
}

static void raise_at(cd_spars_sites *sites, const int32_t *at, double area)
{
    const cd_spars_input *input = sites->input;
    cd_spars_site *own = &sites->site[find_site(sites, at[0], at[1])];
    if (own->own >= area)
        return;
    own->own = area;
    int32_t shape = shape_of(input, at[0]);
    int64_t node[4];
    int count = nodes_of(input, shape, at[1], node);
    for (int k = 0; k < count; k++)
        raise_near(sites, at[0], node[k], area);
    if (shape < 0 || !(input->adjacency->links[shape] & CD_LINKS_DECLARED))
        return;
    cd_adjacency_declared(input->adjacency, shape, at[1], sites->arena, &sites->neighbours);
    for (int32_t k = 0; k < sites->neighbours.count; k++)
        raise_near(sites, at[0], sites->neighbours.item[k], area);
}

void cd_spars_sites_raise(cd_spars_sites *sites, int32_t row, double area)
{
    raise_at(sites, sites->input->a + 2 * (size_t)row, area);
    raise_at(sites, sites->input->b + 2 * (size_t)row, area);
}
