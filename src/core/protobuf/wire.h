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
 * A field as nearly all are: a key of one byte, and a number of at most four behind it, which is
 * the value or the size of the bytes. False: it is another one, or damaged; nothing was taken.
 */
static inline bool tl_wire_short(struct tl_cursor *cur, struct tl_wire_field *field)
{
	enum { KEY = 1, READ = 8, NUMBER_AT = 3, LEAST_KEY = 1 << NUMBER_AT, LEAST_LONG = 0x80 };
	struct tl_cursor rest = { cur->pos + KEY, cur->end, cur->base };
	const unsigned key = tl_cursor_left(cur) >= KEY + READ ? *cur->pos : 0;
	const enum tl_wire_type type = (enum tl_wire_type)(key & (LEAST_KEY - 1));
	uint64_t value;

	if (key < LEAST_KEY || key >= LEAST_LONG ||
	    (type != TL_WIRE_VARINT && type != TL_WIRE_BYTES) ||
	    !tl_wire_short_varint(&rest, &value))
		return false;
	if (type == TL_WIRE_BYTES) {
		if (value > tl_cursor_left(&rest))
			return false;
		field->bytes = (struct tl_cursor){ rest.pos, rest.pos + value, rest.base };
		rest.pos += value;
	} else {
		field->bytes = (struct tl_cursor){ NULL, NULL, NULL };
	}
	field->number = key >> NUMBER_AT;
	field->type = type;
	field->value = type == TL_WIRE_BYTES ? 0 : value;
	field->start = cur->pos;
	cur->pos = rest.pos;
	return true;
}

/*
 * The next field of a message. @return 1; 0 at the end of the message; TL_TRUNCATED or
 * TL_BAD_RECORD, `*why` is then the reason, and the cursor stands where the field begins.
 */
static inline int tl_wire_next(struct tl_cursor *cur, struct tl_wire_field *field, const char **why)
{
	if (cur->pos == cur->end)
		return 0;
	if (tl_wire_short(cur, field))
		return 1;
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
