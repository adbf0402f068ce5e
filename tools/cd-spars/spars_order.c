// SPDX-License-Identifier: MIT
#include "spars_order.h"

#include <stdlib.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS, INSERTION_MOST = 48 };

// ---- radix ---------------------------------------------------------------------------------------------------------

static void insertion_sort(cd_spars_keyed *keyed, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        cd_spars_keyed moved = keyed[i];
        int32_t place = i;
        for (; place > 0 && keyed[place - 1].key > moved.key; place--)
            keyed[place] = keyed[place - 1];
        keyed[place] = moved;
    }
}

static unsigned digit_of(uint64_t key, int digit) { return (unsigned)(key >> (DIGIT_BITS * digit)) & (BUCKETS - 1); }

void cd_spars_sort(cd_arena *arena, cd_spars_keyed *keyed, int32_t count)
{
    if (count <= INSERTION_MOST) {
        insertion_sort(keyed, count);
        return;
    }
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_spars_keyed *from = keyed, *to = CD_ARENA_ARRAY(arena, cd_spars_keyed, count);
    int32_t *histogram = CD_ARENA_ZARRAY(arena, int32_t, DIGITS * BUCKETS);
    for (int32_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            histogram[digit * BUCKETS + digit_of(keyed[i].key, digit)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        int32_t *place = histogram + digit * BUCKETS, sum = 0;
        if (place[digit_of(keyed[0].key, digit)] == count)
            continue;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            int32_t here = place[bucket];
            place[bucket] = sum;
            sum += here;
        }
        for (int32_t i = 0; i < count; i++)
            to[place[digit_of(from[i].key, digit)]++] = from[i];
        cd_spars_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != keyed)
        memcpy(keyed, from, (size_t)count * sizeof *keyed);
    cd_arena_rewind(arena, mark);
}

// ---- canonical order -----------------------------------------------------------------------------------------------

static int compare_numbers(int32_t a, int32_t b) { return (a > b) - (a < b); }

// Sides in the order of (rank, part).
static uint64_t side_key(const int32_t *site, const int32_t *body_rank)
{
    return (uint64_t)(uint32_t)body_rank[site[0]] << 32 | ((uint32_t)site[1] ^ UINT32_C(0x80000000));
}

static int32_t feature_mark(int32_t feature)
{
    if (feature == CD_FEATURE_NONE)
        return -1;
    return (int32_t)((uint32_t)cd_feature_kind(feature) << 29 | (uint32_t)cd_feature_index(feature));
}

cd_spars_marks cd_spars_marks_of(const cd_contact_rows *contact, int32_t row)
{
    size_t first = 2 * (size_t)row;
    cd_spars_marks marks = {{-1, -1, CD_ABSENT, CD_ABSENT}};
    for (int side = 0; side < 2; side++) {
        if (contact->features)
            marks.mark[side] = feature_mark(contact->features[first + (size_t)side]);
        if (contact->surfaces)
            marks.mark[2 + side] = contact->surfaces[first + (size_t)side];
    }
    return marks;
}

int cd_spars_marks_compare(const cd_spars_marks *left, const cd_spars_marks *right)
{
    for (int k = 0; k < 4; k++)
        if (left->mark[k] != right->mark[k])
            return compare_numbers(left->mark[k], right->mark[k]);
    return 0;
}

// What tells contacts of the same two parts apart.
typedef struct twin {
    cd_spars_marks marks;
    int32_t kind, row;
    double point[3];
    int64_t id;
} twin;

static twin twin_of(int dim, const cd_contact_rows *contact, int32_t row)
{
    twin t = {.marks = cd_spars_marks_of(contact, row), .kind = contact->kind[row], .row = row, .id = contact->id[row]};
    for (int k = 0; k < dim; k++)
        t.point[k] = contact->point[(size_t)dim * (size_t)row + (size_t)k];
    return t;
}

static int compare_twins(const void *left, const void *right)
{
    const twin *a = left, *b = right;
    int order = cd_spars_marks_compare(&a->marks, &b->marks);
    if (order)
        return order;
    if (a->kind != b->kind)
        return compare_numbers(a->kind, b->kind);
    for (int k = 0; k < 3; k++)
        if (a->point[k] != b->point[k])
            return a->point[k] < b->point[k] ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static bool is_canonical(int dim, const cd_contact_rows *contact, const int32_t *body_rank, const int32_t *row,
                         int32_t count)
{
    uint64_t a = 0, b = 0;
    for (int32_t i = 0; i < count; i++) {
        uint64_t next_a = side_key(contact->a + 2 * (size_t)row[i], body_rank);
        uint64_t next_b = side_key(contact->b + 2 * (size_t)row[i], body_rank);
        if (i > 0 && (next_a < a || (next_a == a && next_b < b)))
            return false;
        if (i > 0 && next_a == a && next_b == b) {
            twin last = twin_of(dim, contact, row[i - 1]), next = twin_of(dim, contact, row[i]);
            if (compare_twins(&last, &next) > 0)
                return false;
        }
        a = next_a;
        b = next_b;
    }
    return true;
}

static void sort_twins(cd_arena *arena, int dim, const cd_contact_rows *contact, int32_t *row, int32_t count)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    twin *twins = CD_ARENA_ARRAY(arena, twin, count);
    for (int32_t i = 0; i < count; i++)
        twins[i] = twin_of(dim, contact, row[i]);
    qsort(twins, (size_t)count, sizeof *twins, compare_twins);
    for (int32_t i = 0; i < count; i++)
        row[i] = twins[i].row;
    cd_arena_rewind(arena, mark);
}

void cd_spars_canonical(cd_arena *arena, int dim, const cd_contact_rows *contact, const int32_t *body_rank,
                        int32_t *row, int32_t count)
{
    if (is_canonical(dim, contact, body_rank, row, count))
        return;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_spars_keyed *keyed = CD_ARENA_ARRAY(arena, cd_spars_keyed, count);
    for (int32_t i = 0; i < count; i++)
        keyed[i] = (cd_spars_keyed){side_key(contact->b + 2 * (size_t)row[i], body_rank), row[i]};
    cd_spars_sort(arena, keyed, count);
    for (int32_t i = 0; i < count; i++)
        keyed[i].key = side_key(contact->a + 2 * (size_t)keyed[i].number, body_rank);
    cd_spars_sort(arena, keyed, count);
    for (int32_t i = 0; i < count; i++)
        row[i] = keyed[i].number;
    int32_t end;
    for (int32_t start = 0; start < count; start = end) {
        const int32_t *b = contact->b + 2 * (size_t)row[start];
        for (end = start + 1; end < count && keyed[end].key == keyed[start].key; end++) {
            const int32_t *other = contact->b + 2 * (size_t)row[end];
            if (other[0] != b[0] || other[1] != b[1])
                break;
        }
        if (end - start > 1)
            sort_twins(arena, dim, contact, row + start, end - start);
    }
    cd_arena_rewind(arena, mark);
}
