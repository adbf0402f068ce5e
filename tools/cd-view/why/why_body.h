// why_body -- the story of one body in a frame: what acted on it.
// SPDX-License-Identifier: MIT
#ifndef WHY_BODY_H
#define WHY_BODY_H

#include "why_frame.h"
#include "why_story.h"

// Contacts of the body, their rows and impulses, and what changed its velocity.
void cd_why_tell_body(const cd_why_frame *frame, cd_why_story *story, int32_t row);

#endif
