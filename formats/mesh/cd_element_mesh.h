// cd_element_mesh -- meshes of finite elements: from files, and made of simple bodies.
//
// The name's end says which importer reads a file (.msh, .vtk; letters of either case); they are as strict as those of
// cd_mesh.h, and messages alike. A mesh of the plane has tri3 and quad4 at z = 0, one of space tet4 and hex8. What a
// file has of lower dimension (boundaries) is left out, and so are nodes that no element has. Elements that go round
// the wrong way are turned round; each then has a positive volume, and quadrilaterals and hexahedra are convex at each
// node.
// SPDX-License-Identifier: MIT
#ifndef CD_ELEMENT_MESH_H
#define CD_ELEMENT_MESH_H

#include "cd_element.h"
#include "cd_mesh.h"

typedef struct cd_element_mesh {
    int dim;  // 2 or 3
    int32_t node_count, element_count;
    cd_vec3 *node;
    const int32_t *kind;    // cd_element_kind
    const int32_t *first;   // [element_count + 1]
    const int32_t *corner;  // nodes of element e: corner[first[e]] .. corner[first[e + 1] - 1], in the stream's order
} cd_element_mesh;

#define X(name) extern const cd_mesh_importer cd_mesh_##name;
#include "element_importers.def"
#undef X
extern const cd_mesh_importer *const cd_element_importers[];  // NULL-ended

// Reads a whole file; at most `most` nodes and `most` corners of elements (CD_ERR_LIMIT). CD_ERR_IO when it cannot be
// read, CD_ERR_UNSUPPORTED for a name of another end. @owns arena
cd_status cd_element_mesh_load(cd_arena *arena, const char *path, int dim, int64_t most, cd_element_mesh *mesh,
                               cd_diag *diag) CD_MUST_CHECK;
// The same from memory, by the importer of that name.
cd_status cd_element_mesh_parse(cd_arena *arena, const cd_mesh_importer *importer, cd_mesh_text text, int dim,
                                int64_t most, cd_element_mesh *mesh, cd_diag *diag) CD_MUST_CHECK;

// ---- meshes of simple bodies (mesh_blocks.c) ---------------------------------------------------------------------

typedef enum cd_block_form {
    CD_BLOCK_BOX,     // size: half sizes; cells along each axis
    CD_BLOCK_CIRCLE,  // of the plane. size[0]: radius; cells[0]^2 in a square in its middle, cells[0] / 2 layers around
    CD_BLOCK_HALF_CIRCLE,  // of the plane: its half x >= 0; cells[0] is even
    CD_BLOCK_SPHERE,       // as the circle, about a cube
    CD_BLOCK_ROD           // along z: size[0] radius, size[1] half length; cells[0] as the circle, cells[1] along it
} cd_block_form;

typedef struct cd_element_block {
    cd_block_form form;
    cd_element_kind kind;
    double size[3];    // [m] > 0
    int64_t cells[3];  // >= 1
} cd_element_block;

// Elements of the block; more than INT64_MAX / 8: that.
int64_t cd_element_block_count(const cd_element_block *block);
// About the origin. kind is one of the form's dimension; the count fits int32. Quadrilaterals and hexahedra are cut
// into triangles along the shorter diagonal and into six tetrahedra. @owns arena
cd_element_mesh cd_element_block_make(cd_arena *arena, const cd_element_block *block);

// ---- for importers -------------------------------------------------------------------------------------------------

cd_status cd_mesh_add_node(cd_mesh_source *source, cd_vec3 node) CD_MUST_CHECK;  // finite; in the plane z = 0
// node: numbers of nodes that were added. Left out if its dimension is below the mesh's.
cd_status cd_mesh_add_element(cd_mesh_source *source, cd_element_kind kind, const int32_t *node) CD_MUST_CHECK;

#endif
