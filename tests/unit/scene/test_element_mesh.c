// Meshes of elements: the same ones from every format; refusals with their place; blocks: volumes, and that neighbours
// share their faces.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"

#include "cd_test.h"

#include <stdlib.h>

#define PI 3.14159265358979323846

static cd_arena arena;
static cd_diag diag;

static cd_status parse(const char *format, int dim, const char *bytes, size_t size, cd_element_mesh *mesh)
{
    char name[16];
    const cd_mesh_importer *importer = NULL;
    snprintf(name, sizeof name, "a.%s", format);
    for (int i = 0; cd_element_importers[i]; i++)
        if (!strcmp(cd_element_importers[i]->name, format))
            importer = cd_element_importers[i];
    diag.text[0] = '\0';
    char *copy = cd_alloc(size);  // of its own size, so that sanitizers see a read behind the end
    memcpy(copy, bytes, size);
    cd_status status =
        cd_element_mesh_parse(&arena, importer, (cd_mesh_text){name, copy, size}, dim, 1000, mesh, &diag);
    cd_free(copy);
    return status;
}

static const char *refusal(const char *format, int dim, const char *text)
{
    cd_element_mesh mesh;
    CD_CHECK(parse(format, dim, text, strlen(text), &mesh) == CD_ERR_FORMAT);
    return diag.text;
}

// ---- files ---------------------------------------------------------------------------------------------------------

// In the plane a square and a triangle at its right, a boundary line, a node that nothing has, and one element that
// goes round clockwise.
#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
static const char plane_msh2[] = MSH2
    "$PhysicalNames\n1\n2 1 \"plate\"\n$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n30 1 1 0\n4 0 1 0\n5 9 9 0\n"
    "6 2 0.5 0\n$EndNodes\n$Elements\n3\n1 1 2 0 1 1 2\n2 3 2 1 1 1 4 30 2\n3 2 2 1 1 2 6 30\n$EndElements\n";
static const char plane_msh4[] =
    MSH4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n$Nodes\n2 6 1 30\n1 1 1 2\n1\n2\n0 0 0 0.5\n1 0 0 0.6\n"
         "2 1 0 4\n30\n4\n5\n6\n1 1 0\n0 1 0\n9 9 0\n2 0.5 0\n$EndNodes\n$Elements\n3 3 1 3\n1 1 1 1\n1 1 2\n2 1 3 1\n"
         "2 1 4 30 2\n2 1 2 1\n3 2 6 30\n$EndElements\n";
static const char plane_vtk[] =
    "# vtk DataFile Version 3.0\na plate\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n0 0 0 1 0 0\n1 1 0 0 1\n "
    "0 "
    "9 9 0 2 0.5 0\nCELLS 3 12\n2 0 1\n4 0 3 2 1\n3 1 5 2\nCELL_TYPES 3\n3\n9\n5\nCELL_DATA 3\nSCALARS x int\n";
static const char plane_vtk5[] =
    "# vtk DataFile Version 5.1\na plate\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n0 0 0 1 0 0\n1 1 0 0 1 0 9 "
    "9 0 2 0.5 0\nMETADATA\nINFORMATION 0\n\nCELLS 4 9\nOFFSETS vtktypeint64\n0 2 6 9\nCONNECTIVITY vtktypeint64\n"
    "0 1 0 3 2 1 1 5 2\n\nCELL_TYPES 3\n3\n9\n5\n";

static const char *const plane_text[] = {plane_msh2, plane_msh4, plane_vtk, plane_vtk5};
static const char *const plane_format[] = {"msh", "msh", "vtk", "vtk"};

CD_TEST(the_same_plane_mesh_from_every_format)
{
    static const double x[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0.5}};
    static const int corner[7] = {0, 1, 2, 3, 1, 4, 2};
    for (int i = 0; cd_element_importers[i]; i++) {  // a new importer needs its mesh
        bool is_tested = false;
        for (int k = 0; k < 4; k++)
            is_tested = is_tested || !strcmp(cd_element_importers[i]->name, plane_format[k]);
        CD_CHECK(is_tested);
    }
    for (int f = 0; f < 4; f++) {
        cd_element_mesh m;
        cd_status status = parse(plane_format[f], 2, plane_text[f], strlen(plane_text[f]), &m);
        if (status != CD_OK)
            printf("# %s\n", diag.text);
        CD_CHECK(status == CD_OK);
        if (status != CD_OK)
            continue;
        CD_CHECK(m.dim == 2 && m.node_count == 5 && m.element_count == 2);
        CD_CHECK(m.kind[0] == CD_ELEMENT_QUAD4 && m.kind[1] == CD_ELEMENT_TRI3 && m.first[1] == 4 && m.first[2] == 7);
        for (int i = 0; i < 5; i++)
            CD_CHECK(m.node[i].x == x[i][0] && m.node[i].y == x[i][1] && m.node[i].z == 0);
        for (int k = 0; k < 7; k++)
            CD_CHECK(m.corner[k] == corner[k]);
    }
    cd_arena_reset(&arena);
}

