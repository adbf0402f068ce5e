// SPDX-License-Identifier: MIT
#include "cd_interactions.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const cd_interaction_key *a = left, *b = right;
    return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->high > b->high) - (a->high < b->high);
}

static cd_interaction_key key_of(int32_t a, int32_t b, int32_t row)
{
    return a < b ? (cd_interaction_key){a, b, row} : (cd_interaction_key){b, a, row};
}

cd_status cd_interactions_make(cd_arena *arena, const cd_model *in, cd_interactions *interactions, cd_diag *diag)
{
    const cd_interaction_rows *rows = &in->interaction;
    const int64_t *id = in->material.id;
    cd_interaction_key *key = CD_ARENA_ARRAY(arena, cd_interaction_key, rows->count);
    *interactions = (cd_interactions){.count = rows->count, .key = key};
    for (int32_t i = 0; i < rows->count; i++) {
        double restitution = cd_f64_or(rows->restitution, i, 0);
        if (restitution > 1)
            return cd_fail(diag, CD_ERR_FORMAT,
                           "interaction %" PRId64 "-%" PRId64 ": restitution: %g is above 1, it would make energy",
                           id[rows->a[i]], id[rows->b[i]], restitution);
        double rolling = cd_f64_or(rows->rolling, i, 0), spinning = cd_f64_or(rows->spinning, i, 0);
        if (in->dim == 2 && spinning > 0)
            return cd_fail(diag, CD_ERR_FORMAT,
                           "interaction %" PRId64 "-%" PRId64 ": spinning: in 2-D nothing turns about a normal",
                           id[rows->a[i]], id[rows->b[i]]);
        interactions->has_restitution |= restitution > 0;
        interactions->has_rolling |= rolling > 0 || spinning > 0;
        key[i] = key_of(rows->a[i], rows->b[i], i);
    }
    qsort(key, (size_t)rows->count, sizeof *key, compare);
    for (int32_t i = 1; i < rows->count; i++)
        if (!compare(&key[i - 1], &key[i]))
            return cd_fail(diag, CD_ERR_FORMAT,
                           "interaction %" PRId64 "-%" PRId64 ": b: this pair of materials is there twice",
                           id[key[i].low], id[key[i].high]);
    return CD_OK;
}

cd_contact_law cd_contact_law_of(const cd_interactions *interactions, const cd_model *in, int32_t a, int32_t b)
{
    cd_contact_law law = {.mu = NAN, .restitution_law = CD_RESTITUTION_NEWTON};
    const int32_t *material = in->body.material;
    if (!interactions->count || !material || material[a] < 0 || material[b] < 0)
        return law;
    cd_interaction_key wanted = key_of(material[a], material[b], 0);
    const cd_interaction_key *found =
        bsearch(&wanted, interactions->key, (size_t)interactions->count, sizeof wanted, compare);
    if (!found)
        return law;
    law.mu = cd_f64_or(in->interaction.mu, found->row, NAN);
    law.restitution = cd_f64_or(in->interaction.restitution, found->row, 0);
    law.restitution_law = cd_i32_or(in->interaction.law, found->row, CD_RESTITUTION_NEWTON);
    law.rolling = cd_f64_or(in->interaction.rolling, found->row, 0);
    law.spinning = cd_f64_or(in->interaction.spinning, found->row, 0);
    return law;
}

double cd_contact_mu(const cd_interactions *interactions, const cd_model *in, int32_t a, int32_t b)
{
    double mu = cd_contact_law_of(interactions, in, a, b).mu;
    double mu_a = cd_f64_or(in->body.mu, a, 0), mu_b = cd_f64_or(in->body.mu, b, 0);
    return !isnan(mu) ? mu : mu_a == mu_b ? mu_a : sqrt(mu_a * mu_b);
}
