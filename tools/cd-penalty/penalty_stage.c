// SPDX-License-Identifier: MIT
#include "penalty_stage.h"

#include "cd_contact_limits.h"
#include "penalty_law.h"
#include "penalty_moduli.h"
#include "penalty_sides.h"
#include "penalty_stable.h"

#include <inttypes.h>

const char *const cd_penalty_unstable_words[] = {"warn", "stop", NULL};

cd_status cd_penalty_stage_open(const cd_penalty_options *options, cd_penalty_stage *stage, cd_diag *diag)
{
    *stage = (cd_penalty_stage){.options = options};
    if (!isnan(options->stiffness) && !isnan(options->beta))
        return cd_fail(diag, CD_ERR_USAGE, "--stiffness and --beta: the one is a number, the other by moduli");
    if (!isnan(options->damping) && !isnan(options->damping_ratio))
        return cd_fail(diag, CD_ERR_USAGE, "--damping and --damping-ratio: one of them");
    return CD_OK;
}

cd_status cd_penalty_stage_head(cd_penalty_stage *stage, cd_arena *run, const cd_model *in, const cd_refs *refs,
                                cd_diag *diag)
{
    CD_TRY(cd_leaves_make(run, in, refs, &stage->shapes, diag));
    return cd_interactions_make(run, in, &stage->interactions, diag);
}

// ---- what contacts are taken ---------------------------------------------------------------------------------------

static cd_status check_kind(const cd_model *in, int32_t row, cd_diag *diag)
{
    const char *word = cd_words_CONTACT[in->contact.kind[row]];
    switch (in->contact.kind[row]) {
    case CD_CONTACT_ANALYTIC:
    case CD_CONTACT_DEPTH:
    case CD_CONTACT_VOLUME:
    case CD_CONTACT_PINBALL:
        return CD_OK;
    case CD_CONTACT_DISTANCE:
        if (in->contact.gap[row] > 0)
            return CD_OK;
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64
                       ": kind: %s has no depth where parts overlap: cd-narrow --contacts depth finds it",
                       in->contact.id[row], word);
    default:
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64 ": kind: %s has no signed distance: cd-narrow --contacts depth finds it",
                       in->contact.id[row], word);
    }
}

// ---- a contact -----------------------------------------------------------------------------------------------------

typedef struct frame_work {
    const cd_model *in;
    const cd_penalty_stage *stage;
    cd_penalty_sums *sums;  // by body row
} frame_work;

// The mass [kg] that a force along the normal moves; infinite where nothing is moved.
static double effective_mass(const cd_penalty_side side[2], cd_vec3 normal)
{
    double mobility = 0;
    for (int s = 0; s < 2; s++)
        mobility += cd_dot3(normal, cd_mat3_apply(&side[s].mobility, normal));
    return 1 / mobility;
}

static cd_status take_contact(const frame_work *work, int32_t row, cd_penalty_side side[2], cd_penalty_contact *contact,
                              cd_diag *diag)
{
    const cd_model *in = work->in;
    const cd_penalty_options *options = work->stage->options;
    const int32_t body[2] = {in->contact.a[2 * (size_t)row], in->contact.b[2 * (size_t)row]};
    cd_vec3 point = cd_penalty_vector(in->contact.point, in->dim, row);
    for (int s = 0; s < 2; s++)
        side[s] = cd_penalty_side_of_body(in, body[s], point);
    *contact = (cd_penalty_contact){.gap = in->contact.gap[row],
                                    .normal = cd_penalty_vector(in->contact.normal, in->dim, row),
                                    .velocity = cd_sub3(side[1].velocity, side[0].velocity),
                                    .stiffness = options->stiffness,
                                    .mu = cd_contact_mu(&work->stage->interactions, in, body[0], body[1]),
                                    .is_gated = options->is_gated};
    if (isnan(options->stiffness)) {
        double beta = isnan(options->beta) ? 1 : options->beta;
        CD_TRY(cd_penalty_stiffness(in, &work->stage->shapes, row, beta, &contact->stiffness, diag));
    }
    double root = sqrt(contact->stiffness * effective_mass(side, contact->normal));
    contact->damping = !isnan(options->damping)         ? options->damping
                       : !isnan(options->damping_ratio) ? 2 * options->damping_ratio * root
                                                        : 0;
    contact->tangential = isnan(options->tangential) ? root : options->tangential;
    return CD_OK;
}

