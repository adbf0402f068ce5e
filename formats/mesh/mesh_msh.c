// msh -- Gmsh's MSH 2.2 and 4.1 as text (C. Geuzaine, J.-F. Remacle, Gmsh reference manual, "File formats"). Sections
// $Nodes and $Elements are read, all others left out. Elements of first order alone: points, lines, triangles,
// quadrilaterals, tetrahedra, hexahedra.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tagged {
    int64_t tag;
    int32_t node;
} tagged;

typedef struct msh {
    cd_mesh_source *source;
    bool is_old;           // 2.2
    CD_LIST(tagged) tags;  // of nodes; by tag once all are read
    bool has_nodes, has_elements;
} msh;

// ---- lines ---------------------------------------------------------------------------------------------------------

// Goes to the next line that has a word.
static cd_status next_line(cd_mesh_source *source, const char *section)
{
    cd_mesh_next_line(source);
    return cd_mesh_find_line(source, 0) ? CD_OK : cd_mesh_fail(source, "%s: the file ends within it", section);
}

static cd_status read_integers(cd_mesh_source *source, const char *label, int count, int64_t *value)
{
    for (int i = 0; i < count; i++)
        CD_TRY(cd_mesh_integer(source, label, &value[i]));
    return CD_OK;
}

static cd_status read_count(cd_mesh_source *source, const char *label, int64_t *count)
{
    CD_TRY(cd_mesh_integer(source, label, count));
    return *count < 0 ? cd_mesh_fail(source, "%s: is negative", label) : CD_OK;
}

