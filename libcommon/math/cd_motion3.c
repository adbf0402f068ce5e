// SPDX-License-Identifier: MIT
#include "cd_motion3.h"

// ---- inertia -------------------------------------------------------------------------------------------------------

// J = L D L' with unit lower triangular L.
typedef struct inertia_factor {
    double d[3], xy, xz, yz;  // L_21, L_31, L_32
} inertia_factor;

static inertia_factor factor_of(const double inertia[6])
{
    inertia_factor f;
    f.d[0] = inertia[0];
    f.xy = inertia[3] / f.d[0];
    f.xz = inertia[4] / f.d[0];
    f.d[1] = inertia[1] - f.xy * inertia[3];
    double yz = inertia[5] - f.xz * inertia[3];
    f.yz = yz / f.d[1];
    f.d[2] = inertia[2] - f.xz * inertia[4] - f.yz * yz;
    return f;
}

static cd_vec3 solve_factored(const inertia_factor *f, cd_vec3 b)
{
    double y = b.y - f->xy * b.x, z = b.z - f->xz * b.x - f->yz * y;
    cd_vec3 v;
    v.z = z / f->d[2];
    v.y = y / f->d[1] - f->yz * v.z;
    v.x = b.x / f->d[0] - f->xy * v.y - f->xz * v.z;
    return v;
}

bool cd_inertia3_is_definite(const double inertia[6])
{
    inertia_factor f = factor_of(inertia);
    return f.d[0] > 0 && f.d[1] > 0 && f.d[2] > 0;
}

cd_vec3 cd_inertia3_apply(const double inertia[6], cd_vec3 spin)
{
    return (cd_vec3){inertia[0] * spin.x + inertia[3] * spin.y + inertia[4] * spin.z,
                     inertia[3] * spin.x + inertia[1] * spin.y + inertia[5] * spin.z,
                     inertia[4] * spin.x + inertia[5] * spin.y + inertia[2] * spin.z};
}

cd_vec3 cd_inertia3_solve(const double inertia[6], cd_vec3 momentum)
{
    inertia_factor f = factor_of(inertia);
    return solve_factored(&f, momentum);
}

cd_mat3 cd_inertia3_world(const double inertia[6], cd_quat rotation)
{
    cd_mat3 r = cd_quat_matrix(rotation);
    cd_vec3 j[3];  // J R' by columns
    for (int i = 0; i < 3; i++)
        j[i] = cd_inertia3_apply(inertia, r.row[i]);
    double xy = cd_dot3(r.row[0], j[1]), xz = cd_dot3(r.row[0], j[2]), yz = cd_dot3(r.row[1], j[2]);
    return (cd_mat3){
        {{cd_dot3(r.row[0], j[0]), xy, xz}, {xy, cd_dot3(r.row[1], j[1]), yz}, {xz, yz, cd_dot3(r.row[2], j[2])}}};
}

cd_vec3 cd_angular_momentum3(const double inertia[6], cd_quat rotation, cd_vec3 spin)
{
    cd_mat3 r = cd_quat_matrix(rotation);
    return cd_mat3_apply(&r, cd_inertia3_apply(inertia, cd_mat3_apply_back(&r, spin)));
}

cd_vec3 cd_spin_of_momentum3(const double inertia[6], cd_quat rotation, cd_vec3 momentum)
{
    cd_mat3 r = cd_quat_matrix(rotation);
    return cd_mat3_apply(&r, cd_inertia3_solve(inertia, cd_mat3_apply_back(&r, momentum)));
}

// Spheres and cubes: the spin stays, whatever the rule.
static bool is_isotropic(const double inertia[6])
{
    return inertia[0] == inertia[1] && inertia[1] == inertia[2] && inertia[3] == 0 && inertia[4] == 0 &&
           inertia[5] == 0;
}

// ---- the midpoint rule ---------------------------------------------------------------------------------------------

// F(W) = J exp(-a m) W - exp(-h W / 2) M, in the body frame at the start; m is the direction of the second term.
typedef struct midpoint_equation {
    const double *inertia;
    cd_vec3 momentum;  // M
    double step;       // h
    double lean;       // [rad] a
} midpoint_equation;

static cd_vec3 turned_momentum(const midpoint_equation *e, cd_vec3 spin)
{
    return cd_quat_turn(cd_quat_from_vector(cd_scale3(-e->step / 2, spin)), e->momentum);
}

