// SPDX-License-Identifier: MIT
#include "loop_keep.h"

cd_status cd_loop_keep_parse(const char *list, int64_t every, cd_loop_keep *keep, cd_diag *diag)
{
    *keep = (cd_loop_keep){.every = every, .all_tables = !list};
    keep->tables = CD_BIT(frame) | CD_BIT(body) | CD_BIT(node) | CD_BIT(spring);
    while (list && *list) {
        size_t length = strcspn(list, ",");
        cd_record_type type = cd_record_find(list, length);
        if (type == CD_REC_UNKNOWN || cd_records[type].is_head || cd_records[type].rank == CD_RANK_END)
            return cd_fail(diag, CD_ERR_USAGE, "--keep: %.*s: no table of a frame", (int)(length > 40 ? 40 : length),
                           list);
        keep->tables |= UINT64_C(1) << type;
        list += length;
        if (*list == ',' && !*++list)
            return cd_fail(diag, CD_ERR_USAGE, "--keep: a name is missing behind the last comma");
    }
    keep->tables = cd_types_with_targets(keep->tables);
    return CD_OK;
}

bool cd_loop_keeps_frame(const cd_loop_keep *keep, const cd_frame_rows *frame, const cd_run_clock *clock)
{
    return (frame->index[0] - keep->first_index) % keep->every == 0 || frame->index[0] == clock->base_index;
}

bool cd_loop_keeps_table(const cd_loop_keep *keep, cd_record_type type)
{
    return keep->all_tables || (type != CD_REC_UNKNOWN && keep->tables >> type & 1);
}

const char *cd_loop_tables_of_answer(const cd_loop_keep *keep, cd_arena *arena)
{
    if (keep->all_tables)
        return NULL;
    const uint64_t tables = keep->tables | cd_types_with_targets(CD_LOOP_READS);
    const char *list = "";
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (!cd_records[type].is_head && (tables >> type & 1))
            list = cd_arena_printf(arena, "%s%s%s", list, *list ? "," : "", cd_records[type].name);
    return list;
}
