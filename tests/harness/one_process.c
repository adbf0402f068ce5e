// one_process -- the stages of a contact step called one after the other in one process, for comparison with the same
// stages as a pipeline of filters: the six that solve for impulses, or, of a scene of the model penalty, the four that
// push.
//
// Each tool's main.c is compiled a second time with `main` renamed and cd_filter_main replaced by cd_harness_filter,
// which takes down the tool's stage functions; nothing of a stage is written twice. Tables go from stage to stage as
// pointers.
//
//   usage: one_process STEPS SCENE [OUT [PENALTY]]     prints one JSON line of CPU seconds by stage; OUT gets the last
//   frame's bodies (of the plane) and nodes, PENALTY is an option of cd-penalty
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "cd_next_frame.h"
#include "cd_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STAGE_COUNT 6  // at most
int broad_main(int argc, char **argv);
int narrow_main(int argc, char **argv);
int assemble_main(int argc, char **argv);
int lcp_main(int argc, char **argv);
int step_main(int argc, char **argv);
int overlap_main(int argc, char **argv);
int penalty_main(int argc, char **argv);
int cd_harness_filter(int argc, char **argv, const cd_filter *filter);

static cd_filter stage_filter[STAGE_COUNT];
static cd_ctx stage_ctx[STAGE_COUNT];
static int stage_count;

static void stop(const char *what, const cd_diag *diag)
{
    fprintf(stderr, "one_process: %s: %s\n", what, diag->text);
    exit(1);
}

int cd_harness_filter(int argc, char **argv, const cd_filter *filter)
{
    static cd_arena arena;
    const cd_option *const tables[] = {filter->options, NULL};
    cd_arguments arguments;
    cd_diag diag = {""};
    if (cd_options_parse(tables, argc, argv, &arena, &arguments, &diag) != CD_OK)
        stop(filter->name, &diag);
    stage_filter[stage_count++] = *filter;
    return 0;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Head tables and the first frame's state, decoded once with defaults.
static void read_scene(const char *path, cd_model *model, cd_arena *arena, cd_reader **reader)
{
    cd_diag diag = {""};
    cd_limits limits = {1 << 28, 1 << 30, 1 << 30};
    if (cd_reader_open(path, &limits, reader, &diag) != CD_OK)
        stop(path, &diag);
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(*reader, &chunk, &diag)) == CD_OK && chunk.type != CD_REC_fend) {
        cd_model any;
        if (cd_reader_decode(*reader, &chunk, arena, (cd_rows *)&any, &diag) != CD_OK)
            stop(path, &diag);
        model->dim = cd_reader_dim(*reader);
        cd_rows_append(arena, &cd_records[chunk.type], model->dim, cd_model_rows(model, chunk.type), (cd_rows *)&any);
    }
    if (status != CD_OK)
        stop(path, &diag);
    for (int type = 0; type < CD_REC_COUNT; type++)
        cd_rows_fill_defaults(arena, &cd_records[type], model->dim, cd_model_rows(model, (cd_record_type)type));
}

static void make_all_parts(const cd_parts *parts, const cd_record *record, cd_arena *arena, cd_rows *rows)
{
    memset(rows, 0, record->size);
    rows->count = parts->count;
    if (parts->count)
        parts->make(parts->context, arena, 0, parts->count, rows);
}

static void run_stage(int s, cd_model *model, double *seconds)
{
    cd_ctx *ctx = &stage_ctx[s];
    double start = cpu_seconds();
    ctx->in = *model;
    memset(&ctx->out, 0, sizeof ctx->out);
    ctx->out.dim = model->dim;
    if (stage_filter[s].each_frame(ctx) != CD_OK)
        stop(stage_filter[s].name, &ctx->diag);
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (ctx->parts[type].make)
            make_all_parts(&ctx->parts[type], &cd_records[type], &ctx->arena,
                           cd_model_rows(&ctx->out, (cd_record_type)type));
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (type != CD_REC_metric && (stage_filter[s].writes >> type & 1)) {
            cd_rows *to = cd_model_rows(model, (cd_record_type)type);
            memcpy(to, cd_model_rows(&ctx->out, (cd_record_type)type), cd_records[type].size);
            cd_rows_fill_defaults(&ctx->arena, &cd_records[type], model->dim, to);
        }
    seconds[s] += cpu_seconds() - start;
}

