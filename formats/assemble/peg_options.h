// peg_options -- the options of cd-peg-assemble: for its command line, and for who reads them out of the record of a
// run (table `prog`).
// SPDX-License-Identifier: MIT
#ifndef PEG_OPTIONS_H
#define PEG_OPTIONS_H

#include "cd_option.h"
#include "peg_stage.h"

// What holds where nothing is asked for: an initialiser of cd_peg_options.
#define CD_PEG_DEFAULTS                                                                                         \
    {                                                                                                           \
        .model = "auto", .stabilize = "on", .curvature = "off", .primaries = "one", .primary = "swap",          \
        .friction = "auto", .sides = 8, .theta = NAN, .phi = NAN, .delta = NAN, .gap_margin = NAN, .reach = NAN \
    }

// The lines of the option table whose targets are in `opt`, a cd_peg_options.
#define CD_PEG_OPTION_LINES(opt)                                                                                       \
    CD_OPT_CHOICE('m', "model", &(opt).model, cd_peg_model_names,                                                      \
                  "what the contacts demand; a frame's wish comes first"),                                             \
        CD_OPT_DOUBLE(                                                                                                 \
            0, "theta", &(opt).theta, "ANGLE", 0, M_PI / 2,                                                            \
            "applicable when applicability >= -sin(theta) [rad] (default by configuration, see the manual)"),          \
        CD_OPT_DOUBLE(0, "phi", &(opt).phi, "ANGLE", 0, M_PI / 2,                                                      \
                      "beside its face a vertex may lie below the plane by this angle [rad] (default pi/2, any)"),     \
        CD_OPT_DOUBLE(0, "delta", &(opt).delta, "LENGTH", 0, INFINITY,                                                 \
                      "under its face it may lie this deep [m] (default infinity, any)"),                              \
        CD_OPT_DOUBLE(                                                                                                 \
            0, "reach", &(opt).reach, "LENGTH", 0, 1e300,                                                              \
            "3-D: edges meet at a corner within this length [m] (default head.reach, else 0.05 head.length)"),         \
        CD_OPT_DOUBLE(0, "gap-margin", &(opt).gap_margin, "LENGTH", 0, 1e300,                                          \
                      "gap that contacts keep [m] (default 0; separating 1e-10 of the length)"),                       \
        CD_OPT_CHOICE(0, "primaries", &(opt).primaries, cd_peg_primaries_names,                                        \
                      "contacts of a constraint that carry an impulse: one, or all that are applicable"),              \
        CD_OPT_CHOICE(0, "primary", &(opt).primary, cd_peg_primary_names, "which is the first of them"),               \
        CD_OPT_CHOICE(0, "stabilize", &(opt).stabilize, cd_on_off,                                                     \
                      "push overlaps out (psi/h), or only keep them from growing"),                                    \
        CD_OPT_CHOICE(0, "curvature", &(opt).curvature, cd_on_off,                                                     \
                      "2-D: add h/2 psi'' of the start velocities to a gap's rate where it is negative"),              \
        CD_OPT_CHOICE(0, "friction", &(opt).friction, cd_peg_friction_names,                                           \
                      "as polygonal cones, a plain problem, or as discs; auto: discs with separating, else pyramids"), \
        CD_OPT_INT(0, "sides", &(opt).sides, "N", 4, 64, "3-D: directions of a pyramid, even"),                        \
        CD_OPT_TEXT(                                                                                                   \
            0, "mu", &(opt).mu, "A:B=VALUE,...",                                                                       \
            "friction coefficients of groups (default: interaction's, else geometric mean of both bodies' mu)"),       \
        CD_OPT_FLAG(0, "condition", &(opt).condition, "add metrics: rank and condition number of G' M^-1 G")

#endif
