// obj -- Wavefront OBJ: vertices "v x y z" and polygonal faces "f i j k ..", with numbers from 1, or negative ones that
// count back from the vertex last read; textures and normals behind slashes, groups and materials are left out, and so
// are points and lines. Free-form geometry is refused. A backslash at its end continues a line.
// SPDX-License-Identifier: MIT
#include "cd_mesh.h"

#include <inttypes.h>

// The next word, over a line's end that is continued.
static bool next_word(cd_mesh_source *source, char word[CD_MESH_WORD_MAX])
{
    while (cd_mesh_word(source, word)) {
        if (strcmp(word, "\\"))
            return word[0] != '#';
        if (!cd_mesh_next_line(source))
            return false;
    }
    return false;
}

// "v x y z", with a weight of 1 or a colour behind it.
static cd_status read_vertex(cd_mesh_source *source)
{
    char word[CD_MESH_WORD_MAX];
    double value[7];
    int count = 0;
    while (next_word(source, word)) {
        if (count == 7)
            return cd_mesh_fail(source, "v: has more than 7 numbers");
        if (!cd_mesh_parse_number(word, &value[count++]))
            return cd_mesh_fail(source, "v: \"%.40s\" is not a finite decimal number", word);
    }
    if (count != 3 && count != 4 && count != 6 && count != 7)
        return cd_mesh_fail(source, "v: needs 3 numbers, has %d", count);
    if (count == 4 && value[3] != 1)
        return cd_mesh_fail(source, "v: weights other than 1 are not understood");
    return cd_mesh_add_vertex(source, cd_vec3_at(value));
}

// "f v v v", "f v/t ..", "f v//n ..", "f v/t/n ..".
static cd_status read_face(cd_mesh_source *source)
{
    char word[CD_MESH_WORD_MAX];
    int64_t number;
    CD_TRY(cd_mesh_begin_face(source));
    while (next_word(source, word)) {
        char *slash = strchr(word, '/');
        if (slash)
            *slash = '\0';
        if (!cd_mesh_parse_integer(word, &number) || number == 0 ||
            (slash && slash[1 + strspn(slash + 1, "+-/0123456789")] != '\0'))
            return cd_mesh_fail(source, "f: \"%.40s\" is not a vertex number, from 1", word);
        if (number < -(int64_t)source->vertices.count)
            return cd_mesh_fail(source, "f: there is no vertex %" PRId64, number);
        CD_TRY(cd_mesh_add_corner(source, number > 0 ? number - 1 : source->vertices.count + number));
    }
    return cd_mesh_end_face(source);
}

static cd_status read_obj(cd_mesh_source *source)
{
    static const char *const left_out[] = {"vt", "vn", "g", "o", "s", "usemtl", "mtllib", "p", "l", "mg", NULL};
    char word[CD_MESH_WORD_MAX];
    for (; cd_mesh_find_line(source, '#'); cd_mesh_next_line(source)) {
        cd_mesh_word(source, word);
        int known = 0;
        while (left_out[known] && strcmp(left_out[known], word))
            known++;
        if (!strcmp(word, "v"))
            CD_TRY(read_vertex(source));
        else if (!strcmp(word, "f"))
            CD_TRY(read_face(source));
        else if (!left_out[known])
            return cd_mesh_fail(source, "\"%.40s\" is not understood", word);
        else
            while (next_word(source, word)) {
            }
    }
    return source->vertices.count ? CD_OK : cd_mesh_fail(source, "has no vertices");
}

const cd_mesh_importer cd_mesh_obj = {.name = "obj", .summary = "Wavefront OBJ", .read = read_obj};
