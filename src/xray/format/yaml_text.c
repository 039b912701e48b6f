/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars in the bytes of llvm-xray, where those are YAML. */
#include <string.h>

#include "core/output.h"
#include "xray/format/yaml_text.h"

/* Words that YAML takes for something else than a string. */
static bool is_reserved(const char *text, size_t size)
{
	static const char *const words[] = { "null", "Null", "NULL",  "~",     "true",
					     "True", "TRUE", "false", "False", "FALSE" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == size && !memcmp(text, words[i], size))
			return true;
	return false;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-_^. ", c));
}

static bool is_printable(char c)
{
	return (unsigned char)c >= ' ' && (unsigned char)c <= '~';
}

static void put_base64(struct tl_output *out, const uint8_t *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;
		size_t left = size - i;

		if (left > 1)
			bits |= (uint32_t)data[i + 1] << 8;
		if (left > 2)
			bits |= data[i + 2];
		tl_put_char(out, digits[bits >> 18]);
		tl_put_char(out, digits[bits >> 12 & 63]);
		tl_put_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		tl_put_char(out, left > 2 ? digits[bits & 63] : '=');
	}
}

/* All is printable. */
static void put_quoted(struct tl_output *out, const char *text, size_t size)
{
	tl_put_char(out, '\'');
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\'')
			tl_put_char(out, '\'');
		tl_put_char(out, text[i]);
	}
	tl_put_char(out, '\'');
}

/* Whether a reader of YAML has the same bytes: no line break of Unicode, nothing like U+FFFF. */
static bool is_text(const char *text, size_t size)
{
	static const char *const others[] = { "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf",
					      "\xef\xbf\xbe", "\xef\xbf\xbf" };

	if (memchr(text, 0, size) || tl_utf8_span(text, size) < size)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memmem(text, size, others[i], 3))
			return false;
	return true;
}

void tl_xray_put_yaml_text(struct tl_output *out, const char *text, size_t size)
{
	bool plain = size && !is_reserved(text, size) && !strchr("-., 0123456789", *text) &&
		     text[size - 1] != ' ';

	for (size_t i = 0; i < size; i++) {
		if (!is_printable(text[i])) {
			tl_put_json(out, text, size);
			return;
		}
		plain &= is_plain(text[i]);
	}
	if (plain)
		tl_put_bytes(out, text, size);
	else
		put_quoted(out, text, size);
}

void tl_xray_put_yaml_bytes(struct tl_output *out, const uint8_t *data, size_t size)
{
	if (!size || is_text((const char *)data, size)) {
		tl_xray_put_yaml_text(out, (const char *)data, size);
		return;
	}
	tl_put_text(out, "!!binary \"");
	put_base64(out, data, size);
	tl_put_char(out, '"');
}
