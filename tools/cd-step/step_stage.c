// SPDX-License-Identifier: MIT
#include "step_stage.h"

#include "step_energy_limit.h"
#include "step_explicit.h"
#include "step_flight.h"
#include "step_gaps.h"
#include "step_impulses.h"
#include "step_rounds.h"

#include <inttypes.h>

cd_status cd_step_stage_open(const cd_step_options *options, cd_step_stage *stage, cd_diag *diag)
{
    *stage = (cd_step_stage){.options = options, .policy = cd_step_policy_of(options->on_unsolved), .free_growth = 1};
    if (options->advance && (stage->policy == CD_STEP_HALVE || options->rounds > 1))
        return cd_fail(diag, CD_ERR_USAGE, "%s repeats a frame, which needs cd-loop: not with --advance",
                       options->rounds > 1 ? "--rounds" : "--on-unsolved halve");
    const bool keeps_rounds = stage->policy == CD_STEP_ACCEPT || stage->policy == CD_STEP_STOP;
    if (options->rounds > 1 && !keeps_rounds)
        return cd_fail(diag, CD_ERR_USAGE,
                       "--on-unsolved %s: with --rounds an unsolved problem is tried again in ways of its own (see "
                       "cd-step(1))",
                       options->on_unsolved);
    const bool takes_values = cd_step_integrator_find(options->integrator)->needs & CD_BIT(value);
    if (options->rounds > 1 && !takes_values)
        return cd_fail(diag, CD_ERR_USAGE, "--rounds: --integrator %s takes no impulses, which rounds go by",
                       options->integrator);
    stage->rounds = options->rounds > 0 ? (int)options->rounds : CD_STEP_ROUNDS;
    if (options->rounds == 0 && (options->advance || !keeps_rounds || !takes_values))
        stage->rounds = 1;
    return CD_OK;
}

cd_status cd_step_stage_head(cd_step_stage *stage, cd_arena *run, const cd_model *in, cd_diag *diag)
{
    CD_TRY(cd_interactions_make(run, in, &stage->interactions, diag));
    const bool takes_values = cd_step_integrator_find(stage->options->integrator)->needs & CD_BIT(value);
    if (!takes_values) {
        CD_TRY(cd_elements_make(run, in, &stage->elements, diag));
        cd_solids_make(run, in, &stage->elements, &stage->solids);
    }
    // Forces alone have restitution in their dampers.
    if (stage->rounds > 1 || !takes_values || !stage->interactions.has_restitution)
        return CD_OK;
    return cd_fail(diag, CD_ERR_USAGE,
                   "--rounds: restitution of the stream's interactions needs 2 or more: an impact has rounds of its "
                   "own");
}

// Forces that nothing was solved for, as those of penalties, would be the same in every round.
static int rounds_of(const cd_step_stage *stage, const cd_model *in)
{
    bool has_forces_alone = in->force.count > 0 && in->row.count == 0;
    return stage->options->rounds == 0 && has_forces_alone ? 1 : stage->rounds;
}

// A step that is accepted as it was solved, told of once a run where its energy cannot be right.
static void warn_of_energy(cd_ctx *ctx, const cd_step_bodies *bodies, cd_step_stage *stage)
{
    double energy = cd_step_norm_sq(bodies, bodies->nu), limit = cd_step_energy_limit(bodies, NULL);
    if (stage->has_warned || ctx->in.row.count == 0 || energy <= limit)
        return;
    stage->has_warned = true;
    cd_warn(ctx,
            "frame %" PRId64 ": kinetic energy %g J where motion without contact has %g J: one round does not look at "
            "the step's end (--rounds 8 does)",
            ctx->in.frame.index[0], energy / 2, cd_step_norm_sq(bodies, bodies->free) / 2);
}

// The guard of free motion, by which that of contacts goes.
static cd_status check_free_motion(const cd_step_bodies *bodies, const cd_step_growth *growth, cd_diag *diag)
{
    static const double most = 4;  // [1] of the energy, as of a round that is not followed further (step_rounds.h)
    if (growth->body < 0 || growth->factor <= most)
        return CD_OK;
    return cd_fail(diag, CD_ERR_NUMERIC,
                   "body %" PRId64 ": turning energy goes from at most %g J to %g J in a step of %g s without contact: "
                   "head.gyroscopic explicit gains energy (midpoint does not)",
                   bodies->in->body.id[growth->body], growth->allowed, growth->energy, bodies->step);
}

// What steps gain adds up: told of once a run, when it comes to the share that a single step is allowed.
static void warn_of_growth(cd_ctx *ctx, const cd_step_growth *growth, cd_step_stage *stage)
{
    static const double told = 1.0001;
    if (growth->body < 0 || ctx->repetition > 0 || stage->free_growth > told)
        return;
    stage->free_growth *= fmax(growth->factor, 1);
    if (stage->free_growth > told)
        cd_warn(ctx,
                "frame %" PRId64 ": body %" PRId64 ": its free motion gains turning energy, so far %.2g of it: "
                "head.gyroscopic explicit does so (midpoint does not)",
                ctx->in.frame.index[0], ctx->in.body.id[growth->body], stage->free_growth - 1);
}

