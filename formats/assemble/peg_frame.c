// SPDX-License-Identifier: MIT
#include "peg_bends.h"
#include "peg_carried.h"
#include "peg_frame2.h"
#include "peg_frame3.h"

#include "cd_length.h"

#include <float.h>
#include <inttypes.h>

// [1] of head.length. Two cones stand for two bodies only near their apices, and where bodies move by more than this in
// a step the predicted pose is looked at too. The detector's automatic reach, which grows with speed, would make
// corners of edges that are far from meeting: their disjunctions trap bodies that pass at a distance.
static const double usual_reach = 0.05;
// [1] of a coordinate: rounding of the positions of two bodies, with room for that of the gap between them.
static const double place_rounding = 16 * DBL_EPSILON;
static const double coarsest = 1e-6;  // [1] of the characteristic length: wider margins show
// [1] m c' J^-1 c, c the torque column of a gap: how many times as far an impulse moves its contact by turning the body
// as by shifting it. Boxes, needles and plates have about 3. Rounding of the impulse goes into the gap by so much.
// Two squares of 2 m and 1 kg that land on edges, 60 steps of 10 ms, have 59 rounds at J = 1e-8 kg m^2, 82 at 1e-10,
// and at 1e-11 up to 32 parts of 256 rounds a step.
static const double most_turning = 1e10;

cd_status cd_peg_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_peg_shapes *shapes,
                             cd_diag *diag)
{
    CD_TRY(cd_leaves_make_prepared(arena, in, refs, 1, &shapes->leaves, diag));
    if (shapes->leaves.dim == 2)
        return CD_OK;
    shapes->seams =
        cd_peg_seams_make(arena, in->shape.count, &shapes->leaves.space, cd_f64_or(in->head.epsilon, 0, NAN));
    return CD_OK;
}

cd_status cd_peg_contact_fault(const cd_peg_build *build, int32_t row, const char *problem)
{
    return cd_fail(build->diag, CD_ERR_FORMAT, "contact %" PRId64 ": %s", build->in->contact.id[row], problem);
}

int32_t cd_peg_leaf_of(const cd_peg_build *build, int32_t row, int side)
{
    const cd_contact_rows *rows = &build->in->contact;
    const int32_t *first = build->shapes->leaves.first;
    int32_t body = cd_peg_body_of(build, row, side), part = side ? rows->b[2 * row + 1] : rows->a[2 * row + 1];
    int32_t shape = build->in->body.shape ? build->in->body.shape[body] : -1;
    return shape < 0 || part < 0 || part >= first[shape + 1] - first[shape] ? -1 : first[shape] + part;
}

static double farthest(const cd_model *in, int32_t body)  // [m] the largest coordinate
{
    double most = 0;
    for (int k = 0; k < in->dim; k++)
        most = fmax(most, fabs(in->body.position[(size_t)in->dim * (size_t)body + (size_t)k]));
    return most;
}

static cd_status check_places(const cd_peg_build *build)
{
    const cd_model *in = build->in;
    const double limit = coarsest * build->settings.length;
    for (int32_t i = 0; build->settings.margin > 0 && i < in->body.count; i++) {
        if (!cd_body_has_position(in, i) || !cd_body_is_moved(in, i))
            continue;
        double margin = place_rounding * farthest(in, i);
        if (margin > limit)
            return cd_fail(build->diag, CD_ERR_NUMERIC,
                           "body %" PRId64 ": position: so far from the origin gaps can be kept to %.1e m, more than "
                           "the %.1e m that bodies of %g m allow",
                           in->body.id[i], margin, limit, build->settings.length);
    }
    return CD_OK;
}

static bool is_impact(const cd_peg_build *build) { return build->phase != CD_IMPACT_NONE; }

static bool has_friction(const cd_peg_build *build)
{
    return build->settings.has_friction && (is_impact(build) || !cd_peg_is_polish(build->in));
}

bool cd_peg_has_own_impulses(const cd_peg_build *build) { return cd_peg_is_polish(build->in) && !is_impact(build); }

static bool is_held(const cd_peg_build *build, int32_t body)
{
    return cd_body_trial_state(build->in, build->trial_row, body) != CD_ABSENT;
}

