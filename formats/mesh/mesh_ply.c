// ply -- the Stanford polygon format: a header that describes the tables behind it, as text or binary of either byte
// order. Of the element `vertex` the properties x, y, z are kept, of `face` the list vertex_indices (or vertex_index);
// all else is gone over.
// SPDX-License-Identifier: MIT
#include "cd_mesh.h"

#include <inttypes.h>

typedef enum scalar_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, NO_TYPE } scalar_type;
static const char *const type_name[NO_TYPE][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                  {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                  {"float", "float32"}, {"double", "float64"}};
static const int type_size[NO_TYPE] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum encoding { TEXT, LITTLE_ENDIAN_BYTES, BIG_ENDIAN_BYTES } encoding;

typedef struct property {
    scalar_type length;  // of a list: the type of its count; NO_TYPE: a single value
    scalar_type type;
    int use;  // 0, 1, 2 the coordinates; 3 the corners; -1 none
} property;

typedef struct element {
    int64_t count;
    int32_t first_property, property_count;
    char name[CD_MESH_WORD_MAX];
} element;

typedef struct header {
    encoding encoding;
    CD_LIST(element) elements;
    CD_LIST(property) properties;
} header;

// ---- header --------------------------------------------------------------------------------------------------------

static cd_status read_type(cd_mesh_source *source, scalar_type *type)
{
    char word[CD_MESH_WORD_MAX];
    cd_mesh_word(source, word);
    for (*type = 0; *type < NO_TYPE; (*type)++)
        if (!strcmp(word, type_name[*type][0]) || !strcmp(word, type_name[*type][1]))
            return CD_OK;
    return cd_mesh_fail(source, "property: \"%.40s\" is not a type", word);
}

static cd_status read_property(cd_mesh_source *source, header *h)
{
    static const char *const coordinate[] = {"x", "y", "z"};
    property p = {.length = NO_TYPE, .use = -1};
    char word[CD_MESH_WORD_MAX];
    if (!h->elements.count)
        return cd_mesh_fail(source, "property: there is no element before it");
    element *e = &h->elements.item[h->elements.count - 1];
    const char *start = source->at;
    cd_mesh_word(source, word);
    if (!strcmp(word, "list")) {
        CD_TRY(read_type(source, &p.length));
        if (p.length >= FLOAT32)
            return cd_mesh_fail(source, "property: the length of a list must be a whole number");
    } else
        source->at = start;
    CD_TRY(read_type(source, &p.type));
    if (!cd_mesh_word(source, word))
        return cd_mesh_fail(source, "property: its name is missing");
    if (!strcmp(e->name, "vertex") && p.length == NO_TYPE)
        for (int k = 0; k < 3; k++)
            p.use = !strcmp(word, coordinate[k]) ? k : p.use;
    if (!strcmp(e->name, "face") && p.length != NO_TYPE && p.type < FLOAT32 &&
        (!strcmp(word, "vertex_indices") || !strcmp(word, "vertex_index")))
        p.use = 3;
    for (int32_t i = 0; i < e->property_count; i++)
        if (p.use >= 0 && h->properties.item[e->first_property + i].use == p.use)
            return cd_mesh_fail(source, "property: \"%.40s\" is there twice", word);
    cd_list_push(source->arena, &h->properties, p);
    e->property_count++;
    return cd_mesh_end_line(source);
}

static cd_status read_element(cd_mesh_source *source, header *h)
{
    element e = {.first_property = h->properties.count};
    if (!cd_mesh_word(source, e.name))
        return cd_mesh_fail(source, "element: its name is missing");
    CD_TRY(cd_mesh_integer(source, "element", &e.count));
    if (e.count < 0)
        return cd_mesh_fail(source, "element: its count is negative");
    for (int32_t i = 0; i < h->elements.count; i++)
        if (!strcmp(h->elements.item[i].name, e.name))
            return cd_mesh_fail(source, "element: \"%.40s\" is there twice", e.name);
    cd_list_push(source->arena, &h->elements, e);
    return cd_mesh_end_line(source);
}

static cd_status read_format(cd_mesh_source *source, header *h)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char word[CD_MESH_WORD_MAX], version[CD_MESH_WORD_MAX];
    if (!cd_mesh_next_line(source) || !cd_mesh_word(source, word) || strcmp(word, "format"))
        return cd_mesh_fail(source, "needs \"format\" here");
    cd_mesh_word(source, word);
    int e = 0;
    while (e < 3 && strcmp(word, names[e]))
        e++;
    h->encoding = (encoding)e;
    cd_mesh_word(source, version);
    if (e == 3 || strcmp(version, "1.0"))
        return cd_mesh_fail(source, "format: \"%.30s %.20s\" is not understood", word, version);
    return cd_mesh_end_line(source);
}

// An element without properties takes no bytes, so its count could not be checked against the file.
static cd_status check_header(cd_mesh_source *source, const header *h)
{
    int found = 0;
    for (int32_t i = 0; i < h->elements.count; i++) {
        const element *e = &h->elements.item[i];
        if (!e->property_count)
            return cd_mesh_fail(source, "element: \"%.40s\" has no properties", e->name);
        for (int32_t p = 0; p < e->property_count; p++)
            found |= h->properties.item[e->first_property + p].use >= 0
                         ? 1 << h->properties.item[e->first_property + p].use
                         : 0;
    }
    if ((found & 7) != 7)
        return cd_mesh_fail(source, "element vertex with properties x, y, z is missing");
    return CD_OK;
}

