// stl -- stereolithography: triangles with their corners written out, as text or binary. Corners that are equal to the
// bit become one vertex, numbered in the order they come first. Normals and attributes are left out: the order of
// corners says which side is outside. A file whose length fits its count of triangles is binary, whatever it begins
// with.
// SPDX-License-Identifier: MIT
#include "cd_mesh.h"

// Bytes; a triangle has a normal, 3 corners, an attribute.
enum { HEADER = 80, COUNT = 4, TRIANGLE = 50, CORNERS = 12 };

// Hash of vertices: number + 1, 0 empty. The count is a power of two.
typedef struct vertex_table {
    int32_t *slot;
    int64_t count;
    int32_t used;
} vertex_table;

static uint64_t find_slot(const cd_mesh_source *source, const vertex_table *table, cd_vec3 v)
{
    uint64_t bits[3], hash = 0;
    memcpy(bits, &v, sizeof bits);
    for (int i = 0; i < 3; i++)
        hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
    uint64_t mask = (uint64_t)table->count - 1, s = hash & mask;
    for (; table->slot[s]; s = (s + 1) & mask) {
        cd_vec3 other = source->vertices.item[table->slot[s] - 1];
        if (other.x == v.x && other.y == v.y && other.z == v.z)
            break;
    }
    return s;
}

static cd_status add_corner(cd_mesh_source *source, vertex_table *table, const double *at)
{
    cd_vec3 v = {at[0] + 0.0, at[1] + 0.0, at[2] + 0.0};  // no -0
    if (2 * (int64_t)table->used >= table->count) {
        table->count = table->count ? 2 * table->count : 1024;
        cd_free(table->slot);
        size_t bytes = (size_t)table->count * sizeof *table->slot;
        table->slot = memset(cd_alloc(bytes), 0, bytes);
        for (int32_t i = 0; i < source->vertices.count; i++)
            table->slot[find_slot(source, table, source->vertices.item[i])] = i + 1;
    }
    uint64_t s = find_slot(source, table, v);
    if (!table->slot[s]) {
        CD_TRY(cd_mesh_add_vertex(source, v));
        table->slot[s] = source->vertices.count;
        table->used++;
    }
    return cd_mesh_add_corner(source, table->slot[s] - 1);
}

static uint32_t little_endian(const char *bytes)
{
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static bool is_binary(const cd_mesh_source *source)
{
    size_t size = (size_t)(source->end - source->bytes);
    return size >= HEADER + COUNT &&
           size == HEADER + COUNT + (uint64_t)TRIANGLE * little_endian(source->bytes + HEADER);
}

static cd_status read_binary(cd_mesh_source *source, vertex_table *table)
{
    source->line = 0;
    for (source->at = source->bytes + HEADER + COUNT; source->at < source->end; source->at += TRIANGLE) {
        CD_TRY(cd_mesh_begin_face(source));
        for (int c = 0; c < 3; c++) {
            double v[3];
            for (int k = 0; k < 3; k++) {
                uint32_t bits = little_endian(source->at + CORNERS * (c + 1) + 4 * k);
                float value;
                memcpy(&value, &bits, sizeof value);
                v[k] = (double)value;
            }
            if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
                return cd_mesh_fail(source, "vertex: corner %d of this triangle is not finite", c);
            CD_TRY(add_corner(source, table, v));
        }
    }
    return source->first.count ? CD_OK : cd_mesh_fail(source, "has no triangles");
}

// The words must stand on the line, and nothing else.
static cd_status expect(cd_mesh_source *source, const char *first, const char *second)
{
    char word[CD_MESH_WORD_MAX];
    const char *wanted[] = {first, second};
    for (int i = 0; i < 2 && wanted[i]; i++)
        if (!cd_mesh_word(source, word) || strcmp(word, wanted[i]))
            return cd_mesh_fail(source, "needs \"%s%s%s\" here", first, second ? " " : "", second ? second : "");
    return CD_OK;
}

static cd_status next_line(cd_mesh_source *source)
{
    cd_mesh_next_line(source);
    return cd_mesh_find_line(source, 0) ? CD_OK : cd_mesh_fail(source, "ends within a solid");
}

// Behind "facet".
static cd_status read_facet(cd_mesh_source *source, vertex_table *table)
{
    double v[3];
    char word[CD_MESH_WORD_MAX];
    CD_TRY(expect(source, "normal", NULL));
    for (int k = 0; k < 3; k++)  // some programs write "nan" for slivers: it is not used
        if (!cd_mesh_word(source, word))
            return cd_mesh_fail(source, "normal: needs 3 numbers, has %d", k);
    CD_TRY(cd_mesh_end_line(source));
    CD_TRY(next_line(source));
    CD_TRY(expect(source, "outer", "loop"));
    CD_TRY(cd_mesh_begin_face(source));
    for (int c = 0; c < 3; c++) {
        CD_TRY(next_line(source));
        CD_TRY(expect(source, "vertex", NULL));
        CD_TRY(cd_mesh_numbers(source, "vertex", 3, v));
        CD_TRY(cd_mesh_end_line(source));
        CD_TRY(add_corner(source, table, v));
    }
    CD_TRY(next_line(source));
    CD_TRY(expect(source, "endloop", NULL));
    CD_TRY(next_line(source));
    return expect(source, "endfacet", NULL);
}

static cd_status read_text(cd_mesh_source *source, vertex_table *table)
{
    char word[CD_MESH_WORD_MAX];
    for (; cd_mesh_find_line(source, 0); cd_mesh_next_line(source)) {  // names of solids may hold anything
        CD_TRY(expect(source, "solid", NULL));
        for (;;) {
            CD_TRY(next_line(source));
            cd_mesh_word(source, word);
            if (!strcmp(word, "endsolid"))
                break;
            if (strcmp(word, "facet"))
                return cd_mesh_fail(source, "needs \"facet\" or \"endsolid\" here, not \"%.40s\"", word);
            CD_TRY(read_facet(source, table));
        }
    }
    return source->first.count ? CD_OK : cd_mesh_fail(source, "has no triangles");
}

static cd_status read_stl(cd_mesh_source *source)
{
    vertex_table table = {0};
    cd_status status;
    if (is_binary(source))
        status = read_binary(source, &table);
    else if (cd_mesh_find_line(source, 0) && source->end - source->at >= 5 && !memcmp(source->at, "solid", 5))
        status = read_text(source, &table);
    else {
        size_t size = (size_t)(source->end - source->bytes);
        source->at = source->bytes + (size < HEADER ? size : HEADER);
        source->line = 0;
        status = size < HEADER + COUNT
                     ? cd_mesh_fail(source, "ends within its header of 84 bytes")
                     : cd_mesh_fail(source, "announces %lu triangles, which take %lu bytes; the file has %zu",
                                    (unsigned long)little_endian(source->bytes + HEADER),
                                    84 + 50ul * little_endian(source->bytes + HEADER), size);
    }
    cd_free(table.slot);
    return status;
}

const cd_mesh_importer cd_mesh_stl = {.name = "stl", .summary = "stereolithography, text and binary", .read = read_stl};
