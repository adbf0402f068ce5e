// narrow_surface -- contacts of bodies with surfaces of facets, found for all triangles of a surface together.
//
// A part that is a sphere, an ellipsoid or a polyhedron has with a surface (a shape of kind facets, of a compound one
// part) the contacts that --smooth-edges names (cd_surface_contact.h). Each belongs to the pair of the part with one
// triangle, so that contacts keep the order of pairs: cd_narrow_space asks for them here.
//
// The stars of a surface's edges and vertices are made once a run, when the first frame asks for them.
// SPDX-License-Identifier: MIT
#ifndef NARROW_SURFACE_H
#define NARROW_SURFACE_H

#include "cd_surface_contact.h"
#include "narrow_frame.h"

extern const char *const cd_narrow_smoothing_names[];  // in the order of cd_surface_smoothing, NULL-ended
extern const char *const cd_narrow_side_names[];       // "both", "front"; NULL-ended

// Lasts for the run. All zeros at first.
struct cd_narrow_surfaces {
    cd_arena arena;
    cd_surface *of_shape;      // by row of `shape`; NULL: not made yet
    cd_surface_faults faults;  // of all; lost: of one at least
    cd_arena *found;           // contacts of the frame, by worker: each frame has the pages of the one before
    int found_count;
};

// What is found of the pairs of a frame.
typedef struct cd_narrow_touches {
    const cd_contact **contact;  // of each pair; cd_narrow_no_touch: none; NULL: no pair of a surface
} cd_narrow_touches;
extern const cd_contact cd_narrow_no_touch;

// Where they are not made yet, once a run. weld [m]: cd_surface_make. The shapes are borrowed.
void cd_narrow_make_surfaces(struct cd_narrow_surfaces *surfaces, const cd_model *in, double weld);
// Do pairs of this frame have contacts of a surface? Not with separating, and not with --smooth-edges off.
bool cd_narrow_wants_surfaces(const cd_narrow_frame_state *frame);
// `contact` NULL where they do not. entry: of each pair. @owns frame->arena
cd_narrow_touches cd_narrow_touch(const cd_narrow_frame_state *frame, const cd_pair3 *const *entry,
                                  cd_pair3_intersect *intersect);
void cd_narrow_forget_surfaces(struct cd_narrow_surfaces *surfaces);

#endif
