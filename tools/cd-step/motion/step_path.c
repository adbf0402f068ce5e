// SPDX-License-Identifier: MIT
#include "step_path.h"

#include "cd_threads.h"

// [1] of `depth`: a pair as near as this to the limit is not clear. Less means more poses, more means more false cuts.
static const double band = 0.125;
// [1] of `depth`: the extents along the gap's direction show the gap to within this, or the direction is not used.
static const double direction_error = 0.01;
// [1] what rounding may have taken from a sine.
static const double sine_error = 1e-12;

// ---- the motion of a pair ------------------------------------------------------------------------------------------

// Of a part, over the whole step: shares of it are the unit of time.
typedef struct sweep {
    cd_vec3 way;    // [m] of the body's origin
    cd_vec3 spin;   // [rad] world; the plane: along z
    double turn;    // [rad] >= 0, of the spin
    double arm;     // [m] distance from the origin of what turning moves, at most; of a half-space 0
    double extent;  // [m] distance from the origin of all points, at most
    double inner;   // [m] the radius of a ball inside; infinite of a half-space
    bool is_facet;
    bool is_flat;  // a half-space
} sweep;

typedef struct pair_path {
    const cd_step_gaps *gaps;
    const cd_step_meeting *meeting;
    const cd_step_part *part[2];  // a, b
    const cd_step_way *body[2];
    const sweep *sweep[2];
    cd_vec3 way;     // [m] of b as seen from a
    double between;  // [m] the bodies' origins are never further apart
    double rate;     // [m] the gap changes by at most this times the share
    double depth, bound;
    int64_t poses;
    cd_vec3 middle;  // [m] parts are placed about it
    cd_arena *scratch;
} pair_path;

static bool is_flat(const pair_path *p) { return p->sweep[0]->is_flat || p->sweep[1]->is_flat; }

static double margin_of(const cd_leaves *leaves, int32_t number)
{
    if (leaves->dim == 2) {
        const cd_leaf2 *leaf = &leaves->plane.leaf[number];
        double (*margin)(const cd_leaf2 *) = cd_shape_table[leaf->kind]->plane.margin;
        return margin ? margin(leaf) : 0;
    }
    const cd_leaf3 leaf = cd_leaves3_at(&leaves->space, number);
    double (*margin)(const cd_leaf3 *) = cd_shape_table[leaf.kind]->space.margin;
    return margin ? margin(&leaf) : 0;
}

// [m] The radius of a ball inside the part; infinite of a half-space.
static double inner_of(const cd_leaves *leaves, int32_t number)
{
    if (isinf(cd_leaves_extent(leaves, number)))
        return INFINITY;
    if (leaves->dim == 2) {
        double (*inner)(const cd_leaf2 *) = cd_shape_table[leaves->plane.leaf[number].kind]->plane.inner;
        return inner ? inner(&leaves->plane.leaf[number]) : margin_of(leaves, number);
    }
    const cd_leaf3 leaf = cd_leaves3_at(&leaves->space, number);
    double (*inner)(const cd_leaf3 *) = cd_shape_table[leaf.kind]->space.inner;
    return inner ? inner(&leaf) : margin_of(leaves, number);
}

static sweep sweep_of(const cd_step_gaps *gaps, const cd_step_part *part)
{
    const cd_step_bodies *b = gaps->bodies;
    double extent = cd_leaves_extent(gaps->shapes, part->leaf), margin = margin_of(gaps->shapes, part->leaf);
    sweep s = {.extent = extent, .inner = inner_of(gaps->shapes, part->leaf), .is_flat = isinf(extent)};
    s.is_facet = cd_leaves_kind(gaps->shapes, part->leaf) == CD_SHAPE_FACETS;
    s.arm = s.is_flat || extent <= margin ? 0 : cd_add_up(extent, -margin);
    if (!part->is_dynamic && cd_body_motion(b->in, part->body) != CD_MOTION_PRESCRIBED)
        return s;
    const cd_step_velocity *nu = &b->nu[part->body];
    s.way = cd_scale3(b->step, cd_step_linear_of(b->dim, nu));
    s.spin = cd_scale3(b->step, cd_step_angular_of(b->dim, nu));
    s.turn = cd_length3(s.spin);
    return s;
}

static cd_vec3 origin_at(const pair_path *p, int side, double share)
{
    if (share == 0 || share == 1)
        return share == 0 ? p->body[side]->start : p->body[side]->end;
    cd_step_state state = cd_step_state_at(p->gaps->bodies, p->part[side]->body, share);
    return cd_step_position_of(p->gaps->bodies->dim, &state);
}

