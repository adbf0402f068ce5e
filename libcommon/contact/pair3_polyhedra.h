// pair3_polyhedra -- what the entries of polyhedra in the table of pairs of space are made of, and have in common.
// SPDX-License-Identifier: MIT
#ifndef PAIR3_POLYHEDRA_H
#define PAIR3_POLYHEDRA_H

#include "cd_pair3.h"

// Of two polyhedra.
cd_pair3_find cd_pair3_polyhedra_separating, cd_pair3_polyhedra_volume;
// What holds the two, polyhedra or facets with a shell, apart over the step: as cd_pair2_polygons_choose.
cd_separating3 cd_pair3_polyhedra_choose(const cd_pair3_input *input, cd_seams3 *seams, const cd_seams3 **has_seams);

#endif
