// SPDX-License-Identifier: MIT
#include "certify_path.h"

#include "cd_bodies.h"
#include "cd_box_pairs.h"
#include "cd_pair2.h"
#include "cd_pair3.h"

// [1] of the size of a pair: rounding of placing and of angles, here and where it is checked, is far below it.
#define PATH_ROUNDING 0x1p-42
// [1] of the size of a pair: intervals are not halved any more where the chord is as good as that.
#define PATH_TOUCHING 0x1p-32
enum { MOST_HALVINGS = 14 };

// ---- how a body moves ----------------------------------------------------------------------------------------------

typedef struct motion {
    int dim;
    cd_vec3 position, step;  // [m] at the start, and from there to the end
    double angle;            // plane [rad] at the start
    cd_quat start;           // space, unit
    cd_vec3 axis;            // space, unit
    double turn;             // [rad] over the step, in the plane signed
    bool is_still;           // the same numbers at both ends
} motion;

static motion motion2(const cd_model *in, int32_t body, int32_t next)
{
    cd_state2 start = cd_body_start2(in, body);
    motion m = {.dim = 2, .position = cd_vec3_of_plane(start.position), .angle = start.angle, .is_still = true};
    if (next < 0)
        return m;
    cd_vec2 end = cd_vec2_at(in->next.position + 2 * (size_t)next);
    m.step = cd_vec3_of_plane(cd_sub2(end, start.position));
    m.turn = in->next.rotation[next] - start.angle;
    m.is_still = m.step.x == 0 && m.step.y == 0 && m.turn == 0;
    return m;
}

static motion motion3(const cd_model *in, int32_t body, int32_t next)
{
    cd_state3 start = cd_body_start3(in, body);
    motion m = {.dim = 3, .position = start.position, .start = start.rotation, .axis = {1, 0, 0}, .is_still = true};
    if (next < 0)
        return m;
    cd_quat end = cd_quat_at(in->next.rotation + 4 * (size_t)next);
    m.step = cd_sub3(cd_vec3_at(in->next.position + 3 * (size_t)next), start.position);
    if (!cd_quat_is_same(start.rotation, end)) {
        cd_quat d = cd_quat_product(end, cd_quat_conjugate(start.rotation));
        cd_vec3 v = {d.x, d.y, d.z};
        m.axis = cd_length3(v) > 0 ? cd_unit3(v) : m.axis;
        m.turn = 2 * atan2(cd_length3(v), d.w) + 0x1p-50;
    }
    m.is_still = m.turn == 0 && cd_length3(m.step) == 0;
    return m;
}

static cd_pose3 pose_at(const motion *m, double t)
{
    cd_vec3 position = cd_add3(m->position, cd_scale3(t, m->step));
    if (m->dim == 2) {
        double c = cos(m->angle + t * m->turn), s = sin(m->angle + t * m->turn);
        return (cd_pose3){position, {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}};
    }
    cd_quat turned = cd_quat_product(cd_quat_from_vector(cd_scale3(t * m->turn, m->axis)), m->start);
    return cd_pose3_make(position, turned);
}

// ---- a pair --------------------------------------------------------------------------------------------------------

typedef struct path_part {
    int32_t body, number;
    const void *leaf;   // cd_leaf2, cd_leaf3
    certify_part part;  // in the body's frame
    double extent;      // [m] from the body's position
    double arm;         // [m] the same of what turns with the body: corners without their margin, so 0 of a ball
    const motion *motion;
} path_part;

typedef struct path_pair {
    const path_part *a, *b;
    cd_arena *scratch;
    double size;  // [m] of parts, their distance and their place
    double bend;  // [m] max |y''| over t^2, carried with a and with b
    double bend_of_b;
} path_pair;

// Highest (sign 1) or lowest point along n, margins counted.
static double height_of(const certify_part *part, cd_vec3 n, int sign)
{
    double height = -INFINITY, reach = 0;
    if (part->form == CERTIFY_HALFSPACE)  // along its own normal alone
        return sign * part->offset;
    if (part->form == CERTIFY_ELLIPSOID) {
        for (int k = 0; k < 3; k++) {
            double along = part->semiaxis[k] * cd_dot3(n, part->axis[k]);
            reach += along * along;
        }
        return cd_dot3(n, part->centre) + sign * sqrt(reach);
    }
    for (int32_t i = 0; i < part->core.count; i++) {
        double h = sign * cd_dot3(n, certify_corner(&part->core, i));
        height = h > height ? h : height;
    }
    return sign * (height + part->margin * cd_length3(n));
}

