/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files that are damaged, and durations. Quotes are from docs/formats/profile.md. */
#include "profile_inputs.h"

/* ---- damage ---- */

/* "A reader that meets a block whose checksum does not match leaves out its rows" */
TEST(a_damaged_block_costs_its_rows)
{
	struct tl_profile *p;
	size_t at;

	put_sums();
	at = block_of(LINES);
	file.bytes[at + BLOCK_HEADER + 3] ^= 4;
	p = expect_fault(at, "checksum of this block");
	assert_int_equal(tl_profile_line_count(p), 0);
	assert_int_equal(tl_profile_arc_count(p), 2);
	tl_profile_free(p);

	put_sums();
	at = block_of(ARCS);
	file.bytes[at + 10] ^= 1; /* the header: its end is not known either */
	p = expect_fault(at, "no block begins here");
	assert_int_equal(tl_profile_arc_count(p), 0);
	assert_int_equal(tl_profile_jump_count(p), 1);
	tl_profile_free(p);
}

/* Names of what is lost are "[lost]"; one function stands for all that are. */
TEST(what_is_lost_is_called_so)
{
	struct tl_profile *p;
	size_t at;

	put_sums();
	at = block_of(FUNCTIONS);
	file.bytes[at + BLOCK_HEADER] ^= 4;
	p = expect_fault(at, "checksum of this block");
	assert_int_equal(tl_profile_function_count(p), 1);
	assert_string_equal(tl_profile_function(p, 0)->name, "[lost]");
	assert_int_equal(tl_profile_total(p)[0], 85);
	tl_profile_free(p);

	put_sums();
	at = block_of(PARTS);
	file.bytes[at + BLOCK_HEADER] ^= 4;
	p = expect_fault(at, "checksum of this block");
	assert_int_equal(tl_profile_part_count(p), 0);
	assert_int_equal(tl_profile_line(p, 0)->part, TL_NONE);
	tl_profile_free(p);

	put_sums();
	at = block_of(STRINGS);
	file.bytes[at + BLOCK_HEADER] ^= 1;
	p = expect_fault(at, "checksum of this block");
	assert_string_equal(tl_profile_function(p, 1)->name, "[lost]");
	assert_int_equal(tl_profile_total(p)[0], 85);
	tl_profile_free(p);
}

/* Right checksums around rows that cannot be: a change of `byte`, and what is said of it. */
TEST(rows_that_make_no_sense_are_left_out)
{
	static const struct {
		unsigned section;
		size_t at; /* in the block */
		uint8_t value;
		const char *words;
	} cases[] = {
		{ LINES, BLOCK_HEADER, 0xff, "a row of this block makes no sense" },
		{ LINES, 16, 9,
		  "a row of this block makes no sense" }, /* more rows than there are */
		{ LINES, 16, 2, "a row of this block makes no sense" },
		{ LINES, 6, 8, "rows of this block have other fields" },
		{ STRINGS, BLOCK_HEADER, 1, "strings of this block make no sense" },
		{ STRINGS, 16, 6, "strings of this block make no sense" },
		{ ARCS, 4, 20, "of a kind or size that this version does not know" },
		{ ARCS, 5, 2, "of a kind or size that this version does not know" },
		{ ARCS, 16, 0, "of a kind or size that this version does not know" },
		{ ARCS, 20, 1, "of a kind or size that this version does not know" },
		{ ARCS, 23, 1, "of a kind or size that this version does not know" },
		{ ARCS, 12, 1, "of a kind or size that this version does not know" },
		{ JUMPS, 5, 1, "the zstd data of this block is damaged" },
		{ JUMPS, 32, 20, "blocks before this one are missing" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at;

		put_sums();
		at = block_of(cases[i].section);
		file.bytes[at + cases[i].at] = cases[i].value;
		block_seal(&file, at);
		tl_profile_free(expect_fault(at, cases[i].words));
	}
}

/* The parts of the head that everything else rests on. */
TEST(without_events_nothing_is_read)
{
	static const unsigned sections[] = { HEAD, EVENTS };

	for (size_t i = 0; i < 2; i++) {
		struct tl_profile *p = (struct tl_profile *)1;
		struct tl_input *input;
		struct tl_error err;
		size_t at;

		put_sums();
		at = block_of(sections[i]);
		file.bytes[at + BLOCK_HEADER + 1] ^= 1;
		input = open_file();
		assert_int_equal(tl_input_fold(input, &p, &err), TL_BAD_FORMAT);
		assert_null(p);
		assert_int_equal(err.offset, at);
		assert_non_null(strstr(err.text, "what is counted are lost"));
		tl_input_close(input);
	}
}

/* "The last one is of section end." */
TEST(a_cut_file_is_told)
{
	size_t whole, at;

	put_sums();
	whole = file.size;
	at = block_of(JUMPS);
	for (file.size = at - 1; file.size <= whole - 1; file.size++) {
		struct tl_input *input = open_file();

		tl_profile_free(fold(input));
		assert_true(tl_input_damage_count(input, NULL) > 5);
		tl_input_close(input);
	}
	file.size = at;
	tl_profile_free(expect_fault(at, "the file ends without its last block"));
	file.size = at + BLOCK_HEADER + 3;
	tl_profile_free(expect_fault(at, "the file ends inside this block"));
}

TEST(the_header_is_checked)
{
	struct tl_input *input;
	struct tl_profile *p;
	struct tl_error err;

	put_sums();
	file.bytes[8] = 2;
	p = expect_fault(0, "the header of the file is damaged");
	assert_int_equal(tl_profile_line_count(p), 3);
	tl_profile_free(p);
	file_set(&file, 12, (uint32_t)crc32(0, file.bytes, 12));
	input = open_file();
	assert_int_equal(tl_input_fold(input, &p, &err), TL_UNSUPPORTED);
	assert_int_equal(err.offset, 8);
	tl_input_close(input);
}

TEST(strict_reading_ends_at_a_fault)
{
	static const unsigned sections[] = { STRINGS, LINES, JUMPS, END };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
		struct tl_input *input;
		struct tl_profile *p;
		struct tl_error err;
		size_t at;

		put_sums();
		at = block_of(sections[i]);
		file.bytes[at + BLOCK_HEADER] ^= 1;
		options.strict = true;
		input = open_with(options);
		assert_int_equal(tl_input_fold(input, &p, &err), TL_BAD_RECORD);
		assert_null(p);
		assert_int_equal(err.offset, at);
		tl_input_close(input);
	}
}

