// Two polyhedra, or facets of surfaces, which are polyhedra without thickness (cd_sheet3.h): the contacts of their
// separator.
//
// The separator is chosen at the start and predicted poses (cd_separate3.h); gaps, normals and points are those of the
// current pose. Of a face they are those of the region that both share over it (pair_region.h), a planar face that came
// as several counting as one. Of a pair of edges it is that of the edges themselves, where the nearest points of their
// lines lie on both, grown by the drift, or by drift and pull but no more than they are apart; and where one lies along
// a face of the other body, those of its crossings with that face's other edges. A pair of edges also parts bodies
// whose faces lie on each other but for a small angle: there the whole region over the face is theirs, as it is where
// the face parts them. In a polish round crossings of edges with a face's outline lean as the edges do.
// SPDX-License-Identifier: MIT
#include "cd_outline3.h"
#include "cd_separate3.h"
#include "pair3_polyhedra.h"
#include "pair_region.h"

#include <float.h>
#include <math.h>

// [1] sine of the angle between two edges, seen along the normal, below which they do not cross. Smaller: crossings
// that are noise. Larger: edges that cross at a small angle are taken at their vertices alone.
#define CROSSING_SINE 1e-9

// [1] of the size of an edge times that of the pair: beyond this area the side of the edge's line that a corner
// is on is told by doubles. Smaller: rounding may tell it. Larger: edges that pass a face are asked in vain.
#define CROSSING_UNSURE 1e-12

// [1] cosine of the angle between a pair of edges' normal and the normal of a face that one of the edges bounds, up to
// which the other edge lies along the face. Smaller: crossings that are far from touching. Larger: an edge that rolls
// onto a face is held at one crossing alone.
#define ALONG_COSINE 0.99

// [1] cosine of the angle between the normal of a face and what is normal to both edges of a crossing, down to which
// the crossing leans in a polish round. Smaller: edges that stand on the face beside its outline push it sideways.
// Larger: rounds that converge by the tangent of that angle.
#define LEAN_COSINE 0.5

// ---- a face and the body on its outer side -------------------------------------------------------------------------

// What the contacts' bounds hang on: the bodies at the step's start, and what parts that overlap there are kept to.
typedef struct at_start {
    cd_separate3_pose pose;
    double overlap, tolerance;  // [m] overlap: see cd_contact_bound
    const cd_seams3 *seams;     // NULL: none, or inner separators are all there is
} at_start;

typedef struct facing {
    const cd_shell3 *owner, *other;
    bool is_of_b;  // the owner is b
    int32_t face;
    cd_vec3 outward, on_plane;
    double margin;  // [m] of the other body; on_plane is on the owner's skin
    const at_start *start;
    cd_vec3 outward_before, on_plane_before;  // at the start
} facing;

static cd_vec3 on_skin(const cd_shell3 *shell, int32_t face)
{
    return cd_add3(cd_shell3_plane_point(shell, face), cd_scale3(shell->margin, cd_shell3_normal(shell, face)));
}

static facing facing_of(const cd_separate3_pose *pose, bool is_of_b, int32_t face, const at_start *start)
{
    const cd_shell3 *owner = is_of_b ? pose->b : pose->a;
    const cd_shell3 *other = is_of_b ? pose->a : pose->b;
    const cd_shell3 *before = is_of_b ? start->pose.b : start->pose.a;
    return (facing){.owner = owner,
                    .other = other,
                    .is_of_b = is_of_b,
                    .face = face,
                    .outward = cd_shell3_normal(owner, face),
                    .on_plane = on_skin(owner, face),
                    .margin = other->margin,
                    .start = start,
                    .outward_before = cd_shell3_normal(before, face),
                    .on_plane_before = on_skin(before, face)};
}

// Of what the other body has around its point p.
static double height_of(const facing *f, cd_vec3 p) { return cd_dot3(f->outward, cd_sub3(p, f->on_plane)) - f->margin; }

// The same at the start.
static double height_before(const facing *f, cd_vec3 p)
{
    return cd_dot3(f->outward_before, cd_sub3(p, f->on_plane_before)) - f->margin;
}

// The bound of the contact of a point of the other body, `p` at the start: by its own gap there. That of the lowest
// vertex, which may lie far beside the region, would let bodies that lie askew by rounding lean on, more each step.
static double bound_of(const facing *f, cd_vec3 p)
{
    return cd_contact_bound(f->start->overlap, height_before(f, p), f->start->tolerance);
}

static const cd_shell3 *other_at_start(const facing *f) { return f->is_of_b ? f->start->pose.a : f->start->pose.b; }

