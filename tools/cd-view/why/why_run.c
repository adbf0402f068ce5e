// SPDX-License-Identifier: MIT
#include "why_run.h"

#include "cd_tables.h"
#include "why_body.h"
#include "why_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_DIGITS = 5, SHOWN_IDS = 12 };

// A body or a part of it, as it was asked for.
typedef struct name {
    int64_t id;
    int32_t part;  // -1: all
} name;

typedef struct round_note {
    int32_t round, substep, contacts;
    double least, impulse;  // [m], [N s]
    bool has_verdict, accept;
} round_note;

typedef struct why_reading {
    cd_ctx *ctx;
    name who[2];
    int bodies;  // 1, 2
    bool has_index, wants_fault, wants_last;
    int64_t index;
    // reading
    cd_tables head, tables;
    bool head_is_done, is_open;
    bool is_skipping;  // this frame is not the one that was asked for
    cd_why_run run;
    // --frame last: the tables of the last index that a stage worked on, looked at when the stream has ended.
    cd_arena held_arena;
    CD_LIST(cd_tables) held;
    // The frame that the story is of; several tables of one index are its rounds and substeps.
    cd_arena kept;
    cd_why_story story;
    bool has_story, is_done;
    int64_t told;
    int story_rank;  // 0: a frame as good as any; 1: they are near there, 2: candidates, 3: in contact
    CD_LIST(round_note) rounds;
    int64_t frames;  // looked at
} why_reading;

// ---- names ---------------------------------------------------------------------------------------------------------

static bool parse_name(const char *text, name *who)
{
    char *end;
    errno = 0;
    *who = (name){strtoll(text, &end, 10), -1};
    if (errno || end == text)
        return false;
    if (*end == ':') {
        const char *start = end + 1;
        const long part = strtol(start, &end, 10);
        if (errno || end == start || part < 0 || part > INT32_MAX)
            return false;
        who->part = (int32_t)part;
    }
    return !*end;
}

bool cd_why_is_name(const char *text)
{
    name unused;
    return parse_name(text, &unused);
}

static cd_status find_body(const why_reading *r, const cd_why_frame *frame, const name *who, int32_t *row)
{
    const cd_body_rows *body = &frame->in.body;
    const int64_t index = frame->in.frame.index[0];
    cd_diag *diag = &r->ctx->diag;
    *row = -1;
    for (int32_t i = 0; i < body->count && *row < 0; i++)
        if (body->id[i] == who->id)
            *row = i;
    if (*row < 0) {
        char ids[256] = "none";
        int used = 0;
        const cd_body_order order = cd_body_order_make(frame->arena, body);
        for (int32_t k = 0; k < body->count && k < SHOWN_IDS; k++)
            used += snprintf(ids + used, sizeof ids - (size_t)used, "%s%" PRId64, k > 0 ? ", " : "",
                             body->id[order.row[k]]);
        return cd_fail(diag, CD_ERR_FORMAT, "--why: frame %" PRId64 " has no body %" PRId64 ": its %d bodies are %s%s",
                       index, who->id, (int)body->count, ids, body->count > SHOWN_IDS ? " ..." : "");
    }
    const int32_t parts = cd_why_parts(frame, *row);
    if (who->part >= parts)
        return cd_fail(diag, CD_ERR_FORMAT, "--why: body %" PRId64 " has no part %d: it has %d, from 0", who->id,
                       (int)who->part, (int)parts);
    return CD_OK;
}

// ---- a frame of the two --------------------------------------------------------------------------------------------

static round_note note_of(const cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    const cd_why_sum sum = cd_why_sum_of(pair);
    return (round_note){.round = cd_i32_or(in->frame.round, 0, 0),
                        .substep = cd_i32_or(in->frame.substep, 0, 0),
                        .contacts = sum.contacts,
                        .least = sum.least,
                        .impulse = sum.size,
                        .has_verdict = in->verdict.count > 0,
                        .accept = in->verdict.count > 0 && in->verdict.accept[0]};
}

static void tell_rounds(why_reading *r)
{
    static const cd_why_column columns[] = {{"substep", "substep"},       {"round", "round"},
                                            {"contacts", "contacts"},     {"least_gap", "least gap [m]"},
                                            {"impulse", "impulse [N s]"}, {"accept", "accepted"}};
    cd_why_story *story = &r->story;
    cd_why_open(story, "rounds",
                r->rounds.count > 1 ? "rounds of the step (the story is of the last that has contacts)" : NULL);
    cd_why_table *table = cd_why_tabulate(story, "list", NULL, 6, columns);
    for (int32_t i = 0; i < r->rounds.count; i++) {
        const round_note *note = &r->rounds.item[i];
        cd_why_add(story, table,
                   (cd_why_value[]){cd_why_number(note->substep), cd_why_number(note->round),
                                    cd_why_number(note->contacts),
                                    cd_why_number(note->contacts > 0 ? note->least : NAN), cd_why_number(note->impulse),
                                    note->has_verdict ? cd_why_yes(note->accept) : cd_why_nothing()});
    }
}