// Told of once a run, of its first frame: the bound of such a pair is its overlap, so it stays for ever.
static void warn_of_overlap(cd_ctx *ctx, const cd_step_gaps *gaps, cd_step_stage *stage)
{
    if (stage->has_looked)
        return;
    stage->has_looked = true;
    cd_step_overlaps overlaps = cd_step_overlaps_at_start(gaps);
    if (overlaps.count > 0)
        cd_warn(ctx,
                "frame %" PRId64
                ": pairs of parts that overlap from the start: %d, by up to %.3g m: rounds do not let it "
                "grow, and do not push them apart",
                ctx->in.frame.index[0], overlaps.count, overlaps.deepest);
}

// The worst pair before the motion was scaled back.
static const char *first_bodies(cd_ctx *ctx, const cd_step_trial *trial)
{
    const int32_t *pair = trial->pair;
    const int64_t *id = ctx->in.body.id;
    if (pair[0] >= 0 && pair[1] >= 0 && pair[0] != pair[1])
        return cd_arena_printf(&ctx->arena, ", first of bodies %" PRId64 " and %" PRId64, id[pair[0]], id[pair[1]]);
    return pair[0] >= 0 ? cd_arena_printf(&ctx->arena, ", first of body %" PRId64, id[pair[0]]) : "";
}

// The first is told of when it happens; they come in hundreds where a body is squeezed.
static void warn_of_last_resort(cd_ctx *ctx, const cd_step_decision *decision, const cd_step_trial *trial,
                                cd_step_scaled *scaled)
{
    if (!decision->accept || !trial->is_last_resort || ctx->repetition > 0)
        return;
    scaled->last = ctx->in.frame.index[0];
    scaled->least = scaled->count == 0 ? trial->alpha : fmin(scaled->least, trial->alpha);
    if (scaled->count++ > 0)
        return;
    scaled->first = scaled->last;
    cd_warn(ctx, "frame %" PRId64 ": %s%s (the run's end tells of more)", scaled->first, decision->reason,
            first_bodies(ctx, trial));
}

cd_status cd_step_stage_finish(cd_ctx *ctx, const cd_step_stage *stage)
{
    const cd_step_scaled *scaled = &stage->scaled;
    if (scaled->count > 1)
        cd_warn(ctx,
                "motion scaled back in %" PRId64 " steps, of frames %" PRId64 " to %" PRId64 ", by %g at the least",
                scaled->count, scaled->first, scaled->last, scaled->least);
    return CD_OK;
}

// trial: NULL with one round, which makes none.
static void add_metrics(cd_ctx *ctx, const cd_step_bodies *bodies, const cd_step_outcome *outcome,
                        const cd_step_decision *decision, const cd_step_trial *trial, bool with_energy)
{
    if (!outcome->is_solved || outcome->residual > 0)
        cd_add_metric(ctx, "unsolved", 1, -1, -1);
    if (outcome->residual > 0)
        cd_add_metric(ctx, "residual", outcome->residual, -1, -1);
    if (!decision->accept)
        return;
    if (trial) {
        cd_add_metric(ctx, "rounds", 1.0 + cd_i32_or(ctx->in.frame.round, 0, 0), -1, -1);
        if (trial->is_fallback)
            cd_add_metric(ctx, "fallback", 1, -1, -1);
        if (trial->is_last_resort) {
            cd_add_metric(ctx, "motion-scale", trial->alpha, -1, -1);
            cd_add_metric(ctx, "motion-scale-bodies", trial->scaled, trial->pair[0], trial->pair[1]);
        }
        if (trial->sweeps)
            cd_add_metric(ctx, "impact-sweeps", trial->sweeps, -1, -1);
        if (trial->cut_a_corner)
            cd_add_metric(ctx, "cut-corner", 1, -1, -1);
        cd_add_metric(ctx, "path-poses", (double)trial->path_poses, -1, -1);
        cd_add_metric(ctx, "path-poses-most", (double)trial->path_most, -1, -1);
    }
    double unplaced = cd_step_unplaced_impulse(&ctx->arena, bodies);
    if (unplaced > 0)
        cd_add_metric(ctx, "force-unplaced", unplaced, -1, -1);
    if (with_energy) {
        cd_step_energy energy = cd_step_energy_of(bodies);
        cd_add_metric(ctx, "energy", energy.end, -1, -1);
        cd_add_metric(ctx, "energy-change", energy.end - energy.start, -1, -1);
    }
}

static bool is_part(const cd_model *in)
{
    return cd_f64_or(in->frame.rest, 0, 0) > 0 || cd_i32_or(in->frame.substep, 0, 0) > 0;
}

