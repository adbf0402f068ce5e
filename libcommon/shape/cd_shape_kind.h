// cd_shape_kind -- the kinds of shapes, from shape_kinds.def.
// SPDX-License-Identifier: MIT
#ifndef CD_SHAPE_KIND_H
#define CD_SHAPE_KIND_H

typedef enum cd_shape_kind {
#define X(KIND, name) CD_SHAPE_##KIND,
#include "shape_kinds.def"
#undef X
    CD_SHAPE_KINDS
} cd_shape_kind;

#endif
