/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_CRC32_H
#define TL_CORE_CRC32_H
/* CRC-32 as gzip and zlib have it (RFC 1952, section 8). */
#include <stddef.h>
#include <stdint.h>

/* The sum of the bytes before, 0 of none, continued. */
uint32_t tl_crc32(uint32_t sum, const void *bytes, size_t size);

#endif
