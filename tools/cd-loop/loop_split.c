// SPDX-License-Identifier: MIT
#include "loop_split.h"

static bool ends_word(char c)
{
    return !c || cd_loop_is_blank(c) || c == ';' || c == '|' || c == '&' || c == '(' || c == ')';
}

// Behind the quoted text that starts at i, or 0 when it does not end or holds a command of its own.
static size_t skip_quotes(const char *text, size_t i)
{
    char quote = text[i++];
    for (; text[i] && text[i] != quote; i++) {
        if (quote == '"' && (text[i] == '`' || (text[i] == '$' && text[i + 1] == '(')))
            return 0;
        if (quote == '"' && text[i] == '\\' && text[i + 1])
            i++;
    }
    return text[i] ? i + 1 : 0;
}

static bool starts_compound(const char *stage)
{
    static const char *const words[] = {"if", "while", "until", "for", "case", "!", "function", "select", "do", "then"};
    while (cd_loop_is_blank(*stage))
        stage++;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        size_t length = strlen(words[k]);
        if (!strncmp(stage, words[k], length) && ends_word(stage[length]))
            return true;
    }
    return false;
}

static bool only_blanks(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!cd_loop_is_blank(text[i]))
            return false;
    return true;
}

static bool add_stage(cd_arena *arena, cd_stage_list *stages, const char *text, size_t length)
{
    if (only_blanks(text, length) || starts_compound(text))
        return false;
    cd_list_push(arena, &stages->list, cd_arena_text(arena, text, length));
    return true;
}

// Characters that end a plain pipeline where they stand outside of quotes and groups.
static bool is_more_than_a_pipeline(const char *text, size_t start, size_t i)
{
    char before = i > start ? text[i - 1] : ' ', after = text[i + 1];
    switch (text[i]) {
    case '`':
    case ';':
        return true;
    case '$':
        return after == '(';
    case '#':
        return cd_loop_is_blank(before);
    case '&':
        return before != '>' && before != '<';
    case '<':
        return after == '<';
    case '|':
        return after == '|' || after == '&';
    case '\n':
        return !only_blanks(text + start, i - start) && text[i + 1 + strspn(text + i + 1, " \t\n")];
    default:
        return false;
    }
}

static bool split(cd_arena *arena, const char *text, cd_stage_list *stages)
{
    size_t start = 0, i = 0;
    int depth = 0;
    while (text[i]) {
        char c = text[i], before = i > start ? text[i - 1] : ' ';
        if (c == '\\' && text[i + 1]) {
            i += 2;
            continue;
        }
        if (c == '\'' || c == '"') {
            i = skip_quotes(text, i);
            if (i == 0)
                return false;
            continue;
        }
        bool is_brace = (c == '{' || c == '}') && (cd_loop_is_blank(before) || before == ';') && ends_word(text[i + 1]);
        depth += (c == '(' || (is_brace && c == '{')) - (c == ')' || (is_brace && c == '}'));
        if (depth < 0 || (depth == 0 && is_more_than_a_pipeline(text, start, i)))
            return false;
        if (depth == 0 && c == '|' && before != '>') {
            if (!add_stage(arena, stages, text + start, i - start))
                return false;
            start = i + 1;
        }
        i++;
    }
    return depth == 0 && add_stage(arena, stages, text + start, i - start);
}

cd_stage_list cd_loop_split(cd_arena *arena, const char *command)
{
    cd_stage_list stages = {0};
    if (!split(arena, command, &stages)) {
        stages.list.count = 0;
        cd_list_push(arena, &stages.list, command);
    }
    return stages;
}
