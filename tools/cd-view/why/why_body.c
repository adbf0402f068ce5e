// SPDX-License-Identifier: MIT
#include "why_body.h"

#include "why_pair.h"

#include <inttypes.h>

typedef struct body_sum {
    int32_t contacts, bearing;
    double impulse[3];  // [N s] on the body
} body_sum;

static int32_t force_of(const cd_model *in, int32_t contact)
{
    for (int32_t i = 0; i < in->force.count; i++)
        if (in->force.contact[i] == contact)
            return i;
    return -1;
}

// The contact as the body sees it: normal and impulse towards it.
static void add_contact(const cd_why_frame *frame, cd_why_story *story, cd_why_table *table, int32_t row, int32_t i,
                        body_sum *sum)
{
    const cd_model *in = &frame->in;
    const cd_contact_rows *contact = &in->contact;
    const size_t dim = (size_t)in->dim;
    const int32_t *a = contact->a + 2 * (size_t)i, *b = contact->b + 2 * (size_t)i, force = force_of(in, i);
    const double sign = b[0] == row ? 1 : -1;
    double normal[3], impulse[3] = {NAN, NAN, NAN};
    bool bears = false;
    for (size_t k = 0; k < dim; k++) {
        normal[k] = sign * contact->normal[dim * (size_t)i + k];
        impulse[k] = force < 0 ? NAN : sign * frame->step * in->force.vector[dim * (size_t)force + k];
        sum->impulse[k] += force < 0 ? 0 : impulse[k];
        bears |= force >= 0 && impulse[k] != 0;
    }
    const char *rows = "";
    for (int32_t k = 0; in->row.contact && k < in->row.count; k++)
        if (in->row.contact[k] == i)
            rows = cd_arena_printf(story->arena, "%s%s%" PRId64, rows, *rows ? " " : "", in->row.id[k]);
    sum->contacts++;
    sum->bearing += bears;
    const int32_t *codes = contact->features ? contact->features + 2 * (size_t)i : NULL;
    cd_why_add(story, table,
               (cd_why_value[]){cd_why_number((double)contact->id[i]),
                                cd_why_text(cd_why_site(story->arena, in, b[0] == row ? a : b)),
                                cd_why_text(cd_words_CONTACT[contact->kind[i]]),
                                cd_why_text(cd_why_features(story->arena, codes)), cd_why_number(contact->gap[i]),
                                cd_why_vector(normal, in->dim),
                                cd_why_vector(contact->point + dim * (size_t)i, in->dim), cd_why_text(rows),
                                cd_why_vector(impulse, in->dim)});
}

static body_sum tell_contacts(const cd_why_frame *frame, cd_why_story *story, int32_t row)
{
    static const cd_why_column columns[] = {
        {"contact", "contact"},   {"with", "with"},   {"kind", "kind"},
        {"features", "features"}, {"gap", "gap [m]"}, {"normal", "normal to it"},
        {"point", "point"},       {"rows", "rows"},   {"impulse", "impulse on it [N s]"}};
    const cd_contact_rows *contact = &frame->in.contact;
    const bool has_table = cd_why_ran(frame, CD_RANK_CONTACT);
    body_sum sum = {0};
    cd_why_open(story, "contacts", "contacts of the body");
    cd_why_table *table = cd_why_tabulate(story, "list", NULL, 9, columns);
    for (int32_t i = 0; i < contact->count; i++)
        if (contact->a[2 * (size_t)i] == row || contact->b[2 * (size_t)i] == row)
            add_contact(frame, story, table, row, i, &sum);
    cd_why_say(story, "count", "in the stream", has_table ? cd_why_number(sum.contacts) : cd_why_nothing(), NULL,
               has_table ? NULL : cd_why_missing(story->arena, frame, "cd-narrow", "them"));
    return sum;
}

// [m/s] What gravity and applied forces give it in the step.
static void applied_change(const cd_why_frame *frame, int32_t row, double *change)
{
    const cd_model *in = &frame->in;
    for (int k = 0; k < 3; k++)
        change[k] = 0;
    if (!cd_body_is_moved(in, row))
        return;
    if (in->dim == 2) {
        const cd_vec2 a = cd_body_applied2(in, row).acceleration;
        change[0] = frame->step * a.x;
        change[1] = frame->step * a.y;
        return;
    }
    const cd_vec3 a = cd_body_applied3(in, row).acceleration;
    change[0] = frame->step * a.x;
    change[1] = frame->step * a.y;
    change[2] = frame->step * a.z;
}

