// SPDX-License-Identifier: MIT
#include "cd_status.h"

#include "cd_test.h"

#include <stdbool.h>
#include <string.h>

CD_TEST(a_sentence_that_fits_is_kept)
{
    cd_diag diag = {0};
    CD_CHECK(cd_fail(&diag, CD_ERR_IO, "%s: %s", "run.cdb", "no such file") == CD_ERR_IO);
    CD_CHECK(!strcmp(diag.text, "run.cdb: no such file"));
    CD_CHECK(cd_fail_at(&diag, CD_ERR_FORMAT, "frame %d", 3) == CD_ERR_FORMAT);
    CD_CHECK(!strcmp(diag.text, "frame 3: run.cdb: no such file"));
    CD_CHECK(cd_fail(NULL, CD_ERR_IO, "%d", 1) == CD_ERR_IO && cd_fail_at(NULL, CD_ERR_IO, "%d", 1) == CD_ERR_IO);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), most = strlen(ending);
    return length >= most && !strcmp(text + length - most, ending);
}

// Of every length about the limit: where and why stay, and no character is cut.
CD_TEST(a_sentence_that_is_too_long_loses_its_middle)
{
    enum { MOST = 3000 };
    static char path[2 * MOST + 1];
    for (int n = 200; n < MOST; n += n < 300 ? 1 : 97) {
        for (int i = 0; i < n; i++)
            memcpy(path + 2 * i, "\xc3\xa9", 2);
        path[2 * n] = '\0';
        cd_diag diag = {0};
        (void)cd_fail(&diag, CD_ERR_IO, "a%s: cannot open", path);
        (void)cd_fail_at(&diag, CD_ERR_IO, "frame 1");
        CD_CHECK(!strncmp(diag.text, "frame 1: a\xc3\xa9", 12) && ends_with(diag.text, "\xa9: cannot open"));
        const char *mark = strstr(diag.text, " ... ");
        CD_CHECK(!mark == ((size_t)(2 * n) + strlen("frame 1: a: cannot open") < sizeof diag.text));
        CD_CHECK(!mark || (mark[-1] == '\xa9' && mark[5 + strspn(mark + 5, " ")] == '\xc3'));
        (void)cd_fail(&diag, CD_ERR_IO, "cannot open");
        (void)cd_fail_at(&diag, CD_ERR_IO, "a%s", path);
        CD_CHECK(diag.text[0] == 'a' && ends_with(diag.text, "\xa9: cannot open"));
    }
}

int main(void)
{
    CD_RUN(a_sentence_that_fits_is_kept);
    CD_RUN(a_sentence_that_is_too_long_loses_its_middle);
    return cd_test_done();
}