// The gap along n, which `side` carries, at t.
static double gap_at(const path_pair *p, int32_t side, cd_vec3 n, double t)
{
    const path_part *own = side == CD_SIDE_A ? p->a : p->b, *other = side == CD_SIDE_A ? p->b : p->a;
    cd_pose3 pose = pose_at(own->motion, t), of_other = pose_at(other->motion, t);
    cd_vec3 in_world = cd_pose3_turn(&pose, n), in_other = cd_mat3_apply_back(&of_other.turn, in_world);
    int sign = side == CD_SIDE_A ? 1 : -1;
    double between = cd_dot3(in_world, cd_sub3(of_other.position, pose.position));
    return sign * (between + height_of(&other->part, in_other, -sign) - height_of(&own->part, n, sign));
}

static double arm_of(const path_part *part)
{
    if (part->part.form != CERTIFY_CORE)
        return part->extent;
    double most = 0;
    for (int32_t i = 0; i < part->part.core.count; i++)
        most = fmax(most, cd_length3(certify_corner(&part->part.core, i)));
    return most * (1 + 0x1p-50);
}

// |y''| of a corner of `other` in the frame of `own`: y = R'(x + R_o v - x_own), so |y''| <= w^2 |u| + 2 w |u'| +
// |u''|.
static double bend_of(const path_part *own, const path_part *other, double distance, double speed)
{
    double w = fabs(own->motion->turn), v = fabs(other->motion->turn), r = other->arm;
    if (w == 0 && v == 0)
        return 0;
    return (w * w * (distance + r) + 2 * w * (speed + v * r) + v * v * r) * (1 + 0x1p-40);
}

static path_pair pair_of(const path_part *a, const path_part *b, cd_arena *scratch)
{
    cd_vec3 start = cd_sub3(b->motion->position, a->motion->position);
    cd_vec3 step = cd_sub3(b->motion->step, a->motion->step), end = cd_add3(start, step);
    double distance = fmax(cd_length3(start), cd_length3(end)), speed = cd_length3(step);
    double extents = (isfinite(a->extent) ? a->extent : 0) + (isfinite(b->extent) ? b->extent : 0);
    return (path_pair){.a = a,
                       .b = b,
                       .scratch = scratch,
                       .size = distance + extents + cd_length3(a->motion->position) + cd_length3(b->motion->position),
                       .bend = bend_of(a, b, distance, speed),
                       .bend_of_b = bend_of(b, a, distance, speed)};
}

// ---- planes --------------------------------------------------------------------------------------------------------

// The normal between the parts at t, in the world, from a to b.
static cd_vec3 normal_at(const path_pair *p, double t)
{
    cd_pose3 of_a = pose_at(p->a->motion, t), of_b = pose_at(p->b->motion, t);
    cd_vec3 centres = cd_unit3(cd_sub3(of_b.position, of_a.position)), normal = {0, 0, 0};
    if (p->a->motion->dim == 2) {
        cd_leaf2 a =
            cd_leaf2_place(p->scratch, p->a->leaf,
                           (cd_pose2){{of_a.position.x, of_a.position.y}, of_a.turn.row[0].x, of_a.turn.row[1].x});
        cd_leaf2 b =
            cd_leaf2_place(p->scratch, p->b->leaf,
                           (cd_pose2){{of_b.position.x, of_b.position.y}, of_b.turn.row[0].x, of_b.turn.row[1].x});
        const cd_pair2 *pair = cd_pair2_for(a.kind, b.kind);
        if (pair)
            normal = cd_vec3_of_plane(cd_pair2_gap(pair, &a, &b).normal);
    } else {
        cd_solid3 a = cd_solid3_place(p->scratch, p->a->leaf, &of_a),
                  b = cd_solid3_place(p->scratch, p->b->leaf, &of_b);
        const cd_pair3 *pair = cd_pair3_for(a.kind, b.kind);
        if (pair)
            normal = cd_pair3_gap(pair, &a, &b, p->scratch).normal;
    }
    return cd_length3(normal) > 0.5 ? normal : centres;
}