// [m] At most what a turn of the side moves points by for each radian: of a half-space, the other part's as seen from
// it.
static double arm_of(const pair_path *p, int side)
{
    return p->sweep[side]->is_flat ? p->between + p->sweep[!side]->arm : p->sweep[side]->arm;
}

static pair_path pair_of(const cd_step_gaps *gaps, const cd_step_meeting *meeting, const sweep *sweeps,
                         const cd_box_pair *pair)
{
    const cd_step_part *a = &meeting->part[pair->a], *b = &meeting->part[pair->b];
    pair_path p = {.gaps = gaps,
                   .meeting = meeting,
                   .part = {a, b},
                   .body = {&meeting->way[a->body], &meeting->way[b->body]},
                   .sweep = {&sweeps[pair->a], &sweeps[pair->b]}};
    p.middle = cd_step_middle_of_pair(gaps, meeting, pair);
    p.way = cd_sub3(p.sweep[1]->way, p.sweep[0]->way);
    for (int end = 0; end < 2; end++)  // in between they are nearer: the way is straight
        p.between = fmax(p.between, cd_length3(cd_sub3(origin_at(&p, 1, end), origin_at(&p, 0, end))));
    p.rate = cd_length3(p.way);
    for (int side = 0; side < 2; side++)
        p.rate += arm_of(&p, side) * p.sweep[side]->turn;
    return p;
}

// Do the balls about the bodies' origins that hold the parts stay apart all the way?
static bool is_far(const pair_path *p)
{
    double reach = p->sweep[0]->extent + p->sweep[1]->extent;
    if (isinf(reach))
        return false;
    cd_vec3 start = cd_sub3(origin_at(p, 1, 0), origin_at(p, 0, 0));
    double way_sq = cd_dot3(p->way, p->way), share = way_sq > 0 ? -cd_dot3(start, p->way) / way_sq : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return cd_length3(cd_add3(start, cd_scale3(share, p->way))) > reach;
}

// ---- two parts at a pose -------------------------------------------------------------------------------------------

typedef struct instant {
    double share;
    cd_step_placed at[2];
} instant;

static instant instant_at(pair_path *p, double share)
{
    instant found = {.share = share};
    for (int side = 0; side < 2; side++)
        found.at[side] = cd_step_place(p->gaps, p->meeting, p->part[side], share, p->middle, p->scratch);
    p->poses++;
    return found;
}

// [m] A depth that is not known counts as without end.
static cd_step_apart apart_at(const pair_path *p, const instant *pose)
{
    cd_step_apart apart = cd_step_apart_of(p->gaps->bodies->dim, &pose->at[0], &pose->at[1], p->scratch);
    if (isnan(apart.gap))
        apart.gap = -INFINITY;
    return apart;
}

// How far the solid goes along a unit direction, from `origin` [m].
static double reach3(const cd_solid3 *solid, cd_vec3 origin, cd_vec3 direction)
{
    cd_support3 s;
    cd_shape_table[solid->kind]->space.support(solid, &s);
    if (s.kind == CD_SUPPORT3_CONVEX) {
        int32_t i = cd_convex3_support(s.convex, origin, direction, CD_VECTOR_AVX512);
        return cd_dot3(direction, cd_sub3(cd_convex3_vertex(s.convex, i), origin)) + s.margin;
    }
    if (s.kind == CD_SUPPORT3_ELLIPSOID) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += cd_dot3(direction, s.axis[k]) * cd_dot3(direction, s.axis[k]);
        return cd_dot3(direction, cd_sub3(s.point[0], origin)) + sqrt(sum) + s.margin;
    }
    int corners = s.kind == CD_SUPPORT3_POINT ? 1 : s.kind == CD_SUPPORT3_SEGMENT ? 2 : 3;
    double most = -INFINITY;
    for (int k = 0; k < corners; k++)
        most = fmax(most, cd_dot3(direction, cd_sub3(s.point[k], origin)));
    return most + s.margin;
}

// The distance of the two along a direction, negative where their extents overlap: the gap is never below it.
static double apart_along(const pair_path *p, const instant *pose, cd_vec3 n)
{
    if (is_flat(p))
        return apart_at(p, pose).gap;
    // near both: costs no digits
    cd_vec3 origin = cd_sub3(origin_at(p, 0, pose->share), p->middle);
    const cd_step_placed *a = &pose->at[0], *b = &pose->at[1];
    if (p->gaps->bodies->dim == 2) {
        cd_vec2 from = {origin.x, origin.y}, along = {n.x, n.y};
        return -cd_shape_table[a->plane.kind]->plane.reach(&a->plane, from, along) -
               cd_shape_table[b->plane.kind]->plane.reach(&b->plane, from, cd_negate2(along));
    }
    return -reach3(&a->space, origin, n) - reach3(&b->space, origin, cd_negate3(n));
}

