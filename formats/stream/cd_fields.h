// cd_fields -- the table of fields as text for people: the list in cd-stream(5) and of `cd-view --fields` are this
// output.
// SPDX-License-Identifier: MIT
#ifndef CD_FIELDS_H
#define CD_FIELDS_H

#include "cd_memory.h"

void cd_fields_text(cd_buffer *out);  // plain: a paragraph a record type, a line a field
void cd_fields_mdoc(cd_buffer *out);  // the same as a fragment of an mdoc manual

#endif