typedef struct plane {
    int32_t side;
    cd_vec3 normal;
    double gap;  // [m] at least so over the interval, rounding taken off
    double sag;  // [m] what the chord may be wrong by
} plane;

static plane plane_of(const path_pair *p, int32_t side, cd_vec3 n, double begin, double end)
{
    double length = end - begin, bend = side == CD_SIDE_A ? p->bend : p->bend_of_b;
    plane out = {side, n, 0, length * length / 8 * bend};
    double at_ends = fmin(gap_at(p, side, n, begin), gap_at(p, side, n, end)) / cd_length3(n);
    out.gap = at_ends - out.sag - PATH_ROUNDING * p->size;
    return out;
}

static plane best_plane(const path_pair *p, double begin, double end)
{
    double middle = (begin + end) / 2;
    for (int32_t side = 0; side < 2; side++) {
        const certify_part *part = side == CD_SIDE_A ? &p->a->part : &p->b->part;
        if (part->form == CERTIFY_HALFSPACE)
            return plane_of(p, side, side == CD_SIDE_A ? part->normal : cd_negate3(part->normal), begin, end);
    }
    cd_vec3 normal = normal_at(p, middle);
    plane best = {.gap = -INFINITY};
    for (int32_t side = 0; side < 2; side++) {
        cd_pose3 pose = pose_at(side == CD_SIDE_A ? p->a->motion : p->b->motion, middle);
        plane here = plane_of(p, side, cd_mat3_apply_back(&pose.turn, normal), begin, end);
        if (here.gap > best.gap)
            best = here;
    }
    return best;
}

// ---- intervals -----------------------------------------------------------------------------------------------------

typedef struct path_work {
    cd_arena *arena;
    CD_LIST(certify_interval) found;
    certify_path out;
} path_work;

static int32_t label_of(const path_pair *p, const plane *best)
{
    if (best->gap > 0)
        return CD_LABEL_APART;
    return -best->gap <= 2 * PATH_TOUCHING * p->size ? CD_LABEL_TOUCHING : CD_LABEL_OVERLAPPING;
}

// Whether halves would tell no more: the parts do not clear each other in the middle, and the bound is near the truth.
static bool is_final(const path_pair *p, const plane *best, double begin, double length)
{
    double middle = gap_at(p, best->side, best->normal, begin + length / 2) / cd_length3(best->normal);
    bool is_clear = middle > PATH_TOUCHING * p->size;
    return length <= ldexp(1, -MOST_HALVINGS) ||
           (!is_clear && best->sag <= fmax(PATH_TOUCHING * p->size / 2, -best->gap / 8));
}

// Halves [0, 1] until each piece is apart or no finer ones would tell more. The worst label.
static int32_t cover(path_work *work, const path_pair *p)
{
    int32_t worst = CD_LABEL_APART;
    double begin = 0, length = 1;
    while (begin < 1) {
        cd_arena_mark mark = cd_arena_get_mark(p->scratch);
        plane best = best_plane(p, begin, begin + length);
        cd_arena_rewind(p->scratch, mark);
        int32_t label = label_of(p, &best);
        bool is_fine = is_final(p, &best, begin, length);
        if (label != CD_LABEL_APART && !is_fine) {
            length /= 2;
            continue;
        }
        double depth = label == CD_LABEL_APART ? NAN : fmax(-best.gap, 0);
        certify_interval interval = {p->a->body,     p->b->body, p->a->number, p->b->number, begin,
                                     begin + length, label,      best.side,    best.normal,  depth};
        cd_list_push(work->arena, &work->found, interval);
        worst = label > worst ? label : worst;
        work->out.depth = depth > work->out.depth ? depth : work->out.depth;
        begin += length;
        while (length < 1 && fmod(begin, 2 * length) == 0)  // as long as it fits into the dyadic grid
            length *= 2;
    }
    return worst;
}

