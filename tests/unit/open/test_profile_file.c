/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files as an input. Quotes are from docs/formats/profile.md. */
#include <tracelathe/export.h>

#include "../whole_profile.h"
#include "profile_inputs.h"

/* ---- what a file says ---- */

/* Each number where the document has it. */
TEST(a_file_written_by_hand_is_read)
{
	struct tl_input *input;
	struct tl_profile *p;

	put_sums();
	input = open_parts();
	p = fold(input);
	assert_string_equal(tl_profile_format(p), "xray");
	assert_int_equal(tl_profile_event_count(p), 1);
	assert_string_equal(tl_profile_event(p, 0)->name, "Ir");
	assert_string_equal(tl_profile_event(p, 0)->long_name, "alpha");
	assert_string_equal(tl_profile_event(p, 0)->unit, "alps");
	assert_int_equal(tl_profile_function_count(p), 2);
	assert_string_equal(tl_profile_function(p, 0)->name, "alpha");
	assert_string_equal(tl_profile_function(p, 1)->name, "alps");
	assert_string_equal(tl_profile_function(p, 1)->file, "arg");
	assert_string_equal(tl_profile_function(p, 1)->object, "");
	assert_true(tl_profile_function(p, 0)->id == UINT64_MAX);
	assert_int_equal(tl_profile_function(p, 1)->id, 5);
	assert_int_equal(tl_profile_function(p, 0)->line, 12);
	assert_int_equal(tl_profile_function(p, 1)->address, 0x2000);
	assert_int_equal(tl_profile_part_count(p), 2);
	assert_int_equal(tl_profile_part(p, 0)->thread, 71);
	assert_int_equal(tl_profile_part(p, 1)->thread, 72);
	assert_string_equal(tl_profile_part(p, 1)->command, "alps");
	assert_int_equal(tl_profile_part(p, 0)->first_ticks, 10);
	assert_int_equal(tl_profile_part(p, 1)->last_ticks, 21);
	assert_int_equal(tl_profile_part(p, 0)->records, 30);
	assert_int_equal(tl_profile_part(p, 0)->losses.orphan_exits, 1);
	assert_int_equal(tl_profile_part(p, 0)->losses.deduced_exits, 2);
	assert_int_equal(tl_profile_line_count(p), 3);
	assert_int_equal(tl_profile_line(p, 1)->at.line, 13);
	assert_int_equal(tl_profile_line(p, 1)->part, 1);
	assert_int_equal(tl_profile_line_cost(p, 1)[0], -20);
	assert_int_equal(tl_profile_arc_count(p), 2);
	assert_int_equal(tl_profile_arc(p, 0)->calls, 4);
	assert_int_equal(tl_profile_arc(p, 0)->from.address, 0x1002);
	assert_int_equal(tl_profile_arc(p, 0)->to.line, 20);
	assert_int_equal(tl_profile_arc_cost(p, 0)[0], 5);
	assert_int_equal(tl_profile_arc(p, 1)->caller, TL_NONE);
	assert_int_equal(tl_profile_arc(p, 1)->part, TL_NONE);
	assert_int_equal(tl_profile_jump_count(p), 1);
	assert_int_equal(tl_profile_jump(p, 0)->executed, 9);
	assert_int_equal(tl_profile_jump(p, 0)->taken, 8);
	assert_true(tl_profile_jump(p, 0)->conditional);
	assert_int_equal(tl_profile_total(p)[0], 85);
	tl_profile_free(p);
	tl_input_close(input);
}

/* Tables need one line a function and one arc a pair: of the parts together, or each by itself. */
TEST(sums_of_functions_are_those_of_the_lines)
{
	for (int parts = 0; parts < 2; parts++) {
		struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
		struct tl_function_totals totals;
		struct tl_input *input;
		struct tl_profile *p;

		options.detail = TL_DETAIL_FUNCTIONS;
		options.per_thread = parts;
		put_sums();
		input = open_with(options);
		p = fold(input);
		assert_int_equal(tl_profile_line_count(p), parts ? 3 : 2);
		assert_int_equal(tl_profile_jump_count(p), 0);
		assert_int_equal(tl_profile_function_totals(p, 0, TL_NONE, &totals, sizeof(totals)),
				 0);
		assert_int_equal(totals.self[0], 80);
		assert_int_equal(totals.inclusive[0], 85);
		assert_int_equal(tl_profile_function_totals(p, 1, TL_NONE, &totals, sizeof(totals)),
				 0);
		assert_int_equal(totals.self[0], 5);
		assert_int_equal(totals.calls, 4);
		tl_profile_free(p);
		tl_input_close(input);
	}
}

