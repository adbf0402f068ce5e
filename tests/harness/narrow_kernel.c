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
#include "narrow_space.h"

#include <math.h>

typedef struct bodies {
    cd_convex3 *convex;  // a, b of pair 0, then of pair 1, ..
    cd_edges3 *edges;
    cd_arena arena, scratch;
} bodies;

static cd_polyhedron view(const narrow_body *body)
{
    return (cd_polyhedron){body->vertex_count, body->face_count, (const cd_vec3 *)body->vertex, body->face_first,
                           body->face_vertex};
}

static void *prepare(const narrow_set *set)
{
    bodies *made = cd_alloc(sizeof *made);
    *made = (bodies){0};
    made->convex = CD_ARENA_ARRAY(&made->arena, cd_convex3, 2 * (size_t)set->count);
    made->edges = CD_ARENA_ARRAY(&made->arena, cd_edges3, 2 * (size_t)set->count);
    for (int32_t i = 0; i < 2 * set->count; i++) {
        cd_polyhedron p = view(&set->pair[i / 2].body[i % 2]);
        made->convex[i] = cd_convex3_make(&made->arena, &p, NULL);
        made->edges[i] = cd_edges3_make(&made->arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex);
    }
    return made;
}

static double ask_distance(void *prepared, int32_t i)
{
    const cd_convex3 *pair = ((bodies *)prepared)->convex + 2 * (size_t)i;
    return cd_distance3_compute(cd_support3_convex(&pair[0]), cd_support3_convex(&pair[1]), NULL).distance;
}

static double ask_signed(void *prepared, int32_t i)
{
    bodies *all = prepared;
    const cd_convex3 *pair = all->convex + 2 * (size_t)i;
    const cd_edges3 *edges = all->edges + 2 * (size_t)i;
    double gap = cd_support3_signed_distance(cd_support3_convex(&pair[0]), &edges[0], cd_support3_convex(&pair[1]),
                                             &edges[1], NULL, &all->scratch)
                     .gap;
    cd_arena_reset(&all->scratch);
    return gap;
}

static double ask_depth(void *prepared, int32_t i)
{
    bodies *all = prepared;
    const cd_convex3 *pair = all->convex + 2 * (size_t)i;
    const cd_edges3 *edges = all->edges + 2 * (size_t)i;
    double depth = cd_convex3_depth(&pair[0], &edges[0], &pair[1], &edges[1], &all->scratch).depth;
    cd_arena_reset(&all->scratch);
    return depth;
}

static double ask_clip(void *prepared, int32_t i)
{
    bodies *all = prepared;
    const cd_convex3 *pair = all->convex + 2 * (size_t)i;
    double volume = cd_intersect3_clip(&pair[0], &pair[1], &all->scratch).volume;
    cd_arena_reset(&all->scratch);
    return volume;
}

static double ask_dual(void *prepared, int32_t i)
{
    bodies *all = prepared;
    const cd_convex3 *pair = all->convex + 2 * (size_t)i;
    double volume = cd_intersect3_dual(&pair[0], &pair[1], &all->scratch).volume;
    cd_arena_reset(&all->scratch);
    return volume;
}

static double ask_contact(void *prepared, int32_t i)
{
    bodies *all = prepared;
    const cd_convex3 *pair = all->convex + 2 * (size_t)i;
    double volume = cd_contact3_volume(&pair[0], &pair[1], 1e-6, &all->scratch).volume;
    cd_arena_reset(&all->scratch);
    return volume;
}

// All that cd-narrow does for a volume contact once its bodies are placed.
static double ask_checked(void *prepared, int32_t i)
{
    bodies *all = prepared;
    cd_solid3 solid[2];
    for (int k = 0; k < 2; k++)
        solid[k] = (cd_solid3){.leaf.kind = CD_SHAPE_POLYHEDRON, .convex = all->convex[2 * (size_t)i + (size_t)k]};
    cd_narrow_input3 input = {.a = {&solid[0], &solid[0], &solid[0]},
                              .b = {&solid[1], &solid[1], &solid[1]},
                              .epsilon = 1e-6,
                              .scratch = &all->scratch};
    cd_narrow_contact3 contact;
    bool is_contact = cd_narrow_volume3(&input, &contact);
    cd_arena_reset(&all->scratch);
    return is_contact;
}

static const narrow_program kernels[] = {
    {"distance", "cd-narrow", NARROW_DISTANCE, "cd_distance3: Gilbert, Johnson & Keerthi", prepare, ask_distance},
    {"signed", "cd-narrow", NARROW_SIGNED, "cd_support3_signed_distance: distance, and depth where they meet", prepare,
     ask_signed},
    {"depth", "cd-narrow", NARROW_DEPTH, "cd_convex3_depth: all faces of the difference", prepare, ask_depth},
    {"clip", "cd-narrow", NARROW_VOLUME, "cd_intersect3_clip: the intersection by clipping", prepare, ask_clip},
    {"dual", "cd-narrow", NARROW_VOLUME, "cd_intersect3_dual: the intersection by the dual hull", prepare, ask_dual},
    {"contact", "cd-narrow", NARROW_CONTACT, "cd_contact3_volume: intersection, point, normal, area, surfaces, gap",
     prepare, ask_contact},
    {"checked", "cd-narrow", NARROW_OVERLAP, "cd_narrow_volume3: the same, the gap checked by the bodies moved apart",
     prepare, ask_checked},
    {0},
};

int main(int argc, char **argv) { return narrow_program_main(kernels, argc, argv); }
