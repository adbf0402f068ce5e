// pair2_polygons -- what the entries of polygons in the table of pairs of the plane are made of, beside
// pair2_polygons.c.
// SPDX-License-Identifier: MIT
#ifndef PAIR2_POLYGONS_H
#define PAIR2_POLYGONS_H

#include "cd_pair2.h"

cd_pair2_find cd_pair2_polygons_separating;
// What holds the two apart over the step, which their contacts go by. has_seams: `seams`, or NULL where both stand
// alone; it borrows from the input. Scratch memory is given back.
cd_separating2 cd_pair2_polygons_choose(const cd_pair2_input *input, cd_seams2 *seams, const cd_seams2 **has_seams);
cd_pair2_find cd_pair2_polygon_round_separating;  // a: the polygon, b: a circle or an ellipse; pair2_circles.c

#endif
