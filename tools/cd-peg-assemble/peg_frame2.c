// SPDX-License-Identifier: MIT
#include "peg_frame2.h"

#include "cd_bodies.h"

#include <inttypes.h>

enum { AXES = 3 };

typedef struct frame_build {
    cd_arena *arena;
    const cd_model *in;
    const cd_leaves *leaves;
    double step;
    cd_peg_gaps gaps;
    const int32_t *rank;       // of body rows
    const int32_t *trial_row;  // of body rows, -1: at its start
    int32_t *block;            // of body rows, -1: no velocity rows
    cd_diag *diag;
} frame_build;

static int32_t motion_of(const cd_model *in, int32_t body) { return in->body.motion[body]; }

static cd_status bodies_make(frame_build *build, const cd_body_order *order, cd_peg_frame *frame)
{
    const cd_model *in = build->in;
    int32_t count = 0, *row = CD_ARENA_ARRAY(build->arena, int32_t, in->body.count);
    for (int32_t k = 0; k < in->body.count; k++) {
        int32_t body = order->row[k];
        bool has_block = motion_of(in, body) == CD_MOTION_DYNAMIC && cd_body_is_active(in, body);
        build->block[body] = has_block ? count : -1;
        if (has_block)
            row[count++] = body;
    }
    if (count > INT32_MAX / AXES)
        return cd_fail(build->diag, CD_ERR_LIMIT, "body: %d dynamic bodies give more rows than can be numbered", count);
    double *mass = CD_ARENA_ZARRAY(build->arena, double, (size_t)count * AXES * AXES);
    double *momentum = CD_ARENA_ARRAY(build->arena, double, (size_t)count * AXES);
    cd_vec2 gravity = cd_gravity2(in);
    for (int32_t k = 0; k < count; k++) {
        cd_state2 start = cd_body_start2(in, row[k]);
        double m = in->body.mass[row[k]], inertia = in->body.inertia[row[k]];
        double *square = mass + (size_t)k * AXES * AXES;
        square[0] = square[4] = m;
        square[8] = inertia;
        momentum[AXES * k] = m * (start.velocity.x + build->step * gravity.x);
        momentum[AXES * k + 1] = m * (start.velocity.y + build->step * gravity.y);
        momentum[AXES * k + 2] = inertia * start.spin;
    }
    frame->bodies = (cd_peg_bodies){AXES, count, mass, momentum};
    frame->body_row = row;
    return CD_OK;
}

static cd_status contact_fault(const frame_build *build, int32_t row, const char *problem)
{
    return cd_fail(build->diag, CD_ERR_FORMAT, "contact %" PRId64 ": %s", build->in->contact.id[row], problem);
}

static double optional(const double *column, int32_t row) { return column ? column[row] : NAN; }

// Vertex, edge and the numbers of corners of a vertex-edge contact.
static cd_status read_features(const frame_build *build, int32_t row, cd_peg_contact *contact)
{
    const cd_contact_rows *rows = &build->in->contact;
    const int32_t *feature = rows->features ? rows->features + 2 * (size_t)row : NULL;
    if (!feature || feature[0] < 0 || feature[1] < 0)
        return contact_fault(build, row, "features: required of kind vertex-edge");
    int kind[2] = {cd_feature_kind(feature[0]), cd_feature_kind(feature[1])};
    if (kind[0] == CD_FEATURE_VERTEX && kind[1] == CD_FEATURE_EDGE)
        contact->side = CD_PEG_VERTEX_OF_A;
    else if (kind[0] == CD_FEATURE_EDGE && kind[1] == CD_FEATURE_VERTEX)
        contact->side = CD_PEG_VERTEX_OF_B;
    else
        return contact_fault(build, row, "features: kind vertex-edge needs one vertex and one edge");
    for (int s = 0; s < 2; s++) {
        int32_t body = s ? rows->b[2 * row] : rows->a[2 * row];
        int32_t shape = build->in->body.shape ? build->in->body.shape[body] : -1;
        int32_t leaf = shape < 0 ? -1 : build->leaves->first[shape] + contact->part[s];
        if (leaf < 0 || leaf >= build->leaves->first[shape + 1] || build->leaves->plane.leaf[leaf].kind != CD_SHAPE_POLYGON)
            return contact_fault(build, row,
                                 s ? "b: vertex-edge needs a part that is a polygon"
                                   : "a: vertex-edge needs a part that is a polygon");
        contact->corners[s] = build->leaves->plane.leaf[leaf].polygon.count;
        if (cd_feature_index(feature[s]) >= contact->corners[s])
            return contact_fault(build, row, "features: number beyond the polygon's corners");
    }
    contact->vertex = cd_feature_index(feature[contact->side]);
    contact->edge = cd_feature_index(feature[1 - (int)contact->side]);
    return CD_OK;
}