static const char *frame_words(cd_arena *arena, const cd_frame_rows *frame, double step)
{
    const int32_t round = cd_i32_or(frame->round, 0, 0), substep = cd_i32_or(frame->substep, 0, 0);
    const char *text =
        cd_arena_printf(arena, "frame %" PRId64 "  time %.6g s  step %.6g s", frame->index[0], frame->time[0], step);
    if (substep > 0)
        text = cd_arena_printf(arena, "%s  substep %d", text, (int)substep);
    return round > 0 ? cd_arena_printf(arena, "%s  round %d", text, (int)round) : text;
}

static void open_story(cd_why_story *story, cd_arena *arena, const cd_why_frame *frame)
{
    const cd_frame_rows *rows = &frame->in.frame;
    *story = (cd_why_story){.arena = arena};
    cd_why_open(story, "frame", NULL);
    cd_why_say(story, "index", NULL, cd_why_number((double)rows->index[0]), NULL, NULL);
    cd_why_say(story, "time", NULL, cd_why_number(rows->time[0]), "s", NULL);
    cd_why_say(story, "step", NULL, cd_why_number(frame->step), "s", NULL);
    cd_why_say(story, "round", NULL, cd_why_number(cd_i32_or(rows->round, 0, 0)), NULL, NULL);
    cd_why_say(story, "substep", NULL, cd_why_number(cd_i32_or(rows->substep, 0, 0)), NULL, NULL);
}

static void tell_all(cd_why_pair *pair)
{
    cd_why_pair_expect(pair);
    cd_why_tell_bounds(pair);
    cd_why_tell_reach(pair);
    cd_why_tell_motion(pair);
    cd_why_tell_features(pair);
    cd_why_tell_separators(pair);
    cd_why_tell_contacts(pair);
    cd_why_tell_constraints(pair);
    cd_why_tell_end(pair);
    cd_why_judge(pair);
}

// How much the frame has to say of the two: see story_rank.
static int rank_of(const cd_why_pair *pair)
{
    int rank = 0;
    for (int32_t i = 0; i < pair->count; i++) {
        const cd_why_leaves *leaves = &pair->leaves[i];
        const int own = leaves->contacts > 0 ? 3 : leaves->is_pair ? 2 : leaves->should_be ? 1 : 0;
        rank = own > rank ? own : rank;
    }
    return rank;
}

static const char *const last_words = "  (the last that a stage worked on)";

static const char *chosen_words(const why_reading *r, int rank)
{
    if (r->wants_last)
        return last_words;
    if (r->has_index)
        return "";
    if (r->wants_fault)
        return "  (the first in which stream and bodies differ)";
    static const char *const words[] = {
        "  (they are never near; --frame chooses another)", "  (the first in which they should be candidates)",
        "  (the first in which they are candidates)", "  (the first in which they have contacts)"};
    return words[rank];
}

// Is this frame's story rather to be told than the one that is there?
static bool is_better(const why_reading *r, int64_t index, int rank, bool has_faults)
{
    if (!r->has_story)
        return true;
    if (r->wants_fault)
        return has_faults && r->story.difference.count == 0;
    return (index == r->told && rank >= r->story_rank) || (!r->has_index && r->story_rank == 0 && rank > 0);
}

static void keep_story(why_reading *r, cd_arena arena, const cd_why_story *story, int64_t index, int rank)
{
    if (index != r->told)
        r->rounds.count = 0;
    cd_arena_release(&r->kept);
    r->kept = arena;
    r->story = *story;
    r->story.arena = &r->kept;
    r->has_story = true;
    r->told = index;
    r->story_rank = rank;
}

