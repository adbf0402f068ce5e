// libyaml's events to the tree. What libyaml lets pass and a scene should not, is refused here.
// SPDX-License-Identifier: MIT
#include "cd_yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

typedef struct anchor {
    const char *name;
    const cd_yaml_node *node;  // NULL while its own content is still being read
} anchor;

typedef struct tree_builder {
    cd_arena *arena;
    const char *file;
    const char *bytes;
    size_t size;
    yaml_parser_t parser;
    CD_LIST(anchor) anchors;
    int64_t aliased;  // nodes reached through aliases so far
    cd_diag *diag;
} tree_builder;

// Children while their number is not yet known.
typedef struct child_list {
    CD_LIST(const cd_yaml_node *) item, key;
    CD_LIST(const cd_yaml_node *) merge;  // values of `<<`
} child_list;

static cd_status parse_node(tree_builder *b, yaml_event_t *event, int depth, const cd_yaml_node **node);

// ---- messages ------------------------------------------------------------------------------------------------------

static cd_status fail_at_line(tree_builder *b, size_t line, cd_status status, const char *reason)
{
    return cd_fail(b->diag, status, "%s:%zu: %s", b->file, line, reason);
}

// Whether white space before the text of a line (from 0) holds a tab: the one mistake that libyaml names worst.
static bool line_is_indented_by_tab(const tree_builder *b, size_t line)
{
    const char *at = b->bytes, *end = b->bytes + b->size;
    while (line > 0 && at < end)
        line -= *at++ == '\n';
    while (at < end && *at == ' ')
        at++;
    return at < end && *at == '\t';
}

