/* SPDX-License-Identifier: Apache-2.0 */
/* Folded stacks (docs/formats/folded.md): the expected sums are counted by hand. */
#include <stdio.h>

#include "../foreign/text.h"

#include "folded/folded.h"

/* "A line is a stack, blanks, a count." */
TEST(lines_of_one_stack_add_up)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "a;b 1\na;b 2\na 4\na;b;c 8\nb 16\n");
	text_expect_stacks(&t, 0, "a 4\na;b 3\na;b;c 8\nb 16\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* "A line begins where the one before goes on": names that are the begin of others stay apart. */
TEST(frames_that_begin_alike_are_different)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "ab;cd 1\nab;cde 2\nab;c 4\nabc;cd 8\na;cd 16\nab 32\n");
	text_expect_stacks(&t, 0, "a;cd 16\nab 32\nab;c 4\nab;cd 1\nab;cde 2\nabc;cd 8\n");
	text_close(&t);
}

/* "Blanks are part of a name", "CRLF", "a tab before the count", "blanks behind it". */
TEST(blanks_belong_to_names)
{
	struct text t;

	text_read(&t, &tl_folded_reader,
		  "\xef\xbb\xbfoperator new(unsigned long);std::vector<int, 3> 5\r\n"
		  "f 2 3\n\ng\t7 \t\n   \n# a comment\n");
	text_expect_stacks(&t, 0,
			   "f 2 3\ng 7\noperator new(unsigned long);std::vector<int, 3> 5\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* "An empty frame is a frame without a name." */
TEST(empty_frames_are_kept)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "a;;b 1\n;a 2\na; 4\n");
	text_expect_stacks(&t, 0, "???;a 2\na;??? 4\na;???;b 1\n");
	text_close(&t);
}

/* "Two counts on every line: before and after." */
TEST(two_counts_are_two_events)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "a;b 1 20\na 0 300\nc 4\n");
	assert_int_equal(tl_profile_event_count(t.profile), 1);
	text_close(&t);
	text_read(&t, &tl_folded_reader, "a;b 1 20\na 3 0\na;b 4 500\n");
	assert_int_equal(tl_profile_event_count(t.profile), 2);
	assert_string_equal(tl_profile_event(t.profile, 1)->name, "after");
	text_expect_stacks(&t, 0, "a 3\na;b 5\n");
	text_expect_stacks(&t, 1, "a;b 520\n");
	text_close(&t);
}

/* "Decimals: all costs count thousandths then, and that is said." */
TEST(counts_with_decimals_stay_exact)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "a 1\nb 0.5\na 2.25\nc 3.\n");
	text_expect_stacks(&t, 0, "a 3250\nb 500\nc 3000\n");
	assert_string_equal(tl_profile_event(t.profile, 0)->unit, "1/1000 samples");
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "1/1000");
	text_close(&t);
	text_read(&t, &tl_folded_reader, "a 1\nb 0.12345678912\n");
	text_expect_stacks(&t, 0, "a 1000000000\nb 123456789\n");
	text_expect_fault(&t, 1, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "rounded");
	text_close(&t);
}

/* "A line that is none is left out, and told with its offset." */
TEST(bad_lines_are_left_out)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "a 1\nno count\n 5\nb 2\nc -3\nd .5\n");
	text_expect_stacks(&t, 0, "a 1\nb 2\n");
	assert_int_equal(t.foreign.faults.count, 4);
	assert_int_equal(t.foreign.faults.skipped_bytes, 9 + 3 + 5 + 5);
	text_expect_fault(&t, 0, TL_BAD_RECORD, 4, 2, "does not end with a count");
	text_expect_fault(&t, 1, TL_BAD_RECORD, 13, 3, "without a stack");
	text_expect_fault(&t, 2, TL_BAD_RECORD, 20, 5, "does not end with a count");
	text_close(&t);
	text_read_sized(&t, &tl_folded_reader, "a 1\nno count\n", 13, true, text_options());
	assert_int_equal(t.status, TL_BAD_RECORD);
	assert_int_equal(t.error.offset, 4);
	assert_int_equal(t.error.record, 2);
	text_close(&t);
}

