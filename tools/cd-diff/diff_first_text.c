// SPDX-License-Identifier: MIT
#include "diff_first.h"
#include "diff_text.h"

#include <inttypes.h>
#include <math.h>

// ---- text ----------------------------------------------------------------------------------------------------------

static void print_values(const cd_diff_kept *kept, cd_buffer *out)
{
    cd_diff_print_tamed(kept->text[0], out);
    cd_buffer_text(out, " | ");
    cd_diff_print_tamed(kept->text[1], out);
    double difference = kept->value[1] - kept->value[0];
    if (isfinite(difference))
        cd_buffer_printf(out, "  (%+.3g)", difference);
}

static void print_record(cd_arena *scratch, const cd_diff_first *first, cd_buffer *out)
{
    const cd_diff_link *link = &first->links.item[0];
    cd_buffer_printf(out, "first difference: %s%s, table %s", first->is_head ? "" : "frame ", first->frame,
                     link->table);
    if (first->stage)
        cd_buffer_printf(out, " (%s)", first->stage);
    int side = first->row[0] < 0 && first->key[0] == NULL;
    if (first->row[side] >= 0)
        cd_buffer_printf(out, ", record %d of %d", first->row[side] + 1, link->rows[side]);
    if (*first->key[side])
        cd_buffer_text(out, ": ");
    cd_diff_print_tamed(first->key[side], out);
    cd_buffer_text(out, "\n");
    if (first->key[1 - side] == NULL) {
        cd_buffer_printf(out, "  in the %s stream alone\n", side ? "right" : "left");
        return;
    }
    if (!strcmp(first->members.item[0].member, CD_DIFF_ROW)) {
        cd_buffer_text(out, "  in the left stream alone; in its place the right one has: ");
        cd_diff_print_tamed(first->key[1], out);
        cd_buffer_text(out, "\n");
        return;
    }
    for (int32_t i = 0; i < first->members.count; i++) {
        const cd_diff_kept *kept = &first->members.item[i];
        cd_buffer_printf(out, "  %-24s ", cd_diff_member_title(scratch, kept->member, kept->field));
        print_values(kept, out);
        cd_buffer_text(out, "\n");
    }
}

static void print_bodies(const cd_diff_bodies *bodies, cd_buffer *out)
{
    for (int32_t i = 0; i < bodies->count; i++)
        cd_buffer_printf(out, "%s%" PRId64, i ? ", " : bodies->count > 1 ? "bodies " : "body ", bodies->id[i]);
    cd_buffer_text(out, bodies->is_cut ? ", ..." : "");
}

static void print_chain(const cd_diff_first *first, cd_buffer *out)
{
    cd_buffer_text(out, "\nfrom there on in the frame:\n");
    cd_buffer_printf(out, "  %-12s %8s %8s %9s %10s", "table", "rows", "differ", "only left", "only right");
    if (first->bodies.count > 0) {
        cd_buffer_text(out, "  about ");
        print_bodies(&first->bodies, out);
    }
    cd_buffer_text(out, "\n");
    for (int32_t i = 0; i < first->links.count; i++) {
        const cd_diff_link *link = &first->links.item[i];
        cd_buffer_printf(out, "  %-12s %8d %8" PRId64 " %9" PRId64 " %10" PRId64, link->table,
                         link->rows[0] > link->rows[1] ? link->rows[0] : link->rows[1], link->differ, link->only[0],
                         link->only[1]);
        if (link->one.key) {
            cd_buffer_printf(out, "  %" PRId64 ": ", link->about);
            cd_diff_print_tamed(link->one.key, out);
            cd_buffer_printf(out, "%s%s ", *link->one.key ? ", " : "", link->one.member);
            print_values(&link->one, out);
        }
        cd_buffer_text(out, "\n");
    }
}

