// SPDX-License-Identifier: MIT
#include "cd_option.h"

#include <errno.h>
#include <math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const cd_on_off[] = {"on", "off", NULL};

static const cd_option *find_long(const cd_option *const *tables, const char *name, size_t length)
{
    for (; *tables; tables++)
        for (const cd_option *o = *tables; o->kind != CD_OPTION_END; o++)
            if (o->name && !strncmp(o->name, name, length) && !o->name[length])
                return o;
    return NULL;
}

static const cd_option *find_letter(const cd_option *const *tables, char letter)
{
    for (; *tables; tables++)
        for (const cd_option *o = *tables; o->kind != CD_OPTION_END; o++)
            if (o->letter == letter)
                return o;
    return NULL;
}

static cd_status set_choice(const cd_option *option, const char *label, const char *value, cd_diag *diag)
{
    for (const char *const *choice = option->choices; *choice; choice++)
        if (!strcmp(*choice, value)) {
            *(const char **)option->target = *choice;
            return CD_OK;
        }
    char list[256] = "";
    for (const char *const *choice = option->choices; *choice; choice++)
        if (strlen(list) + strlen(*choice) + 3 < sizeof list) {
            strcat(list, list[0] ? ", " : "");
            strcat(list, *choice);
        }
    return cd_fail(diag, CD_ERR_USAGE, "%s: \"%.60s\" is not one of %s", label, value, list);
}

// An integer written as 1e6 or 7.0, as far as doubles hold all of them. rest: what follows its first digits.
static bool is_whole_number(const char *value, const char *rest, long long *number)
{
    char *end;
    double whole = strtod(value, &end);
    if (!strchr(".eE", *rest) || *end || !(fabs(whole) <= 0x1p53) || whole != floor(whole))
        return false;
    *number = (long long)whole;
    return true;
}

static cd_status set_value(const cd_option *option, const char *label, const char *value, cd_diag *diag)
{
    char *end;
    errno = 0;
    switch (option->kind) {
    case CD_OPTION_INT: {
        long long number = strtoll(value, &end, 10);
        if (end == value || errno || (*end && !is_whole_number(value, end, &number)))
            return cd_fail(diag, CD_ERR_USAGE, "%s: wanted an integer, got \"%.60s\"", label, value);
        if ((double)number < option->low || (double)number > option->high)
            return cd_fail(diag, CD_ERR_USAGE, "%s: %lld is outside %.15g..%.15g", label, number, option->low,
                           option->high);
        *(int64_t *)option->target = number;
        return CD_OK;
    }
    case CD_OPTION_DOUBLE: {
        double number = strtod(value, &end);
        if (end == value || *end || isnan(number))
            return cd_fail(diag, CD_ERR_USAGE, "%s: wanted a number, got \"%.60s\"", label, value);
        if (number < option->low || number > option->high)
            return cd_fail(diag, CD_ERR_USAGE, "%s: %.60s is outside %.15g..%.15g", label, value, option->low,
                           option->high);
        *(double *)option->target = number;
        return CD_OK;
    }
    case CD_OPTION_TEXT:
        *(const char **)option->target = value;
        return CD_OK;
    case CD_OPTION_CHOICE:
        return set_choice(option, label, value, diag);
    default:
        return CD_OK;
    }
}

typedef struct parser {
    const cd_option *const *tables;
    int argc;
    char **argv;
    int next;  // argument to look at
    cd_arena *arena;
    cd_arguments *arguments;
    cd_diag *diag;
} parser;

// Sets an option whose value is `value` (attached to it) or else, unless it is a flag, the following argument.
static cd_status take(parser *p, const cd_option *option, const char *label, const char *value)
{
    if (option->kind == CD_OPTION_FLAG) {
        *(bool *)option->target = true;
    } else {
        if (!value && p->next >= p->argc)
            return cd_fail(p->diag, CD_ERR_USAGE, "%s: wants a value", label);
        if (!value)
            value = p->argv[p->next++];
        CD_TRY(set_value(option, label, value, p->diag));
    }
    for (const cd_option *o = p->tables[0]; o->kind != CD_OPTION_END; o++)
        if (o == option)
            p->arguments->own[p->arguments->own_count++] =
                cd_arena_printf(p->arena, "--%s%s%s", option->name, value ? "=" : "", value ? value : "");
    return CD_OK;
}

