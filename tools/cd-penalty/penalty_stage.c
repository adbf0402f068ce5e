// SPDX-License-Identifier: MIT
#include "penalty_stage.h"

#include "cd_contact_limits.h"
#include "cd_contact_model.h"
#include "penalty_law.h"
#include "penalty_moduli.h"
#include "penalty_sides.h"
#include "penalty_springs.h"
#include "penalty_stable.h"

#include <inttypes.h>

const char *const cd_penalty_friction_words[] = {"spring", "viscous", NULL};
const char *const cd_penalty_axial_words[] = {"total", "radian", NULL};
const char *const cd_penalty_unstable_words[] = {"warn", "stop", NULL};

cd_status cd_penalty_stage_open(const cd_penalty_options *options, cd_penalty_stage *stage, cd_diag *diag)
{
    *stage = (cd_penalty_stage){.options = options};
    if (!isnan(options->stiffness) && !isnan(options->beta))
        return cd_fail(diag, CD_ERR_USAGE, "--stiffness and --beta: the one is a number, the other by moduli");
    if (!isnan(options->damping) && !isnan(options->damping_ratio))
        return cd_fail(diag, CD_ERR_USAGE, "--damping and --damping-ratio: one of them");
    if (!isnan(options->shear) && !isnan(options->shear_ratio))
        return cd_fail(diag, CD_ERR_USAGE, "--tangential-stiffness and --tangential-ratio: one of them");
    stage->has_springs = !strcmp(options->friction, cd_penalty_friction_words[0]);
    if (!stage->has_springs && !(isnan(options->shear) && isnan(options->shear_ratio)))
        return cd_fail(diag, CD_ERR_USAGE, "--friction viscous: it has no tangential stiffness");
    return CD_OK;
}

cd_status cd_penalty_stage_head(cd_penalty_stage *stage, cd_arena *run, const cd_model *in, cd_diag *diag)
{
    CD_TRY(cd_leaves_make(run, in, stage->refs, &stage->shapes, diag));
    CD_TRY(cd_elements_make(run, in, &stage->elements, diag));
    CD_TRY(cd_pinballs_make(run, in, &stage->elements, &stage->shapes, &stage->pinballs, diag));
    cd_solids_make(run, in, &stage->elements, &stage->solids);
    return cd_interactions_make(run, in, &stage->interactions, diag);
}

typedef struct frame_work {
    const cd_model *in;
    const cd_penalty_stage *stage;
    cd_placed_elements placed;
    cd_placed_pinballs balls;
    cd_arena *arena;
    double passed;               // [s] the step that led here; 0 at frame 0
    cd_penalty_block **of_body;  // by row; NULL: no force moves it
    cd_penalty_sums *of_node;    // by row
    cd_vec3 *on_node;            // [N] by row of `node`
    bool *has_force;             // the same
    const int32_t *spring;       // by row of `contact`: the row of `spring` that it has, or -1; NULL: none
} frame_work;

// ---- what contacts are taken ---------------------------------------------------------------------------------------

static cd_status check_kind(const cd_model *in, int32_t row, cd_diag *diag)
{
    int32_t kind = in->contact.kind[row];
    if (cd_contact_is_unwanted((cd_contact_kind)kind, CD_CONTACT_WANT_DEPTHS))
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64 ": kind: %s has no signed distance: cd-narrow --contacts depth finds it",
                       in->contact.id[row], cd_words_CONTACT[kind]);
    if (kind == CD_CONTACT_DISTANCE && !(in->contact.gap[row] > 0))
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64
                       ": kind: distance has no depth where parts overlap: cd-narrow --contacts depth finds it",
                       in->contact.id[row]);
    return CD_OK;
}

// ---- a contact -----------------------------------------------------------------------------------------------------

typedef struct contact_side {
    int32_t body;
    cd_pinball ball;  // nodes 0: the body is rigid
    double radius;    // [m] NaN: no ball
    cd_penalty_side moved;
} contact_side;

