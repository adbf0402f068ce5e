// SPDX-License-Identifier: MIT
#include "step_rounds.h"

#include "cd_contact_limits.h"
#include "cd_contact_model.h"
#include "step_bounce.h"
#include "step_energy_limit.h"
#include "step_impact.h"
#include "step_impulses.h"
#include "step_islands.h"
#include "step_momentum.h"
#include "step_rest.h"

#include <inttypes.h>

// [1] of the characteristic length
static const double settled = 1e-9;     // a round moves the end by less: the contacts of an impact are closed
static const double no_change = 1e-15;  // rounding: another round would give the same
static const double nearly = 1e-3;      // a round moves the end by less: the ones after it are worth twice as many

// Larger share: corners are cut that would have been met. Smaller: piles that land are taken in parts without need (30
// polygons, 10 ms: with 1e-4 L three times as many parts and rounds). least, facets [1] of the characteristic length.
// Larger facets: what passes through another face to face, tilted by less, is not seen. Smaller: the corner of a card
// that turns while it leans on another has cut it on the way (27 cards in a heap, 5 ms: with 1e-5 half as many parts
// again, and twice the rounds).
static const double path_share = 0.1, path_least = 1e-5, path_facets = 1e-4;

// [rad] Smaller: tumbling bodies are taken in parts without need. Larger: corners push that would not have met.
static const double turn_most = 1;

// [1] of cd_step_end_gaps.depth. An ellipsoid that deep in something is to turn by more than linearised gaps can say:
// rounds mend it slowly or not at all. Smaller: parts that three or four rounds would have mended.
static const double deep_most = 0.45;

static const double energy_abandon = 4;  // [1] of its limit: a round above is not followed further
static const double alpha_least = 1e-9;

typedef struct attempt {
    cd_arena *arena;
    cd_step_bodies *bodies;
    const cd_step_gaps *gaps;
    int round, rounds;  // of this attempt, from 0
    bool is_separating, is_start_facets, is_turned, is_own;
    bool has_choice;  // separators of the start may be other ones, or the gaps that are asked for have no solution
    double length;    // [m]
    const cd_step_round *given;
    const int32_t *trial_row;  // of body rows
    cd_step_islands islands;
    cd_step_resting resting;
    const double *limit;  // [J] by root: of step_energy_limit.h
    cd_step_bounce bounce;
    cd_step_decision *decision;
    cd_step_trial *trial;
} attempt;

// Are the contacts those of the model of separators already? Curved bodies have no kind of their own in it.
static bool has_separators(const cd_model *in)
{
    const char *run = in->head.model ? in->head.model[0] : CD_CONTACT_MODEL_DEFAULT;
    const cd_contact_model *model = cd_contact_model_find(run);
    bool is_one = model && model->wants == CD_CONTACT_WANT_SEPARATORS && in->contact.count > 0;
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (in->contact.kind[i] == CD_CONTACT_SEPARATING)
            return true;
        is_one &= !cd_contact_is_unwanted((cd_contact_kind)in->contact.kind[i], CD_CONTACT_WANT_SEPARATORS);
    }
    return is_one;
}

static attempt attempt_of(cd_arena *arena, const cd_step_round *round)
{
    const cd_model *in = round->bodies->in;
    attempt a = {.arena = arena, .bodies = round->bodies, .gaps = round->gaps, .rounds = round->rounds, .given = round};
    a.round = cd_i32_or(in->frame.round, 0, 0) - cd_i32_or(in->frame.first_round, 0, 0);
    a.is_own = !(in->frame.model && in->frame.model[0]);
    a.is_separating = !a.is_own || has_separators(in);
    a.has_choice = !round->outcome->is_usable;
    for (int32_t i = 0; i < in->contact.count; i++)
        a.has_choice |= in->contact.kind[i] == CD_CONTACT_SEPARATING;
    a.is_start_facets = cd_i32_or(in->frame.facets, 0, CD_ABSENT) == CD_FACETS_START;
    a.is_turned = cd_i32_or(in->frame.facets, 0, CD_ABSENT) == CD_FACETS_TURNED;
    a.length = round->gaps->length;
    return a;
}