// The story of this frame, in memory of its own.
static cd_status look_at_pair(why_reading *r, const cd_why_frame *frame)
{
    int32_t row[2], part[2] = {r->who[0].part, r->who[1].part};
    for (int k = 0; k < 2; k++)
        CD_TRY(find_body(r, frame, &r->who[k], &row[k]));
    if (row[0] == row[1])
        return cd_fail(&r->ctx->diag, CD_ERR_USAGE, "--why: %" PRId64 " twice: parts of one body have no contacts",
                       r->who[0].id);
    cd_arena arena = {0};
    cd_why_story story;
    cd_why_pair pair;
    open_story(&story, &arena, frame);
    cd_why_pair_make(frame, &story, row, part, &pair);
    const int rank = rank_of(&pair);
    const int64_t index = frame->in.frame.index[0], *id = frame->in.body.id;
    if (r->wants_fault || is_better(r, index, rank, false))
        tell_all(&pair);
    const round_note note = note_of(&pair);
    if (is_better(r, index, rank, story.difference.count > 0)) {
        story.title =
            cd_arena_printf(&arena, "bodies %" PRId64 " (a) and %" PRId64 " (b)\n%s%s", id[pair.row[0]],
                            id[pair.row[1]], frame_words(&arena, &frame->in.frame, frame->step), chosen_words(r, rank));
        keep_story(r, arena, &story, index, rank);
    } else {
        cd_arena_release(&arena);
    }
    if (index == r->told)
        cd_list_push(&r->ctx->run, &r->rounds, note);
    return CD_OK;
}

// How much the frame has to say of the body: as of a pair.
static int rank_of_body(const cd_why_frame *frame, int32_t row)
{
    const cd_contact_rows *contact = &frame->in.contact;
    for (int32_t i = 0; i < contact->count; i++)
        if (contact->a[2 * (size_t)i] == row || contact->b[2 * (size_t)i] == row)
            return 3;
    return 0;
}

static cd_status look_at_body(why_reading *r, const cd_why_frame *frame)
{
    int32_t row;
    CD_TRY(find_body(r, frame, &r->who[0], &row));
    const int rank = rank_of_body(frame, row);
    const int64_t index = frame->in.frame.index[0];
    if (!is_better(r, index, rank, false))
        return CD_OK;
    cd_arena arena = {0};
    cd_why_story story;
    open_story(&story, &arena, frame);
    cd_why_tell_body(frame, &story, row);
    const char *chosen = r->wants_last  ? last_words
                         : r->has_index ? ""
                         : rank > 0     ? "  (the first in which it has contacts)"
                                        : "  (it has no contact; --frame chooses another)";
    story.title = cd_arena_printf(&arena, "body %" PRId64 "\n%s%s", r->who[0].id,
                                  frame_words(&arena, &frame->in.frame, frame->step), chosen);
    keep_story(r, arena, &story, index, rank);
    return CD_OK;
}

// ---- the stream ----------------------------------------------------------------------------------------------------

// Nothing that comes can change the story.
static bool is_settled(const why_reading *r, int64_t next_index)
{
    if (!r->has_story || next_index == r->told)
        return false;
    return r->has_index || (r->wants_fault ? r->story.difference.count > 0 : r->story_rank > 0);
}

static cd_status look_at_frame(why_reading *r, const cd_tables *tables)
{
    cd_why_frame frame;
    CD_TRY(cd_why_frame_make(&r->ctx->arena, &r->run, &tables->model, &frame, &r->ctx->diag));
    r->frames++;
    return r->bodies == 1 ? look_at_body(r, &frame) : look_at_pair(r, &frame);
}

// The last frame of a run has its bodies alone: it is told where no stage worked on any.
static bool is_worked_on(const cd_tables *tables)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].rank > CD_RANK_INPUT && cd_records[type].rank <= CD_RANK_METRIC &&
            cd_model_rows((cd_model *)&tables->model, (cd_record_type)type)->count > 0)
            return true;
    return false;
}

static void hold_frame(why_reading *r)
{
    const bool is_held = r->held.count > 0, is_better = is_worked_on(&r->tables);
    if (is_held && !is_better && is_worked_on(&r->held.item[0]))
        return;
    if (is_held && r->held.item[0].model.frame.index[0] != r->tables.model.frame.index[0]) {
        memset(&r->held, 0, sizeof r->held);
        cd_arena_reset(&r->held_arena);
    }
    cd_arena_adopt(&r->held_arena, &r->ctx->arena);
    cd_list_push(&r->held_arena, &r->held, r->tables);
}

// The rows of a frame again are those that references lead to.
static cd_status look_at_held(why_reading *r)
{
    cd_refs *refs = cd_reader_refs(r->ctx->reader);
    for (int32_t i = 0; i < r->held.count; i++) {
        cd_tables *tables = &r->held.item[i];
        r->index = tables->model.frame.index[0];
        cd_refs_open_frame(refs);
        for (int type = 0; type < CD_REC_COUNT; type++)
            if (!cd_records[type].is_head)
                CD_TRY(cd_refs_add_table(refs, (cd_record_type)type,
                                         cd_model_rows(&tables->model, (cd_record_type)type), &r->ctx->diag));
        CD_TRY(look_at_frame(r, tables));
    }
    return CD_OK;
}

