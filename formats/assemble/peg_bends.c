// SPDX-License-Identifier: MIT
#include "peg_bends.h"

// [1] of the characteristic length: what a contact is asked for at most of what its gap can bend by, and an island.
// Larger: what turns fast hovers by it over what it slides on, and bodies that are thrown at each other end apart. A
// smooth rod that falls over has 4.36 h of error in its spin at 2, 5 and 10 ms; with 1e-3 4.07 to 4.99 h, for 15 to 20
// % less time of 125 hulls without friction that land (296 rounds of 200 steps in the place of 332).
static const double bend_most = 1e-4;
// [1] the same of what it bends by at the velocities of the start, which is right to second order and is asked for
// besides. Smaller: what slides and turns fast while a heap lands ends inside, and a second round is for all of it:
// with 1e-4 of both together 125 hulls without friction take 419 rounds in 200 steps, 27 hulls 832 in 500; with this
// 332 and 579.
static const double known_most = 1e-2;
// [1] of the margin: of closest points what is less is a rounding of two gaps, as of balls that roll on a plane.
static const double round_least = 1e-2;
// [rad] of both bodies in the step: of what turns further the second derivative says nothing.
static const double turn_most = 0.5;
// [1] Speeds change within the step: what is asked for at least is what an island's contacts bend by at so many times
// their mean speed. Rounds a step of 306 polygons after 2 and 3 s with 1 | 2 | 4 | 8, of pairs that ask for less
// themselves: 2.4 | 2.0 | 1.7 | 1.5 and 2.0 | 2.0 | 1.4 | 1.0; with 0 125 hulls that sway take 1.5 in the place of 1.
// Larger: more of a gap is left.
static const double bend_speeds = 4;
// [1] of what a gap can bend by: asked for besides what it bends by at the velocities of the start. Rounds a step of
// 306 polygons that glide with 0 | 0.2 | 0.3 | 0.5 | 1: 1.8 | 1.36 | 1.27 | 1.19 | 1.15. Larger: more of a gap is left.
static const double bend_rest = 1;

// [1] of the way that forces bring a body by within the step: where its island asks for more than the gap that there
// is, it is asked for so much more. An island's floor doubles within a step, and that over a short step is a velocity
// that nothing takes back. Larger: smooth ladders and boxes that fall off a table are thrown, at steps of 0.4 to 1 ms,
// by up to 60 h in their speeds where nothing bounds it. Smaller: bodies rise to what their island asks for in more
// steps of a millisecond. At 10 ms it is more than any island asks for where bodies are up to a metre large.
static const double lift = 0.1;

// How two bodies move in the step, as their contacts have it in common.
typedef struct pair_motion {
    int32_t body[2];  // rows of `body`
    bool is_moving[2];
    double turn[2];  // [rad]
    double apart;    // [m] of their centres against each other
} pair_motion;

// Of a vector of `count` numbers.
static double length_of(int count, const double *number)
{
    double length_sq = 0;
    for (int k = 0; k < count; k++)
        length_sq += number[k] * number[k];
    return sqrt(length_sq);
}

static pair_motion motion_of(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row)
{
    const cd_model *in = build->in;
    const int dim = in->dim;
    double nu[2][CD_PEG_AXES_MAX] = {{0}}, way[CD_PEG_AXES_MAX];
    pair_motion motion = {.apart = 0};
    for (int s = 0; s < 2; s++) {
        const int32_t body = motion.body[s] = cd_peg_body_of(build, row, s);
        motion.is_moving[s] = cd_body_motion(in, body) != CD_MOTION_FIXED;
        if (!motion.is_moving[s])
            continue;
        if (cd_peg_is_polish(in) && build->trial_row[body] >= 0)
            dimension->trial(build, body, nu[s]);
        else
            dimension->start(build, body, nu[s]);
        for (int k = dim; k < dimension->axes; k++)
            way[k] = build->step * nu[s][k];
        motion.turn[s] = length_of(dimension->axes - dim, way + dim);
    }
    for (int k = 0; k < dim; k++)
        way[k] = build->step * (nu[1][k] - nu[0][k]);
    motion.apart = length_of(dim, way);
    return motion;
}

// Half of the second derivative of a gap is (omega_a^2 r_a + omega_b^2 r_b) / 2 + (omega_a + omega_b) v, v the speed of
// one of the points against the other body.
static double bend_at(const cd_model *in, const pair_motion *motion, int32_t row)
{
    const int dim = in->dim;
    const double *turn = motion->turn;
    double arm[2] = {0, 0}, to[3];
    for (int s = 0; s < 2; s++) {
        if (!motion->is_moving[s])
            continue;
        for (int k = 0; k < dim; k++)
            to[k] = in->contact.point[dim * row + k] - in->body.position[dim * motion->body[s] + k];
        arm[s] = length_of(dim, to);
    }
    const double way = motion->apart + turn[0] * arm[0] + turn[1] * arm[1];
    return (turn[0] * turn[0] * arm[0] + turn[1] * turn[1] * arm[1]) / 2 + (turn[0] + turn[1]) * way;
}

