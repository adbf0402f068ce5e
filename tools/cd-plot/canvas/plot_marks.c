// SPDX-License-Identifier: MIT
#include "plot_marks.h"

#define CLEAR      \
    {              \
        1, 1, 1, 0 \
    }
const cd_plot_key_entry cd_plot_mark_key[CD_PLOT_MARKS] = {
    [CD_PLOT_MARK_DYNAMIC] = {CD_PLOT_SWATCH_AREA, "dynamic", CD_PLOT_RGB(0x27567d), CD_PLOT_RGB(0xbfd8ec), 0, -1,
                              false},
    [CD_PLOT_MARK_FIXED] = {CD_PLOT_SWATCH_AREA, "fixed", CD_PLOT_RGB(0x5c5c5c), CD_PLOT_RGB(0xd6d6d6), 0, -1, false},
    [CD_PLOT_MARK_PRESCRIBED] = {CD_PLOT_SWATCH_AREA, "prescribed motion", CD_PLOT_RGB(0x8a6100), CD_PLOT_RGB(0xf6dfab),
                                 0, -1, false},
    [CD_PLOT_MARK_UNRELEASED] =
        {CD_PLOT_SWATCH_BOX, "not yet released", CD_PLOT_RGB(0x9db3c6), {0.93, 0.95, 0.97, 0.6}, 2, -1, false},
    [CD_PLOT_MARK_TINT_LOW] = {CD_PLOT_SWATCH_AREA, "least", CD_PLOT_RGB(0x5c5c5c), CD_PLOT_RGB(0xfff7ec), 0, -1,
                               false},
    [CD_PLOT_MARK_TINT_HIGH] = {CD_PLOT_SWATCH_AREA, "most", CD_PLOT_RGB(0x5c5c5c), CD_PLOT_RGB(0x7f0000), 0, -1,
                                false},
    [CD_PLOT_MARK_STRAIN_LOW] = {CD_PLOT_SWATCH_AREA, "strain 0", CD_PLOT_RGB(0x5c5c5c), CD_PLOT_RGB(0xfff7ec), 0, -1,
                                 false},
    [CD_PLOT_MARK_STRAIN_HIGH] = {CD_PLOT_SWATCH_AREA, "largest strain", CD_PLOT_RGB(0x5c5c5c), CD_PLOT_RGB(0x7f0000),
                                  0, -1, false},
    [CD_PLOT_MARK_PINBALL] = {CD_PLOT_SWATCH_DOT, "pinball", CD_PLOT_RGB(0x1b6ca8), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_NODE] = {CD_PLOT_SWATCH_DOT, "node", CD_PLOT_RGB(0x333333), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_BOUNDS] = {CD_PLOT_SWATCH_BOX, "bounds", CD_PLOT_RGB(0x009e73), CLEAR, 1, -1, false},
    [CD_PLOT_MARK_PAIR] = {CD_PLOT_SWATCH_LINE, "candidate pair", CD_PLOT_RGB(0xe69f00), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_TRIAL] = {CD_PLOT_SWATCH_BOX, "trial end of step", CD_PLOT_RGB(0xb36a00), CLEAR, 2, -1, false},
    [CD_PLOT_MARK_NEXT] = {CD_PLOT_SWATCH_BOX, "end of step", CD_PLOT_RGB(0x7b2d8b), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_VELOCITY] = {CD_PLOT_SWATCH_ARROW, "velocity", CD_PLOT_RGB(0x6a51a3), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_INTERSECTION] = {CD_PLOT_SWATCH_AREA, "intersection", CD_PLOT_RGB(0x7f0000), CD_PLOT_RGB(0xe34a33), 0,
                                   -1, false},
    [CD_PLOT_MARK_SEPARATOR] = {CD_PLOT_SWATCH_AREA, "separating facet", CD_PLOT_RGB(0x00695c), CD_PLOT_RGB(0x80cbc4),
                                0, -1, false},
    [CD_PLOT_MARK_GAP_BELOW] = {CD_PLOT_SWATCH_DOT, "contact, gap < 0", CD_PLOT_RGB(0xd55e00), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_GAP_ZERO] = {CD_PLOT_SWATCH_DOT, "contact, gap = 0", CD_PLOT_RGB(0x111111), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_GAP_ABOVE] = {CD_PLOT_SWATCH_DOT, "contact, gap > 0", CD_PLOT_RGB(0x0072b2), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_DELETED] = {CD_PLOT_SWATCH_DOT, "contact, deleted", CD_PLOT_RGB(0x9e9e9e), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_NORMAL] = {CD_PLOT_SWATCH_ARROW, "normal, a to b", CD_PLOT_RGB(0x111111), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_FORCE] = {CD_PLOT_SWATCH_ARROW, "force on b", CD_PLOT_RGB(0xc2185b), CLEAR, 0, -1, false},
};
