// Bodies of elements: boxes against corner positions in long double, order of rows, both dimensions, what is refused.
// SPDX-License-Identifier: MIT
#include "cd_bodies.h"
#include "cd_elements.h"
#include "cd_random.h"
#include "cd_reach.h"
#include "cd_test.h"

static cd_arena arena;

enum { BODIES = 3, PARTS = 4, ELEMENTS = BODIES * PARTS, NODES = 20, CORNERS = 8 };
static const int64_t body_id[BODIES] = {70, 5, 30};
static const int corners_of[CD_ELEMENT_KINDS] = {
    [CD_ELEMENT_TRI3] = 3, [CD_ELEMENT_TET4] = 4, [CD_ELEMENT_QUAD4] = 4, [CD_ELEMENT_HEX8] = 8};

// A frame of random elements over random nodes; what stands in which row is `node_row` and so on, so that a test can
// swap rows.
typedef struct mesh {
    cd_model in;
    cd_refs refs;
    int32_t node_row[NODES], body_row[BODIES], element_row[ELEMENTS];  // of number k
    double position[NODES][3], velocity[NODES][3];                     // by number
    int32_t kind[ELEMENTS], node[ELEMENTS][CORNERS];                   // numbers
    int64_t index;
    double time, step, gravity[3];
} mesh;

static int below(cd_random *random, int count) { return (int)cd_random_between(random, 0, count); }

static void shuffle(cd_random *random, int32_t *row, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = below(random, i + 1);
        int32_t kept = row[i];
        row[i] = row[j];
        row[j] = kept;
    }
}

static void fill_frame(mesh *m, int dim)
{
    cd_diag diag;
    m->in = (cd_model){.dim = dim};
    m->in.head = (cd_head_rows){.count = 1, .gravity = m->gravity};
    m->in.frame = (cd_frame_rows){.count = 1, .index = &m->index, .time = &m->time, .step = &m->step};
    int64_t *id = CD_ARENA_ARRAY(&arena, int64_t, BODIES);
    for (int b = 0; b < BODIES; b++)
        id[m->body_row[b]] = body_id[b];
    m->in.body = (cd_body_rows){.count = BODIES, .id = id};

    cd_node_rows *node = &m->in.node;
    *node = (cd_node_rows){.count = NODES, .id = CD_ARENA_ARRAY(&arena, int64_t, NODES)};
    node->position = CD_ARENA_ARRAY(&arena, double, 3 * NODES);
    node->velocity = CD_ARENA_ARRAY(&arena, double, 3 * NODES);
    for (int n = 0; n < NODES; n++) {
        int32_t row = m->node_row[n];
        node->id[row] = 1000 - 7 * n;
        memcpy(node->position + dim * row, m->position[n], (size_t)dim * sizeof(double));
        memcpy(node->velocity + dim * row, m->velocity[n], (size_t)dim * sizeof(double));
    }
    cd_refs_release(&m->refs);
    memset(&m->refs, 0, sizeof m->refs);
    CD_CHECK(cd_refs_add_ids(&m->refs, CD_REC_node, node->id, NODES, &diag) == CD_OK);

    cd_element_rows *element = &m->in.element;
    *element = (cd_element_rows){.count = ELEMENTS, .id = CD_ARENA_ARRAY(&arena, int64_t, ELEMENTS)};
    element->kind = CD_ARENA_ARRAY(&arena, int32_t, ELEMENTS);
    element->body = CD_ARENA_ARRAY(&arena, int32_t, ELEMENTS);
    element->nodes.offset = CD_ARENA_ARRAY(&arena, int32_t, ELEMENTS + 1);
    element->nodes.i32 = CD_ARENA_ARRAY(&arena, int32_t, ELEMENTS * CORNERS);
    int32_t number[ELEMENTS];
    for (int e = 0; e < ELEMENTS; e++)
        number[m->element_row[e]] = e;
    element->nodes.offset[0] = 0;
    for (int row = 0; row < ELEMENTS; row++) {
        int e = number[row], end = element->nodes.offset[row];
        element->id[row] = 1 + e;
        element->kind[row] = m->kind[e];
        element->body[row] = (int32_t)body_id[e / PARTS];
        for (int c = 0; c < corners_of[m->kind[e]]; c++)
            element->nodes.i32[end++] = 1000 - 7 * m->node[e][c];
        element->nodes.offset[row + 1] = end;
    }
}

