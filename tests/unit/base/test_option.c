// Command lines: every kind of option in every way of writing it, errors word by word, provenance, help.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "cd_option.h"

enum { WORDS_MOST = 12 };

typedef struct asked {
    bool flag, other, common;
    int64_t number;
    double length, missing;
    const char *name, *method;
} asked;

static const char *const methods[] = {"brute", "sweep", NULL};

static cd_status parse(cd_arena *arena, const char *const *words, asked *a, cd_arguments *arguments, cd_diag *diag)
{
    *a = (asked){.number = 3, .length = 0.5, .missing = NAN, .method = methods[1]};
    const cd_option own[] = {CD_OPT_FLAG('f', "flag", &a->flag, "a flag"),
                             CD_OPT_INT('n', "number", &a->number, "N", -5, 100, "a number"),
                             CD_OPT_HEADING("More:"),
                             CD_OPT_DOUBLE('l', "length", &a->length, "LENGTH", 0, 10, "a length [m]"),
                             CD_OPT_DOUBLE(0, "missing", &a->missing, "X", -1e300, 1e300, "no default"),
                             CD_OPT_CHOICE('m', "method", &a->method, methods, "the way"),
                             CD_OPT_END};
    const cd_option common[] = {CD_OPT_FLAG('g', "other", &a->other, "another flag"),
                                CD_OPT_FLAG(0, "flagged", &a->common, "a name that begins with another's"),
                                CD_OPT_TEXT('o', "output", &a->name, "FILE", "a text"), CD_OPT_END};
    const cd_option *const tables[] = {own, common, NULL};
    char *argv[WORDS_MOST] = {(char *)(uintptr_t) "tool"};
    int argc = 1;
    while (words[argc - 1]) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
        argc++;
    }
    diag->text[0] = '\0';
    return cd_options_parse(tables, argc, argv, arena, arguments, diag);
}

#define LINE(...) ((const char *const[WORDS_MOST]){__VA_ARGS__, NULL})

CD_TEST(all_ways_of_writing)
{
    cd_arena arena = {0};
    asked a;
    cd_arguments in;
    cd_diag diag;
    CD_CHECK(parse(&arena, LINE(NULL), &a, &in, &diag) == CD_OK);
    CD_CHECK(!a.flag && a.number == 3 && a.length == 0.5 && isnan(a.missing) && a.method == methods[1] && !a.name);
    CD_CHECK(in.operand_count == 0 && in.own_count == 0);
    CD_CHECK(parse(&arena, LINE("-f", "-n", "7", "-l2.5", "-m", "brute", "-oout", "file"), &a, &in, &diag) == CD_OK);
    CD_CHECK(a.flag && a.number == 7 && a.length == 2.5 && a.method == methods[0]);
    CD_CHECK_TEXT(a.name, "out");
    CD_CHECK(in.operand_count == 1);
    CD_CHECK_TEXT(in.operand[0], "file");
    CD_CHECK(parse(&arena, LINE("--flag", "--number=-5", "--length", "1e-3", "--method=sweep", "--output", "a=b", "-"),
                   &a, &in, &diag) == CD_OK);
    CD_CHECK(a.flag && a.number == -5 && a.length == 1e-3 && a.method == methods[1]);
    CD_CHECK_TEXT(a.name, "a=b");
    CD_CHECK_TEXT(in.operand[0], "-");
    CD_CHECK(parse(&arena, LINE("-fgn-4", "x", "-gfl", "10", "y"), &a, &in, &diag) == CD_OK);
    CD_CHECK(a.flag && a.other && a.number == -4 && a.length == 10 && in.operand_count == 2 && in.dashes_place == -1);
    CD_CHECK(parse(&arena, LINE("--", "-f", "--flag", "--"), &a, &in, &diag) == CD_OK);
    CD_CHECK(!a.flag && in.operand_count == 3 && in.dashes_place == 0);
    CD_CHECK(parse(&arena, LINE("x", "-f", "--", "y"), &a, &in, &diag) == CD_OK && in.dashes_place == 1);
    CD_CHECK(parse(&arena, LINE("-n", "1", "-n2", "--number=4"), &a, &in, &diag) == CD_OK &&
             a.number == 4);  // the last one counts
    CD_CHECK(parse(&arena, LINE("-o", "", "--output="), &a, &in, &diag) == CD_OK);
    CD_CHECK_TEXT(a.name, "");
    CD_CHECK(parse(&arena, LINE("--flagged"), &a, &in, &diag) == CD_OK && a.common && !a.flag);
    cd_arena_release(&arena);
}

