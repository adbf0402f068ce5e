// SPDX-License-Identifier: MIT
#include "diff_replay.h"

#include "cd_output.h"
#include "cd_selection.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const side_names[2] = {"left", "right"};

typedef struct wanted_pair {
    const cd_diff_judged *judged;
    const char *name;  // class and rank
    bool is_written;
} wanted_pair;

typedef struct replay {
    cd_ctx *ctx;
    const cd_diff_options *options;
    const cd_diff_tally *tally;
    cd_diff_streams streams;
    cd_arena scratch;
    wanted_pair *wanted;
    int32_t count, written;
} replay;

// ---- before the streams are read -----------------------------------------------------------------------------------

static cd_status check_empty(const char *folder, cd_diag *diag)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return cd_fail(diag, CD_ERR_IO, "--replay: %s: %s", folder, strerror(errno));
    bool is_empty = true;
    for (const struct dirent *entry; is_empty && (entry = readdir(dir));)
        is_empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    closedir(dir);
    return is_empty ? CD_OK : cd_fail(diag, CD_ERR_USAGE, "--replay: %s: there are files in it already", folder);
}

cd_status cd_diff_prepare_replay(cd_ctx *ctx, const char *folder)
{
    for (int s = 0; s < 2; s++) {
        struct stat info;
        if (!strcmp(ctx->operand[s], "-") || (stat(ctx->operand[s], &info) == 0 && !S_ISREG(info.st_mode)))
            return cd_fail(&ctx->diag, CD_ERR_USAGE,
                           "--replay: %s: the %s stream is read twice: it must be a file, not a pipe", ctx->operand[s],
                           side_names[s]);
    }
    if (mkdir(folder, 0777) == 0)
        return CD_OK;
    if (errno != EEXIST)
        return cd_fail(&ctx->diag, CD_ERR_IO, "--replay: %s: %s", folder, strerror(errno));
    return check_empty(folder, &ctx->diag);
}

// ---- one stream of one pair ----------------------------------------------------------------------------------------

static cd_status write_stream(replay *run, cd_model *head, cd_model *frame, const char *path)
{
    cd_diag *diag = &run->ctx->diag;
    cd_writer_options options = {.encoding = CD_ENCODING_JSON, .level = -1, .path = path, .limits = run->ctx->limits};
    cd_writer *writer = NULL;
    cd_refs refs = {0};
    cd_status status = cd_writer_open(&options, &writer, diag);
    if (status == CD_OK)
        status = cd_writer_tables(writer, head, true, &refs, diag);
    if (status == CD_OK)
        status = cd_writer_tables(writer, frame, false, &refs, diag);
    if (status == CD_OK)
        status = cd_writer_frame_end(writer, diag);
    if (status == CD_OK)
        status = cd_writer_end(writer, diag);
    cd_writer_close(writer);
    cd_refs_release(&refs);
    return status;
}

// The two bodies of one side. Its head says the characteristic length: that of two bodies alone is another.
static cd_status write_side(replay *run, const cd_diff_side *side, const cd_diff_pair *pair, const char *path)
{
    cd_arena *arena = &run->scratch;
    cd_model head = side->head->model;
    cd_tables frame = *side->tables;
    frame.foreign.count = 0;
    if (!head.head.length) {
        double *length = CD_ARENA_ARRAY(arena, double, 1);
        CD_TRY(cd_diff_find_length(arena, side, length, &run->ctx->diag));
        head.head.length = length;
    }
    int64_t id[2] = {pair->a.body, pair->b.body};
    cd_selection selection = cd_selection_of_bodies(arena, id, 2);
    cd_selection_apply(arena, &selection, &frame);
    cd_selection_drop_shapes(arena, &head, &frame.model);
    return write_stream(run, &head, &frame.model, path);
}

// ---- the commands --------------------------------------------------------------------------------------------------

static void put_site(cd_diff_site site, cd_buffer *out)
{
    cd_buffer_printf(out, "%" PRId64, site.body);
    if (site.part >= 0)
        cd_buffer_printf(out, ":%d", site.part);
}

static void put_sites(const cd_diff_pair *pair, cd_buffer *out)
{
    put_site(pair->a, out);
    cd_buffer_text(out, " ");
    put_site(pair->b, out);
}