TEST(counts_that_do_not_fit_are_told)
{
	struct text t;

	text_read(&t, &tl_folded_reader, "a 99999999999999999999\nb 9223372036854775807\nb 1\n");
	text_expect_stacks(&t, 0, "a 9223372036854775807\nb 9223372036854775807\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "rounded");
	text_close(&t);
}

/* 20,000 frames deep: one node a frame, and no recursion on the way. */
TEST(deep_stacks_are_read)
{
	enum { DEPTH = 20000 };
	char *line = malloc(2 * DEPTH + 16);
	struct text t;

	for (size_t i = 0; i < DEPTH; i++)
		memcpy(line + 2 * i, i % 2 ? "b;" : "a;", 2);
	snprintf(line + 2 * DEPTH - 1, 16, " 3\n");
	text_read(&t, &tl_folded_reader, line);
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_context_count(t.profile), DEPTH);
	assert_int_equal(tl_profile_context_inclusive(t.profile, 0)[0], 3);
	text_close(&t);
	free(line);
}

/* ---- sums of functions without stacks ---- */

static void read_table(struct text *t, const char *text)
{
	struct tl_foreign_options options = text_options();

	options.table = true;
	text_read_sized(t, &tl_folded_reader, text, strlen(text), false, options);
	assert_int_equal(t->status, 0);
	assert_int_equal(tl_profile_context_count(t->profile), 0);
	assert_true(tl_profile_flat(t->profile));
}

static struct tl_function_totals totals_of(const struct text *t, const char *name)
{
	struct tl_function_totals totals = { .calls = 1 };
	unsigned found = 0;

	for (uint32_t i = 0; i < tl_profile_function_count(t->profile); i++)
		if (!strcmp(tl_profile_function(t->profile, i)->name, name)) {
			found++;
			assert_int_equal(tl_profile_function_totals(t->profile, i, TL_NONE, &totals,
								    sizeof(totals)),
					 0);
		}
	assert_int_equal(found, 1);
	return totals;
}

static void expect_sums(const struct text *t, const char *name, uint32_t event, int64_t self,
			int64_t inclusive)
{
	const struct tl_function_totals totals = totals_of(t, name);

	assert_int_equal(totals.calls, 0);
	assert_int_equal(totals.self[event], self);
	assert_int_equal(totals.inclusive[event], inclusive);
}

/* By hand. "Inclusive: while the function is on the stack": a call of itself adds nothing. */
TEST(a_table_has_sums_alone)
{
	struct text t;

	read_table(&t, "a 1\na;b 2\na;b;a 4\na;b;a;c 8\na;bc 16\nab 32\nb;a;b 64\na;b 128\n");
	expect_sums(&t, "a", 0, 1 + 4, 1 + 2 + 4 + 8 + 16 + 64 + 128);
	expect_sums(&t, "b", 0, 2 + 64 + 128, 2 + 4 + 8 + 64 + 128);
	expect_sums(&t, "c", 0, 8, 8);
	expect_sums(&t, "bc", 0, 16, 16);
	expect_sums(&t, "ab", 0, 32, 32);
	assert_int_equal(tl_profile_total(t.profile)[0], 255);
	assert_int_equal(tl_profile_part(t.profile, 0)->records, 8);
	text_close(&t);
}

/* Frames without a name and those named "???" are one function, also one within the other. */
TEST(a_table_of_empty_frames)
{
	struct text t;

	read_table(&t, "a;;\?\?\? 1\n;b 2\na; 4\n\?\?\? 8\n");
	expect_sums(&t, "???", 0, 1 + 4 + 8, 1 + 2 + 4 + 8);
	expect_sums(&t, "a", 0, 0, 1 + 4);
	expect_sums(&t, "b", 0, 2, 2);
	text_close(&t);
}

/* The first decimals come while costs of the path before are held back. An event has its unit. */
TEST(a_table_of_decimals_and_two_counts)
{
	struct text t;

	read_table(&t, "a;b 1 10\na;b;c 2 20\na;b;d 0.5 40\na;b;d 4 0.0625\na 8 80\n");
	expect_sums(&t, "a", 0, 8000, 15500);
	expect_sums(&t, "b", 0, 1000, 7500);
	expect_sums(&t, "d", 0, 4500, 4500);
	expect_sums(&t, "c", 0, 2000, 2000);
	expect_sums(&t, "a", 1, 80000000, 150062500);
	expect_sums(&t, "b", 1, 10000000, 70062500);
	expect_sums(&t, "d", 1, 40062500, 40062500);
	assert_string_equal(tl_profile_event(t.profile, 0)->unit, "1/1000 samples");
	assert_string_equal(tl_profile_event(t.profile, 1)->unit, "1/1000000 samples");
	text_close(&t);
}

