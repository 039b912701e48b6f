/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files as inputs. Quotes are from docs/formats/profile.md. */
#include <tracelathe/export.h>
#include <tracelathe/open.h>

#include "../profile/file_bytes.h"
#include "../profile/profiles.h"
#include "../temp_fixture.h"
#include "../whole_profile.h"

/* ---- opening ---- */

static struct tl_input *open_with(struct tl_input_options options)
{
	const char *path = temp_write(&temp, "hand.tlp", hand.bytes, hand.size);
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	assert_string_equal(tl_input_format(input)->name, "profile");
	return input;
}

static struct tl_input *open_file(void)
{
	return open_with((struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT);
}

static struct tl_input *open_parts(void)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;

	options.per_thread = true;
	return open_with(options);
}

static struct tl_profile *fold(struct tl_input *input)
{
	struct tl_profile *profile;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	return profile;
}

/* The text that an operation puts, for free(). */
static char *text_of(struct tl_input *input, int64_t (*put)(struct tl_input *, struct tl_output *))
{
	struct tl_output *out;
	size_t size;
	const char *bytes;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(put(input, out) >= 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	tl_output_discard(out);
	return text;
}

static int64_t put_info(struct tl_input *input, struct tl_output *out)
{
	return tl_input_info(input, TL_REPORT_JSON, out, NULL);
}

static int64_t put_dump(struct tl_input *input, struct tl_output *out)
{
	return tl_input_dump(input, TL_REPORT_TEXT, out, NULL);
}

static int64_t put_dump_json(struct tl_input *input, struct tl_output *out)
{
	return tl_input_dump(input, TL_REPORT_JSON, out, NULL);
}

static int64_t put_check(struct tl_input *input, struct tl_output *out)
{
	return tl_input_check(input, TL_REPORT_TEXT, out, NULL);
}

static int64_t put_check_json(struct tl_input *input, struct tl_output *out)
{
	return tl_input_check(input, TL_REPORT_JSON, out, NULL);
}

/* The fault that comes before the notes, of one place; `words` are in its text. */
static struct tl_profile *expect_fault(size_t offset, const char *words)
{
	struct tl_input *input = open_parts();
	struct tl_damage place;
	struct tl_profile *p;
	char *text, wanted[80];

	p = fold(input);
	assert_true(tl_input_damage_count(input, NULL) > 0);
	assert_int_equal(tl_input_damage(input, 0, &place, sizeof(place)), 1);
	assert_non_null(strstr(place.text, words));
	assert_int_equal(place.offset, offset);
	text = text_of(input, put_check);
	snprintf(wanted, sizeof(wanted), "damage offset 0x%zx: ", offset);
	assert_memory_equal(text, wanted, strlen(wanted));
	assert_non_null(strstr(text, words));
	free(text);
	text = text_of(input, put_check_json);
	snprintf(wanted, sizeof(wanted), "{\"rule\":\"damage\",\"offset\":%zu,\"text\":\"", offset);
	assert_memory_equal(text, wanted, strlen(wanted));
	free(text);
	tl_input_close(input);
	return p;
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
	snprintf(wanted, sizeof(wanted), "\"size\":%zu,", hand.size);
	assert_non_null(strstr(text, wanted));
	bytes = hand.bytes[block_of(LINES) + 20];
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
	for (uint32_t block = 0; block < hand.blocks; block++) {
		const uint8_t *header = hand.bytes + at;
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

	file_begin(&hand);
	put_strings();
	put_head();
	block_begin(&hand, FUNCTIONS, 0, 6, 6);
	ROW(&hand, 0, ARG, ALPS, 5, 0, 0);
	ROW(&hand, 0, ARG, ALPHA, 6, 0, 0);
	block_end(&hand);
	put_costs();
	file_end(&hand);
	input = open_file();
	text = text_of(input, put_check);
	assert_string_equal(text, "unsorted offset 0xffffffffffffffff: functions\n");
	free(text);
	tl_input_close(input);
}

/* "The last one is of section end." */
TEST(a_cut_file_is_told)
{
	size_t whole, at;

	put_sums();
	whole = hand.size;
	at = block_of(JUMPS);
	for (hand.size = at - 1; hand.size <= whole - 1; hand.size++) {
		struct tl_input *input = open_file();

		tl_profile_free(fold(input));
		assert_true(tl_input_damage_count(input, NULL) > 5);
		tl_input_close(input);
	}
	hand.size = at;
	tl_profile_free(expect_fault(at, "the file ends without its last block"));
	hand.size = at + BLOCK_HEADER + 3;
	tl_profile_free(expect_fault(at, "the file ends inside this block"));
}

/* Write a profile as a file of its own, and into `hand`. */
static void export_to_file(const struct tl_profile *profile)
{
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_output *out;
	const char *bytes;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("tracelathe")->write(profile, &options, out, NULL), 0);
	bytes = tl_output_bytes(out, &hand.size);
	assert_true(hand.size < sizeof(hand.bytes));
	memcpy(hand.bytes, bytes, hand.size);
	tl_output_discard(out);
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
	assert_int_equal(size, hand.size);
	assert_memory_equal(bytes, hand.bytes, size);
	assert_int_equal(tl_input_reencode(input, "profile", "2", out, &err), TL_BAD_USAGE);
	tl_output_discard(out);
	tl_input_close(input);
	tl_profile_free(profile);
}

/* ---- packed ---- */

static uint32_t below(uint64_t *state, uint32_t end)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % end;
}

