// cd-peg-assemble -- the rows of a time step. Reads: body, contact, shape. Writes: constraint, row, entry, metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "peg_frame2.h"
#include "peg_write.h"

// What the user asked for. NaN thresholds: the model's own, see thresholds_of.
static struct options {
    const char *model, *stabilize, *curvature;
    double theta, phi, delta;  // [rad], [rad], [m]
    double gap_margin;         // [m]
    bool condition;
} opt = {.model = "peg", .stabilize = "on", .curvature = "off", .theta = NAN, .phi = NAN, .delta = NAN};

static const cd_option options[] = {
    CD_OPT_CHOICE('m', "model", &opt.model, cd_peg_model_names,
                  "what the contacts demand; a frame's own model comes first"),
    CD_OPT_DOUBLE(0, "theta", &opt.theta, "ANGLE", 0, 1.5707963267948966,
                  "applicable when applicability >= -sin(theta) [rad] (default asin(0.2); standard: pi/2, all)"),
    CD_OPT_DOUBLE(0, "phi", &opt.phi, "ANGLE", 0, 1.5707963267948966,
                  "beside its facet a vertex may lie below the plane by this angle [rad] (default pi/2, any)"),
    CD_OPT_DOUBLE(0, "delta", &opt.delta, "LENGTH", 0, INFINITY,
                  "under its facet it may lie this deep [m] (default infinity, any)"),
    CD_OPT_DOUBLE(0, "gap-margin", &opt.gap_margin, "LENGTH", -1e300, 1e300, "gap that contacts keep [m]"),
    CD_OPT_CHOICE(0, "stabilize", &opt.stabilize, cd_on_off,
                  "push overlaps out (psi/h), or only keep them from growing"),
    CD_OPT_CHOICE(0, "curvature", &opt.curvature, cd_on_off,
                  "add h/2 psi'' of the start velocities to a gap's rate where it is negative"),
    CD_OPT_FLAG(0, "condition", &opt.condition, "add metrics: rank and condition number of G' M^-1 G"),
    CD_OPT_END};

static cd_status begin(cd_ctx *ctx)
{
    ctx->state = cd_arena_zalloc(&ctx->run, sizeof(cd_leaves));
    ctx->method = opt.model;
    return CD_OK;
}

static cd_peg_limits thresholds_of(const cd_peg_model *model)
{
    double all = 1.5707963267948966;
    double theta = model->is_filtered ? CD_PEG_THETA : all;
    return (cd_peg_limits){.theta = !isnan(opt.theta) ? opt.theta : theta,
                           .phi = !isnan(opt.phi) ? opt.phi : all,
                           .delta = !isnan(opt.delta) ? opt.delta : INFINITY};
}

static void add_metrics(cd_ctx *ctx, const cd_peg_frame *frame, const cd_peg_constraints *constraints,
                        const cd_peg_problem *problem)
{
    int32_t traps = cd_peg_count_traps(constraints, frame->contact, frame->count, ctx->in.head.epsilon[0], &ctx->arena);
    cd_add_metric(ctx, "contacts", frame->count, -1, -1);
    cd_add_metric(ctx, "constraints-U", constraints->of_kind[CD_PEG_U], -1, -1);
    cd_add_metric(ctx, "constraints-I", constraints->of_kind[CD_PEG_I], -1, -1);
    cd_add_metric(ctx, "constraints-X", constraints->of_kind[CD_PEG_X], -1, -1);
    cd_add_metric(ctx, "traps", traps, -1, -1);
    cd_add_metric(ctx, "needs-peg", constraints->of_kind[CD_PEG_I] > 0, -1, -1);
    if (!opt.condition)
        return;
    cd_peg_conditioning conditioning = cd_peg_condition(&frame->bodies, frame->gradient, problem, &ctx->arena);
    cd_add_metric(ctx, "rank", conditioning.rank, -1, -1);
    cd_add_metric(ctx, "condition", conditioning.condition, -1, -1);
}

static cd_status head(cd_ctx *ctx)
{
    if (ctx->in.dim != 2)
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "head: dim: %d: constraints are assembled in the plane only",
                       ctx->in.dim);
    return cd_leaves_make(&ctx->run, &ctx->in, ctx->refs, ctx->state, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx)
{
    const char *wish = ctx->in.frame.model ? ctx->in.frame.model[0] : NULL;
    const cd_peg_model *model = cd_peg_find_model(wish ? wish : opt.model);
    if (!model)
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "frame: model: \"%.60s\" is not one this program knows", wish);
    cd_peg_frame frame;
    cd_peg_gaps gaps = {opt.gap_margin, !strcmp(opt.curvature, "on")};
    CD_TRY(cd_peg_frame2_make(&ctx->arena, &ctx->in, ctx->state, gaps, &frame, &ctx->diag));
    cd_peg_limits limits = thresholds_of(model);
    cd_peg_constraints constraints = model->group(model, frame.contact, frame.count, &limits, &ctx->arena);
    cd_peg_problem problem =
        cd_peg_assemble(&frame.bodies, frame.gradient, &constraints, !strcmp(opt.stabilize, "on"), &ctx->arena);
    cd_peg_write(&ctx->arena, &frame, &constraints, &problem, ctx->in.dim, &ctx->out);
    add_metrics(ctx, &frame, &constraints, &problem);
    return CD_OK;
}

int main(int argc, char **argv)
{
    static const uint64_t needs =
        CD_BIT(head) | CD_BIT(shape) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(trial) | CD_BIT(contact);
    return cd_filter_main(argc, argv, &(cd_filter){
        .name = "cd-peg-assemble",
        .summary = "Turn contacts into constraints of a contact model and its complementarity problem.",
        .help = cd_peg_help,
        .options = options,
        .needs = needs,
        .writes = CD_BIT(constraint) | CD_BIT(row) | CD_BIT(entry) | CD_BIT(metric),
        .begin = begin,
        .head = head,
        .each_frame = each_frame});
}