TEST(a_table_tells_sums_that_do_not_fit)
{
	struct text t;

	read_table(&t, "a;b 9223372036854775807\na;c 5\n");
	expect_sums(&t, "a", 0, 0, INT64_MAX);
	expect_sums(&t, "c", 0, 5, 5);
	assert_true(t.foreign.stacks.saturated > 0);
	text_close(&t);
}

/*
 * Names of every length from 1 to 40, with ';' at every place of a word, and more of them than the
 * first table holds: each line is one function below another one.
 */
TEST(a_table_of_many_names)
{
	enum { NAMES = 4000, LONGEST = 40 };
	char *text = malloc((size_t)NAMES * (2 * LONGEST + 32)), *p = text;
	struct text t;

	for (int i = 0; i < NAMES; i++)
		p += sprintf(p, "%0*d;f%0*d %d\n", 4 + i % (LONGEST - 4), i, 4 + i * 7 % 36,
			     i % 2000, 1 + i % 5);
	read_table(&t, text);
	assert_int_equal(tl_profile_function_count(t.profile), NAMES + NAMES);
	for (uint32_t i = 0; i < tl_profile_function_count(t.profile); i++) {
		const struct tl_function *f = tl_profile_function(t.profile, i);
		struct tl_function_totals totals;
		const long number = strtol(f->name + (*f->name == 'f'), NULL, 10);

		assert_int_equal(
			tl_profile_function_totals(t.profile, i, TL_NONE, &totals, sizeof(totals)),
			0);
		if (*f->name != 'f') {
			assert_int_equal(totals.self[0], 0);
			assert_int_equal(totals.inclusive[0], 1 + number % 5);
		} else {
			assert_int_equal(totals.self[0], 1 + number % 5);
		}
	}
	text_close(&t);
	free(text);
}

