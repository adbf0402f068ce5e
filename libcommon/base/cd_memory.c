// SPDX-License-Identifier: MIT
#include "cd_memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef CD_MEMORY_IS_WATCHED
#include <sanitizer/asan_interface.h>
#define POISON(start, bytes) ASAN_POISON_MEMORY_REGION(start, bytes)
#define UNPOISON(start, bytes) ASAN_UNPOISON_MEMORY_REGION(start, bytes)
#define RED_ZONE 32
#else
#define POISON(start, bytes) ((void)(start))
#define UNPOISON(start, bytes) ((void)(start))
#define RED_ZONE 0
#endif

enum { ALIGNMENT = 32, FIRST_BLOCK = 64 * 1024, HUGE_PAGE = 2 << 20 };

static void abort_on_memory(size_t bytes)
{
    (void)bytes;
    abort();
}

static void (*memory_handler)(size_t bytes) = abort_on_memory;

void cd_set_memory_handler(void (*handler)(size_t bytes)) { memory_handler = handler ? handler : abort_on_memory; }

void *cd_alloc(size_t bytes) { return cd_realloc(NULL, bytes); }

void *cd_realloc(void *memory, size_t bytes)
{
    void *result = realloc(memory, bytes ? bytes : 1);
    if (!result)
        memory_handler(bytes);
    return result;
}

void *cd_alloc_aligned(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        memory_handler(bytes);
    return memory;
}

void cd_free(void *memory) { free(memory); }

// Asks for pages of 2 MiB inside the range: memory that is written soon, or read and written at random. (Canonical
// order of 12.7e6 pairs: 83 ms with small pages, 76 ms with large ones; the first touch of 256 MB: 85 ms and 15.)
static void prefer_huge_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);  // advice: where it is not taken all goes on as before
#else
    (void)memory, (void)bytes;
#endif
}

// ---- region --------------------------------------------------------------------------------------------------------

// [bytes] mapped from there on: a large page takes as long to clear as 90 small ones. (An arena's blocks come and go
// with every frame, and take large pages later: frames of 15,000 pairs need 30 MiB with 4 MiB here, 140 with 512
// KiB.)
enum { REGION_LARGE = 512 * 1024 };
// [bytes] of address space reserved at once: a region that outgrows them is copied, which for a moment takes its size
// once more.
static const size_t REGION_AHEAD = (size_t)1 << (sizeof(size_t) > 4 ? 32 : 26);

