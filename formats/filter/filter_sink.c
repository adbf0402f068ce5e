// SPDX-License-Identifier: MIT
#include "filter_sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

char *filter_sink_text(int fd, const char *tables, cd_arena *arena)
{
    struct stat of = {0};
    (void)fstat(fd, &of);  // of what cannot be asked: no pipe is this one
    return cd_arena_printf(arena, "%ju:%ju:%s", (uintmax_t)of.st_dev, (uintmax_t)of.st_ino, tables);
}

uint64_t filter_sink_leaves_out(const char *text, int fd)
{
    uintmax_t device, number;
    int begin = 0;
    struct stat of;
    if (!text || sscanf(text, "%ju:%ju:%n", &device, &number, &begin) != 2 || begin == 0 || fstat(fd, &of) != 0 ||
        !S_ISFIFO(of.st_mode) || device != (uintmax_t)of.st_dev || number != (uintmax_t)of.st_ino)
        return 0;
    uint64_t read = CD_BIT(frame);
    for (const char *name = text + begin; *name;) {
        const size_t length = strcspn(name, ",");
        const cd_record_type type = cd_record_find(name, length);
        read |= type == CD_REC_UNKNOWN ? 0 : UINT64_C(1) << type;
        name += length + (name[length] == ',');
    }
    uint64_t left_out = 0;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (!cd_records[type].is_head && cd_records[type].rank != CD_RANK_END && !(read >> type & 1))
            left_out |= UINT64_C(1) << type;
    return left_out;
}