// ---- advances ------------------------------------------------------------------------------------------------------

// A gap's direction as it is carried on: held in the world, or turning.
typedef struct carrier {
    cd_vec3 spin;  // [rad]
    double bend;   // [m] second derivative of the distance along it, at most
} carrier;

// What is known of the distance along a direction, in shares of the step.
typedef struct course {
    double closing;      // [m] >= 0 approach of the origins
    double swing;        // [m] rate of turning, at most
    double swing_most;   // [m] of turning in all
    carrier carrier[4];  // those worth a try first
    int carriers;
} course;

static double sine_between(cd_vec3 n, cd_vec3 spin, double turn)
{
    return turn > 0 ? fmin(1, cd_length3(cd_cross3(n, spin)) / turn + sine_error) : 0;
}

// In a frame that turns by s a point at r from the origin of a body of spin w is accelerated by at most
// r (|w - s|^2 + |s x w|), and the way between the origins, d long, by 2 |s| |d'| + |s|^2 |d|.
static void carry(const pair_path *p, cd_vec3 s, course *c)
{
    double bend = 2 * cd_length3(s) * cd_length3(p->way) + cd_dot3(s, s) * p->between;
    for (int side = 0; side < 2; side++) {
        const sweep *own = p->sweep[side];
        cd_vec3 turning = cd_sub3(own->spin, s);
        bend += own->arm * (cd_dot3(turning, turning) + cd_length3(cd_cross3(s, own->spin)));
    }
    c->carrier[c->carriers++] = (carrier){s, bend};
}

// How the common normal of two edges turns at first, each with its body: s in the plane of the edges, so that s x n
// follows both. False for parallel edges.
static bool spin_of_crossing(const pair_path *p, const cd_step_apart *apart, cd_vec3 *s)
{
    cd_vec3 n = apart->normal, across[2];
    double tilt[2];
    for (int side = 0; side < 2; side++) {
        cd_vec3 edge = cd_unit3(apart->edge[side]);
        across[side] = cd_cross3(n, edge);
        tilt[side] = cd_dot3(cd_cross3(p->sweep[side]->spin, edge), n);
    }
    double sine = cd_dot3(cd_cross3(across[0], across[1]), n);
    cd_vec3 by_a = cd_scale3(tilt[0], cd_cross3(n, across[1])), by_b = cd_scale3(tilt[1], cd_cross3(n, across[0]));
    *s = cd_scale3(1 / sine, cd_sub3(by_a, by_b));
    return fabs(sine) > 1e-6;  // what spin is tried decides the cost alone
}

static course course_along(const pair_path *p, const cd_step_apart *apart)
{
    cd_vec3 n = apart->normal, crossing;
    course c = {.closing = fmax(0, -cd_dot3(p->way, n))};
    double bend = 0;
    for (int side = 0; side < 2; side++) {
        const sweep *s = p->sweep[side];
        double sine = s->is_flat ? 1 : sine_between(n, s->spin, s->turn), arm = arm_of(p, side) * sine;
        c.swing += arm * s->turn;
        c.swing_most += s->turn > 0 ? 2 * arm : 0;
        bend += arm * s->turn * s->turn;
    }
    for (int side = 0; side < 2; side++)
        if (p->sweep[side]->turn > 0 && (p->sweep[side]->is_flat || !is_flat(p)))
            carry(p, p->sweep[side]->spin, &c);
    if (apart->is_crossing && spin_of_crossing(p, apart, &crossing))
        carry(p, crossing, &c);
    bool is_flat_turning = is_flat(p) && c.carriers > 0;
    if (!is_flat_turning)
        c.carrier[c.carriers++] = (carrier){{0, 0, 0}, bend};
    return c;
}

// The share that can pass before `room` [m] is used up, by bound 1.
static double sure_advance(const course *c, double room)
{
    double turning = room / (c->closing + c->swing);
    double whole = room > c->swing_most ? (room - c->swing_most) / c->closing : 0;
    return fmax(turning, whole);  // infinite where nothing approaches; whole is 0 / 0 never: room > 0
}