static cd_status fail_parser(tree_builder *b)
{
    const yaml_parser_t *p = &b->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return cd_fail(b->diag, CD_ERR_MEMORY, "%s: out of memory", b->file);
    if (p->error == YAML_READER_ERROR)
        return cd_fail(b->diag, CD_ERR_FORMAT, "%s: byte %zu: not text: %s", b->file, p->problem_offset, p->problem);
    if (line_is_indented_by_tab(b, p->problem_mark.line))
        return fail_at_line(b, p->problem_mark.line + 1, CD_ERR_FORMAT, "indented by a tab: use spaces");
    return cd_fail(b->diag, CD_ERR_FORMAT, "%s:%zu: %s%s%s", b->file, p->problem_mark.line + 1,
                   p->problem ? p->problem : "not YAML", p->context ? " " : "", p->context ? p->context : "");
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

static cd_status next_event(tree_builder *b, yaml_event_t *event)
{
    return yaml_parser_parse(&b->parser, event) ? CD_OK : fail_parser(b);
}

static cd_yaml_node *node_new(tree_builder *b, cd_yaml_kind kind, size_t line)
{
    cd_yaml_node *node = cd_arena_zalloc(b->arena, sizeof *node);
    *node = (cd_yaml_node){.kind = kind, .line = (int32_t)(line + 1), .file = b->file, .weight = 1};
    return node;
}

// Remembers the name of an anchor; its node follows when it is complete. Returns the place, or -1 without a name.
static int32_t anchor_open(tree_builder *b, const yaml_char_t *name)
{
    if (!name)
        return -1;
    anchor opened = {cd_arena_text(b->arena, (const char *)name, strlen((const char *)name)), NULL};
    cd_list_push(b->arena, &b->anchors, opened);
    return b->anchors.count - 1;
}

static cd_status resolve_alias(tree_builder *b, const char *name, size_t line, const cd_yaml_node **node)
{
    for (int32_t i = b->anchors.count - 1; i >= 0; i--) {  // the latest anchor of a name holds
        if (strcmp(b->anchors.item[i].name, name))
            continue;
        if (!b->anchors.item[i].node)
            return cd_fail(b->diag, CD_ERR_FORMAT, "%s:%zu: alias *%.40s stands inside its own anchor", b->file,
                           line + 1, name);
        *node = b->anchors.item[i].node;
        b->aliased += (*node)->weight;
        if (b->aliased > CD_YAML_MAX_ALIASED)
            return cd_fail(b->diag, CD_ERR_LIMIT, "%s:%zu: aliases repeat more than %d values", b->file, line + 1,
                           CD_YAML_MAX_ALIASED);
        return CD_OK;
    }
    return cd_fail(b->diag, CD_ERR_FORMAT, "%s:%zu: alias *%.40s has no anchor above it", b->file, line + 1, name);
}

static void seal_children(tree_builder *b, cd_yaml_node *node, const child_list *children)
{
    node->count = children->item.count;
    node->item = children->item.item;
    node->key = children->key.item;
    for (int32_t i = 0; i < node->count; i++)
        node->weight += node->item[i]->weight + (node->key ? 1 : 0);
    (void)b;
}

static cd_status parse_list(tree_builder *b, cd_yaml_node *node, int depth)
{
    child_list children = {0};
    for (;;) {
        yaml_event_t event;
        CD_TRY(next_event(b, &event));
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        const cd_yaml_node *item;
        CD_TRY(parse_node(b, &event, depth, &item));
        cd_list_push(b->arena, &children.item, item);
    }
    seal_children(b, node, &children);
    return CD_OK;
}

typedef struct sort_key {
    const char *text;
    int32_t index;
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

// Sorts the pairs by key into node->order and finds a key that is there twice.
static cd_status order_keys(tree_builder *b, cd_yaml_node *node)
{
    sort_key *sorted = CD_ARENA_ARRAY(b->arena, sort_key, node->count);
    for (int32_t i = 0; i < node->count; i++)
        sorted[i] = (sort_key){node->key[i]->text, i};
    qsort(sorted, (size_t)node->count, sizeof *sorted, compare_keys);
    int32_t *order = CD_ARENA_ARRAY(b->arena, int32_t, node->count);
    for (int32_t i = 0; i < node->count; i++) {
        order[i] = sorted[i].index;
        if (i > 0 && !strcmp(sorted[i].text, sorted[i - 1].text))
            return cd_yaml_fail(node->key[sorted[i].index], b->diag, "%.80s: key is there twice, first in line %d",
                                sorted[i].text, node->key[sorted[i - 1].index]->line);
    }
    node->order = order;
    return CD_OK;
}

static bool has_key(const child_list *children, const char *text)
{
    for (int32_t i = 0; i < children->key.count; i++)
        if (!strcmp(children->key.item[i]->text, text))
            return true;
    return false;
}

// `<<: *base` or `<<: [*a, *b]`: pairs whose keys the map does not have itself; of several bases the first one wins.
static cd_status merge_one(tree_builder *b, child_list *children, const cd_yaml_node *base, const cd_yaml_node *where)
{
    if (base->kind != CD_YAML_MAP)
        return cd_yaml_fail(where, b->diag, "<<: needs an alias of a map, or a list of them");
    if ((int64_t)base->count * children->key.count > CD_YAML_MAX_ALIASED)
        return cd_yaml_fail_status(where, b->diag, CD_ERR_LIMIT, "<<: the merged maps are too large");
    for (int32_t i = 0; i < base->count; i++) {
        if (has_key(children, base->key[i]->text))
            continue;
        cd_list_push(b->arena, &children->key, base->key[i]);
        cd_list_push(b->arena, &children->item, base->item[i]);
    }
    return CD_OK;
}

static cd_status merge_bases(tree_builder *b, child_list *children)
{
    for (int32_t m = 0; m < children->merge.count; m++) {
        const cd_yaml_node *value = children->merge.item[m];
        if (value->kind != CD_YAML_LIST) {
            CD_TRY(merge_one(b, children, value, value));
            continue;
        }
        for (int32_t i = 0; i < value->count; i++)
            CD_TRY(merge_one(b, children, value->item[i], value));
    }
    return CD_OK;
}

static cd_status parse_map(tree_builder *b, cd_yaml_node *node, int depth)
{
    child_list children = {0};
    for (;;) {
        yaml_event_t event;
        const cd_yaml_node *key, *item;
        CD_TRY(next_event(b, &event));
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        CD_TRY(parse_node(b, &event, depth, &key));
        if (key->kind != CD_YAML_SCALAR)
            return cd_yaml_fail(key, b->diag, "a key must be a word");
        CD_TRY(next_event(b, &event));
        CD_TRY(parse_node(b, &event, depth, &item));
        if (key->is_plain && !strcmp(key->text, "<<")) {
            if (children.merge.count)
                return cd_yaml_fail(key, b->diag, "<<: key is there twice");
            cd_list_push(b->arena, &children.merge, item);
            continue;
        }
        cd_list_push(b->arena, &children.key, key);
        cd_list_push(b->arena, &children.item, item);
    }
    CD_TRY(merge_bases(b, &children));
    seal_children(b, node, &children);
    return order_keys(b, node);
}

// Takes over the event and deletes it.
static cd_status parse_node(tree_builder *b, yaml_event_t *event, int depth, const cd_yaml_node **node)
{
    size_t line = event->start_mark.line;
    const yaml_char_t *tag = NULL, *name = NULL;
    cd_yaml_node *made = NULL;
    cd_status status = CD_OK;
    // The node itself, empty as yet.
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        status = resolve_alias(b, (const char *)event->data.alias.anchor, line, node);
        break;
    case YAML_SCALAR_EVENT:
        made = node_new(b, CD_YAML_SCALAR, line);
        made->text = cd_arena_text(b->arena, (const char *)event->data.scalar.value, event->data.scalar.length);
        made->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        if (strlen(made->text) != event->data.scalar.length)
            status = fail_at_line(b, line + 1, CD_ERR_FORMAT, "text holds a NUL byte");
        tag = event->data.scalar.tag;
        name = event->data.scalar.anchor;
        break;
    case YAML_SEQUENCE_START_EVENT:
        made = node_new(b, CD_YAML_LIST, line);
        tag = event->data.sequence_start.tag;
        name = event->data.sequence_start.anchor;
        break;
    case YAML_MAPPING_START_EVENT:
        made = node_new(b, CD_YAML_MAP, line);
        tag = event->data.mapping_start.tag;
        name = event->data.mapping_start.anchor;
        break;
    default:
        status = fail_at_line(b, line + 1, CD_ERR_FORMAT, "a value was expected");
        break;
    }
    // What names it.
    if (status == CD_OK && tag)
        status = cd_fail(b->diag, CD_ERR_FORMAT, "%s:%zu: tag %.40s: tags have no place here", b->file, line + 1,
                         (const char *)tag);
    int32_t place = status == CD_OK && made ? anchor_open(b, name) : -1;
    yaml_event_delete(event);
    if (status != CD_OK || !made)
        return status;
    // What is in it; only then the name may be used, so that no node holds itself.
    if (made->kind != CD_YAML_SCALAR && depth >= CD_YAML_MAX_DEPTH)
        return cd_yaml_fail_status(made, b->diag, CD_ERR_LIMIT, "lists and maps nest deeper than %d",
                                   CD_YAML_MAX_DEPTH);
    if (made->kind == CD_YAML_LIST)
        CD_TRY(parse_list(b, made, depth + 1));
    else if (made->kind == CD_YAML_MAP)
        CD_TRY(parse_map(b, made, depth + 1));
    if (place >= 0)
        b->anchors.item[place].node = made;
    *node = made;
    return CD_OK;
}

// ---- the document --------------------------------------------------------------------------------------------------

// Reads an event and deletes it, returning its type and line (from 1).
static cd_status skip_event(tree_builder *b, yaml_event_type_t *type, size_t *line)
{
    yaml_event_t event;
    CD_TRY(next_event(b, &event));
    *type = event.type;
    *line = event.start_mark.line + 1;
    yaml_event_delete(&event);
    return CD_OK;
}

static cd_status parse_document(tree_builder *b, const cd_yaml_node **root)
{
    yaml_event_type_t type;
    size_t line;
    yaml_event_t event;
    CD_TRY(skip_event(b, &type, &line));  // stream start
    CD_TRY(skip_event(b, &type, &line));
    if (type == YAML_STREAM_END_EVENT)
        return cd_fail(b->diag, CD_ERR_FORMAT, "%s: empty", b->file);
    CD_TRY(next_event(b, &event));
    CD_TRY(parse_node(b, &event, 0, root));
    CD_TRY(skip_event(b, &type, &line));  // document end
    CD_TRY(skip_event(b, &type, &line));
    if (type != YAML_STREAM_END_EVENT)
        return fail_at_line(b, line, CD_ERR_FORMAT, "a second document begins");
    return CD_OK;
}

cd_status cd_yaml_parse(cd_arena *arena, const char *file, const char *bytes, size_t size, const cd_yaml_node **root,
                        cd_diag *diag)
{
    tree_builder b = {.arena = arena, .bytes = bytes, .size = size, .diag = diag};
    b.file = cd_arena_text(arena, file, strlen(file));
    if (!yaml_parser_initialize(&b.parser))
        return cd_fail(diag, CD_ERR_MEMORY, "%s: out of memory", file);
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)bytes, size);
    cd_status status = parse_document(&b, root);
    yaml_parser_delete(&b.parser);
    return status;
}