// ---- measures of a trial -------------------------------------------------------------------------------------------

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

// How far the round moved the step's end [m], by root: an angle counts as the arc at the characteristic length.
static double *changes_of(const attempt *a, const cd_step_velocity *before)
{
    const cd_model *in = a->bodies->in;
    double *most = CD_ARENA_ZARRAY(a->arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!cd_body_is_moved(in, i))
            continue;
        int32_t root = a->islands.root[i];
        cd_step_velocity d;
        for (int k = 0; k < CD_STEP_AXES; k++)
            d.at[k] = a->bodies->nu[i].at[k] - before[i].at[k];
        most[root] = fmax(most[root], a->bodies->step * cd_step_speed(&d, a->bodies->dim, a->length));
    }
    return most;
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

// Settled islands stay what they are: the next attempt is for the others alone.
static void keep_settled(const attempt *a)
{
    const cd_model *in = a->bodies->in;
    if (!cd_step_islands_have(&a->islands, CD_STATE_SETTLED))
        return;
    bool *has_row = CD_ARENA_ARRAY(a->arena, bool, in->body.count);
    double *share = CD_ARENA_ARRAY(a->arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        has_row[i] = cd_step_island_state(&a->islands, i) == CD_STATE_SETTLED;
        share[i] = has_row[i];
    }
    cd_step_scale_impulses(a->bodies, share);
    a->decision->has_next = true;
    a->decision->has_row = has_row;
    a->decision->state = cd_step_islands_states(a->arena, &a->islands);
}

static void halve(const attempt *a, const char *reason)
{
    begin_again(a, "", "", a->is_turned ? CD_FACETS_TURNED : CD_FACETS_PREDICTED,
                cd_arena_printf(a->arena, "%s: step halved", reason));
    a->decision->step = a->bodies->step / 2;
}

// Ends the step after a share of it, where the way is not clear. Each further cut of a part takes half of it at least.
static void cut(const attempt *a, double share, const char *reason)
{
    begin_again(a, "", "", CD_FACETS_PREDICTED, cd_arena_printf(a->arena, "%s: step cut to %g of it", reason, share));
    a->decision->step = a->bodies->step * share;
}

static cd_step_path path_of(const attempt *a, const cd_step_meeting *meeting)
{
    cd_step_path_depth depth = {path_share, path_least * a->length, path_facets * a->length};
    cd_step_path path = cd_step_path_make(a->gaps, meeting, depth);
    a->trial->path_poses += path.poses;
    a->trial->path_most = path.most > a->trial->path_most ? path.most : a->trial->path_most;
    return path;
}

// Marks, by root, islands of which a pair ends too near, the energy grows, or else the way is not clear. False: none.
static bool look_for_bad(const attempt *a, bool *is_bad, int32_t pair[2])
{
    const cd_model *in = a->bodies->in;
    const double *energy = cd_step_islands_norm_sq(a->arena, a->bodies, &a->islands, a->bodies->nu);
    cd_step_meeting meeting = cd_step_meet(a->gaps);
    cd_step_end_gaps end = cd_step_gaps_at_end(a->gaps, &meeting, NULL, false);
    bool has_bad = false;
    memset(is_bad, 0, (size_t)in->body.count * sizeof *is_bad);
    memcpy(pair, end.body, sizeof end.body);
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t root = a->islands.root[i];
        if (!(end.of_body[i] >= 0 && energy[root] <= a->limit[root]))
            is_bad[root] = has_bad = true;
        if (end.least >= 0 && !(energy[root] <= a->limit[root]))
            pair[0] = root;
    }
    if (has_bad)
        return true;
    cd_step_path path = path_of(a, &meeting);
    memcpy(pair, path.body, sizeof path.body);
    for (int32_t i = 0; i < in->body.count; i++)
        is_bad[a->islands.root[i]] |= path.is_cut[i];
    return !path.is_clear;
}

