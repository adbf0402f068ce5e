// cd_leaf_build -- what the leaves of the plane and of space have in common while they are made: the numbers of leaves
// of all shapes, the parts of compounds, required values, and messages that name the shape. For cd_leaf2.c and
// cd_leaf3.c.
//
// {arena, in, refs, NULL, diag} -> cd_leaf_build_count -> every shape in the order of rows: its own leaves, or those of
// its parts, which stand before it.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAF_BUILD_H
#define CD_LEAF_BUILD_H

#include "cd_records.h"
#include "cd_refs.h"

typedef struct cd_leaf_build {
    cd_arena *arena;
    const cd_model *in;
    const cd_refs *refs;  // ids of shapes where the table itself has none
    int32_t *first;       // leaves of shape s are first[s] .. first[s + 1] - 1
    cd_diag *diag;
} cd_leaf_build;

// Sets `first`. leaves_of: leaves of a shape that is no compound, >= 0; NULL: one each. Compounds are checked here,
// because their counts must be sound before anything is stored: CD_ERR_FORMAT, or CD_ERR_LIMIT when a few short records
// unfold into too many.
cd_status cd_leaf_build_count(cd_leaf_build *build,
                              int32_t (*leaves_of)(const cd_shape_rows *shape, int32_t row)) CD_MUST_CHECK;

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
// Puts "shape 3: " before the sentence of a kernel that refused the shape's geometry.
cd_status cd_leaf_fault_at(const cd_leaf_build *build, cd_status status, int32_t shape);

// The `width` numbers of a shape in a column that its kind ("a sphere") requires; sizes must be finite and above 0.
cd_status cd_leaf_value(const cd_leaf_build *build, int32_t shape, const double *column, int width, const char *member,
                        const char *kind, const double **value) CD_MUST_CHECK;
cd_status cd_leaf_size(const cd_leaf_build *build, int32_t shape, const double *column, int width, const char *member,
                       const char *kind, const double **value) CD_MUST_CHECK;

#endif
