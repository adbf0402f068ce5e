// cd_element_kind -- kinds of finite elements, and what a mesh of the plane stands for. The stream's words for them are
// vocabularies of records.def, which asserts that they stand in the same order.
// SPDX-License-Identifier: MIT
#ifndef CD_ELEMENT_KIND_H
#define CD_ELEMENT_KIND_H

typedef enum cd_element_kind {
    CD_ELEMENT_TRI3,  // of the plane
    CD_ELEMENT_TET4,
    CD_ELEMENT_QUAD4,  // of the plane
    CD_ELEMENT_HEX8,
    CD_ELEMENT_KINDS
} cd_element_kind;

enum { CD_ELEMENT_MAX_NODES = 8 };

typedef enum cd_symmetry {
    CD_SYMMETRY_PLANE,  // of unit thickness; in space it means nothing
    CD_SYMMETRY_AXIAL,  // rings about the axis x = 0
    CD_SYMMETRIES
} cd_symmetry;

#endif
