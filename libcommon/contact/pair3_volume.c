// Two polyhedra: the contact of the volume they have in common.
// SPDX-License-Identifier: MIT
#include "cd_distance3.h"
#include "pair3_polyhedra.h"

// The bodies moved apart by the intersection's extent along the normal each are at a distance d:
// gap = min(d - 2 extent, 0), between 0 and minus twice the extent. Where that is less than minus the extent, a push by
// the extent would not part them.
static double checked_gap(const cd_convex3 *a, const cd_convex3 *b, const cd_contact3 *c, double epsilon,
                          cd_arena *scratch)
{
    double extent = fabs(c->gap);
    bool is_measured = c->status == CD_CONTACT3_DEGENERATE;  // the gap is the way out
    if (!(extent > epsilon) || is_measured)
        return c->gap;
    cd_vec3 shift = cd_scale3(extent, c->normal);
    cd_convex3 back = cd_convex3_shift(scratch, a, cd_negate3(shift)), ahead = cd_convex3_shift(scratch, b, shift);
    // Where they are nearest is mostly near where each goes farthest towards the other along the normal.
    cd_simplex3 facing = {.count = 1,
                          .a = {cd_convex3_support(&back, back.centre, c->normal, CD_VECTOR_AVX512)},
                          .b = {cd_convex3_support(&ahead, ahead.centre, cd_negate3(c->normal), CD_VECTOR_AVX512)}};
    cd_distance3 d = cd_distance3_compute(cd_support3_convex(&back), cd_support3_convex(&ahead), &facing);
    return fmin(d.distance - 2 * extent, 0);
}

void cd_pair3_polyhedra_volume(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_convex3 *a = &input->a.current->convex, *b = &input->b.current->convex;
    cd_arena_mark mark = cd_arena_get_mark(input->scratch);
    cd_contact3 c = input->intersect(a, b, input->epsilon, input->scratch);
    if (c.status != CD_CONTACT3_NONE && c.status != CD_CONTACT3_TOUCHING) {
        double gap = checked_gap(a, b, &c, input->epsilon, input->scratch);
        cd_vec3 half_gap = cd_scale3(gap / 2, c.normal);
        cd_contact *contact = cd_list_add(input->arena, contacts);
        *contact = cd_contact_none();
        contact->kind = CD_CONTACT_VOLUME;
        contact->status = c.status == CD_CONTACT3_OUTSIDE      ? CD_STATUS_OUTSIDE
                          : c.status == CD_CONTACT3_DEGENERATE ? CD_STATUS_DEGENERATE
                                                               : CD_STATUS_PENETRATING;
        contact->point = c.point;
        contact->point_a = cd_sub3(c.point, half_gap);
        contact->point_b = cd_add3(c.point, half_gap);
        contact->normal = c.normal;
        contact->gap = gap;
        contact->area = c.area;
        contact->surface_a = c.surface_a;
        contact->surface_b = c.surface_b;
    }
    cd_arena_rewind(input->scratch, mark);
}
