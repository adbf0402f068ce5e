// Temporal coherence: boxes that move smoothly from frame to frame keep most of their pairs.
//
// Each box is expected to go on as it did, its faces at constant rates. A list holds, for the coming T frames, every
// pair that may overlap some time if no face is ever farther than a tolerance e from where it is expected, and with
// each pair the first and last frame in which it may and in which it surely does. A frame then costs
//   - one pass over the boxes: are all faces within e of where they are expected?
//   - one pass over the list, 12 bytes a pair, that emits what surely overlaps without a look at the boxes, which would
//     be a cache miss a pair, and compares the boxes of pairs that are just meeting or parting. It is in canonical
//     order, and so is what it emits.
// Boxes that strayed (they bounced off something) get a new motion: their pairs in the list are ended, the tree of
// bounds that the list was made with is asked for new ones, and these go into a short list that is merged while
// emitting. When T frames are over, or too many strayed, a new list is made. When motion is too fast or too rough for a
// list to pay, the frame is left to the fastest method without a memory. The result of a frame depends on that frame
// alone: forecasts only decide which comparisons can be spared.
//
// Rules, per face and in means over a sample of boxes: T = extent / (2 rate), then a list is some twice as long as the
// pairs of a frame; e begins at extent/512, is doubled when strayed boxes end a list early, grows or shrinks by a
// factor 3/2 so that between 1 in 4000 and 1 in 500 boxes drift off a frame, and is at least 4 times the mean error of
// a forecast for one frame. Where standing still is the better forecast (boxes that jitter) rates are 0, and this is
// the classical list of fattened boxes.
//
// Cost O(n + k) a frame while the list holds, O((n + k) log n) when it is made.
//
// Memory: 37 bytes a box for the motion, 30 for the tree, 4 for the list's rows; 5 where bodies or classes are given. 8
// bytes a listed pair and 16 for one added later, which may be 8 (3 k + n / 2) in all, k the pairs of the frame before
// the list was made: a longer list is not made, and one that has grown so long ends. Mostly it is 16 k. Some 300 KiB a
// thread while a list is made. Without a list there is the motion alone, beside what the other method needs. Measured,
// the peak of cd-broad over 40 frames of 1e5 boxes and 4.8e5 pairs: 40 MB, with grid 29.
//
// Measured with 1e5 boxes and 4.8e5 pairs, AVX-512, one thread of a machine under load, milliseconds a frame, pairs and
// canonical order, while a list holds: boxes that move by 0.0025 of their extent a frame on average 2.0 + 1.4, by 0.01
// 2.8 + 1.4; grid 3.0 + 2.8 always. A list costs 100: 9 for the tree, 40 to count its pairs and 40 to place them (15 of
// each to find them), 7 to sort them, 4 for the motion. (To keep what the tree finds and order that is 15 % faster and
// takes 200 bytes a box more.) Over all frames the list is ahead of grid, by a quarter, at 0.0025; they are equal at
// 0.01 (T = 50), and for motion that is faster by a quarter and more the other method is called.
//
// The classical way is another: sort-and-sweep whose sorted lists of faces are kept and repaired by insertion sort,
// with the set of pairs changed at each exchange of two faces (Baraff 1992; Cohen, Lin, Manocha and Ponamgi, I-COLLIDE,
// 1995). An exchange costs a step of a pair whether or not the boxes are near along the other axes: in a cube of n
// boxes each face passes some n v of them in a frame when it moves by v of the cube's edge; here, 1e5 boxes that move
// by 0.025 of their extent, some 60 for each of the 6e5 faces and frame, 3.6e7 exchanges where the list needs 1e6
// simple steps. It wins where few boxes move at all; then the list here is as cheap.
//
// Sources: lists of neighbours that stay valid while nothing moved farther than a margin: L. Verlet, Computer
// "experiments" on classical fluids I, 1967; times at which a pair's state can change: J. Basch, L. Guibas and J.
// Hershberger, Data structures for mobile data, 1999 (kinetic data structures).
// SPDX-License-Identifier: MIT
#include "broad_incremental.h"

enum {
    LIFE_MOST = 200,
    LIFE_LEAST = 40,  // shorter lists do not pay: none is made, and after one that ended so early the method rests
    TRIES_LEAST = 2,  // frames that must be known: positions, then rates, then whether rates foretell
    PAUSE_MOST = 32,
};

static const double TOLERANCE_FIRST = 1.0 / 512, TOLERANCE_LEAST = 1.0 / 2048, TOLERANCE_MOST = 1.0 / 4;  // of extent

static const double DRIFT_FEW = 1.0 / 4000, DRIFT_MANY = 1.0 / 500;  // of all boxes, in a frame

