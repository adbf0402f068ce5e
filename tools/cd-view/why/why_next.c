// Do the states at the step's end follow from those at its start, and do certificates hold for them?
// SPDX-License-Identifier: MIT
#include "why_pair.h"

#include <inttypes.h>

// [1] what rounding may leave of a sum.
#define SAME_SUM 1e-9
// [rad] the same of a turn that is taken back from two rotations.
#define SAME_TURN 1e-12
// [rad] the most that a turn can be told back from two rotations, with room.
#define TURN_MOST 2

static const char *const stage = "cd-step";

// ---- momentum ------------------------------------------------------------------------------------------------------

// [N s] What all contacts give the body.
static cd_vec3 impulse_on(const cd_why_frame *frame, int32_t body, double *size)
{
    const cd_model *in = &frame->in;
    const size_t dim = (size_t)in->dim;
    double sum[3] = {0, 0, 0};
    for (int32_t i = 0; i < in->force.count; i++) {
        const size_t contact = (size_t)in->force.contact[i];
        const double sign = (in->contact.b[2 * contact] == body) - (in->contact.a[2 * contact] == body);
        for (size_t k = 0; k < dim; k++) {
            sum[k] += sign * frame->step * in->force.vector[dim * (size_t)i + k];
            *size += fabs(sign * frame->step * in->force.vector[dim * (size_t)i + k]);
        }
    }
    return (cd_vec3){sum[0], sum[1], sum[2]};
}

// [N s] Of all bodies together: what cd-step says that is not of their contacts.
static double unplaced_impulse(const cd_why_frame *frame)
{
    const cd_metric_rows *metric = &frame->in.metric;
    double sum = 0;
    for (int32_t i = 0; i < metric->count; i++)
        if (!strcmp(metric->tool[i], stage) && !strcmp(metric->name[i], "force-unplaced"))
            sum += fabs(metric->value[i]);
    return sum;
}

static cd_vec3 vector_of(const double *column, int dim, int32_t row)
{
    const double *at = column + (size_t)dim * (size_t)row;
    return (cd_vec3){at[0], at[1], dim == 3 ? at[2] : 0};
}

static cd_vec3 start_velocity(const cd_model *in, int32_t body)
{
    if (in->dim == 3)
        return cd_body_start3(in, body).velocity;
    const cd_vec2 v = cd_body_start2(in, body).velocity;
    return (cd_vec3){v.x, v.y, 0};
}

static cd_vec3 acceleration_of(const cd_model *in, int32_t body)
{
    if (in->dim == 3)
        return cd_body_applied3(in, body).acceleration;
    const cd_vec2 a = cd_body_applied2(in, body).acceleration;
    return (cd_vec3){a.x, a.y, 0};
}

// Of a frame that is a part of a step, what a column says to be ahead (STREAM.md), 0 where it says nothing.
static cd_vec3 ahead_of(const double *column, int count, int32_t row)
{
    double ahead[3] = {0, 0, 0};
    for (int k = 0; k < count && column; k++)
        ahead[k] = cd_f64_or(column, (int32_t)(count * row + k), 0);
    return (cd_vec3){ahead[0], ahead[1], ahead[2]};
}

// What the end of a part has more than its way went by: what is ahead there and was not before.
static cd_vec3 put_ahead(const cd_model *in, int32_t body, int32_t next)
{
    return cd_sub3(ahead_of(in->next.ahead, in->dim, next), ahead_of(in->body.ahead, in->dim, body));
}

static cd_vec3 put_ahead_spin(const cd_model *in, int32_t body, int32_t next)
{
    const int count = in->dim == 3 ? 3 : 1;
    return cd_sub3(ahead_of(in->next.ahead_spin, count, next), ahead_of(in->body.ahead_spin, count, body));
}

// Bodies that push each other in flight take off together what they had ahead: of one alone nothing is said then.
static bool shares_flight(const cd_why_frame *frame, int32_t body)
{
    double size = 0;
    impulse_on(frame, body, &size);
    return size > 0 && cd_length3(ahead_of(frame->in.body.ahead, frame->in.dim, body)) > 0;
}

static void check_momentum(const cd_why_pair *pair, int32_t body, int32_t next)
{
    const cd_why_frame *frame = pair->frame;
    const cd_model *in = &frame->in;
    const double mass = in->body.mass[body];
    double size = 0;
    const cd_vec3 contacts = impulse_on(frame, body, &size);
    const cd_vec3 start = start_velocity(in, body);
    const cd_vec3 end = cd_sub3(vector_of(in->next.velocity, in->dim, next), put_ahead(in, body, next));
    const cd_vec3 applied = cd_scale3(frame->step, acceleration_of(in, body));
    const cd_vec3 given = cd_add3(cd_scale3(mass, cd_add3(start, applied)), contacts);
    const double off = cd_length3(cd_sub3(cd_scale3(mass, end), given));
    const double scale = mass * (cd_length3(start) + cd_length3(applied) + cd_length3(end)) + size;
    if (!(off <= SAME_SUM * scale + unplaced_impulse(frame)))
        cd_why_differ(pair->story, stage, "next", "momentum",
                      "body %" PRId64
                      " ends the step with a momentum that is %.4g N s from what its start, gravity and contacts give",
                      in->body.id[body], off);
}

// ---- place ---------------------------------------------------------------------------------------------------------

