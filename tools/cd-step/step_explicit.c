// SPDX-License-Identifier: MIT
#include "step_explicit.h"

#include "step_balance.h"
#include "step_nodes.h"

// The model as the bodies' part of the step sees it.
static cd_model with_meshes_fixed(cd_arena *arena, const cd_placed_elements *placed)
{
    cd_model rigid = *placed->in;
    if (!placed->place)
        return rigid;
    rigid.body.motion = CD_ARENA_ARRAY(arena, int32_t, rigid.body.count);
    for (int32_t i = 0; i < rigid.body.count; i++)
        rigid.body.motion[i] = cd_elements_of_body(placed, i) > 0 ? CD_MOTION_FIXED : cd_body_motion(placed->in, i);
    return rigid;
}

static double contact_energy(const cd_metric_rows *metric)
{
    for (int32_t i = 0; i < metric->count; i++)
        if (!strcmp(metric->tool[i], "cd-penalty") && !strcmp(metric->name[i], "contact-energy"))
            return metric->value[i];
    return 0;
}

static void add_balance(cd_ctx *ctx, const cd_step_balance *balance)
{
    static const char *const momentum[] = {"momentum-x", "momentum-y", "momentum-z"};
    static const char *const angular[] = {"angular-momentum-x", "angular-momentum-y", "angular-momentum-z"};
    const double p[] = {balance->momentum.x, balance->momentum.y, balance->momentum.z};
    const double l[] = {balance->angular.x, balance->angular.y, balance->angular.z};
    double contact = contact_energy(&ctx->in.metric);
    double energy = balance->kinetic + balance->potential + balance->strain + contact;
    cd_add_metric(ctx, "energy", energy, -1, -1);
    cd_add_metric(ctx, "kinetic-energy", balance->kinetic, -1, -1);
    cd_add_metric(ctx, "potential-energy", balance->potential, -1, -1);
    cd_add_metric(ctx, "strain-energy", balance->strain, -1, -1);
    for (int k = 0; k < ctx->in.dim; k++)
        cd_add_metric(ctx, momentum[k], p[k], -1, -1);
    for (int k = ctx->in.dim == 2 ? 2 : 0; k < 3; k++)
        cd_add_metric(ctx, angular[k], l[k], -1, -1);
}

cd_status cd_step_explicit_frame(cd_ctx *ctx, cd_step_stage *stage)
{
    const cd_step_options *options = stage->options;
    cd_placed_elements placed;
    cd_step_nodes nodes;
    cd_step_bodies bodies;
    cd_step_decision decision = cd_step_accepted();
    CD_TRY(cd_elements_place(&ctx->arena, &ctx->in, &stage->elements, ctx->refs, &placed, &ctx->diag));
    CD_TRY(cd_elements_check_others(&placed, &ctx->diag));
    CD_TRY(cd_step_nodes_make(&ctx->arena, &ctx->in, &stage->solids, &placed, ctx->threads, &nodes, &ctx->diag));
    cd_model rigid = with_meshes_fixed(&ctx->arena, &placed);
    CD_TRY(
        cd_step_bodies_begin(&ctx->arena, &rigid, cd_step_integrator_find(options->integrator), &bodies, &ctx->diag));
    CD_TRY(cd_step_take_values(&ctx->arena, &bodies, &ctx->diag));
    CD_TRY(cd_step_write_next(&ctx->arena, &bodies, true, NULL, &ctx->out.next, &ctx->diag));
    CD_TRY(cd_step_write_nodes(&ctx->arena, &nodes, &ctx->out.next_node, &ctx->diag));
    CD_TRY(cd_step_write_verdict(&ctx->arena, &ctx->in, &decision, options->step, &ctx->out.verdict, &ctx->diag));
    if (options->energy) {
        cd_step_balance balance = cd_step_balance_of(&bodies, &nodes);
        add_balance(ctx, &balance);
    }
    return CD_OK;
}
