// cd_yaml -- a YAML document as a tree of nodes that know their line, and typed, checked access to it.
//
// Order: cd_yaml_load (or cd_yaml_parse) -> the root -> cd_yaml_find, cd_yaml_number ... or, for a whole map,
// cd_yaml_read with a table of keys. Nodes live in the arena given to the parser. An alias is the node of its anchor,
// not a copy. Every error is one sentence "file:line: key: reason" with CD_ERR_FORMAT, or CD_ERR_LIMIT for the caps
// below.
//
// The dialect is narrower than YAML 1.1, so that no value means something by surprise: one document; keys are plain
// words, each there once; no tags; numbers are decimal (no octal, sexagesimal, .inf, .nan); true and false are the only
// booleans; `<<` merges maps. Cost: O(n log n) in the number of nodes.
// SPDX-License-Identifier: MIT
#ifndef CD_YAML_H
#define CD_YAML_H

#include "cd_memory.h"
#include "cd_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CD_YAML_MAX_DEPTH = 64 };         // of nested lists and maps
enum { CD_YAML_MAX_ALIASED = 1000000 };  // nodes reached through aliases, counted as often as they are reached

typedef enum cd_yaml_kind { CD_YAML_SCALAR, CD_YAML_LIST, CD_YAML_MAP } cd_yaml_kind;

typedef struct cd_yaml_node {
    cd_yaml_kind kind;
    bool is_plain;                           // scalar without quotes: may be a number or a boolean
    int32_t line;                            // from 1
    const char *file;                        // as named by the caller
    const char *text;                        // scalar, NUL-terminated
    int32_t count;                           // items of a list, pairs of a map
    const struct cd_yaml_node *const *item;  // items of a list, values of a map, as they stood in the file
    const struct cd_yaml_node *const *key;   // map: scalars
    const int32_t *order;                    // map: pairs in order of their key text
    int64_t weight;                          // this node and all below it, aliases followed
} cd_yaml_node;

// Reads a whole file; path NULL or "-" is standard input. max_bytes bounds what is read. CD_ERR_IO when it cannot be
// read.
cd_status cd_yaml_load(cd_arena *arena, const char *path, int64_t max_bytes, const cd_yaml_node **root,
                       cd_diag *diag) CD_MUST_CHECK;
// The same from memory; `file` is the name used in messages.
cd_status cd_yaml_parse(cd_arena *arena, const char *file, const char *bytes, size_t size, const cd_yaml_node **root,
                        cd_diag *diag) CD_MUST_CHECK;

// CD_ERR_FORMAT with "file:line: " before the sentence.
cd_status cd_yaml_fail(const cd_yaml_node *node, cd_diag *diag, const char *format, ...) CD_PRINTF(3, 4);
cd_status cd_yaml_fail_status(const cd_yaml_node *node, cd_diag *diag, cd_status status, const char *format, ...)
    CD_PRINTF(4, 5);

// ---- plain access; `label` names the value in messages -------------------------------------------------------------

int32_t cd_yaml_index(const cd_yaml_node *map, const char *key);  // of the pair, -1 when there is none; O(log n)
const cd_yaml_node *cd_yaml_find(const cd_yaml_node *map, const char *key);  // the value, NULL when there is none
// The map without that pair; itself when it has none. @owns arena
const cd_yaml_node *cd_yaml_without(cd_arena *arena, const cd_yaml_node *map, const char *key);
// CD_ERR_FORMAT where the node is of another kind or out of range; numbers are finite, texts borrowed.
cd_status cd_yaml_number(const cd_yaml_node *node, const char *label, double *value, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_yaml_integer(const cd_yaml_node *node, const char *label, int64_t *value, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_yaml_text(const cd_yaml_node *node, const char *label, const char **text, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_yaml_want(const cd_yaml_node *node, const char *label, cd_yaml_kind kind, cd_diag *diag) CD_MUST_CHECK;
// Exactly `count` numbers in a list.
cd_status cd_yaml_numbers(const cd_yaml_node *node, const char *label, int count, double *value,
                          cd_diag *diag) CD_MUST_CHECK;

// What a list must hold.
typedef struct cd_yaml_list {
    const char *label;  // what messages call it
    int least;          // items
    int dim;            // numbers of each vector; integers: not used
    int64_t low, high;  // of each integer; vectors: not used
} cd_yaml_list;
// value[dim * i + k] is number k of vector i. @owns arena
cd_status cd_yaml_vectors(cd_arena *arena, const cd_yaml_node *node, cd_yaml_list wanted, double **value,
                          int32_t *count, cd_diag *diag) CD_MUST_CHECK;
// @owns arena
cd_status cd_yaml_integers(cd_arena *arena, const cd_yaml_node *node, cd_yaml_list wanted, int32_t **value,
                           int32_t *count, cd_diag *diag) CD_MUST_CHECK;

// The word of `words` (NULL-ended) that was probably meant, NULL when none is near: at most a third of its letters, and
// no more than two, are wrong, missing, too many or exchanged with their neighbour.
const char *cd_yaml_suggest(const char *text, const char *const *words);

// ---- a map read by a table of keys ---------------------------------------------------------------------------------

typedef enum cd_yaml_type {
    CD_YAML_DOUBLE,  // double
    CD_YAML_INT,     // int64_t
    CD_YAML_TEXT,    // const char *
    CD_YAML_WORD,    // int32_t: index in `words`
    CD_YAML_VECTOR,  // double[dim]
    CD_YAML_INTS,    // int64_t[dim]
    CD_YAML_NODE,    // const cd_yaml_node *: the caller reads it
} cd_yaml_type;

typedef struct cd_yaml_key {
    const char *name;  // NULL ends the table
    cd_yaml_type type;
    bool required;
    size_t offset;             // of the target in the caller's struct; a key that is absent leaves it as it was
    double low, high;          // closed range of numbers
    const char *const *words;  // NULL-ended
    const char *help;          // unit and meaning
} cd_yaml_key;

#define CD_YAML_ABOVE_ZERO 2.2250738585072014e-308  // a `low` that means > 0: the least normal number
// A key of the name of its target, a member of `keys`: with a default, and without one. No range: 0, 0.
#define CD_YAML_KEY(keys, member, kind, least, most, text)                                                        \
    {                                                                                                             \
        .name = #member, .type = kind, .offset = offsetof(keys, member), .low = least, .high = most, .help = text \
    }
#define CD_YAML_KEY_NEEDED(keys, member, kind, least, most, text)                                                      \
    {                                                                                                                  \
        .name = #member, .type = kind, .required = true, .offset = offsetof(keys, member), .low = least, .high = most, \
        .help = text                                                                                                   \
    }
#define CD_YAML_KEYS_END \
    {                    \
        .name = NULL     \
    }

// Puts the values of `map` into `target`. Keys outside the table are errors, with the one that was probably meant.
cd_status cd_yaml_read(const cd_yaml_node *map, const cd_yaml_key *keys, int dim, void *target,
                       cd_diag *diag) CD_MUST_CHECK;
// "name" or, with the default of `target`, a line of help: "  name  help [default]".
void cd_yaml_keys_help(const cd_yaml_key *keys, int dim, const void *target, cd_buffer *out);

#endif
