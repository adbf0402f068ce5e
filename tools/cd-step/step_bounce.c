// SPDX-License-Identifier: MIT
#include "step_bounce.h"

#include "cd_impact.h"
#include "step_integrator.h"
#include "step_met.h"
#include "step_path.h"

#include <float.h>

// [1] of the characteristic length
static const double near_share = 2e-11;  // smaller: the gap of a pose is no longer told from its rounding
static const double begun_share = 1e-6;  // bodies that begin in contact go on by so much
// [1] of places
static const double rounding = 16 * DBL_EPSILON;

enum { PASSES = 12 };  // secants: four where gravity acts

// Two bodies with a contact that bounces, and how they come together.
typedef struct couple {
    int32_t body[2];      // rows, the lesser first
    double speed;         // [m/s] > 0
    double soon;          // [s] least time to where a contact that bounces closes, as it goes at the start
    double from;          // [1] of the step: it is looked for from there on
    bool has_begun;       // a contact that bounces is closed at the start
    cd_step_touch touch;  // of the part pair that is first; of several at once the least gap
} couple;

typedef struct search {
    cd_arena *arena;
    const cd_step_round *round;
    cd_impact impact;
    couple couple[CD_STEP_BOUNCES_MOST];
    int count;
    double near;  // [m]
} search;

// The number of theirs, in either order; -1: none.
static int couple_of(const search *s, int32_t a, int32_t b)
{
    for (int k = 0; k < s->count; k++)
        if (s->couple[k].body[0] == (a < b ? a : b) && s->couple[k].body[1] == (a < b ? b : a))
            return k;
    return -1;
}

static bool is_pushing(const search *s, int32_t contact) { return cd_length3(s->round->bodies->impulse[contact]) > 0; }

// False: more than may be followed.
static bool find_couples(search *s)
{
    const cd_step_bodies *bodies = s->round->bodies;
    const cd_model *in = bodies->in;
    const int most = s->round->bounces - cd_i32_or(in->frame.substep, 0, 0);
    for (int32_t i = 0; i < in->contact.count; i++) {
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        if (!is_pushing(s, i) || !cd_step_is_used(in, i))
            continue;
        const double speed = -cd_impact_speed(&s->impact, i, bodies->free[0].at, CD_STEP_AXES);
        if (!cd_impact_bounces(&s->impact, i, -speed))
            continue;
        int number = couple_of(s, a, b);
        if (number < 0) {
            if (s->count >= most)
                return false;
            number = s->count++;
            s->couple[number] = (couple){.body = {a < b ? a : b, a < b ? b : a}, .soon = INFINITY};
        }
        couple *own = &s->couple[number];
        own->speed = fmax(own->speed, speed);
        own->soon = fmin(own->soon, in->contact.gap[i] / speed);
        own->has_begun = own->has_begun || in->contact.gap[i] <= begun_share * s->impact.length;
    }
    return s->count > 0;
}

// [m] What a part is to end with.
static double near_of(const search *s)
{
    const cd_model *in = s->round->bodies->in;
    double most = 0;
    for (int k = 0; k < s->count; k++)
        for (int side = 0; side < 2; side++) {
            const int32_t body = s->couple[k].body[side];
            if (!cd_body_is_moved(in, body))
                continue;
            for (int axis = 0; axis < in->dim; axis++)
                most = fmax(most, fabs(in->body.position[(size_t)in->dim * (size_t)body + (size_t)axis]));
        }
    return fmax(near_share * s->impact.length, rounding * most);
}

// nu of a step of that length without contact; the step is that of the frame again.
static void go_free(const search *s, double length)
{
    cd_step_bodies *bodies = s->round->bodies;
    const double whole = bodies->step;
    bodies->step = length;
    for (int32_t i = 0; i < bodies->in->body.count; i++) {
        cd_quat middle;
        bodies->nu[i] =
            cd_body_is_moved(bodies->in, i) ? bodies->integrator->free_velocity(bodies, i, &middle) : bodies->free[i];
    }
    bodies->step = whole;
}

