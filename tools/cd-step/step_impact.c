// SPDX-License-Identifier: MIT
#include "step_impact.h"

#include "cd_contact_model.h"
#include "cd_impact.h"
#include "cd_length.h"
#include "step_energy_limit.h"
#include "step_flight.h"
#include "step_impulses.h"
#include "step_integrator.h"
#include "step_restore.h"

#include <inttypes.h>

// Sweeps of a step beside one a contact: an impact that runs back and forth ends below v_0 after some ten times the
// logarithm of its speed.
static const int sweeps_more = 100;

// ---- contacts ------------------------------------------------------------------------------------------------------

static cd_impact impact_of(const cd_step_round *round, const int32_t *trial_row)
{
    const cd_model *in = round->bodies->in;
    double length = cd_length_of(round->gaps->arena, in, round->gaps->shapes);
    return cd_impact_make(in, round->interactions, trial_row, length);
}

static double speed_of(const cd_impact *impact, int32_t contact, const cd_step_velocity *nu)
{
    return cd_impact_speed(impact, contact, nu[0].at, CD_STEP_AXES);
}

static cd_step_velocity velocity_of(int dim, cd_step_state state)
{
    return dim == 2 ? cd_step_velocity2(state.plane.velocity, state.plane.spin)
                    : cd_step_velocity3(state.space.velocity, state.space.spin);
}

static cd_step_state trial_state(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    return in->dim == 2 ? (cd_step_state){.plane = cd_body_trial2(in, trial_row, body)}
                        : (cd_step_state){.space = cd_body_trial3(in, trial_row, body)};
}