// Velocities without contact, and the blocks of active dynamic bodies.
static cd_status bodies_make(cd_peg_build *build, const cd_peg_dimension *dimension, const int32_t *order,
                             cd_peg_frame *frame)
{
    const cd_model *in = build->in;
    int32_t bodies = in->body.count, axes = dimension->axes, count = 0;
    // Blocks of the bodies that the step moves.
    int32_t *row = CD_ARENA_ARRAY(build->arena, int32_t, bodies);
    for (int32_t k = 0; k < bodies; k++) {
        int32_t body = order[k];
        bool has_block = cd_body_is_moved(in, body);
        build->block[body] = has_block ? count : -1;
        if (has_block)
            row[count++] = body;
    }
    if (count > INT32_MAX / (CD_PEG_AXES_MAX * CD_PEG_AXES_MAX))
        return cd_fail(build->diag, CD_ERR_LIMIT, "body: %d dynamic bodies give more rows than can be numbered", count);
    // Contact-free velocities: of prescribed bodies those they have.
    double *free = CD_ARENA_ZARRAY(build->arena, double, (size_t)bodies *(size_t)axes);
    double *mass = CD_ARENA_ZARRAY(build->arena, double, (size_t)count *(size_t)(axes * axes));
    double *momentum = CD_ARENA_ZARRAY(build->arena, double, (size_t)count *(size_t)axes);
    build->free = free;
    for (int32_t i = 0; i < bodies; i++)
        if (cd_body_motion(in, i) == CD_MOTION_PRESCRIBED)
            dimension->start(build, i, free + (size_t)i * (size_t)axes);
    // Mass matrix and the momentum that is aimed at.
    for (int32_t k = 0; k < count; k++) {
        double target[CD_PEG_AXES_MAX], *square = mass + (size_t)k * (size_t)(axes * axes);
        double *own = free + (size_t)row[k] * (size_t)axes;
        dimension->free(build, row[k], own, square);
        if (is_impact(build))
            dimension->trial(build, row[k], own);
        memcpy(target, own, (size_t)axes * sizeof *own);
        if ((cd_peg_is_polish(in) && build->trial_row[row[k]] >= 0) || is_held(build, row[k]))
            dimension->trial(build, row[k], target);
        for (int i = 0; i < axes; i++) {
            double sum = square[i * axes + i] * target[i];
            for (int j = 0; j < axes; j++)
                if (j != i && square[i * axes + j] != 0)
                    sum += square[i * axes + j] * target[j];
            momentum[k * axes + i] = sum;
        }
    }
    frame->bodies = (cd_peg_bodies){axes, count, mass, momentum};
    frame->body_row = row;
    return CD_OK;
}

static double optional(const double *column, int32_t row) { return column ? column[row] : NAN; }

static double rate_of(int axes, const double *column, const double *velocity)
{
    double rate = column[0] * velocity[0];
    for (int k = 1; k < axes; k++)
        rate += column[k] * velocity[k];
    return rate;
}

// [m] Extent of the part on one side; 0 of half-spaces, which have no corners, and of elements.
static double extent_of(const cd_peg_build *build, int32_t row, int side)
{
    int32_t leaf = cd_peg_leaf_of(build, row, side);
    double extent = leaf < 0 ? 0 : cd_leaves_extent(&build->shapes->leaves, leaf);
    return isfinite(extent) ? extent : 0;
}

// [m] What the margin would be rounded by, which is asked for at least: positions are, at the end of the step, and far
// from the origin more; so are corners of large parts, wherever their body is. Of both extents twice what the end of
// the step asks of a gap beyond its bound (step_gaps.c). Less: a ball that lies on a tilted floor of 10,000 times its
// size is asked for less than that, and each step falls into hundreds of rounds.
static double rounding_at(const cd_peg_build *build, int32_t row)
{
    if (!(build->settings.margin > 0))
        return 0;
    const double far = fmax(build->far[cd_peg_body_of(build, row, 0)], build->far[cd_peg_body_of(build, row, 1)]);
    return place_rounding * fmax(far, extent_of(build, row, 0) + extent_of(build, row, 1));
}

