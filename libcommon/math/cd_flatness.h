// cd_flatness -- which triangles have no normal to speak of: for all who ask, so that they agree.
// SPDX-License-Identifier: MIT
#ifndef CD_FLATNESS_H
#define CD_FLATNESS_H

// [1] and its square: a triangle whose height is no more than this part of its longest edge goes as that edge. Smaller:
// normals are rounding. Larger: thin triangles of meshes lose their sides.
#define CD_FLATNESS 1e-12
#define CD_FLATNESS_SQ 1e-24

#endif