// The pinball of an element: which one the contact says by its feature, if the element is split.
static cd_status find_ball(const frame_work *work, int32_t row, int side, const int32_t *site, cd_pinball *ball,
                           cd_diag *diag)
{
    const cd_model *in = work->in;
    int32_t code = in->contact.features ? in->contact.features[2 * (size_t)row + (size_t)side] : CD_FEATURE_NONE;
    int32_t child = code == CD_FEATURE_NONE ? 0 : cd_feature_index(code);
    bool has_part = site[1] >= 0 && site[1] < cd_elements_of_body(&work->placed, site[0]);
    int32_t count = has_part ? cd_pinballs_of_part(&work->balls, site[0], site[1]) : 0;
    if (in->contact.kind[row] != CD_CONTACT_PINBALL)
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "contact %" PRId64 ": body %" PRId64
                       " is of elements, which have contacts of kind pinball alone",
                       in->contact.id[row], in->body.id[site[0]]);
    bool is_child = code == CD_FEATURE_NONE ? count == 1 : cd_feature_kind(code) == CD_FEATURE_PINBALL && child < count;
    if (!is_child)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "contact %" PRId64 ": body %" PRId64 " part %d: it has no such pinball, but %d",
                       in->contact.id[row], in->body.id[site[0]], (int)site[1], (int)count);
    *ball = cd_pinball_of(&work->balls, site[0], site[1], child);
    return CD_OK;
}

static cd_status make_side(const frame_work *work, int32_t row, int side, contact_side *out, cd_diag *diag)
{
    const cd_model *in = work->in;
    const int32_t *site = (side ? in->contact.b : in->contact.a) + 2 * (size_t)row;
    *out = (contact_side){.body = site[0]};
    if (cd_elements_of_body(&work->placed, site[0]) > 0) {
        CD_TRY(find_ball(work, row, side, site, &out->ball, diag));
        out->radius = out->ball.radius;
        return cd_penalty_side_of_pinball(in, site[0], &out->ball, &out->moved, diag);
    }
    out->radius = cd_penalty_radius_of_body(&work->balls, site);
    out->moved = cd_penalty_side_of_body(in, site[0], cd_node_vector(in->contact.point, in->dim, row), work->passed);
    return CD_OK;
}

// [1/kg] What a unit impulse along the normal does to the velocity of b against a along it.
static double mobility_along(const contact_side side[2], cd_vec3 normal)
{
    double mobility = 0;
    for (int s = 0; s < 2; s++)
        mobility += cd_dot3(normal, cd_mat3_apply(&side[s].moved.mobility, normal));
    return mobility;
}

// The same across the normal, the mean over the directions there.
static double mobility_across(const contact_side side[2], cd_vec3 normal, int dim)
{
    double trace = 0;
    for (int s = 0; s < 2; s++) {
        const cd_vec3 *row = side[s].moved.mobility.row;
        trace += row[0].x + row[1].y + row[2].z;
    }
    return (trace - mobility_along(side, normal)) / (dim - 1);
}

// The mass [kg] that a force along the normal moves; infinite where nothing is moved.
static double effective_mass(const contact_side side[2], cd_vec3 normal) { return 1 / mobility_along(side, normal); }

// Of a ring: p of a radian is 1 / 2 pi of that of all of it.
static double ring_factor(const frame_work *work)
{
    bool is_of_radian = work->stage->solids.symmetry == CD_SYMMETRY_AXIAL &&
                        !strcmp(work->stage->options->axial, cd_penalty_axial_words[1]);
    return is_of_radian ? 2 * M_PI : 1;
}