/* Lines, calls and jumps of some functions in two parts, in no order; every item is another one. */
static struct tl_profile *sums_in_no_order(uint32_t seed)
{
	enum { NAMES = 5, ITEMS = 200 };
	static const char *const events[] = { "Ir", "Dr" }, *const files[] = { "a.c", "b.h" };
	struct tl_profile *p = new_profile("callgrind", events, 2, 0);
	const uint32_t parts[] = { add_part(p, 7, 1, 1, "prog"), add_part(p, 7, 1, 2, "prog") };
	const char *const names[NAMES] = { "main", "f", "g", "h", "k" };
	uint64_t rng = seed;

	for (unsigned i = 0; i < NAMES; i++)
		add_function(p, "prog", "a.c", names[i]);
	for (uint32_t i = 0; i < ITEMS; i++) {
		const uint32_t part = parts[below(&rng, 2)], f = below(&rng, NAMES);
		const struct tl_position here =
			at(files[below(&rng, 2)], below(&rng, 50), 0x1000 + 7 * i % ITEMS * 4);

		if (i % 4 == 1)
			add_arc(p, f, below(&rng, NAMES), part, here, i, i, 0);
		else if (i % 8 == 2)
			add_jump(p, f, part, i, below(&rng, 50), i + 5, i);
		else
			add_line(p, f, part, here, i, below(&rng, 3));
	}
	return finished(p);
}

static struct tl_input *open_packed(bool packed)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;

	options.per_thread = true;
	options.packed = packed;
	return open_with(options);
}

/* A profile as a format has it. */
static struct tl_output *written(const struct tl_profile *profile, const char *format)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find(format)->write(profile, NULL, out, NULL), 0);
	return out;
}

static void expect_the_same(const struct tl_profile *a, const struct tl_profile *b)
{
	static const char *const formats[] = { "callgrind", "tracelathe" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tl_output *left = written(a, formats[i]), *right = written(b, formats[i]);
		size_t left_size, right_size;
		const char *x = tl_output_bytes(left, &left_size);
		const char *y = tl_output_bytes(right, &right_size);

		assert_int_equal(left_size, right_size);
		assert_memory_equal(x, y, left_size);
		tl_output_discard(left);
		tl_output_discard(right);
	}
}

/* "The order of the elements" is kept, whether these are there one by one or packed. */
TEST(packed_profiles_are_written_as_plain_ones)
{
	for (uint32_t seed = 0; seed < 8; seed++) {
		struct tl_profile *given = sums_in_no_order(seed), *packed;
		struct tl_input *input;

		export_to_file(given);
		input = open_packed(true);
		packed = fold(input);
		assert_int_equal(tl_profile_line_count(packed), 0);
		expect_the_same(packed, given);
		tl_profile_free(packed);
		tl_profile_free(given);
		tl_input_close(input);
	}
}

/* Of `hand`. */
static void expect_the_same_of_damage(void)
{
	struct tl_profile *profiles[2];
	uint64_t skipped[2], faults[2];
	struct tl_input *inputs[2];

	for (unsigned packed = 0; packed < 2; packed++) {
		inputs[packed] = open_packed(packed);
		profiles[packed] = fold(inputs[packed]);
		faults[packed] = tl_input_damage_count(inputs[packed], &skipped[packed]);
	}
	assert_true(faults[0] > 0);
	assert_int_equal(faults[0], faults[1]);
	assert_int_equal(skipped[0], skipped[1]);
	expect_the_same(profiles[1], profiles[0]);
	for (unsigned i = 0; i < 2; i++) {
		tl_profile_free(profiles[i]);
		tl_input_close(inputs[i]);
	}
}

/* What is said of damage, and what is left, does not depend on how a profile is read. */
TEST(damaged_profiles_are_not_packed)
{
	static const unsigned sections[] = { LINES, ARCS, JUMPS, LINE_ORDER };
	size_t blocks[2];

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct tl_profile *p = sums_in_no_order(3);

		export_to_file(p);
		tl_profile_free(p);
		hand.bytes[block_of(sections[i]) + BLOCK_HEADER + 1] ^= 8;
		expect_the_same_of_damage();
	}
	/* Some lines are left, which stay in the order of the file. */
	put_lines_with_order(blocks, 20);
	hand.bytes[blocks[1] + BLOCK_HEADER] ^= 4;
	expect_the_same_of_damage();
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
		path = temp_write(&temp, "hand.tlp", hand.bytes, hand.size);
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
		cmocka_unit_test(notes_are_said_again),
		cmocka_unit_test(info_counts_what_the_blocks_say),
		cmocka_unit_test(a_dump_lists_the_blocks),
		cmocka_unit_test(check_finds_rows_that_are_not_sorted),
		cmocka_unit_test(a_cut_file_is_told),
		cmocka_unit_test(a_file_converted_is_the_same_file),
		cmocka_unit_test(packed_profiles_are_written_as_plain_ones),
		cmocka_unit_test(damaged_profiles_are_not_packed),
		cmocka_unit_test(filters_of_a_trace_are_refused),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
