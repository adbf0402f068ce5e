// SPDX-License-Identifier: MIT
#include "penalty_nearest.h"

#include <stdlib.h>

enum { LEAF = 8 };  // items that are looked at one by one

typedef struct part {
    int32_t box, first, count;
} part;

static part half_of(part p, int k)
{
    int32_t low = p.count / 2;
    return k ? (part){2 * p.box + 2, p.first + low, p.count - low} : (part){2 * p.box + 1, p.first, low};
}

// ---- making it -----------------------------------------------------------------------------------------------------

static int compare(double l, double r, const cd_penalty_candidate *left, const cd_penalty_candidate *right)
{
    return l != r ? (l < r ? -1 : 1) : (left->number > right->number) - (left->number < right->number);
}

static int compare_x(const void *left, const void *right)
{
    const cd_penalty_candidate *l = left, *r = right;
    return compare(l->point.x, r->point.x, l, r);
}

static int compare_y(const void *left, const void *right)
{
    const cd_penalty_candidate *l = left, *r = right;
    return compare(l->point.y, r->point.y, l, r);
}

static int compare_z(const void *left, const void *right)
{
    const cd_penalty_candidate *l = left, *r = right;
    return compare(l->point.z, r->point.z, l, r);
}

static void make(cd_penalty_nearest *tree, part p)
{
    cd_penalty_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY};
    for (int32_t i = p.first; i < p.first + p.count; i++) {
        cd_vec3 x = tree->item[i].point;
        box.low = (cd_vec3){fmin(box.low.x, x.x), fmin(box.low.y, x.y), fmin(box.low.z, x.z)};
        box.high = (cd_vec3){fmax(box.high.x, x.x), fmax(box.high.y, x.y), fmax(box.high.z, x.z)};
    }
    tree->box[p.box] = box;
    if (p.count <= LEAF)
        return;
    cd_vec3 size = cd_sub3(box.high, box.low);
    qsort(tree->item + p.first, (size_t)p.count, sizeof *tree->item,
          size.x >= size.y && size.x >= size.z ? compare_x
          : size.y >= size.z                   ? compare_y
                                               : compare_z);
    make(tree, half_of(p, 0));
    make(tree, half_of(p, 1));
}

cd_penalty_nearest cd_penalty_nearest_make(cd_arena *arena, cd_penalty_candidate *item, int32_t count)
{
    cd_penalty_nearest tree = {.item = item, .count = count};
    size_t boxes = 1;
    for (int32_t most = count; most > LEAF; most -= most / 2)
        boxes = 2 * boxes + 1;
    tree.box = CD_ARENA_ARRAY(arena, cd_penalty_box, boxes);
    for (int32_t i = 0; i < count; i++) {
        item[i].owner = -1;
        item[i].distance_sq = INFINITY;
    }
    make(&tree, (part){0, 0, count});
    return tree;
}

// ---- asking it -----------------------------------------------------------------------------------------------------

typedef struct search {
    const cd_penalty_nearest *tree;
    cd_vec3 point, normal;
    double alike, distance_sq;
    int32_t best;
} search;

static double outside(double low, double x, double high) { return fmax(fmax(low - x, x - high), 0); }

static double box_distance_sq(const cd_penalty_box *box, cd_vec3 x)
{
    cd_vec3 apart = {outside(box->low.x, x.x, box->high.x), outside(box->low.y, x.y, box->high.y),
                     outside(box->low.z, x.z, box->high.z)};
    return cd_dot3(apart, apart);
}

static void look_at(search *s, int32_t place)
{
    const cd_penalty_candidate *c = &s->tree->item[place];
    cd_vec3 apart = cd_sub3(c->point, s->point);
    double sq = cd_dot3(apart, apart);
    if (!(cd_dot3(s->normal, c->normal) >= s->alike) || !(sq < c->distance_sq) || sq > s->distance_sq)
        return;
    if (s->best >= 0 && sq == s->distance_sq && c->number > s->tree->item[s->best].number)
        return;
    s->best = place;
    s->distance_sq = sq;
}

static void find(search *s, part p)
{
    if (p.count <= LEAF) {
        for (int32_t i = p.first; i < p.first + p.count; i++)
            look_at(s, i);
        return;
    }
    part half[2] = {half_of(p, 0), half_of(p, 1)};
    double sq[2];
    for (int k = 0; k < 2; k++)
        sq[k] = box_distance_sq(&s->tree->box[half[k].box], s->point);
    for (int i = 0; i < 2; i++) {
        int k = (sq[1] < sq[0]) != i;  // the nearer first
        if (sq[k] <= s->distance_sq && sq[k] < s->tree->box[half[k].box].farthest_sq)
            find(s, half[k]);
    }
}

int32_t cd_penalty_nearest_find(const cd_penalty_nearest *tree, cd_vec3 point, cd_vec3 normal, double alike,
                                double *distance_sq)
{
    search s = {tree, point, normal, alike, INFINITY, -1};
    find(&s, (part){0, 0, tree->count});
    *distance_sq = s.distance_sq;
    return s.best;
}

static double renew(cd_penalty_nearest *tree, part p, int32_t place)
{
    double farthest = 0;
    if (p.count <= LEAF) {
        for (int32_t i = p.first; i < p.first + p.count; i++)
            farthest = fmax(farthest, tree->item[i].distance_sq);
    } else {
        part low = half_of(p, 0), high = half_of(p, 1);
        bool is_low = place < high.first;
        farthest = fmax(renew(tree, is_low ? low : high, place), tree->box[is_low ? high.box : low.box].farthest_sq);
    }
    return tree->box[p.box].farthest_sq = farthest;
}

void cd_penalty_nearest_own(cd_penalty_nearest *tree, int32_t place, int32_t owner, double distance_sq)
{
    tree->item[place].owner = owner;
    tree->item[place].distance_sq = distance_sq;
    (void)renew(tree, (part){0, 0, tree->count}, place);
}
