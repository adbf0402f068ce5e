// SPDX-License-Identifier: MIT
#include "diff_by_pair.h"

#include "cd_length.h"
#include "diff_replay.h"
#include "diff_stage.h"

#include <inttypes.h>

static const double usual_epsilon = 1e-6;  // [1] of the length; that of cd-scene(1)

typedef struct pair_run {
    cd_ctx *ctx;
    const cd_diff_options *options;
    cd_diff_streams streams;
    cd_diff_tally tally;
    cd_diff_pair_rules rules;
    double length;
    int64_t contacts[2];  // rows, also of frames that the other stream lacks
    cd_arena scratch;
} pair_run;

cd_status cd_diff_find_length(cd_arena *arena, const cd_diff_side *side, double *length, cd_diag *diag)
{
    cd_model model = side->head->model;
    model.frame = side->tables->model.frame;
    model.body = side->tables->model.body;
    cd_leaves leaves;
    CD_TRY(cd_leaves_make(arena, &model, side->refs, &leaves, diag));
    *length = cd_length_of(arena, &model, &leaves);
    return CD_OK;
}

// The characteristic length: --length, or the left stream's; and what goes with it.
static cd_status find_length(pair_run *run, const cd_diff_section *section)
{
    cd_diff_side side = section->side[section->side[0].tables ? 0 : 1];
    run->length = run->options->length;
    if (isnan(run->length))
        CD_TRY(cd_diff_find_length(&run->scratch, &side, &run->length, &run->ctx->diag));
    const cd_diff_options *o = run->options;
    run->tally.tolerance =
        (cd_diff_tolerances){o->gap_tolerance * run->length, o->normal_tolerance, o->point_tolerance * run->length};
    run->tally.worst_most = (int32_t)o->worst;
    run->rules =
        (cd_diff_pair_rules){.by_body = !strcmp(o->by, "body"),
                             .gap = run->tally.tolerance.gap,
                             .epsilon = cd_f64_or(side.head->model.head.epsilon, 0, usual_epsilon * run->length)};
    return CD_OK;
}

static cd_status compare_frames(pair_run *run)
{
    cd_diff_section section;
    for (;;) {
        cd_status status = cd_diff_next(&run->streams, &section);
        if (status == CD_END)
            break;
        CD_TRY(status);
        if (section.is_head)
            continue;
        if (isnan(run->length))
            CD_TRY(find_length(run, &section));
        for (int s = 0; s < 2; s++)
            run->contacts[s] += section.side[s].tables ? section.side[s].tables->model.contact.count : 0;
        if (section.side[0].tables && section.side[1].tables) {
            cd_diff_pairs pairs = cd_diff_pairs_of(&run->scratch, &section, &run->rules);
            cd_diff_tally_add(&run->ctx->run, &run->tally, &pairs);
        }
        cd_arena_reset(&run->scratch);
    }
    cd_diff_tally_finish(&run->ctx->run, &run->tally);
    return CD_OK;
}

// A stream without any contact, and without a program that looks for them, is not one that has found none.
static cd_status check_contacts(pair_run *run)
{
    bool lacks[2];
    for (int s = 0; s < 2; s++) {
        const cd_prog_rows *prog = &run->streams.stream[s].head.model.prog;
        lacks[s] =
            run->contacts[s] == 0 && !cd_diff_has_tool(prog, "cd-narrow") && !cd_diff_has_tool(prog, "cd-penalty");
    }
    if (lacks[0] || lacks[1])
        return cd_fail(&run->ctx->diag, CD_ERR_FORMAT, "contact: %s has none: is cd-narrow missing?",
                       lacks[0] && lacks[1] ? "neither stream"
                       : lacks[0]           ? "the left stream"
                                            : "the right stream");
    return CD_OK;
}

static cd_status print_report(pair_run *run, cd_diff_pair_summary *summary)
{
    cd_ctx *ctx = run->ctx;
    if (run->options->replay)
        CD_TRY(cd_diff_write_replay(ctx, run->options, &run->tally, &summary->replayed));
    cd_buffer out = {0};
    if (ctx->output_is_json)
        cd_diff_print_pairs_json(summary, &out);
    else
        cd_diff_print_pairs(summary, &out);
    cd_status status = cd_write_text(ctx, out.data, out.size);
    cd_buffer_release(&out);
    return status;
}

static cd_status compare(pair_run *run)
{
    cd_ctx *ctx = run->ctx;
    cd_diff_rules rules = {0};
    if (run->options->replay)
        CD_TRY(cd_diff_prepare_replay(ctx, run->options->replay));
    CD_TRY(cd_diff_begin_rows(ctx, run->options, &rules, &run->streams));
    CD_TRY(cd_diff_check_dim(&run->streams));
    CD_TRY(compare_frames(run));
    CD_TRY(check_contacts(run));
    cd_diff_pair_summary summary = {.tally = &run->tally,
                                    .length = run->length,
                                    .by_body = run->rules.by_body,
                                    .frames = run->streams.frames,
                                    .replay = run->options->replay,
                                    .only = {run->streams.only[0], run->streams.only[1]}};
    CD_TRY(print_report(run, &summary));
    int64_t frames = summary.only[0] + summary.only[1], pairs = run->tally.pairs - run->tally.count[CD_DIFF_SAME];
    if (frames > 0)
        return cd_fail(&ctx->diag, CD_ERR_CHECK,
                       "%" PRId64 " of %" PRId64 " pairs differ, %" PRId64 " frames are in one stream alone", pairs,
                       run->tally.pairs, frames);
    if (pairs > 0)
        return cd_fail(&ctx->diag, CD_ERR_CHECK, "%" PRId64 " of %" PRId64 " pairs differ", pairs, run->tally.pairs);
    return CD_OK;
}

cd_status cd_diff_run_by_pair(cd_ctx *ctx, const cd_diff_options *options)
{
    pair_run run = {.ctx = ctx, .options = options, .length = NAN};
    cd_status status = compare(&run);
    cd_diff_tally_release(&run.tally);
    cd_diff_close(&run.streams);
    cd_arena_release(&run.scratch);
    return status;
}
