// Pinballs and elastic elements of a frame: places, radii and weights; forces that keep momenta; frequencies by shares
// of mass; threads.
// SPDX-License-Identifier: MIT
#include "cd_pinballs.h"
#include "cd_random.h"
#include "cd_solids.h"
#include "cd_test.h"

#include <stdlib.h>

// A strip of squares cut in two, as body 1: SQUARES + 1 nodes below, as many above.
enum { SQUARES = 900, NODES = 2 * (SQUARES + 1), ELEMENTS = 2 * SQUARES };

typedef struct strip {
    int64_t index;
    double time;
    int64_t body_id, material_id, element_id[ELEMENTS], node_id[NODES];
    int32_t kind[ELEMENTS], material[ELEMENTS], body[ELEMENTS], split[ELEMENTS], node[3 * ELEMENTS];
    int32_t offset[ELEMENTS + 1], motion;
    double reference[6 * ELEMENTS], radius[ELEMENTS], position[2 * NODES], mass[NODES], density, bulk, shear;
    cd_model in;
    cd_refs refs;
    cd_arena arena;
    cd_elements elements;
    cd_leaves shapes;
    cd_placed_elements placed;
} strip;

static void put_element(strip *s, int32_t e, const int32_t corner[3])
{
    s->element_id[e] = 500 + e;
    s->kind[e] = CD_ELEMENT_TRI3;
    s->body[e] = 1;
    s->radius[e] = 0.4;
    s->split[e] = e % 3;
    for (int k = 0; k < 3; k++) {
        s->node[3 * e + k] = (int32_t)s->node_id[corner[k]];
        memcpy(s->reference + 6 * e + 2 * k, s->position + 2 * corner[k], 2 * sizeof(double));
        s->mass[corner[k]] += s->density * 0.5 / 3;
    }
    s->offset[e + 1] = 3 * (e + 1);
}

static strip *strip_make(void)
{
    strip *s = calloc(1, sizeof *s);
    s->density = 3;
    s->bulk = 50;
    s->shear = 20;
    s->body_id = s->material_id = 1;
    for (int32_t i = 0; i < NODES; i++) {
        s->node_id[i] = 9000 - i;
        s->position[2 * i] = i % (SQUARES + 1);
        s->position[2 * i + 1] = i > SQUARES;
    }
    for (int32_t i = 0; i < SQUARES; i++) {
        put_element(s, 2 * i, (int32_t[]){i, i + 1, i + 2 + SQUARES});
        put_element(s, 2 * i + 1, (int32_t[]){i, i + 2 + SQUARES, i + 1 + SQUARES});
    }
    cd_model *in = &s->in;
    in->dim = 2;
    in->frame = (cd_frame_rows){.count = 1, .index = &s->index, .time = &s->time};
    in->material = (cd_material_rows){
        .count = 1, .id = &s->material_id, .density = &s->density, .bulk = &s->bulk, .shear = &s->shear};
    in->element = (cd_element_rows){.count = ELEMENTS,
                                    .id = s->element_id,
                                    .kind = s->kind,
                                    .nodes = {s->offset, {.i32 = s->node}},
                                    .reference = {s->offset, {.f64 = s->reference}},
                                    .material = s->material,
                                    .body = s->body,
                                    .radius = s->radius,
                                    .split = s->split};
    in->body = (cd_body_rows){.count = 1, .id = &s->body_id, .motion = &s->motion};
    in->node = (cd_node_rows){.count = NODES, .id = s->node_id, .position = s->position, .mass = s->mass};
    cd_diag diag = {""};
    CD_CHECK(cd_refs_add_table(&s->refs, CD_REC_node, (const cd_rows *)&in->node, &diag) == CD_OK);
    CD_CHECK(cd_elements_make(&s->arena, in, &s->elements, &diag) == CD_OK);
    CD_CHECK(cd_elements_place(&s->arena, in, &s->elements, &s->refs, &s->placed, &diag) == CD_OK);
    return s;
}

static void strip_free(strip *s)
{
    cd_refs_release(&s->refs);
    cd_arena_release(&s->arena);
    free(s);
}

static void shake(strip *s, double by)
{
    cd_random random = {7};
    for (int32_t i = 0; i < 2 * NODES; i++)
        s->position[i] += by * (cd_random_unit(&random) - 0.5);
}

