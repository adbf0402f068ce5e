// SPDX-License-Identifier: MIT
#include "narrow_far.h"

#include "cd_bodies.h"
#include "cd_triangle.h"
#include "cd_threads.h"
#include "pair_region.h"

// [1] of all lengths in it: the distance of a point to a triangle errs by far less. Larger: pairs just out of reach are
// placed and asked.
static const double slack = 1e-9;

typedef struct ball {
    cd_vec3 centre;  // [m] in the frame of its body
    double radius;   // [m]
} ball;

static ball ball_of(const cd_leaf3 *leaf)
{
    if (leaf->kind == CD_SHAPE_SPHERE)
        return (ball){leaf->sphere.centre, leaf->sphere.radius};
    cd_vec3 s = leaf->ellipsoid->semiaxes;
    return (ball){leaf->ellipsoid->centre, fmax(s.x, fmax(s.y, s.z))};
}

// The centre of the ball as the other body sees it, at one of the poses.
static cd_vec3 seen_from(const cd_narrow_placed_body *own, const cd_narrow_placed_body *other, int pose, cd_vec3 centre)
{
    cd_vec3 apart = cd_sub3(own->middle, other->middle);
    cd_vec3 at = cd_add3(cd_pose3_apply(&own->pose[pose], centre), apart);
    return cd_mat3_apply_back(&other->pose[pose].turn, cd_sub3(at, other->pose[pose].position));
}

enum { START, PREDICTED, CURRENT };

bool cd_narrow_is_far(cd_narrow_placer *placer, const cd_narrow_site_pair *pair, double reach)
{
    const cd_narrow_frame_state *frame = placer->frame;
    const cd_leaf3 a = cd_narrow_leaf3_of(frame, pair->row_a, pair->part_a),
                   b = cd_narrow_leaf3_of(frame, pair->row_b, pair->part_b);
    const cd_leaf3 *facet = a.kind == CD_SHAPE_FACETS ? &a : &b, *round = facet == &a ? &b : &a;
    if (facet->kind != CD_SHAPE_FACETS || (round->kind != CD_SHAPE_SPHERE && round->kind != CD_SHAPE_ELLIPSOID))
        return false;
    ball of = ball_of(round);
    cd_narrow_placed_body own = *cd_narrow_placer_body(placer, facet == &a ? pair->row_b : pair->row_a);
    const cd_narrow_placed_body *other = cd_narrow_placer_body(placer, facet == &a ? pair->row_a : pair->row_b);
    cd_vec3 start = seen_from(&own, other, START, of.centre), corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = cd_sub3(cd_leaf3_corner(facet, k), start);
    double way = 0;
    for (int pose = PREDICTED; pose <= CURRENT; pose++)
        if (own.same[pose] != START || other->same[pose] != START)
            way = fmax(way, cd_length3(cd_sub3(seen_from(&own, other, pose, of.centre), start)));
    double distance = cd_length3(cd_triangle_nearest_to_origin(corner).point);
    double size = cd_length3(start) + cd_length3(corner[0]);
    return distance > of.radius + facet->facet.half_thickness + reach + way + slack * size;
}

// ---- all pairs of a frame ------------------------------------------------------------------------------------------

// [1] of coordinates of the world: they are subtracted. Larger: pairs just out of reach stay.
static const double world_slack = 1e-12;

// The only part of a body, a sphere, over the step.
typedef struct far_ball {
    cd_vec3 centre;  // [m] world, at the start
    double spread;   // [m] what is farther from there than that is out of the pair's reach
    double size;     // [m] of its coordinates
} far_ball;

typedef struct far_job {
    cd_narrow_frame_state *frame;
    int threads;
    uint8_t *is_asked;  // by row of `body`
    far_ball *ball;     // the same; of those that are asked
    int32_t *kept;      // [threads] of each worker's share: they stand at its begin
} far_job;

typedef struct far_sides {
    int32_t ball, under;  // rows of `body`
    int32_t facet;        // part of the latter; -1: it is another kind of pair
} far_sides;

static bool has_one_sphere(const cd_narrow_frame_state *frame, int32_t row)
{
    return cd_narrow_leaf_count(frame, row) == 1 && cd_narrow_kind_of(frame, row, 0) == CD_SHAPE_SPHERE;
}

static bool stands(const cd_narrow_frame_state *frame, int32_t row)
{
    return cd_body_motion(frame->in, row) == CD_MOTION_FIXED && frame->trial_row[row] < 0;
}

// Is the part a facet of a body that stands?
static bool is_standing_facet(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    return cd_narrow_leaf_count(frame, row) > 0 && cd_narrow_kind_of(frame, row, part) == CD_SHAPE_FACETS &&
           stands(frame, row);
}

static far_sides far_sides_of(const cd_narrow_frame_state *frame, const cd_narrow_site_pair *pair)
{
    bool is_a = is_standing_facet(frame, pair->row_a, pair->part_a);
    if (is_a && has_one_sphere(frame, pair->row_b))
        return (far_sides){pair->row_b, pair->row_a, pair->part_a};
    if (!is_a && is_standing_facet(frame, pair->row_b, pair->part_b) && has_one_sphere(frame, pair->row_a))
        return (far_sides){pair->row_a, pair->row_b, pair->part_b};
    return (far_sides){-1, -1, -1};
}

