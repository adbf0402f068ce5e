// SPDX-License-Identifier: MIT
#include "view_check.h"

#include "cd_bodies.h"
#include "cd_elements.h"
#include "cd_leaf_build.h"
#include "cd_leaves.h"
#include "cd_polyhedron_check.h"
#include "cd_schedule.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// [1] of the coordinates and the gap: points are computed from bodies by a few rotations and projections.
#define POINT_TOLERANCE 1e-9

// ---- findings ------------------------------------------------------------------------------------------------------

static void report(cd_check *check, const char *table, const char *rule, const char *format, ...) CD_PRINTF(4, 5);
static void report(cd_check *check, const char *table, const char *rule, const char *format, ...)
{
    for (int32_t i = check->frame_start; i < check->findings.count; i++)
        if (!strcmp(check->findings.item[i].table, table) && !strcmp(check->findings.item[i].rule, rule)) {
            check->findings.item[i].rows++;
            return;
        }
    cd_finding finding = {.table = table, .rule = rule, .frame = check->has_frame ? check->index : -1, .rows = 1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.first, sizeof finding.first, format, arguments);
    va_end(arguments);
    cd_list_push(&check->arena, &check->findings, finding);
}

// ---- head and frame record -----------------------------------------------------------------------------------------

// What cd_leaves_make leaves to the stages that rely on it.
static void check_polyhedra(cd_check *check, cd_arena *arena, const cd_model *in, const cd_refs *refs,
                            const cd_leaves *leaves)
{
    cd_diag diag = {0};
    cd_leaf_build build = {arena, in, refs, NULL, &diag};
    for (int32_t s = 0; s < in->shape.count; s++) {
        if (in->shape.kind[s] != CD_SHAPE_POLYHEDRON)
            continue;
        cd_polyhedron p = *cd_leaves3_at(&leaves->space, leaves->first[s]).polyhedron;
        cd_status status = cd_polyhedron_check_convex(p, cd_polyhedron_tolerance(p), arena, &diag);
        if (status != CD_OK && cd_leaf_fault_at(&build, status, s) != CD_OK)
            report(check, "shape", "closed and convex", "%.150s", diag.text);
        diag = (cd_diag){0};
    }
}

static void check_elements(cd_check *check, cd_arena *arena, const cd_model *head)
{
    cd_elements elements;
    cd_diag diag = {0};
    if (cd_elements_make(arena, head, &elements, &diag) != CD_OK)
        report(check, "element", "nodes, reference, split", "%.150s", diag.text);
    if (head->dim == 3 && cd_i32_or(head->head.symmetry, 0, CD_SYMMETRY_PLANE) == CD_SYMMETRY_AXIAL)
        report(check, "head", "symmetry: axial is of the plane", "dim 3");
}

void cd_check_head(cd_check *check, cd_arena *arena, const cd_tables *head, const cd_refs *refs)
{
    cd_leaves leaves;
    cd_diag diag = {0};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    if (cd_leaves_make(arena, &head->model, refs, &leaves, &diag) != CD_OK) {
        report(check, "shape", "geometry", "%.150s", diag.text);
    } else {
        size_t bytes = ((size_t)head->model.shape.count + 1) * sizeof *check->leaf_first;
        check->leaf_first = cd_arena_alloc(&check->leaves, bytes);
        memcpy(check->leaf_first, leaves.first, bytes);
        if (leaves.dim == 3)
            check_polyhedra(check, arena, &head->model, refs, &leaves);
    }
    if (mark.block)
        cd_arena_rewind(arena, mark);
    diag = (cd_diag){0};
    if (cd_schedule_check(&head->model, &diag) != CD_OK)
        report(check, "load, drive", "samples", "%.150s", diag.text);
    check_elements(check, arena, &head->model);
}

// The bodies that they speak of are there, and move as they must.
static void check_schedule(cd_check *check, cd_arena *arena, const cd_model *head, const cd_model *in)
{
    cd_model scheduled = *in;
    cd_diag diag = {0};
    if (cd_schedule_check(head, &diag) == CD_OK && cd_schedule_apply(arena, head, &scheduled, &diag) != CD_OK)
        report(check, "load, drive", "their bodies", "%.150s", diag.text);
}