/* ---- durations ---- */

/* Calls of 5, 9 and 9 ticks; `samples` of 9. */
static void put_durations(uint64_t flags, uint64_t samples)
{
	file_begin(&file);
	put_strings();
	block_begin(&file, HEAD, 0, 0, 16);
	ROW(&file, 1000, flags, 0, XRAY);
	block_end(&file);
	block_begin(&file, EVENTS, 0, 0, 4);
	ROW(&file, IR, 0, 0, 0);
	block_end(&file);
	put_functions_and_parts();
	block_begin(&file, CONTEXTS, 0, 3, 7);
	ROW(&file, 0, 0, 0, 1, 0, 0, 2);
	ROW(&file, 1, 0, 1, 2, 0, 1, 21);
	block_end(&file);
	block_begin(&file, DURATIONS, 0, 2, 8);
	ROW(&file, 1, 0, 3, 23, 5, 9, 0, 0);
	ROW(&file, 1, NONE, 3, 23, 5, 9, 0, 0);
	block_end(&file);
	block_begin(&file, SAMPLES, 0, 3, 4);
	ROW(&file, 0, 0, 1, 1); /* of sums that are not there */
	ROW(&file, 1, 0, 5, 1);
	ROW(&file, 1, 0, 9, 2);
	ROW(&file, 1, NONE, 5, 1);
	ROW(&file, 1, NONE, 9, samples);
	block_end(&file);
	file_end(&file);
}

TEST(durations_are_those_of_the_rows)
{
	struct tl_latency latency;
	struct tl_input *input;
	struct tl_profile *p;

	put_durations(5, 2);
	for (int parts = 0; parts < 2; parts++) {
		input = parts ? open_parts() : open_file();
		p = fold(input);
		assert_int_equal(tl_profile_context_count(p), 2);
		assert_int_equal(tl_profile_context(p, 1)->parent, 0);
		assert_int_equal(tl_profile_context(p, 1)->cut, 1);
		assert_int_equal(tl_profile_context_inclusive(p, 0)[0], 23);
		assert_int_equal(tl_profile_latency(p, 1, TL_NONE, &latency, sizeof(latency)), 1);
		assert_int_equal(latency.sum, 23);
		assert_int_equal(latency.min, 5);
		assert_int_equal(latency.max, 9);
		assert_int_equal(latency.p90, 9);
		assert_int_equal(tl_profile_latency(p, 0, TL_NONE, &latency, sizeof(latency)), 0);
		tl_profile_free(p);
		tl_input_close(input);
	}
	/* "Durations that are not whole would give wrong quantiles": left out. */
	put_durations(5, 1);
	input = open_file();
	p = fold(input);
	assert_int_equal(tl_profile_latency(p, 1, TL_NONE, &latency, sizeof(latency)), 0);
	tl_profile_free(p);
	tl_input_close(input);
	put_durations(5, 3);
	tl_profile_free(expect_fault(block_of(SAMPLES), "a row of this block"));
}

/* "above is less than the context's own number" */
TEST(a_context_below_itself_is_none)
{
	struct tl_profile *p;
	size_t at;

	put_durations(5, 2);
	at = block_of(CONTEXTS);
	/* The second row begins behind the seven bytes and the bits of the first. */
	assert_int_equal(file.bytes[at + BLOCK_HEADER + 9], 1 << 1);
	file.bytes[at + BLOCK_HEADER + 9] = 2 << 1;
	block_seal(&file, at);
	p = expect_fault(at, "a row of this block");
	assert_int_equal(tl_profile_context_count(p), 1);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_damaged_block_costs_its_rows),
		cmocka_unit_test(what_is_lost_is_called_so),
		cmocka_unit_test(rows_that_make_no_sense_are_left_out),
		cmocka_unit_test(without_events_nothing_is_read),
		cmocka_unit_test(a_cut_file_is_told),
		cmocka_unit_test(the_header_is_checked),
		cmocka_unit_test(strict_reading_ends_at_a_fault),
		cmocka_unit_test(durations_are_those_of_the_rows),
		cmocka_unit_test(a_context_below_itself_is_none),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