// Velocities of the trial at which contacts were found, 0 of bodies that were at their start.
static const cd_step_velocity *trial_velocities(const cd_step_round *round, const int32_t *trial_row)
{
    const cd_model *in = round->bodies->in;
    cd_step_velocity *nu = CD_ARENA_ZARRAY(round->gaps->arena, cd_step_velocity, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        if (trial_row[i] >= 0)
            nu[i] = velocity_of(in->dim, trial_state(in, trial_row, i));
    return nu;
}

// A contact that pushes what would bounce is on its way to being closed: a first round asks for a gap at the end that
// bodies which turn may use up (cd_peg_frame), and may leave it.
static bool stops(const cd_impact *impact, int32_t contact, const cd_step_bodies *bodies)
{
    return cd_length3(bodies->impulse[contact]) > 0 &&
           cd_impact_bounces(impact, contact, speed_of(impact, contact, bodies->free));
}

// Of contacts that take part: are they closed at the end of the step, linearised where they were found?
static bool *closed_contacts(const cd_step_round *round, const cd_impact *impact, const cd_step_velocity *found)
{
    const cd_step_bodies *bodies = round->bodies;
    const cd_model *in = bodies->in;
    bool *is_closed = CD_ARENA_ZARRAY(round->gaps->arena, bool, in->contact.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        double rate = speed_of(impact, i, bodies->nu) - speed_of(impact, i, found);
        is_closed[i] =
            cd_step_is_used(in, i) &&
            (cd_impact_is_closed(impact, i, in->contact.gap[i] + bodies->step * rate) || stops(impact, i, bodies));
    }
    return is_closed;
}

const bool *cd_step_impact_begins(const cd_step_round *round, const int32_t *trial_row, const bool *meets,
                                  bool *bounces)
{
    const cd_step_bodies *bodies = round->bodies;
    const cd_model *in = bodies->in;
    if (!round->interactions->has_restitution || !round->outcome->has_rows)
        return NULL;
    cd_impact impact = impact_of(round, trial_row);
    bool *is_closed = closed_contacts(round, &impact, trial_velocities(round, trial_row));
    bool begins = false;
    for (int32_t i = 0; i < in->contact.count; i++) {
        is_closed[i] = is_closed[i] || (meets && meets[i]);
        if (!is_closed[i] || !cd_impact_bounces(&impact, i, speed_of(&impact, i, bodies->free)))
            continue;
        bounces[in->contact.a[2 * i]] = bounces[in->contact.b[2 * i]] = begins = true;
    }
    return begins ? is_closed : NULL;
}

// ---- velocities ----------------------------------------------------------------------------------------------------

// nu + M^-1 momentum, M of space at the rotation.
static void add_momentum(const cd_model *in, int32_t body, cd_quat rotation, const double *momentum,
                         cd_step_velocity *nu)
{
    for (int k = 0; k < in->dim; k++)
        nu->at[k] += momentum[k] / in->body.mass[body];
    if (in->dim == 2) {
        nu->at[2] += momentum[2] / in->body.inertia[body];
        return;
    }
    cd_vec3 turn = cd_spin_of_momentum3(cd_step_inertia(in, body), rotation, cd_vec3_at(momentum + 3));
    cd_vec3_put(cd_add3(cd_vec3_at(nu->at + 3), turn), nu->at + 3);
}

// The velocities without contact of a dynamic body that ends at `end`.
static cd_step_velocity free_at_end(const cd_step_bodies *bodies, const cd_leaves *shapes, int32_t body,
                                    cd_step_state end)
{
    cd_step_velocity free = bodies->free[body];
    if (bodies->dim == 3)
        cd_vec3_put(cd_step_end_spin(bodies, NULL, shapes, body, &bodies->free[body], end.space.rotation), free.at + 3);
    return free;
}

// The velocities with which a dynamic body went its way: what the step would have ended with.
static cd_step_velocity velocity_of_way(const cd_step_bodies *bodies, int32_t body, cd_step_state end)
{
    const cd_model *in = bodies->in;
    double rate = 1 / bodies->step;
    if (in->dim == 2) {
        cd_state2 start = cd_body_start2(in, body);
        return cd_step_velocity2(cd_scale2(rate, cd_sub2(end.plane.position, start.position)),
                                 rate * (end.plane.angle - start.angle));
    }
    cd_state3 start = cd_body_start3(in, body);
    cd_quat turn = cd_quat_product(end.space.rotation, cd_quat_conjugate(start.rotation));
    cd_vec3 spin = cd_scale3(rate, cd_quat_vector(turn));
    spin =
        cd_end_spin3(cd_step_inertia(in, body), bodies->middle[body], end.space.rotation, spin, cd_head_gyration(in));
    return cd_step_velocity3(cd_scale3(rate, cd_sub3(end.space.position, start.position)), spin);
}

// Bodies that met, at the end of the step: bodies->nu becomes nu^-. Returns the velocities without contact there, by
// row. rotation: at the end, of space.
static const cd_step_velocity *take_before(cd_arena *arena, cd_step_bodies *bodies, const cd_step_state *end,
                                           const cd_leaves *shapes, const cd_step_met *met)
{
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    const cd_step_whole *whole = cd_step_wholes_at_start(arena, bodies, met);
    cd_step_velocity *free = CD_ARENA_ARRAY(arena, cd_step_velocity, count);
    cd_quat *rotation = CD_ARENA_ARRAY(arena, cd_quat, count);
    for (int32_t i = 0; i < count; i++) {
        free[i] = cd_body_is_moved(in, i) ? free_at_end(bodies, shapes, i, end[i]) : bodies->free[i];
        rotation[i] = in->dim == 3 ? end[i].space.rotation : cd_quat_identity();
    }
    bodies->end = end;
    bodies->middle = rotation;
    memcpy(bodies->nu, free, (size_t)count * sizeof *free);
    cd_step_clear_impulses(bodies);
    cd_step_restore(arena, bodies, shapes, met, whole, CD_STEP_THE_SAME);
    return free;
}

// Whether such contacts touch depends on others of their group; of separators' rows all that are closed do.
static bool has_potential_contacts(const cd_model *in)
{
    for (int32_t i = 0; i < in->contact.count; i++)
        if (cd_contact_is_unwanted(in->contact.kind[i], CD_CONTACT_WANT_SEPARATORS))
            return true;
    return false;
}

void cd_step_begin_impact(cd_arena *arena, const cd_step_round *round, const int32_t *trial_row, const bool *is_closed,
                          cd_step_decision *decision)
{
    cd_step_bodies *bodies = round->bodies;
    int32_t count = bodies->in->body.count;
    cd_step_state *end = CD_ARENA_ARRAY(arena, cd_step_state, count);
    for (int32_t i = 0; i < count; i++)
        end[i] = cd_step_state_at(bodies, i, 1);
    const cd_impact impact = impact_of(round, trial_row);
    const cd_step_met met = cd_step_met_at_end(arena, bodies, end, impact.length, is_closed);
    const double *lead = cd_step_flight_leads(arena, bodies, &impact, is_closed);
    take_before(arena, bodies, end, round->gaps->shapes, &met);
    cd_step_flight_add(bodies, lead, 1, bodies->nu);
    const char *contacts = has_potential_contacts(bodies->in) ? "separating" : NULL;
    *decision = (cd_step_decision){.has_next = true,
                                   .step = NAN,
                                   .begins_attempt = true,
                                   .contacts = contacts,
                                   .model = contacts,
                                   .facets = CD_ABSENT,
                                   .target = CD_TARGET_FREE,
                                   .impact = CD_IMPACT_SWEEP,
                                   .lead = lead,
                                   .group = cd_step_met_groups(arena, bodies, &met),
                                   .held = cd_step_met_holds(arena, bodies->in, &met),
                                   .reason = "impact"};
}

// ---- a frame of an impact ------------------------------------------------------------------------------------------

typedef struct impact_frame {
    cd_arena *arena;
    cd_step_bodies *bodies;  // at the end of the step
    const cd_step_round *round;
    cd_impact impact;
    const cd_step_velocity *before, *way;  // nu^-; velocities of the way
    const cd_vec3 *placed;                 // by contact: the impulses that made nu^-
    const bool *is_closed;                 // by contact
    cd_step_met met;
    const cd_step_whole *whole;
    const double *lead;  // by body, of nu^- and of what is solved; NULL: none
    double *most;        // [J] by root: twice the energy without contact, at those velocities
    bool is_last;
    int sweeps;  // with this one, from nu^-
    cd_step_decision *decision;
} impact_frame;

static void *copy(cd_arena *arena, const void *from, size_t size)
{
    void *to = cd_arena_zalloc(arena, size);
    if (size > 0)
        memcpy(to, from, size);
    return to;
}

// nu^- of bodies that fly; what gravity and applied forces add to it is energy of their motion without contact too.
static void take_lead(impact_frame *f, const int32_t *trial_row)
{
    cd_step_bodies *bodies = f->bodies;
    const int32_t count = bodies->in->body.count;
    const double *before = cd_step_islands_norm_sq(f->arena, bodies, &f->met.islands, bodies->nu);
    f->lead = cd_step_flight_of_trial(f->arena, bodies->in, trial_row);
    cd_step_flight_add(bodies, f->lead, 1, bodies->nu);
    const double *after = cd_step_islands_norm_sq(f->arena, bodies, &f->met.islands, bodies->nu);
    f->most = CD_ARENA_ARRAY(f->arena, double, count);
    for (int32_t i = 0; i < count; i++)
        f->most[i] = f->whole[i].energy + (after[i] - before[i]);
}

static cd_status make_frame(impact_frame *f, const int32_t *trial_row, cd_diag *diag)
{
    cd_step_bodies *bodies = f->bodies;
    const cd_model *in = bodies->in;
    int32_t count = in->body.count;
    cd_step_state *end = CD_ARENA_ARRAY(f->arena, cd_step_state, count);
    cd_step_velocity *way = CD_ARENA_ARRAY(f->arena, cd_step_velocity, count);
    for (int32_t i = 0; i < count; i++) {
        if (cd_body_is_moved(in, i) && trial_row[i] < 0)
            return cd_fail(diag, CD_ERR_FORMAT, "frame: impact: body %" PRId64 " has no trial", in->body.id[i]);
        end[i] = trial_state(in, trial_row, i);
        way[i] = cd_body_is_moved(in, i) ? velocity_of_way(bodies, i, end[i]) : bodies->free[i];
    }
    bool *is_closed = CD_ARENA_ARRAY(f->arena, bool, in->contact.count);
    bool *joins = CD_ARENA_ARRAY(f->arena, bool, in->contact.count);
    cd_step_carry_impulses(f->arena, bodies);
    for (int32_t i = 0; i < in->contact.count; i++) {
        is_closed[i] = cd_step_is_used(in, i) && cd_impact_is_closed(&f->impact, i, in->contact.gap[i]);
        // What the impact began with went by contacts that were closed where the round before had found them.
        joins[i] = is_closed[i] || (cd_step_is_used(in, i) && cd_length3(bodies->impulse[i]) > 0);
    }
    f->met = in->trial.group || in->trial.held ? cd_step_met_of_trial(f->arena, bodies, joins)
                                               : cd_step_met_at_end(f->arena, bodies, end, f->impact.length, joins);
    f->whole = cd_step_wholes_at_start(f->arena, bodies, &f->met);
    bodies->free = take_before(f->arena, bodies, end, f->round->gaps->shapes, &f->met);
    take_lead(f, trial_row);
    f->before = copy(f->arena, bodies->nu, (size_t)count * sizeof *bodies->nu);
    f->placed = copy(f->arena, bodies->impulse, (size_t)in->contact.count * sizeof *bodies->impulse);
    f->way = way;
    f->is_closed = is_closed;
    for (int32_t i = 0; i < count; i++)
        if (cd_body_is_moved(in, i))
            bodies->nu[i] = velocity_of(in->dim, end[i]);
    return CD_OK;
}

static cd_contact_law law_of(const impact_frame *f, int32_t contact)
{
    const cd_contact_rows *rows = &f->bodies->in->contact;
    return cd_contact_law_of(f->impact.interactions, f->bodies->in, rows->a[2 * contact], rows->b[2 * contact]);
}

// z of the rows of one role that belong to contacts under Poisson's law, times e where is_restored; 0 of all others.
static double *poisson_unknowns(const impact_frame *f, int32_t role, bool is_restored)
{
    const cd_model *in = f->bodies->in;
    double *z = CD_ARENA_ZARRAY(f->arena, double, in->row.count);
    for (int32_t i = 0; i < in->value.count; i++) {
        int32_t row = in->value.row[i], contact = in->row.contact ? in->row.contact[row] : -1;
        if (in->row.role[row] != role || contact < 0)
            continue;
        cd_contact_law law = law_of(f, contact);
        if (law.restitution_law == CD_RESTITUTION_POISSON)
            z[row] = (is_restored ? law.restitution : 1) * in->value.z[i];
    }
    return z;
}

static void take(const impact_frame *f, const cd_step_velocity *nu)
{
    memcpy(f->bodies->nu, nu, (size_t)f->bodies->in->body.count * sizeof *nu);
}

// nu += M^-1 G z.
static void add_columns(const impact_frame *f, const double *z)
{
    const cd_model *in = f->bodies->in;
    const cd_row_rows *rows = &in->row;
    double(*momentum)[CD_STEP_AXES] = cd_arena_zalloc(f->arena, (size_t)in->body.count * sizeof *momentum);
    for (int32_t i = 0; i < in->entry.count; i++) {
        int32_t row = in->entry.row[i];
        if (rows->role[row] == CD_ROLE_VELOCITY)
            momentum[rows->body[row]][rows->axis[row]] += in->entry.value[i] * z[in->entry.col[i]];
    }
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i))
            add_momentum(in, i, f->bodies->middle[i], momentum[i], &f->bodies->nu[i]);
}

