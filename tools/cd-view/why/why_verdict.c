// The last line: one sentence.
// SPDX-License-Identifier: MIT
#include "why_pair.h"

#include <inttypes.h>

static const char *reach_words(const cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    const cd_reach *reach = &frame->reach;
    cd_arena *arena = pair->story->arena;
    const double force = cd_reach_pair(reach, pair->row[0], pair->row[1]);
    const double sway = cd_reach_sway(reach, pair->row[0], pair->row[1]), automatic = 2 * reach->rest + sway;
    if (isnan(reach->same))
        return cd_arena_printf(arena, "reach is %.4g m, automatic: 0.005 length %.4g + motion %.4g", force,
                               2 * reach->rest, sway);
    const char *option = cd_why_option(frame->run, "cd-narrow", "reach");
    return cd_arena_printf(arena, "reach is %.4g m, by %s%s (automatic it would be %.4g m)", force,
                           option ? "cd-narrow " : "head.reach", option ? option : "", automatic);
}

static const char *nearest_words(const cd_why_pair *pair)
{
    const cd_why_leaves *near = &pair->leaves[0];
    cd_arena *arena = pair->story->arena;
    if (pair->asked == 0 || isnan(near->nearest))
        return "their gap is not known";
    const char *when = cd_why_when(arena, near);
    return near->nearest < 0 ? cd_arena_printf(arena, "they overlap by %.4g m at the most (%s)", -near->nearest, when)
                             : cd_arena_printf(arena, "%.4g m apart at their nearest (%s)", near->nearest, when);
}

// NULL: contacts were looked for.
static const char *missing_stage(const cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    cd_arena *arena = pair->story->arena;
    if (cd_why_ran(frame, CD_RANK_CONTACT))
        return NULL;
    const char *stages = cd_why_ran(frame, CD_RANK_PAIR) ? "cd-narrow" : "cd-broad | cd-narrow";
    return cd_why_run_has(frame->run, "cd-narrow")
               ? cd_arena_printf(arena, "this frame has its bodies alone, as the last of a run has (%s finds contacts)",
                                 stages)
               : cd_arena_printf(arena, "the stream was cut before %s", stages);
}

// Why boxes that overlap are no candidate, where that is no fault.
static const char *broad_words(const cd_why_pair *pair)
{
    const cd_why_broad *broad = &pair->frame->run->broad;
    return broad->is_of_spheres ? "the spheres of cd-broad --overlap=sphere do not"
           : broad->uses_bounds ? "cd-broad --use-bounds took those of the stream"
                                : "no stage of this frame pairs them";
}

// Of two that nobody could find a contact of. False: somebody looked.
static bool judge_unasked(cd_why_pair *pair)
{
    cd_why_story *story = pair->story;
    const char *stage = missing_stage(pair);
    if (pair->excluded)
        cd_why_conclude(story, "excluded", "no contact: %s", pair->excluded);
    else if (stage)
        cd_why_conclude(story, "no-stage", "no contact is known: %s; the bodies give %d, %s, %s", stage,
                        (int)pair->expected.count, nearest_words(pair), reach_words(pair));
    else if (pair->fault)
        cd_why_conclude(story, "unknown", "no contact; what the bodies give cannot be told: %s", pair->fault);
    else
        return false;
    return true;
}

static void judge_candidates(cd_why_pair *pair)
{
    cd_why_story *story = pair->story;
    const cd_narrow_mode *mode = pair->state.mode;
    const char *nearest = nearest_words(pair), *reach = reach_words(pair);
    if (mode->is_of_overlaps || mode->takes_pinballs)
        cd_why_conclude(story, "apart", "no contact: %s, and %s finds contacts of overlaps alone", nearest, mode->name);
    else if (pair->leaves[0].nearest > cd_reach_pair(&pair->frame->reach, pair->row[0], pair->row[1]))
        cd_why_conclude(story, "apart", "no contact: %s, %s", nearest, reach);
    else if (!(mode->needs & CD_NARROW_NEEDS_POSES))
        cd_why_conclude(story, "apart", "no contact: %s, but %s looks at the frame's own pose alone; %s", nearest,
                        mode->name, reach);
    else
        cd_why_conclude(story, "no-corner",
                        "no contact: %s, within reach, but %s finds no corner of a region that they share", nearest,
                        mode->name);
}