static bool find_bad(const attempt *a, bool *is_bad, int32_t pair[2])
{
    cd_arena_mark mark = cd_arena_get_mark(a->arena);
    bool has_bad = look_for_bad(a, is_bad, pair);
    cd_arena_rewind(a->arena, mark);
    return has_bad;
}

static bool is_way_clear(const attempt *a)
{
    cd_step_meeting meeting = cd_step_meet(a->gaps);
    return path_of(a, &meeting).is_clear;
}

// Halves what is left of the motion of these islands, by body row. False: all of it has gone.
static bool scale_islands(const attempt *a, const bool *is_bad, double *alpha)
{
    const cd_model *in = a->bodies->in;
    double *factor = CD_ARENA_ARRAY(a->arena, double, in->body.count);
    bool has_changed = false;
    for (int32_t i = 0; i < in->body.count; i++) {
        factor[i] = 1;
        if (!cd_body_is_moved(in, i) || !is_bad[a->islands.root[i]] || alpha[i] == 0)
            continue;
        factor[i] = alpha[i] > alpha_least ? 0.5 : 0;
        alpha[i] *= factor[i];
        has_changed = true;
        for (int k = 0; k < CD_STEP_AXES; k++)
            a->bodies->nu[i].at[k] *= factor[i];
    }
    cd_step_scale_impulses(a->bodies, factor);
    return has_changed;
}

// The last way on: of islands that are not well the motion is scaled, and of what these then meet, until all is well
// or they stand.
static void scale_back(const attempt *a, const char *reason)
{
    const cd_model *in = a->bodies->in;
    double *alpha = CD_ARENA_ARRAY(a->arena, double, in->body.count);
    bool *is_bad = CD_ARENA_ARRAY(a->arena, bool, in->body.count);
    int32_t pair[2];
    for (int32_t i = 0; i < in->body.count; i++)
        alpha[i] = 1;
    bool has_bad = find_bad(a, is_bad, a->trial->pair);
    while (has_bad && scale_islands(a, is_bad, alpha))
        has_bad = find_bad(a, is_bad, pair);
    cd_step_trial *trial = a->trial;
    trial->is_last_resort = true;
    trial->cut_a_corner = has_bad && !is_way_clear(a);
    for (int32_t i = 0; i < in->body.count; i++) {
        trial->alpha = fmin(trial->alpha, alpha[i]);
        trial->scaled += alpha[i] < 1;
    }
    *a->decision = cd_step_accepted();
    const char *what = trial->scaled == 0
                           ? "taken all the same, nothing overlaps"
                           : cd_arena_printf(a->arena, "motion scaled by %g, bodies: %d", trial->alpha, trial->scaled);
    a->decision->reason = cd_arena_printf(a->arena, "%s: %s", reason, what);
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
        is_coarse = cd_body_is_moved(in, i) &&
                    cd_step_speed(&a->bodies->free[i], a->bodies->dim, a->length) * a->bodies->step > a->length;
    return is_coarse;
}

// What failed begins again in the next way; a shorter step is one for all.
static void give_up(const attempt *a, const char *reason)
{
    if (!a->is_separating) {
        begin_again(a, "separating", "separating", CD_FACETS_PREDICTED,
                    cd_arena_printf(a->arena, "%s: separating facets instead", reason));
        keep_settled(a);
    } else if (!a->is_start_facets && (a->has_choice || !may_halve(a))) {
        begin_again(a, NULL, NULL, CD_FACETS_START,
                    cd_arena_printf(a->arena, "%s: facets of the start instead", reason));
        keep_settled(a);
    } else if (may_halve(a)) {
        halve(a, reason);
    } else {
        scale_back(a, reason);
    }
}