// The velocities of the trial and what the impulses add. Those that were solved go with these to the residual alone,
// and so would the sums of momenta.
static cd_status take_jump(const impact_frame *f, cd_diag *diag)
{
    const cd_model *in = f->bodies->in;
    const cd_step_velocity *trial = copy(f->arena, f->bodies->nu, (size_t)in->body.count * sizeof *trial);
    CD_TRY(cd_step_take_velocities(f->arena, f->bodies, diag));
    double *z = cd_step_unknowns(f->arena, in);
    for (int32_t i = 0; i < in->row.count; i++)
        if (in->row.role[i] == CD_ROLE_VELOCITY)
            z[i] = 0;
    take(f, trial);
    add_columns(f, z);
    cd_step_take_impulses(f->arena, f->bodies);
    return CD_OK;
}

// Normal impulses of the second phase: nu += M^-1 G e p_c.
static void add_restitution(const impact_frame *f)
{
    const double *z = poisson_unknowns(f, CD_ROLE_IMPULSE, true);
    cd_step_add_impulses(f->bodies->in, z, f->bodies->impulse);
    add_columns(f, z);
}

// Momentum and angular momentum about its centre that an impulse [N s] at the contact's point gives the body.
static cd_step_velocity momentum_at(const impact_frame *f, int32_t contact, int32_t body, cd_vec3 impulse)
{
    const cd_model *in = f->bodies->in;
    const cd_step_state *end = &f->bodies->end[body];
    const double *point = in->contact.point + (size_t)in->dim * (size_t)contact;
    if (in->dim == 2) {
        cd_vec2 arm = cd_sub2(cd_vec2_at(point), end->plane.position), along = {impulse.x, impulse.y};
        return cd_step_velocity2(along, cd_cross2(arm, along));
    }
    return cd_step_velocity3(impulse, cd_cross3(cd_sub3(cd_vec3_at(point), end->space.position), impulse));
}

