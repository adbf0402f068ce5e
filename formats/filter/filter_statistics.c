// SPDX-License-Identifier: MIT
#include "filter_statistics.h"

#include "cd_clock.h"
#include "cd_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

void filter_charge(const cd_ctx *ctx, filter_times *times, double *phase)
{
    if (!ctx->stats)
        return;
    double now = cd_clock(CLOCK_PROCESS_CPUTIME_ID);
    *phase += now - times->mark;
    times->mark = now;
}

void filter_print_statistics(cd_ctx *ctx, const filter_times *times, int64_t frames)
{
    ctx->stats_are_printed = true;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    cd_buffer line = {0};
    cd_buffer_printf(&line, "{\"tool\":\"%s\",\"method\":", ctx->filter->name);
    if (ctx->method)
        cd_json_string(&line, ctx->method);
    else
        cd_buffer_text(&line, "null");
    if (ctx->why) {
        cd_buffer_text(&line, ",\"why\":");
        cd_json_string(&line, ctx->why);
    }
    if (ctx->reach > 0) {
        char text[CD_NUMBER_MAX];
        cd_buffer_printf(&line, ",\"reach\":%.*s", cd_number_print(ctx->reach, text), text);
    }
    if (!frames && ctx->writer)
        frames = cd_writer_rows_written(ctx->writer, CD_REC_frame);
    cd_buffer_printf(&line, ",\"frames\":%" PRId64, frames);
    if (ctx->again > 0)
        cd_buffer_printf(&line, ",\"again\":%" PRId64, ctx->again);
    cd_buffer_text(&line, ",\"rows\":{");
    bool first = true;
    for (int type = 0; ctx->writer && type < CD_REC_COUNT; type++) {
        int64_t rows = cd_writer_rows_written(ctx->writer, (cd_record_type)type);
        if (rows > 0 && cd_records[type].rank != CD_RANK_END) {
            cd_buffer_printf(&line, "%s\"%s\":%" PRId64, first ? "" : ",", cd_records[type].name, rows);
            first = false;
        }
    }
    cd_buffer_printf(&line, "},\"threads\":%d", cd_threads_take_most());
    if (ctx->reader)
        cd_buffer_printf(&line, ",\"bytes_read\":%" PRId64, cd_reader_bytes(ctx->reader));
    cd_buffer_printf(&line,
                     ",\"seconds\":{\"read\":%.6f,\"work\":%.6f,\"write\":%.6f,\"work_wall\":%.6f},\"peak_kib\":%ld}\n",
                     times->read, times->work, times->write, times->work_wall, usage.ru_maxrss);
    fwrite(line.data, 1, line.size, stderr);
    cd_buffer_release(&line);
}
