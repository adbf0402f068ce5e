// Mesh files: reading, words and numbers of lines, the lists that all importers fill.
// SPDX-License-Identifier: MIT
#include "cd_mesh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define X(name) &cd_mesh_##name,
const cd_mesh_importer *const cd_mesh_importers[] = {
#include "mesh_importers.def"
    NULL};
#undef X

cd_status cd_mesh_fail(const cd_mesh_source *source, const char *format, ...)
{
    char text[sizeof source->diag->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (source->line)
        return cd_fail(source->diag, CD_ERR_FORMAT, "%s:%d: %s", source->name, source->line, text);
    return cd_fail(source->diag, CD_ERR_FORMAT, "%s: byte %td: %s", source->name, source->at - source->bytes, text);
}

// ---- lines ---------------------------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool cd_mesh_word(cd_mesh_source *source, char word[CD_MESH_WORD_MAX])
{
    while (source->at < source->end && is_blank(*source->at))
        source->at++;
    size_t length = 0;
    for (; source->at < source->end && !is_blank(*source->at) && *source->at != '\n'; source->at++)
        if (length + 1 < CD_MESH_WORD_MAX)
            word[length++] = *source->at ? *source->at : '?';  // a NUL would end the word, and what follows go unseen
    word[length] = '\0';
    return length > 0;
}

bool cd_mesh_next_line(cd_mesh_source *source)
{
    const char *newline = memchr(source->at, '\n', (size_t)(source->end - source->at));
    source->at = newline ? newline + 1 : source->end;
    if (newline && source->line < INT32_MAX)
        source->line++;
    return source->at < source->end;
}

bool cd_mesh_find_line(cd_mesh_source *source, char comment)
{
    while (source->at < source->end) {
        while (source->at < source->end && is_blank(*source->at))
            source->at++;
        if (source->at < source->end && *source->at != '\n' && !(comment && *source->at == comment))
            return true;
        cd_mesh_next_line(source);
    }
    return false;
}

cd_status cd_mesh_end_line(cd_mesh_source *source)
{
    char word[CD_MESH_WORD_MAX];
    return cd_mesh_word(source, word) ? cd_mesh_fail(source, "\"%.40s\" is too much on this line", word) : CD_OK;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

// Letters are looked at first: strtod would take hexadecimal numbers, nan and infinity.
bool cd_mesh_parse_number(const char *word, double *value)
{
    char *end;
    if (word[strspn(word, "+-.0123456789eE")] != '\0' || strlen(word) + 1 >= CD_MESH_WORD_MAX)
        return false;
    *value = strtod(word, &end);
    return end != word && !*end && isfinite(*value);
}

bool cd_mesh_parse_integer(const char *word, int64_t *value)
{
    char *end;
    if (word[strspn(word, "+-0123456789")] != '\0')
        return false;
    errno = 0;
    *value = strtoll(word, &end, 10);
    return end != word && !*end && !errno;
}

cd_status cd_mesh_numbers(cd_mesh_source *source, const char *label, int count, double *value)
{
    char word[CD_MESH_WORD_MAX];
    for (int i = 0; i < count; i++) {
        if (!cd_mesh_word(source, word))
            return cd_mesh_fail(source, "%s: needs %d numbers, has %d", label, count, i);
        if (!cd_mesh_parse_number(word, &value[i]))
            return cd_mesh_fail(source, "%s: \"%.40s\" is not a finite decimal number", label, word);
    }
    return CD_OK;
}

cd_status cd_mesh_integer(cd_mesh_source *source, const char *label, int64_t *value)
{
    char word[CD_MESH_WORD_MAX];
    if (!cd_mesh_word(source, word))
        return cd_mesh_fail(source, "%s: is missing", label);
    return cd_mesh_parse_integer(word, value)
               ? CD_OK
               : cd_mesh_fail(source, "%s: \"%.40s\" is not a whole number", label, word);
}

// ---- lists ---------------------------------------------------------------------------------------------------------

static cd_status fail_limit(const cd_mesh_source *source, const char *what)
{
    return cd_fail(source->diag, CD_ERR_LIMIT, "%s: more than %" PRId64 " %s (--max-rows)", source->name, source->most,
                   what);
}

cd_status cd_mesh_add_vertex(cd_mesh_source *source, cd_vec3 vertex)
{
    if (source->vertices.count >= source->most)
        return fail_limit(source, "vertices");
    if (!isfinite(vertex.x) || !isfinite(vertex.y) || !isfinite(vertex.z))
        return cd_mesh_fail(source, "vertex: is not finite");
    cd_list_push(source->arena, &source->vertices, vertex);
    return CD_OK;
}

cd_status cd_mesh_begin_face(cd_mesh_source *source)
{
    if (source->first.count >= source->most)
        return fail_limit(source, "faces");
    cd_list_push(source->arena, &source->first, source->corners.count);
    return CD_OK;
}

cd_status cd_mesh_add_corner(cd_mesh_source *source, int64_t vertex)
{
    if (source->corners.count >= source->most)
        return fail_limit(source, "corners of faces");
    if (vertex < 0 || vertex > INT32_MAX)
        return cd_mesh_fail(source, "face: there is no vertex %" PRId64, vertex);
    cd_list_push(source->arena, &source->corners, (int32_t)vertex);
    return CD_OK;
}

cd_status cd_mesh_end_face(cd_mesh_source *source)
{
    int32_t count = source->corners.count - source->first.item[source->first.count - 1];
    return count < 3 ? cd_mesh_fail(source, "face: has %d corners, fewer than 3", (int)count) : CD_OK;
}

// ---- files ---------------------------------------------------------------------------------------------------------

cd_status cd_mesh_open(cd_arena *arena, const cd_mesh_text *text, int64_t most, cd_mesh_source *source, cd_diag *diag)
{
    *source = (cd_mesh_source){.arena = arena,
                               .name = text->name,
                               .bytes = text->bytes,
                               .end = text->bytes + text->size,
                               .at = text->bytes,
                               .line = 1,
                               .most = most < INT32_MAX ? most : INT32_MAX - 1,
                               .diag = diag};
    return text->size ? CD_OK : cd_fail(diag, CD_ERR_FORMAT, "%s: is empty", text->name);
}

cd_status cd_mesh_parse(cd_arena *arena, const cd_mesh_importer *importer, cd_mesh_text text, int64_t most,
                        cd_mesh *mesh, cd_diag *diag)
{
    cd_mesh_source source;
    CD_TRY(cd_mesh_open(arena, &text, most, &source, diag));
    CD_TRY(importer->read(&source));
    for (int32_t f = 0; f < source.first.count; f++) {
        int32_t end = f + 1 < source.first.count ? source.first.item[f + 1] : source.corners.count;
        for (int32_t k = source.first.item[f]; k < end; k++)
            if (source.corners.item[k] >= source.vertices.count)
                return cd_fail(diag, CD_ERR_FORMAT, "%s: face %d names vertex %d, counted from 0; there are %d",
                               text.name, (int)f, (int)source.corners.item[k], (int)source.vertices.count);
    }
    *mesh = (cd_mesh){.vertex_count = source.vertices.count,
                      .face_count = source.first.count,
                      .vertex = source.vertices.item,
                      .face_vertex = source.corners.item};
    cd_list_push(arena, &source.first, source.corners.count);
    mesh->face_first = source.first.item;
    return CD_OK;
}

const cd_mesh_importer *cd_mesh_importer_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && cd_mesh_importers[i]; i++)
        if (!strcasecmp(dot + 1, cd_mesh_importers[i]->name))
            return cd_mesh_importers[i];
    return NULL;
}

cd_status cd_mesh_read_file(const char *path, cd_buffer *text, cd_diag *diag)
{
    enum { CHUNK = 1 << 16 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return cd_fail(diag, CD_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    size_t got = 1;
    while (got) {
        cd_buffer_reserve(text, CHUNK);
        got = fread(text->data + text->size, 1, text->capacity - text->size, file);
        text->size += got;
    }
    cd_status status = CD_OK;
    if (ferror(file))
        status = cd_fail(diag, CD_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

cd_status cd_mesh_load(cd_arena *arena, const char *path, int64_t most, cd_mesh *mesh, cd_diag *diag)
{
    const cd_mesh_importer *importer = cd_mesh_importer_of(path);
    if (!importer)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: its name ends in none of .obj, .stl, .off, .ply", path);
    cd_buffer text = {0};
    cd_status status = cd_mesh_read_file(path, &text, diag);
    if (status == CD_OK)
        status = cd_mesh_parse(arena, importer, (cd_mesh_text){path, text.data, text.size}, most, mesh, diag);
    cd_buffer_release(&text);
    return status;
}