static double power_of(const cd_step_velocity *momentum, const cd_step_velocity *nu)
{
    double sum = 0;
    for (int k = 0; k < CD_STEP_AXES; k++)
        sum += momentum->at[k] * nu->at[k];
    return sum;
}

// Friction of the second phase at one contact: see the header. pull [N s]: on b, that of the first phase.
static void add_friction_at(const impact_frame *f, int32_t contact, cd_vec3 pull)
{
    const cd_model *in = f->bodies->in;
    const int32_t body[2] = {in->contact.a[2 * contact], in->contact.b[2 * contact]};
    cd_step_velocity jump[2] = {{{0}}, {{0}}};
    double slip = 0, slip_rate = 0;
    for (int side = 0; side < 2; side++) {
        if (cd_body_motion(in, body[side]) == CD_MOTION_FIXED)
            continue;
        cd_step_velocity momentum = momentum_at(f, contact, body[side], cd_scale3(side ? 1 : -1, pull));
        slip += power_of(&momentum, &f->bodies->nu[body[side]]);
        if (!cd_body_is_moved(in, body[side]))
            continue;
        add_momentum(in, body[side], f->bodies->middle[body[side]], momentum.at, &jump[side]);
        slip_rate += power_of(&momentum, &jump[side]);
    }
    if (!(slip < 0 && slip_rate > 0))
        return;
    double share = fmin(-slip / slip_rate, law_of(f, contact).restitution);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < CD_STEP_AXES && cd_body_is_moved(in, body[side]); k++)
            f->bodies->nu[body[side]].at[k] += share * jump[side].at[k];
    f->bodies->impulse[contact] = cd_add3(f->bodies->impulse[contact], cd_scale3(share, pull));
}

