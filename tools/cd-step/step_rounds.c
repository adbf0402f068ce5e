// SPDX-License-Identifier: MIT
#include "step_rounds.h"

#include "cd_length.h"
#include "step_impact.h"
#include "step_impulses.h"
#include "step_momentum.h"

#include <inttypes.h>

// [1] of the characteristic length
static const double settled = 1e-9;     // a round moves the end by less: the contacts of an impact are closed
static const double no_change = 1e-15;  // rounding: another round would give the same
static const double path_depth = 1e-4;  // a gap below its bound by this, on the way, is a corner cut

// [rad] Smaller: tumbling bodies are taken in parts without need. Larger: corners push that would not have met.
static const double turn_most = 1;

static const double energy_growth = 1.0001, energy_share = 2e-4, energy_abandon = 4;
static const double alpha_least = 1e-9;

typedef struct attempt {
    cd_arena *arena;
    cd_step_bodies *bodies;
    const cd_step_gaps *gaps;
    int round, rounds;  // of this attempt, from 0
    bool is_separating, is_start_facets, is_own;
    double length;  // [m]
    const cd_step_round *given;
    const int32_t *trial_row;  // of body rows
    cd_step_decision *decision;
    cd_step_trial *trial;
} attempt;

static attempt attempt_of(cd_arena *arena, const cd_step_round *round)
{
    const cd_model *in = round->bodies->in;
    attempt a = {.arena = arena, .bodies = round->bodies, .gaps = round->gaps, .rounds = round->rounds, .given = round};
    a.round = cd_i32_or(in->frame.round, 0, 0) - cd_i32_or(in->frame.first_round, 0, 0);
    a.is_own = !(in->frame.model && in->frame.model[0]);
    a.is_separating = !a.is_own;
    for (int32_t i = 0; i < in->contact.count; i++)
        a.is_separating |= in->contact.kind[i] == CD_CONTACT_SEPARATING;
    a.is_start_facets = cd_i32_or(in->frame.facets, 0, CD_ABSENT) == CD_FACETS_START;
    a.length = round->gaps->length;
    return a;
}

// ---- measures of a trial -------------------------------------------------------------------------------------------

static double speed_of(const cd_step_velocity *nu, int dim, double length)
{
    double sum = 0, turn = 0;
    for (int k = 0; k < dim; k++)
        sum += nu->at[k] * nu->at[k];
    for (int k = dim; k < CD_STEP_AXES; k++)
        turn += nu->at[k] * nu->at[k];
    return sqrt(sum) + (turn > 0 ? length * sqrt(turn) : 0);
}

static cd_step_velocity trial_velocity(const attempt *a, int32_t row)
{
    const cd_trial_rows *t = &a->bodies->in->trial;
    size_t i = (size_t)row;
    if (a->bodies->dim == 2)
        return (cd_step_velocity){{t->velocity[2 * i], t->velocity[2 * i + 1], t->spin[i]}};
    return (cd_step_velocity){{t->velocity[3 * i], t->velocity[3 * i + 1], t->velocity[3 * i + 2], t->spin[3 * i],
                               t->spin[3 * i + 1], t->spin[3 * i + 2]}};
}

static cd_status check_trial(const cd_model *in, const int32_t *row, cd_diag *diag)
{
    for (int32_t i = 0; i < in->trial.count; i++)
        if (row[in->trial.body[i]] != i)
            return cd_fail(diag, CD_ERR_FORMAT, "trial: body %" PRId64 " is there twice",
                           in->body.id[in->trial.body[i]]);
    return CD_OK;
}

