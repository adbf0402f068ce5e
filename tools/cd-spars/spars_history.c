// SPDX-License-Identifier: MIT
#include "spars_history.h"

static cd_spars_trace trace_of(const cd_model *in, int32_t row)
{
    const int32_t *a = in->contact.a + 2 * (size_t)row, *b = in->contact.b + 2 * (size_t)row;
    return (cd_spars_trace){{in->body.id[a[0]], in->body.id[b[0]]}, {a[1], b[1]}, cd_spars_marks_of(&in->contact, row)};
}

// The order of cd_spars_canonical, as far as a trace goes.
static int compare_traces(const cd_spars_trace *left, const cd_spars_trace *right)
{
    for (int side = 0; side < 2; side++) {
        if (left->id[side] != right->id[side])
            return left->id[side] < right->id[side] ? -1 : 1;
        if (left->part[side] != right->part[side])
            return left->part[side] < right->part[side] ? -1 : 1;
    }
    return cd_spars_marks_compare(&left->marks, &right->marks);
}

void cd_spars_history_open(cd_spars_history *history, int64_t index, int32_t substep)
{
    bool is_again = history->has_last && history->index == index && history->substep == substep;
    if (!is_again) {
        cd_spars_traces swap = history->before;
        history->before = history->last;
        history->last = swap;
    }
    history->index = index;
    history->substep = substep;
    history->has_last = true;
}

void cd_spars_history_find_new(const cd_spars_history *history, const cd_model *in, const int32_t *order,
                               int32_t order_count, bool *is_new)
{
    const cd_spars_traces *before = &history->before;
    int32_t k = 0;
    for (int32_t i = 0; i < order_count; i++) {
        cd_spars_trace trace = trace_of(in, order[i]);
        while (k < before->count && compare_traces(&before->item[k], &trace) < 0)
            k++;
        is_new[order[i]] = k == before->count || compare_traces(&before->item[k], &trace) != 0;
    }
}

void cd_spars_history_keep(cd_spars_history *history, const cd_model *in, const int32_t *row, int32_t count)
{
    cd_spars_traces *last = &history->last;
    if (count > last->capacity) {
        last->capacity = count + count / 2;
        last->item = cd_realloc(last->item, (size_t)last->capacity * sizeof *last->item);
    }
    last->count = count;
    for (int32_t i = 0; i < count; i++)
        last->item[i] = trace_of(in, row[i]);
}

void cd_spars_history_release(cd_spars_history *history)
{
    cd_free(history->before.item);
    cd_free(history->last.item);
    *history = (cd_spars_history){0};
}
