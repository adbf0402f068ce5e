// plot_marks -- kinds of things that a key explains, with their colours; a set of them is a mask of bits.
// SPDX-License-Identifier: MIT
#ifndef PLOT_MARKS_H
#define PLOT_MARKS_H

#include "plot_paint.h"

typedef enum cd_plot_mark {
    CD_PLOT_MARK_DYNAMIC,
    CD_PLOT_MARK_FIXED,
    CD_PLOT_MARK_PRESCRIBED,
    CD_PLOT_MARK_UNRELEASED,
    CD_PLOT_MARK_TINT_LOW,
    CD_PLOT_MARK_TINT_HIGH,
    CD_PLOT_MARK_STRAIN_LOW,
    CD_PLOT_MARK_STRAIN_HIGH,
    CD_PLOT_MARK_PINBALL,
    CD_PLOT_MARK_NODE,
    CD_PLOT_MARK_BOUNDS,
    CD_PLOT_MARK_PAIR,
    CD_PLOT_MARK_TRIAL,
    CD_PLOT_MARK_NEXT,
    CD_PLOT_MARK_VELOCITY,
    CD_PLOT_MARK_INTERSECTION,
    CD_PLOT_MARK_SEPARATOR,
    CD_PLOT_MARK_GAP_BELOW,
    CD_PLOT_MARK_GAP_ZERO,
    CD_PLOT_MARK_GAP_ABOVE,
    CD_PLOT_MARK_DELETED,
    CD_PLOT_MARK_NORMAL,
    CD_PLOT_MARK_FORCE,
    CD_PLOT_MARKS
} cd_plot_mark;
extern const cd_plot_key_entry cd_plot_mark_key[CD_PLOT_MARKS];

static inline cd_plot_colour cd_plot_mark_colour(cd_plot_mark mark) { return cd_plot_mark_key[mark].stroke; }

#endif