/* "Notes say what was damaged in the inputs." */
TEST(notes_are_said_again)
{
	static const struct {
		enum tl_status status;
		const char *text;
	} wanted[] = {
		{ TL_OK, "made from xray: after a gap" },
		{ (enum tl_status) - 3, "made from xray offset 0x40: after a gap" },
		{ (enum tl_status) - 3, "made from an input offset 0x40, record 7: after a gap" },
		{ (enum tl_status) - 3, "made from xray record 7: after a gap" },
		{ TL_BAD_RECORD, "made from xray: after a gap" },
	};
	struct tl_input *input;
	uint64_t skipped;

	put_sums();
	input = open_file();
	/* They are known when the profile has been read; twice says the same. */
	for (int turn = 0; turn < 2; turn++) {
		tl_profile_free(fold(input));
		assert_int_equal(tl_input_damage_count(input, &skipped), 5);
		assert_int_equal(skipped, 0);
		for (size_t i = 0; i < 5; i++) {
			struct tl_damage place;

			assert_int_equal(tl_input_damage(input, i, &place, sizeof(place)), 1);
			assert_int_equal(place.status, wanted[i].status);
			assert_string_equal(place.text, wanted[i].text);
			assert_true(place.offset == TL_NOWHERE && place.record == TL_NOWHERE);
		}
	}
	tl_input_close(input);
}

TEST(info_counts_what_the_blocks_say)
{
	static const char *const facts[] = {
		"\"made_from\":\"xray\"",
		"\"version\":1",
		"\"ticks_per_second\":1000",
		"\"timed\":false",
		"\"events\":[{\"event\":\"Ir\",\"total\":85}]",
		"\"parts\":2",
		"\"notes\":5",
		"\"damaged_places\":0",
		"\"skipped_bytes\":0",
	};
	struct tl_input *input;
	uint32_t bytes;
	char *text, wanted[200];

	put_sums();
	input = open_file();
	text = text_of(input, put_info);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		assert_non_null(strstr(text, facts[i]));
	snprintf(wanted, sizeof(wanted), "\"size\":%zu,", file.size);
	assert_non_null(strstr(text, wanted));
	bytes = file.bytes[block_of(LINES) + 20];
	snprintf(wanted, sizeof(wanted),
		 "{\"section\":\"lines\",\"rows\":3,\"stored_bytes\":%u,\"expanded_bytes\":%u},"
		 "{\"section\":\"arcs\"",
		 bytes, bytes);
	assert_non_null(strstr(text, wanted));
	assert_null(strstr(text, "contexts"));
	free(text);
	tl_input_close(input);
}

/* A line a block, of the headers as they stand in the file. */
TEST(a_dump_lists_the_blocks)
{
	struct tl_input *input;
	char *text, *json, *line, *next;
	size_t at = 16;

	put_sums();
	input = open_file();
	text = text_of(input, put_dump);
	json = text_of(input, put_dump_json);
	line = text;
	next = json;
	for (uint32_t block = 0; block < file.blocks; block++) {
		const uint8_t *header = file.bytes + at;
		unsigned bytes = header[24] + 256u * header[25];
		char name[32], wanted[200];

		assert_int_equal(sscanf(line, "%*s %31s", name), 1);
		snprintf(wanted, sizeof(wanted), "0x%zx %s rows 0 count %u stored %u bytes of %u\n",
			 at, name, header[16], bytes, bytes);
		assert_memory_equal(line, wanted, strlen(wanted));
		line += strlen(wanted);
		snprintf(wanted, sizeof(wanted),
			 "{\"offset\":%zu,\"section\":\"%s\",\"first\":0,\"rows\":%u,"
			 "\"codec\":\"stored\",\"stored_bytes\":%u,\"expanded_bytes\":%u}\n",
			 at, name, header[16], bytes, bytes);
		assert_memory_equal(next, wanted, strlen(wanted));
		next += strlen(wanted);
		at += BLOCK_HEADER + bytes;
	}
	assert_string_equal(line, "");
	assert_string_equal(next, "");
	free(text);
	free(json);
	tl_input_close(input);
}

/* "Sorted by keys" */
TEST(check_finds_rows_that_are_not_sorted)
{
	struct tl_input *input;
	char *text;

	put_sums();
	input = open_file();
	text = text_of(input, put_check);
	assert_string_equal(text, "");
	free(text);
	tl_input_close(input);

	file_begin(&file);
	put_strings();
	put_head();
	block_begin(&file, FUNCTIONS, 0, 6, 6);
	ROW(&file, 0, ARG, ALPS, 5, 0, 0);
	ROW(&file, 0, ARG, ALPHA, 6, 0, 0);
	block_end(&file);
	put_costs();
	file_end(&file);
	input = open_file();
	text = text_of(input, put_check);
	assert_string_equal(text, "unsorted offset 0xffffffffffffffff: functions\n");
	free(text);
	tl_input_close(input);
}

