// SPDX-License-Identifier: MIT
#include "why_frame.h"

#include "cd_bounds.h"
#include "narrow_options.h"
#include "peg_options.h"

#include <stdlib.h>

// [1] of the length: what two programs on two machines may differ by.
#define SAME_LENGTH 1e-9

// ---- the run -------------------------------------------------------------------------------------------------------

// Row of the tool's last record; -1: there is none.
static int32_t last_prog(const cd_prog_rows *prog, const char *tool)
{
    int32_t last = -1;
    for (int32_t i = 0; i < prog->count; i++)
        if (!strcmp(prog->tool[i], tool))
            last = i;
    return last;
}

bool cd_why_run_has(const cd_why_run *run, const char *tool) { return last_prog(&run->head->prog, tool) >= 0; }

const char *cd_why_option(const cd_why_run *run, const char *tool, const char *name)
{
    const cd_list *argv = &run->head->prog.argv;
    const int32_t row = last_prog(&run->head->prog, tool);
    const size_t length = strlen(name);
    const char *found = NULL;
    for (int32_t i = row < 0 || !argv->offset ? 0 : argv->offset[row]; row >= 0 && argv->offset; i++) {
        if (i >= argv->offset[row + 1])
            break;
        const char *text = argv->text[i];
        if (!strncmp(text, "--", 2) && !strncmp(text + 2, name, length) &&
            (text[2 + length] == '=' || !text[2 + length]))
            found = text;
    }
    return found;
}

static double number_of(const char *option, double otherwise)
{
    const char *equal = option ? strchr(option, '=') : NULL;
    return equal ? strtod(equal + 1, NULL) : otherwise;
}

// Reads the options that the tool was run with into the targets of its table.
static cd_status read_options(cd_arena *arena, const cd_prog_rows *prog, const char *tool, const cd_option *table,
                              cd_diag *diag)
{
    const int32_t row = last_prog(prog, tool);
    const int32_t first = row >= 0 && prog->argv.offset ? prog->argv.offset[row] : 0;
    const int32_t end = row >= 0 && prog->argv.offset ? prog->argv.offset[row + 1] : 0;
    const char **argv = CD_ARENA_ARRAY(arena, const char *, end - first + 2);
    argv[0] = tool;
    for (int32_t i = first; i < end; i++)
        argv[1 + i - first] = prog->argv.text[i];
    argv[1 + end - first] = NULL;
    const cd_option *const tables[] = {table, NULL};
    const int argc = 1 + end - first;
    cd_arguments arguments = {.operand = CD_ARENA_ARRAY(arena, const char *, argc),
                              .own = CD_ARENA_ARRAY(arena, const char *, argc)};
    const cd_status status = cd_options_parse(tables, argc, (char **)argv, arena, &arguments, diag);
    return status == CD_OK ? CD_OK : cd_fail_at(diag, CD_ERR_FORMAT, "prog: argv of %s", tool);
}

static cd_why_broad read_broad(const cd_why_run *run)
{
    const char *tool = "cd-broad", *group = cd_why_option(run, tool, "group"),
               *overlap = cd_why_option(run, tool, "overlap");
    return (cd_why_broad){.reach = number_of(cd_why_option(run, tool, "reach"), NAN),
                          .margin = number_of(cd_why_option(run, tool, "margin"), 0),
                          .no_sweep = cd_why_option(run, tool, "no-sweep") != NULL,
                          .uses_bounds = cd_why_option(run, tool, "use-bounds") != NULL,
                          .is_of_spheres = overlap && !strcmp(overlap, "--overlap=sphere"),
                          .group = group ? strchr(group, '=') + 1 : NULL};
}

static cd_status make_narrow(cd_arena *arena, cd_why_run *run, cd_diag *diag)
{
    cd_narrow_options *options = &run->narrow_options;
    *options = (cd_narrow_options)CD_NARROW_DEFAULTS;
    const cd_option table[] = {CD_NARROW_OPTION_LINES(*options), CD_OPT_END};
    CD_TRY(read_options(arena, &run->head->prog, "cd-narrow", table, diag));
    cd_narrow_stage *stage = &run->narrow;
    *stage = (cd_narrow_stage){.options = options, .refs = run->refs, .threads = run->threads};
    CD_TRY(cd_leaves_make_prepared(arena, run->head, run->refs, run->threads, &stage->shapes, diag));
    stage->elements = run->elements;
    return cd_pinballs_make(arena, run->head, &stage->elements, &stage->shapes, &stage->pinballs, diag);
}

