// cd-overlap-metric -- how much bodies overlap. Reads: head, shape, frame, body, next. Writes: metric, certificate.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "certify_rows.h"
#include "overlap_metrics.h"

#include <inttypes.h>

static struct {
    bool per_pair, certify, path;
    double max;  // [m^2, m^3] NaN: not asked
} opt = {.max = NAN};

static const cd_option option_table[] = {
    CD_OPT_FLAG(0, "per-pair", &opt.per_pair,
                "also `overlap` and `overlap-error` of each pair of bodies that overlaps"),
    CD_OPT_FLAG(0, "certify", &opt.certify,
                "also a `certificate` of each pair of parts whose boxes are within epsilon: apart, touching or "
                "overlapping, exactly"),
    CD_OPT_FLAG(0, "path", &opt.path,
                "certificates, also of the way from the bodies to `next`, in planes and intervals"),
    CD_OPT_DOUBLE(0, "max", &opt.max, "SIZE", 0, 1e300,
                  "exit 1 at the end if a frame's overlap is above it [m^2, m^3]"),
    CD_OPT_END,
};

static struct {
    cd_leaves shapes;
    cd_overlap_clock clock;
    int dim;
    int64_t worst_frame;  // index of the frame with the largest overlap
    double worst;         // [m^2, m^3]
    int64_t unmeasured;   // pairs, over all frames
} state;                  // of the run

static cd_status head(cd_ctx *ctx)
{
    state.dim = ctx->in.dim;
    return cd_leaves_make_prepared(&ctx->run, &ctx->in, ctx->refs, ctx->threads, &state.shapes, &ctx->diag);
}

// Frames that are answered as the one before (cd_ctx.is_pure) tick too.
static cd_status open_frame(cd_ctx *ctx)
{
    cd_overlap_clock_tick(&state.clock, &ctx->in);
    return CD_OK;
}

static cd_status each_frame(cd_ctx *ctx)
{
    cd_overlap_result result;
    cd_overlap_input input = {&ctx->in, &state.shapes, &state.clock, ctx->threads, opt.certify || opt.path};
    CD_TRY(cd_overlap_frame(&ctx->arena, &input, &result, &ctx->diag));
    cd_overlap_add_metrics(ctx, &result, opt.per_pair);
    if (opt.certify || opt.path)
        cd_certificate_write(ctx, &input, &result, opt.path);
    state.unmeasured += result.unmeasured;
    if (result.overlap > state.worst) {
        state.worst = result.overlap;
        state.worst_frame = ctx->in.frame.index[0];
    }
    ctx->is_pure = result.unmeasured == 0 && !result.has_new;  // the former are counted for the end
    return CD_OK;
}

static cd_status finish(cd_ctx *ctx)
{
    if (isnan(opt.max))
        return CD_OK;
    if (state.worst > opt.max)
        return cd_fail(&ctx->diag, CD_ERR_CHECK, "frame %" PRId64 ": overlap %.3g m^%d is above --max %.3g",
                       state.worst_frame, state.worst, state.dim, opt.max);
    if (state.unmeasured > 0)
        return cd_fail(&ctx->diag, CD_ERR_CHECK, "--max is not proved: %" PRId64 " pairs could not be measured",
                       state.unmeasured);
    return CD_OK;
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-overlap-metric",
                     .summary = "measure how much bodies overlap, at the end of the step or where they are",
                     .example = "cd-overlap-metric run.cdb | cd-plot --metric overlap -o overlap.svg",
                     .options = option_table,
                     .needs =
                         CD_BIT(head) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(next),
                     .writes = CD_BIT(metric) | CD_BIT(certificate),
                     .head = head,
                     .open_frame = open_frame,
                     .each_frame = each_frame,
                     .finish = finish});
}