// Damping across is, where not given, the same part of critical damping as along: c sqrt(k_t m_t / (p m)). Without
// friction they are what those against turning are made of.
static void take_spring(const frame_work *work, int32_t row, const contact_side side[2], cd_penalty_contact *contact)
{
    const cd_model *in = work->in;
    const cd_penalty_options *options = work->stage->options;
    double ratio = isnan(options->shear_ratio) ? CD_PENALTY_SHEAR_RATIO : options->shear_ratio;
    double step = cd_f64_or(in->frame.step, 0, 0);
    double along = mobility_along(side, contact->normal), across = mobility_across(side, contact->normal, in->dim);
    contact->shear = isnan(options->shear) ? ratio * contact->stiffness : options->shear * ring_factor(work);
    if (isnan(options->tangential)) {
        double masses = across > 0 ? along / across : 1;
        contact->tangential = contact->damping * sqrt(contact->shear / contact->stiffness * masses);
    }
    int32_t spring = work->spring ? work->spring[row] : -1;
    if (spring >= 0) {
        contact->slid = cd_f64_or(in->spring.step, spring, step);
        contact->spring = cd_penalty_spring_turned(
            cd_node_vector(in->spring.vector, in->dim, spring), cd_node_vector(in->spring.normal, in->dim, spring),
            contact->normal, cd_scale3(0.5, cd_add3(side[0].moved.spin, side[1].moved.spin)), contact->slid);
    } else if (in->frame.index[0] != 0) {
        // New: it began as deep ago as the sides approach. Before frame 0 there was nothing.
        double approach = -cd_dot3(contact->velocity, contact->normal);
        contact->slid = approach * step > -contact->gap ? -contact->gap / approach : step;
    }
}

// [rad] What the contact's spring against turning was drawn to, as the bodies have it now.
static cd_vec3 turn_before(const frame_work *work, int32_t spring, const contact_side side[2], cd_vec3 normal,
                           double passed)
{
    const cd_model *in = work->in;
    const double *turn = in->spring.turn ? in->spring.turn + (in->dim == 2 ? 1 : 3) * (size_t)spring : NULL;
    if (!turn || isnan(turn[0]))
        return (cd_vec3){0, 0, 0};
    if (in->dim == 2)
        return (cd_vec3){0, 0, turn[0]};
    cd_vec3 before = cd_node_vector(in->spring.normal, in->dim, spring), all = {turn[0], turn[1], turn[2]};
    cd_vec3 about = cd_scale3(cd_dot3(all, before), before);
    cd_vec3 spin = cd_scale3(0.5, cd_add3(side[0].moved.spin, side[1].moved.spin));
    return cd_add3(cd_penalty_spring_turned(cd_sub3(all, about), before, normal, spin, passed),
                   cd_scale3(cd_dot3(all, before), normal));
}

// Springs and dampers against turning swing and fade as fast as those against sliding do: k_t and c_t by the masses
// that both move. Elements turn no contact.
static void take_turning(const frame_work *work, int32_t row, const cd_contact_law *law, const contact_side side[2],
                         cd_penalty_contact *contact)
{
    const cd_model *in = work->in;
    int32_t spring = work->spring ? work->spring[row] : -1;
    cd_penalty_turning *t = &contact->turning;
    double mobility = 0;
    for (int s = 0; s < 2; s++) {
        if (side[s].ball.nodes > 0)
            return;
        mobility += cd_penalty_turns_by(in, side[s].body);
    }
    double masses = mobility_across(side, contact->normal, in->dim) / mobility;
    *t = (cd_penalty_turning){.rolling = law->rolling, .spinning = law->spinning, .damping = INFINITY};
    t->spin = cd_sub3(side[1].moved.way.spin, side[0].moved.way.spin);
    if (!(mobility > 0))
        return;  // bodies that are led feel all of the limit
    t->stiffness = contact->shear * masses;
    t->damping = contact->tangential * masses;
    if (spring >= 0)
        t->turn = turn_before(work, spring, side, contact->normal, contact->slid);
}

// c [N s/m]: the option's, else what throws back as the interaction says.
static double damping_of(const cd_penalty_options *options, const cd_contact_law *law, double root)
{
    if (!isnan(options->damping))
        return options->damping;
    if (!isfinite(root))  // led bodies have no critical damping
        return 0;
    if (!isnan(options->damping_ratio))
        return 2 * options->damping_ratio * root;
    return law->restitution > 0 ? 2 * cd_penalty_ratio_of_restitution(law->restitution) * root : 0;
}

