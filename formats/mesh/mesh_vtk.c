// vtk -- VTK's legacy files as text, DATASET UNSTRUCTURED_GRID (Kitware, "VTK File Formats"): POINTS, CELLS and
// CELL_TYPES of versions 1 to 4 and, with OFFSETS and CONNECTIVITY, of 5. What comes behind them (POINT_DATA,
// CELL_DATA) is not looked at. Vertices, lines, triangles, quadrilaterals, tetrahedra and hexahedra of first order.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"

#include <inttypes.h>
#include <string.h>

typedef struct vtk {
    cd_mesh_source *source;
    bool is_new;  // version 5
    bool has_points, has_cells;
    CD_LIST(int32_t) first, corner;  // of cells
    int64_t cells;
} vtk;

// The next word, on whatever line it is.
static bool next_word(cd_mesh_source *source, char word[CD_MESH_WORD_MAX])
{
    return cd_mesh_find_line(source, 0) && cd_mesh_word(source, word);
}

static cd_status next_integer(cd_mesh_source *source, const char *label, int64_t *value)
{
    return cd_mesh_find_line(source, 0) ? cd_mesh_integer(source, label, value)
                                        : cd_mesh_fail(source, "%s: the file ends here", label);
}

static cd_status next_count(cd_mesh_source *source, const char *label, int64_t *count)
{
    CD_TRY(cd_mesh_integer(source, label, count));
    return *count < 0 ? cd_mesh_fail(source, "%s: is negative", label) : CD_OK;
}

static cd_status want_word(cd_mesh_source *source, const char *wanted)
{
    char word[CD_MESH_WORD_MAX];
    if (!next_word(source, word) || strcmp(word, wanted))
        return cd_mesh_fail(source, "%s is missing", wanted);
    return CD_OK;
}

// ---- what is read --------------------------------------------------------------------------------------------------

static bool is_type(const char *word)
{
    static const char *const types[] = {
        "float", "double",        "unsigned_char", "char",      "unsigned_short", "short",         "unsigned_int",
        "int",   "unsigned_long", "long",          "vtkIdType", "vtktypeint64",   "vtktypeuint64", NULL};
    for (int i = 0; types[i]; i++)
        if (!strcmp(word, types[i]))
            return true;
    return false;
}

static cd_status read_points(vtk *v)
{
    char word[CD_MESH_WORD_MAX];
    int64_t count;
    if (v->has_points)
        return cd_mesh_fail(v->source, "POINTS: are there twice");
    v->has_points = true;
    CD_TRY(next_count(v->source, "number of points", &count));
    if (!cd_mesh_word(v->source, word))
        return cd_mesh_fail(v->source, "POINTS: the type of its numbers is missing");
    if (!is_type(word))
        return cd_mesh_fail(v->source, "POINTS: \"%.40s\" is no type of numbers", word);
    CD_TRY(cd_mesh_end_line(v->source));
    for (int64_t i = 0; i < count; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            if (!cd_mesh_find_line(v->source, 0))
                return cd_mesh_fail(v->source, "POINTS: the file ends within them");
            CD_TRY(cd_mesh_numbers(v->source, "point", 1, &x[k]));
        }
        CD_TRY(cd_mesh_add_node(v->source, cd_vec3_at(x)));
    }
    return CD_OK;
}

static cd_status add_corner(vtk *v)
{
    int64_t point;
    CD_TRY(next_integer(v->source, "point of a cell", &point));
    if (point < 0 || point >= v->source->vertices.count)
        return cd_mesh_fail(v->source, "cell: there is no point %" PRId64, point);
    if (v->corner.count >= v->source->most)
        return cd_fail(v->source->diag, CD_ERR_LIMIT, "%s: more than %" PRId64 " corners of cells (--max-rows)",
                       v->source->name, v->source->most);
    cd_list_push(v->source->arena, &v->corner, (int32_t)point);
    return CD_OK;
}

// "points point.." for each cell; `size` numbers in all.
static cd_status read_old_cells(vtk *v, int64_t cells, int64_t size)
{
    for (int64_t i = 0; i < cells; i++) {
        int64_t points;
        CD_TRY(next_integer(v->source, "points of a cell", &points));
        if (points < 1 || points > size - 1)
            return cd_mesh_fail(v->source,
                                "points of a cell: %" PRId64 " of them, the cells have %" PRId64 " numbers left",
                                points, size);
        size -= 1 + points;
        for (int64_t k = 0; k < points; k++)
            CD_TRY(add_corner(v));
        cd_list_push(v->source->arena, &v->first, v->corner.count);
    }
    return size ? cd_mesh_fail(v->source, "CELLS: %" PRId64 " numbers are missing", size) : CD_OK;
}

static cd_status skip_type(cd_mesh_source *source)
{
    char word[CD_MESH_WORD_MAX];
    cd_mesh_word(source, word);
    return cd_mesh_end_line(source);
}

// "CELLS offsets size": offsets, one more than cells, and the points of all.
static cd_status read_new_cells(vtk *v, int64_t offsets, int64_t size)
{
    int64_t last = 0, offset;
    CD_TRY(want_word(v->source, "OFFSETS"));
    CD_TRY(skip_type(v->source));
    for (int64_t i = 0; i < offsets; i++) {
        CD_TRY(next_integer(v->source, "offset", &offset));
        if (offset < last || offset > size || offset > INT32_MAX || (i == 0 && offset != 0))
            return cd_mesh_fail(v->source, "offset: %" PRId64 " is out of place", offset);
        last = offset;
        if (i > 0)
            cd_list_push(v->source->arena, &v->first, (int32_t)offset);
    }
    if (last != size)
        return cd_mesh_fail(v->source, "offset: the last is %" PRId64 ", CELLS says %" PRId64, last, size);
    CD_TRY(want_word(v->source, "CONNECTIVITY"));
    CD_TRY(skip_type(v->source));
    for (int64_t k = 0; k < size; k++)
        CD_TRY(add_corner(v));
    return CD_OK;
}

