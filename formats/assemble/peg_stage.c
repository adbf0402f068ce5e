// SPDX-License-Identifier: MIT
#include "peg_stage.h"

#include "cd_length.h"
#include "cd_run_model.h"
#include "peg_write.h"

#include <inttypes.h>

const char *const cd_peg_primaries_names[] = {"one", "applicable", NULL};

static const double swap_depth = 4e-3;  // [1] of the characteristic length: 1 mm of the authors' polygons, 0.26 m wide
// [1] of the characteristic length. In space separators come within rounding of each other again and again; a gap far
// above it, and far below anything that matters, keeps the sign of the test behind the step certain.
static const double separating_margin = 1e-10;

static int place_of(const char *const *names, const char *name)
{
    int place = 0;
    while (names[place] && strcmp(names[place], name))
        place++;
    return place;
}

cd_status cd_peg_stage_open(cd_arena *run, const cd_peg_options *options, cd_peg_stage *stage, cd_diag *diag)
{
    stage->options = options;
    stage->primary = (cd_peg_primary)place_of(cd_peg_primary_names, options->primary);
    if (options->sides % 2)
        return cd_fail(diag, CD_ERR_USAGE, "--sides: %" PRId64 " is odd: every direction needs its opposite",
                       options->sides);
    return cd_peg_mu_rules_parse(run, options->mu, &stage->mu, diag);
}

// A model of the contacts that are there. A model that cannot be made of them is a mistake of the chain, not of a row.
static cd_status check_contacts(const cd_model *in, const cd_contact_model *model, cd_diag *diag)
{
    bool wants_separators = model->wants == CD_CONTACT_WANT_SEPARATORS;
    for (int32_t i = 0; i < in->contact.count; i++)
        if (cd_contact_is_unwanted((cd_contact_kind)in->contact.kind[i], model->wants) &&
            cd_contact_takes_part(in->contact.status ? in->contact.status[i] : CD_ABSENT))
            return cd_fail(diag, CD_ERR_UNSUPPORTED,
                           "contact %" PRId64
                           ": kind: %s is not for model %s, which needs those of cd-narrow --contacts "
                           "%s%s",
                           in->contact.id[i], cd_words_CONTACT[in->contact.kind[i]], model->name,
                           wants_separators ? "separating" : "features", wants_separators ? " (or --model peg)" : "");
    return CD_OK;
}

// Discs are what friction is. With disjunctions, which models of features have, problems of discs end unsolved too
// often.
static cd_peg_friction_kind friction_of(const cd_peg_options *options, const cd_contact_model *run)
{
    if (strcmp(options->friction, "auto") != 0)
        return (cd_peg_friction_kind)place_of(cd_peg_friction_names + 1, options->friction);
    return run->wants == CD_CONTACT_WANT_SEPARATORS ? CD_PEG_FRICTION_DISC : CD_PEG_FRICTION_PYRAMID;
}

// A pyramid has no rows for them.
static cd_status check_rolling(const cd_peg_stage *stage, cd_peg_friction_kind kind, cd_diag *diag)
{
    if (kind == CD_PEG_FRICTION_PYRAMID && stage->interactions.has_rolling)
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "--friction: rolling and spinning of the stream's interactions need discs, not pyramids");
    return CD_OK;
}

cd_contact_limits cd_peg_limits_of(const cd_peg_options *options, const cd_peg_model *model, int dim)
{
    cd_contact_limits limits = cd_peg_usual_limits(model, dim);
    for (int k = 0; k < CD_CONTACT_CONFIGURATIONS && !isnan(options->theta); k++)
        limits.theta[k] = options->theta;
    if (!isnan(options->phi))
        limits.phi = options->phi;
    if (!isnan(options->delta))
        limits.delta = options->delta;
    return limits;
}

static void add(cd_peg_metrics *metrics, const char *name, double value)
{
    metrics->name[metrics->count] = name;
    metrics->value[metrics->count++] = value;
}