double cd_peg_bend_of(const cd_peg_build *build, const cd_peg_dimension *dimension, int32_t row)
{
    const pair_motion motion = motion_of(build, dimension, row);
    return bend_at(build->in, &motion, row);
}

static bool is_asked(const cd_peg_build *build, int32_t row)
{
    return build->in->contact.kind[row] == CD_CONTACT_SEPARATING && build->is_used[row] && !cd_peg_rubs(build, row);
}

// Of a row that cd_peg_is_closest: is one of the parts round? The Perram-Wertham gap of two ellipsoids, kind analytic,
// is not that of their closest points.
static bool is_of_round(const cd_peg_build *build, int32_t row)
{
    int ellipsoids = 0, spheres = 0;
    for (int s = 0; s < 2; s++) {
        const int32_t leaf = cd_peg_leaf_of(build, row, s);
        if (leaf < 0)
            return false;
        const cd_shape_kind shape = cd_leaves_kind(&build->shapes->leaves, leaf);
        ellipsoids += shape == CD_SHAPE_ELLIPSOID;
        spheres += shape == CD_SHAPE_SPHERE;
    }
    return ellipsoids + spheres > 0 && (build->in->contact.kind[row] == CD_CONTACT_DEPTH || ellipsoids < 2);
}

// [m] What the closest points of two parts bend by, where one of them turns: two that do not come no nearer than they
// are said to. Rows of a pair after its first are of other points, and parts that overlap at the start are asked for no
// more than they have. Of rows that cd_peg_is_closest.
static double round_at(const cd_peg_build *build, const cd_peg_dimension *dimension, const pair_motion *motion,
                       int32_t row)
{
    const cd_contact_rows *rows = &build->in->contact;
    const bool is_first = row == 0 || memcmp(rows->a + 2 * row, rows->a + 2 * row - 2, 2 * sizeof *rows->a) != 0 ||
                          memcmp(rows->b + 2 * row, rows->b + 2 * row - 2, 2 * sizeof *rows->b) != 0;
    const bool turns = motion->turn[0] + motion->turn[1] > 0;
    if (!turns || !is_first || (rows->bound && rows->bound[row] < 0) || !is_of_round(build, row))
        return 0;
    const double closes = -build->step * build->step / 2 * dimension->second_of_closest(build, row);
    return closes > round_least * build->settings.margin ? closes : 0;
}

// [1] of the characteristic length. Of what bounces, no more than of what it can bend by: an impact needs two bodies
// that end the step where they meet.
static double known_most_of(const cd_peg_build *build, const pair_motion *motion)
{
    const cd_interactions *laws = build->settings.interactions;
    const bool bounces = laws && laws->has_restitution &&
                         cd_contact_law_of(laws, build->in, motion->body[0], motion->body[1]).restitution > 0;
    return bounces || motion->turn[0] + motion->turn[1] > turn_most ? bend_most : known_most;
}

// Of all contacts of a pair of parts the most. Were each asked for the most that it can bend by, the points of two
// faces would lie in no plane: which of them carry would hang on that, and is hard to find. 343 and 125 hulls without
// friction, 6 and 4 s after they were dropped, CPU of the solver: 213 -> 139 and 21 -> 14 ms a problem.
static void level_pairs(const cd_peg_build *build, double *bend)
{
    const cd_contact_rows *rows = &build->in->contact;
    for (int32_t first = 0, end = 0; first < rows->count; first = end) {
        double most = 0;
        for (; end < rows->count && memcmp(rows->a + 2 * end, rows->a + 2 * first, 2 * sizeof *rows->a) == 0 &&
               memcmp(rows->b + 2 * end, rows->b + 2 * first, 2 * sizeof *rows->b) == 0;
             end++)
            most = fmax(most, bend[end]);
        for (int32_t i = first; i < end; i++)
            bend[i] = is_asked(build, i) ? most : 0;
    }
}

// The power of two that is not above x >= 0.
static double power_below(double x)
{
    int exponent;
    return frexp(x, &exponent) > 0 ? ldexp(0.5, exponent) : 0;
}

// Root of the island of a contact: of its body that moves.
static int32_t root_at(const cd_peg_build *build, const int32_t *root, int32_t row)
{
    const int32_t a = cd_peg_body_of(build, row, 0);
    return root[cd_body_is_moved(build->in, a) ? a : cd_peg_body_of(build, row, 1)];
}