static void random_mesh(cd_random *random, int dim, mesh *m)
{
    static const int32_t kinds[2][2] = {{CD_ELEMENT_TRI3, CD_ELEMENT_QUAD4}, {CD_ELEMENT_TET4, CD_ELEMENT_HEX8}};
    memset(m, 0, sizeof *m);
    m->step = below(random, 4) ? cd_random_between(random, 0.001, 1) : 0;
    for (int n = 0; n < NODES; n++)
        for (int k = 0; k < dim; k++) {
            m->position[n][k] = cd_random_between(random, -10, 10);
            m->velocity[n][k] = below(random, 4) ? cd_random_between(random, -5, 5) : 0;
        }
    for (int e = 0; e < ELEMENTS; e++) {
        m->kind[e] = kinds[dim - 2][below(random, 2)];
        for (int c = 0; c < CORNERS; c++)
            m->node[e][c] = below(random, NODES);
    }
    for (int k = 0; k < NODES; k++)
        m->node_row[k] = k;
    for (int k = 0; k < BODIES; k++)
        m->body_row[k] = k;
    for (int k = 0; k < ELEMENTS; k++)
        m->element_row[k] = k;
    fill_frame(m, dim);
}

static cd_status place(mesh *m, cd_elements *elements, cd_placed_elements *placed, cd_diag *diag)
{
    CD_TRY(cd_elements_make(&arena, &m->in, elements, diag));
    return cd_elements_place(&arena, &m->in, elements, &m->refs, placed, diag);
}

// Boxes of body number b, [part][min, max][axis].
static void boxes_of(mesh *m, int b, bool start_only, double grow, double box[PARTS][2][3])
{
    cd_elements elements;
    cd_placed_elements placed;
    cd_diag diag;
    double min[PARTS * 3], max[PARTS * 3];
    CD_CHECK(place(m, &elements, &placed, &diag) == CD_OK);
    CD_CHECK(cd_elements_of_body(&placed, m->body_row[b]) == PARTS);
    cd_elements_bounds(&placed, m->body_row[b], start_only, grow, min, max);
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < m->in.dim; k++) {
            box[part][0][k] = min[m->in.dim * part + k];
            box[part][1][k] = max[m->in.dim * part + k];
        }
}

// All points of the element at all times of the step lie in the box; each face touches a corner of the start or the
// end.
CD_TEST(boxes_hold_their_element_over_the_step_and_are_tight)
{
    cd_random random = {11};
    for (int round = 0; round < 400; round++) {
        int dim = 2 + round % 2;
        mesh m;
        random_mesh(&random, dim, &m);
        double grow = below(&random, 2) ? cd_random_between(&random, 0, 1) : 0;
        bool start_only = below(&random, 3) == 0;
        for (int b = 0; b < BODIES; b++) {
            double box[PARTS][2][3];
            boxes_of(&m, b, start_only, grow, box);
            for (int e = b * PARTS; e < (b + 1) * PARTS; e++)
                for (int k = 0; k < dim; k++) {
                    long double low = INFINITY, high = -INFINITY, h = start_only ? 0 : m.step;
                    for (int c = 0; c < corners_of[m.kind[e]]; c++)
                        for (int t = 0; t <= 4; t++) {
                            int n = m.node[e][c];
                            long double x = m.position[n][k] + h * t / 4 * m.velocity[n][k];
                            low = fminl(low, x);
                            high = fmaxl(high, x);
                        }
                    double min = box[e % PARTS][0][k], max = box[e % PARTS][1][k];
                    CD_CHECK(min <= low - grow && max >= high + grow);
                    CD_CHECK(min >= low - grow - 2e-14L && max <= high + grow + 2e-14L);
                }
        }
        cd_refs_release(&m.refs);
        cd_arena_reset(&arena);
    }
}

