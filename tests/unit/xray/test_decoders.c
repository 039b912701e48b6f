/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads of events with their meaning (xray/listing/decoders.h). The payloads are written byte by
 * byte; values are what C's types of these sizes have for such bytes.
 */
#include "bytes.h"

#include "core/output.h"
#include "xray/listing/select.h"

/* clang-format off */
static const struct tl_xray_fold_options all = {
	.size = sizeof(all), .thread = TL_NOWHERE, .process = TL_NOWHERE, .cpu = TL_NOWHERE,
};
/* clang-format on */

/* The bytes of a custom event, or of a typed event of type 7. */
struct event {
	const void *data;
	size_t size;
	bool big, custom;
};

static char *dump(struct bytes *b, bool json, struct tl_xray_decoders *decoders)
{
	struct tl_xray_select select = { .limits = all, .decoders = decoders };
	struct tl_output *out;
	const char *text;
	struct trace t;
	size_t size;
	char *copy;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_xray_names_begin(&select.names, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xray_dump(t.reader, &select, json, 1, out, NULL), 0);
	text = tl_output_bytes(out, &size);
	copy = strndup(text, size);
	assert_non_null(copy);
	tl_output_discard(out);
	tl_xray_names_end(&select.names);
	close_trace(&t);
	return copy;
}

static char *dump_event(const struct event *event, const char *const *texts, size_t count,
			bool json, uint64_t *misfits)
{
	struct tl_xray_decoders decoders;
	struct bytes b = { .big = event->big };
	size_t start;
	char *text;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	if (event->custom)
		put_custom(&b, 5, 0, event->data, (int32_t)event->size);
	else
		put_typed(&b, 5, 7, event->data, (int32_t)event->size);
	end_block(&b, start);
	assert_int_equal(tl_xray_decoders_open(&decoders, texts, count, event->big, NULL), 0);
	text = dump(&b, json, &decoders);
	*misfits = decoders.misfits;
	tl_xray_decoders_free(&decoders);
	free_bytes(&b);
	return text;
}

/* The values that one decoder gives, as JSON; NULL: the bytes are not of its form. */
static void expect(const struct event *event, const char *decoder, const char *values)
{
	uint64_t misfits;
	char *text = dump_event(event, &decoder, 1, true, &misfits);
	const char *found = strstr(text, "\"values\":");

	assert_int_equal(misfits, values ? 0 : 1);
	if (values) {
		assert_non_null(found);
		assert_memory_equal(found + 9, values, strlen(values));
		assert_int_equal(found[9 + strlen(values)], ',');
	} else {
		assert_null(found);
	}
	/* The bytes themselves are there as before. */
	assert_non_null(strstr(text, "\"bytes\":\""));
	free(text);
}

#define EVENT(bytes, ...)                                                                          \
	(&(const struct event){ .data = (bytes), .size = sizeof(bytes) - 1, __VA_ARGS__ })

TEST(integers_have_the_size_of_the_payload)
{
	expect(EVENT("\xfe"), "7=integer", "{\"value\":-2}");
	expect(EVENT("\xfe\xff"), "7=integer", "{\"value\":-2}");
	expect(EVENT("\xfe\xff"), "7=unsigned", "{\"value\":65534}");
	expect(EVENT("\xfe\xff\xff\xff"), "7=integer", "{\"value\":-2}");
	expect(EVENT("\x01\x02\x03\x84"), "7=hex", "{\"value\":\"0x84030201\"}");
	expect(EVENT("\x00\x00\x00\x00\x00\x00\x00\x80"), "7=integer",
	       "{\"value\":-9223372036854775808}");
	expect(EVENT("\xff\xff\xff\xff\xff\xff\xff\xff"), "7=unsigned",
	       "{\"value\":18446744073709551615}");
	/* "of 1, 2, 4 or 8 bytes" */
	expect(EVENT(""), "7=integer", NULL);
	expect(EVENT("\x01\x02\x03"), "7=integer", NULL);
	expect(EVENT("123456789"), "7=unsigned", NULL);
	expect(EVENT("0123456789abcdef"), "7=hex", NULL);
}

TEST(numbers_have_the_byte_order_of_the_log)
{
	expect(EVENT("\x01\x02", .big = true), "7=unsigned", "{\"value\":258}");
	expect(EVENT("\x01\x02", .big = false), "7=unsigned", "{\"value\":513}");
	/* 1.5 is 0x3fc00000 as a float of IEEE 754, -2 is 0xc000000000000000 as a double. */
	expect(EVENT("\x3f\xc0\x00\x00\xc0\0\0\0\0\0\0\0", .big = true), "7=struct:f32 a,f64 b",
	       "{\"a\":1.5,\"b\":-2}");
	expect(EVENT("\x00\x00\xc0\x3f\0\0\0\0\0\0\0\xc0"), "7=struct:f32 a,f64 b",
	       "{\"a\":1.5,\"b\":-2}");
}