// The second phase of poisson.
static void add_second_phase(const impact_frame *f)
{
    const cd_model *in = f->bodies->in;
    add_restitution(f);
    cd_vec3 *pull = CD_ARENA_ZARRAY(f->arena, cd_vec3, in->contact.count);
    cd_step_add_impulses(in, poisson_unknowns(f, CD_ROLE_FRICTION, false), pull);
    for (int32_t i = 0; i < in->contact.count; i++)
        if (cd_length3(pull[i]) > 0)
            add_friction_at(f, i, pull[i]);
}

static void ask(const impact_frame *f, int32_t impact, const char *reason)
{
    *f->decision = (cd_step_decision){.has_next = true,
                                      .step = NAN,
                                      .facets = CD_ABSENT,
                                      .target = CD_ABSENT,
                                      .impact = impact,
                                      .lead = f->lead,
                                      .group = cd_step_met_groups(f->arena, f->bodies, &f->met),
                                      .held = cd_step_met_holds(f->arena, f->bodies->in, &f->met),
                                      .reason = reason};
}

// What cannot be solved or believed is made a plastic impact.
static void give_up(const impact_frame *f, const char *reason)
{
    if (f->is_last && f->sweeps == 1) {
        take(f, f->way);
        cd_step_clear_impulses(f->bodies);
        cd_step_restore(f->arena, f->bodies, f->round->gaps->shapes, &f->met, f->whole, CD_STEP_NO_MORE);
        *f->decision = cd_step_accepted();
        f->decision->reason = cd_arena_printf(f->arena, "%s: velocities of the way", reason);
        return;
    }
    take(f, f->before);
    memcpy(f->bodies->impulse, f->placed, (size_t)f->bodies->in->contact.count * sizeof *f->placed);
    ask(f, CD_IMPACT_LAST, cd_arena_printf(f->arena, "%s: plastic impact", reason));
    f->decision->begins_attempt = true;
}

// ---- energy --------------------------------------------------------------------------------------------------------

// By root: the largest share with which the energy of the group is not above f->most.
static const double *shares_of(const impact_frame *f, const cd_step_velocity *jump)
{
    const cd_model *in = f->bodies->in;
    const cd_step_islands *islands = &f->met.islands;
    const double *after = cd_step_islands_norm_sq(f->arena, f->bodies, islands, f->bodies->nu);
    const double *before = cd_step_islands_norm_sq(f->arena, f->bodies, islands, f->before);
    const double *jumped = cd_step_islands_norm_sq(f->arena, f->bodies, islands, jump);
    double *share = CD_ARENA_ARRAY(f->arena, double, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        share[i] = 1;
        if (f->met.is_driven[i] || !(after[i] > f->most[i]))
            continue;
        // |before + s jump|^2 = before + 2 s mixed + s^2 jumped
        const double mixed = (after[i] - before[i] - jumped[i]) / 2;
        const double square = mixed * mixed - jumped[i] * (before[i] - f->most[i]);
        const double most = (sqrt(fmax(square, 0)) - mixed) / jumped[i];
        share[i] = most >= 0 && most < 1 ? most : 1;
    }
    return share;
}