// F(W), momentum: its second term.
static cd_vec3 residual_of(const midpoint_equation *e, cd_vec3 spin, cd_vec3 momentum)
{
    if (e->lean != 0)
        spin = cd_quat_turn(cd_quat_from_vector(cd_scale3(-e->lean / cd_length3(momentum), momentum)), spin);
    return cd_sub3(cd_inertia3_apply(e->inertia, spin), momentum);
}

// x with a x = b by Cramer's rule, a given by columns; *found is false where a is singular.
static cd_vec3 solve_columns(cd_vec3 a, cd_vec3 b, cd_vec3 c, cd_vec3 right, bool *found)
{
    cd_vec3 bc = cd_cross3(b, c);
    double determinant = cd_dot3(a, bc);
    *found = determinant != 0;
    return (cd_vec3){cd_dot3(right, bc) / determinant, cd_dot3(right, cd_cross3(c, a)) / determinant,
                     cd_dot3(right, cd_cross3(a, b)) / determinant};
}

// Newton's correction. With t = -h W / 2 and m = exp(t) M, d m = (T(t) dt) x m, where
//     T(t) v = v + a t x v + b t x (t x v),   a = (1 - cos |t|) / |t|^2,   b = (|t| - sin |t|) / |t|^3
// is the derivative of the exponential; so dF = J dW + h/2 (T dW) x m. With a lean l J exp(-l m/|m|) dW stands in the
// place of J dW, and J (l/|m| h/2 ((T dW) x m) x W) comes to it, to first order in l: without these it ends at 1e-12 of
// |M| for needles.
static cd_vec3 newton_step(const midpoint_equation *e, cd_vec3 spin, cd_vec3 momentum, cd_vec3 residual, bool *found)
{
    const double *j = e->inertia;
    cd_vec3 column[3] = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
    const double lean = e->lean != 0 ? e->lean / cd_length3(momentum) : 0;
    const cd_quat back = lean != 0 ? cd_quat_from_vector(cd_scale3(-lean, momentum)) : cd_quat_identity();
    cd_vec3 t = cd_scale3(-e->step / 2, spin);
    double angle = cd_length3(t);
    bool is_small = angle < 1e-3;  // series to 1e-14: a Newton matrix needs no more
    double a = is_small ? 0.5 - angle * angle / 24 : (1 - cos(angle)) / (angle * angle);
    double b = is_small ? (1 - angle * angle / 20) / 6 : (angle - sin(angle)) / (angle * angle * angle);
    for (int k = 0; k < 3; k++) {
        cd_vec3 unit = {k == 0, k == 1, k == 2}, tv = cd_cross3(t, unit);
        cd_vec3 moved = cd_add3(unit, cd_add3(cd_scale3(a, tv), cd_scale3(b, cd_cross3(t, tv))));
        const cd_vec3 swept = cd_scale3(e->step / 2, cd_cross3(moved, momentum));
        if (lean != 0)
            column[k] =
                cd_inertia3_apply(j, cd_add3(cd_quat_turn(back, unit), cd_scale3(lean, cd_cross3(swept, spin))));
        column[k] = cd_add3(column[k], swept);
    }
    return solve_columns(column[0], column[1], column[2], cd_negate3(residual), found);
}

// Improves *spin; false when it ends above a residual of `accepted` (1, of |M|).
static bool newton(const midpoint_equation *e, cd_vec3 *spin)
{
    enum { MAX_STEPS = 30, MAX_HALVINGS = 12 };
    static const double aim = 0x1p-51, accepted = 0x1p-40;
    double scale = cd_length3(e->momentum);
    cd_vec3 momentum = turned_momentum(e, *spin);
    cd_vec3 residual = residual_of(e, *spin, momentum);
    double size = cd_length3(residual);
    for (int k = 0; k < MAX_STEPS && size > aim * scale; k++) {
        bool found;
        cd_vec3 step = newton_step(e, *spin, momentum, residual, &found);
        bool is_better = false;
        double length = 1;
        for (int i = 0; found && i < MAX_HALVINGS && !is_better; i++, length /= 2) {
            cd_vec3 trial = cd_add3(*spin, cd_scale3(length, step)), turned = turned_momentum(e, trial);
            cd_vec3 left = residual_of(e, trial, turned);
            is_better = cd_length3(left) < size;
            if (is_better) {
                *spin = trial;
                momentum = turned;
                residual = left;
                size = cd_length3(left);
            }
        }
        if (!is_better)
            break;
    }
    return size <= accepted * scale;
}

