// narrow_kernel -- times one kernel of the narrow phase of space alone: prepared bodies in memory to its result in
// memory, one thread.
//
//   usage: narrow_kernel [NAME SET [REPEATS [SECONDS]]]     alone it lists the names
//
// Output and judgement are those of narrow_set.h. Bodies are prepared and placed before the clock starts, as those of
// other libraries are.
// SPDX-License-Identifier: MIT
#include "narrow_set.h"

#include "cd_contact3.h"
#include "cd_depth3.h"
#include "cd_pair3.h"

#include <math.h>

typedef struct bodies {
    cd_convex3 *convex;  // each body once
    cd_edges3 *edges;
    int32_t *number;  // of a and b of pair 0, then of pair 1, ..
    cd_arena arena, contacts, scratch;
} bodies;

static cd_polyhedron view(const narrow_body *body)
{
    return (cd_polyhedron){body->vertex_count, body->face_count, (const cd_vec3 *)body->vertex, body->face_first,
                           body->face_vertex};
}

// Numbers of bodies: equal ones have the same.
typedef struct numbering {
    const narrow_body **slot;  // a power of two of them, at most half of them filled; found by the first vertex
    int32_t *number;
    size_t slots;
    int32_t count;
} numbering;

static bool is_same(const narrow_body *a, const narrow_body *b)
{
    return a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           memcmp(a->vertex, b->vertex, 3 * sizeof(double) * (size_t)a->vertex_count) == 0;
}

static int32_t number_of(numbering *all, const narrow_body *body)
{
    uint64_t bits[3], mixed = 0;
    memcpy(bits, body->vertex, sizeof bits);
    for (int k = 0; k < 3; k++)
        mixed = (mixed ^ bits[k]) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(mixed >> 32) & (all->slots - 1);
    while (all->slot[at] && !is_same(all->slot[at], body))
        at = (at + 1) & (all->slots - 1);
    if (!all->slot[at]) {
        all->slot[at] = body;
        all->number[at] = all->count++;
    }
    return all->number[at];
}

static void *prepare(const narrow_set *set)
{
    bodies *made = cd_alloc(sizeof *made);
    *made = (bodies){0};
    size_t count = 2 * (size_t)set->count, slots = 1;
    while (slots < 2 * count)
        slots *= 2;
    cd_arena *arena = &made->arena;
    made->convex = CD_ARENA_ARRAY(arena, cd_convex3, count);
    made->edges = CD_ARENA_ARRAY(arena, cd_edges3, count);
    made->number = CD_ARENA_ARRAY(arena, int32_t, count);
    cd_arena scratch = {0};
    numbering all = {CD_ARENA_ZARRAY(&scratch, const narrow_body *, slots), CD_ARENA_ARRAY(&scratch, int32_t, slots),
                     slots, 0};
    for (size_t i = 0; i < count; i++) {
        const narrow_body *body = &set->pair[i / 2].body[i % 2];
        int32_t before = all.count, number = number_of(&all, body);
        made->number[i] = number;
        if (number < before)
            continue;
        cd_polyhedron p = view(body);
        made->convex[number] = cd_convex3_make(arena, &p, NULL);
        made->edges[number] = cd_edges3_make(arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex);
    }
    cd_arena_release(&scratch);
    return made;
}

static const cd_convex3 *body_of(const bodies *all, int32_t pair, int side)
{
    return &all->convex[all->number[2 * (size_t)pair + (size_t)side]];
}

static const cd_edges3 *edges_of(const bodies *all, int32_t pair, int side)
{
    return &all->edges[all->number[2 * (size_t)pair + (size_t)side]];
}

static double ask_distance(void *prepared, int32_t i)
{
    const bodies *all = prepared;
    return cd_distance3_compute(cd_support3_convex(body_of(all, i, 0)), cd_support3_convex(body_of(all, i, 1)), NULL)
        .distance;
}