static double length_of(const double *v, int dim)
{
    double sum = 0;
    for (int k = 0; k < dim; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

// [m/s] How far the velocity at the end is from what gravity, forces and contacts make of that at the start.
static void tell_change(const cd_why_frame *frame, cd_why_story *story, int32_t row, const body_sum *sum)
{
    const cd_model *in = &frame->in;
    const int dim = in->dim, spins = dim == 2 ? 1 : 3;
    const double *start = in->body.velocity ? in->body.velocity + (size_t)dim * (size_t)row : NULL;
    const double mass = cd_f64_or(in->body.mass, row, NAN);
    const int32_t next = frame->next_row[row];
    double applied[3], contacts[3], rest[3];
    applied_change(frame, row, applied);
    for (int k = 0; k < dim; k++)
        contacts[k] = cd_body_is_moved(in, row) ? sum->impulse[k] / mass : 0;
    cd_why_open(story, "velocity", "its velocity over the step [m/s]");
    cd_why_say(story, "start", "at the start", cd_why_vector(start, dim), NULL, NULL);
    cd_why_say(story, "applied", "gravity and forces", cd_why_vector(applied, dim), NULL, NULL);
    cd_why_say(story, "contacts", "contacts",
               cd_why_ran(frame, CD_RANK_FORCE) ? cd_why_vector(contacts, dim) : cd_why_nothing(), NULL,
               cd_why_ran(frame, CD_RANK_FORCE) ? NULL
                                                : cd_why_missing(story->arena, frame, "cd-step", "what contacts give"));
    if (next < 0)
        return;
    const double *end = in->next.velocity + (size_t)dim * (size_t)next;
    for (int k = 0; k < dim; k++)
        rest[k] = end[k] - (start ? start[k] : 0) - applied[k] - contacts[k];
    cd_why_say(story, "end", "at the end", cd_why_vector(end, dim), NULL, NULL);
    cd_why_say(story, "rest", "not accounted for", cd_why_vector(rest, dim), NULL,
               length_of(rest, dim) <= 1e-9 * (length_of(end, dim) + length_of(applied, dim) + length_of(contacts, dim))
                   ? "rounding"
                   : "a bounce, a part of a step, or a motion that was scaled back");
    cd_why_say(story, "spin_start", "spin at the start [rad/s]",
               cd_why_vector(in->body.spin ? in->body.spin + (size_t)spins * (size_t)row : NULL, spins), NULL, NULL);
    cd_why_say(story, "spin_end", "spin at the end [rad/s]",
               cd_why_vector(in->next.spin + (size_t)spins * (size_t)next, spins), NULL, NULL);
}

void cd_why_tell_body(const cd_why_frame *frame, cd_why_story *story, int32_t row)
{
    const cd_model *in = &frame->in;
    const size_t dim = (size_t)in->dim;
    const int64_t id = in->body.id[row];
    cd_why_open(story, "body", "the body");
    cd_why_say(story, "id", "body", cd_why_number((double)id), NULL, cd_words_MOTION[cd_body_motion(in, row)]);
    cd_why_say(story, "mass", "mass", cd_why_number(cd_f64_or(in->body.mass, row, NAN)), "kg", NULL);
    cd_why_say(story, "position", "position",
               cd_why_vector(in->body.position ? in->body.position + dim * (size_t)row : NULL, in->dim), "m", NULL);
    const body_sum sum = tell_contacts(frame, story, row);
    tell_change(frame, story, row, &sum);
    if (!cd_body_is_active(in, row))
        cd_why_conclude(story, "unreleased", "nothing acts on body %" PRId64 ": it is not released yet", id);
    else if (!cd_why_ran(frame, CD_RANK_CONTACT))
        cd_why_conclude(story, "no-stage", "what touches body %" PRId64 " is not in this frame: %s", id,
                        cd_why_missing(story->arena, frame, "cd-narrow", "contacts"));
    else if (!cd_why_ran(frame, CD_RANK_FORCE))
        cd_why_conclude(story, "contact", "body %" PRId64 " has %d contacts; what they bear is not in this frame: %s",
                        id, (int)sum.contacts, cd_why_missing(story->arena, frame, "cd-step", "it"));
    else if (sum.contacts == 0)
        cd_why_conclude(story, "free", "body %" PRId64 " moves freely: it has no contact", id);
    else if (sum.bearing == 0)
        cd_why_conclude(story, "free", "body %" PRId64 " moves freely: of its %d contacts none bears", id,
                        (int)sum.contacts);
    else if (sum.contacts == 1)
        cd_why_conclude(story, "bears", "the one contact of body %" PRId64 " bears: it gives it %.4g N s in the step",
                        id, length_of(sum.impulse, in->dim));
    else
        cd_why_conclude(story, "bears",
                        "%d of the %d contacts of body %" PRId64 " bear: together they give it %.4g N s in the step",
                        (int)sum.bearing, (int)sum.contacts, id, length_of(sum.impulse, in->dim));
}
