// SPDX-License-Identifier: MIT
#include "narrow_ellipsoids.h"
#include "narrow_far.h"
#include "narrow_known.h"
#include "narrow_pinball.h"
#include "narrow_surface.h"

#include "cd_length.h"
#include "cd_run_model.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

// ---- pairs ---------------------------------------------------------------------------------------------------------

int32_t cd_narrow_leaf_count(const cd_narrow_frame_state *frame, int32_t body)
{
    int32_t shape = frame->in->body.shape ? frame->in->body.shape[body] : -1;
    return shape < 0 ? 0 : frame->shapes->first[shape + 1] - frame->shapes->first[shape];
}

static cd_status check_element_site(const cd_narrow_frame_state *frame, const int32_t *site)
{
    int32_t elements = cd_elements_of_body(&frame->pinballs->placed, site[0]);
    if (elements == 0)
        return cd_body_need_shape(frame->in, site[0], frame->diag);
    if (site[1] >= 0 && site[1] < elements)
        return CD_OK;
    return cd_fail(frame->diag, CD_ERR_FORMAT, "pair: body %" PRId64 " part %d: it has %d elements",
                   frame->in->body.id[site[0]], (int)site[1], (int)elements);
}

static cd_status check_site(const cd_narrow_frame_state *frame, const int32_t *site)
{
    int32_t leaves = cd_narrow_leaf_count(frame, site[0]);
    if (frame->mode->takes_pinballs && leaves == 0)
        return check_element_site(frame, site);
    if (site[1] >= 0 && site[1] < leaves)
        return CD_OK;
    if (cd_body_is_of_elements(frame->in, site[0]))
        return cd_body_need_shape(frame->in, site[0], frame->diag);
    return cd_fail(frame->diag, CD_ERR_FORMAT, "pair: body %" PRId64 " part %d: its shape has %d parts",
                   frame->in->body.id[site[0]], (int)site[1], (int)leaves);
}

static int compare_pairs(const void *left, const void *right)
{
    const cd_narrow_site_pair *a = left, *b = right;
    if (a->rank_a != b->rank_a)
        return a->rank_a < b->rank_a ? -1 : 1;
    if (a->part_a != b->part_a)
        return a->part_a < b->part_a ? -1 : 1;
    if (a->rank_b != b->rank_b)
        return a->rank_b < b->rank_b ? -1 : 1;
    return (a->part_b > b->part_b) - (a->part_b < b->part_b);
}

static cd_status read_pairs(cd_narrow_frame_state *frame, const int32_t *rank)
{
    const cd_model *in = frame->in;
    frame->pair = CD_ARENA_ARRAY(frame->arena, cd_narrow_site_pair, in->pair.count);
    int32_t count = 0;
    bool is_sorted = true;
    for (int32_t i = 0; i < in->pair.count; i++) {
        const int32_t *a = in->pair.a + 2 * (size_t)i, *b = in->pair.b + 2 * (size_t)i;
        CD_TRY(check_site(frame, a));
        CD_TRY(check_site(frame, b));
        if (a[0] == b[0])
            return cd_fail(frame->diag, CD_ERR_FORMAT, "pair: body %" PRId64 " against itself", in->body.id[a[0]]);
        if (!cd_body_is_active(in, a[0]) || !cd_body_is_active(in, b[0]))
            continue;
        if (rank[a[0]] > rank[b[0]]) {
            const int32_t *swap = a;
            a = b;
            b = swap;
        }
        frame->pair[count] = (cd_narrow_site_pair){rank[a[0]], a[1], rank[b[0]], b[1], a[0], b[0]};
        is_sorted = is_sorted && (count == 0 || compare_pairs(&frame->pair[count - 1], &frame->pair[count]) < 0);
        count++;
    }
    frame->pair_count = count;
    if (is_sorted)
        return CD_OK;
    qsort(frame->pair, (size_t)count, sizeof *frame->pair, compare_pairs);
    frame->pair_count = 0;
    for (int32_t i = 0; i < count; i++)
        if (i == 0 || compare_pairs(&frame->pair[i - 1], &frame->pair[i]) != 0)
            frame->pair[frame->pair_count++] = frame->pair[i];
    return CD_OK;
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

// [1] of a part's extent: rounding of its corners, and of heights over its faces, with room.
static const double corner_rounding = 16 * DBL_EPSILON;
// [1] of head.length: gaps that are rounded by more are none, whatever the epsilon. Contacts of a box of length 1 with
// a corner as far away as 1e13 m are right, from 1e14 m on (a rounding of 0.36 m) they vanish.
static const double coarsest = 1e-2;

static cd_status check_extent(const cd_narrow_frame_state *frame, int32_t body, int32_t part, double limit)
{
    const cd_model *in = frame->in;
    double extent = cd_leaves_extent(frame->shapes, frame->shapes->first[in->body.shape[body]] + part);
    if (!isfinite(extent) || corner_rounding * extent <= limit)
        return CD_OK;
    return cd_fail(frame->diag, CD_ERR_NUMERIC,
                   "body %" PRId64 " part %d: so large, %.1e m, that gaps can be kept to %.1e m, more than the %.1e m "
                   "that epsilon and length allow (a halfspace has no size)",
                   in->body.id[body], part, extent, corner_rounding * extent, limit);
}

// Parts so large that their own rounding is a gap: kernels of such parts find overlaps that are not there, or nothing.
static cd_status check_extents(const cd_narrow_frame_state *frame, double length)
{
    double limit = fmax(frame->epsilon, coarsest * length);
    if (corner_rounding * frame->shapes->largest <= limit)
        return CD_OK;
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        CD_TRY(check_extent(frame, pair->row_a, pair->part_a, limit));
        CD_TRY(check_extent(frame, pair->row_b, pair->part_b, limit));
    }
    return CD_OK;
}

