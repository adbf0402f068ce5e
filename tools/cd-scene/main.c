// cd-scene -- turns a scene written in YAML into the beginning of a stream.
// Reads: a scene, cd-scene(5). Writes: head, prog, shape, material, and frame 0 with its bodies.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "cd_scene.h"
#include "scene_generators.h"

#include <math.h>

static struct options {
    double step, reach, epsilon;
    int64_t seed;
} opt = {.step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1};

static const cd_option options[] = {
    CD_OPT_DOUBLE(0, "step", &opt.step, "TIME", CD_YAML_ABOVE_ZERO, 1e300, "[s] instead of the scene's step"),
    CD_OPT_INT(0, "seed", &opt.seed, "N", -1, 0x1p53, "instead of the scene's seed; -1: the scene's own"),
    CD_OPT_DOUBLE(0, "reach", &opt.reach, "LENGTH", CD_YAML_ABOVE_ZERO, 1e300, "[m] instead of the scene's reach"),
    CD_OPT_DOUBLE(0, "epsilon", &opt.epsilon, "LENGTH", CD_YAML_ABOVE_ZERO, 1e300, "[m] instead of the scene's epsilon"),
    CD_OPT_END};

static cd_status write_table(cd_ctx *ctx, cd_model *model, cd_record_type type, cd_refs *refs)
{
    cd_rows *rows = cd_model_rows(model, type);
    CD_TRY(cd_refs_add_table(refs, type, rows, &ctx->diag));
    return cd_writer_rows(ctx->writer, type, model->dim, refs, rows, &ctx->diag);
}

static cd_status write_stream(cd_ctx *ctx, cd_model *model, cd_refs *refs)
{
    static const cd_record_type order[] = {CD_REC_head, CD_REC_prog, CD_REC_shape, CD_REC_material, CD_REC_frame, CD_REC_body};
    if (!ctx->no_prog)
        CD_TRY(cd_make_prog(ctx, &ctx->run, &model->prog, &model->prog));
    CD_TRY(cd_open_writer(ctx, CD_ENCODING_JSON, &ctx->writer));
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        CD_TRY(write_table(ctx, model, order[i], refs));
    CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    return cd_writer_end(ctx->writer, &ctx->diag);
}

static cd_status run(cd_ctx *ctx)
{
    cd_scene_settings settings = {.step = opt.step, .reach = opt.reach, .epsilon = opt.epsilon, .seed = opt.seed,
                                  .max_rows = ctx->limits.rows, .generators = cd_generators};
    cd_scene_warnings warnings = {0};
    cd_model model = {0};
    cd_refs refs = {0};
    const cd_yaml_node *root;
    CD_TRY(cd_yaml_load(&ctx->run, ctx->operand_count ? ctx->operand[0] : NULL, ctx->limits.block, &root, &ctx->diag));
    CD_TRY(cd_scene_build(&ctx->run, root, &settings, &model, &warnings, &ctx->diag));
    for (int32_t i = 0; i < warnings.count; i++)
        cd_warn(ctx, "%s", warnings.item[i]);
    cd_status status = write_stream(ctx, &model, &refs);
    cd_refs_release(&refs);
    return status;
}

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv, &(cd_filter){.name = "cd-scene",
                                                   .summary = "Turns a scene in YAML into the beginning of a stream.",
                                                   .synopsis = "[SCENE.yaml] > stream",
                                                   .help = cd_generators_help,
                                                   .options = options,
                                                   .writes = CD_BIT(head) | CD_BIT(shape) | CD_BIT(material) | CD_BIT(frame) | CD_BIT(body),
                                                   .run = run});
}