// The end is good: is the way there?
static void accept_sound(const attempt *a, const cd_step_meeting *meeting)
{
    cd_step_path path = path_of(a, meeting);
    if (path.is_clear) {
        *a->decision = cd_step_accepted();
        bool *bounces = CD_ARENA_ZARRAY(a->arena, bool, a->bodies->in->body.count);
        const bool *is_closed = cd_step_impact_begins(a->given, a->trial_row, a->bounce.meets, bounces);
        if (is_closed)
            cd_step_begin_impact(a->arena, a->given, a->trial_row, is_closed, a->decision);
        else
            cd_step_keep_moments(a->arena, a->bodies, a->gaps->shapes);
        return;
    }
    const cd_model *in = a->bodies->in;
    const char *reason = cd_arena_printf(a->arena, "a gap of %g m on the way", path.gap);
    double share = cd_f64_or(in->frame.rest, 0, 0) > 0 ? fmin(path.share, 0.5) : path.share;
    for (int32_t i = 0; i < in->body.count; i++)
        if (path.is_cut[i] && cd_body_is_moved(in, i))
            a->islands.state[a->islands.root[i]] = CD_STATE_FAILED;
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
    if (cd_step_islands_have(&a->islands, CD_STATE_SETTLED) || cd_step_islands_have(&a->islands, CD_STATE_FAILED))
        a->decision->state = cd_step_islands_states(a->arena, &a->islands);
}

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
        int32_t body_a = in->contact.a[2 * contact], body_b = in->contact.b[2 * contact];
        if (cd_step_island_state(&a->islands, cd_body_is_moved(in, body_b) ? body_b : body_a) == CD_STATE_FAILED)
            continue;
        if (turn_of(a, body_a) + turn_of(a, body_b) > turn_most)
            return true;
    }
    return false;
}

static bool is_wild(const attempt *a, const double *energy, int32_t root)
{
    return !(energy[root] <= energy_abandon * a->limit[root]);
}

// Open islands whose energy is out of all measure have failed: they go no further. NULL: there is none.
static const char *fail_wild(const attempt *a, const double *energy, const cd_step_velocity *before)
{
    const cd_model *in = a->bodies->in;
    const char *reason = NULL;
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = a->bodies->by_id[rank], root = a->islands.root[i];
        if (!cd_body_is_moved(in, i) || !is_wild(a, energy, root))
            continue;
        if (!reason)
            reason = cd_arena_printf(a->arena, "energy %g J far above %g J", energy[root] / 2, a->limit[root] / 2);
        a->islands.state[root] = CD_STATE_FAILED;
        if (!isfinite(energy[root]))
            a->bodies->nu[i] = before[i];
    }
    return reason;
}

// While it waits such an island is where the round before had it, out of the others' way.
static void put_back_wild(const attempt *a, const double *energy, const cd_step_velocity *before)
{
    for (int32_t i = 0; i < a->bodies->in->body.count; i++)
        if (is_wild(a, energy, a->islands.root[i]))
            a->bodies->nu[i] = before[i];
}

// What a round has come to, by root.
typedef struct ends {
    const double *change;  // [m]
    const double *energy;  // [J]
    double *gap;           // [m]
    double *before;        // [m] <= 0: the same at the trial, of the contacts there
    bool *bounces;
    const char *reason;  // of the first island that failed, else NULL
    int32_t target;      // of the next round; CD_ABSENT: no island is open
} ends;