static bool is_used(const cd_peg_build *build, int32_t row)
{
    const cd_model *in = build->in;
    int32_t status = in->contact.status ? in->contact.status[row] : CD_ABSENT;
    int32_t a = cd_peg_body_of(build, row, 0), b = cd_peg_body_of(build, row, 1);
    bool moves_a = build->block[a] >= 0 && !is_held(build, a), moves_b = build->block[b] >= 0 && !is_held(build, b);
    return cd_contact_takes_part(status) && cd_body_is_active(in, a) && cd_body_is_active(in, b) &&
           (moves_a || moves_b);
}

// [1] of the margin: what parts that are nearer than the margin at the start come apart by in a step. Enough that
// rounding is no overlap, and so little that they are not set in motion by it. Smaller: rounding becomes overlap, and
// bodies that lie askew by parts of the margin stay so, and slide. Larger: bodies drawn touching drift apart.
static const double creep = 1e-2;
// [1] of the speed V (cd_length.h): no faster, however short the step is. A step that a jam elsewhere takes in parts of
// 1e-11 s would throw what lies at rest. Far from the origin what positions are rounded by comes first, else they
// overlap.
static const double creep_speed = 1e-9;

// The gap that a contact is asked to keep: the margin. Parts that overlap at the start, whose bound is below 0, are
// asked for no more than that; parts that are nearer than the margin there for what they have and a little more: asked
// to come to it within a step they would go on doing so. Where that has no solution (parts that fit into one another
// exactly, held on all sides), the next attempt, with the separators of the start, asks for none of parts that touch:
// what touches all around is kept by standing still.
static double asked_gap(const cd_peg_build *build, int32_t row)
{
    const double *bound = build->in->contact.bound, wanted = build->settings.margin;
    const double rounding = rounding_at(build, row), margin = fmax(wanted, rounding);
    if (!bound || isnan(bound[row]))
        return margin;
    if (bound[row] < 0)
        return fmin(bound[row], margin);
    double more = fmax(creep * wanted, rounding);
    if (more <= creep * wanted)
        more = fmin(more, creep_speed * cd_speed_of(build->in, build->settings.length) * build->step);
    bool is_start = cd_i32_or(build->in->frame.facets, 0, CD_ABSENT) == CD_FACETS_START;
    if (is_start && bound[row] < more)
        return fmin(0, margin);
    return fmin(margin, bound[row] + more);
}

// [1] of what the trial falls short of at the bodies of a contact and those next to them: a polish round asks for so
// much more. What its own linearisation leaves over is 0.001 to 0.01 of what it corrects, up to 0.1 while bodies land;
// without this it ends a little below what was asked for, and another round follows to make up for 1e-8 to 1e-11 m.
// Larger: more of a gap is left. Without those next to them a sixth more rounds. Rounds a step with 0 | 0.01 | 0.03 |
// 0.1, without friction, while heaps land: 27 hulls 4.4 | 3.0 | 2.7 | 2.5, 64 hulls 5.4 | 4.0 | 3.2 | 2.8, 100
// polygons 4.6 | 3.4 | 3.1 | 2.8; error of free collisions over the step in space, 5 ms: 17.4 | - | 17.7 | 22.4.
static const double ahead = 5e-2;
// [1] of the characteristic length: what falls short of more is no rest of a linearisation, but was not known of.
// Larger: bodies that are met in a later round end apart.
static const double ahead_most = 1e-3;
// Where points of a contact bend (peg_bends.h) by more than what falls short, as where bodies turn by tenths of a
// radian in the step, that is such a rest up to the larger length, and its round leaves more of it over: this share is
// asked for then. Problems a step, 50 ms, no friction, without | with: swarms of 27 cards 5.4 | 3.4, tetrahedra 7.4
// | 2.9, needles 8.4 | 3.0, hulls 2.8 | 2.3; a house of 27 cards that falls 15.4 | 5.1; 100 ellipsoids that land 8.0
// | 6.1. With 0.25 ellipsoids take a tenth more, with three times the bend the house a third. Errors of free collisions
// keep their medians within 7 % in the plane and 3 % in space; there the ninth decile at 50 ms goes from 1.04 to 1.20
// m/s.
static const double ahead_bent = 0.15, ahead_bent_most = 3e-2;

