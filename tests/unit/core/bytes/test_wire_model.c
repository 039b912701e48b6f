/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of protocol buffers that are drawn: their fields are those that were written, groups
 * among them; cut anywhere, the fields before the cut; with a changed byte, what a plain reader
 * that looks at one byte after the other makes of them.
 */
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "core/protobuf/wire.h"

enum { ROOM = 4096, FIELDS = 40, DEPTH = 64 };

struct written {
	uint8_t bytes[ROOM];
	size_t size;
	struct field {
		uint32_t number;
		enum tl_wire_type type;
		uint64_t value;
		size_t start, from, to, end; /* the field, and the bytes of its value */
	} fields[FIELDS];
	unsigned count;
};

/* ---- writing ---- */

static void put_varint(struct written *w, uint64_t value, unsigned idle)
{
	for (; value >= 0x80; value >>= 7)
		w->bytes[w->size++] = (uint8_t)(value | 0x80);
	w->bytes[w->size++] = (uint8_t)(value | (idle ? 0x80 : 0));
	/* bytes of zeros that a writer may add */
	for (unsigned i = 0; i < idle; i++)
		w->bytes[w->size++] = i + 1 < idle ? 0x80 : 0;
}

static void put_fixed(struct written *w, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		w->bytes[w->size++] = (uint8_t)(value >> 8 * i);
}

static uint32_t draw_number(uint32_t *seed)
{
	static const uint32_t numbers[] = { 1, 2, 15, 16, 2047, 2048, (1 << 29) - 1 };

	return numbers[chance(seed, 7)];
}

static void put_key(struct written *w, uint32_t number, unsigned type)
{
	put_varint(w, (uint64_t)number << 3 | type, 0);
}

/* A field that is not noted: of a group. */
static void put_inner(struct written *w, uint32_t *seed, unsigned depth)
{
	static const enum tl_wire_type types[] = { TL_WIRE_VARINT, TL_WIRE_FIXED64, TL_WIRE_BYTES,
						   TL_WIRE_FIXED32, TL_WIRE_GROUP };
	const enum tl_wire_type type = types[chance(seed, depth ? 5 : 4)];
	const uint32_t number = draw_number(seed);
	unsigned count = chance(seed, 4);

	put_key(w, number, type);
	switch (type) {
	case TL_WIRE_VARINT:
		put_varint(w, chance_bits(seed) >> chance(seed, 64), 0);
		break;
	case TL_WIRE_FIXED64:
		put_fixed(w, chance_bits(seed), 8);
		break;
	case TL_WIRE_FIXED32:
		put_fixed(w, chance_bits(seed), 4);
		break;
	case TL_WIRE_BYTES:
		put_varint(w, count, 0);
		while (count--)
			w->bytes[w->size++] = (uint8_t)chance(seed, 256);
		break;
	default:
		while (count--)
			put_inner(w, seed, depth - 1);
		put_key(w, number, TL_WIRE_GROUP_END);
	}
}

static void put_field(struct written *w, uint32_t *seed)
{
	static const enum tl_wire_type types[] = { TL_WIRE_VARINT,  TL_WIRE_VARINT, TL_WIRE_FIXED64,
						   TL_WIRE_FIXED32, TL_WIRE_BYTES,  TL_WIRE_BYTES,
						   TL_WIRE_GROUP };
	struct field *field = &w->fields[w->count++];
	unsigned count = chance(seed, 9);

	*field = (struct field){ .number = draw_number(seed), .type = types[chance(seed, 7)] };
	field->start = w->size;
	put_key(w, field->number, field->type);
	field->from = w->size;
	if (field->type == TL_WIRE_VARINT) {
		field->value = chance_bits(seed) >> chance(seed, 64);
		put_varint(w, field->value, field->value < 128 ? chance(seed, 3) : 0);
	} else if (field->type == TL_WIRE_FIXED64 || field->type == TL_WIRE_FIXED32) {
		const unsigned size = field->type == TL_WIRE_FIXED64 ? 8 : 4;

		field->value = chance_bits(seed) >> (64 - 8 * size);
		put_fixed(w, field->value, size);
	} else if (field->type == TL_WIRE_BYTES) {
		put_varint(w, count, 0);
		field->from = w->size;
		while (count--)
			w->bytes[w->size++] = (uint8_t)chance(seed, 256);
	} else {
		while (count--)
			put_inner(w, seed, 3);
		field->to = w->size;
		put_key(w, field->number, TL_WIRE_GROUP_END);
	}
	field->end = w->size;
	if (field->type != TL_WIRE_GROUP)
		field->to = w->size;
}