static void judge_island(const attempt *a, int32_t root, ends *e)
{
    double change = e->change[root] / a->length, gap = e->gap[root];
    int32_t *state = &a->islands.state[root];
    bool was_settled = *state == CD_STATE_SETTLED;
    bool gains = change < nearly || gap >= 0.5 * e->before[root];
    bool is_last = a->round + 1 >= (gains ? 2 * a->rounds : a->rounds);
    bool is_plain = a->round + 1 < (a->rounds + 1) / 2 && change >= settled && e->bounces[root];
    *state = CD_ABSENT;
    if (is_plain) {
        e->target = CD_TARGET_FREE;
    } else if (gap >= 0 && (was_settled || e->energy[root] <= a->limit[root])) {
        *state = CD_STATE_SETTLED;
    } else if (gap >= 0) {
        *state = CD_STATE_FAILED;
        e->reason = cd_arena_printf(a->arena, "energy %g J above %g J", e->energy[root] / 2, a->limit[root] / 2);
    } else if (is_last || (a->round > 0 && change < no_change && !was_settled)) {
        *state = CD_STATE_FAILED;
        e->reason = cd_arena_printf(a->arena, "a gap of %g m after %d rounds", gap, a->round + 1);
    } else if (e->target == CD_ABSENT) {
        e->target = CD_TARGET_TRIAL;
    }
}

// By root: the least of the gaps at the trial that the round was to mend.
static double *gaps_before(const attempt *a)
{
    const cd_model *in = a->bodies->in;
    double *least = CD_ARENA_ZARRAY(a->arena, double, in->body.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!cd_contact_takes_part(in->contact.status ? in->contact.status[i] : CD_ABSENT))
            continue;
        int32_t body_a = in->contact.a[2 * i], body_b = in->contact.b[2 * i];
        double *own = &least[a->islands.root[cd_body_is_moved(in, body_b) ? body_b : body_a]];
        *own = fmin(*own, in->contact.gap[i] - fmin(0, cd_f64_or(in->contact.bound, i, 0)));
    }
    return least;
}

// The gaps at the trial. What they do not let rest goes on as it was solved.
static cd_step_end_gaps gaps_at_trial(const attempt *a, cd_step_meeting *meeting)
{
    const cd_model *in = a->bodies->in;
    const bool is_strict = a->is_separating && !a->is_start_facets;
    const int32_t *state = cd_step_islands_states(a->arena, &a->islands);
    *meeting = cd_step_meet(a->gaps);
    cd_step_end_gaps end = cd_step_gaps_at_end(a->gaps, meeting, state, is_strict);
    bool *is_too_near = CD_ARENA_ARRAY(a->arena, bool, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        is_too_near[i] = !(end.of_body[i] >= 0);
    if (!cd_step_wake(a->arena, a->bodies, &a->islands, &a->resting, is_too_near))
        return end;
    *meeting = cd_step_meet(a->gaps);
    return cd_step_gaps_at_end(a->gaps, meeting, state, is_strict);
}

// [rad] of free motion: by less an ellipsoid turns to no other points. Larger: steps halved that these would have
// saved.
static const double turned_least = 0.05;

// Of the worst pair, which ends below its bound. The attempts of one step go from predicted separators by turned points
// to separators of the start, never back: they end.
static bool may_turn(const attempt *a, const int32_t pair[2])
{
    double turn_sq = 0;
    for (int s = 0; s < 2 && a->is_separating && !a->is_turned && !a->is_start_facets; s++)
        for (int k = a->bodies->dim; k < a->bodies->axes; k++) {
            const double turn = a->bodies->step * a->bodies->free[pair[s]].at[k];
            turn_sq += turn * turn;
        }
    return turn_sq > turned_least * turned_least;
}

// Where an ellipsoid has turned through something its rows said too little: those of the points that come to be its
// closest ones are asked too, and only then half the step.
static void too_deep(const attempt *a, const cd_step_end_gaps *end)
{
    const char *reason = cd_arena_printf(a->arena, "an ellipsoid ends %g of its radius too deep", end->depth);
    if (!may_turn(a, end->body)) {
        halve(a, reason);
        return;
    }
    begin_again(a, NULL, NULL, CD_FACETS_TURNED,
                cd_arena_printf(a->arena, "%s: points that it turns to as well", reason));
    keep_settled(a);
}

static void judge_ends(const attempt *a, const double *energy, const cd_step_velocity *before, const char *reason)
{
    const cd_model *in = a->bodies->in;
    cd_step_meeting meeting;
    cd_step_end_gaps end = gaps_at_trial(a, &meeting);
    bool *bounces = CD_ARENA_ZARRAY(a->arena, bool, in->body.count);
    cd_step_impact_begins(a->given, a->trial_row, a->bounce.meets, bounces);
    ends e = {.change = changes_of(a, before),
              .energy = energy,
              .gap = CD_ARENA_ARRAY(a->arena, double, in->body.count),
              .before = gaps_before(a),
              .bounces = CD_ARENA_ZARRAY(a->arena, bool, in->body.count),
              .target = CD_ABSENT};
    for (int32_t i = 0; i < in->body.count; i++)
        e.gap[i] = INFINITY;
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t root = a->islands.root[i];
        e.gap[root] = fmin(e.gap[root], end.of_body[i]);
        e.bounces[root] |= bounces[i];
    }
    for (int32_t rank = in->body.count - 1; rank >= 0; rank--) {
        int32_t i = a->bodies->by_id[rank];
        if (cd_body_is_moved(in, i) && a->islands.root[i] == i && a->islands.state[i] != CD_STATE_FAILED)
            judge_island(a, i, &e);
    }
    reason = reason ? reason : e.reason ? e.reason : "what failed in an earlier round";
    if (e.target != CD_ABSENT && end.depth > deep_most && (may_turn(a, end.body) || may_halve(a))) {
        too_deep(a, &end);
    } else if (e.target != CD_ABSENT) {
        put_back_wild(a, energy, before);
        next_round(a, e.target);
    } else if (cd_step_islands_have(&a->islands, CD_STATE_FAILED)) {
        give_up(a, reason);
    } else {
        accept_sound(a, &meeting);
    }
}