// What the contact adds to the sums of penalty_stable.h.
static void add_sums(const frame_work *work, int32_t row, const cd_penalty_side side[2],
                     const cd_penalty_contact *contact)
{
    const cd_model *in = work->in;
    const int32_t body[2] = {in->contact.a[2 * (size_t)row], in->contact.b[2 * (size_t)row]};
    double factor = side[0].is_moved && side[1].is_moved ? 2 : 1;
    double across = contact->mu > 0 ? contact->tangential : 0;
    for (int s = 0; s < 2; s++) {
        if (!side[s].is_moved)
            continue;
        double along = cd_dot3(contact->normal, cd_mat3_apply(&side[s].mobility, contact->normal));
        work->sums[body[s]].stiffness += factor * contact->stiffness * along;
        if (contact->damping > 0 || across > 0)
            work->sums[body[s]].damping +=
                factor * cd_penalty_damping_rate(&side[s], contact->normal, contact->damping, across);
    }
}

// ---- the frame -----------------------------------------------------------------------------------------------------

// The body that bounds the step most; of equals that of the least id.
static void find_stable_step(const frame_work *work, cd_penalty_totals *totals)
{
    const int64_t *id = work->in->body.id;
    for (int32_t i = 0; i < work->in->body.count; i++) {
        double step = cd_penalty_stable_step(work->sums[i]);
        if (!isfinite(step) || step > totals->stable_step ||
            (step == totals->stable_step && totals->body >= 0 && id[totals->body] < id[i]))
            continue;
        totals->stable_step = step;
        totals->body = i;
    }
}

// The force of a contact whose parts overlap, one of which at least is moved.
static cd_status push(const frame_work *work, int32_t row, cd_penalty_totals *totals, cd_vec3 *vector, cd_diag *diag)
{
    const cd_model *in = work->in;
    cd_penalty_side side[2];
    cd_penalty_contact contact;
    CD_TRY(take_contact(work, row, side, &contact, diag));
    cd_penalty_force force = cd_penalty_force_of(&contact);
    if (!isfinite(cd_length3(force.vector)))
        return cd_fail(diag, CD_ERR_NUMERIC, "contact %" PRId64 ": its force is not finite", in->contact.id[row]);
    add_sums(work, row, side, &contact);
    totals->penetration = fmax(totals->penetration, -contact.gap);
    totals->energy += force.energy;
    totals->loss += force.loss;
    *vector = force.vector;
    return CD_OK;
}

cd_status cd_penalty_frame(cd_arena *arena, const cd_penalty_stage *stage, const cd_model *in, cd_force_rows *force,
                           cd_penalty_totals *totals, cd_diag *diag)
{
    frame_work work = {in, stage, CD_ARENA_ZARRAY(arena, cd_penalty_sums, in->body.count)};
    *totals = (cd_penalty_totals){.stable_step = INFINITY, .body = -1};
    CD_TRY(cd_bodies_check(in, false, diag));
    force->count = in->contact.count;
    int32_t *contact = CD_COLUMN(arena, in->dim, force, force, contact);
    double *vector = CD_COLUMN(arena, in->dim, force, force, vector);
    force->count = 0;
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * (size_t)i], b = in->contact.b[2 * (size_t)i];
        if (!cd_contact_takes_part(cd_i32_or(in->contact.status, i, CD_STATUS_CANDIDATE)))
            continue;
        CD_TRY(check_kind(in, i, diag));
        if (!(in->contact.gap[i] < 0) || (!cd_body_is_moved(in, a) && !cd_body_is_moved(in, b)))
            continue;
        cd_vec3 f = {0, 0, 0};
        CD_TRY(push(&work, i, totals, &f, diag));
        if (!(cd_length3(f) > 0))
            continue;
        contact[force->count] = i;
        memcpy(vector + (size_t)in->dim * (size_t)force->count++, (double[]){f.x, f.y, f.z},
               (size_t)in->dim * sizeof *vector);
    }
    totals->contacts = force->count;
    find_stable_step(&work, totals);
    return CD_OK;
}
