// The expected motion of boxes for `incremental`, and when pairs of boxes that follow it overlap.
//
// Exactness. Let every face x be within e of its expected place X (checked in each frame). A gap x - y of two faces is
// then within 2 e of X - Y: X - Y > 2 e on some axis says that the boxes are apart, X - Y < -2 e on all that they
// overlap, and between these the boxes themselves are compared. Expected places are *defined* by the stored floats and
// 16-bit rates, so rounding these makes no error but a bad forecast. What remains are roundings of doubles, some 2^-52
// of the largest coordinate; e is at least 2^-40 of it (broad_incremental.c) and SLACK of e is added, which is far
// more.
// SPDX-License-Identifier: MIT
#include "broad_incremental.h"

static const double FAR = 0x1p100;  // [m] a float; faces beyond it, the infinite ones too, stand still there
static const double SLACK = 1.0 / 256;

enum { RUN = 24, SAMPLE = 16 };  // whole rows of 2 and of 3 numbers; one run in 16 is measured

// ---- faces ---------------------------------------------------------------------------------------------------------

static inline double relative(double face, double origin)
{
    double x = face - origin;
    return x > FAR ? FAR : x < -FAR ? -FAR : x;
}

static inline double face_of(const cd_timed_motion *m, const cd_broad_input *input, int side, int64_t k)
{
    return relative((side ? input->max : input->min)[k], m->origin[k % m->dim]);
}

static inline double expected(const cd_timed_motion *m, int side, int64_t k, int tick)
{
    return m->at[side][k] + tick * m->quantum * m->rate[side][k];
}

static void set_origin(cd_timed_motion *m, const cd_broad_statistics *statistics)
{
    for (int axis = 0; axis < 3; axis++)
        m->origin[axis] = statistics->low[axis] / 2 + statistics->high[axis] / 2;
}

void cd_timed_motion_start(cd_timed_motion *m, const cd_broad_input *input, const cd_broad_statistics *statistics)
{
    int64_t numbers = (int64_t)input->count * input->dim;
    cd_timed_motion_free(m);
    *m = (cd_timed_motion){.dim = input->dim, .count = input->count};
    m->born = cd_alloc((size_t)input->count);
    for (int side = 0; side < 2; side++) {
        m->at[side] = cd_alloc((size_t)numbers * sizeof *m->at[side]);
        m->rate[side] = cd_alloc((size_t)numbers * sizeof *m->rate[side]);
        memset(m->rate[side], 0, (size_t)numbers * sizeof *m->rate[side]);
    }
    cd_timed_motion_rebase(m, input, statistics, (cd_timed_plan){0, 1, 0, true});
}

void cd_timed_motion_free(cd_timed_motion *m)
{
    for (int side = 0; side < 2; side++) {
        cd_free(m->at[side]);
        cd_free(m->rate[side]);
    }
    cd_free(m->born);
    *m = (cd_timed_motion){0};
}

cd_timed_error cd_timed_motion_measure(const cd_timed_motion *m, const cd_broad_input *input)
{
    int64_t numbers = (int64_t)m->dim * m->count, measured = 0;
    int64_t stride = numbers > (int64_t)4096 * RUN ? (int64_t)RUN * SAMPLE : RUN;
    double standing = 0, moving = 0;
    for (int64_t from = 0; from < numbers; from += stride)
        for (int64_t k = from; k < from + RUN && k < numbers; k++)
            for (int side = 0; side < 2; side++) {
                double x = face_of(m, input, side, k);
                standing += fabs(x - m->at[side][k]);
                moving += fabs(x - expected(m, side, k, m->tick));
                measured++;
            }
    double scale = measured ? 1.0 / ((double)measured * (m->tick ? m->tick : 1)) : 0;
    return (cd_timed_error){standing * scale, moving * scale};
}

// ---- learning ------------------------------------------------------------------------------------------------------

// [m] a tick, of a face that is off by `off`. One that left by a leap has changed its velocity since the last frame,
// where it was as expected up to the tolerance: the rate is then known to some part of the tolerance. One that drifted
// away in `age` ticks had its rate wrong by off / age, as it is after a leap, or accelerated and has it wrong by
// 2 off / age now: without a leap before, the mean of both leaves at most half of the error in either case.
static inline double learnt_rate(const cd_timed_motion *m, int side, int64_t k, double face, int age)
{
    double off = face - expected(m, side, k, m->tick);
    bool is_young = age < m->tick || age == 1;
    if (age > 1 && fabs(off) > 2 * m->tolerance)
        return face - expected(m, side, k, m->tick - 1);
    return m->quantum * m->rate[side][k] + (is_young ? off : 1.5 * off) / age;
}

