// test_pair3_solids -- bodies of every kind of space, and what a mode finds between two of them that stay where they
// are.
// SPDX-License-Identifier: MIT
#ifndef TEST_PAIR3_SOLIDS_H
#define TEST_PAIR3_SOLIDS_H

#include "cd_random.h"
#include "cd_sheet3.h"
#include "cd_test.h"
#include "narrow_mode.h"

static inline double between(cd_random *random, double low, double high)
{
    return cd_random_between(random, low, high);
}

static inline cd_vec3 random_point(cd_random *random, double spread)
{
    return (cd_vec3){between(random, -spread, spread), between(random, -spread, spread),
                     between(random, -spread, spread)};
}

static inline cd_pose3 random_pose(cd_random *random, double spread)
{
    cd_vec3 at = random_point(random, spread);
    cd_quat q = {between(random, -1, 1), between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)};
    return cd_pose3_make(at, cd_quat_unit(q));
}

static inline const cd_solid3 *box_at(cd_vec3 half, const cd_pose3 *pose, cd_arena *arena)
{
    static const int32_t first[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    cd_vec3 vertex[8];
    for (int k = 0; k < 8; k++)
        vertex[k] = (cd_vec3){k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
    cd_polyhedron p = {8, 6, vertex, first, corner};
    cd_convex3 local = cd_convex3_make(arena, &p, NULL);
    cd_edges3 *edges = CD_ARENA_ARRAY(arena, cd_edges3, 1);
    *edges = cd_edges3_make(arena, 8, 6, first, corner);
    cd_solid3 *solid = CD_ARENA_ZARRAY(arena, cd_solid3, 1);
    *solid = (cd_solid3){.convex = cd_convex3_place(arena, &local, pose), .edges = edges};
    solid->kind = CD_SHAPE_POLYHEDRON;
    return solid;
}

static inline const cd_solid3 *solid_at(cd_solid3 solid_of, cd_arena *arena)
{
    cd_solid3 *solid = CD_ARENA_ZARRAY(arena, cd_solid3, 1);
    *solid = solid_of;
    return solid;
}

static inline const cd_solid3 *sphere_at(cd_vec3 centre, double radius, cd_arena *arena)
{
    return solid_at((cd_solid3){.kind = CD_SHAPE_SPHERE, .sphere = {centre, radius}}, arena);
}

static inline const cd_solid3 *ellipsoid_at(cd_vec3 semiaxes, const cd_pose3 *pose, cd_arena *arena)
{
    cd_mat3 *axes = CD_ARENA_ARRAY(arena, cd_mat3, 1);
    *axes = pose->turn;
    return solid_at((cd_solid3){.kind = CD_SHAPE_ELLIPSOID, .ellipsoid = {pose->position, semiaxes, axes}}, arena);
}

static inline const cd_solid3 *halfspace_at(cd_vec3 normal, double offset, cd_arena *arena)
{
    return solid_at((cd_solid3){.kind = CD_SHAPE_HALFSPACE, .halfspace = {normal, offset}}, arena);
}

static inline const cd_solid3 *facet_at(cd_vec3 p, cd_vec3 q, cd_vec3 r, double half_thickness, cd_arena *arena)
{
    return solid_at((cd_solid3){.kind = CD_SHAPE_FACETS, .facet = {{p, q, r}, half_thickness, 0}}, arena);
}

static const int32_t kinds[] = {CD_SHAPE_POLYHEDRON, CD_SHAPE_SPHERE, CD_SHAPE_ELLIPSOID, CD_SHAPE_HALFSPACE,
                                CD_SHAPE_FACETS};
enum { KINDS = 5 };

static inline const cd_solid3 *random_solid(int32_t kind, double spread, cd_random *random, cd_arena *arena)
{
    cd_pose3 pose = random_pose(random, spread);
    cd_vec3 size = {between(random, 0.2, 0.6), between(random, 0.2, 0.6), between(random, 0.2, 0.6)};
    switch (kind) {
    case CD_SHAPE_POLYHEDRON:
        return box_at(size, &pose, arena);
    case CD_SHAPE_SPHERE:
        return sphere_at(pose.position, size.x, arena);
    case CD_SHAPE_ELLIPSOID:
        return ellipsoid_at(size, &pose, arena);
    case CD_SHAPE_HALFSPACE:
        return halfspace_at(cd_pose3_turn(&pose, (cd_vec3){0, 0, 1}), between(random, -0.5, 0.5), arena);
    default:
        return facet_at(cd_pose3_apply(&pose, (cd_vec3){size.x, 0, 0}), cd_pose3_apply(&pose, (cd_vec3){0, size.y, 0}),
                        cd_pose3_apply(&pose, (cd_vec3){-size.z, -size.y, 0}), 0.5 * size.z * size.z, arena);
    }
}

static inline cd_pair3_part still_part(const cd_solid3 *solid, cd_arena *arena)
{
    cd_pair3_part part = {.start = solid, .predicted = solid, .current = solid};
    if (solid->kind == CD_SHAPE_POLYHEDRON) {
        cd_shell3 *shell = CD_ARENA_ARRAY(arena, cd_shell3, 1);
        *shell = cd_shell3_make(arena, &solid->convex, solid->edges);
        part.shell[0] = part.shell[1] = part.shell[2] = shell;
    }
    if (solid->kind == CD_SHAPE_FACETS)
        part.shell[0] = part.shell[1] = part.shell[2] =
            cd_sheet3_make(arena, solid->facet.vertex, solid->facet.half_thickness);
    return part;
}

static inline cd_pair3_input still(const cd_solid3 *a, const cd_solid3 *b, double reach, cd_arena *scratch)
{
    return (cd_pair3_input){.a = still_part(a, scratch),
                            .b = still_part(b, scratch),
                            .reach = reach,
                            .epsilon = 1e-9,
                            .choice = {.slack = 0.03, .tolerance = 1e-12, .tie = 1e-12},
                            .intersect = cd_contact3_volume,
                            .scratch = scratch};
}

// Finds as the stage does: shells are there for modes that need them.
static inline cd_contacts find_all(const char *mode, const cd_pair3_input *input, cd_arena *arena)
{
    const cd_pair3 *pair = cd_pair3_for(input->a.current->kind, input->b.current->kind);
    cd_contacts contacts = {0};
    cd_pair3_input asked = *input;
    asked.arena = arena;
    if (!(cd_narrow_find_mode(mode)->needs & CD_NARROW_NEEDS_SHELLS))
        for (int k = 0; k < 3; k++)
            asked.a.shell[k] = asked.b.shell[k] = NULL;
    if (pair)
        cd_narrow_find_mode(mode)->space(pair, &asked, &contacts);
    return contacts;
}

// Where there is one at most.
static inline bool find(const char *mode, const cd_pair3_input *input, cd_contact *contact)
{
    *contact = (cd_contact){0};
    cd_arena arena = {0};
    cd_contacts contacts = find_all(mode, input, &arena);
    CD_CHECK(contacts.count <= 1);
    if (contacts.count > 0)
        *contact = contacts.item[0];
    cd_arena_release(&arena);
    return contacts.count > 0;
}

static inline cd_contact found(const char *mode, const cd_solid3 *a, const cd_solid3 *b, double reach)
{
    cd_arena scratch = {0};
    cd_pair3_input input = still(a, b, reach, &scratch);
    cd_contact contact = {.kind = -1};
    CD_CHECK(find(mode, &input, &contact));
    cd_arena_release(&scratch);
    return contact;
}

static inline double apart(cd_vec3 p, cd_vec3 q) { return cd_length3(cd_sub3(p, q)); }

static inline bool same_point(cd_vec3 p, cd_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

#endif