static void judge_without(cd_why_pair *pair)
{
    const cd_reach *reach = &pair->frame->reach;
    cd_why_story *story = pair->story;
    const double force = cd_reach_pair(reach, pair->row[0], pair->row[1]);
    const double automatic = 2 * reach->rest + cd_reach_sway(reach, pair->row[0], pair->row[1]);
    const cd_why_leaves *near = &pair->leaves[0];
    bool is_candidate = false;
    for (int32_t i = 0; i < pair->count; i++)
        is_candidate |= pair->leaves[i].is_pair;
    if (judge_unasked(pair))
        return;
    if (near->nearest > force && near->nearest <= automatic && !isnan(reach->same))
        cd_why_conclude(story, "reach", "no contact, the reach is too small: %s, %s", nearest_words(pair),
                        reach_words(pair));
    else if (is_candidate)
        judge_candidates(pair);
    else if (near->boxes_apart <= 0)
        cd_why_conclude(story, "no-candidate", "no candidate, though their boxes overlap: %s; %s, %s",
                        broad_words(pair), nearest_words(pair), reach_words(pair));
    else
        cd_why_conclude(story, "no-candidate", "no candidate: their boxes are %.4g m apart, %s, %s", near->boxes_apart,
                        nearest_words(pair), reach_words(pair));
}

// "2 contacts, the least gap is 0.01 m". That of a separator which is chosen for the end of the step may be below 0 at
// its start, of bodies that are apart.
static const char *contacts_words(const cd_why_pair *pair, const cd_why_sum *sum)
{
    cd_arena *arena = pair->story->arena;
    const int pose = pair->frame->in.trial.count > 0 ? CD_WHY_TRIAL : CD_WHY_START;
    const double gap = pair->asked > 0 ? pair->leaves[0].gap[pose] : NAN;
    const char *are = sum->contacts == 1 ? "one contact" : cd_arena_printf(arena, "%d contacts", (int)sum->contacts);
    are = cd_arena_printf(arena, "%s, the least gap is %.4g m", are, sum->least);
    const bool is_behind = sum->least < -cd_why_tolerance(pair->frame) && gap > cd_why_tolerance(pair->frame);
    return is_behind && sum->kind == CD_CONTACT_SEPARATING
               ? cd_arena_printf(arena, "%s along their separator (the bodies are %.4g m apart)", are, gap)
               : are;
}

void cd_why_judge(cd_why_pair *pair)
{
    cd_why_story *story = pair->story;
    if (story->difference.count > 0) {
        const cd_why_difference *first = &story->difference.item[0];
        const bool is_ours = cd_why_run_has(pair->frame->run, first->stage);
        cd_why_conclude(story, "fault", "%s%s is at fault, in table %s: %s",
                        is_ours ? "" : "what stands in the place of ", first->stage, first->record, first->sentence);
        return;
    }
    const cd_why_sum sum = cd_why_sum_of(pair);
    const cd_model *in = &pair->frame->in;
    if (sum.contacts == 0) {
        judge_without(pair);
        return;
    }
    const char *are = contacts_words(pair, &sum);
    if (in->force.count == 0 && in->next.count == 0)
        cd_why_conclude(story, "contact", "%s; what they bear is not in the stream, cd-step tells it", are);
    else if (sum.size > 0)
        cd_why_conclude(story, "bears", "%s: body %" PRId64 " is given %.4g N s in the step", are,
                        pair->frame->in.body.id[pair->row[1]], sum.size);
    else
        cd_why_conclude(story, "idle", "%s: none bears in this step", are);
}