// Is the face an inner one where it is over the vertex of the other body?
static bool is_inner_row(const at_start *start, bool is_of_b, int32_t face, int32_t vertex)
{
    return start->seams && cd_seams3_is_inner_row(start->seams, is_of_b, face, vertex);
}

// From a to b.
static cd_vec3 normal_of(const facing *f) { return f->is_of_b ? cd_negate3(f->outward) : f->outward; }

static cd_separator separator_of(const facing *f)
{
    return (cd_separator){{cd_feature(CD_FEATURE_FACE, f->face), CD_FEATURE_NONE}, f->is_of_b ? CD_SIDE_B : CD_SIDE_A};
}

// A contact of the point p of the other body with the face; features: of the other body and of the owner.
static cd_contact contact_at(const facing *f, cd_vec3 p, double bound, const int32_t feature[2])
{
    int32_t of_other = feature[0], of_owner = feature[1];
    cd_contact contact = cd_contact_separating(normal_of(f), height_of(f, p), bound);
    cd_contact_put_vertex(&contact, cd_sub3(p, cd_scale3(f->margin, f->outward)), f->is_of_b);
    contact.feature_a = f->is_of_b ? of_other : of_owner;
    contact.feature_b = f->is_of_b ? of_owner : of_other;
    contact.separator = separator_of(f);
    return contact;
}

static cd_contact contact_of_vertex(const facing *f, int32_t vertex)
{
    int32_t corner = cd_shell3_first_corner(f->owner, f->face);
    return contact_at(f, cd_shell3_vertex(f->other, vertex), bound_of(f, cd_shell3_vertex(other_at_start(f), vertex)),
                      (int32_t[]){cd_feature(CD_FEATURE_VERTEX, vertex), cd_feature(CD_FEATURE_VERTEX, corner)});
}

// ---- what lies over what -------------------------------------------------------------------------------------------

// The corners of a face in order around it.
typedef struct border {
    int32_t count;
    const int32_t *corner;
} border;

static border border_of(const cd_convex3 *c, int32_t face)
{
    return (border){c->face_first[face + 1] - c->face_first[face], c->face_vertex + c->face_first[face]};
}

// The faces that lie in the plane of `face`, up to `tolerance` [m]: their separators are one.
typedef CD_LIST(int32_t) pieces;

static pieces pieces_of(const cd_shell3 *shell, int32_t face, double tolerance, cd_arena *scratch)
{
    pieces list = {0};
    for (int32_t f = 0; f < shell->convex->face_count; f++)
        if (cd_shell3_is_flush(shell, f, face, tolerance))
            cd_list_push(scratch, &list, f);
    return list;
}

static bool is_over_one(const cd_shell3 *shell, pieces list, cd_vec3 p, double grown)
{
    for (int32_t k = 0; k < list.count; k++)
        if (cd_face3_is_over(shell, list.item[k], p, grown))
            return true;
    return false;
}

// Is p inside the body, its planes moved out by `grown` [m]?
static bool is_inside(const cd_shell3 *shell, cd_vec3 p, double grown)
{
    for (int32_t f = 0; f < shell->convex->face_count; f++)
        if (cd_dot3(cd_shell3_normal(shell, f), cd_sub3(p, cd_shell3_plane_point(shell, f))) > grown)
            return false;
    return true;
}

// The face of a sheet, front or back, that the corner has gone through since the start; -1: none. Nothing is inside of
// a sheet: what is behind the face that faces the separator came there, or has been beside it all the time.
static int32_t face_gone_through(const facing *at, int32_t corner)
{
    const cd_shell3 *owner[2] = {at->is_of_b ? at->start->pose.b : at->start->pose.a, at->owner};
    const cd_shell3 *sheet[2] = {other_at_start(at), at->other};
    for (int32_t f = 0; f < 2; f++) {
        if (!(-cd_dot3(cd_shell3_normal(at->other, f), at->outward) > CD_SHARED_REGION_FACING))
            continue;
        double height[2];
        for (int k = 0; k < 2; k++)
            height[k] = cd_dot3(cd_shell3_normal(sheet[k], f),
                                cd_sub3(cd_shell3_vertex(owner[k], corner), cd_shell3_plane_point(sheet[k], f)));
        if (height[0] >= -at->start->tolerance && height[1] <= 0)
            return f;
    }
    return -1;
}

// The faces of the other body that face the separator: the same for all its corners.
typedef struct fronts {
    int32_t count;
    int32_t *face;
    double *cosine;  // [1] of each, > CD_SHARED_REGION_FACING
} fronts;