static void check_place(const cd_why_pair *pair, int32_t body, int32_t next)
{
    const cd_model *in = &pair->frame->in;
    const double h = pair->frame->step;
    const cd_vec3 start = vector_of(in->body.position, in->dim, body),
                  end = vector_of(in->next.position, in->dim, next);
    const cd_vec3 way = cd_sub3(vector_of(in->next.velocity, in->dim, next), put_ahead(in, body, next));
    const cd_vec3 moved = cd_scale3(h, way);
    const double off = cd_length3(cd_sub3(cd_sub3(end, start), moved));
    if (!(off <= SAME_SUM * (cd_length3(moved) + cd_length3(start) + pair->frame->reach.length)))
        cd_why_differ(pair->story, stage, "next", "position",
                      "body %" PRId64 " ends the step %.4g m from where its velocity takes it", in->body.id[body], off);
}

static void check_turn2(const cd_why_pair *pair, int32_t body, int32_t next)
{
    const cd_model *in = &pair->frame->in;
    const double spin = in->next.spin[next] - put_ahead_spin(in, body, next).x;
    const double turn = pair->frame->step * spin, start = cd_body_start2(in, body).angle;
    const double off = fabs(in->next.rotation[next] - start - turn);
    if (!(off <= SAME_SUM * (1 + fabs(start) + fabs(turn))))
        cd_why_differ(pair->story, stage, "next", "rotation",
                      "body %" PRId64 " ends the step %.4g rad from where its spin turns it", in->body.id[body], off);
}

static void check_turn3(const cd_why_pair *pair, int32_t body, int32_t next)
{
    const cd_model *in = &pair->frame->in;
    const double h = pair->frame->step, *inertia = in->body.inertia + 6 * (size_t)body;
    const cd_state3 start = cd_body_start3(in, body);
    const cd_quat end = cd_quat_at(in->next.rotation + 4 * (size_t)next);
    const cd_vec3 spin = cd_scale3(1 / h, cd_quat_vector(cd_quat_product(end, cd_quat_conjugate(start.rotation))));
    const cd_gyration gyration = cd_head_gyration(in);
    const cd_free3 free = cd_state3_free_velocity(start, inertia, cd_body_applied3(in, body), h, gyration);
    const cd_vec3 given = cd_end_spin3(inertia, free.middle, end, spin, gyration);
    const cd_vec3 own = cd_sub3(vector_of(in->next.spin, 3, next), put_ahead_spin(in, body, next));
    const double off = h * cd_length3(cd_sub3(given, own));
    if (h * fmax(cd_length3(own), cd_length3(start.spin)) > TURN_MOST)
        return;
    // an inertia of unlike axes makes more of what rounding leaves of the turn
    if (!(off <= 1e3 * SAME_TURN + SAME_SUM * h * (cd_length3(own) + cd_length3(given))))
        cd_why_differ(pair->story, stage, "next", "rotation",
                      "body %" PRId64 " ends the step %.4g rad from where its spin turns it", in->body.id[body], off);
}

// ---- certificates --------------------------------------------------------------------------------------------------

// Of the pose at the end of the step, or where there is none of the frame's own.
static void check_certificates(const cd_why_pair *pair)
{
    const cd_certificate_rows *rows = &pair->frame->in.certificate;
    const int pose = pair->frame->in.next.count > 0 ? CD_WHY_NEXT : CD_WHY_START;
    for (int32_t i = 0; i < rows->count; i++) {
        const int32_t *a = rows->a + 2 * (size_t)i, *b = rows->b + 2 * (size_t)i;
        if (!cd_why_is_of(pair, a, b) || !isnan(cd_f64_or(rows->begin, i, NAN)))
            continue;
        const bool in_order = a[0] == pair->row[0];
        const cd_why_leaves *leaves = cd_why_leaves_of(pair, in_order ? a[1] : b[1], in_order ? b[1] : a[1]);
        const double gap = leaves ? leaves->gap[pose] : NAN, least = cd_why_tolerance(pair->frame);
        const int32_t label = rows->label[i];
        const bool is_wrong = (label == CD_LABEL_APART && gap < -least) ||
                              (label == CD_LABEL_OVERLAPPING && gap > least) ||
                              (label == CD_LABEL_TOUCHING && fabs(gap) > least);
        cd_why_say(pair->story, "certificate", "certificate", cd_why_text(cd_words_LABEL[label]), NULL,
                   is_wrong ? "stale" : NULL);
        if (is_wrong)
            cd_why_differ(pair->story, "cd-overlap-metric", "certificate", "stale",
                          "parts %d and %d are certified to be %s, the bodies give a gap of %.4g m at the %s pose: the "
                          "certificate is of other poses, or wrong",
                          a[1], b[1], cd_words_LABEL[label], gap, cd_why_pose_names[pose]);
    }
}

// ---- all -----------------------------------------------------------------------------------------------------------

// Velocities that jump after the motion, and other integrators, have no such simple relation.
static bool is_checkable(const cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    const char *integrator = cd_why_option(pair->frame->run, stage, "integrator");
    return in->verdict.count > 0 && in->verdict.accept[0] && pair->frame->step > 0 &&
           !(in->frame.impact && in->frame.impact[0] > CD_IMPACT_NONE) &&
           (!integrator || strstr(integrator, "semi-implicit"));
}

void cd_why_check_end(cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    for (int k = 0; k < 2 && is_checkable(pair); k++) {
        const int32_t body = pair->row[k], next = pair->frame->next_row[body];
        if (next < 0 || !cd_body_is_moved(in, body) || cd_elements_of_body(&pair->frame->elements, body) > 0 ||
            shares_flight(pair->frame, body))
            continue;
        check_momentum(pair, body, next);
        check_place(pair, body, next);
        if (in->dim == 2)
            check_turn2(pair, body, next);
        else
            check_turn3(pair, body, next);
    }
    check_certificates(pair);
}
