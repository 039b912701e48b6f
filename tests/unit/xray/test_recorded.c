/* SPDX-License-Identifier: Apache-2.0 */
/* LOG.map beside a recording (docs/formats/xray.md, 10). */
#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "xray/map/object_ids.h"
#include "xray/map/log_map.h"

static int read_text(struct tl_xray_recorded *recorded, const char *text, struct tl_error *err)
{
	*recorded = (struct tl_xray_recorded){ .map = NULL };
	return tl_xray_recorded_read(recorded, (const uint8_t *)text, strlen(text), true, err);
}

/* "ids FIRST to FIRST + SIZE are the segment at ADDRESS of this file" */
TEST(ids_are_places_in_objects)
{
	struct tl_xray_recorded recorded;
	struct tl_xray_function function;
	struct tl_error err;

	assert_int_equal(read_text(&recorded,
				   "tracelathe-map 1\n"
				   "object 5096 100 0x3000 - /nowhere/b\n"
				   "object 4096 1000 0x1000 - /nowhere/a\n",
				   &err),
			 0);
	assert_true(tl_xray_map_lookup(recorded.map, 4096, &function));
	assert_int_equal(function.address, 0x1000);
	assert_string_equal(function.object, "/nowhere/a");
	assert_string_equal(function.name, "[a+0x1000]");
	assert_true(tl_xray_map_lookup(recorded.map, 5095, &function));
	assert_string_equal(function.object, "/nowhere/a");
	assert_true(tl_xray_map_lookup(recorded.map, 5195, &function));
	assert_int_equal(function.address, 0x3063);
	assert_false(tl_xray_map_lookup(recorded.map, 5196, &function));
	assert_false(tl_xray_map_lookup(recorded.map, 4095, &function));
	/* Both files were asked for names, and are not there: that is told. */
	assert_non_null(tl_xray_objects_fault(recorded.map->spans, 1));
	assert_null(tl_xray_objects_fault(recorded.map->spans, 2));
	tl_xray_recorded_close(&recorded);
}

/* "ids are of the sleds of this file"; a path may have blanks. */
TEST(ids_are_of_sleds)
{
	struct tl_xray_recorded recorded;
	struct tl_error err;

	assert_int_equal(read_text(&recorded, "tracelathe-map 1\nbinary 0a1b /a b/c\ncut\n", &err),
			 0);
	assert_string_equal(recorded.program, "/a b/c");
	assert_string_equal(recorded.program_id, "0a1b");
	assert_null(recorded.map);
	assert_true(recorded.cut);
	assert_false(recorded.overwritten);
	assert_null(recorded.lost_reason);
	tl_xray_recorded_close(&recorded);
}

TEST(losses_are_kept)
{
	struct tl_xray_recorded recorded;
	struct tl_error err;

	assert_int_equal(read_text(&recorded,
				   "tracelathe-map 1\nlost 7 No space left\noverwritten 1\n", &err),
			 0);
	assert_string_equal(recorded.lost_reason, "No space left");
	assert_true(recorded.overwritten);
	tl_xray_recorded_close(&recorded);
}

/* Damage is at the line that is wrong. */
TEST(wrong_lines)
{
	static const struct {
		const char *text;
		uint64_t offset;
	} cases[] = {
		{ "", 0 },
		{ "tracelathe-map 2\n", 0 },
		{ "tracelathe-map 1\nnonsense\n", 17 },
		{ "tracelathe-map 1\ncut\nobject 1 2 0x3\n", 21 },
		{ "tracelathe-map 1\nobject 4294967296 1 0x1 - a\n", 17 },
		{ "tracelathe-map 1\nobject 4294967295 1 0x1 - a\n", 17 },
		{ "tracelathe-map 1\nobject 1 18446744073709551616 0x1 - a\n", 17 },
		{ "tracelathe-map 1\nobject 1 1 0x - a\n", 17 },
		{ "tracelathe-map 1\nbinary 00\n", 17 },
		{ "tracelathe-map 1\ncut now\n", 17 },
		{ "tracelathe-map 1\n\n", 17 },
	};
	struct tl_xray_recorded recorded;
	struct tl_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_text(&recorded, cases[i].text, &err), TL_BAD_FORMAT);
		assert_int_equal(err.offset, cases[i].offset);
		tl_xray_recorded_close(&recorded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_places_in_objects),
		cmocka_unit_test(ids_are_of_sleds),
		cmocka_unit_test(losses_are_kept),
		cmocka_unit_test(wrong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
