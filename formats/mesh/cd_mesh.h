// cd_mesh -- meshes from files: corners and polygonal faces, as they stand there.
//
// The name's end says which importer reads a file (.obj, .stl, .off, .ply; letters of either case). Importers are
// strict: what they do not know, or what does not fit the file's own counts, is one sentence "file:line: .." (text) or
// "file: byte N: .." (binary) with CD_ERR_FORMAT. Memory grows with what was read, never with what a header announces.
// Whether a mesh is closed or convex is not looked at. O(bytes).
// SPDX-License-Identifier: MIT
#ifndef CD_MESH_H
#define CD_MESH_H

#include "cd_memory.h"
#include "cd_vec3.h"

#include <stdbool.h>

typedef struct cd_mesh {
    int32_t vertex_count, face_count;
    cd_vec3 *vertex;             // finite
    const int32_t *face_first;   // [face_count + 1] as in cd_polyhedron
    const int32_t *face_vertex;  // 0 .. vertex_count - 1; a face may name one twice
} cd_mesh;

// Bytes of a file while an importer goes through them, and the lists that it fills.
typedef struct cd_mesh_source {
    cd_arena *arena;
    const char *name;  // of the file, for messages
    const char *bytes, *end;
    const char *at;  // next byte
    int32_t line;    // of `at`, from 1; 0 in binary data
    int64_t most;    // vertices, and corners of all faces
    CD_LIST(cd_vec3) vertices;
    CD_LIST(int32_t) first, corners;
    int dim;                 // cd_element_mesh.h: of the elements that are wanted
    CD_LIST(int32_t) kinds;  // its elements
    CD_LIST(int32_t) lines;  // of the elements: where each was read
    cd_diag *diag;
} cd_mesh_source;

typedef struct cd_mesh_importer {
    const char *name;  // of the format, also the end of file names
    const char *summary;
    cd_status (*read)(cd_mesh_source *source);
} cd_mesh_importer;

#define X(name) extern const cd_mesh_importer cd_mesh_##name;
#include "mesh_importers.def"
#undef X
extern const cd_mesh_importer *const cd_mesh_importers[];  // NULL-ended

// Reads a whole file; at most `most` vertices and `most` corners of faces (CD_ERR_LIMIT). CD_ERR_IO when it cannot be
// read, CD_ERR_UNSUPPORTED for a name of another end. @owns arena
cd_status cd_mesh_load(cd_arena *arena, const char *path, int64_t most, cd_mesh *mesh, cd_diag *diag) CD_MUST_CHECK;
// A file's content in memory, borrowed.
typedef struct cd_mesh_text {
    const char *name;  // what messages call it
    const char *bytes;
    size_t size;  // [bytes]
} cd_mesh_text;

// At the file's first byte, lists empty. CD_ERR_FORMAT of an empty file.
cd_status cd_mesh_open(cd_arena *arena, const cd_mesh_text *text, int64_t most, cd_mesh_source *source,
                       cd_diag *diag) CD_MUST_CHECK;
// The same from memory, by the importer of that name.
cd_status cd_mesh_parse(cd_arena *arena, const cd_mesh_importer *importer, cd_mesh_text text, int64_t most,
                        cd_mesh *mesh, cd_diag *diag) CD_MUST_CHECK;
// All bytes of a file; CD_ERR_IO when it cannot be read. The caller releases `text`.
cd_status cd_mesh_read_file(const char *path, cd_buffer *text, cd_diag *diag) CD_MUST_CHECK;
// The importer of a file's name; NULL: none.
const cd_mesh_importer *cd_mesh_importer_of(const char *path);

// ---- for importers -------------------------------------------------------------------------------------------------

enum { CD_MESH_WORD_MAX = 64 };  // bytes of a number or keyword, with NUL

// "file:line: reason", "file: byte N: reason" in binary data.
cd_status cd_mesh_fail(const cd_mesh_source *source, const char *format, ...) CD_PRINTF(2, 3);
// The next word of the line; false at its end (which is not passed). Words longer than the buffer are cut.
bool cd_mesh_word(cd_mesh_source *source, char word[CD_MESH_WORD_MAX]);
// Goes to the beginning of the next line; false at the end of the file.
bool cd_mesh_next_line(cd_mesh_source *source);
// Goes on to a line with a word on it, leaving out comments that begin with `comment` (0: none); false at the end of
// the file.
bool cd_mesh_find_line(cd_mesh_source *source, char comment);
// Nothing more may stand on the line.
cd_status cd_mesh_end_line(cd_mesh_source *source) CD_MUST_CHECK;
// Words of the line as finite numbers, integers.
cd_status cd_mesh_numbers(cd_mesh_source *source, const char *label, int count, double *value) CD_MUST_CHECK;
cd_status cd_mesh_integer(cd_mesh_source *source, const char *label, int64_t *value) CD_MUST_CHECK;
bool cd_mesh_parse_integer(const char *word, int64_t *value);
bool cd_mesh_parse_number(const char *word, double *value);  // decimal and finite

cd_status cd_mesh_add_vertex(cd_mesh_source *source, cd_vec3 vertex) CD_MUST_CHECK;
// A face begins, and gets its corners one by one.
cd_status cd_mesh_begin_face(cd_mesh_source *source) CD_MUST_CHECK;
cd_status cd_mesh_add_corner(cd_mesh_source *source, int64_t vertex) CD_MUST_CHECK;  // vertex is checked at the end
cd_status cd_mesh_end_face(cd_mesh_source *source) CD_MUST_CHECK;                    // 3 corners at least

#endif