static double ask_signed(void *prepared, int32_t i)
{
    bodies *all = prepared;
    cd_support3 a = cd_support3_convex(body_of(all, i, 0)), b = cd_support3_convex(body_of(all, i, 1));
    cd_signed_distance3 signed_distance;
    cd_support3_signed_distance_of(&a, edges_of(all, i, 0), &b, edges_of(all, i, 1), NULL, &all->scratch,
                                   &signed_distance);
    cd_arena_reset(&all->scratch);
    return signed_distance.gap;
}

static double ask_depth(void *prepared, int32_t i)
{
    bodies *all = prepared;
    double depth = cd_support3_depth(cd_support3_convex(body_of(all, i, 0)), edges_of(all, i, 0),
                                     cd_support3_convex(body_of(all, i, 1)), edges_of(all, i, 1), &all->scratch)
                       .depth;
    cd_arena_reset(&all->scratch);
    return depth;
}

static double ask_clip(void *prepared, int32_t i)
{
    bodies *all = prepared;
    double volume = cd_intersect3_clip(body_of(all, i, 0), body_of(all, i, 1), &all->scratch).volume;
    cd_arena_reset(&all->scratch);
    return volume;
}

static double ask_dual(void *prepared, int32_t i)
{
    bodies *all = prepared;
    double volume = cd_intersect3_dual(body_of(all, i, 0), body_of(all, i, 1), &all->scratch).volume;
    cd_arena_reset(&all->scratch);
    return volume;
}

static double ask_contact(void *prepared, int32_t i)
{
    bodies *all = prepared;
    double volume = cd_contact3_volume(body_of(all, i, 0), body_of(all, i, 1), 1e-6, &all->scratch).volume;
    cd_arena_reset(&all->scratch);
    return volume;
}

// All that cd-narrow does for a volume contact once its bodies are placed.
static double ask_checked(void *prepared, int32_t i)
{
    bodies *all = prepared;
    cd_solid3 solid[2];
    for (int k = 0; k < 2; k++)
        solid[k] = (cd_solid3){.kind = CD_SHAPE_POLYHEDRON, .convex = *body_of(all, i, k)};
    cd_pair3_input input = {.a = {&solid[0], &solid[0], &solid[0]},
                            .b = {&solid[1], &solid[1], &solid[1]},
                            .epsilon = 1e-6,
                            .intersect = cd_contact3_volume,
                            .arena = &all->contacts,
                            .scratch = &all->scratch};
    cd_contacts contacts = {0};
    cd_pair3_volume(cd_pair3_for(CD_SHAPE_POLYHEDRON, CD_SHAPE_POLYHEDRON), &input, &contacts);
    cd_arena_reset(&all->contacts);
    cd_arena_reset(&all->scratch);
    return contacts.count;
}

static const narrow_program kernels[] = {
    {"distance", "cd-narrow", NARROW_DISTANCE, "cd_distance3: Gilbert, Johnson & Keerthi", prepare, ask_distance},
    {"signed", "cd-narrow", NARROW_SIGNED, "cd_support3_signed_distance_of: distance, and depth where they meet",
     prepare, ask_signed},
    {"depth", "cd-narrow", NARROW_DEPTH, "cd_support3_depth: the faces of the difference that can be the best", prepare,
     ask_depth},
    {"clip", "cd-narrow", NARROW_VOLUME, "cd_intersect3_clip: the intersection by clipping", prepare, ask_clip},
    {"dual", "cd-narrow", NARROW_VOLUME, "cd_intersect3_dual: the intersection by the dual hull", prepare, ask_dual},
    {"contact", "cd-narrow", NARROW_CONTACT, "cd_contact3_volume: intersection, point, normal, area, surfaces, gap",
     prepare, ask_contact},
    {"checked", "cd-narrow", NARROW_OVERLAP, "cd_pair3_volume: the same, the gap checked by the bodies moved apart",
     prepare, ask_checked},
    {0},
};

int main(int argc, char **argv) { return narrow_program_main(kernels, argc, argv); }