static bool leaves_out_friction(const cd_peg_stage *stage, const cd_model *in, const cd_peg_frame *frame)
{
    if (strcmp(stage->options->friction, "off") != 0)
        return false;
    for (int32_t i = 0; i < frame->count; i++) {
        int32_t row = frame->contact_row[i];
        cd_contact_law law =
            cd_contact_law_of(&stage->interactions, in, in->contact.a[2 * row], in->contact.b[2 * row]);
        if (law.rolling > 0 || law.spinning > 0 || cd_peg_mu_at(in, &stage->interactions, &stage->mu, row) > 0)
            return true;
    }
    return false;
}

static void measure(const cd_peg_stage *stage, const cd_model *in, const cd_peg_frame *frame,
                    const cd_peg_constraints *constraints, const cd_peg_problem *problem, cd_arena *arena,
                    cd_peg_metrics *metrics)
{
    *metrics = (cd_peg_metrics){.leaves_out_friction = leaves_out_friction(stage, in, frame)};
    add(metrics, "contacts", frame->count);
    add(metrics, "constraints-U", constraints->of_kind[CD_PEG_U]);
    add(metrics, "constraints-I", constraints->of_kind[CD_PEG_I]);
    add(metrics, "constraints-X", constraints->of_kind[CD_PEG_X]);
    add(metrics, "traps",
        cd_peg_count_traps(constraints, frame->contact, frame->count, cd_epsilon_of(arena, in, &stage->shapes.leaves),
                           arena));
    add(metrics, "needs-peg", constraints->of_kind[CD_PEG_I] > 0);
    if (!stage->options->condition)
        return;
    cd_peg_conditioning conditioning = cd_peg_condition(&frame->bodies, frame->gradient, problem, arena);
    add(metrics, "rank", conditioning.rank);
    add(metrics, "condition", conditioning.condition);
}

cd_status cd_peg_stage_frame(const cd_peg_stage *stage, cd_arena *arena, const cd_model *in, cd_model *out,
                             cd_peg_metrics *metrics, cd_diag *diag)
{
    const cd_peg_options *options = stage->options;
    const cd_contact_model *run;
    CD_TRY(cd_run_model(in, options->model, &run, diag));
    CD_TRY(check_contacts(in, run, diag));
    const cd_peg_model *model = cd_peg_find_model(run->name);
    if (!model)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "model: %s has no problem to solve: cd-penalty takes its place here",
                       run->name);
    double length = cd_length_of(arena, in, &stage->shapes.leaves);
    double margin = run->wants == CD_CONTACT_WANT_SEPARATORS ? separating_margin * length : 0;
    const cd_peg_friction_kind kind = friction_of(options, run);
    CD_TRY(check_rolling(stage, kind, diag));
    cd_peg_settings settings = {.margin = isnan(options->gap_margin) ? margin : options->gap_margin,
                                .length = length,
                                .has_curvature = !strcmp(options->curvature, "on"),
                                .has_friction = kind != CD_PEG_FRICTION_OFF,
                                .reach = options->reach,
                                .mu = &stage->mu,
                                .interactions = &stage->interactions};
    cd_peg_frame frame;
    CD_TRY(cd_peg_frame_make(arena, in, &stage->shapes, settings, &frame, diag));
    const cd_peg_rules rules = {.limits = cd_peg_limits_of(options, model, in->dim),
                                .primary = stage->primary,
                                .swap_depth = swap_depth * length,
                                .has_many = !strcmp(options->primaries, "applicable")};
    cd_peg_constraints constraints = cd_peg_group_of(model, in->dim)(model, frame.contact, frame.count, &rules, arena);
    cd_peg_friction friction = {.kind = frame.tangent ? kind : CD_PEG_FRICTION_OFF,
                                .tangents = in->dim - 1,
                                .sides = in->dim == 2 ? 2 : (int)options->sides,
                                .has_rolling = stage->interactions.has_rolling,
                                .tangent = frame.tangent};
    cd_peg_problem problem;
    cd_peg_linearised linearised = {&frame.bodies, frame.gradient, &constraints, &friction,
                                    frame.is_impact || !strcmp(options->stabilize, "on")};
    CD_TRY(cd_peg_assemble(&linearised, arena, &problem, diag));
    cd_peg_write(arena, &frame, &constraints, &problem, in->dim, out);
    measure(stage, in, &frame, &constraints, &problem, arena, metrics);
    return CD_OK;
}
