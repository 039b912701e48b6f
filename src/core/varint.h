/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_VARINT_H
#define TL_CORE_VARINT_H
/* Numbers of as many bytes as they need (LEB128): seven bits a byte, the low ones first. */
#include <stdint.h>

enum { TL_VARINT_BYTES = 10 };

/* Returns the byte behind the number, of TL_VARINT_BYTES at most. */
static inline uint8_t *tl_put_varint(uint8_t *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (uint8_t)(value | 0x80);
	*p++ = (uint8_t)value;
	return p;
}

/* Differences near 0, of either sign, as small numbers: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t tl_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t tl_unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

#endif