static cd_status take_contact(const frame_work *work, int32_t row, const contact_side side[2],
                              cd_penalty_contact *contact, cd_diag *diag)
{
    const cd_model *in = work->in;
    const cd_penalty_options *options = work->stage->options;
    const cd_contact_law law = cd_contact_law_of(&work->stage->interactions, in, side[0].body, side[1].body);
    *contact = (cd_penalty_contact){
        .gap = in->contact.gap[row],
        .normal = cd_node_vector(in->contact.normal, in->dim, row),
        .velocity = cd_sub3(side[1].moved.velocity, side[0].moved.velocity),
        .slip = cd_penalty_slip(&side[0].moved, &side[1].moved, cd_node_vector(in->contact.point, in->dim, row)),
        .stiffness = options->stiffness,
        .mu = cd_contact_mu(&work->stage->interactions, in, side[0].body, side[1].body),
        .is_gated = options->is_gated};
    if (isnan(options->stiffness)) {
        double beta = isnan(options->beta) ? 1 : options->beta;
        CD_TRY(cd_penalty_stiffness(&work->balls, row, (double[]){side[0].radius, side[1].radius}, beta,
                                    &contact->stiffness, diag));
    }
    contact->stiffness *= ring_factor(work);
    double root = sqrt(contact->stiffness * effective_mass(side, contact->normal));
    contact->damping = damping_of(options, &law, root);
    contact->tangential = isnan(options->tangential) ? root : options->tangential;
    const bool turns = law.rolling > 0 || law.spinning > 0;
    if (work->stage->has_springs && (contact->mu > 0 || turns))
        take_spring(work, row, side, contact);
    if (turns)
        take_turning(work, row, &law, side, contact);
    if (!(contact->mu > 0))
        contact->shear = 0;
    return CD_OK;
}

static cd_penalty_block *block_of(const frame_work *work, int32_t body)
{
    cd_penalty_block **block = &work->of_body[body];
    if (!*block) {
        *block = CD_ARENA_ARRAY(work->arena, cd_penalty_block, 1);
        cd_penalty_block_open(*block, work->in, body);
    }
    return *block;
}

// What the contact adds to the sums of penalty_stable.h. A node has its weight of the pinball's motion.
static void add_sums(const frame_work *work, int32_t row, const contact_side side[2], const cd_penalty_contact *contact)
{
    double factor = side[0].moved.is_moved && side[1].moved.is_moved ? 2 : 1;
    double across = contact->mu > 0 ? contact->tangential : 0;
    for (int s = 0; s < 2; s++) {
        const cd_penalty_side *moved = &side[s].moved;
        const cd_pinball *ball = &side[s].ball;
        if (!moved->is_moved)
            continue;
        for (int i = 0; i < ball->nodes; i++) {
            if (!cd_node_is_moved(work->in, ball->node[i]))
                continue;
            cd_penalty_sums *sums = &work->of_node[ball->node[i]];
            double mobility = factor * ball->weight[i] / work->in->node.mass[ball->node[i]];
            sums->stiffness += mobility * fmax(contact->stiffness, contact->shear);
            sums->damping += mobility * fmax(contact->damping, across);
        }
        if (ball->nodes > 0)
            continue;
        cd_penalty_block *block = block_of(work, side[s].body);
        cd_vec3 centre = cd_node_vector(work->in->body.position, work->in->dim, side[s].body);
        cd_vec3 point = cd_node_vector(work->in->contact.point, work->in->dim, row);
        cd_penalty_block_add(block, cd_sub3(point, centre), contact->normal,
                             (cd_penalty_pull){factor * contact->stiffness, factor * contact->shear},
                             (cd_penalty_pull){factor * contact->damping, factor * across});
        const cd_penalty_turning *t = &contact->turning;
        bool rolls = t->rolling > 0, spins = t->spinning > 0;
        if ((rolls || spins) && isfinite(t->damping))
            cd_penalty_block_turn(block, contact->normal,
                                  (cd_penalty_pull){spins * factor * t->stiffness, rolls * factor * t->stiffness},
                                  (cd_penalty_pull){spins * factor * t->damping, rolls * factor * t->damping});
    }
}

static void push_nodes(const frame_work *work, const contact_side side[2], cd_vec3 force)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < side[s].ball.nodes; i++) {
            int32_t node = side[s].ball.node[i];
            cd_vec3 part = cd_scale3(side[s].ball.weight[i], force);
            work->on_node[node] = s ? cd_add3(work->on_node[node], part) : cd_sub3(work->on_node[node], part);
            work->has_force[node] = true;
        }
}

