// SPDX-License-Identifier: MIT
#include "cd_input.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    // First size of the window, and of one read: about what a writer gathers, and less than takes a large page.
    WINDOW = 448 * 1024,  // [bytes]
    PACKED = 64 * 1024,   // [bytes] of gzip input held
    KIND = 8,             // [bytes] that tell what a file is
    LARGE = 4 << 20,      // [bytes] of a window that is not kept: only a block of a single large row needs so much
};

struct cd_gzip {
    z_stream stream;
    bool between_members;
    unsigned char packed[PACKED];
};

static cd_status read_some(cd_input *input, void *into, size_t room, size_t *count, cd_diag *diag)
{
    ssize_t got;
    if ((uint64_t)input->left < room)
        room = (size_t)input->left;
    do
        got = read(input->fd, into, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return cd_fail(diag, CD_ERR_IO, "%s: read: %s", input->name, strerror(errno));
    *count = (size_t)got;
    input->bytes_read += got;
    if (input->left < INT64_MAX)
        input->left -= got;
    return CD_OK;
}

// Room for at least `room` bytes behind end; the consumed part is dropped when it is in the way, or costs nothing.
static void make_room(cd_input *input, size_t room)
{
    size_t used = input->end - input->start;
    if (used && input->capacity - input->end >= room)
        return;
    if (used && input->start)
        memmove(input->data, input->data + input->start, used);
    if (input->capacity > LARGE && used + room <= WINDOW) {
        input->capacity = WINDOW;
        cd_region_trim(&input->memory, WINDOW);
    }
    while (input->capacity < used + room)
        input->capacity *= 2;
    cd_region_reserve(&input->memory, used, input->capacity);
    input->data = input->memory.data;
    input->start = 0;
    input->end = used;
}

static cd_status inflate_some(cd_input *input, size_t *count, cd_diag *diag)
{
    struct cd_gzip *gzip = input->gzip;
    z_stream *z = &gzip->stream;
    z->next_out = (unsigned char *)input->data + input->end;
    size_t room = input->capacity - input->end;
    z->avail_out = room > PACKED * 16u ? PACKED * 16u : (unsigned)room;
    unsigned before = z->avail_out;
    while (z->avail_out == before) {
        if (z->avail_in == 0) {
            size_t got = 0;
            CD_TRY(read_some(input, gzip->packed, sizeof gzip->packed, &got, diag));
            if (got == 0) {
                if (!gzip->between_members)
                    return cd_fail(diag, CD_ERR_TRUNCATED, "%s: gzip data stop early", input->name);
                *count = 0;
                return CD_OK;
            }
            z->next_in = gzip->packed;
            z->avail_in = (unsigned)got;
        }
        if (gzip->between_members) {
            inflateReset(z);
            gzip->between_members = false;
        }
        int result = inflate(z, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            gzip->between_members = true;
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return cd_fail(diag, CD_ERR_FORMAT, "%s: gzip: %s", input->name, z->msg ? z->msg : "damaged data");
    }
    *count = before - z->avail_out;
    return CD_OK;
}

cd_status cd_input_need(cd_input *input, size_t wanted, cd_diag *diag)
{
    while (!input->at_end && input->end - input->start < wanted) {
        // Asking for at most as much again as is there keeps memory in step with the bytes that really arrived.
        size_t used = input->end - input->start, missing = wanted - used;
        size_t room = missing > used ? (used > WINDOW ? used : WINDOW) : missing;
        make_room(input, room > WINDOW / 2 ? room : WINDOW / 2);
        size_t got = 0;
        // Behind a large block no more is read than what ends it: a part of the next one would have to be moved.
        size_t space = input->capacity - input->end, most = missing > WINDOW / 2 && missing < space ? missing : space;
        if (input->gzip)
            CD_TRY(inflate_some(input, &got, diag));
        else
            CD_TRY(read_some(input, input->data + input->end, most, &got, diag));
        if (got == 0)
            input->at_end = true;
        input->end += got;
    }
    return CD_OK;
}

cd_status cd_input_open(cd_input *input, int fd, const char *name, cd_diag *diag)
{
    *input = (cd_input){.fd = fd, .name = name, .capacity = WINDOW, .left = INT64_MAX};
    cd_region_reserve(&input->memory, 0, WINDOW);
    input->data = input->memory.data;
    // Of a file no more than what tells its kind: the reader may then go elsewhere in it.
    struct stat info;
    size_t first = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? KIND : PACKED;
    while (input->end < 2 && !input->at_end) {
        size_t got = 0;
        CD_TRY(read_some(input, input->data + input->end, first - input->end, &got, diag));
        input->end += got;
        input->at_end = got == 0;
    }
    if (input->end < 2 || (unsigned char)input->data[0] != 0x1f || (unsigned char)input->data[1] != 0x8b)
        return CD_OK;
    struct cd_gzip *gzip = cd_alloc(sizeof *gzip);
    memset(&gzip->stream, 0, sizeof gzip->stream);
    gzip->between_members = false;
    if (inflateInit2(&gzip->stream, 15 + 16) != Z_OK) {
        cd_free(gzip);
        return cd_fail(diag, CD_ERR_MEMORY, "%s: gzip: out of memory", name);
    }
    memcpy(gzip->packed, input->data, input->end);  // what was read so far is packed
    gzip->stream.next_in = gzip->packed;
    gzip->stream.avail_in = (unsigned)input->end;
    input->gzip = gzip;
    input->end = 0;
    return CD_OK;
}

cd_status cd_input_go_to(cd_input *input, int64_t place, int64_t bytes, cd_diag *diag)
{
    if (lseek(input->fd, place, SEEK_SET) < 0)
        return cd_fail(diag, CD_ERR_IO, "%s: seek: %s", input->name, strerror(errno));
    input->start = input->end = 0;
    input->left = bytes;
    input->at_end = false;
    return CD_OK;
}

void cd_input_close(cd_input *input)
{
    if (input->gzip) {
        inflateEnd(&input->gzip->stream);
        cd_free(input->gzip);
    }
    cd_region_release(&input->memory);
    if (input->fd > 2)
        close(input->fd);
    *input = (cd_input){.fd = -1};
}
