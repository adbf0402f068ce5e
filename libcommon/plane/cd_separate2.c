// SPDX-License-Identifier: MIT
#include "cd_separate2.h"

// [1] edges whose lengths agree to this part are equally long, and numbers decide. Smaller: which edge holds a pair of
// equal boxes hangs on rounding. Larger: a shorter edge may hold the longer.
#define EQUAL_LENGTH 2e-9

double cd_separator2_separation(const cd_separator2 *separator, cd_separate2_pose pose)
{
    return separator->is_of_b ? cd_polygon_edge_gap(pose.b, separator->edge, pose.a).value
                              : cd_polygon_edge_gap(pose.a, separator->edge, pose.b).value;
}

// Separations by edge: those of a, then those of b.
typedef struct edge_values {
    const double *value;
    double best;
    int32_t at;  // the first of those that have the best
} edge_values;

static cd_separator2 separator_at(cd_separate2_pose pose, int32_t k)
{
    return k < pose.a.count ? (cd_separator2){false, k} : (cd_separator2){true, k - pose.a.count};
}

static edge_values values_at(cd_separate2_pose pose, cd_arena *arena)
{
    int32_t count = pose.a.count + pose.b.count;
    double *value = CD_ARENA_ARRAY(arena, double, count), best = -INFINITY;
    int32_t at = 0;
    for (int32_t k = 0; k < count; k++) {
        cd_separator2 separator = separator_at(pose, k);
        value[k] = cd_separator2_separation(&separator, pose);
        at = value[k] > best ? k : at;
        best = value[k] > best ? value[k] : best;
    }
    return (edge_values){value, best, at};
}

// Both poses of the step, each looked at when it is first asked for: mostly the predicted one alone.
typedef struct views {
    const cd_separate2_input *input;
    edge_values start, predicted;
    bool has_start, has_predicted;
    cd_arena *arena;
} views;

static bool is_same(cd_separate2_pose p, cd_separate2_pose q)
{
    return p.a.vertex == q.a.vertex && p.b.vertex == q.b.vertex;
}

static bool is_still(const cd_separate2_input *input) { return is_same(input->start, input->predicted); }

static edge_values predicted_of(views *of)
{
    if (!of->has_predicted)
        of->predicted = values_at(of->input->predicted, of->arena);
    of->has_predicted = true;
    return of->predicted;
}

static edge_values start_of(views *of)
{
    if (!of->has_start)
        of->start = is_still(of->input) ? predicted_of(of) : values_at(of->input->start, of->arena);
    of->has_start = true;
    return of->start;
}

// Is one of the edges' separations above reach? `first`: the one that is looked at first.
static bool is_beyond(cd_separate2_pose pose, double reach, int32_t first)
{
    int32_t count = pose.a.count + pose.b.count;
    for (int32_t i = 0; i < count; i++) {
        cd_separator2 separator = separator_at(pose, i + first < count ? i + first : i + first - count);
        if (cd_separator2_separation(&separator, pose) > reach)
            return true;
    }
    return false;
}

static double length_of(const cd_separator2 *separator, cd_separate2_pose pose)
{
    cd_polygon owner = separator->is_of_b ? pose.b : pose.a;
    return cd_length2(cd_sub2(owner.vertex[cd_polygon_next(owner, separator->edge)], owner.vertex[separator->edge]));
}

static bool comes_before(const cd_separator2 *f, const cd_separator2 *g, cd_separate2_pose pose)
{
    if (f->is_of_b != g->is_of_b)
        return f->is_of_b != cd_polygon_in_order(pose.a, pose.b);
    return f->edge < g->edge;
}

// Of the edges with the largest `value` among those with `floor_value` >= floor, the first of those as long as the
// longest. "As long as" is not transitive, so all are held against the longest: a running choice would depend on the
// order.
static cd_separator2 pick(const double *value, const double *floor_value, double floor, double tie,
                          cd_separate2_pose pose)
{
    int32_t count = pose.a.count + pose.b.count;
    double best = -INFINITY, longest = 0;
    for (int32_t k = 0; k < count; k++)
        if (floor_value[k] >= floor && value[k] > best)
            best = value[k];
    for (int32_t k = 0; k < count; k++) {
        cd_separator2 separator = separator_at(pose, k);
        if (floor_value[k] >= floor && value[k] >= best - tie)
            longest = fmax(longest, length_of(&separator, pose));
    }
    cd_separator2 chosen = {false, -1};
    for (int32_t k = 0; k < count; k++) {
        cd_separator2 separator = separator_at(pose, k);
        if (floor_value[k] >= floor && value[k] >= best - tie &&
            length_of(&separator, pose) >= (1 - EQUAL_LENGTH) * longest &&
            (chosen.edge < 0 || comes_before(&separator, &chosen, pose)))
            chosen = separator;
    }
    return chosen;
}

static cd_separator2 choose_near(views *of)
{
    const cd_separate2_input *input = of->input;
    const bool is_at_start = input->at_start || is_still(input);
    double tie = input->tie;
    if (!is_at_start && predicted_of(of).best >= 0) {
        const double *value = predicted_of(of).value;
        cd_separator2 separator = pick(value, value, -INFINITY, tie, input->predicted);
        double before = cd_separator2_separation(&separator, input->start);
        if (before > -input->slack || before >= 0)
            return separator;
    }
    const double *before = start_of(of).value;
    cd_separator2 separator = {false, -1};
    if (!is_at_start)
        separator = pick(predicted_of(of).value, before, -input->tolerance, tie, input->predicted);
    return separator.edge < 0 ? pick(before, before, -INFINITY, tie, input->start) : separator;
}