static void check_sequence(cd_check *check, const cd_frame_rows *frame)
{
    int64_t index = frame->index[0];
    int32_t substep = cd_i32_or(frame->substep, 0, 0), round = cd_i32_or(frame->round, 0, 0);
    double time = frame->time[0], step = cd_f64_or(frame->step, 0, 0), rest = cd_f64_or(frame->rest, 0, 0);
    double whole = step + rest;
    if (check->has_frame) {
        bool ascends = index != check->index       ? index > check->index
                       : substep != check->substep ? substep > check->substep
                                                   : round > check->round;
        if (!ascends)
            report(check, "frame", "index ascends", "frame %" PRId64 " after frame %" PRId64, index, check->index);
        if (time < check->time)
            report(check, "frame", "time ascends", "%.17g s after %.17g s", time, check->time);
    }
    if (substep == 0) {
        if (!check->has_frame) {
            check->is_fixed_step = step > 0;
            check->first_index = index;
            check->first_time = time;
            check->whole = whole;
        } else if (fabs(whole - check->whole) > CD_TIME_TOLERANCE * check->whole) {
            check->is_fixed_step = false;
        } else if (index == check->index + 1 && time == check->given_up_at) {
            check->first_index = index;
            check->first_time = time;
        }
        double expected = check->first_time + (double)(index - check->first_index) * check->whole;
        if (check->is_fixed_step && fabs(time - expected) > CD_TIME_TOLERANCE * check->whole)
            report(check, "frame", "time = index * step", "time %.17g s, expected %.17g s", time, expected);
    }
    check->index = index;
    check->substep = substep;
    check->round = round;
    check->time = time;
    check->given_up_at = rest > 0 ? time + step : -INFINITY;
    check->has_frame = true;
}

static int32_t shape_of(const cd_model *in, int32_t body) { return in->body.shape ? in->body.shape[body] : -1; }

// A body without a shape beside bounds is a name for these (cd-broad --use-bounds): it need not be one that can move.
static bool stands_for_bounds(const cd_model *in, int32_t body)
{
    return in->bounds.count > 0 && shape_of(in, body) < 0;
}

static void check_bodies(cd_check *check, const cd_model *in)
{
    const cd_body_rows *body = &in->body;
    int moments = in->dim == 2 ? 1 : 6, diagonal = in->dim == 2 ? 1 : 3;
    for (int32_t i = 0; i < body->count; i++) {
        if (!cd_body_is_active(in, i) || stands_for_bounds(in, i) || cd_body_is_of_elements(in, i))
            continue;
        if (!cd_body_has_position(in, i))
            report(check, "body", "a body that takes part has a position", "body %" PRId64, body->id[i]);
        if (cd_i32_or(body->motion, i, CD_MOTION_DYNAMIC) != CD_MOTION_DYNAMIC)
            continue;
        if (!(cd_f64_or(body->mass, i, 0) > 0))
            report(check, "body", "a dynamic body has a mass", "body %" PRId64, body->id[i]);
        bool is_good = true;
        for (int k = 0; k < diagonal; k++)
            is_good &= cd_f64_or(body->inertia, moments * i + k, 0) > 0;
        is_good = is_good && (in->dim == 2 || cd_inertia3_is_definite(body->inertia + moments * i));
        if (!is_good)
            report(check, "body", "a dynamic body has an inertia", "body %" PRId64, body->id[i]);
    }
}

// ---- sites, sides and order ----------------------------------------------------------------------------------------

static void check_sites(cd_check *check, const char *table, const cd_model *in, const int32_t *site, int32_t count)
{
    for (int32_t i = 0; check->leaf_first && i < count; i++) {
        int32_t body = site[2 * i], shape = shape_of(in, body);
        if (stands_for_bounds(in, body) && site[2 * i + 1] >= 0)
            continue;
        int32_t leaves = shape < 0 ? 0 : check->leaf_first[shape + 1] - check->leaf_first[shape];
        if (site[2 * i + 1] < 0 || site[2 * i + 1] >= leaves)
            report(check, table, "parts exist", "body %" PRId64 " has no part %d", in->body.id[body], site[2 * i + 1]);
    }
}

