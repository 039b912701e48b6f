/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader has met: the first thousand faults, and the number of all. */
#include <string.h>

#include "../unit.h"

#include "core/faults/fault_list.h"
#include "core/output.h"

static const struct tl_fault cut = {
	.rule = "line",
	.text = "cut short",
	.status = TL_TRUNCATED,
	.offset = 16,
	.length = 4,
	.record = 2,
};

TEST(the_first_thousand_are_listed_and_all_counted)
{
	struct tl_fault_list faults = { .strict = false };

	for (uint64_t i = 0; i < 1002; i++) {
		struct tl_fault fault = cut;

		fault.record = i;
		assert_int_equal(tl_fault_note(&faults, &fault, NULL), 0);
	}
	assert_int_equal(faults.count, 1000);
	assert_int_equal(faults.total, 1002);
	assert_int_equal(faults.skipped_bytes, 4 * 1002);
	assert_int_equal(faults.list[999].record, 999);
	assert_string_equal(faults.list[0].text, "cut short");
	tl_fault_list_free(&faults);
	assert_int_equal(faults.total, 0);
}

/* "The first fault that is no remark ends the reading", as an error at its place. */
TEST(strict_stops_at_damage_and_not_at_a_remark)
{
	struct tl_fault_list faults = { .strict = true };
	struct tl_fault remark = cut;
	struct tl_error err = { 0 };

	remark.status = TL_OK;
	assert_int_equal(tl_fault_note(&faults, &remark, &err), 0);
	assert_int_equal(err.status, TL_OK);
	assert_int_equal(faults.total, 1);
	assert_int_equal(tl_fault_note(&faults, &cut, &err), TL_TRUNCATED);
	assert_int_equal(err.status, TL_TRUNCATED);
	assert_int_equal(err.offset, 16);
	assert_int_equal(err.record, 2);
	assert_string_equal(err.text, "cut short");
	assert_int_equal(faults.total, 1);
	tl_fault_list_free(&faults);
	assert_true(faults.strict);
}

static int told(void *arg, const struct tl_fault *fault)
{
	*(uint64_t *)arg += fault->record;
	return fault->record == 3 ? TL_IO : 0;
}

TEST(each_fault_is_told_of)
{
	uint64_t sum = 0;
	struct tl_fault_list faults = { .tell = told, .arg = &sum };
	struct tl_fault third = cut;

	third.record = 3;
	assert_int_equal(tl_fault_note(&faults, &cut, NULL), 0);
	assert_int_equal(tl_fault_note(&faults, &third, NULL), TL_IO);
	assert_int_equal(sum, 5);
	tl_fault_list_free(&faults);
}

/* A text that is made lives as long as the list; one of more than 511 bytes is cut. */
TEST(texts_are_made)
{
	struct tl_fault_list faults = { .strict = false };
	char name[600];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(tl_fault_write(&faults, &cut, NULL, "%d of %s", 7, "name"), 0);
	for (size_t length = 510; length <= 512; length++)
		assert_int_equal(tl_fault_write(&faults, &cut, NULL, "%.*s", (int)length, name), 0);
	assert_int_equal(tl_fault_write(&faults, &cut, NULL, "%s", name), 0);
	assert_string_equal(faults.list[0].text, "7 of name");
	assert_int_equal(faults.list[0].offset, 16);
	assert_int_equal(strlen(faults.list[1].text), 510);
	assert_int_equal(strlen(faults.list[2].text), 511);
	assert_int_equal(strlen(faults.list[3].text), 511);
	assert_string_equal(faults.list[4].text, faults.list[2].text);
	tl_fault_list_free(&faults);
}

/* The lines of `check`: a place that is not known is left out, or null. */
TEST(lines_of_check)
{
	static const struct {
		struct tl_fault fault;
		const char *text, *json;
	} rows[] = {
		{ { "a.b", "it \"is\"", TL_BAD_RECORD, 16, 0, 2 },
		  "a.b offset 0x10 record 2: it \"is\"\n",
		  "{\"rule\":\"a.b\",\"offset\":16,\"record\":2,\"damage\":true,"
		  "\"text\":\"it \\\"is\\\"\"}\n" },
		{ { "a.b", "it\n", TL_OK, TL_NOWHERE, 0, 0 },
		  "a.b record 0: (a remark) it\\x0a\n",
		  "{\"rule\":\"a.b\",\"offset\":null,\"record\":0,\"damage\":false,"
		  "\"text\":\"it\\n\"}\n" },
		{ { "a", "t", TL_TRUNCATED, 0, 0, TL_NOWHERE },
		  "a offset 0x0: t\n",
		  "{\"rule\":\"a\",\"offset\":0,\"record\":null,\"damage\":true,"
		  "\"text\":\"t\"}\n" },
	};

	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		const char *want = i % 2 ? rows[i / 2].json : rows[i / 2].text, *have;
		struct tl_output *out;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		tl_fault_put(out, i % 2, &rows[i / 2].fault);
		have = tl_output_bytes(out, &size);
		assert_int_equal(size, strlen(want));
		assert_memory_equal(have, want, size);
		tl_output_discard(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_thousand_are_listed_and_all_counted),
		cmocka_unit_test(strict_stops_at_damage_and_not_at_a_remark),
		cmocka_unit_test(each_fault_is_told_of),
		cmocka_unit_test(texts_are_made),
		cmocka_unit_test(lines_of_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
