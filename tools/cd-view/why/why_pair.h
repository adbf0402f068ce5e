// why_pair -- two bodies of a frame, or a part of each, as their story is told: which of their parts are near over the
// step, what the stream has of them, and what their bodies give.
//
// cd_why_pair_make -> the chapters, in the order of the stages: each opens sections of the story and notes differences
// -> cd_why_judge, whose sentence is the first difference in that order, else what the stream says.
// SPDX-License-Identifier: MIT
#ifndef WHY_PAIR_H
#define WHY_PAIR_H

#include "narrow_frame.h"
#include "why_frame.h"
#include "why_story.h"

// The poses that a gap is told of. Predicted: free motion, without contact.
enum { CD_WHY_START, CD_WHY_PREDICTED, CD_WHY_TRIAL, CD_WHY_NEXT, CD_WHY_POSES };
extern const char *const cd_why_pose_names[];

// A part of a with a part of b.
typedef struct cd_why_leaves {
    int32_t part[2];
    double boxes_apart;          // [m] of the boxes that the bodies give; <= 0: they overlap
    bool is_pair, should_be;     // a candidate of the stream; boxes overlap and nothing leaves the bodies out
    double gap[CD_WHY_POSES];    // [m] NaN: not known, or the pose is not there
    double nearest;              // [m] the least gap over the step; NaN: not known
    double nearest_at;           // [1] share of the step
    int nearest_way;             // the pose that the bodies were on their way to
    int32_t contacts, expected;  // of the stream; that the bodies give
} cd_why_leaves;

typedef struct cd_why_pair {
    const cd_why_frame *frame;
    cd_why_story *story;
    int32_t row[2];        // of `body`; a has the lower id
    int32_t only[2];       // the part that was asked for; -1: all
    const char *excluded;  // cd_why_excluded
    cd_why_boxes boxes[2];
    int32_t count;
    cd_why_leaves *leaves;      // the nearest first
    int32_t first[2], span[2];  // parts that are asked for: first .. first + span - 1
    int32_t *place;             // in `leaves` of parts first[0] + i, first[1] + j: place[i * span[1] + j]
    int32_t asked;              // of them: those whose boxes overlap, whose gaps are known
    // What the bodies give. look: the frame with the pairs that the boxes of a and of b make with all others.
    cd_model look;
    cd_contact_rows expected;     // contacts of the pair
    const char *fault;            // why they cannot be found; NULL: they were
    cd_narrow_frame_state state;  // of `look`
    cd_diag diag;
} cd_why_pair;

// part: -1 all. The story gets title and `bodies`. @owns frame->arena
void cd_why_pair_make(const cd_why_frame *frame, cd_why_story *story, const int32_t row[2], const int32_t part[2],
                      cd_why_pair *pair);

// Is it a contact, or a pair, of the two parts that are asked for?
bool cd_why_is_of(const cd_why_pair *pair, const int32_t *a, const int32_t *b);
// The entry of `leaves` of these parts; NULL: there is none.
cd_why_leaves *cd_why_leaves_of(const cd_why_pair *pair, int32_t part_a, int32_t part_b);

// Finds what the bodies give: before the chapters.
void cd_why_pair_expect(cd_why_pair *pair);

// ---- chapters ------------------------------------------------------------------------------------------------------

void cd_why_tell_bounds(cd_why_pair *pair);       // boxes, candidate or not
void cd_why_tell_reach(cd_why_pair *pair);        // and where it comes from
void cd_why_tell_motion(cd_why_pair *pair);       // gaps at the poses, and the least of the step
void cd_why_tell_features(cd_why_pair *pair);     // pairs of features with what keeps or rejects them
void cd_why_tell_separators(cd_why_pair *pair);   // the chosen one and those behind it
void cd_why_tell_contacts(cd_why_pair *pair);     // of the stream beside those of the bodies
void cd_why_tell_constraints(cd_why_pair *pair);  // constraints and rows
void cd_why_tell_end(cd_why_pair *pair);          // impulses, verdict, gap at the end
// Differences alone: do the states at the end follow from those at the start and what acted (accepted steps, of the
// usual integrator, without impact); do certificates hold?
void cd_why_check_end(cd_why_pair *pair);
void cd_why_judge(cd_why_pair *pair);

// [m] Of two parts that are pinballs, after a share of the step; NaN where one is none.
double cd_why_balls_gap(const cd_why_pair *pair, const cd_why_leaves *leaves, double share);

// What the stream has of the two.
typedef struct cd_why_sum {
    int32_t contacts;   // that take part
    double least;       // [m] gap; infinite without contacts
    int32_t kind;       // of that contact
    double impulse[3];  // [N s] on b
    double size;        // [N s] of the impulse
} cd_why_sum;
cd_why_sum cd_why_sum_of(const cd_why_pair *pair);

// ---- words ---------------------------------------------------------------------------------------------------------

const char *cd_why_site(cd_arena *arena, const cd_model *in, const int32_t *site);  // "3" or, of several parts, "3:1"
const char *cd_why_features(cd_arena *arena, const int32_t *codes);                 // "v3 e2", "" for none
const char *cd_why_when(cd_arena *arena, const cd_why_leaves *leaves);  // "0.25 of the way to the predicted pose"

#endif
