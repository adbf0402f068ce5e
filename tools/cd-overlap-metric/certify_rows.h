// certify_rows -- certificates as rows and metrics of the stream.
// SPDX-License-Identifier: MIT
#ifndef CERTIFY_ROWS_H
#define CERTIFY_ROWS_H

#include "cd_filter.h"
#include "certify_path.h"

// Rows of all certificates of the result, and with `path` of the way, and metrics of how many there are.
void cd_certificate_write(cd_ctx *ctx, const cd_overlap_input *input, const cd_overlap_result *result, bool path);

#endif