// What the frames of an impact have of the one before.
static void write_impact(cd_ctx *ctx, const cd_step_decision *decision)
{
    cd_next_rows *next = &ctx->out.next;
    const int dim = ctx->in.dim;
    double *lead = decision->lead ? CD_COLUMN(&ctx->arena, dim, next, next, lead) : NULL;
    int32_t *group = decision->group ? CD_COLUMN(&ctx->arena, dim, next, next, group) : NULL;
    int32_t *held = decision->held ? CD_COLUMN(&ctx->arena, dim, next, next, held) : NULL;
    for (int32_t i = 0; i < next->count && lead; i++)
        lead[i] = decision->lead[next->body[i]];
    for (int32_t i = 0; i < next->count && group; i++)
        group[i] = decision->group[next->body[i]];
    for (int32_t i = 0; i < next->count && held; i++)
        held[i] = decision->held[next->body[i]];
}

static cd_status write_next(cd_ctx *ctx, const cd_step_bodies *bodies, const cd_step_decision *decision)
{
    cd_next_rows *next = &ctx->out.next;
    CD_TRY(cd_step_write_next(&ctx->arena, bodies, decision->accept, decision->has_row, next, &ctx->diag));
    int32_t *state = decision->state ? CD_COLUMN(&ctx->arena, ctx->in.dim, next, next, state) : NULL;
    for (int32_t i = 0; i < next->count && state; i++)
        state[i] = decision->state[next->body[i]];
    if (decision->accept && is_part(&ctx->in))
        cd_step_flight_go_on(&ctx->arena, bodies, decision->lead, next);
    if (!decision->accept)
        write_impact(ctx, decision);
    return CD_OK;
}

// With one round nobody looks at the end: what rests stays where it was.
static void rest(cd_ctx *ctx, const cd_step_bodies *bodies, double ratio)
{
    const int32_t *trial_row = cd_body_trial_rows(&ctx->arena, &ctx->in);
    const cd_step_islands islands = cd_step_islands_make(&ctx->arena, &ctx->in, trial_row);
    cd_step_rest(&ctx->arena, bodies, &islands, ratio);
}

// Nothing was counted for the run's end, and the integrators' first step, frame 0, is another one than those behind it.
static bool is_pure(const cd_model *in, int rounds, const cd_step_decision *decision, const cd_step_trial *trial,
                    const cd_step_growth *growth)
{
    const bool is_grown = growth->body >= 0 && growth->factor > 1;
    return rounds > 1 && decision->accept && !trial->is_last_resort && !is_grown && in->frame.index[0] > 0;
}

cd_status cd_step_stage_frame(cd_ctx *ctx, cd_step_stage *stage)
{
    const cd_step_options *options = stage->options;
    if (!(cd_step_integrator_find(options->integrator)->needs & CD_BIT(value)))
        return cd_step_explicit_frame(ctx, stage);
    cd_step_bodies bodies;
    cd_step_outcome outcome;
    cd_step_decision decision;
    cd_step_trial trial = {.alpha = 1, .pair = {-1, -1}};
    CD_TRY(
        cd_step_bodies_make(&ctx->arena, &ctx->in, cd_step_integrator_find(options->integrator), &bodies, &ctx->diag));
    cd_step_growth growth = cd_step_free_growth(&bodies);
    CD_TRY(check_free_motion(&bodies, &growth, &ctx->diag));
    CD_TRY(cd_step_read_outcome(&ctx->in, &outcome, &ctx->diag));
    int rounds = rounds_of(stage, &ctx->in);
    if (rounds > 1 && !(stage->policy == CD_STEP_STOP && !outcome.is_solved)) {
        cd_step_gaps gaps = cd_step_gaps_make(&ctx->arena, &bodies, &stage->shapes, ctx->threads);
        cd_step_round round = {
            &bodies, &gaps, &outcome, rounds, &stage->interactions, options->rest, (int)options->bounces};
        CD_TRY(cd_step_judge(&ctx->arena, &round, &decision, &trial, &ctx->diag));
        warn_of_overlap(ctx, &gaps, stage);
        warn_of_last_resort(ctx, &decision, &trial, &stage->scaled);
    } else {
        CD_TRY(cd_step_decide(&ctx->arena, &bodies, &outcome, stage->policy, &decision, &ctx->diag));
        warn_of_energy(ctx, &bodies, stage);
        if (decision.accept && outcome.has_rows)
            rest(ctx, &bodies, options->rest);
    }
    if (decision.accept)
        warn_of_growth(ctx, &growth, stage);
    if (!decision.accept && (!decision.begins_attempt || decision.state))
        decision.residual = outcome.residual;
    if (decision.has_next)
        CD_TRY(write_next(ctx, &bodies, &decision));
    if (ctx->writes & CD_BIT(force))
        cd_step_write_force(&ctx->arena, &bodies, decision.has_next, &ctx->out.force);
    CD_TRY(cd_step_write_verdict(&ctx->arena, &ctx->in, &decision, options->step, &ctx->out.verdict, &ctx->diag));
    add_metrics(ctx, &bodies, &outcome, &decision, rounds > 1 ? &trial : NULL, options->energy);
    ctx->is_pure = is_pure(&ctx->in, rounds, &decision, &trial, &growth);
    return CD_OK;
}