static cd_status parse_long(parser *p)
{
    const char *name = p->argv[p->next++] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    char label[64];
    snprintf(label, sizeof label, "--%.*s", (int)(length > 60 ? 60 : length), name);
    const cd_option *option = find_long(p->tables, name, length);
    if (!option)
        return cd_fail(p->diag, CD_ERR_USAGE, "%s: unknown option; see --help", label);
    if (option->kind == CD_OPTION_FLAG && equals)
        return cd_fail(p->diag, CD_ERR_USAGE, "%s: takes no value", label);
    return take(p, option, label, equals ? equals + 1 : NULL);
}

// A cluster "-abc" or "-xVALUE" or "-x VALUE".
static cd_status parse_letters(parser *p)
{
    for (const char *letter = p->argv[p->next++] + 1; *letter; letter++) {
        char label[3] = {'-', *letter, '\0'};
        const cd_option *option = find_letter(p->tables, *letter);
        if (!option)
            return cd_fail(p->diag, CD_ERR_USAGE, "%s: unknown option; see --help", label);
        if (option->kind != CD_OPTION_FLAG)
            return take(p, option, label, letter[1] ? letter + 1 : NULL);
        CD_TRY(take(p, option, label, NULL));
    }
    return CD_OK;
}

cd_status cd_options_parse(const cd_option *const *tables, int argc, char **argv, cd_arena *arena,
                           cd_arguments *arguments, cd_diag *diag)
{
    // A cluster of letters can set more options than there are arguments: one slot a character is enough.
    size_t characters = 0;
    for (int i = 1; i < argc; i++)
        characters += strlen(argv[i]) + 1;
    *arguments = (cd_arguments){.operand = CD_ARENA_ARRAY(arena, const char *, argc + 1),
                                .dashes_place = -1,
                                .own = CD_ARENA_ARRAY(arena, const char *, characters + 1)};
    parser p = {tables, argc, argv, 1, arena, arguments, diag};
    bool options_ended = false;
    while (p.next < argc) {
        const char *argument = argv[p.next];
        if (options_ended || argument[0] != '-' || !argument[1]) {
            arguments->operand[arguments->operand_count++] = argument;
            p.next++;
        } else if (!strcmp(argument, "--")) {
            options_ended = true;
            arguments->dashes_place = arguments->operand_count;
            p.next++;
        } else if (argument[1] == '-') {
            CD_TRY(parse_long(&p));
        } else {
            CD_TRY(parse_letters(&p));
        }
    }
    return CD_OK;
}

// ---- help ----------------------------------------------------------------------------------------------------------

static void help_default(const cd_option *option, cd_buffer *out)
{
    switch (option->kind) {
    case CD_OPTION_INT:
        cd_buffer_printf(out, " [default %lld]", (long long)*(const int64_t *)option->target);
        break;
    case CD_OPTION_DOUBLE:
        if (!isnan(*(const double *)option->target))
            cd_buffer_printf(out, " [default %.15g]", *(const double *)option->target);
        break;
    case CD_OPTION_CHOICE:
    case CD_OPTION_TEXT:
        if (*(const char *const *)option->target)
            cd_buffer_printf(out, " [default %s]", *(const char *const *)option->target);
        break;
    default:
        break;
    }
}

static void help_one(const cd_option *option, cd_buffer *out)
{
    enum { HELP_COLUMN = 26 };
    size_t start = out->size;
    if (option->letter)
        cd_buffer_printf(out, "  -%c", option->letter);
    else
        cd_buffer_text(out, "    ");
    if (option->name)
        cd_buffer_printf(out, "%s --%s", option->letter ? "," : " ", option->name);
    if (option->argument)
        cd_buffer_printf(out, "%s%s", option->name ? "=" : " ", option->argument);
    if (option->kind == CD_OPTION_CHOICE)
        cd_buffer_text(out, "=WORD");
    if (out->size - start >= HELP_COLUMN)
        cd_buffer_printf(out, "\n%*s", HELP_COLUMN, "");
    else
        cd_buffer_printf(out, "%*s", (int)(HELP_COLUMN - (out->size - start)), "");
    cd_buffer_text(out, option->help);
    if (option->kind == CD_OPTION_CHOICE) {
        cd_buffer_text(out, ": ");
        for (const char *const *choice = option->choices; *choice; choice++)
            cd_buffer_printf(out, "%s%s", choice == option->choices ? "" : ", ", *choice);
    }
    help_default(option, out);
    cd_buffer_text(out, "\n");
}

void cd_options_help(const cd_option *const *tables, cd_buffer *out)
{
    for (; *tables; tables++)
        for (const cd_option *o = *tables; o->kind != CD_OPTION_END; o++)
            if (o->kind == CD_OPTION_HEADING)
                cd_buffer_printf(out, "\n%s\n", o->help);
            else
                help_one(o, out);
}