static cd_status read_cells(vtk *v)
{
    int64_t cells, size;
    if (!v->has_points || v->has_cells)
        return cd_mesh_fail(v->source, "CELLS: %s", v->has_points ? "are there twice" : "come before POINTS");
    v->has_cells = true;
    CD_TRY(next_count(v->source, "number of cells", &cells));
    CD_TRY(next_count(v->source, "numbers of cells", &size));
    CD_TRY(cd_mesh_end_line(v->source));
    cd_list_push(v->source->arena, &v->first, 0);
    CD_TRY(v->is_new ? read_new_cells(v, cells, size) : read_old_cells(v, cells, size));
    v->cells = v->first.count - 1;
    return CD_OK;
}

// ---- cells to elements ---------------------------------------------------------------------------------------------

static cd_status add_cell(vtk *v, int64_t cell, int64_t type)
{
    int32_t first = v->first.item[cell], points = v->first.item[cell + 1] - first;
    int kind = type == 5    ? CD_ELEMENT_TRI3
               : type == 9  ? CD_ELEMENT_QUAD4
               : type == 10 ? CD_ELEMENT_TET4
               : type == 12 ? CD_ELEMENT_HEX8
                            : -1;
    int wanted = type == 1 ? 1 : type == 3 ? 2 : kind < 0 ? 0 : cd_element_node_count((cd_element_kind)kind);
    if (wanted == 0)
        return cd_mesh_fail(v->source,
                            "cell: type %" PRId64 " is none of 1, 3, 5, 9, 10, 12: vertices, lines, triangles, "
                            "quadrilaterals, tetrahedra, hexahedra",
                            type);
    if (wanted != points)
        return cd_mesh_fail(v->source, "cell: type %" PRId64 " has %d points, this one %d", type, wanted, (int)points);
    return kind < 0 ? CD_OK : cd_mesh_add_element(v->source, (cd_element_kind)kind, v->corner.item + first);
}

static cd_status read_types(vtk *v)
{
    int64_t count, type;
    if (!v->has_cells)
        return cd_mesh_fail(v->source, "CELL_TYPES: come before CELLS");
    CD_TRY(next_count(v->source, "number of cells", &count));
    CD_TRY(cd_mesh_end_line(v->source));
    if (count != v->cells)
        return cd_mesh_fail(v->source, "CELL_TYPES: %" PRId64 " of them, there are %" PRId64 " cells", count, v->cells);
    for (int64_t i = 0; i < count; i++) {
        CD_TRY(next_integer(v->source, "type of a cell", &type));
        CD_TRY(add_cell(v, i, type));
    }
    return CD_OK;
}

// ---- the file ------------------------------------------------------------------------------------------------------

// "# vtk DataFile Version 3.0", a title, ASCII, DATASET UNSTRUCTURED_GRID
static cd_status read_header(vtk *v)
{
    static const char *const words[] = {"#", "vtk", "DataFile", "Version"};
    char word[CD_MESH_WORD_MAX];
    for (int i = 0; i < 4; i++)
        if (!cd_mesh_word(v->source, word) || strcmp(word, words[i]))
            return cd_mesh_fail(v->source, "does not begin with # vtk DataFile Version");
    if (!cd_mesh_word(v->source, word) || word[0] < '1' || word[0] > '5' || word[1] != '.')
        return cd_mesh_fail(v->source, "version: \"%.40s\" is none of 1 to 5", word);
    v->is_new = word[0] == '5';
    CD_TRY(cd_mesh_end_line(v->source));
    cd_mesh_next_line(v->source);
    cd_mesh_next_line(v->source);
    if (!next_word(v->source, word) || strcmp(word, "ASCII"))
        return cd_mesh_fail(v->source, "\"%.40s\" where ASCII was wanted: only text is read", word);
    CD_TRY(want_word(v->source, "DATASET"));
    if (!cd_mesh_word(v->source, word) || strcmp(word, "UNSTRUCTURED_GRID"))
        return cd_mesh_fail(v->source, "DATASET: \"%.40s\" is not UNSTRUCTURED_GRID", word);
    return cd_mesh_end_line(v->source);
}

// METADATA ends with an empty line.
static void skip_metadata(cd_mesh_source *source)
{
    char word[CD_MESH_WORD_MAX];
    while (cd_mesh_next_line(source) && cd_mesh_word(source, word))
        ;
}

static cd_status read_vtk(cd_mesh_source *source)
{
    vtk v = {.source = source};
    char word[CD_MESH_WORD_MAX];
    CD_TRY(read_header(&v));
    while (next_word(source, word)) {
        if (!strcmp(word, "CELL_TYPES"))
            return read_types(&v);
        if (!strcmp(word, "POINTS"))
            CD_TRY(read_points(&v));
        else if (!strcmp(word, "CELLS"))
            CD_TRY(read_cells(&v));
        else if (!strcmp(word, "METADATA"))
            skip_metadata(source);
        else
            return cd_mesh_fail(source, "\"%.40s\" where POINTS, CELLS or CELL_TYPES was wanted", word);
    }
    return cd_mesh_fail(source, "CELL_TYPES is missing");
}

const cd_mesh_importer cd_mesh_vtk = {
    .name = "vtk", .summary = "VTK legacy files of unstructured grids", .read = read_vtk};
