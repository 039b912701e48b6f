/* SPDX-License-Identifier: Apache-2.0 */
#include "query/trace/json_line.h"

#include <errno.h>
#include <stdlib.h>

#include "core/memory.h"

/* Characters of a hexadecimal number of 64 bits with 0x and quotes. */
enum { HEX_NUMBER = 20 };

/* Behind a string that begins at `at`; the line ends with a NUL. */
static const char *skip_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* Behind a value. */
static const char *skip_value(const char *at)
{
	int depth = 0;

	while (*at) {
		if (*at == '"') {
			at = skip_string(at);
			continue;
		}
		if (!depth && (*at == ',' || *at == '}' || *at == ']'))
			return at;
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		at++;
	}
	return at;
}

/* Where the value of a key begins, NULL: there is no such key. */
static const char *find(const char *line, const char *key)
{
	size_t size = strlen(key);

	while (*line && line[1] == '"') {
		const char *name = line + 2, *end = skip_string(line + 1);

		if (*end != ':')
			return NULL;
		if ((size_t)(end - name) == size + 1 && !memcmp(name, key, size))
			return end + 1;
		line = skip_value(end + 1);
	}
	return NULL;
}

/* ---- strings ---- */

static char *put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 63));
	} else {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	}
	return to;
}

/* One escaped character. Our listings escape no character above U+FFFF. */
static char *put_escape(char *to, const char **at)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = strchr(letters, **at);
	char digits[5] = { 0 };

	if (**at == 'u' && strnlen(*at, 5) == 5) {
		memcpy(digits, *at + 1, 4);
		*at += 5;
		return put_utf8(to, (unsigned)strtoul(digits, NULL, 16));
	}
	*to++ = letter && **at ? meant[letter - letters] : **at;
	*at += **at != '\0';
	return to;
}

static bool take_string(const char *at, char **text, size_t *capacity, struct tl_query_value *value)
{
	const char *end = skip_string(at);
	char *to;

	if (!tl_grow(text, capacity, (size_t)(end - at) + 1, 1))
		return false;
	to = *text;
	for (at++; at < end - 1;) {
		if (*at == '\\') {
			at++;
			to = put_escape(to, &at);
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	value->type = TL_QUERY_TEXT;
	value->text = *text;
	value->size = (size_t)(to - *text);
	return true;
}

/* ---- values ---- */

/* A number that fits 64 bits, up to a character that ends it. */
static bool take_number(const char *at, char last, int base, struct tl_query_value *value)
{
	char *end;
	uint64_t number;

	errno = 0;
	if (*at == '-') {
		tl_query_set_integer(value, strtoll(at, &end, base));
		return !errno && *end == last;
	}
	number = strtoull(at, &end, base);
	if (errno || end == at || *end != last)
		return false;
	if (base == 16)
		tl_query_set_integer(value, (int64_t)number);
	else
		tl_query_set_count(value, number);
	return true;
}

static bool take_raw(const char *at, size_t size, char **text, size_t *capacity,
		     struct tl_query_value *value)
{
	if (!tl_grow(text, capacity, size + 1, 1))
		return false;
	memcpy(*text, at, size);
	(*text)[size] = '\0';
	value->type = TL_QUERY_TEXT;
	value->text = *text;
	value->size = size;
	return true;
}

bool tl_query_json_value(const char *line, size_t size, const char *key, char **text,
			 size_t *capacity, struct tl_query_value *value)
{
	const char *at = find(line, key), *end;

	(void)size;
	if (!at)
		return true;
	end = skip_value(at);
	/* More digits than 64 bits have stay text, also where they are zeros. */
	if (!strncmp(at, "\"0x", 3) && end - at <= HEX_NUMBER &&
	    take_number(at + 3, '"', 16, value))
		return true;
	value->type = TL_QUERY_NULL;
	if (*at == '"')
		return take_string(at, text, capacity, value);
	if (!strncmp(at, "null", 4))
		return true;
	if (!strncmp(at, "true", 4) || !strncmp(at, "false", 5)) {
		tl_query_set_integer(value, *at == 't');
		return true;
	}
	if (take_number(at, *end, 10, value))
		return true;
	value->type = TL_QUERY_NULL;
	return take_raw(at, (size_t)(end - at), text, capacity, value);
}