// Elements with pinballs: the box holds every child's ball at all times of the step, and is no larger.
CD_TEST(boxes_hold_pinballs_over_the_step_and_are_tight)
{
    cd_random random = {21};
    for (int round = 0; round < 200; round++) {
        int dim = 2 + round % 2;
        mesh m;
        double radius[ELEMENTS];
        int32_t split[ELEMENTS], motion[NODES];
        random_mesh(&random, dim, &m);
        for (int e = 0; e < ELEMENTS; e++) {
            radius[e] = below(&random, 5) ? cd_random_between(&random, 0.1, 3) : NAN;
            split[e] = below(&random, 3);
        }
        for (int n = 0; n < NODES; n++)
            motion[n] = below(&random, 3);
        m.in.element.radius = radius;
        m.in.element.split = split;
        m.in.node.motion = motion;
        for (int b = 0; b < BODIES; b++) {
            double box[PARTS][2][3];
            boxes_of(&m, b, false, 0, box);
            for (int e = b * PARTS; e < (b + 1) * PARTS; e++)
                for (int k = 0; k < dim && !isnan(radius[e]); k++) {
                    long double low = INFINITY, high = -INFINITY, own = ldexp(radius[e], -split[e]);
                    for (int child = 0; child < cd_pinball_count((cd_element_kind)m.kind[e], split[e]); child++) {
                        double weight[8];
                        cd_pinball_weights((cd_element_kind)m.kind[e], split[e], child, weight);
                        for (int t = 0; t <= 4; t++) {
                            long double x = 0;
                            for (int c = 0; c < corners_of[m.kind[e]]; c++) {
                                int n = m.node[e][c];
                                bool moves = motion[n] != CD_MOTION_FIXED;
                                x += weight[c] * (m.position[n][k] + (moves ? m.step * t / 4 * m.velocity[n][k] : 0));
                            }
                            low = fminl(low, x - own);
                            high = fmaxl(high, x + own);
                        }
                    }
                    double min = box[e % PARTS][0][k], max = box[e % PARTS][1][k];
                    CD_CHECK(min <= low && max >= high && min >= low - 1e-12L && max <= high + 1e-12L);
                }
        }
        cd_refs_release(&m.refs);
        cd_arena_reset(&arena);
    }
}

CD_TEST(boxes_do_not_depend_on_the_order_of_rows)
{
    cd_random random = {12};
    for (int round = 0; round < 100; round++) {
        int dim = 2 + round % 2;
        mesh m;
        random_mesh(&random, dim, &m);
        double box[BODIES][PARTS][2][3], again[PARTS][2][3];
        memset(box, 0, sizeof box);
        memset(again, 0, sizeof again);
        for (int b = 0; b < BODIES; b++)
            boxes_of(&m, b, false, 0.1, box[b]);
        shuffle(&random, m.node_row, NODES);
        shuffle(&random, m.body_row, BODIES);
        for (int e = 0; e < ELEMENTS; e++)  // bodies interleaved; within a body the order is that of its parts
            m.element_row[e] = e % PARTS * BODIES + e / PARTS;
        fill_frame(&m, dim);
        for (int b = 0; b < BODIES; b++) {
            boxes_of(&m, b, false, 0.1, again);
            CD_CHECK(!memcmp(again, box[b], sizeof again));
        }
        cd_refs_release(&m.refs);
        cd_arena_reset(&arena);
    }
}

CD_TEST(nodes_of_a_fixed_body_stay_and_overflow_covers_the_axis)
{
    cd_random random = {13};
    for (int dim = 2; dim <= 3; dim++) {
        mesh m;
        random_mesh(&random, dim, &m);
        m.step = 0.5;
        double start[PARTS][2][3], box[PARTS][2][3];
        memset(start, 0, sizeof start);
        memset(box, 0, sizeof box);
        boxes_of(&m, 0, true, 0, start);
        boxes_of(&m, 0, false, 0, box);
        CD_CHECK(memcmp(start, box, sizeof box));
        int32_t motion[BODIES] = {CD_MOTION_FIXED, CD_MOTION_DYNAMIC, CD_MOTION_PRESCRIBED};
        m.in.body.motion = motion;
        boxes_of(&m, 0, false, 0, box);
        CD_CHECK(!memcmp(start, box, sizeof box));
        m.in.body.motion = NULL;
        m.step = 1e300;
        m.in.node.velocity[dim * m.node[0][0]] = 1e300;
        boxes_of(&m, 0, false, 0, box);
        CD_CHECK(box[0][1][0] == INFINITY && box[0][0][0] < INFINITY);
        cd_refs_release(&m.refs);
    }
    cd_arena_reset(&arena);
}

