// narrow_options -- the options of cd-narrow: for its command line, and for who reads them out of the record of a run
// (table `prog`).
// SPDX-License-Identifier: MIT
#ifndef NARROW_OPTIONS_H
#define NARROW_OPTIONS_H

#include "cd_option.h"
#include "narrow_pinball.h"
#include "narrow_surface.h"

// What holds where nothing is asked for: an initialiser of cd_narrow_options.
#define CD_NARROW_DEFAULTS                                                                                    \
    {                                                                                                         \
        .contacts = "auto", .reach = NAN, .epsilon = NAN, .intersection = "auto", .pinball_normal = "centre", \
        .smooth_edges = "exact", .side = "both", .crease = M_PI / 6                                           \
    }

// The lines of the option table whose targets are in `opt`, a cd_narrow_options.
#define CD_NARROW_OPTION_LINES(opt)                                                                                    \
    CD_OPT_CHOICE(0, "contacts", &(opt).contacts, cd_narrow_mode_names, "what is found; a frame's wish overrides it"), \
        CD_OPT_DOUBLE(0, "reach", &(opt).reach, "LENGTH", 0, 1e300,                                                    \
                      "instead of the stream's or the automatic reach [m]"),                                           \
        CD_OPT_DOUBLE(0, "epsilon", &(opt).epsilon, "LENGTH", 0, 1e300,                                                \
                      "instead of the stream's geometric epsilon [m]"),                                                \
        CD_OPT_CHOICE(0, "intersection", &(opt).intersection, cd_narrow_intersection_names,                            \
                      "how polyhedra are intersected; auto is clip"),                                                  \
        CD_OPT_CHOICE(0, "smooth-edges", &(opt).smooth_edges, cd_narrow_smoothing_names,                               \
                      "of surfaces of facets: which contacts a body has with all triangles together"),                 \
        CD_OPT_DOUBLE(0, "crease", &(opt).crease, "ANGLE", 0, M_PI,                                                    \
                      "edges up to it are shallow for --smooth-edges smooth [rad]"),                                   \
        CD_OPT_DOUBLE(0, "weld", &(opt).weld, "LENGTH", 0, 1e300, "vertices of a surface that near are one [m]"),      \
        CD_OPT_CHOICE(0, "side", &(opt).side, cd_narrow_side_names, "of surfaces that has contacts"),                  \
        CD_OPT_CHOICE(0, "pinball-normal", &(opt).pinball_normal, cd_narrow_pinball_normals, "of pinballs"),           \
        CD_OPT_FLAG(0, "keep-rejected", &(opt).keep_rejected,                                                          \
                    "keep ill-conditioned area and volume contacts, with status outside"),                             \
        CD_OPT_FLAG(0, "true-gap", &(opt).true_gap,                                                                    \
                    "potential contacts of two ellipsoids by their signed distance, not by the Perram-Wertham gap"),   \
        CD_OPT_FLAG(0, "warm", &(opt).warm, "two ellipsoids from the lambda that they had in the frame before")

#endif