static int compare_sites(const cd_body_rows *body, const int32_t *left, const int32_t *right)
{
    int64_t a = body->id[left[0]], b = body->id[right[0]];
    if (a != b)
        return a < b ? -1 : 1;
    return (left[1] > right[1]) - (left[1] < right[1]);
}

// Vertices before edges before faces, then by number; none first.
static int compare_features(const int32_t *left, const int32_t *right)
{
    for (int k = 0; k < 2; k++) {
        if (left[k] == right[k])
            continue;
        if (left[k] < 0 || right[k] < 0)
            return left[k] < 0 ? -1 : 1;
        int kind = cd_feature_kind(left[k]) - cd_feature_kind(right[k]);
        return kind ? kind : cd_feature_index(left[k]) < cd_feature_index(right[k]) ? -1 : 1;
    }
    return 0;
}

// A table of pairs of parts: pair, or contact.
typedef struct site_pairs {
    const char *table;
    int32_t count;
    const int32_t *a, *b;
    const int32_t *features;  // NULL: none
    bool is_unique;           // two rows of one pair are one too many
} site_pairs;

// The rules shared by pair and contact.
static void check_pairs(cd_check *check, const cd_model *in, const site_pairs *pairs)
{
    const cd_body_rows *body = &in->body;
    const char *table = pairs->table;
    const int32_t *a = pairs->a, *b = pairs->b, *features = pairs->features, count = pairs->count;
    check_sites(check, table, in, a, count);
    check_sites(check, table, in, b, count);
    for (int32_t i = 0; i < count; i++) {
        int64_t id_a = body->id[a[2 * i]], id_b = body->id[b[2 * i]];
        if (id_a >= id_b)
            report(check, table, "a < b", "a is body %" PRId64 ", b is body %" PRId64, id_a, id_b);
        if (i == 0)
            continue;
        int order = compare_sites(body, a + 2 * (i - 1), a + 2 * i);
        if (order == 0)
            order = compare_sites(body, b + 2 * (i - 1), b + 2 * i);
        if (order == 0 && features)
            order = compare_features(features + 2 * (i - 1), features + 2 * i);
        if (order > 0)
            report(check, table, "canonical order", "row %d: [%" PRId64 ",%d]-[%" PRId64 ",%d] is behind a later one",
                   i, id_a, a[2 * i + 1], id_b, b[2 * i + 1]);
        else if (order == 0 && pairs->is_unique)
            report(check, table, "once", "[%" PRId64 ",%d]-[%" PRId64 ",%d] is there twice", id_a, a[2 * i + 1], id_b,
                   b[2 * i + 1]);
    }
}

static void check_ascending(cd_check *check, const char *table, const int64_t *id, int32_t count)
{
    for (int32_t i = 1; i < count; i++)
        if (id[i] <= id[i - 1])
            report(check, table, "ids ascend", "%" PRId64 " after %" PRId64, id[i], id[i - 1]);
}

static void check_once(cd_check *check, cd_arena *arena, const char *table, const int32_t *row, int32_t count,
                       const int64_t *id, int32_t targets)
{
    uint8_t *seen = CD_ARENA_ZARRAY(arena, uint8_t, targets);
    for (int32_t i = 0; i < count; i++)
        if (seen[row[i]]++)
            report(check, table, "once", "%" PRId64 " is there twice", id[row[i]]);
}

// Those of a mesh of rings are not behind its axis.
static void check_nodes(cd_check *check, const cd_model *in)
{
    bool is_axial = in->dim == 2 && cd_i32_or(in->head.symmetry, 0, CD_SYMMETRY_PLANE) == CD_SYMMETRY_AXIAL;
    for (int32_t i = 0; i < in->node.count && is_axial; i++)
        if (in->node.position[2 * (size_t)i] < 0)
            report(check, "node", "x >= 0 with symmetry: axial", "node %" PRId64 ": x is %g m", in->node.id[i],
                   in->node.position[2 * (size_t)i]);
}