TEST(probing)
{
	static const struct {
		const char *text;
		int sure;
	} cases[] = {
		{ "a;b 1\n", 30 },
		{ "a 1\n", 10 },
		{ "a;b 1", 30 },
		{ "# x\na;b 1.5\n", 30 },
		{ "a;b\n", 0 },
		{ "", 0 },
		{ "events: Ir\nfn=main\n1 2\n", 0 },
		{ "a;b 1\nx\ny\n", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			tl_folded_probe((const uint8_t *)cases[i].text, strlen(cases[i].text)),
			cases[i].sure);
}

/* Recursion of 20,000 calls is a line of 80 KB; the whole of one of 200,000 is not in a window. */
TEST(a_long_first_line_is_probed)
{
	enum { FRAMES = 20000, FRAME = 4, SIZE = FRAMES * FRAME + 8 };
	char *text = malloc(SIZE), *end;

	assert_non_null(text);
	for (unsigned i = 0; i < FRAMES; i++)
		memcpy(text + (size_t)i * FRAME, "rec;", FRAME);
	end = text + (size_t)FRAMES * FRAME;
	memcpy(end - 1, " 5\na 7\n", 7);
	assert_int_equal(tl_folded_probe((const uint8_t *)text, (size_t)(end - text) + 6), 30);
	assert_int_equal(tl_folded_probe((const uint8_t *)text, (size_t)(end - text) - 8), 30);
	/* A long line without a count, and one that has hardly a frame, are no stacks. */
	memcpy(end - 1, " x\na b\n", 7);
	assert_int_equal(tl_folded_probe((const uint8_t *)text, (size_t)(end - text) + 6), 0);
	memset(text, 'a', SIZE);
	text[100] = ';';
	assert_int_equal(tl_folded_probe((const uint8_t *)text, SIZE), 0);
	text[SIZE - 9] = 0;
	assert_int_equal(tl_folded_probe((const uint8_t *)text, SIZE), 0);
	free(text);
}

TEST(damage)
{
	text_damage(&tl_folded_reader, "a;b c 1\na;;d 2.5\r\n\n# x\ne 7 9\n");
}

/* What a format does not hold cannot choose: the whole would look like the part asked for. */
TEST(filters_that_nothing_can_answer)
{
	struct tl_foreign_options options[4] = { text_options(), text_options(), text_options(),
						 text_options() };
	struct text t;

	options[0].process = 1;
	options[1].thread = 1;
	options[2].from_seconds = 1;
	options[3].to_seconds = 1;
	for (size_t i = 0; i < 4; i++) {
		text_read_sized(&t, &tl_folded_reader, "a 1\n", 4, false, options[i]);
		assert_int_equal(t.status, TL_BAD_USAGE);
		assert_string_equal(
			t.error.text,
			"folded stacks have no times, threads and processes to choose by");
		text_close(&t);
	}
}

/* A line longer than 16 MiB is left out, at its place; the lines behind it are read. */
TEST(a_line_that_is_too_long)
{
	enum { LONG = 17 << 20 };
	char *text = malloc(LONG + 64);
	struct text t;

	memcpy(text, "a 1\n", 4);
	memset(text + 4, 'x', LONG);
	strcpy(text + 4 + LONG, " 2\nb;c 4\nd 8\n");
	text_read(&t, &tl_folded_reader, text);
	text_expect_stacks(&t, 0, "a 1\nb;c 4\nd 8\n");
	assert_int_equal(t.foreign.faults.count, 1);
	assert_int_equal(t.foreign.faults.list[0].offset, 4);
	assert_int_equal(t.foreign.faults.list[0].length, LONG + 3);
	assert_int_equal(t.foreign.faults.list[0].record, 2);
	text_close(&t);
	free(text);
}

/*
 * Of a file whose first line is longer than the 64 KiB that are looked at, that line is: its count
 * is at its end, and what comes behind it does not matter. Of a line without an end its frames
 * are.
 */
TEST(long_first_lines_are_recognised)
{
	enum { LOOKED_AT = 65536, ROOM = LOOKED_AT + 200 };
	static uint8_t text[ROOM];

	for (size_t size = LOOKED_AT - 12; size < LOOKED_AT + 12; size++) {
		static const struct {
			const char *end;
			int sure;
			bool two;
		} cases[] = {
			{ " 5\nno count\nno count\nno count\n", 30, false },
			{ " 5 6\nno count\nno count\n", 30, true },
			{ " 5 x\na;b 5\n", 0, false },
			{ " 5\n", 30, false },
		};

		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const size_t end = strlen(cases[i].end);
			/* is more looked at than the first line? */
			const bool more =
				size + (size_t)(strchr(cases[i].end, '\n') - cases[i].end) <
				LOOKED_AT;

			for (size_t at = 0; at < size; at++)
				text[at] = at % 8 == 7 ? ';' : 'f';
			memcpy(text + size, cases[i].end, end);
			if (more)
				continue;
			assert_int_equal(tl_folded_probe(text, size + end), cases[i].sure);
			if (cases[i].sure)
				assert_int_equal(tl_folded_has_two_counts(text, size + end),
						 cases[i].two);
		}
		/* a line that goes on: by its frames, one in 512 bytes at least */
		if (size > LOOKED_AT) {
			assert_int_equal(tl_folded_probe(text, size), 30);
			memset(text, 'f', size);
			assert_int_equal(tl_folded_probe(text, size), 0);
			for (size_t frames = 127; frames < 131; frames++) {
				memset(text, ';', frames);
				assert_int_equal(tl_folded_probe(text, size),
						 frames > size / 512 ? 30 : 0);
			}
			text[LOOKED_AT + 1] = '\0';
			assert_int_equal(tl_folded_probe(text, size),
					 size > LOOKED_AT + 1 ? 0 : 30);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_one_stack_add_up),
		cmocka_unit_test(frames_that_begin_alike_are_different),
		cmocka_unit_test(blanks_belong_to_names),
		cmocka_unit_test(empty_frames_are_kept),
		cmocka_unit_test(two_counts_are_two_events),
		cmocka_unit_test(counts_with_decimals_stay_exact),
		cmocka_unit_test(bad_lines_are_left_out),
		cmocka_unit_test(counts_that_do_not_fit_are_told),
		cmocka_unit_test(deep_stacks_are_read),
		cmocka_unit_test(filters_that_nothing_can_answer),
		cmocka_unit_test(a_line_that_is_too_long),
		cmocka_unit_test(a_table_has_sums_alone),
		cmocka_unit_test(a_table_of_empty_frames),
		cmocka_unit_test(a_table_of_decimals_and_two_counts),
		cmocka_unit_test(a_table_tells_sums_that_do_not_fit),
		cmocka_unit_test(a_table_of_many_names),
		cmocka_unit_test(probing),
		cmocka_unit_test(a_long_first_line_is_probed),
		cmocka_unit_test(damage),
		cmocka_unit_test(long_first_lines_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