// The points at which the gap rate of the two bodies is taken.
static cd_status read_points(const frame_build *build, int32_t row, const cd_peg_contact *contact, cd_vec2 point[2])
{
    const cd_contact_rows *rows = &build->in->contact;
    const double *column[2] = {rows->point_a, rows->point_b};
    for (int s = 0; s < 2; s++) {
        int from = contact->side == CD_PEG_NO_VERTEX ? s : (int)contact->side;
        const double *own = column[from] ? column[from] + 2 * (size_t)row : NULL;
        if (own && isnan(own[0]))
            own = NULL;
        if (!own && contact->side != CD_PEG_NO_VERTEX)
            return contact_fault(build, row, from ? "point_b: required, the vertex" : "point_a: required, the vertex");
        point[s] = cd_vec2_at(own ? own : rows->point + 2 * (size_t)row);
    }
    return CD_OK;
}

static double rate_of(const double column[AXES], cd_vec2 velocity, double spin)
{
    return column[0] * velocity.x + column[1] * velocity.y + column[2] * spin;
}

static void make_gradient(const frame_build *build, int32_t row, const cd_vec2 point[2], cd_peg_gradient *gradient)
{
    const cd_model *in = build->in;
    cd_vec2 normal = cd_vec2_at(in->contact.normal + 2 * (size_t)row);
    gradient->psi = (in->contact.gap[row] - build->gaps.margin) / build->step;
    for (int s = 0; s < 2; s++) {
        int32_t body = s ? in->contact.b[2 * row] : in->contact.a[2 * row];
        cd_state2 trial = cd_body_trial2(in, build->trial_row, body);
        cd_vec2 d = s ? normal : cd_negate2(normal);
        double *column = gradient->column[s];
        gradient->block[s] = build->block[body];
        column[0] = d.x;
        column[1] = d.y;
        column[2] = cd_cross2(cd_sub2(point[s], trial.position), d);
        if (build->trial_row[body] >= 0 && motion_of(in, body) != CD_MOTION_FIXED)
            gradient->psi -= rate_of(column, trial.velocity, trial.spin);
        if (motion_of(in, body) == CD_MOTION_PRESCRIBED) {
            cd_state2 start = cd_body_start2(in, body);
            gradient->psi += rate_of(column, start.velocity, start.spin);
        }
    }
}

static cd_state2 moving_start(const cd_model *in, int32_t body)
{
    cd_state2 start = cd_body_start2(in, body);
    return motion_of(in, body) == CD_MOTION_FIXED ? (cd_state2){start.position, start.angle, {0, 0}, 0} : start;
}

