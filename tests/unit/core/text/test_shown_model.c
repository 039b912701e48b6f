/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of drawn bytes, as JSON, as people see them and as CSV: against a decoder that counts bits,
 * and read back by plain readers. Behind each text stand bytes that are not of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "core/output.h"

enum { LONGEST = 48, BEHIND = 8, ROUNDS = 40000, WANTED = 12 * LONGEST };

/* ---- the model ---- */

/* The character at p, of `left` bytes: its bytes, 0 where it is no UTF-8; and its number. */
static unsigned decode(const unsigned char *p, size_t left, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned ones = 0;

	while (ones < 8 && p[0] >> (7 - ones) & 1)
		ones++;
	if (ones == 0) {
		*code = p[0];
		return 1;
	}
	if (ones == 1 || ones > 4 || ones > left)
		return 0;
	*code = p[0] & (0xffu >> (ones + 1));
	for (unsigned i = 1; i < ones; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (p[i] & 0x3fu);
	}
	if (*code < least[ones] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return ones;
}

/* C1 controls, marks of the writing direction, separators of lines and paragraphs. */
static bool is_steering(uint32_t code)
{
	static const uint32_t marks[] = { 0x61c,  0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
					  0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069 };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (code == marks[i])
			return true;
	return code >= 0x80 && code < 0xa0;
}

/* A character as JSON has it, or as people see it. */
static void put_character(char *to, const unsigned char *p, unsigned size, uint32_t code, bool json)
{
	static const char letters[] = "btnxfr"; /* of 8 to 13 */

	if (!size)
		sprintf(to, json ? "\xef\xbf\xbd" : "\\x%02x", p[0]);
	else if (json && (code == '"' || code == '\\'))
		sprintf(to, "\\%c", (char)code);
	else if (json && code >= 8 && code <= 13 && code != 11)
		sprintf(to, "\\%c", letters[code - 8]);
	else if (code < ' ' || code == 0x7f)
		sprintf(to, json ? "\\u%04x" : "\\x%02x", code);
	else if (is_steering(code))
		sprintf(to, "\\u%04x", code);
	else
		sprintf(to, "%.*s", (int)size, (const char *)p);
}

static void write_plainly(char *to, const unsigned char *text, size_t size, bool json)
{
	uint32_t code = 0;

	strcpy(to, json ? "\"" : "");
	for (size_t at = 0; at < size;) {
		const unsigned step = decode(text + at, size - at, &code);

		put_character(to + strlen(to), text + at, step, code, json);
		at += step ? step : 1;
	}
	strcat(to, json ? "\"" : "");
}

/* ---- drawing ---- */

/* Bytes of all kinds: those of one character, plain ones, and any. */
static size_t draw(unsigned char *text, uint32_t *seed)
{
	static const char *const pieces[] = {
		"\xc2\x9b",
		"\xc3\xa9",
		"\xd8\x9c",
		"\xe2\x80\x8e",
		"\xe2\x80\xa8",
		"\xe2\x81\xa6",
		"\xe2\x81\xa5",
		"\xed\x9f\xbf",
		"\xed\xa0\x80",
		"\xf0\x9f\x98\x80",
		"\xf4\x90\x80\x80",
		"\xe0\x9f\xbf",
		"\"",
		"\\",
		"\t",
	};
	const size_t most = chance(seed, LONGEST);
	size_t size = 0;

	while (size < most) {
		const unsigned kind = chance(seed, 8);

		if (kind < 3) {
			const char *piece = pieces[chance(seed, 15)];
			/* some are cut short */
			const size_t length = strlen(piece) - (chance(seed, 6) == 0);

			memcpy(text + size, piece, length);
			size += length;
		} else if (kind == 3) {
			text[size++] = (unsigned char)chance(seed, 256);
		} else {
			text[size++] = (unsigned char)(' ' + chance(seed, 95));
		}
	}
	memset(text + size, "a\xa9"[chance(seed, 2)], BEHIND);
	return size;
}

static struct tl_output *memory(void)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	return out;
}

/* What was written since the last call. */
static const char *taken(struct tl_output *out, size_t *from, size_t *size)
{
	const char *bytes = tl_output_bytes(out, size) + *from;

	*size -= *from;
	*from += *size;
	return bytes;
}

static void assert_written(struct tl_output *out, size_t *from, const char *wanted)
{
	size_t size;
	const char *have = taken(out, from, &size);

	if (size != strlen(wanted) || memcmp(have, wanted, size) != 0)
		fail_msg("%.*s is not %s", (int)size, have, wanted);
}

/* ---- tests ---- */

/* "control characters and those that steer a terminal escaped, bytes that are not UTF-8 U+FFFD" */
TEST(drawn_texts_as_json_and_as_shown)
{
	struct tl_output *out = memory();
	uint32_t seed = 1;
	size_t from = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned char text[LONGEST + 4 + BEHIND];
		char wanted[WANTED];
		const size_t size = draw(text, &seed);

		write_plainly(wanted, text, size, true);
		tl_put_json(out, (const char *)text, size);
		assert_written(out, &from, wanted);
		write_plainly(wanted, text, size, false);
		tl_put_shown(out, (const char *)text, size);
		assert_written(out, &from, wanted);
	}
	tl_output_discard(out);
}

