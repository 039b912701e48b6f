/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a source, against a text that is cut by hand or by a plain loop. */
#include <stdlib.h>

#include "../unit.h"

#include "core/text/lines.h"

struct reading {
	struct tl_source *source;
	struct tl_lines lines;
};

static void begin(struct reading *r, const char *text, size_t size)
{
	assert_int_equal(tl_source_open_memory(&r->source, text, size, "text", NULL), 0);
	assert_true(tl_lines_begin(&r->lines, r->source));
}

static void end(struct reading *r)
{
	assert_int_equal(tl_lines_next(&r->lines, NULL), 0);
	assert_int_equal(tl_lines_next(&r->lines, NULL), 0);
	tl_lines_end(&r->lines);
	tl_source_close(r->source);
}

/* The next line is text[from..to), and the one behind it begins at `next`. */
static void expect_line(struct reading *r, const char *text, size_t from, size_t to, size_t next)
{
	assert_int_equal(tl_lines_next(&r->lines, NULL), 1);
	assert_int_equal(r->lines.too_long, 0);
	assert_int_equal(tl_lines_offset(&r->lines), from);
	assert_int_equal(tl_lines_passed(&r->lines), next);
	assert_int_equal(r->lines.stop - r->lines.start, to - from);
	assert_memory_equal(r->lines.start, text + from, to - from);
}

/* "A line always ends in a byte that is part of no number": also one without a newline. */
TEST(lines_are_cut_at_their_ends)
{
	static const char text[] = "one\n\ntwo\r\n\r\r\n\rthree\n12\r";
	struct reading r;

	begin(&r, text, sizeof(text) - 1);
	expect_line(&r, text, 0, 3, 4);
	expect_line(&r, text, 4, 4, 5);
	expect_line(&r, text, 5, 8, 10);
	expect_line(&r, text, 10, 10, 13);
	expect_line(&r, text, 13, 19, 20);
	assert_false(r.lines.unended);
	assert_int_equal(r.lines.number, 5);
	expect_line(&r, text, 20, 22, 23);
	assert_true(r.lines.unended);
	assert_int_equal(r.lines.number, 6);
	assert_true(*r.lines.stop == '\r' && r.lines.stop[1] == '\n');
	end(&r);
}

TEST(no_bytes_are_no_lines)
{
	struct reading r;

	begin(&r, "", 0);
	end(&r);
	begin(&r, "\n", 1);
	expect_line(&r, "\n", 0, 0, 1);
	end(&r);
}

/* "Make the next call give the present line again." */
TEST(a_line_is_given_again)
{
	static const char text[] = "one\ntwo";
	struct reading r;

	begin(&r, text, sizeof(text) - 1);
	expect_line(&r, text, 0, 3, 4);
	r.lines.start++;
	tl_lines_again(&r.lines);
	expect_line(&r, text, 0, 3, 4);
	assert_int_equal(r.lines.number, 1);
	expect_line(&r, text, 4, 7, 7);
	tl_lines_again(&r.lines);
	expect_line(&r, text, 4, 7, 7);
	assert_int_equal(r.lines.number, 2);
	tl_lines_end(&r.lines);
	tl_source_close(r.source);
}

TEST(control_characters_become_blanks)
{
	struct reading r;

	begin(&r, "\ta\tb\x1f\x01 \x7f\n\t", 10);
	assert_int_equal(tl_lines_next(&r.lines, NULL), 1);
	tl_lines_blank(&r.lines, r.lines.start + 1);
	assert_memory_equal(r.lines.start, "\ta b   \x7f\n\t", 10);
	tl_lines_end(&r.lines);
	tl_source_close(r.source);
}

/* Lines of all lengths around that of the buffer, with and without a newline behind the last. */
TEST(lines_cross_the_buffer)
{
	enum { BUFFER = 256 * 1024 };
	static const size_t lengths[] = { 0,          7,          BUFFER - 8,     1,
					  BUFFER - 1, BUFFER,     BUFFER + 1,     3,
					  2 * BUFFER, 100,        5 * BUFFER + 1, 0,
					  1023,       BUFFER - 2, 1024,           17 };
	enum { COUNT = sizeof(lengths) / sizeof(lengths[0]) };
	char *text = malloc(16 * BUFFER);

	for (size_t last = 1; last <= COUNT; last++) {
		size_t size = 0, at = 0;
		struct reading r;

		for (size_t i = 0; i < last; i++) {
			memset(text + size, 'a' + (int)i, lengths[i]);
			size += lengths[i];
			text[size++] = '\n';
		}
		size -= last % 2;
		begin(&r, text, size);
		for (size_t i = 0; i < last && at < size; i++) {
			const size_t stop = at + lengths[i], next = stop < size ? stop + 1 : stop;

			expect_line(&r, text, at, stop, next);
			assert_int_equal(r.lines.unended, next == stop);
			assert_int_equal(r.lines.number, i + 1);
			at = next;
		}
		assert_int_equal(at, size);
		end(&r);
	}
	free(text);
}

/* A line of 16 MiB and more has a place and a number, but no text; the next one is whole. */
TEST(a_line_that_is_too_long_is_passed_over)
{
	static const size_t lengths[] = { TL_LINES_LONGEST - 1, TL_LINES_LONGEST,
					  2 * TL_LINES_LONGEST + 1 };
	char *text = malloc(2 * TL_LINES_LONGEST + 16);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const size_t next = 4 + lengths[i] + 1;
		struct reading r;

		memcpy(text, "one\n", 4);
		memset(text + 4, 'x', lengths[i]);
		memcpy(text + next - 1, "\nnext\n", 6);
		begin(&r, text, next + 5);
		expect_line(&r, text, 0, 3, 4);
		if (lengths[i] < TL_LINES_LONGEST) {
			expect_line(&r, text, 4, next - 1, next);
		} else {
			assert_int_equal(tl_lines_next(&r.lines, NULL), 1);
			assert_true(r.lines.too_long);
			assert_ptr_equal(r.lines.start, r.lines.stop);
			assert_int_equal(r.lines.number, 2);
			assert_int_equal(tl_lines_offset(&r.lines), 4);
			assert_int_equal(tl_lines_passed(&r.lines), next);
		}
		expect_line(&r, text, next, next + 4, next + 5);
		assert_int_equal(r.lines.number, 3);
		end(&r);
	}
	free(text);
}

/* The same where the text ends in it, or with one more byte than it. */
TEST(a_line_that_is_too_long_may_be_the_last)
{
	char *text = malloc(TL_LINES_LONGEST + 1);

	memset(text, 'x', TL_LINES_LONGEST + 1);
	for (size_t more = 0; more < 2; more++) {
		struct reading r;

		begin(&r, text, TL_LINES_LONGEST + more);
		assert_int_equal(tl_lines_next(&r.lines, NULL), 1);
		assert_true(r.lines.too_long);
		assert_int_equal(tl_lines_offset(&r.lines), 0);
		assert_int_equal(tl_lines_passed(&r.lines), TL_LINES_LONGEST + more);
		end(&r);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_cut_at_their_ends),
		cmocka_unit_test(no_bytes_are_no_lines),
		cmocka_unit_test(a_line_is_given_again),
		cmocka_unit_test(control_characters_become_blanks),
		cmocka_unit_test(lines_cross_the_buffer),
		cmocka_unit_test(a_line_that_is_too_long_is_passed_over),
		cmocka_unit_test(a_line_that_is_too_long_may_be_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
