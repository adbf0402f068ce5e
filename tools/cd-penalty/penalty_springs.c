// SPDX-License-Identifier: MIT
#include "penalty_springs.h"

#include "penalty_nearest.h"

#include "cd_elements.h"
#include "cd_feature_code.h"
#include "cd_quat.h"

#include <stdlib.h>

static const double normals_alike = 0.5;  // [1] least cosine between a contact's normals of two frames: 60 degrees

// ---- which contact goes on -----------------------------------------------------------------------------------------

// Bodies and parts, a surface's triangles as one: what must be the same. Triangles and features: what tells several of
// them apart.
enum { PARTS = 6, DETAILS = 4, NUMBERS = PARTS + DETAILS };
typedef struct place {
    int32_t number[NUMBERS];
    int32_t row;
    bool is_taken;  // of a spring: a contact has it
} place;

typedef struct places {
    place *item;
    int32_t count;
} places;

static bool is_of_surface(const cd_model *in, const cd_leaves *shapes, const int32_t *site)
{
    int32_t shape = in->body.shape ? in->body.shape[site[0]] : -1;
    if (shape < 0 || site[1] < 0 || site[1] >= shapes->first[shape + 1] - shapes->first[shape])
        return false;
    return cd_leaves_kind(shapes, shapes->first[shape] + site[1]) == CD_SHAPE_FACETS;
}

static place place_of(const cd_model *in, const cd_leaves *shapes, const int32_t *a, const int32_t *b,
                      const int32_t *features, int32_t row)
{
    const int32_t *site[2] = {a + 2 * (size_t)row, b + 2 * (size_t)row};
    place p = {.row = row};
    for (int s = 0; s < 2; s++) {
        int32_t feature = features ? features[2 * (size_t)row + (size_t)s] : CD_FEATURE_NONE;
        bool is_ball = feature != CD_FEATURE_NONE && cd_feature_kind(feature) == CD_FEATURE_PINBALL;
        p.number[s] = site[s][0];
        p.number[2 + s] = is_of_surface(in, shapes, site[s]) ? -1 : site[s][1];
        p.number[4 + s] = is_ball ? feature : CD_FEATURE_NONE;
        p.number[PARTS + s] = site[s][1];
        p.number[PARTS + 2 + s] = feature;
    }
    return p;
}

static int compare_numbers(const place *l, const place *r, int count)
{
    for (int k = 0; k < count; k++)
        if (l->number[k] != r->number[k])
            return l->number[k] < r->number[k] ? -1 : 1;
    return 0;
}

static int compare_places(const void *left, const void *right)
{
    const place *l = left, *r = right;
    int order = compare_numbers(l, r, NUMBERS);
    return order ? order : (l->row > r->row) - (l->row < r->row);
}

static void put_in_order(places *list)
{
    for (int32_t i = 1; i < list->count; i++)
        if (compare_places(&list->item[i - 1], &list->item[i]) > 0) {  // mostly they come in order
            qsort(list->item, (size_t)list->count, sizeof *list->item, compare_places);
            return;
        }
}

// Those from the first on with the first `count` numbers of it.
static places run_of(places list, int count)
{
    places run = {list.item, list.count > 0};
    while (run.count < list.count && compare_numbers(&list.item[run.count], list.item, count) == 0)
        run.count++;
    return run;
}

static places behind(places list, int32_t count) { return (places){list.item + count, list.count - count}; }

static void give(place *spring, int32_t contact, int32_t *spring_of)
{
    spring_of[contact] = spring->row;
    spring->is_taken = true;
}

// Those of the springs that nobody has, *left of them, by their places in the list.
static cd_penalty_candidate *candidates(cd_arena *arena, const cd_model *in, places springs, int32_t *left)
{
    cd_penalty_candidate *item = CD_ARENA_ARRAY(arena, cd_penalty_candidate, springs.count);
    *left = 0;
    for (int32_t i = 0; i < springs.count; i++) {
        int32_t row = springs.item[i].row;
        if (!springs.item[i].is_taken)
            item[(*left)++] = (cd_penalty_candidate){.point = cd_node_vector(in->spring.point, in->dim, row),
                                                     .normal = cd_node_vector(in->spring.normal, in->dim, row),
                                                     .number = i};
    }
    return item;
}