// The header's share of the jump, group by group.
static void keep_energy(const impact_frame *f)
{
    const cd_model *in = f->bodies->in;
    cd_step_velocity *jump = CD_ARENA_ZARRAY(f->arena, cd_step_velocity, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        for (int k = 0; k < CD_STEP_AXES; k++)
            jump[i].at[k] = f->bodies->nu[i].at[k] - f->before[i].at[k];
    const double *share = shares_of(f, jump);
    for (int32_t i = 0; i < in->body.count; i++) {
        const double part = share[cd_step_met_root(&f->met, i)];
        for (int k = 0; k < CD_STEP_AXES && part < 1 && cd_body_is_moved(in, i); k++)
            f->bodies->nu[i].at[k] = f->before[i].at[k] + part * jump[i].at[k];
    }
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        const double part = share[cd_step_met_root(&f->met, cd_body_is_moved(in, b) ? b : a)];
        f->bodies->impulse[i] = cd_lerp3(f->placed[i], f->bodies->impulse[i], part);
    }
}

// Solved: what approaches still?
static void judge(const impact_frame *f)
{
    const cd_model *in = f->bodies->in;
    cd_step_bodies before = *f->bodies;
    before.free = f->before;
    double energy = cd_step_norm_sq(f->bodies, f->bodies->nu), limit = cd_step_energy_limit(&before, f->round->gaps);
    // Newton's law with friction may gain energy in a sweep that is solved: that is no reason for a plastic impact.
    if (energy > limit && isfinite(energy)) {
        keep_energy(f);
        energy = cd_step_norm_sq(f->bodies, f->bodies->nu);
    }
    if (!(energy <= limit) && !(f->is_last && f->sweeps == 1)) {
        give_up(f, cd_arena_printf(f->arena, "impact: energy %g J above %g J", energy / 2, limit / 2));
        return;
    }
    bool bounces = false, approaches = false;
    for (int32_t i = 0; i < in->contact.count && !f->is_last; i++) {
        if (!f->is_closed[i])
            continue;
        double speed = speed_of(&f->impact, i, f->bodies->nu);
        approaches = approaches || speed < 0;
        bounces = bounces || cd_impact_bounces(&f->impact, i, speed);
    }
    if (bounces && f->sweeps < sweeps_more + in->contact.count) {
        ask(f, CD_IMPACT_SWEEP, "impact");
    } else if (bounces) {
        give_up(f, "impact: no end of sweeps");
    } else if (approaches) {
        ask(f, CD_IMPACT_LAST, "impact");
    } else {
        keep_energy(f);
        cd_step_flight_add(f->bodies, f->lead, -1, f->bodies->nu);
        *f->decision = cd_step_accepted();
        f->decision->lead = f->lead;
    }
}

cd_status cd_step_judge_impact(cd_arena *arena, const cd_step_round *round, const int32_t *trial_row,
                               cd_step_decision *decision, cd_step_trial *trial, cd_diag *diag)
{
    const cd_model *in = round->bodies->in;
    impact_frame f = {.arena = arena,
                      .bodies = round->bodies,
                      .round = round,
                      .impact = impact_of(round, trial_row),
                      .is_last = in->frame.impact[0] == CD_IMPACT_LAST,
                      .sweeps = 1 + cd_i32_or(in->frame.round, 0, 0) - cd_i32_or(in->frame.first_round, 0, 0),
                      .decision = decision};
    CD_TRY(make_frame(&f, trial_row, diag));
    trial->sweeps = f.sweeps;
    if (!round->outcome->is_usable) {
        give_up(&f, cd_arena_printf(arena, "impact: unsolved (%s)", round->outcome->status));
        return CD_OK;
    }
    CD_TRY(take_jump(&f, diag));
    if (!f.is_last)
        add_second_phase(&f);
    judge(&f);
    return CD_OK;
}
