// SPDX-License-Identifier: MIT
#include "peg_frame2.h"

#include "cd_pair2.h"

enum { AXES = 3 };

static void put_velocity(cd_vec2 velocity, double spin, double *out)
{
    out[0] = velocity.x;
    out[1] = velocity.y;
    out[2] = spin;
}

static void start_velocity(const cd_peg_build *build, int32_t body, double *velocity)
{
    cd_state2 state = cd_body_start2(build->in, body);
    put_velocity(state.velocity, state.spin, velocity);
}

static void trial_velocity(const cd_peg_build *build, int32_t body, double *velocity)
{
    cd_state2 state = cd_body_trial2(build->in, build->trial_row, body);
    put_velocity(state.velocity, state.spin, velocity);
}

static void free_motion(const cd_peg_build *build, int32_t body, double *velocity, double *mass)
{
    const cd_model *in = build->in;
    cd_state2 state = cd_state2_free(cd_body_start2(in, body), cd_body_applied2(in, body), build->step);
    put_velocity(state.velocity, state.spin, velocity);
    mass[0] = mass[4] = in->body.mass[body];
    mass[8] = in->body.inertia[body];
}

// Vertex, edge and the numbers of corners of a vertex-edge contact.
static cd_status read_features(const cd_peg_build *build, int32_t row, cd_peg_contact *contact)
{
    const cd_contact_rows *rows = &build->in->contact;
    const int32_t *feature = rows->features ? rows->features + 2 * (size_t)row : NULL;
    if (!feature || feature[0] < 0 || feature[1] < 0)
        return cd_peg_contact_fault(build, row, "features: required of kind vertex-edge");
    int kind[2] = {cd_feature_kind(feature[0]), cd_feature_kind(feature[1])};
    if (kind[0] == CD_FEATURE_VERTEX && kind[1] == CD_FEATURE_EDGE)
        contact->side = CD_PEG_VERTEX_OF_A;
    else if (kind[0] == CD_FEATURE_EDGE && kind[1] == CD_FEATURE_VERTEX)
        contact->side = CD_PEG_VERTEX_OF_B;
    else
        return cd_peg_contact_fault(build, row, "features: kind vertex-edge needs one vertex and one edge");
    for (int s = 0; s < 2; s++) {
        int32_t leaf = cd_peg_leaf_of(build, row, s);
        const cd_leaf2 *part = leaf < 0 ? NULL : &build->shapes->leaves.plane.leaf[leaf];
        if (!part || part->kind != CD_SHAPE_POLYGON)
            return cd_peg_contact_fault(build, row,
                                        s ? "b: vertex-edge needs a part that is a polygon"
                                          : "a: vertex-edge needs a part that is a polygon");
        contact->corners[s] = part->polygon.count;
        if (cd_feature_index(feature[s]) >= contact->corners[s])
            return cd_peg_contact_fault(build, row, "features: number beyond the polygon's corners");
    }
    contact->vertex = cd_feature_index(feature[contact->side]);
    contact->face = cd_feature_index(feature[1 - (int)contact->side]);
    return CD_OK;
}

static const double *own_point(const double *column, int32_t row)
{
    const double *own = column ? column + 2 * (size_t)row : NULL;
    return own && !isnan(own[0]) ? own : NULL;
}

// The points at which the gap rate of the two bodies is taken: the vertex for both, else each body's own. The vertex
// of a separating contact is its `point`.
static cd_status read_points(const cd_peg_build *build, int32_t row, const cd_peg_contact *contact, cd_vec2 point[2])
{
    const cd_contact_rows *rows = &build->in->contact;
    const double *column[2] = {rows->point_a, rows->point_b};
    for (int s = 0; s < 2; s++) {
        int from = contact->side == CD_PEG_NO_VERTEX ? s : (int)contact->side;
        const double *own = rows->kind[row] == CD_CONTACT_SEPARATING ? NULL : own_point(column[from], row);
        if (!own && contact->side != CD_PEG_NO_VERTEX)
            return cd_peg_contact_fault(build, row,
                                        from ? "point_b: required, the vertex" : "point_a: required, the vertex");
        point[s] = cd_vec2_at(own ? own : rows->point + 2 * (size_t)row);
    }
    return CD_OK;
}

// d (direction . p_b - direction . p_a) / dq
static void put_columns(const cd_peg_build *build, int32_t row, cd_vec2 direction, const cd_vec2 point[2],
                        double column[2][CD_PEG_AXES_MAX])
{
    for (int s = 0; s < 2; s++) {
        cd_state2 at = cd_body_trial2(build->in, build->trial_row, cd_peg_body_of(build, row, s));
        cd_vec2 d = s ? direction : cd_negate2(direction);
        put_velocity(d, cd_cross2(cd_sub2(point[s], at.position), d), column[s]);
    }
}

static cd_status contact_make(const cd_peg_build *build, int32_t row, cd_peg_contact *contact,
                              cd_peg_gradient *gradient, double *point)
{
    const cd_contact_rows *rows = &build->in->contact;
    cd_vec2 own[2];
    if (rows->kind[row] == CD_CONTACT_VERTEX_EDGE)
        CD_TRY(read_features(build, row, contact));
    CD_TRY(read_points(build, row, contact, own));
    cd_vec2 normal = cd_vec2_at(rows->normal + 2 * (size_t)row);
    put_columns(build, row, normal, own, gradient->column);
    cd_vec2 common = contact->side == CD_PEG_NO_VERTEX ? cd_vec2_at(rows->point + 2 * (size_t)row) : own[0];
    point[0] = common.x;
    point[1] = common.y;
    return CD_OK;
}

