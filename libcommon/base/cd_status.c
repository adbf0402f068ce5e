// SPDX-License-Identifier: MIT
#include "cd_status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT_BEGIN = 160,  // [bytes] of a sentence that is too long: where
};

static bool continues_a_character(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

// Where stands in front and why at the end: a sentence that is too long, of a path as a rule, loses its middle.
static void store(cd_diag *diag, const char *sentence, size_t length)
{
    static const char mark[] = " ... ";
    if (length < sizeof diag->text) {
        memcpy(diag->text, sentence, length + 1);
        return;
    }
    size_t begin = KEPT_BEGIN, end = length - (sizeof diag->text - sizeof mark - KEPT_BEGIN);
    while (begin > 0 && continues_a_character(sentence[begin]))
        begin--;
    while (continues_a_character(sentence[end]))
        end++;
    memcpy(diag->text, sentence, begin);
    memcpy(diag->text + begin, mark, sizeof mark - 1);
    memcpy(diag->text + begin + sizeof mark - 1, sentence + end, length - end + 1);
}

static void describe(cd_diag *diag, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(diag->text, sizeof diag->text, format, arguments);
    char *sentence = NULL;
    if (length >= (int)sizeof diag->text && vasprintf(&sentence, format, again) == length)
        store(diag, sentence, (size_t)length);
    va_end(again);
    free(sentence);
}

cd_status cd_fail(cd_diag *diag, cd_status status, const char *format, ...)
{
    if (diag) {
        va_list arguments;
        va_start(arguments, format);
        describe(diag, format, arguments);
        va_end(arguments);
    }
    return status;
}

cd_status cd_fail_at(cd_diag *diag, cd_status status, const char *prefix, ...)
{
    if (diag) {
        cd_diag where;
        va_list arguments;
        va_start(arguments, prefix);
        describe(&where, prefix, arguments);
        va_end(arguments);
        char sentence[2 * sizeof diag->text];
        int length = snprintf(sentence, sizeof sentence, "%s: %s", where.text, diag->text);
        store(diag, sentence, (size_t)length);
    }
    return status;
}

int cd_status_exit_code(cd_status status)
{
    switch (status) {
    case CD_OK:
    case CD_END:
        return 0;
    case CD_ERR_CHECK:
        return 1;
    case CD_ERR_USAGE:
        return 2;
    case CD_ERR_FORMAT:
    case CD_ERR_TRUNCATED:
    case CD_ERR_LIMIT:
        return 3;
    case CD_ERR_IO:
    case CD_ERR_MEMORY:
        return 4;
    case CD_ERR_NUMERIC:
        return 5;
    case CD_ERR_UNSUPPORTED:
        return 6;
    }
    return 4;
}