// The same by bound 2: room now, room `ahead` shares later [m], and the bend.
static double chord_advance(double room, double room_ahead, double bend, double ahead)
{
    double c = bend * ahead * ahead / 2, b = room - room_ahead + c;  // room - b x + c x^2, x of `ahead`
    double root_sq = b * b - 4 * c * room;
    if (b <= 0 || root_sq < 0)
        return ahead;
    return ahead * fmin(1, 2 * room / (b + sqrt(root_sq)));
}

// ---- a pair --------------------------------------------------------------------------------------------------------

// From a pose on: how far is it clear? Sets the distance over the bound there.
static double advance_from(pair_path *p, const instant *now, const cd_step_apart *apart, double *over_bound)
{
    double along = apart_along(p, now, apart->normal);
    bool is_telling = along >= apart->gap - direction_error * p->depth;
    *over_bound = (is_telling ? along : apart->gap) - p->bound;
    double room = *over_bound + p->depth, left = 1 - now->share;
    if (!(room > band * p->depth))
        return 0;
    if (!is_telling)
        return fmin(left, room / p->rate);
    course c = course_along(p, apart);
    double sure = sure_advance(&c, room);
    if (sure >= left)
        return left;
    double bend = INFINITY, most = sure;
    for (int k = 0; k < c.carriers; k++)
        bend = fmin(bend, c.carrier[k].bend);
    // Bound 2 is at its best where the bend takes about half of the room.
    double ahead = bend > 0 ? fmin(left, fmax(sure, 2 * sqrt(room / bend))) : left;
    instant then = instant_at(p, ahead < left ? now->share + ahead : 1);
    for (int k = 0; k < c.carriers && most < ahead; k++) {
        cd_quat turn = cd_quat_from_vector(cd_scale3(ahead, c.carrier[k].spin));
        double along_then = apart_along(p, &then, cd_quat_turn(turn, apart->normal));
        most = fmax(most, chord_advance(room, along_then - p->bound + p->depth, c.carrier[k].bend, ahead));
    }
    return most;
}

// Goes on from where the pair is at its limit until its gap rises: the share before.
static double deepest_from(pair_path *p, double share, double gap)
{
    for (double stride = p->depth / p->rate; share + stride < 1; stride *= 2) {
        cd_arena_reset(p->scratch);
        instant then = instant_at(p, share + stride);
        double gap_then = apart_at(p, &then).gap;
        if (!(gap_then < gap))
            break;
        share += stride;
        gap = gap_then;
    }
    return share;
}

typedef struct pair_cut {
    double share, gap, rate;  // share 1: clear
    int64_t poses;
} pair_cut;