static inline int16_t to_quanta(double rate, double quantum)
{
    double steps = rate / quantum;
    return (int16_t)(steps > INT16_MAX ? INT16_MAX : steps < -INT16_MAX ? -INT16_MAX : lrint(steps));
}

void cd_timed_motion_rebase(cd_timed_motion *m, const cd_broad_input *input, const cd_broad_statistics *statistics,
                            cd_timed_plan plan)
{
    cd_timed_motion old = *m;
    set_origin(m, statistics);
    for (int64_t i = 0, k = 0; i < m->count; i++) {
        int age = old.tick > old.born[i] ? old.tick - old.born[i] : 1;  // a correction may have failed in this tick
        for (int axis = 0; axis < m->dim; axis++, k++)
            for (int side = 0; side < 2; side++) {
                double rate = plan.is_standing ? 0 : learnt_rate(&old, side, k, face_of(&old, input, side, k), age);
                m->rate[side][k] = to_quanta(rate, plan.quantum);
                m->at[side][k] = (float)face_of(m, input, side, k);
            }
    }
    memset(m->born, 0, (size_t)m->count);
    m->tick = 0;
    m->tolerance = plan.tolerance;
    m->quantum = plan.quantum;
    m->life = plan.life;
    m->drifted = 0;
}

bool cd_timed_motion_correct(cd_timed_motion *m, const cd_broad_input *input, int32_t box)
{
    bool is_right = true, is_leap = false;
    int age = m->tick - m->born[box];
    for (int64_t k = (int64_t)m->dim * box; k < (int64_t)m->dim * (box + 1); k++)
        for (int side = 0; side < 2; side++) {
            double face = face_of(m, input, side, k);
            is_leap |= fabs(face - expected(m, side, k, m->tick)) > 2 * m->tolerance;
            m->rate[side][k] = to_quanta(learnt_rate(m, side, k, face, age), m->quantum);
            m->at[side][k] = (float)(face - m->tick * m->quantum * m->rate[side][k]);
            is_right &= fabs(face - expected(m, side, k, m->tick)) <= m->tolerance;
        }
    m->born[box] = (uint8_t)m->tick;
    m->drifted += !is_leap;
    return is_right;
}

// ---- the check of every frame --------------------------------------------------------------------------------------

typedef struct check {
    const double *face[2];
    const float *at[2];
    const int16_t *rate[2];
    double step, tolerance;
    double origin[RUN];
} check;

// Numbers of the runs in which some face is out of tolerance.
CD_VECTOR_CLONES static int32_t check_runs(const check *c, int32_t runs, int32_t *bad)
{
    int32_t count = 0;
    const double *origin = c->origin;
    double step = c->step, tolerance = c->tolerance;
    for (int32_t r = 0; r < runs; r++) {
        int32_t off = 0;
        for (int side = 0; side < 2; side++) {
            const double *face = c->face[side] + (int64_t)RUN * r;
            const float *at = c->at[side] + (int64_t)RUN * r;
            const int16_t *rate = c->rate[side] + (int64_t)RUN * r;
            for (int k = 0; k < RUN; k++) {
                double x = face[k] - origin[k];
                x = x > FAR ? FAR : x;
                x = x < -FAR ? -FAR : x;
                off |= fabs(x - (at[k] + step * rate[k])) > tolerance;
            }
        }
        bad[count] = r;
        count += off;
    }
    return count;
}

static bool is_strayed(const cd_timed_motion *m, const cd_broad_input *input, int64_t box)
{
    for (int64_t k = m->dim * box; k < m->dim * (box + 1); k++)
        for (int side = 0; side < 2; side++)
            if (fabs(face_of(m, input, side, k) - expected(m, side, k, m->tick)) > m->tolerance)
                return true;
    return false;
}