static cd_status make_peg(cd_arena *arena, cd_why_run *run, cd_diag *diag)
{
    cd_peg_options *options = &run->peg_options;
    *options = (cd_peg_options)CD_PEG_DEFAULTS;
    const cd_option table[] = {CD_PEG_OPTION_LINES(*options), CD_OPT_END};
    CD_TRY(read_options(arena, &run->head->prog, "cd-peg-assemble", table, diag));
    CD_TRY(cd_peg_stage_open(arena, options, &run->peg, diag));
    CD_TRY(cd_interactions_make(arena, run->head, &run->peg.interactions, diag));
    return cd_peg_shapes_make(arena, run->head, run->refs, &run->peg.shapes, diag);
}

cd_status cd_why_run_make(cd_arena *arena, const cd_model *head, const cd_refs *refs, int threads, cd_why_run *run,
                          cd_diag *diag)
{
    *run = (cd_why_run){.head = head, .refs = refs, .threads = threads};
    run->broad = read_broad(run);
    CD_TRY(cd_elements_make(arena, head, &run->elements, diag));
    CD_TRY(make_narrow(arena, run, diag));
    cd_diag fault = {0};
    if (make_peg(arena, run, &fault) != CD_OK)  // a run of penalties has no use for it
        run->peg_fault = cd_arena_text(arena, fault.text, strlen(fault.text));
    return CD_OK;
}

// ---- the frame -----------------------------------------------------------------------------------------------------

static cd_model whole_model(cd_arena *arena, const cd_model *head, const cd_model *tables)
{
    cd_model in = *tables;
    in.dim = head->dim;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_record *record = &cd_records[type];
        cd_rows *rows = cd_model_rows(&in, (cd_record_type)type);
        if (record->is_head)
            memcpy(rows, cd_model_rows((cd_model *)head, (cd_record_type)type), record->size);
        else if (rows->count > 0)
            cd_rows_fill_defaults(arena, record, in.dim, rows);
    }
    return in;
}

cd_status cd_why_frame_make(cd_arena *arena, const cd_why_run *run, const cd_model *tables, cd_why_frame *frame,
                            cd_diag *diag)
{
    *frame = (cd_why_frame){.run = run, .arena = arena, .in = whole_model(arena, run->head, tables)};
    const cd_model *in = &frame->in;
    const cd_leaves *leaves = &run->narrow.shapes;
    frame->step = cd_frame_step_or_zero(in);
    frame->trial_row = cd_body_trial_rows(arena, in);
    frame->next_row = cd_body_next_rows(arena, in);
    CD_TRY(cd_elements_place(arena, in, &run->elements, run->refs, &frame->elements, diag));
    CD_TRY(cd_elements_need_positions(&frame->elements, diag));
    frame->reach = cd_reach_make(arena, in, leaves, run->narrow_options.reach);
    frame->boxes_reach = cd_reach_make_shares(arena, in, leaves, run->broad.reach);
    cd_reach_take_elements(&frame->boxes_reach, &frame->elements);
    return CD_OK;
}

// Has a metric of a stage of that rank or behind it?
static bool has_metric(const cd_model *in, cd_rank rank)
{
    static const struct {
        const char *tool;
        cd_rank rank;
    } stage[] = {{"cd-broad", CD_RANK_PAIR},       {"cd-narrow", CD_RANK_CONTACT}, {"cd-spars", CD_RANK_CONTACT},
                 {"cd-peg-assemble", CD_RANK_ROW}, {"cd-lcp", CD_RANK_SOLUTION},   {"cd-penalty", CD_RANK_FORCE},
                 {"cd-step", CD_RANK_NEXT}};
    for (int32_t i = 0; i < in->metric.count; i++)
        for (size_t k = 0; k < sizeof stage / sizeof stage[0]; k++)
            if (stage[k].rank >= rank && !strcmp(in->metric.tool[i], stage[k].tool))
                return true;
    return false;
}