// Those of the edges that are no inner ones; -Infinity for these.
static edge_values without_inner(const cd_separate2_input *input, edge_values all, const bool *is_inner,
                                 cd_arena *arena)
{
    int32_t count = input->start.a.count + input->start.b.count;
    double *value = CD_ARENA_ARRAY(arena, double, count), best = -INFINITY;
    for (int32_t k = 0; k < count; k++) {
        value[k] = is_inner[k] ? -INFINITY : all.value[k];
        best = fmax(best, value[k]);
    }
    return (edge_values){.value = value, .best = best};
}

static bool is_inner_edge(const cd_separate2_input *input, const cd_separator2 *separator)
{
    return input->seams && cd_seams2_is_inner_edge(input->seams, separator->is_of_b, separator->edge);
}

// The choice among those that are no inner ones, as long as one of them separates at q_0.
static void choose_outer(views *of, cd_separating2 *result)
{
    const cd_separate2_input *input = of->input;
    cd_arena *arena = of->arena;
    int32_t count = input->start.a.count + input->start.b.count;
    bool *is_inner = CD_ARENA_ARRAY(arena, bool, count);
    for (int32_t k = 0; k < count; k++) {
        cd_separator2 separator = separator_at(input->start, k);
        is_inner[k] = is_inner_edge(input, &separator);
    }
    views outer = {.input = input, .has_start = true, .has_predicted = true, .arena = arena};
    outer.start = outer.predicted = without_inner(input, start_of(of), is_inner, arena);
    if (!is_still(input))
        outer.predicted = without_inner(input, predicted_of(of), is_inner, arena);
    result->is_inner = outer.start.best < -input->tolerance;
    if (!result->is_inner)
        result->separator = choose_near(&outer);
}

static cd_separator2 best_outer(views *of, edge_values current)
{
    const cd_separate2_input *input = of->input;
    cd_separator2 best = pick(current.value, current.value, -INFINITY, input->tie, input->current);
    if (!is_inner_edge(input, &best))
        return best;
    int32_t count = input->start.a.count + input->start.b.count;
    double *floor = CD_ARENA_ARRAY(of->arena, double, count);
    for (int32_t k = 0; k < count; k++) {
        cd_separator2 separator = separator_at(input->start, k);
        floor[k] = is_inner_edge(input, &separator) ? -INFINITY : start_of(of).value[k];
    }
    cd_separator2 outer = pick(current.value, floor, -input->tolerance, input->tie, input->current);
    return outer.edge < 0 ? best : outer;
}

// All of the choice that hangs on q_0 and q_pred alone. Where the chosen separates at q_0 the best does.
static cd_separating2 choose_for_step(views *of)
{
    const cd_separate2_input *input = of->input;
    cd_separating2 result = {.entered = {false, -1}};
    result.separator = choose_near(of);
    const bool separates =
        result.separator.edge >= 0 && cd_separator2_separation(&result.separator, input->start) >= -input->tolerance;
    if (!separates)
        result.bound = start_of(of).best < -input->tolerance ? start_of(of).best : 0;
    if (is_inner_edge(input, &result.separator))
        choose_outer(of, &result);
    return result;
}

// What q_k adds to it.
static void look_at_current(views *of, edge_values current, cd_separating2 *result)
{
    const cd_separate2_input *input = of->input;
    bool overlaps = current.best < 0;
    if (!overlaps && !(current.best <= input->near &&
                       current.best - cd_separator2_separation(&result->separator, input->current) > input->tie))
        return;
    cd_separator2 best = best_outer(of, current);
    bool is_another = best.edge != result->separator.edge || best.is_of_b != result->separator.is_of_b;
    if (is_another && (overlaps || !is_inner_edge(input, &best)))
        result->entered = best;
}

// [m] Within reach where one of the poses is; q_0 is looked at where q_pred is not, and only until it is sure that it
// is not either.
static double nearest_of(views *of)
{
    const cd_separate2_input *input = of->input;
    const edge_values predicted = predicted_of(of);
    bool is_out = predicted.best > input->reach;
    return is_out && !is_beyond(input->start, input->reach, predicted.at) ? start_of(of).best : predicted.best;
}

cd_separating2 cd_separate2_choose(const cd_separate2_input *input, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool is_trial = !is_same(input->start, input->current);
    // The step's own poses, where nobody knows them yet; without a trial q_k is q_0.
    cd_separate2_known *kept = input->seams ? NULL : input->known;
    cd_separate2_known known = kept && kept->is_known && is_trial ? *kept : (cd_separate2_known){.is_known = false};
    if (known.is_known && known.nearest <= input->reach &&
        cd_separator2_separation(&known.choice.separator, input->current) > input->near)
        return known.choice;  // apart at q_k by the same edge, and not near: no other one is asked
    views of = {.input = input, .arena = scratch};
    if (!known.is_known)
        known.nearest = nearest_of(&of);
    edge_values current = {.best = INFINITY};
    if (is_trial)
        current = values_at(input->current, scratch);
    cd_separating2 result = {{false, -1}, 0, {false, -1}, false};
    if (!(known.nearest > input->reach && current.best > input->reach)) {
        if (!known.is_known) {
            known.choice = choose_for_step(&of);
            known.is_known = true;
            if (kept)
                *kept = known;
        }
        result = known.choice;
        if (is_trial)
            look_at_current(&of, current, &result);
    }
    cd_arena_rewind(scratch, mark);
    return result;
}