static void check_bounds(cd_check *check, const cd_model *in)
{
    const cd_bounds_rows *bounds = &in->bounds;
    check_sites(check, "bounds", in, bounds->a, bounds->count);
    for (int32_t i = 0; i < bounds->count; i++) {
        bool is_box = true;
        for (int k = 0; k < in->dim; k++)
            is_box &= bounds->min[in->dim * i + k] <= bounds->max[in->dim * i + k];
        if (!is_box)
            report(check, "bounds", "min <= max", "body %" PRId64, in->body.id[bounds->a[2 * i]]);
        if (i > 0 && compare_sites(&in->body, bounds->a + 2 * (i - 1), bounds->a + 2 * i) >= 0)
            report(check, "bounds", "canonical order", "body %" PRId64 " part %d is there twice or behind a later one",
                   in->body.id[bounds->a[2 * i]], bounds->a[2 * i + 1]);
    }
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static void check_points(cd_check *check, const cd_model *in, int32_t i)
{
    const cd_contact_rows *contact = &in->contact;
    int dim = in->dim;
    if (!contact->point_a || !contact->point_b || isnan(contact->point_a[dim * i]) || isnan(contact->point_b[dim * i]))
        return;
    double along = 0, off_middle = 0, off_a = 0, off_b = 0, size = fabs(contact->gap[i]);
    for (int k = 0; k < dim; k++) {
        double a = contact->point_a[dim * i + k], b = contact->point_b[dim * i + k];
        along += (b - a) * contact->normal[dim * i + k];
        double point = contact->point[dim * i + k];
        off_middle = fmax(off_middle, fabs(point - 0.5 * (a + b)));
        off_a = fmax(off_a, fabs(point - a));
        off_b = fmax(off_b, fabs(point - b));
        size += fabs(a) + fabs(b);
    }
    if (contact->kind[i] != CD_CONTACT_ANALYTIC && fabs(along - contact->gap[i]) > POINT_TOLERANCE * size)
        report(check, "contact", "gap = (point_b - point_a) . normal",
               "contact %" PRId64 ": gap %.17g m, points %.17g m apart", contact->id[i], contact->gap[i], along);
    bool is_vertex = contact->kind[i] == CD_CONTACT_SEPARATING && (off_a == 0 || off_b == 0);  // at a separating face
    if (off_middle > POINT_TOLERANCE * size && !is_vertex)
        report(check, "contact", "point is the middle", "contact %" PRId64 ": off by %g m", contact->id[i], off_middle);
}

static void check_features(cd_check *check, const cd_contact_rows *contact, int32_t i)
{
    int32_t a = contact->features ? contact->features[2 * i] : CD_FEATURE_NONE,
            b = contact->features ? contact->features[2 * i + 1] : CD_FEATURE_NONE;
    int kind_a = a < 0 ? -1 : cd_feature_kind(a), kind_b = b < 0 ? -1 : cd_feature_kind(b);
    bool is_good = true;
    switch (contact->kind[i]) {
    case CD_CONTACT_VERTEX_EDGE:
        is_good = (kind_a == CD_FEATURE_VERTEX && kind_b == CD_FEATURE_EDGE) ||
                  (kind_a == CD_FEATURE_EDGE && kind_b == CD_FEATURE_VERTEX);
        break;
    case CD_CONTACT_VERTEX_FACE:
        is_good = (kind_a == CD_FEATURE_VERTEX && kind_b == CD_FEATURE_FACE) ||
                  (kind_a == CD_FEATURE_FACE && kind_b == CD_FEATURE_VERTEX);
        break;
    case CD_CONTACT_EDGE_EDGE:
        is_good = kind_a == CD_FEATURE_EDGE && kind_b == CD_FEATURE_EDGE;
        break;
    case CD_CONTACT_SEPARATING:
        is_good = kind_a == kind_b && (kind_a == CD_FEATURE_VERTEX || kind_a == CD_FEATURE_EDGE || kind_a < 0);
        break;
    case CD_CONTACT_PINBALL:
        is_good = kind_a == kind_b && (kind_a == CD_FEATURE_PINBALL || kind_a < 0);
        break;
    default:
        break;
    }
    if (!is_good)
        report(check, "contact", "features fit the kind", "contact %" PRId64, contact->id[i]);
}

static void check_contacts(cd_check *check, const cd_model *in)
{
    const cd_contact_rows *contact = &in->contact;
    check_ascending(check, "contact", contact->id, contact->count);
    check_pairs(check, in, &(site_pairs){"contact", contact->count, contact->a, contact->b, contact->features, false});
    for (int32_t i = 0; i < contact->count; i++) {
        if (contact->kind[i] != CD_CONTACT_VOLUME)
            check_points(check, in, i);
        check_features(check, contact, i);
    }
}

// ---- rows of the complementarity problem ---------------------------------------------------------------------------

static bool has_id(const cd_row_rows *row, int64_t id)
{
    int32_t low = 0, high = row->count;
    while (low < high) {  // ids ascend, or that was found already
        int32_t middle = low + (high - low) / 2;
        if (row->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->count && row->id[low] == id;
}

static void check_rows(cd_check *check, const cd_row_rows *row)
{
    check_ascending(check, "row", row->id, row->count);
    for (int32_t i = 0; i < row->count; i++) {
        bool is_velocity = row->role[i] == CD_ROLE_VELOCITY;
        if (is_velocity && (!row->body || row->body[i] < 0))
            report(check, "row", "a velocity row has a body", "row %" PRId64, row->id[i]);
        double lower = cd_f64_or(row->lower, i, is_velocity ? -INFINITY : 0),
               upper = cd_f64_or(row->upper, i, INFINITY);
        if (lower > upper)
            report(check, "row", "lower <= upper", "row %" PRId64 ": %g > %g", row->id[i], lower, upper);
        int32_t normal = cd_i32_or(row->normal_row, i, -1);
        if (normal >= 0 && !has_id(row, normal))
            report(check, "row", "normal_row exists", "row %" PRId64 ": there is no row %d", row->id[i], normal);
    }
}

static void check_metrics(cd_check *check, const cd_model *in)
{
    const cd_metric_rows *metric = &in->metric;
    for (int32_t i = 0; i < metric->count; i++) {
        int32_t a = metric->a ? metric->a[i] : -1, b = metric->b ? metric->b[i] : -1;
        if (a >= 0 && b >= 0 && in->body.id[a] >= in->body.id[b])
            report(check, "metric", "a < b", "%.60s: a is body %" PRId64 ", b is body %" PRId64, metric->name[i],
                   in->body.id[a], in->body.id[b]);
    }
}

void cd_check_frame(cd_check *check, cd_arena *arena, const cd_tables *head, const cd_tables *frame)
{
    cd_model in = frame->model;
    in.head = head->model.head;
    in.shape = head->model.shape;
    in.element = head->model.element;
    check->frame_start = check->findings.count;
    check->frames++;
    check_sequence(check, &in.frame);
    check_bodies(check, &in);
    check_schedule(check, arena, &head->model, &in);
    check_nodes(check, &in);
    check_bounds(check, &in);
    check_pairs(check, &in, &(site_pairs){"pair", in.pair.count, in.pair.a, in.pair.b, NULL, true});
    check_contacts(check, &in);
    check_ascending(check, "constraint", in.constraint.id, in.constraint.count);
    check_rows(check, &in.row);
    check_metrics(check, &in);
    check_once(check, arena, "trial", in.trial.body, in.trial.count, in.body.id, in.body.count);
    check_once(check, arena, "next", in.next.body, in.next.count, in.body.id, in.body.count);
    check_once(check, arena, "next_node", in.next_node.node, in.next_node.count, in.node.id, in.node.count);
    check_once(check, arena, "nodal_force", in.nodal_force.node, in.nodal_force.count, in.node.id, in.node.count);
    check_once(check, arena, "force", in.force.contact, in.force.count, in.contact.id, in.contact.count);
    check_once(check, arena, "value", in.value.row, in.value.count, in.row.id, in.row.count);
    if (in.solution.count > 1)
        report(check, "solution", "once", "%d solutions in a frame", in.solution.count);
    if (in.verdict.count > 1)
        report(check, "verdict", "once", "%d verdicts in a frame", in.verdict.count);
}

void cd_check_release(cd_check *check)
{
    cd_arena_release(&check->arena);
    cd_arena_release(&check->leaves);
}