CD_TEST(bodies_with_a_shape_or_before_their_release_do_not_take_elements)
{
    cd_random random = {14};
    mesh m;
    random_mesh(&random, 2, &m);
    cd_elements elements;
    cd_placed_elements placed;
    cd_diag diag;
    int32_t shape[BODIES] = {0, -1, -1}, first[2] = {0, 3}, count;
    double release[BODIES] = {0, 9, 0}, position[2 * BODIES] = {0};
    m.in.body.shape = shape;
    m.in.body.release = release;
    m.in.body.position = position;
    CD_CHECK(place(&m, &elements, &placed, &diag) == CD_OK);
    CD_CHECK(cd_elements_of_body(&placed, 0) == 0 && cd_elements_of_body(&placed, 1) == 0);
    CD_CHECK(cd_elements_of_body(&placed, 2) == PARTS);
    cd_leaves leaves = {.dim = 2, .first = first};
    CD_CHECK(cd_parts_count(&placed, &leaves, &count, &diag) == CD_OK && count == 3 + PARTS);
    // their nodes may be missing; those of body 30 may not
    m.in.element.nodes.i32[m.in.element.nodes.offset[0]] = 4711;
    CD_CHECK(place(&m, &elements, &placed, &diag) == CD_OK);
    m.in.element.nodes.i32[m.in.element.nodes.offset[2 * PARTS + 1]] = 4712;
    CD_CHECK(place(&m, &elements, &placed, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "element 10: nodes: there is no node 4712");
    // and a body without either is told so
    for (int e = 2 * PARTS; e < ELEMENTS; e++)
        m.in.element.body[e] = 99;
    CD_CHECK(place(&m, &elements, &placed, &diag) == CD_OK && cd_elements_of_body(&placed, 2) == 0);
    CD_CHECK(cd_parts_count(&placed, &leaves, &count, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "body 30: shape: required of a body that takes part");
    cd_refs_release(&m.refs);
    cd_arena_reset(&arena);
}

CD_TEST(elements_that_cannot_be_are_refused)
{
    cd_random random = {15};
    cd_elements elements;
    cd_diag diag;
    mesh m;
    for (int dim = 2; dim <= 3; dim++) {
        random_mesh(&random, dim, &m);
        m.in.dim = 5 - dim;
        CD_CHECK(cd_elements_make(&arena, &m.in, &elements, &diag) == CD_ERR_FORMAT);
        char want[80];
        snprintf(want, sizeof want, "element 1: kind: %s is not an element of %s", cd_words_ELEMENT[m.kind[0]],
                 dim == 2 ? "space" : "the plane");
        CD_CHECK_TEXT(diag.text, want);
        cd_refs_release(&m.refs);
    }
    random_mesh(&random, 2, &m);
    m.kind[3] = CD_ELEMENT_QUAD4;
    fill_frame(&m, 2);
    m.in.element.kind[3] = CD_ELEMENT_TRI3;
    CD_CHECK(cd_elements_make(&arena, &m.in, &elements, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "element 4: nodes: 4 of them, tri3 has 3");
    m.in.element.kind[3] = CD_ELEMENT_QUAD4;
    int32_t split[ELEMENTS] = {0, 5}, offset[ELEMENTS + 1] = {0};
    m.in.element.split = split;
    CD_CHECK(cd_elements_make(&arena, &m.in, &elements, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "element 2: split: 5 is more than 4");
    split[1] = 4;
    double flat[8] = {0, 0, 1, 0, 2, 0, 3, 0};
    for (int e = 4; e <= ELEMENTS; e++)
        offset[e] = 4;
    m.in.element.reference = (cd_list){.offset = offset, .f64 = flat};
    CD_CHECK(cd_elements_make(&arena, &m.in, &elements, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "element 4: reference: its volume is 0");
    for (int e = 4; e <= ELEMENTS; e++)
        offset[e] = 3;
    CD_CHECK(cd_elements_make(&arena, &m.in, &elements, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "element 4: reference: 3 places for 4 nodes");
    cd_refs_release(&m.refs);
    cd_arena_reset(&arena);
}

// Automatic reach: the fastest node of a body, gravity where it is dynamic.
CD_TEST(reach_goes_by_the_fastest_node)
{
    cd_random random = {16};
    mesh m;
    random_mesh(&random, 2, &m);
    m.step = 0.1;
    m.gravity[1] = -10;
    int32_t motion[BODIES] = {CD_MOTION_DYNAMIC, CD_MOTION_PRESCRIBED, CD_MOTION_FIXED}, first[1] = {0};
    double length = 2;
    m.in.body.motion = motion;
    m.in.head.length = &length;
    cd_elements elements;
    cd_placed_elements placed;
    cd_diag diag;
    cd_leaves leaves = {.dim = 2, .first = first};
    CD_CHECK(place(&m, &elements, &placed, &diag) == CD_OK);
    for (int asked = 0; asked < 2; asked++) {
        cd_reach reach = cd_reach_make(&arena, &m.in, &leaves, asked ? 0.5 : NAN);
        cd_reach_take_elements(&reach, &placed);
        for (int b = 0; b < BODIES; b++) {
            double fastest = 0;
            for (int e = b * PARTS; e < (b + 1) * PARTS; e++)
                for (int c = 0; c < corners_of[m.kind[e]]; c++)
                    fastest = fmax(fastest, hypot(m.velocity[m.node[e][c]][0], m.velocity[m.node[e][c]][1]));
            double speed[BODIES] = {fastest + 1, fastest, 0};
            CD_CHECK_NEAR(cd_reach_share(&reach, b), asked ? 0.25 : 0.005 + 1.5 * 0.1 * speed[b], 1e-15);
        }
    }
    cd_refs_release(&m.refs);
    cd_arena_reset(&arena);
}

// Stages that know of no elements end there, and say why.
CD_TEST(checks_of_other_stages_refuse_bodies_of_elements)
{
    cd_random random = {17};
    mesh m;
    random_mesh(&random, 3, &m);
    cd_diag diag;
    double position[3 * BODIES] = {0};
    const char *want = "body 70: its parts are elements, for which this stage has no routine";
    CD_CHECK(cd_bodies_need_positions(&m.in, &diag) == CD_ERR_UNSUPPORTED);
    CD_CHECK_TEXT(diag.text, want);
    m.in.body.position = position;
    CD_CHECK(cd_body_need_shape(&m.in, 0, &diag) == CD_ERR_UNSUPPORTED);
    CD_CHECK_TEXT(diag.text, want);
    CD_CHECK(cd_bodies_check(&m.in, false, &diag) == CD_ERR_UNSUPPORTED);
    CD_CHECK_TEXT(diag.text, want);
    int32_t fixed[BODIES] = {CD_MOTION_FIXED, CD_MOTION_FIXED, CD_MOTION_FIXED};
    m.in.body.motion = fixed;
    CD_CHECK(cd_bodies_check(&m.in, false, &diag) == CD_OK);
    CD_CHECK(cd_bodies_check(&m.in, true, &diag) == CD_ERR_UNSUPPORTED);
    m.in.element.count = 0;
    CD_CHECK(cd_bodies_check(&m.in, true, &diag) == CD_ERR_FORMAT);
    cd_refs_release(&m.refs);
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(boxes_hold_their_element_over_the_step_and_are_tight);
    CD_RUN(boxes_hold_pinballs_over_the_step_and_are_tight);
    CD_RUN(boxes_do_not_depend_on_the_order_of_rows);
    CD_RUN(nodes_of_a_fixed_body_stay_and_overflow_covers_the_axis);
    CD_RUN(bodies_with_a_shape_or_before_their_release_do_not_take_elements);
    CD_RUN(elements_that_cannot_be_are_refused);
    CD_RUN(reach_goes_by_the_fastest_node);
    CD_RUN(checks_of_other_stages_refuse_bodies_of_elements);
    cd_arena_release(&arena);
    return cd_test_done();
}