CD_TEST(space_has_tetrahedra_and_hexahedra)
{
    static const char text[] = MSH2
        "$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 0.5 0.5 2\n$EndNodes\n"
        "$Elements\n4\n1 15 2 0 1 1\n2 3 2 0 1 1 2 3 4\n3 5 2 1 1 1 2 3 4 5 6 7 8\n4 4 2 1 1 5 6 8 9\n$EndElements\n";
    static const char grid[] =
        "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9 float\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
        "0 0 1\n1 0 1\n1 1 1\n0 1 1\n0.5 0.5 2\nCELLS 2 14\n8 4 5 6 7 0 1 2 3\n4 4 5 7 8\nCELL_TYPES 2\n12\n10\n";
    static const char *const format[] = {"msh", "vtk"}, *const both[] = {text, grid};
    for (int f = 0; f < 2; f++) {
        cd_element_mesh m;
        CD_CHECK(parse(format[f], 3, both[f], strlen(both[f]), &m) == CD_OK);
        CD_CHECK(m.node_count == 9 && m.element_count == 2 && m.kind[0] == CD_ELEMENT_HEX8);
        for (int e = 0; e < 2; e++) {
            cd_vec3 x[8];
            for (int32_t k = m.first[e]; k < m.first[e + 1]; k++)
                x[k - m.first[e]] = m.node[m.corner[k]];
            double volume = cd_element_volume((cd_element_kind)m.kind[e], x, CD_SYMMETRY_PLANE);
            CD_CHECK_NEAR(volume, e ? 1.0 / 6 : 1, 1e-15);  // the second file's hexahedron stood on its head
        }
    }
    cd_arena_reset(&arena);
}

// The last lines may be cut: of VTK what is behind the types, of MSH line ends.
CD_TEST(cut_meshes_are_refused)
{
    for (int f = 0; f < 4; f++) {
        const char *last = strstr(plane_text[f], f < 2 ? "$EndElements" : "CELL_TYPES");
        size_t whole =
            (size_t)(last - plane_text[f]) + (f < 2 ? strlen("$EndElements") : strlen("CELL_TYPES 3\n3\n9\n5"));
        for (size_t cut = 0; cut < whole; cut++) {
            cd_element_mesh m;
            cd_status status = parse(plane_format[f], 2, plane_text[f], cut, &m);
            CD_CHECK(status == CD_ERR_FORMAT && diag.text[0]);
        }
        cd_arena_reset(&arena);
    }
}

