/* SPDX-License-Identifier: Apache-2.0 */
#include "core/protobuf/wire.h"

enum { VARINT_BYTES = 10, TYPE_BITS = 3, LAST_NUMBER = (1 << 29) - 1, GROUP_DEPTH = 64 };

bool tl_wire_long_varint(struct tl_cursor *cur, uint64_t *value)
{
	size_t left = tl_cursor_left(cur);
	const uint8_t *p = cur->pos;
	uint64_t sum = 0;

	if (left > VARINT_BYTES)
		left = VARINT_BYTES;
	for (size_t i = 0; i < left; i++) {
		/* The tenth byte has room for one bit. Writers of negative 32-bit numbers differ in
		 * those above, so they are ignored. */
		sum |= (uint64_t)(p[i] & 0x7f) << 7 * i;
		if (p[i] < 0x80) {
			*value = sum;
			cur->pos = p + i + 1;
			return true;
		}
	}
	return false;
}

static int bad(const char **why, enum tl_status status, const char *text)
{
	*why = text;
	return status;
}

static int take_fixed(struct tl_cursor *cur, struct tl_wire_field *field, size_t size,
		      const char **why)
{
	if (!tl_cursor_has(cur, size))
		return bad(why, TL_TRUNCATED, "the message ends inside a number");
	if (size == 8)
		field->value = tl_get64s(cur->pos, TL_HOST_BIG_ENDIAN);
	else
		field->value = tl_get32s(cur->pos, TL_HOST_BIG_ENDIAN);
	cur->pos += size;
	return 1;
}

static int take_bytes(struct tl_cursor *cur, struct tl_wire_field *field, const char **why)
{
	uint64_t size;

	if (!tl_wire_varint(cur, &size))
		return bad(why, TL_TRUNCATED, "the message ends inside the size of a field");
	if (!tl_cursor_has(cur, size))
		return bad(why, TL_TRUNCATED, "a field reaches past the end of its message");
	field->bytes = (struct tl_cursor){ cur->pos, cur->pos + size, cur->base };
	cur->pos += size;
	return 1;
}

static int take_key(struct tl_cursor *cur, struct tl_wire_field *field, const char **why)
{
	uint64_t key;

	*field = (struct tl_wire_field){ .start = cur->pos };
	if (!tl_wire_varint(cur, &key))
		return bad(why, TL_TRUNCATED, "the message ends inside the key of a field");
	if (key >> TYPE_BITS > LAST_NUMBER || !(key >> TYPE_BITS))
		return bad(why, TL_BAD_RECORD, "a field has a number that no message can have");
	field->number = (uint32_t)(key >> TYPE_BITS);
	field->type = (enum tl_wire_type)(key & ((1 << TYPE_BITS) - 1));
	return 1;
}

/* The value behind the key; of a group and its end, nothing. */
static int take_value(struct tl_cursor *cur, struct tl_wire_field *field, const char **why)
{
	switch (field->type) {
	case TL_WIRE_VARINT:
		if (!tl_wire_varint(cur, &field->value))
			return bad(why, TL_TRUNCATED, "the message ends inside a number");
		return 1;
	case TL_WIRE_FIXED64:
		return take_fixed(cur, field, 8, why);
	case TL_WIRE_FIXED32:
		return take_fixed(cur, field, 4, why);
	case TL_WIRE_BYTES:
		return take_bytes(cur, field, why);
	case TL_WIRE_GROUP:
	case TL_WIRE_GROUP_END:
		return 1;
	default:
		return bad(why, TL_BAD_RECORD, "a field has a type that the wire format lacks");
	}
}

/* The fields of a group up to the key that ends it; groups inside are counted, not followed. */
static int take_group(struct tl_cursor *cur, struct tl_wire_field *group, const char **why)
{
	uint32_t open[GROUP_DEPTH] = { group->number };
	unsigned depth = 1;
	struct tl_wire_field field;

	group->bytes = *cur;
	while (depth) {
		int status = cur->pos == cur->end
				     ? bad(why, TL_TRUNCATED, "the message ends inside a group")
				     : take_key(cur, &field, why);

		if (status == 1)
			status = take_value(cur, &field, why);
		if (status < 0)
			return status;
		if (field.type == TL_WIRE_GROUP && depth == GROUP_DEPTH)
			return bad(why, TL_TOO_LARGE,
				   "more groups inside each other than are read");
		if (field.type == TL_WIRE_GROUP)
			open[depth++] = field.number;
		if (field.type == TL_WIRE_GROUP_END && field.number != open[--depth])
			return bad(why, TL_BAD_RECORD, "a group ends that did not begin");
	}
	group->bytes.end = field.start;
	return 1;
}

int tl_wire_any(struct tl_cursor *cur, struct tl_wire_field *field, const char **why)
{
	const uint8_t *start = cur->pos;
	int status = take_key(cur, field, why);

	if (status == 1 && field->type == TL_WIRE_GROUP_END)
		status = bad(why, TL_BAD_RECORD, "a group ends that did not begin");
	if (status == 1)
		status = field->type == TL_WIRE_GROUP ? take_group(cur, field, why)
						      : take_value(cur, field, why);
	if (status < 0)
		cur->pos = start;
	return status;
}
