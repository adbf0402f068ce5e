// element_shape -- shape functions of quadrilaterals (4 nodes) and hexahedra (8), for the files of this room. Own
// coordinates run from -1 to 1; in the plane the third is not looked at.
// SPDX-License-Identifier: MIT
#ifndef ELEMENT_SHAPE_H
#define ELEMENT_SHAPE_H

#include "cd_element_kind.h"
#include "cd_vec3.h"

// The own coordinates of each node.
extern const cd_vec3 cd_element_corner[CD_ELEMENT_MAX_NODES];

void cd_element_shape(int nodes, cd_vec3 at, double *shape);
// Their derivatives by the own coordinates.
void cd_element_shape_slopes(int nodes, cd_vec3 at, cd_vec3 *slope);
// Row k: derivatives of the k-th coordinate of the place by the own ones. In the plane the last row and column are 0.
cd_mat3 cd_element_jacobian(int nodes, const cd_vec3 *slope, const cd_vec3 *x);

#endif