CD_TEST(faults_of_meshes_have_their_place)
{
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
#define VTK "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    CD_CHECK_TEXT(refusal("msh", 2, "$Nodes\n"), "a.msh:1: does not begin with $MeshFormat");
    CD_CHECK_TEXT(refusal("msh", 2, "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"),
                  "a.msh:2: version: \"4.0\" is none of 2.2, 4.1");
    CD_CHECK_TEXT(refusal("msh", 2, "$MeshFormat\n4.1 1 8\n"), "a.msh:2: file type: is binary, only text is read");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 "$Nodes\n1\n1 0 nan 0\n"),
                  "a.msh:6: node: \"nan\" is not a finite decimal number");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 "$Nodes\n1\n1 0 0 0.5\n$EndNodes\n"),
                  "a.msh:6: node: z is 0.5: a mesh of the plane is at z = 0");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n"),
                  "a.msh:7: node: tag 1 is there twice");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 "$Nodes\n9000000000000000000\n1 0 0 0\n$EndNodes\n"),
                  "a.msh:7: node: \"$EndNodes\" is not a whole number");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 "$Elements\n1\n"), "a.msh:4: $Elements: comes before $Nodes");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES "$Elements\n1\n1 9 0 1 2 3 4 1 2\n"),
                  "a.msh:13: element: type 9 is none of 15, 1, 2, 3, 4, 5: points, lines, triangles, quadrilaterals, "
                  "tetrahedra, hexahedra of first order");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES "$Elements\n1\n1 2 0 1 2 7\n"), "a.msh:13: element: there is no node 7");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES "$Elements\n1\n1 2 0 1 2 1\n"),
                  "a.msh:13: element: the volume of this triangle is 0");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES "$Elements\n1\n1 3 0 1 3 2 4\n"),
                  "a.msh:13: element: the volume of this quadrilateral is 0");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES "$Elements\n1\n1 4 0 1 2 3 4\n"),
                  "a.msh:13: element: a tetrahedron is none of the plane");
    CD_CHECK_TEXT(refusal("msh", 2,
                          MSH2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0.2 0.2 0\n4 0 1 0\n$EndNodes\n$Elements\n1\n"
                               "1 3 0 1 2 3 4\n"),
                  "a.msh:13: element: this quadrilateral is not convex at its node 3");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES "$Elements\n1\n1 2 0 1 2 3 4\n"),
                  "a.msh:13: \"4\" is too much on this line");
    CD_CHECK_TEXT(refusal("msh", 3, MSH2 NODES "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n"),
                  "a.msh: has no elements of space");
    CD_CHECK_TEXT(refusal("msh", 2, MSH4 "$Nodes\n1 1 1 1\n2 1 0 2\n"),
                  "a.msh:6: number of nodes: the blocks have more than their section says");
    CD_CHECK_TEXT(refusal("msh", 2, MSH4 "$Nodes\n0 1 1 1\n$EndNodes\n"), "a.msh:5: $Nodes: 1 nodes are missing");
    CD_CHECK_TEXT(refusal("msh", 2, MSH2 NODES), "a.msh:11: $Elements: is missing");
    CD_CHECK_TEXT(refusal("vtk", 2, "vtk\n"), "a.vtk:1: does not begin with # vtk DataFile Version");
    CD_CHECK_TEXT(refusal("vtk", 2, "# vtk DataFile Version 3.0\nx\nBINARY\n"),
                  "a.vtk:3: \"BINARY\" where ASCII was wanted: only text is read");
    CD_CHECK_TEXT(refusal("vtk", 2, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n"),
                  "a.vtk:4: DATASET: \"POLYDATA\" is not UNSTRUCTURED_GRID");
    CD_CHECK_TEXT(refusal("vtk", 2, VTK "CELLS 1 4\n"), "a.vtk:5: CELLS: come before POINTS");
    CD_CHECK_TEXT(refusal("vtk", 2, VTK "POINTS 3 float\n0 0 0 1 0 0 1 1 0\nCELLS 1 4\n3 0 1 3\n"),
                  "a.vtk:8: cell: there is no point 3");
    CD_CHECK_TEXT(refusal("vtk", 2, VTK "POINTS 3 float\n0 0 0 1 0 0 1 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n9\n"),
                  "a.vtk:10: cell: type 9 has 4 points, this one 3");
    CD_CHECK_TEXT(refusal("vtk", 2, VTK "POINTS 3 float\n0 0 0 1 0 0 1 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n22\n"),
                  "a.vtk:10: cell: type 22 is none of 1, 3, 5, 9, 10, 12: vertices, lines, triangles, quadrilaterals, "
                  "tetrahedra, hexahedra");
    CD_CHECK_TEXT(refusal("vtk", 2, VTK "POINTS 3 float\n0 0 0 1 0 0 1 1 0\nCELLS 1 9\n3 0 1 2\nCELL_TYPES 1\n5\n"),
                  "a.vtk:8: CELLS: 5 numbers are missing");
    CD_CHECK_TEXT(refusal("msh", 2, ""), "a.msh: is empty");
    cd_element_mesh m;
    CD_CHECK(cd_element_mesh_load(&arena, "a.obj", 2, 10, &m, &diag) == CD_ERR_UNSUPPORTED);
    CD_CHECK(cd_element_mesh_load(&arena, "none/a.msh", 2, 10, &m, &diag) == CD_ERR_IO);
    cd_arena_reset(&arena);
}

