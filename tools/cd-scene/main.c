// cd-scene -- turns a scene written in YAML into the beginning of a stream.
// Reads: a scene, cd-scene(5). Writes: head, prog, shape, material, interaction, element, load, drive, and frame 0 with
// its bodies and nodes; or frames of bodies and bounds.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "cd_scene.h"
#include "cd_schedule.h"
#include "scene_generators.h"
#include "scene_placed.h"
#include "scene_stream.h"

#include <math.h>

static struct options {
    double step, reach, epsilon;
    int64_t seed;
    bool no_placed;
} opt = {.step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1};

static const cd_option option_table[] = {
    CD_OPT_DOUBLE(0, "step", &opt.step, "TIME", CD_YAML_ABOVE_ZERO, 1e300, "[s] instead of the scene's step"),
    CD_OPT_INT(0, "seed", &opt.seed, "N", -1, 0x1p53, "instead of the scene's seed; -1: the scene's own"),
    CD_OPT_DOUBLE(0, "reach", &opt.reach, "LENGTH", CD_YAML_ABOVE_ZERO, 1e300, "[m] instead of the scene's reach"),
    CD_OPT_DOUBLE(0, "epsilon", &opt.epsilon, "LENGTH", CD_YAML_ABOVE_ZERO, 1e300,
                  "[m] instead of the scene's epsilon"),
    CD_OPT_END};
static const cd_option manner_table[] = {
    CD_OPT_FLAG(0, "no-placed", &opt.no_placed, "do not look for bodies that are placed in one another"), CD_OPT_END};

static cd_status run(cd_ctx *ctx)
{
    cd_scene_feed feed = {0};
    cd_scene_settings settings = {.step = opt.step,
                                  .reach = opt.reach,
                                  .epsilon = opt.epsilon,
                                  .seed = opt.seed,
                                  .max_rows = ctx->limits.rows,
                                  .generators = cd_generators,
                                  .feed = &feed};
    cd_scene_warnings warnings = {0};
    cd_model model = {0};
    const cd_yaml_node *root;
    CD_TRY(cd_yaml_load(&ctx->run, ctx->operand_count ? ctx->operand[0] : NULL, ctx->limits.block, &root, &ctx->diag));
    CD_TRY(cd_scene_build(&ctx->run, root, &settings, &model, &warnings, &ctx->diag));
    CD_TRY(cd_schedule_apply(&ctx->run, &model, &model, &ctx->diag));
    for (int32_t i = 0; i < warnings.count; i++)
        cd_warn(ctx, "%s", warnings.item[i]);
    if (!opt.no_placed)
        cd_scene_placed_warn(ctx, &model);
    if (!ctx->no_prog)
        CD_TRY(cd_make_prog(ctx, &ctx->run, &model.prog, &model.prog));
    CD_TRY(cd_open_writer(ctx, CD_ENCODING_JSON, &ctx->writer));
    return cd_scene_write_stream(ctx, &model, &feed);
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){.name = "cd-scene",
                                       .summary = "Turns a scene in YAML into the beginning of a stream.",
                                       .synopsis = "[SCENE.yaml] > stream",
                                       .help = cd_generators_help,
                                       .example = "cd-scene pile.yaml | cd-view --table --type body",
                                       .options = option_table,
                                       .manner = manner_table,
                                       .writes = CD_BIT(head) | CD_BIT(shape) | CD_BIT(material) | CD_BIT(interaction) |
                                                 CD_BIT(element) | CD_BIT(load) | CD_BIT(drive) | CD_BIT(frame) |
                                                 CD_BIT(body) | CD_BIT(node) | CD_BIT(bounds),
                                       .run = run});
}