typedef struct memory {
    cd_timed_tracker tracker;
    int32_t *body;  // as they were when the list was made, NULL: none given
    uint8_t *class;
    int32_t class_count;    // items that these are of
    int known;              // frames on end in which the motion was followed
    int pause, next_pause;  // frames to leave to the other method
    bool has_list, is_standing;
    double tolerance;  // of extent
    int64_t pairs;     // of the last frame
    cd_broad_incremental_counts counts;
    const cd_broad_method *plain;
    void *plain_state;
} memory;

// ---- the method without a memory -----------------------------------------------------------------------------------

static void find_plainly(memory *m, const cd_broad_run *run)
{
    static const char *const by_speed[] = {"grid", "bvh", "hybrid", "sweep"};
    for (int k = 0; !m->plain; k++)
        m->plain = cd_broad_method_find(by_speed[k]);
    cd_broad_run plain = *run;
    plain.state = &m->plain_state;
    m->plain->find(&plain);
}

// ---- what the list was made for ------------------------------------------------------------------------------------

static void *copy_of(const void *from, size_t bytes) { return from ? memcpy(cd_alloc(bytes), from, bytes) : NULL; }

static void copy_classes(memory *m, const cd_broad_input *input)
{
    cd_free(m->body);
    cd_free(m->class);
    m->body = copy_of(input->body, (size_t)input->count * sizeof *input->body);
    m->class = copy_of(input->class, (size_t)input->count);
    m->class_count = input->count;
}

static bool is_same(const void *one, const void *other, size_t bytes)
{
    return !one == !other && (!one || !memcmp(one, other, bytes));
}

static bool has_same_classes(const memory *m, const cd_broad_input *input)
{
    return m->class_count == input->count &&
           is_same(m->body, input->body, (size_t)input->count * sizeof *input->body) &&
           is_same(m->class, input->class, (size_t)input->count);
}

// ---- rules ---------------------------------------------------------------------------------------------------------

