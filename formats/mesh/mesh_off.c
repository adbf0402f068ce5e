// off -- the Object File Format of Geomview: "OFF", the counts of vertices, faces and edges, a line for each vertex and
// face. Colours behind a face's corners are left out; other headers (COFF, NOFF, 4OFF, BINARY) are refused.
// SPDX-License-Identifier: MIT
#include "cd_mesh.h"

#include <inttypes.h>

static cd_status read_counts(cd_mesh_source *source, int64_t count[3])
{
    static const char *const label[] = {"number of vertices", "number of faces", "number of edges"};
    char word[CD_MESH_WORD_MAX];
    if (!cd_mesh_find_line(source, '#') || !cd_mesh_word(source, word) || strcmp(word, "OFF"))
        return cd_mesh_fail(source, "does not begin with OFF");
    const char *rest = source->at;
    if (!cd_mesh_word(source, word) || word[0] == '#') {
        cd_mesh_next_line(source);
        if (!cd_mesh_find_line(source, '#'))
            return cd_mesh_fail(source, "the counts are missing");
    } else
        source->at = rest;
    for (int i = 0; i < 3; i++) {
        CD_TRY(cd_mesh_integer(source, label[i], &count[i]));
        if (count[i] < 0)
            return cd_mesh_fail(source, "%s: is negative", label[i]);
    }
    return cd_mesh_end_line(source);
}

static cd_status read_face(cd_mesh_source *source)
{
    int64_t corners, vertex;
    CD_TRY(cd_mesh_integer(source, "number of corners", &corners));
    CD_TRY(cd_mesh_begin_face(source));
    for (int64_t k = 0; k < corners; k++) {
        CD_TRY(cd_mesh_integer(source, "corner", &vertex));
        CD_TRY(cd_mesh_add_corner(source, vertex));
    }
    return cd_mesh_end_face(source);
}

static cd_status read_off(cd_mesh_source *source)
{
    int64_t count[3];
    double v[3];
    CD_TRY(read_counts(source, count));
    for (int64_t i = 0; i < count[0]; i++) {
        cd_mesh_next_line(source);
        if (!cd_mesh_find_line(source, '#'))
            return cd_mesh_fail(source, "ends after %" PRId64 " of %" PRId64 " vertices", i, count[0]);
        CD_TRY(cd_mesh_numbers(source, "vertex", 3, v));
        CD_TRY(cd_mesh_end_line(source));
        CD_TRY(cd_mesh_add_vertex(source, cd_vec3_at(v)));
    }
    for (int64_t i = 0; i < count[1]; i++) {
        cd_mesh_next_line(source);
        if (!cd_mesh_find_line(source, '#'))
            return cd_mesh_fail(source, "ends after %" PRId64 " of %" PRId64 " faces", i, count[1]);
        CD_TRY(read_face(source));
    }
    cd_mesh_next_line(source);
    return cd_mesh_find_line(source, '#') ? cd_mesh_fail(source, "more lines than vertices and faces") : CD_OK;
}

const cd_mesh_importer cd_mesh_off = {.name = "off", .summary = "Object File Format (Geomview)", .read = read_off};