// Each body's shortfall is raised to those of the bodies that it has a contact with: a correction goes through them
// too.
static const double *raised_by_neighbours(const cd_peg_build *build, const double *own)
{
    const cd_model *in = build->in;
    double *most = CD_ARENA_ARRAY(build->arena, double, in->body.count);
    if (in->body.count > 0)
        memcpy(most, own, (size_t)in->body.count * sizeof *own);
    for (int32_t i = 0; i < in->contact.count; i++) {
        int32_t a = cd_peg_body_of(build, i, 0), b = cd_peg_body_of(build, i, 1);
        if (!build->is_used[i] || build->block[a] < 0 || build->block[b] < 0)
            continue;
        most[a] = fmax(most[a], own[b]);
        most[b] = fmax(most[b], own[a]);
    }
    return most;
}

static bool is_rest(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row, double missing)
{
    const double length = build->settings.length;
    return missing <= ahead_most * length ||
           (missing <= ahead_bent_most * length && missing <= cd_peg_bend_of(build, dimension, row));
}

// How far the trial falls short of the gaps that are asked for [m], the most at each body row and its neighbours; NULL
// where no round is to make up for it. Attempts with the separators of the start are for what fits exactly: there is no
// room for more.
static const double *shortfalls_make(const cd_peg_build *build, const cd_peg_dimension *dimension)
{
    const cd_model *in = build->in;
    if (!cd_peg_is_polish(in) || is_impact(build) || cd_i32_or(in->frame.facets, 0, CD_ABSENT) == CD_FACETS_START)
        return NULL;
    double *most = CD_ARENA_ZARRAY(build->arena, double, in->body.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!build->is_used[i])
            continue;
        double missing = asked_gap(build, i) - in->contact.gap[i];
        if (!is_rest(build, dimension, i, missing))
            continue;
        for (int s = 0; s < 2; s++) {
            double *own = &most[cd_peg_body_of(build, i, s)];
            *own = fmax(*own, missing);
        }
    }
    return raised_by_neighbours(build, most);
}

// A fixed body connects nothing: what others fall short of there is no matter of this contact.
static double shortfall_at(const cd_peg_build *build, int32_t row)
{
    double most = 0;
    for (int s = 0; s < 2 && build->shortfall; s++) {
        int32_t body = cd_peg_body_of(build, row, s);
        if (build->block[body] >= 0)
            most = fmax(most, build->shortfall[body]);
    }
    return most;
}

// What a contact is asked for besides [m]: what its trial falls short of, in the first round what it bends by.
static double asked_ahead(const cd_peg_build *build, int32_t row)
{
    if (build->bend)
        return build->bend[row];
    const double missing = shortfall_at(build, row);
    return (missing > ahead_most * build->settings.length ? ahead_bent : ahead) * missing;
}

// [1] of the characteristic length: a contact with friction that is so much above the gap that is asked of it bears
// where it is. The contacts of two faces, or of a body that is held on all sides, are never at one height: for all to
// bear some have to close by what others are above them, and that is a slip wherever they are to stick. Such problems
// have their solutions far apart, and methods go round between what is nearly one. To ask a little more than what is
// needed does no harm: nothing that stands still is asked to move. 40 hulls poured, mu 0.5, problems unsolved of those
// of 1.5 s, and the solver's CPU: none 24, 16 s; 1e-9 10, 14 s; 1e-8 9, 11 s; 1e-7 3, 5 s; 1e-6 2, 7 s. With 1e-7 heaps
// below a body that rocked crept at 1e-5 m/s: contacts up to 1e-7 alone could not hold them, those up to 7e-7 could.
// Six heaps of 200 hulls are at rest after 1.7 to 2.4 s or not in 5, with 1e-6 after 1.6 to 2.1. No larger: that is the
// usual geometric epsilon (cd_length.h), as far as two bodies may bear without touching.
static const double bearing = 1e-6;

// above: [m] what the gap would have beyond the asked one if nothing moved.
static bool bears_as_it_is(const cd_peg_build *build, int32_t row, double above)
{
    const cd_peg_settings *settings = &build->settings;
    return above <= bearing * settings->length && settings->margin > 0 && cd_peg_rubs(build, row);
}

