// SPDX-License-Identifier: MIT
#include "export_vtk.h"

#include "cd_assert.h"

#include <inttypes.h>
#include <math.h>

static const char *const cells_name[] = {"Verts", "Lines", "Polys"};
enum { CELL_KINDS = 3 };

void cd_vtk_clear(cd_vtk *vtk)
{
    vtk->point.size = vtk->corner.size = vtk->cell_end.size = 0;
    for (int i = 0; i < vtk->array_count; i++)
        vtk->array[i].number.size = 0;
}

cd_vtk_array *cd_vtk_add(cd_vtk *vtk, const char *name, cd_vtk_type type, int width, bool is_on_cells)
{
    CD_ASSERT(vtk->array_count < CD_VTK_ARRAYS);
    cd_vtk_array *array = &vtk->array[vtk->array_count++];
    *array = (cd_vtk_array){.name = name, .type = type, .width = width, .is_on_cells = is_on_cells};
    return array;
}

void cd_vtk_release(cd_vtk *vtk)
{
    cd_buffer_release(&vtk->point);
    cd_buffer_release(&vtk->corner);
    cd_buffer_release(&vtk->cell_end);
    for (int i = 0; i < vtk->array_count; i++)
        cd_buffer_release(&vtk->array[i].number);
}

void cd_vtk_vector(cd_buffer *list, int dim, const double *value)
{
    for (int k = 0; k < 3; k++)
        cd_vtk_f64(list, !value ? NAN : k < dim ? value[k] : 0);
}

// ---- the file ------------------------------------------------------------------------------------------------------

typedef struct appended {
    cd_buffer *out;
    uint64_t offset;                  // of the next array behind the "_"
    CD_LIST(const cd_buffer *) list;  // in the order of their offsets
    cd_arena arena;
} appended;

static void put_array(appended *a, const char *name, cd_vtk_type type, int width, const cd_buffer *number)
{
    cd_buffer_printf(a->out,
                     "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                     "offset=\"%" PRIu64 "\"/>\n",
                     type == CD_VTK_F64 ? "Float64" : "Int64", name, width, a->offset);
    a->offset += sizeof(uint64_t) + number->size;
    cd_list_push(&a->arena, &a->list, number);
}

static void put_arrays(appended *a, const cd_vtk *vtk, bool on_cells)
{
    const char *element = on_cells ? "CellData" : "PointData";
    cd_buffer_printf(a->out, "      <%s>\n", element);
    for (int i = 0; i < vtk->array_count; i++)
        if (vtk->array[i].is_on_cells == on_cells)
            put_array(a, vtk->array[i].name, vtk->array[i].type, vtk->array[i].width, &vtk->array[i].number);
    cd_buffer_printf(a->out, "      </%s>\n", element);
}

void cd_vtk_write(const cd_vtk *vtk, double time, cd_buffer *out)
{
    appended a = {.out = out};
    cd_buffer now = {.data = (char *)&time, .size = sizeof time};
    size_t cells = vtk->cell_end.size / sizeof(int64_t);
    cd_buffer_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <PolyData>\n    <FieldData>\n"
                        "        <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                        "format=\"appended\" offset=\"0\"/>\n    </FieldData>\n");
    a.offset = sizeof(uint64_t) + now.size;
    cd_buffer_printf(out, "    <Piece NumberOfPoints=\"%" PRId64 "\"", cd_vtk_points(vtk));
    for (int kind = 0; kind < CELL_KINDS; kind++)
        cd_buffer_printf(out, " NumberOf%s=\"%zu\"", cells_name[kind], kind == (int)vtk->cells ? cells : 0);
    cd_buffer_text(out, " NumberOfStrips=\"0\">\n");
    put_arrays(&a, vtk, false);
    put_arrays(&a, vtk, true);
    cd_buffer_text(out, "      <Points>\n");
    put_array(&a, "Points", CD_VTK_F64, 3, &vtk->point);
    cd_buffer_printf(out, "      </Points>\n      <%s>\n", cells_name[vtk->cells]);
    put_array(&a, "connectivity", CD_VTK_I64, 1, &vtk->corner);
    put_array(&a, "offsets", CD_VTK_I64, 1, &vtk->cell_end);
    cd_buffer_printf(out, "      </%s>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_",
                     cells_name[vtk->cells]);
    for (int32_t i = -1; i < a.list.count; i++) {
        const cd_buffer *list = i < 0 ? &now : a.list.item[i];
        const uint64_t size = list->size;
        cd_buffer_append(out, &size, sizeof size);
        cd_buffer_append(out, list->data, list->size);
    }
    cd_buffer_text(out, "\n  </AppendedData>\n</VTKFile>\n");
    cd_arena_release(&a.arena);
}
