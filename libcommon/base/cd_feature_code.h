// cd_feature_code -- a feature of a polytope, or a child of a split pinball, as one int32: its kind and its number.
//
// Vertices are numbered as they are given, edges of polygons by their first vertex, edges of polyhedra by sorted vertex
// pair (cd_edges3.h), faces as they are given, children as cd_element.h says. The stream writes "v3", "e7", "f2", "p0".
// SPDX-License-Identifier: MIT
#ifndef CD_FEATURE_CODE_H
#define CD_FEATURE_CODE_H

#include <stdint.h>

enum { CD_FEATURE_VERTEX = 0, CD_FEATURE_EDGE = 1, CD_FEATURE_FACE = 2, CD_FEATURE_PINBALL = 3, CD_FEATURE_NONE = -1 };
// What stands before the number in texts, by kind.
#define CD_FEATURE_LETTERS "vefp"

static inline int32_t cd_feature(int kind, int32_t index) { return index * 4 + kind; }
static inline int cd_feature_kind(int32_t feature) { return feature & 3; }
static inline int32_t cd_feature_index(int32_t feature) { return feature >> 2; }

#endif