static void ask_share(void *context, int worker)
{
    const far_job *job = context;
    cd_share share = cd_threads_share(job->frame->pair_count, job->threads, worker);
    for (int64_t i = share.begin; i < share.end; i++) {
        far_sides sides = far_sides_of(job->frame, &job->frame->pair[i]);
        if (sides.facet >= 0)
            __atomic_store_n(&job->is_asked[sides.ball], 1, __ATOMIC_RELAXED);
    }
}

// Of two facets that share the nearest point, at a pose at which neither is in reach, one drops the other: where one is
// in reach at another pose its gap has gone the ball's way at most twice since, so three times the way is far for both.
static far_ball far_ball_of(const cd_narrow_frame_state *frame, int32_t row)
{
    const cd_leaf3 leaf = cd_narrow_leaf3_of(frame, row, 0);
    cd_narrow_placed_body placed = {.row = row};
    cd_narrow_find_poses(frame, &placed);
    cd_vec3 start = cd_pose3_apply(&placed.pose[placed.same[START]], leaf.sphere.centre);
    double way = 0;
    for (int pose = PREDICTED; pose <= CURRENT; pose++)
        if (placed.same[pose] != placed.same[START])
            way = fmax(way, cd_length3(cd_sub3(cd_pose3_apply(&placed.pose[pose], leaf.sphere.centre), start)));
    cd_vec3 centre = cd_add3(start, placed.middle);
    return (far_ball){centre, leaf.sphere.radius + 3 * way, cd_length3(centre)};
}

static void place_share(void *context, int worker)
{
    const far_job *job = context;
    cd_share share = cd_threads_share(job->frame->in->body.count, job->threads, worker);
    for (int64_t i = share.begin; i < share.end; i++)
        if (job->is_asked[i])
            job->ball[i] = far_ball_of(job->frame, (int32_t)i);
}

// [m] >= the length; without a root.
static double size_of(cd_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

// False for NaN.
static bool is_far_over(const cd_narrow_frame_state *frame, const cd_pose3 *under, const far_sides *sides,
                        const far_ball *round)
{
    cd_vec3 corner[3], seen = cd_mat3_apply_back(&under->turn, cd_sub3(round->centre, under->position));
    const cd_leaf3 facet = cd_narrow_leaf3_of(frame, sides->under, sides->facet);
    for (int k = 0; k < 3; k++)
        corner[k] = cd_sub3(cd_leaf3_corner(&facet, k), seen);
    cd_vec3 nearest = cd_triangle_nearest_to_origin(corner).point;
    double near = round->spread + facet.facet.half_thickness + cd_reach_pair(&frame->reach, sides->ball, sides->under) +
                  CD_SEAM_NEAR * frame->choice.tolerance;
    double beyond =
        near + slack * (size_of(seen) + size_of(corner[0])) + world_slack * (round->size + size_of(under->position));
    return cd_dot3(nearest, nearest) > beyond * beyond;
}

static void keep_share(void *context, int worker)
{
    const far_job *job = context;
    const cd_narrow_frame_state *frame = job->frame;
    cd_share share = cd_threads_share(frame->pair_count, job->threads, worker);
    cd_narrow_site_pair *pair = frame->pair;
    int64_t kept = share.begin;
    int32_t row = -1;  // whose pose is known
    cd_pose3 under = {0};
    for (int64_t i = share.begin; i < share.end; i++) {
        far_sides sides = far_sides_of(frame, &pair[i]);
        if (sides.facet >= 0 && sides.under != row) {
            row = sides.under;
            under = cd_state3_pose(cd_body_start3(frame->in, row));
        }
        if (sides.facet < 0 || !is_far_over(frame, &under, &sides, &job->ball[sides.ball]))
            pair[kept++] = pair[i];
    }
    job->kept[worker] = (int32_t)(kept - share.begin);
}

void cd_narrow_drop_far(cd_narrow_frame_state *frame)
{
    enum { PAIRS_PER_THREAD = 2000 };  // some 40 ns each, against 30 us for a thread
    if (frame->in->dim != 3)
        return;
    int32_t bodies = frame->in->body.count, count = 0;
    cd_arena_mark mark = cd_arena_get_mark(frame->arena);
    far_job job = {.frame = frame, .threads = cd_threads_for(frame->threads, frame->pair_count, PAIRS_PER_THREAD)};
    job.is_asked = CD_ARENA_ZARRAY(frame->arena, uint8_t, bodies);
    job.ball = CD_ARENA_ARRAY(frame->arena, far_ball, bodies);
    job.kept = CD_ARENA_ZARRAY(frame->arena, int32_t, job.threads);
    cd_threads_run(job.threads, ask_share, &job);
    if (memchr(job.is_asked, 1, (size_t)bodies)) {
        cd_threads_run(job.threads, place_share, &job);
        cd_threads_run(job.threads, keep_share, &job);
        for (int k = 0; k < job.threads; k++) {
            const cd_narrow_site_pair *from = frame->pair + cd_threads_share(frame->pair_count, job.threads, k).begin;
            memmove(frame->pair + count, from, (size_t)job.kept[k] * sizeof *from);
            count += job.kept[k];
        }
        frame->pair_count = count;
    }
    cd_arena_rewind(frame->arena, mark);
}