// Cuts the step where bodies first meet that bounce: true. Else lets go what is pushed and does not meet.
static bool takes_bounce(attempt *a)
{
    const cd_model *in = a->bodies->in;
    a->bounce = (cd_step_bounce){.share = 1};
    if (a->round > 0 || in->trial.count > 0)
        return false;
    a->bounce = cd_step_bounce_find(a->arena, a->given, &a->islands, a->trial_row);
    if (a->bounce.share < 1 && cd_step_can_cut(in, a->bounce.share)) {
        cut(a, a->bounce.share, "bodies meet that bounce");
        return true;
    }
    double *share = CD_ARENA_ARRAY(a->arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        const bool is_free = a->bounce.is_free && a->bounce.is_free[a->islands.root[i]] && cd_body_is_moved(in, i);
        share[i] = !is_free;
        if (is_free)
            a->bodies->nu[i] = a->bodies->free[i];
    }
    cd_step_scale_impulses(a->bodies, share);
    return false;
}

// reason: of islands that failed before, else NULL.
static void judge_trial(attempt *a, const cd_step_velocity *before, const char *reason)
{
    if (takes_bounce(a))
        return;
    const double *energy = cd_step_islands_norm_sq(a->arena, a->bodies, &a->islands, a->bodies->nu);
    const char *wild = fail_wild(a, energy, before);
    if (turns_too_far(a) && may_halve(a))
        halve(a, "bodies in contact turn by more than a radian");
    else
        judge_ends(a, energy, before, reason ? reason : wild);
}

static const char *unsolved(const attempt *a)
{
    return cd_arena_printf(a->arena, "unsolved (%s)", a->given->outcome->status);
}

// Nobody says which part of the problem it was: all open islands have failed.
static void judge_unsolved(const attempt *a, const cd_step_velocity *before)
{
    const cd_model *in = a->bodies->in;
    memcpy(a->bodies->nu, before, (size_t)in->body.count * sizeof *before);
    cd_step_carry_impulses(a->arena, a->bodies);
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i) && cd_step_island_state(&a->islands, i) == CD_ABSENT)
            a->islands.state[a->islands.root[i]] = CD_STATE_FAILED;
    give_up(a, unsolved(a));
}

