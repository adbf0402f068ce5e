// export_vtk -- a VTK PolyData file in XML (VTK File Formats, VTK User's Guide 11th ed., section 19.3): points, cells
// of one kind, arrays on points and on cells, all of it raw and appended, little-endian, 64-bit.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_VTK_H
#define EXPORT_VTK_H

#include "cd_memory.h"

#include <stdbool.h>

typedef enum cd_vtk_type { CD_VTK_F64, CD_VTK_I64 } cd_vtk_type;

typedef struct cd_vtk_array {
    const char *name;
    cd_vtk_type type;
    int width;         // numbers a tuple
    bool is_on_cells;  // else on points
    cd_buffer number;
} cd_vtk_array;

enum { CD_VTK_ARRAYS = 16 };
typedef enum cd_vtk_cells { CD_VTK_VERTS, CD_VTK_LINES, CD_VTK_POLYS } cd_vtk_cells;

typedef struct cd_vtk {
    cd_vtk_cells cells;
    cd_buffer point;             // double [m], 3 each
    cd_buffer corner, cell_end;  // int64_t: numbers of points; where each cell ends in them
    cd_vtk_array array[CD_VTK_ARRAYS];
    int array_count;
} cd_vtk;  // all zero is empty

// Empties it, keeps memory and arrays.
void cd_vtk_clear(cd_vtk *vtk);
// A new array, to which its numbers are appended tuple by tuple; the name is borrowed.
cd_vtk_array *cd_vtk_add(cd_vtk *vtk, const char *name, cd_vtk_type type, int width, bool is_on_cells);
void cd_vtk_release(cd_vtk *vtk);

static inline void cd_vtk_f64(cd_buffer *list, double value) { cd_buffer_append(list, &value, sizeof value); }
static inline void cd_vtk_i64(cd_buffer *list, int64_t value) { cd_buffer_append(list, &value, sizeof value); }
void cd_vtk_vector(cd_buffer *list, int dim, const double *value);  // 3 numbers, z of the plane 0; NULL: NaN

static inline int64_t cd_vtk_points(const cd_vtk *vtk) { return (int64_t)(vtk->point.size / (3 * sizeof(double))); }

// Appends the file. time [s]: that of the frame, in the field TimeValue.
void cd_vtk_write(const cd_vtk *vtk, double time, cd_buffer *out);

#endif
