/* SPDX-License-Identifier: Apache-2.0 */
#include "core/output.h"
#include "export/protobuf.h"
#include "helper.h"

/*
 * RFC 3629, section 4: UTF8-2 = C2-DF tail; E0 A0-BF tail; ED 80-9F tail (no surrogates); F0 90-BF,
 * F4 80-8F; tail = 80-BF; nothing else.
 */
TEST(utf8_span_is_rfc_3629)
{
	static const struct {
		const char *bytes;
		size_t size, span;
		/* clang-format off */
	} cases[] = {
		{ "", 0, 0 },
		{ "a\0b\x7f", 4, 4 },
		{ "\xc2\x80\xdf\xbf", 4, 4 },
		{ "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", 12, 12 },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, 8 },
		{ "a\x80", 2, 1 },
		{ "ab\xc0\x80", 4, 2 },         /* overlong */
		{ "\xc1\xbf", 2, 0 },
		{ "\xe0\x9f\xbf", 3, 0 },
		{ "\xf0\x8f\xbf\xbf", 4, 0 },
		{ "\xed\xa0\x80", 3, 0 },       /* surrogate */
		{ "\xf4\x90\x80\x80", 4, 0 },   /* past U+10FFFF */
		{ "\xf8\x88\x80\x80\x80", 5, 0 },
		{ "x\xe2\x82", 3, 1 },          /* cut short */
		{ "\xe2\x82g", 3, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tl_utf8_span(cases[i].bytes, cases[i].size), cases[i].span);
}

/*
 * Protocol buffers, "Encoding": 150 is 96 01; field 1 of it is 08 96 01; the text "testing" in
 * field 2 is 12 07 ...
 */
TEST(wire_format)
{
	struct tl_pb_message message = { 0 }, inner = { 0 };

	tl_pb_message_number(&message, 1, 150);
	tl_pb_message_text(&message, 2, "testing", 7);
	assert_int_equal(message.size, 12);
	assert_memory_equal(message.data, "\x08\x96\x01\x12\x07testing", 12);
	message.size = 0;
	tl_pb_message_number(&inner, 1, 150);
	tl_pb_message_inner(&message, 3, &inner);
	assert_int_equal(inner.size, 0);
	assert_memory_equal(message.data, "\x1a\x03\x08\x96\x01", 5);
	message.size = 0;
	/* -1 as int64 is ten bytes */
	tl_pb_message_number(&message, 1, UINT64_MAX);
	assert_int_equal(message.size, 11);
	assert_memory_equal(message.data, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	tl_pb_message_free(&message);
	tl_pb_message_free(&inner);
}

/* Each exporter can be found by its name, and has what help needs. */
TEST(tables)
{
	static const char *const names[] = { "callgrind",  "cachegrind", "pprof",
					     "speedscope", "folded",     "dot",
					     "json",       "csv",        "tracelathe" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_ptr_equal(tl_exporters()[i], tl_exporter_find(names[i]));
		assert_string_equal(tl_exporters()[i]->name, names[i]);
		assert_int_equal(tl_exporters()[i]->suffix[0], '.');
		assert_true(*tl_exporters()[i]->help);
	}
	assert_null(tl_exporters()[sizeof(names) / sizeof(names[0])]);
	assert_null(tl_exporter_find("nothing"));
}

/* "A size below that of the first release is TL_BAD_USAGE" (docs/abi.md); nothing is written. */
TEST(options_without_a_size_are_refused)
{
	const struct tl_export_options less = { .size = sizeof(less) - 1 };
	const struct tl_stacks_options none = { .size = 0 };
	struct tl_profile *profile = small_profile(0), *stacks;

	for (const struct tl_exporter *const *e = tl_exporters(); *e; e++) {
		struct tl_error err = { 0 };
		struct tl_output *out;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal((*e)->write(profile, &less, out, &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
		tl_output_bytes(out, &size);
		assert_int_equal(size, 0);
		tl_output_discard(out);
	}
	assert_int_equal(tl_profile_stacks(&stacks, profile, &none, NULL), TL_BAD_USAGE);
	assert_null(stacks);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_span_is_rfc_3629),
		cmocka_unit_test(wire_format),
		cmocka_unit_test(tables),
		cmocka_unit_test(options_without_a_size_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