static void print_hints(const cd_diff_first *first, cd_buffer *out)
{
    const char *table = first->links.count > 0 ? first->links.item[0].table : "";
    if (strcmp(first->programs[0], first->programs[1])) {
        cd_buffer_text(out, "\nleft:  ");
        cd_diff_print_tamed(first->programs[0], out);
        cd_buffer_text(out, "\nright: ");
        cd_diff_print_tamed(first->programs[1], out);
        cd_buffer_text(out, "\n");
    }
    if (!strcmp(table, "trial") || !strcmp(table, "impulse"))
        cd_buffer_text(out, "\nIt is what the rounds before this one led to: cd-loop --keep-trials keeps them.\n");
    if (first->is_head || !strcmp(table, "metric"))
        cd_buffer_printf(out, "\n--ignore %s looks past it.\n", table);
}

void cd_diff_print_first(cd_arena *scratch, const cd_diff_first *first, cd_buffer *out)
{
    if (first->only >= 0) {
        cd_buffer_printf(out, "first difference: frame %s is in the %s stream alone\n", first->frame,
                         first->only ? "right" : "left");
    } else {
        print_record(scratch, first, out);
        print_chain(first, out);
    }
    print_hints(first, out);
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void put_text(const char *name, const char *text, cd_buffer *out)
{
    cd_buffer_printf(out, ",\"%s\":", name);
    if (text)
        cd_json_string(out, text);
    else
        cd_buffer_text(out, "null");
}

static void put_kept(const cd_diff_kept *kept, cd_buffer *out)
{
    cd_buffer_text(out, "{\"member\":");
    cd_json_string(out, kept->member);
    put_text("left", kept->text[0], out);
    put_text("right", kept->text[1], out);
    cd_buffer_text(out, "}");
}

static void put_record(const cd_diff_first *first, cd_buffer *out)
{
    cd_buffer_text(out, ",\"table\":");
    cd_json_string(out, first->links.item[0].table);
    put_text("stage", first->stage, out);
    static const char *const side[] = {"left", "right"};
    for (int s = 0; s < 2; s++) {
        cd_buffer_printf(out, ",\"%s\":", side[s]);
        if (first->key[s] == NULL) {
            cd_buffer_text(out, "null");
            continue;
        }
        cd_buffer_printf(out, "{\"row\":%d", first->row[s]);
        put_text("key", first->key[s], out);
        cd_buffer_text(out, "}");
    }
    cd_buffer_text(out, ",\"members\":[");
    for (int32_t i = 0; i < first->members.count; i++) {
        cd_buffer_text(out, i ? "," : "");
        put_kept(&first->members.item[i], out);
    }
    cd_buffer_text(out, "],\"bodies\":[");
    for (int32_t i = 0; i < first->bodies.count; i++)
        cd_buffer_printf(out, "%s%" PRId64, i ? "," : "", first->bodies.id[i]);
    cd_buffer_text(out, "],\"chain\":[");
    for (int32_t i = 0; i < first->links.count; i++) {
        const cd_diff_link *link = &first->links.item[i];
        cd_buffer_printf(out, "%s{\"table\":", i ? "," : "");
        cd_json_string(out, link->table);
        cd_buffer_printf(out,
                         ",\"rows\":{\"left\":%d,\"right\":%d},\"differ\":%" PRId64 ",\"only\":{\"left\":%" PRId64
                         ",\"right\":%" PRId64 "},\"about\":%" PRId64,
                         link->rows[0], link->rows[1], link->differ, link->only[0], link->only[1], link->about);
        if (link->one.key) {
            put_text("key", link->one.key, out);
            cd_buffer_text(out, ",\"first\":");
            put_kept(&link->one, out);
        }
        cd_buffer_text(out, "}");
    }
    cd_buffer_text(out, "]");
}

void cd_diff_print_first_json(const cd_diff_first *first, cd_buffer *out)
{
    if (first->is_head)
        cd_buffer_text(out, "{\"frame\":null");
    else
        cd_buffer_printf(out, "{\"frame\":%" PRId64 ",\"substep\":%d,\"round\":%d", first->place.index,
                         first->place.substep, first->place.round);
    if (first->only >= 0)
        cd_buffer_printf(out, ",\"only\":\"%s\"", first->only ? "right" : "left");
    else
        put_record(first, out);
    cd_buffer_text(out, ",\"programs\":{\"left\":");
    cd_json_string(out, first->programs[0]);
    put_text("right", first->programs[1], out);
    cd_buffer_text(out, "}}\n");
}
