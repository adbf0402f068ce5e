// YAML trees: structure, lines, limits, and every sentence that a wrong document ends in.
// SPDX-License-Identifier: MIT
#include "cd_yaml.h"

#include "cd_random.h"
#include "cd_test.h"

#include <stdlib.h>

static cd_arena arena;
static cd_diag diag;

static cd_status parse(const char *text, const cd_yaml_node **root)
{
    diag.text[0] = '\0';
    return cd_yaml_parse(&arena, "t", text, strlen(text), root, &diag);
}

// The sentence that `text` is refused with; "" when it is accepted.
static const char *refusal(const char *text, cd_status expected)
{
    const cd_yaml_node *root;
    cd_status status = parse(text, &root);
    CD_CHECK(status == expected);
    return diag.text;
}

CD_TEST(tree_has_the_document)
{
    const cd_yaml_node *root = NULL;
    CD_CHECK(parse("a: 1\nb:\n  - x\n  - {c: 'two words', d: [1, 2.5]}\n", &root) == CD_OK);
    CD_CHECK(root->kind == CD_YAML_MAP && root->count == 2 && root->line == 1);
    const cd_yaml_node *b = cd_yaml_find(root, "b");
    CD_CHECK(b && b->kind == CD_YAML_LIST && b->count == 2);
    CD_CHECK_TEXT(b->item[0]->text, "x");
    CD_CHECK(b->item[0]->line == 3);
    const cd_yaml_node *c = cd_yaml_find(b->item[1], "c"), *d = cd_yaml_find(b->item[1], "d");
    CD_CHECK_TEXT(c->text, "two words");
    CD_CHECK(!c->is_plain && c->line == 4);
    double value[2];
    CD_CHECK(cd_yaml_numbers(d, "d", 2, value, &diag) == CD_OK && value[0] == 1 && value[1] == 2.5);
    CD_CHECK(!cd_yaml_find(root, "c") && cd_yaml_index(root, "b") == 1);
    CD_CHECK(root->weight == 13);  // root, a, 1, b, list, x, map, c, words, d, list, 1, 2.5
}

CD_TEST(keys_are_found_among_many)
{
    cd_buffer text = {0};
    for (int i = 0; i < 3000; i++)
        cd_buffer_printf(&text, "k%d: %d\n", (i * 7919) % 3000, i);
    cd_buffer_append(&text, "", 1);
    const cd_yaml_node *root = NULL;
    CD_CHECK(parse(text.data, &root) == CD_OK && root->count == 3000);
    for (int i = 0; i < 3000; i++) {
        char key[16];
        int64_t value = -1;
        snprintf(key, sizeof key, "k%d", (i * 7919) % 3000);
        CD_CHECK(cd_yaml_find(root, key) && cd_yaml_integer(cd_yaml_find(root, key), key, &value, &diag) == CD_OK &&
                 value == i);
        CD_CHECK(cd_yaml_index(root, key) == i);
    }
    CD_CHECK(cd_yaml_index(root, "k3000") == -1 && cd_yaml_index(root, "") == -1);
    cd_buffer_release(&text);
}