static bool is_held(const cd_model *in, int32_t body) { return cd_body_motion(in, body) == CD_MOTION_FIXED; }

typedef struct pushed {
    cd_penalty_force all;
    bool has_spring, has_torque, has_turn;
} pushed;

// The force of a contact whose parts overlap; 0 between fixed bodies.
static cd_status push(const frame_work *work, int32_t row, cd_penalty_totals *totals, pushed *result, cd_diag *diag)
{
    const cd_model *in = work->in;
    contact_side side[2];
    cd_penalty_contact contact;
    if (is_held(in, in->contact.a[2 * (size_t)row]) && is_held(in, in->contact.b[2 * (size_t)row]))
        return CD_OK;
    for (int s = 0; s < 2; s++)
        CD_TRY(make_side(work, row, s, &side[s], diag));
    CD_TRY(take_contact(work, row, side, &contact, diag));
    cd_penalty_force force = cd_penalty_force_of(&contact);
    if (!isfinite(cd_length3(force.vector)) || !isfinite(cd_length3(force.torque)))
        return cd_fail(diag, CD_ERR_NUMERIC, "contact %" PRId64 ": its force is not finite", in->contact.id[row]);
    add_sums(work, row, side, &contact);
    push_nodes(work, side, force.vector);
    totals->penetration = fmax(totals->penetration, -contact.gap);
    totals->energy += force.energy;
    totals->loss += force.loss;
    const bool turns = contact.turning.rolling > 0 || contact.turning.spinning > 0;
    const bool has_turn = turns && contact.turning.stiffness > 0;
    *result = (pushed){force, contact.shear > 0 || has_turn, turns, has_turn};
    return CD_OK;
}

// ---- the frame -----------------------------------------------------------------------------------------------------

static void take_step(double step, int64_t id, const char *what, cd_arena *arena, cd_penalty_totals *totals)
{
    if (!(step < totals->stable_step))
        return;
    totals->stable_step = step;
    totals->bound = cd_arena_printf(arena, "%s %" PRId64, what, id);
}

// The step of what bounds it most. Nodes vibrate with their elements too: both add up.
static cd_status find_stable_step(cd_arena *arena, const frame_work *work, cd_penalty_totals *totals, cd_diag *diag)
{
    const cd_model *in = work->in;
    const int32_t *by_id = cd_body_order_make(arena, &in->body).row;
    cd_placed_solids solids;
    double frequency_sq;
    int32_t element;
    for (int32_t rank = 0; rank < in->body.count; rank++)
        if (work->of_body[by_id[rank]])
            take_step(cd_penalty_stable_step(cd_penalty_block_most(work->of_body[by_id[rank]])),
                      in->body.id[by_id[rank]], "body", arena, totals);
    CD_TRY(cd_solids_place(arena, &work->stage->solids, &work->placed, work->stage->threads, &solids, diag));
    CD_TRY(cd_solids_frequency_sq(arena, &solids, &frequency_sq, &element, diag));
    if (element >= 0)
        take_step(cd_penalty_stable_step((cd_penalty_sums){frequency_sq, 0}), in->element.id[element], "element", arena,
                  totals);
    for (int32_t i = 0; i < in->node.count; i++) {
        cd_penalty_sums sums = work->of_node[i];
        if (sums.stiffness == 0)
            continue;
        sums.stiffness += frequency_sq;
        take_step(cd_penalty_stable_step(sums), in->node.id[i], "node", arena, totals);
    }
    return CD_OK;
}

static void write_nodes(cd_arena *arena, const frame_work *work, cd_nodal_force_rows *rows)
{
    const cd_model *in = work->in;
    for (int32_t i = 0; i < in->node.count; i++)
        rows->count += work->has_force[i];
    int32_t *node = CD_COLUMN(arena, in->dim, nodal_force, rows, node);
    double *vector = CD_COLUMN(arena, in->dim, nodal_force, rows, vector);
    for (int32_t i = 0; i < in->node.count; i++) {
        if (!work->has_force[i])
            continue;
        *node++ = i;
        memcpy(vector, &work->on_node[i], (size_t)in->dim * sizeof *vector);
        vector += in->dim;
    }
}

