/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_PROTOBUF_WIRE_H
#define TL_CORE_PROTOBUF_WIRE_H
/*
 * The wire format of protocol buffers, read: a message is a row of fields, each a key (field number
 * and type) and a value. What a field means is its reader's business; any field that it does not
 * know is passed over.
 */
#include <tracelathe/core.h>

#include "core/cursor.h"

enum tl_wire_type {
	TL_WIRE_VARINT = 0,
	TL_WIRE_FIXED64 = 1,
	TL_WIRE_BYTES = 2, /* a text, a message, or numbers packed together */
	TL_WIRE_GROUP = 3, /* an old form of a message; its bytes are those between its two keys */
	TL_WIRE_GROUP_END = 4,
	TL_WIRE_FIXED32 = 5,
};

struct tl_wire_field {
	uint32_t number;
	enum tl_wire_type type;
	uint64_t value;         /* of a number */
	struct tl_cursor bytes; /* of TL_WIRE_BYTES and TL_WIRE_GROUP */
	const uint8_t *start;   /* the key's first byte */
};

/* A varint of two bytes and more: at most ten, of which the last one has one bit. */
bool tl_wire_long_varint(struct tl_cursor *cur, uint64_t *value);

/*
 * A number of at most four bytes, of which eight can be read: no branch depends on how many it has,
 * as lists of ids have some of each. False: it is longer.
 */
static inline bool tl_wire_short_varint(struct tl_cursor *cur, uint64_t *value)
{
	uint64_t word = tl_le64(cur->pos);
	/* The highest bits of the bytes that are the last of a number. */
	const uint64_t last = ~word & UINT64_C(0x80808080);
	unsigned bits;

	if (!last)
		return false;
	bits = (unsigned)__builtin_ctzll(last) + 1;
	word &= (UINT64_C(1) << bits) - 1;
	*value = (word & 0x7f) | (word >> 1 & 0x3f80) | (word >> 2 & 0x1fc000) |
		 (word >> 3 & 0xfe00000);
	cur->pos += bits / 8;
	return true;
}

/* False: the bytes end inside of the number, or it has more than 64 bits. */
static inline bool tl_wire_varint(struct tl_cursor *cur, uint64_t *value)
{
	if (cur->pos < cur->end && *cur->pos < 0x80) {
		*value = *cur->pos++;
		return true;
	}
	return tl_wire_long_varint(cur, value);
}

/* As tl_wire_next(), for any field. */
int tl_wire_any(struct tl_cursor *cur, struct tl_wire_field *field, const char **why);

/*
 * The next field of a message. @return 1; 0 at the end of the message; TL_TRUNCATED or
 * TL_BAD_RECORD, `*why` is then the reason, and the cursor stands where the field begins.
 */
static inline int tl_wire_next(struct tl_cursor *cur, struct tl_wire_field *field, const char **why)
{
	if (cur->pos == cur->end)
		return 0;
	return tl_wire_any(cur, field, why);
}

/*
 * The next number of a field of repeated numbers: `*cur` begins as `field->bytes`, which is empty
 * for a field of one number; `*first` begins as true. @return 1, 0 at the end, or TL_TRUNCATED
 */
static inline int tl_wire_number(const struct tl_wire_field *field, struct tl_cursor *cur,
				 bool *first, uint64_t *value)
{
	if (field->type != TL_WIRE_BYTES) {
		*value = field->value;
		if (!*first)
			return 0;
		*first = false;
		return 1;
	}
	if (tl_cursor_left(cur) >= 8 && tl_wire_short_varint(cur, value))
		return 1;
	if (cur->pos == cur->end)
		return 0;
	return tl_wire_varint(cur, value) ? 1 : TL_TRUNCATED;
}

#endif