static fronts fronts_of(const facing *at, cd_arena *scratch)
{
    const int32_t faces = at->other->convex->face_count;
    fronts front = {0, CD_ARENA_ARRAY(scratch, int32_t, faces), CD_ARENA_ARRAY(scratch, double, faces)};
    for (int32_t face = 0; face < faces; face++) {
        double cosine = -cd_dot3(cd_shell3_normal(at->other, face), at->outward);
        if (!(cosine > CD_SHARED_REGION_FACING))
            continue;
        front.face[front.count] = face;
        front.cosine[front.count++] = cosine;
    }
    return front;
}

// The face of the other body that a corner of the separator is to be held by; -1: none. All at the pose of `at`, the
// one that is known best of the step's end. A corner outside: of the faces that face the separator and that it lies
// over the one it is farthest out of, since outside of one is outside: so a corner that comes in front of one face and
// goes out beside another is not held by the first. A corner inside: the face that it leaves the body by where that
// moves along the separator's normal. A corner behind a face, but not inside, is beside the body. grown [m]: sides that
// are flush count as over each other.
static int32_t face_under(const facing *at, const fronts *front, int32_t corner, double grown)
{
    cd_vec3 p = cd_shell3_vertex(at->owner, corner);
    int32_t through = at->other->is_sheet && !at->other->is_line ? face_gone_through(at, corner) : -1;
    if (through >= 0)
        return is_inner_row(at->start, !at->is_of_b, through, corner) ? -1 : through;
    bool is_insider = !at->other->is_sheet && is_inside(at->other, p, grown);
    double best = is_insider ? -INFINITY : -DBL_MIN;
    int32_t found = -1;
    for (int32_t k = 0; k < front->count; k++) {
        int32_t back = front->face[k];
        cd_vec3 normal = cd_shell3_normal(at->other, back);
        double height = cd_dot3(normal, cd_sub3(p, cd_shell3_plane_point(at->other, back)));
        if (is_insider)
            height /= front->cosine[k];
        if (height > best && (is_insider || cd_face3_is_over(at->other, back, p, grown)) &&
            !is_inner_row(at->start, !at->is_of_b, back, corner)) {
            best = height;
            found = back;
        }
    }
    return found;
}

// ---- the region ----------------------------------------------------------------------------------------------------

typedef struct shared {
    const cd_separate3_pose *pose;  // the current one
    facing f, at_end;               // at_end: at the trial, else at the prediction
    pieces pieces;                  // of its planar face
    const cd_outline3 *outline;     // of each piece: where the other body's vertices are
    const double *height;           // of the other body's vertices
    double grown, apart;            // [m] apart: of sides that count as flush
    double longer;                  // [m] >= grown: of edges of the outline that are crossed past an end
    double least;                   // [m] at the start: what is lower there stands beside the face
    double near;                    // [m] of the region: near, or near_askew
    cd_shared_region *region;
} shared;

static bool is_vertex_over(const shared *s, int32_t vertex)
{
    cd_vec3 p = cd_shell3_vertex(s->f.other, vertex);
    for (int32_t k = 0; k < s->pieces.count; k++)
        if (cd_outline3_is_over(&s->outline[k], vertex) ||
            (!cd_outline3_is_beside(&s->outline[k], vertex) &&
             cd_face3_is_over(s->f.owner, s->pieces.item[k], p, s->grown)))
            return true;
    return false;
}

static void add_vertices(const shared *s)
{
    const cd_shell3 *other = s->f.other;
    for (int32_t v = 0; v < other->convex->vertex_count; v++) {
        if (s->height[v] > s->region->reach)
            continue;
        if (!is_vertex_over(s, v) || is_inner_row(s->f.start, s->f.is_of_b, s->f.face, v) ||
            height_before(&s->f, cd_shell3_vertex(other_at_start(&s->f), v)) < s->least)
            continue;
        cd_contact contact = contact_of_vertex(&s->f, v);
        cd_shared_region_add(s->region, &contact);
    }
}

// Of bodies that are apart at the start a corner that is behind a face there is beside it: nothing brings it in front.
static bool is_beside_at_start(const facing *back, int32_t corner)
{
    const at_start *start = back->start;
    return start->overlap == 0 &&
           height_before(back, cd_shell3_vertex(other_at_start(back), corner)) < -start->tolerance;
}

