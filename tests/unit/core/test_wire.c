/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of protocol buffers ("Encoding", protobuf.dev), message by message. */
#include <string.h>

#include "../unit.h"

#include "core/protobuf/wire.h"

static struct tl_cursor cursor_over(const void *bytes, size_t size)
{
	return (struct tl_cursor){ bytes, (const uint8_t *)bytes + size, bytes };
}

/* "Each byte has a continuation bit ... the lower 7 bits are a payload", least significant first.
 */
TEST(varints)
{
	static const struct {
		const char *bytes;
		size_t size, used; /* used 0: not a number */
		uint64_t value;
	} rows[] = {
		{ "\x00", 1, 1, 0 },
		{ "\x7f", 2, 1, 127 },
		{ "\x80\x01", 2, 2, 128 },
		{ "\x96\x01\x96", 3, 2, 150 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9, 9, INT64_MAX },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 10, UINT64_MAX },
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, 10, UINT64_C(1) << 63 },
		{ "\x81\x80\x00", 3, 3, 1 },
		{ "", 0, 0, 0 },
		{ "\x80", 1, 0, 0 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, 0, 0 },
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_cursor cur = cursor_over(rows[i].bytes, rows[i].size);
		uint64_t value = 0;

		assert_int_equal(tl_wire_varint(&cur, &value), rows[i].used != 0);
		assert_int_equal(cur.pos - cur.base, rows[i].used);
		assert_true(value == rows[i].value);
	}
}

static size_t put_varint(uint8_t *to, uint64_t value)
{
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		to[size++] = (uint8_t)(value | 0x80);
	to[size++] = (uint8_t)value;
	return size;
}

/* Numbers of every length, in rows that end right behind them, and numbers with idle bytes. */
TEST(rows_of_numbers)
{
	enum { COUNT = 64 };
	static const uint8_t idle[] = {
		0x81, 0x80, 0x80, 0x00, 0x05, 0xff, 0x80, 0x00, 0x07, 0x80
	};
	struct tl_wire_field field = { .type = TL_WIRE_BYTES };
	struct tl_cursor cur = cursor_over(idle, sizeof(idle));
	static const uint64_t wanted[] = { 1, 5, 127, 7 };
	uint8_t bytes[COUNT * 10];
	uint64_t value;
	bool first = true;

	for (size_t count = 1; count <= COUNT; count++) {
		size_t size = 0;

		for (size_t i = 0; i < count; i++)
			size += put_varint(bytes + size, UINT64_MAX >> i % 64);
		cur = cursor_over(bytes, size);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(tl_wire_number(&field, &cur, &first, &value), 1);
			assert_true(value == UINT64_MAX >> i % 64);
		}
		assert_int_equal(tl_wire_number(&field, &cur, &first, &value), 0);
	}
	cur = cursor_over(idle, sizeof(idle));
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(tl_wire_number(&field, &cur, &first, &value), 1);
		assert_true(value == wanted[i]);
	}
	assert_int_equal(tl_wire_number(&field, &cur, &first, &value), TL_TRUNCATED);
}

/* "(field_number << 3) | wire_type": each type, in one message, one after the other. */
TEST(fields_of_every_type)
{
	static const uint8_t message[] = {
		0x08, 0x96, 0x01,                               /* 1: 150 */
		0x11, 1,    2,    3,    4,    5,    6, 7, 0x80, /* 2: eight bytes */
		0x1d, 1,    2,    3,    0x80,                   /* 3: four */
		0x22, 3,    'a',  'b',  'c',                    /* 4: "abc" */
		0x2a, 0,                                        /* 5: "" */
		0x33, 0x08, 1,    0x33, 0x34, 0x34,             /* 6: a group with another */
		0xf8, 0xff, 0xff, 0xff, 0x0f, 5,                /* 2^29 - 1: 5 */
	};
	static const size_t starts[] = { 0, 3, 12, 17, 22, 24, 30 };
	static const uint32_t numbers[] = { 1, 2, 3, 4, 5, 6, (1u << 29) - 1 };
	static const enum tl_wire_type types[] = { TL_WIRE_VARINT, TL_WIRE_FIXED64, TL_WIRE_FIXED32,
						   TL_WIRE_BYTES,  TL_WIRE_BYTES,   TL_WIRE_GROUP,
						   TL_WIRE_VARINT };
	static const uint64_t values[] = {
		150, UINT64_C(0x8007060504030201), 0x80030201, 0, 0, 0, 5
	};
	static const size_t bytes[] = { 0, 0, 0, 3, 0, 4, 0 };
	struct tl_cursor cur = cursor_over(message, sizeof(message));
	struct tl_wire_field field;
	const char *why = NULL;

	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(tl_wire_next(&cur, &field, &why), 1);
		assert_int_equal(field.start - message, starts[i]);
		assert_int_equal(field.number, numbers[i]);
		assert_int_equal(field.type, types[i]);
		assert_true(field.value == values[i]);
		assert_int_equal(field.bytes.end - field.bytes.pos, bytes[i]);
	}
	assert_int_equal(tl_wire_next(&cur, &field, &why), 0);
	assert_null(why);
}

