// SPDX-License-Identifier: MIT
#include "view_run.h"
cd_status cd_view_run_check(cd_ctx *ctx) { (void)ctx; return CD_OK; }