// Random bytes changed: a sentence or a legal mesh, never a crash.
CD_TEST(damaged_meshes_are_survived)
{
    uint64_t state = 1;
    int accepted = 0;
    for (int trial = 0; trial < 20000; trial++) {
        char bytes[1024];
        const char *from = plane_text[trial % 4];
        size_t size = strlen(from);
        memcpy(bytes, from, size);
        for (int change = 0; change < 1 + trial % 3; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            static const char likely[] = "0123456789-+.eE \n$#x\xff";
            bytes[(state >> 33) % size] =
                (state >> 20 & 1) ? (char)(state >> 56) : likely[(state >> 40) % (sizeof likely - 1)];
        }
        cd_element_mesh m;
        if (parse(plane_format[trial % 4], 2, bytes, size, &m) == CD_OK) {
            accepted++;
            for (int32_t k = 0; k < m.first[m.element_count]; k++)
                CD_CHECK(m.corner[k] >= 0 && m.corner[k] < m.node_count);
        } else
            CD_CHECK(diag.text[0]);
        cd_arena_reset(&arena);
    }
    CD_CHECK(accepted > 100);
}

// ---- blocks --------------------------------------------------------------------------------------------------------

// A face (in the plane an edge) of an element by its nodes in order, and which way they go round.
typedef struct side {
    int32_t node[4], sign;
} side;

static int compare_sides(const void *a, const void *b)
{
    return memcmp(((const side *)a)->node, ((const side *)b)->node, sizeof((side *)0)->node);
}

// Sorts the nodes; the sign of that permutation.
static side side_of(const int32_t *node, int count)
{
    side s = {{-1, -1, -1, -1}, 1};
    memcpy(s.node, node, (size_t)count * sizeof *node);
    for (int i = 0; i < count; i++)
        for (int k = 0; k + 1 < count; k++)
            if (s.node[k] > s.node[k + 1]) {
                int32_t kept = s.node[k];
                s.node[k] = s.node[k + 1];
                s.node[k + 1] = kept;
                s.sign = -s.sign;
            }
    return s;
}