CD_TEST(pinballs_stand_where_their_weights_say)
{
    strip *s = strip_make();
    cd_pinballs pinballs;
    cd_diag diag = {""};
    shake(s, 0.1);
    CD_CHECK(cd_pinballs_make(&s->arena, &s->in, &s->elements, &s->shapes, &pinballs, &diag) == CD_OK);
    cd_placed_pinballs balls = {&pinballs, &s->placed};
    for (int32_t part = 0; part < 30; part++) {
        int32_t count = cd_pinballs_of_part(&balls, 0, part);
        CD_CHECK(count == 1 << (2 * (part % 3)));
        // The children's balls have the area of their parent's; their centres' mean is its centre.
        cd_vec3 mean = {0, 0, 0}, centre = {0, 0, 0};
        double area = 0;
        for (int32_t child = 0; child < count; child++) {
            cd_pinball ball = cd_pinball_of(&balls, 0, part, child);
            CD_CHECK(ball.nodes == 3);
            mean = cd_add3(mean, cd_scale3(1.0 / count, ball.centre));
            area += ball.radius * ball.radius;
        }
        for (int k = 0; k < 3; k++)
            centre = cd_add3(centre, cd_scale3(1.0 / 3, cd_node_vector(s->position, 2, 9000 - s->node[3 * part + k])));
        CD_CHECK_NEAR(cd_length3(cd_sub3(mean, centre)), 0, 1e-13);
        CD_CHECK_NEAR(area, 0.16, 1e-15);
        CD_CHECK(cd_part_material(&s->placed, 0, part) == 0);
    }
    s->split[4] = 5;
    CD_CHECK(cd_pinballs_make(&s->arena, &s->in, &s->elements, &s->shapes, &pinballs, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "element 504: split: 5 is not one of 0 to 4");
    strip_free(s);
}

CD_TEST(elements_push_their_nodes_without_a_resultant_on_any_threads)
{
    strip *s = strip_make();
    cd_solids solids;
    cd_placed_solids placed;
    cd_diag diag = {""};
    cd_solids_make(&s->arena, &s->in, &s->elements, &solids);
    shake(s, 0.1);
    cd_vec3 *force[2];
    double energy[2];
    for (int t = 0; t < 2; t++) {
        force[t] = CD_ARENA_ZARRAY(&s->arena, cd_vec3, NODES);
        CD_CHECK(cd_solids_place(&s->arena, &solids, &s->placed, t + 1, &placed, &diag) == CD_OK);
        CD_CHECK(placed.count == ELEMENTS && placed.threads == t + 1);
        energy[t] = cd_solids_force(&s->arena, &placed, force[t]);
    }
    CD_CHECK(energy[0] > 1 && energy[0] == energy[1] && !memcmp(force[0], force[1], NODES * sizeof **force));
    cd_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    for (int32_t i = 0; i < NODES; i++) {
        sum = cd_add3(sum, force[0][i]);
        moment = cd_add3(moment, cd_cross3(cd_node_vector(s->position, 2, i), force[0][i]));
    }
    CD_CHECK_NEAR(cd_length3(sum), 0, 1e-11);
    CD_CHECK_NEAR(moment.z, 0, 1e-8);
    s->motion = CD_MOTION_FIXED;
    CD_CHECK(cd_solids_place(&s->arena, &solids, &s->placed, 1, &placed, &diag) == CD_OK && placed.count == 0);
    strip_free(s);
}

// Masses times 4 halve the frequencies, whatever part of them an element has; a held node takes no part.
CD_TEST(frequencies_go_with_the_masses_of_nodes)
{
    strip *s = strip_make();
    cd_solids solids;
    cd_placed_solids placed;
    cd_diag diag = {""};
    double light, heavy, held;
    int32_t element;
    cd_solids_make(&s->arena, &s->in, &s->elements, &solids);
    CD_CHECK(cd_solids_place(&s->arena, &solids, &s->placed, 2, &placed, &diag) == CD_OK);
    CD_CHECK(cd_solids_frequency_sq(&s->arena, &placed, &light, &element, &diag) == CD_OK && element >= 0);
    // By hand: all elements are alike and have a third of their mass at each node.
    cd_vec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    double third[3] = {0.5, 0.5, 0.5}, lambda = 50 - 20 * 2.0 / 3;
    CD_CHECK_NEAR(light / cd_element_frequency_sq(CD_ELEMENT_TRI3, x, x, lambda, 20, CD_SYMMETRY_PLANE, third), 1,
                  1e-12);
    for (int32_t i = 0; i < NODES; i++)
        s->mass[i] *= 4;
    CD_CHECK(cd_solids_frequency_sq(&s->arena, &placed, &heavy, &element, &diag) == CD_OK);
    CD_CHECK_NEAR(heavy, light / 4, 1e-12 * light);
    int32_t motion[NODES];
    for (int32_t i = 0; i < NODES; i++)
        motion[i] = i == 0 ? CD_MOTION_DYNAMIC : CD_MOTION_FIXED;
    s->in.node.motion = motion;
    CD_CHECK(cd_solids_frequency_sq(&s->arena, &placed, &held, &element, &diag) == CD_OK);
    CD_CHECK(held > 0 && held < heavy && element <= 1);
    s->mass[0] = NAN;
    CD_CHECK(cd_solids_frequency_sq(&s->arena, &placed, &held, &element, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "node 9000: mass: required of a dynamic node");
    strip_free(s);
}

int main(void)
{
    CD_RUN(pinballs_stand_where_their_weights_say);
    CD_RUN(elements_push_their_nodes_without_a_resultant_on_any_threads);
    CD_RUN(frequencies_go_with_the_masses_of_nodes);
    return cd_test_done();
}