// Velocities of the round before: of the trial, in the first round those of contact-free motion.
static const cd_step_velocity *velocities_before(const attempt *a, const int32_t *row)
{
    const cd_model *in = a->bodies->in;
    cd_step_velocity *before = CD_ARENA_ARRAY(a->arena, cd_step_velocity, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        before[i] = row[i] >= 0 ? trial_velocity(a, row[i]) : a->bodies->free[i];
    return before;
}

// How far the round moved the step's end [m]: an angle counts as the arc at the characteristic length.
static double change_of(const attempt *a, const cd_step_velocity *before)
{
    const cd_model *in = a->bodies->in;
    double most = 0;
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_step_is_dynamic(in, i))
            continue;
        cd_step_velocity d;
        for (int k = 0; k < CD_STEP_AXES; k++)
            d.at[k] = a->bodies->nu[i].at[k] - before[i].at[k];
        most = fmax(most, speed_of(&d, a->bodies->dim, a->length));
    }
    return most * a->bodies->step;
}

// [m] From the body's origin to the farthest of its points; infinite with a half-space.
static double extent_of(const cd_step_gaps *gaps, const cd_model *in, int32_t body)
{
    const cd_leaves *shapes = gaps->shapes;
    int32_t shape = in->body.shape[body];
    double most = 0;
    for (int32_t leaf = shapes->first[shape]; leaf < shapes->first[shape + 1]; leaf++)
        most = fmax(most, cd_leaves_extent(shapes, leaf));
    return most;
}

// The largest nu' M nu that is believed. A body whose points are prescribed to move at up to v can carry a mass along
// at v and throw it at 2 v: |nu|_M <= |nu_free|_M + 2 v sqrt(sum m). gaps NULL: bodies are as large as the length.
static double energy_limit(const cd_step_bodies *bodies, const cd_step_gaps *gaps, double length)
{
    const cd_model *in = bodies->in;
    double speed = cd_speed_of(in, length), mass = 0, pushed = 0;
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (cd_step_is_dynamic(in, i))
            mass += in->body.mass[i];
        else if (cd_body_is_active(in, i) && cd_body_motion(in, i) == CD_MOTION_PRESCRIBED)
            pushed = fmax(pushed, speed_of(&bodies->nu[i], in->dim, gaps ? extent_of(gaps, in, i) : length));
    }
    double reached = sqrt(cd_step_norm_sq(bodies, bodies->free)) + 2 * pushed * sqrt(mass);
    return energy_growth * reached * reached + energy_share * mass * speed * speed;
}

double cd_step_round_energy_limit(const cd_step_round *round)
{
    return energy_limit(round->bodies, round->gaps, round->gaps->length);
}

double cd_step_energy_limit(const cd_step_bodies *bodies)
{
    return energy_limit(bodies, NULL, cd_f64_or(bodies->in->head.length, 0, 1));
}

// ---- ways on -------------------------------------------------------------------------------------------------------

static void begin_again(const attempt *a, const char *contacts, const char *model, int32_t facets, const char *reason)
{
    *a->decision = (cd_step_decision){.step = NAN,
                                      .begins_attempt = true,
                                      .contacts = contacts,
                                      .model = model,
                                      .facets = facets,
                                      .target = CD_TARGET_FREE,
                                      .reason = reason};
}

static void halve(const attempt *a, const char *reason)
{
    begin_again(a, "", "", CD_FACETS_PREDICTED, cd_arena_printf(a->arena, "%s: step halved", reason));
    a->decision->step = a->bodies->step / 2;
}

// Ends the step after a share of it, where the way is not clear. Each further cut of a part takes half of it at least.
static void cut(const attempt *a, double share, const char *reason)
{
    begin_again(a, "", "", CD_FACETS_PREDICTED, cd_arena_printf(a->arena, "%s: step cut to %g of it", reason, share));
    a->decision->step = a->bodies->step * share;
}

static cd_step_path path_of(const attempt *a)
{
    cd_step_path path = cd_step_path_make(a->gaps, path_depth * a->length);
    a->trial->path_poses += path.poses;
    a->trial->path_most = path.most > a->trial->path_most ? path.most : a->trial->path_most;
    return path;
}

static bool is_tolerable(const attempt *a)
{
    return cd_step_gap_at_end(a->gaps, false) >= 0 &&
           cd_step_norm_sq(a->bodies, a->bodies->nu) <= cd_step_round_energy_limit(a->given) && path_of(a).is_clear;
}

