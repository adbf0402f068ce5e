// plot_stage -- what the parts of a scene's drawing share: where to draw, what, and who takes part.
// SPDX-License-Identifier: MIT
#ifndef PLOT_STAGE_H
#define PLOT_STAGE_H

#include "plot_cast.h"
#include "plot_frame.h"

#include <math.h>

typedef struct cd_plot_range {
    double low, high;  // low > high: empty
} cd_plot_range;

typedef struct cd_plot_stage {
    cd_canvas *canvas;
    const cd_plot_ask *ask;
    const cd_plot_frame *frame;
    const cd_model *in;  // of it
    const cd_plot_shapes *shapes;
    const cd_plot_view *view;
    cd_arena *scratch;
    cd_body_order order;
    double unit;         // [1] size of markers and arrows: 1 in a panel of 500 px
    double mark;         // [1] the same for contacts, where bodies are small
    cd_plot_cast cast;   // the bodies
    double top_strain;   // [-] of the darkest element; NaN: none is coloured
    cd_plot_range tint;  // of the picture's colours, see plot_tint.h
} cd_plot_stage;

static inline bool cd_plot_takes_part(const cd_plot_ask *ask, const cd_model *in, int32_t body)
{
    return cd_plot_ask_has_body(ask, in->body.id[body]) && cd_body_is_active(in, body);
}

// Row `row` of pairs or contacts: are both bodies among --bodies?
static inline bool cd_plot_has_both(const cd_plot_ask *ask, const cd_model *in, const int32_t *a, const int32_t *b,
                                    int32_t row)
{
    return cd_plot_ask_has_body(ask, in->body.id[a[2 * (size_t)row]]) &&
           cd_plot_ask_has_body(ask, in->body.id[b[2 * (size_t)row]]);
}

static inline bool cd_plot_is_deleted(const cd_contact_rows *contact, int32_t row)
{
    return contact->status && contact->status[row] == CD_STATUS_DELETED;
}

static inline int32_t cd_plot_shape_of(const cd_model *in, int32_t body)
{
    return in->body.shape ? in->body.shape[body] : -1;
}

// Row `row` of a table of the stream that has `dim` numbers a row.
static inline const double *cd_plot_vector(const cd_model *in, const double *column, int32_t row)
{
    return column + (size_t)in->dim * (size_t)row;
}

static inline double cd_plot_length(const double *v, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum = hypot(sum, v[k]);
    return sum;
}

// Labels of bodies, clear of one another and, where there is room, of contacts. In space only where a body is in front
// of the others. Bodies whose place is out of view and half-spaces, whose place means nothing, have no label.
void cd_plot_labels_draw(const cd_plot_stage *stage);

#endif
