// Table `contact` from what was found.
// SPDX-License-Identifier: MIT
#include "narrow_frame.h"

cd_narrow_contact3 cd_narrow_lift(const cd_narrow_contact *c)
{
    return (cd_narrow_contact3){
        .kind = c->kind,
        .status = c->status,
        .point = {c->point.x, c->point.y, 0},
        .point_a = {c->point_a.x, c->point_a.y, 0},
        .point_b = {c->point_b.x, c->point_b.y, 0},
        .normal = {c->normal.x, c->normal.y, 0},
        .gap = c->gap,
        .area = c->area,
        .feature_a = c->feature_a,
        .feature_b = c->feature_b,
        .surface_a = c->surface_a,
        .surface_b = c->surface_b,
        .applicability = c->applicability,
        .feasible = c->feasible,
        .facet = c->facet,
        .bound = c->bound,
    };
}

// A sum with 0 has no negative zero: results do not show which side a zero component was turned from.
static void put(double *column, int dim, int32_t i, cd_vec3 v)
{
    double *to = column + (size_t)dim * (size_t)i;
    to[0] = v.x + 0.0;
    to[1] = v.y + 0.0;
    if (dim == 3)
        to[2] = v.z + 0.0;
}

static void write_required(const cd_narrow_frame_state *frame, const cd_narrow_found *found, cd_contact_rows *rows)
{
    cd_arena *arena = frame->arena;
    int dim = frame->in->dim;
    const cd_narrow_contact3 *contact = found->contact;
    int64_t *id = CD_COLUMN(arena, dim, contact, rows, id);
    int32_t *a = CD_COLUMN(arena, dim, contact, rows, a), *b = CD_COLUMN(arena, dim, contact, rows, b);
    int32_t *kind = CD_COLUMN(arena, dim, contact, rows, kind), *status = CD_COLUMN(arena, dim, contact, rows, status);
    double *point = CD_COLUMN(arena, dim, contact, rows, point), *normal = CD_COLUMN(arena, dim, contact, rows, normal);
    double *point_a = CD_COLUMN(arena, dim, contact, rows, point_a);
    double *point_b = CD_COLUMN(arena, dim, contact, rows, point_b);
    double *gap = CD_COLUMN(arena, dim, contact, rows, gap);
    for (int32_t i = 0; i < rows->count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[found->pair[i]];
        id[i] = i;
        a[2 * (size_t)i] = pair->row_a;
        a[2 * (size_t)i + 1] = pair->part_a;
        b[2 * (size_t)i] = pair->row_b;
        b[2 * (size_t)i + 1] = pair->part_b;
        kind[i] = contact[i].kind;
        status[i] = contact[i].status;
        put(point, dim, i, contact[i].point);
        put(point_a, dim, i, contact[i].point_a);
        put(point_b, dim, i, contact[i].point_b);
        put(normal, dim, i, contact[i].normal);
        gap[i] = contact[i].gap + 0.0;
    }
}

// Columns that only some kinds of contacts have; a column nobody uses is not made.
static void write_optional(cd_arena *arena, int dim, const cd_narrow_contact3 *contact, cd_contact_rows *rows)
{
    bool has_area = false, has_surfaces = false, has_features = false, is_judged = false;
    for (int32_t i = 0; i < rows->count; i++) {
        has_area |= !isnan(contact[i].area);
        has_surfaces |= contact[i].surface_a != CD_ABSENT;
        has_features |= contact[i].feature_a != CD_FEATURE_NONE;
        is_judged |= !isnan(contact[i].applicability);
    }
    double *area = has_area ? CD_COLUMN(arena, dim, contact, rows, area) : NULL;
    int32_t *surfaces = has_surfaces ? CD_COLUMN(arena, dim, contact, rows, surfaces) : NULL;
    int32_t *features = has_features ? CD_COLUMN(arena, dim, contact, rows, features) : NULL;
    double *applicability = is_judged ? CD_COLUMN(arena, dim, contact, rows, applicability) : NULL;
    double *feasible = is_judged ? CD_COLUMN(arena, dim, contact, rows, feasible) : NULL;
    for (int32_t i = 0; i < rows->count; i++) {
        if (area)
            area[i] = contact[i].area;
        if (surfaces) {
            surfaces[2 * (size_t)i] = contact[i].surface_a;
            surfaces[2 * (size_t)i + 1] = contact[i].surface_b;
        }
        if (features) {
            features[2 * (size_t)i] = contact[i].feature_a;
            features[2 * (size_t)i + 1] = contact[i].feature_b;
        }
        if (is_judged) {
            applicability[i] = contact[i].applicability + 0.0;
            feasible[i] = contact[i].feasible + 0.0;
        }
    }
}

// The columns of separating facets.
static void write_facets(cd_arena *arena, int dim, const cd_narrow_contact3 *contact, cd_contact_rows *rows)
{
    bool has_facets = false, has_sides = false, has_bounds = false;
    for (int32_t i = 0; i < rows->count; i++) {
        has_facets |= contact[i].facet.count > 0;
        has_sides |= contact[i].facet.has_side;
        has_bounds |= contact[i].bound < 0;
    }
    int32_t *facet = has_facets ? CD_COLUMN(arena, dim, contact, rows, facet) : NULL;
    int32_t *side = has_sides ? CD_COLUMN(arena, dim, contact, rows, side) : NULL;
    double *bound = has_bounds ? CD_COLUMN(arena, dim, contact, rows, bound) : NULL;
    for (int32_t i = 0; i < rows->count; i++) {
        const cd_narrow_facet *of = &contact[i].facet;
        if (facet) {
            facet[2 * (size_t)i] = of->count > 0 ? of->code[0] : CD_FEATURE_NONE;
            facet[2 * (size_t)i + 1] = of->count > 1 ? of->code[1] : CD_FEATURE_NONE;
        }
        if (side)
            side[i] = of->has_side ? of->side : CD_ABSENT;
        if (bound)
            bound[i] = contact[i].bound < 0 ? contact[i].bound : NAN;
    }
}

void cd_narrow_write(const cd_narrow_frame_state *frame, const cd_narrow_found *found, cd_contact_rows *out)
{
    *out = (cd_contact_rows){.count = found->count};
    if (found->count == 0)
        return;
    write_required(frame, found, out);
    write_optional(frame->arena, frame->in->dim, found->contact, out);
    write_facets(frame->arena, frame->in->dim, found->contact, out);
}
