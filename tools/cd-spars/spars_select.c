// SPDX-License-Identifier: MIT
#include "spars_select.h"

#include "spars_kept.h"
#include "spars_order.h"
#include "spars_sites.h"

// Ascending keys are descending areas: the bits of numbers >= 0 ascend with them.
static uint64_t area_key(const double *area, int32_t row)
{
    if (!area || isnan(area[row]))
        return UINT64_MAX;
    double positive = area[row] + 0.0;  // no negative zero
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return ~bits - 1;  // never that of an absent area
}

// The contacts that take part as they are visited: those that are not new (`settled` of them), then the new ones.
static cd_spars_keyed *visiting_order(cd_arena *arena, const cd_spars_input *input, int32_t *settled)
{
    cd_spars_keyed *visit = CD_ARENA_ARRAY(arena, cd_spars_keyed, input->order_count);
    int32_t count = 0;
    for (int32_t i = 0; input->is_new && i < input->order_count; i++)
        if (!input->is_new[input->order[i]])
            visit[count++] = (cd_spars_keyed){area_key(input->area, input->order[i]), input->order[i]};
    *settled = count;
    for (int32_t i = 0; i < input->order_count; i++)
        if (!input->is_new || input->is_new[input->order[i]])
            visit[count++] = (cd_spars_keyed){area_key(input->area, input->order[i]), input->order[i]};
    cd_spars_sort(arena, visit, *settled);
    cd_spars_sort(arena, visit + *settled, count - *settled);
    return visit;
}

// first[b] .. first[b + 1] - 1: room for the contacts of body b that take part, one place a side.
static int32_t *count_sides(cd_arena *arena, const cd_spars_input *input)
{
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)input->body_count + 1);
    for (int32_t i = 0; i < input->order_count; i++) {
        size_t row = (size_t)input->order[i];
        first[input->a[2 * row] + 1]++;
        first[input->b[2 * row] + 1]++;
    }
    for (int32_t body = 0; body < input->body_count; body++)
        first[body + 1] += first[body];
    return first;
}

void cd_spars_select(cd_arena *arena, const cd_spars_input *input, const cd_spars_rule *rule, uint8_t *verdict)
{
    memset(verdict, CD_SPARS_NO_PART, (size_t)input->count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t settled;
    const cd_spars_keyed *visit = visiting_order(arena, input, &settled);
    const int32_t *first = count_sides(arena, input);
    bool use_area = input->area && rule->threshold > 0, use_distance = rule->mindist > 0;
    cd_spars_sites sites = {0};
    cd_spars_kept kept = {0};
    if (use_area)
        sites = cd_spars_sites_make(arena, input, first);
    if (use_distance)
        kept = cd_spars_kept_make(arena, input, first, rule->mindist);
    for (int32_t i = 0; i < input->order_count; i++) {
        int32_t row = visit[i].number;
        double area = input->area ? input->area[row] : NAN;
        bool is_new = i >= settled;
        if (is_new && area < rule->minarea) {
            verdict[row] = CD_SPARS_DELETED_MINAREA;
        } else if (is_new && use_area && area < rule->threshold * cd_spars_sites_largest(&sites, row)) {
            verdict[row] = CD_SPARS_DELETED_AREA;
        } else if (is_new && use_distance && cd_spars_kept_has_near(&kept, row)) {
            verdict[row] = CD_SPARS_DELETED_DISTANCE;
        } else {
            verdict[row] = CD_SPARS_KEPT;
            if (use_area && !isnan(area))
                cd_spars_sites_raise(&sites, row, area);
            if (use_distance)
                cd_spars_kept_add(&kept, row);
        }
    }
    cd_arena_rewind(arena, mark);
}
