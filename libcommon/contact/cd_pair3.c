// The table of pairs of space, and the questions with their general routines.
// SPDX-License-Identifier: MIT
#include "cd_pair3.h"
#include "pair_region.h"

// ---- the table -----------------------------------------------------------------------------------------------------

#define X(KIND_A, KIND_B, name)            \
    extern const cd_pair3 cd_pair3_##name; \
    _Static_assert(CD_SHAPE_##KIND_A <= CD_SHAPE_##KIND_B, "pairs3.def: the kinds of " #name " are out of order");
#include "pairs3.def"
#undef X

enum {  // two lines of the same kinds do not compile
#define X(KIND_A, KIND_B, name) KIND_A##_AND_##KIND_B,
#include "pairs3.def"
#undef X
};

const cd_pair3 *const cd_pairs3[] = {
#define X(KIND_A, KIND_B, name) &cd_pair3_##name,
#include "pairs3.def"
#undef X
    NULL,
};

static const cd_pair3 *const by_kinds[CD_SHAPE_KINDS][CD_SHAPE_KINDS] = {
#define X(KIND_A, KIND_B, name) [CD_SHAPE_##KIND_A][CD_SHAPE_##KIND_B] = &cd_pair3_##name,
#include "pairs3.def"
#undef X
};

// Of kinds without a line.
static const cd_pair3 convex_pair = {.name = "convex"};
static const cd_pair3 convex_halfspace_pair = {
    .name = "convex-halfspace", .is_closed_form = true, .gap = cd_gap3_convex_halfspace};

const cd_pair3 *cd_pair3_for(cd_shape_kind kind_a, cd_shape_kind kind_b)
{
    bool has_support_a = cd_shape_table[kind_a]->space.support, has_support_b = cd_shape_table[kind_b]->space.support;
    const cd_pair3 *pair = kind_a <= kind_b ? by_kinds[kind_a][kind_b] : by_kinds[kind_b][kind_a];
    if (pair)
        return pair->gap || (has_support_a && has_support_b) ? pair : NULL;
    if (has_support_a && has_support_b)
        return &convex_pair;
    bool is_over_halfspace =
        (has_support_a && kind_b == CD_SHAPE_HALFSPACE) || (has_support_b && kind_a == CD_SHAPE_HALFSPACE);
    return is_over_halfspace ? &convex_halfspace_pair : NULL;
}

cd_gap3 cd_pair3_gap(const cd_pair3 *pair, const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    bool is_in_order = a->kind <= b->kind;
    const cd_solid3 *first = is_in_order ? a : b, *second = is_in_order ? b : a;
    cd_gap3 gap = pair->gap ? pair->gap(first, second, scratch) : cd_gap3_convex(first, second, scratch);
    return is_in_order ? gap : cd_gap3_flip(gap);
}

// ---- by the signed distance ----------------------------------------------------------------------------------------

void cd_contact_of_gap3(cd_contact_kind kind, const cd_gap3 *g, double epsilon, cd_contact *contact)
{
    bool has_features = g->feature_a != CD_FEATURE_NONE && g->feature_b != CD_FEATURE_NONE;
    bool is_clamped = kind == CD_CONTACT_DISTANCE && g->gap < 0;  // both points are one that they share
    cd_vec3 middle = cd_scale3(0.5, cd_add3(g->point_a, g->point_b));
    *contact = cd_contact_none();
    contact->kind = (int32_t)kind;
    contact->status = (int32_t)cd_contact_status_of(g->gap, epsilon);
    contact->point = middle;
    contact->point_a = is_clamped ? middle : g->point_a;
    contact->point_b = is_clamped ? middle : g->point_b;
    contact->normal = g->normal;
    contact->gap = is_clamped ? 0 : g->gap;
    if (has_features) {
        contact->feature_a = g->feature_a;
        contact->feature_b = g->feature_b;
    }
    if (g->lambda > 0) {
        contact->potential = g->potential;
        contact->lambda = g->lambda;
    }
    if (g->is_degenerate)
        contact->status = kind == CD_CONTACT_DISTANCE ? CD_STATUS_PENETRATING : CD_STATUS_DEGENERATE;
}

static cd_contact *append(const cd_pair3 *pair, cd_contact_kind kind, const cd_gap3 *gap, const cd_pair3_input *input,
                          cd_contacts *contacts)
{
    cd_contact *contact = cd_list_add(input->arena, contacts);
    cd_contact_of_gap3(pair->is_closed_form ? CD_CONTACT_ANALYTIC : kind, gap, input->epsilon, contact);
    return contact;
}

static cd_gap3 gap_now(const cd_pair3 *pair, const cd_pair3_input *input)
{
    return cd_pair3_gap(pair, input->a.current, input->b.current, input->scratch);
}

// A gap that is NaN (of coordinates near the largest doubles) counts as near everywhere here: such a contact is refused
// where it is written, and not lost.
static bool is_near_at(const cd_pair3 *pair, const cd_solid3 *a, const cd_solid3 *b, const cd_pair3_input *input)
{
    bool is_reported = a == input->a.current && b == input->b.current;
    return !is_reported && !(cd_pair3_gap(pair, a, b, input->scratch).gap > input->reach);
}

// Within reach at any of the poses. NULL: it is not.
static cd_contact *append_near(const cd_pair3 *pair, cd_contact_kind kind, const cd_pair3_input *input,
                               cd_contacts *contacts)
{
    cd_gap3 gap = gap_now(pair, input);
    bool is_near = !(gap.gap > input->reach) || is_near_at(pair, input->a.start, input->b.start, input) ||
                   is_near_at(pair, input->a.predicted, input->b.predicted, input);
    return is_near ? append(pair, kind, &gap, input, contacts) : NULL;
}

static void append_within_reach(const cd_pair3 *pair, cd_contact_kind kind, const cd_pair3_input *input,
                                cd_contacts *contacts)
{
    cd_gap3 gap = gap_now(pair, input);
    if (!(gap.gap > input->reach))
        append(pair, kind, &gap, input, contacts);
}

// ---- questions -----------------------------------------------------------------------------------------------------

// With the parts in the order of their kinds.
static void ask(cd_pair3_find *find, const cd_pair3_input *input, cd_contacts *contacts)
{
    if (input->a.current->kind <= input->b.current->kind) {
        find(input, contacts);
        return;
    }
    cd_pair3_input ordered = *input;
    ordered.a = input->b;
    ordered.b = input->a;
    int32_t first = contacts->count;
    find(&ordered, contacts);
    for (int32_t i = first; i < contacts->count; i++)
        contacts->item[i] = cd_contact_flip(contacts->item[i]);
    cd_contacts_sort(contacts, first);
}

void cd_pair3_potential(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    if (pair->potential)
        ask(pair->potential, input, contacts);
    else
        append_near(pair, CD_CONTACT_DISTANCE, input, contacts);
}

void cd_pair3_separating_by_gap(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    cd_contact *contact = append_near(pair, CD_CONTACT_DEPTH, input, contacts);
    if (!contact)
        return;
    double start = cd_pair3_gap(pair, input->a.start, input->b.start, input->scratch).gap;
    contact->bound = cd_contact_bound_of_gap(start, input->choice.tolerance);
}

static void separate(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    if (pair->separating)
        ask(pair->separating, input, contacts);
    else
        cd_pair3_separating_by_gap(pair, input, contacts);
}

// ---- points of ellipsoids ------------------------------------------------------------------------------------------
//
// The closest point of an ellipsoid moves along it as it turns, by the radius of its curvature times the angle: of a
// flat one that lies on something from end to end while it turns by little. The row of that point alone lets it turn
// about it freely, and a round ends with the other end inside, by half that radius times the angle squared. So there
// are rows of points that come to be the closest one.
//
// At the start, where bodies turn by much in the step: those that would be it with the normal held, were the body
// turned by once and twice what free motion turns it by; and turned back, for what hits it often gives its spin the
// other sense. They are over the plane of the closest pair: two points of one pair then agree on the way out, and a
// pair alone can always follow all of them.
//
// At a trial: the point that was closest at the step's start, where it is now, as a ball of radius 0. Turned back by
// what one end was too deep, a long one is as deep with the other end, and rounds with the closest pair alone go from
// end to end. No point of a body may enter the other one, so that asks for nothing that is not needed.
//
// In an impact bodies touch where they are closest or nowhere: the normal of another point is none of its body, and an
// impulse along it would spin a body of revolution about its axis.

// [1] by which free motion turns the normal in a body's frame. Larger: more steps fall into parts. Smaller: contacts
// that roll lose more of their spin in a step. Problems a step of 100 ellipsoids that land without friction, 50 ms,
// three seeds, and median errors of the velocities after 200 free collisions at 20 ms with spins of 10 rad/s:
// never 6.1, 5.0, 5.1, 0.033 m/s; 0.5 5.2, 4.8, 4.4, 0.033; 0.25 4.5, 4.1, 4.3, 0.045; 0.15 4.7, 4.1, 3.7, 0.072. The
// largest that costs no accuracy.
static const double turned_least = 0.5;
enum { TURNS = 2 };

// [1] of the largest semiaxis: points that are nearer than this to the closest one of the trial say the same.
static const double points_apart = 0.1;
// [1] gaps of two points of a body differ by at most this times how far apart they are.
static const double turn_most = 2;

static double largest_semiaxis(const cd_ellipsoid *e)
{
    return fmax(e->semiaxes.x, fmax(e->semiaxes.y, e->semiaxes.z));
}

// The point of an ellipsoid at the start, where it is now.
static cd_vec3 carry_point(const cd_pair3_part *part, cd_vec3 p)
{
    const cd_ellipsoid *start = &part->start->ellipsoid, *now = &part->current->ellipsoid;
    cd_vec3 own = cd_mat3_apply_back(start->axes, cd_sub3(p, start->centre));
    return cd_add3(now->centre, cd_mat3_apply(now->axes, own));
}

// Is a point of a body so much higher than its closest one [m] that no turn of the step brings it down? apart: the two.
static bool is_too_high(const cd_pair3_input *input, double higher, double apart, double radius)
{
    return higher > apart * fmin(turn_most, input->sway / radius);
}

// `closest`: the pair's contact at the trial; start: the closest point of side 0 (a) or 1 (b), an ellipsoid, at the
// start.
static void append_start_point(const cd_pair3_input *input, int side, cd_vec3 start, const cd_contact *closest,
                               cd_contacts *contacts)
{
    cd_pair3_input asked = *input;
    cd_pair3_part *own = side ? &asked.b : &asked.a, *other = side ? &asked.a : &asked.b;
    const double radius = largest_semiaxis(&own->current->ellipsoid);
    const cd_vec3 now = carry_point(own, start);
    const double apart = cd_length3(cd_sub3(now, side ? closest->point_b : closest->point_a));
    if (!(apart > points_apart * radius))
        return;
    const cd_solid3 at_start = {.kind = CD_SHAPE_SPHERE, .sphere = {start, 0}};
    const cd_solid3 at_trial = {.kind = CD_SHAPE_SPHERE, .sphere = {now, 0}};
    *own = (cd_pair3_part){.start = &at_start, .predicted = &at_trial, .current = &at_trial};
    other->predicted = other->current;
    const int32_t first = contacts->count;
    separate(cd_pair3_for(asked.a.current->kind, asked.b.current->kind), &asked, contacts);
    if (contacts->count > first && is_too_high(input, contacts->item[first].gap - closest->gap, apart, radius))
        contacts->count = first;
}

// The point farthest along n, a direction in the ellipsoid's own frame.
static cd_vec3 farthest_along(const cd_ellipsoid *e, cd_vec3 n)
{
    const cd_vec3 s = e->semiaxes, on_ball = cd_unit3((cd_vec3){s.x * n.x, s.y * n.y, s.z * n.z});
    return cd_add3(e->centre, cd_mat3_apply(e->axes, (cd_vec3){s.x * on_ball.x, s.y * on_ball.y, s.z * on_ball.z}));
}

// A row of a point p of a side at the start over the plane of the closest pair, which is the other side's.
static void append_over_plane(const cd_pair3_input *input, int side, cd_vec3 p, const cd_contact *closest,
                              cd_contacts *contacts)
{
    const double radius = largest_semiaxis(&(side ? &input->b : &input->a)->current->ellipsoid);
    const double apart = cd_length3(cd_sub3(p, side ? closest->point_b : closest->point_a));
    const double gap = side ? cd_dot3(closest->normal, cd_sub3(p, closest->point_a))
                            : cd_dot3(closest->normal, cd_sub3(closest->point_b, p));
    if (is_too_high(input, gap - closest->gap, apart, radius))
        return;
    cd_contact *contact = cd_list_add(input->arena, contacts);
    *contact = *closest;
    contact->gap = gap;
    contact->status = (int32_t)cd_contact_status_of(gap, input->epsilon);
    contact->point_a = side ? cd_sub3(p, cd_scale3(gap, closest->normal)) : p;
    contact->point_b = side ? p : cd_add3(p, cd_scale3(gap, closest->normal));
    contact->point = cd_scale3(0.5, cd_add3(contact->point_a, contact->point_b));
    contact->potential = contact->lambda = NAN;
}

// sense: 1 as the body turns, -1 back.
static void append_turned(const cd_pair3_input *input, int side, double sense, const cd_contact *closest,
                          cd_contacts *contacts)
{
    const cd_pair3_part *own = side ? &input->b : &input->a;
    const cd_ellipsoid *e = &own->current->ellipsoid;
    const cd_vec3 outward = side ? cd_negate3(closest->normal) : closest->normal;
    const cd_vec3 now = cd_mat3_apply_back(e->axes, outward);
    const cd_vec3 turn = cd_sub3(cd_mat3_apply_back(own->predicted->ellipsoid.axes, outward), now);
    if (!input->choice.with_turned && !(cd_length3(turn) > turned_least))
        return;
    cd_vec3 last = side ? closest->point_b : closest->point_a;
    for (int k = 1; k <= TURNS; k++) {
        const cd_vec3 p = farthest_along(e, cd_add3(now, cd_scale3(sense * k, turn)));
        if (!(cd_length3(cd_sub3(p, last)) > points_apart * largest_semiaxis(e)))
            continue;
        append_over_plane(input, side, p, closest, contacts);
        last = p;
    }
}

void cd_pair3_separating(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    const int32_t first = contacts->count;
    separate(pair, input, contacts);
    const bool is_curved[2] = {input->a.current->kind == CD_SHAPE_ELLIPSOID,
                               input->b.current->kind == CD_SHAPE_ELLIPSOID};
    if (input->choice.closest || !((is_curved[0] || is_curved[1]) && contacts->count == first + 1))
        return;
    const bool is_trial = input->a.current != input->a.start || input->b.current != input->b.start;
    const cd_contact closest = contacts->item[first];
    cd_gap3 start = {.gap = NAN};
    if (is_trial)
        start = cd_pair3_gap(pair, input->a.start, input->b.start, input->scratch);
    for (int side = 0; side < 2; side++) {
        if (is_curved[side] && is_trial)
            append_start_point(input, side, side ? start.point_b : start.point_a, &closest, contacts);
        for (int sense = 1; is_curved[side] && !is_trial && sense >= -1; sense -= 2)
            append_turned(input, side, sense, &closest, contacts);
    }
}

// ---- other questions -----------------------------------------------------------------------------------------------

void cd_pair3_volume(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    if (pair->volume) {
        ask(pair->volume, input, contacts);
        return;
    }
    cd_gap3 gap = gap_now(pair, input);
    if (!(gap.gap >= 0))
        append(pair, CD_CONTACT_DEPTH, &gap, input, contacts);
}

void cd_pair3_distance(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    append_within_reach(pair, CD_CONTACT_DISTANCE, input, contacts);
}

void cd_pair3_depth(const cd_pair3 *pair, const cd_pair3_input *input, cd_contacts *contacts)
{
    append_within_reach(pair, CD_CONTACT_DEPTH, input, contacts);
}