CD_TEST(mistakes_each_have_their_sentence)
{
    static const struct {
        const char *words[WORDS_MOST], *sentence;
    } cases[] = {
        {{"--nothing"}, "--nothing: unknown option; see --help"},
        {{"--fla"}, "--fla: unknown option"},
        {{"--flagge"}, "--flagge: unknown option"},
        {{"-x"}, "-x: unknown option"},
        {{"-fx"}, "-x: unknown option"},
        {{"--=3"}, "--: unknown option"},
        {{"--flag=1"}, "--flag: takes no value"},
        {{"-n"}, "-n: wants a value"},
        {{"--length"}, "--length: wants a value"},
        {{"-n", "x"}, "-n: wanted an integer, got \"x\""},
        {{"-n", "1.5"}, "wanted an integer"},
        {{"-n", "3 "}, "wanted an integer"},
        {{"-n", ""}, "wanted an integer"},
        {{"-n", "99999999999999999999"}, "wanted an integer"},
        {{"-n", "101"}, "101 is outside -5..100"},
        {{"-n-6"}, "-6 is outside -5..100"},
        {{"-l", "nan"}, "wanted a number, got \"nan\""},
        {{"-l", "inf"}, "is outside 0..10"},
        {{"-l", "1e999"}, "is outside 0..10"},
        {{"-l", "-0.1"}, "-0.1 is outside 0..10"},
        {{"-l", "1,5"}, "wanted a number"},
        {{"--method=Brute"}, "--method: \"Brute\" is not one of brute, sweep"},
        {{"--method="}, "--method: \"\" is not one of brute, sweep"},
        {{"-mbru"}, "\"bru\" is not one of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cd_arena arena = {0};
        asked a;
        cd_arguments in;
        cd_diag diag;
        cd_status status = parse(&arena, cases[i].words, &a, &in, &diag);
        bool right = status == CD_ERR_USAGE && strstr(diag.text, cases[i].sentence);
        if (!right)
            printf("# %s: status %d: %s\n", cases[i].words[0], status, diag.text);
        CD_CHECK(right);
        cd_arena_release(&arena);
    }
}

CD_TEST(endless_words_are_cut_in_the_sentence)
{
    cd_arena arena = {0};
    asked a;
    cd_arguments in;
    cd_diag diag;
    char word[5000];
    memset(word, 'y', sizeof word);
    memcpy(word, "--", 2);
    word[sizeof word - 1] = '\0';
    CD_CHECK(parse(&arena, LINE(word), &a, &in, &diag) == CD_ERR_USAGE && strlen(diag.text) < 200);
    CD_CHECK(parse(&arena, LINE("-n", word + 2), &a, &in, &diag) == CD_ERR_USAGE && strlen(diag.text) < 200);
    CD_CHECK(parse(&arena, LINE("-m", word + 2), &a, &in, &diag) == CD_ERR_USAGE && strlen(diag.text) < 200);
    cd_arena_release(&arena);
}

CD_TEST(provenance_is_the_tools_own_options_in_one_form)
{
    cd_arena arena = {0};
    asked a;
    cd_arguments in;
    cd_diag diag;
    CD_CHECK(parse(&arena, LINE("-fgn7", "file", "-l", "0.25", "-o", "out", "--method=brute"), &a, &in, &diag) ==
             CD_OK);
    CD_CHECK(in.own_count == 4);
    static const char *const wanted[] = {"--flag", "--number=7", "--length=0.25", "--method=brute"};
    for (int i = 0; i < 4 && i < in.own_count; i++)
        CD_CHECK_TEXT(in.own[i], wanted[i]);
    CD_CHECK(parse(&arena, LINE("-ffffffffffffffffffff"), &a, &in, &diag) == CD_OK && in.own_count == 20);
    cd_arena_release(&arena);
}

CD_TEST(help_shows_every_option_its_words_and_its_default)
{
    int64_t number = 3;
    double length = 0.5, missing = NAN;
    const char *method = methods[1], *name = NULL;
    const cd_option own[] = {
        CD_OPT_INT('n', "number", &number, "N", -5, 100, "a number"),
        CD_OPT_DOUBLE(0, "a-very-long-name-of-an-option", &length, "LENGTH", 0, 10, "a length [m]"),
        CD_OPT_DOUBLE(0, "missing", &missing, "X", 0, 1, "no default"),
        CD_OPT_HEADING("More:"),
        CD_OPT_CHOICE('m', "method", &method, methods, "the way"),
        CD_OPT_TEXT('o', "output", &name, "FILE", "a text"),
        CD_OPT_END};
    const cd_option *const tables[] = {own, NULL};
    cd_buffer out = {0};
    cd_options_help(tables, &out);
    cd_buffer_append(&out, "", 1);
    static const char *const wanted[] = {"  -n, --number=N",
                                         "a number [default 3]\n",
                                         "--a-very-long-name-of-an-option=LENGTH\n",
                                         "a length [m] [default 0.5]\n",
                                         "no default\n",
                                         "\nMore:\n",
                                         "--method=WORD",
                                         "the way: brute, sweep [default sweep]\n",
                                         "-o, --output=FILE"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!strstr(out.data, wanted[i]))
            printf("# not there: %s\n", wanted[i]);
        CD_CHECK(strstr(out.data, wanted[i]) != NULL);
    }
    cd_buffer_release(&out);
}

int main(void)
{
    CD_RUN(all_ways_of_writing);
    CD_RUN(mistakes_each_have_their_sentence);
    CD_RUN(endless_words_are_cut_in_the_sentence);
    CD_RUN(provenance_is_the_tools_own_options_in_one_form);
    CD_RUN(help_shows_every_option_its_words_and_its_default);
    return cd_test_done();
}