// W of the midpoint rule. Where Newton's method does not get there from the start's spin it follows the solutions of
// shorter steps up to h; where that path turns back it starts from iterates of W := J^-1 exp(-h W / 2) M. Bodies that
// turn by less than half a turn in the step were never seen to need either. Of needles and plates that turn by up to 10
// rad, 14 in 200,000 are left after all of that: for them the start's spin is as good as any.
static cd_vec3 midpoint_spin(const double *inertia, cd_vec3 momentum, double step)
{
    enum { MOST_PIECES = 16, MOST_SEEDS = 32 };
    cd_vec3 start = cd_inertia3_solve(inertia, momentum);
    for (int pieces = 1; pieces <= MOST_PIECES; pieces *= 4) {
        cd_vec3 spin = start;
        bool is_found = true;
        for (int k = 1; k <= pieces && is_found; k++) {
            midpoint_equation e = {inertia, momentum, step * k / pieces, 0};
            is_found = newton(&e, &spin);
        }
        if (is_found)
            return spin;
    }
    midpoint_equation e = {inertia, momentum, step, 0};
    cd_vec3 seed = start;
    for (int k = 0; k < MOST_SEEDS; k++) {
        seed = cd_inertia3_solve(inertia, turned_momentum(&e, seed));
        cd_vec3 spin = seed;
        if (newton(&e, &spin))
            return spin;
    }
    return start;
}

// What a step of that spin adds to M' J^-1 M [J], twice the energy of turning.
static double energy_gain(const midpoint_equation *e, cd_vec3 spin)
{
    cd_vec3 end = cd_quat_turn(cd_quat_from_vector(cd_scale3(-e->step, spin)), e->momentum);
    return cd_dot3(end, cd_inertia3_solve(e->inertia, end)) -
           cd_dot3(e->momentum, cd_inertia3_solve(e->inertia, e->momentum));
}

// From W without a lean to that with the one that keeps the energy, which it returns. With w_t the part of W across L
// a lean da moves W by da L/|L| x W, and the gain by -2 h |L| |w_t|^2 da, to first order in h: from there on secants
// through the best and the last, half way back to the best where Newton's method fails. Where they end short of
// rounding the best is kept.
static double lean_of(const double *inertia, cd_vec3 momentum, double step, cd_vec3 *spin)
{
    enum { MOST = 16 };
    static const double aim = 0x1p-49;
    midpoint_equation e = {inertia, momentum, step, 0};
    const cd_vec3 across = cd_cross3(momentum, *spin), start = cd_inertia3_solve(inertia, momentum);
    const double enough = aim * cd_dot3(momentum, start);
    const double slope = -2 * step * cd_dot3(across, across) / cd_length3(momentum);
    double best = 0, gain = energy_gain(&e, *spin), next = slope != 0 ? -gain / slope : 0;
    for (int k = 0; k < MOST && fabs(gain) > enough && next != best; k++) {
        cd_vec3 trial = *spin;
        e.lean = next;
        if (!(fabs(next) < 1) || !newton(&e, &trial)) {
            next = 0.5 * (next + best);
            continue;
        }
        const double last = energy_gain(&e, trial), secant = next - last * (next - best) / (last - gain);
        if (fabs(last) < fabs(gain)) {
            best = next;
            gain = last;
            *spin = trial;
        }
        next = secant;
    }
    return best;
}

// ---- both at once --------------------------------------------------------------------------------------------------

// Of an iterate (W, a) of both equations.
typedef struct both {
    const midpoint_equation *e;  // its lean is a
    inertia_factor factor;
    cd_vec3 spin, half, end;           // W; exp(-h W / 2) M, exp(-h W) M
    cd_vec3 leaned, residual, at_end;  // exp(-a m) W; F; J^-1 end
    double size, twice, gain;          // |M|; M' J^-1 M; end' J^-1 end less that [J]
    double slope;                      // [J/rad] of the last step: d gain / da
} both;

