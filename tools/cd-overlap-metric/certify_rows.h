// certify_rows -- certificates as rows of the stream.
// SPDX-License-Identifier: MIT
#ifndef CERTIFY_ROWS_H
#define CERTIFY_ROWS_H

#include "overlap_stage.h"

enum { CD_CERTIFICATE_OPEN = CD_LABEL_COUNT, CD_CERTIFICATE_COUNTS };
extern const char *const cd_certificate_metric[CD_CERTIFICATE_COUNTS];

typedef struct cd_certificate_counts {
    int32_t of[CD_CERTIFICATE_COUNTS];  // by CD_LABEL_..., and those open: no row, nothing is proved
} cd_certificate_counts;

// Rows in the order of the result. @owns arena
cd_certificate_counts cd_certificate_make_rows(cd_arena *arena, const cd_model *in, const cd_overlap_result *result,
                                               cd_certificate_rows *rows);

#endif
