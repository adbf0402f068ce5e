// SPDX-License-Identifier: MIT
#include "cd_status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cd_status cd_fail(cd_diag *diag, cd_status status, const char *format, ...)
{
    if (diag) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(diag->text, sizeof diag->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

cd_status cd_fail_at(cd_diag *diag, cd_status status, const char *prefix, ...)
{
    if (diag) {
        char sentence[sizeof diag->text];
        memcpy(sentence, diag->text, sizeof sentence);
        va_list arguments;
        va_start(arguments, prefix);
        int used = vsnprintf(diag->text, sizeof diag->text, prefix, arguments);
        va_end(arguments);
        if (used >= 0 && (size_t)used < sizeof diag->text)
            snprintf(diag->text + used, sizeof diag->text - (size_t)used, ": %.400s", sentence);
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