// Where couples first meet, of velocities of a step of the length: the least share; sets theirs.
static double touch_at(search *s, double length)
{
    const cd_step_gaps *gaps = s->round->gaps;
    const cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    double least = 1;
    go_free(s, length);
    cd_step_meeting meeting = cd_step_meet(gaps);
    int32_t kept = 0;
    for (int32_t i = 0; i < meeting.pairs.count; i++) {
        const cd_box_pair pair = meeting.pairs.item[i];
        if (couple_of(s, meeting.part[pair.a].body, meeting.part[pair.b].body) >= 0)
            meeting.pairs.item[kept++] = pair;
    }
    meeting.pairs.count = kept;
    cd_step_touch *touch = CD_ARENA_ARRAY(gaps->arena, cd_step_touch, kept);
    double *from = CD_ARENA_ARRAY(gaps->arena, double, kept);
    for (int32_t i = 0; i < kept; i++) {
        const cd_box_pair pair = meeting.pairs.item[i];
        from[i] = s->couple[couple_of(s, meeting.part[pair.a].body, meeting.part[pair.b].body)].from;
    }
    cd_step_path_touches(gaps, &meeting, s->near, from, touch);
    for (int k = 0; k < s->count; k++)
        s->couple[k].touch = (cd_step_touch){1, INFINITY};
    for (int32_t i = 0; i < kept; i++) {
        const cd_box_pair pair = meeting.pairs.item[i];
        couple *own = &s->couple[couple_of(s, meeting.part[pair.a].body, meeting.part[pair.b].body)];
        if (touch[i].share < own->touch.share || (touch[i].share == own->touch.share && touch[i].gap < own->touch.gap))
            own->touch = touch[i];
        if (touch[i].share > 0)
            least = fmin(least, touch[i].share);
    }
    cd_arena_rewind(gaps->arena, mark);
    return least;
}

// Two bodies that touch at one place while another closes, as a box that has bounced on one edge and comes down on the
// next: they are looked at from half the time on that the other takes. Do any?
static bool look_behind_start(search *s)
{
    bool looks = false;
    for (int k = 0; k < s->count; k++) {
        couple *own = &s->couple[k];
        const double from = own->soon / s->round->bodies->step / 2;
        if (own->touch.share > 0 || own->has_begun || !(from < 1))
            continue;
        own->from = from;
        looks = true;
    }
    return looks;
}

// The share of the first meeting of bodies that begin apart.
static double first_meeting(search *s)
{
    const double step = s->round->bodies->step, enough = s->near / 4;
    double fastest = 0, before = 1, share = touch_at(s, step);
    if (look_behind_start(s))
        share = touch_at(s, step);
    double off = share - before;
    for (int k = 0; k < s->count; k++)
        fastest = fmax(fastest, s->couple[k].speed);
    for (int pass = 0; pass < PASSES && share < 1 && fabs(off) * step * fastest > enough; pass++) {
        const double next = touch_at(s, share * step) - share;
        const double slope = (next - off) / (share - before);
        double then = slope < 0 ? share - next / slope : share + next;
        before = share;
        off = next;
        share = then > 0 && then < 1 ? then : share + next;
    }
    return share;
}

static cd_step_bounce result_of(const search *s, double share, const cd_step_islands *islands)
{
    const cd_model *in = s->round->bodies->in;
    const double step = s->round->bodies->step;
    double left = 1;
    bool *meets = CD_ARENA_ZARRAY(s->arena, bool, in->contact.count);
    bool *is_free = CD_ARENA_ZARRAY(s->arena, bool, in->body.count);
    for (int k = 0; k < s->count; k++) {
        const couple *own = &s->couple[k];
        if (own->has_begun && own->touch.share == 0)
            share = fmin(share, begun_share * s->impact.length / (own->speed * step));
        left = fmin(left, (1 - share) * own->speed * step);
    }
    if (share < 1 && left > s->near)
        return (cd_step_bounce){.share = share};
    for (int32_t i = 0; i < in->body.count; i++)
        is_free[islands->root[i]] = cd_body_is_moved(in, i);
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!is_pushing(s, i))
            continue;
        const int32_t a = in->contact.a[2 * i], b = in->contact.b[2 * i];
        const int number = couple_of(s, a, b);
        const bool is_apart = number >= 0 && s->couple[number].touch.share > 0;
        meets[i] = is_apart && cd_impact_is_closed(&s->impact, i, s->couple[number].touch.gap);
        if (!is_apart)
            is_free[islands->root[a]] = is_free[islands->root[b]] = false;
    }
    return (cd_step_bounce){1, meets, is_free};
}

cd_step_bounce cd_step_bounce_find(cd_arena *arena, const cd_step_round *round, const cd_step_islands *islands,
                                   const int32_t *trial_row)
{
    cd_step_bodies *bodies = round->bodies;
    const int32_t count = bodies->in->body.count;
    const cd_step_bounce none = {.share = 1};
    if (!round->interactions->has_restitution || !round->outcome->has_rows)
        return none;
    search s = {.arena = arena,
                .round = round,
                .impact = cd_impact_make(bodies->in, round->interactions, trial_row, round->gaps->length)};
    if (!find_couples(&s))
        return none;
    s.near = near_of(&s);
    cd_step_velocity *solved = CD_ARENA_ARRAY(arena, cd_step_velocity, count);
    memcpy(solved, bodies->nu, (size_t)count * sizeof *solved);
    const double share = first_meeting(&s);
    memcpy(bodies->nu, solved, (size_t)count * sizeof *solved);
    return result_of(&s, share, islands);
}