static void scale_back(const attempt *a, const char *reason)
{
    const cd_model *in = a->bodies->in;
    double alpha = 1;
    while (alpha > 0 && !is_tolerable(a)) {
        double factor = alpha > alpha_least ? 0.5 : 0;
        alpha *= factor;
        for (int32_t i = 0; i < in->body.count; i++)
            for (int k = 0; k < CD_STEP_AXES && cd_step_is_dynamic(in, i); k++)
                a->bodies->nu[i].at[k] *= factor;
        cd_step_scale_impulses(a->bodies, factor);
    }
    *a->decision = cd_step_accepted();
    a->decision->reason = cd_arena_printf(a->arena, "%s: motion scaled by %g", reason, alpha);
    a->trial->alpha = alpha;
    a->trial->is_last_resort = true;
    a->trial->cut_a_corner = alpha == 0 && !path_of(a).is_clear;
}

// Halving goes on beyond its levels in parts that were cut, and where bodies still move or turn by more than their
// size: linearised contacts say nothing of that.
static bool may_halve(const attempt *a)
{
    const cd_model *in = a->bodies->in;
    if (cd_step_can_halve(in) || !cd_step_can_cut(in, 0.5))
        return cd_step_can_halve(in);
    bool is_coarse = cd_step_level(in) > CD_STEP_LEVELS;
    for (int32_t i = 0; i < in->body.count && !is_coarse; i++)
        is_coarse = cd_step_is_dynamic(in, i) &&
                    speed_of(&a->bodies->free[i], a->bodies->dim, a->length) * a->bodies->step > a->length;
    return is_coarse;
}

static void give_up(const attempt *a, const char *reason)
{
    if (!a->is_separating)
        begin_again(a, "separating", "separating", CD_FACETS_PREDICTED,
                    cd_arena_printf(a->arena, "%s: separating facets instead", reason));
    else if (!a->is_start_facets)
        begin_again(a, NULL, NULL, CD_FACETS_START,
                    cd_arena_printf(a->arena, "%s: facets of the start instead", reason));
    else if (may_halve(a))
        halve(a, reason);
    else
        scale_back(a, reason);
}

// The end is good: is the way there?
static void accept_sound(const attempt *a, double energy, double limit)
{
    if (!(energy <= limit)) {
        give_up(a, cd_arena_printf(a->arena, "energy %g J above %g J", energy / 2, limit / 2));
        return;
    }
    cd_step_path path = path_of(a);
    if (path.is_clear) {
        *a->decision = cd_step_accepted();
        const bool *is_closed = cd_step_impact_begins(a->given, a->trial_row);
        if (is_closed)
            cd_step_begin_impact(a->arena, a->given, is_closed, a->decision);
        return;
    }
    const cd_model *in = a->bodies->in;
    const char *reason = cd_arena_printf(a->arena, "a gap of %g m on the way", path.gap);
    double share = cd_f64_or(in->frame.rest, 0, 0) > 0 ? fmin(path.share, 0.5) : path.share;
    // Half a step serves all contacts of a pile at once; a bullet would need 20 halvings.
    if (path.rate < a->length && cd_step_can_halve(in))
        halve(a, reason);
    else if (cd_step_can_cut(in, share))
        cut(a, share, reason);
    else
        give_up(a, reason);
}

static void next_round(const attempt *a, int32_t target)
{
    *a->decision = (cd_step_decision){.has_next = true, .step = NAN, .facets = CD_ABSENT, .target = target};
}

static bool begins_impact(const attempt *a) { return cd_step_impact_begins(a->given, a->trial_row) != NULL; }

static double turn_of(const attempt *a, int32_t body)
{
    double spin_sq[2] = {0, 0};
    for (int k = a->bodies->dim; k < a->bodies->axes; k++) {
        spin_sq[0] += a->bodies->nu[body].at[k] * a->bodies->nu[body].at[k];
        spin_sq[1] += a->bodies->free[body].at[k] * a->bodies->free[body].at[k];
    }
    return a->bodies->step * sqrt(fmax(spin_sq[0], spin_sq[1]));
}