bool cd_why_ran(const cd_why_frame *frame, cd_rank rank)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].rank >= rank && cd_records[type].rank < CD_RANK_METRIC &&
            cd_model_rows((cd_model *)&frame->in, (cd_record_type)type)->count > 0)
            return true;
    return has_metric(&frame->in, rank);
}

const char *cd_why_missing(cd_arena *arena, const cd_why_frame *frame, const char *tool, const char *makes)
{
    if (cd_why_run_has(frame->run, tool))
        return cd_arena_printf(arena, "%s did not run in this frame", tool);
    return cd_arena_printf(arena, "not in the stream: %s makes %s", tool, makes);
}

int32_t cd_why_parts(const cd_why_frame *frame, int32_t body)
{
    const int32_t elements = cd_elements_of_body(&frame->elements, body);
    const int32_t shape = frame->in.body.shape ? frame->in.body.shape[body] : -1;
    const int32_t *first = frame->run->narrow.shapes.first;
    return elements > 0 ? elements : shape < 0 ? 0 : first[shape + 1] - first[shape];
}

cd_why_boxes cd_why_boxes_of(const cd_why_frame *frame, int32_t body)
{
    const size_t numbers = (size_t)frame->in.dim * (size_t)cd_why_parts(frame, body);
    double *min = CD_ARENA_ARRAY(frame->arena, double, numbers), *max = CD_ARENA_ARRAY(frame->arena, double, numbers);
    const cd_why_broad *broad = &frame->run->broad;
    const double grow = cd_reach_share(&frame->boxes_reach, body) + broad->margin;
    const cd_bounds_frame bounds = {&frame->in, &frame->run->narrow.shapes, frame->trial_row, broad->no_sweep};
    if (cd_elements_of_body(&frame->elements, body) > 0)
        cd_elements_bounds(&frame->elements, body, broad->no_sweep, grow, min, max);
    else if (numbers > 0)
        cd_bounds_of_body(&bounds, body, grow, min, max);
    return (cd_why_boxes){min, max};
}

double cd_why_boxes_apart(int dim, const double *min_a, const double *max_a, const double *min_b, const double *max_b)
{
    double apart = -INFINITY;
    for (int k = 0; k < dim; k++)
        apart = fmax(apart, fmax(min_a[k] - max_b[k], min_b[k] - max_a[k]));
    return apart;
}

static bool is_in_group(const cd_model *in, int32_t body, const char *name, size_t length)
{
    const char *own = in->body.group ? in->body.group[body] : NULL;
    return own && strlen(own) == length && !memcmp(own, name, length);
}

// --group A:B asks for pairs of a body of one with a body of the other.
static bool is_of_groups(const cd_why_frame *frame, int32_t a, int32_t b)
{
    const char *group = frame->run->broad.group, *colon = group ? strchr(group, ':') : NULL;
    if (!colon)
        return true;
    const size_t first = (size_t)(colon - group), second = strlen(colon + 1);
    const cd_model *in = &frame->in;
    return (is_in_group(in, a, group, first) && is_in_group(in, b, colon + 1, second)) ||
           (is_in_group(in, b, group, first) && is_in_group(in, a, colon + 1, second));
}

const char *cd_why_excluded(cd_arena *arena, const cd_why_frame *frame, int32_t a, int32_t b)
{
    const cd_model *in = &frame->in;
    const int32_t body[2] = {a, b};
    for (int k = 0; k < 2; k++)
        if (!cd_body_is_active(in, body[k]))
            return cd_arena_printf(arena, "body %lld is not released before %g s", (long long)in->body.id[body[k]],
                                   in->body.release[body[k]]);
    for (int k = 0; k < 2; k++)
        if (cd_why_parts(frame, body[k]) == 0)
            return cd_arena_printf(arena, "body %lld has no shape", (long long)in->body.id[body[k]]);
    if (cd_body_motion(in, a) != CD_MOTION_DYNAMIC && cd_body_motion(in, b) != CD_MOTION_DYNAMIC)
        return "neither body is dynamic: no contact could move them";
    if (!is_of_groups(frame, a, b))
        return cd_arena_printf(arena, "cd-broad --group=%s leaves them out", frame->run->broad.group);
    return NULL;
}

double cd_why_tolerance(const cd_why_frame *frame) { return SAME_LENGTH * frame->reach.length; }
