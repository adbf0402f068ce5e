// cd_status -- what a function that can fail returns, and the sentence that goes with it.
//
// A failure is described once, where it is found, with cd_fail(); every caller hands it up with CD_TRY().
// Only cd_filter_main (formats) prints it and turns it into an exit code. Nothing here prints or exits.
// Geometric outcomes (touching, overlapping, stalled) are data, not a cd_status.
// SPDX-License-Identifier: MIT
#ifndef CD_STATUS_H
#define CD_STATUS_H

#define CD_MUST_CHECK __attribute__((warn_unused_result))
#define CD_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))

typedef enum cd_status {
    CD_OK = 0,
    CD_END,              // no more input: not an error
    CD_ERR_CHECK,        // exit 1: streams differ, a value is above a threshold, a check failed
    CD_ERR_USAGE,        // exit 2: bad command line
    CD_ERR_FORMAT,       // exit 3: bad input
    CD_ERR_TRUNCATED,    // exit 3: the stream stops before its `end`
    CD_ERR_LIMIT,        // exit 3: input above a stated cap (--max-*)
    CD_ERR_IO,           // exit 4: read, write or open failed
    CD_ERR_MEMORY,       // exit 4
    CD_ERR_NUMERIC,      // exit 5: a solver or a step failed
    CD_ERR_UNSUPPORTED,  // exit 6: version, critical block or shape this program does not know
} cd_status;

// The sentence of the last failure: "where: field: reason", without tool name and newline.
typedef struct cd_diag {
    char text[512];
} cd_diag;

// Stores the sentence (one that does not fit loses its middle) and returns `status`, so that `return cd_fail(...)`
// reads as one thing. diag may be NULL: then the sentence is lost and only the status travels.
cd_status cd_fail(cd_diag *diag, cd_status status, const char *format, ...) CD_PRINTF(3, 4);

// Puts "prefix: " before the stored sentence: a caller adds where, the origin said what. Returns `status`.
cd_status cd_fail_at(cd_diag *diag, cd_status status, const char *prefix, ...) CD_PRINTF(3, 4);

// The documented exit code of a status (0..6); CD_END is 0.
int cd_status_exit_code(cd_status status);

#define CD_TRY(expression)                       \
    do {                                         \
        cd_status cd_try_status_ = (expression); \
        if (cd_try_status_ != CD_OK)             \
            return cd_try_status_;               \
    } while (0)

#endif