CD_TEST(numbers_are_decimal_and_finite)
{
    static const char *const good[] = {"0", "-1", "+2.5", ".5", "3.", "1e3", "-2.25E-2", "6.02e+23", "1e-320"};
    static const char *const bad[] = {"",         "x",     "1_000", "0x10",   "1:30", "1e",    "e5",   ".",
                                      "+",        "1.2.3", "1 2",   "'1'",    ".inf", "-.inf", ".nan", "NaN",
                                      "Infinity", "1e999", "[1]",   "{a: 1}", "~",    "1f",    "++1"};
    char text[64];
    const cd_yaml_node *root;
    double value;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        snprintf(text, sizeof text, "a: %s", good[i]);
        CD_CHECK(parse(text, &root) == CD_OK && cd_yaml_number(root->item[0], "a", &value, &diag) == CD_OK);
        CD_CHECK(value == strtod(good[i], NULL));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "a: %s", bad[i]);
        CD_CHECK(parse(text, &root) == CD_OK);
        CD_CHECK(cd_yaml_number(root->item[0], "a", &value, &diag) == CD_ERR_FORMAT);
        CD_CHECK(!strncmp(diag.text, "t:1: a: ", 8));
    }
    int64_t whole;
    CD_CHECK(parse("[7, -9223372036854775807, 9223372036854775808, -9223372036854775808, 1.5, 1e30, 1.0, 1e3]",
                   &root) == CD_OK);
    CD_CHECK(cd_yaml_integer(root->item[0], "a", &whole, &diag) == CD_OK && whole == 7);
    CD_CHECK(cd_yaml_integer(root->item[1], "a", &whole, &diag) == CD_OK && whole == -INT64_MAX);
    for (int i = 2; i < 6; i++)
        CD_CHECK(cd_yaml_integer(root->item[i], "a", &whole, &diag) == CD_ERR_FORMAT);
    CD_CHECK(cd_yaml_integer(root->item[6], "a", &whole, &diag) == CD_OK && whole == 1);
    CD_CHECK(cd_yaml_integer(root->item[7], "a", &whole, &diag) == CD_OK && whole == 1000);
}

CD_TEST(wrong_documents_are_refused_with_their_line)
{
    CD_CHECK_TEXT(refusal("", CD_ERR_FORMAT), "t: empty");
    CD_CHECK_TEXT(refusal("# nothing\n", CD_ERR_FORMAT), "t: empty");
    CD_CHECK_TEXT(refusal("a: 1\n---\nb: 2\n", CD_ERR_FORMAT), "t:2: a second document begins");
    CD_CHECK_TEXT(refusal("a: 1\nb: 2\na: 3\n", CD_ERR_FORMAT), "t:3: a: key is there twice, first in line 1");
    CD_CHECK_TEXT(refusal("a:\n\tb: 1\n", CD_ERR_FORMAT), "t:2: indented by a tab: use spaces");
    CD_CHECK_TEXT(refusal("a: !!str 1\n", CD_ERR_FORMAT), "t:1: tag tag:yaml.org,2002:str: tags have no place here");
    CD_CHECK_TEXT(refusal("a: 1\n[x]: 2\n", CD_ERR_FORMAT), "t:2: a key must be a word");
    CD_CHECK_TEXT(refusal("a: *b\n", CD_ERR_FORMAT), "t:1: alias *b has no anchor above it");
    CD_CHECK_TEXT(refusal("a: &b\n  - *b\n", CD_ERR_FORMAT), "t:2: alias *b stands inside its own anchor");
    CD_CHECK(!strncmp(refusal("a: [1, 2\nb: 3\n", CD_ERR_FORMAT), "t:2: ", 5));
    CD_CHECK(!strncmp(refusal("a: \"\\x00\"\n", CD_ERR_FORMAT), "t:1: text holds a NUL byte", 26));
    const cd_yaml_node *root;
    CD_CHECK(cd_yaml_parse(&arena, "t", "a: \xff\xfe\n", 6, &root, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, "not text") != NULL);
}