cd_timed_strays cd_timed_motion_strayed(const cd_timed_motion *m, const cd_broad_input *input, int32_t most,
                                        cd_arena *arena)
{
    check c = {{input->min, input->max}, {m->at[0], m->at[1]}, {m->rate[0], m->rate[1]},
               m->tick * m->quantum,     m->tolerance,         {0}};
    for (int k = 0; k < RUN; k++)
        c.origin[k] = m->origin[k % m->dim];
    int32_t boxes_of_run = RUN / m->dim, runs = m->count / boxes_of_run;
    int32_t *bad = CD_ARENA_ARRAY(arena, int32_t, runs), bad_count = check_runs(&c, runs, bad);
    cd_timed_strays strays = {CD_ARENA_ARRAY(arena, int32_t, (int64_t)most + RUN), 0};
    for (int32_t r = 0; r < bad_count && strays.count <= most; r++) {
        int32_t begin = bad[r] * boxes_of_run;
        for (int32_t i = begin; i < begin + boxes_of_run; i++)
            if (is_strayed(m, input, i))
                strays.box[strays.count++] = i;
    }
    for (int32_t i = runs * boxes_of_run; i < m->count && strays.count <= most; i++)
        if (is_strayed(m, input, i))
            strays.box[strays.count++] = i;
    return strays;
}

// ---- bounds and ticks ----------------------------------------------------------------------------------------------

// Rounded outward by more than the rounding of the conversion, 2^-24.
static inline float rounded_down(double x) { return (float)(x - fabs(x) * 0x1p-22 - 1e-36); }

cd_timed_bounds cd_timed_motion_bounds(const cd_timed_motion *m, int32_t box)
{
    cd_timed_bounds bounds = {{0}, {0}};
    double step[2] = {m->born[box] * m->quantum, m->life * m->quantum};
    double margin = m->tolerance * (1 + SLACK);
    for (int axis = 0; axis < m->dim; axis++) {
        int64_t k = (int64_t)m->dim * box + axis;
        double lower = m->rate[0][k] < 0 ? step[1] : step[0], upper = m->rate[1][k] > 0 ? step[1] : step[0];
        bounds.min[axis] = rounded_down(m->at[0][k] + lower * m->rate[0][k] - margin);
        bounds.max[axis] = -rounded_down(-(m->at[1][k] + upper * m->rate[1][k] + margin));
    }
    return bounds;
}

enum { MOST_GAPS = 6, LOWER = 0, UPPER = 1 };

static inline cd_timed_row row_of(const cd_timed_motion *m, int dim, int32_t box)
{
    cd_timed_row row = {{{0}}, {{0}}};
    for (int side = 0; side < 2; side++) {
        memcpy(row.at[side], m->at[side] + (int64_t)dim * box, (size_t)dim * sizeof(float));
        memcpy(row.rate[side], m->rate[side] + (int64_t)dim * box, (size_t)dim * sizeof(int16_t));
    }
    return row;
}

cd_timed_row cd_timed_motion_row(const cd_timed_motion *m, int32_t box)
{
    return m->dim == 3 ? row_of(m, 3, box) : row_of(m, 2, box);  // copies of constant size
}

// Gaps: gap + tick rate, of each axis both ways; the boxes overlap when none is positive.
typedef struct gap_batch {
    int gaps;
    double gap[MOST_GAPS][CD_TIMED_BATCH], rate[MOST_GAPS][CD_TIMED_BATCH];
    double inverse[MOST_GAPS][CD_TIMED_BATCH];  // 1 / rate
} gap_batch;

// Along axis 2 of a plane problem all boxes overlap, always: it has no gaps.
CD_VECTOR_CLONES static void make_gaps(const cd_timed_motion *m, const cd_timed_batch *batch, gap_batch *g)
{
    double quantum = m->quantum;
    g->gaps = 2 * m->dim;
    for (int n = 0; n < g->gaps; n++) {
        int axis = n / 2, one = n % 2;
        for (int k = 0; k < CD_TIMED_BATCH; k++) {
            g->gap[n][k] = (double)batch->at[one][LOWER][axis][k] - (double)batch->at[!one][UPPER][axis][k];
            int32_t steps = batch->rate[one][LOWER][axis][k] - batch->rate[!one][UPPER][axis][k];
            // A rate of 0 becomes one too small to matter: such a gap meets its limit in the far future or past.
            double rate = quantum * steps + 1e-280;
            g->rate[n][k] = rate;
            g->inverse[n][k] = 1 / rate;
        }
    }
}

