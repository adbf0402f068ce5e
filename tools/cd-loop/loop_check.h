// loop_check -- before the first frame: does each stage find the tables that it works on? Stages are asked what they
// read and write (--json-usage) where their program's name begins with cd- and their text has no redirection. All
// others, and those that do not answer, are trusted: behind them every table may be there.
// SPDX-License-Identifier: MIT
#ifndef LOOP_CHECK_H
#define LOOP_CHECK_H

#include "cd_status.h"

#include <stdint.h>

// given: tables (CD_BIT) of the frames that are sent. CD_ERR_USAGE names the stage, the table and the tool that makes
// it.
cd_status cd_loop_check_stages(const char *command, uint64_t given, cd_diag *diag) CD_MUST_CHECK;

#endif