CD_TEST(depth_and_aliases_are_bounded)
{
    char text[512] = "";
    for (int i = 0; i < CD_YAML_MAX_DEPTH; i++)
        strcat(text, "[");
    for (int i = 0; i < CD_YAML_MAX_DEPTH; i++)
        strcat(text, "]");
    CD_CHECK_TEXT(refusal(text, CD_OK), "");
    memmove(text + 1, text, strlen(text) + 1);
    strcat(text, "]");
    CD_CHECK_TEXT(refusal(text, CD_ERR_LIMIT), "t:1: lists and maps nest deeper than 64");
    cd_buffer bomb = {0};
    cd_buffer_text(&bomb, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 30; i++)
        cd_buffer_printf(&bomb, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1,
                         i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    cd_buffer_append(&bomb, "", 1);
    CD_CHECK_TEXT(refusal(bomb.data, CD_ERR_LIMIT), "t:6: aliases repeat more than 1000000 values");
    cd_buffer_release(&bomb);
}

CD_TEST(merge_takes_what_the_map_lacks)
{
    const cd_yaml_node *root = NULL;
    CD_CHECK(parse("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 9}\nd: {<<: *b}\n", &root) == CD_OK);
    const cd_yaml_node *c = cd_yaml_find(root, "c"), *d = cd_yaml_find(root, "d");
    CD_CHECK(c->count == 3 && d->count == 2);
    CD_CHECK_TEXT(cd_yaml_find(c, "x")->text, "9");  // its own
    CD_CHECK_TEXT(cd_yaml_find(c, "y")->text, "2");  // of the first base that has it
    CD_CHECK_TEXT(cd_yaml_find(c, "z")->text, "4");
    CD_CHECK(cd_yaml_find(d, "z") == cd_yaml_find(cd_yaml_find(root, "b"), "z"));
    CD_CHECK_TEXT(refusal("a: {<<: 3}\n", CD_ERR_FORMAT), "t:1: <<: needs an alias of a map, or a list of them");
}

typedef struct target {
    double length, place[3];
    int64_t count, cells[3];
    int32_t mode;
    const char *name;
    const cd_yaml_node *rest;
} target;
static const char *const modes[] = {"fast", "exact", NULL};
static const cd_yaml_key keys[] = {
    {.name = "length",
     .type = CD_YAML_DOUBLE,
     .required = true,
     .offset = offsetof(target, length),
     .low = CD_YAML_ABOVE_ZERO,
     .high = INFINITY},
    {.name = "place", .type = CD_YAML_VECTOR, .offset = offsetof(target, place), .low = -10, .high = 10},
    {.name = "count", .type = CD_YAML_INT, .offset = offsetof(target, count), .low = 0, .high = 5},
    {.name = "cells", .type = CD_YAML_INTS, .offset = offsetof(target, cells), .low = 1, .high = 9},
    {.name = "mode", .type = CD_YAML_WORD, .offset = offsetof(target, mode), .words = modes},
    {.name = "name", .type = CD_YAML_TEXT, .offset = offsetof(target, name)},
    {.name = "rest", .type = CD_YAML_NODE, .offset = offsetof(target, rest)},
    CD_YAML_KEYS_END};

static const char *table_refusal(const char *text)
{
    const cd_yaml_node *root;
    target t = {0};
    CD_CHECK(parse(text, &root) == CD_OK);
    CD_CHECK(cd_yaml_read(root, keys, 2, &t, &diag) == CD_ERR_FORMAT);
    return diag.text;
}

CD_TEST(table_reads_and_checks_a_map)
{
    const cd_yaml_node *root;
    target t = {.count = 3, .mode = -1};
    CD_CHECK(parse("{length: 2, place: [1, -2], cells: [3, 4], mode: exact, name: '7', rest: [x]}", &root) == CD_OK);
    CD_CHECK(cd_yaml_read(root, keys, 2, &t, &diag) == CD_OK);
    CD_CHECK(t.length == 2 && t.place[0] == 1 && t.place[1] == -2 && t.cells[0] == 3 && t.cells[1] == 4 &&
             t.mode == 1 && t.count == 3);
    CD_CHECK_TEXT(t.name, "7");
    CD_CHECK(t.rest->kind == CD_YAML_LIST);
    CD_CHECK_TEXT(table_refusal("{count: 1}"), "t:1: length: is missing");
    CD_CHECK_TEXT(table_refusal("length: 1\nlenght: 2"), "t:2: lenght: unknown key, did you mean \"length\"?");
    CD_CHECK_TEXT(table_refusal("{length: 1, quite_other: 2}"),
                  "t:1: quite_other: unknown key (known: length, place, count, cells, mode, name, rest)");
    CD_CHECK_TEXT(table_refusal("{length: 0}"), "t:1: length: must be greater than 0");
    CD_CHECK_TEXT(table_refusal("{length: 1, count: 6}"), "t:1: count: must be in 0..5");
    CD_CHECK_TEXT(table_refusal("{length: 1, count: 2.5}"), "t:1: count: needs a whole number, not \"2.5\"");
    CD_CHECK_TEXT(table_refusal("length: 1\nplace: [1, 11]"), "t:2: place: must be in -10..10");
    CD_CHECK_TEXT(table_refusal("{length: 1, place: [1, 2, 3]}"), "t:1: place: needs 2 numbers, has 3");
    CD_CHECK_TEXT(table_refusal("{length: 1, place: 1}"), "t:1: place: needs a list of 2 numbers, not a single value");
    CD_CHECK_TEXT(table_refusal("{length: 1, cells: [1, 0]}"), "t:1: cells: must be in 1..9");
    CD_CHECK_TEXT(table_refusal("{length: 1, mode: slow}"), "t:1: mode: \"slow\" is none of fast, exact");
    CD_CHECK_TEXT(table_refusal("{length: 1, name: }"), "t:1: name: is empty");
    CD_CHECK_TEXT(table_refusal("{length: 1, name: [a]}"), "t:1: name: needs a single value, not a list");
}

CD_TEST(suggestions_are_near)
{
    static const char *const words[] = {"velocity", "rotation", "mass", "id", "mu", NULL};
    CD_CHECK_TEXT(cd_yaml_suggest("velocty", words), "velocity");
    CD_CHECK_TEXT(cd_yaml_suggest("vleocity", words), "velocity");
    CD_CHECK_TEXT(cd_yaml_suggest("Rotation", words), "rotation");
    CD_CHECK_TEXT(cd_yaml_suggest("maß", words), "mass");
    CD_CHECK(!cd_yaml_suggest("gravity", words));
    CD_CHECK(!cd_yaml_suggest("x", words));
    CD_CHECK(!cd_yaml_suggest("a_word_that_is_longer_than_any_of_the_keys", words));
}

// Whatever bytes come, the parser answers: accepted, or one sentence. Mutations of a document that uses all of the
// syntax.
CD_TEST(damaged_documents_get_an_answer)
{
    static const char seed_text[] =
        "a: &x {b: [1, 2.5, 'q'], c: \"d\\n\"}\nl:\n  - *x\n  - <<: *x\n    e: |\n      text\n# end\n";
    cd_random random = {42};
    for (int trial = 0; trial < 20000; trial++) {
        char text[sizeof seed_text];
        size_t size = sizeof seed_text - 1;
        memcpy(text, seed_text, sizeof text);
        for (int change = 0; change < 3; change++)
            text[cd_random_bits(&random) % size] = "\t\n []{}:,&*-?|<>'\"%@`#!ab1.\\\0"[cd_random_bits(&random) % 30];
        size -= cd_random_bits(&random) % 4 ? 0 : cd_random_bits(&random) % size;
        const cd_yaml_node *root = NULL;
        diag.text[0] = '\0';
        cd_status status = cd_yaml_parse(&arena, "t", text, size, &root, &diag);
        CD_CHECK(status == CD_OK ? root != NULL : (status == CD_ERR_FORMAT || status == CD_ERR_LIMIT) && diag.text[0]);
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(tree_has_the_document);
    CD_RUN(keys_are_found_among_many);
    CD_RUN(numbers_are_decimal_and_finite);
    CD_RUN(wrong_documents_are_refused_with_their_line);
    CD_RUN(depth_and_aliases_are_bounded);
    CD_RUN(merge_takes_what_the_map_lacks);
    CD_RUN(table_reads_and_checks_a_map);
    CD_RUN(suggestions_are_near);
    CD_RUN(damaged_documents_get_an_answer);
    cd_arena_release(&arena);
    return cd_test_done();
}