static double clamped(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

// Whether a list would pay, and for which motion. False with plan->tolerance > 0: the frame may still be followed.
static bool make_plan(memory *m, const cd_broad_run *run, cd_timed_plan *plan)
{
    const cd_broad_statistics *s = run->statistics;
    double extent = 0, range = 0, farthest = 0;
    for (int axis = 0; axis < run->input->dim; axis++) {
        extent += s->extent_mean[axis] / run->input->dim;
        range = fmax(range, s->high[axis] - s->low[axis]);
        farthest = fmax(farthest, fmax(fabs(s->low[axis]), fabs(s->high[axis])));
    }
    cd_timed_error error = cd_timed_motion_measure(&m->tracker.motion, run->input);
    m->is_standing = error.moving >= error.standing;
    double rate = m->is_standing ? 0 : error.standing, off = fmin(error.moving, error.standing);
    double life = rate > 0 ? extent / (2 * rate) : LIFE_MOST;
    double tolerance = fmax(m->tolerance * extent, 4 * off);
    tolerance = fmax(tolerance, fmax(range * 0x1p-20, farthest * 0x1p-40));
    *plan = (cd_timed_plan){tolerance, 1, (int)clamped(life, 1, LIFE_MOST), m->is_standing};
    if (!(tolerance > 1e-25) || !(range < 1e25) || !(farthest < 1e25))
        return false;
    // Rounding a rate costs at most an eighth of the tolerance over a life; rates up to 64 times the mean have 16 bits.
    plan->quantum = clamped(rate / 512, tolerance / (32 * plan->life), tolerance / (4 * plan->life));
    return life >= LIFE_LEAST && tolerance <= TOLERANCE_MOST * extent;
}

// Leaves the next frames to the other method, twice as many as the last time.
static void rest(memory *m)
{
    m->pause = m->next_pause;
    m->next_pause = 2 * m->next_pause < PAUSE_MOST ? 2 * m->next_pause : PAUSE_MOST;
}

// After a list that ended early for its strayed boxes, or by its age.
static void learn_tolerance(memory *m, bool is_early)
{
    const cd_timed_tracker *t = &m->tracker;
    double each_frame = (double)t->motion.drifted / (t->motion.tick ? t->motion.tick : 1) / t->motion.count;
    double factor = is_early ? 2 : each_frame < DRIFT_FEW ? 2.0 / 3 : each_frame > DRIFT_MANY ? 3.0 / 2 : 1;
    m->tolerance = clamped(m->tolerance * factor, TOLERANCE_LEAST, TOLERANCE_MOST);
    if (is_early && t->motion.tick < LIFE_LEAST)
        rest(m);
    else
        m->next_pause = 1;
}

// ---- a frame -------------------------------------------------------------------------------------------------------

// The pairs by the list as it is. False: it no longer holds.
static bool find_by_list(memory *m, const cd_broad_run *run)
{
    cd_timed_tracker *t = &m->tracker;
    int32_t count = run->input->count;
    if (t->motion.tick > t->motion.life) {
        m->counts.outlived++;
        learn_tolerance(m, false);
        return false;
    }
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    int32_t in_frame = 4 + count / 64, in_all = 4 + count / 4 - t->strayed;
    int32_t most = in_frame < in_all ? in_frame : in_all;
    cd_timed_strays strays = cd_timed_motion_strayed(&t->motion, run->input, most, run->arena);
    bool holds = strays.count <= most;
    if (holds && strays.count) {
        holds = cd_timed_tracker_correct(t, run, strays.box, strays.count);
        m->counts.corrected += strays.count;
    }
    cd_arena_rewind(run->arena, mark);
    if (holds) {
        cd_timed_tracker_emit(t, run);
        m->counts.served++;
    } else {
        m->counts.overrun++;
        learn_tolerance(m, true);
    }
    return holds;
}

static bool find_by_new_list(memory *m, const cd_broad_run *run)
{
    cd_timed_tracker *t = &m->tracker;
    if (!has_same_classes(m, run->input))
        copy_classes(m, run->input);
    if (!cd_timed_tracker_make(t, run, 3 * m->pairs + run->input->count / 2)) {
        m->pause = m->next_pause = PAUSE_MOST;
        m->counts.refused++;
        return false;
    }
    m->counts.made++;
    m->counts.served++;
    cd_timed_tracker_emit(t, run);
    return true;
}

static void start_over(memory *m, const cd_broad_run *run)
{
    cd_timed_tracker_drop(&m->tracker);
    cd_timed_motion_start(&m->tracker.motion, run->input, run->statistics);
    m->known = 1;
    m->has_list = false;
    find_plainly(m, run);
}

static void find_in_frame(memory *m, const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    cd_timed_motion *motion = &m->tracker.motion;
    // Nothing is known of the frame before, or is to be used.
    if (m->pause > 0 || motion->count != input->count || motion->dim != input->dim || !m->known) {
        bool is_paused = m->pause > 0;
        m->pause -= is_paused;
        m->known = 0;
        m->has_list = false;
        if (is_paused) {
            cd_timed_tracker_free(&m->tracker);
            find_plainly(m, run);
        } else {
            start_over(m, run);
        }
        return;
    }
    // The list of the frame before, as long as it holds.
    motion->tick++;
    bool was_early = false;
    if (m->has_list && has_same_classes(m, input)) {
        if (find_by_list(m, run))
            return;
        was_early = motion->tick <= motion->life;
    }
    m->has_list = false;
    cd_timed_tracker_drop(&m->tracker);
    // Would a new list pay?
    cd_timed_plan plan;
    bool would_pay = make_plan(m, run, &plan), is_known = m->known >= TRIES_LEAST;
    if (is_known && !would_pay && !was_early) {
        rest(m);
        find_plainly(m, run);
        return;
    }
    // Motion is measured from here on, with a list when it pays.
    bool pays = would_pay && is_known && !was_early;
    m->known = m->known < TRIES_LEAST ? m->known + 1 : m->known;
    cd_timed_motion_rebase(motion, input, run->statistics,
                           (cd_timed_plan){plan.tolerance, plan.quantum, plan.life, pays && plan.is_standing});
    m->has_list = pays && find_by_new_list(m, run);
    if (!m->has_list)
        find_plainly(m, run);
}

static void find(const cd_broad_run *run)
{
    if (!*run->state) {
        memory *fresh = cd_alloc(sizeof *fresh);
        *fresh = (memory){.tolerance = TOLERANCE_FIRST, .next_pause = 1};
        *run->state = fresh;
    }
    memory *m = *run->state;
    find_in_frame(m, run);
    m->pairs = 0;
    for (int w = 0; w < run->tuning.threads; w++) {
        if (run->input->ball)  // the list knows boxes alone
            cd_broad_keep_wanted(run->input, &run->pairs[w], 0);
        m->pairs += run->pairs[w].count;
    }
}

static void forget(void *state)
{
    memory *m = state;
    if (m->plain_state && m->plain->forget)
        m->plain->forget(m->plain_state);
    cd_timed_tracker_free(&m->tracker);
    cd_free(m->body);
    cd_free(m->class);
    cd_free(m);
}

cd_broad_incremental_counts cd_broad_incremental_count(const void *state) { return ((const memory *)state)->counts; }

const cd_broad_method cd_broad_incremental = {"incremental",
                                              "timed list of pairs that is kept over the frames of a smooth motion",
                                              "O(n + k) a frame, O((n + k) log n) every so many",
                                              "76, and 24 a pair at most",
                                              "after Verlet 1967 and kinetic data structures, Basch et al. 1999",
                                              find,
                                              forget,
                                              NULL,
                                              false};