// The rate without what depends on the dimension: see the header.
static void complete_gradient(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row,
                              cd_peg_gradient *gradient)
{
    const cd_model *in = build->in;
    double velocity[CD_PEG_AXES_MAX];
    gradient->rate = (in->contact.gap[row] - asked_gap(build, row) - asked_ahead(build, row)) / build->step;
    for (int s = 0; s < 2; s++) {
        int32_t body = cd_peg_body_of(build, row, s);
        gradient->block[s] = build->block[body];
        if (build->trial_row[body] >= 0 && cd_body_motion(in, body) != CD_MOTION_FIXED) {
            dimension->trial(build, body, velocity);
            gradient->rate -= rate_of(dimension->axes, gradient->column[s], velocity);
        }
    }
    if (gradient->rate > 0 && bears_as_it_is(build, row, gradient->rate * build->step))
        gradient->rate = 0;
    for (int s = 0; s < 2; s++) {
        int32_t body = cd_peg_body_of(build, row, s);
        if (cd_body_motion(in, body) == CD_MOTION_PRESCRIBED) {
            dimension->start(build, body, velocity);
            gradient->rate += rate_of(dimension->axes, gradient->column[s], velocity);
        }
    }
}

// The rate of a contact in an impact, see the header. False: it takes no part.
static bool impact_gradient(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row,
                            cd_peg_gradient *gradient)
{
    const cd_model *in = build->in;
    if (!cd_impact_is_closed(&build->impact, row, in->contact.gap[row]))
        return false;
    double speed[2];
    gradient->rate = 0;
    for (int s = 0; s < 2; s++) {
        int32_t body = cd_peg_body_of(build, row, s);
        gradient->block[s] = build->block[body];
        speed[s] = rate_of(dimension->axes, gradient->column[s], build->free + (size_t)body * (size_t)dimension->axes);
        if (gradient->block[s] < 0)
            gradient->rate += speed[s];
    }
    if (build->phase == CD_IMPACT_LAST)
        return true;
    cd_contact_law law = cd_contact_law_of(build->settings.interactions, in, cd_peg_body_of(build, row, 0),
                                           cd_peg_body_of(build, row, 1));
    if (law.restitution_law == CD_RESTITUTION_NEWTON)
        gradient->rate += law.restitution * (speed[0] + speed[1]);
    return cd_impact_is_fast(&build->impact, row, cd_impact_speed(&build->impact, row, build->free, dimension->axes));
}

static const char *group_of(const cd_model *in, int32_t body) { return in->body.group ? in->body.group[body] : NULL; }

double cd_peg_mu_at(const cd_model *in, const cd_interactions *interactions, const cd_peg_mu_rules *rules, int32_t row)
{
    int32_t a = in->contact.a[2 * row], b = in->contact.b[2 * row];
    return cd_peg_mu_of(rules, group_of(in, a), group_of(in, b), cd_contact_mu(interactions, in, a, b));
}

static cd_vec3 vector_of(int dim, const double *p) { return dim == 2 ? (cd_vec3){p[0], p[1], 0} : cd_vec3_at(p); }

static cd_vec3 spin_of(int dim, const double *velocity)
{
    return dim == 2 ? (cd_vec3){0, 0, velocity[2]} : cd_vec3_at(velocity + 3);
}

// Of side s, a prescribed body: [m/s] what peg_carried.h adds to its velocity at the contact.
static void carried_make(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row, int s,
                         double drift[3])
{
    const int dim = build->in->dim;
    cd_vec3 start[2], now[2];
    double velocity[2][CD_PEG_AXES_MAX];  // of the prescribed body, of the other
    const bool has_trial = build->trial_row[cd_peg_body_of(build, row, 1 - s)] >= 0;
    for (int k = 0; k < 2; k++) {
        const int32_t body = cd_peg_body_of(build, row, k ? 1 - s : s), trial = build->trial_row[body];
        const size_t at = (size_t)dim * (size_t)body;
        start[k] = vector_of(dim, build->in->body.position + at);
        now[k] = trial < 0 ? start[k] : vector_of(dim, build->in->trial.position + (size_t)dim * (size_t)trial);
        if (k && has_trial)
            dimension->trial(build, body, velocity[k]);
        else
            dimension->start(build, body, velocity[k]);
    }
    const cd_peg_carried carried = {
        .step = build->step,
        .spin = spin_of(dim, velocity[0]),
        .start = cd_sub3(start[1], start[0]),
        .now = cd_sub3(now[1], now[0]),
        .velocity = cd_sub3(vector_of(dim, velocity[1]), vector_of(dim, velocity[0])),
        .carried_spin = spin_of(dim, velocity[1]),
        .has_trial = has_trial,
    };
    cd_vec3_put(cd_peg_carried_drift(&carried), drift);
}

