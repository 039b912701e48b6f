/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_ZLIB_BYTES_H
#define TL_CORE_ZLIB_BYTES_H
/* A zlib stream (RFC 1950) whose expanded size is known. */
#include <stddef.h>
#include <stdint.h>

/* Expand it to exactly `size` bytes. 0, or TL_NO_MEMORY, TL_BAD_FORMAT. */
int tl_zlib_expand(const uint8_t *stream, size_t stream_size, uint8_t *out, size_t size);

#endif