// ---- the frame -----------------------------------------------------------------------------------------------------

// A frame's wish overrides the option; what neither names is what the run's model wants.
static cd_status find_mode(const cd_model *in, const cd_narrow_options *options, const cd_narrow_mode **mode,
                           cd_diag *diag)
{
    const char *wish = in->frame.contacts ? in->frame.contacts[0] : NULL, *name = wish ? wish : options->contacts;
    if (!strcmp(name, "auto")) {
        const cd_contact_model *model;
        CD_TRY(cd_run_model(in, "auto", &model, diag));
        static const char *const modes[] = {[CD_CONTACT_WANT_FEATURES] = "features",
                                            [CD_CONTACT_WANT_SEPARATORS] = "separating",
                                            [CD_CONTACT_WANT_DEPTHS] = "pinball"};
        name = modes[model->wants];
    }
    *mode = cd_narrow_find_mode(name);
    if (*mode)
        return CD_OK;
    return cd_fail(diag, CD_ERR_UNSUPPORTED, "contacts: \"%s\" is not a way of finding contacts here", name);
}

cd_status cd_narrow_check_options(const cd_narrow_options *options, cd_diag *diag)
{
    const bool is_front_only = !strcmp(options->side, "front"), is_off = !strcmp(options->smooth_edges, "off");
    if (is_front_only && is_off)
        return cd_fail(diag, CD_ERR_USAGE,
                       "--side front: triangles by themselves have no sides, not with "
                       "--smooth-edges off");
    return CD_OK;
}

uint64_t cd_narrow_unread(const cd_model *in, const cd_narrow_options *options)
{
    const cd_narrow_mode *mode = NULL;
    cd_diag unused = {0};
    if (find_mode(in, options, &mode, &unused) != CD_OK)
        return 0;  // cd_narrow_frame says so
    uint64_t never = CD_FIELD_BIT(body, mass) | CD_FIELD_BIT(body, group) | CD_FIELD_BIT(body, mu);
    if (!mode->takes_pinballs)
        never |= CD_FIELD_BIT(body, material);
    uint64_t moving = CD_FIELD_BIT(body, velocity) | CD_FIELD_BIT(body, spin) | CD_FIELD_BIT(body, inertia);
    bool has_reach = !isnan(options->reach) || !isnan(cd_f64_or(in->head.reach, 0, NAN));
    bool is_still = in->dim == 3 && has_reach && !(mode->needs & CD_NARROW_NEEDS_POSES);
    return is_still ? never | moving : never;
}

cd_status cd_narrow_refuse(const cd_narrow_frame_state *frame, const cd_narrow_site_pair *pair, cd_shape_kind kind_a,
                           cd_shape_kind kind_b)
{
    const int64_t *id = frame->in->body.id;
    cd_status status = cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "--contacts %s: %s against %s is not supported",
                               frame->mode->name, cd_words_SHAPE[kind_a], cd_words_SHAPE[kind_b]);
    return cd_fail_at(frame->diag, status, "bodies %" PRId64 " and %" PRId64, id[pair->row_a], id[pair->row_b]);
}

cd_status cd_narrow_refuse_dimension(const cd_narrow_frame_state *frame)
{
    return cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "--contacts %s: has no routine for %s", frame->mode->name,
                   frame->in->dim == 2 ? "the plane" : "space");
}

// [1] of head.length: overlaps at the start that are less deep count as touching. Poses of bodies some thousand lengths
// from the origin are rounded by as much.
static const double choice_rounding = 1e-12;
// [1] of head.length: separators that differ by less are equally good. Smaller: bodies that lie on one another at the
// margin that rounds keep (1e-10), askew by parts of it, are held by a pair of edges in one step and by a face in the
// next, and what friction gave to the one contact of the edges sets them in motion.
// Larger: with 1e-6 one of the first problems of a house of cards is not solved, and heaps land no better.
static const double choice_tie = 1e-9;
// [1] of head.length: of parts no farther apart at a trial the separator that is best there is asked too. Smaller: a
// body between two others goes from one to the other and back, each round a third of the way less, because each pair
// loses its rows in turn (343 hulls in a heap: 15 rounds a step with 0, 5.4 with 1e-5, 4.9 with this and with 1e-3).
// Larger: rows over faces that bodies only pass.
static const double choice_near = 1e-4;