// psi'' of a vertex-edge contact at the start velocities [m/s^2]: see the header.
static double curvature_of(const frame_build *build, int32_t row, cd_peg_side side, cd_vec2 vertex)
{
    const cd_model *in = build->in;
    int32_t body[2] = {in->contact.a[2 * row], in->contact.b[2 * row]};
    cd_state2 v = moving_start(in, body[side]), e = moving_start(in, body[1 - (int)side]);
    cd_vec2 normal = cd_vec2_at(in->contact.normal + 2 * (size_t)row);
    cd_vec2 eta = side == CD_PEG_VERTEX_OF_A ? cd_negate2(normal) : normal;
    cd_vec2 arm = cd_sub2(vertex, v.position), eta_rate = {-e.spin * eta.y, e.spin * eta.x};
    cd_vec2 vertex_rate = cd_add2(v.velocity, (cd_vec2){-v.spin * arm.y, v.spin * arm.x});
    return -v.spin * v.spin * cd_dot2(eta, arm) + 2 * cd_dot2(eta_rate, cd_sub2(vertex_rate, e.velocity)) -
           e.spin * e.spin * cd_dot2(eta, cd_sub2(vertex, e.position));
}

static bool is_used(const frame_build *build, int32_t row)
{
    const cd_model *in = build->in;
    int32_t status = in->contact.status ? in->contact.status[row] : CD_ABSENT;
    int32_t a = in->contact.a[2 * row], b = in->contact.b[2 * row];
    return status != CD_STATUS_OUTSIDE && status != CD_STATUS_DELETED && cd_body_is_active(in, a) &&
           cd_body_is_active(in, b) && (build->block[a] >= 0 || build->block[b] >= 0);
}

static cd_status contacts_make(const frame_build *build, cd_peg_frame *frame)
{
    const cd_contact_rows *rows = &build->in->contact;
    cd_peg_contact *contact = CD_ARENA_ARRAY(build->arena, cd_peg_contact, rows->count);
    cd_peg_gradient *gradient = CD_ARENA_ARRAY(build->arena, cd_peg_gradient, rows->count);
    int32_t *contact_row = CD_ARENA_ARRAY(build->arena, int32_t, rows->count), n = 0;
    for (int32_t i = 0; i < rows->count; i++) {
        if (!is_used(build, i))
            continue;
        if (rows->a[2 * i] == rows->b[2 * i])
            return contact_fault(build, i, "b: the same body as a");
        contact[n] = (cd_peg_contact){.body = {build->rank[rows->a[2 * i]], build->rank[rows->b[2 * i]]},
                                      .part = {rows->a[2 * i + 1], rows->b[2 * i + 1]},
                                      .side = CD_PEG_NO_VERTEX,
                                      .vertex = -1,
                                      .edge = -1,
                                      .gap = rows->gap[i],
                                      .applicability = optional(rows->applicability, i),
                                      .feasible = optional(rows->feasible, i)};
        if (rows->kind[i] == CD_CONTACT_VERTEX_EDGE)
            CD_TRY(read_features(build, i, &contact[n]));
        cd_vec2 point[2];
        CD_TRY(read_points(build, i, &contact[n], point));
        make_gradient(build, i, point, &gradient[n]);
        if (build->gaps.has_curvature && build->in->trial.count == 0 && contact[n].side != CD_PEG_NO_VERTEX)
            gradient[n].psi += build->step / 2 * fmin(curvature_of(build, i, contact[n].side, point[0]), 0);
        contact_row[n++] = i;
    }
    frame->count = n;
    frame->contact = contact;
    frame->gradient = gradient;
    frame->contact_row = contact_row;
    return CD_OK;
}

cd_status cd_peg_frame2_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, cd_peg_gaps gaps,
                             cd_peg_frame *frame, cd_diag *diag)
{
    frame_build build = {.arena = arena, .in = in, .leaves = leaves, .gaps = gaps, .diag = diag};
    CD_TRY(cd_frame_step(in, &build.step, diag));
    CD_TRY(cd_bodies_check(in, false, diag));
    cd_body_order order = cd_body_order_make(arena, &in->body);
    build.rank = order.rank;
    build.trial_row = cd_body_trial_rows(arena, in);
    build.block = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    CD_TRY(bodies_make(&build, &order, frame));
    return contacts_make(&build, frame);
}
