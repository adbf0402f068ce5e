// cd_crc32 -- the vector code of the checksum (cd_crc32.c). Private to it.
// SPDX-License-Identifier: MIT
#ifndef CD_CRC32_H
#define CD_CRC32_H

#include <stddef.h>
#include <stdint.h>

enum { CD_CRC32_LANE = 16, CD_CRC32_WIDE_FIRST = 256 };  // [bytes]

// Folds the bytes, and before them the register `state` (not complemented), into 16 bytes `last` that have the same
// CRC register; returns how many bytes it took, a multiple of 16 that leaves fewer than 16.
// size >= CD_CRC32_WIDE_FIRST. Four registers of 512 bits; the machine must have AVX-512 and VPCLMULQDQ.
size_t cd_crc32_fold_avx512(uint32_t state, const unsigned char *bytes, size_t size, unsigned char last[CD_CRC32_LANE]);

#endif