static void look(both *b)
{
    const midpoint_equation *e = b->e;
    const cd_quat turn = cd_quat_from_vector(cd_scale3(-e->step / 2, b->spin));
    b->half = cd_quat_turn(turn, e->momentum);
    b->end = cd_quat_turn(turn, b->half);
    b->at_end = solve_factored(&b->factor, b->end);
    b->gain = cd_dot3(b->end, b->at_end) - b->twice;
    b->leaned =
        e->lean == 0 ? b->spin : cd_quat_turn(cd_quat_from_vector(cd_scale3(-e->lean / b->size, b->half)), b->spin);
    b->residual = cd_sub3(cd_inertia3_apply(e->inertia, b->leaned), b->half);
}

// What [a, b, c] makes of two right-hand sides. False: it is singular.
static bool solve_twice(const cd_vec3 column[3], cd_vec3 x[2])
{
    const cd_vec3 bc = cd_cross3(column[1], column[2]), ca = cd_cross3(column[2], column[0]),
                  ab = cd_cross3(column[0], column[1]);
    const double per = 1 / cd_dot3(column[0], bc);
    for (int k = 0; k < 2; k++)
        x[k] = (cd_vec3){per * cd_dot3(x[k], bc), per * cd_dot3(x[k], ca), per * cd_dot3(x[k], ab)};
    return isfinite(per);
}

// Newton's step of both: K dW - J (m x W) da = -F of the midpoint rule, and with c = end x J^-1 end
//     -2 h (c + h/2 W x c) . dW = -gain
// of the energy; K is newton_step's with the lean. Terms of O(h^2) of these are left out. What is rounding of the gain
// moves no lean.
static bool step_both(both *b, midpoint_equation *e, double enough)
{
    const double h = e->step, lean = e->lean / b->size;
    const cd_vec3 t = cd_scale3(-h / 2, b->spin);
    cd_vec3 column[3];
    for (int k = 0; k < 3; k++) {
        const cd_vec3 unit = {k == 0, k == 1, k == 2}, tv = cd_cross3(t, unit);
        const cd_vec3 moved = cd_add3(unit, cd_add3(cd_scale3(0.5, tv), cd_scale3(1.0 / 6, cd_cross3(t, tv))));
        const cd_vec3 own = cd_sub3(unit, cd_scale3(lean, cd_cross3(b->half, unit)));
        column[k] = cd_add3(cd_inertia3_apply(e->inertia, own), cd_scale3(h / 2, cd_cross3(moved, b->half)));
    }
    cd_vec3 x[2] = {cd_negate3(b->residual),
                    cd_inertia3_apply(e->inertia, cd_scale3(1 / b->size, cd_cross3(b->half, b->leaned)))};
    if (!solve_twice(column, x))
        return false;
    const cd_vec3 c = cd_cross3(b->end, b->at_end);
    const cd_vec3 rate = cd_scale3(-2 * h, cd_add3(c, cd_scale3(h / 2, cd_cross3(b->spin, c))));
    const double left = b->gain + cd_dot3(rate, x[0]);
    b->slope = cd_dot3(rate, x[1]);
    const double more = fabs(left) > enough ? -left / b->slope : 0;
    e->lean += more;
    b->spin = cd_add3(b->spin, cd_add3(x[0], cd_scale3(more, x[1])));
    return fabs(e->lean) < 1;
}

// The shortest way, for bodies that turn by up to half a radian or so: false where it ends above rounding. A lean that
// stands for rounding of the energy is none: tops of two equal moments, which swing by nothing, have no other.
static bool both_at_once(const double *inertia, cd_vec3 momentum, double step, cd_vec3 *spin, double *lean)
{
    enum { MOST = 10 };
    static const double aim = 0x1p-51, accepted = 0x1p-49;
    midpoint_equation e = {inertia, momentum, step, 0};
    both b = {.e = &e, .factor = factor_of(inertia), .size = cd_length3(momentum)};
    const cd_vec3 start = solve_factored(&b.factor, momentum);
    const cd_vec3 turned = cd_sub3(momentum, cd_scale3(step / 2, cd_cross3(start, momentum)));
    b.twice = cd_dot3(momentum, start);
    b.spin = solve_factored(&b.factor, turned);
    double enough = accepted * b.twice, before = INFINITY;
    for (int k = 0; k < MOST; k++) {
        look(&b);
        const double left = cd_length3(b.residual);
        const bool is_good = left <= aim * b.size || (left <= accepted * b.size && left >= before);
        if (is_good && fabs(b.gain) <= enough) {
            *spin = b.spin;
            *lean = e.lean;
            if (e.lean == 0 || fabs(e.lean * b.slope) > 4 * enough)
                return true;
            e.lean = 0;
            enough = INFINITY;
            look(&b);
        }
        before = left;
        if (!step_both(&b, &e, enough))
            return false;
    }
    return false;
}