// Of two parts that are there: is one an ellipsoid?
static bool has_ellipsoid(const cd_peg_build *build, int32_t row)
{
    const int32_t leaf[2] = {cd_peg_leaf_of(build, row, 0), cd_peg_leaf_of(build, row, 1)};
    const cd_leaves *leaves = &build->shapes->leaves;
    return leaf[0] >= 0 && leaf[1] >= 0 &&
           (cd_leaves_kind(leaves, leaf[0]) == CD_SHAPE_ELLIPSOID ||
            cd_leaves_kind(leaves, leaf[1]) == CD_SHAPE_ELLIPSOID);
}

// [m/s] what the slip of a row is more by than at the start; point: of the contact. What lies on a body of prescribed
// motion that turns is of the other part of peg_carried.h.
static void rolled_make(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row, const double *point,
                        double drift[3])
{
    const cd_model *in = build->in;
    bool is_carried = false, is_turning = false;
    cd_peg_rolled rolled = {.step = build->step,
                            .normal = vector_of(in->dim, in->contact.normal + (size_t)in->dim * (size_t)row),
                            .is_round = cd_peg_is_closest(build, row)};
    for (int s = 0; s < 2; s++) {
        const int32_t body = cd_peg_body_of(build, row, s);
        const int32_t motion = cd_body_motion(in, body);
        const cd_vec3 centre = vector_of(in->dim, in->body.position + (size_t)in->dim * (size_t)body);
        double velocity[CD_PEG_AXES_MAX] = {0};
        if (motion != CD_MOTION_FIXED)
            dimension->start(build, body, velocity);
        rolled.arm[s] = cd_sub3(vector_of(in->dim, point), centre);
        rolled.velocity[s] = vector_of(in->dim, velocity);
        rolled.spin[s] = spin_of(in->dim, velocity);
        rolled.is_held[s] = motion != CD_MOTION_DYNAMIC;
        is_turning = is_turning || cd_dot3(rolled.spin[s], rolled.spin[s]) > 0;
        is_carried = is_carried || (motion == CD_MOTION_PRESCRIBED && cd_dot3(rolled.spin[s], rolled.spin[s]) > 0);
    }
    if (is_turning && !is_carried && dimension->way_of_closest && has_ellipsoid(build, row))
        rolled.has_way = dimension->way_of_closest(build, row, &rolled.way);
    cd_vec3_put(is_carried ? (cd_vec3){0, 0, 0} : cd_peg_rolled_drift(&rolled), drift);
}

// What prescribed bodies add to the rate along a column of each side.
static double prescribed_rate(const cd_peg_build *build, int axes, int32_t row, const double column[2][CD_PEG_AXES_MAX])
{
    double rate = 0;
    for (int s = 0; s < 2; s++) {
        int32_t body = cd_peg_body_of(build, row, s);
        if (cd_body_motion(build->in, body) == CD_MOTION_PRESCRIBED)
            rate += rate_of(axes, column[s], build->free + (size_t)body * (size_t)axes);
    }
    return rate;
}

