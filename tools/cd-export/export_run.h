// export_run -- the walk over a stream that a format is written from.
//
// Memory: the tables of one frame that the format reads, and what the format keeps.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_RUN_H
#define EXPORT_RUN_H

#include "export_format.h"

// CD_ERR_USAGE for types that the format has not, for frames that are not in the stream, and for more than one where it
// holds one.
cd_status cd_export_run(cd_ctx *ctx, const cd_export_options *options) CD_MUST_CHECK;

void cd_export_help(cd_buffer *out);  // the list of formats

#endif