// ---- motion --------------------------------------------------------------------------------------------------------

cd_state3 cd_state3_advance(cd_state3 start, cd_vec3 velocity, cd_vec3 spin, double step)
{
    cd_state3 end = {cd_add3(start.position, cd_scale3(step, velocity)), start.rotation, velocity, spin};
    if (spin.x != 0 || spin.y != 0 || spin.z != 0)
        end.rotation = cd_quat_unit(cd_quat_product(cd_quat_from_vector(cd_scale3(step, spin)), start.rotation));
    return end;
}

static bool is_zero(cd_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

// In the body frame at the start: the spin of the step. *lean: of the midpoint rule.
static cd_vec3 free_spin(cd_vec3 spin, cd_vec3 torque, const double *inertia, double step, cd_gyration gyration,
                         double *lean)
{
    cd_vec3 momentum = cd_inertia3_apply(inertia, spin);
    if (gyration == CD_GYRATION_EXPLICIT) {
        cd_vec3 moment = cd_sub3(cd_cross3(spin, momentum), torque);
        return cd_sub3(spin, cd_scale3(step, cd_inertia3_solve(inertia, moment)));
    }
    // Adding 0 would turn a -0 over.
    if (!is_zero(torque))
        momentum = cd_add3(momentum, cd_scale3(step, torque));
    cd_vec3 found;
    if (both_at_once(inertia, momentum, step, &found, lean))
        return found;
    found = midpoint_spin(inertia, momentum, step);
    *lean = lean_of(inertia, momentum, step, &found);
    return found;
}

// exp(a L / |L|) R.
static cd_quat leaned(cd_quat rotation, double lean, cd_state3 start, const double *inertia, cd_vec3 torque,
                      double step)
{
    cd_vec3 momentum = cd_angular_momentum3(inertia, start.rotation, start.spin);
    momentum = cd_add3(momentum, cd_scale3(step, torque));
    cd_quat turn = cd_quat_from_vector(cd_scale3(lean / cd_length3(momentum), momentum));
    return cd_quat_unit(cd_quat_product(turn, rotation));
}

cd_free3 cd_state3_free_velocity(cd_state3 start, const double *inertia, cd_applied3 applied, double step,
                                 cd_gyration gyration)
{
    cd_free3 free = {cd_add3(start.velocity, cd_scale3(step, applied.acceleration)), start.spin, start.rotation};
    bool is_turned = !is_zero(applied.torque);
    double lean = 0;
    if (!inertia || (is_zero(start.spin) && !is_turned))
        return free;
    if (!is_isotropic(inertia)) {
        cd_mat3 r = cd_quat_matrix(start.rotation);
        cd_vec3 torque = is_turned ? cd_mat3_apply_back(&r, applied.torque) : applied.torque;
        cd_vec3 spin = free_spin(cd_mat3_apply_back(&r, start.spin), torque, inertia, step, gyration, &lean);
        free.spin = cd_mat3_apply(&r, spin);
    } else if (is_turned) {
        free.spin = cd_add3(start.spin, cd_scale3(step / inertia[0], applied.torque));
    }
    if (gyration == CD_GYRATION_MIDPOINT)
        free.middle = cd_state3_advance(start, free.velocity, free.spin, step / 2).rotation;
    if (lean != 0)
        free.middle = leaned(free.middle, lean, start, inertia, applied.torque, step);
    return free;
}

cd_state3 cd_state3_free(cd_state3 start, const double *inertia, cd_applied3 applied, double step, cd_gyration gyration)
{
    cd_free3 free = cd_state3_free_velocity(start, inertia, applied, step, gyration);
    return cd_state3_advance(start, free.velocity, free.spin, step);
}

cd_vec3 cd_end_spin3(const double *inertia, cd_quat middle, cd_quat end, cd_vec3 spin, cd_gyration gyration)
{
    if (gyration == CD_GYRATION_EXPLICIT || !inertia || is_isotropic(inertia))
        return spin;
    return cd_spin_of_momentum3(inertia, end, cd_angular_momentum3(inertia, middle, spin));
}