static cd_status want_end(cd_mesh_source *source, const char *section)
{
    char word[CD_MESH_WORD_MAX];
    CD_TRY(next_line(source, section));
    cd_mesh_word(source, word);
    if (strncmp(word, "$End", 4) || strcmp(word + 4, section + 1))
        return cd_mesh_fail(source, "%s: \"%.40s\" where its end was wanted", section, word);
    return cd_mesh_end_line(source);
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

static cd_status add_node(msh *m, int64_t tag, int parameters)
{
    double x[3], ignored[3];
    CD_TRY(cd_mesh_numbers(m->source, "node", 3, x));
    CD_TRY(cd_mesh_numbers(m->source, "node", parameters, ignored));
    CD_TRY(cd_mesh_end_line(m->source));
    CD_TRY(cd_mesh_add_node(m->source, cd_vec3_at(x)));
    tagged item = {tag, m->source->vertices.count - 1};
    cd_list_push(m->source->arena, &m->tags, item);
    return CD_OK;
}

// In 2.2 a line is "tag x y z".
static cd_status read_old_nodes(msh *m)
{
    int64_t count, tag;
    CD_TRY(read_count(m->source, "number of nodes", &count));
    CD_TRY(cd_mesh_end_line(m->source));
    for (int64_t i = 0; i < count; i++) {
        CD_TRY(next_line(m->source, "$Nodes"));
        CD_TRY(cd_mesh_integer(m->source, "node", &tag));
        CD_TRY(add_node(m, tag, 0));
    }
    return CD_OK;
}

// In 4.1 a block has a line "dimension entity parametric count", the tags and then the places, a line each.
static cd_status read_node_block(msh *m, int64_t *left)
{
    int64_t entity[3], count, tag;
    CD_TRY(next_line(m->source, "$Nodes"));
    CD_TRY(read_integers(m->source, "block of nodes", 3, entity));
    CD_TRY(read_count(m->source, "number of nodes", &count));
    CD_TRY(cd_mesh_end_line(m->source));
    if (entity[0] < 0 || entity[0] > 3 || (entity[2] != 0 && entity[2] != 1))
        return cd_mesh_fail(m->source, "block of nodes: wanted a dimension 0 to 3, a tag, and 0 or 1");
    if (count > *left)
        return cd_mesh_fail(m->source, "number of nodes: the blocks have more than their section says");
    *left -= count;
    CD_LIST(int64_t) tags = {0};
    for (int64_t i = 0; i < count; i++) {
        CD_TRY(next_line(m->source, "$Nodes"));
        CD_TRY(cd_mesh_integer(m->source, "tag of a node", &tag));
        CD_TRY(cd_mesh_end_line(m->source));
        cd_list_push(m->source->arena, &tags, tag);
    }
    for (int64_t i = 0; i < count; i++) {
        CD_TRY(next_line(m->source, "$Nodes"));
        CD_TRY(add_node(m, tags.item[i], entity[2] ? (int)entity[0] : 0));
    }
    return CD_OK;
}

// "blocks items least-tag largest-tag"
static cd_status read_totals(msh *m, int64_t *blocks, int64_t *items)
{
    int64_t range[2];
    CD_TRY(read_count(m->source, "number of blocks", blocks));
    CD_TRY(read_count(m->source, "number of items", items));
    CD_TRY(read_integers(m->source, "range of tags", 2, range));
    return cd_mesh_end_line(m->source);
}

static cd_status read_new_nodes(msh *m)
{
    int64_t blocks, left;
    CD_TRY(read_totals(m, &blocks, &left));
    for (int64_t b = 0; b < blocks; b++)
        CD_TRY(read_node_block(m, &left));
    return left ? cd_mesh_fail(m->source, "$Nodes: %" PRId64 " nodes are missing", left) : CD_OK;
}

static int compare_tags(const void *a, const void *b)
{
    const tagged *left = a, *right = b;
    return (left->tag > right->tag) - (left->tag < right->tag);
}

static cd_status read_nodes(msh *m)
{
    if (m->has_nodes)
        return cd_mesh_fail(m->source, "$Nodes: is there twice");
    m->has_nodes = true;
    CD_TRY(next_line(m->source, "$Nodes"));
    CD_TRY(m->is_old ? read_old_nodes(m) : read_new_nodes(m));
    if (m->tags.count > 0)
        qsort(m->tags.item, (size_t)m->tags.count, sizeof *m->tags.item, compare_tags);
    for (int32_t i = 1; i < m->tags.count; i++)
        if (m->tags.item[i].tag == m->tags.item[i - 1].tag)
            return cd_mesh_fail(m->source, "node: tag %" PRId64 " is there twice", m->tags.item[i].tag);
    return want_end(m->source, "$Nodes");
}

// ---- elements ------------------------------------------------------------------------------------------------------

static cd_status find_node(const msh *m, int64_t tag, int32_t *node)
{
    tagged key = {.tag = tag};
    const tagged *found = m->tags.count == 0
                              ? NULL
                              : bsearch(&key, m->tags.item, (size_t)m->tags.count, sizeof *m->tags.item, compare_tags);
    if (!found)
        return cd_mesh_fail(m->source, "element: there is no node %" PRId64, tag);
    *node = found->node;
    return CD_OK;
}

// Nodes of a type and its kind, -1: of no dimension that meshes have.
static cd_status find_type(const msh *m, int64_t type, int *nodes, int *kind)
{
    *kind = type == 2   ? CD_ELEMENT_TRI3
            : type == 3 ? CD_ELEMENT_QUAD4
            : type == 4 ? CD_ELEMENT_TET4
            : type == 5 ? CD_ELEMENT_HEX8
                        : -1;
    *nodes = type == 15 ? 1 : type == 1 ? 2 : *kind < 0 ? 0 : cd_element_node_count((cd_element_kind)*kind);
    if (*nodes == 0)
        return cd_mesh_fail(m->source,
                            "element: type %" PRId64 " is none of 15, 1, 2, 3, 4, 5: points, lines, "
                            "triangles, quadrilaterals, tetrahedra, hexahedra of first order",
                            type);
    return CD_OK;
}

// The nodes of an element, to the end of the line.
static cd_status add_element(msh *m, int nodes, int kind)
{
    int32_t node[CD_ELEMENT_MAX_NODES];
    int64_t tag;
    for (int i = 0; i < nodes; i++) {
        CD_TRY(cd_mesh_integer(m->source, "node of an element", &tag));
        CD_TRY(find_node(m, tag, &node[i]));
    }
    CD_TRY(cd_mesh_end_line(m->source));
    return kind < 0 ? CD_OK : cd_mesh_add_element(m->source, (cd_element_kind)kind, node);
}

// In 2.2 a line is "number type tags tag.. node..".
static cd_status read_old_elements(msh *m)
{
    int64_t count, tag;
    CD_TRY(read_count(m->source, "number of elements", &count));
    CD_TRY(cd_mesh_end_line(m->source));
    for (int64_t i = 0; i < count; i++) {
        int64_t value[2], tags;
        int nodes, kind;
        CD_TRY(next_line(m->source, "$Elements"));
        CD_TRY(read_integers(m->source, "element", 2, value));
        CD_TRY(find_type(m, value[1], &nodes, &kind));
        CD_TRY(read_count(m->source, "number of tags", &tags));
        for (int64_t t = 0; t < tags; t++)
            CD_TRY(cd_mesh_integer(m->source, "tag of an element", &tag));
        CD_TRY(add_element(m, nodes, kind));
    }
    return CD_OK;
}

// In 4.1 a block has a line "dimension entity type count", and a line "tag node.." for each element.
static cd_status read_element_block(msh *m, int64_t *left)
{
    int64_t value[3], count, tag;
    int nodes, kind;
    CD_TRY(next_line(m->source, "$Elements"));
    CD_TRY(read_integers(m->source, "block of elements", 3, value));
    CD_TRY(read_count(m->source, "number of elements", &count));
    CD_TRY(cd_mesh_end_line(m->source));
    CD_TRY(find_type(m, value[2], &nodes, &kind));
    if (count > *left)
        return cd_mesh_fail(m->source, "number of elements: the blocks have more than their section says");
    *left -= count;
    for (int64_t i = 0; i < count; i++) {
        CD_TRY(next_line(m->source, "$Elements"));
        CD_TRY(cd_mesh_integer(m->source, "tag of an element", &tag));
        CD_TRY(add_element(m, nodes, kind));
    }
    return CD_OK;
}

static cd_status read_new_elements(msh *m)
{
    int64_t blocks, left;
    CD_TRY(read_totals(m, &blocks, &left));
    for (int64_t b = 0; b < blocks; b++)
        CD_TRY(read_element_block(m, &left));
    return left ? cd_mesh_fail(m->source, "$Elements: %" PRId64 " elements are missing", left) : CD_OK;
}

static cd_status read_elements(msh *m)
{
    if (!m->has_nodes || m->has_elements)
        return cd_mesh_fail(m->source, "$Elements: %s", m->has_nodes ? "is there twice" : "comes before $Nodes");
    m->has_elements = true;
    CD_TRY(next_line(m->source, "$Elements"));
    CD_TRY(m->is_old ? read_old_elements(m) : read_new_elements(m));
    return want_end(m->source, "$Elements");
}

// ---- the file ------------------------------------------------------------------------------------------------------

static cd_status read_format(msh *m)
{
    char word[CD_MESH_WORD_MAX];
    int64_t value[2];
    if (!cd_mesh_find_line(m->source, 0) || !cd_mesh_word(m->source, word) || strcmp(word, "$MeshFormat"))
        return cd_mesh_fail(m->source, "does not begin with $MeshFormat");
    CD_TRY(next_line(m->source, "$MeshFormat"));
    cd_mesh_word(m->source, word);
    m->is_old = !strcmp(word, "2.2");
    if (!m->is_old && strcmp(word, "4.1"))
        return cd_mesh_fail(m->source, "version: \"%.40s\" is none of 2.2, 4.1", word);
    CD_TRY(read_integers(m->source, "file type, size of a number", 2, value));
    if (value[0] != 0)
        return cd_mesh_fail(m->source, "file type: is binary, only text is read");
    CD_TRY(cd_mesh_end_line(m->source));
    return want_end(m->source, "$MeshFormat");
}

static cd_status skip_section(cd_mesh_source *source, const char *section)
{
    char word[CD_MESH_WORD_MAX];
    do {
        CD_TRY(next_line(source, section));
        cd_mesh_word(source, word);
    } while (strncmp(word, "$End", 4) || strcmp(word + 4, section + 1));
    return CD_OK;
}

static cd_status read_msh(cd_mesh_source *source)
{
    msh m = {.source = source};
    char word[CD_MESH_WORD_MAX];
    CD_TRY(read_format(&m));
    while (cd_mesh_next_line(source) && cd_mesh_find_line(source, 0)) {
        cd_mesh_word(source, word);
        if (word[0] != '$' || !strncmp(word, "$End", 4))
            return cd_mesh_fail(source, "\"%.40s\" where a section was wanted", word);
        CD_TRY(!strcmp(word, "$Nodes")      ? read_nodes(&m)
               : !strcmp(word, "$Elements") ? read_elements(&m)
                                            : skip_section(source, word));
    }
    return m.has_elements ? CD_OK : cd_mesh_fail(source, "$Elements: is missing");
}

const cd_mesh_importer cd_mesh_msh = {.name = "msh", .summary = "Gmsh MSH 2.2 and 4.1", .read = read_msh};