static void *map_ahead(size_t *bytes)
{
    *bytes = (*bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *data =
        mmap(NULL, *bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return NULL;
    // Cut to the boundary of a large page.
    size_t skip = (HUGE_PAGE - (uintptr_t)data % HUGE_PAGE) % HUGE_PAGE;
    if (skip)
        munmap(data, skip);
    char *begin = (char *)data + skip;
    munmap(begin + *bytes, HUGE_PAGE - skip);
    prefer_huge_pages(begin, *bytes);
    return begin;
}

void cd_region_reserve(cd_region *region, size_t used, size_t needed)
{
    if (needed <= region->bytes)
        return;
    if (needed > SIZE_MAX / 64)
        memory_handler(needed);
    if (needed < REGION_LARGE) {
        size_t bytes = region->bytes ? region->bytes : 4096;
        while (bytes < needed)
            bytes *= 2;
        bytes = bytes < REGION_LARGE ? bytes : REGION_LARGE - 1;
        region->data = cd_realloc(region->data, bytes);
        region->bytes = bytes;
        return;
    }
    size_t bytes = needed * 2 > REGION_AHEAD ? needed * 2 : REGION_AHEAD;
    void *data = map_ahead(&bytes);
    if (!data) {
        bytes = needed * 2;
        data = map_ahead(&bytes);
    }
    if (!data)
        memory_handler(needed);
    if (used)
        memcpy(data, region->data, used);
    cd_region_release(region);
    *region = (cd_region){data, bytes};
}

void cd_region_release(cd_region *region)
{
    if (region->bytes >= REGION_LARGE)
        munmap(region->data, region->bytes);
    else
        free(region->data);
    *region = (cd_region){NULL, 0};
}

void cd_region_trim(cd_region *region, size_t kept)
{
    size_t from = (kept + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (region->bytes >= REGION_LARGE && from < region->bytes)
        madvise((char *)region->data + from, region->bytes - from, MADV_DONTNEED);
}

// ---- arena ---------------------------------------------------------------------------------------------------------

static void free_block(cd_arena_block *block)
{
    if (!block)
        return;
    UNPOISON(block->data, block->capacity);
    free(block);
}

static void push_block(cd_arena *arena, size_t at_least)
{
    size_t capacity = arena->block ? arena->block->capacity * 2 : FIRST_BLOCK;
    if (!arena->block && capacity < arena->ahead)
        capacity = (arena->ahead + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (capacity < at_least)
        capacity *= 2;
    cd_arena_block *block = arena->spare;
    if (block && block->capacity >= at_least) {
        arena->spare = NULL;
    } else {
        bool is_large = capacity >= 2 * (size_t)HUGE_PAGE;
        size_t bytes = sizeof *block + capacity;
        if (is_large)
            bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        block = aligned_alloc(is_large ? HUGE_PAGE : ALIGNMENT, bytes);
        if (!block)
            memory_handler(capacity);
        if (is_large)
            prefer_huge_pages(block, bytes);
        block->capacity = bytes - sizeof *block;
    }
    block->older = arena->block;
    capacity = block->capacity;
    POISON(block->data, capacity);
    arena->block = block;
    arena->used = 0;
}

void *cd_arena_alloc_any_(cd_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        memory_handler(bytes);
    size_t size = (bytes + RED_ZONE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->block || arena->block->capacity - arena->used < size)
        push_block(arena, size);
    char *memory = arena->block->data + arena->used;
    arena->used += size;
    UNPOISON(memory, bytes);
    return memory;
}

void *cd_arena_zalloc(cd_arena *arena, size_t bytes) { return memset(cd_arena_alloc(arena, bytes), 0, bytes); }

char *cd_arena_printf(cd_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = cd_arena_alloc(arena, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

char *cd_arena_text(cd_arena *arena, const char *text, size_t length)
{
    char *copy = cd_arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

cd_arena_mark cd_arena_get_mark(const cd_arena *arena) { return (cd_arena_mark){arena->block, arena->used}; }

// Takes the blocks newer than `keep` off; the largest of them, mostly the newest, becomes the spare.
static void drop_newer_blocks(cd_arena *arena, const cd_arena_block *keep)
{
    while (arena->block && arena->block != keep) {
        cd_arena_block *block = arena->block;
        arena->block = block->older;
        bool is_better = !arena->spare || block->capacity > arena->spare->capacity;
        free_block(is_better ? arena->spare : block);
        arena->spare = is_better ? block : arena->spare;
    }
}

void cd_arena_rewind(cd_arena *arena, cd_arena_mark mark)
{
    if (!mark.block) {
        cd_arena_reset(arena);
        return;
    }
    drop_newer_blocks(arena, mark.block);
    arena->used = mark.used;
    POISON(arena->block->data + arena->used, arena->block->capacity - arena->used);
}

// What was used, in blocks that are not full to their ends.
static size_t used_bytes(const cd_arena *arena)
{
    size_t bytes = arena->used;
    for (const cd_arena_block *block = arena->block ? arena->block->older : NULL; block; block = block->older)
        bytes += block->capacity;
    return bytes;
}

void cd_arena_reset(cd_arena *arena)
{
    size_t used = used_bytes(arena);
    drop_newer_blocks(arena, NULL);
    // A frame that took several blocks would take fresh ones each time, and the kernel clear them: the next one gets a
    // single block with some room, which stays. (1e5 balls over 1e6 triangles: a quarter of cd-broad's time a frame.)
    if (arena->spare && used > arena->spare->capacity) {
        free_block(arena->spare);
        arena->spare = NULL;
        arena->ahead = used + used / 8;
    }
    arena->used = 0;
    arena->block = arena->spare;
    arena->spare = NULL;
    if (!arena->block)
        return;
    arena->block->older = NULL;
    POISON(arena->block->data, arena->block->capacity);
}

void cd_arena_release(cd_arena *arena)
{
    drop_newer_blocks(arena, NULL);
    free_block(arena->spare);
    arena->spare = NULL;
    arena->used = arena->ahead = 0;
}

void cd_arena_trim(cd_arena *arena)
{
    free_block(arena->spare);
    arena->spare = NULL;
    cd_arena_block *block = arena->block;
    if (!block || block->capacity < 2 * (size_t)HUGE_PAGE)
        return;
    uintptr_t from = ((uintptr_t)block->data + arena->used + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)block->data + block->capacity) / HUGE_PAGE * HUGE_PAGE;
    if (from < end)
        madvise((void *)from, end - from, MADV_DONTNEED);
}

// The blocks go behind the one that is being filled, or in its place where there is none.
void cd_arena_adopt(cd_arena *arena, cd_arena *from)
{
    free_block(from->spare);
    cd_arena_block *newest = from->block, *oldest = newest;
    if (newest && !arena->block) {
        arena->block = newest;
        arena->used = from->used;
    } else if (newest) {
        while (oldest->older)
            oldest = oldest->older;
        oldest->older = arena->block->older;
        arena->block->older = newest;
    }
    *from = (cd_arena){0};
}

void *cd_list_grow_(cd_arena *arena, void *items, int32_t *capacity, size_t size)
{
    if (*capacity > INT32_MAX / 2)
        memory_handler(SIZE_MAX);
    int32_t larger = *capacity ? *capacity * 2 : 16;
    void *copy = cd_arena_alloc_array(arena, (size_t)larger, size);
    if (*capacity)
        memcpy(copy, items, (size_t)*capacity * size);
    *capacity = larger;
    return copy;
}

// ---- buffer --------------------------------------------------------------------------------------------------------

void cd_buffer_reserve(cd_buffer *buffer, size_t extra)
{
    if (extra > SIZE_MAX / 4 - buffer->size)
        memory_handler(extra);
    size_t needed = buffer->size + extra;
    if (needed <= buffer->capacity)
        return;
    size_t capacity = buffer->capacity ? buffer->capacity : 4096;
    while (capacity < needed)
        capacity *= 2;
    buffer->data = cd_realloc(buffer->data, capacity);
    buffer->capacity = capacity;
}

void cd_buffer_append(cd_buffer *buffer, const void *bytes, size_t count)
{
    if (count == 0)
        return;
    cd_buffer_reserve(buffer, count);
    memcpy(buffer->data + buffer->size, bytes, count);
    buffer->size += count;
}

void cd_buffer_text(cd_buffer *buffer, const char *text) { cd_buffer_append(buffer, text, strlen(text)); }

void cd_buffer_printf(cd_buffer *buffer, const char *format, ...)
{
    // Most texts are short: twice only where one does not fit.
    cd_buffer_reserve(buffer, 64);
    size_t room = buffer->capacity - buffer->size;
    va_list arguments;
    va_start(arguments, format);
    const size_t length = (size_t)vsnprintf(buffer->data + buffer->size, room, format, arguments);
    va_end(arguments);
    if (length >= room) {
        cd_buffer_reserve(buffer, length + 1);
        va_start(arguments, format);
        vsnprintf(buffer->data + buffer->size, length + 1, format, arguments);
        va_end(arguments);
    }
    buffer->size += length;
}

void cd_buffer_release(cd_buffer *buffer)
{
    cd_free(buffer->data);
    *buffer = (cd_buffer){0};
}
