// SPDX-License-Identifier: MIT
#include "shard_box.h"

#include "cd_bodies.h"

#include <sys/stat.h>

typedef struct box {
    double min[3], max[3];  // [m] min above max: no position yet
} box;

static void take_position(box *b, int dim, const double *x)
{
    for (int k = 0; k < dim; k++) {
        b->min[k] = fmin(b->min[k], x[k]);
        b->max[k] = fmax(b->max[k], x[k]);
    }
}

// moving: of dynamic bodies; any: of all with a position.
static cd_status read_first_frame(cd_ctx *ctx, cd_reader *reader, box *moving, box *any)
{
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(reader, &chunk, &ctx->diag)) == CD_OK && chunk.type != CD_REC_fend) {
        if (chunk.type == CD_REC_UNKNOWN || (chunk.type != CD_REC_body && !cd_records[chunk.type].is_head))
            continue;
        cd_model in = {.dim = cd_reader_dim(reader)};
        cd_rows *rows = cd_model_rows(&in, chunk.type);
        cd_arena_reset(&ctx->arena);
        CD_TRY(cd_reader_decode_here(reader, &chunk, &ctx->arena, rows, &ctx->diag));
        for (int32_t i = 0; i < in.body.count; i++) {
            if (!cd_body_has_position(&in, i))
                continue;
            const double *x = in.body.position + (size_t)in.dim * (size_t)i;
            take_position(any, in.dim, x);
            if (cd_body_motion(&in, i) == CD_MOTION_DYNAMIC)
                take_position(moving, in.dim, x);
        }
    }
    return status == CD_END ? CD_OK : status;
}

cd_status cd_shard_box_of_file(cd_ctx *ctx, cd_shard_grid *grid)
{
    struct stat about;
    const char *path = ctx->operand_count > 0 ? ctx->operand[0] : "-";
    if (!strcmp(path, "-") || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--box is needed, since the input is no file that can be read twice");
    box moving = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, any = moving;
    cd_reader *reader;
    CD_TRY(cd_open_reader(ctx, 0, &reader));
    cd_status status = read_first_frame(ctx, reader, &moving, &any);
    cd_reader_close(reader);
    const box *found = moving.min[0] <= moving.max[0] ? &moving : &any;
    for (int k = 0; k < grid->dim && found->min[0] <= found->max[0]; k++) {
        grid->min[k] = found->min[k];
        grid->max[k] = found->max[k];
    }
    return status;
}