// [m] By root of an island: what its contacts bend by at bend_speeds times their mean speed, for bends go with the
// square of it; no more than `most`. A few that are fast change little of it.
static const double *floors_of(const cd_peg_build *build, const int32_t *root, const double *bend, double most)
{
    const cd_model *in = build->in;
    int32_t *count = CD_ARENA_ZARRAY(build->arena, int32_t, in->body.count);
    double *floor = CD_ARENA_ZARRAY(build->arena, double, in->body.count);
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!is_asked(build, i))
            continue;
        const int32_t island = root_at(build, root, i);
        floor[island] += sqrt(bend[i]);
        count[island]++;
    }
    for (int32_t i = 0; i < in->body.count; i++) {
        const double fast = count[i] > 0 ? bend_speeds * floor[i] / count[i] : 0;
        floor[i] = fmin(most, power_below(fast * fast));
    }
    return floor;
}

// [m] By row of `body`: by how much forces move it within the step; 0 of what has no block.
static const double *ways_of_forces(const cd_peg_build *build, const cd_peg_dimension *dimension)
{
    const int dim = build->in->dim;
    double *way = CD_ARENA_ZARRAY(build->arena, double, build->in->body.count), nu[CD_PEG_AXES_MAX];
    for (int32_t body = 0; body < build->in->body.count; body++) {
        if (build->block[body] < 0)
            continue;
        const double *free = build->free + (size_t)body * (size_t)dimension->axes;
        dimension->start(build, body, nu);
        for (int k = 0; k < dim; k++)
            nu[k] = free[k] - nu[k];
        way[body] = build->step * length_of(dim, nu);
    }
    return way;
}

// Each contact is asked for what its island is, as far as it may be lifted to that, unless its own is more. opens [m]:
// by what its gap bends open, which lifts it without being asked.
static void level_islands(const cd_peg_build *build, const cd_peg_dimension *dimension, const double *bend,
                          const double *opens, double *asked)
{
    const cd_model *in = build->in;
    int32_t *root = cd_body_roots_start(build->arena, in);
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (is_asked(build, i))
            cd_body_roots_connect(in, root, cd_peg_body_of(build, i, 0), cd_peg_body_of(build, i, 1));
    }
    cd_body_roots_finish(in, root);
    const double *floor = floors_of(build, root, bend, bend_most * build->settings.length);
    const double *way = ways_of_forces(build, dimension);
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!is_asked(build, i))
            continue;
        const double least = floor[root_at(build, root, i)];
        if (least <= asked[i])
            continue;
        const double most_way = fmax(way[cd_peg_body_of(build, i, 0)], way[cd_peg_body_of(build, i, 1)]);
        const double raised = fmax(in->contact.gap[i] - opens[i], 0) + lift * most_way;
        asked[i] = fmax(fmin(least, raised), asked[i]);
    }
}

const double *cd_peg_bends_make(const cd_peg_build *build, const cd_peg_dimension *dimension)
{
    const cd_model *in = build->in;
    if (!cd_peg_is_first(build) || cd_i32_or(in->frame.facets, 0, CD_ABSENT) == CD_FACETS_START)
        return NULL;
    const double length = build->settings.length, half = build->step * build->step / 2;
    double *bend = CD_ARENA_ZARRAY(build->arena, double, in->contact.count);
    double *asked = CD_ARENA_ZARRAY(build->arena, double, in->contact.count);
    double *opens = CD_ARENA_ZARRAY(build->arena, double, in->contact.count);
    double *round = CD_ARENA_ZARRAY(build->arena, double, in->contact.count);
    pair_motion motion = {.body = {-1, -1}};  // contacts of a pair follow one another
    for (int32_t i = 0; i < in->contact.count; i++) {
        const bool is_near = cd_peg_is_closest(build, i) && build->is_used[i];
        if (!is_near && !is_asked(build, i))
            continue;
        if (cd_peg_body_of(build, i, 0) != motion.body[0] || cd_peg_body_of(build, i, 1) != motion.body[1])
            motion = motion_of(build, dimension, i);
        if (is_near) {
            round[i] = fmin(known_most_of(build, &motion) * length, round_at(build, dimension, &motion, i));
            continue;
        }
        bend[i] = fmin(bend_most * length, bend_at(in, &motion, i));
        const double second = half * dimension->second(build, i);
        opens[i] = fmax(0, second);
        asked[i] = fmin(known_most_of(build, &motion) * length, fmax(0, -second)) + bend_rest * bend[i];
    }
    level_pairs(build, bend);
    level_pairs(build, asked);
    level_islands(build, dimension, bend, opens, asked);
    for (int32_t i = 0; i < in->contact.count; i++)
        asked[i] += round[i];
    return asked;
}