// Islands with an unsolved part of the problem have failed, with velocities and impulses of the round before.
static void fail_unsolved(const attempt *a, const bool *is_unsolved, const cd_step_velocity *before)
{
    const cd_model *in = a->bodies->in;
    bool *fails = CD_ARENA_ZARRAY(a->arena, bool, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        fails[a->islands.root[i]] |= is_unsolved[i];
    for (int32_t i = 0; i < in->body.count; i++) {
        if (!fails[a->islands.root[i]])
            continue;
        a->islands.state[a->islands.root[i]] = CD_STATE_FAILED;
        a->bodies->nu[i] = before[i];
    }
    cd_vec3 *solved = CD_ARENA_ARRAY(a->arena, cd_vec3, in->contact.count);
    memcpy(solved, a->bodies->impulse, (size_t)in->contact.count * sizeof *solved);
    cd_step_carry_impulses(a->arena, a->bodies);
    for (int32_t i = 0; i < in->contact.count; i++)
        if (!fails[a->islands.root[in->contact.a[2 * i]]] && !fails[a->islands.root[in->contact.b[2 * i]]])
            a->bodies->impulse[i] = solved[i];
}

cd_status cd_step_judge(cd_arena *arena, const cd_step_round *round, cd_step_decision *decision, cd_step_trial *trial,
                        cd_diag *diag)
{
    cd_step_bodies *bodies = round->bodies;
    attempt a = attempt_of(arena, round);
    a.decision = decision;
    a.trial = trial;
    *trial = (cd_step_trial){.alpha = 1, .pair = {-1, -1}, .is_fallback = !a.is_own || a.is_start_facets};
    if (a.round < 0)
        return cd_fail(diag, CD_ERR_FORMAT, "frame: first_round: %d is after round %d",
                       cd_i32_or(bodies->in->frame.first_round, 0, 0), cd_i32_or(bodies->in->frame.round, 0, 0));
    CD_TRY(cd_step_gaps_check(round->gaps, diag));
    const int32_t *trial_row = a.trial_row = cd_body_trial_rows(arena, bodies->in);
    CD_TRY(check_trial(bodies->in, trial_row, diag));
    if (cd_i32_or(bodies->in->frame.impact, 0, CD_IMPACT_NONE) != CD_IMPACT_NONE)
        return cd_step_judge_impact(arena, round, trial_row, decision, trial, diag);
    const cd_step_velocity *before = velocities_before(&a, trial_row);
    a.islands = cd_step_islands_make(arena, bodies->in, trial_row);
    a.limit = cd_step_island_energy_limits(arena, a.bodies, a.gaps, &a.islands);
    const bool *is_unsolved = round->outcome->is_usable ? NULL : cd_step_unsolved_bodies(arena, bodies->in);
    if (!round->outcome->is_usable && !is_unsolved) {
        judge_unsolved(&a, before);
        return CD_OK;
    }
    CD_TRY(cd_step_take_values(arena, bodies, diag));
    if (!is_unsolved)
        is_unsolved = cd_step_worse_bodies(arena, bodies, before, a.islands.root, a.limit);
    cd_step_carry_moments(arena, bodies, trial_row);
    for (int32_t i = 0; i < bodies->in->body.count; i++)
        if (cd_step_island_state(&a.islands, i) != CD_ABSENT)
            bodies->nu[i] = before[i];
    if (is_unsolved)
        fail_unsolved(&a, is_unsolved, before);
    a.resting = cd_step_rest(arena, bodies, &a.islands, round->rest);
    judge_trial(&a, before, is_unsolved ? unsolved(&a) : NULL);
    return CD_OK;
}