static void make_tangent(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row, const double *point,
                         cd_peg_tangent *tangent)
{
    const cd_model *in = build->in;
    int32_t a = cd_peg_body_of(build, row, 0), b = cd_peg_body_of(build, row, 1);
    const cd_interactions *interactions = build->settings.interactions;
    const cd_contact_law law =
        interactions->has_rolling ? cd_contact_law_of(interactions, in, a, b) : (cd_contact_law){.rolling = 0};
    // Of a contact that does not rub nothing else is looked at.
    tangent->mu = build->mu[row];
    tangent->rolling = law.rolling;
    tangent->spinning = law.spinning;
    if (!(tangent->mu > 0 || tangent->rolling > 0 || tangent->spinning > 0))
        return;
    *tangent = (cd_peg_tangent){.mu = build->mu[row], .rolling = law.rolling, .spinning = law.spinning};
    dimension->tangent(build, row, point, tangent);
    for (int t = 0; t < dimension->tangents; t++)
        tangent->rate[t] = prescribed_rate(build, dimension->axes, row, tangent->column[t]);
    double drift[3];
    for (int s = 0; s < 2 && !is_impact(build); s++) {
        if (cd_body_motion(in, s ? b : a) != CD_MOTION_PRESCRIBED)
            continue;
        carried_make(build, dimension, row, s, drift);
        for (int t = 0; t < dimension->tangents; t++)
            tangent->rate[t] += rate_of(in->dim, tangent->column[t][s], drift);
    }
    if (cd_peg_is_first(build) && !is_impact(build)) {
        rolled_make(build, dimension, row, point, drift);
        for (int t = 0; t < dimension->tangents; t++)
            tangent->rate[t] += rate_of(in->dim, tangent->column[t][1], drift);
    }
    for (int t = 0; t < 2 * dimension->tangents - 1 && cd_peg_has_turns(tangent); t++)
        tangent->turn_rate[t] = prescribed_rate(build, dimension->axes, row, tangent->turn[t]);
}

// m c' J^-1 c, see most_turning; 0 of a body without a block.
static double turning_at(const cd_peg_build *build, const cd_peg_bodies *bodies, const cd_peg_gradient *gradient, int s)
{
    if (gradient->block[s] < 0)
        return 0;
    const double *torque = gradient->column[s] + build->in->dim;
    const double *mass = bodies->mass + (size_t)gradient->block[s] * (size_t)(bodies->axes * bodies->axes);
    if (build->in->dim == 2)
        return mass[0] * torque[0] * torque[0] / mass[8];
    const double *row[3] = {mass + 21, mass + 27, mass + 33};
    const double inertia[6] = {row[0][0], row[1][1], row[2][2], row[0][1], row[0][2], row[1][2]};
    const cd_vec3 c = cd_vec3_at(torque);
    return mass[0] * cd_dot3(c, cd_inertia3_solve(inertia, c));
}

// Features at a margin of 0 have one round, which ends whatever it leaves.
static cd_status check_turning(const cd_peg_build *build, const cd_peg_bodies *bodies, int32_t row,
                               const cd_peg_gradient *gradient)
{
    for (int s = 0; s < 2 && build->settings.margin > 0; s++) {
        const double turning = turning_at(build, bodies, gradient, s);
        if (!(turning <= most_turning))
            return cd_fail(build->diag, CD_ERR_NUMERIC,
                           "body %" PRId64 ": inertia: so small that impulses of contact %" PRId64
                           " move it %.1e times as far by turning the body as by shifting it, more than %g",
                           build->in->body.id[cd_peg_body_of(build, row, s)], build->in->contact.id[row], turning,
                           most_turning);
    }
    return CD_OK;
}

static bool has_tangents(const cd_peg_build *build)
{
    bool has_any = build->mu && build->settings.interactions->has_rolling;
    for (int32_t i = 0; i < build->in->contact.count && build->mu && !has_any; i++)
        has_any = build->mu[i] > 0;
    return has_any;
}

