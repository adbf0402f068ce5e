// cd_option -- command lines from a table: each entry carries its own help, default, range and target, so that the
// usage text, the check and the manual cannot drift apart.
//
// GNU habits: `-x`, `-xVALUE`, `-x VALUE`, clustered flags, `--name`, `--name=VALUE`, `--name VALUE`, `--` ends
// options, `-` is an operand. No abbreviations. Several tables are searched in turn (a tool's own, then the common
// one).
// SPDX-License-Identifier: MIT
#ifndef CD_OPTION_H
#define CD_OPTION_H

#include "cd_memory.h"
#include "cd_status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum cd_option_kind {
    CD_OPTION_END,
    CD_OPTION_FLAG,
    CD_OPTION_INT,
    CD_OPTION_DOUBLE,
    CD_OPTION_TEXT,
    CD_OPTION_CHOICE,
    CD_OPTION_HEADING
} cd_option_kind;

typedef struct cd_option {
    cd_option_kind kind;
    char letter;           // 0: none
    const char *name;      // long name, without dashes
    void *target;          // bool*, int64_t*, double*, const char**, const char** (a choice: points into `choices`)
    const char *argument;  // its name in the help: "LENGTH"
    double low, high;      // closed range of INT and DOUBLE
    const char *const *choices;  // NULL-ended
    const char *help;            // one line; unit in [brackets]
} cd_option;

#define CD_OPT_FLAG(letter, name, target, help)                                \
    {                                                                          \
        CD_OPTION_FLAG, letter, name, (bool *){target}, NULL, 0, 0, NULL, help \
    }
#define CD_OPT_INT(letter, name, target, argument, low, high, help)                       \
    {                                                                                     \
        CD_OPTION_INT, letter, name, (int64_t *){target}, argument, low, high, NULL, help \
    }
#define CD_OPT_DOUBLE(letter, name, target, argument, low, high, help)                      \
    {                                                                                       \
        CD_OPTION_DOUBLE, letter, name, (double *){target}, argument, low, high, NULL, help \
    }
#define CD_OPT_TEXT(letter, name, target, argument, help)                                 \
    {                                                                                     \
        CD_OPTION_TEXT, letter, name, (const char **){target}, argument, 0, 0, NULL, help \
    }
#define CD_OPT_CHOICE(letter, name, target, choices, help)                                 \
    {                                                                                      \
        CD_OPTION_CHOICE, letter, name, (const char **){target}, NULL, 0, 0, choices, help \
    }
#define CD_OPT_HEADING(text)                                     \
    {                                                            \
        CD_OPTION_HEADING, 0, NULL, NULL, NULL, 0, 0, NULL, text \
    }
#define CD_OPT_END                                           \
    {                                                        \
        CD_OPTION_END, 0, NULL, NULL, NULL, 0, 0, NULL, NULL \
    }

typedef struct cd_arguments {
    const char **operand;  // room for argc
    int operand_count;
    int dashes_place;  // of the operand behind `--`; -1: there is no `--`
    const char **own;  // options of the first table as given, in the form "--name=value": what provenance records
    int own_count;
} cd_arguments;

// Parses argv[1..]; values go to the targets. Targets keep their initial value, the default, when the option is not
// given (a DOUBLE that is NaN has none). Texts live in `arena`. CD_ERR_USAGE with a sentence otherwise.
cd_status cd_options_parse(const cd_option *const *tables, int argc, char **argv, cd_arena *arena,
                           cd_arguments *arguments, cd_diag *diag) CD_MUST_CHECK;

// The option part of --help: one or two lines an option, with choices, ranges worth saying and the default.
void cd_options_help(const cd_option *const *tables, cd_buffer *out);

extern const char *const cd_on_off[];  // {"on", "off", NULL}

#endif