/* "Order: the number that each element had" */
TEST(functions_come_in_the_order_that_they_had)
{
	struct tl_profile *p;
	struct tl_input *input;

	for (int wrong = 0; wrong < 2; wrong++) {
		file_begin(&file);
		put_strings();
		put_head();
		put_functions_and_parts();
		put_costs();
		block_begin(&file, FUNCTION_ORDER, 0, 1, 1);
		ROW(&file, 1);                      /* 0 was 1 */
		ROW(&file, wrong ? 0 : UINT64_MAX); /* 1 was 0; or 1 again */
		block_end(&file);
		file_end(&file);
		if (wrong) {
			p = expect_fault(block_of(FUNCTION_ORDER), "a row of this block");
		} else {
			input = open_parts();
			p = fold(input);
			tl_input_close(input);
		}
		assert_string_equal(tl_profile_function(p, wrong ? 0 : 1)->name, "alpha");
		assert_int_equal(tl_profile_line(p, 0)->function, wrong ? 0 : 1);
		assert_int_equal(tl_profile_arc(p, 1)->callee, wrong ? 0 : 1);
		tl_profile_free(p);
	}
}

/* ---- there and back ---- */

/* Write a profile as a file of its own, and into `file`. */
static void export_to_file(const struct tl_profile *profile)
{
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_output *out;
	const char *bytes;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("tracelathe")->write(profile, &options, out, NULL), 0);
	bytes = tl_output_bytes(out, &file.size);
	assert_true(file.size < sizeof(file.bytes));
	memcpy(file.bytes, bytes, file.size);
	tl_output_discard(out);
}

/* "The whole profile of an input": everything that the interface gives is the same. */
TEST(profiles_come_back_as_they_were)
{
	for (uint32_t salt = 0; salt < 4; salt++) {
		uint64_t before = 0, after = 0;
		struct tl_profile *profile, *again;
		struct tl_input *input;
		struct tl_error err;

		assert_int_equal(salt % 2 ? whole_sums(&profile, salt, &err)
					  : whole_trace(&profile, salt, &err),
				 0);
		export_to_file(profile);
		input = open_parts();
		again = fold(input);
		assert_int_equal(tl_input_damage_count(input, NULL), 0);
		whole_note(profile, &before);
		whole_note(again, &after);
		assert_true(before == after);
		tl_profile_free(profile);
		tl_profile_free(again);
		tl_input_close(input);
	}
}

/* "The same profile, the same bytes" */
TEST(a_file_converted_is_the_same_file)
{
	const struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile;
	struct tl_output *out;
	struct tl_input *input;
	struct tl_error err;
	const char *bytes;
	size_t size;

	assert_int_equal(whole_trace(&profile, 1, &err), 0);
	export_to_file(profile);
	input = open_with(options);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_reencode(input, "profile", NULL, out, &err), 0);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(size, file.size);
	assert_memory_equal(bytes, file.bytes, size);
	assert_int_equal(tl_input_reencode(input, "profile", "2", out, &err), TL_BAD_USAGE);
	tl_output_discard(out);
	tl_input_close(input);
	tl_profile_free(profile);
}

/* "Times, threads, processes, parts and processors are chosen when a profile file is made" */
TEST(filters_of_a_trace_are_refused)
{
	for (int which = 0; which < 6; which++) {
		struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
		const char *path;
		struct tl_input *input;
		struct tl_error err;

		put_sums();
		path = temp_write(&temp, "hand.tlp", file.bytes, file.size);
		options.filter.cpu = which == 0 ? 0 : TL_NOWHERE;
		options.filter.from_seconds = which == 1;
		options.filter.to_seconds = which == 2;
		options.filter.thread = which == 3 ? 0 : TL_NOWHERE;
		options.filter.process = which == 4 ? 0 : TL_NOWHERE;
		options.filter.part = which == 5;
		assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, &err),
				 TL_BAD_USAGE);
		assert_non_null(strstr(err.text, "when a profile file is made"));
		assert_null(input);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_written_by_hand_is_read),
		cmocka_unit_test(sums_of_functions_are_those_of_the_lines),
		cmocka_unit_test(notes_are_said_again),
		cmocka_unit_test(info_counts_what_the_blocks_say),
		cmocka_unit_test(a_dump_lists_the_blocks),
		cmocka_unit_test(check_finds_rows_that_are_not_sorted),
		cmocka_unit_test(functions_come_in_the_order_that_they_had),
		cmocka_unit_test(profiles_come_back_as_they_were),
		cmocka_unit_test(a_file_converted_is_the_same_file),
		cmocka_unit_test(filters_of_a_trace_are_refused),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