/* What is wrong, and the cursor stays where the field begins. */
TEST(fields_that_are_none)
{
	static const struct {
		const char *bytes;
		size_t size;
		int status;
		const char *why;
	} rows[] = {
		{ "\x80", 1, TL_TRUNCATED, "the message ends inside the key of a field" },
		{ "\x00", 1, TL_BAD_RECORD, "a field has a number that no message can have" },
		{ "\x07\x00", 2, TL_BAD_RECORD, "a field has a number that no message can have" },
		{ "\x80\x80\x80\x80\x10\x01", 6, TL_BAD_RECORD,
		  "a field has a number that no message can have" },
		{ "\x08", 1, TL_TRUNCATED, "the message ends inside a number" },
		{ "\x08\x80", 2, TL_TRUNCATED, "the message ends inside a number" },
		{ "\x09\1\2\3\4\5\6\7", 8, TL_TRUNCATED, "the message ends inside a number" },
		{ "\x0d\1\2\3", 4, TL_TRUNCATED, "the message ends inside a number" },
		{ "\x0a", 1, TL_TRUNCATED, "the message ends inside the size of a field" },
		{ "\x0a\x03"
		  "ab",
		  4, TL_TRUNCATED, "a field reaches past the end of its message" },
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, TL_TRUNCATED,
		  "a field reaches past the end of its message" },
		{ "\x0e\x01", 2, TL_BAD_RECORD, "a field has a type that the wire format lacks" },
		{ "\x0f\x01", 2, TL_BAD_RECORD, "a field has a type that the wire format lacks" },
		{ "\x0c", 1, TL_BAD_RECORD, "a group ends that did not begin" },
		{ "\x0b\x08\x01", 3, TL_TRUNCATED, "the message ends inside a group" },
		{ "\x0b\x14", 2, TL_BAD_RECORD, "a group ends that did not begin" },
		{ "\x0b\x13\x0c\x14", 4, TL_BAD_RECORD, "a group ends that did not begin" },
		{ "\x0b\x0e\x0c", 3, TL_BAD_RECORD,
		  "a field has a type that the wire format lacks" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_cursor cur = cursor_over(rows[i].bytes, rows[i].size);
		struct tl_wire_field field;
		const char *why = NULL;

		assert_int_equal(tl_wire_next(&cur, &field, &why), rows[i].status);
		assert_string_equal(why, rows[i].why);
		assert_ptr_equal(cur.pos, rows[i].bytes);
	}
}

/* Groups inside each other: 64 are read, and no more. */
TEST(groups_are_as_deep_as_is_read)
{
	enum { DEPTH = 64 };
	uint8_t message[2 * (DEPTH + 1)];

	for (size_t depth = DEPTH; depth <= DEPTH + 1; depth++) {
		struct tl_cursor cur = cursor_over(message, 2 * depth);
		struct tl_wire_field field;
		const char *why = NULL;

		memset(message, 0x0b, depth);
		memset(message + depth, 0x0c, depth);
		assert_int_equal(tl_wire_next(&cur, &field, &why),
				 depth > DEPTH ? TL_TOO_LARGE : 1);
		if (depth > DEPTH) {
			assert_string_equal(why, "more groups inside each other than are read");
			continue;
		}
		assert_ptr_equal(cur.pos, cur.end);
		assert_int_equal(field.bytes.pos - message, 1);
		assert_int_equal(field.bytes.end - message, 2 * DEPTH - 1);
	}
}

/* "packed ... contains all of the elements": one number, a row of them, and a row cut short. */
TEST(repeated_numbers)
{
	static const uint8_t message[] = { 0x08, 7, 0x0a, 3, 1, 0x80, 1, 0x0a, 2, 5, 0x80 };
	static const int statuses[][3] = { { 1, 0, 0 }, { 1, 1, 0 }, { 1, TL_TRUNCATED, 0 } };
	static const uint64_t values[][2] = { { 7, 0 }, { 1, 128 }, { 5, 0 } };
	struct tl_cursor cur = cursor_over(message, sizeof(message));
	const char *why = NULL;

	for (int i = 0; i < 3; i++) {
		struct tl_wire_field field;
		bool first = true;

		assert_int_equal(tl_wire_next(&cur, &field, &why), 1);
		struct tl_cursor row = field.bytes;

		for (int k = 0; k < 3; k++) {
			uint64_t value = 0;

			assert_int_equal(tl_wire_number(&field, &row, &first, &value),
					 statuses[i][k]);
			if (statuses[i][k] < 0)
				break;
			if (statuses[i][k])
				assert_int_equal(value, values[i][k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints),
		cmocka_unit_test(rows_of_numbers),
		cmocka_unit_test(fields_of_every_type),
		cmocka_unit_test(fields_that_are_none),
		cmocka_unit_test(groups_are_as_deep_as_is_read),
		cmocka_unit_test(repeated_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
