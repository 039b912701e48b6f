/* SPDX-License-Identifier: Apache-2.0 */
#include "core/output.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/text/decimal.h"
#include "core/text/digits.h"

static char *put_eight(char *p, uint32_t value)
{
	tl_store_digits(p, tl_eight_digits(value) + TL_EIGHT_ZEROS);
	return p + 8;
}

char *tl_format_u64(char *p, uint64_t value)
{
	const uint64_t eight = 100000000;

	if (value < 10000)
		return tl_format_four(p, (uint32_t)value);
	if (value < eight)
		return tl_format_eight(p, (uint32_t)value);
	p = tl_format_u64(p, value / eight);
	return put_eight(p, (uint32_t)(value % eight));
}

void tl_put_u64(struct tl_output *out, uint64_t value)
{
	tl_output_advance(out, tl_format_number(tl_output_room(out, 20), value));
}

void tl_put_i64(struct tl_output *out, int64_t value)
{
	if (value < 0)
		tl_put_char(out, '-');
	tl_put_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void tl_put_hex(struct tl_output *out, uint64_t value)
{
	tl_output_advance(out, tl_format_hex(tl_output_room(out, 18), value));
}

/* The program may run with any LC_NUMERIC: whatever its decimal point is becomes a dot. */
static void put_neutral(struct tl_output *out, const char *text)
{
	size_t digits = strspn(text, "-0123456789");
	const char *rest = strpbrk(text + digits, "0123456789");

	tl_put_bytes(out, text, digits);
	if (!text[digits])
		return;
	if (text[digits] != 'e') {
		tl_put_char(out, '.');
		tl_put_text(out, rest);
	} else {
		tl_put_text(out, text + digits);
	}
}

void tl_put_double(struct tl_output *out, double value)
{
	char text[64];

	/*
	 * Fast path for whole numbers of up to 15 digits, which are most: "%.17g" gives the same
	 * digits.
	 */
	if (fabs(value) < 1e15 && value == (double)(int64_t)value &&
	    !(value == 0 && signbit(value))) {
		tl_put_i64(out, (int64_t)value);
		return;
	}
	if (!isfinite(value)) {
		if (isnan(value))
			tl_put_text(out, "nan");
		else
			tl_put_text(out, value < 0 ? "-inf" : "inf");
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	put_neutral(out, text);
}

/* ---- JSON ---- */

/*
 * UTF-8 of more than one byte (RFC 3629, section 4): no overlong form, no surrogate, none past
 * U+10FFFF.
 */
static const struct sequence {
	unsigned char first, last; /* the leading byte */
	unsigned char low, high;   /* the second byte; later ones are 80..BF */
	unsigned char size;
} sequences[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

/* Bytes of the character that begins at `p`, 0 when it is not UTF-8. */
static size_t utf8_size(const unsigned char *p, size_t left)
{
	const struct sequence *s = sequences, *end = s + sizeof(sequences) / sizeof(sequences[0]);

	if (p[0] < 0x80)
		return 1;
	while (s < end && (p[0] < s->first || p[0] > s->last))
		s++;
	if (s == end || s->size > left || p[1] < s->low || p[1] > s->high)
		return 0;
	for (size_t i = 2; i < s->size; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return s->size;
}

size_t tl_utf8_span(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t at = 0;

	while (at < size) {
		size_t step = utf8_size(p + at, size - at);

		if (!step)
			break;
		at += step;
	}
	return at;
}

/*
 * Whether a character controls the terminal or the layout: C1 controls, marks and overrides of the
 * writing direction (Unicode Standard Annex 9: 061C, 200E, 200F, 202A to 202E, 2066 to 2069), and
 * separators of lines (2028, 2029). `p` is valid UTF-8.
 */
static bool steers(const unsigned char *p)
{
	if (p[0] == 0xc2)
		return p[1] < 0xa0;
	if (p[0] == 0xd8)
		return p[1] == 0x9c;
	if (p[0] != 0xe2 || (p[1] != 0x80 && p[1] != 0x81))
		return false;
	if (p[1] == 0x81)
		return p[2] >= 0xa6 && p[2] <= 0xa9;
	return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
}

/* The number of a character of two or three bytes. */
static unsigned code_point(const unsigned char *p, size_t size)
{
	if (size == 2)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

/* ---- for people ---- */

size_t tl_shown_character(const char *text, size_t size, char shown[TL_SHOWN_BYTES])
{
	const unsigned char *p = (const unsigned char *)text;
	size_t length = utf8_size(p, size);
	bool control = p[0] < 0x20 || p[0] == 0x7f;

	if (!length || control) {
		snprintf(shown, TL_SHOWN_BYTES, "\\x%02x", p[0]);
		return 1;
	}
	if (length > 1 && steers(p)) {
		snprintf(shown, TL_SHOWN_BYTES, "\\u%04x", code_point(p, length));
		return length;
	}
	memcpy(shown, p, length);
	shown[length] = '\0';
	return length;
}

void tl_put_shown(struct tl_output *out, const char *text, size_t size)
{
	char shown[TL_SHOWN_BYTES];

	for (size_t at = 0; at < size;) {
		size_t plain = at;

		while (plain < size && text[plain] >= ' ' && text[plain] < 0x7f)
			plain++;
		tl_put_bytes(out, text + at, plain - at);
		at = plain;
		if (at < size) {
			at += tl_shown_character(text + at, size - at, shown);
			tl_put_text(out, shown);
		}
	}
}

/* ---- JSON ---- */

/* Number of bytes from `p` on that need no escape in a JSON string. */
static size_t plain_run(const unsigned char *p, size_t left)
{
	size_t at = 0;

	while (at < left) {
		size_t size = 1;

		if (p[at] >= 0x80)
			size = utf8_size(p + at, left - at);
		if (p[at] < 0x20 || p[at] == '"' || p[at] == '\\' || p[at] == 0x7f ||
		    (size > 1 && steers(p + at)))
			size = 0;
		if (!size)
			break;
		at += size;
	}
	return at;
}

/* Write the escape of the character at `p`; returns its bytes in the text. */
static size_t put_escape(struct tl_output *out, const unsigned char *p, size_t left)
{
	static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: the byte, the letter */
	size_t size = utf8_size(p, left);

	if (!size) {
		tl_put_text(out, "\xef\xbf\xbd"); /* U+FFFD */
		return 1;
	}
	for (const char *s = shorts; *s; s += 2) {
		if (*s == (char)*p) {
			tl_put_char(out, '\\');
			tl_put_char(out, s[1]);
			return 1;
		}
	}
	tl_put_format(out, "\\u%04x", size == 1 ? *p : code_point(p, size));
	return size;
}

void tl_put_json(struct tl_output *out, const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text, *end = size ? p + size : p;

	tl_put_char(out, '"');
	while (p < end) {
		size_t run = plain_run(p, (size_t)(end - p));

		tl_put_bytes(out, p, run);
		p += run;
		if (p < end)
			p += put_escape(out, p, (size_t)(end - p));
	}
	tl_put_char(out, '"');
}

void tl_put_csv_quoted(struct tl_output *out, const char *text, size_t size)
{
	tl_put_char(out, '"');
	while (size) {
		const char *quote = memchr(text, '"', size);
		size_t plain = quote ? (size_t)(quote - text) + 1 : size;

		tl_put_bytes(out, text, plain);
		if (quote)
			tl_put_char(out, '"');
		text += plain;
		size -= plain;
	}
	tl_put_char(out, '"');
}

void tl_put_csv_bytes(struct tl_output *out, const char *text, size_t size)
{
	bool quoted = false;

	for (size_t i = 0; i < size; i++)
		quoted |= text[i] == '"' || text[i] == ',' || text[i] == '\n' || text[i] == '\r';
	if (quoted)
		tl_put_csv_quoted(out, text, size);
	else
		tl_put_bytes(out, text, size);
}

void tl_put_csv(struct tl_output *out, const char *text)
{
	size_t plain = strcspn(text, "\",\n\r");

	if (text[plain])
		tl_put_csv_quoted(out, text, plain + strlen(text + plain));
	else
		tl_put_bytes(out, text, plain);
}