static void put_commands(const replay *run, const wanted_pair *wanted, cd_buffer *out)
{
    const cd_diff_pair *pair = &wanted->judged->pair;
    const cd_diff_tolerances *tolerance = &run->tally->tolerance;
    cd_buffer_printf(out, "#!/bin/sh\n# %s: %s\n# ", wanted->name, cd_diff_class_words[wanted->judged->kind]);
    cd_diff_print_judged_heading(out);
    cd_buffer_text(out, "# ");
    cd_diff_print_judged(wanted->judged, run->tally->conventions.gap_reversed, out);
    cd_buffer_text(out, "cd \"$(dirname \"$0\")\" || exit\nset -x\n");
    for (int s = 0; s < 2; s++) {
        cd_buffer_text(out, "cd-view --why ");
        put_sites(pair, out);
        cd_buffer_printf(out, " %s.%s.jsonl\n", wanted->name, side_names[s]);
    }
    // The length is 1, so tolerances are in m.
    cd_buffer_printf(
        out, "cd-diff --by %s --length 1 --gap %.17g --normal %.17g --point %.17g %s.left.jsonl %s.right.jsonl\n",
        run->options->by, tolerance->gap, tolerance->normal, tolerance->point, wanted->name, wanted->name);
    cd_buffer_printf(out, "cd-plot --show bodies,ids,contacts,normals -o %s.svg %s.left.jsonl %s.right.jsonl\n",
                     wanted->name, wanted->name, wanted->name);
}

static cd_status write_commands(const replay *run, const wanted_pair *wanted, const char *path)
{
    cd_diag *diag = &run->ctx->diag;
    cd_buffer out = {0};
    put_commands(run, wanted, &out);
    cd_output output;
    cd_status status = cd_output_open(&output, path, diag);
    if (status == CD_OK)
        status = cd_output_write(output.fd, path, out.data, out.size, diag);
    if (status == CD_OK)
        status = cd_output_commit(&output, diag);
    cd_output_discard(&output);
    cd_buffer_release(&out);
    return status;
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

static void list_wanted(replay *run)
{
    const cd_diff_tally *tally = run->tally;
    cd_arena *arena = &run->ctx->run;
    for (int c = 0; c < CD_DIFF_CLASSES; c++)
        run->count += tally->worst_count[c];
    run->wanted = CD_ARENA_ZARRAY(arena, wanted_pair, run->count);
    int32_t at = 0;
    for (int c = 0; c < CD_DIFF_CLASSES; c++)
        for (int32_t i = 0; i < tally->worst_count[c]; i++)
            run->wanted[at++] = (wanted_pair){&tally->worst[c][i],
                                              cd_arena_printf(arena, "%s-%d", cd_diff_class_names[c], i + 1), false};
}

static cd_status write_pair(replay *run, const cd_diff_section *section, const wanted_pair *wanted)
{
    const char *stem = cd_arena_printf(&run->scratch, "%s/%s", run->options->replay, wanted->name);
    for (int s = 0; s < 2; s++)
        CD_TRY(write_side(run, &section->side[s], &wanted->judged->pair,
                          cd_arena_printf(&run->scratch, "%s.%s.jsonl", stem, side_names[s])));
    return write_commands(run, wanted, cd_arena_printf(&run->scratch, "%s.sh", stem));
}

static bool is_place(cd_diff_place p, cd_diff_place q)
{
    return p.index == q.index && p.substep == q.substep && p.round == q.round;
}

static cd_status write_frame(replay *run, const cd_diff_section *section)
{
    cd_diff_place place = cd_diff_place_of(section);
    for (int32_t i = 0; i < run->count; i++) {
        wanted_pair *wanted = &run->wanted[i];
        if (wanted->is_written || !is_place(place, wanted->judged->pair.frame))
            continue;
        CD_TRY(write_pair(run, section, wanted));
        wanted->is_written = true;
        run->written++;
        cd_arena_reset(&run->scratch);
    }
    return CD_OK;
}

static cd_status write_all(replay *run)
{
    cd_diff_rules rules = {0};
    CD_TRY(cd_diff_begin_rows(run->ctx, run->options, &rules, &run->streams));
    while (run->written < run->count) {
        cd_diff_section section;
        cd_status status = cd_diff_next(&run->streams, &section);
        if (status == CD_END)
            return cd_fail(&run->ctx->diag, CD_ERR_IO, "--replay: a stream has changed while it was read");
        CD_TRY(status);
        if (!section.is_head && section.side[0].tables && section.side[1].tables)
            CD_TRY(write_frame(run, &section));
    }
    return CD_OK;
}

cd_status cd_diff_write_replay(cd_ctx *ctx, const cd_diff_options *options, const cd_diff_tally *tally, int32_t *count)
{
    replay run = {.ctx = ctx, .options = options, .tally = tally};
    list_wanted(&run);
    *count = run.count;
    cd_status status = write_all(&run);
    cd_diff_close(&run.streams);
    cd_arena_release(&run.scratch);
    return status;
}