static void add_corner(const shared *s, const fronts *front, int32_t corner, cd_arena *scratch)
{
    cd_vec3 p = cd_shell3_vertex(s->f.owner, corner);
    int32_t face = face_under(&s->at_end, front, corner, s->apart);
    if (face < 0 ||
        !is_over_one(s->f.other, pieces_of(s->f.other, face, s->f.start->tolerance, scratch), p, s->grown + s->apart))
        return;
    facing back = facing_of(s->pose, !s->f.is_of_b, face, s->f.start);
    if (height_of(&back, p) > s->region->reach || is_beside_at_start(&back, corner))
        return;
    cd_contact contact = contact_of_vertex(&back, corner);
    if (!cd_shared_region_covers(s->region, &contact, s->near, s->f.start->tolerance))
        cd_shared_region_add(s->region, &contact);
}

static void add_corners(const shared *s, cd_arena *scratch)
{
    const cd_shell3 *owner = s->f.owner;
    const fronts front = fronts_of(&s->at_end, scratch);
    bool *is_done = CD_ARENA_ZARRAY(scratch, bool, owner->convex->vertex_count);
    for (int32_t k = 0; k < s->pieces.count; k++) {
        border round = border_of(owner->convex, s->pieces.item[k]);
        for (int32_t i = 0; i < round.count; i++)
            if (!is_done[round.corner[i]]) {
                is_done[round.corner[i]] = true;
                add_corner(s, &front, round.corner[i], scratch);
            }
    }
}

// p: of the edge of the other body, at the start.
static bool is_no_edge(const facing *f, int32_t edge, cd_vec3 p)
{
    if (!f->start->seams)
        return false;
    return cd_seams3_is_no_edge(f->start->seams, !f->is_of_b, edge, p, cd_negate3(f->outward_before));
}

// Of the same two edges: along any normal their gap where they cross is one.
static bool is_there(const cd_shared_region *region, const cd_contact *contact)
{
    for (int32_t i = 0; i < region->list.count; i++)
        if (region->list.item[i].feature_a == contact->feature_a &&
            region->list.item[i].feature_b == contact->feature_b)
            return true;
    return false;
}

// An edge of the other body, from q along e.
typedef struct passing {
    int32_t edge;
    cd_vec3 q, e;
} passing;

// By how much beyond the nearer end, below 0 between the ends.
static double past_end(double at, double length) { return fmax(-at, at - length); }

