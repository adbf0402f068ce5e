// The table of fields as text: formats/stream/cd_fields.h, the same source as the lists of cd-stream(5).
// SPDX-License-Identifier: MIT
#include "cd_fields.h"
#include "view_run.h"

cd_status cd_view_run_fields(cd_ctx *ctx)
{
    cd_buffer out = {0};
    if (ctx->verbose)
        cd_fields_mdoc(&out);
    else
        cd_fields_text(&out);
    cd_status status = cd_write_text(ctx, out.data, out.size);
    cd_buffer_release(&out);
    return status;
}
