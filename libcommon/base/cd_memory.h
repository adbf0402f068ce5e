// cd_memory -- the three lifetimes: run (cd_alloc, cd_buffer), frame (one arena, reset after each frame),
// call (stack, or arena mark/rewind).
//
// No allocation here returns NULL: when memory ends the handler runs (the tools' one prints a line and exits 4;
// the default aborts). So callers never test, and nothing announced by input may be allocated before it arrived.
// The arena is a bump allocator over blocks that double; reset and rewind keep the largest block, so a steady pipeline
// stops calling malloc after its first frames. Cost: O(1) an allocation, no per-object header.
// Under AddressSanitizer the free part of every block is poisoned, with a 16-byte gap behind each allocation.
// SPDX-License-Identifier: MIT
#ifndef CD_MEMORY_H
#define CD_MEMORY_H

// Under AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
#define CD_MEMORY_IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CD_MEMORY_IS_WATCHED 1
#endif
#endif

#include "cd_status.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Replaces what happens when memory ends; the handler must not return. One per process, set before any thread starts.
void cd_set_memory_handler(void (*handler)(size_t bytes));

void *cd_alloc(size_t bytes);                  // @owns caller (free with cd_free); uninitialised; 0 bytes is legal
void *cd_realloc(void *memory, size_t bytes);  // @owns caller
void *cd_alloc_aligned(size_t bytes);          // the same, 64-byte aligned; cannot be reallocated
void cd_free(void *memory);

// ---- a growing region ----------------------------------------------------------------------------------------------

// Memory that grows in place once it is large: from 512 KiB on, address space is reserved far ahead (it costs nothing
// until it is written, and where it cannot be had the region grows by doubling) on large pages. So a table of unknown
// length is written once.
typedef struct cd_region {
    void *data;    // kept up to `used` when the region grows
    size_t bytes;  // that may be written
} cd_region;       // all zero is valid and empty

void cd_region_reserve(cd_region *region, size_t used, size_t needed);  // at least `needed` bytes
void cd_region_release(cd_region *region);
// Gives back what lies behind the first `kept` bytes, of a large region; these may be written again.
void cd_region_trim(cd_region *region, size_t kept);

// ---- arena ---------------------------------------------------------------------------------------------------------

typedef struct cd_arena_block {
    struct cd_arena_block *older;
    size_t capacity;
    _Alignas(32) char data[];
} cd_arena_block;
typedef struct cd_arena {
    cd_arena_block *block;  // the one being filled; older ones are chained behind it
    size_t used;            // [bytes] of `block`
    cd_arena_block *spare;  // taken off by a rewind, for the next block
    size_t ahead;           // [bytes] of the first block after a reset; 0: as usual
} cd_arena;                 // all zero is a valid empty arena

typedef struct cd_arena_mark {
    cd_arena_block *block;
    size_t used;
} cd_arena_mark;

static inline void *cd_arena_alloc(cd_arena *arena, size_t bytes);  // 32-byte aligned, uninitialised; @owns arena
void *cd_arena_zalloc(cd_arena *arena, size_t bytes);               // the same, zeroed
char *cd_arena_printf(cd_arena *arena, const char *format, ...) CD_PRINTF(2, 3);
char *cd_arena_text(cd_arena *arena, const char *text, size_t length);  // a copy, NUL added
cd_arena_mark cd_arena_get_mark(const cd_arena *arena);
void cd_arena_rewind(cd_arena *arena, cd_arena_mark mark);  // frees all that came after the mark
void cd_arena_reset(cd_arena *arena);                       // frees all, keeps the memory for the next frame
void cd_arena_release(cd_arena *arena);                     // gives the memory back
// Gives back what nobody uses now, of a large block its pages; of an arena that needed much and will not do so soon.
void cd_arena_trim(cd_arena *arena);
// What a worker allocated lives on in the arena of who started it, until that is reset, or rewound to before the
// adoption and into an older block; `from` is empty then. O(blocks of `from`).
void cd_arena_adopt(cd_arena *arena, cd_arena *from);

// count * sizeof(type) with overflow check (overflow ends in the memory handler).
static inline void *cd_arena_alloc_array(cd_arena *arena, size_t count, size_t size);
#define CD_ARENA_ARRAY(arena, type, count) ((type *)cd_arena_alloc_array((arena), (size_t)(count), sizeof(type)))
static inline void *cd_arena_zalloc_array(cd_arena *arena, size_t count, size_t size);  // the same, zeroed
#define CD_ARENA_ZARRAY(arena, type, count) ((type *)cd_arena_zalloc_array((arena), (size_t)(count), sizeof(type)))

// Small problems ask for dozens of arrays each: what fits in the block takes no call.
void *cd_arena_alloc_any_(cd_arena *arena, size_t bytes);
static inline void *cd_arena_alloc(cd_arena *arena, size_t bytes)
{
#ifndef CD_MEMORY_IS_WATCHED
    if (arena->block && bytes <= arena->block->capacity - arena->used) {
        size_t size = (bytes + 31) / 32 * 32;  // the capacity is a multiple of it
        void *memory = arena->block->data + arena->used;
        arena->used += size;
        return memory;
    }
#endif
    return cd_arena_alloc_any_(arena, bytes);
}
static inline void *cd_arena_alloc_array(cd_arena *arena, size_t count, size_t size)
{
    return cd_arena_alloc(arena, size && count > SIZE_MAX / 4 / size ? SIZE_MAX : count * size);
}
static inline void *cd_arena_zalloc_array(cd_arena *arena, size_t count, size_t size)
{
    void *memory = cd_arena_alloc_array(arena, count, size);
    // as alloc_array takes no more, which a compiler cannot see that takes a negative count for a large one
    return count <= PTRDIFF_MAX / size ? memset(memory, 0, count * size) : memory;
}

// ---- a growing list in an arena: CD_LIST(cd_box_pair) pairs = {0}; cd_list_push(arena, &pairs, p); -----------------

#define CD_LIST(type)            \
    struct {                     \
        type *item;              \
        int32_t count, capacity; \
    }
#define cd_list_push(arena, list, value)                                                                  \
    do {                                                                                                  \
        if ((list)->count == (list)->capacity)                                                            \
            (list)->item = cd_list_grow_((arena), (list)->item, &(list)->capacity, sizeof *(list)->item); \
        (list)->item[(list)->count++] = (value);                                                          \
    } while (0)
// Room for one more at the end, where it is to be written.
#define cd_list_add(arena, list)                                                                             \
    ((void)((list)->count == (list)->capacity &&                                                             \
            ((list)->item = cd_list_grow_((arena), (list)->item, &(list)->capacity, sizeof *(list)->item))), \
     &(list)->item[(list)->count++])
void *cd_list_grow_(cd_arena *arena, void *items, int32_t *capacity, size_t size);  // for the macro only

// ---- growing bytes with run lifetime -------------------------------------------------------------------------------

typedef struct cd_buffer {
    char *data;
    size_t size, capacity;
} cd_buffer;  // all zero is a valid empty buffer

void cd_buffer_reserve(cd_buffer *buffer, size_t extra);  // room for `extra` bytes behind size; grows by doubling
void cd_buffer_append(cd_buffer *buffer, const void *bytes, size_t count);
void cd_buffer_text(cd_buffer *buffer, const char *text);  // appends without the NUL
void cd_buffer_printf(cd_buffer *buffer, const char *format, ...) CD_PRINTF(2, 3);
void cd_buffer_release(cd_buffer *buffer);

#endif
