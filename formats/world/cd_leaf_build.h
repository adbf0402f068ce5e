// cd_leaf_build -- the table of shapes as who makes something of it for each shape reads it: geometry of a row, numbers
// of leaves of all shapes, parts of compounds, and messages that name the shape.
//
// {arena, in, refs, NULL, diag} -> cd_leaf_build_count -> every shape in the order of rows: its own leaves, or those of
// its parts, which stand before it.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAF_BUILD_H
#define CD_LEAF_BUILD_H

#include "cd_records.h"
#include "cd_refs.h"
#include "cd_shape.h"

typedef struct cd_leaf_build {
    cd_arena *arena;
    const cd_model *in;
    const cd_refs *refs;  // ids of shapes where the table itself has none
    int32_t *first;       // leaves of shape s are first[s] .. first[s + 1] - 1
    cd_diag *diag;
} cd_leaf_build;

// Sets `first`. Compounds are checked here, because their counts must be sound before anything is stored:
// CD_ERR_FORMAT, or CD_ERR_LIMIT when a few short records unfold into too many.
cd_status cd_leaf_build_count(cd_leaf_build *build) CD_MUST_CHECK;

// A row that is no compound, as it was given; borrowed from the table.
cd_shape_geometry cd_leaf_geometry(const cd_leaf_build *build, int32_t shape);

// A part of a compound, by number.
typedef struct cd_leaf_part {
    int32_t shape;           // row, an earlier one
    const double *position;  // dim numbers [m]; NULL: the origin
    const double *rotation;  // an angle [rad] or a quaternion; NULL: none
} cd_leaf_part;
int32_t cd_leaf_part_count(const cd_leaf_build *build, int32_t compound);
cd_leaf_part cd_leaf_part_at(const cd_leaf_build *build, int32_t compound, int32_t part);

static inline int32_t cd_list_count(const cd_list *list, int32_t row)
{
    return list->offset ? list->offset[row + 1] - list->offset[row] : 0;
}

// "shape 3: member: problem"; for_kind: "shape 3: kind: this kind is not one of the plane's" (CD_ERR_UNSUPPORTED).
cd_status cd_leaf_fault(const cd_leaf_build *build, int32_t shape, const char *member, const char *problem);
cd_status cd_leaf_unknown(const cd_leaf_build *build, int32_t shape, const char *where);
// Puts "shape 3: " before the sentence of a kernel that refused the shape's geometry; CD_OK passes.
cd_status cd_leaf_fault_at(const cd_leaf_build *build, cd_status status, int32_t shape);

#endif