static cd_status read_header(cd_mesh_source *source, header *h)
{
    char word[CD_MESH_WORD_MAX];
    if (!cd_mesh_word(source, word) || strcmp(word, "ply") || source->bytes[0] != 'p')
        return cd_mesh_fail(source, "does not begin with ply");
    CD_TRY(read_format(source, h));
    for (;;) {
        if (!cd_mesh_next_line(source) || !cd_mesh_word(source, word))
            return cd_mesh_fail(source, "needs \"end_header\"");
        if (!strcmp(word, "end_header"))
            break;
        if (!strcmp(word, "element"))
            CD_TRY(read_element(source, h));
        else if (!strcmp(word, "property"))
            CD_TRY(read_property(source, h));
        else if (strcmp(word, "comment") && strcmp(word, "obj_info"))
            return cd_mesh_fail(source, "\"%.40s\" is not understood", word);
    }
    CD_TRY(check_header(source, h));
    cd_mesh_next_line(source);
    return CD_OK;
}

// ---- data ----------------------------------------------------------------------------------------------------------

static cd_status read_bytes(cd_mesh_source *source, encoding order, scalar_type type, double *value)
{
    int size = type_size[type];
    if (source->end - source->at < size)
        return cd_mesh_fail(source, "the file ends within its tables");
    uint64_t bits = 0;
    for (int i = 0; i < size; i++)
        bits = bits << 8 | (unsigned char)source->at[order == BIG_ENDIAN_BYTES ? i : size - 1 - i];
    uint32_t low = (uint32_t)bits;
    float single;
    switch (type) {
    case INT8:
        *value = (int8_t)low;
        break;
    case INT16:
        *value = (int16_t)low;
        break;
    case INT32:
        *value = (int32_t)low;
        break;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        *value = (double)single;
        break;
    case FLOAT64:
        memcpy(value, &bits, sizeof *value);
        break;
    case UINT8:
    case UINT16:
    case UINT32:
    case NO_TYPE:
        *value = (double)low;
        break;
    }
    source->at += size;
    return CD_OK;
}

static cd_status read_scalar(cd_mesh_source *source, encoding order, scalar_type type, double *value)
{
    int64_t whole;
    if (order != TEXT)
        return read_bytes(source, order, type, value);
    if (type >= FLOAT32)
        return cd_mesh_numbers(source, "property", 1, value);
    CD_TRY(cd_mesh_integer(source, "property", &whole));
    *value = (double)whole;
    return CD_OK;
}

static cd_status read_list(cd_mesh_source *source, encoding order, property p)
{
    double length, value;
    CD_TRY(read_scalar(source, order, p.length, &length));
    if (length < 0)
        return cd_mesh_fail(source, "a list has a negative length");
    if (p.use == 3)
        CD_TRY(cd_mesh_begin_face(source));
    for (int64_t i = 0; i < (int64_t)length; i++) {
        CD_TRY(read_scalar(source, order, p.type, &value));
        if (p.use == 3)
            CD_TRY(cd_mesh_add_corner(source, (int64_t)value));
    }
    return p.use == 3 ? cd_mesh_end_face(source) : CD_OK;
}

static cd_status read_row(cd_mesh_source *source, const header *h, const element *e, bool is_vertex)
{
    double v[3] = {0}, value;
    for (int32_t i = 0; i < e->property_count; i++) {
        property p = h->properties.item[e->first_property + i];
        if (p.length != NO_TYPE)
            CD_TRY(read_list(source, h->encoding, p));
        else
            CD_TRY(read_scalar(source, h->encoding, p.type, p.use >= 0 ? &v[p.use] : &value));
    }
    return is_vertex ? cd_mesh_add_vertex(source, cd_vec3_at(v)) : CD_OK;
}

static cd_status read_ply(cd_mesh_source *source)
{
    header h = {0};
    CD_TRY(read_header(source, &h));
    if (h.encoding != TEXT)
        source->line = 0;
    for (int32_t i = 0; i < h.elements.count; i++) {
        const element *e = &h.elements.item[i];
        for (int64_t row = 0; row < e->count; row++) {
            if (source->at >= source->end || (h.encoding == TEXT && !cd_mesh_find_line(source, 0)))
                return cd_mesh_fail(source, "ends after %" PRId64 " of %" PRId64 " rows of element %.40s", row,
                                    e->count, e->name);
            CD_TRY(read_row(source, &h, e, !strcmp(e->name, "vertex")));
            if (h.encoding == TEXT) {
                CD_TRY(cd_mesh_end_line(source));
                cd_mesh_next_line(source);
            }
        }
    }
    if (h.encoding == TEXT ? cd_mesh_find_line(source, 0) : source->at < source->end)
        return cd_mesh_fail(source, "more data than the header announces");
    return CD_OK;
}

const cd_mesh_importer cd_mesh_ply = {.name = "ply", .summary = "Stanford polygons, text and binary", .read = read_ply};
