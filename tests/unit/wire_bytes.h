/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_WIRE_BYTES_H
#define TESTS_UNIT_WIRE_BYTES_H
/* Messages field by field, as the wire format of protocol buffers says. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	uint8_t data[8192];
	size_t size;
};

static inline void put_varint(struct bytes *b, uint64_t value)
{
	do {
		b->data[b->size++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
}

static inline void number(struct bytes *b, unsigned field, uint64_t value)
{
	put_varint(b, field * 8);
	put_varint(b, value);
}

static inline void block(struct bytes *b, unsigned field, const void *data, size_t size)
{
	put_varint(b, field * 8 + 2);
	put_varint(b, size);
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static inline void message(struct bytes *b, unsigned field, struct bytes *inner)
{
	block(b, field, inner->data, inner->size);
	inner->size = 0;
}

#endif
