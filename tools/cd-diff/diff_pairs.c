// SPDX-License-Identifier: MIT
#include "diff_pairs.h"

#include "cd_contact_limits.h"
#include "cd_distance3.h"

#include <stdlib.h>

// [rad] contacts at one point whose normals are nearer are one contact twice.
static const double same_normal = 1e-6;

// ---- contacts ------------------------------------------------------------------------------------------------------

typedef struct contacts {
    cd_diff_contact *item;
    int32_t count;
} contacts;

static int compare_sites(cd_diff_site p, cd_diff_site q)
{
    if (p.body != q.body)
        return p.body < q.body ? -1 : 1;
    return (p.part > q.part) - (p.part < q.part);
}

static int compare_pairs(const cd_diff_contact *p, const cd_diff_contact *q)
{
    int order = compare_sites(p->a, q->a);
    return order ? order : compare_sites(p->b, q->b);
}

static int compare_contacts(const void *left, const void *right)
{
    const cd_diff_contact *p = left, *q = right;
    int order = compare_pairs(p, q);
    return order ? order : (p->row > q->row) - (p->row < q->row);
}

static bool is_of_features(int32_t kind)
{
    return kind == CD_CONTACT_VERTEX_EDGE || kind == CD_CONTACT_VERTEX_FACE || kind == CD_CONTACT_EDGE_EDGE;
}

static bool is_claimed(const cd_contact_rows *rows, int32_t i, const cd_contact_limits *limits)
{
    if (rows->status && rows->status[i] >= 0 && !cd_contact_takes_part(rows->status[i]))
        return false;
    int32_t kind = rows->kind[i];
    if (!is_of_features(kind))
        return true;
    cd_contact_configuration configuration = kind == CD_CONTACT_EDGE_EDGE ? CD_CONTACT_AT_CROSSING : CD_CONTACT_AT_FACE;
    return cd_contact_is_applicable(cd_f64_or(rows->applicability, i, NAN), limits, configuration) &&
           cd_contact_is_feasible(cd_f64_or(rows->feasible, i, NAN), rows->gap[i], limits);
}

static cd_diff_site site_of(const cd_diff_side *side, const int32_t *column, int32_t i, bool by_body)
{
    return (cd_diff_site){cd_refs_id(side->refs, CD_REC_body, column[2 * i]), by_body ? -1 : column[2 * i + 1]};
}

static cd_vec3 vector_at(const double *column, int dim, int32_t i)
{
    return dim == 2 ? (cd_vec3){column[2 * i], column[2 * i + 1], 0} : cd_vec3_at(column + 3 * (size_t)i);
}

static cd_diff_contact contact_at(const cd_diff_side *side, int32_t i, bool by_body)
{
    const cd_contact_rows *rows = &side->tables->model.contact;
    int dim = side->tables->model.dim;
    cd_diff_contact c = {.a = site_of(side, rows->a, i, by_body),
                         .b = site_of(side, rows->b, i, by_body),
                         .feasible = is_of_features(rows->kind[i]) ? cd_f64_or(rows->feasible, i, CD_FEASIBLE_INSIDE)
                                                                   : CD_FEASIBLE_INSIDE,
                         .row = i,
                         .kind = rows->kind[i],
                         .feature = {CD_FEATURE_NONE, CD_FEATURE_NONE},
                         .point = vector_at(rows->point, dim, i),
                         .normal = vector_at(rows->normal, dim, i),
                         .gap = rows->gap[i]};
    for (int k = 0; rows->features && k < 2; k++)
        c.feature[k] = rows->features[2 * i + k];
    c.is_exchanged = compare_sites(c.a, c.b) > 0;
    if (c.is_exchanged) {
        cd_diff_site first = c.a;
        c.a = c.b;
        c.b = first;
        c.normal = cd_negate3(c.normal);
        int32_t feature = c.feature[0];
        c.feature[0] = c.feature[1];
        c.feature[1] = feature;
    }
    return c;
}

static contacts contacts_of(cd_arena *arena, const cd_diff_side *side, bool by_body)
{
    const cd_contact_rows *rows = &side->tables->model.contact;
    cd_contact_limits limits = cd_contact_limits_usual(side->tables->model.dim, true, false);
    contacts all = {CD_ARENA_ARRAY(arena, cd_diff_contact, rows->count), 0};
    for (int32_t i = 0; i < rows->count; i++)
        if (is_claimed(rows, i, &limits))
            all.item[all.count++] = contact_at(side, i, by_body);
    if (all.count > 0)
        qsort(all.item, (size_t)all.count, sizeof *all.item, compare_contacts);
    return all;
}

// ---- candidates ----------------------------------------------------------------------------------------------------

typedef struct candidates {
    cd_diff_contact *item;  // sites alone
    int32_t count;
} candidates;

