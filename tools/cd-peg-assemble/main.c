// cd-peg-assemble -- the rows of a time step. Reads: body, contact, shape, interaction. Writes: constraint, row, entry,
// metric.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "peg_stage.h"

static cd_peg_options opt = {.model = "auto",
                             .stabilize = "on",
                             .curvature = "off",
                             .primaries = "one",
                             .primary = "swap",
                             .friction = "auto",
                             .sides = 8,
                             .theta = NAN,
                             .phi = NAN,
                             .delta = NAN,
                             .gap_margin = NAN,
                             .reach = NAN};

static const cd_option option_table[] = {
    CD_OPT_CHOICE('m', "model", &opt.model, cd_peg_model_names, "what the contacts demand; a frame's wish comes first"),
    CD_OPT_DOUBLE(0, "theta", &opt.theta, "ANGLE", 0, 1.5707963267948966,
                  "applicable when applicability >= -sin(theta) [rad] (default by configuration, see the manual)"),
    CD_OPT_DOUBLE(0, "phi", &opt.phi, "ANGLE", 0, 1.5707963267948966,
                  "beside its face a vertex may lie below the plane by this angle [rad] (default pi/2, any)"),
    CD_OPT_DOUBLE(0, "delta", &opt.delta, "LENGTH", 0, INFINITY,
                  "under its face it may lie this deep [m] (default infinity, any)"),
    CD_OPT_DOUBLE(0, "reach", &opt.reach, "LENGTH", 0, 1e300,
                  "3-D: edges meet at a corner within this length [m] (default head.reach, else 0.05 head.length)"),
    CD_OPT_DOUBLE(0, "gap-margin", &opt.gap_margin, "LENGTH", 0, 1e300,
                  "gap that contacts keep [m] (default 0; separating 1e-10 of the length)"),
    CD_OPT_CHOICE(0, "primaries", &opt.primaries, cd_peg_primaries_names,
                  "contacts of a constraint that carry an impulse: one, or all that are applicable"),
    CD_OPT_CHOICE(0, "primary", &opt.primary, cd_peg_primary_names, "which is the first of them"),
    CD_OPT_CHOICE(0, "stabilize", &opt.stabilize, cd_on_off,
                  "push overlaps out (psi/h), or only keep them from growing"),
    CD_OPT_CHOICE(0, "curvature", &opt.curvature, cd_on_off,
                  "2-D: add h/2 psi'' of the start velocities to a gap's rate where it is negative"),
    CD_OPT_CHOICE(0, "friction", &opt.friction, cd_peg_friction_names,
                  "as polygonal cones, a plain problem, or as discs; auto: discs with separating, else pyramids"),
    CD_OPT_INT(0, "sides", &opt.sides, "N", 4, 64, "3-D: directions of a pyramid, even"),
    CD_OPT_TEXT(0, "mu", &opt.mu, "A:B=VALUE,...",
                "friction coefficients of groups (default: interaction's, else geometric mean of both bodies' mu)"),
    CD_OPT_FLAG(0, "condition", &opt.condition, "add metrics: rank and condition number of G' M^-1 G"),
    CD_OPT_END};

static cd_status begin(cd_ctx *ctx)
{
    cd_peg_stage *stage = ctx->state = cd_arena_zalloc(&ctx->run, sizeof *stage);
    ctx->method = opt.model;
    return cd_peg_stage_open(&ctx->run, &opt, stage, &ctx->diag);
}

static cd_status head(cd_ctx *ctx)
{
    cd_peg_stage *stage = ctx->state;
    CD_TRY(cd_interactions_make(&ctx->run, &ctx->in, &stage->interactions, &ctx->diag));
    return cd_peg_shapes_make(&ctx->run, &ctx->in, ctx->refs, &stage->shapes, &ctx->diag);
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_peg_metrics metrics;
    cd_peg_stage *stage = ctx->state;
    CD_TRY(cd_peg_stage_frame(stage, &ctx->arena, &ctx->in, &ctx->out, &metrics, &ctx->diag));
    if (metrics.leaves_out_friction && !stage->has_warned)
        cd_warn(ctx, "--friction off: bodies in contact have mu, rolling or spinning above 0, which is not used");
    stage->has_warned |= metrics.leaves_out_friction;
    for (int32_t i = 0; i < metrics.count; i++)
        cd_add_metric(ctx, metrics.name[i], metrics.value[i], -1, -1);
    return CD_OK;
}

int main(int argc, char **argv)
{
    static const uint64_t needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(material) | CD_BIT(interaction) |
                                  CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(trial) | CD_BIT(contact);
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-peg-assemble",
                     .summary = "Turn contacts into constraints of a contact model and its complementarity problem.",
                     .help = cd_peg_help,
                     .options = option_table,
                     .needs = needs,
                     .writes = CD_BIT(constraint) | CD_BIT(row) | CD_BIT(entry) | CD_BIT(metric),
                     .begin = begin,
                     .head = head,
                     .each_frame = each_frame});
}