// Every side inside belongs to two elements; one of a single element has all nodes where `is_surface` says.
static void check_sides(const cd_element_mesh *m, const cd_element_block *block)
{
    static const int tri[3][4] = {{0, 1}, {1, 2}, {2, 0}}, quad[4][4] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    static const int tet[4][4] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const int hex[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    const int(*face)[4] = block->kind == CD_ELEMENT_TRI3    ? tri
                          : block->kind == CD_ELEMENT_QUAD4 ? quad
                          : block->kind == CD_ELEMENT_TET4  ? tet
                                                            : hex;
    int faces = block->kind == CD_ELEMENT_TRI3 ? 3 : block->kind == CD_ELEMENT_HEX8 ? 6 : 4;
    int corners = m->dim == 2 ? 2 : block->kind == CD_ELEMENT_TET4 ? 3 : 4, nodes = cd_element_node_count(block->kind);
    int32_t count = 0;
    side *all = CD_ARENA_ARRAY(&arena, side, (size_t)(m->element_count * faces));
    for (int32_t e = 0; e < m->element_count; e++)
        for (int f = 0; f < faces; f++) {
            int32_t node[4];
            for (int i = 0; i < corners; i++)
                node[i] = m->corner[nodes * e + face[f][i]];
            all[count++] = side_of(node, corners);
        }
    qsort(all, (size_t)count, sizeof *all, compare_sides);
    int32_t inner = 0, outer = 0;
    for (int32_t i = 0; i < count;) {
        if (i + 1 < count && !compare_sides(&all[i], &all[i + 1])) {
            if (corners < 4)
                CD_CHECK(all[i].sign != all[i + 1].sign);
            CD_CHECK(i + 2 >= count || compare_sides(&all[i], &all[i + 2]));
            inner++;
            i += 2;
            continue;
        }
        outer++;
        bool at[4] = {true, true, true,
                      true};  // on the sphere or circle, and on the planes of a box, rod or half circle
        for (int k = 0; k < corners; k++) {
            cd_vec3 x = m->node[all[i].node[k]];
            double r = block->form == CD_BLOCK_ROD ? hypot(x.x, x.y) : cd_length3(x);
            bool is_box = block->form == CD_BLOCK_BOX;
            at[0] &= is_box ? fabs(x.x) == block->size[0] : fabs(r - block->size[0]) < 1e-14;
            at[1] &= is_box && fabs(x.y) == block->size[1];
            at[2] &= (is_box && m->dim == 3 && fabs(x.z) == block->size[2]) ||
                     (block->form == CD_BLOCK_ROD && fabs(x.z) == block->size[1]);
            at[3] &= block->form == CD_BLOCK_HALF_CIRCLE && x.x == 0;
        }
        CD_CHECK(at[0] || at[1] || at[2] || at[3]);
        i++;
    }
    CD_CHECK(outer > 0 && (inner > 0 || m->element_count == 1));
}

CD_TEST(blocks_are_whole)
{
    static const struct {
        cd_element_block block;
        double volume, error;  // of the round body, and what chords leave
    } cases[] = {
        {{CD_BLOCK_BOX, CD_ELEMENT_QUAD4, {1, 0.5}, {4, 3}}, 2, 1e-14},
        {{CD_BLOCK_BOX, CD_ELEMENT_TRI3, {1, 0.5}, {1, 1}}, 2, 1e-14},
        {{CD_BLOCK_BOX, CD_ELEMENT_HEX8, {1, 0.5, 2}, {3, 2, 4}}, 8, 1e-14},
        {{CD_BLOCK_BOX, CD_ELEMENT_TET4, {1, 0.5, 2}, {3, 2, 1}}, 8, 1e-14},
        {{CD_BLOCK_CIRCLE, CD_ELEMENT_QUAD4, {2}, {6}}, 4 * PI, 0.02},
        {{CD_BLOCK_CIRCLE, CD_ELEMENT_TRI3, {2}, {7}}, 4 * PI, 0.02},
        {{CD_BLOCK_CIRCLE, CD_ELEMENT_TRI3, {2}, {1}}, 4 * PI, 0.4},
        {{CD_BLOCK_HALF_CIRCLE, CD_ELEMENT_QUAD4, {2}, {8}}, 2 * PI, 0.01},
        {{CD_BLOCK_HALF_CIRCLE, CD_ELEMENT_TRI3, {2}, {8}}, 2 * PI, 0.01},
        {{CD_BLOCK_SPHERE, CD_ELEMENT_HEX8, {2}, {6}}, 32 * PI / 3, 0.04},
        {{CD_BLOCK_SPHERE, CD_ELEMENT_TET4, {2}, {5}}, 32 * PI / 3, 0.05},
        {{CD_BLOCK_ROD, CD_ELEMENT_HEX8, {1, 3}, {6, 4}}, 6 * PI, 0.02},
        {{CD_BLOCK_ROD, CD_ELEMENT_TET4, {1, 3}, {6, 4}}, 6 * PI, 0.02},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const cd_element_block *block = &cases[c].block;
        cd_element_mesh m = cd_element_block_make(&arena, block);
        double sum = 0, least = INFINITY, most = 0;
        CD_CHECK(m.element_count == cd_element_block_count(block));
        for (int32_t e = 0; e < m.element_count; e++) {
            cd_vec3 x[8];
            double share[8];
            CD_CHECK(m.kind[e] == (int32_t)block->kind);
            for (int32_t k = m.first[e]; k < m.first[e + 1]; k++)
                x[k - m.first[e]] = m.node[m.corner[k]];
            double volume = cd_element_volume(block->kind, x, CD_SYMMETRY_PLANE);
            cd_element_shares(block->kind, x, CD_SYMMETRY_PLANE, share);
            for (int32_t k = m.first[e]; k < m.first[e + 1]; k++)
                CD_CHECK(share[k - m.first[e]] > 0);
            sum += volume;
            least = fmin(least, volume);
            most = fmax(most, volume);
        }
        CD_CHECK(sum <= cases[c].volume * (1 + 1e-14) && sum >= cases[c].volume * (1 - cases[c].error));
        CD_CHECK(least > 0 && most < 10 * least);
        if (!(most < 10 * least))
            check_sides(&m, block);
        cd_arena_reset(&arena);
    }
    cd_element_block huge = {CD_BLOCK_SPHERE, CD_ELEMENT_TET4, {1}, {INT32_MAX}};
    CD_CHECK(cd_element_block_count(&huge) == INT64_MAX / 8);
}

int main(void)
{
    CD_RUN(the_same_plane_mesh_from_every_format);
    CD_RUN(space_has_tetrahedra_and_hexahedra);
    CD_RUN(cut_meshes_are_refused);
    CD_RUN(faults_of_meshes_have_their_place);
    CD_RUN(damaged_meshes_are_survived);
    CD_RUN(blocks_are_whole);
    cd_arena_release(&arena);
    return cd_test_done();
}