// ---- a frame -------------------------------------------------------------------------------------------------------

typedef struct path_items {
    const cd_model *in;
    int32_t count;
    path_part *part;
    cd_aabb *box;  // around the ball in which a part turns, from start to end
} path_items;

static bool is_wanted(const void *context, int32_t i, int32_t j)
{
    const path_items *items = context;
    const path_part *a = &items->part[i], *b = &items->part[j];
    bool are_fixed =
        cd_body_motion(items->in, a->body) == CD_MOTION_FIXED && cd_body_motion(items->in, b->body) == CD_MOTION_FIXED;
    return a->body != b->body && !are_fixed && !(a->motion->is_still && b->motion->is_still);
}

static cd_aabb box_of(const path_part *part, int dim)
{
    const motion *m = part->motion;
    cd_vec3 end = cd_add3(m->position, m->step);
    double from[3] = {m->position.x, m->position.y, m->position.z}, to[3] = {end.x, end.y, end.z};
    cd_aabb box = cd_aabb_add_point(cd_aabb_add_point(cd_aabb_empty(dim), from, dim), to, dim);
    double size = part->extent + cd_length3(m->position) + cd_length3(m->step);
    return cd_aabb_grow(box, part->extent + 0x1p-30 * size, dim);
}

static path_items items_of(cd_arena *arena, const cd_overlap_input *input)
{
    const cd_model *in = input->in;
    const cd_leaves *leaves = input->shapes;
    cd_body_order order = cd_body_order_make(arena, &in->body);
    const int32_t *next = cd_body_next_rows(arena, in);
    CD_LIST(path_part) list = {0};
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = order.row[rank];
        if (!cd_body_is_active(in, body))
            continue;
        motion *m = cd_arena_alloc(arena, sizeof *m);
        *m = in->dim == 2 ? motion2(in, body, next[body]) : motion3(in, body, next[body]);
        int32_t first = leaves->first[in->body.shape[body]], end = leaves->first[in->body.shape[body] + 1];
        for (int32_t k = first; k < end; k++) {
            path_part part = {.body = body, .number = k - first, .motion = m, .extent = cd_leaves_extent(leaves, k)};
            if (in->dim == 2) {
                part.leaf = &leaves->plane.leaf[k];
                part.part = certify_part2(arena, &leaves->plane.leaf[k]);
            } else {
                cd_pose3 here = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_identity());
                cd_solid3 *solid = cd_arena_alloc(arena, sizeof *solid);
                cd_leaf3 *leaf = cd_arena_alloc(arena, sizeof *leaf);
                *leaf = cd_leaves3_at(&leaves->space, k);
                *solid = cd_solid3_place(arena, leaf, &here);
                part.leaf = leaf;
                part.part = certify_part3(arena, solid);
            }
            part.arm = arm_of(&part);
            cd_list_push(arena, &list, part);
        }
    }
    path_items items = {in, list.count, list.item, CD_ARENA_ARRAY(arena, cd_aabb, list.count)};
    for (int32_t i = 0; i < items.count; i++)
        items.box[i] = box_of(&items.part[i], in->dim);
    return items;
}

certify_path certify_path_frame(cd_arena *arena, const cd_overlap_input *input)
{
    path_work work = {.arena = arena};
    if (input->in->next.count == 0)
        return work.out;
    path_items items = items_of(arena, input);
    cd_box_pairs pairs = {0};
    cd_box_sweep(items.box, items.count, input->in->dim, is_wanted, &items, arena, &pairs);
    cd_box_pairs_sort(&pairs, arena);
    cd_arena scratch = {0};
    for (int32_t i = 0; i < pairs.count; i++) {
        const path_part *a = &items.part[pairs.item[i].a], *b = &items.part[pairs.item[i].b];
        if (a->part.form == CERTIFY_HALFSPACE && b->part.form == CERTIFY_HALFSPACE) {
            work.out.open++;
            continue;
        }
        path_pair pair = pair_of(a, b, &scratch);
        work.out.pairs[cover(&work, &pair)]++;
    }
    cd_arena_release(&scratch);
    work.out.count = work.found.count;
    work.out.interval = work.found.item;
    return work.out;
}