static candidates candidates_of(cd_arena *arena, const cd_diff_side *side, bool by_body)
{
    const cd_pair_rows *rows = &side->tables->model.pair;
    candidates all = {CD_ARENA_ZARRAY(arena, cd_diff_contact, rows->count), rows->count};
    for (int32_t i = 0; i < rows->count; i++) {
        cd_diff_site a = site_of(side, rows->a, i, by_body), b = site_of(side, rows->b, i, by_body);
        bool in_order = compare_sites(a, b) <= 0;
        all.item[i] = (cd_diff_contact){.a = in_order ? a : b, .b = in_order ? b : a, .row = 0};
    }
    if (all.count > 0)
        qsort(all.item, (size_t)all.count, sizeof *all.item, compare_contacts);
    return all;
}

static bool has_candidate(const candidates *all, cd_diff_site a, cd_diff_site b)
{
    cd_diff_contact wanted = {.a = a, .b = b};
    return all->count > 0 && bsearch(&wanted, all->item, (size_t)all->count, sizeof *all->item, compare_contacts);
}

// ---- distance of points --------------------------------------------------------------------------------------------

// What the points of contacts span, with |gap| before and behind each. @owns arena
static cd_convex3 hull_of(cd_arena *arena, const cd_diff_contact *contact, int32_t count)
{
    int32_t padded = cd_convex3_padded(2 * count);
    double *column = CD_ARENA_ARRAY(arena, double, 3 * (size_t)padded + 8);
    column = (double *)(((uintptr_t)column + 63) & ~(uintptr_t)63);  // as cd_convex3 wants it
    double *x = column, *y = x + padded, *z = y + padded;
    cd_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < padded; i++) {
        const cd_diff_contact *c = &contact[i < 2 * count ? i / 2 : 0];
        bool is_behind = i < 2 * count && i % 2;  // padded with corner 0
        cd_vec3 p = cd_add3(c->point, cd_scale3(is_behind ? fabs(c->gap) : -fabs(c->gap), c->normal));
        x[i] = p.x;
        y[i] = p.y;
        z[i] = p.z;
        if (i < 2 * count)
            sum = cd_add3(sum, p);
    }
    cd_convex3 hull = {.vertex_count = 2 * count, .x = x, .y = y, .z = z, .centre = cd_scale3(0.5 / count, sum)};
    for (int32_t i = 0; i < 2 * count; i++)
        hull.radius = fmax(hull.radius, cd_length3(cd_sub3(cd_convex3_vertex(&hull, i), hull.centre)));
    return hull;
}

static double farthest_from_hull(cd_arena *arena, const cd_diff_contact *contact, int32_t count,
                                 const cd_diff_contact *other, int32_t other_count)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_convex3 hull = hull_of(arena, other, other_count);
    double farthest = 0;
    for (int32_t i = 0; i < count; i++) {
        bool is_shared = false;
        for (int32_t k = 0; k < other_count && !is_shared; k++)
            is_shared = !memcmp(&contact[i].point, &other[k].point, sizeof contact[i].point);
        if (is_shared)
            continue;
        cd_distance3 d = cd_distance3_compute(cd_support3_sphere(contact[i].point, 0), cd_support3_convex(&hull), NULL);
        farthest = fmax(farthest, d.distance);
    }
    cd_arena_rewind(arena, mark);
    return farthest;
}

double cd_diff_points_distance(cd_arena *arena, const cd_diff_contact *left, int32_t left_count,
                               const cd_diff_contact *right, int32_t right_count)
{
    double forth = 0, back = 0;
    if (left_count <= right_count)
        forth = farthest_from_hull(arena, left, left_count, right, right_count);
    if (right_count <= left_count)
        back = farthest_from_hull(arena, right, right_count, left, left_count);
    return fmax(forth, back);
}

// ---- one pair ------------------------------------------------------------------------------------------------------

static struct cd_diff_extreme extreme_of(const cd_diff_contact *c)
{
    return (struct cd_diff_extreme){c->gap, c->normal, c->kind, {c->feature[0], c->feature[1]}};
}

static double angle_between(cd_vec3 p, cd_vec3 q) { return atan2(cd_length3(cd_cross3(p, q)), cd_dot3(p, q)); }

// Of features first those that lie over one another, or most nearly so, then the nearest: planes around the corner and
// of the body's far side have gaps that are no distances.
static bool is_deeper(const cd_diff_contact *p, const cd_diff_contact *q)
{
    if (p->feasible != q->feasible)
        return p->feasible > q->feasible;
    if (is_of_features(p->kind) && is_of_features(q->kind))
        return fabs(p->gap) < fabs(q->gap);
    return p->gap < q->gap;
}

static bool is_same(const cd_diff_contact *p, const cd_diff_contact *q, double epsilon)
{
    return p->feature[0] == q->feature[0] && p->feature[1] == q->feature[1] &&
           cd_length3(cd_sub3(p->point, q->point)) <= epsilon && angle_between(p->normal, q->normal) <= same_normal;
}