// [s] Before frame 0 there was none. The loop says of springs how long it was where the step has changed.
static double step_before(const cd_model *in)
{
    double step = cd_f64_or(in->frame.step, 0, 0);
    return in->frame.index[0] == 0 ? 0 : in->spring.count > 0 ? cd_f64_or(in->spring.step, 0, step) : step;
}

static cd_status open_frame(cd_arena *arena, const cd_penalty_stage *stage, const cd_model *in, frame_work *work,
                            cd_diag *diag)
{
    *work = (frame_work){.in = in,
                         .stage = stage,
                         .arena = arena,
                         .passed = step_before(in),
                         .of_body = CD_ARENA_ZARRAY(arena, cd_penalty_block *, in->body.count),
                         .of_node = CD_ARENA_ZARRAY(arena, cd_penalty_sums, in->node.count),
                         .on_node = CD_ARENA_ZARRAY(arena, cd_vec3, in->node.count),
                         .has_force = CD_ARENA_ZARRAY(arena, bool, in->node.count)};
    work->balls = (cd_placed_pinballs){&stage->pinballs, &work->placed};
    work->spring = stage->has_springs ? cd_penalty_springs_match(arena, in, &stage->shapes) : NULL;
    CD_TRY(cd_elements_place(arena, in, &stage->elements, stage->refs, &work->placed, diag));
    return cd_elements_check_others(&work->placed, diag);
}

// A column of `force`, all absent, with room for all contacts, made when the first one needs it.
static void put_in(cd_arena *arena, const cd_model *in, size_t offset, double **column, int32_t row, cd_vec3 v)
{
    const cd_field *field = cd_field_by_offset(CD_REC_force, offset);
    const bool is_spin = field->type == CD_TYPE_SPIN;
    const size_t width = is_spin && in->dim == 2 ? 1 : (size_t)in->dim;
    if (!*column)
        *column = cd_column_new(arena, field, in->dim, in->contact.count);
    const double number[3] = {v.x, v.y, v.z};
    memcpy(*column + width * (size_t)row, is_spin && in->dim == 2 ? number + 2 : number, width * sizeof **column);
}

static void put_force(cd_arena *arena, const cd_model *in, const pushed *f, cd_force_rows *force)
{
    const int32_t row = force->count++;
    if (f->has_spring)
        put_in(arena, in, offsetof(cd_force_rows, spring), &force->spring, row, f->all.spring);
    if (f->has_torque)
        put_in(arena, in, offsetof(cd_force_rows, torque), &force->torque, row, f->all.torque);
    if (f->has_turn)
        put_in(arena, in, offsetof(cd_force_rows, turn), &force->turn, row, f->all.turn);
}

cd_status cd_penalty_frame(cd_arena *arena, const cd_penalty_stage *stage, const cd_model *in, cd_model *out,
                           cd_penalty_totals *totals, cd_diag *diag)
{
    frame_work work;
    cd_force_rows *force = &out->force;
    *totals = (cd_penalty_totals){.stable_step = INFINITY};
    CD_TRY(open_frame(arena, stage, in, &work, diag));
    // Room for a force of each contact.
    force->count = in->contact.count;
    int32_t *contact = CD_COLUMN(arena, in->dim, force, force, contact);
    double *vector = CD_COLUMN(arena, in->dim, force, force, vector);
    const size_t dim = (size_t)in->dim;
    force->count = 0;
    for (int32_t i = 0; i < in->contact.count; i++) {
        pushed f = {.has_spring = false};
        if (!cd_contact_takes_part(cd_i32_or(in->contact.status, i, CD_STATUS_CANDIDATE)))
            continue;
        CD_TRY(check_kind(in, i, diag));
        if (in->contact.gap[i] < 0)
            CD_TRY(push(&work, i, totals, &f, diag));
        if (!(cd_length3(f.all.vector) > 0))
            continue;
        contact[force->count] = i;
        memcpy(vector + dim * (size_t)force->count, &f.all.vector, dim * sizeof *vector);
        put_force(arena, in, &f, force);
    }
    totals->contacts = force->count;
    write_nodes(arena, &work, &out->nodal_force);
    return find_stable_step(arena, &work, totals, diag);
}