/* "Bytes of `text` up to the first that is not UTF-8", and one character at a time */
TEST(spans_end_at_the_first_wrong_byte)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned char text[LONGEST + 4 + BEHIND];
		const size_t size = draw(text, &seed);
		size_t wanted = 0;
		uint32_t code;

		for (unsigned step; wanted < size; wanted += step) {
			char shown[TL_SHOWN_BYTES], plain[WANTED];

			step = decode(text + wanted, size - wanted, &code);
			put_character(plain, text + wanted, step, code, false);
			assert_int_equal(tl_shown_character((const char *)text + wanted,
							    size - wanted, shown),
					 step ? step : 1);
			assert_string_equal(shown, plain);
			if (!step)
				break;
		}
		assert_int_equal(tl_utf8_span((const char *)text, size), wanted);
	}
}

/* Each pair of a leading and a second byte, with further ones at the borders, whole and cut. */
TEST(beginnings_of_all_characters)
{
	static const unsigned char ends[] = { 0x41, 0x7f, 0x80, 0xbf, 0xc0 };

	for (unsigned pair = 0; pair < 0x10000; pair++)
		for (unsigned more = 0; more < 25; more++) {
			const unsigned char text[] = { (unsigned char)(pair >> 8),
						       (unsigned char)pair, ends[more / 5],
						       ends[more % 5] };
			const size_t size = 2 + more % 3;
			size_t wanted = 0;
			uint32_t code;

			/* Those that begin with ASCII have been tried before. */
			if (text[0] < 0x80)
				break;
			for (unsigned step = 1; step && wanted < size; wanted += step)
				step = decode(text + wanted, size - wanted, &code);
			assert_int_equal(tl_utf8_span((const char *)text, size), wanted);
		}
}

/* A field read back (RFC 4180, rules 5 to 7); behind it stands a comma. */
static size_t read_field(const char *p, char *to)
{
	size_t size = 0;

	if (*p++ != '"') {
		for (p--; *p != ','; p++)
			to[size++] = *p;
		return size;
	}
	for (;; p++) {
		if (*p == '"' && *++p != '"')
			break;
		to[size++] = *p;
	}
	assert_int_equal(*p, ',');
	return size;
}

/* "A CSV field, quoted when it must be, or always": it reads back, and no quotes are in vain. */
TEST(drawn_fields_read_back)
{
	struct tl_output *out = memory();
	uint32_t seed = 3;
	size_t from = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		static const char some[] = "\",\n\r;abc '";
		char text[LONGEST + 1], back[2 * LONGEST];
		const size_t size = chance(&seed, LONGEST);
		const char *have;
		bool quoted = false;
		size_t written;

		for (size_t i = 0; i < size; i++) {
			text[i] = some[round % 2 ? chance(&seed, 10) : 4 + chance(&seed, 6)];
			quoted |= strchr("\",\n\r", text[i]) != NULL;
		}
		/* what stands behind is not of the field, but where the text ends by itself */
		text[size] = round % 4 ? '"' : '\0';
		if (round % 4)
			tl_put_csv_bytes(out, text, size);
		else
			tl_put_csv(out, text);
		tl_put_char(out, ',');
		have = taken(out, &from, &written);
		assert_int_equal(have[0] == '"', quoted);
		assert_int_equal(read_field(have, back), size);
		assert_memory_equal(back, text, size);
		tl_put_csv_quoted(out, text, size);
		tl_put_char(out, ',');
		have = taken(out, &from, &written);
		assert_int_equal(have[0], '"');
		assert_int_equal(read_field(have, back), size);
		assert_memory_equal(back, text, size);
	}
	tl_output_discard(out);
}

/* Numbers whose bits and digits are drawn: printf is the judge, also of the last of many. */
TEST(drawn_numbers_are_those_of_printf)
{
	struct tl_output *out = memory();
	uint32_t seed = 4;
	size_t from = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t value = chance_bits(&seed) >> chance(&seed, 64);
		char wanted[96], digits[20];

		tl_put_u64(out, value);
		tl_put_char(out, ' ');
		tl_put_i64(out, (int64_t)(round % 2 ? value : -value));
		tl_put_char(out, ' ');
		tl_put_hex(out, value);
		snprintf(wanted, sizeof(wanted), "%llu %lld 0x%llx", (unsigned long long)value,
			 (long long)(round % 2 ? value : -value), (unsigned long long)value);
		assert_written(out, &from, wanted);
		snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)value);
		assert_int_equal(tl_format_u64(digits, value) - digits, strlen(wanted));
		assert_memory_equal(digits, wanted, strlen(wanted));
	}
	tl_output_discard(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_texts_as_json_and_as_shown),
		cmocka_unit_test(spans_end_at_the_first_wrong_byte),
		cmocka_unit_test(beginnings_of_all_characters),
		cmocka_unit_test(drawn_fields_read_back),
		cmocka_unit_test(drawn_numbers_are_those_of_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
