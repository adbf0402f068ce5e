// cd-loop -- run a pipeline of filters step after step. Reads: a scene. Writes: the trajectory.
// SPDX-License-Identifier: MIT
#include "cd_contact_model.h"
#include "loop_run.h"

#include <math.h>

static cd_loop_options opt = {.until = NAN, .max_rounds = 1000, .timeout = 600, .every = 1};

static const cd_option option_table[] = {
    CD_OPT_DOUBLE(0, "until", &opt.until, "TIME", 0, 1e300, "[s] last frame: the last whole step that ends by then"),
    CD_OPT_INT(0, "frames", &opt.frames, "N", 1, 1e15, "write at most N frames, halved steps not counted"),
    CD_OPT_CHOICE('m', "model", &opt.model, cd_contact_model_names, "contact model of the run, instead of the scene's"),
    CD_OPT_FLAG(
        'w', "warm", &opt.warm,
        "default pipeline: forces of the step before as a start; results then depend on it within the tolerance"),
    CD_OPT_TEXT(0, "resume", &opt.resume, "FILE", "go on with FILE or FILE.part, as if the run had not stopped"),
    CD_OPT_INT(0, "every", &opt.every, "N", 1, 1e15, "keep each N-th frame, and the last"),
    CD_OPT_TEXT(0, "keep", &opt.keep, "LIST", "keep these tables, as next,metric, what they refer to, and the bodies"),
    CD_OPT_FLAG(0, "keep-trials", &opt.keep_trials, "write rejected trials too"),
    CD_OPT_INT(0, "max-rounds", &opt.max_rounds, "N", 0, 1e9, "give up (exit 5) when a frame was rejected more often"),
    CD_OPT_DOUBLE(0, "timeout", &opt.timeout, "SECONDS", 0, 1e8, "[s] longest wait for a frame's answer, 0: none"),
    CD_OPT_END};

static cd_status run(cd_ctx *ctx)
{
    int scenes = ctx->dashes_place < 0 ? ctx->operand_count : ctx->dashes_place;
    if (scenes > 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.100s: one scene, then -- and the pipeline", ctx->operand[1]);
    if (ctx->dashes_place >= 0 && ctx->operand_count != scenes + 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "behind -- stands one argument, the pipeline in quotes");
    if (isnan(opt.until) && opt.frames == 0)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--until or --frames is needed");
    if (opt.warm && ctx->dashes_place >= 0)
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "--warm is of the default pipeline: give it to the cd-lcp of this one");
    if (opt.resume && ctx->output_path)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--resume writes its file: -o has no place beside it");
    opt.scene = scenes == 1 ? ctx->operand[0] : NULL;
    opt.command = ctx->dashes_place < 0 ? NULL : ctx->operand[scenes];
    return cd_loop_run(ctx, &opt);
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){
            .name = "cd-loop",
            .summary = "Run a shell pipeline of filters as the step of a simulation: scene in, trajectory out.",
            .synopsis = "[SCENE] [-- 'PIPELINE']",
            .notes =
                "SCENE is a stream with one frame, or YAML for cd-scene (a name that ends in .yaml or .yml).\n"
                "The pipeline is started once. It gets binary frames (with -j JSON-lines) and returns each with `next` "
                "and `verdict`\n"
                "(cd-step writes them). Default: 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step',\n"
                "of the model penalty 'cd-broad | cd-narrow | cd-penalty | cd-step -i central'.\n"
                "--until T writes frames 0 .. floor(T/step), the last with its bodies only.",
            .example = "cd-loop -b --until 1 pile.yaml > run.cdb",
            .options = option_table,
            .max_operands = 2,
            .run = run});
}
