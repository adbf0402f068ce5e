// SPDX-License-Identifier: MIT
#include "narrow_pinball.h"

#include <inttypes.h>

const char *const cd_narrow_pinball_normals[] = {"centre", "surface", NULL};

// [1] of the area of the faces at a node: less is rounding of inner faces, which cancel.
static const double least_area = 1e-9;
// [1] of two unit normals: less than this of their difference has no direction.
static const double least_mean = 1e-9;

// ---- normals of surfaces -------------------------------------------------------------------------------------------

// Corners of the faces of each kind, outward by their order; in the plane edges, with the outside on the right.
typedef struct face_list {
    int count, corners;
    int corner[6][4];
} face_list;

static const face_list faces[CD_ELEMENT_KINDS] = {
    [CD_ELEMENT_TRI3] = {3, 2, {{0, 1}, {1, 2}, {2, 0}}},
    [CD_ELEMENT_QUAD4] = {4, 2, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [CD_ELEMENT_TET4] = {4, 3, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}},
    [CD_ELEMENT_HEX8] = {6, 4, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
};

static cd_vec3 area_of(const cd_vec3 *x, const int *corner, int corners)
{
    cd_vec3 along = cd_sub3(x[corner[1]], x[corner[0]]);
    if (corners == 2)
        return (cd_vec3){along.y, -along.x, 0};
    cd_vec3 one = corners == 3 ? along : cd_sub3(x[corner[2]], x[corner[0]]);
    cd_vec3 other = cd_sub3(x[corner[corners - 1]], x[corner[corners == 3 ? 0 : 1]]);
    return cd_scale3(0.5, cd_cross3(one, other));
}

static void add_faces(const cd_model *in, int32_t row, cd_corners corners, cd_vec3 *normal, double *area)
{
    const face_list *list = &faces[in->element.kind[row]];
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    for (int i = 0; i < corners.count; i++)
        x[i] = cd_node_vector(in->node.position, in->dim, corners.node[i]);
    for (int f = 0; f < list->count; f++) {
        cd_vec3 part = cd_scale3(1.0 / list->corners, area_of(x, list->corner[f], list->corners));
        for (int k = 0; k < list->corners; k++) {
            int32_t node = corners.node[list->corner[f][k]];
            normal[node] = cd_add3(normal[node], part);
            area[node] += cd_length3(part);
        }
    }
}

static const cd_vec3 *make_normals(const cd_narrow_pinballs *pinballs)
{
    const cd_model *in = pinballs->frame->in;
    cd_vec3 *normal = CD_ARENA_ZARRAY(pinballs->frame->arena, cd_vec3, in->node.count);
    double *area = CD_ARENA_ZARRAY(pinballs->frame->arena, double, in->node.count);
    for (int32_t body = 0; body < in->body.count; body++) {
        int32_t parts = cd_elements_of_body(&pinballs->placed, body);
        for (int32_t part = 0; part < parts; part++)
            add_faces(in, cd_element_row(&pinballs->placed, body, part),
                      cd_element_corners(&pinballs->placed, body, part), normal, area);
    }
    for (int32_t i = 0; i < in->node.count; i++)
        if (cd_length3(normal[i]) <= least_area * area[i])
            normal[i] = (cd_vec3){0, 0, 0};
    return normal;
}

// Unit, outward; 0 where the ball is in the inside of its body, or is no element's.
static cd_vec3 surface_normal(const cd_narrow_pinballs *pinballs, const cd_pinball *ball)
{
    cd_vec3 sum = {0, 0, 0};
    for (int i = 0; i < ball->nodes; i++)
        sum = cd_add3(sum, cd_scale3(ball->weight[i], pinballs->normal[ball->node[i]]));
    return cd_unit3(sum);
}

// ---- the frame -----------------------------------------------------------------------------------------------------

static cd_status check_side(const cd_narrow_pinballs *pinballs, const cd_narrow_site_pair *pair, int side)
{
    const cd_model *in = pinballs->frame->in;
    const int32_t body = side ? pair->row_b : pair->row_a, part = side ? pair->part_b : pair->part_a;
    const int32_t other = side ? pair->row_a : pair->row_b, other_part = side ? pair->part_a : pair->part_b;
    if (cd_elements_of_body(&pinballs->placed, body) == 0)
        return CD_OK;
    int64_t id = in->element.id[cd_element_row(&pinballs->placed, body, part)];
    if (cd_pinballs_of_part(&pinballs->balls, body, part) == 0)
        return cd_fail(pinballs->frame->diag, CD_ERR_FORMAT, "element %" PRId64 ": radius: its contacts need it", id);
    if (cd_pinballs_of_part(&pinballs->balls, other, other_part) > 0 ||
        cd_elements_of_body(&pinballs->placed, other) > 0)
        return CD_OK;
    return cd_fail(pinballs->frame->diag, CD_ERR_UNSUPPORTED,
                   "pair: body %" PRId64 " is of elements, which meet pinballs alone: body %" PRId64
                   " is none (a sphere with a material is one)",
                   in->body.id[body], in->body.id[other]);
}

cd_status cd_narrow_pinballs_make(const cd_narrow_frame_state *frame, cd_narrow_pinballs *pinballs)
{
    pinballs->frame = frame;
    pinballs->balls = (cd_placed_pinballs){frame->pinballs_of_run, &pinballs->placed};
    for (int32_t i = 0; i < frame->pair_count; i++)
        for (int side = 0; side < 2; side++)
            CD_TRY(check_side(pinballs, &frame->pair[i], side));
    bool has_normals = !strcmp(frame->options->pinball_normal, "surface") && frame->in->node.count > 0;
    pinballs->normal = has_normals ? make_normals(pinballs) : NULL;
    return CD_OK;
}

bool cd_narrow_is_of_pinballs(const cd_narrow_pinballs *pinballs, const cd_narrow_site_pair *pair)
{
    return pinballs && cd_pinballs_of_part(&pinballs->balls, pair->row_a, pair->part_a) > 0 &&
           cd_pinballs_of_part(&pinballs->balls, pair->row_b, pair->part_b) > 0;
}

// ---- a pair --------------------------------------------------------------------------------------------------------

typedef struct ball_side {
    int32_t count;
    cd_pinball *ball;  // of each that is still asked
    int32_t *number;   // its child
    cd_vec3 centre;    // of the ball about all
    double radius;     // [m]
} ball_side;

static ball_side side_of(const cd_narrow_pinballs *pinballs, int32_t body, int32_t part, cd_arena *scratch)
{
    ball_side side = {.count = cd_pinballs_of_part(&pinballs->balls, body, part)};
    side.ball = CD_ARENA_ARRAY(scratch, cd_pinball, side.count);
    side.number = CD_ARENA_ARRAY(scratch, int32_t, side.count);
    for (int32_t k = 0; k < side.count; k++) {
        side.ball[k] = cd_pinball_of(&pinballs->balls, body, part, k);
        side.number[k] = k;
        side.centre = cd_add3(side.centre, cd_scale3(1.0 / side.count, side.ball[k].centre));
    }
    for (int32_t k = 0; k < side.count; k++)
        side.radius = fmax(side.radius, cd_length3(cd_sub3(side.ball[k].centre, side.centre)) + side.ball[k].radius);
    return side;
}

static double gap_of(cd_vec3 centre_a, double radius_a, cd_vec3 centre_b, double radius_b)
{
    return cd_length3(cd_sub3(centre_b, centre_a)) - (radius_a + radius_b);
}

// Leaves those that meet the ball about all of the other side; twice the rounding of both is given away.
static void keep_near(ball_side *side, const ball_side *other)
{
    static const double slack = 1e-12;
    int32_t kept = 0;
    for (int32_t k = 0; k < side->count; k++) {
        const cd_pinball *ball = &side->ball[k];
        double size = side->radius + other->radius;
        if (gap_of(ball->centre, ball->radius, other->centre, other->radius) > slack * size)
            continue;
        side->ball[kept] = *ball;
        side->number[kept++] = side->number[k];
    }
    side->count = kept;
}

static cd_vec3 normal_of(const cd_narrow_pinballs *pinballs, const cd_pinball *a, const cd_pinball *b, cd_vec3 line)
{
    if (!pinballs->normal)
        return line;
    cd_vec3 mean = cd_sub3(surface_normal(pinballs, a), surface_normal(pinballs, b));
    if (!(cd_length3(mean) > least_mean))
        return line;
    return cd_unit3(cd_dot3(mean, line) < 0 ? cd_negate3(mean) : mean);
}

static cd_contact contact_of(const cd_narrow_pinballs *pinballs, const cd_pinball *a, const cd_pinball *b)
{
    cd_contact contact = cd_contact_none();
    cd_vec3 between = cd_sub3(b->centre, a->centre);
    double apart = cd_length3(between);
    // Balls about one centre: any normal would do.
    cd_vec3 line = apart > 0 ? cd_scale3(1 / apart, between) : (cd_vec3){1, 0, 0};
    contact.kind = CD_CONTACT_PINBALL;
    contact.gap = gap_of(a->centre, a->radius, b->centre, b->radius);
    contact.normal = normal_of(pinballs, a, b, line);
    contact.point_a = cd_add3(a->centre, cd_scale3(a->radius, line));
    contact.point_b = cd_sub3(b->centre, cd_scale3(b->radius, line));
    contact.point = cd_lerp3(contact.point_a, contact.point_b, 0.5);
    contact.status = apart > 0 ? cd_contact_status_of(contact.gap, pinballs->frame->epsilon) : CD_STATUS_DEGENERATE;
    return contact;
}

void cd_narrow_find_pinballs(const cd_narrow_pinballs *pinballs, const cd_narrow_site_pair *pair, cd_arena *scratch,
                             cd_arena *arena, cd_contacts *contacts)
{
    ball_side a = side_of(pinballs, pair->row_a, pair->part_a, scratch);
    ball_side b = side_of(pinballs, pair->row_b, pair->part_b, scratch);
    bool is_split = a.count > 1 || b.count > 1;
    if (is_split) {
        keep_near(&a, &b);
        keep_near(&b, &a);
    }
    for (int32_t i = 0; i < a.count; i++)
        for (int32_t k = 0; k < b.count; k++) {
            const cd_pinball *p = &a.ball[i], *q = &b.ball[k];
            if (!(gap_of(p->centre, p->radius, q->centre, q->radius) < 0))
                continue;
            cd_contact contact = contact_of(pinballs, p, q);
            if (is_split) {
                contact.feature_a = cd_feature(CD_FEATURE_PINBALL, a.number[i]);
                contact.feature_b = cd_feature(CD_FEATURE_PINBALL, b.number[k]);
            }
            cd_list_push(arena, contacts, contact);
        }
}
