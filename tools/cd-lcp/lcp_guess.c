// SPDX-License-Identifier: MIT
#include "lcp_guess.h"

#include <math.h>

// A step like those of FNV-1a, of 64 bits at once: times 2^64 over the golden ratio, and the upper half brought down.
static uint64_t mixed(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

// Of bodies, parts and vertices; and of the face as well, since two rows of a pair may have the same two vertices.
static cd_guess_key key_of(const cd_model *in, const cd_refs *refs, int32_t i)
{
    const cd_contact_rows *contact = &in->contact;
    const int32_t c = in->row.contact && in->row.role[i] == CD_ROLE_IMPULSE ? in->row.contact[i] : -1;
    if (c < 0 || c >= contact->count)
        return (cd_guess_key){{0}};
    uint64_t key = mixed(1, cd_refs_id(refs, CD_REC_body, contact->a[2 * c]));
    key = mixed(key, cd_refs_id(refs, CD_REC_body, contact->b[2 * c]));
    key = mixed(key, contact->a[2 * c + 1]);
    key = mixed(key, contact->b[2 * c + 1]);
    if (contact->features) {
        key = mixed(key, contact->features[2 * c]);
        key = mixed(key, contact->features[2 * c + 1]);
    }
    uint64_t fine = key;
    if (contact->facet) {
        fine = mixed(fine, contact->facet[2 * c]);
        fine = mixed(fine, contact->facet[2 * c + 1]);
    }
    if (contact->side)
        fine = mixed(fine, contact->side[c]);
    return (cd_guess_key){{fine | 1, key | 1}};
}

static bool has_guess(const cd_model *in)
{
    bool has_friction = false;
    for (int32_t i = 0; i < in->row.count && in->row.normal_row && !has_friction; i++)
        has_friction = in->row.normal_row[i] != CD_ABSENT;
    return in->row.count > CD_GUESS_ROWS && in->contact.count > 0 && !has_friction;
}

// The slot of a key, or the free one where it would be. Slots hold rows + 1.
static uint64_t find_slot(const cd_guess_round *before, int kind, uint64_t key, const int32_t *slot, uint64_t size)
{
    uint64_t at = key >> 8 & (size - 1);
    while (slot[at] > 0 && before->key[slot[at] - 1].of[kind] != key)
        at = (at + 1) & (size - 1);
    return at;
}

// Rows that other problems had: the last with the same key counts. What is not found with its face may have another one
// by now.
static void look_up(const cd_guess_round *before, const cd_guess_key *key, int32_t count, double *z, cd_arena *arena)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    uint64_t size = 16;
    while (size < 2 * (uint64_t)before->count)
        size *= 2;
    for (int32_t i = 0; i < count; i++)
        z[i] = NAN;
    for (int kind = 0; kind < CD_GUESS_KEYS; kind++) {
        int32_t *slot = CD_ARENA_ZARRAY(arena, int32_t, size);
        for (int32_t i = 0; i < before->count; i++) {
            if (before->key[i].of[kind])
                slot[find_slot(before, kind, before->key[i].of[kind], slot, size)] = i + 1;
        }
        for (int32_t i = 0; i < count; i++) {
            if (!isnan(z[i]) || !key[i].of[kind])
                continue;
            const int32_t found = slot[find_slot(before, kind, key[i].of[kind], slot, size)];
            z[i] = found > 0 ? before->z[found - 1] : NAN;
        }
    }
    cd_arena_rewind(arena, mark);
}

double *cd_guess_start(cd_guess *guess, const cd_model *in, const cd_refs *refs, cd_arena *arena)
{
    guess->key = NULL;
    if (!has_guess(in))
        return NULL;
    const int32_t n = in->row.count, round = in->frame.count > 0 && in->frame.round ? in->frame.round[0] : 0;
    const int32_t at = round < 0 ? 0 : round < CD_GUESS_ROUNDS ? round : CD_GUESS_ROUNDS - 1;
    // A round that no step before had begins with what the last problem had.
    const cd_guess_round *before = guess->round[at].count > 0 || !guess->now ? &guess->round[at] : guess->now;
    guess->now = &guess->round[at];
    guess->count = n;
    guess->key = CD_ARENA_ARRAY(arena, cd_guess_key, n);
    for (int32_t i = 0; i < n; i++)
        guess->key[i] = key_of(in, refs, i);
    if (before->count == 0)
        return NULL;
    double *z = CD_ARENA_ARRAY(arena, double, n);
    if (before->count == n && memcmp(before->key, guess->key, sizeof *guess->key * (size_t)n) == 0) {
        for (int32_t i = 0; i < n; i++)
            z[i] = guess->key[i].of[0] ? before->z[i] : NAN;
    } else {
        look_up(before, guess->key, n, z, arena);
    }
    return z;
}

void cd_guess_keep(cd_guess *guess, const double *z, cd_arena *run)
{
    cd_guess_round *now = guess->now;
    if (!guess->key)
        return;
    if (guess->count > now->capacity) {
        now->capacity += guess->count;
        now->key = CD_ARENA_ARRAY(run, cd_guess_key, now->capacity);
        now->z = CD_ARENA_ARRAY(run, double, now->capacity);
    }
    now->count = guess->count;
    memcpy(now->key, guess->key, sizeof *now->key * (size_t)guess->count);
    for (int32_t i = 0; i < guess->count; i++)
        now->z[i] = z[i];
}
