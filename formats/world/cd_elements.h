// cd_elements -- bodies that deform: made of nodes, which move, and elements, which span them.
//
// A record `element` of the head names its body and its nodes by user ids; both are tables of the frame, so the ids are
// looked up in each frame anew. A body takes its parts from its elements when it has no shape: part p is its element
// number p, in the order of the rows of `element`. Elements of a body that has a shape, that takes no part, or that the
// frame does not have are not looked at.
//
//   tri3, quad4   in the plane, 3 and 4 corners
//   tet4, hex8    in space, 4 and 8 corners
//
// An element lies within the hull of its corners. Each node moves on a straight line, x + t v, so over a step of length
// h the element lies within the hull of its corners at the start and of the predicted ones, x + h v. Fixed nodes and
// those of a fixed body stay. An element that carries a pinball is where its ball is, or the balls of its children:
// about weighted means of its corners. What forces do to a node within the step is not known here: gravity is in the
// reach (cd_reach.h).
// SPDX-License-Identifier: MIT
#ifndef CD_ELEMENTS_H
#define CD_ELEMENTS_H

#include "cd_element.h"
#include "cd_leaves.h"

typedef double cd_pinball_weight[CD_ELEMENT_MAX_NODES];  // of each node of an element

// The elements by body, of run lifetime. Element k of this order is row row[k] of `element`.
typedef struct cd_elements {
    const cd_element_rows *rows;
    int32_t body_count;
    const int32_t *body_id;  // user ids of the bodies that elements name, ascending
    const int32_t *first;    // [body_count + 1]: the elements of body_id[i] are first[i] .. first[i + 1] - 1
    const int32_t *row;      // of one body: ascending
    // Pinballs. [m] by row of `element`: radius of the largest child; NaN: it carries none
    const double *ball;
    // By kind and split: of each child. NULL where no element has these.
    const cd_pinball_weight *weight[CD_ELEMENT_KINDS][CD_PINBALL_MAX_SPLIT + 1];
} cd_elements;

// Head tables only: call it once a run. CD_ERR_FORMAT "element 5: kind: tet4 is not an element of the plane", for a
// wrong number of nodes or places of the reference, a reference without volume, a split above CD_PINBALL_MAX_SPLIT.
// @owns arena
cd_status cd_elements_make(cd_arena *arena, const cd_model *in, cd_elements *elements, cd_diag *diag) CD_MUST_CHECK;

// The elements of a frame's bodies.
typedef struct cd_placed_elements {
    const cd_model *in;
    const cd_elements *elements;
    // by row of `body`: its index in body_id, -1 where its parts are not elements; NULL: no body's
    const int32_t *place;
    const int32_t *node;  // by number in the lists of element.nodes: row of `node`, where the element is looked at
} cd_placed_elements;

// refs: of the reader. CD_ERR_FORMAT "element 5: nodes: there is no node 9". @owns arena
cd_status cd_elements_place(cd_arena *arena, const cd_model *in, const cd_elements *elements, const cd_refs *refs,
                            cd_placed_elements *placed, cd_diag *diag) CD_MUST_CHECK;

// How many parts of the body are elements; 0: its parts are leaves of its shape.
static inline int32_t cd_elements_of_body(const cd_placed_elements *placed, int32_t body)
{
    int32_t place = placed->place ? placed->place[body] : -1;
    return place < 0 ? 0 : placed->elements->first[place + 1] - placed->elements->first[place];
}

// Rows of `node` of a part's corners, in the order of element.nodes.
typedef struct cd_corners {
    int count;
    const int32_t *node;
} cd_corners;
cd_corners cd_element_corners(const cd_placed_elements *placed, int32_t body, int32_t part);

int32_t cd_element_row(const cd_placed_elements *placed, int32_t body, int32_t part);  // of a body of elements

// What a row of a column of positions or velocities is; z of the plane is 0.
static inline cd_vec3 cd_node_vector(const double *column, int dim, int32_t row)
{
    const double *x = column + (size_t)dim * (size_t)row;
    return (cd_vec3){x[0], x[1], dim == 3 ? x[2] : 0};
}

// Where the nodes of a row of `element` are free of strain: one place for each, x[CD_ELEMENT_MAX_NODES]. False: nobody
// says. The table has passed cd_elements_make.
bool cd_element_reference(const cd_model *in, int32_t row, cd_vec3 *x);
bool cd_element_has_reference(const cd_model *in, int32_t row);

// As cd_bodies_need_positions (cd_bodies.h), but bodies of elements need none.
cd_status cd_elements_need_positions(const cd_placed_elements *placed, cd_diag *diag) CD_MUST_CHECK;

// As cd_bodies_check without shapes (cd_bodies.h), of all bodies but those of elements.
cd_status cd_elements_check_others(const cd_placed_elements *placed, cd_diag *diag) CD_MUST_CHECK;

// Parts of all bodies that take part, elements and leaves. A body of elements needs neither shape nor position;
// errors of the others as of cd_leaves_count.
cd_status cd_parts_count(const cd_placed_elements *placed, const cd_leaves *leaves, int32_t *count,
                         cd_diag *diag) CD_MUST_CHECK;

// Writes the boxes [m] of all elements of a body that has some, as cd_bounds_of_body does of leaves: dim numbers a part
// in `min` and in `max`, over the step (with start_only: at the start), grown by `grow` [m] >= 0, rounded outward.
// `trial` holds poses of bodies and moves no node.
// A ball is covered whole; its children's boxes are one.
void cd_elements_bounds(const cd_placed_elements *placed, int32_t body, bool start_only, double grow, double *min,
                        double *max);

// [m] Of a part that is a single ball its radius; 0 of others.
double cd_element_ball(const cd_placed_elements *placed, int32_t body, int32_t part);

// [m/s] of the fastest node of the body; 0 where it is fixed.
double cd_elements_speed(const cd_placed_elements *placed, int32_t body);

#endif