// [m] >= the length; without a root.
static double size_of(cd_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

// [m] By how much past the ends of an edge of the outline one may cross it that is so high over the face: what
// velocities and forces can move the two past each other by, but no more than its height. Of two edges that lie along
// each other where their faces lean away, as those of stones side by side on one floor, the foot of one falls beside
// the face of the other by the sine of that times their distance. Held at one end alone they turn into each other, and
// a second round is for all of the heap; at rest, by the drift alone, some were not held at all. What passes the face
// by more than it is high is parted better by another separator.
static double past_most(const shared *s, double height) { return fmin(s->longer, fabs(height) + s->apart); }

// Where it crosses the edge of the owner from p along r, seen along the face's normal.
static void add_crossing(const shared *s, const passing *by, int32_t from, int32_t to)
{
    const int32_t *end = s->f.other->edges->edge[by->edge].vertex;
    cd_vec3 q = by->q, e = by->e;
    cd_vec3 p = cd_shell3_vertex(s->f.owner, from), r = cd_sub3(cd_shell3_vertex(s->f.owner, to), p);
    cd_vec3 n = s->f.outward, between = cd_sub3(q, p);
    double sine = cd_dot3(n, cd_cross3(r, e));
    if (fabs(sine) <= CROSSING_SINE * size_of(r) * size_of(e) &&
        fabs(sine) <= CROSSING_SINE * cd_length3(r) * cd_length3(e))
        return;
    double along_r = cd_dot3(n, cd_cross3(between, e)) / sine, along_e = cd_dot3(n, cd_cross3(between, r)) / sine;
    if (!(along_e > 0 && along_e < 1))
        return;
    cd_vec3 point = cd_add3(q, cd_scale3(along_e, e));
    const double height = height_of(&s->f, point), past = past_end(along_r, 1);
    if (height > s->region->reach || (past > 0 && past * cd_length3(r) > past_most(s, height)))
        return;
    const cd_shell3 *before = other_at_start(&s->f);
    cd_vec3 q_start = cd_shell3_vertex(before, end[0]), e_start = cd_sub3(cd_shell3_vertex(before, end[1]), q_start);
    cd_vec3 at_q_0 = cd_add3(q_start, cd_scale3(along_e, e_start));
    if (is_no_edge(&s->f, by->edge, at_q_0) || height_before(&s->f, at_q_0) < s->least)
        return;
    cd_contact contact =
        contact_at(&s->f, point, bound_of(&s->f, at_q_0),
                   (int32_t[]){cd_feature(CD_FEATURE_EDGE, by->edge),
                               cd_feature(CD_FEATURE_EDGE, cd_edges3_find(s->f.owner->edges, from, to))});
    if (!is_there(s->region, &contact) && !cd_shared_region_covers(s->region, &contact, s->near, s->f.start->tolerance))
        cd_shared_region_add(s->region, &contact);
}

// On which side of the line of `by` is the owner's corner, seen along the normal? 0: too near to it to be told, or so
// near that the line may pass it by what edges of the outline count as longer.
//
// With N(p) = n.((q - p) x e) = (q - p).(e x n): the crossing with the edge from p along r lies N(p) / S along r,
// S = n.(r x e), and N(p + r) = N(p) - S. So where both N have one sign the quotient is below 0 or above 1, and by more
// than the drift over the length of r where they are beyond the drift times the length of e: |S| <= |r| |e|. `unsure`
// is that, and thousands of times what rounding makes of N and of S: most edges are told without the quotient.
static int side_of(const shared *s, const passing *by, cd_vec3 across, double unsure, int32_t corner)
{
    double side = cd_dot3(cd_sub3(by->q, cd_shell3_vertex(s->f.owner, corner)), across);
    return side > unsure ? 1 : side < -unsure ? -1 : 0;
}

// crossed: which edges of the outline it may cross at all.
static void add_crossings_of_edge(const shared *s, const passing *by, double unsure, int32_t face, uint32_t crossed)
{
    const cd_vec3 across = cd_cross3(by->e, s->f.outward);
    border round = border_of(s->f.owner->convex, face);
    for (int32_t i = 0; i < round.count; i++) {
        if (i < CD_OUTLINE3_MOST && !(crossed >> i & 1))
            continue;
        const int32_t from = round.corner[i], to = round.corner[i + 1 < round.count ? i + 1 : 0];
        if (side_of(s, by, across, unsure, from) * side_of(s, by, across, unsure, to) <= 0)
            add_crossing(s, by, from, to);
    }
}

// [m] No length between the two is larger.
static double size_of_pair(const facing *f)
{
    const cd_convex3 *owner = f->owner->convex, *other = f->other->convex;
    return cd_length3(cd_sub3(other->centre, owner->centre)) + owner->radius + other->radius;
}

static void add_crossings(const shared *s)
{
    const double size = size_of_pair(&s->f);
    const cd_edges3 *edges = s->f.other->edges;
    for (int32_t e = 0; e < edges->count; e++) {
        const int32_t *end = edges->edge[e].vertex;
        if (!(s->height[end[0]] <= s->region->reach || s->height[end[1]] <= s->region->reach))
            continue;
        passing by = {.edge = e, .q = cd_shell3_vertex(s->f.other, end[0])};
        by.e = cd_sub3(cd_shell3_vertex(s->f.other, end[1]), by.q);
        const double unsure = (CROSSING_UNSURE * size + s->longer) * size_of(by.e);
        for (int32_t k = 0; k < s->pieces.count; k++) {
            const uint32_t crossed = cd_outline3_crossed(&s->outline[k], end);
            if (crossed)
                add_crossings_of_edge(s, &by, unsure, s->pieces.item[k], crossed);
        }
    }
}

static const cd_outline3 *outlines_of(const facing *f, pieces list, double grown, cd_arena *scratch)
{
    cd_outline3 *outline = CD_ARENA_ARRAY(scratch, cd_outline3, list.count);
    const double unsure = CROSSING_UNSURE * size_of_pair(f);
    for (int32_t k = 0; k < list.count; k++)
        outline[k] = cd_outline3_make(scratch, f->owner, list.item[k], f->other, grown, unsure);
    return outline;
}

// least_near: see shared.
static void add_region(const cd_pair3_input *input, const cd_separate3_pose *pose, const facing *f,
                       const double least_near[2], cd_shared_region *region)
{
    int32_t count = f->other->convex->vertex_count;
    double *height = CD_ARENA_ARRAY(input->scratch, double, count);
    for (int32_t v = 0; v < count; v++)
        height[v] = height_of(f, cd_shell3_vertex(f->other, v));
    bool is_trial = input->a.shell[2] != input->a.shell[0] || input->b.shell[2] != input->b.shell[0];
    cd_separate3_pose end = {input->a.shell[is_trial ? 2 : 1], input->b.shell[is_trial ? 2 : 1]};
    shared s = {.pose = pose,
                .f = *f,
                .at_end = facing_of(&end, f->is_of_b, f->face, f->start),
                .pieces = pieces_of(f->owner, f->face, input->choice.tolerance, input->scratch),
                .height = height,
                .grown = input->drift + input->choice.tolerance,
                .longer = input->drift + input->pull + input->choice.tolerance,
                .apart = CD_SHARED_REGION_APART * input->choice.tolerance,
                .least = least_near[0],
                .near = least_near[1],
                .region = region};
    s.outline = outlines_of(f, s.pieces, s.longer, input->scratch);
    const int32_t first = region->list.count;
    add_vertices(&s);
    add_corners(&s, input->scratch);
    add_crossings(&s);
    const cd_separator face = separator_of(f);
    if (!is_trial)
        cd_shared_region_leave_high_corners(region, first, &face, normal_of(f), input->choice.tolerance);
}

// ---- a pair of edges -----------------------------------------------------------------------------------------------

// Of two edges along a normal [m]; any two points of them do.
static double between_edges(const cd_separate3_pose *pose, const cd_separator3 *separator, cd_vec3 normal)
{
    cd_vec3 p = cd_shell3_vertex(pose->a, pose->a->edges->edge[separator->index_a].vertex[0]);
    cd_vec3 q = cd_shell3_vertex(pose->b, pose->b->edges->edge[separator->index_b].vertex[0]);
    return cd_dot3(normal, cd_sub3(q, p)) - (pose->a->margin + pose->b->margin);
}

// The edges at the nearest points of their lines, where the normal's own turning does not count. grown [m]: they count
// as longer by so much at either end; gap [m]: at the start.
static void add_edges(const cd_separate3_pose *pose, const cd_separator3 *separator, const at_start *start,
                      const double grown_gap[2], cd_shared_region *region)
{
    double grown = grown_gap[0], gap = grown_gap[1];
    cd_segment3 a = cd_shell3_segment(pose->a, separator->index_a), b = cd_shell3_segment(pose->b, separator->index_b);
    cd_line_points3 lines = cd_line_points3_make(&a, &b);
    if (!(past_end(lines.s, a.length) <= grown && past_end(lines.t, b.length) <= grown))
        return;
    double bound = cd_contact_bound(start->overlap, gap, start->tolerance);
    cd_vec3 normal = cd_separator3_normal(separator, *pose);
    cd_contact contact = cd_contact_separating(normal, between_edges(pose, separator, normal), bound);
    contact.feature_a = contact.separator.code[0] = cd_feature(CD_FEATURE_EDGE, separator->index_a);
    contact.feature_b = contact.separator.code[1] = cd_feature(CD_FEATURE_EDGE, separator->index_b);
    contact.point_a = cd_add3(cd_segment3_at(&a, lines.s), cd_scale3(pose->a->margin, normal));
    contact.point_b = cd_sub3(cd_segment3_at(&b, lines.t), cd_scale3(pose->b->margin, normal));
    contact.point = cd_scale3(0.5, cd_add3(contact.point_a, contact.point_b));
    if (!is_there(region, &contact))
        cd_shared_region_add(region, &contact);
}

static bool is_inner_crossing(const at_start *start, const cd_separator3 *edges)
{
    cd_vec3 n = cd_separator3_normal(edges, start->pose);
    if (!start->seams || (n.x == 0 && n.y == 0 && n.z == 0))
        return false;
    cd_segment3 a = cd_shell3_segment(start->pose.a, edges->index_a);
    cd_segment3 b = cd_shell3_segment(start->pose.b, edges->index_b);
    cd_line_points3 lines = cd_line_points3_make(&a, &b);
    return cd_seams3_is_inner(start->seams, n) ||
           cd_seams3_is_no_edge(start->seams, 0, edges->index_a, cd_segment3_at(&a, lines.s), n) ||
           cd_seams3_is_no_edge(start->seams, 1, edges->index_b, cd_segment3_at(&b, lines.t), cd_negate3(n));
}

// Where the edge of one body lies along a face of the other it crosses the face's outline twice. Held at one crossing
// alone it sinks at the other, and each round would undo half of the one before. Beyond its ends an edge need not be
// cleared.
static void add_crossings_of_faces(const cd_separate3_pose *pose, const cd_separator3 *separator, bool is_of_b,
                                   const at_start *start, cd_shared_region *region)
{
    const cd_shell3 *shell = is_of_b ? pose->b : pose->a;
    int32_t own = is_of_b ? separator->index_b : separator->index_a;
    cd_vec3 along = cd_separator3_normal(separator, *pose);
    for (int k = 0; k < 2; k++) {
        int32_t face = shell->edges->edge[own].face[k];
        if (!(fabs(cd_dot3(cd_shell3_normal(shell, face), along)) >= ALONG_COSINE))
            continue;
        border round = border_of(shell->convex, face);
        for (int32_t i = 0; i < round.count; i++) {
            cd_separator3 other = *separator;
            int32_t next = round.corner[i + 1 < round.count ? i + 1 : 0];
            int32_t edge = cd_edges3_find(shell->edges, round.corner[i], next);
            *(is_of_b ? &other.index_b : &other.index_a) = edge;
            if (cd_dot3(cd_separator3_normal(&other, *pose), along) < 0)
                other.sign = -other.sign;
            const cd_separator3 before = cd_separator3_turned(other, start->pose, along);
            if (edge == own || !(cd_dot3(cd_separator3_normal(&other, *pose), along) >= ALONG_COSINE) ||
                is_inner_crossing(start, &before))
                continue;
            double gap = between_edges(&start->pose, &before, cd_separator3_normal(&before, start->pose));
            add_edges(pose, &other, start, (double[]){0, gap}, region);
        }
    }
}

// The face that one of the edges bounds and that lies along both, of several the one that does most.
typedef struct flank {
    bool is_of_b;
    int32_t face;  // -1: none
} flank;

// most [1]: sine of the angle to their normal, at the start, where all rounds of the step find the same.
static flank flank_of(const cd_separate3_pose *start, const cd_separator3 *separator, double most)
{
    flank found = {false, -1};
    cd_vec3 along = cd_separator3_normal(separator, *start);
    for (int side = 0; side < 2; side++) {
        const cd_shell3 *shell = side ? start->b : start->a;
        int32_t edge = side ? separator->index_b : separator->index_a;
        for (int k = 0; k < 2; k++) {
            int32_t face = shell->edges->edge[edge].face[k];
            cd_vec3 normal = cd_shell3_normal(shell, face), ahead = side ? cd_negate3(along) : along;
            double sine = cd_length3(cd_cross3(normal, ahead));
            if (!(cd_dot3(normal, ahead) >= ALONG_COSINE && sine <= most))
                continue;
            found = (flank){side, face};
            most = nextafter(sine, 0);
        }
    }
    return found;
}

// Bodies whose faces lie on each other but for an angle that they turn by within the step are parted by a pair of edges
// in one step and by a face in the next. Held at the edges alone they turn about them, until the faces are met in the
// next round: of 125 hulls in a heap 35 pairs did so in each step, sank by 1 mm and were pushed up by more; it boiled.
static void add_crossed_edges(const cd_pair3_input *input, const cd_separate3_pose *pose,
                              const cd_separator3 *separator, const at_start *start, cd_shared_region *region)
{
    const cd_separator3 before = cd_separator3_turned(*separator, start->pose, cd_separator3_normal(separator, *pose));
    const double gap = cd_separator3_separation(&before, start->pose), drift = input->drift + input->choice.tolerance;
    const double height = fabs(gap) + CD_SHARED_REGION_APART * input->choice.tolerance;  // as of a crossing
    add_edges(pose, separator, start, (double[]){fmax(drift, fmin(drift + input->pull, height)), gap}, region);
    flank found = flank_of(&start->pose, &before, start->overlap == 0 ? region->angle : -1);
    if (found.face >= 0) {
        facing f = facing_of(pose, found.is_of_b, found.face, start);
        add_region(input, pose, &f, (double[]){-start->tolerance, region->near_askew}, region);
    }
    add_crossings_of_faces(pose, separator, false, start, region);
    add_crossings_of_faces(pose, separator, true, start, region);
}

// ---- both ----------------------------------------------------------------------------------------------------------

static void add_rows(const cd_pair3_input *input, const cd_separate3_pose *pose, const cd_separator3 *separator,
                     const at_start *start, cd_shared_region *region)
{
    if (separator->kind == CD_SEPARATOR3_EDGES) {
        add_crossed_edges(input, pose, separator, start, region);
        return;
    }
    bool is_of_b = separator->kind == CD_SEPARATOR3_FACE_B;
    facing f = facing_of(pose, is_of_b, is_of_b ? separator->index_b : separator->index_a, start);
    add_region(input, pose, &f, (double[]){-INFINITY, region->near}, region);
}

// Where an edge leans against the face it crosses, the gap of the crossing, along the face's normal, changes in first
// order by what its point slides along the edge, which the row of a point and a face says nothing of: each round leaves
// the tangent of that angle of what was missing (0.22 for ten rounds where 343 hulls land). Along what is normal to
// both edges nothing slides, and the gap is 0 where it was. Rounds that are not to correct a trial keep the normal of
// the face, one for the whole region. Sheets keep it too: two that share an edge have crossings of it from either side,
// and what leans on one of them may ask for the opposite of what leans on the other (a corner of a tetrahedron of four
// facets that has gone 0.5 mm into another: no velocities met both).
static void lean_crossings(const cd_separate3_pose *pose, int32_t first, cd_contacts *contacts)
{
    for (int32_t i = first; i < contacts->count; i++) {
        cd_contact *contact = &contacts->item[i];
        const int32_t feature[2] = {contact->feature_a, contact->feature_b};
        if (contact->separator.code[1] != CD_FEATURE_NONE || cd_feature_kind(feature[0]) != CD_FEATURE_EDGE ||
            cd_feature_kind(feature[1]) != CD_FEATURE_EDGE)
            continue;
        const cd_vec3 across = cd_cross3(cd_shell3_segment(pose->a, cd_feature_index(feature[0])).direction,
                                         cd_shell3_segment(pose->b, cd_feature_index(feature[1])).direction);
        const double length = cd_length3(across), cosine = cd_dot3(across, contact->normal) / length;
        if (!(fabs(cosine) >= LEAN_COSINE))
            continue;
        contact->normal = cd_scale3((cosine < 0 ? -1 : 1) / length, across);
        contact->gap *= fabs(cosine);
        contact->bound *= fabs(cosine);
    }
}

// What has a margin is round at its edges and corners: no face and no pair of edges may part two that are apart there.
static bool is_round_apart(const cd_pair3_input *input, const cd_separating3 *chosen)
{
    return chosen->bound < 0 && input->a.shell[0]->margin + input->b.shell[0]->margin > 0 &&
           cd_gap3_convex(input->a.start, input->b.start, input->scratch).gap > -input->choice.tolerance;
}

cd_separating3 cd_pair3_polyhedra_choose(const cd_pair3_input *input, cd_seams3 *seams, const cd_seams3 **has_seams)
{
    const cd_shell3 *const *a = input->a.shell, *const *b = input->b.shell;
    *seams = (cd_seams3){.shell = {a[0], b[0]},
                         .beside = {input->a.beside, input->b.beside},
                         .near = CD_SEAM_NEAR * input->choice.tolerance,
                         .tolerance = input->choice.tolerance};
    *has_seams = cd_seams3_are_none(seams) ? NULL : seams;
    // A sheet has nothing between its sides: one that separates by less than 0 is the wrong one.
    bool is_exact = a[0]->is_sheet || b[0]->is_sheet;
    cd_separate3_input asked = {.start = {a[0], b[0]},
                                .predicted = {a[1], b[1]},
                                .current = {a[2], b[2]},
                                .reach = input->reach,
                                .slack = is_exact ? 0 : input->choice.slack,
                                .tolerance = is_exact ? 0 : input->choice.tolerance,
                                .tie = input->choice.tie,
                                .at_start = input->choice.at_start,
                                .seams = *has_seams,
                                .known = input->known,
                                .near = input->choice.near};
    return cd_separate3_choose(&asked, input->scratch);
}

void cd_pair3_polyhedra_separating(const cd_pair3_input *input, cd_contacts *contacts)
{
    const cd_shell3 *const *a = input->a.shell, *const *b = input->b.shell;
    cd_seams3 seams;
    const cd_seams3 *has_seams;
    cd_separating3 chosen = cd_pair3_polyhedra_choose(input, &seams, &has_seams);
    const cd_separator3 *separator = &chosen.separator;
    if (separator->kind == CD_SEPARATOR3_NONE)
        return;
    if (is_round_apart(input, &chosen)) {
        cd_pair3_separating_by_gap(cd_pair3_for(input->a.start->kind, input->b.start->kind), input, contacts);
        return;
    }
    const cd_separate3_pose current = {a[2], b[2]};
    at_start start = {{a[0], b[0]}, chosen.bound, input->choice.tolerance, chosen.is_inner ? NULL : has_seams};
    cd_shared_region region = cd_shared_region_make(input->scratch, input->reach, input->sway,
                                                    fmin(a[2]->convex->radius, b[2]->convex->radius));
    add_rows(input, &current, &chosen.separator, &start, &region);
    if (chosen.entered.kind != CD_SEPARATOR3_NONE)
        add_rows(input, &current, &chosen.entered, &start, &region);
    const int32_t first = contacts->count;
    cd_shared_region_finish(&region, input->arena, contacts);
    const bool is_sheet = a[2]->is_sheet || b[2]->is_sheet;
    if (input->choice.is_polish && !is_sheet && !(a[2]->margin + b[2]->margin > 0))
        lean_crossings(&current, first, contacts);
}
