/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdio.h>

/* "CRLF: accept", "no final newline: accept", "BOM: skip" (rule K) */
TEST(ends_of_lines)
{
	static const char *const texts[] = {
		"events: Ir\nfn=main\n5 10\n",
		"events: Ir\r\nfn=main\r\n5 10\r\n",
		"events: Ir\nfn=main\n5 10",
		("\xef\xbb\xbf"
		 "events: Ir\nfn=main\n5 10\n"),
		"events: Ir\r\nfn=main\r\n5 10",
		"events: Ir\r\nfn=main\r\n5 10\r",
		"events: Ir\nfn=main\n5 10\r\r",
		"events: Ir\n\n\nfn=main\n\n5 10\n\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text t;

		text_open(&t, texts[i]);
		assert_string_equal(name_of(&t, next_of(&t, TL_CALLGRIND_NAME)->name.number),
				    "main");
		next_of(&t, TL_CALLGRIND_COST);
		assert_int_equal(t.item.at.line, 5);
		assert_int_equal(t.item.costs[0], 10);
		read_rest(&t);
		text_close(&t);
	}
}

TEST(offsets_and_line_numbers)
{
	struct text t;

	text_open(&t, "events: Ir\r\n\r\nfn=main\r\n  5 10");
	next_of(&t, TL_CALLGRIND_NAME);
	assert_int_equal(t.item.offset, 14);
	assert_int_equal(t.item.length, 9);
	assert_int_equal(t.item.line, 3);
	/* blanks before a line are of it */
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.offset, 23);
	assert_int_equal(t.item.length, 6);
	assert_int_equal(t.item.line, 4);
	next_of(&t, TL_CALLGRIND_PART_END);
	assert_int_equal(t.item.offset, 0);
	assert_int_equal(t.item.length, 29);
	assert_int_equal(tl_callgrind_next(t.reader, &t.item, sizeof(t.item), &t.err), 0);
	/* "0 at the end": also when asked again */
	assert_int_equal(tl_callgrind_next(t.reader, &t.item, sizeof(t.item), &t.err), 0);
	text_close(&t);
}

/* A text of `lines` cost lines, one of which is filled up with zeros to `length` bytes. */
static char *long_text(size_t length, size_t *size)
{
	char *text = malloc(length + 100), *to = text;

	to = stpcpy(to, "events: Ir\nfn=main\n1 2\n3 ");
	memset(to, '0', length);
	to += length;
	to = stpcpy(to, "7\n4 5\n");
	*size = (size_t)(to - text);
	return text;
}

/* A line longer than the buffer is a line like others; so is what follows it. */
TEST(long_lines)
{
	static const size_t lengths[] = { 0, 100, 262100, 262144, 262160, 1000000, 5000000 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t size;
		char *text = long_text(lengths[i], &size);
		struct text t;

		text_open_bytes(&t, text, size, true);
		assert_int_equal(next_of(&t, TL_CALLGRIND_COST)->costs[0], 2);
		next_of(&t, TL_CALLGRIND_COST);
		assert_int_equal(t.item.at.line, 3);
		assert_int_equal(t.item.costs[0], 7);
		assert_int_equal(t.item.length, lengths[i] + 4);
		assert_int_equal(next_of(&t, TL_CALLGRIND_COST)->costs[0], 5);
		assert_int_equal(t.item.offset, 23 + lengths[i] + 4);
		text_close(&t);
		free(text);
	}
}

/* "a line of more than 16 MiB": it is skipped, and told of, and the next one is read. */
TEST(too_long_lines)
{
	size_t size, length = 40u << 20, listed;
	char *text = long_text(length, &size);
	const struct tl_callgrind_fault *faults;
	uint64_t count, skipped;
	struct text t;

	text_open_bytes(&t, text, size, false);
	assert_int_equal(next_of(&t, TL_CALLGRIND_COST)->costs[0], 2);
	next_of(&t, TL_CALLGRIND_LOST);
	assert_int_equal(t.item.line, 4);
	assert_int_equal(t.item.offset, 23);
	assert_int_equal(t.item.length, length + 4);
	assert_int_equal(next_of(&t, TL_CALLGRIND_COST)->costs[0], 5);
	assert_int_equal(t.item.offset, 23 + length + 4);
	assert_int_equal(t.item.line, 5);
	read_rest(&t);
	faults = tl_callgrind_faults(t.reader, &listed, &count, &skipped);
	assert_int_equal(count, 1);
	assert_int_equal(faults[0].status, TL_TOO_LARGE);
	assert_int_equal(faults[0].line, 4);
	assert_int_equal(faults[0].offset, 23);
	assert_int_equal(skipped, length + 4);
	text_close(&t);
	free(text);
}

/* The same items wherever the buffer's end falls. */
TEST(every_seam)
{
	enum { BUFFER = 256 * 1024 };

	for (size_t shift = 0; shift < 40; shift++) {
		char *text = malloc(BUFFER + 200), *to = stpcpy(text, "events: Ir\n#");
		struct text t;

		while (to < text + BUFFER - shift)
			*to++ = '-';
		strcpy(to, "\nfn=(12) main\n123 4567\ncfn=(3) f\ncalls=1 5\n* 89\n");
		text_open_bytes(&t, text, strlen(text), true);
		assert_string_equal(name_of(&t, next_of(&t, TL_CALLGRIND_NAME)->name.number),
				    "main");
		assert_int_equal(next_of(&t, TL_CALLGRIND_COST)->costs[0], 4567);
		assert_int_equal(next_of(&t, TL_CALLGRIND_CALL)->costs[0], 89);
		assert_int_equal(t.item.at.line, 123);
		text_close(&t);
		free(text);
	}
}

/*
 * "A first 2 KiB that is neither text nor a known signature" is none of ours; real beginnings are
 */
TEST(probing)
{
	static const struct {
		const char *text;
		int least, most;
	} rows[] = {
		{ "# callgrind format\n", 100, 100 },
		{ "version: 1\ncreator: callgrind-3.19.0\n", 80, 100 },
		{ "desc: I1 cache: 1\ncmd: x\nevents: Ir\nfl=a\n", 60, 100 },
		{ "events: Hits\n", 60, 100 },
		{ "\xef\xbb\xbf# callgrind format\n", 100, 100 },
		{ "\n==== NEW PROFILING FILE ====\nversion: 0.9.6\n", 50, 100 },
		{ "hello world\n", 0, 0 },
		{ "desc: --massif-out-file=m\ncmd: x\ntime_unit: i\n#---\nsnapshot=0\n", 0, 0 },
		{ "", 0, 0 },
	};
	uint8_t binary[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int sure = tl_callgrind_probe((const uint8_t *)rows[i].text, strlen(rows[i].text));

		assert_in_range(sure, rows[i].least, rows[i].most);
	}
	memset(binary, 1, sizeof(binary));
	memcpy(binary, "events: Ir\n", 11);
	assert_int_equal(tl_callgrind_probe(binary, sizeof(binary)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_lines), cmocka_unit_test(offsets_and_line_numbers),
		cmocka_unit_test(long_lines),    cmocka_unit_test(too_long_lines),
		cmocka_unit_test(every_seam),    cmocka_unit_test(probing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