// Scales of the step (man/cd-narrow.1): lengths go with L of cd_length.h, speeds with its V.
static void take_scales(cd_narrow_frame_state *frame, double length)
{
    const cd_model *in = frame->in;
    double speed = cd_speed_of(in, length);
    const int32_t facets = cd_i32_or(in->frame.facets, 0, CD_FACETS_PREDICTED);
    const bool is_impact = cd_i32_or(in->frame.impact, 0, CD_IMPACT_NONE) != CD_IMPACT_NONE;
    const bool is_polish = !is_impact && cd_i32_or(in->frame.target, 0, CD_TARGET_FREE) == CD_TARGET_TRIAL;
    frame->choice = (cd_separator_choice){.slack = frame->step * speed,
                                          .tolerance = choice_rounding * length,
                                          .tie = choice_tie * length,
                                          .at_start = facets == CD_FACETS_START,
                                          .with_turned = facets == CD_FACETS_TURNED,
                                          .is_polish = is_polish,
                                          .closest = is_impact,
                                          .near = choice_near * length};
    frame->cell = cd_cell_edge(length);
}

cd_status cd_narrow_open(cd_arena *arena, const cd_narrow_stage *stage, const cd_model *in,
                         cd_narrow_frame_state *frame, cd_diag *diag)
{
    const cd_narrow_options *options = stage->options;
    *frame = (cd_narrow_frame_state){.arena = arena,
                                     .in = in,
                                     .shapes = &stage->shapes,
                                     .options = options,
                                     .threads = stage->threads,
                                     .diag = diag};
    // How the frame's parts are looked at.
    CD_TRY(find_mode(in, options, &frame->mode, diag));
    cd_narrow_pinballs *pinballs = NULL;
    if (frame->mode->takes_pinballs) {
        pinballs = CD_ARENA_ZARRAY(arena, cd_narrow_pinballs, 1);
        pinballs->frame = frame;
        CD_TRY(cd_elements_place(arena, in, &stage->elements, stage->refs, &pinballs->placed, diag));
        CD_TRY(cd_elements_need_positions(&pinballs->placed, diag));
        frame->pinballs_of_run = &stage->pinballs;
        frame->pinballs = pinballs;
    } else {
        CD_TRY(cd_bodies_need_positions(in, diag));
    }
    frame->step = cd_frame_step_or_zero(in);
    frame->epsilon = isnan(options->epsilon) ? cd_epsilon_of(arena, in, &stage->shapes) : options->epsilon;
    frame->trial_row = cd_body_trial_rows(arena, in);
    const double length = cd_length_of(arena, in, &stage->shapes);
    take_scales(frame, length);
    // The pairs.
    CD_TRY(read_pairs(frame, cd_body_order_make(arena, &in->body).rank));
    CD_TRY(pinballs ? cd_narrow_pinballs_make(frame, pinballs) : check_extents(frame, length));
    frame->reach = cd_reach_make(arena, in, &stage->shapes, options->reach);
    return CD_OK;
}

cd_status cd_narrow_frame(cd_arena *arena, const cd_narrow_stage *stage, const cd_model *in, cd_contact_rows *out,
                          cd_narrow_counts *counts, cd_diag *diag)
{
    cd_narrow_frame_state frame;
    CD_TRY(cd_narrow_open(arena, stage, in, &frame, diag));
    const bool wants_surfaces = cd_narrow_wants_surfaces(&frame);
    cd_narrow_drop_far(&frame);
    if (stage->memory && frame.mode->needs & CD_NARROW_NEEDS_MEMORY) {
        cd_narrow_recall(stage->memory, &frame);
        frame.memory = stage->memory;
    }
    if (stage->lambdas) {
        cd_narrow_lambdas_begin(stage->lambdas, &frame);
        frame.lambdas = stage->lambdas;
    }
    *counts = (cd_narrow_counts){.mode = frame.mode, .reach = cd_reach_most(&frame.reach, in)};
    struct cd_narrow_surfaces own = {0};
    if (wants_surfaces) {
        frame.surfaces = stage->surfaces ? stage->surfaces : &own;
        cd_narrow_make_surfaces(frame.surfaces, in, stage->options->weld);
        counts->has_surfaces = true;
        counts->faults = frame.surfaces->faults;
    }
    cd_status status = (in->dim == 2 ? cd_narrow_plane : cd_narrow_space)(&frame, out, &counts->rejected);
    cd_narrow_forget_surfaces(&own);
    CD_TRY(status);
    for (int32_t i = 0; i < out->count; i++)
        counts->contacts += out->status[i] != CD_STATUS_OUTSIDE;
    return CD_OK;
}

void cd_narrow_close(cd_narrow_stage *stage)
{
    if (!stage)
        return;
    cd_narrow_forget(stage->memory);
    cd_narrow_forget_surfaces(stage->surfaces);
    if (stage->lambdas)
        cd_narrow_lambdas_forget(stage->lambdas);
}