static void tangent_make(const cd_peg_build *build, int32_t row, const double *point, cd_peg_tangent *tangent)
{
    cd_vec2 normal = cd_vec2_at(build->in->contact.normal + 2 * (size_t)row), at = {point[0], point[1]};
    put_columns(build, row, (cd_vec2){-normal.y, normal.x}, (cd_vec2[2]){at, at}, tangent->column[0]);
    for (int s = 0; s < 2; s++)
        put_velocity((cd_vec2){0, 0}, s ? 1 : -1, tangent->turn[0][s]);
}

static cd_state2 moving_start(const cd_model *in, int32_t body)
{
    cd_state2 start = cd_body_start2(in, body);
    return cd_body_motion(in, body) == CD_MOTION_FIXED ? (cd_state2){start.position, start.angle, {0, 0}, 0} : start;
}

// psi'' of a vertex-edge contact at the start velocities [m/s^2]: see the header.
static double curvature_of(const cd_peg_build *build, int32_t row, cd_peg_side side, cd_vec2 vertex)
{
    const cd_model *in = build->in;
    cd_state2 v = moving_start(in, cd_peg_body_of(build, row, (int)side));
    cd_state2 e = moving_start(in, cd_peg_body_of(build, row, 1 - (int)side));
    cd_vec2 normal = cd_vec2_at(in->contact.normal + 2 * (size_t)row);
    cd_vec2 eta = side == CD_PEG_VERTEX_OF_A ? cd_negate2(normal) : normal;
    cd_vec2 arm = cd_sub2(vertex, v.position), eta_rate = {-e.spin * eta.y, e.spin * eta.x};
    cd_vec2 vertex_rate = cd_add2(v.velocity, (cd_vec2){-v.spin * arm.y, v.spin * arm.x});
    return -v.spin * v.spin * cd_dot2(eta, arm) + 2 * cd_dot2(eta_rate, cd_sub2(vertex_rate, e.velocity)) -
           e.spin * e.spin * cd_dot2(eta, cd_sub2(vertex, e.position));
}

static double curvature(const cd_peg_build *build, int32_t row, const cd_peg_contact *contact, const double *point)
{
    if (contact->side == CD_PEG_NO_VERTEX)
        return 0;
    return build->step / 2 * fmin(curvature_of(build, row, contact->side, (cd_vec2){point[0], point[1]}), 0);
}

// Of a vertex and a separator, an edge of `side`, or the half-plane that this is.
static double second(const cd_peg_build *build, int32_t row)
{
    const cd_contact_rows *rows = &build->in->contact;
    if (!rows->side)
        return 0;
    const cd_peg_side vertex = rows->side[row] == CD_SIDE_B ? CD_PEG_VERTEX_OF_A : CD_PEG_VERTEX_OF_B;
    return curvature_of(build, row, vertex, cd_vec2_at(rows->point + 2 * (size_t)row));
}

// Of closest points: by the gap where the bodies would be, which says what their curvature does too.
static double second_of_closest(const cd_peg_build *build, int32_t row)
{
    const cd_model *in = build->in;
    const cd_vec2 normal = cd_vec2_at(in->contact.normal + 2 * (size_t)row);
    const double *column[2] = {in->contact.point_a, in->contact.point_b};
    const cd_arena_mark mark = cd_arena_get_mark(build->arena);
    cd_leaf2 placed[2];
    double rate = 0;
    for (int s = 0; s < 2; s++) {
        const int32_t body = cd_peg_body_of(build, row, s);
        const cd_state2 at = moving_start(in, body);
        const double *own = own_point(column[s], row);
        const cd_vec2 point = cd_vec2_at(own ? own : in->contact.point + 2 * (size_t)row);
        const cd_vec2 arm = cd_sub2(point, at.position);
        const cd_vec2 speed = cd_add2(at.velocity, (cd_vec2){-at.spin * arm.y, at.spin * arm.x});
        rate += (s ? 1 : -1) * cd_dot2(normal, speed);
        placed[s] = cd_leaf2_place(build->arena, &build->shapes->leaves.plane.leaf[cd_peg_leaf_of(build, row, s)],
                                   cd_state2_pose(cd_state2_advance(at, at.velocity, at.spin, build->step)));
    }
    const cd_pair2 *pair = cd_pair2_for(placed[0].kind, placed[1].kind);
    const double gap = pair ? cd_pair2_gap(pair, &placed[0], &placed[1]).gap : NAN;
    cd_arena_rewind(build->arena, mark);
    const double bent = gap - in->contact.gap[row] - build->step * rate;
    return isfinite(bent) ? 2 * bent / (build->step * build->step) : 0;
}

static void prepare(cd_peg_build *build) { (void)build; }

const cd_peg_dimension cd_peg_plane = {.axes = AXES,
                                       .tangents = 1,
                                       .prepare = prepare,
                                       .start = start_velocity,
                                       .trial = trial_velocity,
                                       .free = free_motion,
                                       .contact = contact_make,
                                       .curvature = curvature,
                                       .second = second,
                                       .second_of_closest = second_of_closest,
                                       .tangent = tangent_make};