static cd_status read_all(FILE *file, const char *name, int64_t max_bytes, cd_buffer *bytes, cd_diag *diag)
{
    for (;;) {
        cd_buffer_reserve(bytes, 65536);
        size_t got = fread(bytes->data + bytes->size, 1, 65536, file);
        bytes->size += got;
        if ((int64_t)bytes->size > max_bytes)
            return cd_fail(diag, CD_ERR_LIMIT, "%s: longer than %lld bytes", name, (long long)max_bytes);
        if (got == 0)
            return ferror(file) ? cd_fail(diag, CD_ERR_IO, "%s: cannot read: %s", name, strerror(errno)) : CD_OK;
    }
}

cd_status cd_yaml_load(cd_arena *arena, const char *path, int64_t max_bytes, const cd_yaml_node **root, cd_diag *diag)
{
    bool is_stdin = !path || !strcmp(path, "-");
    const char *name = is_stdin ? "stdin" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file)
        return cd_fail(diag, CD_ERR_IO, "%s: cannot open: %s", name, strerror(errno));
    cd_buffer bytes = {0};
    cd_status status = read_all(file, name, max_bytes, &bytes, diag);
    if (!is_stdin)
        fclose(file);
    if (status == CD_OK)
        status = cd_yaml_parse(arena, name, bytes.data, bytes.size, root, diag);
    cd_buffer_release(&bytes);
    return status;
}