static void draw(struct written *w, uint32_t *seed)
{
	const unsigned count = chance(seed, FIELDS);

	*w = (struct written){ .size = 0 };
	while (w->count < count && w->size < ROOM / 2)
		put_field(w, seed);
}

/* ---- a reader that looks at one byte after the other ---- */

struct plain {
	const uint8_t *bytes;
	size_t at, end;
};

static bool take_varint(struct plain *p, uint64_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < 10 && p->at < p->end; i++) {
		const uint8_t byte = p->bytes[p->at++];

		/* bits above the 64th do not count */
		if (i < 9 || byte & 1)
			*value |= (uint64_t)(byte & (i < 9 ? 0x7f : 1)) << 7 * i;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool pass(struct plain *p, uint64_t count)
{
	if (count > p->end - p->at)
		return false;
	p->at += (size_t)count;
	return true;
}

/* One field, with all that is in it: 1, or why not. */
static int pass_field(struct plain *p, unsigned depth, uint32_t *ended)
{
	uint64_t key, value;
	uint32_t inner = 0;
	int status = 1;

	*ended = 0;
	if (!take_varint(p, &key))
		return TL_TRUNCATED;
	if (key >> 3 == 0 || key >> 3 >= 1 << 29)
		return TL_BAD_RECORD;
	switch (key & 7) {
	case 0:
		return take_varint(p, &value) ? 1 : TL_TRUNCATED;
	case 1:
		return pass(p, 8) ? 1 : TL_TRUNCATED;
	case 2:
		return take_varint(p, &value) && pass(p, value) ? 1 : TL_TRUNCATED;
	case 5:
		return pass(p, 4) ? 1 : TL_TRUNCATED;
	case 4:
		*ended = (uint32_t)(key >> 3);
		return depth ? 1 : TL_BAD_RECORD;
	case 3:
		if (depth == DEPTH)
			return TL_TOO_LARGE;
		while (status == 1 && !inner)
			status = p->at == p->end ? TL_TRUNCATED : pass_field(p, depth + 1, &inner);
		if (status == 1 && inner != key >> 3)
			status = TL_BAD_RECORD;
		return status;
	default:
		return TL_BAD_RECORD;
	}
}

/* ---- tests ---- */

static struct tl_cursor cursor_over(const struct written *w, size_t size)
{
	return (struct tl_cursor){ w->bytes, w->bytes + size, w->bytes };
}

static void assert_field(const struct written *w, const struct tl_wire_field *have, unsigned i)
{
	const struct field *wanted = &w->fields[i];

	assert_int_equal(have->number, wanted->number);
	assert_int_equal(have->type, wanted->type);
	assert_ptr_equal(have->start, w->bytes + wanted->start);
	if (wanted->type == TL_WIRE_BYTES || wanted->type == TL_WIRE_GROUP) {
		assert_ptr_equal(have->bytes.pos, w->bytes + wanted->from);
		assert_ptr_equal(have->bytes.end, w->bytes + wanted->to);
		assert_ptr_equal(have->bytes.base, w->bytes);
	} else {
		assert_true(have->value == wanted->value);
	}
}

TEST(drawn_messages_have_their_fields)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 3000; round++) {
		struct written w;
		struct tl_cursor cur;
		struct tl_wire_field field;
		const char *why = NULL;

		draw(&w, &seed);
		cur = cursor_over(&w, w.size);
		for (unsigned i = 0; i < w.count; i++) {
			assert_int_equal(tl_wire_next(&cur, &field, &why), 1);
			assert_field(&w, &field, i);
			assert_ptr_equal(cur.pos, w.bytes + w.fields[i].end);
		}
		assert_int_equal(tl_wire_next(&cur, &field, &why), 0);
		assert_null(why);
	}
}

/* Cut at every byte: "the cursor stands where the field begins", and a reason is told. */
TEST(cut_messages_have_the_fields_before_the_cut)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 40; round++) {
		struct written w;

		draw(&w, &seed);
		for (size_t size = 0; size <= w.size; size++) {
			struct tl_cursor cur = cursor_over(&w, size);
			struct tl_wire_field field;
			const char *why = NULL;
			unsigned i = 0;

			for (; i < w.count && w.fields[i].end <= size; i++) {
				assert_int_equal(tl_wire_next(&cur, &field, &why), 1);
				assert_field(&w, &field, i);
			}
			if (i == w.count || w.fields[i].start == size) {
				assert_int_equal(tl_wire_next(&cur, &field, &why), 0);
				continue;
			}
			assert_int_equal(tl_wire_next(&cur, &field, &why), TL_TRUNCATED);
			assert_non_null(why);
			assert_ptr_equal(cur.pos, w.bytes + w.fields[i].start);
		}
	}
}