// What cd-loop does on an accepted step. `arena` is not the one that holds the state of the step before.
static void advance(cd_model *model, cd_run_clock *clock, cd_arena *arena)
{
    cd_diag diag = {""};
    cd_model next;
    bool accepted;
    cd_arena_reset(arena);
    if (cd_next_frame(arena, model, clock, &next, &accepted, &diag) != CD_OK)
        stop("next frame", &diag);
    model->frame = next.frame;
    model->body = next.body;
    model->node = next.node;
    cd_rows_fill_defaults(arena, &cd_records[CD_REC_frame], model->dim, (cd_rows *)&model->frame);
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].rank >= CD_RANK_BOUNDS && cd_records[type].rank < CD_RANK_END)
            memset(cd_model_rows(model, (cd_record_type)type), 0, cd_records[type].size);
    for (int s = 0; s < stage_count; s++)
        cd_arena_reset(&stage_ctx[s].arena);
}

static void write_bodies(const char *path, const cd_model *model)
{
    FILE *file = fopen(path, "w");
    if (!file)
        exit(4);
    for (int32_t i = 0; i < model->body.count; i++)
        if (model->dim == 2 && model->body.position && model->body.rotation && !isnan(model->body.position[2 * i]))
            fprintf(file, "%lld %a %a %a\n", (long long)model->body.id[i], model->body.position[2 * i],
                    model->body.position[2 * i + 1], model->body.rotation[i]);
    for (int32_t i = 0; i < model->node.count * model->dim; i++)
        fprintf(file, "%a\n", model->node.position[i]);
    if (fclose(file) != 0)
        exit(4);
}

// The tools' options. One round: a frame that is tried again would need what cd-loop does.
static void choose_stages(const cd_model *model, char *penalty)
{
    const char *word = model->head.model ? model->head.model[0] : NULL;
    if (word && !strcmp(word, "penalty")) {
        broad_main(1, (char *[]){"one_process", NULL});
        narrow_main(1, (char *[]){"one_process", NULL});
        penalty_main(penalty ? 2 : 1, (char *[]){"one_process", penalty, NULL});
        step_main(2, (char *[]){"one_process", "--integrator=central", NULL});
        return;
    }
    broad_main(1, (char *[]){"one_process", NULL});
    narrow_main(2, (char *[]){"one_process", "--contacts=features", NULL});
    assemble_main(2, (char *[]){"one_process", "--model=peg", NULL});
    lcp_main(1, (char *[]){"one_process", NULL});
    step_main(2, (char *[]){"one_process", "--rounds=1", NULL});
    overlap_main(1, (char *[]){"one_process", NULL});
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: one_process STEPS SCENE [OUT [PENALTY]]\n");
        return 2;
    }
    static cd_model model;
    cd_arena run = {0}, state[2] = {{0}};
    cd_reader *reader;
    cd_run_clock clock;
    cd_diag diag = {""};
    read_scene(argv[2], &model, &run, &reader);
    choose_stages(&model, argc > 4 ? argv[4] : NULL);
    if (cd_run_clock_start(&model.frame, &clock, &diag) != CD_OK)
        stop(argv[2], &diag);
    for (int s = 0; s < stage_count; s++) {
        stage_ctx[s] = (cd_ctx){.filter = &stage_filter[s],
                                .refs = cd_reader_refs(reader),
                                .needs = stage_filter[s].needs,
                                .writes = stage_filter[s].writes,
                                .threads = 1,
                                .repeat = 1,
                                .quiet = true,
                                .limits = {1 << 28, 1 << 30, 1 << 30}};
        if (stage_filter[s].begin && stage_filter[s].begin(&stage_ctx[s]) != CD_OK)
            stop(stage_filter[s].name, &stage_ctx[s].diag);
        stage_ctx[s].in = model;
        if (stage_filter[s].head && stage_filter[s].head(&stage_ctx[s]) != CD_OK)
            stop(stage_filter[s].name, &stage_ctx[s].diag);
    }
    double seconds[STAGE_COUNT] = {0}, total = cpu_seconds();
    for (long step = 0; step < atol(argv[1]); step++) {
        for (int s = 0; s < stage_count; s++)
            run_stage(s, &model, seconds);
        advance(&model, &clock, &state[step % 2]);
    }
    printf("{\"steps\":%ld,\"bodies\":%d,\"total\":%.4f", atol(argv[1]), model.body.count, cpu_seconds() - total);
    for (int s = 0; s < stage_count; s++)
        printf(",\"%s\":%.4f", stage_filter[s].name, seconds[s]);
    printf("}\n");
    if (argc > 3)
        write_bodies(argv[3], &model);
    return 0;
}
