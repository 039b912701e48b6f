/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What formats are written with: ticks as nanoseconds, messages of protocol buffers, members of
 * gzip. Expected are exact sums, the bytes that the wire format says (../wire_bytes.h writes them
 * on its own), and what gzip(1) reads.
 */
#include "helper.h"

#include <stdio.h>

#include "../chance.h"
#include "../wire_bytes.h"
#include "export/event_time.h"
#include "export/gzip.h"
#include "export/profile_stacks.h"
#include "export/protobuf.h"
#include "profile/model/unsized.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- ticks as nanoseconds ---- */

/* "The fraction that is cut off is carried into the next value." */
TEST(fractions_are_carried)
{
	static const struct {
		uint64_t frequency;
		int64_t ticks[4], ns[4];
	} cases[] = {
		/* without a clock values stay */
		{ 0, { 1, -2, INT64_MAX, INT64_MIN }, { 1, -2, INT64_MAX, INT64_MIN } },
		{ 1000000000, { 1, -2, INT64_MAX, INT64_MIN }, { 1, -2, INT64_MAX, INT64_MIN } },
		/* a tick of 1/3 ns: 1, 2, 3, 4 thirds in all */
		{ 3000000000, { 1, 1, 1, 1 }, { 0, 0, 1, 0 } },
		{ 3000000000, { 2, 2, 2, 2 }, { 0, 1, 1, 0 } },
		{ 3000000000, { -1, -1, -1, -1 }, { 0, 0, -1, 0 } },
		/* 1/3, then -1/3, 1/3, -2/3: the rest changes its sign */
		{ 3000000000, { 1, -2, 2, -3 }, { 0, 0, 0, 0 } },
		{ 3000000000, { 2, -7, 5, 3 }, { 0, -1, 1, 1 } },
		/* a tick is 1/2 s, or 2 s that do not fit */
		{ 2, { 1, 3, -1, 0 }, { 500000000, 1500000000, -500000000, 0 } },
		{ 1,
		  { INT64_MAX, 1, INT64_MIN, -1 },
		  { INT64_MAX, 1000000000, INT64_MIN, -1000000000 } },
		{ UINT64_MAX, { INT64_MAX, 1, 0, 0 }, { 499999999, 1, 0, 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_ns_carry carry = { .frequency = cases[i].frequency };

		for (size_t at = 0; at < COUNT(cases[i].ticks); at++) {
			assert_int_equal(tl_carry_ns(&carry, cases[i].ticks[at]), cases[i].ns[at]);
			assert_true(carry.rest < carry.frequency || !carry.rest);
		}
	}
}

/* With what is carried, nothing is lost: results and rest are the ticks, whatever their signs. */
TEST(results_and_rest_are_all_ticks)
{
	static const int64_t frequencies[] = { 1, 7, 999999999, 1000000001, 24000000, 3300000000 };
	uint32_t seed = 5;

	for (size_t i = 0; i < COUNT(frequencies); i++) {
		struct tl_ns_carry carry = { .frequency = (uint64_t)frequencies[i] };
		int64_t ticks = 0, ns = 0, rest;

		for (unsigned n = 0; n < 2000; n++) {
			const int64_t some = (int64_t)chance(&seed, 60) - 28;

			ticks += some;
			ns += tl_carry_ns(&carry, some);
			rest = (int64_t)carry.rest;
			assert_true(carry.rest < carry.frequency);
			assert_int_equal(ns * frequencies[i] + (carry.negative ? -rest : rest),
					 ticks * 1000000000);
		}
	}
}

/* Only an event in ticks has a clock, the profile's. */
TEST(events_have_a_clock)
{
	struct tl_profile *profile = new_profile(123, 2);

	assert_int_equal(tl_event_frequency(profile, 0), 123);
	assert_int_equal(tl_event_frequency(profile, 1), 0);
	tl_profile_free(profile);
	profile = new_profile(0, 1);
	assert_int_equal(tl_event_frequency(profile, 0), 0);
	tl_profile_free(profile);
}

/* ---- messages ---- */

static void assert_message(const struct tl_pb_message *message, const struct bytes *wanted)
{
	assert_false(message->failed);
	assert_int_equal(message->size, wanted->size);
	assert_memory_equal(message->data, wanted->data, wanted->size);
}

/* A varint has seven bits a byte, and its size is told beforehand. */
TEST(numbers_are_varints)
{
	struct tl_pb_message message = { 0 };
	struct bytes wanted = { .size = 0 };

	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t less = 0; less < 2; less++) {
			const uint64_t value = (UINT64_C(1) << bit) - less;
			const size_t before = wanted.size;
			char room[TL_PB_VARINT_BYTES];

			put_varint(&wanted, value);
			assert_int_equal(tl_pb_varint_size(value), wanted.size - before);
			assert_ptr_equal(tl_pb_varint(room, value), room + (wanted.size - before));
			assert_memory_equal(room, wanted.data + before, wanted.size - before);
		}
	assert_int_equal(tl_pb_varint_size(UINT64_MAX), 10);
	wanted.size = 0;
	for (uint32_t field = 1; field < 3000; field += 499) {
		number(&wanted, field, field * UINT64_C(0x123456789));
		tl_pb_message_number(&message, field, field * UINT64_C(0x123456789));
	}
	assert_message(&message, &wanted);
	tl_pb_message_free(&message);
	assert_null(message.data);
	assert_int_equal(message.size + message.capacity, 0);
}

/* IEEE 754, the least significant byte first: 1.0 is 3ff0 ..., -2.5 is c004 ... */
TEST(doubles_are_eight_bytes)
{
	static const uint8_t wanted[] = { 2 * 8 + 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
					  3 * 8 + 1, 0, 0, 0, 0, 0, 0, 0x04, 0xc0,
					  4 * 8 + 1, 1, 0, 0, 0, 0, 0, 0,    0 };
	struct tl_pb_message message = { 0 };

	tl_pb_message_double(&message, 2, 1.0);
	tl_pb_message_double(&message, 3, -2.5);
	tl_pb_message_double(&message, 4, 4.9406564584124654e-324);
	assert_int_equal(message.size, sizeof(wanted));
	assert_memory_equal(message.data, wanted, sizeof(wanted));
	tl_pb_message_free(&message);
}

/* "Bytes that are not UTF-8 become U+FFFD, as decoders insist on." */
TEST(texts_are_characters)
{
	static const struct {
		const char *text, *wanted;
	} texts[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "a\xff\xfe"
		  "b",
		  "a\xef\xbf\xbd\xef\xbf\xbd"
		  "b" },
		{ "cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd" },
		{ "\x80last\xc3", "\xef\xbf\xbdlast\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct tl_pb_message message = { 0 };
		struct bytes wanted = { .size = 0 };

		block(&wanted, 5, texts[i].wanted, strlen(texts[i].wanted));
		tl_pb_message_text(&message, 5, texts[i].text, strlen(texts[i].text));
		assert_message(&message, &wanted);
		tl_pb_message_free(&message);
	}
}

TEST(bytes_and_hexadecimal_digits)
{
	static const uint8_t data[] = { 0x00, 0x9f, 0xa0, 0xff, 0x10 };
	struct tl_pb_message message = { 0 };
	struct bytes wanted = { .size = 0 };

	block(&wanted, 1, data, sizeof(data));
	block(&wanted, 2, "009fa0ff10", 10);
	block(&wanted, 3, "", 0);
	block(&wanted, 4, "", 0);
	tl_pb_message_bytes(&message, 1, data, sizeof(data));
	tl_pb_message_hex(&message, 2, data, sizeof(data));
	tl_pb_message_bytes(&message, 3, NULL, 0);
	tl_pb_message_hex(&message, 4, data, 0);
	assert_message(&message, &wanted);
	tl_pb_message_free(&message);
}

/* "It is empty afterwards, for the next use"; what is appended stays as it is. */
TEST(messages_stand_in_messages)
{
	struct tl_pb_message outer = { 0 }, inner = { 0 }, more = { 0 };
	struct bytes wanted = { .size = 0 }, part = { .size = 0 };

	for (unsigned i = 0; i < 3; i++) {
		char text[301];

		memset(text, 'a' + (int)i, sizeof(text));
		number(&part, 1, i);
		block(&part, 2, text, 100 * i + 1);
		message(&wanted, 7 + i, &part);
		tl_pb_message_number(&inner, 1, i);
		tl_pb_message_text(&inner, 2, text, 100 * i + 1);
		tl_pb_message_inner(&outer, 7 + i, &inner);
		assert_int_equal(inner.size, 0);
	}
	assert_message(&outer, &wanted);
	tl_pb_message_append(&outer, &more);
	assert_message(&outer, &wanted);
	tl_pb_message_number(&more, 9, 5);
	number(&wanted, 9, 5);
	tl_pb_message_append(&outer, &more);
	assert_int_equal(more.size, 2);
	assert_message(&outer, &wanted);
	tl_pb_message_free(&outer);
	tl_pb_message_free(&inner);
	tl_pb_message_free(&more);
}

/* "After a failed allocation it stays empty", and what it is put into fails with it. */
TEST(sizes_beyond_memory_fail)
{
	static char nothing[1];

	for (int way = 0; way < 3; way++) {
		struct tl_pb_message outer = { 0 }, inner = { 0 };

		tl_pb_message_number(&inner, 1, 1);
		if (way == 0)
			assert_null(tl_pb_message_room(&inner, 2, SIZE_MAX));
		else if (way == 1)
			tl_pb_message_bytes(&inner, 2, nothing, PTRDIFF_MAX / 2);
		else
			tl_pb_message_hex(&inner, 2, nothing, PTRDIFF_MAX / 4);
		assert_true(inner.failed);
		assert_int_equal(inner.size, 0);
		tl_pb_message_number(&inner, 1, 1);
		assert_int_equal(inner.size, 0);
		tl_pb_message_inner(&outer, 3, &inner);
		assert_true(outer.failed);
		tl_pb_message_free(&outer);
		tl_pb_message_free(&inner);
	}
}

/* ---- members ---- */

static char *zipped(const uint8_t *data, size_t size, size_t step, size_t *zipped_size)
{
	struct tl_gzip gzip;
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(tl_gzip_begin(&gzip, out));
	for (size_t at = 0; at < size; at += step)
		tl_gzip_put(&gzip, data + at, size - at < step ? size - at : step);
	tl_gzip_end(&gzip);
	return take_output(out, zipped_size);
}

/* RFC 1952: no time, no host, so that the same bytes come out everywhere; gzip(1) reads all. */
TEST(members_are_read_by_gzip)
{
	static const size_t sizes[] = { 0,
					1,
					TL_GZIP_BUFFER - 1,
					TL_GZIP_BUFFER,
					TL_GZIP_BUFFER + 1,
					5 * TL_GZIP_BUFFER + 77 };
	static const size_t steps[] = { 1000, TL_GZIP_BUFFER, 3 * TL_GZIP_BUFFER };
	static uint8_t data[5 * TL_GZIP_BUFFER + 77];
	uint32_t seed = 11;

	need_program("gzip");
	need_program("cmp");
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(1 + chance(&seed, 255));
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (size_t step = 0; step < COUNT(steps); step++) {
			size_t size;
			char *member = zipped(data, sizes[i], steps[step], &size);
			char *text = pipe_through("gzip -dc", member, size);

			assert_memory_equal(member, "\x1f\x8b\x08\0\0\0\0\0\4\xff", 10);
			assert_int_equal(strlen(text), sizes[i]);
			assert_memory_equal(text, data, sizes[i]);
			free(text);
			free(member);
		}
}

/* ---- stacks and titles ---- */

/* "A context, or, where the profile has no contexts, a cost line as a stack of one frame." */
TEST(stacks_are_contexts_or_lines)
{
	struct tl_profile *profile = small_profile(0);
	struct tl_stack stack;

	assert_int_equal(tl_stack_count(profile), 4);
	stack = tl_stack_at(profile, 2);
	assert_int_equal(stack.parent, 1);
	assert_int_equal(stack.function, 2);
	assert_int_equal(stack.part, 0);
	assert_int_equal(stack.calls, 3);
	assert_int_equal(stack.self[0], 30);
	assert_int_equal(tl_stack_at(profile, 0).parent, TL_NONE);
	tl_profile_free(profile);

	profile = new_profile(0, 1);
	add_part(profile, 1, 1, "p");
	add_part(profile, 1, 2, "p");
	for (uint32_t i = 0; i < 3; i++)
		add_line(profile, add_function(profile, "", "", &"abc"[i], 0), i % 2,
			 (struct tl_position){ .file = "" }, 10 + i);
	finish(profile);
	assert_int_equal(tl_stack_count(profile), 3);
	for (uint32_t i = 0; i < 3; i++) {
		stack = tl_stack_at(profile, i);
		assert_int_equal(stack.parent, TL_NONE);
		assert_int_equal(stack.function, i);
		assert_int_equal(stack.part, i % 2);
		assert_int_equal(stack.calls, 0);
		assert_int_equal(stack.self[0], 10 + i);
	}
	tl_profile_free(profile);
}

TEST(parts_have_titles)
{
	static const struct {
		struct tl_part part;
		const char *title;
	} parts[] = {
		{ { .thread = 7, .command = "worker" }, "worker (7)" },
		{ { .thread = 8, .command = "" }, "thread 8" },
		{ { .thread = TL_NOWHERE, .command = "prog -x" }, "prog -x" },
		{ { .thread = TL_NOWHERE, .command = "" }, "part 4" },
		{ { .thread = TL_NOWHERE, .command = "", .number = 40 }, "part 40" },
		{ { .thread = 0, .command = "", .number = 41 }, "thread 0" },
	};
	struct tl_profile *profile = new_profile(0, 1);
	char title[64];

	for (size_t i = 0; i < COUNT(parts); i++) {
		struct tl_part part = parts[i].part;

		part.process = i;
		part.header = "";
		assert_int_equal(tl_profile_put_part(profile, &part, NULL), i);
	}
	for (uint32_t i = 0; i < COUNT(parts); i++) {
		tl_part_title(profile, i, title, sizeof(title));
		assert_string_equal(title, parts[i].title);
	}
	tl_part_title(profile, COUNT(parts), title, sizeof(title));
	assert_string_equal(title, "all");
	tl_part_title(profile, TL_NONE, title, sizeof(title));
	assert_string_equal(title, "all");
	tl_part_title(profile, 0, title, 5);
	assert_string_equal(title, "work");
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fractions_are_carried),
		cmocka_unit_test(results_and_rest_are_all_ticks),
		cmocka_unit_test(events_have_a_clock),
		cmocka_unit_test(numbers_are_varints),
		cmocka_unit_test(doubles_are_eight_bytes),
		cmocka_unit_test(texts_are_characters),
		cmocka_unit_test(bytes_and_hexadecimal_digits),
		cmocka_unit_test(messages_stand_in_messages),
		cmocka_unit_test(sizes_beyond_memory_fail),
		cmocka_unit_test(members_are_read_by_gzip),
		cmocka_unit_test(stacks_are_contexts_or_lines),
		cmocka_unit_test(parts_have_titles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