static int32_t count_doubled(const contacts *group, double epsilon)
{
    int32_t doubled = 0;
    for (int32_t i = 1; i < group->count; i++)
        for (int32_t k = 0; k < i; k++)
            if (is_same(&group->item[i], &group->item[k], epsilon)) {
                doubled++;
                break;
            }
    return doubled;
}

static cd_diff_claim claim_of(const contacts *group, double epsilon)
{
    cd_diff_claim claim = {.count = group->count};
    int32_t least = 0, greatest = 0;
    for (int32_t i = 0; i < group->count; i++) {
        claim.exchanged += group->item[i].is_exchanged;
        const cd_diff_contact *c = &group->item[i];
        least = is_deeper(c, &group->item[least]) ? i : least;
        bool is_greater = is_of_features(c->kind) ? i == least : c->gap > group->item[greatest].gap;
        greatest = is_greater ? i : greatest;
    }
    if (group->count > 0) {
        claim.extreme[0] = extreme_of(&group->item[least]);
        claim.extreme[1] = extreme_of(&group->item[greatest]);
        claim.doubled = count_doubled(group, epsilon);
    }
    return claim;
}

// Several contacts may have the least gap to within `tolerance`: of them the two that agree best are told, so that a
// corner between two faces is no difference of normals.
static void choose_normals(const contacts group[2], int end, double tolerance, cd_diff_pair *pair)
{
    double best = -1;
    double limit[2] = {pair->side[0].extreme[end].gap, pair->side[1].extreme[end].gap};
    for (int32_t i = 0; i < group[0].count; i++)
        for (int32_t k = 0; k < group[1].count; k++) {
            const cd_diff_contact *p = &group[0].item[i], *q = &group[1].item[k];
            if (fabs(p->gap - limit[0]) > tolerance || fabs(q->gap - limit[1]) > tolerance)
                continue;
            double cosine = fabs(cd_dot3(p->normal, q->normal));  // both may be reversed
            if (cosine <= best)
                continue;
            best = cosine;
            pair->side[0].extreme[end] = extreme_of(p);
            pair->side[1].extreme[end] = extreme_of(q);
            pair->side[0].extreme[end].gap = limit[0];
            pair->side[1].extreme[end].gap = limit[1];
        }
}

static void compare_groups(cd_arena *arena, const contacts group[2], const cd_diff_pair_rules *rules,
                           cd_diff_pair *pair)
{
    const cd_diff_contact *any = group[0].count > 0 ? group[0].item : group[1].item;
    pair->a = any->a;
    pair->b = any->b;
    for (int s = 0; s < 2; s++)
        pair->side[s] = claim_of(&group[s], rules->epsilon);
    pair->point = NAN;
    if (group[0].count == 0 || group[1].count == 0)
        return;
    choose_normals(group, 0, rules->gap, pair);
    choose_normals(group, 1, rules->gap, pair);
    pair->point = cd_diff_points_distance(arena, group[0].item, group[0].count, group[1].item, group[1].count);
}

// ---- a frame -------------------------------------------------------------------------------------------------------

// The contacts from `first` on that are of one pair; none at the end of the list.
static contacts group_at(const contacts *all, int32_t first)
{
    contacts group = {all->item + first, 0};
    while (first + group.count < all->count && !compare_pairs(&all->item[first], &all->item[first + group.count]))
        group.count++;
    return group;
}

cd_diff_pairs cd_diff_pairs_of(cd_arena *arena, const cd_diff_section *section, const cd_diff_pair_rules *rules)
{
    contacts all[2];
    candidates candidate[2];
    for (int s = 0; s < 2; s++) {
        all[s] = contacts_of(arena, &section->side[s], rules->by_body);
        candidate[s] = candidates_of(arena, &section->side[s], rules->by_body);
    }
    cd_diff_place place = cd_diff_place_of(section);
    cd_diff_pairs pairs = {CD_ARENA_ARRAY(arena, cd_diff_pair, all[0].count + (size_t)all[1].count), 0};
    int32_t at[2] = {0, 0};
    while (at[0] < all[0].count || at[1] < all[1].count) {
        contacts group[2] = {group_at(&all[0], at[0]), group_at(&all[1], at[1])};
        int order = group[0].count == 0 ? 1 : group[1].count == 0 ? -1 : compare_pairs(group[0].item, group[1].item);
        if (order != 0)
            group[order < 0 ? 1 : 0].count = 0;
        cd_diff_pair *pair = &pairs.item[pairs.count++];
        *pair = (cd_diff_pair){.frame = place};
        compare_groups(arena, group, rules, pair);
        for (int s = 0; s < 2; s++) {
            pair->side[s].has_pairs = candidate[s].count > 0;
            pair->side[s].has_candidate = has_candidate(&candidate[s], pair->a, pair->b);
            at[s] += group[s].count;
        }
    }
    return pairs;
}