// Springs that are left go to contacts that have none, the nearest pair first: a contact takes a spring away from one
// farther off, which looks for another one then.
static void take_nearest(cd_arena *arena, const cd_model *in, places contacts, places springs, int32_t *spring_of)
{
    int32_t *waiting = CD_ARENA_ARRAY(arena, int32_t, contacts.count), count = 0, left;
    for (int32_t i = contacts.count - 1; i >= 0; i--)  // the last of them is the next
        if (spring_of[contacts.item[i].row] < 0)
            waiting[count++] = contacts.item[i].row;
    if (count == 0)
        return;
    cd_penalty_candidate *item = candidates(arena, in, springs, &left);
    cd_penalty_nearest tree = cd_penalty_nearest_make(arena, item, left);
    while (count > 0) {
        int32_t row = waiting[--count];
        double distance_sq;
        int32_t best =
            cd_penalty_nearest_find(&tree, cd_node_vector(in->contact.point, in->dim, row),
                                    cd_node_vector(in->contact.normal, in->dim, row), normals_alike, &distance_sq);
        if (best < 0)
            continue;
        if (item[best].owner >= 0)
            waiting[count++] = item[best].owner;
        cd_penalty_nearest_own(&tree, best, row, distance_sq);
    }
    for (int32_t i = 0; i < left; i++)
        if (item[i].owner >= 0)
            give(&springs.item[item[i].number], item[i].owner, spring_of);
}

// Of the same parts: first those with the same triangles and features.
static void match_parts(cd_arena *arena, const cd_model *in, places contacts, places springs, int32_t *spring_of)
{
    places c = contacts, s = springs;
    while (c.count > 0 && s.count > 0) {
        int order = compare_numbers(c.item, s.item, NUMBERS);
        places same_c = run_of(c, NUMBERS), same_s = run_of(s, NUMBERS);
        if (order == 0 && same_c.count == 1 && same_s.count == 1) {
            give(s.item, c.item->row, spring_of);
        } else if (order == 0) {
            take_nearest(arena, in, same_c, same_s, spring_of);
        }
        if (order <= 0)
            c = behind(c, same_c.count);
        if (order >= 0)
            s = behind(s, same_s.count);
    }
    take_nearest(arena, in, contacts, springs, spring_of);
}

const int32_t *cd_penalty_springs_match(cd_arena *arena, const cd_model *in, const cd_leaves *shapes)
{
    const cd_contact_rows *contact = &in->contact;
    const cd_spring_rows *spring = &in->spring;
    if (spring->count == 0)
        return NULL;
    places c = {CD_ARENA_ARRAY(arena, place, contact->count), 0}, s = {CD_ARENA_ARRAY(arena, place, spring->count), 0};
    int32_t *spring_of = CD_ARENA_ARRAY(arena, int32_t, contact->count);
    for (int32_t i = 0; i < contact->count; i++) {
        spring_of[i] = -1;
        if (contact->gap[i] < 0)
            c.item[c.count++] = place_of(in, shapes, contact->a, contact->b, contact->features, i);
    }
    for (int32_t i = 0; i < spring->count; i++)
        s.item[s.count++] = place_of(in, shapes, spring->a, spring->b, spring->features, i);
    put_in_order(&c);
    put_in_order(&s);
    while (c.count > 0 && s.count > 0) {
        int order = compare_numbers(c.item, s.item, PARTS);
        places same_c = run_of(c, PARTS), same_s = run_of(s, PARTS);
        if (order == 0)
            match_parts(arena, in, same_c, same_s, spring_of);
        if (order <= 0)
            c = behind(c, same_c.count);
        if (order >= 0)
            s = behind(s, same_s.count);
    }
    return spring_of;
}

// ---- how it turns --------------------------------------------------------------------------------------------------

cd_vec3 cd_penalty_spring_turned(cd_vec3 spring, cd_vec3 before, cd_vec3 normal, cd_vec3 spin, double time)
{
    if (!(cd_dot3(before, normal) > 0))
        return (cd_vec3){0, 0, 0};
    cd_quat turn = cd_quat_from_vector(cd_scale3(time, spin));
    cd_vec3 carried = cd_quat_turn(turn, before);
    spring = cd_quat_turn(turn, spring);
    // The shortest turn of `carried` to the normal, of what is across the first: s - (n.s) (c + n) / (1 + c.n).
    double near = 1 + cd_dot3(carried, normal);
    if (!(near > 0))
        return (cd_vec3){0, 0, 0};
    double share = cd_dot3(spring, normal) / near;
    spring = cd_sub3(spring, cd_scale3(share, cd_add3(carried, normal)));
    // Rounding along the normal would grow from frame to frame.
    return cd_sub3(spring, cd_scale3(cd_dot3(spring, normal), normal));
}