TEST(changed_messages_are_read_as_byte_by_byte)
{
	uint32_t seed = 3;
	unsigned refused[4] = { 0 };

	for (unsigned round = 0; round < 20000; round++) {
		struct written w;
		struct plain plain;
		struct tl_cursor cur;
		int status = 1;

		draw(&w, &seed);
		if (!w.size)
			continue;
		for (unsigned i = 1 + chance(&seed, 3); i > 0; i--)
			w.bytes[chance(&seed, (unsigned)w.size)] = (uint8_t)chance(&seed, 256);
		cur = cursor_over(&w, w.size);
		plain = (struct plain){ w.bytes, 0, w.size };
		while (status == 1 && plain.at < plain.end) {
			const size_t start = plain.at;
			struct tl_wire_field field;
			const char *why = NULL;
			uint32_t ended;

			status = pass_field(&plain, 0, &ended);
			assert_int_equal(tl_wire_next(&cur, &field, &why), status);
			if (status == 1) {
				assert_ptr_equal(cur.pos, w.bytes + plain.at);
				assert_null(why);
			} else {
				assert_ptr_equal(cur.pos, w.bytes + start);
				assert_non_null(why);
				refused[status == TL_TRUNCATED ? 0 : 1]++;
			}
		}
	}
	assert_true(refused[0] > 1000 && refused[1] > 1000);
}

/* Groups in groups, as many as are read and one more, each with a number of its own. */
TEST(groups_in_groups)
{
	for (unsigned depth = 1; depth < DEPTH + 3; depth++) {
		struct written w = { .size = 0 };
		struct tl_cursor cur;
		struct tl_wire_field field;
		const char *why = NULL;

		for (unsigned i = 0; i < depth; i++)
			put_key(&w, i + 1, TL_WIRE_GROUP);
		for (unsigned i = depth; i-- > 0;)
			put_key(&w, i + 1, TL_WIRE_GROUP_END);
		cur = cursor_over(&w, w.size);
		assert_int_equal(tl_wire_next(&cur, &field, &why),
				 depth <= DEPTH ? 1 : TL_TOO_LARGE);
		if (depth > DEPTH)
			continue;
		assert_ptr_equal(cur.pos, w.bytes + w.size);
		/* what is inside is read by itself, one group less deep */
		cur = field.bytes;
		assert_int_equal(tl_wire_next(&cur, &field, &why), depth > 1);
		if (depth > 1)
			assert_int_equal(field.number, 2);
		/* an end of another number */
		w.bytes[w.size - 1] ^= 0x78;
		cur = cursor_over(&w, w.size);
		assert_int_equal(tl_wire_next(&cur, &field, &why), TL_BAD_RECORD);
	}
}

/* "packed ... contains all of the elements": rows of numbers, cut at every byte. */
TEST(packed_numbers_that_are_cut)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < 300; round++) {
		struct written w = { .size = 0 };
		uint64_t numbers[FIELDS];
		size_t ends[FIELDS];
		const unsigned count = chance(&seed, FIELDS);

		for (unsigned i = 0; i < count; i++) {
			numbers[i] =
				chance_bits(&seed) >>
				(chance(&seed, 2) ? chance(&seed, 64) : 36 + chance(&seed, 28));
			put_varint(&w, numbers[i], numbers[i] < 1 << 20 ? chance(&seed, 2) : 0);
			ends[i] = w.size;
		}
		for (size_t size = 0; size <= w.size; size++) {
			const struct tl_wire_field field = { .type = TL_WIRE_BYTES };
			/* bytes behind the end are not of the row */
			struct tl_cursor cur = cursor_over(&w, size);
			bool first = true;
			unsigned i = 0;
			uint64_t value;
			int status;

			for (; i < count && ends[i] <= size; i++) {
				assert_int_equal(tl_wire_number(&field, &cur, &first, &value), 1);
				assert_true(value == numbers[i]);
				assert_ptr_equal(cur.pos, w.bytes + ends[i]);
			}
			status = tl_wire_number(&field, &cur, &first, &value);
			assert_int_equal(status, (i ? ends[i - 1] : 0) == size ? 0 : TL_TRUNCATED);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_messages_have_their_fields),
		cmocka_unit_test(cut_messages_have_the_fields_before_the_cut),
		cmocka_unit_test(changed_messages_are_read_as_byte_by_byte),
		cmocka_unit_test(groups_in_groups),
		cmocka_unit_test(packed_numbers_that_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
