// plot_elements -- bodies of finite elements in a picture: elements, their strain as colour, nodes, pinballs.
//
// In the plane every element is drawn. In space the faces that no other element of the picture has, seen from outside;
// with --show pinballs the balls instead. What is coloured goes from 0 to the largest strain of all frames of the
// picture (cd_element_distortion); elements without a reference have the colour of their body.
// SPDX-License-Identifier: MIT
#ifndef PLOT_ELEMENTS_H
#define PLOT_ELEMENTS_H

#include "plot_stage.h"

// Does the body consist of elements?
static inline bool cd_plot_has_elements(const cd_plot_frame *frame, int32_t body)
{
    return cd_elements_of_body(&frame->placed, body) > 0;
}

// [-] of all elements shown; NaN where strain is not shown or nothing has any.
double cd_plot_elements_top_strain(const cd_plot_ask *ask, const cd_plot_frame *frame);
unsigned cd_plot_elements_marks(const cd_plot_ask *ask, const cd_plot_frame *frame);
void cd_plot_elements_extent(const cd_plot_ask *ask, const cd_plot_frame *frame, int32_t body, cd_plot_extent *extent);
cd_plot_colour cd_plot_strain_colour(double part);  // of the top strain, 0 to 1

// Draws the elements of a body, or adds them to the stage's cast.
void cd_plot_elements_add(cd_plot_stage *stage, int32_t body, cd_plot_body_style style);
// Nodes and, in the plane, pinballs: above all bodies.
void cd_plot_elements_marks_draw(const cd_plot_stage *stage);

#endif