TEST(texts_end_where_they_end)
{
	expect(EVENT("a\"b"), "7=text", "{\"value\":\"a\\\"b\"}");
	expect(EVENT("ab\0c\0\0"), "7=text", "{\"value\":\"ab\\u0000c\"}");
	expect(EVENT(""), "7=text", "{\"value\":\"\"}");
	expect(EVENT("ab\0cxyz"), "7=struct:s4,s rest", "{\"s4\":\"ab\",\"rest\":\"xyz\"}");
	expect(EVENT("abcd"), "7=struct:s4,s rest", "{\"s4\":\"abcd\",\"rest\":\"\"}");
}

TEST(fields_follow_each_other)
{
	expect(EVENT("\x01\xff\x02\x03\x04\x05\x06\x07\x08"),
	       "7=struct:u8 one, i8  two , pad2,x16 four,u16,pad",
	       "{\"one\":1,\"two\":-1,\"four\":\"0x504\",\"u16\":1798}");
	/* All bytes have to have a meaning, and all fields bytes. */
	expect(EVENT("\x01\xff\x02"), "7=struct:u8,i8", NULL);
	expect(EVENT("\x01"), "7=struct:u8,i8", NULL);
	expect(EVENT("\x01"), "7=struct:s2", NULL);
	expect(EVENT("\x01"), "7=struct:pad2", NULL);
}

TEST(events_find_their_decoder)
{
	static const char *const texts[] = { "7:first=hex", "7:last=unsigned", "typed=integer",
					     "custom:mark=text" };
	static const char *const other[] = { "8=text", "typed:any=unsigned", "custom=hex" };
	uint64_t misfits;
	char *text = dump_event(EVENT("\x05"), texts, 4, true, &misfits);

	/* The last one of the type; "typed" is for those that no other is for. */
	assert_non_null(strstr(text, "\"event\":\"last\",\"values\":{\"value\":5},"));
	free(text);
	text = dump_event(EVENT("\x05"), other, 3, true, &misfits);
	assert_non_null(strstr(text, "\"event\":\"any\",\"values\":{\"value\":5},"));
	free(text);
	text = dump_event(EVENT("hi", .custom = true), texts, 4, true, &misfits);
	assert_non_null(strstr(text, "\"event\":\"mark\",\"values\":{\"value\":\"hi\"},"));
	free(text);
	/* Without one it is as without decoders. */
	text = dump_event(EVENT("hi", .custom = true), texts, 3, true, &misfits);
	assert_null(strstr(text, "\"values\""));
	assert_int_equal(misfits, 0);
	free(text);
}

TEST(a_line_of_text_has_values_in_place_of_bytes)
{
	static const char *const texts[] = { "7:load=struct:x8 at,i8 by,s name" };
	uint64_t misfits;
	char *text = dump_event(EVENT("\x10\xffq\n"), texts, 1, false, &misfits);

	assert_non_null(strstr(text, " typed-event delta=5 event_type=7 size=4 load at=0x10 by=-1 "
				     "name=\"q\\n\"\n"));
	free(text);
	text = dump_event(EVENT("\x10"), texts, 1, false, &misfits);
	assert_non_null(strstr(text, " size=1 data=\"\\u0010\"\n"));
	assert_int_equal(misfits, 1);
	free(text);
}

TEST(what_is_no_decoder_is_refused)
{
	static const char *const wrong[] = {
		"",
		"7",
		"7:x",
		"=text",
		"nine=text",
		"65536=text",
		"7=",
		"7=texts",
		"7=struct",
		"7=struct:",
		"7=struct:u8,",
		"7=struct:u9",
		"7=struct:u128",
		"7=struct:f16",
		"7=struct:u",
		"7=struct:s0",
		"7=struct:s,u8",
		"7=struct:pad,u8",
		"7=struct:q8",
		"7=struct:u-8",
		"-7=text",
		"7 =text",
		"7=struct:s1048577",
		"7=struct:u08x",
		"7=struct:i4",
	};
	struct tl_xray_decoders decoders;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_error err;

		assert_int_equal(tl_xray_decoders_open(&decoders, &wrong[i], 1, false, &err),
				 TL_BAD_USAGE);
		tl_xray_decoders_free(&decoders);
	}
}

TEST(fields_are_counted)
{
	char text[16 + 4 * (TL_XRAY_MOST_FIELDS + 1)] = "7=struct:";
	struct tl_xray_decoders decoders;
	const char *texts = text;

	for (size_t i = 0; i < TL_XRAY_MOST_FIELDS; i++)
		strcat(text, i ? ",u8" : "u8");
	assert_int_equal(tl_xray_decoders_open(&decoders, &texts, 1, false, NULL), 0);
	tl_xray_decoders_free(&decoders);
	strcat(text, ",u8");
	assert_int_equal(tl_xray_decoders_open(&decoders, &texts, 1, false, NULL), TL_BAD_USAGE);
	tl_xray_decoders_free(&decoders);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_have_the_size_of_the_payload),
		cmocka_unit_test(numbers_have_the_byte_order_of_the_log),
		cmocka_unit_test(texts_end_where_they_end),
		cmocka_unit_test(fields_follow_each_other),
		cmocka_unit_test(events_find_their_decoder),
		cmocka_unit_test(a_line_of_text_has_values_in_place_of_bytes),
		cmocka_unit_test(what_is_no_decoder_is_refused),
		cmocka_unit_test(fields_are_counted),
	};

	return cmocka_run_group_tests_name("xray decoders", tests, NULL, NULL);
}
