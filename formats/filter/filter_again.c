// SPDX-License-Identifier: MIT
#include "filter_again.h"

// [bytes] kept at most: of 10,000 bricks at rest 200 MB come to cd-lcp.
enum { AGAIN_BYTES = 256 << 20 };

static void free_chunks(filter_again *again, cd_chunk *chunk, int32_t from, int32_t behind)
{
    for (int32_t k = from; k < behind; k++) {
        again->bytes -= (size_t)chunk[k].header.stored_size;
        cd_free((void *)(uintptr_t)chunk[k].stored);
    }
}

// Of the frame kept the first `count` chunks stay.
static void cut(filter_again *again, int32_t count)
{
    free_chunks(again, again->in.item, count, again->in.count);
    free_chunks(again, again->out.item, 0, again->out.count);
    again->in.count = again->in.count < count ? again->in.count : count;
    again->out.count = 0;
    again->has_out = false;
}

void filter_again_release(filter_again *again)
{
    cut(again, 0);
    cd_free(again->in.item);
    cd_free(again->out.item);
    cd_buffer_release(&again->frame);
    *again = (filter_again){.is_on = false};
}

// The larger ones of a run are not kept at all: each would be copied in vain.
static void add(filter_again *again, cd_chunk **item, int32_t *count, int32_t *capacity, const cd_chunk *chunk)
{
    const size_t size = (size_t)chunk->header.stored_size;
    if (again->bytes + size > AGAIN_BYTES) {
        cut(again, 0);
        again->is_on = false;
        again->room = 0;
        return;
    }
    if (*count == *capacity) {
        *capacity = *capacity > 0 ? 2 * *capacity : 16;
        *item = cd_realloc(*item, (size_t)*capacity * sizeof **item);
    }
    cd_chunk *own = &(*item)[(*count)++];
    *own = *chunk;
    own->stored = memcpy(cd_alloc(size), chunk->stored, size);
    again->bytes += size;
}

static bool is_same_chunk(const cd_chunk *a, const cd_chunk *b)
{
    const cd_block_header *p = &a->header, *q = &b->header;
    return a->type == b->type && p->flags == q->flags && p->row_count == q->row_count && p->raw_size == q->raw_size &&
           p->payload_crc == q->payload_crc && p->stored_size == q->stored_size &&
           memcmp(a->stored, b->stored, (size_t)p->stored_size) == 0;
}

void filter_again_open(filter_again *again, const cd_frame_rows *frame)
{
    again->same = -1;
    again->room = 0;
    if (!again->is_on)
        return;
    cd_buffer now = {0};
    cd_frame_encode_timeless(frame, &now);
    again->is_same_frame = now.size == again->frame.size && memcmp(now.data, again->frame.data, now.size) == 0 &&
                           frame->index[0] >= again->index && frame->time[0] >= again->time;
    if (!again->is_same_frame)
        cut(again, 0);
    again->same = 0;
    again->index = frame->index[0];
    again->time = frame->time[0];
    cd_buffer_release(&again->frame);
    again->frame = now;
}

bool filter_again_take(filter_again *again, const cd_chunk *chunk)
{
    const int32_t same = again->same;
    if (same < 0 || same >= again->in.count || !is_same_chunk(&again->in.item[same], chunk))
        return false;
    again->same++;
    return true;
}

// What comes to rest comes again with its first tables: then all that is new is kept. Of what moves only what differed,
// to be compared with.
void filter_again_turn(filter_again *again, bool is_odd)
{
    const bool rests = again->is_same_frame && again->same == again->in.count;
    cut(again, is_odd || again->same < 0 ? 0 : again->same);
    again->room = is_odd ? 0 : rests ? INT32_MAX : 1;
    again->same = -1;
}

void filter_again_add(filter_again *again, const cd_chunk *chunk)
{
    if (again->room == 0)
        return;
    again->room -= again->room < INT32_MAX;
    add(again, &again->in.item, &again->in.count, &again->in.capacity, chunk);
}

bool filter_again_is_whole(const filter_again *again)
{
    return again->has_out && again->same >= 0 && again->same == again->in.count;
}

// What is released later makes another frame of the same tables.
bool filter_again_wants(filter_again *again, const cd_body_rows *body)
{
    if (again->room < INT32_MAX)
        return false;
    for (int32_t i = 0; body->release && i < body->count; i++)
        if (body->release[i] > again->time)
            return false;
    return again->has_out = true;
}

void filter_again_wrote(void *context, const cd_block_header *header, const void *stored)
{
    filter_again *again = context;
    if (!again->is_on)
        return;
    cd_chunk chunk = {.encoding = CD_ENCODING_BINARY,
                      .type = cd_record_find(header->type, strlen(header->type)),
                      .row_count = (int32_t)header->row_count,
                      .header = *header,
                      .stored = stored};
    memcpy(chunk.name, header->type, sizeof chunk.name);
    add(again, &again->out.item, &again->out.count, &again->out.capacity, &chunk);
}
