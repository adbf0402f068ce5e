// diff_text -- what the reports of cd-diff have in common.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_TEXT_H
#define CD_DIFF_TEXT_H

#include "cd_records.h"

// A text of the stream, which must neither break the line nor steer the terminal: "?" for control bytes.
void cd_diff_print_tamed(const char *text, cd_buffer *out);
// "velocity[1] [m/s]": a member and the unit that its description begins with. field NULL: none. @owns arena
const char *cd_diff_member_title(cd_arena *arena, const char *member, const cd_field *field);
// "m/s", "" where the description begins with no unit. @owns arena
const char *cd_diff_unit(cd_arena *arena, const cd_field *field);

#endif