// The ticks, within the given ones, in which all gaps are at most `limit`.
CD_VECTOR_CLONES static void find_ticks(const gap_batch *g, double limit, double from, double to,
                                        uint8_t *restrict first_tick, uint8_t *restrict last_tick)
{
    double first[CD_TIMED_BATCH], last[CD_TIMED_BATCH];
    for (int k = 0; k < CD_TIMED_BATCH; k++) {
        first[k] = from;
        last[k] = to;
    }
    for (int n = 0; n < g->gaps; n++)
        for (int k = 0; k < CD_TIMED_BATCH; k++) {
            double rate = g->rate[n][k], at = (limit - g->gap[n][k]) * g->inverse[n][k];
            double begin = rate < 0 ? at : from, end = rate > 0 ? at : to;
            first[k] = begin > first[k] ? begin : first[k];
            last[k] = end < last[k] ? end : last[k];
        }
    int32_t up[CD_TIMED_BATCH], down[CD_TIMED_BATCH];
    for (int k = 0; k < CD_TIMED_BATCH; k++) {
        first[k] = first[k] < CD_TIMED_NEVER ? first[k] : CD_TIMED_NEVER;
        last[k] = last[k] > -1 ? last[k] : -1;
    }
    for (int k = 0; k < CD_TIMED_BATCH; k++) {  // these sums round by 2^-45 of a tick, which is far less than SLACK
        up[k] = CD_TIMED_NEVER - (int32_t)(CD_TIMED_NEVER - first[k]);  // ceil
        down[k] = (int32_t)(last[k] + 1) - 1;                           // floor
    }
    for (int k = 0; k < CD_TIMED_BATCH; k++) {
        bool is_never = up[k] > down[k];
        first_tick[k] = (uint8_t)(is_never ? CD_TIMED_NEVER : up[k]);
        last_tick[k] = (uint8_t)(is_never ? 0 : down[k]);
    }
}

// In single precision, which is twice as fast; it may keep some pairs more than the ticks do. Places are floats, so a
// gap has a relative error of 2^-24, limit, rate and quotient too: a tick t = (limit - gap) / rate is wrong by less
// than 2^-24 (5 t + limit / rate). A rate is a quantum at least, and that is tolerance / (32 life) at least and no
// denormal float (broad_incremental.c): in a life of 200 ticks the error is below 0.001. The limit is rounded upward.
static const float TICK_ERROR = 1.0f / 64;

CD_VECTOR_CLONES static void find_meeting(const cd_timed_motion *m, const cd_timed_batch *batch, uint8_t *meets)
{
    float first[CD_TIMED_BATCH], last[CD_TIMED_BATCH];
    float quantum = (float)m->quantum, limit = (float)(2 * m->tolerance * (1 + SLACK) * (1 + 0x1p-20));
    float from = (float)m->tick, to = (float)m->life;
    for (int k = 0; k < CD_TIMED_BATCH; k++) {
        first[k] = from;
        last[k] = to;
    }
    for (int n = 0; n < 2 * m->dim; n++) {
        int axis = n / 2, one = n % 2;
        for (int k = 0; k < CD_TIMED_BATCH; k++) {
            float over = limit - (batch->at[one][LOWER][axis][k] - batch->at[!one][UPPER][axis][k]);
            int32_t steps = batch->rate[one][LOWER][axis][k] - batch->rate[!one][UPPER][axis][k];
            float rate = quantum * (float)steps + 1e-37f, at = over / rate;
            float begin = rate < 0 ? at : from, end = rate > 0 ? at : to;
            first[k] = begin > first[k] ? begin : first[k];
            last[k] = end < last[k] ? end : last[k];
        }
    }
    for (int k = 0; k < CD_TIMED_BATCH; k++)
        meets[k] = first[k] <= last[k] + 2 * TICK_ERROR;
}

uint64_t cd_timed_motion_meet(const cd_timed_motion *m, const cd_timed_batch *batch)
{
    uint8_t meets[CD_TIMED_BATCH];
    uint64_t mask = 0;
    find_meeting(m, batch, meets);
    for (int k = 0; k < batch->count; k++)
        mask |= (uint64_t)meets[k] << k;
    return mask;
}

void cd_timed_motion_ticks(const cd_timed_motion *m, const cd_timed_batch *batch,
                           uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH])
{
    gap_batch g;
    double limit = 2 * m->tolerance * (1 + SLACK);
    make_gaps(m, batch, &g);
    find_ticks(&g, limit, m->tick, m->life, tick[CD_TIMED_MAYBE_FROM], tick[CD_TIMED_MAYBE_TO]);
    find_ticks(&g, -limit, m->tick, m->life, tick[CD_TIMED_SURE_FROM], tick[CD_TIMED_SURE_TO]);
}