// Do two bodies push each other with faces and edges that turn by more than `turn_most` in the step? Where they would
// meet is then no matter of their gaps at the start.
static bool turns_too_far(const attempt *a)
{
    const cd_model *in = a->bodies->in;
    for (int32_t i = 0; i < in->value.count; i++) {
        int32_t row = in->value.row[i], contact = in->row.contact ? in->row.contact[row] : -1;
        if (!(in->value.z[i] > 0) || in->row.role[row] != CD_ROLE_IMPULSE || contact < 0 ||
            in->contact.kind[contact] != CD_CONTACT_SEPARATING)
            continue;
        if (turn_of(a, in->contact.a[2 * contact]) + turn_of(a, in->contact.b[2 * contact]) > turn_most)
            return true;
    }
    return false;
}

static void judge_trial(const attempt *a, const cd_step_velocity *before)
{
    double energy = cd_step_norm_sq(a->bodies, a->bodies->nu), limit = cd_step_round_energy_limit(a->given);
    if (!(energy <= energy_abandon * limit)) {
        give_up(a, cd_arena_printf(a->arena, "energy %g J far above %g J", energy / 2, limit / 2));
        return;
    }
    if (turns_too_far(a) && may_halve(a)) {
        halve(a, "bodies in contact turn by more than a radian");
        return;
    }
    bool is_strict = a->is_separating && !a->is_start_facets;
    double least = cd_step_gap_at_end(a->gaps, is_strict), change = change_of(a, before) / a->length;
    bool is_last = a->round + 1 >= a->rounds;
    bool is_plain = a->round + 1 < (a->rounds + 1) / 2 && change >= settled && begins_impact(a);
    if (is_plain)
        next_round(a, CD_TARGET_FREE);
    else if (least >= 0)
        accept_sound(a, energy, limit);
    else if (is_last || (a->round > 0 && change < no_change))
        give_up(a, cd_arena_printf(a->arena, "a gap of %g m after %d rounds", least, a->round + 1));
    else
        next_round(a, CD_TARGET_TRIAL);
}

cd_status cd_step_judge(cd_arena *arena, const cd_step_round *round, cd_step_decision *decision, cd_step_trial *trial,
                        cd_diag *diag)
{
    cd_step_bodies *bodies = round->bodies;
    attempt a = attempt_of(arena, round);
    a.decision = decision;
    a.trial = trial;
    *trial = (cd_step_trial){.alpha = 1, .is_fallback = !a.is_own || a.is_start_facets};
    if (a.round < 0)
        return cd_fail(diag, CD_ERR_FORMAT, "frame: first_round: %d is after round %d",
                       cd_i32_or(bodies->in->frame.first_round, 0, 0), cd_i32_or(bodies->in->frame.round, 0, 0));
    CD_TRY(cd_step_gaps_check(round->gaps, diag));
    const int32_t *trial_row = a.trial_row = cd_body_trial_rows(arena, bodies->in);
    CD_TRY(check_trial(bodies->in, trial_row, diag));
    if (cd_i32_or(bodies->in->frame.impact, 0, CD_IMPACT_NONE) != CD_IMPACT_NONE)
        return cd_step_judge_impact(arena, round, trial_row, decision, trial, diag);
    const cd_step_velocity *before = velocities_before(&a, trial_row);
    if (round->outcome->is_usable) {
        CD_TRY(cd_step_take_values(arena, bodies, diag));
        cd_step_carry_moments(arena, bodies, trial_row);
        judge_trial(&a, before);
        return CD_OK;
    }
    for (int32_t i = 0; i < bodies->in->body.count; i++)
        bodies->nu[i] = before[i];
    cd_step_carry_impulses(arena, bodies);
    give_up(&a, cd_arena_printf(arena, "unsolved (%s)", round->outcome->status));
    return CD_OK;
}