static pair_cut walk(pair_path *p)
{
    const pair_cut clear = {1, INFINITY, 0, 0};
    if (p->rate <= p->depth || is_far(p))
        return clear;
    double share = 0, start = INFINITY;
    for (;;) {
        cd_arena_reset(p->scratch);
        instant now = instant_at(p, share);
        cd_step_apart apart = apart_at(p, &now);
        if (share == 0) {
            if (apart.is_without || isinf(apart.gap))
                return clear;
            p->bound = fmin(0, apart.gap);
            start = apart.gap - p->bound;
        }
        double over_bound, advance = advance_from(p, &now, &apart, &over_bound);
        if (!(advance > 0) || p->poses >= CD_STEP_PATH_POSES) {
            double cut = start > p->depth ? share : deepest_from(p, share, apart.gap);
            return (pair_cut){cut, over_bound, p->rate, p->poses};
        }
        share += advance;
        if (share >= 1)
            return (pair_cut){1, INFINITY, p->rate, p->poses};
    }
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

typedef struct path_job {
    const cd_step_gaps *gaps;
    const cd_step_meeting *meeting;
    const sweep *sweep;  // of the parts of pairs
    cd_step_path_depth depth;
    pair_cut *cut;  // of each pair
    int64_t next;   // pair that no worker has taken yet
} path_job;

// What passes through a facet goes in as deep as it is thick itself. Two facets may pass without any depth.
static double depth_of(const pair_path *p, cd_step_path_depth depth)
{
    const sweep *a = p->sweep[0], *b = p->sweep[1];
    double inner = fmin(a->inner, b->inner);
    if (a->is_facet != b->is_facet && !is_flat(p))
        inner = a->is_facet ? b->inner : a->inner;
    return fmax(depth.share * inner, a->is_facet && b->is_facet ? depth.facets : depth.least);
}

static const sweep *sweeps_of(const cd_step_gaps *gaps, const cd_step_meeting *meeting)
{
    sweep *own = CD_ARENA_ARRAY(gaps->arena, sweep, meeting->count);
    bool *is_asked = CD_ARENA_ZARRAY(gaps->arena, bool, meeting->count);
    for (int32_t i = 0; i < meeting->pairs.count; i++)
        is_asked[meeting->pairs.item[i].a] = is_asked[meeting->pairs.item[i].b] = true;
    for (int32_t i = 0; i < meeting->count; i++)
        if (is_asked[i])
            own[i] = sweep_of(gaps, &meeting->part[i]);
    return own;
}

static void walk_some(void *context, int worker)
{
    enum { PAIRS_A_TURN = 16 };
    (void)worker;
    path_job *job = context;
    const cd_step_meeting *m = job->meeting;
    cd_arena scratch = {0};
    for (;;) {
        cd_share turn = cd_threads_next(&job->next, m->pairs.count, PAIRS_A_TURN);
        if (turn.begin >= turn.end)
            break;
        for (int64_t i = turn.begin; i < turn.end; i++) {
            pair_path p = pair_of(job->gaps, m, job->sweep, &m->pairs.item[i]);
            p.depth = depth_of(&p, job->depth);
            p.scratch = &scratch;
            job->cut[i] = walk(&p);
        }
    }
    cd_arena_release(&scratch);
}

cd_step_path cd_step_path_make(const cd_step_gaps *gaps, const cd_step_meeting *meeting, cd_step_path_depth depth)
{
    enum { PAIRS_PER_THREAD = 50 };  // some 5 us each, against 30 us for a thread
    bool *is_cut = CD_ARENA_ZARRAY(gaps->arena, bool, gaps->bodies->in->body.count);
    cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    path_job job = {
        gaps, meeting, sweeps_of(gaps, meeting), depth, CD_ARENA_ARRAY(gaps->arena, pair_cut, meeting->pairs.count), 0};
    cd_threads_run(cd_threads_for(gaps->threads, meeting->pairs.count, PAIRS_PER_THREAD), walk_some, &job);
    cd_step_path path = {.is_clear = true, .share = 1, .gap = INFINITY, .body = {-1, -1}, .is_cut = is_cut};
    for (int32_t i = 0; i < meeting->pairs.count; i++) {
        const pair_cut *cut = &job.cut[i];
        path.poses += cut->poses;
        path.most = cut->poses > path.most ? cut->poses : path.most;
        const int32_t body[2] = {meeting->part[meeting->pairs.item[i].a].body,
                                 meeting->part[meeting->pairs.item[i].b].body};
        if (cut->share < 1)
            is_cut[body[0]] = is_cut[body[1]] = true;
        if (cut->share < path.share || (cut->share == path.share && cut->gap < path.gap)) {
            path.share = cut->share;
            path.gap = cut->gap;
            path.rate = cut->rate;
            bool is_ordered = meeting->pairs.item[i].a < meeting->pairs.item[i].b;
            path.body[0] = body[!is_ordered];
            path.body[1] = body[is_ordered];
            path.is_clear = false;
        }
    }
    cd_arena_rewind(gaps->arena, mark);
    return path;
}

// ---- first touch ---------------------------------------------------------------------------------------------------

// The bound is the least gap that is asked for, and the limit lies a depth below it, above 0 still.
static cd_step_touch touch_of(pair_path *p, double from)
{
    double share = from;
    for (;;) {
        cd_arena_reset(p->scratch);
        instant now = instant_at(p, share);
        cd_step_apart apart = apart_at(p, &now);
        if (share == from && (apart.is_without || !(apart.gap > p->bound)))
            return (cd_step_touch){apart.is_without ? 1 : 0, apart.gap};
        double over_bound, advance = share < 1 ? advance_from(p, &now, &apart, &over_bound) : 0;
        if (!(advance > 0) || p->poses >= CD_STEP_PATH_POSES)
            return (cd_step_touch){share, apart.gap};
        share = share + advance < 1 ? share + advance : 1;
    }
}

void cd_step_path_touches(const cd_step_gaps *gaps, const cd_step_meeting *meeting, double near, const double *from,
                          cd_step_touch *touch)
{
    const cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    const sweep *sweeps = sweeps_of(gaps, meeting);
    cd_arena scratch = {0};
    for (int32_t i = 0; i < meeting->pairs.count; i++) {
        pair_path p = pair_of(gaps, meeting, sweeps, &meeting->pairs.item[i]);
        p.bound = near;
        p.depth = near / 2;
        p.scratch = &scratch;
        touch[i] = is_far(&p) ? (cd_step_touch){1, INFINITY} : touch_of(&p, from[i]);
    }
    cd_arena_release(&scratch);
    cd_arena_rewind(gaps->arena, mark);
}