static cd_status contacts_make(const cd_peg_build *build, const cd_peg_dimension *dimension, cd_peg_frame *frame)
{
    const cd_contact_rows *rows = &build->in->contact;
    cd_peg_contact *contact = CD_ARENA_ARRAY(build->arena, cd_peg_contact, rows->count);
    cd_peg_gradient *gradient = CD_ARENA_ARRAY(build->arena, cd_peg_gradient, rows->count);
    cd_peg_tangent *tangent = has_tangents(build) ? CD_ARENA_ARRAY(build->arena, cd_peg_tangent, rows->count) : NULL;
    int32_t *contact_row = CD_ARENA_ARRAY(build->arena, int32_t, rows->count), n = 0;
    for (int32_t i = 0; i < rows->count; i++) {
        double point[3];
        if (!build->is_used[i])
            continue;
        if (rows->a[2 * i] == rows->b[2 * i])
            return cd_peg_contact_fault(build, i, "b: the same body as a");
        // What the row says, and what the dimension makes of it.
        contact[n] = (cd_peg_contact){.body = {build->rank[rows->a[2 * i]], build->rank[rows->b[2 * i]]},
                                      .part = {rows->a[2 * i + 1], rows->b[2 * i + 1]},
                                      .side = CD_PEG_NO_VERTEX,
                                      .vertex = -1,
                                      .face = -1,
                                      .gap = rows->gap[i],
                                      .applicability = optional(rows->applicability, i),
                                      .feasible = optional(rows->feasible, i)};
        gradient[n].impulse = NULL;
        CD_TRY(dimension->contact(build, i, &contact[n], &gradient[n], point));
        if (contact[n].is_left_out)
            continue;
        // Gap rate and friction.
        if (!is_impact(build))
            complete_gradient(build, dimension, i, &gradient[n]);
        else if (!impact_gradient(build, dimension, i, &gradient[n]))
            continue;
        CD_TRY(check_turning(build, &frame->bodies, i, &gradient[n]));
        if (build->settings.has_curvature && build->trial_row[rows->a[2 * i]] < 0 &&
            build->trial_row[rows->b[2 * i]] < 0)
            gradient[n].rate += dimension->curvature(build, i, &contact[n], point);
        if (tangent)
            make_tangent(build, dimension, i, point, &tangent[n]);
        contact_row[n++] = i;
    }
    // Contacts of one feature that several parts share.
    cd_peg_find_twins(contact, gradient, n, build->arena);
    frame->count = n;
    frame->contact = contact;
    frame->gradient = gradient;
    frame->tangent = tangent;
    frame->contact_row = contact_row;
    return CD_OK;
}

// What is asked of contacts and bodies again and again.
static void contacts_prepare(cd_peg_build *build)
{
    const cd_model *in = build->in;
    const cd_contact_rows *rows = &in->contact;
    double *far = CD_ARENA_ZARRAY(build->arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_has_position(in, i) && cd_body_motion(in, i) != CD_MOTION_FIXED)
            far[i] = farthest(in, i);
    bool *used = CD_ARENA_ARRAY(build->arena, bool, rows->count);
    double *mu = has_friction(build) ? CD_ARENA_ZARRAY(build->arena, double, rows->count) : NULL;
    int32_t last = -1;  // the row before with a mu: contacts of a pair follow one another
    for (int32_t i = 0; i < rows->count; i++) {
        used[i] = is_used(build, i);
        if (!mu || !used[i])
            continue;
        bool is_same = last >= 0 && rows->a[2 * i] == rows->a[2 * last] && rows->b[2 * i] == rows->b[2 * last];
        mu[i] = is_same ? mu[last] : cd_peg_mu_at(in, build->settings.interactions, build->settings.mu, i);
        last = i;
    }
    build->far = far;
    build->is_used = used;
    build->mu = mu;
}

cd_status cd_peg_frame_make(cd_arena *arena, const cd_model *in, const cd_peg_shapes *shapes, cd_peg_settings settings,
                            cd_peg_frame *frame, cd_diag *diag)
{
    const cd_peg_dimension *dimension = in->dim == 2 ? &cd_peg_plane : &cd_peg_space;
    cd_peg_build build = {.arena = arena, .in = in, .shapes = shapes, .settings = settings, .diag = diag};
    CD_TRY(cd_frame_step(in, &build.step, diag));
    CD_TRY(cd_bodies_check(in, false, diag));
    CD_TRY(check_places(&build));
    cd_body_order order = cd_body_order_make(arena, &in->body);
    build.rank = order.rank;
    build.trial_row = cd_body_trial_rows(arena, in);
    build.reach = cd_f64_or(in->head.reach, 0, usual_reach * settings.length);
    if (!isnan(settings.reach))
        build.reach = settings.reach;
    build.phase = cd_i32_or(in->frame.impact, 0, CD_IMPACT_NONE);
    build.impact = cd_impact_make(in, settings.interactions, build.trial_row, settings.length);
    build.block = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    frame->is_impact = is_impact(&build);
    dimension->prepare(&build);
    CD_TRY(bodies_make(&build, dimension, order.row, frame));
    contacts_prepare(&build);
    build.shortfall = shortfalls_make(&build, dimension);
    build.bend = cd_peg_bends_make(&build, dimension);
    return contacts_make(&build, dimension, frame);
}