static cd_status close_frame(why_reading *r)
{
    if (r->wants_last) {
        hold_frame(r);
        return CD_OK;
    }
    if (is_settled(r, r->tables.model.frame.index[0]))
        r->is_done = true;
    return r->is_done ? CD_OK : look_at_frame(r, &r->tables);
}

static cd_status complete_head(why_reading *r)
{
    r->head_is_done = true;
    return cd_why_run_make(&r->ctx->run, &r->head.model, cd_reader_refs(r->ctx->reader), r->ctx->threads, &r->run,
                           &r->ctx->diag);
}

static cd_status take(why_reading *r, const cd_chunk *chunk)
{
    cd_ctx *ctx = r->ctx;
    if (chunk->type == CD_REC_frame) {
        if (!r->head_is_done)
            CD_TRY(complete_head(r));
        r->is_open = true;
    }
    if (chunk->type == CD_REC_fend) {
        if (!r->is_skipping)
            CD_TRY(close_frame(r));
        memset(&r->tables, 0, sizeof r->tables);
        cd_arena_reset(&ctx->arena);
        r->is_open = r->is_skipping = false;
        return CD_OK;
    }
    if (chunk->type == CD_REC_end || (r->head_is_done && !r->is_open) || r->is_skipping ||
        (r->is_open && r->is_done && chunk->type != CD_REC_frame))
        return CD_OK;
    CD_TRY(cd_tables_take(r->is_open ? &ctx->arena : &ctx->run, ctx->reader, chunk, r->is_open ? &r->tables : &r->head,
                          &ctx->diag));
    if (chunk->type == CD_REC_frame)
        r->is_skipping = r->has_index && !r->wants_last && r->tables.model.frame.index[0] != r->index;
    return CD_OK;
}

static cd_status print_story(why_reading *r)
{
    cd_ctx *ctx = r->ctx;
    cd_buffer out = {0};
    if (r->bodies == 2)
        tell_rounds(r);
    if (r->wants_fault && r->story.difference.count == 0)
        cd_why_conclude(&r->story, "agree", "stream and bodies agree on the two in all %" PRId64 " frames", r->frames);
    if (ctx->output_is_json)
        cd_why_print_json(&r->story, &out);
    else
        cd_why_print_text(&r->story, ctx->verbose ? 17 : SHOWN_DIGITS, &out);
    const cd_status status = cd_write_text(ctx, out.data, out.size);
    cd_buffer_release(&out);
    return status;
}

static cd_status read_frame_option(why_reading *r, const char *frame)
{
    char *end;
    if (!frame)
        return CD_OK;
    r->wants_fault = !strcmp(frame, "fault");
    r->wants_last = !strcmp(frame, "last");
    if (r->wants_fault && r->bodies == 1)
        return cd_fail(&r->ctx->diag, CD_ERR_USAGE, "--frame: fault is of two bodies: --why A B");
    r->has_index = !r->wants_fault;
    if (r->wants_last)
        return CD_OK;
    errno = 0;
    r->index = strtoll(frame, &end, 10);
    if (r->has_index && (errno || end == frame || *end || r->index < 0))
        return cd_fail(&r->ctx->diag, CD_ERR_USAGE,
                       "--frame: \"%.40s\" is neither the index of a frame nor last or fault", frame);
    return CD_OK;
}

cd_status cd_why_run_story(cd_ctx *ctx, const char *who, const char *with, const char *frame, int operand)
{
    why_reading r = {.ctx = ctx, .bodies = with ? 2 : 1};
    if (!parse_name(who, &r.who[0]) || (with && !parse_name(with, &r.who[1])))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--why: \"%.40s\": wanted a body ID or a part ID:PART", who);
    CD_TRY(read_frame_option(&r, frame));
    CD_TRY(cd_open_reader(ctx, operand, &ctx->reader));
    const cd_frame_range wanted = {.first = r.index, .last = r.index, .step = 1};
    if (r.has_index && !r.wants_last)
        cd_reader_choose(ctx->reader, &wanted);
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK)
        if ((status = take(&r, &chunk)) != CD_OK)
            break;
    if (status == CD_END && r.wants_last && (status = look_at_held(&r)) == CD_OK)
        status = CD_END;
    if (status == CD_END)
        status = r.has_story ? print_story(&r)
                 : r.has_index && !r.wants_last
                     ? cd_fail(&ctx->diag, CD_ERR_FORMAT, "--frame: the stream has no frame %" PRId64, r.index)
                     : cd_fail(&ctx->diag, CD_ERR_FORMAT, "--why: the stream has no frame");
    cd_arena_release(&r.held_arena);
    cd_arena_release(&r.kept);
    return status;
}
